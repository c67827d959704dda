//! Token ring (IEEE 802.5).
//!
//! ```text
//! access control:1 | frame control:1 | dst:6 | src:6 | route, if the top bit of src is set | LLC
//! route  broadcast:3 length:5 | direction:1 frame size:3 .:4 | ring:12 bridge:4 | ...
//! ```
//!
//! Not covered: frames of the ring's own management, which route a frame took.

use super::ethernet::{Shown, mac, rest};
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&TR, FIELDS);

fields! {
    TR = protocol("tr", "Token ring", "IEEE 802.5 token ring");
    AC = number("tr.ac", "Access control", "").hex(2);
    PRIORITY = number("tr.priority", "Priority", "").mask(0xe0);
    FRAME = bool("tr.frame", "Frame", "Frame, not a token").mask(0x10);
    MONITOR = number("tr.monitor_cnt", "Monitor count", "Set by the active monitor").mask(0x08);
    RESERVATION = number("tr.priority_reservation", "Priority reservation", "Priority of the next token").mask(0x07);
    FC = number("tr.fc", "Frame control", "").hex(2);
    TYPE = number("tr.frame_type", "Frame type", "MAC or LLC frame").mask(0xc0).names(TYPES);
    PCF = number("tr.frame_pcf", "Frame PCF", "Control bits of MAC frames").mask(0x0f);
    DST = mac("tr.dst", "Destination", "").also("tr.addr");
    SRC = mac("tr.src", "Source", "The top bit announces source routing").also("tr.addr");
    RIF_BYTES = number("tr.rif_bytes", "RIF bytes", "Length of the routing information field").mask(0x1f);
    BROADCAST = number("tr.broadcast", "Broadcast type", "Source routing").mask(0xe0);
    RIF = bytes("tr.rif", "Ring-bridge pairs", "Routing information field");
}

const TYPES: Names = &[(0, "ring management"), (1, "LLC")];

pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const LLC: u64 = 1;
    wire.flags(&AC, 1, &[&PRIORITY, &FRAME, &MONITOR, &RESERVATION])?;
    let control = wire.flags(&FC, 1, &[&TYPE, &PCF])?;
    let dst = mac(wire.bytes(&DST, 6)?);
    let sender = wire.bytes(&SRC, 6)?;
    let src = mac(sender);
    wire.info(format_args!("{} → {}", Shown(src), Shown(dst)));
    if sender.first().is_some_and(|first| first & 0x80 != 0) {
        route(wire)?;
    }
    let next = if TYPE.bits_of(control) == LLC { Next::Llc } else { Next::Data };
    Ok(HeaderPayload::new(next, rest(wire), missing).between(src, dst))
}

fn route(wire: &mut Wire<'_>) -> Result {
    let first = wire.bits(1, &[&RIF_BYTES, &BROADCAST])?;
    match usize::try_from(RIF_BYTES.bits_of(first)) {
        Ok(length) if length > 1 => wire.bytes(&RIF, length - 1).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_route_is_read() {
        let frame = [
            "10 40",                     // frame; LLC
            "020000000002 820000000001", // destination, source, route
            "06 a0 0011 0020",           // 6 bytes: ring 1 by bridge 1 to ring 2
            "fefe03",                    // LLC, OSI
        ];
        insta::assert_snapshot!(layers(Next::Link(6), &frame), @"
        tr 0..20 | 82:00:00:00:00:01 → 02:00:00:00:00:02
          0..1 tr.ac = 0x10
            0..1 tr.priority = 0
            0..1 tr.frame = true
            0..1 tr.monitor_cnt = 0
            0..1 tr.priority_reservation = 0
          1..2 tr.fc = 0x40
            1..2 tr.frame_type = 1 (LLC)
            1..2 tr.frame_pcf = 0
          2..8 tr.dst = 02:00:00:00:00:02
          8..14 tr.src = 82:00:00:00:00:01
          14..15 tr.rif_bytes = 6
          14..15 tr.broadcast = 0
          15..20 tr.rif = a000110020
        llc 20..23 | DSAP 0xfe, SSAP 0xfe
          20..21 llc.dsap = 0xfe
          21..22 llc.ssap = 0xfe
          22..23 llc.control = 0x03
        ");
    }

    #[test]
    fn a_route_that_is_cut_is_noted() {
        let frame = [
            "10 40",                     // frame; LLC
            "020000000002 820000000001", // destination, source, route
            "06 a0",                     // beginning of 6 bytes
        ];
        insta::assert_snapshot!(crate::wire::trial::below(&cut(Next::Link(6), &frame, 7), &["data.data"]), @"
        tr 0..16 | 82:00:00:00:00:01 → 02:00:00:00:00:02
          15..16 data.data = a0
        ! broken dissect.cut at 15..16 tr: the capture holds 4 bytes too few of this frame
        ");
    }
}
