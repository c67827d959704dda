//! Connections of the ISO transport protocol, and of RDP.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::trial::{self, bytes};
use crate::wire::{Cut, Exchange};

fn verdict(sent: [&str; 2], complete: bool, heuristic: fn(&Opening<'_>) -> Verdict) -> Verdict {
    let sent = sent.map(bytes);
    heuristic(&Opening { sent: [&sent[0], &sent[1]], from_start: [true; 2], complete })
}

/// A controller's connection request and its confirmation.
const CR: &str = "0300 0016 11 e0 0000 0001 00 c1 02 0100 c2 02 0102 c0 01 0a";
const CC: &str = "0300 0016 11 d0 0001 000c 00 c0 01 0a c1 02 0100 c2 02 0102";
/// `Cookie: mstshash=falk`, and a negotiation.
const RDP_REQUEST: &str = "0300 002a 25 e0 0000 0000 00 436f6f6b69653a206d737473686173683d66616c6b0d0a 01 00 0800 0b000000";
const RDP_RESPONSE: &str = "0300 0013 0e d0 0000 1234 00 02 1f 0800 02000000";

#[test]
fn a_connection_request_is_recognized_on_any_port() {
    assert_eq!(verdict([CR, ""], false, recognize), Verdict::Yes(Side::Server));
    assert_eq!(verdict(["", CR], false, recognize), Verdict::Yes(Side::Client));
    assert_eq!(verdict([RDP_REQUEST, ""], false, recognize), Verdict::Yes(Side::Server));
    assert_eq!(verdict([&CR[..30], ""], false, recognize), Verdict::Unsure);
    assert_eq!(verdict(["03", ""], false, recognize), Verdict::Unsure);
    assert_eq!(verdict([&CR[..30], ""], true, recognize), Verdict::No);
}

#[test]
fn lengths_of_a_request_that_disagree_are_another_protocol() {
    let others = [
        CR.replacen("0016", "0017", 1) + "00",
        CR.replacen("11 e0", "10 e0", 1),
        CR.replacen("c1 02", "c1 03", 1),
        CR.replacen("c1 02", "c9 02", 1),
        CR.replacen("e0 0000", "e0 0001", 1),
        CR.replacen("0001 00", "0001 50", 1),
        CR.replacen("0300", "0301", 1),
        CR.replacen("0300", "0200", 1),
        "0300 0007 02 f0 80".to_owned(),
    ];
    for other in others {
        assert_eq!(verdict([&other, ""], true, recognize), Verdict::No, "{other}");
    }
}

#[test]
fn a_registered_port_needs_a_header_alone() {
    for one in [CR, CC, "0300 0008 02 f0 80 32", "0300 0007 02 f0 00"] {
        assert!(matches!(verdict([one, ""], false, recognize_on_port), Verdict::Yes(_)), "{one}");
    }
    assert_eq!(verdict(["", CC], false, recognize_on_port), Verdict::Yes(Side::Server));
    assert_eq!(verdict(["0300 00", ""], false, recognize_on_port), Verdict::Unsure);
    for other in ["0300 0006 01 f0", "0300 0016 11 30", "0300 0016 13 e0", "1603 0100 05 01", "474554202f2048545450"] {
        assert_eq!(verdict([other, ""], true, recognize_on_port), Verdict::No, "{other}");
        assert_eq!(verdict([other, ""], true, is_likely), Verdict::No, "{other}");
    }
}

#[test]
fn one_wrong_field_keeps_the_name_on_a_registered_port() {
    for odd in [CR.replacen("0300", "0400", 1), CR.replacen("0300", "0307", 1)] {
        assert_eq!(verdict([&odd, ""], false, recognize_on_port), Verdict::No);
        assert_eq!(verdict([&odd, ""], false, is_likely), Verdict::Yes(Side::Server));
        let odd = bytes(&odd);
        let tree = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &odd)]);
        assert!(tree.contains("odd tpkt."), "{tree}");
    }
}

#[test]
fn a_header_has_a_version_and_a_length() {
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &bytes(CR))]), @"
    tpkt 0..22 | 22 bytes
      0..1 tpkt.version = 3
      1..2 tpkt.reserved = 0
      2..4 tpkt.length = 22
    ");
}

