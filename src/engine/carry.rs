//! Messages inside messages: whose they are, and what their protocols remember.

use crate::layers::{self, Bytes};
use crate::registry::{Candidate, Registry, Venue};
use crate::tree::{LayerId, Side, Span, Tree};
use crate::wire::{Cut, Exchange, How, Protocol, Wire};
use std::ops::Range;

/// Layers that carry each other at most, from the first message of a frame on.
const MAX_DEPTH: usize = 16;

/// What the protocols of one conversation remember, each for itself.
#[derive(Default)]
pub(super) struct States(Vec<(&'static Protocol, Box<dyn Exchange>)>);

/// One side's turn in a conversation.
pub(super) struct Turn<'a> {
    pub registry: Registry,
    /// Where it takes place, if that is known.
    pub venue: Option<Venue>,
    pub side: Side,
    pub states: &'a mut States,
}

/// A message and where it lies.
pub(super) struct Carried<'a> {
    pub bytes: Bytes<'a>,
    pub range: Range<usize>,
    pub cut: Cut,
    pub below: Option<LayerId>,
    /// Who speaks, as a place in the tree.
    pub ends: u32,
}

impl States {
    /// What a protocol remembers; it begins to when it is first asked.
    fn of(&mut self, candidate: Candidate, registry: Registry) -> Option<&mut dyn Exchange> {
        let How::Exchange(open) = candidate.found.how else { return None };
        let known = self.0.iter().position(|(protocol, _)| std::ptr::eq(*protocol, candidate.protocol));
        let place = known.unwrap_or_else(|| {
            self.0.push((candidate.protocol, open(registry.settings())));
            self.0.len() - 1
        });
        self.0.get_mut(place).map(|(_, state)| &mut **state as &mut dyn Exchange)
    }

    /// The protocol whose these bytes are because of what was said before.
    pub(super) fn claim(&self, side: Side, bytes: &[u8]) -> Option<Candidate> {
        let (protocol, _) = self.0.iter().find(|(_, state)| state.claims(side, bytes))?;
        Candidate::all(protocol).find(|candidate| matches!(candidate.found.how, How::Exchange(_)))
    }
}

impl Turn<'_> {
    /// A message, and those it carries.
    pub(super) fn message(&mut self, tree: &mut Tree, candidate: Candidate, said: &Carried<'_>) {
        let Carried { bytes, range, cut, below, ends } = said;
        let protocol = candidate.protocol;
        let layer = tree.push_layer(protocol.this, Span::new(bytes.source, range.clone()), *below, *ends, true);
        let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), *cut);
        let result = match candidate.found.how {
            How::Datagram(read) => read(&mut wire),
            How::Exchange(_) => match self.states.of(candidate, self.registry) {
                Some(state) => state.message(self.side, &mut wire),
                None => Ok(()),
            },
            How::Stream(_) => Ok(()),
        };
        let left = protocol.conclude(&mut wire, result);
        layers::finish(tree, layer, range.end);
        tree.undissected += left as u64;
        self.handed_on(tree, *bytes);
    }

    /// What the message just read left to others. Its bytes are those of its source.
    pub(super) fn handed_on(&mut self, tree: &mut Tree, bytes: Bytes<'_>) {
        for handed in tree.left.take_handed() {
            let source = match &handed.bytes {
                Some(own) => Bytes { source: handed.source, all: own },
                None => Bytes { source: handed.source, all: bytes.all },
            };
            let inner = source.get(handed.range.clone());
            let deep = depth(tree, handed.carrier) >= MAX_DEPTH;
            let owner = self.registry.over(handed.place, self.venue.as_ref(), inner).filter(|_| !deep);
            let Some(carrier) = tree.layers.get(handed.carrier as usize).copied() else { continue };
            match owner {
                Some(candidate) => {
                    let cut = if handed.cut { Cut::Capture } else { Cut::No };
                    let (range, below, ends) = (handed.range, Some(handed.carrier), carrier.ends);
                    self.message(tree, candidate, &Carried { bytes: source, range, cut, below, ends });
                }
                None if handed.alone && !inner.is_empty() => {
                    let layer = layers::unexplained(tree, source, handed.range, Some(handed.carrier));
                    if let Some(layer) = tree.layers.get_mut(layer as usize) {
                        layer.ends = carrier.ends;
                    }
                }
                None => continue,
            }
            if let Some(carrier) = tree.layers.get_mut(handed.carrier as usize) {
                carrier.message = false;
            }
        }
    }
}

/// How many layers carry this one.
fn depth(tree: &Tree, layer: LayerId) -> usize {
    let up = |place: &LayerId| tree.layers.get(*place as usize)?.below;
    std::iter::successors(Some(layer), up).count()
}
