//! Passes a frame through layers, flow and protocols. Only this module uses all three.

mod bounds;
pub mod bug;
mod ending;
mod exported;
mod failed;
mod guess;
mod message;
mod nested;
mod packetless;
mod prefilter;
mod quote;
mod relations;
mod scripted;
mod stream;
#[cfg(test)]
pub(crate) mod tests;
mod transport;

use crate::flow::analysis::Extent;
use crate::input::{Frame, Link, OddFraction};
use crate::layers::{self, Bytes, Checks, Reached, tcp};
use crate::record::{self, Evictions};
use crate::registry::Registry;
use crate::tree::{Demand, Extras, Fields, FrameInfo, Level, Node, Note, Pack, Tree};
use crate::wire::notes::{FRACTION, GIVEN_UP};
use bounds::Bounds;
use ending::Ending;
use failed::ActiveConversation;
pub use prefilter::{FrameParts, Prefilter};
use relations::Relations;
pub use relations::Route;
use transport::Transports;

/// Dissects frames into trees and keeps the state of conversations.
pub struct Engine {
    registry: Registry,
    demand: Demand,
    /// Requested results of the TCP analysis.
    analysis: Option<Extent>,
    /// Whether connection progress is requested.
    follows: bool,
    checks: Checks,
    prefilter: Option<Prefilter>,
    tree: Tree,
    current: Current,
    transports: Transports,
    bounds: Bounds,
    ending: Ending,
    relations: Relations,
}

/// What is known of the current frame.
#[derive(Default)]
struct Current {
    active: ActiveConversation,
    /// What it has only a part of.
    waits_for: WaitsFor,
    /// Whether it is a packet quoted by an ICMP error.
    is_of_quote: bool,
}

/// What a frame has a part of that is not complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum WaitsFor {
    #[default]
    Nothing,
    /// A message in several packets.
    Message,
    /// A datagram in several fragments.
    Datagram,
}

impl Engine {
    /// Creates an engine whose trees contain everything.
    #[must_use]
    pub fn complete(registry: Registry) -> Engine {
        Engine::new(registry, Demand::EVERYTHING)
    }

    /// Creates an engine whose trees contain what `demand` requests.
    #[must_use]
    pub fn new(registry: Registry, demand: Demand) -> Engine {
        let demand = match demand.fields {
            Fields::Only(only) => Demand { fields: Fields::Only(layers::classified(only)), ..demand },
            Fields::None | Fields::All => demand,
        };
        let follows = tcp::requests_progress(demand);
        // A segment out of order has a note and therefore a summary, which states the results even without carriers.
        let analysis = if follows || layers::has_analysis_fields(demand) {
            Some(Extent::Everything)
        } else {
            (demand.has(Extras::ANALYSIS) || demand.has(Extras::SUMMARIES)).then_some(Extent::Summary)
        };
        let mut tree = Tree::new(demand);
        tree.run.reveal = registry.shows_secrets();
        tree.run.quote_reader = quote::reader(registry);
        tree.run.loaded_places = registry.loaded_places();
        if let Some(keys) = registry.settings().keys().filter(|_| demand.streams()) {
            keys.put_in_use();
        }
        for text in registry.settings().secrets() {
            tree.run.secrets.learn(text.as_bytes());
        }
        Engine {
            registry,
            demand,
            analysis,
            follows,
            checks: Checks::enabled(registry.settings()),
            prefilter: None,
            tree,
            current: Current::default(),
            transports: Transports::default(),
            bounds: Bounds::default(),
            ending: Ending::default(),
            relations: Relations::default(),
        }
    }

    /// The tree of the last frame, or of the last call of [`Engine::finish`].
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Enables verification of these checksums.
    #[must_use]
    pub fn verifying(mut self, checks: Checks) -> Engine {
        self.checks = checks;
        self
    }

    /// Sets the prefilter that decides on each frame once its headers are dissected. Messages it rejects are counted and
    /// checked, but not kept.
    #[must_use]
    pub fn with_prefilter(self, prefilter: Option<Prefilter>) -> Engine {
        let prefilter = prefilter.map(|prefilter| Prefilter { headers: prefilter.headers.map(layers::classified), ..prefilter });
        Engine { prefilter, ..self }
    }

