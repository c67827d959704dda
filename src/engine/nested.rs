//! Messages inside messages: their protocols and state.

use super::bug;
use crate::layers::{self, Bytes, sctp};
use crate::limits;
use crate::registry::{Candidate, FlowContext, Registry};
use crate::tree::{
    Ends, ExportedObject, Gap, InnerPacket, LayerId, Lost, Payload, Receiver, SharedNumbers, Side, Span, StreamId, Tree,
};
use crate::wire::notes::UNUSUAL;
use crate::wire::{Conversation, Cut, Dissector, Exchange, On, Protocol, Rest, Result, Unfinished, Wire, data};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Protocol state of one conversation, one entry per protocol.
#[derive(Default)]
pub(super) struct States {
    own: Vec<(&'static Protocol, Box<dyn Exchange>)>,
    /// Facts shared between these protocols.
    numbers: SharedNumbers,
    /// Details from the conversation that announced this one.
    details: Option<Arc<[u8]>>,
    /// Protocols whose dissectors panicked in this conversation. They dissect no more of it.
    failed: Vec<&'static Protocol>,
    /// Whether an unknown dissector panicked.
    broken: bool,
    /// Bytes of memory at the last count.
    counted: usize,
}

/// A datagram or message of one side of a conversation.
pub(super) struct NestedContext<'a> {
    pub registry: Registry,
    /// The conversation, if known.
    pub context: Option<FlowContext>,
    pub side: Side,
    pub states: &'a mut States,
    /// The stream whose messages they are, with its protocol.
    pub owner: Option<(&'static Protocol, &'a mut (dyn Conversation + 'static))>,
}

/// A message and its position.
pub(super) struct NestedMessage<'a> {
    pub bytes: Bytes<'a>,
    pub range: Range<usize>,
    pub cut: Cut,
    pub below: Option<LayerId>,
    /// Sender and receiver, as an index in the tree.
    pub ends: u32,
}

impl States {
    /// State of a conversation that another one announced.
    pub(super) fn announced(details: Option<Arc<[u8]>>) -> States {
        States { details, ..States::default() }
    }

    /// State of a conversation that is not dissected after a panic outside a dissector.
    pub(super) fn broken() -> States {
        States { broken: true, ..States::default() }
    }

    /// Whether the conversation is no longer dissected.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether the dissector of this protocol panicked on an earlier message.
    pub(super) fn has_failed(&self, protocol: &Protocol) -> bool {
        self.broken || self.failed.iter().any(|failed| std::ptr::eq(*failed, protocol))
    }

    /// Exportable objects of these protocols.
    pub(super) fn objects(&self, stream: StreamId) -> impl Iterator<Item = ExportedObject> + '_ {
        self.own.iter().flat_map(move |(protocol, state)| {
            let saved = move |object| ExportedObject { object, protocol: protocol.this, stream: Some(stream), message: None };
            state.objects().into_iter().map(saved)
        })
    }

    /// Counts the memory they hold.
    pub(super) fn count(&mut self) {
        self.counted = self.own.iter().map(|(_, state)| state.memory_usage()).sum();
    }

    /// Bytes of memory at the last count.
    pub(super) fn counted(&self) -> usize {
        self.counted
    }

    /// The state of a protocol, created at the first use.
    fn of(&mut self, candidate: Candidate, registry: Registry) -> Option<&mut dyn Exchange> {
        if !candidate.found.dissector.is_datagram() {
            return None;
        }
        let known = self.own.iter().position(|(protocol, _)| std::ptr::eq(*protocol, candidate.protocol));
        let place = match known {
            Some(place) => place,
            None => {
                let mut state = candidate.found.dissector.exchange(registry.settings())?;
                if let Some(details) = &self.details {
                    state.announced(details);
                }
                self.own.push((candidate.protocol, state));
                self.own.len() - 1
            }
        };
        self.own.get_mut(place).map(|(_, state)| &mut **state as &mut dyn Exchange)
    }

    /// Whether a protocol has something left for the end.
    pub(super) fn is_waiting(&self) -> bool {
        self.own.iter().any(|(_, state)| state.is_waiting())
    }

    /// What is left at the end.
    pub(super) fn unfinished(&mut self) -> Vec<Waiting> {
        let of = |(protocol, state): &mut (&'static Protocol, Box<dyn Exchange>)| {
            let protocol = *protocol;
            state.unfinished().into_iter().map(move |left| Waiting { protocol, left })
        };
        self.own.iter_mut().flat_map(of).collect()
    }

    /// The protocol that claims a payload because of earlier datagrams: one handed over under this name, or a whole
    /// datagram.
    pub(super) fn claim(&self, place: Option<&'static str>, side: Side, bytes: &[u8]) -> Option<Candidate> {
        let here = |candidate: &Candidate| match candidate.found.on {
            On::Over(name) => place == Some(name),
            _ => place.is_none(),
        };
        self.own.iter().find_map(|(protocol, state)| {
            let reads = |candidate: &Candidate| {
                matches!(candidate.found.dissector, Dissector::Exchange(_) | Dissector::Described(_)) && here(candidate)
            };
            Candidate::all(protocol).find(reads).filter(|_| state.claims(side, bytes))
        })
    }
}

