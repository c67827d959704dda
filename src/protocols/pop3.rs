//! POP3 (RFC 1939, RFC 2449, RFC 5034): commands, responses and mails.
//!
//! ```text
//! command     VERB [SP argument]… CRLF
//! response    +OK | -ERR [SP text] CRLF; + SP challenge CRLF during AUTH
//! data        after +OK to some commands: lines, then a line with a single dot
//! ```
//! After `STLS` the stream is handed over to TLS.
//!
//! Not covered: contents of mails.

use super::lines;
use crate::limits;
use crate::tree::{Side, fields};
use crate::wire::statistics::{LoginFields, SecretForm};
use crate::wire::{
    Conversation, Error, Extent, Heuristic, Missing, Next, On, Opening, Protocol, Result, Resumption, Verdict, Wire,
};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol = Protocol::new(&POP, FIELDS)
    .found(&[
        On::Tcp(110).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
    ])
    .rest(&DATA);

pub static LOGIN: LoginFields = LoginFields {
    layer: "pop",
    protocol: "POP3",
    command: "pop.request.command",
    user: "pop.request.parameter",
    secrets: &["pop.request.password"],
    password_commands: &["PASS", "APOP"],
    form: SecretForm::Sasl,
    info: "Username in packet ",
};

fields! {
    POP = protocol("pop", "POP3", "Post Office Protocol")
        .covers("Commands, responses, start and end of each mail; switch to TLS after STLS")
        .leaves_open("Contents of mails");
    COMMAND = text("pop.request.command", "request command", "").once();
    PARAMETER = text("pop.request.parameter", "request parameter", "").once();
    SECRET = text("pop.request.password", "request password", "Argument of PASS or APOP, or a line of AUTH").secret().also("pop.request.parameter").once();
    INDICATOR = text("pop.response.indicator", "response indicator", "").once();
    DESCRIPTION = text("pop.response.description", "response description", "").once();
    LINE = text("pop.response.data", "data", "Line of a list");
    MAIL = text("pop.mail", "mail", "Mail, or its beginning").body();
    DATA = bytes("pop.data", "data", "Undissected bytes");
}

/// Commands of RFC 1939, RFC 2449, RFC 2595 and RFC 5034.
const COMMANDS: &[&str] = &[
    "USER", "PASS", "APOP", "AUTH", "CAPA", "STLS", "STAT", "LIST", "UIDL", "RETR", "TOP", "DELE", "NOOP", "RSET", "QUIT",
    "UTF8", "LANG",
];

/// Maximum number of stored pending commands.
const PENDING: usize = 64;

/// A pending command that affects the dissection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Line,
    List,
    Mail,
    Tls,
    Login,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    pending: VecDeque<Pending>,
    greeted: bool,
    /// The client answers a challenge of AUTH.
    logs_in: bool,
    /// Data after an accepted command; this many bytes of it contain no end.
    data: Option<(Pending, usize)>,
    next: Option<Next>,
}

fn first(bytes: &[u8]) -> Option<&[u8]> {
    lines::line(bytes).and_then(|line| bytes.get(..line.text))
}

fn is_response(text: &[u8]) -> bool {
    ["+OK", "-ERR"]
        .iter()
        .any(|word| text.strip_prefix(word.as_bytes()).is_some_and(|rest| matches!(rest.first(), None | Some(b' '))))
}

fn is_command(text: &[u8]) -> bool {
    let verb = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    COMMANDS.iter().any(|command| verb.eq_ignore_ascii_case(command.as_bytes()))
}

/// Returns the server if a line is one of POP3.
fn server_of(side: Side, text: &[u8]) -> Option<Side> {
    if is_response(text) {
        Some(side)
    } else if is_command(text) {
        Some(side.other())
    } else {
        None
    }
}

/// Recognizes POP3 on its port: a response of the server, or a session joined midway.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        if first(opening.of(side)).is_some_and(is_response) {
            return Verdict::Yes(side);
        }
    }
    match lines::in_lines_midway(opening, server_of) {
        Some(server) => Verdict::Yes(server),
        None if opening.complete && first(opening.of(Side::Client)).is_some_and(is_command) => Verdict::Yes(Side::Server),
        None if opening.complete => Verdict::No,
        None => lines::may_be_text(opening),
    }
}

