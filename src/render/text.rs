//! Display width, truncation and wrapping of text, and escaping for the terminal.

use crate::tree::{clean, clean_escaped, is_harmful, is_plain};
use std::fmt::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Display width of text.
pub fn width(text: &str) -> usize {
    // Each byte of printable ASCII is one column.
    if is_printable(text) { text.len() } else { text.width() }
}

/// Whether text consists of printable characters of ASCII.
#[inline]
fn is_printable(text: &str) -> bool {
    // The first check is faster, but takes no quotes.
    is_plain(text.as_bytes()) || text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Truncates text to `limit` columns, including an ellipsis.
pub fn cut(text: &mut String, limit: usize) {
    if width(text) > limit {
        text.truncate(fitting(text, limit.saturating_sub(1)));
        text.push('…');
    }
}

/// Truncates a coloured line to `limit` columns, as [`cut`]. Escape sequences have no width and are terminated.
pub fn cut_painted(line: &mut String, limit: usize) {
    let (mut columns, mut end, mut escaped, mut painted) = (0, 0, false, false);
    for (at, character) in line.char_indices() {
        if escaped || character == '\x1b' {
            painted = true;
            escaped = character != 'm';
            continue;
        }
        columns += character.width().unwrap_or(0);
        if columns > limit {
            line.truncate(end);
            line.push_str(if painted { "\x1b[0m…" } else { "…" });
            return;
        }
        if columns < limit {
            end = at + character.len_utf8();
        }
    }
}

/// Display width of a coloured line.
pub fn painted_width(line: &str) -> usize {
    let mut pieces = line.split("\x1b[");
    let first = pieces.next().map_or(0, width);
    first + pieces.map(|piece| width(piece.split_once('m').map_or(piece, |(_, words)| words))).sum::<usize>()
}

/// Truncates the middle of text to `limit` columns, because paths and names differ most at their ends.
pub fn cut_middle(text: &mut String, limit: usize) {
    let columns = width(text);
    if columns <= limit {
        return;
    }
    let head = limit.saturating_sub(1) / 3;
    let tail = limit.saturating_sub(head + 1);
    let begin = fitting(text, head);
    let end = fitting(text, columns - tail);
    // A wide character may cross the limit.
    let end = if width(text.get(end..).unwrap_or_default()) > tail { next_character(text, end) } else { end };
    text.replace_range(begin..end, "…");
}

/// Wraps text to lines of at most `limit` columns, between words unless a word is longer.
pub fn wrapped(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = rest.split_at_checked(line_end(rest, limit))?;
        rest = behind;
        Some(piece)
    })
}

/// Length in bytes of the first line, at least one character.
fn line_end(text: &str, limit: usize) -> usize {
    let most = fitting(text, limit);
    if most == text.len() {
        return most;
    }
    let fits = text.get(..most).unwrap_or_default();
    let is_between = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(' '));
    let before_blank = Some(most).filter(is_between);
    let between = before_blank.or_else(|| fits.rfind([' ', ',', ';']).map(|at| at + 1));
    between.or_else(|| joint(text, most)).unwrap_or(most.max(next_character(text, 0)))
}

/// Separators of the parts of a path or a name.
const JOINTS: [char; 12] = ['.', '/', '_', '-', ':', '&', '=', '?', '(', '[', '{', '>'];

/// Width of the longest part that [`wrapped`] does not break.
pub fn longest_part(text: &str) -> usize {
    text.split([' ', ',', ';']).flat_map(|word| word.split_inclusive(JOINTS)).map(width).max().unwrap_or(0)
}

/// Last position up to `most` between parts of a path or a name.
fn joint(text: &str, most: usize) -> Option<usize> {
    let is_joint = |at: &usize| {
        let Some((before, behind)) = text.split_at_checked(*at) else { return false };
        let Some(next) = behind.chars().next() else { return false };
        // A dot, a hyphen or a colon before a digit may be part of a number.
        before.ends_with(JOINTS) && (next.is_alphabetic() || matches!(next, '"' | '{' | '<'))
            || (before.ends_with(['/', '_', '=', '&']) || ends_with_backslash(before)) && next.is_alphanumeric()
    };
    (1..=most).rev().find(is_joint)
}

/// Whether text ends with an unescaped backslash, which starts an escape sequence.
fn ends_with_backslash(text: &str) -> bool {
    let count = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    count > 0 && count.is_multiple_of(2)
}

