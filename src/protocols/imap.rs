//! IMAP (RFC 9051, RFC 3501): commands, responses and literals.
//!
//! ```text
//! command     tag SP COMMAND [SP argument]… CRLF
//! response    * SP data CRLF,  tag SP OK | NO | BAD SP text CRLF,  + SP text CRLF
//! literal     {n} or {n+} at the end of a line, then n bytes, then the rest of the line
//! ```
//! A server sends `+` before a client sends the bytes of `{n}`; other literals belong to the message of their line.
//! After `STARTTLS` the stream is handed over to TLS.
//!
//! Not covered: the structure of responses, contents of mails, compression (RFC 4978).

use super::lines;
use crate::limits;
use crate::tree::{BySide, Field, Side, Value, fields};
use crate::wire::{
    Conversation, Error, Extent, Heuristic, Missing, Next, On, Opening, Protocol, Requests, Result, Settings, Verdict, Wire,
};

/// IMAP.
pub static PROTOCOL: Protocol = Protocol::new(
    &IMAP,
    FIELDS,
    &[
        On::Tcp(143).stream(Heuristic::Stream(recognize), |_: &Settings| Box::<Session>::default()),
        On::AnyTcp.stream(Heuristic::Stream(anywhere), |_: &Settings| Box::<Session>::default()),
    ],
)
.rest(&DATA);

fields! {
    IMAP = protocol("imap", "IMAP", "Internet Message Access Protocol")
        .covers("Commands, responses and literals; handover after STARTTLS")
        .leaves_open("The structure of responses, contents of mails, compression");
    IS_REQUEST = bool("imap.isrequest", "request", "True in messages of the client").once();
    LINE = text("imap.line", "line", "");
    LINE_END = bytes("imap.line.end", "line end", "");
    REQUEST = text("imap.request", "request", "Line of the client").once();
    REQUEST_TAG = text("imap.request_tag", "request tag", "Copied into the response").once();
    COMMAND = text("imap.request.command", "request command", "").once();
    IS_UID = bool("imap.request.command.uid", "request isUID", "Messages are named by UID").once();
    CONTINUATION = text("imap.request.continuation", "request continuation", "Rest of a command after a literal");
    FOLDER = text("imap.request.folder", "request folder", "").once();
    USER = text("imap.request.username", "request username", "").once();
    PASSWORD = text("imap.request.password", "request password", "").secret().once();
    CREDENTIALS = text("imap.request.credentials", "request credentials", "SASL response of AUTHENTICATE").secret().once();
    RESPONSE = text("imap.response", "response", "Line that completes a command or requests more data").once();
    RESPONSE_TAG = text("imap.response_tag", "response tag", "").once();
    STATUS = text("imap.response.status", "response status", "").once();
    RESPONSE_COMMAND = text("imap.response.command", "response command", "First word of the text").once();
    RESPONSE_TO = number("imap.response_to", "request in", "Frame of the command").once();
    TIME = float("imap.time", "response time", "Seconds since the command").seconds().once();
    LITERAL = text("imap.literal", "literal", "Counted bytes, such as a mail").body();
    DATA = bytes("imap.data", "data", "Undissected bytes");
}

/// Commands whose first argument is a mailbox.
const OF_FOLDERS: &[&str] = &["SELECT", "EXAMINE", "CREATE", "DELETE", "RENAME", "SUBSCRIBE", "UNSUBSCRIBE", "STATUS", "APPEND"];
/// Other commands of RFC 9051, RFC 2177, RFC 2971, RFC 4978 and RFC 6851.
const OTHERS: &[&str] = &[
    "CAPABILITY",
    "NOOP",
    "LOGOUT",
    "STARTTLS",
    "AUTHENTICATE",
    "LOGIN",
    "ENABLE",
    "LIST",
    "LSUB",
    "NAMESPACE",
    "IDLE",
    "CHECK",
    "CLOSE",
    "UNSELECT",
    "EXPUNGE",
    "SEARCH",
    "FETCH",
    "STORE",
    "COPY",
    "MOVE",
    "UID",
    "ID",
    "COMPRESS",
    "GETQUOTAROOT",
];

/// Progress of finding the end of a side's next message.
#[derive(Default, Clone, Copy)]
struct Scan {
    /// Its bytes up to the end of a line or literal.
    at: usize,
    /// Bytes of the next line that were searched for its end.
    searched: usize,
}

