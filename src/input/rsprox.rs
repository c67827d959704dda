//! Session logs of the RuneScape proxy RSProx: packets of both sides, with decrypted opcodes and times.
//!
//! ```text
//! file    version:4 | revision:4 | sub revision:4 | client:1 | platform:1 | ms since 1970:8 | world:2 | flags:4 | location:1
//!         host NUL | activity NUL | own index:2 | n:2 | account hash:n | client name NUL | n:4 | JS5 index:n
//! record  ms since the one before and the side in the lowest bit: seven bits a byte | opcode | size, as tables say | payload
//! ```
//! Numbers are big-endian. The header becomes the server's first bytes, so that it is dissected as well; a record is a frame.
//! Offsets are stream offsets of a side, not file offsets: with these, each side would be full of gaps. The dissector of the
//! records has a field with the file offset.

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use crate::tree::Side;
use std::io::{self, Read};

/// Packets of all revisions; only sizes and opcodes are used here: `direction size name fields revision:opcode …`. They are
/// compressed; the dissector embeds the same bytes.
const ROWS: &[u8] = include_bytes!("../protocols/runescape/tables/osrs.tsv.gz");

const VERSION: u64 = 1;

/// Plausible revisions of a log, more than there are rows for.
const REVISIONS: std::ops::Range<u64> = 223..400;

/// Bytes before the first text, and the offset of the time among them.
const FIXED: usize = 31;
const TIME: usize = 14;

/// The years 2015 and 2100 in milliseconds since 1970.
const TIMES: std::ops::Range<u64> = 1_420_070_400_000..4_102_444_800_000;

/// Maximum length of a text, and of an index.
const MOST_TEXT: usize = 4096;
const MOST_INDEX: usize = 16 << 20;

/// Number of valid records required to detect a log.
const TRIED: usize = 10;

/// Maximum opcode.
const MOST_OPCODE: usize = 0x7fff;

/// Whether the bytes begin like a log.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let word = |at: usize| bytes.get(at..at + 4).map(number);
    word(0) == Some(VERSION) && word(4).is_some_and(|revision| REVISIONS.contains(&revision))
}

/// Packet sizes by side and opcode; negative values are the size of the length prefix.
#[derive(Default)]
struct Sizes {
    sides: [Vec<Option<i32>>; 2],
    is_known: bool,
}

impl Sizes {
    /// Sizes for a revision. Rows given by the user replace those of the same opcode.
    fn of(revision: u64, given: Option<&str>) -> Sizes {
        let mut sizes = Sizes::default();
        let mut rows = String::new();
        // Rows that cannot be decompressed are missing.
        let _ = flate2::read::GzDecoder::new(ROWS).read_to_string(&mut rows);
        for line in rows.lines() {
            let mut cells = line.split('\t');
            let (Some(side), Some(size), Some(entries)) = (cells.next(), cells.next(), cells.nth(2)) else { continue };
            let opcode = entries.split(' ').find_map(|entry| {
                let (number, opcode) = entry.split_once(':')?;
                (number.parse() == Ok(revision)).then_some(opcode)
            });
            if let Some(opcode) = opcode {
                sizes.put(side, opcode, size);
            }
        }
        for line in given.unwrap_or_default().lines() {
            let mut cells = line.split('\t');
            if let (Some(side), Some(opcode), Some(size)) = (cells.next(), cells.next(), cells.next()) {
                sizes.put(side, opcode, size);
            }
        }
        sizes
    }

    fn put(&mut self, side: &str, opcode: &str, size: &str) {
        let [client, server] = &mut self.sides;
        let side = match side {
            "c2s" => client,
            "s2c" => server,
            _ => return,
        };
        let opcode = opcode.parse().ok().filter(|opcode: &usize| *opcode <= MOST_OPCODE);
        let (Some(opcode), Ok(size)) = (opcode, size.parse()) else { return };
        if side.len() <= opcode {
            side.resize(opcode + 1, None);
        }
        if let Some(slot) = side.get_mut(opcode) {
            *slot = Some(size);
            self.is_known = true;
        }
    }

    fn size(&self, side: Side, opcode: usize) -> Option<i32> {
        let [client, server] = &self.sides;
        let sizes = if side == Side::Client { client } else { server };
        sizes.get(opcode).copied().flatten()
    }
}

pub(super) struct Reader {
    buffer: Buffer,
    /// Size of the header, until it was returned.
    header: Option<usize>,
    /// Milliseconds since 1970.
    time: u64,
    revision: u64,
    sizes: Sizes,
}

/// A record: milliseconds since the previous one, sender, total size.
type Record = (u64, Side, usize);

/// A defect of a record.
enum Wrong {
    /// Truncated; at least this many bytes are needed.
    Short(usize),
    /// An invalid packet.
    Unknown(String),
}

