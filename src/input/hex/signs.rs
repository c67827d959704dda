//! Characters of a text column, and the bytes that tools print them for.

/// Whether a text has each byte as its ASCII character, or a dot: the form of most tools.
pub(super) fn is_plain(text: &[u8], bytes: &[u8]) -> bool {
    let shown = |byte: u8| if matches!(byte, b' '..=b'~') { byte } else { b'.' };
    let text = text.trim_ascii_end();
    text.len() == bytes.len() && !text.is_empty() && text.iter().zip(bytes).all(|(sign, byte)| *sign == shown(*byte))
}

/// Whether a text without blanks has a letter or digit for another byte, so that it does not show these bytes.
pub(super) fn differs(text: &[u8], bytes: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let is_graphic = |text: &[u8]| text.iter().all(u8::is_ascii_graphic);
    text.len() == bytes.len()
        && text.iter().zip(bytes).any(|(sign, byte)| sign.is_ascii_alphanumeric() && sign != byte)
        && !text.starts_with(b"|")
        && !text.starts_with(b">")
        && is_graphic(text)
        && !bytes.contains(&b' ')
}

/// A text of `hexyl` with another symbol for NUL.
pub(super) fn without_zeros(text: &str, bytes: &[u8]) -> String {
    let mut left = bytes.iter();
    let shown = |character| match character {
        '0' if left.next() == Some(&0) => '.',
        ' ' => character,
        '0' => '0',
        _ => {
            left.next();
            character
        }
    };
    text.chars().map(shown).collect()
}

/// A non-ASCII character for the bytes of its UTF-8 encoding; returns the bytes after it.
pub(super) fn spelt(character: char, bytes: &[u8]) -> Option<&[u8]> {
    if character.is_ascii() {
        return None;
    }
    let mut buffer = [0; 4];
    bytes.strip_prefix(character.encode_utf8(&mut buffer).as_bytes())
}

/// Whether a byte may be displayed as this character.
pub(super) fn stands_for(character: char, byte: u8, strict: bool) -> bool {
    match byte {
        b' ' => matches!(character, ' ' | '.' | '·' | '_' | '␠'),
        b'!'..=b'~' if strict => character == char::from(byte),
        b'!'..=b'~' => character.eq_ignore_ascii_case(&char::from(byte)),
        _ => !character.is_ascii_alphanumeric() && character != ' ' && character != '\t',
    }
}
