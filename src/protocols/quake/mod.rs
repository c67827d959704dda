//! Quake: control packets and headers of game packets. QuakeWorld and Quake II have separate files.
//!
//! Numbers are big-endian unless stated otherwise.
//!
//! ```text
//! header      flags:2 | length:2, of the whole packet
//! game        header | sequence:4 | data
//! control     header | command:1 | body                      flags 8000
//!   1 connect         game | version:1              81 accept        port:4, little-endian
//!   2 server_info     game | version:1              82 reject        reason
//!   3 player_info     player:1                      83 server_info   address | name | map | players:1 | most:1 | version:1
//!   4 rule_info       last rule                     84 player_info   player:1 | name | colors:4 | frags:4 | seconds:4 | address
//!                                                   85 rule_info     rule | value
//! ```
//! Texts end with a NUL; numbers of players are little-endian. The game continues on the port in the server's accept message. Not
//! covered: messages inside game packets.

mod netchan;
pub mod second;
pub mod world;

use crate::tree::{Names, Transport, Value, fields, name_of};
use crate::wire::{DatagramContext, Heuristic, On, Protocol, Result, Wire};
use std::net::SocketAddr;

pub static PROTOCOL: Protocol = Protocol::new(&QUAKE, FIELDS)
    .found(&[
        On::Udp(PORT).datagram(Heuristic::InContext(is_packet), packet),
        On::AnyUdp.datagram(Heuristic::Datagram(is_request), packet),
        On::Over(PLACE).datagram(Heuristic::Datagram(is_whole), packet),
    ])
    .rest(&DATA);

const PORT: u16 = 26000;
/// The place of the game that a server accepted.
const PLACE: &str = "quake";

fields! {
    QUAKE = protocol("quake", "Quake", "Quake network protocol")
        .covers("Control packets, and headers of game packets")
        .leaves_open("Messages inside game packets");
    FLAGS = number("quake.header.flags", "flags", "").hex(4).once();
    IS_DATA = bool("quake.header.flags.data", "data", "").mask(0x0001).once();
    IS_ACK = bool("quake.header.flags.ack", "acknowledgment", "").mask(0x0002).once();
    IS_NAK = bool("quake.header.flags.no_ack", "no acknowledgment", "").mask(0x0004).once();
    IS_END = bool("quake.header.flags.endmsg", "end of message", "").mask(0x0008).once();
    IS_UNRELIABLE = bool("quake.header.flags.unreliable", "unreliable", "").mask(0x0010).once();
    IS_CONTROL = bool("quake.header.flags.control", "control", "").mask(0x8000).once();
    LENGTH = number("quake.header.length", "length", "Bytes of the packet").once();
    SEQUENCE = number("quake.header.sequence", "sequence", "").hex(8).once();
    COMMAND = number("quake.control.command", "command", "").hex(2).names(COMMANDS).once();
    CONNECT_GAME = text("quake.control.connect.game", "game", "").once();
    CONNECT_VERSION = number("quake.control.connect.version", "version", "").once();
    INFO_GAME = text("quake.control.server_info.game", "game", "").once();
    INFO_VERSION = number("quake.control.server_info.version", "version", "").once();
    PLAYER = number("quake.control.player_info.player", "player", "").once();
    LAST_RULE = text("quake.control.rule_info.lastrule", "last rule", "Empty for the first one").once();
    ACCEPT_PORT = number("quake.control.accept.port", "port", "Port of the game").once();
    REASON = text("quake.control.reject.reason", "reason", "").once();
    ADDRESS = text("quake.control.server_info.address", "address", "").once();
    SERVER = text("quake.control.server_info.server", "server", "").once();
    MAP = text("quake.control.server_info.map", "map", "").once();
    PLAYERS = number("quake.control.server_info.num_player", "number of players", "").once();
    MOST_PLAYERS = number("quake.control.server_info.max_player", "maximum number of players", "").once();
    PLAYER_NAME = text("quake.control.player_info.name", "name", "").once();
    COLORS = number("quake.control.player_info.colors", "colors", "").hex(8).once();
    FRAGS = number("quake.control.player_info.frags", "frags", "").once();
    CONNECT_TIME = number("quake.control.player_info.connect_time", "connect time", "Seconds").once();
    PLAYER_ADDRESS = text("quake.control.player_info.address", "address", "").once();
    RULE = text("quake.control.rule_info.rule", "rule", "").once();
    RULE_VALUE = text("quake.control.rule_info.value", "value", "").once();
    DATA = bytes("quake.data", "data", "Undissected bytes").once();
}

const COMMANDS: Names = &[
    (0x01, "connect"),
    (0x02, "server_info"),
    (0x03, "player_info"),
    (0x04, "rule_info"),
    (0x81, "accept"),
    (0x82, "reject"),
    (0x83, "server_info"),
    (0x84, "player_info"),
    (0x85, "rule_info"),
];

