//! Streams: reassembly of each direction, with complete messages handed over to the application protocol.

use super::NOT_REASSEMBLED;
use super::reassembly::Reassembly;
use crate::limits;
use crate::protocols::dns;
use crate::protocols::http3::{self, Framing};
use crate::tree::{BySide, Piece, Side};
use crate::wire::{Rest, Unfinished, Wire};
use std::collections::BTreeMap;

/// Bit of a stream ID that is set in streams of the server.
const BY_SERVER: u64 = 0x01;
/// Bit of a stream ID that is set in unidirectional streams.
const IS_UNI: u64 = 0x02;
/// Distance of stream IDs of one type.
const STEP: u64 = 4;

/// Maximum number of streams of one type that a frame may open besides its own.
const OPENED_AT_ONCE: u64 = 64;
/// Unidirectional streams of a connection.
const MAX_UNI: usize = 256;

/// Streams of a connection. An ID opens all lower IDs of its type (RFC 9000, section 3.2), so a lower one that is not open has
/// ended.
#[derive(Default)]
pub(super) struct Streams {
    bidirectional: BTreeMap<u64, Stream>,
    unidirectional: BTreeMap<u64, Stream>,
    /// Lowest ID of each type that no frame has opened.
    unopened: [Option<u64>; 4],
    /// Approximate heap memory of all streams.
    held: usize,
}

#[derive(Default)]
struct Stream {
    halves: BySide<Half>,
}

/// One direction of a stream.
#[derive(Default)]
struct Half {
    data: Reassembly,
    /// Final size.
    end: Option<u64>,
    framing: Option<Messages>,
    /// All bytes have been handed over, or no more will be.
    is_done: bool,
}

/// Application protocol of the streams of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    Http3,
    Dns,
}

/// Messages of one direction of a stream.
#[derive(Clone, Copy)]
enum Messages {
    Http3(Framing),
    Dns,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages::Http3(Framing::default())
    }
}

impl Messages {
    fn new(carried: Carried, id: u64) -> Messages {
        match carried {
            Carried::Http3 => Messages::Http3(Framing::new(id & IS_UNI != 0)),
            Carried::Dns => Messages::Dns,
        }
    }

    /// The name under which messages are handed over.
    fn place(self) -> &'static str {
        match self {
            Messages::Http3(_) => http3::PLACE,
            Messages::Dns => dns::OVER_QUIC,
        }
    }

    /// Size of the next message, if it is complete or the stream ends, and of the length in front of it.
    fn next(&mut self, ahead: &[u8], is_whole: bool) -> Option<(usize, usize)> {
        match self {
            Messages::Http3(framing) => framing.next(ahead, is_whole).map(|size| (size, 0)),
            Messages::Dns => dns_message(ahead, is_whole),
        }
    }
}

/// The same of a DNS message (RFC 9250, 4.2). Drafts have no length in front of it: its ID, which is zero, comes first.
fn dns_message(ahead: &[u8], is_whole: bool) -> Option<(usize, usize)> {
    const LENGTH: usize = 2;
    match usize::from(u16::from_be_bytes(*ahead.first_chunk::<LENGTH>()?)) {
        0 => is_whole.then_some((ahead.len(), 0)),
        length => (is_whole || LENGTH + length <= ahead.len()).then_some((ahead.len().min(LENGTH + length), LENGTH)),
    }
}

/// Data of a STREAM frame.
pub(super) struct Data {
    pub(super) carried: Carried,
    pub(super) id: u64,
    pub(super) offset: u64,
    pub(super) count: usize,
    pub(super) is_last: bool,
}

impl Streams {
    /// Accepts the unread data of a frame, and hands over the messages it completes.
    pub(super) fn take(&mut self, from: Side, wire: &mut Wire<'_>, data: &Data) {
        let bytes = wire.ahead().get(..data.count).unwrap_or_default();
        let at = wire.at();
        self.open(data.id, wire);
        let held = self.held;
        let Some(half) = self.half(data.id, from).filter(|half| !half.is_done) else { return };
        let before = half.data.memory_usage();
        if data.is_last {
            half.end = Some(data.offset.saturating_add(bytes.len() as u64));
        }
        let known = half.data.end().checked_sub(data.offset).and_then(|known| usize::try_from(known).ok());
        let is_next = known.is_some() && half.data.ahead().is_empty();
        match known.filter(|_| is_next) {
            Some(known) => {
                let known = known.min(bytes.len());
                let taken = half.read(data, wire, at + known, bytes.get(known..).unwrap_or_default());
                half.data.pass(taken);
                let left = known + taken;
                let rest = bytes.get(left..).unwrap_or_default();
                half.data.add(
                    data.offset + left as u64,
                    rest,
                    wire.pieces(at + left..at + bytes.len(), data.offset + left as u64),
                );
            }
            None => half.data.add(data.offset, bytes, wire.pieces(at..at + bytes.len(), data.offset)),
        }
        half.read_joined(data, wire);
        let mut after = half.data.memory_usage();
        if (held + after).saturating_sub(before) > limits::QUIC_STREAMS_KEPT.get() && after > before {
            wire.note(&NOT_REASSEMBLED, format_args!("stream {}: bytes that wait exceed the limit", data.id));
            *half = Half { is_done: true, ..Half::default() };
            after = 0;
        }
        self.held = (held + after).saturating_sub(before);
        self.forget(data.id);
    }

