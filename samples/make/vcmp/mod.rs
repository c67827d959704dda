//! Sessions with a Vice City: Multiplayer server: its query, the handshake of RakNet, every message of the game, and scripts
//! that call each other.

mod messages;

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Endpoint, Host, Link};

const MAGIC: [u8; 16] = [0, 0xff, 0xff, 0, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];
const CLIENT_GUID: u64 = 0x0451_7d2a_90c4_11ee;
const SERVER_GUID: u64 = 0x07c0_33a1_5be2_8f06;

/// Calls in script data: all of the server, and those only clients may send.
const SERVER_CALLS: [&str; 4] = [
    "46 00 00 00 0f 00 05 70 72 69 6e 74 73 00 05 48 65 6c 6c 6f",
    "46 00 00 00 4c 00 04 64 65 6d 6f 73 00 02 68 69 69 fe ff ff ff 66 00 00 c0 3f 6f 62 01 76 00 00 80 3f 00 00 00 40 00 00 40 40 \
     71 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 61 00 00 00 11 69 01 00 00 00 73 00 01 61 61 00 00 00 02 62 00 6f",
    "45 00 00 00 2b 00 06 53 65 74 50 6f 73 46 00 00 00 11 00 0a 46 69 6e 64 50 6c 61 79 65 72 69 03 00 00 00 76 00 00 80 bf 00 00 \
     20 40 00 00 20 41",
    "47 00 00 00 15 46 00 00 00 0c 00 05 67 65 74 66 6e 69 07 00 00 00 73 00 01 78",
];
const CLIENT_CALLS: [&str; 3] = [
    "44 00 00 00 16 67 00 00 00 10 73 00 06 70 6c 61 79 65 72 73 00 04 4b 69 63 6b 6f",
    "68 00 00 00 0d 73 00 05 73 63 6f 72 65 69 0a 00 00 00",
    "68 00 00 00 17 67 00 00 00 09 73 00 06 63 6f 6e 66 69 67 73 00 04 6f 70 65 6e 62 01",
];

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Client,
    Server,
}

use Side::{Client, Server};

/// Encoding of a release.
struct Release {
    protocol: u8,
    version: u32,
    connect: u8,
    join: u8,
    accepted: u8,
    incoming: u8,
    data: [u8; 2],
    is_047: bool,
}

const REL006: Release = Release {
    protocol: 6,
    version: 67_400,
    connect: 0x98,
    join: 0xaf,
    accepted: 0x10,
    incoming: 0x13,
    data: [0xbd, 0xcf],
    is_047: false,
};
const V471: Release = Release {
    protocol: 47,
    version: 67_710,
    connect: 0x35,
    join: 0x4b,
    accepted: 0x16,
    incoming: 0x17,
    data: [0x3e, 0x6e],
    is_047: true,
};

/// Counters of RakNet for one side.
#[derive(Default)]
struct Counts {
    datagrams: u32,
    messages: u32,
    orders: u32,
    splits: u16,
}

struct Play {
    trace: Trace,
    ends: [Endpoint; 2],
    counts: [Counts; 2],
    packets: u16,
}

fn hex(text: &str) -> Result<Vec<u8>> {
    text.split_whitespace().map(|pair| Ok(u8::from_str_radix(pair, 16)?)).collect()
}

fn three(number: u32) -> [u8; 3] {
    let [low, middle, high, _] = number.to_le_bytes();
    [low, middle, high]
}

/// An inverted IPv4 address and a port.
fn address(last: u8, port: u16) -> Vec<u8> {
    let mut bytes = vec![4];
    bytes.extend([192, 0, 2, last].map(|byte: u8| !byte));
    bytes.extend(port.to_be_bytes());
    bytes
}

/// The unassigned address.
fn unused() -> Vec<u8> {
    vec![4, 0xff, 0xff, 0xff, 0xff, 0, 0]
}

/// Bits, most significant first, padded to bytes.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn push_bits(&mut self, number: u64, count: usize) {
        for at in (0..count).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(number >> at & 1 == 1) << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.push_bits((*byte).into(), 8));
    }
}

/// A compressed block of 0.4.7, stored uncompressed, so that every zlib writes the same bytes.
fn block(content: &[u8]) -> Result<Vec<u8>> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::none());
    zlib.write_all(content)?;
    let stream = zlib.finish()?;
    let mut bits = Bits::default();
    bits.push_bits(0, 1);
    bits.push_bits(u64::try_from(content.len())?, 32);
    bits.push_bits(0, 1);
    bits.push_bits(u64::try_from(stream.len())?, 32);
    bits.extend(&stream);
    Ok(bits.bytes)
}

