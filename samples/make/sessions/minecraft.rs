//! Minecraft Java Edition: a login with encryption and compression, then a walk and some chat; visits with clients of several versions.

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

/// A connection of a client.
struct Visit {
    version: usize,
    port: u16,
    lines: Vec<(Side, Vec<u8>)>,
    cipher: Option<[Cfb8; 2]>,
}

impl Visit {
    /// A handshake and the name of the player.
    fn new(version: usize, port: u16) -> Visit {
        let host = counted(b"play.game.example");
        let mut visit = Visit { version, port, lines: Vec::new(), cipher: None };
        visit.add(C, counted(&[&[0][..], &varint(version), &host, &25565_u16.to_be_bytes(), &[2]].concat()));
        let uuid: &[u8] = if version >= 764 { &UUID } else { &[] };
        visit.add(C, counted(&[&[0][..], &counted(b"odo"), uuid].concat()));
        visit
    }

    fn add(&mut self, side: Side, mut bytes: Vec<u8>) {
        if let Some(ends) = &mut self.cipher {
            ends[usize::from(side == S)].encrypt(&mut bytes);
        }
        self.lines.push((side, bytes));
    }

    /// A packet, with the header for compression.
    fn say(&mut self, side: Side, packet: &[&[u8]]) -> Result {
        let bytes = packed(&packet.concat())?;
        self.add(side, bytes);
        Ok(())
    }

    /// The end of the login: compression, then success.
    fn enter(&mut self) -> Result {
        self.add(S, counted(&[&[3][..], &varint(THRESHOLD)].concat()));
        let uuid = if self.version < 735 { counted(b"3d1f5a02-7710-4c9e-8a21-5e600bcd1493") } else { UUID.to_vec() };
        let behind: &[u8] = if self.version >= 759 { &[0] } else { &[] };
        self.say(S, &[&[2], &uuid, &counted(b"odo"), behind])
    }

    fn encrypt(&mut self) {
        self.add(S, counted(&[&[1][..], &counted(b""), &counted(&[0x30; 162]), &counted(&[7, 1, 2, 9]), &[1]].concat()));
        self.add(C, counted(&[&[1][..], &counted(&[0x55; 128]), &counted(&[0xaa; 128])].concat()));
        self.cipher = Some([Cfb8::new(), Cfb8::new()]);
    }
}

fn doubles(values: [f64; 3]) -> Vec<u8> {
    values.map(f64::to_be_bytes).concat()
}

