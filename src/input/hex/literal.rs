//! Bytes as string literals of a programming language: `"\x23\x00"`, `b'#\x00'`, or escapes without quotes. Adjacent literals are
//! one packet, up to a `;`; a line of Python bytes outside of parentheses is a separate packet.

use super::escapes::{Printable, escape, escapes_between_text, is_bare, is_call, is_prefix, python_literal, unquoted};
use super::numbers::repeats;
use super::scan::{all_hex, pair};
use super::{Dialect, Fault, Fed, Feed, Packet, fault};

pub(super) struct Literal {
    /// Escapes without quotes.
    bare: bool,
    /// Whether literals have the prefix `b` of Python.
    python: bool,
    quote: Option<u8>,
    /// Whether the text between these quotes is no literal of bytes.
    skips: bool,
    parentheses: usize,
    printable: Printable,
}

impl Literal {
    /// A literal that begins in this line; `open` if the previous line left a parenthesis open.
    pub(super) fn of(text: &[u8], open: bool) -> Option<Literal> {
        let python = python_literal(text);
        let escape = text.windows(4).any(|at| match at {
            [b'\\', b'x', digits @ ..] => pair(digits).is_some(),
            [b'\\', b'u', b'0', b'0'] => true,
            _ => false,
        });
        // Octal escapes of one digit are ambiguous.
        let octal = text.windows(2).filter(|at| matches!(at, [b'\\', b'0'..=b'7'])).count() > 1 && text.contains(&b'"');
        if !python && !escape && !octal {
            return None;
        }
        let bare = is_bare(text);
        // One `\x` before all digits, as PostgreSQL writes bytes.
        if bare && text.len() > 4 && all_hex(text.get(2..).unwrap_or_default()) {
            return None;
        }
        Some(Literal { bare, python, quote: None, skips: false, parentheses: usize::from(open), printable: Printable::default() })
    }

    /// A character between literals.
    fn outside(&mut self, byte: u8, at: usize) -> Result<(), Fault> {
        match byte {
            b'"' | b'\'' => self.quote = Some(byte),
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            _ if self.bare && !byte.is_ascii_whitespace() && !matches!(byte, b',' | b'\\') => {
                return fault(at, format!("`{}` between escapes; expected \\x and two hex digits", byte.escape_ascii()));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Dialect for Literal {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let text = line.trim_ascii_end();
        if self.bare && !self.printable.is_in(text) && escapes_between_text(text) {
            return unquoted(text, packet);
        }
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            at += match (self.quote, rest) {
                (None, [b';', ..]) if !packet.is_empty() => return Ok(Fed::Complete(at + 1)),
                (None, [b'#', ..] | [b'/', b'/', ..]) => break,
                (None, [b'<', ..]) if rest.starts_with(b"<repeats ") => repeats(rest, at, packet)?,
                (None, [b'.', b'.', b'.', ..]) if !packet.is_empty() => {
                    return fault(at, "bytes are left out here; print all of them (gdb: set print elements 0, strace: -s 65536)");
                }
                (None, [b'\\', b'x', ..]) if self.bare => escape(rest, at, packet)?,
                (None, [b'\\', b'x' | b'u', ..]) => return fault(at, "an escape outside of quotes"),
                (None, [byte, ..]) => {
                    self.outside(*byte, at)?;
                    self.skips = self.python && self.quote.is_some() && !is_prefix(text.get(..at).unwrap_or_default());
                    1
                }
                (Some(quote), [byte, ..]) if *byte == quote => {
                    self.quote = None;
                    1
                }
                (Some(_), [b'\\', _, ..]) if self.skips => 2,
                (Some(_), [_, ..]) if self.skips => 1,
                // A line may be continued inside quotes.
                (Some(_), [b'\\']) => 1,
                (Some(_), [b'\\', ..]) => escape(rest, at, packet)?,
                (Some(_), [byte, ..]) => {
                    packet.push(*byte);
                    1
                }
                (_, []) => break,
            };
        }
        let whole = self.python || is_call(text);
        let own = whole && self.parentheses == 0 && self.quote.is_none() && !text.ends_with(b"\\");
        Ok(if own && !packet.is_empty() { Fed::Complete(line.len()) } else { Fed::Taken })
    }

    fn is_loose(&self) -> bool {
        self.bare
    }

    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        match self.quote {
            Some(quote) => fault(0, format!("the text ends before a closing {}", char::from(quote))),
            None => Ok(()),
        }
    }
}
