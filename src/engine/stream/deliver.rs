//! Delivers in-order bytes: message by message, or as data, before and after holes.

use super::half_stream::{Following, Step};
use super::secrets::guards;
use super::{Endpoints, Stream, StreamDissector, endpoints};
use crate::engine::bug;
use crate::engine::message::{Delivered, Out, ends_of};
use crate::engine::nested::NestedContext;
use crate::flow::reassembly::Direction;
use crate::layers::Bytes;
use crate::limits;
use crate::registry::FlowContext;
use crate::tree::{self, Dissection, Ends, Piece, Side, Span, StreamId, Tree};
use crate::wire::notes::{BUG, GIVEN_UP, HUGE, UNUSUAL};
use crate::wire::{Conversation, Cut, Missing, Protocol};

impl Stream {
    /// A side begins earlier than before: what is known of its next message is of no use.
    #[cold]
    pub(super) fn begin_earlier(&mut self, side: Side) {
        let half = &mut self.halves[side];
        (half.wanted, half.outstanding) = (0, 0);
        if let StreamDissector::Known(_, conversation) = &mut self.dissector {
            conversation.gap(side, Missing { bytes: 0, in_step: true });
        }
    }

    /// Continues after holes that will not be filled.
    pub(super) fn pass_lost(&mut self, side: Side, out: &mut Out<'_>) {
        while self.halves[side].reassembly.hole_is_lost() && !out.is_full() {
            self.skip_gap(side, out);
        }
    }

    /// Emits the bytes before the first hole, reports the gap, and continues after it.
    #[cold]
    pub(super) fn skip_gap(&mut self, side: Side, out: &mut Out<'_>) {
        let Some(gap) = self.halves[side].reassembly.hole() else { return };
        self.memory.changed = true;
        self.drain(side, Following::Gap(gap), out);
        let order = &mut self.halves[side].reassembly;
        if !order.buffered().is_empty() || order.skip_hole().is_none() {
            return;
        }
        // Gaps of an inner stream were already reported for the outer one.
        if self.method.is_none() {
            out.tree.gaps.push(tree::Gap {
                stream: self.id,
                side,
                off: gap.off,
                len: gap.len,
                elements: None,
                frame: out.tree.frame.number,
                before: out.tree.layers.len(),
            });
        }
        let half = &mut self.halves[side];
        let in_step = half.outstanding >= gap.len;
        half.outstanding = half.outstanding.saturating_sub(gap.len);
        half.is_in_doubt |= !in_step;
        if let StreamDissector::Known(_, conversation) = &mut self.dissector {
            conversation.gap(side, Missing { bytes: gap.len, in_step });
        }
        // Delivered as captured, so that messages completed by one frame are not joined with those of another.
        while self.halves[side].reassembly.unpark_next() {
            if !out.tree.is_crowded() {
                self.drain(side, Following::More, out);
            }
        }
        self.drain(side, Following::More, out);
    }

    /// Emits all remaining bytes at the end of the stream, up to the size of a tree unless nothing may be deferred.
    #[cold]
    pub(in crate::engine) fn close(&mut self, out: &mut Out<'_>) {
        for side in Side::BOTH {
            while self.halves[side].reassembly.hole().is_some() && !out.is_full() {
                self.skip_gap(side, out);
            }
            if self.halves[side].reassembly.hole().is_none() {
                self.drain(side, Following::End, out);
            }
        }
        if let Some(inner) = &mut self.inside {
            inner.close(out);
        }
        self.end_nested(out);
        if self.is_empty() {
            self.add_objects(None, out.tree);
        }
    }

    /// Emits what is left of protocols in messages.
    fn end_nested(&mut self, out: &mut Out<'_>) {
        if self.halves.iter().any(|half| !half.reassembly.buffered().is_empty()) || !self.inner.is_waiting() {
            return;
        }
        let (id, sockets, registry) = (self.id, self.endpoints.sockets, out.registry);
        for waiting in self.inner.unfinished() {
            let side = waiting.left.from;
            let ends = Ends { path: Some(self.endpoints.path.clone()), ..endpoints(id, sockets, side) };
            let context = Some(FlowContext { stream: id, sockets, over: None, inside: true, carrier: None });
            waiting.emit(out.tree, ends, NestedContext { registry, context, side, states: &mut self.inner, owner: None });
        }
    }

