//! Adds nodes in any order and at any position, for readers that parse the whole message before they add fields.

use super::Wire;
use crate::tree::{Bits, Caption, Dissection, Ends, Extras, Field, Fields, Kind, Origin, Piece, Span, TextRange, Value};
use std::fmt;
use std::ops::Range;

impl<'a> Wire<'a> {
    /// All bytes of the source, and the unread range of the layer.
    pub(crate) fn whole(&self) -> (&'a [u8], Range<usize>) {
        (self.bytes, self.at..self.end)
    }

    pub(crate) fn source_bytes(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Origin in frames of bytes of any source: each byte, or those from which all were made.
    pub(crate) fn origin_of(&self, span: Span) -> Vec<Piece> {
        let Some(source) = self.tree.sources.get(span.source as usize) else { return Vec::new() };
        let (pieces, start) = (self.tree.pieces_of(source), source.base + u64::from(span.start));
        let range = start..start + u64::from(span.len());
        match source.origin {
            _ if !pieces.is_empty() => {
                // Pieces are contiguous and in order.
                let first = pieces.partition_point(|piece| piece.end() <= range.start);
                let own = pieces.get(first..).unwrap_or_default().iter().map_while(|piece| piece.clip(&range));
                own.map(|piece| Piece { off: piece.off - range.start, ..piece }).collect()
            }
            Origin::Derived(derived) => {
                let from = derived.from.map(|from| self.origin_of(from)).unwrap_or_default();
                let last = from.into_iter().max_by_key(|piece| piece.frame);
                last.map(|last| Piece { off: 0, len: span.len(), at: Piece::NOWHERE, ..last }).into_iter().collect()
            }
            Origin::Frame | Origin::Stream(..) => {
                let (frame, time) = (self.tree.frame.number, self.tree.frame.time);
                vec![Piece { off: 0, len: span.len(), frame, at: span.start, time }]
            }
        }
    }

    /// The tree, with the bytes of the frame if those of the layer are in it.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "scripts read it"))]
    pub(crate) fn dissection(&self) -> Dissection<'_> {
        Dissection { tree: self.tree, bytes: if self.source == 0 { self.bytes } else { &[] } }
    }

    pub(crate) fn layer_node(&self) -> u32 {
        self.tree.layers.get(self.layer as usize).map_or(0, |layer| layer.node)
    }

    /// Makes the layer one of another protocol. [`Wire::close_layer`] closes it.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "scripts give layers their protocol"))]
    pub(crate) fn title(&mut self, protocol: &'static Field) {
        let place = self.layer_node() as usize;
        if let Some(node) = self.tree.nodes.get_mut(place).filter(|node| node.field.kind == Kind::Protocol) {
            node.field = protocol;
        }
    }

    /// Ends the layer of this protocol at the bytes read last.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "layers of scripts end where they say"))]
    pub(crate) fn close_layer(&mut self, protocol: &'static Field) {
        self.tree.close(self.layer_node(), protocol, self.at);
    }

    /// Source, destination and conversation of the layer.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "scripts read it"))]
    pub(crate) fn layer_ends(&self) -> Option<&Ends> {
        let layer = self.tree.layers.get(self.layer as usize)?;
        self.tree.ends.get(layer.ends as usize)
    }

    /// Adds a value anywhere. Returns the index of its node.
    #[inline]
    pub(crate) fn put_at(&mut self, field: &'static Field, value: Value, span: Span) -> u32 {
        self.tree.push(field, value, span)
    }

    /// Adds a value after the payload of the layer. The layer is extended to the end of the value, whether or not that is kept.
    pub(crate) fn put_after(&mut self, field: &'static Field, value: Value, range: Range<usize>) {
        self.tree.reach(self.layer_node(), range.end.min(self.bytes.len()));
        self.put(field, value, range);
    }

