//! Xfire, an instant messenger for players (2003 to 2015): presence by game, chat rooms, clans, and file transfers between
//! clients.
//!
//! A client keeps one TCP connection to the server. Integers are little-endian, text is UTF-8.
//!
//! ```text
//! opening          "UA01", once, from the client
//! message          length:2 | type:2 | count:1 | attributes              length counts the whole message
//! attribute        name length:1 | name | value type:1 | value           in messages of some types
//!                  key:1 | value type:1 | value                          in messages of other types
//! value   1 string length:2 | text      4 list       type:1 | count:2 | values    7 int64  :8
//!         2 int32  :4                   5 string map count:1 | attributes         8 uint8  :1
//!         3 sid    :16                  6 did        :21                          9 byte map, as 5 with keys
//!
//! datagram         key:1 | 0:3 | moniker:20 | type:4 | id:4 | sequence:4 | length:4 | 0:4
//!                  then with data, XORed with the key: 0:4 | message | category:16 | CRC-32:4
//! probe            "SC01" | 04 5a cb 00 | 1:4 | stage:4 | port:2 (big-endian)
//! reply            "CK01" | address:4 | port:2
//! ```
//! A message in a datagram of category `DL` has a length of 4 bytes. Files are reassembled from their chunks.
//!
//! A stream that contains an address announces datagrams there, with the monikers of both users.

mod attr;
mod fields;
mod files;
mod heuristics;
mod keys;
mod p2p;
mod packets;
mod rows;
mod scan;
mod state;
mod step;
mod summary;
#[cfg(test)]
mod tests;
mod values;

use crate::tree::{BySide, Side, name_of};
use crate::wire::{
    Beginning, Conversation, Cut, Error, Extent, Heuristic, KeyName, Missing, On, Protocol, Result, Setting, Settings, ValueKind,
    Wire,
};
use attr::Reader;
use fields::*;
use files::Sent;
use packets::{FILE_FIRST, FILE_LAST, GROUP_CHAT, Keys, LOGIN_REQUEST, PEER_MESSAGE, PEER_MESSAGE_IN, SESSION_IDS, packet};
use rows::Rows;
use scan::ValidExtent;
use state::{State, quoted, user_label};
use step::Step;
use values::Values;

pub static PROTOCOL: Protocol = Protocol::new(&XFIRE, FIELDS)
    .found(&[
        On::Tcp(25999).stream_with(Heuristic::Stream(heuristics::on_port), open),
        On::AnyTcp.stream_with(Heuristic::Stream(heuristics::anywhere), open),
        On::Udp(9856).exchange::<p2p::Peers>(Heuristic::Datagram(p2p::is_nat)),
        On::AnyUdp.exchange::<p2p::Peers>(Heuristic::Datagram(p2p::is_any)),
        On::Over(p2p::ANNOUNCED).exchange::<p2p::Peers>(Heuristic::Datagram(p2p::may_be_p2p)),
    ])
    .rest(&UNPARSED)
    .truncated(&TRUNCATED)
    .gap(&GAP)
    .keys(&[KeyName::new("password", "Password that logins are checked with, in UTF-8")])
    .settings(&[
        Setting { name: "xfire.password", about: "Password that logins are checked with", takes: ValueKind::Value },
        Setting {
            name: "xfire.passwords",
            about: "File of lines NAME:PASSWORD that logins are checked with",
            takes: ValueKind::File,
        },
    ]);

/// Sent by a client before its first message.
const HELLO: [u8; 4] = *b"UA01";

/// Whole content of a connection test, from client and server.
const TEST: [u8; 4] = *b"test";
const ANSWER: [u8; 7] = *b"success";

/// Size of length, type and count of a message in bytes.
const HEADER: usize = 5;

/// State of a connection.
#[derive(Default)]
struct Session {
    steps: BySide<Step>,
    state: State,
}

fn open(settings: &Settings) -> Box<dyn Conversation> {
    Box::new(Session { state: State::new(settings), ..Session::default() })
}

