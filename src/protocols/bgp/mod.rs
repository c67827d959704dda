//! BGP-4 (RFC 4271), the Border Gateway Protocol.
//!
//! ```text
//! message        marker:16, all ones | length:2 | type:1
//!   1 open       version:1 | AS:2 | hold time:2 | identifier:4 | length:1 | parameter (type:1 | length:1 | value) …
//!   2 update     length:2 | withdrawn prefix … | length:2 | attribute … | prefix …
//!   3 notification   code:1 | subcode:1 | data
//!   4 keepalive
//!   5 route refresh  AFI:2 | subtype:1 | SAFI:1
//! capability     code:1 | length:1 | value      parameter 2 of open is a list of them
//! prefix         length in bits:1 | as many bytes as these need
//! ```
//! `attributes` has the attributes of an update. AS numbers have four bytes if both sides announced that (RFC 6793); if their
//! messages are missing, it is determined from the path. Path identifiers (RFC 7911) are read if both sides agreed on them.
//!
//! Not covered: address families besides unicast, multicast and labelled routes; filters of route refresh; dynamic capabilities.

mod attributes;
mod names;
#[cfg(test)]
mod tests;

use crate::limits;
use crate::tree::{BySide, Field, Side, Value, fields, name_of, title};
use crate::wire::{Conversation, Extent, Heuristic, On, Opening, Protocol, Result, Verdict, Wire};
use memchr::memmem;
use names::{AFIS, CAPABILITIES, CODES, PARAMETERS, REFRESHES, SAFIS, SUBCODES, TYPES};
use std::net::{Ipv4Addr, Ipv6Addr};

