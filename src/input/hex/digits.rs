//! Bare digits: `xxd -p`, a hex stream, pairs with any spacing, `23:00:00`, also with a text column. All lines form one packet,
//! unless a direction mark begins another.

use super::marks::Marks;
use super::offsets::{Column, Groups, Row};
use super::scan::{after_marks, is_pair, push_pairs, words};
use super::{Dialect, Fault, Fed, Feed, Packet};

#[derive(Default)]
pub(super) struct Digits {
    row: Row,
}

impl Dialect for Digits {
    fn is_loose(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let from = after_marks(line);
        if from > 0 && !packet.bytes.is_empty() {
            return Ok(Fed::Complete(0));
        }
        packet.marks.add(Marks::of(line));
        if self.row.read(line, from, Groups::Any).is_ok() {
            packet.bytes.extend(&self.row.straight);
        } else {
            separated(line, from, &mut packet.bytes)?;
        }
        Ok(Fed::Taken)
    }
}

/// Parses digits with any separators, up to a comment.
pub(super) fn separated(line: &[u8], from: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let end = line.iter().skip(from).position(|byte| *byte == b'#').map_or(line.len(), |at| from + at);
    let is_between = |at: usize| {
        let neighbours = [at.checked_sub(1).and_then(|at| line.get(at)), line.get(at + 1)];
        neighbours.into_iter().all(|byte| byte.is_some_and(u8::is_ascii_hexdigit))
    };
    let is_separator = |at: usize| match line.get(at) {
        Some(b'.' | b';' | b'|') => is_between(at),
        Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b':' | b'-' | b',' | b'_'),
        None => true,
    };
    let mut at = from;
    while at < end {
        let run = (at..end).take_while(|at| !is_separator(*at)).count();
        push_pairs(line.get(at..at + run).unwrap_or_default(), at, out)?;
        at += run.max(1);
    }
    Ok(())
}

/// Whether a line consists of digits and separators.
pub(super) fn fits(line: &[u8]) -> bool {
    separated(line, after_marks(line), &mut Vec::new()).is_ok()
}

/// Why a line that begins with a pair of digits is invalid.
pub(super) fn fault_of(line: &[u8]) -> Option<Fault> {
    let from = after_marks(line);
    words(line, from).next().filter(|word| is_pair(word.text))?;
    separated(line, from, &mut Vec::new()).err()
}

/// Whether a line consists of digits and a text column of their bytes.
pub(super) fn has_text(line: &[u8]) -> bool {
    let mut row = Row::default();
    let from = after_marks(line);
    row.read(line, from, Groups::Any).is_ok_and(|column| column != Column::None) && row.straight.len() > 1
}
