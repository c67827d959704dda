//! Generates a Kaitai Struct file, and verifies it with the messages of the capture.

mod runs;
mod tables;
mod verify;

use super::columns::{Column, Label};
use super::inner::{Inner, Inside};
use super::json::Hex;
use super::messages::{Discriminator, Kind, Kinds};
use super::rule::{Endian, Number, Rule, Varint};
use super::{Explored, Side};
use crate::tree::{self, Transport};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of kinds with a separate type.
const KINDS: usize = 200;

/// Share of the bytes in messages below which the file states it.
const COVERED: f64 = 0.995;

/// Generates the file of a group.
///
/// # Errors
/// Why Kaitai Struct cannot express the framing, or where the file disagrees with it.
pub fn ksy(explored: &Explored<'_>) -> Result<String, String> {
    if let Some(inner) = explored.inside.as_ref().and_then(Inside::run) {
        let text = elements(explored, inner);
        verify::verify(explored, &text)?;
        return Ok(text);
    }
    let detailed = text(explored, Detail::Kinds)?;
    let Err(why) = verify::verify(explored, &detailed) else { return Ok(detailed) };
    // Without kinds and columns, the messages may still hold.
    let plain = text(explored, Detail::Plain)?;
    verify::verify(explored, &plain).map(|()| plain).map_err(|_| why)
}

/// Runs a file on the sides.
#[cfg(test)]
pub fn verified(explored: &Explored<'_>, text: &str) -> Result<(), String> {
    verify::verify(explored, text)
}

/// What a file describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Kinds of messages and their columns.
    Kinds,
    /// The messages alone.
    Plain,
}

/// A header field common to all messages.
enum HeaderField {
    Length(Number),
    Varint,
    Kind(Discriminator),
}

impl HeaderField {
    /// Offset and size; a varint counts as one byte.
    fn span(&self) -> (usize, usize) {
        match self {
            HeaderField::Length(at) => (at.offset, at.width),
            HeaderField::Varint => (0, 1),
            HeaderField::Kind(at) => (at.offset, at.width),
        }
    }
}

fn text(explored: &Explored<'_>, detail: Detail) -> Result<String, String> {
    let best = explored.framing.first().ok_or("nothing to describe")?;
    let rules: Vec<&Rule> = best.dirs.iter().flatten().map(|dir| &dir.rule).collect();
    let joined = joined(&rules);
    let Some(rule) = joined.as_ref().filter(|_| best.begins.iter().all(|begin| *begin == 0)) else {
        return runs::text(explored, best, joined.as_ref(), detail);
    };
    let parts = parts(explored, rule, (None, "msg"), detail)?;
    let mut out = String::new();
    head(explored, &mut out);
    let _ = write!(out, "seq:\n{}", parts.seq);
    let vlq = if parts.has_vlq { VLQ } else { "" };
    if !parts.types.is_empty() || parts.has_vlq {
        let _ = write!(out, "types:\n{}{vlq}", parts.types);
    }
    Ok(out)
}

/// The attributes of a message, and the types that they use.
#[derive(Default)]
struct Parts {
    seq: String,
    types: String,
    /// Whether the attributes use the type of numbers with seven bits per byte.
    has_vlq: bool,
}

/// Describes messages of one rule, of one direction or of both. The names of types begin with `prefix`.
fn parts(
    explored: &Explored<'_>,
    rule: &Rule,
    (dir, prefix): (Option<tree::Side>, &str),
    detail: Detail,
) -> Result<Parts, String> {
    let kind = match explored.kinds {
        Kinds::Column(at) if matches!(at.width, 1 | 2 | 4) && detail == Detail::Kinds => Some(at),
        _ => None,
    };
    let mut all = Parts::default();
    let Some(behind) = attributes(rule, kind, &mut all.seq)? else { return Ok(all) };
    let groups = || explored.groups.iter().enumerate().filter(|(_, kind)| dir.is_none_or(|dir| kind.dir == dir));
    match kind.filter(|_| all.seq.contains("id: kind\n")) {
        Some(at) => switched(explored, groups(), (at, behind), prefix, &mut all),
        None => {
            let _ = writeln!(all.seq, "    type: {prefix}");
            // Without the kind, the bytes behind a key have no common columns.
            let is_mixed = matches!(rule, Rule::Table(table) if !table.is_switch());
            let is_plain = is_mixed || detail == Detail::Plain;
            let places: Vec<usize> = groups().filter(|_| !is_plain).map(|(place, _)| place).collect();
            body(explored, prefix, &places, behind, &mut all.types);
        }
    }
    all.has_vlq = all.seq.contains("type: vlq");
    Ok(all)
}

