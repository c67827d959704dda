//! Payloads, each of which names the type of the next one.

use super::Version;
use super::fields::*;
use super::names::{NOTIFICATIONS_1, NOTIFICATIONS_2, PAYLOADS};
use crate::tree::{Field, Value, name_of};
use crate::wire::{Result, Wire};

const NONE: u8 = 0;
const PROPOSALS: u8 = 2;
const TRANSFORM_KIND: u8 = 3;
const ENCRYPTED_KIND: u8 = 46;
const FRAGMENT_KIND: u8 = 53;

#[derive(Clone, Copy)]
struct PayloadContext {
    version: Version,
    kind: u8,
    /// Protocol ID of the proposal around a transform.
    protocol: u8,
}

/// Payloads from one of this type on. Adds their names to the summary.
pub(super) fn chain(wire: &mut Wire<'_>, version: Version, first: u8, words: &mut Vec<&'static str>) -> Result {
    /// Most payloads that a summary names.
    const SHOWN: usize = 16;
    let mut kind = first;
    while kind != NONE && wire.remaining() > 0 {
        if words.len() < SHOWN {
            words.push(summary(wire.ahead(), version, kind));
        }
        kind = payload(wire, PayloadContext { version, kind, protocol: 0 })?;
    }
    Ok(())
}

/// A payload in the summary: its type, or the notification.
fn summary(ahead: &[u8], version: Version, kind: u8) -> &'static str {
    let (names, at) = match kind {
        11 => (NOTIFICATIONS_1, 10),
        _ => (NOTIFICATIONS_2, 6),
    };
    let number = ahead.get(at..).and_then(|ahead| ahead.first_chunk()).map(|bytes| u16::from_be_bytes(*bytes));
    let notified = number.filter(|_| matches!((version, kind), (Version::One, 11) | (Version::Two, 41)));
    let name = notified.and_then(|number| name_of(names, number.into()));
    name.or_else(|| name_of(PAYLOADS, kind.into())).unwrap_or("unknown payload")
}

/// A payload. Returns the type of the next one.
fn payload(wire: &mut Wire<'_>, place: PayloadContext) -> Result<u8> {
    const HEADER: usize = 4;
    wire.parent(&PAYLOAD, Value::Unsigned(place.kind.into()), |wire| {
        let next = wire.u8(&NEXT)?;
        if place.version == Version::One || matches!(place.kind, PROPOSALS | TRANSFORM_KIND) {
            wire.bytes(&RESERVED, 1)?;
        } else {
            wire.bits(1, &[&CRITICAL, &RESERVED_7])?;
        }
        let length = usize::from(wire.u16_be(&PAYLOAD_LENGTH)?);
        let Some(length) = length.checked_sub(HEADER) else {
            return wire.malformed(&BAD, format_args!("{length} bytes with a header of {HEADER}"));
        };
        wire.within(length, &UNKNOWN, |wire| contents(wire, place))?;
        // An encrypted payload is the last one; its next payload field is the type of the first one inside.
        Ok(if matches!(place.kind, ENCRYPTED_KIND | FRAGMENT_KIND) { NONE } else { next })
    })
}

fn contents(wire: &mut Wire<'_>, place: PayloadContext) -> Result {
    let is_first = place.version == Version::One;
    match place.kind {
        1 | 33 => association(wire, place),
        PROPOSALS => proposal(wire, place),
        TRANSFORM_KIND => transform(wire, place),
        4 | 34 => {
            if !is_first {
                wire.u16_be(&KEY_GROUP)?;
                wire.bytes(&RESERVED, 2)?;
            }
            wire.rest_is(&KEY_DATA)
        }
        5 | 35 | 36 => identification(wire, is_first),
        6 | 37 => {
            wire.u8(&CERT_ENCODING)?;
            wire.rest_is(&CERT_DATA)
        }
        7 | 38 => {
            wire.u8(&REQUEST_TYPE)?;
            wire.rest_is(&REQUEST_DATA)
        }
        8 => wire.rest_is(&HASH),
        9 => wire.rest_is(&SIGNATURE),
        10 | 40 => wire.rest_is(&NONCE),
        11 | 41 => notification(wire, is_first),
        12 | 42 => deletion(wire, is_first),
        13 | 43 => wire.rest_is(&VENDOR),
        20 | 130 => wire.rest_is(&NAT_HASH),
        39 => {
            wire.u8(&AUTH_METHOD)?;
            wire.bytes(&RESERVED, 3)?;
            wire.rest_is(&AUTH_DATA)
        }
        44 | 45 => selectors(wire),
        ENCRYPTED_KIND => wire.rest_is(&ENCRYPTED),
        FRAGMENT_KIND => {
            wire.u16_be(&FRAGMENT)?;
            wire.u16_be(&FRAGMENTS)?;
            wire.rest_is(&ENCRYPTED)
        }
        _ => wire.rest_is(&DATA),
    }
}

