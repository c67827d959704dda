//! Formats the numbers, times and addresses of columns and JSON. Eight digits are computed and written at once, whatever the
//! length of the number, so that no step depends on that length.

/// Numbers from here on have more than eight digits.
const SHORT: u32 = 100_000_000;

/// Eight zeros.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends a number.
#[inline(never)]
pub(crate) fn number(line: &mut Vec<u8>, number: u64) {
    match u32::try_from(number) {
        Ok(number) if number < SHORT => short(line, number),
        _ => long(line, number),
    }
}

/// A number from [`SHORT`] on.
#[cold]
fn long(line: &mut Vec<u8>, number: u64) {
    match u32::try_from(number) {
        Ok(number) => {
            short(line, number / SHORT);
            line.extend_from_slice(&(eight(number % SHORT) | ZEROS).to_le_bytes());
        }
        Err(_) => line.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// A number below [`SHORT`].
#[inline]
fn short(line: &mut Vec<u8>, number: u32) {
    let (digits, count) = decimal(number);
    line.extend_from_slice(&digits.to_le_bytes());
    line.truncate(line.len() - (size_of_val(&digits) - count));
}

/// Seconds with nine digits after the point. `nanos` must be below 1,000,000,000.
pub(crate) fn seconds(line: &mut Vec<u8>, seconds: u64, nanos: u32) {
    number(line, seconds);
    let first = u8::try_from(nanos / SHORT % 10).unwrap_or_default();
    line.extend_from_slice(&[b'.', b'0' + first]);
    line.extend_from_slice(&(eight(nanos % SHORT) | ZEROS).to_le_bytes());
}

/// An IPv4 address.
pub(crate) fn dotted(line: &mut Vec<u8>, octets: [u8; 4]) {
    let (text, len) = points(octets);
    line.extend_from_slice(&text);
    line.truncate(line.len() - (text.len() - len));
}

/// An IPv4 address and its length; bytes after that are meaningless.
pub(super) fn points(octets: [u8; 4]) -> ([u8; 16], usize) {
    let (mut text, mut bits) = (0_u128, 0);
    for octet in octets {
        let octet = with_point(octet);
        text |= u128::from(octet) << bits;
        bits += u32::BITS - octet.leading_zeros() / 8 * 8;
    }
    // The last point is not part of the text.
    (text.to_le_bytes(), bits as usize / 8 - 1)
}

/// The digits of an octet and a point, the first digit in the lowest byte.
#[inline]
fn with_point(octet: u8) -> u32 {
    static ALL: [u32; 256] = {
        let mut all = [0; 256];
        let mut octet = 0_u8;
        while let Some(place) = all.split_at_mut(octet as usize).1.first_mut() {
            let [hundreds, tens, ones] = [b'0' + octet / 100, b'0' + octet / 10 % 10, b'0' + octet % 10];
            *place = u32::from_le_bytes(match octet {
                0..=9 => [ones, b'.', 0, 0],
                10..=99 => [tens, ones, b'.', 0],
                100.. => [hundreds, tens, ones, b'.'],
            });
            octet = match octet.checked_add(1) {
                Some(next) => next,
                None => break,
            };
        }
        all
    };
    ALL.get(usize::from(octet)).copied().unwrap_or_default()
}

/// The digits of a number below [`SHORT`], the first one in the lowest byte, zeros after the last one, and their count.
#[inline]
fn decimal(number: u32) -> (u64, usize) {
    let digits = eight(number);
    // The number 0 keeps its last digit.
    let unused = (digits | 1 << 56).trailing_zeros() / 8;
    ((digits | ZEROS) >> (unused * 8), 8 - unused as usize)
}

/// Eight digits of a number below [`SHORT`], one per byte, the first one in the lowest byte.
#[inline]
fn eight(number: u32) -> u64 {
    // Splits into two groups of four digits, then into pairs, then into single digits, each in its own byte.
    let fours = u64::from(number / 10_000) | u64::from(number % 10_000) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (pairs - tens * 10) << 8
}

/// A float as `%.{digits}g` of C.
#[must_use]
pub(crate) fn general(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" });
    }
    let digits = digits.max(1);
    let scientific = format!("{number:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if exponent < -4 || usize::try_from(exponent).is_ok_and(|exponent| exponent >= digits) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.unsigned_abs());
    }
    let places = usize::try_from(i64::try_from(digits).unwrap_or_default() - 1 - i64::from(exponent)).unwrap_or_default();
    trimmed(&format!("{number:.places$}")).to_owned()
}

/// Without zeros at the end of a fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::Ipv4Addr;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut line = b"before ".to_vec();
        write(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn each_octet_is_as_the_standard_library_writes_it() {
        for octet in 0..=u8::MAX {
            for octets in [[octet, 0, 10, 255], [1, octet, octet, 99], [200, 100, 9, octet]] {
                assert_eq!(written(|line| dotted(line, octets)), format!("before {}", Ipv4Addr::from(octets)));
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_of_any_length_are_written_whole(digits in 0_u32..20, any: u64) {
            let short = any % 10_u64.pow(digits);
            let edge = u64::from(u32::MAX);
            for one in [short, any, 10_u64.pow(digits), 10_u64.pow(digits) - 1, edge, edge + 1] {
                prop_assert_eq!(written(|line| number(line, one)), format!("before {one}"));
            }
        }

        #[test]
        fn fractions_have_nine_digits(whole: u64, nanos in 0_u32..1_000_000_000, zeros in 0_u32..10) {
            let nanos = nanos / 10_u32.pow(zeros);
            prop_assert_eq!(written(|line| seconds(line, whole, nanos)), format!("before {whole}.{nanos:09}"));
        }
    }
}
