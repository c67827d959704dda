//! Minecraft, Java edition: connection setup, up to compression or encryption.
//!
//! Numbers are VarInts, seven bits per byte with the lowest first, or big-endian; texts follow their length.
//!
//! ```text
//! packet       length | id | body
//! handshake    0 version | address | port:2 | next state       client: 1 status, 2 login, 3 transfer
//! status       0 nothing · 0 JSON          1 number:8 · 1 number:8
//! login        0 name | …                  0 JSON: refused
//!              1 secret | token            1 server id | key | token: encryption starts after the client's response
//!                                          2 logged in         3 threshold: compression starts
//! ```
//! Not covered: game packets, which depend on the version. `legacy` has the ping of versions before 1.7.

mod legacy;

use crate::tree::{Field, Names, Side, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Requests, Result, Varint, Verdict, Wire};

/// Minecraft, Java edition.
pub static PROTOCOL: Protocol =
    Protocol::new(&MINECRAFT, FIELDS).found(&[On::AnyTcp.stream::<Session>(Heuristic::Stream(detect))]).rest(&DATA);

fields! {
    MINECRAFT = protocol("minecraft", "Minecraft", "Minecraft, Java edition")
        .covers("Handshake, status and login, up to compression or encryption; the ping of versions before 1.7")
        .leaves_open("Game packets");
    LENGTH = number("minecraft.length", "length", "Bytes after this number").once();
    ID = number("minecraft.id", "packet id", "Packet type within the current state").once();
    VERSION = number("minecraft.handshake.version", "version", "Protocol version; 763 is 1.20.1").once();
    ADDRESS_LENGTH = number("minecraft.handshake.address_length", "address length", "Bytes that follow").once();
    ADDRESS = text("minecraft.handshake.address", "address", "Hostname or address used by the client").once();
    PORT = number("minecraft.handshake.port", "port", "Port used by the client").once();
    NEXT = number("minecraft.handshake.next_state", "next state", "State requested by the client").names(STATES).once();
    JSON_LENGTH = number("minecraft.json_length", "JSON length", "Bytes that follow").once();
    JSON = text("minecraft.json", "JSON", "Server status, or the reason for a disconnect").once();
    PAYLOAD = number("minecraft.ping.payload", "payload", "Repeated by the response").once();
    NAME_LENGTH = number("minecraft.login.name_length", "name length", "Bytes that follow").once();
    NAME = text("minecraft.login.name", "name", "").once();
    SERVER_ID_LENGTH = number("minecraft.login.server_id_length", "server id length", "Bytes that follow").once();
    SERVER_ID = text("minecraft.login.server_id", "server id", "Empty since 1.7").once();
    KEY_LENGTH = number("minecraft.login.key_length", "key length", "Bytes that follow").once();
    KEY = bytes("minecraft.login.key", "key", "The server's public key").once();
    TOKEN_LENGTH = number("minecraft.login.token_length", "token length", "Bytes that follow").once();
    TOKEN = bytes("minecraft.login.token", "token", "To be encrypted with the public key").once();
    SECRET_LENGTH = number("minecraft.login.secret_length", "secret length", "Bytes that follow").once();
    SECRET = bytes("minecraft.login.secret", "secret", "Shared secret, encrypted with the public key").encrypted().once();
    THRESHOLD = number("minecraft.login.threshold", "threshold", "Minimum size of compressed packets");
    DATA = bytes("minecraft.data", "data", "Undecoded bytes").once();
    LEGACY_KIND = number("minecraft.legacy.id", "packet id", "").hex(2).names(&[(0xfa, "plugin message"), (0xfe, "ping"), (0xff, "kick")]).once();
    LEGACY_PAYLOAD = number("minecraft.legacy.payload", "payload", "1").once();
    LEGACY_TEXT_LENGTH = number("minecraft.legacy.text_length", "text length", "UTF-16 units that follow");
    LEGACY_CHANNEL = text("minecraft.legacy.channel", "channel", "").once();
    LEGACY_LENGTH = number("minecraft.legacy.length", "length", "Bytes that follow").once();
    LEGACY_VERSION = number("minecraft.legacy.version", "version", "Protocol version of the client").once();
    LEGACY_HOST = text("minecraft.legacy.host", "host", "Host name used by the client").once();
    LEGACY_PORT = number("minecraft.legacy.port", "port", "Port used by the client").once();
    LEGACY_TEXT = text("minecraft.legacy.text", "text", "Reason for the end of the connection").once();
    LEGACY_MAGIC = text("minecraft.legacy.magic", "magic", "§1 in front of a status").once();
    LEGACY_PROTOCOL_VERSION = number("minecraft.legacy.protocol", "protocol", "Protocol version of the server").once();
    LEGACY_SERVER_VERSION = text("minecraft.legacy.server_version", "server version", "").once();
    LEGACY_MESSAGE = text("minecraft.legacy.motd", "message of the day", "").once();
    LEGACY_PLAYERS = text("minecraft.legacy.players", "players", "").once();
    LEGACY_MAX_PLAYERS = text("minecraft.legacy.max_players", "maximum players", "").once();
    RESPONSE_TO = number("minecraft.response_to", "request in", "").once();
    TIME = float("minecraft.time", "time", "Seconds since the request").once();
    BAD_NUMBER = broken("minecraft.note.number", "bad number", "A VarInt of more than five bytes");
}