/// What a client sends besides commands.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Login {
    #[default]
    No,
    /// Number of LOGIN arguments so far; the first is the user.
    Arguments(usize),
    /// Lines of AUTHENTICATE.
    Sasl,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    scans: BySide<Scan>,
    /// Bytes of a literal that the client sends after the server's consent.
    literal: usize,
    /// The next line of the client continues a command.
    continues: bool,
    login: Login,
    /// Tag of the command that logs in.
    login_tag: Box<[u8]>,
    tls: bool,
    requests: Requests<Box<[u8]>>,
    next: Option<Next>,
}

fn word(text: &[u8], place: usize) -> &[u8] {
    text.split(|byte| *byte == b' ').nth(place).unwrap_or_default()
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn is_status(word: &[u8]) -> bool {
    is_one_of(word, &["OK", "NO", "BAD", "BYE", "PREAUTH"])
}

/// Returns the server if a line is one of IMAP.
fn judge(side: Side, text: &[u8]) -> Option<Side> {
    let (first, second) = (word(text, 0), word(text, 1));
    let is_tag = (1..=32).contains(&first.len()) && first.iter().all(u8::is_ascii_alphanumeric);
    match () {
        () if first == b"*" && !second.is_empty() || is_tag && is_status(second) => Some(side),
        () if is_tag && (is_one_of(second, OF_FOLDERS) || is_one_of(second, OTHERS)) => Some(side.other()),
        () => None,
    }
}

/// Recognizes IMAP on its port: a greeting, a command, or a session joined midway.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        let first = lines::line(opening.of(side)).and_then(|line| opening.of(side).get(..line.text));
        if let Some(server) = first.and_then(|text| judge(side, text)) {
            return Verdict::Yes(server);
        }
    }
    match lines::in_lines_midway(opening, judge) {
        Some(server) => Verdict::Yes(server),
        None if opening.complete => Verdict::No,
        None => lines::may_be_text(opening),
    }
}

/// Recognizes IMAP on any port: a greeting of the server that names the protocol.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let greets = |side: &Side| {
        let bytes = opening.of(*side);
        let is_greeting = bytes.starts_with(b"* OK ") || bytes.starts_with(b"* PREAUTH ");
        let text = lines::line(bytes).filter(|_| is_greeting).and_then(|line| bytes.get(..line.text));
        text.is_some_and(|text| memchr::memmem::find(text, b"IMAP").is_some())
    };
    Side::BOTH.into_iter().find(greets).map_or(Verdict::No, Verdict::Yes)
}

