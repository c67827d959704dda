//! The ping of Minecraft versions before 1.7, which newer servers answer as well.
//!
//! Numbers are big-endian; texts are UTF-16 behind their length in units.
//!
//! ```text
//! client    fe                                     up to 1.3
//!           fe | 01                                1.4, 1.5
//!           fe | 01 | fa | "MC|PingHost" | length:2 | version:1 | host name | port:4        1.6
//! server    ff | text: "§1" NUL protocol NUL version NUL message NUL players NUL maximum    from 1.4 on
//!           ff | text: message § players § maximum
//! ```

use super::*;
use crate::tree::{Field, Side, Value};
use crate::wire::{Error, Extent, Requests, Result, Wire};

/// Key of a pending ping.
const PING_KEY: usize = 0;

const PLUGIN: u8 = 0xfa;
const PING: u8 = 0xfe;
const KICK: u8 = 0xff;
const HAS_STATUS: u8 = 1;

/// "MC|PingHost".
const PING_HOST: [u8; 24] =
    [0, 11, 0, b'M', 0, b'C', 0, b'|', 0, b'P', 0, b'i', 0, b'n', 0, b'g', 0, b'H', 0, b'o', 0, b's', 0, b't'];

/// Separators of the values of a status: NUL behind the magic, else §.
const SECTION: u16 = 0xa7;

/// Size of a kick packet, if its beginning is one.
fn kick(bytes: &[u8]) -> Option<usize> {
    let &[KICK, high, low, ..] = bytes else { return None };
    Some(3 + 2 * usize::from(u16::from_be_bytes([high, low])))
}

/// Whether the client begins with a ping: `Ok(false)` if undecided until the server answers or more arrives.
pub(super) fn recognize(client: &[u8], server: &[u8]) -> std::result::Result<bool, ()> {
    let begins = |bytes: &[u8], whole: &[u8]| whole.starts_with(bytes) || bytes.starts_with(whole);
    let behind = match client {
        [PING] | [PING, HAS_STATUS] => &[],
        [PING, HAS_STATUS, PLUGIN, rest @ ..] if begins(rest, &PING_HOST) => rest,
        _ => return Err(()),
    };
    if behind.len() >= PING_HOST.len() {
        return Ok(true);
    }
    match (server, kick(server)) {
        ([] | [KICK] | [KICK, _], _) => Ok(false),
        (_, Some(size)) if size > 3 && server.len() <= size && is_status(server) => Ok(true),
        (_, Some(size)) if server.len() < size => Ok(false),
        _ => Err(()),
    }
}

/// Whether the text of a kick packet has separators, as far as it is there.
fn is_status(kick: &[u8]) -> bool {
    let text = kick.get(3..).unwrap_or_default().as_chunks::<2>().0;
    text.iter().any(|unit| u16::from_be_bytes(*unit) == SECTION)
}

/// Whether the first bytes of a side are of this ping. A handshake of that length has another byte behind it.
pub(super) fn begins(from: Side, ahead: &[u8]) -> bool {
    match from {
        Side::Client => matches!(ahead, [PING] | [PING, HAS_STATUS] | [PING, HAS_STATUS, PLUGIN, ..]),
        Side::Server => ahead.first() == Some(&KICK),
    }
}

/// Where the next packet ends.
pub(super) fn extent(from: Side, ahead: &[u8], more: bool) -> Extent {
    let number = |at: usize| ahead.get(at..).and_then(|rest| rest.first_chunk()).map(|raw| usize::from(u16::from_be_bytes(*raw)));
    match (from, ahead) {
        (Side::Server, [KICK, ..]) => kick(ahead).map_or(Extent::NeedMore(3), Extent::Message),
        (Side::Client, [PING]) if more => Extent::NeedMore(2),
        (Side::Client, [PING, HAS_STATUS, ..]) => Extent::Message(2),
        (Side::Client, [PING, ..]) => Extent::Message(1),
        (Side::Client, [PLUGIN, ..]) => match number(1).map(|units| 3 + 2 * units) {
            None => Extent::NeedMore(3),
            Some(at) => number(at).map_or(Extent::NeedMore(at + 2), |length| Extent::Message(at + 2 + length)),
        },
        _ => Extent::Unknown(ahead.len()),
    }
}

/// Dissects a packet.
pub(super) fn message(asked: &mut Requests<usize>, wire: &mut Wire<'_>) -> Result {
    match wire.u8(&LEGACY_KIND)? {
        PING => {
            wire.name("legacy ping");
            asked.ask(PING_KEY, wire);
            if wire.remaining() > 0 {
                wire.u8(&LEGACY_PAYLOAD)?;
            }
            Ok(())
        }
        PLUGIN => plugin(wire),
        _ => {
            if let Some(request) = asked.answer(&PING_KEY) {
                request.put(wire, &RESPONSE_TO, &TIME);
            }
            kicked(wire)
        }
    }
}

