//! zlib, DEFLATE and gzip, continued over any pieces.
//!
//! `miniz_oxide` decodes pieces: unlike that of `zlib-rs`, its state can be copied. A stream that is whole needs no state, and `zlib-rs`
//! decodes it, several times as fast.

use super::{Argument, Failure, Made, Skip, Stage};
use adler2::Adler32;
use flate2::{Decompress, FlushDecompress, Status};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_IGNORE_ADLER32};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Size of the window: a match may reach back so far.
const WINDOW: usize = 1 << 15;

/// Maximum size of a gzip header.
const MOST_HEADER: usize = 1 << 16;

/// What a sync flush ends with, and what senders leave out.
const FLUSHED: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// An empty last block, which fits only where a block ends at a whole byte.
const LAST_BLOCK: [u8; 5] = [0x01, 0x00, 0x00, 0xff, 0xff];

pub(super) fn zlib(_: &[Argument]) -> Made {
    Ok(Box::new(Inflate::new(Format::Zlib)))
}

pub(super) fn deflate(_: &[Argument]) -> Made {
    Ok(Box::new(Inflate::new(Format::Raw)))
}

pub(super) fn gzip(_: &[Argument]) -> Made {
    Ok(Box::new(Inflate::new(Format::Gzip)))
}

#[derive(Clone, Copy)]
enum Format {
    Raw,
    Zlib,
    Gzip,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Header,
    Blocks,
    Trailer,
    Ended,
}

/// The blocks of a stream.
#[derive(Clone)]
struct Blocks {
    core: Option<Box<DecompressorOxide>>,
    window: Vec<u8>,
    /// Position in the window.
    at: usize,
    /// Whether any byte of a block was read.
    begun: bool,
}

/// What decoding has led to.
struct Decoded {
    read: usize,
    ended: bool,
}

impl Blocks {
    /// Decodes the next bytes.
    fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<Decoded, Failure> {
        let (mut read, mut left) = (0, most);
        let core = self.core.get_or_insert_default();
        if self.window.is_empty() {
            self.window = vec![0; WINDOW];
        }
        loop {
            let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_IGNORE_ADLER32;
            let input = bytes.get(read..).unwrap_or_default();
            let (status, taken, written) = decompress(core, input, &mut self.window, self.at, flags);
            if written > left {
                return Err(Failure::TooLong);
            }
            out.extend_from_slice(self.window.get(self.at..self.at + written).unwrap_or_default());
            read += taken;
            self.begun |= taken > 0;
            left -= written;
            self.at = (self.at + written) % WINDOW;
            match status {
                TINFLStatus::Done => return Ok(Decoded { read, ended: true }),
                TINFLStatus::NeedsMoreInput => return Ok(Decoded { read, ended: false }),
                TINFLStatus::HasMoreOutput => {}
                _ => return Err(Failure::damaged("the compressed data are malformed")),
            }
        }
    }

    /// Whether these bytes, and then a last block, can follow.
    fn accept(&self, bytes: &[u8]) -> bool {
        let follows = [bytes, &LAST_BLOCK].concat();
        let mut blocks = self.clone();
        let decoded = blocks.decode(&follows, &mut Vec::new(), 0);
        decoded.is_ok_and(|decoded| decoded.ended && decoded.read == follows.len())
    }
}

/// Checksum of the content.
#[derive(Clone)]
enum Check {
    None,
    Adler(Adler32),
    Crc(crc32fast::Hasher, u32),
}

impl Check {
    fn add(&mut self, bytes: &[u8]) {
        match self {
            Check::None => {}
            Check::Adler(adler) => adler.write_slice(bytes),
            Check::Crc(crc, len) => {
                crc.update(bytes);
                // The length counts modulo 2³².
                *len = len.wrapping_add(u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or_default());
            }
        }
    }

    /// The trailer that belongs to the content.
    fn trailer(&self) -> Vec<u8> {
        match self {
            Check::None => Vec::new(),
            Check::Adler(adler) => adler.checksum().to_be_bytes().to_vec(),
            Check::Crc(crc, len) => [crc.clone().finalize().to_le_bytes(), len.to_le_bytes()].concat(),
        }
    }
}

