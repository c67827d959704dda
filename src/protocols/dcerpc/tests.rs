//! DCE/RPC messages, valid and malformed.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::trial;

const EPM: &str = "0883afe11f5dc91191a408002b14a0fa";
const NDR: &str = "045d888aeb1cc9119fe808002b104860";

/// A little-endian message of a type with this body and verifier.
fn message(kind: u8, flags: u8, body: &str, verifier: &str) -> Vec<u8> {
    let (body, verifier) = (trial::bytes(body), trial::bytes(verifier));
    let length = u16::try_from(HEADER + body.len() + verifier.len()).unwrap_or_default().to_le_bytes();
    let auth = u16::try_from(verifier.len().saturating_sub(VERIFIER_HEADER)).unwrap_or_default().to_le_bytes();
    [&[5, 0, kind, flags, 0x10, 0, 0, 0][..], &length, &auth, &[7, 0, 0, 0], &body, &verifier].concat()
}

fn talk() -> Vec<(Side, Vec<u8>)> {
    vec![
        (
            Side::Client,
            message(
                11,
                3,
                &format!("d016 d016 00000000 01 000000 0000 01 00 {EPM} 0300 0000 {NDR} 02000000"),
                "0a 02 00 00 01000000 4e544c4d",
            ),
        ),
        (Side::Server, message(12, 3, &format!("d016 d016 34120000 0400 31333500 0000 01 000000 0000 0000 {NDR} 02000000"), "")),
        (Side::Client, message(0, 0x83, &format!("04000000 0000 0300 {EPM} 01020304"), "")),
        (Side::Server, message(2, 3, "04000000 0000 00 00 01020304", "")),
        (Side::Server, message(3, 3, "20000000 0000 00 00 0200011c 00000000", "")),
        (Side::Server, message(13, 3, "0400 01 05 00", "")),
        (Side::Client, trial::bytes("05 00 12 03 00 00 00 00 0010 0000 00000008")),
    ]
}

