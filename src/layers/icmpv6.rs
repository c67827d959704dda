//! ICMPv6 (RFC 4443) with neighbour discovery (RFC 4861), multicast listeners (RFC 2710, RFC 3810), and the packet that an error quotes.
//!
//! ```text
//! type:1 | code:1 | checksum:2 | body, by type
//! option  type:1 | length:1 in units of eight bytes, itself counted | data
//! listener query    response delay:2 | reserved:2 | group:16 | version 2: flags:1 | interval:1 | sources:2 | source:16 …
//! listener report   version 2: reserved:2 | records:2 | record …
//! record            type:1 | words of extra data:1 | sources:2 | group:16 | source:16 … | extra data
//! ```

use super::{HeaderPayload, ipv6, layer};
use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Protocol, Result, Wire, data};
use std::fmt;

pub static PROTOCOL: Protocol = layer(&ICMPV6, FIELDS);

fields! {
    ICMPV6 = protocol("icmpv6", "ICMPv6", "Internet Control Message Protocol version 6");
    TYPE = number("icmpv6.type", "Type", "").names(TYPES).once();
    CODE = number("icmpv6.code", "Code", "").once();
    CHECKSUM = number("icmpv6.checksum", "Checksum", "Checksum of message and pseudo-header").hex(4).once();
    IDENT = number("icmpv6.echo.identifier", "Identifier", "").hex(4).once();
    SEQ = number("icmpv6.echo.sequence_number", "Sequence", "").once();
    RESERVED = bytes("icmpv6.reserved", "Reserved", "").once();
    MTU = number("icmpv6.mtu", "MTU", "Bytes").once();
    POINTER = number("icmpv6.pointer", "Pointer", "Offset of the error in the original datagram").once();
    RA_HOP_LIMIT = number("icmpv6.nd.ra.cur_hop_limit", "Cur hop limit", "Default hop limit of hosts").once();
    RA_FLAG = number("icmpv6.nd.ra.flag", "Flags", "").hex(2).once();
    RA_MANAGED = bool("icmpv6.nd.ra.flag.m", "Managed address configuration", "Addresses are available via DHCPv6").mask(0x80).once();
    RA_OTHER = bool("icmpv6.nd.ra.flag.o", "Other configuration", "Other configuration is available via DHCPv6").mask(0x40).once();
    RA_HOME = bool("icmpv6.nd.ra.flag.h", "Home agent", "The router is a Mobile IPv6 home agent").mask(0x20).once();
    RA_PREFERENCE = number("icmpv6.nd.ra.flag.prf", "Default router preference", "RFC 4191").mask(0x18).names(PREFERENCES).once();
    RA_PROXY = bool("icmpv6.nd.ra.flag.p", "Proxy", "RFC 4389").mask(0x04).once();
    RA_LIFETIME = number("icmpv6.nd.ra.router_lifetime", "Router lifetime", "Seconds").once();
    RA_REACHABLE = number("icmpv6.nd.ra.reachable_time", "Reachable time", "Milliseconds").once();
    RA_RETRANS = number("icmpv6.nd.ra.retrans_timer", "Retransmission timer", "Milliseconds").once();
    NS_TARGET = ipv6("icmpv6.nd.ns.target_address", "Target address", "Address to resolve").once();
    NA_FLAG = number("icmpv6.nd.na.flag", "Flags", "Router, solicited, override").hex(8).once();
    NA_ROUTER = bool("icmpv6.nd.na.flag.r", "Router", "The sender is a router").mask(0x8000_0000).once();
    NA_SOLICITED = bool("icmpv6.nd.na.flag.s", "Solicited", "Response to a solicitation").mask(0x4000_0000).once();
    NA_OVERRIDE = bool("icmpv6.nd.na.flag.o", "Override", "Override the cached link-layer address").mask(0x2000_0000).once();
    NA_TARGET = ipv6("icmpv6.nd.na.target_address", "Target address", "").once();
    RD_TARGET = ipv6("icmpv6.nd.rd.target_address", "Target address", "Redirect: next hop to use");
    RD_DST = ipv6("icmpv6.rd.na.destination_address", "Destination address", "Redirected destination");
    OPT = group("icmpv6.opt", "Option", "").titled(title::kind);
    OPT_TYPE = number("icmpv6.opt.type", "Type", "").names(OPTIONS).once_per(&OPT);
    OPT_LENGTH = number("icmpv6.opt.length", "Length", "Units of eight bytes").once_per(&OPT);
    OPT_ADDR = mac("icmpv6.opt.linkaddr", "Link-layer address", "");
    OPT_RESERVED = bytes("icmpv6.opt.reserved", "Reserved", "");
    PREFIX_LENGTH = number("icmpv6.opt.prefix.length", "Prefix length", "Leading bits that are valid");
    PREFIX_FLAG = number("icmpv6.opt.prefix.flag", "Flags", "").hex(2);
    PREFIX_ON_LINK = bool("icmpv6.opt.prefix.flag.l", "On link", "The prefix is usable for on-link determination").mask(0x80);
    PREFIX_AUTO = bool("icmpv6.opt.prefix.flag.a", "Autonomous address configuration", "The prefix is usable for SLAAC").mask(0x40);
    PREFIX_ROUTER = bool("icmpv6.opt.prefix.flag.r", "Router address", "The prefix contains the router's complete address").mask(0x20);
    PREFIX_VALID = number("icmpv6.opt.prefix.valid_lifetime", "Valid lifetime", "Seconds");
    PREFIX_PREFERRED = number("icmpv6.opt.prefix.preferred_lifetime", "Preferred lifetime", "Seconds");
    PREFIX = ipv6("icmpv6.opt.prefix", "Prefix", "");
    PREFIX_PART = bytes("icmpv6.opt.prefix_part", "Prefix", "Significant bytes of the prefix");
    REDIRECTED = group("icmpv6.opt.redirected_packet", "Redirected packet", "Packet that triggered the redirect");
    OPT_MTU = number("icmpv6.opt.mtu", "MTU", "Bytes");
    ROUTE_FLAG = number("icmpv6.opt.route_info.flag", "Flags", "").hex(2);
    ROUTE_PREFERENCE = number("icmpv6.opt.route_info.flag.route_preference", "Route preference", "RFC 4191").mask(0x18).names(PREFERENCES);
    ROUTE_LIFETIME = number("icmpv6.opt.route_lifetime", "Route lifetime", "Seconds");
    RDNSS_LIFETIME = number("icmpv6.opt.rdnss.lifetime", "Lifetime", "Seconds");
    RDNSS = ipv6("icmpv6.opt.rdnss", "Recursive DNS server", "");
    DNSSL_LIFETIME = number("icmpv6.opt.dnssl.lifetime", "Lifetime", "Seconds");
    DNSSL = text("icmpv6.opt.dnssl", "DNS search list", "Domain name");
    NONCE = bytes("icmpv6.opt.nonce", "Nonce", "Copied from the solicitation to the response");
    PORTAL = text("icmpv6.opt.captive_portal", "Captive portal", "URI (RFC 8910)");
    OPT_PADDING = bytes("icmpv6.opt.padding", "Padding", "Up to a multiple of eight bytes");
    MLD_DELAY = number("icmpv6.mld.maximum_response_delay", "Maximum response delay", "Milliseconds").once();
    MLD_CODE = number("icmpv6.mld.maximum_response_code", "Maximum response code", "Milliseconds, in exponential form from 32768");
    MLD_GROUP = ipv6("icmpv6.mld.multicast_address", "Multicast address", "Group; 0 in a general query").once();
    MLD_FLAG = number("icmpv6.mld.flag", "Flags", "").hex(2);
    MLD_S = bool("icmpv6.mld.flag.s", "Suppress", "Suppress router-side processing").mask(0x08);
    MLD_QRV = number("icmpv6.mld.flag.qrv", "QRV", "Querier's robustness variable").mask(0x07);
    MLD_QQI = number("icmpv6.mld.qqi", "QQIC", "Querier's query interval in seconds, in exponential form from 128");
    MLD_SOURCES = number("icmpv6.mld.nb_sources", "Number of sources", "");
    MLD_SOURCE = ipv6("icmpv6.mld.source_address", "Source address", "");
    MLDR_RECORDS = number("icmpv6.mldr.nb_mcast_records", "Number of records", "").once();
    MAR = group("icmpv6.mldr.mar", "Multicast address record", "");
    MAR_TYPE = number("icmpv6.mldr.mar.record_type", "Record type", "").names(RECORDS).once_per(&MAR);
    MAR_AUX_LEN = number("icmpv6.mldr.mar.aux_data_len", "Aux data len", "Units of four bytes").once_per(&MAR);
    MAR_SOURCES = number("icmpv6.mldr.mar.nb_sources", "Number of sources", "").once_per(&MAR);
    MAR_GROUP = ipv6("icmpv6.mldr.mar.multicast_address", "Multicast address", "").once_per(&MAR);
    MAR_SOURCE = ipv6("icmpv6.mldr.mar.source_address", "Source address", "").once_per(&MAR);
    MAR_AUX = bytes("icmpv6.mldr.mar.auxiliary_data", "Auxiliary data", "");
    OPT_DATA = bytes("icmpv6.opt.data", "Data", "");
    OPT_BAD = broken("icmpv6.note.option", "bad option", "The length of an option is invalid");
}