    /// Reads with a reader of another protocol. Those of `fields` that are twins replace its fields.
    pub fn renamed<T>(&mut self, fields: &'static [&'static Field], read: impl FnOnce(&mut Self) -> T) -> T {
        let place = self.tree.here();
        let result = read(self);
        self.tree.rename(place, fields);
        result
    }

    /// Adds bits of a span.
    pub(crate) fn put_bits_at(&mut self, field: &'static Field, value: Value, span: Span, bits: Bits) -> u32 {
        self.tree.push_bits(field, value, span, bits)
    }

    /// Closes the node at `place`: nodes added since are below it, and its bytes end at `end`.
    #[inline]
    pub(crate) fn close_at(&mut self, place: u32, field: &'static Field, end: u32) {
        self.tree.close(place, field, end as usize);
    }

    /// Creates text that is not on the wire, if the field is kept.
    pub(crate) fn make(&mut self, field: &'static Field, text: &str) -> TextRange {
        if self.tree.demand().may_keep(field) { self.tree.make(format_args!("{text}")) } else { TextRange::default() }
    }

    /// Adds a buffer of derived bytes. Returns its source.
    pub(crate) fn derive(&mut self, method: &'static str, from: Option<Span>, bytes: &[u8]) -> u32 {
        let first = self.tree.pieces.len();
        self.tree.push_derived(method, from, first, bytes)
    }

    /// Whether a field may be kept.
    #[inline]
    pub(crate) fn keeps(&self, field: &Field) -> bool {
        self.tree.notices(field)
    }

    /// Adds a note on a node and a span.
    #[cold]
    pub(crate) fn note_at(&mut self, code: &'static Field, node: u32, span: Span, words: fmt::Arguments<'_>) {
        self.tree.note(code, node, span, words);
    }

    /// Adds a note with Wireshark's severity and group, behind the nodes so far.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "scripts add them"))]
    pub(crate) fn note_expert(&mut self, code: &'static Field, node: u32, span: Span, words: &str, [severity, group]: [u32; 2]) {
        let count = self.tree.notes.len();
        self.tree.note(code, node, span, format_args!("{words}"));
        if let Some(made) = self.tree.notes.get(count).map(|note| note.text) {
            self.mask_made(made);
            self.tree.mark_expert(severity, group);
        }
    }

    /// Whether labels that scripts write are requested, and whether those of all nodes are.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "nodes of scripts have labels"))]
    pub(crate) fn wanted_labels(&self) -> Option<bool> {
        let demand = self.tree.demand();
        (demand.fields == Fields::All).then(|| demand.has(Extras::LABELS))
    }

    /// Labels the node that was added last, if it was kept, or an earlier one.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "nodes of scripts have labels"))]
    pub(crate) fn caption(&mut self, node: u32, label: &str, is_own: bool, is_hidden: bool) {
        if node < self.tree.here() {
            let text = self.tree.make(format_args!("{label}"));
            self.mask_made(text);
            self.tree.caption(node, Caption { text, is_own, is_hidden, is_absent: false });
        }
    }

    /// States that Wireshark has no item for the layer.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "scripts need not add an item"))]
    pub(crate) fn absent_layer(&mut self) {
        self.tree.caption(self.layer_node(), Caption { is_absent: true, ..Caption::default() });
    }

    /// Whether a field is among those that are kept.
    #[cfg_attr(not(feature = "lua"), expect(dead_code, reason = "layers of scripts have labels"))]
    pub(crate) fn may_keep(&self, field: &Field) -> bool {
        self.tree.demand().may_keep(field)
    }

    /// The number of notes so far.
    pub(crate) fn note_count(&self) -> usize {
        self.tree.notes.len()
    }

    /// Moves notes after the first `known` ones to the layer if they are on a field that was not kept: no message has its place.
    pub(crate) fn settle_notes(&mut self, known: usize) {
        let (layer, here) = (self.layer_node(), self.tree.here());
        self.tree.move_notes(known, here, layer);
    }

    /// The index of the next node.
    pub(crate) fn next_place(&self) -> u32 {
        self.tree.here()
    }
}
