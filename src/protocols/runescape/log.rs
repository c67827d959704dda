//! The header of a session log of RSProx, which comes in place of a handshake.

use super::fields::*;
use super::types::{Ending, text};
use crate::wire::{Extent, Result, Wire};

/// What a log begins with: its version, and the one revision whose logs are known.
const MAGIC: [u8; 8] = [0, 0, 0, 1, 0, 0, 0, 223];

/// Bytes in front of the texts.
const FIXED: usize = 29;

/// Whether bytes begin as a log does.
pub fn begins(ahead: &[u8]) -> bool {
    ahead.starts_with(&MAGIC) && ahead.len() > FIXED
}

/// Where the header ends: it comes in one piece.
pub fn extent(ahead: &[u8]) -> Extent {
    Extent::Message(ahead.len())
}

/// Read the header. Returns the revision.
///
/// # Errors
/// When it ends too early.
pub fn header(wire: &mut Wire<'_>) -> Result<u16> {
    wire.name("session_log");
    wire.u32_be(&LOG_VERSION)?;
    let revision = wire.u32_be(&LOG_REVISION)?;
    wire.u32_be(&LOG_SUB_REVISION)?;
    wire.u8(&LOG_CLIENT)?;
    wire.u8(&LOG_PLATFORM)?;
    wire.u64_be(&LOG_TIME)?;
    let world = wire.u16_be(&LOG_WORLD)?;
    wire.u32_be(&LOG_FLAGS)?;
    wire.u8(&LOG_LOCATION)?;
    text(wire, &LOG_HOST, Ending::Nul)?;
    text(wire, &LOG_ACTIVITY, Ending::Nul)?;
    wire.u16_be(&LOG_OWN)?;
    let hash = wire.u16_be(&LOG_LENGTH)?;
    wire.bytes(&LOG_ACCOUNT, hash.into())?;
    text(wire, &LOG_NAME, Ending::Nul)?;
    let index = wire.u32_be(&LOG_LENGTH)?;
    wire.bytes(&LOG_INDEX, usize::try_from(index).unwrap_or(usize::MAX))?;
    wire.info(format_args!("revision {revision}, world {world}"));
    Ok(u16::try_from(revision).unwrap_or_default())
}
