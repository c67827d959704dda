//! Dissectors of scripts on TCP, called as tshark calls them.

use super::asked::{Answers, Question, Scripts, directed, tcp_ports};
use super::emit::Emission;
use super::extract::Found;
use super::notes;
use super::pass::Partial;
use super::run::{Dissected, Verdict};
use crate::tree::{Address, BySide, Dissection, Side, StreamId};
use crate::wire::{Beginning, Conversation, Cut, Extent, Missing, Protocol, Result, ScriptedStream, Stage, Wire, data};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// The state of a connection.
pub(super) struct Stream {
    scripts: &'static Scripts,
    /// The ports of client and server.
    ports: [u16; 2],
    /// The protocol that the user chose.
    chosen: Option<usize>,
    stream: Option<StreamId>,
    /// Client and server, if known.
    ends: Option<[SocketAddr; 2]>,
    sides: BySide<Direction>,
    packet: super::call::Packet,
    /// Values of layers below for which scripts asked.
    found: Vec<Found>,
    /// Where the bytes of the current frame end in the unread ones.
    end: usize,
    /// The protocol that accepted bytes last.
    last: Option<usize>,
    /// The payload of the current frame.
    payload: Payload,
}

/// The payload of a frame.
#[derive(Default)]
struct Payload {
    bytes: Vec<u8>,
    /// Its offset in the frame.
    offset: u32,
    /// Bytes of it that dissectors have read.
    used: usize,
    /// The bytes of the last call.
    last: Vec<u8>,
}

impl Payload {
    /// The offset in the frame of the next bytes; 0 if they are joined with others.
    fn base_of(&self, next: &[u8]) -> u32 {
        let is_here = self.bytes.get(self.used..).is_some_and(|ahead| ahead.starts_with(next));
        if is_here { self.offset.saturating_add(u32::try_from(self.used).unwrap_or_default()) } else { 0 }
    }
}

/// The state of a direction.
#[derive(Default)]
struct Direction {
    waits: Waits,
    /// Dissected messages, and rejected bytes, that are next.
    ready: VecDeque<Ready>,
    /// Rejecting dissectors, while others are asked for the same bytes.
    rejected: Vec<(usize, Arc<Dissected>)>,
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

/// A part of the bytes that were given to dissectors.
struct Ready {
    len: usize,
    /// The message; `None` for bytes that no dissector accepted.
    message: Option<Ours>,
    /// Dissectors that rejected the bytes, but added items.
    rejected: Vec<(usize, Arc<Dissected>)>,
}

/// A message of a call.
struct Ours {
    protocol: usize,
    dissected: Arc<Dissected>,
    bytes: Range<usize>,
    items: Range<usize>,
    is_last: bool,
    is_behind_loss: bool,
}

impl Stream {
    pub(super) fn new(scripts: &'static Scripts, ports: [u16; 2], chosen: Option<usize>) -> Stream {
        let packet = super::call::Packet { port_type: 2, can_desegment: true, ..Default::default() };
        let sides = BySide::default();
        Stream {
            scripts,
            ports,
            chosen,
            stream: None,
            ends: None,
            sides,
            packet,
            found: Vec::new(),
            end: 0,
            last: None,
            payload: Default::default(),
        }
    }

    /// Offers these bytes. Returns whether a dissector accepts them.
    fn offer(&mut self, from: Side, bytes: &[u8], stage: Stage) -> bool {
        let mut packet = self.packet;
        let [src, dst] = directed(self.ends, from);
        (packet.src, packet.dst) = (src.map(Address::Socket), dst.map(Address::Socket));
        let ports = tcp_ports(self.ports);
        let (stream, chosen, found) = (self.stream, self.chosen, &self.found);
        // Bytes that are not joined lie in the frame.
        let base = self.payload.base_of(bytes);
        let question = Question { stream, ports: &ports, chosen, packet, found, bytes, base };
        let Answers { rejected, accepted } = self.scripts.ask(&question, stage);
        let direction = &mut self.sides[from];
        direction.rejected.extend(rejected);
        let Some((protocol, dissected)) = accepted else { return false };
        self.last = Some(protocol);
        if matches!(dissected.verdict, Verdict::Wants(0, _)) && dissected.items.len() > 1 {
            bytes.clone_into(&mut self.payload.last);
        }
        self.take(from, protocol, dissected, bytes.len());
        true
    }

