//! Messages inside messages: their protocols and state.

use super::bug;
use crate::layers::{self, Bytes, sctp};
use crate::limits;
use crate::registry::{Candidate, FlowContext, Registry};
use crate::tree::{Ends, ExportedObject, InnerPacket, LayerId, SharedNumbers, Side, Span, StreamId, Tree};
use crate::wire::notes::UNUSUAL;
use crate::wire::{Cut, Dissector, Exchange, On, Protocol, Unfinished, Wire, data};
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

    /// Reassemblies that stay incomplete.
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

/// An incomplete reassembly of a datagram protocol.
pub(super) struct Waiting {
    protocol: &'static Protocol,
    pub left: Unfinished,
}

impl Waiting {
    /// Emits the received parts as a message.
    pub(super) fn emit(&self, tree: &mut Tree, ends: Ends) {
        let Unfinished { bytes, pieces, method, code, words, .. } = &self.left;
        let first = tree.pieces.len();
        tree.pieces.extend_from_slice(pieces);
        let source = tree.push_derived(method, None, first, bytes);
        let ends = tree.push_ends(ends);
        let layer = tree.push_layer(self.protocol.this, Span::new(source, 0..bytes.len()), None, ends, true);
        let mut wire = Wire::new(tree, layer, source, bytes, 0..bytes.len(), Cut::No);
        wire.name("unfinished");
        wire.note_layer(code, format_args!("{words}"));
        wire.rest(self.protocol.rest.unwrap_or(&data::BYTES));
        layers::finish(tree, layer, bytes.len());
        tree.outcome.undissected += bytes.len() as u64;
    }
}

impl NestedContext<'_> {
    /// Dissects a message and the payloads that it hands over.
    pub(super) fn message(&mut self, tree: &mut Tree, candidate: Candidate, carried: &NestedMessage<'_>) {
        let NestedMessage { bytes, range, cut, below, ends } = carried;
        let protocol = candidate.protocol;
        let layer = tree.push_layer(protocol.this, Span::new(bytes.source, range.clone()), *below, *ends, true);
        std::mem::swap(&mut tree.handover.numbers, &mut self.states.numbers);
        let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), *cut);
        let (states, side, registry) = (&mut *self.states, self.side, self.registry);
        let (result, is_fine) = bug::reading(&mut wire, range.end, protocol, |wire| match candidate.found.dissector {
            Dissector::Datagram(read) => read(wire),
            method => match (states.of(candidate, registry), method) {
                (Some(state), _) => state.message(side, wire),
                (None, Dissector::Described(description)) => description.message(wire),
                (None, _) => Ok(()),
            },
        });
        if !is_fine {
            self.states.failed.push(protocol);
        }
        if candidate.found.by_port {
            wire.note_layer(&UNUSUAL, format_args!("recognized by its port alone"));
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
            if payload.place == "dtls" && sctp::is_packet(inner) {
                let (carrier, source, range) = (payload.carrier, payload.source, payload.range);
                let bytes = payload.bytes.map_or_else(|| bytes.all.to_vec(), |own| own.to_vec());
                tree.handover.associate(InnerPacket { carrier, source, bytes, range });
                continue;
            }
            let deep = depth(tree, payload.carrier) >= limits::MESSAGE_DEPTH.get();
            let claimed = self.states.claim(Some(payload.place), self.side, inner);
            let owner = claimed.or_else(|| self.registry.over(payload.place, self.context.as_ref(), inner)).filter(|_| !deep);
            let owner = owner.filter(|candidate| !self.states.has_failed(candidate.protocol));
            let Some(carrier) = tree.layers.get(payload.carrier as usize).copied() else { continue };
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

/// Number of layers that carry this one, including those omitted from the tree.
fn depth(tree: &Tree, layer: LayerId) -> usize {
    let up = |place: &LayerId| tree.layers.get(*place as usize)?.below;
    let own = std::iter::successors(Some(layer), up);
    let ends = own.clone().last().and_then(|lowest| tree.ends.get(tree.layers.get(lowest as usize)?.ends as usize));
    let others = ends.and_then(|ends| ends.path.as_deref()).map_or(0, |path| path.split(':').count());
    own.count() + others
}
