//! SMB 2 and 3 (MS-SMB2): files and printers of a server.
//!
//! ```text
//! header      fe 'SMB' | length:2, 64 | credit charge:2 | request: channel sequence:2 reserved:2, response: status:4 |
//!             command:2 | credits:2 | flags:4 | offset of the next message:4 | message ID:8 |
//!             process:4 tree:4, or async ID:8 | session:8 | signature:16
//! message     size of the fixed part:2 | by command; texts and blobs lie at offsets from the header
//! encrypted   fd 'SMB' | signature:16 | nonce:16 | size:4 | reserved:2 | flags:2 | session:8 | data
//! compressed  fc 'SMB' | size:4 | algorithm:2 | flags:2 | offset:4 | data
//! ```
//! Numbers are little-endian. Not covered: decryption, decompression, contents of IOCTLs and of information classes, values of
//! contexts of creations, SPNEGO.

mod commands;
mod fields;
mod names;
#[cfg(test)]
mod pipes;
pub mod response_times;
#[cfg(test)]
mod tests;

use crate::tree::{Side, Value, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use fields::*;
use names::COMMANDS;
pub(super) use names::STATUSES;
use std::collections::VecDeque;

pub static PROTOCOL: Protocol =
    Protocol::new(&SMB2, FIELDS).found(&[On::Over("nbss").exchange::<Session>(Heuristic::Datagram(recognize))]).rest(&DATA);

const PLAIN: u8 = 0xfe;
const TRANSFORMED: u8 = 0xfd;
const HEADER: usize = 64;

fn recognize(bytes: &[u8]) -> bool {
    matches!(bytes, [PLAIN | TRANSFORMED | 0xfc, b'S', b'M', b'B', ..])
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Requests by message ID.
    requests: Requests<u64>,
    /// Names of trees that are being connected, by message ID.
    connecting: VecDeque<(u64, String)>,
    /// Connected trees by ID, with the type of their share and their name.
    trees: VecDeque<(u32, u8, String)>,
    /// Pipes of requests to read, by message ID.
    reads: VecDeque<(u64, u64)>,
}

/// What a header states that its message is read with.
struct Header {
    command: u16,
    status: Option<u32>,
    is_response: bool,
    /// Offset of the next header, or 0.
    next: usize,
    id: u64,
    is_pipe: bool,
}

/// Trees that are remembered, and bytes of a name.
const TREES: usize = 64;
const NAME: usize = 256;
const CONNECT: u16 = 3;
const READ: u16 = 8;
const WRITE: u16 = 9;
const IOCTL: u16 = 11;
const PIPE_SHARE: u8 = 2;

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        match wire.peek_u8() {
            Some(PLAIN) => {
                let mut words = Vec::new();
                while wire.remaining() > 0 && self.packet(wire, &mut words)? {}
                Ok(())
            }
            Some(TRANSFORMED) => encrypted(wire),
            _ => compressed(wire),
        }
    }
    fn memory_usage(&self) -> usize {
        size_of_val(self) + (self.connecting.len() + self.trees.len()) * NAME
    }
}

impl Session {
    /// A header with its message. Returns whether another one follows.
    fn packet(&mut self, wire: &mut Wire<'_>, words: &mut Vec<String>) -> Result<bool> {
        let start = wire.at();
        let Header { command, status, is_response, next, id, is_pipe } = self.header(wire)?;
        if !is_response {
            self.requests.ask(id, wire);
        } else if let Some(request) = self.requests.answer(&id) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        let pipe = self.pipe(wire, (command, is_response), (id, is_pipe));
        let name = name_of(COMMANDS, command.into()).unwrap_or("unknown command");
        if words.is_empty() {
            wire.name(&format!("{name} {}", if is_response { "response" } else { "request" }));
        }
        let length = if next == 0 { wire.remaining() } else { next.saturating_sub(HEADER) };
        let mut word = String::new();
        let read = wire.within(length, &DATA, |wire| {
            let packet = commands::Packet { start, command, status, pipe };
            commands::body(wire, packet, &mut word)?;
            // The next message begins at a multiple of eight.
            if next > 0 {
                wire.rest(&PADDING);
            }
            Ok(())
        });
        if command == CONNECT && !is_response {
            self.connects(id, &word, wire);
        }
        summarize(words, name, status, &word);
        wire.info(format_args!("{}", words.join("; ")));
        read.map(|()| next >= HEADER)
    }

