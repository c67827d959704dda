//! Fills the columns of each table from records.

use super::batch::{Row, Rows};
use super::output::Output;
use super::schema::Table;
use crate::input::link_name;
use crate::record::{Buffer, Late, Message, Packet, level_of, location_of, words_of};
use crate::sink::Problem;
use crate::tree::{Address, Dissection, Ends, Gap, Kind, Layer, MASKED_TEXT, NodeRef, Note, Side, Span, Time, Value};
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io;
use std::net::IpAddr;

/// Columns that all rows of a record share.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    /// Input file.
    pub file: &'a str,
    /// `message`, `packet` or `late`.
    pub record: &'static str,
    /// Record number.
    pub n: u64,
    /// Innermost protocol.
    pub protocol: &'static str,
    /// Whether the table has a column for the protocol.
    pub has_protocol: bool,
}

impl Head<'_> {
    fn protocol(&self, row: &mut Row<'_>) {
        if self.has_protocol {
            row.words(self.protocol);
        }
    }
}

/// Nanoseconds since 1970, if they fit into 64 bits.
pub(super) fn nanos(time: Time) -> Option<i64> {
    let time = time?;
    // The fraction may exceed a second.
    time.seconds.checked_mul(1_000_000_000)?.checked_add(time.nanos.into())
}

/// Seconds, as in JSON.
fn seconds(nanos: Option<i128>) -> Option<f64> {
    nanos.map(|nanos| nanos as f64 / 1e9)
}

/// Stream, direction, addresses and ports.
fn speakers(ends: Option<&Ends>, row: &mut Row<'_>) {
    let stream = ends.and_then(|ends| ends.stream);
    row.shown(stream.map(|(stream, _)| stream)).text(ends.and_then(Ends::direction).map(Side::direction));
    for end in [ends.and_then(|ends| ends.src), ends.and_then(|ends| ends.dst)] {
        match end {
            Some(Address::Socket(socket)) => ip(socket.ip(), row).short(Some(socket.port().into())),
            Some(Address::Ip(address)) => ip(address, row).short(None),
            other => row.shown(other).short(None),
        };
    }
}

fn ip<'r, 'a>(address: IpAddr, row: &'r mut Row<'a>) -> &'r mut Row<'a> {
    row.shown(Some(Address::Ip(address)))
}

/// A row of `messages`.
pub(super) fn message(head: Head<'_>, message: &Message<'_>, rows: &mut Rows) {
    let of = message.of;
    let row = &mut rows.row();
    row.words(head.file).count(head.n).time(nanos(message.time())).float(seconds(message.times.since_start()));
    head.protocol(row);
    row.words(message.name()).words(&message.info()).shown(Some(message.path()));
    speakers(message.ends(), row);
    row.ints(message.frames()).words(of.tree.generated_text(of.tree.frame.comment));
    match message.node() {
        Some(node) => {
            let place = location_of(of, node.span());
            row.shown(Some(place.buffer)).count(place.base + u64::from(node.span().start)).count(node.span().len());
        }
        None => {
            row.text(None).int(None).int(None);
        }
    }
}

/// Names and summaries of layers, in one line.
fn line_of(of: Dissection<'_>, layers: &[&Layer]) -> String {
    let (name, info) = words_of(of, layers.iter().copied());
    match (&*name, &*info) {
        (only, "") | ("", only) => only.to_owned(),
        (name, info) => format!("{name}, {info}"),
    }
}

/// A row of `packets`.
pub(super) fn packet(head: Head<'_>, packet: &Packet<'_>, rows: &mut Rows) {
    let (of, frame) = (packet.of, &packet.of.tree.frame);
    let row = &mut rows.row();
    row.words(head.file).count(head.n).truth(Some(false)).time(nanos(frame.time));
    row.float(seconds(packet.times.since_start()));
    head.protocol(row);
    row.count(frame.original).count(frame.captured);
    match frame.link {
        Some(link) => match link_name(link) {
            Some(name) => row.words(name),
            None => row.shown(Some(link)),
        },
        None => row.text(None),
    };
    match (of.tree.generated_text(frame.interface_name), frame.interface) {
        ("", Some(number)) => row.shown(Some(number)),
        (name, _) => row.words(name),
    };
    let layers: Vec<&Layer> = packet.layers().collect();
    row.words(of.tree.generated_text(frame.comment)).words(&line_of(of, &layers)).shown(packet.path());
    speakers(packet.ends(), row);
    row.ints([frame.number]);
}

