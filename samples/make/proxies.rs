//! SOCKS: connections and datagrams through a proxy.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, pcap, talk};

const ASKED: &[u8] = b"GET /motd.txt HTTP/1.1\r\nHost: game.example\r\n\r\n";
const ANSWERED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nWelcome in.\n";

/// A page without a login, its request sent before the reply of the proxy.
const PAGE: &[Line<'_>] = &[
    (C, b"\x05\x01\0"),
    (S, b"\x05\0"),
    (C, b"\x05\x01\0\x03\x0cgame.example\0\x50"),
    (C, ASKED),
    (S, b"\x05\0\0\x01\xcb\0\x71\x50\xc3\x50"),
    (S, ANSWERED),
];

/// A page with a login; messages are split over segments.
const LOGIN: &[Line<'_>] = &[
    (C, b"\x05\x02\0\x02"),
    (S, b"\x05\x02"),
    (C, b"\x01\x04falk\x0amoss"),
    (C, b"-green"),
    (S, b"\x01\0"),
    (C, b"\x05\x01\0\x04\x20\x01\x0d\xb8"),
    (C, b"\0\0\0\0\0\0\0\0\0\0\0\x07\0\x50"),
    (S, b"\x05\0\0\x01\0\0\0\0\0\0"),
    (C, ASKED),
    (S, ANSWERED),
];

const CHAT: &[Line<'_>] = &[
    (C, b"\x04\x01\x1a\x0b\xc6\x33\x64\x09falk\0"),
    (S, b"\0\x5a\0\0\0\0\0\0"),
    (C, b"NICK falk\r\nUSER falk 0 * :Falk\r\n"),
    (S, b":irc.example 001 falk :Welcome\r\n"),
];

const REFUSED: &[Line<'_>] = &[(C, b"\x04\x01\x01\xbb\0\0\0\x01falk\0no.example\0"), (S, b"\0\x5b\0\0\0\0\0\0")];

/// A connection that comes from outside: the address that the proxy listens at, then who came.
const BIND: &[Line<'_>] = &[
    (C, b"\x05\x01\0"),
    (S, b"\x05\0"),
    (C, b"\x05\x02\0\x01\xc6\x33\x64\x09\0\x15"),
    (S, b"\x05\0\0\x01\xcb\0\x71\x50\xd0\x01"),
    (S, b"\x05\0\0\x01\xc6\x33\x64\x09\0\x14"),
    (S, b"220 files.example\r\n"),
];

/// A relay for datagrams at UDP port 1081 of the proxy.
const RELAY: &[Line<'_>] = &[
    (C, b"\x05\x01\0"),
    (S, b"\x05\0"),
    (C, b"\x05\x03\0\x01\0\0\0\0\0\0"),
    (S, b"\x05\0\0\x01\0\0\0\0\x04\x39"),
];

const RELAYED: &[Line<'_>] = &[
    (
        C,
        b"\0\0\0\x01\xc6\x33\x64\x35\0\x35\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x04game\x07example\0\0\x01\0\x01",
    ),
    (
        S,
        b"\0\0\0\x01\xc6\x33\x64\x35\0\x35\x12\x34\x81\x80\0\x01\0\x01\0\0\0\0\x04game\x07example\0\0\x01\0\x01\
          \xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xcb\0\x71\x07",
    ),
    (C, b"\0\0\0\x03\x0cgame.example\x69\x87hello"),
];

/// Everything through one proxy.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, service, said) in
        [(50_300, 1080, PAGE), (50_301, 9050, LOGIN), (50_302, 1080, CHAT), (50_303, 1080, REFUSED), (50_304, 1080, BIND)]
    {
        talk(&mut trace, [port, service], said)?;
    }
    talk(&mut trace, [50_305, 1080], RELAY)?;
    datagrams(&mut trace, [50_306, 1081], RELAYED)?;
    pcap(trace)
}
