//! Bare digits: `xxd -p`, a hex stream, pairs with any spacing, `23:00:00`. All lines make one packet, unless a direction
//! mark begins another.

use super::marks::Marks;
use super::scan::{after_marks, push_pairs};
use super::{Fed, Feed, Packet};

pub(super) struct Digits;

impl Digits {
    pub(super) fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let from = after_marks(line);
        if from > 0 && !packet.bytes.is_empty() {
            return Ok(Fed::Complete(0));
        }
        packet.marks.add(Marks::of(line));
        let end = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
        let mut at = from;
        while let Some(rest) = line.get(at..end).filter(|rest| !rest.is_empty()) {
            let blank = rest.iter().take_while(|byte| is_separator(**byte)).count();
            let run = rest.iter().skip(blank).take_while(|byte| !is_separator(**byte)).count();
            push_pairs(rest.get(blank..blank + run).unwrap_or_default(), at + blank, &mut packet.bytes)?;
            at += blank + run;
        }
        Ok(Fed::Taken)
    }
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b':' | b'-' | b',')
}
