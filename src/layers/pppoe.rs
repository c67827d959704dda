//! PPPoE, PPP over Ethernet (RFC 2516): discovery, which finds an access concentrator, and the session that carries PPP.
//!
//! ```text
//! both       version:4 type:4 | code:1 | session id:2 | length:2
//! discovery  tag:2 | tag length:2 | value | ... up to the length
//! session    PPP frame without address and control
//! ```
//!
//! Not covered: the content of vendor-specific tags.

use super::{HeaderPayload, Next, layer, ppp};
use crate::tree::{Field, Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire};

/// Fields common to discovery and session. Never a layer itself.
pub static PROTOCOL: Protocol = layer(&PPPOE, FIELDS);

pub static DISCOVERY_PROTOCOL: Protocol = layer(&discovery_fields::PPPOED, discovery_fields::FIELDS);

pub static SESSION_PROTOCOL: Protocol = layer(&session_fields::PPPOES, session_fields::FIELDS);

fields! {
    PPPOE = protocol("pppoe", "PPPoE", "PPP over Ethernet");
    VERSION = number("pppoe.version", "Version", "1").mask(0xf0).once();
    TYPE = number("pppoe.type", "Type", "1").mask(0x0f).once();
    CODE = number("pppoe.code", "Code", "").hex(2).names(CODES).once();
    SESSION_ID = number("pppoe.session_id", "Session ID", "0 during discovery").hex(4).once();
    LENGTH = number("pppoe.payload_length", "Payload length", "Bytes after this header").once();
    BAD_LENGTH = odd("pppoe.payload_length.bad", "bad length", "The length exceeds the frame");
}

mod discovery_fields {
    use crate::tree::fields;

    fields! {
        PPPOED = protocol("pppoed", "PPPoE discovery", "PPP over Ethernet, finding an access concentrator");
        TAGS = group("pppoed.tags", "PPPoE tags", "");
        TAG = number("pppoed.tag", "Tag", "").hex(4).names(super::TAG_NAMES);
        TAG_LENGTH = number("pppoed.tag_length", "Tag length", "Bytes of the value");
        SERVICE_NAME = text("pppoed.tags.service_name", "Service name", "Requested or offered service");
        AC_NAME = text("pppoed.tags.ac_name", "AC name", "Name of the access concentrator");
        HOST_UNIQ = bytes("pppoed.tags.host_uniq", "Host-Uniq", "Matches a response to the host's request");
        AC_COOKIE = bytes("pppoed.tags.ac_cookie", "AC cookie", "Returned unchanged to the access concentrator");
        RELAY = bytes("pppoed.tags.relay_session_id", "Relay session ID", "Added by an intermediate agent");
        UNKNOWN = bytes("pppoed.tag.unknown_data", "Value", "");
    }
}
use discovery_fields::{AC_COOKIE, AC_NAME, HOST_UNIQ, RELAY, SERVICE_NAME, TAG, TAG_LENGTH, TAGS, UNKNOWN};

mod session_fields {
    use crate::tree::fields;

    fields! {
        PPPOES = protocol("pppoes", "PPPoE session", "PPP over Ethernet, carrying PPP");
    }
}

const CODES: Names =
    &[(0x00, "session data"), (0x07, "PADO"), (0x09, "PADI"), (0x19, "PADR"), (0x65, "PADS"), (0xa7, "PADT"), (0xd3, "PADM")];
const TAG_NAMES: Names = &[
    (0x0000, "end of list"),
    (0x0101, "service name"),
    (0x0102, "AC name"),
    (0x0103, "Host-Uniq"),
    (0x0104, "AC cookie"),
    (0x0105, "vendor specific"),
    (0x0110, "relay session ID"),
    (0x0120, "maximum payload"),
    (0x0201, "service name error"),
    (0x0202, "AC system error"),
    (0x0203, "generic error"),
];

/// A packet of the discovery stage, with its tags.
pub(super) fn discovery(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let (code, length) = header(wire, missing)?;
    wire.name(name_of(CODES, code.into()).unwrap_or("unknown code"));
    if length > 0 {
        wire.group(&TAGS, |wire| wire.within(length, &UNKNOWN, |wire| wire.each(tag)))?;
    }
    Ok(HeaderPayload::nothing(wire.at()))
}

