//! The next protocol of a stream, and the layer of one that relays it.

use super::{Stream, StreamDissector, TcpSegment};
use crate::engine::bug;
use crate::engine::message::Out;
use crate::tree::{Side, Span, Tree};
use crate::wire::{Cut, Next, Protocol, Wire};

/// A protocol that relays a stream unchanged.
pub(super) struct Relay {
    protocol: &'static Protocol,
    /// Adds its fields to the layer of a segment.
    write: Box<dyn Fn(&mut Wire<'_>) + Send>,
}

impl Stream {
    /// Switches to the next protocol if the dissector requests it: the following bytes are a new stream.
    pub(super) fn switch(&mut self, tree: &mut Tree) {
        let StreamDissector::Known(_, conversation) = &mut self.dissector else { return };
        let Some(next) = conversation.next() else { return };
        self.add_objects(None, tree);
        (self.dissector, self.over) = match next {
            Next::To(protocol, conversation) => (StreamDissector::Known(protocol, conversation), None),
            Next::Over(place) => (StreamDissector::Undecided, Some(place)),
            Next::Detect => (StreamDissector::Undecided, None),
            Next::Relayed(protocol, write) => {
                self.endpoints.path = format!("{}:{}", self.endpoints.path, protocol.this.abbrev).into();
                self.relay = Some(Relay { protocol, write });
                (StreamDissector::Undecided, None)
            }
        };
        self.choice.shown = false;
        for half in self.halves.iter_mut() {
            half.from_start = true;
            half.wanted = 0;
        }
    }

    /// Adds the layer of the relay to a segment with new bytes, below its messages.
    #[inline]
    pub(super) fn add_relay(&self, side: Side, segment: &TcpSegment<'_>, out: &mut Out<'_>) {
        if let Some(relay) = &self.relay {
            self.write_relay(relay, side, segment, out);
        }
    }

    #[cold]
    fn write_relay(&self, relay: &Relay, side: Side, segment: &TcpSegment<'_>, out: &mut Out<'_>) {
        // The layer has no bytes of its own: an empty range at the start of the payload.
        let frame = &out.tree.frame;
        let at = if segment.frame == frame.number { segment.at.min(frame.captured) } else { 0 };
        let ends = out.tree.push_ends(self.ends(side));
        let layer = out.tree.push_layer(relay.protocol.this, Span { source: 0, start: at, end: at }, out.below, ends, false);
        let node = out.tree.layers.get(layer as usize).map_or(0, |layer| layer.node);
        let wanted = out.tree.demand();
        out.tree.set_demand(wanted.for_carriers());
        let mut wire = Wire::new(out.tree, layer, 0, &[], 0..0, Cut::No);
        let (result, _) = bug::reading(&mut wire, 0, relay.protocol, |wire| {
            (relay.write)(wire);
            Ok(())
        });
        relay.protocol.conclude(&mut wire, result);
        out.tree.set_demand(wanted);
        out.tree.close(node, relay.protocol.this, at as usize);
        out.below = Some(layer);
    }
}
