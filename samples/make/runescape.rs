//! RuneScape: a session with a world of 317 without RSA, a login at one of 225, the update servers of clients, and a
//! log of a proxy.

#![allow(clippy::indexing_slicing, reason = "digits come in pairs")]

mod isaac;
mod log;
#[allow(dead_code, reason = "tests of the dissector use the rest")]
mod notation;
#[allow(dead_code, reason = "tests of the dissector use the rest")]
mod people;
mod session;

use std::io::Write;
use std::net::Ipv4Addr;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{Host, Link};
use crate::tcp::{Conversation, Side, Stack};
use isaac::Isaac;
pub use log::log;
pub use session::session as osrs;

const CLIENT: Stack = Stack { first: 0x3170_0b07, mss: 1460, window: 65_535, window_scale: 0, clock: None };
const SERVER: Stack = Stack { first: 0x2250_41c4, mss: 1380, window: 16_384, window_scale: 0, clock: None };

const GAME: u16 = 43594;
const JAGGRAB: u16 = 43595;

const SEEDS: [u32; 4] = [0x0271_8281, 0x0314_1592, 0x5eed_0001, 0xc0de_0317];

/// Consecutive connections on ascending ports.
struct Play {
    trace: Trace,
    port: u16,
}

impl Play {
    fn new() -> Self {
        Play { trace: Trace::new(), port: 49_700 }
    }

    fn connect(&mut self, port: u16) -> Result<Conversation> {
        self.trace.wait(Duration::from_millis(700));
        self.port += 1;
        let client = Host::new(Ipv4Addr::new(192, 168, 31, 7), 128).port(self.port);
        let server = Host::new(Ipv4Addr::new(192, 0, 2, 94), 57).port(port);
        let mut talk = Conversation::new(Link::Ethernet, (client, CLIENT), (server, SERVER));
        talk.open(&mut self.trace)?;
        Ok(talk)
    }

    fn say(&mut self, talk: &mut Conversation, from: Side, bytes: &[u8]) -> Result {
        self.trace.wait(Duration::from_millis(90));
        talk.send(&mut self.trace, from, bytes)
    }

    fn pcap(self) -> Result<Vec<u8>> {
        capture::pcap(capture::ETHERNET, &self.trace.frames())
    }
}

/// Packets of one side in plaintext hexadecimal; opcodes are enciphered when sent.
struct Mouth(Isaac);

impl Mouth {
    fn say(&mut self, packets: &[&str]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for packet in packets {
            let mut clear = hex(packet)?;
            let first = clear.first_mut().ok_or("an empty packet")?;
            *first = first.wrapping_add(self.0.word().to_le_bytes()[0]);
            bytes.extend(clear);
        }
        Ok(bytes)
    }
}

fn hex(text: &str) -> Result<Vec<u8>> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| Ok(u8::try_from(pair[0] * 16 + pair[1])?)).collect()
}

fn login(head: &[u8], name: &str, password: &str) -> Result<Vec<u8>> {
    let mut block = vec![10];
    SEEDS.iter().for_each(|seed| block.extend(seed.to_be_bytes()));
    block.extend(0x0bad_cafe_u32.to_be_bytes());
    block.extend(format!("{name}\n{password}\n").bytes());
    let mut body = head.to_vec();
    body.push(0);
    (1..=9_u32).for_each(|archive| body.extend((archive * 0x1020_3041).to_be_bytes()));
    body.push(u8::try_from(block.len())?);
    body.extend(block);
    let mut login = vec![16, u8::try_from(body.len())?];
    login.extend(body);
    Ok(login)
}

fn seed() -> Vec<u8> {
    [SEEDS[2].to_be_bytes(), SEEDS[3].to_be_bytes()].concat()
}