const STATES: Names = &[(1, "status"), (2, "login"), (3, "transfer")];

/// Packets of the client and of the server in each state.
const STATUS_FROM_CLIENT: Names = &[(0, "status request"), (1, "ping")];
const STATUS_FROM_SERVER: Names = &[(0, "status"), (1, "pong")];
const LOGIN_FROM_CLIENT: Names = &[(0, "login"), (1, "encryption response"), (2, "plugin response"), (3, "login acknowledged")];
const LOGIN_FROM_SERVER: Names =
    &[(0, "refused"), (1, "encryption request"), (2, "logged in"), (3, "compression"), (4, "plugin request")];

/// Maximum packet size: a length of three bytes.
const MAX_PACKET: usize = (1 << 21) - 1;

/// Maximum plausible size of a handshake.
const MAX_HANDSHAKE: usize = 300;

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Handshake,
    Status,
    Login,
    /// The client sent its secret; all further bytes are encrypted.
    Encrypted,
    /// Compressed packets or game packets: only their lengths are decoded.
    Play,
    /// The ping of versions before 1.7.
    Legacy,
}

/// State and pending requests of a connection.
#[derive(Default)]
struct Session {
    state: State,
    /// Pending requests by packet ID, which the response shares.
    asked: Requests<usize>,
    lost: bool,
}

/// Largest size of a VarInt in bytes.
const VARINT_MAX: usize = 5;

/// Decodes a VarInt and its length; `None` if incomplete, `Err` if invalid.
fn varint(bytes: &[u8]) -> std::result::Result<Option<(usize, usize)>, ()> {
    match Varint::decode(bytes, VARINT_MAX) {
        Varint::Number(number, size) => Ok(Some((usize::try_from(number).unwrap_or(usize::MAX), size))),
        Varint::Short => Ok(None),
        Varint::TooLong => Err(()),
    }
}

/// Whether a protocol number is that of a release, a snapshot, or -1, with which a client asks for the status.
fn is_protocol(number: usize) -> bool {
    const SNAPSHOTS: usize = 1 << 30;
    matches!(number.checked_sub(SNAPSHOTS).unwrap_or(number), 0..4096) || u32::try_from(number) == Ok(u32::MAX)
}

