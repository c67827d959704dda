//! Common messages: actions and chat of users, relayed by the server.

use super::users::{Called, Chat, Users};
use super::values::{Brief, Bytes, at_least, id, peek, real, text};
use super::*;
use crate::tree::{Field, Side, Value, name_of};
use crate::wire::{Cut, Error, Result, Wire};
use std::fmt;
use std::ops::Range;

const TRANSFORM_UPDATE: u32 = 2;
const CHAT_SEND: u32 = 9;
const CHARACTER_UPDATE: u32 = 12;
const NAME_CHANGE: u32 = 13;
const AVATAR_CHANGE: u32 = 14;
const PRIVATE_CHAT: u32 = 15;
const VC_REGISTER: u32 = 16;
const VOICE: u32 = 18;
/// Captured, but undocumented; servers treat other unassigned types as script calls.
const UNKNOWN_19: u32 = 19;
const APPL_SPECIFIC: u32 = 10_000;

const SPECIFIC: u8 = 2;
const STRATEGY_MAX: u8 = 6;

/// Bytes before the type-specific part.
const HEADER: usize = 9;

const TRANSFORM: usize = 48;
const VOICE_LEN: usize = 6;
const APPL_MIN: usize = 7;
const PRIVATE_MIN: usize = 5;

/// Requests answered by the master; their number identifies the requester.
const REQUESTS: [&[u8]; 2] = [b"startAreaRequest", b"broadcastRequest"];

/// Control words of a private chat, their meaning, and the resulting chat state, if it changes.
const CONTROLS: &[(&[u8], &str, Option<Chat>)] = &[
    (b"%%REQ", "request", Some(Chat::Asked)),
    (b"%%RINGING", "ringing", Some(Chat::Ringing)),
    (b"%%ACCEPT", "accept", Some(Chat::Open)),
    (b"%%REJECT", "reject", Some(Chat::Closed)),
    (b"%%OK", "ok", Some(Chat::Open)),
    (b"%%BUSY", "busy", Some(Chat::Closed)),
    (b"%%END", "end", Some(Chat::Closed)),
    (b"%%SILENT", "silent", Some(Chat::Closed)),
];

/// Header of a common message.
#[derive(Clone, Copy)]
struct Head {
    id: i32,
    kind: u32,
    strategy: u8,
}

pub(super) fn common(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let head = at_least(wire, HEADER, |wire| head(wire, from, users))?;
    match head.kind {
        TRANSFORM_UPDATE => at_least(wire, TRANSFORM, |wire| transform_update(wire, head, users)),
        CHAT_SEND => at_least(wire, 1, |wire| chat_send(wire, head, users)),
        CHARACTER_UPDATE => at_least(wire, 1, |wire| character_update(wire, head, users)),
        NAME_CHANGE => at_least(wire, 1, |wire| name_change(wire, head, users)),
        AVATAR_CHANGE => at_least(wire, 1, |wire| avatar_change(wire, head, users)),
        PRIVATE_CHAT => at_least(wire, PRIVATE_MIN, |wire| private_chat(wire, from, head, users)),
        VOICE => at_least(wire, VOICE_LEN, |wire| voice_state(wire, head, users)),
        APPL_SPECIFIC => at_least(wire, APPL_MIN, |wire| appl_specific(wire, from, head, users)),
        VC_REGISTER | UNKNOWN_19 => unknown(wire, head),
        _ if wire.cut() == Cut::No && is_appl(wire.ahead()) => {
            wire.name("appl_specific (by shape)");
            appl_specific(wire, from, head, users)
        }
        _ => unknown(wire, head),
    }
}

