//! UDP (RFC 768).
//!
//! ```text
//! source port:2 | destination port:2 | length:2 | checksum:2 | payload
//! ```

use super::layer;
use crate::tree::{Value, fields};
use crate::wire::notes::TRAILER;
use crate::wire::{Protocol, Result, Wire};
use std::ops::Range;

/// UDP.
pub static PROTOCOL: Protocol = layer(&UDP, FIELDS);

fields! {
    UDP = protocol("udp", "UDP", "User Datagram Protocol");
    SRCPORT = number("udp.srcport", "Source port", "Who sends").also("udp.port");
    DSTPORT = number("udp.dstport", "Destination port", "Who gets it").also("udp.port");
    STREAM = number("udp.stream", "Stream index", "Which conversation of the capture");
    LENGTH = number("udp.length", "Length", "Bytes of header and payload");
    CHECKSUM = number("udp.checksum", "Checksum", "Of the datagram and a pseudo-header").hex(4);
    PAYLOAD = bytes("udp.payload", "Payload", "What the datagram carries");
    BAD_LENGTH = odd("udp.length.bad", "bad length", "The length is less than a header or more than the packet has");
}

const HEADER: usize = 8;

/// A datagram's header and payload. Returns where the payload lies, and how much of it the capture cut off.
///
/// # Errors
/// When the header is not whole.
pub fn datagram(wire: &mut Wire<'_>, stream: Option<u32>, missing: usize) -> Result<(Range<usize>, usize)> {
    let (captured, start) = (wire.remaining(), wire.at());
    let src = wire.u16_be(&SRCPORT)?;
    let dst = wire.u16_be(&DSTPORT)?;
    if let Some(stream) = stream {
        wire.add(&STREAM, Value::Unsigned(stream.into()));
    }
    let length = usize::from(wire.u16_be(&LENGTH)?);
    // A length of 0 is lawful for jumbograms and common where hardware fills it in.
    let on_wire = if length == 0 { captured + missing } else { length };
    if on_wire < HEADER || on_wire > captured + missing {
        wire.note(&BAD_LENGTH, format_args!("{length} where the packet has {}", captured + missing));
    }
    wire.u16_be(&CHECKSUM)?;
    let on_wire = on_wire.clamp(HEADER, (captured + missing).max(HEADER));
    let end = (start + on_wire).min(start + captured);
    let payload = wire.at()..end.max(wire.at());
    wire.info(format_args!("{src} → {dst} length {}", on_wire - HEADER));
    if !payload.is_empty() {
        wire.bytes(&PAYLOAD, payload.len())?;
    }
    wire.rest(&TRAILER);
    Ok((payload, (start + on_wire).saturating_sub(end)))
}
