//! SSL 2.0 ClientHello (RFC 5246 appendix E.2), which may offer later versions.
//!
//! ```text
//! hello         1:bit | length:15 bits | type:1 = 1 | version:2 | cipher specs length:2 | session id length:2 | challenge length:2
//!               cipher specs, 3 each | session id | challenge
//! ```

use super::hello::Hello;
use super::summary::Summary;
use super::*;
use crate::tree::{Names, Value, name_of};
use crate::wire::{Result, Wire};

/// Size of the fixed part in bytes.
const HEADER: usize = 11;

/// Size of the length field in bytes, which the length excludes.
const LENGTH: usize = 2;

const SSL_2_0: u16 = 0x0002;

/// Permitted sizes of a challenge in bytes: at least 16, at most the size of a random.
const CHALLENGES: std::ops::RangeInclusive<usize> = 16..=32;

/// Cipher specs of SSL 2.0, numbered above the TLS suites.
const SSL2_SPECS: [(u64, &str); 8] = [
    (0x01_0080, "SSL2_RC4_128_WITH_MD5"),
    (0x02_0080, "SSL2_RC4_128_EXPORT40_WITH_MD5"),
    (0x03_0080, "SSL2_RC2_128_CBC_WITH_MD5"),
    (0x04_0080, "SSL2_RC2_128_CBC_EXPORT40_WITH_MD5"),
    (0x05_0080, "SSL2_IDEA_128_CBC_WITH_MD5"),
    (0x06_0040, "SSL2_DES_64_CBC_WITH_MD5"),
    (0x07_00c0, "SSL2_DES_192_EDE3_CBC_WITH_MD5"),
    (0x08_0080, "SSL2_RC4_64_WITH_MD5"),
];

const ALL_SPECS: [(u64, &str); suites::SUITES.len() + SSL2_SPECS.len()] = {
    let mut all = [(0, ""); suites::SUITES.len() + SSL2_SPECS.len()];
    let (suites, own) = all.split_at_mut(suites::SUITES.len());
    suites.copy_from_slice(suites::SUITES);
    own.copy_from_slice(&SSL2_SPECS);
    all
};

pub(super) const SPECS: Names = &ALL_SPECS;

/// Result of parsing bytes as an SSL 2.0 ClientHello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ssl2 {
    /// ClientHello of this total size.
    Hello(usize),
    /// Incomplete ClientHello.
    Unfinished,
    No,
}

/// Recognizes an SSL 2.0 ClientHello.
pub(super) fn recognize(bytes: &[u8]) -> Ssl2 {
    let Some(head) = bytes.first_chunk::<HEADER>() else {
        return if may_begin(bytes) { Ssl2::Unfinished } else { Ssl2::No };
    };
    let &[high, low, _, _, _, specs_high, specs_low, id_high, id_low, challenge_high, challenge_low] = head;
    let number = |high, low| usize::from(u16::from_be_bytes([high, low]));
    let (specs, id) = (number(specs_high, specs_low), number(id_high, id_low));
    let challenge = number(challenge_high, challenge_low);
    let whole = LENGTH + number(high & 0x7f, low);
    let fits = specs > 0 && specs.is_multiple_of(3) && matches!(id, 0 | 16) && CHALLENGES.contains(&challenge);
    if may_begin(bytes) && fits && whole == HEADER + specs + id + challenge { Ssl2::Hello(whole) } else { Ssl2::No }
}

fn may_begin(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(5)).unwrap_or_default();
    matches!(
        *head,
        [0x80..=0xff, _, 1, 3, 0..=3]
            | [0x80..=0xff, _, 1, 0, 2]
            | [0x80..=0xff, _, 1, 0 | 3]
            | [0x80..=0xff, _, 1]
            | [0x80..=0xff, _]
            | [0x80..=0xff]
    )
}

/// Dissects an SSL 2.0 ClientHello.
pub(super) fn hello(wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
    summary.name("client_hello");
    let at = wire.at();
    let length = wire.ahead().first_chunk().map_or(0, |bytes| u16::from_be_bytes(*bytes) & 0x7fff);
    wire.add(&RECORD_VERSION, Value::Unsigned(SSL_2_0.into()));
    wire.put(&RECORD_LENGTH, Value::Unsigned(length.into()), at..at + LENGTH);
    wire.skip(LENGTH)?;
    wire.within(length.into(), &DATA, |wire| {
        wire.u8(&HANDSHAKE_TYPE)?;
        let version = wire.u16_be(&VERSION)?;
        let specs = usize::from(wire.u16_be(&CIPHER_SPECS_LENGTH)?);
        let id = usize::from(wire.u16_be(&SESSION_ID_LENGTH)?);
        let challenge = usize::from(wire.u16_be(&CHALLENGE_LENGTH)?);
        for _ in 0..specs / 3 {
            let at = wire.at();
            let [high, middle, low] = wire.ahead().first_chunk().copied().unwrap_or_default();
            wire.skip(3)?;
            wire.put(&CIPHER_SPEC, Value::Unsigned(u32::from_be_bytes([0, high, middle, low]).into()), at..at + 3);
        }
        wire.optional(&SESSION_ID, id)?;
        let challenge = wire.bytes(&CHALLENGE, challenge)?;
        // The challenge, padded with leading zeros, serves as the client random.
        for (random, byte) in hello.client_random.iter_mut().rev().zip(challenge.iter().rev()) {
            *random = *byte;
        }
        summary.add_info(name_of(VERSIONS, version.into()).unwrap_or_default());
        Ok(())
    })
}