    /// Takes the result of an accepting dissector.
    fn take(&mut self, from: Side, protocol: usize, dissected: Arc<Dissected>, given: usize) {
        let direction = &mut self.sides[from];
        let taken = match dissected.verdict {
            Verdict::Wants(offset, _) => offset,
            Verdict::Accepted | Verdict::Rejected => given,
        };
        direction.waits = match dissected.verdict {
            Verdict::Wants(offset, Some(more)) => Waits::Bytes(given - offset + more),
            Verdict::Wants(offset, None) => Waits::Segment(given - offset),
            Verdict::Accepted | Verdict::Rejected => Waits::Nothing,
        };
        self.payload.used += taken;
        if taken == 0 {
            direction.rejected.clear();
            if dissected.items.len() > 1 {
                // Wireshark shows what was added although the bytes are needed again.
                let bytes = self.payload.last.clone();
                super::pass::with(|pass| pass.partial.push(Partial { protocol, dissected, bytes }));
            }
            return;
        }
        let is_behind_loss = std::mem::take(&mut direction.is_behind_loss);
        let this = self.scripts.protocol(protocol).this;
        let parts = messages(this, &dissected, taken);
        let count = parts.len();
        for (at, (bytes, items)) in parts.into_iter().enumerate() {
            let (len, is_last, dissected) = (bytes.len(), at + 1 == count, dissected.clone());
            let message = Some(Ours { protocol, dissected, bytes, items, is_last, is_behind_loss });
            direction.ready.push_back(Ready { len, message, rejected: std::mem::take(&mut direction.rejected) });
        }
    }

    /// Keeps the payload of a frame whose TCP header is in the tree.
    fn see_payload(&mut self, of: Dissection<'_>) {
        let headers = of.tree.layers.iter().filter_map(|layer| of.tree.nodes.get(layer.node as usize));
        let tcp = headers.filter(|node| node.field.abbrev == "tcp" && node.span.source == 0).last();
        let payload = tcp.and_then(|node| {
            let start = node.span.start as usize;
            // The number of words of the header is in the upper half of its 13th byte.
            let len = 4 * (of.bytes.get(start + 12)? >> 4);
            Some((of.bytes.get(start + usize::from(len)..)?, node.span.start + u32::from(len)))
        });
        let (bytes, offset) = payload.unwrap_or_default();
        self.payload.bytes.clear();
        self.payload.bytes.extend_from_slice(bytes);
        (self.payload.offset, self.payload.used) = (offset, 0);
    }

    /// Leaves bytes that no dissector accepted.
    fn leave(&mut self, from: Side, len: usize) {
        let direction = &mut self.sides[from];
        direction.waits = Waits::Nothing;
        direction.is_behind_loss = false;
        direction.ready.push_back(Ready { len, message: None, rejected: std::mem::take(&mut direction.rejected) });
    }

    /// The bytes that dissectors get next, if there are enough of them.
    fn given<'a>(&self, from: Side, ahead: &'a [u8], end: usize) -> std::result::Result<&'a [u8], usize> {
        match self.sides[from].waits {
            Waits::Nothing => Ok(ahead),
            Waits::Bytes(count) => match ahead.get(..count) {
                // What waited for this frame comes in one piece with it.
                Some(_) if end < ahead.len() => Ok(ahead),
                Some(bytes) => Ok(bytes),
                None => Err(count),
            },
            Waits::Segment(seen) if ahead.len() <= seen => Err(seen + 1),
            Waits::Segment(_) => Ok(ahead),
        }
    }

    /// The bytes behind those of which dissectors have spoken.
    fn unasked<'a>(&self, from: Side, ahead: &'a [u8]) -> (&'a [u8], usize) {
        let asked: usize = self.sides[from].ready.iter().map(|ready| ready.len).sum();
        (ahead.get(asked..).unwrap_or_default(), self.end.saturating_sub(asked))
    }

    /// The next message, or bytes of none.
    fn next_extent(&self, from: Side) -> Option<Extent> {
        let ready = self.sides[from].ready.front()?;
        Some(if ready.message.is_some() || !ready.rejected.is_empty() {
            Extent::Message(ready.len)
        } else {
            Extent::Unknown(ready.len)
        })
    }

    /// Writes the items of dissectors that rejected the bytes of a message.
    fn write_rejected(&self, rejected: &[(usize, Arc<Dissected>)], len: usize, wire: &mut Wire<'_>) -> Result {
        for (protocol, dissected) in rejected {
            let this = self.scripts.protocol(*protocol).this;
            let base = wire.at();
            Emission { inside: true, ..Emission::whole(dissected, this, len, base) }.write(wire)?;
        }
        Ok(())
    }
}

