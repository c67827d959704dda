//! TCP with loss, reordering, retransmission, and various starts and ends.

use super::*;
use crate::layers::{Checks, ip, tcp, udp};
use crate::tree::{Carriers, Demand};
use std::convert::Infallible;

fn marked(frames: &[Vec<u8>], checks: Checks) -> Vec<String> {
    let mut engine = Engine::complete(Registry::of(TOYS)).verifying(checks);
    let lines = (1..).zip(frames).map(|(number, bytes)| {
        let time = Some(Timestamp { seconds: i64::try_from(number).unwrap(), nanos: 0 });
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, time, link: Link::Type(101), bytes, original_len, ..Frame::default() });
        let group = tree.nodes.iter().position(|node| node.field.is(&tcp::ANALYSIS));
        let marks = group.map(|group| &tree.nodes[group + 1..tree.nodes[group].end as usize]).unwrap_or_default();
        let names = marks.iter().map(|node| node.field.abbrev.trim_start_matches("tcp.analysis."));
        let notes = tree.notes.iter().map(|note| note.code.abbrev);
        names.chain(notes).collect::<Vec<_>>().join(" ")
    });
    lines.collect()
}

/// The frame, sent from or to another port of the client.
pub(super) fn from_port(packet: &Packet, port: u16) -> Vec<u8> {
    let mut bytes = bytes(packet);
    let at = if packet.side == Side::Client { 20 } else { 22 };
    bytes[at..at + 2].copy_from_slice(&port.to_be_bytes());
    bytes
}

#[test]
fn segments_reversed_interleaved_and_of_one_byte_give_the_messages() {
    let sent = script(5);
    let single: Vec<Packet> = (100..).zip(&sent).map(|(seq, byte)| client(seq, &[*byte])).collect();
    let mut whole = opened();
    whole.push(client(100, &sent));
    let expected = content(&emitted(&whole));
    let reversed: Vec<Packet> = single.iter().rev().cloned().collect();
    let (even, odd): (Vec<_>, Vec<_>) = single.iter().cloned().enumerate().partition(|(place, _)| place % 2 == 0);
    let interleaved: Vec<Packet> = odd.into_iter().chain(even).map(|(_, packet)| packet).collect();
    for segments in [single, reversed, interleaved] {
        assert_eq!(content(&emitted(&[opened(), segments].concat())), expected);
    }
}

#[test]
fn an_overlap_of_the_same_bytes_is_no_oddity_and_more_data_is_taken() {
    let mut packets = opened();
    packets.extend([client(100, &[4, 7, 8]), client(101, &[7, 8]), client(101, &[7, 8, 9, 1, 1, 6])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 0407080901 frames [2, 4]", "toy c2s @5 0106 frames [4]"]);
}

/// Summaries of the segments that notes make messages, with this demand.
fn noted_segments(frames: &[Vec<u8>], demand: Demand) -> Vec<String> {
    let mut engine = Engine::new(Registry::of(TOYS), demand);
    let mut tally = Tally::new(View::Messages);
    let mut summaries = Vec::new();
    for (number, bytes) in (1..).zip(frames) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        let Ok(()) = tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, |record| {
            if let Record::Message(message) = record
                && message.protocol().is_some_and(|field| field.is(&tcp::TCP))
            {
                summaries.push(message.info().into_owned());
            }
            Ok::<_, Infallible>(())
        });
    }
    summaries
}

#[test]
fn a_segment_with_a_note_has_its_analysis_without_carriers() {
    let sent = [opened(), vec![client(100, &[4, 7, 8]), client(100, &[4, 7, 9])]].concat();
    let frames: Vec<Vec<u8>> = sent.iter().map(bytes).collect();
    let expected = noted_segments(&frames, Demand::EVERYTHING);
    assert!(expected.len() == 1 && expected[0].starts_with("[retransmission] "), "{expected:?}");
    for demand in [Demand::MESSAGES, Demand::HEADINGS] {
        for carriers in [Carriers::Skip, Carriers::Layers] {
            assert_eq!(noted_segments(&frames, Demand { carriers, ..demand }), expected, "{demand:?}");
        }
    }
}

