//! Wireshark's Follow Stream as a hex dump: a conversation with the server's side indented. Offsets count for each side.
//!
//! ```text
//!     00000000  23 00 00 00 01                                   #....
//! 00000000  00 00 00 00 00                                   .....
//! ```
//! Each run of one side is a frame. tshark's `-z follow,tcp,hex` is the same with a tab and one more space before the text. The
//! output of `follow` also has lines that begin with `#`, and comments after the first line of a message.

use super::offsets::{Groups, Offset, Row, split_offset};
use super::{Dialect, Fed, Feed, LARGEST_PACKET, Packet, fault};
use crate::tree::{BySide, Side};

const PER_LINE: usize = 16;
/// First column of the text: in Wireshark, and in tshark.
const TEXT_COLUMNS: [usize; 2] = [59, 60];
/// End of the text of a full line. Comments of `follow` are after it.
const TEXT_END: usize = 76;
const COMMENT: &[u8] = b"  #";

#[derive(Default)]
pub(super) struct Dump {
    /// Bytes of each side so far.
    seen: BySide<u64>,
    /// The sender of the packet.
    side: Option<Side>,
    row: Row,
}

/// Whether a line has exactly the columns of such a dump, and begins a side.
pub(super) fn fits(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let text = match line.split_at_checked(TEXT_END) {
        Some((text, comment)) if comment.starts_with(COMMENT) => text.trim_ascii_end(),
        _ => line,
    };
    let mut row = Row::default();
    let Some((offset, from)) = split_offset(text) else { return false };
    if !is_plain(&offset) || offset.value(16) != Some(0) || row.read(text, from, Groups::Pairs).is_err() {
        return false;
    }
    let bytes = row.straight;
    // The text has a gap in the middle, like the digits.
    let shown = bytes.len() + usize::from(bytes.len() > 8);
    let barred = text.ends_with(b"|") && text.get(60) == Some(&b'|');
    // White space at the end of the text may be lost.
    let short = bytes.iter().rev().take_while(|byte| **byte == b' ').count();
    let has_length = |column: usize| (column + shown - short..=column + shown).contains(&text.len());
    !barred && TEXT_COLUMNS.iter().any(|column| has_length(*column) && has_text(text, *column, &bytes))
}

/// Whether the text of a line begins in this column and has its gap. Other tools write texts of this length without a gap.
fn has_text(line: &[u8], column: usize, bytes: &[u8]) -> bool {
    let is_shown = |at: usize, byte: u8| {
        let shown = line.get(column + at + usize::from(at >= 8)).copied().unwrap_or(b' ');
        shown == b'.' || shown == byte && (byte.is_ascii_graphic() || byte == b' ')
    };
    let right = bytes.iter().enumerate().filter(|(at, byte)| is_shown(*at, **byte)).count();
    let gap = bytes.len() <= 8 || matches!(line.get(column + 8), None | Some(b' '));
    gap && right * 4 >= bytes.len() * 3
}

/// Whether a line has an offset and bytes as in such a dump, in any columns.
pub(super) fn is_row(line: &[u8]) -> bool {
    let mut row = Row::default();
    let offset = split_offset(line).filter(|(offset, _)| is_plain(offset));
    offset.is_some_and(|(_, from)| row.read(line, from, Groups::Pairs).is_ok()) && !row.straight.is_empty()
}

fn is_plain(offset: &Offset<'_>) -> bool {
    offset.text.len() == 8 && !offset.colon && !offset.prefix && !offset.address
}

impl Dialect for Dump {
    fn describe(&self) -> Option<String> {
        Some("a Follow Stream dump of Wireshark (offsets for each side, the server's indented)".to_owned())
    }

    fn side(&self) -> Option<Side> {
        self.side.or(Some(Side::Client))
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.iter().all(|byte| *byte == b'=') {
            return Ok(Fed::Taken);
        }
        let Some((offset, from)) = split_offset(line) else {
            return fault(0, "expected a line of the Follow Stream dump: an offset of eight digits, then bytes");
        };
        let side = if offset.at == 0 { Side::Client } else { Side::Server };
        if !packet.is_empty() && (Some(side) != self.side || packet.len() + PER_LINE > LARGEST_PACKET) {
            return Ok(Fed::Complete(0));
        }
        self.side = Some(side);
        let seen = &mut self.seen[side];
        // Offsets have eight digits and wrap.
        let expected = *seen & 0xffff_ffff;
        if offset.value(16) != Some(expected) {
            let found = String::from_utf8_lossy(offset.text);
            return fault(offset.at, format!("the offset is {found}, but this side has sent {expected:#x} bytes so far"));
        }
        self.row.read(line, from, Groups::Pairs)?;
        if self.row.straight.len() > PER_LINE {
            return fault(from, format!("more than {PER_LINE} bytes; expected the text column behind them"));
        }
        packet.extend(&self.row.straight);
        *seen += self.row.straight.len() as u64;
        Ok(Fed::Taken)
    }
}
