//! Generates a Kaitai Struct file, and verifies it with the messages of the capture.

use super::columns::{Column, Label};
use super::inner::{Inner, Inside};
use super::json::Hex;
use super::messages::{Discriminator, Kind, Kinds};
use super::rule::{Endian, Number, Rule, Size, Varint};
use super::{Explored, Side};
use crate::ksy;
use crate::tree::{self, FrameInfo, Span, Transport, Tree};
use crate::wire::{Cut, Dissector, Wire};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of verified messages per side.
const VERIFIED: usize = 20_000;

/// Maximum number of kinds with a separate type.
const KINDS: usize = 200;

/// Generates the file of a group.
///
/// # Errors
/// Why Kaitai Struct cannot express the framing, or where the file disagrees with it.
pub fn ksy(explored: &Explored<'_>) -> Result<String, String> {
    if let Some(inner) = explored.inside.as_ref().and_then(Inside::run) {
        let text = elements(explored, inner);
        verify(explored, &text)?;
        return Ok(text);
    }
    let text = text(explored)?;
    verify(explored, &text)?;
    Ok(text)
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

fn text(explored: &Explored<'_>) -> Result<String, String> {
    let best = explored.framing.first().ok_or("nothing to describe")?;
    let rules: Vec<&Rule> = best.dirs.iter().flatten().map(|dir| &dir.rule).collect();
    let joined = joined(&rules).ok_or("the directions have different framing, which a single .ksy cannot describe")?;
    let rule = &joined;
    let kind = match explored.kinds {
        Kinds::Column(at) if matches!(at.width, 1 | 2 | 4) => Some(at),
        _ => None,
    };
    let mut out = String::new();
    head(explored, &mut out);
    out.push_str("seq:\n");
    let Some(behind) = attributes(rule, kind, &mut out)? else { return Ok(out) };
    match kind.filter(|_| out.contains("id: kind\n")) {
        Some(at) => switched(explored, at, behind, &mut out),
        None => single(explored, behind, &mut out),
    }
    if out.contains("type: vlq") {
        out.push_str(VLQ);
    }
    Ok(out)
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
        (Rule::Table { offset, mut sizes }, Rule::Table { offset: same, sizes: more }) if offset == *same => {
            sizes.extend(more);
            sizes.sort_unstable();
            sizes.dedup();
            let is_one = sizes.windows(2).all(|pair| pair.first().map(|one| one.0) != pair.last().map(|one| one.0));
            is_one.then_some(Rule::Table { offset, sizes })
        }
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
        Rule::Table { offset, sizes } => {
            let at = Discriminator { offset: *offset, width: 1, endian: Endian::Big, confidence: 1.0 };
            header(vec![HeaderField::Kind(at)], out);
            table(*offset, sizes, out);
            offset + 1
        }
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
        rule => return Err(format!("{rule} cannot be expressed in a .ksy")),
    };
    Ok(Some(behind))
}

