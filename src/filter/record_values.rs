//! Values of a record for filters: nodes, notes, and remembered values of its conversation.

use super::value::{Item, Visit};
use crate::layers::{FastHeaders, HeaderValue};
use crate::record::{Record, Remembered, RememberedValue};
use crate::tree::{Computed, Dissection, Field, Kind, Layer, MASKED_TEXT, NodeRef, Value};
use std::borrow::Cow;
use std::net::IpAddr;
use std::ops::{ControlFlow, Range};

/// The subject of a filter.
#[derive(Clone, Copy)]
pub(super) enum Subject<'r, 't> {
    Record(&'r Record<'t>),
    /// Headers of a frame without records so far.
    FastHeaders(&'r FastHeaders),
}

fn tree_of<'t>(record: &Record<'t>) -> Option<Dissection<'t>> {
    match record {
        Record::Message(message) => Some(message.of),
        Record::Packet(packet) => Some(packet.of),
        Record::Late(late) => Some(late.of),
        Record::Gap(_) => None,
    }
}

/// Layers of a message, from its own to the outermost.
fn layers<'t>(of: Dissection<'t>, layer: &'t Layer) -> impl Iterator<Item = &'t Layer> {
    std::iter::successors(Some(layer), move |layer| layer.below.and_then(|below| of.tree.layers.get(below as usize)))
}

/// Ranges of a record's nodes: all nodes of a packet, or the layers of a message.
fn places<'t>(record: &Record<'t>) -> impl Iterator<Item = (Dissection<'t>, Range<u32>)> {
    let range = |of: Dissection<'t>, layer: &Layer| Some((of, layer.node..of.tree.nodes.get(layer.node as usize)?.end));
    let whole = match record {
        Record::Packet(packet) if !packet.of.tree.has_late() => Some((packet.of, 0..packet.of.tree.here())),
        _ => None,
    };
    let message = match record {
        Record::Message(message) => Some((message.of, message.layer)),
        _ => None,
    };
    let some = match record {
        Record::Packet(packet) if whole.is_none() => Some((packet.of, packet.of.tree.layers.as_slice(), false)),
        Record::Late(late) => Some((late.of, late.layers, true)),
        _ => None,
    };
    let below = message.into_iter().flat_map(move |(of, layer)| layers(of, layer).filter_map(move |layer| range(of, layer)));
    let some = some.into_iter().flat_map(move |(of, layers, all)| {
        layers.iter().filter(move |layer| all || !layer.late).filter_map(move |layer| range(of, layer))
    });
    whole.into_iter().chain(below).chain(some)
}

