//! JSON with the bytes, offset and bit mask of each field, as `tshark -T jsonraw`.
//!
//! Duplicate keys become arrays, as with `--no-duplicate-keys`.

use super::ek::{by_name, filtered, index, list, time_of};
use super::escape::{hex, spelled};
use super::part::{Part, Proto, protos};
use super::pdml::{position, size};
use super::{Page, Shape, demand, flush_text};
use crate::record::{Record, View};
use crate::sink::{Begin, Printed, Sink};
use crate::tree::{Demand, Kind, NodeRef, Value};
use std::io;

/// Wireshark's numbers of field types.
mod types {
    pub(super) const NONE: u8 = 0;
    pub(super) const PROTOCOL: u8 = 1;
    pub(super) const BOOLEAN: u8 = 2;
    pub(super) const UINT8: u8 = 4;
    pub(super) const UINT32: u8 = 7;
    pub(super) const UINT64: u8 = 11;
    pub(super) const INT8: u8 = 12;
    pub(super) const FLOAT: u8 = 22;
    pub(super) const DOUBLE: u8 = 23;
    pub(super) const ABSOLUTE_TIME: u8 = 24;
    pub(super) const RELATIVE_TIME: u8 = 25;
    pub(super) const STRING: u8 = 26;
    pub(super) const ETHER: u8 = 29;
    pub(super) const BYTES: u8 = 30;
    pub(super) const IPV4: u8 = 32;
    pub(super) const IPV6: u8 = 33;
}

/// Prints packets as JSON with raw bytes.
pub struct Raw<W> {
    to: W,
    shape: Shape,
    text: String,
    begun: bool,
    /// Whether a packet was printed, so that a comma precedes the next.
    any: bool,
}

impl<W: io::Write> Raw<W> {
    /// Prints to `to`.
    pub fn new(to: W, shape: Shape) -> Raw<W> {
        Raw { to, shape, text: String::new(), begun: false, any: false }
    }

    fn packet(&mut self, record: &Record<'_>) -> io::Result<()> {
        let Raw { to, shape, text, any, .. } = self;
        text.push_str(if std::mem::replace(any, true) { ",\n" } else { "" });
        text.push_str("{\"_index\":\"");
        index(time_of(record), text);
        text.push_str("\",\"_score\":null,\"_source\":{\"layers\":{");
        let protos = protos(record, shape);
        let mut page = Page { text, to };
        for (at, (name, occurrences)) in by_name(&protos, |proto| proto.name).into_iter().enumerate() {
            spelled(page.text, format_args!("{}\"{name}_raw\":", if at > 0 { "," } else { "" }));
            list(&occurrences, &mut page, |proto, page| {
                of_proto(record, proto, page);
                page.let_go()
            })?;
            spelled(page.text, format_args!(",\"{name}\":"));
            list(&occurrences, &mut page, |proto, page| {
                if shape.kept.has_proto(proto.name) { object(&proto.parts, shape, page) } else { filtered(proto.name, page) }
            })?;
        }
        page.raw("}}}");
        flush_text(text, to)
    }
}

/// Bytes of a layer; for `frame`, of the whole frame.
fn of_proto(record: &Record<'_>, proto: &Proto<'_>, page: &mut Page<'_>) {
    let frame = match record {
        Record::Packet(packet) => packet.of.masked_frame(),
        Record::Message(message) => message.of.masked_frame(),
        Record::Late(_) | Record::Gap(_) => Default::default(),
    };
    page.raw("[\"");
    match proto.node {
        Some(node) => hex(&node.masked_bytes(), "", page.text),
        None => hex(&frame, "", page.text),
    }
    let (at, len) = proto.node.map_or((0, frame.len() as u64), |node| (position(node), size(node.span())));
    spelled(page.text, format_args!("\",{at},{len},0,{}]", types::PROTOCOL));
}

