//! Generated fields: their values follow from other fields, as those of Wireshark's hidden items do.
//!
//! No node has one, so that trees, tables and JSON are as they are without it. Filters and columns that name one compute it.

use super::{Field, NodeRef};
use std::borrow::Cow;

/// Computes the values that follow from a node, one by one.
pub type Generate = fn(NodeRef<'_>, &mut dyn FnMut(Computed<'_>));

/// How a field follows from others.
#[derive(Clone, Copy)]
pub struct Generated {
    /// The fields whose nodes it is computed from.
    pub from: &'static [&'static Field],
    /// Fields at or below those nodes that the computation reads as well.
    pub needs: &'static [&'static Field],
    /// Its values at such a node.
    pub of: Generate,
}

/// A value of a generated field.
#[derive(Debug, Clone, PartialEq)]
pub enum Computed<'t> {
    /// A number.
    Number(u64),
    /// True or false.
    Bool(bool),
    /// Text; bytes that are not UTF-8 stay as they are.
    Text(Cow<'t, [u8]>),
    /// Bytes.
    Bytes(Cow<'t, [u8]>),
}

impl<'t> Computed<'t> {
    /// Text of the bytes that a node was read from.
    #[must_use]
    pub fn borrowed(text: &'t [u8]) -> Computed<'t> {
        Computed::Text(Cow::Borrowed(text))
    }

    /// Text that was put together.
    #[must_use]
    pub fn made(text: impl Into<String>) -> Computed<'static> {
        Computed::Text(Cow::Owned(text.into().into_bytes()))
    }
}

impl Field {
    /// It is computed at the nodes of these fields.
    #[must_use]
    pub const fn generated(mut self, from: &'static [&'static Field], of: Generate) -> Field {
        self.generated = Some(Generated { from, needs: &[], of });
        self
    }

    /// Computing it reads these fields as well.
    ///
    /// # Panics
    /// Where it is not generated.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [&'static Field]) -> Field {
        assert!(self.generated.is_some(), "only a generated field needs others");
        if let Some(generated) = self.generated {
            self.generated = Some(Generated { needs, ..generated });
        }
        self
    }

    /// The field, and those that it is computed from or put as.
    pub fn with_sources(&'static self) -> impl Iterator<Item = &'static Field> {
        let (from, needs): (&[&Field], &[&Field]) =
            self.generated.map_or((&[], &[]), |generated| (generated.from, generated.needs));
        [self].into_iter().chain(self.twin).chain(from.iter().chain(needs).copied())
    }

    /// The values that it has at a node, if it is computed from such.
    pub fn compute(&self, node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
        if let Some(generated) = self.generated.filter(|generated| generated.from.iter().any(|from| from.is(node.field()))) {
            (generated.of)(node, take);
        }
    }
}

/// That the field is there, once for each node.
pub fn is_there(_: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Bool(true));
}

/// The value of a node as the text that stands for it in a column.
pub fn as_text(node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = node.write_plain(&mut text);
    take(Computed::made(text));
}
