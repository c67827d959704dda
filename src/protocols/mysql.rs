//! MySQL and MariaDB: handshake, and the switch to TLS.
//!
//! ```text
//! packet      length:3, little-endian | sequence number:1 | payload
//! greeting    10 | server version, NUL | thread ID:4 | salt | capabilities …
//! response    capabilities:4 | maximum packet:4 | charset:1 | zeros:23 | user, NUL …
//! ```
//! After a response of 32 bytes with CLIENT_SSL the stream is handed over to TLS.
//!
//! Not covered: commands and results, shown as payloads.

use crate::tree::{Side, fields};
use crate::wire::{Conversation, Extent, Heuristic, Next, On, Opening, Protocol, Result, Resumption, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&MYSQL, FIELDS)
    .found(&[
        On::Tcp(3306).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(3306).stream::<Session>(Heuristic::Stream(is_refusal)).by_port(),
        On::Tcp(3306).stream::<Session>(Heuristic::Stream(is_odd_greeting)).by_port(),
    ])
    .rest(&PAYLOAD);

fields! {
    MYSQL = protocol("mysql", "MySQL", "MySQL and MariaDB")
        .covers("The server greeting and the handshake response")
        .leaves_open("Commands and results, shown as payloads");
    LENGTH = number("mysql.packet_length", "packet length", "Bytes of the payload").once();
    NUMBER = number("mysql.packet_number", "packet number", "Sequence number within the command").once();
    PROTOCOL_VERSION = number("mysql.protocol", "protocol", "").once();
    VERSION = text("mysql.version", "version", "").once();
    THREAD = number("mysql.thread_id", "thread ID", "Connection ID at the server").once();
    SALT = bytes("mysql.salt", "salt", "Challenge of the authentication").once();
    CAPABILITIES = number("mysql.caps.client", "client capabilities", "Lower 16 bits").hex(4).once();
    TLS = bool("mysql.caps.sl", "switch to SSL after handshake", "CLIENT_SSL").mask(0x0800).once();
    EXTENDED = number("mysql.extcaps.client", "extended client capabilities", "Upper 16 bits").hex(4).once();
    LONGEST = number("mysql.max_packet", "maximum packet", "In bytes").once();
    CHARSET = number("mysql.charset", "charset", "Character set and collation of the client").once();
    UNUSED = bytes("mysql.unused", "unused", "Must be zero").once();
    USER = text("mysql.user", "username", "").once();
    PASSWORD_LENGTH = number("mysql.passwd.length", "password length", "In bytes").once();
    PASSWORD = bytes("mysql.passwd", "password", "Authentication response: a digest, or the password itself").secret().once();
    PAYLOAD = bytes("mysql.payload", "payload", "Payload without specific fields").once();
}

/// CLIENT_SSL capability flag.
const CLIENT_SSL: u8 = 0x08;

/// Size in bytes of a response that only requests TLS.
const TLS_REQUEST: usize = 32;

/// CLIENT_SECURE_CONNECTION capability flag: the authentication response has a length byte.
const CLIENT_SECURE_CONNECTION: u16 = 0x8000;

/// First bytes of an OK packet and an error packet.
const OK: u8 = 0;
const ERR: u8 = 0xff;

const HEADER: usize = 4;

/// Protocol version of server greetings.
const VERSION_10: u8 = 10;

/// Range of zeros in a handshake response; MariaDB uses the four bytes after it.
const ZEROS: std::ops::Range<usize> = 9..28;

/// Whether a payload is a handshake response.
fn is_login(payload: &[u8]) -> bool {
    payload.get(ZEROS).is_some_and(|zeros| zeros.iter().all(|byte| *byte == 0))
}

#[derive(Default)]
struct Session {
    greeting_seen: bool,
    response_seen: bool,
    /// An authentication response or more of it may follow, until the server accepts or rejects it.
    authenticating: bool,
    next: Option<Next>,
}

