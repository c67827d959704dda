//! Messages with a length in their header, shared by PostgreSQL, MongoDB, AMQP, Kafka and Kerberos.

use crate::limits;
use crate::tree::{BySide, Side};
use crate::wire::{Extent, Resumption, Wire};

/// The position of a 32-bit length, and the bytes it counts.
pub(super) struct Prefix {
    /// Offset of the length.
    pub(super) at: usize,
    pub(super) little_endian: bool,
    /// Bytes of a message that its length does not count.
    pub(super) uncounted: usize,
    /// Size of the shortest message.
    pub(super) least: usize,
    /// Whether bytes begin like a message; at least `at + 4` bytes.
    pub(super) is_header: fn(&[u8]) -> bool,
    /// Whether a whole message that does not begin like one may have a wrong field.
    pub(super) may_be_odd: fn(&[u8]) -> bool,
}

impl Prefix {
    /// Size of the whole message; `None` if the length is incomplete.
    pub(super) fn size(&self, bytes: &[u8]) -> Option<usize> {
        let length = *bytes.get(self.at..)?.first_chunk()?;
        let length = if self.little_endian { u32::from_le_bytes(length) } else { u32::from_be_bytes(length) };
        Some(usize::try_from(length).unwrap_or(usize::MAX).saturating_add(self.uncounted))
    }

    /// Extent of the next message. Bytes that do not begin like one are unknown, unless the message with this length is followed
    /// by nothing or by another message.
    pub(super) fn extent(&self, ahead: &[u8]) -> Extent {
        match self.size(ahead) {
            None => Extent::NeedMore(self.at + size_of::<u32>()),
            Some(size) if size >= self.least && ((self.is_header)(ahead) || self.is_framed(ahead, size)) => Extent::Message(size),
            Some(_) => Extent::Unknown(ahead.len()),
        }
    }

    /// Whether a message with a wrong field ends where nothing or another message follows.
    fn is_framed(&self, ahead: &[u8], size: usize) -> bool {
        let Some((whole, next)) = ahead.split_at_checked(size) else { return false };
        (self.may_be_odd)(whole) && (next.is_empty() || self.size(next).is_some() && (self.is_header)(next))
    }

    /// Whether the bytes consist of complete messages that may have a wrong field.
    pub(super) fn divides(&self, mut bytes: &[u8]) -> bool {
        while let Some(size) = self.size(bytes).filter(|size| *size >= self.least) {
            let Some((whole, next)) = bytes.split_at_checked(size) else { return false };
            if !(self.is_header)(whole) && !(self.may_be_odd)(whole) {
                return false;
            }
            if next.is_empty() {
                return true;
            }
            bytes = next;
        }
        false
    }

    /// Notes a wrong field in the message ahead.
    pub(super) fn note_odd(&self, wire: &mut Wire<'_>) {
        if !(self.is_header)(wire.ahead()) {
            wire.note_unusual(format_args!("recognized by its length alone"));
        }
    }

    /// Whether the bytes consist of messages; the last one may be incomplete.
    pub(super) fn is_chain(&self, mut bytes: &[u8]) -> bool {
        let mut is_first = true;
        while let Some(size) = self.size(bytes) {
            if size < self.least || !(self.is_header)(bytes) {
                return false;
            }
            is_first = false;
            bytes = bytes.get(size..).unwrap_or_default();
        }
        !is_first
    }

    /// Where a message certainly begins. The last bytes may be the beginning of a header.
    pub(super) fn resumes(&self, ahead: &[u8]) -> Resumption {
        self.resumes_if(ahead, |_| true)
    }

    /// The same, with a further condition.
    pub(super) fn resumes_if(&self, ahead: &[u8], is_certain: impl Fn(&[u8]) -> bool) -> Resumption {
        match self.resume(ahead, is_certain) {
            none if none == ahead.len() => Resumption::Beyond(ahead.len().saturating_sub(self.least.max(self.at + 4) - 1)),
            at => Resumption::At(at),
        }
    }

