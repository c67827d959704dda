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
//! After version 2, a block of link-local signaling (RFC 5613) may follow. Not covered: opaque LSAs, verifying
//! checksums and digests.

mod fields;
mod v3;

use crate::tree::{Field, Value, name_of};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};
use fields::*;
use std::net::Ipv4Addr;

pub static PROTOCOL: Protocol = Protocol::new(&OSPF, FIELDS).found(FOUND).rest(&DATA);

const FOUND: &[Found] = &[On::IpProtocol(89).datagram(Heuristic::Anything, packet)];

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
    wire.optional(&AUTH_DATA, header.digest)?;
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
                wire.secret_padded(&AUTH_SIMPLE, 8)?;
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
            wire.groups(&LSA, |wire| lsa_header(wire, header.version))?;
        }
        3 => wire.groups(&REQUEST, |wire| request(wire, header.version))?,
        4 => {
            wire.u32_be(&LSAS)?;
            wire.groups(&LSA, |wire| lsa(wire, header.version))?;
        }
        5 => wire.groups(&LSA, |wire| lsa_header(wire, header.version))?,
        _ => {}
    }
    wire.rest(&DATA);
    Ok(has_block)
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
    wire.each(|wire| wire.bytes(&NEIGHBOUR, 4))?;
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
    let (kind, length) = lsa_header(wire, version)?;
    if length == 0 {
        return Ok(());
    }
    wire.within(length, &BODY, |wire| match (version, kind) {
        (Version::Two, 1) => router(wire),
        (Version::Two, 2) => {
            wire.bytes(&NETMASK, 4)?;
            wire.each(|wire| wire.bytes(&ATTACHED, 4))
        }
        (Version::Two, 3 | 4) => {
            wire.bytes(&SUMMARY_MASK, 4)?;
            wire.each(|wire| {
                wire.bits(1, &[&TOS])?;
                wire.u24_be(&METRIC)
            })
        }
        (Version::Two, 5 | 7) => {
            wire.bytes(&EXTERNAL_MASK, 4)?;
            wire.each(|wire| {
                wire.bits(1, &[&EXTERNAL_TYPE, &TOS])?;
                wire.u24_be(&METRIC)?;
                wire.bytes(&FORWARDING, 4)?;
                wire.u32_be(&TAG)
            })
        }
        (Version::Three, kind) => v3::body(wire, kind),
        _ => wire.rest_is(&BODY),
    })
}

/// The links of a router.
fn router(wire: &mut Wire<'_>) -> Result {
    wire.flags(&FLAGS, 1, &[&FLAG_H, &FLAG_N, &FLAG_W, &FLAG_V, &FLAG_E, &FLAG_B])?;
    wire.bytes(&RESERVED, 1)?;
    wire.u16_be(&LINKS)?;
    wire.groups(&LINK, |wire| {
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
        wire.each(|wire| {
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
            })
        })
    })
}

#[cfg(test)]
mod tests;
