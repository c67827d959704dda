//! Detection of the text dialect from the first line with data.

use super::base64::Base64;
use super::dialects::{DIALECTS, Found, found, some};
use super::digits::{self, Digits};
use super::head::Head;
use super::list::List;
use super::log::{self, Log};
use super::marks::Marks;
use super::offsets::{self, Shape};
use super::percent::{self, Percent};
use super::rows::Rows;
use super::ruler::{RULER, is_ruler};
use super::scan::{Word, after_marks, all_hex, is_pair, words};
use super::sides::{self, Sides};
use super::{Fault, asm, bare_ip, fault, follow, table};
use crate::input::InputFormat;
use std::cell::OnceCell;

/// Bytes of a row of a dump.
const WIDTHS: [u64; 5] = [16, 8, 32, 4, 12];

/// A line that may be the first one with data.
pub(super) struct Context<'a> {
    pub(super) line: &'a [u8],
    /// The line without blanks around it.
    pub(super) text: &'a [u8],
    /// Whether the first byte of a number is its highest one.
    pub(super) big: bool,
    pub(super) following: &'a dyn Fn() -> Vec<Vec<u8>>,
    pub(super) lines: OnceCell<Vec<Vec<u8>>>,
}

impl Context<'_> {
    /// Some lines after it; waits for them.
    pub(super) fn ahead(&self) -> &[Vec<u8>] {
        self.lines.get_or_init(self.following)
    }
}

/// The lines before the first line with data.
#[derive(Default)]
pub(super) struct Preface {
    /// Whether prose was found, in which words may look like hex.
    prose: bool,
    /// Whether the last line ended with an open parenthesis, as in a Python literal over several lines.
    pub(super) open: bool,
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
    /// The last line with text.
    last: Vec<u8>,
    /// Number of lines.
    lines: u64,
    /// The first line that may be malformed bytes of a log; an error if no other line has data.
    pub(super) fault: Option<(u64, Fault)>,
    /// Marks of the first packet of a dump, and of other dialects.
    pub(super) marks: Marks,
    pub(super) heading: Marks,
    /// Number of bytes that the last line announced.
    pub(super) count: Option<usize>,
    /// Whether tcpdump's line above a packet contains `IP`.
    ip_announced: bool,
    /// Name of the dialect.
    pub(super) name: &'static str,
    wanted: Option<InputFormat>,
}

impl Preface {
    pub(super) fn new(wanted: Option<InputFormat>) -> Preface {
        Preface { wanted, ..Preface::default() }
    }

    /// The dialect of this line, or `None` if it has no data.
    pub(super) fn dialect(&mut self, context: &Context<'_>) -> Found {
        self.lines += 1;
        if context.text.is_empty() || log::is_comment(context.text) {
            return Ok(None);
        }
        if self.wanted == Some(InputFormat::Follow) {
            return found(follow::is_row(context.line).then(follow::Dump::default));
        }
        let dialect = self.examine(context)?;
        if dialect.is_none() {
            self.last.clear();
            self.last.extend_from_slice(context.line);
            self.marks.add(Marks::of_prose(context.line));
            self.heading.add(log::heading(context.line));
            self.count = log::count(context.line).or(self.count);
            self.ip_announced |= bare_ip::announces_ip(context.line);
        }
        Ok(dialect)
    }

    fn examine(&mut self, context: &Context<'_>) -> Found {
        let Context { line, text, .. } = *context;
        if after_marks(text) == text.len() {
            return Ok(None);
        }
        self.announcements(text)?;
        self.ruled |= is_ruler(line) || !self.ruler.is_empty();
        if is_ruler(line) || offsets::is_prompt(text) {
            return Ok(None);
        }
        for known in DIALECTS {
            if let Some(found) = (known.detect)(self, context)? {
                self.name = known.name;
                return Ok(Some(found));
            }
        }
        self.open = text.ends_with(b"(");
        self.brace = List::opened(text);
        self.suspect |= looks_like_a_row(line) || asm::is_like(line);
        self.prose |= self.brace.is_none_or(|_| text.len() > 1);
        Ok(None)
    }

