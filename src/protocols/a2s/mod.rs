//! A2S: server queries of Valve games for information, players and rules.
//!
//! Numbers are little-endian, texts end with a NUL.
//!
//! ```text
//! ff ff ff ff | type:1 | body
//!   T  "Source Engine Query" | challenge:4, if given            information
//!   U  challenge:4                                              players
//!   V  challenge:4                                              rules
//!   A  challenge:4                                              challenge to repeat
//!   I  protocol:1 | name | map | folder | game | id:2 | players:1 | most:1 | bots:1 | type:1 | system:1 | password:1 | VAC:1
//!      | mode:1 | witnesses:1 | duration:1, if The Ship | version | flags:1 | port:2 (80) | Steam id:8 (10) | relay port:2, name (40) | keywords (20) | game id:8 (01)
//!   m  address | name | map | folder | game | players:1 | most:1 | protocol:1 | type:1 | system:1 | password:1 | …       GoldSource
//!   D  count:1 | (index:1 | name | score:4 | seconds:4) … | (deaths:4 | money:4) …, if The Ship
//!   E  count:2 | (name | value) …
//! fe ff ff ff | id:4 | part of a split response
//! ```
//! The Ship adds deaths and money after all players in some descriptions, after each player in others; the length determines
//! which. Facts: "Server queries" of the Valve Developer Community.

mod split;

use crate::tree::{Field, Names, Side, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&A2S, FIELDS).found(&[On::AnyUdp.exchange::<Pending>(Heuristic::Datagram(detect))]).rest(&DATA);