/// What is left of a datagram conversation at the end.
pub(super) struct Remaining {
    pub waiting: VecDeque<(Ends, Waiting)>,
    pub context: Option<FlowContext>,
    pub states: States,
}

/// What is left of a datagram protocol at the end.
pub(super) struct Waiting {
    protocol: &'static Protocol,
    pub left: Unfinished,
}

impl Waiting {
    /// Emits it as a message: received parts, or a message that waited for others.
    pub(super) fn emit(&self, tree: &mut Tree, ends: Ends, mut nested: NestedContext<'_>) {
        let Unfinished { bytes, rest, from, lost, .. } = &self.left;
        if let Some((stream, side)) = ends.stream {
            lost.iter().for_each(|lost| gap(tree, stream, side, *lost));
        }
        let (code, words) = match rest {
            Rest::Incomplete { code, words } => (code, words),
            Rest::Message { receiver, detail } => {
                nested.side = *from;
                let (source, ends) = (self.source(tree), tree.push_ends(ends));
                let bytes = Bytes { source, all: bytes };
                tree.handover.detail = *detail;
                let carried = NestedMessage { bytes, range: 0..bytes.all.len(), cut: Cut::No, below: None, ends };
                return match receiver {
                    Receiver::Own => nested.own(tree, self.protocol, &carried),
                    Receiver::Place(_) | Receiver::Protocol(_) => match nested.receiver(*receiver, bytes.all) {
                        Some(candidate) => nested.message(tree, candidate, &carried),
                        None => drop(layers::unexplained(tree, bytes, carried.range, None)),
                    },
                };
            }
        };
        let (source, ends) = (self.source(tree), tree.push_ends(ends));
        let layer = tree.push_layer(self.protocol.this, Span::new(source, 0..bytes.len()), None, ends, true);
        let mut wire = Wire::new(tree, layer, source, bytes, 0..bytes.len(), Cut::No);
        wire.name("unfinished");
        wire.note_layer(code, format_args!("{words}"));
        wire.rest(self.protocol.rest.unwrap_or(&data::BYTES));
        layers::finish(tree, layer, bytes.len());
        tree.outcome.undissected += bytes.len() as u64;
    }

    /// Its bytes as a source.
    fn source(&self, tree: &mut Tree) -> u32 {
        let first = tree.pieces.len();
        tree.pieces.extend_from_slice(&self.left.pieces);
        tree.push_derived(self.left.method, None, first, &self.left.bytes)
    }
}

/// Adds a gap of numbered elements.
fn gap(tree: &mut Tree, stream: StreamId, side: Side, lost: Lost) {
    let (frame, before) = (tree.frame.number, tree.layers.len());
    tree.gaps.push(Gap { stream, side, off: 0, len: 0, elements: Some(lost), frame, before });
}

