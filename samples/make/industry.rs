//! Controllers of machines: Modbus/TCP on its port and on another one.

use crate::Result;
use crate::capture::Trace;
use crate::hex::bytes;
use crate::neighbours::{C, S, pcap, talk};
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

pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (ports, said) in [([51_502, 502], READS), ([51_503, 5020], IDENTIFIES)] {
        let said: Vec<_> = said.iter().map(|(side, hex)| (*side, bytes(hex))).collect();
        let lines: Vec<_> = said.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, ports, &lines)?;
    }
    pcap(trace)
}