const TYPES: Names = &[
    (1, "destination unreachable"),
    (2, "packet too big"),
    (3, "time exceeded"),
    (4, "parameter problem"),
    (128, "echo request"),
    (129, "echo reply"),
    (130, "multicast listener query"),
    (131, "multicast listener report"),
    (132, "multicast listener done"),
    (133, "router solicitation"),
    (134, "router advertisement"),
    (135, "neighbour solicitation"),
    (136, "neighbour advertisement"),
    (137, "redirect"),
    (143, "multicast listener report v2"),
];
const OPTIONS: Names = &[
    (1, "source link-layer address"),
    (2, "target link-layer address"),
    (3, "prefix information"),
    (4, "redirected header"),
    (5, "MTU"),
    (14, "nonce"),
    (24, "route information"),
    (25, "recursive DNS server"),
    (31, "DNS search list"),
    (37, "captive portal"),
    (38, "PREF64"),
];
const PREFERENCES: Names = &[(0, "medium"), (1, "high"), (2, "reserved"), (3, "low")];
const RECORDS: Names = &[
    (1, "only from these"),
    (2, "all but from these"),
    (3, "now only from these"),
    (4, "now all but from these"),
    (5, "from these too"),
    (6, "no longer from these"),
];

/// An ICMPv6 message.
pub(super) fn header(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    let kind = wire.u8(&TYPE)?;
    wire.u8(&CODE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    wire.u16_be(&CHECKSUM)?;
    match kind {
        1..=4 => error(wire, kind)?,
        128 | 129 => echo(wire)?,
        130 => listener_query(wire)?,
        131 | 132 => {
            wire.u16_be(&MLD_DELAY)?;
            wire.bytes(&RESERVED, 2)?;
            wire.bytes(&MLD_GROUP, 16)?;
        }
        143 => listener_report(wire)?,
        133 => {
            wire.bytes(&RESERVED, 4)?;
            options(wire)?;
        }
        134 => router_advertisement(wire)?,
        135 => neighbour_solicitation(wire)?,
        136 => neighbour_advertisement(wire)?,
        137 => {
            wire.bytes(&RESERVED, 4)?;
            wire.bytes(&RD_TARGET, 16)?;
            wire.bytes(&RD_DST, 16)?;
            options(wire)?;
        }
        _ => {}
    }
    super::rest_is_data(wire);
    Ok(HeaderPayload::nothing(wire.at()))
}

/// An error: fields of its type, then the quoted packet.
fn error(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        2 => wire.u32_be(&MTU).map(drop)?,
        4 => wire.u32_be(&POINTER).map(drop)?,
        _ => wire.bytes(&RESERVED, 4).map(drop)?,
    }
    super::quoted(wire, &ipv6::PROTOCOL, ipv6::header);
    Ok(())
}

