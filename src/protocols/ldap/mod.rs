//! LDAP (RFC 4511): messages over TCP and UDP.
//!
//! ```text
//! message     { messageID | operation | [controls] }        in BER
//! bind        { version | name | password or { mechanism | credentials } }
//! search      { base | scope | aliases | size limit | time limit | types only | filter | { attribute … } }
//! entry       { name | { { type | { value … } } … } }
//! result      { code | matched DN | message | [referral] }
//! ```
//! After an accepted `StartTLS` the stream is handed over to TLS.
//!
//! Not covered: values of controls and of extended operations, messages that SASL protects.

mod heuristics;
#[cfg(test)]
mod tests;

use super::ber::{self, BOOLEAN, Ber, ENUMERATED, INTEGER, OCTET_STRING, SEQUENCE, SET, head};
use crate::limits;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::statistics::LoginFields;
use crate::wire::{Conversation, Exchange, Extent, Heuristic, Missing, Next, On, Protocol, Requests, Result, Resumption, Wire};
use heuristics::{is_likely, is_likely_stream, is_message, recognize};

pub static PROTOCOL: Protocol = Protocol::new(&LDAP, FIELDS)
    .found(&[
        On::Tcp(389).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(3268).stream::<Session>(Heuristic::Stream(recognize)),
        On::Udp(389).exchange::<Session>(Heuristic::Datagram(is_message)),
        On::Tcp(389).stream::<Session>(Heuristic::Stream(is_likely_stream)).by_port(),
        On::Tcp(3268).stream::<Session>(Heuristic::Stream(is_likely_stream)).by_port(),
        On::Udp(389).exchange::<Session>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&UNKNOWN);

pub static LOGIN: LoginFields = LoginFields::plain(["ldap", "LDAP", "ldap.name"], &["ldap.simple"]);

fields! {
    LDAP = protocol("ldap", "LDAP", "Lightweight Directory Access Protocol")
        .covers("All operations with filters, attributes and results; responses matched with their requests")
        .leaves_open("Values of controls and extended operations, messages that SASL protects");
    ELEMENT = bytes("ldap.element", "element", "BER type and length");
    MESSAGE = group("ldap.LDAPMessage_element", "LDAPMessage", "");
    ID = number("ldap.messageID", "messageID", "Copied into the responses").once();
    OPERATION = number("ldap.protocolOp", "protocolOp", "").names(OPERATIONS).once();
    RESPONSE_TO = number("ldap.response_to", "response to", "Frame of the request").once();
    TIME = float("ldap.time", "time", "Seconds since the request").seconds().once();
    VERSION = number("ldap.version", "version", "").once();
    NAME = text("ldap.name", "name", "Distinguished name of the client").once();
    AUTHENTICATION = number("ldap.authentication", "authentication", "").names(&[(0, "simple"), (3, "sasl")]).once();
    SIMPLE = text("ldap.simple", "simple", "Password").secret().once();
    MECHANISM = text("ldap.mechanism", "mechanism", "").once();
    CREDENTIALS = bytes("ldap.credentials", "credentials", "Of SASL").secret().once();
    SERVER_CREDENTIALS = bytes("ldap.serverSaslCreds", "serverSaslCreds", "").once();
    BASE = text("ldap.baseObject", "baseObject", "").once();
    SCOPE = number("ldap.scope", "scope", "").names(SCOPES).once();
    ALIASES = number("ldap.derefAliases", "derefAliases", "").names(ALIASES_NAMES).once();
    SIZE_LIMIT = number("ldap.sizeLimit", "sizeLimit", "Entries; 0 is no limit").once();
    TIME_LIMIT = number("ldap.timeLimit", "timeLimit", "Seconds; 0 is no limit").once();
    TYPES_ONLY = bool("ldap.typesOnly", "typesOnly", "").once();
    FILTER = number("ldap.filter", "Filter", "").names(FILTERS).once();
    AND = number("ldap.and", "and", "Number of filters");
    AND_ITEM = number("ldap.and_item", "and item", "").names(FILTERS);
    OR = number("ldap.or", "or", "Number of filters");
    OR_ITEM = number("ldap.or_item", "or item", "").names(FILTERS);
    NOT = number("ldap.not", "not", "").names(FILTERS);
    DESCRIPTION = text("ldap.attributeDesc", "attributeDesc", "Attribute of a comparison");
    ASSERTION = text("ldap.assertionValue", "assertionValue", "");
    INITIAL = text("ldap.initial", "initial", "");
    ANY = text("ldap.any", "any", "");
    FINAL = text("ldap.final", "final", "");
    PRESENT = text("ldap.present", "present", "Attribute that is to exist");
    RULE = text("ldap.matchingRule", "matchingRule", "");
    MATCH_VALUE = text("ldap.matchValue", "matchValue", "");
    DN_ATTRIBUTES = bool("ldap.dnAttributes", "dnAttributes", "");
    ATTRIBUTES = number("ldap.attributes", "attributes", "Number of entries").once();
    ATTRIBUTE_NAME = text("ldap.AttributeDescription", "AttributeDescription", "Attribute to return");
    OBJECT = text("ldap.objectName", "objectName", "").once();
    ATTRIBUTE = group("ldap.PartialAttributeList_item_element", "PartialAttributeList item", "");
    TYPE = text("ldap.type", "type", "");
    VALUES = number("ldap.vals", "vals", "Number of values");
    VALUE = bytes("ldap.AttributeValue", "AttributeValue", "");
    SECRET_VALUE = bytes("ldap.AttributeValue.password", "AttributeValue", "Value of userPassword").secret();
    MODIFIED = text("ldap.object", "object", "").once();
    MODIFICATION = group("ldap.modification_item_element", "modification item", "");
    MODIFY = number("ldap.operation", "operation", "").names(&[(0, "add"), (1, "delete"), (2, "replace"), (3, "increment")]);
    ENTRY = text("ldap.entry", "entry", "").once();
    NEW_NAME = text("ldap.newrdn", "newrdn", "").once();
    DELETE_OLD = bool("ldap.deleteoldrdn", "deleteoldrdn", "").once();
    NEW_SUPERIOR = text("ldap.newSuperior", "newSuperior", "").once();
    DELETED = text("ldap.delRequest", "delRequest", "Entry to delete").once();
    ABANDONED = number("ldap.abandonRequest", "abandonRequest", "messageID of the request").once();
    REQUEST_NAME = text("ldap.requestName", "requestName", "Object identifier of the operation").once();
    REQUEST_VALUE = bytes("ldap.requestValue", "requestValue", "").secret().once();
    RESPONSE_NAME = text("ldap.responseName", "responseName", "").once();
    RESPONSE_VALUE = bytes("ldap.responseValue", "responseValue", "").once();
    RESULT = number("ldap.resultCode", "resultCode", "").names(RESULTS).once();
    MATCHED = text("ldap.matchedDN", "matchedDN", "").once();
    ERROR = text("ldap.errorMessage", "errorMessage", "").once();
    URL = text("ldap.LDAPURL", "LDAPURL", "");
    CONTROL = group("ldap.Control_element", "Control", "");
    CONTROL_TYPE = text("ldap.controlType", "controlType", "Object identifier");
    CRITICAL = bool("ldap.criticality", "criticality", "");
    CONTROL_VALUE = bytes("ldap.controlValue", "controlValue", "");
    SASL = bytes("ldap.sasl_buffer", "SASL buffer", "Message that SASL protects").encrypted();
    UNKNOWN = bytes("ldap.unknown", "unknown", "Undissected bytes");
    BAD = broken("ldap.note.element", "bad element", "Unexpected type or length of a BER element");
}

const OPERATIONS: Names = &[
    (0, "bindRequest"),
    (1, "bindResponse"),
    (2, "unbindRequest"),
    (3, "searchRequest"),
    (4, "searchResEntry"),
    (5, "searchResDone"),
    (6, "modifyRequest"),
    (7, "modifyResponse"),
    (8, "addRequest"),
    (9, "addResponse"),
    (10, "delRequest"),
    (11, "delResponse"),
    (12, "modDNRequest"),
    (13, "modDNResponse"),
    (14, "compareRequest"),
    (15, "compareResponse"),
    (16, "abandonRequest"),
    (19, "searchResRef"),
    (23, "extendedReq"),
    (24, "extendedResp"),
    (25, "intermediateResponse"),
];
/// The bits of a type that are the number of the operation.
const NUMBER: u8 = 0x1f;
/// Types of the operations.
const TAGS: [u8; 21] = [
    0x60, 0x61, 0x42, 0x63, 0x64, 0x65, 0x73, 0x66, 0x67, 0x68, 0x69, 0x4a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x50, 0x77, 0x78, 0x79,
];
const SCOPES: Names = &[(0, "baseObject"), (1, "singleLevel"), (2, "wholeSubtree")];
const ALIASES_NAMES: Names = &[(0, "neverDerefAliases"), (1, "derefInSearching"), (2, "derefFindingBaseObj"), (3, "derefAlways")];
const FILTERS: Names = &[
    (0, "and"),
    (1, "or"),
    (2, "not"),
    (3, "equalityMatch"),
    (4, "substrings"),
    (5, "greaterOrEqual"),
    (6, "lessOrEqual"),
    (7, "present"),
    (8, "approxMatch"),
    (9, "extensibleMatch"),
];
const RESULTS: Names = &[
    (0, "success"),
    (1, "operationsError"),
    (2, "protocolError"),
    (3, "timeLimitExceeded"),
    (4, "sizeLimitExceeded"),
    (5, "compareFalse"),
    (6, "compareTrue"),
    (7, "authMethodNotSupported"),
    (8, "strongAuthRequired"),
    (10, "referral"),
    (11, "adminLimitExceeded"),
    (12, "unavailableCriticalExtension"),
    (13, "confidentialityRequired"),
    (14, "saslBindInProgress"),
    (16, "noSuchAttribute"),
    (17, "undefinedAttributeType"),
    (18, "inappropriateMatching"),
    (19, "constraintViolation"),
    (20, "attributeOrValueExists"),
    (21, "invalidAttributeSyntax"),
    (32, "noSuchObject"),
    (33, "aliasProblem"),
    (34, "invalidDNSyntax"),
    (36, "aliasDereferencingProblem"),
    (48, "inappropriateAuthentication"),
    (49, "invalidCredentials"),
    (50, "insufficientAccessRights"),
    (51, "busy"),
    (52, "unavailable"),
    (53, "unwillingToPerform"),
    (54, "loopDetect"),
    (64, "namingViolation"),
    (65, "objectClassViolation"),
    (66, "notAllowedOnNonLeaf"),
    (67, "notAllowedOnRDN"),
    (68, "entryAlreadyExists"),
    (69, "objectClassModsProhibited"),
    (80, "other"),
];

const BER: Ber = Ber { element: &ELEMENT, unknown: &UNKNOWN, bad: &BAD };
const START_TLS: &[u8] = b"1.3.6.1.4.1.1466.20037";

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<i64>,
    /// messageID of a request for TLS.
    tls: Option<i64>,
    next: Option<Next>,
}

