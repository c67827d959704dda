//! A WebRTC call of two browsers over one pair of ports.

use super::{COUCH, Datagram, OUTSIDE, bytes, datagram, datagrams};
use crate::Result;
use crate::capture::{self, Trace};

/// Reports about the media, feedback, and a goodbye.
const REPORTS: &[Datagram] = &[
    (
        COUCH,
        50_020,
        OUTSIDE,
        50_021,
        // a sender report with the name of the sender
        "81c8000c 11223344 e0e1e2e3 40000000 00015f90 000003e8 0002bf20 55667788 19000002 00010032 0000000a e2e34000 00008000 \
         81ca0006 11223344 010e5871336e62543877476d324c705a 00000000",
    ),
    (
        OUTSIDE,
        50_021,
        COUCH,
        50_020,
        // a receiver report, NACK, and when packets arrived
        "80c90001 55667788 81cd0003 55667788 11223344 0033 0005 \
         8fcd0008 55667788 11223344 0100 000a 000123 07 2007 e100 04040804040410 ff38 04 0000",
    ),
    (
        OUTSIDE,
        50_021,
        COUCH,
        50_020,
        // PLI, FIR, REMB and TMMBR without a report before them
        "81ce0002 55667788 11223344 84ce0004 55667788 00000000 11223344 05000000 \
         8fce0005 55667788 00000000 52454d42 010bd090 11223344 83cd0004 55667788 00000000 11223344 0fd09028",
    ),
    // an extended report
    (OUTSIDE, 50_021, COUCH, 50_020, "80cf0004 55667788 04000002 e0e1e2e3 80000000"),
    // a message of the application, a goodbye with its reason, and padding
    (COUCH, 50_020, OUTSIDE, 50_021, "85cc0003 11223344 47414d45 01020304 a1cb0004 11223344 056c61746572 0000 00000004"),
    // the same, encrypted
    (COUCH, 50_020, OUTSIDE, 50_021, "80c90001 11223344 3c26e2627191282b4e53c968 80000001 b8313faad50eb26b05a5"),
    (COUCH, 50_020, OUTSIDE, 50_021, "80c90001 11223344 3c26e2627191282b4e53c968 b8313faad50eb26b05a5b8313faad50e 80000002"),
];

/// ICE connectivity checks.
const CHECK: &[Datagram] = &[
    (
        COUCH,
        50_020,
        OUTSIDE,
        50_021,
        "00010028 2112a442 6162636465666768696a6b6c 00060009 6f646f3a66616c6b 3a000000 00240004 6e001eff 802a0008 0001020304050607 00250000",
    ),
    (OUTSIDE, 50_021, COUCH, 50_020, "0101000c 2112a442 6162636465666768696a6b6c 00200008 0001e276 e112a64b"),
];

/// Sessions of OpenSSL and wolfSSL in the other versions of DTLS, some with connection IDs and a client that migrates; with
/// their key log.
pub fn dtls_versions() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let text = include_str!("dtls-versions.txt");
    let mut port = 50_030;
    for (number, line) in (300..).zip(text.lines()) {
        match line.split_at_checked(2) {
            Some(("# ", _)) => port += 1,
            Some(("c ", hex)) => datagram(&mut trace, number, [(COUCH, port), (OUTSIDE, 4433)], &bytes(hex))?,
            Some(("s ", hex)) => datagram(&mut trace, number, [(OUTSIDE, 4433), (COUCH, port)], &bytes(hex))?,
            Some(("m ", hex)) => datagram(&mut trace, number, [(COUCH, port + 1000), (OUTSIDE, 4433)], &bytes(hex))?,
            _ => {}
        }
    }
    let key_log: String = text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect();
    capture::pcapng(&key_log, &[capture::Interface { name: "eth0", link: 1, frames: trace.frames() }])
}

/// A call: connectivity checks, DTLS with two data channels recorded from OpenSSL, reports. The DTLS key log is a block.
pub fn webrtc() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    datagrams(&mut trace, CHECK)?;
    let text = include_str!("dtls.txt");
    for (number, line) in (200..).zip(text.lines()) {
        match line.split_at_checked(2) {
            Some(("c ", hex)) => datagram(&mut trace, number, [(COUCH, 50_020), (OUTSIDE, 50_021)], &bytes(hex))?,
            Some(("s ", hex)) => datagram(&mut trace, number, [(OUTSIDE, 50_021), (COUCH, 50_020)], &bytes(hex))?,
            _ => {}
        }
    }
    datagrams(&mut trace, REPORTS)?;
    let key_log: String = text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect();
    capture::pcapng(&key_log, &[capture::Interface { name: "eth0", link: 1, frames: trace.frames() }])
}