impl Play {
    fn new() -> Play {
        let ends = [Host::new([192, 0, 2, 77], 128).port(50_000), Host::new([192, 0, 2, 20], 64).port(8192)];
        Play { trace: Trace::new(), ends, counts: Default::default(), packets: 0 }
    }

    fn send(&mut self, from: Side, payload: &[u8]) -> Result {
        let [client, server] = self.ends;
        let (from, to) = if from == Client { (client, server) } else { (server, client) };
        let packet = net::udp(from, to, 0x4000 + self.packets, payload)?;
        self.packets += 1;
        self.trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
        self.trace.wait(Duration::from_millis(20));
        Ok(())
    }

    fn counts(&mut self, side: Side) -> &mut Counts {
        let [client, server] = &mut self.counts;
        if side == Client { client } else { server }
    }

    /// A datagram around frames.
    fn datagram(&mut self, from: Side, frames: &[Vec<u8>]) -> Vec<u8> {
        let counts = self.counts(from);
        let number = counts.datagrams;
        counts.datagrams += 1;
        [vec![0x84], three(number).to_vec(), frames.concat()].concat()
    }

    /// A frame, reliable and in order on channel 0.
    fn ordered(&mut self, from: Side, message: &[u8]) -> Result<Vec<u8>> {
        let order = self.counts(from).orders;
        self.counts(from).orders += 1;
        self.frame(from, message, order, None)
    }

    fn frame(&mut self, from: Side, part: &[u8], order: u32, split: Option<(u32, u32)>) -> Result<Vec<u8>> {
        let counts = self.counts(from);
        let mut frame = vec![if split.is_some() { 0x70 } else { 0x60 }];
        frame.extend(u16::try_from(part.len() * 8)?.to_be_bytes());
        frame.extend(three(counts.messages));
        frame.extend(three(order));
        frame.push(0);
        if let Some((count, index)) = split {
            frame.extend(count.to_be_bytes());
            frame.extend(counts.splits.to_be_bytes());
            frame.extend(index.to_be_bytes());
        }
        counts.messages += 1;
        frame.extend(part);
        Ok(frame)
    }

    fn send_message(&mut self, from: Side, message: &[u8]) -> Result {
        let frame = self.ordered(from, message)?;
        let datagram = self.datagram(from, &[frame]);
        self.send(from, &datagram)
    }

    /// Several messages in one datagram.
    fn send_messages(&mut self, from: Side, messages: &[Vec<u8>]) -> Result {
        let frames: Vec<Vec<u8>> = messages.iter().map(|message| self.ordered(from, message)).collect::<Result<_>>()?;
        let datagram = self.datagram(from, &frames);
        self.send(from, &datagram)
    }

    /// An unreliable message.
    fn toss(&mut self, from: Side, message: &[u8]) -> Result {
        let mut frame = vec![0];
        frame.extend(u16::try_from(message.len() * 8)?.to_be_bytes());
        frame.extend(message);
        let datagram = self.datagram(from, &[frame]);
        self.send(from, &datagram)
    }

    /// A message in three parts, the last one first, and one of them duplicated.
    fn split(&mut self, from: Side, message: &[u8]) -> Result {
        let order = self.counts(from).orders;
        self.counts(from).orders += 1;
        let parts: Vec<&[u8]> = message.chunks(message.len().div_ceil(3)).collect();
        let count = u32::try_from(parts.len())?;
        let mut datagrams = Vec::new();
        for (index, part) in (0..count).zip(parts) {
            let frame = self.frame(from, part, order, Some((count, index)))?;
            datagrams.push(self.datagram(from, &[frame]));
        }
        self.counts(from).splits += 1;
        let again = datagrams.last().cloned().unwrap_or_default();
        for datagram in datagrams.iter().rev().chain([&again]) {
            self.send(from, datagram)?;
        }
        Ok(())
    }

    /// Acknowledges datagrams of the other side from one number to another.
    fn ack(&mut self, from: Side, first: u32, last: u32) -> Result {
        let range =
            if first == last { [vec![1], three(first).to_vec()] } else { [vec![0], [three(first), three(last)].concat()] };
        self.send(from, &[vec![0xc0, 0, 1], range.concat()].concat())
    }