    /// Opens a stream and the unopened lower ones of its type.
    fn open(&mut self, id: u64, wire: &mut Wire<'_>) {
        let place = usize::try_from(id % STEP).unwrap_or_default();
        let Some(unopened) = self.unopened.get_mut(place) else { return };
        let nearest = id.saturating_sub(OPENED_AT_ONCE * STEP) / STEP * STEP + id % STEP;
        let first = unopened.unwrap_or(nearest);
        *unopened = Some(first.max(id.saturating_add(STEP)));
        if first < nearest {
            wire.evicted(format_args!("streams {first} to {} are not read", nearest - STEP));
        }
        for new in (first.max(nearest)..=id).step_by(4) {
            match id & IS_UNI {
                0 => self.open_bidirectional(new, wire),
                _ => self.open_unidirectional(new, wire),
            }
        }
    }

    /// Above the limit, the oldest stream is evicted: its end is most likely missed.
    fn open_bidirectional(&mut self, id: u64, wire: &mut Wire<'_>) {
        let most = limits::QUIC_STREAMS.get();
        self.bidirectional.insert(id, Stream::default());
        while self.bidirectional.len() > most
            && let Some((oldest, stream)) = self.bidirectional.pop_first()
        {
            self.held = self.held.saturating_sub(stream.halves.iter().map(|half| half.data.memory_usage()).sum());
            wire.evicted(format_args!("stream {oldest}: more than {most} bidirectional streams are open"));
        }
    }

    /// Above the limit, the stream is ignored: others depend on the oldest ones.
    fn open_unidirectional(&mut self, id: u64, wire: &mut Wire<'_>) {
        if self.unidirectional.len() < MAX_UNI {
            self.unidirectional.insert(id, Stream::default());
        } else {
            wire.evicted(format_args!("stream {id}: more than {MAX_UNI} unidirectional streams are open"));
        }
    }

    /// A direction of an open stream.
    fn half(&mut self, id: u64, from: Side) -> Option<&mut Half> {
        let streams = if id & IS_UNI != 0 { &mut self.unidirectional } else { &mut self.bidirectional };
        streams.get_mut(&id).map(|stream| &mut stream.halves[from])
    }

    /// Removes a stream whose directions have ended.
    fn forget(&mut self, id: u64) {
        let is_uni = id & IS_UNI != 0;
        let opener = if id & BY_SERVER != 0 { Side::Server } else { Side::Client };
        let streams = if is_uni { &mut self.unidirectional } else { &mut self.bidirectional };
        let is_done =
            |stream: &Stream| if is_uni { stream.halves[opener].is_done } else { stream.halves.iter().all(|half| half.is_done) };
        if streams.get(&id).is_some_and(is_done) {
            streams.remove(&id);
        }
    }

    /// Ends a stream that the sender has reset.
    pub(super) fn reset(&mut self, id: u64, from: Side, wire: &mut Wire<'_>) {
        self.open(id, wire);
        if let Some(half) = self.half(id, from) {
            let freed = std::mem::replace(half, Half { is_done: true, ..Half::default() }).data.memory_usage();
            self.held = self.held.saturating_sub(freed);
        }
        self.forget(id);
    }

    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.held + (self.bidirectional.len() + self.unidirectional.len()) * (size_of::<Stream>() + size_of::<u64>())
    }

    /// Number of buffered bytes.
    pub(super) fn unfinished(&mut self) -> Vec<Unfinished> {
        let streams = self.bidirectional.iter_mut().chain(&mut self.unidirectional);
        let of = |(id, stream): (&u64, &mut Stream)| {
            let id = *id;
            Side::BOTH.map(|from| stream.halves[from].unfinished(id, from))
        };
        streams.flat_map(of).flatten().collect()
    }
}

