//! SMTP: how mail is handed over, as RFC 5321 has it.
//!
//! ```text
//! command     VERB [blank parameter] line end
//! reply       code - text line end … code blank text line end
//! mail        behind DATA and its reply 354: lines, then a line with a single dot
//! ```
//! What `STARTTLS` and its reply 220 open is handed on.
//!
//! Not covered: mails themselves, extensions such as BDAT, what `AUTH` exchanges.

use super::lines::{self, Replies};
use crate::tree::{Side, fields};
use crate::wire::{Conversation, Error, Extent, Looks, Next, On, Opening, Protocol, Result, Settings, Verdict, Wire};
use memchr::memmem;

/// SMTP.
pub static PROTOCOL: Protocol = Protocol {
    this: &SMTP,
    fields: FIELDS,
    found: &[
        On::Tcp(25).stream(Looks::Stream(looks), open),
        On::Tcp(587).stream(Looks::Stream(looks), open),
        On::AnyTcp.stream(Looks::Stream(anywhere), open),
    ],
    rest: Some(&DATA),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[],
};

fields! {
    SMTP = protocol("smtp", "SMTP", "Simple Mail Transfer Protocol")
        .covers("Commands, replies and where mails are; what STARTTLS opens is handed on")
        .leaves_open("Mails themselves, extensions such as BDAT, and what AUTH exchanges");
    REQUEST = bool("smtp.req", "request", "True in commands");
    RESPONSE = bool("smtp.rsp", "response", "True in replies");
    COMMAND = text("smtp.req.command", "command", "What is to be done");
    PARAMETER = text("smtp.req.parameter", "parameter", "With what it is to be done");
    SECRET = text("smtp.auth.password", "secret", "What proves who the client is").secret();
    CODE = number("smtp.response.code", "code", "How it went");
    TEXT = text("smtp.rsp.parameter", "text", "How it went, in words");
    MAIL = text("smtp.message", "mail", "The mail");
    DATA = bytes("smtp.data", "data", "Bytes that are not understood");
}

/// Lines longer than this are none.
const LINE_MAX: usize = 64 << 10;

/// The longest mail that is told as one.
const MAIL_MAX: usize = 16 << 20;

const REPLIES: Replies = Replies { code: &CODE, text: &TEXT };

/// What one connection has to remember.
#[derive(Default)]
struct Session {
    asked: Asked,
    /// The client sends a mail.
    mail: bool,
    looked: usize,
    next: Option<Next>,
}

/// What the last command asked for.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Asked {
    #[default]
    Anything,
    Tls,
    /// A login: names and passwords follow.
    Login,
}

fn open(_: &Settings) -> Box<dyn Conversation> {
    Box::<Session>::default()
}

/// On a port of mail: a server that is ready, or a client that greets.
fn looks(opening: &Opening<'_>) -> Verdict {
    const GREETINGS: [&[u8]; 5] = [b"EHLO ", b"HELO ", b"ehlo ", b"helo ", b"AUTH "];
    for side in [Side::Server, Side::Client] {
        let said = opening.of(side);
        if lines::line(said).is_some() && (said.starts_with(b"220 ") || said.starts_with(b"220-")) {
            return Verdict::Yes(side);
        }
        if lines::line(said).is_some() && GREETINGS.iter().any(|greeting| said.starts_with(greeting)) {
            return Verdict::Yes(side.other());
        }
    }
    if opening.complete { Verdict::No } else { lines::may_be_text(opening) }
}

/// On any port: a server that is ready and says what for.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        let said = opening.of(side);
        let first = lines::line(said).and_then(|line| said.get(..line.text)).unwrap_or_default();
        if first.starts_with(b"220") && memmem::find(first, b"SMTP").is_some() {
            return Verdict::Yes(side);
        }
    }
    Verdict::No
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if from == Side::Server {
            return lines::reply_extent(ahead, LINE_MAX);
        }
        if self.mail {
            let from = self.looked.saturating_sub(4);
            let end = if ahead.starts_with(b".\r\n") { Some(3) } else { None };
            let end = end.or_else(|| memmem::find(ahead.get(from..)?, b"\r\n.\r\n").map(|at| from + at + 5));
            self.looked = ahead.len();
            return match end {
                Some(end) => Extent::Message(end),
                None if ahead.len() >= MAIL_MAX => Extent::Message(ahead.len()),
                None => Extent::NeedMore(ahead.len() + 1),
            };
        }
        if self.asked == Asked::Tls && ahead.first().is_some_and(|byte| !byte.is_ascii_alphabetic()) {
            return Extent::NeedMore(ahead.len() + 1);
        }
        lines::line_extent(ahead, LINE_MAX)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match from {
            Side::Server => self.reply(wire),
            Side::Client if self.mail => self.mail(wire),
            Side::Client => self.command(wire),
        }
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}

impl Session {
    fn reply(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.add(&RESPONSE, crate::tree::Value::Bool(true));
        let code = REPLIES.read(wire)?;
        self.mail |= code == Some(354);
        self.looked = 0;
        self.asked = match (code, self.asked) {
            (Some(334), _) => Asked::Login,
            (Some(220), Asked::Tls) => {
                self.next = Some(Next::Anyone);
                Asked::Anything
            }
            // It may answer commands before.
            (Some(200..=299), Asked::Tls) => Asked::Tls,
            _ => Asked::Anything,
        };
        Ok(())
    }

    fn mail(&mut self, wire: &mut Wire<'_>) -> Result {
        let text = wire.rest(&MAIL);
        self.mail = !(text.ends_with(b"\r\n.\r\n") || text == b".\r\n");
        self.looked = 0;
        wire.name("mail");
        wire.info(format_args!("{} bytes", text.len()));
        Ok(())
    }

