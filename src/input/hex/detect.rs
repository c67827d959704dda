//! Which dialect a text is in, told from its first line with data.

use super::array::Array;
use super::base64::Base64;
use super::digits::Digits;
use super::follow;
use super::literal::Literal;
use super::offsets::{self, Shape};
use super::scan::{after_marks, words};
use super::{Dialect, Fault, fault};

/// The lines before the first one with data.
#[derive(Default)]
pub(super) struct Preface {
    /// A line that is neither data nor a comment has been seen. Words may then look like hex by accident.
    prose: bool,
    /// The last of them ended with an open parenthesis, as a Python literal over several lines does.
    open: bool,
}

impl Preface {
    /// The dialect of this line, or `None` if it has no data.
    pub(super) fn dialect(&mut self, line: &[u8]) -> Result<Option<Dialect>, Fault> {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || after_marks(text) == text.len() {
            return Ok(None);
        }
        if offsets::is_octal(line) {
            return octal(line);
        }
        let found = match Shape::of(line) {
            Some(shape) => Some(if follow::fits(line) {
                Dialect::Follow(follow::Dump::default())
            } else {
                Dialect::Offsets(offsets::Dump::new(shape))
            }),
            None => Array::of(text).map(Dialect::Array).or_else(|| Literal::of(text, self.open).map(Dialect::Literal)),
        };
        if found.is_some() {
            return Ok(found);
        }
        self.open = text.ends_with(b"(");
        if self.prose {
            return Ok(None);
        }
        let bare = if looks_like_digits(text) {
            Some(Dialect::Digits(Digits))
        } else {
            Base64::fits(text).then(|| Dialect::Base64(Base64::default()))
        };
        self.prose = bare.is_none();
        Ok(bare)
    }
}

fn octal<T>(line: &[u8]) -> Result<T, Fault> {
    let at = words(line, 0).nth(1).map_or(0, |word| word.at);
    fault(at, "octal numbers, as `od` prints without options, are not read; use `od -Ax -tx1`, `hexdump -C` or `xxd`")
}

/// Whether nearly all of a line is hex digits. A few others are allowed, to be pointed at when the line is read.
fn looks_like_digits(text: &[u8]) -> bool {
    let text = text.get(after_marks(text)..).unwrap_or_default();
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let separators = text.iter().filter(|byte| byte.is_ascii_whitespace() || b":-,".contains(byte)).count();
    let others = text.len() - digits - separators;
    let counts = text.iter().any(u8::is_ascii_digit) || words(text, 0).all(|word| word.text.len() % 2 == 0);
    digits > 0 && others * 8 <= digits && counts
}
