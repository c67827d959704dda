//! Messages between a game server and the master server of the fourth version, on the port of the master server.
//!
//! ```text
//! to the master server      type:1 | id:4 | body       from it    fe fd | type:1 | id:4 | body
//! 1 challenge response      text                       1 challenge              text
//! 3 heartbeat               key | value | … | lists    9 availability           0 instead of an ID, status:4 at its place
//! 8 keepalive                                          10 registered
//! 9 availability            name of the game
//! ```
//! Not covered: the lists of players and teams in a heartbeat.

use super::{AVAILABILITY, CHALLENGE_TEXT, DATA, GAME, ID, MAGIC, MASTER_TYPE, MASTER_TYPES, RESPONSE_TEXT, START, settings};
use crate::tree::{Side, name_of};
use crate::wire::{Result, Wire};

/// Port of the master server.
pub(super) const PORT: u16 = 27900;

const CHALLENGE: u8 = 1;
const ECHO: u8 = 2;
const HEARTBEAT: u8 = 3;
const AVAILABLE: u8 = 9;

/// Bytes of type and ID.
const HEADER: usize = 5;

/// Whether a datagram on the port of the master server is one of these messages.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    let message = bytes.strip_prefix(&START).unwrap_or(bytes);
    let is_known = |kind: &u8| name_of(MASTER_TYPES, (*kind).into()).is_some();
    message.len() >= HEADER && message.first().is_some_and(is_known)
}

/// Dissects a message.
pub(super) fn message(wire: &mut Wire<'_>) -> Result {
    let from_master = wire.ahead().starts_with(&START);
    wire.sent_by(if from_master { Side::Server } else { Side::Client });
    if from_master {
        wire.bytes(&MAGIC, START.len())?;
    }
    let kind = wire.u8(&MASTER_TYPE)?;
    let name = name_of(MASTER_TYPES, kind.into()).unwrap_or("unknown message");
    match (kind, from_master) {
        (AVAILABLE, true) => {
            wire.name("availability");
            return wire.u32_be(&AVAILABILITY).map(drop);
        }
        (CHALLENGE, false) => wire.name("challenge response"),
        (AVAILABLE, false) => wire.name("availability request"),
        _ => wire.name(name),
    }
    wire.u32_be(&ID)?;
    match (kind, from_master) {
        (CHALLENGE, true) => wire.text_nul(&CHALLENGE_TEXT).map(drop)?,
        (CHALLENGE, false) => drop(wire.rest(&RESPONSE_TEXT)),
        (HEARTBEAT, false) => settings(wire)?,
        (AVAILABLE, false) => {
            let game = wire.text_nul(&GAME)?;
            wire.info(format_args!("{}", String::from_utf8_lossy(game)));
        }
        (ECHO, _) => drop(wire.rest(&DATA)),
        _ => {}
    }
    wire.rest_is(&DATA)
}

#[cfg(test)]
mod tests {
    use super::super::PROTOCOL;
    use super::*;
    use crate::wire::{Cut, trial};

    const MESSAGES: [&str; 7] = [
        "03 00000007 686f73746e616d65 00 6d6f6f72 00 67616d656e616d65 00 7574 00 00",
        "fefd 01 00000007 4142434400",
        "01 00000007 78797a00",
        "fefd 0a 00000007",
        "08 00000007",
        "09 00000000 757400",
        "fefd 09 00000000",
    ];

    #[test]
    fn a_server_registers_with_the_master_server() {
        let trees = MESSAGES.map(|hex| trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, message)).concat();
        insta::assert_snapshot!(trees, @r#"
        gamespy 0..32 | heartbeat | moor
          0..1 gamespy.master.type = 3 (heartbeat)
          1..5 gamespy.id = 0x00000007
          5..19 gamespy.setting
            5..14 gamespy.setting.key = "hostname"
            14..19 gamespy.setting.value = "moor"
          19..31 gamespy.setting
            19..28 gamespy.setting.key = "gamename"
            28..31 gamespy.setting.value = "ut"
          31..32 gamespy.separator = 00
        gamespy 0..12 | challenge
          0..2 gamespy.magic = fefd
          2..3 gamespy.master.type = 1 (challenge)
          3..7 gamespy.id = 0x00000007
          7..12 gamespy.challenge_text = "ABCD"
        gamespy 0..9 | challenge response
          0..1 gamespy.master.type = 1 (challenge)
          1..5 gamespy.id = 0x00000007
          5..9 gamespy.master.response = "xyz"
        gamespy 0..7 | registered
          0..2 gamespy.magic = fefd
          2..3 gamespy.master.type = 10 (registered)
          3..7 gamespy.id = 0x00000007
        gamespy 0..5 | keepalive
          0..1 gamespy.master.type = 8 (keepalive)
          1..5 gamespy.id = 0x00000007
        gamespy 0..8 | availability request | ut
          0..1 gamespy.master.type = 9 (availability)
          1..5 gamespy.id = 0x00000000
          5..8 gamespy.master.game = "ut"
        gamespy 0..7 | availability
          0..2 gamespy.magic = fefd
          2..3 gamespy.master.type = 9 (availability)
          3..7 gamespy.master.availability = 0 (available)
        "#);
        assert!(MESSAGES.iter().all(|hex| recognize(&trial::bytes(hex))));
        assert!(!recognize(&trial::bytes("fefd 0b 00000007")) && !recognize(&trial::bytes("08 0000")));
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        for hex in MESSAGES {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), message);
        }
    }
}
