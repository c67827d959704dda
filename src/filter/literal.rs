//! Literals: numbers, addresses, times, bytes.

use super::syntax::Syntax;
use super::value::{Constant, Item};
use super::value_type::ValueType;
use crate::tree::Names;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Parses a literal as constants of a type: several if several values share a name, none if it does not fit.
pub(super) fn constants(written: &Syntax, value_type: ValueType) -> Vec<Constant> {
    let items = match (written, value_type) {
        (Syntax::Quoted(text), ValueType::Text | ValueType::Bytes | ValueType::Layer) => vec![bytes(text.clone())],
        (Syntax::Quoted(text), _) => {
            return std::str::from_utf8(text).map(|text| of_words(text, value_type, true)).unwrap_or_default();
        }
        (Syntax::Char(byte), ValueType::Text | ValueType::Bytes | ValueType::Layer) => vec![bytes(vec![*byte])],
        (Syntax::Char(byte), ValueType::Number(_)) => vec![Item::Number((*byte).into())],
        (Syntax::Word(word), _) => return of_words(word, value_type, false),
        _ => Vec::new(),
    };
    items.into_iter().map(Constant::Is).collect()
}

fn of_words(words: &str, value_type: ValueType, quoted: bool) -> Vec<Constant> {
    let items: Vec<Item<'static>> = match value_type {
        // A quoted number is text.
        ValueType::Number(names) => match number(words).filter(|_| !quoted) {
            Some(number) => vec![Item::Number(number)],
            None => named(names, words).map(|number| Item::Number(number.into())).collect(),
        },
        ValueType::Float if quoted => Vec::new(),
        ValueType::Float => float(words).map(Item::Double).into_iter().collect(),
        ValueType::Bool(names) => match truth(words) {
            Some(truth) => vec![Item::Bool(truth)],
            None => named(names, words).map(|number| Item::Bool(number != 0)).collect(),
        },
        ValueType::Span => nanos(words).filter(|_| !quoted).map(Item::Nanos).into_iter().collect(),
        ValueType::Time => nanos(words).filter(|_| !quoted).or_else(|| moment(words)).map(Item::Nanos).into_iter().collect(),
        ValueType::Text => vec![bytes(words.as_bytes().to_vec())],
        ValueType::Bytes | ValueType::Layer => byte_row(words).map(bytes).into_iter().collect(),
        ValueType::Mac => byte_row(words).filter(|row| row.len() == 6).map(bytes).into_iter().collect(),
        ValueType::Ipv4 => return net4(words).into_iter().collect(),
        ValueType::Ipv6 => return net6(words).into_iter().collect(),
        ValueType::Note => Vec::new(),
    };
    items.into_iter().map(Constant::Is).collect()
}

fn bytes(bytes: Vec<u8>) -> Item<'static> {
    Item::Bytes(Cow::Owned(bytes))
}

fn named(names: Names, name: &str) -> impl Iterator<Item = u64> {
    names.iter().filter(move |(_, known)| known.eq_ignore_ascii_case(name)).map(|(number, _)| *number)
}

fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Parses an integer of at most 64 bits: decimal, `0x`, `0b`, or octal with a leading 0.
pub(super) fn number(word: &str) -> Option<i128> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let after = |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
    let (digits, radix) = match (after(["0x", "0X"]), after(["0b", "0B"])) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        _ if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        _ => (digits, 10),
    };
    // Reject a second sign.
    let number = i128::from_str_radix(digits, radix).ok().filter(|_| digits.starts_with(|c: char| c.is_ascii_alphanumeric()))?;
    let number = if negative { -number } else { number };
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number).then_some(number)
}

fn float(word: &str) -> Option<f64> {
    if let Some(number) = number(word).filter(|_| word.contains(['x', 'X', 'b', 'B'])) {
        return Some(number as f64);
    }
    // The standard library also accepts words such as infinity.
    word.parse().ok().filter(|_| word.contains(|c: char| c.is_ascii_digit()))
}

/// Parses seconds with up to nine decimals, as nanoseconds.
fn nanos(word: &str) -> Option<i128> {
    const DIGITS: usize = 9;
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !are_digits(whole) || !are_digits(fraction) || fraction.len() > DIGITS {
        return None;
    }
    let seconds: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos: i128 = format!("{fraction:0<DIGITS$}").parse().ok()?;
    let nanos = i128::from(seconds) * crate::record::seconds::SECOND + nanos;
    Some(if negative { -nanos } else { nanos })
}

