//! Hex text: packets as people and tools write them down.
//!
//! The first line with data decides the dialect, and all lines are then read in it. Lines are read one at a time and one
//! packet is held, so a dump of any size takes little memory. What the bytes mean, even where a packet's headers begin,
//! is not known here. Direction marks and times, as text2pcap takes them, are kept.
//!
//! An ASCII column is never data, and what should be data is never passed over: it is an error with line and column.

mod ansi;
mod asm;
mod bare_ip;
mod base64;
mod boxed;
mod detect;
#[cfg(test)]
mod dialects;
mod digits;
mod follow;
mod list;
mod literal;
mod log;
mod marks;
mod offsets;
mod percent;
mod ruler;
mod scan;
mod sides;
#[cfg(test)]
mod tests;
mod text;
#[cfg(test)]
mod writers;
mod yaml;

use super::buffer::{Buffer, LARGEST};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link};
use super::sniff;
use super::{Format, InputFormat};
use crate::tree::Side;
use marks::Marks;
use std::borrow::Cow;
use std::io;

/// The most bytes of one packet.
const LARGEST_PACKET: usize = 16 * 1024 * 1024;

/// How far the first line with data may be from the start.
const LARGEST_PREFACE: u64 = 256 * 1024;

/// Raw IP, whichever version.
const BARE_IP: u16 = 101;

/// The packet that is being read.
#[derive(Debug, Default)]
struct Packet {
    bytes: Vec<u8>,
    marks: Marks,
}

/// What a dialect made of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fed {
    /// It is used up; the packet may go on.
    Taken,
    /// The packet is complete with this many bytes of the line; the rest is fed again.
    Complete(usize),
}

/// Why a line cannot be read.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// Byte within the line.
    at: usize,
    /// What is wrong there, and what was expected.
    what: String,
}

/// Result of feeding a line.
type Feed = Result<Fed, Fault>;

fn fault<T>(at: usize, what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { at, what: what.into() })
}

/// A way to write bytes down, and where in it we are.
enum Dialect {
    Offsets(Box<offsets::Dump>),
    Follow(follow::Dump),
    Sides(sides::Sides),
    Yaml(Box<yaml::Yaml>),
    Digits(digits::Digits),
    List(list::List),
    Asm(asm::Asm),
    Literal(literal::Literal),
    Base64(base64::Base64),
    Percent,
    Log(log::Log),
}

impl Dialect {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        match self {
            Dialect::Offsets(dump) => dump.feed(line, packet),
            Dialect::Follow(dump) => dump.feed(line, &mut packet.bytes),
            Dialect::Sides(sides) => sides.feed(line, &mut packet.bytes),
            Dialect::Yaml(yaml) => yaml.feed(line, packet),
            Dialect::Digits(digits) => digits.feed(line, packet),
            Dialect::List(list) => list.feed(line, &mut packet.bytes),
            Dialect::Asm(asm) => asm.feed(line, &mut packet.bytes),
            Dialect::Literal(literal) => literal.feed(line, &mut packet.bytes),
            Dialect::Base64(base64) => base64.feed(line, &mut packet.bytes),
            Dialect::Percent => percent::Percent::feed(line, &mut packet.bytes),
            Dialect::Log(log) => log.feed(line, packet),
        }
    }

    /// What it looks like.
    fn describe(&self) -> String {
        let what = match self {
            Dialect::Offsets(dump) => return dump.describe(),
            Dialect::Follow(_) => "a Follow Stream dump of Wireshark (offsets for each side, the server's indented)",
            Dialect::Sides(_) => "a conversation as of tshark -z follow,tcp,raw (a line of digits for each packet)",
            Dialect::Yaml(_) => "a conversation in YAML",
            Dialect::Digits(_) => "bare hex digits",
            Dialect::List(list) => list.describe(),
            Dialect::Asm(_) => "data directives of an assembler listing",
            Dialect::Literal(_) => "bytes as string literals",
            Dialect::Base64(_) => "base64",
            Dialect::Percent => "percent-encoding",
            Dialect::Log(_) => "bytes inside lines of a log or below prose",
        };
        what.to_owned()
    }

    /// The side that says the packet, in the text of a conversation.
    fn side(&self) -> Option<Side> {
        match self {
            Dialect::Follow(dump) => Some(dump.side()),
            Dialect::Sides(sides) => Some(sides.side()),
            Dialect::Yaml(yaml) => Some(yaml.side()),
            _ => None,
        }
    }

    /// The text is over.
    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        match self {
            Dialect::Offsets(dump) => dump.end(&mut packet.bytes),
            Dialect::Yaml(yaml) => yaml.end(),
            Dialect::List(list) => list.end(),
            Dialect::Literal(literal) => literal.end(),
            Dialect::Base64(base64) => base64.end(),
            _ => Ok(()),
        }
    }
}