pub static PROTOCOL: Protocol = Protocol::new(&BGP, FIELDS)
    .found(&[
        On::Tcp(179).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(179).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    BGP = protocol("bgp", "BGP", "Border Gateway Protocol")
        .covers("All messages with capabilities and path attributes; IPv4, IPv6 and labelled routes")
        .leaves_open("VPN, EVPN, flow specification and link-state routes");
    MARKER = bytes("bgp.marker", "Marker", "All ones").once();
    LENGTH = number("bgp.length", "Length", "Of the message, in bytes").once();
    TYPE = number("bgp.type", "Type", "").names(TYPES).once();
    VERSION = number("bgp.open.version", "Version", "").once();
    MY_AS = number("bgp.open.myas", "My AS", "23456 (AS_TRANS) for a number of four bytes").once();
    HOLD_TIME = number("bgp.open.holdtime", "Hold Time", "Seconds").once();
    IDENTIFIER = ipv4("bgp.open.identifier", "BGP Identifier", "").once();
    OPTIONS_LENGTH = number("bgp.open.opt.len", "Optional Parameters Length", "In bytes").once();
    OPTIONS = group("bgp.open.opt", "Optional Parameters", "").once();
    PARAMETER = group("bgp.open.opt.param", "Optional Parameter", "").titled(title::kind);
    PARAMETER_TYPE = number("bgp.open.opt.param.type", "Parameter Type", "").names(PARAMETERS);
    PARAMETER_LENGTH = number("bgp.open.opt.param.len", "Parameter Length", "In bytes");
    PARAMETER_AUTH = bytes("bgp.open.opt.param.auth", "Authentication Data", "");
    PARAMETER_UNKNOWN = bytes("bgp.open.opt.param.unknown", "Unknown", "");
    CAPABILITY = group("bgp.cap", "Capability", "").titled(title::kind);
    CAP_TYPE = number("bgp.cap.type", "Type", "").names(CAPABILITIES);
    CAP_LENGTH = number("bgp.cap.length", "Length", "In bytes");
    CAP_UNKNOWN = bytes("bgp.cap.unknown", "Unknown", "");
    CAP_RESERVED = bytes("bgp.cap.reserved", "Reserved", "");
    CAP_AFI = number("bgp.cap.mp.afi", "AFI", "").names(AFIS);
    CAP_SAFI = number("bgp.cap.mp.safi", "SAFI", "").names(SAFIS);
    HOP_AFI = number("bgp.cap.enh.afi", "AFI", "").names(AFIS);
    HOP_SAFI = number("bgp.cap.enh.safi", "SAFI", "").names(SAFIS);
    HOP_NEXT = number("bgp.cap.enh.nhafi", "Next hop AFI", "").names(AFIS);
    RESTART = number("bgp.cap.gr.timers", "Restart Timers", "").hex(4);
    RESTARTED = bool("bgp.cap.gr.timers.restart_flag", "Restart state", "").mask(0x8000);
    RESTART_NOTIFIES = bool("bgp.cap.gr.timers.notification_flag", "Graceful notification", "").mask(0x4000);
    RESTART_TIME = number("bgp.cap.gr.timers.restart_time", "Time", "Seconds").mask(0x0fff);
    RESTART_AFI = number("bgp.cap.gr.afi", "AFI", "").names(AFIS);
    RESTART_SAFI = number("bgp.cap.gr.safi", "SAFI", "").names(SAFIS);
    RESTART_FLAG = number("bgp.cap.gr.flag", "Flag", "").hex(2);
    RESTART_PRESERVED = bool("bgp.cap.gr.flag.pfs", "Preserve forwarding state", "").mask(0x80);
    CAP_AS = number("bgp.cap.4as", "AS Number", "");
    PATH_AFI = number("bgp.cap.ap.afi", "AFI", "").names(AFIS);
    PATH_SAFI = number("bgp.cap.ap.safi", "SAFI", "").names(SAFIS);
    PATH_MODE = number("bgp.cap.ap.sendreceive", "Send/Receive", "").names(&[(1, "Receive"), (2, "Send"), (3, "Both")]);
    HOST_LENGTH = number("bgp.cap.orf.fqdn.hostname.len", "Hostname Length", "In bytes");
    HOST = text("bgp.cap.orf.fqdn.hostname", "Hostname", "");
    DOMAIN_LENGTH = number("bgp.cap.orf.fqdn.domain_name.len", "Domain Name Length", "In bytes");
    DOMAIN = text("bgp.cap.orf.fqdn.domain_name", "Domain Name", "");
    MAJOR = number("bgp.notify.major_error", "Major error Code", "").names(CODES).once();
    MINOR_HEADER = number("bgp.notify.minor_error", "Minor error Code (Message Header)", "").names(names::HEADER_ERRORS).once();
    MINOR_OPEN = number("bgp.notify.minor_error_open", "Minor error Code (Open Message)", "").names(names::OPEN_ERRORS).once();
    MINOR_UPDATE = number("bgp.notify.minor_error_update", "Minor error Code (Update Message)", "").names(names::UPDATE_ERRORS).once();
    MINOR_EXPIRED = number("bgp.notify.minor_error_expired", "Minor error Code (Hold Timer Expired)", "").once();
    MINOR_STATE = number("bgp.notify.minor_error_state", "Minor error Code (State Machine)", "").names(names::STATE_ERRORS).once();
    MINOR_CEASE = number("bgp.notify.minor_error_cease", "Minor error Code (Cease)", "").names(names::CEASE_ERRORS).once();
    MINOR_UNKNOWN = number("bgp.notify.minor_error_unknown", "Minor error Code (Unknown)", "").once();
    BAD_PEER = number("bgp.notify.error_open.bad_peer_as", "Bad Peer AS", "").once();
    ERROR_DATA = bytes("bgp.notify.minor_data", "Data", "").once();
    REASON_LENGTH = number("bgp.notify.communication_length", "BGP Shutdown Communication Length", "In bytes").once();
    REASON = text("bgp.notify.communication", "Shutdown Communication", "").once();
    REFRESH_AFI = number("bgp.route_refresh.afi", "Address family identifier (AFI)", "").names(AFIS).once();
    REFRESH_SUBTYPE = number("bgp.route_refresh.subtype", "Subtype", "").names(REFRESHES).once();
    REFRESH_SAFI = number("bgp.route_refresh.safi", "Subsequent address family identifier (SAFI)", "").names(SAFIS).once();
    WITHDRAWN_LENGTH = number("bgp.update.withdrawn_routes.length", "Withdrawn Routes Length", "In bytes").once();
    WITHDRAWN = group("bgp.update.withdrawn_routes", "Withdrawn Routes", "").once();
    ATTRIBUTES_LENGTH = number("bgp.update.path_attributes.length", "Total Path Attribute Length", "In bytes").once();
    ATTRIBUTES = group("bgp.update.path_attributes", "Path attributes", "").once();
    ATTRIBUTE = group("bgp.update.path_attribute", "Path Attribute", "").titled(title::kind);
    FLAGS = number("bgp.update.path_attribute.flags", "Flags", "").hex(2);
    OPTIONAL = bool("bgp.update.path_attribute.flags.optional", "Optional", "").mask(0x80);
    TRANSITIVE = bool("bgp.update.path_attribute.flags.transitive", "Transitive", "").mask(0x40);
    PARTIAL = bool("bgp.update.path_attribute.flags.partial", "Partial", "").mask(0x20);
    EXTENDED = bool("bgp.update.path_attribute.flags.extended_length", "Extended-Length", "").mask(0x10);
    UNUSED = number("bgp.update.path_attribute.flags.unused", "Unused", "").hex(2).mask(0x0f);
    CODE = number("bgp.update.path_attribute.type_code", "Type Code", "").names(names::ATTRIBUTES);
    ATTRIBUTE_LENGTH = number("bgp.update.path_attribute.length", "Length", "In bytes");
    ORIGIN = number("bgp.update.path_attribute.origin", "Origin", "").names(&[(0, "IGP"), (1, "EGP"), (2, "INCOMPLETE")]);
    SEGMENT = group("bgp.update.path_attribute.as_path_segment", "AS Path segment", "").titled(title::kind);
    SEGMENT_TYPE = number("bgp.update.path_attribute.as_path_segment.type", "Segment type", "").names(names::SEGMENTS);
    SEGMENT_LENGTH = number("bgp.update.path_attribute.as_path_segment.length", "Segment length (number of ASN)", "");
    AS2 = number("bgp.update.path_attribute.as_path_segment.as2", "AS2", "");
    AS4 = number("bgp.update.path_attribute.as_path_segment.as4", "AS4", "");
    NEXT_HOP = ipv4("bgp.update.path_attribute.next_hop", "Next hop", "");
    EXIT = number("bgp.update.path_attribute.multi_exit_disc", "Multiple exit discriminator", "");
    PREFERENCE = number("bgp.update.path_attribute.local_pref", "Local preference", "");
    AGGREGATOR_AS = number("bgp.update.path_attribute.aggregator_as", "Aggregator AS", "");
    AGGREGATOR = ipv4("bgp.update.path_attribute.aggregator_origin", "Aggregator origin", "");
    COMMUNITIES = group("bgp.update.path_attribute.communities", "Communities", "");
    COMMUNITY = group("bgp.update.path_attribute.community", "Community", "");
    WELL_KNOWN = number("bgp.update.path_attribute.community_wellknown", "Community Well-known", "").hex(8).names(names::COMMUNITIES);
    COMMUNITY_AS = number("bgp.update.path_attribute.community_as", "Community AS", "");
    COMMUNITY_VALUE = number("bgp.update.path_attribute.community_value", "Community value", "");
    ORIGINATOR = ipv4("bgp.update.path_attribute.originator_id", "Originator identifier", "");
    CLUSTERS = group("bgp.path_attribute.cluster_list", "Cluster List", "");
    CLUSTER = ipv4("bgp.path_attribute.cluster_id", "Cluster ID", "");
    REACH_AFI = number("bgp.update.path_attribute.mp_reach_nlri.afi", "Address family identifier (AFI)", "").names(AFIS);
    REACH_SAFI = number("bgp.update.path_attribute.mp_reach_nlri.safi", "Subsequent address family identifier (SAFI)", "").names(SAFIS);
    HOP_LENGTH = number("bgp.update.path_attribute.mp_reach_nlri.next_hop_length", "Next hop length", "In bytes");
    HOP = bytes("bgp.update.path_attribute.mp_reach_nlri.next_hop", "Next hop", "");
    HOP_4 = ipv4("bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv4", "IPv4 Address", "");
    HOP_6 = ipv6("bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv6", "IPv6 Address", "");
    HOP_LOCAL = ipv6("bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv6.link_local", "Link-local Address", "");
    SNPAS = number("bgp.update.path_attribute.mp_reach_nlri.nbr_snpa", "Number of Subnetwork points of attachment (SNPA)", "");
    REACH = group("bgp.update.path_attribute.mp_reach_nlri", "Network Layer Reachability Information (NLRI)", "");
    UNREACH_AFI = number("bgp.update.path_attribute.mp_unreach_nlri.afi", "Address family identifier (AFI)", "").names(AFIS);
    UNREACH_SAFI = number("bgp.update.path_attribute.mp_unreach_nlri.safi", "Subsequent address family identifier (SAFI)", "").names(SAFIS);
    UNREACH = group("bgp.update.path_attribute.mp_unreach_nlri", "Withdrawn Routes", "");
    EXT_COMMUNITIES = group("bgp.ext_communities", "Carried extended communities", "");
    EXT_COMMUNITY = group("bgp.ext_community", "Community", "");
    EXT_TYPE = number("bgp.ext_com.type", "Type", "").hex(2).names(names::EXT_TYPES);
    EXT_AUTHORITY = bool("bgp.ext_com.type.auth", "IANA Authority", "").mask(0x80);
    EXT_TRANSITIVE = bool("bgp.ext_com.type.tran", "Transitive across ASes", "False if it is transitive").mask(0x40);
    EXT_SUB_AS2 = number("bgp.ext_com.stype_tr_as2", "Subtype (AS2)", "").hex(2).names(names::EXT_SUBTYPES);
    EXT_SUB_AS2_N = number("bgp.ext_com.stype_ntr_as2", "Subtype (Non-transitive AS2)", "").hex(2);
    EXT_SUB_AS4 = number("bgp.ext_com.stype_tr_as4", "Subtype (AS4)", "").hex(2).names(names::EXT_SUBTYPES);
    EXT_SUB_IP4 = number("bgp.ext_com.stype_tr_IP4", "Subtype (IPv4)", "").hex(2).names(names::EXT_SUBTYPES);
    EXT_SUB_OPAQUE = number("bgp.ext_com.stype_tr_opaque", "Subtype (Opaque)", "").hex(2);
    EXT_SUB_TRIAL = number("bgp.ext_com.stype_tr_exp", "Subtype (Experimental)", "").hex(2).names(&[(0x06, "Flow spec traffic-rate")]);
    EXT_SUB_UNKNOWN = number("bgp.ext_com.stype_unknown", "Subtype", "").hex(2);
    EXT_AS2 = number("bgp.ext_com.value_as2", "2-Octet AS", "");
    EXT_AS4 = number("bgp.ext_com.value_as4", "4-Octet AS", "");
    EXT_IP4 = ipv4("bgp.ext_com.value_IP4", "IPv4 address", "");
    EXT_AN2 = number("bgp.ext_com.value_an2", "2-Octet AN", "");
    EXT_AN4 = number("bgp.ext_com.value_an4", "4-Octet AN", "");
    EXT_BANDWIDTH = float("bgp.ext_com.value_link_bw", "Link bandwidth", "Bytes per second");
    EXT_TUNNEL = number("bgp.ext_com.tunnel_type", "Tunnel type", "").names(names::TUNNELS);
    EXT_RATE = float("bgp.ext_com_flow.rate_limit", "Rate shaper", "Bytes per second");
    EXT_RESERVED = bytes("bgp.ext_com.reserved", "Reserved", "");
    EXT_RAW = number("bgp.ext_com.value_raw", "Raw Value", "").hex(12);
    LARGE = text("bgp.large_communities", "Large Communities", "");
    LARGE_ADMIN = number("bgp.large_communities.ga", "Global Administrator", "");
    LARGE_1 = number("bgp.large_communities.ldp1", "Local Data Part 1", "");
    LARGE_2 = number("bgp.large_communities.ldp2", "Local Data Part 2", "");
    AIGP_TYPE = number("bgp.update.attribute.aigp.type", "AIGP attribute type", "");
    AIGP_LENGTH = number("bgp.update.attribute.aigp.length", "AIGP TLV length", "In bytes");
    AIGP_METRIC = number("bgp.update.attribute.aigp.accu_igp_metric", "AIGP Accumulated IGP Metric", "");
    UNKNOWN_ATTRIBUTE = bytes("bgp.update.path_attribute.unknown", "Unknown", "Undissected value");
    NLRI = group("bgp.update.nlri", "Network Layer Reachability Information (NLRI)", "").once();
    PATH_ID = number("bgp.nlri_path_id", "NLRI path id", "");
    PREFIX_LENGTH = number("bgp.prefix_length", "Prefix Length", "In bits, labels included");
    NLRI_PREFIX = text("bgp.nlri_prefix", "NLRI prefix", "");
    WITHDRAWN_PREFIX = text("bgp.withdrawn_prefix", "Withdrawn prefix", "");
    LABELS = text("bgp.label_stack", "Label Stack", "");
    REACH_4 = text("bgp.mp_reach_nlri_ipv4_prefix", "MP Reach NLRI IPv4 prefix", "");
    UNREACH_4 = text("bgp.mp_unreach_nlri_ipv4_prefix", "MP Unreach NLRI IPv4 prefix", "");
    REACH_6 = text("bgp.mp_reach_nlri_ipv6_prefix", "MP Reach NLRI IPv6 prefix", "");
    UNREACH_6 = text("bgp.mp_unreach_nlri_ipv6_prefix", "MP Unreach NLRI IPv6 prefix", "");
    DATA = bytes("bgp.data", "Data", "Undissected bytes");
    BAD = broken("bgp.note.value", "bad value", "Invalid length");
}

const MARKER_BYTES: [u8; 16] = [0xff; 16];
/// Bytes of a header.
const HEADER: usize = 19;
const IPV4: u16 = 1;
const IPV6: u16 = 2;

/// Length and type of the message at the start of the bytes; `None` if there is none.
fn header(bytes: &[u8]) -> Option<(usize, u8)> {
    let &[high, low, kind] = bytes.strip_prefix(&MARKER_BYTES)?.first_chunk()?;
    let length = usize::from(u16::from_be_bytes([high, low]));
    (length >= HEADER && name_of(TYPES, kind.into()).is_some()).then_some((length, kind))
}

/// Length of the message at the start of the bytes, whatever its type.
fn framed(bytes: &[u8]) -> Option<usize> {
    const LONGEST: usize = 4096;
    let length = bytes.strip_prefix(&MARKER_BYTES)?.first_chunk()?;
    Some(usize::from(u16::from_be_bytes(*length))).filter(|length| (HEADER..=LONGEST).contains(length))
}

/// Recognizes a message of another version or an unknown type by its marker and length.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    if opening.sent.iter().any(|bytes| framed(bytes).is_some()) { Verdict::Yes(Side::Server) } else { Verdict::No }
}

