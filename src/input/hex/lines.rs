//! What a line loses before it is read: colours, blanks of web pages, prompts, borders of `hexyl`.
//!
//! Replaced characters keep their place, so that columns of errors are those of the text.

use super::scan::{indent, run};
use super::{Fault, bars, boxed};
use std::borrow::Cow;

/// Blanks of web pages and word processors, each read as one space.
const BLANKS: [&str; 4] = ["\u{a0}", "\u{2007}", "\u{202f}", "\u{3000}"];

/// Characters without width, which are left out.
const INVISIBLE: [&str; 3] = ["\u{200b}", "\u{2060}", "\u{feff}"];

/// Cleans the lines of a text.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    frame: boxed::Frame,
}

impl Cleaner {
    /// A line without decoration; most lines are returned as they are.
    ///
    /// # Errors
    /// If a line inside the borders of `hexyl` is no row of a dump.
    pub(super) fn clean<'l>(&mut self, line: &'l [u8]) -> Result<Cow<'l, [u8]>, Fault> {
        let mut plain = without_colours(line);
        if !plain.is_ascii()
            && let Some(spaced) = without_odd_blanks(&plain)
        {
            plain = Cow::Owned(spaced);
        }
        match plain.trim_ascii_start().first() {
            Some(b'|' | b'+' | 0xe2) => self.frame.strip(plain).map(without_bars),
            Some(b'I' | b'O' | b'>' | b'.') => Ok(without_prompt(plain)),
            Some(b'0') => Ok(without_glyphs(plain)),
            _ => Ok(plain),
        }
    }
}

fn without_odd_blanks(line: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(line).ok()?;
    let odd = BLANKS.iter().chain(&INVISIBLE).any(|blank| text.contains(blank));
    odd.then(|| {
        let spaced = BLANKS.iter().fold(text.to_owned(), |text, blank| text.replace(blank, " "));
        INVISIBLE.iter().fold(spaced, |text, blank| text.replace(blank, "")).into_bytes()
    })
}

/// Blanks instead of the prompt of a REPL: `In [7]: `, `Out[7]: `, `>>> `, `... `.
fn without_prompt(line: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(len) = prompt_len(&line) else { return line };
    let mut plain = vec![b' '; len];
    plain.extend(line.get(len..).unwrap_or_default());
    Cow::Owned(plain)
}

/// Length of a prompt with the blanks before it.
fn prompt_len(line: &[u8]) -> Option<usize> {
    let text = line.trim_ascii_start();
    if let Some(rest) = text.strip_prefix(b"In [").or_else(|| text.strip_prefix(b"Out[")) {
        let digits = run(rest, u8::is_ascii_digit);
        let closed = digits > 0 && rest.get(digits..)?.starts_with(b"]:");
        return closed.then(|| line.len() - rest.len() + digits + 2);
    }
    (text.starts_with(b">>> ") || text.starts_with(b"... ")).then_some(indent(line) + 3)
}

/// gdb prints each byte of `x/64c` as a number and a character, after a tab; the number is enough.
fn without_glyphs(line: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_row = line.trim_ascii_start().starts_with(b"0x") && line.contains(&b'\t');
    if !is_row || !line.windows(2).any(|pair| pair == b" '") {
        return line;
    }
    let cells = line.trim_ascii_end().split(|byte| *byte == b'\t');
    let plain = cells.map(|cell| match cell.iter().position(|byte| *byte == b' ') {
        Some(at) if cell.get(at + 1) == Some(&b'\'') => cell.get(..at).unwrap_or_default(),
        _ => cell,
    });
    Cow::Owned(plain.collect::<Vec<_>>().join(&b'\t'))
}

/// A row of `strace -e write`, between bars: ` | 00000  23 00 ...  #.. |`.
fn without_bars(line: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(inner) = bars::strace_row(&line) else { return line };
    let mut plain = vec![b' '; line.len() - inner.len()];
    plain.extend(inner.trim_ascii_end());
    // The text itself may end with a bar.
    let len = plain.strip_suffix(b"|").unwrap_or(&plain).trim_ascii_end().len();
    plain.truncate(len);
    Cow::Owned(plain)
}

const ESCAPE: u8 = 0x1b;

/// A line without colour sequences.
pub(super) fn without_colours(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&ESCAPE) {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
        let (before, from) = rest.split_at(at);
        plain.extend(before);
        let len = colour_len(from);
        plain.extend(from.get(..1).filter(|_| len == 0).unwrap_or_default());
        rest = from.get(len.max(1)..).unwrap_or_default();
    }
    plain.extend(rest);
    Cow::Owned(plain)
}

/// Length of a colour sequence; 0 if none begins here.
pub(crate) fn colour_len(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"\x1b[") else { return 0 };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    if rest.get(len) == Some(&b'm') { len + 3 } else { 0 }
}
