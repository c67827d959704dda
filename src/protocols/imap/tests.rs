//! A whole session, recognition, mailboxes, damage.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Opening, Verdict};

const TALK: &[(Side, &[u8])] = &[
    (Side::Server, b"* OK IMAP4rev1 ready\r\n"),
    (Side::Client, b"a1 login \"anna\" moss-green\r\na2 LOGIN {4}\r\n"),
    (Side::Server, b"a1 OK in\r\n+ go on\r\n"),
    (Side::Client, b"anna {10+}\r\nmoss-green\r\n"),
    (Side::Server, b"a2 NO again\r\n"),
    (Side::Client, b"a3 AUTHENTICATE PLAIN\r\n"),
    (Side::Server, b"+ \r\n"),
    (Side::Client, b"AGFubmEAbW9zcy1ncmVlbg==\r\n"),
    (Side::Server, b"* 2 EXISTS\r\na3 OK in\r\n"),
    (Side::Client, b"a4 APPEND \"My mail\" {5}\r\n"),
    (Side::Server, b"+ OK\r\n"),
    (Side::Client, b"hello\r\na5 UID FETCH 1 (UID)\r\na6 IDLE\r\nDONE\r\n"),
    (Side::Server, b"* 1 FETCH (UID 1 BODY[] {3}\r\na\r\n BODY[1] {0}\r\n)\r\na5 OK\r\n"),
];

#[test]
fn a_session_is_dissected_line_by_line() {
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
    imap 0..22 | OK | OK IMAP4rev1 ready
      imap.isrequest = false
      0..22 imap.line = "* OK IMAP4rev1 ready\r\n"
    imap 0..28 | LOGIN | anna
      imap.isrequest = true
      0..28 imap.line = "a1 login "anna" moss-green\r\n"
        0..26 imap.request = "a1 login "anna" moss-green"
        0..2 imap.request_tag = "a1"
        3..8 imap.request.command = "login"
        10..14 imap.request.username = "anna"
        16..26 imap.request.password = "moss-green"
        26..28 imap.line.end = 0d0a
    imap 0..14 | LOGIN
      imap.isrequest = true
      0..14 imap.line = "a2 LOGIN {4}\r\n"
        0..12 imap.request = "a2 LOGIN {4}"
        0..2 imap.request_tag = "a2"
        3..8 imap.request.command = "LOGIN"
        12..14 imap.line.end = 0d0a
    imap 0..10 | OK | OK in
      imap.isrequest = false
      0..10 imap.line = "a1 OK in\r\n"
        0..8 imap.response = "a1 OK in"
        0..2 imap.response_tag = "a1"
        3..5 imap.response.status = "OK"
        6..8 imap.response.command = "in"
        imap.response_to = 0
        8..10 imap.line.end = 0d0a
    imap 0..9 | continuation | go on
      imap.isrequest = false
      0..9 imap.line = "+ go on\r\n"
        0..7 imap.response = "+ go on"
        0..1 imap.response_tag = "+"
        2..4 imap.response.command = "go"
        7..9 imap.line.end = 0d0a
    imap 0..4 | literal
      imap.isrequest = true
      0..4 imap.request.username = "anna"
    imap 0..20 | continuation
      imap.isrequest = true
      0..8 imap.line = " {10+}\r\n"
        0..6 imap.request.continuation = " {10+}"
        6..8 imap.line.end = 0d0a
      8..18 imap.request.password = "moss-green"
      18..20 imap.line = "\r\n"
        18..20 imap.line.end = 0d0a
    imap 0..13 | NO | NO again
      imap.isrequest = false
      0..13 imap.line = "a2 NO again\r\n"
        0..11 imap.response = "a2 NO again"
        0..2 imap.response_tag = "a2"
        3..5 imap.response.status = "NO"
        6..11 imap.response.command = "again"
        imap.response_to = 0
        11..13 imap.line.end = 0d0a
    imap 0..23 | AUTHENTICATE | PLAIN
      imap.isrequest = true
      0..23 imap.line = "a3 AUTHENTICATE PLAIN\r\n"
        0..21 imap.request = "a3 AUTHENTICATE PLAIN"
        0..2 imap.request_tag = "a3"
        3..15 imap.request.command = "AUTHENTICATE"
        21..23 imap.line.end = 0d0a
    imap 0..4 | continuation
      imap.isrequest = false
      0..4 imap.line = "+ \r\n"
        0..2 imap.response = "+ "
        0..1 imap.response_tag = "+"
        2..4 imap.line.end = 0d0a
    imap 0..26 | authentication
      imap.isrequest = true
      0..26 imap.line = "AGFubmEAbW9zcy1ncmVlbg==\r\n"
        0..24 imap.request.credentials = "AGFubmEAbW9zcy1ncmVlbg=="
        24..26 imap.line.end = 0d0a
    imap 0..12 | EXISTS | 2 EXISTS
      imap.isrequest = false
      0..12 imap.line = "* 2 EXISTS\r\n"
    imap 0..10 | OK | OK in
      imap.isrequest = false
      0..10 imap.line = "a3 OK in\r\n"
        0..8 imap.response = "a3 OK in"
        0..2 imap.response_tag = "a3"
        3..5 imap.response.status = "OK"
        6..8 imap.response.command = "in"
        imap.response_to = 0
        8..10 imap.line.end = 0d0a
    imap 0..25 | APPEND | "My mail" {5}
      imap.isrequest = true
      0..25 imap.line = "a4 APPEND "My mail" {5}\r\n"
        0..23 imap.request = "a4 APPEND "My mail" {5}"
        0..2 imap.request_tag = "a4"
        3..9 imap.request.command = "APPEND"
        11..18 imap.request.folder = "My mail"
        23..25 imap.line.end = 0d0a
    imap 0..6 | OK | OK
      imap.isrequest = false
      0..6 imap.line = "+ OK\r\n"
        0..4 imap.response = "+ OK"
        0..1 imap.response_tag = "+"
        2..4 imap.response.status = "OK"
        4..6 imap.line.end = 0d0a
    imap 0..5 | literal | 5 bytes
      imap.isrequest = true
      0..5 imap.literal = "hello"
    imap 0..2 | continuation
      imap.isrequest = true
      0..2 imap.line = "\r\n"
        0..2 imap.line.end = 0d0a
    imap 0..22 | UID FETCH | 1 (UID)
      imap.isrequest = true
      0..22 imap.line = "a5 UID FETCH 1 (UID)\r\n"
        0..20 imap.request = "a5 UID FETCH 1 (UID)"
        0..2 imap.request_tag = "a5"
        3..6 imap.request.command.uid = true
        7..12 imap.request.command = "FETCH"
        20..22 imap.line.end = 0d0a
    imap 0..9 | IDLE
      imap.isrequest = true
      0..9 imap.line = "a6 IDLE\r\n"
        0..7 imap.request = "a6 IDLE"
        0..2 imap.request_tag = "a6"
        3..7 imap.request.command = "IDLE"
        7..9 imap.line.end = 0d0a
    imap 0..6 | DONE
      imap.isrequest = true
      0..6 imap.line = "DONE\r\n"
        0..4 imap.request = "DONE"
        4..6 imap.line.end = 0d0a
    imap 0..49 | FETCH | 1 FETCH (UID 1 BODY[] {3}
      imap.isrequest = false
      0..29 imap.line = "* 1 FETCH (UID 1 BODY[] {3}\r\n"
      29..32 imap.literal = "a\r\n"
      32..46 imap.line = " BODY[1] {0}\r\n"
      46..49 imap.line = ")\r\n"
    imap 0..7 | OK | OK
      imap.isrequest = false
      0..7 imap.line = "a5 OK\r\n"
        0..5 imap.response = "a5 OK"
        0..2 imap.response_tag = "a5"
        3..5 imap.response.status = "OK"
        imap.response_to = 0
        5..7 imap.line.end = 0d0a
    "#);
}

#[test]
fn damaged_lines_are_survived() {
    survives_damage(&PROTOCOL, Session::default, TALK);
}

#[test]
fn a_session_is_recognized_by_its_greeting_or_midway() {
    let verdicts = |client: &[u8], server: &[u8], start| {
        let opening = Opening { sent: [client, server], from_start: [start; 2], complete: true };
        (anywhere(&opening), recognize(&opening))
    };
    let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
    assert_eq!(verdicts(b"", b"* OK IMAP4rev1\r\n", true), (yes, yes));
    assert_eq!(verdicts(b"", b"* BYE\r\n", true), (no, yes));
    assert_eq!(verdicts(b"x\r\na1 FETCH 1 (UID)\r\n", b"", false), (no, yes));
    assert_eq!(verdicts(b"hello world\r\n", b"", false), (no, no));
}

#[test]
fn an_initial_response_follows_the_name_of_the_mechanism() {
    // RFC 4959, section 3.
    let line = b"a AUTHENTICATE PLAIN dGVzdAB0ZXN0AHRlc3Q=\r\n";
    let tree = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, line)]);
    assert!(tree.contains("21..41 imap.request.credentials = \"dGVzdAB0ZXN0AHRlc3Q=\""), "{tree}");
}

