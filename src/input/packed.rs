//! Compressed inputs: gzip, zstd and lz4, frame after frame, become plain bytes.
//!
//! The magic of each frame selects its format. Gzip members, BGZF blocks and frames of different formats may follow
//! each other in one input. Skippable frames are skipped, zeros after the last frame are padding.
//!
//! The decoders only decode; truncated and malformed input is detected here, in the same way for every format. Memory is bounded
//! by the formats (gzip 32 KiB, lz4 8 MiB) and for zstd by the decoder: it rejects windows above 128 MiB, as `zstd` itself does,
//! and grows with the output, not with the declared window.

use std::io::{self, BufRead, ErrorKind, Read};
use std::mem;

use flate2::bufread::GzDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder as ZstdDecoder};

use super::buffer::{Buffer, Supply};
use super::lz4;

/// A kind of compressed frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
    Lz4,
    /// Skippable frames of zstd and lz4, before, between and after others.
    Skippable,
}

/// Number of bytes that determine the format.
const MAGIC: usize = 4;

impl Packing {
    /// The format of the frame that begins here.
    pub(super) fn of(bytes: &[u8]) -> Option<Packing> {
        Some(match bytes {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Packing::Lz4,
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Skippable,
            _ => return None,
        })
    }

    /// Whether these last bytes of the input are the beginning of a magic.
    fn is_begun(bytes: &[u8]) -> bool {
        let magics: [&[u8]; 4] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"\x50\x2a\x4d\x18"];
        !bytes.is_empty() && magics.iter().any(|magic| magic.starts_with(bytes))
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Lz4 => "lz4",
            Packing::Skippable => "zstd or lz4",
        }
    }
}

/// Decompressed bytes of an input.
pub(super) struct Unpacked {
    stage: Stage,
    /// Kept between frames: BGZF has one every 64 KiB.
    spare_gzip: Option<Box<GzDecoder<Source>>>,
    spare_lz4: Option<Box<lz4::Frame>>,
}

enum Stage {
    Between(Source),
    Gzip(Box<GzDecoder<Source>>),
    Zstd(Source, Box<ZstdDecoder>),
    Lz4(Source, Box<lz4::Frame>),
    /// The end was reached, or an error was returned.
    Over,
}

/// Number of bytes read, and the next stage.
type Step = (usize, Stage);

impl Unpacked {
    pub(super) fn new(buffer: Buffer) -> Unpacked {
        Unpacked { stage: Stage::Between(Source::new(buffer)), spare_gzip: None, spare_lz4: None }
    }

    fn step(&mut self, stage: Stage, out: &mut [u8]) -> io::Result<Step> {
        match stage {
            Stage::Between(source) => Ok((0, self.begin(source)?)),
            Stage::Gzip(mut decoder) => match decoder.read(out) {
                Ok(0) => {
                    let source = decoder.reset(Source::new(Buffer::empty()));
                    self.spare_gzip = Some(decoder);
                    Ok((0, Stage::Between(source)))
                }
                Ok(count) => Ok((count, Stage::Gzip(decoder))),
                Err(error) => Err(decoder.get_mut().explain(Packing::Gzip, &error)),
            },
            Stage::Zstd(source, decoder) => zstd(source, decoder, out),
            Stage::Lz4(mut source, mut frame) => match frame.read(&mut source.buffer, out)? {
                0 => {
                    self.spare_lz4 = Some(frame);
                    Ok((0, Stage::Between(source)))
                }
                count => Ok((count, Stage::Lz4(source, frame))),
            },
            Stage::Over => Ok((0, Stage::Over)),
        }
    }

    /// Prepares for the frame that begins here.
    fn begin(&mut self, mut source: Source) -> io::Result<Stage> {
        source.buffer.need(MAGIC)?;
        match Packing::of(source.buffer.ahead()) {
            Some(Packing::Gzip) => Ok(Stage::Gzip(match self.spare_gzip.take() {
                Some(mut decoder) => {
                    decoder.reset(source);
                    decoder
                }
                None => Box::new(GzDecoder::new(source)),
            })),
            Some(Packing::Zstd) => {
                let mut decoder = Box::new(ZstdDecoder::new());
                decoder.reset(&mut source).map_err(|error| source.explain(Packing::Zstd, &error))?;
                Ok(Stage::Zstd(source, decoder))
            }
            Some(Packing::Lz4) => {
                let before = self.spare_lz4.take().map(|frame| *frame);
                let frame = lz4::Frame::begin(&mut source.buffer, before)?;
                Ok(Stage::Lz4(source, Box::new(frame)))
            }
            Some(Packing::Skippable) => skip(source),
            None => padding(source),
        }
    }
}

