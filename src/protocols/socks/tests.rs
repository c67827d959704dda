//! Whole handshakes against the examples of the specifications, recognition, damage.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Cut, Opening, Verdict, trial};

use Side::{Client as C, Server as S};

const LOGIN: &[(Side, &[u8])] = &[
    (C, b"\x05\x02\0\x02"),
    (S, b"\x05\x02"),
    (C, b"\x01\x04anna\x0amoss-green"),
    (S, b"\x01\0"),
    (C, b"\x05\x01\0\x03\x0cgame.example\0\x50"),
    (S, b"\x05\0\0\x01\xcb\0\x71\x05\xc3\x50"),
];
const OLD: &[(Side, &[u8])] = &[(C, b"\x04\x01\0\x50\x42\x66\x07\x63Fred\0"), (S, b"\0\x5a\0\0\0\0\0\0")];
const NAMED: &[(Side, &[u8])] = &[(C, b"\x04\x01\0\x50\0\0\0\x01Fred\0game.example\0"), (S, b"\0\x5b\0\0\0\0\0\0")];

#[test]
fn a_login_and_a_request_are_dissected() {
    let mut session = Session::default();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut session, LOGIN), @r#"
    socks 0..4 | methods
      0..1 socks.version = 5
      1..2 socks.auth_method_count = 2
      2..3 socks.auth_method = 0 (No authentication)
      3..4 socks.auth_method = 2 (Username/Password)
    socks 0..2 | method | Username/Password
      0..1 socks.version = 5
      1..2 socks.auth_accepted_method = 2 (Username/Password)
    socks 0..17 | login | anna
      socks.version = 5
      0..1 socks.subnegotiation_version = 1
      1..2 socks.username_length = 4
      2..6 socks.username = "anna"
      6..7 socks.password_length = 10
      7..17 socks.password = "moss-green"
    socks 0..2 | login status | accepted
      socks.version = 5
      0..1 socks.subnegotiation_version = 1
      1..2 socks.auth_status = 0
    socks 0..19 | Connect | game.example:80
      0..1 socks.version = 5
      1..2 socks.command = 1 (Connect)
      2..3 socks.reserved = 0
      3..4 socks.address_type = 3 (Domain Name)
      4..5 socks.remote_name_length = 12
      5..17 socks.remote_name = "game.example"
      17..19 socks.port = 80
    socks 0..10 | reply | Succeeded
      0..1 socks.version = 5
      1..2 socks.results = 0 (Succeeded)
      2..3 socks.reserved = 0
      3..4 socks.address_type = 1 (IPv4)
      4..8 socks.dst = 203.0.113.5
      8..10 socks.port = 50000
    "#);
    assert!(matches!(session.next(), Some(Next::Relayed(..))));
}

