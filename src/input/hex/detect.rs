//! Detection of the text dialect from the first line with data.

use super::base64::Base64;
use super::digits::{self, Digits};
use super::list::List;
use super::literal::Literal;
use super::log::Log;
use super::marks::Marks;
use super::offsets::{self, Shape};
use super::ruler::{RULER, is_ruler};
use super::scan::{Word, after_marks, all_hex, words};
use super::sides::{self, Sides};
use super::{Dialect, Fault, asm, bare_ip, fault, follow, percent, yaml};
use crate::input::InputFormat;

/// The lines before the first line with data.
#[derive(Default)]
pub(super) struct Preface {
    /// Whether prose was found, in which words may look like hex.
    prose: bool,
    /// Whether the last line ended with an open parenthesis, as in a Python literal over several lines.
    open: bool,
    /// The brace at the end of the last line, after which a list may begin.
    brace: Option<u8>,
    /// A line that is a ruler above a dump, or else bytes.
    pub(super) ruler: Vec<u8>,
    /// Whether a ruler was found. Follow Stream has none.
    ruled: bool,
    /// Whether tshark announced a conversation as lines of digits.
    announced: bool,
    /// Whether it consists of datagrams.
    pub(super) datagrams: bool,
    /// Whether a line resembles a row of a dump, but is invalid.
    suspect: bool,
    /// Number of lines.
    lines: u64,
    /// The first line that may be malformed bytes of a log; an error if no other line has data.
    pub(super) fault: Option<(u64, Fault)>,
    /// Marks of the first packet.
    pub(super) marks: Marks,
    /// Whether tcpdump's line above a packet contains `IP`.
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
        self.lines += 1;
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
        if let Some(found) = self.conversation(line, text)? {
            return Ok(Some(found));
        }
        if self.announced && all_hex(text) {
            return Ok(Some(Dialect::Sides(Sides::default())));
        }
        self.ruled |= is_ruler(line) || !self.ruler.is_empty();
        if is_ruler(line) || offsets::is_prompt(text) {
            return Ok(None);
        }
        if offsets::is_octal(line) {
            return octal(line);
        }
        if asm::fits(line) && self.suspect {
            return fault(0, "the listing begins here, and a line above looks like one of it that is damaged");
        }
        if asm::fits(line) {
            return Ok(Some(Dialect::Asm(asm::Asm::default())));
        }
        let brace = std::mem::take(&mut self.brace);
        let found = match Shape::of(line) {
            Some(_) if self.wanted.is_none() && !self.ruled && follow::fits(line) => {
                Some(Dialect::Follow(follow::Dump::default()))
            }
            Some(shape) => self.dump(line, shape)?,
            // A brace in the text column of a malformed row does not begin a list.
            None if looks_like_a_row(before_brace(line)) => None,
            None => List::of(text, brace).map(Dialect::List).or_else(|| Literal::of(text, self.open).map(Dialect::Literal)),
        };
        if found.is_some() {
            return Ok(found);
        }
        self.open = text.ends_with(b"(");
        self.brace = List::opened(text);
        self.suspect |= looks_like_a_row(line) || asm::is_like(line);
        let found = self.loose(line, text)?;
        self.prose |= found.is_none() && self.brace.is_none_or(|_| text.len() > 1);
        Ok(found)
    }

    /// The text of a whole conversation, and lines that announce one.
    fn conversation(&mut self, line: &[u8], text: &[u8]) -> Result<Option<Dialect>, Fault> {
        if yaml::fits(line) {
            return Ok(Some(Dialect::Yaml(Box::default())));
        }
        if text.strip_prefix(b"Follow: ").is_some_and(|kind| kind.ends_with(b",ascii") || kind.ends_with(b",ebcdic")) {
            return fault(0, "this form of Follow Stream has lost bytes; use raw, hex or yaml");
        }
        if let Some(datagrams) = sides::announced(text) {
            (self.announced, self.datagrams) = (true, datagrams);
        } else if text.starts_with(b"Follow: udp,") {
            self.datagrams = true;
        }
        Ok(None)
    }

    /// Bytes without any marks except their digits.
    fn loose(&mut self, line: &[u8], text: &[u8]) -> Result<Option<Dialect>, Fault> {
        let digits = || Ok(Some(Dialect::Digits(Digits::default())));
        if !self.prose && (looks_like_digits(text, 0) && digits::fits(line) || digits::has_text(line)) {
            return digits();
        }
        if !self.prose && Base64::fits(text) {
            return Ok(Some(Dialect::Base64(Base64::default())));
        }
        if percent::fits(text) {
            return Ok(Some(Dialect::Percent));
        }
        match Log::fits(line) {
            // An error above would be lost.
            Ok(true) if self.fault.is_some() => Ok(None),
            Ok(true) => Ok(Some(Dialect::Log(Log::default()))),
            // A few invalid characters are reported when the line is parsed.
            _ if !self.prose && looks_like_digits(text, 8) => digits(),
            Ok(false) => {
                let near = asm::fault_of(line).or_else(|| List::fault_of(text)).or_else(|| percent::fault_of(text));
                let near = near.or_else(|| digits::fault_of(line).filter(|_| !self.prose && looks_like_digits(text, 3)));
                let lines = self.lines;
                self.fault = self.fault.take().or_else(|| near.map(|fault| (lines, fault)));
                Ok(None)
            }
            Err(fault) => {
                self.fault.get_or_insert((self.lines, fault));
                Ok(None)
            }
        }
    }

    /// Stores a line that is a ruler if a dump follows, and bytes otherwise.
    pub(super) fn defer(&mut self, line: &[u8]) -> bool {
        let numbers = words(line, 0).map(|word| word.text);
        let is_count = numbers.enumerate().all(|(at, text)| text.eq_ignore_ascii_case(format!("{at:02x}").as_bytes()));
        let is_wide = words(line, 0).count() >= RULER;
        if is_count && is_wide && line.first().is_some_and(u8::is_ascii_whitespace) && self.ruler.is_empty() {
            self.ruler = line.to_vec();
            self.lines += 1;
            return true;
        }
        false
    }
}

