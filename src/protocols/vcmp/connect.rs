//! Connection setup: client connect, server join, store files and compressed messages.

use super::bits::Bits;
use super::compressed;
use super::fields::*;
use super::layout::read_text;
use super::text::{Quoted, text};
use super::versions::{CONNECT_START, Version};
use crate::tree::{Side, Value, name_of};
use crate::wire::{Result, Wire};

/// Bytes of a SHA-1 digest.
const SHA1: usize = 20;

pub(super) fn client_connect(wire: &mut Wire<'_>, version: Version, _: Side) -> Result {
    if version == Version::V471 {
        let mut bits = Bits::new(wire);
        bits.number(wire, &ZERO_BIT, 1)?;
        let number = bits.number(wire, &CONNECT_VERSION, 32)?;
        bits.number(wire, &ZERO_BIT, 1)?;
        bits.number(wire, &CONNECT_BUILD, 32)?;
        bits.padding(wire)?;
        bits.end(wire)?;
        wire.info(format_args!("{}", name_of(CLIENT_VERSIONS, number).unwrap_or("unknown version")));
        return wire.rest_is(&UNKNOWN);
    }
    if wire.bytes(&CONNECT_MAGIC, CONNECT_START.len())? != CONNECT_START {
        wire.note(&BAD_MAGIC, format_args!("expected other magic bytes"));
    }
    let number = wire.u32_be(&CONNECT_VERSION)?;
    let len = wire.u8(&TEXT_LEN)?;
    let name = read_text(wire, &CONNECT_NAME, len.into())?;
    let version = name_of(CLIENT_VERSIONS, number.into()).unwrap_or("unknown version");
    wire.info(format_args!("{version}, {}", Quoted(&text(name))));
    wire.rest_is(&CONNECT_HASHES)
}

pub(super) fn join(wire: &mut Wire<'_>, version: Version, _: Side) -> Result {
    wire.bytes(&UNKNOWN, 3)?;
    let player = wire.u8(&PLAYER_ID)?;
    for bound in [&JOIN_MAX_X, &JOIN_MIN_X, &JOIN_MAX_Y, &JOIN_MIN_Y] {
        wire.f32_be(bound)?;
    }
    let len = wire.u8(&TEXT_LEN)?;
    let hostname = read_text(wire, &JOIN_HOSTNAME, len.into())?;
    let len = wire.u8(&TEXT_LEN)?;
    let name = read_text(wire, &JOIN_NAME, len.into())?;
    wire.info(format_args!("{} on {}, player id {player}", Quoted(&text(name)), Quoted(&text(hostname))));
    if version.is_047() {
        return compressed::block(wire, store);
    }
    let count = wire.u8(&FILE_COUNT)?;
    for _ in 0..count {
        wire.group(&FILE, |wire| {
            wire.bytes(&FILE_SHA1, SHA1)?;
            let len = wire.u8(&TEXT_LEN)?;
            read_text(wire, &FILE_NAME, len.into()).map(drop)
        })?;
    }
    Ok(())
}

/// Stores files of 0.4.7: each ends with a single bit.
fn store(wire: &mut Wire<'_>) -> Result {
    let mut bits = Bits::new(wire);
    let count = bits.number(wire, &FILE_COUNT, 16)?;
    for _ in 0..count {
        bits.raw(wire, &FILE_SHA1, SHA1)?;
        bits.number(wire, &FILE_SIZE, 32)?;
        let len = bits.number(wire, &TEXT_LEN, 16)?;
        bits.text(wire, &FILE_NAME, usize::try_from(len).unwrap_or(usize::MAX))?;
        bits.truth(wire, &FILE_FLAG)?;
    }
    if bits.number(wire, &HAS_URL, 8)? == 1 {
        let len = bits.number(wire, &TEXT_LEN, 16)?;
        bits.text(wire, &URL, usize::try_from(len).unwrap_or(usize::MAX))?;
    }
    bits.padding(wire)?;
    bits.end(wire)
}

pub(super) fn files_needed(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    let count = wire.u8(&NEEDED_COUNT)?;
    wire.bytes(&UNKNOWN, 2)?;
    for _ in 0..count {
        wire.bytes(&NEEDED_SHA1, SHA1)?;
    }
    wire.info(format_args!("{count} {}", if count == 1 { "file" } else { "files" }));
    wire.rest_is(&UNKNOWN)
}

pub(super) fn freeze(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    let start = wire.at();
    let Some([a, b, c]) = wire.ahead().first_chunk().copied() else { return wire.rest_is(&UNKNOWN) };
    let code = u32::from_be_bytes([0, a, b, c]).into();
    wire.skip(3)?;
    wire.put(&FREEZE, Value::Unsigned(code), start..start + 3);
    wire.info(format_args!("{}", name_of(FREEZES, code).unwrap_or("unknown")));
    Ok(())
}

/// A message that is one compressed block with undocumented contents.
pub(super) fn compressed(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    compressed::block(wire, |wire| wire.rest_is(&UNKNOWN))
}