impl Half {
    /// Detail of a message for the application protocol: the stream, and whether it is the last of this direction.
    fn detail(&self, id: u64, end: u64) -> u64 {
        http3::detail(id, self.end == Some(end))
    }

    /// Hands over the complete messages in these bytes of the source. Returns the number of bytes.
    fn read(&mut self, data: &Data, wire: &mut Wire<'_>, at: usize, bytes: &[u8]) -> usize {
        let id = data.id;
        let (mut taken, next) = (0, self.data.next());
        let is_whole = self.end == Some(next + bytes.len() as u64);
        let place = self.framing(data).place();
        while let Some((size, length)) = self.framing(data).next(bytes.get(taken..).unwrap_or_default(), is_whole) {
            let range = at + taken + length..at + taken + size;
            taken += size;
            let detail = self.detail(id, next + taken as u64);
            wire.hand_over_with(place, range, detail);
        }
        if is_whole && taken == bytes.len() {
            self.is_done = true;
            if taken == 0 && data.carried == Carried::Http3 {
                wire.hand_over_with(http3::PLACE, at..at, http3::detail(id, true));
            }
        }
        taken
    }

    /// Hands over messages reassembled from several packets.
    fn read_joined(&mut self, data: &Data, wire: &mut Wire<'_>) {
        let is_whole = self.end == Some(self.data.end());
        let mut framing = std::mem::take(self.framing(data));
        let (id, place) = (data.id, framing.place());
        while let Some((size, length)) = framing.next(self.data.ahead(), is_whole) {
            let (bytes, pieces) = self.data.take(size);
            let detail = self.detail(id, self.data.next());
            self.is_done = self.end == Some(self.data.next());
            wire.joined_deciphered("quic stream", &pieces, &bytes, |inner| {
                inner.hand_over_with(place, length..size, detail);
            });
        }
        self.framing = Some(framing);
        self.data.compact();
    }

    fn framing(&mut self, data: &Data) -> &mut Messages {
        self.framing.get_or_insert_with(|| Messages::new(data.carried, data.id))
    }

    fn unfinished(&mut self, id: u64, from: Side) -> Option<Unfinished> {
        if self.data.is_empty() {
            return None;
        }
        let (bytes, pieces, missing): (Vec<u8>, Vec<Piece>, u64) = self.data.give_up();
        let words = match missing {
            0 => format!("stream {id}: the end of the last message is missing"),
            _ => format!("stream {id}: at least {missing} bytes are missing"),
        };
        Some(Unfinished {
            from,
            bytes,
            pieces,
            method: "quic stream",
            lost: Vec::new(),
            rest: Rest::Incomplete { code: &NOT_REASSEMBLED, words },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    /// The notes on evictions while a client opens streams.
    fn evicted(ids: impl Iterator<Item = u64>) -> Vec<String> {
        let mut streams = Streams::default();
        let open = |wire: &mut Wire<'_>| {
            ids.for_each(|id| {
                streams.take(Side::Client, wire, &Data { carried: Carried::Http3, id, offset: 1, count: 0, is_last: false })
            });
            Ok(())
        };
        let dump = trial::read(&super::super::PROTOCOL, &[], Cut::No, open);
        dump.lines()
            .filter_map(|line| line.split_once("dissect.evicted")?.1.split_once("stream"))
            .map(|(_, words)| words.to_owned())
            .collect()
    }

    #[test]
    fn each_forgotten_stream_is_noted() {
        let most = limits::QUIC_STREAMS.get() as u64;
        assert_eq!(evicted((0..most).map(|number| STEP * number)), [""; 0]);
        let evictions = evicted((0..most + 2).map(|number| STEP * number));
        assert_eq!(evictions.len(), 2);
        assert!(evictions[0].starts_with(" 0: more than") && evictions[1].starts_with(" 4: more than"), "{evictions:?}");
    }

    #[test]
    fn each_unidirectional_stream_that_is_not_read_is_noted() {
        let most = MAX_UNI as u64;
        assert_eq!(evicted((0..most).map(|number| STEP * number + IS_UNI)), [""; 0]);
        let refused = evicted((0..most + 1).map(|number| STEP * number + IS_UNI));
        assert!(refused.len() == 1 && refused[0].starts_with(&format!(" {}: more than", STEP * most + IS_UNI)), "{refused:?}");
    }

    #[test]
    fn a_leap_over_too_many_streams_is_noted() {
        assert_eq!(evicted([STEP * 1000].into_iter()), [""; 0]);
        assert_eq!(evicted([0, STEP * 64].into_iter()), [""; 0]);
        assert_eq!(evicted([0, STEP * 1000].into_iter()), ["s 4 to 3740 are not read"]);
    }
}