#[test]
fn requests_of_version_4_are_dissected() {
    let mut session = Session::default();
    let trees = trees_of(&PROTOCOL, &mut session, OLD);
    assert!(matches!(session.next(), Some(Next::Relayed(..))));
    let mut refused = Session::default();
    insta::assert_snapshot!(trees + &trees_of(&PROTOCOL, &mut refused, NAMED), @r#"
    socks 0..13 | Connect | 66.102.7.99:80
      0..1 socks.version = 4
      1..2 socks.command = 1 (Connect)
      2..4 socks.dstport = 80
      4..8 socks.dst = 66.102.7.99
      8..13 socks.username = "Fred"
    socks 0..8 | reply | Granted
      0..1 socks.version = 0
      1..2 socks.results = 90 (Granted)
      2..4 socks.dstport = 0
      4..8 socks.dst = 0.0.0.0
    socks 0..26 | Connect | game.example:80
      0..1 socks.version = 4
      1..2 socks.command = 1 (Connect)
      2..4 socks.dstport = 80
      4..8 socks.dst = 0.0.0.1
      8..13 socks.username = "Fred"
      13..26 socks.v4a_dns_name = "game.example"
    socks 0..8 | reply | Rejected or Failed
      0..1 socks.version = 0
      1..2 socks.results = 91 (Rejected or Failed)
      2..4 socks.dstport = 0
      4..8 socks.dst = 0.0.0.0
    "#);
    assert!(refused.next().is_none());
    assert_eq!(refused.extent(C, b"GET", true), Extent::Unknown(3));
}

#[test]
fn a_second_reply_follows_bind() {
    let mut session = Session::default();
    trees_of(&PROTOCOL, &mut session, &[(C, b"\x05\x01\0"), (S, b"\x05\0"), (C, b"\x05\x02\0\x01\x0a\0\0\x01\0\x15")]);
    for is_last in [false, true] {
        trees_of(&PROTOCOL, &mut session, &[(S, b"\x05\0\0\x01\x0a\0\0\x02\x10\0")]);
        assert_eq!(session.next().is_some(), is_last);
    }
}

#[test]
fn gssapi_messages_are_dissected() {
    let mut session = Session::default();
    let messages: &[(Side, &[u8])] =
        &[(C, b"\x05\x01\x01"), (S, b"\x05\x01"), (C, b"\x01\x01\0\x04\x60\x02\x06\0"), (S, b"\x01\xff"), (C, b"\x05\x01")];
    let trees = trees_of(&PROTOCOL, &mut session, messages);
    insta::assert_snapshot!(trail(&trees, "GSSAPI"), @"
      2..3 socks.auth_method = 1 (GSSAPI)
    socks 0..2 | method | GSSAPI
      0..1 socks.version = 5
      1..2 socks.auth_accepted_method = 1 (GSSAPI)
    socks 0..8 | GSSAPI
      socks.version = 5
      0..1 socks.subnegotiation_version = 1
      1..2 socks.gssapi.command = 1 (Authentication)
      2..4 socks.gssapi.length = 4
      4..8 socks.gssapi.data = 60020600
    socks 0..2 | GSSAPI
      socks.version = 5
      0..1 socks.subnegotiation_version = 1
      1..2 socks.gssapi.command = 255 (Failure)
    unfinished
    ");
}

/// The messages of this name.
fn trail(trees: &str, name: &str) -> String {
    trees.split_inclusive('\n').skip_while(|line| !line.contains(name)).collect()
}

#[test]
fn a_client_need_not_wait_for_the_reply() {
    let mut session = Session::default();
    trees_of(&PROTOCOL, &mut session, &LOGIN[..5]);
    assert_eq!(session.extent(C, b"GET /", true), Extent::NeedMore(6));
    assert_eq!(session.extent(C, b"GET /", false), Extent::Unknown(5));
    trees_of(&PROTOCOL, &mut session, &LOGIN[5..]);
    assert!(session.next().is_some());
}

#[test]
fn a_datagram_of_the_relay_is_dissected() {
    let bytes = b"\0\0\0\x03\x0cgame.example\x69\x87hello";
    assert!(is_datagram(bytes) && !is_datagram(b"\0\0\0\x02") && !is_datagram(b"\0\x01\0\x01"));
    insta::assert_snapshot!(trial::read(&PROTOCOL, bytes, Cut::No, datagram), @r#"
    socks 0..24 | datagram | game.example:27015
      0..2 socks.reserved = 0
      2..3 socks.fragment_number = 0
      3..4 socks.address_type = 3 (Domain Name)
      4..5 socks.remote_name_length = 12
      5..17 socks.remote_name = "game.example"
      17..19 socks.dstport = 27015
    "#);
    trial::survives_damage(&PROTOCOL, bytes, datagram);
}

#[test]
fn requests_are_recognized_on_the_port_and_with_a_reply_anywhere() {
    let detect = |client: &[u8], server: &[u8], complete| {
        let opening = Opening { sent: [client, server], from_start: [true; 2], complete };
        [heuristics::on_port(&opening), heuristics::anywhere(&opening)]
    };
    let yes = Verdict::Yes(S);
    for messages in [LOGIN, OLD, NAMED] {
        assert_eq!(detect(messages[0].1, messages[1].1, false), [yes; 2]);
        assert_eq!(detect(messages[0].1, b"", false), [yes, Verdict::Unsure]);
        assert_eq!(detect(messages[0].1, b"", true), [yes, Verdict::No]);
        assert_eq!(detect(&messages[0].1[..3], b"", false), [Verdict::Unsure; 2]);
        assert_eq!(detect(messages[1].1, messages[0].1, false), [Verdict::Yes(C); 2]);
    }
    assert_eq!(detect(b"\x05\x01\0\x05\x01\0\x03", b"\x05\0", false), [yes; 2]);
    // A client that waits for a connection from outside may leave its port open.
    assert_eq!(detect(b"\x04\x02\0\0\x7f\0\0\x01user\0", b"\0\x5a\xd0\xb9\x7f\0\0\x01", false), [yes; 2]);
    for (client, server) in [
        (&b"\x05\x01\0"[..], &b"\x05\x02"[..]),
        (b"\x05\x01\0hello", b""),
        (b"\x05\x02\0\0", b"\x05\0"),
        (b"\x05\0", b"\x05\xff"),
        (b"\x04\x01\0\0\x42\x66\x07\x63\0", b"\0\x5a\0\0\0\0\0\0"),
        (b"\x04\x01\0\x50\x42\x66\x07\x63\xff", b"\0\x5a\0\0\0\0\0\0"),
        (b"\x04\x03\0\x50", b""),
        (b"GET / HTTP/1.1\r\n", b""),
    ] {
        assert_eq!(detect(client, server, true), [Verdict::No; 2], "{client:?} {server:?}");
    }
    assert_eq!(detect(OLD[0].1, b"\0\x5e\0\0\0\0\0\0", true), [Verdict::No; 2]);
    // A user ID that is longer than the limit.
    let long = |count: usize| [&b"\x04\x01\0\x50\x42\x66\x07\x63"[..], &vec![b'a'; count], b"\0"].concat();
    assert_eq!(detect(&long(1000), b"\0\x5a\0\0\0\0\0\0", true), [yes; 2]);
    assert_eq!(detect(&long(1200), b"\0\x5a\0\0\0\0\0\0", true), [Verdict::No; 2]);
}

#[test]
fn damaged_messages_are_dissected() {
    for messages in [LOGIN, OLD, NAMED] {
        survives_damage(&PROTOCOL, Session::default, messages);
    }
}
