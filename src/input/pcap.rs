//! pcap, the classic capture format of libpcap: a file header, then records with time, two lengths and bytes.
//!
//! ```text
//! file    magic:4 | major:2 | minor:2 | zone:4 | sigfigs:4 | snaplen:4 | network:4
//! record  seconds:4 | fraction:4 | captured:4 | original:4 | (modified: 8 more) | bytes:captured
//! ```
//! Both byte orders, fractions in µs and ns, Kuznetzov's modified form (magic a1b2cd34), and versions before 2.4 with swapped
//! lengths. The snap length is reported but not enforced: real files exceed it.
//!
//! `pcap-parser` reads the file header. Records are read here: it supports neither swapped lengths nor the modified form in
//! big-endian. It also waits for as many bytes as a malformed length declares.

use pcap_parser::parse_pcap_header;

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use super::interface::{About, Interface};
use super::options::OptionList;
use super::order::Order;

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const MODIFIED_RECORD_HEADER: usize = 24;

/// Meaning of the magic: byte order, length of a record header, nanoseconds per unit of a fraction.
type Variant = (Order, usize, u32);

pub(super) fn variant(magic: &[u8]) -> Option<Variant> {
    Some(match magic.first_chunk()? {
        [0xd4, 0xc3, 0xb2, 0xa1] => (Order::Little, RECORD_HEADER, 1000),
        [0xa1, 0xb2, 0xc3, 0xd4] => (Order::Big, RECORD_HEADER, 1000),
        [0x4d, 0x3c, 0xb2, 0xa1] => (Order::Little, RECORD_HEADER, 1),
        [0xa1, 0xb2, 0x3c, 0x4d] => (Order::Big, RECORD_HEADER, 1),
        [0x34, 0xcd, 0xb2, 0xa1] => (Order::Little, MODIFIED_RECORD_HEADER, 1000),
        [0xa1, 0xb2, 0xcd, 0x34] => (Order::Big, MODIFIED_RECORD_HEADER, 1000),
        _ => return None,
    })
}

/// Order of a record's two lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lengths {
    CapturedFirst,
    OriginalFirst,
    /// Version 2.3 was written in both orders; the smaller length is the captured one.
    SmallerIsCaptured,
}

pub(super) struct Reader {
    buffer: Buffer,
    order: Order,
    record_header: usize,
    unit: u32,
    lengths: Lengths,
    link: u16,
    interface: Interface,
    about: About,
}

/// A decoded record header.
struct Record {
    time: Timestamp,
    captured: u32,
    original: u32,
}

/// Maximum accepted packet size, as in libpcap: some link types have no limit of their own.
fn largest_packet(link: u16) -> u32 {
    match link {
        // D-Bus and USBPcap.
        231 | 249 => 64 * 1024 * 1024,
        _ => 256 * 1024,
    }
}

impl Reader {
    pub(super) fn open(mut buffer: Buffer) -> Result<Reader, OpenError> {
        let supply = buffer.need(FILE_HEADER).map_err(OpenError::from_read)?;
        let start = buffer.use_up(FILE_HEADER);
        let (Supply::Enough, Some((order, record_header, unit))) = (supply, variant(start)) else {
            let what = format!("ends after {} bytes of its {FILE_HEADER}-byte header", start.len());
            return Err(OpenError::Damaged { format: "pcap", what });
        };
        // The parser does not support the modified form in big-endian; all headers are equal after the magic.
        let mut plain = start.to_vec();
        plain.splice(..4, if order == Order::Big { [0xa1, 0xb2, 0xc3, 0xd4] } else { [0xd4, 0xc3, 0xb2, 0xa1] });
        let Ok((_, header)) = parse_pcap_header(&plain) else {
            return Err(OpenError::Damaged { format: "pcap", what: "its header cannot be read".to_owned() });
        };
        let (major, minor) = (header.version_major, header.version_minor);
        let lengths = match (major, minor) {
            // DG/UX writes 543.
            (2, ..=2) | (543, _) => Lengths::OriginalFirst,
            (2, 3) => Lengths::SmallerIsCaptured,
            (2, _) => Lengths::CapturedFirst,
            _ => return Err(OpenError::UnsupportedVersion { format: "pcap", major, minor }),
        };
        // The upper bits contain the length of a checksum and reserved bits.
        let link = u16::try_from(header.network.0 & 0xffff).unwrap_or_default();
        let mut about = About::default();
        let interface = about.interface(Some(link), header.snaplen, OptionList { order, bytes: &[] });
        Ok(Reader { buffer, order, record_header, unit, lengths, link, interface, about })
    }

