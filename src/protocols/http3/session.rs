//! State of a connection: stream types, dynamic tables, and blocked field sections.

use super::framing::{CONTROL, DECODER, ENCODER, PUSH};
use super::qpack::{self, Prefix, Table, decoder, encoder};
use super::*;
use crate::limits;
use crate::protocols::http2::section::{self, Owner};
use crate::protocols::http2::streams::Streams;
use crate::protocols::http2::{body, headers};
use crate::protocols::varint::{number, varint};
use crate::tree::{BySide, Field, Piece, Side, Value, name_of};
use crate::wire::{Cut, Exchange, Rest, Result, Unfinished, Wire};
use std::collections::{BTreeMap, VecDeque};

const DATA_FRAME: u64 = 0;
const HEADERS_FRAME: u64 = 1;
const PUSH_PROMISE: u64 = 5;

/// Bit of a stream ID that is set in unidirectional streams.
const IS_UNI: u64 = 0x02;

/// Known types of unidirectional streams, and streams with a partial frame.
const MAX_STREAMS: usize = 256;

/// Setting with the maximum capacity of the dynamic table.
const MAX_TABLE_CAPACITY: u64 = 1;

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    /// Types of unidirectional streams.
    kinds: BTreeMap<u64, u64>,
    /// Type and remaining bytes of a partial frame, by stream and side.
    parts: BTreeMap<(u64, usize), (u64, u64)>,
    /// Dynamic table filled by the encoder of each side.
    tables: BySide<Table>,
    streams: Streams,
    blocked: VecDeque<Blocked>,
    /// Total bytes of the blocked sections.
    waiting: usize,
}

/// A blocked field section.
struct Blocked {
    from: Side,
    owner: Owner,
    required: u64,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Blocked {
    fn cost(&self) -> usize {
        size_of::<Blocked>() + self.bytes.len() + size_of_val(self.pieces.as_slice())
    }
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (id, is_last) = (wire.detail() >> 1, wire.detail() & 1 != 0);
        let result = wire.renamed(FIELDS, |wire| wire.renamed(known::FIELDS, |wire| self.read(from, wire, id, is_last)));
        self.streams.note_forgotten(wire);
        result
    }

    fn memory_usage(&self) -> usize {
        let maps = (self.kinds.len() + self.parts.len()) * 48;
        size_of_val(self)
            + maps
            + self.streams.memory_usage()
            + self.waiting
            + self.tables.iter().map(Table::memory_usage).sum::<usize>()
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        self.waiting = 0;
        let of = |section: Blocked| Unfinished {
            from: section.from,
            bytes: section.bytes,
            pieces: section.pieces,
            method: "quic stream",
            lost: Vec::new(),
            rest: Rest::Incomplete {
                code: &BLOCKED,
                words: format!("stream {}: {} entries of the dynamic table are needed", section.owner.id, section.required),
            },
        };
        self.blocked.drain(..).map(of).collect()
    }
}

impl Session {
    /// Dissects messages of a stream.
    pub(super) fn read(&mut self, from: Side, wire: &mut Wire<'_>, id: u64, is_last: bool) -> Result {
        if wire.remaining() == 0 {
            wire.name("end of stream");
            wire.info(format_args!("stream {id}"));
            return self.end(from, wire, id);
        }
        let kind = if id & IS_UNI == 0 { None } else { Some(self.kinds.get(&id).copied()) };
        match kind {
            Some(None) => self.stream_type(wire, id),
            Some(Some(PUSH)) if !self.parts.contains_key(&(id, from.index())) && self.streams.get(id).is_none() => {
                let push = number(wire, &PUSH_ID)?;
                self.streams.of(id);
                wire.name("push stream");
                wire.info(format_args!("push {push}, stream {id}"));
                Ok(())
            }
            Some(Some(ENCODER)) => self.encoder(from, wire),
            Some(Some(DECODER)) => decoder_instruction(wire),
            None | Some(Some(CONTROL | PUSH)) => {
                wire.each(|wire| self.frame(from, wire, id, is_last))?;
                if is_last { self.end(from, wire, id) } else { Ok(()) }
            }
            Some(Some(_)) => {
                wire.name("unknown stream");
                wire.info(format_args!("stream {id}, {} bytes", wire.remaining()));
                wire.rest_is(&UNKNOWN)
            }
        }
    }

