//! Words before bytes: labels, their shape, and the number of bytes that they state.

use super::Log;
use crate::input::hex::marks::{Marks, ends};
use crate::input::hex::scan::{all_hex, is_pair, words};
use crate::tree::Side;

/// Whether a prefix ends with an arrow.
pub(super) fn is_arrow(before: &[u8]) -> bool {
    let label = String::from_utf8_lossy(label(before));
    !label.is_empty() && !label.chars().any(char::is_alphanumeric)
}

/// Whether a number before bytes is their number: `len=5`, `(5):`.
pub(super) fn is_stated(before: &[u8], len: usize) -> bool {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let Some(end) = before.iter().rposition(digits) else { return false };
    let start = before.get(..end).and_then(|text| text.iter().rposition(|byte| !digits(byte))).map_or(0, |at| at + 1);
    let number = before.get(start..=end).and_then(|number| std::str::from_utf8(number).ok()?.parse::<usize>().ok());
    let lead = start.checked_sub(1).and_then(|at| before.get(at));
    let behind = before.get(end + 1..).unwrap_or_default().trim_ascii();
    let attached = matches!(lead, Some(b'=' | b'(')) || behind.starts_with(b":") || behind.starts_with(b"byte");
    number == Some(len) && attached && words(before, 0).any(|word| is_word(word.text))
}

/// Whether bytes fill brackets at the end of a line, behind words: `packet from 192.0.2.10 [44 00]`.
pub(super) fn is_bracketed(before: &[u8], rest: &[u8]) -> bool {
    let inner = rest.trim_ascii_end().strip_suffix(b"]");
    before.ends_with(b"[")
        && words(before, 0).any(|word| is_word(word.text))
        && inner.is_some_and(|inner| words(inner, 0).all(|word| is_pair(word.text)))
}

/// The number of bytes that a line announces: `recv 20 bytes:`, `(32 bytes unread)`.
pub(in crate::input::hex) fn count(line: &[u8]) -> Option<usize> {
    let all: Vec<String> = tokens(line).collect();
    all.windows(2).find_map(|pair| match pair {
        [number, unit] if unit.starts_with("byte") => number.parse().ok(),
        _ => None,
    })
}

/// A prefix with each run of digits as one, so that rows and packets of a log have the same.
pub(super) fn shape(before: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(before.len());
    for byte in before.trim_ascii_end() {
        let byte = if byte.is_ascii_digit() { b'0' } else { *byte };
        if byte != b'0' || out.last() != Some(&b'0') {
            out.push(byte);
        }
    }
    out
}

/// Whether a word may be a label: two non-hex letters. One may be a mistake.
pub(super) fn is_word(text: &[u8]) -> bool {
    text.iter().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count() > 1
}

/// The word directly before bytes, without a number in brackets after it.
pub(super) fn label(before: &[u8]) -> &[u8] {
    let mut text = trimmed(before.strip_suffix(b"0x").unwrap_or(before));
    for (open, close) in [(b'(', b')'), (b'[', b']')] {
        let Some(inner) = text.strip_suffix(&[close]) else { continue };
        let at = inner.iter().rposition(|byte| *byte == open).unwrap_or_default();
        let outer = trimmed(inner.get(..at).unwrap_or_default());
        text = if outer.is_empty() { inner } else { outer };
    }
    loop {
        let word = last_word(text);
        let start = text.len() - word.len();
        let digits = word.strip_prefix(b"0x").unwrap_or(word);
        let outer = trimmed(text.get(..start).unwrap_or_default());
        // A number may stand between a label and bytes: `packet 2 =`, `packet 0x12 (5):`.
        let is_number = digits.iter().all(u8::is_ascii_digit) || digits.len() < word.len() && all_hex(digits);
        if !is_number || outer.is_empty() || word.is_empty() {
            return word;
        }
        text = outer;
    }
}

/// The word at the end of a text.
pub(super) fn last_word(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|byte| byte.is_ascii_whitespace() || b"[({=:.,\"'".contains(byte)).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

/// A text without separators between a label and bytes. An arrow is a label.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_end();
    while let [rest @ .., b':' | b'=' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'|' | b',' | b'<'] = text
        && !matches!(text, [.., b'<', b'<'] | b"<")
    {
        text = rest.trim_ascii_end();
    }
    text
}

pub(super) fn tokens(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|byte| byte.is_ascii_whitespace() || b":=\"'()[]{}|,.".contains(byte)).filter(|part| !part.is_empty());
    parts.map(|part| String::from_utf8_lossy(part).to_ascii_lowercase())
}

/// Labels of bytes received from the server.
pub(super) const RECEIVED: &str = "\
    recv received receive receiving recvfrom rx read in incoming response s2c inbound ingress download servertoclient stoc \
    s>c <- <-- <== <= << <<< ←";