    /// Lines of tshark above a conversation.
    fn announcements(&mut self, text: &[u8]) -> Result<(), Fault> {
        if text.strip_prefix(b"Follow: ").is_some_and(|kind| kind.ends_with(b",ascii") || kind.ends_with(b",ebcdic")) {
            return fault(0, "this form of Follow Stream has lost bytes; use raw, hex or yaml");
        }
        if let Some(datagrams) = sides::announced(text) {
            (self.announced, self.datagrams) = (true, datagrams);
        } else if text.starts_with(b"Follow: udp,") {
            self.datagrams = true;
        }
        Ok(())
    }

    /// Lines of digits that tshark announced as a conversation.
    pub(super) fn sides(&mut self, context: &Context<'_>) -> Found {
        found((self.announced && all_hex(context.text)).then(Sides::default))
    }

    /// An assembler listing.
    pub(super) fn listing(&mut self, context: &Context<'_>) -> Found {
        if self.suspect {
            return fault(0, "the listing begins here, and a line above looks like one of it that is damaged");
        }
        some(asm::Asm::new(context.big))
    }

    /// A dump, or a conversation as a dump.
    pub(super) fn offsets(&mut self, context: &Context<'_>) -> Found {
        if offsets::is_octal(context.line) {
            return octal(context.line);
        }
        match Shape::of(context.line) {
            Some(_) if self.wanted.is_none() && !self.ruled && follow::fits(context.line) => some(follow::Dump::default()),
            Some(shape) => self.dump(context, shape),
            None => Ok(None),
        }
    }

    /// The brace before a list.
    pub(super) fn take_brace(&mut self) -> Option<u8> {
        self.brace.take()
    }

    /// A brace or a quote in the text column of a row does not begin a list or a literal.
    pub(super) fn is_row_like(&self, context: &Context<'_>) -> bool {
        looks_like_a_row(&before_opener(context.line))
    }

    /// Bare digits, also with a text column.
    pub(super) fn digits(&mut self, context: &Context<'_>) -> Found {
        let fits =
            !self.prose && (looks_like_digits(context.text, 0) && digits::fits(context.line) || digits::has_text(context.line));
        found(fits.then(Digits::default))
    }

    pub(super) fn base64(&mut self, context: &Context<'_>) -> Found {
        let data = Base64::without_scheme(context.text);
        let is_uri = data.len() < context.text.len() && data.iter().all(Base64::is_part);
        let fits = is_uri || !self.prose && Base64::fits(data);
        found(fits.then(Base64::of_lines))
    }

    pub(super) fn percent(&mut self, context: &Context<'_>) -> Found {
        found(percent::fits(context.text).then_some(Percent))
    }