/// Recognizes a message of either side, also after the end of one whose beginning is missing.
fn recognize(opening: &Opening<'_>) -> Verdict {
    const OPEN: u8 = 1;
    const BGP_4: u8 = 4;
    let begins = |side: &Side| {
        let bytes = opening.of(*side);
        let is_version = |kind: u8| kind != OPEN || bytes.get(HEADER).is_none_or(|version| *version == BGP_4);
        header(bytes).is_some_and(|(_, kind)| is_version(kind)) || !opening.starts(*side) && next(bytes).is_some()
    };
    let may_begin = |bytes: &&[u8]| bytes.len() < HEADER && bytes.iter().take(MARKER_BYTES.len()).all(|byte| *byte == 0xff);
    if Side::BOTH.iter().any(begins) {
        Verdict::Yes(Side::Server)
    } else if !opening.complete && opening.sent.iter().all(may_begin) {
        Verdict::Unsure
    } else {
        Verdict::No
    }
}

/// Offset of the next message.
fn next(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memmem::find(bytes.get(at..)?, &MARKER_BYTES)?;
        // Bytes in front of a message may be ones as well.
        match bytes.get(at..).and_then(header) {
            Some(_) => return Some(at),
            None => at += 1,
        }
    }
}

/// A family of addresses.
type Family = (u16, u8);

