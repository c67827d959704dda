//! Recognition of a connection by its handshake.

use super::{legacy, varint};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Maximum plausible size of a handshake.
const MAX_HANDSHAKE: usize = 300;

/// Whether a protocol number is that of a release, a snapshot, or -1, with which a client asks for the status.
fn is_protocol(number: usize) -> bool {
    const SNAPSHOTS: usize = 1 << 30;
    matches!(number.checked_sub(SNAPSHOTS).unwrap_or(number), 0..4096) || u32::try_from(number) == Ok(u32::MAX)
}

/// Heuristic: the client starts with a consistent handshake, or with the ping of old versions.
pub(super) fn detect(opening: &Opening<'_>) -> Verdict {
    for (side, server) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
        if !opening.starts(side) {
            continue;
        }
        let (new, old) = (handshake(opening.of(side)), legacy::recognize(opening.of(side), opening.of(server)));
        if [new, old].contains(&Ok(true)) {
            return Verdict::Yes(server);
        }
        // No server answers half a handshake.
        let waits = new == Ok(false) && opening.of(server).is_empty() || old == Ok(false);
        if waits && !opening.complete {
            return Verdict::Unsure;
        }
    }
    Verdict::No
}

/// Whether the bytes start with a handshake; `Ok(false)` if undecided.
fn handshake(bytes: &[u8]) -> std::result::Result<bool, ()> {
    let mut at = 0;
    let mut next = |most: usize| match varint(bytes.get(at..).unwrap_or_default())? {
        Some((number, size)) if number <= most => {
            at += size;
            Ok(Some((number, at)))
        }
        Some(_) => Err(()),
        None => Ok(None),
    };
    let Some((length, start)) = next(MAX_HANDSHAKE)? else { return Ok(false) };
    if length < 7 {
        return Err(());
    }
    let (Some(_), Some((protocol, _)), Some((address, end))) = (next(0)?, next(usize::MAX)?, next(255)?) else {
        return Ok(false);
    };
    if !is_protocol(protocol) {
        return Err(());
    }
    let state_at = end + address + 2;
    let text = bytes.get(end..).unwrap_or_default();
    let text = text.get(..address).unwrap_or(text);
    if state_at + 1 != start + length || address == 0 || !text.iter().all(|byte| byte.is_ascii_graphic() || *byte == 0) {
        return Err(());
    }
    match bytes.get(state_at) {
        Some(1..=3) => Ok(true),
        Some(_) => Err(()),
        None => Ok(false),
    }
}
