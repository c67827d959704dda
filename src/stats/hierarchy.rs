//! Protocol hierarchy, with message types.

use super::traffic::Count;
use crate::layers;
use crate::record::{self, Message};
use crate::tree::{Dissection, Field, OmittedHeaders};
use std::collections::{HashMap, HashSet};

/// Maximum number of message names per node of the hierarchy.
const NAMES: usize = 1000;

/// Label of names beyond the limit.
const OTHERS: &str = "…";

/// Number of messages and bytes.
pub type Names = HashMap<String, Count, foldhash::fast::RandomState>;

#[derive(Debug)]
pub struct HierarchyNode {
    pub protocol: &'static Field,
    pub depth: usize,
    /// Frames with this node, and bytes on the wire.
    pub count: Count,
    /// Messages of this node, and their bytes.
    pub messages: Count,
    /// Messages by name.
    pub names: Names,
    children: Vec<usize>,
    /// Number of the last counted tree.
    seen: u64,
    /// Number of the last frame counted with its own tree.
    last_own: u64,
    /// Frames counted for late messages.
    late: HashSet<u64, foldhash::fast::RandomState>,
}

impl HierarchyNode {
    /// Counts the frame that completed a late message, once. Its length is not known any more: the bytes are those of the message.
    fn add_late(&mut self, frame: u64, bytes: u32) {
        if frame == self.last_own {
            return;
        }
        if self.late.insert(frame) {
            self.count.frames += 1;
        }
        self.count.bytes = self.count.bytes.saturating_add(bytes.into());
    }
}

/// Protocols of fast-path segments.
#[derive(Debug)]
struct HeaderPath {
    /// Protocols.
    path: &'static str,
    /// Places in the hierarchy.
    places: Vec<usize>,
    /// Deferred frames.
    waiting: Count,
}

/// The hierarchy of a capture.
#[derive(Debug, Default)]
pub struct Hierarchy {
    places: Vec<HierarchyNode>,
    roots: Vec<usize>,
    /// Nodes of the layers of the current tree.
    current_nodes: Vec<Option<usize>>,
    /// Number of those layers before the next message.
    counted: usize,
    /// Paths of fast-path segments.
    omitted_headers: Vec<HeaderPath>,
    /// Number of trees.
    trees: u64,
}

