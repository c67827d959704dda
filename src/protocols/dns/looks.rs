//! What bytes are DNS.

use super::names::Name;
use super::values::{CLASSES, OPCODES, OPT, TYPES};
use super::{HEADER, LENGTH_SIZE};
use crate::tree::{Side, name_of};
use crate::wire::{Opening, Verdict};

/// Questions and records that a message has which nothing but its looks makes one.
const LIKELY: usize = 100;

/// Whether a datagram on a port of DNS has room for a header, and its opcode is one.
pub(super) fn has_header(bytes: &[u8]) -> bool {
    bytes.get(2).is_some_and(|flags| name_of(OPCODES, u64::from(flags >> 3 & 15)).is_some())
}

/// Whether a datagram on any port is a message from its first byte to its last: names that can be read, known types and
/// classes, and counts that fit.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    follow(bytes).is_some_and(|end| end == bytes.len())
}

/// How many records follow the question that a header counts, if it is one that nothing but its looks makes likely.
fn records(bytes: &[u8]) -> Option<usize> {
    let number = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let flags = number(2)?;
    let [questions, answers, authorities, additionals] = [number(4)?, number(6)?, number(8)?, number(10)?].map(usize::from);
    let records = answers + authorities + additionals;
    let is_response = flags & 0x8000 != 0;
    let is_query = flags & 0x7840 == 0 && questions == 1 && (is_response || (answers == 0 && flags & 0x048f == 0));
    Some(records).filter(|records| is_query && *records <= LIKELY)
}

fn is_likely(bytes: &[u8]) -> bool {
    records(bytes).is_some()
}

/// Where the last record ends.
fn follow(bytes: &[u8]) -> Option<usize> {
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

/// Whether what comes first on a port of DNS is a message behind its length.
pub(super) fn is_stream(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in [Side::Client, Side::Server] {
        let said = opening.of(side);
        match begins(said) {
            Some(true) => return server_of(side, said),
            Some(false) => return Verdict::No,
            None if !opening.complete => verdict = Verdict::Unsure,
            None => {}
        }
    }
    verdict
}

/// Bytes of the longest message that is waited for on any port.
const LONGEST_FIRST: usize = 4096;

/// Whether what comes first on any port is a whole message behind its length.
pub(super) fn is_stream_anywhere(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for side in [Side::Client, Side::Server] {
        let said = opening.of(side);
        if begins(said) != Some(true) {
            continue;
        }
        let length = said.first_chunk().map_or(0, |length| usize::from(u16::from_be_bytes(*length)));
        let message = said.get(LENGTH_SIZE..).unwrap_or_default();
        match message.get(..length) {
            Some(message) if is_message(message) => return server_of(side, said),
            None if !opening.complete && length <= LONGEST_FIRST && is_likely(message) => verdict = Verdict::Unsure,
            _ => {}
        }
    }
    verdict
}

/// A stream with a side that begins with this message.
fn server_of(side: Side, said: &[u8]) -> Verdict {
    // Bit 0 of the flags says who answers.
    let is_response = said.get(LENGTH_SIZE + 2).is_some_and(|flags| flags & 0x80 != 0);
    Verdict::Yes(if is_response { side } else { side.other() })
}

/// Whether these are a length and a header whose counts have room in it; nothing where there are too few bytes.
fn begins(said: &[u8]) -> Option<bool> {
    const LEAST_QUESTION: usize = 5;
    const LEAST_RECORD: usize = 11;
    let [length, _, _, counts @ ..] = number_pairs(said)?;
    let [questions, records @ ..] = counts.map(usize::from);
    let least = HEADER + questions * LEAST_QUESTION + records.iter().sum::<usize>() * LEAST_RECORD;
    Some(usize::from(length) >= least && has_header(said.get(LENGTH_SIZE..)?))
}

/// The numbers of a length and a header.
fn number_pairs(said: &[u8]) -> Option<[u16; 7]> {
    let bytes = said.get(..LENGTH_SIZE + HEADER)?;
    let mut numbers = [0; 7];
    for (number, pair) in numbers.iter_mut().zip(bytes.chunks_exact(2)) {
        *number = u16::from_be_bytes(*pair.first_chunk()?);
    }
    Some(numbers)
}
