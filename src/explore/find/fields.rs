//! What dissectors say about occurrences: their fields, and values in bytes that were decompressed or decrypted.

use super::Value;
use super::reading::Reading;
use super::scan::{KEPT, Needle, Scan};
use crate::follow::Payload;
use crate::record::{Buffer, Message, location_of};
use crate::tree::{Dissection, NodeRef, Origin, Side, StreamId};
use std::collections::{HashMap, HashSet};

/// Maximum number of occurrences of a form whose fields are looked up.
const NAMED: u64 = 256;

/// Maximum number of nodes that are visited to look up fields.
const VISITED: usize = 1 << 26;

/// Methods of derived bytes that are on the wire as such, so that they are searched anyway.
const ON_THE_WIRE: &[&str] = &["ip fragments", "earlier"];

/// The field that contains an occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldName {
    /// The type of the message; may be empty.
    pub message: String,
    /// The filter name of the field.
    pub field: &'static str,
}

/// An occurrence in bytes that are not on the wire as such.
#[derive(Debug, Clone)]
pub struct DerivedHit {
    /// The number of the record, if it is known.
    pub n: Option<u64>,
    /// The frame.
    pub frame: u64,
    /// The conversation and the direction.
    pub stream: Option<(StreamId, Side)>,
    /// How the bytes were derived: `zlib`.
    pub method: &'static str,
    /// The offset in them.
    pub at: u64,
    /// The field that contains it.
    pub name: Option<FieldName>,
}

/// Collects fields and further occurrences while a capture is dissected.
pub struct Fields {
    scan: Scan,
    needles: Vec<Needle>,
    /// How many occurrences of each needle were looked up.
    looked_up: Vec<u64>,
    names: HashMap<(StreamId, Side, u64), FieldName>,
    derived: Vec<Vec<DerivedHit>>,
    /// Occurrences in derived bytes.
    counts: Vec<u64>,
    /// Places in inner streams that were seen, as they may be in several trees.
    seen: HashSet<(StreamId, Side, u64, usize)>,
    /// Nodes that may still be visited.
    left: usize,
    /// The messages of the current tree.
    messages: Vec<Nodes>,
}

/// The nodes of a message.
struct Nodes {
    first: u32,
    last: u32,
    n: u64,
    stream: Option<(StreamId, Side)>,
}

impl Fields {
    /// Looks for a value.
    #[must_use]
    pub fn new(value: &Value) -> Fields {
        let needles = Needle::all(value, &Reading::all(std::slice::from_ref(value)));
        Fields {
            scan: Scan::new(&needles),
            looked_up: vec![0; needles.len()],
            names: HashMap::new(),
            derived: vec![Vec::new(); needles.len()],
            counts: vec![0; needles.len()],
            seen: HashSet::new(),
            left: VISITED,
            messages: Vec::new(),
            needles,
        }
    }

    /// Looks up the fields of occurrences in the payload of a message.
    pub fn payload(&mut self, payload: &Payload<'_>) {
        let message = payload.message;
        let Some(node) = message.node() else { return };
        let stream = message.ends().and_then(|ends| ends.stream);
        self.messages.push(Nodes { first: node.place(), last: node.last(), n: message.n, stream });
        let Some((source, start)) = source_of(payload, node) else { return };
        let Fields { scan, needles, looked_up, names, left, .. } = self;
        scan.run(payload.bytes, needles, |needle, at, width| {
            let Some(count) = looked_up.get_mut(needle).filter(|count| **count < NAMED) else { return };
            *count += 1;
            let (Ok(at32), Ok(width)) = (u32::try_from(at), u32::try_from(width)) else { return };
            let first = start.saturating_add(at32);
            if let Some(name) = field_at(message.of, (source, first, first.saturating_add(width)), left) {
                let name = FieldName { message: message.name().to_owned(), field: name };
                names.insert((payload.stream, payload.side, payload.off + at as u64), name);
            }
        });
    }

