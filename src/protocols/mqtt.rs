//! MQTT 3.1, 3.1.1 and 5: messages by topics, as OASIS has it.
//!
//! ```text
//! packet      type:4 bits | flags:4 | length, seven bits a byte | …
//! connect     name | level:1 | flags:1 | keep alive:2 | (5: properties) | client id | …
//! publish     topic | (qos > 0: id:2) | (5: properties) | message
//! text        length:2 | bytes
//! ```
//! Not covered: properties of version 5 one by one, MQTT over WebSocket.

use super::json;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Error, Extent, Looks, Missing, On, Opening, Protocol, Result, Settings, Verdict, Wire};

/// MQTT.
pub static PROTOCOL: Protocol = Protocol {
    this: &MQTT,
    fields: FIELDS,
    found: &[
        On::Tcp(1883).stream(Looks::Stream(on_port), |_: &Settings| Box::<Session>::default()),
        On::AnyTcp.stream(Looks::Stream(looks), |_: &Settings| Box::<Session>::default()),
    ],
    rest: Some(&DATA),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[],
};

fields! {
    MQTT = protocol("mqtt", "MQTT", "Message Queuing Telemetry Transport")
        .covers("All packets of versions 3.1, 3.1.1 and 5")
        .leaves_open("Properties of version 5 one by one, and MQTT over WebSocket");
    TYPE = number("mqtt.msgtype", "type", "What the packet is").names(TYPES).mask(0xf0);
    FLAGS = number("mqtt.hdr_reserved", "reserved", "Bits without meaning here").mask(0x0f);
    DUP = bool("mqtt.dupflag", "duplicate", "Whether it may have come before").mask(0x08);
    QOS = number("mqtt.qos", "qos", "How surely it is to come").names(QOS_NAMES).mask(0x06);
    RETAIN = bool("mqtt.retain", "retain", "Whether the server keeps it for later").mask(0x01);
    LENGTH = number("mqtt.len", "length", "Bytes of the packet behind this");
    NAME_LENGTH = number("mqtt.proto_len", "name length", "Bytes of the name");
    NAME = text("mqtt.protoname", "name", "Name of the protocol");
    LEVEL = number("mqtt.ver", "version", "Version of the protocol").names(&[(3, "3.1"), (4, "3.1.1"), (5, "5.0")]);
    CONNECT_FLAGS = number("mqtt.conflags", "flags", "What follows").hex(2);
    WITH_NAME = bool("mqtt.conflag.uname", "user name", "Whether a name follows").mask(0x80);
    WITH_PASSWORD = bool("mqtt.conflag.passwd", "password", "Whether a password follows").mask(0x40);
    WILL_RETAIN = bool("mqtt.conflag.retain", "will retain", "Whether the server keeps the last will").mask(0x20);
    WILL_QOS = number("mqtt.conflag.qos", "will qos", "How surely the last will is to come").mask(0x18);
    WITH_WILL = bool("mqtt.conflag.willflag", "will", "Whether a last will follows").mask(0x04);
    CLEAN = bool("mqtt.conflag.cleansess", "clean session", "Whether nothing is remembered from before").mask(0x02);
    KEEP_ALIVE = number("mqtt.kalive", "keep alive", "Seconds of silence at most");
    CLIENT_ID_LENGTH = number("mqtt.clientid_len", "client id length", "Bytes of the id");
    CLIENT_ID = text("mqtt.clientid", "client id", "Id of the client");
    WILL_TOPIC_LENGTH = number("mqtt.willtopic_len", "will topic length", "Bytes of the topic");
    WILL_TOPIC = text("mqtt.willtopic", "will topic", "Topic of the last will");
    WILL_LENGTH = number("mqtt.willmsg_len", "will length", "Bytes of the last will");
    WILL = bytes("mqtt.willmsg", "will", "What is said when the client is lost");
    USER_LENGTH = number("mqtt.username_len", "user name length", "Bytes of the name");
    USER = text("mqtt.username", "user name", "Name of the user");
    PASSWORD_LENGTH = number("mqtt.passwd_len", "password length", "Bytes of the password");
    PASSWORD = text("mqtt.passwd", "password", "Password of the user").secret();
    CONNACK_FLAGS = number("mqtt.conack.flags", "flags", "Whether a session was remembered").hex(2);
    CONNACK = number("mqtt.conack.val", "return code", "How it went").names(RETURNS);
    ID = number("mqtt.msgid", "id", "Number of the packet");
    PROPERTIES_LENGTH = number("mqtt.property_len", "properties length", "Bytes of the properties");
    PROPERTIES = bytes("mqtt.properties", "properties", "What version 5 adds");
    TOPIC_LENGTH = number("mqtt.topic_len", "topic length", "Bytes of the topic");
    TOPIC = text("mqtt.topic", "topic", "What it is about");
    SUB_QOS = number("mqtt.sub.qos", "qos", "How surely messages are to come").names(QOS_NAMES);
    SUBACK = number("mqtt.suback.qos", "granted qos", "How surely messages will come").names(GRANTED);
    REASON = number("mqtt.reason_code", "reason", "How it went, or why").hex(2);
    TEXT = text("mqtt.msg_text", "message", "The message, where it is text");
    MESSAGE = bytes("mqtt.msg", "message", "The message");
    DATA = bytes("mqtt.data", "data", "Bytes that are not understood");
    IN_PARTS = info("mqtt.in_parts", "in parts", "The packet is so long that it is told in parts");
}

