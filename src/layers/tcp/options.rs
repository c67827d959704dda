//! TCP options.

use super::{BAD_OPTION, KIND, MSS, OPTION, OPTION_DATA, OPTION_LEN, OPTIONS, SACK_LE, SACK_RE, TSECR, TSVAL, WSCALE};
use crate::wire::{Result, Wire};

pub(super) fn fields(wire: &mut Wire<'_>, end: usize) -> Result {
    let length = end.saturating_sub(wire.at());
    if length == 0 {
        return Ok(());
    }
    wire.group(&OPTIONS, |wire| wire.within(length, &OPTION_DATA, |wire| wire.groups(&OPTION, option)))
}

fn option(wire: &mut Wire<'_>) -> Result {
    const END: u8 = 0;
    const NOP: u8 = 1;
    let kind = wire.u8(&KIND)?;
    match kind {
        END => {
            // Bytes after the end of options are padding of the header.
            return wire.rest_is(&OPTION_DATA);
        }
        NOP => return Ok(()),
        _ => {}
    }
    let left = wire.remaining();
    let length = usize::from(wire.u8(&OPTION_LEN)?);
    if length < 2 || length > left + 1 {
        wire.note(&BAD_OPTION, format_args!("{length} bytes where {} are left", left + 1));
        return wire.rest_is(&OPTION_DATA);
    }
    wire.within(length - 2, &OPTION_DATA, |wire| match (kind, length) {
        (2, 4) => wire.u16_be(&MSS).map(drop),
        (3, 3) => wire.u8(&WSCALE).map(drop),
        (5, _) if (length - 2) % 8 == 0 => wire.each(|wire| {
            wire.u32_be(&SACK_LE)?;
            wire.u32_be(&SACK_RE)
        }),
        (8, 10) => {
            wire.u32_be(&TSVAL)?;
            wire.u32_be(&TSECR).map(drop)
        }
        _ => wire.rest_is(&OPTION_DATA),
    })
}
