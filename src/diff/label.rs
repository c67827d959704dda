//! Labels of fields by name and kind, in the terms of `explore`.

use crate::tree::{Field, Kind};

/// The label of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Timestamp,
    Id,
    Counter,
    Checksum,
    Address,
    Enum,
    Float,
    String,
    Bytes,
    Value,
}

impl Label {
    /// The label that follows from name and kind of a field.
    pub(super) fn of(field: &Field) -> Label {
        let words = || field.abbrev.split('.').skip(1).flat_map(|part| part.split('_'));
        let has = |known: &[&str]| words().any(|word| known.contains(&word));
        match field.kind {
            _ if field.seconds
                || has(&["time", "timestamp", "ts", "tsval", "tsecr", "date", "clock", "tick", "ticks", "uptime"]) =>
            {
                Label::Timestamp
            }
            _ if has(&["checksum", "crc", "crc32", "fcs", "hash", "digest", "md5"]) => Label::Checksum,
            _ if has(&["seq", "sequence", "ack", "counter", "nr", "serial"]) => Label::Counter,
            _ if has(&[
                "id",
                "xid",
                "tid",
                "uuid",
                "guid",
                "nonce",
                "random",
                "cookie",
                "token",
                "session",
                "challenge",
                "salt",
            ]) =>
            {
                Label::Id
            }
            Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => Label::Address,
            Kind::Float => Label::Float,
            Kind::Text => Label::String,
            Kind::Bytes => Label::Bytes,
            _ if !field.names.is_empty() => Label::Enum,
            _ => Label::Value,
        }
    }

    /// Whether values usually differ between two sessions of one exchange.
    pub(super) const fn is_volatile(self) -> bool {
        matches!(self, Label::Timestamp | Label::Id | Label::Counter | Label::Checksum)
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Label::Timestamp => "timestamp",
            Label::Id => "id",
            Label::Counter => "counter",
            Label::Checksum => "checksum",
            Label::Address => "address",
            Label::Enum => "enum",
            Label::Float => "float",
            Label::String => "string",
            Label::Bytes => "bytes",
            Label::Value => "value",
        }
    }
}
