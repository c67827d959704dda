//! FTP (RFC 959, RFC 2428): control and data connections.
//!
//! ```text
//! command     VERB [SP parameter] CRLF
//! reply       code - text CRLF … code SP text CRLF
//! PORT, 227   six numbers: IPv4 address and port of the data connection
//! EPRT, 229   |family|address|port|
//! ```
//! Data connections are recognized by the announced address.
//!
//! Not covered: names of transferred files; data after `AUTH TLS` is handed over.

use super::lines::{self, Replies};
use crate::limits;
use crate::tree::{Side, Transport, Value, fields};
use crate::wire::statistics::{LoginFields, SecretForm};
use crate::wire::{Conversation, Error, Extent, Heuristic, Next, On, Opening, Protocol, Result, Resumption, Verdict, Wire};
use memchr::memmem;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub static PROTOCOL: Protocol = Protocol::new(&FTP, FIELDS)
    .found(&[
        On::Tcp(21).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(21).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
    ])
    .rest(&OTHER);

/// FTP data connection.
pub static TRANSFER: Protocol = Protocol::new(&data::FTP_DATA, data::FIELDS)
    .found(&[On::Over("ftp-data").stream::<Transfer>(Heuristic::Anything), On::Tcp(20).stream::<Transfer>(Heuristic::Anything)])
    .rest(&data::BYTES);

pub static LOGIN: LoginFields = LoginFields {
    layer: "ftp",
    protocol: "FTP",
    command: "ftp.request.command",
    user: "ftp.request.arg",
    secrets: &["ftp.request.password"],
    password_commands: &["PASS"],
    form: SecretForm::Plain,
    info: "Username in packet: ",
};

fields! {
    FTP = protocol("ftp", "FTP", "File Transfer Protocol")
            .covers("Commands and replies; data connections that they announce")
        .leaves_open("Names of the files that data connections transfer");
    REQUEST = bool("ftp.request", "request", "True in commands").once();
    RESPONSE = bool("ftp.response", "response", "True in replies");
    COMMAND = text("ftp.request.command", "command", "").once();
    ARGUMENT = text("ftp.request.arg", "argument", "").once();
    PASSWORD = text("ftp.request.password", "password", "Argument of PASS or ACCT").secret().once();
    CODE = number("ftp.response.code", "response code", "");
    TEXT = text("ftp.response.arg", "response argument", "Text of the reply");
    PASSIVE_IP = ipv4("ftp.passive.ip", "passive IP address", "Address of the server's data port").once();
    PASSIVE_PORT = number("ftp.passive.port", "passive port", "Data port of the server").once();
    ACTIVE_IP = ipv4("ftp.active.cip", "active IP address", "Address of the client's data port").once();
    ACTIVE_PORT = number("ftp.active.port", "active port", "Data port of the client").once();
    EXTENDED_PORT = number("ftp.eprt.port", "EPRT port", "Data port of the client");
    EXTENDED_PASSIVE_PORT = number("ftp.epsv.port", "EPSV port", "Data port of the server");
    OTHER = bytes("ftp.data", "data", "Undissected bytes");
}

mod data {
    use crate::tree::fields;
    fields! {
        FTP_DATA = protocol("ftp-data", "FTP data", "FTP data connection")
        .covers("Data as it arrives");
        BYTES = bytes("ftp-data.data", "data", "Part of a file or a directory listing").body();
    }
}

/// Commands of RFC 959, RFC 2228, RFC 2389, RFC 2428, RFC 2640, RFC 3659 and RFC 7151.
const COMMANDS: &[&str] = &[
    "USER", "PASS", "ACCT", "CWD", "CDUP", "SMNT", "QUIT", "REIN", "PORT", "PASV", "TYPE", "STRU", "MODE", "RETR", "STOR",
    "STOU", "APPE", "ALLO", "REST", "RNFR", "RNTO", "ABOR", "DELE", "RMD", "MKD", "PWD", "LIST", "NLST", "SITE", "SYST", "STAT",
    "HELP", "NOOP", "XCWD", "XCUP", "XMKD", "XRMD", "XPWD", "AUTH", "ADAT", "PBSZ", "PROT", "CCC", "MIC", "CONF", "ENC", "FEAT",
    "OPTS", "EPRT", "EPSV", "LANG", "MDTM", "SIZE", "MLST", "MLSD", "HOST",
];

const REPLIES: Replies = Replies { code: &CODE, text: &TEXT };

/// State of a connection.
#[derive(Default)]
struct Session {
    /// The client requested TLS.
    tls: bool,
    next: Option<Next>,
}

#[derive(Default)]
struct Transfer;

