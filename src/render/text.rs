//! Words made to fit: display width, cutting, wrapping, and a last guard before the terminal.

use crate::tree::{clean, clean_escaped, is_harmful, is_plain};
use std::fmt::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that text takes on a terminal.
pub fn width(text: &str) -> usize {
    // Of what is plain each byte is a column.
    if is_plain(text.as_bytes()) { text.len() } else { text.width() }
}

/// Cut text to `limit` columns, the last of which then says that it was cut.
pub fn cut(text: &mut String, limit: usize) {
    if width(text) > limit {
        text.truncate(fitting(text, limit.saturating_sub(1)));
        text.push('…');
    }
}

/// Cut a line that has colours to `limit` columns, as [`cut`] does. Escapes take no column, and what they began is ended.
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

/// The text in pieces of at most `limit` columns.
pub fn wrapped(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (piece, behind) = rest.split_at_checked(fitting(rest, limit).max(first))?;
        rest = behind;
        Some(piece)
    })
}

/// The text in lines of whole words, at most `limit` columns each unless a word is longer.
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

/// Bytes of the text that fit into `limit` columns.
fn fitting(text: &str, limit: usize) -> usize {
    let mut columns = 0;
    let fits = |(_, character): &(usize, char)| {
        columns += character.width().unwrap_or(0);
        columns <= limit
    };
    text.char_indices().take_while(fits).last().map_or(0, |(at, character)| at + character.len_utf8())
}

/// Writes words and spells out what a terminal might act on. For words that should be harmless already.
pub struct Guarded<'a, W = String>(pub &'a mut W);

impl<W: Write> Write for Guarded<'_, W> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        if words.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
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

/// Words that are put together while they are written.
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

/// A label for several.
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
    fn coloured_lines_are_cut_by_what_is_seen() {
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
