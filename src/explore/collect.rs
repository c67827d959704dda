//! Collects the sides of conversations from an engine without dissectors.

use super::side::{Segment, Side};
use crate::follow::{Event, Follower, Payload};
use crate::limits;
use crate::tree::{self, Demand, Dissection, StreamId};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

/// The collected sides of conversations.
pub struct Collector {
    follower: Follower,
    most: usize,
    known: HashMap<StreamId, Conversation, foldhash::fast::RandomState>,
    /// Conversations to collect; `None` for all.
    only: Option<Vec<StreamId>>,
    /// Excluded conversations.
    ignored: HashSet<StreamId, foldhash::fast::RandomState>,
    held: usize,
    /// Bytes dropped at the limit.
    left_out: u64,
}

struct Conversation {
    sides: [Side; 2],
    last: Option<tree::Side>,
    order: usize,
}

impl Collector {
    /// Collects these conversations, or all, up to `most` bytes per side.
    #[must_use]
    pub fn new(only: Option<Vec<StreamId>>, most: usize) -> Collector {
        Collector {
            follower: Follower::new(None),
            most,
            known: HashMap::default(),
            only,
            ignored: HashSet::default(),
            held: 0,
            left_out: 0,
        }
    }

    /// The parts of a frame that are needed.
    #[must_use]
    pub fn demand() -> Demand {
        Demand::STREAM_BYTES
    }

    /// Bytes dropped at the limit of all conversations.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Adds the payload of a frame.
    pub fn see(&mut self, of: Dissection<'_>, captured: bool) {
        let Collector { follower, most, known, only, ignored, held, left_out } = self;
        let is_pushed = captured && is_pushed(of);
        let Ok(()) = follower.collect(of, captured, |event| {
            let (stream, dir) = match event {
                Event::Payload(payload) => (payload.stream, payload.side),
                Event::Missing(missing) => (missing.stream, missing.side),
            };
            let is_meant = only.as_ref().is_none_or(|only| only.contains(&stream)) && !ignored.contains(&stream);
            let has_room = known.len() < limits::FOLLOW_CONVERSATIONS.get() || known.contains_key(&stream);
            if !is_meant || !has_room {
                return Ok::<(), Infallible>(());
            }
            let conversation = known.entry(stream).or_insert_with(|| Conversation::new(stream));
            match event {
                Event::Payload(payload) => {
                    let before = conversation.side(dir).bytes.len();
                    let remaining = before.saturating_add(limits::EXPLORE_BYTES.get().saturating_sub(*held)).min(*most);
                    let taken = conversation.add(&payload, remaining, is_pushed);
                    *held += taken;
                    *left_out += (payload.bytes.len().min(*most - before.min(*most)) - taken) as u64;
                }
                Event::Missing(missing) => conversation.side(dir).lose(missing.len),
            }
            Ok(())
        });
    }

    /// Stops collecting a conversation and frees its bytes.
    pub fn ignore(&mut self, stream: StreamId) {
        self.ignored.insert(stream);
        if let Some(conversation) = self.known.remove(&stream) {
            self.held -= conversation.sides.iter().map(|side| side.bytes.len()).sum::<usize>();
        }
    }

    /// The sides with bytes, by conversation.
    #[must_use]
    pub fn finish(self) -> Vec<Side> {
        let mut sides: Vec<Side> = self.known.into_values().flat_map(|conversation| conversation.sides).collect();
        sides.retain(|side| !side.bytes.is_empty());
        sides.sort_by_key(|side| (side.stream.transport, side.stream.number, side.dir));
        sides
    }
}

impl Conversation {
    fn new(stream: StreamId) -> Conversation {
        Conversation { sides: tree::Side::BOTH.map(|dir| Side::new(stream, dir)), last: None, order: 0 }
    }

    fn side(&mut self, dir: tree::Side) -> &mut Side {
        let [client, server] = &mut self.sides;
        if dir == tree::Side::Client { client } else { server }
    }

    /// Adds payload, as long as its side has less than `most` bytes; returns the number of bytes added.
    fn add(&mut self, payload: &Payload<'_>, most: usize, is_pushed: bool) -> usize {
        let is_turn = self.last != Some(payload.side);
        let order = self.order;
        let side = self.side(payload.side);
        side.sent = side.sent.saturating_add(payload.bytes.len() as u64);
        let remaining = most.saturating_sub(side.bytes.len());
        let taken = payload.bytes.get(..remaining).unwrap_or(payload.bytes);
        if taken.is_empty() {
            return 0;
        }
        if side.ends[0].is_empty() {
            side.ends = [payload.ends.src, payload.ends.dst].map(|end| end.map_or(String::new(), |end| end.to_string()));
        }
        // Neither framing nor values go on across bytes without a place.
        if payload.is_stray || side.ends_stray {
            side.holes.push((side.bytes.len(), 0));
        }
        side.ends_stray = payload.is_stray;
        let time = payload.time().map_or(0, |time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanos.into()));
        let base = side.bytes.len();
        let segment =
            |at: usize, frame| Segment { at: base + at, is_turn: is_turn && at == 0, is_pushed: false, time, order, frame };
        // Segments that became readable together form a run of several pieces.
        let pieces = payload.message.pieces();
        let mut at = 0;
        for piece in pieces.iter().filter(|_| !side.is_datagrams) {
            if at < taken.len() {
                side.segments.push(segment(at, piece.frame));
            }
            at = at.saturating_add(piece.len as usize);
        }
        if pieces.is_empty() || side.is_datagrams {
            side.segments.push(segment(0, payload.message.of.tree.frame.number));
        }
        if let Some(last) = side.segments.last_mut() {
            last.is_pushed = is_pushed;
        }
        side.bytes.extend_from_slice(taken);
        let taken = taken.len();
        self.last = Some(payload.side);
        self.order += 1;
        taken
    }
}

/// Whether the TCP header of the frame has the flag PSH.
fn is_pushed(of: Dissection<'_>) -> bool {
    let tcp = of.tree.layers.iter().rev().filter_map(|layer| of.layer_node(layer)).find(|node| node.field().abbrev == "tcp");
    tcp.and_then(|node| node.bytes().get(13).copied()).is_some_and(|flags| flags & 8 != 0)
}
