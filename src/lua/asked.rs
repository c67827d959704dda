//! Asks dissectors of scripts for bytes, in the order in which Wireshark asks them.

use super::call::Packet;
use super::emit::Emission;
use super::extract::Found;
use super::pass::Partial;
use super::protocol;
use super::run::{Dissected, Engine, Verdict, Who};
use super::stream::Stream;
use super::world::{Entry, World};
use super::{heuristic, notes, pass, tables};
use crate::tree::{Address, Side, Span, StreamId, Transport};
use crate::wire::{Offer, Protocol, Result, Scripted, ScriptedStream, Stage, Wire};
use std::sync::{Arc, OnceLock};

/// All scripts that may be asked.
pub(super) struct Scripts {
    pub(super) engine: &'static Engine,
    protocols: OnceLock<Vec<&'static Protocol>>,
    heuristics: Vec<heuristic::Heuristic>,
    postdissectors: Vec<usize>,
}

/// What is asked about bytes.
pub(super) struct Question<'a> {
    pub(super) stream: Option<StreamId>,
    /// The ports to look up, in this order.
    pub(super) ports: &'a [u16],
    /// The protocol that the user chose.
    pub(super) chosen: Option<usize>,
    pub(super) packet: Packet,
    pub(super) found: &'a [Found],
    pub(super) bytes: &'a [u8],
    pub(super) base: u32,
}

/// What dissectors say of bytes.
#[derive(Default)]
pub(super) struct Answers {
    /// The items of those that rejected them, if they added any.
    pub(super) rejected: Vec<(usize, Arc<Dissected>)>,
    pub(super) accepted: Option<(usize, Arc<Dissected>)>,
}

impl Scripts {
    pub(super) fn new(engine: &'static Engine, world: &World) -> Scripts {
        let (heuristics, protocols) = (world.heuristics.clone(), OnceLock::new());
        Scripts { engine, protocols, heuristics, postdissectors: world.postdissectors.clone() }
    }

    /// Takes the protocols of all scripts, once they are made.
    pub(super) fn know(&self, protocols: Vec<&'static Protocol>) {
        // Nothing else sets them.
        let _ = self.protocols.set(protocols);
    }

    /// The protocol of a script.
    pub(super) fn protocol(&self, number: usize) -> &'static Protocol {
        self.protocols.get().and_then(|all| all.get(number)).copied().unwrap_or(&notes::PROTOCOL)
    }

    fn number_of(&self, protocol: &Protocol) -> Option<usize> {
        self.protocols.get()?.iter().position(|own| std::ptr::eq(*own, protocol))
    }

    /// The last protocol that was added to a table at this port.
    fn at_port(&self, is_tcp: bool, port: u16) -> Option<usize> {
        let here = |entry: &&Entry| entry.is_tcp == is_tcp && (entry.first..=entry.last).contains(&port);
        // Scripts may add entries later, such as in `init`.
        let found = || self.engine.world(|world| world.entries.iter().rev().find(here).map(|entry| entry.protocol));
        // Many scripts register on port 0, for the choice of the user alone.
        if port == 0 { None } else { found() }
    }

    fn has_heuristic(&self, list: &str) -> bool {
        self.heuristics.iter().any(|known| known.list == list)
    }

    /// Asks until a dissector accepts the bytes.
    pub(super) fn ask(&self, question: &Question<'_>, stage: Stage) -> Answers {
        let mut answers = Answers::default();
        let is_tcp = question.packet.port_type == 2;
        match stage {
            Stage::Ports => {
                let bound = question.stream.and_then(|stream| pass::with(|pass| pass.bound(stream)));
                let by_port = question.ports.iter().filter_map(|port| Some((self.at_port(is_tcp, *port)?, *port)));
                let placed: Vec<(usize, u16)> = match question.chosen {
                    Some(chosen) => vec![(chosen, question.ports.first().copied().unwrap_or_default())],
                    None => by_port.collect(),
                };
                for (protocol, port) in bound.map(|bound| (bound, 0)).into_iter().chain(placed) {
                    if answers.take(self, question, Who::Dissector(protocol), protocol, port) {
                        break;
                    }
                }
            }
            Stage::Content => {
                let list = if is_tcp { "tcp" } else { "udp" };
                for (place, protocol) in self.engine.heuristics(list) {
                    if answers.take(self, question, Who::Heuristic(place), protocol, 0) {
                        move_to_front(list, place);
                        break;
                    }
                }
            }
        }
        answers
    }
}