/// Heuristic: the client starts with a consistent handshake, or with the ping of old versions.
fn detect(opening: &Opening<'_>) -> Verdict {
    for (side, server) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
        if !opening.starts(side) {
            continue;
        }
        let (new, old) = (handshake(opening.of(side)), legacy::recognize(opening.of(side), opening.of(server)));
        if [new, old].contains(&Ok(true)) {
            return Verdict::Yes(server);
        }
        // No server answers half a handshake.
        let waits = new == Ok(false) && opening.of(server).is_empty() || old == Ok(false);
        if waits && !opening.complete {
            return Verdict::Unsure;
        }
    }
    Verdict::No
}

/// Whether the bytes start with a handshake; `Ok(false)` if undecided.
fn handshake(bytes: &[u8]) -> std::result::Result<bool, ()> {
    let mut at = 0;
    let mut next = |most: usize| match varint(bytes.get(at..).unwrap_or_default())? {
        Some((number, size)) if number <= most => {
            at += size;
            Ok(Some((number, at)))
        }
        Some(_) => Err(()),
        None => Ok(None),
    };
    let Some((length, start)) = next(MAX_HANDSHAKE)? else { return Ok(false) };
    if length < 7 {
        return Err(());
    }
    let (Some(_), Some((protocol, _)), Some((address, end))) = (next(0)?, next(usize::MAX)?, next(255)?) else {
        return Ok(false);
    };
    if !is_protocol(protocol) {
        return Err(());
    }
    let state_at = end + address + 2;
    let text = bytes.get(end..).unwrap_or_default();
    let text = text.get(..address).unwrap_or(text);
    if state_at + 1 != start + length || address == 0 || !text.iter().all(|byte| byte.is_ascii_graphic() || *byte == 0) {
        return Err(());
    }
    match bytes.get(state_at) {
        Some(1..=3) => Ok(true),
        Some(_) => Err(()),
        None => Ok(false),
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.state == State::Handshake && legacy::begins(from, ahead) {
            self.state = State::Legacy;
        }
        if self.state == State::Legacy && !self.lost {
            return legacy::extent(from, ahead, more);
        }
        if self.state == State::Encrypted || self.lost {
            return Extent::Unknown(ahead.len());
        }
        match varint(ahead) {
            Ok(Some((length, size))) if (1..=MAX_PACKET).contains(&length) => Extent::Message(size + length),
            Ok(None) => Extent::NeedMore(ahead.len() + 1),
            _ => {
                self.lost = true;
                Extent::Unknown(ahead.len())
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if self.state == State::Legacy {
            return legacy::message(&mut self.asked, wire);
        }
        number(wire, &LENGTH)?;
        if self.state == State::Play {
            wire.name("packet");
            wire.info(format_args!("{} bytes", wire.remaining()));
            return wire.rest_is(&DATA);
        }
        let id = number(wire, &ID)?;
        let names = match (self.state, from) {
            (State::Handshake, _) => &[(0, "handshake")],
            (State::Status, Side::Client) => STATUS_FROM_CLIENT,
            (State::Status, Side::Server) => STATUS_FROM_SERVER,
            (_, Side::Client) => LOGIN_FROM_CLIENT,
            (_, Side::Server) => LOGIN_FROM_SERVER,
        };
        wire.name(name_of(names, id as u64).unwrap_or("unknown packet"));
        match (self.state, from, id) {
            (State::Handshake, Side::Client, 0) => self.handshake(wire),
            (State::Status, _, 0 | 1) => self.status(from, id, wire),
            (State::Login, ..) => self.login(from, id, wire),
            _ => wire.rest_is(&DATA),
        }
    }

    fn gap(&mut self, _: Side, missing: Missing) {
        self.lost |= !missing.in_step;
    }
}

impl Session {
    fn handshake(&mut self, wire: &mut Wire<'_>) -> Result {
        const STATUS: usize = 1;
        let version = number(wire, &VERSION)?;
        let address = text(wire, &ADDRESS_LENGTH, &ADDRESS)?;
        // Some clients append data after a NUL.
        let address = address.split(|byte| *byte == 0).next().unwrap_or_default();
        let port = wire.u16_be(&PORT)?;
        let next = number(wire, &NEXT)?;
        self.state = if next == STATUS { State::Status } else { State::Login };
        let wants = name_of(STATES, next as u64).unwrap_or("unknown state");
        wire.info(format_args!("{wants}, {}:{port}, version {version}", String::from_utf8_lossy(address)));
        Ok(())
    }

    fn login(&mut self, from: Side, id: usize, wire: &mut Wire<'_>) -> Result {
        match (from, id) {
            (Side::Client, 0) => {
                let name = text(wire, &NAME_LENGTH, &NAME)?;
                wire.info(format_args!("{}", String::from_utf8_lossy(name)));
                wire.rest_is(&DATA)
            }
            (Side::Client, 1) => {
                self.state = State::Encrypted;
                counted(wire, &SECRET_LENGTH, &SECRET)?;
                // Versions 1.19 to 1.19.2 may send a signature in place of the token.
                wire.rest_is(&DATA)
            }
            (Side::Server, 0) => text(wire, &JSON_LENGTH, &JSON).map(drop),
            (Side::Server, 1) => {
                text(wire, &SERVER_ID_LENGTH, &SERVER_ID)?;
                counted(wire, &KEY_LENGTH, &KEY)?;
                counted(wire, &TOKEN_LENGTH, &TOKEN)?;
                wire.rest_is(&DATA)
            }
            (Side::Server, 2) => {
                self.state = State::Play;
                wire.rest_is(&DATA)
            }
            (Side::Server, 3) => {
                self.state = State::Play;
                let threshold = number(wire, &THRESHOLD)?;
                wire.info(format_args!("from {threshold} bytes on"));
                Ok(())
            }
            _ => wire.rest_is(&DATA),
        }
    }

    fn status(&mut self, from: Side, id: usize, wire: &mut Wire<'_>) -> Result {
        match (from, id) {
            (Side::Client, 0) => {}
            (Side::Server, 0) => {
                text(wire, &JSON_LENGTH, &JSON)?;
            }
            _ => {
                wire.u64_be(&PAYLOAD)?;
            }
        }
        if from == Side::Client {
            self.asked.ask(id, wire);
        } else if let Some(question) = self.asked.answer(&id) {
            question.put(wire, &RESPONSE_TO, &TIME);
        }
        Ok(())
    }
}

/// Reads a VarInt.
fn number(wire: &mut Wire<'_>, field: &'static Field) -> Result<usize> {
    match wire.varint(field, VARINT_MAX)? {
        Some(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
        None => wire.malformed(&BAD_NUMBER, format_args!("more than five bytes")),
    }
}

/// Reads a length-prefixed text.
fn text<'a>(wire: &mut Wire<'a>, length: &'static Field, field: &'static Field) -> Result<&'a [u8]> {
    let count = number(wire, length)?;
    wire.text(field, count)
}

/// Reads length-prefixed bytes.
fn counted(wire: &mut Wire<'_>, length: &'static Field, field: &'static Field) -> Result {
    match number(wire, length)? {
        0 => Ok(()),
        count => wire.bytes(field, count).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd01";
    const LOGIN_HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd02";
    const REQUEST: &str = "0100";
    const STATUS: &str = "4e004c7b2276657273696f6e223a7b226e616d65223a22312e32302e31222c2270726f746f636f6c223a3736337d2c22706c6179 \
        657273223a7b226d6178223a32302c226f6e6c696e65223a327d7d";
    const PING: &str = "0901000000000000004d";
    const LOGIN: &str = "17000466616c6b01000102030405060708090a0b0c0d0e0f";
    const KEY: &str = "18010010000102030405060708090a0b0c0d0e0f0400010203";
    const SECRET: &str = "230110000102030405060708090a0b0c0d0e0f10000102030405060708090a0b0c0d0e0f";
    const SUCCESS: &str = "1702000102030405060708090a0b0c0d0e0f0466616c6b00";

    /// Dissects messages of both sides into trees.
    fn dissect(session: &mut Session, messages: &[(Side, &str)]) -> String {
        let trees = messages.iter().map(|(side, hex)| trial::message(&PROTOCOL, session, *side, &trial::bytes(hex), Cut::No));
        trees.collect::<Vec<_>>().concat()
    }

    const C: Side = Side::Client;
    const S: Side = Side::Server;

    #[test]
    fn server_status_is_read() {
        let messages = [(C, HANDSHAKE), (C, REQUEST), (S, STATUS), (C, PING), (S, PING)];
        insta::assert_snapshot!(dissect(&mut Session::default(), &messages), @r#"
        minecraft 0..24 | handshake | status, play.example.com:25565, version 763
          0..1 minecraft.length = 23
          1..2 minecraft.id = 0
          2..4 minecraft.handshake.version = 763
          4..5 minecraft.handshake.address_length = 16
          5..21 minecraft.handshake.address = "play.example.com"
          21..23 minecraft.handshake.port = 25565
          23..24 minecraft.handshake.next_state = 1 (status)
        minecraft 0..2 | status request
          0..1 minecraft.length = 1
          1..2 minecraft.id = 0
        minecraft 0..79 | status
          0..1 minecraft.length = 78
          1..2 minecraft.id = 0
          2..3 minecraft.json_length = 76
          3..79 minecraft.json = "{"version":{"name":"1.20.1","protocol":763},"players":{"max":20,"online":2}}"
          minecraft.response_to = 0
        minecraft 0..10 | ping
          0..1 minecraft.length = 9
          1..2 minecraft.id = 1
          2..10 minecraft.ping.payload = 77
        minecraft 0..10 | pong
          0..1 minecraft.length = 9
          1..2 minecraft.id = 1
          2..10 minecraft.ping.payload = 77
          minecraft.response_to = 0
        "#);
    }

    #[test]
    fn a_login_ends_in_encryption() {
        let mut session = Session::default();
        insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, KEY), (C, SECRET)]), @r#"
        minecraft 0..24 | handshake | login, play.example.com:25565, version 763
          0..1 minecraft.length = 23
          1..2 minecraft.id = 0
          2..4 minecraft.handshake.version = 763
          4..5 minecraft.handshake.address_length = 16
          5..21 minecraft.handshake.address = "play.example.com"
          21..23 minecraft.handshake.port = 25565
          23..24 minecraft.handshake.next_state = 2 (login)
        minecraft 0..24 | login | falk
          0..1 minecraft.length = 23
          1..2 minecraft.id = 0
          2..3 minecraft.login.name_length = 4
          3..7 minecraft.login.name = "falk"
          7..24 minecraft.data = 17 bytes
        minecraft 0..25 | encryption request
          0..1 minecraft.length = 24
          1..2 minecraft.id = 1
          2..3 minecraft.login.server_id_length = 0
          3..3 minecraft.login.server_id = ""
          3..4 minecraft.login.key_length = 16
          4..20 minecraft.login.key = 000102030405060708090a0b0c0d0e0f
          20..21 minecraft.login.token_length = 4
          21..25 minecraft.login.token = 00010203
        minecraft 0..36 | encryption response
          0..1 minecraft.length = 35
          1..2 minecraft.id = 1
          2..3 minecraft.login.secret_length = 16
          3..19 minecraft.login.secret = 000102030405060708090a0b0c0d0e0f
          19..36 minecraft.data = 17 bytes
        "#);
        assert_eq!(session.extent(Side::Server, &[1, 2, 3], true), Extent::Unknown(3));
    }

    #[test]
    fn without_encryption_framing_continues() {
        let mut session = Session::default();
        insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, SUCCESS), (S, "03 24 01 02")]), @r#"
        minecraft 0..24 | handshake | login, play.example.com:25565, version 763
          0..1 minecraft.length = 23
          1..2 minecraft.id = 0
          2..4 minecraft.handshake.version = 763
          4..5 minecraft.handshake.address_length = 16
          5..21 minecraft.handshake.address = "play.example.com"
          21..23 minecraft.handshake.port = 25565
          23..24 minecraft.handshake.next_state = 2 (login)
        minecraft 0..24 | login | falk
          0..1 minecraft.length = 23
          1..2 minecraft.id = 0
          2..3 minecraft.login.name_length = 4
          3..7 minecraft.login.name = "falk"
          7..24 minecraft.data = 17 bytes
        minecraft 0..24 | logged in
          0..1 minecraft.length = 23
          1..2 minecraft.id = 2
          2..24 minecraft.data = 22 bytes
        minecraft 0..4 | packet | 3 bytes
          0..1 minecraft.length = 3
          1..4 minecraft.data = 240102
        "#);
    }

    #[test]
    fn a_login_is_refused_or_compression_begins() {
        let mut session = Session::default();
        dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN)]);
        insta::assert_snapshot!(dissect(&mut session, &[(S, "05 00 03 22 6e 22"), (S, "03 03 80 02"), (S, "02 00 01")]), @r#"
        minecraft 0..6 | refused
          0..1 minecraft.length = 5
          1..2 minecraft.id = 0
          2..3 minecraft.json_length = 3
          3..6 minecraft.json = ""n""
        minecraft 0..4 | compression | from 256 bytes on
          0..1 minecraft.length = 3
          1..2 minecraft.id = 3
          2..4 minecraft.login.threshold = 256
        minecraft 0..3 | packet | 2 bytes
          0..1 minecraft.length = 2
          1..3 minecraft.data = 0001
        "#);
    }

    #[test]
    fn packets_have_one_byte_to_the_limit() {
        let extent = |hex: &str| Session::default().extent(C, &trial::bytes(hex), true);
        assert_eq!(
            (extent("01"), extent("8001"), extent("ffff7f")),
            (Extent::Message(2), Extent::Message(130), Extent::Message(3 + 0x1f_ffff))
        );
        assert_eq!((extent(""), extent("80"), extent("ffff")), (Extent::NeedMore(1), Extent::NeedMore(2), Extent::NeedMore(3)));
        assert_eq!((extent("00 01"), extent("ffffff7f")), (Extent::Unknown(2), Extent::Unknown(4)));
    }

    #[test]
    fn recognition_requires_a_valid_handshake() {
        let opening = |bytes: &[u8]| detect(&Opening { sent: [bytes, &[]], from_start: [true, true], complete: false });
        let whole = trial::bytes(HANDSHAKE);
        for cut in 0..whole.len() {
            assert_eq!(opening(&whole[..cut]), Verdict::Unsure, "{cut}");
        }
        assert_eq!(opening(&whole), Verdict::Yes(Side::Server));
        for (protocol, verdict) in [
            ("ffffffff0f", Verdict::Yes(Side::Server)),
            ("81808080 04", Verdict::Yes(Side::Server)),
            ("8020", Verdict::No),
            ("f5f5f5 01", Verdict::No),
        ] {
            let rest = [trial::bytes("00"), trial::bytes(protocol), trial::bytes("01 61 63dd 01")].concat();
            let length = u8::try_from(rest.len()).unwrap();
            assert_eq!(opening(&[&[length], rest.as_slice()].concat()), verdict, "{protocol}");
        }
        assert_eq!(opening(b"GET / HTTP/1.1"), Verdict::No);
        assert_eq!(opening(b"SSH-2.0-x"), Verdict::No);
        assert_eq!(opening(&[0x16, 3, 1, 2, 0]), Verdict::No);
    }

    #[test]
    fn lengths_that_cannot_be_end_the_reading() {
        let mut session = Session::default();
        assert_eq!(session.extent(Side::Client, &[0x80], true), Extent::NeedMore(2));
        assert_eq!(session.extent(Side::Client, &[0xff; 6], true), Extent::Unknown(6));
        assert_eq!(session.extent(Side::Client, &[1, 0], true), Extent::Unknown(2));
    }
}
