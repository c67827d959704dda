//! Message bodies: length, chunked transfer coding, content codings and content types.

use super::head::{Coding, HeaderValues};
use super::media;
use super::*;
use crate::limits;
use crate::protocols::{json, lines};
use crate::tree::{Piece, Value};
use crate::wire::{Error, Result, Wire};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::Read;
use std::ops::Range;

/// Longest chunk size line in bytes.
const SIZE_LINE_MAX: usize = 4096;

/// Framing of the body that follows the headers.
#[derive(Debug, Clone)]
pub(super) enum BodyFraming {
    Nothing,
    Length(u64),
    Chunks(Chunks),
    ToEnd,
}

impl BodyFraming {
    /// The remainder after this many bytes; `None` if the framing does not determine it.
    pub(super) fn less(&self, have: u64) -> Option<BodyFraming> {
        match self {
            BodyFraming::Length(length) => length.checked_sub(have).filter(|left| *left > 0).map(BodyFraming::Length),
            BodyFraming::ToEnd => Some(BodyFraming::ToEnd),
            BodyFraming::Nothing | BodyFraming::Chunks(_) => None,
        }
    }
}

/// State of the chunked transfer coding.
#[derive(Debug, Clone, Default)]
pub(super) struct Chunks {
    /// Offset of the next line in the waiting bytes.
    at: usize,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// The next line is a chunk size.
    #[default]
    Size,
    /// This many bytes of a chunk remain, and its line end.
    Within(u64),
    /// The next line belongs to the trailer section.
    Trailer,
    Over,
}

/// Chunk size and length of its line; `None` if incomplete, an error if invalid.
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

    /// End of the body, given all bytes so far. Invalid chunks end it as well.
    pub(super) fn find_end(&mut self, body: &[u8]) -> Option<usize> {
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

    /// Length of the next message of a body dissected in parts: complete lines, and chunk data of `most` bytes; `None` if incomplete.
    pub(super) fn run(&self, ahead: &[u8], most: usize) -> Option<usize> {
        let mut probe = Chunks { at: 0, stage: self.stage };
        if probe.find_end(ahead).is_some() {
            return Some(probe.at.max(1).min(ahead.len().max(1)));
        }
        match probe.stage {
            _ if ahead.len() < most => None,
            Stage::Within(_) => Some(ahead.len()),
            _ => Some(probe.at).filter(|at| *at > 0),
        }
    }
}

/// Length of the line end after a chunk.
fn boundary(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\r', b'\n', ..] => Some(2),
        [b'\n', ..] => Some(1),
        [] | [b'\r'] => None,
        _ => Some(0),
    }
}

