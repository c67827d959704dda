//! Types of values in filters.

use crate::tree::Names;

/// What sort of values something has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// A whole number, and the names of some.
    Number(Names),
    Float,
    /// True or false, and other names of the two.
    Bool(Names),
    /// A span of seconds.
    Span,
    /// A point in time.
    Moment,
    Text,
    Bytes,
    Mac,
    Ipv4,
    Ipv6,
    /// A protocol or a group, which stands for the bytes it was read from.
    Layer,
    /// A note; there or not.
    Note,
}

impl Sort {
    /// What it is called.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Sort::Number(_) => "a number",
            Sort::Float => "a floating-point number",
            Sort::Bool(_) => "true or false",
            Sort::Span => "a span of time",
            Sort::Moment => "a point in time",
            Sort::Text => "text",
            Sort::Bytes => "bytes",
            Sort::Mac => "an Ethernet address",
            Sort::Ipv4 => "an IPv4 address",
            Sort::Ipv6 => "an IPv6 address",
            Sort::Layer => "a protocol or a group",
            Sort::Note => "a note",
        }
    }

    /// What is to be written for one.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Sort::Number([]) => "a whole number",
            Sort::Number(_) => "a whole number or the name of a value",
            Sort::Float => "a number",
            Sort::Bool(_) => "true or false",
            Sort::Span => "seconds",
            Sort::Moment => "seconds since 1970 or a time such as \"2015-11-24 21:20:00\"",
            Sort::Text => "text",
            Sort::Bytes | Sort::Layer => "bytes such as 0a:1b:2c, or text in quotes",
            Sort::Mac => "an Ethernet address such as 00:11:22:33:44:55",
            Sort::Ipv4 => "an IPv4 address such as 10.0.0.1 or 10.0.0.0/8",
            Sort::Ipv6 => "an IPv6 address such as 2001:db8::1 or 2001:db8::/32",
            Sort::Note => "nothing: a note is there or not",
        }
    }

    /// Whether arithmetic takes its values.
    pub(super) const fn is_computed(self) -> bool {
        matches!(self, Sort::Number(_) | Sort::Float | Sort::Span)
    }

    /// The same without names of single values, which computed ones have no use for.
    pub(super) const fn without_names(self) -> Sort {
        match self {
            Sort::Number(_) => Sort::Number(&[]),
            sort => sort,
        }
    }

    /// Whether its values are bytes that can be looked into.
    pub(super) const fn has_bytes(self) -> bool {
        matches!(self, Sort::Text | Sort::Bytes | Sort::Mac | Sort::Layer)
    }

    /// Whether two values can be held against each other.
    pub(super) const fn fits(self, other: Sort) -> bool {
        use Sort::{Bool, Bytes, Float, Ipv4, Ipv6, Layer, Mac, Moment, Number, Span, Text};
        matches!(
            (self, other),
            (Number(_) | Float, Number(_) | Float)
                | (Bool(_), Bool(_))
                | (Span, Span)
                | (Moment, Moment)
                | (Text, Text)
                | (Bytes | Mac | Layer, Bytes | Mac | Layer)
                | (Ipv4, Ipv4)
                | (Ipv6, Ipv6)
        )
    }
}
