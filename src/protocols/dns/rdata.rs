//! Record data by type, and EDNS options.

use super::fields as f;
use super::names::{self, Label};
use super::values::{OPT, SRV};
use crate::tree::{Field, Timestamp, Value};
use crate::wire::{Result, Wire};
use std::fmt;

/// The message that compression pointers refer to, and its offset in the source.
pub(super) type Message<'a> = (&'a [u8], usize);

/// Element of a data layout.
enum Part {
    U8(&'static Field),
    U16(&'static Field),
    U32(&'static Field),
    /// Seconds since 1970, in this many bytes.
    Date(&'static Field, usize),
    Name(&'static Field),
    /// This many bytes.
    Bytes(&'static Field, usize),
    /// Length of this many bytes, then the data.
    Counted(usize, &'static Field, &'static Field),
    /// Remaining bytes.
    Rest(&'static Field),
    /// Type bitmap.
    Types,
    /// Flags of this many bytes.
    Flags(&'static Field, usize, &'static [&'static Field]),
    /// Sequence of elements.
    All(&'static [Part]),
    /// Repeated sequence.
    Each(&'static [Part]),
    /// Format that needs code.
    Special(fn(&mut Wire<'_>, Message<'_>) -> Result),
}

use Part::{All, Bytes, Counted, Date, Each, Flags, Name, Rest, Special, Types, U8, U16, U32};

const DS: &[Part] = &[U16(&f::DS_KEY_ID), U8(&f::DS_ALGORITHM), U8(&f::DS_DIGEST_TYPE), Rest(&f::DS_DIGEST)];
const KEY: &[Part] = &[U16(&f::KEY_FLAGS), U8(&f::KEY_PROTOCOL), U8(&f::KEY_ALGORITHM), Rest(&f::KEY)];
const DNSKEY: &[Part] = &[
    Flags(&f::DNSKEY_FLAGS, 2, &[&f::DNSKEY_ZONE, &f::DNSKEY_REVOKED, &f::DNSKEY_SEP]),
    U8(&f::DNSKEY_PROTOCOL),
    U8(&f::DNSKEY_ALGORITHM),
    Rest(&f::DNSKEY),
];
const RRSIG: &[Part] = &[
    U16(&f::RRSIG_COVERED),
    U8(&f::RRSIG_ALGORITHM),
    U8(&f::RRSIG_LABELS),
    U32(&f::RRSIG_TTL),
    Date(&f::RRSIG_EXPIRATION, 4),
    Date(&f::RRSIG_INCEPTION, 4),
    U16(&f::RRSIG_KEY_TAG),
    Name(&f::RRSIG_SIGNER),
    Rest(&f::RRSIG),
];
const NSEC3_START: &[Part] = &[
    U8(&f::NSEC3_ALGORITHM),
    Flags(&f::NSEC3_FLAGS, 1, &[&f::NSEC3_OPT_OUT]),
    U16(&f::NSEC3_ITERATIONS),
    Counted(1, &f::NSEC3_SALT_LENGTH, &f::NSEC3_SALT),
];
const TLSA: &[Part] = &[U8(&f::TLSA_USAGE), U8(&f::TLSA_SELECTOR), U8(&f::TLSA_MATCHING), Rest(&f::TLSA)];
const SVCB: &[Part] = &[U16(&f::SVCB_PRIORITY), Name(&f::SVCB_TARGET), Special(parameters)];

/// Layout of the data of each record type.
const LAYOUTS: &[(u16, &[Part])] = &[
    (1, &[Bytes(&f::A, 4)]),
    (2, &[Name(&f::NS)]),
    (3, &[Name(&f::MD)]),
    (4, &[Name(&f::MF)]),
    (5, &[Name(&f::CNAME)]),
    (
        6,
        &[
            Name(&f::SOA_MNAME),
            Name(&f::SOA_RNAME),
            U32(&f::SOA_SERIAL),
            U32(&f::SOA_REFRESH),
            U32(&f::SOA_RETRY),
            U32(&f::SOA_EXPIRE),
            U32(&f::SOA_MINIMUM),
        ],
    ),
    (7, &[Name(&f::MB)]),
    (8, &[Name(&f::MG)]),
    (9, &[Name(&f::MR)]),
    (10, &[Rest(&f::NULL)]),
    (11, &[Bytes(&f::WKS_ADDRESS, 4), U8(&f::WKS_PROTOCOL), Rest(&f::WKS_BITS)]),
    (12, &[Name(&f::PTR)]),
    (13, &[Counted(1, &f::HINFO_CPU_LENGTH, &f::HINFO_CPU), Counted(1, &f::HINFO_OS_LENGTH, &f::HINFO_OS)]),
    (14, &[Name(&f::MINFO_R), Name(&f::MINFO_E)]),
    (15, &[U16(&f::MX_PREFERENCE), Name(&f::MX_EXCHANGE)]),
    (16, &[Each(&[Counted(1, &f::TXT_LENGTH, &f::TXT)])]),
    (17, &[Name(&f::RP_MAILBOX), Name(&f::RP_TXT)]),
    (18, &[U16(&f::AFSDB_SUBTYPE), Name(&f::AFSDB_HOST)]),
    (19, &[Counted(1, &f::X25_LENGTH, &f::X25_ADDRESS)]),
    (21, &[U16(&f::RT_SUBTYPE), Name(&f::RT_HOST)]),
    (22, &[Rest(&f::NSAP)]),
    (24, RRSIG),
    (25, KEY),
    (28, &[Bytes(&f::AAAA, 16)]),
    (
        29,
        &[
            U8(&f::LOC_VERSION),
            U8(&f::LOC_SIZE),
            U8(&f::LOC_HORIZONTAL),
            U8(&f::LOC_VERTICAL),
            U32(&f::LOC_LATITUDE),
            U32(&f::LOC_LONGITUDE),
            U32(&f::LOC_ALTITUDE),
        ],
    ),
    (30, &[Name(&f::NXT), Rest(&f::DATA)]),
    (33, &[U16(&f::SRV_PRIORITY), U16(&f::SRV_WEIGHT), U16(&f::SRV_PORT), Name(&f::SRV_TARGET)]),
    (
        35,
        &[
            U16(&f::NAPTR_ORDER),
            U16(&f::NAPTR_PREFERENCE),
            Counted(1, &f::NAPTR_FLAGS_LENGTH, &f::NAPTR_FLAGS),
            Counted(1, &f::NAPTR_SERVICE_LENGTH, &f::NAPTR_SERVICE),
            Counted(1, &f::NAPTR_REGEX_LENGTH, &f::NAPTR_REGEX),
            Name(&f::NAPTR_REPLACEMENT),
        ],
    ),
    (36, &[U16(&f::KX_PREFERENCE), Name(&f::KX_EXCHANGE)]),
    (37, &[U16(&f::CERT_TYPE), U16(&f::CERT_KEY_TAG), U8(&f::CERT_ALGORITHM), Rest(&f::CERT)]),
    (39, &[Name(&f::DNAME)]),
    (OPT, &[Special(options)]),
    (42, &[Special(prefixes)]),
    (43, DS),
    (44, &[U8(&f::SSHFP_ALGORITHM), U8(&f::SSHFP_TYPE), Rest(&f::SSHFP)]),
    (45, &[U8(&f::IPSECKEY_PRECEDENCE), Special(gateway), Rest(&f::IPSECKEY)]),
    (46, RRSIG),
    (47, &[Name(&f::NSEC_NEXT), Types]),
    (48, DNSKEY),
    (49, &[Rest(&f::DHCID)]),
    (50, &[All(NSEC3_START), Special(hashed), Types]),
    (51, NSEC3_START),
    (52, TLSA),
    (53, TLSA),
    (55, &[Special(host_identity), Each(&[Name(&f::HIP_SERVER)])]),
    (59, DS),
    (60, DNSKEY),
    (61, &[Rest(&f::OPENPGPKEY)]),
    (62, &[U32(&f::CSYNC_SOA), U16(&f::CSYNC_FLAGS), Types]),
    (63, &[U32(&f::ZONEMD_SERIAL), U8(&f::ZONEMD_SCHEME), U8(&f::ZONEMD_HASH), Rest(&f::ZONEMD_DIGEST)]),
    (64, SVCB),
    (65, SVCB),
    (99, &[Each(&[Counted(1, &f::SPF_LENGTH, &f::SPF)])]),
    (104, &[U16(&f::NID_PREFERENCE), Bytes(&f::NID, 8)]),
    (105, &[U16(&f::L32_PREFERENCE), Bytes(&f::L32, 4)]),
    (106, &[U16(&f::L64_PREFERENCE), Bytes(&f::L64, 8)]),
    (107, &[U16(&f::LP_PREFERENCE), Name(&f::LP)]),
    (108, &[Bytes(&f::EUI48, 6)]),
    (109, &[Bytes(&f::EUI64, 8)]),
    (
        249,
        &[
            Name(&f::TKEY_ALGORITHM),
            Date(&f::TKEY_INCEPTION, 4),
            Date(&f::TKEY_EXPIRATION, 4),
            U16(&f::TKEY_MODE),
            U16(&f::TKEY_ERROR),
            Counted(2, &f::TKEY_KEY_SIZE, &f::TKEY_KEY),
            Counted(2, &f::TKEY_OTHER_SIZE, &f::TKEY_OTHER),
        ],
    ),
    (
        250,
        &[
            Name(&f::TSIG_ALGORITHM),
            Date(&f::TSIG_TIME, 6),
            U16(&f::TSIG_FUDGE),
            Counted(2, &f::TSIG_MAC_SIZE, &f::TSIG_MAC),
            U16(&f::TSIG_ORIGINAL_ID),
            U16(&f::TSIG_ERROR),
            Counted(2, &f::TSIG_OTHER_LEN, &f::TSIG_OTHER),
        ],
    ),
    (256, &[U16(&f::URI_PRIORITY), U16(&f::URI_WEIGHT), Rest(&f::URI_TARGET)]),
    (257, &[Flags(&f::CAA_FLAGS, 1, &[&f::CAA_CRITICAL]), Counted(1, &f::CAA_TAG_LENGTH, &f::CAA_TAG), Rest(&f::CAA_VALUE)]),
    (32768, DS),
    (32769, DS),
];

/// Layout of each EDNS option.
const OPTION_LAYOUTS: &[(u16, &[Part])] = &[
    (5, &[Each(&[U8(&f::OPT_DAU)])]),
    (6, &[Each(&[U8(&f::OPT_DHU)])]),
    (7, &[Each(&[U8(&f::OPT_N3U)])]),
    (8, &[U16(&f::OPT_FAMILY), U8(&f::OPT_NETMASK), U8(&f::OPT_SCOPE), Rest(&f::OPT_SUBNET)]),
    (10, &[Bytes(&f::OPT_COOKIE_CLIENT, 8), Rest(&f::OPT_COOKIE_SERVER)]),
    (11, &[Each(&[U16(&f::OPT_KEEPALIVE)])]),
    (12, &[Rest(&f::OPT_PADDING)]),
    (13, &[Name(&f::OPT_CHAIN)]),
    (15, &[U16(&f::OPT_ERROR), Rest(&f::OPT_ERROR_TEXT)]),
];

/// Layout of each service parameter.
const PARAMETER_LAYOUTS: &[(u16, &[Part])] = &[
    (0, &[Each(&[U16(&f::SVCB_MANDATORY)])]),
    (1, &[Each(&[Counted(1, &f::SVCB_ALPN_LENGTH, &f::SVCB_ALPN)])]),
    (3, &[U16(&f::SVCB_PORT)]),
    (4, &[Each(&[Bytes(&f::SVCB_IPV4, 4)])]),
    (5, &[Rest(&f::SVCB_ECH)]),
    (6, &[Each(&[Bytes(&f::SVCB_IPV6, 16)])]),
];

/// Dissects the data of a record with this type and owner name, up to the limit of the cursor.
pub(super) fn data(wire: &mut Wire<'_>, message: Message<'_>, kind: u16, owner: names::Name<'_>) -> Result {
    if kind == SRV {
        service(wire, owner);
    }
    laid_out(wire, message, layout(LAYOUTS, kind), &f::DATA)
}

fn layout(layouts: &'static [(u16, &'static [Part])], key: u16) -> Option<&'static [Part]> {
    layouts.iter().find(|(known, _)| *known == key).map(|(_, parts)| *parts)
}

fn laid_out(wire: &mut Wire<'_>, message: Message<'_>, layout: Option<&'static [Part]>, unknown: &'static Field) -> Result {
    match layout {
        Some(layout) => parts(wire, message, layout),
        None => wire.rest_is(unknown),
    }
}

fn parts(wire: &mut Wire<'_>, message: Message<'_>, parts: &'static [Part]) -> Result {
    parts.iter().try_for_each(|part| piece(wire, message, part))
}

fn piece(wire: &mut Wire<'_>, message: Message<'_>, part: &'static Part) -> Result {
    match part {
        U8(field) => wire.u8(field).map(drop),
        U16(field) => wire.u16_be(field).map(drop),
        U32(field) => wire.u32_be(field).map(drop),
        Date(field, count) => date(wire, field, *count),
        Name(field) => names::name(wire, message, field).map(drop),
        Bytes(field, count) => wire.bytes(field, *count).map(drop),
        Counted(size, length, field) => {
            let count = wire.bits(*size, &[length])?;
            some(wire, field, usize::try_from(count).unwrap_or(usize::MAX))
        }
        Rest(field) => wire.rest_is(field),
        Types => types(wire),
        Flags(field, count, bits) => wire.flags(field, *count, bits).map(drop),
        All(all) => parts(wire, message, all),
        Each(each) => wire.each(|wire| parts(wire, message, each)),
        Special(read) => read(wire, message),
    }
}

/// Dissects text or bytes, according to the kind of the field.
fn some(wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result {
    match field.kind {
        crate::tree::Kind::Text => wire.text(field, count).map(drop),
        _ if count == 0 => Ok(()),
        _ => wire.bytes(field, count).map(drop),
    }
}

fn date(wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result {
    let start = wire.at();
    let ahead = wire.ahead();
    wire.skip(count)?;
    let seconds = ahead.iter().take(count).fold(0, |number: i64, byte| number << 8 | i64::from(*byte));
    wire.put_text(field, start..start + count, format_args!("{}", Timestamp { seconds, nanos: 0 }));
    Ok(())
}

/// Dissects a type bitmap: windows of 256 types.
fn types(wire: &mut Wire<'_>) -> Result {
    wire.each(|wire| {
        let window = u64::from(wire.u8(&f::TYPE_WINDOW)?);
        let count = usize::from(wire.u8(&f::TYPE_MAP_LENGTH)?);
        let start = wire.at();
        let map = wire.bytes(&f::TYPE_MAP, count)?;
        for (at, byte) in map.iter().enumerate() {
            for bit in (0..8_usize).filter(|bit| byte & (0x80 >> bit) != 0) {
                let kind = window << 8 | (at * 8 + bit) as u64;
                wire.put(&f::RESP_TYPE, Value::Unsigned(kind), start + at..start + at + 1);
            }
        }
        Ok(())
    })
}

/// Adds the parts of the owner name of an SRV record: `_service._proto.name`.
fn service(wire: &mut Wire<'_>, owner: names::Name<'_>) {
    let (service, below) = (owner.first(), owner.parent());
    let proto = below.first();
    if service.starts_with(b"_") && proto.starts_with(b"_") {
        wire.add_text(&f::SRV_SERVICE, format_args!("{}", Label(service)));
        wire.add_text(&f::SRV_PROTO, format_args!("{}", Label(proto)));
        wire.add_text(&f::SRV_NAME, format_args!("{}", below.parent()));
    }
}

fn options(wire: &mut Wire<'_>, message: Message<'_>) -> Result {
    wire.groups(&f::OPTION, |wire| {
        let code = wire.u16_be(&f::OPT_CODE)?;
        let len = usize::from(wire.u16_be(&f::OPT_LEN)?);
        wire.within(len, &f::OPT_DATA, |wire| laid_out(wire, message, layout(OPTION_LAYOUTS, code), &f::OPT_DATA))
    })
}

fn parameters(wire: &mut Wire<'_>, message: Message<'_>) -> Result {
    wire.groups(&f::SVCB_PARAM, |wire| {
        let key = wire.u16_be(&f::SVCB_KEY)?;
        let len = usize::from(wire.u16_be(&f::SVCB_LENGTH)?);
        wire.within(len, &f::SVCB_VALUE, |wire| laid_out(wire, message, layout(PARAMETER_LAYOUTS, key), &f::SVCB_VALUE))
    })
}

fn prefixes(wire: &mut Wire<'_>, _: Message<'_>) -> Result {
    wire.groups(&f::APL, |wire| {
        wire.u16_be(&f::APL_FAMILY)?;
        wire.u8(&f::APL_PREFIX)?;
        let length = wire.bits(1, &[&f::APL_NEGATION, &f::APL_LENGTH])?;
        some(wire, &f::APL_DATA, usize::try_from(f::APL_LENGTH.bits_of(length)).unwrap_or_default())
    })
}

/// Dissects the gateway of an IPSECKEY record.
fn gateway(wire: &mut Wire<'_>, message: Message<'_>) -> Result {
    let kind = wire.u8(&f::IPSECKEY_TYPE)?;
    wire.u8(&f::IPSECKEY_ALGORITHM)?;
    match kind {
        1 => wire.bytes(&f::IPSECKEY_IPV4, 4).map(drop),
        2 => wire.bytes(&f::IPSECKEY_IPV6, 16).map(drop),
        3 => names::name(wire, message, &f::IPSECKEY_DNS).map(drop),
        _ => Ok(()),
    }
}

/// Dissects a HIP record, which begins with both lengths.
fn host_identity(wire: &mut Wire<'_>, _: Message<'_>) -> Result {
    let tag = wire.u8(&f::HIP_HIT_LENGTH)?;
    wire.u8(&f::HIP_ALGORITHM)?;
    let key = wire.u16_be(&f::HIP_KEY_LENGTH)?;
    some(wire, &f::HIP_HIT, tag.into())?;
    some(wire, &f::HIP_KEY, key.into())
}

/// Dissects the next hashed owner name, shown in base 32.
fn hashed(wire: &mut Wire<'_>, _: Message<'_>) -> Result {
    let count = usize::from(wire.u8(&f::NSEC3_HASH_LENGTH)?);
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(count)?;
    if count > 0 {
        let hash = ahead.get(..count).unwrap_or_default();
        wire.put_text(&f::NSEC3_HASH, start..start + count, format_args!("{}", Base32(hash)));
    }
    Ok(())
}

/// Formats bytes in base 32 with the extended hexadecimal alphabet (RFC 4648).
struct Base32<'a>(&'a [u8]);

impl fmt::Display for Base32<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chunks(5).try_for_each(|chunk| {
            let bits = (0..5).fold(0, |bits: u64, at| bits << 8 | u64::from(chunk.get(at).copied().unwrap_or(0)));
            (0..(chunk.len() * 8).div_ceil(5)).try_for_each(|digit| {
                let value = u32::try_from(bits >> (35 - 5 * digit) & 31).unwrap_or(0);
                write!(f, "{}", char::from_digit(value, 32).unwrap_or('0'))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::dns::PROTOCOL;
    use crate::wire::{Cut, trial};

    /// RFC 4034, section 4.1.2: a window, the length of its bitmap, and a bit per type, the most significant one first.
    #[test]
    fn each_window_of_a_type_bitmap_has_256_types() {
        let bitmap = trial::bytes("00024001 010140 800101");
        let tree = trial::read(&PROTOCOL, &bitmap, Cut::No, types);
        let types: Vec<&str> =
            tree.lines().filter_map(|line| line.split_once("dns.resp.type = ")).map(|(_, kind)| kind).collect();
        assert_eq!(types, ["1 (A)", "15 (MX)", "257 (CAA)", "32775"], "{tree}");
    }
}
