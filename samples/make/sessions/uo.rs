//! Ultima Online: the server compresses each message with Huffman codes once the client has logged in.

use crate::Result;
use crate::neighbours::{C, S};

use super::plain::{Script, capture};

/// The codes, as the game has them: a line for each byte, and one for the end of a message.
const CODES: &str = include_str!("../../ksy/uo_codes.tsv");

/// A message with its code for the end, and zeros up to a whole byte.
fn compressed(message: &[u8]) -> Result<Vec<u8>> {
    let rows = CODES.lines().skip(1).map(|line| line.split_once('\t').unwrap_or_default());
    let codes: Vec<&str> = rows.map(|(_, code)| code).collect();
    let mut bits = String::new();
    for symbol in message.iter().copied().map(usize::from).chain([256]) {
        bits += codes.get(symbol).ok_or("a symbol without a code")?;
    }
    bits.extend(std::iter::repeat_n('0', bits.len().next_multiple_of(8) - bits.len()));
    let byte = |bits: &[u8]| bits.iter().fold(0, |byte, bit| byte << 1 | bit & 1);
    Ok(bits.as_bytes().chunks(8).map(byte).collect())
}

/// Text in a field of 30 bytes.
fn name(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(30, 0);
    bytes
}

fn sized(op: u8, data: &[u8]) -> Result<Vec<u8>> {
    Ok([&[op][..], &u16::try_from(data.len() + 3)?.to_be_bytes(), data].concat())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let key = 0x3d1f_5a02_u32.to_be_bytes();
    let serial = 0x0000_1b07_u32.to_be_bytes();
    let login = [&key[..], &[0x91], &key, &name("maren"), &name("moss-green")].concat();
    let select = [&[0x5d][..], &[0xed; 4], &name("Maren"), &[0; 30], &[0; 4], &[192, 0, 2, 20]].concat();
    let place = [1363, 1600, 30_u16].map(u16::to_be_bytes).concat();
    let confirm = [&[0x1b][..], &serial, &[0; 4], &400_u16.to_be_bytes(), &place, &[4], &[0; 19]].concat();
    let mut lines: Script = vec![(C, login), (S, compressed(&[0xb9, 0, 3])?), (C, select), (S, compressed(&confirm)?)];
    // Two messages in one segment.
    lines.push((S, [compressed(&[0x4f, 12])?, compressed(&[0x55])?].concat()));
    for step in 0..6_u8 {
        lines.push((C, [&[2, 0, step][..], &[0; 4]].concat()));
        lines.push((S, compressed(&[0x22, step, 1])?));
        let said = format!("step {step} north");
        let wide: Vec<u8> = said.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect();
        lines.push((C, sized(0xad, &[&[0, 0, 0x34, 0, 3][..], b"ENU\0", &wide].concat())?));
        let heard = [&serial[..], &[1, 0x90, 0, 0, 0x34, 0, 3], &name("Maren"), said.as_bytes(), &[0]].concat();
        lines.push((S, compressed(&sized(0x1c, &heard)?)?));
        lines.push((C, vec![0x73, step]));
        lines.push((S, compressed(&[0x73, step])?));
    }
    capture(&[(51_609, lines)], 2593)
}
