//! Elements of BER and DER (X.690), shared by SNMP, LDAP, Kerberos and X.509.
//!
//! ```text
//! element     type:1 | length | value
//! length      0..127:1, or 80 + n:1 and n bytes
//! ```
//! A value may consist of elements. [`Ber`] reads them in sequence from a [`Wire`]; [`Der`] iterates over bytes for readers that
//! know the whole message. Not covered: types above 30 and indefinite lengths.

use crate::tree::{Field, Kind, Value};
use crate::wire::{Error, Result, Wire};
use std::fmt;
use std::ops::Range;

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OBJECT_ID: u8 = 0x06;
pub(super) const ENUMERATED: u8 = 0x0a;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Type of an element, size of its header and length of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: u8,
    pub(super) size: usize,
    pub(super) length: usize,
}

impl Head {
    /// Size of the whole element.
    pub(super) fn whole(self) -> usize {
        self.size.saturating_add(self.length)
    }
}

/// Parses the header of an element; `None` if it is incomplete or not covered.
pub(super) fn head(bytes: &[u8]) -> Option<Head> {
    const MOST: usize = 4;
    let (&[kind, first], rest) = bytes.split_first_chunk()?;
    if first < 0x80 {
        return Some(Head { kind, size: 2, length: first.into() });
    }
    let digits = rest.get(..usize::from(first & 0x7f)).filter(|digits| (1..=MOST).contains(&digits.len()))?;
    let length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
    Some(Head { kind, size: 2 + digits.len(), length })
}

/// Whether the bytes may become a header with more of them.
pub(super) fn is_incomplete(bytes: &[u8]) -> bool {
    match bytes {
        [] | [_] => true,
        [_, first @ 0x81..=0x84, rest @ ..] => rest.len() < usize::from(first & 0x7f),
        _ => false,
    }
}

/// A reader of elements with the fields of a protocol.
pub(super) struct Ber {
    /// Field of types and lengths.
    pub(super) element: &'static Field,
    /// Field of bytes without another one.
    pub(super) unknown: &'static Field,
    /// Note on an unexpected type or length.
    pub(super) bad: &'static Field,
}

impl Ber {
    /// Notes an unexpected element.
    pub(super) fn unexpected<T>(&self, wire: &mut Wire<'_>, required: &str) -> Result<T> {
        match wire.ahead().first() {
            Some(kind) => wire.malformed(self.bad, format_args!("type {kind:#04x} where {required} is required")),
            None => Err(Error::Short { needed: 1 }),
        }
    }

    /// Header of the next element, which must have this type.
    pub(super) fn expected(&self, wire: &mut Wire<'_>, kind: u8) -> Result<Head> {
        match head(wire.ahead()) {
            Some(head) if head.kind == kind => Ok(head),
            None if wire.remaining() < 2 => Err(Error::Short { needed: 2 - wire.remaining() }),
            _ => self.unexpected(wire, "another"),
        }
    }

    /// Dissects the contents of an element of this type.
    pub(super) fn inside<T>(&self, wire: &mut Wire<'_>, kind: u8, read: impl FnOnce(&mut Wire<'_>) -> Result<T>) -> Result<T> {
        let head = self.expected(wire, kind)?;
        wire.bytes(self.element, head.size)?;
        wire.within(head.length, self.unknown, read)
    }

    /// Dissects the contents of an element of this type, if it is next.
    pub(super) fn optional(&self, wire: &mut Wire<'_>, kind: u8, read: impl FnOnce(&mut Wire<'_>) -> Result) -> Result {
        if wire.peek_u8() == Some(kind) { self.inside(wire, kind, read) } else { Ok(()) }
    }

    /// Dissects an element whose value is this field. Returns the value.
    pub(super) fn element<'a>(&self, wire: &mut Wire<'a>, head: Head, field: &'static Field) -> Result<&'a [u8]> {
        wire.bytes(self.element, head.size)?;
        match head.length {
            0 => Ok(&[]),
            length if field.kind == Kind::Text => wire.text(field, length),
            length => wire.bytes(field, length),
        }
    }

    /// Dissects a string of this type. Returns it.
    pub(super) fn string<'a>(&self, wire: &mut Wire<'a>, kind: u8, field: &'static Field) -> Result<&'a [u8]> {
        let head = self.expected(wire, kind)?;
        self.element(wire, head, field)
    }

    /// Dissects an element of any type as bytes of this field.
    pub(super) fn any(&self, wire: &mut Wire<'_>, field: &'static Field) -> Result {
        match head(wire.ahead()) {
            Some(head) => self.element(wire, head, field).map(drop),
            None => self.unexpected(wire, "an element"),
        }
    }

    /// Reads an element. Returns its value and its whole range.
    pub(super) fn whole<'a>(&self, wire: &mut Wire<'a>, kind: u8, most: usize) -> Result<(&'a [u8], Range<usize>)> {
        let head = self.expected(wire, kind)?;
        if head.length > most {
            return wire.malformed(self.bad, format_args!("{} bytes where at most {most} are permitted", head.length));
        }
        let (start, ahead) = (wire.at(), wire.ahead());
        wire.skip(head.whole())?;
        Ok((ahead.get(head.size..head.whole()).unwrap_or_default(), start..start + head.whole()))
    }

    /// Dissects a signed number of this type; its span is the whole element.
    pub(super) fn signed(&self, wire: &mut Wire<'_>, kind: u8, field: &'static Field) -> Result<i64> {
        const MOST: usize = 8;
        let (bytes, range) = self.whole(wire, kind, MOST)?;
        let number = signed(bytes);
        wire.put(field, u64::try_from(number).map_or(Value::Signed(number), Value::Unsigned), range);
        Ok(number)
    }

    /// Dissects an unsigned number of this type.
    pub(super) fn unsigned(&self, wire: &mut Wire<'_>, kind: u8, field: &'static Field) -> Result {
        const MOST: usize = 9;
        let (bytes, range) = self.whole(wire, kind, MOST)?;
        let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        wire.put(field, Value::Unsigned(number), range);
        Ok(())
    }

    /// Dissects a boolean of this type.
    pub(super) fn boolean(&self, wire: &mut Wire<'_>, kind: u8, field: &'static Field) -> Result {
        let (bytes, range) = self.whole(wire, kind, 1)?;
        wire.put(field, Value::Bool(bytes != [0]), range);
        Ok(())
    }

    /// Dissects an object identifier.
    pub(super) fn object(&self, wire: &mut Wire<'_>, field: &'static Field) -> Result {
        const MOST: usize = 512;
        let (bytes, range) = self.whole(wire, OBJECT_ID, MOST)?;
        wire.put_text(field, range, format_args!("{}", ObjectId(bytes)));
        Ok(())
    }
}

