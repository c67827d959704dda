//! PostgreSQL messages, valid and malformed, and the heuristic.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Opening, Verdict};

const TALK: &[(Side, &[u8])] = &[
    (Side::Client, b"\0\0\0\x08\x04\xd2\x16\x2f"),
    (Side::Server, b"N"),
    (Side::Client, b"\0\0\0\x1e\0\x03\0\0user\0anna\0database\0a\0\0"),
    (Side::Server, b"R\0\0\0\x0c\0\0\0\x05salt"),
    (Side::Client, b"p\0\0\0\x0cmd5abcd\0"),
    (Side::Server, b"R\0\0\0\x08\0\0\0\0S\0\0\0\x08a\0b\0K\0\0\0\x0c\0\0\0\x07\0\0\0\x09Z\0\0\0\x05I"),
    (Side::Client, b"Q\0\0\0\x0dselect a\0P\0\0\0\x1fs\0alter password 'x'\0\0\x01\0\0\0\x17"),
    (Side::Client, b"B\0\0\0\x18\0s\0\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x01x\0\0D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\x05S\0\0\0\x04"),
    (Side::Server, b"T\0\0\0\x1a\0\x01a\0\0\0\0\x05\0\x02\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0D\0\0\0\x0b\0\x01\0\0\0\x01xC\0\0\0\x0dSELECT 1\0"),
    (Side::Server, b"E\0\0\0\x17SERROR\0C42P01\0Mno\0\0A\0\0\0\x0c\0\0\0\x07a\0b\0H\0\0\0\x09\0\0\x01\0\0d\0\0\0\x06ab"),
    (Side::Client, b"F\0\0\0\x0e\0\0\0\x2a\0\0\0\0\0\x01f\0\0\0\x06x\0X\0\0\0\x04"),
    (Side::Server, b"R\0\0\0\x0d\0\0\0\x0aabc\0\0v\0\0\0\x0e\0\0\0\0\0\0\0\x01a\0"),
    (Side::Client, b"p\0\0\0\x0eabc\0\0\0\0\x02hi"),
    (Side::Client, b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x09"),
];

#[test]
fn a_session_is_dissected() {
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
    pgsql 0..8 | SSL request
      pgsql.frontend = true
      0..0 pgsql.type = "SSL request"
      0..4 pgsql.length = 8
      4..8 pgsql.request_code = 80877103
    pgsql 0..1 | Encryption refused
      pgsql.frontend = false
      0..1 pgsql.type = "Encryption refused"
    pgsql 0..30 | Startup message | user anna, database a
      pgsql.frontend = true
      0..0 pgsql.type = "Startup message"
      0..4 pgsql.length = 30
      4..6 pgsql.version_major = 3
      6..8 pgsql.version_minor = 0
      8..13 pgsql.parameter_name = "user"
      13..18 pgsql.parameter_value = "anna"
      18..27 pgsql.parameter_name = "database"
      27..29 pgsql.parameter_value = "a"
      29..30 pgsql.end = 00
    pgsql 0..13 | Authentication request | MD5 password
      pgsql.frontend = false
      0..1 pgsql.type = "Authentication request"
      1..5 pgsql.length = 12
      5..9 pgsql.authtype = 5 (MD5 password)
      9..13 pgsql.salt = 73616c74
    pgsql 0..13 | Password message
      pgsql.frontend = true
      0..1 pgsql.type = "Password message"
      1..5 pgsql.length = 12
      5..13 pgsql.password = "md5abcd"
    pgsql 0..9 | Authentication request | Success
      pgsql.frontend = false
      0..1 pgsql.type = "Authentication request"
      1..5 pgsql.length = 8
      5..9 pgsql.authtype = 0 (Success)
    pgsql 0..9 | Parameter status | a = b
      pgsql.frontend = false
      0..1 pgsql.type = "Parameter status"
      1..5 pgsql.length = 8
      5..7 pgsql.parameter_name = "a"
      7..9 pgsql.parameter_value = "b"
    pgsql 0..13 | Backend key data | PID 7
      pgsql.frontend = false
      0..1 pgsql.type = "Backend key data"
      1..5 pgsql.length = 12
      5..9 pgsql.pid = 7
      9..13 pgsql.key = 9
    pgsql 0..6 | Ready for query | Idle
      pgsql.frontend = false
      0..1 pgsql.type = "Ready for query"
      1..5 pgsql.length = 5
      5..6 pgsql.status = 73 (Idle)
    pgsql 0..14 | Simple query | select a
      pgsql.frontend = true
      0..1 pgsql.type = "Simple query"
      1..5 pgsql.length = 13
      5..14 pgsql.query = "select a"
    pgsql 0..32 | Parse | alter password '***'
      pgsql.frontend = true
      0..1 pgsql.type = "Parse"
      1..5 pgsql.length = 31
      5..7 pgsql.statement = "s"
      7..26 pgsql.query = "alter password 'x'"
      26..28 pgsql.entries = 1
      28..32 pgsql.oid.type = 23
    pgsql 0..25 | Bind | s
      pgsql.frontend = true
      0..1 pgsql.type = "Bind"
      1..5 pgsql.length = 24
      5..6 pgsql.portal = ""
      6..8 pgsql.statement = "s"
      8..10 pgsql.entries = 1
      10..12 pgsql.format = 1 (Binary)
      12..14 pgsql.entries = 2
      14..18 pgsql.val.length = -1
      18..22 pgsql.val.length = 1
      22..23 pgsql.val.data = 78
      23..25 pgsql.entries = 0
    pgsql 0..7 | Describe | portal 
      pgsql.frontend = true
      0..1 pgsql.type = "Describe"
      1..5 pgsql.length = 6
      5..6 pgsql.target = "P"
      6..7 pgsql.portal = ""
    pgsql 0..10 | Execute
      pgsql.frontend = true
      0..1 pgsql.type = "Execute"
      1..5 pgsql.length = 9
      5..6 pgsql.portal = ""
      6..10 pgsql.returns = 5
    pgsql 0..5 | Sync
      pgsql.frontend = true
      0..1 pgsql.type = "Sync"
      1..5 pgsql.length = 4
    pgsql 0..27 | Row description | a
      pgsql.frontend = false
      0..1 pgsql.type = "Row description"
      1..5 pgsql.length = 26
      5..7 pgsql.field.count = 1
      7..9 pgsql.col.name = "a"
      9..13 pgsql.oid.table = 5
      13..15 pgsql.col.index = 2
      15..19 pgsql.oid.type = 23
      19..21 pgsql.val.length = 4
      21..25 pgsql.col.typemod = -1
      25..27 pgsql.format = 0 (Text)
    pgsql 0..12 | Data row | 1 values
      pgsql.frontend = false
      0..1 pgsql.type = "Data row"
      1..5 pgsql.length = 11
      5..7 pgsql.field.count = 1
      7..11 pgsql.val.length = 1
      11..12 pgsql.val.data = 78
    pgsql 0..14 | Command completion | SELECT 1
      pgsql.frontend = false
      0..1 pgsql.type = "Command completion"
      1..5 pgsql.length = 13
      5..14 pgsql.tag = "SELECT 1"
    pgsql 0..24 | Error | ERROR: no
      pgsql.frontend = false
      0..1 pgsql.type = "Error"
      1..5 pgsql.length = 23
      5..12 pgsql.severity = "ERROR"
      12..19 pgsql.code = "42P01"
      19..23 pgsql.message = "no"
      23..24 pgsql.end = 00
    pgsql 0..13 | Notification | a: b
      pgsql.frontend = false
      0..1 pgsql.type = "Notification"
      1..5 pgsql.length = 12
      5..9 pgsql.pid = 7
      9..11 pgsql.condition = "a"
      11..13 pgsql.text = "b"
    pgsql 0..10 | CopyOut response | 1 columns
      pgsql.frontend = false
      0..1 pgsql.type = "CopyOut response"
      1..5 pgsql.length = 9
      5..6 pgsql.format = 0 (Text)
      6..8 pgsql.field.count = 1
      8..10 pgsql.format = 0 (Text)
    pgsql 0..7 | Copy data | 2 bytes
      pgsql.frontend = false
      0..1 pgsql.type = "Copy data"
      1..5 pgsql.length = 6
      5..7 pgsql.copydata = 6162
    pgsql 0..15 | Function call
      pgsql.frontend = true
      0..1 pgsql.type = "Function call"
      1..5 pgsql.length = 14
      5..9 pgsql.oid = 42
      9..11 pgsql.entries = 0
      11..13 pgsql.entries = 0
      13..15 pgsql.format = 1 (Binary)
    pgsql 0..7 | Copy failure | x
      pgsql.frontend = true
      0..1 pgsql.type = "Copy failure"
      1..5 pgsql.length = 6
      5..7 pgsql.error = "x"
    pgsql 0..5 | Termination
      pgsql.frontend = true
      0..1 pgsql.type = "Termination"
      1..5 pgsql.length = 4
    pgsql 0..14 | Authentication request | SASL
      pgsql.frontend = false
      0..1 pgsql.type = "Authentication request"
      1..5 pgsql.length = 13
      5..9 pgsql.authtype = 10 (SASL)
      9..13 pgsql.auth.sasl.mech = "abc"
      13..14 pgsql.end = 00
    pgsql 0..15 | Negotiate protocol version
      pgsql.frontend = false
      0..1 pgsql.type = "Negotiate protocol version"
      1..5 pgsql.length = 14
      5..9 pgsql.version_supported_minor = 0
      9..13 pgsql.number_nonsupported_options = 1
      13..15 pgsql.nonsupported_option = "a"
    pgsql 0..15 | SASLInitialResponse message | abc
      pgsql.frontend = true
      0..1 pgsql.type = "SASLInitialResponse message"
      1..5 pgsql.length = 14
      5..9 pgsql.auth.sasl.mech = "abc"
      9..13 pgsql.auth.sasl.data.length = 2
      13..15 pgsql.auth.sasl.data = 6869
    pgsql 0..16 | Cancel request
      pgsql.frontend = true
      0..0 pgsql.type = "Cancel request"
      0..4 pgsql.length = 16
      4..8 pgsql.request_code = 80877102
      8..12 pgsql.pid = 7
      12..16 pgsql.key = 9
    "#);
}

#[test]
fn damaged_messages_are_survived() {
    survives_damage(&PROTOCOL, Session::default, TALK);
}

#[test]
fn a_server_accepts_tls() {
    let mut session = Session::default();
    let talk: &[(Side, &[u8])] = &[(Side::Client, b"\0\0\0\x08\x04\xd2\x16\x2f"), (Side::Server, b"S")];
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut session, talk), @r#"
    pgsql 0..8 | SSL request
      pgsql.frontend = true
      0..0 pgsql.type = "SSL request"
      0..4 pgsql.length = 8
      4..8 pgsql.request_code = 80877103
    pgsql 0..1 | SSL response
      pgsql.frontend = false
      0..1 pgsql.type = "SSL response"
    "#);
    assert!(matches!(session.next(), Some(Next::Detect)));
}

