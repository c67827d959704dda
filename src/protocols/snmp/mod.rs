//! SNMP (RFC 1157, RFC 3416, RFC 3412).
//!
//! Messages are encoded in BER: type:1 | length:1 or more | value, which may consist of elements.
//!
//! ```text
//! message    { version | community | PDU }                                                versions 1 and 2c
//!            { version | { msgID | size | flags | model } | security | { engine | context | PDU } }    version 3
//! PDU        { request-id | error-status | error-index | { { object | value } … } }
//! trap       { enterprise | agent-addr | generic | specific | time-stamp | { { object | value } … } }   version 1
//! security   octet string with { engine | boots | time | user | authentication | privacy }
//! ```
//! Not covered: names of objects, which the MIBs define; decryption.

#[cfg(test)]
mod tests;

use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{Error, Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::fmt;

/// SNMP.
pub static PROTOCOL: Protocol = Protocol::new(
    &SNMP,
    FIELDS,
    &[
        On::Udp(161).exchange(Heuristic::Datagram(recognize), |_| Box::<OpenRequests>::default()),
        On::Udp(162).exchange(Heuristic::Datagram(recognize), |_| Box::<OpenRequests>::default()),
        On::AnyUdp.exchange(Heuristic::Datagram(is_whole), |_| Box::<OpenRequests>::default()),
    ],
)
.rest(&UNKNOWN);

fields! {
    SNMP = protocol("snmp", "SNMP", "Simple Network Management Protocol")
        .covers("Messages of versions 1, 2c and 3 with their variable bindings, traps; responses matched with their requests")
        .leaves_open("Names of objects, which the MIBs define; decryption");
    ELEMENT = bytes("snmp.element", "element", "BER tag and length");
    VERSION = number("snmp.version", "version", "").names(VERSIONS);
    COMMUNITY = text("snmp.community", "community", "Community name, which serves as a password").secret();
    MSG_VERSION = number("snmp.msgVersion", "version", "").names(VERSIONS);
    GLOBAL = group("snmp.msgGlobalData_element", "msgGlobalData", "HeaderData of SNMPv3");
    MSG_ID = number("snmp.msgID", "msgID", "Copied into the response");
    MAX_SIZE = number("snmp.msgMaxSize", "msgMaxSize", "Largest message that the sender accepts, in bytes");
    MSG_FLAGS = number("snmp.msgFlags", "msgFlags", "").hex(2);
    REPORTABLE = bool("snmp.v3.flags.report", "reportable", "The receiver is to send a Report PDU on errors").mask(0x04);
    ENCRYPTED_FLAG = bool("snmp.v3.flags.crypt", "encrypted", "privFlag: the scoped PDU is encrypted").mask(0x02);
    AUTHENTICATED = bool("snmp.v3.flags.auth", "authenticated", "authFlag: the message is authenticated").mask(0x01);
    MODEL = number("snmp.msgSecurityModel", "msgSecurityModel", "3 is the user-based security model (USM)").names(MODELS);
    SECURITY = group("snmp.msgSecurityParameters", "msgSecurityParameters", "");
    ENGINE_ID = bytes("snmp.msgAuthoritativeEngineID", "msgAuthoritativeEngineID", "SNMP engine that is authoritative for the exchange");
    ENGINE_BOOTS = number("snmp.msgAuthoritativeEngineBoots", "msgAuthoritativeEngineBoots", "Restarts of the engine");
    ENGINE_TIME = number("snmp.msgAuthoritativeEngineTime", "msgAuthoritativeEngineTime", "Seconds since the last restart of the engine");
    USER = text("snmp.msgUserName", "msgUserName", "");
    AUTHENTICATION = bytes("snmp.msgAuthenticationParameters", "msgAuthenticationParameters", "Message authentication code");
    PRIVACY = bytes("snmp.msgPrivacyParameters", "msgPrivacyParameters", "Salt of the encryption");
    SCOPED = group("snmp.plaintext_element", "scoped PDU", "PDU with its context");
    CONTEXT_ENGINE = bytes("snmp.contextEngineID", "contextEngineID", "SNMP engine that holds the context");
    CONTEXT = text("snmp.contextName", "contextName", "");
    ENCRYPTED = bytes("snmp.encryptedPDU", "encryptedPDU", "").encrypted();
    DATA = number("snmp.data", "PDU type", "").names(PDUS);
    REQUEST_ID = number("snmp.request_id", "request-id", "Copied into the response");
    ERROR_STATUS = number("snmp.error_status", "error-status", "").names(ERRORS);
    ERROR_INDEX = number("snmp.error_index", "error-index", "Variable binding that caused the error, from 1");
    NON_REPEATERS = number("snmp.non_repeaters", "non-repeaters", "Variables that are retrieved once");
    MAX_REPETITIONS = number("snmp.max_repetitions", "max-repetitions", "Iterations over the remaining variables");
    ENTERPRISE = text("snmp.enterprise", "enterprise", "sysObjectID of the sender");
    AGENT = ipv4("snmp.agent_addr", "agent-addr", "");
    GENERIC = number("snmp.generic_trap", "generic-trap", "").names(TRAPS);
    SPECIFIC = number("snmp.specific_trap", "specific-trap", "Code defined by the enterprise");
    TIME_STAMP = number("snmp.time_stamp", "time-stamp", "sysUpTime in hundredths of a second");
    BINDINGS = number("snmp.variable_bindings", "variable-bindings", "Number of entries");
    BINDING = group("snmp.VarBind_element", "VarBind", "Object name and value");
    NAME = text("snmp.name", "object name", "Object identifier (OID)");
    INT = number("snmp.value.int", "value", "Integer32");
    OCTETS = bytes("snmp.value.octets", "value", "OCTET STRING");
    OID = text("snmp.value.oid", "value", "OBJECT IDENTIFIER");
    NULL = bytes("snmp.value.null", "value", "NULL");
    IPV4 = ipv4("snmp.value.ipv4", "value", "IpAddress");
    COUNTER = number("snmp.value.counter", "value", "Counter32");
    GAUGE = number("snmp.value.g32", "value", "Gauge32 or Unsigned32");
    TICKS = number("snmp.value.timeticks", "value", "TimeTicks: hundredths of a second");
    OPAQUE = bytes("snmp.value.opaque", "value", "Opaque");
    COUNTER64 = number("snmp.value.counter64", "value", "Counter64");
    UNKNOWN = bytes("snmp.value.unk", "value", "Value of an unknown type");
    NO_OBJECT = bytes("snmp.noSuchObject", "noSuchObject", "");
    NO_INSTANCE = bytes("snmp.noSuchInstance", "noSuchInstance", "");
    END_OF_VIEW = bytes("snmp.endOfMibView", "endOfMibView", "");
    RESPONSE_TO = number("snmp.response_to", "request in", "Frame of the request");
    TIME = float("snmp.time", "time", "Seconds since the request").seconds();
    BAD_BER = broken("snmp.note.element", "bad element", "Unexpected type or length of a BER element");
}

const VERSIONS: Names = &[(0, "version 1"), (1, "version 2c"), (3, "version 3")];
const MODELS: Names = &[(1, "version 1"), (2, "version 2c"), (3, "user-based"), (4, "transport")];
const PDUS: Names = &[
    (0, "get request"),
    (1, "get next request"),
    (2, "response"),
    (3, "set request"),
    (4, "trap"),
    (5, "get bulk request"),
    (6, "inform request"),
    (7, "trap, version 2"),
    (8, "report"),
];
const ERRORS: Names = &[
    (0, "no error"),
    (1, "too big"),
    (2, "no such name"),
    (3, "bad value"),
    (4, "read only"),
    (5, "general error"),
    (6, "no access"),
    (7, "wrong type"),
    (8, "wrong length"),
    (9, "wrong encoding"),
    (10, "wrong value"),
    (11, "no creation"),
    (12, "inconsistent value"),
    (13, "resource unavailable"),
    (14, "commit failed"),
    (15, "undo failed"),
    (16, "authorisation error"),
    (17, "not writable"),
    (18, "inconsistent name"),
];
const TRAPS: Names = &[
    (0, "cold start"),
    (1, "warm start"),
    (2, "link down"),
    (3, "link up"),
    (4, "authentication failure"),
    (5, "neighbour loss"),
    (6, "enterprise specific"),
];

const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const NULL_TYPE: u8 = 0x05;
const OBJECT: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const ADDRESS: u8 = 0x40;
const COUNTER_32: u8 = 0x41;
const GAUGE_32: u8 = 0x42;
const TIME_TICKS: u8 = 0x43;
const OPAQUE_TYPE: u8 = 0x44;
const COUNTER_64: u8 = 0x46;
const FIRST_PDU: u8 = 0xa0;
const LAST_PDU: u8 = 0xa8;
const RESPONSE: u64 = 2;
const TRAP: u64 = 4;
const BULK: u64 = 5;
const REPORT: u64 = 8;

/// Type of an element, size of its header and length of its value.
#[derive(Clone, Copy)]
struct ElementHeader {
    kind: u8,
    size: usize,
    length: usize,
}

/// Parses the header of an element; `None` if it is incomplete or invalid in SNMP.
fn head(bytes: &[u8]) -> Option<ElementHeader> {
    const MOST: usize = 4;
    let (&kind, &first) = (bytes.first()?, bytes.get(1)?);
    if first < 0x80 {
        return Some(ElementHeader { kind, size: 2, length: first.into() });
    }
    let count = usize::from(first & 0x7f);
    if count == 0 || count > MOST {
        return None;
    }
    let length = bytes.get(2..2 + count)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    Some(ElementHeader { kind, size: 2 + count, length })
}

/// Recognizes a sequence that begins with a version.
fn recognize(bytes: &[u8]) -> bool {
    let version = head(bytes).filter(|head| head.kind == SEQUENCE).and_then(|head| bytes.get(head.size..));
    matches!(version, Some([INTEGER, 1, 0 | 1 | 3, ..]))
}

/// Recognizes a sequence of exactly this size with a version and a community or header.
fn is_whole(bytes: &[u8]) -> bool {
    let fills = head(bytes).filter(|head| head.size + head.length == bytes.len());
    let inner = fills.filter(|_| recognize(bytes)).and_then(|head| bytes.get(head.size..));
    inner.is_some_and(|inner| matches!(inner, [_, _, 3, SEQUENCE, ..] | [_, _, 0 | 1, OCTET_STRING, ..]))
}

/// Pending requests of one conversation, by request ID.
#[derive(Default)]
struct OpenRequests(Requests<i64>);

impl Exchange for OpenRequests {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        inside(wire, SEQUENCE, |wire| {
            let is_new = matches!(wire.ahead(), [INTEGER, 1, 3, ..]);
            let version = integer(wire, if is_new { &MSG_VERSION } else { &VERSION })?;
            if !is_new {
                octets(wire, &COMMUNITY)?;
                let heading = name_of(VERSIONS, version.cast_unsigned()).unwrap_or("unknown version");
                wire.info(format_args!("{heading}"));
                return self.pdu(wire);
            }
            wire.group(&GLOBAL, |wire| inside(wire, SEQUENCE, global))?;
            wire.group(&SECURITY, |wire| inside(wire, OCTET_STRING, security))?;
            wire.info(format_args!("version 3"));
            if wire.peek_u8() == Some(OCTET_STRING) {
                wire.name("encrypted");
                return octets(wire, &ENCRYPTED);
            }
            wire.group(&SCOPED, |wire| {
                inside(wire, SEQUENCE, |wire| {
                    octets(wire, &CONTEXT_ENGINE)?;
                    octets(wire, &CONTEXT)?;
                    self.pdu(wire)
                })
            })
        })
    }
}

