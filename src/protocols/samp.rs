//! Queries of San Andreas Multiplayer and open.mp: what a server browser asks a server.
//!
//! Numbers are little-endian; the address is that of the server, in requests and responses.
//!
//! ```text
//! message    "SAMP" | address:4 | port:2 | opcode:1 | body of responses
//! i          password:1 | players:2 | maximum:2 | name | mode | language           texts follow a length of 4 bytes
//! r          count:2 | (name | value) …                                            texts follow a length of 1 byte
//! c          count:2 | (name | score:4) …
//! d          count:2 | (id:1 | name | score:4 | ping:4) …
//! o          Discord link | light banner | dark banner | logo                      texts follow a length of 4 bytes
//! p          number:4, in requests as well
//! x          password | command; one line in responses                             texts follow a length of 2 bytes
//! ```
//! Not covered: the game itself, which is an old RakNet.

use crate::tree::{Field, Names, Side, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&SAMP, FIELDS).found(&[On::AnyUdp.exchange::<Queries>(Heuristic::Datagram(recognize))]).rest(&DATA);

fields! {
    SAMP = protocol("samp", "SA-MP", "Queries of San Andreas Multiplayer and open.mp")
        .covers("All queries and their responses, matched with their requests")
        .leaves_open("The game itself");
    MAGIC = text("samp.magic", "magic", "SAMP").once();
    ADDRESS = ipv4("samp.address", "address", "Address of the server").once();
    PORT = number("samp.port", "port", "Port of the server").once();
    OPCODE = number("samp.opcode", "opcode", "A letter").hex(2).names(OPCODES).once();
    LOCKED = bool("samp.password", "password", "Whether the server asks for a password").once();
    PLAYERS = number("samp.players", "players", "").once();
    MAX_PLAYERS = number("samp.max_players", "maximum players", "").once();
    TEXT_LENGTH = number("samp.text_length", "text length", "Bytes that follow");
    HOST_NAME = text("samp.hostname", "host name", "").once();
    MODE = text("samp.gamemode", "game mode", "").once();
    LANGUAGE = text("samp.language", "language", "").once();
    COUNT = number("samp.count", "count", "Rules or players that follow").once();
    RULE = group("samp.rule", "rule", "").named(title::key, title::last_value, title::nothing);
    RULE_NAME = text("samp.rule.name", "name", "").once_per(&RULE);
    RULE_VALUE = text("samp.rule.value", "value", "").once_per(&RULE);
    PLAYER = group("samp.player", "player", "");
    PLAYER_ID = number("samp.player.id", "id", "").once_per(&PLAYER);
    PLAYER_NAME = text("samp.player.name", "name", "").once_per(&PLAYER);
    PLAYER_SCORE = number("samp.player.score", "score", "").once_per(&PLAYER);
    PLAYER_PING = number("samp.player.ping", "ping", "In milliseconds").once_per(&PLAYER);
    DISCORD = text("samp.discord", "Discord", "Link").once();
    LIGHT_BANNER = text("samp.light_banner", "light banner", "Address of a picture").once();
    DARK_BANNER = text("samp.dark_banner", "dark banner", "Address of a picture").once();
    LOGO = text("samp.logo", "logo", "Address of a picture").once();
    NUMBER = number("samp.number", "number", "Repeated by the response").hex(8).once();
    SECRET = text("samp.rcon.password", "password", "Of the remote console").secret().once();
    COMMAND = text("samp.rcon.command", "command", "").once();
    LINE = text("samp.rcon.line", "line", "Output of the remote console").once();
    DATA = bytes("samp.data", "data", "Undecoded bytes");
    RESPONSE_TO = number("samp.response_to", "request in", "").once();
    TIME = float("samp.time", "time", "Seconds since the request").once();
}

const OPCODES: Names = &[
    (b'c' as u64, "clients"),
    (b'd' as u64, "players"),
    (b'i' as u64, "information"),
    (b'o' as u64, "extra information"),
    (b'p' as u64, "ping"),
    (b'r' as u64, "rules"),
    (b'x' as u64, "remote console"),
];

/// Bytes up to the opcode and with it.
const HEADER: usize = 11;

fn recognize(bytes: &[u8]) -> bool {
    let opcode = bytes.get(HEADER - 1).filter(|_| bytes.starts_with(b"SAMP"));
    opcode.is_some_and(|opcode| name_of(OPCODES, (*opcode).into()).is_some())
}

/// Requests of one conversation by opcode.
#[derive(Default)]
struct Queries(Requests<u8>);

