//! Bytes inside a line of a log.

use super::Log;
use super::label::{NAMES, direction_of, is_arrow, is_bracketed, is_one, is_stated, is_word, last_word, tokens, trimmed};
use crate::input::hex::base64::Base64;
use crate::input::hex::bits::Bits;
use crate::input::hex::digits::separated;
use crate::input::hex::list::List;
use crate::input::hex::marks::socket;
use crate::input::hex::offsets::{Column, Groups};
use crate::input::hex::scan::{all_hex, is_pair, not_hex, pairs, run, words};
use crate::input::hex::{Dialect, Fault, Fed, Packet, bytes_of, fault};

/// Number of consecutive groups of four digits at the start of a line that are no prose.
pub(super) const GROUPS: usize = 4;

/// Maximum number of places of a line where bytes are looked for: parsing the rest of the line from each costs its length.
pub(super) const PLACES: usize = 64;

/// Bytes in a line.
pub(super) struct Found<'a> {
    /// The text before the bytes.
    pub(super) before: &'a [u8],
    pub(super) bytes: Vec<u8>,
}

impl Log {
    /// Whether a line unambiguously contains bytes.
    pub(in crate::input::hex) fn fits(line: &[u8]) -> Result<bool, Fault> {
        Log::default().find(line).map(|found| found.is_some())
    }

    pub(super) fn find<'a>(&mut self, line: &'a [u8]) -> Result<Option<Found<'a>>, Fault> {
        for at in starts(line).filter(|at| may_begin(line, *at)).take(PLACES) {
            let at = at + common_prefix(line.get(at..).unwrap_or_default());
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at..).unwrap_or_default();
            if is_argument(before, rest) || is_numbered(rest) {
                continue;
            }
            if let Some(bytes) = base64(before, rest) {
                return Ok(Some(Found { before, bytes }));
            }
            let pairs = pairs(rest, 0);
            // An array of JSON has decimal numbers.
            let value = before.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
            let is_array = value.starts_with(b":") && value.contains(&b'[');
            let named = self.is_name(before) && !is_array && !(is_arrow(before) && is_address(rest));
            // Bytes do not begin after the colon of another pair.
            let joined = before.ends_with(b":") && !rest.starts_with(b" ");
            let last = last_word(trimmed(before));
            let behind_pair = is_pair(last);
            if joined && (behind_pair || !named && !is_word(last)) {
                continue;
            }
            let grouped = before.trim_ascii().is_empty()
                && words(rest, 0).take_while(|word| word.text.len() == 4 && all_hex(word.text)).count() >= GROUPS;
            let quoted = named && matches!(before.last(), Some(b'"' | b'\''));
            let behind = words(rest, 0).skip(1).take_while(|word| is_pair(word.text)).count();
            match self.whole(line, at) {
                Ok(bytes)
                    if pairs >= RUN
                        || grouped
                        || is_long(rest)
                        || bytes.len() > 1 && (is_stated(before, bytes.len()) || is_bracketed(before, rest))
                        || named && (bytes.len() > 1 || self.is_known(before)) =>
                {
                    return Ok(Some(Found { before, bytes }));
                }
                Err(fault)
                    if pairs >= RUN
                        || quoted && behind > 0
                        || named && (pairs > 1 || is_meant(rest))
                        || pairs > 0 && self.is_known(before) =>
                {
                    return Err(fault);
                }
                Ok(_) | Err(_) => {}
            }
        }
        hidden(line)
    }

    /// The bytes from here to the end of the line, except closing brackets and quotes.
    pub(super) fn whole(&mut self, line: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
        let line = line.trim_ascii_end();
        let mut bytes = Vec::new();
        let closed = without_closers(line);
        // A closing quote may look like a text column of the bytes.
        let is_open =
            line.get(..at).is_some_and(|before| before.trim_ascii_end().last().is_some_and(|sign| b"\"'`([{<".contains(sign)));
        let rest = closed.get(at..).unwrap_or_default();
        if let Some(bits) = Bits::of(rest) {
            return bytes_of(bits, rest);
        }
        // A text column may end with a bracket or a quote.
        if !is_open && self.row.read(line, at, Groups::Any).is_ok_and(|column| column != Column::None) {
            return Ok(self.row.straight.clone());
        }
        let first = match self.row.read(closed, at, Groups::Any) {
            Ok(_) => return Ok(self.row.straight.clone()),
            Err(_) if !is_open && self.row.read(line, at, Groups::Any).is_ok() => return Ok(self.row.straight.clone()),
            Err(fault) => fault,
        };
        if separated(closed, at, &mut bytes).is_ok() && closed.get(at..).is_some_and(|rest| !rest.contains(&b'#')) {
            return Ok(bytes);
        }
        let mut packet = Packet::default();
        match List::of(rest, None).filter(|list| list.is_loose()).map(|mut list| list.feed(rest, &mut packet)) {
            Some(Ok(Fed::Taken)) if !packet.bytes.is_empty() => Ok(packet.bytes),
            Some(Err(Fault { at: inner, what })) => Err(Fault { at: at + inner, what }),
            _ => Err(first),
        }
    }
}

