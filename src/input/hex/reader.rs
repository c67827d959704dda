//! The packets of a text, one at a time.

use super::dialect::Context;
use super::digits::Digits;
use super::lines::Cleaner;
use super::marks::{Marks, Peers};
use super::preface::Preface;
use super::runs::Runs;
use super::{Dialect, Fault, Fed, LARGEST_PACKET, Packet, too_large};
use crate::input::buffer::{Buffer, LARGEST};
use crate::input::{Format, Frame, Link, OpenError, Options, ReadError, WordOrder, sniff};
use crate::tree::Side;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

/// Raw IP, version 4 or 6.
pub(super) const BARE_IP: u16 = 101;

pub(in crate::input) struct Reader {
    text: Buffer,
    /// Number of the next line, from 1.
    line: u64,
    /// Number of the first line with data.
    first: u64,
    /// Bytes of the line that belonged to the previous packet.
    used: usize,
    dialect: Box<dyn Dialect>,
    /// Name of the dialect.
    name: &'static str,
    packet: Packet,
    /// Whether a packet was read and not yet returned.
    ready: bool,
    runs: Runs,
    /// Configured link type of packets.
    link: Option<Link>,
    /// Whether it is a conversation of datagrams, which belong to no stream.
    datagrams: bool,
    failure: Option<ReadError>,
    ended: bool,
    cleaner: Cleaner,
    directions: Directions,
    remark: Option<String>,
}

impl Reader {
    pub(in crate::input) fn format(&self) -> Format {
        self.dialect.side().map_or(Format::Hex, |_| Format::FollowStream)
    }

    /// Describes the format.
    pub(in crate::input) fn describe(&self) -> String {
        let what = self.dialect.describe().unwrap_or_else(|| self.name.to_owned());
        format!("{what}, from line {} on", self.first)
    }

    /// A guess about the last packet that the user should know, once.
    pub(in crate::input) fn remark(&mut self) -> Option<String> {
        self.remark.take()
    }

    /// The bytes of the first packet, before it is returned.
    pub(in crate::input) fn first_packet(&self) -> &[u8] {
        if self.ready { &self.packet.bytes } else { &[] }
    }

