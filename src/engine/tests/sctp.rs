//! SCTP: fragmented messages, streams, their protocols, and restarted associations.

use super::headers::{ipv4, lines_of};
use crate::engine::Engine;
use crate::input::{Frame, Link};
use crate::registry::Registry;
use crate::tree::{Dissection, dump};
use proptest::prelude::*;

const FIRST: u8 = 2;
const LAST: u8 = 1;
const WHOLE: u8 = FIRST | LAST;

/// A packet from port 4000 to port 80 with these chunks.
fn packet(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0x0f, 0xa0, 0, 80, 0, 0, 0, 7, 0, 0, 0, 0];
    bytes.extend(chunks.concat());
    ipv4(132, 0, &bytes)
}

fn chunk(kind: u8, flags: u8, value: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(4 + value.len()).unwrap().to_be_bytes();
    let mut bytes = vec![kind, flags, high, low];
    bytes.extend_from_slice(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn init(tsn: u8) -> Vec<u8> {
    chunk(1, 0, &[0, 0, 0, 9, 0, 1, 0, 0, 0, 10, 0, 10, 0, 0, 0, tsn])
}

/// A DATA chunk in stream `sid`.
fn data(flags: u8, tsn: u8, [sid, ssn]: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut value = vec![0, 0, 0, tsn, 0, sid, 0, ssn, 0, 0, 0, 0];
    value.extend_from_slice(payload);
    chunk(0, flags, &value)
}

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const SECOND: &[u8] = b"GET /b HTTP/1.1\r\nHost: a\r\n\r\n";

fn requests(packets: &[Vec<u8>]) -> Vec<String> {
    let lines = lines_of(packets, 0, &["http.request.uri"]);
    lines.iter().filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
}

#[test]
fn a_message_in_one_chunk_is_dissected_by_port() {
    let packet = packet(&[init(5), data(WHOLE, 5, [0, 0], REQUEST)]);
    let names = ["sctp.srcport", "sctp.chunk_type", "sctp.data_tsn", "sctp.data_sid", "sctp.data_b_bit", "http.request.uri", "!"];
    assert_eq!(
        lines_of(&[packet], 0, &names),
        [
            "20..22 sctp.srcport = 4000",
            "32..33 sctp.chunk_type = 1 (INIT)",
            "52..53 sctp.chunk_type = 0 (DATA)",
            "53..54 sctp.data_b_bit = true",
            "56..60 sctp.data_tsn = 0",
            "56..60 sctp.data_tsn_raw = 5",
            "60..62 sctp.data_sid = 0x0000",
            "4..7 http.request.uri = \"/a\"",
        ]
    );
}

#[test]
fn packets_inside_udp_are_dissected_on_their_port() {
    let inside = |port: u16| {
        let sctp = packet(&[init(5), data(WHOLE, 5, [0, 0], REQUEST)]).split_off(20);
        let [high, low] = port.to_be_bytes();
        let [length_high, length_low] = u16::try_from(8 + sctp.len()).unwrap().to_be_bytes();
        ipv4(17, 0, &[&[high, low, 0x26, 0xac, length_high, length_low, 0, 0], &sctp[..]].concat())
    };
    assert_eq!(requests(&[inside(9899)]), ["/a"]);
    let other: Vec<u8> = inside(9900).into_iter().enumerate().map(|(at, byte)| if at == 23 { 0xad } else { byte }).collect();
    assert!(requests(&[other]).is_empty());
}

#[test]
fn fragments_are_joined_across_packets_and_retransmissions_left_out() {
    let [one, two, three] = [&REQUEST[..5], &REQUEST[5..9], &REQUEST[9..]];
    let packets = [
        packet(&[data(FIRST, 5, [0, 0], one)]),
        packet(&[data(LAST, 7, [0, 0], three)]),
        packet(&[data(FIRST, 5, [0, 0], one)]),
        packet(&[data(0, 6, [0, 0], two)]),
        packet(&[data(0, 6, [0, 0], two)]),
    ];
    assert_eq!(requests(&packets), ["/a"]);
    let in_one_packet = packet(&[data(FIRST, 5, [0, 0], one), data(0, 6, [0, 0], two), data(LAST, 7, [0, 0], three)]);
    assert_eq!(requests(&[in_one_packet]), ["/a"]);
}

#[test]
fn messages_are_delivered_by_their_number_in_each_stream() {
    let packets = [
        packet(&[init(5)]),
        packet(&[data(WHOLE, 6, [0, 1], SECOND)]),
        packet(&[data(WHOLE, 7, [3, 0], SECOND)]),
        packet(&[data(WHOLE, 5, [0, 0], REQUEST)]),
    ];
    assert_eq!(requests(&packets), ["/b", "/a", "/b"]);
}

#[test]
fn an_init_with_another_tsn_begins_the_association_anew() {
    let packets = [
        packet(&[init(5)]),
        packet(&[data(WHOLE, 5, [0, 0], REQUEST)]),
        packet(&[init(3)]),
        packet(&[data(WHOLE, 3, [0, 0], SECOND)]),
    ];
    assert_eq!(requests(&packets), ["/a", "/b"]);
}

#[test]
fn a_message_whose_earlier_ones_are_missing_is_emitted_at_the_end() {
    let mut engine = Engine::complete(Registry::default());
    for (number, bytes) in (1..).zip([packet(&[init(5)]), packet(&[data(WHOLE, 6, [0, 1], SECOND)])]) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() };
        assert!(!dump(Dissection { tree: engine.dissect(&frame), bytes: &bytes }).contains("http"));
    }
    let tree = engine.finish().unwrap();
    assert!(dump(Dissection { tree, bytes: &[] }).contains("http.request.uri = \"/b\""));
    assert!(engine.finish().is_none());
}

