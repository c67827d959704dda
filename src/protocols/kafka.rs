//! Kafka: headers of requests and responses.
//!
//! ```text
//! request     length:4 | API key:2 | API version:2 | correlation ID:4 | length:2, -1 is null | client ID | body
//! response    length:4 | correlation ID:4 | body
//! versions    error:2 | count:4 | (key:2 | first version:2 | last version:2) …     response to ApiVersions 0 to 2
//! ```
//! A broker without the requested version of ApiVersions responds in version 0, with error 35.
//! A response states no API; the request with its correlation ID does. Source: the protocol guide of Apache Kafka.
//!
//! Not covered: bodies of requests and other responses.

use super::prefixed::{Lost, Prefix};
use crate::limits;
use crate::tree::{Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Requests, Result, Resumption, Verdict, Wire};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol = Protocol::new(&KAFKA, FIELDS)
    .found(&[
        On::Tcp(9092).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(9092).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    KAFKA = protocol("kafka", "Kafka", "Kafka protocol")
        .covers("Headers, supported versions; responses matched with their requests")
        .leaves_open("Bodies of requests and responses");
    LENGTH = number("kafka.len", "Length", "In bytes, itself not included").once();
    REQUEST_KEY = number("kafka.request_key", "API Key", "").names(KEYS).once();
    RESPONSE_KEY = number("kafka.response_key", "API Key", "Of the request").names(KEYS).once();
    REQUEST_VERSION = number("kafka.request.version", "API Version", "").once();
    RESPONSE_VERSION = number("kafka.response.version", "API Version", "Of the request").once();
    CORRELATION = number("kafka.correlation_id", "Correlation ID", "Copied into the response").once();
    CLIENT_LENGTH = number("kafka.client_id_len", "Client ID length", "In bytes; -1 is null").once();
    CLIENT = text("kafka.client_id", "Client ID", "").once();
    RESPONSE_TO = number("kafka.request_frame", "Request Frame", "").once();
    TIME = float("kafka.time", "Time", "Seconds since the request").seconds().once();
    ERROR = number("kafka.error", "Error", "").names(ERRORS).once();
    COUNT = number("kafka.array_count", "Array Count", "").once();
    VERSIONS = group("kafka.api_versions", "API Version", "");
    VERSIONS_KEY = number("kafka.api_versions.api_key", "API Key", "").names(KEYS);
    VERSIONS_FIRST = number("kafka.api_versions.min_version", "Min Version", "");
    VERSIONS_LAST = number("kafka.api_versions.max_version", "Max Version", "");
    CREDENTIALS = bytes("kafka.sasl_auth_bytes", "SASL Authentication Bytes", "").secret().once();
    DATA = bytes("kafka.data", "Data", "Undissected bytes");
}

const KEYS: Names = &[
    (0, "Produce"),
    (1, "Fetch"),
    (2, "Offsets"),
    (3, "Metadata"),
    (4, "Leader and ISR"),
    (5, "Stop replica"),
    (6, "Update metadata"),
    (7, "Controlled shutdown"),
    (8, "Offset commit"),
    (9, "Offset fetch"),
    (10, "Find coordinator"),
    (11, "Join group"),
    (12, "Heartbeat"),
    (13, "Leave group"),
    (14, "Sync group"),
    (15, "Describe groups"),
    (16, "List groups"),
    (17, "SASL handshake"),
    (18, "API versions"),
    (19, "Create topics"),
    (20, "Delete topics"),
    (21, "Delete records"),
    (22, "Init producer ID"),
    (23, "Offset for leader epoch"),
    (24, "Add partitions to transaction"),
    (25, "Add offsets to transaction"),
    (26, "End transaction"),
    (27, "Write transaction markers"),
    (28, "Transactional offset commit"),
    (29, "Describe ACLs"),
    (30, "Create ACLs"),
    (31, "Delete ACLs"),
    (32, "Describe configs"),
    (33, "Alter configs"),
    (34, "Alter replica log directories"),
    (35, "Describe log directories"),
    (36, "SASL authenticate"),
    (37, "Create partitions"),
    (38, "Create delegation token"),
    (39, "Renew delegation token"),
    (40, "Expire delegation token"),
    (41, "Describe delegation token"),
    (42, "Delete groups"),
    (43, "Elect leaders"),
    (44, "Incremental alter configs"),
    (45, "Alter partition reassignments"),
    (46, "List partition reassignments"),
    (47, "Offset delete"),
    (48, "Describe client quotas"),
    (49, "Alter client quotas"),
    (50, "Describe user SCRAM credentials"),
    (51, "Alter user SCRAM credentials"),
    (52, "Vote"),
    (53, "Begin quorum epoch"),
    (54, "End quorum epoch"),
    (55, "Describe quorum"),
    (56, "Alter partition"),
    (57, "Update features"),
    (58, "Envelope"),
    (59, "Fetch snapshot"),
    (60, "Describe cluster"),
    (61, "Describe producers"),
    (62, "Broker registration"),
    (63, "Broker heartbeat"),
    (64, "Unregister broker"),
    (65, "Describe transactions"),
    (66, "List transactions"),
    (67, "Allocate producer IDs"),
    (68, "Consumer group heartbeat"),
    (69, "Consumer group describe"),
    (70, "Controller registration"),
    (71, "Get telemetry subscriptions"),
    (72, "Push telemetry"),
    (73, "Assign replicas to directories"),
    (74, "List configuration resources"),
    (75, "Describe topic partitions"),
    (76, "Share group heartbeat"),
    (77, "Share group describe"),
    (78, "Share fetch"),
    (79, "Share acknowledge"),
    (80, "Add Raft voter"),
    (81, "Remove Raft voter"),
    (82, "Update Raft voter"),
    (83, "Initialize share group state"),
    (84, "Read share group state"),
    (85, "Write share group state"),
    (86, "Delete share group state"),
    (87, "Read share group state summary"),
    (88, "Streams group heartbeat"),
    (89, "Streams group describe"),
    (90, "Describe share group offsets"),
    (91, "Alter share group offsets"),
    (92, "Delete share group offsets"),
];
const ERRORS: Names = &[(0, "No error"), (35, "Unsupported version")];

/// Error 35.
const UNSUPPORTED: [u8; 2] = [0, 35];
const HEARTBEAT: u16 = 12;
const SASL_HANDSHAKE: u16 = 17;
const API_VERSIONS: u16 = 18;
const SASL_AUTHENTICATE: u16 = 36;
const REQUEST: Prefix =
    Prefix { at: 0, little_endian: false, uncounted: 4, least: 14, is_header: is_request, may_be_odd: is_of_client };
const RESPONSE: Prefix =
    Prefix { at: 0, little_endian: false, uncounted: 4, least: 8, is_header: is_short, may_be_odd: |_| false };

/// Whether the length is plausible.
fn is_short(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|high| *high < 0x10)
}

