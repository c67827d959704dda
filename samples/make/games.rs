//! Games below their own messages: ENet, LiteNetLib, Hazel, Quake and its successors, a split answer of a Source server,
//! Steam networking sockets, Battle.net, Terraria.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, pcap, talk};

const ENET: &[Line<'_>] = &[
    // Connect with two channels, its verification with an acknowledgement, an acknowledgement.
    (
        C,
        b"\x8f\xff\x10\x01\x82\xff\0\x01\0\0\xff\xff\0\0\x05\x78\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\x13\x88\0\0\0\x02\0\0\0\x02\
          \x9c\x3b\xa1\x7e\0\0\0\x07",
    ),
    (
        S,
        b"\x80\0\x20\x05\x83\xff\0\x01\0\x03\0\0\0\0\x05\x78\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\x13\x88\0\0\0\x02\0\0\0\x02\
          \x9c\x3b\xa1\x7e\x01\xff\0\x01\0\x01\x10\x01",
    ),
    (C, b"\x80\x03\x10\x20\x01\xff\0\x01\0\x01\x20\x05"),
    // Three payloads and a ping in one datagram.
    (C, b"\x80\x03\x10\x30\x86\0\0\x01\0\x03abc\x07\x01\0\0\0\x01\0\x02de\x49\0\0\0\0\x05\0\x01f\x85\xff\0\x02"),
    // A payload in two fragments, the second one first.
    (S, b"\x80\0\x20\x40\x88\0\0\x02\0\x01\0\x07\0\0\0\x02\0\0\0\x01\0\0\0\x0c\0\0\0\x05 world!"),
    (S, b"\x80\0\x20\x41\x88\0\0\x01\0\x01\0\x05\0\0\0\x02\0\0\0\0\0\0\0\x0c\0\0\0\0hello"),
    (C, b"\0\x03\x8a\xff\0\x03\0\x01\0\0\0\x02\0\0\x8b\xff\0\x04\0\0\x13\x88\0\0\0\x02\0\0\0\x02"),
    (C, b"\xc0\x03\x10\x60\x5a\xa5\x11\x22\x33"),
    (C, b"\0\x03\x84\xff\0\x05\0\0\0\x01"),
];

const LITENETLIB: &[Line<'_>] = &[
    (C, b"\x05\x0b\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08\x10\x02\0\x23\x83\xcb\0\x71\x50\0\0\0\0\0\0\0\0\x04\0key1"),
    (S, b"\x06\x01\x02\x03\x04\x05\x06\x07\x08\0\0"),
    (C, b"\x09\xdc\x05\0\0\0\0\0\0\xdc\x05\0\0"),
    (S, b"\x0a\xdc\x05\0\0\0\0\0\0\xdc\x05\0\0"),
    (C, b"\x0c\x05\0\x01\x01\0\x02a\x03\0\x03\x03\0"),
    (S, b"\x04\x03\0\x01\x02\x03\x04\x05\x06\x07\x08"),
    (S, b"\x02\x01\0\x02\x01\0"),
    (C, b"\x81\x02\0\x02\x01\0\0\0\x02\0hello"),
    (C, b"\x81\x03\0\x02\x01\0\x01\0\x02\0 world"),
    (C, b"\0position"),
    (C, b"\x07\x01\x02\x03\x04\x05\x06\x07\x08bye"),
    (S, b"\x0d"),
];

const HAZEL: &[Line<'_>] = &[
    (C, b"\x08\0\x01\0\x80\xd9\x02\x03\x06falken"),
    (S, b"\x0a\0\x01\xff"),
    (C, b"\x01\0\x02\x04\0\x01\x20\0\0\x40"),
    (S, b"\x0a\0\x02\xff"),
    (S, b"\0\x03\0\x05abc\x02\0\x06de"),
    (C, b"\x0c\0\x03"),
    (S, b"\x09\x01\x01\0\0\x05"),
    (C, b"\x09"),
];

const QUAKE: &[Line<'_>] = &[
    (C, b"\x80\0\0\x0c\x02QUAKE\0\x03"),
    (S, b"\x80\0\0\x24\x83203.0.113.80:26000\0Quay\0dm3\0\x02\x08\x03"),
    (C, b"\x80\0\0\x06\x03\0"),
    (S, b"\x80\0\0\x23\x84\0moss\0\x4d\0\0\0\x05\0\0\0\x3c\0\0\x00192.0.2.9:1\0"),
    (C, b"\x80\0\0\x06\x04\0"),
    (S, b"\x80\0\0\x14\x85sv_gravity\x00800\0"),
    (C, b"\x80\0\0\x0c\x01QUAKE\0\x03"),
    (S, b"\x80\0\0\x09\x81\x9c\x65\0\0"),
];

