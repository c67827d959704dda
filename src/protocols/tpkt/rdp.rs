//! RDP's negotiation in connection requests and confirmations ([MS-RDPBCGR] 2.2.1.1, 2.2.1.2).
//!
//! Numbers are little-endian.
//!
//! ```text
//! request     routing token or cookie, up to CR LF | negotiation | correlation
//! negotiation type:1 | flags:1 | length:2, 8 | protocols:4
//! correlation type:1, 6 | flags:1 | length:2, 36 | identifier:16 | reserved:16
//! ```

use crate::tree::{Names, fields, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};
use memchr::memmem;

pub static PROTOCOL: Protocol =
    Protocol::new(&RDP, FIELDS).found(&[On::Over(PLACE).datagram(Heuristic::Datagram(recognize), negotiation)]);

fields! {
    RDP = protocol("rdp", "RDP", "Remote Desktop Protocol")
        .covers("Routing token or cookie, and the negotiation of security")
        .leaves_open("Everything after the negotiation");
    COOKIE = text("rdp.rt_cookie", "Routing Token/Cookie", "").once();
    TYPE = number("rdp.neg_type", "Type", "").hex(2).names(TYPES);
    REQUEST_FLAGS = number("rdp.negReq.flags", "Flags", "").hex(2);
    RESTRICTED_ADMIN = bool("rdp.negReq.flags.restricted_admin_mode_req", "Restricted admin mode required", "").mask(0x01);
    REDIRECTED = bool("rdp.negReq.flags.redirected_auth_req", "Redirected Authentication required", "").mask(0x02);
    CORRELATED = bool("rdp.negReq.flags.correlation_info_present", "Correlation info present", "").mask(0x08);
    LENGTH = number("rdp.neg_length", "Length", "");
    REQUESTED = number("rdp.negReq.requestedProtocols", "requestedProtocols", "").hex(8);
    TLS = bool("rdp.negReq.requestedProtocols.ssl", "TLS security supported", "").mask(0x01);
    HYBRID = bool("rdp.negReq.requestedProtocols.hybrid", "CredSSP supported", "").mask(0x02);
    RDSTLS = bool("rdp.negReq.requestedProtocols.rdstls", "RDSTLS supported", "").mask(0x04);
    HYBRID_EX = bool("rdp.negReq.requestedProtocols.hybrid_ex", "CredSSP with Early User Authorization Result PDU supported", "").mask(0x08);
    CORRELATION_FLAGS = number("rdp.correlationInfo.flags", "Flags", "").hex(2);
    CORRELATION_ID = bytes("rdp.correlationInfo.correlationId", "correlationId", "");
    CORRELATION_RESERVED = bytes("rdp.correlationInfo.reserved", "Reserved", "");
    RESPONSE_FLAGS = number("rdp.negRsp.flags", "Flags", "").hex(2);
    EXTENDED = bool("rdp.negRsp.flags.extended_client_data_supported", "Extended Client Data Blocks supported", "").mask(0x01);
    GRAPHICS = bool("rdp.negRsp.flags.dynvc_gfx_protocol_supported", "Graphics Pipeline Extension Protocol supported", "").mask(0x02);
    RESTRICTED = bool("rdp.negRsp.flags.restricted_admin_mode_supported", "Restricted admin mode supported", "").mask(0x08);
    RESTRICTED_AUTH = bool(
        "rdp.negRsp.flags.restricted_authentication_mode_supported",
        "Restricted authentication mode supported",
        ""
    )
    .mask(0x10);
    SELECTED = number("rdp.negReq.selectedProtocol", "selectedProtocol", "").hex(8).names(PROTOCOLS);
    FAILURE = number("rdp.negFailure.failureCode", "failureCode", "").hex(8).names(FAILURES);
    BAD_LENGTH = broken("rdp.neg_len.invalid", "Invalid length", "The length is not that of the type");
    NOT_CORRELATION = broken(
        "rdp.not_correlation_info",
        "not a correlation",
        "What follows RDP Negotiation Request is not an RDP Correlation Info"
    );
}

/// The name under which negotiations are handed over.
pub(super) const PLACE: &str = "cotp.connection";

/// The protocol without TLS.
pub(super) const PLAIN: u32 = 0;

const REQUEST: u8 = 1;
const RESPONSE: u8 = 2;
const FAILED: u8 = 3;
const CORRELATION: u8 = 6;
/// Size of a negotiation.
const SIZE: usize = 8;
const CORRELATION_SIZE: u16 = 36;

