//! Minecraft, Java edition.
//!
//! Numbers are VarInts, seven bits per byte with the lowest first, or big-endian; texts follow their length.
//!
//! ```text
//! packet       length | id | body
//!              length | 0 | id | body                         once compression has started: below its threshold
//!              length | size | zlib: id | body                of at least that many bytes
//! handshake    0 version | address | port:2 | next state       client: 1 status, 2 login, 3 transfer
//! status       0 nothing · 0 JSON          1 number:8 · 1 number:8
//! login        0 name | …                  0 JSON: refused
//!              1 secret | token            1 server id | key | token: encryption starts after the client's response
//!                                          2 logged in         3 threshold: compression starts
//!              3 acknowledged, since 1.20.2: configuration begins, before that play
//! ```
//! Numbers of later packets depend on the version (`packets`). Each side changes its own state: the server with the packets that start
//! and finish configuration, the client with its answers. Encryption covers all bytes of both directions (`encryption`).
//!
//! Not covered: connections whose handshake is missing; game content such as chunks and items. `legacy` has the ping of versions
//! before 1.7.

mod compression;
mod encryption;
mod entities;
mod fields;
mod heuristics;
mod legacy;
mod login;
mod packets;
mod play;
#[cfg(test)]
mod tests;

use crate::tree::{BySide, Field, Side, Value};
use crate::wire::{
    Beginning, Conversation, Cut, Extent, Heuristic, KeyName, Missing, On, Protocol, Requests, Result, Settings, Varint, Wire,
};
use encryption::{Cipher, HELD, Keys, Login, Verdict};
use fields::*;

pub static PROTOCOL: Protocol = Protocol::new(&MINECRAFT, FIELDS)
    .found(&[On::AnyTcp.stream_with(Heuristic::Stream(heuristics::detect), |settings| Box::new(Session::new(settings)))])
    .keys(&[KeyName { name: encryption::SECRET, about: "The shared secret of a connection, 16 bytes", check: encryption::check }])
    .rest(&DATA);

/// Maximum packet size: a length of three bytes.
const MAX_PACKET: usize = (1 << 21) - 1;

/// State of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Handshake,
    Status,
    Login,
    Configuration,
    Play,
    /// The ping of versions before 1.7.
    Legacy,
    /// Packets without names: those of a version without a table, or of a connection without its handshake.
    Unknown,
}

#[derive(Default)]
struct Direction {
    state: State,
    /// Once the connection is encrypted.
    cipher: Option<Cipher>,
    /// Whether its bytes belong to no packets that could be read.
    is_lost: bool,
}

/// File and line of a key.
type Place = String;

/// Why a key is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Wrong,
    Untried,
}

/// A key that is tried.
enum Trial {
    /// Bytes of both directions are held back.
    Open(Place, Login),
    /// It does not fit, which the next message notes; or the server's bytes are missing, so that it cannot be tried.
    Failed(Place, Fault),
}

/// State and pending requests of a connection.
#[derive(Default)]
struct Session {
    /// Protocol version of the handshake.
    version: u32,
    sides: BySide<Direction>,
    /// Size from which packets are compressed, once compression has started.
    threshold: Option<usize>,
    /// Pending requests by packet ID, which the response shares.
    asked: Requests<usize>,
    keys: Keys,
    trial: Option<Trial>,
    /// Whether bytes that were held back can be read now.
    releases: bool,
}

/// Largest size of a VarInt in bytes.
const VARINT_MAX: usize = 5;

/// Decodes a VarInt and its length; `None` if incomplete, `Err` if invalid.
fn varint(bytes: &[u8]) -> std::result::Result<Option<(usize, usize)>, ()> {
    match Varint::decode(bytes, VARINT_MAX) {
        Varint::Number(number, size) => Ok(Some((usize::try_from(number).unwrap_or(usize::MAX), size))),
        Varint::Short => Ok(None),
        Varint::TooLong => Err(()),
    }
}