/// Writes datagrams of elements, each of which carries a message.
fn elements(explored: &Explored<'_>, inner: &Inner) -> String {
    let mut out = String::new();
    head(explored, &mut out);
    let end = i64::try_from(inner.at.end()).unwrap_or_default();
    let least = (end - inner.bias).max(0);
    let deliver = format!("    deliver: {{of: elements, when: len_data > {least}, data: data, as: message}}\ndoc: |\n");
    out = out.replacen("doc: |\n", &deliver, 1);
    let _ = writeln!(out, "  Inside datagrams {inner}: {} elements in {} of {}.", inner.elements, inner.datagrams, inner.of);
    out.push_str("seq:\n");
    let others: Vec<String> = inner.others.iter().map(|size| format!("_io.size != {size}")).collect();
    let condition = others.join(" and ");
    let otherwise = condition.replace("!=", "==").replace(" and ", " or ");
    if inner.header > 0 {
        let _ = writeln!(out, "  - id: header\n    size: {}", inner.header);
        if !condition.is_empty() {
            let _ = writeln!(out, "    if: {condition}");
        }
    }
    out.push_str("  - id: elements\n    type: element\n    repeat: eos\n");
    if !condition.is_empty() {
        let _ = writeln!(out, "    if: {condition}\n  - id: other\n    size-eos: true\n    if: {otherwise}");
    }
    out.push_str("types:\n  element:\n    seq:\n");
    let at = inner.at;
    if at.offset > 0 {
        let _ = writeln!(out, "      - id: unk_00\n        size: {}", at.offset);
    }
    let _ = writeln!(out, "      - id: len_data\n        type: {}", number_type(at.width, at.endian));
    let size = match inner.bias - end {
        0 => String::from("len_data"),
        // The length counts bytes before its end.
        less @ ..0 => format!("len_data - {}", -less),
        more => {
            let _ = writeln!(out, "      - id: unk_{end:02x}\n        size: {more}");
            String::from("len_data")
        }
    };
    let _ = writeln!(out, "      - id: data\n        size: {size}");
    out.push_str("  message:\n    seq:\n      - id: data\n        size-eos: true\n");
    out
}

/// The common rule of all sides. Consistent tables of sizes are merged.
fn joined(rules: &[&Rule]) -> Option<Rule> {
    let (first, others) = rules.split_first()?;
    others.iter().try_fold((*first).clone(), |all, other| match (all, *other) {
        (all, other) if all == *other => Some(all),
        (Rule::Table(all), Rule::Table(other)) => tables::merged(all, other),
        _ => None,
    })
}

/// Writes the length, the kind unless it lies within the length, and the body. Returns the size of the header.
fn length(at: Number, bias: i64, scale: u64, kind: Option<Discriminator>, out: &mut String) -> usize {
    let mut parts = vec![HeaderField::Length(at)];
    parts.extend(kind.filter(|kind| kind.offset >= at.end() || kind.offset + kind.width <= at.offset).map(HeaderField::Kind));
    let end = header(parts, out);
    let scaled = if scale == 1 { String::new() } else { format!(" * {scale}") };
    let rest = bias - i64::try_from(end).unwrap_or(0);
    let rest = if rest == 0 { String::new() } else { format!(" {} {}", if rest < 0 { '-' } else { '+' }, rest.abs()) };
    if scaled.is_empty() && rest.is_empty() {
        *out = out.replace("- id: len\n", "- id: len_body\n");
        out.push_str("  - id: body\n    size: len_body\n");
    } else {
        let _ = writeln!(out, "  - id: body\n    size: len{scaled}{rest}");
    }
    end
}

