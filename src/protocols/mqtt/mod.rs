//! MQTT 3.1, 3.1.1 and 5 (OASIS): publish and subscribe messaging.
//!
//! ```text
//! packet      type:4 bits | flags:4 | remaining length (variable byte integer) | …
//! connect     protocol name | level:1 | flags:1 | keep alive:2 | (5: properties) | client ID | …
//! publish     topic | (QoS > 0: packet identifier:2) | (5: properties) | message
//! string      length:2 | bytes
//! properties  length (variable byte integer) | identifier | value, by identifier …                       version 5
//! ```
//! Not covered: MQTT over WebSocket.

mod names;
mod properties;
#[cfg(test)]
mod tests;

use super::json;
use crate::limits;
use crate::tree::{BySide, Computed, Field, NodeRef, Side, Value, fields, name_of, title};
use crate::wire::statistics::LoginFields;
use crate::wire::{
    Conversation, Error, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Varint, Verdict, Wire,
};

pub static PROTOCOL: Protocol = Protocol::new(&MQTT, FIELDS)
    .found(&[
        On::Tcp(1883).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(1883).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

pub static LOGIN: LoginFields = LoginFields::plain(["mqtt", "MQTT", "mqtt.username"], &["mqtt.passwd"]);

fields! {
    MQTT = protocol("mqtt", "MQTT", "Message Queuing Telemetry Transport")
        .covers("All packets of versions 3.1, 3.1.1 and 5")
        .leaves_open("MQTT over WebSocket");
    TYPE = number("mqtt.msgtype", "message type", "Type of the control packet").names(names::TYPES).mask(0xf0).once();
    FLAGS = number("mqtt.hdr_reserved", "reserved", "Reserved flags of the fixed header").mask(0x0f).once();
    DUP = bool("mqtt.dupflag", "DUP flag", "Set in retransmissions of a PUBLISH packet").mask(0x08).once();
    QOS = number("mqtt.qos", "QoS level", "0 at most once, 1 at least once, 2 exactly once").names(names::QOS).mask(0x06).once();
    RETAIN = bool("mqtt.retain", "retain", "Whether the server keeps the message for new subscriptions").mask(0x01).once();
    LENGTH = number("mqtt.len", "remaining length", "Bytes of the packet after the fixed header").once();
    NAME_LENGTH = number("mqtt.proto_len", "protocol name length", "In bytes").once();
    NAME = text("mqtt.protoname", "protocol name", "").once();
    LEVEL = number("mqtt.ver", "version", "Protocol level: 3 is 3.1, 4 is 3.1.1, 5 is 5.0").names(&[(3, "3.1"), (4, "3.1.1"), (5, "5.0")]).once();
    CONNECT_FLAGS = number("mqtt.conflags", "connect flags", "").hex(2).once();
    WITH_NAME = bool("mqtt.conflag.uname", "user name flag", "Whether the payload has a user name").mask(0x80).once();
    WITH_PASSWORD = bool("mqtt.conflag.passwd", "password flag", "Whether the payload has a password").mask(0x40).once();
    WILL_RETAIN = bool("mqtt.conflag.retain", "Will retain", "Whether the server retains the Will message").mask(0x20).once();
    WILL_QOS = number("mqtt.conflag.qos", "Will QoS level", "").mask(0x18).once();
    WITH_WILL = bool("mqtt.conflag.willflag", "Will flag", "Whether the payload has a Will message").mask(0x04).once();
    CLEAN = bool("mqtt.conflag.cleansess", "clean session flag", "Discards an earlier session; Clean Start in version 5").mask(0x02).once();
    KEEP_ALIVE = number("mqtt.kalive", "keep alive", "In seconds; 0 disables the mechanism").once();
    CLIENT_ID_LENGTH = number("mqtt.clientid_len", "client ID length", "In bytes").once();
    CLIENT_ID = text("mqtt.clientid", "client ID", "").once();
    WILL_TOPIC_LENGTH = number("mqtt.willtopic_len", "Will topic length", "In bytes");
    WILL_TOPIC = text("mqtt.willtopic", "Will topic", "");
    WILL_LENGTH = number("mqtt.willmsg_len", "Will message length", "In bytes");
    WILL = bytes("mqtt.willmsg", "Will message", "Published by the server when the connection is lost");
    USER_LENGTH = number("mqtt.username_len", "user name length", "In bytes").once();
    USER = text("mqtt.username", "user name", "").once();
    PASSWORD_LENGTH = number("mqtt.passwd_len", "password length", "In bytes").once();
    PASSWORD = text("mqtt.passwd", "password", "").secret().once();
    CONNACK_FLAGS = number("mqtt.conack.flags", "acknowledge flags", "").hex(2).once();
    SESSION_PRESENT = bool("mqtt.conack.flags.sp", "session present", "Whether the server resumes a stored session").mask(0x01).once();
    CONNACK = number("mqtt.conack.val", "return code", "Connect return code of versions 3.1 and 3.1.1").names(names::RETURNS).once();
    ID = number("mqtt.msgid", "message identifier", "Packet identifier").once();
    PROPERTIES = group("mqtt.properties", "properties", "MQTT 5 section 2.2.2");
    WILL_PROPERTIES = group("mqtt.will_properties", "Will properties", "MQTT 5 section 3.1.3.2");
    PROPERTIES_LENGTH = number("mqtt.property_len", "properties length", "In bytes");
    PROPERTY = group("mqtt.property", "property", "").collapsed(properties::property_value, properties::property_meaning).named(properties::property_value, properties::property_meaning, title::nothing);
    PROPERTY_ID = number("mqtt.property_id", "property ID", "").hex(2).names(names::PROPERTIES).also("mqtt.prop_id");
    PROPERTY_NUMBER = number("mqtt.prop_number", "value", "Integer value of a property");
    PROPERTY_LENGTH = number("mqtt.prop_string_len", "length", "In bytes");
    PROPERTY_STRING = text("mqtt.prop_string", "value", "");
    PROPERTY_KEY_LENGTH = number("mqtt.prop_key_len", "key length", "In bytes");
    PROPERTY_KEY = text("mqtt.prop_key", "key", "Name of a user property");
    PROPERTY_VALUE_LENGTH = number("mqtt.prop_value_len", "value length", "In bytes");
    PROPERTY_VALUE = text("mqtt.prop_value", "value", "Value of a user property");
    PROPERTY_UNKNOWN = bytes("mqtt.prop_unknown", "unknown property", "Unknown property and all bytes after it");
    CONTENT_TYPE_LENGTH = number("mqtt.property.content_type_len", "content type length", "In bytes");
    CONTENT_TYPE = text("mqtt.property.content_type", "content type", "MIME type of the message");
    MAX_QOS = number("mqtt.property.max_qos", "maximum QoS", "Highest QoS level supported by the server").names(names::QOS);
    TOPIC_ALIAS = number("mqtt.property.topic_alias", "topic alias", "Integer that replaces the topic name");
    CORRELATION_DATA = bytes("mqtt.property.correlation_data", "correlation data", "Relates a response to its request");
    AUTH_DATA = bytes("mqtt.property.auth_data", "authentication data", "Data of the authentication method").secret();
    TOPIC_LENGTH = number("mqtt.topic_len", "topic length", "In bytes");
    TOPIC = text("mqtt.topic", "topic", "Topic name or topic filter");
    SUB_QOS = number("mqtt.sub.qos", "requested QoS", "Maximum QoS level of messages to the client").names(names::QOS);
    SUBACK = number("mqtt.suback.qos", "granted QoS", "0x80 is a failure").names(names::GRANTED);
    SUB_OPTIONS = number("mqtt.subscription_options", "subscription options", "").hex(2);
    SUB_OPTIONS_QOS = number("mqtt.subscription_options_qos", "QoS", "Maximum QoS level of messages to the client").mask(0x03).names(names::QOS);
    NO_LOCAL = bool("mqtt.subscription_options_nl", "no local", "The client does not receive its own messages").mask(0x04);
    RETAIN_AS_PUBLISHED = bool("mqtt.subscription_options_rap", "retain as published", "Forwarded messages keep their RETAIN flag").mask(0x08);
    RETAIN_HANDLING = number("mqtt.subscription_options_retain", "retain handling", "When retained messages are sent").mask(0x30).names(names::RETAIN_HANDLING);
    SUB_RESERVED = number("mqtt.subscription_options_reserved", "reserved", "Must be zero").mask(0xc0);
    CONNACK_REASON = number("mqtt.connack.reason_code", "reason code", "").names(names::CONNACK);
    PUBACK_REASON = number("mqtt.puback.reason_code", "reason code", "").names(names::RECEIVED);
    PUBREC_REASON = number("mqtt.pubrec.reason_code", "reason code", "").names(names::RECEIVED);
    PUBREL_REASON = number("mqtt.pubrel.reason_code", "reason code", "").names(names::RELEASED);
    PUBCOMP_REASON = number("mqtt.pubcomp.reason_code", "reason code", "").names(names::RELEASED);
    SUBACK_REASON = number("mqtt.suback.reason_code", "reason code", "").names(names::SUBACK);
    UNSUBACK_REASON = number("mqtt.unsuback.reason_code", "reason code", "").names(names::UNSUBACK);
    DISCONNECT_REASON = number("mqtt.disconnect.reason_code", "reason code", "").names(names::DISCONNECT);
    AUTH_REASON = number("mqtt.auth.reason_code", "reason code", "").names(names::AUTH);
    TEXT = text("mqtt.msg_text", "message", "Application message that is text").once();
    MESSAGE = bytes("mqtt.msg", "message", "Application message");
    DATA = bytes("mqtt.data", "data", "Undissected bytes");
    UNKNOWN_PROPERTY = broken("mqtt.unknown_property", "unknown property", "Property identifier that version 5 does not define");
    HEADER_FLAGS = number("mqtt.hdrflags", "header flags", "First byte: message type and flags").hex(2).generated(&[&TYPE], first_byte);
    IN_PARTS = info("mqtt.in_parts", "in parts", "The packet is dissected in parts because of its length");
}

fn first_byte(kind: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(first) = kind.bytes().first() {
        take(Computed::Number((*first).into()));
    }
}

const CONNECT: u8 = 1;
const CONNACK_TYPE: u8 = 2;
const PUBLISH: u8 = 3;
const PUBACK: u8 = 4;
const PUBREC: u8 = 5;
const PUBREL: u8 = 6;
const PUBCOMP: u8 = 7;
const SUBSCRIBE: u8 = 8;
const SUBACK_TYPE: u8 = 9;
const UNSUBSCRIBE: u8 = 10;
const UNSUBACK_TYPE: u8 = 11;
const DISCONNECT_TYPE: u8 = 14;
const AUTH_TYPE: u8 = 15;

const VERSION_5: u8 = 5;

/// Size in bytes of the parts of a long packet.
const PART_SIZE: usize = 256 << 10;

/// State of one connection.
#[derive(Default)]
struct Session {
    /// Protocol level; 0 if the CONNECT packet is missing.
    level: u8,
    /// Bytes left of long packets dissected in parts, from client and server.
    rest: BySide<u64>,
}

/// Largest size of a variable byte integer in bytes.
const VARINT_MAX: usize = 4;

/// Remaining length and size of the fixed header; `None` if incomplete, an error if invalid.
fn header(bytes: &[u8]) -> std::result::Result<Option<(u64, usize)>, ()> {
    match Varint::decode(bytes.get(1..).unwrap_or_default(), VARINT_MAX) {
        Varint::Number(length, size) => Ok(Some((length, 1 + size))),
        Varint::Short => Ok(None),
        Varint::TooLong => Err(()),
    }
}

/// Protocol names of CONNECT, with their levels.
const VERSIONS: [(&[u8], &[u8]); 2] = [(b"\0\x04MQTT", &[4, 5]), (b"\0\x06MQIsdp", &[3])];

/// Bit of the level with which a bridge of Mosquitto identifies itself.
const BRIDGE: u8 = 0x80;

/// Whether the bytes are this protocol name and one of these levels.
fn has_level(bytes: &[u8], name: &[u8], levels: &[u8]) -> bool {
    let level = bytes.strip_prefix(name).and_then(<[u8]>::first);
    level.is_some_and(|level| levels.contains(&(level & !BRIDGE)))
}

/// Recognizes a CONNECT packet by the protocol name and level.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        if bytes.first() != Some(&0x10) {
            continue;
        }
        match header(bytes) {
            Ok(None) if !opening.complete => return Verdict::Unsure,
            Ok(Some((_, size))) => {
                let behind = bytes.get(size..).unwrap_or_default();
                if VERSIONS.iter().any(|(name, levels)| has_level(behind, name, levels)) {
                    return Verdict::Yes(side.other());
                }
                if !opening.complete && VERSIONS.iter().any(|(name, _)| name.starts_with(behind)) {
                    return Verdict::Unsure;
                }
            }
            _ => {}
        }
    }
    Verdict::No
}

