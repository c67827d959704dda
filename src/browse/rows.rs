//! The list of records: a compact line for each.

use super::columns::{Cells, SEPARATOR};
use crate::limits;
use crate::record::{Message, Record, RecordTimes, level_of, words_of};
use crate::render::{cut, write_summary};
use crate::tree::{Ends, Level, Note, Side, StreamId, clean};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;
use unicode_width::UnicodeWidthStr;

/// Maximum width of a stored summary; the field tree shows the rest.
const INFO: usize = 240;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A message.
    Message,
    /// A packet.
    Packet,
    /// Late messages of an earlier frame, between packets.
    Late,
    /// Missing bytes.
    Gap,
}

/// The line of a record before it is stored. All text is escaped.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Its index among all records of its view.
    pub place: u64,
    pub kind: RowKind,
    /// Number of the message, or of the frame.
    pub number: u64,
    /// Number of the frame that completed it.
    pub frame: u64,
    /// Nanoseconds since the first frame.
    pub time: Option<i64>,
    /// The conversation and the sender's side.
    pub stream: Option<(StreamId, Side)>,
    /// The source.
    pub src: String,
    /// The destination.
    pub dst: String,
    pub protocol: String,
    /// The message type; may be empty.
    pub name: String,
    /// Type and summary in a line, or the cells of chosen columns.
    pub info: String,
    /// The most severe note.
    pub level: Option<Level>,
}

impl Summary {
    /// Creates the line of a record; with cells of chosen columns, if any.
    pub fn of(place: u64, record: &Record<'_>, cells: Option<&mut Cells>) -> Result<Summary, fmt::Error> {
        let mut summary = match record {
            Record::Message(message) => Summary::message(place, message)?,
            Record::Packet(packet) => {
                let (name, info) = words_of(packet.of, packet.layers());
                let frame = packet.of.tree.frame.number;
                let innermost = packet.innermost().and_then(|layer| packet.of.layer_node(layer));
                Summary {
                    time: nanos(packet.times),
                    protocol: innermost.map_or("", |node| node.field().name).to_owned(),
                    level: gravest(packet.notes()),
                    ..Summary::blank(place, RowKind::Packet, frame, frame)
                }
                .between(packet.ends())
                .saying(&name, &info)?
            }
            Record::Late(late) => {
                let (name, info) = words_of(late.of, late.layers.iter());
                let innermost = late.innermost().and_then(|layer| late.of.layer_node(layer));
                Summary {
                    time: nanos(late.times),
                    protocol: innermost.map_or("", |node| node.field().name).to_owned(),
                    level: gravest(late.notes()),
                    ..Summary::blank(place, RowKind::Late, late.frame(), late.frame())
                }
                .between(late.ends())
                .saying(&name, &info)?
            }
            Record::Gap(gap) => Summary {
                stream: Some((gap.stream, gap.side)),
                protocol: "gap".to_owned(),
                info: format!("{gap} (given up at frame {})", gap.frame),
                level: Some(Level::Broken),
                ..Summary::blank(place, RowKind::Gap, gap.frame, gap.frame)
            },
        };
        if let Some(line) = cells.map_or(Ok(None), |cells| cells.line(record))? {
            summary.info = line;
        }
        cut(&mut summary.info, INFO);
        Ok(summary)
    }

    fn message(place: u64, message: &Message<'_>) -> Result<Summary, fmt::Error> {
        let summary = Summary {
            time: nanos(RecordTimes { time: message.time(), ..message.times }),
            protocol: message.protocol().map_or("", |field| field.name).to_owned(),
            level: gravest(message.notes()),
            ..Summary::blank(place, RowKind::Message, message.n, message.frame())
        };
        let mut summary = summary.between(message.ends()).saying(message.name(), &message.info())?;
        let preview = message.of.tree.preview_of(message.layer.node);
        if !preview.is_empty() {
            summary.info.push_str("  ");
            clean(preview, &mut summary.info)?;
        }
        Ok(summary)
    }

    fn blank(place: u64, kind: RowKind, number: u64, frame: u64) -> Summary {
        Summary {
            place,
            kind,
            number,
            frame,
            time: None,
            stream: None,
            src: String::new(),
            dst: String::new(),
            protocol: String::new(),
            name: String::new(),
            info: String::new(),
            level: None,
        }
    }

