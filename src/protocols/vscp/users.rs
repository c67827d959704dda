//! Who is who on one connection: what its messages told of users, and of private chats.

use super::charset::Charset;
use crate::tree::Side;
use std::collections::HashMap;
use std::fmt;

/// Users whose names are kept.
const USERS_MAX: usize = 4096;

/// Private chats that are followed.
const CHATS_MAX: usize = 1024;

/// Bytes of a name or of a path that are kept.
const TEXT_MAX: usize = 256;

/// A user, as far as messages told.
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

/// The name, and the file of the avatar behind it.
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

/// How a private chat with somebody stands.
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

/// What one connection told of its users.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// The character set of texts.
    pub(super) charset: Charset,
    /// By broadcast id.
    known: HashMap<i32, User>,
    /// By the broadcast id of the other one; those that are closed are left out.
    chats: HashMap<i32, Chat>,
    me: Me,
}

/// The user whose connection it is.
#[derive(Debug, Default)]
struct Me {
    connection: Option<i32>,
    client: Option<i32>,
    broadcast: Option<i32>,
    user: Option<User>,
    is_master: bool,
}

/// A user that is known, and whether the server made that client the master.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'u> {
    pub(super) user: &'u User,
    pub(super) is_master: bool,
}

/// Which of the two leading ids of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leading {
    Connection,
    Client,
}

impl Users {
    pub(super) fn new(charset: Charset) -> Users {
        Users { charset, ..Users::default() }
    }

    /// Bytes of memory held on the heap, about; names and files are short as a rule.
    pub(super) fn held(&self) -> usize {
        const TEXTS: usize = 64;
        self.known.capacity() * (size_of::<(i32, User)>() + TEXTS) + self.chats.capacity() * size_of::<(i32, Chat)>()
    }

    pub(super) fn connected(&mut self, connection: i32) {
        self.me.connection = Some(connection);
    }

    /// What a client's own section says of ids that a capture begun later did not have.
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

    /// The user with this broadcast id, who may be new if there is room.
    fn entry(&mut self, id: i32) -> Option<&mut User> {
        if self.me.broadcast == Some(id) {
            return Some(self.me.user.get_or_insert_default());
        }
        let has_room = self.known.len() < USERS_MAX || self.known.contains_key(&id);
        has_room.then(|| self.known.entry(id).or_default())
    }

    /// The user of this connection.
    pub(super) fn me(&self) -> Option<Known<'_>> {
        self.me.user.as_ref().map(|user| Known { user, is_master: self.me.is_master })
    }

    pub(super) fn is_me(&self, id: i32) -> bool {
        self.me.broadcast == Some(id)
    }

    /// The user that a broadcast id stands for.
    pub(super) fn by_broadcast(&self, id: i32) -> Option<Known<'_>> {
        if self.is_me(id) {
            return self.me();
        }
        self.known.get(&id).map(|user| Known { user, is_master: false })
    }

    /// The user that one of the leading ids stands for. A server's may be the receiver's or the sender's; 0 is what it
    /// writes where it has none.
    pub(super) fn by_leading(&self, from: Side, which: Leading, id: i32) -> Option<Known<'_>> {
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

    /// What to call the user of this connection.
    pub(super) fn name_me(&self) -> Called<'_> {
        match &self.me.user {
            Some(user) => Called::Named(user),
            None => Called::Me,
        }
    }

    /// What to call the user with this broadcast id.
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

/// What to call a user in a line.
#[derive(Debug, Clone, Copy)]
pub(super) enum Called<'u> {
    Named(&'u User),
    Number(i32),
    Me,
}

impl Called<'_> {
    /// The plain name, as chat texts begin with it.
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
