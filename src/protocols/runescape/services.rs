//! How connections begin: the service that a client asks for, and the first answer of the server.

use super::fields::*;
use crate::tree::name_of;
use crate::wire::{Extent, Result, Unfit, Wire};

/// The largest name hash.
const MOST_HASH: u8 = 31;

/// Bytes of the answer that clients pass over.
const IGNORED_LEN: usize = 8;

/// Bytes of an answer with and without the server's seed, and of one of newer engines.
const WITH_SEED: usize = 17;
const WITHOUT_SEED: usize = 9;

/// Revisions that a client of JS5 may have; newer ones that count anew send a token as well.
const JS5_REVISIONS: std::ops::RangeInclusive<u32> = 400..=1000;
const JS5_NEWEST: std::ops::RangeInclusive<u32> = 150..=399;

/// A service whose beginning is not in the capture, because somebody said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Midway {
    /// Files of the old engine.
    Update,
    /// Files of newer engines.
    Js5,
}

/// The largest first byte of a request for files: services and logins begin with a larger one.
const MOST_REQUESTS: u8 = 7;

impl Midway {
    /// The service of this name.
    ///
    /// # Errors
    /// What was expected.
    pub fn told(text: &str) -> std::result::Result<Midway, Unfit> {
        match text {
            "update" => Ok(Midway::Update),
            "js5" => Ok(Midway::Js5),
            _ => Err(Unfit { line: None, words: "expected js5 or update".into() }),
        }
    }

    /// Whether a client that says this is in it already.
    #[must_use]
    pub fn begins(ahead: &[u8]) -> bool {
        matches!(ahead, [..=MOST_REQUESTS, ..])
    }
}

/// A message of so many bytes.
pub fn exactly(ahead: &[u8], count: usize) -> Extent {
    if ahead.len() < count { Extent::NeedMore(count) } else { Extent::Message(count) }
}

/// `service` and, if it is there, the name hash.
pub fn game_service(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SERVICE)?;
    if wire.remaining() > 0 {
        let hash = wire.u8(&NAME_HASH)?;
        if hash > MOST_HASH {
            wire.note(&ODD, format_args!("{hash}; five bits say 0 to {MOST_HASH}"));
        }
    }
    Ok(())
}

/// Bytes of a client's first message if it asks for JS5.
pub fn js5_hello(ahead: &[u8]) -> Option<usize> {
    let revision = u32::from_be_bytes(*ahead.get(1..5)?.first_chunk()?);
    match revision {
        _ if JS5_REVISIONS.contains(&revision) => Some(5),
        _ if JS5_NEWEST.contains(&revision) => Some(21),
        _ => None,
    }
}

/// Where the server's answer to a game login ends.
pub fn answer_extent(ahead: &[u8]) -> Extent {
    match ahead.get(IGNORED_LEN) {
        None => Extent::NeedMore(WITHOUT_SEED),
        Some(0) => Extent::Message(WITH_SEED),
        Some(_) => Extent::Message(WITHOUT_SEED),
    }
}

/// Whether an answer is one of newer engines: no ignored bytes, a seed behind a response of 0.
fn is_short(answer: &[u8]) -> bool {
    answer.len() == WITHOUT_SEED
        && answer.first() == Some(&0)
        && answer.get(..IGNORED_LEN).is_some_and(|bytes| bytes.iter().any(|byte| *byte != 0))
}

/// The server's answer to a game login. Returns its seed, if the login may go on.
///
/// # Errors
/// When it ends too early.
pub fn answer(wire: &mut Wire<'_>) -> Result<Option<u64>> {
    wire.name("handshake");
    if !is_short(wire.ahead()) {
        wire.bytes(&IGNORED, IGNORED_LEN.min(wire.remaining()))?;
    }
    let response = wire.u8(&HANDSHAKE_RESPONSE)?;
    wire.info(format_args!("{}", name_of(HANDSHAKE_RESPONSE.names, response.into()).unwrap_or("unknown response")));
    if response == 0 { wire.u64_be(&SERVER_SEED).map(Some) } else { Ok(None) }
}

/// The longest request for a start-up file.
const MOST_REQUEST: usize = 256;

/// Where a request for a start-up file ends: behind two line feeds.
pub fn request_extent(ahead: &[u8], more: bool) -> Extent {
    match ahead.windows(2).position(|pair| pair == b"\n\n") {
        Some(at) => Extent::Message(at + 2),
        None if more && ahead.len() < MOST_REQUEST => Extent::NeedMore(ahead.len() + 1),
        None => Extent::Message(ahead.len()),
    }
}
