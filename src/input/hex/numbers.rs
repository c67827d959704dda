//! The notations of numbers in lists: `0x23`, `$23`, `&H23`, `23` in hex, `35` in decimal.

use super::list::List;
use super::offsets::{Groups, decimal, push_group};
use super::scan::{all_hex, number, push_pairs, run};
use super::{Fault, LARGEST_PACKET, bytes_of, fault, too_large};

/// Minimum number of elements in brackets; shorter lists are ambiguous.
pub(super) const SHORTEST: usize = 4;

/// Bytes of a list that decide about its notation.
pub(super) const WINDOW: usize = 4096;

/// The notation of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With `0x`, `$` or `&H`.
    Prefixed,
    /// In hex without a prefix, as Rust's `{:x?}` prints them.
    Hex,
    /// In decimal, from -128 to 255.
    Decimal,
}

pub(super) fn token_len(text: &[u8]) -> usize {
    run(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'_'))
}

pub(super) fn is_prefixed(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"'").or_else(|| text.strip_prefix(b"\"")).unwrap_or(text);
    let text = text.strip_prefix(b"(byte)").map_or(text, <[u8]>::trim_ascii_start);
    prefix_len(text) > 0
}

/// Number of decimal bytes at the start of a line, how many of them cannot be hex pairs, and the rest of the line.
pub(super) fn numbers(text: &[u8]) -> (usize, usize, &[u8]) {
    let (mut count, mut telling) = (0, 0);
    let mut rest = text.trim_ascii_start();
    loop {
        let token = rest.get(..token_len(rest)).unwrap_or_default();
        let is_number = decimal(token).is_some() && (token.len() == 1 || !token.starts_with(b"0"));
        if !is_number {
            return (count, telling, rest);
        }
        count += 1;
        telling += usize::from(token.len() != 2 || token.starts_with(b"-"));
        rest = rest.get(token.len()..).unwrap_or_default().trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
}

/// Numbers after a brace, up to the one that closes it or the end of the line.
pub(super) fn is_list(text: &[u8]) -> bool {
    let (count, telling, rest) = numbers(text);
    let ends = rest.is_empty() || matches!(rest.first(), Some(b']' | b'}' | b'>' | b')'));
    // Pairs of digits without commas may be hex.
    let commas = text.contains(&b',');
    ends && (commas || telling > 0) && (count >= SHORTEST || count > 0 && rest.is_empty())
}

/// Numbers without braces that cannot be bare hex digits.
pub(super) fn bare(text: &[u8]) -> Option<Kind> {
    let alone = text.starts_with(b"$") && text.iter().filter(|byte| **byte == b'$').count() < 2;
    if is_prefixed(text) && !alone {
        return Some(Kind::Prefixed);
    }
    let (count, telling, rest) = numbers(text);
    let wide =
        text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-').any(|token| token.len() > 2 || token.starts_with(b"-"));
    (count >= SHORTEST && rest.is_empty() && (telling > 1 || wide)).then_some(Kind::Decimal)
}

/// Whether a list begins here whose elements are hex digits without a prefix: one has a letter, or all have two digits.
pub(super) fn is_hex_list(text: &[u8]) -> bool {
    let text = text.get(..text.len().min(WINDOW)).unwrap_or_default();
    let end = text.iter().position(|byte| matches!(byte, b']' | b'}' | b'>' | b')')).unwrap_or(text.len());
    let all = || {
        let tokens = text.get(..end).unwrap_or_default().split(|byte| *byte == b',').map(unquoted);
        tokens.filter(|token| !token.is_empty())
    };
    let hex = all().count() >= SHORTEST
        && text.get(..end).is_some_and(|text| text.contains(&b','))
        && all().all(|token| token.len() <= 2 && all_hex(token));
    hex && (all().any(|token| token.iter().any(u8::is_ascii_alphabetic))
        || all().any(|token| token.len() == 2 && token.starts_with(b"0")))
}

/// A number without quotes around it: lists of texts are printed as `['25', '00']`.
pub(super) fn unquoted(token: &[u8]) -> &[u8] {
    let token = token.trim_ascii();
    match token {
        [b'\'' | b'"', inner @ .., b'\'' | b'"'] if inner.len() == 2 => inner,
        _ => token,
    }
}

impl List {
    /// Parses `0x23`, a number of several bytes, or a longer run of pairs after one prefix; returns its length.
    pub(super) fn prefixed(&mut self, rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
        if rest.starts_with(b"...") {
            return fault(at, "bytes are left out here; print all of them");
        }
        let start = prefix_len(rest);
        if start == 0 {
            let empty = PREFIXES.iter().any(|prefix| rest.starts_with(prefix));
            let (at, what) = if empty { (at + 2, "expected hex digits after 0x") } else { (at, "expected a byte such as 0x23") };
            return fault(at, what);
        }
        let digits = rest.get(start..).unwrap_or_default();
        let len = run(digits, u8::is_ascii_alphanumeric);
        let digits = digits.get(..len).unwrap_or_default();
        let bytes =
            ["u8", "ULL", "UL", "U", "L"].iter().find_map(|suffix| digits.strip_suffix(suffix.as_bytes())).unwrap_or(digits);
        if self.width == 0 {
            self.width = width(rest);
        }
        if self.width > 1 && all_hex(bytes) {
            if bytes.len() > self.width * 2 {
                return fault(at, format!("a number of more than {} bytes; the first one has {}", self.width, self.width));
            }
            let padded = [vec![b'0'; self.width * 2 - bytes.len()], bytes.to_vec()].concat();
            push_group(&padded, Groups::Swapped(padded.len()), self.big, packet);
            return Ok(start + len);
        }
        if bytes.len() > 2 && !packet.is_empty() {
            return fault(at, "a number of several bytes behind single bytes; write all numbers with the same digits");
        }
        // Some tools omit a leading zero.
        match bytes {
            [digit] if digit.is_ascii_hexdigit() => push_pairs(&[b'0', *digit], at + start - 1, packet)?,
            _ => push_pairs(bytes, at + start, packet)?,
        }
        Ok(start + len)
    }

    /// Why a list in brackets that begins with decimal bytes is invalid.
    pub(super) fn fault_of(text: &[u8]) -> Option<Fault> {
        let at = text.iter().position(|byte| matches!(byte, b'[' | b'{'))?;
        let (count, ..) = numbers(text.get(at + 1..)?);
        let list = List { braces: text.get(at).copied(), ..List::default() };
        (count > 1).then(|| bytes_of(list, text).err())?
    }

    /// The brace at the end of a line, if a list may begin after it.
    pub(super) fn opened(text: &[u8]) -> Option<u8> {
        let text = text.strip_suffix(b"_").map_or(text, <[u8]>::trim_ascii_end);
        let pascal = text.ends_with(b"= (");
        text.last().copied().filter(|byte| matches!(byte, b'[' | b'{') || pascal)
    }

    /// Whether a list begins here. A bracket of a declaration does not begin one.
    pub(super) fn opens(&self, byte: u8, rest: &[u8]) -> bool {
        let Some(open) = self.braces.filter(|_| !self.inside) else { return false };
        let inner = rest.get(1..).unwrap_or_default();
        open == byte
            && (open != b'[' || is_prefixed(inner) || numbers(inner).0 > 0 || is_hex_list(inner) || inner.trim_ascii().is_empty())
    }

    /// `};` may end a list without an opening brace.
    pub(super) fn closes(&self, byte: u8) -> bool {
        matches!(byte, b'}' | b']' | b')') || byte == b'>' && self.braces == Some(b'<')
    }

    /// Whether the position is directly behind a number with a prefix.
    pub(super) fn is_behind_number(&self, line: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        self.kind == Some(Kind::Prefixed) && before.is_some_and(u8::is_ascii_hexdigit)
    }

    /// Whether the elements are hex digits without a prefix, also in quotes.
    pub(super) fn is_hex(&self, rest: &[u8]) -> bool {
        self.kind == Some(Kind::Hex) || self.kind.is_none() && is_hex_list(rest)
    }

    /// Parses a number; returns its length.
    pub(super) fn number(&mut self, rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
        let kind = *self.kind.get_or_insert_with(|| match rest {
            _ if is_prefixed(rest) => Kind::Prefixed,
            _ if is_hex_list(rest) => Kind::Hex,
            _ => Kind::Decimal,
        });
        if kind == Kind::Prefixed {
            return self.prefixed(rest, at, packet);
        }
        let len = token_len(rest);
        let text = rest.get(..len).unwrap_or_default();
        if kind == Kind::Hex {
            let byte = number(text, 16).filter(|_| text.len() <= 2 && all_hex(text)).and_then(|byte| u8::try_from(byte).ok());
            packet.extend(byte);
            return if byte.is_some() { Ok(len) } else { fault(at, "expected a byte of two hex digits") };
        }
        let plain = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') && !text.is_empty();
        match decimal(text) {
            Some(_) if text.len() > 1 && text.starts_with(b"0") => {
                fault(at, "expected decimal bytes such as 35, or 0x before hex digits")
            }
            Some(byte) => {
                packet.push(byte);
                Ok(len)
            }
            None if plain => fault(at, format!("{} is no byte; expected -128 to 255", text.escape_ascii())),
            None if rest.starts_with(b"...") => fault(at, "bytes are left out here; print all of them"),
            None => fault(at, "expected a decimal byte such as 35, or 0x before hex digits"),
        }
    }

    /// A list that begins in this line; `open` is the brace at the end of the previous line.
    pub(super) fn of(text: &[u8], open: Option<u8>) -> Option<List> {
        let after = |at: usize| text.get(at..).unwrap_or_default();
        if let Some(kind) = bare(text) {
            return Some(List { inside: true, kind: Some(kind), ..List::default() });
        }
        if let Some(open) = open.filter(|_| numbers(text).0 > 0 || is_prefixed(text)) {
            return Some(List { braces: Some(open), inside: true, ..List::default() });
        }
        let position = |wanted: &[u8]| text.windows(wanted.len()).position(|at| at == wanted);
        let list = |open: u8| Some(List { braces: Some(open), ..List::default() });
        if let Some(at) = position(b"{") {
            let before = text.get(..at)?.trim_ascii_end();
            let assigned = before.ends_with(b"=") || before.ends_with(b"]");
            let declared = assigned && before.contains(&b']') && before.contains(&b'[');
            if declared || is_prefixed(after(at + 1)) || is_list(after(at + 1)) {
                return list(b'{');
            }
        }
        let brackets = (0..text.len()).filter(|at| text.get(*at) == Some(&b'[')).take(BRACKETS);
        if brackets.map(|at| after(at + 1)).any(|text| is_prefixed(text) || is_list(text) || is_hex_list(text)) {
            return list(b'[');
        }
        let is_binary =
            |text: &[u8]| is_list(text) || matches!(numbers(text), (1.., _, [b'>', b'>', ..])) && !text.contains(&b' ');
        position(b"<<").filter(|at| is_binary(after(at + 2))).and_then(|_| list(b'<'))
    }
}

/// The prefixes of hex numbers: of C, Pascal and Visual Basic.
pub(super) const PREFIXES: [&[u8]; 5] = [b"0x", b"0X", b"$", b"&H", b"&h"];

/// Length of the prefix of a hex number; 0 if there is none.
pub(super) fn prefix_len(text: &[u8]) -> usize {
    let found = PREFIXES.iter().find(|prefix| text.starts_with(prefix)).map_or(0, |prefix| prefix.len());
    let digits = text.get(found..).unwrap_or_default();
    let len = run(digits, u8::is_ascii_alphanumeric);
    // A variable of a debugger or of a shell begins with `$`, too.
    let is_number = if text.starts_with(b"$") { matches!(len, 2 | 4 | 8) } else { true };
    if is_number && digits.first().is_some_and(u8::is_ascii_hexdigit) { found } else { 0 }
}

/// Bytes of each number of a line: those of its longest one. A single run of pairs is in the order of its digits.
pub(super) fn width(line: &[u8]) -> usize {
    let numbers = line.split(|byte| *byte == b',' || byte.is_ascii_whitespace()).map(|token| (prefix_len(token), token));
    let lens = numbers
        .filter(|(prefix, _)| *prefix > 0)
        .map(|(prefix, token)| run(token.get(prefix..).unwrap_or_default(), u8::is_ascii_hexdigit));
    let (count, most) = lens.fold((0, 0), |(count, most), len| (count + 1, most.max(len)));
    match most {
        3..=4 if count > 1 => 2,
        5..=8 if count > 1 => 4,
        9..=16 if count > 1 => 8,
        _ => 1,
    }
}

/// A text among numbers, such as `'info'`; returns its length with its quotes.
pub(super) fn quoted(quote: u8, text: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let Some(len) = text.iter().position(|byte| *byte == quote) else {
        return fault(at, format!("a text without its closing {}", char::from(quote)));
    };
    packet.extend(text.get(..len).unwrap_or_default());
    Ok(len + 2)
}

/// The cast that Java requires for bytes above 0x7f; returns its length.
pub(super) fn cast(rest: &[u8], at: usize) -> Result<usize, Fault> {
    let casts: [&[u8]; 3] = [b"(byte)", b"(char)", b"(unsigned char)"];
    match casts.iter().find(|cast| rest.starts_with(cast)) {
        Some(cast) => Ok(cast.len()),
        None => fault(at, "expected a byte such as 0x23"),
    }
}

/// `<repeats 16 times>`, as gdb abbreviates repeated bytes; returns its length.
pub(super) fn repeats(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let count = rest.strip_prefix(b"<repeats ").and_then(|rest| {
        let end = rest.iter().position(|byte| *byte == b'>')?;
        let count = rest.get(..end)?.strip_suffix(b" times")?;
        Some((std::str::from_utf8(count).ok()?.parse::<usize>().ok()?, end))
    });
    let (Some((count, end)), Some(last)) = (count, packet.last().copied()) else {
        return fault(at, "expected a byte, or `<repeats 16 times>` behind one");
    };
    if count > LARGEST_PACKET {
        return Err(too_large(at));
    }
    packet.extend(std::iter::repeat_n(last, count.saturating_sub(1)));
    Ok(b"<repeats ".len() + end + 1)
}

/// Maximum number of brackets of a line after which a list is looked for.
pub(super) const BRACKETS: usize = 64;
