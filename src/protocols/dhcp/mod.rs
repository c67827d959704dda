//! DHCP (RFC 2131) and BOOTP (RFC 951): configuration of hosts with IPv4 addresses.
//!
//! Integers are big-endian.
//!
//! ```text
//! op:1 | htype:1 | hlen:1 | hops:1 | xid:4 | secs:2 | flags:2
//! ciaddr:4 | yiaddr:4 | siaddr:4 | giaddr:4 | chaddr:16 | sname:64 | file:128
//! magic cookie:4 | option …    with the option "overload", sname and file hold options too
//! option   code:1 | length:1 | value; 0 is padding and 255 the end, both without length
//! ```
//! Not covered: vendor-specific options; long options that are split (RFC 3396).

mod fields;
pub mod statistics;
#[cfg(test)]
mod tests;

use super::dns::names;
use crate::tree::{Field, Value, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};
use fields::*;
use std::net::Ipv4Addr;

pub static PROTOCOL: Protocol = Protocol::new(&DHCP, FIELDS)
    .found(&[
        On::Udp(67).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(68).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(4011).datagram(Heuristic::Datagram(recognize), message),
        On::AnyUdp.datagram(Heuristic::Datagram(has_cookie), message),
        On::Udp(67).datagram(Heuristic::Datagram(is_likely), message).by_port(),
        On::Udp(68).datagram(Heuristic::Datagram(is_likely), message).by_port(),
        On::Udp(4011).datagram(Heuristic::Datagram(is_likely), message).by_port(),
    ])
    .rest(&DATA);

/// Size of the fixed part in bytes, up to the magic cookie.
const HEADER: usize = 236;
const MAGIC_COOKIE: [u8; 4] = [99, 130, 83, 99];
const ETHERNET: u8 = 1;

const OVERLOAD: u8 = 52;
const MESSAGE_TYPE: u8 = 53;
const REQUEST_LIST: u8 = 55;
const CLIENT_ID: u8 = 61;
const FQDN: u8 = 81;
const RELAY_AGENT: u8 = 82;
const ARCHITECTURE_LIST: u8 = 93;
const SEARCH_LIST: u8 = 119;
const ROUTES: [u8; 2] = [121, 249];

/// Whether it may be a request or a reply.
fn recognize(bytes: &[u8]) -> bool {
    matches!(bytes, [1 | 2, _, 0..=16, ..])
}

/// Whether a message has the magic cookie.
fn has_cookie(bytes: &[u8]) -> bool {
    recognize(bytes) && is_likely(bytes)
}

/// Whether the magic cookie is present, whatever is in front of it.
fn is_likely(bytes: &[u8]) -> bool {
    bytes.get(HEADER..HEADER + MAGIC_COOKIE.len()) == Some(&MAGIC_COOKIE)
}

fn message(wire: &mut Wire<'_>) -> Result {
    let whole = wire.ahead();
    let overload = find(whole.get(HEADER + MAGIC_COOKIE.len()..).unwrap_or_default(), OVERLOAD).unwrap_or(0);
    let kind = wire.u8(&TYPE)?;
    let hardware = wire.u8(&HW_TYPE)?;
    let length = wire.u8(&HW_LEN)?;
    wire.u8(&HOPS)?;
    let id = wire.u32_be(&ID)?;
    wire.u16_be(&SECS)?;
    wire.flags(&FLAGS, 2, &[&BROADCAST, &RESERVED])?;
    wire.column("BOOTP");
    wire.name(if kind == 1 { "boot request" } else { "boot reply" });
    wire.info(format_args!("transaction {id:#010x}"));
    for field in [&CLIENT, &YOUR, &SERVER, &RELAY] {
        wire.bytes(field, 4)?;
    }
    hardware_address(wire, hardware, usize::from(length))?;
    name_or_options(wire, &SERVER_NAME, 64, overload & 2 != 0)?;
    name_or_options(wire, &FILE, 128, overload & 1 != 0)?;
    if !wire.ahead().starts_with(&MAGIC_COOKIE) {
        return wire.rest_is(&VENDOR);
    }
    wire.bytes(&COOKIE, MAGIC_COOKIE.len())?;
    if let Some(kind) = find(wire.ahead(), MESSAGE_TYPE) {
        wire.column("DHCP");
        heading(wire, kind, whole, id);
    }
    options(wire)
}

