//! A tree as indented text, one node per line, for comparison in tests.

use super::{Dissection, Kind, NodeRef};
use std::fmt::{self, Write};

/// A tree as indented text: span, field, value and name, then the notes.
///
/// ```text
/// vscp 0..27
///   0..1 vscp.section = 2 (Position update)
/// ```
#[must_use]
pub fn dump(of: Dissection<'_>) -> String {
    let mut out = String::new();
    for layer in &of.tree.layers {
        // Writing to a String does not fail.
        let _ = layer_lines(of, layer, &mut out);
    }
    for note in &of.tree.notes {
        let _ = note_line(of, note, &mut out);
    }
    out
}

fn layer_lines(of: Dissection<'_>, layer: &super::Layer, out: &mut String) -> fmt::Result {
    let Some(node) = of.layer_node(layer) else { return Ok(()) };
    write!(out, "{} {}..{}", node.field().abbrev, node.span().start, node.span().end)?;
    for words in [of.tree.generated_text(layer.name), &of.tree.info(layer)] {
        if !words.is_empty() {
            out.write_str(" | ")?;
            super::clean(words, out)?;
        }
    }
    out.write_char('\n')?;
    node.children().try_for_each(|child| node_lines(child, 1, out))
}

fn node_lines(node: NodeRef<'_>, depth: usize, out: &mut String) -> fmt::Result {
    write!(out, "{:indent$}", "", indent = depth * 2)?;
    let span = node.span();
    if span.is_somewhere() {
        write!(out, "{}..{} ", span.start, span.end)?;
    }
    out.write_str(node.field().abbrev)?;
    if node.field().kind != Kind::Group {
        out.write_str(" = ")?;
        node.write_value(out)?;
        if let Some(name) = node.name() {
            write!(out, " ({name})")?;
        }
    }
    out.write_char('\n')?;
    node.children().try_for_each(|child| node_lines(child, depth + 1, out))
}

fn note_line(of: Dissection<'_>, note: &super::Note, out: &mut String) -> fmt::Result {
    let level = match note.code.kind {
        Kind::Note(level) => level.word(),
        _ => "?",
    };
    let about = of.node(note.node).map_or("?", |node| node.field().abbrev);
    write!(out, "! {level} {} at {}..{} {about}: ", note.code.abbrev, note.span.start, note.span.end)?;
    super::clean(of.tree.generated_text(note.text), out)?;
    out.write_char('\n')
}
