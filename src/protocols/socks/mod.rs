//! SOCKS 4, 4A and 5 (RFC 1928, RFC 1929, RFC 1961): a proxy for TCP connections and UDP datagrams.
//!
//! Numbers are big-endian.
//!
//! ```text
//! 4   request       4 | command:1 | port:2 | address:4 | user ID, NUL | name, NUL, if the address is 0.0.0.x (4A)
//!     reply         0 | result:1 | port:2 | address:4
//! 5   methods       5 | count:1 | method:1 …
//!     method        5 | method:1, ff for none
//!     login         1 | length:1 | user name | length:1 | password           method 2
//!     status        1 | status:1
//!     GSSAPI        1 | type:1 | length:2 | token                            method 1; type ff has no more
//!     request       5 | command:1 | 0 | type:1 | address | port:2
//!     reply         5 | result:1 | 0 | type:1 | address | port:2             after BIND two of them
//!     datagram      0:2 | fragment:1 | type:1 | address | port:2 | payload
//!     address       type 1: 4 bytes; type 3: length:1 | name; type 4: 16 bytes
//! ```
//! After a reply that grants the request, the stream belongs to the protocol that it carries. Each of its segments repeats the
//! request in a layer without bytes.
//!
//! Not covered: GSSAPI tokens and what they protect, fragmented datagrams.

mod heuristics;

use super::dns;
use crate::tree::{BySide, Field, Names, Side, Span, Transport, Value, fields, name_of};
use crate::wire::statistics::LoginFields;
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, Next, On, Protocol, Result, Resumption, Wire};
use std::net::{IpAddr, SocketAddr};