/// Recognizes a server greeting: sequence number 0, protocol version 10, numeric server version.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        let bytes = opening.of(side);
        if let Some(&[low, high, 0, 0, 10, digit]) = bytes.first_chunk::<6>() {
            let length = usize::from(u16::from_le_bytes([low, high]));
            let version = bytes.get(5..).and_then(|rest| rest.split(|byte| *byte == 0).next()).unwrap_or_default();
            let is_version = digit.is_ascii_digit() && version.iter().all(u8::is_ascii_graphic) && version.contains(&b'.');
            if is_version && (40..512).contains(&length) && bytes.len() <= length + HEADER {
                return Verdict::Yes(side);
            }
        }
    }
    Verdict::No
}

/// Whether bytes begin with a command or a handshake response.
fn is_request(bytes: &[u8]) -> bool {
    /// Commands are numbered from 0.
    const LAST_COMMAND: u8 = 0x1f;
    const QUERY: u8 = 3;
    let Some(&[low, middle, high, number, first]) = bytes.first_chunk() else { return false };
    let length = usize::try_from(u32::from_le_bytes([low, middle, high, 0])).unwrap_or(usize::MAX);
    let payload = bytes.get(HEADER..).unwrap_or_default();
    let ends = match payload.get(length..) {
        Some([]) => true,
        Some(next) => matches!(next, [_, _, _, 0, 1..=LAST_COMMAND, ..]),
        // A statement is long.
        None => first == QUERY && payload.get(1).is_some_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()),
    };
    match number {
        0 => length > 0 && (1..=LAST_COMMAND).contains(&first) && ends,
        1 | 2 => length >= TLS_REQUEST && is_login(payload),
        _ => false,
    }
}

/// Recognizes an error in place of a greeting, such as a blocked host, on the registered port.
fn is_refusal(opening: &Opening<'_>) -> Verdict {
    let refuses = |side: &Side| matches!(opening.of(*side), [low, high, 0, 0, 0xff, rest @ ..] if rest.len() + 1 == usize::from(u16::from_le_bytes([*low, *high])));
    Side::BOTH.into_iter().find(refuses).map_or(Verdict::No, Verdict::Yes)
}

/// Whether a payload begins like a greeting: a small number and the version of the server.
fn is_greeting(payload: &[u8]) -> bool {
    const LAST: u8 = 99;
    let Some((&(1..=LAST), behind)) = payload.split_first() else { return false };
    let version = memchr::memchr(0, behind).and_then(|end| behind.get(..end)).unwrap_or_default();
    !version.is_empty() && version.iter().all(u8::is_ascii_graphic)
}

/// Recognizes a complete greeting of another version.
fn is_odd_greeting(opening: &Opening<'_>) -> Verdict {
    let greets = |side: &Side| {
        let Some((&[low, middle, high, 0], payload)) = opening.of(*side).split_first_chunk::<HEADER>() else { return false };
        u32::from_le_bytes([low, middle, high, 0]) as usize == payload.len() && is_greeting(payload)
    };
    Side::BOTH.into_iter().find(greets).map_or(Verdict::No, Verdict::Yes)
}

/// Recognizes a stream on the MySQL port, also joined midway: complete packets with consecutive sequence numbers.
fn on_port(opening: &Opening<'_>) -> Verdict {
    let is_midway = |side: &Side| !opening.starts(*side) && is_chain(opening.of(*side));
    // The greeting is lost.
    let logs_in =
        |side: &Side| is_chain(opening.of(*side)) && matches!(opening.of(*side), [_, _, _, 1, payload @ ..] if is_login(payload));
    match recognize(opening) {
        Verdict::No if Side::BOTH.iter().any(is_midway) => Verdict::Yes(Side::Server),
        Verdict::No => Side::BOTH.into_iter().find(logs_in).map_or(Verdict::No, |client| Verdict::Yes(client.other())),
        verdict => verdict,
    }
}