impl Read for Unpacked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let stage = mem::replace(&mut self.stage, Stage::Over);
            if out.is_empty() || matches!(stage, Stage::Over) {
                self.stage = stage;
                return Ok(0);
            }
            let (count, next) = self.step(stage, out)?;
            self.stage = next;
            if count > 0 {
                return Ok(count);
            }
        }
    }
}

fn zstd(mut source: Source, mut decoder: Box<ZstdDecoder>, out: &mut [u8]) -> io::Result<Step> {
    while decoder.can_collect() == 0 && !decoder.is_finished() {
        if let Err(error) = decoder.decode_blocks(&mut source, BlockDecodingStrategy::UptoBlocks(1)) {
            source.failure = Some(source.explain(Packing::Zstd, &error));
            // The decoder delays output. An empty last block and a checksum flush it.
            let end: &[u8] = &[1, 0, 0, 0, 0, 0, 0];
            if decoder.decode_blocks(end, BlockDecodingStrategy::UptoBlocks(1)).is_err() {
                break;
            }
        }
    }
    let count = decoder.read(out)?;
    if count > 0 {
        return Ok((count, Stage::Zstd(source, decoder)));
    }
    if let Some(failure) = source.failure.take() {
        return Err(failure);
    }
    let sums = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
    match sums {
        (Some(stored), Some(calculated)) if stored != calculated => Err(damaged(Packing::Zstd, "a wrong checksum")),
        _ => Ok((0, Stage::Between(source))),
    }
}

/// Skips a skippable frame.
fn skip(mut source: Source) -> io::Result<Stage> {
    source.buffer.need(2 * MAGIC)?;
    let head = source.buffer.use_up(2 * MAGIC);
    let len = head.get(MAGIC..).and_then(|len| len.first_chunk()).ok_or_else(|| cut(Packing::Skippable))?;
    let mut left = u32::from_le_bytes(*len) as usize;
    while left > 0 {
        if source.buffer.need(1)? == Supply::Ended {
            return Err(cut(Packing::Skippable));
        }
        let some = left.min(source.buffer.ahead().len());
        source.buffer.pass(some);
        left -= some;
    }
    Ok(Stage::Between(source))
}

/// After the last frame: nothing, or zero padding of a tape or disk block.
fn padding(mut source: Source) -> io::Result<Stage> {
    if source.buffer.ahead().len() < MAGIC && Packing::is_begun(source.buffer.ahead()) {
        return Err(cut(Packing::Skippable));
    }
    while source.buffer.need(1)? == Supply::Enough {
        let ahead = source.buffer.ahead();
        if let Some(at) = ahead.iter().position(|byte| *byte != 0) {
            let at = source.buffer.offset() + at as u64;
            let text = format!("the bytes from {at} on follow the compressed data and belong to no gzip, zstd or lz4 frame");
            return Err(io::Error::new(ErrorKind::InvalidData, text));
        }
        let count = ahead.len();
        source.buffer.pass(count);
    }
    Ok(Stage::Over)
}

pub(super) fn cut(packing: Packing) -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, format!("the input ends in the middle of {} data", packing.as_str()))
}

pub(super) fn damaged(packing: Packing, what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("damaged {} data: {what}", packing.as_str()))
}

/// The source of a decoder. It records how reading ended, which decoders report in different ways, or not at all.
struct Source {
    buffer: Buffer,
    /// Whether the decoder requested more than there is.
    ended: bool,
    /// An error of the reader below, or of a decoder with pending output.
    failure: Option<io::Error>,
}

impl Source {
    fn new(buffer: Buffer) -> Source {
        Source { buffer, ended: false, failure: None }
    }

    /// Explains why a decoder failed.
    fn explain(&mut self, packing: Packing, error: &dyn std::fmt::Display) -> io::Error {
        match self.failure.take() {
            Some(failure) => failure,
            None if self.ended => cut(packing),
            None => damaged(packing, &error.to_string()),
        }
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut ahead = self.fill_buf()?;
        let count = ahead.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.buffer.need(1) {
            Ok(Supply::Enough) => {}
            Ok(Supply::Ended) => self.ended = true,
            Err(error) => {
                let kind = error.kind();
                self.failure = Some(error);
                return Err(kind.into());
            }
        }
        Ok(self.buffer.ahead())
    }

    fn consume(&mut self, count: usize) {
        self.buffer.pass(count);
    }
}