/// Labels of bytes sent to the server.
pub(super) const SENT: &str = "\
    send sent sending sendto tx write written out outgoing request c2s outbound egress upload clienttoserver ctos c>s -> \
    --> ==> => >> >>> →";

/// Other labels of bytes.
pub(super) const NAMES: &str = "\
    data payload packet pkt hex hexdump raw dump msg message buffer buf body frame content fromhex unhexlify";

/// Whether a word is one of a list.
pub(super) fn is_one(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// The direction that a cell of a table states.
pub(in crate::input::hex) fn direction_of_cell(cell: &[u8]) -> Option<Side> {
    std::str::from_utf8(cell).ok().and_then(|word| direction_of(&word.to_ascii_lowercase()))
}

pub(super) fn direction_of(token: &str) -> Option<Side> {
    match token {
        _ if is_one(token, RECEIVED) => Some(Side::Server),
        _ if is_one(token, SENT) => Some(Side::Client),
        _ => BETWEEN.iter().find_map(|sign| {
            let (from, to) = token.split_once(sign)?;
            party(from).filter(|from| party(to) == Some(from.other()))
        }),
    }
}

/// Signs between two parties in one word: `c->s`, `client2server`.
pub(super) const BETWEEN: [&str; 8] = ["-->", "->", "=>", "→", ">", "_to_", "2", "to"];

/// The side that a word names.
pub(super) fn party(word: &str) -> Option<Side> {
    match word {
        "client" | "cli" | "c" => Some(Side::Client),
        "server" | "srv" | "s" => Some(Side::Server),
        _ => None,
    }
}

impl Log {
    pub(super) fn is_name(&self, before: &[u8]) -> bool {
        let word = String::from_utf8_lossy(label(before)).to_ascii_lowercase();
        is_one(&word, NAMES)
            || direction_of(&word).is_some()
            || self.is_known(before)
            || tokens(before).any(|token| token == "bytes")
    }

    pub(super) fn is_known(&self, before: &[u8]) -> bool {
        let known = |label: Vec<u8>| !label.is_empty() && self.labels.contains(&label);
        known(label(before).to_ascii_lowercase()) || known(shape(before))
    }
}

/// Time and direction of a label. An arrow between other words connects two addresses.
pub(in crate::input::hex) fn marks(before: &[u8]) -> Marks {
    marks_of(before, parties)
}

/// The marks of a line above bytes. A party alone, such as `server`, is no direction there.
pub(in crate::input::hex) fn heading(line: &[u8]) -> Marks {
    marks_of(line, arrows)
}

pub(super) fn marks_of(before: &[u8], named: fn(&[String]) -> Option<Side>) -> Marks {
    let plain: Vec<u8> = before.iter().map(|byte| if b"[](),".contains(byte) { b' ' } else { *byte }).collect();
    let mut marks = Marks::of(&plain);
    let all: Vec<String> = tokens(before).collect();
    let last = all.len().saturating_sub(1);
    let counts = |at: usize, token: &str| token.bytes().any(|byte| byte.is_ascii_alphanumeric()) || at == 0 || at == last;
    let direction = all.iter().enumerate().filter(|(at, token)| counts(*at, token)).find_map(|(_, token)| direction_of(token));
    marks.direction = marks.direction.or(direction).or_else(|| named(&all));
    marks.ends = ends(before);
    marks
}

/// The direction between two parties, `Client -> Server`, or of an opcode, `CMSG_PING`.
pub(super) fn arrows(all: &[String]) -> Option<Side> {
    let arrow = |word: &str| matches!(word, "->" | "-->" | "=>" | "==>" | ">" | ">>" | "→" | "to");
    let between = all.windows(3).find_map(|three| match three {
        [from, sign, to] if arrow(sign) && party(to).is_some() => party(from),
        _ => None,
    });
    between.or_else(|| {
        all.iter().find_map(|word| match word.get(..4) {
            Some("cmsg") => Some(Side::Client),
            Some("smsg") => Some(Side::Server),
            _ => None,
        })
    })
}

/// The direction of a label that names one party or two: `Client -> Server`, `from server`, `[CLIENT]`.
pub(super) fn parties(all: &[String]) -> Option<Side> {
    let near = || {
        all.windows(2).find_map(|pair| match pair {
            [word, name] if word == "from" => party(name),
            [word, name] if word == "to" => party(name).map(Side::other),
            _ => None,
        })
    };
    let name = |word: &String| party(word).filter(|_| word.len() > 2);
    let first = || all.iter().find(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    arrows(all).or_else(near).or_else(|| all.last().and_then(name)).or_else(|| first().and_then(name))
}
