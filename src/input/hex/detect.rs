//! Detection of the text dialect from the first line with data.

use super::base64::Base64;
use super::dialect::Context;
use super::dialects::{Found, found, some};
use super::digits::Digits;
use super::head::Head;
use super::list::List;
use super::log::Log;
use super::offsets::Shape;
use super::preface::Preface;
use super::rows::Rows;
use super::sides;
use super::suspicion::{is_above, is_above_a_dump, looks_like_digits};
use super::{Fault, asm, bars, digits, fault, follow, offsets, percent, table};

impl Preface {
    /// An assembler listing.
    pub(super) fn listing(&mut self, context: &Context<'_>) -> Found {
        if self.suspect {
            return fault(0, "the listing begins here, and a line above looks like one of it that is damaged");
        }
        some(asm::Asm { big: context.big, next: None })
    }

    /// A dump, or a conversation as a dump.
    pub(super) fn offsets(&mut self, context: &Context<'_>) -> Found {
        offsets::refuse_octal(context.line)?;
        match Shape::of(context.line) {
            Some(_) if self.wanted.is_none() && !self.ruled && follow::fits(context.line) => some(follow::Dump::default()),
            Some(shape) => self.dump(context, shape),
            None => Ok(None),
        }
    }

    /// A dump may begin at any offset, but then the line must be unambiguous.
    fn dump(&mut self, context: &Context<'_>, shape: Shape) -> Found {
        let line = context.line;
        let dump = offsets::Dump::new(shape, self.ip_announced, context.big);
        let Some(base) = offsets::base(line).filter(|base| *base > 0) else { return some(dump) };
        let read = offsets::reads(line, shape);
        if !self.ruled && !matches!(read, Ok(true)) {
            self.suspect = true;
            return self.pass(read.err());
        }
        self.excerpt(base, &offsets::head(line))?;
        some(dump)
    }

    /// A dump behind a prefix.
    pub(super) fn rows(&mut self, context: &Context<'_>) -> Found {
        let rows = Rows::of(context.line, context.ahead(), context.big);
        if let Some(rows) = &rows {
            self.excerpt(rows.base, &rows.head)?;
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
        if let Some(fault) = bars::fault_of(context.line) {
            return self.pass(Some(fault));
        }
        match self.fault.take() {
            Some((_, Fault { what, .. })) if bars::is_row(context.line) => {
                fault(0, format!("a row above this one is damaged: {what}"))
            }
            fault => {
                self.fault = fault;
                found(bars::is_row(context.line).then(table::Table::default))
            }
        }
    }

    /// Lines of tshark above a conversation.
    pub(super) fn announcements(&mut self, text: &[u8]) -> Result<(), Fault> {
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

    /// Passes over a line without data. The first fault is an error if no other line has data.
    fn pass(&mut self, fault: Option<Fault>) -> Found {
        let line = self.lines;
        self.fault = self.fault.take().or(fault.map(|fault| (line, fault)));
        Ok(None)
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
                self.pass(near)
            }
            Err(fault) => self.pass(Some(fault)),
        }
    }
}