/// A stream that is decompressed.
#[derive(Clone)]
struct Inflate {
    format: Format,
    phase: Phase,
    /// Bytes of an incomplete header or trailer.
    held: Vec<u8>,
    blocks: Blocks,
    check: Check,
    /// Last bytes of the message.
    tail: [u8; 4],
    /// Whether the message has any byte.
    begun: bool,
    /// Whether the stream starts anew with the next message.
    restarts: bool,
    rest: Option<usize>,
}

impl Inflate {
    fn new(format: Format) -> Inflate {
        let (phase, check) = match format {
            Format::Raw => (Phase::Blocks, Check::None),
            Format::Zlib => (Phase::Header, Check::Adler(Adler32::new())),
            Format::Gzip => (Phase::Header, Check::Crc(crc32fast::Hasher::new(), 0)),
        };
        let blocks = Blocks { core: None, window: Vec::new(), at: 0, begun: false };
        let held = Vec::new();
        Inflate { format, phase, held, blocks, check, tail: [0; 4], begun: false, restarts: false, rest: None }
    }

    /// Whether nothing was read.
    fn is_fresh(&self) -> bool {
        !self.blocks.begun && self.held.is_empty() && matches!(self.phase, Phase::Header | Phase::Blocks)
    }

    /// Decodes a whole stream; `false` if these bytes do not contain one.
    fn at_once(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<bool, Failure> {
        /// Minimum and maximum growth of the output.
        const STEPS: (usize, usize) = (256, 1 << 16);
        let mut inflate = match self.format {
            Format::Raw => Decompress::new(false),
            Format::Zlib => Decompress::new(true),
            Format::Gzip => return Ok(false),
        };
        let start = out.len();
        loop {
            let (before, read) = (out.len(), usize::try_from(inflate.total_in()).unwrap_or(usize::MAX));
            if before == out.capacity() {
                // One more byte detects longer output.
                let free = most.saturating_sub(before - start).saturating_add(1);
                out.reserve((before - start).clamp(STEPS.0, STEPS.1).min(free));
            }
            let ahead = bytes.get(read..).unwrap_or_default();
            let status = inflate.decompress_vec(ahead, out, FlushDecompress::Finish);
            let full = out.len() == out.capacity();
            match status {
                Ok(_) if out.len() - start > most => {
                    out.truncate(start);
                    return Err(Failure::TooLong);
                }
                Ok(Status::StreamEnd) => {
                    let read = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX);
                    self.phase = Phase::Ended;
                    self.rest = Some(bytes.len().saturating_sub(read));
                    return Ok(true);
                }
                Ok(_) if full || out.len() > before => {}
                Ok(_) | Err(_) => {
                    out.truncate(start);
                    return Ok(false);
                }
            }
        }
    }

    /// Takes the bytes of the header; the number of those that belong to it.
    fn header(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let before = self.held.len();
        self.held.extend(bytes.iter().take(MOST_HEADER.saturating_sub(before)));
        let len = match self.format {
            Format::Raw => Some(0),
            Format::Zlib => zlib_header(&self.held)?,
            Format::Gzip => gzip_header(&self.held)?,
        };
        match len {
            Some(len) => {
                self.held.clear();
                self.phase = Phase::Blocks;
                Ok(len.saturating_sub(before))
            }
            None if self.held.len() >= MOST_HEADER => Err(Failure::damaged("the header is too long")),
            None => Ok(bytes.len()),
        }
    }

    /// Takes the bytes of the trailer; the number of those that belong to it.
    fn trailer(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let right = self.check.trailer();
        let taken = bytes.len().min(right.len().saturating_sub(self.held.len()));
        self.held.extend(bytes.iter().take(taken));
        if self.held.len() == right.len() {
            if self.held != right {
                return Err(Failure::damaged("the checksum of the content is wrong"));
            }
            self.phase = Phase::Ended;
        }
        Ok(taken)
    }
}

