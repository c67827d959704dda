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

use super::ber::{self, Ber, INTEGER, OBJECT_ID, OCTET_STRING, SEQUENCE, head};
use crate::tree::{Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&SNMP, FIELDS)
    .found(&[
        On::Udp(161).exchange::<OpenRequests>(Heuristic::Datagram(recognize)),
        On::Udp(162).exchange::<OpenRequests>(Heuristic::Datagram(recognize)),
        On::AnyUdp.exchange::<OpenRequests>(Heuristic::Datagram(is_whole)),
        On::Udp(161).exchange::<OpenRequests>(Heuristic::Datagram(is_likely)).by_port(),
        On::Udp(162).exchange::<OpenRequests>(Heuristic::Datagram(is_likely)).by_port(),
    ])
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
    SECURITY = group("snmp.msgSecurityParameters", "msgSecurityParameters", "").valued();
    ENGINE_ID = bytes("snmp.msgAuthoritativeEngineID", "msgAuthoritativeEngineID", "SNMP engine that is authoritative for the exchange");
    ENGINE_BOOTS = number("snmp.msgAuthoritativeEngineBoots", "msgAuthoritativeEngineBoots", "Restarts of the engine");
    ENGINE_TIME = number("snmp.msgAuthoritativeEngineTime", "msgAuthoritativeEngineTime", "Seconds since the last restart of the engine");
    USER = text("snmp.msgUserName", "msgUserName", "");
    AUTHENTICATION = bytes("snmp.msgAuthenticationParameters", "msgAuthenticationParameters", "Message authentication code");
    PRIVACY = bytes("snmp.msgPrivacyParameters", "msgPrivacyParameters", "Salt of the encryption");
    SCOPED = group("snmp.plaintext_element", "scoped PDU", "PDU with its context");
    CONTEXT_ENGINE = bytes("snmp.contextEngineID", "contextEngineID", "SNMP engine with the context");
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
    RESPONSE_TO = number("snmp.response_to", "request in", "");
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

const BER: Ber = Ber { element: &ELEMENT, unknown: &UNKNOWN, bad: &BAD_BER };

/// Recognizes a sequence that begins with a version.
fn recognize(bytes: &[u8]) -> bool {
    let version = head(bytes).filter(|head| head.kind == SEQUENCE).and_then(|head| bytes.get(head.size..));
    matches!(version, Some([INTEGER, 1, 0 | 1 | 3, ..]))
}

/// Recognizes a sequence of exactly this size with another version and a community.
fn is_likely(bytes: &[u8]) -> bool {
    let fills = head(bytes).filter(|head| head.kind == SEQUENCE && head.whole() == bytes.len());
    let inner = fills.and_then(|head| bytes.get(head.size..));
    matches!(inner, Some([INTEGER, 1, _, OCTET_STRING, ..]))
}

/// Recognizes a sequence of exactly this size with a version and a community or header.
fn is_whole(bytes: &[u8]) -> bool {
    let fills = head(bytes).filter(|head| head.whole() == bytes.len());
    let inner = fills.filter(|_| recognize(bytes)).and_then(|head| bytes.get(head.size..));
    inner.is_some_and(|inner| matches!(inner, [_, _, 3, SEQUENCE, ..] | [_, _, 0 | 1, OCTET_STRING, ..]))
}

/// Pending requests of one conversation, by request ID.
#[derive(Default)]
struct OpenRequests(Requests<i64>);

impl Exchange for OpenRequests {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        BER.inside(wire, SEQUENCE, |wire| {
            let is_new = matches!(wire.ahead(), [INTEGER, 1, 3, ..]);
            let version = BER.signed(wire, INTEGER, if is_new { &MSG_VERSION } else { &VERSION })?;
            if !is_new {
                BER.string(wire, OCTET_STRING, &COMMUNITY)?;
                let heading = name_of(VERSIONS, version.cast_unsigned()).unwrap_or("unknown version");
                wire.info(format_args!("{heading}"));
                return self.pdu(wire);
            }
            wire.group(&GLOBAL, |wire| BER.inside(wire, SEQUENCE, global))?;
            wire.group(&SECURITY, |wire| BER.inside(wire, OCTET_STRING, security))?;
            wire.info(format_args!("version 3"));
            if wire.peek_u8() == Some(OCTET_STRING) {
                wire.name("encrypted");
                return BER.string(wire, OCTET_STRING, &ENCRYPTED).map(drop);
            }
            wire.group(&SCOPED, |wire| {
                BER.inside(wire, SEQUENCE, |wire| {
                    BER.string(wire, OCTET_STRING, &CONTEXT_ENGINE)?;
                    BER.string(wire, OCTET_STRING, &CONTEXT)?;
                    self.pdu(wire)
                })
            })
        })
    }
}

