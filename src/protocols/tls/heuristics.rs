//! Heuristics that recognize TLS.

use super::records::{self, Header};
use super::ssl2::{self, Ssl2};
use super::{ALERT_TYPE, HANDSHAKE_RECORD, HEADER, RECORD_MAX};
use crate::protocols::prefixed::odd_messages;
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Whether bytes begin with a plaintext handshake record whose lengths agree: a hello, or another message that one side sends
/// before it encrypts.
pub(super) fn begins_in_clear(bytes: &[u8]) -> bool {
    const MESSAGE_HEADER: usize = 4;
    const CERTIFICATE_MAX: usize = 1 << 17;
    let Some((&[HANDSHAKE_RECORD, 3, 0..=4, high, low, kind, m2, m1, m0], body)) = bytes.split_first_chunk() else {
        return false;
    };
    let record = usize::from(u16::from_be_bytes([high, low]));
    let message = u32::from_be_bytes([0, m2, m1, m0]) as usize;
    let is_inside = message + MESSAGE_HEADER <= record && record <= RECORD_MAX;
    match kind {
        CLIENT_HELLO | SERVER_HELLO => is_inside && matches!(body, [3, 0..=4, ..]),
        CERTIFICATE => record > MESSAGE_HEADER && record <= RECORD_MAX && (4..CERTIFICATE_MAX).contains(&message),
        SERVER_KEY_EXCHANGE | CLIENT_KEY_EXCHANGE => is_inside && message > MESSAGE_HEADER,
        SERVER_HELLO_DONE => is_inside && message == 0,
        _ => false,
    }
}

/// Whether the payload of a record is a hello in clear, and nothing else.
pub(super) fn is_clear_hello(payload: &[u8]) -> bool {
    match payload {
        [CLIENT_HELLO | SERVER_HELLO, m2, m1, m0, body @ ..] => {
            u32::from_be_bytes([0, *m2, *m1, *m0]) as usize == body.len() && matches!(body, [3, 0..=4, ..])
        }
        _ => false,
    }
}

const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const CERTIFICATE: u8 = 11;
const SERVER_KEY_EXCHANGE: u8 = 12;
const SERVER_HELLO_DONE: u8 = 14;
const CLIENT_KEY_EXCHANGE: u8 = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstRecord {
    ClientHello,
    ServerHello,
    Unfinished,
    Other,
}

/// Recognizes TLS on any port: a side begins with a hello, or with records in a stream joined midway.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let verdict = begins(opening);
    if verdict != Verdict::No {
        return verdict;
    }
    let midway = [Side::Client, Side::Server].map(|side| if opening.starts(side) { Chain::No } else { chain(opening.of(side)) });
    match midway {
        chains if chains.contains(&Chain::Records) => Verdict::Yes(Side::Server),
        chains if chains.contains(&Chain::Unfinished) && !opening.complete => Verdict::Unsure,
        _ => Verdict::No,
    }
}

