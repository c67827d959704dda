//! IPv4 (RFC 791).
//!
//! ```text
//! version:4 length:4 | service:1 | total length:2 | id:2 | flags:3 offset:13 | ttl:1 | protocol:1 | checksum:2 | src:4 | dst:4 | options
//! ```

use super::checksum::{self, STATUS};
use super::{FragmentPosition, HeaderPayload, Next, layer};
use crate::tree::{Address, Names, Value, as_text, fields, name_of, title};
use crate::wire::{Error, Protocol, Result, Wire};
use etherparse::LaxIpv4Slice;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

pub static PROTOCOL: Protocol = Protocol { settings: &[checksum::IP], ..layer(&IP, FIELDS) };

/// ICMP as an IP protocol.
pub const ICMP: u8 = 1;
/// IGMP as an IP protocol.
pub const IGMP: u8 = 2;
/// IPv4 as an IP protocol.
pub const IPV4: u8 = 4;
/// TCP as an IP protocol.
pub const TCP: u8 = 6;
/// UDP as an IP protocol.
pub const UDP: u8 = 17;
/// IPv6 as an IP protocol.
pub const IPV6: u8 = 41;
/// GRE as an IP protocol.
pub const GRE: u8 = 47;
/// The authentication header as an IP protocol.
pub const AH: u8 = 51;
/// ICMPv6 as an IP protocol.
pub const ICMPV6: u8 = 58;
/// PIM as an IP protocol.
pub const PIM: u8 = 103;
/// IPComp as an IP protocol.
pub const IPCOMP: u8 = 108;
/// SCTP as an IP protocol.
pub const SCTP: u8 = 132;
/// MPLS as an IP protocol.
pub const MPLS: u8 = 137;

fields! {
    IP = protocol("ip", "IPv4", "Internet Protocol version 4");
    VERSION = number("ip.version", "Version", "4").mask(0xf0).once();
    HDR_LEN = number("ip.hdr_len", "Header length", "Bytes of the header; on the wire in units of four").mask(0x0f).once();
    DSFIELD = number("ip.dsfield", "Differentiated services field", "").hex(2).once();
    DSCP = number("ip.dsfield.dscp", "DSCP", "Differentiated services code point").mask(0xfc).once();
    ECN = number("ip.dsfield.ecn", "ECN", "Explicit congestion notification").mask(0x03).names(ECNS).once();
    LEN = number("ip.len", "Total length", "Bytes of header and payload").once();
    ID = number("ip.id", "Identification", "Identifies the fragments of a datagram").hex(4).once();
    FLAGS = number("ip.flags", "Flags", "").hex(2).mask(0xe000).once();
    RB = bool("ip.flags.rb", "Reserved", "").mask(0x8000).once();
    DF = bool("ip.flags.df", "Don't fragment", "").mask(0x4000).once();
    MF = bool("ip.flags.mf", "More fragments", "").mask(0x2000).once();
    FRAG_OFFSET = number("ip.frag_offset", "Fragment offset", "Units of eight bytes").mask(0x1fff).once();
    TTL = number("ip.ttl", "Time to live", "").once();
    PROTO = number("ip.proto", "Protocol", "Protocol of the payload").names(PROTOCOLS).once();
    CHECKSUM = number("ip.checksum", "Header checksum", "").hex(4).once();
    CHECKSUM_STATUS = number("ip.checksum.status", "Checksum status", "Result of the verification, if enabled").names(STATUS).generated(&[&CHECKSUM], checksum::unverified);
    BAD_CHECKSUM = odd("ip.checksum.bad", "bad checksum", "The checksum does not match the data");
    SRC = ipv4("ip.src", "Source", "").also("ip.addr").once();
    DST = ipv4("ip.dst", "Destination", "").also("ip.addr").once();
    SRC_HOST = text("ip.src_host", "Source host", "The source as text").generated(&[&SRC], as_text);
    DST_HOST = text("ip.dst_host", "Destination host", "The destination as text").generated(&[&DST], as_text);
    HOST = text("ip.host", "Source or destination host", "Either address as text").generated(&[&SRC, &DST], as_text);
    CUR_RT = ipv4("ip.cur_rt", "Current route", "Next router of a source route; the destination is the last one").once();
    OPTION = group("ip.opt", "Option", "").titled(title::kind);
    OPT_TYPE = number("ip.opt.type", "Type", "").names(OPTIONS);
    OPT_LEN = number("ip.opt.len", "Length", "Bytes of the option, type and length included");
    OPT_DATA = bytes("ip.opt.data", "Data", "");
    BOGUS_VERSION = broken("ip.bogus_ip_version", "bogus version", "The version is not 4");
    BOGUS_LENGTH = broken("ip.bogus_ip_length", "bogus length", "The header or total length is invalid");
    EXCEEDS = odd("ip.bogus_ip_length.exceeds", "length exceeds the frame", "The total length exceeds the frame on the wire");
    FRAGMENT = bytes("ip.fragment", "Fragment", "").once();
    INCOMPLETE = broken("ip.fragment.incomplete", "incomplete datagram", "Fragments of the datagram are missing from the capture");
}

