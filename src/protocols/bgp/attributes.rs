//! Path attributes of an update.
//!
//! ```text
//! attribute      flags:1 | code:1 | length:1, or 2 with the flag for it | value
//!   1 origin:1                            9 originator:4
//!   2 AS path, 17 with four bytes         10 cluster:4 …
//!     segment (type:1 | count:1 | AS …)   14 AFI:2 | SAFI:1 | length:1 | next hop | count:1 | prefix …
//!   3 next hop:4                          15 AFI:2 | SAFI:1 | prefix …
//!   4 exit discriminator:4                16 extended community:8 …
//!   5 local preference:4                  18 aggregator with four bytes
//!   7 aggregator AS | address:4           26 AIGP: type:1 | length:2 | metric:8
//!   8 community:4 …                       32 large community:12 …
//! ```

use super::*;
use crate::tree::{Field, Side, Value, name_of};
use crate::wire::{Result, Wire};

/// An attribute. Adds its routes to the summary.
pub(super) fn attribute(wire: &mut Wire<'_>, session: &Session, from: Side, routes: &mut Vec<String>) -> Result {
    let flags = wire.flags(&FLAGS, 1, &[&OPTIONAL, &TRANSITIVE, &PARTIAL, &EXTENDED, &UNUSED])?;
    let code = wire.u8(&CODE)?;
    let length = if EXTENDED.bits_of(flags) != 0 {
        wire.u16_be(&ATTRIBUTE_LENGTH)?.into()
    } else {
        usize::from(wire.u8(&ATTRIBUTE_LENGTH)?)
    };
    wire.within(length, &UNKNOWN_ATTRIBUTE, |wire| match (code, length) {
        (_, 0) => Ok(()),
        (1, 1) => wire.u8(&ORIGIN).map(drop),
        (2, _) => {
            let is_wide = session.is_wide().unwrap_or_else(|| seems_wide(wire.ahead().get(..length).unwrap_or_default()));
            path(wire, is_wide)
        }
        (17, _) => path(wire, true),
        (3, 4) => wire.bytes(&NEXT_HOP, 4).map(drop),
        (4, 4) => wire.u32_be(&EXIT).map(drop),
        (5, 4) => wire.u32_be(&PREFERENCE).map(drop),
        (7, 6) => {
            wire.u16_be(&AGGREGATOR_AS)?;
            wire.bytes(&AGGREGATOR, 4).map(drop)
        }
        (7 | 18, 8) => {
            wire.u32_be(&AGGREGATOR_AS)?;
            wire.bytes(&AGGREGATOR, 4).map(drop)
        }
        (8, _) => wire.group(&COMMUNITIES, |wire| wire.each(community)),
        (9, 4) => wire.bytes(&ORIGINATOR, 4).map(drop),
        (10, _) => wire.group(&CLUSTERS, |wire| wire.each(|wire| wire.bytes(&CLUSTER, 4))),
        (14, 5..) => reach(wire, session, from, routes),
        (15, 3..) => unreach(wire, session, from, routes),
        (16, _) => wire.group(&EXT_COMMUNITIES, |wire| wire.groups(&EXT_COMMUNITY, extended)),
        (26, 11) => {
            wire.u8(&AIGP_TYPE)?;
            wire.u16_be(&AIGP_LENGTH)?;
            wire.u64_be(&AIGP_METRIC).map(drop)
        }
        (32, _) => wire.each(large),
        _ => wire.rest_is(&UNKNOWN_ATTRIBUTE),
    })
}

/// Whether segments fit with numbers of four bytes, and not with two.
pub(super) fn seems_wide(path: &[u8]) -> bool {
    let fits = |size: usize| {
        let mut rest = path;
        while let Some((&[kind, count], numbers)) = rest.split_first_chunk() {
            match numbers.split_at_checked(usize::from(count) * size) {
                // No AS has the number 0, as the upper half of four bytes would often be.
                Some((own, behind)) if (1..=4).contains(&kind) && count > 0 && !own.chunks(size).any(|one| number(one) == 0) => {
                    rest = behind;
                }
                _ => return false,
            }
        }
        rest.is_empty()
    };
    !fits(2) && fits(4)
}

fn path(wire: &mut Wire<'_>, is_wide: bool) -> Result {
    wire.groups(&SEGMENT, |wire| {
        wire.u8(&SEGMENT_TYPE)?;
        for _ in 0..wire.u8(&SEGMENT_LENGTH)? {
            if is_wide {
                wire.u32_be(&AS4)?;
            } else {
                wire.u16_be(&AS2)?;
            }
        }
        Ok(())
    })
}

fn community(wire: &mut Wire<'_>) -> Result {
    wire.group(&COMMUNITY, |wire| {
        let whole = wire.ahead().first_chunk().map(|bytes| u32::from_be_bytes(*bytes)).unwrap_or_default();
        if name_of(names::COMMUNITIES, whole.into()).is_some() {
            return wire.u32_be(&WELL_KNOWN).map(drop);
        }
        wire.u16_be(&COMMUNITY_AS)?;
        wire.u16_be(&COMMUNITY_VALUE).map(drop)
    })
}

