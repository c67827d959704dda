//! Numbers with a prefix: `0x23, 0x00`, bare or in the braces of a C array or the brackets of a list. Each pair of braces
//! is a packet; what stands outside of them is passed over, and so are comments.

use super::scan::{all_hex, push_pairs};
use super::{Fault, Fed, Feed, fault};

pub(super) struct Array {
    /// What opens and closes an array; `None` if the numbers stand alone.
    braces: Option<(u8, u8)>,
    inside: bool,
    /// In a comment of the form `/* */`.
    comment: bool,
}

impl Array {
    /// An array or numbers with a prefix that begin in this line.
    pub(super) fn of(text: &[u8]) -> Option<Array> {
        let starts = |text: &[u8]| matches!(text.trim_ascii_start(), [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
        if starts(text) {
            return Some(Array { braces: None, inside: true, comment: false });
        }
        let position = |wanted: u8| text.iter().position(|byte| *byte == wanted);
        let after = |at: usize| text.get(at + 1..).unwrap_or_default();
        if let Some(at) = position(b'{') {
            let declared = text.get(..at)?.contains(&b']') && text.get(..at)?.contains(&b'[');
            let list = starts(after(at)) || declared;
            return list.then_some(Array { braces: Some((b'{', b'}')), inside: false, comment: false });
        }
        let at = position(b'[').filter(|at| starts(after(*at)))?;
        text.get(at).map(|_| Array { braces: Some((b'[', b']')), inside: false, comment: false })
    }

    pub(super) fn feed(&mut self, line: &[u8], packet: &mut Vec<u8>) -> Feed {
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
                [byte, ..] if self.braces.is_some_and(|(open, _)| *byte == open) && !self.inside => {
                    self.inside = true;
                    1
                }
                // `};` in a list that began without its brace.
                [b'}' | b']' | b')', ..] if self.inside => {
                    self.inside = false;
                    self.braces = self.braces.or(Some((b'{', b'}')));
                    if !packet.is_empty() {
                        return Ok(Fed::Complete(at + 1));
                    }
                    1
                }
                _ if !self.inside => 1,
                [byte, ..] if byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'\\') => 1,
                _ => number(rest, at, packet)?,
            };
        }
        Ok(Fed::Taken)
    }

    /// Checks that the last array is whole.
    pub(super) fn end(&self) -> Result<(), Fault> {
        match self.braces {
            Some((_, close)) if self.inside => fault(0, format!("the text ends before a closing {}", char::from(close))),
            _ => Ok(()),
        }
    }
}

/// Reads `0x23`, or a longer run of pairs behind one `0x`; returns its length.
fn number(rest: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<usize, Fault> {
    let Some(digits) = rest.strip_prefix(b"0x").or_else(|| rest.strip_prefix(b"0X")) else {
        return fault(at, "expected a byte such as 0x23");
    };
    let len = digits.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(digits.len());
    let digits = digits.get(..len).unwrap_or_default();
    match digits {
        // Some tools leave out a zero in front.
        [_] if all_hex(digits) => push_pairs(&[b'0', *digits.first().unwrap_or(&b'0')], at + 1, packet)?,
        [] => return fault(at + 2, "expected hex digits after 0x"),
        _ => push_pairs(digits, at + 2, packet)?,
    }
    Ok(len + 2)
}
