//! A row of a dump: its offset, then its bytes in the order that the text determines.

use super::column::Column;
use super::dump::{Dump, UNLIKE, is_inset};
use super::offset::Offset;
use crate::input::hex::head::Head;
use crate::input::hex::marks::Marks;
use crate::input::hex::scan::{is_pair, words};
use crate::input::hex::{Fault, Fed, Feed, Packet, fault};

impl Dump {
    pub(super) fn row(&mut self, line: &[u8], offset: Offset<'_>, from: usize, packet: &mut Packet) -> Feed {
        let first = words(line, from).next();
        let begins = self.first.unwrap_or_default().is_at(&offset);
        if !packet.bytes.is_empty() && begins {
            return self.complete(0, packet);
        }
        let Some(first) = first else {
            self.last_offset(&offset, &mut packet.bytes)?;
            return if packet.bytes.is_empty() { Ok(Fed::Taken) } else { self.complete(line.len(), packet) };
        };
        // Prose may begin with a number. It is no offset if no bytes follow, unless it is exactly the expected one.
        let prose = !self.shape.begins_with(first.text);
        if prose && !packet.bytes.is_empty() && words(line, from).skip(1).take_while(|word| is_pair(word.text)).count() >= 3 {
            return fault(first.at, UNLIKE);
        }
        if packet.bytes.is_empty() {
            if prose {
                return self.between(line, packet);
            }
            self.begin(&offset, begins);
            self.heading = false;
            self.inset = is_inset(line);
            self.head = Head::of(line, offset.at, offset.text.len(), self.radix);
            packet.marks.add(Marks::of(line));
        }
        if !self.advance(&offset, &mut packet.bytes)? {
            return if prose { self.between(line, packet) } else { self.mismatch(&offset, packet.bytes.len()) };
        }
        let before = packet.bytes.len();
        self.bytes(line, from, &mut packet.bytes)?;
        self.last = packet.bytes.len() - before;
        Ok(Fed::Taken)
    }

    /// The bytes of a row, in the order that its text determines.
    pub(super) fn bytes(&mut self, line: &[u8], from: usize, packet: &mut Vec<u8>) -> Result<(), Fault> {
        let column = self.row.read(line, from, self.shape.groups)?;
        if !self.shape.is_open() {
            packet.extend(&self.row.straight);
            return Ok(());
        }
        // Groups that are equal in both orders determine neither.
        let groups = words(line, from).next().map_or(0, |word| word.text.len());
        let is_evidence = self.row.straight != self.row.reversed || groups <= 2 && !self.doubtful;
        match column {
            Column::InOrder if !is_evidence => {}
            Column::InOrder | Column::Reversed => {
                if *self.order.get_or_insert(column) != column {
                    return fault(from, "the text column shows the groups in another order than that of the rows before");
                }
                if column == Column::Reversed && !self.reversed.is_empty() {
                    *packet = std::mem::take(&mut self.reversed);
                }
            }
            // `xxd -e` aligns a short group to the right.
            Column::Either => self.doubtful |= words(line, from).next().is_some_and(|word| word.text.len() >= 8 || word.gap > 1),
            Column::None => {}
        }
        match self.order {
            Some(Column::Reversed) => packet.extend(&self.row.reversed),
            Some(_) => packet.extend(&self.row.straight),
            None => {
                packet.extend(&self.row.straight);
                self.reversed.extend(&self.row.reversed);
            }
        }
        Ok(())
    }
}