fn plugin(wire: &mut Wire<'_>) -> Result {
    wire.name("legacy ping host");
    let units = usize::from(wire.u16_be(&LEGACY_TEXT_LENGTH)?);
    text(wire, &LEGACY_CHANNEL, 2 * units)?;
    let length = usize::from(wire.u16_be(&LEGACY_LENGTH)?);
    wire.within(length, &DATA, |wire| {
        let version = wire.u8(&LEGACY_VERSION)?;
        let units = usize::from(wire.u16_be(&LEGACY_TEXT_LENGTH)?);
        let host = text(wire, &LEGACY_HOST, 2 * units)?;
        let port = wire.u32_be(&LEGACY_PORT)?;
        wire.info(format_args!("{host}:{port}, version {version}"));
        Ok(())
    })
}

fn kicked(wire: &mut Wire<'_>) -> Result {
    let is_status = is_status(&[&[KICK, 0, 0], wire.ahead().get(2..).unwrap_or_default()].concat());
    let units = usize::from(wire.u16_be(&LEGACY_TEXT_LENGTH)?);
    if !is_status {
        wire.name("kick");
        let reason = text(wire, &LEGACY_TEXT, 2 * units)?;
        wire.info(format_args!("{reason}"));
        return Ok(());
    }
    wire.name("legacy status");
    wire.within(2 * units, &DATA, status)
}

