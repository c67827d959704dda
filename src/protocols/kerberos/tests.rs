//! Messages of Kerberos, whole and damaged.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Cut, trial};

/// An element of BER.
fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let contents = parts.concat();
    let length = contents.len();
    let head = match u8::try_from(length) {
        Ok(short @ 0..0x80) => vec![tag, short],
        _ => [&[tag, 0x82][..], &u16::try_from(length).unwrap_or_default().to_be_bytes()].concat(),
    };
    [head, contents].concat()
}

/// A numbered member.
fn member(number: u8, value: &[u8]) -> Vec<u8> {
    element(0xa0 | number, &[value])
}

fn integer(number: u8) -> Vec<u8> {
    vec![2, 1, number]
}

fn text(text: &str) -> Vec<u8> {
    element(0x1b, &[text.as_bytes()])
}

fn name(kind: u8, parts: &[&str]) -> Vec<u8> {
    let parts: Vec<u8> = parts.iter().flat_map(|part| text(part)).collect();
    element(0x30, &[&member(0, &integer(kind)), &member(1, &element(0x30, &[&parts]))])
}

fn sealed() -> Vec<u8> {
    element(0x30, &[&member(0, &integer(18)), &member(1, &integer(2)), &member(2, b"\x04\x02\xab\xcd")])
}

fn ticket() -> Vec<u8> {
    let parts =
        [member(0, &integer(5)), member(1, &text("HOME")), member(2, &name(2, &["krbtgt", "HOME"])), member(3, &sealed())];
    element(0x61, &[&element(0x30, &[&parts.concat()])])
}

fn request() -> Vec<u8> {
    let stamp = element(0x30, &[&member(1, &integer(2)), &member(2, &element(4, &[&sealed()]))]);
    let other = element(0x30, &[&member(1, &integer(128)), &member(2, b"\x04\x01\x00")]);
    let apreq = [
        member(0, &integer(5)),
        member(1, &integer(14)),
        member(2, b"\x03\x05\0\0\0\0\0"),
        member(3, &ticket()),
        member(4, &sealed()),
    ];
    let apreq = element(0x6e, &[&element(0x30, &[&apreq.concat()])]);
    let second = element(0x30, &[&member(1, &integer(1)), &member(2, &element(4, &[&apreq]))]);
    let body = [
        member(0, b"\x03\x05\0\x40\x81\0\x10"),
        member(1, &name(1, &["anna"])),
        member(2, &text("HOME")),
        member(3, &name(2, &["krbtgt", "HOME"])),
        member(5, b"\x18\x0f20370913024805Z"),
        member(7, b"\x02\x04\x7f\0\0\x01"),
        member(8, &element(0x30, &[&integer(18), &integer(17)])),
        member(9, &element(0x30, &[&element(0x30, &[&member(0, &integer(2)), &member(1, b"\x04\x04\xc0\0\x02\x01")])])),
    ];
    let parts = [
        member(1, &integer(5)),
        member(2, &integer(10)),
        member(3, &element(0x30, &[&stamp, &other, &second])),
        member(4, &element(0x30, &[&body.concat()])),
    ];
    element(0x6a, &[&element(0x30, &[&parts.concat()])])
}

fn response() -> Vec<u8> {
    let parts = [
        member(0, &integer(5)),
        member(1, &integer(11)),
        member(3, &text("HOME")),
        member(4, &name(1, &["anna"])),
        member(5, &ticket()),
        member(6, &sealed()),
    ];
    element(0x6b, &[&element(0x30, &[&parts.concat()])])
}

fn refusal() -> Vec<u8> {
    let parts = [
        member(0, &integer(5)),
        member(1, &integer(30)),
        member(4, b"\x18\x0f20370913024805Z"),
        member(5, &integer(7)),
        member(6, &integer(25)),
        member(9, &text("HOME")),
        member(10, &name(2, &["krbtgt", "HOME"])),
        member(11, &text("no")),
    ];
    element(0x7e, &[&element(0x30, &[&parts.concat()])])
}

fn record(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap_or_default().to_be_bytes()[..], message].concat()
}

#[test]
fn records_are_dissected() {
    let talk = [(Side::Client, record(&request())), (Side::Server, record(&response()))];
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &lines), @"");
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn datagrams_are_dissected() {
    let mut session = Session::default();
    let bytes = refusal();
    assert!(is_message(&bytes) && !is_message(&bytes[1..]));
    let tree = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Exchange::message(&mut session, Side::Server, wire));
    insta::assert_snapshot!(tree, @r#"
    kerberos 0..84 | krb-error | eRR-PREAUTH-REQUIRED, krbtgt/HOME
      0..2 kerberos.element = 7e52
      2..4 kerberos.element = 3050
      4..6 kerberos.element = a003
      6..9 kerberos.pvno = 5
      9..11 kerberos.element = a103
      11..14 kerberos.msg_type = 30 (krb-error)
      14..16 kerberos.element = a411
      16..18 kerberos.element = 180f
      18..33 kerberos.stime_time = "20370913024805Z"
      33..35 kerberos.element = a503
      35..38 kerberos.susec = 7
      38..40 kerberos.element = a603
      40..43 kerberos.error_code = 25 (eRR-PREAUTH-REQUIRED)
      43..45 kerberos.element = a906
      45..47 kerberos.element = 1b04
      47..51 kerberos.realm = "HOME"
      51..53 kerberos.element = aa19
      53..78 kerberos.sname
        53..55 kerberos.element = 3017
        55..57 kerberos.element = a003
        57..60 kerberos.name_type = 2 (kRB5-NT-SRV-INST)
        60..62 kerberos.element = a110
        62..64 kerberos.element = 300e
        64..66 kerberos.element = 1b06
        66..72 kerberos.SNameString = "krbtgt"
        72..74 kerberos.element = 1b04
        74..78 kerberos.SNameString = "HOME"
      78..80 kerberos.element = ab04
      80..82 kerberos.element = 1b02
      82..84 kerberos.e_text = "no"
    "#);
}

#[test]
fn streams_are_recognized_by_a_record() {
    let judge = |client: &[u8], complete| recognize(&Opening { sent: [client, b""], from_start: [true; 2], complete });
    let record = record(&request());
    assert_eq!(judge(&record, true), Verdict::Yes(Side::Server));
    assert_eq!(judge(&record[..6], false), Verdict::Unsure);
    assert_eq!(judge(b"\0\0\0\x09\x30\0\0\0\0\0", true), Verdict::No);
}
