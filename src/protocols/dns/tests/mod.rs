//! DNS, multicast DNS and LLMNR messages, valid and malformed.

mod records;

use super::*;
use crate::wire::{Cut, Opening, Verdict, trial};
use proptest::prelude::*;
use records::ALL_TYPES;

const QUERY: &str = "1a2b0100000100000000000104706c6179076578616d706c6503636f6d000001000100002904d000008000000c000a0008000102 \
    0304050607";
const RESPONSE: &str = "1a2b8180000100020001000204706c6179076578616d706c6503636f6d0000010001c00c000500010000012c00070465752d31c0 \
    11c02e000100010000003c0004c0000250c0110002000100000e100005026e73c011c051001c000100000e10001020010db80000 \
    0000000000000000005300002904d000000000000b000f000700037374616c65";
const MDNS_QUERY: &str = "000000000002000000000000055f706c6179045f756470056c6f63616c00000c800105636f756368056c6f63616c00001c0001";
const MDNS_RESPONSE: &str = "000084000000000400000000055f706c6179045f756470056c6f63616c00000c000100001194000906436f75636831c00cc02800 \
    21800100000078001300000000698705636f756368056c6f63616c00c0280010800100001194000706763d32303236c043000180 \
    01000000780004c0000209";
const LLMNR_QUERY: &str = "d0c80000000100000000000005636f7563680000010001";
const LLMNR_RESPONSE: &str = "d0c88000000100010000000005636f7563680000010001c00c000100010000001e0004c0000209";

fn read(asked: &mut Queries, bytes: &[u8]) -> String {
    let protocol = match asked.dialect {
        Dialect::Dns => &PROTOCOL,
        Dialect::Multicast => &MULTICAST,
        Dialect::LinkLocal => &LINK_LOCAL,
    };
    trial::read(protocol, bytes, Cut::No, |wire| asked.message(wire))
}

fn alone(dialect: Dialect, hex: &str) -> String {
    read(&mut Queries::new(dialect), &trial::bytes(hex))
}

