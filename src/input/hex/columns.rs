//! Columns as `-T fields` and `-T csv` print them: one packet a line, its bytes in the last column of hex digits.
//!
//! ```text
//! 1700000000.000000  192.0.2.10  2500f21107        a time, a source, the payload
//! ```
//! A line without payload is a packet without bytes and left out. A time column becomes the time; two columns of addresses,
//! each with an optional port behind it, the endpoints; one, the direction.

use super::cells::{bytes, cells, ends, is_certain, is_fact, is_named, is_number};
use super::marks::Marks;
use super::{Dialect, Fed, Feed, Packet, log};

/// Maximum number of columns; a line with more is a list.
const MOST: usize = 64;

pub(super) struct Columns {
    separator: u8,
    /// Index of the payload.
    payload: usize,
}

impl Columns {
    /// Columns that begin in this line, given lines after it. Each line has the same number of columns.
    pub(super) fn of(line: &[u8], ahead: &[Vec<u8>]) -> Option<Columns> {
        [b'\t', b',', b';', b' '].into_iter().find_map(|separator| Columns::with(separator, line, ahead))
    }

    fn with(separator: u8, line: &[u8], ahead: &[Vec<u8>]) -> Option<Columns> {
        let first: Vec<&[u8]> = cells(line, separator).map(|(_, cell)| cell).take(MOST + 1).collect();
        if first.len() < 2 || first.len() > MOST || separator == b' ' && line.contains(&b'\t') {
            return None;
        }
        let full = ahead.iter().filter(|line| !line.trim_ascii().is_empty());
        let mut rows = vec![first.clone()];
        rows.extend(full.map(|line| cells(line, separator).map(|(_, cell)| cell).take(MOST).collect()));
        let named = first.iter().any(|cell| is_named(cell));
        let payload = (0..first.len()).rev().find(|index| {
            // Digits alone at the end of a line are bytes if an address or a time is beside them.
            let last = |cell: &[u8]| named && index + 1 == first.len() && cell.len() >= 4 && !is_number(cell);
            first.get(*index).is_some_and(|cell| !cell.is_empty() && bytes(cell, 0).is_ok())
                && rows.iter().filter_map(|row| row.get(*index)).any(|cell| is_certain(cell) || last(cell))
        })?;
        let fits = |row: &Vec<&[u8]>| {
            let facts = row.iter().enumerate().filter(|(index, cell)| *index != payload && is_fact(cell)).count();
            let named = row.iter().any(|cell| is_named(cell));
            let enough = match separator {
                b'\t' => facts > 0,
                // A number alone may be the first byte of a row.
                b' ' => named && facts + 1 == first.len(),
                // Bytes of a list are no columns.
                _ => facts > 0 && (named || row.get(payload).is_some_and(|cell| cell.len() > 2)),
            };
            row.len() >= payload && enough && row.get(payload).is_none_or(|cell| cell.is_empty() || bytes(cell, 0).is_ok())
        };
        rows.iter().take(2).all(fits).then_some(Columns { separator, payload })
    }
}

impl Dialect for Columns {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let all: Vec<(usize, &[u8])> = cells(line, self.separator).collect();
        let Some((at, cell)) = all.get(self.payload).filter(|(_, cell)| !cell.is_empty()) else { return Ok(Fed::Taken) };
        if !packet.bytes.is_empty() {
            return Ok(Fed::Complete(0));
        }
        packet.bytes = bytes(cell, *at)?;
        let facts: Vec<&[u8]> =
            all.iter().enumerate().filter(|(index, _)| *index != self.payload).map(|(_, (_, cell))| *cell).collect();
        let mut marks = facts.iter().map(|cell| Marks::of(cell)).find(|marks| marks.time.is_some()).unwrap_or_default();
        marks.direction = marks.direction.or_else(|| facts.iter().find_map(|cell| log::direction_of_cell(cell)));
        marks.ends = ends(&facts);
        packet.marks.add(marks);
        Ok(Fed::Complete(line.len()))
    }
}
