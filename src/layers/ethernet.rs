//! Ethernet II, IEEE 802.3 with LLC and SNAP, and VLAN tags.
//!
//! ```text
//! Ethernet  dst:6 | src:6 | type:2            a type below 1,536 is a length, and LLC follows
//! VLAN      pcp:3 dei:1 id:12 | type:2
//! LLC       dsap:1 | ssap:1 | control:1..2 | SNAP: oui:3 | type:2
//! ```

use super::{Described, HeaderFn, HeaderPayload, Next, arp, cisco, etag, ip, ipv6, itag, layer, lldp, mpls, ppp, pppoe, vntag};
use crate::tree::{Address, Computed, Names, NodeRef, Value, fields, name_of};
use crate::wire::{Error, On, Protocol, Result, Wire};
use etherparse::SingleVlanHeaderSlice;
use std::fmt;
use std::ops::Range;

pub static PROTOCOL: Protocol = layer(&ETH, FIELDS);

/// A VLAN tag.
pub static VLAN_PROTOCOL: Protocol = layer(&VLAN, vlan_fields::FIELDS);

/// Logical link control.
pub static LLC_PROTOCOL: Protocol = layer(&LLC, llc_fields::FIELDS);

fields! {
    ETH = protocol("eth", "Ethernet", "Ethernet II or IEEE 802.3");
    DST = mac("eth.dst", "Destination", "").also("eth.addr").once();
    SRC = mac("eth.src", "Source", "").also("eth.addr").once();
    TYPE = number("eth.type", "Type", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
    LEN = number("eth.len", "Length", "Bytes of an IEEE 802.3 payload").once();
    PADDING = bytes("eth.padding", "Padding", "Zeros up to the minimum frame size").once();
    TRAILER = bytes("eth.trailer", "Trailer", "Bytes after the payload").once();
    FCS = number("eth.fcs", "Frame check sequence", "CRC-32 of the frame").hex(8).once();
    DST_LG = bool("eth.dst.lg", "LG bit", "The destination is locally administered").generated(&[&DST], is_local);
    DST_IG = bool("eth.dst.ig", "IG bit", "The destination is a group address").generated(&[&DST], is_group);
    SRC_LG = bool("eth.src.lg", "LG bit", "The source is locally administered").generated(&[&SRC], is_local);
    SRC_IG = bool("eth.src.ig", "IG bit", "The source is a group address").generated(&[&SRC], is_group);
    LG = bool("eth.lg", "LG bit", "An address is locally administered").generated(&[&DST, &SRC], is_local);
    IG = bool("eth.ig", "IG bit", "An address is a group address").generated(&[&DST, &SRC], is_group);
}

fn is_local(address: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Bool(address.bytes().first().is_some_and(|first| first & 2 != 0)));
}

fn is_group(address: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Bool(address.bytes().first().is_some_and(|first| first & 1 != 0)));
}

/// An Ethernet frame inside a tunnel.
pub(super) static FRAME: Described = Described { protocol: &PROTOCOL, header };

mod vlan_fields {
    use super::ETHER_TYPES;
    use crate::tree::fields;

    fields! {
        VLAN = protocol("vlan", "VLAN", "IEEE 802.1Q virtual LAN");
        PRIORITY = number("vlan.priority", "Priority", "Priority code point").mask(0xe000).once();
        DEI = bool("vlan.dei", "DEI", "Drop eligible indicator").mask(0x1000).once();
        ID = number("vlan.id", "ID", "VLAN identifier").mask(0x0fff).once();
        ETYPE = number("vlan.etype", "Type", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
        VLAN_LEN = number("vlan.len", "Length", "Bytes of an IEEE 802.3 payload").once();
    }
}
use vlan_fields::{DEI, ETYPE, ID, PRIORITY, VLAN, VLAN_LEN};

mod llc_fields {
    use super::ETHER_TYPES;
    use crate::tree::fields;