/// A row of `packets` for late messages.
pub(super) fn late(head: Head<'_>, late: &Late<'_>, rows: &mut Rows) {
    let of = late.of;
    let row = &mut rows.row();
    row.words(head.file).count(head.n).truth(Some(true)).time(nanos(late.times.time));
    row.float(seconds(late.times.since_start()));
    head.protocol(row);
    row.int(None).int(None).text(None).text(None).text(None);
    let layers: Vec<&Layer> = late.layers.iter().collect();
    row.words(&line_of(of, &layers)).shown(late.path());
    speakers(late.ends(), row);
    row.ints(late.frames());
}

/// A row of `gaps`.
pub(super) fn gap(file: &str, gap: &Gap, rows: &mut Rows) {
    let row = &mut rows.row();
    row.words(file).shown(Some(gap.stream)).text(Some(gap.side.direction())).count(gap.off).count(gap.len).count(gap.frame);
}

/// A row of `notes` for a failed input.
pub(super) fn problem(problem: &Problem<'_>, rows: &mut Rows) {
    let row = &mut rows.row();
    row.words(problem.file).text(Some("file")).count(problem.frame).text(None).text(Some("error")).text(Some(problem.code));
    row.text(None).words(problem.text).text(None).int(problem.at.and_then(|at| i64::try_from(at).ok())).int(None);
}

/// Rows of `notes`.
pub(super) fn notes<'t>(head: Head<'_>, of: Dissection<'t>, notes: impl Iterator<Item = &'t Note>, rows: &mut Rows) {
    for note in notes {
        let row = &mut rows.row();
        row.words(head.file).text(Some(head.record)).count(head.n).words(head.protocol).text(Some(level_of(note).word()));
        row.words(note.code.abbrev)
            .text(of.node(note.node).map(|node| node.field().abbrev))
            .words(of.tree.generated_text(note.text));
        if note.span.is_somewhere() {
            let place = location_of(of, note.span);
            row.shown(Some(place.buffer)).count(place.base + u64::from(note.span.start)).count(note.span.len())
        } else {
            row.text(None).int(None).int(None)
        };
    }
}

/// The buffer to which the offsets of a field refer.
#[derive(Clone, Copy)]
struct Around {
    source: u32,
    buffer: Buffer,
    base: u64,
}

impl Around {
    fn of(of: Dissection<'_>, span: Span) -> Around {
        let place = location_of(of, span);
        Around { source: span.source, buffer: place.buffer, base: place.base }
    }
}

/// Numbers the fields of a record, which may not fit into one batch.
pub(super) struct Fields<'a, 'w> {
    head: Head<'a>,
    ordinal: i64,
    output: &'a mut Output<'w>,
    lane: usize,
}

impl<'a, 'w> Fields<'a, 'w> {
    pub(super) fn new(head: Head<'a>, output: &'a mut Output<'w>) -> Fields<'a, 'w> {
        let lane = output.lane(Table::Fields, head.protocol);
        Fields { head, ordinal: 0, output, lane }
    }

    /// The fields of a layer; `root` if the layer is a row as well.
    pub(super) fn layer(&mut self, of: Dissection<'_>, layer: &Layer, root: bool) -> io::Result<()> {
        let Some(node) = of.layer_node(layer) else { return Ok(()) };
        let span = node.span();
        let frame = Around { source: span.source, buffer: Buffer::Frame(of.tree.frame.number), base: 0 };
        let around = if span.is_somewhere() { Around::of(of, span) } else { frame };
        if root {
            self.row(node, None, around, Some(around.buffer));
        }
        let parent = root.then_some(self.ordinal);
        self.below(node, parent, around)?;
        self.output.settle(self.lane)
    }

