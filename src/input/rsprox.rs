//! Session logs of the RuneScape proxy RSProx: packets of both sides, with decrypted opcodes and times.
//!
//! ```text
//! file    version:4 | revision:4 | sub revision:4 | client:1 | platform:1 | ms since 1970:8 | world:2 | flags:4 | location:1
//!         host NUL | activity NUL | own index:2 | n:2 | account hash:n | client name NUL | n:4 | JS5 index:n
//! record  ms since the one before and the side in the lowest bit: seven bits a byte | opcode | size, as tables say | payload
//! ```
//! Numbers are big-endian. The header becomes the server's first bytes, so that it is dissected as well; a record is a frame.
//! Offsets are stream offsets of a side, not file offsets: with these, each side would be full of gaps.

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use crate::tree::Side;
use std::sync::LazyLock;

/// What packets the one revision has whose logs are known: only their sizes matter here.
const ROWS: &str = include_str!("../protocols/runescape/tables/osrs-223.tsv");

const VERSION: u32 = 1;
const REVISION: u32 = 223;

/// The first bytes of a log.
pub(super) const MAGIC: [u8; 8] = [0, 0, 0, 1, 0, 0, 0, 223];

/// Bytes in front of the first text, and where the time stands among them.
const FIXED: usize = 31;
const TIME: usize = 14;

/// Milliseconds since 1970 of the years 2015 and 2100.
const TIMES: std::ops::Range<u64> = 1_420_070_400_000..4_102_444_800_000;

/// The longest text, and the longest index.
const MOST_TEXT: usize = 4096;
const MOST_INDEX: usize = 16 << 20;

/// Records that must frame before a file is taken for a log.
const TRIED: usize = 10;

/// Sizes of packets by side and opcode; below zero how many bytes the length has.
static SIZES: LazyLock<[Vec<Option<i16>>; 2]> = LazyLock::new(|| {
    let mut sizes = [vec![None; 256], vec![None; 256]];
    for line in ROWS.lines() {
        let mut cells = line.split('\t');
        let (Some(side), Some(opcode), Some(size)) = (cells.next(), cells.next(), cells.next()) else { continue };
        let [client, server] = &mut sizes;
        let side = if side == "c2s" { client } else { server };
        if let Some(slot) = opcode.parse().ok().and_then(|opcode: usize| side.get_mut(opcode)) {
            *slot = size.parse().ok();
        }
    }
    sizes
});

pub(super) struct Reader {
    buffer: Buffer,
    /// Bytes of the header, until it was given.
    header: Option<usize>,
    /// Milliseconds since 1970.
    time: u64,
}

/// A record: milliseconds since the one before, who speaks, bytes in all.
type Record = (u64, Side, usize);

/// What is wrong with a record.
enum Wrong {
    /// It ends too early; so many bytes are needed at least.
    Short(usize),
    /// No packet is like that.
    Unknown(String),
}

impl Reader {
    pub(super) fn open(mut buffer: Buffer) -> Result<Reader, OpenError> {
        let no = |what: &str| OpenError::Damaged { format: "rsprox", what: what.to_owned() };
        let header = header(&mut buffer).map_err(OpenError::from_read)?.ok_or_else(|| no("has a header that no log has"))?;
        let ahead = buffer.ahead().get(TIME..TIME + 8).and_then(|time| time.first_chunk());
        let time = ahead.map_or(0, |time| u64::from_be_bytes(*time));
        let mut at = header;
        for _ in 0..TRIED {
            match need_record(&mut buffer, at).map_err(OpenError::from_read)? {
                Ok((.., length)) => at += length,
                Err(Wrong::Short(_)) => break,
                Err(Wrong::Unknown(what)) => return Err(no(&format!("holds {what}"))),
            }
        }
        Ok(Reader { buffer, header: Some(header), time })
    }

