//! Script form of a message: `FindPlayer(3).SetPos(Vector(-1, 2.5, 10))`.

use std::fmt::{self, Write};

/// Maximum length of the script form.
const MAX_LEN: usize = 1 << 16;

/// Maximum characters in a heading.
const BRIEF: usize = 240;

/// Syntactic position of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Operand.
    Value,
    /// Root table name; strings are written as names.
    Name,
    /// Member of the preceding expression.
    Key,
}

/// Script form under construction.
#[derive(Default)]
pub(super) struct Script {
    text: String,
    is_full: bool,
}

impl Script {
    /// Script form that is not requested.
    pub(super) fn unwanted() -> Script {
        Script { text: String::new(), is_full: true }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Truncated form for a heading, and an ellipsis if needed.
    pub(super) fn brief(&self) -> (&str, &'static str) {
        let shown = self.text.char_indices().nth(BRIEF).and_then(|(end, _)| self.text.get(..end));
        shown.map_or((&self.text, ""), |shown| (shown, "…"))
    }

    pub(super) fn push(&mut self, words: &str) {
        if !self.is_full {
            self.text.push_str(words);
            self.limit();
        }
    }

    pub(super) fn write(&mut self, words: fmt::Arguments<'_>) {
        if !self.is_full {
            // Writing to a String does not fail.
            let _ = self.text.write_fmt(words);
            self.limit();
        }
    }

    fn limit(&mut self) {
        if self.text.len() > MAX_LEN {
            let end = (0..=MAX_LEN).rev().find(|end| self.text.is_char_boundary(*end)).unwrap_or_default();
            self.text.truncate(end);
            self.text.push('…');
            self.is_full = true;
        }
    }

    /// Writes a string as a name, a member or quoted text.
    pub(super) fn string(&mut self, bytes: &[u8], form: Form) {
        match form {
            Form::Name => self.write(format_args!("{}", String::from_utf8_lossy(bytes))),
            Form::Key if is_identifier(bytes) => self.write(format_args!(".{}", String::from_utf8_lossy(bytes))),
            Form::Key => self.write(format_args!("[{}]", Quoted(bytes))),
            Form::Value => self.write(format_args!("{}", Quoted(bytes))),
        }
    }
}

fn is_identifier(name: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.first().is_some_and(is_letter) && name.iter().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// Quoted text, unambiguously escaped.
pub(super) struct Quoted<'a>(pub &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for chunk in self.0.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '"' | '\\' => write!(f, "\\{character}")?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\t' => f.write_str("\\t")?,
                    '\0'..='\x1f' | '\x7f' => write!(f, "\\x{:02x}", u32::from(character))?,
                    _ => f.write_char(character)?,
                }
            }
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        f.write_char('"')
    }
}
