//! Failures of a run or an instance, and notes that do not end it.

use super::Machine;
use super::value::{NOTHING, Stream};
use crate::ksy::notes;
use crate::limits::Limit;
use crate::tree::Field;

/// A reason to stop.
#[derive(Debug)]
pub(super) struct Failure {
    /// The note; `None` if another failure that was noted caused this one.
    pub code: Option<&'static Field>,
    pub text: String,
    /// The affected bytes.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// Number of missing bytes, if any.
    pub needed: usize,
    /// Whether more bytes of the stream may follow, and what is known of their number.
    pub wait: Wait,
}

/// What is known of bytes that have not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// No more bytes.
    No,
    /// At least this many are needed.
    Least(u64),
    /// The object ends after this many.
    Exactly(u64),
}

impl Wait {
    /// The same for the enclosing object: `tail` bytes follow, if known.
    pub(super) fn and(self, tail: Option<u32>) -> Wait {
        match (self, tail) {
            (Wait::Exactly(needed), Some(tail)) => Wait::Exactly(needed.saturating_add(tail.into())),
            (Wait::Exactly(needed), None) => Wait::Least(needed),
            (other, _) => other,
        }
    }
}

/// A result. The failure is boxed, so that values are returned in registers.
pub(super) type Outcome<T = ()> = Result<T, Box<Failure>>;

/// A note on text with invalid bytes of its encoding.
#[derive(Debug, Clone, Copy)]
pub(super) struct EncodingNote {
    pub end: u32,
}

impl Failure {
    /// Whether a value is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.code.is_some_and(|code| code.is(&notes::UNKNOWN))
    }
}

impl Machine<'_, '_> {
    /// A failure at the current position of a stream.
    #[cold]
    pub(super) fn fail<T>(&self, io: u32, code: &'static Field, text: String) -> Outcome<T> {
        let Stream { buffer, at, end, .. } = self.stream(io);
        let start = at.min(end);
        Err(Box::new(Failure { code: Some(code), text, buffer, start, end, needed: 0, wait: Wait::No }))
    }

    /// A failure because of missing bytes.
    #[cold]
    pub(super) fn short<T>(&self, io: u32, wanted: u64, left: u32) -> Outcome<T> {
        let needed = usize::try_from(wanted.saturating_sub(left.into())).unwrap_or(usize::MAX);
        let text = format!("{wanted} bytes needed, {left} left");
        let missing = wanted.saturating_sub(left.into());
        let wait = if self.is_measured(io) { Wait::Exactly(missing) } else { Wait::No };
        self.fail(io, &notes::EOF, text).map_err(|failure: Box<Failure>| Box::new(Failure { needed, wait, ..*failure }))
    }

    /// A failure at a limit.
    #[cold]
    pub(super) fn limited<T>(&self, io: u32, code: &'static Field, limit: &Limit) -> Outcome<T> {
        self.fail(io, code, format!("more than {}, see --limit {}", limit.get(), limit.name))
    }

    /// A failure because of an earlier failure of a used value.
    #[cold]
    pub(super) fn failed_before<T>() -> Outcome<T> {
        Err(Box::new(Failure { code: None, text: String::new(), buffer: NOTHING, start: 0, end: 0, needed: 0, wait: Wait::No }))
    }
}
