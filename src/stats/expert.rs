//! Remarks on frames by how serious they are, as tshark's `expert` has them.
//!
//! What dissectors note is an error where a message is malformed, a warning where it is strange, and a note where it is worth
//! knowing. Beside that come what the analysis of TCP finds, how connections begin and end, the first lines of HTTP, and comments.

use super::gate::Gate;
use crate::layers::tcp;
use crate::limits;
use crate::record::level_of;
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Field, Level, NodeRef, Only, Side, StreamId};
use std::collections::HashMap;
use std::fmt;

/// How serious a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Somebody's comment in the capture.
    Comment,
    /// What happens as a rule.
    Chat,
    /// Worth knowing.
    Note,
    /// Strange.
    Warn,
    /// Malformed.
    Error,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Severity; 5] = [Severity::Error, Severity::Warn, Severity::Note, Severity::Chat, Severity::Comment];

    /// Its name in `-z`.
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

    /// What stands over a list of such remarks.
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
}

/// Remarks that are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike {
    /// How serious they are.
    pub severity: Severity,
    /// What they are about: `Sequence`, `Malformed`.
    pub group: &'static str,
    /// The protocol that they are about.
    pub protocol: &'static str,
    /// What they say.
    pub summary: String,
    /// How many there are.
    pub count: u64,
    /// The frame that had the first.
    pub first: u64,
}

/// Remarks of a capture.
pub struct Expert {
    /// Notes beyond the limit of distinct ones.
    pub left_out: u64,
    least: Severity,
    gate: Option<Gate>,
    alike: Vec<Alike>,
    index: HashMap<(Severity, &'static str, String), usize, foldhash::fast::RandomState>,
    starts: Starts,
    /// Which side of a connection was the first to send a FIN.
    closing: HashMap<StreamId, Side, foldhash::fast::RandomState>,
    /// The nodes of the layers of the tree at hand, in order.
    layers: Vec<u32>,
}

/// The layers and fields of HTTP that a first line is made of.
struct Starts {
    layers: Vec<&'static Field>,
    fields: Vec<&'static Field>,
}

/// What the analysis of TCP finds.
const MARKS: &[(&Field, Severity)] = &[
    (&tcp::RETRANSMISSION, Severity::Note),
    (&tcp::FAST_RETRANSMISSION, Severity::Note),
    (&tcp::SPURIOUS_RETRANSMISSION, Severity::Note),
    (&tcp::OUT_OF_ORDER, Severity::Warn),
    (&tcp::LOST_SEGMENT, Severity::Warn),
    (&tcp::ACK_LOST_SEGMENT, Severity::Warn),
    (&tcp::DUPLICATE_ACK, Severity::Note),
    (&tcp::ZERO_WINDOW, Severity::Warn),
    (&tcp::ZERO_WINDOW_PROBE, Severity::Note),
    (&tcp::ZERO_WINDOW_PROBE_ACK, Severity::Note),
    (&tcp::WINDOW_FULL, Severity::Warn),
    (&tcp::WINDOW_UPDATE, Severity::Chat),
    (&tcp::KEEP_ALIVE, Severity::Note),
    (&tcp::KEEP_ALIVE_ACK, Severity::Note),
    (&tcp::REUSED_PORTS, Severity::Note),
];

/// What else is read of a segment.
const SEGMENT: &[&Field] = &[&tcp::TCP, &tcp::SRCPORT, &tcp::DSTPORT, &tcp::FLAGS, &tcp::DUPLICATE_ACK_NUM];

const START: &[&str] = &[
    "http.request.method",
    "http.request.uri",
    "http.request.version",
    "http.response.version",
    "http.response.code",
    "http.response.phrase",
];

const SEQUENCE: &str = "Sequence";

impl Expert {
    pub(super) fn new(registry: Registry, least: Severity, gate: Option<Gate>) -> Expert {
        let layers = [registry.named("http"), registry.named("ssdp")].concat();
        let fields = START.iter().flat_map(|name| registry.named(name)).collect();
        let starts = Starts { layers, fields };
        let (index, closing) = (HashMap::default(), HashMap::default());
        Expert { left_out: 0, least, gate, alike: Vec::new(), index, starts, closing, layers: Vec::new() }
    }

    /// What is read of a frame.
    pub(super) fn demand(&self) -> Demand {
        let marks = MARKS.iter().map(|(mark, _)| *mark);
        let only = Only::these(marks.chain(SEGMENT.iter().copied()).chain(self.starts.fields.iter().copied()));
        let own = Demand { fields: true, only: Some(only), carriers: true, headers: true, remarks: true, ..Demand::STREAM_BYTES };
        self.gate.as_ref().map_or(own, |gate| own.and(gate.demand))
    }

    /// The remarks of a severity, in the order in which the first of each kind came.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Alike> {
        self.alike.iter().filter(move |alike| alike.severity == severity)
    }