/// Capabilities that a side announced.
#[derive(Default)]
struct Announced {
    /// Whether its OPEN message was captured.
    open: bool,
    /// AS numbers of four bytes.
    wide: bool,
    /// Families for which it can send and receive path identifiers, with the mode.
    paths: Vec<(Family, u8)>,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    announced: BySide<Announced>,
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        if let Some((length, _)) = header(ahead) {
            return Extent::Message(length);
        }
        if let Some(length) = framed(ahead).filter(|_| ahead.len() >= HEADER) {
            return Extent::Message(length);
        }
        let start = ahead.get(..HEADER.min(ahead.len())).unwrap_or_default();
        if start.len() < HEADER && start.iter().take(MARKER_BYTES.len()).all(|byte| *byte == 0xff) {
            return Extent::NeedMore(HEADER);
        }
        let from = ahead.get(..limits::STREAM_MESSAGE.get()).unwrap_or(ahead);
        Extent::Unknown(next(from).unwrap_or(ahead.len()))
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.bytes(&MARKER, MARKER_BYTES.len())?;
        let length = wire.u16_be(&LENGTH)?;
        let kind = wire.u8(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        wire.within(usize::from(length).saturating_sub(HEADER), &DATA, |wire| match kind {
            1 => self.open(from, wire),
            2 => self.update(from, wire),
            3 => notification(wire),
            5 | 128 => {
                let afi = wire.u16_be(&REFRESH_AFI)?;
                wire.u8(&REFRESH_SUBTYPE)?;
                let safi = wire.u8(&REFRESH_SAFI)?;
                wire.info(format_args!("{}", family((afi, safi))));
                Ok(())
            }
            _ => Ok(()),
        })
    }