impl Conversation for Session {
    fn extent(&mut self, _: Side, ahead: &[u8], _more: bool) -> Extent {
        match head(ahead) {
            Some(head) if head.kind == SEQUENCE => Extent::Message(head.whole()),
            // Messages that SASL protects have a length of four bytes.
            _ if ahead.starts_with(&[0]) => match ahead.first_chunk().map(|length| u32::from_be_bytes(*length)) {
                None => Extent::NeedMore(4),
                Some(length) => Extent::Message(usize::try_from(length).unwrap_or(usize::MAX).saturating_add(4)),
            },
            None if ahead.starts_with(&[SEQUENCE]) && ber::is_incomplete(ahead) => Extent::NeedMore(ahead.len() + 1),
            None if ahead.is_empty() => Extent::NeedMore(1),
            _ => {
                // After lost bytes, the next message is searched for.
                let from = ahead.get(..limits::STREAM_MESSAGE.get()).unwrap_or(ahead);
                let next = (1..from.len()).find(|at| is_message(from.get(*at..).unwrap_or_default()));
                Extent::Unknown(next.unwrap_or(ahead.len()))
            }
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if wire.peek_u8() == Some(0) {
            wire.name("SASL");
            wire.info(format_args!("{} bytes", wire.remaining()));
            return wire.rest_is(&SASL);
        }
        self.dissect(wire)
    }

    fn gap(&mut self, _: Side, _: Missing) {
        self.tls = None;
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        /// Bytes up to the type of the operation.
        const HEAD: usize = 16;
        if from == Side::Client { Resumption::search(ahead, HEAD, is_message) } else { Resumption::Anywhere }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        /// Bytes up to the type of the operation.
        const HEAD: usize = 16;
        // Bind, modify, add and extended requests may contain passwords.
        let holds = |tag: &u8| matches!(tag, 0x60 | 0x66 | 0x68 | 0x77);
        from == Side::Client && (ahead.len() < HEAD || ahead.get(..HEAD).is_some_and(|head| head.iter().any(holds)))
    }
}

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        self.dissect(wire)
    }
}