impl OpenRequests {
    fn pdu(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = wire.peek_u8().filter(|kind| (FIRST_PDU..=LAST_PDU).contains(kind));
        let Some(kind) = kind else { return unexpected(wire, "a PDU") };
        let number = u64::from(kind - FIRST_PDU);
        wire.name(name_of(PDUS, number).unwrap_or_default());
        wire.parent(&DATA, Value::Unsigned(number), |wire| {
            inside(wire, kind, |wire| {
                if number == TRAP {
                    trap(wire)?;
                } else {
                    let id = integer(wire, &REQUEST_ID)?;
                    let [second, third] =
                        if number == BULK { [&NON_REPEATERS, &MAX_REPETITIONS] } else { [&ERROR_STATUS, &ERROR_INDEX] };
                    integer(wire, second)?;
                    integer(wire, third)?;
                    self.pair(wire, number, id);
                }
                bindings(wire)
            })
        })
    }

    fn pair(&mut self, wire: &mut Wire<'_>, kind: u64, id: i64) {
        match kind {
            RESPONSE | REPORT => {
                if let Some(question) = self.0.answer(&id) {
                    question.put(wire, &RESPONSE_TO, &TIME);
                }
            }
            _ => {
                self.0.ask(id, wire);
            }
        }
    }
}

