//! Login: client properties, the RSA block and the login response.

use super::direction::Opcodes;
use super::fields::*;
use super::keys::{CipherSetting, ISAAC, Keys, RSA};
use super::tables::Revision;
use super::types::{Ending, Type, ValueContext, text};
use crate::tree::{Side, Value, name_of};
use crate::wire::isaac::{Isaac, Seeds};
use crate::wire::{Cut, Extent, Result, Wire};

/// Number of archive CRCs in a login.
const CRCS: usize = 9;
const CRCS_550: usize = 29;

/// Bytes after the size of an old login, without the block: with a one-byte and with a two-byte revision.
const AROUND_BLOCK: u16 = 39;
const AROUND_BLOCK_255: u16 = 41;

/// Escape byte of a two-byte revision, and the first such revision.
const ESCAPE: u8 = 255;
const ESCAPED: u16 = 255;

/// First revision of the newer engine.
const NEWER: u16 = 400;

/// First byte of a decrypted block.
const OPENED: u8 = 10;

/// Minimum block size: magic, seeds, uid, two empty strings.
const LEAST_BLOCK: usize = 23;

/// Length limits of original clients.
const MOST_NAME: usize = 12;
const MOST_PASSWORD: usize = 20;

/// Encryption of opcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cipher {
    /// Unknown.
    #[default]
    Unknown,
    /// In clear.
    Off,
    /// ISAAC with these seeds.
    Seeded(Seeds),
}

impl Cipher {
    /// Initial opcode decoder of a side.
    pub fn opcodes(self, from: Side) -> Opcodes {
        match (self, from) {
            (Cipher::Unknown, _) => Opcodes::Unknown,
            (Cipher::Off, _) => Opcodes::Clear,
            (Cipher::Seeded(seeds), Side::Client) => Opcodes::Under(Box::new(Isaac::of_client(seeds))),
            (Cipher::Seeded(seeds), Side::Server) => Opcodes::Under(Box::new(Isaac::of_server(seeds))),
        }
    }
}

impl From<CipherSetting> for Cipher {
    fn from(configured: CipherSetting) -> Cipher {
        match configured {
            CipherSetting::Off => Cipher::Off,
            CipherSetting::Seeds(seeds) => Cipher::Seeded(seeds),
        }
    }
}

/// Result of a login.
#[derive(Debug, Clone, Copy, Default)]
pub struct Login {
    /// Client revision; 0 if unknown.
    pub revision: u16,
    /// Old School RuneScape, whose login has a two-byte size and an early revision.
    pub is_osrs: bool,
    /// Cipher of the opcodes that follow.
    pub cipher: Cipher,
}

/// Whether the login has a one-byte size; `None` if undecided.
pub fn is_old(ahead: &[u8]) -> Option<bool> {
    ahead.get(1).map(|size| u16::from(*size) >= AROUND_BLOCK)
}

/// Extent of a login; `None` if the bytes are not a login.
pub fn extent(ahead: &[u8]) -> Option<Extent> {
    match ahead {
        [16 | 18 | 19, size, ..] if u16::from(*size) >= AROUND_BLOCK => Some(Extent::Message(usize::from(*size) + 2)),
        [16 | 18 | 19, high, low, ..] => Some(Extent::Message(usize::from(u16::from_be_bytes([*high, *low])) + 3)),
        [16 | 18 | 19] | [16 | 18 | 19, _] => Some(Extent::NeedMore(ahead.len() + 1)),
        _ => None,
    }
}

