//! A record as nested lists, for readers without scripts and for printing.
//!
//! Groups are folded as in tables. Of many siblings of one field, the first ones are listed and the others counted.

use super::block::cells;
use super::page::escaped;
use crate::record::{Bookmark, Record, level_of};
use crate::render::heading::line_of;
use crate::render::text::Plural;
use crate::render::units::Thousands;
use crate::tree::{Dissection, Field, NodeRef, Note, clean};
use std::fmt::{self, Write};

/// Maximum number of listed siblings of one field.
const HANDFUL: usize = 12;

/// Writes a record as a list item.
pub fn item(record: &Record<'_>, carriers: bool, out: &mut String) -> fmt::Result {
    out.push_str("<li>");
    escaped(&line_of(record), out);
    match record {
        Record::Message(message) => {
            let below = if carriers { message.carriers() } else { Vec::new() };
            let layers = below.into_iter().chain([message.layer]);
            lists(layers.filter_map(|layer| message.of.layer_node(layer)), carriers, out)?;
            notes_and_bookmarks(message.of, message.notes(), message.bookmarks(), out)?;
        }
        Record::Packet(packet) => {
            lists(packet.layers().filter_map(|layer| packet.of.layer_node(layer)), true, out)?;
            notes_and_bookmarks(packet.of, packet.notes(), packet.bookmarks(), out)?;
        }
        Record::Late(late) => {
            lists(late.layers.iter().filter_map(|layer| late.of.layer_node(layer)), true, out)?;
            notes_and_bookmarks(late.of, late.notes(), std::iter::empty(), out)?;
        }
        Record::Gap(_) => {}
    }
    // The end tag of the item is optional in HTML.
    out.push('\n');
    Ok(())
}

/// Writes the fields of layers, with the names of the layers if `named`.
fn lists<'t>(layers: impl Iterator<Item = NodeRef<'t>>, named: bool, out: &mut String) -> fmt::Result {
    for layer in layers {
        if named {
            out.push_str("<ul><li>");
            escaped(layer.field().name, out);
        }
        children(layer, out)?;
        out.push_str(if named { "</ul>" } else { "" });
    }
    Ok(())
}

/// Writes the child fields of a node.
fn children(node: NodeRef<'_>, out: &mut String) -> fmt::Result {
    if !node.has_children() {
        return Ok(());
    }
    out.push_str("<ul>");
    let (mut field, mut count): (Option<&'static Field>, usize) = (None, 0);
    let instead: Vec<&'static Field> = node.children().filter_map(|child| child.field().instead).collect();
    for child in node.children() {
        if !field.is_some_and(|field| field.is(child.field())) {
            rest(field, count, &instead, out)?;
            (field, count) = (Some(child.field()), 0);
        }
        count += 1;
        if count <= most(child.field(), &instead) {
            one(child, out)?;
        }
    }
    rest(field, count, &instead, out)?;
    out.push_str("</ul>");
    Ok(())
}

/// Maximum number of listed siblings of a field: 0 if another field represents them.
fn most(field: &Field, instead: &[&'static Field]) -> usize {
    if instead.iter().any(|other| other.is(field)) { 0 } else { HANDFUL }
}

/// Writes the number of omitted fields.
fn rest(field: Option<&'static Field>, count: usize, instead: &[&'static Field], out: &mut String) -> fmt::Result {
    let Some(field) = field else { return Ok(()) };
    match count.checked_sub(most(field, instead)) {
        Some(more @ 1..) => {
            write!(out, "<li>… {} more ", Thousands(more))?;
            escaped(&Plural(field.name).to_string(), out);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn one(node: NodeRef<'_>, out: &mut String) -> fmt::Result {
    let [value, meaning, title] = cells(node)?;
    out.push_str("<li>");
    escaped(if title.is_empty() { node.field().name } else { &title }, out);
    for (before, words) in [(": ", value), (" – ", meaning)] {
        if !words.is_empty() {
            out.push_str(before);
            escaped(&words, out);
        }
    }
    if node.field().collapses() { Ok(()) } else { children(node, out) }
}

fn notes_and_bookmarks<'n>(
    of: Dissection<'_>,
    notes: impl Iterator<Item = &'n Note>,
    bookmarks: impl Iterator<Item = &'static Bookmark>,
    out: &mut String,
) -> fmt::Result {
    let mut before = "<ul>";
    for note in notes {
        let mut words = String::new();
        clean(of.tree.generated_text(note.text), &mut words)?;
        write!(out, "{before}<li><b>{}</b> {} ", level_of(note).word(), note.code.abbrev)?;
        escaped(&words, out);
        before = "";
    }
    for bookmark in bookmarks {
        let mut words = String::new();
        clean(&bookmark.note, &mut words)?;
        write!(out, "{before}<li><b>{}</b> ", if bookmark.is_marked { "bookmark" } else { "note" })?;
        escaped(&words, out);
        before = "";
    }
    out.push_str(if before.is_empty() { "</ul>" } else { "" });
    Ok(())
}
