//! STUN messages, partly from RFC 5769, as datagrams and in streams.

use super::stream::Stream;
use super::*;
use crate::wire::{Conversation, Cut, Extent, Opening, Verdict, trial};

const REQUEST: &str = "0001002c2112a4426162636465666768696a6b6c80220007636f75636820310000060003613a6200002400046e001eff802a0008 \
    000102030405060700250000";
const RESPONSE: &str = "0101002c2112a4426162636465666768696a6b6c002000080001e242e721c045002000140002e2420113a9fa6162636465666768 \
    696a6b6580280004c096d2bc";
const ERROR_401: &str = "011300302112a4426162636465666768696a6b6c0009001000000401556e617574686f72697a65640014000b6578616d706c652e \
    636f6d00001500066162636465660000";

fn read(transactions: &mut Transactions, hex: &str) -> String {
    trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| transactions.message(Side::Client, wire))
}

fn alone(hex: &str) -> String {
    read(&mut Transactions::default(), hex)
}

#[test]
fn a_binding_request_is_dissected() {
    insta::assert_snapshot!(alone(REQUEST), @r#"
    stun 0..64 | binding | request
      0..2 stun.type = 0x0001
        0..2 stun.type.class = 0x0000 (request)
        0..2 stun.type.method = 0x0001 (binding)
      2..4 stun.length = 44
      4..8 stun.cookie = 2112a442
      8..20 stun.id = 6162636465666768696a6b6c
      20..32 stun.attribute = 0x8022 (SOFTWARE)
        20..22 stun.att.type = 0x8022 (SOFTWARE)
        22..24 stun.att.length = 7
        24..31 stun.att.software = "couch 1"
        31..32 stun.att.padding = 1
      32..40 stun.attribute = 0x0006 (USERNAME)
        32..34 stun.att.type = 0x0006 (USERNAME)
        34..36 stun.att.length = 3
        36..39 stun.att.username = "a:b"
        39..40 stun.att.padding = 1
      40..48 stun.attribute = 0x0024 (PRIORITY)
        40..42 stun.att.type = 0x0024 (PRIORITY)
        42..44 stun.att.length = 4
        44..48 stun.att.priority = 1845501695
      48..60 stun.attribute = 0x802a (ICE-CONTROLLING)
        48..50 stun.att.type = 0x802a (ICE-CONTROLLING)
        50..52 stun.att.length = 8
        52..60 stun.att.tie-breaker = 0001020304050607
      60..64 stun.attribute = 0x0025 (USE-CANDIDATE)
        60..62 stun.att.type = 0x0025 (USE-CANDIDATE)
        62..64 stun.att.length = 0
    "#);
}

#[test]
fn a_binding_response_is_matched_with_its_request() {
    let mut transactions = Transactions::default();
    read(&mut transactions, REQUEST);
    insta::assert_snapshot!(read(&mut transactions, RESPONSE), @r#"
    stun 0..64 | binding | success, [2001:db8::9]:50000
      0..2 stun.type = 0x0101
        0..2 stun.type.class = 0x0010 (success)
        0..2 stun.type.method = 0x0001 (binding)
      2..4 stun.length = 44
      4..8 stun.cookie = 2112a442
      8..20 stun.id = 6162636465666768696a6b6c
      20..32 stun.attribute = 0x0020 (XOR-MAPPED-ADDRESS)
        20..22 stun.att.type = 0x0020 (XOR-MAPPED-ADDRESS)
        22..24 stun.att.length = 8
        24..25 stun.att.reserved = 00
        25..26 stun.att.family = 0x01 (IPv4)
        26..28 stun.att.port-xord = e242
        26..28 stun.att.port = 50000
        28..32 stun.att.ipv4-xord = e721c045
        28..32 stun.att.ipv4 = 198.51.100.7
      32..56 stun.attribute = 0x0020 (XOR-MAPPED-ADDRESS)
        32..34 stun.att.type = 0x0020 (XOR-MAPPED-ADDRESS)
        34..36 stun.att.length = 20
        36..37 stun.att.reserved = 00
        37..38 stun.att.family = 0x02 (IPv6)
        38..40 stun.att.port-xord = e242
        38..40 stun.att.port = 50000
        40..56 stun.att.ipv6-xord = 0113a9fa6162636465666768696a6b65
        0..16 stun.att.ipv6 = 2001:db8::9
      56..64 stun.attribute = 0x8028 (FINGERPRINT)
        56..58 stun.att.type = 0x8028 (FINGERPRINT)
        58..60 stun.att.length = 4
        60..64 stun.att.crc32 = 0xc096d2bc
      stun.response-to = 0
    "#);
}

#[test]
fn an_unauthorized_error_response_is_dissected() {
    insta::assert_snapshot!(alone(ERROR_401), @r#"
    stun 0..68 | allocate | error
      0..2 stun.type = 0x0113
        0..2 stun.type.class = 0x0011 (error)
        0..2 stun.type.method = 0x0003 (allocate)
      2..4 stun.length = 48
      4..8 stun.cookie = 2112a442
      8..20 stun.id = 6162636465666768696a6b6c
      20..40 stun.attribute = 0x0009 (ERROR-CODE)
        20..22 stun.att.type = 0x0009 (ERROR-CODE)
        22..24 stun.att.length = 16
        24..26 stun.att.reserved = 0000
        26..27 stun.att.error.class = 4
        27..28 stun.att.error = 1
        28..40 stun.att.error.reason = "Unauthorized"
      40..56 stun.attribute = 0x0014 (REALM)
        40..42 stun.att.type = 0x0014 (REALM)
        42..44 stun.att.length = 11
        44..55 stun.att.realm = "example.com"
        55..56 stun.att.padding = 1
      56..68 stun.attribute = 0x0015 (NONCE)
        56..58 stun.att.type = 0x0015 (NONCE)
        58..60 stun.att.length = 6
        60..66 stun.att.nonce = "abcdef"
        66..68 stun.att.padding = 2
    "#);
}

#[test]
fn data_of_bound_channels_is_claimed() {
    let mut transactions = Transactions::default();
    let data = trial::bytes("4001 0003 616263 00");
    assert!(!transactions.claims(Side::Client, &data));
    read(&mut transactions, "0009 0008 2112a442 6162636465666768696a6b6c 000c 0004 4001 0000");
    assert!(transactions.claims(Side::Client, &data));
    insta::assert_snapshot!(read(&mut transactions, "4001 0003 616263 00"), @r#"
    stun 0..8 | channel data | channel 0x4001, 3 bytes
      0..2 stun.channel = 0x4001
      2..4 stun.length = 3
      4..8 stun.value = 61626300
    "#);
}

#[test]
fn the_heuristic_checks_cookie_and_length() {
    let bytes = trial::bytes(REQUEST);
    assert!(recognize(&bytes) && !recognize(&bytes[..60]) && !recognize(&bytes[4..]));
}

#[test]
fn a_malformed_message_keeps_the_valid_fields() {
    let bytes = trial::bytes(RESPONSE);
    for cut in 0..bytes.len() {
        let dump = trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| Transactions::default().message(Side::Client, wire));
        assert!(dump.contains("! broken"), "{dump}");
    }
}

#[test]
fn channel_data_is_claimed_if_only_the_bind_response_is_captured() {
    let mut transactions = Transactions::default();
    let data = trial::bytes("4002 0003 616263");
    assert!(!transactions.claims(Side::Client, &data));
    read(&mut transactions, "0119 0000 2112a442 6162636465666768696a6b6c");
    assert!(!transactions.claims(Side::Client, &data));
    read(&mut transactions, "0109 0000 2112a442 6162636465666768696a6b6c");
    assert!(transactions.claims(Side::Client, &data) && transactions.claims(Side::Server, &data));
    assert!(
        !transactions.claims(Side::Client, &data[..6]) && !transactions.claims(Side::Client, &trial::bytes("5002 0003 616263"))
    );
}

#[test]
fn a_message_length_not_divisible_by_four_is_noted() {
    // Unknown attribute of three bytes without padding.
    let hex = "0003 0007 2112a442 6162636465666768696a6b6c 4000 0003 010203";
    assert!(recognize(&trial::bytes(hex)));
    let tree = alone(hex);
    assert!(tree.contains("! odd stun.wrong_msglen") && tree.contains("24..27 stun.value = 010203"), "{tree}");
    assert!(!tree.contains("stun.att.padding"), "{tree}");
}

fn opening<'a>(client: &'a [u8], server: &'a [u8]) -> Opening<'a> {
    Opening { sent: [client, server], from_start: [true; 2], complete: false }
}

#[test]
fn streams_begin_with_a_message_or_a_length_prefix() {
    let request = trial::bytes(REQUEST);
    let framed = [&[0, 64][..], &request].concat();
    let response = trial::bytes(RESPONSE);
    for first in [&request, &framed] {
        assert_eq!(stream::recognize(&opening(first, b"")), Verdict::Yes(Side::Server));
        assert_eq!(stream::recognize(&opening(b"", first)), Verdict::Yes(Side::Client));
        assert_eq!(stream::recognize(&opening(&first[..6], b"")), Verdict::Unsure);
        assert_eq!(stream::recognize(&Opening { complete: true, ..opening(&first[..6], b"") }), Verdict::No);
    }
    assert_eq!(stream::recognize(&opening(b"", &response)), Verdict::Yes(Side::Server));
    let other_length = [&[0, 65][..], &request].concat();
    for other in [&other_length[..], &request[1..], b"GET / HTTP/1.1", b"\x05\x01\x00"] {
        assert_eq!(stream::recognize(&opening(other, b"")), Verdict::No);
    }
}

/// First message of the bytes of a side, and its length.
fn first(stream: &mut Stream, from: Side, ahead: &[u8]) -> (usize, String) {
    let Extent::Message(length) = stream.extent(from, ahead, true) else { panic!("no message") };
    (length, trial::message(&PROTOCOL, stream, from, &ahead[..length], Cut::No))
}

#[test]
fn messages_over_tcp_are_delimited_by_their_length() {
    let mut stream = Stream::default();
    let bind = "0009 0008 2112a442 6162636465666768696a6b6c 000c 0004 4001 0000";
    let ahead = trial::bytes(&format!("{bind} 4001 0003 616263 00 {RESPONSE}"));
    let (length, tree) = first(&mut stream, Side::Client, &ahead);
    assert_eq!(length, 28, "{tree}");
    assert!(tree.starts_with("stun 0..28 | channel bind"), "{tree}");
    let (data, tree) = first(&mut stream, Side::Client, &ahead[length..]);
    assert_eq!(data, 8, "{tree}");
    assert!(tree.starts_with("stun 0..8 | channel data | channel 0x4001, 3 bytes"), "{tree}");
    let (_, tree) = first(&mut stream, Side::Client, &ahead[length + data..]);
    assert!(tree.starts_with("stun 0..64 | binding | success"), "{tree}");
    assert_eq!(stream.extent(Side::Client, b"\x80what", true), Extent::Unknown(5));
    assert_eq!(stream.extent(Side::Client, &ahead[..3], true), Extent::NeedMore(4));
}

#[test]
fn packets_with_length_prefixes_are_messages_or_data() {
    let mut stream = Stream::default();
    let ahead = trial::bytes(&format!("0040 {REQUEST}"));
    assert_eq!(stream.extent(Side::Client, &ahead[..5], true), Extent::NeedMore(6));
    let (length, tree) = first(&mut stream, Side::Client, &ahead);
    assert_eq!(length, 66, "{tree}");
    assert!(tree.contains("0..2 stun.tcp_frame_length = 64") && tree.contains("2..4 stun.type = 0x0001"), "{tree}");
    let (_, tree) = first(&mut stream, Side::Server, &trial::bytes("0003 160303"));
    assert!(tree.starts_with("stun 0..5 | framed packet | 3 bytes") && tree.contains("2..5 stun.value = 160303"), "{tree}");
}

#[test]
fn a_channel_past_the_limit_is_noted() {
    let mut transactions = Transactions::default();
    let mut bind = |number: usize| {
        read(&mut transactions, &format!("0009 0008 2112a442 6162636465666768696a6b6c 000c 0004 {number:04x} 0000"))
    };
    assert!((0..MAX_CHANNELS).all(|number| !bind(0x4000 + number).contains("dissect.evicted")));
    assert!(bind(0x4000 + MAX_CHANNELS).contains("channel 0x4040 is one of more than 64"));
    assert!(!bind(0x4000).contains("dissect.evicted"));
}