/// Possible starts of bytes: the line start, after a sign such as `:`, `=` or `[`, and after a word.
pub(super) fn starts(line: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let signs = b":=>])|\"'`<({[,";
    words(line, 0).flat_map(move |word| {
        let inner =
            word.text.iter().enumerate().filter(move |(_, byte)| signs.contains(byte)).map(move |(at, _)| word.at + at + 1);
        let word_end = word.at + word.text.len();
        // `0x` and `\x` before a run of digits.
        let prefix = matches!(word.text, [b'0' | b'\\', b'x', _, _, _, _, _, ..]).then_some(word.at + 2);
        // Two non-hex letters may be a label; one may be a mistake.
        let letters = word.text.iter().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count();
        let is_socket = word.text.contains(&b'.') && std::str::from_utf8(word.text).is_ok_and(|text| socket(text).is_some());
        let is_word =
            is_socket || letters > 1 || tokens(word.text).any(|token| direction_of(&token).is_some() || is_one(&token, NAMES));
        let is_first = words(line, 0).next().is_some_and(|first| first.at == word.at);
        is_first.then_some(word.at).into_iter().chain(prefix).chain(inner).chain(is_word.then_some(word_end))
    })
}

/// Whether bytes may begin here: a pair of digits, or a prefix of digits, or base64 of some length.
pub(super) fn may_begin(line: &[u8], at: usize) -> bool {
    let rest = line.get(at..).unwrap_or_default().trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"[")).unwrap_or(rest);
    let digit = |index: usize| rest.get(index).is_some_and(u8::is_ascii_hexdigit);
    let meant = digit(0) || digit(1);
    meant
        || matches!(rest, [b'0', b'x' | b'X', ..] | [b'$' | b'-' | b'&', ..])
        || rest.len() >= BASE64 && rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Length of one `0x` before all pairs, with the blanks before it: `0x25 00 f2`.
pub(super) fn common_prefix(rest: &[u8]) -> usize {
    let text = rest.trim_ascii_start();
    let pairs = |digits: &[&u8]| digits.iter().all(|digit| digit.is_ascii_hexdigit());
    match text {
        [b'0', b'x', a, b, b' ', c, d, ..] if pairs(&[a, b, c, d]) => rest.len() - text.len() + 2,
        _ => 0,
    }
}

/// Minimum length of base64 behind a label.
pub(super) const BASE64: usize = 16;

/// Bytes in base64 behind a label, up to the end of the line or a closing quote.
pub(super) fn base64(before: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    if !matches!(before.last(), Some(b'=' | b',' | b'"' | b'\'' | b':' | b' ')) {
        return None;
    }
    let len = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte))).unwrap_or(rest.len());
    let (text, behind) = rest.split_at_checked(len)?;
    let closed = behind.iter().all(|byte| byte.is_ascii_whitespace() || b"\"'])};,".contains(byte));
    if text.len() < BASE64 || !closed || !Base64::fits(text) || text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    bytes_of(Base64::default(), text).ok()
}

/// Number of consecutive pairs that does not occur in prose.
pub(super) const RUN: usize = 3;

/// Number of pairs with colons or dashes between that are no time. Hardware addresses have six or eight.
pub(super) const SEPARATE: usize = 5;

/// Number of consecutive digits that no number has.
pub(super) const LONG: usize = 12;

/// Whether a line is a comment: `# 25 00`, but not `#1: 25 00`.
pub(in crate::input::hex) fn is_comment(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
    let digits = run(rest, u8::is_ascii_digit);
    digits == 0 || !matches!(rest.get(digits), Some(b':' | b'=' | b')'))
}

