//! GameSpy: server queries over UDP; `heartbeat` has the master server, `presence` what is sent over TCP. The first version of
//! queries is text; the fourth one is supported by Unreal Tournament 3 and Minecraft servers.
//!
//! Numbers are big-endian.
//!
//! ```text
//! first     \status\ or another query                request
//!           \key\value\key\value … \final\ or \queryid\  response
//! fourth    fe fd | type:1 | id:4 | challenge:4, if given | flags:4, if full                        request
//!           type:1 | id:4 | body                         response: type 9 a challenge as text, type 0 the information
//! ```
//! A response of the fourth version is recognized only by its request. A full one has one or more parts:
//! ```text
//! part       "splitnum" NUL | last:1 bit, number:7 bits | section …
//! section    0 | key | value | … | NUL
//!            1 players, 2 teams | (name of a column | number of its first row:1 | value … | NUL) … | NUL
//! ```
//! Not covered: the second version; encrypted server lists.

mod heartbeat;
mod presence;

use crate::tree::{Names, Side, fields, name_of, title};
use crate::wire::{DatagramContext, Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&GAMESPY, FIELDS)
    .found(&[
        On::Udp(heartbeat::PORT).exchange::<Pending>(Heuristic::InContext(is_of_master)),
        On::AnyUdp.exchange::<Pending>(Heuristic::Datagram(detect)),
        On::Tcp(presence::PRESENCE).stream::<presence::Session>(Heuristic::Stream(presence::on_port)),
        On::Tcp(presence::SEARCH).stream::<presence::Session>(Heuristic::Stream(presence::on_port)),
        On::Tcp(presence::LIST).stream::<presence::Session>(Heuristic::Stream(presence::on_port)),
        On::AnyTcp.stream::<presence::Session>(Heuristic::Stream(presence::anywhere)),
    ])
    .rest(&DATA);

fields! {
    GAMESPY = protocol("gamespy", "GameSpy", "GameSpy server queries, presence and server lists")
        .covers("Queries of the first and the fourth version; heartbeats; presence, search of players and server lists of the first version")
        .leaves_open("Queries of the second version; encrypted server lists");
    MAGIC = bytes("gamespy.magic", "magic", "0xfefd").once();
    TYPE = number("gamespy.type", "type", "").names(TYPES).once();
    ID = number("gamespy.id", "id", "Session ID, repeated by the response").hex(8).once();
    CHALLENGE = number("gamespy.challenge", "challenge", "").once();
    CHALLENGE_TEXT = text("gamespy.challenge_text", "challenge", "Challenge to repeat, as text");
    FLAGS = bytes("gamespy.flags", "flags", "Requested information");
    WORD = text("gamespy.query", "query", "").once();
    SEPARATOR = bytes("gamespy.separator", "separator", "");
    MASTER_TYPE = number("gamespy.master.type", "type", "").names(MASTER_TYPES).once();
    AVAILABILITY = number("gamespy.master.availability", "availability", "").names(AVAILABILITIES).once();
    GAME = text("gamespy.master.game", "game", "").once();
    RESPONSE_TEXT = text("gamespy.master.response", "response", "Proof of the game's key, as text").secret();
    SPLIT_KEY = text("gamespy.split.key", "key", "splitnum").once();
    IS_LAST = bool("gamespy.split.last", "last part", "").mask(0x80).once();
    PART = number("gamespy.split.number", "part", "").mask(0x7f).once();
    SECTION = number("gamespy.section", "section", "").names(SECTIONS);
    COLUMN = group("gamespy.column", "column", "Values of all players or teams").titled(title::kind);
    COLUMN_NAME = text("gamespy.column.name", "name", "").once_per(&COLUMN);
    FIRST_ROW = number("gamespy.column.first", "first row", "").once_per(&COLUMN);
    CELL = text("gamespy.column.value", "value", "");
    ENTRY = group("gamespy.server", "server", "Entry of a server list");
    ADDRESS = ipv4("gamespy.server.address", "address", "").once_per(&ENTRY);
    ENTRY_PORT = number("gamespy.server.port", "port", "").once_per(&ENTRY);
    SECRET_VALUE = text("gamespy.setting.secret", "value", "Password, or a proof of it").secret().once_per(&SETTING);
    SETTING = group("gamespy.setting", "setting", "Server property").named(title::key, title::last_value, title::nothing);
    KEY = text("gamespy.setting.key", "key", "").once_per(&SETTING);
    VALUE = text("gamespy.setting.value", "value", "").once_per(&SETTING);
    TEXT = text("gamespy.text", "text", "Part of the basic response");
    PORT = number("gamespy.port", "port", "Port of the game").once();
    DATA = bytes("gamespy.data", "data", "Undecoded bytes");
    RESPONSE_TO = number("gamespy.response_to", "request in", "").once();
    TIME = float("gamespy.time", "time", "Seconds since the request").once();
}