    fn memory_usage(&self) -> usize {
        let paths: usize = Side::BOTH.iter().map(|side| self.announced[*side].paths.capacity()).sum();
        size_of_val(self) + paths * size_of::<(Family, u8)>()
    }
}

fn family((afi, safi): Family) -> String {
    let name = |names, number: u64| name_of(names, number).map_or_else(|| number.to_string(), str::to_owned);
    format!("{} {}", name(AFIS, afi.into()), name(SAFIS, safi.into()))
}

impl Session {
    fn open(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        const EXTENDED_LENGTH: u8 = 255;
        wire.u8(&VERSION)?;
        let number = wire.u16_be(&MY_AS)?;
        let hold = wire.u16_be(&HOLD_TIME)?;
        let identifier = address_4(wire.bytes(&IDENTIFIER, 4)?);
        wire.info(format_args!("AS {number}, identifier {identifier}, hold time {hold}"));
        let announced = &mut self.announced[from];
        *announced = Announced { open: true, ..Announced::default() };
        let length = wire.u8(&OPTIONS_LENGTH)?;
        if length == 0 || length == EXTENDED_LENGTH {
            return Ok(());
        }
        wire.group(&OPTIONS, |wire| {
            wire.within(length.into(), &DATA, |wire| wire.groups(&PARAMETER, |wire| parameter(wire, announced)))
        })
    }

