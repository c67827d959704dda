//! `content` of Snort and Suricata: hex between bars, text outside of them.
//!
//! ```text
//! alert udp any any -> any any (content:"|f2 00|PLAYER|00 F0|"; sid:1;)
//! ```

use super::scan::{push_pairs, words};
use super::{Dialect, Fault, Fed, Feed, Packet, fault};

pub(super) struct Snort;

const KEYWORD: &[u8] = b"content:";

/// The pattern of a line, with its offset.
fn pattern(line: &[u8], from: usize) -> Option<(usize, &[u8])> {
    let at = from + line.get(from..)?.windows(KEYWORD.len()).position(|at| at == KEYWORD)? + KEYWORD.len();
    let rest = line.get(at..)?;
    let open = rest
        .iter()
        .position(|byte| *byte == b'"')
        .filter(|open| rest.get(..*open).is_some_and(|before| before.iter().all(|byte| b" !".contains(byte))))?;
    let inner = rest.get(open + 1..)?;
    let len = inner
        .iter()
        .enumerate()
        .position(|(at, byte)| *byte == b'"' && at.checked_sub(1).and_then(|at| inner.get(at)) != Some(&b'\\'))?;
    Some((at + open + 1, inner.get(..len)?))
}

/// Whether a line has a pattern with hex.
pub(super) fn fits(line: &[u8]) -> bool {
    pattern(line, 0).is_some_and(|(_, pattern)| pattern.contains(&b'|'))
}

impl Dialect for Snort {
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        if !packet.is_empty() {
            return Ok(Fed::Complete(0));
        }
        let mut from = 0;
        while let Some((at, text)) = pattern(line, from) {
            read(text, at, packet)?;
            from = at + text.len();
        }
        Ok(if packet.is_empty() { Fed::Taken } else { Fed::Complete(line.len()) })
    }
}

fn read(text: &[u8], at: usize, packet: &mut Vec<u8>) -> Result<(), Fault> {
    let mut here = 0;
    let mut hex = false;
    for part in text.split(|byte| *byte == b'|') {
        if hex {
            for word in words(part, 0) {
                push_pairs(word.text, at + here + word.at, packet)?;
            }
        } else {
            let mut rest = part;
            while let [first, behind @ ..] = rest {
                // `"`, `;`, `:` and the backslash are written behind a backslash.
                let (byte, behind) = match (first, behind) {
                    (b'\\', [escaped, behind @ ..]) => (escaped, behind),
                    _ => (first, behind),
                };
                packet.push(*byte);
                rest = behind;
            }
        }
        here += part.len() + 1;
        hex = !hex;
    }
    if hex { Ok(()) } else { fault(at + text.len(), "hex without its closing bar") }
}
