//! Lexer: words, strings and symbols.

use super::number_type::NumberType;
use super::operator::Sum;
use super::parse_error::{Wrong, nearest};
use super::syntax::{Compare, SliceRange, To};
use std::ops::Range;

/// A token of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Quoted(Vec<u8>),
    Char(u8),
    Slice(Vec<SliceRange>),
    /// A number type after `@`.
    Type(NumberType),
    Compare(Compare),
    Contains,
    Matches,
    In,
    And,
    Or,
    Xor,
    Not,
    Any,
    All,
    Mask,
    Sum(Sum),
    Open,
    Close,
    OpenSet,
    CloseSet,
    Comma,
    Range,
    /// End of the filter.
    End,
}

/// Keywords that are operators, with synonyms.
const KEYWORDS: &[(&str, Token)] = &[
    ("and", Token::And),
    ("or", Token::Or),
    ("xor", Token::Xor),
    ("not", Token::Not),
    ("any", Token::Any),
    ("all", Token::All),
    ("in", Token::In),
    ("contains", Token::Contains),
    ("matches", Token::Matches),
    ("eq", Token::Compare(Compare::Equal)),
    ("any_eq", Token::Compare(Compare::Equal)),
    ("ne", Token::Compare(Compare::Different)),
    ("all_ne", Token::Compare(Compare::Different)),
    ("all_eq", Token::Compare(Compare::AllEqual)),
    ("any_ne", Token::Compare(Compare::AnyDifferent)),
    ("lt", Token::Compare(Compare::Less)),
    ("le", Token::Compare(Compare::LessOrEqual)),
    ("gt", Token::Compare(Compare::Greater)),
    ("ge", Token::Compare(Compare::GreaterOrEqual)),
    ("bitwise_and", Token::Mask),
];

/// Symbols, the longest first.
const SIGNS: &[(&str, Token)] = &[
    ("===", Token::Compare(Compare::AllEqual)),
    ("!==", Token::Compare(Compare::AnyDifferent)),
    ("==", Token::Compare(Compare::Equal)),
    ("!=", Token::Compare(Compare::Different)),
    ("<=", Token::Compare(Compare::LessOrEqual)),
    (">=", Token::Compare(Compare::GreaterOrEqual)),
    ("&&", Token::And),
    ("||", Token::Or),
    ("^^", Token::Xor),
    ("..", Token::Range),
    ("<", Token::Compare(Compare::Less)),
    (">", Token::Compare(Compare::Greater)),
    ("!", Token::Not),
    ("~", Token::Matches),
    ("&", Token::Mask),
    ("*", Token::Sum(Sum::Times)),
    ("%", Token::Sum(Sum::Rest)),
    ("(", Token::Open),
    (")", Token::Close),
    ("{", Token::OpenSet),
    ("}", Token::CloseSet),
    (",", Token::Comma),
];

/// Symbols that may also be part of a word.
const LONE_SIGNS: &[(&str, Token)] = &[("+", Token::Sum(Sum::Plus)), ("-", Token::Sum(Sum::Minus)), ("/", Token::Sum(Sum::Over))];

/// Keywords that are operators.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().map(|(word, _)| *word)
}

/// A token and its position.
pub(super) type Placed = (Token, Range<usize>);

/// Splits a filter into tokens; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, Wrong> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let (token, len) = token(rest.get(blank..).unwrap_or_default(), at)?;
        let last = token == Token::End;
        tokens.push((token, at..at + len));
        if last {
            return Ok(tokens);
        }
        at += len;
    }
}

/// First token of text, and its length.
fn token(rest: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let Some(first) = rest.chars().next() else { return Ok((Token::End, 0)) };
    if let Some(raw) = rest.strip_prefix("r\"").or_else(|| rest.strip_prefix("R\"")) {
        return raw_text(raw, at);
    }
    match first {
        '"' => return quoted(rest, b'"', at).map(|(text, len)| (Token::Quoted(text), len)),
        '\'' => return character(rest, at),
        '[' => return slice(rest, at),
        '@' => return number_type(rest, at),
        _ => {}
    }
    if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Ok((token.clone(), sign.len()));
    }
    let word = word(rest);
    if word.is_empty() {
        let wrong = Wrong::new(&(at..at + first.len_utf8()), format!("unexpected {first:?}"));
        let meant = match first {
            '=' => vec!["==".to_owned()],
            '|' => vec!["||".to_owned()],
            '^' => vec!["^^".to_owned()],
            _ => Vec::new(),
        };
        return Err(wrong.try_instead(meant));
    }
    let keyword = KEYWORDS.iter().chain(LONE_SIGNS).find(|(keyword, _)| *keyword == word);
    Ok((keyword.map_or_else(|| Token::Word(word.to_owned()), |(_, token)| token.clone()), word.len()))
}

/// Parses a name, a number or an address, up to a symbol or `..`.
fn word(rest: &str) -> &str {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.:/-+".contains(c))).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    word.split("..").next().unwrap_or_default()
}