    pub(in crate::input) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !std::mem::take(&mut self.ready) {
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            if !self.runs.advance() {
                self.packet.bytes.clear();
                self.packet.marks = Marks::default();
                self.failure = self.fill().err();
            }
        }
        // A packet with a gap is dropped, but the bytes of a conversation before a gap are valid.
        if self.failure.is_some()
            && (self.dialect.side().is_none() || self.packet.bytes.is_empty())
            && !self.runs.are_separate()
            && let Some(error) = self.failure.take()
        {
            return Err(error);
        }
        Ok(self.frame())
    }

    /// Finds the first line with data: of the requested dialect, or of any. Reads the first packet.
    pub(in crate::input) fn open(mut text: Buffer, options: Options) -> Result<Reader, OpenError> {
        if text.ahead().starts_with(b"\xef\xbb\xbf") {
            text.pass(3);
        }
        let (text, mut preface) = (RefCell::new(text), Preface { wanted: options.format, ..Preface::default() });
        let (mut cleaner, mut line) = (Cleaner::default(), 1);
        let found = first_data(&text, &mut preface, &mut cleaner, &mut line, options.words)?;
        let (dialect, above) = match (found, preface.ruler) {
            (Some(dialect), ruler) if ruler.is_empty() || dialect.is_dump() => (dialect, Vec::new()),
            (_, ruler) if !ruler.is_empty() => (Box::<Digits>::default() as Box<dyn Dialect>, ruler),
            _ => {
                return Err(match preface.fault {
                    Some((line, fault)) => error(line, fault),
                    None if preface.start.is_empty() => OpenError::Empty,
                    None => sniff::unrecognised(&preface.start),
                });
            }
        };
        let marks = if dialect.has_headings() { preface.heading } else { preface.marks };
        let reader = Reader {
            text: text.into_inner(),
            line,
            first: line,
            used: 0,
            dialect,
            name: preface.name,
            packet: Packet { bytes: Vec::new(), marks },
            ready: true,
            runs: Runs::new(options.split),
            link: options.link,
            datagrams: preface.datagrams,
            failure: None,
            ended: false,
            cleaner,
            directions: Directions::default(),
            remark: None,
        };
        reader.filled(&above)
    }

    /// The same with the first packet; `above` is a line before it that was taken for a ruler and is bytes, if not empty.
    fn filled(mut self, above: &[u8]) -> Result<Reader, OpenError> {
        if !above.is_empty() {
            self.first = self.line.saturating_sub(1).max(1);
            // Its words are pairs of digits, so this cannot fail.
            let _ = self.dialect.feed(above, &mut self.packet);
            self.runs.add(0, self.packet.bytes.len());
        }
        match self.fill() {
            Err(error) => self.failure = Some(error),
            Ok(()) if self.packet.bytes.is_empty() => {
                let what = format!("no packet from here on; it was read as {}", self.describe());
                return Err(OpenError::Hex { line: self.first, column: 1, what });
            }
            Ok(()) => {}
        }
        Ok(self)
    }

    /// Parses lines until a packet is complete or the text ends.
    pub(super) fn fill(&mut self) -> Result<(), ReadError> {
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
            if self.feed(len).map_err(|fault| self.error(fault))? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Parses the next line, of `len` bytes. Returns whether a packet is complete.
    pub(super) fn feed(&mut self, len: usize) -> Result<bool, Fault> {
        let line = self.text.ahead().get(..len).unwrap_or_default();
        // The rest of a line behind a packet has no decoration: to look for some behind each packet would cost its square.
        let plain = if self.used == 0 { self.cleaner.clean(line)? } else { Cow::Borrowed(line) };
        let before = self.packet.bytes.len();
        let is_loose = self.dialect.is_loose();
        let fed = if is_loose && before > 0 && self.runs.blank_ends() && plain.trim_ascii().is_empty() {
            Fed::Complete(len)
        } else {
            self.dialect.feed(&plain, &mut self.packet)?
        };
        // A line without decoration is consumed as a whole.
        let used = match fed {
            Fed::Complete(used) if used == 0 || plain.len() == len => used,
            Fed::Complete(_) | Fed::Taken => len,
        };
        let count = self.packet.bytes.len();
        if count > LARGEST_PACKET {
            return Err(too_large(0));
        }
        self.pass(used, len);
        if fed != Fed::Taken {
            return Ok(count > 0);
        }
        if is_loose && self.runs.add(before, count - before) {
            let what = "lines of unequal width are read as a packet each";
            let how = "--split none makes one packet of them, --split blank one for each block";
            self.remark = Some(format!("line {}: {what}; {how}", self.line - 1));
        }
        Ok(is_loose && count > 0 && self.runs.each_line())
    }

    /// Consumes the first bytes of a line of `len`.
    pub(super) fn pass(&mut self, used: usize, len: usize) {
        self.text.pass(used);
        self.used += used;
        if used >= len {
            self.line += 1;
            self.used = 0;
        }
    }

    pub(super) fn error(&self, Fault { at, what }: Fault) -> ReadError {
        let text = format!("line {}, column {}: {what}", self.line, self.used + at + 1);
        ReadError { code: "hex", at: Some(self.text.offset() + at as u64), text }
    }

    /// The current packet.
    pub(super) fn frame(&mut self) -> Option<Frame<'_>> {
        let bytes = self.packet.bytes.get(self.runs.current(self.packet.bytes.len())).filter(|bytes| !bytes.is_empty())?;
        let (side, marks) = (self.dialect.side(), self.packet.marks);
        let (direction, is_lacking) = self.directions.of(&marks, side);
        if is_lacking {
            let what = "has no direction, though others before it have; expected a word such as C->S, recv or sent";
            self.remark = Some(format!("the packet before line {} {what}", self.line));
        }
        let link = match (side.filter(|_| !self.datagrams), self.link) {
            (Some(side), _) => Link::Stream(side),
            (None, Some(link)) => link,
            (None, None) if self.dialect.is_bare_ip(bytes) => Link::Type(BARE_IP),
            (None, None) => Link::Unknown,
        };
        let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Some(Frame { time: marks.time, link, bytes, original_len, direction, endpoints: marks.ends.both(), ..Frame::default() })
    }
}

