//! Xfire: an instant messenger for players, 2003 to 2015, with presence by game, chat rooms, clans and files sent from
//! one client to another.
//!
//! A client keeps one TCP connection to the server. Numbers are little-endian, text is UTF-8.
//!
//! ```text
//! opening          "UA01", once, from the client
//! message          length:2 | type:2 | count:1 | attributes              length counts the whole message
//! attribute        name length:1 | name | value type:1 | value           in messages of some types
//!                  key:1 | value type:1 | value                          in those of the others
//! value   1 string length:2 | text      4 list       type:1 | count:2 | values    7 int64  :8
//!         2 int32  :4                   5 string map count:1 | attributes         8 uint8  :1
//!         3 sid    :16                  6 did        :21                          9 byte map, as 5 with keys
//!
//! datagram         key:1 | 0:3 | moniker:20 | type:4 | id:4 | sequence:4 | length:4 | 0:4
//!                  and with data, combined with the key: 0:4 | message | category:16 | CRC-32:4
//! probe            "SC01" | 04 5a cb 00 | 1:4 | stage:4 | port:2 (big-endian)
//! reply            "CK01" | address:4 | port:2
//! ```
//! A message in a datagram of category `DL` has a length of 4 bytes. Files are joined from their parts.
//!
//! A stream that tells an address announces the datagrams there, and whose monikers they carry.

mod attr;
mod facts;
mod fields;
mod files;
mod keys;
mod looks;
mod p2p;
mod packets;
mod rows;
mod scan;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod words;

use crate::tree::{Side, name_of};
use crate::wire::{Conversation, Cut, Error, Extent, Looks, Missing, On, Protocol, Result, Setting, Settings, Takes, Wire};
use attr::Reader;
use facts::Facts;
use fields::*;
use files::Sent;
use packets::{FILE_FIRST, FILE_LAST, GROUP_CHAT, Keys, LOGIN_REQUEST, PEER_MESSAGE, PEER_MESSAGE_IN, SESSION_IDS, packet};
use rows::Rows;
use scan::Reach;
use state::{State, quoted, whom};
use step::Step;

/// Xfire.
pub static PROTOCOL: Protocol = Protocol {
    this: &XFIRE,
    fields: FIELDS,
    found: &[
        On::Tcp(25999).stream(Looks::Stream(looks::on_port), open),
        On::AnyTcp.stream(Looks::Stream(looks::anywhere), open),
        On::Udp(9856).exchange(Looks::Datagram(p2p::is_nat), p2p::open),
        On::AnyUdp.exchange(Looks::Datagram(p2p::is_any), p2p::open),
        On::Over(p2p::ANNOUNCED).exchange(Looks::Datagram(p2p::may_be_p2p), p2p::open),
    ],
    rest: Some(&UNPARSED),
    truncated: Some(&TRUNCATED),
    gap: Some(&GAP),
    tables: None,
    settings: &[
        Setting { name: "xfire.password", about: "Password that logins are checked with", takes: Takes::Value },
        Setting {
            name: "xfire.passwords",
            about: "File of lines NAME:PASSWORD that logins are checked with",
            takes: Takes::File,
        },
    ],
};

/// What a client says before its first message.
const HELLO: [u8; 4] = *b"UA01";

/// All that a client says to test a connection, and all that it is answered.
const TEST: [u8; 4] = *b"test";
const ANSWER: [u8; 7] = *b"success";

/// Bytes of a message's length, type and count.
const HEADER: usize = 5;

/// What one connection has to remember.
#[derive(Default)]
struct Session {
    steps: [Step; 2],
    state: State,
}

fn open(settings: &Settings) -> Box<dyn Conversation> {
    Box::new(Session { state: State::new(settings), ..Session::default() })
}

impl Session {
    fn step(&mut self, from: Side) -> &mut Step {
        let [client, server] = &mut self.steps;
        match from {
            Side::Client => client,
            Side::Server => server,
        }
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.step(from).extent(from, ahead, more)
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
            wire.note(&BAD_LENGTH, format_args!("{length} bytes; no message has fewer than {HEADER}"));
            return Err(Error::Malformed);
        }
        body(wire, Some(from), &mut self.state, None)
    }

    fn held(&self) -> usize {
        size_of_val(self) + self.state.held()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            self.step(from).lose();
        }
    }
}

fn magic(wire: &mut Wire<'_>, name: &str) -> Result {
    wire.name(name);
    wire.rest(&MAGIC);
    Ok(())
}

/// A message behind its length; `sent` is where files go that are sent in it.
fn body(wire: &mut Wire<'_>, from: Option<Side>, state: &mut State, sent: Option<Sent<'_>>) -> Result {
    let kind = wire.u16_le(&TYPE)?;
    let known = packet(kind);
    match name_of(packets::TYPES, kind.into()) {
        Some(name) => wire.name(name),
        None => wire.name(&format!("unknown_{kind}")),
    }
    if known.is_none() {
        wire.note(&UNKNOWN_TYPE, format_args!("no message type {kind} is known"));
    }
    if let (Some(from), Some(speaker)) = (from, known.and_then(|packet| packet.from))
        && from != speaker
    {
        wire.note(&WRONG_DIRECTION, format_args!("not expected {}", from.direction()));
    }
    let count = usize::from(wire.u8(&ATTR_COUNT)?);
    let (bytes, base) = (wire.ahead(), wire.at());
    let mode = Mode::of(kind, bytes, count, wire.cut() != Cut::No);
    mode.tell(wire, known.is_some() && kind != SESSION_IDS);

    let has_rows = packets::has_rows(kind);
    let mut reader = Reader::new(kind, &mut state.users, has_rows);
    let result = match mode {
        Mode::One { keys, .. } => reader.attributes(wire, keys, count),
        Mode::Mixed(named) => {
            reader.attributes(wire, Keys::Named, named).and_then(|()| reader.attributes(wire, Keys::Numbered, count - named))
        }
    };
    let Reader { facts, lists, .. } = reader;
    let rows = if has_rows && lists.iter().flatten().count() > 1 {
        rows::rows(wire, lists, bytes, base, &mut state.users)
    } else {
        Rows::default()
    };
    let is_peer_message = kind == PEER_MESSAGE || kind == PEER_MESSAGE_IN;
    if is_peer_message && result.is_ok() && facts.number(&MSGTYPE).is_none() {
        wire.note_layer(&NO_MSGTYPE, format_args!("nothing says what it is"));
    }
    if let Some(from) = from {
        if is_peer_message {
            state.pair(from, &facts, wire);
        } else {
            state.take(kind, from, &facts, wire);
        }
    }
    if let (Some(sent), Ok(())) = (sent, result) {
        sent.take(kind, &facts, wire);
    }
    line(wire, kind, &facts, &rows, state);
    let left = wire.remaining();
    if result.is_ok() && left > 0 && wire.cut() == Cut::No {
        return wire.malformed(&TRAILING_BYTES, format_args!("{left} bytes behind the last attribute"));
    }
    result
}