fn extended(wire: &mut Wire<'_>) -> Result {
    let kind = wire.flags(&EXT_TYPE, 1, &[&EXT_AUTHORITY, &EXT_TRANSITIVE])?;
    match kind {
        0x00 | 0x40 => {
            const BANDWIDTH: u8 = 4;
            let subtype = wire.u8(if kind == 0 { &EXT_SUB_AS2 } else { &EXT_SUB_AS2_N })?;
            wire.u16_be(&EXT_AS2)?;
            if kind != 0 && subtype == BANDWIDTH {
                return wire.f32_be(&EXT_BANDWIDTH).map(drop);
            }
            wire.u32_be(&EXT_AN4).map(drop)
        }
        0x01 => {
            wire.u8(&EXT_SUB_IP4)?;
            wire.bytes(&EXT_IP4, 4)?;
            wire.u16_be(&EXT_AN2).map(drop)
        }
        0x02 => {
            wire.u8(&EXT_SUB_AS4)?;
            wire.u32_be(&EXT_AS4)?;
            wire.u16_be(&EXT_AN2).map(drop)
        }
        0x03 | 0x80 => {
            let subtype = wire.u8(if kind == 0x03 { &EXT_SUB_OPAQUE } else { &EXT_SUB_TRIAL })?;
            match (kind, subtype) {
                (0x03, 0x0c) => {
                    wire.bytes(&EXT_RESERVED, 4)?;
                    wire.u16_be(&EXT_TUNNEL).map(drop)
                }
                (0x80, 0x06) => {
                    wire.u16_be(&EXT_AS2)?;
                    wire.f32_be(&EXT_RATE).map(drop)
                }
                _ => wire.number_with(&EXT_RAW, |bytes: [u8; 6]| unsigned(&bytes)).map(drop),
            }
        }
        _ => {
            wire.u8(&EXT_SUB_UNKNOWN)?;
            wire.number_with(&EXT_RAW, |bytes: [u8; 6]| unsigned(&bytes)).map(drop)
        }
    }
}

fn large(wire: &mut Wire<'_>) -> Result {
    const LENGTH: usize = 12;
    if let Some(bytes) = wire.ahead().get(..LENGTH) {
        let [admin, first, second] = [0, 4, 8].map(|at| number(bytes.get(at..at + 4).unwrap_or_default()));
        wire.put_text(&LARGE, wire.at()..wire.at() + LENGTH, format_args!("{admin}:{first}:{second}"));
    }
    for field in [&LARGE_ADMIN, &LARGE_1, &LARGE_2] {
        wire.u32_be(field)?;
    }
    Ok(())
}

fn reach(wire: &mut Wire<'_>, session: &Session, from: Side, routes: &mut Vec<String>) -> Result {
    let afi = wire.u16_be(&REACH_AFI)?;
    let safi = wire.u8(&REACH_SAFI)?;
    wire.parent(&HOP, Value::Bytes, |wire| {
        let length = usize::from(wire.u8(&HOP_LENGTH)?);
        wire.within(length, &UNKNOWN_ATTRIBUTE, |wire| match length {
            4 => wire.bytes(&HOP_4, 4).map(drop),
            16 => wire.bytes(&HOP_6, 16).map(drop),
            32 => {
                wire.bytes(&HOP_6, 16)?;
                wire.bytes(&HOP_LOCAL, 16).map(drop)
            }
            _ => wire.rest_is(&UNKNOWN_ATTRIBUTE),
        })
    })?;
    wire.u8(&SNPAS)?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    let field = if afi == IPV4 { &REACH_4 } else { &REACH_6 };
    wire.group(&REACH, |wire| family_prefixes(wire, field, (afi, safi), session.has_path_ids(from, (afi, safi)), "", routes))
}

fn unreach(wire: &mut Wire<'_>, session: &Session, from: Side, routes: &mut Vec<String>) -> Result {
    let afi = wire.u16_be(&UNREACH_AFI)?;
    let safi = wire.u8(&UNREACH_SAFI)?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    let field = if afi == IPV4 { &UNREACH_4 } else { &UNREACH_6 };
    wire.group(&UNREACH, |wire| family_prefixes(wire, field, (afi, safi), session.has_path_ids(from, (afi, safi)), "-", routes))
}

/// Prefixes of a family up to the end; those of other families as bytes.
fn family_prefixes(
    wire: &mut Wire<'_>,
    field: &'static Field,
    (afi, safi): Family,
    has_ids: bool,
    sign: &str,
    routes: &mut Vec<String>,
) -> Result {
    const LABELLED: u8 = 4;
    if !matches!(afi, IPV4 | IPV6) || !matches!(safi, 1 | 2 | LABELLED) {
        return wire.rest_is(&UNKNOWN_ATTRIBUTE);
    }
    wire.each(|wire| {
        if has_ids {
            wire.u32_be(&PATH_ID)?;
        }
        let bits = usize::from(wire.u8(&PREFIX_LENGTH)?);
        let labels = if safi == LABELLED { labels(wire, bits)? } else { 0 };
        prefix(wire, field, afi, bits.saturating_sub(labels), sign, routes)
    })
}

/// Labels of three bytes up to the one at the bottom of the stack. Returns their bits.
fn labels(wire: &mut Wire<'_>, bits: usize) -> Result<usize> {
    const BITS: usize = 24;
    const WITHDRAWN: u64 = 0x80_0000;
    let (start, ahead) = (wire.at(), wire.ahead());
    let mut words = Vec::new();
    for label in ahead.chunks(3).take(bits / BITS) {
        let label = number(label);
        let (is_bottom, is_withdrawn) = (label & 1 != 0, words.is_empty() && matches!(label, 0 | WITHDRAWN));
        words.push(if is_withdrawn {
            "0 (withdrawn)".to_owned()
        } else {
            format!("{}{}", label >> 4, if is_bottom { " (bottom)" } else { "" })
        });
        if is_bottom || is_withdrawn {
            break;
        }
    }
    let count = words.len() * 3;
    wire.skip(count)?;
    wire.put_text(&LABELS, start..start + count, format_args!("{}", words.join(",")));
    Ok(words.len() * BITS)
}
