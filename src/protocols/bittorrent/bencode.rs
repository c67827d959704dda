//! Bencoding (BEP 3): the encoding of values in BitTorrent messages.
//!
//! ```text
//! integer     i | digits | e
//! text        length in digits | : | bytes
//! list        l | value … | e
//! dictionary  d | (text | value) … | e
//! ```

use crate::tree::{Field, Kind, NodeRef, Value, fields, title};
use crate::wire::{Error, Protocol, Result, Wire};
use std::fmt::{self, Write};
use std::ops::Range;

pub static PROTOCOL: Protocol = Protocol::new(&BENCODE, FIELDS);

fields! {
    BENCODE = protocol("bencode", "Bencode", "Bencoded values, inside messages of BitTorrent")
        .covers("All values, nested up to the depth of a tree");
    DICTIONARY = group("bencode.dict", "dictionary", "");
    ENTRY = group("bencode.dict.entry", "entry", "Key and value").named(title::key, entry_value, title::nothing).collapsed(entry_key, entry_value);
    LIST = group("bencode.list", "list", "");
    INTEGER = number("bencode.int", "integer", "");
    TEXT = text("bencode.str", "string", "");
    DELIMITER = bytes("bencode.delimiter", "delimiter", "Begin or end of a list or dictionary");
    INVALID = odd("bencode.invalid", "not bencoded", "Bytes that are not bencoded from here on");
}

/// Fields of the values of one protocol.
pub(super) struct Names {
    pub(super) dictionary: &'static Field,
    pub(super) entry: &'static Field,
    pub(super) list: fn(key: &[u8]) -> &'static Field,
    /// An integer; its digits as text if out of range.
    pub(super) integer: &'static Field,
    pub(super) text: &'static Field,
    /// The first byte of a list or dictionary.
    pub(super) begin: &'static Field,
    /// The last byte of a list or dictionary.
    pub(super) end: &'static Field,
    pub(super) invalid: &'static Field,
    /// Whether a string with this key is shown in hexadecimal even if printable.
    pub(super) is_binary: fn(key: &[u8], content: &[u8]) -> bool,
    /// Dissects the content of a string with a known key, after its length. Returns false if nothing was read.
    pub(super) content: fn(&mut Wire<'_>, key: &[u8], content: Range<usize>) -> Result<bool>,
}

/// The fields of this file.
pub(super) static PLAIN: Names = Names {
    dictionary: &DICTIONARY,
    entry: &ENTRY,
    list: |_| &LIST,
    integer: &INTEGER,
    text: &TEXT,
    begin: &DELIMITER,
    end: &DELIMITER,
    invalid: &INVALID,
    is_binary: |_, _| false,
    content: |_, _, _| Ok(false),
};

/// Maximum nesting depth in [`size`].
const DEPTH: u32 = 32;

/// Maximum digits of an integer.
const DIGITS: usize = 20;

/// A token at the start of bytes.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Dictionary,
    List,
    End,
    /// Range of the digits.
    Integer(Range<usize>),
    /// Range of the content.
    Text(Range<usize>),
}

impl Token {
    /// The token at the start of the bytes.
    fn of(bytes: &[u8]) -> Result<Token> {
        match bytes.first() {
            None => Err(Error::Short { needed: 1 }),
            Some(b'd') => Ok(Token::Dictionary),
            Some(b'l') => Ok(Token::List),
            Some(b'e') => Ok(Token::End),
            Some(b'i') => Token::digits(bytes, 1, b'e').map(Token::Integer),
            Some(_) => {
                let digits = Token::digits(bytes, 0, b':')?;
                let start = digits.end + 1;
                let end = number(bytes, digits).and_then(|length| start.checked_add(usize::try_from(length).ok()?));
                let end = end.ok_or(Error::Malformed)?;
                if end > bytes.len() { Err(Error::Short { needed: end - bytes.len() }) } else { Ok(Token::Text(start..end)) }
            }
        }
    }