const TYPES: Names = &[(0, "information"), (9, "challenge")];
const MASTER_TYPES: Names = &[
    (1, "challenge"),
    (2, "echo"),
    (3, "heartbeat"),
    (4, "error"),
    (5, "echo response"),
    (6, "client message"),
    (7, "client message acknowledgement"),
    (8, "keepalive"),
    (9, "availability"),
    (10, "registered"),
];
const AVAILABILITIES: Names = &[(0, "available"), (1, "unavailable"), (2, "temporarily unavailable")];
const SECTIONS: Names = &[(0, "settings"), (1, "players"), (2, "teams")];
const WORDS: &[&[u8]] = &[b"\\status\\", b"\\info\\", b"\\basic\\", b"\\rules\\", b"\\players\\", b"\\echo\\", b"\\secure\\"];
const START: [u8; 2] = [0xfe, 0xfd];
const SPLIT: &[u8] = b"splitnum\0";
const FINAL: &[u8] = b"\\final\\";

/// Whether a datagram is one of the master server.
fn is_of_master(bytes: &[u8], context: &DatagramContext) -> bool {
    context.has_port(heartbeat::PORT) && heartbeat::recognize(bytes)
}

fn detect(bytes: &[u8]) -> bool {
    match bytes {
        [0xfe, 0xfd, 9, ..] => bytes.len() == 7,
        [0xfe, 0xfd, 0, ..] => matches!(bytes.len(), 11 | 15),
        [b'\\', ..] => is_question(bytes) || is_answer(bytes),
        _ => false,
    }
}

fn is_question(bytes: &[u8]) -> bool {
    WORDS.contains(&bytes)
}

/// Whether the text is key-value pairs with a final key.
fn is_answer(bytes: &[u8]) -> bool {
    let ends = bytes.ends_with(b"\\final\\") || memchr::memmem::find(bytes, b"\\queryid\\").is_some();
    ends && !is_question(bytes) && bytes.iter().filter(|byte| **byte == b'\\').count() >= 4
}

/// Requests of one conversation by type and ID; those of the first version have no ID.
#[derive(Default)]
struct Pending {
    questions: Requests<(u8, u32)>,
    /// Last request of the fourth version.
    last: Option<[u8; 5]>,
}

impl Exchange for Pending {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let ports = wire.ends().map(|ends| ends.map(|end| end.port()));
        if is_of_master(ahead, &DatagramContext { ports, announced: None }) {
            return heartbeat::message(wire);
        }
        if ahead.starts_with(b"\\") {
            return if is_question(ahead) { self.words(wire) } else { self.settings(wire) };
        }
        let is_question = ahead.starts_with(&START);
        if is_question {
            wire.bytes(&MAGIC, START.len())?;
            self.last = wire.ahead().first_chunk().copied();
        }
        let kind = wire.u8(&TYPE)?;
        let id = wire.u32_be(&ID)?;
        let name = name_of(TYPES, kind.into()).unwrap_or("unknown type");
        wire.info(format_args!("id {id:#010x}"));
        if is_question {
            wire.name(if kind == 9 { "challenge request" } else { "information request" });
            self.questions.ask((kind, id), wire);
            if wire.remaining() > 0 {
                wire.i32_be(&CHALLENGE)?;
                wire.rest(&FLAGS);
            }
            return Ok(());
        }
        wire.name(name);
        if let Some(question) = self.questions.answer(&(kind, id)) {
            question.put(wire, &RESPONSE_TO, &TIME);
        }
        match kind {
            9 => wire.text_nul(&CHALLENGE_TEXT).map(drop),
            _ if wire.ahead().starts_with(SPLIT) => long(wire),
            _ => short(wire),
        }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.last.is_some_and(|last| bytes.starts_with(&last)) && bytes.len() > 5
    }
}

impl Pending {
    fn words(&mut self, wire: &mut Wire<'_>) -> Result {
        let word = String::from_utf8_lossy(wire.rest(&WORD));
        wire.name("request");
        wire.info(format_args!("{}", word.trim_matches('\\')));
        self.questions.ask((0, 0), wire);
        Ok(())
    }

    fn settings(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("information");
        if let Some(question) = self.questions.answer(&(0, 0)) {
            question.put(wire, &RESPONSE_TO, &TIME);
        }
        let mut host = None;
        pairs(wire, |_| false, |key, value| host = host.take().or_else(|| (key == b"hostname").then(|| value.to_vec())))?;
        if let Some(host) = host {
            wire.info(format_args!("{}", String::from_utf8_lossy(&host)));
        }
        Ok(())
    }
}

