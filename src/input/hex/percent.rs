//! Percent-encoding, as in URLs: `%23%00%01lang`. A plus sign is a space, as in forms.

use super::escapes::each;
use super::scan::pair;
use super::{Dialect, Fault, Feed, Packet, bytes_of, fault};

pub(super) struct Percent;

/// Whether a line is one percent-encoded word, with at least two escapes.
pub(super) fn fits(text: &[u8]) -> bool {
    let escapes = text.windows(3).filter(|at| begins(at));
    let is_part = |byte: &u8| *byte == b'%' || is_literal(*byte);
    text.iter().all(is_part) && (escapes.count() > 1 || text.len() == 3 && text.starts_with(b"%"))
}

fn begins(text: &[u8]) -> bool {
    text.strip_prefix(b"%").is_some_and(|digits| pair(digits).is_some())
}

/// Why a word that begins with an escape is invalid.
pub(super) fn fault_of(text: &[u8]) -> Option<Fault> {
    begins(text).then(|| bytes_of(Percent, text).err())?
}

/// Characters that may be unescaped.
fn is_literal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!*'()+;:@&=$,/?#[]".contains(&byte)
}

impl Dialect for Percent {
    fn is_loose(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        each(line, |rest, at| {
            let (byte, len) = match rest {
                [b'%', digits @ ..] => match pair(digits) {
                    Some(byte) => (byte, 3),
                    None => return fault(at + 1, "expected two hex digits after %"),
                },
                [b'+', ..] => (b' ', 1),
                [byte, ..] if is_literal(*byte) => (*byte, 1),
                [byte, ..] if !rest.trim_ascii().is_empty() => {
                    return fault(at, format!("`{}` cannot stand here in percent-encoding", byte.escape_ascii()));
                }
                _ => return Ok(rest.len()),
            };
            packet.bytes.push(byte);
            Ok(len)
        })
    }
}