    pub(super) fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        if self.gate.as_mut().is_some_and(|gate| !gate.opens(of, captured)) {
            return;
        }
        let tree = of.tree;
        if captured {
            for comment in tree.made(tree.frame.comment).lines() {
                self.add(of, Severity::Comment, "Comment", "Frame", format_args!("{comment}"));
            }
        }
        for layer in &tree.layers {
            let Some(node) = of.layer_node(layer) else { continue };
            if node.field().is(&tcp::TCP) {
                let stream = of.tree.ends.get(layer.ends as usize).and_then(|ends| ends.stream);
                self.segment(of, node, stream);
            } else if self.starts.layers.iter().any(|field| field.is(node.field())) {
                self.start(of, node);
            }
        }
        self.notes(of);
    }

    fn notes(&mut self, of: Dissection<'_>) {
        if of.tree.notes.is_empty() {
            return;
        }
        let mut layers = std::mem::take(&mut self.layers);
        layers.clear();
        layers.extend(of.tree.layers.iter().map(|layer| layer.node));
        layers.sort_unstable();
        for note in &of.tree.notes {
            let behind = layers.partition_point(|layer| *layer <= note.node);
            let layer = behind.checked_sub(1).and_then(|at| layers.get(at)).and_then(|layer| of.node(*layer));
            let protocol = layer.map_or("Frame", |layer| layer.field().name);
            let severity = match level_of(note) {
                Level::Broken => Severity::Error,
                Level::Odd => Severity::Warn,
                Level::Info => Severity::Note,
            };
            self.add(of, severity, group_of(note.code, severity), protocol, format_args!("{}", note.code.about));
        }
        self.layers = layers;
    }

    /// Whether the other side of a connection was the first to send a FIN.
    fn closes(&mut self, (id, side): (StreamId, Side)) -> bool {
        if !limits::STATS_CONVERSATIONS.exceeds(self.closing.len()) && !self.closing.contains_key(&id) {
            return false;
        }
        *self.closing.entry(id).or_insert(side) != side
    }

    fn segment(&mut self, of: Dissection<'_>, segment: NodeRef<'_>, stream: Option<(StreamId, Side)>) {
        let number = |field: &Field| segment.behind().find(|node| node.field().is(field)).and_then(NodeRef::number);
        let name = segment.field().name;
        let flags = number(&tcp::FLAGS).unwrap_or_default();
        let has = |flag: &Field| flag.bits_of(flags) != 0;
        let is_second = has(&tcp::FLAG_FIN) && stream.is_some_and(|stream| self.closes(stream));
        let mut chat = |severity, words: fmt::Arguments<'_>| self.add(of, severity, SEQUENCE, name, words);
        match (has(&tcp::FLAG_SYN), has(&tcp::FLAG_ACK)) {
            (true, false) => {
                let port = number(&tcp::DSTPORT).unwrap_or_default();
                chat(Severity::Chat, format_args!("{} (SYN): server port {port}", tcp::CONNECTION_SYN.name));
            }
            (true, true) => {
                let port = number(&tcp::SRCPORT).unwrap_or_default();
                chat(Severity::Chat, format_args!("{} (SYN+ACK): server port {port}", tcp::CONNECTION_SYNACK.name));
            }
            _ => {}
        }
        if has(&tcp::FLAG_FIN) {
            chat(Severity::Chat, format_args!("{} (FIN)", tcp::CONNECTION_FIN.name));
            let words = if is_second { "closes a connection that is being closed" } else { "begins to close the connection" };
            chat(Severity::Note, format_args!("{words}"));
        }
        if has(&tcp::FLAG_RESET) {
            chat(Severity::Warn, format_args!("{} (RST)", tcp::CONNECTION_RST.name));
        }
        for node in segment.behind() {
            let Some((mark, severity)) = MARKS.iter().find(|(mark, _)| mark.is(node.field())) else { continue };
            match number(&tcp::DUPLICATE_ACK_NUM).filter(|_| mark.is(&tcp::DUPLICATE_ACK)) {
                Some(which) => chat(*severity, format_args!("{} #{which}", mark.name)),
                None => chat(*severity, format_args!("{}", mark.name)),
            }
        }
    }

    fn start(&mut self, of: Dissection<'_>, message: NodeRef<'_>) {
        let Starts { fields, .. } = &self.starts;
        let words = message.behind().filter(|node| fields.iter().any(|field| field.is(node.field())));
        let words: Vec<String> =
            words.map(|node| node.number().map_or_else(|| node.text().into_owned(), |code| code.to_string())).collect();
        if !words.is_empty() {
            self.add(of, Severity::Chat, SEQUENCE, message.field().name, format_args!("{}", words.join(" ")));
        }
    }

    fn add(
        &mut self,
        of: Dissection<'_>,
        severity: Severity,
        group: &'static str,
        protocol: &'static str,
        words: fmt::Arguments<'_>,
    ) {
        if severity < self.least {
            return;
        }
        let longest = limits::STATS_EXPERT_TEXT.get();
        let mut summary = words.to_string();
        if summary.len() > longest {
            let end = (0..=longest).rev().find(|end| summary.is_char_boundary(*end)).unwrap_or_default();
            summary.truncate(end);
            summary.push('…');
        }
        let key = (severity, protocol, summary);
        if let Some(alike) = self.index.get(&key).and_then(|place| self.alike.get_mut(*place)) {
            alike.count += 1;
        } else if limits::STATS_EXPERT.exceeds(self.alike.len()) {
            let (summary, first) = (key.2.clone(), of.tree.frame.number);
            self.index.insert(key, self.alike.len());
            self.alike.push(Alike { severity, group, protocol, summary, count: 1, first });
        } else {
            self.left_out += 1;
        }
    }
}

/// What a remark is about, in Wireshark's words.
fn group_of(code: &Field, severity: Severity) -> &'static str {
    match code.abbrev {
        name if name.contains("checksum") => "Checksum",
        "dissect.lost" | "dissect.unfinished" | "dissect.overlap" | "dissect.stale" | "ip.fragment.incomplete" => "Reassemble",
        "dissect.tie" => "Assumption",
        "dissect.left_over" => "Undecoded",
        name if name.contains("decrypt") => "Decryption",
        _ if severity == Severity::Error => "Malformed",
        _ => "Protocol",
    }
}