pub static PROTOCOL: Protocol = Protocol::new(&SOCKS, FIELDS)
    .found(&[
        On::Tcp(1080).stream::<Session>(Heuristic::Stream(heuristics::on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(heuristics::anywhere)),
        On::Tcp(1080).stream::<Session>(Heuristic::Stream(heuristics::is_likely)).by_port(),
        On::Over(RELAY).datagram(Heuristic::Datagram(is_datagram), datagram),
    ])
    .rest(&DATA);

/// The place of datagrams to and from a relay that a reply announced.
const RELAY: &str = "socks";

/// The place of a relayed datagram's payload, where its port names no protocol.
const RELAYED: &str = "socks.payload";

pub static LOGIN: LoginFields = LoginFields::plain(["socks", "SOCKS", "socks.username"], &["socks.password"]);

fields! {
    SOCKS = protocol("socks", "SOCKS", "SOCKS protocol")
        .covers("Requests, logins and replies of versions 4, 4A and 5; the relayed protocols; datagrams of the relay")
        .leaves_open("GSSAPI tokens and fragmented datagrams");
    VERSION = number("socks.version", "version", "").once();
    COMMAND = number("socks.command", "command", "").names(COMMANDS).once();
    DST = ipv4("socks.dst", "remote address", "").once();
    DST_V6 = ipv6("socks.dstV6", "remote address (IPv6)", "").once();
    DST_PORT = number("socks.dstport", "remote port", "").once();
    REMOTE_NAME = text("socks.remote_name", "remote name", "").once();
    NAME_V4A = text("socks.v4a_dns_name", "remote domain name", "Name that a SOCKS 4A server resolves").once();
    USER = text("socks.username", "user name", "").once();
    PASSWORD = text("socks.password", "password", "").secret().once();
    RESULTS = number("socks.results", "result", "").names(RESULT_NAMES).once();
    METHOD_COUNT = number("socks.auth_method_count", "authentication method count", "").once();
    METHOD = number("socks.auth_method", "method", "Authentication method of the client").names(METHODS);
    ACCEPTED = number("socks.auth_accepted_method", "accepted method", "Authentication method that the server chose").names(METHODS).once();
    SUBNEGOTIATION = number("socks.subnegotiation_version", "subnegotiation version", "").once();
    STATUS = number("socks.auth_status", "status", "0 if the login was accepted").once();
    RESERVED = number("socks.reserved", "reserved", "Zeros").once();
    ADDRESS_TYPE = number("socks.address_type", "address type", "").names(ADDRESS_TYPES).once();
    NAME_LENGTH = number("socks.remote_name_length", "name length", "In bytes").once();
    USER_LENGTH = number("socks.username_length", "user name length", "In bytes").once();
    PASSWORD_LENGTH = number("socks.password_length", "password length", "In bytes").once();
    PORT = number("socks.port", "port", "").once();
    REMOTE_HOST_PORT = number("socks.remote_host_port", "remote host port", "Port of the connection that came for BIND").once();
    FRAGMENT = number("socks.fragment_number", "fragment number", "0 for a whole datagram").once();
    GSSAPI_COMMAND = number("socks.gssapi.command", "GSSAPI command", "").names(GSSAPI_COMMANDS).once();
    GSSAPI_LENGTH = number("socks.gssapi.length", "GSSAPI length", "In bytes").once();
    GSSAPI_DATA = bytes("socks.gssapi.data", "GSSAPI data", "").encrypted().once();
    DATA = bytes("socks.data", "data", "Undissected bytes");
    UNKNOWN_ADDRESS = odd("socks.address_unknown", "unknown address type", "Address type that is not assigned");
}

const COMMANDS: Names = &[(1, "Connect"), (2, "Bind"), (3, "UdpAssociate"), (128, "Ping"), (129, "Traceroute")];
const METHODS: Names =
    &[(0, "No authentication"), (1, "GSSAPI"), (2, "Username/Password"), (3, "CHAP"), (0xff, "No acceptable methods")];
const ADDRESS_TYPES: Names = &[(1, "IPv4"), (3, "Domain Name"), (4, "IPv6")];
const GSSAPI_COMMANDS: Names = &[(1, "Authentication"), (255, "Failure")];
const RESULT_NAMES: Names = &[
    (0, "Succeeded"),
    (1, "General SOCKS server failure"),
    (2, "Connection not allowed by ruleset"),
    (3, "Network unreachable"),
    (4, "Host unreachable"),
    (5, "Connection refused"),
    (6, "TTL expired"),
    (7, "Command not supported"),
    (8, "Address type not supported"),
    (90, "Granted"),
    (91, "Rejected or Failed"),
    (92, "Rejected because SOCKS server cannot connect to identd on the client"),
    (93, "Rejected because the client program and identd report different user-ids"),
];

const V4: u8 = 4;
const V5: u8 = 5;
/// Version of the login and of GSSAPI messages.
const SUBNEGOTIATION_V1: u8 = 1;
/// First byte of a reply of version 4.
const V4_REPLY: u8 = 0;
const V4_REPLY_SIZE: usize = 8;
/// Results of version 4.
const V4_RESULTS: std::ops::RangeInclusive<u8> = 90..=93;
const GRANTED: u8 = 90;

const GSSAPI: u8 = 1;
const CHAP: u8 = 3;
/// Methods from here to 0xfe are private.
const PRIVATE: u8 = 0x80;
const NO_METHOD: u8 = 0xff;

const CONNECT: u8 = 1;
const BIND: u8 = 2;
const UDP_ASSOCIATE: u8 = 3;

const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// Largest user ID and name of version 4 in bytes.
const TEXT_MAX: usize = 512;
/// Bytes that a client may send before the reply to its request.
const EARLY_MAX: usize = 256 << 10;

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Messages of each side so far.
    messages: BySide<u32>,
    method: u8,
    request: Destination,
    /// The client has sent its request.
    asked: bool,
    /// Replies that have arrived.
    replies: u8,
    /// Bytes of unknown number are missing, or the request failed: what follows is data.
    ended: bool,
    next: Option<Next>,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    RequestV4,
    ReplyV4,
    Methods,
    Method,
    Login,
    Status,
    Gssapi,
    RequestV5,
    ReplyV5,
}

