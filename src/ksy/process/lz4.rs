//! LZ4 blocks and frames. `lz4_flex` decodes the blocks.
//!
//! ```text
//! frame  magic:4 | flags:1 | sizes:1 | (content size:8) | (dictionary:4) | check:1 | blocks | 0:4 | (checksum:4)
//! block  length:4, the highest bit set if it is not compressed | bytes:length | (checksum:4)
//! ```

use super::argument::number;
use super::held::Held;
use super::{Argument, Failure, Made, Skip, Stage};
use lz4_flex::block::decompress_into_with_dict;
use std::hash::Hasher;
use twox_hash::XxHash32;

/// Size of the window: a match may reach back so far.
const WINDOW: usize = 1 << 16;

/// The output before a block.
#[derive(Clone, Default)]
struct Window(Vec<u8>);

impl Window {
    /// Decodes a block, and adds its output.
    fn decode(&mut self, block: &[u8], out: &mut Vec<u8>, most: usize) -> Result<usize, Failure> {
        let size = decoded_size(block).ok_or_else(|| Failure::damaged("an LZ4 block is truncated"))?;
        if size > most {
            return Err(Failure::TooLong);
        }
        let start = out.len();
        out.resize(start + size, 0);
        let free = out.get_mut(start..).unwrap_or_default();
        match decompress_into_with_dict(block, free, &self.0) {
            Ok(written) if written == size => {}
            Ok(_) | Err(_) => {
                out.truncate(start);
                return Err(Failure::damaged("an LZ4 block is malformed"));
            }
        }
        self.add(out.get(start..).unwrap_or_default());
        Ok(size)
    }

    fn add(&mut self, bytes: &[u8]) {
        let kept = bytes.get(bytes.len().saturating_sub(WINDOW)..).unwrap_or_default();
        let excess = (self.0.len() + kept.len()).saturating_sub(WINDOW);
        self.0.drain(..excess.min(self.0.len()));
        self.0.extend_from_slice(kept);
    }
}

/// The size of a block's output, from the lengths in it.
fn decoded_size(block: &[u8]) -> Option<usize> {
    let (mut at, mut size) = (0, 0_usize);
    let long = |at: &mut usize, nibble: u8| {
        let mut len = usize::from(nibble);
        if nibble == 15 {
            loop {
                let more = *block.get(*at)?;
                *at += 1;
                len += usize::from(more);
                if more != u8::MAX {
                    break;
                }
            }
        }
        Some(len)
    };
    loop {
        let token = *block.get(at)?;
        at += 1;
        let literals = long(&mut at, token >> 4)?;
        at += literals;
        size += literals;
        if at >= block.len() {
            return (at == block.len()).then_some(size);
        }
        at += 2;
        size += long(&mut at, token & 0x0f)? + 4;
    }
}

pub(super) fn block(arguments: &[Argument]) -> Made {
    let size = match arguments {
        [] => None,
        _ => Some(number(arguments, 0, "size", u32::MAX.into())?),
    };
    Ok(Box::new(Block { size, held: Held::default(), window: Window::default() }))
}

/// A block for each message; the output of earlier ones is its dictionary.
#[derive(Clone)]
struct Block {
    /// The size that the first block must have. Those of later ones are not known here.
    size: Option<u64>,
    held: Held,
    window: Window,
}

impl Stage for Block {
    fn feed(&mut self, bytes: &[u8], _: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        self.held.add(bytes, most)
    }

    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let size = self.window.decode(&self.held.take(), out, most)?;
        match self.size.take() {
            Some(stated) if u64::try_from(size) != Ok(stated) => {
                Err(Failure::Damaged(format!("the block has {size} bytes, not {stated}")))
            }
            _ => Ok(()),
        }
    }

    /// The size of the next block; the window goes on.
    fn resume(&mut self, arguments: &[Argument]) -> bool {
        match arguments {
            [] => self.size = None,
            _ => match number(arguments, 0, "size", u32::MAX.into()) {
                Ok(size) => self.size = Some(size),
                Err(_) => return false,
            },
        }
        true
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.held.memory() + self.window.0.capacity()
    }
}

/// Bits of the flags of a frame.
mod flag {
    pub(super) const VERSION: u8 = 0b1100_0000;
    pub(super) const VERSION_1: u8 = 0b0100_0000;
    pub(super) const INDEPENDENT: u8 = 1 << 5;
    pub(super) const BLOCK_CHECKSUM: u8 = 1 << 4;
    pub(super) const CONTENT_SIZE: u8 = 1 << 3;
    pub(super) const CONTENT_CHECKSUM: u8 = 1 << 2;
    pub(super) const DICTIONARY: u8 = 1;
}

const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
const UNCOMPRESSED: u32 = 1 << 31;

/// Maximum size of a block.
const MOST_BLOCK: usize = 4 << 20;

pub(super) fn frame(_: &[Argument]) -> Made {
    Ok(Box::new(Frame::new()))
}

