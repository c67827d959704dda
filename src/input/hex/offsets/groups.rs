//! The groups of digits in a row.

use crate::input::hex::scan::{pair, push_pairs};

/// The grouping of the bytes of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::input::hex) enum Groups {
    /// Any number of bytes, in order.
    #[default]
    Any,
    /// Single bytes.
    Pairs,
    /// Numbers of this many digits, little-endian.
    Swapped(usize),
    /// The same with the prefix `0x`.
    Prefixed(usize),
    /// Decimal bytes, with an optional sign.
    Decimal,
    /// Eight bits each, as in `xxd -b`.
    Bits,
}

impl Groups {
    /// Describes dumps of these groups, with `0x` before offsets, or in the order of `xxd -e`.
    pub(super) fn describe(self, prefix: bool, reversed: bool) -> String {
        let what = match self {
            Groups::Swapped(digits) => {
                return format!("a dump as of hexdump (offset, numbers of {digits} digits with the last byte first)");
            }
            Groups::Prefixed(digits) if digits > 2 => {
                return format!("a dump as of gdb's x (address, numbers of {digits} digits with the last byte first)");
            }
            Groups::Prefixed(_) => "gdb's x/16xb (address, bytes with 0x)",
            Groups::Any if prefix => "tcpdump (0x, offset, colon, groups of bytes)",
            Groups::Any if reversed => "xxd -e (offset, colon, groups with the last byte first)",
            Groups::Any => "xxd (offset, colon, groups of bytes)",
            Groups::Pairs => "hexdump -C, od -tx1 or tshark -x (offset, single bytes)",
            Groups::Bits => "xxd -b (offset, eight bits for each byte)",
            Groups::Decimal => "od -tu1 or gdb's x/16ub (offset, decimal bytes)",
        };
        format!("a dump as of {what}")
    }
}

pub(in crate::input::hex) fn is_group(text: &[u8], groups: Groups) -> bool {
    push_group(text, groups, false, &mut Vec::new())
}

/// Appends the bytes of a group; false if this is none. Numbers have their highest byte first, if `big`.
pub(in crate::input::hex) fn push_group(text: &[u8], groups: Groups, big: bool, out: &mut Vec<u8>) -> bool {
    let swapped = |digits: &[u8], out: &mut Vec<u8>| {
        let start = out.len();
        let read = push_pairs(digits, 0, out).is_ok();
        if !big {
            out.get_mut(start..).unwrap_or_default().reverse();
        }
        read
    };
    match groups {
        Groups::Any => (text.len().is_multiple_of(2) && push_pairs(text, 0, out).is_ok()) || push_joined(text, out),
        Groups::Pairs => text.len() == 2 && push_pairs(text, 0, out).is_ok() || push_joined(text, out),
        Groups::Swapped(digits) => match text.split_at_checked(8) {
            Some((high, [b'`', low @ ..])) if digits == 16 && low.len() == 8 => swapped(&[high, low].concat(), out),
            _ => text.len() == digits && swapped(text, out),
        },
        Groups::Prefixed(digits) => text.strip_prefix(b"0x").is_some_and(|text| text.len() == digits && swapped(text, out)),
        Groups::Decimal => decimal(text).map(|byte| out.push(byte)).is_some(),
        Groups::Bits => {
            let is_bits = text.len() == 8 && text.iter().all(|byte| matches!(byte, b'0' | b'1'));
            if is_bits {
                out.push(text.iter().fold(0, |value, byte| value << 1 | (byte - b'0')));
            }
            is_bits
        }
    }
}

/// Two bytes joined by a dash, in the middle of a WinDbg row.
pub(super) fn push_joined(text: &[u8], out: &mut Vec<u8>) -> bool {
    let halves = text.split_at_checked(2).filter(|_| text.len() == 5 && text.get(2) == Some(&b'-'));
    let bytes = halves.and_then(|(left, right)| Some([pair(left)?, pair(right.get(1..)?)?]));
    out.extend(bytes.into_iter().flatten());
    bytes.is_some()
}

/// A byte in decimal, from -128 to 255.
pub(in crate::input::hex) fn decimal(text: &[u8]) -> Option<u8> {
    let value: i16 = std::str::from_utf8(text).ok().filter(|text| text.len() <= 4 && !text.starts_with('+'))?.parse().ok()?;
    match value {
        0..=255 => u8::try_from(value).ok(),
        -128..=-1 => i8::try_from(value).ok().map(i8::cast_unsigned),
        _ => None,
    }
}