/// Visits the nodes of fields.
pub(super) fn nodes<'t>(record: &Record<'t>, fields: &[&'static Field]) -> impl Iterator<Item = NodeRef<'t>> {
    let of_one = |field: &'static Field| fields.iter().any(|wanted| wanted.is(field));
    places(record).flat_map(move |(of, places)| {
        let nodes = of.tree.nodes.get(places.start as usize..places.end as usize).unwrap_or_default();
        let found = places.zip(nodes).filter(move |(_, node)| of_one(node.field));
        found.map(move |(place, node)| of.node_at(place, node))
    })
}

/// Whether the subject has any of these fields: as a node, a note, or a remembered layer.
pub(super) fn has(of: Subject<'_, '_>, fields: &[&'static Field]) -> bool {
    let record = match of {
        Subject::FastHeaders(plain) => return fields.iter().any(|field| plain.has(field) || plain.get(field).is_some()),
        Subject::Record(record) => record,
    };
    if nodes(record, fields).next().is_some() {
        return true;
    }
    let noted = |field: &&'static Field| matches!(field.kind, Kind::Note(_)) && is_noted(record, field);
    if fields.iter().any(noted) {
        return true;
    }
    if is_generated(fields) && generated(record, fields, &mut |_| ControlFlow::Break(())).is_break() {
        return true;
    }
    Remembered::of(record).is_some_and(|remembered| fields.iter().any(|field| remembered.has(field)))
}

pub(super) fn is_generated(fields: &[&Field]) -> bool {
    fields.iter().any(|field| field.generated.is_some())
}

fn is_noted(record: &Record<'_>, code: &Field) -> bool {
    let Some(of) = tree_of(record) else { return false };
    let notes = of.tree.notes.iter().filter(|note| note.code.is(code));
    notes.into_iter().any(|note| places(record).any(|(_, places)| places.contains(&note.node)))
}

/// Bytes of a layer without its payload, as in Wireshark.
fn header_of(layer: NodeRef<'_>) -> &[u8] {
    let is_payload = |child: &NodeRef<'_>| child.field().abbrev.strip_suffix(".payload") == Some(layer.field().abbrev);
    let payload = layer.children().find(is_payload).map(|payload| payload.span().start.saturating_sub(layer.span().start));
    let bytes = layer.bytes();
    payload.and_then(|len| bytes.get(..len as usize)).unwrap_or(bytes)
}

/// Value of a node.
pub(super) fn item(node: NodeRef<'_>) -> Item<'_> {
    if node.is_secret() {
        return Item::Bytes(Cow::Borrowed(MASKED_TEXT.as_bytes()));
    }
    if node.has_masked_bytes() && !node.field().public {
        return Item::Bytes(match node.value() {
            Value::Text | Value::Generated(_) => Cow::Owned(node.text().into_owned().into_bytes()),
            _ => node.masked_bytes(),
        });
    }
    let bytes = if node.field().kind == Kind::Protocol { header_of(node) } else { node.value_bytes() };
    match node.value() {
        Value::Unsigned(number) if node.field().kind == Kind::Ipv4 => Item::Ipv4(u32::try_from(number).unwrap_or_default()),
        Value::Unsigned(number) => Item::Number(number.into()),
        Value::Signed(number) => Item::Number(number.into()),
        Value::Single(number) => Item::Single(number),
        Value::Double(number) => Item::Double(number),
        Value::Bool(truth) => Item::Bool(truth),
        Value::Text | Value::At(_) => Item::Bytes(Cow::Borrowed(node.text_bytes())),
        Value::Generated(_) => Item::Bytes(match node.text() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }),
        Value::None | Value::Bytes => match (node.field().kind, bytes.first_chunk(), bytes.first_chunk()) {
            (Kind::Ipv4, Some(address), _) if bytes.len() == 4 => Item::Ipv4(u32::from_be_bytes(*address)),
            (Kind::Ipv6, _, Some(address)) if bytes.len() == 16 => Item::Ipv6(u128::from_be_bytes(*address)),
            _ => Item::Bytes(Cow::Borrowed(bytes)),
        },
    }
}

/// Visits the values of generated fields.
pub(super) fn generated(record: &Record<'_>, fields: &[&'static Field], visit: &mut Visit<'_>) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    for (place, of) in places(record).flat_map(|(of, places)| places.map(move |place| (place, of))) {
        let Some(node) = of.node(place) else { continue };
        for field in fields {
            field.compute(node, &mut |computed| {
                if flow.is_continue() {
                    flow = visit(&item_of_computed(computed));
                }
            });
        }
        flow?;
    }
    flow
}

fn item_of_computed(computed: Computed<'_>) -> Item<'_> {
    match computed {
        Computed::Number(number) => Item::Number(number.into()),
        Computed::Bool(truth) => Item::Bool(truth),
        Computed::Text(bytes) | Computed::Bytes(bytes) => Item::Bytes(bytes),
    }
}

/// Value of a field of fast-path headers.
pub(super) fn item_of(value: HeaderValue<'_>) -> Item<'_> {
    match value {
        HeaderValue::Mac(address) => Item::Bytes(Cow::Borrowed(address)),
        HeaderValue::Ip(IpAddr::V4(address)) => Item::Ipv4(address.to_bits()),
        HeaderValue::Ip(IpAddr::V6(address)) => Item::Ipv6(address.to_bits()),
        HeaderValue::Number(number) => Item::Number(number.into()),
    }
}

/// Remembered value of a field of lower layers.
pub(super) fn remembered(known: RememberedValue) -> Item<'static> {
    match known {
        RememberedValue::Number(number) => Item::Number(number.into()),
        RememberedValue::Ip(IpAddr::V4(address)) => Item::Ipv4(address.to_bits()),
        RememberedValue::Ip(IpAddr::V6(address)) => Item::Ipv6(address.to_bits()),
    }
}
