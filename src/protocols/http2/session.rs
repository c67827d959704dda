//! State of a connection: frame extents, header blocks in several frames, and streams.

use super::flags::{self, FrameHeader, HAS_PRIORITY, IS_END_HEADERS, IS_END_STREAM, IS_PADDED};
use super::headers;
use super::heuristics::PREFACE;
use super::hpack::Table;
use super::names::{self, CONTINUATION, HEADERS_FRAME, PUSH_PROMISE, TYPES};
use super::section::{self, Owner};
use super::streams::Streams;
use super::*;
use crate::limits;
use crate::tree::{BySide, Field, Piece, Side, Value, name_of};
use crate::wire::{Conversation, Cut, Extent, Missing, Result, Resumption, Wire};

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    directions: BySide<Direction>,
    streams: Streams,
}

/// State of one direction.
#[derive(Default)]
struct Direction {
    table: Table,
    /// Header block that continues in the next frame.
    open: Option<OpenBlock>,
    /// A frame or the preface has been dissected.
    has_begun: bool,
    /// After a gap, frame boundaries are unknown.
    is_lost: bool,
}

/// A header block without its last frame.
struct OpenBlock {
    owner: Owner,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    /// The block exceeds the limit.
    is_full: bool,
}

/// State after an upgrade from HTTP/1.1: stream 1 holds the request (RFC 7540 section 3.2).
pub(in crate::protocols) fn upgraded(uri: String, target: usize) -> Box<dyn Conversation> {
    let mut session = Session::default();
    let stream = session.streams.of(1);
    (stream.uri, stream.target) = (uri, target);
    session.streams.end(1, Side::Client);
    Box::new(session)
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let direction = &mut self.directions[from];
        if !direction.has_begun && from == Side::Client {
            match ahead {
                _ if ahead.starts_with(PREFACE) => return Extent::Message(PREFACE.len()),
                _ if more && PREFACE.starts_with(ahead) => return Extent::NeedMore(PREFACE.len()),
                _ => {}
            }
        }
        if direction.is_lost {
            match flags::next_frame(ahead) {
                Some(0) => direction.is_lost = false,
                Some(run) => return Extent::Unknown(run),
                None => return Extent::Unknown(ahead.len()),
            }
        }
        match FrameHeader::of(ahead) {
            Some(header) => Extent::Message(header.whole()),
            None if more => Extent::NeedMore(flags::HEADER_SIZE),
            None => Extent::Message(flags::HEADER_SIZE),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let direction = &mut self.directions[from];
        let is_first = !std::mem::replace(&mut direction.has_begun, true);
        if is_first && from == Side::Client {
            if wire.ahead().starts_with(PREFACE) {
                wire.name("Magic");
                wire.info(format_args!("connection preface"));
                return wire.text(&MAGIC, PREFACE.len()).map(drop);
            }
            // The start of the connection was not captured.
            self.directions.iter_mut().for_each(|direction| direction.table.lose());
        }
        let result = self.frame(from, wire);
        self.streams.note_forgotten(wire);
        if wire.cut() != Cut::No {
            self.lose_block(from);
        }
        result
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        // The first frame may be incomplete.
        let is_begun = FrameHeader::of(ahead).is_some_and(|header| header.is_plausible() && header.whole() > ahead.len());
        match flags::next_frame(ahead) {
            _ if is_begun && self.directions[from].is_lost => Resumption::Beyond(0),
            _ if is_begun || ahead.starts_with(PREFACE) => Resumption::At(0),
            Some(run) => Resumption::At(run),
            None => Resumption::Beyond(ahead.len().saturating_sub(flags::HEADER_SIZE - 1)),
        }
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        // The text of header fields may be compressed.
        FrameHeader::of(ahead).is_none_or(|header| matches!(header.kind, HEADERS_FRAME | PUSH_PROMISE | CONTINUATION))
    }

    fn memory_usage(&self) -> usize {
        let open = |open: &OpenBlock| open.bytes.capacity() + open.pieces.capacity() * size_of::<Piece>();
        let direction = |direction: &Direction| direction.table.memory_usage() + direction.open.as_ref().map_or(0, open);
        size_of_val(self) + self.streams.memory_usage() + self.directions.iter().map(direction).sum::<usize>()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.directions[from].has_begun = true;
        if !missing.in_step {
            self.directions[from].is_lost = true;
            self.streams.lose(from);
            self.lose_block(from);
        }
    }
}

impl Session {
    /// Marks later indexes as unknown, because a header block is incomplete.
    fn lose_block(&mut self, from: Side) {
        let direction = &mut self.directions[from];
        direction.open = None;
        direction.table.lose();
    }

