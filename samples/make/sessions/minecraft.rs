//! Minecraft Java Edition: a login with encryption and compression, then a walk and some chat.

#![allow(clippy::indexing_slicing, reason = "indices are below the sizes of state and block")]

use std::io::Write;

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use flate2::{Compression, write::ZlibEncoder};

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, S, pcap, talk};
use crate::tcp::Side;

const SECRET: [u8; 16] = [0x0f, 0x15, 0x71, 0xc9, 0x47, 0xd9, 0xe8, 0x59, 0x0c, 0xb7, 0xad, 0xd6, 0xaf, 0x7f, 0x67, 0x98];
const UUID: [u8; 16] = *b"\x3d\x1f\x5a\x02\x77\x10\x4c\x9e\x8a\x21\x5e\x60\x0b\xcd\x14\x93";
const THRESHOLD: usize = 64;

/// AES-CFB with segments of one byte.
struct Cfb8 {
    cipher: Aes128,
    register: [u8; 16],
}

impl Cfb8 {
    fn new() -> Self {
        Cfb8 { cipher: Aes128::new(&SECRET.into()), register: SECRET }
    }

    fn encrypt(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let mut block = self.register.into();
            self.cipher.encrypt_block(&mut block);
            *byte ^= block[0];
            self.register.rotate_left(1);
            self.register[15] = *byte;
        }
    }
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value.to_le_bytes()[0] | 128);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    [varint(bytes.len()).as_slice(), bytes].concat()
}

fn chat(text: &str) -> Result<Vec<u8>> {
    Ok([&[0x6c, 8][..], &u16::try_from(text.len())?.to_be_bytes(), text.as_bytes(), &[0]].concat())
}

/// A packet with the header for compression.
fn packed(packet: &[u8]) -> Result<Vec<u8>> {
    if packet.len() < THRESHOLD {
        return Ok(counted(&[&[0], packet].concat()));
    }
    let mut body = ZlibEncoder::new(varint(packet.len()), Compression::default());
    body.write_all(packet)?;
    Ok(counted(&body.finish()?))
}

/// The key file.
pub fn keys() -> Result<Vec<u8>> {
    let hex: String = SECRET.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("minecraft secret {hex} server=203.0.113.80:25565\n").into_bytes())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let host = counted(b"play.game.example");
    let mut lines: Vec<(Side, Vec<u8>)> = vec![
        (C, counted(&[&[0][..], &varint(767), &host, &25565_u16.to_be_bytes(), &[2]].concat())),
        (C, counted(&[&[0][..], &counted(b"maren"), &UUID].concat())),
        (S, counted(&[&[1][..], &counted(b""), &counted(&[0x30; 162]), &counted(&[7, 1, 2, 9]), &[1]].concat())),
        (C, counted(&[&[1][..], &counted(&[0x55; 128]), &counted(&[0xaa; 128])].concat())),
    ];
    let mut ends = [Cfb8::new(), Cfb8::new()];
    let mut add = |side: Side, mut bytes: Vec<u8>| {
        ends[usize::from(side == S)].encrypt(&mut bytes);
        lines.push((side, bytes));
    };
    add(S, counted(&[&[3][..], &varint(THRESHOLD)].concat()));
    add(S, packed(&[&[2][..], &UUID, &counted(b"maren"), &[0, 1]].concat())?);
    add(C, packed(&[3])?);
    add(S, packed(&[3])?);
    add(C, packed(&[3])?);
    for step in 0..8_u8 {
        let place = [100.5 + f64::from(step), 64.0, -20.25].map(f64::to_be_bytes).concat();
        add(C, packed(&[&[0x1a][..], &place, &[1]].concat())?);
        add(S, packed(&[&[0x26][..], &(1000 + i64::from(step)).to_be_bytes()].concat())?);
        add(C, packed(&[&[0x18][..], &(1000 + i64::from(step)).to_be_bytes()].concat())?);
        add(S, packed(&chat(&format!("<odo> step {step}: {}", "north and ".repeat(usize::from(step))))?)?);
    }
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    let mut trace = Trace::new();
    talk(&mut trace, [51_600, 25_565], &lines)?;
    pcap(trace)
}
