//! Character sets of texts: UTF-8, or the legacy encodings of old Japanese browsers.

use crate::wire::{InvalidValue, Settings};
use encoding_rs::{Encoding, SHIFT_JIS, UTF_8};
use std::borrow::Cow;

/// Name of the setting.
pub(super) const SETTING: &str = "vscp.charset";

/// Character set of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Charset {
    /// UTF-8, or Shift_JIS if the bytes are unambiguous.
    #[default]
    Detected,
    /// Configured encoding.
    Fixed(&'static Encoding),
}

/// Text in UTF-8, and whether its character set was detected.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) is_detected: bool,
}

impl Charset {
    pub(super) fn new(settings: &Settings) -> Charset {
        settings.get(SETTING).and_then(encoding).map_or(Charset::Detected, Charset::Fixed)
    }

    /// Decodes bytes to text, or returns `None` if they must be shown as they are.
    pub(super) fn decode(self, bytes: &[u8]) -> Option<Decoded<'_>> {
        match self {
            _ if bytes.is_ascii() => None,
            Charset::Fixed(encoding) if encoding == UTF_8 => None,
            Charset::Fixed(encoding) => Some(Decoded { text: encoding.decode_without_bom_handling(bytes).0, is_detected: false }),
            Charset::Detected if std::str::from_utf8(bytes).is_ok() => None,
            Charset::Detected => shift_jis(bytes).map(|text| Decoded { text, is_detected: true }),
        }
    }
}

/// Looks up an encoding that allows NUL-terminated texts.
fn encoding(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

/// Validates the name of a character set.
pub(super) fn check(name: &str) -> Result<(), InvalidValue> {
    match encoding(name) {
        Some(_) => Ok(()),
        None => Err(InvalidValue {
            line: None,
            message: format!("unknown character set {name:?}; expected one such as shift_jis, utf-8 or euc-jp"),
        }),
    }
}

/// Minimum number of two-byte characters for Shift_JIS detection without kana.
const LEAST: usize = 2;

/// Decodes Shift_JIS if the text is unlikely to be anything else. Latin text also has bytes above 0x7f, but hardly in pairs that
/// encode kana, nor several with a lead byte that is a control character.
fn shift_jis(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)?;
    let is_kana = |character: char| matches!(character, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}');
    let is_private = |character: char| matches!(character, '\u{e000}'..='\u{f8ff}');
    let is_kanji = |character: char| matches!(character, '\u{4e00}'..='\u{9fff}');
    let is_clear = text.chars().any(is_kana) || text.chars().filter(|character| is_kanji(*character)).count() >= LEAST;
    let has_lead = bytes.iter().any(|byte| (0x81..=0x9f).contains(byte));
    (is_clear && has_lead && !text.chars().any(is_private)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(bytes: &[u8]) -> Option<String> {
        Charset::Detected.decode(bytes).map(|decoded| decoded.text.into_owned())
    }

    #[test]
    fn shift_jis_is_detected_where_it_is_unambiguous() {
        // Code points of JIS X 0208.
        assert_eq!(detected(b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd").as_deref(), Some("こんにちは"));
        assert_eq!(detected(b"Aki: \x83\x65\x83\x58\x83\x67").as_deref(), Some("Aki: テスト"));
        assert_eq!(detected(b"\x93\xfa\x96\x7b").as_deref(), Some("日本"));
    }

    #[test]
    fn other_texts_are_not_decoded() {
        for bytes in [
            &b"Aki"[..],
            "こんにちは".as_bytes(),
            b"Andr\xe9",
            b"M\xfcller",
            b"Am\xe9lie et Ren\xe9e",
            b"don\x92t",
            b"\x93quoted\x94",
            b"\xb1\xb7",
            b"\xa5\xc6\xa5\xb9\xa5\xc8",
            b"\x82",
        ] {
            assert_eq!(detected(bytes), None, "{bytes:02x?}");
        }
    }

    #[test]
    fn a_character_set_has_its_usual_names() {
        let of = |name: &str| encoding(name).map(Encoding::name);
        assert_eq!(of("shift_jis"), Some("Shift_JIS"));
        assert_eq!(of("SJIS"), Some("Shift_JIS"));
        assert_eq!(of("latin1"), Some("windows-1252"));
        assert_eq!((of("utf-16le"), of("klingon")), (None, None));
        assert!(check("klingon").unwrap_err().message.contains("shift_jis"));
    }
}