    fn digits(bytes: &[u8], start: usize, end: u8) -> Result<Range<usize>> {
        let text = bytes.get(start..).unwrap_or_default();
        let is_digit = |(at, byte): (usize, &u8)| byte.is_ascii_digit() || start > 0 && at == 0 && *byte == b'-';
        let count = text.iter().enumerate().take(DIGITS).take_while(|digit| is_digit(*digit)).count();
        match text.get(count) {
            Some(byte) if *byte == end && count > 0 => Ok(start..start + count),
            None if count < DIGITS => Err(Error::Short { needed: 1 }),
            _ => Err(Error::Malformed),
        }
    }

    fn size(&self) -> usize {
        match self {
            Token::Dictionary | Token::List | Token::End => 1,
            Token::Integer(digits) => digits.end + 1,
            Token::Text(content) => content.end,
        }
    }
}

fn number(bytes: &[u8], digits: Range<usize>) -> Option<i64> {
    std::str::from_utf8(bytes.get(digits)?).ok()?.parse().ok()
}

/// Size of the value at the start of the bytes, if it is complete.
pub(super) fn size(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_u32);
    loop {
        let token = Token::of(bytes.get(at..)?).ok()?;
        at += token.size();
        match token {
            Token::Dictionary | Token::List => depth += 1,
            Token::End => depth = depth.checked_sub(1)?,
            Token::Integer(_) | Token::Text(_) => {}
        }
        match depth {
            0 => return Some(at),
            DEPTH.. => return None,
            _ => {}
        }
    }
}

/// The value of a key in the dictionary at the start of the bytes.
pub(super) fn value_of<'a>(dictionary: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = dictionary.strip_prefix(b"d")?;
    loop {
        let Token::Text(key) = Token::of(rest).ok()? else { return None };
        let value = rest.get(key.end..)?;
        let size = size(value)?;
        if rest.get(key) == Some(wanted) {
            return value.get(..size);
        }
        rest = value.get(size..)?;
    }
}

/// The content of the string under a key in the dictionary at the start of the bytes.
pub(super) fn text_of<'a>(dictionary: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    content(value_of(dictionary, wanted)?)
}

/// The values of the list at the start of the bytes.
pub(super) fn values(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = list.strip_prefix(b"l").unwrap_or_default();
    std::iter::from_fn(move || {
        let value = rest.get(..size(rest)?)?;
        rest = rest.get(value.len()..)?;
        Some(value)
    })
}

/// The content of the string at the start of the bytes.
pub(super) fn content(bytes: &[u8]) -> Option<&[u8]> {
    match Token::of(bytes) {
        Ok(Token::Text(content)) => bytes.get(content),
        _ => None,
    }
}

/// Dissects one value.
pub(super) fn value(wire: &mut Wire<'_>, names: &Names, key: &[u8]) -> Result {
    let ahead = wire.ahead();
    match token(wire, names)? {
        Token::Dictionary => wire.group(names.dictionary, |wire| dictionary(wire, names)),
        Token::List => wire.group((names.list)(key), |wire| {
            wire.bytes(names.begin, 1)?;
            while token(wire, names)? != Token::End {
                value(wire, names, key)?;
            }
            end(wire, names.end)
        }),
        Token::End => wire.malformed(names.invalid, format_args!("an end without a beginning")),
        Token::Integer(digits) => {
            let size = digits.end + 1;
            match number(ahead, digits.clone()).filter(|_| names.integer.kind == Kind::Number) {
                Some(number) => {
                    wire.put(names.integer, Value::Signed(number), wire.at()..wire.at() + size);
                    wire.skip(size)
                }
                None => {
                    wire.words(names.integer, digits.end, digits)?;
                    end(wire, names.end)
                }
            }
        }
        Token::Text(content) => {
            if (names.content)(wire, key, content.clone())? {
                Ok(())
            } else {
                let is_binary = (names.is_binary)(key, ahead.get(content.clone()).unwrap_or_default());
                text(wire, names.text, content, is_binary)
            }
        }
    }
}

/// Dissects a dictionary without a group.
pub(super) fn dictionary(wire: &mut Wire<'_>, names: &Names) -> Result {
    wire.bytes(names.begin, 1)?;
    while token(wire, names)? != Token::End {
        wire.group(names.entry, |wire| entry(wire, names))?;
    }
    end(wire, names.end)
}

