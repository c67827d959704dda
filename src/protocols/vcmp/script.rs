//! Script messages: opaque data, and text that is not byte-aligned.

use super::bits::Bits;
use super::fields::*;
use super::text::Quoted;
use super::versions::Version;
use crate::tree::Side;
use crate::wire::{Cut, Result, Wire};

/// Dispatch name of script data.
pub(super) const PLACE: &str = "vcmp";

pub(super) fn server_data(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    let len = wire.u32_be(&DATA_LENGTH)? as usize;
    let left = wire.remaining();
    wire.info(format_args!("{len} bytes"));
    if len > left {
        if wire.cut() == Cut::No {
            wire.note_ahead(&SERVER_DATA_OVERRUN, format_args!("{len} bytes declared, {left} left"));
        }
        return wire.rest_is(&SCRIPT_DATA);
    }
    let start = wire.at();
    wire.bytes(&SCRIPT_DATA, len)?;
    wire.offer(PLACE, start..start + len);
    if left > len {
        wire.note_ahead(&TRAILING_BYTES, format_args!("{} after the data; the receiver ignores them", left - len));
        wire.rest(&UNPARSED);
    }
    Ok(())
}

pub(super) fn player_text(wire: &mut Wire<'_>, _: Version, _: Side) -> Result {
    wire.bytes(&UNKNOWN, 3)?;
    let player = wire.u8(&PLAYER_ID)?;
    let mut bits = Bits::new(wire);
    bits.number(wire, &ZERO_BIT, 1)?;
    let len = bits.number(wire, &TEXT_LEN, 16)?;
    let text = bits.text(wire, &TEXT, usize::try_from(len).unwrap_or(usize::MAX))?;
    wire.info(format_args!("player id {player}, {}", Quoted(&text)));
    bits.padding(wire)?;
    bits.end(wire)
}
