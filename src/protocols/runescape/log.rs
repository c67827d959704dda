//! Header of an RSProx session log, in place of a handshake.

use super::fields::*;
use super::types::{Ending, text};
use crate::wire::{Extent, Result, Wire};
use std::ops::Range;

/// Version of a log, and the first bytes of its revision.
const MAGIC: [u8; 6] = [0, 0, 0, 1, 0, 0];

/// Revisions that a log may have, some more than there are tables.
const REVISIONS: Range<u16> = 223..400;

/// Bytes before the strings.
const FIXED: usize = 29;

/// Maximum header length to wait for.
const LONGEST: usize = 4096;

/// Whether the bytes start as a log.
pub fn begins(ahead: &[u8]) -> bool {
    ahead.len() > FIXED && may_begin(ahead)
}

/// Whether the bytes may be an incomplete start of a log.
pub fn may_begin(ahead: &[u8]) -> bool {
    match ahead.strip_prefix(&MAGIC) {
        Some([high, low, ..]) => REVISIONS.contains(&u16::from_be_bytes([*high, *low])),
        Some(_) => true,
        None => MAGIC.starts_with(ahead),
    }
}

/// End of the header, if it is complete.
fn end(ahead: &[u8]) -> Option<usize> {
    let behind_nul = |at: usize| memchr::memchr(0, ahead.get(at..)?).map(|len| at + len + 1);
    let number = |at: usize, width: usize| {
        let bytes = ahead.get(at..at + width)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    let own = behind_nul(behind_nul(FIXED)?)?;
    let account = own + 4 + number(own + 2, 2)?;
    let index = behind_nul(account)?;
    let end = (index + 4).checked_add(number(index, 4)?)?;
    (end <= ahead.len()).then_some(end)
}

/// Extent of the header. A header above the maximum length takes all bytes.
pub fn extent(ahead: &[u8], more: bool) -> Extent {
    match end(ahead) {
        Some(end) => Extent::Message(end),
        None if more && ahead.len() < LONGEST => Extent::NeedMore(ahead.len() + 1),
        None => Extent::Message(ahead.len()),
    }
}

/// Reads the header and returns the revision, and the index of the local player.
pub fn header(wire: &mut Wire<'_>) -> Result<(u16, u16)> {
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
    let own = wire.u16_be(&LOG_OWN)?;
    let hash = wire.u16_be(&LOG_LENGTH)?;
    wire.bytes(&LOG_ACCOUNT, hash.into())?;
    text(wire, &LOG_NAME, Ending::Nul)?;
    let index = wire.u32_be(&LOG_LENGTH)?;
    wire.bytes(&LOG_INDEX, usize::try_from(index).unwrap_or(usize::MAX))?;
    wire.info(format_args!("revision {revision}, world {world}"));
    Ok((u16::try_from(revision).unwrap_or_default(), own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_ends_at_the_same_offset_in_any_pieces() {
        let fixed = [&MAGIC[..], &[0, 223], &[0; FIXED - MAGIC.len() - 2]].concat();
        let header = [&fixed[..], b"host\0trade\0", &[0, 4, 0, 2], b"ab", b"name\0", &[0, 0, 0, 3], b"xyz"].concat();
        for cut in 1..header.len() {
            assert!(may_begin(&header[..cut]), "{cut}");
            assert_eq!(extent(&header[..cut], true), Extent::NeedMore(cut + 1), "{cut}");
        }
        let packets = [&header[..], &[1, 2, 3]].concat();
        assert_eq!(extent(&packets, true), Extent::Message(header.len()));
        assert_eq!(extent(&header[..40], false), Extent::Message(40), "the capture ends inside it");
    }
}
