//! Connections of a client and a controller.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::trial::bytes;

fn verdict(sent: [&str; 2], complete: bool) -> Verdict {
    let sent = sent.map(bytes);
    recognize(&Opening { sent: [&sent[0], &sent[1]], from_start: [true; 2], complete })
}

const READS: &str = "0001 0000 0006 11 03 006b 0003";
const READ: &str = "0001 0000 0009 11 03 06 022b 0000 0064";

#[test]
fn a_request_with_its_response_is_recognized_on_any_port() {
    assert_eq!(verdict([READS, READ], false), Verdict::Yes(Side::Server));
    assert_eq!(verdict([READ, READS], false), Verdict::Yes(Side::Client));
    assert_eq!(verdict([READS, ""], false), Verdict::Unsure);
    assert_eq!(verdict([READS, ""], true), Verdict::No);
}

#[test]
fn other_numbers_of_a_response_are_another_protocol() {
    let others = [
        READ.replacen("0001", "0002", 1),
        READ.replacen("11 03", "12 03", 1),
        READ.replacen("11 03", "11 04", 1),
        "0001 0000 0007 11 03 04 022b 0000".to_owned(),
        READ.replacen("0000", "0001", 1),
    ];
    for other in others {
        assert_eq!(verdict([READS, &other], false), Verdict::No, "{other}");
    }
}

#[test]
fn several_requests_in_order_are_recognized_without_a_response() {
    let chain =
        |numbers: &[u8]| numbers.iter().map(|number| READS.replacen("0001", &format!("00{number:02x}"), 1)).collect::<String>();
    assert_eq!(verdict([&chain(&[1, 2, 3]), ""], true), Verdict::Yes(Side::Server));
    for numbers in [&[1, 2][..], &[1, 2, 4], &[1, 1, 1]] {
        assert_eq!(verdict([&chain(numbers), ""], true), Verdict::No, "{numbers:?}");
    }
}

#[test]
fn the_registered_port_needs_a_header_alone() {
    let on_port = |client: &str, server: &str, complete| {
        let sent = [client, server].map(bytes);
        recognize_on_port(&Opening { sent: [&sent[0], &sent[1]], from_start: [true; 2], complete })
    };
    assert_eq!(on_port("0001 0000 0006 11 5a 0000", "", false), Verdict::Yes(Side::Server));
    assert_eq!(on_port("", READ, false), Verdict::Yes(Side::Server));
    assert_eq!(on_port("0001 00", "", false), Verdict::Unsure);
    for other in ["0001 0001", "0001 0000 0001 11 03", "0001 0000 00ff 11 03", "474554202f2048545450"] {
        assert_eq!(on_port(other, "", true), Verdict::No, "{other}");
    }
}

#[test]
fn a_damaged_message_ends_nothing_else() {
    let sent: Vec<(Side, Vec<u8>)> = [(Side::Client, READS), (Side::Server, READ)].map(|(side, text)| (side, bytes(text))).into();
    let sent: Vec<(Side, &[u8])> = sent.iter().map(|(side, bytes)| (*side, &bytes[..])).collect();
    survives_damage(&PROTOCOL, Session::default, &sent);
}

/// The trees of PDUs in one connection.
fn trees(sent: &[(Side, &str)]) -> String {
    use crate::wire::{Cut, Exchange, trial};
    let mut session = pdu::Session::default();
    let tree =
        |(side, text): &(Side, &str)| trial::read(&PDU_PROTOCOL, &bytes(text), Cut::No, |wire| session.message(*side, wire));
    sent.iter().map(tree).collect()
}

#[test]
fn a_header_has_a_transaction_and_a_unit() {
    let read = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &bytes(READS))]);
    insta::assert_snapshot!(read, @"
    mbtcp 0..12 | transaction 1, unit 17
      0..2 mbtcp.trans_id = 1
      2..4 mbtcp.prot_id = 0
      4..6 mbtcp.len = 6
      6..7 mbtcp.unit_id = 17
    ");
}