    /// Counts of dropped state.
    #[must_use]
    pub fn evictions(&self) -> Evictions {
        self.bounds.evictions
    }

    /// Sets the number of messages of the next tree after which exportable objects of their conversation are requested.
    pub fn defer_after(&mut self, messages: Option<u64>) {
        self.tree.run.defer_after = messages;
    }

    /// Creates an empty tree with the same demand.
    #[must_use]
    pub fn new_tree(&self) -> Tree {
        let mut tree = Tree::new(self.demand);
        tree.run.reveal = self.tree.run.reveal;
        tree.run.quote_reader.clone_from(&self.tree.run.quote_reader);
        tree.run.loaded_places.clone_from(&self.tree.run.loaded_places);
        tree
    }

    /// Size of the tree of the last frame in bytes.
    #[must_use]
    pub fn tree_size(&self) -> usize {
        self.tree.size()
    }

    /// Bytes of memory allocated for the tree.
    #[must_use]
    pub fn tree_memory(&self) -> usize {
        self.tree.memory_usage()
    }

    /// Whether the bytes of the last frame are needed.
    #[must_use]
    pub fn is_inspected(&self) -> bool {
        !self.tree.outcome.filtered_out || self.tree.outcome.visible_from != u32::MAX
    }

    /// Appends the tree of the last frame to a pack, without exportable objects, counters and announcements. The next frame
    /// restores the tree.
    pub fn pack_tree(&mut self, pack: &mut Pack) {
        pack.put(&mut self.tree);
    }

    /// Moves the tree of the last frame, with its memory, into one created by [`Engine::new_tree`], or copies it. What persists
    /// between frames is not moved.
    pub fn give_tree(&mut self, to: &mut Tree, memory: bool) {
        if memory {
            std::mem::swap(&mut self.tree, to)
        } else {
            self.tree.copy_to(to)
        }
        std::mem::swap(&mut self.tree.run, &mut to.run);
    }

    /// The frame of the last tree, if the tree has no content to display. Without carriers, this is a frame without messages.
    #[must_use]
    pub fn silent(&self) -> Option<FrameInfo> {
        let tree = &self.tree;
        let has_content = has_message(tree) || !tree.gaps.is_empty();
        let gives = !tree.outcome.objects.is_empty() || !tree.outcome.transfers.is_empty() || tree.outcome.undissected > 0;
        (!self.demand.carriers.have_fields() && !has_content && !gives).then_some(tree.frame)
    }

    /// Dissects a frame. If a dissector panics, the frame becomes data with a note, as does the remaining conversation.
    pub fn dissect(&mut self, frame: &Frame<'_>) -> &Tree {
        if let Err(failure) = bug::guarded(|| self.dissect_frame(frame)) {
            self.frame_failed(frame, &failure);
        }
        &self.tree
    }

    fn dissect_frame(&mut self, frame: &Frame<'_>) {
        if !frame.secrets.is_empty() {
            self.tree.run.secrets.learn(frame.secrets);
        }
        self.begin(frame);
        self.current.waits_for = WaitsFor::Nothing;
        self.current.active = ActiveConversation::None;
        self.number_frame(frame);
        let missing = (frame.original_len as usize).saturating_sub(frame.bytes.len());
        match frame.link {
            Link::Type(number) if self.registry.has_no_header(number) => self.without_header(frame, number),
            Link::Type(_) => {
                let reached = self.headers(frame, missing);
                // Column fields of headers end here.
                if !matches!(reached, Reached::End) {
                    self.transport(frame, Bytes::of_frame(frame.bytes), &reached);
                }
            }
            Link::Stream(side) => self.payload(frame, side),
            Link::Unknown => self.unknown(frame),
        }
        if self.tree.handover.has_quotes() {
            self.number_quotes(frame);
        }
        if self.tree.handover.has_packets() {
            self.hide_quoted(frame);
        }
        self.expect();
        self.find_route();
        if self.is_crowded() {
            self.aside(|engine| engine.evict(frame));
        }
        self.tree.set_demand(self.demand);
        if !self.tree.layers.is_empty() {
            mark_innermost(&mut self.tree, self.current.waits_for != WaitsFor::Nothing);
        }
        if let Some(odd) = frame.odd_fraction {
            note_fraction(&mut self.tree, odd);
        }
        if let Some(scripted) = self.registry.scripted().filter(|scripted| scripted.reads_frames()) {
            self.read_frame(scripted, frame);
        }
        self.tree.spread_secrets();
    }

