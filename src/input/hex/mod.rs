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
mod bits;
mod boxed;
mod columns;
mod detect;
pub mod dialects;
mod digits;
mod ends;
mod follow;
mod head;
mod lines;
mod list;
mod literal;
mod log;
mod marks;
mod offsets;
mod percent;
mod rows;
mod ruler;
mod runs;
mod scan;
mod sides;
mod snort;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod yaml;

use super::buffer::{Buffer, LARGEST};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link};
use super::sniff;
use super::{Format, Options};
use crate::tree::Side;
use marks::Marks;
use std::cell::{OnceCell, RefCell};
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
    Columns(columns::Columns),
    Bits(bits::Bits),
    Table(table::Table),
    Snort,
    Rows(Box<rows::Rows>),
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
            Dialect::Columns(columns) => columns.feed(line, packet),
            Dialect::Bits(bits) => bits.feed(line, &mut packet.bytes),
            Dialect::Table(table) => table.feed(line, packet),
            Dialect::Snort => snort::Snort::feed(line, &mut packet.bytes),
            Dialect::Rows(rows) => rows.feed(line, packet),
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

    /// Describes the format, where it is more than the name of the dialect.
    fn describe(&self) -> Option<String> {
        match self {
            Dialect::Offsets(dump) => Some(dump.describe()),
            Dialect::Rows(rows) => Some(rows.describe()),
            Dialect::Follow(_) => {
                Some("a Follow Stream dump of Wireshark (offsets for each side, the server's indented)".to_owned())
            }
            Dialect::List(list) => Some(list.describe().to_owned()),
            _ => None,
        }
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

    /// Whether nothing in a line states where packets begin.
    fn is_loose(&self) -> bool {
        match self {
            Dialect::Digits(_) | Dialect::Bits(_) | Dialect::Base64(_) | Dialect::Percent => true,
            Dialect::List(list) => list.is_bare(),
            Dialect::Literal(literal) => literal.is_bare(),
            _ => false,
        }
    }

    /// Whether a line above the bytes states the direction of payload, not of a frame.
    fn has_headings(&self) -> bool {
        matches!(self, Dialect::Table(_) | Dialect::Rows(_) | Dialect::Log(_))
    }

    /// Handles the end of the text.
    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        match self {
            Dialect::Rows(rows) => rows.end(packet),
            Dialect::Table(table) => {
                table.end(packet);
                Ok(())
            }
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
    /// Name of the dialect.
    name: &'static str,
    packet: Packet,
    /// Whether a packet was read and not yet returned, and whether it was returned.
    ready: bool,
    over: bool,
    runs: runs::Runs,
    /// Ends of packets that lines of unequal width in `packet` turned out to be, last one first.
    parts: Vec<usize>,
    /// Start of the next one.
    part: usize,
    peers: ends::Peers,
    /// Configured link type of packets.
    link: Option<Link>,
    /// Whether it is a conversation of datagrams, which belong to no stream.
    datagrams: bool,
    failure: Option<ReadError>,
    ended: bool,
    cleaner: lines::Cleaner,
    /// Whether directions were found, and a packet without one after them.
    directions: (bool, bool),
    remark: Option<String>,
}

impl Reader {
    /// Finds the first line with data: of the requested dialect, or of any. Reads the first packet.
    pub(super) fn open(text: Buffer, options: Options) -> Result<Reader, OpenError> {
        let mut reader = Reader::find(text, options)?;
        match reader.fill() {
            Err(error) => reader.failure = Some(error),
            Ok(()) if reader.packet.bytes.is_empty() => {
                let what = format!("no packet from here on; it was read as {}", reader.describe());
                return Err(OpenError::Hex { line: reader.first, column: 1, what });
            }
            Ok(()) => {}
        }
        reader.ready = true;
        Ok(reader)
    }

    fn find(mut text: Buffer, options: Options) -> Result<Reader, OpenError> {
        if text.ahead().starts_with(b"\xef\xbb\xbf") {
            text.pass(3);
        }
        let text = RefCell::new(text);
        let mut preface = detect::Preface::new(options.format);
        let mut cleaner = lines::Cleaner::default();
        let mut first = Vec::new();
        let mut line = 1;
        let mut found = None;
        loop {
            let len = {
                let mut text = text.borrow_mut();
                if text.offset() >= LARGEST_PREFACE {
                    break;
                }
                match text.line_len() {
                    Ok(Some(len)) => len,
                    Ok(None) => break,
                    Err(error) => return Err(too_long(&text, line, error)),
                }
            };
            let content = text.borrow().ahead().get(..len).unwrap_or_default().to_vec();
            if first.is_empty() {
                first = content.trim_ascii().get(..64.min(content.trim_ascii().len())).unwrap_or_default().to_vec();
            }
            let wrong = |Fault { at, what }: Fault| OpenError::Hex { line, column: at as u64 + 1, what };
            let plain = cleaner.clean(&content).map_err(wrong)?;
            if preface.defer(&plain) {
                text.borrow_mut().pass(len);
                line += 1;
                continue;
            }
            let context = detect::Context {
                line: &plain,
                text: plain.trim_ascii(),
                big: options.words == Some(super::WordOrder::Big),
                following: &|| following(&mut text.borrow_mut(), len),
                lines: OnceCell::new(),
            };
            if let Some(dialect) = preface.dialect(&context).map_err(wrong)? {
                found = Some(dialect);
                break;
            }
            text.borrow_mut().pass(len);
            line += 1;
        }
        let text = text.into_inner();
        let ruler = std::mem::take(&mut preface.ruler);
        match found {
            Some(dialect @ (Dialect::Offsets(_) | Dialect::Rows(_))) => {
                Ok(Reader::new(text, line, dialect, options, &preface, cleaner))
            }
            Some(dialect) if ruler.is_empty() => Ok(Reader::new(text, line, dialect, options, &preface, cleaner)),
            _ if !ruler.is_empty() => {
                let digits = Dialect::Digits(digits::Digits::default());
                let mut reader = Reader::new(text, line, digits, options, &preface, cleaner);
                reader.first = line.saturating_sub(1).max(1);
                // Its words are pairs of digits, so this cannot fail.
                let _ = reader.dialect.feed(&ruler, &mut reader.packet);
                reader.runs.add(0, reader.packet.bytes.len());
                Ok(reader)
            }
            _ => match preface.fault {
                Some((line, Fault { at, what })) => Err(OpenError::Hex { line, column: at as u64 + 1, what }),
                None if first.is_empty() => Err(OpenError::Empty),
                None => Err(sniff::unrecognised(&first)),
            },
        }
    }

    fn new(
        text: Buffer,
        line: u64,
        dialect: Dialect,
        options: Options,
        preface: &detect::Preface,
        cleaner: lines::Cleaner,
    ) -> Reader {
        let marks = if dialect.has_headings() { preface.heading } else { preface.marks };
        Reader {
            text,
            line,
            first: line,
            used: 0,
            dialect,
            name: preface.name,
            packet: Packet { bytes: Vec::new(), marks },
            ready: false,
            over: false,
            runs: runs::Runs::new(options.split),
            parts: Vec::new(),
            part: 0,
            peers: ends::Peers::default(),
            link: options.link,
            datagrams: preface.datagrams,
            failure: None,
            ended: false,
            cleaner,
            directions: (false, false),
            remark: None,
        }
    }

    pub(super) fn format(&self) -> Format {
        match self.dialect.side() {
            Some(_) => Format::FollowStream,
            None => Format::Hex,
        }
    }

    /// Describes the format.
    pub(super) fn describe(&self) -> String {
        let what = self.dialect.describe().unwrap_or_else(|| self.name.to_owned());
        format!("{what}, from line {} on", self.first)
    }

    /// A guess about the last packet that the user should know, once.
    pub(super) fn remark(&mut self) -> Option<String> {
        self.remark.take()
    }

    /// The bytes of the first packet, before it is returned.
    pub(super) fn first_packet(&self) -> &[u8] {
        if self.ready { &self.packet.bytes } else { &[] }
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !std::mem::take(&mut self.ready) {
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            self.advance();
            if self.parts.is_empty()
                && let Err(error) = self.fill()
            {
                self.failure = Some(error);
            }
        }
        // A packet with a gap is dropped, but the bytes of a conversation before a gap are valid.
        if self.failure.is_some() && (self.dialect.side().is_none() || self.packet.bytes.is_empty()) && self.parts.is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        self.over = self.parts.len() < 2;
        Ok(self.frame())
    }

    /// Drops what was returned.
    fn advance(&mut self) {
        if let Some(end) = self.parts.pop() {
            self.part = end;
        }
        if std::mem::take(&mut self.over) {
            self.packet.bytes.clear();
            self.packet.marks = Marks::default();
            self.part = 0;
        }
    }

    /// The current packet.
    fn frame(&mut self) -> Option<Frame<'_>> {
        let side = self.dialect.side();
        let marks = self.packet.marks;
        let direction = marks.direction.or_else(|| self.peers.direction(&marks.ends)).or(side);
        let is_there = !self.packet.bytes.is_empty();
        if is_there && self.directions.0 && direction.is_none() && !std::mem::replace(&mut self.directions.1, true) {
            let what = "has no direction, though others before it have; expected a word such as C->S, recv or sent";
            self.remark = Some(format!("the packet before line {} {what}", self.line));
        }
        self.directions.0 |= direction.is_some();
        let end = self.parts.last().copied().unwrap_or(self.packet.bytes.len());
        let bytes = self.packet.bytes.get(self.part..end).unwrap_or_default();
        if bytes.is_empty() {
            return None;
        }
        let link = match (&self.dialect, self.link) {
            _ if let Some(side) = side.filter(|_| !self.datagrams) => Link::Stream(side),
            (_, Some(link)) => link,
            (Dialect::Offsets(dump), None) if dump.is_bare_ip(bytes) => Link::Type(BARE_IP),
            _ => Link::Unknown,
        };
        let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Some(Frame { time: marks.time, link, bytes, original_len, direction, endpoints: marks.ends.both(), ..Frame::default() })
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
            if self.feed(len)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Parses the next line, of `len` bytes. Returns whether a packet is complete.
    fn feed(&mut self, len: usize) -> Result<bool, ReadError> {
        let line = self.text.ahead().get(..len).unwrap_or_default();
        let plain = match self.cleaner.clean(line) {
            Ok(plain) => plain,
            Err(fault) => return Err(self.error(fault)),
        };
        let before = self.packet.bytes.len();
        let is_loose = self.dialect.is_loose();
        let fed = if is_loose && before > 0 && self.runs.blank_ends() && plain.trim_ascii().is_empty() {
            Ok(Fed::Complete(len))
        } else {
            self.dialect.feed(&plain, &mut self.packet)
        };
        // A line without decoration is consumed as a whole.
        let fed = match fed {
            Ok(Fed::Complete(used)) if used > 0 && plain.len() != len => Fed::Complete(len),
            Ok(fed) => fed,
            Err(fault) => return Err(self.error(fault)),
        };
        let count = self.packet.bytes.len();
        if count > LARGEST_PACKET {
            return Err(self.error(too_large(0)));
        }
        match fed {
            Fed::Complete(used) => {
                self.pass(used, len);
                Ok(count > 0)
            }
            Fed::Taken => {
                self.pass(len, len);
                if !is_loose {
                    return Ok(false);
                }
                if let Some(width) = self.runs.add(before, count - before) {
                    self.separate(width, before);
                }
                Ok(count > 0 && self.runs.each_line())
            }
        }
    }

    /// Makes packets of lines of unequal width: those of `width` bytes before, and the last line.
    fn separate(&mut self, width: usize, before: usize) {
        self.parts = (width..before).step_by(width).chain([before, self.packet.bytes.len()]).collect();
        self.parts.reverse();
        let what = "lines of unequal width are read as a packet each";
        self.remark = Some(format!(
            "line {}: {what}; --split none makes one packet of them, --split blank one for each block",
            self.line - 1
        ));
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

/// Number of lines after the first one with data that detectors may see.
const AHEAD: usize = 3;

/// Lines after the first `from` bytes, cleaned.
fn following(text: &mut Buffer, mut from: usize) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut cleaner = lines::Cleaner::default();
    while lines.len() < AHEAD
        && let Ok(Some(end)) = text.line_end(from)
    {
        let line = text.ahead().get(from..end).unwrap_or_default();
        lines.push(cleaner.clean(line).map(|line| line.into_owned()).unwrap_or_default());
        from = end;
    }
    lines
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
