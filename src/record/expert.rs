//! Expert information as in Wireshark: one table of rules for columns, filters and `-z expert`.
//!
//! Rules use fields of the tree and notes of dissectors. They are evaluated only if [`demand`] is part of the demand.

use super::level_of;
use crate::layers::{ethernet, ip, ipv6, tcp, wlan};
use crate::limits;
use crate::tree::{
    Carriers, Demand, Dissection, ExpertMark, Extras, Field, Kind, Label, Level, NodeRef, Note, Only, Partial, Value,
};
use crate::wire::notes;
use std::borrow::Cow;

/// Severity of an expert item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Packet comment.
    Comment,
    /// Normal operation.
    Chat,
    /// Notable, such as an application error code.
    Note,
    /// Unusual.
    Warn,
    /// Malformed.
    Error,
}

impl Severity {
    /// All severities, the highest first.
    pub const ALL: [Severity; 5] = [Severity::Error, Severity::Warn, Severity::Note, Severity::Chat, Severity::Comment];

    /// Name in `-z`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warn => "warn",
            Severity::Note => "note",
            Severity::Chat => "chat",
            Severity::Comment => "comment",
        }
    }

    /// Heading of a list of expert items.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Severity::Error => "Errors",
            Severity::Warn => "Warns",
            Severity::Note => "Notes",
            Severity::Chat => "Chats",
            Severity::Comment => "Comments",
        }
    }

    /// Wireshark's number and name.
    #[must_use]
    pub const fn named(self) -> (u64, &'static str) {
        match self {
            Severity::Comment => (0x0010_0000, "Comment"),
            Severity::Chat => (0x0020_0000, "Chat"),
            Severity::Note => (0x0040_0000, "Note"),
            Severity::Warn => (0x0060_0000, "Warning"),
            Severity::Error => (0x0080_0000, "Error"),
        }
    }
}

/// Wireshark's group of an expert item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Checksums.
    Checksum,
    /// Sequence numbers, requests and responses.
    Sequence,
    /// Response codes.
    Response,
    /// Request codes.
    Request,
    /// Undissected bytes.
    Undecoded,
    /// Reassembly.
    Reassemble,
    /// Malformed packets.
    Malformed,
    /// Hints for developers.
    Debug,
    /// Violations of a specification.
    Protocol,
    /// Security.
    Security,
    /// Packet comments.
    Comment,
    /// Decryption.
    Decryption,
    /// Assumptions of dissectors.
    Assumption,
    /// Deprecated protocol features.
    Deprecated,
    /// Reception.
    Receive,
    /// The interface.
    Interface,
    /// Bugs of dissectors.
    DissectorBug,
}

/// All groups, in the order of their numbers.
const ALL_GROUPS: [Group; 17] = [
    Group::Checksum,
    Group::Sequence,
    Group::Response,
    Group::Request,
    Group::Undecoded,
    Group::Reassemble,
    Group::Malformed,
    Group::Debug,
    Group::Protocol,
    Group::Security,
    Group::Comment,
    Group::Decryption,
    Group::Assumption,
    Group::Deprecated,
    Group::Receive,
    Group::Interface,
    Group::DissectorBug,
];

/// Wireshark's numbers of groups, and their names.
pub const GROUPS: &[(u64, &str)] = &[
    (0x0100_0000, "Checksum"),
    (0x0200_0000, "Sequence"),
    (0x0300_0000, "Response"),
    (0x0400_0000, "Request"),
    (0x0500_0000, "Undecoded"),
    (0x0600_0000, "Reassemble"),
    (0x0700_0000, "Malformed"),
    (0x0800_0000, "Debug"),
    (0x0900_0000, "Protocol"),
    (0x0a00_0000, "Security"),
    (0x0b00_0000, "Comment"),
    (0x0c00_0000, "Decryption"),
    (0x0d00_0000, "Assumption"),
    (0x0e00_0000, "Deprecated"),
    (0x0f00_0000, "Receive"),
    (0x1000_0000, "Interface"),
    (0x1100_0000, "Dissector bug"),
];

