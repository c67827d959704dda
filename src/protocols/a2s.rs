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
//!      | version | flags:1 | port:2 (80) | Steam id:8 (10) | relay port:2, name (40) | keywords (20) | game id:8 (01)
//!   m  address | name | map | folder | game | players:1 | most:1 | protocol:1 | type:1 | system:1 | password:1 | …       GoldSource
//!   D  count:1 | (index:1 | name | score:4 | seconds:4) …
//!   E  count:2 | (name | value) …
//! fe ff ff ff | id:4 | part of a split response
//!   Source        count:1 | index:1 | size:2 | decompressed size:4 | CRC-32:4, if the id's highest bit is set and the index is 0
//!   GoldSource    index:4 bits | count:4 bits
//! ```
//! Not covered: responses compressed with bzip2; parts of games before the Orange Box, which have no size; additional fields
//! of The Ship.

use super::parts::{Given, Part, Splits, Took};
use crate::tree::{Field, Names, Side, Value, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

/// Valve server query protocol.
pub static PROTOCOL: Protocol =
    Protocol::new(&A2S, FIELDS, &[On::AnyUdp.exchange(Heuristic::Datagram(looks), |_| Box::<Asked>::default())]).rest(&DATA);

fields! {
    A2S = protocol("a2s", "A2S", "Valve server queries")
        .covers("Requests for server information, players and rules, with their responses; split responses joined")
        .leaves_open("Compressed responses, and additional fields of The Ship");
    HEADER = number("a2s.header", "header", "Single or split response").hex(8).names(HEADERS).once();
    TYPE = number("a2s.type", "type", "Message type").hex(2).names(TYPES).once();
    QUERY = text("a2s.query", "query", "Payload of the request").once();
    CHALLENGE = number("a2s.challenge", "challenge", "Challenge given by the server").hex(8).once();
    PROTOCOL_VERSION = number("a2s.info.protocol", "protocol", "Protocol version of the server").once();
    ADDRESS = text("a2s.info.address", "address", "Address of the server");
    NAME = text("a2s.info.name", "name", "Server name").once();
    MAP = text("a2s.info.map", "map", "").once();
    FOLDER = text("a2s.info.folder", "folder", "Folder of the game files").once();
    GAME = text("a2s.info.game", "game", "").once();
    APP_ID = number("a2s.info.app_id", "app id", "Steam application ID").once();
    PLAYERS = number("a2s.info.players", "players", "Number of players").once();
    MAX_PLAYERS = number("a2s.info.max_players", "max players", "Maximum number of players").once();
    BOTS = number("a2s.info.bots", "bots", "Number of bots").once();
    SERVER_TYPE = number("a2s.info.server_type", "server type", "Server type, an ASCII letter").hex(2).names(SERVERS).once();
    SYSTEM = number("a2s.info.environment", "system", "Operating system, an ASCII letter").hex(2).names(SYSTEMS).once();
    PASSWORD = bool("a2s.info.visibility", "password", "A password is required").once();
    VAC = bool("a2s.info.vac", "VAC", "Valve Anti-Cheat is active").once();
    VERSION = text("a2s.info.version", "version", "Version of the game").once();
    EXTRA = number("a2s.info.edf", "extra data", "Extra data flag: fields that follow").hex(2).once();
    HAS_PORT = bool("a2s.info.edf.port", "port follows", "").mask(0x80).once();
    HAS_STEAM_ID = bool("a2s.info.edf.steam_id", "Steam id follows", "").mask(0x10).once();
    HAS_RELAY = bool("a2s.info.edf.source_tv", "relay follows", "SourceTV port and name follow").mask(0x40).once();
    HAS_KEYWORDS = bool("a2s.info.edf.keywords", "keywords follow", "").mask(0x20).once();
    HAS_GAME_ID = bool("a2s.info.edf.game_id", "game id follows", "64-bit game ID follows").mask(0x01).once();
    PORT = number("a2s.info.port", "port", "Port of the game").once();
    STEAM_ID = number("a2s.info.steam_id", "Steam id", "Steam ID of the server").once();
    RELAY_PORT = number("a2s.info.source_tv.port", "relay port", "SourceTV port");
    RELAY_NAME = text("a2s.info.source_tv.name", "relay name", "SourceTV name");
    KEYWORDS = text("a2s.info.keywords", "keywords", "").once();
    GAME_ID = number("a2s.info.game_id", "game id", "64-bit game ID").once();
    COUNT = number("a2s.count", "count", "Number of entries").once();
    PLAYER = group("a2s.player", "player", "").titled(title::key);
    PLAYER_INDEX = number("a2s.player.index", "index", "Always 0").once_per(&PLAYER);
    PLAYER_NAME = text("a2s.player.name", "name", "").once_per(&PLAYER);
    SCORE = number("a2s.player.score", "score", "").once_per(&PLAYER);
    DURATION = float("a2s.player.duration", "time", "Seconds since the player connected").once_per(&PLAYER);
    RULE = group("a2s.rule", "rule", "Server rule").named(title::key, title::last_value, title::nothing);
    RULE_NAME = text("a2s.rule.name", "name", "").once_per(&RULE);
    RULE_VALUE = text("a2s.rule.value", "value", "").once_per(&RULE);
    PART_ID = number("a2s.part.id", "part of", "ID shared by the parts of a response").hex(8).once();
    JOINED_HEADER = number("a2s.joined.header", "header", "Header of the joined response").hex(8).names(HEADERS).once();
    PART_COUNT = number("a2s.part.count", "parts", "Number of parts of the response").once();
    PART_INDEX = number("a2s.part.index", "part", "Counted from 0").once();
    PART_SIZE = number("a2s.part.size", "part size", "Largest size of a part in bytes").once();
    DECOMPRESSED = number("a2s.part.decompressed_size", "decompressed size", "In bytes").once();
    CRC = number("a2s.part.crc", "CRC-32", "Of the decompressed response").hex(8).once();
    PART_DATA = bytes("a2s.part.data", "part data", "").once();
    PART_CONFLICT = odd("a2s.part.conflict", "part conflict", "A part differs from an earlier one with its index");
    PARTS_MISSING = odd("a2s.parts_missing", "parts missing", "A response was given up before all of its parts came");
    DATA = bytes("a2s.data", "data", "Undecoded bytes").once();
    RESPONSE_TO = number("a2s.response_to", "request in", "Frame number of the request").once();
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

const WHOLE: [u8; 4] = [0xff; 4];
const PART: [u8; 4] = [0xfe, 0xff, 0xff, 0xff];
const WORDS: &[u8] = b"Source Engine Query\0";

/// Heuristic: the payload of an info request, or a body of consistent length. Other protocols share the first four
/// bytes.
fn looks(bytes: &[u8]) -> bool {
    let Some((kind, body)) = bytes.strip_prefix(&WHOLE).and_then(<[u8]>::split_first) else { return false };
    let texts = |body: &[u8]| body.iter().filter(|byte| **byte == 0).count();
    match kind {
        b'T' => body.strip_prefix(WORDS).is_some_and(|rest| matches!(rest.len(), 0 | 4)),
        b'U' | b'V' | b'A' => body.len() == 4,
        b'I' => body.len() > 20 && body.first().is_some_and(|version| *version < 100) && texts(body) >= 5,
        b'D' => players_fit(body),
        b'E' => body.first_chunk().is_some_and(|count| {
            let count = usize::from(u16::from_le_bytes(*count));
            count > 0 && body.ends_with(&[0]) && texts(body.get(2..).unwrap_or_default()) == 2 * count
        }),
        b'm' => body.len() > 20 && texts(body) >= 5 && body.iter().take(7).all(|byte| (0x20..0x7f).contains(byte)),
        _ => false,
    }
}

/// Whether a player list ends exactly at the last byte.
fn players_fit(body: &[u8]) -> bool {
    let Some((&count, mut rest)) = body.split_first() else { return false };
    for _ in 0..count {
        let end = rest.get(1..).and_then(|name| memchr::memchr(0, name));
        let Some(next) = end.and_then(|end| rest.get(end + 10..)) else { return false };
        rest = next;
    }
    rest.is_empty()
}

/// How parts become a response.
const PARTS: &str = "a2s parts";

/// State of one conversation.
#[derive(Default)]
struct Asked {
    /// Requests by message type.
    requests: Requests<u8>,
    /// Parts of responses.
    parts: Splits,
}

impl Exchange for Asked {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(&PART) { self.part(wire) } else { self.whole(wire, &HEADER) }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        bytes.starts_with(&PART) && bytes.len() > 8
    }

    fn held(&self) -> usize {
        size_of_val(self) + self.parts.held()
    }
}

/// Whether the bytes behind the id are those of a GoldSource part: the index is in the same byte as the count.
fn is_goldsource(behind: &[u8]) -> bool {
    let Some(&[count, index, low, high]) = behind.first_chunk() else { return true };
    index >= count || !(256..=1400).contains(&u16::from_le_bytes([low, high]))
}

impl Asked {
    /// Dissects a part, and the response that it completes.
    fn part(&mut self, wire: &mut Wire<'_>) -> Result {
        const COMPRESSED: u32 = 1 << 31;
        wire.u32_le(&HEADER)?;
        wire.name("part of an answer");
        let id = wire.u32_le(&PART_ID)?;
        wire.info(format_args!("id {id:#010x}"));
        let (count, index) = if is_goldsource(wire.ahead()) {
            let both = wire.peek_u8().unwrap_or_default();
            let range = wire.at()..wire.at() + 1;
            wire.put(&PART_INDEX, Value::Unsigned((both >> 4).into()), range.clone());
            wire.put(&PART_COUNT, Value::Unsigned((both & 0x0f).into()), range);
            wire.skip(1)?;
            (both & 0x0f, both >> 4)
        } else {
            let (count, index) = (wire.u8(&PART_COUNT)?, wire.u8(&PART_INDEX)?);
            wire.u16_le(&PART_SIZE)?;
            if id & COMPRESSED != 0 && index == 0 {
                wire.u32_le(&DECOMPRESSED)?;
                wire.u32_le(&CRC)?;
            }
            (count, index)
        };
        wire.info(format_args!("{} of {count}, id {id:#010x}", u16::from(index) + 1));
        let (start, bytes) = (wire.at(), wire.rest(&PART_DATA));
        if index >= count || bytes.is_empty() {
            return Ok(());
        }
        let piece = wire.piece(start..start + bytes.len(), 0);
        let part = Part { id: id.into(), count: count.into(), index: index.into(), bytes, piece };
        let given_up =
            |given: Given| wire.note_layer(&PARTS_MISSING, format_args!("{} of {} parts came", given.came, given.count));
        match self.parts.take(part, given_up) {
            Took::Waits | Took::Repeated => Ok(()),
            Took::Conflict => {
                wire.note(&PART_CONFLICT, format_args!("part {index} came before with other bytes"));
                Ok(())
            }
            Took::Whole(joined) if joined.bytes.starts_with(&WHOLE) => {
                wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| self.whole(inner, &JOINED_HEADER))
            }
            Took::Whole(joined) => {
                wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| {
                    inner.rest(&DATA);
                });
                Ok(())
            }
        }
    }

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
    wire.u16_le(&APP_ID)?;
    let players = wire.u8(&PLAYERS)?;
    let most = wire.u8(&MAX_PLAYERS)?;
    let [name, map] = [name, map].map(String::from_utf8_lossy);
    wire.info(format_args!("{name}, {map}, {players}/{most}"));
    wire.u8(&BOTS)?;
    wire.u8(&SERVER_TYPE)?;
    wire.u8(&SYSTEM)?;
    wire.bool(&PASSWORD)?;
    wire.bool(&VAC)?;
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
    wire.rest(&DATA);
    Ok(())
}