    fn update(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let has_ids = self.has_path_ids(from, (IPV4, 1));
        let mut routes = Vec::new();
        let length = usize::from(wire.u16_be(&WITHDRAWN_LENGTH)?);
        if length > 0 {
            wire.group(&WITHDRAWN, |wire| {
                wire.within(length, &DATA, |wire| prefixes(wire, &WITHDRAWN_PREFIX, has_ids, "-", &mut routes))
            })?;
        }
        let length = usize::from(wire.u16_be(&ATTRIBUTES_LENGTH)?);
        if length > 0 {
            wire.group(&ATTRIBUTES, |wire| {
                wire.within(length, &DATA, |wire| {
                    wire.groups(&ATTRIBUTE, |wire| attributes::attribute(wire, self, from, &mut routes))
                })
            })?;
        }
        if wire.remaining() > 0 {
            wire.group(&NLRI, |wire| prefixes(wire, &NLRI_PREFIX, has_ids, "", &mut routes))?;
        }
        wire.info(format_args!("{}", routes.join(", ")));
        Ok(())
    }

    /// Whether AS numbers have four bytes, if that is known.
    fn is_wide(&self) -> Option<bool> {
        let seen = Side::BOTH.map(|side| &self.announced[side]);
        if seen.iter().all(|side| side.open) { Some(seen.iter().all(|side| side.wide)) } else { None }
    }

