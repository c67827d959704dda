//! IPComp, the IP payload compression protocol (RFC 3173), with payloads compressed by DEFLATE (RFC 2394).
//!
//! ```text
//! next header:1 | flags:1 | CPI:2 | compressed payload
//! ```
//!
//! The CPI states the algorithm only if it is well-known, not if it is negotiated. Every payload is therefore tried as DEFLATE
//! data. Not covered: LZS.

use super::ethernet::rest;
use super::ip::PROTOCOLS;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire};
use flate2::{Decompress, FlushDecompress, Status};

pub static PROTOCOL: Protocol = layer(&IPCOMP, FIELDS);

fields! {
    IPCOMP = protocol("ipcomp", "IPComp", "IP payload compression");
    NEXT_HEADER = number("ipcomp.next_header", "Next header", "The protocol of the decompressed payload").hex(2).names(PROTOCOLS).once();
    FLAGS = number("ipcomp.flags", "Flags", "Reserved: zero").hex(2).once();
    CPI = number("ipcomp.cpi", "CPI", "Compression parameter index").hex(4).names(CPIS).once();
    DATA = bytes("ipcomp.data", "Data", "The compressed payload").once();
}

const CPIS: Names = &[(1, "OUI"), (2, "DEFLATE"), (3, "LZS")];

/// The maximum payload of an IP packet.
const MAX_PAYLOAD: usize = 65_535;

/// The header, and the compressed payload as one field.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let next = wire.u8(&NEXT_HEADER)?;
    wire.u8(&FLAGS)?;
    let cpi = wire.u16_be(&CPI)?;
    let name = name_of(PROTOCOLS, next.into()).unwrap_or("unknown protocol");
    wire.info(format_args!("{name}, CPI {cpi:#06x}"));
    let range = rest(wire);
    if missing > 0 {
        return Ok(HeaderPayload::new(Next::Data, range, missing));
    }
    wire.rest(&DATA);
    Ok(HeaderPayload::new(Next::Compressed(next), range, 0))
}

/// Decompresses a payload; `None` if it is not DEFLATE data up to its end.
pub fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut payload = vec![0; MAX_PAYLOAD];
    let mut decompress = Decompress::new(false);
    match decompress.decompress(bytes, &mut payload, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) => {
            payload.truncate(usize::try_from(decompress.total_out()).ok()?);
            Some(payload)
        }
        Ok(Status::Ok | Status::BufError) | Err(_) => None,
    }
}