const ECNS: Names = &[(0, "not ECN-capable"), (1, "ECT(1)"), (2, "ECT(0)"), (3, "congestion experienced")];
const OPTIONS: Names = &[
    (0, "end of options"),
    (1, "no operation"),
    (7, "record route"),
    (68, "timestamp"),
    (130, "security"),
    (131, "loose source route"),
    (136, "stream id"),
    (137, "strict source route"),
    (148, "router alert"),
];

/// Names of IP protocol numbers.
pub const PROTOCOLS: Names = &[
    (0, "hop-by-hop options"),
    (1, "ICMP"),
    (2, "IGMP"),
    (4, "IPv4"),
    (6, "TCP"),
    (8, "EGP"),
    (17, "UDP"),
    (33, "DCCP"),
    (41, "IPv6"),
    (43, "IPv6 routing"),
    (44, "IPv6 fragment"),
    (46, "RSVP"),
    (47, "GRE"),
    (50, "ESP"),
    (51, "AH"),
    (58, "ICMPv6"),
    (59, "no next header"),
    (60, "IPv6 destination options"),
    (88, "EIGRP"),
    (89, "OSPF"),
    (103, "PIM"),
    (108, "IPComp"),
    (112, "VRRP"),
    (115, "L2TP"),
    (132, "SCTP"),
    (135, "mobility"),
    (136, "UDP-Lite"),
    (137, "MPLS"),
];

/// Bytes of a header without options.
const MIN_HEADER: usize = 20;

/// Values of an IPv4 header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    version: u8,
    /// Header length in bytes, options included.
    pub len: usize,
    /// Total length in bytes, as declared.
    pub total: usize,
    /// Offset of a fragment in bytes.
    offset: u32,
    /// Whether more fragments follow.
    more: bool,
    /// Protocol of the payload.
    pub protocol: u8,
    pub src: Ipv4Addr,
    /// Destination address field; a source route names another destination.
    pub dst: Ipv4Addr,
}

impl Header {
    /// Parses a header; `None` if the part before the options is truncated.
    pub(super) fn parse(packet: &[u8]) -> Option<Header> {
        packet.first_chunk().map(Header::of)
    }

    /// Header values; those of truncated parts are zero.
    fn parse_cut(packet: &[u8]) -> Header {
        let mut fixed = [0; MIN_HEADER];
        fixed.iter_mut().zip(packet).for_each(|(byte, captured)| *byte = *captured);
        Header::of(&fixed)
    }

    fn of(fixed: &[u8; MIN_HEADER]) -> Header {
        const UNIT: u64 = 8;
        let [first, _, t0, t1, _, _, f0, f1, _, protocol, _, _, a, b, c, d, e, f, g, h] = *fixed;
        let fragment = u16::from_be_bytes([f0, f1]).into();
        Header {
            version: first >> 4,
            len: 4 * usize::from(first & 0x0f),
            total: u16::from_be_bytes([t0, t1]).into(),
            offset: u32::try_from(UNIT * FRAG_OFFSET.bits_of(fragment)).unwrap_or(u32::MAX),
            more: MF.bits_of(fragment) != 0,
            protocol,
            src: [a, b, c, d].into(),
            dst: [e, f, g, h].into(),
        }
    }

