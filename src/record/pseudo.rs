//! Pseudo-fields for columns and filters: properties of a record instead of bytes.

use super::protocols::Protocols;
use super::seconds::{SECOND, seconds, since_1970};
use super::shown::{self, ExpertItems, Summary};
use super::{JsonType, Record};
use crate::tree::{Address, Ends, FrameInfo, Kind, StreamId, TextRange, Timestamp};
use std::fmt::{self, Write};

/// A property of a record, usable as a field.
pub struct Pseudo {
    /// The name in filters and columns.
    pub name: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// The description, one sentence.
    pub about: &'static str,
    /// Returns the value for a record, if it has one.
    pub of: Of,
}

type Of = for<'t> fn(&'t Record<'t>) -> Option<PseudoValue<'t>>;

/// The value of a pseudo-field, formatted like a column of tshark.
#[derive(Clone, Copy)]
pub enum PseudoValue<'t> {
    /// An integer.
    Number(u64),
    /// Nanoseconds, shown as seconds.
    Nanos(i128),
    /// Nanoseconds, shown as seconds with six digits.
    Micros(i128),
    /// A timestamp, shown as seconds since 1970. The fraction is kept even if out of range.
    Time(Timestamp),
    /// A timestamp, shown in local time.
    Date(Timestamp),
    /// Text of a protocol or from the capture.
    Words(&'t str),
    /// Text from the capture; each line is a value.
    Lines(&'t str),
    /// A stream number.
    Stream(StreamId),
    /// The protocols of a record.
    Path(Protocols<'t>),
    /// An address.
    Address(Address),
    /// The summary of a record.
    Summary(Summary<'t>),
    /// A property of each note.
    ExpertItems(ExpertItems<'t>),
}

impl PseudoValue<'_> {
    /// Writes the value like a column of tshark.
    pub fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            PseudoValue::Number(number) => out.write_str(itoa::Buffer::new().format(*number)),
            PseudoValue::Nanos(nanos) => seconds(*nanos, 9, out),
            PseudoValue::Time(time) => epoch_seconds(*time, out),
            PseudoValue::Date(time) => date(*time, out),
            PseudoValue::Words(words) | PseudoValue::Lines(words) => crate::tree::clean(words, out),
            PseudoValue::Stream(stream) => write!(out, "{stream}"),
            PseudoValue::Path(path) => write!(out, "{path}"),
            PseudoValue::Micros(nanos) => seconds(*nanos, 6, out),
            PseudoValue::Address(address) => write!(out, "{address}"),
            PseudoValue::Summary(summary) => write!(out, "{summary}"),
            PseudoValue::ExpertItems(items) => write!(out, "{items}"),
        }
    }
}

impl fmt::Display for PseudoValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// All pseudo-fields, sorted by name.
pub static ALL: &[Pseudo] = &[
    Pseudo::text("_ws.col.Destination", "Destination address", shown::destination),
    Pseudo::text("_ws.col.Info", "Summary", shown::info),
    Pseudo::number("_ws.col.Length", "Length of the frame or the message in bytes", shown::length),
    Pseudo::number("_ws.col.No.", "Number of the frame, or of the last frame of a message", frame),
    Pseudo::number("_ws.col.Number", "Number of the frame, or of the last frame of a message", frame),
    Pseudo::text("_ws.col.Protocol", "Innermost protocol", shown::protocol),
    Pseudo::text("_ws.col.Source", "Source address", shown::source),
    Pseudo::float("_ws.col.Time", "Seconds since the first frame", shown::time),
    Pseudo::text("_ws.expert", "Expert information: message and severity", shown::expert),
    Pseudo::number("_ws.expert.group", "Expert information: group", shown::groups),
    Pseudo::text("_ws.expert.message", "Expert information: message", shown::message),
    Pseudo::number("_ws.expert.severity", "Expert information: severity level", shown::severities),
    Pseudo::text("_ws.malformed", "Malformed packet", shown::malformed),
    Pseudo::text("dir", "Direction: c2s or s2c", direction),
    Pseudo::text("dst", "Destination address and port; can be compared with an address only", dst),
    Pseudo::number("frame.cap_len", "Frame length stored in the capture file", captured),
    Pseudo::text("frame.comment", "Packet comment", comment),
    Pseudo::number("frame.encap_type", "Encapsulation type, as in Wireshark", shown::encap_type),
    Pseudo::number("frame.ignored", "Frame is ignored: always 0", shown::no),
    Pseudo::number("frame.interface_id", "Interface ID", interface),
    Pseudo::text("frame.interface_name", "Interface name", interface_name),
    Pseudo::number("frame.len", "Frame length on the wire", original),
    Pseudo::number("frame.marked", "Frame is marked: always 0", shown::no),
    Pseudo::number("frame.number", "Frame number; for a message, of its last frame", frame),
    Pseudo::float("frame.offset_shift", "Time shift for this packet in seconds: always 0", shown::no_time),
    Pseudo::text("frame.protocols", "Protocols in frame", path),
    Pseudo::float("frame.time", "Arrival time", times),
    Pseudo::float("frame.time_delta", "Seconds since the previous frame or message", delta),
    Pseudo::float("frame.time_epoch", "Arrival time in seconds since 1970", epoch),
    Pseudo::float("frame.time_relative", "Seconds since the first frame", relative),
    Pseudo::text("info", "Summary", shown::info_alone),
    Pseudo::text("message.dir", "Direction: c2s or s2c", direction),
    Pseudo::text("message.name", "Message type", name),
    Pseudo::text("message.note", "User's note in FILE.notes.toml; empty for a bookmark without a note", note),
    Pseudo::number("message.number", "Message number, counted from 1", number),
    Pseudo::text("message.protocol", "Protocol of the message", protocol),
    Pseudo::number("n", "Message number; with --packets, frame number", record_number),
    Pseudo::text("name", "Message type", shown::name),
    Pseudo::text("protocol", "Protocol of the message", innermost),
    Pseudo::text("src", "Source address and port; can be compared with an address only", src),
    Pseudo::text("stream", "Conversation, such as tcp/0", stream),
];

impl Pseudo {
    const fn text(name: &'static str, about: &'static str, of: Of) -> Pseudo {
        Pseudo { name, kind: Kind::Text, about, of }
    }

    const fn number(name: &'static str, about: &'static str, of: Of) -> Pseudo {
        Pseudo { name, kind: Kind::Number, about, of }
    }

    const fn float(name: &'static str, about: &'static str, of: Of) -> Pseudo {
        Pseudo { name, kind: Kind::Float, about, of }
    }

    /// Whether the value depends on the frame alone, without earlier frames.
    #[must_use]
    pub fn is_of_frame(&self) -> bool {
        self.name.starts_with("frame.") && self.name != "frame.protocols"
    }

    /// The type of its values in JSON.
    #[must_use]
    pub fn json(&self) -> JsonType {
        // A date is text, though filters compare it.
        if self.name == "frame.time" { JsonType::Text } else { JsonType::of(self.kind) }
    }

    /// Whether a record may have several values of it.
    #[must_use]
    pub fn repeats(&self) -> bool {
        self.name == "frame.comment" || self.is_expert()
    }

    /// Whether the value takes [`crate::tree::Label`]s.
    #[must_use]
    pub fn is_labelled(&self) -> bool {
        matches!(self.name, "_ws.col.Protocol" | "frame.protocols") || self.is_expert()
    }

    /// Whether the value takes the rules of [`super::expert`].
    #[must_use]
    pub fn is_expert(&self) -> bool {
        self.name.starts_with("_ws.expert") || self.name == "_ws.malformed"
    }

    /// Whether the value takes notes or summaries.
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.name.starts_with("_ws.") || matches!(self.name, "info" | "name")
    }
}

