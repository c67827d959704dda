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

mod client;
mod recognize;
mod server;

use super::lines;
use crate::limits;
use crate::tree::{BySide, Side, Value, fields};
use crate::wire::statistics::LoginFields;
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, Next, On, Protocol, Requests, Result, Resumption, Wire};
use recognize::{anywhere, recognize};

pub static PROTOCOL: Protocol = Protocol::new(&IMAP, FIELDS)
    .found(&[
        On::Tcp(143).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
    ])
    .rest(&DATA);

pub static LOGIN: LoginFields = LoginFields::plain(["imap", "IMAP", "imap.request.username"], &["imap.request.password"]);

fields! {
    IMAP = protocol("imap", "IMAP", "Internet Message Access Protocol")
        .covers("Commands, responses and literals; switch to TLS after STARTTLS")
        .leaves_open("The structure of responses, contents of mails, compression");
    IS_REQUEST = bool("imap.isrequest", "request", "True in messages of the client").once().per_packet();
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

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        /// Longest tag of a command; clients use shorter ones.
        const TAG: usize = 32;
        let begins = |line: &[u8]| {
            let tag = memchr::memchr(b' ', line.get(..TAG).unwrap_or(line)).filter(|tag| *tag > 0);
            let is = |words| tag.is_some_and(|tag| lines::is_command(line.get(tag + 1..).unwrap_or_default(), words));
            is(OF_FOLDERS) || is(OTHERS) || lines::is_command(line, &["DONE"])
        };
        match from {
            Side::Client => lines::resumes(ahead, begins),
            Side::Server => Resumption::Anywhere,
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

#[cfg(test)]
mod tests;
