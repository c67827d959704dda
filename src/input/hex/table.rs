//! Tables with bars, as logs of game servers print them: a cell of pairs, then a cell of text.
//!
//! ```text
//! | 25 00 F2 11 07 |  % ?◄• |         mangos, WowPacketParser with a ruler between borders
//!   0 | 25 00 F2 -- --    0 | %..     Windower: the number of the row, `--` for bytes that do not exist
//! ```
//! Rows that follow each other are one packet. The text is never data. Other lines carry time and direction.

use super::bars::{DAMAGED, cell, cells, counts, fault_of, is_border, is_row, names_columns, pairs};
use super::scan::{indent, words};
use super::{Dialect, Fault, Fed, Feed, Packet, fault, log};

#[derive(Default)]
pub(super) struct Table {
    /// A row whose bytes count the columns: a ruler if a border follows, else bytes.
    ruler: Option<Vec<u8>>,
}

impl Dialect for Table {
    fn has_headings(&self) -> bool {
        true
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        if let Some(ruler) = self.ruler.take()
            && !is_border(line)
        {
            packet.bytes.extend(ruler);
        }
        if counts(line) && packet.bytes.is_empty() {
            self.ruler = cell(line).filter(|_| !names_columns(line)).and_then(|(_, cell)| pairs(cell));
            return Ok(Fed::Taken);
        }
        let Some((open, cell)) = cell(line).filter(|_| !is_border(line)) else { return self.between(line, packet) };
        let text = cell.trim_ascii();
        if let Some(fault) = fault_of(line) {
            return Err(fault);
        }
        if !packet.bytes.is_empty() && !is_row(line) && words(cell, 0).all(|word| word.text.len() <= 2) && !text.is_empty() {
            return fault(open + indent(cell), DAMAGED);
        }
        if text.is_empty() || !is_row(line) {
            return self.between(line, packet);
        }
        packet.bytes.extend(cells(line).or_else(|| pairs(cell)).unwrap_or_default());
        Ok(Fed::Taken)
    }

    /// The bytes that a ruler turned out to be at the end of the text.
    fn end(&mut self, packet: &mut Packet) -> Result<(), Fault> {
        packet.bytes.extend(self.ruler.take().unwrap_or_default());
        Ok(())
    }
}

impl Table {
    /// A border or a blank line ends no packet; another line does.
    fn between(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.is_empty() || is_border(line) {
            let ends = !packet.bytes.is_empty();
            return Ok(if ends { Fed::Complete(line.len()) } else { Fed::Taken });
        }
        if !packet.bytes.is_empty() {
            return Ok(Fed::Complete(0));
        }
        packet.marks.add(log::marks(line));
        Ok(Fed::Taken)
    }
}
