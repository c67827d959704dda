//! Session logs of the RuneScape proxy RSProx: packets of both sides, with decrypted opcodes and times.
//!
//! ```text
//! file    version:4 | revision:4 | sub revision:4 | client:1 | platform:1 | ms since 1970:8 | world:2 | flags:4 | location:1
//!         host NUL | activity NUL | own index:2 | n:2 | account hash:n | client name NUL | n:4 | JS5 index:n
//! record  ms since the one before and the side in the lowest bit: seven bits a byte | opcode | size, as tables say | payload
//! ```
//! Numbers are big-endian.

use super::log;
use super::tables::{Revision, Size, Table};
use crate::tree::Side;
use crate::wire::{LogError, LogFormat, LogRecord, LogRecords, OpenedLog, Settings};
use std::sync::Arc;

/// Session logs of RSProx.
pub static RSPROX: LogFormat = LogFormat { name: "rsprox", begins, open };

/// Bytes before the first text and two more, and the offset of the time among them.
const FIXED: usize = 31;
const TIME: usize = 14;

/// The years 2015 and 2100 in milliseconds since 1970.
const TIMES: std::ops::Range<u64> = 1_420_070_400_000..4_102_444_800_000;

/// Maximum length of a text, and of an index.
const MOST_TEXT: usize = 4096;
const MOST_INDEX: usize = 16 << 20;

/// Number of valid records required to detect a log.
const TRIED: usize = 10;

fn begins(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && log::may_begin(bytes)
}

/// Packets of a revision, by which records are delimited.
struct Records {
    revision: u64,
    /// The table with the rows given by the user, and the built-in one for packets that it lacks.
    tables: [Option<Arc<Table>>; 2],
    is_known: bool,
}

fn open(bytes: &[u8], settings: &Settings) -> Result<OpenedLog, LogError> {
    let header = header(bytes)?;
    let [time, logged] = [TIME..TIME + 8, 4..8].map(|place| bytes.get(place).map_or(0, number));
    let given = settings.get("rs.revision").map(|given| given.strip_prefix("osrs-").unwrap_or(given));
    let revision = given.and_then(|given| given.parse::<u32>().ok()).map_or(logged, u64::from);
    let known = u16::try_from(revision).ok().map(|number| Revision { number, is_osrs: true });
    let rows = settings.get("rs.table");
    let tables = [known.and_then(|known| Table::patched(known, rows)), known.and_then(Table::of)];
    let is_known =
        tables.iter().flatten().any(|table| [Side::Client, Side::Server].iter().any(|side| table.rows(*side).next().is_some()));
    let description = format!("an RSProx session log of revision {revision}, known by its header and first records");
    let tried = if is_known { TRIED } else { 0 };
    Ok(OpenedLog { header, time, tried, description, records: Box::new(Records { revision, tables, is_known }) })
}

impl Records {
    fn size(&self, side: Side, opcode: u16) -> Option<Size> {
        self.tables.iter().flatten().find_map(|table| table.row(side, opcode)).map(|row| row.size)
    }
}

impl LogRecords for Records {
    fn record(&self, ahead: &[u8]) -> Result<LogRecord, LogError> {
        let invalid = |what: String| Err(LogError::Invalid(what));
        let mut bytes = Bytes { ahead, at: 0 };
        if !self.is_known {
            bytes.take(1)?;
            return invalid(format!(
                "records of revision {}, which has no table; try -o rs.table=FILE with its packets, or a similar revision \
                 with -o rs.revision=osrs-NUMBER",
                self.revision
            ));
        }
        let mut time = 0_u64;
        loop {
            let byte = bytes.take(1)?;
            time = time << 7 | byte & 0x7f;
            if byte & 0x80 == 0 {
                break;
            }
            if bytes.at == 5 {
                return invalid("a record whose time has no end".into());
            }
        }
        let side = if time & 1 == 1 { Side::Server } else { Side::Client };
        let opcode = match bytes.take(1)? {
            first @ 128.. if side == Side::Server => (first - 128) << 8 | bytes.take(1)?,
            first => first,
        };
        let Some(size) = u16::try_from(opcode).ok().and_then(|opcode| self.size(side, opcode)) else {
            let revision = self.revision;
            return invalid(format!("a record with opcode {opcode}, which no packet {side} of revision {revision} has"));
        };
        let size = match size {
            Size::Fixed(size) => size.into(),
            Size::Byte => bytes.take(1)?,
            Size::Short => bytes.take(2)?,
        };
        let length = bytes.at.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        if ahead.len() < length { Err(LogError::Short(length)) } else { Ok(LogRecord { passed: time >> 1, side, length }) }
    }
}

/// The bytes of a record and the place of the next one.
struct Bytes<'a> {
    ahead: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    /// A number of this many bytes.
    fn take(&mut self, width: usize) -> Result<u64, LogError> {
        let end = self.at + width;
        let bytes = self.ahead.get(self.at..end).ok_or(LogError::Short(end))?;
        self.at = end;
        Ok(number(bytes))
    }
}

/// Size of the header.
fn header(bytes: &[u8]) -> Result<usize, LogError> {
    let part = |at: usize, width: usize| bytes.get(at..at + width).ok_or(LogError::Short(at + width));
    let unlike = || LogError::Invalid("a header that no log has".to_owned());
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
fn text_len(bytes: &[u8], at: usize) -> Result<Option<usize>, LogError> {
    let text = bytes.get(at..).unwrap_or_default();
    match text.iter().take(MOST_TEXT).position(|byte| *byte == 0) {
        None if text.len() < MOST_TEXT => Err(LogError::Short(bytes.len() + 1)),
        end => Ok(end.map(|end| end + 1)),
    }
}

/// A big-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
