//! The notes of a tree, and their lookup by layer.

use super::steps::step;
use super::{Extras, Field, Fields, Layer, Note, Span, TextRange, Tree};
use crate::limits;
use std::fmt;
use std::ops::Range;

/// Number of notes up to which a linear search is as fast as an index.
const FEW: usize = 16;

impl Tree {
    /// Adds a note to a node. The text is formatted only if requested.
    #[cold]
    pub fn note(&mut self, code: &'static Field, node: u32, span: Span, words: fmt::Arguments<'_>) {
        if self.notes.len() < limits::TREE_NOTES.get() {
            let demand = self.demand();
            let has_text = demand.has(Extras::SUMMARIES) || demand.fields == Fields::All;
            let text = if has_text { self.make_note(words) } else { TextRange::default() };
            self.by_node.take();
            self.notes.push(Note { code, node, span, text });
        }
    }

    /// Moves notes after the first `known` ones from nodes at or after `end` to another node.
    pub(crate) fn move_notes(&mut self, known: usize, end: u32, to: u32) {
        for note in self.notes.iter_mut().skip(known).filter(|note| note.node >= end) {
            note.node = to;
            self.by_node.take();
        }
    }

    /// The notes on nodes in these ranges, in order of creation.
    #[must_use]
    pub fn notes_within(&self, ranges: &[Range<u32>]) -> Vec<&Note> {
        if self.notes.len() <= FEW {
            return self.notes.iter().filter(|note| ranges.iter().any(|range| range.contains(&note.node))).collect();
        }
        let node_of = |place: &u32| self.notes.get(*place as usize).map(|note| note.node);
        let by_node = self.by_node.get_or_init(|| {
            let mut places: Vec<u32> = (0..).take(self.notes.len()).collect();
            places.sort_by_key(node_of);
            places.into()
        });
        let mut found: Vec<u32> = Vec::new();
        for range in ranges {
            step();
            let first = by_node.partition_point(|place| node_of(place) < Some(range.start));
            let within = by_node.get(first..).unwrap_or_default().iter();
            found.extend(within.take_while(|place| node_of(place) < Some(range.end)).inspect(|_| step()));
        }
        found.sort_unstable();
        found.dedup();
        found.iter().filter_map(|place| self.notes.get(*place as usize)).collect()
    }

    /// The notes that are not on late layers, in order of creation.
    pub fn own_notes(&self) -> impl Iterator<Item = &Note> {
        let late = if self.notes.is_empty() { Vec::new() } else { self.late_nodes() };
        let is_late = move |note: &Note| {
            step();
            let next = late.partition_point(|range| range.end <= note.node);
            late.get(next).is_some_and(|range| range.start <= note.node)
        };
        self.notes.iter().filter(move |note| !is_late(note))
    }

    /// The nodes of late layers, as sorted, disjoint ranges.
    fn late_nodes(&self) -> Vec<Range<u32>> {
        let late = self.layers.iter().filter(|layer| layer.late).inspect(|_| step());
        let mut ranges: Vec<Range<u32>> = late.filter_map(|layer| self.nodes_of(layer)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, last| {
            let meets = next.start <= last.end;
            if meets {
                last.end = last.end.max(next.end);
            }
            meets
        });
        ranges
    }

    /// The indexes of a layer's nodes.
    #[must_use]
    pub fn nodes_of(&self, layer: &Layer) -> Option<Range<u32>> {
        self.nodes.get(layer.node as usize).map(|node| layer.node..node.end)
    }
}