/// Recognizes a stream on the MQTT port, also joined midway: the bytes of a side are complete packets.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = recognize(opening);
    let midway = |side: Side| !opening.starts(side) && is_chain(opening.of(side));
    if verdict == Verdict::No && (midway(Side::Client) || midway(Side::Server)) { Verdict::Yes(Side::Server) } else { verdict }
}

/// Recognizes a complete CONNECT packet with other flags, another name or level.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    let is_whole = |bytes: &[u8]| {
        let Ok(Some((length, size))) = header(bytes) else { return false };
        let behind = bytes.get(size..).unwrap_or_default();
        let is_named =
            matches!(behind, [0, 4 | 6, name @ ..] if name.len() > 6 && name.iter().take(4).all(u8::is_ascii_alphabetic));
        bytes.first().is_some_and(|first| first >> 4 == CONNECT) && is_named && behind.len() as u64 == length
    };
    let client = Side::BOTH.into_iter().find(|side| is_whole(opening.of(*side)));
    client.map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

fn is_chain(mut bytes: &[u8]) -> bool {
    while let Some(rest) = is_header(bytes).and_then(|whole| bytes.get(whole..)) {
        if rest.is_empty() {
            return true;
        }
        bytes = rest;
    }
    false
}

/// Size of the packet at the start of the bytes, whose flags are those of its type.
fn is_header(bytes: &[u8]) -> Option<usize> {
    let first = bytes.first()?;
    let (length, size) = header(bytes).ok()??;
    let flags = match first >> 4 {
        PUBLISH => (first & 6) != 6,
        PUBREL | SUBSCRIBE | UNSUBSCRIBE => first & 15 == 2,
        0 => false,
        _ => first & 15 == 0,
    };
    usize::try_from(length).ok().and_then(|length| size.checked_add(length)).filter(|_| flags)
}