impl Group {
    /// Wireshark's number and name.
    #[must_use]
    pub fn named(self) -> (u64, &'static str) {
        GROUPS.get(self as usize).copied().unwrap_or_default()
    }
}

/// An expert item.
#[derive(Debug, Clone)]
pub struct Item<'t> {
    /// Severity.
    pub severity: Severity,
    /// Group.
    pub group: Group,
    /// Protocol name.
    pub protocol: &'static str,
    /// Text.
    pub message: Cow<'t, str>,
    /// The name under which a script declared it.
    pub declared: Option<&'static Field>,
}

impl<'t> Item<'t> {
    /// Expert information of a script.
    fn of_mark(of: Dissection<'t>, protocol: &'static str, note: &'t Note, mark: ExpertMark) -> Item<'t> {
        let is = |number: u32, known: (u64, &str)| u64::from(number) == known.0;
        let severity = Severity::ALL.into_iter().find(|severity| is(mark.severity, severity.named()));
        let group = ALL_GROUPS.into_iter().find(|group| is(mark.group, group.named()));
        Item {
            severity: severity.unwrap_or(Severity::Chat),
            group: group.unwrap_or(Group::Debug),
            protocol,
            message: Cow::Borrowed(of.tree.generated_text(note.text)),
            declared: Some(note.code),
        }
    }
}

/// Expert information that scripts added to a node, each with the index of the first node after it.
pub fn of_script<'t>(node: NodeRef<'t>) -> impl Iterator<Item = (u32, Item<'t>)> {
    let of = node.dissection();
    let item = move |(note, mark): (&'t Note, ExpertMark)| (mark.place, Item::of_mark(of, node.field().name, note, mark));
    of.tree.experts_at(node.place()).map(item)
}

/// Flags of the TCP analysis, and their texts.
const MARKS: &[(&Field, Severity, &str)] = &[
    (&tcp::REUSED_PORTS, Severity::Note, "A new tcp session is started with the same ports as an earlier session in this trace"),
    (&tcp::FAST_RETRANSMISSION, Severity::Note, "This frame is a (suspected) fast retransmission"),
    (&tcp::SPURIOUS_RETRANSMISSION, Severity::Note, "This frame is a (suspected) spurious retransmission"),
    (&tcp::RETRANSMISSION, Severity::Note, "This frame is a (suspected) retransmission"),
    (&tcp::OUT_OF_ORDER, Severity::Warn, "This frame is a (suspected) out-of-order segment"),
    (&tcp::LOST_SEGMENT, Severity::Warn, "Previous segment(s) not captured (common at capture start)"),
    (&tcp::ACK_LOST_SEGMENT, Severity::Warn, "ACKed segment that wasn't captured (common at capture start)"),
    (&tcp::WINDOW_UPDATE, Severity::Chat, "TCP window update"),
    (&tcp::WINDOW_FULL, Severity::Warn, "TCP window specified by the receiver is now completely full"),
    (&tcp::KEEP_ALIVE, Severity::Note, "TCP keep-alive segment"),
    (&tcp::KEEP_ALIVE_ACK, Severity::Note, "ACK to a TCP keep-alive segment"),
    (&tcp::DUPLICATE_ACK, Severity::Note, "Duplicate ACK"),
    (&tcp::ZERO_WINDOW_PROBE, Severity::Note, "TCP Zero Window Probe"),
    (&tcp::ZERO_WINDOW, Severity::Warn, "TCP Zero Window segment"),
    (&tcp::ZERO_WINDOW_PROBE_ACK, Severity::Note, "ACK to a TCP Zero Window Probe"),
];

/// Fields of other rules.
const FIELDS: &[&Field] = &[
    &ethernet::SRC,
    &ethernet::PADDING,
    &ethernet::TRAILER,
    &ip::MF,
    &ip::TTL,
    &ip::PROTO,
    &ip::DST,
    &ipv6::NXT,
    &ipv6::PLEN,
    &ipv6::ROUTING_TYPE,
    &tcp::SRCPORT,
    &tcp::DSTPORT,
    &tcp::FLAGS,
    &tcp::FIN_ACTIVE,
    &tcp::ACK_RAW,
    &tcp::URGENT,
    &tcp::KIND,
    &tcp::MSS,
    &tcp::SACK_LE,
    &tcp::SACK_RE,
    &tcp::DUPLICATE_ACK_NUM,
    &wlan::RETRY,
];

/// Notes of dissectors with a text in Wireshark; `%` is the number at the end of the note's text.
const NOTES: &[(&Field, Severity, Group, &str)] = &[
    (&ip::BOGUS_VERSION, Severity::Error, Group::Protocol, "Bogus IPv4 version"),
    (&ip::EXCEEDS, Severity::Error, Group::Protocol, "IPv4 total length exceeds packet length (% bytes)"),
    (&ipv6::EXCEEDS, Severity::Warn, Group::Protocol, "IPv6 payload length exceeds framing length (% bytes)"),
    (&notes::SHORT, Severity::Error, Group::Malformed, "Malformed Packet (Exception occurred)"),
];

/// Fields used by rules.
pub fn fields() -> impl Iterator<Item = &'static Field> {
    MARKS.iter().map(|(mark, ..)| *mark).chain(FIELDS.iter().copied())
}