    /// Writes all descendants of a node, with their parents.
    fn below(&mut self, node: NodeRef<'_>, parent: Option<i64>, around: Around) -> io::Result<()> {
        for node in node.children() {
            let span = node.span();
            let is_elsewhere = span.is_somewhere() && span.source != around.source;
            let here = if is_elsewhere { Around::of(node.dissection(), span) } else { around };
            let buffer = Some(here.buffer).filter(|buffer| is_elsewhere && *buffer != around.buffer);
            self.row(node, parent, here, buffer);
            if node.has_children() {
                self.below(node, Some(self.ordinal), here)?;
                self.output.settle(self.lane)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, node: NodeRef<'_>, parent: Option<i64>, around: Around, buffer: Option<Buffer>) {
        self.ordinal += 1;
        let (head, field, span) = (self.head, node.field(), node.span());
        let Some(rows) = self.output.place(self.lane) else { return };
        let row = &mut rows.row();
        row.words(head.file).text(Some(head.record)).count(head.n);
        head.protocol(row);
        row.int(Some(self.ordinal)).int(parent).text(Some(field.abbrev));
        value(node, row);
        let bits = node.bits();
        row.short(bits.map(|bits| i32::from(bits.first))).short(bits.map(|bits| i32::from(bits.count)));
        row.shown(buffer);
        if span.is_somewhere() {
            row.count(around.base + u64::from(span.start)).count(span.len())
        } else {
            row.int(None).int(None)
        };
    }
}

/// A value by its type, as in JSON.
pub(super) enum Of<'t> {
    None,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(Cow<'t, str>),
    Plain(NodeRef<'t>),
    Large(u64),
    Bytes(&'t [u8]),
}

/// The value of a node, and whether it is masked.
pub(super) fn value_of(node: NodeRef<'_>) -> (Of<'_>, bool) {
    if node.is_secret() {
        return (Of::Text(Cow::Borrowed(MASKED_TEXT)), true);
    }
    let of = match node.value() {
        Value::None => Of::None,
        Value::Bytes if node.has_masked_bytes() => return (Of::Plain(node), true),
        Value::Text | Value::Generated(_) if node.has_masked_bytes() && !node.field().public => {
            return (Of::Text(node.text()), true);
        }
        Value::Unsigned(_) if node.field().kind == Kind::Ipv4 => Of::Plain(node),
        Value::Unsigned(value) => i64::try_from(value).map_or(Of::Large(value), Of::Int),
        Value::Signed(value) => Of::Int(value),
        Value::Single(value) => Of::Float(value.into()),
        Value::Double(value) => Of::Float(value),
        Value::Bool(value) => Of::Bool(value),
        Value::Bytes => match node.field().kind {
            Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => Of::Plain(node),
            _ => Of::Bytes(node.value_bytes()),
        },
        Value::Generated(_) | Value::Text | Value::At(_) => Of::Text(node.text()),
    };
    (of, false)
}

/// The columns `type` to `masked`.
fn value(node: NodeRef<'_>, row: &mut Row<'_>) {
    let (of, masked) = value_of(node);
    row.text(match of {
        Of::None => None,
        Of::Int(_) | Of::Large(_) => Some("int"),
        Of::Float(_) => Some("float"),
        Of::Bool(_) => Some("bool"),
        Of::Text(_) | Of::Plain(_) => Some("text"),
        Of::Bytes(_) => Some("bytes"),
    });
    row.int(match of {
        Of::Int(value) => Some(value),
        Of::Bool(value) => Some(value.into()),
        _ => None,
    });
    row.float(if let Of::Float(value) = of { Some(value) } else { None });
    match &of {
        Of::Text(text) => row.text(Some(text)),
        Of::Plain(node) => row.shown(Some(Plain(*node))),
        Of::Large(value) => row.shown(Some(value)),
        _ => row.text(None),
    };
    row.blob(if let Of::Bytes(bytes) = of { Some(bytes) } else { None });
    meaning(node, row);
    row.blob(raw(node, masked)).truth(masked.then_some(true));
}

/// The bytes of a value that is transformed, or of text that is not UTF-8.
fn raw(node: NodeRef<'_>, masked: bool) -> Option<&[u8]> {
    if node.field().transformed && !node.is_secret() && !node.has_masked_bytes() {
        return Some(node.bytes());
    }
    match node.value() {
        Value::Text | Value::At(_) if !masked => Some(node.text_bytes()).filter(|bytes| std::str::from_utf8(bytes).is_err()),
        _ => None,
    }
}

/// The meaning of the value, if any.
fn meaning(node: NodeRef<'_>, row: &mut Row<'_>) {
    match node.field().collapsed {
        Some(collapsed) => {
            let mut text = String::new();
            // Writing to memory does not fail.
            let _ = (collapsed.meaning)(node, &mut text);
            row.words(&text)
        }
        None => row.words(node.name().unwrap_or_default()),
    };
}

/// A value as text.
pub(super) struct Plain<'t>(pub(super) NodeRef<'t>);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_plain(f)
    }
}