fn head(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result<Head> {
    // An object may have the number of a user; only the receiver of a call is certainly one.
    let is_object = peek(wire, 4).is_some_and(is_call) && wire.ahead().get(HEADER - 1) != Some(&SPECIFIC);
    let common = id(wire, &COMMON_ID, |id| users.by_broadcast(id).filter(|_| !is_object))?;
    let kind = wire.u32_be(&COMMON_TYPE)?;
    if let Some(name) = name_of(TYPES, kind.into()) {
        wire.name(name);
    }
    let Some(strategy) = wire.peek_u8() else { return Err(Error::Short { needed: 1 }) };
    let head = Head { id: common, kind, strategy };
    if from == Side::Client && is_of_sender(kind) {
        users.seen_broadcast(common);
    }
    wire.parent(&STRATEGY, Value::Unsigned(strategy.into()), |wire| {
        let range = wire.at()..wire.at() + 1;
        wire.skip(1)?;
        receivers(wire, range, from, head, users);
        Ok(())
    })?;
    if strategy > STRATEGY_MAX {
        wire.note(&NOTE_VALUE, format_args!("strategy {strategy} is unknown"));
    }
    Ok(head)
}

/// Whether the ID of this message type is the sender's.
fn is_of_sender(kind: u32) -> bool {
    matches!(kind, TRANSFORM_UPDATE | CHAT_SEND | CHARACTER_UPDATE | NAME_CHANGE | AVATAR_CHANGE | VOICE)
}

/// Whether this message type calls a script.
fn is_call(kind: u32) -> bool {
    !is_of_sender(kind) && !matches!(kind, PRIVATE_CHAT | VC_REGISTER | UNKNOWN_19)
}

/// Adds the receivers of the message as text.
fn receivers(wire: &mut Wire<'_>, range: Range<usize>, from: Side, head: Head, users: &Users) {
    if let Some(words) = receivers_of(from, head, users) {
        wire.put_text(&RECEIVERS, range, format_args!("{words}"));
    }
}

fn receivers_of(from: Side, head: Head, users: &Users) -> Option<Receivers<'_>> {
    let is_for_nobody = head.id == NO_OBJECT && head.kind == APPL_SPECIFIC;
    Some(match head.strategy {
        0 if !is_for_nobody => Receivers::Words("all in the aura, sender too"),
        1 if !is_for_nobody => Receivers::Words("all in the aura but the sender"),
        SPECIFIC if is_for_nobody => Receivers::Words("the master client"),
        // Some servers put the sender's ID into relayed messages.
        SPECIFIC if from == Side::Server && head.kind == PRIVATE_CHAT => Receivers::User(users.name_me()),
        SPECIFIC => Receivers::User(users.name(head.id)),
        0 | 3 if is_for_nobody => Receivers::Words("everyone"),
        1 | 4 => Receivers::Words("everyone but the sender"),
        3 => Receivers::Words("everyone, sender too"),
        5 if is_for_nobody => Receivers::Words("everyone (a guess)"),
        6 if is_for_nobody => Receivers::Words("everyone but the sender (a guess)"),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Receivers<'u> {
    Words(&'static str),
    User(Called<'u>),
}

impl fmt::Display for Receivers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Receivers::Words(words) => f.write_str(words),
            Receivers::User(user) => user.fmt(f),
        }
    }
}

fn unknown(wire: &mut Wire<'_>, head: Head) -> Result {
    let size = Bytes(wire.remaining());
    match name_of(TYPES, head.kind.into()) {
        Some(_) => wire.info(format_args!("{size}")),
        None => wire.info(format_args!("type {}, {size}", head.kind)),
    }
    Err(Error::Malformed)
}

fn transform_update(wire: &mut Wire<'_>, head: Head, users: &Users) -> Result {
    let user_name = users.name(head.id);
    wire.info(format_args!("{user_name} moved"));
    let m11 = real(wire, &M11, &M11_RAW)?;
    real(wire, &M12, &M12_RAW)?;
    real(wire, &M13, &M13_RAW)?;
    let m21 = real(wire, &M21, &M21_RAW)?;
    real(wire, &M22, &M22_RAW)?;
    real(wire, &M23, &M23_RAW)?;
    let m31 = real(wire, &M31, &M31_RAW)?;
    let m32 = real(wire, &M32, &M32_RAW)?;
    let m33 = real(wire, &M33, &M33_RAW)?;
    let x = real(wire, &TRANSFORM_X, &TRANSFORM_X_RAW)?;
    let y = real(wire, &TRANSFORM_Y, &TRANSFORM_Y_RAW)?;
    let z = real(wire, &TRANSFORM_Z, &TRANSFORM_Z_RAW)?;
    for (field, turn) in [(&ROT_X, m32.atan2(m33)), (&ROT_Y, (-m31).atan2(m32.hypot(m33))), (&ROT_Z, m21.atan2(m11))] {
        // Adding 0 removes a negative zero.
        wire.add(field, Value::Double(turn.to_degrees() + 0.0));
    }
    wire.info(format_args!("{user_name} moved to {x:.2} {y:.2} {z:.2}"));
    Ok(())
}

fn chat_send(wire: &mut Wire<'_>, head: Head, users: &Users) -> Result {
    let user_name = users.name(head.id);
    wire.info(format_args!("{user_name} speaks"));
    let message = text(wire, &CHAT_MESSAGE, users.charset)?;
    wire.info(format_args!("{}", ChatText(user_name, &message)));
    Ok(())
}

/// Chat text. It usually starts with the user's name, which is then omitted.
struct ChatText<'a>(Called<'a>, &'a [u8]);

impl<'a> ChatText<'a> {
    /// The text without a leading user name.
    fn without_name(&self) -> Option<&'a [u8]> {
        let name = self.0.name();
        self.1.strip_prefix(name.as_bytes())?.strip_prefix(b": ").filter(|_| !name.is_empty())
    }
}