const CONNECT: u8 = 1;
const CONNACK_TYPE: u8 = 2;
const PUBLISH: u8 = 3;
const SUBSCRIBE: u8 = 8;
const SUBACK_TYPE: u8 = 9;
const UNSUBSCRIBE: u8 = 10;

const TYPES: Names = &[
    (1, "connect"),
    (2, "connack"),
    (3, "publish"),
    (4, "puback"),
    (5, "pubrec"),
    (6, "pubrel"),
    (7, "pubcomp"),
    (8, "subscribe"),
    (9, "suback"),
    (10, "unsubscribe"),
    (11, "unsuback"),
    (12, "pingreq"),
    (13, "pingresp"),
    (14, "disconnect"),
    (15, "auth"),
];

const QOS_NAMES: Names = &[(0, "at most once"), (1, "at least once"), (2, "exactly once")];
const GRANTED: Names = &[(0, "at most once"), (1, "at least once"), (2, "exactly once"), (0x80, "failure")];
const RETURNS: Names = &[
    (0, "accepted"),
    (1, "unacceptable protocol version"),
    (2, "identifier rejected"),
    (3, "server unavailable"),
    (4, "bad user name or password"),
    (5, "not authorized"),
];

/// The longest packet that is told as one.
const WHOLE_MAX: usize = 16 << 20;

/// Bytes of a run of a packet that is told in parts.
const RUN: usize = 256 << 10;

/// What one connection has to remember.
#[derive(Default)]
struct Session {
    /// The version, if the client said it.
    level: u8,
    /// What is left of packets that are told in parts, of the client and of the server.
    rest: [u64; 2],
}

/// The length in front of a packet, with the bytes of the header. Nothing if it is not whole, an error if it is none.
fn header(bytes: &[u8]) -> std::result::Result<Option<(u64, usize)>, ()> {
    let mut length = 0;
    for (place, byte) in bytes.iter().skip(1).enumerate().take(4) {
        length |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(Some((length, place + 2)));
        }
    }
    if bytes.len() < 5 { Ok(None) } else { Err(()) }
}

/// A client that connects, by the name of the protocol.
fn looks(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        let said = opening.of(side);
        if said.first() != Some(&0x10) {
            continue;
        }
        match header(said) {
            Ok(None) if !opening.complete => return Verdict::Unsure,
            Ok(Some((_, size))) => {
                let behind = said.get(size..).unwrap_or_default();
                if behind.starts_with(b"\0\x04MQTT") || behind.starts_with(b"\0\x06MQIsdp") {
                    return Verdict::Yes(side.other());
                }
                if !opening.complete && (b"\0\x04MQTT".starts_with(behind) || b"\0\x06MQIsdp".starts_with(behind)) {
                    return Verdict::Unsure;
                }
            }
            _ => {}
        }
    }
    Verdict::No
}

/// On the port of MQTT also in the middle: what a side said is packets from the first to the last byte.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = looks(opening);
    let midway = |side: Side| !opening.starts(side) && is_chain(opening.of(side));
    if verdict == Verdict::No && (midway(Side::Client) || midway(Side::Server)) { Verdict::Yes(Side::Server) } else { verdict }
}

