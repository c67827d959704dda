//! The lines before the first line with data.

use super::dialect::Context;
use super::dialects::{DIALECTS, Found, found};
use super::list::List;
use super::marks::Marks;
use super::scan::{after_marks, words};
use super::suspicion::{RULER, before_opener, is_ruler, looks_like_a_row};
use super::{Fault, asm, bare_ip, follow, log, offsets};
use crate::input::InputFormat;

/// The lines before the first line with data.
#[derive(Default)]
pub(super) struct Preface {
    /// Whether prose was found, in which words may look like hex.
    pub(super) prose: bool,
    /// Whether the last line ended with an open parenthesis, as in a Python literal over several lines.
    pub(super) open: bool,
    /// The brace at the end of the last line, after which a list may begin.
    pub(super) brace: Option<u8>,
    /// A line that is a ruler above a dump, or else bytes.
    pub(super) ruler: Vec<u8>,
    /// Whether a ruler was found. Follow Stream has none.
    pub(super) ruled: bool,
    /// Whether tshark announced a conversation as lines of digits.
    pub(super) announced: bool,
    /// Whether it consists of datagrams.
    pub(super) datagrams: bool,
    /// Whether a line resembles a row of a dump, but is invalid.
    pub(super) suspect: bool,
    /// Start of the first line with text.
    pub(super) start: Vec<u8>,
    /// The last line with text.
    pub(super) last: Vec<u8>,
    /// Number of lines.
    pub(super) lines: u64,
    /// The first line that may be malformed bytes of a log; an error if no other line has data.
    pub(super) fault: Option<(u64, Fault)>,
    /// Marks of the first packet of a dump, and of other dialects.
    pub(super) marks: Marks,
    pub(super) heading: Marks,
    /// Number of bytes that the last line announced.
    pub(super) count: Option<usize>,
    /// Whether tcpdump's line above a packet contains `IP`.
    pub(super) ip_announced: bool,
    /// Name of the dialect.
    pub(super) name: &'static str,
    pub(super) wanted: Option<InputFormat>,
}

impl Preface {
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

    pub(super) fn examine(&mut self, context: &Context<'_>) -> Found {
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

    /// A brace or a quote in the text column of a row does not begin a list or a literal.
    pub(super) fn is_row_like(&self, context: &Context<'_>) -> bool {
        looks_like_a_row(&before_opener(context.line))
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