fn echo(wire: &mut Wire<'_>) -> Result {
    let ident = wire.u16_be(&IDENT)?;
    let seq = wire.u16_be(&SEQ)?;
    wire.info(format_args!("id {ident:#06x}, sequence {seq}"));
    Ok(())
}

fn router_advertisement(wire: &mut Wire<'_>) -> Result {
    wire.u8(&RA_HOP_LIMIT)?;
    wire.flags(&RA_FLAG, 1, &[&RA_MANAGED, &RA_OTHER, &RA_HOME, &RA_PREFERENCE, &RA_PROXY])?;
    wire.u16_be(&RA_LIFETIME)?;
    wire.u32_be(&RA_REACHABLE)?;
    wire.u32_be(&RA_RETRANS)?;
    options(wire)
}

fn neighbour_solicitation(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&RESERVED, 4)?;
    wire.bytes(&NS_TARGET, 16)?;
    options(wire)
}

fn neighbour_advertisement(wire: &mut Wire<'_>) -> Result {
    wire.flags(&NA_FLAG, 4, &[&NA_ROUTER, &NA_SOLICITED, &NA_OVERRIDE])?;
    wire.bytes(&NA_TARGET, 16)?;
    options(wire)
}

/// Options up to the end.
fn options(wire: &mut Wire<'_>) -> Result {
    const UNIT: usize = 8;
    while wire.remaining() > 0 {
        wire.group(&OPT, |wire| {
            let kind = wire.u8(&OPT_TYPE)?;
            let length = UNIT * usize::from(wire.u8(&OPT_LENGTH)?);
            if length == 0 {
                return wire.malformed(&OPT_BAD, format_args!("an option of no length"));
            }
            wire.within(length - 2, &OPT_DATA, |wire| option(wire, kind, length))
        })?;
    }
    Ok(())
}

