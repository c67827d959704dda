//! Server query of Vice City: Multiplayer, used by server browsers. Numbers are little-endian.
//!
//! ```text
//! request   "VCMP" | address:4 | port:2 | opcode:1
//! reply     "MP04" (0.3 servers: "VCMP") | address:4 | port:2 | opcode:1 and, of opcode
//!   i info      version:12 | password:1 | players:2 | most players:2 | hostname | game mode | map name   length:4 | text each
//!   c clients   count:2 | names                                                                          length:1 | text each
//!   p ping      whatever the request held
//! ```
//! Not covered: `r`, `d` and `x`, to which these servers never respond.

use super::fields::{COUNT_MISMATCH, TRUNCATED};
use super::layout::read_text;
use super::text::{Quoted, text};
use super::versions;
use crate::tree::{Field, Side, Time, Timestamp, Transport, Value, fields};
use crate::wire::{Cut, Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&QUERY, FIELDS).found(&[On::AnyUdp.exchange::<Session>(Heuristic::Datagram(is_query))]).rest(&OPAQUE);

fields! {
    QUERY = protocol("vcmp.query", "VC:MP query", "Server query of Vice City: Multiplayer")
        .covers("Requests and replies of the server query");
    MAGIC = text("vcmp.query.magic", "magic", "VCMP in requests, MP04 in replies").once();
    IP = ipv4("vcmp.query.ip", "ip", "Address that the client queried").once();
    PORT = number("vcmp.query.port", "port", "Port that the client queried").once();
    OPCODE = text("vcmp.query.opcode", "opcode", "").once();
    SERVER_VERSION = text("vcmp.query.version", "version", "Release of the server").once();
    PASSWORD = bool("vcmp.query.password", "password", "A password is required").once();
    PLAYERS = number("vcmp.query.players", "players", "").once();
    MAX_PLAYERS = number("vcmp.query.max_players", "max players", "").once();
    TEXT_LEN = number("vcmp.query.len", "length", "In bytes");
    HOSTNAME = text("vcmp.query.hostname", "hostname", "Server name").once();
    GAMEMODE = text("vcmp.query.gamemode", "game mode", "").once();
    MAP_NAME = text("vcmp.query.map_name", "map name", "").once();
    PLAYER_COUNT = number("vcmp.query.player_count", "player count", "Number of names that follow").once();
    PLAYER_NAME = text("vcmp.query.player_name", "player name", "");
    OPAQUE = bytes("vcmp.query.opaque", "opaque", "Undocumented bytes");
    REQUEST_FRAME = number("vcmp.query.request_in", "request in frame", "").once();
    TIME = float("vcmp.query.time", "time", "Seconds from the request to the reply").once();
}

const REQUEST: [u8; 4] = *b"VCMP";
const REPLY: [u8; 4] = *b"MP04";

/// Bytes of a request, and header of a reply.
const HEAD: usize = 11;

/// Bytes of a version.
const VERSION_LEN: usize = 12;

/// Opcodes and their names.
const OPCODES: [(u8, &str); 6] =
    [(b'i', "info"), (b'c', "clients"), (b'p', "ping"), (b'r', "rules"), (b'd', "detailed_clients"), (b'x', "rcon")];

/// Whether a datagram is a request or a reply.
pub(super) fn is_query(datagram: &[u8]) -> bool {
    let is_known = datagram.get(HEAD - 1).is_some_and(|opcode| OPCODES.iter().any(|(known, _)| known == opcode));
    is_known && (datagram.starts_with(&REQUEST) || datagram.starts_with(&REPLY))
}