    fn query(&mut self, opcode: u8, reply: &[u8]) -> Result {
        let head = |magic: &[u8; 4]| [&magic[..], &[192, 0, 2, 20, 0x00, 0x20, opcode]].concat();
        self.send(Client, &head(b"VCMP"))?;
        self.send(Server, &[head(b"MP04"), reply.to_vec()].concat())
    }

    fn handshake(&mut self, release: &Release) -> Result {
        let guid = |guid: u64| guid.to_be_bytes().to_vec();
        let mtu = 576_u16.to_be_bytes().to_vec();
        let time = 1000_u64.to_be_bytes().to_vec();
        self.send(Client, &[vec![1], time.clone(), MAGIC.to_vec(), guid(CLIENT_GUID)].concat())?;
        self.send(Server, &[vec![0x1c], time, guid(SERVER_GUID), MAGIC.to_vec(), b"Server".to_vec()].concat())?;
        self.send(Client, &[vec![5], MAGIC.to_vec(), vec![release.protocol], vec![0; 530]].concat())?;
        self.send(Server, &[vec![6], MAGIC.to_vec(), guid(SERVER_GUID), vec![0], mtu.clone()].concat())?;
        self.send(Client, &[vec![7], MAGIC.to_vec(), address(20, 8192), mtu.clone(), guid(CLIENT_GUID)].concat())?;
        self.send(Server, &[vec![8], MAGIC.to_vec(), guid(SERVER_GUID), address(77, 50_000), mtu, vec![0]].concat())?;

        let asked = 12_024_u64.to_be_bytes().to_vec();
        let answered = 81_806_383_830_u64.to_be_bytes().to_vec();
        let interfaces = [address(20, 8192), vec![unused(); 9].concat()].concat();
        self.send_message(Client, &[vec![9], guid(CLIENT_GUID), asked.clone(), vec![0, 0]].concat())?;
        self.ack(Server, 0, 0)?;
        let accepted =
            [vec![release.accepted], address(77, 50_000), vec![0, 3], interfaces.clone(), asked.clone(), answered.clone()];
        self.send_message(Server, &accepted.concat())?;
        self.ack(Client, 0, 0)?;
        let incoming = [vec![release.incoming], address(20, 8192), interfaces, asked.clone(), answered.clone()].concat();
        self.send_message(Client, &incoming)?;
        self.toss(Client, &[vec![0], asked.clone()].concat())?;
        self.toss(Server, &[vec![3], asked, answered].concat())
    }

    fn join(&mut self, release: &Release) -> Result {
        let bounds: Vec<u8> = [2400_f32, -2400.0, 2000.0, -2000.0].iter().flat_map(|bound| bound.to_be_bytes()).collect();
        let names = b"\x06Server\x04Bot1";
        let digest = *b"\x2f\xd4\xe1\xc6\x7a\x2d\x28\xfc\xed\x84\x9e\xe1\xbb\x76\xe7\x39\x1b\x93\xeb\x12";
        let joined = [&[release.join, 0, 0, 1, 7][..], &bounds, names].concat();
        if release.is_047 {
            let mut greeting = Bits::default();
            greeting.push_bits(release.connect.into(), 8);
            greeting.push_bits(release.version.into(), 33);
            greeting.push_bits(0x66b6_60f1, 33);
            greeting.extend(&[0x5a, 0xc3, 0x11]);
            self.send_message(Client, &greeting.bytes)?;
            let mut store = Bits::default();
            store.push_bits(2, 16);
            for name in [&b"hud.7z"[..], b"map.7z"] {
                store.extend(&digest);
                store.push_bits(70_000, 32);
                store.push_bits(u64::try_from(name.len())?, 16);
                store.extend(name);
                store.push_bits(0, 1);
            }
            store.extend(&[1, 0, 17]);
            store.extend(b"http://192.0.2.20");
            self.send_message(Server, &[joined, block(&store.bytes)?].concat())?;
        } else {
            let greeting = [&[release.connect, 3, 0x0d, 0xc5, 0x32][..], &release.version.to_be_bytes(), b"\x04Bot1\0"];
            self.send_message(Client, &[greeting.concat(), vec![0x94], vec![0x18; 40], vec![0xca], vec![0x0c; 40]].concat())?;
            self.send_message(Server, &[&joined[..], &[1], &digest, b"\x06hud.7z"].concat())?;
        }
        let needed = if release.is_047 { 0x58 } else { 0xb9 };
        self.send_message(Client, &[&[needed, 1, 0, 0][..], &digest].concat())
    }