    fn between(self, ends: Option<&Ends>) -> Summary {
        let Some(Ends { src, dst, stream, .. }) = ends else { return self };
        let words = |address: &Option<_>| address.map_or_else(String::new, |address: crate::tree::Address| address.to_string());
        Summary { src: words(src), dst: words(dst), stream: *stream, ..self }
    }

    fn saying(mut self, name: &str, info: &str) -> Result<Summary, fmt::Error> {
        clean(name, &mut self.name)?;
        write_summary(name, info, &mut self.info)?;
        Ok(self)
    }
}

fn nanos(times: RecordTimes) -> Option<i64> {
    times.since_start().and_then(|nanos| i64::try_from(nanos).ok())
}

fn gravest<'n>(notes: impl Iterator<Item = &'n Note>) -> Option<Level> {
    notes.map(level_of).max_by_key(|level| *level as u8)
}

/// A stored line. Repeated words are interned, see [`Rows::word`].
#[derive(Debug, Clone)]
pub struct Row {
    /// Its index among all records of its view.
    pub place: u64,
    pub kind: RowKind,
    /// Number of the message, or of the frame.
    pub number: u64,
    /// Number of the frame that completed it.
    pub frame: u64,
    /// Nanoseconds since the first frame; [`UNKNOWN`] without a time.
    time: i64,
    /// The conversation and the sender's side.
    pub stream: Option<(StreamId, Side)>,
    /// The source.
    pub src: u32,
    /// The destination.
    pub dst: u32,
    pub protocol: u32,
    /// The message type.
    pub name: u32,
    /// End of its type and summary in the text of its chunk.
    info_end: u32,
    /// The most severe note.
    pub level: Option<Level>,
}

/// Represents a missing time.
const UNKNOWN: i64 = i64::MIN;

impl Row {
    /// Whether it is a message or a packet.
    pub fn is_numbered(&self) -> bool {
        matches!(self.kind, RowKind::Message | RowKind::Packet)
    }

    /// Nanoseconds since the first frame.
    pub fn time(&self) -> Option<i64> {
        Some(self.time).filter(|time| *time != UNKNOWN)
    }
}

/// Number of lines whose text shares an allocation, because one per line would be larger than most texts.
const CHUNK: usize = 4096;

#[derive(Debug, Default)]
struct Chunk {
    /// Number of messages or packets in earlier chunks.
    before: usize,
    rows: Vec<Row>,
    text: String,
}

/// The list, up to [`limits::BROWSE_ROWS`].
#[derive(Debug, Default)]
pub struct Rows {
    /// All but the last have [`CHUNK`] lines.
    chunks: Vec<Chunk>,
    words: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// Maximum cell width of each chosen column.
    pub widths: Vec<usize>,
    /// Records dropped at the limit.
    pub left_out: u64,
    /// Number of messages or packets, and of late records and gaps between them.
    pub counts: Counts,
}

/// Numbers of lines by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages or packets.
    pub numbered: usize,
    /// Late records.
    pub late: usize,
    pub gaps: usize,
}

impl Rows {
    /// Adds a line, or counts it at the limit. Its text may be cells of chosen columns.
    pub fn push(&mut self, summary: Summary, has_cells: bool) {
        if !limits::BROWSE_ROWS.exceeds(self.len()) {
            self.left_out += 1;
            return;
        }
        let Summary { place, kind, number, frame, time, stream, src, dst, protocol, name, info, level } = summary;
        if has_cells && kind != RowKind::Gap {
            self.widen(&info);
        }
        let [src, dst, protocol, name] = [src, dst, protocol, name].map(|word| self.number(&word));
        if self.len().is_multiple_of(CHUNK) {
            let before = self.counts.numbered;
            self.chunks.push(Chunk { before, rows: Vec::with_capacity(CHUNK), text: String::new() });
        }
        match kind {
            RowKind::Message | RowKind::Packet => self.counts.numbered += 1,
            RowKind::Late => self.counts.late += 1,
            RowKind::Gap => self.counts.gaps += 1,
        }
        let Some(chunk) = self.chunks.last_mut() else { return };
        chunk.text.push_str(&info);
        chunk.rows.push(Row {
            place,
            kind,
            number,
            frame,
            time: time.unwrap_or(UNKNOWN),
            stream,
            src,
            dst,
            protocol,
            name,
            // A chunk has at most CHUNK texts of INFO columns.
            info_end: u32::try_from(chunk.text.len()).unwrap_or(u32::MAX),
            level,
        });
        if chunk.rows.len() == CHUNK {
            chunk.text.shrink_to_fit();
        }
    }