/// Sets the heading of a DHCP message.
fn heading(wire: &mut Wire<'_>, kind: u8, whole: &[u8], id: u32) {
    const YOURS: usize = 16;
    wire.name(name_of(MESSAGES, kind.into()).unwrap_or("unknown message"));
    let yours: [u8; 4] = whole.get(YOURS..).and_then(|rest| rest.first_chunk().copied()).unwrap_or_default();
    if yours == [0; 4] {
        wire.info(format_args!("transaction {id:#010x}"));
    } else {
        wire.info(format_args!("{}, transaction {id:#010x}", Ipv4Addr::from(yours)));
    }
}

/// Dissects chaddr, of which `length` bytes are used.
fn hardware_address(wire: &mut Wire<'_>, hardware: u8, length: usize) -> Result {
    const SIZE: usize = 16;
    match length.min(SIZE) {
        0 => {}
        6 if hardware == ETHERNET => wire.bytes(&MAC, 6).map(drop)?,
        length => wire.bytes(&HW_ADDR, length).map(drop)?,
    }
    match SIZE - length.min(SIZE) {
        0 => Ok(()),
        padding => wire.bytes(&HW_PADDING, padding).map(drop),
    }
}

/// Dissects a text of fixed size, or options if the field is overloaded.
fn name_or_options(wire: &mut Wire<'_>, field: &'static Field, size: usize, has_options: bool) -> Result {
    if has_options {
        return wire.within(size, &OPT_PADDING, options);
    }
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(size)?;
    let text = ahead.get(..size).unwrap_or_default();
    let length = memchr::memchr(0, text).unwrap_or(size);
    let text = text.get(..length).unwrap_or_default();
    wire.put_text(field, start..start + size, format_args!("{}", String::from_utf8_lossy(text)));
    Ok(())
}

/// First byte of the first option with this code.
fn find(options: &[u8], wanted: u8) -> Option<u8> {
    let mut at = 0;
    loop {
        match *options.get(at)? {
            0 => at += 1,
            255 => return None,
            kind if kind == wanted => return options.get(at + 2).copied(),
            _ => at += 2 + usize::from(*options.get(at + 1)?),
        }
    }
}

/// Dissects options up to the end option, and the padding after it.
fn options(wire: &mut Wire<'_>) -> Result {
    const PAD: u8 = 0;
    const END: u8 = 255;
    while let Some(&kind) = wire.ahead().first() {
        match kind {
            PAD => padding(wire)?,
            END => {
                wire.group(&OPTION, |wire| {
                    let start = wire.at();
                    wire.u8(&OPT_TYPE)?;
                    wire.put(&OPT_END, Value::Unsigned(END.into()), start..start + 1);
                    Ok(())
                })?;
                return wire.rest_is(&OPT_PADDING);
            }
            _ => wire.group(&OPTION, option)?,
        }
    }
    wire.note_layer(&NO_END, format_args!("the options extend to the end of the message"));
    Ok(())
}

fn padding(wire: &mut Wire<'_>) -> Result {
    let count = wire.ahead().iter().take_while(|byte| **byte == 0).count();
    wire.group(&OPTION, |wire| {
        let start = wire.at();
        wire.put(&OPT_TYPE, Value::Unsigned(0), start..start + 1);
        wire.bytes(&OPT_PADDING, count).map(drop)
    })
}