impl Session {
    fn dissect(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.group(&MESSAGE, |wire| {
            BER.inside(wire, SEQUENCE, |wire| {
                let id = BER.signed(wire, INTEGER, &ID)?;
                let tag = wire.peek_u8().unwrap_or_default();
                let Some(number) = TAGS.iter().position(|known| *known == tag) else {
                    return BER.unexpected(wire, "an operation");
                };
                let operation = u64::from(tag & NUMBER);
                wire.name(name_of(OPERATIONS, operation).unwrap_or_default());
                wire.parent(&OPERATION, Value::Unsigned(operation), |wire| {
                    self.pair(wire, number, id);
                    match number {
                        11 => named(wire, tag, &DELETED),
                        17 => BER.signed(wire, tag, &ABANDONED).map(drop),
                        _ => BER.inside(wire, tag, |wire| self.operation(wire, number, id)),
                    }
                })?;
                BER.optional(wire, 0xa0, |wire| wire.groups(&CONTROL, control))
            })
        })
    }

    fn pair(&mut self, wire: &mut Wire<'_>, number: usize, id: i64) {
        match number {
            0 | 3 | 7 | 9 | 11 | 13 | 15 | 18 => drop(self.requests.ask(id, wire)),
            2 | 17 => {}
            _ => {
                if let Some(request) = self.requests.answer(&id) {
                    request.put(wire, &RESPONSE_TO, &TIME);
                }
            }
        }
    }

