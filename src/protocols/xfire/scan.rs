//! Whether bytes are attributes, told without keeping anything of them.

use super::keys::{BYTE_MAP, DID, INT32, INT64, LIST, SID_TYPE, STRING, STRING_MAP, UINT8};
use super::packets::Keys;

/// The deepest list or map that is entered; what is in a packet itself is 1 deep.
pub(super) const DEEPEST: usize = 8;

/// The longest name of an attribute.
const NAME_MAX: usize = 64;

/// Why bytes are no attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// They end too early.
    Short,
    /// They say what attributes never say.
    Wrong,
}

/// How far the attributes of a packet go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// Whole attributes.
    pub(super) whole: usize,
    /// Bytes of them.
    pub(super) end: usize,
    /// Bytes up to where something is wrong.
    pub(super) at: usize,
    /// What is wrong.
    pub(super) why: Option<Why>,
}

impl Reach {
    /// Whether there is nothing wrong and nothing behind.
    pub(super) fn fits(&self, len: usize) -> bool {
        self.why.is_none() && self.end == len
    }
}

/// Pass over so many attributes.
pub(super) fn attributes(bytes: &[u8], keys: Keys, count: usize) -> Reach {
    let mut scan = Scan { bytes, at: 0 };
    let mut reach = Reach { whole: 0, end: 0, at: 0, why: None };
    while reach.whole < count {
        if let Err(why) = scan.attribute(keys, 1) {
            return Reach { at: scan.at, why: Some(why), ..reach };
        }
        reach = Reach { whole: reach.whole + 1, end: scan.at, at: scan.at, why: None };
    }
    reach
}

/// Bytes of a value at the start of `bytes`.
pub(super) fn value_len(bytes: &[u8], value_type: u8) -> Option<usize> {
    let mut scan = Scan { bytes, at: 0 };
    scan.value(value_type, 1).ok()?;
    Some(scan.at)
}

/// The fewest bytes that a value of this type has; none for types that do not exist.
pub(super) fn least(value_type: u8) -> Option<usize> {
    Some(match value_type {
        STRING => 2,
        INT32 => 4,
        SID_TYPE => 16,
        LIST => 3,
        STRING_MAP | BYTE_MAP | UINT8 => 1,
        DID => 21,
        INT64 => 8,
        _ => return None,
    })
}

/// Whether a name is one that attributes have: printable ISO-8859-1.
pub(super) fn is_name(name: &[u8]) -> bool {
    (1..=NAME_MAX).contains(&name.len()) && name.iter().all(|byte| matches!(byte, 0x20..=0x7e | 0xa0..=0xff))
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Why> {
        let end = self.at.checked_add(count).ok_or(Why::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(Why::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Why> {
        self.take(1)?.first().copied().ok_or(Why::Short)
    }

    fn count(&mut self) -> Result<usize, Why> {
        let bytes = self.take(2)?.first_chunk().copied().ok_or(Why::Short)?;
        Ok(u16::from_le_bytes(bytes).into())
    }

    fn attribute(&mut self, keys: Keys, depth: usize) -> Result<(), Why> {
        match keys {
            Keys::Named => {
                let len = usize::from(self.byte()?);
                if !(1..=NAME_MAX).contains(&len) {
                    return Err(Why::Wrong);
                }
                let there = self.bytes.get(self.at..).unwrap_or_default();
                if !is_name(there.get(..len.min(there.len())).filter(|name| !name.is_empty()).unwrap_or(b"?")) {
                    return Err(Why::Wrong);
                }
                self.take(len)?;
            }
            Keys::Numbered => self.take(1).map(drop)?,
        }
        let value_type = self.byte()?;
        self.value(value_type, depth)
    }

    fn value(&mut self, value_type: u8, depth: usize) -> Result<(), Why> {
        let size = match value_type {
            STRING => self.count()?,
            LIST | STRING_MAP | BYTE_MAP if depth > DEEPEST => return Err(Why::Wrong),
            LIST => return self.list(depth),
            STRING_MAP => return self.map(Keys::Named, depth),
            BYTE_MAP => return self.map(Keys::Numbered, depth),
            _ => least(value_type).ok_or(Why::Wrong)?,
        };
        self.take(size).map(drop)
    }

    fn list(&mut self, depth: usize) -> Result<(), Why> {
        let value_type = self.byte()?;
        let count = self.count()?;
        if count == 0 {
            return Ok(());
        }
        let least = least(value_type).ok_or(Why::Wrong)?;
        if count * least > self.bytes.len() - self.at {
            return Err(Why::Short);
        }
        match value_type {
            STRING | LIST | STRING_MAP | BYTE_MAP => (0..count).try_for_each(|_| self.value(value_type, depth + 1)),
            _ => self.take(count * least).map(drop),
        }
    }

    fn map(&mut self, keys: Keys, depth: usize) -> Result<(), Why> {
        let count = self.byte()?;
        (0..count).try_for_each(|_| self.attribute(keys, depth + 1))
    }
}
