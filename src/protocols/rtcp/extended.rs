//! Extended reports (RFC 3611): blocks about times and loss; other blocks by their headers.
//!
//! ```text
//! 4   receiver reference time   NTP timestamp:8
//! 5   DLRR                      SSRC:4 | last RR:4 | delay:4 …
//! 6   statistics summary        SSRC:4 | begin:2 | end:2 | lost:4 | duplicate:4 | jitter:4 × 4 | TTL or hop limit:1 × 4
//! ```

use super::*;
use crate::protocols::ntp;
use crate::tree::{Names, name_of};
use crate::wire::{Result, Wire};

/// Types of blocks.
pub(super) const BLOCKS: Names = &[
    (1, "loss RLE"),
    (2, "duplicate RLE"),
    (3, "packet receipt times"),
    (REFERENCE as u64, "receiver reference time"),
    (DLRR as u64, "DLRR"),
    (SUMMARY as u64, "statistics summary"),
    (7, "VoIP metrics"),
    (42, "target bit rate"),
];

const REFERENCE: u8 = 4;
const DLRR: u8 = 5;
const SUMMARY: u8 = 6;

/// Dissects the blocks of an extended report.
pub(super) fn report(wire: &mut Wire<'_>, info: &mut String) -> Result {
    sender(wire, info)?;
    wire.each(|wire| {
        let kind = wire.u8(&XR_TYPE)?;
        list(info, name_of(BLOCKS, kind.into()).unwrap_or("unknown block"));
        match kind {
            SUMMARY => drop(wire.bits(1, STATISTICS_FLAGS)?),
            _ => drop(wire.u8(&XR_SPECIFIC)?),
        }
        let length = usize::from(wire.u16_be(&XR_LENGTH)?) * HEADER;
        if length > 0 {
            wire.within(length, &XR_CONTENT, |wire| block(wire, kind))?;
        }
        Ok(())
    })
}

/// Dissects the contents of a block.
fn block(wire: &mut Wire<'_>, kind: u8) -> Result {
    const TIME: usize = 8;
    const SOURCE: usize = 12;
    match kind {
        REFERENCE => {
            let time = wire.ahead().first_chunk::<TIME>().copied().map(u64::from_be_bytes);
            ntp::put_time(wire, &REFERENCE_TIME, time.unwrap_or_default(), wire.at());
            wire.skip(TIME)?;
        }
        DLRR => {
            while wire.remaining() >= SOURCE {
                wire.u32_be(&SSRC)?;
                wire.u32_be(&LAST_RR)?;
                wire.u32_be(&DELAY_RR)?;
            }
        }
        SUMMARY => {
            wire.u32_be(&SSRC)?;
            for (field, size) in STATISTICS {
                match size {
                    1 => drop(wire.u8(field)?),
                    2 => drop(wire.u16_be(field)?),
                    _ => drop(wire.u32_be(field)?),
                }
            }
        }
        _ => drop(wire.rest(&XR_CONTENT)),
    }
    Ok(())
}
