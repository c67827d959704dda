//! Escaping of text in XML and JSON, including control characters.

use crate::tree::is_harmful;
use std::fmt::{self, Write};

/// Escapes text for an XML attribute or element. Most control characters are not representable in XML, so they are escaped as in
/// tshark.
pub(super) fn xml(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '\n' | '\t' | '\r' => spelled(out, format_args!("&#x{:x};", u32::from(character))),
            '\u{0}'..='\u{1f}' | '\u{7f}' => spelled(out, format_args!("\\x{:02x}", u32::from(character))),
            '\u{fffe}' | '\u{ffff}' => spelled(out, format_args!("\\u{:04x}", u32::from(character))),
            _ if is_harmful(character) => spelled(out, format_args!("&#x{:x};", u32::from(character))),
            _ => out.push(character),
        }
    }
}

/// Writes a JSON string with quotes.
pub(super) fn json(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if is_harmful(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    spelled(out, format_args!("\\u{unit:04x}"));
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Formats to memory, which does not fail.
pub(super) fn spelled(out: &mut String, words: fmt::Arguments<'_>) {
    let _ = out.write_fmt(words);
}

/// Formats bytes as hexadecimal digits with a separator.
pub(super) fn hex(bytes: &[u8], between: &str, out: &mut String) {
    for (at, byte) in bytes.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        for nibble in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(nibble.into(), 16));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_spelled_out_in_both_languages() {
        let (mut of_xml, mut of_json) = (String::new(), String::new());
        let text = "a<b>&\"'\u{1b}[31m\n\u{202e}\u{e0041}é";
        xml(text, &mut of_xml);
        json(text, &mut of_json);
        assert_eq!(of_xml, "a&lt;b&gt;&amp;&quot;&#x27;\\x1b[31m&#xa;&#x202e;&#xe0041;é");
        assert_eq!(serde_json::from_str::<String>(&of_json).unwrap(), text);
        assert!(of_json.contains("\\u001b") && of_json.contains("\\u202e") && !of_json.chars().any(is_harmful));
    }
}
