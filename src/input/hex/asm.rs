//! Data directives of an assembler listing, as in IDA: `db 23h, 0, '{"lang"', 4 dup(0)`.
//!
//! ```text
//! .rdata:00402000 msg   db 23h, 0, 0, 0, 1   ; a comment
//! .rdata:00402005       dd 4433h             ; the lowest byte first
//! ```
//! Lines without a directive are skipped. All directives form one packet.

use super::offsets::split_offset;
use super::scan::{Word, all_hex, indent, push_pairs, run, words};
use super::{Dialect, Fault, Fed, Feed, LARGEST_PACKET, Packet, fault, too_large};

/// Directives with the size of their numbers in bytes.
const DIRECTIVES: [(&[u8], usize); 6] = [(b"db", 1), (b"dw", 2), (b"dd", 4), (b"dq", 8), (b".byte", 1), (b"dcb", 1)];

#[derive(Default)]
pub(super) struct Asm {
    /// Address after the last line.
    next: Option<u64>,
    /// Whether the first byte of a number is its highest one.
    big: bool,
}

/// The directive of a line and the size of its numbers. An address and a label may precede it.
fn directive(line: &[u8]) -> Option<(Word<'_>, usize)> {
    words(line, 0).take(3).find_map(|word| {
        let (_, size) = DIRECTIVES.iter().find(|(name, _)| word.text.eq_ignore_ascii_case(name))?;
        Some((word, *size))
    })
}

/// Whether a line has a directive with numbers or texts, and is not a row of pairs with the byte 0xdb or 0xdd.
pub(super) fn fits(line: &[u8]) -> bool {
    let Some((word, _)) = directive(line) else { return false };
    // An offset with a colon precedes the bytes of a dump; an address has a segment.
    if split_offset(line).is_some_and(|(offset, _)| offset.colon && !offset.address) {
        return false;
    }
    let items = line.get(word.at + word.text.len()..).unwrap_or_default().trim_ascii();
    if hex_words(line).is_some() {
        return true;
    }
    let telling = items.iter().any(|byte| b",'\"hH(".contains(byte)) || items.len() % 2 == 1;
    telling && Asm::default().feed(line, &mut Packet::default()).is_ok()
}

/// Hex digits without any commas or marks after a directive at the start of a line, as debuggers print them: `dw 0025 11F2`.
/// Returns them with the size of a number.
fn hex_words(line: &[u8]) -> Option<(usize, usize)> {
    let (word, size) =
        directive(line).filter(|(word, _)| line.get(..word.at).is_some_and(|before| before.trim_ascii().is_empty()))?;
    let from = word.at + word.text.len();
    let digits = line.get(from..)?;
    // Without another case, `db` is the byte 0xdb.
    let lower = word.text.iter().all(u8::is_ascii_lowercase);
    let apart = if lower { digits.iter().any(u8::is_ascii_uppercase) } else { digits.iter().any(u8::is_ascii_lowercase) };
    let mut all = words(line, from).peekable();
    all.peek().filter(|_| size > 1 || apart)?;
    all.all(|word| word.text.len() == size * 2 && all_hex(word.text)).then_some((from, size))
}

/// Why the numbers after a directive are invalid.
pub(super) fn fault_of(line: &[u8]) -> Option<Fault> {
    directive(line)?;
    let telling = line.contains(&b',');
    Asm::default().feed(line, &mut Packet::default()).err().filter(|_| telling)
}

/// Whether a line has an address and a list of numbers, but no directive.
pub(super) fn is_like(line: &[u8]) -> bool {
    let Some((_, from)) = split_offset(line).filter(|(offset, _)| offset.address) else { return false };
    let rest = line.get(from..).unwrap_or_default().trim_ascii();
    !rest.starts_with(b";") && rest.split(|byte| *byte == b';').next().is_some_and(|rest| rest.contains(&b','))
}

impl Asm {
    /// A listing whose numbers have their highest byte first, if `big`.
    pub(super) fn new(big: bool) -> Asm {
        Asm { big, next: None }
    }

