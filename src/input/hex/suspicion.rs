//! Lines that resemble the rows of a dump, but are invalid: damaged rows, which are no prose.

use super::bars;
use super::dialect::Context;
use super::head::Head;
use super::offsets::{self, Shape};
use super::rows::Rows;
use super::scan::{Word, after_marks, all_hex, is_pair, words};

/// Bytes of a row of a dump.
pub(super) const WIDTHS: [u64; 5] = [16, 8, 32, 4, 12];

/// Whether a line looks like the damaged first row of the dump below it.
pub(super) fn is_above_a_dump(context: &Context<'_>) -> bool {
    let Some((next, ahead)) = context.ahead().split_first() else { return false };
    let rows = || Rows::of(next, ahead, context.big).is_some_and(|rows| is_above(context.line, rows.base, &rows.head));
    Shape::of(next).is_some() && offsets::base(next).is_some_and(|base| is_above(context.line, base, &offsets::head(next)))
        || rows()
}

/// Whether a line looks like the row above one with this head and offset.
pub(super) fn is_above(line: &[u8], base: u64, head: &Head) -> bool {
    WIDTHS.iter().filter_map(|width| base.checked_sub(*width)).any(|above| head.resembles(line, above))
}

/// Whether a line may be a malformed row: groups of digits after one word, or after two.
pub(super) fn looks_like_a_row(line: &[u8]) -> bool {
    let from = after_marks(line);
    let group = |word: &Word<'_>| {
        let digits = word.text.strip_prefix(b"0x").unwrap_or(word.text);
        let behind_tab = line.get(word.at.wrapping_sub(1)) == Some(&b'\t');
        matches!(digits.len(), 2 | 4 | 8 | 16) && all_hex(digits) || behind_tab && offsets::decimal(word.text).is_some()
    };
    let pairs = || words(line, from).filter(|word| is_pair(word.text)).count() >= 6;
    [1, 2].into_iter().any(|skip| words(line, from).skip(skip).filter(group).count() >= 3) || pairs()
}

/// The text before the last brace or quote, without what stands in brackets, such as the time of a log.
pub(super) fn before_opener(line: &[u8]) -> Vec<u8> {
    let (mut text, mut open, mut last) = (Vec::new(), Vec::new(), 0);
    for byte in line.iter().copied() {
        let closed = |(_, opener): &(usize, u8)| matches!((*opener, byte), (b'[', b']') | (b'{', b'}') | (b'<', b'>'));
        match byte {
            b'{' | b'[' | b'<' => {
                last = text.len();
                open.push((last, byte));
            }
            b'\'' | b'"' => last = text.len(),
            _ => {}
        }
        text.push(byte);
        if let Some((start, _)) = open.pop_if(|opener| closed(opener)) {
            text.truncate(start);
        }
    }
    text.truncate(last);
    text
}

/// Whether a line consists of hex digits, except one character in this many.
pub(super) fn looks_like_digits(text: &[u8], one_in: usize) -> bool {
    let text = text.get(after_marks(text)..).unwrap_or_default();
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let separators = text.iter().filter(|byte| byte.is_ascii_whitespace() || b":-,._;|".contains(byte)).count();
    let others = text.len() - digits - separators;
    let counts = text.iter().any(u8::is_ascii_digit) || words(text, 0).all(|word| word.text.len() % 2 == 0);
    let few = if one_in == 0 { others == 0 } else { others * one_in <= digits };
    digits > 0 && few && counts
}

/// Minimum number of columns of a ruler.
pub(super) const RULER: usize = 8;

/// Whether a line numbers the columns of a dump, as in Frida, HxD or ImHex: `Offset(h) 00 01 02`, or `0  1  2  3  4`.
pub(super) fn is_ruler(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    // Those of hexl-mode in Emacs, and of radare2.
    if text.starts_with(b"87654321  0011 2233 4455 6677") || text.starts_with(b"- offset - ") {
        return true;
    }
    if bars::is_row(line) && !bars::names_columns(line) {
        return false;
    }
    let starts = words(line, 0).position(|word| matches!(word.text, b"0" | b"00")).filter(|at| *at <= 2);
    let Some(start) = starts else { return false };
    let named = words(line, 0).take(start).any(|word| word.text.iter().any(|byte| !byte.is_ascii_hexdigit()));
    let mut wide = true;
    let count = words(line, 0).skip(start).enumerate().take_while(|(at, word)| {
        wide &= word.text.len() == 2;
        is_count(*at, word.text)
    });
    count.count() >= RULER && (named || !wide)
}

/// Whether a word is the number of a column, with one digit or two.
pub(super) fn is_count(at: usize, word: &[u8]) -> bool {
    [format!("{at:x}"), format!("{at:02x}")].iter().any(|number| word.eq_ignore_ascii_case(number.as_bytes()))
}
