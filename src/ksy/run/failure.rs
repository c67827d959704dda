//! Why a run, or an instance, cannot go on; and remarks on what is read all the same.

use super::Machine;
use super::value::{NOTHING, Stream};
use crate::ksy::notes;
use crate::limits::Limit;
use crate::tree::Field;

/// A reason to stop.
#[derive(Debug)]
pub(super) struct Failure {
    /// The note; none where another failure caused this one and was noted.
    pub code: Option<&'static Field>,
    pub text: String,
    /// The bytes that it is about.
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// Bytes that are missing, if it is that.
    pub needed: usize,
    /// Whether more bytes of the stream may follow, and what is known of their number.
    pub wait: Wait,
}

/// What is known of bytes that have not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// None will.
    No,
    /// At least so many are needed.
    Least(u64),
    /// The object ends behind so many.
    Exactly(u64),
}

impl Wait {
    /// The same for the object around: so many bytes follow what is waited for, if that is known.
    pub(super) fn and(self, tail: Option<u32>) -> Wait {
        match (self, tail) {
            (Wait::Exactly(needed), Some(tail)) => Wait::Exactly(needed.saturating_add(tail.into())),
            (Wait::Exactly(needed), None) => Wait::Least(needed),
            (other, _) => other,
        }
    }
}

/// What may stop. The failure is boxed, so that values are returned in registers.
pub(super) type Outcome<T = ()> = Result<T, Box<Failure>>;

/// A remark on bytes that were read: some of them are no characters of their encoding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remark {
    pub end: u32,
}

impl Machine<'_, '_> {
    /// A failure at what comes next in a stream.
    #[cold]
    pub(super) fn fail<T>(&self, io: u32, code: &'static Field, text: String) -> Outcome<T> {
        let Stream { buffer, at, end, .. } = self.stream(io);
        let start = at.min(end);
        Err(Box::new(Failure { code: Some(code), text, buffer, start, end, needed: 0, wait: Wait::No }))
    }

    /// Too few bytes are left.
    #[cold]
    pub(super) fn short<T>(&self, io: u32, wanted: u64, left: u32) -> Outcome<T> {
        let needed = usize::try_from(wanted.saturating_sub(left.into())).unwrap_or(usize::MAX);
        let text = format!("{wanted} bytes needed, {left} left");
        let missing = wanted.saturating_sub(left.into());
        let wait = if self.is_measured(io) { Wait::Exactly(missing) } else { Wait::No };
        self.fail(io, &notes::EOF, text).map_err(|failure: Box<Failure>| Box::new(Failure { needed, wait, ..*failure }))
    }

    /// A limit is reached.
    #[cold]
    pub(super) fn limited<T>(&self, io: u32, code: &'static Field, limit: &Limit) -> Outcome<T> {
        self.fail(io, code, format!("more than {}, see --limit {}", limit.get(), limit.name))
    }

    /// A value that is used failed before.
    #[cold]
    pub(super) fn failed_before<T>() -> Outcome<T> {
        Err(Box::new(Failure { code: None, text: String::new(), buffer: NOTHING, start: 0, end: 0, needed: 0, wait: Wait::No }))
    }
}