    /// Emits pending data, complete or not, and buffers no more than the next bytes from now on.
    #[cold]
    pub(in crate::engine) fn give_up(&mut self, out: &mut Out<'_>) {
        for side in Side::BOTH {
            let half = &mut self.halves[side];
            if half.reassembly.buffered().is_empty() && half.reassembly.hole().is_none() {
                continue;
            }
            while self.halves[side].reassembly.hole().is_some() {
                self.skip_gap(side, out);
            }
            self.drain(side, Following::LimitReached, out);
        }
        if let Some(inner) = &mut self.inside {
            inner.give_up(out);
        }
        self.shrink();
        self.forget_unacknowledged();
    }

    /// Emits the messages among in-order bytes.
    pub(super) fn drain(&mut self, side: Side, following: Following, out: &mut Out<'_>) {
        let mut side = side;
        while !self.halves[side].reassembly.buffered().is_empty() {
            if out.is_full() {
                self.delayed = true;
                return;
            }
            if self.is_open(side) {
                let sides_swapped = self.find_owner(following, out);
                if self.is_open(side) {
                    if !self.is_full(side) {
                        return;
                    }
                    self.pass_opening(side, out);
                    continue;
                }
                if sides_swapped {
                    side = side.other();
                }
                self.drain_both(out);
                continue;
            }
            if !self.step(side, following, out) {
                if !self.releases() {
                    return;
                }
                self.halves.iter_mut().for_each(|half| half.wanted = 0);
                self.drain_both(out);
            }
        }
    }

    /// Whether its protocol can read bytes now that were held back.
    fn releases(&mut self) -> bool {
        match &mut self.dissector {
            StreamDissector::Known(_, conversation) => conversation.releases(),
            StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => false,
        }
    }

    /// Emits the bytes buffered while the protocol was unknown, in capture order.
    #[inline(never)]
    fn drain_both(&mut self, out: &mut Out<'_>) {
        let first = out.tree.layers.len();
        let sorted = std::mem::replace(&mut out.sorts, true);
        for (_, side, end) in self.arrivals() {
            self.halves[side].reassembly.withhold(end);
            while !self.halves[side].reassembly.buffered().is_empty()
                && !self.is_open(side)
                && !out.is_full()
                && self.step(side, Following::More, out)
            {}
        }
        self.halves.iter_mut().for_each(|half| half.reassembly.withhold(u64::MAX));
        out.sorts = sorted;
        out.tree.sort_layers(first);
    }

    /// The frames in which the buffered bytes became complete, in capture order, each with its side and the end of its bytes: what a
    /// message means may depend on what the other side sent before it. A side joined midway is read as a whole, since later bytes show
    /// where its messages begin, and data without a protocol depends on nothing.
    fn arrivals(&self) -> Vec<(u64, Side, u64)> {
        let in_order = matches!(self.dissector, StreamDissector::Known(..)) && self.halves.iter().all(|half| half.from_start);
        let of = |side: Side| {
            let order = &self.halves[side].reassembly;
            let pieces = order.pieces(order.buffered_off(), order.buffered().len());
            let complete = pieces.scan(0, move |latest: &mut u64, piece| {
                *latest = piece.frame.max(*latest);
                Some((*latest, side, if in_order { piece.end() } else { u64::MAX }))
            });
            complete.take(if in_order { usize::MAX } else { 1 })
        };
        let mut arrivals: Vec<_> = Side::BOTH.into_iter().flat_map(of).collect();
        arrivals.sort_by_key(|(frame, ..)| *frame);
        arrivals
    }

    /// Emits the older half of the buffered bytes as data: a protocol registered on the port may find its messages in later
    /// bytes.
    #[cold]
    fn pass_opening(&mut self, side: Side, out: &mut Out<'_>) {
        self.choice.shown = true;
        self.halves[side].from_start = false;
        self.show(side, Step::Data(limits::STREAM_OPENING.get() / 2), Following::More, out);
    }

    /// Emits one message, or one run of data. Returns false if more bytes are needed.
    fn step(&mut self, side: Side, following: Following, out: &mut Out<'_>) -> bool {
        let undissected = self.undissected_run(side, out);
        let half = &mut self.halves[side];
        let crowded = out.tree.is_crowded();
        let mut failure = None;
        let step = match &mut self.dissector {
            StreamDissector::Known(..) if crowded => {
                half.outstanding = 0;
                Step::Data(half.reassembly.buffered().len())
            }
            StreamDissector::Known(protocol, conversation) => {
                conversation.arrives(Dissection { tree: out.tree, bytes: out.frame }, half.latest_end());
                match bug::guarded(|| half.next(conversation.as_mut(), side, following)) {
                    Ok(step) => step,
                    Err(bug) => {
                        failure = Some((protocol.this.abbrev, half.reassembly.buffered_off(), bug));
                        half.outstanding = 0;
                        Step::Data(half.reassembly.buffered().len())
                    }
                }
            }
            StreamDissector::None | StreamDissector::Unrecognised(_) | StreamDissector::Undecided => Step::Data(undissected),
        };
        if matches!(step, Step::Wait) {
            self.memory.changed = true;
            return false;
        }
        self.show(side, step, following, out);
        if let Some((protocol, off, bug)) = failure {
            let node = out.tree.here().saturating_sub(1);
            out.tree.note(&BUG, node, Span::NONE, format_args!("{protocol} at offset {off} of the stream: {}", bug.0));
            self.fail();
        }
        true
    }