#[test]
fn all_messages_are_dissected() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    let trees = trees_of(&PROTOCOL, &mut Session::default(), &lines);
    assert!(!trees.contains("\n! "), "{trees}");
    insta::assert_snapshot!(trial::abridged(&trees), @r#"
    dcerpc 0..84 | Bind | EPMv4 version 3
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 11 (Bind)
      3..4 dcerpc.cn_flags = 0x03
        3..4 dcerpc.cn_flags.object = false
        3..4 dcerpc.cn_flags.maybe = false
        3..4 dcerpc.cn_flags.dne = false
        3..4 dcerpc.cn_flags.mpx = false
        3..4 dcerpc.cn_flags.reserved = false
        3..4 dcerpc.cn_flags.cancel_pending = false
        3..4 dcerpc.cn_flags.last_frag = true
        3..4 dcerpc.cn_flags.first_frag = true
      4..8 dcerpc.drep = 10000000
        4..5 dcerpc.drep.byteorder = 1 (Little-endian)
        4..5 dcerpc.drep.character = 0 (ASCII)
        5..6 dcerpc.drep.fp = 0 (IEEE)
        6..8 dcerpc.reserved = 0000
      8..10 dcerpc.cn_frag_len = 84
      10..12 dcerpc.cn_auth_len = 4
      12..16 dcerpc.cn_call_id = 7
      16..18 dcerpc.cn_max_xmit = 5840
      18..20 dcerpc.cn_max_recv = 5840
      20..24 dcerpc.cn_assoc_group = 0x00000000
      24..25 dcerpc.cn_num_ctx_items = 1
      25..28 dcerpc.reserved = 000000
      28..72 dcerpc.cn_ctx_item
        28..30 dcerpc.cn_ctx_id = 0
        30..31 dcerpc.cn_num_trans_items = 1
        31..32 dcerpc.reserved = 00
        32..48 dcerpc.cn_bind_to_uuid = "e1af8308-5d1f-11c9-91a4-08002b14a0fa"
        48..50 dcerpc.cn_bind_if_ver = 3
        50..52 dcerpc.cn_bind_if_ver_minor = 0
        52..68 dcerpc.cn_bind_trans_id = "8a885d04-1ceb-11c9-9fe8-08002b104860"
        68..72 dcerpc.cn_bind_trans_ver = 2
      72..84 dcerpc.auth_verifier
        72..73 dcerpc.auth_type = 10 (NTLMSSP)
        73..74 dcerpc.auth_level = 2 (Connect)
        74..75 dcerpc.auth_pad_len = 0
        75..76 dcerpc.auth_rsrvd = 0
        76..80 dcerpc.auth_ctx_id = 1
        80..84 dcerpc.auth_value = 4e544c4d
    dcerpc 0..60 | Bind_ack | Acceptance
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 12 (Bind_ack)
      3..4 dcerpc.cn_flags = 0x03 …
      4..8 dcerpc.drep = 10000000 …
      8..10 dcerpc.cn_frag_len = 60
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 7
      dcerpc.request_in = 0
      16..18 dcerpc.cn_max_xmit = 5840
      18..20 dcerpc.cn_max_recv = 5840
      20..24 dcerpc.cn_assoc_group = 0x00001234
      24..26 dcerpc.cn_sec_addr_len = 4
      26..30 dcerpc.cn_sec_addr = "135"
      30..32 dcerpc.reserved = 0000
      32..33 dcerpc.cn_num_results = 1
      33..36 dcerpc.reserved = 000000
      36..60 dcerpc.cn_ctx_item
        36..38 dcerpc.cn_ack_result = 0 (Acceptance)
        38..40 dcerpc.cn_ack_reason = 0 (Reason not specified)
        40..56 dcerpc.cn_ack_trans_id = "8a885d04-1ceb-11c9-9fe8-08002b104860"
        56..60 dcerpc.cn_ack_trans_ver = 2
    dcerpc 0..44 | Request | call 7, EPMv4 operation 3
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 0 (Request)
      3..4 dcerpc.cn_flags = 0x83
        3..4 dcerpc.cn_flags.object = true
        3..4 dcerpc.cn_flags.maybe = false
        3..4 dcerpc.cn_flags.dne = false
        3..4 dcerpc.cn_flags.mpx = false
        3..4 dcerpc.cn_flags.reserved = false
        3..4 dcerpc.cn_flags.cancel_pending = false
        3..4 dcerpc.cn_flags.last_frag = true
        3..4 dcerpc.cn_flags.first_frag = true
      4..8 dcerpc.drep = 10000000 …
      8..10 dcerpc.cn_frag_len = 44
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 7
      16..20 dcerpc.cn_alloc_hint = 4
      20..22 dcerpc.cn_ctx_id = 0
      22..24 dcerpc.opnum = 3
      24..40 dcerpc.obj_id = "e1af8308-5d1f-11c9-91a4-08002b14a0fa"
      40..44 dcerpc.stub_data = 01020304
    dcerpc 0..28 | Response | call 7, EPMv4
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 2 (Response)
      3..4 dcerpc.cn_flags = 0x03 …
      4..8 dcerpc.drep = 10000000 …
      8..10 dcerpc.cn_frag_len = 28
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 7
      dcerpc.request_in = 0
      dcerpc.opnum = 3
      16..20 dcerpc.cn_alloc_hint = 4
      20..22 dcerpc.cn_ctx_id = 0
      22..23 dcerpc.cn_cancel_count = 0
      23..24 dcerpc.reserved = 00
      24..28 dcerpc.stub_data = 01020304
    dcerpc 0..32 | Fault | nca_op_rng_error
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 3 (Fault)
      3..4 dcerpc.cn_flags = 0x03 …
      4..8 dcerpc.drep = 10000000 …
      8..10 dcerpc.cn_frag_len = 32
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 7
      dcerpc.request_in = 0
      dcerpc.opnum = 3
      16..20 dcerpc.cn_alloc_hint = 32
      20..22 dcerpc.cn_ctx_id = 0
      22..23 dcerpc.cn_cancel_count = 0
      23..24 dcerpc.cn_fault_flags = 0x00
        23..24 dcerpc.cn_fault_flags.extended_error = false
      24..28 dcerpc.cn_status = 0x1c010002 (nca_op_rng_error)
      28..32 dcerpc.reserved = 00000000
    dcerpc 0..21 | Bind_nak | Protocol version not supported
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 13 (Bind_nak)
      3..4 dcerpc.cn_flags = 0x03 …
      4..8 dcerpc.drep = 10000000 …
      8..10 dcerpc.cn_frag_len = 21
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 7
      dcerpc.request_in = 0
      dcerpc.opnum = 3
      16..18 dcerpc.cn_reject_reason = 4 (Protocol version not supported)
      18..19 dcerpc.cn_num_protocols = 1
      19..20 dcerpc.cn_protocol_ver_major = 5
      20..21 dcerpc.cn_protocol_ver_minor = 0
    dcerpc 0..16 | Co_cancel
      0..1 dcerpc.ver = 5
      1..2 dcerpc.ver_minor = 0
      2..3 dcerpc.pkt_type = 18 (Co_cancel)
      3..4 dcerpc.cn_flags = 0x03 …
      4..8 dcerpc.drep = 00000000
        4..5 dcerpc.drep.byteorder = 0 (Big-endian)
        4..5 dcerpc.drep.character = 0 (ASCII)
        5..6 dcerpc.drep.fp = 0 (IEEE)
        6..8 dcerpc.reserved = 0000
      8..10 dcerpc.cn_frag_len = 16
      10..12 dcerpc.cn_auth_len = 0
      12..16 dcerpc.cn_call_id = 8
    "#);
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn streams_are_recognized_by_a_header() {
    let judge =
        |client: &[u8], server: &[u8], complete| recognize(&Opening { sent: [client, server], from_start: [true; 2], complete });
    let request = message(0, 3, "04000000 0000 0300", "");
    let response = message(2, 3, "04000000 0000 00 00", "");
    assert_eq!(judge(&request, b"", true), Verdict::Yes(Side::Server));
    assert_eq!(judge(&response, &request, true), Verdict::Yes(Side::Client));
    assert_eq!(judge(b"\x05\0\x0b", b"", false), Verdict::Unsure);
    assert_eq!(judge(b"\x05\x01\0\0\0\0\0\0\0\0", b"", true), Verdict::No);
}

#[test]
fn the_next_message_is_found_after_a_gap() {
    let bytes = [&b"\x05xxxxxxxxx"[..], &message(17, 3, "", "")].concat();
    assert_eq!(Session::default().extent(Side::Client, &bytes, true), Extent::Unknown(10));
}

#[test]
fn a_forgotten_context_is_noted() {
    let mut session = Session::default();
    let mut bind = |id: usize| {
        let body = format!("d016 d016 00000000 01 000000 {:02x}{:02x} 01 00 {EPM} 0300 0000 {NDR} 02000000", id & 0xff, id >> 8);
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, &message(11, 3, &body, ""))])
    };
    assert!((0..255).all(|id| !bind(id).contains("dissect.evicted")));
    assert!(bind(0x1ff).contains("! info dissect.evicted"));
}

#[test]
fn a_forgotten_call_is_noted() {
    let mut session = Session::default();
    let most = u32::try_from(limits::REQUESTS.get()).unwrap();
    let mut request = |call: u32| {
        let mut bytes = message(0, 3, "04000000 0000 0300", "");
        bytes[12..16].copy_from_slice(&call.to_le_bytes());
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, &bytes)])
    };
    assert!((0..most).all(|call| !request(call).contains(" calls")));
    assert!(request(most).contains(&format!("the oldest of more than {most} calls")));
}