    fields! {
        LLC = protocol("llc", "LLC", "Logical link control");
        DSAP = number("llc.dsap", "DSAP", "Destination service access point").hex(2).once();
        SSAP = number("llc.ssap", "SSAP", "Source service access point").hex(2).once();
        CONTROL = number("llc.control", "Control field", "").hex(2).once();
        OUI = number("llc.oui", "Organization code", "SNAP OUI").once();
        LLC_TYPE = number("llc.type", "Type", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
        PID = number("llc.pid", "Protocol ID", "Protocol of the payload, assigned by the organization").hex(4).once();
    }
}
use llc_fields::{CONTROL, DSAP, LLC, LLC_TYPE, OUI, PID, SSAP};

/// Names of Ethernet types.
pub const ETHER_TYPES: Names = &[
    (0x0800, "IPv4"),
    (0x0806, "ARP"),
    (0x0842, "Wake on LAN"),
    (0x22f3, "TRILL"),
    (0x6558, "Transparent Ethernet bridging"),
    (0x8035, "RARP"),
    (0x8100, "802.1Q VLAN"),
    (0x8137, "IPX"),
    (0x86dd, "IPv6"),
    (0x8808, "MAC control"),
    (0x8809, "Slow protocols"),
    (0x880b, "PPP"),
    (0x8847, "MPLS"),
    (0x8848, "MPLS multicast"),
    (0x8863, "PPPoE discovery"),
    (0x8864, "PPPoE session"),
    (0x888e, "802.1X"),
    (0x88a8, "802.1ad provider bridge"),
    (0x88cc, "LLDP"),
    (0x88e5, "MACsec"),
    (0x88e7, "Provider backbone bridge"),
    (0x88f7, "PTP"),
    (0x8903, "Cisco FabricPath"),
    (0x8909, "Cisco metadata"),
    (0x8926, "VN-Tag"),
    (0x893f, "802.1BR E-tag"),
    (0x9000, "Loopback"),
    (0x9100, "QinQ"),
];

pub(super) const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
pub(super) const IPV6: u16 = 0x86dd;
const BRIDGED: u16 = 0x6558;
const PPP: u16 = 0x880b;
const LLDP: u16 = 0x88cc;
const MPLS: u16 = 0x8847;
const MPLS_MULTICAST: u16 = 0x8848;
const PPPOE_DISCOVERY: u16 = 0x8863;
const PPPOE_SESSION: u16 = 0x8864;
const CISCO_METADATA: u16 = 0x8909;
const RARP: u16 = 0x8035;
const ITAG: u16 = 0x88e7;
const VNTAG: u16 = 0x8926;
const ETAG: u16 = 0x893f;
pub(super) const VLAN_TYPES: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// Smaller numbers are lengths, not types.
const FIRST_TYPE: u16 = 1536;

/// Bytes of a check sequence.
const FCS_LEN: usize = 4;

/// Frames are padded to this many bytes without the check sequence.
const SHORTEST: usize = 60;

/// The protocol of an EtherType and its dissector.
pub(super) fn header_of(number: u16) -> Option<(&'static Protocol, HeaderFn)> {
    Some(match number {
        IPV4 => (&ip::PROTOCOL, ip::header),
        ARP | RARP => (&arp::PROTOCOL, arp::packet),
        ITAG => (&itag::PROTOCOL, itag::header),
        VNTAG => (&vntag::PROTOCOL, vntag::header),
        ETAG => (&etag::PROTOCOL, etag::header),
        IPV6 => (&ipv6::PROTOCOL, ipv6::header),
        BRIDGED => (&PROTOCOL, header),
        PPP => (&ppp::PROTOCOL, ppp::frame),
        MPLS | MPLS_MULTICAST => (&mpls::PROTOCOL, mpls::labels),
        PPPOE_DISCOVERY => (&pppoe::DISCOVERY_PROTOCOL, pppoe::discovery),
        PPPOE_SESSION => (&pppoe::SESSION_PROTOCOL, pppoe::session),
        LLDP => (&lldp::PROTOCOL, lldp::unit),
        CISCO_METADATA => (&cisco::METADATA_PROTOCOL, cisco::metadata),
        _ if VLAN_TYPES.contains(&number) => (&VLAN_PROTOCOL, vlan),
        _ => return None,
    })
}

/// How likely bytes are an Ethernet frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heuristic {
    /// Not an Ethernet frame, or too few bytes.
    No,
    /// Possible: with a length, and from a unicast address.
    Vaguely,
    /// Likely: with a known EtherType.
    Well,
}

/// Rates how likely these bytes are an Ethernet frame.
pub(super) fn is_plausible(bytes: &[u8]) -> Heuristic {
    let Some([_, _, _, _, _, _, src, _, _, _, _, _, high, low]) = bytes.first_chunk() else { return Heuristic::No };
    match u16::from_be_bytes([*high, *low]) {
        0..FIRST_TYPE if src & 1 == 0 => Heuristic::Vaguely,
        kind if name_of(ETHER_TYPES, kind.into()).is_some() => Heuristic::Well,
        _ => Heuristic::No,
    }
}

/// Values of an Ethernet header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub dst: [u8; 6],
    pub src: [u8; 6],
    /// EtherType of the payload, or its length if that is below 1,536.
    pub kind: u16,
}