const CONTROL: u16 = 0x8000;
/// Flags of game packets: data with and without end, acknowledgement, unreliable.
const GAME: [u16; 4] = [0x0001, 0x0009, 0x0002, 0x0010];
/// Size of the header of control packets and of game packets.
const HEADER: usize = 4;
const GAME_HEADER: usize = 8;

/// Requires known flags and the length of the datagram.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(&[flags, flags_low, length, length_low]) = bytes.first_chunk::<HEADER>() else { return false };
    let is_length = usize::from(u16::from_be_bytes([length, length_low])) == bytes.len();
    is_length
        && match u16::from_be_bytes([flags, flags_low]) {
            CONTROL => bytes.get(HEADER).is_some_and(|command| name_of(COMMANDS, (*command).into()).is_some()),
            flags => GAME.contains(&flags) && bytes.len() >= GAME_HEADER,
        }
}

fn is_packet(bytes: &[u8], _: &DatagramContext) -> bool {
    is_whole(bytes)
}

/// Whether a client requests a connection or information.
fn is_request(bytes: &[u8]) -> bool {
    is_whole(bytes) && matches!(bytes.get(HEADER..), Some([1 | 2, rest @ ..]) if rest.starts_with(b"QUAKE\0\x03"))
}

fn packet(wire: &mut Wire<'_>) -> Result {
    let bits = [&IS_DATA, &IS_ACK, &IS_NAK, &IS_END, &IS_UNRELIABLE, &IS_CONTROL];
    let flags = wire.flags(&FLAGS, 2, &bits)?;
    wire.u16_be(&LENGTH)?;
    if IS_CONTROL.bits_of(flags) != 0 {
        return control(wire);
    }
    let sequence = wire.u32_be(&SEQUENCE)?;
    wire.name(match flags {
        0x0002 => "acknowledgment",
        0x0010 => "unreliable",
        _ => "data",
    });
    wire.info(format_args!("sequence {sequence}"));
    wire.rest_is(&DATA)
}

fn control(wire: &mut Wire<'_>) -> Result {
    let command = wire.u8(&COMMAND)?;
    wire.name(name_of(COMMANDS, command.into()).unwrap_or("unknown command"));
    match command {
        0x01 => {
            text(wire, &CONNECT_GAME)?;
            wire.u8(&CONNECT_VERSION)?;
        }
        0x02 => {
            text(wire, &INFO_GAME)?;
            wire.u8(&INFO_VERSION)?;
        }
        0x03 => drop(wire.u8(&PLAYER)?),
        0x04 => text(wire, &LAST_RULE)?,
        0x81 => {
            let port = wire.u32_le(&ACCEPT_PORT)?;
            wire.info(format_args!("port {port}"));
            if let (Some([server, _]), Ok(port)) = (wire.ends(), u16::try_from(port)) {
                wire.expect(Transport::Udp, SocketAddr::new(server.ip(), port), PLACE);
            }
        }
        0x82 => text(wire, &REASON)?,
        0x83 => {
            wire.text_nul(&ADDRESS)?;
            text(wire, &SERVER)?;
            wire.text_nul(&MAP)?;
            wire.u8(&PLAYERS)?;
            wire.u8(&MOST_PLAYERS)?;
            wire.u8(&INFO_VERSION)?;
        }
        0x84 => {
            wire.u8(&PLAYER)?;
            text(wire, &PLAYER_NAME)?;
            wire.u32_le(&COLORS)?;
            let frags = |bytes| Value::Signed(i32::from_le_bytes(bytes).into());
            wire.number_with(&FRAGS, frags)?;
            wire.u32_le(&CONNECT_TIME)?;
            wire.text_nul(&PLAYER_ADDRESS)?;
        }
        0x85 if wire.remaining() > 0 => {
            text(wire, &RULE)?;
            wire.text_nul(&RULE_VALUE)?;
        }
        _ => {}
    }
    wire.rest_is(&DATA)
}

