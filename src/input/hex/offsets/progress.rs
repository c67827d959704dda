//! Offsets of a dump against the bytes before them.

use super::base::Base;
use super::dump::Dump;
use super::groups::Groups;
use super::offset::Offset;
use crate::input::hex::{Fault, LARGEST_PACKET, fault, too_large};

impl Dump {
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
    pub(super) fn last_offset(&mut self, offset: &Offset<'_>, packet: &mut Vec<u8>) -> Result<(), Fault> {
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

    pub(super) fn mismatch<T>(&self, offset: &Offset<'_>, len: usize) -> Result<T, Fault> {
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