impl OpenRequests {
    fn pdu(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = wire.peek_u8().filter(|kind| (FIRST_PDU..=LAST_PDU).contains(kind));
        let Some(kind) = kind else { return BER.unexpected(wire, "a PDU") };
        let number = u64::from(kind - FIRST_PDU);
        wire.name(name_of(PDUS, number).unwrap_or_default());
        wire.parent(&DATA, Value::Unsigned(number), |wire| {
            BER.inside(wire, kind, |wire| {
                if number == TRAP {
                    trap(wire)?;
                } else {
                    let id = BER.signed(wire, INTEGER, &REQUEST_ID)?;
                    let [second, third] =
                        if number == BULK { [&NON_REPEATERS, &MAX_REPETITIONS] } else { [&ERROR_STATUS, &ERROR_INDEX] };
                    BER.signed(wire, INTEGER, second)?;
                    BER.signed(wire, INTEGER, third)?;
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
    BER.signed(wire, INTEGER, &MSG_ID)?;
    BER.signed(wire, INTEGER, &MAX_SIZE)?;
    let flags = BER.expected(wire, OCTET_STRING)?;
    if flags.length != 1 {
        return BER.unexpected(wire, "a byte of flags");
    }
    wire.bytes(&ELEMENT, flags.size)?;
    wire.flags(&MSG_FLAGS, 1, &[&REPORTABLE, &ENCRYPTED_FLAG, &AUTHENTICATED])?;
    BER.signed(wire, INTEGER, &MODEL).map(drop)
}

fn security(wire: &mut Wire<'_>) -> Result {
    if wire.peek_u8() != Some(SEQUENCE) {
        return wire.rest_is(&UNKNOWN);
    }
    BER.inside(wire, SEQUENCE, |wire| {
        BER.string(wire, OCTET_STRING, &ENGINE_ID)?;
        BER.signed(wire, INTEGER, &ENGINE_BOOTS)?;
        BER.signed(wire, INTEGER, &ENGINE_TIME)?;
        BER.string(wire, OCTET_STRING, &USER)?;
        BER.string(wire, OCTET_STRING, &AUTHENTICATION)?;
        BER.string(wire, OCTET_STRING, &PRIVACY).map(drop)
    })
}

fn trap(wire: &mut Wire<'_>) -> Result {
    BER.object(wire, &ENTERPRISE)?;
    let address = BER.expected(wire, ADDRESS)?;
    wire.bytes(&ELEMENT, address.size)?;
    wire.bytes(&AGENT, address.length)?;
    BER.signed(wire, INTEGER, &GENERIC)?;
    BER.signed(wire, INTEGER, &SPECIFIC)?;
    BER.unsigned(wire, TIME_TICKS, &TIME_STAMP)
}

fn bindings(wire: &mut Wire<'_>) -> Result {
    let list = BER.expected(wire, SEQUENCE)?;
    let mut rest = wire.ahead().get(list.size..).unwrap_or_default();
    rest = rest.get(..list.length).unwrap_or(rest);
    let mut count = 0_u64;
    while let Some(head) = head(rest) {
        count += 1;
        rest = rest.get(head.whole()..).unwrap_or_default();
    }
    wire.parent(&BINDINGS, Value::Unsigned(count), |wire| {
        BER.inside(wire, SEQUENCE, |wire| {
            wire.groups(&BINDING, |wire| {
                BER.inside(wire, SEQUENCE, |wire| {
                    BER.object(wire, &NAME)?;
                    value(wire)
                })
            })
        })
    })
}

/// Dissects the value of a variable by its type.
fn value(wire: &mut Wire<'_>) -> Result {
    let Some(head) = head(wire.ahead()) else { return BER.unexpected(wire, "a value") };
    match head.kind {
        INTEGER => BER.signed(wire, INTEGER, &INT).map(drop),
        OCTET_STRING => BER.string(wire, OCTET_STRING, &OCTETS).map(drop),
        OBJECT_ID => BER.object(wire, &OID),
        COUNTER_32 => BER.unsigned(wire, COUNTER_32, &COUNTER),
        GAUGE_32 => BER.unsigned(wire, GAUGE_32, &GAUGE),
        TIME_TICKS => BER.unsigned(wire, TIME_TICKS, &TICKS),
        COUNTER_64 => BER.unsigned(wire, COUNTER_64, &COUNTER64),
        ber::NULL => wire.bytes(&NULL, head.whole()).map(drop),
        0x80 => wire.bytes(&NO_OBJECT, head.whole()).map(drop),
        0x81 => wire.bytes(&NO_INSTANCE, head.whole()).map(drop),
        0x82 => wire.bytes(&END_OF_VIEW, head.whole()).map(drop),
        ADDRESS if head.length == 4 => BER.element(wire, head, &IPV4).map(drop),
        OPAQUE_TYPE => BER.element(wire, head, &OPAQUE).map(drop),
        _ => BER.element(wire, head, &UNKNOWN).map(drop),
    }
}