fields! {
    A2S = protocol("a2s", "A2S", "Valve server queries")
        .covers("Requests for server information, players and rules, with their responses; split and compressed responses");
    HEADER = number("a2s.header", "header", "Single or split response").hex(8).names(HEADERS).once();
    TYPE = number("a2s.type", "type", "").hex(2).names(TYPES).once();
    QUERY = text("a2s.query", "query", "Payload of the request").once();
    CHALLENGE = number("a2s.challenge", "challenge", "").hex(8).once();
    PROTOCOL_VERSION = number("a2s.info.protocol", "protocol", "Protocol version of the server").once();
    ADDRESS = text("a2s.info.address", "address", "");
    NAME = text("a2s.info.name", "name", "").once();
    MAP = text("a2s.info.map", "map", "").once();
    FOLDER = text("a2s.info.folder", "folder", "Folder of the game files").once();
    GAME = text("a2s.info.game", "game", "").once();
    APP_ID = number("a2s.info.app_id", "app id", "Steam application ID").once();
    PLAYERS = number("a2s.info.players", "players", "").once();
    MAX_PLAYERS = number("a2s.info.max_players", "max players", "").once();
    BOTS = number("a2s.info.bots", "bots", "").once();
    SERVER_TYPE = number("a2s.info.server_type", "server type", "Server type, an ASCII letter").hex(2).names(SERVERS).once();
    SYSTEM = number("a2s.info.environment", "system", "Operating system, an ASCII letter").hex(2).names(SYSTEMS).once();
    PASSWORD = bool("a2s.info.visibility", "password", "A password is required").once();
    VAC = bool("a2s.info.vac", "VAC", "Valve Anti-Cheat is active").once();
    MODE = number("a2s.info.ship.mode", "mode", "Game mode of The Ship").names(MODES).once();
    WITNESSES = number("a2s.info.ship.witnesses", "witnesses", "Witnesses required for an arrest").once();
    ARREST = number("a2s.info.ship.duration", "duration", "Seconds from a witnessed crime to the arrest").once();
    VERSION = text("a2s.info.version", "version", "").once();
    EXTRA = number("a2s.info.edf", "extra data", "Extra data flag: fields that follow").hex(2).once();
    HAS_PORT = bool("a2s.info.edf.port", "port follows", "").mask(0x80).once();
    HAS_STEAM_ID = bool("a2s.info.edf.steam_id", "Steam id follows", "").mask(0x10).once();
    HAS_RELAY = bool("a2s.info.edf.source_tv", "relay follows", "SourceTV port and name follow").mask(0x40).once();
    HAS_KEYWORDS = bool("a2s.info.edf.keywords", "keywords follow", "").mask(0x20).once();
    HAS_GAME_ID = bool("a2s.info.edf.game_id", "game id follows", "64-bit game ID follows").mask(0x01).once();
    PORT = number("a2s.info.port", "port", "Port of the game").once();
    STEAM_ID = number("a2s.info.steam_id", "Steam id", "").once();
    RELAY_PORT = number("a2s.info.source_tv.port", "relay port", "");
    RELAY_NAME = text("a2s.info.source_tv.name", "relay name", "");
    KEYWORDS = text("a2s.info.keywords", "keywords", "").once();
    GAME_ID = number("a2s.info.game_id", "game id", "64-bit game ID").once();
    COUNT = number("a2s.count", "count", "").once();
    PLAYER = group("a2s.player", "player", "").titled(title::key);
    PLAYER_INDEX = number("a2s.player.index", "index", "Always 0").once_per(&PLAYER);
    PLAYER_NAME = text("a2s.player.name", "name", "").once_per(&PLAYER);
    SCORE = number("a2s.player.score", "score", "").once_per(&PLAYER);
    DURATION = float("a2s.player.duration", "time", "Seconds since the player connected").once_per(&PLAYER);
    DEATHS = number("a2s.player.deaths", "deaths", "");
    MONEY = number("a2s.player.money", "money", "");
    SHIP_PLAYER = group("a2s.ship_player", "player of The Ship", "In the order of the players");
    RULE = group("a2s.rule", "rule", "").named(title::key, title::last_value, title::nothing);
    RULE_NAME = text("a2s.rule.name", "name", "").once_per(&RULE);
    RULE_VALUE = text("a2s.rule.value", "value", "").once_per(&RULE);
    PART_ID = number("a2s.part.id", "part of", "ID shared by the parts of a response").hex(8).once();
    JOINED_HEADER = number("a2s.joined.header", "header", "Header of the joined response").hex(8).names(HEADERS).once();
    PART_COUNT = number("a2s.part.count", "parts", "").once();
    PART_INDEX = number("a2s.part.index", "part", "Counted from 0").once();
    PART_SIZE = number("a2s.part.size", "part size", "Largest size of a part in bytes; since the Orange Box").once();
    DECOMPRESSED = number("a2s.part.decompressed_size", "decompressed size", "In bytes").once();
    CRC = number("a2s.part.crc", "CRC-32", "Of the decompressed response").hex(8).once();
    COMPRESSED = bytes("a2s.compressed", "compressed", "bzip2 data").once();
    BAD_COMPRESSION = odd("a2s.bad_compression", "bad compression", "Decompressed bytes differ from their size or CRC-32");
    PART_DATA = bytes("a2s.part.data", "part data", "").once();
    PART_CONFLICT = odd("a2s.part.conflict", "part conflict", "A part differs from an earlier one with its index");
    PARTS_MISSING = odd("a2s.parts_missing", "parts missing", "Reassembly of a response ended before all parts arrived");
    DATA = bytes("a2s.data", "data", "Undecoded bytes").once();
    RESPONSE_TO = number("a2s.response_to", "request in", "").once();
    TIME = float("a2s.time", "time", "Seconds since the request").once();
}

const HEADERS: Names = &[(0xffff_fffe, "part"), (0xffff_ffff, "whole")];
const TYPES: Names = &[
    (0x41, "challenge"),
    (0x44, "players"),
    (0x45, "rules"),
    (0x49, "info"),
    (0x54, "info request"),
    (0x55, "players request"),
    (0x56, "rules request"),
    (0x6d, "info, GoldSource"),
];
const SERVERS: Names =
    &[(0x44, "dedicated"), (0x4c, "listen"), (0x50, "relay"), (0x64, "dedicated"), (0x6c, "listen"), (0x70, "relay")];
const SYSTEMS: Names =
    &[(0x4c, "Linux"), (0x57, "Windows"), (0x6c, "Linux"), (0x6d, "macOS"), (0x6f, "macOS"), (0x77, "Windows")];

const MODES: Names = &[(0, "hunt"), (1, "elimination"), (2, "duel"), (3, "deathmatch"), (4, "VIP team"), (5, "team elimination")];

