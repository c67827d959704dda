//! Cisco FabricPath: an Ethernet frame between two switches, in a header that replaces the outer Ethernet header.
//!
//! ```text
//! destination:6 | source:6 | 8903 | tree:10 bits | TTL:6 bits | Ethernet frame
//! address     end node:6 bits, U/L:1, I/G:1, end node:2, reserved:1, OOO/DL:1, switch:12 | sub-switch:1 | port:2
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Field, Value, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&CFP, FIELDS);

fields! {
    CFP = protocol("cfp", "FabricPath", "Cisco FabricPath");
    DESTINATION = group("cfp.d_hmac", "Destination", "").once();
    SOURCE = group("cfp.s_hmac", "Source", "").once();
    END_NODE = number("cfp.eid", "End node ID", "").hex(3);
    LOCAL = bool("cfp.ul", "U/L bit", "True for a locally administered address").mask(0x02_0000);
    GROUP = bool("cfp.ig", "I/G bit", "True for a group address").mask(0x01_0000);
    ORDER = bool("cfp.ooodl", "OOO/DL bit", "Deliver in order in a destination, learn in a source").mask(0x00_1000);
    SWITCH = number("cfp.swid", "Switch ID", "").hex(3).mask(0x00_0fff);
    SUB_SWITCH = number("cfp.sswid", "Sub-switch ID", "").hex(2);
    PORT = number("cfp.lid", "Local ID", "Port of the switch").hex(4);
    TYPE = number("cfp.etype", "FP EtherType", "").hex(4).once();
    TREE = number("cfp.ftag", "FTAG", "Forwarding tag, which selects a tree").mask(0xffc0).once();
    TTL = number("cfp.ttl", "TTL", "").mask(0x003f).once();
}

/// EtherType of Cisco's Data Center Ethernet.
pub(super) const ETHER_TYPE: u16 = 0x8903;

/// Whether the frame has this header instead of an Ethernet header.
pub(super) fn begins(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&ETHER_TYPE.to_be_bytes())
}

pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const ETHERNET: u16 = 1;
    let destination = wire.group(&DESTINATION, address)?;
    let source = wire.group(&SOURCE, address)?;
    wire.info(format_args!("switch {source:#05x} to {destination:#05x}"));
    wire.u16_be(&TYPE)?;
    wire.bits(2, &[&TREE, &TTL])?;
    Ok(HeaderPayload::new(Next::Link(ETHERNET), rest(wire), missing))
}

/// An address. Returns the switch.
fn address(wire: &mut Wire<'_>) -> Result<u64> {
    const BITS: [&Field; 4] = [&LOCAL, &GROUP, &ORDER, &SWITCH];
    let at = wire.at();
    let bits = wire.bits(3, &BITS)?;
    // Six bits of the first byte and two of the second one.
    let end_node = bits >> 18 << 2 | bits >> 14 & 3;
    wire.put(&END_NODE, Value::Unsigned(end_node), at..at + 2);
    wire.u8(&SUB_SWITCH)?;
    wire.u16_be(&PORT)?;
    Ok(SWITCH.bits_of(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn an_ethernet_frame_follows() {
        let frame = ["0a 41 23 04 0005", "06 10 07 00 0001", "8903 4020", "005056835d58 005056838ef3 88cc 0000"];
        insta::assert_snapshot!(layers(Next::Link(1), &frame), @"
        cfp 0..16 | switch 0x007 to 0x123
          0..6 cfp.d_hmac
            0..3 cfp.ul = true
            0..3 cfp.ig = false
            0..3 cfp.ooodl = false
            0..3 cfp.swid = 0x123
            0..2 cfp.eid = 0x009
            3..4 cfp.sswid = 0x04
            4..6 cfp.lid = 0x0005
          6..12 cfp.s_hmac
            6..9 cfp.ul = true
            6..9 cfp.ig = false
            6..9 cfp.ooodl = true
            6..9 cfp.swid = 0x007
            6..8 cfp.eid = 0x004
            9..10 cfp.sswid = 0x00
            10..12 cfp.lid = 0x0001
          12..14 cfp.etype = 0x8903
          14..16 cfp.ftag = 256
          14..16 cfp.ttl = 32
        eth 16..30 | 00:50:56:83:8e:f3 → 00:50:56:83:5d:58
          16..22 eth.dst = 00:50:56:83:5d:58
          22..28 eth.src = 00:50:56:83:8e:f3
          28..30 eth.type = 0x88cc (LLDP)
        lldp 30..32
          30..32 lldp.tlv
            30..32 lldp.tlv.type = 0 (end)
            30..32 lldp.tlv.len = 0
        ");
    }

    #[test]
    fn a_header_that_is_cut_is_noted() {
        let tree = cut(Next::Link(1), &["0a 41 23 04 0005", "06 10 07 00 0001", "8903 40"], 60);
        insta::assert_snapshot!(crate::wire::trial::below(&tree, &["cfp.etype", "data.data"]), @"
        cfp 0..15 | switch 0x007 to 0x123
          12..14 cfp.etype = 0x8903
          14..15 data.data = 40
        ! broken dissect.cut at 14..15 cfp: the capture holds 1 bytes too few of this frame
        ");
    }
}