impl fmt::Display for ChatText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.without_name() {
            Some(rest) => write!(f, "{}: {}", self.0, Brief(rest)),
            None => write!(f, "{} says \"{}\"", self.0, Brief(self.1)),
        }
    }
}

fn character_update(wire: &mut Wire<'_>, head: Head, users: &Users) -> Result {
    let user_name = users.name(head.id);
    wire.info(format_args!("{user_name}"));
    let start = wire.at();
    let data = text(wire, &CHARACTER_DATA, users.charset)?;
    let Some(character) = Character::of(&data) else {
        wire.info(format_args!("{user_name}: {}", Brief(&data)));
        return Ok(());
    };
    for (field, (range, value)) in [(&SLEEP, &character.sleep), (&AVATAR_NUMBER, &character.avatar)] {
        put_number(wire, field, start, range, *value);
    }
    let body = start + character.body.start..start + character.body.end;
    wire.put(&BODY, Value::Text, body);
    for (field, (range, value)) in [(&MINUTES, &character.minutes), (&MEDAL, &character.medal)] {
        put_number(wire, field, start, range, *value);
    }
    let (_, medal) = character.medal;
    let medal = name_of(MEDALS, medal);
    if medal.is_none() {
        wire.note(&NOTE_VALUE, format_args!("medal {} is unknown", character.medal.1));
    }
    let sleep = if character.sleep.1 == 0 { "awake" } else { "asleep" };
    wire.info(format_args!("{user_name}: {sleep}, avatar {} for {} min", character.avatar.1, character.minutes.1));
    Ok(())
}

fn put_number(wire: &mut Wire<'_>, field: &'static Field, start: usize, range: &Range<usize>, value: u64) {
    wire.put(field, Value::Unsigned(value), start + range.start..start + range.end);
}

/// Parts of `sleep:1 1:000000000000:58:0:`, each with its range in the text.
struct Character {
    sleep: (Range<usize>, u64),
    avatar: (Range<usize>, u64),
    body: Range<usize>,
    minutes: (Range<usize>, u64),
    medal: (Range<usize>, u64),
}

impl Character {
    fn of(text: &[u8]) -> Option<Character> {
        let mut at = 0;
        let mut part = |end: u8| {
            let range = at..at + memchr::memchr(end, text.get(at..)?)?;
            at = range.end + 1;
            Some(range)
        };
        let word = part(b':')?;
        let (sleep, avatar) = (part(b' ')?, part(b':')?);
        let (body, minutes, medal) = (part(b':')?, part(b':')?, part(b':')?);
        let number = |range: Range<usize>| {
            let digits = text.get(range.clone()).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
            Some((range, std::str::from_utf8(digits).ok()?.parse().ok()?))
        };
        let is_whole = text.get(word)? == b"sleep" && at == text.len();
        let character =
            Character { sleep: number(sleep)?, avatar: number(avatar)?, body, minutes: number(minutes)?, medal: number(medal)? };
        is_whole.then_some(character)
    }
}

fn name_change(wire: &mut Wire<'_>, head: Head, users: &mut Users) -> Result {
    wire.info(format_args!("{} has another name", users.name(head.id)));
    let name = text(wire, &NAME, users.charset)?;
    wire.info(format_args!("{} is now called {}", users.name(head.id), Brief(&name)));
    users.renamed(head.id, &name);
    Ok(())
}

