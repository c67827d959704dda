//! The packets of a text, one at a time.

use super::detect::Preface;
use super::directions::Directions;
use super::lines::Cleaner;
use super::marks::Marks;
use super::runs::Runs;
use super::{Dialect, Fault, Fed, LARGEST_PACKET, Packet, too_large};
use crate::input::buffer::{Buffer, LARGEST};
use crate::input::{Format, Frame, Link, OpenError, Options, ReadError};

/// Raw IP, version 4 or 6.
const BARE_IP: u16 = 101;

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
    /// A reader from the first line with data on.
    pub(super) fn start(
        text: Buffer,
        line: u64,
        dialect: Box<dyn Dialect>,
        options: Options,
        preface: &Preface,
        cleaner: Cleaner,
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
            ready: true,
            runs: Runs::new(options.split),
            link: options.link,
            datagrams: preface.datagrams,
            failure: None,
            ended: false,
            cleaner,
            directions: Directions::default(),
            remark: None,
        }
    }

    /// The same with the first packet; `above` is a line before it that was taken for a ruler and is bytes.
    pub(super) fn filled(mut self, above: Option<&[u8]>) -> Result<Reader, OpenError> {
        if let Some(line) = above {
            self.first = self.line.saturating_sub(1).max(1);
            // Its words are pairs of digits, so this cannot fail.
            let _ = self.dialect.feed(line, &mut self.packet);
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

    /// The current packet.
    fn frame(&mut self) -> Option<Frame<'_>> {
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
            if self.feed(len).map_err(|fault| self.error(fault))? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Parses the next line, of `len` bytes. Returns whether a packet is complete.
    fn feed(&mut self, len: usize) -> Result<bool, Fault> {
        let plain = self.cleaner.clean(self.text.ahead().get(..len).unwrap_or_default())?;
        let before = self.packet.bytes.len();
        let is_loose = self.dialect.is_loose();
        let fed = match is_loose && before > 0 && self.runs.blank_ends() && plain.trim_ascii().is_empty() {
            true => Fed::Complete(len),
            false => self.dialect.feed(&plain, &mut self.packet)?,
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