fn global(wire: &mut Wire<'_>) -> Result {
    integer(wire, &MSG_ID)?;
    integer(wire, &MAX_SIZE)?;
    let flags = expected(wire, OCTET_STRING)?;
    if flags.length != 1 {
        return unexpected(wire, "a byte of flags");
    }
    wire.bytes(&ELEMENT, flags.size)?;
    wire.flags(&MSG_FLAGS, 1, &[&REPORTABLE, &ENCRYPTED_FLAG, &AUTHENTICATED])?;
    integer(wire, &MODEL).map(drop)
}

fn security(wire: &mut Wire<'_>) -> Result {
    if wire.peek_u8() != Some(SEQUENCE) {
        wire.rest(&UNKNOWN);
        return Ok(());
    }
    inside(wire, SEQUENCE, |wire| {
        octets(wire, &ENGINE_ID)?;
        integer(wire, &ENGINE_BOOTS)?;
        integer(wire, &ENGINE_TIME)?;
        octets(wire, &USER)?;
        octets(wire, &AUTHENTICATION)?;
        octets(wire, &PRIVACY)
    })
}

fn trap(wire: &mut Wire<'_>) -> Result {
    object(wire, &ENTERPRISE)?;
    let address = expected(wire, ADDRESS)?;
    wire.bytes(&ELEMENT, address.size)?;
    wire.bytes(&AGENT, address.length)?;
    integer(wire, &GENERIC)?;
    integer(wire, &SPECIFIC)?;
    number(wire, TIME_TICKS, &TIME_STAMP)
}

