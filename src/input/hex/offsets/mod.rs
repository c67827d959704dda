//! Dumps with an offset in each line: `hexdump`, `hexdump -C`, `xxd`, `od`, tcpdump's `-x`, tshark's `-x`, and those of
//! debuggers, with addresses.
//!
//! ```text
//! 00000000: 2300 0000 017b 226c  #....{"l      a colon: bytes in any groups
//! 00000000: 00000023 6c227b01  #....{"l        the same, and the text shows each group reversed: xxd -e
//! 0000  23 00 00 00 01 7b 22 6c   #....{"l     no colon: single bytes
//! 0000000 0023 0000 7b01 6c22                  no colon, words: the machine's own order, so the bytes are swapped
//! 0x7ffe10 <msg>: 0x23 0x00 0x00 0x00          gdb; words in the machine's own order
//! ```
//! An offset of zero begins a packet. If the first offset of the text is not zero, the dump is an excerpt: each packet may begin
//! at this offset, and all offsets are relative to it.
//!
//! Other lines may occur before, between and after packets: they end a packet and are skipped, except for direction marks and
//! times. A line is a row if its offset has the format of the first line, and its bytes have the same grouping. The format is a
//! colon, `0x`, and at least as many digits. A comment (`#`) may occur anywhere. A malformed row is not mistaken for prose: the
//! next offset does not match.

mod offset;
mod row;

pub(super) use offset::{Offset, split_offset};
pub(super) use row::{Column, Groups, Row, decimal};

use super::head::Head;
use super::marks::Marks;
use super::ruler::is_ruler;
use super::scan::{Word, all_hex, is_pair, words};
use super::{Dialect, Fault, Fed, Feed, LARGEST_PACKET, Packet, bare_ip, fault, too_large};
use row::is_group;

/// Why a row in another format is invalid.
const UNLIKE: &str = "a dump that is not written as the lines before it: other offsets or other groups";

/// Prompts of debuggers. The dump after a prompt may begin at any address.
const PROMPTS: [&[u8]; 3] = [b"(gdb)", b"(lldb)", b"kd>"];

/// Whether a line is a debugger command.
pub(super) fn is_prompt(text: &[u8]) -> bool {
    PROMPTS.iter().any(|prompt| text.starts_with(prompt)) || text.get(1..6) == Some(b":000>")
}

/// The common format of all rows of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    colon: bool,
    prefix: bool,
    digits: usize,
    groups: Groups,
}

impl Shape {
    /// The format of the first row of a dump.
    pub(super) fn of(line: &[u8]) -> Option<Shape> {
        let (offset, from) = split_offset(line)?;
        let first = words(line, from).next()?.text;
        let (colon, prefix, digits) = (offset.colon, offset.prefix, offset.text.len());
        let words_fit = |groups| words(line, from).all(|word| is_group(word.text, groups) || word.text.starts_with(b">"));
        let groups = match first.len() {
            len @ (4 | 6 | 10 | 18) if first.starts_with(b"0x") => Some(Groups::Prefixed(len - 2)).filter(|_| offset.prefix)?,
            _ if is_decimal(line, from, &offset) => Groups::Decimal,
            8 if colon && is_bits(line, from) => Groups::Bits,
            _ if colon => is_group(first, Groups::Any).then_some(Groups::Any)?,
            2 if digits > 3 => all_hex(first).then_some(Groups::Pairs)?,
            17 if offset.address && words_fit(Groups::Swapped(16)) => Groups::Swapped(16),
            // A first word as long as the others belongs to the data of a row without an offset.
            len @ (4 | 8 | 16)
                if len != digits
                    && (offset.address || (6..=8).contains(&digits))
                    && offset.value(16).is_some_and(|at| at.is_multiple_of(16)) =>
            {
                words_fit(Groups::Swapped(len)).then_some(Groups::Swapped(len))?
            }
            _ => return None,
        };
        Some(Shape { colon, prefix, digits, groups })
    }

    /// Rows with an offset of sixteen digits and a colon.
    pub(super) fn canonical(groups: Groups) -> Shape {
        Shape { colon: true, prefix: false, digits: 16, groups }
    }

    /// Whether data may begin with this word.
    fn begins_with(&self, word: &[u8]) -> bool {
        is_group(word, self.groups)
    }

    /// Whether the byte order within groups must be determined from the text.
    fn is_open(&self) -> bool {
        self.groups == Groups::Any && !self.prefix
    }

    /// Whether this may be the offset of another row of the dump.
    fn takes(&self, offset: &Offset<'_>) -> bool {
        offset.colon == self.colon && offset.prefix == self.prefix && offset.text.len() >= self.digits
    }
}

/// The offset of a row.
pub(super) fn base(line: &[u8]) -> Option<u64> {
    split_offset(line)?.0.value(16)
}

