//! Logins: IMAP, POP3, Telnet, Redis, PostgreSQL, LDAP and RADIUS. The user is `anna`, the password `moss-green`.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, add_hex_conversation, datagrams_hex, pcap, talk};
use crate::tcp::Side;

/// A login with a literal, a mail to the server and a mail from it.
const IMAP: &[Line<'_>] = &[
    (S, b"* OK IMAP4rev1 ready\r\n"),
    (C, b"a1 LOGIN anna {10}\r\n"),
    (S, b"+ go on\r\n"),
    (C, b"moss-green\r\n"),
    (S, b"a1 OK in\r\n"),
    (C, b"a2 APPEND \"Notes\" {14+}\r\nSubject: a\r\n\r\n\r\na3 UID FETCH 1 (UID BODY[])\r\n"),
    (S, b"a2 OK\r\n* 1 FETCH (UID 1 BODY[] {14}\r\nSubject: b\r\n\r\n)\r\na3 OK\r\n"),
    (C, b"a4 LOGOUT\r\n"),
    (S, b"* BYE\r\na4 OK\r\n"),
];

/// Capabilities of the server, a login, a list and a mail.
const POP3: &[Line<'_>] = &[
    (S, b"+OK POP3 ready\r\n"),
    (C, b"CAPA\r\nUSER anna\r\n"),
    (S, b"+OK\r\nUSER\r\nTOP\r\n.\r\n+OK\r\n"),
    (C, b"PASS moss-green\r\n"),
    (S, b"+OK in\r\n"),
    (C, b"LIST\r\nRETR 1\r\n"),
    (S, b"+OK\r\n1 30\r\n.\r\n+OK 30 octets\r\nSubject: a\r\n\r\n..b\r\n.\r\n"),
    (C, b"QUIT\r\n"),
    (S, b"+OK\r\n"),
];

/// Options, a login and a command.
const TELNET: &[Line<'_>] = &[
    (S, b"\xff\xfd\x18\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0"),
    (C, b"\xff\xfa\x18\0xterm\xff\xf0\xff\xfa\x1f\0\x50\0\x18\xff\xf0"),
    (S, b"hello\r\nlogin: "),
    (C, b"anna\r\0"),
    (S, b"Password: "),
    (C, b"moss-green\r\0"),
    (S, b"welcome\r\n$ "),
    (C, b"ls\r\0"),
];

/// Commands in both forms, replies of every type.
const REDIS: &[Line<'_>] = &[
    (C, b"*3\r\n$4\r\nAUTH\r\n$4\r\nanna\r\n$10\r\nmoss-green\r\n"),
    (S, b"+OK\r\n"),
    (C, b"PING hi\r\n*2\r\n$3\r\nget\r\n$4\r\nnews\r\n"),
    (S, b"$2\r\nhi\r\n$5\r\nhe\r\no\r\n"),
    (C, b"*2\r\n$6\r\nLRANGE\r\n$1\r\na\r\n"),
    (S, b"*3\r\n:1\r\n*-1\r\n*1\r\n$0\r\n\r\n"),
    (S, b"%1\r\n+a\r\n#t\r\n>2\r\n+b\r\n_\r\n,1.5\r\n=7\r\ntxt:one\r\n!3\r\nbad\r\n~1\r\n(99\r\n"),
];

/// A login, a query of each kind, an error.
const POSTGRESQL: &[Line<'_>] = &[
    (C, b"\0\0\0\x08\x04\xd2\x16\x2f"),
    (S, b"N"),
    (C, b"\0\0\0\x1e\0\x03\0\0user\0anna\0database\0a\0\0"),
    (S, b"R\0\0\0\x0c\0\0\0\x05salt"),
    (C, b"p\0\0\0\x0cmd5abcd\0"),
    (S, b"R\0\0\0\x08\0\0\0\0S\0\0\0\x08a\0b\0K\0\0\0\x0c\0\0\0\x07\0\0\0\x09Z\0\0\0\x05I"),
    (C, b"Q\0\0\0\x0dselect a\0"),
    (S, b"T\0\0\0\x1a\0\x01a\0\0\0\0\x05\0\x02\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0D\0\0\0\x0b\0\x01\0\0\0\x01xC\0\0\0\x0dSELECT 1\0"),
    (C, b"B\0\0\0\x18\0s\0\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x01x\0\0D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\x05S\0\0\0\x04"),
    (S, b"E\0\0\0\x17SERROR\0C42P01\0Mno\0\0Z\0\0\0\x05I"),
    (C, b"X\0\0\0\x04"),
];

/// A login, a search with one result, the end.
const LDAP: &[(Side, &str)] = &[
    (C, "3012 020101 600d 020103 0404636e3d61 80027077"),
    (S, "300c 020101 6107 0a0100 0400 0400"),
    (C, "3032 020102 632d 040a64633d6578616d706c65 0a0102 0a0100 020100 020100 010100 a30a0402636e0404616e6e61 30040402636e"),
    (S, "301e 020102 6419 0407636e3d616e6e61 300e 300c 0402636e 3106 0404616e6e61 300c 020102 6507 0a0100 0400 0400"),
    (C, "3005 020103 4200"),
];

/// An Access-Request and its response.
const RADIUS: &[(Side, &str)] = &[
    (
        C,
        "01 2a 005c 000102030405060708090a0b0c0d0e0f 0106 616e6e61 0212 00112233445566778899aabbccddeeff 0406 c0a80101 \
        0506 00000007 1a0c 00000009 0106 61623d63 4006 0000000d 5012 000102030405060708090a0b0c0d0e0f",
    ),
    (S, "02 2a 001a 0f0e0d0c0b0a09080706050403020100 0606 00000001"),
];

/// Adds all of them.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, (server, lines)) in (51_100..).zip([(143, IMAP), (110, POP3), (23, TELNET), (6379, REDIS), (5432, POSTGRESQL)]) {
        talk(&mut trace, [port, server], lines)?;
    }
    add_hex_conversation(&mut trace, [51_110, 389], LDAP)?;
    datagrams_hex(&mut trace, [51_111, 1812], RADIUS)?;
    pcap(trace)
}
