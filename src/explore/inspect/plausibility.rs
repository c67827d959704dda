//! Rates the plausibility of a form, with the reason.

use super::datum::Datum;
use super::form::{Form, Unit, leb128};
use super::summary::{Behaviour, Summary};
use super::{Rows, column_name};
use crate::explore::columns::{Column, Label};
use crate::explore::rule::Endian;

const HOUR: f64 = 3600e9;
const DAY: f64 = 24.0 * HOUR;

/// 1995 and 2040 in nanoseconds since 1970.
const OUR_TIME: std::ops::Range<i128> = 788_918_400_000_000_000..2_208_988_800_000_000_000;

/// Plausibility from 0 to 1, and the reason.
pub fn plausibility(form: Form, rows: &Rows<'_>, of: &Summary, column: Option<&Column>) -> (f64, String) {
    if of.read < rows.all.len() {
        let missing = rows.all.len() - of.read;
        return (0.0, format!("{missing} of {} messages have no such value", rows.all.len()));
    }
    let (sure, why) = match form {
        Form::Int(width, _, signed) => int(form, width, signed, rows, of),
        Form::Float(width, endian) => float(width, endian, rows, of),
        Form::Varint | Form::Zigzag => varint(form, rows, of),
        Form::Time(unit, _) => time(unit, rows, of),
        Form::Ipv4 => ipv4(rows),
        Form::Ipv6 => ipv6(rows),
        Form::Mac => (0.05, String::new()),
        Form::Text | Form::Counted(..) | Form::Utf16(_) => text(form, rows, of),
    };
    match column.filter(|column| is_form_of(form, column)) {
        // A date is more informative than its number.
        Some(column) if column.label == Label::Timestamp => {
            (sure.max(column.confidence - 0.05), format!("column {}: {}", column.label.name(), column.why))
        }
        Some(column) if column.confidence >= sure => {
            (column.confidence, format!("column {}: {}", column.label.name(), column.why))
        }
        _ => (sure, why),
    }
}

/// Whether a column at this offset has this form.
fn is_form_of(form: Form, column: &Column) -> bool {
    let name = column_name(column);
    match form {
        Form::Int(width, endian, false) => {
            let order = if width == 1 { "" } else { endian.name() };
            name == format!("u{width}{order}")
        }
        Form::Float(width, endian) => name == format!("f{width}{}", endian.name()),
        Form::Text => name == "str",
        _ => false,
    }
}

fn int(form: Form, width: usize, signed: bool, rows: &Rows<'_>, of: &Summary) -> (f64, String) {
    let bits = u32::try_from(width * 8).unwrap_or(64);
    let (Some(least), Some(most)) = (of.least.as_ref().and_then(Datum::whole), of.most.as_ref().and_then(Datum::whole)) else {
        return (0.0, String::new());
    };
    if let Some(rest) = counts_bytes(form, rows) {
        return (0.92, format!("the message has {rest} bytes more than its value"));
    }
    let largest = least.unsigned_abs().max(most.unsigned_abs());
    let is_small = width > 1 && largest >> (bits / 2) == 0;
    match of.behaviour {
        Behaviour::Counts(step) => return (0.85 + width.min(4) as f64 / 100.0, format!("steps by {step}")),
        Behaviour::Rises if of.distinct >= 8 => return (0.7, String::from("only rises")),
        _ => {}
    }
    if signed && least < 0 {
        let is_around = most >= 0 && largest >> (bits * 3 / 4) == 0;
        return if is_around { (0.55, String::from("small numbers around 0")) } else { (0.1, String::new()) };
    }
    if of.distinct == 1 {
        return if is_small || width == 1 { (0.3, String::from("never changes")) } else { (0.1, String::new()) };
    }
    if is_small {
        let zeros = (bits - (128 - largest.leading_zeros()).max(1)) / 8;
        let bytes = if zeros == 1 { String::from("the high byte is") } else { format!("the {zeros} high bytes are") };
        return (0.4 + f64::from(zeros) / 40.0, format!("{bytes} always 0"));
    }
    if width == 1 && of.distinct * 4 <= of.read {
        return (0.4, format!("{} values in {} messages", of.distinct, of.read));
    }
    if width == 1 { (0.3, String::from("any byte is one")) } else { (0.15, String::new()) }
}

/// Number of bytes that each message has beyond the value, if that is constant.
fn counts_bytes(form: Form, rows: &Rows<'_>) -> Option<i128> {
    let rest = |row: &super::Row<'_>| {
        let value = form.read(row.bytes)?.whole()?;
        Some(row.len as i128 - value)
    };
    let first = rest(rows.all.first()?)?;
    let lengths = rows.all.iter().map(|row| row.len);
    let is_varying = lengths.clone().min() != lengths.max();
    let is_near = (0..=64).contains(&first);
    (is_varying && is_near && rows.all.len() >= 3 && rows.all.iter().all(|row| rest(row) == Some(first))).then_some(first)
}

fn float(width: usize, endian: Endian, rows: &Rows<'_>, of: &Summary) -> (f64, String) {
    let (least, most) = if width == 4 { (1e-6, 2e7) } else { (1e-9, 1e12) };
    let is_sane = |value: f64| value == 0.0 || (least..most).contains(&value.abs());
    let ends = [of.least.as_ref(), of.most.as_ref()].map(|end| end.and_then(Datum::number));
    let [Some(lowest), Some(highest)] = ends else { return (0.0, String::new()) };
    if !is_sane(lowest) || !is_sane(highest) || !of.are_all_plausible {
        return (0.02, String::from("some are huge, tiny or no numbers"));
    }
    match of.distinct {
        1 if lowest == 0.0 => (0.1, String::from("always 0")),
        1 => (0.5, String::from("never changes, of a usual size")),
        2 => (0.6, String::from("all are of a usual size")),
        _ if width == 8 && are_two(endian, rows) => (0.5, String::from("so are two numbers of four bytes")),
        _ if width == 8 => (0.88, String::from("all are of a usual size")),
        _ if of.read >= 5 => (0.85, String::from("all are of a usual size")),
        _ => (0.7, String::from("all are of a usual size, in few messages")),
    }
}

