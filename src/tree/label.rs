//! What a layer has beyond its protocol's name and its summary, recorded only on request: names that Wireshark has for it, and
//! a preview for lists.

use super::{Extras, Field, LayerId, Made, Tree};
use std::fmt;

/// Such a name.
#[derive(Debug, Clone, Copy)]
pub enum Label {
    /// What the Protocol column shows for the layer.
    Column(&'static str),
    /// A protocol of Wireshark inside the layer that is no layer here.
    Inside(&'static str),
    /// The segment of the layer has bytes of a message of this protocol that ends in a later one, and Wireshark reads them.
    Begins(&'static Field, Partial),
    /// What lists show in place of the summary.
    Preview(Made),
}

/// What Wireshark shows of a segment that ends no message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Partial {
    /// The Protocol column; empty if that is as without the segment's last bytes.
    pub column: &'static str,
    /// A protocol inside; may be empty.
    pub inside: &'static str,
    /// Whether the bytes are no record, which Wireshark remarks on.
    pub ignored: bool,
}

/// Where the last bytes of a segment lie, if they end no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unended<'a> {
    /// A message begins with them.
    Begins,
    /// They continue a message.
    Continues,
    /// Bytes before these are missing so far, and they lie behind the end of the message that waits for those.
    BehindHole(&'a [u8]),
}

impl Tree {
    /// Records a name of a layer, if requested.
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
        let preview = |label| if let Label::Preview(made) = label { Some(self.made(made)) } else { None };
        self.labels_of(node).find_map(preview).unwrap_or_default()
    }

    #[cold]
    fn keep_label(&mut self, layer: LayerId, label: Label) {
        // Layers may be sorted later; nodes keep their places.
        if let Some(layer) = self.layers.get(layer as usize) {
            self.labels.push((layer.node, label));
        }
    }

    /// The names of the layer with this root node, in the order in which they were recorded.
    pub fn labels_of(&self, node: u32) -> impl Iterator<Item = Label> {
        self.labels.iter().filter(move |(of, _)| *of == node).map(|(_, label)| *label)
    }
}