    /// Bytes inside a line; else digits with a few invalid characters, which are reported when the line is parsed.
    pub(super) fn log(&mut self, context: &Context<'_>) -> Found {
        let Context { line, text, .. } = *context;
        match Log::fits(line) {
            // An error above would be lost.
            Ok(true) if self.fault.is_some() => Ok(None),
            Ok(true) if is_above_a_dump(context) => {
                self.suspect = true;
                Ok(None)
            }
            Ok(true) => some(Log::after(self.count)),
            _ if !self.prose && looks_like_digits(text, 8) => some(Digits::default()),
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

    /// A dump may begin at any offset, but then the line must be unambiguous.
    fn dump(&mut self, context: &Context<'_>, shape: Shape) -> Found {
        let line = context.line;
        let dump = offsets::Dump::new(shape, self.ip_announced).with_order(context.big);
        let Some(base) = offsets::base(line).filter(|base| *base > 0) else { return some(dump) };
        if !offsets::reads(line, shape) && !self.ruled {
            self.suspect = true;
            let lines = self.lines;
            self.fault = self.fault.take().or_else(|| offsets::fault_of(line, shape).map(|fault| (lines, fault)));
            return Ok(None);
        }
        self.excerpt(base, &offsets::head(line))?;
        some(dump)
    }

    /// A dump behind a prefix.
    pub(super) fn rows(&mut self, context: &Context<'_>) -> Found {
        let rows = Rows::of(context.line, context.ahead(), context.big);
        if let Some(rows) = &rows {
            self.excerpt(rows.base(), rows.head())?;
        }
        found(rows)
    }

    /// Checks that no line above may be the damaged first row of a dump that begins at this offset.
    fn excerpt(&self, base: u64, head: &Head) -> Result<(), Fault> {
        if base > 0 && (self.suspect || is_above(&self.last, base, head)) {
            let what = "and a line above looks like one of it that is damaged";
            return fault(0, format!("the dump begins at offset {base:#x}, {what}"));
        }
        Ok(())
    }

    /// A table with bars. A damaged row above it would be lost.
    pub(super) fn table(&mut self, context: &Context<'_>) -> Found {
        if let Some(fault) = table::fault_of(context.line) {
            self.fault.get_or_insert((self.lines, fault));
            return Ok(None);
        }
        match self.fault.take() {
            Some((_, Fault { what, .. })) if table::is_row(context.line) => {
                fault(0, format!("a row above this one is damaged: {what}"))
            }
            fault => {
                self.fault = fault;
                found(table::is_row(context.line).then(table::Table::default))
            }
        }
    }
}
/// Whether a line looks like the damaged first row of the dump below it.
fn is_above_a_dump(context: &Context<'_>) -> bool {
    let Some((next, ahead)) = context.ahead().split_first() else { return false };
    let rows = || Rows::of(next, ahead, context.big).is_some_and(|rows| is_above(context.line, rows.base(), rows.head()));
    Shape::of(next).is_some() && offsets::base(next).is_some_and(|base| is_above(context.line, base, &offsets::head(next)))
        || rows()
}

/// Whether a line looks like the row above one with this head and offset.
fn is_above(line: &[u8], base: u64, head: &Head) -> bool {
    WIDTHS.iter().filter_map(|width| base.checked_sub(*width)).any(|above| head.resembles(line, above))
}

/// Whether a line may be a malformed row: groups of digits after one word, or after two.
fn looks_like_a_row(line: &[u8]) -> bool {
    let from = after_marks(line);
    let group = |word: &Word<'_>| {
        let digits = word.text.strip_prefix(b"0x").unwrap_or(word.text);
        let behind_tab = line.get(word.at.wrapping_sub(1)) == Some(&b'\t');
        matches!(digits.len(), 2 | 4 | 8 | 16) && all_hex(digits) || behind_tab && offsets::decimal(word.text).is_some()
    };
    let pairs = || words(line, from).filter(|word| is_pair(word.text)).count() >= 6;
    [1, 2].into_iter().any(|skip| words(line, from).skip(skip).filter(group).count() >= 3) || pairs()
}

/// The text before the last brace or quote, without what stands in brackets, such as the time of a log.
fn before_opener(line: &[u8]) -> Vec<u8> {
    let (mut text, mut open, mut last) = (Vec::new(), Vec::new(), 0);
    for byte in line.iter().copied() {
        let closed = |(_, opener): &(usize, u8)| matches!((*opener, byte), (b'[', b']') | (b'{', b'}') | (b'<', b'>'));
        match byte {
            b'{' | b'[' | b'<' => {
                last = text.len();
                open.push((last, byte));
            }
            b'\'' | b'"' => last = text.len(),
            _ => {}
        }
        text.push(byte);
        if let Some((start, _)) = open.pop_if(|opener| closed(opener)) {
            text.truncate(start);
        }
    }
    text.truncate(last);
    text
}

fn octal<T>(line: &[u8]) -> Result<T, Fault> {
    let at = words(line, 0).nth(1).map_or(0, |word| word.at);
    fault(at, "octal numbers, as `od` prints without options, are not read; use `od -Ax -tx1`, `hexdump -C` or `xxd`")
}

/// Whether a line consists of hex digits, except one character in this many.
fn looks_like_digits(text: &[u8], one_in: usize) -> bool {
    let text = text.get(after_marks(text)..).unwrap_or_default();
    let digits = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let separators = text.iter().filter(|byte| byte.is_ascii_whitespace() || b":-,._;|".contains(byte)).count();
    let others = text.len() - digits - separators;
    let counts = text.iter().any(u8::is_ascii_digit) || words(text, 0).all(|word| word.text.len() % 2 == 0);
    let few = if one_in == 0 { others == 0 } else { others * one_in <= digits };
    digits > 0 && few && counts
}
