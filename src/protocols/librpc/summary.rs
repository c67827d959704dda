//! Display of values.

use super::fields::*;
use super::script::Quoted;
use crate::tree::{NodeRef, clean, clean_escaped};
use std::fmt::{self, Write};

/// Text without quotes; it contains its own escape sequences.
pub(super) fn plain(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    clean_escaped(&node.text(), out)
}

pub(super) fn nothing(_: NodeRef<'_>, _: &mut dyn Write) -> fmt::Result {
    Ok(())
}

/// Short form of a value: a small value itself, a node by its function, an array by its elements.
pub(super) fn role_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    for child in node.children() {
        let field = child.field();
        if field.is(&STRING_VALUE) {
            return clean_escaped(&Quoted(child.text_bytes()).to_string(), out);
        }
        if field.is(&INTEGER_VALUE) || field.is(&FLOAT_VALUE) || field.is(&BOOL_VALUE) {
            return child.write_value(out);
        }
        if field.is(&X) {
            return reals(node, out);
        }
        if field.is(&FUNCTION) {
            clean(&child.text(), out)?;
            return out.write_str("(…)");
        }
        if field.is(&ARRAY_SIZE) {
            let count = node.child(&ARRAY_COUNT).and_then(NodeRef::number).unwrap_or_default();
            return write!(out, "{count} {}", if count == 1 { "element" } else { "elements" });
        }
    }
    Ok(())
}

fn reals(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut before = "(";
    for part in [&X, &Y, &Z, &W].into_iter().filter_map(|field| node.child(field)) {
        out.write_str(before)?;
        part.write_value(out)?;
        before = ", ";
    }
    out.write_char(')')
}

/// Type of a value.
pub(super) fn role_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    if let Some(kind) = node.child(&VALUE_TYPE) {
        return out.write_str(kind.name().unwrap_or_default());
    }
    node.child(&NODE_NAME).map_or(Ok(()), |name| out.write_str(&name.text()))
}
