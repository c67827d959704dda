//! What WowPacketParser prints (`_parsed.txt`): packets with opcode, name, time and hex rows.
//!
//! ```text
//! # TrinityCore - WowPacketParser
//! ServerToClient: SMSG_PONG (0x01DD) Length: 4 ConnIdx: 0 Time: 11/24/2015 21:20:30.040 Number: 8
//! | 01 00 00 00                                     | . . . .                         |
//! ```
//! Other lines are passed. A number of bytes that differs from the stated one has a comment. Without the first line, the text reader
//! reads the rows.

use super::opcodes::{Header, Opcodes, Packet, unknown_ends};
use super::rebuilt::{Ends, Rebuilt};
use super::{Buffer, Opened, Sniff, SniffFormat};
use crate::tree::Side;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::io;
use std::net::SocketAddr;

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "wow-parsed", begins, open };

/// Ports of worlds and of Battle.net.
const WORLD: u16 = 8085;
const BATTLE_NET: u16 = 1119;

/// Maximum size of a packet.
const MOST: usize = 16 << 20;

/// Maximum length of a line that is inspected.
const LINE: usize = 512;

/// Column numbers above the rows of a packet.
const RULER: &str = "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F | 0 1 2 3 4 5 6 7 8 9 A B C D E F";

fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"# Trinit")
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    const FIRST: &[u8] = b"# TrinityCore - WowPacketParser";
    input.need(FIRST.len())?;
    if !input.ahead().starts_with(FIRST) {
        return Ok(None);
    }
    let sniff = Box::new(Text { current: None, bytes: Vec::new(), messages: Opcodes::new(&Header::default()) });
    Ok(Some(Opened { description: "packets printed by WowPacketParser".to_owned(), sniff }))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A log whose lines are read.
struct Text {
    /// The packet whose rows are read.
    current: Option<Head>,
    bytes: Vec<u8>,
    messages: Opcodes,
}

/// The line above the rows of a packet.
struct Head {
    side: Side,
    opcode: u32,
    name: String,
    /// Nanoseconds since 1970.
    time: u64,
    ends: Ends,
    /// The stated number of bytes.
    length: Option<usize>,
}

impl Sniff for Text {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        let Some(length) = input.line_len()? else {
            self.end(out);
            return Ok(false);
        };
        let line = text(input.ahead().get(..length.min(LINE)).unwrap_or_default());
        input.pass(length);
        if let Some(head) = head(line.trim_end()) {
            self.end(out);
            self.current = Some(head);
        } else if self.current.is_some() && self.bytes.len() < MOST {
            self.bytes.extend(row(&line).unwrap_or_default());
        }
        Ok(true)
    }
}

impl Text {
    /// Adds the packet whose rows were read.
    fn end(&mut self, out: &mut Rebuilt) {
        let Some(Head { side, opcode, name, time, ends, length }) = self.current.take() else { return };
        let bytes = std::mem::take(&mut self.bytes);
        let comment = match length {
            Some(length) if length != bytes.len() => format!("the log has {} of {length} bytes", bytes.len()),
            _ => String::new(),
        };
        let packet = Packet { side, time, opcode, name: name.as_bytes(), payload: &bytes, comment: &comment };
        self.messages.add(out, ends, &packet);
    }
}

/// The bytes between the first bar and what shows them as text.
fn row(line: &str) -> Option<Vec<u8>> {
    let rest = line.strip_prefix('|').filter(|rest| !rest.trim_start().starts_with(RULER))?;
    let is_byte = |word: &&str| word.len() == 2 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let columns = rest.split('|').next().unwrap_or_default();
    columns.split_whitespace().take(16).take_while(is_byte).map(|word| u8::from_str_radix(word, 16).ok()).collect()
}

/// `ServerToClient: SMSG_PONG (0x01DD) Length: 4 ConnIdx: 0 EP: 192.0.2.1:5000 Time: 11/24/2015 21:20:30.040 Number: 8`.
fn head(line: &str) -> Option<Head> {
    let (direction, rest) = line.split_once(": ")?;
    let (side, port) = match direction {
        "ServerToClient" => (Side::Server, WORLD),
        "ClientToServer" => (Side::Client, WORLD),
        "BNServerToClient" => (Side::Server, BATTLE_NET),
        "BNClientToServer" => (Side::Client, BATTLE_NET),
        _ => return None,
    };
    let (name, rest) = rest.split_once(" (0x")?;
    let (opcode, rest) = rest.split_once(')')?;
    let value = |key: &str| rest.split_once(key).map(|(_, rest)| rest.trim_start());
    let word = |key: &str| value(key)?.split_whitespace().next();
    let time = value("Time:").map(|text| text.split(" Number:").next().unwrap_or_default());
    let connection = word("ConnIdx:").and_then(|word| word.parse::<i32>().ok()).unwrap_or(0).cast_unsigned();
    let mut ends = unknown_ends(connection, port);
    if let Some(client) = word(" EP:").and_then(|word| word.parse::<SocketAddr>().ok()) {
        ends.client = client;
    }
    Some(Head {
        side,
        opcode: u32::from_str_radix(opcode, 16).ok()?,
        name: if name.bytes().all(|digit| digit.is_ascii_digit()) { String::new() } else { name.to_owned() },
        time: time.and_then(|time| nanos("%m/%d/%Y %H:%M:%S%.f", time)).unwrap_or(0),
        ends,
        length: word("Length:").and_then(|word| word.parse().ok()),
    })
}

/// A local time without a zone, taken as UTC, in nanoseconds since 1970.
fn nanos(format: &str, text: &str) -> Option<u64> {
    let time = DateTime::strptime(format, text.trim()).ok()?;
    u64::try_from(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_nanosecond()).ok()
}
