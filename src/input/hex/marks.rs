//! Marks before a packet, as in text2pcap: direction, date, time.
//!
//! ```text
//! I 10:15:14.5        O 2024-01-31 10:15:14.5        > 2024-01-31T10:15:14.5Z        1706696114.5
//! ```
//! `O` and `>` are sent, `I` and `<` received. A time of day without a date is counted from 1970-01-01. A time without a zone is
//! UTC, so that the result does not depend on the system.

use super::scan::{after_marks, words};
use crate::input::Timestamp;
use crate::tree::Side;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Marks of a packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) time: Option<Timestamp>,
    pub(super) direction: Option<Side>,
    pub(super) ends: Ends,
}

impl Marks {
    /// The marks at the start of a line.
    pub(super) fn of(line: &[u8]) -> Marks {
        let mut marks = Marks::default();
        let mut date = None;
        let marked = line.get(..after_marks(line)).unwrap_or_default();
        for (index, word) in words(marked, 0).enumerate() {
            match word.text {
                b"I" | b"i" | b"<" if index == 0 => marks.direction = Some(Side::Server),
                b"O" | b"o" | b">" if index == 0 => marks.direction = Some(Side::Client),
                text => match std::str::from_utf8(text).ok().and_then(read) {
                    Some(Read::Date(day)) => date = Some(day),
                    Some(Read::Clock(time)) => {
                        marks.time = Some(Timestamp { seconds: time.seconds + date.unwrap_or(0), ..time });
                    }
                    Some(Read::Moment(time)) => marks.time = Some(time),
                    None => {}
                },
            }
        }
        marks
    }

    /// The marks of a line without bytes. Prose may begin with `I` or `>`, so these count only alone or with a time.
    pub(super) fn of_prose(line: &[u8]) -> Marks {
        let marks = Marks::of(line);
        let alone = after_marks(line) == line.trim_ascii_end().len();
        if alone || marks.time.is_some() { marks } else { Marks::default() }
    }

    /// Adds the marks of another line before the same packet.
    pub(super) fn add(&mut self, other: Marks) {
        self.time = other.time.or(self.time);
        self.direction = other.direction.or(self.direction);
        if other.ends.source.is_some() {
            self.ends = other.ends;
        }
    }
}

enum Read {
    /// Seconds since 1970 at the start of the day.
    Date(i64),
    /// Time since the start of the day.
    Clock(Timestamp),
    Moment(Timestamp),
}

fn read(text: &str) -> Option<Read> {
    let text = text.trim_end_matches(',');
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(Read::Moment(of_moment(moment)));
    }
    if text.contains('T') {
        let local: jiff::civil::DateTime = text.parse().ok()?;
        return Some(Read::Moment(of_moment(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())));
    }
    if text.contains('-') {
        let day: jiff::civil::Date = text.parse().ok()?;
        return Some(Read::Date(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second()));
    }
    if text.contains(':') {
        let time: jiff::civil::Time = text.trim_end_matches('Z').parse().ok()?;
        let seconds = (i64::from(time.hour()) * 60 + i64::from(time.minute())) * 60 + i64::from(time.second());
        let nanos = u32::try_from(time.subsec_nanosecond()).ok()?;
        return Some(Read::Clock(Timestamp { seconds, nanos }));
    }
    since_1970(text).map(Read::Moment)
}

/// Seconds since 1970 with a fraction.
pub(super) fn since_1970(text: &str) -> Option<Timestamp> {
    let (seconds, fraction) = text.split_once('.')?;
    let nanos = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    Some(Timestamp { seconds: seconds.parse().ok()?, nanos })
}

fn of_moment(moment: jiff::Timestamp) -> Timestamp {
    // Before 1970 both parts are negative.
    let (seconds, nanos) = (moment.as_second(), moment.subsec_nanosecond());
    let seconds = if nanos < 0 { seconds - 1 } else { seconds };
    Timestamp { seconds, nanos: u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or_default() }
}

/// The endpoints of a packet; a port that is not stated is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) source: Option<SocketAddr>,
    pub(super) target: Option<SocketAddr>,
}

impl Ends {
    /// Source and target, if both are known.
    pub(super) fn both(&self) -> Option<(SocketAddr, SocketAddr)> {
        self.source.zip(self.target)
    }
}

/// Arrows between two endpoints; one that points to the left has its source at the right.
const ARROWS: [(&str, bool); 9] = [
    ("->", true),
    ("=>", true),
    ("-->", true),
    ("==>", true),
    (">", true),
    ("→", true),
    ("<-", false),
    ("<--", false),
    ("←", false),
];

/// The endpoints before bytes: two addresses around an arrow.
pub(super) fn ends(before: &[u8]) -> Ends {
    let text = String::from_utf8_lossy(before);
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words.windows(3).find_map(|three| {
        let [left, arrow, right] = three else { return None };
        let (_, forward) = ARROWS.iter().find(|(sign, _)| sign == arrow)?;
        let (left, right) = (socket(left)?, socket(right)?);
        Some(if *forward { (left, right) } else { (right, left) })
    });
    Ends { source: found.map(|(source, _)| source), target: found.map(|(_, target)| target) }
}

/// An address with an optional port: `192.0.2.10:4000`, `[::1]:4000`, or `192.0.2.10.4000` as in tcpdump.
pub(super) fn socket(word: &str) -> Option<SocketAddr> {
    let word = word.trim_matches(|sign| "(),;".contains(sign)).trim_end_matches(':');
    if let Ok(socket) = word.parse() {
        return Some(socket);
    }
    let bare = word.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Some(SocketAddr::new(address, 0));
    }
    let (address, port) = word.rsplit_once('.')?;
    Some(SocketAddr::new(address.parse::<Ipv4Addr>().ok()?.into(), port.parse().ok()?))
}

/// The first endpoints of a text. Its first source is the client.
#[derive(Debug, Default)]
pub(super) struct Peers {
    client: Option<SocketAddr>,
    server: Option<SocketAddr>,
}

impl Peers {
    /// The direction of a packet between these endpoints; `None` if neither is known from the first packet.
    pub(super) fn direction(&mut self, ends: &Ends) -> Option<Side> {
        let source = ends.source?;
        if source == *self.client.get_or_insert(source) {
            self.server = self.server.or(ends.target);
            return Some(Side::Client);
        }
        (source == *self.server.get_or_insert(source)).then_some(Side::Server)
    }
}
