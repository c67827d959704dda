//! Steam In-Home Streaming Discovery: mutual discovery of Steam clients in a network.
//!
//! Lengths are little-endian. Header and body are protobuf: a tag with field number and wire type, then the value.
//!
//! ```text
//! signature:8 | length:4 | header | length:4 | body, by the message type in the header
//! ```
//! Not covered: bodies other than discovery and status, whose members are shown by field number.

use crate::tree::{Field, Names, Timestamp, Value, fields, name_of};
use crate::wire::{Error, Heuristic, On, Protocol, Result, Varint, Wire};
use std::ops::Range;

pub static PROTOCOL: Protocol =
    Protocol::new(&STEAM, FIELDS).found(&[On::AnyUdp.datagram(Heuristic::Datagram(detect), message)]).rest(&UNKNOWN_DATA);

fields! {
    STEAM = protocol("steam_ihs_discovery", "Steam discovery", "Steam In-Home Streaming Discovery")
        .covers("Headers, and the bodies of discovery and status")
        .leaves_open("Other bodies, whose members are shown by field number");
    SIGNATURE = number("steam_ihs_discovery.signature", "signature", "a05f4c21ffffffff").hex(16).once();
    HEADER_LENGTH = number("steam_ihs_discovery.header_length", "header length", "In bytes").once();
    BODY_LENGTH = number("steam_ihs_discovery.body_length", "body length", "In bytes").once();
    KEY = number("steam_ihs_discovery.key", "member", "Field number and wire type");
    LENGTH = number("steam_ihs_discovery.length", "length", "In bytes");
    CLIENT_ID = number("steam_ihs_discovery.header_client_id", "client id", "Client ID of the sender");
    MSG_TYPE = number("steam_ihs_discovery.header_msg_type", "message type", "").names(TYPES);
    INSTANCE_ID = number("steam_ihs_discovery.header_instance_id", "instance id", "Instance ID of the client");
    SEQNUM = number("steam_ihs_discovery.body_discovery_seqnum", "sequence number", "");
    CLIENT_IDS = number("steam_ihs_discovery.body_discovery_clientids", "client id", "Client IDs that shall respond").hex(16);
    VERSION = number("steam_ihs_discovery.body_status_version", "version", "");
    MIN_VERSION = number("steam_ihs_discovery.body_status_minversion", "minimum version", "");
    CONNECT_PORT = number("steam_ihs_discovery.body_status_connectport", "connect port", "");
    HOSTNAME = text("steam_ihs_discovery.body_status_hostname", "host name", "");
    SERVICES = number("steam_ihs_discovery.body_status_enabledservices", "enabled services", "").hex(8);
    OS_TYPE = number("steam_ihs_discovery.body_status_ostype", "OS type", "Operating system type");
    IS_64BIT = bool("steam_ihs_discovery.body_status_is64bit", "64 bit", "64-bit operating system");
    USER = group("steam_ihs_discovery.body_status_user", "user", "Logged-in user");
    STEAM_ID = number("steam_ihs_discovery.body_status_user_steamid", "Steam id", "");
    AUTH_KEY_ID = number("steam_ihs_discovery.body_status_user_authkeyid", "auth key id", "");
    UNIVERSE = number("steam_ihs_discovery.body_status_euniverse", "universe", "1 is the public universe");
    TIMESTAMP = text("steam_ihs_discovery.body_status_timestamp", "timestamp", "");
    LOCKED = bool("steam_ihs_discovery.body_status_screenlocked", "screen locked", "");
    RUNNING = bool("steam_ihs_discovery.body_status_gamesrunning", "games running", "");
    MAC_ADDRESSES = text("steam_ihs_discovery.body_status_macaddresses", "MAC address", "");
    UNKNOWN_NUMBER = number("steam_ihs_discovery.unknown_number", "unknown number", "");
    UNKNOWN_DATA = bytes("steam_ihs_discovery.unknown_data", "unknown data", "");
    BAD_MEMBER = broken("steam_ihs_discovery.note.member", "bad member", "A member that is not valid protobuf");
}

