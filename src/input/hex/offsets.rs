//! Dumps with an offset before each line: `hexdump`, `hexdump -C`, `xxd`, `od`, tcpdump's `-x`, tshark's `-x`.
//!
//! ```text
//! 00000000: 2300 0000 017b 226c  #....{"l      a colon: bytes in any groups, up to two spaces
//! 0000  23 00 00 00 01 7b 22 6c   #....{"l     no colon, pairs: up to a gap, with one gap allowed after eight bytes
//! 0000000 0023 0000 7b01 6c22                  no colon, words: the machine's own order, so the bytes are swapped
//! ```
//! An offset of zero begins a packet. If the first offset of the text is another, the dump is of a part: it is where each
//! packet may begin, and all offsets count from there.
//!
//! Lines that are no dump may stand before, between and behind packets: they end a packet and are passed over, but for
//! direction marks and times. A line is one of the dump if it begins with an offset written as in the first line (colon,
//! `0x`, at least as many digits) and bytes grouped as there. A comment (`#`) may stand anywhere. A line that was damaged does
//! not get lost among the prose: the offset after it no longer fits.

use super::marks::Marks;
use super::scan::{Word, after_marks, all_hex, push_pairs, words};
use super::{Fault, Fed, Feed, LARGEST_PACKET, Packet, bare_ip, fault, too_large};

/// Fewer digits than this are bytes.
const SHORTEST_OFFSET: usize = 3;

/// The offset at the start of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offset<'a> {
    /// Where its digits begin.
    pub(super) at: usize,
    pub(super) text: &'a [u8],
    pub(super) colon: bool,
    /// Written with `0x`.
    pub(super) prefix: bool,
}

impl Offset<'_> {
    pub(super) fn value(&self, radix: u32) -> Option<u64> {
        u64::from_str_radix(std::str::from_utf8(self.text).ok()?, radix).ok()
    }
}

/// The offset of a line, and where its data begins.
pub(super) fn split_offset(line: &[u8]) -> Option<(Offset<'_>, usize)> {
    let word = words(line, after_marks(line)).next()?;
    let end = word.at + word.text.len();
    let (text, colon) = word.text.strip_suffix(b":").map_or((word.text, false), |text| (text, true));
    let (text, prefix) = text.strip_prefix(b"0x").map_or((text, false), |text| (text, true));
    let at = word.at + if prefix { 2 } else { 0 };
    // With `0x` and no colon it would be a byte.
    let plausible = all_hex(text) && text.len() >= SHORTEST_OFFSET && text.len() <= 16 && (colon || !prefix);
    plausible.then_some((Offset { at, text, colon, prefix }, end))
}

/// Appends the pairs of a line, at most `most`, up to its text column.
pub(super) fn pairs(line: &[u8], from: usize, most: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (count, word) in words(line, from).enumerate() {
        let gap = count > 0 && word.gap > 1 && !(count == 8 && word.gap == 2);
        if gap || count >= most || matches!(word.text, [b'|' | b'>', ..]) {
            break;
        }
        if word.text.len() > 2 {
            push_pairs(word.text.get(..2).unwrap_or_default(), word.at, out)?;
            return fault(word.at + 2, "expected a space after two hex digits");
        }
        push_pairs(word.text, word.at, out)?;
    }
    Ok(())
}

/// What all lines of a dump have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    colon: bool,
    prefix: bool,
    digits: usize,
    groups: Groups,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groups {
    /// Up to a gap of two spaces, bytes in order.
    Field,
    Pairs,
    /// Numbers of so many digits, the last byte first.
    Swapped(usize),
}

