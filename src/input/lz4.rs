//! One frame of lz4, block by block.
//!
//! ```text
//! frame  magic:4 | flags:1 | sizes:1 | (content size:8) | (dictionary:4) | check:1 | blocks | 0:4 | (checksum:4)
//! block  length:4, the highest bit set if it is not compressed | bytes:length | (checksum:4)
//! ```
//! `lz4_flex` decodes the blocks. Its frame reader is not used because it accepts a truncated frame at the end of the input.

use std::hash::Hasher;
use std::io::{self, Read};

use lz4_flex::block::decompress_into_with_dict;
use twox_hash::XxHash32;

use super::buffer::{Buffer, Supply};
use super::order::Order;
use super::packed::{self, Packing};

/// Window size of linked blocks.
const WINDOW: usize = 64 * 1024;

const LEAST_HEADER: usize = 7;
const UNCOMPRESSED: u32 = 1 << 31;

/// Bits of the flags.
mod flag {
    pub(super) const VERSION: u8 = 0b1100_0000;
    pub(super) const VERSION_1: u8 = 0b0100_0000;
    pub(super) const INDEPENDENT: u8 = 1 << 5;
    pub(super) const BLOCK_CHECKSUM: u8 = 1 << 4;
    pub(super) const CONTENT_SIZE: u8 = 1 << 3;
    pub(super) const CONTENT_CHECKSUM: u8 = 1 << 2;
    pub(super) const RESERVED: u8 = 1 << 1;
    pub(super) const DICTIONARY: u8 = 1;
}

/// State of a frame.
pub(super) struct Frame {
    flags: u8,
    /// Maximum block size.
    largest: usize,
    /// The window before the current block, and the block.
    plain: Vec<u8>,
    /// Range of `plain` that was not yet returned.
    start: usize,
    end: usize,
    content_size: Option<u64>,
    given: u64,
    hash: XxHash32,
}

fn damaged(what: &str) -> io::Error {
    packed::damaged(Packing::Lz4, what)
}

fn need(buffer: &mut Buffer, count: usize) -> io::Result<&[u8]> {
    match buffer.need(count)? {
        Supply::Enough => Ok(buffer.ahead().get(..count).unwrap_or_default()),
        Supply::Ended => Err(packed::cut(Packing::Lz4)),
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    Order::Little.u32(bytes, at).unwrap_or_default()
}

fn checksum(bytes: &[u8]) -> u64 {
    XxHash32::oneshot(0, bytes).into()
}

impl Frame {
    /// Reads the header. Reuses the memory of the previous frame.
    pub(super) fn begin(buffer: &mut Buffer, before: Option<Frame>) -> io::Result<Frame> {
        let head = need(buffer, LEAST_HEADER)?;
        let (flags, sizes) = (head.get(4).copied().unwrap_or_default(), head.get(5).copied().unwrap_or_default());
        if flags & flag::VERSION != flag::VERSION_1 || flags & flag::RESERVED != 0 {
            return Err(damaged("a version of its format that is not known"));
        }
        let largest = match sizes {
            0x40 => 64 << 10,
            0x50 => 256 << 10,
            0x60 => 1 << 20,
            0x70 => 4 << 20,
            _ => return Err(damaged("a block size that is not known")),
        };
        let sized = if flags & flag::CONTENT_SIZE == 0 { 0 } else { 8 };
        let named = if flags & flag::DICTIONARY == 0 { 0 } else { 4 };
        let len = LEAST_HEADER + sized + named;
        let head = need(buffer, len)?;
        let (described, check) = (head.get(4..len - 1).unwrap_or_default(), head.get(len - 1).copied().unwrap_or_default());
        if checksum(described) >> 8 & 0xff != u64::from(check) {
            return Err(damaged("a wrong header checksum"));
        }
        if named > 0 && number(head, 6 + sized) != 0 {
            return Err(damaged("it needs a dictionary, which is not supported"));
        }
        let content_size = (sized > 0).then(|| u64::from(number(head, 6)) | u64::from(number(head, 10)) << 32);
        buffer.pass(len);
        let plain = before.map_or_else(Vec::new, |frame| frame.plain);
        Ok(Frame { flags, largest, plain, start: 0, end: 0, content_size, given: 0, hash: XxHash32::with_seed(0) })
    }

    /// Returns the next bytes; none at the end of the frame.
    pub(super) fn read(&mut self, buffer: &mut Buffer, out: &mut [u8]) -> io::Result<usize> {
        while self.start == self.end {
            if !self.block(buffer)? {
                return Ok(0);
            }
        }
        let count = self.plain.get(self.start..self.end).unwrap_or_default().read(out)?;
        self.start += count;
        Ok(count)
    }

    /// Reads the next block; `false` at the end.
    fn block(&mut self, buffer: &mut Buffer) -> io::Result<bool> {
        let size = number(need(buffer, 4)?, 0);
        if size == 0 {
            self.finish(buffer)?;
            return Ok(false);
        }
        let len = (size & !UNCOMPRESSED) as usize;
        if len > self.largest {
            return Err(damaged("a block longer than its header allows"));
        }
        let summed = if self.flags & flag::BLOCK_CHECKSUM == 0 { 0 } else { 4 };
        let bytes = need(buffer, 4 + len + summed)?;
        let packed = bytes.get(4..4 + len).unwrap_or_default();
        if summed > 0 && checksum(packed) != u64::from(number(bytes, 4 + len)) {
            return Err(damaged("a wrong block checksum"));
        }
        self.make_room(if size & UNCOMPRESSED == 0 { len.saturating_mul(255).min(self.largest) } else { len });
        let (before, free) = self.plain.split_at_mut(self.start);
        let count = if size & UNCOMPRESSED == 0 {
            decompress_into_with_dict(packed, free, before).map_err(|error| damaged(&error.to_string()))?
        } else {
            let mut packed = packed;
            packed.read(free)?
        };
        self.end = self.start + count;
        if self.flags & flag::CONTENT_CHECKSUM != 0 {
            self.hash.write(free.get(..count).unwrap_or_default());
        }
        self.given += count as u64;
        buffer.pass(4 + len + summed);
        Ok(true)
    }

    /// Moves the window to the start, and makes space for `count` bytes after it.
    fn make_room(&mut self, count: usize) {
        let kept = if self.flags & flag::INDEPENDENT == 0 { self.end.min(WINDOW) } else { 0 };
        self.plain.copy_within(self.end - kept..self.end, 0);
        (self.start, self.end) = (kept, kept);
        self.plain.resize(kept + count, 0);
    }

    /// Verifies the frame against its content size and checksum.
    fn finish(&mut self, buffer: &mut Buffer) -> io::Result<()> {
        if self.content_size.is_some_and(|size| size != self.given) {
            return Err(damaged("more or fewer bytes than its header says"));
        }
        let summed = if self.flags & flag::CONTENT_CHECKSUM == 0 { 0 } else { 4 };
        let end = need(buffer, 4 + summed)?;
        if summed > 0 && self.hash.finish() != u64::from(number(end, 4)) {
            return Err(damaged("a wrong checksum"));
        }
        buffer.pass(4 + summed);
        Ok(())
    }
}