/// The pseudo-field with this name. Later versions of Wireshark write columns in small letters, which mean the same.
#[must_use]
pub fn named(name: &str) -> Option<&'static Pseudo> {
    const COLUMNS: &str = "_ws.col.";
    let is_so = |pseudo: &&Pseudo| pseudo.name == name || name.starts_with(COLUMNS) && pseudo.name.eq_ignore_ascii_case(name);
    ALL.iter().find(is_so)
}

pub(super) fn info<'t>(record: &Record<'t>) -> Option<&'t FrameInfo> {
    match record {
        Record::Message(message) => Some(&message.of.tree.frame),
        Record::Packet(packet) => Some(&packet.of.tree.frame),
        Record::Late(_) | Record::Gap(_) => None,
    }
}

/// Formats a time like tshark: `Nov 24, 2015 21:20:00.055398000 UTC`. Years beyond the calendar are written as seconds.
fn date(time: Timestamp, out: &mut dyn Write) -> fmt::Result {
    match jiff::Timestamp::from_second(time.seconds) {
        Ok(at) => {
            let at = at.to_zoned(jiff::tz::TimeZone::system());
            write!(out, "{}.{:09} {}", at.strftime("%b %e, %Y %H:%M:%S"), time.nanos.cast_signed(), at.strftime("%Z"))
        }
        Err(_) => PseudoValue::Time(time).write(out),
    }
}

/// Formats seconds since 1970 like tshark: a fraction of a second or more is not carried over. A fraction that is negative
/// as a signed 32-bit number makes the whole time negative.
fn epoch_seconds(time: Timestamp, out: &mut dyn Write) -> fmt::Result {
    let nanos = time.nanos.cast_signed();
    if time.seconds >= 0 && nanos < 0 {
        return write!(out, "-{}.{:09}", time.seconds, nanos.unsigned_abs());
    }
    if time.seconds >= 0 && i128::from(nanos) >= SECOND {
        return write!(out, "{}.{nanos:09}", time.seconds);
    }
    seconds(since_1970(time), 9, out)
}

fn made<'t>(record: &Record<'t>, of: fn(&FrameInfo) -> TextRange) -> Option<PseudoValue<'t>> {
    let tree = match record {
        Record::Message(message) => message.of.tree,
        Record::Packet(packet) => packet.of.tree,
        Record::Late(_) | Record::Gap(_) => return None,
    };
    Some(tree.generated_text(of(&tree.frame))).filter(|words| !words.is_empty()).map(PseudoValue::Words)
}

