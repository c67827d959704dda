//! Memory limits of conversations.
//!
//! A closed connection keeps its full state for a while, for late and retransmitted segments; then the state is reduced.
//! State dropped from open conversations is counted.

use super::Engine;
use super::message::Out;
use super::stream::Connection;
use super::transport::fragment;
use crate::flow::Pair;
use crate::input::Frame;
use crate::limits;
use crate::record::Evictions;
use crate::tree::{Extras, LayerId};
use std::collections::VecDeque;

/// Below this total in bytes, overlap history is not trimmed.
const LEAN: usize = 8 << 20;

/// The target of a reduction, lower than the limit, so that not every segment causes one. If streams hold more after their
/// history and idle conversations were dropped, the ones idle longest lose state or are no longer dissected.
fn enough() -> usize {
    limits::STREAM_MEMORY.get() / 8 * 7
}

/// Connections idle for this many frames, and seconds, drop optional protocol state when memory is needed.
const SILENT_FRAMES: u64 = 1 << 16;
const SILENT_SECONDS: i64 = 10;

/// A reset connection is dissected until this many others have closed: bytes may have been in flight.
const READ: usize = 64;

/// The same when memory is needed.
const READ_AT_LEAST: usize = 4;

/// Closed connections that keep their full state.
const MAX_FULL_STATES: usize = 1024;

/// Memory held by conversations, and what was dropped to bound it.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Recently closed connections, the oldest first.
    ended: VecDeque<(Pair, u32)>,
    /// Bytes of memory held by all streams.
    pub held: usize,
    /// Bytes that streams may hold before the next pass over them.
    lean: usize,
    /// Frames of the last passes over all streams: of any pass, and of the last one above the limit.
    walked: [u64; 2],
    /// Streams whose last frame is earlier have dropped optional protocol state.
    quiet_forgot: u64,
    pub evictions: Evictions,
}

impl Engine {
    /// Registers a closed connection and reduces the state of older ones.
    #[inline(never)]
    pub(super) fn has_ended(&mut self, pair: Pair, number: u32) {
        let queue = &mut self.bounds.ended;
        queue.push_back((pair, number));
        if let Some((pair, number)) = queue.len().checked_sub(READ).and_then(|place| queue.get(place))
            && let Some(stream) = self.transports.streams.look(pair, *number).and_then(Connection::whole)
        {
            stream.release(&mut self.tree);
            stream.count(&mut self.bounds.held);
        }
        if queue.len() > MAX_FULL_STATES
            && let Some((pair, number)) = queue.pop_front()
            && let Some(connection) = self.transports.streams.look(&pair, number)
        {
            connection.settle(&mut self.bounds.held);
        }
    }

    /// Whether streams hold so much memory that some should be freed.
    #[inline]
    pub(super) fn holds_much(&mut self) -> bool {
        self.bounds.lean = self.bounds.lean.min(self.bounds.held * 2).max(LEAN);
        self.bounds.held > self.bounds.lean.min(limits::STREAM_MEMORY.get())
    }

    /// Whether streams hold at most half of their limit.
    pub(crate) fn holds_little(&self) -> bool {
        self.bounds.held <= limits::STREAM_MEMORY.get() / 2
    }

