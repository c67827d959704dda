//! One-line summaries of attributes, rows and values.

use super::fields::*;
use crate::tree::{NodeRef, Value, hex};
use std::fmt::{self, Write};

/// Number of list elements shown.
const SHOWN_ELEMENTS: usize = 5;

type Out<'o> = &'o mut dyn Write;

/// Value of an attribute.
pub(super) fn attr_value(attr: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match attr.children().last() {
        Some(last) => value(last, out),
        None => Ok(()),
    }
}

/// Key of an attribute and meaning of its value.
pub(super) fn attr_meaning(attr: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    key(attr, out)?;
    attr_beside(attr, &mut Comma { out, begun: false })
}

/// Meaning of the value of an attribute.
pub(super) fn attr_beside(attr: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let Some(last) = attr.children().last() else { return Ok(()) };
    let inner = last.children().find(|child| !is_about(*child)).unwrap_or(last);
    if is_container(inner) || is_container(last) { Ok(()) } else { value_meaning(inner, out) }
}

/// Meaning of a value shown by [`value`]; the number of a masked session ID is not repeated.
fn value_meaning(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    if node.is_secret() && node.child(&SESSION).is_some() { user_meaning(node, out) } else { node.write_meaning(out) }
}

/// Writes a comma before the first text.
struct Comma<'o> {
    out: Out<'o>,
    begun: bool,
}

impl Write for Comma<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.begun && !text.is_empty() {
            self.begun = true;
            self.out.write_str(", ")?;
        }
        self.out.write_str(text)
    }
}

/// Key of an attribute.
pub(super) fn key(attr: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    if let Some(name) = attr.child(&ATTR_NAME) {
        return name.write_plain(out);
    }
    let Some(number) = attr.child(&KEY).or_else(|| attr.child(&PREFERENCE)) else { return Ok(()) };
    match number.name() {
        Some(name) => out.write_str(name),
        None => number.write_value(out),
    }
}

fn is_container(node: NodeRef<'_>) -> bool {
    node.field().is(&LIST_GROUP) || node.field().is(&MAP)
}

fn value(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    if node.field().is(&LIST_GROUP) {
        out.write_char('[')?;
        let is_head = |node: &NodeRef<'_>| [&ELEM_TYPE, &LIST_COUNT, &STRING_LEN].iter().any(|head| head.is(node.field()));
        let elements = || node.children().filter(|child| !is_head(child));
        for (at, element) in elements().take(SHOWN_ELEMENTS).enumerate() {
            out.write_str(if at > 0 { ", " } else { "" })?;
            value(element, out)?;
        }
        let more = elements().count().saturating_sub(SHOWN_ELEMENTS);
        if more > 0 {
            write!(out, ", … {more} more")?;
        }
        return out.write_char(']');
    }
    if node.field().is(&MAP) {
        out.write_char('{')?;
        for (at, member) in node.children().filter(|child| child.field().is(&ATTR)).enumerate() {
            out.write_str(if at > 0 { ", " } else { "" })?;
            key(member, out)?;
            out.write_str(": ")?;
            attr_value(member, out)?;
            let inner = member.children().last().and_then(|last| last.children().next());
            if let Some(name) = inner.filter(|inner| !is_container(*inner)).and_then(NodeRef::name) {
                write!(out, " ({name})")?;
            }
        }
        return out.write_char('}');
    }
    let meaning = node.children().find(|child| !is_about(*child)).unwrap_or(node);
    match meaning.child(&SESSION).and_then(NodeRef::number) {
        Some(alias) if meaning.is_secret() => write!(out, "sid #{alias}"),
        _ => meaning.write_value(out),
    }
}

/// Whether a field describes its parent, an ID.
fn is_about(node: NodeRef<'_>) -> bool {
    node.field().is(&USER) || node.field().is(&SESSION)
}

/// Cells of a row.
pub(super) fn row_value(row: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let mut is_friend = false;
    for (at, cell) in row.children().enumerate() {
        let was_friend = std::mem::replace(&mut is_friend, cell.field().is(&COMMON_FRIEND));
        out.write_str(match (at, is_friend, was_friend) {
            (0, false, _) => "",
            (0, true, _) => "common friends ",
            (_, true, false) => " · common friends ",
            (_, true, true) => ", ",
            (_, false, _) => " · ",
        })?;
        value(cell, out)?;
    }
    Ok(())
}

/// Meanings of cells that do not show them themselves.
pub(super) fn row_meaning(row: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let mut last = String::new();
    for cell in row.children() {
        let mut meaning = String::new();
        value_meaning(cell, &mut meaning)?;
        if !meaning.is_empty() && meaning != last {
            write!(out, "{}{meaning}", if last.is_empty() { "" } else { ", " })?;
            last = meaning;
        }
    }
    Ok(())
}

pub(super) fn number_value(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match node.value() {
        Value::Unsigned(number) => write!(out, "{number}"),
        Value::Signed(number) => write!(out, "{number}"),
        _ => Ok(()),
    }
}

/// All bytes in hexadecimal.
pub(super) fn hex_value(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    hex(node.bytes(), out)
}

pub(super) fn plain_value(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    node.write_plain(out)
}

pub(super) fn no_meaning(_: NodeRef<'_>, _: Out<'_>) -> fmt::Result {
    Ok(())
}

/// Name of the user with this ID.
pub(super) fn user_meaning(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match node.child(&USER) {
        Some(user) => user.write_plain(out),
        None => Ok(()),
    }
}

/// Number and user of a session, or its absence.
pub(super) fn sid_meaning(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    if node.bytes().iter().all(|byte| *byte == 0) {
        return out.write_str("offline");
    }
    if let Some(alias) = node.child(&SESSION).and_then(NodeRef::number) {
        write!(out, "sid #{alias}")?;
    }
    user_meaning(node, &mut Comma { out, begun: node.child(&SESSION).is_none() })
}

/// Time in UTC.
pub(super) fn time_meaning(node: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let seconds = node.number().and_then(|seconds| i64::try_from(seconds).ok()).filter(|seconds| *seconds > 0);
    match seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()) {
        Some(time) => write!(out, "{time}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Dissection, Field, FrameInfo, Span, Tree};

    /// A value with a name has a meaning; a list shows the names of its elements as its value.
    #[test]
    fn lists_have_no_meaning_beside_their_value() {
        static COLOUR: Field = Field { names: &[(1, "red")], ..Field::number("xfire.colour", "colour", "") };
        let meaning = |is_list: bool| {
            let mut tree = Tree::complete();
            tree.begin(FrameInfo::default());
            let attr = tree.push(&ATTR, Value::None, Span::NONE);
            let list = is_list.then(|| tree.push(&LIST_GROUP, Value::None, Span::NONE));
            tree.push(&COLOUR, Value::Unsigned(1), Span::NONE);
            list.into_iter().for_each(|list| tree.close(list, &LIST_GROUP, 0));
            tree.close(attr, &ATTR, 0);
            let mut out = String::new();
            attr_beside(Dissection { tree: &tree, bytes: &[] }.node(attr).unwrap(), &mut out).unwrap();
            out
        };
        assert_eq!([false, true].map(meaning), ["red", ""]);
    }
}