    /// All messages of the game, a few in each datagram.
    fn game(&mut self, release: &Release) -> Result {
        for (from, messages) in [(Client, messages::CLIENT), (Server, messages::SERVER)] {
            for few in messages.chunks(4) {
                let id = |(old, new, _): &(u8, u8, &str)| if release.is_047 { *new } else { *old };
                let all = few.iter().map(|message| Ok([vec![id(message)], hex(message.2)?].concat()));
                self.send_messages(from, &all.collect::<Result<Vec<_>>>()?)?;
            }
        }
        for (from, syncs) in [(Server, messages::SERVER_SYNC), (Client, messages::CLIENT_SYNC)] {
            for (id, content) in syncs {
                let content = hex(content)?;
                let message =
                    if release.is_047 { [vec![id - 0x63], block(&content)?].concat() } else { [vec![*id], content].concat() };
                self.toss(from, &message)?;
            }
        }
        if release.is_047 {
            self.send_message(Client, &[vec![0x4f], block(b"a bullet")?].concat())?;
            self.send_message(Server, &[vec![0x9d], block(b"a bullet")?].concat())?;
        }
        Ok(())
    }

    fn scripts(&mut self, release: &Release) -> Result {
        let [by_client, by_server] = release.data;
        let data = |id: u8, data: &[u8]| -> Result<Vec<u8>> {
            Ok([&[id][..], &u32::try_from(data.len())?.to_be_bytes(), data].concat())
        };
        for call in SERVER_CALLS {
            self.send_message(Server, &data(by_server, &[vec![1, 0, 0, 0x40], hex(call)?].concat())?)?;
        }
        for call in CLIENT_CALLS {
            self.send_message(Client, &data(by_client, &[vec![1, 0, 0, 0x40], hex(call)?].concat())?)?;
        }
        self.send_message(Server, &data(by_server, b"\x07a script's own")?)?;

        let text = "Welcome to the island! ".repeat(20);
        let string = [&b"s"[..], &u16::try_from(text.len())?.to_be_bytes(), text.as_bytes()].concat();
        let body = [&b"\0\x07Message"[..], &string].concat();
        let node = [&b"F"[..], &u32::try_from(body.len())?.to_be_bytes(), &body].concat();
        self.split(Server, &data(by_server, &[vec![1, 0, 0, 0x40], node].concat())?)
    }

    /// Duplicated and lost datagrams, and their acknowledgements.
    fn mishaps(&mut self, release: &Release) -> Result {
        let tick = if release.is_047 { 0x4a } else { 0xad };
        let frame = self.ordered(Server, &[tick, 0, 1, 0xe2, 0x41])?;
        let lost = self.datagram(Server, std::slice::from_ref(&frame));
        self.send_message(Server, &[tick, 0, 1, 0xe2, 0x42])?;
        self.send(Client, &[&[0xa0, 0, 1, 1][..], lost.get(1..4).unwrap_or_default()].concat())?;
        let again = self.datagram(Server, &[frame]);
        self.send(Server, &again)?;
        self.send(Server, &again)?;
        let last = self.counts(Server).datagrams - 1;
        self.ack(Client, last, last)
    }

    fn end(mut self) -> Result<Vec<u8>> {
        self.send_message(Client, &[0x15])?;
        let last = self.counts(Client).datagrams - 1;
        self.ack(Server, last, last)?;
        capture::pcap(capture::ETHERNET, &self.trace.frames())
    }
}

fn session(release: &Release, name: &[u8; 12]) -> Result<Vec<u8>> {
    let mut play = Play::new();
    let text = |text: &[u8]| -> Result<Vec<u8>> { Ok([&u32::try_from(text.len())?.to_le_bytes()[..], text].concat()) };
    let info = [&name[..], &[0, 2, 0, 100, 0], &text(b"An island")?, &text(b"Freeroam")?, &text(b"Vice City")?].concat();
    play.query(b'i', &info)?;
    play.query(b'c', b"\x02\0\x04Bot1\x03Ida")?;
    play.query(b'p', &[])?;
    play.handshake(release)?;
    play.join(release)?;
    play.game(release)?;
    play.scripts(release)?;
    play.mishaps(release)?;
    play.end()
}

/// Release 006.
pub fn rel006() -> Result<Vec<u8>> {
    session(&REL006, b"04rel006\0\0\0\0")
}

/// Release 0.4.7.1, with compressed blocks.
pub fn v471() -> Result<Vec<u8>> {
    session(&V471, b"04v471\0\0\0\0\0\0")
}
