//! Types of values in filters.

use crate::tree::Names;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ValueType {
    /// An integer, with value names.
    Number(Names),
    Float,
    /// A boolean, with names of both values.
    Bool(Names),
    /// A time interval.
    Span,
    /// A point in time.
    Time,
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

impl ValueType {
    /// Description of the type.
    pub(super) const fn words(self) -> &'static str {
        match self {
            ValueType::Number(_) => "a number",
            ValueType::Float => "a floating-point number",
            ValueType::Bool(_) => "true or false",
            ValueType::Span => "a time interval",
            ValueType::Time => "a point in time",
            ValueType::Text => "text",
            ValueType::Bytes => "bytes",
            ValueType::Mac => "an Ethernet address",
            ValueType::Ipv4 => "an IPv4 address",
            ValueType::Ipv6 => "an IPv6 address",
            ValueType::Layer => "a protocol or a group",
            ValueType::Note => "a note",
        }
    }

    /// Description of accepted literals.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            ValueType::Number([]) => "an integer",
            ValueType::Number(_) => "an integer or a value name",
            ValueType::Float => "a number",
            ValueType::Bool(_) => "true or false",
            ValueType::Span => "seconds",
            ValueType::Time => "seconds since 1970 or a time such as \"2015-11-24 21:20:00\"",
            ValueType::Text => "text",
            ValueType::Bytes | ValueType::Layer => "bytes such as 0a:1b:2c, or text in quotes",
            ValueType::Mac => "an Ethernet address such as 00:11:22:33:44:55",
            ValueType::Ipv4 => "an IPv4 address such as 10.0.0.1 or 10.0.0.0/8",
            ValueType::Ipv6 => "an IPv6 address such as 2001:db8::1 or 2001:db8::/32",
            ValueType::Note => "no value: a note has none",
        }
    }

    /// Whether arithmetic accepts its values.
    pub(super) const fn is_computed(self) -> bool {
        matches!(self, ValueType::Number(_) | ValueType::Float | ValueType::Span)
    }

    /// The type without value names, for computed values.
    pub(super) const fn without_names(self) -> ValueType {
        match self {
            ValueType::Number(_) => ValueType::Number(&[]),
            value_type => value_type,
        }
    }

    /// Whether its values can be searched.
    pub(super) const fn has_bytes(self) -> bool {
        matches!(self, ValueType::Text | ValueType::Bytes | ValueType::Mac | ValueType::Layer)
    }

    /// Whether its values can be sliced, and have a length.
    pub(super) const fn has_octets(self) -> bool {
        self.has_bytes() || matches!(self, ValueType::Ipv4 | ValueType::Ipv6)
    }

    /// Whether values of both types can be compared.
    pub(super) const fn fits(self, other: ValueType) -> bool {
        use ValueType::{Bool, Bytes, Float, Ipv4, Ipv6, Layer, Mac, Number, Span, Text, Time};
        matches!(
            (self, other),
            (Number(_) | Float, Number(_) | Float)
                | (Bool(_), Bool(_))
                | (Span, Span)
                | (Time, Time)
                | (Text, Text)
                | (Bytes | Mac | Layer, Bytes | Mac | Layer)
                | (Ipv4, Ipv4)
                | (Ipv6, Ipv6)
        )
    }
}
