//! OSPF, Open Shortest Path First. Versions 2 (RFC 2328) for IPv4 and 3 (RFC 5340) for IPv6.
//!
//! ```text
//! version:1 | type:1 | length:2 | router:4 | area:4 | checksum:2 | by version
//!   2   authentication type:2 | authentication:8              digest behind the packet, its length at byte 19
//!   3   instance:1 | reserved:1
//! hello          2: mask:4 | interval:2 | options:1 | priority:1 | dead interval:4    | DR:4 | backup DR:4 | neighbour:4 …
//!                3: interface:4 | priority:1 | options:3 | interval:2 | dead interval:2  the same
//! description    2: MTU:2 | options:1 | flags:1 | sequence number:4 | LSA header …
//!                3: reserved:1 | options:3 | MTU:2 | reserved:1 | the same
//! request        2: type:4, 3: reserved:2 | type:2            | ID:4 | router:4, over and over
//! update         number of LSAs:4 | LSA …
//! acknowledge    LSA header …
//! LSA header     age:2 | 2: options:1 | type:1, 3: type:2     | ID:4 | router:4 | sequence number:4 | checksum:2 | length:2
//! ```
//! After version 2, a block of link-local signaling (RFC 5613) may follow. Not covered: opaque LSAs, links and prefixes of
//! version 3, verifying checksums and digests.

use crate::tree::{Field, Names, Value, fields, name_of, title};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};
use std::net::Ipv4Addr;

/// OSPF.
pub static PROTOCOL: Protocol = Protocol::new(&OSPF, FIELDS, FOUND).rest(&DATA);

const FOUND: &[Found] = &[On::IpProtocol(89).datagram(Heuristic::Anything, packet)];

