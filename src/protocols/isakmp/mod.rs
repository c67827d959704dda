//! ISAKMP: the Internet Key Exchange of IPsec, versions 1 (RFC 2408, RFC 2409) and 2 (RFC 7296).
//!
//! ```text
//! message     initiator SPI:8 | responder SPI:8 | next payload:1 | version:1 | exchange:1 | flags:1 | message ID:4 | length:4 |
//!             payload …, or encrypted bytes
//! payload     next payload:1 | critical:1 bit reserved:7 bits | length:2 | contents
//! attribute   format:1 bit type:15 bits | value:2, or length:2 and value
//! ```
//! On UDP port 4500 (RFC 3948) four zero bytes precede a message. A single `ff` is a NAT keepalive, and other bytes are ESP.
//!
//! Not covered: decryption; the meaning of vendor IDs; group key exchange.

mod fields;
mod names;
mod payloads;
#[cfg(test)]
mod tests;

use crate::tree::{Side, name_of};
use crate::wire::{DatagramContext, Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use fields::*;
use names::EXCHANGES;

pub static PROTOCOL: Protocol = Protocol::new(&ISAKMP, FIELDS)
    .found(&[
        On::Udp(500).exchange::<Session>(Heuristic::Datagram(recognize)),
        On::Udp(848).exchange::<Session>(Heuristic::Datagram(recognize)),
        On::Over("isakmp").exchange::<Session>(Heuristic::Datagram(recognize)),
        On::Udp(500).exchange::<Session>(Heuristic::Datagram(is_likely)).by_port(),
        On::Udp(848).exchange::<Session>(Heuristic::Datagram(is_likely)).by_port(),
        On::Over("isakmp").exchange::<Session>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&UNKNOWN);

/// UDP encapsulation of IPsec packets.
pub static ENCAPSULATION: Protocol = Protocol::new(&encapsulation::UDPENCAP, encapsulation::FIELDS)
    .found(&[On::Udp(NAT_TRAVERSAL).datagram(Heuristic::InContext(is_encapsulated), encapsulated)]);

mod encapsulation {
    use crate::tree::fields;

    fields! {
        UDPENCAP = protocol("udpencap", "UDP encapsulation", "UDP encapsulation of IPsec packets")
            .covers("NAT keepalives, key exchange and ESP on the port of NAT traversal");
        KEEPALIVE = number("udpencap.nat_keepalive", "NAT-keepalive packet", "").hex(2).once();
        MARKER = bytes("udpencap.non_esp_marker", "Non-ESP Marker", "Zeros instead of an SPI").once();
    }
}

const HEADER: usize = 28;
const NAT_TRAVERSAL: u16 = 4500;
const NON_ESP: [u8; 4] = [0; 4];
const NAT_KEEPALIVE: u8 = 0xff;

/// Recognizes a header of version 1 or 2 with a known exchange and a length that fits.
fn recognize(bytes: &[u8]) -> bool {
    evidence(bytes).is_some_and(|Evidence { version, exchange, length }| version && exchange && length >= HEADER)
}

/// Whether two of three properties hold: a known version, a known exchange, and a length that fits.
fn is_likely(bytes: &[u8]) -> bool {
    evidence(bytes).is_some_and(|Evidence { version, exchange, length }| {
        usize::from(version) + usize::from(exchange) + usize::from((HEADER..=bytes.len()).contains(&length)) >= 2
    })
}

/// What a header says about itself.
struct Evidence {
    version: bool,
    exchange: bool,
    length: usize,
}

fn evidence(bytes: &[u8]) -> Option<Evidence> {
    let &[_, version, exchange, _] = bytes.get(16..)?.first_chunk()?;
    let length = u32::from_be_bytes(*bytes.get(24..)?.first_chunk()?);
    let is_known = name_of(EXCHANGES, exchange.into()).is_some() || exchange > 239;
    Some(Evidence { version: matches!(version, 0x10 | 0x20), exchange: is_known, length: usize::try_from(length).ok()? })
}

/// ESP has no magic, only its port.
fn is_encapsulated(bytes: &[u8], context: &DatagramContext) -> bool {
    match bytes.strip_prefix(&NON_ESP) {
        Some(message) => recognize(message) || context.has_port(NAT_TRAVERSAL) && is_likely(message),
        None => context.has_port(NAT_TRAVERSAL) && (bytes == [NAT_KEEPALIVE] || bytes.len() > 8),
    }
}

fn encapsulated(wire: &mut Wire<'_>) -> Result {
    match wire.ahead() {
        [NAT_KEEPALIVE] => {
            wire.name("NAT keepalive");
            wire.u8(&encapsulation::KEEPALIVE).map(drop)
        }
        bytes if bytes.starts_with(&NON_ESP) => {
            wire.bytes(&encapsulation::MARKER, NON_ESP.len())?;
            wire.name("key exchange");
            let range = wire.at()..wire.at() + wire.remaining();
            wire.hand_over("isakmp", range.clone());
            wire.skip(range.len())
        }
        _ => {
            wire.name("ESP");
            let range = wire.at()..wire.at() + wire.remaining();
            wire.hand_over("esp", range.clone());
            wire.skip(range.len())
        }
    }
}

/// Edition of the protocol, whose payloads differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Requests of version 2 by message ID, and by the side that started the exchange.
#[derive(Default)]
struct Session(Requests<(u32, bool)>);

impl Exchange for Session {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let start = wire.at();
        wire.bytes(&INITIATOR, 8)?;
        wire.bytes(&RESPONDER, 8)?;
        let next = wire.u8(&NEXT)?;
        let version = wire.flags(&VERSION, 1, &[&MAJOR, &MINOR])? >> 4;
        let exchange = wire.u8(&EXCHANGE)?;
        let is_first = version == 1;
        let bits: &[&'static crate::tree::Field] =
            if is_first { &[&FLAG_E, &FLAG_C, &FLAG_A] } else { &[&FLAG_I, &FLAG_V, &FLAG_R] };
        let flags = wire.flags(&FLAGS, 1, bits)?;
        let id = wire.u32_be(&MESSAGE_ID)?;
        let length = wire.u32_be(&LENGTH)?;
        wire.name(name_of(EXCHANGES, exchange.into()).unwrap_or("unknown exchange"));
        if !is_first {
            let (from_initiator, is_response) = (FLAG_I.bits_of(flags) != 0, FLAG_R.bits_of(flags) != 0);
            if !is_response {
                self.0.ask((id, from_initiator), wire);
            } else if let Some(request) = self.0.answer(&(id, !from_initiator)) {
                request.put(wire, &RESPONSE_TO, &TIME);
            }
        }
        let rest = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(wire.at() - start);
        let mut words = Vec::new();
        let read = wire.within(rest, &UNKNOWN, |wire| {
            if is_first && FLAG_E.bits_of(flags) != 0 {
                words.push("encrypted");
                return wire.rest_is(&ENCRYPTED);
            }
            payloads::chain(wire, if is_first { Version::One } else { Version::Two }, next, &mut words)
        });
        wire.info(format_args!("{}", words.join(", ")));
        read
    }
}