/// Parses a raw string. Only the quote can be escaped, and its backslash is kept, as in Wireshark.
fn raw_text(raw: &str, at: usize) -> Result<(Token, usize), Wrong> {
    const PREFIX: usize = 2;
    let mut escaped = false;
    for (place, byte) in raw.bytes().enumerate() {
        match byte {
            b'"' if !escaped => {
                let text = raw.as_bytes().get(..place).unwrap_or_default();
                return Ok((Token::Quoted(text.to_vec()), PREFIX + place + 1));
            }
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    Err(Wrong::new(&(at..at + PREFIX), "the closing quote is missing"))
}

fn character(rest: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let (text, len) = quoted(rest, b'\'', at)?;
    match text.as_slice() {
        [byte] => Ok((Token::Char(*byte), len)),
        _ => {
            let meant = rest.get(1..len - 1).map(|text| format!("{text:?}"));
            Err(Wrong::new(&(at..at + len), "single quotes enclose one byte; use double quotes for text")
                .try_instead(meant.into_iter().collect()))
        }
    }
}

/// Parses a quoted string. Returns its length with quotes.
fn quoted(rest: &str, quote: u8, at: usize) -> Result<(Vec<u8>, usize), Wrong> {
    let bytes = rest.as_bytes();
    let mut text = Vec::new();
    let mut place = 1;
    loop {
        match bytes.get(place) {
            None => return Err(Wrong::new(&(at..at + 1), "the closing quote is missing")),
            Some(byte) if *byte == quote => return Ok((text, place + 1)),
            Some(b'\\') => {
                let (byte, len) = escape(rest.get(place + 1..).unwrap_or_default()).map_err(|len| {
                    let shown = rest.get(place..place + 1 + len).unwrap_or_default();
                    Wrong::new(
                        &(at + place..at + place + 1 + len),
                        format!("{shown} is not an escape sequence; raw strings are written r\"…\""),
                    )
                    .try_instead(vec![format!("\\{shown}")])
                })?;
                text.push(byte);
                place += 1 + len;
            }
            Some(byte) => {
                text.push(*byte);
                place += 1;
            }
        }
    }
}

/// Parses an escape sequence after the backslash: its byte, if valid, and its length.
fn escape(rest: &str) -> Result<(u8, usize), usize> {
    let Some(first) = rest.chars().next() else { return Err(0) };
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = rest.get(from..).unwrap_or_default();
        let len = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let number = digits.get(..len).and_then(|digits| u8::from_str_radix(digits, radix).ok());
        number.map(|number| (number, from + len)).ok_or(from + len)
    };
    Ok((
        match first {
            'a' => 0x07,
            'b' => 0x08,
            't' => b'\t',
            'n' => b'\n',
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => b'\r',
            '\\' => b'\\',
            '\'' => b'\'',
            '"' => b'"',
            'x' => return digits(1, 2, 16),
            '0'..='7' => return digits(0, 3, 8),
            _ => return Err(first.len_utf8()),
        },
        1,
    ))
}

fn slice(rest: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let Some(end) = rest.find(']') else { return Err(Wrong::new(&(at..at + 1), "the closing bracket is missing")) };
    let within = rest.get(1..end).unwrap_or_default();
    let mut parts = Vec::new();
    let mut from = at + 1;
    for written in within.split(',') {
        let wrong = || Wrong::new(&(from..from + written.len()), "expected bytes such as 0:2, 1-3, :4, 4: or -2:");
        parts.push(part(written.trim()).ok_or_else(wrong)?);
        from += written.len() + 1;
    }
    Ok((Token::Slice(parts), end + 1))
}

/// Parses a type after `@`.
fn number_type(rest: &str, at: usize) -> Result<(Token, usize), Wrong> {
    let name = rest.get(1..).unwrap_or_default();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or_default();
    match NumberType::named(name) {
        Some(known) => Ok((Token::Type(known), 1 + end)),
        None => {
            let known: Vec<String> = NumberType::all().map(|known| known.to_string()).collect();
            let near = nearest(name, known.iter().map(String::as_str));
            Err(Wrong::new(&(at..at + 1 + end), "expected a type such as u8, u16le, i32be or f32le").try_instead(near))
        }
    }
}

fn part(written: &str) -> Option<SliceRange> {
    if let Some((from, length)) = written.split_once(':') {
        let from = if from.trim().is_empty() { 0 } else { offset(from)? };
        let to = match length.trim() {
            "" => To::End,
            length => To::Length(offset(length).filter(|length| *length > 0)?),
        };
        return Some(SliceRange { from, to });
    }
    let Some(minus) = written.char_indices().skip(1).find(|(_, c)| *c == '-').map(|(minus, _)| minus) else {
        return Some(SliceRange { from: offset(written)?, to: To::Length(1) });
    };
    let (from, through) = (offset(written.get(..minus)?)?, offset(written.get(minus + 1..)?)?);
    // If the bounds count from different ends, emptiness depends on the value.
    let forward = (from < 0) != (through < 0) || from <= through;
    forward.then_some(SliceRange { from, to: To::Through(through) })
}

fn offset(written: &str) -> Option<i32> {
    i32::try_from(super::literal::number(written.trim())?).ok()
}
