//! RuneScape: the game protocol of revisions 225 to 550 and of OSRS 223 to 239, as spoken by preserved clients and servers.
//!
//! A TCP connection serves one purpose, chosen by its first byte. Numbers are big-endian unless the table says
//! otherwise.
//!
//! ```text
//! game      c2s 14 | name hash:1            s2c ignored:8 | response:1 | if 0 seed:8
//!           c2s login                       s2c response:1 | what that brings
//!           both packets
//! early     s2c seed:8, then as above from the login on                                    revision 225
//! update    c2s 15, then requests of 4      s2c ignored:8, then pieces of files
//! JS5       c2s 15 | revision:4, then 4     s2c status:1, then groups in blocks of 512
//! start-up  c2s "JAGGRAB /" path LF LF      s2c the file, then the end
//!
//! login     type:1 | size:1 | 255 | revision:2 | low memory:1 | CRC-32:4 × 9 | N:1 | block:N
//!           without 255 and with one byte for revisions below 255
//! block     10 | client seed:8 | server seed:8 | uid:4 | name LF | password LF             under RSA, or not
//! packet    opcode:1 | length as the table says: none, 1 or 2 bytes | payload
//! ```
//! After the login response, opcodes are encrypted with ISAAC, one word per packet. Some servers leave them in clear, which is
//! detected if no key is known. Packet layouts are in `tables/`, one file per revision. Not covered: the RSA block without a key,
//! and layouts that the tables mark as opaque.

mod detect;
mod direction;
mod fields;
mod game;
mod heuristics;
mod jaggrab;
mod js5;
mod keys;
mod log;
mod login;
mod ondemand;
mod osrs;
mod plain_opcodes;
mod reader;
mod resume;
mod services;
mod session;
mod session_log;
mod single_values;
pub mod statistics;
mod tables;
#[cfg(test)]
mod tests;
mod transfer;
mod types;
mod update;
mod value_names;
mod world;

use crate::tree::Side;
use crate::wire::{Edition, Heuristic, InvalidValue, KeyName, On, Protocol, Setting, ValueKind};
use fields::*;
use services::Midway;
pub use session_log::RSPROX;
pub use single_values::PROTOCOL as VALUES;
use tables::{Revision, Table};

pub static PROTOCOL: Protocol = Protocol::new(&RS, FIELDS).found(&[
        On::Tcp(43594).stream_with(Heuristic::Stream(heuristics::on_port), session::open),
        On::Tcp(43595).stream_with(Heuristic::Stream(heuristics::on_port), session::open),
        On::AnyTcp.stream_with(Heuristic::Stream(heuristics::anywhere), session::open),
    ]).rest(&DATA).truncated(&TRUNCATED).gap(&GAP).tables(table_fields).editions(editions).keys(KEYS).settings(&[
        Setting {
            name: "rs.revision",
            about: "Revision of the packet table, overriding the login: 317, osrs-239",
            takes: ValueKind::Known { check: revision, known: known_revision, unless: "rs.table" },
        },
        Setting {
            name: "rs.table",
            about: "File of packet rows: a whole table if it starts with the line of column names, otherwise replacements for single rows",
            takes: ValueKind::CheckedFile(Table::check),
        },
        Setting {
            name: "rs.rsa_key",
            about: "File of the server's private keys: PEM, or lines n = NUMBER and d = NUMBER",
            takes: ValueKind::CheckedFile(|text| keys::rsa_keys(text).map(drop)),
        },
        Setting {
            name: "rs.keys",
            about: "File of lines with the server's seed and the client's, 16 hexadecimal digits each",
            takes: ValueKind::CheckedFile(|text| keys::log(text).map(drop)),
        },
        Setting {
            name: "rs.isaac",
            about: "The client's four seeds, S0,S1,S2,S3, or off when opcodes are in clear",
            takes: ValueKind::Checked(|text| keys::isaac(text).map(drop)),
        },
        Setting {
            name: "rs.service",
            about: "Service of connections joined midway: js5 or update",
            takes: ValueKind::Checked(|text| Midway::parse(text).map(drop)),
        },
        Setting {
            name: "rs.player_index",
            about: "Index of the local player in sessions of OSRS whose login is not readable: 1 to 2047",
            takes: ValueKind::Checked(player_index),
        },
        Setting {
            name: "rs.npc_bits",
            about: "Bit width of NPC IDs on modified servers: 11 to 18",
            takes: ValueKind::Checked(npc_bits),
        },
    ]);

/// Keys of sessions.
const KEYS: &[KeyName] = &[
    KeyName {
        name: keys::ISAAC,
        about: "The client's four seeds, 16 bytes, or \"off\" when opcodes are in clear",
        check: |value| keys::cipher_of(value).map(drop),
    },
    KeyName {
        name: keys::RSA,
        about: "The server's private key in DER: base64: and the lines of its PEM file",
        check: |value| keys::rsa_of(value).map(drop),
    },
];

fn revision(text: &str) -> Result<(), InvalidValue> {
    match Revision::parse(text) {
        Some(_) => Ok(()),
        None => Err(InvalidValue {
            line: None,
            message: format!("expected a number, or osrs- and a number; there are tables for {}", known_revisions()),
        }),
    }
}

fn known_revision(text: &str) -> Result<(), InvalidValue> {
    revision(text)?;
    if Table::revisions().any(|known| Revision::parse(text) == Some(known)) {
        return Ok(());
    }
    let words =
        format!("revision {text} has no table; there are tables for {}, or give one with -o rs.table=FILE", known_revisions());
    Err(InvalidValue { line: None, message: words })
}

fn known_revisions() -> String {
    let (osrs, older): (Vec<Revision>, Vec<Revision>) = Table::revisions().partition(|revision| revision.is_osrs);
    let mut names: Vec<String> = older.iter().map(Revision::to_string).collect();
    if let [first, .., last] = osrs[..] {
        names.push(format!("{first} to {last}"));
    }
    names.join(", ")
}

fn player_index(text: &str) -> Result<(), InvalidValue> {
    match text.parse() {
        Ok(1..=2047_u16) => Ok(()),
        _ => Err(InvalidValue { line: None, message: "expected 1 to 2047".into() }),
    }
}

fn npc_bits(text: &str) -> Result<(), InvalidValue> {
    match text.parse() {
        Ok(11..=18_u8) => Ok(()),
        _ => Err(InvalidValue { line: None, message: "expected 11 to 18".into() }),
    }
}

/// Revisions with a table.
fn editions() -> Vec<Edition> {
    let edition = |table: std::sync::Arc<Table>| {
        let count = |side| table.rows(side).count();
        let complete = Side::BOTH.map(|side| table.rows(side).filter(|(_, row)| row.is_complete()).count());
        let (server, client) = (count(Side::Server), count(Side::Client));
        Edition { name: table.revision.to_string(), server, client, complete: complete.iter().sum() }
    };
    Table::all().map(edition).collect()
}

/// Fields defined by packet tables.
fn table_fields() -> Vec<&'static crate::tree::Field> {
    single_values::register_all();
    tables::fields()
}
