//! What one connection has said so far that later messages refer to.

use super::facts::{Facts, Text};
use super::fields::*;
use super::p2p::ANNOUNCED;
use super::packets::{KEEPALIVE, KEEPALIVE_REPLY, LOGIN_REQUEST, LOGIN_SALT, LOGIN_SUCCESS};
use crate::tree::{Side, Value, hex};
use crate::wire::{Settings, Wire};
use foldhash::{HashMap, HashMapExt};
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;

/// Users that are remembered.
const USERS_MAX: usize = 4096;

/// Bytes of a name that are remembered.
const NAME_MAX: usize = 64;

/// Bytes of a salt that are remembered.
const SALT_MAX: usize = 256;

/// What one client says to tell another where it is.
const ADDRESS: u32 = 2;

/// Texts that wait for their acknowledgement.
const WAITING_MAX: usize = 64;

/// Bytes of such a text.
const TEXT_MAX: usize = 120;

/// The text that is digested along with every password.
const PEPPER: &str = "UltimateArena";

/// A session id.
pub(super) type Sid = [u8; 16];

/// Who is who.
#[derive(Default)]
pub(super) struct Users {
    names: HashMap<u32, Box<str>>,
    sessions: HashMap<Sid, u32>,
    /// Numbers of session ids, in the order of their first appearance.
    aliases: HashMap<Sid, u32>,
}

impl Users {
    /// Nobody is known yet.
    pub(super) fn new() -> Users {
        Users { names: HashMap::new(), sessions: HashMap::new(), aliases: HashMap::new() }
    }

    pub(super) fn by_id(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    pub(super) fn by_sid(&self, sid: &[u8]) -> Option<&str> {
        self.sessions.get(sid).and_then(|id| self.by_id(*id))
    }

    /// Number a session id, unless it has a number or stands for nobody.
    pub(super) fn number(&mut self, sid: &[u8]) {
        let Some(sid) = Sid::try_from(sid).ok().filter(|sid| *sid != [0; 16]) else { return };
        if self.aliases.len() < USERS_MAX {
            let next = u32::try_from(self.aliases.len() + 1).unwrap_or(u32::MAX);
            self.aliases.entry(sid).or_insert(next);
        }
    }

    /// The number of a session id.
    pub(super) fn alias(&self, sid: &[u8]) -> Option<u32> {
        self.aliases.get(sid).copied()
    }

    /// What a message says of one user.
    pub(super) fn learn(&mut self, id: Option<u32>, sid: Option<&[u8]>, name: Option<&[u8]>, nick: Option<&[u8]>) {
        let id = id.or_else(|| self.sessions.get(sid?).copied());
        let Some(id) = id else { return };
        let name = name.filter(|name| !name.is_empty());
        // A nick names those whose login name nobody told.
        let nick = nick.filter(|nick| !nick.is_empty() && !self.names.contains_key(&id));
        if let Some(name) = name.or(nick)
            && (self.names.len() < USERS_MAX || self.names.contains_key(&id))
        {
            let name = name.get(..NAME_MAX).unwrap_or(name);
            self.names.insert(id, String::from_utf8_lossy(name).into());
        }
        let sid = sid.and_then(|sid| Sid::try_from(sid).ok()).filter(|sid| *sid != [0; 16]);
        if let Some(sid) = sid
            && self.sessions.len() < USERS_MAX
        {
            self.sessions.insert(sid, id);
        }
    }
}

/// A text that was not acknowledged yet.
struct Waiting {
    from: Side,
    with: Sid,
    number: u32,
    text: Box<str>,
}

/// What is remembered of a connection.
#[derive(Default)]
pub(super) struct State {
    pub(super) users: Users,
    login: Option<Box<[u8]>>,
    /// The session of whoever logged in.
    own: Option<Sid>,
    salt: Option<Box<[u8]>>,
    waiting: VecDeque<Waiting>,
    keepalives: [u64; 2],
    passwords: Vec<(Option<String>, String)>,
}

impl State {
    /// Bytes of memory held on the heap, about.
    pub(super) fn held(&self) -> usize {
        let users = self.users.names.capacity() * (size_of::<(u32, Box<str>)>() + NAME_MAX);
        let sessions = (self.users.sessions.capacity() + self.users.aliases.capacity()) * size_of::<(Sid, u32)>();
        users + sessions + self.waiting.len() * (size_of::<Waiting>() + TEXT_MAX)
    }

    pub(super) fn new(settings: &Settings) -> State {
        let mut passwords = Vec::new();
        for line in settings.get("xfire.passwords").unwrap_or_default().lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            passwords.push(match line.split_once(':') {
                Some((name, password)) => (Some(name.to_lowercase()), password.to_owned()),
                None => (None, line.to_owned()),
            });
        }
        passwords.extend(settings.get("xfire.password").map(|password| (None, password.to_owned())));
        State { users: Users::new(), passwords, ..State::default() }
    }