/// Reads keys and values between backslashes, and calls `see` with each pair. The value of a secret key is masked.
fn pairs(wire: &mut Wire<'_>, is_secret: impl Fn(&[u8]) -> bool, mut see: impl FnMut(&[u8], &[u8])) -> Result {
    wire.groups(&SETTING, |wire| {
        let key = behind_backslash(wire, &KEY)?;
        // The last key of a list may have no value.
        let has_value = wire.remaining() > 0 && wire.ahead() != FINAL;
        let field = if is_secret(key) { &SECRET_VALUE } else { &VALUE };
        let value = if has_value { behind_backslash(wire, field)? } else { &[] };
        see(key, value);
        Ok(())
    })
}

/// Reads a backslash, and text up to the next one.
fn behind_backslash<'a>(wire: &mut Wire<'a>, field: &'static crate::tree::Field) -> Result<&'a [u8]> {
    wire.bytes(&SEPARATOR, 1)?;
    let length = memchr::memchr(b'\\', wire.ahead()).unwrap_or(wire.remaining());
    wire.text(field, length)
}

/// Basic response: texts, the little-endian port and the address.
fn short(wire: &mut Wire<'_>) -> Result {
    const BEFORE_PORT: usize = 5;
    let title = wire.text_nul(&TEXT)?;
    wire.info(format_args!("{}", String::from_utf8_lossy(title)));
    for _ in 1..BEFORE_PORT {
        wire.text_nul(&TEXT)?;
    }
    wire.u16_le(&PORT)?;
    wire.text_nul(&TEXT).map(drop)
}

/// Part of a full response: settings, and columns of players and teams.
fn long(wire: &mut Wire<'_>) -> Result {
    wire.text_nul(&SPLIT_KEY)?;
    wire.bits(1, &[&IS_LAST, &PART])?;
    wire.each(|wire| {
        match wire.u8(&SECTION)? {
            0 => settings(wire)?,
            1 | 2 => columns(wire)?,
            _ => drop(wire.rest(&DATA)),
        }
        Ok(())
    })
}

/// Key-value pairs up to an empty key.
fn settings(wire: &mut Wire<'_>) -> Result {
    let mut host = None;
    while wire.ahead().first().is_some_and(|first| *first != 0) {
        wire.group(&SETTING, |wire| {
            let name = wire.text_nul(&KEY)?;
            let at = wire.at();
            let value = wire.text_nul(&VALUE)?;
            wire.hide_named(name, at..at + value.len());
            host = host.or((name == b"hostname").then_some(value));
            Ok(())
        })?;
    }
    if let Some(host) = host {
        wire.info(format_args!("{}", String::from_utf8_lossy(host)));
    }
    end_of_list(wire)
}

/// Columns up to an empty name, or the number of the next section.
fn columns(wire: &mut Wire<'_>) -> Result {
    while wire.ahead().first().is_some_and(|first| *first > 2) {
        wire.group(&COLUMN, |wire| {
            wire.text_nul(&COLUMN_NAME)?;
            wire.u8(&FIRST_ROW)?;
            while wire.ahead().first().is_some_and(|first| *first != 0) {
                wire.text_nul(&CELL)?;
            }
            end_of_list(wire)
        })?;
    }
    end_of_list(wire)
}