pub(super) struct Reader {
    text: Buffer,
    /// Number of the line ahead, from 1.
    line: u64,
    /// Number of the first one with data.
    first: u64,
    /// Bytes of it that belonged to the packet before.
    used: usize,
    dialect: Dialect,
    packet: Packet,
    /// The packet was returned.
    over: bool,
    /// Configured link type of packets.
    link: Option<Link>,
    /// A conversation of datagrams, which belong to no stream.
    datagrams: bool,
    failure: Option<ReadError>,
    ended: bool,
}

impl Reader {
    /// Looks for the first line with data: of the dialect that is wanted, or of any.
    pub(super) fn open(mut text: Buffer, wanted: Option<InputFormat>, link: Option<Link>) -> Result<Reader, OpenError> {
        if text.ahead().starts_with(b"\xef\xbb\xbf") {
            text.pass(3);
        }
        let mut preface = detect::Preface::new(wanted);
        let mut first = Vec::new();
        let mut line = 1;
        while text.offset() < LARGEST_PREFACE
            && let Some(len) = text.line_len().map_err(|error| too_long(&text, line, error))?
        {
            let content = text.ahead().get(..len).unwrap_or_default();
            if first.is_empty() {
                first = content.trim_ascii().get(..64.min(content.trim_ascii().len())).unwrap_or_default().to_vec();
            }
            let plain = plain(content);
            if preface.defer(&plain) {
                text.pass(len);
                line += 1;
                continue;
            }
            match preface.dialect(&plain) {
                Ok(Some(dialect)) => {
                    let mut reader = Reader::new(text, line, dialect, link, &preface);
                    if !preface.ruler.is_empty() && !matches!(reader.dialect, Dialect::Offsets(_)) {
                        reader.dialect = Dialect::Digits(digits::Digits::default());
                        reader.first = line - 1;
                        reader.ruler(&preface.ruler);
                    }
                    return Ok(reader);
                }
                Ok(None) => text.pass(len),
                Err(Fault { at, what }) => return Err(OpenError::Hex { line, column: at as u64 + 1, what }),
            }
            line += 1;
        }
        if !preface.ruler.is_empty() {
            let mut reader = Reader::new(text, line, Dialect::Digits(digits::Digits::default()), link, &preface);
            reader.ruler(&preface.ruler);
            return Ok(reader);
        }
        if let Some((line, Fault { at, what })) = preface.fault {
            return Err(OpenError::Hex { line, column: at as u64 + 1, what });
        }
        if first.is_empty() { Err(OpenError::Empty) } else { Err(sniff::unrecognised(&first)) }
    }

    fn new(text: Buffer, line: u64, dialect: Dialect, link: Option<Link>, preface: &detect::Preface) -> Reader {
        Reader {
            text,
            line,
            first: line,
            used: 0,
            dialect,
            packet: Packet { bytes: Vec::new(), marks: preface.marks },
            over: false,
            link,
            datagrams: preface.datagrams,
            failure: None,
            ended: false,
        }
    }

    /// A line that might have been a ruler is bytes.
    fn ruler(&mut self, line: &[u8]) {
        // Its words are pairs of digits.
        let _ = self.dialect.feed(line, &mut self.packet);
    }

