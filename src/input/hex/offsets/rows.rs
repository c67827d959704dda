//! A row of a dump: its offset, then its bytes in the order that the text determines.

use super::dump::{Dump, UNLIKE, is_inset};
use super::groups::Groups;
use super::row::Column;
use super::shape::Offset;
use crate::input::hex::head::Head;
use crate::input::hex::marks::Marks;
use crate::input::hex::scan::{is_pair, words};
use crate::input::hex::{Fault, Fed, Feed, LARGEST_PACKET, Packet, fault, too_large};

impl Dump {
    pub(super) fn row(&mut self, line: &[u8], offset: Offset<'_>, from: usize, packet: &mut Packet) -> Feed {
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
    pub(super) fn bytes(&mut self, line: &[u8], from: usize, packet: &mut Vec<u8>) -> Result<(), Fault> {
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
    pub(super) fn begin(&mut self, offset: &Offset<'_>, begins: bool) {
        self.squeezed = false;
        self.last = 0;
        self.reversed.clear();
        let here = Base::of(offset);
        let first = *self.first.get_or_insert(here);
        // A row that does not begin a packet does not match either.
        self.base = if begins { here } else { first };
    }

    /// Checks an offset against the bytes so far, after adding omitted lines.
    pub(super) fn advance(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<bool, Fault> {
        let len = packet.len() as u64;
        let end = self.base.until(offset, self.radix).filter(|value| *value > len && self.squeezed);
        // Behind `*` an offset is not that of another radix.
        let radixes: &[u32] = if self.sure || end.is_some() { &[] } else { &RADIXES };
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
    pub(super) fn last_offset(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<(), Fault> {
        if packet.is_empty() {
            self.base = Base([Some(0); 3]);
        }
        if let Groups::Swapped(digits) = self.shape.groups {
            let radixes: &[u32] = if self.sure { &[] } else { &RADIXES };
            let at = |radix: &u32| self.base.until(offset, *radix).and_then(|end| usize::try_from(end).ok());
            let shorter = |end: &usize| *end <= packet.len() && packet.len() - end < digits / 2;
            if let Some(end) = [self.radix].iter().chain(radixes).filter_map(at).find(shorter) {
                packet.truncate(end);
                return Ok(());
            }
        }
        if self.advance(offset, packet)? { Ok(()) } else { self.mismatch(offset, packet.len()) }
    }

    pub(super) fn mismatch<T>(&self, offset: &Offset<'_>, len: usize) -> Result<T, Fault> {
        let found = String::from_utf8_lossy(offset.text);
        if len == 0 {
            let expected = match self.first.and_then(|first| first.start(16)) {
                Some(first) if first > 0 => format!("0 or {first:#x}"),
                _ => "0".to_owned(),
            };
            return fault(offset.at, format!("the offset is {found}, but a packet begins here; expected offset {expected}"));
        }
        fault(offset.at, format!("the offset is {found}, but {len} bytes ({len:#x}) came before it"))
    }
}

/// The start of a packet, by the radix of the offsets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Base([Option<u64>; 3]);

/// The radixes of offsets, the most common first.
const RADIXES: [u32; 3] = [16, 8, 10];

impl Base {
    pub(super) fn of(offset: &Offset<'_>) -> Base {
        Base(RADIXES.map(|radix| offset.value(radix)))
    }

    /// Bytes from here to an offset.
    pub(super) fn until(&self, offset: &Offset<'_>, radix: u32) -> Option<u64> {
        offset.value(radix)?.checked_sub(self.start(radix)?)
    }

    pub(super) fn start(&self, radix: u32) -> Option<u64> {
        self.0.iter().zip(RADIXES).find_map(|(start, of)| start.filter(|_| of == radix))
    }

    pub(super) fn is_at(&self, offset: &Offset<'_>) -> bool {
        offset.value(16) == Some(0) || self.start(16) == offset.value(16)
    }
}