/// The start of a row.
pub(super) fn head(line: &[u8]) -> Head {
    split_offset(line).map_or_else(Head::default, |(offset, _)| Head::of(line, offset.at, offset.text.len(), 16))
}

/// Whether the groups of a row are bits, of which its text shows one character each.
fn is_bits(line: &[u8], from: usize) -> bool {
    Row::default().read(line, from, Groups::Bits).is_ok_and(|column| column == Column::InOrder)
}

/// Whether all words are decimal bytes in columns, as from `od -tu1` and `od -td1`, or after tabs, as in gdb.
fn is_decimal(line: &[u8], from: usize, offset: &Offset<'_>) -> bool {
    let mut telling = false;
    let all = words(line, from).all(|word| {
        let width = word.gap + word.text.len();
        let placed = if offset.prefix { line.get(word.at.wrapping_sub(1)) == Some(&b'\t') } else { matches!(width, 4 | 5) };
        telling |= word.text.len() != 2 || word.text.starts_with(b"-");
        placed && decimal(word.text).is_some() && (word.text.len() == 1 || !word.text.starts_with(b"0"))
    });
    let is_place = if offset.prefix { offset.colon } else { !offset.colon && offset.text.len() >= 6 };
    // Only `od` has offsets of seven digits before single bytes, and it separates hex digits by less.
    all && (telling || offset.prefix || offset.text.len() == 7) && is_place
}

fn is_inset(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a line is a row from its offset to its text: of several bytes, or of one with a matching text.
pub(super) fn reads(line: &[u8], shape: Shape) -> bool {
    let Some((offset, from)) = split_offset(line) else { return false };
    let mut row = Row::default();
    let column = row.read(line, from, shape.groups);
    column.is_ok_and(|column| row.straight.len() > 1 || column != Column::None || offset.address)
}

/// Why a row is invalid.
pub(super) fn fault_of(line: &[u8], shape: Shape) -> Option<Fault> {
    let (_, from) = split_offset(line)?;
    Row::default().read(line, from, shape.groups).err()
}

/// Whether a line is output of `od` in octal words or bytes, its default.
pub(super) fn is_octal(line: &[u8]) -> bool {
    let Some((offset, from)) = split_offset(line) else { return false };
    let octal = |word: Word<'_>| matches!(word.text.len(), 3 | 6) && word.text.iter().all(|byte| (b'0'..=b'7').contains(byte));
    !offset.colon && offset.text.len() == 7 && words(line, from).next().is_some() && words(line, from).all(octal)
}

/// The start of a packet, by the radix of the offsets.
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
        offset.value(radix)?.checked_sub(self.start(radix)?)
    }

    fn start(&self, radix: u32) -> Option<u64> {
        match radix {
            8 => self.octal,
            10 => self.decimal,
            _ => self.hex,
        }
    }

    fn is_at(&self, offset: &Offset<'_>) -> bool {
        offset.value(16) == Some(0) || self.hex == offset.value(16)
    }
}

/// State of a dump.
pub(super) struct Dump {
    shape: Shape,
    radix: u32,
    /// Whether an offset other than the first one matched, so that the radix is certain.
    sure: bool,
    /// The start of the first packet of the text.
    first: Option<Base>,
    /// The start of this packet.
    base: Base,
    /// Whether `*` was found: lines equal to the last one are omitted.
    squeezed: bool,
    /// Number of bytes of the last row.
    last: usize,
    /// Whether the position is in a reassembled source, which tshark prints after the frame.
    skipping: bool,
    /// Whether the line above the packet contains `IP`.
    ip_announced: bool,
    /// Whether the previous line was no row.
    heading: bool,
    /// Whether rows begin with white space.
    inset: bool,
    /// The start of the first row of the packet.
    head: Head,
    row: Row,
    /// Byte order within groups, once a text column has determined it.
    order: Option<Column>,
    /// The packet with all groups reversed, while both orders are possible.
    reversed: Vec<u8>,
    /// Whether a text column of groups of four bytes or more matches both orders.
    doubtful: bool,
}

impl Dump {
    pub(super) fn new(shape: Shape, ip_announced: bool) -> Dump {
        // `od` uses octal by default. Only it has seven digits before pairs.
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
            head: Head::default(),
            row: Row::default(),
            order: None,
            reversed: Vec::new(),
            doubtful: false,
        }
    }

    /// The same with numbers whose first byte is the highest one, if `big`.
    pub(super) fn with_order(mut self, big: bool) -> Dump {
        self.row.big = big;
        self
    }
}

impl Dialect for Dump {
    fn is_dump(&self) -> bool {
        true
    }

