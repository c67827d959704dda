//! Local map updates: a grayscale picture with the world coordinates of its corners.

use super::{
    MAP_BAD_SIZE, MAP_HEIGHT, MAP_NE_X, MAP_NE_Y, MAP_NW_X, MAP_NW_Y, MAP_PIXELS, MAP_SE_X, MAP_SE_Y, MAP_STRIDE, MAP_SW_X,
    MAP_SW_Y, MAP_TRUNCATED, MAP_WIDTH,
};
use crate::protocols::png;
use crate::tree::Value;
use crate::wire::{Cut, Error, Result, Wire};

/// Bytes before the pixels.
pub(super) const MAP_HEADER: usize = 32;

pub(super) fn local_map_update(wire: &mut Wire<'_>) -> Result {
    let held = wire.remaining();
    match (picture(wire), wire.cut()) {
        (Err(Error::Short { .. }), Cut::No) => {
            wire.malformed(&MAP_TRUNCATED, format_args!("{held} bytes, a map has at least {MAP_HEADER}"))
        }
        (result, _) => result,
    }
}

fn picture(wire: &mut Wire<'_>) -> Result {
    let width = wire.u32_le(&MAP_WIDTH)?;
    let height = wire.u32_le(&MAP_HEIGHT)?;
    wire.info(format_args!("{width} x {height}"));
    let nw = (wire.f32_le(&MAP_NW_X)?, wire.f32_le(&MAP_NW_Y)?);
    let ne = (wire.f32_le(&MAP_NE_X)?, wire.f32_le(&MAP_NE_Y)?);
    let sw = (wire.f32_le(&MAP_SW_X)?, wire.f32_le(&MAP_SW_Y)?);
    let bytes = wire.rest(&MAP_PIXELS);
    let pixels = bytes.len() as u64;
    if wire.cut() == Cut::No {
        match stride(width.into(), height.into(), pixels) {
            Some(stride) => {
                wire.add(&MAP_STRIDE, Value::Unsigned(stride));
                wire.object("map", "local-map.png", || png::gray(width, height, usize::try_from(stride).ok()?, bytes));
            }
            None => wire.note(&MAP_BAD_SIZE, format_args!("{pixels} bytes of pixels for {width} x {height}")),
        }
    }
    wire.add(&MAP_SE_X, Value::Single(opposite(ne.0, sw.0, nw.0)));
    wire.add(&MAP_SE_Y, Value::Single(opposite(ne.1, sw.1, nw.1)));
    Ok(())
}

/// Bytes per row. Some games pad rows beyond the width.
pub(super) fn stride(width: u64, height: u64, pixels: u64) -> Option<u64> {
    let picture = width.checked_mul(height)?;
    if pixels == picture {
        Some(width)
    } else if pixels > picture && pixels.checked_rem(height)? == 0 {
        pixels.checked_div(height)
    } else {
        None
    }
}

/// Fourth corner of a parallelogram. The intermediate sum would lose digits in single precision.
#[allow(clippy::cast_possible_truncation, reason = "the corners are single precision")]
fn opposite(a: f32, b: f32, between: f32) -> f32 {
    (f64::from(a) + f64::from(b) - f64::from(between)) as f32
}
