//! Header chains: malformed options, truncated fragments, tunnels, and packets quoted by ICMP errors.

use super::super::Engine;
use crate::input::{Frame, Link, OddFraction};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, dump};
use crate::wire::trial::bytes;
use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;

/// Lines of the dumps of IP packets, each truncated by this many bytes: layers, fields and notes whose names have these prefixes.
pub(super) fn lines_of(packets: &[Vec<u8>], missing: u32, names: &[&str]) -> Vec<String> {
    let mut engine = Engine::complete(Registry::default());
    let mut lines = Vec::new();
    for (number, packet) in (1..).zip(packets) {
        let original_len = u32::try_from(packet.len()).unwrap() + missing;
        let frame = Frame { number, link: Link::Type(101), bytes: packet, original_len, ..Frame::default() };
        let dumped = dump(Dissection { tree: engine.dissect(&frame), bytes: packet });
        let is_meant = |line: &&str| {
            let mut words = line.split_whitespace().filter(|word| !word.contains("..") && *word != "!");
            words.next().is_some_and(|word| names.iter().any(|name| word.starts_with(name)))
                || line.starts_with('!') && names.contains(&"!")
        };
        lines.extend(dumped.lines().filter(is_meant).map(|line| line.trim().to_owned()));
    }
    lines
}

fn lines(packet: &str, missing: u32, names: &[&str]) -> Vec<String> {
    lines_of(&[bytes(packet)], missing, names)
}