impl NestedContext<'_> {
    /// Dissects a message and the payloads that it hands over.
    pub(super) fn message(&mut self, tree: &mut Tree, candidate: Candidate, carried: &NestedMessage<'_>) {
        self.read(tree, candidate.protocol, carried, |context, wire| {
            let result = match candidate.found.dissector {
                Dissector::Datagram(read) => read(wire),
                method => match (context.states.of(candidate, context.registry), method) {
                    (Some(state), _) => state.message(context.side, wire),
                    (None, Dissector::Described(description)) => description.message(wire),
                    (None, _) => Ok(()),
                },
            };
            if candidate.found.by_port {
                wire.note_layer(&UNUSUAL, format_args!("recognized by its port alone"));
            }
            result
        });
    }

    /// Dissects a message that a conversation of this protocol delivered to itself.
    fn own(&mut self, tree: &mut Tree, protocol: &'static Protocol, carried: &NestedMessage<'_>) {
        self.read(tree, protocol, carried, |context, wire| match &mut context.owner {
            Some((owner, conversation)) if std::ptr::eq(*owner, protocol) => conversation.delivered(context.side, wire),
            _ => match context.states.own.iter_mut().find(|(known, _)| std::ptr::eq(*known, protocol)) {
                Some((_, state)) => state.delivered(context.side, wire),
                None => Ok(()),
            },
        });
    }

    /// Adds a layer, and dissects it and the payloads that it hands over.
    fn read(
        &mut self,
        tree: &mut Tree,
        protocol: &'static Protocol,
        carried: &NestedMessage<'_>,
        read: impl FnOnce(&mut Self, &mut Wire<'_>) -> Result,
    ) {
        let NestedMessage { bytes, range, cut, below, ends } = carried;
        let layer = tree.push_layer(protocol.this, Span::new(bytes.source, range.clone()), *below, *ends, true);
        std::mem::swap(&mut tree.handover.numbers, &mut self.states.numbers);
        let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), *cut);
        let (result, is_fine) = bug::reading(&mut wire, range.end, protocol, |wire| read(self, wire));
        if !is_fine {
            self.states.failed.push(protocol);
        }
        let left = protocol.conclude(&mut wire, result);
        std::mem::swap(&mut tree.handover.numbers, &mut self.states.numbers);
        self.side = tree.handover.speaker().unwrap_or(self.side);
        layers::finish(tree, layer, range.end);
        tree.outcome.undissected += left as u64;
        self.payloads(tree, *bytes);
    }

    /// Dissects the payloads that the last message handed over. They refer to its source.
    pub(super) fn payloads(&mut self, tree: &mut Tree, bytes: Bytes<'_>) {
        for payload in tree.handover.take_payloads() {
            let source = match &payload.bytes {
                Some(own) => Bytes { source: payload.source, all: own },
                None => Bytes { source: payload.source, all: bytes.all },
            };
            let inner = source.get(payload.range.clone());
            if payload.receiver == Receiver::Place("dtls") && sctp::is_packet(inner) {
                let (carrier, source, range) = (payload.carrier, payload.source, payload.range);
                let bytes = payload.bytes.map_or_else(|| bytes.all.to_vec(), |own| own.to_vec());
                tree.handover.associate(InnerPacket { carrier, source, bytes, range });
                continue;
            }
            let deep = depth(tree, payload.carrier) >= limits::MESSAGE_DEPTH.get();
            let Some(carrier) = tree.layers.get(payload.carrier as usize).copied() else { continue };
            let stream = tree.ends.get(carrier.ends as usize).and_then(|ends| ends.stream);
            if let Some((stream, side)) = stream {
                payload.lost.iter().for_each(|lost| gap(tree, stream, side, *lost));
            }
            if payload.receiver == Receiver::Own {
                self.own_payload(tree, &payload, source, carrier.node, carrier.ends);
                continue;
            }
            let owner = self.receiver(payload.receiver, inner).filter(|_| !deep);
            match owner {
                Some(candidate) => {
                    let cut = if payload.cut { Cut::Capture } else { Cut::No };
                    let (range, below, ends) = (payload.range, Some(payload.carrier), carrier.ends);
                    tree.handover.detail = payload.detail;
                    self.message(tree, candidate, &NestedMessage { bytes: source, range, cut, below, ends });
                }
                None if payload.alone && !inner.is_empty() => {
                    let layer = layers::unexplained(tree, source, payload.range, Some(payload.carrier));
                    if let Some(layer) = tree.layers.get_mut(layer as usize) {
                        layer.ends = carrier.ends;
                    }
                }
                None => continue,
            }
            if let Some(carrier) = tree.layers.get_mut(payload.carrier as usize) {
                carrier.message = false;
            }
        }
    }
}

impl NestedContext<'_> {
    /// The protocol that reads a payload.
    fn receiver(&self, receiver: Receiver, inner: &[u8]) -> Option<Candidate> {
        let owner = match receiver {
            Receiver::Place(place) => {
                let claimed = self.states.claim(Some(place), self.side, inner);
                claimed.or_else(|| self.registry.over(place, self.context.as_ref(), inner))
            }
            Receiver::Protocol(name) => self.registry.reader(name),
            Receiver::Own => None,
        };
        owner.filter(|candidate| !self.states.has_failed(candidate.protocol))
    }

    /// Dissects a payload that its carrier delivered to itself.
    fn own_payload(&mut self, tree: &mut Tree, payload: &Payload, bytes: Bytes<'_>, node: u32, ends: u32) {
        let Some(field) = tree.nodes.get(node as usize).map(|node| node.field) else { return };
        let known = self.states.own.iter().map(|(protocol, _)| *protocol).chain(self.owner.iter().map(|(owner, _)| *owner));
        let Some(protocol) = known.into_iter().find(|protocol| protocol.this.is(field)) else { return };
        if self.states.has_failed(protocol) {
            return;
        }
        let cut = if payload.cut { Cut::Capture } else { Cut::No };
        tree.handover.detail = payload.detail;
        let carried = NestedMessage { bytes, range: payload.range.clone(), cut, below: Some(payload.carrier), ends };
        self.own(tree, protocol, &carried);
        if let Some(carrier) = tree.layers.get_mut(payload.carrier as usize) {
            carrier.message = false;
        }
    }
}

/// Number of layers that carry this one, including those omitted from the tree.
fn depth(tree: &Tree, layer: LayerId) -> usize {
    let up = |place: &LayerId| tree.layers.get(*place as usize)?.below;
    let own = std::iter::successors(Some(layer), up);
    let ends = own.clone().last().and_then(|lowest| tree.ends.get(tree.layers.get(lowest as usize)?.ends as usize));
    let others = ends.and_then(|ends| ends.path.as_deref()).map_or(0, |path| path.split(':').count());
    own.count() + others
}
