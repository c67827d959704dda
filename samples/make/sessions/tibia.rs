//! Tibia: logins in clear, then messages that are encrypted one by one with XTEA.

use crate::Result;
use crate::neighbours::{C, S};

use super::plain::{Script, capture};

/// As the client sends it, in words.
const KEY: [u32; 4] = [0x6b1f_90c2, 0x03d7_5ea4, 0xe85c_217b, 0x4492_ac0f];

/// XTEA of 32 rounds.
fn encrypt([mut left, mut right]: [u32; 2]) -> [u32; 2] {
    let key = |at: u32| KEY.iter().cycle().nth((at & 3) as usize).copied().unwrap_or_default();
    let mixed = |word: u32| (word << 4 ^ word >> 5).wrapping_add(word);
    let mut sum = 0_u32;
    for _ in 0..32 {
        left = left.wrapping_add(mixed(right) ^ sum.wrapping_add(key(sum)));
        sum = sum.wrapping_add(0x9e37_79b9);
        right = right.wrapping_add(mixed(left) ^ sum.wrapping_add(key(sum >> 11)));
    }
    [left, right]
}

fn adler32(bytes: &[u8]) -> u32 {
    let [a, b] = bytes.iter().fold([1, 0], |[a, b], byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        [a, (a + b) % 65_521]
    });
    b << 16 | a
}

fn framed(body: &[u8]) -> Result<Vec<u8>> {
    Ok([&u16::try_from(body.len() + 4)?.to_le_bytes()[..], &adler32(body).to_le_bytes(), body].concat())
}

/// An encrypted message of these commands.
fn message(commands: &[Vec<u8>]) -> Result<Vec<u8>> {
    let commands = commands.concat();
    let mut body = [&u16::try_from(commands.len())?.to_le_bytes()[..], &commands].concat();
    body.resize(body.len().next_multiple_of(8), 0x33);
    let (words, _) = body.as_chunks::<4>();
    let words: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
    let (blocks, _) = words.as_chunks::<2>();
    framed(&blocks.iter().copied().flat_map(encrypt).flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

fn text(text: &str) -> Result<Vec<u8>> {
    Ok([&u16::try_from(text.len())?.to_le_bytes()[..], text.as_bytes()].concat())
}

fn position(x: u16, y: u16) -> Vec<u8> {
    [&x.to_le_bytes()[..], &y.to_le_bytes(), &[7]].concat()
}

/// The key file.
pub fn keys() -> Result<Vec<u8>> {
    let hex: String = KEY.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("tibia xtea_key {hex} server=203.0.113.80:7172\n").into_bytes())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let challenge = [&[6, 0, 0x1f][..], &1_448_400_000_u32.to_le_bytes(), &[0x5c]].concat();
    let login = [&[10, 2, 0][..], &860_u16.to_le_bytes(), &[0x7e; 128]].concat();
    let mut lines: Script = vec![(S, framed(&challenge)?), (C, framed(&login)?)];
    lines.push((S, message(&[vec![0x82, 250, 215], [vec![0xb4, 0x14], text("Welcome, Maren.")?].concat()])?));
    for step in 0..6_u8 {
        lines.push((C, message(&[vec![0x65]])?));
        let (from, to) = (position(32_097, 32_219 - u16::from(step)), position(32_097, 32_218 - u16::from(step)));
        let moved = [&[0x6d][..], &from, &[1], &to].concat();
        let said = text(&format!("step {step} north"))?;
        lines.push((C, message(&[[&[0x96, 1][..], &said].concat()])?));
        let number = u32::from(step).to_le_bytes();
        let heard = [&[0xaa][..], &number, &text("Maren")?, &[8, 0, 1], &to, &said].concat();
        lines.push((S, message(&[moved, heard])?));
        lines.push((S, message(&[vec![0x1e]])?));
        lines.push((C, message(&[vec![0x1e]])?));
    }
    lines.push((C, message(&[vec![0x14]])?));
    capture(&[(51_608, lines)], 7172)
}