    fn operation(&mut self, wire: &mut Wire<'_>, number: usize, id: i64) -> Result {
        match number {
            0 => bind(wire),
            3 => search(wire),
            4 => entry(wire, &OBJECT),
            6 => wire.each(|wire| BER.string(wire, OCTET_STRING, &URL)),
            7 => modify(wire),
            9 => entry(wire, &ENTRY),
            13 => {
                named(wire, OCTET_STRING, &ENTRY)?;
                BER.string(wire, OCTET_STRING, &NEW_NAME)?;
                BER.boolean(wire, BOOLEAN, &DELETE_OLD)?;
                if wire.remaining() > 0 { BER.string(wire, 0x80, &NEW_SUPERIOR).map(drop) } else { Ok(()) }
            }
            15 => {
                named(wire, OCTET_STRING, &ENTRY)?;
                BER.inside(wire, SEQUENCE, |wire| comparison(wire).map(drop))
            }
            18 => {
                let name = named_text(wire, 0x80, &REQUEST_NAME)?;
                if name == START_TLS {
                    self.tls = Some(id);
                }
                if wire.remaining() > 0 { BER.string(wire, 0x81, &REQUEST_VALUE).map(drop) } else { Ok(()) }
            }
            20 => optional_strings(wire, &[(0x80, &RESPONSE_NAME), (0x81, &RESPONSE_VALUE)]),
            2 => Ok(()),
            _ => {
                let code = result(wire)?;
                if number == 19 && self.tls.take_if(|asked| *asked == id).is_some() && code == 0 {
                    self.next = Some(Next::Detect);
                }
                Ok(())
            }
        }
    }
}

/// Dissects a string that is the summary of the message.
fn named_text<'a>(wire: &mut Wire<'a>, kind: u8, field: &'static Field) -> Result<&'a [u8]> {
    let text = BER.string(wire, kind, field)?;
    wire.info(format_args!("{}", String::from_utf8_lossy(text)));
    Ok(text)
}

fn named(wire: &mut Wire<'_>, kind: u8, field: &'static Field) -> Result {
    named_text(wire, kind, field).map(drop)
}

/// Dissects strings of these types, each of which may be missing.
fn optional_strings(wire: &mut Wire<'_>, fields: &[(u8, &'static Field)]) -> Result {
    for (kind, field) in fields {
        if wire.peek_u8() == Some(*kind) {
            BER.string(wire, *kind, field)?;
        }
    }
    Ok(())
}