impl Login {
    /// Reads a login.
    pub fn read(&mut self, wire: &mut Wire<'_>, keys: &Keys, server_seed: Option<u64>) -> Result {
        wire.name("login");
        let is_old = is_old(wire.ahead()).unwrap_or(true);
        let kind = wire.u8(&LOGIN_TYPE)?;
        if !is_old {
            return self.newer(wire, kind, keys, server_seed);
        }
        let size = wire.u8(&LOGIN_SIZE)?;
        let mut around = AROUND_BLOCK;
        if wire.peek_u8() == Some(ESCAPE) {
            wire.u8(&MAGIC)?;
            self.revision = wire.u16_be(&REVISION)?;
            around = AROUND_BLOCK_255;
            if self.revision < ESCAPED {
                wire.note(&ODD, format_args!("{} in two bytes; revisions below {ESCAPED} take one", self.revision));
            }
        } else {
            self.revision = wire.u8(&REVISION)?.into();
        }
        self.head(wire, kind);
        let low_memory = wire.u8(&LOW_MEMORY)?;
        if low_memory > 1 && around == AROUND_BLOCK_255 {
            wire.note(&ODD, format_args!("{low_memory}; expected 0 or 1"));
        }
        (0..CRCS).try_for_each(|_| wire.u32_be(&CRC).map(drop))?;
        let length = wire.u8(&RSA_LENGTH)?;
        if u16::from(size) != around + u16::from(length) {
            let fits = u16::from(size).saturating_sub(around);
            wire.note(&MALFORMED, format_args!("block length {length}; the size leaves {fits} bytes"));
        }
        let whole = usize::from(length);
        if wire.remaining() < whole {
            wire.note(&MALFORMED, format_args!("block length {length}, only {} bytes remain", wire.remaining()));
        }
        self.block(wire, whole.min(wire.remaining()), keys, server_seed)?;
        wire.rest_is(&TRAILING)
    }

    pub fn client(&self) -> Revision {
        Revision { number: self.revision, is_osrs: self.is_osrs }
    }

    fn head(&self, wire: &mut Wire<'_>, kind: u8) {
        let revision = self.revision;
        let again = if kind == 18 { ", reconnect" } else { "" };
        wire.info(format_args!("revision {revision}{again}"));
    }

    /// Reads a login of a newer engine as far as possible.
    fn newer(&mut self, wire: &mut Wire<'_>, kind: u8, keys: &Keys, server_seed: Option<u64>) -> Result {
        wire.u16_be(&LOGIN_SIZE)?;
        if kind == 19 {
            return wire.rest_is(&LOGIN_OPAQUE);
        }
        self.revision = u16::try_from(wire.u32_be(&REVISION)?).unwrap_or_default();
        self.head(wire, kind);
        if self.revision < NEWER {
            self.is_osrs = true;
            // The remaining bytes are under RSA and another cipher.
            return wire.rest_is(&LOGIN_OPAQUE);
        }
        wire.u8(&LOGIN_ZERO)?;
        wire.u8(&ADVERT_SUPPRESSED)?;
        wire.u8(&CLIENT_SIGNED)?;
        wire.u8(&DISPLAY_MODE)?;
        wire.u16_be(&WIDTH)?;
        wire.u16_be(&HEIGHT)?;
        wire.u8(&ANTI_ALIASING)?;
        wire.bytes(&UID24, 24)?;
        text(wire, &LOGIN_SETTINGS, Ending::Nul)?;
        wire.i32_be(&AFFILIATE)?;
        wire.i32_be(&DETAIL_BITS)?;
        wire.u16_be(&VERIFY_ID)?;
        (0..CRCS_550).try_for_each(|_| wire.u32_be(&CRC).map(drop))?;
        let length = usize::from(wire.u8(&RSA_LENGTH)?);
        if wire.remaining() < length {
            wire.note(&MALFORMED, format_args!("block length {length}, only {} bytes remain", wire.remaining()));
        }
        self.block(wire, length.min(wire.remaining()), keys, server_seed)?;
        wire.rest_is(&TRAILING)
    }

    /// Reads the block in clear or decrypts it. Its seeds are accepted if the server seed matches the one captured.
    fn block(&mut self, wire: &mut Wire<'_>, length: usize, keys: &Keys, server_seed: Option<u64>) -> Result {
        let bytes = wire.ahead().get(..length).unwrap_or_default();
        let is_whole = wire.cut() == Cut::No;
        let (state, read) = if looks_plain(bytes, self.revision) {
            wire.add_text(&RSA_STATE, format_args!("plain"));
            ("plain", wire.within(length, &EXTRA, |wire| self.plain(wire, server_seed)).map(Some)?)
        } else if let Some(opened) = open(bytes, keys, server_seed).filter(|_| is_whole) {
            keys.judge(RSA, true);
            wire.add_text(&RSA_STATE, format_args!("decrypted"));
            let start = wire.at();
            wire.put(&RSA_BLOCK, Value::Bytes, start..start + length);
            let read = wire.derived("RSA", length, &opened, |wire| {
                let seeds = self.plain(wire, server_seed);
                wire.rest(&EXTRA);
                seeds
            });
            ("key", Some(read?))
        } else {
            wire.add_text(&RSA_STATE, format_args!("encrypted"));
            wire.bytes(&RSA_BLOCK, length)?;
            let known = keys.rsa().len();
            if known > 0 && is_whole {
                keys.judge(RSA, false);
                wire.note(&WRONG_KEY, format_args!("wrong key: none of {known} yields 10 and the server seed"));
            }
            ("none", None)
        };
        self.choose(wire, state, read.flatten(), keys, server_seed);
        Ok(())
    }