    fn describe(&self) -> Option<String> {
        Some(match self.shape.groups {
            Groups::Any if self.shape.prefix => "a dump as of tcpdump (0x, offset, colon, groups of bytes)".to_owned(),
            Groups::Any if self.order == Some(Column::Reversed) => {
                "a dump as of xxd -e (offset, colon, groups with the last byte first)".to_owned()
            }
            Groups::Any => "a dump as of xxd (offset, colon, groups of bytes)".to_owned(),
            Groups::Pairs => "a dump as of hexdump -C, od -tx1 or tshark -x (offset, single bytes)".to_owned(),
            Groups::Swapped(digits) => {
                format!("a dump as of hexdump (offset, numbers of {digits} digits with the last byte first)")
            }
            Groups::Prefixed(2) => "a dump as of gdb's x/16xb (address, bytes with 0x)".to_owned(),
            Groups::Prefixed(digits) => {
                format!("a dump as of gdb's x (address, numbers of {digits} digits with the last byte first)")
            }
            Groups::Bits => "a dump as of xxd -b (offset, eight bits for each byte)".to_owned(),
            Groups::Decimal => "a dump as of od -tu1 or gdb's x/16ub (offset, decimal bytes)".to_owned(),
        })
    }

    fn is_bare_ip(&self, packet: &[u8]) -> bool {
        self.shape.prefix && self.shape.colon && bare_ip::begins(packet, self.ip_announced)
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
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
            // Tables around a dump, as in our own output, are indented differently from rows.
            None if !self.skipping && is_inset(line) == self.inset && Shape::of(line).is_some() => fault(0, UNLIKE),
            None if !self.skipping && self.is_damaged(line, packet) => {
                fault(0, format!("expected a row of the dump: an offset of {} digits, then bytes", self.shape.digits))
            }
            None => self.between(line, packet),
            Some(_) if self.skipping => Ok(Fed::Taken),
            Some((offset, from)) => self.row(line, offset, from, packet),
        }
    }

    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        let differs = std::mem::take(&mut self.doubtful) && self.order.is_none() && packet.bytes != self.reversed;
        if differs && !packet.bytes.is_empty() {
            return fault(
                0,
                "the text column does not show whether the groups above are in order (xxd -g4) or reversed (xxd -e); use xxd -g1",
            );
        }
        self.reversed.clear();
        Ok(())
    }
}

impl Dump {
    /// Whether a line without an offset is a malformed row: bytes alone, or an offset with an invalid digit.
    fn is_damaged(&self, line: &[u8], packet: &Packet) -> bool {
        if packet.bytes.is_empty() || is_ruler(line) {
            return false;
        }
        let next = self.base.start(self.radix).and_then(|base| base.checked_add(packet.bytes.len() as u64));
        if next.is_some_and(|next| self.head.resembles(line, next)) {
            return true;
        }
        let groups = |skip| words(line, 0).skip(skip).take_while(|word| is_group(word.text, self.shape.groups)).count();
        let all = words(line, 0).count();
        let bare = groups(0);
        if bare == all && (bare > 1 || line.iter().any(u8::is_ascii_digit)) {
            return true;
        }
        // A symbol may follow an address.
        let behind = groups(1).max(groups(2));
        if is_inset(line) && !self.inset || behind == 0 {
            return false;
        }
        let Some(first) = words(line, 0).next() else { return false };
        // Signs around the digits of an offset do not count.
        let signs = |byte: &&u8| !b"xh:`".contains(byte);
        let hex = first.text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        let len = first.text.iter().filter(signs).count();
        behind >= 3 || first.text.len() >= self.shape.digits && hex * 4 >= len * 3
    }

    /// Handles a line that is no row. It ends a packet, unless it is a comment.
    fn between(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.starts_with(b"#") {
            return Ok(Fed::Taken);
        }
        if !packet.bytes.is_empty() && self.is_within(line) {
            return Ok(Fed::Taken);
        }
        if !packet.bytes.is_empty() {
            // It is parsed again for the marks of the next packet.
            return self.complete(0, packet);
        }
        if is_prompt(text) {
            self.first = None;
        }
        self.skipping = text.ends_with(b" bytes):") && !text.starts_with(b"Frame (");
        self.ip_announced = bare_ip::announces_ip(line) || self.heading && self.ip_announced;
        self.heading = true;
        packet.marks.add(Marks::of_prose(line));
        Ok(Fed::Taken)
    }

    fn complete(&mut self, used: usize, packet: &mut Packet) -> Feed {
        self.end(packet)?;
        Ok(Fed::Complete(used))
    }

    /// Whether a line may occur between rows of a packet: tables of our own output, which are indented differently, and their
    /// separators. A time or direction belongs to the next packet.
    fn is_within(&self, line: &[u8]) -> bool {
        let is_table = is_inset(line) && !self.inset && Marks::of_prose(line) == Marks::default();
        is_table || line.starts_with("──".as_bytes())
    }

