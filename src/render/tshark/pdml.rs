//! PDML: packet details as XML, as written by `tshark -T pdml` and read by pyshark.

use super::escape::{hex, spelled, xml};
use super::part::{Part, Place, Proto, numbers, protos};
use super::{Page, Shape, demand, flush_text};
use crate::record::pseudo::{self, PseudoValue};
use crate::record::{Record, View};
use crate::sink::{Begin, Printed, Sink};
use crate::tree::{Demand, NodeRef, Span};
use std::io;

/// First lines of a document.
pub(super) const XML: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

/// Prints packets as PDML.
pub struct Pdml<W> {
    to: W,
    shape: Shape,
    text: String,
    begun: bool,
}

impl<W: io::Write> Pdml<W> {
    /// Prints to `to`.
    pub fn new(to: W, shape: Shape) -> Pdml<W> {
        Pdml { to, shape, text: String::new(), begun: false }
    }

    fn packet(&mut self, record: &Record<'_>) -> io::Result<()> {
        let Pdml { to, shape, text, .. } = self;
        let protos = protos(record, shape);
        let mut page = Page { text, to };
        page.raw("<packet>\n");
        geninfo(record, &mut page);
        for proto in &protos {
            let size = proto.node.map_or(numbers(record).2, |node| node.span().len().into());
            proto_of(proto, size, shape, &mut page)?;
        }
        page.raw("</packet>\n\n\n");
        flush_text(text, to)
    }
}

/// Number, lengths and time of the frame.
fn geninfo(record: &Record<'_>, page: &mut Page<'_>) {
    let (number, length, captured) = numbers(record);
    spelled(
        page.text,
        format_args!("  <proto name=\"geninfo\" pos=\"0\" showname=\"General information\" size=\"{captured}\">\n"),
    );
    for (name, label, value) in
        [("num", "Number", number), ("len", "Frame Length", length), ("caplen", "Captured Length", captured)]
    {
        let shown = format_args!(
            "    <field name=\"{name}\" pos=\"0\" show=\"{value}\" showname=\"{label}\" value=\"{value:x}\" size=\"{captured}\"/>\n"
        );
        spelled(page.text, shown);
    }
    let time = |name: &str| pseudo::named(name).and_then(|pseudo| (pseudo.of)(record));
    if let (Some(PseudoValue::Date(date)), Some(epoch)) = (time("frame.time"), time("frame.time_epoch")) {
        let shown = format_args!(
            "    <field name=\"timestamp\" pos=\"0\" show=\"{}\" showname=\"Captured Time\" value=\"{epoch}\" size=\"{captured}\"/>\n",
            PseudoValue::Date(date)
        );
        spelled(page.text, shown);
    }
    page.raw("  </proto>\n");
}

/// Writes a protocol with its fields.
fn proto_of(proto: &Proto<'_>, size: u64, shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    let pos = proto.node.map_or(0, |node| position(node));
    spelled(page.text, format_args!("  <proto name=\"{}\" showname=\"", proto.name));
    xml(&proto.title, page.text);
    spelled(page.text, format_args!("\" size=\"{size}\" pos=\"{pos}\">\n"));
    if shape.kept.has_proto(proto.name) {
        proto.parts.iter().try_for_each(|part| field(part, 2, shape, page))?
    } else {
        filtered(proto.name, 2, page)
    }
    page.raw("  </proto>\n");
    page.let_go()
}

/// Placeholder of omitted parts.
fn filtered(name: &str, depth: usize, page: &mut Page<'_>) {
    spelled(page.text, format_args!("{:width$}<field name=\"filtered\" value=\"{name}\" />\n", "", width = 2 * depth));
}

/// Writes a field with its children.
fn field(part: &Part<'_>, depth: usize, shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    let width = 2 * depth;
    spelled(page.text, format_args!("{:width$}<field name=\"{}\" showname=\"", "", part.name()));
    xml(&part.title(), page.text);
    page.raw("\"");
    if part.is_hidden() {
        page.raw(" hide=\"yes\"");
    }
    let place = part.place();
    let (size, pos) = place.map_or((0, 0), |place| (place.size(), place.position()));
    spelled(page.text, format_args!(" size=\"{size}\" pos=\"{pos}\" show=\""));
    xml(part.shown().text(), page.text);
    page.raw("\"");
    page.let_go()?;
    if let Some(place) = place.filter(Place::is_somewhere) {
        value(place, page);
    }
    let parts = part.parts(shape);
    if parts.is_empty() {
        page.raw("/>\n");
        return page.let_go();
    }
    page.raw(">\n");
    if shape.kept.has_field(part.name()) {
        parts.iter().try_for_each(|part| field(part, depth + 1, shape, page))?
    } else {
        filtered(part.name(), depth + 1, page)
    }
    spelled(page.text, format_args!("{:width$}</field>\n", ""));
    page.let_go()
}

/// Writes the bytes of a field; for bit fields, the masked value and the bytes that contain it.
fn value(place: Place<'_>, page: &mut Page<'_>) {
    page.raw(" value=\"");
    let of_bits = place.node.filter(|node| node.bits().is_some() && !node.is_secret());
    if let Some(bits) = of_bits.and_then(NodeRef::number) {
        spelled(page.text, format_args!("{bits:x}\" unmaskedvalue=\""));
    }
    hex(&place.masked_bytes(), "", page.text);
    page.raw("\"");
}

/// Bytes of a span; empty if it has no location.
pub(super) fn size(span: Span) -> u64 {
    if span.is_somewhere() { span.len().into() } else { 0 }
}

/// Start of a node: in the frame if its bytes are there, else in its source.
pub(super) fn position(node: NodeRef<'_>) -> u64 {
    let span = node.span();
    if span.is_somewhere() { node.dissection().tree.offset_in_frame(span).unwrap_or_else(|| span.start.into()) } else { 0 }
}

impl<W: io::Write> Sink for Pdml<W> {
    fn demand(&self, _: View) -> Demand {
        demand()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.text.push_str(XML);
        let program = concat!("proto-dissect/", env!("CARGO_PKG_VERSION"));
        spelled(&mut self.text, format_args!("<pdml version=\"0\" creator=\"{program}\" capture_file=\""));
        xml(begin.file, &mut self.text);
        self.text.push_str("\">\n");
        flush_text(&mut self.text, &mut self.to)
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) { Ok(()) } else { self.packet(record) }
    }

    fn resume_at(&mut self, _: &str) {
        self.begun = true;
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.begun {
            self.to.write_all(b"</pdml>\n")?;
        }
        self.to.flush()
    }
}
