//! Handshake messages over TLS records and QUIC.

use super::hello::{self, Hello};
use super::key_exchange;
use super::summary::Summary;
use super::*;
use crate::tree::{Names, NodeRef, Value, name_of};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

/// Handshake message types.
pub(in crate::protocols) const TYPES: Names = &[
    (0, "hello_request"),
    (1, "client_hello"),
    (2, "server_hello"),
    (3, "hello_verify_request"),
    (4, "new_session_ticket"),
    (5, "end_of_early_data"),
    (8, "encrypted_extensions"),
    (11, "certificate"),
    (12, "server_key_exchange"),
    (13, "certificate_request"),
    (14, "server_hello_done"),
    (15, "certificate_verify"),
    (16, "client_key_exchange"),
    (20, "finished"),
    (21, "certificate_url"),
    (22, "certificate_status"),
    (23, "supplemental_data"),
    (24, "key_update"),
    (25, "compressed_certificate"),
    (67, "next_protocol"),
];

/// Size of a message header in bytes.
const HEADER: usize = 4;

/// Largest plausible message in bytes.
const MAX_MESSAGE: usize = 1 << 20;

/// Size of the first message according to its header.
pub(in crate::protocols) fn message_size(bytes: &[u8]) -> Option<usize> {
    let &[_, high, middle, low] = bytes.first_chunk::<HEADER>()?;
    usize::try_from(u32::from_be_bytes([0, high, middle, low])).ok().map(|length| HEADER + length)
}

/// Whether a message may start here; encrypted messages rarely match.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let kind = bytes.first().copied().unwrap_or_default();
    name_of(TYPES, kind.into()).is_some() && message_size(bytes).is_none_or(|message_size| message_size <= MAX_MESSAGE)
}

/// Dissects a message.
pub(in crate::protocols) fn message(wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
    wire.group(&HANDSHAKE, |wire| {
        let kind = wire.u8(&HANDSHAKE_TYPE)?;
        let length = wire.u24_be(&HANDSHAKE_LENGTH)?;
        summary.name(name_of(TYPES, kind.into()).unwrap_or("unknown"));
        wire.within(usize::try_from(length).unwrap_or(usize::MAX), &DATA, |wire| body(wire, kind, hello, summary))
    })
}

/// Dissects the body of a message of this type.
pub(in crate::protocols) fn body(wire: &mut Wire<'_>, kind: u8, hello: &mut Hello, summary: &mut Summary) -> Result {
    match kind {
        1 => hello::client(wire, hello, summary),
        2 => hello::server(wire, hello, summary),
        3 if hello.over_dtls => hello::verify(wire),
        4 => ticket(wire, hello),
        8 => hello::encrypted(wire, hello, summary),
        11 => certificates(wire, hello, summary),
        12 => key_exchange::server(wire, hello),
        13 => certificate_request(wire, hello),
        15 if hello.version >= TLS_1_0 => key_exchange::verify(wire, hello),
        16 => key_exchange::client(wire, hello),
        20 => {
            hello.finished = true;
            wire.rest_is(&VERIFY_DATA)
        }
        22 => {
            wire.embeds("ocsp");
            wire.rest_is(&PARAMETERS)
        }
        24 => {
            hello.updated = true;
            wire.u8(&KEY_UPDATE).map(drop)
        }
        _ => wire.rest_is(&PARAMETERS),
    }
}

fn ticket(wire: &mut Wire<'_>, hello: &Hello) -> Result {
    wire.u32_be(&TICKET_LIFETIME)?;
    if hello.is_1_3() {
        wire.u32_be(&TICKET_AGE_ADD)?;
        wire.counted(Wire::u8, &TICKET_NONCE_LENGTH, &TICKET_NONCE)?;
    }
    wire.counted(Wire::u16_be, &TICKET_LENGTH, &TICKET)?;
    if hello.is_1_3() { hello::extensions_alone(wire) } else { Ok(()) }
}

fn certificate_request(wire: &mut Wire<'_>, hello: &Hello) -> Result {
    if !hello.is_1_3() {
        return hello::certificate_request(wire, hello.version >= TLS_1_2);
    }
    wire.counted(Wire::u8, &CONTEXT_LENGTH, &CONTEXT)?;
    hello::certificate_request_extensions(wire)
}

fn certificates(wire: &mut Wire<'_>, hello: &Hello, summary: &mut Summary) -> Result {
    if hello.is_1_3() {
        wire.counted(Wire::u8, &CONTEXT_LENGTH, &CONTEXT)?;
    }
    let length = wire.u24_be(&CERTIFICATES_LENGTH)?;
    wire.within(usize::try_from(length).unwrap_or(usize::MAX), &DATA, |wire| {
        let mut first = true;
        wire.each(|wire| {
            let length = usize::try_from(wire.u24_be(&CERTIFICATE_LENGTH)?).unwrap_or(usize::MAX);
            let at = wire.at();
            let bytes = wire.ahead().get(..length);
            if let Some(bytes) = bytes {
                wire.object("certificate", "certificate.der", || Some(bytes.to_vec()));
                wire.put(&CERTIFICATE, Value::Bytes, at..at + length);
                let subject = certificate::put(wire, at, bytes);
                if first {
                    summary.add_info(&subject);
                }
            }
            first = false;
            wire.skip(length)?;
            if hello.is_1_3() {
                hello::extensions_alone(wire)?;
            }
            Ok(())
        })
    })
}

pub(in crate::protocols) fn message_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str(node.child(&HANDSHAKE_TYPE).and_then(NodeRef::name).unwrap_or_default())
}

pub(in crate::protocols) fn message_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&HANDSHAKE_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