fn option(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u8(&OPT_TYPE)?;
    let length = usize::from(wire.u8(&OPT_LENGTH)?);
    wire.within(length, &OPT_VALUE, |wire| match (kind, length) {
        (_, 0) => Ok(()),
        (REQUEST_LIST, _) => wire.each(|wire| wire.u8(&REQUEST_ITEM)),
        (CLIENT_ID, _) => client(wire),
        (FQDN, 3..) => fqdn(wire),
        (RELAY_AGENT, _) => wire.groups(&SUBOPTION, suboption),
        (ARCHITECTURE_LIST, _) => wire.each(|wire| wire.u16_be(&ARCHITECTURE)),
        (SEARCH_LIST, _) => {
            let list = (wire.ahead(), wire.at());
            wire.each(|wire| names::name(wire, list, &SEARCH))
        }
        (kind, _) if ROUTES.contains(&kind) => wire.each(route),
        _ => value(wire, OPTIONS.iter().find(|(known, _)| *known == kind).map(|(_, is)| is), length),
    })
}

/// Dissects an option with a simple value. An unexpected length is shown as bytes.
fn value(wire: &mut Wire<'_>, is: Option<&'static OptionKind>, length: usize) -> Result {
    match is {
        Some(OptionKind::Ips(field)) if length.is_multiple_of(4) => wire.each(|wire| wire.bytes(field, 4)),
        Some(OptionKind::Text(field)) => text(wire, field),
        Some(OptionKind::Flag(field)) if length == 1 => wire.bool(field).map(drop),
        Some(OptionKind::U8(field)) if length == 1 => wire.u8(field).map(drop),
        Some(OptionKind::U16(field)) if length == 2 => wire.u16_be(field).map(drop),
        Some(OptionKind::U32(field)) if length == 4 => wire.u32_be(field).map(drop),
        Some(OptionKind::I32(field)) if length == 4 => wire.i32_be(field).map(drop),
        _ => wire.rest_is(&OPT_VALUE),
    }
}

/// Dissects text up to its first NUL.
fn text(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    if wire.ahead().contains(&0) {
        wire.text_nul(field)?;
        wire.rest(&OPT_PADDING);
    } else {
        wire.rest(field);
    }
    Ok(())
}

fn client(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u8(&ID_TYPE)?;
    match wire.remaining() {
        0 => Ok(()),
        6 if kind == ETHERNET => wire.bytes(&MAC, 6).map(drop),
        _ => wire.rest_is(&ID_TEXT),
    }
}

fn fqdn(wire: &mut Wire<'_>) -> Result {
    let flags = wire.flags(&FQDN_FLAGS, 1, &[&FQDN_N, &FQDN_E, &FQDN_O, &FQDN_S])?;
    wire.u8(&FQDN_RCODE1)?;
    wire.u8(&FQDN_RCODE2)?;
    let name = (wire.ahead(), wire.at());
    if FQDN_E.bits_of(flags) != 0 && name.0.ends_with(&[0]) {
        names::name(wire, name, &FQDN_NAME).map(drop)
    } else {
        wire.rest_is(&FQDN_NAME)
    }
}

fn suboption(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SUB_TYPE)?;
    let length = wire.u8(&SUB_LENGTH)?;
    match length {
        0 => Ok(()),
        _ => wire.bytes(&SUB_VALUE, length.into()).map(drop),
    }
}

/// Dissects a classless static route: prefix length, significant bytes of the network, router.
fn route(wire: &mut Wire<'_>) -> Result {
    let (start, ahead) = (wire.at(), wire.ahead());
    let bits = ahead.first().copied().unwrap_or_default();
    let significant = usize::from(bits.min(32)).div_ceil(8);
    wire.skip(1 + significant + 4)?;
    let mut network = [0; 4];
    for (to, from) in network.iter_mut().zip(ahead.iter().skip(1).take(significant)) {
        *to = *from;
    }
    let router: [u8; 4] = ahead.get(1 + significant..).and_then(|rest| rest.first_chunk().copied()).unwrap_or_default();
    let words = format_args!("{}/{bits}-{}", Ipv4Addr::from(network), Ipv4Addr::from(router));
    wire.put_text(&ROUTE, start..start + 1 + significant + 4, words);
    Ok(())
}
