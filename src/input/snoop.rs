//! snoop, the capture file of Solaris (RFC 1761). All numbers are big-endian.
//!
//! ```text
//! file    "snoop":8, padded with zeros | version:4 | datalink:4
//! record  original:4 | captured:4 | record length:4 | drops:4 | seconds:4 | µs:4 | bytes:captured | padding
//! ```
//! Drops are cumulative since the start of the capture; the last count is reported.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

use super::buffer::Buffer;
use super::common::Input;
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, OddFraction, Timestamp};
use super::interface::About;
use super::options::OptionList;
use super::order::Order;

pub(super) const MAGIC: &[u8] = b"snoop\0\0\0";

const FILE_HEADER: usize = 16;
const RECORD_HEADER: usize = 24;

/// Microseconds of a second.
const MICROS: u32 = 1_000_000;

/// The same limit as libpcap's.
const LARGEST_PACKET: u32 = 256 * 1024;

/// More padding is an error.
const LARGEST_PADDING: usize = 64 * 1024;

pub(super) struct Reader {
    pub(super) input: Input,
    link: Option<u16>,
}

/// Link type for a snoop datalink type; `None` if unknown.
fn link(datalink: u32) -> Option<u16> {
    Some(match datalink {
        // IEEE 802.3 and Ethernet.
        0 | 4 => 1,
        // Token ring.
        2 => 6,
        // FDDI.
        8 => 10,
        _ => return None,
    })
}

impl Reader {
    pub(super) fn open(buffer: Buffer, about: About) -> Result<Reader, OpenError> {
        let mut input = Input { buffer, interfaces: Vec::new(), about };
        let header = input.file_header("snoop", FILE_HEADER)?;
        let [version, datalink] = [8, 12].map(|at| Order::Big.u32(header, at).unwrap_or_default());
        if version != 2 {
            let major = u16::try_from(version).unwrap_or(u16::MAX);
            return Err(OpenError::UnsupportedVersion { format: "snoop", major, minor: 0 });
        }
        let link = link(datalink);
        input.interfaces = vec![input.about.interface(link, 0, OptionList { order: Order::Big, bytes: &[] })];
        Ok(Reader { input, link })
    }

    pub(super) fn describe(&self) -> String {
        let link = self.link.map_or_else(|| "unknown".to_owned(), super::link_words);
        format!("snoop, known by its first bytes (link type {link})")
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !self.input.buffer.have(RECORD_HEADER, "packet")? {
            return Ok(None);
        }
        let at = self.input.buffer.offset();
        let header = self.input.buffer.ahead();
        let word = |at| Order::Big.u32(header, at).unwrap_or_default();
        let (original_len, captured, length, drops) = (word(0), word(4), word(8), word(12));
        let micros = word(20);
        let time = Some(Timestamp::carried(word(16).into(), u64::from(micros).saturating_mul(1000)));
        let odd_fraction = (micros >= MICROS).then_some(OddFraction { value: micros, is_micros: true, as_nanos: false });
        self.input.check_size(captured, LARGEST_PACKET)?;
        let (end, length) = (RECORD_HEADER.saturating_add(captured as usize), length as usize);
        if length < end || length > end.saturating_add(LARGEST_PADDING) {
            let text = format!("a record of {length} bytes for a packet of {captured}");
            return Err(ReadError::damaged(at, text));
        }
        self.input.buffer.have(length, "packet")?;
        self.input.about.dropped = u64::from(drops);
        let link = self.link.map_or(Link::Unknown, Link::Type);
        Ok(Some(Frame { time, odd_fraction, link, original_len, ..self.input.record(length, RECORD_HEADER..end) }))
    }
}