/// Consecutive payloads of one type, up to the end.
fn list(wire: &mut Wire<'_>, place: PayloadContext) -> Result {
    while wire.remaining() > 0 {
        if payload(wire, place)? == NONE {
            break;
        }
    }
    Ok(())
}

fn association(wire: &mut Wire<'_>, place: PayloadContext) -> Result {
    const IPSEC: u32 = 1;
    if place.version == Version::One && wire.u32_be(&DOI)? == IPSEC {
        wire.parent(&SITUATION, Value::Bytes, |wire| wire.bits(4, &[&IDENTITY_ONLY, &SECRECY, &INTEGRITY]))?;
    }
    list(wire, PayloadContext { kind: PROPOSALS, ..place })
}

fn proposal(wire: &mut Wire<'_>, place: PayloadContext) -> Result {
    wire.u8(&PROPOSAL)?;
    let protocol = wire.u8(&PROTOCOL_ID)?;
    let size = usize::from(wire.u8(&SPI_SIZE)?);
    wire.u8(&TRANSFORMS)?;
    wire.optional(&SPI, size)?;
    list(wire, PayloadContext { kind: TRANSFORM_KIND, protocol, ..place })
}

fn transform(wire: &mut Wire<'_>, place: PayloadContext) -> Result {
    const ISAKMP: u8 = 1;
    if place.version == Version::Two {
        let field: &'static Field = match wire.u8(&TF_TYPE)? {
            1 => &TF_ENCRYPTION,
            2 => &TF_PRF,
            3 => &TF_INTEGRITY,
            4 => &TF_GROUP,
            5 => &TF_ESN,
            _ => &TF_OTHER,
        };
        wire.bytes(&RESERVED, 1)?;
        wire.u16_be(field)?;
    } else {
        wire.u8(&TRANSFORM)?;
        wire.u8(&TRANSFORM_ID)?;
        wire.bytes(&RESERVED, 2)?;
    }
    let attributes = match (place.version, place.protocol) {
        (Version::Two, _) => &TRANSFORM_ATTRIBUTES,
        (_, ISAKMP) => &IKE_ATTRIBUTES,
        _ => &IPSEC_ATTRIBUTES,
    };
    wire.each(|wire| attributes.read(wire))
}

/// Fields of a kind of attributes.
struct Attributes {
    group: &'static Field,
    format: &'static Field,
    kind: &'static Field,
    length: &'static Field,
    value: &'static Field,
    /// Fields of values by type.
    known: &'static [(u64, &'static Field)],
}

static IKE_ATTRIBUTES: Attributes = Attributes {
    group: &IKE_ATTRIBUTE,
    format: &IKE_FORMAT,
    kind: &IKE_TYPE,
    length: &IKE_LENGTH,
    value: &IKE_VALUE,
    known: &[
        (1, &IKE_ENCRYPTION),
        (2, &IKE_HASH),
        (3, &IKE_METHOD),
        (4, &IKE_GROUP),
        (11, &IKE_LIFE_TYPE),
        (12, &IKE_LIFE),
        (14, &IKE_KEY_LENGTH),
    ],
};
static IPSEC_ATTRIBUTES: Attributes = Attributes {
    group: &IPSEC_ATTRIBUTE,
    format: &IPSEC_FORMAT,
    kind: &IPSEC_TYPE,
    length: &IPSEC_LENGTH,
    value: &IPSEC_VALUE,
    known: &[
        (1, &IPSEC_LIFE_TYPE),
        (2, &IPSEC_LIFE),
        (3, &IPSEC_GROUP),
        (4, &IPSEC_MODE),
        (5, &IPSEC_INTEGRITY),
        (6, &IPSEC_KEY_LENGTH),
    ],
};
static TRANSFORM_ATTRIBUTES: Attributes = Attributes {
    group: &IKE2_ATTRIBUTE,
    format: &IKE2_FORMAT,
    kind: &IKE2_TYPE,
    length: &IKE2_LENGTH,
    value: &IKE2_VALUE,
    known: &[(14, &IKE2_KEY_LENGTH)],
};