impl Preface {
    /// A dump may begin at any offset, but then the line must be unambiguous.
    fn dump(&mut self, line: &[u8], shape: Shape) -> Result<Option<Dialect>, Fault> {
        let dialect = Dialect::Offsets(Box::new(offsets::Dump::new(shape, self.ip_announced)));
        let Some(base) = offsets::base(line).filter(|base| *base > 0) else { return Ok(Some(dialect)) };
        if !offsets::reads(line, shape) && !self.ruled {
            self.suspect = true;
            let lines = self.lines;
            self.fault = self.fault.take().or_else(|| offsets::fault_of(line, shape).map(|fault| (lines, fault)));
            return Ok(None);
        }
        if self.suspect {
            return fault(
                0,
                format!("the dump begins at offset {base:#x}, and a line above looks like one of it that is damaged"),
            );
        }
        Ok(Some(dialect))
    }
}

/// Whether a line may be a malformed row: groups of digits after one word, or after two.
fn looks_like_a_row(line: &[u8]) -> bool {
    let from = after_marks(line);
    let group = |word: &Word<'_>| {
        let digits = word.text.strip_prefix(b"0x").unwrap_or(word.text);
        let behind_tab = line.get(word.at.wrapping_sub(1)) == Some(&b'\t');
        matches!(digits.len(), 2 | 4 | 8 | 16) && all_hex(digits) || behind_tab && offsets::decimal(word.text).is_some()
    };
    [1, 2].into_iter().any(|skip| words(line, from).skip(skip).filter(group).count() >= 3)
}

fn before_brace(line: &[u8]) -> &[u8] {
    line.split(|byte| matches!(byte, b'{' | b'[' | b'<')).next().filter(|head| head.len() < line.len()).unwrap_or_default()
}

fn octal<T>(line: &[u8]) -> Result<T, Fault> {
    let at = words(line, 0).nth(1).map_or(0, |word| word.at);
    fault(at, "octal numbers, as `od` prints without options, are not read; use `od -Ax -tx1`, `hexdump -C` or `xxd`")
}

/// Whether a line consists of hex digits, except one character in this many.
fn looks_like_digits(text: &[u8], one_in: usize) -> bool {
    let text = text.get(after_marks(text)..).unwrap_or_default();
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let separators = text.iter().filter(|byte| byte.is_ascii_whitespace() || b":-,._".contains(byte)).count();
    let others = text.len() - digits - separators;
    let counts = text.iter().any(u8::is_ascii_digit) || words(text, 0).all(|word| word.text.len() % 2 == 0);
    let few = if one_in == 0 { others == 0 } else { others * one_in <= digits };
    digits > 0 && few && counts
}
