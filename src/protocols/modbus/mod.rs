//! Modbus/TCP: requests of a client and responses of a controller (Modbus Application Protocol 1.1b3, and its messaging on TCP).
//!
//! Numbers are big-endian.
//!
//! ```text
//! transaction:2 | protocol:2, 0 | length:2, of what follows | unit:1 | PDU
//! ```

mod pdu;
mod shape;

use crate::tree::{BySide, Side, fields};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};
pub use pdu::PROTOCOL as PDU_PROTOCOL;
use shape::Shape;

pub static PROTOCOL: Protocol = Protocol::new(&MBTCP, FIELDS).found(&[
    On::Tcp(502).stream::<Session>(Heuristic::Stream(recognize_on_port)),
    On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
]);

fields! {
    MBTCP = protocol("mbtcp", "Modbus/TCP", "Modbus on TCP").covers("Headers and framing");
    TRANSACTION = number("mbtcp.trans_id", "Transaction Identifier", "").once();
    PROTOCOL_ID = number("mbtcp.prot_id", "Protocol Identifier", "0").once();
    LENGTH = number("mbtcp.len", "Length", "Bytes that follow").once();
    UNIT = number("mbtcp.unit_id", "Unit Identifier", "").once();
}

/// The name under which PDUs are handed over.
const PLACE: &str = "mbtcp";

/// Bytes that the length does not count.
const UNCOUNTED: usize = 6;
/// Values of the length: a unit and a function at least.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=254;

/// A message as far as recognition needs it.
struct Unit<'a> {
    transaction: u16,
    unit: u8,
    /// The PDU, as far as it has arrived.
    pdu: &'a [u8],
    is_complete: bool,
    size: usize,
}

/// The message at the start of these bytes; `None` if they begin none, or its header is incomplete.
fn unit(bytes: &[u8]) -> Option<Unit<'_>> {
    let &[t0, t1, 0, 0, l0, l1, unit, function, ..] = bytes else { return None };
    let length = usize::from(u16::from_be_bytes([l0, l1]));
    if !LENGTHS.contains(&length) || function & 0x7f == 0 {
        return None;
    }
    let size = UNCOUNTED + length;
    let pdu = bytes.get(UNCOUNTED + 1..size.min(bytes.len()))?;
    Some(Unit { transaction: u16::from_be_bytes([t0, t1]), unit, pdu, is_complete: bytes.len() >= size, size })
}

/// Whether the first bytes of a header that has not arrived completely may begin a message.
fn may_begin(bytes: &[u8]) -> bool {
    bytes.get(2..4.min(bytes.len())).is_none_or(|protocol| protocol.iter().all(|byte| *byte == 0)) && bytes.len() < UNCOUNTED + 2
}

/// Recognizes messages on the registered port, whose side is the server.
fn recognize_on_port(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for bytes in opening.sent.into_iter().filter(|bytes| !bytes.is_empty()) {
        match unit(bytes) {
            Some(_) => verdict = Verdict::Yes(Side::Server),
            None if may_begin(bytes) && !opening.complete => return Verdict::Unsure,
            None => return Verdict::No,
        }
    }
    verdict
}

/// Recognizes a request and its response on any port, or a chain of either.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let [client, server] = opening.sent;
    match (unit(client), unit(server)) {
        (Some(one), Some(other)) if one.is_complete && other.is_complete => {
            if answers(&one, &other) {
                Verdict::Yes(Side::Server)
            } else if answers(&other, &one) {
                Verdict::Yes(Side::Client)
            } else {
                Verdict::No
            }
        }
        (Some(only), None) if server.is_empty() => alone(&only, client, Side::Client, opening.complete),
        (None, Some(only)) if client.is_empty() => alone(&only, server, Side::Server, opening.complete),
        _ => Verdict::No,
    }
}

/// Whether a message is the response to another one.
fn answers(request: &Unit<'_>, response: &Unit<'_>) -> bool {
    (request.transaction, request.unit) == (response.transaction, response.unit) && shape::is_answered(request.pdu, response.pdu)
}

/// The verdict on one side: the other one may follow. Without it, only several messages in order are certain.
fn alone(first: &Unit<'_>, bytes: &[u8], side: Side, is_all: bool) -> Verdict {
    const LEAST: usize = 3;
    let shape = Shape::of(first.pdu);
    if !first.is_complete || !(shape.request || shape.response) {
        return Verdict::No;
    }
    if !is_all {
        return Verdict::Unsure;
    }
    let (mut ahead, mut count, mut expected) = (bytes, 0, first.transaction);
    while let Some(next) = unit(ahead) {
        let its = Shape::of(next.pdu);
        if !next.is_complete || next.transaction != expected || next.unit != first.unit || its != shape {
            return Verdict::No;
        }
        (count, expected) = (count + 1, expected.wrapping_add(1));
        ahead = ahead.get(next.size..).unwrap_or_default();
    }
    match (ahead.is_empty() && count >= LEAST, shape.response && !shape.request) {
        (true, true) => Verdict::Yes(side),
        (true, false) => Verdict::Yes(side.other()),
        (false, _) => Verdict::No,
    }
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Bytes were lost, so the next message has to be searched for.
    lost: BySide<bool>,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        const HEADER: usize = UNCOUNTED + 2;
        if self.lost[from] {
            let is_message = |at: &usize| {
                let bytes = ahead.get(*at..).unwrap_or_default();
                let behind = |size: usize| bytes.get(size..).filter(|next| next.len() >= HEADER);
                unit(bytes).is_some_and(|found| found.is_complete && behind(found.size).is_none_or(|next| unit(next).is_some()))
            };
            match (0..ahead.len()).find(is_message) {
                Some(0) => self.lost[from] = false,
                Some(at) => return Extent::Unknown(at),
                None if more && ahead.len() < UNCOUNTED + LENGTHS.end() => return Extent::NeedMore(ahead.len() + 1),
                None => return Extent::Unknown(ahead.len().saturating_sub(LENGTHS.end() + UNCOUNTED).max(1)),
            }
        }
        match unit(ahead) {
            Some(found) => Extent::Message(found.size),
            None if ahead.len() < HEADER => Extent::NeedMore(HEADER),
            None => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let transaction = wire.u16_be(&TRANSACTION)?;
        wire.u16_be(&PROTOCOL_ID)?;
        wire.u16_be(&LENGTH)?;
        let unit = wire.u8(&UNIT)?;
        wire.info(format_args!("transaction {transaction}, unit {unit}"));
        let (at, length) = (wire.at(), wire.remaining());
        let detail = u64::from(transaction) << u8::BITS | u64::from(unit);
        wire.hand_over_with(PLACE, at..at + length, detail);
        wire.skip(length)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
    }
}

#[cfg(test)]
mod tests;
