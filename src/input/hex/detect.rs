//! Detection of the text dialect from the first line with data.

use super::context::Context;
use super::dialects::{Found, found, some};
use super::head::Head;
use super::offsets::Shape;
use super::preface::Preface;
use super::rows::Rows;
use super::scan::all_hex;
use super::sides::{self, Sides};
use super::suspicion::{is_above, octal};
use super::{Fault, asm, bars, fault, follow, offsets, table};

impl Preface {
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
        if let Some(fault) = bars::fault_of(context.line) {
            self.fault.get_or_insert((self.lines, fault));
            return Ok(None);
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
}

impl Preface {
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
}
