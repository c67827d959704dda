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

#[cfg(test)]
mod tests {
    use crate::input::samples::{Owned, drain, drain_slowly, open};
    use crate::input::{Format, Link, OpenError, Timestamp};

    /// Original length, bytes, padding, drops.
    type Raw<'a> = (u32, &'a [u8], u32, u32);

    fn file(datalink: u32, records: &[Raw<'_>]) -> Vec<u8> {
        let mut out = [b"snoop\0\0\0\0\0\0\x02", &datalink.to_be_bytes()[..]].concat();
        for (original, bytes, padding, drops) in records {
            let captured = u32::try_from(bytes.len()).unwrap();
            for word in [*original, captured, 24 + captured + padding, *drops, 0x8000_0000, 7] {
                out.extend(word.to_be_bytes());
            }
            out.extend(*bytes);
            out.resize(out.len() + *padding as usize, 0xee);
        }
        out
    }

    #[test]
    fn records_are_frames_without_their_padding() {
        let bytes = file(4, &[(60, b"abc", 1, 0), (0, b"", 0, 3), (4, b"defg", 40, 5)]);
        let (frames, error) = drain(&bytes);
        assert_eq!(error, None);
        assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"abc"[..], b"", b"defg"]);
        let Owned { time, link, original_len, .. } = frames[0];
        assert_eq!((time, original_len), (Some(Timestamp { seconds: 1 << 31, nanos: 7000 }), 60));
        assert_eq!(link, Link::Type(1));
        assert_eq!(drain_slowly(&bytes).0, frames);
        let mut capture = open(&bytes).unwrap();
        while capture.next_frame().unwrap().is_some() {}
        assert_eq!((capture.format(), capture.dropped(), capture.links()), (Format::Snoop, 5, &[1][..]));
    }

    #[test]
    fn microseconds_of_a_second_or_more_are_added_without_overflow() {
        let mut bytes = file(4, &[(3, b"abc", 1, 0)]);
        bytes[36..40].copy_from_slice(&u32::MAX.to_be_bytes());
        let mut capture = open(&bytes).unwrap();
        let frame = capture.next_frame().unwrap().unwrap();
        assert_eq!(frame.time, Some(Timestamp { seconds: (1 << 31) + 4294, nanos: 967_295_000 }));
        assert_eq!(frame.odd_fraction.map(|odd| (odd.value, odd.as_nanos)), Some((u32::MAX, false)));
    }

    #[test]
    fn link_types_are_translated() {
        let links = [0, 2, 4, 8, 5].map(|datalink| drain(&file(datalink, &[(1, b"a", 0, 0)])).0[0].link);
        assert_eq!(links, [Link::Type(1), Link::Type(6), Link::Type(1), Link::Type(10), Link::Unknown]);
    }

    #[test]
    fn lengths_that_contradict_each_other_are_damage() {
        let good = file(4, &[(3, b"abc", 1, 0)]);
        for (at, value) in [(4, 262_145_u32), (8, 26), (8, u32::MAX), (4, u32::MAX)] {
            let mut bad = file(4, &[(3, b"abc", 1, 0)])[16..].to_vec();
            bad.splice(at..at + 4, value.to_be_bytes());
            let (frames, error) = drain(&[&good[..], &bad].concat());
            let error = error.unwrap();
            assert_eq!((frames.len(), error.code, error.at), (1, "damaged", Some(44)), "{error}");
        }
    }

    #[test]
    fn an_unknown_version_is_refused() {
        let error = open(b"snoop\0\0\0\0\0\0\x03\0\0\0\x04").err().unwrap();
        assert!(matches!(error, OpenError::UnsupportedVersion { format: "snoop", major: 3, .. }), "{error}");
        assert!(open(b"snoop\0\0\0\0\0").err().unwrap().to_string().contains("ends after 10 bytes"));
    }
}