impl ScriptedStream for Stream {
    fn accepts(&mut self, from: Side, ahead: &[u8], stage: Stage) -> Option<&'static Protocol> {
        let (ahead, _) = self.unasked(from, ahead);
        if ahead.is_empty() {
            return None;
        }
        if self.offer(from, ahead, stage) {
            return self.last.map(|last| self.scripts.protocol(last));
        }
        if stage == Stage::Content {
            self.leave(from, ahead.len());
        }
        None
    }

    fn has_rejected(&self) -> bool {
        self.sides.iter().any(|direction| direction.ready.iter().any(|ready| !ready.rejected.is_empty()))
    }

    fn protocol(&self) -> &'static Protocol {
        self.chosen.map_or(&notes::PROTOCOL, |chosen| self.scripts.protocol(chosen))
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
        self.stream = Some(beginning.stream);
    }

    fn arrives(&mut self, of: Dissection<'_>, end: usize) {
        let super::call::Packet { number, time, len, captured, links, .. } = super::protocol::packet(of.tree);
        self.packet = super::call::Packet { number, time, len, captured, links, ..self.packet };
        self.see_payload(of);
        self.found = self.scripts.engine.values(of);
        self.end = end;
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        loop {
            if let Some(extent) = self.next_extent(from) {
                return extent;
            }
            let given = match self.given(from, ahead, self.end) {
                Ok(given) => given,
                Err(needed) => return Extent::NeedMore(needed),
            };
            let is_accepted = self.offer(from, given, Stage::Ports) || self.offer(from, given, Stage::Content);
            if !is_accepted {
                self.leave(from, given.len());
            }
            let waits = self.sides[from].waits;
            if self.next_extent(from).is_none() && (waits == Waits::Nothing || !more) {
                return match waits {
                    Waits::Nothing => Extent::Message(ahead.len()),
                    Waits::Bytes(count) => Extent::NeedMore(count),
                    Waits::Segment(seen) => Extent::NeedMore(seen + 1),
                };
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let ready = self.sides[from].ready.pop_front().filter(|_| wire.cut() == Cut::No);
        let protocol = ready.as_ref().and_then(|ready| ready.message.as_ref().map(|ours| ours.protocol));
        let this = match (protocol, &ready) {
            (Some(protocol), _) => self.scripts.protocol(protocol).this,
            // No dissector accepts the bytes.
            (None, Some(_)) => &data::DATA,
            (None, None) => self.last.map_or(self.protocol().this, |number| self.scripts.protocol(number).this),
        };
        wire.title(this);
        let result = self.write(from, ready, wire);
        wire.close_layer(this);
        result
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let direction = &mut self.sides[from];
        direction.waits = Waits::Nothing;
        direction.ready.clear();
        direction.is_behind_loss |= missing.bytes > 0;
    }

    fn memory_usage(&self) -> usize {
        let items = |ready: &Ready| {
            let messages = ready.message.iter().map(|ours| &ours.dissected);
            let all = messages.chain(ready.rejected.iter().map(|(_, dissected)| dissected));
            all.map(|dissected| dissected.items.len() * size_of::<super::call::Item>()).sum::<usize>()
        };
        let held: usize = self.sides.iter().map(|direction| direction.ready.iter().map(items).sum::<usize>()).sum();
        size_of::<Stream>() + held
    }
}

impl Stream {
    /// Writes a message, or what rejecting dissectors left.
    fn write(&mut self, from: Side, ready: Option<Ready>, wire: &mut Wire<'_>) -> Result {
        let Some(Ready { message, rejected, len }) = ready else {
            // A script never sees an incomplete message.
            self.sides[from].waits = Waits::Nothing;
            wire.rest(&data::BYTES);
            return Ok(());
        };
        let Some(ours) = message else {
            self.write_rejected(&rejected, len, wire)?;
            return super::protocol::finish(wire, Verdict::Rejected);
        };
        if ours.is_behind_loss {
            wire.note_layer(&notes::RESUMED, format_args!("bytes before are lost; it may start inside a message"));
        }
        self.write_rejected(&rejected, len, wire)?;
        let emission = Emission {
            bytes: ours.bytes.clone(),
            items: ours.items.clone(),
            is_last: ours.is_last,
            ..Emission::whole(&ours.dissected, self.scripts.protocol(ours.protocol).this, len, wire.at())
        };
        emission.write(wire)?;
        super::protocol::finish(wire, ours.dissected.verdict)
    }
}
