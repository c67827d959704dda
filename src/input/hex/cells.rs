//! The cells of columns: payload, addresses, times and numbers.

use super::marks::{Ends, Marks};
use super::scan::{after_marks, indent, push_pairs};
use super::{Fault, fault};
use std::net::{IpAddr, SocketAddr};

/// Digits that are no ordinary number, if they include no letter.
pub(super) const LONG: usize = 10;

/// Cells with their offsets, without quotes.
pub(super) fn cells(line: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
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
pub(super) fn bytes(cell: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
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

pub(super) fn address(cell: &[u8]) -> Option<IpAddr> {
    // Eight pairs of digits are an address of IPv6 as well.
    let pairs = cell.contains(&b':') && bytes(cell, 0).is_ok();
    std::str::from_utf8(cell).ok().filter(|_| !pairs)?.parse().ok()
}

/// Whether a cell can stand beside a payload: a number, a time or an address.
pub(super) fn is_fact(cell: &[u8]) -> bool {
    let number = !cell.is_empty() && cell.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    number || is_named(cell)
}

/// Whether a cell is an address or a time.
pub(super) fn is_named(cell: &[u8]) -> bool {
    address(cell).is_some() || Marks::of(cell).time.is_some() && after_marks(cell) == cell.len()
}

/// Whether digits may be a port or a length.
pub(super) fn is_number(cell: &[u8]) -> bool {
    cell.len() < 6 && cell.iter().all(u8::is_ascii_digit) && !cell.starts_with(b"0")
}

pub(super) fn is_certain(cell: &[u8]) -> bool {
    let letters = cell.iter().any(|byte| matches!(byte, b'a'..=b'f' | b'A'..=b'F'));
    bytes(cell, 0).is_ok() && !cell.is_empty() && (letters || cell.len() >= LONG) && address(cell).is_none()
}

/// The addresses of a line, each with a number behind it as its port, or with two numbers behind both.
pub(super) fn ends(facts: &[&[u8]]) -> Ends {
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