/// Reads the NUL at the end of a list, unless the part ends or another section begins there.
fn end_of_list(wire: &mut Wire<'_>) -> Result {
    match wire.ahead().first() {
        Some(0) => wire.bytes(&SEPARATOR, 1).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const STATUS: &str = "5c7374617475735c";
    const ANSWER: &str = "5c686f73746e616d655c486172626f75725c6d61706e616d655c717561795c6e756d706c61796572735c325c717565727969645c \
        372e315c66696e616c5c";
    const CHALLENGE: &str = "fefd0900000007";
    const NUMBER: &str = "09000000073935313333303700";
    const QUERY: &str = "fefd00000000070091295b";
    const SHORT: &str = "00000000074120686172626f757200534d500071756179003200323000dd633139322e302e322e3900";
    const LONG: &str = "000000000773706c69746e756d008000686f73746e616d65004120686172626f7572006e756d706c61796572730032000001706c \
        617965725f000066616c6b006d6f73730000";

    fn read(pending: &mut Pending, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| pending.message(Side::Client, wire))
    }

    fn alone(hex: &str) -> String {
        read(&mut Pending::default(), hex)
    }

    #[test]
    fn the_first_version() {
        insta::assert_snapshot!(alone(STATUS), @r#"
        gamespy 0..8 | request | status
          0..8 gamespy.query = "\\status\\"
        "#);
        insta::assert_snapshot!(alone(ANSWER), @r#"
        gamespy 0..62 | information | Harbour
          0..17 gamespy.setting
            0..1 gamespy.separator = 5c
            1..9 gamespy.setting.key = "hostname"
            9..10 gamespy.separator = 5c
            10..17 gamespy.setting.value = "Harbour"
          17..30 gamespy.setting
            17..18 gamespy.separator = 5c
            18..25 gamespy.setting.key = "mapname"
            25..26 gamespy.separator = 5c
            26..30 gamespy.setting.value = "quay"
          30..43 gamespy.setting
            30..31 gamespy.separator = 5c
            31..41 gamespy.setting.key = "numplayers"
            41..42 gamespy.separator = 5c
            42..43 gamespy.setting.value = "2"
          43..55 gamespy.setting
            43..44 gamespy.separator = 5c
            44..51 gamespy.setting.key = "queryid"
            51..52 gamespy.separator = 5c
            52..55 gamespy.setting.value = "7.1"
          55..62 gamespy.setting
            55..56 gamespy.separator = 5c
            56..61 gamespy.setting.key = "final"
            61..62 gamespy.separator = 5c
            62..62 gamespy.setting.value = ""
        "#);
    }

    #[test]
    fn the_fourth_version_begins_with_a_challenge() {
        insta::assert_snapshot!(alone(CHALLENGE), @r#"
        gamespy 0..7 | challenge request | id 0x00000007
          0..2 gamespy.magic = fefd
          2..3 gamespy.type = 9 (challenge)
          3..7 gamespy.id = 0x00000007
        "#);
        insta::assert_snapshot!(alone(NUMBER), @r#"
        gamespy 0..13 | challenge | id 0x00000007
          0..1 gamespy.type = 9 (challenge)
          1..5 gamespy.id = 0x00000007
          5..13 gamespy.challenge_text = "9513307"
        "#);
    }

    #[test]
    fn responses_are_recognised_by_their_request() {
        let mut pending = Pending::default();
        let bytes = trial::bytes(SHORT);
        assert!(!pending.claims(Side::Server, &bytes) && !detect(&bytes));
        read(&mut pending, QUERY);
        assert!(pending.claims(Side::Server, &bytes));
        insta::assert_snapshot!(read(&mut pending, SHORT), @r#"
        gamespy 0..41 | information | A harbour
          0..1 gamespy.type = 0 (information)
          1..5 gamespy.id = 0x00000007
          gamespy.response_to = 0
          5..15 gamespy.text = "A harbour"
          15..19 gamespy.text = "SMP"
          19..24 gamespy.text = "quay"
          24..26 gamespy.text = "2"
          26..29 gamespy.text = "20"
          29..31 gamespy.port = 25565
          31..41 gamespy.text = "192.0.2.9"
        "#);
        insta::assert_snapshot!(read(&mut pending, LONG), @r#"
        gamespy 0..70 | information | A harbour
          0..1 gamespy.type = 0 (information)
          1..5 gamespy.id = 0x00000007
          gamespy.response_to = 0
          5..14 gamespy.split.key = "splitnum"
          14..15 gamespy.split.last = true
          14..15 gamespy.split.number = 0
          15..16 gamespy.section = 0 (settings)
          16..35 gamespy.setting
            16..25 gamespy.setting.key = "hostname"
            25..35 gamespy.setting.value = "A harbour"
          35..48 gamespy.setting
            35..46 gamespy.setting.key = "numplayers"
            46..48 gamespy.setting.value = "2"
          48..49 gamespy.separator = 00
          49..50 gamespy.section = 1 (players)
          50..70 gamespy.column
            50..58 gamespy.column.name = "player_"
            58..59 gamespy.column.first = 0
            59..64 gamespy.column.value = "falk"
            64..69 gamespy.column.value = "moss"
            69..70 gamespy.separator = 00
        "#);
    }

    #[test]
    fn recognition_is_strict() {
        assert!([STATUS, ANSWER, CHALLENGE, QUERY].iter().all(|hex| detect(&trial::bytes(hex))));
        assert!(!detect(b"\\a\\b") && !detect(b"\\\\") && !detect(&[0xfe, 0xfd, 9]));
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        let bytes = trial::bytes(ANSWER);
        for cut in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| Pending::default().message(Side::Client, wire));
        }
        for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Pending::default().message(Side::Client, wire));
            assert!(dump.starts_with("gamespy 0.."));
        }
    }
}