/// Writes parts as an object, with the bytes and children of each.
fn object(parts: &[Part<'_>], shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    page.raw("{");
    for (at, (name, occurrences)) in by_name(parts, Part::name).into_iter().enumerate() {
        spelled(page.text, format_args!("{}\"{name}_raw\":", if at > 0 { "," } else { "" }));
        list(&occurrences, page, |part, page| {
            bytes(part, page);
            page.let_go()
        })?;
        let with_parts: Vec<&Part<'_>> = occurrences.into_iter().filter(|part| !part.parts(shape).is_empty()).collect();
        if !with_parts.is_empty() {
            spelled(page.text, format_args!(",\"{name}_tree\":"));
            list(&with_parts, page, |part, page| {
                if shape.kept.has_field(part.name()) {
                    object(&part.parts(shape), shape, page)
                } else {
                    filtered(part.name(), page)
                }
            })?;
        }
    }
    page.raw("}");
    page.let_go()
}

/// Writes `["hex",offset,length,mask,type]`.
fn bytes(part: &Part<'_>, page: &mut Page<'_>) {
    page.raw("[\"");
    let Some(place) = part.place() else {
        return spelled(page.text, format_args!("\",0,0,0,{}]", kind(part)));
    };
    let (at, len, mask) = (place.position(), place.size(), place.node.map_or(0, mask));
    match place.node.filter(|node| mask != 0 && !node.is_secret()).and_then(NodeRef::number) {
        Some(bits) => spelled(page.text, format_args!("{bits:x}")),
        None => hex(&place.masked_bytes(), "", page.text),
    }
    spelled(page.text, format_args!("\",{at},{len},{mask},{}]", kind(part)));
}

/// Bit mask of a field; 0 for all bits.
fn mask(node: NodeRef<'_>) -> u64 {
    let Some(bits) = node.bits() else { return 0 };
    let behind = node.span().len().saturating_mul(8).checked_sub(u32::from(bits.first) + u32::from(bits.count));
    let ones = u64::MAX.checked_shr(64_u32.saturating_sub(bits.count.into())).unwrap_or_default();
    behind.and_then(|behind| ones.checked_shl(behind)).unwrap_or_default()
}

/// Wireshark's number of a field type.
fn kind(part: &Part<'_>) -> u8 {
    let width = |first: u8, len: u64| first + u8::try_from(len.clamp(1, 8) - 1).unwrap_or_default();
    let len = part.place().map_or(0, |place| place.size());
    match part.kind() {
        Kind::Group | Kind::Note(_) => types::NONE,
        Kind::Protocol => types::PROTOCOL,
        Kind::Bool => types::BOOLEAN,
        Kind::Number => match part.place().and_then(|place| place.node).map(NodeRef::value) {
            Some(Value::Signed(_)) => width(types::INT8, len),
            _ if len == 0 => types::UINT32,
            _ => width(types::UINT8, len).min(types::UINT64),
        },
        Kind::Float if part.name().starts_with("frame.time") && part.name().ends_with("time") => types::ABSOLUTE_TIME,
        Kind::Float if part.name() == "frame.time_epoch" => types::ABSOLUTE_TIME,
        Kind::Float if part.name().starts_with("frame.") => types::RELATIVE_TIME,
        Kind::Float if len == 4 => types::FLOAT,
        Kind::Float => types::DOUBLE,
        Kind::Bytes => types::BYTES,
        Kind::Text => types::STRING,
        Kind::Mac => types::ETHER,
        Kind::Ipv4 => types::IPV4,
        Kind::Ipv6 => types::IPV6,
    }
}

impl<W: io::Write> Sink for Raw<W> {
    fn demand(&self, _: View) -> Demand {
        demand()
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) { Ok(()) } else { self.to.write_all(b"[\n") }
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) { Ok(()) } else { self.packet(record) }
    }

    fn resume_at(&mut self, _: &str) {
        (self.begun, self.any) = (true, true);
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        let text = printed.text.as_slice();
        // A chunk starts as if packets were printed before it.
        let text = if self.any { text } else { text.strip_prefix(b",\n").unwrap_or(text) };
        self.any |= !text.is_empty();
        self.to.write_all(text)
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.begun {
            self.to.write_all(b"\n]\n")?;
        }
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Dissection, Field, FrameInfo, Span, Tree, Value};

    /// The numbers are those of `ftenum` in Wireshark 4.0.
    #[test]
    fn numbers_of_field_types_depend_on_sizes() {
        static RATIO: Field = Field::float("t.ratio", "ratio", "");
        static COUNT: Field = Field::number("t.count", "count", "");
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        for (field, value, len) in [
            (&RATIO, Value::Single(0.5), 4),
            (&RATIO, Value::Double(0.5), 8),
            (&COUNT, Value::Unsigned(1), 1),
            (&COUNT, Value::Unsigned(1), 3),
            (&COUNT, Value::Unsigned(1), 8),
            (&COUNT, Value::Unsigned(1), 0),
            (&COUNT, Value::Signed(1), 1),
            (&COUNT, Value::Signed(1), 4),
        ] {
            tree.push(field, value, Span::new(0, 0..len));
        }
        let of = Dissection { tree: &tree, bytes: &[0; 8] };
        let kinds: Vec<u8> = (0..tree.here()).filter_map(|place| of.node(place)).map(|node| kind(&Part::Node(node))).collect();
        assert_eq!(kinds, [22, 23, 4, 6, 11, 7, 12, 15]);
    }
}
