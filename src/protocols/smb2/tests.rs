//! Commands of SMB 2 and 3, whole and damaged.

use super::*;
use crate::wire::{Cut, trial};

/// A header of a command with these flags, the offset of the next one, and the body.
fn message(command: u8, flags: u8, next: u8, body: &str) -> Vec<u8> {
    let head = format!("fe534d42 4000 0100 00000000 {command:02x}00 0100 {flags:02x}000000 {next:02x}000000");
    let rest = "0500000000000000 fffe0000 01000000 0900000000000000 00000000000000000000000000000000";
    [trial::bytes(&head), trial::bytes(rest), trial::bytes(body)].concat()
}

const FILE: &str = "01000000000000000200000000000000";

fn talk() -> Vec<Vec<u8>> {
    let stamps = "0100000000000000 0200000000000000 0300000000000000 0400000000000000 0010000000000000 0700000000000000 20000000";
    let chained = [
        message(
            5,
            0,
            0xb8,
            &format!(
                "3900 00 00 02000000 {0} {0} 89001200 80000000 07000000 01000000 00000000 7800 0400 80000000 34000000 61006200 00000000 18000000 1000 0400 0000 0000 00000000 4d784163 00000000 00000000 1000 0400 0000 1800 04000000 52714c73 00000000 01020304",
                "0000000000000000"
            ),
        ),
        message(6, 4, 0, &format!("1800 0100 00000000 {FILE}")),
    ];
    vec![
        message(0, 0, 0, &format!("2400 0200 01 000000 7f000000 {FILE} 68000000 0100 0000 0202 1103 0100 0200 00000000 abcd")),
        message(
            0,
            1,
            0,
            &format!(
                "4100 01 00 0202 0000 {FILE} 07000000 00000100 00000100 00000100 {} 8000 0200 00000000 6001",
                "0000000000000000".repeat(2)
            ),
        ),
        message(1, 0, 0, "1900 00 01 01000000 00000000 5800 0200 0000000000000000 6002"),
        message(1, 1, 0, "0900 0000 4800 0000"),
        message(3, 0, 0, "0900 0000 4800 0800 5c005c006100 6200"),
        message(3, 1, 0, "1000 01 00 00000000 00000000 ff011f00"),
        chained.concat(),
        message(5, 1, 0, &format!("5900 00 00 01000000 {stamps} 00000000 {FILE} 00000000 00000000")),
        message(6, 1, 0, &format!("3c00 0100 00000000 {stamps}")),
        message(8, 0, 0, &format!("3100 50 00 04000000 0000000000000000 {FILE} 00000000 00000000 00000000 0000 0000 00")),
        message(8, 1, 0, "1100 50 00 04000000 00000000 00000000 64617461"),
        message(9, 0, 0, &format!("3100 7000 04000000 0000000000000000 {FILE} 00000000 00000000 0000 0000 00000000 64617461")),
        message(9, 1, 0, "1100 0000 04000000 00000000 0000 0000"),
        message(10, 0, 0, &format!("3000 0100 00000000 {FILE} 0000000000000000 0100000000000000 02000000 00000000")),
        message(
            11,
            0,
            0,
            &format!("3900 0000 17c01100 {FILE} 78000000 02000000 00000000 00000000 00000000 00100000 01000000 00000000 6162"),
        ),
        message(14, 0, 0, &format!("2100 25 00 00000000 {FILE} 6000 0200 00000100 2a00")),
        message(15, 0, 0, &format!("2000 0100 00100000 {FILE} ff0f0000 00000000")),
        message(16, 0, 0, &format!("2900 01 05 00100000 0000 0000 00000000 00000000 00000000 {FILE}")),
        message(16, 1, 0, "0900 4800 02000000 6162"),
        message(17, 0, 0, &format!("2100 01 0d 01000000 6000 0000 00000000 {FILE} 01")),
        message(13, 0, 0, "0400 0000"),
    ]
}

fn read(session: &mut Session, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(Side::Client, wire))
}

#[test]
fn commands_are_dissected() {
    let mut session = Session::default();
    let trees: Vec<String> = talk().iter().map(|bytes| read(&mut session, bytes)).collect();
    assert!(trees.iter().all(|tree| !tree.contains("\n! ")), "{trees:#?}");
    let bodies: Vec<&str> = trees.iter().map(|tree| tree.split_once("smb2.signature").unwrap_or_default().1).collect();
    insta::assert_snapshot!(trees[6], @"");
    insta::assert_snapshot!(bodies.concat(), @"");
}

#[test]
fn a_response_names_its_request_and_an_error_its_status() {
    let mut session = Session::default();
    read(&mut session, &message(5, 0, 0, ""));
    let mut response = message(5, 1, 0, "0900 00 00 00000000 00");
    response[8..12].copy_from_slice(&0xc000_0022_u32.to_le_bytes());
    let tree = read(&mut session, &response);
    assert!(
        tree.starts_with("smb2 0..73 | Create response | STATUS_ACCESS_DENIED\n") && tree.contains("smb2.response_to"),
        "{tree}"
    );
}

#[test]
fn transformed_messages_are_dissected() {
    let head =
        "fd534d42 00112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff 02000000 0000 0100 0900000000000000 9999";
    let mut session = Session::default();
    insta::assert_snapshot!(read(&mut session, &trial::bytes(head)), @"
    smb2 0..54 | encrypted | 2 bytes
      0..4 smb2.protocol_id = 0xfd534d42
      4..20 smb2.header.transform.signature = 00112233445566778899aabbccddeeff
      20..36 smb2.header.transform.nonce = 00112233445566778899aabbccddeeff
      36..40 smb2.header.transform.msg_size = 2
      40..42 smb2.header.transform.reserved = 0000
      42..44 smb2.header.transform.flags = 0x0001
      44..52 smb2.sesid = 0x0000000000000009
      52..54 smb2.header.transform.enc_data = 9999
    ");
    insta::assert_snapshot!(read(&mut session, &trial::bytes("fc534d42 00010000 0100 0000 00000000 9999")), @"
    smb2 0..18 | compressed | 256 bytes once decompressed
      0..4 smb2.protocol_id = 0xfc534d42
      4..8 smb2.header.comp_transform.original_size = 256
      8..10 smb2.header.comp_transform.comp_alg = 0x0001 (LZNT1)
      10..12 smb2.header.comp_transform.flags = 0x0000
      12..16 smb2.header.comp_transform.offset = 0x00000000
      16..18 smb2.header.comp_transform.data = 9999
    ");
}

#[test]
fn damaged_messages_are_survived() {
    for bytes in talk() {
        let mut session = Session::default();
        trial::survives_damage(&PROTOCOL, &bytes, |wire| session.message(Side::Client, wire));
    }
}
