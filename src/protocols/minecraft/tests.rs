//! Conversations from the handshake on.

use super::heuristics::detect;
use super::*;
use crate::wire::{Opening, Verdict, trial};

const HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd01";
const LOGIN_HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd02";
const REQUEST: &str = "0100";
const STATUS: &str = "4e004c7b2276657273696f6e223a7b226e616d65223a22312e32302e31222c2270726f746f636f6c223a3736337d2c22706c6179 \
    657273223a7b226d6178223a32302c226f6e6c696e65223a327d7d";
const PING: &str = "0901000000000000004d";
const LOGIN: &str = "17000466616c6b01000102030405060708090a0b0c0d0e0f";
const KEY: &str = "18010010000102030405060708090a0b0c0d0e0f0400010203";
const SECRET: &str = "230110000102030405060708090a0b0c0d0e0f10000102030405060708090a0b0c0d0e0f";
const SUCCESS: &str = "1702000102030405060708090a0b0c0d0e0f0466616c6b00";

/// Dissects messages of both sides into trees.
fn dissect(session: &mut Session, messages: &[(Side, &str)]) -> String {
    let trees = messages.iter().map(|(side, hex)| trial::message(&PROTOCOL, session, *side, &trial::bytes(hex), Cut::No));
    trees.collect::<Vec<_>>().concat()
}

const C: Side = Side::Client;
const S: Side = Side::Server;

#[test]
fn server_status_is_read() {
    let messages = [(C, HANDSHAKE), (C, REQUEST), (S, STATUS), (C, PING), (S, PING)];
    insta::assert_snapshot!(dissect(&mut Session::default(), &messages), @r#"
    minecraft 0..24 | handshake | status, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 1 (status)
    minecraft 0..2 | status request
      0..1 minecraft.length = 1
      1..2 minecraft.id = 0
    minecraft 0..79 | status
      0..1 minecraft.length = 78
      1..2 minecraft.id = 0
      2..3 minecraft.json_length = 76
      3..79 minecraft.json = "{"version":{"name":"1.20.1","protocol":763},"players":{"max":20,"online":2}}"
      minecraft.response_to = 0
    minecraft 0..10 | ping
      0..1 minecraft.length = 9
      1..2 minecraft.id = 1
      2..10 minecraft.ping.payload = 77
    minecraft 0..10 | pong
      0..1 minecraft.length = 9
      1..2 minecraft.id = 1
      2..10 minecraft.ping.payload = 77
      minecraft.response_to = 0
    "#);
}

#[test]
fn a_login_ends_in_encryption() {
    let mut session = Session::default();
    insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, KEY), (C, SECRET)]), @r#"
    minecraft 0..24 | handshake | login, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 2 (login)
    minecraft 0..24 | login | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..3 minecraft.login.name_length = 4
      3..7 minecraft.login.name = "falk"
      7..24 minecraft.data = 17 bytes
    minecraft 0..25 | encryption request
      0..1 minecraft.length = 24
      1..2 minecraft.id = 1
      2..3 minecraft.login.server_id_length = 0
      3..3 minecraft.login.server_id = ""
      3..4 minecraft.login.key_length = 16
      4..20 minecraft.login.key = 000102030405060708090a0b0c0d0e0f
      20..21 minecraft.login.token_length = 4
      21..25 minecraft.login.token = 00010203
    minecraft 0..36 | encryption response
      0..1 minecraft.length = 35
      1..2 minecraft.id = 1
      2..3 minecraft.login.secret_length = 16
      3..19 minecraft.login.secret = 000102030405060708090a0b0c0d0e0f
      19..36 minecraft.data = 17 bytes
    ! odd minecraft.note.no_key at 36..36 minecraft: no key secret: --keys with this line reads what follows: minecraft secret HEX
    "#);
    assert_eq!(session.extent(Side::Server, &[1, 2, 3], true), Extent::Unknown(3));
}