    /// A header, which names the command and the tree.
    fn header(&mut self, wire: &mut Wire<'_>) -> Result<Header> {
        wire.u32_be(&MAGIC)?;
        wire.u16_le(&HEADER_LENGTH)?;
        wire.u16_le(&CHARGE)?;
        let flags = wire.ahead().get(8..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (is_response, is_async) = (FLAG_RESPONSE.bits_of(flags.into()) != 0, FLAG_ASYNC.bits_of(flags.into()) != 0);
        let status = if is_response {
            Some(wire.u32_le(&STATUS)?)
        } else {
            wire.u16_le(&CHANNEL)?;
            wire.bytes(&RESERVED, 2)?;
            None
        };
        let command = wire.u16_le(&COMMAND)?;
        wire.u16_le(if is_response { &GRANTED } else { &REQUESTED })?;
        let bits = [&FLAG_RESPONSE, &FLAG_ASYNC, &FLAG_CHAINED, &FLAG_SIGNED, &FLAG_DFS, &FLAG_REPLAY];
        wire.flags_le(&FLAGS, 4, &bits)?;
        let next = wire.u32_le(&CHAIN)? as usize;
        let id = wire.u64_le(&MESSAGE_ID)?;
        let is_pipe = if is_async {
            wire.u64_le(&ASYNC_ID)?;
            false
        } else {
            wire.u32_le(&PROCESS)?;
            self.tree(wire, id, command, status)?
        };
        wire.u64_le(&SESSION)?;
        wire.bytes(&SIGNATURE, 16)?;
        Ok(Header { command, status, is_response, next, id, is_pipe })
    }

    /// The tree of a message. Returns whether its share holds pipes.
    fn tree(&mut self, wire: &mut Wire<'_>, id: u64, command: u16, status: Option<u32>) -> Result<bool> {
        let tree = wire.u32_le(&TREE_ID)?;
        if command == CONNECT && status == Some(0) {
            // The share type follows the structure size, with 24 bytes of the header left.
            let kind = wire.ahead().get(26).copied().unwrap_or_default();
            self.connected((id, tree, kind), wire);
        }
        let Some((_, kind, name)) = self.trees.iter().find(|(known, ..)| *known == tree) else { return Ok(false) };
        wire.add_text(&TREE, format_args!("{name}"));
        if command != CONNECT {
            wire.add(&SHARE_TYPE, Value::Unsigned((*kind).into()));
        }
        Ok(*kind == PIPE_SHARE)
    }
}

impl Session {
    /// The pipe of a message on it: the volatile half of its file ID. The response to a request to read names none.
    fn pipe(&mut self, wire: &mut Wire<'_>, message: (u16, bool), (id, is_pipe): (u64, bool)) -> Option<u64> {
        let file = |at: usize| wire.ahead().get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes));
        match message {
            (IOCTL, _) => file(16),
            (WRITE, false) if is_pipe => file(24),
            (READ, false) if is_pipe => {
                let file = file(24)?;
                if self.reads.len() >= TREES {
                    self.reads.pop_front();
                    wire.evicted(format_args!("the oldest of more than {TREES} requests to read a pipe"));
                }
                self.reads.push_back((id, file));
                None
            }
            (READ, true) => self.reads.iter().rev().find(|(known, _)| *known == id).map(|(_, file)| *file),
            _ => None,
        }
    }

    /// Keeps the name of a tree that a request names.
    fn connects(&mut self, id: u64, name: &str, wire: &mut Wire<'_>) {
        if self.connecting.len() >= TREES {
            self.connecting.pop_front();
            wire.evicted(format_args!("the oldest of more than {TREES} requests for trees"));
        }
        self.connecting.push_back((id, name.chars().take(NAME).collect()));
    }

    /// Stores the tree ID of a response.
    fn connected(&mut self, (id, tree, kind): (u64, u32, u8), wire: &mut Wire<'_>) {
        let place = self.connecting.iter().position(|(known, _)| *known == id);
        let Some((_, name)) = place.and_then(|place| self.connecting.remove(place)) else { return };
        self.trees.retain(|(known, ..)| *known != tree);
        if self.trees.len() >= TREES {
            self.trees.pop_front();
            wire.evicted(format_args!("the oldest of more than {TREES} trees"));
        }
        self.trees.push_back((tree, kind, name));
    }
}

/// Adds a message to a summary.
fn summarize(words: &mut Vec<String>, name: &str, status: Option<u32>, word: &str) {
    /// Most messages of a chain that a summary names.
    const SHOWN: usize = 8;
    let failed = status.filter(|status| *status != 0);
    let failed =
        failed.map(|status| name_of(STATUSES, status.into()).map_or_else(|| format!("status {status:#010x}"), str::to_owned));
    let own =
        [failed.as_deref().unwrap_or_default(), word].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if words.len() < SHOWN {
        words.push(match (words.is_empty(), own.is_empty()) {
            (true, _) => own,
            (false, true) => name.to_owned(),
            (false, false) => format!("{name} {own}"),
        });
    }
}

fn encrypted(wire: &mut Wire<'_>) -> Result {
    wire.name("encrypted");
    wire.u32_be(&MAGIC)?;
    wire.bytes(&TRANSFORM_SIGNATURE, 16)?;
    wire.bytes(&NONCE, 16)?;
    let size = wire.u32_le(&TRANSFORM_SIZE)?;
    wire.info(format_args!("{size} bytes"));
    wire.bytes(&TRANSFORM_RESERVED, 2)?;
    wire.u16_le(&TRANSFORM_FLAGS)?;
    wire.u64_le(&SESSION)?;
    wire.rest_is(&ENCRYPTED)
}

fn compressed(wire: &mut Wire<'_>) -> Result {
    wire.name("compressed");
    wire.u32_be(&MAGIC)?;
    let size = wire.u32_le(&ORIGINAL_SIZE)?;
    wire.info(format_args!("{size} bytes once decompressed"));
    wire.u16_le(&COMPRESSION)?;
    wire.u16_le(&COMPRESSION_FLAGS)?;
    wire.u32_le(&COMPRESSION_OFFSET)?;
    wire.rest_is(&COMPRESSED)
}