const TYPES: Names = &[
    (1, "RDP Negotiation Request"),
    (2, "RDP Negotiation Response"),
    (3, "RDP Negotiation Failure"),
    (6, "RDP Correlation Info"),
];
const PROTOCOLS: Names = &[
    (0, "Standard RDP Security"),
    (1, "TLS 1.0, 1.1 or 1.2"),
    (2, "CredSSP"),
    (4, "RDSTLS protocol"),
    (8, "CredSSP with Early User Authorization Result PDU"),
    (16, "RDS AAD Auth security"),
];
const FAILURES: Names = &[
    (1, "TLS required by server"),
    (2, "TLS not allowed by server"),
    (3, "TLS certificate not on server"),
    (4, "Inconsistent flags"),
    (5, "Server requires Enhanced RDP Security with CredSSP"),
    (6, "Server requires Enhanced RDP Security with TLS and certificate-based client authentication"),
];

/// Whether the variable part of a connection request or confirmation is RDP's.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    let begins_negotiation = |bytes: &[u8]| matches!(bytes, [REQUEST | RESPONSE | FAILED, _, 8, 0, ..]);
    match cookie(bytes) {
        Some(end) => bytes.len() == end || begins_negotiation(bytes.get(end..).unwrap_or_default()),
        None => begins_negotiation(bytes) && bytes.len() >= SIZE,
    }
}

/// End of a routing token or cookie with its line end.
fn cookie(bytes: &[u8]) -> Option<usize> {
    bytes.starts_with(b"Cookie: ").then(|| memmem::find(bytes, b"\r\n").map(|end| end + 2))?
}

/// The protocol that the server selects in a confirmation.
pub(super) fn selected_protocol(tpdu: &[u8]) -> Option<u32> {
    const FIXED: usize = 7;
    let &[_, kind, ..] = tpdu else { return None };
    let negotiation = tpdu.get(FIXED..FIXED + SIZE).filter(|_| kind & 0xf0 == super::cotp::CONFIRMATION)?;
    match *negotiation {
        [RESPONSE, _, 8, 0, a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

pub(super) fn negotiation(wire: &mut Wire<'_>) -> Result {
    let mut name = None;
    if let Some(end) = cookie(wire.ahead()) {
        wire.words(&COOKIE, end, 0..end - 2)?;
        name = Some("Cookie");
    }
    if wire.remaining() > 0 {
        let kind = wire.u8(&TYPE)?;
        name = name_of(TYPES, kind.into()).or(name);
        wire.name(name.unwrap_or("negotiation"));
        match kind {
            REQUEST => return request(wire),
            RESPONSE => {
                wire.flags(&RESPONSE_FLAGS, 1, &[&EXTENDED, &GRAPHICS, &RESTRICTED, &RESTRICTED_AUTH])?;
                length(wire, 8)?;
                let protocol = wire.u32_le(&SELECTED)?;
                match name_of(PROTOCOLS, protocol.into()) {
                    Some(protocol) => wire.info(format_args!("{protocol}")),
                    None => wire.info(format_args!("protocol {protocol:#x}")),
                }
            }
            _ => {
                wire.flags(&REQUEST_FLAGS, 1, &[])?;
                length(wire, 8)?;
                let code = wire.u32_le(&FAILURE)?;
                match name_of(FAILURES, code.into()) {
                    Some(reason) => wire.info(format_args!("{reason}")),
                    None => wire.info(format_args!("code {code}")),
                }
            }
        }
    } else {
        wire.name(name.unwrap_or("negotiation"));
    }
    Ok(())
}

fn request(wire: &mut Wire<'_>) -> Result {
    let flags = wire.flags(&REQUEST_FLAGS, 1, &[&RESTRICTED_ADMIN, &REDIRECTED, &CORRELATED])?;
    length(wire, 8)?;
    wire.flags_le(&REQUESTED, 4, &[&TLS, &HYBRID, &RDSTLS, &HYBRID_EX])?;
    if flags & 0x08 == 0 || wire.remaining() == 0 {
        return Ok(());
    }
    if wire.u8(&TYPE)? != CORRELATION {
        return wire.malformed(&NOT_CORRELATION, format_args!("another type"));
    }
    wire.u8(&CORRELATION_FLAGS)?;
    length(wire, CORRELATION_SIZE)?;
    wire.bytes(&CORRELATION_ID, 16)?;
    wire.bytes(&CORRELATION_RESERVED, 16).map(drop)
}

/// Reads a length that has one right value.
fn length(wire: &mut Wire<'_>, expected: u16) -> Result {
    let length = wire.u16_le(&LENGTH)?;
    if length != expected {
        wire.note(&BAD_LENGTH, format_args!("{length} instead of {expected}"));
    }
    Ok(())
}
