//! Names of values in tables: a group may have a name instead of its label.
//!
//! ```text
//! Map.World.Player.X   -4298   was -4310.5        instead of   entry [1]
//! Expires   "Sat, 01 Jan 2000 00:00:00 GMT"       instead of   header [1]
//! ```

use super::{CollapsedText, Kind, NodeRef, Words, clean};
use std::fmt::{self, Write};

/// How tables show a node with a name.
#[derive(Clone, Copy)]
pub struct Titled {
    /// The name. If the formatter writes nothing, the label is shown.
    pub title: Words,
    /// Value and meaning beside the name, if they differ from those beside the label.
    pub cells: Option<CollapsedText>,
}

impl NodeRef<'_> {
    /// Writes the name, or else the label of the field. Returns whether there is a name.
    pub fn write_title(self, out: &mut dyn Write) -> Result<bool, fmt::Error> {
        if let Some(label) = self.own_label() {
            return clean(label, out).map(|()| true);
        }
        let mut title = Noticed { out, is_begun: false };
        if let Some(titled) = self.field().titled {
            (titled.title)(self, &mut title)?;
        }
        if title.is_begun { Ok(true) } else { out.write_str(self.field().name).map(|()| false) }
    }

    /// Value and meaning beside the name, if they differ from those beside the label.
    #[must_use]
    pub fn cells(self) -> Option<CollapsedText> {
        if self.own_label().is_some() {
            return Some(CollapsedText { value: nothing, meaning: nothing });
        }
        self.field().titled.and_then(|titled| titled.cells).filter(|_| !self.is_secret())
    }
}

/// Detects whether anything is written.
struct Noticed<'o> {
    out: &'o mut dyn Write,
    is_begun: bool,
}

impl Write for Noticed<'_> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        self.is_begun |= !words.is_empty();
        self.out.write_str(words)
    }
}

/// Writes nothing, for groups that name and value describe completely.
pub fn nothing(_: NodeRef<'_>, _: &mut dyn Write) -> fmt::Result {
    Ok(())
}

/// Writes the value name of the first child that has one: the kind of an option.
pub fn kind(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str(node.children().find_map(NodeRef::name).unwrap_or_default())
}

/// Writes the first text below: the key of a pair.
pub fn key(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let text = node.children().find(|child| child.field().kind == Kind::Text);
    text.map_or(Ok(()), |text| clean(&text.text(), out))
}

/// Writes the last child: the value of a pair.
pub fn last_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    node.children().last().map_or(Ok(()), |last| last.write_value(out))
}

/// Writes the name of a header line: the text before its colon.
pub fn header_name(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.text().split_once(':') {
        Some((name, _)) => clean(name.trim(), out),
        None => Ok(()),
    }
}

/// Writes the value of a header line in quotes.
pub fn header_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let text = node.text();
    let value = text.split_once(':').map_or("", |(_, value)| value.trim());
    out.write_char('"')?;
    clean(value, out)?;
    out.write_char('"')
}
