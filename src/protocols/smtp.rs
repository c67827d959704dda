//! SMTP (RFC 5321): commands, replies and mail data.
//!
//! ```text
//! command     VERB [SP parameter] CRLF
//! reply       code - text CRLF … code SP text CRLF
//! mail        after an accepted DATA: lines, then a line with a single dot
//! chunk       after BDAT (RFC 3030): as many octets as the command announces
//! ```
//! After `STARTTLS` and the reply 220 the stream is handed over to TLS.
//!
//! Not covered: contents of mails, exchanges of `AUTH`.

pub mod imf;

use super::lines::{self, Replies};
use crate::limits;
use crate::tree::{Partial, Side, Unended, fields};
use crate::wire::statistics::{LoginFields, SecretForm};
use crate::wire::{
    Conversation, Error, Extent, Heuristic, Missing, Next, On, Opening, Protocol, Result, Resumption, Verdict, Wire,
};

pub static PROTOCOL: Protocol = Protocol::new(&SMTP, FIELDS)
    .found(&[
        On::Tcp(25).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(587).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(25).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
        On::Tcp(587).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
    ])
    .rest(&DATA);

pub static LOGIN: LoginFields = LoginFields {
    layer: "smtp",
    protocol: "SMTP",
    command: "smtp.req.command",
    user: "smtp.req.parameter",
    secrets: &["smtp.auth.password"],
    password_commands: &[],
    form: SecretForm::Sasl,
    info: "Username in packet ",
};

fields! {
    SMTP = protocol("smtp", "SMTP", "Simple Mail Transfer Protocol")
        .covers("Commands, replies, start and end of each mail; switch to TLS after STARTTLS")
        .leaves_open("Contents of mails, and exchanges of AUTH");
    REQUEST = bool("smtp.req", "request", "True in commands").once();
    RESPONSE = bool("smtp.rsp", "response", "True in replies");
    COMMAND = text("smtp.req.command", "command", "").once();
    PARAMETER = text("smtp.req.parameter", "request parameter", "Argument of the command").once();
    SECRET = text("smtp.auth.password", "password", "Credentials of AUTH").secret();
    CODE = number("smtp.response.code", "response code", "");
    TEXT = text("smtp.rsp.parameter", "response parameter", "Text of the reply");
    MAIL = text("smtp.message", "message", "Mail data, or a BDAT chunk of it");
    FRAGMENTS = bool("smtp.data.fragments", "mail data fragments", "True if the frames of the mail data are listed").generated(&[&MAIL], imf::fragmented);
    FRAGMENT = number("smtp.data.fragment", "mail data fragment", "Frame with a part of the mail data").generated(&[&MAIL], imf::fragments);
    FRAGMENT_COUNT = number("smtp.data.fragment.count", "mail data fragment count", "Number of frames with mail data").generated(&[&MAIL], imf::fragment_count);
    REASSEMBLED_LENGTH = number("smtp.data.reassembled.length", "mail data length", "Bytes of the mail data without its last line").generated(&[&MAIL], imf::length);
    DATA = bytes("smtp.data", "data", "Undissected bytes");
}

/// Commands of RFC 5321, RFC 1985, RFC 2645, RFC 3030, RFC 3207 and RFC 4954.
const COMMANDS: &[&str] = &[
    "EHLO", "HELO", "MAIL", "RCPT", "DATA", "RSET", "VRFY", "EXPN", "HELP", "NOOP", "QUIT", "ETRN", "ATRN", "BDAT", "STARTTLS",
    "AUTH",
];

const REPLIES: Replies = Replies { code: &CODE, text: &TEXT };

/// State of a connection.
#[derive(Default)]
struct Session {
    asked: PendingCommand,
    content: Content,
    /// Expected replies 354 to DATA commands whose mail data was sent in advance.
    early: u32,
    /// The last `DATA` command was answered with 354.
    accepted: bool,
    /// Bytes of mail data were lost, possibly with its end.
    lost: bool,
    next: Option<Next>,
}

/// Kind of data that the client sends next.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Content {
    #[default]
    Commands,
    /// Mail data; this many bytes contain no end.
    Mail(usize),
    /// Remaining octets of a chunk.
    Chunk(u64),
}

/// Pending command that affects the dissection.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum PendingCommand {
    #[default]
    Anything,
    Tls,
    /// AUTH: credentials follow.
    Login,
}

