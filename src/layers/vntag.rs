//! Cisco VN-Tag (pre-standard IEEE 802.1Qbh): source and destination virtual interface of a frame.
//!
//! ```text
//! direction:1 pointer:1 destination:14 looped:1 reserved:1 version:2 source:12 | type:2
//! ```
//!
//! A type below 1,536 is a length, and LLC follows.

use super::ethernet::{ETHER_TYPES, is_length, next, rest};
use super::{HeaderPayload, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&VNTAG, FIELDS);

fields! {
    VNTAG = protocol("vntag", "VN-Tag", "Cisco virtual interface tag");
    DIR = bool("vntag.dir", "Direction", "False to the bridge, true from it").mask(0x8000_0000).once();
    PTR = bool("vntag.ptr", "Pointer", "False for a vif_id, true for a vif_list_id").mask(0x4000_0000).once();
    DST = number("vntag.dst", "Destination", "Destination virtual interface").mask(0x3fff_0000).once();
    LOOPED = bool("vntag.looped", "Looped", "The frame returns to its source bridge").mask(0x8000).once();
    R = number("vntag.r", "Reserved", "").mask(0x4000).once();
    VERSION = number("vntag.version", "Version", "0").mask(0x3000).once();
    SRC = number("vntag.src", "Source", "Source virtual interface").mask(0x0fff).once();
    ETYPE = number("vntag.etype", "Type", "Ethernet type of the payload").hex(4).names(ETHER_TYPES).once();
    LEN = number("vntag.len", "Length", "Bytes of an IEEE 802.3 payload");
}

/// A tag.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let tag = wire.bits(4, &[&DIR, &PTR, &DST, &LOOPED, &R, &VERSION, &SRC])?;
    wire.info(format_args!("source {}, destination {}", SRC.bits_of(tag), DST.bits_of(tag)));
    let kind = wire.u16_be(if is_length(wire.ahead()) { &LEN } else { &ETYPE })?;
    Ok(HeaderPayload::new(next(kind), rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_tag_leads_to_the_payload() {
        let frame = ["8005 c003", "88cc", "0000"];
        let expected = "\
vntag 0..6 | source 3, destination 5
  0..4 vntag.dir = true
  0..4 vntag.ptr = false
  0..4 vntag.dst = 5
  0..4 vntag.looped = true
  0..4 vntag.r = 1
  0..4 vntag.version = 0
  0..4 vntag.src = 3
  4..6 vntag.etype = 0x88cc (LLDP)
lldp 6..8
  6..8 lldp.tlv
    6..8 lldp.tlv.type = 0 (end)
    6..8 lldp.tlv.len = 0
";
        assert_eq!(layers(Next::EtherType(0x8926), &frame), expected);
        assert!(layers(Next::EtherType(0x8926), &["00000000 0003 fefe03"]).contains("4..6 vntag.len = 3\nllc 6..9"));
    }

    #[test]
    fn a_tag_that_is_cut_is_noted() {
        let expected = "\
vntag 0..2
  0..2 data.data = 8005
! broken dissect.cut at 0..2 vntag: the capture holds 2 bytes too few of this frame
";
        assert_eq!(cut(Next::EtherType(0x8926), &["8005"], 9), expected);
    }
}
