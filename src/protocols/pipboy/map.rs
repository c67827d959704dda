//! Local map updates: a grayscale picture with the world coordinates of its corners.

use super::{
    MAP_BAD_SIZE, MAP_HEIGHT, MAP_NE_X, MAP_NE_Y, MAP_NW_X, MAP_NW_Y, MAP_PIXELS, MAP_SE_X, MAP_SE_Y, MAP_STRIDE, MAP_SW_X,
    MAP_SW_Y, MAP_TRUNCATED, MAP_WIDTH,
};
use crate::tree::Value;
use crate::wire::{Cut, Error, Result, Wire};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

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
                wire.object("map", "local-map.png", || png(width, height, stride, bytes));
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

/// Encodes the picture as PNG without row padding. `None` if it has no pixels.
fn png(width: u32, height: u32, stride: u64, pixels: &[u8]) -> Option<Vec<u8>> {
    let (wide, stride) = (usize::try_from(width).ok()?, usize::try_from(stride).ok()?);
    let rows = pixels.chunks(stride.max(1)).take(usize::try_from(height).ok()?);
    let picture: Vec<u8> = rows.filter_map(|row| row.get(..wide)).flatten().copied().collect();
    if width == 0 || picture.len() != wide.checked_mul(usize::try_from(height).ok()?)? {
        return None;
    }
    // Each row begins with its filter type: 0, none.
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in picture.chunks(wide) {
        rows.write_all(&[0]).and_then(|()| rows.write_all(row)).ok()?;
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // Bit depth 8, grayscale, and the only defined compression, filter and interlace methods.
    header.extend([8, 0, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header)?;
    chunk(&mut file, *b"IDAT", &rows.finish().ok()?)?;
    chunk(&mut file, *b"IEND", &[])?;
    Some(file)
}

/// Appends a PNG chunk: length, type, data, CRC of type and data.
fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> Option<()> {
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(data);
    file.extend(u32::try_from(data.len()).ok()?.to_be_bytes());
    file.extend(kind);
    file.extend(data);
    file.extend(crc.sum().to_be_bytes());
    Some(())
}

/// Fourth corner of a parallelogram. The intermediate sum would lose digits in single precision.
#[allow(clippy::cast_possible_truncation, reason = "the corners are single precision")]
fn opposite(a: f32, b: f32, between: f32) -> f32 {
    (f64::from(a) + f64::from(b) - f64::from(between)) as f32
}