/// Whether a hardware address begins here: six or eight pairs with colons or dashes between.
pub(super) fn is_address(rest: &[u8]) -> bool {
    let Some(word) = words(rest, 0).next() else { return false };
    let pairs = || word.text.split(|byte| matches!(byte, b':' | b'-'));
    matches!(pairs().count(), 6 | 8) && pairs().all(is_pair)
}

/// Whether this is the argument of a call: `recv(4096)`.
pub(super) fn is_argument(before: &[u8], rest: &[u8]) -> bool {
    let digits = run(rest, u8::is_ascii_digit);
    before.ends_with(b"(") && digits > 0 && rest.get(digits) == Some(&b')')
}

/// Whether a number of a label begins here: `0: 23 00`, `20 = 23 00`, `0x12 (5): 23 00`.
pub(super) fn is_numbered(rest: &[u8]) -> bool {
    let mut all = words(rest, 0);
    let (Some(first), next) = (all.next(), all.next()) else { return false };
    let digits = first.text.strip_prefix(b"0x").unwrap_or(first.text);
    let number = run(digits, u8::is_ascii_hexdigit);
    let colon = digits.get(number..) == Some(b":") && next.is_some();
    let unit = next.is_some_and(|next| next.text.starts_with(b"byte"));
    let separate =
        unit || next.is_some_and(|next| matches!(next.text, b"=" | b":" | b"-" | b"->") || next.text.starts_with(b"("));
    number > 0 && (colon || number == digits.len() && separate)
}

/// Whether this is a run of digits too long for a number.
pub(super) fn is_long(rest: &[u8]) -> bool {
    // NSData, and dumps of words.
    if words(rest, 0).take_while(|word| word.text.len() == 8 && all_hex(word.text)).count() >= RUN {
        return true;
    }
    words(rest, 0).next().is_some_and(|word| {
        let digits = run(word.text, u8::is_ascii_hexdigit);
        let mixed = word.text.iter().take(digits).any(u8::is_ascii_alphabetic) && word.text.iter().any(u8::is_ascii_digit);
        let separate = word.text.split(|byte| matches!(byte, b':' | b'-')).take_while(|part| is_pair(part)).count();
        let address = matches!(separate, 6 | 8) || separate < SEPARATE;
        digits >= LONG && (mixed || digits > 20) || !address
    })
}

/// Whether unreadable words may be malformed bytes.
pub(super) fn is_meant(rest: &[u8]) -> bool {
    let meant =
        |text: &[u8]| text.len() == 2 && text.iter().any(u8::is_ascii_hexdigit) && text.iter().all(u8::is_ascii_alphanumeric);
    let rest = without_closers(rest);
    words(rest, 0).next().is_some() && words(rest, 0).all(|word| meant(word.text))
}

/// Consecutive pairs without a label: an element before them is a malformed byte.
pub(super) fn hidden<T>(line: &[u8]) -> Result<Option<T>, Fault> {
    let mut before = None;
    let mut run = 0;
    for word in words(line, 0) {
        if is_pair(word.text) {
            run += 1;
        } else {
            (before, run) = (Some(word), 0);
        }
        if run == RUN {
            let Some(before) = before else { break };
            let odd = before.text.iter().position(|byte| !byte.is_ascii_hexdigit());
            let Some(odd) = odd else { return fault(before.at, "expected two hex digits for each byte, or a label before them") };
            return not_hex(before.at + odd, before.text.get(odd).copied().unwrap_or_default());
        }
    }
    Ok(None)
}

/// A line without closing quotes, brackets and a count in parentheses.
pub(super) fn without_closers(line: &[u8]) -> &[u8] {
    let mut line = line;
    if line.ends_with(b")")
        && let Some(open) = line.iter().rposition(|byte| *byte == b'(')
        && String::from_utf8_lossy(line.get(open..).unwrap_or_default()).to_ascii_lowercase().contains("byte")
    {
        line = line.get(..open).unwrap_or_default().trim_ascii_end();
    }
    while let [rest @ .., b'"' | b'\'' | b'`' | b']' | b')' | b'}' | b'>' | b';' | b','] = line {
        line = rest.trim_ascii_end();
    }
    line
}