/// Recognizes a side that begins with a hello. If the stream ends there, its first bytes suffice.
fn begins(opening: &Opening<'_>) -> Verdict {
    let first = |bytes: &[u8]| match first_record(bytes) {
        FirstRecord::Unfinished if opening.complete => beginning(bytes),
        record => record,
    };
    let records = [Side::Client, Side::Server].map(|side| (side, first(opening.of(side))));
    for (side, record) in records {
        match record {
            FirstRecord::ClientHello => return Verdict::Yes(side.other()),
            FirstRecord::ServerHello => return Verdict::Yes(side),
            FirstRecord::Unfinished | FirstRecord::Other => {}
        }
    }
    let is_open = records.iter().all(|(_, record)| *record == FirstRecord::Unfinished);
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes TLS on a registered port, also midway inside a record if two records follow.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    if verdict != Verdict::No {
        return verdict;
    }
    let bytes = |side: Side| opening.of(side);
    let is_midway = |side: &Side| !opening.starts(*side) && !bytes(*side).is_empty();
    let holds_records = |side: Side| records::next_record(bytes(side)) < bytes(side).len();
    if Side::BOTH.into_iter().any(|side| chain(bytes(side)) == Chain::Records)
        || Side::BOTH.into_iter().filter(is_midway).any(holds_records)
    {
        return Verdict::Yes(Side::Server);
    }
    if !opening.complete && Side::BOTH.iter().any(is_midway) { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes complete records of which the first has a wrong type or version, or begins with a hello of another version.
pub(super) fn is_odd(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        match hello_of_odd(opening.of(side)) {
            Some(CLIENT_HELLO) => return Verdict::Yes(side.other()),
            Some(_) => return Verdict::Yes(side),
            None => {}
        }
    }
    let size = |bytes: &[u8]| {
        let odd = || Header::of_odd(bytes).filter(|header| header.length > 0).map(Header::record_size);
        if bytes.len() < HEADER { Some(HEADER) } else { odd() }
    };
    odd_messages(opening, |_| Side::Server, size)
}

/// The type of the hello that fills the first record, if type and version of the record and its own have one wrong value.
fn hello_of_odd(bytes: &[u8]) -> Option<u8> {
    let (&[kind, major, minor, high, low], behind) = bytes.split_first_chunk::<HEADER>()?;
    let payload = behind.get(..usize::from(u16::from_be_bytes([high, low])))?;
    let (&[hello @ (CLIENT_HELLO | SERVER_HELLO), m2, m1, m0, own, own_minor], body) = payload.split_first_chunk()? else {
        return None;
    };
    let is_sound = u32::from_be_bytes([0, m2, m1, m0]) as usize == body.len() + 2;
    let is_version = |major: u8, minor: u8| major == 3 && minor <= 4;
    let wrong = [kind != HANDSHAKE_RECORD, !is_version(major, minor), !is_version(own, own_minor)];
    (is_sound && wrong.iter().filter(|wrong| **wrong).count() <= 1).then_some(hello)
}

/// The hello at the start of these bytes, up to its type.
fn beginning(bytes: &[u8]) -> FirstRecord {
    match *bytes {
        [HANDSHAKE_RECORD, 3, 0..=4, _, _, 1, ..] => FirstRecord::ClientHello,
        [HANDSHAKE_RECORD, 3, 0..=4, _, _, 2, ..] => FirstRecord::ServerHello,
        _ => FirstRecord::Unfinished,
    }
}

fn first_record(bytes: &[u8]) -> FirstRecord {
    let known = bytes.get(..bytes.len().min(11)).unwrap_or_default();
    match *known {
        [HANDSHAKE_RECORD, 3, 0..=4, high, low, kind @ 1..=2, 0, .., 3, 0..=4] if known.len() == 11 && [high, low] != [0, 0] => {
            if kind == 1 {
                FirstRecord::ClientHello
            } else {
                FirstRecord::ServerHello
            }
        }
        [ALERT_TYPE, 3, 0..=4, 0, 2, 1..=2, ..] if bytes.len() == 7 => FirstRecord::ServerHello,
        [] | [HANDSHAKE_RECORD | ALERT_TYPE] | [HANDSHAKE_RECORD | ALERT_TYPE, 3] => FirstRecord::Unfinished,
        [HANDSHAKE_RECORD, 3, 0..=4, ..] if known.len() < 11 => FirstRecord::Unfinished,
        [ALERT_TYPE, 3, 0..=4, ..] if known.len() < 7 => FirstRecord::Unfinished,
        [0x80..=0xff, ..] => match ssl2::recognize(bytes) {
            Ssl2::Hello(_) => FirstRecord::ClientHello,
            Ssl2::Unfinished => FirstRecord::Unfinished,
            Ssl2::No => FirstRecord::Other,
        },
        _ => FirstRecord::Other,
    }
}

/// Result of parsing bytes as records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    /// Only complete records.
    Records,
    /// Incomplete first record or second header.
    Unfinished,
    No,
}

fn chain(bytes: &[u8]) -> Chain {
    let mut ahead = bytes;
    let mut records = 0;
    loop {
        let Some(header) = Header::of(ahead).filter(|header| header.length > 0) else {
            let is_short = ahead.len() < HEADER && (ahead.is_empty() || matches!(ahead, [20..=24] | [20..=24, 3, ..]));
            return match records {
                0 if is_short && !ahead.is_empty() => Chain::Unfinished,
                0 => Chain::No,
                _ if ahead.is_empty() => Chain::Records,
                _ if is_short => Chain::Unfinished,
                _ => Chain::No,
            };
        };
        match ahead.get(header.record_size()..) {
            Some(rest) => (ahead, records) = (rest, records + 1),
            None if records > 0 => return Chain::Records,
            None => return Chain::Unfinished,
        }
    }
}
