//! FDDI, the Fiber Distributed Data Interface (ISO 9314).
//!
//! ```text
//! frame control:1 | dst:6 | src:6 | LLC
//! ```
//!
//! Addresses are displayed as captured. Some machines store them with the bits of each byte reversed, and Wireshark always
//! reverses them. Not covered: management frames of the ring.

use super::ethernet::{Shown, mac, rest};
use super::{HeaderPayload, Next, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&FDDI, FIELDS);

fields! {
    FDDI = protocol("fddi", "FDDI", "Fiber Distributed Data Interface");
    FC = number("fddi.fc", "Frame control", "").hex(2).once();
    CLASS = number("fddi.fc.clf", "Class, length, format", "5 for LLC").hex(2).mask(0xf0).once();
    PRIORITY = number("fddi.fc.prio", "Priority", "").mask(0x07).once();
    DST = mac("fddi.dst", "Destination", "").also("fddi.addr").once();
    SRC = mac("fddi.src", "Source", "").also("fddi.addr").once();
}

pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const LLC: u64 = 5;
    let control = wire.flags(&FC, 1, &[&CLASS, &PRIORITY])?;
    let dst = mac(wire.bytes(&DST, 6)?);
    let src = mac(wire.bytes(&SRC, 6)?);
    wire.info(format_args!("{} → {}", Shown(src), Shown(dst)));
    let next = if CLASS.bits_of(control) == LLC { Next::Llc } else { Next::Data };
    Ok(HeaderPayload::new(next, rest(wire), missing).between(src, dst))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn an_llc_frame_is_read() {
        let frame = [
            "50",                        // LLC, not urgent
            "020000000002 020000000001", // destination, source
            "fefe03",                    // LLC, OSI
        ];
        insta::assert_snapshot!(layers(Next::Link(10), &frame), @"
        fddi 0..13 | 02:00:00:00:00:01 → 02:00:00:00:00:02
          0..1 fddi.fc = 0x50
            0..1 fddi.fc.clf = 0x05
            0..1 fddi.fc.prio = 0
          1..7 fddi.dst = 02:00:00:00:00:02
          7..13 fddi.src = 02:00:00:00:00:01
        llc 13..16 | DSAP 0xfe, SSAP 0xfe
          13..14 llc.dsap = 0xfe
          14..15 llc.ssap = 0xfe
          15..16 llc.control = 0x03
        ");
    }
}