/// At the port that the server accepted with.
const QUAKE_GAME: &[Line<'_>] =
    &[(S, b"\0\x09\0\x0c\0\0\0\0\x0b\0\0\0"), (C, b"\0\x02\0\x08\0\0\0\0"), (C, b"\0\x10\0\x09\0\0\0\x01\x01")];

const SEQUENCED: &[Line<'_>] = &[
    (C, b"\x01\0\0\x80\0\0\0\0\x39\x30\x03new\0"),
    (S, b"\x01\0\0\x80\x01\0\0\x80\x08welcome\0"),
    (C, b"\x02\0\0\0\x01\0\0\x80\x39\x30\x01"),
];

/// A request for rules, and the answer in two parts.
const RULES: &[Line<'_>] = &[
    (C, b"\xff\xff\xff\xff\x56\x0b\x1c\x2d\x3e"),
    (S, b"\xfe\xff\xff\xff\x07\0\0\0\x02\x01\xe0\x04gravity\x00800\0"),
    (S, b"\xfe\xff\xff\xff\x07\0\0\0\x02\0\xe0\x04\xff\xff\xff\xff\x45\x02\0mp_friendlyfire\x000\0sv_"),
];

const BATTLE_NET: &[Line<'_>] = &[
    (C, b"\x01\xff\x50\x31\0\0\0\0\x0068XIPXES\xd3\0\0\0SUne\xc0\0\x02\x14\xc4\xff\xff\xff\x09\x04\0\0\x09\x04\0\0USA\0Quay\0"),
    (S, b"\xff\x25\x08\0\x01\x02\x03\x04"),
    (C, b"\xff\x25\x08\0\x01\x02\x03\x04\xff\x0a\x0a\0mo"),
    (C, b"ss\0\0"),
    (S, b"\xff\x0a\x13\0moss\0PXES\0moss\0"),
    (C, b"\xff\x0e\x0a\0hello\0"),
    (S, b"\xff\x0f\x27\0\x05\0\0\0\0\0\0\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0moss\0hello\0"),
];

const TERRARIA: &[Line<'_>] = &[
    (C, b"\x0f\0\x01\x0bTerraria279"),
    (S, b"\x03\0\x25"),
    (C, b"\x0e\0\x26\x0amoss"),
    (C, b"-green"),
    (S, b"\x05\0\x03\x02\0"),
    (C, b"\x0c\0\x44\x081234-abc\x03\0\x06"),
    (S, b"\x0b\0\x02\0\x06kicked"),
];

/// A connection of Steam networking sockets; its first and third message are padded to 512 bytes.
const STEAM: &[Line<'_>] = &[
    (C, &padded(b"\x20\x10\0\x0d\x78\x56\x34\x12\x19\x01\x02\x03\x04\x05\x06\x07\x08\x20\x0b")),
    (S, b"\x21\x0d\x78\x56\x34\x12\x11\x11\x22\x33\x44\x55\x66\x77\x88\x19\x01\x02\x03\x04\x05\x06\x07\x08\x20\x0b"),
    (C, &padded(b"\x22\x10\0\x0d\x78\x56\x34\x12\x11\x11\x22\x33\x44\x55\x66\x77\x88\x40\x0b")),
    (S, b"\x23\x0d\x78\x56\x34\x12\x19\x02\x03\x04\x05\x06\x07\x08\x09\x20\xe8\x07\x2d\xef\xcd\xab\x90\x48\x0b"),
    (C, b"\x80\xef\xcd\xab\x90\x01\0\xaa\xbb\xcc\xdd\xee\xff"),
    (S, b"\x81\x78\x56\x34\x12\x02\0\x04\x18\x02\x20\x05\xaa\xbb\xcc\xdd\xee\xff"),
    (C, b"\x24\x12\x04left\x18\xe8\x07\x25\xef\xcd\xab\x90\x2d\x78\x56\x34\x12"),
    (S, b"\x25\x15\xef\xcd\xab\x90\x1d\x78\x56\x34\x12"),
];

/// A message with zeros up to the size that requests have.
const fn padded(message: &[u8]) -> [u8; 512] {
    let mut bytes = [0; 512];
    let (start, _) = bytes.split_at_mut(message.len());
    start.copy_from_slice(message);
    bytes
}

/// All of them with one server.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (ports, messages) in [
        ([50_330, 7777], ENET),
        ([50_331, 9050], LITENETLIB),
        ([50_332, 22_023], HAZEL),
        ([50_333, 26_000], QUAKE),
        ([50_333, 26_012], QUAKE_GAME),
        ([50_334, 27_500], SEQUENCED),
        ([50_335, 27_910], SEQUENCED),
        ([50_336, 27_015], RULES),
        ([50_339, 27_020], STEAM),
    ] {
        datagrams(&mut trace, ports, messages)?;
    }
    talk(&mut trace, [50_337, 6112], BATTLE_NET)?;
    talk(&mut trace, [50_338, 7777], TERRARIA)?;
    pcap(trace)
}
