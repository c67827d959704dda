//! VXLAN, Ethernet frames in UDP (RFC 7348), with the group policy bits, and its generic extension
//! (draft-ietf-nvo3-vxlan-gpe), which carries other packets too.
//!
//! ```text
//! VXLAN      G:1 .:3 I:1 .:4 D:1 .:2 A:1 .:3 | group policy:2 | VNI:3 | reserved:1 | Ethernet frame
//! extension  .:2 version:2 I:1 P:1 .:1 O:1 | reserved:2 | next protocol:1 | VNI:3 | reserved:1 | packet
//! ```

use super::ethernet::{self, rest};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&VXLAN, FIELDS);

/// A VXLAN header.
pub(super) static HEADER: Described = Described { protocol: &PROTOCOL, header };

/// A header of the generic extension.
pub(super) static GENERIC: Described = Described { protocol: &PROTOCOL, header: generic };

fields! {
    VXLAN = protocol("vxlan", "VXLAN", "Virtual eXtensible Local Area Network");
    FLAGS = number("vxlan.flags", "Flags", "").hex(4).once();
    FLAG_G = bool("vxlan.flag_g", "Group policy present", "The group policy ID is valid").mask(0x8000).once();
    FLAG_I = bool("vxlan.flag_i", "VNI present", "The VNI is valid").mask(0x0800).once();
    FLAG_D = bool("vxlan.flag_d", "Don't learn", "The receiver must not learn the source address").mask(0x0040).once();
    FLAG_A = bool("vxlan.flag_a", "Policy applied", "").mask(0x0008).once();
    RESERVED_FLAGS = number("vxlan.flags_reserved", "Reserved", "").hex(4).mask(0x77b7).once();
    GBP = number("vxlan.gbp", "Group policy ID", "Group of the sender").once();
    VER = number("vxlan.ver", "Version", "0").mask(0x30);
    I_BIT = number("vxlan.i_bit", "VNI present", "1 if the VNI is valid").mask(0x08);
    P_BIT = number("vxlan.p_bit", "Next protocol present", "1 if the next protocol is valid").mask(0x04);
    O_BIT = number("vxlan.o_bit", "OAM", "1 for OAM packets").mask(0x01);
    RESERVED_16 = number("vxlan.reserved_16", "Reserved", "");
    NEXT_PROTO = number("vxlan.next_proto", "Next protocol", "Protocol of the payload").names(PROTOCOLS);
    VNI = number("vxlan.vni", "VNI", "Virtual network identifier").once();
    RESERVED = number("vxlan.reserved8", "Reserved", "").once();
}

const PROTOCOLS: Names = &[(1, "IPv4"), (2, "IPv6"), (3, "Ethernet"), (4, "network service header"), (5, "MPLS")];

/// Whether a VXLAN header may begin here: it must have a network identifier.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & 0x08 != 0)
}

fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.flags(&FLAGS, 2, &[&FLAG_G, &FLAG_I, &FLAG_D, &FLAG_A, &RESERVED_FLAGS])?;
    wire.u16_be(&GBP)?;
    network(wire)?;
    Ok(HeaderPayload::new(Next::Header(&ethernet::FRAME), rest(wire), missing))
}

fn generic(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.bits(1, &[&VER, &I_BIT, &P_BIT, &O_BIT])?;
    wire.u16_be(&RESERVED_16)?;
    let next = match wire.u8(&NEXT_PROTO)? {
        1 | 2 => Next::Ip,
        3 => Next::Header(&ethernet::FRAME),
        5 => Next::Header(&super::mpls::LABELS),
        _ => Next::Data,
    };
    network(wire)?;
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

fn network(wire: &mut Wire<'_>) -> Result {
    let number = wire.u24_be(&VNI)?;
    wire.info(format_args!("VNI {number}"));
    wire.tag(number.into());
    wire.u8(&RESERVED).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_header_is_read() {
        let frame = [
            "8800 0005",                      // group policy and VNI, group 5
            "00007b 00",                      // network 123
            "020000000002 020000000001 88cc", // Ethernet, LLDP
        ];
        insta::assert_snapshot!(layers(Next::Header(&HEADER), &frame), @"
        vxlan 0..8 | VNI 123
          0..2 vxlan.flags = 0x8800
            0..2 vxlan.flag_g = true
            0..2 vxlan.flag_i = true
            0..2 vxlan.flag_d = false
            0..2 vxlan.flag_a = false
            0..2 vxlan.flags_reserved = 0x0000
          2..4 vxlan.gbp = 5
          4..7 vxlan.vni = 123
          7..8 vxlan.reserved8 = 0
        eth 8..22 | 02:00:00:00:00:01 → 02:00:00:00:00:02
          8..14 eth.dst = 02:00:00:00:00:02
          14..20 eth.src = 02:00:00:00:00:01
          20..22 eth.type = 0x88cc (LLDP)
        lldp 22..22
        ! odd lldp.note.end at 22..22 lldp: no element ends the list
        ");
    }

    #[test]
    fn the_extension_names_its_payload() {
        let frame = [
            "0c 0000 01", // VNI and next protocol, IPv4
            "00007b 00",  // network 123
            "05",         // no IPv4
        ];
        insta::assert_snapshot!(layers(Next::Header(&GENERIC), &frame), @"
        vxlan 0..8 | VNI 123
          0..1 vxlan.ver = 0
          0..1 vxlan.i_bit = 1
          0..1 vxlan.p_bit = 1
          0..1 vxlan.o_bit = 0
          1..3 vxlan.reserved_16 = 0
          3..4 vxlan.next_proto = 1 (IPv4)
          4..7 vxlan.vni = 123
          7..8 vxlan.reserved8 = 0
        data 8..9 | 1 bytes
          8..9 data.data = 05
        ");
    }

    #[test]
    fn a_header_that_is_cut_is_noted() {
        let frame = [
            "0800 0000", // VNI
            "0000",      // beginning of it
        ];
        insta::assert_snapshot!(cut(Next::Header(&HEADER), &frame, 54), @"
        vxlan 0..6
          0..2 vxlan.flags = 0x0800
            0..2 vxlan.flag_g = false
            0..2 vxlan.flag_i = true
            0..2 vxlan.flag_d = false
            0..2 vxlan.flag_a = false
            0..2 vxlan.flags_reserved = 0x0000
          2..4 vxlan.gbp = 0
          4..6 data.data = 0000
        ! broken dissect.cut at 4..6 vxlan: the capture holds 1 bytes too few of this frame
        ");
    }
}
