//! Protocols of scripts as protocols of the registry.

use super::call::Packet;
use super::emit::Emission;
use super::notes;
use super::run::{Engine, Verdict};
use super::stream::Stream;
use super::world::World;
use crate::tree::{Field, Tree};
use crate::wire::{
    Conversation, Described, Dissector, Exchange, Found, Heuristic, On, Opening, Protocol, Result, Setting, Settings, ValueKind,
    Verdict as Recognition, Wire, data,
};
use std::cell::RefCell;
use std::net::SocketAddr;

/// A protocol of a script.
pub(super) struct Script {
    pub(super) engine: &'static Engine,
    pub(super) protocol: usize,
    pub(super) this: &'static Field,
    tcp: Vec<(u16, u16)>,
    udp: Vec<(u16, u16)>,
}

impl Script {
    /// The port of its table that a packet matches.
    pub(super) fn matched(&self, is_tcp: bool, ends: [Option<SocketAddr>; 2]) -> u16 {
        let ranges = if is_tcp { &self.tcp } else { &self.udp };
        let ports = ends.map(|end| end.map_or(0, |end| end.port()));
        let is_here = |port: &u16| ranges.iter().any(|(first, last)| (*first..=*last).contains(port));
        ports.iter().rev().copied().find(is_here).unwrap_or_default()
    }
}

/// What scripts may read of the frame of a tree.
pub(super) fn packet(tree: &Tree) -> Packet {
    let frame = &tree.frame;
    Packet { number: frame.number, time: frame.time, len: frame.original, captured: frame.captured, ..Packet::default() }
}

/// Ends a message: bytes that a script accepted need no field.
pub(super) fn finish(wire: &mut Wire<'_>, verdict: Verdict) -> Result {
    if verdict == Verdict::Rejected {
        wire.note_layer(&notes::REJECTED, format_args!("the script returned 0"));
        wire.rest(&data::BYTES);
    }
    wire.skip(wire.remaining())
}

impl Described for Script {
    fn message(&self, wire: &mut Wire<'_>) -> Result {
        let ends = wire.ends();
        let mut packet = packet(wire.dissection().tree);
        let address = |end: SocketAddr| crate::tree::Address::Socket(end);
        (packet.src, packet.dst) = match ends {
            Some([src, dst]) => (Some(address(src)), Some(address(dst))),
            None => (None, None),
        };
        packet.port_type = 3;
        packet.matched = self.matched(false, [ends.map(|[src, _]| src), ends.map(|[_, dst]| dst)]);
        let bytes = wire.ahead();
        let base = u32::try_from(wire.at()).unwrap_or_default();
        let found = self.engine.values(wire.dissection());
        let dissected = self.engine.dissect(self.protocol, packet, found, bytes, base);
        let emission = Emission {
            this: self.this,
            bytes: 0..bytes.len(),
            items: 0..dissected.tops().len(),
            base: wire.at(),
            is_last: true,
            sources: RefCell::default(),
            dissected: &dissected,
        };
        emission.write(wire)?;
        finish(wire, dissected.verdict)
    }

    fn exchange(&'static self, _: &Settings) -> Option<Box<dyn Exchange>> {
        None
    }

    fn conversation(&'static self, _: &Settings, _: [bool; 2]) -> Box<dyn Conversation> {
        Box::new(Stream::new(self))
    }

    fn relates(&self) -> bool {
        false
    }

    fn recognizes(&self, _: &[u8]) -> bool {
        false
    }

    fn recognizes_stream(&self, _: &Opening<'_>) -> Recognition {
        Recognition::No
    }

    fn without_streams(&self) -> Option<&str> {
        None
    }
}

/// The ports of a table at which a protocol is the last one that was added.
fn ports(world: &World, protocol: usize, is_tcp: bool) -> Vec<(u16, u16)> {
    let entries: Vec<_> = world.entries.iter().filter(|entry| entry.is_tcp == is_tcp).collect();
    let mut own: Vec<(u16, u16)> = Vec::new();
    for entry in &entries {
        own = own.iter().flat_map(|range| without(*range, (entry.first, entry.last))).collect();
        if entry.protocol == protocol {
            own.push((entry.first, entry.last));
        }
    }
    own
}

/// The parts of a range outside another one.
fn without((first, last): (u16, u16), (start, end): (u16, u16)) -> Vec<(u16, u16)> {
    if end < first || start > last {
        return vec![(first, last)];
    }
    let before = start.checked_sub(1).filter(|end| *end >= first).map(|end| (first, end));
    let behind = end.checked_add(1).filter(|start| *start <= last).map(|start| (start, last));
    before.into_iter().chain(behind).collect()
}

/// The protocols of all scripts. They are leaked, as those of other files.
pub(super) fn all(engine: &'static Engine, world: &World) -> Vec<&'static Protocol> {
    let mut protocols: Vec<&'static Protocol> = Vec::new();
    for (number, own) in world.protocols.iter().enumerate() {
        let [tcp, udp] = [true, false].map(|is_tcp| ports(world, number, is_tcp));
        let script = Script { engine, protocol: number, this: own.this, tcp, udp };
        let script: &'static Script = Box::leak(Box::new(script));
        let fields = world.fields.iter().filter(|field| field.owner() == Some(number)).map(|field| field.field);
        let all: Vec<&'static Field> = std::iter::once(own.this).chain(fields).chain(own.experts.iter().copied()).collect();
        let protocol = Protocol::new(own.this, Vec::leak(all)).found(Vec::leak(found(script)));
        let setting = |(name, preference): &(String, super::preference::Preference)| Setting {
            name: super::field::leak(&format!("{}.{name}", own.filter)),
            about: super::field::leak(if preference.about.is_empty() { &preference.label } else { &preference.about }),
            takes: ValueKind::Value,
        };
        let settings = Vec::leak(own.preferences.iter().map(setting).collect());
        protocols.push(Box::leak(Box::new(Protocol { settings, ..protocol })));
    }
    protocols.push(&notes::PROTOCOL);
    protocols
}

/// Where a protocol is found: on its ports, and wherever the user chooses it.
fn found(script: &'static Script) -> Vec<Found> {
    let (datagrams, streams) = (Dissector::Described(script), Dissector::DescribedStream(script));
    let place = |on, dissector| Found { on, heuristic: Heuristic::Anything, dissector, later: None, by_port: false };
    let tcp = script
        .tcp
        .iter()
        .map(|&(first, last)| place(if first == last { On::Tcp(first) } else { On::TcpRun(first, last) }, streams));
    let udp = script
        .udp
        .iter()
        .map(|&(first, last)| place(if first == last { On::Udp(first) } else { On::UdpRun(first, last) }, datagrams));
    tcp.chain(udp).chain([place(On::Chosen, datagrams), place(On::Chosen, streams)]).collect()
}
