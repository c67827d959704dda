//! TPKT (RFC 1006): packets of the ISO transport protocol on TCP, such as those of RDP and of controllers.
//!
//! Numbers are big-endian.
//!
//! ```text
//! version:1, 3 | reserved:1, 0 | length:2, of all | TPDU
//! ```
//! After RDP has agreed on TLS, the connection is handed over to TLS.
//!
//! Not covered: H.323, whose packets contain no TPDU.

mod cotp;
mod fields;
mod parameters;
mod rdp;
#[cfg(test)]
mod tests;

use crate::tree::{BySide, Side, fields};
use crate::wire::{Conversation, Extent, Found, Heuristic, Missing, Next, On, Opening, Protocol, Result, Verdict, Wire};
pub use cotp::PROTOCOL as COTP_PROTOCOL;
pub use rdp::PROTOCOL as RDP_PROTOCOL;

pub static PROTOCOL: Protocol = Protocol::new(&TPKT, FIELDS)
    .found(&[
        On::Tcp(102).stream::<Session>(Heuristic::Stream(recognize_on_port)),
        On::Tcp(3389).stream::<Session>(Heuristic::Stream(recognize_on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        likely_on(102),
        likely_on(3389),
    ])
    .rest(&CONTINUATION);

const fn likely_on(port: u16) -> Found {
    On::Tcp(port).stream::<Session>(Heuristic::Stream(is_likely)).by_port()
}

fields! {
    TPKT = protocol("tpkt", "TPKT", "TPKT - ISO on TCP - RFC1006").covers("Headers and framing; switch to TLS after RDP's negotiation");
    VERSION = number("tpkt.version", "Version", "3").once();
    RESERVED = number("tpkt.reserved", "Reserved", "0").once();
    LENGTH = number("tpkt.length", "Length", "Of the packet with this header, in bytes").once();
    CONTINUATION = bytes("tpkt.continuation_data", "Continuation data", "Bytes without a header, such as RDP's fast path");
    BAD_VERSION = odd("tpkt.version.unknown", "other version", "The version is not 3");
    BAD_RESERVED = odd("tpkt.reserved.set", "reserved byte set", "The reserved byte is not 0");
}

/// The name under which TPDUs are handed over.
const PLACE: &str = "tpkt";

/// Size of the header.
const HEADER: usize = 4;
/// Smallest packet: a header and a TPDU of three bytes.
const LEAST: usize = HEADER + 3;
const VERSION_3: u8 = 3;

/// A packet as far as its first bytes state it.
#[derive(Clone, Copy)]
struct Packet {
    /// Whether version and reserved byte have their values.
    is_exact: bool,
    size: usize,
}

/// The packet at the start of the bytes, whose TPDU begins as one of a known type does; `None` if there is none, or its first
/// bytes have not arrived.
fn packet(bytes: &[u8]) -> Option<Packet> {
    let &[version, reserved, high, low, length, kind, ..] = bytes else { return None };
    let size = usize::from(u16::from_be_bytes([high, low]));
    // One of both may be wrong.
    let fits = (version == VERSION_3 || reserved == 0) && size >= LEAST && cotp::begins(length, kind, size - HEADER);
    fits.then_some(Packet { is_exact: (version, reserved) == (VERSION_3, 0), size })
}

/// Whether the first bytes of a header that has not arrived completely may begin a packet.
fn may_begin(bytes: &[u8]) -> bool {
    bytes.len() < HEADER + 2 && bytes.iter().zip([VERSION_3, 0]).all(|(byte, expected)| *byte == expected)
}

/// Bytes of the variable part and the user data of a connection request or confirmation, if all of its lengths agree.
fn connection(bytes: &[u8], kind: u8) -> bool {
    let Some(Packet { is_exact: true, size }) = packet(bytes) else { return false };
    bytes.get(HEADER..size).is_some_and(|tpdu| cotp::is_connection(tpdu, kind))
}

/// Recognizes a connection request or its confirmation on any port.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let mut may_follow = false;
    for side in Side::BOTH {
        let bytes = opening.of(side);
        if connection(bytes, cotp::REQUEST) {
            return Verdict::Yes(side.other());
        }
        if connection(bytes, cotp::CONFIRMATION) && !opening.starts(side.other()) {
            return Verdict::Yes(side);
        }
        let waits = packet(bytes).is_some_and(|found| {
            let is_request = bytes.get(HEADER + 1) == Some(&cotp::REQUEST);
            found.is_exact && is_request && bytes.len() < found.size && found.size <= HEADER + usize::from(u8::MAX)
        });
        may_follow |= waits || !bytes.is_empty() && may_begin(bytes);
    }
    if may_follow && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Recognizes any packet on a registered port.
fn recognize_on_port(opening: &Opening<'_>) -> Verdict {
    by_packets(opening, |found, _| found.is_exact)
}

/// The same for complete packets with a wrong version or reserved byte.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    by_packets(opening, |found, bytes| found.size <= bytes.len())
}

fn by_packets(opening: &Opening<'_>, accepts: impl Fn(Packet, &[u8]) -> bool) -> Verdict {
    let mut may_follow = false;
    for side in Side::BOTH {
        let bytes = opening.of(side);
        if packet(bytes).is_some_and(|found| accepts(found, bytes)) {
            let is_request = bytes.get(HEADER + 1).is_some_and(|kind| kind & 0xf0 == cotp::REQUEST);
            return Verdict::Yes(if is_request { side.other() } else { Side::Server });
        }
        may_follow |= !bytes.is_empty() && may_begin(bytes);
    }
    if may_follow && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Bytes were lost, so the next packet has to be searched for.
    lost: BySide<bool>,
    /// How often bytes of a side were lost: segments from before and after belong to no common message.
    losses: BySide<u64>,
    /// RDP was negotiated without TLS: its fast path has headers of its own.
    has_fast_path: bool,
    next: Option<Next>,
}

/// Size of a packet of RDP's fast path ([MS-RDPBCGR] 2.2.9.1.2): flags of which the lowest two are 0, and one or two bytes of length.
fn fast_path(bytes: &[u8]) -> Option<usize> {
    let &[flags, first, ..] = bytes else { return None };
    let length = match (first & 0x80, bytes.get(2)) {
        (0, _) => usize::from(first),
        (_, Some(second)) => usize::from(first & 0x7f) << 8 | usize::from(*second),
        (_, None) => return None,
    };
    (flags & 3 == 0 && length > 2).then_some(length)
}

/// Offset of the next packet that is followed by another one or by nothing.
fn search(bytes: &[u8]) -> Option<usize> {
    let begins = |at: &usize| {
        let ahead = bytes.get(*at..).unwrap_or_default();
        let is_followed = |size: usize| {
            let next = ahead.get(size..).unwrap_or_default();
            next.is_empty() || may_begin(next) || packet(next).is_some_and(|next| next.is_exact)
        };
        packet(ahead).is_some_and(|found| found.is_exact && is_followed(found.size))
    };
    memchr::memchr_iter(VERSION_3, bytes).find(begins)
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.lost[from] {
            match search(ahead) {
                Some(0) => self.lost[from] = false,
                Some(at) => return Extent::Unknown(at),
                None if more && ahead.len() < LEAST => return Extent::NeedMore(LEAST),
                None => return Extent::Unknown(ahead.len()),
            }
        }
        if let Some(found) = packet(ahead) {
            return Extent::Message(found.size);
        }
        if self.has_fast_path
            && let Some(size) = fast_path(ahead)
        {
            return Extent::Message(size);
        }
        if ahead.len() < HEADER + 2 && more {
            return Extent::NeedMore(HEADER + 2);
        }
        if let &[VERSION_3, 0, high, low, ..] = ahead
            && usize::from(u16::from_be_bytes([high, low])) >= HEADER
        {
            return Extent::Message(u16::from_be_bytes([high, low]).into());
        }
        let next = search(ahead.get(1..).unwrap_or_default());
        Extent::Unknown(next.map_or(ahead.len(), |at| at + 1))
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if self.has_fast_path && packet(wire.ahead()).is_none() && fast_path(wire.ahead()).is_some() {
            wire.name("fast path");
            return wire.rest_is(&CONTINUATION);
        }
        if let Some(protocol) = wire.ahead().get(HEADER..).and_then(rdp::selected_protocol) {
            self.has_fast_path = protocol == rdp::PLAIN;
            self.next = (protocol != rdp::PLAIN).then_some(Next::Detect);
        }
        let version = wire.u8(&VERSION)?;
        if version != VERSION_3 {
            wire.note(&BAD_VERSION, format_args!("{version} instead of 3"));
        }
        let reserved = wire.u8(&RESERVED)?;
        if reserved != 0 {
            wire.note(&BAD_RESERVED, format_args!("{reserved} instead of 0"));
        }
        let length = wire.u16_be(&LENGTH)?;
        wire.info(format_args!("{length} bytes"));
        let (at, count) = (wire.at(), wire.remaining());
        wire.hand_over_with(PLACE, at..at + count, self.losses[from]);
        wire.skip(count)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
        self.losses[from] += 1;
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }
}