/// Parses a date with optional time as nanoseconds since 1970, in the local time zone by default.
fn moment(words: &str) -> Option<i128> {
    if let Ok(moment) = words.parse::<jiff::Timestamp>() {
        return Some(moment.as_nanosecond());
    }
    let at = words.parse::<DateTime>().or_else(|_| DateTime::strptime("%b %d, %Y %H:%M:%S%.f", words)).ok()?;
    at.to_zoned(TimeZone::system()).ok().map(|at| at.timestamp().as_nanosecond())
}

/// Parses bytes: `aa:bb`, `aa-bb`, `aa.bb`, `aabb`, `aabb.ccdd`. A single digit is a byte.
fn byte_row(word: &str) -> Option<Vec<u8>> {
    let mut row = Vec::new();
    for part in word.split([':', '-', '.']) {
        let digits: Vec<u8> =
            part.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect::<Option<_>>()?;
        match digits.as_slice() {
            [] => return None,
            [digit] => row.push(*digit),
            _ => {
                let pairs = digits.chunks_exact(2);
                if !pairs.remainder().is_empty() {
                    return None;
                }
                row.extend(pairs.map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)));
            }
        }
    }
    Some(row)
}

/// Parses an address with optional prefix length.
fn prefixed<A: std::str::FromStr>(words: &str, most: u32) -> Option<(A, u32)> {
    let (address, prefix) = match words.split_once('/') {
        Some((address, prefix)) => (address, number(prefix).and_then(|prefix| u32::try_from(prefix).ok())?),
        None => (words, most),
    };
    Some((address.parse().ok()?, prefix)).filter(|_| prefix <= most)
}

fn net4(words: &str) -> Option<Constant> {
    let (address, prefix) = prefixed::<Ipv4Addr>(words, u32::BITS)?;
    Some(Constant::Net4(address.to_bits(), u32::MAX.checked_shl(u32::BITS - prefix).unwrap_or(0)))
}

fn net6(words: &str) -> Option<Constant> {
    let (address, prefix) = prefixed::<Ipv6Addr>(words, u128::BITS)?;
    Some(Constant::Net6(address.to_bits(), u128::MAX.checked_shl(u128::BITS - prefix).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_every_base() {
        let read = ["0", "42", "-5", "0x2a", "0X2A", "052", "0b101010", "-0x10", "18446744073709551615", "-9223372036854775808"];
        let numbers = read.map(|word| number(word).unwrap());
        assert_eq!(numbers, [0, 42, -5, 42, 42, 42, 42, -16, u64::MAX.into(), i64::MIN.into()]);
        for word in ["", "-", "0x", "0b2", "08", "1.5", "--1", "0x-1", "+1", "18446744073709551616", "-9223372036854775809", "1a"]
        {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn seconds_keep_every_nanosecond() {
        assert_eq!(nanos("1448400002.055398123"), Some(1_448_400_002_055_398_123));
        assert_eq!(nanos("-.5"), Some(-500_000_000));
        for word in ["", ".", "-", "1e3", "1.0000000001", "99999999999999999999"] {
            assert_eq!(nanos(word), None, "{word}");
        }
    }

    #[test]
    fn bytes_are_read_with_any_sign_between_them() {
        let row = Some(vec![0xaa, 0xbb, 0x0c, 0x0d]);
        for word in ["aa:bb:0c:0d", "AA-BB-0C-0D", "aabb0c0d", "aabb.0c0d", "aa:bb:c:d"] {
            assert_eq!(byte_row(word), row, "{word}");
        }
        for word in ["", ":", "aa:", "abc", "zz", "aa:bbc"] {
            assert_eq!(byte_row(word), None, "{word}");
        }
    }

    #[test]
    fn a_moment_that_names_its_zone_is_the_same_everywhere() {
        assert_eq!(moment("2015-11-24T21:20:02.5Z"), Some(1_448_400_002_500_000_000));
        assert_eq!(moment("2015-11-24 23:20:02+02:00"), Some(1_448_400_002_000_000_000));
        let local = moment("2015-11-24 21:20:02").unwrap();
        assert_eq!(moment("Nov 24, 2015 21:20:02"), Some(local));
        assert_eq!(moment("yesterday"), None);
    }
}