fn is_chain(mut bytes: &[u8]) -> bool {
    let mut expected = None;
    while let Some(&[low, middle, high, number]) = bytes.first_chunk::<HEADER>() {
        let length = usize::try_from(u32::from_le_bytes([low, middle, high, 0])).unwrap_or(usize::MAX);
        let is_next = length > 0 && expected.is_none_or(|expected| number == expected || number == 0);
        let Some(rest) = bytes.get(HEADER + length..).filter(|_| is_next) else { return false };
        if rest.is_empty() {
            return true;
        }
        expected = Some(number.wrapping_add(1));
        bytes = rest;
    }
    false
}

impl Conversation for Session {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        let Some(&[low, middle, high, _]) = ahead.first_chunk::<HEADER>() else { return Extent::NeedMore(HEADER) };
        let length = usize::try_from(u32::from_le_bytes([low, middle, high, 0])).unwrap_or(usize::MAX);
        Extent::Message(length.saturating_add(HEADER))
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        if from == Side::Client { Resumption::search(ahead, HEADER, is_request) } else { Resumption::Anywhere }
    }

    fn may_hold_secret(&self, from: Side, _: &[u8]) -> bool {
        from == Side::Client && (!self.response_seen || self.authenticating)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let whole = wire.ahead();
        let length = whole.first_chunk::<3>().map_or(0, |&[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]));
        wire.put(&LENGTH, crate::tree::Value::Unsigned(length.into()), wire.at()..wire.at() + 3);
        wire.skip(3)?;
        let number = wire.u8(&NUMBER)?;
        match from {
            Side::Server
                if !self.greeting_seen && number == 0 && (wire.peek_u8() == Some(VERSION_10) || is_greeting(wire.ahead())) =>
            {
                self.greeting_seen = true;
                greeting(wire)?;
            }
            Side::Client if !self.response_seen && number > 0 && is_login(wire.ahead()) => {
                self.response_seen = true;
                let asks = wire.ahead().get(1).is_some_and(|byte| byte & CLIENT_SSL != 0);
                let only = wire.remaining() == TLS_REQUEST;
                let capabilities = wire.u16_le(&CAPABILITIES)?;
                wire.add(&TLS, crate::tree::Value::Bool(asks));
                wire.u16_le(&EXTENDED)?;
                wire.u32_le(&LONGEST)?;
                wire.u8(&CHARSET)?;
                wire.bytes(&UNUSED, 23)?;
                if asks && only {
                    wire.name("tls_request");
                    self.next = Some(Next::Detect);
                    return Ok(());
                }
                wire.name("login");
                let user = wire.text_nul(&USER)?;
                wire.info(format_args!("{}", String::from_utf8_lossy(user)));
                self.authenticating = true;
                let is_counted = capabilities & CLIENT_SECURE_CONNECTION != 0;
                password(wire, is_counted)?;
            }
            Side::Client if self.authenticating && wire.remaining() > 0 => {
                wire.name("authentication");
                wire.bytes(&PASSWORD, wire.remaining())?;
            }
            _ => {
                let is_auth_result = matches!(wire.ahead().first(), Some(&(OK | ERR)));
                self.authenticating &= from == Side::Client || !is_auth_result;
                wire.name("packet");
                wire.info(format_args!("{length} bytes"));
            }
        }
        wire.rest_is(&PAYLOAD)
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

fn greeting(wire: &mut Wire<'_>) -> Result {
    wire.name("greeting");
    wire.u8(&PROTOCOL_VERSION)?;
    let version = wire.text_nul(&VERSION)?;
    wire.info(format_args!("{}", String::from_utf8_lossy(version)));
    wire.u32_le(&THREAD)?;
    wire.bytes(&SALT, 9).map(drop)
}