/// The content of an option; `length` counts the whole option.
fn option(wire: &mut Wire<'_>, kind: u8, length: usize) -> Result {
    match (kind, length) {
        (1 | 2, 8) => wire.bytes(&OPT_ADDR, 6).map(drop),
        (3, 32) => {
            wire.u8(&PREFIX_LENGTH)?;
            wire.flags(&PREFIX_FLAG, 1, &[&PREFIX_ON_LINK, &PREFIX_AUTO, &PREFIX_ROUTER])?;
            wire.u32_be(&PREFIX_VALID)?;
            wire.u32_be(&PREFIX_PREFERRED)?;
            wire.bytes(&OPT_RESERVED, 4)?;
            wire.bytes(&PREFIX, 16).map(drop)
        }
        (4, _) => {
            wire.bytes(&OPT_RESERVED, 6)?;
            wire.group(&REDIRECTED, |wire| {
                super::quoted(wire, &ipv6::PROTOCOL, ipv6::header);
                wire.rest_is(&data::BYTES)
            })
        }
        (5, 8) => {
            wire.bytes(&OPT_RESERVED, 2)?;
            wire.u32_be(&OPT_MTU).map(drop)
        }
        (14, _) => wire.rest_is(&NONCE),
        (24, 8 | 16 | 24) => {
            wire.u8(&PREFIX_LENGTH)?;
            wire.flags(&ROUTE_FLAG, 1, &[&ROUTE_PREFERENCE])?;
            wire.u32_be(&ROUTE_LIFETIME)?;
            wire.rest_is(if length == 24 { &PREFIX } else { &PREFIX_PART })
        }
        (25, _) => {
            wire.bytes(&OPT_RESERVED, 2)?;
            wire.u32_be(&RDNSS_LIFETIME)?;
            while wire.remaining() >= 16 {
                wire.bytes(&RDNSS, 16)?;
            }
            Ok(())
        }
        (31, _) => {
            wire.bytes(&OPT_RESERVED, 2)?;
            wire.u32_be(&DNSSL_LIFETIME)?;
            while wire.ahead().first().is_some_and(|first| *first > 0) {
                domain(wire)?;
            }
            wire.rest_is(&OPT_PADDING)
        }
        (37, _) => wire.rest_is(&PORTAL),
        _ => wire.rest_is(&OPT_DATA),
    }
}

/// A domain name: labels with length bytes, ended by 0, without compression.
fn domain(wire: &mut Wire<'_>) -> Result {
    let (start, ahead) = (wire.at(), wire.ahead());
    let mut length = 0;
    while let Some(count) = ahead.get(length).filter(|count| **count > 0) {
        length += 1 + usize::from(*count);
    }
    wire.skip(length + 1)?;
    wire.put_text(&DNSSL, start..start + length + 1, format_args!("{}", Labels(ahead)));
    Ok(())
}

/// Labels with dots between them.
struct Labels<'a>(&'a [u8]);