#[test]
fn connections_are_recognized() {
    let judge = |client: &[u8], server: &[u8]| {
        let opening = Opening { sent: [client, server], from_start: [true; 2], complete: true };
        (anywhere(&opening), on_port(&opening))
    };
    let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
    assert_eq!(judge(b"\0\0\0\x08\x04\xd2\x16\x2f", b""), (yes, yes));
    assert_eq!(judge(b"\0\0\0\x13\0\x03\0\0user\0anna\0\0", b""), (yes, yes));
    assert_eq!(judge(b"", b"Z\0\0\0\x05I"), (no, yes));
    assert_eq!(judge(b"GET / HTTP/1.1\r\n", b""), (no, no));
}

#[test]
fn a_startup_message_has_a_known_version_and_parameters_up_to_an_empty_name() {
    let is_startup = |minor: u8, rest: &[u8], missing: u8| {
        let length = u8::try_from(8 + rest.len()).unwrap() + missing;
        super::is_startup(&[&[0, 0, 0, length, 0, 3, 0, minor], rest].concat())
    };
    for minor in 0..=2 {
        assert!(is_startup(minor, b"user\0anna\0database\0\0\0", 0), "{minor}");
    }
    assert!(!is_startup(3, b"user\0anna\0\0", 0));
    for cut in [b"user\0anna\0data".as_slice(), b"user\0an", b"us"] {
        assert!(is_startup(0, cut, 4) && !is_startup(0, cut, 0), "{cut:?}");
    }
    for wrong in [b"user\0anna\0".as_slice(), b"user\0anna\0\0\0", b"us er\0a\0\0", b"user\0a\x01\0\0", b"A\0\xe4\0v\0a\0"] {
        assert!(!is_startup(0, wrong, 0), "{wrong:?}");
    }
}
