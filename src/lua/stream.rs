//! Dissectors of scripts on TCP, called as tshark calls them.

use super::emit::Emission;
use super::extract::Found;
use super::notes;
use super::protocol::Script;
use super::run::{Dissected, Verdict};
use crate::tree::{BySide, Dissection, Side};
use crate::wire::{Beginning, Conversation, Cut, Extent, Missing, Result, Wire, data};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// The state of a connection.
pub(super) struct Stream {
    script: &'static Script,
    /// Client and server, if known.
    ends: Option<[SocketAddr; 2]>,
    sides: BySide<Direction>,
    packet: super::call::Packet,
    /// Values of layers below for which scripts asked.
    found: Vec<Found>,
    /// Where the bytes of the current frame end in the unread ones.
    end: usize,
}

/// The state of a direction.
#[derive(Default)]
struct Direction {
    waits: Waits,
    /// Dissected messages whose bytes are next.
    ready: VecDeque<Ready>,
    /// Whether bytes before are lost, and the script has not been called since.
    is_behind_loss: bool,
}

/// What the script waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Waits {
    /// Nothing: it gets the next bytes as they come.
    #[default]
    Nothing,
    /// So many bytes, counted from the first one that is kept.
    Bytes(usize),
    /// More than so many bytes.
    Segment(usize),
}

/// A message of a call.
struct Ready {
    dissected: Arc<Dissected>,
    bytes: Range<usize>,
    items: Range<usize>,
    is_last: bool,
    is_behind_loss: bool,
}

impl Stream {
    pub(super) fn new(script: &'static Script) -> Stream {
        Stream { script, ends: None, sides: BySide::default(), packet: super::call::Packet::default(), found: Vec::new(), end: 0 }
    }

    /// Calls the script on these bytes. Returns the length of the first message, if any.
    fn call(&mut self, from: Side, bytes: &[u8]) -> Option<usize> {
        let mut packet = self.packet;
        let [src, dst] = match (self.ends, from) {
            (Some([client, server]), Side::Client) => [Some(client), Some(server)],
            (Some([client, server]), Side::Server) => [Some(server), Some(client)],
            (None, _) => [None, None],
        };
        let address = |end: Option<SocketAddr>| end.map(crate::tree::Address::Socket);
        (packet.src, packet.dst) = (address(src), address(dst));
        packet.port_type = 2;
        packet.can_desegment = true;
        packet.matched = self.script.matched(true, [src, dst]);
        let dissected = self.script.engine.dissect(self.script.protocol, packet, self.found.clone(), bytes, 0);
        let taken = match dissected.verdict {
            Verdict::Wants(offset, _) => offset,
            Verdict::Accepted | Verdict::Rejected => bytes.len(),
        };
        let direction = &mut self.sides[from];
        direction.waits = match dissected.verdict {
            Verdict::Wants(offset, Some(more)) => Waits::Bytes(bytes.len() - offset + more),
            Verdict::Wants(offset, None) => Waits::Segment(bytes.len() - offset),
            Verdict::Accepted | Verdict::Rejected => Waits::Nothing,
        };
        let is_behind_loss = std::mem::take(&mut direction.is_behind_loss);
        if taken == 0 {
            direction.is_behind_loss = is_behind_loss;
            return None;
        }
        let dissected = Arc::new(dissected);
        let parts = messages(self.script.this, &dissected, taken);
        let count = parts.len();
        for (at, (bytes, items)) in parts.into_iter().enumerate() {
            let is_last = at + 1 == count;
            direction.ready.push_back(Ready { dissected: dissected.clone(), bytes, items, is_last, is_behind_loss });
        }
        direction.ready.front().map(|ready| ready.bytes.len())
    }
}

/// Divides the bytes of a call at the items of its protocol: each of them is a message.
fn messages(this: &crate::tree::Field, dissected: &Dissected, taken: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let tops = dissected.tops();
    let start_of = |at: u32| {
        let item = dissected.items.get(at as usize)?;
        let is_own = matches!(item.kind, super::call::Kind::Protocol(field) if field.is(this));
        item.place.filter(|place| is_own && place.buffer == 0 && place.len > 0).map(|place| place.start as usize)
    };
    let mut cuts: Vec<(usize, usize)> = vec![(0, 0)];
    let mut is_first = true;
    for (at, top) in tops.iter().enumerate() {
        let Some(start) = start_of(*top).filter(|start| *start < taken) else { continue };
        let behind = cuts.last().is_some_and(|(before, _)| start > *before);
        if behind && !std::mem::take(&mut is_first) {
            cuts.push((start, at));
        }
        is_first = false;
    }
    let end = (taken, tops.len());
    let ends = cuts.iter().skip(1).copied().chain([end]);
    cuts.iter().zip(ends).map(|((byte, item), (last_byte, last_item))| (*byte..last_byte, *item..last_item)).collect()
}

impl Conversation for Stream {
    fn begins(&mut self, beginning: &Beginning) {
        self.ends = beginning.ends;
    }

    fn arrives(&mut self, of: Dissection<'_>, end: usize) {
        self.packet = super::protocol::packet(of.tree);
        self.found = self.script.engine.values(of);
        self.end = end;
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let direction = &self.sides[from];
        if let Some(ready) = direction.ready.front() {
            return Extent::Message(ready.bytes.len());
        }
        let given = match direction.waits {
            Waits::Nothing => ahead,
            Waits::Bytes(count) => match ahead.get(..count) {
                // What waited for this frame comes in one piece with it.
                Some(_) if self.end < ahead.len() => ahead,
                Some(bytes) => bytes,
                None => return Extent::NeedMore(count),
            },
            Waits::Segment(seen) if ahead.len() <= seen => return Extent::NeedMore(seen + 1),
            Waits::Segment(_) => ahead,
        };
        match self.call(from, given) {
            Some(len) => Extent::Message(len),
            None => match self.sides[from].waits {
                Waits::Bytes(count) if count <= ahead.len() && more => self.extent(from, ahead, more),
                Waits::Bytes(count) => Extent::NeedMore(count),
                Waits::Segment(seen) => Extent::NeedMore(seen + 1),
                Waits::Nothing => Extent::Message(ahead.len()),
            },
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let direction = &mut self.sides[from];
        let Some(ready) = direction.ready.pop_front().filter(|_| wire.cut() == Cut::No) else {
            // A script never sees an incomplete message.
            direction.waits = Waits::Nothing;
            wire.rest(&data::BYTES);
            return Ok(());
        };
        if ready.is_behind_loss {
            wire.note_layer(&notes::RESUMED, format_args!("bytes before are lost; it may start inside a message"));
        }
        let emission = Emission {
            dissected: &ready.dissected,
            this: self.script.this,
            bytes: ready.bytes.clone(),
            items: ready.items.clone(),
            base: wire.at(),
            is_last: ready.is_last,
            sources: RefCell::default(),
        };
        emission.write(wire)?;
        super::protocol::finish(wire, ready.dissected.verdict)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let direction = &mut self.sides[from];
        direction.waits = Waits::Nothing;
        direction.ready.clear();
        direction.is_behind_loss |= missing.bytes > 0;
    }

    fn memory_usage(&self) -> usize {
        let items = |ready: &Ready| ready.dissected.items.len() * size_of::<super::call::Item>();
        let held: usize = self.sides.iter().map(|direction| direction.ready.iter().map(items).sum::<usize>()).sum();
        size_of::<Stream>() + held
    }
}
