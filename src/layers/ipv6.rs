//! IPv6 with its extension headers (RFC 8200).
//!
//! ```text
//! version:4 class:8 flow:20 | payload length:2 | next header:1 | hop limit:1 | src:16 | dst:16 | extension headers
//! ```

use super::ip::{self, PROTOCOLS};
use super::{FragmentPosition, HeaderPayload, Next, ah, layer};
use crate::tree::{Address, Field, Names, Value, as_text, fields, name_of, title};
use crate::wire::{Error, Protocol, Result, Wire};
use etherparse::LaxIpv6Slice;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

pub static PROTOCOL: Protocol = layer(&IPV6, FIELDS);

fields! {
    IPV6 = protocol("ipv6", "IPv6", "Internet Protocol version 6");
    VERSION = number("ipv6.version", "Version", "6").mask(0xf000_0000).also("ip.version").once();
    TCLASS = number("ipv6.tclass", "Traffic class", "DSCP and ECN").hex(2).mask(0x0ff0_0000).once();
    FLOW = number("ipv6.flow", "Flow label", "").hex(6).mask(0x000f_ffff).once();
    PLEN = number("ipv6.plen", "Payload length", "Bytes after this header").once();
    NXT = number("ipv6.nxt", "Next header", "Protocol of the payload").names(PROTOCOLS).once();
    HLIM = number("ipv6.hlim", "Hop limit", "").once();
    SRC = ipv6("ipv6.src", "Source", "").also("ipv6.addr").once();
    DST = ipv6("ipv6.dst", "Destination", "").also("ipv6.addr").once();
    SRC_HOST = text("ipv6.src_host", "Source host", "The source as text").generated(&[&SRC], as_text);
    DST_HOST = text("ipv6.dst_host", "Destination host", "The destination as text").generated(&[&DST], as_text);
    HOST = text("ipv6.host", "Source or destination host", "Either address as text").generated(&[&SRC, &DST], as_text);
    HOPOPTS = group("ipv6.hopopts", "Hop-by-hop options", "");
    HOPOPTS_NXT = number("ipv6.hopopts.nxt", "Next header", "Protocol of the payload").names(PROTOCOLS);
    HOPOPTS_LEN = number("ipv6.hopopts.len", "Length", "Units of eight bytes, without the first eight");
    DSTOPTS = group("ipv6.dstopts", "Destination options", "");
    DSTOPTS_NXT = number("ipv6.dstopts.nxt", "Next header", "Protocol of the payload").names(PROTOCOLS);
    DSTOPTS_LEN = number("ipv6.dstopts.len", "Length", "Units of eight bytes, without the first eight");
    OPTION = group("ipv6.opt", "Option", "").titled(title::kind);
    OPT_TYPE = number("ipv6.opt.type", "Type", "").hex(2).names(OPTIONS).once_per(&OPTION);
    OPT_LEN = number("ipv6.opt.length", "Length", "Bytes of the data").once_per(&OPTION);
    OPT_DATA = bytes("ipv6.opt.data", "Data", "");
    ROUTING = group("ipv6.routing", "Routing header", "");
    ROUTING_NXT = number("ipv6.routing.nxt", "Next header", "Protocol of the payload").names(PROTOCOLS);
    ROUTING_LEN = number("ipv6.routing.len", "Length", "Units of eight bytes, without the first eight");
    ROUTING_TYPE = number("ipv6.routing.type", "Type", "").names(ROUTINGS);
    ROUTING_LEFT = number("ipv6.routing.segleft", "Segments left", "");
    ROUTING_DATA = bytes("ipv6.routing.data", "Data", "Format given by the type");
    FRAGHDR = group("ipv6.fraghdr", "Fragment header", "");
    FRAG_NXT = number("ipv6.fraghdr.nxt", "Next header", "Protocol of the datagram").names(PROTOCOLS);
    FRAG_RESERVED = number("ipv6.fraghdr.reserved_octet", "Reserved", "").hex(2);
    FRAG_OFFSET = number("ipv6.fraghdr.offset", "Offset", "Units of eight bytes").mask(0xfff8);
    FRAG_BITS = number("ipv6.fraghdr.reserved_bits", "Reserved", "").mask(0x0006);
    FRAG_MORE = bool("ipv6.fraghdr.more", "More fragments", "").mask(0x0001);
    FRAG_ID = number("ipv6.fraghdr.ident", "Identification", "Identifies the fragments of a datagram").hex(8);
    FRAGMENT = bytes("ipv6.fragment", "Fragment", "").once();
    BOGUS_VERSION = broken("ipv6.bogus_version", "bogus version", "The version is not 6");
    BAD_OPTION = broken("ipv6.opt.length.bad", "bad option length", "An option exceeds its extension header");
    EXTENSION = broken("ipv6.note.extension", "bad extension header", "An extension header is invalid");
    EXCEEDS = odd("ipv6.note.exceeds", "length exceeds the frame", "The payload length exceeds the frame on the wire");
}

const OPTIONS: Names =
    &[(0, "Pad1"), (1, "PadN"), (5, "router alert"), (0x26, "quick start"), (0xc2, "jumbo payload"), (0xc9, "home address")];
