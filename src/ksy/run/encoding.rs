//! The character encodings of Kaitai Struct.

use encoding_rs::Encoding;
use std::borrow::Cow;
use std::fmt::Write;

/// A character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Charset {
    /// ASCII; bytes from 128 are invalid, and shown as `\xNN`.
    Ascii,
    /// UTF-8.
    Utf8,
    /// UTF-16 of this byte order.
    Utf16 {
        /// Whether the first byte of a unit is the most significant one.
        big: bool,
    },
    /// UTF-16 whose byte order a mark states; little-endian without one.
    Utf16Marked,
    /// UTF-32 of this byte order.
    Utf32 {
        /// Whether the first byte of a unit is the most significant one.
        big: bool,
    },
    /// ISO-8859-1: each byte is the character of its number.
    Latin1,
    /// An encoding with control characters from 0x80 to 0x9f.
    WithControls(&'static Encoding),
    /// ASCII and these 128 characters from 128 on.
    CodePage(&'static str),
    /// An encoding of `encoding_rs`.
    Other(&'static Encoding),
}

/// The upper half of IBM437, code page 437 of the original PC.
const IBM437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
                      αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The upper half of IBM850, code page 850 of DOS in Western Europe.
const IBM850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
                      ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

impl Charset {
    /// The encoding with this canonical name of Kaitai Struct.
    pub(in crate::ksy) fn named(name: &str) -> Option<Charset> {
        Some(match name {
            "ASCII" => Charset::Ascii,
            "UTF-8" => Charset::Utf8,
            "UTF-16LE" => Charset::Utf16 { big: false },
            "UTF-16BE" => Charset::Utf16 { big: true },
            "UTF-16" => Charset::Utf16Marked,
            "UTF-32LE" => Charset::Utf32 { big: false },
            "UTF-32BE" => Charset::Utf32 { big: true },
            "ISO-8859-1" => Charset::Latin1,
            // The web maps these two to their Windows supersets.
            "ISO-8859-9" => Charset::WithControls(encoding_rs::WINDOWS_1254),
            "ISO-8859-11" => Charset::WithControls(encoding_rs::WINDOWS_874),
            "IBM437" => Charset::CodePage(IBM437),
            "IBM850" => Charset::CodePage(IBM850),
            _ => Charset::Other(Encoding::for_label(name.as_bytes())?),
        })
    }

    /// Decodes bytes, and reports whether invalid ones were replaced.
    pub(in crate::ksy) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self {
            Charset::Utf8 => utf8(bytes),
            Charset::Ascii | Charset::Latin1 | Charset::WithControls(_) | Charset::CodePage(_) if bytes.is_ascii() => utf8(bytes),
            Charset::Ascii => escaped(bytes),
            Charset::Latin1 => each(bytes, |byte| Some(byte.into())),
            Charset::CodePage(upper) => each(bytes, |byte| upper.chars().nth(usize::from(byte).checked_sub(128)?)),
            Charset::WithControls(encoding) => each(bytes, |byte| match byte {
                0x80..=0x9f => Some(byte.into()),
                _ => encoding.decode_without_bom_handling_and_without_replacement(&[byte])?.chars().next(),
            }),
            Charset::Utf16 { big } => utf16(bytes, big),
            Charset::Utf16Marked => match bytes {
                [0xfe, 0xff, text @ ..] => utf16(text, true),
                [0xff, 0xfe, text @ ..] | text => utf16(text, false),
            },
            Charset::Utf32 { big } => utf32(bytes, big),
            Charset::Other(encoding) => encoding.decode_without_bom_handling(bytes),
        }
    }
}

fn utf8(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (String::from_utf8_lossy(bytes), true),
    }
}

