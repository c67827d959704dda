//! AH, the IP authentication header (RFC 4302).
//!
//! ```text
//! next header:1 | length:1 | reserved:2 | SPI:4 | sequence number:4 | ICV
//! ```
//!
//! The length counts words of four bytes, less two. Not covered: verifying the ICV.

use super::ethernet::rest;
use super::ip::PROTOCOLS;
use super::{HeaderPayload, Next, layer};
use crate::tree::{fields, name_of};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&AH, FIELDS);

fields! {
    AH = protocol("ah", "AH", "IP authentication header");
    NEXT_HEADER = number("ah.next_header", "Next header", "Protocol of the payload").names(PROTOCOLS).once();
    LENGTH = number("ah.length", "Length", "Units of four bytes, minus two").once();
    RESERVED = bytes("ah.reserved", "Reserved", "").once();
    SPI = number("ah.spi", "SPI", "Security parameters index").hex(8).once();
    SEQUENCE = number("ah.sequence", "Sequence number", "Counter of the security association").once();
    ICV = bytes("ah.icv", "ICV", "Integrity check value").once();
}

/// The header in an IPv4 packet.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let next = fields(wire)?;
    wire.info(format_args!("{}", name_of(PROTOCOLS, next.into()).unwrap_or("unknown protocol")));
    Ok(HeaderPayload::new(Next::IpProtocol(next), rest(wire), missing))
}

/// The fields of a header. Returns the protocol number of the next one.
pub(super) fn fields(wire: &mut Wire<'_>) -> Result<u8> {
    let units = wire.ahead().get(1).map_or(0, |units| usize::from(*units));
    wire.within(4 * (units + 2), &ICV, |wire| {
        let next = wire.u8(&NEXT_HEADER)?;
        wire.u8(&LENGTH)?;
        wire.bytes(&RESERVED, 2)?;
        wire.u32_be(&SPI)?;
        wire.u32_be(&SEQUENCE)?;
        wire.rest(&ICV);
        Ok(next)
    })
}
