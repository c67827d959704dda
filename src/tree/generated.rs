//! Generated fields: computed from other fields, like Wireshark's hidden items.
//!
//! They have no nodes, so trees, tables and JSON do not contain them. Filters and columns that name one compute it.

use super::{Field, NodeRef};
use std::borrow::Cow;

/// Computes the values at a node, one by one.
pub type Generate = fn(NodeRef<'_>, &mut dyn FnMut(Computed<'_>));

/// How a field is computed from others.
#[derive(Clone, Copy)]
pub struct Generated {
    /// The fields whose nodes it is computed from.
    pub from: &'static [&'static Field],
    /// Fields at or below those nodes that the computation also reads.
    pub needs: &'static [&'static Field],
    /// Computes its values at such a node.
    pub of: Generate,
}

/// A value of a generated field.
#[derive(Debug, Clone, PartialEq)]
pub enum Computed<'t> {
    /// A number.
    Number(u64),
    /// True or false.
    Bool(bool),
    /// Text; may contain invalid UTF-8.
    Text(Cow<'t, [u8]>),
    /// Bytes.
    Bytes(Cow<'t, [u8]>),
}

impl<'t> Computed<'t> {
    /// Text from the bytes of a node.
    #[must_use]
    pub fn borrowed(text: &'t [u8]) -> Computed<'t> {
        Computed::Text(Cow::Borrowed(text))
    }

    /// Computed text.
    #[must_use]
    pub fn made(text: impl Into<String>) -> Computed<'static> {
        Computed::Text(Cow::Owned(text.into().into_bytes()))
    }
}

impl Field {
    /// Makes the field a generated one, computed at the nodes of these fields.
    #[must_use]
    pub const fn generated(mut self, from: &'static [&'static Field], of: Generate) -> Field {
        self.generated = Some(Generated { from, needs: &[], of });
        self
    }

    /// Declares further fields that the computation reads.
    ///
    /// # Panics
    /// If the field is not generated.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [&'static Field]) -> Field {
        assert!(self.generated.is_some(), "only a generated field needs others");
        if let Some(generated) = self.generated {
            self.generated = Some(Generated { needs, ..generated });
        }
        self
    }

    /// The field itself, its twin, and the fields that its computation reads.
    pub fn with_sources(&'static self) -> impl Iterator<Item = &'static Field> {
        let (from, needs): (&[&Field], &[&Field]) =
            self.generated.map_or((&[], &[]), |generated| (generated.from, generated.needs));
        [self].into_iter().chain(self.twin).chain(from.iter().chain(needs).copied())
    }

    /// Computes its values at a node, if that is of a field it is computed from.
    pub fn compute(&self, node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
        if let Some(generated) = self.generated.filter(|generated| generated.from.iter().any(|from| from.is(node.field()))) {
            (generated.of)(node, take);
        }
    }
}

/// The value true, once for each node.
pub fn is_there(_: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Bool(true));
}

/// The value of a node as its text in a column.
pub fn as_text(node: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let mut text = String::new();
    // Writing to memory cannot fail.
    let _ = node.write_plain(&mut text);
    take(Computed::made(text));
}
