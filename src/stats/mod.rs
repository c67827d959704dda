//! Statistics of a capture: protocols, conversations, endpoints, throughput, health and coverage.
//!
//! Layers and fields are counted by name, without code for single protocols. Memory grows with the number of conversations, up to
//! half a million, and not with frames.

mod addresses;
mod conversations;
mod coverage;
mod credentials;
mod endpoint;
mod endpoint_cache;
mod expert;
mod flows;
mod gate;
mod health;
mod hierarchy;
mod index;
mod intervals;
mod json;
mod lengths;
mod parts;
mod plot;
mod recent_flows;
mod requested;
mod rows;
mod tables;
mod traffic;
mod transfers;

pub use crate::record::expert::Severity;
pub use crate::wire::statistics::{Families, Seen, Statistic, Takes};
use conversations::ConversationTables;
pub use conversations::{Conversations, Endpoints};
pub use coverage::{Coverage, Covered, Deciphered, ProtocolCoverage, Unknown, covered, deciphered};
pub use endpoint::{Conversation, End, Shares};
pub use expert::{Expert, ExpertCount};
pub use gate::FrameFilter;
pub use health::{Health, NoteCount};
pub use hierarchy::{Hierarchy, HierarchyNode, commonest};
pub use intervals::{Column, Function, Intervals, Passes, Values};
pub use json::print_json;
pub use parts::{ConversationLayer, Part};
pub use plot::plot;
pub use tables::{TableLook, print_tables};
pub use traffic::{Count, Traffic};
pub use transfers::{TransferStats, Transfers};

use requested::Requested;

use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::sink::Begin;
use crate::tree::{Carriers, Demand, Dissection, Extras, Fields, Only};
use std::convert::Infallible;
use std::net::IpAddr;

/// Properties of an input.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// File name as typed.
    pub file: String,
    /// Name of the format.
    pub format: String,
    /// Names of its link types.
    pub links: Vec<String>,
    /// Other content than frames, with counts: decryption secrets, name resolution.
    pub extras: Vec<(String, u64)>,
    /// Damage, if any.
    pub damage: Option<String>,
}

/// Arguments of the requested parts.
#[derive(Default)]
pub struct Details {
    /// Intervals, referred to by index.
    pub intervals: Vec<Intervals>,
    /// Minimum severity of expert information.
    pub severity: Option<Severity>,
    /// Address families of `hosts`.
    pub families: Option<Families>,
    pub gates: Vec<(Part, FrameFilter)>,
    /// Filter of all parts, with its text.
    pub filter: Option<(String, FrameFilter)>,
}

/// Statistics of an input.
pub struct Stats {
    /// Requested parts.
    pub parts: Vec<Part>,
    pub input: Input,
    /// Total traffic.
    pub traffic: Traffic,
    /// Numbers of messages, gaps and malformed messages.
    pub tally: Tally,
    /// Protocol hierarchy.
    pub hierarchy: Hierarchy,
    /// Requested kinds of conversations.
    conversations: ConversationTables,
    /// Completed transfers.
    pub transfers: Transfers,
    pub health: Health,
    pub coverage: Coverage,
    /// Parts that are not shown by default, in the order of `parts`.
    requested: Vec<(Part, Requested)>,
    /// Filters of parts.
    gates: Vec<(Part, FrameFilter)>,
    /// Filter of all parts.
    gate: Option<FrameFilter>,
    /// Text of that filter, and the total number of frames.
    pub filter: Option<(String, u64)>,
    /// Whether TCP analysis flags are counted.
    counts_analysis: bool,
    /// Whether nodes and message names are required.
    looks: [bool; 2],
}

impl Stats {
    /// Creates empty statistics.
    pub fn new(registry: Registry, parts: Vec<Part>) -> Stats {
        Stats::detailed(registry, parts, Details::default())
    }

    /// Creates empty statistics for parts with arguments.
    pub fn detailed(registry: Registry, parts: Vec<Part>, mut details: Details) -> Stats {
        let requested = Requested::all(&parts, &mut details, registry);
        let Details { gates, filter, .. } = details;
        let (filter, gate) = filter.map(|(text, gate)| ((text, 0), gate)).unzip();
        let has = |part: Part| parts.contains(&part);
        let is_wanted = |layer: &ConversationLayer| has(Part::Conversations(*layer)) || has(Part::Endpoints(*layer));
        let coverage = has(Part::Coverage);
        let counts_analysis = has(Part::Health);
        let looks = [coverage, coverage || has(Part::Hierarchy) || has(Part::Phs)];
        let conversations = ConversationLayer::ALL.into_iter().filter(is_wanted).map(Conversations::new).collect();
        Stats {
            requested,
            gates,
            gate,
            filter,
            parts,
            input: Input::default(),
            traffic: Traffic::default(),
            tally: Tally::new(View::Messages),
            hierarchy: Hierarchy::default(),
            conversations: ConversationTables::new(conversations),
            transfers: Transfers::default(),
            health: Health::default(),
            counts_analysis,
            coverage: Coverage::new(registry),
            looks,
        }
    }