#[test]
fn copies_name_their_mailbox_after_the_messages() {
    for (line, name) in [
        (&b"a COPY 2:4 INBOX\r\n"[..], Some("11..16 imap.request.folder = \"INBOX\"")),
        (b"a UID MOVE 7 \"My mail\"\r\n", Some("14..21 imap.request.folder = \"My mail\"")),
        (b"a COPY 2\r\n", None),
        (b"a SEARCH ALL\r\n", None),
    ] {
        let tree = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, line)]);
        let has = name.map_or(!tree.contains("imap.request.folder"), |name| tree.contains(name));
        assert!(has, "{tree}");
    }
}

#[test]
fn tls_takes_over() {
    let mut session = Session::default();
    trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"a STARTTLS\r\n"), (Side::Server, b"a OK go\r\n")]);
    assert!(matches!(session.next(), Some(Next::Detect)));
}

#[test]
fn only_commands_that_log_in_may_hold_a_secret() {
    let session = Session::default();
    for ahead in [&b""[..], b"a1 LOGIN anna ", b"a1 login anna ", b"a2 AUTHENTICATE PLAIN"] {
        assert!(session.may_hold_secret(Side::Client, ahead) && !session.may_hold_secret(Side::Server, ahead), "{ahead:?}");
    }
    for ahead in [&b"a1 NOOP\r\n"[..], b"a3 FETCH 1 BODY[]", b"LOGIN"] {
        assert!(!session.may_hold_secret(Side::Client, ahead), "{ahead:?}");
    }
}
