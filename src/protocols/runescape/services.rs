//! Connection setup: the requested service and the first response of the server.

use super::fields::*;
use crate::tree::name_of;
use crate::wire::{Extent, InvalidValue, Result, Wire};

/// Maximum name hash.
const MOST_HASH: u8 = 31;

/// Ignored bytes of the response.
const IGNORED_LEN: usize = 8;

/// Response sizes with and without the server seed, and for newer engines.
const WITH_SEED: usize = 17;
pub const WITHOUT_SEED: usize = 9;

/// Plausible JS5 revisions; restarted numbering also sends a token.
const JS5_REVISIONS: std::ops::RangeInclusive<u32> = 400..=1000;
const JS5_NEWEST: std::ops::RangeInclusive<u32> = 150..=399;

/// Configured service of a connection joined midway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Midway {
    /// On-demand update server of the old engine.
    Update,
    /// JS5.
    Js5,
}

/// Maximum first byte of a file request: services and logins start with a larger one.
const MOST_REQUESTS: u8 = 7;

impl Midway {
    /// Parses the name of a service.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> std::result::Result<Midway, InvalidValue> {
        match text {
            "update" => Ok(Midway::Update),
            "js5" => Ok(Midway::Js5),
            _ => Err(InvalidValue { line: None, message: "expected js5 or update".into() }),
        }
    }

    /// Whether the first byte of a client is a request of this service.
    pub fn begins(ahead: &[u8]) -> bool {
        matches!(ahead, [..=MOST_REQUESTS, ..])
    }
}

/// Extent of a message of `count` bytes.
pub fn exactly(ahead: &[u8], count: usize) -> Extent {
    if ahead.len() < count { Extent::NeedMore(count) } else { Extent::Message(count) }
}

/// Reads `service` and the name hash, if present.
pub fn game_service(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SERVICE)?;
    if wire.remaining() > 0 {
        let hash = wire.u8(&NAME_HASH)?;
        if hash > MOST_HASH {
            wire.note(&ODD, format_args!("{hash}; expected 0 to {MOST_HASH}"));
        }
    }
    Ok(())
}

/// Length of a JS5 handshake, if the client starts with one.
pub fn js5_hello(ahead: &[u8]) -> Option<usize> {
    let revision = u32::from_be_bytes(*ahead.get(1..5)?.first_chunk()?);
    match revision {
        _ if JS5_REVISIONS.contains(&revision) => Some(5),
        _ if JS5_NEWEST.contains(&revision) => Some(21),
        _ => None,
    }
}

/// Extent of the response to the game service.
pub fn answer_extent(ahead: &[u8]) -> Extent {
    match ahead.get(IGNORED_LEN) {
        None => Extent::NeedMore(WITHOUT_SEED),
        Some(0) => Extent::Message(WITH_SEED),
        Some(_) => Extent::Message(WITHOUT_SEED),
    }
}

/// Whether the response is that of a newer engine: no ignored bytes, a seed after response 0.
fn is_short(answer: &[u8]) -> bool {
    answer.len() == WITHOUT_SEED
        && answer.first() == Some(&0)
        && answer.get(..IGNORED_LEN).is_some_and(|bytes| bytes.iter().any(|byte| *byte != 0))
}

/// Whether the server answers a client of the newest engine, whose request without a name hash may not be read yet: a seed
/// after response 0, and nothing else or a login response with its size.
pub fn is_newest_answer(ahead: &[u8]) -> bool {
    let (answer, rest) = ahead.split_at_checked(WITHOUT_SEED).unwrap_or_default();
    is_short(answer) && matches!(rest, [] | [2, 34, ..])
}

/// Reads the response to the game service. Returns the server seed if the login may continue.
pub fn answer(wire: &mut Wire<'_>) -> Result<Option<u64>> {
    wire.name("handshake");
    if !is_short(wire.ahead()) {
        wire.bytes(&IGNORED, IGNORED_LEN.min(wire.remaining()))?;
    }
    let response = wire.u8(&HANDSHAKE_RESPONSE)?;
    wire.info(format_args!("{}", name_of(HANDSHAKE_RESPONSE.names, response.into()).unwrap_or("unknown response")));
    if response == 0 { wire.u64_be(&SERVER_SEED).map(Some) } else { Ok(None) }
}

/// Maximum length of a JAGGRAB request.
const MOST_REQUEST: usize = 256;

/// Extent of a JAGGRAB request: up to two line feeds.
pub fn request_extent(ahead: &[u8], more: bool) -> Extent {
    match ahead.windows(2).position(|pair| pair == b"\n\n") {
        Some(at) => Extent::Message(at + 2),
        None if more && ahead.len() < MOST_REQUEST => Extent::NeedMore(ahead.len() + 1),
        None => Extent::Message(ahead.len()),
    }
}
