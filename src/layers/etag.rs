//! IEEE 802.1BR, bridge port extension: the E-tag.
//!
//! ```text
//! E-PCP:3 E-DEI:1 ingress E-CID base:12 | reserved:2 GRP:2 E-CID base:12 | ingress E-CID extension:1 | E-CID extension:1 | type:2
//! ```

use super::ethernet::{ETHER_TYPES, next, rest};
use super::{HeaderPayload, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&ETAG, FIELDS);

fields! {
    ETAG = protocol("etag", "E-tag", "IEEE 802.1BR bridge port extension");
    PCP = number("etag.pcp", "E-PCP", "Priority code point").mask(0xe000);
    DEI = number("etag.dei", "E-DEI", "Drop eligible indicator").mask(0x1000);
    IECID_BASE = number("etag.iecid_base", "Ingress E-CID base", "E-channel identifier of the source").hex(4).mask(0x0fff);
    RESV = number("etag.resv", "Reserved", "").mask(0xc000);
    GROUP = number("etag.group", "GRP", "0 for point-to-point, else point-to-multipoint").mask(0x3000);
    ECID_BASE = number("etag.ecid_base", "E-CID base", "E-channel identifier of the destination").hex(4).mask(0x0fff);
    IECID_EXT = number("etag.iecid_ext", "Ingress E-CID extension", "High 8 bits").hex(2);
    ECID_EXT = number("etag.ecid_ext", "E-CID extension", "High 8 bits").hex(2);
    ETYPE = number("etag.etype", "Type", "Ethernet type of the payload").hex(4).names(ETHER_TYPES);
}

/// A tag.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.bits(2, &[&PCP, &DEI, &IECID_BASE])?;
    let channel = wire.bits(2, &[&RESV, &GROUP, &ECID_BASE])?;
    wire.u8(&IECID_EXT)?;
    wire.u8(&ECID_EXT)?;
    wire.info(format_args!("E-CID base {:#06x}", ECID_BASE.bits_of(channel)));
    let kind = wire.u16_be(&ETYPE)?;
    Ok(HeaderPayload::new(next(kind), rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_tag_leads_to_the_payload() {
        let expected = "\
etag 0..8 | E-CID base 0x0064
  0..2 etag.pcp = 5
  0..2 etag.dei = 1
  0..2 etag.iecid_base = 0x0123
  2..4 etag.resv = 0
  2..4 etag.group = 1
  2..4 etag.ecid_base = 0x0064
  4..5 etag.iecid_ext = 0x02
  5..6 etag.ecid_ext = 0x03
  6..8 etag.etype = 0x88cc (LLDP)
lldp 8..10
  8..10 lldp.tlv
    8..10 lldp.tlv.type = 0 (end)
    8..10 lldp.tlv.len = 0
";
        assert_eq!(layers(Next::EtherType(0x893f), &["b123 1064 02 03 88cc", "0000"]), expected);
    }

    #[test]
    fn a_tag_that_is_cut_is_noted() {
        let tree = cut(Next::EtherType(0x893f), &["b123 1064 02"], 9);
        assert!(tree.ends_with("! broken dissect.cut at 5..5 etag: the capture holds 1 bytes too few of this frame\n"), "{tree}");
    }
}