/// Whether the available bytes match the header of a request.
fn is_request(bytes: &[u8]) -> bool {
    /// No API has had more versions.
    const VERSIONS: u8 = 24;
    let number = |at: usize| bytes.get(at..at + 2).and_then(|bytes| bytes.first_chunk()).map(|bytes| u16::from_be_bytes(*bytes));
    let is_known = number(4).is_none_or(|key| name_of(KEYS, key.into()).is_some());
    let fits = number(6).is_none_or(|version| version <= VERSIONS.into());
    let length = bytes.first_chunk().map_or(0, |length| u32::from_be_bytes(*length));
    is_short(bytes) && is_known && fits && number(12).is_none_or(|client| client == u16::MAX || u32::from(client) + 10 <= length)
}

/// Whether the client of a request has a readable name.
fn is_named(bytes: &[u8]) -> bool {
    let length = bytes.get(12..).and_then(|rest| rest.first_chunk()).map_or(0, |length| usize::from(u16::from_be_bytes(*length)));
    let name = bytes.get(14..).and_then(|rest| rest.get(..length));
    name.is_some_and(|name| length > 2 && length < 200 && name.iter().all(u8::is_ascii_graphic))
}

/// Whether the client of a request has no name, or a readable one.
fn is_of_client(bytes: &[u8]) -> bool {
    bytes.get(12..14) == Some(&[0xff; 2]) || is_named(bytes)
}

