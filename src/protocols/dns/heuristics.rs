//! Heuristics that recognize DNS.

use super::names::Name;
use super::values::{CLASSES, OPCODES, OPT, TYPES};
use super::{HEADER, LENGTH_SIZE};
use crate::tree::{Side, name_of};
use crate::wire::{Opening, Verdict};

/// Maximum number of records of a message recognized by content only.
const MAX_HEURISTIC_RECORDS: usize = 100;

/// Whether a datagram on a DNS port has the flags of a header with a known opcode.
pub(super) fn has_header(bytes: &[u8]) -> bool {
    bytes.get(2).is_some_and(|flags| name_of(OPCODES, u64::from(flags >> 3 & 15)).is_some())
}

/// Whether a datagram has a plausible question behind a header with an unknown operation.
pub(super) fn has_question(bytes: &[u8]) -> bool {
    let has_one = bytes.get(4..6) == Some(&[0, 1]);
    let name = Name::new(bytes, HEADER);
    has_one && name.is_plausible() && name.len().is_some_and(|len| bytes.len() >= HEADER + len + 4)
}

/// Whether a datagram on any port is exactly one message: valid names, known types and classes, matching counts.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    end_of_records(bytes).is_some_and(|end| end == bytes.len())
}

/// Number of records after the question, if the header is that of an ordinary query or response.
fn records(bytes: &[u8]) -> Option<usize> {
    let number = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let flags = number(2)?;
    let [questions, answers, authorities, additionals] = [number(4)?, number(6)?, number(8)?, number(10)?].map(usize::from);
    let records = answers + authorities + additionals;
    let is_response = flags & 0x8000 != 0;
    let is_query = flags & 0x7840 == 0 && questions == 1 && (is_response || (answers == 0 && flags & 0x048f == 0));
    Some(records).filter(|records| is_query && *records <= MAX_HEURISTIC_RECORDS)
}

fn is_likely(bytes: &[u8]) -> bool {
    records(bytes).is_some()
}

/// Offset after the last record.
fn end_of_records(bytes: &[u8]) -> Option<usize> {
    let number = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let records = records(bytes)?;
    let known = |kind: u16, class: u16| {
        let is_class = name_of(CLASSES, class.into()).is_some();
        name_of(TYPES, kind.into()).is_some() && (is_class || kind == OPT)
    };
    let name = |at: usize| {
        let name = Name::new(bytes, at);
        name.len().filter(|_| name.is_plausible()).map(|len| at + len)
    };
    let mut at = name(HEADER)?;
    if !known(number(at)?, number(at + 2)?) {
        return None;
    }
    at += 4;
    for _ in 0..records {
        at = name(at)?;
        if !known(number(at)?, number(at + 2)?) {
            return None;
        }
        at += 10 + usize::from(number(at + 8)?);
    }
    Some(at)
}

/// Whether the first bytes on a DNS port are a message with its length prefix.
pub(super) fn is_stream(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        match begins(bytes) {
            Some(true) => return server_of(side, bytes),
            Some(false) => return Verdict::No,
            None if !opening.complete => verdict = Verdict::Unsure,
            None => {}
        }
    }
    verdict
}

/// Whether a side begins with a complete message that has a plausible question behind a header with an unknown operation.
pub(super) fn is_likely_stream(opening: &Opening<'_>) -> Verdict {
    let has_message = |side: &Side| {
        let Some((length, message)) = opening.of(*side).split_first_chunk() else { return false };
        message.get(..usize::from(u16::from_be_bytes(*length))).is_some_and(has_question)
    };
    let side = [Side::Client, Side::Server].into_iter().find(has_message);
    side.map_or(Verdict::No, |side| server_of(side, opening.of(side)))
}

/// Maximum message size in bytes for which the heuristic waits on other ports.
const MAX_FIRST_MESSAGE: usize = 4096;

/// Whether the first bytes on any port are a complete message with its length prefix.
pub(super) fn is_stream_anywhere(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        if begins(bytes) != Some(true) {
            continue;
        }
        let length = bytes.first_chunk().map_or(0, |length| usize::from(u16::from_be_bytes(*length)));
        let message = bytes.get(LENGTH_SIZE..).unwrap_or_default();
        match message.get(..length) {
            Some(message) if is_message(message) => return server_of(side, bytes),
            None if !opening.complete && length <= MAX_FIRST_MESSAGE && is_likely(message) => verdict = Verdict::Unsure,
            _ => {}
        }
    }
    verdict
}

/// Identifies the server of a stream in which this side begins with this message.
fn server_of(side: Side, bytes: &[u8]) -> Verdict {
    // The highest bit of the flags is set in responses.
    let is_response = bytes.get(LENGTH_SIZE + 2).is_some_and(|flags| flags & 0x80 != 0);
    Verdict::Yes(if is_response { side } else { side.other() })
}

/// Whether the length and the header are plausible; `None` if bytes are missing.
fn begins(bytes: &[u8]) -> Option<bool> {
    const MIN_QUESTION: usize = 5;
    const MIN_RECORD: usize = 11;
    let [length, _, flags, counts @ ..] = header_words(bytes)?;
    let [questions, records @ ..] = counts.map(usize::from);
    let minimum = HEADER + questions * MIN_QUESTION + records.iter().sum::<usize>() * MIN_RECORD;
    let has_question = questions > 0 || may_lack_question(flags, records);
    Some(usize::from(length) >= minimum && has_question && has_header(bytes.get(LENGTH_SIZE..)?))
}

/// Whether a message with these flags and numbers of records may have no question: a response, one of DNS Stateful Operations
/// (RFC 8490, 5.4), a query for a cookie (RFC 7873, 5.4), or an inverse query, which has answers (RFC 1035, 6.4.1).
fn may_lack_question(flags: u16, [answers, authorities, additionals]: [usize; 3]) -> bool {
    const INVERSE_QUERY: u16 = 1;
    const STATEFUL_OPERATIONS: u16 = 6;
    let is_response = flags & 0x8000 != 0;
    let opcode = flags >> 11 & 15;
    match opcode {
        _ if is_response => true,
        STATEFUL_OPERATIONS => true,
        INVERSE_QUERY => answers > 0 && authorities == 0,
        _ => answers + authorities == 0 && additionals <= 1,
    }
}

/// Length prefix and header as 16-bit integers.
fn header_words(bytes: &[u8]) -> Option<[u16; 7]> {
    let bytes = bytes.get(..LENGTH_SIZE + HEADER)?;
    let mut numbers = [0; 7];
    for (number, pair) in numbers.iter_mut().zip(bytes.chunks_exact(2)) {
        *number = u16::from_be_bytes(*pair.first_chunk()?);
    }
    Some(numbers)
}
