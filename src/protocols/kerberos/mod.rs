//! Kerberos 5 (RFC 4120): messages over UDP and TCP.
//!
//! ```text
//! over TCP    length:4 | message
//! message     application tag { [1] version | [2] type | … }      in BER
//! request     { [3] { { [1] type | [2] value } … } | [4] { options, names, times, nonce, ciphers … } }
//! response    { [0] … | [3] realm | [4] client | [5] ticket | [6] encrypted part }
//! ticket      { [0] version | [1] realm | [2] server | [3] encrypted part }
//! encrypted   { [0] cipher | [1] key version | [2] data }
//! error       { [4] … | [6] code | … | [11] text | [12] data, often pre-authentication }
//! ```
//! Not covered: decryption, values of most types of pre-authentication.

mod fields;
mod names;
mod padata;
mod parts;
#[cfg(test)]
mod tests;

use super::ber::{self, head};
use super::prefixed::{Lost, Prefix};
use crate::tree::{Side, name_of};
use crate::wire::{Conversation, Exchange, Extent, Heuristic, Missing, On, Opening, Protocol, Requests, Result, Verdict, Wire};
use fields::{FIELDS, KERBEROS, RECORD_LENGTH, RESPONSE_TO, TIME, UNKNOWN};
use names::MESSAGES;

pub static PROTOCOL: Protocol = Protocol::new(&KERBEROS, FIELDS)
    .found(&[
        On::Tcp(88).stream::<Session>(Heuristic::Stream(recognize)),
        On::Udp(88).exchange::<Session>(Heuristic::Datagram(is_datagram)),
        On::Tcp(88).stream::<Session>(Heuristic::Stream(is_likely_stream)).by_port(),
        On::Udp(88).exchange::<Session>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&UNKNOWN);

const RECORD: Prefix = Prefix {
    at: 0,
    little_endian: false,
    uncounted: 4,
    least: 8,
    is_header: is_record,
    may_be_odd: |whole| whole.get(4..).is_some_and(is_likely),
};
/// Class and form of the tag of a message.
const APPLICATION: u8 = 0x60;

/// Type of the message that begins with this tag.
fn message_type(tag: u8) -> u64 {
    u64::from(tag & 0x1f)
}

/// Whether bytes begin with a message of a known type.
fn is_message(bytes: &[u8]) -> bool {
    let is_known = |tag: u8| tag & 0xe0 == APPLICATION && name_of(MESSAGES, message_type(tag)).is_some();
    head(bytes).is_some_and(|head| is_known(head.kind) && bytes.get(head.size).is_none_or(|inner| *inner == ber::SEQUENCE))
}

/// Whether the protocol version at the start of a message is 5, as far as available.
fn is_version_5(bytes: &[u8]) -> bool {
    let behind = |bytes: Option<&[u8]>| bytes.and_then(head).map(|head| head.size);
    let inner = behind(Some(bytes)).and_then(|size| bytes.get(size..));
    let version = behind(inner).and_then(|size| inner?.get(size..)).unwrap_or_default();
    !matches!(version, [0xa0 | 0xa1, 3, ber::INTEGER, 1, version, ..] if *version != 5)
}

/// Whether bytes begin with a message of version 5.
fn is_datagram(bytes: &[u8]) -> bool {
    is_message(bytes) && is_version_5(bytes)
}

/// Whether the available bytes match the start of a record.
fn is_record(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0]) && bytes.get(4..).is_none_or(|message| ber::is_incomplete(message) || is_message(message))
}

/// Whether bytes are exactly one message, of an unknown type or another version.
fn is_likely(bytes: &[u8]) -> bool {
    let outer = head(bytes).filter(|head| head.kind & 0xe0 == APPLICATION && head.whole() == bytes.len());
    let inner = outer.and_then(|outer| bytes.get(outer.size..)).and_then(head);
    inner.is_some_and(|inner| inner.kind == ber::SEQUENCE && outer.is_some_and(|outer| inner.whole() == outer.length))
}

/// Recognizes complete records with such messages.
fn is_likely_stream(opening: &Opening<'_>) -> Verdict {
    RECORD.odd_messages(opening, |_| Side::Server)
}

/// Recognizes a record of either side.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| {
        let bytes = opening.of(*side);
        bytes.len() > RECORD.least && RECORD.is_chain(bytes) && bytes.get(4..).is_some_and(is_version_5)
    };
    if Side::BOTH.iter().any(begins) {
        Verdict::Yes(Side::Server)
    } else if !opening.complete
        && opening.sent.iter().all(|bytes| bytes.len() <= RECORD.least && matches!(bytes.first(), None | Some(0)))
    {
        Verdict::Unsure
    } else {
        Verdict::No
    }
}

/// Requests by their number in the conversation: responses are in order.
#[derive(Default)]
struct Session {
    requests: Requests<u64>,
    asked: u64,
    answered: u64,
    lost: Lost,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.lost.extent(from, ahead, more, &RECORD)
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        RECORD.note_odd(wire);
        wire.u32_be(&RECORD_LENGTH)?;
        self.dissect(wire)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost.note(from, missing);
    }
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        self.dissect(wire)
    }
}

impl Session {
    fn dissect(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = message_type(wire.peek_u8().unwrap_or_default());
        wire.name(name_of(MESSAGES, kind).unwrap_or("unknown message"));
        match kind {
            10 | 12 => {
                wire.sent_by(Side::Client);
                self.requests.ask(self.asked, wire);
                self.asked += 1;
            }
            11 | 13 | 30 => {
                wire.sent_by(Side::Server);
                if self.answered < self.asked {
                    // The request may be evicted.
                    if let Some(request) = self.requests.answer(&self.answered) {
                        request.put(wire, &RESPONSE_TO, &TIME);
                    }
                    self.answered += 1;
                }
            }
            _ => {}
        }
        let mut words = Vec::new();
        let read = parts::message(wire, &mut words);
        wire.info(format_args!("{}", words.join(", ")));
        read
    }
}