    /// Total length of the packet, if it is valid.
    pub(super) fn total_if_sound(&self) -> Option<usize> {
        Some(self.total).filter(|total| *total >= MIN_HEADER)
    }

    /// Whether it has no options, belongs to a whole datagram, and its packet fits into this many bytes.
    pub(super) fn is_plain(&self, captured: usize) -> bool {
        let is_whole = self.offset == 0 && !self.more && (MIN_HEADER..=captured).contains(&self.total);
        self.version == 4 && self.len == MIN_HEADER && is_whole
    }
}

/// What follows the header of a fragment. A truncated one cannot be reassembled; the first is dissected as far as it was captured.
fn behind_fragment(wire: &mut Wire<'_>, part: FragmentPosition, end: usize, is_whole: bool) -> Next {
    match part.off {
        _ if is_whole => {
            wire.put_after(&FRAGMENT, Value::Bytes, wire.at()..end);
            hide_in_part(wire, end, part.protocol, part.off);
            Next::Fragment(part)
        }
        0 => Next::IpProtocol(part.protocol),
        _ => Next::Data,
    }
}

/// An IPv4 header with its options.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let captured = wire.remaining();
    let lax = LaxIpv4Slice::from_slice(wire.ahead());
    let start = wire.at();
    let Header { version, len: header_len, total, offset, more, protocol, .. } = Header::parse_cut(wire.ahead());
    wire.bits(1, &[&VERSION])?;
    wire.put(&HDR_LEN, Value::Unsigned(header_len as u64), start..start + 1);
    if version != 4 {
        return wire.malformed(&BOGUS_VERSION, format_args!("version {version}, expected 4"));
    }
    if header_len < MIN_HEADER {
        wire.note(&BOGUS_LENGTH, format_args!("a header of {header_len} bytes; {MIN_HEADER} is the least"));
        return Err(Error::Malformed);
    }
    wire.flags(&DSFIELD, 1, &[&DSCP, &ECN])?;
    wire.u16_be(&LEN)?;
    if total != 0 && total < header_len {
        return wire.malformed(&BOGUS_LENGTH, format_args!("a total of {total} bytes is less than the header"));
    }
    if total > captured + missing {
        wire.note(&EXCEEDS, format_args!("{total} bytes in a frame that has {}", captured + missing));
    }
    let id = wire.u16_be(&ID)?;
    let at = wire.at();
    let fragment = wire.ahead().first_chunk().map_or(0, |raw| u16::from_be_bytes(*raw).into());
    wire.flags(&FLAGS, 2, &[&RB, &DF, &MF])?;
    wire.put(&FRAG_OFFSET, Value::Unsigned(FRAG_OFFSET.bits_of(fragment)), at..at + 2);
    wire.u8(&TTL)?;
    wire.u8(&PROTO)?;
    wire.u16_be(&CHECKSUM)?;
    let src = address(wire.bytes(&SRC, 4)?);
    let dst = destination(wire, start + header_len)?;
    options(wire, start + header_len)?;
    let lax = lax.map_err(|_| Error::Malformed)?.0;
    let payload = lax.payload();
    if let (Some(src), Some(dst)) = (src, dst) {
        wire.lazy_summary(&[packed(src), packed(dst), protocol.into()], summary);
    }
    // An authentication header counts as payload here, because the layer after it includes it.
    let auth = lax.extensions().auth.map_or(0, |auth| auth.slice().len());
    let end = wire.at() + auth + payload.payload.len();
    let on_wire = if total < header_len { captured + missing } else { total.min(captured + missing) };
    let missing = on_wire.saturating_sub(end - start);
    let is_whole = missing == 0 && end - start >= total;
    let part = FragmentPosition { id: id.into(), protocol, off: offset, more };
    let next = if payload.fragmented { behind_fragment(wire, part, end, is_whole) } else { Next::IpProtocol(protocol) };
    Ok(HeaderPayload { is_part: payload.fragmented, ..HeaderPayload::new(next, wire.at()..end, missing).between(src, dst) })
}