/// Number of bytes that the literal at the end of a line announces, and whether they follow without consent.
fn announced(text: &[u8]) -> Option<(usize, bool)> {
    let text = text.strip_suffix(b"}")?;
    let (text, follows) = text.strip_suffix(b"+").or_else(|| text.strip_suffix(b"-")).map_or((text, false), |text| (text, true));
    let open = memchr::memrchr(b'{', text)?;
    Some((usize::try_from(lines::number(text.get(open + 1..).filter(|digits| !digits.is_empty())?)?).ok()?, follows))
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if from == Side::Client && self.literal > 0 {
            return Extent::Message(self.literal);
        }
        let scan = &mut self.scans[from];
        loop {
            let rest = ahead.get(scan.at..).unwrap_or_default();
            let Some(end) = rest.get(scan.searched..).and_then(|rest| memchr::memchr(b'\n', rest)) else {
                scan.searched = rest.len();
                let is_long = rest.len() >= limits::TEXT_LINE.get();
                return if is_long { Extent::Unknown(ahead.len()) } else { Extent::NeedMore(ahead.len() + 1) };
            };
            let text = rest.get(..scan.searched + end).unwrap_or_default();
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let line = scan.at + scan.searched + end + 1;
            match announced(text) {
                Some((length, follows)) if follows || from == Side::Server => {
                    let end = line.saturating_add(length);
                    if end > ahead.len() {
                        return Extent::NeedMore(end.saturating_add(1));
                    }
                    *scan = Scan { at: end, searched: 0 };
                }
                _ => return Extent::Message(line),
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.scans[from] = Scan::default();
        wire.add(&IS_REQUEST, Value::Bool(from == Side::Client));
        let mut is_first = true;
        while wire.remaining() > 0 {
            if from == Side::Client && self.literal > 0 {
                self.client_literal(wire)?;
                continue;
            }
            let line = lines::line(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
            let text = wire.ahead().get(..line.text).unwrap_or_default();
            wire.parent(&LINE, Value::Text, |wire| {
                let has_fields = match from {
                    Side::Client => {
                        self.client_line(wire, text, is_first);
                        true
                    }
                    Side::Server => is_first && self.server_line(wire, text),
                };
                if !has_fields {
                    return wire.skip(line.whole);
                }
                wire.skip(line.text)?;
                wire.bytes(&LINE_END, line.whole - line.text).map(drop)
            })?;
            is_first = false;
            match (from, announced(text)) {
                (Side::Client, Some((length, _))) => (self.literal, self.continues) = (length, true),
                (Side::Client, None) => self.continues = false,
                (Side::Server, Some((length, _))) if length > 0 => {
                    wire.embeds("imf");
                    wire.text(&LITERAL, length.min(wire.remaining().max(1)))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.scans[from] = Scan::default();
        if from == Side::Client && !missing.in_step {
            (self.literal, self.continues) = (0, false);
        }
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        /// Bytes in front of the arguments of a command.
        const HEAD: usize = 64;
        let head = ahead.get(..HEAD).unwrap_or(ahead).to_ascii_uppercase();
        let names = |name: &[u8]| memchr::memmem::find(&head, name).is_some();
        from == Side::Client && (ahead.is_empty() || self.login != Login::No || names(b" LOGIN") || names(b" AUTHENTICATE"))
    }
}

impl Session {
    /// Dissects a literal of a client.
    fn client_literal(&mut self, wire: &mut Wire<'_>) -> Result {
        let length = std::mem::take(&mut self.literal).min(wire.remaining());
        wire.name("literal");
        match &mut self.login {
            Login::Arguments(count) => {
                *count += 1;
                let field = if *count == 1 { &USER } else { &PASSWORD };
                wire.text(field, length).map(drop)
            }
            Login::Sasl => wire.text(&CREDENTIALS, length).map(drop),
            Login::No => {
                wire.info(format_args!("{length} bytes"));
                wire.embeds("imf");
                wire.text(&LITERAL, length).map(drop)
            }
        }
    }

    /// Adds the fields of a client line.
    fn client_line(&mut self, wire: &mut Wire<'_>, text: &[u8], is_first: bool) {
        let start = wire.at();
        let range = |word: &[u8], from: usize| start + from..start + from + word.len();
        if self.login == Login::Sasl {
            wire.name("authentication");
            wire.put(&CREDENTIALS, Value::Text, start..start + text.len());
            return;
        }
        if self.continues || !is_first {
            if !text.is_empty() {
                wire.put(&CONTINUATION, Value::Text, start..start + text.len());
            }
            self.arguments(wire, text, 0);
            return wire.name("continuation");
        }
        wire.put(&REQUEST, Value::Text, start..start + text.len());
        let (tag, first) = (word(text, 0), word(text, 1));
        if first.is_empty() {
            // DONE ends IDLE without a tag.
            return wire.name(&String::from_utf8_lossy(tag).to_ascii_uppercase());
        }
        wire.put(&REQUEST_TAG, Value::Text, range(tag, 0));
        let mut at = tag.len() + 1;
        let is_uid = first.eq_ignore_ascii_case(b"UID") && !word(text, 2).is_empty();
        if is_uid {
            wire.put(&IS_UID, Value::Bool(true), range(first, at));
            at += first.len() + 1;
        }
        let command = word(text, 1 + usize::from(is_uid));
        wire.put(&COMMAND, Value::Text, range(command, at));
        let upper = String::from_utf8_lossy(command).to_ascii_uppercase();
        wire.name(&format!("{}{upper}", if is_uid { "UID " } else { "" }));
        at += command.len() + 1;
        self.requests.ask(tag.into(), wire);
        self.tls = upper == "STARTTLS";
        let arguments = text.get(at..).unwrap_or_default();
        if matches!(upper.as_str(), "LOGIN" | "AUTHENTICATE") {
            self.login_tag = tag.into();
        }
        match upper.as_str() {
            "LOGIN" => {
                self.login = Login::Arguments(0);
                self.arguments(wire, arguments, at);
            }
            "AUTHENTICATE" => {
                self.login = Login::Sasl;
                let mechanism = word(arguments, 0);
                wire.info(format_args!("{}", String::from_utf8_lossy(mechanism)));
                let initial = arguments.get(mechanism.len() + 1..).unwrap_or_default();
                if !initial.is_empty() {
                    wire.put(&CREDENTIALS, Value::Text, range(initial, at + mechanism.len() + 1));
                }
            }
            _ => {
                wire.info(format_args!("{}", String::from_utf8_lossy(arguments)));
                if let Some((name, from)) = folder(command, arguments) {
                    wire.put(&FOLDER, Value::Text, range(name, at + from));
                }
            }
        }
    }

    /// Adds user and password of LOGIN, either of which may be a literal. `at` is the offset of the text in the line.
    fn arguments(&mut self, wire: &mut Wire<'_>, text: &[u8], at: usize) {
        let Login::Arguments(count) = &mut self.login else { return };
        let mut next = 0;
        while let Some((word, from)) = argument(text, next).filter(|(word, _)| announced(word).is_none()) {
            let range = wire.at() + at + from..wire.at() + at + from + word.len();
            *count += 1;
            if *count == 1 {
                wire.info(format_args!("{}", String::from_utf8_lossy(word)));
                wire.put(&USER, Value::Text, range);
            } else {
                wire.put(&PASSWORD, Value::Text, range);
            }
            next = from + word.len() + 1;
        }
    }

    /// Adds the fields of the first line of a response. Returns whether one has all of its text.
    fn server_line(&mut self, wire: &mut Wire<'_>, text: &[u8]) -> bool {
        let start = wire.at();
        let (tag, first) = (word(text, 0), word(text, 1));
        let words = text.get(tag.len() + 1..).unwrap_or_default();
        let is_tagged = tag != b"*";
        if !is_tagged {
            let is_counted = first.iter().all(u8::is_ascii_digit);
            wire.name(&String::from_utf8_lossy(word(text, 1 + usize::from(is_counted))).to_ascii_uppercase());
            wire.info(format_args!("{}", String::from_utf8_lossy(words)));
            return false;
        }
        let put = |wire: &mut Wire<'_>, field: &'static Field, word: &[u8], at: usize| {
            wire.put(field, Value::Text, start + at..start + at + word.len());
        };
        put(wire, &RESPONSE, text, 0);
        put(wire, &RESPONSE_TAG, tag, 0);
        wire.info(format_args!("{}", String::from_utf8_lossy(words)));
        if !is_status(first) {
            if !first.is_empty() {
                put(wire, &RESPONSE_COMMAND, first, tag.len() + 1);
            }
            wire.name("continuation");
            return true;
        }
        put(wire, &STATUS, first, tag.len() + 1);
        let second = word(text, 2);
        if !second.is_empty() {
            put(wire, &RESPONSE_COMMAND, second, tag.len() + first.len() + 2);
        }
        wire.name(&String::from_utf8_lossy(first).to_ascii_uppercase());
        if tag == b"+" {
            return true;
        }
        if *tag == *self.login_tag {
            self.login = Login::No;
        }
        if let Some(request) = self.requests.answer(&tag.into()) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        if std::mem::take(&mut self.tls) && first.eq_ignore_ascii_case(b"OK") {
            self.next = Some(Next::Anyone);
        }
        true
    }
}

/// The mailbox among the arguments of a command, and its offset.
fn folder<'a>(command: &[u8], arguments: &'a [u8]) -> Option<(&'a [u8], usize)> {
    let first = argument(arguments, 0);
    match () {
        () if is_one_of(command, OF_FOLDERS) => Some(first.unwrap_or_default()),
        () if is_one_of(command, &["COPY", "MOVE"]) => first.and_then(|(set, from)| argument(arguments, from + set.len() + 1)),
        () => None,
    }
}

/// The argument that begins at this offset, without its quotes, and its offset.
fn argument(text: &[u8], from: usize) -> Option<(&[u8], usize)> {
    let blanks = text.get(from..)?.iter().take_while(|byte| matches!(byte, b' ' | b'"')).count();
    let is_quoted = text.get(..from + blanks)?.ends_with(b"\"");
    let rest = text.get(from + blanks..).filter(|rest| !rest.is_empty())?;
    let end = rest.iter().position(|byte| *byte == if is_quoted { b'"' } else { b' ' });
    Some((rest.get(..end.unwrap_or(rest.len()))?, from + blanks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Server, b"* OK IMAP4rev1 ready\r\n"),
        (Side::Client, b"a1 login \"anna\" moss-green\r\na2 LOGIN {4}\r\n"),
        (Side::Server, b"a1 OK in\r\n+ go on\r\n"),
        (Side::Client, b"anna {10+}\r\nmoss-green\r\n"),
        (Side::Server, b"a2 NO again\r\n"),
        (Side::Client, b"a3 AUTHENTICATE PLAIN\r\n"),
        (Side::Server, b"+ \r\n"),
        (Side::Client, b"AGFubmEAbW9zcy1ncmVlbg==\r\n"),
        (Side::Server, b"* 2 EXISTS\r\na3 OK in\r\n"),
        (Side::Client, b"a4 APPEND \"My mail\" {5}\r\n"),
        (Side::Server, b"+ OK\r\n"),
        (Side::Client, b"hello\r\na5 UID FETCH 1 (UID)\r\na6 IDLE\r\nDONE\r\n"),
        (Side::Server, b"* 1 FETCH (UID 1 BODY[] {3}\r\na\r\n BODY[1] {0}\r\n)\r\na5 OK\r\n"),
    ];

    #[test]
    fn a_session_is_dissected_line_by_line() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        imap 0..22 | OK | OK IMAP4rev1 ready
          imap.isrequest = false
          0..22 imap.line = "* OK IMAP4rev1 ready\r\n"
        imap 0..28 | LOGIN | anna
          imap.isrequest = true
          0..28 imap.line = "a1 login "anna" moss-green\r\n"
            0..26 imap.request = "a1 login "anna" moss-green"
            0..2 imap.request_tag = "a1"
            3..8 imap.request.command = "login"
            10..14 imap.request.username = "anna"
            16..26 imap.request.password = "moss-green"
            26..28 imap.line.end = 0d0a
        imap 0..14 | LOGIN
          imap.isrequest = true
          0..14 imap.line = "a2 LOGIN {4}\r\n"
            0..12 imap.request = "a2 LOGIN {4}"
            0..2 imap.request_tag = "a2"
            3..8 imap.request.command = "LOGIN"
            12..14 imap.line.end = 0d0a
        imap 0..10 | OK | OK in
          imap.isrequest = false
          0..10 imap.line = "a1 OK in\r\n"
            0..8 imap.response = "a1 OK in"
            0..2 imap.response_tag = "a1"
            3..5 imap.response.status = "OK"
            6..8 imap.response.command = "in"
            imap.response_to = 0
            8..10 imap.line.end = 0d0a
        imap 0..9 | continuation | go on
          imap.isrequest = false
          0..9 imap.line = "+ go on\r\n"
            0..7 imap.response = "+ go on"
            0..1 imap.response_tag = "+"
            2..4 imap.response.command = "go"
            7..9 imap.line.end = 0d0a
        imap 0..4 | literal
          imap.isrequest = true
          0..4 imap.request.username = "anna"
        imap 0..20 | continuation
          imap.isrequest = true
          0..8 imap.line = " {10+}\r\n"
            0..6 imap.request.continuation = " {10+}"
            6..8 imap.line.end = 0d0a
          8..18 imap.request.password = "moss-green"
          18..20 imap.line = "\r\n"
            18..20 imap.line.end = 0d0a
        imap 0..13 | NO | NO again
          imap.isrequest = false
          0..13 imap.line = "a2 NO again\r\n"
            0..11 imap.response = "a2 NO again"
            0..2 imap.response_tag = "a2"
            3..5 imap.response.status = "NO"
            6..11 imap.response.command = "again"
            imap.response_to = 0
            11..13 imap.line.end = 0d0a
        imap 0..23 | AUTHENTICATE | PLAIN
          imap.isrequest = true
          0..23 imap.line = "a3 AUTHENTICATE PLAIN\r\n"
            0..21 imap.request = "a3 AUTHENTICATE PLAIN"
            0..2 imap.request_tag = "a3"
            3..15 imap.request.command = "AUTHENTICATE"
            21..23 imap.line.end = 0d0a
        imap 0..4 | continuation
          imap.isrequest = false
          0..4 imap.line = "+ \r\n"
            0..2 imap.response = "+ "
            0..1 imap.response_tag = "+"
            2..4 imap.line.end = 0d0a
        imap 0..26 | authentication
          imap.isrequest = true
          0..26 imap.line = "AGFubmEAbW9zcy1ncmVlbg==\r\n"
            0..24 imap.request.credentials = "AGFubmEAbW9zcy1ncmVlbg=="
            24..26 imap.line.end = 0d0a
        imap 0..12 | EXISTS | 2 EXISTS
          imap.isrequest = false
          0..12 imap.line = "* 2 EXISTS\r\n"
        imap 0..10 | OK | OK in
          imap.isrequest = false
          0..10 imap.line = "a3 OK in\r\n"
            0..8 imap.response = "a3 OK in"
            0..2 imap.response_tag = "a3"
            3..5 imap.response.status = "OK"
            6..8 imap.response.command = "in"
            imap.response_to = 0
            8..10 imap.line.end = 0d0a
        imap 0..25 | APPEND | "My mail" {5}
          imap.isrequest = true
          0..25 imap.line = "a4 APPEND "My mail" {5}\r\n"
            0..23 imap.request = "a4 APPEND "My mail" {5}"
            0..2 imap.request_tag = "a4"
            3..9 imap.request.command = "APPEND"
            11..18 imap.request.folder = "My mail"
            23..25 imap.line.end = 0d0a
        imap 0..6 | OK | OK
          imap.isrequest = false
          0..6 imap.line = "+ OK\r\n"
            0..4 imap.response = "+ OK"
            0..1 imap.response_tag = "+"
            2..4 imap.response.status = "OK"
            4..6 imap.line.end = 0d0a
        imap 0..5 | literal | 5 bytes
          imap.isrequest = true
          0..5 imap.literal = "hello"
        imap 0..2 | continuation
          imap.isrequest = true
          0..2 imap.line = "\r\n"
            0..2 imap.line.end = 0d0a
        imap 0..22 | UID FETCH | 1 (UID)
          imap.isrequest = true
          0..22 imap.line = "a5 UID FETCH 1 (UID)\r\n"
            0..20 imap.request = "a5 UID FETCH 1 (UID)"
            0..2 imap.request_tag = "a5"
            3..6 imap.request.command.uid = true
            7..12 imap.request.command = "FETCH"
            20..22 imap.line.end = 0d0a
        imap 0..9 | IDLE
          imap.isrequest = true
          0..9 imap.line = "a6 IDLE\r\n"
            0..7 imap.request = "a6 IDLE"
            0..2 imap.request_tag = "a6"
            3..7 imap.request.command = "IDLE"
            7..9 imap.line.end = 0d0a
        imap 0..6 | DONE
          imap.isrequest = true
          0..6 imap.line = "DONE\r\n"
            0..4 imap.request = "DONE"
            4..6 imap.line.end = 0d0a
        imap 0..49 | FETCH | 1 FETCH (UID 1 BODY[] {3}
          imap.isrequest = false
          0..29 imap.line = "* 1 FETCH (UID 1 BODY[] {3}\r\n"
          29..32 imap.literal = "a\r\n"
          32..46 imap.line = " BODY[1] {0}\r\n"
          46..49 imap.line = ")\r\n"
        imap 0..7 | OK | OK
          imap.isrequest = false
          0..7 imap.line = "a5 OK\r\n"
            0..5 imap.response = "a5 OK"
            0..2 imap.response_tag = "a5"
            3..5 imap.response.status = "OK"
            imap.response_to = 0
            5..7 imap.line.end = 0d0a
        "#);
    }

    #[test]
    fn damaged_lines_are_survived() {
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn a_session_is_recognized_by_its_greeting_or_midway() {
        let judge = |client: &[u8], server: &[u8], start| {
            let opening = Opening { sent: [client, server], from_start: [start; 2], complete: true };
            (anywhere(&opening), recognize(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(judge(b"", b"* OK IMAP4rev1\r\n", true), (yes, yes));
        assert_eq!(judge(b"", b"* BYE\r\n", true), (no, yes));
        assert_eq!(judge(b"x\r\na1 FETCH 1 (UID)\r\n", b"", false), (no, yes));
        assert_eq!(judge(b"hello world\r\n", b"", false), (no, no));
    }

    #[test]
    fn copies_name_their_mailbox_after_the_messages() {
        for (line, name) in [
            (&b"a COPY 2:4 INBOX\r\n"[..], Some("11..16 imap.request.folder = \"INBOX\"")),
            (b"a UID MOVE 7 \"My mail\"\r\n", Some("14..21 imap.request.folder = \"My mail\"")),
            (b"a COPY 2\r\n", None),
            (b"a SEARCH ALL\r\n", None),
        ] {
            let tree = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, line)]);
            let has = name.map_or(!tree.contains("imap.request.folder"), |name| tree.contains(name));
            assert!(has, "{tree}");
        }
    }

    #[test]
    fn tls_takes_over() {
        let mut session = Session::default();
        trees_of(&PROTOCOL, &mut session, &[(Side::Client, b"a STARTTLS\r\n"), (Side::Server, b"a OK go\r\n")]);
        assert!(matches!(session.next(), Some(Next::Anyone)));
    }
}
