//! Test vectors of the protocol, and further sessions.

mod datagrams;
mod files;
mod malformed;
mod streams;
mod trees;
mod vectors;

use super::p2p::Peers;
use super::*;
use crate::tree::{Demand, Dissection, FrameInfo, NodeRef, Span, Tree, Value};
use crate::wire::{Exchange, Opening, Verdict, trial};
use proptest::prelude::*;

/// Client opening and version packet.
const X1: &str = "55 41 30 31 12 00 03 00 01 07 76 65 72 73 69 6f 6e 02 43 00 00 00";
/// Login salt.
const X2: &str = "2d 00 80 00 01 04 73 61 6c 74 01 20 00 34 64 63 33 38 33 65 61 32 31 62 66 34 62 63 61 38 33 65
    61 35 30 34 30 63 62 31 30 64 61 36 32";
/// Login request answering X2.
const X3: &str = "54 00 01 00 03 04 6e 61 6d 65 01 08 00 74 65 73 74 75 73 65 72 08 70 61 73 73 77 6f 72 64 01 28
    00 65 66 62 63 37 33 39 34 63 33 38 61 63 63 39 35 33 32 35 30 36 30 64 38 62 37 38 66 64 65 33
    35 65 35 61 36 34 32 38 33 05 66 6c 61 67 73 02 00 00 00 00";
/// Keepalive.
const X4: &str = "1a 00 0d 00 02 05 76 61 6c 75 65 02 00 00 00 00 05 73 74 61 74 73 04 02 00 00";
/// Chat message.
const X5: &str = "49 00 02 00 02 03 73 69 64 03 0b 8e eb 3e 81 f8 d9 4f 6a ed 08 54 8f 96 d3 93 07 70 65 65 72 6d
    73 67 05 03 07 6d 73 67 74 79 70 65 02 00 00 00 00 07 69 6d 69 6e 64 65 78 02 04 00 00 00 02 69
    6d 01 05 00 64 75 64 65 21";
/// Peer-to-peer address exchange.
const X6: &str = "9b 00 85 00 02 03 73 69 64 03 0c f0 06 15 e4 48 95 c5 71 6a 06 1c cc 46 ee d1 07 70 65 65 72 6d
    73 67 05 07 07 6d 73 67 74 79 70 65 02 02 00 00 00 02 69 70 02 17 01 a8 c0 04 70 6f 72 74 02 67
    12 00 00 07 6c 6f 63 61 6c 69 70 02 05 00 00 0a 09 6c 6f 63 61 6c 70 6f 72 74 02 67 12 00 00 06
    73 74 61 74 75 73 02 04 00 00 00 04 73 61 6c 74 01 28 00 30 66 30 66 30 66 30 66 30 66 30 66 30
    66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66 30 66";
/// Friend list.
const X7: &str = "3f 00 83 00 03 07 66 72 69 65 6e 64 73 04 01 02 00 05 00 61 6c 69 63 65 03 00 62 6f 62 04 6e 69
    63 6b 04 01 02 00 02 00 41 6c 00 00 06 75 73 65 72 69 64 04 02 02 00 e9 03 00 00 ea 03 00 00";
/// Session ids, byte-keyed form.
const X8: &str = "37 00 84 00 02 01 04 02 02 00 e9 03 00 00 ea 03 00 00 03 04 03 02 00 0c f0 06 15 e4 48 95 c5 71
    6a 06 1c cc 46 ee d1 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
/// Session ids, string-keyed form.
const X9: &str = "40 00 84 00 02 06 75 73 65 72 69 64 04 02 02 00 e9 03 00 00 ea 03 00 00 03 73 69 64 04 03 02 00
    0c f0 06 15 e4 48 95 c5 71 6a 06 1c cc 46 ee d1 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
/// Preferences.
const X10: &str = "17 00 8d 00 01 4c 09 03 01 01 01 00 30 06 01 01 00 31 08 01 01 00 30";
/// Custom group list.
const X11: &str = "27 00 97 00 02 19 04 02 02 00 8a 61 3f 00 8b 61 3f 00 1a 04 01 02 00 03 00 49 52 4c 09 00 45 2d
    46 72 69 65 6e 64 73";
/// DID, a type above 255.
const X12: &str = "1f 00 90 01 01 03 64 69 64 06 d1 c2 95 33 84 c4 cc b2 31 50 1f 0e 43 c5 89 30 b2 a7 0e 4a b6";
/// Group chat message: string keys outside, byte-keyed map inside.
const X13: &str = "38 00 19 00 02 06 63 6c 69 6d 73 67 02 f6 4c 00 00 03 6d 73 67 09 02 04 06 00 11 22 33 44 55 66
    77 88 99 aa bb cc dd ee ff 00 11 22 33 44 2e 01 06 00 68 69 20 61 6c 6c";