impl Conversation for Session {
    fn begins(&mut self, beginning: &Beginning) {
        self.keys.owner = Some(beginning.owner());
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.sides[from].state == State::Handshake && legacy::begins(from, ahead) {
            self.enter(State::Legacy);
        }
        if self.sides[from].state == State::Legacy && !self.sides[from].is_lost {
            return legacy::extent(from, ahead, more);
        }
        if let Some(held) = self.hold(from, ahead, more) {
            return held;
        }
        let side = &mut self.sides[from];
        if matches!(self.trial, Some(Trial::Failed(..))) {
            return Extent::Message(ahead.len());
        }
        if side.is_lost || side.cipher.as_ref().is_some_and(|cipher| !cipher.is_sound()) {
            side.is_lost = true;
            return Extent::Unknown(ahead.len());
        }
        let plain = side.cipher.as_mut().map_or(ahead, |cipher| cipher.feed(ahead));
        match varint(plain) {
            Ok(Some((length, size))) if (1..=MAX_PACKET).contains(&length) => Extent::Message(size + length),
            Ok(None) => Extent::NeedMore(ahead.len() + 1),
            _ => {
                self.lose(from);
                Extent::Unknown(ahead.len())
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if self.sides[from].state == State::Legacy {
            return legacy::message(&mut self.asked, wire);
        }
        if let Some(Trial::Failed(place, fault)) = self.trial.take_if(|trial| matches!(trial, Trial::Failed(..))) {
            let why = match fault {
                Fault::Wrong => "does not fit",
                Fault::Untried => "cannot be tried without the server's next bytes",
            };
            wire.name("encrypted");
            wire.rest(&ENCRYPTED);
            wire.note_layer(&WRONG_KEY, format_args!("the key of {place} {why} ({})", encryption::SECRET));
            return Ok(());
        }
        let Some(cipher) = &mut self.sides[from].cipher else { return self.packet(from, wire) };
        let (at, count, cut) = (wire.at(), wire.remaining(), wire.cut());
        let (plain, range) = cipher.take(count);
        wire.put(&ENCRYPTED, Value::Bytes, at..at + count);
        let bytes = plain.get(range).unwrap_or_default();
        let result = wire.deciphered("aes-cfb8", count, 0, bytes, |inner| {
            let result = inner.as_cut(cut, |inner| self.packet(from, inner));
            inner.rest(&DATA);
            result
        });
        if let Some(cipher) = &mut self.sides[from].cipher {
            cipher.put_back(plain);
        }
        result
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.reject(Fault::Untried);
        if let Some(cipher) = &mut self.sides[from].cipher {
            cipher.gap();
        }
        if !missing.in_step {
            self.lose(from);
        }
    }

    fn rest(&mut self, from: Side, bytes: &[u8]) {
        if let Some(cipher) = &mut self.sides[from].cipher {
            cipher.pass(bytes);
        }
    }

    fn releases(&mut self) -> bool {
        std::mem::take(&mut self.releases)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.sides.iter().filter_map(|side| side.cipher.as_ref()).map(Cipher::memory).sum::<usize>()
    }
}

impl Session {
    fn new(settings: &Settings) -> Session {
        Session { keys: Keys::new(settings), ..Session::default() }
    }

    /// Changes the state of both directions.
    fn enter(&mut self, state: State) {
        self.sides.iter_mut().for_each(|side| side.state = state);
    }

    /// Bytes of a direction cannot be read any more. Before play, the other one depends on them.
    fn lose(&mut self, from: Side) {
        match self.sides[from].state {
            State::Configuration | State::Play | State::Unknown => self.sides[from].is_lost = true,
            _ => self.sides.iter_mut().for_each(|side| side.is_lost = true),
        }
    }

    /// Compression starts, or ends with a negative threshold.
    fn compresses(&mut self, threshold: usize) {
        self.threshold = i32::try_from(threshold).is_ok().then_some(threshold);
    }

    /// All bytes behind the message are encrypted.
    fn encrypts(&mut self, wire: &mut Wire<'_>) {
        let key = self.keys.find();
        match key.as_ref().map(|key| (key.to_string(), Cipher::pair(&key.value))) {
            Some((place, Some([client, server]))) => {
                (self.sides.client.cipher, self.sides.server.cipher) = (Some(client), Some(server));
                self.trial = Some(Trial::Open(place, Login::default()));
            }
            Some((place, None)) => {
                self.trial = Some(Trial::Open(place, Login::default()));
                self.reject(Fault::Wrong);
            }
            None => {
                let (name, line) = (encryption::SECRET, self.keys.line());
                wire.note_layer(&NO_KEY, format_args!("no key {name}: --keys with this line reads what follows: {line}"));
                self.enter_lost();
            }
        }
    }

    fn enter_lost(&mut self) {
        for side in self.sides.iter_mut() {
            (side.cipher, side.is_lost) = (None, true);
        }
    }

    /// The key does not fit, or cannot be tried.
    fn reject(&mut self, fault: Fault) {
        let Some(Trial::Open(place, _)) = self.trial.take() else { return };
        if fault == Fault::Wrong {
            self.keys.judge(false);
        }
        self.trial = Some(Trial::Failed(place, fault));
        self.enter_lost();
    }

    /// Holds bytes back until it is certain that the key fits.
    fn hold(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        let Some(Trial::Open(_, login)) = &mut self.trial else { return None };
        let may_grow = more && ahead.len() < HELD;
        let (verdict, fault) = match (from, &mut self.sides.server.cipher) {
            (Side::Server, Some(cipher)) => (login.advance(cipher.feed(ahead), may_grow), Fault::Wrong),
            _ if may_grow => (Verdict::Open, Fault::Untried),
            // The client's bytes end, or are too many: those of the server decide, if there are any.
            (_, Some(cipher)) if !cipher.ahead().is_empty() => (login.advance(cipher.ahead(), false), Fault::Wrong),
            _ => (Verdict::Fails, Fault::Untried),
        };
        match verdict {
            Verdict::Open => return Some(Extent::NeedMore(ahead.len() + 1)),
            Verdict::Fits => {
                self.keys.judge(true);
                self.trial = None;
            }
            Verdict::Fails => self.reject(fault),
        }
        self.releases = true;
        more.then_some(Extent::NeedMore(ahead.len() + 1))
    }

    /// Dissects a packet that passed the cipher.
    fn packet(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let length = number(wire, &LENGTH)?;
        let mut size = length;
        let mut is_known = false;
        let result = match self.threshold {
            None => self.body(from, &mut is_known, wire),
            Some(_) => match number(wire, &DATA_LENGTH)? {
                0 => {
                    size = length.saturating_sub(1);
                    self.body(from, &mut is_known, wire)
                }
                unpacked => {
                    size = unpacked;
                    self.compressed(from, unpacked, &mut is_known, wire)
                }
            },
        };
        if !is_known {
            self.miss(from, size);
        }
        if result.is_ok() {
            wire.rest(&DATA);
        }
        result
    }

    /// The number of a packet is missing. Of packets that change the state of play, only those of one byte may be meant.
    fn miss(&mut self, from: Side, size: usize) {
        match self.sides[from].state {
            State::Configuration | State::Play if size > 1 => {}
            State::Configuration | State::Play => self.sides[from].state = State::Unknown,
            _ => self.lose(from),
        }
    }

    fn compressed(&mut self, from: Side, size: usize, is_known: &mut bool, wire: &mut Wire<'_>) -> Result {
        let (at, packed, cut) = (wire.at(), wire.ahead(), wire.cut());
        let plain = compression::inflate(packed, size.min(compression::MOST).min(wire.decompression_limit()));
        wire.has_decompressed(plain.bytes.len());
        wire.put(&COMPRESSED, Value::Bytes, at..at + packed.len());
        let result = wire.derived("zlib", packed.len(), &plain.bytes, |inner| {
            let result = inner.as_cut(cut, |inner| self.body(from, is_known, inner));
            inner.rest(&DATA);
            result
        });
        if cut != Cut::No || plain.is_whole && plain.bytes.len() == size {
            return result;
        }
        if plain.is_whole {
            wire.note_layer(&BAD_LENGTH, format_args!("{} bytes, not {size}", plain.bytes.len()));
        } else {
            wire.note_layer(&BAD_COMPRESSION, format_args!("no zlib data of {size} bytes"));
        }
        Ok(())
    }

    /// Dissects the number of a packet and what follows it.
    fn body(&mut self, from: Side, is_known: &mut bool, wire: &mut Wire<'_>) -> Result {
        let state = self.sides[from].state;
        let is_foreign = || from == Side::Server || wire.cut() == Cut::No && !login::is_handshake(wire.ahead());
        if state == State::Handshake && is_foreign() {
            self.enter(State::Unknown);
        }
        let state = self.sides[from].state;
        if state == State::Unknown && self.version == 0 {
            *is_known = true;
            wire.name("packet");
            wire.info(format_args!("{} bytes", wire.remaining()));
            return Ok(());
        }
        let id = number(wire, &ID)?;
        *is_known = true;
        if let Some(packet) = packets::packet(self.version, state, from, id) {
            wire.name(packet.name);
            self.follow(from, state, packet.name, wire.ahead());
            return (packet.read)(wire, self.version);
        }
        match login::name(state, from, id) {
            Some(name) => wire.name(name),
            None => wire.name(&format!("packet {id:#04x}")),
        }
        match (state, id) {
            (State::Handshake, 0) => self.handshake(wire),
            (State::Status, 0 | 1) => self.status(from, id, wire),
            (State::Login, _) => self.login(from, id, wire),
            _ => Ok(()),
        }
    }

    /// Changes the state after a packet.
    fn follow(&mut self, from: Side, state: State, name: &str, body: &[u8]) {
        let next = match (state, from, name) {
            (State::Configuration, _, "finish configuration") => State::Play,
            (State::Play, Side::Server, "start configuration") => State::Configuration,
            (State::Play, Side::Client, "configuration acknowledged") => State::Configuration,
            (State::Play, Side::Server, "set compression") => {
                if let Ok(Some((threshold, _))) = varint(body) {
                    self.compresses(threshold);
                }
                return;
            }
            _ => return,
        };
        self.sides[from].state = next;
    }
}

/// Reads a VarInt.
fn number(wire: &mut Wire<'_>, field: &'static Field) -> Result<usize> {
    match wire.varint(field, VARINT_MAX)? {
        Some(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
        None => wire.malformed(&BAD_NUMBER, format_args!("more than five bytes")),
    }
}

/// Reads a length-prefixed text.
fn text<'a>(wire: &mut Wire<'a>, length: &'static Field, field: &'static Field) -> Result<&'a [u8]> {
    let count = number(wire, length)?;
    wire.text(field, count)
}

/// Reads a VarInt that is no field by itself.
fn varint_of(wire: &mut Wire<'_>) -> Result<u64> {
    match Varint::decode(wire.ahead(), VARINT_MAX) {
        Varint::Number(number, size) => wire.skip(size).map(|()| number),
        Varint::Short => wire.skip(wire.remaining() + 1).map(|()| 0),
        Varint::TooLong => wire.malformed(&BAD_NUMBER, format_args!("more than five bytes")),
    }
}