impl Answers {
    /// Asks one dissector. Returns whether it accepts the bytes.
    fn take(&mut self, scripts: &Scripts, question: &Question<'_>, who: Who, protocol: usize, matched: u16) -> bool {
        let packet = Packet { matched, stream: question.stream, ..question.packet };
        let dissected = scripts.engine.dissect(who, packet, question.found.to_vec(), question.bytes, question.base);
        if dissected.verdict != Verdict::Rejected {
            self.accepted = Some((protocol, dissected));
            return true;
        }
        if dissected.items.len() > 1 || !dissected.errors.is_empty() {
            self.rejected.push((protocol, dissected));
        }
        false
    }
}

impl Scripts {
    /// The protocol that accepts a payload of USB: one for vendor-specific or unknown classes, since the class of the interface is
    /// not known here.
    fn by_table(&self, table: &str, offer: &Offer<'_>, chosen: Option<usize>) -> Option<&'static Protocol> {
        const CLASSES: [i64; 2] = [0xff, 0xffff];
        let own = || self.engine.world(|world| tables::protocol(world, table, &CLASSES));
        let chosen = chosen.or_else(own)?;
        let packet = protocol::packet(offer.of.tree);
        let (stream, found, base) =
            (Some(offer.stream), self.engine.values(offer.of), u32::try_from(offer.at).unwrap_or_default());
        let question = Question { stream, ports: &[], chosen: Some(chosen), packet, found: &found, bytes: offer.bytes, base };
        let answers = self.ask(&question, Stage::Ports);
        let accepted = answers.accepted.as_ref().map(|(number, _)| self.protocol(*number));
        keep(answers, packet.number);
        accepted
    }
}

impl Scripted for Scripts {
    fn accepts(&self, offer: &Offer<'_>, stage: Stage) -> Option<&'static Protocol> {
        let chosen = match offer.chosen {
            Some(protocol) => Some(self.number_of(protocol)?),
            None => None,
        };
        if let Some(table) = offer.table {
            return self.by_table(table, offer, chosen);
        }
        let [one, other] = offer.ports;
        let mut ports = vec![one.min(other), one.max(other)];
        ports.dedup();
        let may_accept = match stage {
            Stage::Ports => {
                chosen.is_some()
                    || pass::with(|pass| pass.has_bound())
                    || ports.iter().any(|port| self.at_port(false, *port).is_some())
            }
            Stage::Content => self.has_heuristic("udp"),
        };
        if !may_accept {
            return None;
        }
        let mut packet = protocol::packet(offer.of.tree);
        [packet.src, packet.dst] = [0, 1].map(|at| offer.ends.and_then(|ends| ends.get(at).copied()).map(Address::Socket));
        packet.port_type = if offer.stream.transport == Transport::Udp { 3 } else { 0 };
        let found = self.engine.values(offer.of);
        let base = u32::try_from(offer.at).unwrap_or_default();
        let stream = Some(offer.stream);
        let question = Question { stream, ports: &ports, chosen, packet, found: &found, bytes: offer.bytes, base };
        let answers = self.ask(&question, stage);
        let accepted = answers.accepted.as_ref().map(|(number, _)| self.protocol(*number));
        keep(answers, packet.number);
        accepted
    }

    fn has(&self, protocol: &Protocol) -> bool {
        self.number_of(protocol).is_some()
    }

    fn rejected(&self) -> Option<&'static Protocol> {
        next_rejected().map(|number| self.protocol(number))
    }