    /// The parts of a frame that the requested statistics need.
    pub fn demand(&self) -> Demand {
        let [values, names] = self.looks;
        let [transfers, health] = [Part::Transfers, Part::Health].map(|part| self.parts.contains(&part));
        // Bodies are dissected, with notes, only if fields are demanded, even if none is kept.
        let fields = match (values, health) {
            (true, _) => Fields::Only(self.coverage.fields_read()),
            (false, true) => Fields::Only(Only::these([])),
            (false, false) => Fields::None,
        };
        let of_health = Extras::NOTES.and(Extras::ANALYSIS).when(health);
        let extras = Extras::NAMES.when(names).and(Extras::TRANSFERS.when(transfers)).and(of_health);
        let parts = Demand { carriers: Carriers::Skip, fields, extras, ..Demand::LAYERS };
        let gates = self.gates.iter().map(|(_, gate)| gate).chain(&self.gate).map(|gate| gate.demand);
        self.requested.iter().map(|(_, requested)| requested.demand()).chain(gates).fold(parts, Demand::and)
    }

    /// Starts an input.
    pub fn begin(&mut self, begin: &Begin<'_>) {
        let links = begin.links.iter().map(|link| String::from(*link)).collect();
        self.input = Input { file: begin.file.into(), format: begin.format.into(), links, extras: Vec::new(), damage: None };
    }

    /// Counts a frame in the tables of conversations, each of which may have a filter.
    fn conversations(&mut self, of: Dissection<'_>, since_start: Option<i64>) {
        if self.conversations.all.is_empty() {
            return;
        }
        let gates = &mut self.gates;
        let counts = if gates.is_empty() {
            [true; ConversationLayer::ALL.len()]
        } else {
            ConversationLayer::ALL.map(|layer| passes(gates, Part::Conversations(layer), of, true))
        };
        self.conversations.frame(of, since_start, counts);
    }

    /// Counts a frame or, with `captured` false, pending data of a conversation at the end. Some counts are deferred to
    /// [`Stats::end`].
    pub fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        if let Some((_, all)) = &mut self.filter {
            *all += u64::from(captured);
        }
        if self.gate.as_mut().is_some_and(|gate| !gate.matches(of, captured)) {
            return self.traffic.pass(&of.tree.frame);
        }
        let mut since_start = None;
        if captured {
            since_start = self.traffic.frame(&of.tree.frame);
            self.conversations(of, since_start);
        }
        for (_, requested) in &mut self.requested {
            requested.tree(of, Seen { captured, since_start });
        }
        let [fields, names] = self.looks;
        let counts_hierarchy = names && (self.gates.is_empty() || passes(&mut self.gates, Part::Hierarchy, of, captured));
        if counts_hierarchy {
            self.hierarchy.tree(of, captured);
        }
        if self.counts_analysis && !of.tree.outcome.analysis.is_empty() {
            self.health.flags(of.tree.outcome.analysis, of.tree.frame.number);
        }
        // Most frames have nothing else to count.
        if of.tree.is_empty() && of.tree.notes.is_empty() && of.tree.outcome.transfers.is_empty() {
            return self.tally.count(of.tree, captured);
        }
        self.transfers.tree(of);
        self.health.tree(of);
        if fields {
            self.coverage.tree(of);
        }
        let (hierarchy, coverage) = (&mut self.hierarchy, &mut self.coverage);
        let _: Result<(), Infallible> = self.tally.records(of, captured, |record| {
            if let Record::Message(message) = record
                && names
            {
                if counts_hierarchy {
                    hierarchy.message(&message);
                }
                if fields {
                    coverage.message(&message);
                }
            }
            Ok(())
        });
    }

    /// Ends the input, and completes all counts.
    pub fn end(&mut self) {
        self.conversations.end();
        self.hierarchy.end();
    }

    /// Adds names of name resolution blocks.
    pub fn names(&mut self, names: &[(IpAddr, String)]) {
        self.requested.iter_mut().for_each(|(_, requested)| requested.names(names));
    }

    /// A part that is not shown by default.
    fn requested(&self, part: Part) -> Option<&Requested> {
        self.requested.iter().find(|(of, _)| *of == part).map(|(_, requested)| requested)
    }

    /// Text of the filter of a part.
    fn filter_of(&self, part: Part) -> &str {
        self.gates.iter().find(|(of, _)| *of == part).map_or("", |(_, gate)| &gate.text)
    }

    /// Conversations of a kind.
    pub fn conversations_of(&self, layer: ConversationLayer) -> Option<&Conversations> {
        self.kinds().find(|conversations| conversations.layer == layer)
    }

    /// Conversations of each requested kind.
    pub fn kinds(&self) -> impl Iterator<Item = &Conversations> {
        self.conversations.all.iter()
    }
}

