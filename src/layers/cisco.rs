//! Cisco framings: HDLC on serial lines, SLARP keepalives, and Cisco metadata with the security group of a packet.
//!
//! ```text
//! HDLC      address:1 (0f one, 8f all) | control:1 | type:2, an Ethernet type | packet
//! SLARP     type:4 | address:4 | mask:4              request and reply
//!           type:4 | sent:4 | seen:4 | ffff:2        keepalive, a clock may follow
//! metadata  version:1 | length:1 | option:2 | security group:2 | type:2, an Ethernet type, in GRE the first | packet
//! ```
//!
//! Not covered: CDP and OSI packets on HDLC, metadata with other options than one security group.

use super::ethernet::{ETHER_TYPES, rest};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire, data};

pub static PROTOCOL: Protocol = layer(&CHDLC, FIELDS);

pub static SLARP_PROTOCOL: Protocol = layer(&slarp_fields::SLARP, slarp_fields::FIELDS);

/// Cisco metadata.
pub static METADATA_PROTOCOL: Protocol = layer(&metadata_fields::CMD, metadata_fields::FIELDS);

/// Metadata that GRE carries.
pub(super) static METADATA_IN_GRE: Described = Described { protocol: &METADATA_PROTOCOL, header: metadata_in_gre };

static SLARP_PACKET: Described = Described { protocol: &SLARP_PROTOCOL, header: slarp };

fields! {
    CHDLC = protocol("chdlc", "Cisco HDLC", "Cisco's framing of serial lines");
    ADDRESS = number("chdlc.address", "Address", "Unicast or broadcast").hex(2).names(ADDRESSES).once();
    CONTROL = number("chdlc.control", "Control", "0").hex(2).once();
    PROTO = number("chdlc.protocol", "Protocol", "EtherType of the payload").hex(4).names(PROTOCOLS).once();
}

mod slarp_fields {
    use crate::tree::fields;

    fields! {
        SLARP = protocol("slarp", "SLARP", "Serial Line Address Resolution Protocol");
        PTYPE = number("slarp.ptype", "Packet type", "").names(super::SLARP_TYPES).once();
        ADDRESS = ipv4("slarp.address", "Address", "IP address of the sender");
        NETMASK = ipv4("slarp.netmask", "Netmask", "Subnet mask of the line");
        MINE = number("slarp.mysequence", "Outgoing sequence number", "Counts keepalives").once();
        YOURS = number("slarp.yoursequence", "Returned sequence number", "Last sequence number received from the peer").once();
        RELIABILITY = number("slarp.reliability", "Reliability", "0xffff").hex(4).once();
    }
}

mod metadata_fields {
    use super::ETHER_TYPES;
    use crate::tree::fields;

    fields! {
        CMD = protocol("cmd", "Cisco metadata", "Security group of a packet");
        VERSION = number("cmd.version", "Version", "1").once();
        LENGTH = number("cmd.length", "Length", "Units of eight bytes").once();
        OPTIONS = number("cmd.options", "Options", "Length and type of the option").hex(4).once();
        SGT = number("cmd.sgt", "Security group tag", "Cisco TrustSec SGT of the sender").once();
        TYPE = number("cmd.type", "Type", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
    }
}

use metadata_fields::{LENGTH, OPTIONS, SGT, TYPE, VERSION};

const ONE: u8 = 0x0f;
const ALL: u8 = 0x8f;
const SLARP_NUMBER: u16 = 0x8035;
const ADDRESSES: Names = &[(0x0f, "unicast"), (0x8f, "multicast")];
const PROTOCOLS: Names = &[
    (0x0800, "IPv4"),
    (0x2000, "CDP"),
    (0x8035, "SLARP"),
    (0x86dd, "IPv6"),
    (0x8847, "MPLS"),
    (0x8848, "MPLS multicast"),
    (0xfefe, "OSI"),
];
const SLARP_TYPES: Names = &[(0, "request"), (1, "reply"), (2, "keepalive")];

/// Whether a frame of a serial line has HDLC framing.
pub(super) fn is_plausible(frame: &[u8]) -> bool {
    matches!(frame, [ONE | ALL, ..])
}

/// A frame of a serial line.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.u8(&ADDRESS)?;
    wire.u8(&CONTROL)?;
    let protocol = wire.u16_be(&PROTO)?;
    wire.info(format_args!("{}", name_of(PROTOCOLS, protocol.into()).unwrap_or("unknown protocol")));
    let next = if protocol == SLARP_NUMBER { Next::Header(&SLARP_PACKET) } else { Next::EtherType(protocol) };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

fn slarp(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    use slarp_fields::{ADDRESS, MINE, NETMASK, PTYPE, RELIABILITY, YOURS};
    let kind = wire.u32_be(&PTYPE)?;
    wire.name(name_of(SLARP_TYPES, kind.into()).unwrap_or("unknown type"));
    match kind {
        0 | 1 => {
            wire.bytes(&ADDRESS, 4)?;
            wire.bytes(&NETMASK, 4)?;
        }
        2 => {
            let mine = wire.u32_be(&MINE)?;
            let yours = wire.u32_be(&YOURS)?;
            wire.u16_be(&RELIABILITY)?;
            wire.info(format_args!("sent {mine}, seen {yours}"));
        }
        _ => {}
    }
    wire.rest(&data::BYTES);
    Ok(HeaderPayload::nothing(wire.at()))
}

/// Metadata before a packet on Ethernet.
pub(super) fn metadata(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    group(wire)?;
    let kind = wire.u16_be(&TYPE)?;
    Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing))
}

