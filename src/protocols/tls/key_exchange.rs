//! Key exchange messages before TLS 1.3, and CertificateVerify.
//!
//! ```text
//! server, ECDHE   curve type:1 | named curve:2 | length:1 | public key | signature
//! server, DHE     length:2 | p | length:2 | g | length:2 | Ys | signature
//! client, ECDHE   length:1 | public key
//! client, DHE     length:2 | Yc
//! client, RSA     length:2 | encrypted premaster secret
//! signature       algorithm:2 since TLS 1.2 | length:2 | signature
//! ```
//! Not covered: pre-shared keys, SRP, Kerberos and GOST; the encrypted premaster secret of SSL 3.0, which has no length.

use super::hello::Hello;
use super::*;
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};

const NAMED_CURVE_TYPE: u8 = 3;

/// Key exchange of a suite, from its name.
fn exchange(hello: &Hello) -> &'static str {
    let name = name_of(suites::SUITES, hello.suite.into()).unwrap_or_default();
    let exchange = name.strip_prefix("TLS_").and_then(|name| name.split_once("_WITH_"));
    exchange.map_or("", |(exchange, _)| exchange)
}

/// Dissects ServerKeyExchange.
pub(super) fn server(wire: &mut Wire<'_>, hello: &Hello) -> Result {
    let exchange = exchange(hello);
    match exchange {
        "ECDHE_RSA" | "ECDHE_ECDSA" | "ECDH_anon" | "ECDHE_PSK" if wire.peek_u8() == Some(NAMED_CURVE_TYPE) => {
            wire.u8(&CURVE_TYPE)?;
            wire.u16_be(&NAMED_CURVE)?;
            wire.counted(Wire::u8, &SERVER_POINT_LENGTH, &SERVER_POINT)?;
        }
        "DHE_RSA" | "DHE_DSS" | "DH_anon" => {
            prefixed(wire, &DH_P_LENGTH, &DH_P)?;
            prefixed(wire, &DH_G_LENGTH, &DH_G)?;
            prefixed(wire, &DH_YS_LENGTH, &DH_YS)?;
        }
        _ => {}
    }
    match exchange {
        "ECDHE_RSA" | "ECDHE_ECDSA" | "DHE_RSA" | "DHE_DSS" if hello.version >= TLS_1_0 => {
            signature(wire, hello, &SIGNED_LENGTH, &SIGNED)
        }
        _ => wire.rest_is(&PARAMETERS),
    }
}

/// Dissects ClientKeyExchange.
pub(super) fn client(wire: &mut Wire<'_>, hello: &Hello) -> Result {
    match exchange(hello) {
        // An empty message refers to the client's certificate.
        _ if wire.remaining() == 0 => Ok(()),
        "ECDHE_RSA" | "ECDHE_ECDSA" | "ECDH_RSA" | "ECDH_ECDSA" | "ECDH_anon" => {
            wire.counted(Wire::u8, &POINT_LENGTH, &POINT).map(drop)
        }
        "DHE_RSA" | "DHE_DSS" | "DH_RSA" | "DH_DSS" | "DH_anon" => prefixed(wire, &DH_YC_LENGTH, &DH_YC),
        "RSA" if hello.version >= TLS_1_0 => prefixed(wire, &PREMASTER_LENGTH, &PREMASTER),
        _ => wire.rest_is(&PARAMETERS),
    }
}

/// Dissects CertificateVerify.
pub(super) fn verify(wire: &mut Wire<'_>, hello: &Hello) -> Result {
    signature(wire, hello, &VERIFIED_LENGTH, &VERIFIED)
}

fn signature(wire: &mut Wire<'_>, hello: &Hello, length: &'static Field, signed: &'static Field) -> Result {
    if hello.version >= TLS_1_2 {
        wire.u16_be(&SIGNATURE)?;
    }
    prefixed(wire, length, signed)
}

/// Dissects bytes after their length.
fn prefixed(wire: &mut Wire<'_>, length: &'static Field, field: &'static Field) -> Result {
    wire.counted(Wire::u16_be, length, field).map(drop)
}
