//! Typed netstrings, in which mitmproxy stores flows.
//!
//! ```text
//! value   length, in digits | ":" | content | type
//!   ,  bytes   ;  text   #  integer   ^  float   !  boolean   ~  nothing   ]  list of values   }  keys and values
//! ```

use std::net::{IpAddr, SocketAddr};

/// Maximum digits of a length.
const DIGITS: usize = 12;

/// A value, whose content is parsed on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value<'a> {
    kind: u8,
    content: &'a [u8],
}

/// Size of the value at the start of these bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// Of all of it.
    Whole(usize),
    /// The digits are incomplete.
    Short,
    /// There is none.
    Wrong,
}

/// Size of the value at the start of these bytes.
pub(super) fn size(bytes: &[u8]) -> Size {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.get(digits) {
        None if digits < DIGITS => return Size::Short,
        Some(b':') if (1..=DIGITS).contains(&digits) => {}
        _ => return Size::Wrong,
    }
    let length = bytes.iter().take(digits).fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    usize::try_from(length).map_or(Size::Wrong, |length| Size::Whole(digits + 2 + length))
}

impl<'a> Value<'a> {
    /// The value at the start of these bytes, and what follows it.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Value<'a>, &'a [u8])> {
        let Size::Whole(size) = size(bytes) else { return None };
        let (whole, rest) = bytes.split_at_checked(size)?;
        let (kind, whole) = whole.split_last()?;
        let colon = memchr::memchr(b':', whole)?;
        Some((Value { kind: *kind, content: whole.get(colon + 1..)? }, rest))
    }

    /// Whether it has keys.
    pub(super) fn is_map(self) -> bool {
        self.kind == b'}'
    }

    /// The elements of a list, or the keys and values of a map.
    pub(super) fn elements(self) -> impl Iterator<Item = Value<'a>> {
        let mut ahead = if matches!(self.kind, b']' | b'}') { self.content } else { &[] };
        std::iter::from_fn(move || {
            let (value, rest) = Value::read(ahead)?;
            ahead = rest;
            Some(value)
        })
    }

    /// The value of a key.
    pub(super) fn get(self, key: &str) -> Option<Value<'a>> {
        if !self.is_map() {
            return None;
        }
        let mut all = self.elements();
        while let (Some(known), Some(value)) = (all.next(), all.next()) {
            if known.content == key.as_bytes() {
                return Some(value).filter(|value| value.kind != b'~');
            }
        }
        None
    }

    /// The value of the first of these keys that is there.
    pub(super) fn any(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// Bytes or text.
    pub(super) fn bytes(self) -> Option<&'a [u8]> {
        matches!(self.kind, b',' | b';').then_some(self.content)
    }

    /// An integer or a float.
    pub(super) fn number(self) -> Option<f64> {
        let text = std::str::from_utf8(self.content).ok().filter(|_| matches!(self.kind, b'#' | b'^'));
        text.and_then(|text| text.parse().ok()).filter(|number: &f64| number.is_finite())
    }

    pub(super) fn integer(self) -> Option<i64> {
        std::str::from_utf8(self.content).ok().filter(|_| self.kind == b'#').and_then(|text| text.parse().ok())
    }

    pub(super) fn is_true(self) -> bool {
        self.kind == b'!' && self.content == b"true"
    }

    /// Seconds since 1970 as nanoseconds.
    pub(super) fn time(self) -> Option<u64> {
        nanos(self.number()?)
    }

    /// An address and a port: a list, which old versions put into a map.
    pub(super) fn socket(self) -> Option<SocketAddr> {
        if let Some(inner) = self.get("address") {
            return inner.socket();
        }
        let mut all = self.elements();
        let text = std::str::from_utf8(all.next()?.bytes()?).ok()?;
        let ip: IpAddr = text.split('%').next()?.parse().ok()?;
        let port = all.next()?.integer()?;
        Some(SocketAddr::new(ip.to_canonical(), u16::try_from(port).ok()?))
    }
}

/// Seconds as nanoseconds, rounded to what a float of this size distinguishes.
pub(super) fn nanos(seconds: f64) -> Option<u64> {
    if !(0.0..1e10).contains(&seconds) {
        return None;
    }
    let micros = (std::time::Duration::try_from_secs_f64(seconds).ok()?.as_nanos() + 500) / 1000;
    u64::try_from(micros * 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_the_specification_has_them() {
        let (list, rest) = Value::read(b"19:5:12345#4:true!1:0#]x").unwrap();
        assert_eq!(rest, b"x");
        let all: Vec<_> = list.elements().collect();
        assert_eq!((all[0].integer(), all[1].is_true(), all[2].integer()), (Some(12345), true, Some(0)));
        let (map, _) = Value::read(b"26:4:name;3:Oda;4:time;3:1.5^}").unwrap();
        assert_eq!(map.get("name").and_then(Value::bytes), Some(&b"Oda"[..]));
        assert_eq!(map.get("time").and_then(Value::time), Some(1_500_000_000));
        assert_eq!(
            (size(b"12"), size(b":"), size(b"12a"), size(b"3:abc,")),
            (Size::Short, Size::Wrong, Size::Wrong, Size::Whole(6))
        );
    }
}
