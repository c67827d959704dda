//! The `explore` record of `--json`.

use super::columns::Column;
use super::framing::{Framed, Hypothesis};
use super::inner::Inside;
use super::messages::{Kind, Kinds};
use super::rule::Rule;
use super::table::Table;
use super::{Explored, Side};
use crate::render::{Members, object};
use crate::tree;
use std::fmt;
use std::io::{self, Write};

/// Bytes as hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Writes the record before those of groups.
///
/// # Errors
/// Those of writing.
pub fn begin(file: &str, to: &mut dyn Write) -> io::Result<()> {
    object(to, |of| {
        of.put("type", "begin")?;
        of.put("schema", &1_u8)?;
        of.put("file", file)
    })?;
    to.write_all(b"\n")
}

/// Writes the record after those of groups.
///
/// # Errors
/// Those of writing.
pub fn end(groups: usize, to: &mut dyn Write) -> io::Result<()> {
    object(to, |of| {
        of.put("type", "end")?;
        of.put("groups", &groups)
    })?;
    to.write_all(b"\n")
}

/// Writes the record of a group.
///
/// # Errors
/// Those of writing.
pub fn record(explored: &Explored<'_>, group: &str, to: &mut dyn Write) -> io::Result<()> {
    object(to, |of| {
        of.put("type", "explore")?;
        of.put("group", group)?;
        let first = explored.sides.first().map(|side| side.stream);
        of.words("transport", first.map_or("", |stream| stream.transport.word()))?;
        let mut streams: Vec<String> = explored.sides.iter().map(|side| side.stream.to_string()).collect();
        streams.dedup();
        of.put("streams", &streams)?;
        of.list("sides", explored.sides.iter().enumerate(), |of, (number, side)| one_side(explored, number, side, of))?;
        of.list("framing", &explored.framing, |of, hypothesis| framing(hypothesis, of))?;
        if let Some(inside) = &explored.inside {
            of.object("inner", |of| inner(inside, explored.kinds, of))?;
        }
        discriminator(explored.outer_kinds, of)?;
        let kinds = explored.groups.iter().zip(&explored.columns);
        of.list("types", kinds, |of, (kind, columns)| one_kind(explored, kind, columns, of))?;
        of.list("notes", &explored.notes, |of, note| {
            of.put("level", "info")?;
            of.put("text", note)
        })?;
        of.put("ksy", explored.ksy.as_deref().unwrap_or_default())
    })?;
    to.write_all(b"\n")
}

/// Rounds to two decimal places.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// What is inside datagrams or frames.
fn inner(inside: &Inside, kinds: Kinds, of: &mut Members<'_, '_>) -> io::Result<()> {
    match inside {
        Inside::Run(run) => {
            of.words("rule", run.rule())?;
            of.put("skip", &run.header)?;
            if let Some(count) = run.count {
                of.words("count", count)?;
            }
            of.put("elements", &run.elements)?;
            of.put("datagrams", &run.datagrams)?;
            of.put("of", &run.of)?;
        }
        Inside::Fragments(found) => {
            of.put("rule", "fragments")?;
            of.put("skip", &found.header)?;
            of.words("index", found.index)?;
            of.words("count", found.count)?;
            if let Some(message) = found.message {
                of.words("message", message)?;
            }
            of.put("elements", &found.messages)?;
            of.put("datagrams", &found.datagrams)?;
            of.put("of", &found.datagrams)?;
        }
    }
    discriminator(kinds, of)
}

/// The position of the kind.
fn discriminator(kinds: Kinds, of: &mut Members<'_, '_>) -> io::Result<()> {
    let Kinds::Column(at) = kinds else { return Ok(()) };
    of.object("discriminator", |of| {
        of.put("offset", &at.offset)?;
        of.put("width", &at.width)?;
        of.put("endian", at.endian.name())?;
        of.put("confidence", &round(at.confidence))
    })
}

fn one_side(explored: &Explored<'_>, number: usize, side: &Side, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.words("buffer", side.buffer())?;
    of.words("stream", side.stream)?;
    of.put("dir", side.dir.direction())?;
    of.put("src", &side.ends[0])?;
    of.put("dst", &side.ends[1])?;
    of.put("bytes", &side.sent)?;
    of.put("looked_at", &side.bytes.len())?;
    let best = explored.framing.first();
    let starts = best.and_then(|best| best.starts.get(number)).map_or(&[][..], Vec::as_slice);
    let starts: Vec<u64> = starts.iter().map(|at| side.offset(*at)).collect();
    of.put("starts", &starts)?;
    if let Some(inside) = &explored.inside {
        let starts: Vec<u64> =
            inside.starts(explored.sides, number, &explored.outer).into_iter().map(|at| side.offset(at)).collect();
        of.put("inner_starts", &starts)?;
    }
    of.put("end", &side.offset(best.and_then(|best| best.ends.get(number)).copied().unwrap_or(0)))?;
    of.put("entropy", &round(entropy(&side.bytes)))?;
    of.put("printable", &round(super::messages::printable(&side.bytes)))
}

