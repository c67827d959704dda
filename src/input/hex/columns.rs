//! Columns as `-T fields` and `-T csv` print them: one packet a line, its bytes in the last column of hex digits.
//!
//! ```text
//! 1700000000.000000  192.0.2.10  2500f21107        a time, a source, the payload
//! ```
//! A line without payload is a packet without bytes and left out. A time column becomes the time; two columns of addresses,
//! each with an optional port behind it, the endpoints; one, the direction.

use super::ends::Ends;
use super::marks::Marks;
use super::scan::{after_marks, indent, push_pairs};
use super::{Dialect, Fault, Fed, Feed, Packet, fault, log};
use std::net::{IpAddr, SocketAddr};

/// Digits that are no ordinary number, if they include no letter.
const LONG: usize = 10;

/// Maximum number of columns; a line with more is a list.
const MOST: usize = 64;

pub(super) struct Columns {
    separator: u8,
    /// Index of the payload.
    payload: usize,
}

/// Cells with their offsets, without quotes.
fn cells(line: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    line.trim_ascii_end()
        .split(move |byte| if separator == b' ' { byte.is_ascii_whitespace() } else { *byte == separator })
        .filter_map(move |cell| {
            let here = at;
            at += cell.len() + 1;
            let inner = cell.trim_ascii();
            let quoted = inner.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\""));
            let start = here + indent(cell) + usize::from(quoted.is_some());
            (separator != b' ' || !inner.is_empty()).then_some((start, quoted.unwrap_or(inner)))
        })
}

/// Bytes in digits, with colons between pairs as old versions of tshark print them.
fn bytes(cell: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    if cell.contains(&b':') {
        let mut here = at;
        for pair in cell.split(|byte| *byte == b':') {
            if pair.len() != 2 {
                return fault(here, "expected two hex digits between colons");
            }
            push_pairs(pair, here, &mut out)?;
            here += 3;
        }
    } else {
        push_pairs(cell, at, &mut out)?;
    }
    Ok(out)
}

fn address(cell: &[u8]) -> Option<IpAddr> {
    // Eight pairs of digits are an address of IPv6 as well.
    let pairs = cell.contains(&b':') && bytes(cell, 0).is_ok();
    std::str::from_utf8(cell).ok().filter(|_| !pairs)?.parse().ok()
}

/// Whether a cell can stand beside a payload: a number, a time or an address.
fn is_fact(cell: &[u8]) -> bool {
    let number = !cell.is_empty() && cell.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    number || is_named(cell)
}

/// Whether a cell is an address or a time.
fn is_named(cell: &[u8]) -> bool {
    address(cell).is_some() || Marks::of(cell).time.is_some() && after_marks(cell) == cell.len()
}

/// Whether digits may be a port or a length.
fn is_number(cell: &[u8]) -> bool {
    cell.len() < 6 && cell.iter().all(u8::is_ascii_digit) && !cell.starts_with(b"0")
}

fn is_certain(cell: &[u8]) -> bool {
    let letters = cell.iter().any(|byte| matches!(byte, b'a'..=b'f' | b'A'..=b'F'));
    bytes(cell, 0).is_ok() && !cell.is_empty() && (letters || cell.len() >= LONG) && address(cell).is_none()
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

/// The addresses of a line, each with a number behind it as its port, or with two numbers behind both.
fn ends(facts: &[&[u8]]) -> Ends {
    let mut found = facts.iter().enumerate().filter_map(|(index, cell)| Some((index, address(cell)?)));
    let (first, second) = (found.next(), found.next());
    let port = |index: usize| facts.get(index).and_then(|cell| std::str::from_utf8(cell).ok()?.parse::<u16>().ok());
    let socket = |address, index| SocketAddr::new(address, port(index).unwrap_or(0));
    match (first, second) {
        (Some((at, source)), Some((next, target))) if next == at + 1 => {
            Ends { source: Some(socket(source, next + 1)), target: Some(socket(target, next + 2)) }
        }
        (Some((at, source)), Some((next, target))) => {
            Ends { source: Some(socket(source, at + 1)), target: Some(socket(target, next + 1)) }
        }
        // The number behind a single address is as likely a length.
        (Some((_, source)), None) => Ends { source: Some(SocketAddr::new(source, 0)), target: None },
        (None, _) => Ends::default(),
    }
}