fn is_chain(mut bytes: &[u8]) -> bool {
    while let (Some(first), Ok(Some((length, size)))) = (bytes.first(), header(bytes)) {
        let flags = match first >> 4 {
            PUBLISH => (first & 6) != 6,
            6 | SUBSCRIBE | UNSUBSCRIBE => first & 15 == 2,
            0 => false,
            _ => first & 15 == 0,
        };
        let end = usize::try_from(length).ok().and_then(|length| size.checked_add(length));
        match end.and_then(|end| bytes.get(end..)).filter(|_| flags) {
            Some([]) => return true,
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    false
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let rest = self.rest.get(from.index()).copied().unwrap_or_default();
        if rest > 0 {
            let run = RUN.min(usize::try_from(rest).unwrap_or(usize::MAX));
            return if more && ahead.len() < run { Extent::NeedMore(run) } else { Extent::Message(run.min(ahead.len())) };
        }
        if ahead.first().is_some_and(|first| first >> 4 == 0) {
            return Extent::Unknown(ahead.len());
        }
        match header(ahead) {
            Ok(None) => Extent::NeedMore(ahead.len() + 1),
            Ok(Some((length, size))) => {
                let whole = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(size);
                Extent::Message(if whole <= WHOLE_MAX { whole } else { size })
            }
            Err(()) => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if let Some(rest) = self.rest.get_mut(from.index()).filter(|rest| **rest > 0) {
            let have = wire.remaining();
            *rest = rest.saturating_sub(have as u64);
            wire.name("payload");
            wire.info(format_args!("{have} bytes, {rest} to come"));
            return wire.bytes(&MESSAGE, have).map(drop);
        }
        let first = wire.ahead().first().copied().unwrap_or_default();
        let kind = first >> 4;
        match kind {
            PUBLISH => wire.bits(1, &[&TYPE, &DUP, &QOS, &RETAIN])?,
            _ => wire.bits(1, &[&TYPE, &FLAGS])?,
        };
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown"));
        let length = varint(wire, &LENGTH)?;
        if length > WHOLE_MAX as u64 {
            wire.note_ahead(&IN_PARTS, format_args!("the packet follows in parts"));
            if let Some(rest) = self.rest.get_mut(from.index()) {
                *rest = length;
            }
            return Ok(());
        }
        wire.within(usize::try_from(length).unwrap_or(usize::MAX), &DATA, |wire| self.body(kind, first, wire))
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if let Some(rest) = self.rest.get_mut(from.index()) {
            *rest = rest.saturating_sub(missing.bytes);
        }
    }
}

impl Session {
    fn body(&mut self, kind: u8, first: u8, wire: &mut Wire<'_>) -> Result {
        match kind {
            CONNECT => self.connect(wire),
            CONNACK_TYPE => {
                wire.u8(&CONNACK_FLAGS)?;
                wire.u8(&CONNACK)?;
                self.properties(wire)
            }
            PUBLISH => self.publish(wire, first >> 1 & 3),
            SUBSCRIBE | UNSUBSCRIBE => {
                wire.u16_be(&ID)?;
                self.properties(wire)?;
                while wire.remaining() > 0 {
                    let topic = string(wire, &TOPIC_LENGTH, &TOPIC)?;
                    wire.info(format_args!("{}", String::from_utf8_lossy(topic)));
                    if kind == SUBSCRIBE {
                        wire.u8(&SUB_QOS)?;
                    }
                }
                Ok(())
            }
            SUBACK_TYPE => {
                wire.u16_be(&ID)?;
                self.properties(wire)?;
                while wire.remaining() > 0 {
                    wire.u8(&SUBACK)?;
                }
                Ok(())
            }
            4..=7 | 11 => {
                wire.u16_be(&ID)?;
                if wire.remaining() > 0 {
                    wire.u8(&REASON)?;
                    self.properties(wire)?;
                }
                wire.rest(&DATA);
                Ok(())
            }
            14 | 15 if wire.remaining() > 0 => {
                wire.u8(&REASON)?;
                self.properties(wire)
            }
            _ => {
                wire.rest(&DATA);
                Ok(())
            }
        }
    }

    /// The properties that version 5 has.
    fn properties(&self, wire: &mut Wire<'_>) -> Result {
        if self.level < 5 || wire.remaining() == 0 {
            return Ok(());
        }
        let length = varint(wire, &PROPERTIES_LENGTH)?;
        bytes(wire, &PROPERTIES, usize::try_from(length).unwrap_or(usize::MAX)).map(drop)
    }

    fn connect(&mut self, wire: &mut Wire<'_>) -> Result {
        string(wire, &NAME_LENGTH, &NAME)?;
        self.level = wire.u8(&LEVEL)?;
        let flags = wire.flags(&CONNECT_FLAGS, 1, &[&WITH_NAME, &WITH_PASSWORD, &WILL_RETAIN, &WILL_QOS, &WITH_WILL, &CLEAN])?;
        wire.u16_be(&KEEP_ALIVE)?;
        self.properties(wire)?;
        let id = string(wire, &CLIENT_ID_LENGTH, &CLIENT_ID)?;
        wire.info(format_args!("{}", String::from_utf8_lossy(id)));
        if flags & 0x04 != 0 {
            self.properties(wire)?;
            string(wire, &WILL_TOPIC_LENGTH, &WILL_TOPIC)?;
            let length = wire.u16_be(&WILL_LENGTH)?;
            bytes(wire, &WILL, length.into())?;
        }
        if flags & 0x80 != 0 {
            string(wire, &USER_LENGTH, &USER)?;
        }
        if flags & 0x40 != 0 {
            string(wire, &PASSWORD_LENGTH, &PASSWORD)?;
        }
        Ok(())
    }

    fn publish(&mut self, wire: &mut Wire<'_>, qos: u8) -> Result {
        let topic = string(wire, &TOPIC_LENGTH, &TOPIC)?;
        if qos > 0 {
            wire.u16_be(&ID)?;
        }
        self.properties(wire)?;
        let said = wire.ahead();
        wire.info(format_args!("{}, {} bytes", String::from_utf8_lossy(topic), said.len()));
        if said.is_empty() {
            return Ok(());
        }
        let is_text = std::str::from_utf8(said).is_ok_and(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()));
        let (field, value) = if is_text { (&TEXT, Value::Text) } else { (&MESSAGE, Value::Bytes) };
        wire.put(field, value, wire.at()..wire.at() + said.len());
        if is_text && json::is_likely(said) {
            json::text(wire);
        }
        wire.skip(wire.remaining())
    }
}

/// A number of seven bits a byte, at most four.
fn varint(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    let mut number = 0;
    let mut count = 0;
    for byte in wire.ahead().iter().take(4) {
        number |= u64::from(byte & 0x7f) << (7 * count);
        count += 1;
        if byte & 0x80 == 0 {
            wire.put(field, Value::Unsigned(number), wire.at()..wire.at() + count);
            wire.skip(count)?;
            return Ok(number);
        }
    }
    Err(Error::Short { needed: 1 })
}

/// Text behind its length.
fn string<'a>(wire: &mut Wire<'a>, length: &'static Field, field: &'static Field) -> Result<&'a [u8]> {
    let length = wire.u16_be(length)?;
    if length == 0 { Ok(&[]) } else { wire.text(field, length.into()) }
}