impl Shape {
    /// The shape of a line that begins a dump.
    pub(super) fn of(line: &[u8]) -> Option<Shape> {
        let (offset, from) = split_offset(line)?;
        let first = words(line, from).next()?.text;
        let (colon, prefix, digits) = (offset.colon, offset.prefix, offset.text.len());
        let groups = match first.len() {
            _ if colon => all_hex(first).then_some(Groups::Field)?,
            2 if digits > 3 => all_hex(first).then_some(Groups::Pairs)?,
            // A first word as long as the others is one of them, in a row of groups without an offset.
            len @ (4 | 8 | 16) if len != digits && digits >= 6 && offset.value(16).is_some_and(|at| at.is_multiple_of(16)) => {
                words(line, from).all(|word| all_hex(word.text) || word.text.starts_with(b">")).then_some(Groups::Swapped(len))?
            }
            _ => return None,
        };
        Some(Shape { colon, prefix, digits, groups })
    }

    /// Whether data may begin with this word.
    fn begins_with(&self, word: &[u8]) -> bool {
        all_hex(word)
            && match self.groups {
                Groups::Field => word.len().is_multiple_of(2),
                Groups::Pairs => word.len() == 2,
                Groups::Swapped(digits) => word.len() == digits,
            }
    }

    /// Whether this can be the offset of another line of the dump.
    fn takes(&self, offset: &Offset<'_>) -> bool {
        offset.colon == self.colon && offset.prefix == self.prefix && offset.text.len() >= self.digits
    }
}

/// The offset that a line begins with.
pub(super) fn base(line: &[u8]) -> Option<u64> {
    split_offset(line)?.0.value(16)
}

fn is_inset(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a line is one of a dump from its offset to its text.
pub(super) fn reads(line: &[u8], shape: Shape) -> bool {
    let mut packet = Packet::default();
    Dump::new(shape, false).feed(line, &mut packet) == Ok(Fed::Taken) && packet.bytes.len() > 1
}

/// Whether a line is what `od` prints when it is not asked for hex: octal words or octal bytes.
pub(super) fn is_octal(line: &[u8]) -> bool {
    let Some((offset, from)) = split_offset(line) else { return false };
    let octal = |word: Word<'_>| matches!(word.text.len(), 3 | 6) && word.text.iter().all(|byte| (b'0'..=b'7').contains(byte));
    !offset.colon && offset.text.len() == 7 && words(line, from).next().is_some() && words(line, from).all(octal)
}

/// Where a packet begins, by the radix of the offsets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Base {
    hex: Option<u64>,
    octal: Option<u64>,
    decimal: Option<u64>,
}

impl Base {
    fn of(offset: &Offset<'_>) -> Base {
        Base { hex: offset.value(16), octal: offset.value(8), decimal: offset.value(10) }
    }

    /// Bytes from here to an offset.
    fn until(&self, offset: &Offset<'_>, radix: u32) -> Option<u64> {
        let base = match radix {
            8 => self.octal,
            10 => self.decimal,
            _ => self.hex,
        };
        offset.value(radix)?.checked_sub(base?)
    }

    fn is_at(&self, offset: &Offset<'_>) -> bool {
        offset.value(16) == Some(0) || self.hex == offset.value(16)
    }
}

/// A dump that is being read.
pub(super) struct Dump {
    shape: Shape,
    radix: u32,
    /// An offset other than the first one has fitted, so the radix is sure.
    sure: bool,
    /// Where the first packet of the text begins.
    first: Option<Base>,
    /// Where this packet begins.
    base: Base,
    /// `*` was seen: lines like the last one are left out.
    squeezed: bool,
    /// Bytes of the last line.
    last: usize,
    /// In a part that tshark shows again, reassembled.
    skipping: bool,
    /// A line above the packet calls it IP.
    ip_announced: bool,
    /// The line before was no row.
    heading: bool,
    /// Rows begin with white space.
    inset: bool,
}

impl Dump {
    pub(super) fn new(shape: Shape, ip_announced: bool) -> Dump {
        // `od` counts in octal by default. It alone has seven digits before pairs.
        let od = !shape.colon && shape.groups == Groups::Pairs && shape.digits == 7;
        let radix = if od { 8 } else { 16 };
        let base = Base::default();
        Dump {
            shape,
            radix,
            sure: false,
            first: None,
            base,
            squeezed: false,
            last: 0,
            skipping: false,
            ip_announced,
            heading: true,
            inset: false,
        }
    }