const ROUTINGS: Names = &[(0, "source route"), (2, "mobile IPv6"), (3, "RPL source route"), (4, "segment routing")];

const HOP_BY_HOP: u8 = 0;
const ROUTE: u8 = 43;
const FRAGMENTED: u8 = 44;
const DESTINATION: u8 = 60;

/// Wireshark's protocol names of extension headers.
const EXTENSIONS: [(u8, &str); 4] =
    [(HOP_BY_HOP, "ipv6.hopopts"), (ROUTE, "ipv6.routing"), (FRAGMENTED, "ipv6.fraghdr"), (DESTINATION, "ipv6.dstopts")];

/// Bytes of a header without extension headers.
const HEADER: usize = 40;

/// Values of an IPv6 header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    version: u8,
    /// Payload length in bytes, extension headers included, as declared.
    payload: usize,
    /// Protocol of the payload, or of the first extension header.
    pub next: u8,
    pub src: Ipv6Addr,
    pub dst: Ipv6Addr,
}

impl Header {
    /// Header length in bytes, without extension headers.
    pub(super) const LEN: usize = HEADER;

    /// Parses a header; `None` if it is truncated.
    pub(super) fn parse(packet: &[u8]) -> Option<Header> {
        packet.first_chunk().map(Header::of)
    }

    /// Header values; those of truncated parts are zero.
    fn parse_cut(packet: &[u8]) -> Header {
        let mut fixed = [0; HEADER];
        fixed.iter_mut().zip(packet).for_each(|(byte, captured)| *byte = *captured);
        Header::of(&fixed)
    }

    fn of(fixed: &[u8; HEADER]) -> Header {
        let [first, _, _, _, l0, l1, next, _, addresses @ ..] = fixed;
        let address = |bytes: Option<&[u8; 16]>| bytes.copied().unwrap_or_default().into();
        Header {
            version: first >> 4,
            payload: u16::from_be_bytes([*l0, *l1]).into(),
            next: *next,
            src: address(addresses.first_chunk()),
            dst: address(addresses.last_chunk()),
        }
    }

    /// Bytes of the packet.
    pub(super) fn total(&self) -> usize {
        HEADER + self.payload
    }

    /// Length of the packet, unless its payload length is zero, as in jumbograms.
    pub(super) fn total_if_sound(&self) -> Option<usize> {
        (self.payload > 0).then(|| self.total())
    }

    /// Whether its packet has a length and fits into this many bytes.
    pub(super) fn is_plain(&self, captured: usize) -> bool {
        self.version == 6 && self.payload > 0 && self.total() <= captured
    }
}

/// An IPv6 header with its extension headers.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let captured = wire.remaining();
    let start = wire.at();
    let lax = LaxIpv6Slice::from_slice(wire.ahead());
    let parsed = Header::parse_cut(wire.ahead());
    wire.bits(4, &[&VERSION, &TCLASS, &FLOW])?;
    if parsed.version != 6 {
        return wire.malformed(&BOGUS_VERSION, format_args!("version {}, expected 6", parsed.version));
    }
    wire.u16_be(&PLEN)?;
    if parsed.total() > captured + missing {
        wire.note(&EXCEEDS, format_args!("{} bytes in a frame that has {}", parsed.payload, captured + missing));
    }
    wire.u8(&NXT)?;
    wire.u8(&HLIM)?;
    let src = address(wire.bytes(&SRC, 16)?);
    let dst = address(wire.bytes(&DST, 16)?);
    let (lax, stopped) = lax.map_err(|_| Error::Malformed)?;
    let extensions_len = lax.extensions().slice().len();
    let part = extensions(wire, parsed.next, start + HEADER + extensions_len)?;
    let payload = lax.payload();
    if let Some((error, _)) = stopped {
        wire.note_ahead(&EXTENSION, format_args!("{error}"));
    }
    let protocol = payload.ip_number.0;
    if let (Some([a, b]), Some([c, d])) = (src.map(halves), dst.map(halves)) {
        wire.lazy_summary(&[a, b, c, d, protocol.into()], summary);
    }
    let end = (HEADER + extensions_len + payload.payload.len()) + start;
    let on_wire = if parsed.payload == 0 { captured + missing } else { parsed.total().min(captured + missing) };
    let missing = on_wire.saturating_sub(end - start);
    let is_whole = missing == 0 && end - start >= parsed.total();
    let next = match part {
        Some(part) if is_whole => {
            wire.put_after(&FRAGMENT, Value::Bytes, wire.at()..end);
            super::ip::hide_in_part(wire, end, part.protocol, part.off);
            Next::Fragment(part)
        }
        // A truncated fragment cannot be reassembled. The first one is dissected as far as it was captured.
        Some(part) if part.off > 0 => Next::Data,
        Some(part) => Next::IpProtocol(part.protocol),
        None => Next::IpProtocol(protocol),
    };
    Ok(HeaderPayload { is_part: part.is_some(), ..HeaderPayload::new(next, wire.at()..end, missing).between(src, dst) })
}