    pub(super) fn format(&self) -> Format {
        match self.dialect.side() {
            Some(_) => Format::FollowStream,
            None => Format::Hex,
        }
    }

    /// What the text looks like.
    pub(super) fn describe(&self) -> String {
        format!("{}, from line {} on", self.dialect.describe(), self.first)
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        if std::mem::replace(&mut self.over, true) {
            self.packet.bytes.clear();
            self.packet.marks = Marks::default();
        }
        if let Err(error) = self.fill() {
            // A packet with a gap is dropped, but the bytes of a conversation before a gap are valid.
            if self.dialect.side().is_none() || self.packet.bytes.is_empty() {
                return Err(error);
            }
            self.failure = Some(error);
        }
        let Packet { bytes, marks: Marks { time, direction } } = &self.packet;
        if bytes.is_empty() {
            return Ok(None);
        }
        let side = self.dialect.side();
        let link = match (&self.dialect, self.link) {
            _ if let Some(side) = side.filter(|_| !self.datagrams) => Link::Stream(side),
            (_, Some(link)) => link,
            (Dialect::Offsets(dump), None) if dump.is_bare_ip(bytes) => Link::Type(BARE_IP),
            _ => Link::Unknown,
        };
        let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let direction = direction.or(side);
        Ok(Some(Frame { time: *time, link, bytes, original_len, direction, ..Frame::default() }))
    }

    /// Feeds lines until a packet is complete or the text is over.
    fn fill(&mut self) -> Result<(), ReadError> {
        while !self.ended {
            let at = self.text.offset();
            let len = match self.text.line_len() {
                Ok(Some(len)) => len,
                Ok(None) => {
                    self.ended = true;
                    return self.dialect.end(&mut self.packet).map_err(|fault| self.error(fault));
                }
                Err(_) if self.text.ahead().len() >= LARGEST => return Err(self.error(too_large(0))),
                Err(error) => return Err(ReadError::from_read(at, &error)),
            };
            let line = self.text.ahead().get(..len).unwrap_or_default();
            let plain = plain(line);
            let fed = self.dialect.feed(&plain, &mut self.packet);
            // A line without its frame or colours is used up as a whole.
            let fed = fed.map(|fed| match fed {
                Fed::Complete(used) if used > 0 && plain.len() != len => Fed::Complete(len),
                fed => fed,
            });
            if self.packet.bytes.len() > LARGEST_PACKET {
                return Err(self.error(too_large(0)));
            }
            match fed {
                Ok(Fed::Taken) => self.pass(len, len),
                Ok(Fed::Complete(used)) => {
                    self.pass(used, len);
                    if !self.packet.bytes.is_empty() {
                        return Ok(());
                    }
                }
                Err(fault) => return Err(self.error(fault)),
            }
        }
        Ok(())
    }

    /// Uses up the first bytes of a line of `len`.
    fn pass(&mut self, used: usize, len: usize) {
        self.text.pass(used);
        self.used += used;
        if used >= len {
            self.line += 1;
            self.used = 0;
        }
    }

    fn error(&self, Fault { at, what }: Fault) -> ReadError {
        let text = format!("line {}, column {}: {what}", self.line, self.used + at + 1);
        ReadError { code: "hex", at: Some(self.text.offset() + at as u64), text }
    }
}

/// A line without colours, and without a frame drawn around it.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let plain = ansi::without_colours(line);
    match boxed::unboxed(&plain) {
        Some(line) => Cow::Owned(line),
        None => plain,
    }
}

/// A line that cannot be read to its end: one that is too long, or a failed read.
fn too_long(text: &Buffer, line: u64, error: io::Error) -> OpenError {
    if text.ahead().len() < LARGEST {
        return OpenError::from_read(error);
    }
    let what = format!("a line of more than {} MiB; expected the bytes on several lines", LARGEST >> 20);
    OpenError::Hex { line, column: 1, what }
}

fn too_large(at: usize) -> Fault {
    Fault { at, what: format!("a packet of more than {LARGEST_PACKET} bytes; expected offsets to go back to zero before") }
}