/// Chunk data, and the ranges of the first chunks.
#[derive(Default)]
pub(super) struct Data {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

/// Dissects chunks. Returns their data if fields of the message are requested.
pub(super) fn chunks(wire: &mut Wire<'_>, chunks: &mut Chunks) -> Result<Data> {
    let mut data = Data::default();
    let keeps = !wire.defers();
    while chunks.stage != Stage::Over && wire.remaining() > 0 {
        let ahead = wire.ahead();
        match chunks.stage {
            Stage::Size => {
                let (size, line) = match size(ahead) {
                    Ok(size) => size.ok_or(Error::Short { needed: 1 })?,
                    Err(()) => return wire.malformed(&BAD_CHUNK, format_args!("the chunk size is invalid")),
                };
                let at = wire.at();
                wire.put(&CHUNK_SIZE, Value::Unsigned(size), at..at + line);
                wire.skip(line)?;
                chunks.stage = if size == 0 { Stage::Trailer } else { Stage::Within(size) };
            }
            Stage::Within(0) => {
                let count = boundary(ahead).ok_or(Error::Short { needed: 1 })?;
                wire.optional(&CHUNK_BOUNDARY, count)?;
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

/// Dissects the available part of the body of a request or response for this URI.
pub(super) fn read(wire: &mut Wire<'_>, headers: &HeaderValues<'_>, framing: BodyFraming, uri: &str) -> Result {
    let have = wire.remaining();
    match framing {
        BodyFraming::Nothing => Ok(()),
        BodyFraming::ToEnd => content(wire, headers, have, uri),
        BodyFraming::Length(length) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            match length.checked_sub(have).filter(|needed| *needed > 0) {
                Some(needed) => raw(wire, have).and(Err(Error::Short { needed })),
                None => content(wire, headers, length, uri),
            }
        }
        BodyFraming::Chunks(mut state) => {
            let Data { bytes, ranges } = chunks(wire, &mut state)?;
            if !state.is_over() {
                return Err(Error::Short { needed: 1 });
            }
            if wire.defers() {
                return Ok(());
            }
            let pieces = pieces(wire, &ranges);
            wire.joined("chunked", &pieces, &bytes, |inner| content(inner, headers, bytes.len(), uri))
        }
    }
}

/// Pieces of the capture that contain these ranges, in order.
fn pieces(wire: &Wire<'_>, ranges: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut off = 0;
    for range in ranges {
        pieces.extend(wire.pieces(range.clone(), off));
        off += range.len() as u64;
    }
    pieces
}

/// Shows a body as bytes.
pub(super) fn raw(wire: &mut Wire<'_>, count: usize) -> Result {
    if is_likely_text(wire.ahead()) {
        wire.hide_credentials(wire.at()..wire.at() + count.min(wire.remaining()));
    }
    wire.optional(&DATA, count).map(drop)
}

/// Whether a body of this type may have secrets: forms, JSON, XML, and what is unknown.
pub(super) fn may_have_secrets(kind: &[u8]) -> bool {
    const TYPES: [&[u8]; 5] = [b"json", b"xml", b"form", b"text/plain", b"graphql"];
    const PICTURE: &[u8] = b"image/";
    let kind = kind.to_ascii_lowercase();
    kind.is_empty() || TYPES.iter().any(|name| memchr::memmem::find(&kind, name).is_some()) && !kind.starts_with(PICTURE)
}

/// Whether the beginning of a body may be text, such as form data.
pub(in crate::protocols) fn is_likely_text(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 256;
    memchr::memchr(0, bytes.get(..SAMPLE).unwrap_or(bytes)).is_none()
}

/// Dissects a body without transfer coding.
fn content(wire: &mut Wire<'_>, headers: &HeaderValues<'_>, count: usize, uri: &str) -> Result {
    if count == 0 {
        return Ok(());
    }
    wire.embeds(media::layer_of(headers.kind));
    let raw = wire.ahead().get(..count).unwrap_or_default();
    if wire.wants_objects() {
        let name = named(file_name(uri), headers.kind);
        wire.object("body", &name, || {
            Some(decoded(headers.coding, raw, limits::HTTP_BODY.get()).unwrap_or_else(|_| raw.to_vec()))
        });
    }
    if headers.coding == Coding::Plain || !wire.reads_bodies() && !wire.searches_secrets() {
        return show(wire, count, headers.kind);
    }
    let most = wire.decompression_limit().min(limits::HTTP_BODY.get());
    match decoded(headers.coding, raw, most) {
        Ok(bytes) => {
            wire.has_decompressed(bytes.len());
            wire.put(&ENCODED, Value::Bytes, wire.at()..wire.at() + count);
            if bytes.len() >= most {
                wire.note(&DECOMPRESSION_LIMIT, format_args!("more than {most} bytes"));
            }
            let method = if headers.coding == Coding::Gzip { "gzip" } else { "deflate" };
            wire.derived(method, count, &bytes, |inner| show(inner, bytes.len(), headers.kind))
        }
        Err(why) => {
            wire.bytes(&DATA, count)?;
            wire.note(&DECOMPRESSION_FAILED, format_args!("{why}"));
            Ok(())
        }
    }
}

/// Shows a decoded body by its content type.
fn show(wire: &mut Wire<'_>, count: usize, kind: &[u8]) -> Result {
    if count == 0 {
        return Ok(());
    }
    let bytes = wire.ahead().get(..count).unwrap_or_default();
    wire.offer_loaded("http", wire.at()..wire.at() + bytes.len());
    let says_json = kind.split(|byte| *byte == b';').next().unwrap_or_default().to_ascii_lowercase().ends_with(b"json");
    let is_json = says_json || json::is_likely(bytes);
    let is_asked = wire.reads_bodies() && (is_json || wire.wants(&[&FILE_DATA, &DATA]));
    let is_text = is_asked && memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok();
    let (field, value) = if is_text { (&FILE_DATA, Value::Text) } else { (&DATA, Value::Bytes) };
    if !(is_text && is_json) && is_likely_text(bytes) {
        wire.hide_credentials(wire.at()..wire.at() + count);
    }
    wire.put(field, value, wire.at()..wire.at() + count);
    if is_text && is_json {
        json::text(wire);
    }
    wire.skip(count.min(wire.remaining()))
}

/// Decompresses a body up to a limit.
pub(in crate::protocols) fn decoded(coding: Coding, raw: &[u8], most: usize) -> std::io::Result<Vec<u8>> {
    let all = |reader: &mut dyn Read| {
        let mut bytes = Vec::new();
        reader.take(most as u64).read_to_end(&mut bytes).map(|_| bytes)
    };
    match coding {
        Coding::Plain => Ok(raw.to_vec()),
        Coding::Gzip => all(&mut MultiGzDecoder::new(raw)),
        // Some senders use bare DEFLATE (RFC 1951) under this name.
        Coding::Deflate => all(&mut ZlibDecoder::new(raw)).or_else(|_| all(&mut DeflateDecoder::new(raw))),
    }
}

/// File name of a saved body, from the URI.
pub(in crate::protocols) fn file_name(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    path.rsplit('/').next().unwrap_or_default()
}

/// Adds an extension by content type if the name has none.
pub(in crate::protocols) fn named(file: &str, kind: &[u8]) -> String {
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