/// Whether all bytes of a request without a readable client are available.
fn is_whole(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk().and_then(|length| usize::try_from(u32::from_be_bytes(*length)).ok());
    length.is_some_and(|length| bytes.len() - 4 >= length)
}

/// Recognizes a request whose client has a readable name.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| {
        let bytes = opening.of(*side);
        is_named(bytes) && REQUEST.is_chain(bytes)
    };
    Side::BOTH.into_iter().find(begins).map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

/// Recognizes a request on its port: a whole one, or one whose client has a readable name. The start of many other
/// protocols, such as a SETTINGS frame of HTTP/2, fits the start of a long request without a client.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| opening.of(*side).len() >= REQUEST.least && REQUEST.is_chain(opening.of(*side));
    let is_request = |side: &Side| begins(side) && (is_named(opening.of(*side)) || is_whole(opening.of(*side)));
    match Side::BOTH.into_iter().find(is_request) {
        Some(client) => Verdict::Yes(client.other()),
        None if opening.complete => Verdict::No,
        None if Side::BOTH.iter().any(begins) || opening.sent.iter().all(|bytes| bytes.len() < REQUEST.least) => Verdict::Unsure,
        None => Verdict::No,
    }
}

/// Recognizes complete requests of an unknown API or version.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    REQUEST.odd_messages(opening, Side::other)
}

/// Properties of a request that its response needs.
struct Asked {
    id: u32,
    key: u16,
    version: u16,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    requests: Requests<u32>,
    asked: VecDeque<Asked>,
    lost: Lost,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if from == Side::Client {
            return self.lost.extent(from, ahead, more, &REQUEST);
        }
        RESPONSE.extent(ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if from == Side::Client {
            REQUEST.note_odd(wire);
        }
        wire.u32_be(&LENGTH)?;
        match from {
            Side::Client => self.request(wire),
            Side::Server => self.response(wire),
        }
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost.note(from, missing);
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        if from == Side::Client {
            REQUEST.resumes_if(ahead, |bytes| is_named(bytes) || is_whole(bytes))
        } else {
            Resumption::Anywhere
        }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        from == Side::Client && ahead.get(4..6).is_none_or(|key| key == SASL_AUTHENTICATE.to_be_bytes())
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.asked.capacity() * size_of::<Asked>()
    }
}

fn key_name(key: u16) -> &'static str {
    name_of(KEYS, key.into()).unwrap_or("unknown API")
}

impl Session {
    fn request(&mut self, wire: &mut Wire<'_>) -> Result {
        let key = wire.u16_be(&REQUEST_KEY)?;
        let version = wire.u16_be(&REQUEST_VERSION)?;
        let id = wire.u32_be(&CORRELATION)?;
        wire.name(&format!("{} request", key_name(key)));
        let most = limits::REQUESTS.get();
        let evicted = if self.asked.len() >= most { self.asked.pop_front() } else { None };
        self.asked.push_back(Asked { id, key, version });
        self.requests.ask(id, wire);
        // Other evictions have the note of `Requests`, which keeps one request of each number.
        if evicted.is_some_and(|asked| self.requests.has(&asked.id)) {
            wire.evicted(format_args!("the oldest of more than {most} requests"));
        }
        let length = wire.i16_be(&CLIENT_LENGTH)?;
        let client = match usize::try_from(length) {
            Ok(length @ 1..) => String::from_utf8_lossy(wire.text(&CLIENT, length)?).into_owned(),
            _ => String::new(),
        };
        wire.info(format_args!("{id} v{version} {client}"));
        wire.rest_is(if key == SASL_AUTHENTICATE { &CREDENTIALS } else { &DATA })
    }