    /// Searches the bytes that were derived for a tree, after its messages.
    pub fn tree(&mut self, of: Dissection<'_>) {
        let messages = std::mem::take(&mut self.messages);
        let Fields { scan, needles, derived, counts, seen, left, .. } = self;
        for (number, source) in (0..).zip(&of.tree.sources) {
            let Origin::Derived(origin) = source.origin else { continue };
            if ON_THE_WIRE.contains(&origin.method) {
                continue;
            }
            let bytes =
                of.slice(crate::tree::Span { source: number, start: 0, end: u32::try_from(source.len()).unwrap_or(u32::MAX) });
            scan.run(bytes, needles, |needle, at, width| {
                if let Some((stream, side, base)) = origin.stream
                    && (seen.len() >= KEPT || !seen.insert((stream, side, base + at as u64, needle)))
                {
                    return;
                }
                let (Some(count), Some(hits)) = (counts.get_mut(needle), derived.get_mut(needle)) else { return };
                *count += 1;
                if hits.len() as u64 >= NAMED {
                    return;
                }
                let (Ok(first), Ok(width)) = (u32::try_from(at), u32::try_from(width)) else { return };
                let node = node_at(of, (number, first, first.saturating_add(width)), left);
                let message = node.and_then(|node| messages.iter().find(|one| (one.first..=one.last).contains(&node.place())));
                let name = node.map(|node| FieldName { message: message_name(of, node), field: node.field().abbrev });
                hits.push(DerivedHit {
                    n: message.map(|message| message.n),
                    frame: of.tree.frame.number,
                    stream: message.and_then(|message| message.stream).or(origin.stream.map(|(stream, side, _)| (stream, side))),
                    method: origin.method,
                    at: at as u64,
                    name,
                });
            });
        }
    }

    /// The field at a stream offset.
    #[must_use]
    pub fn name(&self, stream: StreamId, side: Side, off: u64) -> Option<&FieldName> {
        self.names.get(&(stream, side, off))
    }

    /// The occurrences of a needle in derived bytes, and their number.
    pub(super) fn derived(&self, needle: usize) -> (u64, &[DerivedHit]) {
        let hits = self.derived.get(needle).map(Vec::as_slice).unwrap_or_default();
        (self.counts.get(needle).copied().unwrap_or_default(), hits)
    }
}

/// The source of a payload in its tree, and the offset of its first byte there.
fn source_of(payload: &Payload<'_>, node: NodeRef<'_>) -> Option<(u32, u32)> {
    let message: Message<'_> = payload.message;
    let location = location_of(message.of, node.span());
    if let Buffer::Stream(..) = location.buffer {
        return Some((node.span().source, u32::try_from(payload.off.checked_sub(location.base)?).ok()?));
    }
    // The payload of a datagram is a part of the frame.
    let start = payload.bytes.as_ptr().addr().checked_sub(message.of.bytes.as_ptr().addr())?;
    let is_within = start + payload.bytes.len() <= message.of.bytes.len();
    let frame = message.of.tree.sources.iter().position(|source| source.origin == Origin::Frame)?;
    is_within.then_some((u32::try_from(frame).ok()?, u32::try_from(start).ok()?))
}

/// The name of the smallest field that contains a range of a source.
fn field_at(of: Dissection<'_>, range: (u32, u32, u32), left: &mut usize) -> Option<&'static str> {
    node_at(of, range, left).map(|node| node.field().abbrev)
}

/// The smallest node that contains a range of a source.
fn node_at<'t>(of: Dissection<'t>, (source, start, end): (u32, u32, u32), left: &mut usize) -> Option<NodeRef<'t>> {
    *left = left.checked_sub(of.tree.nodes.len())?;
    let spans = (0..).zip(&of.tree.nodes).filter(|(_, node)| {
        let span = node.span;
        span.source == source && span.start <= start && span.end >= end && !span.is_empty()
    });
    // The last of equal ones is the innermost.
    let smallest = spans.min_by_key(|(place, node)| (node.span.len(), std::cmp::Reverse(*place)));
    smallest.and_then(|(place, _)| of.node(place))
}

/// The type of the message around a node.
fn message_name(of: Dissection<'_>, node: NodeRef<'_>) -> String {
    let layers = of.tree.layers.iter().rev().filter(|layer| layer.message);
    let around = layers.filter(|layer| of.layer_node(layer).is_some_and(|of| (of.place()..=of.last()).contains(&node.place())));
    let message = around.map(|layer| Message { n: 0, times: Default::default(), of, layer, bookmarks: None }).next();
    message.map_or_else(String::new, |message| message.name().to_owned())
}