impl Exchange for Queries {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.text(&MAGIC, 4)?;
        wire.bytes(&ADDRESS, 4)?;
        let port = wire.u16_le(&PORT)?;
        let opcode = wire.u8(&OPCODE)?;
        let from = sender(port, opcode, wire).unwrap_or(from);
        wire.sent_by(from);
        let name = name_of(OPCODES, opcode.into()).unwrap_or("unknown query");
        if from == Side::Client {
            wire.name(&format!("{name} request"));
            self.0.ask(opcode, wire);
        } else {
            wire.name(name);
            if let Some(request) = self.0.answer(&opcode) {
                request.put(wire, &RESPONSE_TO, &TIME);
            }
        }
        match (opcode, from) {
            (b'p', _) => wire.u32_le(&NUMBER).map(drop),
            (b'x', Side::Client) => console(wire),
            (b'i', Side::Server) => information(wire),
            (b'r', Side::Server) => rules(wire),
            (b'c' | b'd', Side::Server) => players(wire, opcode == b'd'),
            (b'o', Side::Server) => links(wire),
            (b'x', Side::Server) => {
                let line = text(wire, Length::Two, &LINE)?;
                wire.info(format_args!("{}", String::from_utf8_lossy(line)));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The sender, by the port in the message, which is the server's, or by the size of a request.
fn sender(port: u16, opcode: u8, wire: &Wire<'_>) -> Option<Side> {
    let ports = wire.ends().map(|ends| ends.map(|end| end.port()));
    match ports {
        Some([src, dst]) if src == port && dst != port => Some(Side::Server),
        Some([src, dst]) if dst == port && src != port => Some(Side::Client),
        _ if opcode == b'p' || opcode == b'x' => None,
        _ => Some(if wire.remaining() == 0 { Side::Client } else { Side::Server }),
    }
}

/// Size of the length in front of a text.
#[derive(Clone, Copy)]
enum Length {
    One,
    Two,
    Four,
}

impl Length {
    fn read(self, wire: &mut Wire<'_>) -> Result<usize> {
        Ok(match self {
            Length::One => wire.u8(&TEXT_LENGTH)?.into(),
            Length::Two => wire.u16_le(&TEXT_LENGTH)?.into(),
            Length::Four => usize::try_from(wire.u32_le(&TEXT_LENGTH)?).unwrap_or(usize::MAX),
        })
    }
}

fn text<'a>(wire: &mut Wire<'a>, length: Length, field: &'static Field) -> Result<&'a [u8]> {
    let count = length.read(wire)?;
    wire.text(field, count)
}

fn console(wire: &mut Wire<'_>) -> Result {
    let count = Length::Two.read(wire)?;
    wire.secret_text(&SECRET, count)?;
    let command = text(wire, Length::Two, &COMMAND)?;
    let command = String::from_utf8_lossy(command);
    wire.info(format_args!("{}", wire.masked(&command).into_owned()));
    Ok(())
}

fn information(wire: &mut Wire<'_>) -> Result {
    wire.bool(&LOCKED)?;
    let [players, most] = [wire.u16_le(&PLAYERS)?, wire.u16_le(&MAX_PLAYERS)?];
    let name = text(wire, Length::Four, &HOST_NAME)?;
    wire.info(format_args!("{}, {players}/{most} players", String::from_utf8_lossy(name)));
    text(wire, Length::Four, &MODE)?;
    text(wire, Length::Four, &LANGUAGE).map(drop)
}

fn rules(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&COUNT)?;
    wire.info(format_args!("{count} rules"));
    for _ in 0..count {
        wire.group(&RULE, |wire| {
            text(wire, Length::One, &RULE_NAME)?;
            text(wire, Length::One, &RULE_VALUE)
        })?;
    }
    Ok(())
}

fn players(wire: &mut Wire<'_>, is_detailed: bool) -> Result {
    let count = wire.u16_le(&COUNT)?;
    wire.info(format_args!("{count} players"));
    for _ in 0..count {
        wire.group(&PLAYER, |wire| {
            if is_detailed {
                wire.u8(&PLAYER_ID)?;
            }
            text(wire, Length::One, &PLAYER_NAME)?;
            wire.i32_le(&PLAYER_SCORE)?;
            if is_detailed {
                wire.u32_le(&PLAYER_PING)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn links(wire: &mut Wire<'_>) -> Result {
    for field in [&DISCORD, &LIGHT_BANNER, &DARK_BANNER, &LOGO] {
        text(wire, Length::Four, field)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const HEAD: &str = "53414d50 c6336414 611e";

    fn read(queries: &mut Queries, from: Side, body: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(&format!("{HEAD}{body}")), Cut::No, |wire| queries.message(from, wire))
    }

    #[test]
    fn a_request_has_a_response() {
        let mut queries = Queries::default();
        let answer = "69 00 0c00 6400 08000000 446f63206d6f6f72 01000000 78 02000000 656e";
        insta::assert_snapshot!([read(&mut queries, Side::Client, "69"), read(&mut queries, Side::Server, answer)].concat(), @r#"
        samp 0..11 | information request
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x69 (information)
        samp 0..39 | information | Doc moor, 12/100 players
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x69 (information)
          samp.response_to = 0
          11..12 samp.password = false
          12..14 samp.players = 12
          14..16 samp.max_players = 100
          16..20 samp.text_length = 8
          20..28 samp.hostname = "Doc moor"
          28..32 samp.text_length = 1
          32..33 samp.gamemode = "x"
          33..37 samp.text_length = 2
          37..39 samp.language = "en"
        "#);
    }

    #[test]
    fn rules_and_players_are_lists() {
        let mut queries = Queries::default();
        let messages = [
            "72 0100 07 76657273696f6e 05 302e332e37",
            "63 0100 05 416c696365 0a000000",
            "64 0100 03 05 416c696365 ffffffff 2a000000",
            "6f 03000000 642f78 00000000 00000000 01000000 6c",
        ];
        insta::assert_snapshot!(messages.map(|body| read(&mut queries, Side::Server, body)).concat(), @r#"
        samp 0..27 | rules | 1 rules
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x72 (rules)
          11..13 samp.count = 1
          13..27 samp.rule
            13..14 samp.text_length = 7
            14..21 samp.rule.name = "version"
            21..22 samp.text_length = 5
            22..27 samp.rule.value = "0.3.7"
        samp 0..23 | clients | 1 players
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x63 (clients)
          11..13 samp.count = 1
          13..23 samp.player
            13..14 samp.text_length = 5
            14..19 samp.player.name = "Alice"
            19..23 samp.player.score = 10
        samp 0..28 | players | 1 players
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x64 (players)
          11..13 samp.count = 1
          13..28 samp.player
            13..14 samp.player.id = 3
            14..15 samp.text_length = 5
            15..20 samp.player.name = "Alice"
            20..24 samp.player.score = -1
            24..28 samp.player.ping = 42
        samp 0..31 | extra information
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x6f (extra information)
          11..15 samp.text_length = 3
          15..18 samp.discord = "d/x"
          18..22 samp.text_length = 0
          22..22 samp.light_banner = ""
          22..26 samp.text_length = 0
          26..26 samp.dark_banner = ""
          26..30 samp.text_length = 1
          30..31 samp.logo = "l"
        "#);
    }

    #[test]
    fn a_ping_and_the_remote_console_have_bytes_in_both_directions() {
        let mut queries = Queries::default();
        let messages = [
            (Side::Client, "70 01020304"),
            (Side::Server, "70 01020304"),
            (Side::Client, "78 0300 616263 0400 68656c70"),
            (Side::Server, "78 0200 6f6b"),
        ];
        insta::assert_snapshot!(messages.map(|(from, body)| read(&mut queries, from, body)).concat(), @r#"
        samp 0..15 | ping request
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x70 (ping)
          11..15 samp.number = 0x04030201
        samp 0..15 | ping
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x70 (ping)
          samp.response_to = 0
          11..15 samp.number = 0x04030201
        samp 0..22 | remote console request | help
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x78 (remote console)
          11..13 samp.text_length = 3
          13..16 samp.rcon.password = "abc"
          16..18 samp.text_length = 4
          18..22 samp.rcon.command = "help"
        samp 0..15 | remote console | ok
          0..4 samp.magic = "SAMP"
          4..8 samp.address = 198.51.100.20
          8..10 samp.port = 7777
          10..11 samp.opcode = 0x78 (remote console)
          samp.response_to = 0
          11..13 samp.text_length = 2
          13..15 samp.rcon.line = "ok"
        "#);
    }

    #[test]
    fn recognition_needs_the_magic_and_a_known_opcode() {
        assert!(recognize(&trial::bytes(&format!("{HEAD}69"))));
        assert!(!recognize(&trial::bytes(&format!("{HEAD}7a"))) && !recognize(b"SAMQ......i") && !recognize(b"SAMP"));
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        for body in ["69 00 0c00 6400 08000000 446f63206d6f6f72 01000000 78 02000000 656e", "78 0300 616263 0400 68656c70"] {
            let whole = trial::bytes(&format!("{HEAD}{body}"));
            for from in Side::BOTH {
                trial::survives_damage(&PROTOCOL, &whole, |wire| Queries::default().message(from, wire));
            }
        }
    }
}
