//! SRTCP (RFC 3711): encrypted RTCP, of which the first header and the trailer are readable.
//!
//! ```text
//! first header:4 | SSRC:4 | encrypted content and further packets | E:1 bit | index:31 | tag:10      AES-CM and HMAC
//! first header:4 | SSRC:4 | encrypted content and further packets | tag:16 | E:1 bit | index:31      AES-GCM, RFC 7714
//! ```
//! Not covered: decryption, master key identifiers, tags of four bytes.

use super::{Header, TYPES, header, recognize as is_plain, sender};
use crate::protocols::stun;
use crate::tree::{fields, name_of};
use crate::wire::{Error, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&SRTCP, FIELDS).found(&[
    On::Over("rtp").datagram(Heuristic::Datagram(recognize), message),
    On::Over(stun::RELAYED).datagram(Heuristic::Datagram(recognize), message),
    On::AnyUdp.datagram(Heuristic::Datagram(recognize), message),
]);

fields! {
    SRTCP = protocol("srtcp", "SRTCP", "Secure Real-time Transport Control Protocol")
        .covers("The first header, and the trailer of AES-CM and AES-GCM")
        .leaves_open("Decryption");
    ENCRYPTED = bytes("srtcp.encrypted_payload", "encrypted RTCP payload", "").valueless().encrypted().once();
    E_FLAG = bool("srtcp.e", "SRTCP E flag", "Set if the content is encrypted").mask(0x8000_0000).once();
    INDEX = number("srtcp.index", "SRTCP index", "Counts packets of the sender").mask(0x7fff_ffff).once();
    TAG = bytes("srtcp.auth_tag", "SRTCP auth tag", "").once();
}

/// Sizes of the header with the SSRC, of the index, and of the tags of AES-CM and AES-GCM, in bytes.
const CLEAR: usize = 8;
const WORD: usize = 4;
const CM_TAG: usize = 10;
const GCM_TAG: usize = 16;

/// Larger indexes are not plausible: at one packet a second they take twelve days.
const MAX_INDEX: u32 = 1 << 20;

/// Where the trailer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trailer {
    IndexFirst,
    TagFirst,
}

impl Trailer {
    /// Finds an index with its flag set; both forms differ in its place.
    fn of(bytes: &[u8]) -> Option<Trailer> {
        let content = bytes.get(CLEAR..)?;
        let is_index = |place: Option<usize>| {
            let index = place.and_then(|place| content.get(place..)?.first_chunk().copied().map(u32::from_be_bytes));
            index.is_some_and(|index| index >> 31 == 1 && index & (u32::MAX >> 1) < MAX_INDEX)
        };
        if is_index(content.len().checked_sub(WORD + CM_TAG)) {
            return Some(Trailer::IndexFirst);
        }
        let has_tag = content.len() >= WORD + GCM_TAG;
        (has_tag && is_index(content.len().checked_sub(WORD))).then_some(Trailer::TagFirst)
    }
}

/// Recognizes a packet whose first header is plausible and whose trailer has an index.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    let Some(header) = Header::of(bytes).filter(|header| header.may_begin()) else { return false };
    header.size <= bytes.len() && Trailer::of(bytes).is_some() && !is_plain(bytes)
}

pub(super) fn message(wire: &mut Wire<'_>) -> Result {
    let trailer = Trailer::of(wire.ahead());
    let header = header(wire)?;
    wire.name(name_of(TYPES, header.kind.into()).unwrap_or("unknown"));
    let mut info = String::new();
    let ssrc = sender(wire, &mut info);
    wire.info(format_args!("{info}, encrypted"));
    ssrc?;
    let trailer_size = WORD + if trailer == Some(Trailer::TagFirst) { GCM_TAG } else { CM_TAG };
    let payload = wire.remaining().checked_sub(trailer_size).ok_or(Error::Short { needed: trailer_size })?;
    wire.optional(&ENCRYPTED, payload)?;
    if trailer == Some(Trailer::TagFirst) {
        wire.bytes(&TAG, GCM_TAG)?;
    }
    wire.bits(WORD, &[&E_FLAG, &INDEX])?;
    wire.rest_is(&TAG)
}