/// Steam application ID of The Ship.
const THE_SHIP: u16 = 2400;

const WHOLE: [u8; 4] = [0xff; 4];
const PART: [u8; 4] = [0xfe, 0xff, 0xff, 0xff];
const WORDS: &[u8] = b"Source Engine Query\0";

/// Heuristic: the payload of an info request, or a body of consistent length. Other protocols share the first four
/// bytes.
fn detect(bytes: &[u8]) -> bool {
    let Some((kind, body)) = bytes.strip_prefix(&WHOLE).and_then(<[u8]>::split_first) else { return false };
    let texts = |body: &[u8]| body.iter().filter(|byte| **byte == 0).count();
    match kind {
        b'T' => body.strip_prefix(WORDS).is_some_and(|rest| matches!(rest.len(), 0 | 4)),
        b'U' | b'V' | b'A' => body.len() == 4,
        b'I' => body.len() > 20 && body.first().is_some_and(|version| *version < 100) && texts(body) >= 5,
        b'D' => Ship::of(body).is_some(),
        b'E' => body.first_chunk().is_some_and(|count| {
            let count = usize::from(u16::from_le_bytes(*count));
            count > 0 && body.ends_with(&[0]) && texts(body.get(2..).unwrap_or_default()) == 2 * count
        }),
        b'm' => body.len() > 20 && texts(body) >= 5 && body.iter().take(7).all(|byte| (0x20..0x7f).contains(byte)),
        _ => false,
    }
}

/// Position of the fields of The Ship in a player list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ship {
    Nowhere,
    AfterAll,
    AfterEach,
}

impl Ship {
    /// Deaths and money.
    const SIZE: usize = 8;

    /// The place with which a list ends exactly at the last byte.
    fn of(body: &[u8]) -> Option<Ship> {
        let count = usize::from(*body.first()?);
        let left = |more| after_players(body, more).map(<[u8]>::len);
        match left(0) {
            Some(0) => Some(Ship::Nowhere),
            Some(left) if left == count * Ship::SIZE => Some(Ship::AfterAll),
            _ => (left(Ship::SIZE) == Some(0)).then_some(Ship::AfterEach),
        }
    }
}

/// The bytes after a player list with this many bytes after each player.
fn after_players(body: &[u8], more: usize) -> Option<&[u8]> {
    let (&count, mut rest) = body.split_first()?;
    for _ in 0..count {
        let end = memchr::memchr(0, rest.get(1..)?)?;
        rest = rest.get(end + 10 + more..)?;
    }
    Some(rest)
}

/// State of one conversation.
#[derive(Default)]
struct Pending {
    /// Requests by message type.
    requests: Requests<u8>,
    /// Parts of responses.
    parts: split::Parts,
}

impl Exchange for Pending {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(&PART) { self.part(wire) } else { self.whole(wire, &HEADER) }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        bytes.starts_with(&PART) && bytes.len() > 8
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.parts.memory_usage()
    }
}