/// Whether bytes are complete packets: all of them, or the first ones.
fn are_packets(mut bytes: &[u8]) -> bool {
    const ENOUGH: usize = 8;
    for _ in 0..ENOUGH {
        match is_header(bytes).and_then(|whole| bytes.get(whole..)) {
            Some([]) => return true,
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    true
}

/// Whether bytes begin with a CONNECT packet.
fn is_connect(bytes: &[u8]) -> bool {
    let size = header(bytes).ok().flatten().filter(|_| bytes.first() == Some(&0x10)).map(|(_, size)| size);
    let behind = size.and_then(|size| bytes.get(size..)).unwrap_or_default();
    VERSIONS.iter().any(|(name, levels)| has_level(behind, name, levels))
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let rest = self.rest[from];
        if rest > 0 {
            let run = PART_SIZE.min(usize::try_from(rest).unwrap_or(usize::MAX));
            return if more && ahead.len() < run { Extent::NeedMore(run) } else { Extent::Message(run.min(ahead.len())) };
        }
        if ahead.first().is_some_and(|first| first >> 4 == 0) {
            return Extent::Unknown(ahead.len());
        }
        match header(ahead) {
            Ok(None) => Extent::NeedMore(ahead.len() + 1),
            Ok(Some((length, size))) => {
                let whole = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(size);
                Extent::Message(if whole <= limits::MQTT_MESSAGE.get() { whole } else { size })
            }
            Err(()) => Extent::Unknown(ahead.len()),
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        match from {
            Side::Client if self.rest[from] > 0 || is_connect(ahead) => Resumption::At(0),
            // The packet at the start may be incomplete.
            Side::Client if is_header(ahead).is_some_and(|whole| whole > ahead.len()) => Resumption::Beyond(0),
            Side::Client => Resumption::search(ahead, 1, are_packets),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        ahead.first().map_or(self.level == 0, |first| matches!(first >> 4, CONNECT | AUTH_TYPE))
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let rest = &mut self.rest[from];
        if *rest > 0 {
            let have = wire.remaining();
            *rest = rest.saturating_sub(have as u64);
            wire.name("payload");
            wire.info(format_args!("{have} bytes, {rest} to come"));
            return wire.bytes(&MESSAGE, have).map(drop);
        }
        let first = wire.peek_u8().unwrap_or_default();
        let kind = first >> 4;
        match kind {
            PUBLISH => wire.bits(1, &[&TYPE, &DUP, &QOS, &RETAIN])?,
            _ => wire.bits(1, &[&TYPE, &FLAGS])?,
        };
        wire.name(name_of(names::TYPES, kind.into()).unwrap_or("unknown"));
        let length = varint(wire, &LENGTH)?;
        if length > limits::MQTT_MESSAGE.get() as u64 {
            wire.note_ahead(&IN_PARTS, format_args!("the packet follows in parts"));
            self.rest[from] = length;
            return Ok(());
        }
        wire.within(usize::try_from(length).unwrap_or(usize::MAX), &DATA, |wire| self.body(kind, first, wire))
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.rest[from] = self.rest[from].saturating_sub(missing.bytes);
    }
}

/// Whether a packet of this type and remaining length exists in version 5 only.
fn is_of_version_5(kind: u8, length: usize) -> bool {
    match kind {
        CONNACK_TYPE | PUBACK | PUBREC | PUBREL | PUBCOMP | UNSUBACK_TYPE => length > 2,
        DISCONNECT_TYPE => length > 0,
        AUTH_TYPE => true,
        _ => false,
    }
}

impl Session {
    fn body(&mut self, kind: u8, first: u8, wire: &mut Wire<'_>) -> Result {
        if self.level == 0 && is_of_version_5(kind, wire.remaining()) {
            self.level = VERSION_5;
        }
        match kind {
            CONNECT => self.connect(wire),
            CONNACK_TYPE => {
                wire.flags(&CONNACK_FLAGS, 1, &[&SESSION_PRESENT])?;
                if self.level < VERSION_5 {
                    return wire.u8(&CONNACK).map(drop);
                }
                self.reason(wire, &CONNACK_REASON)
            }
            PUBLISH => self.publish(wire, first >> 1 & 3),
            SUBSCRIBE | UNSUBSCRIBE => self.topics(kind, wire),
            SUBACK_TYPE | UNSUBACK_TYPE => {
                wire.u16_be(&ID)?;
                self.properties(wire)?;
                let code = match kind {
                    UNSUBACK_TYPE => &UNSUBACK_REASON,
                    _ if self.level < VERSION_5 => &SUBACK,
                    _ => &SUBACK_REASON,
                };
                while wire.remaining() > 0 && (self.level >= VERSION_5 || kind == SUBACK_TYPE) {
                    wire.u8(code)?;
                }
                wire.rest_is(&DATA)
            }
            PUBACK | PUBREC | PUBREL | PUBCOMP => {
                wire.u16_be(&ID)?;
                let field = match kind {
                    PUBACK => &PUBACK_REASON,
                    PUBREC => &PUBREC_REASON,
                    PUBREL => &PUBREL_REASON,
                    _ => &PUBCOMP_REASON,
                };
                self.reason(wire, field)
            }
            DISCONNECT_TYPE => self.reason(wire, &DISCONNECT_REASON),
            AUTH_TYPE => self.reason(wire, &AUTH_REASON),
            _ => wire.rest_is(&DATA),
        }
    }

    /// Dissects reason code and properties of version 5. On success both may be omitted; without properties, their length.
    fn reason(&self, wire: &mut Wire<'_>, field: &'static Field) -> Result {
        if self.level >= VERSION_5 && wire.remaining() > 0 {
            let code = wire.u8(field)?;
            if code > 0 {
                wire.info(format_args!("{}", name_of(field.names, code.into()).unwrap_or("unknown reason")));
            }
            self.properties(wire)?;
        }
        wire.rest_is(&DATA)
    }

    /// Dissects the topics of SUBSCRIBE and UNSUBSCRIBE.
    fn topics(&self, kind: u8, wire: &mut Wire<'_>) -> Result {
        wire.u16_be(&ID)?;
        self.properties(wire)?;
        wire.each(|wire| {
            let topic = string(wire, &TOPIC_LENGTH, &TOPIC)?;
            wire.info(format_args!("{}", String::from_utf8_lossy(topic)));
            match kind {
                SUBSCRIBE if self.level >= VERSION_5 => {
                    let bits = [&SUB_RESERVED, &RETAIN_HANDLING, &RETAIN_AS_PUBLISHED, &NO_LOCAL, &SUB_OPTIONS_QOS];
                    wire.flags(&SUB_OPTIONS, 1, &bits)?;
                }
                SUBSCRIBE => drop(wire.u8(&SUB_QOS)?),
                _ => {}
            }
            Ok(())
        })
    }

    /// Dissects the properties of version 5.
    fn properties(&self, wire: &mut Wire<'_>) -> Result {
        if self.level < VERSION_5 || wire.remaining() == 0 { Ok(()) } else { properties::all(wire, &PROPERTIES) }
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
            if self.level >= VERSION_5 {
                properties::all(wire, &WILL_PROPERTIES)?;
            }
            string(wire, &WILL_TOPIC_LENGTH, &WILL_TOPIC)?;
            wire.counted(Wire::u16_be, &WILL_LENGTH, &WILL)?;
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
        let bytes = wire.ahead();
        wire.info(format_args!("{}, {} bytes", String::from_utf8_lossy(topic), bytes.len()));
        if bytes.is_empty() {
            return Ok(());
        }
        let is_text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()));
        let (field, value) = if is_text { (&TEXT, Value::Text) } else { (&MESSAGE, Value::Bytes) };
        wire.put(field, value, wire.at()..wire.at() + bytes.len());
        if is_text && json::is_likely(bytes) {
            json::text(wire);
        }
        wire.skip(wire.remaining())
    }
}

/// Reads a variable byte integer of at most four bytes.
fn varint(wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
    wire.varint(field, VARINT_MAX)?.ok_or(Error::Short { needed: 1 })
}

/// Dissects a string with its length.
fn string<'a>(wire: &mut Wire<'a>, length: &'static Field, field: &'static Field) -> Result<&'a [u8]> {
    wire.counted(Wire::u16_be, length, field)
}