/// Writes the counts of messages of some kinds, and a body with the size of the kind.
fn table(offset: usize, sizes: &[(u8, Size)], out: &mut String) {
    let counted: [(&str, usize, Endian); 3] =
        [("len_1", 1, Endian::Big), ("len_2be", 2, Endian::Big), ("len_2le", 2, Endian::Little)];
    for (name, width, endian) in counted {
        let own = sizes.iter().filter(|(_, size)| *size == Size::Counted { width, endian });
        let kinds: Vec<String> = own.map(|(kind, _)| format!("kind == 0x{kind:02x}")).collect();
        if !kinds.is_empty() {
            let number = number_type(width, endian);
            let _ = writeln!(out, "  - id: {name}\n    type: {number}\n    if: {}", kinds.join(" or "));
        }
    }
    out.push_str("  - id: body\n    size: >-\n");
    for (kind, size) in sizes {
        let of = match size {
            Size::Fixed(size) => size.saturating_sub(offset + 1).to_string(),
            Size::Counted { width: 1, .. } => String::from("len_1"),
            Size::Counted { width, endian } => format!("len_{width}{}", endian.name()),
        };
        let _ = writeln!(out, "      kind == 0x{kind:02x} ? {of} :");
    }
    out.push_str("      0\n");
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

/// Writes a body without kinds.
fn single(explored: &Explored<'_>, behind: usize, out: &mut String) {
    let all: Vec<usize> = (0..explored.groups.len()).collect();
    out.push_str("    type: msg\ntypes:\n");
    body(explored, "msg", &all, behind, out);
}

/// Writes a body for each kind.
fn switched(explored: &Explored<'_>, at: Discriminator, behind: usize, out: &mut String) {
    let mut keys: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, kind) in explored.groups.iter().enumerate().filter(|(_, kind)| kind.is_whole && kind.key.len() == at.width) {
        keys.entry(at.endian.read(&kind.key)).or_default().push(place);
    }
    out.push_str("    type:\n      switch-on: kind\n      cases:\n");
    for key in keys.keys().take(KINDS) {
        let _ = writeln!(out, "        0x{key:02x}: msg_0x{key:02x}");
    }
    out.push_str("        _: msg_other\ntypes:\n");
    for (key, places) in keys.iter().take(KINDS) {
        body(explored, &format!("msg_0x{key:02x}"), places, behind, out);
    }
    body(explored, "msg_other", &[], behind, out);
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
    let rules = explored.framing.first().into_iter().flat_map(|best| best.dirs.iter().flatten()).map(|dir| &dir.rule);
    let sizes = rules.filter_map(|rule| if let Rule::Table { sizes, .. } = rule { Some(sizes) } else { None }).flatten();
    let own = sizes.into_iter().find(|(known, _)| Some(known) == kind.key.first());
    own.map_or(0, |(_, size)| if let Size::Counted { width, .. } = size { *width } else { 0 })
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

/// Runs the file on each message: both must have the same end.
fn verify(explored: &Explored<'_>, text: &str) -> Result<(), String> {
    let loaded = ksy::load_text(Path::new("generated.ksy"), text);
    let Some(spec) = loaded.spec else {
        let why: Vec<String> = loaded.diagnostics.iter().take(2).map(ToString::to_string).collect();
        return Err(format!("the generated .ksy cannot be loaded: {}", why.join("; ")));
    };
    let Some(top) = spec.roots.first().copied() else { return Err("the generated .ksy has no type".into()) };
    let protocol = ksy::protocol(&spec, top, Some(top), false);
    let described = protocol
        .found
        .iter()
        .find_map(|found| if let Dissector::Described(described) = found.dissector { Some(described) } else { None });
    let Some(described) = described else {
        return Err("the generated .ksy describes no protocol".into());
    };
    let mut tree = Tree::discarded();
    // Messages are contiguous.
    for own in explored.messages.chunk_by(|one, next| one.side == next.side) {
        let Some(side) = own.first().and_then(|first| explored.sides.get(first.side)) else { continue };
        for message in own.iter().filter(|message| message.is_whole).take(VERIFIED) {
            // More bytes follow on a stream; a datagram ends.
            let length = message.bytes.len();
            let end = if side.is_datagrams { message.start + length } else { side.bytes.len().min(message.start + length + 64) };
            let bytes = side.bytes.get(message.start..end).unwrap_or_default();
            tree.begin(FrameInfo::default());
            let layer = tree.push_layer(protocol.this, Span::new(0, 0..bytes.len()), None, 0, true);
            let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), Cut::No);
            let is_fine = described.message(&mut wire).is_ok();
            let used = bytes.len() - wire.remaining();
            if !is_fine || used != length {
                let at = side.offset(message.start);
                return Err(format!(
                    "the generated .ksy ends the message at {} {at} after {used} of {length} bytes",
                    side.buffer()
                ));
            }
        }
    }
    Ok(())
}
