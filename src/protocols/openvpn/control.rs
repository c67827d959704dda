//! The control channel: TLS in messages that are numbered, repeated and overtaken.

use crate::protocols::tls::{self, records};
use crate::tree::Piece;
use crate::wire::{Result, Wire};
use std::collections::BTreeMap;
use std::ops::Range;

/// Messages that wait for an earlier one; the window of OpenVPN is smaller.
const MOST_WAITING: usize = 32;

/// Largest record that is completed.
const MOST_BYTES: usize = 1 << 16;

/// Payload of a message, with its frames.
#[derive(Default)]
struct Payload {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Payload {
    fn append(&mut self, other: Payload) {
        let off = self.bytes.len() as u64;
        self.pieces.extend(other.pieces.into_iter().map(|piece| Piece { off: piece.off + off, ..piece }));
        self.bytes.extend(other.bytes);
    }

    fn memory_usage(&self) -> usize {
        self.bytes.capacity() + self.pieces.capacity() * size_of::<Piece>()
    }
}

/// Messages of one direction.
#[derive(Default)]
pub(super) struct Channel {
    /// The key that the messages establish; each has its own numbers.
    key: u64,
    /// Number of the next message; none before the first one.
    next: Option<u32>,
    /// Bytes of a record that is not complete.
    begun: Payload,
    waiting: BTreeMap<u32, Payload>,
}

impl Channel {
    /// Starts anew: the side has begun to establish a key with this message.
    pub(super) fn begin(&mut self, key: u64, number: u32) {
        *self = Channel { key, next: Some(number.wrapping_add(1)), ..Channel::default() };
    }

    /// Accepts the payload of a message in this range, and hands over the records that it completes.
    pub(super) fn accept(&mut self, key: u64, number: u32, range: Range<usize>, wire: &mut Wire<'_>) -> Result {
        if key != self.key {
            *self = Channel { key, ..Channel::default() };
        }
        let next = *self.next.get_or_insert(number);
        if number < next {
            return Ok(());
        }
        let bytes = wire.whole().0.get(range.clone()).unwrap_or_default().to_vec();
        self.waiting.insert(number, Payload { bytes, pieces: wire.pieces(range, 0) });
        if self.waiting.len() > MOST_WAITING {
            wire.evicted(format_args!("more than {MOST_WAITING} messages wait for message {next}"));
            self.begun = Payload::default();
            self.next = self.waiting.first_key_value().map(|(first, _)| *first);
        }
        while let Some(payload) = self.next.and_then(|next| self.waiting.remove(&next)) {
            self.next = self.next.map(|next| next.wrapping_add(1));
            self.begun.append(payload);
        }
        self.hand_over(wire)
    }

    /// Hands over complete records.
    fn hand_over(&mut self, wire: &mut Wire<'_>) -> Result {
        let begun = std::mem::take(&mut self.begun);
        let mut records = Vec::new();
        let mut at = 0;
        while let Some(size) = begun.bytes.get(at..).and_then(records::whole_record) {
            records.push(at..at + size);
            at += size;
        }
        if !records.is_empty() {
            let bytes = begun.bytes.get(..at).unwrap_or_default();
            wire.joined("control channel", &cut(&begun.pieces, 0..at as u64), bytes, |inner| {
                records.into_iter().for_each(|record| inner.hand_over(tls::IN_MESSAGES, record));
                inner.skip(at)
            })?;
        }
        let rest = begun.bytes.get(at..).unwrap_or_default();
        // In a capture that begins midway, the first bytes may belong to a record that began earlier.
        if rest.len() < MOST_BYTES && records::may_begin(rest) {
            let end = begun.bytes.len() as u64;
            self.begun = Payload { bytes: rest.to_vec(), pieces: cut(&begun.pieces, at as u64..end) };
        }
        Ok(())
    }

    /// Approximate heap size in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let entry = size_of::<(u32, Payload)>();
        self.begun.memory_usage() + self.waiting.values().map(|payload| payload.memory_usage() + entry).sum::<usize>()
    }
}

/// The parts of pieces in a range, with offsets from its start.
fn cut(pieces: &[Piece], range: Range<u64>) -> Vec<Piece> {
    let part = |piece: &Piece| {
        let start = piece.off.max(range.start);
        let end = (piece.off + u64::from(piece.len)).min(range.end);
        let skipped = u32::try_from(start - piece.off).ok()?;
        let len = u32::try_from(end.checked_sub(start)?).ok().filter(|len| *len > 0)?;
        Some(Piece { off: start - range.start, at: piece.at.saturating_add(skipped), len, ..*piece })
    };
    pieces.iter().filter_map(part).collect()
}