/// Passes the lines before the first one with data. Returns its dialect.
fn first_data(
    text: &RefCell<Buffer>,
    preface: &mut Preface,
    cleaner: &mut Cleaner,
    line: &mut u64,
    order: Option<WordOrder>,
) -> Result<Option<Box<dyn Dialect>>, OpenError> {
    let mut found = None;
    while found.is_none() {
        let next = next_line(&mut text.borrow_mut(), *line)?;
        let Some(len) = next else { break };
        let content = text.borrow().ahead().get(..len).unwrap_or_default().to_vec();
        if preface.start.is_empty() {
            preface.start = content.trim_ascii().iter().take(START).copied().collect();
        }
        let plain = cleaner.clean(&content).map_err(|fault| error(*line, fault))?;
        let context = Context {
            line: &plain,
            text: plain.trim_ascii(),
            big: order == Some(WordOrder::Big),
            following: &|| following(&mut text.borrow_mut(), len),
            lines: OnceCell::new(),
        };
        if !preface.defer(&plain) {
            found = preface.dialect(&context).map_err(|fault| error(*line, fault))?;
        }
        if found.is_none() {
            text.borrow_mut().pass(len);
            *line += 1;
        }
    }
    Ok(found)
}

/// Maximum offset of the first line with data.
const LARGEST_PREFACE: u64 = 256 * 1024;

/// Number of lines after the first one with data that detectors may see.
const AHEAD: usize = 3;

/// Bytes of the text that show what it is, if it has no data.
const START: usize = 64;

fn error(line: u64, Fault { at, what }: Fault) -> OpenError {
    OpenError::Hex { line, column: at as u64 + 1, what }
}

/// Length of the next line; `None` if the text ends, or if enough of it has no data.
fn next_line(text: &mut Buffer, line: u64) -> Result<Option<usize>, OpenError> {
    if text.offset() >= LARGEST_PREFACE {
        return Ok(None);
    }
    text.line_len().map_err(|error| {
        if text.ahead().len() < LARGEST {
            return OpenError::from_read(error);
        }
        let what = format!("a line of more than {} MiB; expected the bytes on several lines", LARGEST >> 20);
        OpenError::Hex { line, column: 1, what }
    })
}

/// Lines after the first `from` bytes, cleaned.
fn following(text: &mut Buffer, mut from: usize) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut cleaner = Cleaner::default();
    while lines.len() < AHEAD
        && let Ok(Some(end)) = text.line_end(from)
    {
        let line = text.ahead().get(from..end).unwrap_or_default();
        lines.push(cleaner.clean(line).map(|line| line.into_owned()).unwrap_or_default());
        from = end;
    }
    lines
}

/// The directions of a text so far.
#[derive(Debug, Default)]
pub(super) struct Directions {
    peers: Peers,
    /// Whether a packet had a direction, and whether one had none after it.
    found: bool,
    lacking: bool,
}

impl Directions {
    /// The direction of a packet, and whether it is the first one that lacks what others have.
    pub(super) fn of(&mut self, marks: &Marks, side: Option<Side>) -> (Option<Side>, bool) {
        let direction = marks.direction.or_else(|| self.peers.direction(&marks.ends)).or(side);
        let lacks = self.found && direction.is_none();
        self.found |= direction.is_some();
        (direction, lacks && !std::mem::replace(&mut self.lacking, true))
    }
}