impl fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, mut dot) = (self.0, "");
        while let Some((count, behind)) = rest.split_first().filter(|(count, _)| **count > 0) {
            let (label, next) = behind.split_at_checked(usize::from(*count)).unwrap_or((behind, &[]));
            write!(f, "{dot}{}", String::from_utf8_lossy(label))?;
            (rest, dot) = (next, ".");
        }
        Ok(())
    }
}

fn listener_query(wire: &mut Wire<'_>) -> Result {
    const VERSION_1: usize = 20;
    if wire.remaining() <= VERSION_1 {
        wire.u16_be(&MLD_DELAY)?;
        wire.bytes(&RESERVED, 2)?;
        return wire.bytes(&MLD_GROUP, 16).map(drop);
    }
    wire.u16_be(&MLD_CODE)?;
    wire.bytes(&RESERVED, 2)?;
    wire.bytes(&MLD_GROUP, 16)?;
    wire.flags(&MLD_FLAG, 1, &[&MLD_S, &MLD_QRV])?;
    wire.u8(&MLD_QQI)?;
    let sources = wire.u16_be(&MLD_SOURCES)?;
    (0..sources).try_for_each(|_| wire.bytes(&MLD_SOURCE, 16).map(drop))
}

fn listener_report(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&RESERVED, 2)?;
    let records = wire.u16_be(&MLDR_RECORDS)?;
    wire.info(format_args!("{records} {}", if records == 1 { "record" } else { "records" }));
    for _ in 0..records {
        wire.group(&MAR, |wire| {
            wire.u8(&MAR_TYPE)?;
            let aux = usize::from(wire.u8(&MAR_AUX_LEN)?);
            let sources = wire.u16_be(&MAR_SOURCES)?;
            wire.bytes(&MAR_GROUP, 16)?;
            (0..sources).try_for_each(|_| wire.bytes(&MAR_SOURCE, 16).map(drop))?;
            wire.optional(&MAR_AUX, aux * 4).map(drop)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_solicitation_may_have_a_nonce() {
        // RFC 3971, section 5.3.2.
        let solicitation =
            ["87 00 0000 00000000 fe800000000000000000000000000009", "0e 01 010203040506", "0e 02 0102030405060708 090a0b0c0d0e"];
        let tree = trial::layers(Next::IpProtocol(58), &solicitation);
        insta::assert_snapshot!(crate::wire::trial::below(&tree, &["icmpv6.opt"]), @"
        icmpv6 0..48 | neighbour solicitation
          24..32 icmpv6.opt
            24..25 icmpv6.opt.type = 14 (nonce)
            25..26 icmpv6.opt.length = 1
            26..32 icmpv6.opt.nonce = 010203040506
          32..48 icmpv6.opt
            32..33 icmpv6.opt.type = 14 (nonce)
            33..34 icmpv6.opt.length = 2
            34..48 icmpv6.opt.nonce = 0102030405060708090a0b0c0d0e
        ");
    }

    #[test]
    fn router_advertisements_have_prefixes_servers_and_domains() {
        let advertisement = [
            "86 00 0000 40 c8 0708 00000000 00000000",
            "01 01 020000000001 05 01 0000 000005dc",
            "03 04 40 c0 00278d00 00093a80 00000000 20010db8000000010000000000000000",
            "18 02 20 08 00000708 20010db8 00000000",
            "19 03 0000 00000708 20010db8000000000000000000000053",
            "1f 03 0000 00000708 03 6c616e 07 6578616d706c65 00 000000",
        ];
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(58), &advertisement), @r#"
        icmpv6 0..128 | router advertisement
          0..1 icmpv6.type = 134 (router advertisement)
          1..2 icmpv6.code = 0
          2..4 icmpv6.checksum = 0x0000
          4..5 icmpv6.nd.ra.cur_hop_limit = 64
          5..6 icmpv6.nd.ra.flag = 0xc8
            5..6 icmpv6.nd.ra.flag.m = true
            5..6 icmpv6.nd.ra.flag.o = true
            5..6 icmpv6.nd.ra.flag.h = false
            5..6 icmpv6.nd.ra.flag.prf = 1 (high)
            5..6 icmpv6.nd.ra.flag.p = false
          6..8 icmpv6.nd.ra.router_lifetime = 1800
          8..12 icmpv6.nd.ra.reachable_time = 0
          12..16 icmpv6.nd.ra.retrans_timer = 0
          16..24 icmpv6.opt
            16..17 icmpv6.opt.type = 1 (source link-layer address)
            17..18 icmpv6.opt.length = 1
            18..24 icmpv6.opt.linkaddr = 02:00:00:00:00:01
          24..32 icmpv6.opt
            24..25 icmpv6.opt.type = 5 (MTU)
            25..26 icmpv6.opt.length = 1
            26..28 icmpv6.opt.reserved = 0000
            28..32 icmpv6.opt.mtu = 1500
          32..64 icmpv6.opt
            32..33 icmpv6.opt.type = 3 (prefix information)
            33..34 icmpv6.opt.length = 4
            34..35 icmpv6.opt.prefix.length = 64
            35..36 icmpv6.opt.prefix.flag = 0xc0
              35..36 icmpv6.opt.prefix.flag.l = true
              35..36 icmpv6.opt.prefix.flag.a = true
              35..36 icmpv6.opt.prefix.flag.r = false
            36..40 icmpv6.opt.prefix.valid_lifetime = 2592000
            40..44 icmpv6.opt.prefix.preferred_lifetime = 604800
            44..48 icmpv6.opt.reserved = 00000000
            48..64 icmpv6.opt.prefix = 2001:db8:0:1::
          64..80 icmpv6.opt
            64..65 icmpv6.opt.type = 24 (route information)
            65..66 icmpv6.opt.length = 2
            66..67 icmpv6.opt.prefix.length = 32
            67..68 icmpv6.opt.route_info.flag = 0x08
              67..68 icmpv6.opt.route_info.flag.route_preference = 1 (high)
            68..72 icmpv6.opt.route_lifetime = 1800
            72..80 icmpv6.opt.prefix_part = 20010db800000000
          80..104 icmpv6.opt
            80..81 icmpv6.opt.type = 25 (recursive DNS server)
            81..82 icmpv6.opt.length = 3
            82..84 icmpv6.opt.reserved = 0000
            84..88 icmpv6.opt.rdnss.lifetime = 1800
            88..104 icmpv6.opt.rdnss = 2001:db8::53
          104..128 icmpv6.opt
            104..105 icmpv6.opt.type = 31 (DNS search list)
            105..106 icmpv6.opt.length = 3
            106..108 icmpv6.opt.reserved = 0000
            108..112 icmpv6.opt.dnssl.lifetime = 1800
            112..125 icmpv6.opt.dnssl = "lan.example"
            125..128 icmpv6.opt.padding = 000000
        "#);
    }

    #[test]
    fn listeners_report_groups() {
        let report = ["8f 00 5c13 0000 0001", "04 00 0001 ff020000000000000000000000000002 20010db8000000000000000000000001"];
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(58), &report), @r#"
        icmpv6 0..44 | multicast listener report v2 | 1 record
          0..1 icmpv6.type = 143 (multicast listener report v2)
          1..2 icmpv6.code = 0
          2..4 icmpv6.checksum = 0x5c13
          4..6 icmpv6.reserved = 0000
          6..8 icmpv6.mldr.nb_mcast_records = 1
          8..44 icmpv6.mldr.mar
            8..9 icmpv6.mldr.mar.record_type = 4 (now all but from these)
            9..10 icmpv6.mldr.mar.aux_data_len = 0
            10..12 icmpv6.mldr.mar.nb_sources = 1
            12..28 icmpv6.mldr.mar.multicast_address = ff02::2
            28..44 icmpv6.mldr.mar.source_address = 2001:db8::1
        "#);
        let query = ["82 00 0000 03e8 0000 00000000000000000000000000000000", "02 7d 0000"];
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(58), &query), @r#"
        icmpv6 0..28 | multicast listener query
          0..1 icmpv6.type = 130 (multicast listener query)
          1..2 icmpv6.code = 0
          2..4 icmpv6.checksum = 0x0000
          4..6 icmpv6.mld.maximum_response_code = 1000
          6..8 icmpv6.reserved = 0000
          8..24 icmpv6.mld.multicast_address = ::
          24..25 icmpv6.mld.flag = 0x02
            24..25 icmpv6.mld.flag.s = false
            24..25 icmpv6.mld.flag.qrv = 2
          25..26 icmpv6.mld.qqi = 125
          26..28 icmpv6.mld.nb_sources = 0
        "#);
    }
}