impl Session {
    /// The kind of the next message of a side.
    fn kind(&self, from: Side, first: u8) -> Option<Kind> {
        let is_first = self.messages[from] == 0;
        match (from, first) {
            _ if self.ended || from == Side::Client && self.asked => None,
            (Side::Client, V4) if is_first => Some(Kind::RequestV4),
            (Side::Client, V5) if is_first => Some(Kind::Methods),
            (Side::Client, V5) => Some(Kind::RequestV5),
            (Side::Server, V4_REPLY) => Some(Kind::ReplyV4),
            (Side::Server, V5) if is_first => Some(Kind::Method),
            (Side::Server, V5) => Some(Kind::ReplyV5),
            (_, SUBNEGOTIATION_V1) if self.method == GSSAPI => Some(Kind::Gssapi),
            (Side::Client, SUBNEGOTIATION_V1) => Some(Kind::Login),
            (Side::Server, SUBNEGOTIATION_V1) => Some(Kind::Status),
            _ => None,
        }
    }

    /// Takes note of a reply: what follows, and whether anything does.
    fn replied(&mut self, is_granted: bool) {
        self.replies = self.replies.saturating_add(1);
        let is_last = self.request.command != BIND || self.replies > 1;
        match (is_granted, is_last && self.request.command != UDP_ASSOCIATE) {
            (false, _) => self.ended = true,
            (true, true) => self.next = Some(self.relayed()),
            (true, false) => {}
        }
    }

    fn relayed(&self) -> Next {
        let request = self.request;
        Next::Relayed(&PROTOCOL, Box::new(move |wire| request.write(wire)))
    }
}

/// What a client has requested.
#[derive(Debug, Default, Clone, Copy)]
struct Destination {
    version: u8,
    command: u8,
    ip: Option<IpAddr>,
    port: u16,
}

impl Destination {
    /// Adds the request to the layer of a relayed segment.
    fn write(self, wire: &mut Wire<'_>) {
        wire.name("relayed");
        wire.add(&VERSION, Value::Unsigned(self.version.into()));
        wire.add(&COMMAND, Value::Unsigned(self.command.into()));
        match self.ip {
            Some(IpAddr::V4(ip)) => drop(wire.add(&DST, Value::Unsigned(u32::from(ip).into()))),
            Some(IpAddr::V6(ip)) if wire.keeps(&DST_V6) => {
                let source = wire.derive("requested", None, &ip.octets());
                wire.add(&DST_V6, Value::At(Span::new(source, 0..16)));
            }
            Some(IpAddr::V6(_)) | None => {}
        }
        wire.add(&DST_PORT, Value::Unsigned(self.port.into()));
    }
}

/// Size of a message. An error is the number of bytes that are needed to know it.
fn size(kind: Kind, bytes: &[u8]) -> std::result::Result<usize, usize> {
    let byte = |at: usize| bytes.get(at).copied().map(usize::from).ok_or(at + 1);
    match kind {
        Kind::ReplyV4 => Ok(V4_REPLY_SIZE),
        Kind::Method | Kind::Status => Ok(2),
        Kind::Methods => Ok(2 + byte(1)?),
        Kind::Login => {
            let user = byte(1)?;
            Ok(3 + user + byte(2 + user)?)
        }
        Kind::Gssapi if bytes.get(1) == Some(&u8::MAX) => Ok(2),
        Kind::Gssapi => Ok(4 + (byte(2)? << 8 | byte(3)?)),
        Kind::RequestV5 | Kind::ReplyV5 => match *bytes.get(3).ok_or(4_usize)? {
            IPV6 => Ok(22),
            NAME => Ok(7 + byte(4)?),
            _ => Ok(10),
        },
        Kind::RequestV4 => {
            let end = |from: usize| {
                let text = bytes.get(from..).unwrap_or_default();
                memchr::memchr(0, text).map(|length| from + length + 1).ok_or(bytes.len().max(from) + 1)
            };
            let user = end(V4_REPLY_SIZE)?;
            if is_v4a(bytes) { end(user) } else { Ok(user) }
        }
    }
}

