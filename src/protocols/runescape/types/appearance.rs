//! Player appearance.

use super::super::fields::*;
use super::{Look, Name, read};
use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Wire};

/// Equipment slots and body parts in wire order.
const PARTS: usize = 12;
const COLOURS: usize = 5;
const SEQS: usize = 7;

/// Part value that announces an NPC ID.
const NPC: u16 = 0xffff;

pub(super) fn look(wire: &mut Wire<'_>, field: &'static Field, look: Look, count: usize) -> Result<Name> {
    if !look.reversed {
        return wire.group(field, |wire| wire.within(count, &TRAILING, |wire| appearance(wire, look)));
    }
    let Some(bytes) = wire.ahead().get(..count) else {
        return Err(Error::Short { needed: count.saturating_sub(wire.remaining()) });
    };
    let turned: Vec<u8> = bytes.iter().rev().copied().collect();
    let start = wire.at();
    wire.put(field, Value::None, start..start + count);
    wire.derived("reversed", count, &turned, |wire| {
        let result = appearance(wire, look);
        wire.rest(&TRAILING);
        result
    })
}

fn appearance(wire: &mut Wire<'_>, look: Look) -> Result<Name> {
    wire.u8(&GENDER)?;
    if look.skull {
        wire.i8(&SKULL)?;
        wire.i8(&HEAD_ICON)?;
    } else {
        wire.u8(&HEAD_ICON)?;
    }
    for number in 0..PARTS {
        let start = wire.at();
        let high = wire.peek_u8().unwrap_or_default();
        if high == 0 {
            wire.u8(&PART)?;
            continue;
        }
        if number == 0 && wire.ahead().starts_with(&NPC.to_be_bytes()) {
            wire.u16_be(&AS_NPC)?;
            wire.u16_be(&PART_NPC)?;
            break;
        }
        let low = wire.ahead().get(1).copied().ok_or(Error::Short { needed: 1 })?;
        wire.skip(2)?;
        wire.put(&PART, Value::Unsigned(u16::from_be_bytes([high, low]).into()), start..wire.at());
    }
    for _ in 0..COLOURS {
        wire.u8(&COLOUR)?;
    }
    for _ in 0..SEQS {
        wire.u16_be(&SEQ)?;
    }
    let name = read::name(wire, &APPEARANCE_NAME)?;
    wire.u8(&COMBAT_LEVEL)?;
    if wire.remaining() >= 2 {
        wire.u16_be(&SKILL_LEVEL)?;
    }
    Ok(name)
}