/// Source, destination and payload protocol.
pub(super) fn summary(numbers: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [a, b, c, d, protocol] = *numbers else { return Ok(()) };
    let [src, dst] = [(a, b), (c, d)].map(|(high, low)| Ipv6Addr::from(u128::from(high) << 64 | u128::from(low)));
    write!(f, "{src} → {dst} {}", name_of(PROTOCOLS, protocol).unwrap_or("unknown protocol"))
}

/// An address as two numbers.
pub(super) fn halves(address: Address) -> [u64; 2] {
    let Address::Ip(IpAddr::V6(address)) = address else { return [0; 2] };
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = address.octets();
    [u64::from_be_bytes([a, b, c, d, e, f, g, h]), u64::from_be_bytes([i, j, k, l, m, n, o, p])]
}

/// The extension headers up to `end`, each as a group. Returns the position of the fragment that follows, if it is one.
///
/// etherparse finds their end, but its iterator reads past the end if the last one is truncated (0.21), so they are parsed here.
fn extensions(wire: &mut Wire<'_>, first: u8, end: usize) -> Result<Option<FragmentPosition>> {
    let mut kind = first;
    while wire.at() < end {
        let header = wire.ahead();
        let (Some(&next), Some(&units)) = (header.first(), header.get(1)) else { break };
        let length = 8 * (usize::from(units) + 1);
        if let Some((_, name)) = EXTENSIONS.iter().find(|(number, _)| *number == kind) {
            wire.embeds(name);
        }
        match kind {
            HOP_BY_HOP => options(wire, length, &HOPOPTS, &HOPOPTS_NXT, &HOPOPTS_LEN)?,
            DESTINATION => options(wire, length, &DSTOPTS, &DSTOPTS_NXT, &DSTOPTS_LEN)?,
            ROUTE => routing(wire, length)?,
            FRAGMENTED => {
                // Bytes after a fragment header belong to the datagram.
                if let Some(part) = fragment(wire, next)? {
                    return Ok(Some(part));
                }
            }
            ip::AH => wire.group(&ah::AH, |wire| ah::fields(wire).map(drop))?,
            _ => break,
        }
        kind = next;
    }
    Ok(None)
}

fn options(wire: &mut Wire<'_>, length: usize, group: &'static Field, next: &'static Field, len: &'static Field) -> Result {
    const PAD1: u8 = 0;
    let behind = wire.remaining().saturating_sub(length);
    wire.group(group, |wire| {
        wire.within(length, &OPT_DATA, |wire| {
            wire.u8(next)?;
            wire.u8(len)?;
            while wire.remaining() > 0 {
                wire.group(&OPTION, |wire| {
                    if wire.u8(&OPT_TYPE)? == PAD1 {
                        return Ok(());
                    }
                    if wire.remaining() == 0 {
                        wire.note(&BAD_OPTION, format_args!("no length"));
                        return Ok(());
                    }
                    let length = usize::from(wire.u8(&OPT_LEN)?);
                    let left = wire.remaining();
                    if length > left + behind {
                        // An invalid option length makes the length of the extension header doubtful.
                        return wire.malformed(&BAD_OPTION, format_args!("an option of {length} bytes runs past the packet"));
                    }
                    if length > left {
                        wire.note(&BAD_OPTION, format_args!("an option of {length} bytes where {left} are left"));
                    }
                    if left > 0 && length > 0 { wire.bytes(&OPT_DATA, length.min(left)).map(drop) } else { Ok(()) }
                })?;
            }
            Ok(())
        })
    })
}

fn routing(wire: &mut Wire<'_>, length: usize) -> Result {
    wire.group(&ROUTING, |wire| {
        wire.within(length, &ROUTING_DATA, |wire| {
            wire.u8(&ROUTING_NXT)?;
            wire.u8(&ROUTING_LEN)?;
            wire.u8(&ROUTING_TYPE)?;
            wire.u8(&ROUTING_LEFT)?;
            wire.rest_is(&ROUTING_DATA)
        })
    })
}

/// A fragment header. Returns the position of the fragment; `None` if it is the whole datagram.
fn fragment(wire: &mut Wire<'_>, protocol: u8) -> Result<Option<FragmentPosition>> {
    const UNIT: u64 = 8;
    wire.group(&FRAGHDR, |wire| {
        wire.u8(&FRAG_NXT)?;
        wire.u8(&FRAG_RESERVED)?;
        let raw = wire.bits(2, &[&FRAG_OFFSET, &FRAG_BITS, &FRAG_MORE])?;
        let id = wire.u32_be(&FRAG_ID)?;
        let off = u32::try_from(UNIT * FRAG_OFFSET.bits_of(raw)).unwrap_or(u32::MAX);
        let more = FRAG_MORE.bits_of(raw) != 0;
        Ok(Some(FragmentPosition { id, protocol, off, more }).filter(|_| more || off > 0))
    })
}

fn address(bytes: &[u8]) -> Option<Address> {
    let octets: [u8; 16] = bytes.try_into().ok()?;
    Some(Address::Ip(IpAddr::V6(Ipv6Addr::from(octets))))
}
