//! State of a connection that later messages refer to.

use super::fields::*;
use super::p2p::ANNOUNCED;
use super::packets::{KEEPALIVE, KEEPALIVE_REPLY, LOGIN_REQUEST, LOGIN_SALT, LOGIN_SUCCESS};
use super::values::{Text, Values};
use crate::tree::{Side, Value, hex};
use crate::wire::{KeyRing, Owner, Settings, Wire};
use foldhash::{HashMap, HashMapExt};
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

/// Largest number of users.
const USERS_MAX: usize = 4096;

/// Largest stored size of a name in bytes.
const NAME_MAX: usize = 64;

/// Largest stored size of a salt in bytes.
const SALT_MAX: usize = 256;

/// Message type of the address of a peer.
const ADDRESS: u32 = 2;

/// Largest number of texts that wait for their acknowledgement.
const WAITING_MAX: usize = 64;

/// Largest stored size of such a text in bytes.
const TEXT_MAX: usize = 120;

/// Constant that is hashed together with every password.
const PEPPER: &str = "UltimateArena";

/// Session ID.
pub(super) type Sid = [u8; 16];

/// Users and sessions.
#[derive(Default)]
pub(super) struct Users {
    names: HashMap<u32, Box<str>>,
    sessions: HashMap<Sid, u32>,
    /// Numbers of session IDs by first appearance.
    aliases: HashMap<Sid, u32>,
}

impl Users {
    pub(super) fn new() -> Users {
        Users { names: HashMap::new(), sessions: HashMap::new(), aliases: HashMap::new() }
    }