/// Recognizes SMTP on its ports: a greeting of the server or the client, or a session joined midway.
fn recognize(opening: &Opening<'_>) -> Verdict {
    const GREETINGS: [&[u8]; 3] = [b"EHLO ", b"HELO ", b"AUTH "];
    let greets =
        |bytes: &[u8]| GREETINGS.iter().any(|greeting| bytes.get(..5).is_some_and(|verb| verb.eq_ignore_ascii_case(greeting)));
    for side in [Side::Server, Side::Client] {
        let bytes = opening.of(side);
        if lines::line(bytes).is_some() && (bytes.starts_with(b"220 ") || bytes.starts_with(b"220-")) {
            return Verdict::Yes(side);
        }
        if lines::line(bytes).is_some() && greets(bytes) {
            return Verdict::Yes(side.other());
        }
    }
    lines::joined(opening, lines::midway(opening, COMMANDS))
}

/// Recognizes a session without a greeting, such as a refusal.
fn by_port(opening: &Opening<'_>) -> Verdict {
    lines::by_port(opening, COMMANDS)
}

/// Recognizes SMTP on any port: a greeting of the server that names the protocol.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    lines::greets(opening, b"SMTP")
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if from == Side::Server {
            return lines::reply_extent(ahead, limits::SMTP_LINE.get());
        }
        match &mut self.content {
            Content::Commands => {}
            Content::Mail(searched) => return lines::dotted_extent(ahead, searched, limits::SMTP_MAIL.get()),
            Content::Chunk(left) => {
                return Extent::Message(usize::try_from(*left).unwrap_or(limits::SMTP_MAIL.get()).min(limits::SMTP_MAIL.get()));
            }
        }
        if self.asked == PendingCommand::Tls && ahead.first().is_some_and(|byte| !byte.is_ascii_alphabetic()) {
            return Extent::NeedMore(ahead.len() + 1);
        }
        // No command begins with a control character: the client speaks another protocol, such as TLS.
        if ahead.first().is_some_and(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
            return Extent::Unknown(ahead.len());
        }
        lines::line_extent(ahead, limits::SMTP_LINE.get())
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match from {
            Side::Server => self.reply(wire),
            Side::Client => match self.content {
                Content::Commands => self.command(wire),
                Content::Mail(_) => self.mail(wire),
                Content::Chunk(left) => self.chunk(left, wire),
            },
        }
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if from == Side::Client && !missing.in_step {
            self.lost = matches!(self.content, Content::Mail(_));
            if let Content::Chunk(_) = self.content {
                self.content = Content::Commands;
            }
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        match (from, self.content) {
            (Side::Client, Content::Commands) => lines::resumes(ahead, |line| lines::is_command(line, COMMANDS)),
            _ => Resumption::Anywhere,
        }
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }

    fn may_hold_secret(&self, from: Side, _: &[u8]) -> bool {
        from == Side::Client && matches!(self.content, Content::Commands) && self.asked == PendingCommand::Login
    }

    fn partial(&self, from: Side, _: Unended<'_>) -> Option<Partial> {
        let is_mail = from == Side::Client && !matches!(self.content, Content::Commands);
        is_mail.then_some(Partial { column: "SMTP", inside: "data-text-lines", ignored: false })
    }
}

/// Number of octets that a `BDAT` command announces.
fn announced(parameter: &[u8]) -> Option<u64> {
    lines::number(parameter.split(|byte| *byte == b' ').next()?).filter(|octets| *octets > 0)
}

impl Session {
    fn reply(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.add(&RESPONSE, crate::tree::Value::Bool(true));
        let code = REPLIES.read(wire)?;
        self.content = match (self.content, code) {
            (content, Some(354)) if self.early > 0 => {
                self.early -= 1;
                content
            }
            (content, Some(354)) => {
                self.accepted = true;
                if content == Content::Commands { Content::Mail(0) } else { content }
            }
            // DATA is refused, and no mail data has arrived.
            (Content::Mail(0), Some(400..600)) => Content::Commands,
            (Content::Mail(_), Some(200..300 | 400..600)) if std::mem::take(&mut self.lost) => Content::Commands,
            (content, _) => content,
        };
        self.asked = match (code, self.asked) {
            (Some(334), _) => PendingCommand::Login,
            (Some(220), PendingCommand::Tls) => {
                self.next = Some(Next::Detect);
                PendingCommand::Anything
            }
            // The reply may belong to an earlier command.
            (Some(200..=299), PendingCommand::Tls) => PendingCommand::Tls,
            _ => PendingCommand::Anything,
        };
        Ok(())
    }

