//! JSON records of `--find` and `--find-change`: `begin`, a record for each form or change, `end`.

use super::change::{Changes, Key};
use super::fields::{FieldName, Fields};
use super::{BytePosition, Findings, Places, Reading, Value};
use crate::explore::Side;
use crate::explore::json::{Hex, begin};
use crate::explore::view::NumberOf;
use crate::render::{Members, Rfc3339, object};
use crate::tree::Timestamp;
use std::io::{self, Write};

/// Writes findings.
///
/// # Errors
/// Those of writing.
pub fn write(
    file: &str,
    value: &Value,
    findings: &Findings,
    places: &Places<'_, '_>,
    (number, fields): (NumberOf<'_>, Option<&Fields>),
    notes: &[String],
    to: &mut dyn Write,
) -> io::Result<()> {
    begin(file, to)?;
    for found in &findings.found {
        line(to, |of| {
            of.put("type", "find")?;
            of.put("value", value.text())?;
            of.put("as", &names(&found.readings))?;
            if let Some(bytes) = &found.bytes {
                of.words("bytes", Hex(bytes))?;
            }
            of.put("width", &found.width)?;
            of.put("count", &found.count)?;
            if let Some(chance) = found.chance {
                of.put("chance", &((chance * 1000.0).round() / 1000.0))?;
            }
            of.list("hits", &found.hits, |of, hit| {
                let Some((side, at)) = places.side(*hit) else { return Ok(()) };
                spot(side, at, number, of)?;
                if let Some(hit) = places.of(*hit) {
                    within(&hit, places, of)?;
                    Places::float(&hit, &found.readings).map_or(Ok(()), |value| of.put("value", &value))?;
                }
                fields
                    .and_then(|fields| fields.name(side.stream, side.dir, side.offset(at)))
                    .map_or(Ok(()), |name| field(name, of))
            })?;
            if found.derived.is_empty() {
                return Ok(());
            }
            of.list("derived", &found.derived, |of, hit| {
                hit.n.map_or(Ok(()), |n| of.put("n", &n))?;
                of.put("frame", &hit.frame)?;
                if let Some((stream, side)) = hit.stream {
                    of.words("stream", stream)?;
                    of.put("dir", side.direction())?;
                }
                of.put("method", hit.method)?;
                of.put("off", &hit.at)?;
                hit.name.as_ref().map_or(Ok(()), |name| field(name, of))
            })
        })?;
    }
    line(to, |of| {
        of.put("type", "end")?;
        of.put("found", &findings.found.len())?;
        of.put("sought", &findings.sought)?;
        of.put("bytes", &findings.bytes)?;
        of.put("not_searched", &notes.to_vec())
    })
}

/// Writes changes.
///
/// # Errors
/// Those of writing.
pub fn write_changes(
    file: &str,
    values: &[Value; 2],
    changes: &Changes<'_>,
    places: &Places<'_, '_>,
    number: NumberOf<'_>,
    notes: &[String],
    to: &mut dyn Write,
) -> io::Result<()> {
    begin(file, to)?;
    for change in &changes.all {
        line(to, |of| {
            of.put("type", "change")?;
            of.put("values", &values.iter().map(|value| value.text().to_owned()).collect::<Vec<_>>())?;
            of.put("as", &names(&change.readings))?;
            match &change.key {
                Key::Offset(group, kind, offset) => {
                    of.put("kind", places.kind(*group, *kind).as_str())?;
                    of.put("offset", offset)?;
                }
                Key::Behind(_, _, bytes) => of.words("behind", Hex(bytes))?,
            }
            of.put("direct", &change.is_direct)?;
            of.put("count", &change.count)?;
            of.put("hits", &change.hits.to_vec())?;
            of.object("from", |of| place(&change.from, places, number, of))?;
            of.object("to", |of| place(&change.to, places, number, of))
        })?;
    }
    line(to, |of| {
        of.put("type", "end")?;
        of.put("found", &changes.all.len())?;
        of.put("hits", &changes.hits.to_vec())?;
        of.put("not_searched", &notes.to_vec())
    })
}

fn names(readings: &[Reading]) -> Vec<String> {
    readings.iter().map(Reading::to_string).collect()
}

fn line(to: &mut dyn Write, members: impl FnOnce(&mut Members<'_, '_>) -> io::Result<()>) -> io::Result<()> {
    object(to, members)?;
    to.write_all(b"\n")
}

/// The members of an occurrence.
fn place(of: &BytePosition<'_>, places: &Places<'_, '_>, number: NumberOf<'_>, to: &mut Members<'_, '_>) -> io::Result<()> {
    spot(of.side, of.at, number, to)?;
    within(of, places, to)
}

/// Where a byte is in the capture.
fn spot(side: &Side, at: usize, number: NumberOf<'_>, to: &mut Members<'_, '_>) -> io::Result<()> {
    let off = side.offset(at);
    if let Some(number) = number(side, off) {
        to.put("n", &number)?;
    }
    let time = side.segment(at).map(|segment| segment.time).filter(|time| *time != 0).and_then(|time| {
        let nanos = u32::try_from(time.rem_euclid(1_000_000_000)).ok()?;
        Rfc3339::of(Timestamp { seconds: time.div_euclid(1_000_000_000), nanos })
    });
    if let Some(time) = time {
        to.words("time", time)?;
    }
    to.words("stream", side.stream)?;
    to.put("dir", side.dir.direction())?;
    to.words("buffer", side.buffer())?;
    to.put("off", &off)
}

/// Where it is in its message.
fn within(of: &BytePosition<'_>, places: &Places<'_, '_>, to: &mut Members<'_, '_>) -> io::Result<()> {
    to.put("kind", places.kind(of.group, of.kind).as_str())?;
    to.put("message", &of.side.offset(of.message.start))?;
    to.put("offset", &of.offset)
}

/// The field of a dissector.
fn field(name: &FieldName, to: &mut Members<'_, '_>) -> io::Result<()> {
    to.put("field", name.field)?;
    if name.message.is_empty() { Ok(()) } else { to.put("name", name.message.as_str()) }
}
