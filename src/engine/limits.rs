//! Room in memory: what is kept of conversations, and what is given up when there are too many.
//!
//! A connection that has ended stays whole for a while, since segments come late and twice; then only its rest is kept.
//! What is given up of those that have not ended is counted.

use super::message::Out;
use super::stream::Connection;
use super::{Engine, fragment};
use crate::flow::Pair;
use crate::input::Frame;
use crate::limits;
use crate::tree::{Extras, LayerId};
use std::collections::VecDeque;

/// Below this total in bytes, overlap history is not trimmed.
const LEAN: usize = 8 << 20;

/// If all hold more than this when history and quiet ends are gone, the quietest forget or are no longer read until it is no more, so
/// that it does not happen with every segment.
fn enough() -> usize {
    limits::STREAM_MEMORY.get() / 8 * 7
}

/// Where it is asked, what protocols can do without is forgotten of connections that were silent for so many frames, and so many seconds.
const SILENT_FRAMES: u64 = 1 << 16;
const SILENT_SECONDS: i64 = 10;

/// A connection that was broken off is read until so many others have ended: bytes may have been on their way.
const READ: usize = 64;

/// The same where memory is needed.
const READ_AT_LEAST: usize = 4;

/// Connections that have ended and are kept whole.
const WHOLE: usize = 1024;

/// The connections that ended last, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Ended(VecDeque<(Pair, u32)>);

impl Engine {
    /// A connection has ended. Those that ended some time ago take less room from now on.
    #[inline(never)]
    pub(super) fn has_ended(&mut self, pair: Pair, number: u32) {
        let queue = &mut self.ended.0;
        queue.push_back((pair, number));
        if let Some((pair, number)) = queue.len().checked_sub(READ).and_then(|place| queue.get(place))
            && let Some(stream) = self.streams.look(pair, *number).and_then(Connection::whole)
        {
            stream.release(&mut self.tree);
            stream.count(&mut self.held);
        }
        if queue.len() > WHOLE
            && let Some((pair, number)) = queue.pop_front()
            && let Some(connection) = self.streams.look(&pair, number)
        {
            connection.settle(&mut self.held);
        }
    }

    /// Whether streams hold so much that some should be given back.
    #[inline]
    pub(super) fn holds_much(&mut self) -> bool {
        self.lean = self.lean.min(self.held * 2).max(LEAN);
        self.held > self.lean.min(limits::STREAM_MEMORY.get())
    }

    /// Whether streams hold no more than half of what they may.
    pub(crate) fn holds_little(&self) -> bool {
        self.held <= limits::STREAM_MEMORY.get() / 2
    }

    /// Give back what streams hold only to compare with, and more if it is too much; what this one has of it, in the layer of its
    /// segment, comes last.
    #[cold]
    pub(super) fn bound_memory(&mut self, pair: &Pair, number: u32, frame: &Frame<'_>, layer: Option<LayerId>) {
        let is_too_much = self.held > limits::STREAM_MEMORY.get();
        for (pair, number) in self.ended.0.iter().rev().skip(READ_AT_LEAST) {
            if let Some(stream) = self.streams.look(pair, *number).and_then(Connection::whole) {
                stream.release(&mut self.tree);
            }
        }
        // What is only there to compare with is given back first. A connection without a segment since the last walk has
        // given it back already; silence alone changes what is asked of it.
        let [shrunk, settled] = self.walked;
        let since = if is_too_much { settled } else { shrunk };
        self.walked = if is_too_much { [frame.number; 2] } else { [frame.number, settled] };
        let silent = frame.number.saturating_sub(SILENT_FRAMES);
        for connection in self.streams.states(|last_frame| last_frame >= since || last_frame < silent) {
            if let Some(stream) = connection.whole() {
                stream.shrink();
                if is_too_much {
                    stream.forget_unacknowledged();
                }
                if stream.is_silent(frame, SILENT_FRAMES, SILENT_SECONDS) {
                    self.forgotten.states += u64::from(stream.forget());
                }
                stream.count(&mut self.held);
            }
            if is_too_much {
                self.forgotten.states += u64::from(connection.settle(&mut self.held));
            }
        }
        // The next time when it is a quarter more, so that looking through all of them is seldom.
        self.lean = self.held / 4 * 5;
        if is_too_much && self.held > enough() {
            self.give_up_quiet(number, frame.bytes);
        }
        if self.held > limits::STREAM_MEMORY.get()
            && let Some(stream) = self.streams.look(pair, number).and_then(Connection::whole)
        {
            stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame.bytes, layer).of_all());
            stream.count(&mut self.held);
            self.forgotten.states += 1;
        }
    }

    /// Let the conversations that were quiet longest forget what their protocols can do without. If that is not enough, tell
    /// what waits in those that hold much, but not in this one, and stop reading them.
    fn give_up_quiet(&mut self, but: u32, frame: &[u8]) {
        let quiet = self.streams.quietest(|connection| matches!(connection, Connection::Whole(_)));
        for (pair, number, last_frame) in &quiet {
            if self.held <= enough() {
                return;
            }
            // What was quiet before that forgot the last time.
            if *last_frame >= self.quiet_forgot
                && let Some(stream) = self.streams.look(pair, *number).and_then(Connection::whole)
                && stream.forget()
            {
                stream.count(&mut self.held);
                self.forgotten.states += 1;
            }
            self.quiet_forgot = self.quiet_forgot.max(*last_frame);
        }
        // Those that hold less are half of it at most.
        let much = self.held / quiet.len().max(1) / 2;
        for (pair, number, _) in quiet {
            if self.held <= enough() {
                return;
            }
            let Some(connection) = self.streams.look(&pair, number).filter(|_| number != but) else { continue };
            if let Some(stream) = connection.whole().filter(|stream| stream.counted() >= much) {
                stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame, None).of_all());
                stream.release(&mut self.tree);
                stream.count(&mut self.held);
                self.forgotten.states += u64::from(connection.settle(&mut self.held));
            }
        }
    }

    /// Whether there may be too many conversations, or parts of datagrams that wait.
    pub(super) fn is_crowded(&self) -> bool {
        self.streams.is_crowded() || self.exchanges.is_crowded() || self.associations.is_crowded() || !self.fragments.is_empty()
    }

    /// Forget the conversations that were quiet longest when there are too many.
    #[inline(never)]
    pub(super) fn evict(&mut self, frame: &Frame<'_>) {
        self.forgotten.conversations += self.exchanges.evict(&mut self.tree) as u64;
        self.forgotten.states += self.exchanges.forget_states(&mut self.tree) as u64;
        for (key, joined) in self.fragments.evict(frame.time) {
            self.tree.late = true;
            fragment::incomplete(&mut self.tree, &key, &joined);
            self.tree.late = false;
        }
        self.evict_associations(frame);
        for (_, connection) in self.streams.evict() {
            self.forgotten.conversations += 1;
            let Some(mut stream) = connection.into_whole() else { continue };
            self.held = self.held.saturating_sub(stream.counted());
            if self.tree.demand().has(Extras::OBJECTS) || !stream.is_empty() {
                let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None).of_all();
                stream.close(&mut out);
            }
        }
    }
}
