//! Protocols of scripts as protocols of the registry.

use super::asked::{Scripts, answer};
use super::call::Packet;
use super::emit::Emission;
use super::notes;
use super::run::{Dissected, Engine, Verdict, Who};
use super::stream::Stream;
use super::world::World;
use crate::tree::{Address, Ends, Field, Tree};
use crate::wire::{
    Conversation, Described, Dissector, Exchange, Found, Heuristic, On, Opening, Protocol, Result, Setting, Settings, ValueKind,
    Verdict as Recognition, Wire, data,
};
use std::sync::Arc;

/// A protocol of a script.
pub(super) struct Script {
    engine: &'static Engine,
    protocol: usize,
    pub(super) this: &'static Field,
    scripts: &'static Scripts,
    tcp: Vec<(u16, u16)>,
    udp: Vec<(u16, u16)>,
}

/// What scripts may read of the frame of a tree.
pub(super) fn packet(tree: &Tree) -> Packet {
    let frame = &tree.frame;
    let is_link = |ends: &&Ends| matches!(ends.src, Some(Address::Mac(_)));
    let links = tree.ends.iter().find(is_link).map_or([None; 2], |ends| [ends.src, ends.dst]);
    Packet { number: frame.number, time: frame.time, len: frame.original, captured: frame.captured, links, ..Packet::default() }
}

/// Ends a message: bytes that a script accepted need no field.
pub(super) fn finish(wire: &mut Wire<'_>, verdict: Verdict) -> Result {
    if verdict == Verdict::Rejected {
        wire.note_layer(&notes::REJECTED, format_args!("the script returned 0, and no other dissector accepts the bytes"));
        wire.rest(&data::BYTES);
    }
    wire.skip(wire.remaining())
}

impl Script {
    /// Calls the dissector on a datagram.
    fn dissect(&self, wire: &Wire<'_>) -> Arc<Dissected> {
        let mut packet = packet(wire.dissection().tree);
        let ends = wire.ends().map(|ends| ends.map(Address::Socket));
        (packet.src, packet.dst) = ends.map(|[src, dst]| (src, dst)).unzip();
        packet.port_type = 3;
        let base = u32::try_from(wire.at()).unwrap_or_default();
        let found = self.engine.values(wire.dissection());
        self.engine.dissect(Who::Dissector(self.protocol), packet, found, wire.ahead(), base)
    }
}

impl Described for Script {
    fn message(&self, wire: &mut Wire<'_>) -> Result {
        let (len, base) = (wire.remaining(), wire.at());
        let known = answer(self.protocol, wire.dissection().tree.frame.number);
        if let Some(dissected) = known.as_ref().filter(|known| known.verdict == Verdict::Rejected) {
            Emission::whole(dissected, self.this, len, base).write(wire)?;
            return wire.skip(len);
        }
        let dissected = known.unwrap_or_else(|| self.dissect(wire));
        Emission::whole(&dissected, self.this, len, base).write(wire)?;
        finish(wire, dissected.verdict)
    }

    fn exchange(&'static self, _: &Settings) -> Option<Box<dyn Exchange>> {
        None
    }

    fn conversation(&'static self, _: &Settings, _: [bool; 2]) -> Box<dyn Conversation> {
        Box::new(Stream::new(self.scripts, [0, 0], Some(self.protocol)))
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
pub(super) fn all(engine: &'static Engine, world: &World) -> (&'static Scripts, Vec<&'static Protocol>) {
    let scripts: &'static Scripts = Box::leak(Box::new(Scripts::new(engine, world)));
    let mut protocols: Vec<&'static Protocol> = Vec::new();
    for (number, own) in world.protocols.iter().enumerate() {
        let [tcp, udp] = [true, false].map(|is_tcp| ports(world, number, is_tcp));
        let script: &'static Script = Box::leak(Box::new(Script { engine, protocol: number, this: own.this, scripts, tcp, udp }));
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
    scripts.know(protocols.clone());
    protocols.push(&notes::PROTOCOL);
    (scripts, protocols)
}

/// Where a protocol is found: on its ports, if it does not reject their bytes, and wherever the user chooses it.
fn found(script: &'static Script) -> Vec<Found> {
    let (datagrams, streams) = (Dissector::Described(script), Dissector::DescribedStream(script));
    let place = |on, heuristic, dissector| Found { on, heuristic, dissector, later: None, by_port: false };
    // The engine asks for them before other protocols.
    let asked = Heuristic::Described(script);
    let tcp = script
        .tcp
        .iter()
        .map(|&(first, last)| place(if first == last { On::Tcp(first) } else { On::TcpRun(first, last) }, asked, streams));
    let udp = script
        .udp
        .iter()
        .map(|&(first, last)| place(if first == last { On::Udp(first) } else { On::UdpRun(first, last) }, asked, datagrams));
    let chosen = [datagrams, streams].map(|dissector| place(On::Chosen, Heuristic::Anything, dissector));
    tcp.chain(udp).chain(chosen).collect()
}
