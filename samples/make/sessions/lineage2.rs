//! Lineage II: the server states half of a key, which grows with each message.

#![allow(clippy::indexing_slicing, reason = "indices are below the size of the key")]

use crate::Result;
use crate::neighbours::{C, S};
use crate::tcp::Side;

use super::plain::{Script, capture};

const HALF: [u8; 8] = [0x9b, 0x1e, 0xf4, 0x60, 0xff, 0xff, 0xff, 0x02];

/// The key of a direction: half of it, a number that grows, and four bytes more.
struct Chain([u8; 16]);

impl Chain {
    fn new() -> Self {
        let mut key = *b"\0\0\0\0\0\0\0\0\xc8\x27\x93\x01\xa1\x6c\x31\x97";
        key[..8].copy_from_slice(&HALF);
        Chain(key)
    }

    fn encrypt(&mut self, body: &mut [u8]) -> Result {
        let mut before = 0;
        for (byte, key) in body.iter_mut().zip(self.0.iter().cycle()) {
            *byte ^= key ^ before;
            before = *byte;
        }
        let number = u32::from_le_bytes(self.0[8..12].try_into()?).wrapping_add(u32::try_from(body.len())?);
        self.0[8..12].copy_from_slice(&number.to_le_bytes());
        Ok(())
    }
}

fn text(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

fn numbers(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().copied().flat_map(i32::to_le_bytes).collect()
}

fn framed(body: &[u8]) -> Result<Vec<u8>> {
    Ok([&u16::try_from(body.len() + 2)?.to_le_bytes()[..], body].concat())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let key = [&[0x2e, 1][..], &HALF, &1_u32.to_le_bytes(), &7_u32.to_le_bytes()].concat();
    let mut lines: Script = vec![(C, framed(&[&[0x0e][..], &273_u32.to_le_bytes()].concat())?), (S, framed(&key)?)];
    let mut ends = [Chain::new(), Chain::new()];
    let mut encrypted = |side: Side, op: u8, data: &[u8]| -> Result<Vec<u8>> {
        let mut body = [&[op], data].concat();
        ends[usize::from(side == S)].encrypt(&mut body)?;
        framed(&body)
    };
    lines.push((C, encrypted(C, 0x2b, &[text("maren"), numbers(&[0x51ab, 0x7702, 0x1f3c, 0x0264])].concat())?));
    for step in 0..8_i32 {
        let (from, to) = ([-84_318 + step * 40, 244_579, -3_730], [-84_278 + step * 40, 244_579, -3_730]);
        lines.push((C, encrypted(C, 0x0f, &[numbers(&to), numbers(&from), numbers(&[1])].concat())?));
        let said = format!("step {step} north");
        lines.push((C, encrypted(C, 0x49, &[text(&said), numbers(&[0])].concat())?));
        // Two messages in one segment.
        let moved = encrypted(S, 0x2f, &[numbers(&[0x1000_0001]), numbers(&to), numbers(&from)].concat())?;
        let heard = [numbers(&[0x1000_0001, 0]), text("Maren"), numbers(&[-1]), text(&said)].concat();
        lines.push((S, [moved, encrypted(S, 0x4a, &heard)?].concat()));
    }
    lines.push((S, encrypted(S, 0xd9, &numbers(&[77]))?));
    lines.push((C, encrypted(C, 0xb1, &numbers(&[77, 40, 1450]))?));
    capture(&[(51_605, lines)], 7777)
}