#[test]
fn parameters_causes_and_acknowledgments_are_read() {
    let address = [0, 5, 0, 8, 10, 0, 0, 1, 0, 12, 0, 6, 0, 5, 0, 0];
    let init = chunk(1, 0, &[&[0, 0, 0, 9, 0, 1, 0, 0, 0, 10, 0, 10, 0, 0, 0, 5][..], &address].concat());
    let sack = chunk(3, 0, &[0, 0, 0, 8, 0, 1, 0, 0, 0, 1, 0, 1, 0, 2, 0, 3, 0, 0, 0, 8]);
    let abort = chunk(6, 1, &[0, 12, 0, 7, b'b', b'y', b'e', 0]);
    let names = ["sctp.parameter_", "sctp.sack_", "sctp.abort", "sctp.cause_", "!"];
    assert_eq!(
        lines_of(&[packet(&[init]), packet(&[sack, abort])], 0, &names),
        [
            "52..54 sctp.parameter_type = 0x0005 (IPv4 address)",
            "54..56 sctp.parameter_length = 8",
            "56..60 sctp.parameter_ipv4_address = 10.0.0.1",
            "60..62 sctp.parameter_type = 0x000c (Supported address types)",
            "62..64 sctp.parameter_length = 6",
            "64..66 sctp.parameter_supported_address_type = 5 (IPv4 address)",
            "66..68 sctp.parameter_padding = 0000",
            "36..40 sctp.sack_cumulative_tsn_ack_raw = 8",
            "40..44 sctp.sack_a_rwnd = 65536",
            "44..46 sctp.sack_number_of_gap_blocks = 1",
            "46..48 sctp.sack_number_of_duplicated_tsns = 1",
            "48..50 sctp.sack_gap_block_start = 2",
            "50..52 sctp.sack_gap_block_end = 3",
            "52..56 sctp.sack_duplicate_tsn = 8",
            "57..58 sctp.abort_t_bit = true",
            "60..62 sctp.cause_code = 0x000c (User initiated ABORT)",
            "62..64 sctp.cause_length = 7",
            "64..67 sctp.cause_information = 627965",
            "67..68 sctp.cause_padding = 00",
        ]
    );
}

#[test]
fn a_chunk_that_is_cut_or_has_an_impossible_length_is_noted() {
    let whole = packet(&[data(WHOLE, 5, [0, 0], REQUEST)]);
    let cut = lines_of(&[whole[..60].to_vec()], 16, &["sctp.data_payload", "http", "!"]);
    assert_eq!(cut[1], "48..60 sctp.data_payload = 474554202f6120485454502f");
    assert_eq!((cut.len(), cut[2].contains("dissect.cut")), (3, true), "{cut:?}");
    let header = lines_of(&[whole[..27].to_vec()], 49, &["sctp", "!"]);
    assert!(header.last().unwrap().starts_with("! broken dissect.cut at 24..27 sctp"), "{header:?}");
    let mut short = packet(&[data(WHOLE, 5, [0, 0], REQUEST)]);
    short[35] = 3;
    let short = lines_of(&[short], 0, &["http", "!"]);
    assert_eq!((short.len(), short[0].contains("sctp.chunk_length.bad")), (1, true), "{short:?}");
}

proptest! {
    #[test]
    fn random_chunks_cause_no_panic(
        chunks in prop::collection::vec((any::<u8>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..24)), 0..24),
        plain in prop::collection::vec((0_u8..8, 0_u8..12, 0_u8..2, 0_u8..4), 0..24),
        end in any::<prop::sample::Index>(),
    ) {
        let odd: Vec<Vec<u8>> = chunks.iter().map(|(kind, flags, value)| packet(&[chunk(*kind, *flags, value)])).collect();
        let data = plain.iter().map(|(flags, tsn, sid, ssn)| packet(&[data(*flags, *tsn, [*sid, *ssn], REQUEST)]));
        let mut packets: Vec<Vec<u8>> = data.chain(odd).collect();
        if let Some(last) = packets.last_mut() {
            last.truncate(end.index(last.len()).max(20));
        }
        lines_of(&packets, 0, &["sctp"]);
    }
}

#[test]
fn a_stream_past_the_limit_is_noted() {
    let send = |sid: u8| packet(&[data(WHOLE, sid, [sid, 0], b"abc")]);
    let packets: Vec<Vec<u8>> = (0..66).map(send).collect();
    let notes = lines_of(&packets, 0, &["!"]);
    let evicted: Vec<&str> = notes.iter().filter_map(|note| note.split("sctp: ").nth(1)).collect();
    assert_eq!(evicted, ["stream 64: more than 64 streams", "stream 65: more than 64 streams"]);
}