#[test]
fn registers_of_a_response_have_the_numbers_of_the_request() {
    insta::assert_snapshot!(trees(&[(Side::Client, "03 006b 0003"), (Side::Server, "03 06 022b 0000 0064")]), @r#"
    modbus 0..5 | request | Read Holding Registers 107 to 109
      0..1 modbus.func_code = 3 (Read Holding Registers)
      1..3 modbus.reference_num = 107
      3..5 modbus.word_cnt = 3
    modbus 0..8 | response | Read Holding Registers
      0..1 modbus.func_code = 3 (Read Holding Registers)
      1..2 modbus.byte_cnt = 6
      2..4 modbus.regnum16 = 107
      2..4 modbus.regval_uint16 = 555
      4..6 modbus.regnum16 = 108
      4..6 modbus.regval_uint16 = 0
      6..8 modbus.regnum16 = 109
      6..8 modbus.regval_uint16 = 100
      modbus.request_frame = 0
    "#);
}

#[test]
fn bits_of_a_response_are_as_many_as_the_request_asks_for() {
    insta::assert_snapshot!(trees(&[(Side::Client, "01 0013 000a"), (Side::Server, "01 02 cd 02")]), @r#"
    modbus 0..5 | request | Read Coils 19 to 28
      0..1 modbus.func_code = 1 (Read Coils)
      1..3 modbus.reference_num = 19
      3..5 modbus.bit_cnt = 10
    modbus 0..4 | response | Read Coils
      0..1 modbus.func_code = 1 (Read Coils)
      1..2 modbus.byte_cnt = 2
      2..3 modbus.bitnum = 19
      2..3 modbus.bitval = true
      2..3 modbus.bitnum = 20
      2..3 modbus.bitval = false
      2..3 modbus.bitnum = 21
      2..3 modbus.bitval = true
      2..3 modbus.bitnum = 22
      2..3 modbus.bitval = true
      2..3 modbus.bitnum = 23
      2..3 modbus.bitval = false
      2..3 modbus.bitnum = 24
      2..3 modbus.bitval = false
      2..3 modbus.bitnum = 25
      2..3 modbus.bitval = true
      2..3 modbus.bitnum = 26
      2..3 modbus.bitval = true
      3..4 modbus.bitnum = 27
      3..4 modbus.bitval = false
      3..4 modbus.bitnum = 28
      3..4 modbus.bitval = true
      modbus.request_frame = 0
    "#);
}

#[test]
fn an_exception_names_the_function_and_the_reason() {
    insta::assert_snapshot!(trees(&[(Side::Client, "10 0001 0001 02 0007"), (Side::Server, "90 02")]), @r#"
    modbus 0..8 | request | Write Multiple Registers 1
      0..1 modbus.func_code = 16 (Write Multiple Registers)
      1..3 modbus.reference_num = 1
      3..5 modbus.word_cnt = 1
      5..6 modbus.byte_cnt = 2
      6..8 modbus.regnum16 = 1
      6..8 modbus.regval_uint16 = 7
    modbus 0..2 | exception | Write Multiple Registers: Illegal data address
      0..1 modbus.func_code = 16 (Write Multiple Registers)
      1..2 modbus.exception_code = 2 (Illegal data address)
      modbus.request_frame = 0
    "#);
}

#[test]
fn a_device_identifies_itself_with_texts() {
    insta::assert_snapshot!(trees(&[(Side::Client, "2b 0e 01 00"), (Side::Server, "2b 0e 01 01 00 00 01 00 03 41 63 65")]), @r#"
    modbus 0..4 | request | Encapsulated Interface Transport
      0..1 modbus.func_code = 43 (Encapsulated Interface Transport)
      1..2 modbus.mei = 14 (Read Device Identification)
      2..3 modbus.read_device_id = 1 (Basic Device Identification)
      3..4 modbus.object_id = 0 (VendorName)
    modbus 0..12 | response | Encapsulated Interface Transport
      0..1 modbus.func_code = 43 (Encapsulated Interface Transport)
      1..2 modbus.mei = 14 (Read Device Identification)
      2..3 modbus.read_device_id = 1 (Basic Device Identification)
      3..4 modbus.conformity_level = 0x01
      4..5 modbus.more_follows = 0x00
      5..6 modbus.next_object_id = 0
      6..7 modbus.num_objs = 1
      7..12 modbus.object
        7..8 modbus.object_id = 0 (VendorName)
        8..9 modbus.list_object_len = 3
        9..12 modbus.object_str_value = "Ace"
      modbus.request_frame = 0
    "#);
}
