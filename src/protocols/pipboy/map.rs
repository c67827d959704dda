//! Local map updates: a grayscale picture with the world coordinates of its corners.

use super::values::Values;
use super::*;
use crate::protocols::png;
use crate::tree::{Mark, Value};
use crate::wire::{Cut, Error, Result, Wire};

/// World coordinates of a corner.
type Corner = (f32, f32);

/// Bytes before the pixels.
pub(super) const MAP_HEADER: usize = 32;

pub(super) fn local_map_update(wire: &mut Wire<'_>, values: &mut Values) -> Result {
    let held = wire.remaining();
    match (picture(wire, values), wire.cut()) {
        (Err(Error::Short { .. }), Cut::No) => {
            wire.malformed(&MAP_TRUNCATED, format_args!("{held} bytes, a map has at least {MAP_HEADER}"))
        }
        (result, _) => result,
    }
}

fn picture(wire: &mut Wire<'_>, values: &mut Values) -> Result {
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
                wire.picture("map", "local-map.png", || {
                    let picture = png::gray(width, height, usize::try_from(stride).ok()?, bytes)?;
                    Some((picture, player(values, nw, ne, sw).into_iter().collect()))
                });
            }
            None => wire.note(&MAP_BAD_SIZE, format_args!("{pixels} bytes of pixels for {width} x {height}")),
        }
    }
    wire.add(&MAP_SE_X, Value::Single(opposite(ne.0, sw.0, nw.0)));
    wire.add(&MAP_SE_Y, Value::Single(opposite(ne.1, sw.1, nw.1)));
    Ok(())
}

/// Position of the player on the map with these corners, if inside.
fn player(values: &mut Values, nw: Corner, ne: Corner, sw: Corner) -> Option<Mark> {
    let world = values.world();
    let at = |axis: &str| world.number(&["Map", "Local", "Player", axis]);
    let (x, y) = within(at("X")?, at("Y")?, nw, ne, sw)?;
    Some(Mark { label: "player", x, y })
}

/// World coordinates as fractions of the edges from the first corner to the two others.
fn within(x: f64, y: f64, nw: Corner, ne: Corner, sw: Corner) -> Option<(f64, f64)> {
    let from_nw = |corner: Corner| (f64::from(corner.0) - f64::from(nw.0), f64::from(corner.1) - f64::from(nw.1));
    let ((east_x, east_y), (south_x, south_y)) = (from_nw(ne), from_nw(sw));
    let (x, y) = (x - f64::from(nw.0), y - f64::from(nw.1));
    let area = east_x * south_y - east_y * south_x;
    let fractions = ((x * south_y - y * south_x) / area, (east_x * y - east_y * x) / area);
    // Collinear corners give fractions that are NaN.
    let is_inside = |fraction: f64| (0.0..=1.0).contains(&fraction);
    Some(fractions).filter(|(right, down)| is_inside(*right) && is_inside(*down))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_fractions_of_a_map_that_may_be_turned() {
        let straight = |x, y| within(x, y, (-10.0, 20.0), (10.0, 20.0), (-10.0, 10.0));
        assert_eq!(straight(0.0, 12.5), Some((0.5, 0.75)));
        assert_eq!((straight(11.0, 12.0), straight(0.0, 21.0)), (None, None));
        // A quarter turn: east is down on the picture.
        assert_eq!(within(7.5, 5.0, (0.0, 0.0), (0.0, 10.0), (10.0, 0.0)), Some((0.5, 0.75)));
        assert_eq!(within(1.0, 1.0, (0.0, 0.0), (2.0, 2.0), (1.0, 1.0)), None);
    }
}
