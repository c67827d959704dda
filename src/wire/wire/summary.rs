//! Type, summary and notes of a message.

use super::Wire;
use crate::tree::{Extras, Field, Label, Piece, Spaced, Span, SummaryFn};
use crate::wire::notes::{EVICTED, UNUSUAL};
use crate::wire::{Error, Result, credentials, data};
use std::fmt;

impl Wire<'_> {
    /// Sets the type of the message, which its summary line shows.
    pub fn name(&mut self, name: &str) {
        let made = self.tree.make_name(name);
        self.mask_made(made);
        let layer = self.layer as usize;
        if let Some(layer) = self.tree.layers.get_mut(layer) {
            layer.name = made;
        }
    }

    /// Whether the message has a summary.
    pub(crate) fn has_info(&self) -> bool {
        self.tree.layers.get(self.layer as usize).is_some_and(|layer| !layer.info.is_empty())
    }

    /// Sets the summary of the message.
    pub fn info(&mut self, info: fmt::Arguments<'_>) {
        let made = self.tree.make_heading(info);
        self.mask_made(made);
        let layer = self.layer as usize;
        if let Some(layer) = self.tree.layers.get_mut(layer) {
            layer.info = made.into();
        }
    }

    /// Sets the text in lists instead of the summary, if previews are requested.
    pub fn preview(&mut self, words: fmt::Arguments<'_>) {
        self.tree.preview(self.layer, words);
    }

    /// Shows the first of these bytes in lists, if nothing else is known of the message.
    #[inline(never)]
    pub(super) fn preview_data(&mut self, bytes: &[u8]) {
        /// Number of bytes shown, and of bytes that are searched for secrets.
        const SHOWN: usize = 16;
        const SEARCHED: usize = 256;
        let layer = self.tree.layers.get(self.layer as usize);
        let node = layer.and_then(|layer| self.tree.nodes.get(layer.node as usize));
        if !node.is_some_and(|node| node.field.is(&data::DATA)) {
            return;
        }
        let mut hidden = Vec::new();
        if !self.tree.run.reveal {
            credentials::find_before(bytes.get(..SEARCHED).unwrap_or(bytes), SHOWN, |secret| hidden.push(secret));
            let masked = self.tree.masked_spans().iter().rev().take_while(|span| span.source == self.source);
            let place = |at: u32| (at as usize).saturating_sub(self.at);
            hidden.extend(masked.map(|span| place(span.start)..place(span.end)));
        }
        let (shown, rest) = bytes.split_at_checked(SHOWN).unwrap_or((bytes, &[]));
        let more = if rest.is_empty() { "" } else { " …" };
        self.preview(format_args!("{}{more}", Spaced::hiding(shown, 0, &hidden)));
    }

    /// Sets Wireshark's Protocol column for this layer, if it differs from the protocol name.
    pub fn column(&mut self, name: &'static str) {
        self.tree.label(self.layer, Label::Column(name));
    }

    /// Adds the name of a protocol that is a layer in Wireshark and part of this layer here.
    pub fn embeds(&mut self, name: &'static str) {
        self.tree.label(self.layer, Label::Inside(name));
    }

    /// Whether the bytes so far are from several frames; for [`Wire::embeds`] only.
    #[must_use]
    pub fn spans_frames(&self) -> bool {
        let is_of_others = |pieces: &[Piece]| matches!(pieces, [first, .., last] if first.frame != last.frame);
        self.tree.demand().has(Extras::LABELS) && is_of_others(&self.pieces(0..self.at, 0))
    }

    /// Defers a header's summary: the text is generated from these numbers only when displayed.
    pub fn lazy_summary(&mut self, numbers: &[u64], summarize: SummaryFn) {
        let info = self.tree.make_lazy_summary(numbers, summarize);
        if let Some(layer) = self.tree.layers.get_mut(self.layer as usize) {
            layer.info = info;
        }
    }

    /// Sets the virtual network of the following layers.
    pub fn tag(&mut self, number: u64) {
        self.tree.outcome.tag = self.tree.outcome.tag.rotate_left(24) ^ (number + 1);
    }

    /// Reads without changing the summary, for quoted packets.
    pub fn quoting<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let layer = self.layer as usize;
        let heading = self.tree.layers.get(layer).map(|layer| (layer.name, layer.info));
        let result = read(self);
        if let (Some(layer), Some((name, info))) = (self.tree.layers.get_mut(layer), heading) {
            (layer.name, layer.info) = (name, info);
        }
        result
    }

    /// Adds a note on the last field.
    pub fn note(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let last = self.last_read();
        let span = self.tree.nodes.get(last as usize).map_or(Span::NONE, |node| node.span);
        self.add_note(code, last, span, words);
    }

    /// Adds a note whose text may quote the input.
    fn add_note(&mut self, code: &'static Field, node: u32, span: Span, words: fmt::Arguments<'_>) {
        let count = self.tree.notes.len();
        self.tree.note(code, node, span, words);
        if let Some(made) = self.tree.notes.get(count).map(|note| note.text) {
            self.mask_made(made);
        }
    }

    /// Adds a note that a limit evicted state of the conversation, or prevented its storage.
    pub fn evicted(&mut self, words: fmt::Arguments<'_>) {
        self.note(&EVICTED, words);
    }

    /// Adds a note on the unread bytes.
    pub fn note_ahead(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let last = self.last_read();
        let span = Span::new(self.source, self.at..self.end);
        self.add_note(code, last, span, words);
    }

    /// The last field that was read; notes do not refer to computed fields.
    fn last_read(&self) -> u32 {
        let nodes = self.tree.nodes.iter().rposition(|node| node.span.is_somewhere());
        nodes.and_then(|place| u32::try_from(place).ok()).unwrap_or_else(|| self.tree.here().saturating_sub(1))
    }

    /// Adds a note on the whole layer, and its unread bytes.
    pub fn note_layer(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let node = self.tree.layers.get(self.layer as usize).map_or(0, |layer| layer.node);
        self.add_note(code, node, Span::new(self.source, self.at..self.end), words);
    }

    /// Notes a wrong field in the header of the message, unless the last note of the message is on one.
    pub fn note_unusual(&mut self, words: fmt::Arguments<'_>) {
        let node = self.tree.layers.get(self.layer as usize).map_or(0, |layer| layer.node);
        if self.tree.notes.last().is_none_or(|note| !note.code.is(&UNUSUAL) || note.node != node) {
            self.note_layer(&UNUSUAL, words);
        }
    }

    /// Notes that the next bytes are malformed, and stops reading.
    ///
    /// # Errors
    /// Always [`Error::Malformed`].
    pub fn malformed<T>(&mut self, code: &'static Field, words: fmt::Arguments<'_>) -> Result<T> {
        self.note_ahead(code, words);
        Err(Error::Malformed)
    }
}