/// Recognizes FTP on its port: a greeting of the server, or a session joined midway.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        let bytes = opening.of(side);
        if lines::line(bytes).is_some() && (bytes.starts_with(b"220 ") || bytes.starts_with(b"220-")) {
            return Verdict::Yes(side);
        }
        if lines::line(bytes).is_some() && (bytes.starts_with(b"USER ") || bytes.starts_with(b"AUTH TLS")) {
            return Verdict::Yes(side.other());
        }
    }
    lines::joined(opening, lines::midway(opening, COMMANDS))
}

/// Recognizes a session without a greeting, such as a refusal.
fn by_port(opening: &Opening<'_>) -> Verdict {
    lines::by_port(opening, COMMANDS)
}

/// Recognizes FTP on any port: a greeting of the server that names the protocol.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    lines::greets(opening, b"FTP")
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        match from {
            Side::Server => lines::reply_extent(ahead, limits::FTP_LINE.get()),
            Side::Client => lines::line_extent(ahead, limits::FTP_LINE.get()),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match from {
            Side::Server => self.reply(wire),
            Side::Client => self.command(wire),
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        match from {
            Side::Client => lines::resumes(ahead, |line| lines::is_command(line, COMMANDS)),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

impl Session {
    fn reply(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.add(&RESPONSE, Value::Bool(true));
        let bytes = wire.ahead();
        let code = REPLIES.read(wire)?;
        match code {
            Some(227) => {
                let found = memchr::memchr(b'(', bytes).and_then(|at| parse_host_port(bytes.get(at + 1..)?));
                if let Some((ip, port)) = found {
                    wire.add(&PASSIVE_IP, Value::Unsigned(u32::from(ip).into()));
                    wire.add(&PASSIVE_PORT, Value::Unsigned(port.into()));
                    wire.expect(Transport::Tcp, SocketAddr::from((ip, port)), "ftp-data");
                }
            }
            Some(229) => {
                let found = memmem::find(bytes, b"(|||").and_then(|at| bytes.get(at + 4..));
                let port = found.and_then(|text| lines::number(text.split(|byte| *byte == b'|').next()?));
                if let Some(port) = port.and_then(|port| u16::try_from(port).ok()) {
                    wire.add(&EXTENDED_PASSIVE_PORT, Value::Unsigned(port.into()));
                    if let Some([server, _]) = wire.ends() {
                        wire.expect(Transport::Tcp, SocketAddr::new(server.ip(), port), "ftp-data");
                    }
                }
            }
            Some(234) if self.tls => self.next = Some(Next::Detect),
            _ => {}
        }
        self.tls = false;
        Ok(())
    }

    fn command(&mut self, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
        wire.add(&REQUEST, Value::Bool(true));
        let (verb, argument) = lines::verb(wire, &COMMAND, line)?;
        let verb = String::from_utf8_lossy(verb).to_ascii_uppercase();
        self.tls = verb == "AUTH";
        wire.name(&verb);
        let is_secret = matches!(verb.as_str(), "PASS" | "ACCT");
        let field = if is_secret { &PASSWORD } else { &ARGUMENT };
        if !is_secret {
            wire.info(format_args!("{}", String::from_utf8_lossy(argument)));
        }
        lines::parameter(wire, field)?;
        match verb.as_str() {
            "PORT" => {
                if let Some((ip, port)) = parse_host_port(argument) {
                    wire.add(&ACTIVE_IP, Value::Unsigned(u32::from(ip).into()));
                    wire.add(&ACTIVE_PORT, Value::Unsigned(port.into()));
                    wire.expect(Transport::Tcp, SocketAddr::from((ip, port)), "ftp-data");
                }
            }
            "EPRT" => {
                if let Some(end) = parse_extended(argument) {
                    wire.add(&EXTENDED_PORT, Value::Unsigned(end.port().into()));
                    wire.expect(Transport::Tcp, end, "ftp-data");
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Parses six comma-separated numbers as an address and a port.
fn parse_host_port(text: &[u8]) -> Option<(Ipv4Addr, u16)> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b',').unwrap_or(text.len());
    let mut numbers =
        text.get(..end)?.split(|byte| *byte == b',').map(|part| lines::number(part).and_then(|number| u8::try_from(number).ok()));
    let mut next = || numbers.next().flatten();
    let ip = Ipv4Addr::new(next()?, next()?, next()?, next()?);
    Some((ip, u16::from_be_bytes([next()?, next()?])))
}

/// Parses family, address and port of EPRT.
fn parse_extended(text: &[u8]) -> Option<SocketAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = text.trim().split('|').skip(2);
    let ip: IpAddr = parts.next()?.parse().ok()?;
    Some(SocketAddr::new(ip, parts.next()?.parse().ok()?))
}

impl Conversation for Transfer {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        Extent::Message(ahead.len())
    }

    fn message(&mut self, _from: Side, wire: &mut Wire<'_>) -> Result {
        wire.embeds("data-text-lines");
        wire.info(format_args!("{} bytes", wire.remaining()));
        wire.rest_is(&data::BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;

    #[test]
    fn a_session_is_dissected_line_by_line() {
        let trees = trees_of(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Server, b"220 files.example FTP server ready.\r\n"),
                (Side::Client, b"USER anna\r\nPASS moss-green\r\n"),
                (Side::Server, b"230-hello\r\n  you\r\n230 logged in\r\n"),
                (Side::Client, b"PASV\r\n"),
                (Side::Server, b"227 Entering Passive Mode (203,0,113,80,221,90)\r\n"),
                (Side::Client, b"EPRT |2|2001:db8::7|50123|\r\nPORT 192,168,1,20,195,149\r\n"),
                (Side::Server, b"229 Extended (|||50124|)\r\n"),
            ],
        );
        insta::assert_snapshot!(trees, @r#"
        ftp 0..37 | 220 | files.example FTP server ready.
          ftp.response = true
          0..4 ftp.response.code = 220
          4..37 ftp.response.arg = "files.example FTP server ready."
        ftp 0..11 | USER | anna
          ftp.request = true
          0..5 ftp.request.command = "USER"
          5..11 ftp.request.arg = "anna"
        ftp 0..17 | PASS
          ftp.request = true
          0..5 ftp.request.command = "PASS"
          5..17 ftp.request.password = "moss-green"
        ftp 0..33 | 230 | hello
          ftp.response = true
          0..4 ftp.response.code = 230
          4..11 ftp.response.arg = "hello"
          11..18 ftp.response.arg = "  you"
          18..33 ftp.response.arg = "logged in"
        ftp 0..6 | PASV
          ftp.request = true
          0..6 ftp.request.command = "PASV"
        ftp 0..49 | 227 | Entering Passive Mode (203,0,113,80,221,90)
          ftp.response = true
          0..4 ftp.response.code = 227
          4..49 ftp.response.arg = "Entering Passive Mode (203,0,113,80,221,90)"
          ftp.passive.ip = 203.0.113.80
          ftp.passive.port = 56666
        ftp 0..28 | EPRT | |2|2001:db8::7|50123|
          ftp.request = true
          0..5 ftp.request.command = "EPRT"
          5..28 ftp.request.arg = "|2|2001:db8::7|50123|"
          ftp.eprt.port = 50123
        ftp 0..27 | PORT | 192,168,1,20,195,149
          ftp.request = true
          0..5 ftp.request.command = "PORT"
          5..27 ftp.request.arg = "192,168,1,20,195,149"
          ftp.active.cip = 192.168.1.20
          ftp.active.port = 50069
        ftp 0..26 | 229 | Extended (|||50124|)
          ftp.response = true
          0..4 ftp.response.code = 229
          4..26 ftp.response.arg = "Extended (|||50124|)"
          ftp.epsv.port = 50124
        "#);
    }

    #[test]
    fn invalid_addresses_are_ignored() {
        assert_eq!(parse_host_port(b"1,2,3,4,5,6"), Some((Ipv4Addr::new(1, 2, 3, 4), 0x0506)));
        assert!(
            parse_host_port(b"1,2,3,4,5").is_none()
                && parse_host_port(b"256,2,3,4,5,6").is_none()
                && parse_host_port(b"").is_none()
        );
        assert!(parse_extended(b"|1|127.0.0.1|99999|").is_none() && parse_extended(b"||").is_none());
    }

    #[test]
    fn a_session_joined_midway_is_recognized_on_its_port() {
        let judge = |client: &[u8], server: &[u8], start| {
            recognize(&Opening { sent: [client, server], from_start: [start; 2], complete: true })
        };
        for (client, server) in [
            (&b"PASV\r\n"[..], &b""[..]),
            (b"pass x\r\n", b""),
            (b"", b"227 Entering\r\n"),
            (b"", b"ails\r\n 211-b\r\n150 ok\r\n"),
        ] {
            assert_eq!(judge(client, server, false), Verdict::Yes(Side::Server));
            assert_eq!(judge(client, server, true), Verdict::No);
        }
        assert_eq!(judge(b"226 ok\r\n", b"", false), Verdict::Yes(Side::Client));
        assert_eq!(judge(b"PASVERS x\r\n", b"999 x\r\n", false), Verdict::No);
    }
}
