//! Pre-authentication data of requests, responses and errors.
//!
//! ```text
//! PA-DATA     { [1] type | [2] value }
//!   1   AP-REQ
//!   2   encrypted timestamp
//!   19  { { [0] cipher | [1] salt | [2] parameters } … }
//!   136 [0] { [0] { [0] armor type | [1] armor } | [1] checksum | [2] encrypted part }      request
//!       [0] { [0] encrypted part }                                                          response
//! ```
//! Source: RFC 4120 and, for FAST, RFC 6113.

use super::fields::*;
use super::parts::{BER, MEMBER, checksum, encrypted, known, list, members, message, number, text};
use crate::protocols::ber::{INTEGER, OCTET_STRING, SEQUENCE, head};
use crate::tree::Value;
use crate::wire::{Result, Wire};

/// Contents of FAST by direction.
#[derive(Clone, Copy)]
pub(super) enum Fast {
    Request,
    Response,
}

/// Whether bytes begin with a list of PA-DATA, as in the data of many errors.
pub(super) fn is_list(bytes: &[u8]) -> bool {
    fn inside(bytes: &[u8]) -> Option<&[u8]> {
        head(bytes).filter(|head| head.kind == SEQUENCE).and_then(|head| bytes.get(head.size..))
    }
    inside(bytes).and_then(inside).is_some_and(|item| item.first() == Some(&(MEMBER | 1)))
}

/// A list of PA-DATA.
pub(super) fn items(wire: &mut Wire<'_>, fast: Fast) -> Result {
    list(wire, |wire| wire.group(&PADATA_ITEM, |wire| item(wire, fast)))
}

fn item(wire: &mut Wire<'_>, fast: Fast) -> Result {
    let mut kind = 0;
    members(wire, |wire, member| match member {
        1 => {
            kind = BER.signed(wire, INTEGER, &PADATA_TYPE)?;
            Ok(true)
        }
        2 => {
            known(BER.inside(wire, OCTET_STRING, |wire| wire.parent(&PADATA_VALUE, Value::Bytes, |wire| value(wire, kind, fast))))
        }
        _ => Ok(false),
    })
}

fn value(wire: &mut Wire<'_>, kind: i64, fast: Fast) -> Result {
    const TICKET_REQUEST: i64 = 1;
    const ENCRYPTED_TIME: i64 = 2;
    const ETYPE_INFO2: i64 = 19;
    const FX_FAST: i64 = 136;
    match kind {
        // An empty value announces support.
        _ if wire.remaining() == 0 => Ok(()),
        TICKET_REQUEST => message(wire, &mut Vec::new()),
        ENCRYPTED_TIME => encrypted(wire, &ENCRYPTED),
        ETYPE_INFO2 => list(wire, |wire| wire.group(&ETYPE_INFO, cipher)),
        FX_FAST if wire.peek_u8() == Some(MEMBER) => {
            BER.inside(wire, MEMBER, |wire| wire.group(&ARMORED, |wire| armored(wire, fast)))
        }
        _ => wire.skip(wire.remaining()),
    }
}

fn cipher(wire: &mut Wire<'_>) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &CIPHER),
        1 => text(wire, &SALT),
        2 => known(BER.string(wire, OCTET_STRING, &PARAMETERS)),
        _ => Ok(false),
    })
}

fn armored(wire: &mut Wire<'_>, fast: Fast) -> Result {
    members(wire, |wire, member| match (fast, member) {
        (Fast::Request, 0) => known(wire.group(&ARMOR, armor)),
        (Fast::Request, 1) => known(wire.group(&REQUEST_CHECKSUM, checksum)),
        (Fast::Request, 2) => known(encrypted(wire, &FAST_REQUEST)),
        (Fast::Response, 0) => known(encrypted(wire, &FAST_RESPONSE)),
        _ => Ok(false),
    })
}

fn armor(wire: &mut Wire<'_>) -> Result {
    members(wire, |wire, member| match member {
        0 => number(wire, &ARMOR_TYPE),
        1 => known(BER.string(wire, OCTET_STRING, &ARMOR_VALUE)),
        _ => Ok(false),
    })
}