    fn response(&mut self, wire: &mut Wire<'_>) -> Result {
        let id = wire.u32_be(&CORRELATION)?;
        if let Some(request) = self.requests.answer(&id) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        let place = self.asked.iter().position(|asked| asked.id == id);
        let Some(Asked { key, version, .. }) = place.and_then(|place| self.asked.remove(place)) else {
            wire.name("response");
            wire.info(format_args!("{id}"));
            return wire.rest_is(&DATA);
        };
        wire.add(&RESPONSE_KEY, Value::Unsigned(key.into()));
        wire.add(&RESPONSE_VERSION, Value::Unsigned(version.into()));
        wire.name(&format!("{} response", key_name(key)));
        wire.info(format_args!("{id} v{version}"));
        match (key, version) {
            (API_VERSIONS, 0..3) => return versions(wire),
            (API_VERSIONS, _) if wire.ahead().starts_with(&UNSUPPORTED) => return versions(wire),
            (API_VERSIONS, _) | (HEARTBEAT, 0) | (SASL_HANDSHAKE | SASL_AUTHENTICATE, 0 | 1) => drop(wire.u16_be(&ERROR)?),
            _ => {}
        }
        wire.rest_is(&DATA)
    }
}

fn versions(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&ERROR)?;
    for _ in 0..wire.u32_be(&COUNT)? {
        wire.group(&VERSIONS, |wire| {
            wire.u16_be(&VERSIONS_KEY)?;
            wire.u16_be(&VERSIONS_FIRST)?;
            wire.u16_be(&VERSIONS_LAST).map(drop)
        })?;
    }
    wire.rest_is(&DATA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Client, b"\0\0\0\x0e\0\x12\0\0\0\0\0\x07\0\x04anna"),
        (Side::Server, b"\0\0\0\x10\0\0\0\x07\0\0\0\0\0\x01\0\x03\0\0\0\x09"),
        (Side::Client, b"\0\0\0\x0e\0\x03\0\x01\0\0\0\x08\xff\xff\0\0\0\0"),
        (Side::Server, b"\0\0\0\x06\0\0\0\x08ab"),
        (Side::Client, b"\0\0\0\x15\0\x24\0\0\0\0\0\x09\xff\xff\0\0\0\x07\0anna\0p"),
        (Side::Server, b"\0\0\0\x06\0\0\0\x63ab"),
    ];

    #[test]
    fn requests_and_responses_are_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        kafka 0..18 | API versions request | 7 v0 anna
          0..4 kafka.len = 14
          4..6 kafka.request_key = 18 (API versions)
          6..8 kafka.request.version = 0
          8..12 kafka.correlation_id = 7
          12..14 kafka.client_id_len = 4
          14..18 kafka.client_id = "anna"
        kafka 0..20 | API versions response | 7 v0
          0..4 kafka.len = 16
          4..8 kafka.correlation_id = 7
          kafka.request_frame = 0
          kafka.response_key = 18 (API versions)
          kafka.response.version = 0
          8..10 kafka.error = 0 (No error)
          10..14 kafka.array_count = 1
          14..20 kafka.api_versions
            14..16 kafka.api_versions.api_key = 3 (Metadata)
            16..18 kafka.api_versions.min_version = 0
            18..20 kafka.api_versions.max_version = 9
        kafka 0..18 | Metadata request | 8 v1 
          0..4 kafka.len = 14
          4..6 kafka.request_key = 3 (Metadata)
          6..8 kafka.request.version = 1
          8..12 kafka.correlation_id = 8
          12..14 kafka.client_id_len = -1
          14..18 kafka.data = 00000000
        kafka 0..10 | Metadata response | 8 v1
          0..4 kafka.len = 6
          4..8 kafka.correlation_id = 8
          kafka.request_frame = 0
          kafka.response_key = 3 (Metadata)
          kafka.response.version = 1
          8..10 kafka.data = 6162
        kafka 0..25 | SASL authenticate request | 9 v0 
          0..4 kafka.len = 21
          4..6 kafka.request_key = 36 (SASL authenticate)
          6..8 kafka.request.version = 0
          8..12 kafka.correlation_id = 9
          12..14 kafka.client_id_len = -1
          14..25 kafka.sasl_auth_bytes = 0000000700616e6e610070
        kafka 0..10 | response | 99
          0..4 kafka.len = 6
          4..8 kafka.correlation_id = 99
          8..10 kafka.data = 6162
        "#);
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn a_refusal_of_newer_versions_is_in_version_0() {
        const TALK: &[(Side, &[u8])] = &[
            (Side::Client, b"\0\0\0\x0f\0\x12\0\x03\0\0\0\x07\0\x04anna\0"),
            (Side::Server, b"\0\0\0\x10\0\0\0\x07\0\x23\0\0\0\x01\0\x12\0\0\0\x02"),
            (Side::Client, b"\0\0\0\x0f\0\x47\0\0\0\0\0\x08\0\x04anna\0"),
        ];
        let mut session = Session::default();
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut session, TALK), @r#"
        kafka 0..19 | API versions request | 7 v3 anna
          0..4 kafka.len = 15
          4..6 kafka.request_key = 18 (API versions)
          6..8 kafka.request.version = 3
          8..12 kafka.correlation_id = 7
          12..14 kafka.client_id_len = 4
          14..18 kafka.client_id = "anna"
          18..19 kafka.data = 00
        kafka 0..20 | API versions response | 7 v3
          0..4 kafka.len = 16
          4..8 kafka.correlation_id = 7
          kafka.request_frame = 0
          kafka.response_key = 18 (API versions)
          kafka.response.version = 3
          8..10 kafka.error = 35 (Unsupported version)
          10..14 kafka.array_count = 1
          14..20 kafka.api_versions
            14..16 kafka.api_versions.api_key = 18 (API versions)
            16..18 kafka.api_versions.min_version = 0
            18..20 kafka.api_versions.max_version = 2
        kafka 0..19 | Get telemetry subscriptions request | 8 v0 anna
          0..4 kafka.len = 15
          4..6 kafka.request_key = 71 (Get telemetry subscriptions)
          6..8 kafka.request.version = 0
          8..12 kafka.correlation_id = 8
          12..14 kafka.client_id_len = 4
          14..18 kafka.client_id = "anna"
          18..19 kafka.data = 00
        "#);
        assert_eq!(session.extent(Side::Client, TALK[2].1, false), Extent::Message(19));
    }

    #[test]
    fn streams_are_recognized_by_a_request() {
        let judge = |client: &[u8], complete| {
            let opening = Opening { sent: [client, b""], from_start: [true; 2], complete };
            (anywhere(&opening), on_port(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(judge(TALK[0].1, true), (yes, yes));
        assert_eq!(judge(TALK[2].1, true), (no, yes));
        assert_eq!(judge(b"\0\0\0\x0e\0\x12", false), (no, Verdict::Unsure));
        assert_eq!(judge(b"GET / HTTP/1.1\r\n\r\n", true), (no, no));
        let without_client = b"\0\0\0\x0c\0\x12\0\0\0\0\0\x07\xff\xffab";
        assert_eq!(judge(without_client, true), (no, yes));
        assert_eq!(judge(&without_client[..15], false), (no, Verdict::Unsure));
        assert_eq!(judge(&without_client[..15], true), (no, no));
        let settings = b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\xa0\0\0\0\x02\0\0\0\0";
        assert_eq!(judge(settings, true), (no, no));
    }

    #[test]
    fn a_forgotten_request_is_noted_once() {
        let notes = |number: fn(usize) -> usize| {
            let mut session = Session::default();
            let mut ask = |place: usize| {
                let id = u32::try_from(number(place)).unwrap_or_default().to_be_bytes();
                let request = [&b"\0\0\0\x0a\0\x12\0\0"[..], &id, b"\xff\xff"].concat();
                trees_of(&PROTOCOL, &mut session, &[(Side::Client, &request)]).matches("! info dissect.evicted").count()
            };
            let most = limits::REQUESTS.get();
            let before: usize = (0..most).map(&mut ask).sum();
            [before, ask(most)]
        };
        assert_eq!(notes(|place| place), [0, 1]);
        assert_eq!(notes(|_| 7), [0, 1]);
    }
}
