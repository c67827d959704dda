//! Traffic of protocols without a built-in dissector, for the files of `samples/ksy/`.

use super::{COUCH, OUTSIDE, datagram, stream};
use crate::Result;
use crate::capture::{self, Trace};
use crate::tcp::Side;
use std::time::Duration;

/// WireGuard: a handshake, a data packet, a cookie. The key bytes are consecutive numbers.
fn tunnel() -> Vec<(bool, Vec<u8>)> {
    let run = |from: u8, count: u8| (from..from + count).collect::<Vec<u8>>();
    let packet = |kind: u8, parts: &[&[u8]]| [&[kind, 0, 0, 0][..], &parts.concat()].concat();
    let (client, server) = (0x1111_2222_u32.to_le_bytes(), 0x3333_4444_u32.to_le_bytes());
    let initiation = packet(1, &[&client, &run(0, 32), &run(32, 48), &run(80, 28), &run(108, 16), &[0; 16]]);
    let response = packet(2, &[&server, &client, &run(1, 32), &run(33, 16), &run(49, 16), &[0; 16]]);
    let data = packet(4, &[&server, &7_u64.to_le_bytes(), &run(64, 48)]);
    let cookie = packet(3, &[&client, &run(2, 24), &run(26, 32)]);
    vec![(true, initiation), (false, response), (true, data), (false, cookie)]
}

/// netcode: a request with its token, and two encrypted packets.
fn game() -> Vec<(bool, Vec<u8>)> {
    let token: Vec<u8> = (0..1024_u32).map(|n| n.to_le_bytes()[0].wrapping_mul(7)).collect();
    let request = [
        &b"\0NETCODE 1.02\0"[..],
        &0x1122_3344_5566_7788_u64.to_le_bytes(),
        &1_448_400_030_u64.to_le_bytes(),
        &(0..24).collect::<Vec<u8>>(),
        &token,
    ]
    .concat();
    let challenge = [&[0x12, 0][..], &[0xc4; 324]].concat();
    let response = [&[0x23, 5, 1][..], &[0x5e; 324]].concat();
    vec![(true, request), (false, challenge), (true, response)]
}

/// Requests to a controller and its responses: coils, registers, an address that does not exist.
const CONTROLLER: &[(Side, &[u8])] = &[
    (Side::Client, b"\0\x01\0\0\0\x06\x11\x01\0\x13\0\x25"),
    (Side::Server, b"\0\x01\0\0\0\x08\x11\x01\x05\xcd\x6b\xb2\x0e\x1b"),
    // Two requests in one segment, and their responses in another order.
    (Side::Client, b"\0\x02\0\0\0\x06\x11\x03\0\x6b\0\x03\0\x03\0\0\0\x06\x11\x05\0\xac\xff\0"),
    (Side::Server, b"\0\x03\0\0\0\x06\x11\x05\0\xac\xff\0\0\x02\0\0\0\x09\x11\x03\x06\x02\x2b\0\0\0\x64"),
    (Side::Client, b"\0\x04\0\0\0\x0b\x11\x10\0\x01\0\x02\x04\0\x0a\x01\x02"),
    (Side::Server, b"\0\x04\0\0\0\x06\x11\x10\0\x01\0\x02"),
    (Side::Client, b"\0\x05\0\0\0\x09\x11\x0f\0\x13\0\x0a\x02\xcd\x01"),
    (Side::Server, b"\0\x05\0\0\0\x06\x11\x0f\0\x13\0\x0a"),
    (Side::Client, b"\0\x06\0\0\0\x06\x11\x04\x27\x0f\0\x01"),
    (Side::Server, b"\0\x06\0\0\0\x03\x11\x84\x02"),
];

/// Adds tools and games of `samples/ksy/`.
pub fn tools() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, said) in [(51_820, tunnel()), (40_000, game())] {
        let (client, server) = ((COUCH, 50_040), (OUTSIDE, port));
        for (number, (is_client, bytes)) in (1..).zip(said) {
            datagram(&mut trace, number, if is_client { [client, server] } else { [server, client] }, &bytes)?;
        }
    }
    let mut controller = stream(50_041, OUTSIDE, 502);
    controller.open(&mut trace)?;
    for (side, bytes) in CONTROLLER {
        controller.wait(&mut trace, Duration::from_millis(20))?;
        controller.send(&mut trace, *side, bytes)?;
    }
    controller.close(&mut trace, Side::Client)?;
    capture::pcap(capture::ETHERNET, &trace.frames())
}