/// Whether a request of version 4 has a name in place of its address.
fn is_v4a(request: &[u8]) -> bool {
    matches!(request.get(4..8), Some([0, 0, 0, last]) if *last != 0)
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(kind) = ahead.first().and_then(|first| self.kind(from, *first)) else {
            // A client need not wait for the reply; the bytes belong to the protocol behind it.
            let is_early = from == Side::Client && self.asked && !self.ended && self.request.command != UDP_ASSOCIATE;
            let waits = is_early && more && ahead.len() < EARLY_MAX;
            return if waits { Extent::NeedMore(ahead.len() + 1) } else { Extent::Unknown(ahead.len()) };
        };
        match size(kind, ahead) {
            Ok(size) => Extent::Message(size),
            Err(_) if kind == Kind::RequestV4 && ahead.len() > V4_REPLY_SIZE + 2 * TEXT_MAX => Extent::Unknown(ahead.len()),
            Err(needed) => Extent::NeedMore(needed),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let Some(kind) = wire.peek_u8().and_then(|first| self.kind(from, first)) else { return wire.rest_is(&DATA) };
        self.messages[from] += 1;
        match kind {
            Kind::RequestV4 | Kind::RequestV5 => self.asked = true,
            Kind::Login | Kind::Status | Kind::Gssapi => drop(wire.add(&VERSION, Value::Unsigned(V5.into()))),
            _ => {}
        }
        match kind {
            Kind::RequestV4 => self.request_v4(wire),
            Kind::ReplyV4 => self.reply_v4(wire),
            Kind::Methods => methods(wire),
            Kind::Method => self.chosen(wire),
            Kind::Login => login(wire),
            Kind::Status => self.status(wire),
            Kind::Gssapi => gssapi(wire),
            Kind::RequestV5 => self.request_v5(wire),
            Kind::ReplyV5 => self.reply_v5(wire),
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        // Messages have no common start. The first byte of a direction that is captured from its start is one.
        match from {
            Side::Client if !self.asked && (self.ended || ahead.is_empty()) => Resumption::Beyond(ahead.len()),
            _ => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, from: Side, _: &[u8]) -> bool {
        from == Side::Client && !self.asked && !self.ended
    }

    fn gap(&mut self, _: Side, missing: Missing) {
        self.ended |= !missing.in_step;
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

impl Session {
    fn request_v4(&mut self, wire: &mut Wire<'_>) -> Result {
        let is_named = is_v4a(wire.ahead());
        self.request.version = wire.u8(&VERSION)?;
        self.request.command = wire.u8(&COMMAND)?;
        wire.name(name_of(COMMANDS, self.request.command.into()).unwrap_or("request"));
        let port = wire.u16_be(&DST_PORT)?;
        let address = wire.bytes(&DST, 4)?;
        (self.request.ip, self.request.port) = (ip(address), port);
        wire.text_nul(&USER)?;
        if is_named {
            let name = String::from_utf8_lossy(wire.text_nul(&NAME_V4A)?);
            wire.info(format_args!("{name}:{port}"));
        } else {
            summarize(wire, address, port);
        }
        Ok(())
    }

    fn reply_v4(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.u8(&VERSION)?;
        let result = wire.u8(&RESULTS)?;
        wire.name("reply");
        wire.info(format_args!("{}", result_name(result)));
        self.replied(result == GRANTED);
        wire.u16_be(&DST_PORT)?;
        wire.bytes(&DST, 4).map(drop)
    }

    fn chosen(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.u8(&VERSION)?;
        self.method = wire.u8(&ACCEPTED)?;
        self.ended |= self.method == NO_METHOD;
        wire.name("method");
        wire.info(format_args!("{}", name_of(METHODS, self.method.into()).unwrap_or("private method")));
        Ok(())
    }

    fn status(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.u8(&SUBNEGOTIATION)?;
        let status = wire.u8(&STATUS)?;
        self.ended |= status != 0;
        wire.name("login status");
        wire.info(format_args!("{}", if status == 0 { "accepted" } else { "refused" }));
        Ok(())
    }

    fn request_v5(&mut self, wire: &mut Wire<'_>) -> Result {
        self.request.version = wire.u8(&VERSION)?;
        self.request.command = wire.u8(&COMMAND)?;
        wire.name(name_of(COMMANDS, self.request.command.into()).unwrap_or("request"));
        wire.u8(&RESERVED)?;
        let (address, port) = address(wire, &PORT)?;
        (self.request.ip, self.request.port) = (ip(address), port);
        summarize(wire, address, port);
        Ok(())
    }

    fn reply_v5(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.u8(&VERSION)?;
        let result = wire.u8(&RESULTS)?;
        wire.name("reply");
        wire.info(format_args!("{}", result_name(result)));
        self.replied(result == 0);
        wire.u8(&RESERVED)?;
        let is_second = self.request.command == BIND && self.replies > 1;
        let (address, port) = address(wire, if is_second { &REMOTE_HOST_PORT } else { &PORT })?;
        if self.request.command == UDP_ASSOCIATE && result == 0 {
            // An address of zeros is that of the server.
            let given = ip(address).filter(|ip| !ip.is_unspecified());
            let server = wire.ends().map(|[server, _]| server.ip());
            if let Some(ip) = given.or(server) {
                wire.expect(Transport::Udp, SocketAddr::new(ip, port), RELAY);
            }
        }
        Ok(())
    }
}

fn result_name(result: u8) -> &'static str {
    name_of(RESULT_NAMES, result.into()).unwrap_or("unknown result")
}

fn methods(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION)?;
    wire.name("methods");
    let count = wire.u8(&METHOD_COUNT)?;
    for _ in 0..count {
        wire.u8(&METHOD)?;
    }
    Ok(())
}

fn login(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SUBNEGOTIATION)?;
    wire.name("login");
    let user = counted(wire, &USER_LENGTH, &USER)?;
    wire.info(format_args!("{}", String::from_utf8_lossy(user)));
    counted(wire, &PASSWORD_LENGTH, &PASSWORD).map(drop)
}

fn gssapi(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SUBNEGOTIATION)?;
    wire.name("GSSAPI");
    if wire.u8(&GSSAPI_COMMAND)? == u8::MAX {
        return Ok(());
    }
    let length = wire.u16_be(&GSSAPI_LENGTH)?;
    wire.bytes(&GSSAPI_DATA, length.into()).map(drop)
}