/// Writes the attributes of a message by the rule. Returns the size of the header before the body, if there is a body.
fn attributes(rule: &Rule, kind: Option<Discriminator>, out: &mut String) -> Result<Option<usize>, String> {
    let behind = match rule {
        Rule::Length { at, bias, scale, padding: None } if at.width != 3 => length(*at, *bias, *scale, kind, out),
        Rule::Varint { offset: 0, format: Varint::Leb128 } => {
            let parts = [HeaderField::Varint].into_iter().chain(kind.filter(|kind| kind.offset > 0).map(HeaderField::Kind));
            let end = header(parts.collect(), out);
            let rest = end - 1;
            let rest = if rest == 0 { String::new() } else { format!(" - {rest}") };
            let _ = writeln!(out, "  - id: body\n    size: len.value{rest}");
            end
        }
        Rule::Varint { offset: 1, format: Varint::Leb128 } => {
            out.push_str("  - id: kind\n    type: u1\n  - id: len\n    type: vlq\n  - id: body\n    size: len.value\n");
            2
        }
        Rule::Table(table) => tables::attributes(table, kind, out)?,
        Rule::Fixed(size) => {
            let end = header(kind.map(HeaderField::Kind).into_iter().collect(), out);
            let rest = size.checked_sub(end).ok_or("messages are shorter than their header")?;
            let _ = writeln!(out, "  - id: body\n    size: {rest}");
            end
        }
        Rule::Datagram => {
            let end = header(kind.map(HeaderField::Kind).into_iter().collect(), out);
            out.push_str("  - id: body\n    size-eos: true\n");
            end
        }
        Rule::Terminator(end) if end.len() == 1 || end == b"\r\n" => {
            let last = end.last().copied().unwrap_or(0);
            let _ = writeln!(out, "  - id: line\n    terminator: 0x{last:02x}");
            return Ok(None);
        }
        Rule::Terminator(end) if let Some((last, word)) = delimited(end) => {
            let word: Vec<String> = word.iter().map(|byte| format!("0x{byte:02x}")).collect();
            let _ = writeln!(out, "  - id: parts\n    terminator: 0x{last:02x}\n    repeat: until");
            let _ = writeln!(out, "    repeat-until: _ == [{}]", word.join(", "));
            return Ok(None);
        }
        rule => return Err(format!("{rule} cannot be expressed in a .ksy")),
    };
    Ok(Some(behind))
}

/// The byte around a word, and the word without it.
fn delimited(end: &[u8]) -> Option<(u8, &[u8])> {
    let (last, rest) = end.split_last()?;
    let (first, word) = rest.split_first()?;
    (first == last && !word.is_empty() && !word.contains(last)).then_some((*last, word))
}

/// The type of a number with seven bits per byte.
const VLQ: &str = "  vlq:
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: (_ & 0x80) == 0
    instances:
      value:
        value: >-
          (groups[0] & 0x7f)
          + (groups.size > 1 ? (groups[1] & 0x7f) << 7 : 0)
          + (groups.size > 2 ? (groups[2] & 0x7f) << 14 : 0)
          + (groups.size > 3 ? (groups[3] & 0x7f) << 21 : 0)
";

fn head(explored: &Explored<'_>, out: &mut String) {
    let first = explored.sides.first();
    let stream = first.map_or_else(|| String::from("unknown"), |side| side.stream.to_string().replace('/', "_"));
    let transport = first.map_or(Transport::Tcp, |side| side.stream.transport);
    let _ = writeln!(out, "meta:\n  id: unknown_{stream}\n  title: Unknown protocol of {stream}\n  endian: be");
    let mut ports: Vec<u16> = explored.sides.iter().filter_map(server_port).collect();
    ports.sort_unstable();
    ports.dedup();
    ports.truncate(8);
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let ports = ports.join(", ");
    out.push_str("  -proto-dissect:\n");
    let _ = match transport {
        Transport::Usb => writeln!(out, "    transport: payload\n    over: usb"),
        Transport::Udp => writeln!(out, "    transport: udp\n    ports: [{ports}]\n    framing: datagram"),
        Transport::Tcp | Transport::Sctp => writeln!(out, "    transport: tcp\n    ports: [{ports}]\n    framing: stream"),
    };
    if let Some(best) = explored.framing.first() {
        let _ = writeln!(out, "doc: |\n  Framing {}, confidence {:.2}.", best.title(), best.confidence);
        if best.coverage() < COVERED {
            let _ = writeln!(out, "  Messages are {:.0} % of the bytes.", best.coverage() * 100.0);
        }
    }
}

fn server_port(side: &Side) -> Option<u16> {
    let [src, dst] = &side.ends;
    let server = if side.dir == tree::Side::Client { dst } else { src };
    server.rsplit_once(':')?.1.parse().ok()
}

/// Writes the header before the body; returns the offset of the body.
fn header(mut parts: Vec<HeaderField>, out: &mut String) -> usize {
    parts.sort_by_key(HeaderField::span);
    let mut at = 0;
    for part in parts {
        let (offset, width) = part.span();
        if offset > at {
            let _ = writeln!(out, "  - id: unk_{at:02x}\n    size: {}", offset - at);
        }
        match part {
            HeaderField::Length(number) => {
                let _ = writeln!(out, "  - id: len\n    type: {}", number_type(number.width, number.endian));
            }
            HeaderField::Varint => out.push_str("  - id: len\n    type: vlq\n"),
            HeaderField::Kind(kind) => {
                let _ = writeln!(out, "  - id: kind\n    type: {}", number_type(kind.width, kind.endian));
            }
        }
        at = offset + width;
    }
    at
}

