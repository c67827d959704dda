//! Room in memory: what is kept of conversations, and what is given up when there are too many.
//!
//! A connection that has ended stays whole for a while, since segments come late and twice; then only its rest is kept.
//! What is given up of those that have not ended is counted.

use super::message::Out;
use super::stream::Connection;
use super::{Engine, fragment};
use crate::flow::Pair;
use crate::input::Frame;
use crate::tree::LayerId;
use std::collections::VecDeque;

/// Bytes that all streams together may keep in memory.
const MAX_HELD: usize = 32 << 20;

/// If all hold more than this when history and quiet ends are gone, the quietest are no longer read.
const ENOUGH: usize = MAX_HELD / 4 * 3;

/// What is left then, so that it does not happen with every segment.
const OTHERS: usize = MAX_HELD / 2;

/// A connection that was broken off is read until so many others have ended: bytes may have been on their way.
const READ: usize = 64;

/// Connections that have ended and are kept whole.
const WHOLE: usize = 1024;

/// The connections that ended last, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Ended(VecDeque<(Pair, u32)>);

impl Engine {
    /// A connection has ended. Those that ended some time ago take less room from now on.
    pub(super) fn has_ended(&mut self, pair: Pair, number: u32) {
        let queue = &mut self.ended.0;
        queue.push_back((pair, number));
        if let Some((pair, number)) = queue.len().checked_sub(READ).and_then(|place| queue.get(place))
            && let Some(stream) = self.streams.look(pair, *number).and_then(Connection::whole)
        {
            stream.let_go(&mut self.tree);
            stream.count(&mut self.held);
        }
        if queue.len() > WHOLE
            && let Some((pair, number)) = queue.pop_front()
            && let Some(connection) = self.streams.look(&pair, number)
        {
            connection.settle(&mut self.held);
        }
    }

    /// Give back what streams hold if it is too much; what this one has of it, in the layer of its segment, comes last.
    pub(super) fn bound_memory(&mut self, pair: &Pair, number: u32, frame: &[u8], layer: LayerId) {
        if self.held <= MAX_HELD {
            return;
        }
        // What is only there to compare with is given back first.
        for connection in self.streams.states() {
            if let Some(stream) = connection.whole() {
                stream.shrink();
                stream.count(&mut self.held);
            }
            self.forgotten.states += u64::from(connection.settle(&mut self.held));
        }
        if self.held > ENOUGH {
            self.give_up_quiet(number, frame, layer);
        }
        if self.held > MAX_HELD
            && let Some(stream) = self.streams.look(pair, number).and_then(Connection::whole)
        {
            stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame, Some(layer)));
            stream.count(&mut self.held);
            self.forgotten.states += 1;
        }
    }

    /// Tell what waits in the conversations that were quiet longest, but not in this one, and stop reading them.
    fn give_up_quiet(&mut self, but: u32, frame: &[u8], layer: LayerId) {
        let quiet = self.streams.quietest(|connection| matches!(connection, Connection::Whole(_)));
        for (pair, number) in quiet {
            if self.held <= OTHERS {
                return;
            }
            let Some(connection) = self.streams.look(&pair, number).filter(|_| number != but) else { continue };
            if let Some(stream) = connection.whole() {
                stream.give_up(&mut Out::new(&mut self.tree, self.registry, frame, Some(layer)));
                stream.let_go(&mut self.tree);
                stream.count(&mut self.held);
            }
            self.forgotten.states += u64::from(connection.settle(&mut self.held));
        }
    }

    /// Forget the conversations that were quiet longest when there are too many.
    pub(super) fn make_room(&mut self, frame: &Frame<'_>) {
        self.forgotten.conversations += self.exchanges.make_room(&mut self.tree) as u64;
        for joined in self.fragments.make_room(frame.time) {
            fragment::incomplete(&mut self.tree, &joined);
        }
        for (_, connection) in self.streams.make_room() {
            self.forgotten.conversations += 1;
            let Some(mut stream) = connection.into_whole() else { continue };
            self.held = self.held.saturating_sub(stream.counted());
            if self.tree.want().objects || !stream.is_empty() {
                let mut out = Out::new(&mut self.tree, self.registry, frame.bytes, None);
                stream.close(&mut out);
            }
        }
    }
}