    /// Bytes in front of the first place after which a message begins, with another one after it if that has arrived.
    fn resume(&self, ahead: &[u8], is_certain: impl Fn(&[u8]) -> bool) -> usize {
        let sizes = self.least..=limits::STREAM_MESSAGE.get();
        let begins = |bytes: &[u8]| self.size(bytes).is_some_and(|size| sizes.contains(&size) && (self.is_header)(bytes));
        let fits = |at: &usize| {
            let bytes = ahead.get(*at..).unwrap_or_default();
            let next = self.size(bytes).and_then(|size| bytes.get(size..)).unwrap_or_default();
            begins(bytes) && is_certain(bytes) && (next.len() < self.at + size_of::<u32>() || begins(next))
        };
        (0..ahead.len()).find(fits).unwrap_or(ahead.len())
    }
}

/// Which directions lost bytes, so that the next message has to be searched for.
#[derive(Default)]
pub(super) struct Lost(BySide<bool>);

impl Lost {
    /// Bytes of a side are missing.
    pub(super) fn note(&mut self, from: Side) {
        self.0[from] = true;
    }

    /// Extent of the next message, or of the bytes before it if its position is unknown.
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], prefix: &Prefix) -> Extent {
        if self.0[from] {
            match prefix.resume(ahead, |_| true) {
                0 => self.0[from] = false,
                unknown => return Extent::Unknown(unknown),
            }
        }
        prefix.extent(ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: Prefix = Prefix {
        at: 1,
        little_endian: false,
        uncounted: 1,
        least: 5,
        is_header: |bytes| bytes.starts_with(b"a"),
        may_be_odd: |bytes| bytes.starts_with(b"b"),
    };

    #[test]
    fn a_message_ends_at_its_length() {
        assert_eq!(LETTERS.extent(b"a\0\0\0\x05x"), Extent::Message(6));
        assert_eq!(LETTERS.extent(b"a\0\0"), Extent::NeedMore(5));
        assert_eq!(LETTERS.extent(b"a\0\0\0\x03"), Extent::Unknown(5));
        assert_eq!(LETTERS.extent(b"c\0\0\0\x05x"), Extent::Unknown(6));
        assert!(
            LETTERS.is_chain(b"a\0\0\0\x04a\0\0\0\x09") && !LETTERS.is_chain(b"a\0\0\0\x04b\0\0\0\x09") && !LETTERS.is_chain(b"")
        );
    }

    #[test]
    fn a_message_with_a_wrong_field_needs_a_sound_length() {
        let odd = b"b\0\0\0\x05x";
        assert_eq!(LETTERS.extent(odd), Extent::Message(6));
        assert_eq!(LETTERS.extent(&[odd, &b"a\0\0\0\x04"[..]].concat()), Extent::Message(6));
        assert_eq!(LETTERS.extent(&[odd, &b"x"[..]].concat()), Extent::Unknown(7));
        assert_eq!(LETTERS.extent(&odd[..5]), Extent::Unknown(5));
        assert!(LETTERS.divides(odd) && LETTERS.divides(&odd.repeat(2)));
        assert!(!LETTERS.divides(&odd[..5]) && !LETTERS.divides(b"c\0\0\0\x05x") && !LETTERS.divides(b""));
    }

    #[test]
    fn the_next_message_is_found_after_a_gap() {
        let mut lost = Lost::default();
        lost.note(Side::Client);
        assert_eq!(lost.extent(Side::Server, b"xa\0\0\0\x04", &LETTERS), Extent::Unknown(6));
        assert_eq!(lost.extent(Side::Client, b"xaxxxxa\0\0\0\x04a\0\0\0\x05x", &LETTERS), Extent::Unknown(6));
        assert_eq!(lost.extent(Side::Client, b"a\0\0\0\x04a\0\0\0\x05x", &LETTERS), Extent::Message(5));
        lost.note(Side::Client);
        assert_eq!(lost.extent(Side::Client, b"xxx", &LETTERS), Extent::Unknown(3));
    }
}