/// Length of a zlib header, once it is complete.
fn zlib_header(bytes: &[u8]) -> Result<Option<usize>, Failure> {
    let &[method, flags, ..] = bytes else { return Ok(None) };
    let right = method & 0x0f == 8 && method >> 4 <= 7 && u16::from_be_bytes([method, flags]).is_multiple_of(31);
    if !right {
        return Err(Failure::damaged("this is no zlib header"));
    }
    if flags & 0x20 != 0 {
        return Err(Failure::damaged("it needs a dictionary, which is not supported"));
    }
    Ok(Some(2))
}

/// Length of a gzip header, once it is complete.
fn gzip_header(bytes: &[u8]) -> Result<Option<usize>, Failure> {
    const EXTRA: u8 = 4;
    const TEXTS: [u8; 2] = [8, 16];
    const CHECK: u8 = 2;
    let magic = [0x1f, 0x8b, 8];
    if !bytes.iter().zip(magic).all(|(byte, right)| *byte == right) {
        return Err(Failure::damaged("this is no gzip header"));
    }
    let Some(&flags) = bytes.get(3) else { return Ok(None) };
    let mut len = 10;
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = bytes.get(len..len + 2) else { return Ok(None) };
        len += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for text in TEXTS {
        if flags & text != 0 {
            let Some(end) = bytes.get(len..).and_then(|bytes| memchr::memchr(0, bytes)) else { return Ok(None) };
            len += end + 1;
        }
    }
    if flags & CHECK != 0 {
        len += 2;
    }
    Ok((bytes.len() >= len).then_some(len))
}

impl Stage for Inflate {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        if self.restarts {
            *self = Inflate::new(self.format);
        }
        if !bytes.is_empty() && self.is_fresh() && self.at_once(bytes, out, most)? {
            return Ok(());
        }
        self.begun |= !bytes.is_empty();
        let last = bytes.get(bytes.len().saturating_sub(4)..).unwrap_or_default();
        self.tail.rotate_left(last.len() % 4);
        for (slot, byte) in self.tail.iter_mut().rev().zip(last.iter().rev()) {
            *slot = *byte;
        }
        let (mut at, start) = (0, out.len());
        loop {
            let ahead = bytes.get(at..).unwrap_or_default();
            match self.phase {
                Phase::Header if ahead.is_empty() => return Ok(()),
                Phase::Header => at += self.header(ahead)?,
                Phase::Blocks => {
                    let from = out.len();
                    let decoded = self.blocks.decode(ahead, out, most.saturating_sub(from - start))?;
                    self.check.add(out.get(from..).unwrap_or_default());
                    at += decoded.read;
                    if !decoded.ended {
                        return Ok(());
                    }
                    self.phase = Phase::Trailer;
                }
                Phase::Trailer => {
                    at += self.trailer(ahead)?;
                    if self.phase == Phase::Trailer {
                        return Ok(());
                    }
                }
                Phase::Ended => {
                    self.rest = Some(ahead.len());
                    return Ok(());
                }
            }
        }
    }

    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let begun = std::mem::take(&mut self.begun);
        let whole = match self.phase {
            Phase::Ended => {
                self.restarts = true;
                true
            }
            Phase::Blocks if !self.blocks.begun => false,
            // A message without bytes.
            Phase::Blocks if !begun => true,
            Phase::Blocks if self.tail == FLUSHED => true,
            Phase::Blocks if self.blocks.accept(&FLUSHED) => {
                self.blocks.decode(&FLUSHED, out, most)?;
                true
            }
            Phase::Blocks => self.blocks.accept(&[]),
            Phase::Header | Phase::Trailer => false,
        };
        if whole { Ok(()) } else { Err(Failure::damaged("the compressed data are truncated")) }
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        let core = self.blocks.core.as_deref().map_or(0, size_of_val);
        size_of::<Self>() + core + self.blocks.window.len() + self.held.capacity()
    }

    fn rest(&self) -> Option<usize> {
        self.rest
    }
}
