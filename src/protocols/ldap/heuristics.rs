//! Recognition of LDAP by the first message.

use super::super::ber::{INTEGER, SEQUENCE, head};
use super::TAGS;
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Whether bytes begin with a message: a sequence of a number and an operation.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let inner = head(bytes).filter(|head| head.kind == SEQUENCE).and_then(|head| bytes.get(head.size..));
    let operation = inner.and_then(|inner| {
        let id = head(inner).filter(|id| id.kind == INTEGER && (1..=4).contains(&id.length))?;
        inner.get(id.whole()..)
    });
    operation.is_some_and(|operation| operation.first().is_some_and(|tag| TAGS.contains(tag)) && is_version(operation))
}

/// Whether bytes are exactly one message, with an unknown operation or another version.
pub(super) fn is_likely(bytes: &[u8]) -> bool {
    const CLASS: u8 = 0xc0;
    const APPLICATION: u8 = 0x40;
    let inner = head(bytes).filter(|head| head.kind == SEQUENCE && head.whole() == bytes.len());
    let inner = inner.and_then(|head| bytes.get(head.size..)).unwrap_or_default();
    let id = head(inner).filter(|id| id.kind == INTEGER && (1..=4).contains(&id.length));
    let operation = id.and_then(|id| inner.get(id.whole()..)).unwrap_or_default();
    head(operation).is_some_and(|head| head.kind & CLASS == APPLICATION && head.whole() <= operation.len())
}

/// The same for the first bytes of a side.
pub(super) fn is_likely_stream(opening: &Opening<'_>) -> Verdict {
    if opening.sent.iter().any(|bytes| is_likely(bytes)) { Verdict::Yes(Side::Server) } else { Verdict::No }
}

/// Whether an operation is no BindRequest, or one of version 2 or 3.
fn is_version(operation: &[u8]) -> bool {
    const BIND_REQUEST: u8 = 0x60;
    let version = head(operation).filter(|head| head.kind == BIND_REQUEST).and_then(|head| operation.get(head.size..));
    version.is_none_or(|version| matches!(version, [] | [INTEGER] | [INTEGER, 1] | [INTEGER, 1, 2 | 3, ..]))
}

/// Recognizes a message of either side.
pub(super) fn recognize(opening: &Opening<'_>) -> Verdict {
    const HEADER: usize = 12;
    if opening.sent.iter().any(|bytes| is_message(bytes)) {
        Verdict::Yes(Side::Server)
    } else if !opening.complete
        && opening.sent.iter().all(|bytes| bytes.len() < HEADER && matches!(bytes.first(), None | Some(&SEQUENCE)))
    {
        Verdict::Unsure
    } else {
        Verdict::No
    }
}