/// How the attributes of a message are keyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All alike; as others of its type are, or not.
    One { keys: Keys, is_listed: bool },
    /// So many with names, then numbers: a server that has both in one message really exists.
    Mixed(usize),
}

impl Mode {
    /// The kind that fits to the last byte. At most one does: what is the length of a name in one is a key in the other,
    /// and then the first letter of the name would be a type of values, which all are smaller than any letter.
    fn of(kind: u16, bytes: &[u8], count: usize, is_cut: bool) -> Mode {
        let listed = packets::keys(kind, bytes.first().copied());
        let reach = |keys| scan::attributes(bytes, keys, count);
        let as_listed = Mode::One { keys: listed, is_listed: true };
        let first = reach(listed);
        if first.fits(bytes.len()) || (is_cut && first.why == Some(scan::Why::Short)) {
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

    /// How many attributes have names, if all others have numbers.
    fn named(reach: Reach, bytes: &[u8], count: usize) -> Option<usize> {
        let rest = bytes.get(reach.end..).filter(|_| reach.why.is_some() && reach.whole > 0)?;
        scan::attributes(rest, Keys::Numbered, count - reach.whole).fits(rest.len()).then_some(reach.whole)
    }

    fn tell(self, wire: &mut Wire<'_>, is_certain: bool) {
        let (words, is_odd) = match self {
            Mode::One { keys: Keys::Named, is_listed } => ("string", !is_listed),
            Mode::One { keys: Keys::Numbered, is_listed } => ("byte", !is_listed),
            Mode::Mixed(_) => ("mixed", false),
        };
        wire.add_text(&KEY_MODE, format_args!("{words}"));
        if is_odd && is_certain {
            wire.note(&KEY_MODE_UNEXPECTED, format_args!("{words} keys, which messages of this type do not have"));
        }
        if let Mode::Mixed(named) = self {
            wire.note(&MIXED_KEYS, format_args!("{named} attributes with names, then others with numbers"));
        }
    }
}

/// What a message says, in a line.
fn line(wire: &mut Wire<'_>, kind: u16, facts: &Facts<'_>, rows: &Rows<'_>, state: &State) {
    match kind {
        LOGIN_REQUEST => {
            if let Some(name) = facts.text(&NAME) {
                wire.info(format_args!("{name}"));
            }
        }
        PEER_MESSAGE | PEER_MESSAGE_IN => peer_line(wire, kind, facts, state),
        GROUP_CHAT => {
            let Some(request) = facts.number(&CLIMSG) else { return };
            match name_of(keys::CLIMSGS, request.into()) {
                Some(name) => {
                    let said = quoted(facts.text(&MESSAGE).or(facts.text(&ROOM_NAME)));
                    let between = if said.is_empty() { "" } else { " " };
                    wire.info(format_args!("{name}{between}{said}"));
                }
                None => wire.info(format_args!("request {request}")),
            }
        }
        FILE_FIRST..=FILE_LAST => {
            let name = quoted(facts.text(&FILE_NAME));
            let between = if name.is_empty() { "" } else { " " };
            let id = facts.number(&FILE_ID).unwrap_or_default();
            wire.info(format_args!("file {id:#010x}{between}{name}"));
        }
        _ if rows.count > 0 => wire.info(format_args!("{rows}")),
        _ => wire.info(format_args!("{}", facts.line(&state.users))),
    }
}

/// What one user says to another. Session ids are secrets: names of users or numbers stand for them.
fn peer_line(wire: &mut Wire<'_>, kind: u16, facts: &Facts<'_>, state: &State) {
    let user = whom(&state.users, facts.bytes(&SID));
    let preposition = if kind == PEER_MESSAGE { "to" } else { "from" };
    let user = user.map(|user| format!(" {preposition} {user}")).unwrap_or_default();
    let number = facts.number(&IMINDEX).unwrap_or_default();
    match facts.number(&MSGTYPE) {
        Some(0) => wire.info(format_args!("IM #{number}{user}: {}", quoted(facts.text(&IM)))),
        Some(1) => wire.info(format_args!("acknowledgement #{number}{user}")),
        Some(2) => wire.info(format_args!("address{user}: {}", facts.line(&state.users))),
        Some(3) => {
            let typing = if facts.number(&TYPING) == Some(0) { "no longer typing" } else { "typing" };
            wire.info(format_args!("{typing}{user}"));
        }
        Some(other) => wire.info(format_args!("message type {other}{user}")),
        None => wire.info(format_args!("{}", facts.line(&state.users))),
    }
}