/// Adds the number of a choice, which is in the low bits of the next element's type.
fn choice(wire: &mut Wire<'_>, field: &'static Field, read: impl FnOnce(&mut Wire<'_>, u8) -> Result) -> Result {
    let tag = wire.peek_u8().unwrap_or_default();
    wire.parent(field, Value::Unsigned((tag & 0x1f).into()), |wire| read(wire, tag))
}

fn bind(wire: &mut Wire<'_>) -> Result {
    BER.signed(wire, INTEGER, &VERSION)?;
    named(wire, OCTET_STRING, &NAME)?;
    choice(wire, &AUTHENTICATION, |wire, tag| match tag {
        0x80 => BER.string(wire, tag, &SIMPLE).map(drop),
        0xa3 => BER.inside(wire, tag, |wire| {
            BER.string(wire, OCTET_STRING, &MECHANISM)?;
            optional_strings(wire, &[(OCTET_STRING, &CREDENTIALS)])
        }),
        _ => BER.any(wire, &UNKNOWN),
    })
}

fn search(wire: &mut Wire<'_>) -> Result {
    let base = BER.string(wire, OCTET_STRING, &BASE)?;
    let scope = BER.signed(wire, ENUMERATED, &SCOPE)?;
    BER.signed(wire, ENUMERATED, &ALIASES)?;
    BER.signed(wire, INTEGER, &SIZE_LIMIT)?;
    BER.signed(wire, INTEGER, &TIME_LIMIT)?;
    BER.boolean(wire, BOOLEAN, &TYPES_ONLY)?;
    let mut words = String::new();
    let read = filter(wire, &FILTER, &mut words);
    let scope = name_of(SCOPES, scope.cast_unsigned()).unwrap_or("unknown scope");
    wire.info(format_args!("{} {scope} {words}", String::from_utf8_lossy(base)));
    read?;
    counted(wire, &ATTRIBUTES, SEQUENCE, |wire| BER.string(wire, OCTET_STRING, &ATTRIBUTE_NAME).map(drop))
}

/// Dissects a list, below the number of its elements.
fn counted(wire: &mut Wire<'_>, field: &'static Field, kind: u8, read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let list = BER.expected(wire, kind)?;
    let ahead = wire.ahead();
    let bytes = ahead.get(list.size..list.whole()).or_else(|| ahead.get(list.size..)).unwrap_or_default();
    let count = ber::Der { bytes, at: 0 }.count();
    wire.parent(field, Value::Unsigned(count as u64), |wire| BER.inside(wire, kind, |wire| wire.each(read)))
}

/// Longest filter in a summary.
const SHOWN: usize = 200;

/// Adds a part of a filter to its text (RFC 4515).
fn say(words: &mut String, part: &[u8]) {
    if words.len() < SHOWN {
        words.push_str(&String::from_utf8_lossy(part.get(..SHOWN).unwrap_or(part)));
    }
}

fn filter(wire: &mut Wire<'_>, field: &'static Field, words: &mut String) -> Result {
    say(words, b"(");
    choice(wire, field, |wire, tag| match tag {
        0xa0 | 0xa1 => {
            let (mark, list, item): (&[u8], _, _) = if tag == 0xa0 { (b"&", &AND, &AND_ITEM) } else { (b"|", &OR, &OR_ITEM) };
            say(words, mark);
            counted(wire, list, tag, |wire| filter(wire, item, words))
        }
        0xa2 => {
            say(words, b"!");
            BER.inside(wire, tag, |wire| filter(wire, &NOT, words))
        }
        0xa3 | 0xa5 | 0xa6 | 0xa8 => BER.inside(wire, tag, |wire| {
            let (name, value) = comparison(wire)?;
            say(words, name);
            say(
                words,
                match tag {
                    0xa5 => b">=",
                    0xa6 => b"<=",
                    0xa8 => b"~=",
                    _ => b"=",
                },
            );
            say(words, value);
            Ok(())
        }),
        0xa4 => BER.inside(wire, tag, |wire| substrings(wire, words)),
        0x87 => {
            say(words, BER.string(wire, tag, &PRESENT)?);
            say(words, b"=*");
            Ok(())
        }
        0xa9 => BER.inside(wire, tag, |wire| matching_rule(wire, words)),
        _ => BER.unexpected(wire, "a filter"),
    })?;
    say(words, b")");
    Ok(())
}

fn comparison<'a>(wire: &mut Wire<'a>) -> Result<(&'a [u8], &'a [u8])> {
    let name = BER.string(wire, OCTET_STRING, &DESCRIPTION)?;
    Ok((name, BER.string(wire, OCTET_STRING, &ASSERTION)?))
}