/// Versions 1.8.9, 1.12.2 and 1.16.5: play follows the login.
fn before_configuration() -> Result<[Visit; 3]> {
    let text = counted(br#"{"text":"<maren> the bridge is finished"}"#);
    let mut old = Visit::new(47, 51_610);
    old.enter()?;
    old.say(S, &[&[0x01], &77_i32.to_be_bytes(), &[0, 0, 2, 20], &counted(b"default"), &[0]])?;
    old.say(S, &[&[0x02], &text, &[1]])?;
    old.say(S, &[&[0x00], &varint(4711)])?;
    old.say(C, &[&[0x00], &varint(4711)])?;
    old.say(C, &[&[0x04], &doubles([8.5, 65.0, -3.25]), &[1]])?;
    old.say(S, &[&[0x18], &varint(300), &[272_i32, 2080, -96].map(i32::to_be_bytes).concat(), &[64, 0xf0, 1]])?;
    old.say(S, &[&[0x23], &(8_i64 << 38 | 64 << 26 | 0x3ff_fffc).to_be_bytes(), &varint(16)])?;
    let mut middle = Visit::new(340, 51_611);
    middle.enter()?;
    middle.say(S, &[&[0x1f], &0x0102_0304_0506_i64.to_be_bytes()])?;
    middle.say(C, &[&[0x0b], &0x0102_0304_0506_i64.to_be_bytes()])?;
    middle.say(S, &[&[0x26], &varint(300), &[2048_i16, 0, -4096].map(i16::to_be_bytes).concat(), &[1]])?;
    middle.say(S, &[&[0x20], &[3_i32, -2].map(i32::to_be_bytes).concat(), &[1], &varint(0xffff), &[0; 400]])?;
    let mut late = Visit::new(754, 51_612);
    late.enter()?;
    late.say(S, &[&[0x0e], &text, &[0], &UUID])?;
    late.say(C, &[&[0x03], &counted(b"see you there")])?;
    late.say(S, &[&[0x4e], &9000_i64.to_be_bytes(), &6000_i64.to_be_bytes()])?;
    late.say(S, &[&[0x49], &18.5_f32.to_be_bytes(), &varint(17), &2.0_f32.to_be_bytes()])?;
    Ok([old, middle, late])
}

/// Version 1.20.4: configuration before play, and again in between.
fn with_configuration() -> Result<Visit> {
    let brand = [counted(b"minecraft:brand"), counted(b"example")].concat();
    let mut visit = Visit::new(765, 51_613);
    visit.enter()?;
    visit.say(C, &[&[0x03]])?;
    visit.say(C, &[&[0x00], &counted(b"de_de"), &[12, 0, 1, 0x7f, 1, 0, 1]])?;
    visit.say(S, &[&[0x00], &brand])?;
    visit.say(S, &[&[0x05, 10], &[8, 0, 1, b'a', 0, 2, b'h', b'i'].repeat(40), &[0]])?;
    visit.say(S, &[&[0x02]])?;
    visit.say(C, &[&[0x02]])?;
    visit.say(S, &[&[0x69, 8], &counted_short(b"<maren> welcome"), &[0]])?;
    visit.say(S, &[&[0x67]])?;
    visit.say(C, &[&[0x17], &doubles([0.5, 70.0, 0.5]), &[1]])?;
    visit.say(C, &[&[0x0b]])?;
    visit.say(S, &[&[0x02]])?;
    visit.say(C, &[&[0x02]])?;
    visit.say(S, &[&[0x1b, 8], &counted_short(b"the server restarts")])?;
    Ok(visit)
}

fn counted_short(text: &[u8]) -> Vec<u8> {
    [&u16::try_from(text.len()).unwrap_or_default().to_be_bytes(), text].concat()
}

/// Version 1.21.4 with encryption, with the same secret as the session above.
fn encrypted() -> Result<Visit> {
    let mut visit = Visit::new(769, 51_614);
    visit.encrypt();
    visit.enter()?;
    visit.say(C, &[&[0x03]])?;
    visit.say(S, &[&[0x03]])?;
    visit.say(C, &[&[0x03]])?;
    visit.say(S, &[&[0x42], &varint(5), &doubles([8.5, 65.0, -3.25]), &doubles([0.0; 3]), &[0; 8], &[0, 0, 0, 0]])?;
    visit.say(C, &[&[0x00], &varint(5)])?;
    visit.say(C, &[&[0x1c], &doubles([9.5, 65.0, -3.25]), &[1]])?;
    visit.say(S, &[&[0x73, 8], &counted_short(&b"<maren> north ".repeat(8)), &[0]])?;
    Ok(visit)
}

/// A snapshot, whose packet numbers no table has.
fn snapshot() -> Result<Visit> {
    let mut visit = Visit::new(1 << 30 | 202, 51_615);
    visit.enter()?;
    visit.say(C, &[&[0x03]])?;
    visit.say(S, &[&[0x2a], &[1, 2, 3]])?;
    visit.say(C, &[&[0x19], &[4, 5]])?;
    Ok(visit)
}

/// The capture of the visits.
pub fn visits() -> Result<Vec<u8>> {
    let [old, middle, late] = before_configuration()?;
    let mut trace = Trace::new();
    for visit in [old, middle, late, with_configuration()?, encrypted()?, snapshot()?] {
        let lines: Vec<_> = visit.lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, [visit.port, 25_565], &lines)?;
    }
    pcap(trace)
}