/// ASCII with other bytes as `\xNN`, so that each remains readable.
fn escaped(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii() {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    (text.into(), true)
}

fn each(bytes: &[u8], upper: impl Fn(u8) -> Option<char>) -> (Cow<'_, str>, bool) {
    let mut is_wrong = false;
    let mut one = |byte: &u8| {
        let character = if byte.is_ascii() { Some(char::from(*byte)) } else { upper(*byte) };
        is_wrong |= character.is_none();
        character.unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    let text: String = bytes.iter().map(&mut one).collect();
    (text.into(), is_wrong)
}

fn utf16(bytes: &[u8], big: bool) -> (Cow<'_, str>, bool) {
    let (units, rest) = bytes.as_chunks();
    let unit = |unit: &[u8; 2]| if big { u16::from_be_bytes(*unit) } else { u16::from_le_bytes(*unit) };
    lossy(char::decode_utf16(units.iter().map(unit)).map(Result::ok), !rest.is_empty())
}

fn utf32(bytes: &[u8], big: bool) -> (Cow<'_, str>, bool) {
    let (units, rest) = bytes.as_chunks();
    let unit = |unit: &[u8; 4]| if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
    lossy(units.iter().map(|bytes| char::from_u32(unit(bytes))), !rest.is_empty())
}

/// Characters, with replacements for invalid ones and for an incomplete unit at the end.
fn lossy(characters: impl Iterator<Item = Option<char>>, has_rest: bool) -> (Cow<'static, str>, bool) {
    let mut is_wrong = has_rest;
    let last = has_rest.then_some(None);
    let one = |character: Option<char>| {
        is_wrong |= character.is_none();
        character.unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    let text: String = characters.chain(last).map(one).collect();
    (text.into(), is_wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(name: &str, bytes: &[u8]) -> (String, bool) {
        let (text, is_wrong) = Charset::named(name).unwrap().decode(bytes);
        (text.into_owned(), is_wrong)
    }

    #[test]
    fn single_byte_encodings_equal_their_standards() {
        // From the mapping tables of unicode.org.
        for (name, bytes, text) in [
            ("ASCII", &b"abc"[..], "abc"),
            ("ISO-8859-1", &[0x80, 0xa4, 0xff], "\u{80}¤ÿ"),
            ("ISO-8859-2", &[0x9f, 0xa1, 0xf8], "\u{9f}Ąř"),
            ("ISO-8859-3", &[0xa1, 0xfd], "Ħŭ"),
            ("ISO-8859-4", &[0xa2, 0xfe], "ĸū"),
            ("ISO-8859-5", &[0xb0, 0xff], "Аџ"),
            ("ISO-8859-6", &[0xc7], "ا"),
            ("ISO-8859-7", &[0xa4, 0xe1], "€α"),
            ("ISO-8859-8", &[0xe0], "א"),
            ("ISO-8859-9", &[0x80, 0x9f, 0xd0, 0xfd], "\u{80}\u{9f}Ğı"),
            ("ISO-8859-10", &[0xa1, 0xbd], "Ą―"),
            ("ISO-8859-11", &[0x80, 0xa0, 0xa1, 0xfb], "\u{80}\u{a0}ก๛"),
            ("ISO-8859-13", &[0xa1, 0xff], "”’"),
            ("ISO-8859-14", &[0xa1, 0xf0], "Ḃŵ"),
            ("ISO-8859-15", &[0xa4, 0xbe], "€Ÿ"),
            ("ISO-8859-16", &[0xa4, 0xfe], "€ț"),
            ("windows-1250", &[0x8a, 0xf8], "Šř"),
            ("windows-1251", &[0xc0, 0xff], "Ая"),
            ("windows-1252", &[0x80, 0x9f], "€Ÿ"),
            ("windows-1253", &[0xe1], "α"),
            ("windows-1254", &[0x80, 0xd0], "€Ğ"),
            ("windows-1255", &[0xe0], "א"),
            ("windows-1256", &[0xc7], "ا"),
            ("windows-1257", &[0xa8], "Ø"),
            ("windows-1258", &[0xd0], "Đ"),
            ("IBM437", &[0x80, 0xb4, 0xe1, 0xff], "Ç┤ß\u{a0}"),
            ("IBM866", &[0x80, 0xff], "А\u{a0}"),
            ("Shift_JIS", &[0x82, 0xb1, 0xb1], "こｱ"),
            ("Big5", &[0xa4, 0xa4], "中"),
            ("EUC-KR", &[0xb0, 0xa1], "가"),
            ("EUC-JP", &[0xc6, 0xfc, 0xcb, 0xdc], "日本"),
            ("GB2312", &[0xc4, 0xe3, 0xba, 0xc3], "你好"),
            ("GBK", &[0xc4, 0xe3, 0xba, 0xc3, 0x80], "你好€"),
            ("GB18030", &[0xc4, 0xe3, 0x90, 0x30, 0x81, 0x30], "你𐀀"),
            ("IBM850", &[0x82, 0x9b, 0xb5, 0xd5, 0xe1, 0xff], "éøÁıß\u{a0}"),
            ("KOI8-R", &[0xcd, 0xc9, 0xd2], "мир"),
            ("windows-874", &[0xe4, 0xb7, 0xc2], "ไทย"),
            ("UTF-16", &[0xfe, 0xff, 0x00, 0x48], "H"),
            ("UTF-16", &[0xff, 0xfe, 0x48, 0x00], "H"),
            ("UTF-16", &[0x48, 0x00], "H"),
            ("UTF-16LE", &[0x53, 0x30, 0x3d, 0xd8, 0x00, 0xde], "こ😀"),
            ("UTF-16BE", &[0x30, 0x53], "こ"),
            ("UTF-32LE", &[0x00, 0xf6, 0x01, 0x00], "😀"),
            ("UTF-32BE", &[0x00, 0x01, 0xf6, 0x00], "😀"),
            ("UTF-8", "こ".as_bytes(), "こ"),
        ] {
            assert_eq!(decoded(name, bytes), (text.to_owned(), false), "{name}");
        }
    }

    #[test]
    fn bytes_that_are_no_characters_are_replaced_and_reported() {
        for (name, bytes, text) in [
            ("ASCII", &[0x61, 0x80][..], "a\\x80"),
            ("UTF-8", &[0xff], "\u{fffd}"),
            ("UTF-16LE", &[0x00, 0xd8, 0x61, 0x00], "\u{fffd}a"),
            ("UTF-16BE", &[0x00, 0x61, 0x00], "a\u{fffd}"),
            ("UTF-32LE", &[0xff, 0xff, 0xff, 0xff], "\u{fffd}"),
            ("Shift_JIS", &[0x80], "\u{80}"),
        ] {
            let (found, is_wrong) = decoded(name, bytes);
            assert_eq!(found, text, "{name}");
            assert_eq!(is_wrong, text.contains(['\u{fffd}', '\\']), "{name}");
        }
        assert_eq!(Charset::named("EBCDIC"), None);
    }

    #[test]
    fn the_upper_halves_of_code_pages_are_complete() {
        assert_eq!(IBM437.chars().count(), 128);
        assert_eq!(IBM850.chars().count(), 128);
    }
}