/// Recognizes POP3 on any port: a greeting of the server that names the protocol.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let greets = |side: &Side| {
        let text = Some(opening.of(*side)).filter(|bytes| bytes.starts_with(b"+OK ")).and_then(first);
        text.is_some_and(|text| memchr::memmem::find(text, b"POP").is_some())
    };
    Side::BOTH.into_iter().find(greets).map_or(Verdict::No, Verdict::Yes)
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        match &mut self.data {
            Some((_, searched)) if from == Side::Server => lines::dotted_extent(ahead, searched, limits::SMTP_MAIL.get()),
            _ if from == Side::Client
                && ahead.first().is_some_and(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) =>
            {
                // No command begins with a control character: the client speaks another protocol, such as TLS.
                let waits = self.pending.contains(&Pending::Tls);
                if waits { Extent::NeedMore(ahead.len() + 1) } else { Extent::Unknown(ahead.len()) }
            }
            _ => lines::line_extent(ahead, limits::TEXT_LINE.get()),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match (from, self.data) {
            (Side::Client, _) => self.command(wire),
            (Side::Server, Some((kind, _))) => self.data(wire, kind),
            (Side::Server, None) => self.response(wire),
        }
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            // The challenge to which the client answers may be lost.
            self.logs_in |= from == Side::Server && self.pending.contains(&Pending::Login);
            self.pending.clear();
        }
        if from == Side::Server
            && let Some((_, searched)) = &mut self.data
        {
            *searched = 0;
        }
    }

    fn unseen(&mut self, from: Side) {
        self.logs_in |= from == Side::Server && self.pending.contains(&Pending::Login);
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

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        const VERBS: [&[u8]; 3] = [b"PASS", b"APOP", b"AUTH"];
        let begins = |verb: &&[u8]| ahead.get(..verb.len()).is_none_or(|start| start.eq_ignore_ascii_case(verb));
        from == Side::Client && (self.logs_in || VERBS.iter().any(begins))
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.pending.capacity()
    }
}

