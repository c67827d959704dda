//! IRC (RFC 1459, RFC 2812): chat in text lines.
//!
//! ```text
//! line        [@tags SP] [:prefix SP] COMMAND [SP parameter]… [SP :trailer] CRLF
//! ```
//! Not covered: contents of tags and CTCP.

use super::lines;
use crate::limits;
use crate::tree::{Field, Side, fields};
use crate::wire::{Conversation, Error, Extent, Heuristic, On, Opening, Protocol, Result, Resumption, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&IRC, FIELDS)
    .found(&[
        On::TcpRun(6660, 6669).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(7000).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::TcpRun(6660, 6669).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
        On::Tcp(7000).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
    ])
    .rest(&DATA);

fields! {
    IRC = protocol("irc", "IRC", "Internet Relay Chat")
        .covers("All lines by prefix, command and parameters")
        .leaves_open("Contents of tags and CTCP");
    TAGS = text("irc.tags", "message tags", "IRCv3 key and value pairs");
    REQUEST_PREFIX = text("irc.request.prefix", "prefix", "Source of the message");
    REQUEST_COMMAND = text("irc.request.command", "command", "").once();
    REQUEST_PARAMETER = text("irc.request.command_parameter", "parameter", "");
    REQUEST_TRAILER = text("irc.request.trailer", "trailer", "Last parameter, which may contain spaces").once();
    REQUEST_SECRET = text("irc.request.password", "password", "Argument of PASS, OPER or of an authentication service").secret();
    RESPONSE_PREFIX = text("irc.response.prefix", "prefix", "Source of the message").once();
    RESPONSE_COMMAND = text("irc.response.command", "command", "Command or numeric reply").once();
    RESPONSE_PARAMETER = text("irc.response.command_parameter", "parameter", "");
    RESPONSE_TRAILER = text("irc.response.trailer", "trailer", "Last parameter, which may contain spaces").once();
    DATA = bytes("irc.data", "data", "Undissected bytes");
}

/// Largest number of parameters dissected in a line.
const PARAMETERS_MAX: usize = 50;

/// Commands of RFC 2812 and IRCv3.
const COMMANDS: &[&str] = &[
    "PASS",
    "NICK",
    "USER",
    "OPER",
    "MODE",
    "SERVICE",
    "QUIT",
    "JOIN",
    "PART",
    "TOPIC",
    "NAMES",
    "LIST",
    "INVITE",
    "KICK",
    "PRIVMSG",
    "NOTICE",
    "MOTD",
    "LUSERS",
    "VERSION",
    "STATS",
    "LINKS",
    "TIME",
    "ADMIN",
    "INFO",
    "SQUERY",
    "WHO",
    "WHOIS",
    "WHOWAS",
    "KILL",
    "PING",
    "PONG",
    "ERROR",
    "AWAY",
    "USERS",
    "WALLOPS",
    "USERHOST",
    "ISON",
    "CAP",
    "AUTHENTICATE",
    "TAGMSG",
];

#[derive(Default)]
struct Session;

struct LineFields {
    prefix: &'static Field,
    command: &'static Field,
    parameter: &'static Field,
    trailer: &'static Field,
}

static REQUEST: LineFields =
    LineFields { prefix: &REQUEST_PREFIX, command: &REQUEST_COMMAND, parameter: &REQUEST_PARAMETER, trailer: &REQUEST_TRAILER };
static RESPONSE: LineFields = LineFields {
    prefix: &RESPONSE_PREFIX,
    command: &RESPONSE_COMMAND,
    parameter: &RESPONSE_PARAMETER,
    trailer: &RESPONSE_TRAILER,
};

fn first(bytes: &[u8]) -> Option<&[u8]> {
    lines::line(bytes).and_then(|line| bytes.get(..line.text))
}

fn is_registration(line: &[u8]) -> bool {
    [&b"NICK "[..], b"CAP LS", b"CAP REQ", b"PASS "].iter().any(|start| line.starts_with(start))
}