    pub(super) fn describe() -> String {
        format!("an RSProx session log of revision {REVISION}, known by its header and first records")
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let (side, length) = match self.header.take() {
            Some(length) => (Side::Server, length),
            None => {
                let at = self.buffer.offset();
                let record = need_record(&mut self.buffer, 0).map_err(|error| ReadError::from_read(at, &error))?;
                match record {
                    Ok((passed, side, length)) => {
                        self.time = self.time.saturating_add(passed);
                        (side, length)
                    }
                    Err(Wrong::Short(_)) if self.buffer.ahead().is_empty() => return Ok(None),
                    Err(Wrong::Short(needed)) => {
                        let text =
                            format!("a record of {needed} bytes or more, of which {} are there", self.buffer.ahead().len());
                        return Err(ReadError::truncated(at, text));
                    }
                    Err(Wrong::Unknown(text)) => return Err(ReadError::damaged(at, text)),
                }
            }
        };
        let (seconds, millis) = (self.time / 1000, self.time % 1000);
        let nanos = u32::try_from(millis).unwrap_or_default() * 1_000_000;
        let time = Some(Timestamp { seconds: i64::try_from(seconds).unwrap_or(i64::MAX), nanos });
        let original_len = u32::try_from(length).unwrap_or(u32::MAX);
        Ok(Some(Frame { time, link: Link::Stream(side), bytes: self.buffer.use_up(length), original_len, ..Frame::default() }))
    }
}

/// Bytes of the header, if it is one.
fn header(buffer: &mut Buffer) -> std::io::Result<Option<usize>> {
    if buffer.need(FIXED)? != Supply::Enough {
        return Ok(None);
    }
    let word = |at: usize| {
        buffer.ahead().get(at..at + 8).and_then(|word| word.first_chunk()).map_or(0, |word| u64::from_be_bytes(*word))
    };
    if word(0) != u64::from(VERSION) << 32 | u64::from(REVISION) || !TIMES.contains(&word(TIME)) {
        return Ok(None);
    }
    let mut at = FIXED - 2;
    // Host and activity; own index; account hash; client name; index.
    for part in 0..6 {
        let count = match part {
            0 | 1 | 4 => match text(buffer, at)? {
                Some(count) => count,
                None => return Ok(None),
            },
            2 => 2,
            3 => 2 + number(buffer, at, 2)?,
            _ => 4 + number(buffer, at, 4)?,
        };
        if count > MOST_INDEX + 4 || buffer.need(at + count)? != Supply::Enough {
            return Ok(None);
        }
        at += count;
    }
    Ok(Some(at))
}

/// Bytes of a text and its NUL.
fn text(buffer: &mut Buffer, at: usize) -> std::io::Result<Option<usize>> {
    let mut asked = 64;
    loop {
        let is_all = buffer.need(at + asked)? != Supply::Enough;
        let there = buffer.ahead().get(at..).unwrap_or_default();
        match there.iter().take(MOST_TEXT).position(|byte| *byte == 0) {
            Some(end) => return Ok(Some(end + 1)),
            None if is_all || asked >= MOST_TEXT => return Ok(None),
            None => asked *= 2,
        }
    }
}

fn number(buffer: &mut Buffer, at: usize, width: usize) -> std::io::Result<usize> {
    buffer.need(at + width)?;
    let bytes = buffer.ahead().get(at..at + width).unwrap_or_default();
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The record at this place, after waiting for all of it.
fn need_record(buffer: &mut Buffer, at: usize) -> std::io::Result<Result<Record, Wrong>> {
    loop {
        let wrong = match record(buffer.ahead().get(at..).unwrap_or_default()) {
            Err(Wrong::Short(needed)) => needed,
            other => return Ok(other),
        };
        if buffer.need(at + wrong)? != Supply::Enough {
            return Ok(Err(Wrong::Short(wrong)));
        }
    }
}

fn record(bytes: &[u8]) -> Result<Record, Wrong> {
    let (mut number, mut at) = (0_u64, 0);
    loop {
        let byte = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
        at += 1;
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
        if at == 5 {
            return Err(Wrong::Unknown("a record whose time has no end".into()));
        }
    }
    let side = if number & 1 == 1 { Side::Server } else { Side::Client };
    let first = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
    at += 1;
    let opcode = if side == Side::Server && first >= 128 {
        let second = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
        at += 1;
        usize::from(first - 128) << 8 | usize::from(second)
    } else {
        usize::from(first)
    };
    let [client, server] = &*SIZES;
    let sizes = if side == Side::Client { client } else { server };
    let Some(size) = sizes.get(opcode).copied().flatten() else {
        return Err(Wrong::Unknown(format!("a record with opcode {opcode}, which no packet {side} of revision {REVISION} has")));
    };
    let end = match size {
        0.. => at + usize::from(size.unsigned_abs()),
        _ => {
            let width = usize::from(size.unsigned_abs());
            let length = bytes.get(at..at + width).ok_or(Wrong::Short(at + width))?;
            at + width + length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte))
        }
    };
    if bytes.len() < end { Err(Wrong::Short(end)) } else { Ok((number >> 1, side, end)) }
}