    /// Remember what a message says, and tell what only earlier ones explain.
    pub(super) fn take(&mut self, kind: u16, from: Side, facts: &Facts<'_>, wire: &mut Wire<'_>) {
        let (id, sid) = (facts.number(&USERID), facts.bytes(&SID));
        let (name, nick) = (facts.bytes(&NAME), facts.bytes(&NICK));
        match kind {
            LOGIN_SALT => self.salt = facts.bytes(&SALT).map(|salt| salt.get(..SALT_MAX).unwrap_or(salt).into()),
            LOGIN_REQUEST => {
                self.login = name.map(|name| name.get(..NAME_MAX).unwrap_or(name).into());
                self.login(facts, wire);
            }
            LOGIN_SUCCESS => {
                let login = self.login.clone();
                self.own = sid.and_then(|sid| Sid::try_from(sid).ok());
                self.users.learn(id, sid, login.as_deref(), nick);
            }
            KEEPALIVE | KEEPALIVE_REPLY => {
                let [client, server] = &mut self.keepalives;
                let count = if from == Side::Client { client } else { server };
                *count += 1;
                wire.add(&KEEPALIVE_NUMBER, Value::Unsigned(*count));
            }
            // A clan has a name as well.
            _ if facts.number(&CLAN_ID).is_some() => self.users.learn(id, None, None, nick),
            _ => self.users.learn(id, sid, name, nick),
        }
    }

    /// Pair a text with its acknowledgement, and announce the datagrams that an address is told for.
    pub(super) fn pair(&mut self, from: Side, facts: &Facts<'_>, wire: &mut Wire<'_>) {
        if facts.number(&MSGTYPE) == Some(ADDRESS) {
            let told = self.monikers(facts);
            facts.addresses().for_each(|end| wire.expect_told(end, ANNOUNCED, &told));
        }
        let Some(with) = facts.bytes(&SID).and_then(|sid| Sid::try_from(sid).ok()) else { return };
        let Some(number) = facts.number(&IMINDEX) else { return };
        match (facts.number(&MSGTYPE), facts.bytes(&IM)) {
            (Some(0), Some(text)) => {
                if self.waiting.len() >= WAITING_MAX {
                    self.waiting.pop_front();
                }
                let text = String::from_utf8_lossy(text.get(..TEXT_MAX).unwrap_or(text)).into();
                self.waiting.push_back(Waiting { from, with, number, text });
            }
            (Some(1), _) => {
                let is_answered = |waiting: &Waiting| waiting.from != from && waiting.with == with && waiting.number == number;
                let Some(place) = self.waiting.iter().position(is_answered) else { return };
                if let Some(waiting) = self.waiting.remove(place) {
                    wire.add_text(&ACKNOWLEDGES, format_args!("{}", waiting.text));
                }
            }
            _ => {}
        }
    }

    /// Who the datagrams at an address will be from: for both users the moniker, the length of the name, the name.
    fn monikers(&self, facts: &Facts<'_>) -> Vec<u8> {
        let Some(salt) = facts.bytes(&SALT) else { return Vec::new() };
        let peer = facts.bytes(&SID).and_then(|sid| Sid::try_from(sid).ok());
        let mut told = Vec::new();
        for sid in [peer, self.own].into_iter().flatten() {
            let Some(name) = self.users.by_sid(&sid) else { continue };
            let mut sha1 = Sha1::new();
            let mut digits = String::with_capacity(2 * sid.len());
            // Writing to a String does not fail.
            let _ = hex(&sid, &mut digits);
            sha1.update(digits.as_bytes());
            sha1.update(salt);
            told.extend(sha1.finalize());
            told.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
            told.extend(name.bytes().take(u8::MAX.into()));
        }
        told
    }

    /// Check the digest of a login: its form, and with a password its value.
    fn login(&self, facts: &Facts<'_>, wire: &mut Wire<'_>) {
        let Some(digest) = facts.bytes(&LOGIN_DIGEST) else { return };
        if digest.len() != 40 || !digest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            wire.note_layer(&BAD_DIGEST, format_args!("{} bytes, not 40 hexadecimal digits", digest.len()));
            return;
        }
        let (Some(name), Some(salt)) = (facts.text(&NAME), self.salt.as_deref()) else { return };
        let name = name.to_string().to_lowercase();
        let mut for_user = self.passwords.iter().filter(|(user, _)| user.as_deref().is_none_or(|user| user == name)).peekable();
        if for_user.peek().is_none() {
            return;
        }
        if for_user.any(|(_, password)| digest_of(&name, password, salt).as_bytes() == digest) {
            wire.note_layer(&DIGEST_RIGHT, format_args!("the password is right"));
        } else {
            wire.note_layer(&DIGEST_WRONG, format_args!("the password is wrong, or the salt another"));
        }
    }
}

/// What a client sends in place of a password. Both steps digest the digits of the step before, not its bytes.
fn digest_of(name: &str, password: &str, salt: &[u8]) -> String {
    let inner = sha1_hex(&[name.as_bytes(), password.as_bytes(), PEPPER.as_bytes()]);
    sha1_hex(&[inner.as_bytes(), salt])
}

fn sha1_hex(parts: &[&[u8]]) -> String {
    let mut sha1 = Sha1::new();
    parts.iter().for_each(|part| sha1.update(part));
    let mut digits = String::with_capacity(40);
    for byte in sha1.finalize() {
        // Writing to a String does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// A user in a line: by name, or by the number of the session id.
pub(super) fn whom<'a>(users: &'a Users, sid: Option<&[u8]>) -> Option<Cow<'a, str>> {
    let by_name = users.by_sid(sid?).map(Cow::Borrowed);
    by_name.or_else(|| users.alias(sid?).map(|alias| Cow::Owned(format!("sid #{alias}"))))
}

/// Texts as they stand in a line.
pub(super) fn quoted(text: Option<Text<'_>>) -> String {
    text.map(|text| format!("\"{text}\"")).unwrap_or_default()
}