/// An IPv4 packet of this protocol, with flags and fragment offset, from 10.0.0.1 to 10.0.0.2.
pub(super) fn ipv4(protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(20 + payload.len()).unwrap().to_be_bytes();
    let [flags, offset] = fragment.to_be_bytes();
    let mut packet = vec![0x45, 0, high, low, 0, 1, flags, offset, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    packet.extend_from_slice(payload);
    packet
}

/// An ICMP error from a router that quotes this packet.
pub(super) fn quoting(packet: &[u8]) -> Vec<u8> {
    let mut message = vec![3, 1, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(packet);
    let mut error = ipv4(1, 0, &message);
    error[15] = 9;
    error[19] = 1;
    error
}

/// A TCP header.
fn tcp(port: u16, seq: u8, flags: u8) -> Vec<u8> {
    let [high, low] = port.to_be_bytes();
    vec![high, low, 0, 80, 0, 0, 0, seq, 0, 0, 0, 0, 0x50, flags, 3, 0xe8, 0, 0, 0, 0]
}

const SYN: u8 = 2;
const ACK: u8 = 16;

#[test]
fn an_ipv4_option_longer_than_its_header_does_not_stop_dissection() {
    // A whole datagram, and a truncated first fragment.
    for (fragment, missing) in [("0000", 0), ("2000", 1000)] {
        let length = 36 + missing;
        let packet =
            format!("47 00 {length:04x} 0001 {fragment} 40 11 0000 0a000001 0a000002 25 04 0000 94 08 0000 7530 0035 0008 0000");
        let found = lines(&packet, missing, &["ip.src", "ip.dst", "udp.srcport", "udp.dstport", "!"]);
        let expected =
            ["12..16 ip.src = 10.0.0.1", "16..20 ip.dst = 10.0.0.2", "28..30 udp.srcport = 30000", "30..32 udp.dstport = 53"];
        assert_eq!(found[..4], expected, "{fragment} {missing}");
        assert!(found[4].ends_with("ip.opt.len: an option of 8 bytes where 4 are left"), "{found:?}");
    }
}

#[test]
fn an_ipv6_option_longer_than_its_header_does_not_stop_dissection() {
    let packet = "60000000 0018 3c 40 20010db8000000000000000000000001 20010db8000000000000000000000002 \
         11 00 c9 06 2001 0078 7530 32c8 0010 43de 5858585858585858";
    assert_eq!(
        lines(packet, 0, &["ipv6.opt", "udp.srcport", "!"]),
        [
            "42..48 ipv6.opt",
            "42..43 ipv6.opt.type = 0xc9 (home address)",
            "43..44 ipv6.opt.length = 6",
            "44..48 ipv6.opt.data = 20010078",
            "48..50 udp.srcport = 30000",
            "! broken ipv6.opt.length.bad at 43..44 ipv6.opt.length: an option of 6 bytes where 4 are left",
        ]
    );
}

#[test]
fn an_ipv6_option_without_a_length_does_not_stop_dissection() {
    let packet = "60000000 0010 3c 40 20010db8000000000000000000000001 20010db8000000000000000000000002 \
         11 00 01 03 000000 c9 7530 32c8 0008 43de";
    assert_eq!(lines(packet, 0, &["udp.srcport"]), ["48..50 udp.srcport = 30000"]);
    assert_eq!(lines(packet, 0, &["!"]), ["! broken ipv6.opt.length.bad at 47..48 ipv6.opt.type: no length"]);
}

#[test]
fn a_header_that_cannot_be_read_to_its_end_still_names_its_ends() {
    let mut engine = Engine::complete(Registry::default());
    let mut ends = |packet: &str, missing: u32| {
        let bytes = bytes(packet);
        let original_len = u32::try_from(bytes.len()).unwrap() + missing;
        let frame = Frame { number: 1, link: Link::Type(101), bytes: &bytes, original_len, ..Frame::default() };
        let tree = engine.dissect(&frame);
        let ends = tree.layers.last().map(|layer| tree.ends[layer.ends as usize].clone()).unwrap();
        ends.src.zip(ends.dst).map(|(src, dst)| format!("{src} → {dst}"))
    };
    let past_the_packet = "60000000 0010 3c 40 20010db8000000000000000000000001 20010db8000000000000000000000002 \
         11 00 c9 90 2001 0078 7530 32c8 0008 43de";
    assert_eq!(ends(past_the_packet, 0).as_deref(), Some("2001:db8::1 → 2001:db8::2"));
    let cut_in_an_option = "46000020 00010000 40110000 0a000001 0a000002 9404";
    assert_eq!(ends(cut_in_an_option, 10).as_deref(), Some("10.0.0.1 → 10.0.0.2"));
    let cut_in_an_address = "45000020 00010000 40110000 0a000001 0a0000";
    assert_eq!(ends(cut_in_an_address, 10), None);
}

#[test]
fn a_truncated_first_fragment_is_partly_dissected() {
    let query = "0035 c000 0400 0000 1234 8180 0001 0000 0000 0000 03777777 00 0001";
    let names = ["udp.srcport", "dns.id", "dns.qry.name", "dns.qry.type"];
    let expected = |at: usize| {
        [
            format!("{}..{} udp.srcport = 53", at, at + 2),
            format!("{}..{} dns.id = 0x1234", at + 8, at + 10),
            format!("{}..{} dns.qry.name = \"www\"", at + 20, at + 25),
            "dns.qry.name.len = 3".to_owned(),
            format!("{}..{} dns.qry.type = 1 (A)", at + 25, at + 27),
        ]
    };
    let first = format!("450005dc 00012000 40110000 0a000001 0a000002 {query}");
    assert_eq!(lines(&first, 1000, &names), expected(20));
    let six = format!(
        "60000000 05b4 2c 40 20010db8000000000000000000000001 20010db8000000000000000000000002 1100 0001 00000007 {query}"
    );
    assert_eq!(lines(&six, 1000, &names), expected(48));
    // The capture does not state how much it left out.
    assert_eq!(lines(&first, 0, &names), expected(20));
    let second = first.replace("00012000", "00012001");
    assert_eq!(lines(&second, 1000, &["udp", "data.data"]).len(), 1);
}

#[test]
fn a_segment_with_a_truncated_first_fragment_has_no_length() {
    let packet = ipv4(6, 0x2000, &tcp(1000, 5, ACK));
    let names = ["tcp.stream", "tcp.len", "tcp.nxtseq", "tcp.window_size_value"];
    assert_eq!(lines_of(std::slice::from_ref(&packet), 0, &names), Vec::<String>::new());
    let mut longer = packet;
    longer[3] += 60;
    assert_eq!(lines_of(&[longer], 60, &names), ["tcp.stream = 0", "34..36 tcp.window_size_value = 1000"]);
}

#[test]
fn the_header_after_an_authentication_header_is_dissected() {
    let datagram = "0035 c000 0008 0000";
    let packet =
        format!("45000034 00010000 40330000 0a000001 0a000002 1104 0000 c67ceadf 00000001 ce9113cb69e210d6dbd24b8a {datagram}");
    let expected = [
        "ah 20..44 | UDP",
        "20..21 ah.next_header = 17 (UDP)",
        "21..22 ah.length = 4",
        "22..24 ah.reserved = 0000",
        "24..28 ah.spi = 0xc67ceadf",
        "28..32 ah.sequence = 1",
        "32..44 ah.icv = ce9113cb69e210d6dbd24b8a",
        "44..46 udp.srcport = 53",
    ];
    assert_eq!(lines(&packet, 0, &["ah", "udp.srcport"]), expected);
}

#[test]
fn an_authentication_header_that_is_cut_or_too_short_is_noted() {
    let cut = "45000034 00010000 40330000 0a000001 0a000002 1104 0000 c67c";
    assert_eq!(
        lines(cut, 28, &["ah.", "data.data", "!"]),
        [
            "20..21 ah.next_header = 17 (UDP)",
            "21..22 ah.length = 4",
            "22..24 ah.reserved = 0000",
            "24..26 data.data = c67c",
            "! broken dissect.cut at 24..26 ah: the capture holds 2 bytes too few of this frame",
        ]
    );
    let short = "4500001c 00010000 40330000 0a000001 0a000002 1100 0000 c67ceadf";
    assert_eq!(lines(short, 0, &["ah.spi", "!"]).last().map(|line| &line[..22]), Some("! broken dissect.short"));
}

/// An IPv4 packet with IPComp, and its decompressed payload.
fn compressed(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(vec![next, 0, 0x63, 0xe1], Compression::default());
    encoder.write_all(payload).unwrap();
    ipv4(108, 0, &encoder.finish().unwrap())
}

#[test]
fn a_payload_compressed_with_deflate_is_dissected() {
    let mut request = tcp(4000, 8, ACK);
    request.extend_from_slice(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    let inner = ipv4(6, 0, &request);
    let names = ["ipcomp", "tcp.stream", "tcp.srcport", "tcp.len", "http.request.uri", "!"];
    let packet = compressed(4, &inner);
    let end = packet.len();
    assert_eq!(
        lines_of(std::slice::from_ref(&packet), 0, &names),
        [
            format!("ipcomp 20..{end} | IPv4, CPI 0x63e1"),
            "20..21 ipcomp.next_header = 0x04 (IPv4)".to_owned(),
            "21..22 ipcomp.flags = 0x00".to_owned(),
            "22..24 ipcomp.cpi = 0x63e1".to_owned(),
            format!("24..{end} ipcomp.data = {} bytes", end - 24),
            "20..22 tcp.srcport = 4000".to_owned(),
            "tcp.stream = 0".to_owned(),
            "tcp.len = 28".to_owned(),
            "4..7 http.request.uri = \"/a\"".to_owned(),
        ]
    );
}

#[test]
fn streams_in_compressed_packets_are_reassembled() {
    let request: &[u8] = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    let segment = |seq: u8, part: &[u8]| {
        let mut segment = tcp(4000, seq, ACK);
        segment.extend_from_slice(part);
        compressed(6, &segment)
    };
    let packets = [segment(8, &request[..9]), segment(17, &request[9..]), segment(8, &request[..9])];
    assert_eq!(lines_of(&packets, 0, &["http.request.uri"]), ["4..7 http.request.uri = \"/a\""]);
}

#[test]
fn a_payload_that_is_not_deflate_data_stays_as_it_is() {
    let packet = ipv4(108, 0, &[4, 0, 0, 3, 0xff, 0xff, 0xff, 0xff]);
    let expected = ["24..28 ipcomp.data = ffffffff"];
    assert_eq!(lines_of(std::slice::from_ref(&packet), 0, &["ipcomp.data", "ip.proto.", "tcp", "!"]), expected);
    let mut engine = Engine::complete(Registry::default());
    let frame = Frame { number: 1, link: Link::Type(101), bytes: &packet, original_len: 28, ..Frame::default() };
    assert_eq!(engine.dissect(&frame).outcome.undissected, 4);
    // A frame without messages has content if bytes of it are not dissected.
    let mut engine = Engine::new(Registry::default(), Demand::MESSAGES);
    engine.dissect(&frame);
    assert!(engine.silent().is_none());
    let acknowledgment = ipv4(6, 0, &tcp(4000, 8, ACK));
    engine.dissect(&Frame { bytes: &acknowledgment, original_len: u32::try_from(acknowledgment.len()).unwrap(), ..frame });
    assert!(engine.silent().is_some());
}

#[test]
fn a_fraction_of_a_second_or_more_is_noted_on_any_frame() {
    let segment = ipv4(6, 0, &tcp(4000, 8, ACK));
    for (as_nanos, meaning) in [(true, "nanoseconds, like nearly all of the file"), (false, "added to the seconds")] {
        let odd_fraction = Some(OddFraction { value: 4_294_968, is_micros: true, as_nanos });
        let mut engine = Engine::complete(Registry::default());
        let original_len = u32::try_from(segment.len()).unwrap();
        let frame = Frame { number: 1, link: Link::Type(101), bytes: &segment, original_len, odd_fraction, ..Frame::default() };
        let tree = dump(Dissection { tree: engine.dissect(&frame), bytes: &segment });
        let text = format!("a fraction of 4294968 µs, a second or more: {meaning}");
        assert!(tree.contains("dissect.time_fraction") && tree.contains(&text), "{tree}");
        let plain = Frame { odd_fraction: None, ..frame };
        assert!(!dump(Dissection { tree: engine.dissect(&plain), bytes: &segment }).contains("fraction"));
    }
}

#[test]
fn compressed_packets_in_compressed_packets_end_somewhere() {
    let mut payload = tcp(1000, 5, SYN);
    for _ in 0..40 {
        let packet = compressed(if payload.len() == 20 { 6 } else { 108 }, &payload);
        payload = packet[20..].to_vec();
    }
    let deepest = lines_of(&[ipv4(108, 0, &payload)], 0, &["!"]);
    assert!(deepest.iter().any(|line| line.contains("dissect.deep")), "{deepest:?}");
}

#[test]
fn gre_of_aruba_carries_ieee_802_11() {
    let packet = "45000042 00010000 402f0000 0a000001 0a000002 0000 8200 \
         0801 0000 020000000001 020000000002 020000000003 0010 aaaa03 000000 0806 0001";
    let expected = ["22..24 gre.proto = 0x8200", "28..34 wlan.bssid = 02:00:00:00:00:01", "54..56 llc.type = 0x0806 (ARP)"];
    assert_eq!(lines(packet, 0, &["gre.proto", "wlan.bssid", "llc.type"]), expected);
}

#[test]
fn gre_in_udp_leads_to_the_packet_inside() {
    let inner = "4500001c 00020000 40110000 0a000003 0a000004 0035 c000 0008 0000";
    let packet = format!("45000040 00010000 40110000 0a000001 0a000002 c123 1292 0028 0000 2000 0800 00000007 {inner}");
    let expected = ["28..36 | IPv4", "32..36 gre.key = 0x00000007", "48..52 ip.src = 10.0.0.3"];
    let found = lines(&packet, 0, &["gre", "gre.key", "ip.src"]);
    assert!(expected.iter().all(|line| found.iter().any(|found| found.ends_with(line))), "{found:?}");
    // Bits that RFC 8086 reserves are set.
    assert!(lines(&packet.replace("2000 0800", "4000 0800"), 0, &["gre"]).is_empty());
}

/// The numbers of the streams of these packets.
fn streams(packets: &[Vec<u8>]) -> Vec<String> {
    lines_of(packets, 0, &["tcp.stream", "udp.stream", "tcp.len", "tcp.nxtseq"])
}

#[test]
fn a_quoted_segment_has_the_number_of_its_connection_and_no_length() {
    let segment = ipv4(6, 0, &tcp(1000, 5, SYN));
    let quote = quoting(&segment);
    assert_eq!(streams(&[segment, quote]), ["tcp.stream = 0", "tcp.len = 0", "tcp.nxtseq = 1", "tcp.stream = 0"]);
}

#[test]
fn a_quote_may_begin_a_connection() {
    let [first, second] = [1000, 2000].map(|port| ipv4(6, 0, &tcp(port, 5, SYN)));
    let only_numbers = |packets: &[Vec<u8>]| lines_of(packets, 0, &["tcp.stream"]);
    let numbers = only_numbers(&[quoting(&first), second, first]);
    assert_eq!(numbers, ["tcp.stream = 0", "tcp.stream = 1", "tcp.stream = 0"]);
}

#[test]
fn a_quoted_syn_with_another_number_begins_another_connection() {
    let packet = |seq, flags| ipv4(6, 0, &tcp(1000, seq, flags));
    let packets =
        [packet(99, SYN), quoting(&packet(77, SYN)), packet(100, ACK), quoting(&packet(99, SYN)), quoting(&packet(7, ACK))];
    let numbers = lines_of(&packets, 0, &["tcp.stream"]);
    assert_eq!(numbers, ["tcp.stream = 0", "tcp.stream = 1", "tcp.stream = 1", "tcp.stream = 1", "tcp.stream = 1"]);
}

#[test]
fn a_quote_that_ends_before_the_window_has_no_number() {
    let segment = ipv4(6, 0, &tcp(1000, 5, SYN));
    let quoted = |len: usize| lines_of(&[quoting(&segment[..20 + len])], 0, &["tcp.stream"]).len();
    assert_eq!([8, 14, 16].map(quoted), [0, 0, 1]);
    let datagram = ipv4(17, 0, &[0x10, 0, 0, 53, 0, 9, 0, 0, 1]);
    let quoted = |len: usize| lines_of(&[quoting(&datagram[..20 + len])], 0, &["udp.stream"]).len();
    assert_eq!([4, 7, 8], [4, 7, 8].map(|len| if quoted(len) == usize::from(len == 8) { len } else { 0 }));
}

#[test]
fn a_quoted_datagram_has_the_number_of_its_conversation() {
    let datagram = |port: u8| ipv4(17, 0, &[0x10, port, 0, 99, 0, 9, 0, 0, 1]);
    let packets = [datagram(1), quoting(&datagram(2)), datagram(2), quoting(&datagram(1))];
    let numbers = lines_of(&packets, 0, &["udp.stream"]);
    assert_eq!(numbers, ["udp.stream = 0", "udp.stream = 1", "udp.stream = 1", "udp.stream = 0"]);
}

#[test]
fn a_whole_fragment_lies_within_the_packet_that_is_quoted() {
    let fragment = ipv4(17, 0x2001, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let found = lines_of(&[quoting(&fragment)], 0, &["ip"]);
    assert!(found.contains(&"28..56 ip =".to_owned()), "{found:?}");
    assert!(found.contains(&"48..56 ip.fragment = 0102030405060708".to_owned()), "{found:?}");
    let ends = ["20010db8000000000000000000000001", "20010db8000000000000000000000002"];
    let quoted = format!("60000000 0010 2c 40 {} {} 1100 0009 00000007 0102030405060708", ends[0], ends[1]);
    let error = format!("60000000 0040 3a 40 {} {} 0103 0000 00000000 {quoted}", ends[1], ends[0]);
    let found = lines(&error, 0, &["ipv6"]);
    assert!(found.contains(&"48..104 ipv6 =".to_owned()), "{found:?}");
    assert!(found.contains(&"96..104 ipv6.fragment = 0102030405060708".to_owned()), "{found:?}");
}