/// Recognizes IRC on its ports: a client that registers, or a message from a server.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        let Some(line) = first(opening.of(side)) else { continue };
        if is_registration(line) || line.starts_with(b"USER ") || line.starts_with(b"PRIVMSG ") {
            return Verdict::Yes(side.other());
        }
        let mut words = line.split(|byte| *byte == b' ');
        let is_prefixed = words.next().is_some_and(|prefix| prefix.len() > 1 && prefix.starts_with(b":"));
        if (is_prefixed && words.next().is_some_and(is_command)) || line.starts_with(b"NOTICE ") || line.starts_with(b"PING :") {
            return Verdict::Yes(side);
        }
    }
    lines::joined(opening, lines::in_lines_midway(opening, midway))
}

/// Recognizes a session joined midway by a prefix, or a command of clients. Returns the server.
fn midway(side: Side, line: &[u8]) -> Option<Side> {
    let mut words = line.split(|byte| *byte == b' ');
    let first = words.next().unwrap_or_default();
    if first.len() > 1 && first.starts_with(b":") {
        return words.next().is_some_and(is_command).then_some(side);
    }
    // Both sides send some of the commands: the side at the IRC port is the server.
    COMMANDS.iter().any(|command| first.eq_ignore_ascii_case(command.as_bytes())).then_some(Side::Server)
}

/// Recognizes a session that begins with another command than a registration.
fn by_port(opening: &Opening<'_>) -> Verdict {
    let server = |side: Side| first(opening.of(side)).and_then(|line| midway(side, line));
    Side::BOTH.into_iter().find_map(server).map_or(Verdict::No, Verdict::Yes)
}

/// Recognizes IRC on any port: a client that registers with two lines.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        let bytes = opening.of(side);
        let Some(line) = first(bytes).filter(|line| is_registration(line)) else { continue };
        let rest = bytes.get(lines::line(bytes).map_or(0, |line| line.whole)..).unwrap_or_default();
        return match first(rest) {
            Some(second) if is_registration(second) || second.starts_with(b"USER ") => Verdict::Yes(side.other()),
            None if line.starts_with(b"CAP LS") => Verdict::Yes(side.other()),
            None if !opening.complete && rest.iter().all(u8::is_ascii) => Verdict::Unsure,
            _ => Verdict::No,
        };
    }
    Verdict::No
}

fn is_command(word: &[u8]) -> bool {
    let is_number = word.len() == 3 && word.iter().all(u8::is_ascii_digit);
    is_number || ((3..=16).contains(&word.len()) && word.iter().all(u8::is_ascii_uppercase))
}

impl Conversation for Session {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        lines::line_extent(ahead, limits::IRC_LINE.get())
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let words = if from == Side::Client { &REQUEST } else { &RESPONSE };
        wire.hide_credentials(wire.at()..wire.at() + wire.remaining());
        let mut secret_from = usize::MAX;
        let mut command = false;
        let mut parameters = 0;
        wire.each(|wire| {
            let ahead = wire.ahead();
            let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
            let text = ahead.get(..line.text).unwrap_or_default();
            let end = memchr::memchr(b' ', text).unwrap_or(text.len());
            let count = if end < text.len() { end + 1 } else { line.whole };
            match text.first() {
                Some(b'@') if !command => drop(wire.words(&TAGS, count, 1..end)?),
                Some(b':') if !command => drop(wire.words(words.prefix, count, 1..end)?),
                Some(b':') => {
                    let field = if wire.at() >= secret_from { &REQUEST_SECRET } else { words.trailer };
                    wire.words(field, line.whole, 1..line.text)?;
                }
                _ if !command => {
                    let name = wire.words(words.command, count, 0..end)?;
                    wire.name(&String::from_utf8_lossy(name));
                    command = true;
                    let parameters = text.get(end + 1..).unwrap_or_default();
                    let shown = match secret_at(name, parameters) {
                        Some(at) => {
                            secret_from = wire.at() + at;
                            wire.hide(secret_from..wire.at() + parameters.len());
                            parameters.get(..at).unwrap_or_default().trim_ascii_end()
                        }
                        None => parameters,
                    };
                    if !shown.is_empty() {
                        let shown = String::from_utf8_lossy(shown);
                        wire.info(format_args!("{}", wire.masked(&shown).into_owned()));
                    }
                }
                _ if parameters >= PARAMETERS_MAX => drop(wire.words(words.trailer, line.whole, 0..line.text)?),
                _ => {
                    parameters += 1;
                    let field = if wire.at() >= secret_from { &REQUEST_SECRET } else { words.parameter };
                    wire.words(field, count, 0..end)?;
                }
            }
            Ok(())
        })
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        let begins = |line: &[u8]| {
            let mut rest = line;
            // Tags and a prefix precede the command.
            while let Some(b'@' | b':') = rest.first() {
                let Some(blank) = memchr::memchr2(b' ', b'\n', rest) else { return false };
                rest = rest.get(blank + 1..).unwrap_or_default();
            }
            lines::is_command(rest, COMMANDS)
        };
        match from {
            Side::Client => lines::resumes(ahead, begins),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        let mut words = ahead;
        loop {
            let end = memchr::memchr2(b' ', b'\n', words).unwrap_or(words.len());
            let (word, rest) = words.split_at_checked(end).unwrap_or((words, &[]));
            let parameters = rest.strip_prefix(b" ").unwrap_or_default();
            match word.first() {
                Some(b'@' | b':') if !parameters.is_empty() => words = parameters,
                _ => return from == Side::Client && (ahead.is_empty() || secret_at(word, parameters).is_some()),
            }
        }
    }
}

