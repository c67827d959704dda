//! Terraria: framing and names of the messages between game and server.
//!
//! Numbers are little-endian.
//!
//! ```text
//! message     length:2, itself included | type:1 | body
//!   1  connect request     text: "Terraria" and a number
//!   2  disconnect          mode:1 | text, if the mode is 0
//!   3  set user slot       slot:1
//!   38 send password       text
//!   68 client UUID         text
//! text        length in seven bits per byte | bytes
//! ```
//! Not covered: bodies of other messages, shown as bytes.

use crate::tree::{Field, Names, Side, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Varint, Verdict, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&TERRARIA, FIELDS).found(&[On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize))]).rest(&DATA);

fields! {
    TERRARIA = protocol("terraria", "Terraria", "Terraria protocol")
        .covers("Framing and names of messages; connection, slots, passwords and identifiers")
        .leaves_open("Bodies of other messages, shown as bytes");
    LENGTH = number("terraria.length", "length", "Bytes of the message").once();
    TYPE = number("terraria.type", "type", "").names(TYPES).once();
    TEXT_LENGTH = number("terraria.text_length", "text length", "In bytes").once();
    VERSION = text("terraria.version", "version", "").once();
    MODE = number("terraria.text_mode", "text mode", "0 for plain text").once();
    REASON = text("terraria.reason", "reason", "").once();
    SLOT = number("terraria.slot", "slot", "Number of the player").once();
    PASSWORD = text("terraria.password", "password", "").secret().once();
    UUID = text("terraria.uuid", "UUID", "Identifies the client").once();
    DATA = bytes("terraria.data", "data", "Undissected bytes").once();
}

const TYPES: Names = &[
    (1, "Connect Request"),
    (2, "Disconnect"),
    (3, "Set User Slot"),
    (4, "Player Info"),
    (5, "Player Inventory Slot"),
    (6, "Request World Data"),
    (7, "World Info"),
    (8, "Request Essential Tiles"),
    (9, "Status"),
    (10, "Send Section"),
    (11, "Section Tile Frame"),
    (12, "Spawn Player"),
    (13, "Update Player"),
    (14, "Player Active"),
    (16, "Player HP"),
    (17, "Modify Tile"),
    (18, "Time"),
    (19, "Door Toggle"),
    (20, "Send Tile Square"),
    (21, "Update Item Drop"),
    (22, "Update Item Owner"),
    (23, "NPC Update"),
    (24, "Strike NPC Melee"),
    (27, "Projectile Update"),
    (28, "NPC Strike"),
    (29, "Destroy Projectile"),
    (30, "Toggle PvP"),
    (31, "Open Chest"),
    (32, "Update Chest Item"),
    (33, "Sync Active Chest"),
    (34, "Place Chest"),
    (35, "Heal Effect"),
    (36, "Player Zone"),
    (37, "Request Password"),
    (38, "Send Password"),
    (39, "Remove Item Owner"),
    (40, "Set Active NPC"),
    (41, "Player Item Animation"),
    (42, "Player Mana"),
    (43, "Mana Effect"),
    (45, "Player Team"),
    (46, "Request Sign"),
    (47, "Update Sign"),
    (48, "Set Liquid"),
    (49, "Complete Connection and Spawn"),
    (50, "Update Player Buff"),
    (65, "Player NPC Teleport"),
    (66, "Heal Other Player"),
    (68, "Client UUID"),
    (82, "Load Net Module"),
];

/// The message that carries a password.
const PASSWORD_TYPE: u8 = 38;
/// Size of length and type.
const HEADER: usize = 3;
/// Most bytes of a text's length.
const LENGTH_MAX: usize = 5;

/// Whether the bytes begin with a connect request.
fn is_request(bytes: &[u8]) -> bool {
    let Some((&[length, 0, 1, text], rest)) = bytes.split_first_chunk::<4>() else { return false };
    let version = rest.get(..usize::from(text)).and_then(|text| text.strip_prefix(b"Terraria"));
    usize::from(length) == HEADER + 1 + usize::from(text)
        && version.is_some_and(|version| matches!(version.len(), 1..=4) && version.iter().all(u8::is_ascii_digit))
}

