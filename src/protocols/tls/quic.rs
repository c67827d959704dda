//! QUIC transport parameters (RFC 9000, section 18), an extension of the hellos.
//!
//! ```text
//! parameter   type:varint | length:varint | value
//! ```

use crate::protocols::varint::{self, varint};
use crate::tree::{Field, NodeRef, Value, fields, title};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

fields! {
    PARAMETER = group("tls.quic.parameter", "parameter", "").collapsed(value, title::nothing).named(title::kind, value, title::nothing);
    TYPE = number("tls.quic.parameter.type", "type", "").names(TYPES).once_per(&PARAMETER);
    LENGTH = number("tls.quic.parameter.length", "length", "In bytes").once_per(&PARAMETER);
    VALUE = bytes("tls.quic.parameter.value", "value", "").once_per(&PARAMETER);
    ORIGINAL_ID = bytes("tls.quic.parameter.original_destination_connection_id", "original_destination_connection_id", "Destination connection ID of the first Initial packet of the client");
    IDLE_TIMEOUT = number("tls.quic.parameter.max_idle_timeout", "max_idle_timeout", "In milliseconds");
    RESET_TOKEN = bytes("tls.quic.parameter.stateless_reset_token", "stateless_reset_token", "Ends a stateless reset of the connection");
    UDP_PAYLOAD = number("tls.quic.parameter.max_udp_payload_size", "max_udp_payload_size", "In bytes");
    MAX_DATA = number("tls.quic.parameter.initial_max_data", "initial_max_data", "Bytes that the peer may send on the connection");
    BIDI_LOCAL = number("tls.quic.parameter.initial_max_stream_data_bidi_local", "initial_max_stream_data_bidi_local", "Bytes on each bidirectional stream that the sender opens");
    BIDI_REMOTE = number("tls.quic.parameter.initial_max_stream_data_bidi_remote", "initial_max_stream_data_bidi_remote", "Bytes on each bidirectional stream that the peer opens");
    UNI = number("tls.quic.parameter.initial_max_stream_data_uni", "initial_max_stream_data_uni", "Bytes on each unidirectional stream");
    STREAMS_BIDI = number("tls.quic.parameter.initial_max_streams_bidi", "initial_max_streams_bidi", "Bidirectional streams that the peer may open");
    STREAMS_UNI = number("tls.quic.parameter.initial_max_streams_uni", "initial_max_streams_uni", "Unidirectional streams that the peer may open");
    ACK_EXPONENT = number("tls.quic.parameter.ack_delay_exponent", "ack_delay_exponent", "Power of two that ACK delays are multiplied with");
    ACK_DELAY = number("tls.quic.parameter.max_ack_delay", "max_ack_delay", "In milliseconds");
    PREFERRED_V4 = ipv4("tls.quic.parameter.preferred_address.ipv4address", "ipv4Address", "");
    PREFERRED_V4_PORT = number("tls.quic.parameter.preferred_address.ipv4port", "ipv4Port", "");
    PREFERRED_V6 = ipv6("tls.quic.parameter.preferred_address.ipv6address", "ipv6Address", "");
    PREFERRED_V6_PORT = number("tls.quic.parameter.preferred_address.ipv6port", "ipv6Port", "");
    PREFERRED_ID_LENGTH = number("tls.quic.parameter.preferred_address.connectionid.length", "connectionId length", "In bytes");
    PREFERRED_ID = bytes("tls.quic.parameter.preferred_address.connectionid", "connectionId", "");
    PREFERRED_TOKEN = bytes("tls.quic.parameter.preferred_address.statelessresettoken", "statelessResetToken", "");
    ID_LIMIT = number("tls.quic.parameter.active_connection_id_limit", "active_connection_id_limit", "Connection IDs that the sender stores");
    INITIAL_SOURCE = bytes("tls.quic.parameter.initial_source_connection_id", "initial_source_connection_id", "Source connection ID of the first Initial packet of the sender");
    RETRY_SOURCE = bytes("tls.quic.parameter.retry_source_connection_id", "retry_source_connection_id", "Source connection ID of the Retry packet");
    DATAGRAM = number("tls.quic.parameter.max_datagram_frame_size", "max_datagram_frame_size", "In bytes");
    LOSS_BITS = number("tls.quic.parameter.loss_bits", "loss_bits", "");
    TIMESTAMPS = number("tls.quic.parameter.enable_time_stamp_v2", "enable_time_stamp_v2", "");
    MIN_ACK_DELAY = number("tls.quic.parameter.min_ack_delay", "min_ack_delay", "In microseconds");
    USER_AGENT = text("tls.quic.parameter.google.user_agent", "Google user agent", "");
    GOOGLE_VERSION = number("tls.quic.parameter.google.quic_version", "Google QUIC version", "").hex(8);
    GOOGLE_VERSIONS_LENGTH = number("tls.quic.parameter.google.supported_versions_length", "Google supported versions length", "In bytes");
    GOOGLE_SUPPORTED = number("tls.quic.parameter.google.supported_version", "Google supported version", "").hex(8);
    INITIAL_RTT = number("tls.quic.parameter.google.initial_rtt", "Google initial RTT", "In microseconds");
    OPTIONS = bytes("tls.quic.parameter.google.connection_options", "Google connection options", "");
    RELIABILITY = number("tls.quic.parameter.facebook.partial_reliability", "Facebook partial reliability", "");
    CHOSEN = number("tls.quic.parameter.vi.chosen_version", "chosen version", "").hex(8);
    OTHER = number("tls.quic.parameter.vi.other_version", "other version", "").hex(8);
}