    /// Emits a message or a run of data.
    #[inline]
    fn show(&mut self, side: Side, step: Step, following: Following, out: &mut Out<'_>) {
        self.memory.changed = true;
        let half = &self.halves[side];
        let Some(run) = Run::of(step, &half.reassembly, following) else { return };
        let is_late = out.tree.outcome.late || half.is_late(out.tree.frame.number, run.off, run.len);
        let timely = is_late.then(|| out.begin_late(self.method.is_none()));
        let (hidden, source) = (out.tree.masked_spans().len(), out.tree.sources.len());
        let is_fine = match (run.cut, &self.dissector) {
            (Some(cut), StreamDissector::Known(..)) => self.show_messages(side, &run, cut, out),
            (None, StreamDissector::None | StreamDissector::Unrecognised(_)) if !out.sorts && out.tree.demand().only_counts() => {
                out.count(run.len, self.halves[side].reassembly.pieces(run.off, run.len));
                true
            }
            _ => {
                self.show_data(side, &run, out);
                true
            }
        };
        let half = &mut self.halves[side];
        half.reassembly.consume(run.len);
        half.wanted = 0;
        for secret in out.tree.masked_spans().get(hidden..).unwrap_or_default() {
            if secret.source as usize == source {
                half.remember_secret(run.off + u64::from(secret.start)..run.off + u64::from(secret.end));
            }
        }
        if !is_fine {
            self.fail();
        }
        self.read_inner(side, out);
        self.switch(out.tree);
        if let Some(timely) = timely {
            out.end_late(&timely);
        }
        self.add_deferred_objects(out.tree);
    }

    /// Emits a message, and those that its bytes contain as well. Returns false if their dissector panicked.
    #[inline]
    fn show_messages(&mut self, side: Side, run: &Run, cut: Cut, out: &mut Out<'_>) -> bool {
        loop {
            let is_fine = self.show_message(side, run, cut, out);
            let repeats = match &mut self.dissector {
                StreamDissector::Known(_, conversation) => is_fine && !out.is_full() && conversation.repeats(side),
                StreamDissector::Undecided | StreamDissector::Unrecognised(_) | StreamDissector::None => false,
            };
            if !repeats {
                return is_fine;
            }
        }
    }

    /// Emits a message and the payloads in it. Returns false if its dissector panicked.
    #[inline]
    fn show_message(&mut self, side: Side, run: &Run, cut: Cut, out: &mut Out<'_>) -> bool {
        let StreamDissector::Known(protocol, conversation) = &mut self.dissector else { return true };
        let by_port = std::mem::take(&mut self.choice.by_port);
        let delivered = run.delivered((self.id, &self.endpoints, self.method), side, &self.halves[side].reassembly, out);
        let bytes = delivered.bytes;
        let how = Reading { cut, claimed: run.claimed, by_port, following: run.following };
        let is_fine = read((*protocol, conversation.as_mut()), delivered, how, out);
        let sockets = self.endpoints.sockets;
        let context = Some(FlowContext { stream: self.id, sockets, over: None, inside: self.method.is_some(), carrier: None });
        let owner = Some((*protocol, conversation.as_mut()));
        let mut nested = NestedContext { registry: out.registry, context, side, states: &mut self.inner, owner };
        nested.payloads(out.tree, Bytes { source: 0, all: bytes });
        is_fine
    }

    /// Emits bytes of unknown format, masked if they may belong to a secret.
    fn show_data(&mut self, side: Side, run: &Run, out: &mut Out<'_>) {
        let crowded = out.tree.is_crowded();
        let half = &mut self.halves[side];
        let delivered = run.delivered((self.id, &self.endpoints, self.method), side, &half.reassembly, out);
        let is_guarded = guards(self.choice.guard.as_deref(), side, delivered.bytes);
        let is_secret = half.is_in_doubt && !matches!(self.dissector, StreamDissector::Known(..)) && is_guarded;
        out.data(delivered, run.continues_secret || is_secret);
        half.is_in_doubt &= self.choice.guard.is_none() || is_guarded;
        if let StreamDissector::Known(_, conversation) = &mut self.dissector
            && crowded
        {
            give_up_at(conversation.as_mut(), side, run.len, out.tree);
            half.is_in_doubt = true;
        }
    }