    /// Whether routes of a family have path identifiers.
    fn has_path_ids(&self, from: Side, family: Family) -> bool {
        const RECEIVE: u8 = 1;
        const SEND: u8 = 2;
        let can =
            |side: Side, mode: u8| self.announced[side].paths.iter().any(|(known, has)| *known == family && has & mode != 0);
        can(from, SEND) && can(from.other(), RECEIVE)
    }
}

fn parameter(wire: &mut Wire<'_>, announced: &mut Announced) -> Result {
    const AUTHENTICATION: u8 = 1;
    const CAPABILITIES: u8 = 2;
    let kind = wire.u8(&PARAMETER_TYPE)?;
    let length = wire.u8(&PARAMETER_LENGTH)?;
    wire.within(length.into(), &PARAMETER_UNKNOWN, |wire| {
        match kind {
            AUTHENTICATION => drop(wire.rest(&PARAMETER_AUTH)),
            CAPABILITIES => wire.groups(&CAPABILITY, |wire| capability(wire, announced))?,
            _ => drop(wire.rest(&PARAMETER_UNKNOWN)),
        }
        Ok(())
    })
}

fn capability(wire: &mut Wire<'_>, announced: &mut Announced) -> Result {
    let code = wire.u8(&CAP_TYPE)?;
    let length = wire.u8(&CAP_LENGTH)?;
    wire.within(length.into(), &CAP_UNKNOWN, |wire| {
        match (code, length) {
            (1, 4) => {
                wire.u16_be(&CAP_AFI)?;
                wire.bytes(&CAP_RESERVED, 1)?;
                wire.u8(&CAP_SAFI)?;
            }
            (5, _) => {
                while wire.remaining() > 0 {
                    wire.u16_be(&HOP_AFI)?;
                    wire.u16_be(&HOP_SAFI)?;
                    wire.u16_be(&HOP_NEXT)?;
                }
            }
            (64, 2..) => {
                wire.flags(&RESTART, 2, &[&RESTARTED, &RESTART_NOTIFIES, &RESTART_TIME])?;
                while wire.remaining() > 0 {
                    wire.u16_be(&RESTART_AFI)?;
                    wire.u8(&RESTART_SAFI)?;
                    wire.flags(&RESTART_FLAG, 1, &[&RESTART_PRESERVED])?;
                }
            }
            (65, 4) => {
                wire.u32_be(&CAP_AS)?;
                announced.wide = true;
            }
            (69, _) => {
                while wire.remaining() > 0 {
                    let family = (wire.u16_be(&PATH_AFI)?, wire.u8(&PATH_SAFI)?);
                    announced.paths.push((family, wire.u8(&PATH_MODE)?));
                }
            }
            (73, _) => {
                for (length, text) in [(&HOST_LENGTH, &HOST), (&DOMAIN_LENGTH, &DOMAIN)] {
                    wire.counted(Wire::u8, length, text)?;
                }
            }
            _ => drop(wire.rest(&CAP_UNKNOWN)),
        }
        Ok(())
    })
}

