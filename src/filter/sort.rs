//! Types of values in filters.

use crate::tree::Names;

/// Type of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// An integer, with value names.
    Number(Names),
    Float,
    /// A boolean, with names of both values.
    Bool(Names),
    /// A time interval.
    Span,
    /// A point in time.
    Moment,
    Text,
    Bytes,
    Mac,
    Ipv4,
    Ipv6,
    /// A protocol or a group, with its bytes as the value.
    Layer,
    /// A note, which is present or not.
    Note,
}

impl Sort {
    /// Description of the type.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Sort::Number(_) => "a number",
            Sort::Float => "a floating-point number",
            Sort::Bool(_) => "true or false",
            Sort::Span => "a time interval",
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

    /// Description of accepted literals.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Sort::Number([]) => "an integer",
            Sort::Number(_) => "an integer or a value name",
            Sort::Float => "a number",
            Sort::Bool(_) => "true or false",
            Sort::Span => "seconds",
            Sort::Moment => "seconds since 1970 or a time such as \"2015-11-24 21:20:00\"",
            Sort::Text => "text",
            Sort::Bytes | Sort::Layer => "bytes such as 0a:1b:2c, or text in quotes",
            Sort::Mac => "an Ethernet address such as 00:11:22:33:44:55",
            Sort::Ipv4 => "an IPv4 address such as 10.0.0.1 or 10.0.0.0/8",
            Sort::Ipv6 => "an IPv6 address such as 2001:db8::1 or 2001:db8::/32",
            Sort::Note => "no value: a note has none",
        }
    }

    /// Whether arithmetic accepts its values.
    pub(super) const fn is_computed(self) -> bool {
        matches!(self, Sort::Number(_) | Sort::Float | Sort::Span)
    }

    /// The type without value names, for computed values.
    pub(super) const fn without_names(self) -> Sort {
        match self {
            Sort::Number(_) => Sort::Number(&[]),
            sort => sort,
        }
    }

    /// Whether its values can be sliced and searched.
    pub(super) const fn has_bytes(self) -> bool {
        matches!(self, Sort::Text | Sort::Bytes | Sort::Mac | Sort::Layer)
    }

    /// Whether values of both types can be compared.
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
