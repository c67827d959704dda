//! Properties of a layer beyond protocol and summary, recorded only on request: Wireshark's names, and a preview for lists.

use super::{Extras, Field, LayerId, TextRange, Tree};
use std::fmt;

/// A property of a layer.
#[derive(Debug, Clone, Copy)]
pub enum Label {
    /// The text of Wireshark's Protocol column.
    Column(&'static str),
    /// A Wireshark protocol inside the layer that has no layer here.
    Inside(&'static str),
    /// The segment of the layer contains a part of a message that ends in a later one, and Wireshark shows it.
    Begins(&'static Field, Partial),
    /// The text in lists instead of the summary.
    Preview(TextRange),
}

/// What Wireshark shows of a segment that completes no message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Partial {
    /// The Protocol column; empty if the last bytes of the segment do not change it.
    pub column: &'static str,
    /// A protocol inside; may be empty.
    pub inside: &'static str,
    /// Whether the bytes are no record, which Wireshark notes.
    pub ignored: bool,
}

/// The position of the last bytes of a segment, if they complete no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unended<'a> {
    /// They begin a message.
    Begins,
    /// They continue a message.
    Continues,
    /// They follow a hole, after the end of the incomplete message; these are the bytes.
    AfterGap(&'a [u8]),
}

impl Tree {
    /// Records a property of a layer, if requested.
    #[inline]
    pub fn label(&mut self, layer: LayerId, label: Label) {
        if self.demand().has(Extras::LABELS) {
            self.keep_label(layer, label);
        }
    }

    /// Stores the preview of a layer, if requested.
    pub fn preview(&mut self, layer: LayerId, words: fmt::Arguments<'_>) {
        if self.demand().has(Extras::PREVIEWS) {
            let made = self.make(words);
            self.keep_label(layer, Label::Preview(made));
        }
    }

    /// The preview of the layer with this root node; may be empty.
    #[must_use]
    pub fn preview_of(&self, node: u32) -> &str {
        let preview = |label| if let Label::Preview(made) = label { Some(self.generated_text(made)) } else { None };
        self.labels_of(node).find_map(preview).unwrap_or_default()
    }

    #[cold]
    fn keep_label(&mut self, layer: LayerId, label: Label) {
        // Layers may be sorted later; nodes keep their indexes.
        if let Some(layer) = self.layers.get(layer as usize) {
            self.labels.push((layer.node, label));
        }
    }

    /// Labels of the layer with this root node, in the order in which they were recorded.
    pub fn labels_of(&self, node: u32) -> impl Iterator<Item = Label> {
        self.labels.iter().filter(move |(of, _)| *of == node).map(|(_, label)| *label)
    }
}
