//! Responses in parts: headers of three engines, and data compressed with bzip2.
//!
//! ```text
//! fe ff ff ff | id:4 | header | part
//!   GoldSource                     index:4 bits | count:4 bits
//!   Source before the Orange Box   count:1 | index:1
//!   Source                         count:1 | index:1 | size:2
//! joined parts, if the highest bit of the id is set
//!   decompressed size:4 | CRC-32:4 | bzip2 data
//! ```

use super::*;
use crate::flow::delivery::{Added, EvictedMessage, Part, ReassemblyTable};
use crate::tree::{Bits, Value};
use crate::wire::{Result, Wire};
use std::io::Read;

/// Reassembly method, as shown to the user.
const PARTS: &str = "a2s parts";

/// Set in the ID of a compressed response.
const IS_COMPRESSED: u32 = 1 << 31;

/// Decompressed size and CRC-32 in bytes.
const SIZE_AND_CRC: usize = 8;

/// Magic of bzip2 data.
const BZIP2: &[u8] = b"BZh";

/// Largest decompressed response in bytes.
const MOST: usize = 1 << 20;

/// Parts of the responses of a server.
#[derive(Default)]
pub(super) struct Parts {
    splits: ReassemblyTable,
    /// Known from a first part; a server has one engine.
    header: Option<Header>,
}

impl Parts {
    /// Approximate memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.splits.memory_usage()
    }
}

/// Header after the ID of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    Nibbles,
    Counted,
    Sized,
}

impl Header {
    /// The header before the first part, whose beginning is known.
    fn of_first(behind: &[u8], is_compressed: bool) -> Option<Header> {
        let has = |at: usize, start: &[u8]| behind.get(at..).is_some_and(|bytes| bytes.starts_with(start));
        let begins = |at| has(at, &WHOLE) || is_compressed && has(at + SIZE_AND_CRC, BZIP2);
        match behind {
            [count, ..] if *count < 0x10 && has(1, &WHOLE) => Some(Header::Nibbles),
            [_, 0, ..] if begins(2) => Some(Header::Counted),
            [_, 0, ..] if begins(4) => Some(Header::Sized),
            _ => None,
        }
    }

    /// The most probable header in front of another part.
    fn guess(behind: &[u8]) -> Header {
        match *behind {
            [count, index, low, high, ..] if index < count && (256..=1400).contains(&u16::from_le_bytes([low, high])) => {
                Header::Sized
            }
            // With a count of 16, this byte is the second part of GoldSource.
            [count @ ..0x10, index, ..] if index < count => Header::Counted,
            _ => Header::Nibbles,
        }
    }

    /// Dissects the header. Returns count and index.
    fn read(self, wire: &mut Wire<'_>) -> Result<(u8, u8)> {
        if self == Header::Nibbles {
            let both = wire.peek_u8().unwrap_or_default();
            let (at, index, count) = (wire.at(), both >> 4, both & 0x0f);
            wire.skip(1)?;
            wire.put_bits(&PART_INDEX, Value::Unsigned(index.into()), at..at + 1, Bits { first: 0, count: 4 });
            wire.put_bits(&PART_COUNT, Value::Unsigned(count.into()), at..at + 1, Bits { first: 4, count: 4 });
            return Ok((count, index));
        }
        let (count, index) = (wire.u8(&PART_COUNT)?, wire.u8(&PART_INDEX)?);
        if self == Header::Sized {
            wire.u16_le(&PART_SIZE)?;
        }
        Ok((count, index))
    }
}

impl Pending {
    /// Dissects a part, and the response that it completes.
    pub(super) fn part(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.u32_le(&HEADER)?;
        wire.name("part of an answer");
        let id = wire.u32_le(&PART_ID)?;
        wire.info(format_args!("id {id:#010x}"));
        let first = Header::of_first(wire.ahead(), id & IS_COMPRESSED != 0);
        self.parts.header = first.or(self.parts.header);
        let header = self.parts.header.unwrap_or_else(|| Header::guess(wire.ahead()));
        let (count, index) = header.read(wire)?;
        wire.info(format_args!("{} of {count}, id {id:#010x}", u16::from(index) + 1));
        let (start, bytes) = (wire.at(), wire.rest(&PART_DATA));
        if index >= count || bytes.is_empty() {
            return Ok(());
        }
        let pieces = wire.pieces(start..start + bytes.len(), 0);
        let part = Part { id: id.into(), count: count.into(), index: index.into(), bytes, pieces: &pieces };
        let on_evict = |evicted: EvictedMessage, _| {
            wire.note_layer(&PARTS_MISSING, format_args!("{} of {} parts received", evicted.received, evicted.count))
        };
        match self.parts.splits.add(part, on_evict) {
            Added::Incomplete | Added::Duplicate => Ok(()),
            Added::Conflict => {
                wire.note(&PART_CONFLICT, format_args!("part {index} was received before with other bytes"));
                Ok(())
            }
            Added::Complete(joined) => wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| match id & IS_COMPRESSED {
                0 => self.joined(inner),
                _ => self.compressed(inner),
            }),
        }
    }

    /// Dissects a response that was assembled.
    fn joined(&mut self, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(&WHOLE) {
            return self.whole(wire, &JOINED_HEADER);
        }
        wire.rest_is(&DATA)
    }

    fn compressed(&mut self, wire: &mut Wire<'_>) -> Result {
        let is_bzip2 = wire.ahead().get(SIZE_AND_CRC..).is_some_and(|data| data.starts_with(BZIP2));
        if !is_bzip2 {
            return self.joined(wire);
        }
        let size = wire.u32_le(&DECOMPRESSED)?;
        let crc = wire.u32_le(&CRC)?;
        let most = usize::try_from(size).unwrap_or(MOST).min(MOST).min(wire.decompression_limit());
        let bytes = decompressed(wire.ahead(), most);
        wire.has_decompressed(bytes.len());
        let (at, count) = (wire.at(), wire.remaining());
        wire.put(&COMPRESSED, Value::Bytes, at..at + count);
        let mut sum = flate2::Crc::new();
        sum.update(&bytes);
        if u32::try_from(bytes.len()) != Ok(size) || sum.sum() != crc {
            let (got, sum) = (bytes.len(), sum.sum());
            wire.note(
                &BAD_COMPRESSION,
                format_args!("expected {size} bytes with CRC-32 {crc:#010x}, got {got} bytes with {sum:#010x}"),
            );
        }
        wire.derived("bzip2", count, &bytes, |inner| self.joined(inner))
    }
}

/// Decompresses bzip2 data up to its first error, at most this many bytes.
fn decompressed(data: &[u8], most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    // On an error, `bytes` has the output before it; size and CRC-32 reveal the error.
    let _ = bzip2::bufread::BzDecoder::new(data).take(limit).read_to_end(&mut bytes);
    bytes
}