/// Addresses and payload protocol.
pub(super) fn summary(numbers: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [src, dst, protocol] = *numbers else { return Ok(()) };
    let [src, dst] = [src, dst].map(|address| Ipv4Addr::from(u32::try_from(address).unwrap_or_default()));
    write!(f, "{src} → {dst} {}", name_of(PROTOCOLS, protocol).unwrap_or("unknown protocol"))
}

/// An address as a number.
pub(super) fn packed(address: Address) -> u64 {
    match address {
        Address::Ip(IpAddr::V4(address)) => u32::from(address).into(),
        _ => 0,
    }
}

/// Verifies the checksum of a header.
pub(super) fn verify(wire: &mut Wire<'_>, header: &[u8]) {
    const CHECKSUM_AT: usize = 10;
    let length = header.first().map_or(0, |first| 4 * usize::from(first & 0x0f));
    let header = header.get(..length).unwrap_or_default();
    checksum::header(header, CHECKSUM_AT).put(wire, &CHECKSUM_STATUS, &BAD_CHECKSUM);
}

/// The destination: with an incomplete source route, the last address of the route; the header has the next hop.
fn destination(wire: &mut Wire<'_>, end: usize) -> Result<Option<Address>> {
    const ADDRESS: usize = 4;
    let options = wire.at() + ADDRESS;
    let field = |range: std::ops::Range<usize>| wire.ahead().get(range.start - wire.at()..range.end - wire.at());
    match route(field(options..end).unwrap_or_default()) {
        Some(last) => {
            let range = options + last - ADDRESS..options + last;
            let dst = address(field(range.clone()).unwrap_or_default());
            wire.bytes(&CUR_RT, ADDRESS)?;
            wire.put(&DST, Value::Bytes, range);
            Ok(dst)
        }
        None => Ok(address(wire.bytes(&DST, ADDRESS)?)),
    }
}

/// End of an incomplete source route among the options.
fn route(options: &[u8]) -> Option<usize> {
    const ROUTES: [u8; 2] = [131, 137];
    const SHORTEST: u8 = 7;
    let mut at = 0;
    loop {
        match options.get(at..)? {
            [0, ..] => return None,
            [1, ..] => at += 1,
            [kind, length, pointer, ..] if ROUTES.contains(kind) && *length >= SHORTEST => {
                let end = at + usize::from(*length);
                return (pointer < length && end <= options.len()).then_some(end);
            }
            [_, length, ..] if *length >= 2 => at += usize::from(*length),
            _ => return None,
        }
    }
}

fn options(wire: &mut Wire<'_>, end: usize) -> Result {
    const END: u8 = 0;
    const NOP: u8 = 1;
    while wire.at() < end {
        let left = end - wire.at();
        wire.group(&OPTION, |wire| {
            let kind = wire.u8(&OPT_TYPE)?;
            if kind == END || kind == NOP || left < 2 {
                return Ok(());
            }
            let length = usize::from(wire.u8(&OPT_LEN)?);
            if length < 2 || length > left {
                wire.note(&BOGUS_LENGTH, format_args!("an option of {length} bytes where {left} are left"));
                wire.bytes(&OPT_DATA, left - 2)?;
                return Ok(());
            }
            if length > 2 {
                wire.bytes(&OPT_DATA, length - 2)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn address(bytes: &[u8]) -> Option<Address> {
    let octets: [u8; 4] = bytes.try_into().ok()?;
    Some(Address::Ip(IpAddr::V4(Ipv4Addr::from(octets))))
}

/// Masks secrets in a fragment by the name before them; a line begins after the transport header.
pub(super) fn hide_in_part(wire: &mut Wire<'_>, end: usize, protocol: u8, off: u32) {
    const UDP_HEADER: usize = 8;
    const TCP_OFFSET: usize = 12;
    let words = |byte: &u8| usize::from(byte >> 4) * 4;
    let header = match protocol {
        UDP if off == 0 => UDP_HEADER,
        TCP if off == 0 => wire.ahead().get(TCP_OFFSET).map_or(0, words),
        _ => 0,
    };
    let start = wire.at() + header;
    wire.hide_credentials(start..end.max(start));
}
