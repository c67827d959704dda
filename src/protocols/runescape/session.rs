//! One connection: the requested service, and the expected message of each side.

use super::detect::{Detected, Detection};
use super::direction::Direction;
use super::fields::*;
use super::game::Game;
use super::jaggrab::Jaggrab;
use super::js5::Js5;
use super::keys::Keys;
use super::log;
use super::login::{self, Cipher, Login};
use super::ondemand::OnDemand;
use super::plain_opcodes::{End, framed};
use super::services::{self, Midway};
use super::tables::{Revision, Table};
use crate::tree::{Object, Side};
use crate::wire::{Beginning, Conversation, Error, Extent, Missing, Result, Resumption, Settings, Wire};

/// Expected message of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    /// Service, or login of an early revision.
    Start,
    Login,
    Game,
    OnDemand,
    Js5,
    Jaggrab,
    /// Unknown.
    Lost,
}

/// Expected message of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    /// Response to the service, or the greeting of an early revision.
    Start,
    /// Login response.
    Response,
    Game,
    OnDemand,
    Js5,
    Jaggrab,
    /// Unknown.
    Lost,
}

/// Whether a stream begins with game packets.
enum Begins {
    Yes,
    No,
    /// Undecided; needs this many bytes.
    Unsure(usize),
}

/// State of one connection.
pub struct Session {
    keys: Keys,
    revision: Option<Revision>,
    detection: Detection,
    midway: Option<Midway>,
    rows: Option<String>,
    client: Client,
    server: Server,
    server_seed: Option<u64>,
    login: Option<Login>,
    game: Game,
    ondemand: OnDemand,
    js5: Js5,
    jaggrab: Jaggrab,
}

/// Starts a connection.
pub fn open(settings: &Settings) -> Box<dyn Conversation> {
    let number = |name| settings.get(name).and_then(|value| value.parse::<u16>().ok());
    let mut game = Game::default();
    game.npc_bits = number("rs.npc_bits").and_then(|bits| u8::try_from(bits).ok());
    game.player_index = number("rs.player_index");
    Box::new(Session {
        keys: Keys::new(settings),
        revision: settings.get("rs.revision").and_then(Revision::parse),
        detection: Detection::default(),
        midway: settings.get("rs.service").and_then(|name| Midway::parse(name).ok()),
        rows: settings.get("rs.table").map(str::to_owned),
        client: Client::Start,
        server: Server::Start,
        server_seed: None,
        login: None,
        game,
        ondemand: OnDemand::default(),
        js5: Js5::default(),
        jaggrab: Jaggrab::default(),
    })
}