impl Hierarchy {
    /// Counts the layers of a tree.
    pub(super) fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        let tree = of.tree;
        let omitted_headers = tree.outcome.omitted_headers.as_ref();
        let below_messages = omitted_headers.and_then(|headers| self.omitted_headers(headers, tree.frame.original));
        if tree.layers.is_empty() {
            return;
        }
        self.trees += 1;
        self.current_nodes.clear();
        self.counted = 0;
        for layer in &tree.layers {
            let Some(node) = of.layer_node(layer) else { continue };
            let ends = tree.ends.get(layer.ends as usize);
            let path = ends.and_then(|ends| ends.path.as_deref()).unwrap_or_default();
            let stream = ends.and_then(|ends| ends.stream).map(|(stream, _)| stream);
            // A late layer is not part of the current segment.
            let segment =
                below_messages.filter(|_| !layer.late && omitted_headers.is_some_and(|headers| stream == Some(headers.stream)));
            let elsewhere = layer.below.is_none() && segment.is_none() && !path.is_empty();
            let below = match layer.below {
                Some(below) => self.current_nodes.get(below as usize).copied().flatten(),
                None if elsewhere => self.by_path(path),
                None => segment,
            };
            let place = self.place(below, node.field());
            self.current_nodes.push(Some(place));
            let trees = self.trees;
            let Some(place) = self.places.get_mut(place) else { continue };
            if layer.late || !captured {
                let (frame, _) = record::completed(of, layer);
                place.add_late(frame, node.span().len());
            } else if place.seen != trees {
                place.seen = trees;
                if !elsewhere {
                    place.last_own = tree.frame.number;
                    place.count.add(tree.frame.original.into());
                }
            }
        }
    }

    /// Counts a fast-path segment. Returns the place of the innermost header.
    fn omitted_headers(&mut self, omitted_headers: &OmittedHeaders, bytes: u32) -> Option<usize> {
        let is_it = |known: &HeaderPath| std::ptr::eq(known.path, omitted_headers.path) || known.path == omitted_headers.path;
        let known = self.omitted_headers.iter().position(is_it).unwrap_or_else(|| {
            let mut below = None;
            let places = omitted_headers.path.split(':').filter_map(layers::named).map(|header| {
                let place = self.place(below, header.this);
                below = Some(place);
                place
            });
            let places = places.collect();
            self.omitted_headers.push(HeaderPath { path: omitted_headers.path, places, waiting: Count::default() });
            self.omitted_headers.len() - 1
        });
        let known = self.omitted_headers.get_mut(known)?;
        known.waiting.add(bytes.into());
        known.places.last().copied()
    }

    /// Counts all deferred frames at the end of the input.
    pub(super) fn end(&mut self) {
        for known in &mut self.omitted_headers {
            let frames = std::mem::take(&mut known.waiting);
            for place in &known.places {
                if let Some(place) = self.places.get_mut(*place) {
                    place.count.join(frames);
                }
            }
        }
    }

    /// Counts a message of the last counted tree.
    pub(super) fn message(&mut self, message: &Message<'_>) {
        let Some(node) = message.node() else { return };
        // Messages are in the order of their layers.
        let ahead = message.of.tree.layers.iter().zip(&self.current_nodes).skip(self.counted);
        let Some((at, (_, place))) = (self.counted..).zip(ahead).find(|(_, (layer, _))| layer.node == message.layer.node) else {
            return;
        };
        self.counted = at + 1;
        let Some(place) = place.and_then(|place| self.places.get_mut(place)) else { return };
        let bytes = node.span().len().into();
        place.messages.add(bytes);
        if !message.name().is_empty() {
            count(&mut place.names, message.name(), bytes);
        }
    }

    fn place(&mut self, below: Option<usize>, protocol: &'static Field) -> usize {
        let siblings = match below.and_then(|below| self.places.get(below)) {
            Some(below) => &below.children,
            None => &self.roots,
        };
        let is_it = |place: &&usize| self.places.get(**place).is_some_and(|place| place.protocol.is(protocol));
        if let Some(known) = siblings.iter().find(is_it) {
            return *known;
        }
        let new = self.places.len();
        let depth = below.and_then(|below| self.places.get(below)).map_or(0, |below| below.depth + 1);
        let (children, names, late) = (Vec::new(), Names::default(), HashSet::default());
        let (count, messages) = (Count::default(), Count::default());
        self.places.push(HierarchyNode { protocol, depth, count, messages, names, children, seen: 0, last_own: 0, late });
        match below.and_then(|below| self.places.get_mut(below)) {
            Some(below) => below.children.push(new),
            None => self.roots.push(new),
        }
        new
    }

    /// Nodes of protocols whose layers were in an earlier tree.
    fn by_path(&self, path: &str) -> Option<usize> {
        let mut siblings = &self.roots;
        let mut found = None;
        for name in path.split(':') {
            let named = |place: &&usize| self.places.get(**place).is_some_and(|place| place.protocol.abbrev == name);
            let place = *siblings.iter().find(named)?;
            siblings = &self.places.get(place)?.children;
            found = Some(place);
        }
        found
    }

    /// Nodes in depth-first order.
    pub fn in_order(&self) -> Vec<(String, &HierarchyNode)> {
        let mut all = Vec::new();
        let mut next: Vec<(String, usize)> = self.roots.iter().rev().map(|root| (String::new(), *root)).collect();
        while let Some((below, at)) = next.pop() {
            let Some(place) = self.places.get(at) else { continue };
            let between = if below.is_empty() { "" } else { ":" };
            let path = format!("{below}{between}{}", place.protocol.abbrev);
            next.extend(place.children.iter().rev().map(|child| (path.clone(), *child)));
            all.push((path, place));
        }
        all
    }
}

/// Counts under a name. Allocates only for a new name.
pub(super) fn count(names: &mut Names, name: &str, bytes: u64) {
    if let Some(known) = names.get_mut(name) {
        return known.add(bytes);
    }
    let name = if names.len() < NAMES { name } else { OTHERS };
    names.entry(name.to_owned()).or_default().add(bytes);
}

/// Names by descending count.
pub fn commonest(names: &Names) -> Vec<(&str, Count)> {
    let mut all: Vec<(&str, Count)> = names.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    all.sort_unstable_by(|(name, count), (other, than)| than.frames.cmp(&count.frames).then(name.cmp(other)));
    all
}