    /// What the lines look like.
    pub(super) fn describe(&self) -> String {
        match self.shape.groups {
            Groups::Field if self.shape.prefix => "a dump as of tcpdump (0x, offset, colon, groups of bytes)".to_owned(),
            Groups::Field => "a dump as of xxd (offset, colon, groups of bytes)".to_owned(),
            Groups::Pairs => "a dump as of hexdump -C, od -tx1 or tshark -x (offset, single bytes)".to_owned(),
            Groups::Swapped(digits) => {
                format!("a dump as of hexdump (offset, numbers of {digits} digits with the last byte first)")
            }
        }
    }

    /// Whether a packet of this dump begins at its IP header.
    pub(super) fn is_bare_ip(&self, packet: &[u8]) -> bool {
        self.shape.prefix && self.shape.colon && bare_ip::begins(packet, self.ip_announced)
    }

    pub(super) fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.is_empty() {
            self.skipping = false;
            return Ok(Fed::Taken);
        }
        if text == b"*" && self.last > 0 && !packet.bytes.is_empty() {
            self.squeezed = true;
            return Ok(Fed::Taken);
        }
        let found = split_offset(line).filter(|(offset, _)| !text.starts_with(b"#") && self.shape.takes(offset));
        match found {
            // Tables around a dump, such as our own, are set in where its rows are not.
            None if !self.skipping && is_inset(line) == self.inset && Shape::of(line).is_some() => {
                fault(0, "a dump that is not written as the lines before it: other offsets or other groups")
            }
            None => Ok(self.between(line, packet)),
            Some(_) if self.skipping => Ok(Fed::Taken),
            Some((offset, from)) => self.row(line, offset, from, packet),
        }
    }

    /// A line that is no dump. It ends a packet, unless it is a comment.
    fn between(&mut self, line: &[u8], packet: &mut Packet) -> Fed {
        let text = line.trim_ascii();
        if text.starts_with(b"#") {
            return Fed::Taken;
        }
        if !packet.bytes.is_empty() && self.is_within(line) {
            return Fed::Taken;
        }
        if !packet.bytes.is_empty() {
            // It is fed again, for what it says of the next packet.
            return Fed::Complete(0);
        }
        self.skipping = text.ends_with(b" bytes):") && !text.starts_with(b"Frame (");
        self.ip_announced = bare_ip::announces_ip(line) || self.heading && self.ip_announced;
        self.heading = true;
        packet.marks.add(Marks::of_prose(line));
        Fed::Taken
    }

    /// Whether a line may stand between rows of a packet: the tables of our own output, which are set in where its rows are not,
    /// and the rules between them. A time or a direction is of the next packet.
    fn is_within(&self, line: &[u8]) -> bool {
        let is_table = is_inset(line) && !self.inset && Marks::of_prose(line) == Marks::default();
        is_table || line.starts_with("──".as_bytes())
    }

    fn row(&mut self, line: &[u8], offset: Offset<'_>, from: usize, packet: &mut Packet) -> Feed {
        let first = words(line, from).next();
        let begins = self.first.unwrap_or_default().is_at(&offset);
        if !packet.bytes.is_empty() && begins {
            return Ok(Fed::Complete(0));
        }
        let Some(first) = first else {
            self.last_offset(&offset, &mut packet.bytes)?;
            return Ok(if packet.bytes.is_empty() { Fed::Taken } else { Fed::Complete(line.len()) });
        };
        // A line of prose may begin with a number. It is no offset if no bytes follow, unless it is just the one expected.
        let prose = !self.shape.begins_with(first.text);
        if packet.bytes.is_empty() {
            if prose {
                return Ok(self.between(line, packet));
            }
            self.begin(&offset, begins);
            self.heading = false;
            self.inset = is_inset(line);
            packet.marks.add(Marks::of(line));
        }
        if !self.advance(&offset, &mut packet.bytes)? {
            return if prose { Ok(self.between(line, packet)) } else { self.mismatch(&offset, packet.bytes.len()) };
        }
        let before = packet.bytes.len();
        match self.shape.groups {
            Groups::Field => field(line, from, &mut packet.bytes)?,
            Groups::Pairs => pairs(line, from, usize::MAX, &mut packet.bytes)?,
            Groups::Swapped(digits) => swapped(line, from, digits, &mut packet.bytes)?,
        }
        self.last = packet.bytes.len() - before;
        Ok(Fed::Taken)
    }

    /// The first row of a packet.
    fn begin(&mut self, offset: &Offset<'_>, begins: bool) {
        self.squeezed = false;
        self.last = 0;
        let here = Base::of(offset);
        let first = *self.first.get_or_insert(here);
        // A row that begins no packet does not fit either.
        self.base = if begins { here } else { first };
    }

    /// Checks an offset against the bytes so far, after putting in the lines that were squeezed out.
    fn advance(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<bool, Fault> {
        let len = packet.len() as u64;
        let radixes: &[u32] = if self.sure { &[] } else { &[16, 8, 10] };
        let fits = |radix: &u32| self.base.until(offset, *radix) == Some(len);
        if let Some(radix) = [self.radix].iter().chain(radixes).find(|radix| fits(radix)) {
            self.radix = *radix;
            self.sure |= len > 8;
            return Ok(true);
        }
        let end = self.base.until(offset, self.radix).filter(|value| *value > len && self.squeezed);
        let Some(end) = end.and_then(|end| usize::try_from(end).ok()) else { return Ok(false) };
        if end > LARGEST_PACKET {
            return Err(too_large(offset.at));
        }
        let Some(from) = packet.len().checked_sub(self.last).filter(|_| self.last > 0) else { return Ok(false) };
        while packet.len() < end {
            let some = self.last.min(end - packet.len());
            packet.extend_from_within(from..from + some);
        }
        self.squeezed = false;
        Ok(true)
    }

    /// The offset after the last line. It decides whether the second byte of the last word is data.
    fn last_offset(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<(), Fault> {
        if packet.is_empty() {
            self.base = Base { hex: Some(0), octal: Some(0), decimal: Some(0) };
        }
        if let Groups::Swapped(digits) = self.shape.groups {
            let radixes: &[u32] = if self.sure { &[] } else { &[16, 8, 10] };
            let at = |radix: &u32| self.base.until(offset, *radix).and_then(|end| usize::try_from(end).ok());
            let shorter = |end: &usize| *end <= packet.len() && packet.len() - end < digits / 2;
            if let Some(end) = [self.radix].iter().chain(radixes).filter_map(at).find(shorter) {
                packet.truncate(end);
                return Ok(());
            }
        }
        if self.advance(offset, packet)? { Ok(()) } else { self.mismatch(offset, packet.len()) }
    }

    fn mismatch<T>(&self, offset: &Offset<'_>, len: usize) -> Result<T, Fault> {
        let found = String::from_utf8_lossy(offset.text);
        if len == 0 {
            let expected = match self.first.and_then(|first| first.hex) {
                Some(first) if first > 0 => format!("0 or {first:#x}"),
                _ => "0".to_owned(),
            };
            return fault(offset.at, format!("the offset is {found}, but a packet begins here; expected offset {expected}"));
        }
        fault(offset.at, format!("the offset is {found}, but {len} bytes ({len:#x}) came before it"))
    }
}

/// Bytes in groups of any size, up to the gap before the text.
fn field(line: &[u8], from: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (index, word) in words(line, from).enumerate() {
        if index > 0 && word.gap > 1 {
            break;
        }
        push_pairs(word.text, word.at, out)?;
    }
    Ok(())
}

/// Numbers as the machine holds them: the last byte first.
fn swapped(line: &[u8], from: usize, digits: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    for word in words(line, from).take_while(|word| !word.text.starts_with(b">")) {
        if word.text.len() != digits {
            return fault(word.at, format!("expected groups of {digits} hex digits"));
        }
        let start = out.len();
        push_pairs(word.text, word.at, out)?;
        out.get_mut(start..).unwrap_or_default().reverse();
    }
    Ok(())
}