    fn mail(&mut self, wire: &mut Wire<'_>) -> Result {
        let text = wire.rest(&MAIL);
        let is_end = text.ends_with(b"\r\n.\r\n") || text == b".\r\n";
        self.content = if is_end { Content::Commands } else { Content::Mail(1) };
        self.lost &= !is_end;
        if is_end && !std::mem::take(&mut self.accepted) {
            self.early = self.early.saturating_add(1);
        }
        wire.embeds("imf");
        wire.name("mail");
        wire.info(format_args!("{} bytes", text.len()));
        Ok(())
    }

    fn chunk(&mut self, left: u64, wire: &mut Wire<'_>) -> Result {
        // A gap in the chunk becomes data, and the next message follows it.
        let left = left.saturating_sub(left.min(limits::SMTP_MAIL.get() as u64));
        self.content = if left > 0 { Content::Chunk(left) } else { Content::Commands };
        wire.name("chunk");
        wire.info(format_args!("{} bytes", wire.remaining()));
        wire.rest_is(&MAIL)
    }

    fn command(&mut self, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        let Some(line) = lines::line(ahead) else {
            if self.asked == PendingCommand::Login {
                wire.rest(&SECRET);
            }
            return Err(Error::Short { needed: 1 });
        };
        wire.add(&REQUEST, crate::tree::Value::Bool(true));
        if self.asked == PendingCommand::Login {
            wire.name("login");
            wire.info(format_args!("an answer"));
            return wire.words(&SECRET, line.whole, 0..line.text).map(drop);
        }
        let (verb, parameter) = lines::verb(wire, &COMMAND, line)?;
        let verb = String::from_utf8_lossy(verb).to_ascii_uppercase();
        self.asked = match verb.as_str() {
            "STARTTLS" => PendingCommand::Tls,
            // Until the reply of the server, whether or not its challenges are captured.
            "AUTH" => PendingCommand::Login,
            _ => PendingCommand::Anything,
        };
        self.content = match verb.as_str() {
            "DATA" => {
                self.accepted = false;
                Content::Mail(0)
            }
            "BDAT" => announced(parameter).map_or(Content::Commands, Content::Chunk),
            _ => Content::Commands,
        };
        wire.name(&verb);
        if verb == "AUTH" {
            wire.info(format_args!("{}", String::from_utf8_lossy(parameter).split(' ').next().unwrap_or_default()));
        } else {
            wire.info(format_args!("{}", String::from_utf8_lossy(parameter)));
        }
        // A user name in the command is followed by a password.
        let field = if verb == "AUTH" && parameter.contains(&b' ') { &SECRET } else { &PARAMETER };
        lines::parameter(wire, field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;

    #[test]
    fn a_mail_transfer_is_dissected() {
        let trees = trees_of(
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
        insta::assert_snapshot!(trees, @r#"
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
    fn starttls_hands_over_to_tls() {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"STARTTLS\r\n")]);
        assert_eq!(session.extent(Side::Client, b"\x16\x03\x01", true), Extent::NeedMore(4));
        trees_of(&PROTOCOL, &mut session, &[(Side::Server, b"220 go ahead\r\n")]);
        assert!(matches!(session.next(), Some(Next::Detect)));
    }

    #[test]
    fn streams_are_recognized_by_their_greeting() {
        let judge = |client: &[u8], server: &[u8]| {
            let opening = Opening { sent: [client, server], from_start: [true, true], complete: true };
            [recognize(&opening), anywhere(&opening)]
        };
        let server = Verdict::Yes(Side::Server);
        assert_eq!(judge(b"", b"220 mail.example ESMTP\r\n"), [server, server]);
        assert_eq!(judge(b"EHLO x\r\n", b""), [server, Verdict::No]);
        assert_eq!(judge(b"", b"220 ftp.example FTP server\r\n"), [server, Verdict::No]);
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", b""), [Verdict::No, Verdict::No]);
    }

    /// Heading lines of the messages of a conversation.
    fn heads(session: &mut Session, lines: &[(Side, &[u8])]) -> Vec<String> {
        let trees = trees_of(&PROTOCOL, session, lines);
        trees.lines().filter(|line| !line.starts_with(' ')).map(|line| line.replace("smtp ", "")).collect()
    }

    #[test]
    fn mail_data_sent_before_the_reply_to_data_is_mail_data() {
        let records = heads(
            &mut Session::default(),
            &[
                (
                    Side::Client,
                    b"MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nThis is a test\r\n.\r\nQUIT\r\n",
                ),
                (Side::Server, b"250 ok\r\n250 ok\r\n354 go on\r\n250 queued\r\n221 bye\r\n"),
                (Side::Client, b"NOOP\r\n"),
            ],
        );
        assert_eq!(
            records[..5],
            [
                "0..27 | MAIL | FROM:<a@example.com>",
                "0..25 | RCPT | TO:<b@example.com>",
                "0..6 | DATA",
                "0..19 | mail | 19 bytes",
                "0..6 | QUIT"
            ]
        );
        assert_eq!(records.last().unwrap(), "0..6 | NOOP");
    }

    #[test]
    fn mail_data_is_recognized_without_replies_of_the_server() {
        let records = heads(&mut Session::default(), &[(Side::Client, b"data\r\nFrom: a\r\n\r\nDATA\r\n.\r\nquit\r\n")]);
        assert_eq!(records, ["0..6 | DATA", "0..20 | mail | 20 bytes", "0..6 | QUIT"]);
    }

    #[test]
    fn commands_follow_a_refused_data_command() {
        for reply in [&b"554 no valid recipients\r\n"[..], b"451-not\r\n451 now\r\n"] {
            let records = heads(
                &mut Session::default(),
                &[(Side::Client, b"DATA\r\n"), (Side::Server, reply), (Side::Client, b"RSET\r\n")],
            );
            assert_eq!(records.last().unwrap(), "0..6 | RSET");
        }
        // One recipient is refused, and the mail is accepted anyway.
        let records = heads(
            &mut Session::default(),
            &[(Side::Client, b"DATA\r\n"), (Side::Server, b"550 who?\r\n354 go on\r\n"), (Side::Client, b"RSET\r\n.\r\n")],
        );
        assert_eq!(records.last().unwrap(), "0..9 | mail | 9 bytes");
    }

    #[test]
    fn a_bdat_chunk_has_as_many_octets_as_the_command_announces() {
        let records = heads(
            &mut Session::default(),
            &[
                (Side::Client, b"BDAT 8\r\n\xff\0\r\n.\r\n!BDAT 3 LAST\r\nabcBDAT 0 LAST\r\nRSET\r\nbdat 2 last\r\n\r\n"),
                (Side::Server, b"250 8 octets\r\n"),
                (Side::Client, b"QUIT\r\n"),
            ],
        );
        assert_eq!(
            records,
            [
                "0..8 | BDAT | 8",
                "0..8 | chunk | 8 bytes",
                "0..13 | BDAT | 3 LAST",
                "0..3 | chunk | 3 bytes",
                "0..13 | BDAT | 0 LAST",
                "0..6 | RSET",
                "0..13 | BDAT | 2 last",
                "0..2 | chunk | 2 bytes",
                "0..14 | 250 | 8 octets",
                "0..6 | QUIT",
            ]
        );
    }

    #[test]
    fn a_long_bdat_chunk_is_dissected_in_parts() {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"BDAT 18446744073709551615 LAST\r\n")]);
        assert_eq!(session.extent(Side::Client, b"a", true), Extent::Message(limits::SMTP_MAIL.get()));
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"BDAT 99999999999999999999\r\n")]);
    }

    #[test]
    fn a_reply_ends_mail_data_whose_end_was_lost() {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"DATA\r\n"), (Side::Server, b"354 go on\r\n")]);
        assert_eq!(session.extent(Side::Client, b"a\r\n", true), Extent::NeedMore(4));
        session.gap(Side::Client, crate::wire::Missing { bytes: 9, in_step: false });
        let records = heads(&mut session, &[(Side::Server, b"250 queued\r\n"), (Side::Client, b"QUIT\r\n")]);
        assert_eq!(records.last().unwrap(), "0..6 | QUIT");
    }

    #[test]
    fn lines_without_a_command_are_data() {
        assert_eq!(Session::default().extent(Side::Client, b"\x16\x03\x01\n", true), Extent::Unknown(4));
    }

    #[test]
    fn a_session_joined_midway_is_recognized_on_its_port() {
        let judge = |client: &[u8], server: &[u8], start| {
            recognize(&Opening { sent: [client, server], from_start: [start; 2], complete: true })
        };
        for (client, server) in
            [(&b"rcpt to:<a@example.com>\r\n"[..], &b""[..]), (b"", b"250-ok\r\n"), (b"", b"ails\r\n354 go on\r\n")]
        {
            assert_eq!(judge(client, server, false), Verdict::Yes(Side::Server));
            assert_eq!(judge(client, server, true), Verdict::No);
        }
        assert_eq!(judge(b"hello world\r\n", b"", false), Verdict::No);
    }
}
