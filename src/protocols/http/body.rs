//! Bodies: where they end, what they were before they were cut into chunks and compressed, and what they are.

use super::head::{Coding, Facts};
use super::{
    BAD_CHUNK, CHUNK_BOUNDARY, CHUNK_DATA, CHUNK_SIZE, DATA, DECOMPRESSION_FAILED, DECOMPRESSION_LIMIT, ENCODED, FILE_DATA,
    TRAILER,
};
use crate::limits;
use crate::protocols::{json, lines};
use crate::tree::{Piece, Value};
use crate::wire::{Error, Result, Wire};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::Read;
use std::ops::Range;

/// The longest line in front of a chunk.
const SIZE_LINE_MAX: usize = 4096;

/// What follows a head.
#[derive(Debug, Clone)]
pub(super) enum Behind {
    Nothing,
    Length(u64),
    Chunks(Chunks),
    ToEnd,
}

impl Behind {
    /// What is left when so many bytes of it were there, where that can be told.
    pub(super) fn less(&self, have: u64) -> Option<Behind> {
        match self {
            Behind::Length(length) => length.checked_sub(have).filter(|left| *left > 0).map(Behind::Length),
            Behind::ToEnd => Some(Behind::ToEnd),
            Behind::Nothing | Behind::Chunks(_) => None,
        }
    }
}

/// How far chunks were followed.
#[derive(Debug, Clone, Default)]
pub(super) struct Chunks {
    /// The place of the next line, in bytes that all wait.
    at: usize,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// The next line has a size.
    #[default]
    Size,
    /// So many bytes of a chunk are to come, and its line end.
    Within(u64),
    /// The next line belongs to the trailer.
    Trailer,
    Over,
}

/// The size in front of a chunk, and the bytes of its line. `None` if the line is not whole, an error if it is no size.
fn size(bytes: &[u8]) -> std::result::Result<Option<(u64, usize)>, ()> {
    let Some(line) = lines::line(bytes.get(..bytes.len().min(SIZE_LINE_MAX)).unwrap_or_default()) else {
        return if bytes.len() < SIZE_LINE_MAX { Ok(None) } else { Err(()) };
    };
    let text = bytes.get(..line.text).unwrap_or_default();
    let digits = text.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let digits = std::str::from_utf8(digits).map_err(drop)?;
    let is_plain = (1..=16).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = u64::from_str_radix(digits, 16).ok().filter(|_| is_plain).ok_or(())?;
    Ok(Some((size, line.whole)))
}

impl Chunks {
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// Where the body ends, given all of it so far. Where it makes no sense it ends too.
    pub(super) fn follow(&mut self, body: &[u8]) -> Option<usize> {
        loop {
            let ahead = body.get(self.at..)?;
            match self.stage {
                Stage::Size => match size(ahead) {
                    Ok(None) => return None,
                    Ok(Some((size, line))) => {
                        self.at += line;
                        self.stage = if size == 0 { Stage::Trailer } else { Stage::Within(size) };
                    }
                    Err(()) => return Some(self.at + lines::line(ahead).map_or(ahead.len(), |line| line.whole)),
                },
                Stage::Within(size) => {
                    let end = usize::try_from(size).ok()?.checked_add(self.at)?;
                    self.at = end.checked_add(boundary(body.get(end..)?)?)?;
                    self.stage = Stage::Size;
                }
                Stage::Trailer => {
                    let line = lines::line(ahead)?;
                    self.at += line.whole;
                    if line.text == 0 {
                        self.stage = Stage::Over;
                    }
                }
                Stage::Over => return Some(self.at),
            }
        }
    }

    /// Bytes of the next message where the body is told in parts: whole lines, and data of `most` bytes. `None` if too few are there.
    pub(super) fn run(&self, ahead: &[u8], most: usize) -> Option<usize> {
        let mut probe = Chunks { at: 0, stage: self.stage };
        if probe.follow(ahead).is_some() {
            return Some(probe.at.max(1).min(ahead.len().max(1)));
        }
        match probe.stage {
            _ if ahead.len() < most => None,
            Stage::Within(_) => Some(ahead.len()),
            _ => Some(probe.at).filter(|at| *at > 0),
        }
    }
}

