//! ERSPAN, mirrored Ethernet frames in GRE, of types II and III (draft-foschiano-erspan). Type I has no header.
//!
//! ```text
//! type II   1:4 vlan:12 | cos:3 encapsulation:2 truncated:1 session:10 | reserved:12 index:20 | Ethernet frame
//! type III  2:4 vlan:12 | cos:3 integrity:2 truncated:1 session:10 | timestamp:4 | security group:2
//!           P:1 frame type:5 hardware:6 direction:1 granularity:2 O:1 | O: platform:6 and 58 bits by platform | frame
//! ```
//!
//! Not covered: the platform-specific subheader.

use super::ethernet::{self, rest};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&ERSPAN, FIELDS);

/// A header of type II or III.
pub(super) static HEADER: Described = Described { protocol: &PROTOCOL, header };

fields! {
    ERSPAN = protocol("erspan", "ERSPAN", "Encapsulated Remote Switch Packet Analysis");
    VERSION = number("erspan.version", "Version", "1: type II, 2: type III").mask(0xf000).names(VERSIONS).once();
    VLAN = number("erspan.vlan", "VLAN", "Original VLAN of the mirrored frame").mask(0x0fff).once();
    COS = number("erspan.cos", "COS", "Class of service").mask(0xe000).once();
    ENCAP = number("erspan.encap", "Encapsulation", "VLAN encapsulation of the mirrored frame").mask(0x1800).names(ENCAPSULATIONS).once();
    BSO = number("erspan.bso", "BSO", "Bad, short or oversized frame").mask(0x1800).names(INTEGRITIES).once();
    TRUNCATED = number("erspan.truncated", "Truncated", "The mirrored frame is truncated").mask(0x0400).once();
    SPANID = number("erspan.spanid", "Session ID", "Mirror session").mask(0x03ff).once();
    RESERVED = number("erspan.reserved", "Reserved", "").mask(0xfff0_0000).once();
    INDEX = number("erspan.index", "Index", "Port and direction").mask(0x000f_ffff).once();
    TIMESTAMP = number("erspan.timestamp", "Timestamp", "In units of the granularity").once();
    SGT = number("erspan.sgt", "Security group tag", "").once();
    PDU = number("erspan.p", "Has an Ethernet frame", "1 if the frame is one").mask(0x8000).once();
    FT = number("erspan.ft", "Frame type", "").mask(0x7c00).names(FRAME_TYPES).once();
    HW = number("erspan.hw", "Hardware ID", "ERSPAN engine").mask(0x03f0).once();
    DIRECTION = bool("erspan.direction", "Egress", "True for egress, false for ingress").mask(0x0008).once();
    GRANULARITY = number("erspan.gra", "Timestamp granularity", "Unit of the timestamp").mask(0x0006).names(GRANULARITIES).once();
    OPTIONAL = number("erspan.o", "Platform header", "1 if eight more bytes follow").mask(0x0001).once();
    PLATFORM = number("erspan.platid", "Platform ID", "Format of the platform subheader").mask(0xfc00_0000_0000_0000);
    INFO = number("erspan.pid.rsvd", "Platform data", "Format given by the platform ID").mask(0x03ff_ffff_ffff_ffff);
    UNKNOWN_VERSION = broken("erspan.version.unknown", "unknown version", "The version is neither 1 nor 2");
}

const VERSIONS: Names = &[(1, "type II"), (2, "type III")];
const ENCAPSULATIONS: Names = &[(0, "no VLAN tag"), (1, "ISL"), (2, "802.1Q"), (3, "tag kept in the frame")];
const INTEGRITIES: Names = &[(0, "good or unknown"), (1, "short"), (2, "oversized"), (3, "bad")];
const FRAME_TYPES: Names = &[(0, "Ethernet"), (2, "IP")];
const GRANULARITIES: Names = &[(0, "100 microseconds"), (1, "100 nanoseconds"), (2, "IEEE 1588"), (3, "user defined")];

fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let first = wire.bits(2, &[&VERSION, &VLAN])?;
    let vlan = VLAN.bits_of(first);
    let next = match VERSION.bits_of(first) {
        1 => {
            let second = wire.bits(2, &[&COS, &ENCAP, &TRUNCATED, &SPANID])?;
            wire.info(format_args!("session {}, VLAN {vlan}", SPANID.bits_of(second)));
            wire.bits(4, &[&RESERVED, &INDEX])?;
            Next::Header(&ethernet::FRAME)
        }
        2 => {
            let second = wire.bits(2, &[&COS, &BSO, &TRUNCATED, &SPANID])?;
            wire.info(format_args!("session {}, VLAN {vlan}", SPANID.bits_of(second)));
            timed(wire)?
        }
        version => return wire.malformed(&UNKNOWN_VERSION, format_args!("version {version}")),
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// Fields of type III only.
fn timed(wire: &mut Wire<'_>) -> Result<Next> {
    const ETHERNET: u64 = 0;
    const IP: u64 = 2;
    wire.u32_be(&TIMESTAMP)?;
    wire.u16_be(&SGT)?;
    let third = wire.bits(2, &[&PDU, &FT, &HW, &DIRECTION, &GRANULARITY, &OPTIONAL])?;
    if OPTIONAL.bits_of(third) == 1 {
        wire.bits(8, &[&PLATFORM, &INFO])?;
    }
    Ok(match FT.bits_of(third) {
        ETHERNET => Next::Header(&ethernet::FRAME),
        IP => Next::Ip,
        _ => Next::Data,
    })
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn a_header_of_type_ii_is_read() {
        let frame = [
            "1000 88be 00000001",             // GRE with a sequence number, ERSPAN
            "1017 0864",                      // type II, VLAN 23, ISL, session 100
            "00000005",                       // port 5
            "020000000002 020000000001 88cc", // Ethernet, LLDP
        ];
        insta::assert_snapshot!(layers(Next::IpProtocol(47), &frame), @"
        gre 0..8 | ERSPAN
          0..2 gre.flags_and_version = 0x1000
            0..2 gre.flags.checksum = false
            0..2 gre.flags.routing = false
            0..2 gre.flags.key = false
            0..2 gre.flags.sequence_number = true
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.reserved = 0
            0..2 gre.flags.version = 0
          2..4 gre.proto = 0x88be (ERSPAN)
          4..8 gre.sequence_number = 1
        erspan 8..16 | session 100, VLAN 23
          8..10 erspan.version = 1 (type II)
          8..10 erspan.vlan = 23
          10..12 erspan.cos = 0
          10..12 erspan.encap = 1 (ISL)
          10..12 erspan.truncated = 0
          10..12 erspan.spanid = 100
          12..16 erspan.reserved = 0
          12..16 erspan.index = 5
        eth 16..30 | 02:00:00:00:00:01 → 02:00:00:00:00:02
          16..22 eth.dst = 02:00:00:00:00:02
          22..28 eth.src = 02:00:00:00:00:01
          28..30 eth.type = 0x88cc (LLDP)
        lldp 30..30
        ! odd lldp.note.end at 30..30 lldp: no element ends the list
        ");
    }

    #[test]
    fn a_header_of_type_iii_may_have_more() {
        let frame = [
            "1000 22eb 00000001", // GRE with a sequence number, ERSPAN III
            "2014 0000",          // type III, VLAN 20
            "00001458 0007",      // time 5208, group 7
            "8031",               // Ethernet, hardware 3, more follows
            "0c00000100000002",   // platform 3
        ];
        insta::assert_snapshot!(layers(Next::IpProtocol(47), &frame), @"
        gre 0..8 | ERSPAN III
          0..2 gre.flags_and_version = 0x1000
            0..2 gre.flags.checksum = false
            0..2 gre.flags.routing = false
            0..2 gre.flags.key = false
            0..2 gre.flags.sequence_number = true
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.reserved = 0
            0..2 gre.flags.version = 0
          2..4 gre.proto = 0x22eb (ERSPAN III)
          4..8 gre.sequence_number = 1
        erspan 8..28 | session 0, VLAN 20
          8..10 erspan.version = 2 (type III)
          8..10 erspan.vlan = 20
          10..12 erspan.cos = 0
          10..12 erspan.bso = 0 (good or unknown)
          10..12 erspan.truncated = 0
          10..12 erspan.spanid = 0
          12..16 erspan.timestamp = 5208
          16..18 erspan.sgt = 7
          18..20 erspan.p = 1
          18..20 erspan.ft = 0 (Ethernet)
          18..20 erspan.hw = 3
          18..20 erspan.direction = false
          18..20 erspan.gra = 0 (100 microseconds)
          18..20 erspan.o = 1
          20..28 erspan.platid = 3
          20..28 erspan.pid.rsvd = 4294967298
        eth 28..28
        ! broken dissect.short at 28..28 eth: 6 more bytes needed, 0 left
        ");
    }

    #[test]
    fn another_version_is_noted() {
        let frame = [
            "1000 88be 00000001", // GRE with a sequence number, ERSPAN
            "7017 0864",          // type 7
        ];
        insta::assert_snapshot!(layers(Next::IpProtocol(47), &frame), @"
        gre 0..8 | ERSPAN
          0..2 gre.flags_and_version = 0x1000
            0..2 gre.flags.checksum = false
            0..2 gre.flags.routing = false
            0..2 gre.flags.key = false
            0..2 gre.flags.sequence_number = true
            0..2 gre.flags.strict_source_route = false
            0..2 gre.flags.recursion_control = 0
            0..2 gre.flags.reserved = 0
            0..2 gre.flags.version = 0
          2..4 gre.proto = 0x88be (ERSPAN)
          4..8 gre.sequence_number = 1
        erspan 8..12
          8..10 erspan.version = 7
          8..10 erspan.vlan = 23
          10..12 data.data = 0864
        ! broken erspan.version.unknown at 10..12 erspan.vlan: version 7
        ");
    }
}
