//! Grayscale pictures as PNG, for exported objects.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// Encodes a picture of 8 bits per pixel without row padding; `stride` is the distance of its rows. `None` if it has no
/// pixels or too few.
pub fn gray(width: u32, height: u32, stride: usize, pixels: &[u8]) -> Option<Vec<u8>> {
    let wide = usize::try_from(width).ok()?;
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