    fn stream_type(&mut self, wire: &mut Wire<'_>, id: u64) -> Result {
        let kind = number(wire, &STREAM_TYPE)?;
        wire.name("stream type");
        let name = name_of(STREAM_TYPES, kind);
        wire.info(format_args!("{} stream {id}", name.unwrap_or("unknown")));
        if name.is_none() {
            wire.note(&UNKNOWN_TYPE, format_args!("type {kind:#x}"));
        }
        if self.kinds.len() < MAX_STREAMS {
            self.kinds.insert(id, kind);
        } else {
            wire.evicted(format_args!("stream {id}: more than {MAX_STREAMS} unidirectional streams are open"));
        }
        Ok(())
    }

    /// Ends this direction of a stream.
    fn end(&mut self, from: Side, wire: &mut Wire<'_>, id: u64) -> Result {
        self.kinds.remove(&id);
        if !self.blocked.iter().any(|section| section.owner.id == id && section.from == from) {
            body::finish(wire, &mut self.streams, id, from)?;
            self.streams.end(id, from);
        }
        Ok(())
    }

    /// Dissects a frame, or a part of one.
    fn frame(&mut self, from: Side, wire: &mut Wire<'_>, id: u64, is_last: bool) -> Result {
        let place = (id, from.index());
        let (kind, length) = match self.parts.remove(&place) {
            Some(part) => part,
            None => (number(wire, &FRAME_TYPE)?, number(wire, &FRAME_LENGTH)?),
        };
        let count = usize::try_from(length).unwrap_or(usize::MAX).min(wire.remaining());
        let left = length - count as u64;
        if left > 0 && !is_last && self.parts.len() < MAX_STREAMS {
            self.parts.insert(place, (kind, left));
        } else if left > 0 && !is_last {
            wire.evicted(format_args!("stream {id}: more than {MAX_STREAMS} streams have a frame in parts"));
        }
        match name_of(TYPES, kind) {
            Some(name) => wire.name(name),
            None => wire.name(&format!("type {kind:#x}")),
        }
        wire.info(format_args!("stream {id}, {count} bytes"));
        wire.put(&PAYLOAD, Value::Bytes, wire.at()..wire.at() + count);
        let is_whole = left == 0 && wire.cut() == Cut::No;
        match kind {
            DATA_FRAME => {
                let ends = is_last && count == wire.remaining();
                let waits = self.blocked.iter().any(|section| section.owner.id == id && section.from == from);
                body::data(wire, &mut self.streams, id, from, count, ends && !waits)
            }
            HEADERS_FRAME if is_whole => self.section(from, wire, count, Owner { id, ends: false, is_promise: false }),
            PUSH_PROMISE if is_whole => {
                let before = wire.remaining();
                number(wire, &PUSH_ID)?;
                let count = count.saturating_sub(before - wire.remaining());
                self.section(from, wire, count, Owner { id, ends: false, is_promise: true })
            }
            HEADERS_FRAME | PUSH_PROMISE => {
                wire.hide(wire.at()..wire.at() + count);
                wire.bytes(&SECTION, if left > 0 && is_last { count + 1 } else { count }).map(drop)
            }
            _ => wire.within(count, &UNKNOWN, |wire| self.control(from, wire, kind)),
        }
    }

    /// Dissects the payload of a frame without a body.
    fn control(&mut self, from: Side, wire: &mut Wire<'_>, kind: u64) -> Result {
        match kind {
            3 | 0x0d => {
                let push = number(wire, &PUSH_ID)?;
                wire.info(format_args!("push {push}"));
            }
            4 => return self.settings(from, wire),
            7 => {
                let last = number(wire, &GOAWAY_ID)?;
                wire.info(format_args!("before {last}"));
            }
            0xf_0700 | 0xf_0701 => {
                let element = number(wire, &ELEMENT_ID)?;
                let value = String::from_utf8_lossy(wire.rest(&PRIORITY));
                wire.info(format_args!("{element}, {value}"));
            }
            _ => drop(wire.rest(&UNKNOWN)),
        }
        Ok(())
    }