    /// Whether a line has the next address, and a directive with a wrong sign before a number.
    fn is_next(&self, line: &[u8]) -> bool {
        let Some((offset, from)) = split_offset(line) else { return false };
        let mut all = words(line, from).map(|word| word.text);
        let (Some(name), Some(value)) = (all.next(), all.next()) else { return false };
        let near = |known: &[u8]| match (known, name) {
            ([a, b], [c, d]) => a.eq_ignore_ascii_case(c) || b.eq_ignore_ascii_case(d),
            ([a, b], [c]) => a.eq_ignore_ascii_case(c) || b.eq_ignore_ascii_case(c),
            _ => false,
        };
        self.next.is_some()
            && offset.value(16) == self.next
            && number(value).is_some()
            && DIRECTIVES.iter().any(|(known, _)| near(known))
    }
}

impl Dialect for Asm {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let Some((word, size)) = directive(line) else {
            let what = "expected a directive such as db before the bytes";
            return if is_like(line) || self.is_next(line) { fault(0, what) } else { Ok(Fed::Taken) };
        };
        if let Some((from, size)) = hex_words(line) {
            for word in words(line, from) {
                let start = packet.len();
                push_pairs(word.text, word.at, packet)?;
                if !self.big && size > 1 {
                    packet.get_mut(start..).unwrap_or_default().reverse();
                }
            }
            return Ok(Fed::Taken);
        }
        let address = split_offset(line).filter(|(offset, _)| offset.address).and_then(|(offset, _)| offset.value(16));
        let before = packet.len();
        let mut at = word.at + word.text.len();
        loop {
            at = item(line, at, size, packet)?;
            match line.get(at) {
                Some(b',') => at += 1,
                None | Some(b';' | b'#') => break,
                Some(_) => return fault(at, "expected a comma before another number"),
            }
        }
        if let (Some(address), Some(next)) = (address, self.next)
            && address != next
        {
            return fault(0, format!("the address is {address:#x}, but the line before ends at {next:#x}; bytes are missing"));
        }
        let len = (packet.len() - before) as u64;
        self.next = address.map(|address| address.saturating_add(len));
        Ok(Fed::Taken)
    }
}

/// Parses a number, a text or `4 dup(0)` with blanks around it; returns its end.
fn item(line: &[u8], from: usize, size: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let blank = |at: usize| at + line.get(at..).map_or(0, indent);
    let at = blank(from);
    let rest = line.get(at..).unwrap_or_default();
    if let [quote @ (b'\'' | b'"'), text @ ..] = rest {
        let Some(len) = text.iter().position(|byte| byte == quote) else { return fault(at, "a text without its closing quote") };
        out.extend(text.get(..len).unwrap_or_default());
        return Ok(blank(at + len + 2));
    }
    let len = run(rest, |byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let Some(value) = number(rest.get(..len).unwrap_or_default()) else {
        let what =
            if rest.starts_with(b"?") { "`?` is a byte without a value" } else { "expected a number such as 23h, or a text" };
        return fault(at, what);
    };
    let end = blank(at + len);
    if let Some(inner) = line.get(end..).and_then(|rest| rest.strip_prefix(b"dup(")) {
        return repeated(line, line.len() - inner.len(), value, size, out);
    }
    let bytes = value.to_le_bytes();
    let fits = bytes.iter().skip(size).all(|byte| *byte == 0) || value < 0 && size < 8 && value >= -(1 << (size * 8 - 1));
    if !fits {
        return fault(at, format!("a number of more than {size} bytes"));
    }
    out.extend(bytes.iter().take(size));
    Ok(end)
}

/// Repeats the item in the parentheses of `dup`.
fn repeated(line: &[u8], from: usize, count: i64, size: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut some = Vec::new();
    let close = item(line, from, size, &mut some)?;
    if line.get(close) != Some(&b')') {
        return fault(close, "expected `)` after what dup repeats");
    }
    if count > LARGEST_PACKET / some.len().max(1) {
        return Err(too_large(from));
    }
    out.extend(some.repeat(count));
    Ok(close + 1 + line.get(close + 1..).map_or(0, indent))
}

/// `23h`, `0x23`, `35` or `-1`.
fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let hex = text.strip_suffix(['h', 'H']).or_else(|| text.strip_prefix("0x"));
    match hex {
        Some(digits) if digits.starts_with(|first: char| first.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok().map(u64::cast_signed)
        }
        Some(_) => None,
        None => text.parse().ok(),
    }
}