impl Conversation for Session {
    fn begins(&mut self, beginning: &Beginning) {
        self.keys.owner = Some(beginning.owner());
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.begin_midway(from, ahead);
        match from {
            Side::Client => self.client_extent(ahead, more),
            Side::Server => self.server_extent(ahead, more),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match from {
            Side::Client => self.client_message(wire),
            Side::Server => self.server_message(wire),
        }
    }

    fn may_hold_secret(&self, from: Side, _: &[u8]) -> bool {
        match from {
            Side::Client => matches!(self.client, Client::Start | Client::Login),
            Side::Server => matches!(self.server, Server::Start | Server::Response),
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        // A login block is not found again.
        match from {
            Side::Client if matches!(self.client, Client::Start | Client::Login | Client::Lost) => {
                Resumption::Beyond(ahead.len())
            }
            _ => Resumption::Anywhere,
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.game.osrs.memory_usage()
    }

    fn objects(&self) -> Vec<Object> {
        let osrs = &self.game.osrs;
        osrs.journal.objects(osrs.own, |index| osrs.name(index).map(str::to_owned))
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if missing.in_step {
            return;
        }
        match from {
            Side::Client if self.client == Client::Game => self.game.lose(from, missing.bytes),
            Side::Server if self.server == Server::Game => self.game.lose(from, missing.bytes),
            Side::Client => self.client = Client::Lost,
            Side::Server => self.server = Server::Lost,
        }
    }
}

impl Session {
    /// Resumes the configured service, unless the stream starts with a handshake.
    fn begin_midway(&mut self, from: Side, ahead: &[u8]) {
        if (self.client, self.server) != (Client::Start, Server::Start) || from == Side::Client && !Midway::begins(ahead) {
            return;
        }
        (self.client, self.server) = match self.midway {
            Some(Midway::Update) => (Client::OnDemand, Server::OnDemand),
            Some(Midway::Js5) => (Client::Js5, Server::Js5),
            None => return,
        };
    }

    fn client_extent(&mut self, ahead: &[u8], more: bool) -> Extent {
        if self.client == Client::Start {
            match self.begins_in_game(Side::Client, ahead, more) {
                Begins::Yes => self.client = Client::Game,
                Begins::Unsure(needed) => return Extent::NeedMore(needed),
                Begins::No => {}
            }
        }
        match self.client {
            Client::Start => self.start_extent(ahead, more),
            Client::Login => login::extent(ahead).unwrap_or_else(|| {
                self.client = Client::Lost;
                Extent::Unknown(ahead.len())
            }),
            Client::Game => self.game.extent(Side::Client, ahead, more),
            Client::OnDemand | Client::Js5 => Extent::Message(4),
            Client::Jaggrab => services::request_extent(ahead, more),
            Client::Lost => Extent::Unknown(ahead.len()),
        }
    }

    fn start_extent(&mut self, ahead: &[u8], more: bool) -> Extent {
        match ahead {
            [14] => Extent::NeedMore(2),
            // A name hash, unless a login without hash follows.
            [14, 16 | 18] if more => Extent::NeedMore(3),
            [14, 16 | 18 | 19, behind, ..] if !matches!(behind, 16 | 18) => Extent::Message(1),
            [14, ..] => Extent::Message(2),
            [15, _, _, _] | [15, _, _] | [15, _] if more && self.server == Server::Start => Extent::NeedMore(5),
            [15, ..] => match services::js5_hello(ahead).filter(|_| self.server == Server::Start) {
                Some(length) => Extent::Message(length),
                None => Extent::Message(1),
            },
            [16 | 18, ..] => login::extent(ahead).unwrap_or(Extent::Unknown(ahead.len())),
            [17, ..] => Extent::Message(1),
            [b'J', ..] => services::request_extent(ahead, more),
            _ => {
                self.client = Client::Lost;
                Extent::Unknown(ahead.len())
            }
        }
    }

    fn server_extent(&mut self, ahead: &[u8], more: bool) -> Extent {
        let may_be_in_game = self.client == Client::Start || self.client == Client::Game && self.login.is_none();
        if self.server == Server::Start && may_be_in_game {
            match self.begins_in_game(Side::Server, ahead, more) {
                Begins::Yes => self.server = Server::Game,
                Begins::Unsure(needed) => return Extent::NeedMore(needed),
                Begins::No => {}
            }
        }
        match self.server {
            Server::Start if self.client == Client::Start && (log::begins(ahead) || more && log::may_begin(ahead)) => {
                log::extent(ahead, more)
            }
            Server::Start => match self.client {
                Client::OnDemand => services::exactly(ahead, 8),
                Client::Js5 => Extent::Message(1),
                Client::Jaggrab => self.jaggrab.extent(ahead, more),
                Client::Start | Client::Game if services::is_newest_answer(ahead) => services::answer_extent(ahead),
                Client::Start | Client::Game if self.server_seed.is_none() => services::exactly(ahead, 8),
                Client::Login | Client::Game => services::answer_extent(ahead),
                Client::Start | Client::Lost => Extent::Unknown(ahead.len()),
            },
            Server::Response if self.login.is_none() && more => Extent::NeedMore(ahead.len() + 1),
            Server::Response => login::response_extent(ahead, self.login.map(|login| login.client())),
            Server::Game => self.game.extent(Side::Server, ahead, more),
            Server::OnDemand => self.ondemand.extent(ahead),
            Server::Js5 => self.js5.extent(ahead),
            Server::Jaggrab => self.jaggrab.extent(ahead, more),
            Server::Lost => Extent::Unknown(ahead.len()),
        }
    }

    /// Whether the settings suffice to decode packets from the first byte, which is not part of a handshake. The
    /// revision is detected if none is set.
    fn begins_in_game(&mut self, from: Side, ahead: &[u8], more: bool) -> Begins {
        if self.login.is_some() {
            return Begins::No;
        }
        let may_be_greeting = match (from, ahead) {
            (Side::Client, [14, hash] | [14, hash, 16 | 18, ..]) if *hash < 32 => return Begins::No,
            (Side::Client, [16 | 18, size, ..]) if login::is_old(ahead).unwrap_or(usize::from(*size) + 2 == ahead.len()) => {
                return Begins::No;
            }
            (Side::Client, [15] | [15, 0, 0, ..] | [b'J', b'A', b'G', ..]) => return Begins::No,
            (Side::Server, [0, 0, 0, 0, 0, 0, 0, 0, ..]) => return Begins::No,
            (Side::Server, _) if log::begins(ahead) => return Begins::No,
            (side, _) => side == Side::Server && ahead.len() == 8,
        };
        let Some(configured) = self.keys.configured.or_else(|| self.keys.filed_cipher()) else { return Begins::No };
        let cipher = Cipher::from(configured);
        let table = match self.revision {
            Some(revision) => Table::patched(revision, self.rows.as_deref()),
            // The second side has the table of the first one.
            None if self.game.has_table() => self.game.table(),
            None if may_be_greeting => return Begins::No,
            None => match self.detection.examine(cipher, from, ahead, more) {
                Detected::Found(table, confidence) => {
                    self.game.detected = Some(confidence);
                    Some(table)
                }
                Detected::Unsure(needed) => return Begins::Unsure(needed),
                Detected::No => None,
            },
        };
        let Some(table) = table else { return Begins::No };
        let end = || framed(&mut Direction::of(cipher.opcodes(from)), &table, from, ahead).1;
        if may_be_greeting && end() != End::Whole {
            return Begins::No;
        }
        // The first packets confirm or reject the seeds.
        if matches!(cipher, Cipher::Seeded(_)) && end() == End::Misfit {
            return Begins::No;
        }
        self.game.begin_midway(table, cipher);
        Begins::Yes
    }

    fn client_message(&mut self, wire: &mut Wire<'_>) -> Result {
        match self.client {
            Client::Start => self.start(wire),
            Client::Login => self.take_login(wire),
            Client::Game => self.game.message(Side::Client, wire),
            Client::OnDemand => self.ondemand.request(wire),
            Client::Js5 => self.js5.request(wire),
            Client::Jaggrab => self.jaggrab.request(wire),
            Client::Lost => Err(Error::Malformed),
        }
    }

    /// Reads the first message of the client.
    fn start(&mut self, wire: &mut Wire<'_>) -> Result {
        match wire.ahead().first() {
            Some(14) => {
                wire.name("service");
                wire.info(format_args!("game login"));
                self.client = Client::Login;
                services::game_service(wire)
            }
            Some(15) if wire.remaining() >= 5 => {
                self.client = Client::Js5;
                self.js5.hello(wire)
            }
            Some(15) => {
                wire.name("service");
                wire.info(format_args!("update"));
                self.client = Client::OnDemand;
                wire.u8(&SERVICE).map(drop)
            }
            Some(17) => {
                wire.name("service");
                wire.info(format_args!("start-up files"));
                self.client = Client::Jaggrab;
                wire.u8(&SERVICE).map(drop)
            }
            Some(b'J') => {
                self.client = Client::Jaggrab;
                self.jaggrab.request(wire)
            }
            Some(_) => self.take_login(wire),
            None => Ok(()),
        }
    }

    fn take_login(&mut self, wire: &mut Wire<'_>) -> Result {
        let mut login = Login::default();
        let result = login.read(wire, &self.keys, self.server_seed);
        self.client = Client::Game;
        if self.server == Server::Start && self.server_seed.is_some() {
            self.server = Server::Response;
        }
        let revision = self.revision.or(Some(login.client()).filter(|revision| revision.number > 0));
        if let Some(revision) = revision {
            let table = Table::patched(revision, self.rows.as_deref());
            self.game.begin(revision, table, login.cipher);
        }
        self.login = Some(login);
        result
    }

    fn server_message(&mut self, wire: &mut Wire<'_>) -> Result {
        match self.server {
            Server::Start if self.client == Client::Start && log::begins(wire.ahead()) => {
                let (number, own) = log::header(wire)?;
                let revision = self.revision.unwrap_or(Revision { number, is_osrs: true });
                self.game.begin_log(revision, Table::patched(revision, self.rows.as_deref()), own, wire.at());
                (self.client, self.server) = (Client::Game, Server::Game);
                Ok(())
            }
            Server::Start => match self.client {
                Client::OnDemand => {
                    self.server = Server::OnDemand;
                    wire.name("update_ready");
                    wire.bytes(&IGNORED, wire.remaining()).map(drop)
                }
                Client::Js5 => {
                    self.server = Server::Js5;
                    self.js5.status(wire)
                }
                Client::Jaggrab => {
                    self.server = Server::Jaggrab;
                    self.jaggrab.file(wire)
                }
                Client::Start | Client::Game if self.server_seed.is_none() && !services::is_newest_answer(wire.ahead()) => {
                    wire.name("greeting");
                    self.server = Server::Response;
                    self.server_seed = Some(wire.u64_be(&SERVER_SEED)?);
                    Ok(())
                }
                _ => {
                    let answer = services::answer(wire)?;
                    self.server = if answer.is_some() { Server::Response } else { Server::Lost };
                    self.server_seed = answer;
                    Ok(())
                }
            },
            Server::Response => {
                let response = login::response(wire, self.login.map(|login| login.client()))?;
                self.server = if response.is_in { Server::Game } else { Server::Lost };
                self.game.logged_in(response);
                Ok(())
            }
            Server::Game => self.game.message(Side::Server, wire),
            Server::OnDemand => {
                let result = self.ondemand.chunk(wire);
                if result.is_err() && wire.cut() == crate::wire::Cut::No {
                    self.server = Server::Lost;
                }
                result
            }
            Server::Js5 => self.js5.answer(wire),
            Server::Jaggrab => self.jaggrab.file(wire),
            Server::Lost => Err(Error::Malformed),
        }
    }
}