fn bytes<'a>(wire: &mut Wire<'a>, field: &'static Field, count: usize) -> Result<&'a [u8]> {
    if count == 0 { Ok(&[]) } else { wire.bytes(field, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::said;

    #[test]
    fn packets_of_version_3_1_1_are_read() {
        let told = said(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Client, b"\x10\x22\0\x04MQTT\x04\xc6\0\x3c\0\x02pc\0\x01w\0\x02by\0\x04anna\0\x05mossy"),
                (Side::Server, b"\x20\x02\0\0"),
                (Side::Client, b"\x82\x09\0\x01\0\x04game\x01\xc0\0"),
                (Side::Server, b"\x90\x03\0\x01\x01\x33\x0f\0\x04game\0\x07{\"a\":1}\xd0\0"),
                (Side::Client, b"\x40\x02\0\x07\xe0\0"),
            ],
        );
        insta::assert_snapshot!(told, @r#"
        mqtt 0..36 | connect | pc
          0..1 mqtt.msgtype = 1 (connect)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 34
          2..4 mqtt.proto_len = 4
          4..8 mqtt.protoname = "MQTT"
          8..9 mqtt.ver = 4 (3.1.1)
          9..10 mqtt.conflags = 0xc6
            9..10 mqtt.conflag.uname = true
            9..10 mqtt.conflag.passwd = true
            9..10 mqtt.conflag.retain = false
            9..10 mqtt.conflag.qos = 0
            9..10 mqtt.conflag.willflag = true
            9..10 mqtt.conflag.cleansess = true
          10..12 mqtt.kalive = 60
          12..14 mqtt.clientid_len = 2
          14..16 mqtt.clientid = "pc"
          16..18 mqtt.willtopic_len = 1
          18..19 mqtt.willtopic = "w"
          19..21 mqtt.willmsg_len = 2
          21..23 mqtt.willmsg = 6279
          23..25 mqtt.username_len = 4
          25..29 mqtt.username = "anna"
          29..31 mqtt.passwd_len = 5
          31..36 mqtt.passwd = "mossy"
        mqtt 0..4 | connack
          0..1 mqtt.msgtype = 2 (connack)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 2
          2..3 mqtt.conack.flags = 0x00
          3..4 mqtt.conack.val = 0 (accepted)
        mqtt 0..11 | subscribe | game
          0..1 mqtt.msgtype = 8 (subscribe)
          0..1 mqtt.hdr_reserved = 2
          1..2 mqtt.len = 9
          2..4 mqtt.msgid = 1
          4..6 mqtt.topic_len = 4
          6..10 mqtt.topic = "game"
          10..11 mqtt.sub.qos = 1 (at least once)
        mqtt 0..2 | pingreq
          0..1 mqtt.msgtype = 12 (pingreq)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 0
        mqtt 0..5 | suback
          0..1 mqtt.msgtype = 9 (suback)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 3
          2..4 mqtt.msgid = 1
          4..5 mqtt.suback.qos = 1 (at least once)
        mqtt 0..17 | publish | game, 7 bytes
          0..1 mqtt.msgtype = 3 (publish)
          0..1 mqtt.dupflag = false
          0..1 mqtt.qos = 1 (at least once)
          0..1 mqtt.retain = true
          1..2 mqtt.len = 15
          2..4 mqtt.topic_len = 4
          4..8 mqtt.topic = "game"
          8..10 mqtt.msgid = 7
          10..17 mqtt.msg_text = "{"a":1}"
          10..17 json.object
            11..16 json.member
              12..13 json.key = "a"
              15..16 json.value.number = "1"
        mqtt 0..2 | pingresp
          0..1 mqtt.msgtype = 13 (pingresp)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 0
        mqtt 0..4 | puback
          0..1 mqtt.msgtype = 4 (puback)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 2
          2..4 mqtt.msgid = 7
        mqtt 0..2 | disconnect
          0..1 mqtt.msgtype = 14 (disconnect)
          0..1 mqtt.hdr_reserved = 0
          1..2 mqtt.len = 0
        "#);
    }

    #[test]
    fn version_5_has_properties() {
        let told = said(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Client, b"\x10\x12\0\x04MQTT\x05\x02\0\x3c\x05\x11\0\0\0\x0a\0\0"),
                (Side::Client, b"\x30\x08\0\x01t\x02\x01\x01\x00\xff"),
            ],
        );
        assert!(
            told.contains("mqtt.properties = 110000000a") && told.contains("mqtt.msg = 00ff") && !told.contains('!'),
            "{told}"
        );
    }

    #[test]
    fn what_is_recognised_names_the_protocol() {
        let judge = |client: &[u8], from_start, complete| {
            let opening = Opening { said: [client, b""], from_start: [from_start; 2], complete };
            [looks(&opening), on_port(&opening)]
        };
        let server = Verdict::Yes(Side::Server);
        assert_eq!(judge(b"\x10\x0e\0\x04MQTT\x04", true, false), [server, server]);
        assert_eq!(judge(b"\x10\x0e\0\x04MQ", true, false), [Verdict::Unsure, Verdict::Unsure]);
        assert_eq!(judge(b"\x10\x0e\0\x04MQ", true, true), [Verdict::No, Verdict::No]);
        assert_eq!(judge(b"\xc0\0\x30\x05\0\x01tab", false, false), [Verdict::No, server]);
        assert_eq!(judge(b"\xc1\0", false, true), [Verdict::No, Verdict::No]);
    }

    #[test]
    fn a_length_of_five_bytes_is_none() {
        assert_eq!(Session::default().extent(Side::Client, b"\x30\xff\xff\xff\xff\x01", true), Extent::Unknown(6));
        assert_eq!(Session::default().extent(Side::Client, b"\x30\xff\xff\xff\x7f", true), Extent::Message(5));
    }
}