/// Demand of the rules.
#[must_use]
pub fn demand() -> Demand {
    let only = Only::these(fields());
    let named = Some(Only::these([&tcp::FIN_ACTIVE]));
    // Texts of messages are shown, so the secrets in them must be found.
    let extras = Extras::CONTENT.and(Extras::LABELS);
    Demand { carriers: Carriers::Full, named, ..Demand::of_fields(only) }.with(extras)
}

/// Calls `take` for each expert item of the nodes in a range, in order.
pub fn of_range<'t>(of: Dissection<'t>, range: std::ops::Range<u32>, take: &mut dyn FnMut(Item<'t>)) {
    let mut notes = of.tree.notes_within(std::slice::from_ref(&range));
    notes.sort_by_key(|note| note.node);
    let mut notes = notes.into_iter().peekable();
    let mut rules = Rules { of, protocol: "Frame", layer: range.start, take };
    for place in range {
        let Some(node) = of.node(place) else { return };
        rules.node(node);
        while let Some(note) = notes.next_if(|note| note.node == place) {
            rules.note(note);
        }
    }
    rules.unknown_record();
}

/// Calls `take` for each packet comment.
pub fn of_comments<'t>(of: Dissection<'t>, take: &mut dyn FnMut(Item<'t>)) {
    for comment in of.tree.generated_text(of.tree.frame.comment).lines() {
        let message = Cow::Borrowed(comment);
        take(Item { severity: Severity::Comment, group: Group::Comment, protocol: "Frame", message, declared: None });
    }
}

/// State of the rules within a range.
struct Rules<'t, 'a> {
    of: Dissection<'t>,
    /// The name of the protocol that the nodes belong to.
    protocol: &'static str,
    /// Node of that protocol.
    layer: u32,
    take: &'a mut dyn FnMut(Item<'t>),
}