impl Session {
    fn command(&mut self, wire: &mut Wire<'_>) -> Result {
        let line = lines::line(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
        if self.logs_in {
            wire.name("login");
            self.wait(Pending::Login, wire);
            return wire.words(&SECRET, line.whole, 0..line.text).map(drop);
        }
        let (verb, parameter) = lines::verb(wire, &COMMAND, line)?;
        let verb = String::from_utf8_lossy(verb).to_ascii_uppercase();
        wire.name(&verb);
        let pending = match verb.as_str() {
            "CAPA" => Pending::List,
            "LIST" | "UIDL" | "LANG" if parameter.is_empty() => Pending::List,
            "RETR" | "TOP" => Pending::Mail,
            "STLS" => Pending::Tls,
            "AUTH" if parameter.is_empty() => Pending::List,
            "AUTH" => Pending::Login,
            _ => Pending::Line,
        };
        self.wait(pending, wire);
        let shown = match verb.as_str() {
            "PASS" => return lines::parameter(wire, &SECRET),
            // The digest of APOP and the first response of AUTH follow a word.
            "APOP" | "AUTH" => parameter.split(|byte| *byte == b' ').next().unwrap_or_default(),
            _ => parameter,
        };
        wire.info(format_args!("{}", String::from_utf8_lossy(shown)));
        if shown.len() < parameter.len() {
            let count = shown.len() + 1;
            wire.words(&PARAMETER, count, 0..shown.len())?;
            return lines::parameter(wire, &SECRET);
        }
        lines::parameter(wire, &PARAMETER)
    }

    fn wait(&mut self, pending: Pending, wire: &mut Wire<'_>) {
        if self.pending.len() >= PENDING {
            self.pending.pop_front();
            wire.evicted(format_args!("the oldest of more than {PENDING} commands"));
        }
        self.pending.push_back(pending);
    }

    fn response(&mut self, wire: &mut Wire<'_>) -> Result {
        let line = lines::line(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
        let (indicator, words) = lines::verb(wire, &INDICATOR, line)?;
        wire.name(&String::from_utf8_lossy(indicator));
        wire.info(format_args!("{}", String::from_utf8_lossy(words)));
        // A challenge leaves its command pending.
        self.logs_in = indicator == b"+";
        let is_greeting = !std::mem::replace(&mut self.greeted, true) && self.pending.is_empty();
        if let (false, false, Some(pending)) = (self.logs_in, is_greeting, self.pending.pop_front()) {
            match pending {
                Pending::List | Pending::Mail if indicator == b"+OK" => self.data = Some((pending, 0)),
                Pending::Tls if indicator == b"+OK" => self.next = Some(Next::Detect),
                _ => {}
            }
        } else if self.logs_in {
            self.pending.pop_front();
        }
        if words.is_empty() { Ok(()) } else { lines::parameter(wire, &DESCRIPTION) }
    }

    /// Dissects a list or a mail.
    fn data(&mut self, wire: &mut Wire<'_>, kind: Pending) -> Result {
        let bytes = wire.ahead();
        let is_end = bytes == b".\r\n" || bytes.ends_with(b"\r\n.\r\n");
        self.data = if is_end { None } else { Some((kind, 1)) };
        if kind == Pending::Mail {
            wire.name("mail");
            wire.embeds("imf");
            wire.info(format_args!("{} bytes", bytes.len()));
            return wire.rest_is(&MAIL);
        }
        wire.name("list");
        wire.info(format_args!("{} lines", memchr::memchr_iter(b'\n', bytes).count().saturating_sub(1)));
        while let Some(line) = lines::line(wire.ahead()) {
            wire.words(&LINE, line.whole, 0..line.text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Server, b"+OK POP3 ready\r\n"),
        (Side::Client, b"CAPA\r\nUSER anna\r\npass moss-green\r\n"),
        (Side::Server, b"+OK\r\nUSER\r\nTOP\r\n.\r\n+OK\r\n-ERR no\r\n"),
        (Side::Client, b"AUTH PLAIN\r\n"),
        (Side::Server, b"+ \r\n"),
        (Side::Client, b"AGFubmEAbW9zcy1ncmVlbg==\r\n"),
        (Side::Server, b"+OK in\r\n"),
        (Side::Client, b"APOP anna 0123\r\nLIST 1\r\nRETR 1\r\nQUIT\r\n"),
        (Side::Server, b"-ERR no\r\n+OK 1 30\r\n+OK 30 octets\r\nSubject: a\r\n\r\n..b\r\n.\r\n+OK\r\n"),
    ];

    #[test]
    fn a_session_is_dissected_line_by_line() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        pop 0..16 | +OK | POP3 ready
          0..4 pop.response.indicator = "+OK"
          4..16 pop.response.description = "POP3 ready"
        pop 0..6 | CAPA
          0..6 pop.request.command = "CAPA"
        pop 0..11 | USER | anna
          0..5 pop.request.command = "USER"
          5..11 pop.request.parameter = "anna"
        pop 0..17 | PASS
          0..5 pop.request.command = "pass"
          5..17 pop.request.password = "moss-green"
        pop 0..5 | +OK
          0..5 pop.response.indicator = "+OK"
        pop 0..14 | list | 2 lines
          0..6 pop.response.data = "USER"
          6..11 pop.response.data = "TOP"
          11..14 pop.response.data = "."
        pop 0..5 | +OK
          0..5 pop.response.indicator = "+OK"
        pop 0..9 | -ERR | no
          0..5 pop.response.indicator = "-ERR"
          5..9 pop.response.description = "no"
        pop 0..12 | AUTH | PLAIN
          0..5 pop.request.command = "AUTH"
          5..12 pop.request.parameter = "PLAIN"
        pop 0..4 | +
          0..4 pop.response.indicator = "+"
        pop 0..26 | login
          0..26 pop.request.password = "AGFubmEAbW9zcy1ncmVlbg=="
        pop 0..8 | +OK | in
          0..4 pop.response.indicator = "+OK"
          4..8 pop.response.description = "in"
        pop 0..16 | APOP | anna
          0..5 pop.request.command = "APOP"
          5..10 pop.request.parameter = "anna"
          10..16 pop.request.password = "0123"
        pop 0..8 | LIST | 1
          0..5 pop.request.command = "LIST"
          5..8 pop.request.parameter = "1"
        pop 0..8 | RETR | 1
          0..5 pop.request.command = "RETR"
          5..8 pop.request.parameter = "1"
        pop 0..6 | QUIT
          0..6 pop.request.command = "QUIT"
        pop 0..9 | -ERR | no
          0..5 pop.response.indicator = "-ERR"
          5..9 pop.response.description = "no"
        pop 0..10 | +OK | 1 30
          0..4 pop.response.indicator = "+OK"
          4..10 pop.response.description = "1 30"
        pop 0..15 | +OK | 30 octets
          0..4 pop.response.indicator = "+OK"
          4..15 pop.response.description = "30 octets"
        pop 0..22 | mail | 22 bytes
          0..22 pop.mail = "Subject: a\r\n\r\n..b\r\n.\r\n"
        pop 0..5 | +OK
          0..5 pop.response.indicator = "+OK"
        "#);
    }

    #[test]
    fn damaged_lines_are_survived() {
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn a_server_accepts_tls() {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"STLS\r\n"), (Side::Server, b"+OK\r\n")]);
        assert!(matches!(session.next(), Some(Next::Detect)));
    }

    #[test]
    fn sessions_are_recognized() {
        let verdicts = |client: &[u8], server: &[u8], start| {
            let opening = Opening { sent: [client, server], from_start: [start; 2], complete: true };
            (anywhere(&opening), recognize(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(verdicts(b"", b"+OK POP3\r\n", true), (yes, yes));
        assert_eq!(verdicts(b"STAT\r\n", b"", true), (no, yes));
        assert_eq!(verdicts(b"x\r\nRETR 1\r\n", b"", false), (no, yes));
        assert_eq!(verdicts(b"hello\r\n", b"+OKAY\r\n", true), (no, no));
    }

    #[test]
    fn a_forgotten_command_is_noted() {
        let mut session = Session::default();
        let mut command = || trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"NOOP\r\n")]);
        assert!((0..PENDING).all(|_| !command().contains("dissect.evicted")));
        assert!(command().contains("! info dissect.evicted"));
    }
}