/// Last request of each opcode, with its time.
#[derive(Default)]
struct Session {
    asked: [Option<(u64, Time)>; OPCODES.len()],
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let is_long = wire.remaining() > HEAD;
        let magic = wire.text(&MAGIC, REQUEST.len())?;
        wire.bytes(&IP, 4)?;
        wire.u16_le(&PORT)?;
        let opcode = wire.text(&OPCODE, 1)?.first().copied().unwrap_or_default();
        let place = OPCODES.iter().position(|(known, _)| *known == opcode);
        let name = place.and_then(|place| OPCODES.get(place)).map_or("unknown", |(_, name)| *name);
        // Servers of 0.3 reply with the same magic: only a ping request can be this long.
        let is_reply = magic == REPLY || (is_long && opcode != b'p');
        wire.name(&format!("{name}_{}", if is_reply { "reply" } else { "request" }));
        wire.sent_by(if is_reply { Side::Server } else { Side::Client });
        let asked = place.and_then(|place| self.asked.get_mut(place));
        let result = match (is_reply, opcode) {
            (true, b'i') => info(wire),
            (true, b'c') => clients(wire),
            _ => wire.rest_is(&OPAQUE),
        };
        // Players connect from another port than the query.
        if let Some(server) = wire.ends().map(|[src, dst]| if is_reply { src } else { dst }) {
            wire.expect(Transport::Udp, server, super::SERVER);
        }
        match asked {
            Some(asked) if is_reply => answer(wire, asked.take()),
            Some(asked) => *asked = Some(wire.completed()),
            None => {}
        }
        result
    }
}

/// Adds the request of a reply and the response time.
fn answer(wire: &mut Wire<'_>, asked: Option<(u64, Time)>) {
    let Some((frame, then)) = asked else { return };
    wire.add(&REQUEST_FRAME, Value::Unsigned(frame));
    if let (Some(then), (_, Some(now))) = (then, wire.completed()) {
        wire.add(&TIME, Value::Double(seconds(now, then)));
    }
}

fn seconds(now: Timestamp, then: Timestamp) -> f64 {
    now.since(then) as f64 / 1e9
}

fn info(wire: &mut Wire<'_>) -> Result {
    let (start, version) = (wire.at(), wire.ahead().get(..VERSION_LEN).unwrap_or_default());
    wire.skip(VERSION_LEN)?;
    let version = version.split(|byte| *byte == 0).next().unwrap_or_default();
    wire.put_text(&SERVER_VERSION, start..wire.at(), format_args!("{}", text(version)));
    if let Some(version) = versions::of_server(version) {
        wire.remember(versions::FACT, version.number().into());
    }
    wire.bool(&PASSWORD)?;
    let players = wire.u16_le(&PLAYERS)?;
    let most = wire.u16_le(&MAX_PLAYERS)?;
    let hostname = long_text(wire, &HOSTNAME)?;
    wire.info(format_args!("{}, {players} of {most} players", Quoted(&text(hostname))));
    long_text(wire, &GAMEMODE)?;
    long_text(wire, &MAP_NAME)?;
    // Some servers append stale buffer contents.
    wire.rest_is(&OPAQUE)
}

fn long_text<'a>(wire: &mut Wire<'a>, field: &'static Field) -> Result<&'a [u8]> {
    let len = wire.u32_le(&TEXT_LEN)? as usize;
    let left = wire.remaining();
    if len > left && wire.cut() == Cut::No {
        return wire.malformed(&TRUNCATED, format_args!("{len} bytes declared, {left} left"));
    }
    read_text(wire, field, len)
}

fn clients(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&PLAYER_COUNT)?;
    wire.info(format_args!("{count} {}", if count == 1 { "player" } else { "players" }));
    for read in 0..count {
        let len = wire.ahead().first().map(|len| usize::from(*len));
        if len.is_none_or(|len| len >= wire.remaining()) && wire.cut() == Cut::No {
            wire.note_ahead(&COUNT_MISMATCH, format_args!("{count} names declared, {read} present"));
            return wire.rest_is(&OPAQUE);
        }
        let len = wire.u8(&TEXT_LEN)?;
        read_text(wire, &PLAYER_NAME, len.into())?;
    }
    wire.rest_is(&OPAQUE)
}
