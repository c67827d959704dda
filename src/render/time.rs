//! Time formats of tshark's `-t`, and RFC 3339.
//!
//! Times of damaged files may be out of range of the calendar; these are written as seconds.

use crate::record::seconds::{SECOND, fraction, seconds, since_1970};
use crate::tree::{Time, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use std::cell::Cell;
use std::fmt::{self, Write};

/// Time format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeForm {
    /// Seconds since the first frame: `r`.
    #[default]
    Relative,
    /// Local time of day: `a`.
    Absolute,
    /// Local time with date: `ad`.
    Dated,
    /// Local time with year and day of year: `adoy`.
    DayOfYear,
    /// Seconds since the previous record: `d`.
    Delta,
    /// Seconds since the previous printed record: `dd`.
    DeltaPrinted,
    /// Seconds since 1970: `e`.
    Epoch,
    /// UTC time of day: `u`.
    Utc,
    /// UTC time with date: `ud`.
    UtcDated,
    /// UTC time with year and day of year: `udoy`.
    UtcDayOfYear,
}

impl TimeForm {
    /// Parses tshark's name of a format.
    pub fn named(letters: &str) -> Option<TimeForm> {
        Some(match letters {
            "r" => TimeForm::Relative,
            "a" => TimeForm::Absolute,
            "ad" => TimeForm::Dated,
            "adoy" => TimeForm::DayOfYear,
            "d" => TimeForm::Delta,
            "dd" => TimeForm::DeltaPrinted,
            "e" => TimeForm::Epoch,
            "u" => TimeForm::Utc,
            "ud" => TimeForm::UtcDated,
            "udoy" => TimeForm::UtcDayOfYear,
            _ => return None,
        })
    }
}

/// The times of a record.
#[derive(Debug, Clone, Copy, Default)]
pub struct When {
    /// Capture time.
    pub time: Time,
    /// Nanoseconds since the first frame.
    pub since_start: Option<i128>,
    /// Nanoseconds since the previous record.
    pub since_previous: Option<i128>,
}

/// Writes times in one format.
#[derive(Debug, Clone)]
pub struct Clock {
    form: TimeForm,
    zone: TimeZone,
    /// Capture time of the previous printed record.
    printed: Cell<Time>,
}

impl Clock {
    /// Creates a clock with this format and the local time zone.
    pub fn new(form: TimeForm) -> Clock {
        let zone = match form {
            TimeForm::Absolute | TimeForm::Dated | TimeForm::DayOfYear => TimeZone::system(),
            _ => TimeZone::UTC,
        };
        Clock { form, zone, printed: Cell::new(None) }
    }

    /// Sign before a relative time.
    pub(super) fn sign(&self) -> &'static str {
        match self.form {
            TimeForm::Relative | TimeForm::Delta | TimeForm::DeltaPrinted => "+",
            _ => "",
        }
    }

    /// Writes the time, unless it is unknown.
    pub(super) fn write(&self, when: When, out: &mut String) -> fmt::Result {
        let (Some(time), Some(since_start)) = (when.time, when.since_start) else { return Ok(()) };
        let printed = self.printed.replace(Some(time));
        match self.form {
            TimeForm::Relative => seconds(since_start, digits(since_start), out),
            TimeForm::Delta => {
                let since = when.since_previous.unwrap_or_default();
                seconds(since, digits(since), out)
            }
            TimeForm::DeltaPrinted => {
                let since = printed.map_or(0, |printed| time.since(printed));
                seconds(since, digits(since), out)
            }
            TimeForm::Epoch => epoch(time, out),
            _ => match moment(time) {
                Some(moment) => self.day_time(self.zone.to_datetime(moment), out),
                None => epoch(time, out),
            },
        }
    }

    fn day_time(&self, at: DateTime, out: &mut String) -> fmt::Result {
        match self.form {
            TimeForm::Dated | TimeForm::UtcDated => write!(out, "{} ", at.date())?,
            TimeForm::DayOfYear | TimeForm::UtcDayOfYear => write!(out, "{:04}/{:03} ", at.year(), at.day_of_year())?,
            _ => {}
        }
        write!(out, "{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())?;
        let nanos = at.subsec_nanosecond();
        fraction(nanos.unsigned_abs().into(), digits(nanos.into()), out)
    }
}

fn epoch(time: Timestamp, out: &mut String) -> fmt::Result {
    let nanos = since_1970(time);
    seconds(nanos, digits(nanos), out)
}

/// Writes microseconds, or nanoseconds if necessary.
fn digits(nanos: i128) -> usize {
    let has_none = i64::try_from(nanos).map_or(nanos % 1000 == 0, |nanos| nanos % 1000 == 0);
    if has_none { 6 } else { 9 }
}

