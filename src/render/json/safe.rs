//! JSON that a terminal can show: what might make it do something else is escaped.

use crate::tree::is_harmful;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Compact JSON in which no control or direction character stands as itself.
pub struct Safe;

impl Formatter for Safe {
    /// What was written can be handed on: records may be as long as the longest message.
    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"}")?;
        writer.flush()
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Below a blank nothing comes here; DEL and whatever is beyond ASCII is looked at.
        if fragment.bytes().fold(0, u8::max) < 0x7f {
            return writer.write_all(fragment.as_bytes());
        }
        let mut plain = fragment;
        while let Some((at, harmful)) = plain.char_indices().find(|(_, character)| is_harmful(*character)) {
            let (before, rest) = plain.split_at(at);
            writer.write_all(before.as_bytes())?;
            for unit in harmful.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = rest.get(harmful.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(plain.as_bytes())
    }
}
