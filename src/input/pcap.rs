//! pcap, the classic capture format of libpcap: a file header, then records with time, two lengths and bytes.
//!
//! ```text
//! file    magic:4 | major:2 | minor:2 | zone:4 | sigfigs:4 | snaplen:4 | network:4
//! record  seconds:4 | fraction:4 | captured:4 | original:4 | (modified: 8 more) | bytes:captured
//! ```
//! Both byte orders, fractions in µs and ns, Kuznetzov's modified form (magic a1b2cd34), and versions before 2.4 with swapped
//! lengths. The snap length is reported but not enforced: real files exceed it.
//!
//! Some programs write nanoseconds under the magic of microseconds. Nearly all of their fractions exceed a second; a fraction that
//! does so alone is added to the seconds. Either way its frame gets a note.
//!
//! `pcap-parser` reads the file header. Records are read here: it supports neither swapped lengths nor the modified form in
//! big-endian. It also waits for as many bytes as a malformed length declares.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

use pcap_parser::parse_pcap_header;

use super::buffer::{Buffer, Supply};
use super::common::Input;
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, OddFraction, Timestamp};
use super::interface::About;
use super::options::OptionList;
use super::order::Order;

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const MODIFIED_RECORD_HEADER: usize = 24;

/// Records that are read ahead at the first fraction of a second or more. Of so many nanoseconds, one may be below a million.
const LOOKED_AT: u32 = 20;

const MICROS: u32 = 1_000_000;
const NANOS: u32 = 1_000_000_000;

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
    pub(super) input: Input,
    order: Order,
    record_header: usize,
    unit: u32,
    fractions: Fractions,
    lengths: Lengths,
    link: u16,
}

/// What is known of the fractions of a file in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fractions {
    /// So many records were below a second so far, and none above.
    Short(u32),
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
}

/// A decoded record header.
struct Record {
    seconds: u32,
    fraction: u32,
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
    pub(super) fn open(buffer: Buffer, about: About) -> Result<Reader, OpenError> {
        let mut input = Input { buffer, interfaces: Vec::new(), about };
        let start = input.file_header("pcap", FILE_HEADER)?;
        let Some((order, record_header, unit)) = variant(start) else {
            return Err(OpenError::Damaged { format: "pcap", what: "its header cannot be read".to_owned() });
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
        input.interfaces = vec![input.about.interface(Some(link), header.snaplen, OptionList { order, bytes: &[] })];
        Ok(Reader { input, order, record_header, unit, fractions: Fractions::Short(0), lengths, link })
    }

    pub(super) fn describe(&self) -> String {
        let order = self.order.as_str();
        let unit = if self.unit == 1 { "nanoseconds" } else { "microseconds" };
        let modified = if self.record_header == RECORD_HEADER { "" } else { " with modified record headers" };
        let link = super::link_words(self.link);
        format!("pcap{modified}, known by its first bytes ({order}, times in {unit}, link type {link})")
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if !self.input.buffer.have(self.record_header, "packet")? {
            return Ok(None);
        }
        let Some(record) = self.record(0) else {
            return Err(ReadError::damaged(self.input.buffer.offset(), "a record header that cannot be read".to_owned()));
        };
        self.input.check_size(record.captured, largest_packet(self.link))?;
        let whole = self.record_header.saturating_add(record.captured as usize);
        self.input.buffer.have(whole, "packet")?;
        let (time, odd_fraction) = self.time(&record);
        let frame = self.input.record(whole, self.record_header..whole);
        Ok(Some(Frame { time: Some(time), odd_fraction, link: Link::Type(self.link), original_len: record.original, ..frame }))
    }

    /// The record whose header is so many bytes ahead.
    fn record(&self, from: usize) -> Option<Record> {
        let header = self.input.buffer.ahead().get(from..)?;
        let word = |at| self.order.u32(header, at);
        let (first, second) = (word(8)?, word(12)?);
        let (captured, original) = match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::OriginalFirst => (second, first),
            Lengths::SmallerIsCaptured => (first.min(second), first.max(second)),
        };
        Some(Record { seconds: word(0)?, fraction: word(4)?, captured, original })
    }

    #[inline]
    fn time(&mut self, record: &Record) -> (Timestamp, Option<OddFraction>) {
        let is_micros = self.unit != 1;
        if record.fraction < if is_micros { MICROS } else { NANOS } {
            if let Fractions::Short(count) = &mut self.fractions {
                *count = count.saturating_add(1);
            }
            let nanos =
                if self.fractions == Fractions::Nanos { record.fraction } else { record.fraction.saturating_mul(self.unit) };
            return (Timestamp { seconds: record.seconds.into(), nanos }, None);
        }
        self.long_time(record, is_micros)
    }

    /// The time of a record whose fraction is a second or more.
    #[cold]
    fn long_time(&mut self, record: &Record, is_micros: bool) -> (Timestamp, Option<OddFraction>) {
        if let Fractions::Short(count) = self.fractions
            && is_micros
        {
            self.fractions = if self.are_nanos(count) { Fractions::Nanos } else { Fractions::Micros };
        }
        let as_nanos = self.fractions == Fractions::Nanos;
        let unit = if as_nanos { 1 } else { self.unit };
        let nanos = u64::from(record.fraction).saturating_mul(unit.into());
        let odd = OddFraction { value: record.fraction, is_micros, as_nanos };
        (Timestamp::carried(record.seconds.into(), nanos), Some(odd))
    }

    /// Whether the fractions of the next records, and `short` ones before, are possible as nanoseconds only.
    fn are_nanos(&mut self, mut short: u32) -> bool {
        let (mut from, mut seen) = (0_usize, short);
        for _ in 0..LOOKED_AT {
            let header = from.saturating_add(self.record_header);
            // What ends the file here is reported when its reader gets there.
            if !matches!(self.input.buffer.need(header), Ok(Supply::Enough)) {
                break;
            }
            let Some(record) = self.record(from).filter(|record| record.captured <= largest_packet(self.link)) else { break };
            if record.fraction >= NANOS {
                return false;
            }
            seen = seen.saturating_add(1);
            short = short.saturating_add(u32::from(record.fraction < MICROS));
            from = header.saturating_add(record.captured as usize);
        }
        short == 0 || short == 1 && seen >= LOOKED_AT
    }
}