impl Conversation for Session {
    fn begins(&mut self, beginning: &Beginning) {
        self.state.owner = Some(beginning.owner());
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.steps[from].extent(from, ahead, more)
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        // Attributes follow the header.
        ahead.is_empty() || ahead.len() > HEADER
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if wire.cut() == Cut::No {
            match (from, wire.ahead()) {
                (Side::Client, b"UA01") => return magic(wire, "hello"),
                (Side::Client, b"test") => return magic(wire, "connection_test"),
                (Side::Server, b"success") => return magic(wire, "connection_answer"),
                _ => {}
            }
        }
        let length = wire.u16_le(&LENGTH)?;
        if usize::from(length) < HEADER {
            wire.name("broken");
            wire.note(&BAD_LENGTH, format_args!("{length} bytes; the minimum is {HEADER}"));
            return Err(Error::Malformed);
        }
        body(wire, Some(from), &mut self.state, None)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.state.memory_usage()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            self.steps[from].mark_gap();
        }
    }
}

fn magic(wire: &mut Wire<'_>, name: &str) -> Result {
    wire.name(name);
    wire.rest_is(&MAGIC)
}

/// Dissects a message after its length; `sent` receives file contents.
fn body(wire: &mut Wire<'_>, from: Option<Side>, state: &mut State, sent: Option<Sent<'_>>) -> Result {
    let kind = wire.u16_le(&TYPE)?;
    let known = packet(kind);
    match name_of(packets::TYPES, kind.into()) {
        Some(name) => wire.name(name),
        None => wire.name(&format!("unknown_{kind}")),
    }
    if known.is_none() {
        wire.note(&UNKNOWN_TYPE, format_args!("the message type {kind} is unknown"));
    }
    if let (Some(from), Some(speaker)) = (from, known.and_then(|packet| packet.from))
        && from != speaker
    {
        wire.note(&WRONG_DIRECTION, format_args!("not expected {}", from.direction()));
    }
    let count = usize::from(wire.u8(&ATTR_COUNT)?);
    let (bytes, base) = (wire.ahead(), wire.at());
    let mode = Mode::of(kind, bytes, count, wire.cut() != Cut::No);
    mode.add(wire, known.is_some() && kind != SESSION_IDS);

    let has_rows = packets::has_rows(kind);
    let mut reader = Reader::new(kind, &mut state.users, has_rows);
    let result = match mode {
        Mode::One { keys, .. } => reader.attributes(wire, keys, count),
        Mode::Mixed(named) => {
            reader.attributes(wire, Keys::Named, named).and_then(|()| reader.attributes(wire, Keys::Numbered, count - named))
        }
    };
    let Reader { values, lists, .. } = reader;
    let rows = if has_rows && lists.iter().flatten().count() > 1 {
        rows::rows(wire, lists, bytes, base, &mut state.users)
    } else {
        Rows::default()
    };
    let is_peer_message = kind == PEER_MESSAGE || kind == PEER_MESSAGE_IN;
    if is_peer_message && result.is_ok() && values.number(&MSGTYPE).is_none() {
        wire.note_layer(&NO_MSGTYPE, format_args!("the peer message has no message type"));
    }
    if let Some(from) = from {
        if is_peer_message {
            state.pair(from, &values, wire);
        } else {
            state.take(kind, from, &values, wire);
        }
    }
    if let (Some(sent), Ok(())) = (sent, result) {
        sent.take(kind, &values, wire);
    }
    line(wire, kind, &values, &rows, state);
    let left = wire.remaining();
    if result.is_ok() && left > 0 && wire.cut() == Cut::No {
        return wire.malformed(&TRAILING_BYTES, format_args!("{left} bytes after the last attribute"));
    }
    result
}

/// Keys of the attributes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All of one kind; `is_listed` if it is the usual one of the message type.
    One { keys: Keys, is_listed: bool },
    /// This many named attributes, then numbered ones, as some servers send.
    Mixed(usize),
}