fn avatar_change(wire: &mut Wire<'_>, head: Head, users: &mut Users) -> Result {
    wire.info(format_args!("{} has another avatar", users.name(head.id)));
    let avatar = text(wire, &AVATAR, users.charset)?;
    wire.info(format_args!("{} is now {}", users.name(head.id), Brief(&avatar)));
    users.changed(head.id, &avatar);
    Ok(())
}

fn private_chat(wire: &mut Wire<'_>, from: Side, head: Head, users: &mut Users) -> Result {
    let sender = id(wire, &PRIVATE_FROM, |id| users.by_broadcast(id))?;
    if from == Side::Client {
        users.seen_broadcast(sender);
    }
    let (to, partner) = match from {
        Side::Client => (users.name(head.id), head.id),
        Side::Server => (users.name_me(), sender),
    };
    let user_name = users.name(sender);
    wire.info(format_args!("{user_name} to {to}"));
    let start = wire.at();
    let message = text(wire, &PRIVATE_MESSAGE, users.charset)?;
    let range = start..wire.at();
    let before = users.chat(partner);
    let control = CONTROLS.iter().find(|(word, ..)| *word == &*message);
    let after = match control {
        // Requests keep an open chat alive.
        Some((_, _, Some(Chat::Asked))) if before == Some(Chat::Open) => Chat::Open,
        Some((_, _, Some(after))) => *after,
        _ => Chat::Open,
    };
    match control {
        Some((_, meaning, _)) => {
            wire.put_text(&PRIVATE_CONTROL, range.clone(), format_args!("{meaning}"));
            let again = if *meaning == "request" && before == Some(Chat::Open) { " (keep-alive)" } else { "" };
            wire.info(format_args!("{user_name} to {to}: {meaning}{again}"));
        }
        None => {
            let chat = ChatText(user_name, &message);
            wire.info(format_args!("{user_name} to {to}: {}", Brief(chat.without_name().unwrap_or(&message))));
        }
    }
    wire.put_text(&PRIVATE_STATE, range, format_args!("{}", after.word()));
    users.set_chat(partner, after);
    Ok(())
}

fn voice_state(wire: &mut Wire<'_>, head: Head, users: &Users) -> Result {
    let user_name = users.name(head.id);
    wire.info(format_args!("{user_name}: voice"));
    wire.u8(&VOICE_UNKNOWN1)?;
    wire.i32_be(&VOICE_UNKNOWN2)?;
    let state = wire.u8(&VOICE_STATE)?;
    match name_of(VOICE_STATES, state.into()) {
        Some(name) => wire.info(format_args!("{user_name}: voice {name}")),
        None => wire.info(format_args!("{user_name}: voice {state}")),
    }
    Ok(())
}

fn appl_specific(wire: &mut Wire<'_>, from: Side, head: Head, users: &Users) -> Result {
    wire.u8(&APPL_UNKNOWN)?;
    let method = text(wire, &APPL_METHOD, users.charset)?;
    wire.info(format_args!("{}()", Brief(&method)));
    let argument = text(wire, &APPL_STR_ARG, users.charset)?;
    // The number is arbitrary, except where a requester sends its own user ID.
    let is_user_argument = |id| users.is_me(id) && from == Side::Client || REQUESTS.contains(&&*method);
    let number = id(wire, &APPL_INT_ARG, |id| users.by_broadcast(id).filter(|_| is_user_argument(id)))?;
    let call = Call { method: &method, argument: &argument, number };
    match receivers_of(from, head, users) {
        Some(to) if head.id == NO_OBJECT || head.strategy == SPECIFIC => wire.info(format_args!("{call} to {to}")),
        Some(to) => wire.info(format_args!("{call} on object {}, to {to}", head.id)),
        None if head.id == NO_OBJECT => wire.info(format_args!("{call}")),
        None => wire.info(format_args!("{call} on object {}", head.id)),
    }
    Ok(())
}

struct Call<'a> {
    method: &'a [u8],
    argument: &'a [u8],
    number: i32,
}

impl fmt::Display for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(\"{}\", {})", Brief(self.method), Brief(self.argument), self.number)
    }
}

/// Whether the bytes are exactly one script call.
fn is_appl(rest: &[u8]) -> bool {
    let behind_text = |bytes: &[u8], at: usize| Some(at + memchr::memchr(0, bytes.get(at..)?)? + 1);
    let end = behind_text(rest, 1).and_then(|at| behind_text(rest, at));
    end.is_some_and(|end| end + 4 == rest.len())
}