fn players(wire: &mut Wire<'_>) -> Result {
    let count = wire.u8(&COUNT)?;
    wire.info(format_args!("{count} players"));
    for _ in 0..count {
        wire.group(&PLAYER, |wire| {
            wire.u8(&PLAYER_INDEX)?;
            wire.text_nul(&PLAYER_NAME)?;
            wire.i32_le(&SCORE)?;
            wire.f32_le(&DURATION).map(drop)
        })?;
    }
    Ok(())
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
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const REQUEST: &str = "ffffffff54536f7572636520456e67696e6520517565727900";
    const CHALLENGE: &str = "ffffffff410b1c2d3e";
    const AGAIN: &str = "ffffffff54536f7572636520456e67696e65205175657279000b1c2d3e";
    const INFO: &str = "ffffffff4911486172626f757200646d5f7175617900717561790051756179205761727300f000031001646c0001312e302e302e \
        3700b187690100000000004001646d2c6e6967687400f000000000000000";
    const PLAYERS_REQUEST: &str = "ffffffff550b1c2d3e";
    const PLAYERS: &str = "ffffffff44020066616c6b000c00000000007642006d6f737300ffffffff00005040";
    const RULES: &str = "ffffffff4502006d705f667269656e646c796669726500300073765f677261766974790038303000";
    const PART: &str = "feffffff01000000020072657374";

    fn read(asked: &mut Asked, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| asked.message(Side::Client, wire))
    }

    fn alone(hex: &str) -> String {
        read(&mut Asked::default(), hex)
    }

    #[test]
    fn a_request_gets_a_challenge_first() {
        insta::assert_snapshot!(alone(REQUEST), @r#"
        a2s 0..25 | info request
          0..4 a2s.header = 0xffffffff (whole)
          4..5 a2s.type = 0x54 (info request)
          5..25 a2s.query = "Source Engine Query"
        "#);
        insta::assert_snapshot!(alone(CHALLENGE), @r#"
        a2s 0..9 | challenge | challenge 0x3e2d1c0b
          0..4 a2s.header = 0xffffffff (whole)
          4..5 a2s.type = 0x41 (challenge)
          5..9 a2s.challenge = 0x3e2d1c0b
        "#);
    }

    #[test]
    fn server_information_is_read() {
        let mut asked = Asked::default();
        read(&mut asked, AGAIN);
        insta::assert_snapshot!(read(&mut asked, INFO), @r#"
        a2s 0..82 | info | Harbour, dm_quay, 3/16
          0..4 a2s.header = 0xffffffff (whole)
          4..5 a2s.type = 0x49 (info)
          5..6 a2s.info.protocol = 17
          6..14 a2s.info.name = "Harbour"
          14..22 a2s.info.map = "dm_quay"
          22..27 a2s.info.folder = "quay"
          27..37 a2s.info.game = "Quay Wars"
          37..39 a2s.info.app_id = 240
          39..40 a2s.info.players = 3
          40..41 a2s.info.max_players = 16
          41..42 a2s.info.bots = 1
          42..43 a2s.info.server_type = 0x64 (dedicated)
          43..44 a2s.info.environment = 0x6c (Linux)
          44..45 a2s.info.visibility = false
          45..46 a2s.info.vac = true
          46..54 a2s.info.version = "1.0.0.7"
          54..55 a2s.info.edf = 0xb1
            54..55 a2s.info.edf.port = true
            54..55 a2s.info.edf.steam_id = true
            54..55 a2s.info.edf.source_tv = false
            54..55 a2s.info.edf.keywords = true
            54..55 a2s.info.edf.game_id = true
          55..57 a2s.info.port = 27015
          57..65 a2s.info.steam_id = 90071992547409921
          65..74 a2s.info.keywords = "dm,night"
          74..82 a2s.info.game_id = 240
          a2s.response_to = 0
        "#);
    }

    #[test]
    fn players_and_rules_are_read() {
        insta::assert_snapshot!(alone(PLAYERS), @r#"
        a2s 0..34 | players | 2 players
          0..4 a2s.header = 0xffffffff (whole)
          4..5 a2s.type = 0x44 (players)
          5..6 a2s.count = 2
          6..20 a2s.player
            6..7 a2s.player.index = 0
            7..12 a2s.player.name = "falk"
            12..16 a2s.player.score = 12
            16..20 a2s.player.duration = 61.5
          20..34 a2s.player
            20..21 a2s.player.index = 0
            21..26 a2s.player.name = "moss"
            26..30 a2s.player.score = -1
            30..34 a2s.player.duration = 3.25
        "#);
        insta::assert_snapshot!(alone(RULES), @r#"
        a2s 0..40 | rules | 2 rules
          0..4 a2s.header = 0xffffffff (whole)
          4..5 a2s.type = 0x45 (rules)
          5..7 a2s.count = 2
          7..25 a2s.rule
            7..23 a2s.rule.name = "mp_friendlyfire"
            23..25 a2s.rule.value = "0"
          25..40 a2s.rule
            25..36 a2s.rule.name = "sv_gravity"
            36..40 a2s.rule.value = "800"
        "#);
    }

    #[test]
    fn parts_of_both_engines_are_joined() {
        let (first, second) = RULES.split_at(40);
        for heads in [["0200e004", "0201e004"], ["02", "12"]] {
            let mut asked = Asked::default();
            let [head, next] = heads.map(|head| format!("feffffff07000000{head}"));
            // The second part comes first.
            assert!(!read(&mut asked, &format!("{next}{second}")).contains("a2s.rule"));
            let joined = read(&mut asked, &format!("{head}{first}"));
            assert!(joined.starts_with("a2s 0..") && joined.contains("| rules | 2 rules"), "{joined}");
            assert!(
                joined.contains(r#"a2s.rule.value = "800""#) && joined.contains("a2s.joined.header = 0xffffffff"),
                "{joined}"
            );
        }
        let mut asked = Asked::default();
        let part = |index: &str| format!("feffffff0700000003{index}e004{first}");
        read(&mut asked, &part("00"));
        assert!(read(&mut asked, &part("00").replace("6d70", "6d71")).contains("a2s.part.conflict"));
    }

    #[test]
    fn looks_are_strict_and_parts_are_claimed() {
        for hex in [REQUEST, CHALLENGE, AGAIN, INFO, PLAYERS_REQUEST, PLAYERS, RULES] {
            assert!(looks(&trial::bytes(hex)), "{hex}");
        }
        for hex in ["ffffffff 54 53", "ffffffff 44 02 00 6100 0000", "ffffffff 45 0200 6100", "ffffffff 67", "ffffffff"] {
            assert!(!looks(&trial::bytes(hex)), "{hex}");
        }
        let part = trial::bytes(PART);
        assert!(!looks(&part) && Asked::default().claims(Side::Server, &part));
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        let bytes = trial::bytes(INFO);
        for cut in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| Asked::default().message(Side::Client, wire));
        }
        for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Asked::default().message(Side::Client, wire));
            assert!(dump.starts_with("a2s 0.."));
        }
    }
}
