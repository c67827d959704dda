//! Zstandard frames (RFC 8878). `ruzstd` decodes them; its state has no copy, so a frame is decoded when it is complete.

use super::{Argument, Failure, Made, Skip, Stage};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const MAGIC: u32 = 0xfd2f_b528;

/// Magic number of frames without content; its lowest four bits are free.
const SKIPPABLE: u32 = 0x184d_2a50;

/// Maximum window: what RFC 8878 recommends every decoder to support.
const MOST_WINDOW: u64 = 8 << 20;

/// Maximum size of an incomplete frame.
const MOST_HELD: usize = 16 << 20;

/// Blocks are decoded in steps of this many bytes, so that a bomb is noticed.
const STEP: usize = 1 << 17;

pub(super) fn zstd(_: &[Argument]) -> Made {
    Ok(Box::new(Zstd::default()))
}

/// Frames, one after another.
#[derive(Clone, Default)]
struct Zstd {
    /// The frame that is not complete.
    held: Vec<u8>,
    /// Its length up to a block that is not complete, so that a frame in many pieces is searched once.
    known: usize,
}

/// How far the end of a frame was searched.
enum Frame {
    Whole(usize),
    Known(usize),
}

/// A number of up to four bytes, little-endian.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Size of a frame's header from its descriptor.
fn header(descriptor: u8) -> usize {
    let window = usize::from(descriptor & 0x20 == 0);
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or_default();
    let content = match (descriptor >> 6, window) {
        (0, 0) => 1,
        (0, _) => 0,
        (size, _) => 1 << size,
    };
    4 + 1 + window + dictionary + content
}

/// Searches the end of the first frame.
fn end(bytes: &[u8], known: usize) -> Result<Frame, Failure> {
    let Some(magic) = number(bytes, 0, 4) else { return Ok(Frame::Known(0)) };
    if magic & !0x0f == SKIPPABLE {
        let whole = number(bytes, 4, 4).map(|size| size as usize + 8).filter(|len| bytes.len() >= *len);
        return Ok(whole.map_or(Frame::Known(0), Frame::Whole));
    }
    if magic != MAGIC {
        return Err(Failure::damaged("this is no zstd frame"));
    }
    let Some(&descriptor) = bytes.get(4) else { return Ok(Frame::Known(0)) };
    let mut at = known.max(header(descriptor));
    loop {
        let Some(block) = number(bytes, at, 3) else { return Ok(Frame::Known(at)) };
        let size = if block >> 1 & 3 == 1 { 1 } else { (block >> 3) as usize };
        let checksum = if descriptor & 4 == 0 { 0 } else { 4 };
        let last = block & 1 == 1;
        let end = at + 3 + size;
        match (last, bytes.len()) {
            (true, len) if len >= end + checksum => return Ok(Frame::Whole(end + checksum)),
            (false, len) if len >= end => at = end,
            _ => return Ok(Frame::Known(at)),
        }
    }
}

/// Decodes a whole frame.
fn decode(frame: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
    let malformed = || Failure::damaged("a zstd frame is malformed");
    if number(frame, 0, 4).is_some_and(|magic| magic & !0x0f == SKIPPABLE) {
        return Ok(());
    }
    let (mut source, start) = (frame, out.len());
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MOST_WINDOW);
    decoder.reset(&mut source).map_err(|_| malformed())?;
    while !decoder.is_finished() {
        decoder.decode_blocks(&mut source, BlockDecodingStrategy::UptoBytes(STEP)).map_err(|_| malformed())?;
        decoder.collect_to_writer(&mut *out).map_err(|_| malformed())?;
        // What is left in the window is at most as long as the frame and counts when it is collected.
        if out.len() - start > most {
            return Err(Failure::TooLong);
        }
    }
    decoder.collect_to_writer(&mut *out).map_err(|_| malformed())?;
    if out.len() - start > most {
        return Err(Failure::TooLong);
    }
    let right = decoder.get_checksum_from_data();
    if right.is_some() && right != decoder.get_calculated_checksum() {
        return Err(Failure::damaged("the checksum of a zstd frame is wrong"));
    }
    Ok(())
}

impl Stage for Zstd {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let (mut held, start) = (std::mem::take(&mut self.held), out.len());
        held.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(ahead) = held.get(at..).filter(|ahead| !ahead.is_empty()) {
            match end(ahead, self.known)? {
                Frame::Whole(len) => {
                    let left = most.saturating_sub(out.len() - start);
                    let decoded = decode(ahead.get(..len).unwrap_or_default(), out, left);
                    out.truncate(start.saturating_add(most));
                    decoded?;
                    at += len;
                    self.known = 0;
                }
                Frame::Known(known) => {
                    self.known = known;
                    break;
                }
            }
        }
        held.drain(..at.min(held.len()));
        if held.len() > MOST_HELD {
            return Err(Failure::TooLong);
        }
        self.held = held;
        Ok(())
    }

    fn end_message(&mut self, _: &mut Vec<u8>, _: usize) -> Result<(), Failure> {
        self.known = 0;
        match std::mem::take(&mut self.held).len() {
            0 => Ok(()),
            _ => Err(Failure::damaged("a zstd frame is truncated")),
        }
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.held.capacity()
    }
}