/// Authentication services, as commands and as recipients of messages.
const SERVICES: [&[u8]; 4] = [b"NICKSERV", b"NS", b"AUTHSERV", b"Q"];
/// Requests to these services with a password among their parameters.
const REQUESTS: [&[u8]; 9] = [b"IDENTIFY", b"ID", b"REGISTER", b"GHOST", b"RECOVER", b"RELEASE", b"REGAIN", b"LOGIN", b"AUTH"];

/// Where a secret begins among the parameters of a command: those of PASS and AUTHENTICATE, the password of OPER, and those of a
/// request to an authentication service.
fn secret_at(command: &[u8], parameters: &[u8]) -> Option<usize> {
    let is = |word: &[u8], name: &&[u8]| word.eq_ignore_ascii_case(name);
    let behind_word = |at: usize| {
        let blank = parameters.get(at..)?.iter().position(|byte| *byte == b' ')?;
        Some((parameters.get(at..at + blank)?, at + blank + 1))
    };
    if is(command, &&b"PASS"[..]) || is(command, &&b"AUTHENTICATE"[..]) {
        return (!parameters.is_empty()).then_some(0);
    }
    if is(command, &&b"OPER"[..]) {
        return behind_word(0).map(|(_, at)| at);
    }
    let request = if SERVICES.iter().any(|service| is(command, service)) {
        0
    } else if is(command, &&b"PRIVMSG"[..]) {
        let (recipient, at) = behind_word(0)?;
        let name = recipient.split(|byte| *byte == b'@').next()?;
        SERVICES.iter().any(|service| is(name, service)).then_some(at)?
    } else {
        return None;
    };
    let (word, at) = behind_word(request)?;
    let word = word.strip_prefix(b":").unwrap_or(word);
    REQUESTS.iter().any(|name| is(word, name)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;

    #[test]
    fn passwords_of_operators_and_services_are_secrets() {
        for (line, secret) in [
            ("PASS moss", Some("moss")),
            ("PASS", None),
            ("oper anna moss", Some("moss")),
            ("OPER anna", None),
            ("NICKSERV IDENTIFY moss", Some("moss")),
            ("NS :identify anna moss", Some("anna moss")),
            ("PRIVMSG NickServ :IDENTIFY moss", Some("moss")),
            ("PRIVMSG Q@CServe.quakenet.org :AUTH anna moss", Some("anna moss")),
            ("PRIVMSG anna :IDENTIFY moss", None),
            ("PRIVMSG NickServ :HELP IDENTIFY", None),
            ("NOTICE NickServ", None),
        ] {
            let (command, parameters) = line.split_once(' ').unwrap_or((line, ""));
            let found = secret_at(command.as_bytes(), parameters.as_bytes()).map(|at| &parameters[at..]);
            assert_eq!(found, secret, "{line}");
        }
    }

    #[test]
    fn a_summary_ends_before_the_password() {
        let trees =
            trees_of(&PROTOCOL, &mut Session, &[(Side::Client, b"OPER anna moss\r\nPRIVMSG NickServ :IDENTIFY moss\r\n")]);
        insta::assert_snapshot!(trees, @r#"
        irc 0..16 | OPER | anna
          0..5 irc.request.command = "OPER"
          5..10 irc.request.command_parameter = "anna"
          10..16 irc.request.password = "moss"
        irc 0..33 | PRIVMSG | NickServ :IDENTIFY
          0..8 irc.request.command = "PRIVMSG"
          8..17 irc.request.command_parameter = "NickServ"
          17..33 irc.request.trailer = "IDENTIFY moss"
        "#);
    }

    #[test]
    fn lines_are_dissected_word_by_word() {
        let trees = trees_of(
            &PROTOCOL,
            &mut Session,
            &[
                (Side::Client, b"PASS moss\r\nNICK anna\r\nUSER anna 0 * :Anna of the Moss\r\n"),
                (
                    Side::Server,
                    b":irc.example 001 anna :Welcome\r\n@time=1 :bo!b@host PRIVMSG #game :hi  all\r\nPING :irc.example\r\n",
                ),
            ],
        );
        insta::assert_snapshot!(trees, @r##"
        irc 0..11 | PASS
          0..5 irc.request.command = "PASS"
          5..11 irc.request.password = "moss"
        irc 0..11 | NICK | anna
          0..5 irc.request.command = "NICK"
          5..11 irc.request.command_parameter = "anna"
        irc 0..33 | USER | anna 0 * :Anna of the Moss
          0..5 irc.request.command = "USER"
          5..10 irc.request.command_parameter = "anna"
          10..12 irc.request.command_parameter = "0"
          12..14 irc.request.command_parameter = "*"
          14..33 irc.request.trailer = "Anna of the Moss"
        irc 0..32 | 001 | anna :Welcome
          0..13 irc.response.prefix = "irc.example"
          13..17 irc.response.command = "001"
          17..22 irc.response.command_parameter = "anna"
          22..32 irc.response.trailer = "Welcome"
        irc 0..43 | PRIVMSG | #game :hi  all
          0..8 irc.tags = "time=1"
          8..19 irc.response.prefix = "bo!b@host"
          19..27 irc.response.command = "PRIVMSG"
          27..33 irc.response.command_parameter = "#game"
          33..43 irc.response.trailer = "hi  all"
        irc 0..19 | PING | :irc.example
          0..5 irc.response.command = "PING"
          5..19 irc.response.trailer = "irc.example"
        "##);
    }

    #[test]
    fn streams_are_recognized_by_registration_commands() {
        let judge = |client: &[u8], server: &[u8], complete| {
            let opening = Opening { sent: [client, server], from_start: [true, true], complete };
            [recognize(&opening), anywhere(&opening)]
        };
        let server = Verdict::Yes(Side::Server);
        assert_eq!(judge(b"NICK a\r\nUSER a 0 * :A\r\n", b"", false), [server, server]);
        assert_eq!(judge(b"NICK a\r\n", b"", false), [server, Verdict::Unsure]);
        assert_eq!(judge(b"", b":irc.example NOTICE * :hello\r\n", false), [server, Verdict::No]);
        for other in [&b"GET / HTTP/1.1\r\n"[..], b"USERS\r\n", b"\x16\x03\x01", b"hello world\r\n"] {
            assert_eq!(judge(other, b"", true), [Verdict::No, Verdict::No]);
        }
        assert_eq!(judge(b"PASS x\r\nLIST\r\n", b"+OK\r\n", true)[1], Verdict::No);
    }

    #[test]
    fn a_session_joined_midway_is_recognized_on_its_port() {
        let judge = |client: &[u8], server: &[u8], start| {
            recognize(&Opening { sent: [client, server], from_start: [start; 2], complete: true })
        };
        for client in [&b"JOIN #game\r\n"[..], b"PONG :irc.example\r\n", b"f a line\r\nmode #game +o anna\r\n"] {
            assert_eq!(judge(client, b"", false), Verdict::Yes(Side::Server));
            assert_eq!(judge(client, b"", true), Verdict::No);
        }
        assert_eq!(judge(b"", b"alf a line\r\n:bo!b@host QUIT :bye\r\n", false), Verdict::Yes(Side::Server));
        assert_eq!(judge(b"JOINED us\r\n", b"", false), Verdict::No);
    }
}