fields! {
    OSPF = protocol("ospf", "OSPF", "Open Shortest Path First");
    HEADER = group("ospf.header", "OSPF header", "");
    VERSION = number("ospf.version", "Version", "").once();
    MSG = number("ospf.msg", "Message type", "").names(TYPES).once();
    PACKET_LENGTH = number("ospf.packet_length", "Packet length", "Bytes of header and message").once();
    ROUTER = ipv4("ospf.srcrouter", "Source OSPF router", "").once();
    AREA = ipv4("ospf.area_id", "Area ID", "").once();
    CHECKSUM = number("ospf.checksum", "Checksum", "").hex(4).once();
    INSTANCE = number("ospf.instance_id", "Instance ID", "").once();
    RESERVED = bytes("ospf.reserved", "Reserved", "");
    AUTH_TYPE = number("ospf.auth.type", "Auth type", "").names(AUTH_TYPES).once();
    AUTH_NONE = bytes("ospf.auth.none", "Auth data (none)", "").once();
    AUTH_SIMPLE = text("ospf.auth.simple", "Auth data (simple)", "").secret().once();
    KEY_ID = number("ospf.auth.crypt.key_id", "Auth crypt key ID", "").once();
    AUTH_LENGTH = number("ospf.auth.crypt.data_length", "Auth crypt data length", "Bytes of the digest after the packet").once();
    AUTH_SEQUENCE = number("ospf.auth.crypt.seq_nbr", "Auth crypt sequence number", "").once();
    AUTH_DATA = bytes("ospf.auth.crypt.data", "Auth crypt data", "").once();
    AUTH_UNKNOWN = bytes("ospf.auth.unknown", "Auth unknown", "").once();
    HELLO = group("ospf.hello", "OSPF hello packet", "");
    MASK = ipv4("ospf.hello.network_mask", "Network mask", "").once();
    INTERFACE = number("ospf.hello.interface_id", "Interface ID", "").once();
    INTERVAL = number("ospf.hello.hello_interval", "Hello interval", "Seconds").once();
    PRIORITY = number("ospf.hello.router_priority", "Router priority", "").once();
    DEAD = number("ospf.hello.router_dead_interval", "Router dead interval", "Seconds").once();
    DR = ipv4("ospf.hello.designated_router", "Designated router", "").once();
    BACKUP = ipv4("ospf.hello.backup_designated_router", "Backup designated router", "").once();
    NEIGHBOUR = ipv4("ospf.hello.active_neighbor", "Active neighbor", "");
    OPTIONS_2 = number("ospf.v2.options", "Options", "").hex(2);
    O2_DN = bool("ospf.v2.options.dn", "DN", "").mask(0x80);
    O2_O = bool("ospf.v2.options.o", "O", "Opaque LSAs").mask(0x40);
    O2_DC = bool("ospf.v2.options.dc", "Demand circuits", "").mask(0x20);
    O2_L = bool("ospf.v2.options.l", "LLS data block", "").mask(0x10);
    O2_N = bool("ospf.v2.options.n", "NSSA", "").mask(0x08);
    O2_MC = bool("ospf.v2.options.mc", "Multicast", "").mask(0x04);
    O2_E = bool("ospf.v2.options.e", "External routing", "").mask(0x02);
    O2_MT = bool("ospf.v2.options.mt", "Multi-topology routing", "").mask(0x01);
    OPTIONS_3 = number("ospf.v3.options", "Options", "").hex(6);
    O3_AT = bool("ospf.v3.options.at", "AT", "Authentication trailer").mask(0x400);
    O3_L = bool("ospf.v3.options.l", "L", "LLS data block").mask(0x200);
    O3_AF = bool("ospf.v3.options.af", "AF", "Address families").mask(0x100);
    O3_DC = bool("ospf.v3.options.dc", "DC", "Demand circuits").mask(0x20);
    O3_R = bool("ospf.v3.options.r", "R", "Active router").mask(0x10);
    O3_N = bool("ospf.v3.options.n", "N", "NSSA").mask(0x08);
    O3_MC = bool("ospf.v3.options.mc", "MC", "Multicast").mask(0x04);
    O3_E = bool("ospf.v3.options.e", "E", "External routing").mask(0x02);
    O3_V6 = bool("ospf.v3.options.v6", "V6", "Forwards IPv6").mask(0x01);
    MTU = number("ospf.db.interface_mtu", "Interface MTU", "Bytes").once();
    DBD = number("ospf.dbd", "DB description", "").hex(2).once();
    DBD_R = bool("ospf.dbd.r", "OOBResync", "").mask(0x08).once();
    DBD_I = bool("ospf.dbd.i", "Init", "").mask(0x04).once();
    DBD_M = bool("ospf.dbd.m", "More", "").mask(0x02).once();
    DBD_MS = bool("ospf.dbd.ms", "Master", "").mask(0x01).once();
    DD_SEQUENCE = number("ospf.db.dd_sequence", "DD sequence", "").once();
    REQUEST = group("ospf.request", "Link state request", "").titled(title::kind);
    LINK_STATE = ipv4("ospf.link_state_id", "Link state ID", "");
    LSAS = number("ospf.ls.number_of_lsas", "Number of LSAs", "").once();
    LSA = group("ospf.entry", "LSA", "Link state advertisement").titled(title::kind);
    AGE = number("ospf.lsa.age", "LS age", "Seconds").mask(0x7fff);
    DO_NOT_AGE = number("ospf.lsa.donotage", "Do not age flag", "").mask(0x8000);
    TYPE = number("ospf.lsa", "LS type", "").names(LSA_TYPES);
    TYPE_3 = number("ospf.v3.lsa", "LS type", "").hex(4).names(LSA_TYPES_3);
    HANDLING = bool("ospf.v3.lsa.u", "LSA handling", "Flood although the type is unknown").mask(0x8000);
    SCOPE = number("ospf.v3.lsa.s12", "Flooding scope", "").hex(4).mask(0x6000).names(SCOPES);
    FUNCTION = number("ospf.v3.lsa.fc", "Function code", "").mask(0x1fff);
    ID = ipv4("ospf.lsa.id", "Link state ID", "");
    ADVERTISER = ipv4("ospf.advrouter", "Advertising router", "");
    SEQUENCE = number("ospf.lsa.seqnum", "Sequence number", "").hex(8);
    LSA_CHECKSUM = number("ospf.lsa.chksum", "Checksum", "").hex(4);
    LSA_LENGTH = number("ospf.lsa.length", "Length", "Bytes of header and body");
    BODY = bytes("ospf.lsa.body", "Body", "Undissected bytes");
    FLAGS = number("ospf.v2.router.lsa.flags", "Flags", "").hex(2);
    FLAG_H = bool("ospf.v2.router.lsa.flags.h", "H flag", "").mask(0x80);
    FLAG_N = bool("ospf.v2.router.lsa.flags.n", "N flag", "").mask(0x10);
    FLAG_W = bool("ospf.v2.router.lsa.flags.w", "Wild-card multicast receiver", "").mask(0x08);
    FLAG_V = bool("ospf.v2.router.lsa.flags.v", "Virtual link endpoint", "").mask(0x04);
    FLAG_E = bool("ospf.v2.router.lsa.flags.e", "AS boundary router", "").mask(0x02);
    FLAG_B = bool("ospf.v2.router.lsa.flags.b", "Area border router", "").mask(0x01);
    FLAGS_3 = number("ospf.v3.router.lsa.flags", "Flags", "").hex(2);
    FLAG_3_W = bool("ospf.v3.router.lsa.flags.w", "Wild-card multicast receiver", "").mask(0x08);
    FLAG_3_V = bool("ospf.v3.router.lsa.flags.v", "Virtual link endpoint", "").mask(0x04);
    FLAG_3_E = bool("ospf.v3.router.lsa.flags.e", "AS boundary router", "").mask(0x02);
    FLAG_3_B = bool("ospf.v3.router.lsa.flags.b", "Area border router", "").mask(0x01);
    LINKS = number("ospf.lsa.number_of_links", "Number of links", "");
    LINK = group("ospf.link", "Link", "").titled(title::kind);
    LINK_ID = ipv4("ospf.lsa.router.linkid", "Link ID", "");
    LINK_DATA = ipv4("ospf.lsa.router.linkdata", "Link data", "Mask of a stub network, else the router's address");
    LINK_TYPE = number("ospf.lsa.router.linktype", "Link type", "").names(LINK_TYPES);
    METRICS = number("ospf.lsa.router.nummetrics", "Number of metrics", "Metrics for types of service");
    METRIC_0 = number("ospf.lsa.router.metric0", "Metric 0", "");
    NETMASK = ipv4("ospf.lsa.network.netmask", "Netmask", "");
    ATTACHED = ipv4("ospf.lsa.network.attchrtr", "Attached router", "");
    SUMMARY_MASK = ipv4("ospf.lsa.asbr.netmask", "Netmask", "");
    EXTERNAL_MASK = ipv4("ospf.lsa.asext.netmask", "Netmask", "");
    EXTERNAL_TYPE = bool("ospf.lsa.asext.type", "External type", "Type 2: the metric is larger than any inside").mask(0x80);
    TOS = number("ospf.lsa.tos", "TOS", "Type of service").mask(0x7f);
    METRIC = number("ospf.metric", "Metric", "");
    FORWARDING = ipv4("ospf.lsa.asext.fwdaddr", "Forwarding address", "");
    TAG = number("ospf.lsa.asext.extrttag", "External route tag", "");
    LLS = group("ospf.lls", "OSPF LLS data block", "Link-local signaling");
    LLS_CHECKSUM = number("ospf.lls.checksum", "Checksum", "").hex(4).once();
    LLS_LENGTH = number("ospf.lls.data_length", "LLS data length", "Units of four bytes").once();
    TLV_TYPE = number("ospf.tlv_type", "TLV type", "").names(TLVS);
    TLV_LENGTH = number("ospf.tlv_length", "TLV length", "Bytes of the value");
    TLV_VALUE = bytes("ospf.tlv.unknown", "Unknown TLV", "");
    EXTENDED = number("ospf.lls.ext.options", "Options", "").hex(8).once();
    EXTENDED_RS = bool("ospf.lls.ext.options.rs", "Restart signal", "").mask(0x02).once();
    EXTENDED_LR = bool("ospf.lls.ext.options.lr", "LSDB resynchronization", "").mask(0x01).once();
    LLS_SEQUENCE = number("ospf.v2.lls.sequence_number", "Sequence number", "").hex(8).once();
    LLS_AUTH = bytes("ospf.v2.lls.auth_data", "Auth data", "").once();
    DATA = bytes("ospf.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[(1, "Hello Packet"), (2, "DB Description"), (3, "LS Request"), (4, "LS Update"), (5, "LS Acknowledge")];
const AUTH_TYPES: Names = &[(0, "Null"), (1, "Simple password"), (2, "Cryptographic")];
const LSA_TYPES: Names = &[
    (1, "Router-LSA"),
    (2, "Network-LSA"),
    (3, "Summary-LSA (IP network)"),
    (4, "Summary-LSA (ASBR)"),
    (5, "AS-External-LSA (ASBR)"),
    (6, "Group Membership LSA"),
    (7, "NSSA AS-External-LSA"),
    (9, "Opaque LSA, link-local scope"),
    (10, "Opaque LSA, area-local scope"),
    (11, "Opaque LSA, AS scope"),
];
const LSA_TYPES_3: Names = &[
    (0x0008, "Link-LSA"),
    (0x2001, "Router-LSA"),
    (0x2002, "Network-LSA"),
    (0x2003, "Inter-Area-Prefix-LSA"),
    (0x2004, "Inter-Area-Router-LSA"),
    (0x2007, "NSSA-LSA"),
    (0x2009, "Intra-Area-Prefix-LSA"),
    (0x4005, "AS-External-LSA"),
];
const SCOPES: Names = &[(0, "link-local"), (1, "area"), (2, "AS"), (3, "reserved")];
const LINK_TYPES: Names = &[(1, "point-to-point"), (2, "transit network"), (3, "stub network"), (4, "virtual link")];
const TLVS: Names = &[(1, "Extended options"), (2, "Crypto authentication")];

const OPTION_BITS_2: &[&Field] = &[&O2_DN, &O2_O, &O2_DC, &O2_L, &O2_N, &O2_MC, &O2_E, &O2_MT];
const OPTION_BITS_3: &[&Field] = &[&O3_AT, &O3_L, &O3_AF, &O3_DC, &O3_R, &O3_N, &O3_MC, &O3_E, &O3_V6];

/// The versions, whose packets differ in sizes and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

/// Header values that the message needs.
struct Header {
    version: Version,
    kind: u8,
    /// Message length in bytes.
    length: usize,
    /// Length in bytes of the digest after it.
    digest: usize,
}

/// A packet, with an optional digest and block of link-local signaling.
fn packet(wire: &mut Wire<'_>) -> Result {
    let Some(header) = wire.group(&HEADER, header)? else { return Ok(()) };
    let mut has_block = false;
    wire.within(header.length, &DATA, |wire| {
        has_block = message(wire, &header)?;
        Ok(())
    })?;
    if header.digest > 0 {
        wire.bytes(&AUTH_DATA, header.digest)?;
    }
    if has_block && wire.remaining() > 0 {
        wire.group(&LLS, signaling)?;
    }
    Ok(())
}

/// The header; `None` if the version is unknown.
fn header(wire: &mut Wire<'_>) -> Result<Option<Header>> {
    const CRYPTOGRAPHIC: u16 = 2;
    let start = wire.at();
    let version = wire.u8(&VERSION)?;
    let kind = wire.u8(&MSG)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    let length = usize::from(wire.u16_be(&PACKET_LENGTH)?);
    let router = wire.bytes(&ROUTER, 4)?.first_chunk().copied().map(Ipv4Addr::from).unwrap_or(Ipv4Addr::UNSPECIFIED);
    let area = wire.bytes(&AREA, 4)?.first_chunk().copied().map(Ipv4Addr::from).unwrap_or(Ipv4Addr::UNSPECIFIED);
    wire.info(format_args!("router {router}, area {area}"));
    wire.u16_be(&CHECKSUM)?;
    let (version, digest) = match version {
        2 => match wire.u16_be(&AUTH_TYPE)? {
            0 => {
                wire.bytes(&AUTH_NONE, 8)?;
                (Version::Two, 0)
            }
            1 => {
                wire.secret_text(&AUTH_SIMPLE, 8)?;
                (Version::Two, 0)
            }
            CRYPTOGRAPHIC => {
                wire.bytes(&RESERVED, 2)?;
                wire.u8(&KEY_ID)?;
                let length = wire.u8(&AUTH_LENGTH)?;
                wire.u32_be(&AUTH_SEQUENCE)?;
                (Version::Two, length.into())
            }
            _ => {
                wire.bytes(&AUTH_UNKNOWN, 8)?;
                (Version::Two, 0)
            }
        },
        3 => {
            wire.u8(&INSTANCE)?;
            wire.bytes(&RESERVED, 1)?;
            (Version::Three, 0)
        }
        _ => return Ok(None),
    };
    let length = length.saturating_sub(wire.at() - start);
    Ok(Some(Header { version, kind, length, digest }))
}

/// The message of a packet. Returns whether a block of link-local signaling follows.
fn message(wire: &mut Wire<'_>, header: &Header) -> Result<bool> {
    let mut has_block = false;
    match header.kind {
        1 => has_block = wire.group(&HELLO, |wire| hello(wire, header.version))?,
        2 => {
            has_block = description(wire, header.version)?;
            all(wire, &LSA, |wire| lsa_header(wire, header.version).map(drop))?;
        }
        3 => all(wire, &REQUEST, |wire| request(wire, header.version))?,
        4 => {
            wire.u32_be(&LSAS)?;
            all(wire, &LSA, |wire| lsa(wire, header.version))?;
        }
        5 => all(wire, &LSA, |wire| lsa_header(wire, header.version).map(drop))?,
        _ => {}
    }
    wire.rest(&DATA);
    Ok(has_block)
}

/// Groups up to the end.
fn all(wire: &mut Wire<'_>, group: &'static Field, mut read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    while wire.remaining() > 0 {
        wire.group(group, &mut read)?;
    }
    Ok(())
}

/// Options. Returns whether a block of link-local signaling follows the packet.
fn options(wire: &mut Wire<'_>, version: Version) -> Result<bool> {
    let (options, has_block) = match version {
        Version::Two => (wire.flags(&OPTIONS_2, 1, OPTION_BITS_2)?, &O2_L),
        Version::Three => (wire.flags(&OPTIONS_3, 3, OPTION_BITS_3)?, &O3_L),
    };
    Ok(has_block.bits_of(options) != 0)
}

fn hello(wire: &mut Wire<'_>, version: Version) -> Result<bool> {
    let has_block = match version {
        Version::Two => {
            wire.bytes(&MASK, 4)?;
            wire.u16_be(&INTERVAL)?;
            let has_block = options(wire, version)?;
            wire.u8(&PRIORITY)?;
            wire.u32_be(&DEAD)?;
            has_block
        }
        Version::Three => {
            wire.u32_be(&INTERFACE)?;
            wire.u8(&PRIORITY)?;
            let has_block = options(wire, version)?;
            wire.u16_be(&INTERVAL)?;
            wire.u16_be(&DEAD)?;
            has_block
        }
    };
    wire.bytes(&DR, 4)?;
    wire.bytes(&BACKUP, 4)?;
    while wire.remaining() > 0 {
        wire.bytes(&NEIGHBOUR, 4)?;
    }
    Ok(has_block)
}

fn description(wire: &mut Wire<'_>, version: Version) -> Result<bool> {
    let has_block = match version {
        Version::Two => {
            wire.u16_be(&MTU)?;
            options(wire, version)?
        }
        Version::Three => {
            wire.bytes(&RESERVED, 1)?;
            let has_block = options(wire, version)?;
            wire.u16_be(&MTU)?;
            wire.bytes(&RESERVED, 1)?;
            has_block
        }
    };
    wire.flags(&DBD, 1, &[&DBD_R, &DBD_I, &DBD_M, &DBD_MS])?;
    wire.u32_be(&DD_SEQUENCE)?;
    Ok(has_block)
}

fn request(wire: &mut Wire<'_>, version: Version) -> Result {
    match version {
        Version::Two => drop(wire.u32_be(&TYPE)?),
        Version::Three => {
            wire.bytes(&RESERVED, 2)?;
            wire.flags(&TYPE_3, 2, &[&HANDLING, &SCOPE, &FUNCTION])?;
        }
    }
    wire.bytes(&LINK_STATE, 4)?;
    wire.bytes(&ADVERTISER, 4).map(drop)
}

/// The header of an LSA. Returns its type and the length of its body in bytes.
fn lsa_header(wire: &mut Wire<'_>, version: Version) -> Result<(u16, usize)> {
    const HEADER: usize = 20;
    wire.bits(2, &[&DO_NOT_AGE, &AGE])?;
    let kind = match version {
        Version::Two => {
            options(wire, version)?;
            wire.u8(&TYPE)?.into()
        }
        Version::Three => u16::try_from(wire.flags(&TYPE_3, 2, &[&HANDLING, &SCOPE, &FUNCTION])?).unwrap_or_default(),
    };
    wire.bytes(if version == Version::Two { &ID } else { &LINK_STATE }, 4)?;
    wire.bytes(&ADVERTISER, 4)?;
    wire.u32_be(&SEQUENCE)?;
    wire.u16_be(&LSA_CHECKSUM)?;
    let length = usize::from(wire.u16_be(&LSA_LENGTH)?);
    Ok((kind, length.saturating_sub(HEADER)))
}

fn lsa(wire: &mut Wire<'_>, version: Version) -> Result {
    const ROUTER_3: u16 = 0x2001;
    const NETWORK_3: u16 = 0x2002;
    let (kind, length) = lsa_header(wire, version)?;
    if length == 0 {
        return Ok(());
    }
    wire.within(length, &BODY, |wire| match (version, kind) {
        (Version::Two, 1) => router(wire),
        (Version::Two, 2) => {
            wire.bytes(&NETMASK, 4)?;
            while wire.remaining() > 0 {
                wire.bytes(&ATTACHED, 4)?;
            }
            Ok(())
        }
        (Version::Two, 3 | 4) => {
            wire.bytes(&SUMMARY_MASK, 4)?;
            while wire.remaining() > 0 {
                wire.bits(1, &[&TOS])?;
                wire.u24_be(&METRIC)?;
            }
            Ok(())
        }
        (Version::Two, 5 | 7) => {
            wire.bytes(&EXTERNAL_MASK, 4)?;
            while wire.remaining() > 0 {
                wire.bits(1, &[&EXTERNAL_TYPE, &TOS])?;
                wire.u24_be(&METRIC)?;
                wire.bytes(&FORWARDING, 4)?;
                wire.u32_be(&TAG)?;
            }
            Ok(())
        }
        (Version::Three, ROUTER_3 | NETWORK_3) => {
            if kind == ROUTER_3 {
                wire.flags(&FLAGS_3, 1, &[&FLAG_3_W, &FLAG_3_V, &FLAG_3_E, &FLAG_3_B])?;
            } else {
                wire.bytes(&RESERVED, 1)?;
            }
            options(wire, version)?;
            wire.rest(&BODY);
            Ok(())
        }
        _ => {
            wire.rest(&BODY);
            Ok(())
        }
    })
}

/// The links of a router.
fn router(wire: &mut Wire<'_>) -> Result {
    wire.flags(&FLAGS, 1, &[&FLAG_H, &FLAG_N, &FLAG_W, &FLAG_V, &FLAG_E, &FLAG_B])?;
    wire.bytes(&RESERVED, 1)?;
    wire.u16_be(&LINKS)?;
    all(wire, &LINK, |wire| {
        wire.bytes(&LINK_ID, 4)?;
        wire.bytes(&LINK_DATA, 4)?;
        wire.u8(&LINK_TYPE)?;
        let metrics = wire.u8(&METRICS)?;
        wire.u16_be(&METRIC_0)?;
        for _ in 0..metrics {
            wire.bits(1, &[&TOS])?;
            wire.u24_be(&METRIC)?;
        }
        Ok(())
    })
}

fn signaling(wire: &mut Wire<'_>) -> Result {
    let checksum_and_length = 4;
    wire.u16_be(&LLS_CHECKSUM)?;
    let units = wire.number_with(&LLS_LENGTH, |bytes| Value::Unsigned((4 * u32::from(u16::from_be_bytes(bytes))).into()))?;
    let length = 4 * usize::from(u16::from_be_bytes(units));
    wire.within(length.saturating_sub(checksum_and_length), &TLV_VALUE, |wire| {
        while wire.remaining() > 0 {
            let kind = wire.u16_be(&TLV_TYPE)?;
            let length = usize::from(wire.u16_be(&TLV_LENGTH)?);
            wire.within(length.next_multiple_of(4), &TLV_VALUE, |wire| {
                match (kind, length) {
                    (1, 4) => drop(wire.flags(&EXTENDED, 4, &[&EXTENDED_RS, &EXTENDED_LR])?),
                    (2, 4..) => {
                        wire.u32_be(&LLS_SEQUENCE)?;
                        wire.rest(&LLS_AUTH);
                    }
                    _ => {
                        wire.rest(&TLV_VALUE);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
