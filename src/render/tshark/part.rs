//! The parts of a record as in tshark: protocols, fields, hidden fields, expert information.

use super::escape::{hex, spelled};
use super::shape::Shape;
use crate::record::Record;
use crate::record::expert::{self, Item};
use crate::record::pseudo::{self, Pseudo, PseudoValue};
use crate::tree::{Computed, Dissection, Field, Kind, Layer, NodeRef, Span, Value};
use std::borrow::Cow;
use std::fmt::Write;

/// A protocol of a record.
pub(super) struct Proto<'t> {
    /// Filter name.
    pub(super) name: &'static str,
    /// Label and summary.
    pub(super) title: String,
    /// Node; `frame` has none.
    pub(super) node: Option<NodeRef<'t>>,
    /// Children.
    pub(super) parts: Vec<Part<'t>>,
}

/// A part of a protocol.
pub(super) enum Part<'t> {
    /// A field.
    Node(NodeRef<'t>),
    /// A field by its alias.
    Also(NodeRef<'t>),
    /// A field generated from a node.
    Computed { field: &'static Field, shown: Show, own: Option<Place<'t>> },
    /// A pseudo-field.
    Property { name: &'static str, shown: Show },
    /// Expert information.
    Expert(Item<'t>),
    /// The name and the text of expert information of a script.
    Declared { name: &'static str, text: String },
}

/// Most bytes that a generated value without bytes of its own shows as those it is computed from, such as flags and ports.
const SOURCE_MOST: u64 = 16;

/// The location of a part.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    /// The node with exactly these bytes, if any.
    pub(super) node: Option<NodeRef<'t>>,
    of: Dissection<'t>,
    span: Span,
    bytes: &'t [u8],
}

impl<'t> Place<'t> {
    fn of(node: NodeRef<'t>) -> Place<'t> {
        Place { node: Some(node), of: node.dissection(), span: node.span(), bytes: node.bytes() }
    }

    /// The location of bytes within those of a node.
    fn within(node: NodeRef<'t>, part: &[u8]) -> Option<Place<'t>> {
        let start = part.as_ptr().addr().checked_sub(node.bytes().as_ptr().addr())?;
        let range = start..start.checked_add(part.len())?;
        let bytes = node.bytes().get(range.clone())?;
        let from = node.span().range().start;
        let span = Span::new(node.span().source, from.checked_add(range.start)?..from.checked_add(range.end)?);
        node.span().is_somewhere().then_some(Place { node: None, of: node.dissection(), span, bytes })
    }

    /// Number of bytes; 0 without a location.
    pub(super) fn size(&self) -> u64 {
        if self.is_somewhere() { self.span.len().into() } else { 0 }
    }

    /// Whether it has a location.
    pub(super) fn is_somewhere(&self) -> bool {
        self.span.is_somewhere()
    }

    /// Start: in the frame if its bytes are there, else in its source.
    pub(super) fn position(&self) -> u64 {
        if self.is_somewhere() { self.of.tree.offset_in_frame(self.span).unwrap_or_else(|| self.span.start.into()) } else { 0 }
    }

    /// Its bytes with secrets masked.
    pub(super) fn masked_bytes(&self) -> Cow<'t, [u8]> {
        self.of.tree.masked(self.span, self.bytes)
    }
}

/// A value as text, with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Show {
    /// No value.
    Nothing,
    /// A boolean.
    Truth(bool),
    /// Any other text.
    Text(String),
}

impl Show {
    /// Representation in PDML.
    pub(super) fn text(&self) -> &str {
        match self {
            Show::Nothing => "",
            Show::Truth(true) => "1",
            Show::Truth(false) => "0",
            Show::Text(text) => text,
        }
    }
}

impl<'t> Part<'t> {
    /// Filter name.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Part::Node(node) => node.field().abbrev,
            Part::Also(node) => node.field().also,
            Part::Computed { field, .. } => field.abbrev,
            Part::Property { name, .. } | Part::Declared { name, .. } => name,
            Part::Expert(_) => "_ws.expert",
        }
    }

    /// Label in trees.
    pub(super) fn label(&self) -> &'static str {
        match self {
            Part::Node(node) | Part::Also(node) => node.field().name,
            Part::Computed { field, .. } => field.name,
            Part::Property { name, .. } => pseudo::named(name).map_or(*name, |pseudo| pseudo.about),
            Part::Expert(_) => "Expert Info",
            Part::Declared { name, .. } => name,
        }
    }

    /// Whether tshark hides it in trees.
    pub(super) fn is_hidden(&self) -> bool {
        match self {
            Part::Also(_) | Part::Computed { .. } => true,
            Part::Node(node) => node.is_hidden(),
            Part::Property { .. } | Part::Expert(_) | Part::Declared { .. } => false,
        }
    }

    /// Its node; generated values have none.
    fn node(&self) -> Option<NodeRef<'t>> {
        match self {
            Part::Node(node) | Part::Also(node) => Some(*node),
            Part::Computed { .. } | Part::Property { .. } | Part::Expert(_) | Part::Declared { .. } => None,
        }
    }

    /// Its location; a generated value has one if it is a copy of bytes.
    pub(super) fn place(&self) -> Option<Place<'t>> {
        match self {
            Part::Computed { own, .. } => *own,
            _ => self.node().map(Place::of),
        }
    }

    /// Kind of its value.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Part::Node(node) | Part::Also(node) => node.field().kind,
            Part::Computed { field, .. } => field.kind,
            Part::Property { name, .. } => pseudo::named(name).map_or(Kind::Text, |pseudo| pseudo.kind),
            Part::Expert(_) | Part::Declared { .. } => Kind::Group,
        }
    }

    /// Value.
    pub(super) fn shown(&self) -> Show {
        match self {
            Part::Node(node) | Part::Also(node) => shown(*node),
            Part::Computed { shown, .. } | Part::Property { shown, .. } => shown.clone(),
            Part::Expert(_) | Part::Declared { .. } => Show::Nothing,
        }
    }

    /// Text in trees: label, value and meaning.
    pub(super) fn title(&self) -> String {
        match self {
            Part::Node(node) if let Some(label) = node.whole_label() => return label.to_owned(),
            Part::Declared { text, .. } => return text.clone(),
            _ => {}
        }
        let mut title = String::from(self.label());
        let (shown, mut meaning) = (self.shown(), String::new());
        if let Part::Node(node) | Part::Also(node) = self {
            // Writing to memory does not fail.
            let _ = node.write_meaning(&mut meaning);
        }
        let mut bytes = String::new();
        let value = match (&shown, self.place().and_then(|place| place.node).filter(|_| self.kind() == Kind::Bytes)) {
            (Show::Nothing, _) => "",
            (Show::Truth(true), _) => "True",
            (Show::Truth(false), _) => "False",
            (Show::Text(text), None) => text,
            // Long byte values are summarized by length.
            (Show::Text(_), Some(node)) => {
                let _ = node.write_value(&mut bytes);
                &bytes
            }
        };
        match (value.is_empty(), meaning.is_empty()) {
            (true, true) => {}
            (false, true) => spelled(&mut title, format_args!(": {value}")),
            (true, false) => spelled(&mut title, format_args!(": {meaning}")),
            (false, false) => spelled(&mut title, format_args!(": {meaning} ({value})")),
        }
        if let Part::Expert(item) = self {
            let (severity, group) = (item.severity.named().1, item.group.named().1);
            spelled(&mut title, format_args!(" ({severity}/{group}): {}", item.message));
        }
        title
    }

    /// Children.
    pub(super) fn parts(&self, shape: &Shape) -> Vec<Part<'t>> {
        match self {
            Part::Node(node) => below(*node, shape),
            Part::Expert(item) => of_expert(item),
            Part::Also(_) | Part::Computed { .. } | Part::Property { .. } | Part::Declared { .. } => Vec::new(),
        }
    }
}