/// Dissects a text behind a byte with its length.
fn counted<'a>(wire: &mut Wire<'a>, length: &'static Field, text: &'static Field) -> Result<&'a [u8]> {
    let length = usize::from(wire.u8(length)?);
    // A truncated password is a secret as well.
    let there = wire.remaining().min(length);
    let bytes = wire.optional(text, there)?;
    if there < length { Err(Error::Short { needed: length - there }) } else { Ok(bytes) }
}

/// Dissects an address and a port of version 5.
fn address<'a>(wire: &mut Wire<'a>, port: &'static Field) -> Result<(&'a [u8], u16)> {
    let kind = wire.u8(&ADDRESS_TYPE)?;
    let address = match kind {
        IPV4 => wire.bytes(&DST, 4)?,
        IPV6 => wire.bytes(&DST_V6, 16)?,
        NAME => counted(wire, &NAME_LENGTH, &REMOTE_NAME)?,
        _ => return wire.malformed(&UNKNOWN_ADDRESS, format_args!("type {kind}")),
    };
    Ok((address, wire.u16_be(port)?))
}

fn ip(address: &[u8]) -> Option<IpAddr> {
    match address.len() {
        4 => address.first_chunk::<4>().map(|bytes| IpAddr::from(*bytes)),
        16 => address.first_chunk::<16>().map(|bytes| IpAddr::from(*bytes)),
        _ => None,
    }
}

fn summarize(wire: &mut Wire<'_>, address: &[u8], port: u16) {
    match ip(address) {
        Some(ip) => wire.info(format_args!("{}", SocketAddr::new(ip, port))),
        None => wire.info(format_args!("{}:{port}", String::from_utf8_lossy(address))),
    }
}

fn is_datagram(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, _, IPV4 | NAME | IPV6, ..])
}

fn datagram(wire: &mut Wire<'_>) -> Result {
    const DNS: u16 = 53;
    wire.name("datagram");
    wire.u16_be(&RESERVED)?;
    let fragment = wire.u8(&FRAGMENT)?;
    let (address, port) = address(wire, &DST_PORT)?;
    summarize(wire, address, port);
    let payload = wire.at()..wire.at() + wire.remaining();
    if !payload.is_empty() && fragment == 0 {
        wire.hand_over(if port == DNS { dns::OVER_HTTPS } else { RELAYED }, payload);
        return wire.skip(wire.remaining());
    }
    wire.rest_is(&DATA)
}

#[cfg(test)]
mod tests;