/// Whether the low half of eight bytes is also a floating-point number, as in a pair of four-byte ones.
fn are_two(endian: Endian, rows: &Rows<'_>) -> bool {
    let low = if endian == Endian::Big { 4 } else { 0 };
    let is_float = |row: &&super::Row<'_>| {
        let half = row.bytes.get(low..).and_then(|half| Form::Float(4, endian).read(half)).and_then(|half| half.number());
        half.is_some_and(|half| (1e-6..2e7).contains(&half.abs()))
    };
    rows.all.iter().filter(is_float).count() * 2 > rows.all.len()
}

fn varint(form: Form, rows: &Rows<'_>, of: &Summary) -> (f64, String) {
    let long = rows.all.iter().filter(|row| leb128(row.bytes).is_some_and(|(width, _)| width > 1)).count();
    let has_signs = of.least.as_ref().and_then(Datum::whole).is_some_and(|least| least < 0)
        && of.most.as_ref().and_then(Datum::whole).is_some_and(|most| most > 0);
    match (form, long) {
        (_, 0) => (0.05, String::from("one byte in each message")),
        (_, long) if long == rows.all.len() => (0.15, String::new()),
        (Form::Varint, long) => (0.42, format!("{long} of {} have several bytes, none too many", of.read)),
        (_, _) if has_signs => (0.35, String::from("numbers of both signs")),
        _ => (0.2, String::new()),
    }
}

fn time(unit: Unit, rows: &Rows<'_>, of: &Summary) -> (f64, String) {
    let ends = [of.least.as_ref(), of.most.as_ref()].map(|end| end.and_then(Datum::whole));
    let [Some(least), Some(most)] = ends else { return (0.0, String::new()) };
    let captured: Vec<i128> = rows.all.iter().map(|row| i128::from(row.time)).filter(|time| *time != 0).collect();
    if let (Some(first), Some(last)) = (captured.iter().min(), captured.iter().max()) {
        let far = (first - least).abs().max((most - last).abs()) as f64;
        if far < HOUR {
            return (0.95, String::from("within an hour of the capture"));
        }
        if far < 400.0 * DAY {
            return (0.8, String::from("within 400 days of the capture"));
        }
    }
    if !OUR_TIME.contains(&least) || !OUR_TIME.contains(&most) {
        return (0.0, String::new());
    }
    let why = String::from("from 1995 to 2040");
    if matches!(unit, Unit::Seconds(4)) { (0.2, why) } else { (0.6, why) }
}

fn ipv4(rows: &Rows<'_>) -> (f64, String) {
    let four = |row: &super::Row<'_>| row.bytes.get(..4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let all = |test: &dyn Fn([u8; 4]) -> bool| rows.all.iter().all(|row| four(row).is_some_and(test));
    if all(&|address| rows.addresses.binary_search(&address).is_ok()) {
        return (0.95, String::from("address of an end of the conversation"));
    }
    if all(&|address| std::net::Ipv4Addr::from(address).is_private()) {
        return (0.5, String::from("private addresses"));
    }
    if all(&|[first, ..]| (1..240).contains(&first) && first != 127) { (0.08, String::new()) } else { (0.0, String::new()) }
}

fn ipv6(rows: &Rows<'_>) -> (f64, String) {
    let is_usual = |bytes: &[u8]| match bytes {
        [0xfe, 0x80, 0, 0, ..] | [0x20, 0x01, ..] | [0xfd, ..] => true,
        [zeros @ .., 0xff, 0xff, _, _, _, _] => zeros.iter().all(|byte| *byte == 0),
        _ => false,
    };
    let all = rows.all.iter().all(|row| row.bytes.get(..16).is_some_and(is_usual));
    if all { (0.6, String::from("usual prefixes")) } else { (0.0, String::new()) }
}

fn text(form: Form, rows: &Rows<'_>, of: &Summary) -> (f64, String) {
    let letters = of.characters as f64 / of.read.max(1) as f64;
    let is_readable = of.readable * 10 >= of.characters * 8;
    match form {
        _ if !is_readable => (0.05, String::new()),
        Form::Counted(..) if of.characters >= 8 && letters >= 2.0 => {
            (0.95, format!("text of the length in front in {} messages", of.read))
        }
        Form::Counted(..) => (0.15, String::new()),
        // Two ASCII letters are one ideograph in UTF-16.
        Form::Utf16(_) if rows.all.iter().all(|row| row.bytes.iter().take(8).all(|byte| (0x20..0x7f).contains(byte))) => {
            (0.05, String::new())
        }
        Form::Utf16(_) if letters >= 3.0 => (0.8, String::from("readable characters")),
        Form::Text if letters >= 4.0 => {
            let zero = rows.all.iter().filter(|row| memchr::memchr(0, row.bytes).is_some()).count();
            (0.75, format!("{letters:.0} readable characters each, {zero} of {} end with a zero", of.read))
        }
        _ => (0.1, String::new()),
    }
}
