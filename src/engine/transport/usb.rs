//! USB: a conversation for each endpoint of a device, and the protocol of each payload.
//!
//! The protocol is that of the user's choice, or one registered for payloads of USB.

use crate::engine::Engine;
use crate::engine::failed::ActiveConversation;
use crate::engine::nested::{NestedContext, NestedMessage, States};
use crate::engine::prefilter;
use crate::engine::scripted::{Asked, add_rejected};
use crate::flow::{Pair, Table};
use crate::input::Frame;
use crate::layers::usb::UsbTransfer;
use crate::layers::{self, Bytes};
use crate::limits;
use crate::registry::FlowContext;
use crate::tree::{LayerId, StreamId, Transport};
use crate::wire::Stage;
use std::ops::Range;

/// The name under which payloads are handed over.
const PLACE: &str = "usb";

/// Conversations with endpoints.
#[derive(Default)]
pub(in crate::engine) struct Pipes {
    pub(in crate::engine) table: Table<States>,
    /// Bytes of memory held by protocol state of all conversations.
    held: usize,
}

impl Pipes {
    /// The number of the conversation with an endpoint.
    fn number(&mut self, pair: Pair, frame: u64) -> u32 {
        let (number, _, former) = self.table.get_or_begin(pair, frame, |_| true, |_| States::default());
        self.held = self.held.saturating_sub(former.map_or(0, |former| former.state.counted()));
        number
    }

    /// Discards the protocol state of a conversation. Its later payloads are not dissected.
    #[cold]
    pub(in crate::engine) fn fail(&mut self, pair: &Pair, frame: u64) {
        if let Some((_, states)) = self.table.get(pair, frame) {
            self.held = self.held.saturating_sub(std::mem::replace(states, States::broken()).counted());
        }
    }

    /// Whether there are more conversations, or more state, than the limits allow.
    pub(in crate::engine) fn is_crowded(&self) -> bool {
        self.table.is_crowded() || self.held > limits::DATAGRAM_BYTES.get()
    }
}

impl Engine {
    /// The payload of a transfer.
    #[inline(never)]
    pub(in crate::engine) fn usb(
        &mut self,
        frame: &Frame<'_>,
        transfer: UsbTransfer,
        range: Range<usize>,
        missing: usize,
        below: LayerId,
    ) {
        let UsbTransfer { bus, device, number, sender, table } = transfer;
        let pair = Pair::usb(bus, device, number);
        self.current.active = ActiveConversation::Usb(pair);
        let stream = StreamId { transport: Transport::Usb, number: self.transports.pipes.number(pair, frame.number) };
        let ends = self.tree.layers.get(below as usize).map_or(0, |layer| layer.ends);
        if let Some(ends) = self.tree.ends.get_mut(ends as usize) {
            ends.stream = Some((stream, sender));
        }
        if range.is_empty() || !self.tree.demand().streams() {
            return;
        }
        let (bytes, registry) = (Bytes::of_frame(frame.bytes), self.registry);
        let context = FlowContext { stream, sockets: None, over: Some(PLACE), inside: false, carrier: None };
        prefilter::apply(self.prefilter.as_ref(), &mut self.tree, frame.bytes);
        let Some((_, states)) = self.transports.pipes.table.get(&pair, frame.number) else { return };
        let content = bytes.get(range.clone());
        let (sockets, at) = (None, range.start);
        let asked = Asked { registry, context, sockets, table, frame: frame.bytes, content, at };
        let scripted = table.and_then(|_| asked.accepted(&self.tree, states, Stage::Ports));
        let owner = scripted.or_else(|| registry.datagram_owner(&context, content));
        let owner = owner.filter(|owner| !states.has_failed(owner.protocol));
        if registry.scripted().is_some() {
            let carried = NestedMessage { bytes, range: range.clone(), cut: layers::cut(missing), below: Some(below), ends };
            let mut nested = NestedContext { registry, context: Some(context), side: sender, states: &mut *states, owner: None };
            add_rejected(&mut self.tree, &mut nested, &carried);
        }
        let Some(candidate) = owner.filter(|_| !registry.is_blind()) else {
            layers::unexplained(&mut self.tree, bytes, range, Some(below));
            return;
        };
        let carried = NestedMessage { bytes, range, cut: layers::cut(missing), below: Some(below), ends };
        let before = states.counted();
        let mut nested = NestedContext { registry, context: Some(context), side: sender, states: &mut *states, owner: None };
        nested.message(&mut self.tree, candidate, &carried);
        self.tree.handover.take_inner();
        states.count();
        self.transports.pipes.held = (self.transports.pipes.held + states.counted()).saturating_sub(before);
    }

    /// Evicts the conversations idle longest when there are too many, and all protocol state when it is too large.
    pub(in crate::engine) fn evict_pipes(&mut self) {
        let pipes = &mut self.transports.pipes;
        for (_, states) in pipes.table.evict() {
            pipes.held = pipes.held.saturating_sub(states.counted());
            self.bounds.evictions.conversations += 1;
        }
        if pipes.held > limits::DATAGRAM_BYTES.get() {
            for states in pipes.table.states(|_| true).filter(|states| states.counted() > 0) {
                *states = States::default();
                self.bounds.evictions.states += 1;
            }
            pipes.held = 0;
        }
    }
}