#[test]
fn negotiated_tls_ends_the_packets() {
    let mut session = Session::default();
    trees_of(&PROTOCOL, &mut session, &[(Side::Client, &bytes(RDP_REQUEST))]);
    assert!(session.next().is_none());
    trees_of(&PROTOCOL, &mut session, &[(Side::Server, &bytes(RDP_RESPONSE))]);
    assert!(matches!(session.next(), Some(Next::Detect)));
}

#[test]
fn other_confirmations_do_not_end_the_packets() {
    for confirmation in
        [CC.to_owned(), RDP_RESPONSE.replacen("02 1f", "03 00", 1), RDP_RESPONSE.replacen("02000000", "00000000", 1)]
    {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Server, &bytes(&confirmation))]);
        assert!(session.next().is_none(), "{confirmation}");
    }
}

#[test]
fn rdp_without_tls_has_a_fast_path_between_packets() {
    let mut session = Session::default();
    let confirmation = bytes(&RDP_RESPONSE.replacen("02000000", "00000000", 1));
    trees_of(&PROTOCOL, &mut session, &[(Side::Server, &confirmation)]);
    let fast = bytes("00 05 aabbcc 04 8004 dd 0300 0008 02 f0 80 32");
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut session, &[(Side::Server, &fast)]), @"
    tpkt 0..5 | fast path
      0..5 tpkt.continuation_data = 0005aabbcc
    tpkt 0..4 | fast path
      0..4 tpkt.continuation_data = 048004dd
    tpkt 0..8 | 8 bytes
      0..1 tpkt.version = 3
      1..2 tpkt.reserved = 0
      2..4 tpkt.length = 8
    ");
}

#[test]
fn packets_are_found_again_after_lost_bytes() {
    let mut session = Session::default();
    session.gap(Side::Client, Missing { bytes: 7, in_step: false });
    let ahead = bytes("aabb 03 cc 0300 0008 02 f0 80 32 0300");
    assert_eq!(session.extent(Side::Client, &ahead, true), Extent::Unknown(4));
    assert_eq!(session.extent(Side::Client, &ahead[4..], true), Extent::Message(8));
}

#[test]
fn a_damaged_message_ends_nothing_else() {
    let sent = [(Side::Client, bytes(RDP_REQUEST)), (Side::Server, bytes(RDP_RESPONSE)), (Side::Client, bytes(CR))];
    let sent: Vec<(Side, &[u8])> = sent.iter().map(|(side, bytes)| (*side, &bytes[..])).collect();
    survives_damage(&PROTOCOL, Session::default, &sent);
}

/// The trees of TPDUs in one connection.
fn tpdus(sent: &[(Side, &str)]) -> String {
    let mut session = cotp::Session::default();
    let tree =
        |(side, text): &(Side, &str)| trial::read(&COTP_PROTOCOL, &bytes(text), Cut::No, |wire| session.message(*side, wire));
    sent.iter().map(tree).collect()
}

