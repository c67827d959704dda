//! Dissectors that decide by dissecting: asked for datagrams and streams, and called at the end of frames.

use super::nested::{NestedContext, NestedMessage, States};
use super::{Engine, bug};
use crate::input::Frame;
use crate::layers;
use crate::registry::{Candidate, FlowContext, Registry};
use crate::tree::{Dissection, LayerId, Tree};
use crate::wire::{Cut, Offer, Scripted, Stage, Wire};
use std::net::SocketAddr;

/// A datagram for which loaded dissectors are asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub registry: Registry,
    pub context: FlowContext,
    /// Source and destination.
    pub sockets: Option<[SocketAddr; 2]>,
    /// The table of dissectors, if not one of ports.
    pub table: Option<&'static str>,
    /// The bytes of the frame.
    pub frame: &'a [u8],
    pub content: &'a [u8],
    pub at: usize,
}

impl Asked<'_> {
    /// The dissector that accepts it.
    pub(super) fn accepted(&self, tree: &Tree, states: &States, stage: Stage) -> Option<Candidate> {
        let scripted = self.registry.scripted().filter(|_| !states.is_broken())?;
        let chosen = match self.registry.choice(&self.context) {
            Some(None) => return None,
            Some(chosen) => chosen,
            None if stage == Stage::Content && self.registry.ignores_content() => return None,
            None => None,
        };
        let of = Dissection { tree, bytes: self.frame };
        let offer = Offer {
            of,
            stream: self.context.stream,
            ends: self.sockets,
            ports: self.registry.ports_of(&self.context),
            table: self.table,
            chosen,
            bytes: self.content,
            at: self.at,
        };
        let protocol = bug::guarded(|| scripted.accepts(&offer, stage)).ok().flatten()?;
        Candidate::datagram(protocol)
    }
}

/// Adds what loaded dissectors left that rejected the last datagram. Their layers are no messages.
pub(super) fn add_rejected(tree: &mut Tree, nested: &mut NestedContext<'_>, carried: &NestedMessage<'_>) {
    let Some(scripted) = nested.registry.scripted() else { return };
    let first = tree.layers.len();
    while let Some(candidate) = scripted.rejected().and_then(Candidate::datagram) {
        nested.message(tree, candidate, carried);
    }
    tree.layers.iter_mut().skip(first).for_each(|layer| layer.message = false);
}

impl Engine {
    /// Calls loaded dissectors that read each frame once it is dissected. Their fields are below those of the last layer.
    #[inline(never)]
    pub(super) fn read_frame(&mut self, scripted: &dyn Scripted, frame: &Frame<'_>) {
        let len = frame.bytes.len();
        let last = self.tree.layers.iter().enumerate().max_by_key(|(_, layer)| layer.node).map(|(at, _)| at);
        let layer: Option<LayerId> = last.and_then(|at| LayerId::try_from(at).ok());
        let Some(layer) = layer else { return };
        let cut = if (frame.original_len as usize) > len { Cut::Capture } else { Cut::No };
        let mut wire = Wire::new(&mut self.tree, layer, 0, frame.bytes, 0..len, cut);
        // A bug in a dissector leaves a note.
        let _ = bug::reading(&mut wire, len, &layers::DATA, |wire| scripted.frame(wire));
        let here = self.tree.here();
        let node = self.tree.layers.get(layer as usize).map(|layer| layer.node as usize);
        if let Some(node) = node.and_then(|node| self.tree.nodes.get_mut(node)) {
            node.end = here;
        }
    }
}