/// Entropy in bits per byte.
#[must_use]
pub fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let n = bytes.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / n).map(|share| -share * share.log2());
    // Not the negative zero of a constant.
    bits.sum::<f64>() + 0.0
}

fn framing(hypothesis: &Hypothesis, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.words("rule", hypothesis.title())?;
    of.put("score", &round(hypothesis.score))?;
    of.put("confidence", &round(hypothesis.confidence))?;
    of.put("coverage", &round(hypothesis.coverage()))?;
    of.object("dirs", |of| {
        for dir in tree::Side::BOTH {
            if let Some(framed) = hypothesis.dirs.get(dir.index()).and_then(Option::as_ref) {
                of.object(dir.direction(), |of| one_rule(framed, hypothesis, dir, of))?;
            }
        }
        Ok(())
    })?;
    let found = hypothesis.found();
    of.object("evidence", |of| {
        of.put("messages", &found.messages)?;
        of.put("ends_at_turn", &found.turns.to_vec())?;
        of.put("ends_at_segment", &found.segments.to_vec())?;
        of.put("lengths", &found.lengths)?;
        of.put("left_over", &found.left_over)
    })
}

fn one_rule(framed: &Framed, _hypothesis: &Hypothesis, _dir: tree::Side, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("kind", framed.rule.kind())?;
    match &framed.rule {
        Rule::Length { at, bias, scale, padding } => {
            of.put("offset", &at.offset)?;
            of.put("width", &at.width)?;
            of.put("endian", at.endian.name())?;
            of.put("bias", bias)?;
            of.put("scale", scale)?;
            if let Some(place) = padding {
                of.put("padding", place)?;
            }
        }
        Rule::Varint { offset, format } => {
            of.put("offset", offset)?;
            of.put("format", format.name())?;
        }
        Rule::Terminator(end) => of.words("bytes", Hex(end))?,
        Rule::Fixed(size) => of.put("size", size)?,
        Rule::Table(table) => one_table(table, of)?,
        Rule::Blocks { offset, counted, header, block } => {
            of.put("offset", offset)?;
            of.put("counted", counted)?;
            of.put("header", header)?;
            of.put("block", block)?;
        }
        Rule::Headers | Rule::Hex4 | Rule::Datagram | Rule::None => {}
    }
    of.put("skip", &framed.skip)
}

fn one_table(table: &Table, of: &mut Members<'_, '_>) -> io::Result<()> {
    let key = table.key;
    of.put("offset", &key.at.offset)?;
    if key.at.width > 1 {
        of.put("width", &key.at.width)?;
        of.put("endian", key.at.endian.name())?;
    }
    if !key.is_whole() {
        of.put("mask", &key.mask)?;
    }
    of.list("sizes", &table.sizes, |of, (value, size)| {
        of.put("value", value)?;
        of.words("size", table.shown(*size))
    })?;
    table.other.map_or(Ok(()), |size| of.words("other", table.shown(size)))
}

fn one_kind(explored: &Explored<'_>, kind: &Kind, columns: &[Column], of: &mut Members<'_, '_>) -> io::Result<()> {
    of.words("id", kind.id())?;
    of.words("key", Hex(&kind.key))?;
    of.put("dir", kind.dir.direction())?;
    of.put("count", &kind.members.len())?;
    let members = || kind.members.iter().filter_map(|number| explored.messages.get(*number));
    of.put("min", &members().map(|message| message.bytes.len()).min().unwrap_or(0))?;
    of.put("max", &members().map(|message| message.bytes.len()).max().unwrap_or(0))?;
    let places: Vec<(String, u64)> = members()
        .filter_map(|message| explored.sides.get(message.side).map(|side| (side.buffer(), side.offset(message.start))))
        .collect();
    of.put("messages", &places)?;
    of.list("columns", columns, |of, column| {
        of.put("offset", &column.offset)?;
        of.put("width", &column.width)?;
        of.put("kind", column.kind)?;
        if let Some(endian) = column.endian {
            of.put("endian", endian.name())?;
        }
        of.put("label", column.label.name())?;
        of.put("confidence", &round(column.confidence))?;
        of.put("distinct", &column.distinct)?;
        of.put("entropy", &round(column.entropy(members().map(|message| message.bytes))))?;
        let values: Vec<String> = column.values.iter().map(|value| Hex(value).to_string()).collect();
        of.put("values", &values)?;
        of.put("why", &column.why)
    })
}