    /// Emits the pending messages of evicted conversations, which may be displayed even if this frame is filtered out.
    fn aside(&mut self, work: impl FnOnce(&mut Engine)) {
        let (wanted, before, from) = (self.tree.set_demand(self.demand), self.tree.layers.len(), self.tree.here());
        work(self);
        self.tree.set_demand(wanted);
        if self.tree.layers.len() > before {
            self.tree.outcome.visible_from = self.tree.outcome.visible_from.min(from);
        }
    }

    /// Begins the tree of a frame.
    fn begin(&mut self, frame: &Frame<'_>) {
        let captured = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
        self.tree.begin(FrameInfo {
            number: frame.number,
            time: frame.time,
            start: frame.origin.and_then(|origin| origin.start),
            link: match frame.link {
                Link::Type(number) => Some(number),
                Link::Unknown | Link::Stream(_) => None,
            },
            captured,
            original: frame.original_len,
            interface: frame.interface,
            direction: match frame.link {
                Link::Stream(side) => Some(side),
                Link::Type(_) | Link::Unknown => frame.direction,
            },
            is_payload: matches!(frame.link, Link::Stream(_)),
            ..FrameInfo::default()
        });
        if frame.interface_name.is_some() || !frame.comments.is_empty() {
            self.keep_frame_comments(frame);
        }
    }

    /// Stores comments and other metadata that the capture file has for a frame.
    #[inline(never)]
    fn keep_frame_comments(&mut self, frame: &Frame<'_>) {
        if let Some(name) = frame.interface_name {
            self.tree.frame.interface_name = self.tree.make(format_args!("{name}"));
        }
        if !frame.comments.is_empty() {
            let comments: Vec<_> = frame.comments.iter().collect();
            self.tree.frame.comment = self.tree.make(format_args!("{}", comments.join("\n")));
        }
    }

    /// The client random that a configured key log lacks, if the key log decrypts nothing so far.
    #[must_use]
    pub fn lacking_secret(&self) -> Option<&[u8; 32]> {
        self.registry.settings().secrets().next()?;
        self.tree.run.secrets.lacking()
    }
}

/// Marks the innermost layer as the message of a frame without one. Exceptions without notes: TCP segments and incomplete
/// datagrams.
fn mark_innermost(tree: &mut Tree, waits: bool) {
    if tree.outcome.omitted_messages.count > 0 || tree.own_layers().any(|layer| layer.message) {
        return;
    }
    let is_grave = |note: &Note| note.code.is(&GIVEN_UP) || record::level_of(note) >= Level::Odd;
    let is_flagged = tree.own_notes().any(is_grave);
    let Some(innermost) = tree.layers.iter_mut().rev().find(|layer| !layer.late) else { return };
    // The layer of a relay is a segment, too; it has no bytes of its own.
    let is_segment = |node: &Node| node.field.is(&tcp::TCP) || node.span.is_empty();
    let is_segment = tree.nodes.get(innermost.node as usize).is_some_and(is_segment);
    innermost.message = is_flagged || !(is_segment || waits);
}

/// Notes on the innermost layer of a frame that the fraction of its time exceeds a second.
#[cold]
fn note_fraction(tree: &mut Tree, odd: OddFraction) {
    let node = tree.own_layers().next_back().map(|layer| layer.node);
    let Some((node, span)) = node.and_then(|node| Some((node, tree.nodes.get(node as usize)?.span))) else { return };
    let unit = if odd.is_micros { "µs" } else { "ns" };
    let meaning = if odd.as_nanos { "nanoseconds, like nearly all of the file" } else { "added to the seconds" };
    tree.note(&FRACTION, node, span, format_args!("a fraction of {} {unit}, a second or more: {meaning}", odd.value));
}

fn has_message(tree: &Tree) -> bool {
    tree.outcome.omitted_messages.count > 0 || tree.layers.iter().any(|layer| layer.message)
}