/// Dissects the authentication response, which has a length byte or ends with a NUL.
fn password(wire: &mut Wire<'_>, is_counted: bool) -> Result {
    let left = wire.ahead();
    let length = if !is_counted {
        left.iter().position(|byte| *byte == 0).map_or(left.len(), |length| length + 1)
    } else if left.is_empty() {
        return Ok(());
    } else {
        usize::from(wire.u8(&PASSWORD_LENGTH)?)
    };
    // A truncated password is a secret as well.
    let length = length.min(wire.remaining());
    wire.optional(&PASSWORD, length).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;

    fn greeting() -> Vec<u8> {
        let mut bytes = b"\x32\0\0\0\x0a5.5.40-test\0\x07\0\0\0saltsalt\0".to_vec();
        bytes.resize(54, 1);
        bytes
    }

    #[test]
    fn a_client_switches_to_tls() {
        let mut session = Session::default();
        let request = [&b"\x20\0\0\x01\x05\xae\x0f\0\0\0\0\x01\x21"[..], &[0; 23]].concat();
        let trees = trees_of(&PROTOCOL, &mut session, &[(Side::Server, &greeting()), (Side::Client, &request)]);
        insta::assert_snapshot!(trees, @r#"
        mysql 0..54 | greeting | 5.5.40-test
          0..3 mysql.packet_length = 50
          3..4 mysql.packet_number = 0
          4..5 mysql.protocol = 10
          5..17 mysql.version = "5.5.40-test"
          17..21 mysql.thread_id = 7
          21..30 mysql.salt = 73616c7473616c7400
          30..54 mysql.payload = 24 bytes
        mysql 0..36 | tls_request
          0..3 mysql.packet_length = 32
          3..4 mysql.packet_number = 1
          4..6 mysql.caps.client = 0xae05
          mysql.caps.sl = true
          6..8 mysql.extcaps.client = 0x000f
          8..12 mysql.max_packet = 16777216
          12..13 mysql.charset = 33
          13..36 mysql.unused = 23 bytes
        "#);
        assert!(matches!(session.next(), Some(Next::Detect)));
    }

    #[test]
    fn streams_are_recognized_by_the_server_greeting() {
        let judge = |server: &[u8]| recognize(&Opening { sent: [b"", server], from_start: [true, true], complete: true });
        assert_eq!(judge(&greeting()), Verdict::Yes(Side::Server));
        for other in [&b"\x32\0\0\0\x0aabc\0"[..], b"\x32\0\0\x01\x0a5.5\0", b"220 ftp\r\n", b""] {
            assert_eq!(judge(other), Verdict::No);
        }
    }

    #[test]
    fn a_connection_joined_midway_is_recognized_on_its_port() {
        let judge = |client: &[u8], server: &[u8], start| {
            on_port(&Opening { sent: [client, server], from_start: [start; 2], complete: true })
        };
        let results = b"\x01\0\0\x01\x02\x02\0\0\x02ab\x05\0\0\x03\xfe\0\0\x02\0";
        for (client, server) in [(&b"\x09\0\0\0\x03SELECT 1"[..], &b""[..]), (b"", results)] {
            assert_eq!(judge(client, server, false), Verdict::Yes(Side::Server));
            assert_eq!(judge(client, server, true), Verdict::No);
            assert_eq!(recognize(&Opening { sent: [client, server], from_start: [false; 2], complete: true }), Verdict::No);
        }
        for other in
            [&b"\x09\0\0\0\x03SELECT"[..], b"\x01\0\0\x01\x02\x02\0\0\x05ab", b"\0\0\0\0", b"GET / HTTP/1.1\r\n\r\n", b"\x09"]
        {
            assert_eq!(judge(b"", other, false), Verdict::No);
        }
    }

    #[test]
    fn packets_after_the_handshake_are_payloads() {
        let trees = trees_of(
            &PROTOCOL,
            &mut Session::default(),
            &[(Side::Server, b"\x02\0\0\x02\x0aa"), (Side::Client, b"\x09\0\0\0\x03SELECT 1"), (Side::Client, b"\x01\0\0\0\x0e")],
        );
        assert_eq!(trees.matches("| packet").count(), 3, "{trees}");
    }
}