/// Bytes of the line end behind a chunk.
fn boundary(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\r', b'\n', ..] => Some(2),
        [b'\n', ..] => Some(1),
        [] | [b'\r'] => None,
        _ => Some(0),
    }
}

/// The data of chunks, and where the first of them lie.
#[derive(Default)]
pub(super) struct Data {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

/// Read chunks, as far as there are any. Returns their data, if anything of the message is shown.
pub(super) fn chunks(wire: &mut Wire<'_>, chunks: &mut Chunks) -> Result<Data> {
    let mut data = Data::default();
    let keeps = wire.is_looked_at();
    while chunks.stage != Stage::Over && wire.remaining() > 0 {
        let ahead = wire.ahead();
        match chunks.stage {
            Stage::Size => {
                let (size, line) = match size(ahead) {
                    Ok(size) => size.ok_or(Error::Short { needed: 1 })?,
                    Err(()) => return wire.malformed(&BAD_CHUNK, format_args!("no size of a chunk")),
                };
                let at = wire.at();
                wire.put(&CHUNK_SIZE, Value::Unsigned(size), at..at + line);
                wire.skip(line)?;
                chunks.stage = if size == 0 { Stage::Trailer } else { Stage::Within(size) };
            }
            Stage::Within(0) => {
                let count = boundary(ahead).ok_or(Error::Short { needed: 1 })?;
                if count > 0 {
                    wire.bytes(&CHUNK_BOUNDARY, count)?;
                }
                chunks.stage = Stage::Size;
            }
            Stage::Within(left) => {
                let count = usize::try_from(left).unwrap_or(usize::MAX).min(ahead.len());
                let range = wire.at()..wire.at() + count;
                let bytes = wire.bytes(&CHUNK_DATA, count)?;
                if keeps {
                    data.bytes.extend_from_slice(bytes);
                }
                if keeps && data.ranges.len() < limits::HTTP_CHUNKS.get() {
                    data.ranges.push(range);
                }
                chunks.stage = Stage::Within(left - count as u64);
            }
            Stage::Trailer => {
                let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
                if line.text == 0 {
                    chunks.stage = Stage::Over;
                    wire.bytes(&CHUNK_BOUNDARY, line.whole)?;
                } else {
                    wire.hide_credentials(wire.at()..wire.at() + line.text);
                    wire.words(&TRAILER, line.whole, 0..line.text)?;
                }
            }
            Stage::Over => {}
        }
    }
    Ok(data)
}

/// Read the body, as far as it is there, of what was asked for or sent to this address.
pub(super) fn read(wire: &mut Wire<'_>, facts: &Facts<'_>, behind: Behind, uri: &str) -> Result {
    let have = wire.remaining();
    match behind {
        Behind::Nothing => Ok(()),
        Behind::ToEnd => content(wire, facts, have, uri),
        Behind::Length(length) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            match length.checked_sub(have).filter(|needed| *needed > 0) {
                Some(needed) => raw(wire, have).and(Err(Error::Short { needed })),
                None => content(wire, facts, length, uri),
            }
        }
        Behind::Chunks(mut state) => {
            let Data { bytes, ranges } = chunks(wire, &mut state)?;
            if !state.is_over() {
                return Err(Error::Short { needed: 1 });
            }
            if !wire.is_looked_at() {
                return Ok(());
            }
            let pieces = pieces(wire, &ranges);
            wire.joined("chunked", &pieces, &bytes, |inner| content(inner, facts, bytes.len(), uri))
        }
    }
}

/// Where the bytes of ranges were captured, in the order in which they are joined.
fn pieces(wire: &Wire<'_>, ranges: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut off = 0;
    for range in ranges {
        pieces.extend(wire.pieces(range.clone(), off));
        off += range.len() as u64;
    }
    pieces
}

/// A body as it is.
pub(super) fn raw(wire: &mut Wire<'_>, count: usize) -> Result {
    if looks_like_text(wire.ahead()) {
        wire.hide_credentials(wire.at()..wire.at() + count.min(wire.remaining()));
    }
    if count > 0 { wire.bytes(&DATA, count).map(drop) } else { Ok(()) }
}

/// Whether a body may hold the names and values of a form, judging by its beginning.
fn looks_like_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 256;
    memchr::memchr(0, bytes.get(..LOOKED_AT).unwrap_or(bytes)).is_none()
}