#[test]
fn without_encryption_framing_continues() {
    let mut session = Session::default();
    insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, SUCCESS), (S, "03 24 01 02")]), @r#"
    minecraft 0..24 | handshake | login, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 2 (login)
    minecraft 0..24 | login | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..3 minecraft.login.name_length = 4
      3..7 minecraft.login.name = "falk"
      7..24 minecraft.data = 17 bytes
    minecraft 0..24 | logged in | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 2
      2..18 minecraft.login.uuid = 000102030405060708090a0b0c0d0e0f
      18..19 minecraft.login.name_length = 4
      19..23 minecraft.login.name = "falk"
      23..24 minecraft.data = 00
    minecraft 0..4 | map chunk
      0..1 minecraft.length = 3
      1..2 minecraft.id = 36
      2..4 minecraft.data = 0102
    ! broken dissect.short at 2..4 minecraft: 2 more bytes needed, 2 left
    "#);
}

#[test]
fn a_login_is_refused_or_compression_begins() {
    let mut session = Session::default();
    dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN)]);
    insta::assert_snapshot!(dissect(&mut session, &[(S, "05 00 03 22 6e 22"), (S, "03 03 80 02"), (S, "02 00 01")]), @r#"
    minecraft 0..6 | refused
      0..1 minecraft.length = 5
      1..2 minecraft.id = 0
      2..3 minecraft.json_length = 3
      3..6 minecraft.json = ""n""
    minecraft 0..4 | compression | from 256 bytes on
      0..1 minecraft.length = 3
      1..2 minecraft.id = 3
      2..4 minecraft.login.threshold = 256
    minecraft 0..3 | encryption request
      0..1 minecraft.length = 2
      1..2 minecraft.data_length = 0
      2..3 minecraft.id = 1
    ! broken dissect.short at 3..3 minecraft: 1 more bytes needed, 0 left
    "#);
}

#[test]
fn packets_have_one_byte_to_the_limit() {
    let extent = |hex: &str| Session::default().extent(C, &trial::bytes(hex), true);
    assert_eq!(
        (extent("01"), extent("8001"), extent("ffff7f")),
        (Extent::Message(2), Extent::Message(130), Extent::Message(3 + 0x1f_ffff))
    );
    assert_eq!((extent(""), extent("80"), extent("ffff")), (Extent::NeedMore(1), Extent::NeedMore(2), Extent::NeedMore(3)));
    assert_eq!((extent("00 01"), extent("ffffff7f")), (Extent::Unknown(2), Extent::Unknown(4)));
}

#[test]
fn recognition_requires_a_valid_handshake() {
    let opening = |bytes: &[u8]| detect(&Opening { sent: [bytes, &[]], from_start: [true, true], complete: false });
    let whole = trial::bytes(HANDSHAKE);
    for cut in 0..whole.len() {
        assert_eq!(opening(&whole[..cut]), Verdict::Unsure, "{cut}");
    }
    assert_eq!(opening(&whole), Verdict::Yes(Side::Server));
    for (protocol, verdict) in [
        ("ffffffff0f", Verdict::Yes(Side::Server)),
        ("81808080 04", Verdict::Yes(Side::Server)),
        ("8020", Verdict::No),
        ("f5f5f5 01", Verdict::No),
    ] {
        let rest = [trial::bytes("00"), trial::bytes(protocol), trial::bytes("01 61 63dd 01")].concat();
        let length = u8::try_from(rest.len()).unwrap();
        assert_eq!(opening(&[&[length], rest.as_slice()].concat()), verdict, "{protocol}");
    }
    assert_eq!(opening(b"GET / HTTP/1.1"), Verdict::No);
    assert_eq!(opening(b"SSH-2.0-x"), Verdict::No);
    assert_eq!(opening(&[0x16, 3, 1, 2, 0]), Verdict::No);
}

#[test]
fn lengths_that_cannot_be_end_the_reading() {
    let mut session = Session::default();
    assert_eq!(session.extent(Side::Client, &[0x80], true), Extent::NeedMore(2));
    assert_eq!(session.extent(Side::Client, &[0xff; 6], true), Extent::Unknown(6));
    assert_eq!(session.extent(Side::Client, &[1, 0], true), Extent::Unknown(2));
}
