//! Voice without signalling: classic STUN, then media.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, S, datagrams_hex, pcap};
use crate::tcp::Side;

/// A client looks for its public address; the server refuses the second request.
const STUN: &[(Side, &str)] = &[
    (C, "00010008 45589a049d6523142743e224714a8c2e 0003000400000006"),
    (
        S,
        "01010048 45589a049d6523142743e224714a8c2e 0001000800011f90c0000207 0004000800010d96cb007150 0005000800010d97cb007151 \
        8020000800015ac885589803 80220014766f6963652e6578616d706c6520302e39370000",
    ),
    (C, "00010000 0b87dfce1d6523142743e224714a8c2f"),
    (S, "01110018 0b87dfce1d6523142743e224714a8c2f 0009000c00000414556e6b6e6f776e21 000a000480038004"),
];

pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    datagrams_hex(&mut trace, [5_062, 3_478], STUN)?;
    pcap(trace)
}
