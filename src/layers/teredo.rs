//! Teredo, IPv6 in UDP through address translators (RFC 4380), found on its server's port.
//!
//! ```text
//! authentication  0001:2 | id length:1 | value length:1 | id | value | nonce:8 | confirmation:1      may be left out
//! origin          0000:2 | port:2 | address:4, both with all bits turned                             may be left out
//! packet          IPv6
//! ```
//!
//! Clients and relays communicate on arbitrary ports; those packets stay data, as in Wireshark.

use super::ethernet::rest;
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Value, fields};
use crate::wire::{Error, Protocol, Result, Wire};
use std::net::Ipv4Addr;

pub static PROTOCOL: Protocol = layer(&TEREDO, FIELDS);

/// Headers before the IPv6 packet.
pub(super) static HEADERS: Described = Described { protocol: &PROTOCOL, header: headers };

fields! {
    TEREDO = protocol("teredo", "Teredo", "IPv6 over UDP through address translators");
    AUTH = group("teredo.auth", "Authentication", "Authentication header of the client or server").once();
    AUTH_KIND = number("teredo.auth.type", "Type", "1").hex(4).once();
    ID_LENGTH = number("teredo.auth.idlen", "Client identifier length", "Bytes").once();
    VALUE_LENGTH = number("teredo.auth.aulen", "Authentication value length", "Bytes").once();
    ID = bytes("teredo.auth.id", "Client identifier", "");
    VALUE = bytes("teredo.auth.value", "Authentication value", "HMAC of the shared secret");
    NONCE = bytes("teredo.auth.nonce", "Nonce", "Matches a response to its request").once();
    CONFIRMATION = bytes("teredo.auth.conf", "Confirmation", "Nonzero if the client needs a new key").once();
    ORIGIN = group("teredo.orig", "Origin indication", "Source address and port seen by the server").once();
    ORIGIN_KIND = number("teredo.orig.type", "Type", "0").hex(4).once();
    ORIGIN_PORT = number("teredo.orig.port", "Origin UDP port", "External port of the NAT; all bits inverted on the wire").once();
    ORIGIN_ADDR = text("teredo.orig.addr", "Origin IPv4 address", "External address of the NAT; all bits inverted on the wire").once();
}

/// Whether Teredo may begin here.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    matches!(bytes, [0] | [0, 0 | 1, ..]) || bytes.first().is_some_and(|first| first >> 4 == 6)
}

fn headers(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    loop {
        match wire.ahead() {
            [0, 1, ..] => wire.group(&AUTH, authentication)?,
            [0, 0, ..] => wire.group(&ORIGIN, origin)?,
            _ => return Ok(HeaderPayload::new(Next::Ip, rest(wire), missing)),
        }
    }
}

fn authentication(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&AUTH_KIND)?;
    let id = usize::from(wire.u8(&ID_LENGTH)?);
    let value = usize::from(wire.u8(&VALUE_LENGTH)?);
    wire.optional(&ID, id)?;
    wire.optional(&VALUE, value)?;
    wire.bytes(&NONCE, 8)?;
    wire.bytes(&CONFIRMATION, 1).map(drop)
}

fn origin(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&ORIGIN_KIND)?;
    let at = wire.at();
    let [p0, p1, address @ ..] =
        *wire.ahead().first_chunk::<6>().ok_or(Error::Short { needed: 6_usize.saturating_sub(wire.remaining()) })?;
    let port = !u16::from_be_bytes([p0, p1]);
    let address = Ipv4Addr::from(address.map(|byte: u8| !byte));
    wire.put(&ORIGIN_PORT, Value::Unsigned(port.into()), at..at + 2);
    wire.put_text(&ORIGIN_ADDR, at + 2..at + 6, format_args!("{address}"));
    wire.info(format_args!("from {address}:{port}"));
    wire.skip(6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn authentication_and_origin_are_read() {
        let frame = [
            "0001 01 02",          // authentication, id of 1 byte, value of 2
            "aa bbcc",             // id and value
            "0102030405060708 00", // nonce, confirmation
            "0000 f12a b9c82815",  // origin, all bits turned
        ];
        insta::assert_snapshot!(layers(Next::Header(&HEADERS), &frame), @r#"
        teredo 0..24 | from 70.55.215.234:3797
          0..16 teredo.auth
            0..2 teredo.auth.type = 0x0001
            2..3 teredo.auth.idlen = 1
            3..4 teredo.auth.aulen = 2
            4..5 teredo.auth.id = aa
            5..7 teredo.auth.value = bbcc
            7..15 teredo.auth.nonce = 0102030405060708
            15..16 teredo.auth.conf = 00
          16..24 teredo.orig
            16..18 teredo.orig.type = 0x0000
            18..20 teredo.orig.port = 3797
            20..24 teredo.orig.addr = "70.55.215.234"
        "#);
    }

    #[test]
    fn an_origin_that_is_cut_is_noted() {
        let frame = [
            "0000 f12a b9", // origin
        ];
        insta::assert_snapshot!(cut(Next::Header(&HEADERS), &frame, 3), @"
        teredo 0..5
          0..2 teredo.orig
            0..2 teredo.orig.type = 0x0000
          2..5 data.data = f12ab9
        ! broken dissect.cut at 2..5 teredo: the capture holds 3 bytes too few of this frame
        ");
    }
}
