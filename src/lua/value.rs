//! Values of fields: read from bytes, or given by the script.

use super::address::Address;
use super::args::{integer, text};
use super::buffer::{TvbRange, number, signed};
use super::bytes::ByteArray;
use super::call::{self, Content, Place};
use super::errors::fail;
use super::field::{ScriptField, Type};
use super::item::wrong_value;
use super::numbers::{Int64, UInt64};
use super::time::{self, NsTime};
use crate::tree::Address as TreeAddress;
use mlua::{Lua, Result, Value};
use std::net::IpAddr;

/// The value in the bytes of a range, with the bytes that the item has.
pub(super) fn read(lua: &Lua, field: &ScriptField, range: &TvbRange, is_little: bool) -> Result<(Content, Option<Place>)> {
    let place = range.place;
    let bytes = || call::with(|call| call.bytes(place).to_vec());
    let bits = |most: u32| match place.len {
        0 => fail(lua, "Range is out of bounds"),
        len if len > most => fail(lua, format_args!("Trying to fetch an integer with length {len}")),
        _ => Ok(call::with(|call| number(call.bytes(place), is_little))),
    };
    let content = match field.of {
        Type::None | Type::Protocol => Content::None,
        Type::Bool => Content::Bool(masked(field, bits(8)?) != 0),
        Type::Char => Content::Unsigned(masked(field, bits(4)?)),
        Type::Unsigned(size) => Content::Unsigned(masked(field, bits(if size == 8 { 8 } else { 4 })?)),
        Type::Signed(size) => {
            let raw = bits(if size == 8 { 8 } else { 4 })?;
            let is_masked = field.field.mask != 0;
            Content::Signed(if is_masked { masked(field, raw).cast_signed() } else { signed(raw, place.len as usize) })
        }
        Type::FrameNumber => return fail(lua, "ProtoField FRAMENUM cannot fetch value from Tvb"),
        Type::Float => Content::Single(f32::from_bits(u32::try_from(exactly(lua, place, 4, is_little)?).unwrap_or_default())),
        Type::Double => Content::Double(f64::from_bits(exactly(lua, place, 8, is_little)?)),
        Type::AbsoluteTime | Type::RelativeTime => match time::in_bytes(&bytes(), is_little) {
            Some(time) => timed(field.of, time),
            None => return fail(lua, "Range is out of bounds"),
        },
        Type::String => {
            let end = call::with(|call| memchr::memchr(0, call.bytes(place)));
            let len = end.and_then(|end| u32::try_from(end).ok()).unwrap_or(place.len);
            Content::Text(Place { len, ..place })
        }
        Type::Stringz => {
            let (text, len) = range.terminated(lua, 1)?;
            let [shown, taken] = [text.len(), len].map(|len| u32::try_from(len).unwrap_or_default());
            return Ok((Content::Text(Place { len: shown, ..place }), Some(Place { len: taken, ..place })));
        }
        Type::Bytes | Type::SystemId | Type::Ipx | Type::Eui64 => Content::Bytes(place),
        Type::CountedBytes => return counted(lua, range, is_little),
        Type::Ipv4 if is_little => {
            exactly(lua, place, 4, true)?;
            Content::Own(bytes().into_iter().rev().collect())
        }
        Type::Ipv4 => exactly(lua, place, 4, false).map(|_| Content::Bytes(place))?,
        Type::Ipv6 => sized(lua, place, 16)?,
        Type::Ether => sized(lua, place, 6)?,
        Type::Guid => {
            sized(lua, place, 16)?;
            Content::Words(guid(&bytes(), is_little))
        }
        Type::Oid => Content::Words(oid(&bytes(), true)),
        Type::RelOid => Content::Words(oid(&bytes(), false)),
    };
    Ok((content, Some(place)))
}

/// The masked bits of a number.
fn masked(field: &ScriptField, raw: u64) -> u64 {
    field.field.bits_of(raw)
}

/// A number of exactly this many bytes.
fn exactly(lua: &Lua, place: Place, len: u32, is_little: bool) -> Result<u64> {
    if place.len != len {
        return fail(lua, format_args!("Trying to fetch {len} bytes from a range of {}", place.len));
    }
    Ok(call::with(|call| number(call.bytes(place), is_little)))
}

/// Bytes of this length.
fn sized(lua: &Lua, place: Place, len: u32) -> Result<Content> {
    match place.len == len {
        true => Ok(Content::Bytes(place)),
        false => fail(lua, format_args!("Trying to fetch {len} bytes from a range of {}", place.len)),
    }
}

/// Bytes with their number in front, whose width is that of the range.
fn counted(lua: &Lua, range: &TvbRange, is_little: bool) -> Result<(Content, Option<Place>)> {
    let place = range.place;
    if !(1..=4).contains(&place.len) {
        return fail(lua, format_args!("Trying to fetch an integer with length {}", place.len));
    }
    let count = call::with(|call| number(call.bytes(place), is_little));
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let start = place.start + place.len;
    let end = range.outer.start + range.outer.len;
    if start.checked_add(count).is_none_or(|stop| stop > end) {
        return fail(lua, "Range is out of bounds");
    }
    let content = Content::Bytes(Place { start, len: count, ..place });
    Ok((content, Some(Place { len: place.len + count, ..place })))
}

