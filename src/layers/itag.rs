//! IEEE 802.1ah, provider backbone bridges: the I-TAG, with the addresses and the type of the customer's frame.
//!
//! ```text
//! I-PCP:3 I-DEI:1 UCA:1 reserved:3 I-SID:24 | C-DA:6 | C-SA:6 | type:2
//! ```

use super::ethernet::{ETHER_TYPES, Shown, mac, next, rest};
use super::{HeaderPayload, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&ITAG, FIELDS);

fields! {
    ITAG = protocol("ieee8021ah", "802.1ah", "IEEE 802.1ah provider backbone bridge");
    PRIORITY = number("ieee8021ah.priority", "Priority", "I-PCP").mask(0xe000_0000);
    DROP = number("ieee8021ah.drop", "Drop eligible", "I-DEI").mask(0x1000_0000);
    NCA = number("ieee8021ah.nca", "NCA", "No customer addresses (UCA, use customer address)").mask(0x0800_0000);
    RES1 = number("ieee8021ah.res1", "Reserved 1", "").mask(0x0400_0000);
    RES2 = number("ieee8021ah.res2", "Reserved 2", "").mask(0x0300_0000);
    ISID = number("ieee8021ah.isid", "I-SID", "Backbone service instance identifier").mask(0x00ff_ffff);
    CDST = mac("ieee8021ah.cdst", "C-Destination", "Customer destination address");
    CSRC = mac("ieee8021ah.csrc", "C-Source", "Customer source address");
    ETYPE = number("ieee8021ah.etype", "Type", "Ethernet type of the payload").hex(4).names(ETHER_TYPES);
}

/// A tag with the customer's addresses.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let tag = wire.bits(4, &[&PRIORITY, &DROP, &NCA, &RES1, &RES2, &ISID])?;
    let service = ISID.bits_of(tag);
    wire.tag(service);
    let dst = mac(wire.bytes(&CDST, 6)?);
    let src = mac(wire.bytes(&CSRC, 6)?);
    wire.info(format_args!("I-SID {service}, {} → {}", Shown(src), Shown(dst)));
    let kind = wire.u16_be(&ETYPE)?;
    Ok(HeaderPayload::new(next(kind), rest(wire), missing).between(src, dst))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_tag_leads_to_the_customers_frame() {
        let expected = "\
ieee8021ah 0..18 | I-SID 256, 02:00:00:00:00:01 → 02:00:00:00:00:02
  0..4 ieee8021ah.priority = 3
  0..4 ieee8021ah.drop = 1
  0..4 ieee8021ah.nca = 0
  0..4 ieee8021ah.res1 = 0
  0..4 ieee8021ah.res2 = 0
  0..4 ieee8021ah.isid = 256
  4..10 ieee8021ah.cdst = 02:00:00:00:00:02
  10..16 ieee8021ah.csrc = 02:00:00:00:00:01
  16..18 ieee8021ah.etype = 0x88cc (LLDP)
lldp 18..20
  18..20 lldp.tlv
    18..20 lldp.tlv.type = 0 (end)
    18..20 lldp.tlv.len = 0
";
        assert_eq!(layers(Next::EtherType(0x88e7), &["70000100 020000000002 020000000001 88cc", "0000"]), expected);
    }

    #[test]
    fn a_tag_that_is_cut_is_noted() {
        let tree = cut(Next::EtherType(0x88e7), &["70000100 0200"], 30);
        assert!(
            tree.ends_with("! broken dissect.cut at 4..6 ieee8021ah: the capture holds 4 bytes too few of this frame\n"),
            "{tree}"
        );
    }
}