    fn widen(&mut self, cells: &str) {
        for (at, cell) in cells.split(SEPARATOR).enumerate() {
            match self.widths.get_mut(at) {
                Some(widest) => *widest = cell.width().max(*widest),
                None => self.widths.push(cell.width()),
            }
        }
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let word: Arc<str> = word.into();
        self.words.push(Arc::clone(&word));
        self.numbers.insert(word, number);
        number
    }

    /// An interned word.
    pub fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", |word| word)
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.rows.len());
        self.chunks.len().saturating_sub(1) * CHUNK + last
    }

    /// Number of messages or packets up to a line.
    pub fn numbered_up_to(&self, at: usize) -> usize {
        let Some(chunk) = self.chunks.get(at / CHUNK) else { return self.counts.numbered };
        chunk.before + chunk.rows.iter().take(at % CHUNK + 1).filter(|row| row.is_numbered()).count()
    }

    /// A line by its index.
    pub fn get(&self, at: usize) -> Option<&Row> {
        self.chunks.get(at / CHUNK)?.rows.get(at % CHUNK)
    }

    /// Type and summary of a line, by its index.
    pub fn info(&self, at: usize) -> &str {
        let info = || {
            let chunk = self.chunks.get(at / CHUNK)?;
            let place = at % CHUNK;
            let end = |place: usize| chunk.rows.get(place).map(|row| row.info_end as usize);
            let start = place.checked_sub(1).map_or(Some(0), end)?;
            chunk.text.get(start..end(place)?)
        };
        info().unwrap_or_default()
    }

    /// The nearest line before or after `at` that satisfies the condition.
    pub fn find(&self, at: usize, forward: bool, fits: impl Fn(&Row) -> bool) -> Option<usize> {
        if forward {
            (at + 1..self.len()).find(|at| self.get(*at).is_some_and(&fits))
        } else {
            (0..at.min(self.len())).rev().find(|at| self.get(*at).is_some_and(&fits))
        }
    }

    /// The first line with at least this number, else the last line.
    pub fn of_number(&self, number: u64) -> usize {
        let numbered = |row: &Row| row.is_numbered() && row.number >= number;
        (0..self.len()).find(|at| self.get(*at).is_some_and(numbered)).unwrap_or(self.len().saturating_sub(1))
    }
}

/// Seconds since the first frame, with six digits after the point.
pub fn seconds(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "{sign}{}.{:06}", nanos / 1_000_000_000, nanos % 1_000_000_000 / 1_000);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_and_packets_are_counted_as_such() {
        let mut rows = Rows::default();
        let kinds = [RowKind::Message, RowKind::Gap, RowKind::Packet, RowKind::Late, RowKind::Gap];
        for at in 0..2 * CHUNK + 7 {
            rows.push(Summary::blank(0, kinds[at % kinds.len()], 1, 1), false);
        }
        let mut numbered = 0;
        for at in 0..rows.len() {
            numbered += usize::from(at % 5 == 0 || at % 5 == 2);
            assert_eq!(rows.numbered_up_to(at), numbered, "{at}");
        }
        let Counts { numbered: all, late, gaps } = rows.counts;
        assert_eq!((all, all + late + gaps), (numbered, rows.len()));
        assert_eq!((rows.numbered_up_to(rows.len() + CHUNK), Rows::default().numbered_up_to(0)), (numbered, 0));
    }

    #[test]
    fn rows_have_the_time_of_their_record_or_none() {
        let mut rows = Rows::default();
        for time in [None, Some(0), Some(1_500), Some(-7)] {
            rows.push(Summary { time, ..Summary::blank(0, RowKind::Message, 1, 1) }, false);
        }
        let times: Vec<Option<i64>> = (0..4).map(|at| rows.get(at).unwrap().time()).collect();
        assert_eq!(times, [None, Some(0), Some(1_500), Some(-7)]);
    }
}