/// Values of a status, separated by NUL behind the magic, else by §.
fn status(wire: &mut Wire<'_>) -> Result {
    const NEW: [&Field; 6] =
        [&LEGACY_MAGIC, &LEGACY_PROTOCOL_VERSION, &LEGACY_SERVER_VERSION, &LEGACY_MESSAGE, &LEGACY_PLAYERS, &LEGACY_MAX_PLAYERS];
    const OLD: [&Field; 3] = [&LEGACY_MESSAGE, &LEGACY_PLAYERS, &LEGACY_MAX_PLAYERS];
    let is_new = wire.ahead().starts_with(&SECTION.to_be_bytes());
    let (fields, separator): (&[&'static Field], u16) = if is_new { (&NEW, 0) } else { (&OLD, SECTION) };
    let mut shown = [String::new(), String::new(), String::new()];
    for (place, field) in fields.iter().enumerate() {
        let is_last = place + 1 == fields.len();
        let units = wire.ahead().as_chunks::<2>().0;
        let count = units.iter().position(|unit| !is_last && u16::from_be_bytes(*unit) == separator).unwrap_or(units.len());
        // The separator belongs to the value in front of it.
        let behind = if is_last { 0 } else { wire.remaining().saturating_sub(2 * count).min(2) };
        let value = value(wire, field, 2 * count, behind)?;
        if let Some(kept) = fields.len().checked_sub(place + 1).and_then(|left| shown.get_mut(left)) {
            *kept = value;
        }
    }
    let [most, players, message] = shown;
    wire.info(format_args!("{message}, {players}/{most} players"));
    Ok(())
}

/// Reads a value, which may be a number, and the bytes behind it.
fn value(wire: &mut Wire<'_>, field: &'static Field, count: usize, behind: usize) -> Result<String> {
    if !field.is(&LEGACY_PROTOCOL_VERSION) {
        return text_with(wire, field, count, behind);
    }
    let range = wire.at()..wire.at() + count + behind;
    let digits = decoded(wire.ahead().get(..count).unwrap_or_default());
    match digits.parse() {
        Ok(number) => wire.put(field, Value::Unsigned(number), range),
        Err(_) => wire.put_text(&LEGACY_TEXT, range, format_args!("{digits}")),
    };
    wire.skip(count + behind)?;
    Ok(digits)
}

/// Reads UTF-16 text of `count` bytes, high byte first.
fn text(wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result<String> {
    text_with(wire, field, count, 0)
}

/// The same with the bytes behind it in its field.
fn text_with(wire: &mut Wire<'_>, field: &'static Field, count: usize, behind: usize) -> Result<String> {
    let bytes = wire.ahead().get(..count).ok_or(Error::Short { needed: count.saturating_sub(wire.remaining()) })?;
    let text = decoded(bytes);
    wire.put_text(field, wire.at()..wire.at() + count + behind, format_args!("{text}"));
    wire.skip(count + behind)?;
    Ok(text)
}

fn decoded(bytes: &[u8]) -> String {
    let units = bytes.as_chunks().0.iter().map(|unit: &[u8; 2]| u16::from_be_bytes(*unit));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::heuristics::detect;
    use super::super::{PROTOCOL, Session};
    use crate::protocols::lines::{survives_damage, trees_of};
    use crate::tree::Side;
    use crate::wire::trial;
    use crate::wire::{Opening, Verdict};

    const HOST: &str = "fe01 fa 000b 004d0043007c00500069006e00670048006f00730074 0011 4a 0005 006d006f006f0072 0073 000063dd";
    const STATUS: &str =
        "ff 0016 00a700310000 003100320037 0000 0031002e0035002e0032 0000 004d006f006f0072 0000 0030 0000 00320030";
    const OLD_STATUS: &str = "ff 0009 004d006f006f0072 00a7 0030 00a7 00320030";
    const KICK: &str = "ff 0004 00420079 00650021";

    fn trees(client: &str, server: &str) -> String {
        let (client, server) = (trial::bytes(client), trial::bytes(server));
        trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &client), (Side::Server, &server)])
    }

    #[test]
    fn a_ping_of_1_6_names_the_host() {
        insta::assert_snapshot!(trees(HOST, STATUS), @r#"
        minecraft 0..2 | legacy ping
          0..1 minecraft.legacy.id = 0xfe (ping)
          1..2 minecraft.legacy.payload = 1
        minecraft 0..44 | legacy ping host | moors:25565, version 74
          0..1 minecraft.legacy.id = 0xfa (plugin message)
          1..3 minecraft.legacy.text_length = 11
          3..25 minecraft.legacy.channel = "MC|PingHost"
          25..27 minecraft.legacy.length = 17
          27..28 minecraft.legacy.version = 74
          28..30 minecraft.legacy.text_length = 5
          30..40 minecraft.legacy.host = "moors"
          40..44 minecraft.legacy.port = 25565
        minecraft 0..47 | legacy status | Moor, 0/20 players
          0..1 minecraft.legacy.id = 0xff (kick)
          minecraft.response_to = 0
          1..3 minecraft.legacy.text_length = 22
          3..9 minecraft.legacy.magic = "§1"
          9..17 minecraft.legacy.protocol = 127
          17..29 minecraft.legacy.server_version = "1.5.2"
          29..39 minecraft.legacy.motd = "Moor"
          39..43 minecraft.legacy.players = "0"
          43..47 minecraft.legacy.max_players = "20"
        "#);
    }

    #[test]
    fn older_versions_answer_with_fewer_values() {
        insta::assert_snapshot!(trees("fe01", OLD_STATUS) + &trees("fe01", KICK), @r#"
        minecraft 0..2 | legacy ping
          0..1 minecraft.legacy.id = 0xfe (ping)
          1..2 minecraft.legacy.payload = 1
        minecraft 0..21 | legacy status | Moor, 0/20 players
          0..1 minecraft.legacy.id = 0xff (kick)
          minecraft.response_to = 0
          1..3 minecraft.legacy.text_length = 9
          3..13 minecraft.legacy.motd = "Moor"
          13..17 minecraft.legacy.players = "0"
          17..21 minecraft.legacy.max_players = "20"
        minecraft 0..2 | legacy ping
          0..1 minecraft.legacy.id = 0xfe (ping)
          1..2 minecraft.legacy.payload = 1
        minecraft 0..11 | kick | Bye!
          0..1 minecraft.legacy.id = 0xff (kick)
          minecraft.response_to = 0
          1..3 minecraft.legacy.text_length = 4
          3..11 minecraft.legacy.text = "Bye!"
        "#);
    }

    #[test]
    fn a_ping_is_recognized_with_its_answer() {
        let verdict = |client: &str, server: &str, complete| {
            let (client, server) = (trial::bytes(client), trial::bytes(server));
            detect(&Opening { sent: [&client, &server], from_start: [true; 2], complete })
        };
        assert_eq!(verdict(HOST, "", false), Verdict::Yes(Side::Server));
        for ping in ["fe", "fe01"] {
            assert_eq!(verdict(ping, "", false), Verdict::Unsure);
            assert_eq!(verdict(ping, "ff 00", false), Verdict::Unsure);
            assert_eq!(verdict(ping, STATUS, false), Verdict::Yes(Side::Server));
            assert_eq!(verdict(ping, OLD_STATUS, true), Verdict::Yes(Side::Server));
            assert_eq!(verdict(ping, "", true), Verdict::No);
            assert_eq!(verdict(ping, "01 0004 00420079 00650021", true), Verdict::No);
        }
        assert_eq!(verdict("fe02", STATUS, false), Verdict::No);
    }

    #[test]
    fn an_answer_that_is_no_status_decides_with_its_first_bytes() {
        let answer = trial::bytes("ff 0000 ff00 0016 3100 0000 0031");
        for client in [trial::bytes("fe01"), trial::bytes("fe")] {
            let verdict =
                |len: usize| detect(&Opening { sent: [&client, &answer[..len]], from_start: [true; 2], complete: false });
            assert!((0..3).all(|len| verdict(len) == Verdict::Unsure));
            assert!((3..=answer.len()).all(|len| verdict(len) == Verdict::No));
        }
    }

    #[test]
    fn a_damaged_ping_is_read_up_to_the_error() {
        let (client, server) = (trial::bytes(HOST), trial::bytes(STATUS));
        survives_damage(&PROTOCOL, Session::default, &[(Side::Client, &client), (Side::Server, &server)]);
    }
}