#[test]
fn a_connection_has_references_a_class_and_parameters() {
    insta::assert_snapshot!(tpdus(&[(Side::Client, &CR[10..]), (Side::Server, &CC[10..])]), @r#"
    cotp 0..18 | CR | source 0x0001, destination 0x0000, class 0
      0..1 cotp.li = 17
      1..2 cotp.type = 0x0e (CR Connect Request)
      2..4 cotp.destref = 0x0000
      4..6 cotp.srcref = 0x0001
      6..7 cotp.class = 0
      6..7 cotp.opts.extended_formats = false
      6..7 cotp.opts.no_explicit_flow_control = false
      7..8 cotp.parameter_code = 0xc1 (src-tsap)
      8..9 cotp.parameter_length = 2
      9..11 cotp.src-tsap = "0x0100"
      9..11 cotp.src-tsap-bytes = 0100
      11..12 cotp.parameter_code = 0xc2 (dst-tsap)
      12..13 cotp.parameter_length = 2
      13..15 cotp.dst-tsap = "0x0102"
      13..15 cotp.dst-tsap-bytes = 0102
      15..16 cotp.parameter_code = 0xc0 (tpdu-size)
      16..17 cotp.parameter_length = 1
      17..18 cotp.tpdu_size = 1024
    cotp 0..18 | CC | source 0x000c, destination 0x0001, class 0
      0..1 cotp.li = 17
      1..2 cotp.type = 0x0d (CC Connect Confirm)
      2..4 cotp.destref = 0x0001
      4..6 cotp.srcref = 0x000c
      6..7 cotp.class = 0
      6..7 cotp.opts.extended_formats = false
      6..7 cotp.opts.no_explicit_flow_control = false
      7..8 cotp.parameter_code = 0xc0 (tpdu-size)
      8..9 cotp.parameter_length = 1
      9..10 cotp.tpdu_size = 1024
      10..11 cotp.parameter_code = 0xc1 (src-tsap)
      11..12 cotp.parameter_length = 2
      12..14 cotp.src-tsap = "0x0100"
      12..14 cotp.src-tsap-bytes = 0100
      14..15 cotp.parameter_code = 0xc2 (dst-tsap)
      15..16 cotp.parameter_length = 2
      16..18 cotp.dst-tsap = "0x0102"
      16..18 cotp.dst-tsap-bytes = 0102
    "#);
}

#[test]
fn each_parameter_has_its_fields() {
    let request = "58 e0 0000 0001 10 85 02 0064 86 03 050309 87 02 0001 88 08 0001000200030004 89 0c 000001000002000003000004 \
                   8b 02 001e c2 04 53455256 c4 01 01 c5 01 09 c6 01 0f c7 02 1020 f0 02 0010 f2 04 00000064 c1 00 c3 02 abcd 85 01 07 \
                   99 01 01";
    insta::assert_snapshot!(tpdus(&[(Side::Client, request)]), @r#"
    cotp 0..89 | CR | source 0x0001, destination 0x0000, class 1
      0..1 cotp.li = 88
      1..2 cotp.type = 0x0e (CR Connect Request)
      2..4 cotp.destref = 0x0000
      4..6 cotp.srcref = 0x0001
      6..7 cotp.class = 1
      6..7 cotp.opts.extended_formats = false
      6..7 cotp.opts.no_explicit_flow_control = false
      7..8 cotp.parameter_code = 0x85 (ack time)
      8..9 cotp.parameter_length = 2
      9..11 cotp.ack_time = 100
      11..12 cotp.parameter_code = 0x86 (res error)
      12..13 cotp.parameter_length = 3
      13..14 cotp.res_error_rate.target_value = 5
      14..15 cotp.res_error_rate.min_accept = 3
      15..16 cotp.res_error_rate.tdsu = 9
      16..17 cotp.parameter_code = 0x87 (priority)
      17..18 cotp.parameter_length = 2
      18..20 cotp.vp_priority = 1
      20..21 cotp.parameter_code = 0x88 (transit delay)
      21..22 cotp.parameter_length = 8
      22..24 cotp.transit_delay.targ_calling_called = 1
      24..26 cotp.transit_delay.max_accept_calling_called = 2
      26..28 cotp.transit_delay.targ_called_calling = 3
      28..30 cotp.transit_delay.max_accept_called_calling = 4
      30..31 cotp.parameter_code = 0x89 (throughput)
      31..32 cotp.parameter_length = 12
      32..35 cotp.max_throughput.targ_calling_called = 1
      35..38 cotp.max_throughput.min_accept_calling_called = 2
      38..41 cotp.max_throughput.targ_called_calling = 3
      41..44 cotp.max_throughput.min_accept_called_calling = 4
      44..45 cotp.parameter_code = 0x8b (reassignment)
      45..46 cotp.parameter_length = 2
      46..48 cotp.reassignment_time = 30
      48..49 cotp.parameter_code = 0xc2 (dst-tsap)
      49..50 cotp.parameter_length = 4
      50..54 cotp.dst-tsap = "SERV"
      50..54 cotp.dst-tsap-bytes = 53455256
      54..55 cotp.parameter_code = 0xc4 (version)
      55..56 cotp.parameter_length = 1
      56..57 cotp.vp_version_nr = 1
      57..58 cotp.parameter_code = 0xc5 (protection)
      58..59 cotp.parameter_length = 1
      59..60 cotp.parameter_value = 09
      60..61 cotp.parameter_code = 0xc6 (options)
      61..62 cotp.parameter_length = 1
      62..63 cotp.network_expedited_data = true
      62..63 cotp.vp_opt_sel_class1_use = true
      62..63 cotp.transport_expedited_data_transfer = true
      63..64 cotp.parameter_code = 0xc7 (proto class)
      64..65 cotp.parameter_length = 2
      65..67 cotp.parameter_value = 1020
      67..68 cotp.parameter_code = 0xf0 (preferred max TPDU size)
      68..69 cotp.parameter_length = 2
      69..71 cotp.preferred_maximum_tpdu_size = 2048
      71..72 cotp.parameter_code = 0xf2 (inactivity timer)
      72..73 cotp.parameter_length = 4
      73..77 cotp.inactivity_timer = 100
      77..78 cotp.parameter_code = 0xc1 (src-tsap)
      78..79 cotp.parameter_length = 0
      79..79 cotp.src-tsap = "<unsupported TSAP length>"
      79..79 cotp.src-tsap-bytes = 
      79..80 cotp.parameter_code = 0xc3 (checksum)
      80..81 cotp.parameter_length = 2
      81..83 cotp.checksum = 0xabcd
      83..84 cotp.parameter_code = 0x85 (ack time)
      84..85 cotp.parameter_length = 1
      85..86 cotp.parameter_value = 07
      86..87 cotp.parameter_code = 0x99
      87..88 cotp.parameter_length = 1
      88..89 cotp.parameter_value = 01
    "#);
}

#[test]
fn other_tpdus_have_their_own_fields() {
    let sent = [
        (Side::Client, "06 80 0001 0002 80"),
        (Side::Server, "05 c0 0001 0002"),
        (Side::Client, "04 f0 0001 85 aabb"),
        (Side::Client, "07 f0 0001 80000007 aabb"),
        (Side::Client, "04 10 0001 81 aa"),
        (Side::Server, "04 63 0001 05"),
        (Side::Server, "09 60 0001 00000005 0010"),
        (Side::Server, "04 20 0001 02"),
        (Side::Server, "04 52 0001 03"),
        (Side::Server, "04 70 0001 02"),
        (Side::Server, "04 62 0001 05 04 20 0001 02"),
        (Side::Server, "02 30 00"),
        (Side::Server, "00 f0"),
        (Side::Server, "01 f0"),
    ];
    insta::assert_snapshot!(tpdus(&sent), @"
    cotp 0..7 | DR | Normal Disconnect
      0..1 cotp.li = 6
      1..2 cotp.type = 0x08 (DR Disconnect Request)
      2..4 cotp.destref = 0x0001
      4..6 cotp.srcref = 0x0002
      6..7 cotp.cause = 128 (Normal Disconnect)
    cotp 0..6 | DC | source 0x0002, destination 0x0001
      0..1 cotp.li = 5
      1..2 cotp.type = 0x0c (DC Disconnect Confirm)
      2..4 cotp.destref = 0x0001
      4..6 cotp.srcref = 0x0002
    cotp 0..7 | DT | number 5, last
      0..1 cotp.li = 4
      1..2 cotp.type = 0x0f (DT Data)
      2..4 cotp.destref = 0x0001
      4..5 cotp.tpdu-number = 0x05
      4..5 cotp.eot = true
    cotp 0..10 | DT | number 7, last
      0..1 cotp.li = 7
      1..2 cotp.type = 0x0f (DT Data)
      2..4 cotp.destref = 0x0001
      4..8 cotp.tpdu-number = 0x07
      4..8 cotp.eot = true
    cotp 0..6 | ED | number 1, last
      0..1 cotp.li = 4
      1..2 cotp.type = 0x01 (ED Expedited Data)
      2..4 cotp.destref = 0x0001
      4..5 cotp.tpdu-number = 0x01
    cotp 0..5 | AK | next number 5, destination 0x0001
      0..1 cotp.li = 4
      1..2 cotp.type = 0x06 (AK Data Acknowledgement)
      1..2 cotp.credit = 3
      2..4 cotp.destref = 0x0001
      4..5 cotp.next-tpdu-number = 0x05
    cotp 0..10 | AK | next number 5, destination 0x0001
      0..1 cotp.li = 9
      1..2 cotp.type = 0x06 (AK Data Acknowledgement)
      2..4 cotp.destref = 0x0001
      4..8 cotp.next-tpdu-number = 0x05
      8..10 cotp.credit = 16
    cotp 0..5 | EA | next number 2, destination 0x0001
      0..1 cotp.li = 4
      1..2 cotp.type = 0x02 (EA Expedited Data Acknowledgement)
      2..4 cotp.destref = 0x0001
      4..5 cotp.next-tpdu-number = 0x02
    cotp 0..5 | RJ | next number 3, destination 0x0001
      0..1 cotp.li = 4
      1..2 cotp.type = 0x05 (RJ Reject)
      1..2 cotp.credit = 2
      2..4 cotp.destref = 0x0001
      4..5 cotp.next-tpdu-number = 0x03
    cotp 0..5 | ER | Invalid TPDU type
      0..1 cotp.li = 4
      1..2 cotp.type = 0x07 (ER TPDU Error)
      2..4 cotp.destref = 0x0001
      4..5 cotp.reject_cause = 2 (Invalid TPDU type)
    cotp 0..10 | EA | next number 2, destination 0x0001
      0..1 cotp.li = 4
      1..2 cotp.type = 0x06 (AK Data Acknowledgement)
      1..2 cotp.credit = 2
      2..4 cotp.destref = 0x0001
      4..5 cotp.next-tpdu-number = 0x05
      5..6 cotp.li = 4
      6..7 cotp.type = 0x02 (EA Expedited Data Acknowledgement)
      7..9 cotp.destref = 0x0001
      9..10 cotp.next-tpdu-number = 0x02
    ! info cotp.multiple_tpdus at 4..5 cotp.next-tpdu-number: 5 more bytes
    cotp 0..3
      0..1 cotp.li = 2
      1..2 cotp.type = 0x03
      2..3 cotp.parameter_value = 00
    ! odd cotp.type.unknown at 1..2 cotp.type: 0x3
    cotp 0..2
      0..1 cotp.li = 0
      1..2 cotp.type = 0x0f (DT Data)
      1..2 data.data = f0
    ! broken cotp.li.invalid at 1..2 cotp.type: 0 bytes
    cotp 0..2
      0..1 cotp.li = 1
      1..2 cotp.type = 0x0f (DT Data)
      1..2 data.data = f0
    ! broken cotp.li.invalid at 1..2 cotp.type: 1 bytes
    ");
}

#[test]
fn segments_are_joined_up_to_the_last_one() {
    let sent = [
        (Side::Client, "02 f0 00 aabb"),
        (Side::Server, "02 f0 80 11"),
        (Side::Client, "02 f0 00 cc"),
        (Side::Client, "02 f0 80 dd"),
    ];
    insta::assert_snapshot!(tpdus(&sent), @"
    cotp 0..5 | DT | number 0
      0..1 cotp.li = 2
      1..2 cotp.type = 0x0f (DT Data)
      2..3 cotp.tpdu-number = 0x00
      2..3 cotp.eot = false
      3..5 cotp.segment_data = aabb
    cotp 0..4 | DT | number 0, last
      0..1 cotp.li = 2
      1..2 cotp.type = 0x0f (DT Data)
      2..3 cotp.tpdu-number = 0x00
      2..3 cotp.eot = true
    cotp 0..4 | DT | number 0
      0..1 cotp.li = 2
      1..2 cotp.type = 0x0f (DT Data)
      2..3 cotp.tpdu-number = 0x00
      2..3 cotp.eot = false
      3..4 cotp.segment_data = cc
    cotp 0..4 | DT | number 0, last
      0..1 cotp.li = 2
      1..2 cotp.type = 0x0f (DT Data)
      2..3 cotp.tpdu-number = 0x00
      2..3 cotp.eot = true
      3..4 cotp.segment_data = dd
      cotp.segment.count = 3
      cotp.reassembled.length = 4
    ");
}

#[test]
fn segments_around_lost_bytes_are_not_joined() {
    let mut session = cotp::Session::default();
    let mut read = |text: &str, cut, losses| {
        trial::read(&COTP_PROTOCOL, &bytes(text), cut, |wire| session.packet(Side::Client, losses, wire))
    };
    read("02 f0 00 aa", Cut::No, 0);
    let tree = read("02 f0 80 bb", Cut::No, 1);
    assert!(tree.contains("cotp.segments.dropped") && !tree.contains("cotp.reassembled.length"), "{tree}");
    read("02 f0 00 aa", Cut::Capture, 1);
    let tree = read("02 f0 80 bb", Cut::No, 1);
    assert!(tree.contains("cotp.segments.dropped") && !tree.contains("cotp.reassembled.length"), "{tree}");
}

/// The tree of RDP's part of a connection request or confirmation.
fn negotiation(text: &str) -> String {
    trial::read(&RDP_PROTOCOL, &bytes(text), Cut::No, rdp::negotiation)
}

#[test]
fn rdp_negotiates_with_a_cookie_and_protocols() {
    insta::assert_snapshot!(negotiation("436f6f6b69653a206d737473686173683d66616c6b0d0a 01 00 0800 0b000000"), @r#"
    rdp 0..31 | RDP Negotiation Request
      0..23 rdp.rt_cookie = "Cookie: mstshash=falk"
      23..24 rdp.neg_type = 0x01 (RDP Negotiation Request)
      24..25 rdp.negReq.flags = 0x00
        24..25 rdp.negReq.flags.restricted_admin_mode_req = false
        24..25 rdp.negReq.flags.redirected_auth_req = false
        24..25 rdp.negReq.flags.correlation_info_present = false
      25..27 rdp.neg_length = 8
      27..31 rdp.negReq.requestedProtocols = 0x0000000b
        27..31 rdp.negReq.requestedProtocols.ssl = true
        27..31 rdp.negReq.requestedProtocols.hybrid = true
        27..31 rdp.negReq.requestedProtocols.rdstls = false
        27..31 rdp.negReq.requestedProtocols.hybrid_ex = true
    "#);
    insta::assert_snapshot!(negotiation("02 1f 0800 02000000"), @"
    rdp 0..8 | RDP Negotiation Response | CredSSP
      0..1 rdp.neg_type = 0x02 (RDP Negotiation Response)
      1..2 rdp.negRsp.flags = 0x1f
        1..2 rdp.negRsp.flags.extended_client_data_supported = true
        1..2 rdp.negRsp.flags.dynvc_gfx_protocol_supported = true
        1..2 rdp.negRsp.flags.restricted_admin_mode_supported = true
        1..2 rdp.negRsp.flags.restricted_authentication_mode_supported = true
      2..4 rdp.neg_length = 8
      4..8 rdp.negReq.selectedProtocol = 0x00000002 (CredSSP)
    ");
    insta::assert_snapshot!(negotiation("03 00 0800 05000000"), @"
    rdp 0..8 | RDP Negotiation Failure | Server requires Enhanced RDP Security with CredSSP
      0..1 rdp.neg_type = 0x03 (RDP Negotiation Failure)
      1..2 rdp.negReq.flags = 0x00
      2..4 rdp.neg_length = 8
      4..8 rdp.negFailure.failureCode = 0x00000005 (Server requires Enhanced RDP Security with CredSSP)
    ");
}

#[test]
fn rdp_identifies_a_connection_for_logs() {
    let id = "00112233445566778899aabbccddeeff";
    let request = format!("01 08 0800 01000000 06 00 2400 {id} {}", "00".repeat(16));
    insta::assert_snapshot!(negotiation(&request), @"
    rdp 0..44 | RDP Negotiation Request
      0..1 rdp.neg_type = 0x01 (RDP Negotiation Request)
      1..2 rdp.negReq.flags = 0x08
        1..2 rdp.negReq.flags.restricted_admin_mode_req = false
        1..2 rdp.negReq.flags.redirected_auth_req = false
        1..2 rdp.negReq.flags.correlation_info_present = true
      2..4 rdp.neg_length = 8
      4..8 rdp.negReq.requestedProtocols = 0x00000001
        4..8 rdp.negReq.requestedProtocols.ssl = true
        4..8 rdp.negReq.requestedProtocols.hybrid = false
        4..8 rdp.negReq.requestedProtocols.rdstls = false
        4..8 rdp.negReq.requestedProtocols.hybrid_ex = false
      8..9 rdp.neg_type = 0x06 (RDP Correlation Info)
      9..10 rdp.correlationInfo.flags = 0x00
      10..12 rdp.neg_length = 36
      12..28 rdp.correlationInfo.correlationId = 00112233445566778899aabbccddeeff
      28..44 rdp.correlationInfo.reserved = 00000000000000000000000000000000
    ");
    assert!(negotiation("01 08 0800 01000000 07 00 2400").contains("broken rdp.not_correlation_info"));
    assert!(negotiation("01 08 0900 01000000").contains("broken rdp.neg_len.invalid"));
}