#[test]
fn data_on_the_syn_is_the_first_of_the_stream() {
    let syn = Packet { payload: vec![2, 7], ..flagged(Side::Client, 99, SYN) };
    assert_eq!(emitted(&[syn, client(102, &[8])]), ["toy c2s @0 020708 frames [1, 2]"]);
}

#[test]
fn data_after_a_fin_is_still_shown() {
    let mut packets = opened();
    packets.extend([client(100, &[1, 7]), flagged(Side::Client, 102, FIN), client(102, &[1, 8])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [2]", "toy c2s @2 0108 frames [4]"]);
}

#[test]
fn a_half_open_connection_dissects_the_other_direction() {
    let mut packets = opened();
    packets.extend([client(100, &[1, 7]), flagged(Side::Client, 102, FIN)]);
    packets.extend([says(Side::Server, 500, &[1, 5]), says(Side::Server, 502, &[1, 6])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [2]", "toy s2c @0 0105 frames [4]", "toy s2c @2 0106 frames [5]"]);
}

#[test]
fn a_segment_never_seen_but_acknowledged_is_a_gap() {
    let mut packets = opened();
    packets.extend([client(100, &[1, 7]), client(104, &[1, 9])]);
    packets.push(acknowledges(Side::Server, 106));
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [2]", "gap c2s @2 2 bytes", "toy c2s @4 0109 frames [3]"]);
}

#[test]
fn an_acknowledged_gap_is_skipped_before_the_payload_of_that_segment() {
    let mut packets = opened();
    packets.extend([client(100, &[1, 7]), client(104, &[1, 9])]);
    packets.push(Packet { ack: Some(105), ..says(Side::Server, 500, &[1, 5]) });
    let expected =
        ["toy c2s @0 0107 frames [2]", "gap c2s @2 2 bytes", "toy c2s @4 0109 frames [3]", "toy s2c @0 0105 frames [4]"];
    assert_eq!(emitted(&packets), expected);
}

#[test]
fn a_hole_that_is_acknowledged_up_to_its_end_may_still_be_filled() {
    let mut packets = opened();
    packets.extend([client(104, &[1, 9]), acknowledges(Side::Server, 104), client(100, &[3, 7, 8, 9])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 03070809 frames [4]", "toy c2s @4 0109 frames [2]"]);
}

#[test]
fn messages_after_a_skipped_gap_are_late_records() {
    let lost = [client(104, &[1, 9, 1, 8]), client(108, &[1, 6])];
    let answer = Packet { ack: Some(110), ..says(Side::Server, 500, &[1, 5]) };
    assert_eq!(
        packets(&[opened(), lost.to_vec(), vec![answer]].concat()),
        [
            "packet 1 ip tcp",
            "packet 2 ip tcp",
            "packet 3 ip tcp",
            "packet 4 ip tcp toy",
            "gap c2s @0 4 bytes",
            "late [2] toy toy",
            "late [3] toy"
        ]
    );
}

#[test]
fn a_message_completed_by_the_segment_after_a_gap_is_a_layer_of_its_frame() {
    let segments = [client(102, &[8, 1, 7]), client(100, &[2, 6])];
    assert_eq!(
        packets(&[opened(), segments.to_vec()].concat()),
        ["packet 1 ip tcp", "packet 2 ip tcp", "packet 3 ip tcp toy", "late [2] toy"]
    );
}

#[test]
fn a_message_that_a_fin_ends_is_a_layer_of_the_frame_with_the_fin() {
    let segments = [client(100, &[9, 7, 8]), flagged(Side::Client, 103, FIN)];
    assert_eq!(packets(&[opened(), segments.to_vec()].concat()), ["packet 1 ip tcp", "packet 2 ip tcp", "packet 3 ip tcp toy"]);
}

#[test]
fn pending_messages_at_the_end_are_late_records() {
    let left = [client(100, &[9, 7, 8]), flagged(Side::Client, 7000, SYN), client(7001, &[9, 1])];
    assert_eq!(
        packets(&[opened(), left.to_vec()].concat()),
        ["packet 1 ip tcp", "packet 2 ip tcp", "packet 3 ip tcp", "late [2] toy", "packet 4 ip tcp", "late [4] toy"]
    );
}

#[test]
fn bytes_that_waited_for_their_owner_are_late() {
    // One byte does not determine the protocol of the stream.
    let segments = [client(100, &[1]), client(101, &[7, 1, 8])];
    assert_eq!(packets(&segments), ["packet 1 ip tcp", "packet 2 ip tcp toy toy"]);
    let sides = [client(100, &[1]), says(Side::Server, 500, &[1, 5]), client(101, &[7])];
    assert_eq!(packets(&sides), ["packet 1 ip tcp", "packet 2 ip tcp", "packet 3 ip tcp toy", "late [2] toy"]);
}

#[test]
fn one_direction_alone_is_dissected() {
    let packets = [says(Side::Server, 500, &[2, 5]), says(Side::Server, 502, &[6])];
    assert_eq!(emitted(&packets), ["toy s2c @0 020506 frames [1, 2]"]);
}

#[test]
fn ports_may_be_used_again_with_and_without_a_fin() {
    for end in [Some(flagged(Side::Client, 102, FIN)), None] {
        let mut packets = vec![flagged(Side::Client, 99, SYN), client(100, &[1, 7])];
        packets.extend(end);
        let first = packets.len();
        packets.extend([flagged(Side::Client, 7000, SYN), client(7001, &[1, 8])]);
        let lines = emitted(&packets);
        assert_eq!(content(&lines), ["toy c2s @0 0107", "toy c2s @0 0108"]);
        let frames: Vec<Vec<u8>> = packets.iter().map(bytes).collect();
        assert_eq!(marked(&frames, Checks::default())[first], "reused_ports");
    }
}

#[test]
fn both_sides_may_open_at_once() {
    let packets = [
        flagged(Side::Client, 99, SYN),
        flagged(Side::Server, 499, SYN),
        Packet { ack: Some(500), ..flagged(Side::Client, 99, SYN) },
        Packet { ack: Some(100), ..flagged(Side::Server, 499, SYN) },
        client(100, &[1, 7]),
        says(Side::Server, 500, &[1, 5]),
    ];
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [5]", "toy s2c @0 0105 frames [6]"]);
}

#[test]
fn urgent_bytes_stay_where_they_are_in_the_stream() {
    const FLAGS: usize = 33;
    let mut frames: Vec<Vec<u8>> =
        [opened(), vec![client(100, &[3, 7, 8]), client(103, &[9])]].concat().iter().map(bytes).collect();
    frames[1][FLAGS] |= 0x20;
    frames[1][FLAGS + 5] = 2;
    assert_eq!(emitted_frames(&frames), ["toy c2s @0 03070809 frames [2, 3]"]);
}

#[test]
fn a_resets_data_and_an_early_fin_lose_nothing() {
    let reset = Packet { payload: vec![1, 8], ..flagged(Side::Client, 102, RST) };
    let fin = flagged(Side::Client, 104, FIN);
    let mut packets = opened();
    packets.extend([fin, reset, client(100, &[1, 7])]);
    assert_eq!(emitted(&packets), ["toy c2s @0 0107 frames [4]", "toy c2s @2 0108 frames [3]"]);
}

#[test]
fn thousands_of_streams_are_open_at_once() {
    let ports = 10_000..13_000;
    let first = ports.clone().map(|port| from_port(&client(100, &[2, 7]), port));
    let frames: Vec<Vec<u8>> = first.chain(ports.map(|port| from_port(&client(102, &[8]), port))).collect();
    let lines = emitted_frames(&frames);
    assert_eq!(lines.len(), 3000);
    assert!(lines.iter().all(|line| line.starts_with("toy c2s @0 020708")));
}

#[test]
fn a_keep_alive_and_a_retransmission_are_marked() {
    let server = |ack| Packet { seq: 500, ..acknowledges(Side::Server, ack) };
    let says = |seq, payload| Packet { ack: Some(500), ..client(seq, payload) };
    let packets = [says(100, &[1, 7]), server(102), says(101, &[0]), server(102), says(104, &[1, 9]), says(102, &[1, 8])];
    let frames: Vec<Vec<u8>> = packets.iter().map(bytes).collect();
    let expected = [
        "",
        "acks_frame ack_rtt",
        "keep_alive",
        "acks_frame ack_rtt keep_alive_ack",
        "lost_segment",
        "retransmission rto_frame rto",
    ];
    assert_eq!(marked(&frames, Checks::default()), expected);
}

#[test]
fn checksums_are_verified_on_request() {
    let all = Checks { ip: true, tcp: true, udp: true };
    let good = bytes(&client(100, &[1, 7]));
    let mut segment = good.clone();
    segment[41] ^= 1;
    let mut header = good.clone();
    header[8] ^= 1;
    let frames = [good, segment, header];
    assert_eq!(marked(&frames, Checks::default())[2], "retransmission rto_frame rto");
    let expected = ["", "tcp.checksum.bad dissect.overlap", "ip.checksum.bad"];
    let marks = marked(&frames, all);
    assert!(marks.iter().zip(expected).all(|(marks, expected)| marks.ends_with(expected)), "{marks:?}");
    assert!(!marks[2].contains("tcp.checksum.bad"), "{marks:?}");
}

#[test]
fn the_status_of_a_checksum_is_a_field() {
    let status = |bytes: &[u8], field: &crate::tree::Field| {
        let mut engine = Engine::complete(Registry::of(TOYS)).verifying(Checks { ip: true, tcp: true, udp: true });
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number: 1, link: Link::Type(101), bytes, original_len, ..Frame::default() });
        tree.nodes.iter().find(|node| node.field.is(field)).map(|node| node.value)
    };
    let value = |number| Some(crate::tree::Value::Unsigned(number));
    let segment = bytes(&client(100, &[1, 7]));
    assert_eq!(status(&segment, &tcp::CHECKSUM_STATUS), value(1));
    assert_eq!(status(&segment, &ip::CHECKSUM_STATUS), value(1));
    let mut datagram = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5000, 9).write(&mut datagram, b"odd").unwrap();
    assert_eq!(status(&datagram, &udp::CHECKSUM_STATUS), value(1));
    datagram[28] ^= 1;
    assert_eq!(status(&datagram, &udp::CHECKSUM_STATUS), value(0));
    datagram[26..28].fill(0);
    assert_eq!(status(&datagram, &udp::CHECKSUM_STATUS), value(3));
    let mut six = Vec::new();
    PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(5000, 9).write(&mut six, b"even").unwrap();
    assert_eq!(status(&six, &udp::CHECKSUM_STATUS), value(1));
    six[46..48].fill(0);
    assert_eq!(status(&six, &udp::CHECKSUM_STATUS), value(4));
}

/// The trees of these frames: protocols of layers, and gaps.
fn trees(registry: Registry, packets: &[Packet]) -> Vec<(Vec<&'static str>, usize)> {
    let mut engine = Engine::complete(registry);
    let trees = (1..).zip(packets.iter().map(bytes)).map(|(number, bytes)| {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() });
        let layers = tree.layers.iter().map(|layer| tree.nodes[layer.node as usize].field.abbrev);
        (layers.collect(), tree.gaps.len())
    });
    trees.collect()
}

#[test]
fn bytes_that_waited_for_the_other_side_are_emitted_at_the_next_segment_even_if_that_is_empty() {
    let mut asked = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".to_vec();
    asked.extend([0x81, 0x80, 0, 0, 0, 0]);
    let agrees = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    let next = 100 + u32::try_from(asked.len()).unwrap();
    let packets = [client(100, &asked), says(Side::Server, 500, agrees), Packet { ack: Some(600), ..client(next, &[]) }];
    let emitted = trees(Registry::default(), &packets);
    assert_eq!(emitted.iter().map(|(layers, _)| layers.contains(&"websocket")).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn an_acknowledgment_beyond_a_gap_skips_it() {
    let packets = [client(100, &[1, 7]), client(110, &[1, 7]), acknowledges(Side::Server, 111)];
    let emitted = trees(Registry::of(TOYS), &[opened(), packets.to_vec()].concat());
    assert_eq!(emitted.iter().map(|(_, gaps)| *gaps).collect::<Vec<_>>(), [0, 0, 0, 1]);
}

#[test]
fn sides_that_turn_out_to_be_the_other_way_round_stay_so() {
    let (asked, answer) = (&b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"[..], &b"HTTP/1.1 204 No Content\r\n\r\n"[..]);
    let behind = |seq: u32, bytes: &[u8]| seq + u32::try_from(bytes.len()).unwrap();
    // The first sender is assumed to be the client, until an answer shows otherwise.
    let packets = [
        says(Side::Server, 500, answer),
        client(100, asked),
        says(Side::Server, behind(500, answer), answer),
        client(behind(100, asked), asked),
    ];
    let mut engine = Engine::complete(Registry::default());
    let sides = (1..).zip(&packets).map(|(number, packet)| {
        let bytes = bytes(packet);
        let original_len = u32::try_from(bytes.len()).unwrap();
        let tree = engine.dissect(&Frame { number, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() });
        let message = tree.layers.iter().find(|layer| layer.message).unwrap();
        tree.ends[message.ends as usize].stream.map(|(_, side)| side)
    });
    assert_eq!(sides.collect::<Vec<_>>(), packets.clone().map(|packet| Some(packet.side)));
}

#[test]
fn the_client_of_a_connection_to_itself_is_the_sender() {
    let packets = [flagged(Side::Client, 99, SYN), client(100, &[1, 7]), client(102, &[1, 8])];
    let frames = packets.map(|packet| {
        let mut bytes = bytes(&packet);
        bytes.copy_within(12..16, 16);
        bytes.copy_within(22..24, 20);
        bytes
    });
    assert_eq!(emitted_frames(&frames), ["toy c2s @0 0107 frames [2]", "toy c2s @2 0108 frames [3]"]);
}

#[test]
fn a_protocol_may_begin_at_a_segment_of_an_unknown_stream() {
    let packets = [
        client(100, b"\xee\x02\xaa\x07"),
        says(Side::Server, 500, b"\xee\x01"),
        client(104, b"\x02\xaa\x08\x01\x09"),
        says(Side::Server, 502, b"\x01\x0a"),
    ];
    let before = ["data c2s @0 ee02aa07 frames [2]", "data s2c @0 ee01 frames [3]"];
    let behind = ["toy c2s @4 02aa08 frames [4]", "toy c2s @7 0109 frames [4]", "toy s2c @2 010a frames [5]"];
    assert_eq!(emitted(&[opened(), packets.to_vec()].concat()), [&before[..], &behind[..]].concat());
    // The segments before may be late, and then are emitted with it.
    let late = [opened(), vec![packets[2].clone(), packets[0].clone()]].concat();
    let late = emitted(&late);
    assert_eq!(content(&late), ["data c2s @0 ee02aa07", "toy c2s @4 02aa08", "toy c2s @7 0109"], "{late:?}");
}
