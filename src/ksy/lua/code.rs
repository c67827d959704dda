//! Writes Lua: lines with indentation, comments and literals.

use crate::tree::is_harmful;
use std::fmt::Write;

/// Reserved words of Lua.
const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
    "repeat", "return", "then", "true", "until", "while",
];

/// Maximum width of a comment.
const WIDTH: usize = 110;

/// Lines of Lua.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
    depth: usize,
}

impl Code {
    /// Creates code at this depth of blocks.
    pub(super) fn at(depth: usize) -> Code {
        Code { text: String::new(), depth }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Adds a line that begins a block.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// Adds a line that ends a block.
    pub(super) fn close(&mut self, line: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Ends a block that the next line closes, such as `elseif`.
    pub(super) fn close_without_line(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Indents by one level.
    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    /// Adds text as wrapped comments. Control characters cannot end the comment.
    pub(super) fn comment(&mut self, text: &str) {
        let mut line = String::from("--");
        for word in harmless(text) {
            if line.len() > 2 && line.len() + word.len() > WIDTH {
                self.line(&line);
                line = String::from("--");
            }
            line.push(' ');
            line.push_str(&word);
        }
        if line.len() > 2 {
            self.line(&line);
        }
    }

    /// Adds code written for the same depth.
    pub(super) fn append(&mut self, other: &Code) {
        self.text.push_str(&other.text);
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// A literal of text or bytes.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(*byte));
            }
            b' '..=b'~' => literal.push(char::from(*byte)),
            // A following digit would belong to a short escape.
            _ if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => drop(write!(literal, "\\{byte:03}")),
            _ => drop(write!(literal, "\\{byte}")),
        }
    }
    literal.push('"');
    literal
}

/// The words of a text without control characters. Characters that reverse the text of an editor are spelled out.
fn harmless(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.map(|word| {
        let mut spelt = String::new();
        for character in word.chars() {
            if is_harmful(character) { spelt.extend(character.escape_unicode()) } else { spelt.push(character) }
        }
        spelt
    })
}

/// A literal of readable text: characters are not escaped.
pub(super) fn words(text: &str) -> String {
    let clean: Vec<String> = harmless(text).collect();
    format!("\"{}\"", clean.join(" ").replace('\\', "\\\\").replace('"', "\\\""))
}

/// A member of a table by name.
pub(super) fn member(table: &str, name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{table}[\"{name}\"]") } else { format!("{table}.{name}") }
}

/// The head of a function that is a member of a table. Lua's short form accepts identifiers only.
pub(super) fn function(place: &str, parameters: &str) -> String {
    if place.contains('[') { format!("{place} = function({parameters})") } else { format!("function {place}({parameters})") }
}

/// A key of a table constructor.
pub(super) fn key(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("[\"{name}\"]") } else { name.to_owned() }
}

/// An expression without enclosing parentheses.
pub(super) fn bare(expr: &str) -> &str {
    let Some(inner) = expr.strip_prefix('(').and_then(|expr| expr.strip_suffix(')')) else { return expr };
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for c in inner.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            '(' if !in_text => depth += 1,
            ')' if !in_text => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return expr,
            },
            _ => {}
        }
    }
    inner
}