/// Recognizes a connect request.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let client = Side::BOTH.into_iter().find(|side| opening.starts(*side) && is_request(opening.of(*side)));
    client.map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Bytes were lost: message boundaries are unknown.
    lost: bool,
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        let Some(length) = ahead.first_chunk().map(|length| usize::from(u16::from_le_bytes(*length))) else {
            return Extent::NeedMore(2);
        };
        match length {
            _ if self.lost => Extent::Unknown(ahead.len()),
            HEADER.. => Extent::Message(length),
            _ => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        const PLAIN: u8 = 0;
        wire.u16_le(&LENGTH)?;
        let kind = wire.u8(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown message"));
        match kind {
            1 => {
                let version = String::from_utf8_lossy(text(wire, &VERSION)?);
                wire.info(format_args!("{version}"));
            }
            2 if wire.u8(&MODE)? == PLAIN => {
                let reason = String::from_utf8_lossy(text(wire, &REASON)?);
                wire.info(format_args!("{reason}"));
            }
            3 => {
                let slot = wire.u8(&SLOT)?;
                wire.info(format_args!("slot {slot}"));
            }
            PASSWORD_TYPE => drop(text(wire, &PASSWORD)?),
            68 => drop(text(wire, &UUID)?),
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        // After lost bytes, no message is found again.
        if from == Side::Client { Resumption::Beyond(ahead.len()) } else { Resumption::Anywhere }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        from == Side::Client && ahead.get(HEADER - 1).is_none_or(|kind| *kind == PASSWORD_TYPE)
    }

    fn gap(&mut self, _: Side, missing: Missing) {
        self.lost |= !missing.in_step;
    }
}

/// Dissects a text with its length. A truncated password is a secret as well.
fn text<'a>(wire: &mut Wire<'a>, field: &'static Field) -> Result<&'a [u8]> {
    let Varint::Number(length, _) = Varint::decode(wire.ahead(), LENGTH_MAX) else {
        return Ok(&[]);
    };
    wire.varint(&TEXT_LENGTH, LENGTH_MAX)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(wire.remaining());
    wire.optional(field, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    use Side::{Client as C, Server as S};

    const SAID: &[(Side, &[u8])] = &[
        (C, b"\x0f\0\x01\x0bTerraria279"),
        (S, b"\x03\0\x25"),
        (C, b"\x0e\0\x26\x0amoss-green"),
        (S, b"\x05\0\x03\x02\0"),
        (C, b"\x0c\0\x44\x081234-abc\x03\0\x06"),
        (S, b"\x0b\0\x02\0\x06kicked"),
        (S, b"\x04\0\xfe\x01"),
    ];

    #[test]
    fn a_session_is_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), SAID), @r#"
        terraria 0..15 | Connect Request | Terraria279
          0..2 terraria.length = 15
          2..3 terraria.type = 1 (Connect Request)
          3..4 terraria.text_length = 11
          4..15 terraria.version = "Terraria279"
        terraria 0..3 | Request Password
          0..2 terraria.length = 3
          2..3 terraria.type = 37 (Request Password)
        terraria 0..14 | Send Password
          0..2 terraria.length = 14
          2..3 terraria.type = 38 (Send Password)
          3..4 terraria.text_length = 10
          4..14 terraria.password = "moss-green"
        terraria 0..5 | Set User Slot | slot 2
          0..2 terraria.length = 5
          2..3 terraria.type = 3 (Set User Slot)
          3..4 terraria.slot = 2
          4..5 terraria.data = 00
        terraria 0..12 | Client UUID
          0..2 terraria.length = 12
          2..3 terraria.type = 68 (Client UUID)
          3..4 terraria.text_length = 8
          4..12 terraria.uuid = "1234-abc"
        terraria 0..3 | Request World Data
          0..2 terraria.length = 3
          2..3 terraria.type = 6 (Request World Data)
        terraria 0..11 | Disconnect | kicked
          0..2 terraria.length = 11
          2..3 terraria.type = 2 (Disconnect)
          3..4 terraria.text_mode = 0
          4..5 terraria.text_length = 6
          5..11 terraria.reason = "kicked"
        terraria 0..4 | unknown message
          0..2 terraria.length = 4
          2..3 terraria.type = 254
          3..4 terraria.data = 01
        "#);
        survives_damage(&PROTOCOL, Session::default, SAID);
    }

    #[test]
    fn a_session_is_recognized_by_its_connect_request() {
        let judge =
            |client: &[u8], server: &[u8]| recognize(&Opening { sent: [client, server], from_start: [true; 2], complete: true });
        assert_eq!((judge(SAID[0].1, b""), judge(b"", SAID[0].1)), (Verdict::Yes(S), Verdict::Yes(C)));
        for other in [
            &b"\x0f\0\x01\x0bTerraria27x"[..],
            b"\x0e\0\x01\x0bTerraria279",
            b"\x0f\0\x01\x0bTerrari",
            b"\x0c\0\x01\x08Terraria",
            b"",
        ] {
            assert_eq!(judge(other, b""), Verdict::No, "{other:?}");
        }
    }

    #[test]
    fn bytes_after_a_gap_are_data() {
        let mut session = Session::default();
        session.gap(S, Missing { bytes: 4, in_step: true });
        assert_eq!(session.extent(S, b"\x03\0\x25", true), Extent::Message(3));
        session.gap(S, Missing { bytes: 4, in_step: false });
        assert_eq!(session.extent(S, b"\x03\0\x25", true), Extent::Unknown(3));
    }
}
