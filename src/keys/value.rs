//! Values of keys: hex, text, base64, or nothing.

use crate::limits;
use data_encoding::BASE64_NOPAD;

/// The forms of a value, for errors.
pub(super) const FORMS: &str = "expected hex, \"text\", base64:… or - (empty)";

/// Parses a value: hex digits of any case, `"text"` with escapes, `base64:…`, or `-` for empty.
///
/// # Errors
/// What was expected. The value itself is never part of it.
pub fn parse(text: &str) -> Result<Vec<u8>, String> {
    let bytes = match text {
        "-" => Vec::new(),
        _ if text.starts_with('"') => quoted(text)?,
        _ => match text.strip_prefix("base64:") {
            Some(digits) => base64(digits).ok_or_else(|| "expected base64 digits after base64:".to_owned())?,
            None => hex(text)?,
        },
    };
    match limits::KEY_VALUE.get() {
        most if bytes.len() > most => Err(format!("the value has more than {most} bytes (--limit keys.value)")),
        _ => Ok(bytes),
    }
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Err(FORMS.to_owned());
    }
    if text.starts_with("0x") || text.starts_with("0X") {
        return Err("expected hex without 0x".to_owned());
    }
    let wrong = text.bytes().position(|digit| !digit.is_ascii_hexdigit());
    match wrong {
        Some(_) if text.bytes().all(|digit| digit.is_ascii_hexdigit() || matches!(digit, b':' | b'-')) => {
            Err("expected hex digits without separators".to_owned())
        }
        Some(at) => Err(format!("{FORMS}; character {} of the value is no hex digit", at + 1)),
        None if !text.len().is_multiple_of(2) => Err(format!("expected an even number of hex digits, not {}", text.len())),
        None => {
            let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            let pair = |pair: &[u8]| match *pair {
                [high, low] => Some(digit(high)? << 4 | digit(low)?),
                _ => None,
            };
            text.as_bytes().chunks(2).map(pair).collect::<Option<_>>().ok_or_else(|| FORMS.to_owned())
        }
    }
}

/// The length of the quoted text at the start, with its quotes; `None` if it does not end.
pub(super) fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

const ESCAPES: &str = r#"expected one of the escapes \" \\ \n \r \t \0 \xHH \u{HHHH}"#;

fn quoted(text: &str) -> Result<Vec<u8>, String> {
    if quoted_length(text) != Some(text.len()) {
        return Err("expected \" at the end of the text".to_owned());
    }
    let mut rest = text.get(1..text.len() - 1).unwrap_or_default();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        bytes.extend_from_slice(plain.as_bytes());
        let used = unescape(escape, &mut bytes).ok_or_else(|| ESCAPES.to_owned())?;
        rest = escape.get(used..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Appends what an escape stands for, and returns its length.
fn unescape(escape: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    let byte = match escape.as_bytes().get(1)? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'0' => 0,
        byte @ (b'"' | b'\\' | b'\'') => *byte,
        b'x' => {
            bytes.push(u8::from_str_radix(digits(escape.get(2..4)?)?, 16).ok()?);
            return Some(4);
        }
        b'u' => {
            let number = escape.get(2..)?.strip_prefix('{')?.split_once('}')?.0;
            let character = char::from_u32(u32::from_str_radix(digits(number)?, 16).ok()?)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(4 + number.len());
        }
        _ => return None,
    };
    bytes.push(byte);
    Some(2)
}

/// The text, if all of it are hex digits.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(text)
}

/// Decodes base64 of either alphabet, with or without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if digits.is_empty() || text.len() - digits.len() > 2 {
        return None;
    }
    let standard = digits.replace('-', "+").replace('_', "/");
    BASE64_NOPAD.decode(standard.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hex_text_base64_or_empty() {
        for (text, bytes) in [
            ("0fA0", &[0x0f, 0xa0][..]),
            ("-", &[]),
            ("\"\"", &[]),
            ("\"a # b\"", b"a # b"),
            (r#""\"\\\n\r\t\0\x41\u{e9}""#, b"\"\\\n\r\t\0A\xc3\xa9"),
            ("base64:AQID", &[1, 2, 3]),
            ("base64:AQI=", &[1, 2]),
            ("base64:AQ", &[1]),
            ("base64:+/-_", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_not_the_value() {
        for (text, words) in [
            ("", "hex"),
            ("123", "even number"),
            ("0x5ec2e7", "without 0x"),
            ("5e:c2:e7", "without separators"),
            ("secret", "character 1"),
            ("5ec2e7zz", "character 7"),
            ("\"5ec2e7", "at the end"),
            (r#""5ec2e7\q""#, "escapes"),
            (r#""5ec2e7\x+1""#, "escapes"),
            (r#""5ec2e7\u{d800}""#, "escapes"),
            (r#""5ec2e7\u{}""#, "escapes"),
            (r#""5ec2e7\"#, "at the end"),
            ("\"5ec2e7\"x", "at the end"),
            ("base64:5ec2e", "base64"),
            ("base64:5ec2.", "base64"),
            ("base64:", "base64"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words) && !error.contains("ec2"), "{text}: {error}");
        }
    }

    #[test]
    fn a_value_has_a_limit() {
        let most = limits::KEY_VALUE.get();
        assert_eq!(parse(&"00".repeat(most)).map(|bytes| bytes.len()), Ok(most));
        assert!(parse(&"00".repeat(most + 1)).unwrap_err().contains("keys.value"));
        assert!(parse(&format!("base64:{}", "A".repeat(16 << 20))).unwrap_err().contains("keys.value"));
    }
}