    fn frame(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.u24_be(&LENGTH)?;
        let kind = wire.u8(&TYPE)?;
        let flags = wire.flags(&FLAGS, 1, flags::of(kind))?.to_be_bytes()[7];
        let id = wire.bits(4, &[&RESERVED, &STREAM_ID])? & 0x7fff_ffff;
        match name_of(TYPES, kind.into()) {
            Some(name) => wire.name(name),
            None => wire.name(&format!("type {kind}")),
        }
        let place = if id == 0 { "connection".to_owned() } else { format!("stream {id}") };
        wire.info(format_args!("{place}, {} bytes", wire.remaining()));
        if kind != names::CONTINUATION && self.directions[from].open.is_some() {
            wire.note(&INTERRUPTED, format_args!("the header block has no end"));
            self.lose_block(from);
        }
        let ends = flags & IS_END_STREAM != 0;
        match kind {
            names::DATA_FRAME => {
                let pad = padding(wire, flags)?;
                let count = wire.remaining() - pad;
                wire.info(format_args!("{place}, {count} bytes"));
                body::data(wire, &mut self.streams, id, from, count, ends)?;
                padded(wire, &DATA_PADDING);
                if ends {
                    self.streams.end(id, from);
                }
                Ok(())
            }
            names::HEADERS_FRAME => {
                let pad = padding(wire, flags)?;
                if flags & HAS_PRIORITY != 0 {
                    frames::priority(wire)?;
                }
                let count = wire.remaining().saturating_sub(pad);
                self.block(from, wire, &BLOCK, count, flags, Owner { id, ends, is_promise: false })?;
                padded(wire, &HEADERS_PADDING);
                Ok(())
            }
            names::PUSH_PROMISE => {
                let pad = padding(wire, flags)?;
                let id = wire.bits(4, &[&PROMISE_RESERVED, &PROMISED])? & 0x7fff_ffff;
                let count = wire.remaining().saturating_sub(pad);
                self.block(from, wire, &PROMISE_BLOCK, count, flags, Owner { id, ends: true, is_promise: true })?;
                padded(wire, &PROMISE_PADDING);
                Ok(())
            }
            names::CONTINUATION => self.continuation(from, wire, flags),
            _ => {
                if kind == names::RST_STREAM {
                    self.streams.reset(id);
                }
                frames::read(wire, kind, flags, &place)
            }
        }
    }

    /// Dissects the next `count` bytes as a header block or its first part.
    fn block(&mut self, from: Side, wire: &mut Wire<'_>, field: &'static Field, count: usize, flags: u8, owner: Owner) -> Result {
        if wire.cut() != Cut::No {
            wire.hide(wire.at()..wire.at() + wire.remaining());
            return wire.bytes(field, count.max(wire.remaining() + 1)).map(drop);
        }
        let range = wire.at()..wire.at() + count;
        if count > 0 {
            wire.put(field, Value::Bytes, range.clone());
        }
        if flags & IS_END_HEADERS != 0 {
            let section = headers::read(wire, count, &mut self.directions[from].table)?;
            return section::message(wire, &mut self.streams, from, owner, section);
        }
        let mut open = OpenBlock { owner, bytes: Vec::new(), pieces: Vec::new(), is_full: false };
        open.add(wire, count);
        self.directions[from].open = Some(open);
        wire.info(format_args!("stream {}, {count} bytes, to be continued", owner.id));
        // The first part is secret if any field of the block is, which is known with the last frame.
        wire.hide(range);
        wire.skip(count)
    }

    fn continuation(&mut self, from: Side, wire: &mut Wire<'_>, flags: u8) -> Result {
        let count = wire.remaining();
        let range = wire.at()..wire.at() + count;
        let Some(mut open) = self.directions[from].open.take() else {
            wire.hide(range);
            wire.bytes(&CONTINUED_BLOCK, count)?;
            wire.note(&NO_START, format_args!("the header block has no beginning"));
            self.directions[from].table.lose();
            return Ok(());
        };
        if wire.cut() != Cut::No {
            wire.hide(range);
            return wire.bytes(&CONTINUED_BLOCK, count + 1).map(drop);
        }
        wire.put(&CONTINUED_BLOCK, Value::Bytes, range.clone());
        open.add(wire, count);
        wire.skip(count)?;
        if flags & IS_END_HEADERS == 0 {
            wire.hide(range);
            self.directions[from].open = Some(open);
            return Ok(());
        }
        if open.is_full {
            wire.hide(range);
            wire.note(&TOO_MANY, format_args!("more than {} bytes", limits::HTTP2_HEADERS.get()));
            self.directions[from].table.lose();
            return Ok(());
        }
        let table = &mut self.directions[from].table;
        let section =
            wire.joined("header block", &open.pieces, &open.bytes, |inner| headers::read(inner, open.bytes.len(), table))?;
        section::message(wire, &mut self.streams, from, open.owner, section)
    }
}

impl OpenBlock {
    /// Adds the next `count` bytes without dissecting them.
    fn add(&mut self, wire: &Wire<'_>, count: usize) {
        let bytes = wire.ahead().get(..count).unwrap_or_default();
        self.is_full |= self.bytes.len() + bytes.len() > limits::HTTP2_HEADERS.get();
        if self.is_full {
            (self.bytes, self.pieces) = (Vec::new(), Vec::new());
            return;
        }
        self.pieces.extend(wire.pieces(wire.at()..wire.at() + count, self.bytes.len() as u64));
        self.bytes.extend_from_slice(bytes);
    }
}

/// Dissects and returns the pad length.
fn padding(wire: &mut Wire<'_>, flags: u8) -> Result<usize> {
    let pad = if flags & IS_PADDED != 0 { wire.u8(&PADDING)?.into() } else { 0 };
    wire.add(&PAD_LENGTH, Value::Unsigned(pad as u64));
    if pad > wire.remaining() && wire.cut() == Cut::No {
        wire.hide(wire.at()..wire.at() + wire.remaining());
        return wire.malformed(&BAD_PADDING, format_args!("{pad} bytes of padding, {} of payload", wire.remaining()));
    }
    Ok(if wire.cut() == Cut::No { pad } else { 0 })
}

/// Dissects the remaining bytes as padding.
fn padded(wire: &mut Wire<'_>, field: &'static Field) {
    wire.rest(field);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_an_open_header_block_count_as_memory() {
        let mut session = Session::default();
        let before = session.memory_usage();
        let owner = Owner { id: 1, ends: false, is_promise: false };
        session.directions[Side::Client].open =
            Some(OpenBlock { owner, bytes: Vec::with_capacity(5000), pieces: Vec::with_capacity(10), is_full: false });
        assert!(session.memory_usage() >= before + 5000 + 10 * size_of::<Piece>());
    }
}