fn notification(wire: &mut Wire<'_>) -> Result {
    const CEASE: u8 = 6;
    let major = wire.u8(&MAJOR)?;
    let field: &'static Field = match major {
        1 => &MINOR_HEADER,
        2 => &MINOR_OPEN,
        3 => &MINOR_UPDATE,
        4 => &MINOR_EXPIRED,
        5 => &MINOR_STATE,
        CEASE => &MINOR_CEASE,
        _ => &MINOR_UNKNOWN,
    };
    let minor = wire.u8(field)?;
    let words = [
        name_of(CODES, major.into()),
        SUBCODES.iter().find(|(code, _)| *code == major).and_then(|(_, names)| name_of(names, minor.into())),
    ];
    wire.info(format_args!("{}", words.into_iter().flatten().collect::<Vec<_>>().join(": ")));
    // Administrative shutdown and reset state a reason (RFC 9003).
    if major == CEASE && matches!(minor, 2 | 4) && wire.remaining() > 0 {
        wire.counted(Wire::u8, &REASON_LENGTH, &REASON)?;
    }
    match (major, minor, wire.remaining()) {
        (2, 2, 2) => drop(wire.u16_be(&BAD_PEER)?),
        (2, 2, 4) => drop(wire.u32_be(&BAD_PEER)?),
        _ => drop(wire.rest(&ERROR_DATA)),
    }
    Ok(())
}

fn address_4(bytes: &[u8]) -> Ipv4Addr {
    bytes.first_chunk().map_or(Ipv4Addr::UNSPECIFIED, |bytes: &[u8; 4]| Ipv4Addr::from(*bytes))
}

/// The bytes of a prefix as an address: bits after its length are zero.
fn padded<const N: usize>(bytes: &[u8], bits: usize) -> [u8; N] {
    let mut address = [0; N];
    for (place, (to, from)) in address.iter_mut().zip(bytes).enumerate() {
        let kept = bits.saturating_sub(place * 8).min(8);
        *to = from & !u8::try_from(0xff_u32 >> kept).unwrap_or_default();
    }
    address
}

/// Adds a route to a summary.
fn summarize(routes: &mut Vec<String>, sign: &str, address: &dyn std::fmt::Display, bits: usize) {
    /// Most routes that a summary names.
    const SHOWN: usize = 16;
    match routes.len() {
        SHOWN => routes.push("…".to_owned()),
        0..SHOWN => routes.push(format!("{sign}{address}/{bits}")),
        _ => {}
    }
}

/// Prefixes of IPv4 up to the end.
fn prefixes(wire: &mut Wire<'_>, field: &'static Field, has_ids: bool, sign: &str, routes: &mut Vec<String>) -> Result {
    wire.each(|wire| {
        if has_ids {
            wire.u32_be(&PATH_ID)?;
        }
        let bits = usize::from(wire.u8(&PREFIX_LENGTH)?);
        prefix(wire, field, IPV4, bits, sign, routes)
    })
}

/// The address of a prefix.
fn prefix(wire: &mut Wire<'_>, field: &'static Field, afi: u16, bits: usize, sign: &str, routes: &mut Vec<String>) -> Result {
    let most = if afi == IPV4 { 32 } else { 128 };
    if bits > most {
        return wire.malformed(&BAD, format_args!("a prefix of {bits} bits, of {most}"));
    }
    let (start, count) = (wire.at(), bits.div_ceil(8));
    let bytes = wire.ahead().get(..count).unwrap_or_default();
    wire.skip(count)?;
    let address: std::net::IpAddr =
        if afi == IPV4 { Ipv4Addr::from(padded(bytes, bits)).into() } else { Ipv6Addr::from(padded(bytes, bits)).into() };
    wire.put_text(field, start..start + count, format_args!("{address}"));
    summarize(routes, sign, &address, bits);
    Ok(())
}

/// A number that its place states.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A value computed from bytes that fields below it explain.
fn unsigned(bytes: &[u8]) -> Value {
    Value::Unsigned(number(bytes))
}
