//! Lists of numbers: `0x23, 0x00`, `35, 0, -1`, bare, or in the braces of a C array or the brackets of a list. Each pair of
//! braces is a packet; text outside of them and comments are skipped.
//!
//! ```text
//! unsigned char p[] = { 0x23, 0x00 };     [35, 0, 0, 0, 1]     {"type":"Buffer","data":[35,0]}     <<35,0,0,0,1>>
//! ```

use super::numbers::{Kind, cast, prefix_len, quoted, repeats};
use super::{Dialect, Fault, Fed, Feed, Packet, fault};

#[derive(Default)]
pub(super) struct List {
    /// The opening brace of a list; `None` without braces.
    pub(super) braces: Option<u8>,
    pub(super) inside: bool,
    /// Whether the position is in a comment of the form `/* */`.
    pub(super) comment: bool,
    /// Determined by the first number.
    pub(super) kind: Option<Kind>,
    /// Bytes of a number with a prefix, determined by the first list; 0 before it.
    pub(super) width: usize,
    /// Whether the first byte of a number is its highest one.
    pub(super) big: bool,
}

impl Dialect for List {
    fn describe(&self) -> Option<String> {
        let what = match self.kind {
            Some(Kind::Prefixed) if self.width > 1 && self.big => "numbers of several bytes with 0x, the highest byte first",
            Some(Kind::Prefixed) if self.width > 1 => {
                "numbers of several bytes with 0x, little-endian memory; --words be reverses them"
            }
            Some(Kind::Prefixed) => "numbers with 0x, $ or &H",
            Some(Kind::Hex) => "hex bytes without 0x",
            Some(Kind::Decimal) => "decimal bytes",
            None => "a list of numbers",
        };
        Some(what.to_owned())
    }

    /// Whether the list has no braces.
    fn is_loose(&self) -> bool {
        self.braces.is_none()
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let mut at = 0;
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            at += match rest {
                [b'*', b'/', ..] if self.comment => {
                    self.comment = false;
                    2
                }
                _ if self.comment => 1,
                [b'/', b'*', ..] => {
                    self.comment = true;
                    2
                }
                [b'/', b'/', ..] | [b'#', ..] => break,
                [b'<', b'<', ..] if self.braces == Some(b'<') && !self.inside => {
                    self.inside = true;
                    2
                }
                [byte, ..] if self.opens(*byte, rest) => {
                    self.inside = true;
                    1
                }
                [byte, ..] if self.inside && self.closes(*byte) => {
                    self.inside = false;
                    self.braces = self.braces.or(Some(b'{'));
                    if !packet.is_empty() {
                        return Ok(Fed::Complete(at + 1));
                    }
                    1
                }
                _ if !self.inside => 1,
                [b'(', ..] => cast(rest, at)?,
                [b'<', ..] => repeats(rest, at, packet)?,
                [b'\'' | b'"', ..] if self.is_hex(rest) => {
                    self.kind = Some(Kind::Hex);
                    1
                }
                // Lists of texts are printed as `['0x23', '0x0']`.
                [b'\'' | b'"', inner @ ..] if prefix_len(inner) > 0 || self.is_behind_number(line, at) => 1,
                [quote @ (b'\'' | b'"'), text @ ..] if self.kind.is_some() => quoted(*quote, text, at, packet)?,
                [byte, ..] if byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'\\') => 1,
                // Visual Basic continues a line with it.
                [b'_', rest @ ..] if rest.trim_ascii().is_empty() => 1,
                _ => self.number(rest, at, packet)?,
            };
        }
        Ok(Fed::Taken)
    }

    /// Checks that the last list is complete.
    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        match self.braces {
            Some(open) if self.inside => {
                // In ASCII, the closing bracket is the next sign but one; the round one, the next.
                let close = char::from(open + if open == b'(' { 1 } else { 2 });
                fault(0, format!("the text ends before a closing {close}"))
            }
            _ => Ok(()),
        }
    }
}