fn comment<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    match made(record, |frame| frame.comment)? {
        PseudoValue::Words(comments) => Some(PseudoValue::Lines(comments)),
        answer => Some(answer),
    }
}

fn interface_name<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    made(record, |frame| frame.interface_name)
}

fn interface<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Number(info(record)?.interface?.into()))
}

fn times<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    match epoch(record) {
        Some(PseudoValue::Time(time)) => Some(PseudoValue::Date(time)),
        _ => None,
    }
}

fn captured<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    info(record).map(|frame| PseudoValue::Number(frame.captured.into()))
}

fn original<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    info(record).map(|frame| PseudoValue::Number(frame.original.into()))
}

fn frame<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Number(match record {
        Record::Message(message) => message.frame(),
        Record::Packet(packet) => packet.of.tree.frame.number,
        Record::Late(late) => late.frame(),
        Record::Gap(gap) => gap.frame,
    }))
}

fn path<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    Protocols::of(record).map(PseudoValue::Path)
}

fn delta<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let since = match record {
        Record::Message(message) => message.times.since_previous(),
        Record::Packet(packet) => packet.times.since_previous(),
        Record::Late(_) | Record::Gap(_) => None,
    };
    since.map(PseudoValue::Nanos)
}

fn epoch<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let time = match record {
        Record::Message(message) => message.time(),
        Record::Packet(packet) => packet.of.tree.frame.time,
        Record::Late(late) => late.times.time,
        Record::Gap(_) => None,
    };
    time.map(PseudoValue::Time)
}

pub(super) fn relative<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let since = match record {
        Record::Message(message) => message.times.since_start(),
        Record::Packet(packet) => packet.times.since_start(),
        Record::Late(late) => late.times.since_start(),
        Record::Gap(_) => None,
    };
    since.map(PseudoValue::Nanos)
}

pub(super) fn ends<'t>(record: &Record<'t>) -> Option<&'t Ends> {
    match record {
        Record::Message(message) => message.ends(),
        Record::Packet(packet) => packet.ends(),
        Record::Late(late) => late.ends(),
        Record::Gap(_) => None,
    }
}

fn direction<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let side = match record {
        Record::Gap(gap) => gap.side,
        _ => ends(record)?.direction()?,
    };
    Some(PseudoValue::Words(side.direction()))
}

fn stream<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Stream(match record {
        Record::Gap(gap) => gap.stream,
        _ => ends(record)?.stream?.0,
    }))
}

fn name<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let Record::Message(message) = record else { return None };
    Some(PseudoValue::Words(message.name())).filter(|_| !message.name().is_empty())
}

fn note<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let entry = match record {
        Record::Message(message) => message.bookmarks().next(),
        Record::Packet(packet) => packet.bookmarks().next(),
        Record::Late(_) | Record::Gap(_) => None,
    };
    entry.map(|entry| PseudoValue::Words(&entry.note))
}

fn number<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let Record::Message(message) = record else { return None };
    Some(PseudoValue::Number(message.n))
}

fn record_number<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    match record {
        Record::Message(message) => Some(PseudoValue::Number(message.n)),
        Record::Packet(packet) => Some(PseudoValue::Number(packet.of.tree.frame.number)),
        Record::Late(_) | Record::Gap(_) => None,
    }
}

fn innermost<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let (of, layer) = match record {
        Record::Message(_) => return protocol(record),
        Record::Packet(packet) => (packet.of, packet.innermost()?),
        Record::Late(late) => (late.of, late.innermost()?),
        Record::Gap(_) => return None,
    };
    of.layer_node(layer).map(|node| PseudoValue::Words(node.field().abbrev))
}

fn src<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    ends(record)?.src.map(PseudoValue::Address)
}

fn dst<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    ends(record)?.dst.map(PseudoValue::Address)
}

fn protocol<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let Record::Message(message) = record else { return None };
    message.protocol().map(|field| PseudoValue::Words(field.abbrev))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_fractions_out_of_range_are_written_as_tshark_writes_them() {
        let written = |seconds, nanos: i64| {
            let nanos = u32::try_from(nanos & 0xffff_ffff).unwrap();
            PseudoValue::Time(Timestamp { seconds, nanos }).to_string()
        };
        assert_eq!(written(100, 5_000), "100.000005000");
        assert_eq!(written(100, 1_500_000_000), "100.1500000000");
        assert_eq!(written(100, -1_000), "-100.000001000");
        assert_eq!(written(-1, 5_000), "-0.999995000");
        let date = |nanos: i64| {
            PseudoValue::Date(Timestamp { seconds: 100, nanos: u32::try_from(nanos & 0xffff_ffff).unwrap() }).to_string()
        };
        assert!(date(1_500_000_000).contains(":40.1500000000 "), "{}", date(1_500_000_000));
        assert!(date(-1_000).contains(":40.-00001000 "), "{}", date(-1_000));
    }
}