#[test]
fn a_query_with_a_cookie() {
    insta::assert_snapshot!(alone(Dialect::Dns, QUERY), @r#"
    dns 0..57 | query | A play.example.com
      0..2 dns.id = 0x1a2b
      2..4 dns.flags = 0x0100
        2..4 dns.flags.response = false
        2..4 dns.flags.opcode = 0 (query)
        2..4 dns.flags.truncated = false
        2..4 dns.flags.recdesired = true
        2..4 dns.flags.z = false
        2..4 dns.flags.checkdisable = false
      4..6 dns.count.queries = 1
      6..8 dns.count.answers = 0
      8..10 dns.count.auth_rr = 0
      10..12 dns.count.add_rr = 1
      12..34 dns.query
        12..30 dns.qry.name = "play.example.com"
        dns.qry.name.len = 16
        dns.count.labels = 3
        30..32 dns.qry.type = 1 (A)
        32..34 dns.qry.class = 0x0001 (IN)
      34..57 dns.additional
        34..35 dns.resp.name = "<Root>"
        35..37 dns.resp.type = 41 (OPT)
        37..39 dns.rr.udp_payload_size = 1232
        39..40 dns.resp.ext_rcode = 0x00
        40..41 dns.resp.edns0_version = 0
        41..43 dns.resp.z = 0x8000
          41..43 dns.resp.z.do = true
          41..43 dns.resp.z.reserved = 0x0000
        43..45 dns.resp.len = 12
        45..57 dns.opt
          45..47 dns.opt.code = 10 (cookie)
          47..49 dns.opt.len = 8
          49..57 dns.opt.cookie.client = 0001020304050607
    "#);
}

#[test]
fn a_compressed_response_is_matched_with_its_query() {
    let mut asked = Queries::new(Dialect::Dns);
    read(&mut asked, &trial::bytes(QUERY));
    insta::assert_snapshot!(read(&mut asked, &trial::bytes(RESPONSE)), @r#"
    dns 0..136 | response | A play.example.com: CNAME eu-1.example.com, 192.0.2.80
      0..2 dns.id = 0x1a2b
      2..4 dns.flags = 0x8180
        2..4 dns.flags.response = true
        2..4 dns.flags.opcode = 0 (query)
        2..4 dns.flags.authoritative = false
        2..4 dns.flags.truncated = false
        2..4 dns.flags.recdesired = true
        2..4 dns.flags.recavail = true
        2..4 dns.flags.z = false
        2..4 dns.flags.authenticated = false
        2..4 dns.flags.checkdisable = false
        2..4 dns.flags.rcode = 0 (no error)
      4..6 dns.count.queries = 1
      6..8 dns.count.answers = 2
      8..10 dns.count.auth_rr = 1
      10..12 dns.count.add_rr = 2
      12..34 dns.query
        12..30 dns.qry.name = "play.example.com"
        dns.qry.name.len = 16
        dns.count.labels = 3
        30..32 dns.qry.type = 1 (A)
        32..34 dns.qry.class = 0x0001 (IN)
      34..53 dns.answer
        34..36 dns.resp.name = "play.example.com"
        36..38 dns.resp.type = 5 (CNAME)
        38..40 dns.resp.class = 0x0001 (IN)
        40..44 dns.resp.ttl = 300
        44..46 dns.resp.len = 7
        46..53 dns.cname = "eu-1.example.com"
      53..69 dns.answer
        53..55 dns.resp.name = "eu-1.example.com"
        55..57 dns.resp.type = 1 (A)
        57..59 dns.resp.class = 0x0001 (IN)
        59..63 dns.resp.ttl = 60
        63..65 dns.resp.len = 4
        65..69 dns.a = 192.0.2.80
      69..86 dns.authority
        69..71 dns.resp.name = "example.com"
        71..73 dns.resp.type = 2 (NS)
        73..75 dns.resp.class = 0x0001 (IN)
        75..79 dns.resp.ttl = 3600
        79..81 dns.resp.len = 5
        81..86 dns.ns = "ns.example.com"
      86..114 dns.additional
        86..88 dns.resp.name = "ns.example.com"
        88..90 dns.resp.type = 28 (AAAA)
        90..92 dns.resp.class = 0x0001 (IN)
        92..96 dns.resp.ttl = 3600
        96..98 dns.resp.len = 16
        98..114 dns.aaaa = 2001:db8::53
      114..136 dns.additional
        114..115 dns.resp.name = "<Root>"
        115..117 dns.resp.type = 41 (OPT)
        117..119 dns.rr.udp_payload_size = 1232
        119..120 dns.resp.ext_rcode = 0x00
        120..121 dns.resp.edns0_version = 0
        121..123 dns.resp.z = 0x0000
          121..123 dns.resp.z.do = false
          121..123 dns.resp.z.reserved = 0x0000
        123..125 dns.resp.len = 11
        125..136 dns.opt
          125..127 dns.opt.code = 15 (extended error)
          127..129 dns.opt.len = 7
          129..131 dns.opt.ext_error.info_code = 3 (stale answer)
          131..136 dns.opt.ext_error.extra_text = "stale"
      dns.response_to = 0
    "#);
}

#[test]
fn multicast_dns_has_flags_in_the_class() {
    insta::assert_snapshot!(trial::below(&alone(Dialect::Multicast, MDNS_QUERY), &["dns.query"]), @r#"
    mdns 0..51 | query | PTR _play._udp.local
      12..34 dns.query
        12..30 dns.qry.name = "_play._udp.local"
        dns.qry.name.len = 16
        dns.count.labels = 3
        30..32 dns.qry.type = 12 (PTR)
        32..34 dns.qry.class = 0x0001 (IN)
        32..34 dns.qry.qu = true
      34..51 dns.query
        34..47 dns.qry.name = "couch.local"
        dns.qry.name.len = 11
        dns.count.labels = 2
        47..49 dns.qry.type = 28 (AAAA)
        49..51 dns.qry.class = 0x0001 (IN)
        49..51 dns.qry.qu = false
    "#);
    insta::assert_snapshot!(trial::below(&alone(Dialect::Multicast, MDNS_RESPONSE), &["dns.answer"]), @r#"
    mdns 0..115 | response | PTR Couch1._play._udp.local, SRV couch.local:27015, TXT and 1 more
      12..49 dns.answer
        12..30 dns.resp.name = "_play._udp.local"
        30..32 dns.resp.type = 12 (PTR)
        32..34 dns.resp.class = 0x0001 (IN)
        32..34 dns.resp.cache_flush = false
        34..38 dns.resp.ttl = 4500
        38..40 dns.resp.len = 9
        40..49 dns.ptr.domain_name = "Couch1._play._udp.local"
      49..80 dns.answer
        49..51 dns.resp.name = "Couch1._play._udp.local"
        51..53 dns.resp.type = 33 (SRV)
        53..55 dns.resp.class = 0x0001 (IN)
        53..55 dns.resp.cache_flush = true
        55..59 dns.resp.ttl = 120
        59..61 dns.resp.len = 19
        61..63 dns.srv.priority = 0
        63..65 dns.srv.weight = 0
        65..67 dns.srv.port = 27015
        67..80 dns.srv.target = "couch.local"
      80..99 dns.answer
        80..82 dns.resp.name = "Couch1._play._udp.local"
        82..84 dns.resp.type = 16 (TXT)
        84..86 dns.resp.class = 0x0001 (IN)
        84..86 dns.resp.cache_flush = true
        86..90 dns.resp.ttl = 4500
        90..92 dns.resp.len = 7
        92..93 dns.txt.length = 6
        93..99 dns.txt = "v=2026"
      99..115 dns.answer
        99..101 dns.resp.name = "couch.local"
        101..103 dns.resp.type = 1 (A)
        103..105 dns.resp.class = 0x0001 (IN)
        103..105 dns.resp.cache_flush = true
        105..109 dns.resp.ttl = 120
        109..111 dns.resp.len = 4
        111..115 dns.a = 192.0.2.9
    "#);
}

#[test]
fn link_local_names_are_tentative() {
    insta::assert_snapshot!(alone(Dialect::LinkLocal, LLMNR_QUERY), @r#"
    llmnr 0..23 | query | A couch
      0..2 dns.id = 0xd0c8
      2..4 dns.flags = 0x0000
        2..4 dns.flags.response = false
        2..4 dns.flags.opcode = 0 (query)
        2..4 dns.flags.conflict = false
        2..4 dns.flags.truncated = false
        2..4 dns.flags.tentative = false
      4..6 dns.count.queries = 1
      6..8 dns.count.answers = 0
      8..10 dns.count.auth_rr = 0
      10..12 dns.count.add_rr = 0
      12..23 dns.query
        12..19 dns.qry.name = "couch"
        dns.qry.name.len = 5
        dns.count.labels = 1
        19..21 dns.qry.type = 1 (A)
        21..23 dns.qry.class = 0x0001 (IN)
    "#);
    insta::assert_snapshot!(alone(Dialect::LinkLocal, LLMNR_RESPONSE), @r#"
    llmnr 0..39 | response | A couch: 192.0.2.9
      0..2 dns.id = 0xd0c8
      2..4 dns.flags = 0x8000
        2..4 dns.flags.response = true
        2..4 dns.flags.opcode = 0 (query)
        2..4 dns.flags.conflict = false
        2..4 dns.flags.truncated = false
        2..4 dns.flags.tentative = false
        2..4 dns.flags.rcode = 0 (no error)
      4..6 dns.count.queries = 1
      6..8 dns.count.answers = 1
      8..10 dns.count.auth_rr = 0
      10..12 dns.count.add_rr = 0
      12..23 dns.query
        12..19 dns.qry.name = "couch"
        dns.qry.name.len = 5
        dns.count.labels = 1
        19..21 dns.qry.type = 1 (A)
        21..23 dns.qry.class = 0x0001 (IN)
      23..39 dns.answer
        23..25 dns.resp.name = "couch"
        25..27 dns.resp.type = 1 (A)
        27..29 dns.resp.class = 0x0001 (IN)
        29..33 dns.resp.ttl = 30
        33..35 dns.resp.len = 4
        35..39 dns.a = 192.0.2.9
      dns.unsolicited = true
    "#);
}

#[test]
fn messages_over_tcp_have_a_length_prefix() {
    let message = [&[0, 136][..], &trial::bytes(RESPONSE)].concat();
    let mut stream = Stream(Queries::new(Dialect::Dns));
    assert_eq!(stream.extent(Side::Server, &message[..1], true), Extent::NeedMore(2));
    assert_eq!(stream.extent(Side::Server, &message, true), Extent::Message(138));
    let dump = trial::message(&PROTOCOL, &mut stream, Side::Server, &message, Cut::No);
    assert!(dump.contains("\n  0..2 dns.length = 136\n"));
    assert!(dump.contains("dns.cname = \"eu-1.example.com\""), "{dump}");
    let opening = |bytes| Opening { sent: bytes, from_start: [true, true], complete: false };
    assert_eq!(heuristics::is_stream(&opening([&message, &[]])), Verdict::Yes(Side::Client));
    assert_eq!(heuristics::is_stream(&opening([&[], &message])), Verdict::Yes(Side::Server));
    assert_eq!(heuristics::is_stream(&opening([&message[..10], &[]])), Verdict::Unsure);
    assert_eq!(heuristics::is_stream(&opening([b"GET / HTTP/1.1\r\n", &[]])), Verdict::No);
}

#[test]
fn only_some_messages_may_have_no_question() {
    let judge = |message: [u16; 6]| {
        let bytes: Vec<u8> = [0x8021].into_iter().chain(message).flat_map(u16::to_be_bytes).collect();
        heuristics::is_stream(&Opening { sent: [&bytes, &[]], from_start: [true, true], complete: false })
    };
    // Transaction ID, flags, questions, answers, authorities, additional records.
    assert_eq!(judge([5, 0, 1, 0, 16, 0]), Verdict::Yes(Side::Server));
    assert_eq!(judge([5, 0x8000, 0, 0, 16, 0]), Verdict::Yes(Side::Client), "a response");
    assert_eq!(judge([5, 0x3000, 0, 0, 16, 0]), Verdict::Yes(Side::Server), "a stateful operation");
    assert_eq!(judge([5, 0, 0, 0, 0, 1]), Verdict::Yes(Side::Server), "a query for a cookie");
    assert_eq!(judge([5, 0x0800, 0, 1, 0, 0]), Verdict::Yes(Side::Server), "an inverse query");
    // Memcached: a request with a key of five bytes.
    assert_eq!(judge([5, 0, 0, 0, 16, 0]), Verdict::No);
    assert_eq!(judge([5, 0, 0, 1, 0, 0]), Verdict::No);
    assert_eq!(judge([5, 0, 0, 0, 0, 2]), Verdict::No);
    assert_eq!(judge([5, 0x0800, 0, 0, 16, 0]), Verdict::No);
}

#[test]
fn a_stream_on_any_port_is_recognized_by_a_complete_message() {
    let query = [&[0, 57][..], &trial::bytes(QUERY)].concat();
    let response = [&[0, 136][..], &trial::bytes(RESPONSE)].concat();
    let judge = |bytes, complete| heuristics::is_stream_anywhere(&Opening { sent: bytes, from_start: [true, true], complete });
    assert_eq!(judge([&query, &[]], false), Verdict::Yes(Side::Server));
    assert_eq!(judge([&[], &query], false), Verdict::Yes(Side::Client));
    assert_eq!(judge([&[], &response], false), Verdict::Yes(Side::Server));
    let pipelined = [&query[..], &query[..5]].concat();
    assert_eq!(judge([&pipelined, &[]], false), Verdict::Yes(Side::Server));
    for cut in [14, 40, 58] {
        assert_eq!([false, true].map(|complete| judge([&query[..cut], &[]], complete)), [Verdict::Unsure, Verdict::No]);
    }
    // Incomplete header, bytes after the last record, status query.
    let mut longer = [&query[..], &[0]].concat();
    longer[1] += 1;
    let mut status = query.clone();
    status[4] |= 0x10;
    for other in [&query[..13], &longer, &status, b"GET / HTTP/1.1\r\n\r\n"] {
        assert_eq!(judge([other, &[]], false), Verdict::No, "{other:02x?}");
    }
}

#[test]
fn the_heuristic_for_any_port_is_strict() {
    for hex in [QUERY, RESPONSE, LLMNR_QUERY] {
        let bytes = trial::bytes(hex);
        assert!(heuristics::is_message(&bytes), "{hex}");
        assert!(!heuristics::is_message(&bytes[..bytes.len() - 1]));
        assert!(!heuristics::is_message(&[&bytes[..], &[0]].concat()));
    }
}

/// Compression pointer to itself, unknown label type, pointer beyond the message.
const LOOP: &str = "0000 8180 0001 0000 0000 0000 c00c 0001 0001";
const LABEL: &str = "0000 8180 0001 0000 0000 0000 80 41 00 0001 0001";
const OUTSIDE: &str = "0000 8180 0001 0000 0000 0000 ffff 0001 0001";
const FEW: &str = "0000 8180 0002 0000 0000 0000 01 61 00 0001 0001";
const LONG_DATA: &str = "0000 8180 0000 0001 0000 0000 00 0001 0001 00000000 0009 c0000201";

#[test]
fn invalid_names_are_noted() {
    insta::assert_snapshot!(trial::below(&alone(Dialect::Dns, LOOP), &["dns.query", "dns.unsolicited"]), @r#"
    dns 0..18 | response | A …
      12..18 dns.query
        12..14 dns.qry.name = "…"
        dns.qry.name.len = 0
        dns.count.labels = 0
        14..16 dns.qry.type = 1 (A)
        16..18 dns.qry.class = 0x0001 (IN)
      dns.unsolicited = true
    ! broken dns.note.name at 12..14 dns.qry.name: more than 128 pointers in one name
    "#);
    insta::assert_snapshot!(trial::below(&alone(Dialect::Dns, LABEL), &["dns.query", "dns.unsolicited", "dns.data"]), @"
    dns 0..19 | response
      12..12 dns.query
      dns.unsolicited = true
      12..19 dns.data = 80410000010001
    ! broken dns.note.name at 12..19 dns.query: a label of the unknown kind 0x80
    ");
    insta::assert_snapshot!(trial::below(&alone(Dialect::Dns, OUTSIDE), &["dns.query", "dns.unsolicited"]), @r#"
    dns 0..18 | response | A …
      12..18 dns.query
        12..14 dns.qry.name = "…"
        dns.qry.name.len = 0
        dns.count.labels = 0
        14..16 dns.qry.type = 1 (A)
        16..18 dns.qry.class = 0x0001 (IN)
      dns.unsolicited = true
    ! broken dns.note.name at 12..14 dns.qry.name: a pointer to 16383, which is outside of the message
    "#);
}

#[test]
fn excessive_counts_and_lengths_are_noted() {
    insta::assert_snapshot!(trial::below(&alone(Dialect::Dns, FEW), &["dns.query", "dns.unsolicited"]), @r#"
    dns 0..19 | response | A a
      12..19 dns.query
        12..15 dns.qry.name = "a"
        dns.qry.name.len = 1
        dns.count.labels = 1
        15..17 dns.qry.type = 1 (A)
        17..19 dns.qry.class = 0x0001 (IN)
      dns.unsolicited = true
    ! broken dns.note.count at 19..19 dns.qry.class: 1 more entries are declared than present
    "#);
    insta::assert_snapshot!(trial::below(&alone(Dialect::Dns, LONG_DATA), &["dns.answer", "dns.unsolicited"]), @r#"
    dns 0..27 | response
      12..27 dns.answer
        12..13 dns.resp.name = "<Root>"
        13..15 dns.resp.type = 1 (A)
        15..17 dns.resp.class = 0x0001 (IN)
        17..21 dns.resp.ttl = 0
        21..23 dns.resp.len = 9
        23..27 dns.a = 192.0.2.1
      dns.unsolicited = true
    ! broken dissect.short at 27..27 dns: 5 more bytes needed, 0 left
    "#);
}

#[test]
fn the_number_of_compression_pointers_is_limited() {
    let chain = |length: usize| {
        let mut message = trial::bytes("0000 8180 0001 0000 0000 0000 00");
        for _ in 0..length {
            let at = u16::try_from(if message.len() == 13 { 12 } else { message.len() - 2 }).unwrap();
            message.extend((0xc000 | at).to_be_bytes());
        }
        Name::new(&message, message.len() - 2).len()
    };
    assert_eq!(chain(100), Some(2));
    assert_eq!(chain(200), None);
}

#[test]
fn a_repeated_query_is_marked_as_retransmission() {
    let mut asked = Queries::new(Dialect::Dns);
    let twice = [(); 2].map(|()| read(&mut asked, &trial::bytes(QUERY)));
    assert!(!twice[0].contains("dns.retransmission"));
    assert!(twice[1].contains("dns.retransmission = true"));
}

proptest! {
    #[test]
    fn damaged_messages_are_dissected_without_panic(place in 0_usize..745, byte in any::<u8>(), cut in 0_usize..746) {
        let mut bytes = trial::bytes(ALL_TYPES);
        bytes[place] = byte;
        bytes.truncate(cut);
        let dump = read(&mut Queries::new(Dialect::Dns), &bytes);
        prop_assert!(dump.starts_with("dns 0.."));
        heuristics::is_message(&bytes);
    }

    #[test]
    fn arbitrary_bytes_are_dissected_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        for dialect in [Dialect::Dns, Dialect::Multicast, Dialect::LinkLocal] {
            read(&mut Queries::new(dialect), &bytes);
        }
    }
}
