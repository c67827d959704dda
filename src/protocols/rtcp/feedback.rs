//! Feedback: RFC 4585, RFC 5104, draft-alvestrand-rmcat-remb-03 and draft-holmer-rmcat-transport-wide-cc-extensions-01.

use super::*;
use crate::tree::{Names, Value};
use crate::wire::{Result, Wire};

/// Formats of transport layer feedback.
pub(super) const TRANSPORT: Names = &[
    (1, "NACK"),
    (3, "TMMBR"),
    (4, "TMMBN"),
    (5, "RTCP-SR-REQ"),
    (6, "RAMS"),
    (7, "TLLEI"),
    (8, "RTCP-ECN-FB"),
    (9, "PAUSE-RESUME"),
    (11, "CCFB"),
    (15, "transport-cc"),
];

/// Formats of payload-specific feedback.
pub(super) const PAYLOAD: Names =
    &[(1, "PLI"), (2, "SLI"), (3, "RPSI"), (4, "FIR"), (5, "TSTR"), (6, "TSTN"), (7, "VBCM"), (8, "PSLEI"), (15, "ALFB")];

/// Dissects transport layer feedback.
pub(super) fn transport(wire: &mut Wire<'_>, format: u8, info: &mut String) -> Result {
    both_sources(wire, info)?;
    match format {
        1 => {
            let mut lost = 0;
            while wire.remaining() > 0 {
                let first = wire.u16_be(&NACK_ID)?;
                let mask = wire.u16_be(&NACK_MASK)?;
                let at = wire.at();
                lost += 1 + mask.count_ones();
                // A filter for a lost packet finds it in either place.
                for bit in (0..16).filter(|bit| mask >> bit & 1 != 0) {
                    let number = first.wrapping_add(bit + 1);
                    wire.put(&NACK_ID, Value::Unsigned(number.into()), at - 2..at);
                }
            }
            list(info, &format!("{lost} lost"));
            Ok(())
        }
        3 | 4 => wire.each(|wire| {
            wire.u32_be(&LIMIT_SSRC)?;
            let raw = wire.bits(4, &[&LIMIT_EXPONENT, &LIMIT_MANTISSA, &OVERHEAD])?;
            let (mantissa, exponent) = (LIMIT_MANTISSA.bits_of(raw), LIMIT_EXPONENT.bits_of(raw));
            let at = wire.at();
            wire.put_text(&LIMIT, at - 4..at, format_args!("{mantissa}*2^{exponent}"));
            let rate = u128::from(mantissa) << exponent;
            list(info, &format!("{rate} bit/s"));
            Ok(())
        }),
        15 => arrivals(wire, info),
        _ => wire.rest_is(&CONTROL),
    }
}

/// Dissects payload-specific feedback.
pub(super) fn payload(wire: &mut Wire<'_>, format: u8, info: &mut String) -> Result {
    both_sources(wire, info)?;
    match format {
        2 => wire.each(|wire| wire.bits(4, &[&SLICE_FIRST, &SLICE_NUMBER, &SLICE_PICTURE])),
        4 => wire.each(|wire| {
            let ssrc = wire.u32_be(&FIR_SSRC)?;
            wire.u8(&FIR_NUMBER)?;
            wire.u24_be(&FIR_RESERVED)?;
            list(info, &format!("of {ssrc:#010x}"));
            Ok(())
        }),
        15 if wire.ahead().starts_with(b"REMB") => bandwidth(wire, info),
        _ => wire.rest_is(&CONTROL),
    }
}

fn both_sources(wire: &mut Wire<'_>, info: &mut String) -> Result {
    sender(wire, info)?;
    let media = wire.u32_be(&MEDIA)?;
    if media != 0 {
        list(info, &format!("media {media:#010x}"));
    }
    Ok(())
}

/// Dissects the receiver's estimate of the maximum bit rate.
fn bandwidth(wire: &mut Wire<'_>, info: &mut String) -> Result {
    wire.text(&REMB, 4)?;
    let count = wire.u8(&REMB_COUNT)?;
    let raw = wire.bits(3, &[&REMB_EXPONENT, &REMB_MANTISSA])?;
    let rate = u128::from(REMB_MANTISSA.bits_of(raw)) << REMB_EXPONENT.bits_of(raw);
    let at = wire.at();
    wire.put_text(&REMB_RATE, at - 3..at, format_args!("{rate}"));
    list(info, &format!("{rate} bit/s"));
    for _ in 0..count {
        wire.u32_be(&REMB_SSRC)?;
    }
    Ok(())
}

/// Size in bytes of a receive delta for each status of a packet; the last one is reserved.
const DELTA_SIZES: [usize; 4] = [0, 1, 2, 0];

/// Dissects arrival times of packets.
///
/// ```text
/// base:2 | packets:2 | reference time:3 | count:1 | status chunk:2 … | delta:1 or 2 … | padding
/// run      0 | status:2 bits | packets:13
/// vector   1 | 0 | status:1 bit × 14
///          1 | 1 | status:2 bits × 7
/// ```
fn arrivals(wire: &mut Wire<'_>, info: &mut String) -> Result {
    let base = wire.u16_be(&BASE)?;
    let count = wire.u16_be(&STATUSES)?;
    let time = |[a, b, c]: [u8; 3]| i64::from(i32::from_be_bytes([a, b, c, 0]) >> 8);
    wire.number_with(&REFERENCE, |bytes| Value::Signed(time(bytes)))?;
    wire.u8(&FEEDBACKS)?;
    list(info, &format!("{count} packets from {base}"));
    // Runs as they are declared: a run of 8191 takes two bytes, so that no list of packets is kept.
    let mut runs: Vec<(u16, usize)> = Vec::new();
    let mut left = count;
    while left > 0 {
        let chunk = wire.u16_be(&STATUS_CHUNK)?;
        each_run(chunk, |number, status| {
            let number = number.min(left);
            left -= number;
            runs.push((number, DELTA_SIZES.get(usize::from(status)).copied().unwrap_or(0)));
        });
    }
    for (number, size) in runs {
        for _ in 0..number {
            match size {
                1 => drop(wire.u8(&ARRIVAL)?),
                2 => drop(wire.i16_be(&ARRIVAL)?),
                _ => break,
            }
        }
    }
    wire.rest_is(&ARRIVAL_PADDING)
}

/// Calls `take` with the number of packets and their status, for each run of a chunk.
fn each_run(chunk: u16, mut take: impl FnMut(u16, u16)) {
    match chunk >> 14 {
        0 | 1 => take(chunk & 0x1fff, chunk >> 13 & 3),
        2 => (0..14).rev().for_each(|bit| take(1, chunk >> bit & 1)),
        _ => (0..7).rev().for_each(|pair| take(1, chunk >> (2 * pair) & 3)),
    }
}