    pub(super) fn by_id(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    pub(super) fn by_sid(&self, sid: &[u8]) -> Option<&str> {
        self.sessions.get(sid).and_then(|id| self.by_id(*id))
    }

    /// Assigns a number to a new session ID; all zeros mean no session.
    pub(super) fn number(&mut self, sid: &[u8]) {
        let Some(sid) = Sid::try_from(sid).ok().filter(|sid| *sid != [0; 16]) else { return };
        if self.aliases.len() < USERS_MAX {
            let next = u32::try_from(self.aliases.len() + 1).unwrap_or(u32::MAX);
            self.aliases.entry(sid).or_insert(next);
        }
    }

    /// Number of a session ID.
    pub(super) fn alias(&self, sid: &[u8]) -> Option<u32> {
        self.aliases.get(sid).copied()
    }

    /// Stores the values of a message about one user.
    pub(super) fn learn(&mut self, id: Option<u32>, sid: Option<&[u8]>, name: Option<&[u8]>, nick: Option<&[u8]>) {
        let id = id.or_else(|| self.sessions.get(sid?).copied());
        let Some(id) = id else { return };
        let name = name.filter(|name| !name.is_empty());
        // Without a login name, the nick is used.
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

/// Text without an acknowledgement.
struct Waiting {
    from: Side,
    with: Sid,
    number: u32,
    text: Box<str>,
}

/// State of a connection.
#[derive(Default)]
pub(super) struct State {
    pub(super) users: Users,
    login: Option<Box<[u8]>>,
    /// Session of the user who logged in.
    own: Option<Sid>,
    salt: Option<Box<[u8]>>,
    waiting: VecDeque<Waiting>,
    keepalives: [u64; 2],
    passwords: Vec<(Option<String>, String)>,
    keys: Option<Arc<KeyRing>>,
    pub(super) owner: Option<Owner>,
}

impl State {
    /// Approximate heap memory use in bytes.
    pub(super) fn memory_usage(&self) -> usize {
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
        State { users: Users::new(), passwords, keys: settings.keys().cloned(), ..State::default() }
    }

    /// Updates the state with a message, and adds fields that depend on earlier messages.
    pub(super) fn take(&mut self, kind: u16, from: Side, values: &Values<'_>, wire: &mut Wire<'_>) {
        let (id, sid) = (values.number(&USERID), values.bytes(&SID));
        let (name, nick) = (values.bytes(&NAME), values.bytes(&NICK));
        match kind {
            LOGIN_SALT => self.salt = values.bytes(&SALT).map(|salt| salt.get(..SALT_MAX).unwrap_or(salt).into()),
            LOGIN_REQUEST => {
                self.login = name.map(|name| name.get(..NAME_MAX).unwrap_or(name).into());
                self.login(values, wire);
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
            // Clans have a name as well.
            _ if values.number(&CLAN_ID).is_some() => self.users.learn(id, None, None, nick),
            _ => self.users.learn(id, sid, name, nick),
        }
    }

    /// Matches a text with its acknowledgement, and announces the datagrams at an address.
    pub(super) fn pair(&mut self, from: Side, values: &Values<'_>, wire: &mut Wire<'_>) {
        if values.number(&MSGTYPE) == Some(ADDRESS) {
            let announcement = self.monikers(values);
            values.addresses().for_each(|end| wire.expect_with(end, ANNOUNCED, &announcement));
        }
        let Some(with) = values.bytes(&SID).and_then(|sid| Sid::try_from(sid).ok()) else { return };
        let Some(number) = values.number(&IMINDEX) else { return };
        match (values.number(&MSGTYPE), values.bytes(&IM)) {
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

    /// Announcement of the datagrams at an address: moniker, length of the name and name of both users.
    fn monikers(&self, values: &Values<'_>) -> Vec<u8> {
        let Some(salt) = values.bytes(&SALT) else { return Vec::new() };
        let peer = values.bytes(&SID).and_then(|sid| Sid::try_from(sid).ok());
        let mut announcement = Vec::new();
        for sid in [peer, self.own].into_iter().flatten() {
            let Some(name) = self.users.by_sid(&sid) else { continue };
            let mut sha1 = Sha1::new();
            let mut digits = String::with_capacity(2 * sid.len());
            // Writing to a String does not fail.
            let _ = hex(&sid, &mut digits);
            sha1.update(digits.as_bytes());
            sha1.update(salt);
            announcement.extend(sha1.finalize());
            announcement.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
            announcement.extend(name.bytes().take(u8::MAX.into()));
        }
        announcement
    }

    /// Checks the form of a login digest, and its value if passwords are configured.
    fn login(&self, values: &Values<'_>, wire: &mut Wire<'_>) {
        let Some(digest) = values.bytes(&LOGIN_DIGEST) else { return };
        if digest.len() != 40 || !digest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            wire.note_layer(&BAD_DIGEST, format_args!("{} bytes, not 40 hexadecimal digits", digest.len()));
            return;
        }
        let (Some(name), Some(salt)) = (values.text(&NAME), self.salt.as_deref()) else { return };
        let name = name.to_string().to_lowercase();
        let for_user = self.passwords.iter().filter(|(user, _)| user.as_deref().is_none_or(|user| user == name));
        let keys = self.keys.as_deref().zip(self.owner.as_ref());
        let key = keys.and_then(|(keys, owner)| keys.find(XFIRE.abbrev, "password", owner));
        let own = key.as_ref().and_then(|key| std::str::from_utf8(&key.value).ok());
        let mut passwords = for_user.map(|(_, password)| password.as_str()).chain(own).peekable();
        if passwords.peek().is_none() {
            return;
        }
        let is_right = |password: &str| digest_of(&name, password, salt).as_bytes() == digest;
        if let (Some((keys, owner)), Some(own)) = (keys, own) {
            keys.judge(XFIRE.abbrev, "password", owner.stream, is_right(own));
        }
        if passwords.any(is_right) {
            wire.note_layer(&DIGEST_RIGHT, format_args!("the password is correct"));
        } else {
            wire.note_layer(&DIGEST_WRONG, format_args!("the password is wrong, or the salt differs"));
        }
    }
}

/// Digest that a client sends in place of a password. Both steps hash the hexadecimal digits of the previous one.
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

/// Name of a user in a summary, or the number of the session.
pub(super) fn user_label<'a>(users: &'a Users, sid: Option<&[u8]>) -> Option<Cow<'a, str>> {
    let by_name = users.by_sid(sid?).map(Cow::Borrowed);
    by_name.or_else(|| users.alias(sid?).map(|alias| Cow::Owned(format!("sid #{alias}"))))
}

/// Text in quotes for a summary.
pub(super) fn quoted(text: Option<Text<'_>>) -> String {
    text.map(|text| format!("\"{text}\"")).unwrap_or_default()
}
