//! What the values of a field are like, by its name and kind. The words are those of `explore`.

use crate::tree::{Field, Kind};

/// What a field is like.
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
    /// What the name and the kind of a field say.
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

    /// Whether values are expected to differ between two sessions of one exchange.
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