const TYPES: Names = &[
    (0, "discovery"),
    (1, "status"),
    (2, "offline"),
    (3, "authorisation request"),
    (4, "authorisation response"),
    (5, "streaming request"),
    (6, "streaming response"),
    (7, "proof request"),
    (8, "proof response"),
    (9, "authorisation cancel request"),
    (10, "streaming cancel request"),
];

const MARK: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0x21, 0x4c, 0x5f, 0xa0];
const DISCOVERY: u64 = 0;
const STATUS: u64 = 1;

enum MemberType {
    Number(&'static Field),
    /// Signed number.
    Signed(&'static Field),
    Flag(&'static Field),
    Date(&'static Field),
    Text(&'static Field),
    /// Embedded message.
    Members(&'static Field, Members),
}

/// Members by field number.
type Members = &'static [(u64, MemberType)];

const HEADER: Members =
    &[(1, MemberType::Number(&CLIENT_ID)), (2, MemberType::Number(&MSG_TYPE)), (3, MemberType::Number(&INSTANCE_ID))];
const DISCOVERY_BODY: Members = &[(1, MemberType::Number(&SEQNUM)), (2, MemberType::Number(&CLIENT_IDS))];
const STATUS_BODY: Members = &[
    (1, MemberType::Signed(&VERSION)),
    (2, MemberType::Signed(&MIN_VERSION)),
    (3, MemberType::Number(&CONNECT_PORT)),
    (4, MemberType::Text(&HOSTNAME)),
    (6, MemberType::Number(&SERVICES)),
    (7, MemberType::Signed(&OS_TYPE)),
    (8, MemberType::Flag(&IS_64BIT)),
    (9, MemberType::Members(&USER, USER_MEMBERS)),
    (11, MemberType::Signed(&UNIVERSE)),
    (12, MemberType::Date(&TIMESTAMP)),
    (13, MemberType::Flag(&LOCKED)),
    (14, MemberType::Flag(&RUNNING)),
    (15, MemberType::Text(&MAC_ADDRESSES)),
];
const USER_MEMBERS: Members = &[(1, MemberType::Number(&STEAM_ID)), (2, MemberType::Number(&AUTH_KEY_ID))];

fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&MARK)
}

fn message(wire: &mut Wire<'_>) -> Result {
    wire.u64_le(&SIGNATURE)?;
    let length = wire.u32_le(&HEADER_LENGTH)?;
    let header = wire.ahead().get(..length as usize).unwrap_or(wire.ahead());
    let kind = kind_of(header);
    wire.name(name_of(TYPES, kind).unwrap_or("unknown type"));
    wire.within(length as usize, &UNKNOWN_DATA, |wire| members(wire, HEADER))?;
    if wire.remaining() == 0 {
        return Ok(());
    }
    let length = wire.u32_le(&BODY_LENGTH)?;
    let body = match kind {
        DISCOVERY => DISCOVERY_BODY,
        STATUS => STATUS_BODY,
        _ => &[],
    };
    wire.within(length as usize, &UNKNOWN_DATA, |wire| members(wire, body))
}

/// Message type in a header, 0 if missing.
fn kind_of(header: &[u8]) -> u64 {
    const TYPE_KEY: u64 = 2 << 3;
    let mut rest = header;
    while let Some((key, value)) = Varint::split(rest, VARINT_MAX) {
        rest = match (key, Varint::split(value, VARINT_MAX)) {
            (TYPE_KEY, Some((kind, _))) => return kind,
            (key, Some((_, behind))) if key & 7 == 0 => behind,
            (key, _) if key & 7 == 1 => value.get(8..).unwrap_or_default(),
            _ => break,
        };
    }
    0
}

/// Largest size of a varint in bytes.
const VARINT_MAX: usize = 10;

/// Reads a varint without a field. Returns its range as well.
fn varint(wire: &mut Wire<'_>) -> Result<(u64, Range<usize>)> {
    let start = wire.at();
    match Varint::decode(wire.ahead(), VARINT_MAX) {
        Varint::Number(number, size) => wire.skip(size).map(|()| (number, start..start + size)),
        Varint::Short => Err(Error::Short { needed: 1 }),
        Varint::TooLong => wire.malformed(&BAD_MEMBER, format_args!("a number of more than ten bytes")),
    }
}

/// Reads a varint as the converted value.
fn number(wire: &mut Wire<'_>, field: &'static Field, value: impl FnOnce(u64) -> Value) -> Result<u64> {
    let (number, range) = varint(wire)?;
    wire.put(field, value(number), range);
    Ok(number)
}

/// Reads members up to the end.
fn members(wire: &mut Wire<'_>, known: Members) -> Result {
    while wire.remaining() > 0 {
        let key = number(wire, &KEY, Value::Unsigned)?;
        let is = known.iter().find(|(number, _)| *number == key >> 3).map(|(_, is)| is);
        match key & 7 {
            0 => simple(wire, is)?,
            1 => match is {
                Some(MemberType::Number(field)) => wire.u64_le(field).map(drop)?,
                _ => wire.u64_le(&UNKNOWN_NUMBER).map(drop)?,
            },
            2 => {
                let length = usize::try_from(number(wire, &LENGTH, Value::Unsigned)?).unwrap_or(usize::MAX);
                lengthy(wire, is, length)?;
            }
            5 => wire.u32_le(&UNKNOWN_NUMBER).map(drop)?,
            other => return wire.malformed(&BAD_MEMBER, format_args!("encoding {other}")),
        }
    }
    Ok(())
}

fn simple(wire: &mut Wire<'_>, is: Option<&'static MemberType>) -> Result {
    match is {
        Some(MemberType::Number(field)) => number(wire, field, Value::Unsigned).map(drop),
        Some(MemberType::Signed(field)) => number(wire, field, |number| Value::Signed(number.cast_signed())).map(drop),
        Some(MemberType::Flag(field)) => number(wire, field, |number| Value::Bool(number != 0)).map(drop),
        Some(MemberType::Date(field)) => {
            let (seconds, range) = varint(wire)?;
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            wire.put_text(field, range, format_args!("{}", Timestamp { seconds, nanos: 0 }));
            Ok(())
        }
        _ => number(wire, &UNKNOWN_NUMBER, Value::Unsigned).map(drop),
    }
}

fn lengthy(wire: &mut Wire<'_>, is: Option<&'static MemberType>, length: usize) -> Result {
    match is {
        Some(MemberType::Text(field)) => {
            let text = String::from_utf8_lossy(wire.text(field, length)?);
            if field.is(&HOSTNAME) {
                wire.info(format_args!("{text}"));
            }
            Ok(())
        }
        Some(MemberType::Members(field, known)) => {
            wire.group(field, |wire| wire.within(length, &UNKNOWN_DATA, |wire| members(wire, known)))
        }
        _ if length == 0 => Ok(()),
        _ => wire.bytes(&UNKNOWN_DATA, length).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::{PROTOCOL, message};
    use crate::wire::{Cut, trial};

    const DISCOVERY: &str = "ffffffff214c5fa01600000008fcd3f1e3b7bcbfcf76100018afca9baaa080d9e402020000000801";
    const STATUS: &str = "ffffffff214c5fa01600000008fcd3f1e3b7bcbfcf76100118afca9baaa080d9e4025700000008081006189cd3012205636f7563 \
        68300238c8feffffffffffffff0140014a0e09010000000100100110dd9ff03058016080a9d3b20570007a1130323a30303a3030 \
        3a30303a30303a3039a201093139322e302e322e39";

    fn read(hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, message)
    }

    #[test]
    fn discovery_is_read() {
        insta::assert_snapshot!(read(DISCOVERY), @r#"
        steam_ihs_discovery 0..40 | discovery
          0..8 steam_ihs_discovery.signature = 0xa05f4c21ffffffff
          8..12 steam_ihs_discovery.header_length = 22
          12..13 steam_ihs_discovery.key = 8
          13..22 steam_ihs_discovery.header_client_id = 8547548296283711996
          22..23 steam_ihs_discovery.key = 16
          23..24 steam_ihs_discovery.header_msg_type = 0 (discovery)
          24..25 steam_ihs_discovery.key = 24
          25..34 steam_ihs_discovery.header_instance_id = 200801618235942191
          34..38 steam_ihs_discovery.body_length = 2
          38..39 steam_ihs_discovery.key = 8
          39..40 steam_ihs_discovery.body_discovery_seqnum = 1
        "#);
    }

    #[test]
    fn status_is_read() {
        insta::assert_snapshot!(read(STATUS), @r#"
        steam_ihs_discovery 0..125 | status | couch
          0..8 steam_ihs_discovery.signature = 0xa05f4c21ffffffff
          8..12 steam_ihs_discovery.header_length = 22
          12..13 steam_ihs_discovery.key = 8
          13..22 steam_ihs_discovery.header_client_id = 8547548296283711996
          22..23 steam_ihs_discovery.key = 16
          23..24 steam_ihs_discovery.header_msg_type = 1 (status)
          24..25 steam_ihs_discovery.key = 24
          25..34 steam_ihs_discovery.header_instance_id = 200801618235942191
          34..38 steam_ihs_discovery.body_length = 87
          38..39 steam_ihs_discovery.key = 8
          39..40 steam_ihs_discovery.body_status_version = 8
          40..41 steam_ihs_discovery.key = 16
          41..42 steam_ihs_discovery.body_status_minversion = 6
          42..43 steam_ihs_discovery.key = 24
          43..46 steam_ihs_discovery.body_status_connectport = 27036
          46..47 steam_ihs_discovery.key = 34
          47..48 steam_ihs_discovery.length = 5
          48..53 steam_ihs_discovery.body_status_hostname = "couch"
          53..54 steam_ihs_discovery.key = 48
          54..55 steam_ihs_discovery.body_status_enabledservices = 0x00000002
          55..56 steam_ihs_discovery.key = 56
          56..66 steam_ihs_discovery.body_status_ostype = -184
          66..67 steam_ihs_discovery.key = 64
          67..68 steam_ihs_discovery.body_status_is64bit = true
          68..69 steam_ihs_discovery.key = 74
          69..70 steam_ihs_discovery.length = 14
          70..84 steam_ihs_discovery.body_status_user
            70..71 steam_ihs_discovery.key = 9
            71..79 steam_ihs_discovery.body_status_user_steamid = 76561197960265729
            79..80 steam_ihs_discovery.key = 16
            80..84 steam_ihs_discovery.body_status_user_authkeyid = 102502365
          84..85 steam_ihs_discovery.key = 88
          85..86 steam_ihs_discovery.body_status_euniverse = 1
          86..87 steam_ihs_discovery.key = 96
          87..92 steam_ihs_discovery.body_status_timestamp = "Nov 24, 2015 21:20:00.000000000 UTC"
          92..93 steam_ihs_discovery.key = 112
          93..94 steam_ihs_discovery.body_status_gamesrunning = false
          94..95 steam_ihs_discovery.key = 122
          95..96 steam_ihs_discovery.length = 17
          96..113 steam_ihs_discovery.body_status_macaddresses = "02:00:00:00:00:09"
          113..115 steam_ihs_discovery.key = 162
          115..116 steam_ihs_discovery.length = 9
          116..125 steam_ihs_discovery.unknown_data = 3139322e302e322e39
        "#);
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        let bytes = trial::bytes(STATUS);
        for cut in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..cut], Cut::No, message);
        }
        for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            let dump = trial::read(&PROTOCOL, &bytes, Cut::No, message);
            assert!(dump.starts_with("steam_ihs_discovery 0.."));
        }
    }
}