fn end(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    if field.kind == Kind::Text { wire.text(field, 1).map(drop) } else { wire.bytes(field, 1).map(drop) }
}

fn token(wire: &mut Wire<'_>, names: &Names) -> Result<Token> {
    match Token::of(wire.ahead()) {
        Err(Error::Malformed) => wire.malformed(names.invalid, format_args!("neither a number nor a text, list or dictionary")),
        token => token,
    }
}

fn entry(wire: &mut Wire<'_>, names: &Names) -> Result {
    let ahead = wire.ahead();
    let Token::Text(content) = token(wire, names)? else {
        return wire.malformed(names.invalid, format_args!("a key that is not text"));
    };
    text(wire, names.text, content.clone(), false)?;
    value(wire, names, ahead.get(content).unwrap_or_default())
}

/// Dissects a string with its length. Unprintable bytes are shown in hexadecimal.
fn text(wire: &mut Wire<'_>, field: &'static Field, content: Range<usize>, is_binary: bool) -> Result {
    let size = content.end;
    let bytes = wire.ahead().get(content.clone()).unwrap_or_default();
    if !is_binary && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return wire.words(field, size, content).map(drop);
    }
    let range = wire.at()..wire.at() + size;
    wire.put_text(field, range, format_args!("{}", Hex(bytes)));
    wire.skip(size)
}

/// Bytes as hexadecimal digits.
pub(super) struct Hex<'a>(pub(super) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

pub(super) fn entry_key(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    title::key(node, out)
}

/// The value of an entry, if it is not a list or dictionary.
pub(super) fn entry_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    title::last_value(node, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    #[test]
    fn values_are_dissected() {
        let bytes = b"d4:infod6:lengthi-42e4:name5:a.txte5:listsli1e2:\x00\xffee";
        assert_eq!(size(bytes), Some(bytes.len()));
        let read = |wire: &mut Wire<'_>| value(wire, &PLAIN, b"");
        insta::assert_snapshot!(trial::read(&PROTOCOL, bytes, Cut::No, read), @r#"
        bencode 0..52
          0..52 bencode.dict
            0..1 bencode.delimiter = 64
            1..35 bencode.dict.entry
              1..7 bencode.str = "info"
              7..35 bencode.dict
                7..8 bencode.delimiter = 64
                8..21 bencode.dict.entry
                  8..16 bencode.str = "length"
                  16..21 bencode.int = -42
                21..34 bencode.dict.entry
                  21..27 bencode.str = "name"
                  27..34 bencode.str = "a.txt"
                34..35 bencode.delimiter = 65
            35..51 bencode.dict.entry
              35..42 bencode.str = "lists"
              42..51 bencode.list
                42..43 bencode.delimiter = 6c
                43..46 bencode.int = 1
                46..50 bencode.str = "00ff"
                50..51 bencode.delimiter = 65
            51..52 bencode.delimiter = 65
        "#);
        trial::survives_damage(&PROTOCOL, bytes, read);
    }

    #[test]
    fn values_of_keys_are_found() {
        let bytes = b"d1:ai1e1:b2:xy1:cle";
        assert_eq!(values(b"li1e2:xylee").collect::<Vec<_>>(), [&b"i1e"[..], b"2:xy", b"le"]);
        assert_eq!(
            (text_of(bytes, b"b"), value_of(bytes, b"a"), text_of(bytes, b"c")),
            (Some(&b"xy"[..]), Some(&b"i1e"[..]), None)
        );
    }

    #[test]
    fn sizes_are_those_of_whole_values() {
        for wrong in [&b"d"[..], b"li1e", b"5:abc", b"ie", b"i--1e", b"x", b"e", b"99999999999999999999999:", &[b'l'; 100]] {
            assert_eq!(size(wrong), None, "{wrong:?}");
        }
        assert_eq!((size(b"0:e"), size(b"lee")), (Some(2), Some(2)));
    }

    #[test]
    fn nesting_ends_somewhere() {
        let bytes = b"l".repeat(100_000);
        let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| value(wire, &PLAIN, b""));
        assert!(dump.contains("dissect.deep"), "{}", dump.lines().last().unwrap_or_default());
    }
}