impl Mode {
    /// Kind of keys for which the attributes end with the message. The two are exclusive: the length of a name would be a numeric
    /// key, and the first letter of the name a value type, which are all smaller than letters.
    fn of(kind: u16, bytes: &[u8], count: usize, is_cut: bool) -> Mode {
        let listed = packets::keys(kind, bytes.first().copied());
        let reach = |keys| scan::attributes(bytes, keys, count);
        let as_listed = Mode::One { keys: listed, is_listed: true };
        let first = reach(listed);
        if first.fits(bytes.len()) || (is_cut && first.why == Some(scan::Invalid::Short)) {
            return as_listed;
        }
        let other = reach(listed.other());
        let as_other = Mode::One { keys: listed.other(), is_listed: false };
        if other.fits(bytes.len()) {
            return as_other;
        }
        if let Some(named) = Mode::named(if listed == Keys::Named { first } else { other }, bytes, count) {
            return Mode::Mixed(named);
        }
        if other.at > first.at && first.why.is_some() { as_other } else { as_listed }
    }

    /// Number of named attributes if all others are numbered.
    fn named(reach: ValidExtent, bytes: &[u8], count: usize) -> Option<usize> {
        let rest = bytes.get(reach.end..).filter(|_| reach.why.is_some() && reach.whole > 0)?;
        scan::attributes(rest, Keys::Numbered, count - reach.whole).fits(rest.len()).then_some(reach.whole)
    }

    fn add(self, wire: &mut Wire<'_>, is_certain: bool) {
        let (text, is_odd) = match self {
            Mode::One { keys: Keys::Named, is_listed } => ("string", !is_listed),
            Mode::One { keys: Keys::Numbered, is_listed } => ("byte", !is_listed),
            Mode::Mixed(_) => ("mixed", false),
        };
        wire.add_text(&KEY_MODE, format_args!("{text}"));
        if is_odd && is_certain {
            wire.note(&KEY_MODE_UNEXPECTED, format_args!("{text} keys, which messages of this type do not have"));
        }
        if let Mode::Mixed(named) = self {
            wire.note(&MIXED_KEYS, format_args!("{named} attributes with names, then others with numbers"));
        }
    }
}

/// Sets the heading of a message.
fn line(wire: &mut Wire<'_>, kind: u16, values: &Values<'_>, rows: &Rows<'_>, state: &State) {
    match kind {
        LOGIN_REQUEST => {
            if let Some(name) = values.text(&NAME) {
                wire.info(format_args!("{name}"));
            }
        }
        PEER_MESSAGE | PEER_MESSAGE_IN => peer_line(wire, kind, values, state),
        GROUP_CHAT => {
            let Some(request) = values.number(&CLIMSG) else { return };
            match name_of(keys::CLIMSGS, request.into()) {
                Some(name) => {
                    let text = quoted(values.text(&MESSAGE).or(values.text(&ROOM_NAME)));
                    let between = if text.is_empty() { "" } else { " " };
                    wire.info(format_args!("{name}{between}{text}"));
                }
                None => wire.info(format_args!("request {request}")),
            }
        }
        FILE_FIRST..=FILE_LAST => {
            let name = quoted(values.text(&FILE_NAME));
            let between = if name.is_empty() { "" } else { " " };
            let id = values.number(&FILE_ID).unwrap_or_default();
            wire.info(format_args!("file {id:#010x}{between}{name}"));
        }
        _ if rows.count > 0 => wire.info(format_args!("{rows}")),
        _ => wire.info(format_args!("{}", values.line(&state.users))),
    }
}

/// Sets the heading of a peer message. Names or numbers of sessions replace session IDs, which are secret.
fn peer_line(wire: &mut Wire<'_>, kind: u16, values: &Values<'_>, state: &State) {
    let user = user_label(&state.users, values.bytes(&SID));
    let preposition = if kind == PEER_MESSAGE { "to" } else { "from" };
    let user = user.map(|user| format!(" {preposition} {user}")).unwrap_or_default();
    let number = values.number(&IMINDEX).unwrap_or_default();
    match values.number(&MSGTYPE) {
        Some(0) => wire.info(format_args!("IM #{number}{user}: {}", quoted(values.text(&IM)))),
        Some(1) => wire.info(format_args!("acknowledgement #{number}{user}")),
        Some(2) => wire.info(format_args!("address{user}: {}", values.line(&state.users))),
        Some(3) => {
            let typing = if values.number(&TYPING) == Some(0) { "no longer typing" } else { "typing" };
            wire.info(format_args!("{typing}{user}"));
        }
        Some(other) => wire.info(format_args!("message type {other}{user}")),
        None => wire.info(format_args!("{}", values.line(&state.users))),
    }
}