    /// Reads a block in clear. Returns the seeds if the server seed matches the one captured.
    fn plain(&self, wire: &mut Wire<'_>, server_seed: Option<u64>) -> Result<Option<Seeds>> {
        wire.u8(&RSA_MAGIC)?;
        let client = [wire.u32_be(&CLIENT_SEED)?, wire.u32_be(&CLIENT_SEED)?];
        let server = [wire.u32_be(&BLOCK_SEED)?, wire.u32_be(&BLOCK_SEED)?];
        let seeds: Option<Seeds> = [client, server].concat().try_into().ok().filter(|seeds| fits(*seeds, server_seed));
        if seeds.is_none() {
            wire.note(&SEED_DIFFERS, format_args!("differs from the captured server seed: another key, or a repeated login"));
        }
        let password = if self.revision >= NEWER {
            Type::Name.read(wire, &USERNAME37, ValueContext::default())?;
            text(wire, &PASSWORD, Ending::Nul)?
        } else {
            wire.u32_be(&UID)?;
            let name = text(wire, &USERNAME, Ending::LineFeed)?;
            limit(wire, name.len(), MOST_NAME);
            text(wire, &PASSWORD, Ending::LineFeed)?
        };
        limit(wire, password.len(), MOST_PASSWORD);
        wire.rest(&EXTRA);
        Ok(seeds)
    }

    /// Configured seeds override those of the block if the server seed confirms them.
    fn choose(&mut self, wire: &mut Wire<'_>, state: &str, read: Option<Seeds>, keys: &Keys, server_seed: Option<u64>) {
        let mut state = state;
        self.cipher = read.map_or(Cipher::Unknown, Cipher::Seeded);
        let logged = server_seed.and_then(|seed| keys.logged(seed));
        let is_missing = read.is_none() && logged.is_none();
        let configured = keys.configured.or_else(|| if is_missing { keys.filed_cipher() } else { None });
        match (configured, logged) {
            (Some(CipherSetting::Off), _) => (state, self.cipher) = ("off", Cipher::Off),
            (Some(CipherSetting::Seeds(seeds)), _) if fits(seeds, server_seed) => {
                if server_seed.is_some() {
                    keys.judge(ISAAC, true);
                }
                (state, self.cipher) = ("log", Cipher::Seeded(seeds))
            }
            (Some(CipherSetting::Seeds(_)), _) => {
                keys.judge(ISAAC, false);
                wire.note(&WRONG_KEY, format_args!("the given seeds belong to another session: the server seed differs"));
            }
            (None, Some(seeds)) => (state, self.cipher) = ("log", Cipher::Seeded(seeds)),
            (None, None) => {}
        }
        let state = if self.cipher == Cipher::Unknown { "none" } else { state };
        wire.add_text(&ISAAC_STATE, format_args!("{state}"));
        if server_seed.is_none() && matches!(self.cipher, Cipher::Seeded(_)) {
            wire.note(&UNPROVEN, format_args!("the server's seed is not in the capture"));
        }
    }
}

/// Whether the seeds match the captured server seed.
fn fits(seeds: Seeds, server_seed: Option<u64>) -> bool {
    let [.., high, low] = seeds;
    server_seed.is_none_or(|seed| seed == u64::from(high) << 32 | u64::from(low))
}

/// Whether a block is in clear.
fn looks_plain(block: &[u8], revision: u16) -> bool {
    let texts = block.get(LEAST_BLOCK - 2..).unwrap_or_default();
    let (end, least) = if revision >= NEWER { (0, 1) } else { (b'\n', 2) };
    block.first() == Some(&OPENED) && texts.iter().filter(|byte| **byte == end).count() >= least
}