fn substrings(wire: &mut Wire<'_>, words: &mut String) -> Result {
    say(words, BER.string(wire, OCTET_STRING, &TYPE)?);
    say(words, b"=");
    BER.inside(wire, SEQUENCE, |wire| {
        while let Some(tag) = wire.peek_u8() {
            let field = match tag {
                0x80 => &INITIAL,
                0x81 => &ANY,
                _ => &FINAL,
            };
            say(words, if tag == 0x80 { b"" } else { b"*" });
            say(words, BER.string(wire, tag, field)?);
            if wire.remaining() == 0 && tag != 0x82 {
                say(words, b"*");
            }
        }
        Ok(())
    })
}

/// Dissects an extensible match: rule, attribute, value, and whether names count as attributes.
fn matching_rule(wire: &mut Wire<'_>, words: &mut String) -> Result {
    while let Some(kind) = wire.peek_u8() {
        match kind {
            0x81 => {
                BER.string(wire, kind, &RULE)?;
            }
            0x82 => say(words, BER.string(wire, kind, &TYPE)?),
            0x83 => {
                say(words, b":=");
                say(words, BER.string(wire, kind, &MATCH_VALUE)?);
            }
            _ => BER.boolean(wire, 0x84, &DN_ATTRIBUTES)?,
        }
    }
    Ok(())
}

/// Dissects a name and attributes with their values.
fn entry(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    named(wire, OCTET_STRING, field)?;
    counted(wire, &ATTRIBUTES, SEQUENCE, |wire| wire.group(&ATTRIBUTE, |wire| BER.inside(wire, SEQUENCE, attribute)))
}

fn attribute(wire: &mut Wire<'_>) -> Result {
    let name = BER.string(wire, OCTET_STRING, &TYPE)?;
    let names = [&b"userPassword"[..], b"unicodePwd", b"olcRootPW", b"sambaNTPassword"];
    let is_secret = names.iter().any(|secret| name.eq_ignore_ascii_case(secret));
    let value = if is_secret { &SECRET_VALUE } else { &VALUE };
    counted(wire, &VALUES, SET, |wire| BER.string(wire, OCTET_STRING, value).map(drop))
}

fn modify(wire: &mut Wire<'_>) -> Result {
    named(wire, OCTET_STRING, &MODIFIED)?;
    BER.inside(wire, SEQUENCE, |wire| {
        wire.groups(&MODIFICATION, |wire| {
            BER.inside(wire, SEQUENCE, |wire| {
                BER.signed(wire, ENUMERATED, &MODIFY)?;
                BER.inside(wire, SEQUENCE, attribute)
            })
        })
    })
}

/// Dissects a result. Returns its code.
fn result(wire: &mut Wire<'_>) -> Result<i64> {
    let code = BER.signed(wire, ENUMERATED, &RESULT)?;
    BER.string(wire, OCTET_STRING, &MATCHED)?;
    let words = BER.string(wire, OCTET_STRING, &ERROR)?;
    let name = name_of(RESULTS, code.cast_unsigned()).unwrap_or("unknown result");
    match words {
        [] => wire.info(format_args!("{name}")),
        words => wire.info(format_args!("{name}: {}", String::from_utf8_lossy(words))),
    }
    BER.optional(wire, 0xa3, |wire| wire.each(|wire| BER.string(wire, OCTET_STRING, &URL)))?;
    optional_strings(wire, &[(0x87, &SERVER_CREDENTIALS), (0x8a, &RESPONSE_NAME), (0x8b, &RESPONSE_VALUE)])?;
    Ok(code)
}

fn control(wire: &mut Wire<'_>) -> Result {
    BER.inside(wire, SEQUENCE, |wire| {
        BER.string(wire, OCTET_STRING, &CONTROL_TYPE)?;
        if wire.peek_u8() == Some(BOOLEAN) {
            BER.boolean(wire, BOOLEAN, &CRITICAL)?;
        }
        optional_strings(wire, &[(OCTET_STRING, &CONTROL_VALUE)])
    })
}
