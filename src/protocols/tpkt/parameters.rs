//! Parameters of TPDUs.
//!
//! ```text
//! parameter   code:1 | length:1 | value
//! ```

use super::fields::*;
use crate::tree::{Field, Value, name_of};
use crate::wire::{Result, Wire};

const TPDU_SIZE_CODE: u8 = 0xc0;
const SOURCE_CODE: u8 = 0xc1;
const DESTINATION_CODE: u8 = 0xc2;

/// Fields of a throughput, in their order; the average ones may be absent.
const THROUGHPUTS: [&Field; 8] = [
    &MOST_TARGET_CALLED,
    &MOST_LEAST_CALLED,
    &MOST_TARGET_CALLING,
    &MOST_LEAST_CALLING,
    &MEAN_TARGET_CALLED,
    &MEAN_LEAST_CALLED,
    &MEAN_TARGET_CALLING,
    &MEAN_LEAST_CALLING,
];

/// Whether these bytes are parameters of known codes, up to their end.
pub(super) fn are_parameters(mut bytes: &[u8]) -> bool {
    while let [code, length, rest @ ..] = bytes {
        let (Some(_), Some(behind)) = (name_of(CODES, (*code).into()), rest.get(usize::from(*length)..)) else { return false };
        bytes = behind;
    }
    bytes.is_empty()
}

/// Reads all parameters that remain, in a connection of this class.
pub(super) fn read(wire: &mut Wire<'_>, class: u8) -> Result {
    while wire.remaining() > 0 {
        let code = wire.u8(&PARAMETER_CODE)?;
        if wire.remaining() == 0 {
            break;
        }
        let length = usize::from(wire.u8(&PARAMETER_LENGTH)?);
        wire.within(length, &PARAMETER_VALUE, |wire| value(wire, code, length, class))?;
    }
    Ok(())
}

fn value(wire: &mut Wire<'_>, code: u8, length: usize, class: u8) -> Result {
    match (code, length) {
        (0x85, 2) => wire.u16_be(&ACK_TIME).map(drop),
        (0x86, 3) => {
            wire.u8(&ERROR_TARGET)?;
            wire.u8(&ERROR_MINIMUM)?;
            wire.u8(&ERROR_TSDU).map(drop)
        }
        (0x87, 2) => wire.u16_be(&PRIORITY).map(drop),
        (0x88, 8) => {
            let delays = [&DELAY_TARGET_CALLED, &DELAY_MOST_CALLED, &DELAY_TARGET_CALLING, &DELAY_MOST_CALLING];
            delays.into_iter().try_for_each(|delay| wire.u16_be(delay).map(drop))
        }
        (0x89, 12 | 24) => THROUGHPUTS.into_iter().take(length / 3).try_for_each(|rate| wire.u24_be(rate).map(drop)),
        (0x8a, 2) => wire.u16_be(&SEQUENCE_NUMBER).map(drop),
        (0x8b, 2) => wire.u16_be(&REASSIGNMENT).map(drop),
        (0x8c, 8) => {
            wire.u32_be(&LOWER_WINDOW_EDGE)?;
            wire.u16_be(&SEQUENCE_NUMBER)?;
            wire.u16_be(&CREDIT).map(drop)
        }
        (TPDU_SIZE_CODE, 1) => wire.number_with(&TPDU_SIZE, |[power]| Value::Unsigned(1 << (power & 0x0f))).map(drop),
        (SOURCE_CODE, _) => tsap(wire, [&SOURCE_TSAP, &SOURCE_TSAP_BYTES], length),
        (DESTINATION_CODE, _) => tsap(wire, [&DESTINATION_TSAP, &DESTINATION_TSAP_BYTES], length),
        (0xc3, 2) => wire.u16_be(&CHECKSUM).map(drop),
        (0xc4, 1) => wire.u8(&VERSION).map(drop),
        (0xc6, 1) => {
            let bits: &[&Field] = match class {
                1 => &[&NETWORK_EXPEDITED, &EXPLICIT_AK, &EXPEDITED],
                4 => &[&CHECKSUM_16, &EXPEDITED],
                _ => &[&EXPEDITED],
            };
            wire.bits(1, bits).map(drop)
        }
        (0xf0, 1) => wire.number_with(&PREFERRED_SIZE, |[units]| preferred([0, 0, 0, units])).map(drop),
        (0xf0, 2) => wire.number_with(&PREFERRED_SIZE, |[a, b]| preferred([0, 0, a, b])).map(drop),
        (0xf0, 3) => wire.number_with(&PREFERRED_SIZE, |[a, b, c]| preferred([0, a, b, c])).map(drop),
        (0xf0, 4) => wire.number_with(&PREFERRED_SIZE, preferred).map(drop),
        (0xf2, 4) => wire.u32_be(&INACTIVITY).map(drop),
        (_, 0) => Ok(()),
        _ => wire.bytes(&PARAMETER_VALUE, length).map(drop),
    }
}

/// A size in units of 128 bytes.
fn preferred(units: [u8; 4]) -> Value {
    Value::Unsigned(u64::from(u32::from_be_bytes(units)) * 128)
}

/// A selector of a transport service: text if all of it is printable, else digits; and its bytes.
fn tsap(wire: &mut Wire<'_>, [text, bytes]: [&'static Field; 2], length: usize) -> Result {
    const LONGEST: usize = 32;
    let at = wire.at();
    let selector = wire.ahead().get(..length).unwrap_or_default();
    if !(1..=LONGEST).contains(&length) {
        wire.put_text(text, at..at + selector.len(), format_args!("<unsupported TSAP length>"));
    } else if selector.iter().all(|byte| (b' '..=b'~').contains(byte)) && selector.len() == length {
        wire.put(text, Value::Text, at..at + length);
    } else if selector.len() == length {
        wire.put_text(text, at..at + length, format_args!("0x{}", Hex(selector)));
    }
    wire.bytes(bytes, length).map(drop)
}

/// Bytes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}