const TYPES: crate::tree::Names = &[
    (0x00, "original_destination_connection_id"),
    (0x01, "max_idle_timeout"),
    (0x02, "stateless_reset_token"),
    (0x03, "max_udp_payload_size"),
    (0x04, "initial_max_data"),
    (0x05, "initial_max_stream_data_bidi_local"),
    (0x06, "initial_max_stream_data_bidi_remote"),
    (0x07, "initial_max_stream_data_uni"),
    (0x08, "initial_max_streams_bidi"),
    (0x09, "initial_max_streams_uni"),
    (0x0a, "ack_delay_exponent"),
    (0x0b, "max_ack_delay"),
    (0x0c, "disable_active_migration"),
    (0x0d, "preferred_address"),
    (0x0e, "active_connection_id_limit"),
    (0x0f, "initial_source_connection_id"),
    (0x10, "retry_source_connection_id"),
    (0x11, "version_information"),
    (0x20, "max_datagram_frame_size"),
    (0x1000, "cibir_encoding"),
    (0x1057, "loss_bits"),
    (0x173e, "discard"),
    (0x2ab2, "grease_quic_bit"),
    (0x3127, "google_initial_rtt"),
    (0x3128, "google_connection_options"),
    (0x3129, "google_user_agent"),
    (0x312b, "google_key_update_not_yet_supported"),
    (0x4752, "google_quic_version"),
    (0x7158, "enable_time_stamp_v2"),
    (0xde1a, "min_ack_delay"),
    (0xff00, "facebook_partial_reliability"),
    (0xff73db, "version_information"),
    (0xff03_de1a, "min_ack_delay"),
    (0xff04_de1a, "min_ack_delay"),
    (0xff04_de1b, "min_ack_delay"),
];

const PREFERRED_ADDRESS: u64 = 0x0d;
const VERSION_INFORMATION: [u64; 2] = [0x11, 0xff73db];
const GOOGLE_QUIC_VERSION: u64 = 0x4752;

