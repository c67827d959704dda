//! Users and private chats of one connection.

use super::charset::Charset;
use crate::tree::Side;
use std::collections::HashMap;
use std::fmt;

/// Maximum number of remembered users.
const USERS_MAX: usize = 4096;

/// Maximum number of tracked private chats.
const CHATS_MAX: usize = 1024;

/// Maximum stored length of a name or path in bytes.
const TEXT_MAX: usize = 256;

/// A user known from messages.
#[derive(Debug, Clone, Default)]
pub(super) struct User {
    pub(super) name: Box<str>,
    pub(super) avatar: Box<str>,
}

impl User {
    pub(super) fn new(name: &[u8], avatar: &[u8]) -> User {
        User { name: kept(name), avatar: kept(avatar) }
    }
}

fn kept(text: &[u8]) -> Box<str> {
    String::from_utf8_lossy(text.get(..TEXT_MAX).unwrap_or(text)).into()
}

/// Name, and file name of the avatar.
impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.avatar.rsplit(['/', '\\']).next().unwrap_or_default();
        match (self.name.is_empty(), file.is_empty()) {
            (_, true) => f.write_str(&self.name),
            (true, false) => write!(f, "({file})"),
            (false, false) => write!(f, "{} ({file})", self.name),
        }
    }
}

/// State of a private chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chat {
    Asked,
    Ringing,
    Open,
    Closed,
}

impl Chat {
    pub(super) fn word(self) -> &'static str {
        match self {
            Chat::Asked => "asked",
            Chat::Ringing => "ringing",
            Chat::Open => "open",
            Chat::Closed => "closed",
        }
    }
}

/// Users of one connection.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// Character set of texts.
    pub(super) charset: Charset,
    /// Users by broadcast ID.
    known: HashMap<i32, User>,
    /// Open chats by the broadcast ID of the other user.
    chats: HashMap<i32, Chat>,
    me: Me,
}

/// The client's own user.
#[derive(Debug, Default)]
struct Me {
    connection: Option<i32>,
    client: Option<i32>,
    broadcast: Option<i32>,
    user: Option<User>,
    is_master: bool,
}

/// A known user, and whether its client is the master.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownUser<'u> {
    pub(super) user: &'u User,
    pub(super) is_master: bool,
}

/// Position of a leading ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leading {
    Connection,
    Client,
}

impl Users {
    pub(super) fn new(charset: Charset) -> Users {
        Users { charset, ..Users::default() }
    }

    /// Approximate heap memory in bytes; names and paths are usually short.
    pub(super) fn memory_usage(&self) -> usize {
        const TEXTS: usize = 64;
        self.known.capacity() * (size_of::<(i32, User)>() + TEXTS) + self.chats.capacity() * size_of::<(i32, Chat)>()
    }

    pub(super) fn connected(&mut self, connection: i32) {
        self.me.connection = Some(connection);
    }

    /// Stores IDs from a client section if the capture started later.
    pub(super) fn seen(&mut self, connection: i32, client: i32) {
        self.me.connection.get_or_insert(connection);
        if client != 0 {
            self.me.client.get_or_insert(client);
        }
    }

    pub(super) fn seen_broadcast(&mut self, id: i32) {
        self.me.broadcast.get_or_insert(id);
    }

    pub(super) fn logged_in(&mut self, user: User) {
        self.me.user = Some(user);
    }

    pub(super) fn is_client(&mut self, id: i32) {
        self.me.client = Some(id);
    }

    pub(super) fn is_broadcast(&mut self, id: i32) {
        self.me.broadcast = Some(id);
        if self.me.user.is_none() {
            self.me.user = self.known.get(&id).cloned();
        }
    }

    pub(super) fn made_master(&mut self, is_master: bool) {
        self.me.is_master = is_master;
    }

    pub(super) fn joined(&mut self, id: i32, user: User) {
        if self.me.broadcast == Some(id) {
            self.me.user = Some(user);
        } else if let Some(known) = self.entry(id) {
            *known = user;
        }
    }

    pub(super) fn left(&mut self, id: i32) {
        self.known.remove(&id);
        self.chats.remove(&id);
    }

    pub(super) fn renamed(&mut self, id: i32, name: &[u8]) {
        if let Some(user) = self.entry(id) {
            user.name = kept(name);
        }
    }

    pub(super) fn changed(&mut self, id: i32, avatar: &[u8]) {
        if let Some(user) = self.entry(id) {
            user.avatar = kept(avatar);
        }
    }

    /// Returns the user with this broadcast ID, created unless the limit is reached.
    fn entry(&mut self, id: i32) -> Option<&mut User> {
        if self.me.broadcast == Some(id) {
            return Some(self.me.user.get_or_insert_default());
        }
        let has_room = self.known.len() < USERS_MAX || self.known.contains_key(&id);
        has_room.then(|| self.known.entry(id).or_default())
    }

    /// Returns the client's own user.
    pub(super) fn me(&self) -> Option<KnownUser<'_>> {
        self.me.user.as_ref().map(|user| KnownUser { user, is_master: self.me.is_master })
    }

    pub(super) fn is_me(&self, id: i32) -> bool {
        self.me.broadcast == Some(id)
    }

    /// Returns the user with this broadcast ID.
    pub(super) fn by_broadcast(&self, id: i32) -> Option<KnownUser<'_>> {
        if self.is_me(id) {
            return self.me();
        }
        self.known.get(&id).map(|user| KnownUser { user, is_master: false })
    }

    /// Returns the user of a leading ID. Servers send that of the receiver or the sender, or 0.
    pub(super) fn by_leading(&self, from: Side, which: Leading, id: i32) -> Option<KnownUser<'_>> {
        let is_mine = match (from, which) {
            (Side::Client, Leading::Connection) => self.me.connection == Some(id),
            (Side::Client, Leading::Client) => self.me.client == Some(id),
            (Side::Server, _) => id != 0 && [self.me.connection, self.me.client].contains(&Some(id)),
        };
        match from {
            _ if is_mine => self.me(),
            Side::Server if id != 0 && self.me.connection.is_some() => self.by_broadcast(id),
            _ => None,
        }
    }

    /// Display name of the client's own user.
    pub(super) fn name_me(&self) -> Called<'_> {
        match &self.me.user {
            Some(user) => Called::Named(user),
            None => Called::Me,
        }
    }

    /// Display name of the user with this broadcast ID.
    pub(super) fn name(&self, id: i32) -> Called<'_> {
        match self.by_broadcast(id) {
            Some(known) => Called::Named(known.user),
            None if self.is_me(id) => Called::Me,
            None => Called::Number(id),
        }
    }

    pub(super) fn chat(&self, with: i32) -> Option<Chat> {
        self.chats.get(&with).copied()
    }

    pub(super) fn set_chat(&mut self, with: i32, chat: Chat) {
        if chat == Chat::Closed {
            self.chats.remove(&with);
        } else if self.chats.len() < CHATS_MAX || self.chats.contains_key(&with) {
            self.chats.insert(with, chat);
        }
    }
}

/// Display name of a user.
#[derive(Debug, Clone, Copy)]
pub(super) enum Called<'u> {
    Named(&'u User),
    Number(i32),
    Me,
}

impl Called<'_> {
    /// Plain name, as it starts chat texts.
    pub(super) fn name(&self) -> &str {
        match self {
            Called::Named(user) => &user.name,
            _ => "",
        }
    }
}

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Called::Named(user) => user.fmt(f),
            Called::Number(id) => write!(f, "user {id}"),
            Called::Me => f.write_str("this client"),
        }
    }
}
