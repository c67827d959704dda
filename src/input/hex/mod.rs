//! Hex text: packets in the formats of many tools.
//!
//! The first line with data determines the dialect of all lines. Lines are parsed one at a time and only one packet is buffered,
//! so a dump of any size takes little memory. Independent of protocols, even of where headers begin. Direction marks and times,
//! as in text2pcap, are kept.
//!
//! A text column is never data, and malformed data is never skipped: it is an error with line and column.

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
use std::io;

/// Maximum packet size in bytes.
const LARGEST_PACKET: usize = 16 * 1024 * 1024;

/// Maximum offset of the first line with data.
const LARGEST_PREFACE: u64 = 256 * 1024;

/// Raw IP, version 4 or 6.
const BARE_IP: u16 = 101;

/// The current packet.
#[derive(Debug, Default)]
struct Packet {
    bytes: Vec<u8>,
    marks: Marks,
}

/// The result of parsing a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fed {
    /// The line was consumed; the packet may continue.
    Taken,
    /// The packet is complete with this many bytes of the line; the rest is parsed again.
    Complete(usize),
}

/// Why a line is invalid.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// Byte offset in the line.
    at: usize,
    /// The defect, and what was expected.
    what: String,
}

/// The result of parsing a line.
type Feed = Result<Fed, Fault>;

fn fault<T>(at: usize, what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { at, what: what.into() })
}

/// A dialect and the state of its parser.
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

    /// Describes the format.
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

    /// The sender of the packet, in the text of a conversation.
    fn side(&self) -> Option<Side> {
        match self {
            Dialect::Follow(dump) => Some(dump.side()),
            Dialect::Sides(sides) => Some(sides.side()),
            Dialect::Yaml(yaml) => Some(yaml.side()),
            _ => None,
        }
    }

    /// Handles the end of the text.
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
    /// Number of the next line, from 1.
    line: u64,
    /// Number of the first line with data.
    first: u64,
    /// Bytes of the line that belonged to the previous packet.
    used: usize,
    dialect: Dialect,
    packet: Packet,
    /// Whether the packet was returned.
    over: bool,
    /// Configured link type of packets.
    link: Option<Link>,
    /// Whether it is a conversation of datagrams, which belong to no stream.
    datagrams: bool,
    failure: Option<ReadError>,
    ended: bool,
    frame: boxed::Frame,
}

impl Reader {
    /// Finds the first line with data: of the requested dialect, or of any.
    pub(super) fn open(mut text: Buffer, wanted: Option<InputFormat>, link: Option<Link>) -> Result<Reader, OpenError> {
        if text.ahead().starts_with(b"\xef\xbb\xbf") {
            text.pass(3);
        }
        let mut preface = detect::Preface::new(wanted);
        let mut frame = boxed::Frame::default();
        let mut first = Vec::new();
        let mut line = 1;
        while text.offset() < LARGEST_PREFACE
            && let Some(len) = text.line_len().map_err(|error| too_long(&text, line, error))?
        {
            let content = text.ahead().get(..len).unwrap_or_default();
            if first.is_empty() {
                first = content.trim_ascii().get(..64.min(content.trim_ascii().len())).unwrap_or_default().to_vec();
            }
            let plain = match frame.strip(ansi::without_colours(content)) {
                Ok(plain) => plain,
                Err(Fault { at, what }) => return Err(OpenError::Hex { line, column: at as u64 + 1, what }),
            };
            if preface.defer(&plain) {
                text.pass(len);
                line += 1;
                continue;
            }
            match preface.dialect(&plain) {
                Ok(Some(dialect)) => {
                    let mut reader = Reader::new(text, line, dialect, link, &preface);
                    reader.frame = frame;
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
            frame: boxed::Frame::default(),
        }
    }

    /// Parses a possible ruler as bytes.
    fn ruler(&mut self, line: &[u8]) {
        // Its words are pairs of digits, so this cannot fail.
        let _ = self.dialect.feed(line, &mut self.packet);
    }

    pub(super) fn format(&self) -> Format {
        match self.dialect.side() {
            Some(_) => Format::FollowStream,
            None => Format::Hex,
        }
    }

    /// Describes the format.
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

    /// Parses lines until a packet is complete or the text ends.
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
            let plain = match self.frame.strip(ansi::without_colours(line)) {
                Ok(plain) => plain,
                Err(fault) => return Err(self.error(fault)),
            };
            let fed = self.dialect.feed(&plain, &mut self.packet);
            // A line without borders or colours is consumed as a whole.
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

    /// Consumes the first bytes of a line of `len`.
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

/// The error of a line that is too long, or of a failed read.
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