/// Encoding of the value of a parameter.
enum Form {
    Number(&'static Field),
    Bytes(&'static Field),
    Text(&'static Field),
}

fn form(kind: u64) -> Option<Form> {
    Some(match kind {
        0x00 => Form::Bytes(&ORIGINAL_ID),
        0x01 => Form::Number(&IDLE_TIMEOUT),
        0x02 => Form::Bytes(&RESET_TOKEN),
        0x03 => Form::Number(&UDP_PAYLOAD),
        0x04 => Form::Number(&MAX_DATA),
        0x05 => Form::Number(&BIDI_LOCAL),
        0x06 => Form::Number(&BIDI_REMOTE),
        0x07 => Form::Number(&UNI),
        0x08 => Form::Number(&STREAMS_BIDI),
        0x09 => Form::Number(&STREAMS_UNI),
        0x0a => Form::Number(&ACK_EXPONENT),
        0x0b => Form::Number(&ACK_DELAY),
        0x0e => Form::Number(&ID_LIMIT),
        0x0f => Form::Bytes(&INITIAL_SOURCE),
        0x10 => Form::Bytes(&RETRY_SOURCE),
        0x20 => Form::Number(&DATAGRAM),
        0x1057 => Form::Number(&LOSS_BITS),
        0x3127 => Form::Number(&INITIAL_RTT),
        0x3128 => Form::Bytes(&OPTIONS),
        0x3129 => Form::Text(&USER_AGENT),
        0x7158 => Form::Number(&TIMESTAMPS),
        0xff00 => Form::Number(&RELIABILITY),
        0xde1a | 0xff03_de1a | 0xff04_de1a | 0xff04_de1b => Form::Number(&MIN_ACK_DELAY),
        _ => return None,
    })
}

/// Dissects transport parameters to the end.
pub(super) fn parameters(wire: &mut Wire<'_>) -> Result {
    wire.groups(&PARAMETER, |wire| {
        let kind = varint::number(wire, &TYPE)?;
        let length = varint::number(wire, &LENGTH)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > 0 && length <= wire.remaining() {
            wire.put(&VALUE, Value::Bytes, wire.at()..wire.at() + length);
        }
        wire.within(length, &VALUE, |wire| contents(wire, kind))
    })
}

/// Dissects the value of a parameter to the end.
fn contents(wire: &mut Wire<'_>, kind: u64) -> Result {
    let count = wire.remaining();
    match (kind, form(kind)) {
        _ if count == 0 => Ok(()),
        (_, Some(Form::Number(field))) => varint::number(wire, field).map(drop),
        (_, Some(Form::Bytes(field))) => wire.bytes(field, count).map(drop),
        (_, Some(Form::Text(field))) => wire.text(field, count).map(drop),
        (PREFERRED_ADDRESS, _) => preferred_address(wire),
        (kind, _) if VERSION_INFORMATION.contains(&kind) => {
            wire.u32_be(&CHOSEN)?;
            versions(wire, &OTHER)
        }
        (GOOGLE_QUIC_VERSION, _) => {
            wire.u32_be(&GOOGLE_VERSION)?;
            if wire.remaining() == 0 {
                return Ok(());
            }
            wire.u8(&GOOGLE_VERSIONS_LENGTH)?;
            versions(wire, &GOOGLE_SUPPORTED)
        }
        // The value was added above.
        _ => wire.skip(count),
    }
}

fn versions(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.each(|wire| wire.u32_be(field))
}

fn preferred_address(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&PREFERRED_V4, 4)?;
    wire.u16_be(&PREFERRED_V4_PORT)?;
    wire.bytes(&PREFERRED_V6, 16)?;
    wire.u16_be(&PREFERRED_V6_PORT)?;
    wire.counted(Wire::u8, &PREFERRED_ID_LENGTH, &PREFERRED_ID)?;
    wire.bytes(&PREFERRED_TOKEN, 16).map(drop)
}

/// Adds the value of a parameter that is a number or a text.
fn value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let is_shown = |child: &NodeRef<'_>| ![&TYPE, &LENGTH, &VALUE].iter().any(|field| child.field().is(field));
    node.children().find(is_shown).map_or(Ok(()), |child| child.write_value(out))
}

/// Whether bytes are parameters. Under the extension number of the drafts, drafts before 27 have a list with 16-bit lengths.
pub(super) fn are_parameters(bytes: &[u8]) -> bool {
    let is_list = |(length, list): (&[u8; 2], &[u8])| usize::from(u16::from_be_bytes(*length)) == list.len();
    if bytes.split_first_chunk().is_some_and(is_list) {
        return false;
    }
    let mut ahead = bytes;
    while !ahead.is_empty() {
        let next = || {
            let (_, kind) = varint(ahead)?;
            let (length, size) = varint(ahead.get(kind..)?)?;
            ahead.get(kind + size..)?.get(usize::try_from(length).ok()?..)
        };
        let Some(rest) = next() else { return false };
        ahead = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::tls::PROTOCOL;
    use crate::wire::{Cut, trial};

    const PARAMETERS: &str = "01 04 80007530 04 04 80200000 08 01 08 0c 00 0f 04 aabbccdd 11 08 00000001 6b3343cf 7129 03 312e30 \
        0d 2d c0000201 01bb 20010db8000000000000000000000001 01bb 04 01020304 000102030405060708090a0b0c0d0e0f 40bb 02 abcd";

    #[test]
    fn parameters_are_dissected() {
        insta::assert_snapshot!(trial::read(&PROTOCOL, &trial::bytes(PARAMETERS), Cut::No, parameters), @r#"
        tls 0..91
          0..6 tls.quic.parameter
            0..1 tls.quic.parameter.type = 1 (max_idle_timeout)
            1..2 tls.quic.parameter.length = 4
            2..6 tls.quic.parameter.value = 80007530
            2..6 tls.quic.parameter.max_idle_timeout = 30000
          6..12 tls.quic.parameter
            6..7 tls.quic.parameter.type = 4 (initial_max_data)
            7..8 tls.quic.parameter.length = 4
            8..12 tls.quic.parameter.value = 80200000
            8..12 tls.quic.parameter.initial_max_data = 2097152
          12..15 tls.quic.parameter
            12..13 tls.quic.parameter.type = 8 (initial_max_streams_bidi)
            13..14 tls.quic.parameter.length = 1
            14..15 tls.quic.parameter.value = 08
            14..15 tls.quic.parameter.initial_max_streams_bidi = 8
          15..17 tls.quic.parameter
            15..16 tls.quic.parameter.type = 12 (disable_active_migration)
            16..17 tls.quic.parameter.length = 0
          17..23 tls.quic.parameter
            17..18 tls.quic.parameter.type = 15 (initial_source_connection_id)
            18..19 tls.quic.parameter.length = 4
            19..23 tls.quic.parameter.value = aabbccdd
            19..23 tls.quic.parameter.initial_source_connection_id = aabbccdd
          23..33 tls.quic.parameter
            23..24 tls.quic.parameter.type = 17 (version_information)
            24..25 tls.quic.parameter.length = 8
            25..33 tls.quic.parameter.value = 000000016b3343cf
            25..29 tls.quic.parameter.vi.chosen_version = 0x00000001
            29..33 tls.quic.parameter.vi.other_version = 0x6b3343cf
          33..39 tls.quic.parameter
            33..35 tls.quic.parameter.type = 12585 (google_user_agent)
            35..36 tls.quic.parameter.length = 3
            36..39 tls.quic.parameter.value = 312e30
            36..39 tls.quic.parameter.google.user_agent = "1.0"
          39..86 tls.quic.parameter
            39..40 tls.quic.parameter.type = 13 (preferred_address)
            40..41 tls.quic.parameter.length = 45
            41..86 tls.quic.parameter.value = 45 bytes
            41..45 tls.quic.parameter.preferred_address.ipv4address = 192.0.2.1
            45..47 tls.quic.parameter.preferred_address.ipv4port = 443
            47..63 tls.quic.parameter.preferred_address.ipv6address = 2001:db8::1
            63..65 tls.quic.parameter.preferred_address.ipv6port = 443
            65..66 tls.quic.parameter.preferred_address.connectionid.length = 4
            66..70 tls.quic.parameter.preferred_address.connectionid = 01020304
            70..86 tls.quic.parameter.preferred_address.statelessresettoken = 000102030405060708090a0b0c0d0e0f
          86..91 tls.quic.parameter
            86..88 tls.quic.parameter.type = 187
            88..89 tls.quic.parameter.length = 2
            89..91 tls.quic.parameter.value = abcd
        "#);
    }

    #[test]
    fn damaged_parameters_are_survived() {
        trial::survives_damage(&PROTOCOL, &trial::bytes(PARAMETERS), parameters);
    }

    #[test]
    fn parameters_of_early_drafts_have_another_form() {
        assert!(are_parameters(&trial::bytes(PARAMETERS)));
        assert!(!are_parameters(&trial::bytes("0010 0001 0004 80007530 0004 0004 80200000")));
    }
}