fn next_character(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

/// Wraps a coloured line to `limit` columns, with `before` as the prefix of continuation lines.
///
/// Two spaces separate parts. A line ends after a part, or between words of a part that is longer than a line.
pub fn fold_painted(line: &str, limit: usize, before: &str, out: &mut String) {
    let mut rest = Vec::new();
    let mut escape = String::new();
    let mut open = String::new();
    for character in line.chars() {
        if !escape.is_empty() || character == '\x1b' {
            escape.push(character);
            if character == 'm' {
                open = if escape == "\x1b[0m" { String::new() } else { std::mem::take(&mut escape) };
                escape.clear();
            }
            continue;
        }
        rest.push(Cell { character, width: character.width().unwrap_or(0), style: open.clone() });
    }
    let mut rest = rest.as_slice();
    let mut available = limit;
    loop {
        let (end, next) = cells_end(rest, available, limit.saturating_sub(width(before)));
        write_cells(rest.get(..end).unwrap_or_default(), out);
        rest = rest.get(next..).unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        out.push('\n');
        out.push_str(before);
        available = limit.saturating_sub(width(before)).max(1);
    }
}

/// A character with its colour.
struct Cell {
    character: char,
    width: usize,
    style: String,
}

/// End of a line of `available` columns, and start of the next one, which has `next_available` columns.
fn cells_end(cells: &[Cell], available: usize, next_available: usize) -> (usize, usize) {
    let mut columns = 0;
    let fits = cells.iter().take_while(|cell| {
        columns += cell.width;
        columns <= available
    });
    let most = fits.count();
    if most == cells.len() {
        return (most, most);
    }
    let blank = |at: usize| cells.get(at).is_some_and(|cell| cell.character == ' ');
    let is_part_end = |at: &usize| blank(*at) && blank(at + 1);
    let behind = |end: usize| (end..cells.len()).find(|at| !blank(*at)).unwrap_or(cells.len());
    if let Some(end) = (1..=most).rev().find(is_part_end) {
        let start = behind(end);
        let part_end = (start..cells.len()).find(is_part_end).unwrap_or(cells.len());
        let part: usize = cells.get(start..part_end).unwrap_or_default().iter().map(|cell| cell.width).sum();
        if part <= next_available {
            return (end, start);
        }
    }
    match (1..=most).rev().find(|at| blank(*at)) {
        Some(end) => {
            let end = (1..=end).rev().find(|at| !blank(at - 1)).unwrap_or(end);
            (end, behind(end))
        }
        None => (most.max(1), most.max(1)),
    }
}

fn write_cells(cells: &[Cell], out: &mut String) {
    for run in cells.chunk_by(|one, other| one.style == other.style) {
        let style = run.first().map_or("", |cell| cell.style.as_str());
        out.push_str(style);
        out.extend(run.iter().map(|cell| cell.character));
        if !style.is_empty() {
            out.push_str("\x1b[0m");
        }
    }
}

/// Wraps text to lines of whole words, at most `limit` columns each unless a word is longer.
pub fn word_lines(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let mut end = 0;
        for (space, _) in rest.match_indices(' ').chain([(rest.len(), "")]) {
            if end > 0 && rest.get(..space).is_none_or(|line| width(line) > limit) {
                break;
            }
            end = space;
        }
        let (line, behind) = rest.split_at_checked(end).filter(|(line, _)| !line.is_empty())?;
        rest = behind.trim_start();
        Some(line.trim_end())
    })
}

/// Length in bytes of the prefix that fits into `limit` columns.
fn fitting(text: &str, limit: usize) -> usize {
    let mut columns = 0;
    let fits = |(_, character): &(usize, char)| {
        columns += character.width().unwrap_or(0);
        columns <= limit
    };
    text.char_indices().take_while(fits).last().map_or(0, |(at, character)| at + character.len_utf8())
}

/// Writer that escapes control characters, as a safeguard for text that should already be safe.
pub struct Guarded<'a, W = String>(pub &'a mut W);

impl<W: Write> Write for Guarded<'_, W> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        if is_printable(words) {
            return self.0.write_str(words);
        }
        words.chars().try_for_each(|character| {
            if is_harmful(character) {
                return write!(self.0, "{}", character.escape_unicode());
            }
            self.0.write_char(character)
        })
    }
}

/// Formats with a function.
pub(super) struct Words<'a>(pub(super) &'a mut Vec<u8>);

impl Write for Words<'_> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        self.0.extend_from_slice(words.as_bytes());
        Ok(())
    }
}

/// Writes the name and the summary of a layer.
pub fn write_summary(name: &str, info: &str, out: &mut String) -> fmt::Result {
    clean(name, out)?;
    if !name.is_empty() && !info.is_empty() {
        out.push_str(", ");
    }
    clean_escaped(info, out)
}