/// Whether a frame counts in a part.
fn passes(gates: &mut [(Part, FrameFilter)], part: Part, of: Dissection<'_>, captured: bool) -> bool {
    gates.iter_mut().all(|(of_part, gate)| *of_part != part || gate.matches(of, captured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::input::{Frame, Link};
    use crate::wire::trial;
    use etherparse::PacketBuilder;
    use proptest::prelude::*;
    use serde_json::Value;

    /// A frame of one of a few connections, in either direction, which may open or close it.
    type Sent = (u8, bool, u8, u8, u8, u8);

    /// Some frames, including frames from a host to itself.
    fn some_frames() -> impl Strategy<Value = Vec<Sent>> {
        let mac = prop_oneof![0_u8..3, Just(SERVER)];
        prop::collection::vec((0_u8..8, any::<bool>(), mac, 0_u8..3, 0_u8..9, 0_u8..12), 1..60)
    }

    /// The last part of the server's addresses.
    const SERVER: u8 = 9;

    fn frame(&(port, answers, mac, tags, len, kind): &Sent, seq: u32) -> Vec<u8> {
        let (client, server) = ([2, 0, 0, 0, 0, mac], [2, 0, 0, 0, 0, SERVER]);
        let (src, dst) = if answers { (server, client) } else { (client, server) };
        let link = || PacketBuilder::ethernet2(src, dst);
        let net = match tags {
            0 => link().ipv4([10, 0, 0, src[5]], [10, 0, 0, dst[5]], 64),
            1 => link().single_vlan(7.try_into().unwrap()).ipv4([10, 0, 0, src[5]], [10, 0, 0, dst[5]], 64),
            _ => link().double_vlan(7.try_into().unwrap(), 8.try_into().unwrap()).ipv6([src[5]; 16], [dst[5]; 16], 64),
        };
        // One of them may be from an endpoint to itself.
        let port = if port == 0 { 80 } else { 1000 + u16::from(port) };
        let ports = if answers { (80, port) } else { (port, 80) };
        let mut bytes = Vec::new();
        let plain = net.tcp(ports.0, ports.1, seq, 500).ack(1);
        // MSS and window scale, an unknown kind, and an invalid length.
        let segment = match kind {
            0 => plain.syn().options_raw(&[2, 4, 5, 180, 3, 3, 7, 0]).unwrap(),
            1 => plain.syn().options_raw(&[253, 4, 1, 2]).unwrap(),
            2 => plain.fin().options_raw(&[2, 40, 0, 0]).unwrap(),
            3 => plain.fin(),
            4 => plain.rst(),
            _ => plain,
        };
        segment.write(&mut bytes, &vec![0xee; len.into()]).unwrap();
        bytes
    }

    /// JSON of these parts of the statistics, with or without carrier headers in the tree.
    fn counted(sent_frames: &[Sent], parts: Vec<Part>, carriers: Carriers) -> Value {
        let registry = Registry::default();
        let mut stats = Stats::new(registry, parts);
        let mut engine = Engine::new(registry, Demand { carriers, ..stats.demand() });
        let mut sent = [0; 16];
        for (number, one) in (1..).zip(sent_frames) {
            let direction = &mut sent[usize::from(one.0) * 2 + usize::from(one.1)];
            let bytes = frame(one, 100 + *direction);
            *direction += u32::from(one.4);
            let original_len = u32::try_from(bytes.len()).unwrap();
            let frame = Frame { number, link: Link::Type(1), bytes: &bytes, original_len, ..Frame::default() };
            let tree = engine.dissect(&frame);
            assert!(carriers == Carriers::Skip || tree.outcome.omitted_headers.is_none());
            stats.tree(Dissection { tree, bytes: &bytes }, true);
        }
        stats.end();
        let mut json = Vec::new();
        print_json(&stats, &mut json).unwrap();
        serde_json::from_slice(&json).unwrap()
    }

    /// Whether the members of an object are the same in a larger one.
    fn is_part(few: &Value, all: &Value) -> bool {
        match few.as_object() {
            Some(few) => few.iter().all(|(name, value)| all.get(name).is_some_and(|all| is_part(value, all))),
            None => few == all,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(trial::share_of(256)))]
        #[test]
        fn omitted_headers_count_the_same(frames in some_frames()) {
            prop_assert_eq!(counted(&frames, Part::all(), Carriers::Skip), counted(&frames, Part::all(), Carriers::Layers));
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(trial::share_of(48)))]
        #[test]
        fn a_part_counts_the_same_alone(frames in some_frames()) {
            let all = counted(&frames, Part::all(), Carriers::Skip);
            for part in Part::all() {
                let alone = counted(&frames, vec![part], Carriers::Skip);
                prop_assert!(is_part(&alone, &all), "{}: {}", part, alone);
            }
        }
    }
}