    /// Frees history kept only for comparison, and more above the limit. The connection of the current segment comes last.
    #[cold]
    pub(super) fn bound_memory(&mut self, pair: &Pair, number: u32, frame: &Frame<'_>, layer: Option<LayerId>) {
        let is_too_much = self.bounds.held > limits::STREAM_MEMORY.get();
        for (pair, number) in self.bounds.ended.iter().rev().skip(READ_AT_LEAST) {
            if let Some(stream) = self.transports.streams.look(pair, *number).and_then(Connection::whole) {
                stream.release(&mut self.tree);
            }
        }
        // History kept only for comparison is freed first. A connection without a segment since the last pass was freed already;
        // only its idle time can change what it must free.
        let [shrunk, settled] = self.bounds.walked;
        let since = if is_too_much { settled } else { shrunk };
        self.bounds.walked = if is_too_much { [frame.number; 2] } else { [frame.number, settled] };
        let silent = frame.number.saturating_sub(SILENT_FRAMES);
        for connection in self.transports.streams.states(|last_frame| last_frame >= since || last_frame < silent) {
            if let Some(stream) = connection.whole() {
                stream.shrink();
                if is_too_much {
                    stream.forget_unacknowledged();
                }
                if stream.is_silent(frame, SILENT_FRAMES, SILENT_SECONDS) {
                    self.bounds.evictions.states += u64::from(stream.forget());
                }
                stream.count(&mut self.bounds.held);
            }
            if is_too_much {
                self.bounds.evictions.states += u64::from(connection.settle(&mut self.bounds.held));
            }
        }
        // The next pass starts at a quarter more, so that passes over all streams are rare.
        self.bounds.lean = self.bounds.held / 4 * 5;
        if is_too_much && self.bounds.held > enough() {
            self.evict_idle(number, frame.bytes);
        }
        if self.bounds.held > limits::STREAM_MEMORY.get()
            && let Some(stream) = self.transports.streams.look(pair, number).and_then(Connection::whole)
        {
            stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame.bytes, layer).of_all());
            stream.count(&mut self.bounds.held);
            self.bounds.evictions.states += 1;
        }
    }

    /// Drops optional protocol state of the conversations idle longest. If that is not enough, emits pending data of those that
    /// hold much, except this one, and stops dissecting them.
    fn evict_idle(&mut self, but: u32, frame: &[u8]) {
        let quiet = self.transports.streams.quietest(|connection| matches!(connection, Connection::Whole(_)));
        for (pair, number, last_frame) in &quiet {
            if self.bounds.held <= enough() {
                return;
            }
            // Conversations idle at the last pass were handled then.
            if *last_frame >= self.bounds.quiet_forgot
                && let Some(stream) = self.transports.streams.look(pair, *number).and_then(Connection::whole)
                && stream.forget()
            {
                stream.count(&mut self.bounds.held);
                self.bounds.evictions.states += 1;
            }
            self.bounds.quiet_forgot = self.bounds.quiet_forgot.max(*last_frame);
        }
        // Those that hold less sum up to half of the total at most.
        let much = self.bounds.held / quiet.len().max(1) / 2;
        for (pair, number, _) in quiet {
            if self.bounds.held <= enough() {
                return;
            }
            let Some(connection) = self.transports.streams.look(&pair, number).filter(|_| number != but) else { continue };
            if let Some(stream) = connection.whole().filter(|stream| stream.counted() >= much) {
                stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame, None).of_all());
                stream.release(&mut self.tree);
                stream.count(&mut self.bounds.held);
                self.bounds.evictions.states += u64::from(connection.settle(&mut self.bounds.held));
            }
        }
    }

    /// Whether there may be too many conversations or incomplete reassemblies.
    pub(super) fn is_crowded(&self) -> bool {
        self.transports.streams.is_crowded()
            || self.transports.exchanges.is_crowded()
            || self.transports.associations.is_crowded()
            || self.transports.pipes.is_crowded()
            || !self.transports.fragments.is_empty()
    }

    /// Evicts the conversations idle longest when there are too many.
    #[inline(never)]
    pub(super) fn evict(&mut self, frame: &Frame<'_>) {
        self.bounds.evictions.conversations += self.transports.exchanges.evict(self.registry, &mut self.tree) as u64;
        self.bounds.evictions.states += self.transports.exchanges.forget_states(self.registry, &mut self.tree) as u64;
        self.evict_pipes();
        for (key, joined) in self.transports.fragments.evict(frame.time) {
            self.tree.outcome.late = true;
            fragment::incomplete(&mut self.tree, &key, &joined);
            self.tree.outcome.late = false;
        }
        self.evict_idle_associations(frame);
        for (_, connection) in self.transports.streams.evict() {
            self.bounds.evictions.conversations += 1;
            let Some(mut stream) = connection.into_whole() else { continue };
            self.bounds.held = self.bounds.held.saturating_sub(stream.counted());
            if self.tree.demand().has(Extras::OBJECTS) || !stream.is_empty() {
                let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None).of_all();
                stream.close(&mut out);
            }
        }
    }
}
