//! What a protocol says of a message as a whole: its heading, and remarks.

use super::Wire;
use crate::tree::{Extras, Field, Label, Piece, Spaced, Span, SummaryFn};
use crate::wire::notes::EVICTED;
use crate::wire::{Error, Result, credentials, data};
use std::fmt;

impl Wire<'_> {
    /// What kind of message this is; shown in its heading.
    pub fn name(&mut self, name: &str) {
        let made = self.tree.make_name(name);
        let layer = self.layer as usize;
        if let Some(layer) = self.tree.layers.get_mut(layer) {
            layer.name = made;
        }
    }

    /// What the message says, in a line; shown in its heading.
    pub fn info(&mut self, info: fmt::Arguments<'_>) {
        let made = self.tree.make_heading(info);
        let layer = self.layer as usize;
        if let Some(layer) = self.tree.layers.get_mut(layer) {
            layer.info = made.into();
        }
    }

    /// What a list shows in place of the summary, if one is printed.
    pub fn preview(&mut self, words: fmt::Arguments<'_>) {
        self.tree.preview(self.layer, words);
    }

    /// Shows the first of these bytes in lists, if they are all that is known of the message.
    #[inline(never)]
    pub(super) fn preview_data(&mut self, bytes: &[u8]) {
        /// Bytes that are shown, and those that may be part of a secret among them.
        const SHOWN: usize = 16;
        const SEARCHED: usize = 256;
        let layer = self.tree.layers.get(self.layer as usize);
        let node = layer.and_then(|layer| self.tree.nodes.get(layer.node as usize));
        if !node.is_some_and(|node| node.field.is(&data::DATA)) {
            return;
        }
        let mut hidden = Vec::new();
        if !self.tree.reveal {
            credentials::find(bytes.get(..SEARCHED).unwrap_or(bytes), |secret| hidden.push(secret));
        }
        let (shown, rest) = bytes.split_at_checked(SHOWN).unwrap_or((bytes, &[]));
        let more = if rest.is_empty() { "" } else { " …" };
        self.preview(format_args!("{}{more}", Spaced::hiding(shown, 0, &hidden)));
    }

    /// Names the Protocol column of Wireshark for this layer, where it is not the protocol's own name.
    pub fn column(&mut self, name: &'static str) {
        self.tree.label(self.layer, Label::Column(name));
    }

    /// Names a protocol of Wireshark inside this layer that is no layer here.
    pub fn embeds(&mut self, name: &'static str) {
        self.tree.label(self.layer, Label::Inside(name));
    }

    /// Whether the bytes so far came in several frames; asked for [`Wire::embeds`] only.
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

    /// Say in which virtual network everything behind is.
    pub fn tag(&mut self, number: u64) {
        self.tree.tag = self.tree.tag.rotate_left(24) ^ (number + 1);
    }

    /// Read without touching the heading: what is quoted here would write its own.
    pub fn quoting<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let layer = self.layer as usize;
        let heading = self.tree.layers.get(layer).map(|layer| (layer.name, layer.info));
        let result = read(self);
        if let (Some(layer), Some((name, info))) = (self.tree.layers.get_mut(layer), heading) {
            (layer.name, layer.info) = (name, info);
        }
        result
    }

    /// Remark on the field just read.
    pub fn note(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let last = self.last_read();
        let span = self.tree.nodes.get(last as usize).map_or(Span::NONE, |node| node.span);
        self.tree.note(code, last, span, words);
    }

    /// Remark that a limit evicted state of the conversation, or kept some from being stored.
    pub fn evicted(&mut self, words: fmt::Arguments<'_>) {
        self.note(&EVICTED, words);
    }

    /// Remark on what comes next, up to the end.
    pub fn note_ahead(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let last = self.last_read();
        let span = Span::new(self.source, self.at..self.end);
        self.tree.note(code, last, span, words);
    }

    /// The field just read; those that were worked out since are not what a remark is about.
    fn last_read(&self) -> u32 {
        let nodes = self.tree.nodes.iter().rposition(|node| node.span.is_somewhere());
        nodes.and_then(|place| u32::try_from(place).ok()).unwrap_or_else(|| self.tree.here().saturating_sub(1))
    }

    /// Remark on the whole layer, and the bytes of it that were not read.
    pub fn note_layer(&mut self, code: &'static Field, words: fmt::Arguments<'_>) {
        let node = self.tree.layers.get(self.layer as usize).map_or(0, |layer| layer.node);
        self.tree.note(code, node, Span::new(self.source, self.at..self.end), words);
    }

    /// Remark that what comes next makes no sense, and stop reading.
    ///
    /// # Errors
    /// Always [`Error::Malformed`].
    pub fn malformed<T>(&mut self, code: &'static Field, words: fmt::Arguments<'_>) -> Result<T> {
        self.note_ahead(code, words);
        Err(Error::Malformed)
    }
}
