//! Data directives of an assembler listing, as in IDA: `db 23h, 0, '{"lang"', 4 dup(0)`.
//!
//! ```text
//! .rdata:00402000 msg   db 23h, 0, 0, 0, 1   ; a comment
//! .rdata:00402005       dd 4433h             ; the lowest byte first
//! ```
//! Lines without a directive are skipped. All directives form one packet.

use super::asm_items::{DIRECTIVES, directive, hex_words, item, number};
use super::offsets::{Groups, push_group, split_offset};
use super::scan::words;
use super::{Dialect, Fault, Fed, Feed, Packet, bytes_of, fault};

#[derive(Default)]
pub(super) struct Asm {
    /// Address after the last line.
    pub(super) next: Option<u64>,
    /// Whether the first byte of a number is its highest one.
    pub(super) big: bool,
}

/// Whether a line has a directive with numbers or texts, and is not a row of pairs with the byte 0xdb or 0xdd.
pub(super) fn fits(line: &[u8]) -> bool {
    let Some((word, _)) = directive(line) else { return false };
    // An offset with a colon precedes the bytes of a dump; an address has a segment.
    if split_offset(line).is_some_and(|(offset, _)| offset.colon && !offset.address) {
        return false;
    }
    let items = line.get(word.at + word.text.len()..).unwrap_or_default().trim_ascii();
    if hex_words(line).is_some() {
        return true;
    }
    let telling = items.iter().any(|byte| b",'\"hH(".contains(byte)) || items.len() % 2 == 1;
    telling && bytes_of(Asm::default(), line).is_ok()
}

/// Why the numbers after a directive are invalid.
pub(super) fn fault_of(line: &[u8]) -> Option<Fault> {
    directive(line).filter(|_| line.contains(&b','))?;
    bytes_of(Asm::default(), line).err()
}

/// Whether a line has an address and a list of numbers, but no directive.
pub(super) fn is_like(line: &[u8]) -> bool {
    let Some((_, from)) = split_offset(line).filter(|(offset, _)| offset.address) else { return false };
    let rest = line.get(from..).unwrap_or_default().trim_ascii();
    !rest.starts_with(b";") && rest.split(|byte| *byte == b';').next().is_some_and(|rest| rest.contains(&b','))
}

impl Asm {
    /// Whether a line has the next address, and a directive with a wrong sign before a number.
    fn is_next(&self, line: &[u8]) -> bool {
        let Some((offset, from)) = split_offset(line) else { return false };
        let mut all = words(line, from).map(|word| word.text);
        let (Some(name), Some(value)) = (all.next(), all.next()) else { return false };
        let near = |known: &[u8]| match (known, name) {
            ([a, b], [c, d]) => a.eq_ignore_ascii_case(c) || b.eq_ignore_ascii_case(d),
            ([a, b], [c]) => a.eq_ignore_ascii_case(c) || b.eq_ignore_ascii_case(c),
            _ => false,
        };
        self.next.is_some()
            && offset.value(16) == self.next
            && number(value).is_some()
            && DIRECTIVES.iter().any(|(known, _)| near(known))
    }
}

impl Dialect for Asm {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let Some((word, size)) = directive(line) else {
            let what = "expected a directive such as db before the bytes";
            return if is_like(line) || self.is_next(line) { fault(0, what) } else { Ok(Fed::Taken) };
        };
        if let Some((from, size)) = hex_words(line) {
            for word in words(line, from) {
                push_group(word.text, Groups::Swapped(size * 2), self.big, packet);
            }
            return Ok(Fed::Taken);
        }
        let address = split_offset(line).filter(|(offset, _)| offset.address).and_then(|(offset, _)| offset.value(16));
        let before = packet.len();
        let mut at = word.at + word.text.len();
        loop {
            at = item(line, at, size, packet)?;
            match line.get(at) {
                Some(b',') => at += 1,
                None | Some(b';' | b'#') => break,
                Some(_) => return fault(at, "expected a comma before another number"),
            }
        }
        if let (Some(address), Some(next)) = (address, self.next)
            && address != next
        {
            return fault(0, format!("the address is {address:#x}, but the line before ends at {next:#x}; bytes are missing"));
        }
        let len = (packet.len() - before) as u64;
        self.next = address.map(|address| address.saturating_add(len));
        Ok(Fed::Taken)
    }
}