impl Header {
    /// Bytes of a header.
    pub(super) const LEN: usize = 14;

    /// Parses a header and returns it with the payload; `None` if it is truncated.
    pub(super) fn parse(frame: &[u8]) -> Option<(Header, &[u8])> {
        let (header, payload) = frame.split_first_chunk::<{ Header::LEN }>()?;
        let [d0, d1, d2, d3, d4, d5, s0, s1, s2, s3, s4, s5, high, low] = *header;
        let kind = u16::from_be_bytes([high, low]);
        Some((Header { dst: [d0, d1, d2, d3, d4, d5], src: [s0, s1, s2, s3, s4, s5], kind }, payload))
    }
}

/// Dissects an Ethernet header, and the padding after its payload.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let frame = wire.at();
    let parsed = Header::parse(wire.ahead()).map(|(header, _)| header);
    let dst = mac(wire.bytes(&DST, 6)?);
    let src = mac(wire.bytes(&SRC, 6)?);
    if let (Some(src), Some(dst)) = (src, dst) {
        wire.lazy_summary(&[packed(src), packed(dst)], summary);
    }
    let is_type = parsed.is_some_and(|header| header.kind >= FIRST_TYPE);
    let kind = wire.u16_be(if is_type { &TYPE } else { &LEN })?;
    if is_type && header_of(kind).is_none() {
        wire.embeds("ethertype");
    }
    let start = wire.at();
    let end = start + wire.remaining();
    let carried = payload_len(kind, wire.ahead()).filter(|len| *len < end - start);
    let is_cut = missing > 0;
    let (stop, missing) = carried.map_or((end, missing), |len| (start + len, 0));
    trailer(wire, frame, stop..end, is_cut);
    Ok(HeaderPayload { trailer: None, ..HeaderPayload::new(next(kind), start..stop, missing).between(src, dst) })
}

/// Classifies bytes after the payload as Wireshark does: zeros up to the minimum length are padding, and the last four bytes of a
/// longer frame are the check sequence. All else is a trailer.
fn trailer(wire: &mut Wire<'_>, frame: usize, behind: Range<usize>, is_cut: bool) {
    if behind.is_empty() {
        return;
    }
    let bytes = wire.ahead().get(behind.start - wire.at()..).unwrap_or_default();
    let fills = (frame + SHORTEST).saturating_sub(behind.start).min(bytes.len());
    let padding = if bytes.iter().take(fills).all(|byte| *byte == 0) { fills } else { 0 };
    let (start, mut end) = (behind.start + padding, behind.end);
    if padding > 0 {
        wire.put_after(&PADDING, Value::Bytes, behind.start..start);
    }
    let sequence = bytes.get(padding..).and_then(|left| left.last_chunk::<FCS_LEN>());
    let sequence = sequence.filter(|_| !is_cut && behind.end - frame >= SHORTEST + FCS_LEN);
    end -= sequence.map_or(0, |sequence| sequence.len());
    if start < end {
        wire.put_after(&TRAILER, Value::Bytes, start..end);
    }
    if let Some(sequence) = sequence {
        wire.put_after(&FCS, Value::Unsigned(u32::from_be_bytes(*sequence).into()), end..behind.end);
    }
}

/// The next layer after an EtherType or length.
pub(super) fn next(kind: u16) -> Next {
    if kind < FIRST_TYPE { Next::Llc } else { Next::EtherType(kind) }
}

/// Whether a length begins here instead of an EtherType.
pub(super) fn is_length(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|kind| u16::from_be_bytes(*kind) < FIRST_TYPE)
}

