//! Names of values as the table has them: the key of a header, the path of a Pip-Boy entry.

use crate::tree::{Kind, NodeRef, Value, clean_escaped};
use std::ops::Range;

/// Maximum length of a name in bytes; a longer one begins at its innermost part.
const LONGEST: usize = 200;

/// A group with a name, around the next fields.
struct Owner {
    /// The index of the last node below it.
    last: u32,
    title: Range<usize>,
    of: Named,
    /// The name is in the message itself, so that it says which values correspond.
    is_key: bool,
}

/// What the name of a group names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// This node: the table shows its value beside the name.
    Value(u32),
    /// Each value below, under its own label.
    Members,
    /// None: the name says what kind of group it is.
    Nothing,
}

/// The named groups around a node, while the nodes of a layer are read in order.
#[derive(Default)]
pub(super) struct Titles {
    owners: Vec<Owner>,
    text: String,
}

impl Titles {
    /// Writes the name of the next node, if it has one of its own. Returns whether the message itself contains this name.
    pub(super) fn write(&mut self, node: NodeRef<'_>, out: &mut String) -> bool {
        while self.owners.last().is_some_and(|owner| owner.last < node.place()) {
            self.owners.pop();
        }
        let end = self.owners.last().map_or(0, |owner| owner.title.end);
        self.text.truncate(end);
        if node.field().titled.is_some() && !node.is_secret() {
            self.enter(node);
        }
        let Some(owner) = self.owners.last() else { return false };
        let title = self.text.get(owner.title.clone()).unwrap_or_default();
        match owner.of {
            Named::Value(place) if place == node.place() => out.push_str(title),
            Named::Members if !node.has_children() && node.field().kind != Kind::Group => {
                out.push_str(title);
                out.push('.');
                out.push_str(node.field().name);
            }
            _ => return false,
        }
        owner.is_key
    }

    /// Adds a node with a name around those that follow.
    fn enter(&mut self, node: NodeRef<'_>) {
        let mut title = String::new();
        // Writing to a string cannot fail.
        if !node.write_title(&mut title).unwrap_or(false) {
            return;
        }
        let (outer, outer_is_key) = self.owners.last().map_or((0..0, true), |owner| (owner.title.clone(), owner.is_key));
        let outer = self.text.get(outer).unwrap_or_default().to_owned();
        let start = self.text.len();
        if !outer.is_empty() && !title.starts_with(&outer) && outer.len() + title.len() < LONGEST {
            self.text.push_str(&outer);
            self.text.push('.');
        }
        let _ = clean_escaped(&title, &mut self.text);
        let is_key = outer_is_key && is_key(node, &title);
        self.owners.push(Owner { last: node.last(), title: start..self.text.len(), of: named(node, &title), is_key });
    }
}

/// Whether a name is a text of its own node. Other names depend on earlier messages, or are those of numbers.
fn is_key(node: NodeRef<'_>, title: &str) -> bool {
    let is_text = |node: NodeRef<'_>| node.field().kind == Kind::Text && node.span().is_somewhere();
    let is_title = |child: NodeRef<'_>| {
        let mut text = String::new();
        is_text(child) && child.write_plain(&mut text).is_ok() && text == title
    };
    is_text(node) || node.children().any(is_title)
}

/// What the name of a node names.
fn named(node: NodeRef<'_>, title: &str) -> Named {
    if node.field().kind != Kind::Group {
        return Named::Value(node.place());
    }
    let Some(cells) = node.cells() else {
        let is_kind = node.children().find_map(NodeRef::name).is_some_and(|kind| kind == title);
        return if is_kind { Named::Nothing } else { Named::Members };
    };
    let (mut shown, mut value) = (String::new(), String::new());
    let _ = (cells.value)(node, &mut shown);
    let is_shown = |child: &NodeRef<'_>| {
        value.clear();
        let is_value = !child.has_children() && !matches!(child.value(), Value::None) && child.span().is_somewhere();
        is_value && child.write_value(&mut value).is_ok() && value == shown
    };
    node.children().filter(is_shown).last().map_or(Named::Nothing, |child| Named::Value(child.place()))
}