impl<'t> Rules<'t, '_> {
    fn add(&mut self, severity: Severity, group: Group, message: impl Into<Cow<'t, str>>) {
        (self.take)(Item { severity, group, protocol: self.protocol, message: message.into(), declared: None });
    }

    fn node(&mut self, node: NodeRef<'t>) {
        const GROUP_SOURCE: &str = "Source MAC must not be a group address: IEEE 802.3-2002, Section 3.2.3(b)";
        const FILLED: &str = "Didn't find padding of zeros, and an undecoded trailer exists. There may be padding of non-zeros.";
        let field = node.field();
        let is = |wanted: &Field| field.is(wanted);
        if field.kind == Kind::Protocol {
            (self.protocol, self.layer) = (field.name, node.place());
            if matches!(field.abbrev, "http" | "ssdp") {
                self.first_line(node);
            }
        } else if is(&ethernet::SRC) && node.bytes().first().is_some_and(|first| first & 1 == 1) {
            self.add(Severity::Warn, Group::Protocol, GROUP_SOURCE);
        } else if is(&ethernet::TRAILER) && !node.before().any(|other| other.field().is(&ethernet::PADDING)) {
            self.add(Severity::Note, Group::Protocol, FILLED);
        } else if is(&ip::TTL) {
            self.ttl(node);
        } else if is(&ipv6::ROUTING_TYPE) && node.number() == Some(0) {
            self.add(Severity::Note, Group::Deprecated, "Routing header type is deprecated");
        } else if is(&ipv6::PLEN) && node.number() == Some(0) && self.next_header(node) != Some(0) {
            let words = "IPv6 payload length equals 0 (maybe because of \"TCP segmentation offload\" (TSO))";
            self.add(Severity::Chat, Group::Protocol, words);
        } else if is(&wlan::RETRY) && node.number() == Some(1) {
            self.add(Severity::Note, Group::Sequence, "Retransmission (retry)");
        } else if is(&tcp::FLAGS) {
            self.flags(node);
        } else if let Some((mark, severity, text)) = MARKS.iter().find(|(mark, ..)| is(mark)) {
            let which = node.behind().find(|node| node.field().is(&tcp::DUPLICATE_ACK_NUM)).and_then(NodeRef::number);
            match which.filter(|_| mark.is(&tcp::DUPLICATE_ACK)) {
                Some(which) => self.add(*severity, Group::Sequence, format!("{text} (#{which})")),
                None => self.add(*severity, Group::Sequence, *text),
            }
        }
    }

    /// Time to live: too low, or too high for a local network.
    fn ttl(&mut self, node: NodeRef<'t>) {
        const FEW: u64 = 5;
        const ROUTING: [u64; 3] = [89, 103, 112];
        let Some(ttl) = node.number() else { return };
        let behind = |field: &'static Field| node.behind().find(move |node| node.field().is(field));
        let protocol = behind(&ip::PROTO).and_then(NodeRef::number).unwrap_or_default();
        let dst: [u8; 4] = behind(&ip::DST).and_then(|dst| dst.bytes().first_chunk().copied()).unwrap_or_default();
        match dst {
            [224, 0, 0, last] => {
                let valid = match last {
                    18 | 102 | 251 => 255,
                    252 => ttl,
                    _ => 1,
                };
                if ttl != valid {
                    let words = "for a packet sent to the Local Network Control Block (see RFC 3171)";
                    self.add(Severity::Note, Group::Sequence, format!("\"Time To Live\" != {valid} {words}"));
                }
            }
            [224..=239, ..] => {}
            _ if ttl < FEW && !ROUTING.contains(&protocol) => {
                self.add(Severity::Note, Group::Sequence, format!("\"Time To Live\" only {ttl}"));
            }
            _ => {}
        }
    }

    /// Next header of IPv6.
    fn next_header(&self, node: NodeRef<'t>) -> Option<u64> {
        node.behind().find(|node| node.field().is(&ipv6::NXT)).and_then(NodeRef::number)
    }

    /// Flags that open, close or reset a connection.
    fn flags(&mut self, node: NodeRef<'t>) {
        let flags = node.number().unwrap_or_default();
        let has = |flag: &Field| flag.bits_of(flags) != 0;
        let port = |field: &'static Field| node.before().find(move |node| node.field().is(field)).and_then(NodeRef::number);
        let behind = |field: &'static Field| node.behind().filter(move |node| node.field().is(field));
        let acks = node.before().find(|node| node.field().is(&tcp::ACK_RAW)).and_then(NodeRef::number).unwrap_or_default();
        if !has(&tcp::FLAG_ACK) && acks > 0 {
            let words = "The acknowledgment number field is nonzero while the ACK flag is not set";
            self.add(Severity::Note, Group::Protocol, words);
        }
        match (has(&tcp::FLAG_SYN), has(&tcp::FLAG_ACK)) {
            (true, false) => {
                let port = port(&tcp::DSTPORT).unwrap_or_default();
                self.add(Severity::Chat, Group::Sequence, format!("Connection establish request (SYN): server port {port}"));
            }
            (true, true) => {
                let port = port(&tcp::SRCPORT).unwrap_or_default();
                let words = format!("Connection establish acknowledge (SYN+ACK): server port {port}");
                self.add(Severity::Chat, Group::Sequence, words);
            }
            _ => {}
        }
        if has(&tcp::FLAG_FIN) {
            self.add(Severity::Chat, Group::Sequence, "Connection finish (FIN)");
            let is_first = behind(&tcp::FIN_ACTIVE).next().is_some();
            let what = if is_first { "initiates" } else { "undergoes" };
            self.add(Severity::Note, Group::Sequence, format!("This frame {what} the connection closing"));
        }
        if has(&tcp::FLAG_RESET) {
            self.add(Severity::Warn, Group::Sequence, "Connection reset (RST)");
        }
        self.options(node, acks);
    }

    /// Fields after the flags.
    fn options(&mut self, node: NodeRef<'t>, acks: u64) {
        let flags = node.number().unwrap_or_default();
        let has = |flag: &Field| flag.bits_of(flags) != 0;
        let behind = |field: &'static Field| node.behind().filter(move |node| node.field().is(field));
        if !has(&tcp::FLAG_URG) && behind(&tcp::URGENT).next().and_then(NodeRef::number).is_some_and(|at| at > 0) {
            self.add(Severity::Note, Group::Protocol, "The urgent pointer field is nonzero while the URG flag is not set");
        }
        let edges = [&tcp::SACK_LE, &tcp::SACK_RE].map(|edge| behind(edge).filter_map(NodeRef::number).take(2).collect());
        if is_duplicate(acks, &edges) {
            self.add(Severity::Warn, Group::Sequence, "D-SACK Sequence");
        }
        if has(&tcp::FLAG_SYN) && behind(&tcp::KIND).next().is_some() && behind(&tcp::MSS).next().is_none() {
            self.add(Severity::Note, Group::Protocol, "The SYN packet does not contain a MSS option");
        }
    }

    /// First line of a request or a response.
    fn first_line(&mut self, node: NodeRef<'t>) {
        let bytes = node.masked_bytes();
        let end = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |end| end + 1);
        let line = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
        if !line.starts_with("HTTP/") && !line.contains(" HTTP/") {
            return;
        }
        let line = line.into_owned();
        self.add(Severity::Chat, Group::Sequence, line);
    }

    /// Bytes after a gap that are not a TLS record.
    fn unknown_record(&mut self) {
        let is_ignored = |label: Label| matches!(label, Label::Begins(_, Partial { ignored: true, .. }));
        if self.of.tree.labels_of(self.layer).any(is_ignored) {
            self.protocol = "TLS";
            self.add(Severity::Warn, Group::Protocol, "Ignored Unknown Record");
        }
    }

    /// Whether an IP header has the more-fragments flag; a truncated fragment is dissected alone.
    fn is_part(&self) -> bool {
        let tree = self.of.tree;
        let headers = tree.layers.iter().take(limits::FRAME_LAYERS.get());
        let nodes = headers.filter_map(|layer| {
            let node = tree.nodes.get(layer.node as usize).filter(|node| node.field.is(&ip::IP))?;
            tree.nodes.get(layer.node as usize..node.end as usize)
        });
        nodes.flatten().any(|node| node.field.is(&ip::MF) && node.value == Value::Bool(true))
    }

    /// Note of a dissector.
    fn note(&mut self, note: &'t Note) {
        let code = note.code;
        if let Some(mark) = self.of.tree.expert_of(note) {
            return (self.take)(Item::of_mark(self.of, self.protocol, note, mark));
        }
        // Truncation by the capture, and the incomplete length of a fragment, are not errors of the packet.
        if code.is(&notes::CUT) || code.abbrev == "udp.length.bad" && self.is_part() {
            return;
        }
        if code.is(&notes::SHORT) && self.is_part() {
            let words = "Unreassembled fragment (change preferences to enable reassembly)";
            return self.add(Severity::Note, Group::Reassemble, words);
        }
        let own = self.of.tree.generated_text(note.text);
        if let Some((_, severity, group, text)) = NOTES.iter().find(|(known, ..)| known.is(code)) {
            // Statistics count notes that differ only in a number as one.
            return match own.rsplit(' ').next().filter(|number| !number.is_empty()) {
                Some(number) => self.add(*severity, *group, text.replace('%', number)),
                None => self.add(*severity, *group, text.split(" (%").next().unwrap_or_default()),
            };
        }
        let severity = match level_of(note) {
            Level::Info => Severity::Note,
            Level::Odd => Severity::Warn,
            Level::Broken => Severity::Error,
        };
        self.add(severity, group_of(code, severity), if own.is_empty() { code.name } else { own });
    }
}

