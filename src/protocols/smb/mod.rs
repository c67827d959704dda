//! SMB 1 (MS-CIFS): files, printers and pipes of a server.
//!
//! ```text
//! header    ff 'SMB' | command:1 | status:4, or class:1 reserved:1 code:2 | flags:1 | flags2:2 | process, high:2 | signature:8 |
//!           reserved:2 | tree:2 | process:2 | user:2 | multiplex:2
//! command   words:1 | parameters:words × 2 | bytes:2 | data
//! AndX      next command:1 | reserved:1 | offset:2, in front of the parameters; ff is the last one
//! ```
//! Numbers are little-endian. Texts are UTF-16 at an even offset if a flag is set.

mod commands;
mod fields;
mod names;
#[cfg(test)]
mod tests;

use crate::tree::{Field, Side, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use fields::*;
use names::COMMANDS;
use std::collections::VecDeque;

pub static PROTOCOL: Protocol =
    Protocol::new(&SMB, FIELDS).found(&[On::Over("nbss").exchange::<Session>(Heuristic::Datagram(recognize))]).rest(&DATA);

fn recognize(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xffSMB")
}

/// A request: its multiplex and process IDs.
type Id = (u16, u16);

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<Id>,
    /// Paths of trees that are being connected.
    connecting: VecDeque<(Id, String)>,
    /// Connected trees by ID.
    trees: VecDeque<(u16, String)>,
    /// Pipes of transactions, by request.
    pipes: VecDeque<(Id, u16)>,
}

/// Trees and pipes that are remembered, and bytes of a path.
const MOST: usize = 64;
const PATH_LENGTH: usize = 256;
const HEADER: usize = 32;

/// The bits of the second flags.
const MORE_FLAGS: &[&Field] = &[
    &FLAG_UNICODE,
    &FLAG_NT_ERROR,
    &FLAG_ROE,
    &FLAG_DFS,
    &FLAG_ESN,
    &FLAG_REPARSE,
    &FLAG_LONG_USED,
    &FLAG_REQUIRED,
    &FLAG_COMPRESSED,
    &FLAG_SIGNED,
    &FLAG_EA,
    &FLAG_LONG,
];

/// The status or, before NT LM 0.12, class and code of an error.
fn failure(wire: &mut Wire<'_>, flags2: u16) -> Result<String> {
    if FLAG_NT_ERROR.bits_of(flags2.into()) != 0 {
        let status = wire.u32_le(&STATUS)?;
        return Ok(name_of(STATUS.names, status.into()).map_or_else(|| format!("status {status:#010x}"), str::to_owned));
    }
    let class = wire.u8(&ERROR_CLASS)?;
    wire.bytes(&RESERVED, 1)?;
    let code = wire.u16_le(&ERROR_CODE)?;
    Ok(format!("{} {code}", name_of(ERROR_CLASS.names, class.into()).unwrap_or("error")))
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let (start, ahead) = (wire.at(), wire.ahead());
        wire.u32_le(&COMPONENT)?;
        let command = wire.u8(&COMMAND)?;
        let flags2 = ahead.get(10..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let failure = failure(wire, flags2)?;
        let bits = [&FLAG_RESPONSE, &FLAG_NOTIFY, &FLAG_OPLOCK, &FLAG_CANON, &FLAG_CASELESS, &FLAG_RECEIVE, &FLAG_LOCK];
        let is_response = FLAG_RESPONSE.bits_of(wire.flags(&FLAGS, 1, &bits)?) != 0;
        wire.flags_le(&FLAGS2, 2, MORE_FLAGS)?;
        wire.u16_le(&PID_HIGH)?;
        wire.bytes(&SIGNATURE, 8)?;
        wire.bytes(&RESERVED, 2)?;
        let tree = wire.u16_le(&TREE_ID)?;
        let process = wire.u16_le(&PROCESS)?;
        wire.u16_le(&USER)?;
        let id = wire.u16_le(&MULTIPLEX)?;
        if !is_response {
            self.requests.ask((id, process), wire);
        } else if let Some(request) = self.requests.answer(&(id, process)) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        let name = name_of(COMMANDS, command.into()).unwrap_or("unknown command");
        wire.name(&format!("{name} {}", if is_response { "response" } else { "request" }));
        // The status is zero without an error.
        let has_failed = is_response && ahead.get(5..9).is_some_and(|error| error != [0; 4]);
        let mut words = if has_failed { vec![failure] } else { Vec::new() };
        let is_wide = FLAG_UNICODE.bits_of(flags2.into()) != 0;
        let pipe = self.pipe(ahead, command, is_response, (id, process), wire);
        let mut packet = commands::Packet { start, is_response, is_wide, pipe, path: None };
        if is_response && !has_failed {
            self.connected((id, process), tree, wire);
        }
        if let Some((_, path)) = self.trees.iter().find(|(known, _)| *known == tree) {
            wire.add_text(&PATH, format_args!("{path}"));
        }
        let read = commands::chain(wire, &mut packet, command, &mut words);
        if let Some(path) = packet.path {
            keep(&mut self.connecting, ((id, process), path.chars().take(PATH_LENGTH).collect()), "requests for trees", wire);
        }
        wire.info(format_args!("{}", words.join(", ")));
        read
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self)
            + (self.connecting.len() + self.trees.len()) * PATH_LENGTH
            + self.pipes.capacity() * size_of::<(Id, u16)>()
    }
}

impl Session {
    /// Stores the tree ID of a response.
    fn connected(&mut self, id: Id, tree: u16, wire: &mut Wire<'_>) {
        let place = self.connecting.iter().position(|(known, _)| *known == id);
        let Some((_, path)) = place.and_then(|place| self.connecting.remove(place)) else { return };
        self.trees.retain(|(known, _)| *known != tree);
        keep(&mut self.trees, (tree, path), "trees", wire);
    }

    /// The pipe of a transaction. Only the request names it, in its setup words.
    fn pipe(&mut self, ahead: &[u8], command: u8, is_response: bool, id: Id, wire: &mut Wire<'_>) -> Option<u16> {
        const SETUP: usize = HEADER + 1 + 2 * 14;
        const TRANSACT_PIPE: [u8; 2] = [0x26, 0];
        if command != commands::TRANSACT {
            return None;
        }
        if is_response {
            return self.pipes.iter().rev().find(|(known, _)| *known == id).map(|(_, pipe)| *pipe);
        }
        let pipe = u16::from_le_bytes(*ahead.get(SETUP..)?.strip_prefix(&TRANSACT_PIPE)?.first_chunk()?);
        self.pipes.retain(|(known, _)| *known != id);
        keep(&mut self.pipes, (id, pipe), "transactions of pipes", wire);
        Some(pipe)
    }
}

/// Remembers an entry. The oldest is evicted at the limit.
fn keep<T>(entries: &mut VecDeque<T>, entry: T, what: &str, wire: &mut Wire<'_>) {
    if entries.len() >= MOST {
        entries.pop_front();
        wire.evicted(format_args!("the oldest of more than {MOST} {what}"));
    }
    entries.push_back(entry);
}