/// A signed number of at most eight bytes.
pub(super) fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
    bytes.iter().fold(sign, |number: i64, byte| number << 8 | i64::from(*byte))
}

/// Formats an object identifier in dotted decimal: seven bits a byte; the first number encodes two parts.
pub(super) struct ObjectId<'a>(pub(super) &'a [u8]);

impl fmt::Display for ObjectId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut part, mut is_first) = (0_u64, true);
        for byte in self.0 {
            part = part << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                continue;
            }
            if is_first {
                let top = (part / 40).min(2);
                write!(f, "{top}.{}", part - top * 40)?;
            } else {
                write!(f, ".{part}")?;
            }
            (part, is_first) = (0, false);
        }
        Ok(())
    }
}

/// Sequence of elements. `at` is the offset of the first byte in the source of the cursor.
#[derive(Clone)]
pub(super) struct Der<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

pub(super) struct Element<'a> {
    pub(super) tag: u8,
    /// Range of the whole element in the source.
    pub(super) range: Range<usize>,
    pub(super) content: Der<'a>,
}

impl<'a> Iterator for Der<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let head = head(self.bytes)?;
        let (whole, behind) = self.bytes.split_at_checked(head.whole())?;
        let (range, start) = (self.at..self.at + whole.len(), self.at + head.size);
        let content = Der { bytes: whole.get(head.size..)?, at: start };
        *self = Der { bytes: behind, at: range.end };
        Some(Element { tag: head.kind, range, content })
    }
}

impl<'a> Der<'a> {
    /// Returns the next element if it has this tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<Element<'a>> {
        let mut ahead = self.clone();
        let element = ahead.next().filter(|element| element.tag == tag)?;
        *self = ahead;
        Some(element)
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.at..self.at + self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_short_and_long_lengths() {
        assert_eq!(head(b"\x30\x05"), Some(Head { kind: SEQUENCE, size: 2, length: 5 }));
        assert_eq!(head(b"\x30\x82\x01\x02"), Some(Head { kind: SEQUENCE, size: 4, length: 258 }));
        for bytes in [&b""[..], b"\x30", b"\x30\x80", b"\x30\x82\x01", b"\x30\x85\0\0\0\0\x01"] {
            assert_eq!(head(bytes), None);
        }
        assert!(is_incomplete(b"\x30\x82\x01") && is_incomplete(b"\x30") && !is_incomplete(b"\x30\x80"));
    }

    #[test]
    fn elements_lie_in_their_source() {
        let mut der = Der { bytes: b"\x30\x03\x02\x01\x07\x05\0\x04\x02a", at: 10 };
        let mut first = der.expect(SEQUENCE).unwrap();
        assert_eq!((first.range.clone(), first.content.range()), (10..15, 12..15));
        assert_eq!(first.content.expect(INTEGER).map(|element| signed(element.content.bytes)), Some(7));
        assert!(der.expect(SET).is_none() && der.expect(NULL).is_some());
        assert!(der.next().is_none(), "its end is missing");
    }

    #[test]
    fn object_identifiers_are_formatted() {
        assert_eq!(ObjectId(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]).to_string(), "1.2.840.113549");
        assert_eq!(ObjectId(&[0x88, 0x37]).to_string(), "2.999");
    }

    #[test]
    fn numbers_have_a_sign() {
        assert_eq!([signed(b"\xff"), signed(b"\0\xff"), signed(b"")], [-1, 255, 0]);
    }
}
