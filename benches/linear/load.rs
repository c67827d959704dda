//! Generated inputs: frames of raw IP, and the two sides of a TCP connection.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub const SYN: u8 = 2;
pub const PUSH: u8 = 0x18;
pub const ACK: u8 = 0x10;

pub type Ip = [u8; 4];
pub const CLIENT: Ip = [10, 0, 0, 1];
pub const SERVER: Ip = [10, 0, 0, 2];

/// Payload of a large segment in bytes: it completes many messages.
pub const LARGE: usize = 60_000;

/// A file that grows up to a size.
pub struct Load {
    to: BufWriter<File>,
    frames: u32,
    size: usize,
    most: usize,
}

impl Load {
    pub fn of_link(path: &Path, most: usize, link: u32) -> io::Result<Load> {
        let mut load = Load::of_bytes(path, most)?;
        for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 1 << 18, link] {
            load.put(&word.to_le_bytes())?;
        }
        Ok(load)
    }

    /// A file of another format.
    pub fn of_bytes(path: &Path, most: usize) -> io::Result<Load> {
        Ok(Load { to: BufWriter::new(File::create(path)?), frames: 0, size: 0, most })
    }

    /// Bytes of the file itself.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.size += bytes.len();
        self.to.write_all(bytes)
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Whether the size is not reached.
    pub fn is_within_limit(&self) -> bool {
        self.size < self.most
    }

    /// Number of bytes left.
    pub fn remaining(&self) -> usize {
        self.most.saturating_sub(self.size)
    }

    /// The number of the next frame.
    pub fn next(&self) -> u32 {
        self.frames
    }

    pub fn add(&mut self, frame: &[u8]) -> io::Result<()> {
        self.cut(frame, frame.len())
    }

    /// A frame truncated to this many bytes.
    pub fn cut(&mut self, frame: &[u8], captured: usize) -> io::Result<()> {
        let captured = captured.min(frame.len());
        let micros = self.frames.wrapping_mul(100);
        for word in [1_600_000_000 + micros / 1_000_000, micros % 1_000_000, word(captured), word(frame.len())] {
            self.put(&word.to_le_bytes())?;
        }
        self.frames += 1;
        self.put(frame.get(..captured).unwrap_or_default())
    }

    pub fn udp(&mut self, ports: [u16; 2], payload: &[u8]) -> io::Result<()> {
        self.add(&udp([CLIENT, SERVER], ports, payload))
    }

    /// A datagram from one of very many hosts.
    pub fn udp_from(&mut self, host: u32, ports: [u16; 2], payload: &[u8]) -> io::Result<()> {
        self.add(&udp([(0x0b00_0000 + host).to_be_bytes(), SERVER], ports, payload))
    }
}

pub fn word(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub fn half(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// An IPv4 packet; `fragment` is the word of flags and offset.
pub fn ip(protocol: u8, [src, dst]: [Ip; 2], id: u16, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend(half(20 + payload.len()).to_be_bytes());
    packet.extend(id.to_be_bytes());
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0]);
    packet.extend(src);
    packet.extend(dst);
    packet.extend(payload);
    packet
}

pub fn udp(ends: [Ip; 2], [from, to]: [u16; 2], payload: &[u8]) -> Vec<u8> {
    let mut datagram = [from.to_be_bytes(), to.to_be_bytes(), half(8 + payload.len()).to_be_bytes(), [0; 2]].concat();
    datagram.extend(payload);
    ip(17, ends, 1, 0x4000, &datagram)
}

pub fn tcp(ends: [Ip; 2], [from, to]: [u16; 2], [seq, ack]: [u32; 2], flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut segment = [from.to_be_bytes(), to.to_be_bytes()].concat();
    segment.extend(seq.to_be_bytes());
    segment.extend(ack.to_be_bytes());
    segment.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    segment.extend(payload);
    ip(6, ends, 1, 0x4000, &segment)
}

/// A TCP connection.
pub struct Session<'l> {
    pub load: &'l mut Load,
    ends: [Ip; 2],
    ports: [u16; 2],
    /// The next sequence number of each side.
    pub seq: [u32; 2],
}

/// The sender.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Client,
    Server,
}
pub use Speaker::{Client as C, Server as S};

impl<'l> Session<'l> {
    pub fn open(load: &'l mut Load, port: u16) -> io::Result<Session<'l>> {
        Session::number(load, 0, port)
    }

    /// One of many connections, each with a separate client port or address.
    pub fn number(load: &'l mut Load, number: u32, port: u16) -> io::Result<Session<'l>> {
        let [_, high, middle, low] = (number / 60_000).to_be_bytes();
        let own = u16::try_from(number % 60_000).unwrap_or_default();
        let mut talk = Session { load, ends: [[10, high, middle, low + 1], SERVER], ports: [1024 + own, port], seq: [999, 4999] };
        talk.segment(C, 999, SYN, &[])?;
        talk.seq[0] = 1000;
        talk.segment(S, 4999, SYN | ACK, &[])?;
        talk.seq[1] = 5000;
        Ok(talk)
    }

    pub fn segment(&mut self, from: Speaker, seq: u32, flags: u8, payload: &[u8]) -> io::Result<()> {
        let ([a, b], [p, q], [one, other]) = (self.ends, self.ports, self.seq);
        let frame = match from {
            C => tcp([a, b], [p, q], [seq, other], flags, payload),
            S => tcp([b, a], [q, p], [seq, one], flags, payload),
        };
        self.load.add(&frame)
    }

    /// Bytes in segments of this length.
    pub fn say_in(&mut self, from: Speaker, length: usize, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(length) {
            let [client, server] = self.seq;
            self.segment(from, if from == C { client } else { server }, PUSH, part)?;
            self.pass(from, word(part.len()));
        }
        Ok(())
    }

    /// Counts bytes that a side has sent, or that are missing.
    fn pass(&mut self, from: Speaker, bytes: u32) {
        let [client, server] = &mut self.seq;
        let seq = if from == C { client } else { server };
        *seq = seq.wrapping_add(bytes);
    }

    pub fn say(&mut self, from: Speaker, bytes: &[u8]) -> io::Result<()> {
        self.say_in(from, 1400, bytes)
    }

    /// Repeats the bytes in segments of this length until the size is reached.
    pub fn repeat(&mut self, from: Speaker, length: usize, unit: &[u8]) -> io::Result<()> {
        let run = unit.repeat((length / unit.len()).max(1));
        while self.load.is_within_limit() {
            self.say_in(from, length, &run)?;
        }
        Ok(())
    }

    /// The same after a hole that is never filled: all of it becomes readable at once.
    pub fn after_gap(&mut self, from: Speaker, unit: &[u8]) -> io::Result<()> {
        self.pass(from, 1);
        let most = (3 << 20) / unit.len() * unit.len();
        let bytes = unit.repeat(self.load.remaining().min(most) / unit.len());
        self.say_in(from, LARGE / unit.len() * unit.len(), &bytes)
    }
}