impl Attributes {
    fn read(&self, wire: &mut Wire<'_>) -> Result {
        wire.group(self.group, |wire| {
            let head = wire.bits(2, &[self.format, self.kind])?;
            let is_short = self.format.bits_of(head) != 0;
            let known = self.known.iter().find(|(kind, _)| *kind == self.kind.bits_of(head)).map(|(_, field)| *field);
            let length = if is_short { 2 } else { wire.u16_be(self.length)?.into() };
            if length == 0 {
                return Ok(());
            }
            wire.parent(self.value, Value::Bytes, |wire| match (known, length) {
                (Some(field), 2) => wire.u16_be(field).map(drop),
                (Some(field), 4) => wire.u32_be(field).map(drop),
                _ => wire.skip(length),
            })
        })
    }
}

fn identification(wire: &mut Wire<'_>, is_first: bool) -> Result {
    let kind = wire.u8(&ID_TYPE)?;
    if is_first {
        wire.u8(&ID_PROTOCOL)?;
        wire.u16_be(&ID_PORT)?;
    } else {
        wire.bytes(&RESERVED, 3)?;
    }
    let length = wire.remaining();
    if length == 0 {
        return Ok(());
    }
    wire.parent(&ID_DATA, Value::Bytes, |wire| match (kind, length) {
        (1, 4) => wire.bytes(&ID_IPV4, 4).map(drop),
        (2, _) => wire.text(&ID_FQDN, length).map(drop),
        (3, _) => wire.text(&ID_USER, length).map(drop),
        (4, 8) => {
            wire.bytes(&ID_IPV4, 4)?;
            wire.bytes(&ID_IPV4_SUBNET, 4).map(drop)
        }
        (5, 16) => wire.bytes(&ID_IPV6, 16).map(drop),
        (7, 8) => {
            wire.bytes(&ID_IPV4_START, 4)?;
            wire.bytes(&ID_IPV4_END, 4).map(drop)
        }
        (11, _) => wire.bytes(&ID_KEY, length).map(drop),
        _ => wire.skip(length),
    })
}

fn notification(wire: &mut Wire<'_>, is_first: bool) -> Result {
    if is_first {
        wire.u32_be(&NOTIFY_DOI)?;
    }
    wire.u8(&NOTIFY_PROTOCOL)?;
    let size = usize::from(wire.u8(&SPI_SIZE)?);
    let kind = wire.u16_be(&NOTIFY_TYPE)?;
    wire.optional(&SPI, size)?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    wire.parent(&NOTIFY_DATA, Value::Bytes, |wire| match (is_first, kind, wire.remaining()) {
        (true, 36_136, 4) => wire.u32_be(&ARE_YOU_THERE).map(drop),
        (true, 36_137, 4) => wire.u32_be(&ARE_YOU_THERE_ACK).map(drop),
        (false, 17, 2) => wire.u16_be(&ACCEPTED_GROUP).map(drop),
        (false, 16_431, length) if length % 2 == 0 => wire.each(|wire| wire.u16_be(&HASHES)),
        (_, _, length) => wire.skip(length),
    })
}

fn deletion(wire: &mut Wire<'_>, is_first: bool) -> Result {
    if is_first {
        wire.u32_be(&DELETE_DOI)?;
    }
    wire.u8(&DELETE_PROTOCOL)?;
    let size = usize::from(wire.u8(&SPI_SIZE)?);
    let count = wire.u16_be(&SPIS)?;
    for _ in 0..count {
        if size == 0 {
            break;
        }
        wire.bytes(&DELETE_SPI, size)?;
    }
    Ok(())
}

fn selectors(wire: &mut Wire<'_>) -> Result {
    const HEADER: usize = 4;
    let count = wire.u8(&TS_COUNT)?;
    wire.bytes(&RESERVED, 3)?;
    for _ in 0..count {
        let kind = wire.u8(&TS_TYPE)?;
        wire.u8(&TS_PROTOCOL)?;
        let length = usize::from(wire.u16_be(&TS_LENGTH)?);
        let addresses = match (kind, length) {
            (7, 16) => Some((4, &TS_FIRST_4, &TS_LAST_4)),
            (8, 40) => Some((16, &TS_FIRST_6, &TS_LAST_6)),
            _ => None,
        };
        match addresses {
            Some((size, first, last)) => {
                wire.u16_be(&TS_FIRST_PORT)?;
                wire.u16_be(&TS_LAST_PORT)?;
                wire.bytes(first, size)?;
                wire.bytes(last, size)?;
            }
            None => drop(wire.bytes(&TS_DATA, length.saturating_sub(HEADER))?),
        }
    }
    Ok(())
}
