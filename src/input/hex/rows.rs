//! Dumps whose offset stands anywhere before the bytes: behind the prefix of a log, before a dash, without a colon.
//!
//! ```text
//! 01-02 12:00:01.123 D NetGame : 0010: 00 35 00 64      logcat, kernel logs, spdlog
//! 01A20008 - 49 50 00 09                                debuggers
//! 0x00000010  0035 0064                                 radare2, FortiGate
//! qml: dump +012 61 00 00 80                            decimal offsets
//! 1  00 41 00 07  .A..                                  Burp: numbers of rows
//! ```
//! A number is an offset if the number in the next row is larger by the bytes of this row. Each row is rewritten as a row of
//! `xxd`, which checks offsets and text.

use super::head::Head;
use super::offsets::{Dump, Groups, Row, Shape};
use super::scan::{Word, all_hex, is_pair, number, pairs, words};
use super::{Dialect, Fault, Fed, Feed, Packet, fault, log};

/// Number of words before the bytes of a row.
const PREFIX: usize = 16;

/// Length of the offset and colon of a rewritten row.
const CANONICAL: usize = 18;

/// What the number before the bytes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// Bytes, in this radix.
    Bytes(u32),
    /// Rows, from 0 or 1.
    Rows,
}

/// A place in a line where the bytes of a row may begin.
#[derive(Debug, Clone, Copy)]
struct Split<'a> {
    /// Digits of the number before the bytes, and their place.
    number: &'a [u8],
    at: usize,
    /// Number of the last byte of the row, if the line states it: `0000-0005`.
    last: Option<&'a [u8]>,
    /// Start of the bytes.
    from: usize,
    /// Index of the word with the number.
    index: usize,
    /// Whether the number has a colon or `0x`, so that a row may stand alone.
    marked: bool,
    /// Whether a dash stands between the number and the bytes.
    dashed: bool,
    /// Groups of the bytes.
    groups: Groups,
}

impl<'a> Split<'a> {
    fn value(&self, radix: u32) -> Option<u64> {
        number(self.number, radix)
    }

    /// The bytes of the row, if the line states how many; else up to its text.
    fn bytes(&self, line: &'a [u8]) -> &'a [u8] {
        let count = self.last.and_then(|last| number(last, 16)?.checked_sub(self.value(16)?));
        let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else { return line };
        let end = words(line, self.from).take(count + 1).last().map_or(line.len(), |word| word.at + word.text.len());
        line.get(..end).unwrap_or(line)
    }

    /// Whether the number counts rows from here: alone in its column, before a full row.
    fn is_row_number(&self, line: &[u8], len: u64) -> bool {
        self.index == 0
            && line.get(self.at + self.number.len()) == Some(&b'\t')
            && len >= 8
            && matches!(self.value(10), Some(0 | 1))
    }

    /// Number of bytes of the row; 0 if it has an error.
    fn len(&self, line: &[u8], row: &mut Row) -> u64 {
        let pairs = pairs(line, self.from);
        match row.read(self.bytes(line), self.from, self.groups) {
            Ok(_) => row.straight.len() as u64,
            Err(_) => pairs as u64,
        }
    }
}

/// The digits behind the last colon of a word, such as those of `DEBUG:root:00000010`.
fn behind_colon(word: Word<'_>) -> Word<'_> {
    let text = word.text.strip_suffix(b":").unwrap_or(word.text);
    match text.iter().rposition(|byte| *byte == b':') {
        Some(at) if text.len() > at + 4 && text.iter().skip(at + 1).all(u8::is_ascii_hexdigit) => {
            Word { at: word.at + at + 1, text: word.text.get(at + 1..).unwrap_or_default(), ..word }
        }
        _ => word,
    }
}

/// Every place of a line where bytes may begin behind a number.
fn splits(line: &[u8]) -> impl Iterator<Item = Split<'_>> {
    let all: Vec<Word<'_>> = words(line, 0).take(PREFIX + 3).collect();
    (0..all.len().min(PREFIX)).filter_map(move |index| {
        let word = behind_colon(*all.get(index)?);
        let signs = |byte: &u8| b"[](){}<>+:|,".contains(byte);
        let lead = word.text.iter().take_while(|byte| signs(byte)).count();
        let text = word.text.get(lead..)?;
        let (text, hexed, mut at) = match text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")) {
            Some(digits) => (digits, true, word.at + lead + 2),
            None => (text, false, word.at + lead),
        };
        let tail = text.iter().rev().take_while(|byte| signs(byte)).count();
        let digits = text.get(..text.len() - tail)?;
        let colon = text.get(digits.len()) == Some(&b':') || word.text.starts_with(b"+");
        let (number, last) = match digits.iter().position(|byte| *byte == b'-') {
            Some(dash) => (digits.get(..dash)?, Some(digits.get(dash + 1..)?)),
            None => (digits, None),
        };
        if last.is_some_and(|last| last.len() != number.len() || !all_hex(last)) {
            return None;
        }
        // A dash or a bar may stand between the number and the bytes.
        let next = all.get(index + 1)?;
        let between = matches!(next.text, b"-" | b":" | b"|" | b"--" | b"=>") || next.text == "│".as_bytes();
        let first = if between { all.get(index + 2)? } else { next };
        let tabbed = line.get(first.at.wrapping_sub(1)) == Some(&b'\t');
        let is_number = !number.is_empty()
            && number.len() <= 17
            && number.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'`')
            && (number.len() >= 3 || colon || tabbed);
        if !is_number || !is_group(first.text, hexed, colon || between) {
            return None;
        }
        at = at.min(line.len());
        let groups = groups(first.text, hexed || colon || between);
        Some(Split {
            number,
            at,
            last,
            from: first.at,
            index,
            marked: hexed && number.len() >= 4 || colon || last.is_some(),
            dashed: between,
            groups,
        })
    })
}

