//! Validation of attributes without building a tree.

use super::keys::{BYTE_MAP, DID, INT32, INT64, LIST, SID_TYPE, STRING, STRING_MAP, UINT8};
use super::packets::Keys;

/// Largest nesting depth of lists and maps; the top level of a packet is 1.
pub(super) const DEEPEST: usize = 8;

/// Largest name of an attribute in bytes.
const NAME_MAX: usize = 64;

/// Reason why bytes are not attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Invalid {
    /// They are incomplete.
    Short,
    /// They are invalid.
    Malformed,
}

/// Extent of the valid attributes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValidExtent {
    /// Number of complete attributes.
    pub(super) whole: usize,
    /// Their size in bytes.
    pub(super) end: usize,
    /// Offset of the error.
    pub(super) at: usize,
    /// Error, if any.
    pub(super) why: Option<Invalid>,
}

impl ValidExtent {
    /// Whether the attributes are valid and end with the bytes.
    pub(super) fn fits(&self, len: usize) -> bool {
        self.why.is_none() && self.end == len
    }
}

/// Scans this many attributes.
pub(super) fn attributes(bytes: &[u8], keys: Keys, count: usize) -> ValidExtent {
    let mut scan = Scan { bytes, at: 0 };
    let mut reach = ValidExtent { whole: 0, end: 0, at: 0, why: None };
    while reach.whole < count {
        if let Err(why) = scan.attribute(keys, 1) {
            return ValidExtent { at: scan.at, why: Some(why), ..reach };
        }
        reach = ValidExtent { whole: reach.whole + 1, end: scan.at, at: scan.at, why: None };
    }
    reach
}

/// Size of a value at the start of `bytes`.
pub(super) fn value_len(bytes: &[u8], value_type: u8) -> Option<usize> {
    let mut scan = Scan { bytes, at: 0 };
    scan.value(value_type, 1).ok()?;
    Some(scan.at)
}

/// Minimum size of a value of this type; `None` for unknown types.
pub(super) fn minimum_size(value_type: u8) -> Option<usize> {
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

/// Whether a name is valid: printable ISO-8859-1.
pub(super) fn is_name(name: &[u8]) -> bool {
    (1..=NAME_MAX).contains(&name.len()) && name.iter().all(|byte| matches!(byte, 0x20..=0x7e | 0xa0..=0xff))
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Invalid> {
        let end = self.at.checked_add(count).ok_or(Invalid::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(Invalid::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Invalid> {
        self.take(1)?.first().copied().ok_or(Invalid::Short)
    }

    fn count(&mut self) -> Result<usize, Invalid> {
        let bytes = self.take(2)?.first_chunk().copied().ok_or(Invalid::Short)?;
        Ok(u16::from_le_bytes(bytes).into())
    }

    fn attribute(&mut self, keys: Keys, depth: usize) -> Result<(), Invalid> {
        match keys {
            Keys::Named => {
                let len = usize::from(self.byte()?);
                if !(1..=NAME_MAX).contains(&len) {
                    return Err(Invalid::Malformed);
                }
                let there = self.bytes.get(self.at..).unwrap_or_default();
                if !is_name(there.get(..len.min(there.len())).filter(|name| !name.is_empty()).unwrap_or(b"?")) {
                    return Err(Invalid::Malformed);
                }
                self.take(len)?;
            }
            Keys::Numbered => self.take(1).map(drop)?,
        }
        let value_type = self.byte()?;
        self.value(value_type, depth)
    }

    fn value(&mut self, value_type: u8, depth: usize) -> Result<(), Invalid> {
        let size = match value_type {
            STRING => self.count()?,
            LIST | STRING_MAP | BYTE_MAP if depth > DEEPEST => return Err(Invalid::Malformed),
            LIST => return self.list(depth),
            STRING_MAP => return self.map(Keys::Named, depth),
            BYTE_MAP => return self.map(Keys::Numbered, depth),
            _ => minimum_size(value_type).ok_or(Invalid::Malformed)?,
        };
        self.take(size).map(drop)
    }

    fn list(&mut self, depth: usize) -> Result<(), Invalid> {
        let value_type = self.byte()?;
        let count = self.count()?;
        if count == 0 {
            return Ok(());
        }
        let minimum_size = minimum_size(value_type).ok_or(Invalid::Malformed)?;
        if count * minimum_size > self.bytes.len() - self.at {
            return Err(Invalid::Short);
        }
        match value_type {
            STRING | LIST | STRING_MAP | BYTE_MAP => (0..count).try_for_each(|_| self.value(value_type, depth + 1)),
            _ => self.take(count * minimum_size).map(drop),
        }
    }

    fn map(&mut self, keys: Keys, depth: usize) -> Result<(), Invalid> {
        let count = self.byte()?;
        (0..count).try_for_each(|_| self.attribute(keys, depth + 1))
    }
}
