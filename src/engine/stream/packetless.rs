//! Streams of inputs without packets.

use super::half_stream::Following;
use super::{Stream, StreamDissector};
use crate::engine::message::Out;
use crate::flow::reassembly::TcpSegment;
use crate::input::Frame;
use crate::registry::{Candidate, Registry};
use crate::tree::{Side, StreamId};
use std::ops::Range;

impl Stream {
    /// Creates a conversation of an input without packets.
    pub(in crate::engine) fn packetless(id: StreamId) -> Stream {
        let mut stream = Stream::new(id, None, "".into());
        for half in stream.halves.iter_mut() {
            half.from_start = true;
            half.reassembly.expect(0);
        }
        stream
    }

    /// The same for a protocol that recognized its bytes.
    pub(in crate::engine) fn recognized(self, candidate: Candidate, registry: Registry) -> Stream {
        let mut conversation = candidate.found.dissector.conversation(registry.settings(), [true; 2]);
        if let Some(conversation) = &mut conversation {
            conversation.begins(&self.beginning());
        }
        let dissector = match conversation.filter(|_| !registry.is_blind()) {
            Some(conversation) => StreamDissector::Known(candidate.protocol, conversation),
            None => StreamDissector::None,
        };
        Stream { dissector, ..self }
    }

    /// Chooses the protocol from the bytes so far from now on, without waiting for more.
    pub(in crate::engine) fn decide_now(&mut self) {
        self.choice.decide_now = true;
    }

    /// Accepts the next bytes of one side, a part of the frame.
    pub(in crate::engine) fn accept_packetless(&mut self, side: Side, frame: &Frame<'_>, range: Range<usize>, out: &mut Out<'_>) {
        self.life.begin(frame);
        (self.life.last_frame, self.life.last_time) = (frame.number, frame.time);
        let order = &self.halves[side].reassembly;
        let [a, b, c, d, ..] = order.buffered_off().saturating_add(order.buffered().len() as u64).to_le_bytes();
        let segment = TcpSegment {
            seq: u32::from_le_bytes([a, b, c, d]),
            syn: false,
            fin: false,
            at: u32::try_from(range.start).unwrap_or(u32::MAX),
            bytes: frame.bytes.get(range).unwrap_or_default(),
            missing: 0,
            frame: frame.number,
            time: frame.time,
        };
        self.take(side, &segment, out);
    }

    /// Emits the pending bytes of one side: the next packet does not continue them.
    pub(in crate::engine) fn end_packet(&mut self, side: Side, out: &mut Out<'_>) {
        self.drain(side, Following::End, out);
        self.end_inner(side, out);
    }
}
