//! SOCKS: connections and datagrams through a proxy; WireGuard and OpenVPN: tunnels.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, pcap, talk};

const ASKED: &[u8] = b"GET /motd.txt HTTP/1.1\r\nHost: game.example\r\n\r\n";
const ANSWERED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nWelcome in.\n";

/// A page without a login, requested before the reply of the proxy.
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

/// An inbound connection: the address that the proxy listens at, then the peer.
const BIND: &[Line<'_>] = &[
    (C, b"\x05\x01\0"),
    (S, b"\x05\0"),
    (C, b"\x05\x02\0\x01\xc6\x33\x64\x09\0\x15"),
    (S, b"\x05\0\0\x01\xcb\0\x71\x50\xd0\x01"),
    (S, b"\x05\0\0\x01\xc6\x33\x64\x09\0\x14"),
    (S, b"220 files.example\r\n"),
];

/// A UDP relay at port 1081 of the proxy.
const RELAY: &[Line<'_>] =
    &[(C, b"\x05\x01\0"), (S, b"\x05\0"), (C, b"\x05\x03\0\x01\0\0\0\0\0\0"), (S, b"\x05\0\0\x01\0\0\0\0\x04\x39")];

const RELAYED: &[Line<'_>] = &[
    (C, b"\0\0\0\x01\xc6\x33\x64\x35\0\x35\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x04game\x07example\0\0\x01\0\x01"),
    (
        S,
        b"\0\0\0\x01\xc6\x33\x64\x35\0\x35\x12\x34\x81\x80\0\x01\0\x01\0\0\0\0\x04game\x07example\0\0\x01\0\x01\
          \xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xcb\0\x71\x07",
    ),
    (C, b"\0\0\0\x03\x0cgame.example\x69\x87hello"),
];

/// A WireGuard handshake, a packet, a keepalive. The key bytes are consecutive numbers.
fn wireguard() -> Vec<(bool, Vec<u8>)> {
    let packet = |kind: u8, ids: &[u32], size: usize| {
        let mut bytes = vec![kind, 0, 0, 0];
        bytes.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        bytes.extend((0_u8..=255).take(size - bytes.len()));
        bytes
    };
    vec![
        (true, packet(1, &[0x1b2c_3d4e], 148)),
        (false, packet(2, &[0x5a6b_7c8d, 0x1b2c_3d4e], 92)),
        (true, packet(4, &[0x5a6b_7c8d, 0, 0], 128)),
        (false, packet(4, &[0x1b2c_3d4e, 0, 0], 32)),
    ]
}

/// OpenVPN with an HMAC of SHA-1: openings, a message, its acknowledgement, data.
fn openvpn() -> Vec<(bool, Vec<u8>)> {
    const CLIENT: &[u8] = b"\x0a\x1b\x2c\x3d\x4e\x5f\x60\x71";
    const SERVER: &[u8] = b"\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8";
    const HMAC: &[u8] = b"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3";
    let control = |opcode: u8, own: &[u8], number: u8, rest: &[&[u8]]| {
        [&[opcode << 3][..], own, HMAC, &[0, 0, 0, number], b"\x56\x54\xd3\x40", &rest.concat()].concat()
    };
    vec![
        (true, control(7, CLIENT, 1, &[b"\0\0\0\0\0"])),
        (false, control(8, SERVER, 1, &[b"\x01\0\0\0\0", CLIENT, b"\0\0\0\0"])),
        (true, control(5, CLIENT, 2, &[b"\x01\0\0\0\0", SERVER])),
        (true, control(4, CLIENT, 3, &[b"\0\0\0\0\x01\x16\x03\x01\0\x02\x01\0"])),
        (false, control(5, SERVER, 2, &[b"\x01\0\0\0\x01", CLIENT])),
        (true, [&b"\x48\0\0\x07\0\0\0\x01"[..], &[0x5e; 40]].concat()),
        (false, [&b"\x30"[..], &[0x6d; 40]].concat()),
    ]
}

/// The same over TCP without an HMAC, in two segments.
const OPENVPN_TCP: &[Line<'_>] = &[
    (C, b"\0\x0e\x38\x0a\x1b\x2c\x3d\x4e\x5f\x60\x71\0\0\0\0\0"),
    (S, b"\0\x1a\x40\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8\x01\0\0\0\0\x0a\x1b\x2c\x3d\x4e\x5f\x60\x71\0\0\0\0"),
    (C, b"\0\x15\x20\x0a\x1b\x2c\x3d\x4e\x5f"),
    (C, b"\x60\x71\0\0\0\0\x01\x16\x03\x01\0\x02\x01\0"),
];

/// Adds all of them: one proxy, then the tunnels.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, service, messages) in
        [(50_300, 1080, PAGE), (50_301, 9050, LOGIN), (50_302, 1080, CHAT), (50_303, 1080, REFUSED), (50_304, 1080, BIND)]
    {
        talk(&mut trace, [port, service], messages)?;
    }
    talk(&mut trace, [50_305, 1080], RELAY)?;
    datagrams(&mut trace, [50_306, 1081], RELAYED)?;
    for (ports, messages) in [([50_307, 51_820], wireguard()), ([50_308, 1194], openvpn())] {
        let lines: Vec<Line<'_>> =
            messages.iter().map(|(is_client, bytes)| (if *is_client { C } else { S }, &bytes[..])).collect();
        datagrams(&mut trace, ports, &lines)?;
    }
    talk(&mut trace, [50_309, 1194], OPENVPN_TCP)?;
    pcap(trace)
}