    pub(super) fn describe(&self) -> String {
        let order = self.order.as_str();
        let unit = if self.unit == 1 { "nanoseconds" } else { "microseconds" };
        let modified = if self.record_header == RECORD_HEADER { "" } else { " with modified record headers" };
        let link = super::link_words(self.link);
        format!("pcap{modified}, known by its first bytes ({order}, times in {unit}, link type {link})")
    }

    pub(super) fn about(&self) -> &About {
        &self.about
    }

    pub(super) fn interface(&self) -> &Interface {
        &self.interface
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !self.buffer.have(self.record_header, "packet")? {
            return Ok(None);
        }
        let at = self.buffer.offset();
        let Some(record) = self.record() else {
            return Err(ReadError::damaged(at, "a record header that cannot be read".to_owned()));
        };
        // Validated before waiting for bytes after the header.
        let largest = largest_packet(self.link);
        if record.captured > largest {
            let text = format!("a packet of {} bytes; a capture holds at most {largest} of one", record.captured);
            return Err(ReadError::damaged(at, text));
        }
        let whole = self.record_header + record.captured as usize;
        self.buffer.have(whole, "packet")?;
        let bytes = self.buffer.use_up(whole).get(self.record_header..).unwrap_or_default();
        let (time, link, original_len) = (Some(record.time), Link::Type(self.link), record.original);
        let interfaces = std::slice::from_ref(&self.interface);
        Ok(Some(Frame { time, link, bytes, original_len, interfaces, ..Frame::default() }))
    }

    fn record(&self) -> Option<Record> {
        let header = self.buffer.ahead();
        let word = |at| self.order.u32(header, at);
        let (first, second) = (word(8)?, word(12)?);
        let (captured, original) = match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::OriginalFirst => (second, first),
            Lengths::SmallerIsCaptured => (first.min(second), first.max(second)),
        };
        // A fraction far out of range wraps, as in Wireshark.
        let time = Timestamp { seconds: i64::from(word(0)?), nanos: word(4)?.wrapping_mul(self.unit) };
        Some(Record { time, captured, original })
    }
}

#[cfg(test)]
mod tests {
    use crate::input::samples::{self, drain, drain_slowly};
    use crate::input::{Capture, OpenError, ReadError, Timestamp};