/// Friends of friends: list of lists.
const X14: &str = "60 00 88 00 05 05 66 6e 73 69 64 04 03 01 00 0c f0 06 15 e4 48 95 c5 71 6a 06 1c cc 46 ee d1 06
    75 73 65 72 69 64 04 02 01 00 d1 07 00 00 04 6e 61 6d 65 04 01 01 00 05 00 63 61 72 6f 6c 04 6e
    69 63 6b 04 01 01 00 00 00 07 66 72 69 65 6e 64 73 04 04 01 00 02 02 00 e9 03 00 00 ea 03 00 00";
/// Disconnect notice.
const X15: &str = "11 00 91 00 01 06 72 65 61 73 6f 6e 02 01 00 00 00";
/// Friends' voice servers.
const X16: &str = "43 00 93 00 04 03 73 69 64 04 03 01 00 0d 17 09 85 78 ac 58 81 f8 d1 77 74 fd 3c d8 0a 03 76 69
    64 04 02 01 00 23 00 00 00 03 76 69 70 04 02 01 00 02 c2 81 4e 05 76 70 6f 72 74 04 02 01 00 69
    23 00 00";
/// File request, 7-byte header.
const X17: &str = "48 00 00 00 87 3e 05 06 66 69 6c 65 69 64 02 01 00 00 80 08 66 69 6c 65 6e 61 6d 65 01 08 00 35
    2e 39 38 2e 6a 70 67 04 64 65 73 63 01 00 00 04 73 69 7a 65 07 91 22 03 00 00 00 00 00 05 6d 74
    69 6d 65 02 6a bb 5a 4d";
/// Smallest legal message.
const X18: &str = "05 00 af 00 00";
/// P2P ping.
const X19: &str = "00 00 00 00 47 42 d4 4b 8d c7 51 fa 42 05 47 92 7d a9 16 78 d8 74 c1 19 10 00 00 00 01 00 00 00
    00 00 00 00 00 00 00 00 00 00 00 00";
/// P2P typing notification, plain.
const X20: &str = "00 00 00 00 47 42 d4 4b 8d c7 51 fa 42 05 47 92 7d a9 16 78 d8 74 c1 19 00 03 00 00 02 00 00 00
    00 00 00 00 4a 00 00 00 00 00 00 00 00 00 00 00 4a 00 02 00 02 03 73 69 64 03 0c f0 06 15 e4 48
    95 c5 71 6a 06 1c cc 46 ee d1 07 70 65 65 72 6d 73 67 05 03 07 6d 73 67 74 79 70 65 02 03 00 00
    00 07 69 6d 69 6e 64 65 78 02 01 00 00 00 06 74 79 70 69 6e 67 02 01 00 00 00 49 4d 00 00 00 00
    00 00 00 00 00 00 00 00 00 00 5a 6f ad 72";
/// First retry of the same datagram.
const X21: &str = "33 00 00 00 47 42 d4 4b 8d c7 51 fa 42 05 47 92 7d a9 16 78 d8 74 c1 19 00 03 00 00 02 00 00 00
    00 00 00 00 4a 00 00 00 00 00 00 00 33 33 33 33 79 33 31 33 31 30 40 5a 57 30 3f c3 35 26 d7 7b
    a6 f6 42 59 35 2f ff 75 dd e2 34 43 56 56 41 5e 40 54 36 30 34 5e 40 54 47 4a 43 56 31 30 33 33
    33 34 5a 5e 5a 5d 57 56 4b 31 32 33 33 33 35 47 4a 43 5a 5d 54 31 32 33 33 33 7a 7e 33 33 33 33
    33 33 33 33 33 33 33 33 33 33 69 5c 9e 41";
/// P2P file-complete.
const X22: &str = "00 00 00 00 47 42 d4 4b 8d c7 51 fa 42 05 47 92 7d a9 16 78 d8 74 c1 19 00 00 00 00 07 00 00 00
    00 00 00 00 13 00 00 00 00 00 00 00 00 00 00 00 13 00 00 00 8d 3e 01 06 66 69 6c 65 69 64 02 00
    00 00 80 44 4c 00 00 00 00 00 00 00 00 00 00 00 00 00 00 86 06 3f 40";
/// NAT probe.
const X23: &str = "53 43 30 31 04 5a cb 00 01 00 00 00 01 00 00 00 9c 40";
/// NAT probe reply.
const X24: &str = "43 4b 30 31 07 64 33 c6 40 9c";
/// Impossible length.
const M2: &str = "03 00 01 00 00";
/// Unknown value type.
const M3: &str = "11 00 81 00 01 06 72 65 61 73 6f 6e 0a 01 00 00 00";
/// Mixed keys.
const M4: &str = "2f 00 84 00 03 06 75 73 65 72 69 64 04 02 01 00 e9 03 00 00 03 73 69 64 04 03 01 00 0c f0 06 15
    e4 48 95 c5 71 6a 06 1c cc 46 ee d1 0b 08 00";