/// A frame, of which whole blocks are decoded. Another frame may follow.
#[derive(Clone)]
struct Frame {
    /// Bytes that are not yet a whole header or block.
    held: Vec<u8>,
    window: Window,
    /// The flags, once the header is read.
    flags: Option<u8>,
    /// The size that the header states, if it states one.
    content_size: Option<u64>,
    size: u64,
    hash: XxHash32,
}

fn checksum(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}

/// A number at the start of these bytes.
fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|number| u32::from_le_bytes(*number))
}

impl Frame {
    fn new() -> Frame {
        let hash = XxHash32::with_seed(0);
        Frame { held: Vec::new(), window: Window::default(), flags: None, content_size: None, size: 0, hash }
    }

    /// Reads the header; its length once it is complete.
    fn header(&mut self, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        if !bytes.iter().zip(MAGIC).all(|(byte, right)| *byte == right) {
            return Err(Failure::damaged("this is no LZ4 frame"));
        }
        let Some(&flags) = bytes.get(4) else { return Ok(None) };
        let sized = if flags & flag::CONTENT_SIZE == 0 { 0 } else { 8 };
        let named = if flags & flag::DICTIONARY == 0 { 0 } else { 4 };
        let len = 7 + sized + named;
        let (Some(described), Some(check)) = (bytes.get(4..len - 1), bytes.get(len - 1)) else { return Ok(None) };
        if flags & flag::VERSION != flag::VERSION_1 || checksum(described).to_le_bytes().get(1) != Some(check) {
            return Err(Failure::damaged("the header of an LZ4 frame is malformed"));
        }
        if named > 0 {
            return Err(Failure::damaged("it needs a dictionary, which is not supported"));
        }
        let size = described.get(2..).and_then(|size| size.first_chunk());
        *self = Frame { content_size: size.map(|size| u64::from_le_bytes(*size)), flags: Some(flags), ..Frame::new() };
        Ok(Some(len))
    }

    /// Reads a block or the end; its length once it is complete.
    fn block(&mut self, flags: u8, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<Option<usize>, Failure> {
        let Some(number) = number_at(bytes, 0) else { return Ok(None) };
        if number == 0 {
            return self.end(flags, bytes);
        }
        let len = (number & !UNCOMPRESSED) as usize;
        if len > MOST_BLOCK {
            return Err(Failure::damaged("a block is longer than any may be"));
        }
        let summed = if flags & flag::BLOCK_CHECKSUM == 0 { 0 } else { 4 };
        let Some(block) = bytes.get(4..4 + len).filter(|_| bytes.len() >= 4 + len + summed) else { return Ok(None) };
        if summed > 0 && number_at(bytes, 4 + len) != Some(checksum(block)) {
            return Err(Failure::damaged("the checksum of a block is wrong"));
        }
        if flags & flag::INDEPENDENT != 0 {
            self.window.0.clear();
        }
        let start = out.len();
        if number & UNCOMPRESSED == 0 {
            self.window.decode(block, out, most)?;
        } else if len > most {
            return Err(Failure::TooLong);
        } else {
            out.extend_from_slice(block);
            self.window.add(block);
        }
        let new = out.get(start..).unwrap_or_default();
        self.size += u64::try_from(new.len()).unwrap_or_default();
        if flags & flag::CONTENT_CHECKSUM != 0 {
            self.hash.write(new);
        }
        Ok(Some(4 + len + summed))
    }

    fn end(&mut self, flags: u8, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        let summed = if flags & flag::CONTENT_CHECKSUM == 0 { 0 } else { 4 };
        if bytes.len() < 4 + summed {
            return Ok(None);
        }
        if summed > 0 && number_at(bytes, 4).map(u64::from) != Some(self.hash.finish()) {
            return Err(Failure::damaged("the checksum of the content is wrong"));
        }
        if self.content_size.is_some_and(|stated| stated != self.size) {
            return Err(Failure::damaged("the content has another size than the header states"));
        }
        self.flags = None;
        Ok(Some(4 + summed))
    }
}

impl Stage for Frame {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let (mut at, start) = (0, out.len());
        loop {
            let ahead = held.get(at..).unwrap_or_default();
            let left = most.saturating_sub(out.len() - start);
            let read = match self.flags {
                None if ahead.is_empty() => None,
                None => self.header(ahead)?,
                Some(flags) => self.block(flags, ahead, out, left)?,
            };
            match read {
                Some(read) => at += read,
                None => break,
            }
        }
        held.drain(..at.min(held.len()));
        self.held = held;
        Ok(())
    }

    fn end_message(&mut self, _: &mut Vec<u8>, _: usize) -> Result<(), Failure> {
        if self.flags.is_none() && self.held.is_empty() {
            return Ok(());
        }
        Err(Failure::damaged("an LZ4 frame is truncated"))
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.held.capacity() + self.window.0.capacity()
    }
}
