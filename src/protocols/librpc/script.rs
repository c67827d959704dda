//! A message as a script has it: `FindPlayer(3).SetPos(Vector(-1, 2.5, 10))`.

use std::fmt::{self, Write};

/// The longest script that is written out.
const MAX_LEN: usize = 1 << 16;

/// Characters that a heading bears.
const BRIEF: usize = 240;

/// How a script has a value at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Value,
    /// Strings are names of the root table.
    Name,
    /// As a member of what stands before it.
    Key,
}

/// What is written so far.
#[derive(Default)]
pub(super) struct Script {
    text: String,
    is_full: bool,
}

impl Script {
    /// One that nobody looks at.
    pub(super) fn unwanted() -> Script {
        Script { text: String::new(), is_full: true }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// As much of it as a heading bears, and what tells that there is more.
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

    /// A string: a name, a member, or text in quotes.
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

/// Text in quotes, so that no other text is written alike.
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