/// A time as the value of a field.
fn timed(of: Type, time: NsTime) -> Content {
    if of == Type::RelativeTime { Content::Double(time.float()) } else { Content::Words(time.absolute()) }
}

/// A GUID as text.
fn guid(bytes: &[u8], is_little: bool) -> String {
    let mut octets = bytes.to_vec();
    if is_little {
        for range in [0..4, 4..6, 6..8] {
            if let Some(part) = octets.get_mut(range) {
                part.reverse();
            }
        }
    }
    let hex = data_encoding::HEXLOWER.encode(&octets);
    let part = |range| hex.get(range).unwrap_or_default();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}

/// An object identifier as text.
fn oid(bytes: &[u8], is_absolute: bool) -> String {
    let mut parts: Vec<u64> = Vec::new();
    let mut number = 0_u64;
    for byte in bytes {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            continue;
        }
        if is_absolute && parts.is_empty() {
            let first = (number / 40).min(2);
            parts.extend([first, number - 40 * first]);
        } else {
            parts.push(number);
        }
        number = 0;
    }
    parts.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

/// The bits of a number, of a numeric string or of a 64-bit object.
fn whole(lua: &Lua, given: &Value) -> Result<i64> {
    if let Value::UserData(data) = given {
        if let Ok(number) = data.borrow::<UInt64>() {
            return Ok(number.0.cast_signed());
        }
        if let Ok(number) = data.borrow::<Int64>() {
            return Ok(number.0);
        }
    }
    match integer(given) {
        Some(number) => Ok(number),
        None => wrong_value(lua, "number", given),
    }
}

/// A value that the script gives.
pub(super) fn given(lua: &Lua, field: &ScriptField, given: &Value) -> Result<Content> {
    Ok(match field.of {
        Type::Bool => match given {
            Value::Boolean(truth) => Content::Bool(*truth),
            given => Content::Bool(whole(lua, given)? != 0),
        },
        Type::Unsigned(8) => Content::Unsigned(whole(lua, given)?.cast_unsigned()),
        Type::Signed(8) => Content::Signed(whole(lua, given)?),
        Type::Char | Type::Unsigned(_) | Type::FrameNumber => {
            Content::Unsigned(u64::from(truncated(whole(lua, given)?.cast_unsigned())))
        }
        Type::Signed(_) => Content::Signed(i64::from(truncated(whole(lua, given)?.cast_unsigned()).cast_signed())),
        Type::Float => Content::Single(single(float(lua, given)?)),
        Type::Double => Content::Double(float(lua, given)?),
        Type::AbsoluteTime | Type::RelativeTime => match given.as_userdata().and_then(|data| data.borrow::<NsTime>().ok()) {
            Some(time) => timed(field.of, *time),
            None => return wrong_value(lua, "NSTime", given),
        },
        Type::String | Type::Stringz => match text(given) {
            Some(text) => Content::Words(text),
            None => return wrong_value(lua, "string", given),
        },
        Type::Bytes | Type::CountedBytes => match given {
            Value::String(bytes) => Content::Own(bytes.as_bytes().to_vec()),
            Value::UserData(data) if let Ok(array) = data.borrow::<ByteArray>() => Content::Own(array.bytes.clone()),
            given => return wrong_value(lua, "string", given),
        },
        Type::Ipv4 | Type::Ipv6 | Type::Ether => {
            let address = given.as_userdata().and_then(|data| data.borrow::<Address>().ok().map(|address| *address));
            return addressed(lua, field.of, address, given);
        }
        Type::Protocol => Content::None,
        Type::None | Type::Ipx | Type::Guid | Type::Oid | Type::RelOid | Type::SystemId | Type::Eui64 => {
            return fail(lua, "FT_ not yet supported");
        }
    })
}

fn addressed(lua: &Lua, of: Type, address: Option<Address>, given: &Value) -> Result<Content> {
    let Some(Address(address)) = address else { return wrong_value(lua, "Address", given) };
    match (of, address) {
        (Type::Ipv4, TreeAddress::Ip(IpAddr::V4(ip))) => Ok(Content::Own(ip.octets().to_vec())),
        (Type::Ipv6, TreeAddress::Ip(IpAddr::V6(ip))) => Ok(Content::Own(ip.octets().to_vec())),
        (Type::Ether, TreeAddress::Mac(octets)) => Ok(Content::Own(octets.to_vec())),
        (Type::Ipv4, _) => fail(lua, "Expected IPv4 address for FT_IPv4 field"),
        (Type::Ipv6, _) => fail(lua, "Expected IPv6 address for FT_IPv6 field"),
        _ => fail(lua, "Expected Ethernet address for FT_ETHER field"),
    }
}

/// The low 32 bits, as numbers of at most that width are kept.
fn truncated(bits: u64) -> u32 {
    u32::try_from(bits & 0xffff_ffff).unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "the field has 32 bits")]
fn single(number: f64) -> f32 {
    number as f32
}

#[expect(clippy::cast_precision_loss, reason = "the field is a float")]
fn float(lua: &Lua, given: &Value) -> Result<f64> {
    match given {
        Value::Number(number) => Ok(*number),
        Value::String(text) if let Ok(number) = text.to_string_lossy().trim().parse::<f64>() => Ok(number),
        given => whole(lua, given).map(|number| number as f64),
    }
}