    fn row(&mut self, line: &[u8], offset: Offset<'_>, from: usize, packet: &mut Packet) -> Feed {
        let first = words(line, from).next();
        let begins = self.first.unwrap_or_default().is_at(&offset);
        if !packet.bytes.is_empty() && begins {
            return self.complete(0, packet);
        }
        let Some(first) = first else {
            self.last_offset(&offset, &mut packet.bytes)?;
            return if packet.bytes.is_empty() { Ok(Fed::Taken) } else { self.complete(line.len(), packet) };
        };
        // Prose may begin with a number. It is no offset if no bytes follow, unless it is exactly the expected one.
        let prose = !self.shape.begins_with(first.text);
        if prose && !packet.bytes.is_empty() && words(line, from).skip(1).take_while(|word| is_pair(word.text)).count() >= 3 {
            return fault(first.at, UNLIKE);
        }
        if packet.bytes.is_empty() {
            if prose {
                return self.between(line, packet);
            }
            self.begin(&offset, begins);
            self.heading = false;
            self.inset = is_inset(line);
            self.head = Head::of(line, offset.at, offset.text.len(), self.radix);
            packet.marks.add(Marks::of(line));
        }
        if !self.advance(&offset, &mut packet.bytes)? {
            return if prose { self.between(line, packet) } else { self.mismatch(&offset, packet.bytes.len()) };
        }
        let before = packet.bytes.len();
        self.bytes(line, from, &mut packet.bytes)?;
        self.last = packet.bytes.len() - before;
        Ok(Fed::Taken)
    }

    /// The bytes of a row, in the order that its text determines.
    fn bytes(&mut self, line: &[u8], from: usize, packet: &mut Vec<u8>) -> Result<(), Fault> {
        let column = self.row.read(line, from, self.shape.groups)?;
        if !self.shape.is_open() {
            packet.extend(&self.row.straight);
            return Ok(());
        }
        // Groups that are equal in both orders determine neither.
        let groups = words(line, from).next().map_or(0, |word| word.text.len());
        let is_evidence = self.row.straight != self.row.reversed || groups <= 2 && !self.doubtful;
        match column {
            Column::InOrder if !is_evidence => {}
            Column::InOrder | Column::Reversed => {
                if *self.order.get_or_insert(column) != column {
                    return fault(from, "the text column shows the groups in another order than that of the rows before");
                }
                if column == Column::Reversed && !self.reversed.is_empty() {
                    *packet = std::mem::take(&mut self.reversed);
                }
            }
            // `xxd -e` aligns a short group to the right.
            Column::Either => self.doubtful |= words(line, from).next().is_some_and(|word| word.text.len() >= 8 || word.gap > 1),
            Column::None => {}
        }
        match self.order {
            Some(Column::Reversed) => packet.extend(&self.row.reversed),
            Some(_) => packet.extend(&self.row.straight),
            None => {
                packet.extend(&self.row.straight);
                self.reversed.extend(&self.row.reversed);
            }
        }
        Ok(())
    }

    /// Handles the first row of a packet.
    fn begin(&mut self, offset: &Offset<'_>, begins: bool) {
        self.squeezed = false;
        self.last = 0;
        self.reversed.clear();
        let here = Base::of(offset);
        let first = *self.first.get_or_insert(here);
        // A row that does not begin a packet does not match either.
        self.base = if begins { here } else { first };
    }

    /// Checks an offset against the bytes so far, after adding omitted lines.
    fn advance(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<bool, Fault> {
        let len = packet.len() as u64;
        let end = self.base.until(offset, self.radix).filter(|value| *value > len && self.squeezed);
        // Behind `*` an offset is not that of another radix.
        let radixes: &[u32] = if self.sure || end.is_some() { &[] } else { &[16, 8, 10] };
        let fits = |radix: &u32| self.base.until(offset, *radix) == Some(len);
        if let Some(radix) = [self.radix].iter().chain(radixes).find(|radix| fits(radix)) {
            self.radix = *radix;
            self.head = std::mem::take(&mut self.head).count_in(*radix);
            self.sure |= len > 8;
            return Ok(true);
        }
        let Some(end) = end.and_then(|end| usize::try_from(end).ok()) else { return Ok(false) };
        if end > LARGEST_PACKET {
            return Err(too_large(offset.at));
        }
        if self.last == 0 || self.last > packet.len() {
            return Ok(false);
        }
        for bytes in [packet, &mut self.reversed] {
            let Some(from) = bytes.len().checked_sub(self.last) else { continue };
            while bytes.len() < end {
                let some = self.last.min(end - bytes.len());
                bytes.extend_from_within(from..from + some);
            }
        }
        self.squeezed = false;
        Ok(true)
    }

    /// The offset after the last row. It decides whether the second byte of the last word is data.
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
