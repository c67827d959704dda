//! Detection of the text dialect from the first line with data.

use super::array::Array;
use super::bare_ip;
use super::base64::Base64;
use super::digits::Digits;
use super::follow;
use super::literal::Literal;
use super::marks::Marks;
use super::offsets::{self, Shape};
use super::scan::{after_marks, all_hex, words};
use super::{Dialect, Fault, fault};
use crate::input::InputFormat;

/// The lines before the first one with data.
#[derive(Default)]
pub(super) struct Preface {
    /// A line that is neither data nor a comment has been seen. Words may then look like hex by accident.
    prose: bool,
    /// The last of them ended with an open parenthesis, as a Python literal over several lines does.
    open: bool,
    /// One of them looks like a line of a dump, but cannot be read as one.
    suspect: bool,
    /// What they say of the first packet.
    pub(super) marks: Marks,
    /// tcpdump's line above a packet calls it IP.
    pub(super) ip_announced: bool,
    wanted: Option<InputFormat>,
}

impl Preface {
    pub(super) fn new(wanted: Option<InputFormat>) -> Preface {
        Preface { wanted, ..Preface::default() }
    }

    /// The dialect of this line, or `None` if it has no data.
    pub(super) fn dialect(&mut self, line: &[u8]) -> Result<Option<Dialect>, Fault> {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            return Ok(None);
        }
        if self.wanted == Some(InputFormat::Follow) {
            return Ok(follow::is_row(line).then(|| Dialect::Follow(follow::Dump::default())));
        }
        let found = self.look(line, text)?;
        if found.is_none() {
            self.marks.add(Marks::of_prose(line));
            self.ip_announced |= bare_ip::announces_ip(line);
        }
        Ok(found)
    }

    fn look(&mut self, line: &[u8], text: &[u8]) -> Result<Option<Dialect>, Fault> {
        if after_marks(text) == text.len() {
            return Ok(None);
        }
        if offsets::is_octal(line) {
            return octal(line);
        }
        let found = match Shape::of(line) {
            Some(_) if self.wanted.is_none() && follow::fits(line) => Some(Dialect::Follow(follow::Dump::default())),
            Some(shape) => self.dump(line, shape)?,
            None => Array::of(text).map(Dialect::Array).or_else(|| Literal::of(text, self.open).map(Dialect::Literal)),
        };
        if found.is_some() {
            return Ok(found);
        }
        self.open = text.ends_with(b"(");
        self.suspect |= looks_like_a_row(line);
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

impl Preface {
    /// A dump may begin at any offset, but then the line has to be one of a dump without doubt.
    fn dump(&self, line: &[u8], shape: Shape) -> Result<Option<Dialect>, Fault> {
        let dialect = || Dialect::Offsets(offsets::Dump::new(shape, self.ip_announced));
        let Some(base) = offsets::base(line).filter(|base| *base > 0) else { return Ok(Some(dialect())) };
        if !offsets::reads(line, shape) {
            return Ok(None);
        }
        if self.suspect {
            return fault(
                0,
                format!("the dump begins at offset {base:#x}, and a line above looks like one of it that is damaged"),
            );
        }
        Ok(Some(dialect()))
    }
}

/// Whether a line that is none of a dump was perhaps meant to be: groups of hex digits behind one word.
fn looks_like_a_row(line: &[u8]) -> bool {
    let group = |text: &[u8]| matches!(text.len(), 2 | 4) && all_hex(text);
    words(line, after_marks(line)).skip(1).take(3).filter(|word| group(word.text)).count() == 3
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