/// Metadata before a packet in GRE, where the type comes first.
fn metadata_in_gre(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let kind = wire.u16_be(&TYPE)?;
    group(wire)?;
    Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing))
}

fn group(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION)?;
    wire.u8(&LENGTH)?;
    wire.u16_be(&OPTIONS)?;
    let group = wire.u16_be(&SGT)?;
    wire.info(format_args!("security group {group}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_keepalive_is_read() {
        let frame = [
            "8f 00 8035",             // to all, SLARP
            "00000002",               // keepalive
            "00000005 00000002 ffff", // 5 sent, 2 seen
        ];
        insta::assert_snapshot!(layers(Next::Link(104), &frame), @"
        chdlc 0..4 | SLARP
          0..1 chdlc.address = 0x8f (multicast)
          1..2 chdlc.control = 0x00
          2..4 chdlc.protocol = 0x8035 (SLARP)
        slarp 4..18 | keepalive | sent 5, seen 2
          4..8 slarp.ptype = 2 (keepalive)
          8..12 slarp.mysequence = 5
          12..16 slarp.yoursequence = 2
          16..18 slarp.reliability = 0xffff
        ");
    }

    #[test]
    fn a_reply_that_is_cut_is_noted() {
        let frame = [
            "8f 00 8035",  // to all, SLARP
            "00000001",    // reply
            "0a000001 ff", // an address and the beginning of a mask
        ];
        insta::assert_snapshot!(cut(Next::Link(104), &frame, 3), @"
        chdlc 0..4 | SLARP
          0..1 chdlc.address = 0x8f (multicast)
          1..2 chdlc.control = 0x00
          2..4 chdlc.protocol = 0x8035 (SLARP)
        slarp 4..13 | reply
          4..8 slarp.ptype = 1 (reply)
          8..12 slarp.address = 10.0.0.1
          12..13 data.data = ff
        ! broken dissect.cut at 12..13 slarp: the capture holds 3 bytes too few of this frame
        ");
    }

    #[test]
    fn metadata_is_followed_by_its_ethertype() {
        let frame = [
            "01 01 0001 0007", // version 1, 8 bytes, group 7
            "88cc aa",         // LLDP
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8909), &frame), @"
        cmd 0..8 | security group 7
          0..1 cmd.version = 1
          1..2 cmd.length = 1
          2..4 cmd.options = 0x0001
          4..6 cmd.sgt = 7
          6..8 cmd.type = 0x88cc (LLDP)
        lldp 8..9
          8..8 lldp.tlv
          8..9 data.data = aa
        ! broken dissect.short at 8..9 lldp: 1 more bytes needed, 1 left
        ");
    }

    #[test]
    fn metadata_in_gre_has_its_type_before() {
        let frame = [
            "88cc",            // LLDP
            "01 01 0001 0007", // version 1, 8 bytes, group 7
            "aa",              // LLDP
        ];
        insta::assert_snapshot!(layers(Next::Header(&super::METADATA_IN_GRE), &frame), @"
        cmd 0..8 | security group 7
          0..2 cmd.type = 0x88cc (LLDP)
          2..3 cmd.version = 1
          3..4 cmd.length = 1
          4..6 cmd.options = 0x0001
          6..8 cmd.sgt = 7
        lldp 8..9
          8..8 lldp.tlv
          8..9 data.data = aa
        ! broken dissect.short at 8..9 lldp: 1 more bytes needed, 1 left
        ");
    }
}