    fn command(&mut self, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let line = lines::line(ahead).ok_or(Error::Short { needed: 1 })?;
        wire.add(&REQUEST, crate::tree::Value::Bool(true));
        if self.asked == Asked::Login {
            wire.name("login");
            wire.info(format_args!("an answer"));
            return wire.words(&SECRET, line.whole, 0..line.text).map(drop);
        }
        let (verb, parameter) = lines::verb(wire, &COMMAND, line)?;
        let verb = String::from_utf8_lossy(verb).to_ascii_uppercase();
        self.asked = match verb.as_str() {
            "STARTTLS" => Asked::Tls,
            // Until the server says how it went, whether its questions are in the capture or not.
            "AUTH" => Asked::Login,
            _ => Asked::Anything,
        };
        wire.name(&verb);
        if verb == "AUTH" {
            wire.info(format_args!("{}", String::from_utf8_lossy(parameter).split(' ').next().unwrap_or_default()));
        } else {
            wire.info(format_args!("{}", String::from_utf8_lossy(parameter)));
        }
        // Whoever gives a name with the command gives a password too.
        let field = if verb == "AUTH" && parameter.contains(&b' ') { &SECRET } else { &PARAMETER };
        lines::parameter(wire, field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::said;

    #[test]
    fn a_mail_is_handed_over() {
        let told = said(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Server, b"220-mail.example ESMTP\r\n220 ready\r\n"),
                (Side::Client, b"EHLO game.example\r\n"),
                (Side::Server, b"250 hello\r\n"),
                (Side::Client, b"AUTH LOGIN\r\n"),
                (Side::Server, b"334 VXNlcm5hbWU6\r\n"),
                (Side::Client, b"YW5uYQ==\r\n"),
                (Side::Server, b"235 fine\r\n"),
                (Side::Client, b"MAIL FROM:<a@game.example>\r\nDATA\r\n"),
                (Side::Server, b"250 ok\r\n354 go on\r\n"),
                (Side::Client, b"Subject: x\r\n\r\n..\r\n.\r\nQUIT\r\n"),
            ],
        );
        insta::assert_snapshot!(told, @r#"
        smtp 0..35 | 220 | mail.example ESMTP
          smtp.rsp = true
          0..4 smtp.response.code = 220
          4..24 smtp.rsp.parameter = "mail.example ESMTP"
          24..35 smtp.rsp.parameter = "ready"
        smtp 0..19 | EHLO | game.example
          smtp.req = true
          0..5 smtp.req.command = "EHLO"
          5..19 smtp.req.parameter = "game.example"
        smtp 0..11 | 250 | hello
          smtp.rsp = true
          0..4 smtp.response.code = 250
          4..11 smtp.rsp.parameter = "hello"
        smtp 0..12 | AUTH | LOGIN
          smtp.req = true
          0..5 smtp.req.command = "AUTH"
          5..12 smtp.req.parameter = "LOGIN"
        smtp 0..18 | 334 | VXNlcm5hbWU6
          smtp.rsp = true
          0..4 smtp.response.code = 334
          4..18 smtp.rsp.parameter = "VXNlcm5hbWU6"
        smtp 0..10 | login | an answer
          smtp.req = true
          0..10 smtp.auth.password = "YW5uYQ=="
        smtp 0..10 | 235 | fine
          smtp.rsp = true
          0..4 smtp.response.code = 235
          4..10 smtp.rsp.parameter = "fine"
        smtp 0..28 | MAIL | FROM:<a@game.example>
          smtp.req = true
          0..5 smtp.req.command = "MAIL"
          5..28 smtp.req.parameter = "FROM:<a@game.example>"
        smtp 0..6 | DATA
          smtp.req = true
          0..6 smtp.req.command = "DATA"
        smtp 0..8 | 250 | ok
          smtp.rsp = true
          0..4 smtp.response.code = 250
          4..8 smtp.rsp.parameter = "ok"
        smtp 0..11 | 354 | go on
          smtp.rsp = true
          0..4 smtp.response.code = 354
          4..11 smtp.rsp.parameter = "go on"
        smtp 0..21 | mail | 21 bytes
          0..21 smtp.message = "Subject: x\r\n\r\n..\r\n.\r\n"
        smtp 0..6 | QUIT
          smtp.req = true
          0..6 smtp.req.command = "QUIT"
        "#);
    }

    #[test]
    fn tls_takes_over_where_both_agree() {
        let mut session = Session::default();
        said(&PROTOCOL, &mut session, &[(Side::Client, b"STARTTLS\r\n")]);
        assert_eq!(session.extent(Side::Client, b"\x16\x03\x01", true), Extent::NeedMore(4));
        said(&PROTOCOL, &mut session, &[(Side::Server, b"220 go ahead\r\n")]);
        assert!(matches!(session.next(), Some(Next::Anyone)));
    }

    #[test]
    fn what_is_recognised_says_its_name() {
        let judge = |client: &[u8], server: &[u8]| {
            let opening = Opening { said: [client, server], from_start: [true, true], complete: true };
            [looks(&opening), anywhere(&opening)]
        };
        let server = Verdict::Yes(Side::Server);
        assert_eq!(judge(b"", b"220 mail.example ESMTP\r\n"), [server, server]);
        assert_eq!(judge(b"EHLO x\r\n", b""), [server, Verdict::No]);
        assert_eq!(judge(b"", b"220 ftp.example FTP server\r\n"), [server, Verdict::No]);
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", b""), [Verdict::No, Verdict::No]);
    }
}