/// A session with a world of 317, and a login at one of 225.
pub fn session() -> Result<Vec<u8>> {
    let mut play = Play::new();
    let mut talk = play.connect(GAME)?;
    play.say(&mut talk, Side::Client, &[14, 20])?;
    play.say(&mut talk, Side::Server, &[vec![0; 9], seed()].concat())?;
    play.say(&mut talk, Side::Client, &login(&[255, 1, 61], "maren", "blue-heron")?)?;
    play.say(&mut talk, Side::Server, &[2, 0, 1])?;
    let (mut client, mut server) = (Mouth(Isaac::new(SEEDS)), Mouth(Isaac::new(SEEDS.map(|seed| seed.wrapping_add(50)))));
    let welcome = [
        "F9 81 81 00",
        "6B",
        "CE 00 00 00",
        "47 0F 4D 81",
        "86 03 04 82 00 00 0A",
        "86 08 42 40 00 0F 63",
        "49 01 12 01 92",
        "FD 13 4D 69 6E 64 20 74 68 65 20 67 61 70 2C 20 6D 61 74 65 0A",
        // Five in the bank: an axe, 250,000 coins, nothing, eight logs, bread.
        "35 00 17 0C 8E 00 05 01 D0 05 FF 03 00 90 D0 64 03 00 80 00 08 68 05 01 86 09",
    ];
    play.say(&mut talk, Side::Server, &server.say(&welcome)?)?;
    // The local player appears at 3222, 3218; another one appears three tiles away.
    let look =
        "00 00 00 00 00 00 01 12 00 01 1A 01 24 01 00 01 21 01 2A 01 0A 03 10 07 04 00 03 28 03 37 03 33 03 34 03 35 03 36 03 38";
    let own = format!("10 CD {look} 00 00 00 00 01 74 EB 23 4C 00 00");
    let other = format!("10 CD {look} 00 00 00 00 00 04 BF FF 11 00 00");
    let bits = "E6 C9 B0 00 05 FC 3F FE";
    let players = packet(81, &format!("{bits} {own} {other}"))?;
    let npcs = packet(65, "00 01 34 3F 00 0F FF F0 15 26 03 02 48 65 6C 6C 6F 21 0A 2D 19 25 19")?;
    play.say(&mut talk, Side::Server, &server.say(&[&players, &npcs])?)?;
    play.say(&mut talk, Side::Client, &client.say(&["79", "00", "A4 0B 16 0C 01 00 02 01 FF FE 92 0C FF", "56 00 80 04 80"])?)?;
    // The local player walks north-east; the other one chats.
    let walks = packet(81, "A8 03 3F F8 80 01 02 00 FC E9 BB 03 65")?;
    play.say(&mut talk, Side::Server, &server.say(&[&walks, "55 D8 D0", "2C 63 03 00 19 23", "97 C5 9A 05 51"])?)?;
    let chat = ["04 08 7F 7E 3A C9 51 C0 3B E1", "7E 12 00 29 1E 31 6D 31 71 54 65 EB 06 4D 10 39 10 D3 4C EA", "00"];
    play.say(&mut talk, Side::Client, &client.say(&chat)?)?;
    let answer = "C4 17 00 29 1E 31 6D 31 71 54 00 00 01 02 00 65 EB 06 4D 10 39 10 D3 4C EA";
    let slots = "22 00 0B 0C 8E 02 03 E4 01 80 C8 00 00 00";
    play.say(&mut talk, Side::Server, &server.say(&[answer, slots, "24 AC 00 FF", "57 2C 01 03 E8 00 00"])?)?;
    let acts = [
        "84 16 0C 05 FA 0C 12",
        "91 06 18 00 83 10 B7",
        "D6 0E 0C 00 85 00 1B 00",
        "F1 01 4A EC A2",
        "2D 09 39 5E 91 2B 06 C9 67 FF FF",
        "B9 09 9A",
    ];
    play.say(&mut talk, Side::Client, &client.say(&acts)?)?;
    play.say(&mut talk, Side::Server, &server.say(&["6D"])?)?;
    talk.close(&mut play.trace, Side::Server)?;

    let mut talk = play.connect(GAME)?;
    play.say(&mut talk, Side::Server, &seed())?;
    play.say(&mut talk, Side::Client, &login(&[225], "maren", "blue-heron")?)?;
    play.say(&mut talk, Side::Server, &[2])?;
    let mut client = Mouth(Isaac::new(SEEDS));
    play.say(&mut talk, Side::Client, &client.say(&["B5 09 01 0C 96 0C 92 01 00 FF FE"])?)?;
    talk.close(&mut play.trace, Side::Client)?;
    play.pcap()
}

/// A packet with two bytes of length.
fn packet(opcode: u8, payload: &str) -> Result<String> {
    let size = hex(payload)?.len();
    Ok(format!("{opcode:02X}{size:04X}{payload}"))
}

/// Files from the update servers of both engines, and one requested by name.
pub fn cache() -> Result<Vec<u8>> {
    let mut play = Play::new();
    let mut talk = play.connect(GAME)?;
    play.say(&mut talk, Side::Client, &[15])?;
    play.say(&mut talk, Side::Server, &[0; 8])?;
    play.say(&mut talk, Side::Client, &[2, 0, 7, 2, 0, 0, 1, 1, 0, 0, 0, 10])?;
    let tune: Vec<u8> = (0..4000_u32).map(|at| u8::try_from(at * at / 7 % 251).unwrap_or_default()).collect();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&tune)?;
    let mut file = packed.finish()?;
    file.extend([0, 3]);
    for (number, piece) in file.chunks(500).enumerate() {
        let mut chunk = vec![2, 0, 7];
        chunk.extend(u16::try_from(file.len())?.to_be_bytes());
        chunk.push(u8::try_from(number)?);
        chunk.extend(piece);
        play.say(&mut talk, Side::Server, &chunk)?;
    }
    play.say(&mut talk, Side::Server, &[0, 0, 1, 0, 0, 0])?;
    talk.close(&mut play.trace, Side::Client)?;

    let mut talk = play.connect(JAGGRAB)?;
    play.say(&mut talk, Side::Client, b"JAGGRAB /crc31702718-317\n\n")?;
    let mut sums = Vec::new();
    let mut check = 1234_u32;
    for archive in 1..=9_u32 {
        let sum = archive * 0x1020_3041;
        check = check.wrapping_mul(2).wrapping_add(sum);
        sums.extend(sum.to_be_bytes());
    }
    sums.extend(check.to_be_bytes());
    play.say(&mut talk, Side::Server, &sums)?;
    talk.close(&mut play.trace, Side::Server)?;

    let mut talk = play.connect(443)?;
    play.say(&mut talk, Side::Client, &[15, 0, 0, 2, 0x26])?;
    play.say(&mut talk, Side::Server, &[0])?;
    play.say(&mut talk, Side::Client, &[6, 0, 0, 3, 1, 2, 0, 3, 0, 8, 0, 9])?;
    for (archive, group, flags, len) in [(2, 3, 0, 7_usize), (8, 9, 0x80, 1400)] {
        let mut plain = vec![archive, 0, group, flags];
        plain.extend(u32::try_from(len)?.to_be_bytes());
        plain.extend(tune.iter().take(len));
        let mut blocks = plain.get(..512.min(plain.len())).unwrap_or_default().to_vec();
        for block in plain.get(512..).unwrap_or_default().chunks(511) {
            blocks.push(0xff);
            blocks.extend(block);
        }
        play.say(&mut talk, Side::Server, &blocks)?;
    }
    talk.close(&mut play.trace, Side::Client)?;
    play.pcap()
}