fn tag(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u16_be(&TAG)?;
    let length = usize::from(wire.u16_be(&TAG_LENGTH)?);
    let field: &'static Field = match kind {
        0x0101 => &SERVICE_NAME,
        0x0102 => &AC_NAME,
        0x0103 => &HOST_UNIQ,
        0x0104 => &AC_COOKIE,
        0x0110 => &RELAY,
        _ => &UNKNOWN,
    };
    match kind {
        _ if length == 0 => Ok(()),
        0x0101 | 0x0102 => wire.text(field, length).map(drop),
        _ => wire.bytes(field, length).map(drop),
    }
}

/// A packet of a session.
pub(super) fn session(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let (_, length) = header(wire, missing)?;
    let (start, captured) = (wire.at(), wire.remaining());
    let range = start..start + length.min(captured);
    Ok(HeaderPayload::new(Next::Header(&ppp::FRAME), range, length.saturating_sub(captured)))
}

/// The common header. Returns the code and the payload length, at most the length on the wire.
fn header(wire: &mut Wire<'_>, missing: usize) -> Result<(u8, usize)> {
    wire.bits(1, &[&VERSION, &TYPE])?;
    let code = wire.u8(&CODE)?;
    let session = wire.u16_be(&SESSION_ID)?;
    wire.info(format_args!("session {session:#06x}"));
    let length = usize::from(wire.u16_be(&LENGTH)?);
    let have = wire.remaining() + missing;
    if length > have {
        wire.note(&BAD_LENGTH, format_args!("{length} where the frame has {have}"));
    }
    Ok((code, length.min(have)))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn an_offer_is_read() {
        let frame = [
            "11 07 0000 000d",  // PADO, no session, 13 bytes
            "0102 0003 616263", // the concentrator is called abc
            "0101 0000",        // any service
            "0000",             // end of frame inside a tag
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8863), &frame), @r#"
        pppoed 0..19 | PADO | session 0x0000
          0..1 pppoe.version = 1
          0..1 pppoe.type = 1
          1..2 pppoe.code = 0x07 (PADO)
          2..4 pppoe.session_id = 0x0000
          4..6 pppoe.payload_length = 13
          6..19 pppoed.tags
            6..8 pppoed.tag = 0x0102 (AC name)
            8..10 pppoed.tag_length = 3
            10..13 pppoed.tags.ac_name = "abc"
            13..15 pppoed.tag = 0x0101 (service name)
            15..17 pppoed.tag_length = 0
            17..19 pppoed.tag = 0x0000 (end of list)
        ! broken dissect.short at 19..19 pppoed: 2 more bytes needed, 0 left
        "#);
    }

    #[test]
    fn session_payload_ends_at_its_length() {
        let frame = [
            "11 00 0011 0002", // session 17, 2 bytes
            "00fd",            // PPP, compressed
            "0000 0000",       // padding
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8864), &frame), @"
        pppoes 0..12 | session 0x0011
          0..1 pppoe.version = 1
          0..1 pppoe.type = 1
          1..2 pppoe.code = 0x00 (session data)
          2..4 pppoe.session_id = 0x0011
          4..6 pppoe.payload_length = 2
          8..12 dissect.trailer = 00000000
        ppp 6..8 | compressed datagram
          6..8 ppp.protocol = 0x00fd (compressed datagram)
        ");
    }

    #[test]
    fn a_session_that_is_cut_is_noted() {
        let frame = [
            "11 00 0011", // session 17
            "00",         // half a length
        ];
        insta::assert_snapshot!(cut(Next::EtherType(0x8864), &frame, 3), @"
        pppoes 0..5 | session 0x0011
          0..1 pppoe.version = 1
          0..1 pppoe.type = 1
          1..2 pppoe.code = 0x00 (session data)
          2..4 pppoe.session_id = 0x0011
          4..5 data.data = 00
        ! broken dissect.cut at 4..5 pppoes: the capture holds 1 bytes too few of this frame
        ");
    }
}