fn moment(time: Timestamp) -> Option<jiff::Timestamp> {
    let nanos = i32::try_from(i128::from(time.nanos) % SECOND).ok()?;
    let seconds = time.seconds.checked_add(i64::from(time.nanos) / 1_000_000_000)?;
    jiff::Timestamp::new(seconds, nanos).ok()
}

/// Time in RFC 3339 format, UTC.
pub struct Rfc3339(DateTime);

impl Rfc3339 {
    /// Converts a time of the years 0 to 9999.
    pub fn of(time: Timestamp) -> Option<Rfc3339> {
        let at = Offset::UTC.to_datetime(moment(time)?);
        (at.year() >= 0).then_some(Rfc3339(at))
    }
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Formatted in one buffer, because every message has a time.
        let at = self.0;
        let mut text = *b"0000-00-00T00:00:00.000000000Z";
        let fields: [(usize, usize, i32); 7] = [
            (0, 4, at.year().into()),
            (5, 2, at.month().into()),
            (8, 2, at.day().into()),
            (11, 2, at.hour().into()),
            (14, 2, at.minute().into()),
            (17, 2, at.second().into()),
            (20, 9, at.subsec_nanosecond()),
        ];
        for (from, count, value) in fields {
            let mut rest = value.unsigned_abs();
            for digit in text.iter_mut().skip(from).take(count).rev() {
                *digit += u8::try_from(rest % 10).unwrap_or_default();
                rest /= 10;
            }
        }
        let text = str::from_utf8(&text).unwrap_or_default();
        match text.strip_suffix("000Z") {
            Some(micros) => f.write_str(micros).and_then(|()| f.write_char('Z')),
            None => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp { seconds: 1_448_400_002, nanos: 55_398_000 };

    fn written(form: TimeForm, time: Timestamp) -> String {
        let mut clock = Clock::new(form);
        clock.zone = TimeZone::fixed(jiff::tz::offset(2));
        if matches!(form, TimeForm::Utc | TimeForm::UtcDated | TimeForm::UtcDayOfYear) {
            clock.zone = TimeZone::UTC;
        }
        let when = When { time: Some(time), since_start: Some(2_055_398_000), since_previous: Some(-1) };
        let mut out = String::new();
        clock.write(when, &mut out).unwrap();
        out
    }

    #[test]
    fn every_form_of_tshark_is_known() {
        let times = ["r", "a", "ad", "d", "e", "u"].map(|letters| written(TimeForm::named(letters).unwrap(), AT));
        assert_eq!(
            times,
            ["2.055398", "23:20:02.055398", "2015-11-24 23:20:02.055398", "-0.000000001", "1448400002.055398", "21:20:02.055398"]
        );
        assert_eq!(TimeForm::named("x"), None);
        let dated = ["adoy", "ud", "udoy", "dd"].map(|letters| written(TimeForm::named(letters).unwrap(), AT));
        assert_eq!(dated, ["2015/328 23:20:02.055398", "2015-11-24 21:20:02.055398", "2015/328 21:20:02.055398", "0.000000"]);
    }

    #[test]
    fn a_span_may_count_from_the_record_printed_before() {
        let clock = Clock::new(TimeForm::DeltaPrinted);
        let mut out = String::new();
        for seconds in [1, 4, 3] {
            let time = Some(Timestamp { seconds, nanos: 0 });
            clock.write(When { time, since_start: Some(0), since_previous: Some(7) }, &mut out).unwrap();
            out.push(' ');
        }
        assert_eq!(out, "0.000000 3.000000 -1.000000 ");
    }

    #[test]
    fn a_time_beyond_the_calendar_is_shown_in_seconds() {
        let far = Timestamp { seconds: i64::MAX, nanos: u32::MAX };
        assert_eq!(written(TimeForm::Utc, far), "9223372036854775811.294967295");
        assert!(Rfc3339::of(far).is_none());
        assert!(Rfc3339::of(Timestamp { seconds: -90_000_000_000, nanos: 0 }).is_none());
    }

    #[test]
    fn rfc_3339_has_as_many_digits_as_needed() {
        let written = |seconds, nanos| Rfc3339::of(Timestamp { seconds, nanos }).unwrap().to_string();
        assert_eq!(Rfc3339::of(AT).unwrap().to_string(), "2015-11-24T21:20:02.055398Z");
        assert_eq!(written(0, 1), "1970-01-01T00:00:00.000000001Z");
        assert_eq!(written(0, 1_500_000_000), "1970-01-01T00:00:01.500000Z");
        assert_eq!(written(-1, 500_000_000), "1969-12-31T23:59:59.500000Z");
    }

    #[test]
    fn a_missing_timestamp_shows_nothing() {
        let mut out = String::new();
        Clock::new(TimeForm::Relative).write(When::default(), &mut out).unwrap();
        assert_eq!(out, "");
    }
}