/// Dissects a text and shows it in the heading.
fn text(wire: &mut Wire<'_>, field: &'static crate::tree::Field) -> Result {
    let text = String::from_utf8_lossy(wire.text_nul(field)?);
    wire.info(format_args!("{text}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const PACKETS: [&[u8]; 10] = [
        b"\x80\0\0\x0c\x01QUAKE\0\x03",
        b"\x80\0\0\x09\x81\x91\x65\0\0",
        b"\x80\0\0\x0e\x82\x66ull up\n\0",
        b"\x80\0\0\x0c\x02QUAKE\0\x03",
        b"\x80\0\0\x1c\x83a:26000\0Quay\0dm3\0\x02\x08\x03\0\0\0",
        b"\x80\0\0\x1d\x84\0moss\0\x4d\0\0\0\xff\xff\xff\xff\x3c\0\0\0b:1\0\0\0",
        b"\x80\0\0\x09\x85a\x001\0",
        b"\0\x09\0\x0a\0\0\0\x05hi",
        b"\0\x02\0\x08\0\0\0\x05",
        b"\0\x10\0\x09\0\0\0\x06\x01",
    ];

    #[test]
    fn requests_have_the_version_of_the_protocol() {
        let request = |version: u8| is_request(&[b"\x80\0\0\x0c\x01QUAKE\0".as_slice(), &[version]].concat());
        assert_eq!([2, 3, 4].map(request), [false, true, false]);
    }

    #[test]
    fn packets_are_dissected() {
        let trees = PACKETS.map(|bytes| trial::read(&PROTOCOL, bytes, Cut::No, packet)).concat();
        insta::assert_snapshot!(trial::abridged(&trees), @r#"
        quake 0..12 | connect | QUAKE
          0..2 quake.header.flags = 0x8000
            0..2 quake.header.flags.data = false
            0..2 quake.header.flags.ack = false
            0..2 quake.header.flags.no_ack = false
            0..2 quake.header.flags.endmsg = false
            0..2 quake.header.flags.unreliable = false
            0..2 quake.header.flags.control = true
          2..4 quake.header.length = 12
          4..5 quake.control.command = 0x01 (connect)
          5..11 quake.control.connect.game = "QUAKE"
          11..12 quake.control.connect.version = 3
        quake 0..9 | accept | port 26001
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 9
          4..5 quake.control.command = 0x81 (accept)
          5..9 quake.control.accept.port = 26001
        quake 0..14 | reject | full up\n
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 14
          4..5 quake.control.command = 0x82 (reject)
          5..14 quake.control.reject.reason = "full up\n"
        quake 0..12 | server_info | QUAKE
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 12
          4..5 quake.control.command = 0x02 (server_info)
          5..11 quake.control.server_info.game = "QUAKE"
          11..12 quake.control.server_info.version = 3
        quake 0..28 | server_info | Quay
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 28
          4..5 quake.control.command = 0x83 (server_info)
          5..13 quake.control.server_info.address = "a:26000"
          13..18 quake.control.server_info.server = "Quay"
          18..22 quake.control.server_info.map = "dm3"
          22..23 quake.control.server_info.num_player = 2
          23..24 quake.control.server_info.max_player = 8
          24..25 quake.control.server_info.version = 3
          25..28 quake.data = 000000
        quake 0..29 | player_info | moss
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 29
          4..5 quake.control.command = 0x84 (player_info)
          5..6 quake.control.player_info.player = 0
          6..11 quake.control.player_info.name = "moss"
          11..15 quake.control.player_info.colors = 0x0000004d
          15..19 quake.control.player_info.frags = -1
          19..23 quake.control.player_info.connect_time = 60
          23..27 quake.control.player_info.address = "b:1"
          27..29 quake.data = 0000
        quake 0..9 | rule_info | a
          0..2 quake.header.flags = 0x8000 …
          2..4 quake.header.length = 9
          4..5 quake.control.command = 0x85 (rule_info)
          5..7 quake.control.rule_info.rule = "a"
          7..9 quake.control.rule_info.value = "1"
        quake 0..10 | data | sequence 5
          0..2 quake.header.flags = 0x0009
            0..2 quake.header.flags.data = true
            0..2 quake.header.flags.ack = false
            0..2 quake.header.flags.no_ack = false
            0..2 quake.header.flags.endmsg = true
            0..2 quake.header.flags.unreliable = false
            0..2 quake.header.flags.control = false
          2..4 quake.header.length = 10
          4..8 quake.header.sequence = 0x00000005
          8..10 quake.data = 6869
        quake 0..8 | acknowledgment | sequence 5
          0..2 quake.header.flags = 0x0002
            0..2 quake.header.flags.data = false
            0..2 quake.header.flags.ack = true
            0..2 quake.header.flags.no_ack = false
            0..2 quake.header.flags.endmsg = false
            0..2 quake.header.flags.unreliable = false
            0..2 quake.header.flags.control = false
          2..4 quake.header.length = 8
          4..8 quake.header.sequence = 0x00000005
        quake 0..9 | unreliable | sequence 6
          0..2 quake.header.flags = 0x0010
            0..2 quake.header.flags.data = false
            0..2 quake.header.flags.ack = false
            0..2 quake.header.flags.no_ack = false
            0..2 quake.header.flags.endmsg = false
            0..2 quake.header.flags.unreliable = true
            0..2 quake.header.flags.control = false
          2..4 quake.header.length = 9
          4..8 quake.header.sequence = 0x00000006
          8..9 quake.data = 01
        "#);
    }

    #[test]
    fn lengths_and_flags_must_fit() {
        for bytes in PACKETS {
            assert!(is_whole(bytes) && !is_whole(&bytes[..bytes.len() - 1]), "{bytes:?}");
            assert_eq!(is_request(bytes), bytes.starts_with(b"\x80\0\0\x0c"));
        }
        for other in [&b"\0\x03\0\x08\0\0\0\0"[..], b"\x80\0\0\x05\x06", b"\x80\0\0\x04", b"\0\x01\0\x04", b""] {
            assert!(!is_whole(other), "{other:?}");
        }
    }

    #[test]
    fn damaged_packets_are_dissected() {
        PACKETS.iter().for_each(|bytes| trial::survives_damage(&PROTOCOL, bytes, packet));
    }
}