    fn settings(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut words = String::new();
        while wire.remaining() > 0 {
            let (id, value) = wire.group(&SETTING, |wire| {
                let id = number(wire, &SETTING_ID)?;
                let at = wire.at();
                let value = varint(wire.ahead()).map(|(value, _)| value).unwrap_or_default();
                number(wire, &SETTING_VALUE)?;
                if let Some(field) = setting(id) {
                    wire.put(field, Value::Unsigned(value), at..wire.at());
                }
                Ok((id, value))
            })?;
            if id == MAX_TABLE_CAPACITY {
                self.tables[from.other()].most = Some(value);
            }
            if let Some(name) = name_of(SETTINGS, id).filter(|_| words.len() < 200) {
                let between = if words.is_empty() { "" } else { ", " };
                words.push_str(&format!("{between}{name} {value}"));
            }
        }
        wire.info(format_args!("{words}"));
        Ok(())
    }

    /// Dissects the next `count` bytes as a field section, unless it is blocked.
    fn section(&mut self, from: Side, wire: &mut Wire<'_>, count: usize, owner: Owner) -> Result {
        let range = wire.at()..wire.at() + count;
        let bytes = wire.ahead().get(..count).unwrap_or_default();
        wire.put(&SECTION, Value::Bytes, range.clone());
        let table = &self.tables[from];
        let required = Prefix::of(bytes, table).map_or(0, |prefix| prefix.required);
        let mut is_partial = table.is_partial;
        if required > table.inserted() {
            wire.add(&REQUIRED, Value::Unsigned(required));
            wire.add(&AVAILABLE, Value::Unsigned(table.inserted()));
            let section = Blocked { from, owner, required, bytes: bytes.to_vec(), pieces: wire.pieces(range.clone(), 0) };
            if self.waiting + section.cost() <= limits::HTTP3_BLOCKED.get() {
                self.waiting += section.cost();
                self.blocked.push_back(section);
                wire.note(&BLOCKED, format_args!("{required} entries of the dynamic table are needed"));
                wire.info(format_args!("stream {}, {count} bytes, blocked", owner.id));
                // The section is secret if any of its fields is, which is known after decoding.
                wire.hide(range);
                return wire.skip(count);
            }
            wire.evicted(format_args!("stream {}: too many sections wait for entries", owner.id));
            is_partial = true;
        }
        let section = fields(wire, count, &self.tables[from], is_partial)?;
        section::message(wire, &mut self.streams, from, owner, section)
    }

    /// Dissects an instruction of the encoder stream, and the sections it unblocks.
    fn encoder(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let bytes = wire.ahead();
        let range = wire.at()..wire.at() + bytes.len();
        wire.name("QPACK encoder");
        wire.put(&super::ENCODER, Value::Bytes, range.clone());
        let Ok(instruction) = encoder::read(bytes, &mut self.tables[from]) else {
            wire.hide(range);
            self.tables[from].is_partial = true;
            return wire.malformed(&BAD_INSTRUCTION, format_args!("the instruction is not decoded"));
        };
        match instruction {
            encoder::Instruction::Capacity(capacity) => {
                wire.put(&CAPACITY, Value::Unsigned(capacity), range);
                wire.info(format_args!("capacity {capacity}"));
            }
            encoder::Instruction::Duplicate(index) => {
                wire.put(&DUPLICATE, Value::Unsigned(index), range);
                wire.info(format_args!("duplicate {index}"));
            }
            encoder::Instruction::Insert(insert) => put_insert(wire, range.start, bytes.len(), &insert)?,
        }
        wire.skip(wire.remaining())?;
        wire.add(&INSERT_COUNT, Value::Unsigned(self.tables[from].inserted()));
        self.unblock(from, wire)
    }

    /// Dissects the unblocked sections.
    fn unblock(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let inserted = self.tables[from].inserted();
        let is_ready = |section: &Blocked| section.from == from && section.required <= inserted;
        while let Some(section) = self.blocked.iter().position(is_ready).and_then(|place| self.blocked.remove(place)) {
            self.waiting = self.waiting.saturating_sub(section.cost());
            let Blocked { owner, bytes, pieces, .. } = section;
            let (table, streams) = (&self.tables[from], &mut self.streams);
            wire.joined_deciphered("field section", &pieces, &bytes, |inner| {
                let section = fields(inner, bytes.len(), table, table.is_partial)?;
                section::message(inner, streams, from, owner, section)
            })?;
        }
        Ok(())
    }
}

