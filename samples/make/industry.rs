//! Controllers of machines: Modbus/TCP and the ISO transport protocol, each on its port and on another one; and the desktop of
//! their operator.

use crate::Result;
use crate::capture::Trace;
use crate::hex::bytes;
use crate::neighbours::{C, S, add_hex_conversation, pcap, recorded, talk};
use crate::tcp::Side;

const READS: &[(Side, &str)] = &[
    (C, "0001 0000 0006 11 03 006b 0003"),
    (S, "0001 0000 0009 11 03 06 022b 0000 0064"),
    (C, "0002 0000 0006 11 01 0013 000a"),
    (S, "0002 0000 0005 11 01 02 cd 02"),
    (C, "0003 0000 0006 11 05 00ac ff00"),
    (S, "0003 0000 0006 11 05 00ac ff00"),
    (C, "0004 0000 000b 11 10 0001 0002 04 000a 0102"),
    (S, "0004 0000 0006 11 10 0001 0002"),
    (C, "0005 0000 0006 11 04 ffff 0002"),
    (S, "0005 0000 0003 11 84 02"),
    (C, "0006 0000 0008 11 16 0004 00f2 0025"),
    (S, "0006 0000 0008 11 16 0004 00f2 0025"),
];

const IDENTIFIES: &[(Side, &str)] =
    &[(C, "0001 0000 0005 01 2b 0e 01 00"), (S, "0001 0000 0011 01 2b 0e 01 01 00 00 02 00 03 4d6f73 01 02 5037")];

/// A connection of the ISO transport protocol with a message in three segments.
const TRANSPORT: &[(Side, &str)] = &[
    (C, "0300 0016 11 e0 0000 0001 00 c1 02 0100 c2 02 0102 c0 01 0a"),
    (S, "0300 0016 11 d0 0001 000c 00 c0 01 0a c1 02 0100 c2 02 0102"),
    (C, "0300 0019 02 f0 80 32 01 00 00 00 00 00 08 00 00 f0 00 00 01 00 01 01 e0"),
    (S, "0300 000b 02 f0 00 32 03 00 00  0300 000a 02 f0 00 00 00 00"),
    (S, "0300 000c 02 f0 80 08 00 00 01 e0"),
    (C, "0300 000b 06 80 000c 0001 80"),
];

const NAMED: &[(Side, &str)] = &[
    (C, "0300 0017 12 e0 0000 0007 20 c1 04 4f50 4531 c2 04 504c 4331"),
    (S, "0300 0017 12 d0 0007 0009 20 c1 04 4f50 4531 c2 04 504c 4331"),
    (C, "0300 0013 04 f0 0009 80 48656c6c6f206d6f7373"),
    (S, "0300 0009 04 60 0007 01"),
];

/// A remote desktop that goes on in TLS.
const DESKTOP: &[(Side, &str)] = &[
    (C, "0300 002a 25 e0 0000 0000 00 436f6f6b69653a206d737473686173683d66616c6b0d0a 01 00 0800 0b000000"),
    (S, "0300 0013 0e d0 0000 1234 00 02 1f 0800 02000000"),
];

pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let conversations =
        [([51_502, 502], READS), ([51_503, 5020], IDENTIFIES), ([51_504, 102], TRANSPORT), ([51_505, 10_200], NAMED)];
    for (ports, said) in conversations {
        add_hex_conversation(&mut trace, ports, said)?;
    }
    let mut desktop: Vec<_> = DESKTOP.iter().map(|(side, hex)| (*side, bytes(hex))).collect();
    desktop.extend(recorded(include_str!("tls.txt"))?.into_iter().take(1).flatten());
    let desktop: Vec<_> = desktop.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    talk(&mut trace, [51_506, 3389], &desktop)?;
    pcap(trace)
}