/// List count bomb.
const M5: &str = "10 00 87 00 01 06 67 61 6d 65 69 64 04 02 ff ff";
/// Trailing bytes.
const M6: &str = "1c 00 0d 00 02 05 76 61 6c 75 65 02 00 00 00 00 05 73 74 61 74 73 04 02 00 00 de ad";
/// Nesting bomb, 21 levels.
const M7: &str = "47 00 88 00 01 01 66 04 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00
    04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01 00 04 01
    00 04 01 00 02 00 00";
/// Byte keys in place of string keys.
const M8: &str = "14 00 94 00 02 21 02 e2 11 00 00 23 04 02 01 00 38 6d 00 00";
/// Parallel lists of different length.
const M9: &str = "3d 00 83 00 03 06 75 73 65 72 69 64 04 02 03 00 01 00 00 00 02 00 00 00 03 00 00 00 07 66 72 69
    65 6e 64 73 04 01 02 00 01 00 61 01 00 62 04 6e 69 63 6b 04 01 03 00 00 00 00 00 00 00";
/// P2P datagram with one flipped bit.
const M10: &str = "33 00 00 00 47 42 d4 4b 8d c7 51 fa 42 05 47 92 7d a9 16 78 d8 74 c1 19 00 03 00 00 02 00 00 00
    00 00 00 00 4a 00 00 00 00 00 00 00 33 33 33 33 79 33 31 33 31 30 40 5a 57 30 3f c3 34 26 d7 7b
    a6 f6 42 59 35 2f ff 75 dd e2 34 43 56 56 41 5e 40 54 36 30 34 5e 40 54 47 4a 43 56 31 30 33 33
    33 34 5a 5e 5a 5d 57 56 4b 31 32 33 33 33 35 47 4a 43 5a 5d 54 31 32 33 33 33 7a 7e 33 33 33 33
    33 33 33 33 33 33 33 33 33 33 69 5c 9e 41";
/// A text truncated by one byte.
const M1: &str = "5b 00 02 00 02 03 73 69 64 03 0b 8e eb 3e 81 f8 d9 4f 6a ed 08 54 8f 96 d3 93 07 70 65 65 72 6d
    73 67 05 03 07 6d 73 67 74 79 70 65 02 00 00 00 00 07 69 6d 69 6e 64 65 78 02 04 00 00 00 02 69
    6d 01 05 00 64 75 64 65";

const CLIENT: &[&str] = &[X3, X4, X5, X13];
const SERVER: &[&str] = &[X2, X6, X7, X8, X9, X10, X11, X12, X14, X15, X16, X18];
const MALFORMED: &[&str] = &[M3, M4, M5, M6, M7, M8, M9];

fn dissect(from: Side, bytes: &[u8], cut: Cut) -> String {
    trial::message(&PROTOCOL, &mut Session::default(), from, bytes, cut)
}

fn by_client(hex: &str) -> String {
    dissect(Side::Client, &trial::bytes(hex), Cut::No)
}

fn by_server(hex: &str) -> String {
    dissect(Side::Server, &trial::bytes(hex), Cut::No)
}

fn datagram(hex: &str) -> String {
    let bytes = trial::bytes(hex);
    assert!(p2p::is_p2p(&bytes) || hex == M10);
    trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Peers::default().message(Side::Client, wire))
}

fn nat(hex: &str) -> String {
    let bytes = trial::bytes(hex);
    assert!(p2p::is_nat(&bytes));
    trial::read(&PROTOCOL, &bytes, Cut::No, p2p::nat)
}

fn file_message(hex: &str) -> String {
    let bytes = trial::bytes(hex);
    trial::read(&PROTOCOL, &bytes, Cut::No, |wire| p2p::file_message(wire, bytes.len(), None))
}

/// Dissects the messages of a stream from this side.
fn stream(from: Side, bytes: &[u8]) -> String {
    let mut session = Session::default();
    let mut out = String::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Extent::Message(len) = session.extent(from, rest, false) else { panic!("no message in {rest:02x?}") };
        out += &trial::message(&PROTOCOL, &mut session, from, &rest[..len], Cut::No);
        rest = &rest[len..];
    }
    out
}

/// Message with these attributes.
fn message(kind: u16, count: u8, attributes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(attributes.len() + HEADER).unwrap();
    [&length.to_le_bytes()[..], &kind.to_le_bytes(), &[count], attributes].concat()
}