/// A body without chunks.
fn content(wire: &mut Wire<'_>, facts: &Facts<'_>, count: usize, uri: &str) -> Result {
    if count == 0 {
        return Ok(());
    }
    let raw = wire.ahead().get(..count).unwrap_or_default();
    if wire.wants_objects() {
        let name = named(file_name(uri), facts.kind);
        wire.object("body", &name, || Some(decoded(facts.coding, raw, limits::HTTP_BODY.get()).unwrap_or_else(|_| raw.to_vec())));
    }
    if facts.coding == Coding::Plain || !wire.wants_fields() && !wire.looks_for_secrets() {
        return show(wire, count, facts.kind);
    }
    let most = wire.room_to_decompress().min(limits::HTTP_BODY.get());
    match decoded(facts.coding, raw, most) {
        Ok(bytes) => {
            wire.has_decompressed(bytes.len());
            wire.put(&ENCODED, Value::Bytes, wire.at()..wire.at() + count);
            if bytes.len() >= most {
                wire.note(&DECOMPRESSION_LIMIT, format_args!("more than {most} bytes"));
            }
            let how = if facts.coding == Coding::Gzip { "gzip" } else { "deflate" };
            wire.derived(how, count, &bytes, |inner| show(inner, bytes.len(), facts.kind))
        }
        Err(why) => {
            wire.bytes(&DATA, count)?;
            wire.note(&DECOMPRESSION_FAILED, format_args!("{why}"));
            Ok(())
        }
    }
}

/// A body as somebody meant it.
fn show(wire: &mut Wire<'_>, count: usize, kind: &[u8]) -> Result {
    if count == 0 {
        return Ok(());
    }
    let bytes = wire.ahead().get(..count).unwrap_or_default();
    let says_json = kind.split(|byte| *byte == b';').next().unwrap_or_default().to_ascii_lowercase().ends_with(b"json");
    let is_json = says_json || json::is_likely(bytes);
    let is_asked = wire.wants_fields() && (is_json || wire.wants(&[&FILE_DATA, &DATA]));
    let is_text = is_asked && memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok();
    let (field, value) = if is_text { (&FILE_DATA, Value::Text) } else { (&DATA, Value::Bytes) };
    if !(is_text && is_json) && looks_like_text(bytes) {
        wire.hide_credentials(wire.at()..wire.at() + count);
    }
    wire.put(field, value, wire.at()..wire.at() + count);
    if is_text && is_json {
        json::text(wire);
    }
    wire.skip(count.min(wire.remaining()))
}

/// What compressed bytes were, up to a bound.
pub(super) fn decoded(coding: Coding, raw: &[u8], most: usize) -> std::io::Result<Vec<u8>> {
    let all = |reader: &mut dyn Read| {
        let mut bytes = Vec::new();
        reader.take(most as u64).read_to_end(&mut bytes).map(|_| bytes)
    };
    match coding {
        Coding::Plain => Ok(raw.to_vec()),
        Coding::Gzip => all(&mut MultiGzDecoder::new(raw)),
        // Some send a bare deflate stream under this name.
        Coding::Deflate => all(&mut ZlibDecoder::new(raw)).or_else(|_| all(&mut DeflateDecoder::new(raw))),
    }
}

/// What a body would be called as a file, judging by where it was asked for.
fn file_name(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    path.rsplit('/').next().unwrap_or_default()
}

/// The same with an ending that says what it is, if it has none.
fn named(file: &str, kind: &[u8]) -> String {
    let stem = if file.is_empty() { "index" } else { file };
    if stem.contains('.') {
        return stem.to_owned();
    }
    let kind = String::from_utf8_lossy(kind).to_ascii_lowercase();
    let ends = match kind.split(';').next().unwrap_or_default().trim() {
        "text/html" => "html",
        "text/css" => "css",
        "text/plain" => "txt",
        "text/xml" | "application/xml" => "xml",
        "text/javascript" | "application/javascript" => "js",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/gif" => "gif",
        "image/svg+xml" => "svg",
        kind if kind.ends_with("json") => "json",
        _ => "bin",
    };
    format!("{stem}.{ends}")
}