/// Value of a node.
fn shown(node: NodeRef<'_>) -> Show {
    if node.is_secret() {
        return Show::Text(crate::tree::MASKED_TEXT.to_owned());
    }
    let field = node.field();
    let mut text = String::new();
    match (node.value(), field.kind) {
        (Value::Bool(truth), _) => return Show::Truth(truth),
        (Value::None, Kind::Protocol | Kind::Group | Kind::Note(_)) => match field.collapsed {
            // Writing to memory does not fail.
            Some(collapsed) => drop((collapsed.value)(node, &mut text)),
            None => return Show::Nothing,
        },
        (Value::None | Value::Bytes, Kind::Bytes | Kind::Group | Kind::Protocol | Kind::Number) => {
            hex(&node.masked_bytes(), ":", &mut text);
        }
        (Value::Text | Value::Generated(_), _) => text.push_str(&node.text()),
        _ => drop(node.write_plain(&mut text)),
    }
    Show::Text(text)
}

/// Generated value, formatted like that of a node.
fn shown_computed(field: &Field, computed: &Computed<'_>) -> Show {
    let mut text = String::new();
    match computed {
        Computed::Bool(truth) => return Show::Truth(*truth),
        Computed::Number(number) if field.kind == Kind::Bool => return Show::Truth(*number != 0),
        Computed::Number(number) if field.hex > 0 => {
            spelled(&mut text, format_args!("0x{number:0width$x}", width = usize::from(field.hex)));
        }
        Computed::Number(number) => spelled(&mut text, format_args!("{number}")),
        Computed::Text(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        Computed::Bytes(bytes) => hex(bytes, ":", &mut text),
    }
    Show::Text(text)
}

/// Children of a node, each followed by its alias and by fields generated from it.
fn below<'t>(node: NodeRef<'t>, shape: &Shape) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    // Expert information of scripts is where they added it.
    let mut experts = expert::of_script(node).peekable();
    for child in node.children() {
        while let Some((_, item)) = experts.next_if(|(place, _)| *place <= child.place()) {
            parts.push(Part::Expert(item));
        }
        parts.push(Part::Node(child));
        if !child.field().also.is_empty() {
            parts.push(Part::Also(child));
        }
        computed(child, shape, &mut parts);
    }
    parts.extend(experts.map(|(_, item)| Part::Expert(item)));
    parts
}