    /// Adds the objects of the conversation behind the message at which they are requested.
    #[inline]
    fn add_deferred_objects(&self, tree: &mut Tree) {
        if let Some(asked) = tree.run.defer_after {
            let messages = || tree.layers.iter().filter(|layer| layer.message);
            if messages().count() as u64 == asked {
                let last = messages().next_back().map(|layer| layer.node);
                self.add_objects(last, tree);
            }
        }
    }
}

/// The bytes to emit at once.
struct Run {
    off: u64,
    len: usize,
    /// For a message, whether its end is missing.
    cut: Option<Cut>,
    /// The length that a message above the size limit claims, else 0.
    claimed: usize,
    /// Whether bytes of unknown format may continue a secret.
    continues_secret: bool,
    following: Following,
}

impl Run {
    /// The first buffered bytes, as many as this step takes.
    #[inline]
    fn of(step: Step, order: &Direction, following: Following) -> Option<Run> {
        let (len, cut, claimed) = match step {
            Step::Wait => return None,
            Step::Data(len) | Step::SecretData(len) => (len, None, 0),
            Step::Message { len, cut } => (len, Some(cut), 0),
            Step::Huge { len, claimed } => (len, Some(Cut::No), claimed),
        };
        let len = len.clamp(1, order.buffered().len().max(1));
        let continues_secret = matches!(step, Step::SecretData(_));
        Some(Run { off: order.buffered_off(), len, cut, claimed, continues_secret, following })
    }

    /// The bytes with their endpoints, which become those of the tree.
    #[inline]
    fn delivered<'a>(
        &self,
        (stream, between, method): (StreamId, &Endpoints, Option<&'static str>),
        side: Side,
        order: &'a Direction,
        out: &mut Out<'_>,
    ) -> Delivered<'a, impl Iterator<Item = Piece> + use<'a>> {
        let path = out.below.is_none().then(|| between.path.clone());
        let ends = ends_of(out.tree, Ends { path, ..endpoints(stream, between.sockets, side) });
        let ahead = order.buffered();
        let bytes = ahead.get(..self.len).unwrap_or(ahead);
        Delivered { stream, side, ends, off: self.off, method, bytes, pieces: order.pieces(self.off, self.len) }
    }
}

/// How a message is read.
struct Reading {
    cut: Cut,
    /// The length that a message above the size limit claims, else 0.
    claimed: usize,
    /// Whether only the port shows the protocol.
    by_port: bool,
    following: Following,
}

/// Adds a message. Returns false if its dissector panicked.
#[inline]
fn read<P: Iterator<Item = Piece>>(
    (protocol, conversation): (&'static Protocol, &mut dyn Conversation),
    delivered: Delivered<'_, P>,
    how: Reading,
    out: &mut Out<'_>,
) -> bool {
    let (side, Reading { cut, claimed, by_port, following }) = (delivered.side, how);
    let is_secret = cut != Cut::No && conversation.may_hold_secret(side, delivered.bytes);
    out.message(delivered, protocol, cut, |wire| {
        if claimed > 0 {
            return wire.malformed(&HUGE, format_args!("{claimed} bytes; {} is the most", limits::STREAM_MESSAGE.get()));
        }
        if by_port {
            wire.note_layer(&UNUSUAL, format_args!("recognized by its port alone"));
        }
        let result = conversation.message(side, wire);
        // What could not be read may be the beginning of a secret.
        if is_secret {
            wire.hide(wire.at()..wire.at() + wire.remaining());
        }
        if following == Following::LimitReached {
            wire.note_ahead(&GIVEN_UP, format_args!("too many bytes wait for the rest of their messages"));
        }
        result
    })
}

/// Tells a conversation that these bytes were not dissected.
#[cold]
fn give_up_at(conversation: &mut dyn Conversation, side: Side, len: usize, tree: &mut Tree) {
    conversation.gap(side, Missing { bytes: len as u64, in_step: false });
    let node = tree.here().saturating_sub(1);
    tree.note(&GIVEN_UP, node, Span::NONE, format_args!("too many messages at once, and memory is needed"));
}