/// Dissects the next `count` bytes as a field section. Returns whether some of its entries are unknown.
fn fields(wire: &mut Wire<'_>, count: usize, table: &Table, is_partial: bool) -> Result<headers::Section> {
    let block = qpack::decode(wire.ahead().get(..count).unwrap_or_default(), table);
    wire.add(&HEADER_COUNT, Value::Unsigned(block.items.len() as u64));
    headers::put(wire, "qpack", count, &block, is_partial)
}

/// Adds an insertion at offset `at`.
fn put_insert(wire: &mut Wire<'_>, at: usize, count: usize, insert: &encoder::Insert) -> Result {
    let lies = |range: &std::ops::Range<usize>| at + range.start..at + range.end;
    let (all, name, value) = if insert.is_indexed {
        (&INSERT_INDEXED, &INSERT_REF, &INSERT_INDEXED_VALUE)
    } else {
        (&INSERT, &INSERT_NAME, &INSERT_VALUE)
    };
    wire.put_over(all, Value::Bytes, Some(at..at + count), |wire| {
        wire.put(name, Value::Bytes, lies(&insert.name_raw));
        if !insert.value_raw.is_empty() {
            wire.put(value, Value::Bytes, lies(&insert.value_raw));
        }
    });
    let text = String::from_utf8_lossy(&insert.text).into_owned();
    let shown = wire.masked(&text).into_owned();
    wire.info(format_args!("insert {shown}"));
    let is_secret =
        shown != text || crate::wire::credentials::is_secret_name(insert.text.get(insert.name.clone()).unwrap_or_default());
    if is_secret {
        wire.hide(lies(&insert.value_raw));
    }
    wire.derived("qpack", 0, &insert.text, |inner| {
        inner.put(&INSERTED_NAME, Value::Text, insert.name.clone());
        inner.put(&INSERTED_VALUE, Value::Text, insert.value.clone());
        inner.hide_credentials(0..insert.text.len());
        inner.hide_named(insert.text.get(insert.name.clone()).unwrap_or_default(), insert.value.clone());
        Ok(())
    })
}

fn decoder_instruction(wire: &mut Wire<'_>) -> Result {
    let range = wire.at()..wire.at() + wire.remaining();
    wire.name("QPACK decoder");
    let Ok(instruction) = decoder::read(wire.ahead()) else {
        return wire.malformed(&BAD_INSTRUCTION, format_args!("the instruction is not decoded"));
    };
    let (field, number, words) = match instruction {
        decoder::Instruction::Acknowledge(stream) => (&ACKNOWLEDGED, stream, "section acknowledgment, stream"),
        decoder::Instruction::Cancel(stream) => (&CANCELLED, stream, "cancellation, stream"),
        decoder::Instruction::Increment(count) => (&INCREMENT, count, "insert count increment"),
    };
    wire.put(field, Value::Unsigned(number), range);
    wire.info(format_args!("{words} {number}"));
    wire.skip(wire.remaining())
}

/// Field of the value of a setting.
fn setting(id: u64) -> Option<&'static Field> {
    Some(match id {
        1 => &TABLE_CAPACITY,
        6 => &MAX_SECTION,
        7 => &BLOCKED_STREAMS,
        8 => &EXTENDED_CONNECT,
        0x33 => &H3_DATAGRAM,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::http3::PROTOCOL;
    use crate::wire::{Cut, trial};

    #[test]
    fn an_insertion_lies_where_its_instruction_begins() {
        let insert = encoder::Insert {
            is_indexed: false,
            name_raw: 1..3,
            value_raw: 4..7,
            text: b"ab: cde".to_vec(),
            name: 0..2,
            value: 4..7,
        };
        let tree = trial::read(&PROTOCOL, &[0x55; 20], Cut::No, |wire| {
            put_insert(wire, 11, 7, &insert)?;
            wire.skip(20)
        });
        let spans: Vec<&str> = tree
            .lines()
            .filter(|line| line.contains("encoder.opcode.insert"))
            .filter_map(|line| line.trim().split(' ').next())
            .collect();
        assert_eq!(spans, ["11..18", "12..14", "15..18"], "{tree}");
    }
}
