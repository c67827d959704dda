//! The first row of a dump whose offset stands anywhere, and lines that are no rows.

use super::head::Head;
use super::offsets::{Dump, Groups, Row, Shape};
use super::rows::{Count, Rows};
use super::scan::{Word, is_pair, words};
use super::split::{Split, splits};
use super::{Dialect, Fed, Feed, Packet, fault, log};

impl Rows {
    /// A dump that begins in this line, given lines after it.
    pub(super) fn of(line: &[u8], ahead: &[Vec<u8>], big: bool) -> Option<Rows> {
        let mut row = Row::default();
        let following = ahead.iter().find(|line| !line.trim_ascii().is_empty());
        for split in splits(line) {
            let len = split.len(line, &mut row);
            if len == 0 {
                continue;
            }
            let grows = |count: Count| {
                let (radix, step) = match count {
                    Count::Bytes(radix) => (radix, len),
                    Count::Rows => (10, 1),
                };
                let expected = split.value(radix)?.checked_add(step);
                let next = splits(following?).find(|next| next.index == split.index && next.value(radix) == expected)?;
                let plausible =
                    count != Count::Rows || split.is_row_number(line, len) && next.len(following?, &mut Row::default()) <= len;
                plausible.then_some(count)
            };
            let pairs = line.get(split.from..).is_some_and(|rest| words(rest, 0).next().is_some_and(|word| word.text.len() == 2));
            let address = (split.dashed || split.marked && pairs) && split.number.len() >= 8;
            let digits = if line.get(split.at.wrapping_sub(1)) == Some(&b'+') { 3 } else { 4 };
            let alone = address
                || split.marked && split.number.len() >= digits && split.value(16) == Some(0) && split.groups == Groups::Any;
            let found = [Count::Bytes(16), Count::Bytes(10), Count::Rows].into_iter().find_map(grows);
            if let Some(count) = found.or_else(|| alone.then_some(Count::Bytes(16))) {
                return Some(Rows::new(line, &split, count, big));
            }
        }
        None
    }

    pub(super) fn new(line: &[u8], split: &Split<'_>, count: Count, big: bool) -> Rows {
        let radix = if let Count::Bytes(radix) = count { radix } else { 10 };
        let head = Head::of(line, split.at, split.number.len(), radix);
        let base = split.value(radix).unwrap_or_default();
        let dump = Dump::new(Shape::canonical(split.groups), false, big);
        Rows { count, groups: split.groups, dump, index: split.index, base, next: base, seen: 0, head }
    }

    /// A line that is no row. It ends a packet, unless it is blank.
    pub(super) fn other(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let run = |(most, run): (usize, usize), word: Word<'_>| {
            if is_pair(word.text) { (most.max(run + 1), run + 1) } else { (most, 0) }
        };
        if words(line, 0).fold((0, 0), run).0 >= 3 && !packet.bytes.is_empty() {
            let at = words(line, 0).nth(self.index).map_or(0, |word| word.at);
            return fault(at, format!("expected the offset {:#x} before the bytes of this row", self.next));
        }
        // `*` and the offset after the last row are those of the dump.
        let text = line.trim_ascii();
        if text.is_empty() {
            return Ok(Fed::Taken);
        }
        if !packet.bytes.is_empty() && text != b"*" {
            return Ok(Fed::Complete(0));
        }
        if text == b"*" {
            return self.dump.feed(line, packet);
        }
        packet.marks.add(log::marks(line));
        Ok(Fed::Taken)
    }
}
