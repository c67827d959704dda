//! STUN over TCP: consecutive messages (RFC 8489), or messages with length prefixes (RFC 4571).

use super::{FRAME_LENGTH, HEADER, MAGIC, METHOD, METHODS, Transactions, VALUE};
use crate::tree::{Side, name_of};
use crate::wire::{Conversation, Exchange, Extent, Opening, Result, Verdict, Wire};

/// Size of the length prefix of RFC 4571 in bytes.
const FRAMING: usize = 2;

/// Size of channel number and length in bytes.
const CHANNEL_HEADER: usize = 4;

/// Bit of the message type, set in responses.
const RESPONSE: u16 = 0x0100;

/// State of one connection.
#[derive(Default)]
pub(super) struct Stream {
    transactions: Transactions,
    /// Whether packets have length prefixes, once known.
    framed: Option<bool>,
}

/// Result of parsing the first bytes of a side.
#[derive(Debug, PartialEq, Eq)]
enum Start {
    Message {
        framed: bool,
        is_response: bool,
    },
    /// Incomplete message.
    Short,
    Other,
}

/// Recognizes a side that begins with a message.
pub(super) fn recognize(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in [Side::Client, Side::Server] {
        match start(opening.of(side)) {
            Start::Message { is_response, .. } => return Verdict::Yes(if is_response { side } else { side.other() }),
            Start::Short if !opening.complete => verdict = Verdict::Unsure,
            _ => {}
        }
    }
    verdict
}

/// Recognizes a known method and the magic cookie; with a length prefix, the size must match.
fn start(bytes: &[u8]) -> Start {
    let number = |at: usize| bytes.get(at..)?.first_chunk().map(|pair| u16::from_be_bytes(*pair));
    let mut start = Start::Other;
    for at in [0, FRAMING] {
        let Some(kind) = number(at) else { continue };
        let is_known = kind >> 14 == 0 && name_of(METHODS, METHOD.bits_of(kind.into())).is_some();
        let cookie = bytes.get(at + 4..).unwrap_or_default();
        let framed = at > 0;
        let fits = !framed
            || number(0).zip(number(at + 2)).is_none_or(|(whole, length)| usize::from(whole) == usize::from(length) + HEADER);
        if !is_known || !fits {
            continue;
        }
        if cookie.starts_with(&MAGIC) {
            return Start::Message { framed, is_response: kind & RESPONSE != 0 };
        }
        if MAGIC.starts_with(cookie) {
            start = Start::Short;
        }
    }
    start
}

impl Conversation for Stream {
    fn extent(&mut self, _: Side, ahead: &[u8], more: bool) -> Extent {
        if self.framed.is_none() {
            match start(ahead) {
                Start::Message { framed, .. } => self.framed = Some(framed),
                Start::Short if more => return Extent::NeedMore(ahead.len() + 1),
                _ => return Extent::Unknown(ahead.len()),
            }
        }
        let number = |at: usize| ahead.get(at..)?.first_chunk().map(|pair| usize::from(u16::from_be_bytes(*pair)));
        if self.framed == Some(true) {
            return number(0).map_or(Extent::NeedMore(FRAMING), |length| Extent::Message(FRAMING + length));
        }
        let Some((kind, length)) = number(0).zip(number(2)) else { return Extent::NeedMore(CHANNEL_HEADER) };
        match kind >> 12 {
            0..4 if ahead.get(4..).is_some_and(|cookie| MAGIC.starts_with(cookie.get(..MAGIC.len()).unwrap_or(cookie))) => {
                Extent::Message(HEADER + length)
            }
            4 => Extent::Message(CHANNEL_HEADER + length.next_multiple_of(4)),
            _ => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if self.framed == Some(true) {
            wire.u16_be(&FRAME_LENGTH)?;
            let packet = wire.ahead();
            if !super::recognize(packet) && !self.transactions.claims(from, packet) {
                wire.name("framed packet");
                wire.info(format_args!("{} bytes", packet.len()));
                wire.offer("rtp", wire.at()..wire.at() + packet.len());
                return wire.rest_is(&VALUE);
            }
        }
        self.transactions.message(from, wire)
    }
}