/// The declared length of a payload, below VLAN tags and MPLS labels.
fn payload_len(kind: u16, payload: &[u8]) -> Option<usize> {
    let (mut kind, mut at) = (kind, 0);
    loop {
        let u16_at = |offset: usize| Some(u16::from_be_bytes(*payload.get(at + offset..)?.first_chunk()?));
        let len = match kind {
            0..FIRST_TYPE => usize::from(kind),
            IPV4 => ip::Header::parse(payload.get(at..)?)?.total_if_sound()?,
            IPV6 => ipv6::Header::parse(payload.get(at..)?)?.total_if_sound()?,
            ARP | RARP => {
                let sizes = usize::from(*payload.get(at + 4)?) + usize::from(*payload.get(at + 5)?);
                8 + 2 * sizes
            }
            PPPOE_DISCOVERY | PPPOE_SESSION => usize::from(u16_at(4)?) + 6,
            MPLS | MPLS_MULTICAST => {
                let [_, _, bottom, _] = *payload.get(at..)?.first_chunk()?;
                at += 4;
                if bottom & 1 == 1 {
                    kind = match payload.get(at)? >> 4 {
                        4 => IPV4,
                        6 => IPV6,
                        _ => return None,
                    };
                }
                continue;
            }
            VNTAG | ETAG | ITAG => {
                let tag = match kind {
                    VNTAG => 4,
                    ETAG => 6,
                    _ => 16,
                };
                kind = u16_at(tag)?;
                at += tag + 2;
                continue;
            }
            _ if VLAN_TYPES.contains(&kind) => {
                kind = u16_at(2)?;
                at += 4;
                continue;
            }
            _ => return None,
        };
        return Some(at + len);
    }
}

fn vlan(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    if let Ok(tag) = SingleVlanHeaderSlice::from_slice(wire.ahead()) {
        let (priority, id) = (tag.priority_code_point().value(), tag.vlan_identifier().value());
        wire.info(format_args!("ID {id}, priority {priority}"));
        wire.tag(id.into());
    }
    wire.bits(2, &[&PRIORITY, &DEI, &ID])?;
    let kind = wire.u16_be(if is_length(wire.ahead()) { &VLAN_LEN } else { &ETYPE })?;
    Ok(HeaderPayload::new(next(kind), rest(wire), missing))
}

/// An LLC header with the SNAP header that may follow.
pub(super) fn llc(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const SNAP: u8 = 0xaa;
    const UNNUMBERED: u64 = 3;
    const ETHERNET_OUIS: [u32; 2] = [0, 0xf8];
    let dsap = wire.u8(&DSAP)?;
    let ssap = wire.u8(&SSAP)?;
    let control = u64::from(*wire.ahead().first().ok_or(Error::Short { needed: 1 })?);
    wire.bits(if control & UNNUMBERED == UNNUMBERED { 1 } else { 2 }, &[&CONTROL])?;
    wire.info(format_args!("DSAP {dsap:#04x}, SSAP {ssap:#04x}"));
    let next = match (dsap, ssap) {
        (SNAP, SNAP) => match wire.u24_be(&OUI)? {
            oui if ETHERNET_OUIS.contains(&oui) => Next::EtherType(wire.u16_be(&LLC_TYPE)?),
            oui => Next::Packet(On::Snap(oui, wire.u16_be(&PID)?)),
        },
        (0x06, 0x06) => Next::Ip,
        _ if dsap == ssap => Next::Packet(On::Sap(dsap)),
        _ => Next::Data,
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// The range of the remaining bytes in the frame.
pub(super) fn rest(wire: &Wire<'_>) -> std::ops::Range<usize> {
    wire.at()..wire.at() + wire.remaining()
}

/// An Ethernet address.
pub(super) fn mac(bytes: &[u8]) -> Option<Address> {
    bytes.try_into().ok().map(Address::Mac)
}

/// Source, destination and payload type.
pub(super) fn summary(numbers: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut ends = numbers.iter().map(|number| Address::Mac(unpacked(*number)));
    write!(f, "{} → {}", Shown(ends.next()), Shown(ends.next()))
}

/// An Ethernet address as a number.
pub(super) fn packed(address: Address) -> u64 {
    let Address::Mac([a, b, c, d, e, f]) = address else { return 0 };
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}

fn unpacked(number: u64) -> [u8; 6] {
    let [_, _, address @ ..] = number.to_be_bytes();
    address
}

/// Displays an optional address.
pub(super) struct Shown(pub Option<Address>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |address| address.fmt(f))
    }
}
