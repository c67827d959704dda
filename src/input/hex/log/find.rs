//! Bytes inside a line of a log.

use super::Log;
use super::label::{is_arrow, is_bracketed, is_stated, is_word, last_word, trimmed};
use super::place::{base64, common_prefix, may_begin, starts};
use super::unlike::{RUN, hidden, is_address, is_argument, is_long, is_meant, is_numbered, without_closers};
use crate::input::hex::bits::Bits;
use crate::input::hex::digits::separated;
use crate::input::hex::list::List;
use crate::input::hex::offsets::{Column, Groups};
use crate::input::hex::scan::{all_hex, is_pair, pairs, words};
use crate::input::hex::{Dialect, Fault, Fed, Packet};

/// Number of consecutive groups of four digits at the start of a line that are no prose.
pub(super) const GROUPS: usize = 4;

/// Maximum number of places of a line where bytes are looked for: parsing the rest of the line from each costs its length.
pub(super) const PLACES: usize = 64;

/// Bytes in a line.
pub(super) struct Found<'a> {
    /// The text before the bytes.
    pub(super) before: &'a [u8],
    pub(super) bytes: Vec<u8>,
}

impl Log {
    /// Whether a line unambiguously contains bytes.
    pub(in crate::input::hex) fn fits(line: &[u8]) -> Result<bool, Fault> {
        Log::default().find(line).map(|found| found.is_some())
    }

    pub(super) fn find<'a>(&mut self, line: &'a [u8]) -> Result<Option<Found<'a>>, Fault> {
        for at in starts(line).filter(|at| may_begin(line, *at)).take(PLACES) {
            let at = at + common_prefix(line.get(at..).unwrap_or_default());
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at..).unwrap_or_default();
            if is_argument(before, rest) || is_numbered(rest) {
                continue;
            }
            if let Some(bytes) = base64(before, rest) {
                return Ok(Some(Found { before, bytes }));
            }
            let pairs = pairs(rest, 0);
            // An array of JSON has decimal numbers.
            let value = before.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
            let is_array = value.starts_with(b":") && value.contains(&b'[');
            let named = self.is_name(before) && !is_array && !(is_arrow(before) && is_address(rest));
            // Bytes do not begin after the colon of another pair.
            let joined = before.ends_with(b":") && !rest.starts_with(b" ");
            let last = last_word(trimmed(before));
            let behind_pair = is_pair(last);
            if joined && (behind_pair || !named && !is_word(last)) {
                continue;
            }
            let grouped = before.trim_ascii().is_empty()
                && words(rest, 0).take_while(|word| word.text.len() == 4 && all_hex(word.text)).count() >= GROUPS;
            let quoted = named && matches!(before.last(), Some(b'"' | b'\''));
            let behind = words(rest, 0).skip(1).take_while(|word| is_pair(word.text)).count();
            match self.whole(line, at) {
                Ok(bytes)
                    if pairs >= RUN
                        || grouped
                        || is_long(rest)
                        || bytes.len() > 1 && (is_stated(before, bytes.len()) || is_bracketed(before, rest))
                        || named && (bytes.len() > 1 || self.is_known(before)) =>
                {
                    return Ok(Some(Found { before, bytes }));
                }
                Err(fault)
                    if pairs >= RUN
                        || quoted && behind > 0
                        || named && (pairs > 1 || is_meant(rest))
                        || pairs > 0 && self.is_known(before) =>
                {
                    return Err(fault);
                }
                Ok(_) | Err(_) => {}
            }
        }
        hidden(line)
    }

    /// The bytes from here to the end of the line, except closing brackets and quotes.
    pub(super) fn whole(&mut self, line: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
        let line = line.trim_ascii_end();
        let mut bytes = Vec::new();
        let closed = without_closers(line);
        // A closing quote may look like a text column of the bytes.
        let is_open =
            line.get(..at).is_some_and(|before| before.trim_ascii_end().last().is_some_and(|sign| b"\"'`([{<".contains(sign)));
        if let Some(mut bits) = Bits::of(closed.get(at..).unwrap_or_default()) {
            let mut packet = Packet::default();
            bits.feed(closed.get(at..).unwrap_or_default(), &mut packet)?;
            return Ok(packet.bytes);
        }
        // A text column may end with a bracket or a quote.
        if !is_open && self.row.read(line, at, Groups::Any).is_ok_and(|column| column != Column::None) {
            return Ok(self.row.straight.clone());
        }
        let first = match self.row.read(closed, at, Groups::Any) {
            Ok(_) => return Ok(self.row.straight.clone()),
            Err(_) if !is_open && self.row.read(line, at, Groups::Any).is_ok() => return Ok(self.row.straight.clone()),
            Err(fault) => fault,
        };
        if separated(closed, at, &mut bytes).is_ok() && closed.get(at..).is_some_and(|rest| !rest.contains(&b'#')) {
            return Ok(bytes);
        }
        let mut packet = Packet::default();
        let rest = closed.get(at..).unwrap_or_default();
        let mut list = List::of(rest, None).filter(|list| list.is_loose());
        match list.as_mut().map(|list| list.feed(rest, &mut packet)) {
            Some(Ok(Fed::Taken)) if !packet.bytes.is_empty() => Ok(packet.bytes),
            Some(Err(Fault { at: inner, what })) => Err(Fault { at: at + inner, what }),
            _ => Err(first),
        }
    }
}