/// Decrypts the block with the first key that fits.
fn open(block: &[u8], keys: &Keys, server_seed: Option<u64>) -> Option<Vec<u8>> {
    let is_right = |opened: &Vec<u8>| {
        let seed = opened.get(9..17).and_then(|seed| seed.first_chunk()).map(|seed| u64::from_be_bytes(*seed));
        opened.first() == Some(&OPENED) && opened.len() >= LEAST_BLOCK && server_seed.is_none_or(|sent| seed == Some(sent))
    };
    keys.rsa().iter().map(|key| key.open(block)).find(is_right)
}

fn limit(wire: &mut Wire<'_>, length: usize, most: usize) {
    if length > most {
        wire.note(&ODD, format_args!("{length} characters; original clients allow {most}"));
    }
}

/// Bytes after a response code.
fn response_tail(response: u8, revision: Option<Revision>) -> usize {
    let number = revision.map(|revision| revision.number);
    match (response, number) {
        (2, Some(NEWER..)) => 11,
        (2, Some(225 | 244 | 245)) => 0,
        (2, _) => 2,
        (21 | 29, _) => 1,
        (101, _) => 2,
        _ => 0,
    }
}

/// Extent of the login response. Old School RuneScape announces its size.
pub fn response_extent(ahead: &[u8], revision: Option<Revision>) -> Extent {
    match ahead {
        [2] if is_osrs(revision) => Extent::NeedMore(2),
        [2, size, ..] if is_osrs(revision) => Extent::Message(2 + usize::from(*size)),
        _ => Extent::Message(1 + ahead.first().map_or(0, |response| response_tail(*response, revision))),
    }
}

fn is_osrs(revision: Option<Revision>) -> bool {
    revision.is_some_and(|revision| revision.is_osrs)
}

/// Session properties in a login response.
#[derive(Debug, Clone, Copy, Default)]
pub struct Response {
    /// The game starts.
    pub is_in: bool,
    /// Index of the local player.
    pub own: Option<u16>,
    /// Words of the server's cipher that the response used.
    pub words: usize,
}

/// Reads the login response.
pub fn response(wire: &mut Wire<'_>, revision: Option<Revision>) -> Result<Response> {
    wire.name("login_response");
    let response = wire.u8(&RESPONSE)?;
    wire.info(format_args!("{}", name_of(RESPONSE.names, response.into()).unwrap_or("unknown response")));
    let number = revision.map(|revision| revision.number).filter(|_| !is_osrs(revision));
    let is_early = matches!(number, Some(225 | 244 | 245));
    if response == 2 && is_osrs(revision) {
        return osrs_response(wire);
    }
    match (response, response_tail(response, revision)) {
        (2, 11) => wire.bytes(&SUCCESS, 11).map(drop)?,
        (2, 2) => {
            wire.u8(&RIGHTS)?;
            wire.bool(&MOUSE_TRACKING)?;
        }
        (21, _) => wire.u8(&SECONDS).map(drop)?,
        (29, _) => wire.u8(&REASON).map(drop)?,
        (101, _) => wire.u16_be(&WORLD).map(drop)?,
        _ => {}
    }
    let is_in = matches!(response, 2 | 15) || (is_early && matches!(response, 18 | 19));
    Ok(Response { is_in, ..Response::default() })
}

/// Bytes of the code that links a device, each under a word of the server's cipher.
const CODE: usize = 4;

/// Reads the data of a successful Old School RuneScape login, in the format of community servers.
fn osrs_response(wire: &mut Wire<'_>) -> Result<Response> {
    let size = usize::from(wire.u8(&RESPONSE_SIZE)?);
    wire.within(size, &EXTRA, |wire| {
        let has_code = wire.bool(&HAS_CODE)? == 1;
        wire.bytes(&DEVICE_CODE, CODE)?;
        wire.u8(&RIGHTS)?;
        wire.bool(&PLAYER_MODERATOR)?;
        let own = wire.u16_be(&OWN_INDEX)?;
        wire.bool(&MEMBER)?;
        wire.bytes(&ACCOUNT_HASH, 8)?;
        if wire.remaining() > 0 {
            wire.bytes(&USER_ID, 8)?;
            wire.bytes(&USER_HASH, 8)?;
        }
        Ok(Response { is_in: true, own: Some(own), words: if has_code { CODE } else { 0 } })
    })
}