fn number_type(width: usize, endian: Endian) -> String {
    if width == 1 { String::from("u1") } else { format!("u{width}{}", endian.name()) }
}

/// Writes a body for each kind.
fn switched<'a>(
    explored: &Explored<'_>,
    groups: impl Iterator<Item = (usize, &'a Kind)>,
    (at, behind): (Discriminator, usize),
    prefix: &str,
    out: &mut Parts,
) {
    let mut keys: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, kind) in groups.filter(|(_, kind)| kind.is_whole && kind.key.len() == at.width) {
        keys.entry(at.endian.read(&kind.key)).or_default().push(place);
    }
    out.seq.push_str("    type:\n      switch-on: kind\n      cases:\n");
    for key in keys.keys().take(KINDS) {
        let _ = writeln!(out.seq, "        0x{key:02x}: {prefix}_0x{key:02x}");
    }
    let _ = writeln!(out.seq, "        _: {prefix}_other");
    for (key, places) in keys.iter().take(KINDS) {
        body(explored, &format!("{prefix}_0x{key:02x}"), places, behind, &mut out.types);
    }
    body(explored, &format!("{prefix}_other"), &[], behind, &mut out.types);
}

/// Writes the type of a body: the columns within the size of all these kinds.
fn body(explored: &Explored<'_>, name: &str, places: &[usize], behind: usize, out: &mut String) {
    let _ = writeln!(out, "  {name}:\n    seq:");
    let kinds: Vec<(&Kind, &[Column])> = places
        .iter()
        .filter_map(|place| Some((explored.groups.get(*place)?, explored.columns.get(*place)?.as_slice())))
        .collect();
    let size =
        |number: &usize| explored.messages.get(*number).map(|message| message.bytes.len() - message.header.saturating_sub(1));
    let least = kinds.iter().flat_map(|(kind, _)| kind.members.iter()).filter_map(size).min().unwrap_or(0);
    let most = kinds.iter().max_by_key(|(kind, _)| kind.members.len());
    let mut at = behind + kinds.first().map_or(0, |(kind, _)| counted(explored, kind));
    if let Some((kind, columns)) = most {
        let shift = kind.header.saturating_sub(1);
        for column in columns.iter().filter(|column| column.width > 0) {
            let Some(offset) = usize::try_from(column.offset).ok().and_then(|offset| offset.checked_sub(shift)) else { continue };
            if offset == at && offset + column.width <= least {
                field(column, offset, out);
                at += column.width;
            }
        }
    }
    out.push_str("      - id: rest\n        size-eos: true\n");
}

/// Size of the length field of a kind in a table of sizes, if it has one.
fn counted(explored: &Explored<'_>, kind: &Kind) -> usize {
    let framed = explored.framing.first().and_then(|best| best.dirs.get(kind.dir.index())).and_then(Option::as_ref);
    match framed.map(|framed| &framed.rule) {
        Some(Rule::Table(table)) if !table.is_switch() => {
            let at = table.number_of(kind.header, &kind.key);
            at.map_or(0, |at| at.end().saturating_sub(table.key.at.end()))
        }
        _ => 0,
    }
}

fn field(column: &Column, offset: usize, out: &mut String) {
    let name = match column.label {
        Label::Value | Label::Bytes | Label::Const | Label::Enum | Label::Random => "unk",
        label => label.name(),
    };
    let _ = writeln!(out, "      - id: {}_{offset:02x}", name.replace(' ', "_"));
    match (column.kind, column.width) {
        ("u1", _) => out.push_str("        type: u1\n"),
        ("u2" | "u4" | "u8" | "f4" | "f8", _) => {
            let endian = column.endian.unwrap_or(Endian::Big).name();
            let _ = writeln!(out, "        type: {}{endian}", column.kind);
        }
        (_, width) => {
            let _ = writeln!(out, "        size: {width}");
        }
    }
    let samples: Vec<String> = column.values.iter().take(3).map(|value| Hex(value).to_string()).collect();
    let _ = writeln!(
        out,
        "        doc: \"{}, confidence {:.2}: {}; {}\"",
        column.label.name(),
        column.confidence,
        column.why,
        samples.join(" ")
    );
}