impl Reader {
    /// Opens a log; `rows` are packet rows, and `given` is a revision, of the user; the latter overrides that of the header.
    pub(super) fn open(mut buffer: Buffer, rows: Option<&str>, given: Option<&str>) -> Result<Reader, OpenError> {
        let no = |what: &str| OpenError::Damaged { format: "rsprox", what: what.to_owned() };
        let Ok(header) = need(&mut buffer, 0, header).map_err(OpenError::from_read)? else {
            return Err(no("has a header that no log has"));
        };
        let [time, logged] = [TIME..TIME + 8, 4..8].map(|place| buffer.ahead().get(place).map_or(0, number));
        let given = given.map(|given| given.strip_prefix("osrs-").unwrap_or(given));
        let revision = given.and_then(|given| given.parse::<u32>().ok()).map_or(logged, u64::from);
        let mut reader = Reader { buffer, header: Some(header), time, revision, sizes: Sizes::of(revision, rows) };
        let mut at = header;
        for _ in 0..if reader.sizes.is_known { TRIED } else { 0 } {
            match reader.need_record(at).map_err(OpenError::from_read)? {
                Ok((.., length)) => at += length,
                Err(Wrong::Short(_)) => break,
                Err(Wrong::Unknown(what)) => return Err(no(&format!("holds {what}"))),
            }
        }
        Ok(reader)
    }

    pub(super) fn describe(&self) -> String {
        format!("an RSProx session log of revision {}, known by its header and first records", self.revision)
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let (side, length) = match self.header.take() {
            Some(length) => (Side::Server, length),
            None => {
                let at = self.buffer.offset();
                if !self.sizes.is_known
                    && self.buffer.need(1).map_err(|error| ReadError::from_read(at, &error))? == Supply::Enough
                {
                    let text = format!(
                        "records of revision {}, which has no table; try -o rs.table=FILE with its packets, or a similar revision \
                         with -o rs.revision=osrs-NUMBER",
                        self.revision
                    );
                    return Err(ReadError::damaged(at, text));
                }
                let record = self.need_record(0).map_err(|error| ReadError::from_read(at, &error))?;
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

    /// The record at this offset, after waiting for all of it.
    fn need_record(&mut self, at: usize) -> io::Result<Result<Record, Wrong>> {
        let sizes = &self.sizes;
        need(&mut self.buffer, at, |bytes| record(bytes, sizes, self.revision))
    }
}

/// A part of a log at this offset, after waiting for all of it.
fn need<T>(buffer: &mut Buffer, at: usize, part: impl Fn(&[u8]) -> Result<T, Wrong>) -> io::Result<Result<T, Wrong>> {
    loop {
        let short = match part(buffer.ahead().get(at..).unwrap_or_default()) {
            Err(Wrong::Short(needed)) => needed,
            other => return Ok(other),
        };
        if buffer.need(at + short)? != Supply::Enough {
            return Ok(Err(Wrong::Short(short)));
        }
    }
}

fn record(bytes: &[u8], sizes: &Sizes, revision: u64) -> Result<Record, Wrong> {
    let (mut time, mut at) = (0_u64, 0);
    loop {
        let byte = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
        at += 1;
        time = time << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
        if at == 5 {
            return Err(Wrong::Unknown("a record whose time has no end".into()));
        }
    }
    let side = if time & 1 == 1 { Side::Server } else { Side::Client };
    let first = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
    at += 1;
    let opcode = if side == Side::Server && first >= 128 {
        let second = *bytes.get(at).ok_or(Wrong::Short(at + 1))?;
        at += 1;
        usize::from(first - 128) << 8 | usize::from(second)
    } else {
        usize::from(first)
    };
    let Some(size) = sizes.size(side, opcode) else {
        return Err(Wrong::Unknown(format!("a record with opcode {opcode}, which no packet {side} of revision {revision} has")));
    };
    let end = match usize::try_from(size) {
        Ok(size) => at + size,
        Err(_) => {
            let width = usize::try_from(size.unsigned_abs()).unwrap_or_default();
            let length = bytes.get(at..at + width).ok_or(Wrong::Short(at + width))?;
            (at + width).saturating_add(usize::try_from(number(length)).unwrap_or(usize::MAX))
        }
    };
    if bytes.len() < end { Err(Wrong::Short(end)) } else { Ok((time >> 1, side, end)) }
}

/// Size of the header.
fn header(bytes: &[u8]) -> Result<usize, Wrong> {
    let part = |at: usize, width: usize| bytes.get(at..at + width).ok_or(Wrong::Short(at + width));
    let unlike = || Wrong::Unknown("a header that no log has".to_owned());
    if !begins(part(0, FIXED)?) || !TIMES.contains(&number(part(TIME, 8)?)) {
        return Err(unlike());
    }
    let mut at = FIXED - 2;
    // Host and activity; own index; account hash; client name; index. A text has no width of its own.
    for (width, is_counted) in [(0, false), (0, false), (2, false), (2, true), (0, false), (4, true)] {
        let count = match width {
            0 => text_len(bytes, at)?.ok_or_else(unlike)?,
            _ if is_counted => usize::try_from(number(part(at, width)?)).unwrap_or(usize::MAX),
            _ => 0,
        };
        if count > MOST_INDEX {
            return Err(unlike());
        }
        part(at, width + count)?;
        at += width + count;
    }
    Ok(at)
}

/// Length of a text with its NUL, if it has one in time.
fn text_len(bytes: &[u8], at: usize) -> Result<Option<usize>, Wrong> {
    let text = bytes.get(at..).unwrap_or_default();
    match text.iter().take(MOST_TEXT).position(|byte| *byte == 0) {
        None if text.len() < MOST_TEXT => Err(Wrong::Short(bytes.len() + 1)),
        end => Ok(end.map(|end| end + 1)),
    }
}

/// A big-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