fn bindings(wire: &mut Wire<'_>) -> Result {
    let list = expected(wire, SEQUENCE)?;
    let mut rest = wire.ahead().get(list.size..).unwrap_or_default();
    rest = rest.get(..list.length).unwrap_or(rest);
    let mut count = 0_u64;
    while let Some(head) = head(rest) {
        count += 1;
        rest = rest.get(head.size.saturating_add(head.length)..).unwrap_or_default();
    }
    wire.parent(&BINDINGS, Value::Unsigned(count), |wire| {
        inside(wire, SEQUENCE, |wire| {
            while wire.remaining() > 0 {
                wire.group(&BINDING, |wire| {
                    inside(wire, SEQUENCE, |wire| {
                        object(wire, &NAME)?;
                        value(wire)
                    })
                })?;
            }
            Ok(())
        })
    })
}

/// Dissects the value of a variable by its type.
fn value(wire: &mut Wire<'_>) -> Result {
    let Some(head) = head(wire.ahead()) else { return unexpected(wire, "a value") };
    match head.kind {
        INTEGER => integer(wire, &INT).map(drop),
        OCTET_STRING => octets(wire, &OCTETS),
        OBJECT => object(wire, &OID),
        COUNTER_32 => number(wire, COUNTER_32, &COUNTER),
        GAUGE_32 => number(wire, GAUGE_32, &GAUGE),
        TIME_TICKS => number(wire, TIME_TICKS, &TICKS),
        COUNTER_64 => number(wire, COUNTER_64, &COUNTER64),
        NULL_TYPE => wire.bytes(&NULL, head.size + head.length).map(drop),
        0x80 => wire.bytes(&NO_OBJECT, head.size + head.length).map(drop),
        0x81 => wire.bytes(&NO_INSTANCE, head.size + head.length).map(drop),
        0x82 => wire.bytes(&END_OF_VIEW, head.size + head.length).map(drop),
        ADDRESS if head.length == 4 => element(wire, head, &IPV4),
        OPAQUE_TYPE => element(wire, head, &OPAQUE),
        _ => element(wire, head, &UNKNOWN),
    }
}