/// Whether bytes may begin with this word. Longer groups need an offset with a mark, or words of eight digits.
fn is_group(text: &[u8], hexed: bool, marked: bool) -> bool {
    let quad = text.len() == 17 && text.get(8) == Some(&b'`');
    all_hex(text) && (text.len() == 2 || text.len() == 8 || text.len() == 16 || text.len() == 4 && (hexed || marked)) || quad
}

/// Numbers without a mark before them are in the machine's order, as in WinDbg's `dd`.
fn groups(first: &[u8], marked: bool) -> Groups {
    match first.len() {
        17 => Groups::Swapped(16),
        digits @ (8 | 16) if !marked => Groups::Swapped(digits),
        _ => Groups::Any,
    }
}

/// Whether a line may be the row of a dump after this many bytes.
pub(super) fn follows(line: &[u8], seen: usize) -> bool {
    splits(line).any(|split| split.marked && split.value(16) == Some(seen as u64))
}

pub(super) struct Rows {
    count: Count,
    groups: Groups,
    dump: Dump,
    /// Index of the word with the offset in the last row.
    index: usize,
    /// Offset of the first row, and that after the last row.
    base: u64,
    next: u64,
    /// Bytes of the packet so far.
    seen: u64,
    /// The start of the last row.
    head: Head,
    row: Row,
}

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

    fn new(line: &[u8], split: &Split<'_>, count: Count, big: bool) -> Rows {
        let radix = if let Count::Bytes(radix) = count { radix } else { 10 };
        let head = Head::of(line, split.at, split.number.len(), radix);
        let base = split.value(radix).unwrap_or_default();
        let dump = Dump::new(Shape::canonical(split.groups), false).with_order(big);
        Rows { count, groups: split.groups, dump, index: split.index, base, next: base, seen: 0, head, row: Row::default() }
    }

    /// Offset of the first row.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// The start of the first row, before it is read.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }
}

impl Dialect for Rows {
    fn has_headings(&self) -> bool {
        true
    }

    fn is_dump(&self) -> bool {
        true
    }

    fn describe(&self) -> Option<String> {
        Some(match self.count {
            Count::Bytes(10) => "a dump with decimal offsets before the bytes".to_owned(),
            Count::Bytes(_) => "a dump with offsets before the bytes".to_owned(),
            Count::Rows => "a dump with the number of each row before the bytes".to_owned(),
        })
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let radix = if let Count::Bytes(radix) = self.count { radix } else { 10 };
        let begins = |split: &Split<'_>| matches!(split.value(radix), Some(value) if value == 0 || value == self.base);
        let continues = |split: &Split<'_>| split.value(radix) == Some(self.next);
        let next = splits(line).find(|split| !packet.bytes.is_empty() && continues(split));
        let anew = splits(line).find(|split| split.index == self.index && begins(split));
        // The radix is not certain before the second row.
        let resembles = || {
            let decimal = || self.seen == self.next && self.head.clone().count_in(10).resembles(line, self.next);
            !packet.bytes.is_empty() && (self.head.resembles(line, self.next) || decimal())
        };
        if next.is_none() && anew.is_none() && resembles() {
            return fault(self.head.at(), format!("expected the offset {} here", self.head.digits(self.next)));
        }
        let found =
            next.or(anew).or_else(|| splits(line).find(begins)).or_else(|| splits(line).find(|split| split.index == self.index));
        let Some(split) = found.filter(|split| split.groups == self.groups) else { return self.other(line, packet) };
        let starts = packet.bytes.is_empty() || !continues(&split);
        if !packet.bytes.is_empty() && starts && begins(&split) {
            return Ok(Fed::Complete(0));
        }
        let value = split.value(radix).unwrap_or_default();
        let offset = match self.count {
            Count::Rows if starts && packet.bytes.is_empty() => 0,
            Count::Rows if value == self.next => self.seen,
            Count::Rows => return fault(split.at, format!("the row is number {value}, but {} is expected here", self.next)),
            Count::Bytes(_) => value,
        };
        let row = split.bytes(line);
        let mut canonical = format!("{offset:016x}: ").into_bytes();
        canonical.extend(row.get(split.from..).unwrap_or_default());
        let before = packet.bytes.len();
        let fed = self.dump.feed(&canonical, packet).map_err(|Fault { at, what }| {
            let at = if at < CANONICAL { split.at } else { at - CANONICAL + split.from };
            Fault { at, what }
        })?;
        if before == 0 {
            packet.marks.add(log::marks(line.get(..split.at).unwrap_or_default()));
            self.seen = 0;
        }
        let len = (packet.bytes.len() - before) as u64;
        self.seen += len;
        self.next = value.saturating_add(if self.count == Count::Rows { 1 } else { len });
        self.index = split.index;
        self.head = Head::of(line, split.at, split.number.len(), radix);
        Ok(match fed {
            Fed::Taken => Fed::Taken,
            Fed::Complete(_) => Fed::Complete(line.len()),
        })
    }

    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        self.dump.end(packet)
    }
}

impl Rows {
    /// A line that is no row. It ends a packet, unless it is blank.
    fn other(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
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
