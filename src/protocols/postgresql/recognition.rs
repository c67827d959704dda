//! How connections of PostgreSQL are recognized.

use super::{CANCEL, GSS_REQUEST, MINOR_VERSIONS, REQUESTS, RESPONSES, TLS_REQUEST, TYPED, VERSION_3};
use crate::tree::{Names, Side};
use crate::wire::{Opening, Verdict};

/// Whether bytes begin with a type and a plausible length.
pub(super) fn is_typed(bytes: &[u8]) -> bool {
    let Some(&[kind, a, b, c, d]) = bytes.first_chunk() else { return false };
    let is_known = |names: Names| crate::tree::name_of(names, kind.into()).is_some();
    match (kind, u32::from_be_bytes([a, b, c, d])) {
        // No other field.
        (b'1' | b'2' | b'3' | b'I' | b'X' | b'c' | b'n' | b's', length) => length == 4,
        (b'Z', length) => length == 5,
        // Messages have at most 1 GiB.
        (_, length) => length < 1 << 30 && (is_known(REQUESTS) || is_known(RESPONSES)),
    }
}

/// Whether bytes begin with a startup message or one of the requests in its place.
pub(super) fn is_startup(bytes: &[u8]) -> bool {
    let Some((&[0, 0, high, low, a, b, c, d], rest)) = bytes.split_first_chunk::<8>() else { return false };
    let (length, code) = (u16::from_be_bytes([high, low]), u32::from_be_bytes([a, b, c, d]));
    match code {
        TLS_REQUEST | GSS_REQUEST => length == 8 && rest.is_empty(),
        CANCEL => length == 16,
        _ => {
            let begins = rest.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
            let is_version = [a, b] == VERSION_3 && MINOR_VERSIONS.contains(&u16::from_be_bytes([c, d]));
            is_version && begins && are_parameters(rest, usize::from(length).saturating_sub(8))
        }
    }
}

/// Whether the bytes so far are the parameters of a startup message: names and values that an empty name ends after `length`
/// bytes.
fn are_parameters(ahead: &[u8], length: usize) -> bool {
    let is_name = |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    let is_value = |value: &[u8]| value.iter().all(|byte| !byte.is_ascii_control());
    let is_cut = ahead.len() < length;
    let mut rest = ahead.get(..length).unwrap_or(ahead);
    loop {
        let Some((name, behind)) = until_zero(rest) else { return is_cut && is_name(rest) };
        if name.is_empty() {
            return !is_cut && behind.is_empty();
        }
        let Some((value, next)) = until_zero(behind).filter(|_| is_name(name)) else {
            return is_cut && is_name(name) && is_value(behind);
        };
        if !is_value(value) {
            return false;
        }
        rest = next;
    }
}

/// The bytes before the first zero, and after it.
fn until_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (text, rest) = bytes.split_at_checked(memchr::memchr(0, bytes)?)?;
    Some((text, rest.get(1..)?))
}

/// Recognizes a startup message on any port.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let client = Side::BOTH.into_iter().find(|side| opening.starts(*side) && is_startup(opening.of(*side)));
    client.map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

/// Recognizes a complete startup message of another version, or complete messages of an unknown type.
pub(super) fn is_likely(opening: &Opening<'_>) -> Verdict {
    const MOST: u16 = 99;
    // How many bytes of a startup message are missing.
    let missing = |side: Side| {
        let (&[0, 0, a, b, c, d, _, _], rest) = opening.of(side).split_first_chunk::<8>()? else { return None };
        let (length, major) = (usize::from(u16::from_be_bytes([a, b])).checked_sub(8)?, u16::from_be_bytes([c, d]));
        let missing = length.checked_sub(rest.len())?;
        (major <= MOST && are_parameters(rest, length)).then_some((side, missing))
    };
    match Side::BOTH.into_iter().find_map(missing) {
        Some((client, 0)) => Verdict::Yes(client.other()),
        Some(_) if !opening.complete => Verdict::Unsure,
        _ => TYPED.odd_messages(opening, |_| Side::Server),
    }
}

/// Recognizes a connection on its port, also joined midway.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let is_midway = |side: &Side| TYPED.is_chain(opening.of(*side));
    match anywhere(opening) {
        Verdict::No if Side::BOTH.iter().any(is_midway) => Verdict::Yes(Side::Server),
        Verdict::No if !opening.complete && opening.sent.iter().all(|bytes| bytes.len() < 9) => Verdict::Unsure,
        verdict => verdict,
    }
}