/// Notes an unexpected element.
fn unexpected<T>(wire: &mut Wire<'_>, required: &str) -> Result<T> {
    match wire.ahead().first() {
        Some(kind) => wire.malformed(&BAD_BER, format_args!("type {kind:#04x} where {required} is required")),
        None => Err(Error::Short { needed: 1 }),
    }
}

/// Header of the next element, which must have this type.
fn expected(wire: &mut Wire<'_>, kind: u8) -> Result<ElementHeader> {
    match head(wire.ahead()) {
        Some(head) if head.kind == kind => Ok(head),
        None if wire.remaining() < 2 => Err(Error::Short { needed: 2 - wire.remaining() }),
        _ => unexpected(wire, "another"),
    }
}

/// Dissects the contents of an element of this type.
fn inside(wire: &mut Wire<'_>, kind: u8, read: impl FnOnce(&mut Wire<'_>) -> Result) -> Result {
    let head = expected(wire, kind)?;
    wire.bytes(&ELEMENT, head.size)?;
    wire.within(head.length, &UNKNOWN, read)
}

/// Dissects an element whose value is this field.
fn element(wire: &mut Wire<'_>, head: ElementHeader, field: &'static Field) -> Result {
    wire.bytes(&ELEMENT, head.size)?;
    match head.length {
        0 => Ok(()),
        length if field.kind == crate::tree::Kind::Text => wire.text(field, length).map(drop),
        length => wire.bytes(field, length).map(drop),
    }
}

fn octets(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    let head = expected(wire, OCTET_STRING)?;
    element(wire, head, field)
}

/// Reads an element. Returns its value and its whole range.
fn whole<'a>(wire: &mut Wire<'a>, kind: u8, most: usize) -> Result<(&'a [u8], std::ops::Range<usize>)> {
    let head = expected(wire, kind)?;
    if head.length > most {
        return wire.malformed(&BAD_BER, format_args!("{} bytes where at most {most} are permitted", head.length));
    }
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(head.size + head.length)?;
    Ok((ahead.get(head.size..head.size + head.length).unwrap_or_default(), start..start + head.size + head.length))
}

/// Dissects a signed integer; its span is the whole element.
fn integer(wire: &mut Wire<'_>, field: &'static Field) -> Result<i64> {
    const MOST: usize = 8;
    let (bytes, range) = whole(wire, INTEGER, MOST)?;
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
    let number = bytes.iter().fold(sign, |number: i64, byte| number << 8 | i64::from(*byte));
    let value = u64::try_from(number).map_or(Value::Signed(number), Value::Unsigned);
    wire.put(field, value, range);
    Ok(number)
}

/// Dissects an unsigned integer of this type.
fn number(wire: &mut Wire<'_>, kind: u8, field: &'static Field) -> Result {
    const MOST: usize = 9;
    let (bytes, range) = whole(wire, kind, MOST)?;
    let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    wire.put(field, Value::Unsigned(number), range);
    Ok(())
}

/// Dissects an object identifier.
fn object(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    const MOST: usize = 512;
    let (bytes, range) = whole(wire, OBJECT, MOST)?;
    wire.put_text(field, range, format_args!("{}", Parts(bytes)));
    Ok(())
}

/// Formats an object identifier: seven bits a byte; the first number encodes two parts.
struct Parts<'a>(&'a [u8]);

impl fmt::Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut part, mut is_first) = (0_u64, true);
        for byte in self.0 {
            part = part << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                continue;
            }
            if is_first {
                let top = (part / 40).min(2);
                write!(f, "{top}.{}", part - top * 40)?;
            } else {
                write!(f, ".{part}")?;
            }
            (part, is_first) = (0, false);
        }
        Ok(())
    }
}