impl Pending {
    fn whole(&mut self, wire: &mut Wire<'_>, header: &'static Field) -> Result {
        wire.u32_le(header)?;
        let kind = wire.u8(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        let question = match kind {
            b'I' | b'm' => Some(b'T'),
            b'D' => Some(b'U'),
            b'E' => Some(b'V'),
            _ => None,
        };
        match kind {
            b'T' => {
                wire.text_nul(&QUERY)?;
                self.requests.ask(kind, wire);
                if wire.remaining() > 0 { challenge(wire) } else { Ok(()) }
            }
            b'U' | b'V' => {
                self.requests.ask(kind, wire);
                challenge(wire)
            }
            b'A' => challenge(wire),
            _ => {
                match kind {
                    b'I' => info(wire)?,
                    b'm' => old_info(wire)?,
                    b'D' => players(wire)?,
                    _ => rules(wire)?,
                }
                if let Some(question) = question.and_then(|kind| self.requests.answer(&kind)) {
                    question.put(wire, &RESPONSE_TO, &TIME);
                }
                Ok(())
            }
        }
    }
}

fn challenge(wire: &mut Wire<'_>) -> Result {
    let number = wire.u32_le(&CHALLENGE)?;
    wire.info(format_args!("challenge {number:#010x}"));
    Ok(())
}

fn info(wire: &mut Wire<'_>) -> Result {
    wire.u8(&PROTOCOL_VERSION)?;
    let name = wire.text_nul(&NAME)?;
    let map = wire.text_nul(&MAP)?;
    wire.text_nul(&FOLDER)?;
    wire.text_nul(&GAME)?;
    let app = wire.u16_le(&APP_ID)?;
    let players = wire.u8(&PLAYERS)?;
    let most = wire.u8(&MAX_PLAYERS)?;
    let [name, map] = [name, map].map(String::from_utf8_lossy);
    wire.info(format_args!("{name}, {map}, {players}/{most}"));
    wire.u8(&BOTS)?;
    wire.u8(&SERVER_TYPE)?;
    wire.u8(&SYSTEM)?;
    wire.bool(&PASSWORD)?;
    wire.bool(&VAC)?;
    if app == THE_SHIP {
        wire.u8(&MODE)?;
        wire.u8(&WITNESSES)?;
        wire.u8(&ARREST)?;
    }
    wire.text_nul(&VERSION)?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    let extra = wire.flags(&EXTRA, 1, &[&HAS_PORT, &HAS_STEAM_ID, &HAS_RELAY, &HAS_KEYWORDS, &HAS_GAME_ID])?;
    let has = |field: &Field| field.bits_of(extra) != 0;
    if has(&HAS_PORT) {
        wire.u16_le(&PORT)?;
    }
    if has(&HAS_STEAM_ID) {
        wire.u64_le(&STEAM_ID)?;
    }
    if has(&HAS_RELAY) {
        wire.u16_le(&RELAY_PORT)?;
        wire.text_nul(&RELAY_NAME)?;
    }
    if has(&HAS_KEYWORDS) {
        wire.text_nul(&KEYWORDS)?;
    }
    if has(&HAS_GAME_ID) {
        wire.u64_le(&GAME_ID)?;
    }
    Ok(())
}

fn old_info(wire: &mut Wire<'_>) -> Result {
    wire.text_nul(&ADDRESS)?;
    let name = wire.text_nul(&NAME)?;
    let map = wire.text_nul(&MAP)?;
    wire.text_nul(&FOLDER)?;
    wire.text_nul(&GAME)?;
    let players = wire.u8(&PLAYERS)?;
    let most = wire.u8(&MAX_PLAYERS)?;
    let [name, map] = [name, map].map(String::from_utf8_lossy);
    wire.info(format_args!("{name}, {map}, {players}/{most}"));
    wire.u8(&PROTOCOL_VERSION)?;
    wire.u8(&SERVER_TYPE)?;
    wire.u8(&SYSTEM)?;
    wire.bool(&PASSWORD)?;
    wire.rest_is(&DATA)
}

fn players(wire: &mut Wire<'_>) -> Result {
    let ship = Ship::of(wire.ahead());
    let count = wire.u8(&COUNT)?;
    wire.info(format_args!("{count} players"));
    for _ in 0..count {
        wire.group(&PLAYER, |wire| {
            wire.u8(&PLAYER_INDEX)?;
            wire.text_nul(&PLAYER_NAME)?;
            wire.i32_le(&SCORE)?;
            wire.f32_le(&DURATION)?;
            if ship == Some(Ship::AfterEach) { deaths_and_money(wire) } else { Ok(()) }
        })?;
    }
    if ship == Some(Ship::AfterAll) {
        for _ in 0..count {
            wire.group(&SHIP_PLAYER, deaths_and_money)?;
        }
    }
    Ok(())
}

fn deaths_and_money(wire: &mut Wire<'_>) -> Result {
    wire.u32_le(&DEATHS)?;
    wire.u32_le(&MONEY).map(drop)
}

fn rules(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&COUNT)?;
    wire.info(format_args!("{count} rules"));
    for _ in 0..count {
        wire.group(&RULE, |wire| {
            let name = wire.text_nul(&RULE_NAME)?;
            let value = wire.at();
            let length = wire.text_nul(&RULE_VALUE)?.len();
            wire.hide_named(name, value..value + length);
            Ok(())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