/// Whether the first SACK block is a D-SACK (RFC 2883): below the acknowledgment, or within the second block.
fn is_duplicate(acks: u64, [left, right]: &[Vec<u64>; 2]) -> bool {
    let before = |one: u64, other: u64| (1..1 << 31).contains(&(other.wrapping_sub(one) & u64::from(u32::MAX)));
    let (Some(&first), Some(&end)) = (left.first(), right.first()) else { return false };
    let is_inside = || match (left.get(1), right.get(1)) {
        (Some(&second), Some(&limit)) => !before(first, second) && !before(limit, end),
        _ => false,
    };
    before(first, acks) || is_inside()
}

/// Group of a note.
fn group_of(code: &Field, severity: Severity) -> Group {
    match code.abbrev {
        name if name.contains("checksum") => Group::Checksum,
        "dissect.lost" | "dissect.unfinished" | "dissect.overlap" | "dissect.stale" | "ip.fragment.incomplete" => {
            Group::Reassemble
        }
        "dissect.tie" => Group::Assumption,
        "dissect.left_over" => Group::Undecoded,
        name if name.contains("decrypt") => Group::Decryption,
        _ if severity == Severity::Error => Group::Malformed,
        _ => Group::Protocol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_acknowledged_bytes_or_inside_the_second_one_is_a_duplicate() {
        // RFC 2883, sections 4.1 and 4.2.
        assert!(is_duplicate(4000, &[vec![3000], vec![3500]]));
        assert!(!is_duplicate(4000, &[vec![4500], vec![5000]]));
        assert!(is_duplicate(4000, &[vec![5000, 4500], vec![5500, 6000]]));
        assert!(!is_duplicate(4000, &[vec![4500, 5000], vec![6000, 5500]]));
        assert!(is_duplicate(5, &[vec![0xffff_fff0], vec![0xffff_ffff]]));
        assert!(!is_duplicate(4000, &[vec![], vec![]]));
    }

    #[test]
    fn severities_and_groups_have_the_numbers_of_wireshark() {
        assert_eq!(Severity::ALL.map(|severity| severity.named().0 >> 20), [8, 6, 4, 2, 1]);
        assert_eq!(Group::Checksum.named(), (0x0100_0000, "Checksum"));
        assert_eq!(Group::Deprecated.named(), (0x0e00_0000, "Deprecated"));
    }
}
