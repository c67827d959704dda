//! The packets of a text, one at a time.

use super::directions::Directions;
use super::lines::Cleaner;
use super::marks::Marks;
use super::preface::Preface;
use super::runs::Runs;
use super::{Dialect, Packet};
use crate::input::buffer::Buffer;
use crate::input::{Format, Frame, Link, Options, ReadError};

/// Raw IP, version 4 or 6.
pub(super) const BARE_IP: u16 = 101;

pub(in crate::input) struct Reader {
    pub(super) text: Buffer,
    /// Number of the next line, from 1.
    pub(super) line: u64,
    /// Number of the first line with data.
    pub(super) first: u64,
    /// Bytes of the line that belonged to the previous packet.
    pub(super) used: usize,
    pub(super) dialect: Box<dyn Dialect>,
    /// Name of the dialect.
    pub(super) name: &'static str,
    pub(super) packet: Packet,
    /// Whether a packet was read and not yet returned.
    pub(super) ready: bool,
    pub(super) runs: Runs,
    /// Configured link type of packets.
    pub(super) link: Option<Link>,
    /// Whether it is a conversation of datagrams, which belong to no stream.
    pub(super) datagrams: bool,
    pub(super) failure: Option<ReadError>,
    pub(super) ended: bool,
    pub(super) cleaner: Cleaner,
    pub(super) directions: Directions,
    pub(super) remark: Option<String>,
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
}