fn of_expert<'t>(item: &Item<'_>) -> Vec<Part<'t>> {
    let number = |name, (number, _): (u64, &str)| Part::Property { name, shown: Show::Text(number.to_string()) };
    let declared = item.declared.map(|code| Part::Declared { name: code.abbrev, text: item.message.to_string() });
    let facts = [
        Part::Property { name: "_ws.expert.message", shown: Show::Text(item.message.to_string()) },
        number("_ws.expert.severity", item.severity.named()),
        number("_ws.expert.group", item.group.named()),
    ];
    declared.into_iter().chain(facts).collect()
}

/// Adds fields generated at a node.
fn computed<'t>(node: NodeRef<'t>, shape: &Shape, out: &mut Vec<Part<'t>>) {
    for field in shape.generated.fields(node.field()) {
        field.compute(node, &mut |computed| {
            let own = match &computed {
                Computed::Text(Cow::Borrowed(part)) | Computed::Bytes(Cow::Borrowed(part)) => Place::within(node, part),
                _ => None,
            };
            let own = own.or_else(|| Some(Place::of(node)).filter(|place| place.size() <= SOURCE_MOST));
            out.push(Part::Computed { field, shown: shown_computed(field, &computed), own });
        });
    }
}

/// Protocols of a record: `frame`, then its layers.
pub(super) fn protos<'t>(record: &Record<'t>, shape: &Shape) -> Vec<Proto<'t>> {
    let (of, layers): (Dissection<'t>, Vec<&'t Layer>) = match record {
        Record::Packet(packet) => (packet.of, packet.layers().collect()),
        Record::Message(message) => (message.of, message.carriers().into_iter().chain([message.layer]).collect()),
        Record::Late(late) => (late.of, late.layers.iter().collect()),
        Record::Gap(_) => return Vec::new(),
    };
    let mut protos = vec![frame(record)];
    protos.extend(layers.into_iter().filter_map(|layer| proto(of, layer, shape)));
    protos
}

/// Pseudo-fields of the frame.
fn frame<'t>(record: &Record<'t>) -> Proto<'t> {
    let property = |pseudo: &'static Pseudo| {
        let answer = (pseudo.of)(record)?;
        Some(Part::Property { name: pseudo.name, shown: of_answer(pseudo, &answer) })
    };
    let mut parts: Vec<Part<'t>> =
        pseudo::ALL.iter().filter(|pseudo| pseudo.name.starts_with("frame.")).filter_map(property).collect();
    let (number, length, captured) = numbers(record);
    if matches!(record, Record::Late(_)) {
        // Readers require a length; a late record has that of its bytes.
        parts.push(Part::Property { name: "frame.len", shown: Show::Text(length.to_string()) });
    }
    let title = format!(
        "Frame {number}: {length} bytes on wire ({} bits), {captured} bytes captured ({} bits)",
        length.saturating_mul(8),
        captured.saturating_mul(8)
    );
    Proto { name: "frame", title, node: None, parts }
}

/// Frame number, length and captured length.
pub(super) fn numbers(record: &Record<'_>) -> (u64, u64, u64) {
    let number = |name: &str| match pseudo::named(name).and_then(|pseudo| (pseudo.of)(record)) {
        Some(PseudoValue::Number(number)) => Some(number),
        _ => None,
    };
    let late = || match record {
        Record::Late(late) => late.length(),
        _ => 0,
    };
    let length = number("frame.len").unwrap_or_else(late);
    (number("frame.number").unwrap_or_default(), length, number("frame.cap_len").unwrap_or(length))
}

/// Value of a pseudo-field.
fn of_answer(pseudo: &Pseudo, answer: &PseudoValue<'_>) -> Show {
    match (pseudo.name, answer) {
        ("frame.ignored" | "frame.marked", PseudoValue::Number(number)) => Show::Truth(*number != 0),
        (_, PseudoValue::Words(words) | PseudoValue::Lines(words)) => Show::Text((*words).to_owned()),
        _ => Show::Text(answer.to_string()),
    }
}

fn proto<'t>(of: Dissection<'t>, layer: &'t Layer, shape: &Shape) -> Option<Proto<'t>> {
    let node = of.layer_node(layer)?;
    let mut title = String::from(node.field().name);
    let (name, info) = (of.tree.generated_text(layer.name), of.tree.info(layer));
    let label = node.whole_label();
    if let Some(label) = label {
        label.clone_into(&mut title);
    }
    for words in [name, info.as_ref()].into_iter().filter(|_| label.is_none()) {
        if !words.is_empty() {
            // Writing to memory does not fail.
            let _ = write!(title, ", {words}");
        }
    }
    let mut parts = below(node, shape);
    computed(node, shape, &mut parts);
    let end = of.tree.nodes.get(layer.node as usize).map_or(layer.node, |node| node.end);
    expert::of_range(of, layer.node..end, &mut |item| {
        if item.declared.is_none() {
            parts.push(Part::Expert(item));
        }
    });
    // As tshark writes items that are in no protocol.
    let name = if node.is_absent() { "fake-field-wrapper" } else { node.field().abbrev };
    Some(Proto { name, title, node: Some(node), parts })
}