    fn stream(&'static self, ports: [u16; 2], chosen: Option<&'static Protocol>) -> Option<Box<dyn ScriptedStream>> {
        let chosen = match chosen {
            Some(protocol) => Some(self.number_of(protocol)?),
            None => None,
        };
        let is_asked = chosen.is_some()
            || self.has_heuristic("tcp")
            || pass::with(|pass| pass.has_bound())
            || ports.iter().any(|port| self.at_port(true, *port).is_some());
        is_asked.then(|| Box::new(Stream::new(self, ports, chosen)) as Box<dyn ScriptedStream>)
    }

    fn reads_frames(&self) -> bool {
        !self.postdissectors.is_empty() || pass::with(|pass| !pass.partial.is_empty())
    }

    fn frame(&self, wire: &mut Wire<'_>) -> Result {
        let (whole, _) = wire.whole();
        for Partial { protocol, dissected, bytes } in pass::with(|pass| std::mem::take(&mut pass.partial)) {
            let from = Span::new(wire.source(), 0..whole.len());
            let apart = Some((wire.derive("lua", Some(from), &bytes), bytes.as_slice()));
            let this = self.protocol(protocol).this;
            let emission = Emission { inside: true, apart, ..Emission::whole(&dissected, this, bytes.len(), 0) };
            emission.write(wire)?;
        }
        for number in &self.postdissectors {
            let (mut packet, found) = (protocol::packet(wire.dissection().tree), self.engine.values(wire.dissection()));
            if let Some(ends) = wire.layer_ends() {
                (packet.src, packet.dst) = (ends.src, ends.dst);
                packet.stream = ends.stream.map(|(stream, _)| stream);
                packet.port_type = match packet.stream.map(|stream| stream.transport) {
                    Some(Transport::Tcp) => 2,
                    Some(Transport::Udp) => 3,
                    _ => 0,
                };
            }
            let dissected = self.engine.dissect(Who::Dissector(*number), packet, found, whole, 0);
            let this = self.protocol(*number).this;
            let emission = Emission { inside: true, ..Emission::whole(&dissected, this, whole.len(), 0) };
            emission.write(wire)?;
        }
        Ok(())
    }
}

/// Asks a heuristic first from now on.
fn move_to_front(list: &'static str, place: usize) {
    pass::with(|pass| {
        let order = pass.heuristics.entry(list).or_default();
        order.retain(|known| *known != place);
        order.insert(0, place);
    });
}

/// Keeps the results for a datagram until its protocols read it.
fn keep(answers: Answers, frame: u64) {
    let Answers { rejected, accepted } = answers;
    pass::with(|pass| {
        if std::mem::replace(&mut pass.answered, frame) != frame {
            pass.answers.clear();
        }
        pass.answers.extend(rejected.into_iter().chain(accepted));
    });
}

/// The protocol of the next kept result, if it is a rejection.
fn next_rejected() -> Option<usize> {
    pass::with(|pass| {
        let (protocol, dissected) = pass.answers.front()?;
        (dissected.verdict == Verdict::Rejected).then_some(*protocol)
    })
}

/// The kept result of a protocol in this frame.
pub(super) fn answer(protocol: usize, frame: u64) -> Option<Arc<Dissected>> {
    pass::with(|pass| {
        let is_it = pass.answered == frame && pass.answers.front().is_some_and(|(known, _)| *known == protocol);
        is_it.then(|| pass.answers.pop_front()).flatten().map(|(_, dissected)| dissected)
    })
}

/// The order of ports in which Wireshark asks for a segment: that of the server, the lower, the higher.
pub(super) fn tcp_ports([client, server]: [u16; 2]) -> [u16; 3] {
    [server, client.min(server), client.max(server)]
}

/// The endpoints of a packet of a stream.
pub(super) fn directed<T: Copy>(ends: Option<[T; 2]>, from: Side) -> [Option<T>; 2] {
    match (ends, from) {
        (Some([client, server]), Side::Client) => [Some(client), Some(server)],
        (Some([client, server]), Side::Server) => [Some(server), Some(client)],
        (None, _) => [None, None],
    }
}