/// Plural of a label.
pub struct Plural(pub &'static str);

impl fmt::Display for Plural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HISSING: [&str; 5] = ["s", "x", "z", "ch", "sh"];
        let label = self.0;
        match label.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => write!(f, "{stem}ies"),
            _ if HISSING.iter().any(|end| label.ends_with(end)) => write!(f, "{label}es"),
            _ => write!(f, "{label}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_not_by_bytes() {
        let mut text = String::from("größer als");
        cut(&mut text, 5);
        assert_eq!(text, "größ…");
        let mut wide = String::from("漢字漢字");
        cut(&mut wide, 4);
        assert_eq!(wide, "漢…");
        let mut short = String::from("abc");
        cut(&mut short, 3);
        assert_eq!(short, "abc");
    }

    #[test]
    fn coloured_lines_are_truncated_by_visible_width() {
        let cut = |line: &str, limit| {
            let mut line = line.to_owned();
            cut_painted(&mut line, limit);
            line
        };
        assert_eq!(cut("\x1b[31mgrößer\x1b[0m als", 6), "\x1b[31mgröße\x1b[0m…");
        assert_eq!(cut("\x1b[31mgrößer\x1b[0m", 6), "\x1b[31mgrößer\x1b[0m");
        assert_eq!(cut("größer als", 5), "größ…");
        assert_eq!(cut("漢字漢字", 4), "漢…");
    }

    #[test]
    fn wrapping_loses_nothing_even_where_nothing_fits() {
        assert_eq!(wrapped("abcdefg", 3).collect::<Vec<_>>(), ["abc", "def", "g"]);
        assert_eq!(wrapped("漢字", 1).collect::<Vec<_>>(), ["漢", "字"]);
        assert_eq!(wrapped("", 3).count(), 0);
    }

    #[test]
    fn wrapping_prefers_the_ends_of_words() {
        assert_eq!(wrapped("one two three", 8).collect::<Vec<_>>(), ["one two ", "three"]);
        assert_eq!(wrapped("one two three", 9).collect::<Vec<_>>(), ["one two ", "three"]);
        assert_eq!(wrapped("{\"a\":1,\"b\":2}", 9).collect::<Vec<_>>(), ["{\"a\":1,", "\"b\":2}"]);
        assert_eq!(wrapped("Map.World.Player.Rotation", 20).collect::<Vec<_>>(), ["Map.World.Player.", "Rotation"]);
        assert_eq!(wrapped("1234567.890123", 10).collect::<Vec<_>>(), ["1234567.89", "0123"]);
    }

    #[test]
    fn the_middle_of_a_path_is_cut() {
        let cut = |text: &str, limit| {
            let mut text = text.to_owned();
            cut_middle(&mut text, limit);
            text
        };
        assert_eq!(cut("Map.World.Player.Rotation", 16), "Map.W…r.Rotation");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("漢字漢字漢字", 7), "漢…漢字");
        assert_eq!(cut("abc", 1), "…");
    }

    #[test]
    fn painted_lines_are_folded_between_parts_and_keep_their_colours() {
        let fold = |line: &str, limit| {
            let mut out = String::new();
            fold_painted(line, limit, "    ", &mut out);
            out
        };
        assert_eq!(fold("#1  tcp/0  a name  frame 7", 12), "#1  tcp/0\n    a name\n    frame 7");
        assert_eq!(fold("#1  a part that is too long for a line", 20), "#1  a part that is\n    too long for a\n    line");
        assert_eq!(fold("#1  \x1b[2mone two\x1b[0m", 8), "#1  \x1b[2mone\x1b[0m\n    \x1b[2mtwo\x1b[0m");
        assert_eq!(fold("abcdefgh", 6), "abcdef\n    gh");
        assert_eq!(fold("", 6), "");
    }

    #[test]
    fn lines_end_between_words() {
        let lines = |limit| word_lines("a bee sees  größer flowers", limit).collect::<Vec<_>>();
        assert_eq!(lines(9), ["a bee", "sees", "größer", "flowers"]);
        assert_eq!(lines(1), ["a", "bee", "sees", "größer", "flowers"]);
        assert_eq!(lines(usize::MAX), ["a bee sees  größer flowers"]);
        assert_eq!(word_lines("", 3).count(), 0);
    }

    #[test]
    fn labels_have_plurals() {
        let words = ["entry", "key", "box", "address", "value", "match"].map(|label| Plural(label).to_string());
        assert_eq!(words, ["entries", "keys", "boxes", "addresses", "values", "matches"]);
    }

    #[test]
    fn the_guard_spells_out_escapes_and_keeps_backslashes() {
        let mut out = String::new();
        Guarded(&mut out).write_str("a\\n \x1b[0m é").unwrap();
        assert_eq!(out, "a\\n \\u{1b}[0m é");
    }
}