    /// Seconds, fraction, the two lengths, padding before the bytes, the bytes.
    type Raw<'a> = (u32, u32, u32, u32, usize, &'a [u8]);

    fn file(big: bool, magic: u32, version: (u16, u16), network: u32, records: &[Raw<'_>]) -> Vec<u8> {
        let w16 = |v: u16| if big { v.to_be_bytes() } else { v.to_le_bytes() };
        let w32 = |v: u32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
        let mut out = w32(magic).to_vec();
        out.extend([w16(version.0), w16(version.1)].concat());
        out.extend([w32(0), w32(0), w32(65535), w32(network)].concat());
        for (seconds, fraction, third, fourth, padding, bytes) in records {
            out.extend([w32(*seconds), w32(*fraction), w32(*third), w32(*fourth)].concat());
            out.extend(vec![0xee; *padding]);
            out.extend(*bytes);
        }
        out
    }

    const V24: (u16, u16) = (2, 4);

    #[test]
    fn all_six_magics_read_alike() {
        for (magic, fraction, padding) in [(0xa1b2_c3d4, 7, 0), (0xa1b2_3c4d, 7000, 0), (0xa1b2_cd34, 7, 8)] {
            for big in [false, true] {
                let bytes = file(big, magic, V24, 1, &[(5, fraction, 3, 60, padding, b"abc"), (6, 0, 0, 0, padding, b"")]);
                let (frames, error) = drain(&bytes);
                assert_eq!(error, None, "{magic:x} {big}");
                assert_eq!(frames.len(), 2);
                assert_eq!(frames[0].bytes, b"abc");
                assert_eq!(frames[0].original_len, 60);
                assert_eq!(frames[0].time, Some(Timestamp { seconds: 5, nanos: 7000 }));
                assert_eq!((frames[0].number, frames[1].number), (1, 2));
                assert_eq!(drain_slowly(&bytes).0, frames);
            }
        }
    }

    #[test]
    fn old_versions_have_the_lengths_swapped() {
        let old = file(true, 0xa1b2_c3d4, (2, 1), 1, &[(0, 0, 60, 3, 0, b"abc")]);
        assert_eq!(drain(&old).0[0].original_len, 60);
        let either = file(true, 0xa1b2_c3d4, (2, 3), 1, &[(0, 0, 60, 3, 0, b"abc"), (0, 0, 3, 60, 0, b"abc")]);
        assert_eq!(drain(&either).0.iter().map(|frame| frame.bytes.len()).collect::<Vec<_>>(), [3, 3]);
    }

    #[test]
    fn bits_above_the_link_type_are_left_out() {
        let capture = samples::open(&file(false, 0xa1b2_c3d4, V24, 0xf030_0001, &[])).unwrap();
        assert_eq!(capture.links(), [1]);
    }

    #[test]
    fn fractions_out_of_range_are_kept() {
        let bytes = file(false, 0xa1b2_c3d4, V24, 1, &[(u32::MAX, 1_000_000, 0, 0, 0, b""), (0, 0x8000_0000, 0, 0, 0, b"")]);
        let times: Vec<_> = drain(&bytes).0.iter().map(|frame| frame.time.unwrap()).collect();
        let first = Timestamp { seconds: i64::from(u32::MAX), nanos: 1_000_000_000 };
        assert_eq!(times, [first, Timestamp { seconds: 0, nanos: 0 }]);
    }

    #[test]
    fn an_unknown_version_is_refused() {
        let error = Capture::open(Box::new(std::io::Cursor::new(file(false, 0xa1b2_c3d4, (1, 4), 1, &[])))).err().unwrap();
        assert!(matches!(error, OpenError::UnsupportedVersion { major: 1, minor: 4, .. }), "{error}");
    }

    #[test]
    fn a_cut_anywhere_gives_the_frames_before_it() {
        let bytes = file(false, 0xa1b2_c3d4, V24, 1, &[(1, 1, 3, 3, 0, b"abc"), (2, 2, 2, 9, 0, b"de")]);
        samples::every_cut_gives_a_prefix(&bytes, 24, &[24, 43, 61]);
    }

    #[test]
    fn an_impossible_length_is_damage() {
        let good: Raw<'_> = (1, 1, 3, 3, 0, b"abc");
        for length in [u32::MAX, 262_145] {
            let (frames, error) = drain(&file(false, 0xa1b2_c3d4, V24, 1, &[good, (2, 2, length, 9, 0, b"de")]));
            assert_eq!(frames.len(), 1);
            let ReadError { code, at, .. } = error.unwrap();
            assert_eq!((code, at), ("damaged", Some(43)));
        }
        let largest = vec![7; 262_144];
        let (frames, error) = drain(&file(false, 0xa1b2_c3d4, V24, 1, &[(0, 0, 262_144, 262_144, 0, &largest), good]));
        assert_eq!((frames.len(), error), (2, None));
    }
}
