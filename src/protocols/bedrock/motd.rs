//! Server information in an unconnected pong.

use super::*;
use crate::tree::Field;
use crate::wire::{Result, Wire};

/// Parts in wire order.
const PARTS: [&Field; 12] = [
    &EDITION,
    &NAME,
    &MOTD_PROTOCOL,
    &MOTD_VERSION,
    &PLAYERS,
    &MOST_PLAYERS,
    &SERVER_ID,
    &SECOND_LINE,
    &MODE,
    &MODE_NUMBER,
    &PORT,
    &PORT_6,
];

/// Maximum parts read.
const PARTS_MAX: usize = 64;

pub(super) fn detect(data: &[u8]) -> bool {
    matches!(data, [_, _, b'M', b'C', b'P' | b'E', b'E', b';', ..])
}

pub(super) fn read(wire: &mut Wire<'_>) -> Result {
    wire.name("motd");
    let length = usize::from(wire.u16_be(&MOTD_LENGTH)?);
    if length != wire.remaining() {
        wire.note(&BAD_LENGTH, format_args!("{length} bytes declared, {} left", wire.remaining()));
    }
    let mut parts: [&[u8]; 12] = [&[]; 12];
    for number in 0..PARTS_MAX {
        let ahead = wire.ahead();
        if ahead.is_empty() {
            break;
        }
        let end = memchr::memchr(b';', ahead).filter(|_| number + 1 < PARTS_MAX);
        let field = PARTS.get(number).copied().unwrap_or(&MORE);
        let part = wire.words(field, end.map_or(ahead.len(), |end| end + 1), 0..end.unwrap_or(ahead.len()))?;
        if let Some(slot) = parts.get_mut(number) {
            *slot = part;
        }
    }
    let [_, name, _, version, players, most, ..] = parts.map(String::from_utf8_lossy);
    wire.info(format_args!("{name}, {version}, {players} of {most} players"));
    Ok(())
}
