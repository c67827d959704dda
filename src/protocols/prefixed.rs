//! Messages with a length in their header, shared by PostgreSQL, MongoDB, AMQP, Kafka and Kerberos.

use crate::limits;
use crate::tree::{BySide, Side};
use crate::wire::{Extent, Missing, Opening, Resumption, Verdict, Wire};

/// Size of the largest message that its length alone identifies. A wrong length is rarely smaller.
const ODD_MESSAGE: usize = 1 << 16;

/// Extent of a message whose header has a wrong field. All of it has to be there to tell it from unknown bytes, so that the
/// result does not depend on segments; `None` if it is no message.
pub(super) fn odd_extent(size: usize, ahead: &[u8], more: bool, is_sound: impl FnOnce(&[u8]) -> bool) -> Option<Extent> {
    match ahead.get(..size) {
        _ if size > ODD_MESSAGE => None,
        Some(whole) => is_sound(whole).then_some(Extent::Message(size)),
        None => more.then_some(Extent::NeedMore(size)),
    }
}

/// Recognizes a side whose bytes are complete messages, of which some may have a wrong field. `server` returns the server, given
/// the sender. `size` returns the size of the message at the start of bytes, or of its header if that is incomplete.
pub(super) fn odd_messages(
    opening: &Opening<'_>,
    server: impl Fn(Side) -> Side,
    size: impl Fn(&[u8]) -> Option<usize>,
) -> Verdict {
    let mut verdict = Verdict::No;
    for side in Side::BOTH {
        let mut ahead = opening.of(side);
        while !ahead.is_empty() {
            let Some(size) = size(ahead).filter(|size| (1..=ODD_MESSAGE).contains(size)) else { break };
            match ahead.get(size..) {
                Some([]) => return Verdict::Yes(server(side)),
                Some(behind) => ahead = behind,
                None if opening.complete => break,
                None => {
                    verdict = Verdict::Unsure;
                    break;
                }
            }
        }
    }
    verdict
}

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

    /// Extent of the next message. Bytes that do not begin like one are unknown, unless all of the message with this length
    /// may have a wrong field.
    pub(super) fn extent(&self, ahead: &[u8], more: bool) -> Extent {
        match self.size(ahead) {
            None => Extent::NeedMore(self.at + size_of::<u32>()),
            Some(size) if size < self.least => Extent::Unknown(ahead.len()),
            Some(_) if more && ahead.len() < self.least => Extent::NeedMore(self.least),
            Some(size) if (self.is_header)(ahead) => Extent::Message(size),
            Some(size) => odd_extent(size, ahead, more, self.may_be_odd).unwrap_or(Extent::Unknown(ahead.len())),
        }
    }

    /// Recognizes complete messages that may have a wrong field. `server` returns the server, given the sender.
    pub(super) fn odd_messages(&self, opening: &Opening<'_>, server: impl Fn(Side) -> Side) -> Verdict {
        let is_sound = |whole: &[u8]| (self.is_header)(whole) || (self.may_be_odd)(whole);
        odd_messages(opening, server, |ahead| {
            let Some(size) = self.size(ahead) else { return Some(self.at + size_of::<u32>()) };
            (size >= self.least && ahead.get(..size).is_none_or(is_sound)).then_some(size)
        })
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
    pub(super) fn note(&mut self, from: Side, missing: Missing) {
        self.0[from] |= !missing.in_step;
    }

    /// Extent of the next message, or of the bytes before it if its position is unknown.
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool, prefix: &Prefix) -> Extent {
        if self.0[from] {
            match prefix.resume(ahead, |_| true) {
                0 => self.0[from] = false,
                unknown => return Extent::Unknown(unknown),
            }
        }
        prefix.extent(ahead, more)
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
        assert_eq!(LETTERS.extent(b"a\0\0\0\x05x", true), Extent::Message(6));
        assert_eq!(LETTERS.extent(b"a\0\0", true), Extent::NeedMore(5));
        assert_eq!(LETTERS.extent(b"a\0\0\0\x03", true), Extent::Unknown(5));
        assert_eq!(LETTERS.extent(b"c\0\0\0\x05x", true), Extent::Unknown(6));
        assert!(
            LETTERS.is_chain(b"a\0\0\0\x04a\0\0\0\x09") && !LETTERS.is_chain(b"a\0\0\0\x04b\0\0\0\x09") && !LETTERS.is_chain(b"")
        );
    }

    #[test]
    fn a_message_with_a_wrong_field_is_accepted_once_all_of_it_is_there() {
        let odd = b"b\0\0\0\x05x";
        for behind in [&b""[..], b"x", b"a\0\0\0\x04"] {
            let ahead = [odd, behind].concat();
            assert_eq!(LETTERS.extent(&ahead, true), Extent::Message(6));
            assert_eq!(LETTERS.extent(&ahead, false), Extent::Message(6));
        }
        assert_eq!(LETTERS.extent(&odd[..5], true), Extent::NeedMore(6));
        assert_eq!(LETTERS.extent(&odd[..5], false), Extent::Unknown(5));
        assert_eq!(LETTERS.extent(b"b\0\x01\0\0x", true), Extent::Unknown(6), "longer than {ODD_MESSAGE} bytes");
    }

    #[test]
    fn complete_messages_with_a_wrong_field_are_recognized_and_waited_for() {
        let verdict = |client: &[u8], complete: bool| {
            let opening = Opening { sent: [client, b""], from_start: [true; 2], complete };
            LETTERS.odd_messages(&opening, Side::other)
        };
        let odd = b"b\0\0\0\x05x";
        assert_eq!(verdict(odd, false), Verdict::Yes(Side::Server));
        assert_eq!(verdict(&odd.repeat(2), true), Verdict::Yes(Side::Server));
        assert_eq!(verdict(&odd[..5], false), Verdict::Unsure);
        for bytes in [&odd[..5], b"c\0\0\0\x05x", b""] {
            assert_eq!(verdict(bytes, true), Verdict::No);
        }
    }

    #[test]
    fn the_next_message_is_found_after_a_gap() {
        let mut lost = Lost::default();
        lost.note(Side::Client, Missing { bytes: 1, in_step: false });
        assert_eq!(lost.extent(Side::Server, b"xa\0\0\0\x04", true, &LETTERS), Extent::Unknown(6));
        assert_eq!(lost.extent(Side::Client, b"xaxxxxa\0\0\0\x04a\0\0\0\x05x", true, &LETTERS), Extent::Unknown(6));
        assert_eq!(lost.extent(Side::Client, b"a\0\0\0\x04a\0\0\0\x05x", true, &LETTERS), Extent::Message(5));
        lost.note(Side::Client, Missing { bytes: 1, in_step: false });
        assert_eq!(lost.extent(Side::Client, b"xxx", true, &LETTERS), Extent::Unknown(3));
    }
}
