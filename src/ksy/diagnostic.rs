//! Errors and warnings about a file, in the style of compilers.

use crate::tree::is_harmful;
use std::fmt::{self, Write};
use std::path::PathBuf;
use unicode_width::UnicodeWidthChar;

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the file is rejected.
    pub error: bool,
    /// Whether only `ksy check` shows a warning: nothing is read differently because of it.
    pub is_advice: bool,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The text of the line; of a long one, the part around the column.
    pub source: String,
    /// Characters of the line before `source`.
    pub skipped: u32,
    /// The number of characters to underline.
    pub width: u32,
    /// The problem.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

/// Maximum width of a displayed line; of a longer one, the part around the column is displayed.
const SHOWN: usize = 120;

impl Diagnostic {
    /// `error` or `warning`.
    #[must_use]
    pub fn level(&self) -> &'static str {
        if self.error { "error" } else { "warning" }
    }

    /// The location, `file:line:column`.
    #[must_use]
    pub fn location(&self) -> String {
        match self.line {
            0 => self.path.display().to_string(),
            line => format!("{}:{line}:{}", self.path.display(), self.column),
        }
    }

    /// The displayed line, and the underline.
    fn excerpt(&self) -> (String, String) {
        let column = (self.column as usize).saturating_sub(1).saturating_sub(self.skipped as usize);
        let first = if column + self.width as usize > SHOWN { column.saturating_sub(SHOWN / 3) } else { 0 };
        let mut line = String::new();
        let mut mark = String::new();
        let mut carets = String::new();
        for (at, c) in self.source.chars().enumerate().skip(first).take(SHOWN) {
            let c = if c == '\t' { ' ' } else { c };
            let start = line.len();
            // Writing to a string cannot fail.
            let _ = harmless(c, &mut line);
            let width: usize = line.get(start..).unwrap_or_default().chars().map(|c| c.width().unwrap_or(0)).sum();
            if at < column {
                mark.extend(std::iter::repeat_n(' ', width));
            } else if at < column + self.width as usize {
                carets.extend(std::iter::repeat_n('^', width));
            }
        }
        mark.push_str(if carets.is_empty() { "^" } else { &carets });
        (line, mark)
    }
}

/// The kind of a piece of a printed diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// File, line and column.
    SourceRange,
    /// `error` or `warning`, and the underline.
    Level,
    /// The problem and advice.
    Words,
    /// The line of the file.
    Source,
    /// Numbers and separators.
    Frame,
}

impl Diagnostic {
    /// The printed form in pieces, for programs that colour them. Escaped for terminals.
    #[must_use]
    pub fn pieces(&self) -> Vec<(Piece, String)> {
        let mut pieces = vec![
            (Piece::SourceRange, printable(&self.location())),
            (Piece::Frame, ": ".to_owned()),
            (Piece::Level, self.level().to_owned()),
            (Piece::Frame, ": ".to_owned()),
            (Piece::Words, printable(&self.message)),
        ];
        if self.line > 0 && !self.source.trim().is_empty() {
            let (line, mark) = self.excerpt();
            pieces.push((Piece::Frame, format!("\n{:5} | ", self.line)));
            pieces.push((Piece::Source, line));
            pieces.push((Piece::Frame, "\n      | ".to_owned()));
            pieces.push((Piece::Level, mark));
        }
        if let Some(help) = &self.help {
            pieces.push((Piece::Frame, "\n      = ".to_owned()));
            pieces.push((Piece::Words, wrapped(&printable(help))));
        }
        pieces
    }
}

impl fmt::Display for Diagnostic {
    /// Location, problem, underlined line, and advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

/// Wraps long text to a terminal's width, with indentation after the first line.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 72;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n        ")
}

/// Text escaped for a terminal.
fn printable(text: &str) -> String {
    let mut printable = String::new();
    // Writing to a string cannot fail.
    let _ = text.chars().try_for_each(|c| harmless(c, &mut printable));
    printable
}

/// Writes a character, escaped for a terminal.
fn harmless(c: char, to: &mut dyn Write) -> fmt::Result {
    if is_harmful(c) { write!(to, "{}", c.escape_unicode()) } else { to.write_char(c) }
}
