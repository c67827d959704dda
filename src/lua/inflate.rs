//! Decompression for `TvbRange:uncompress`.

use std::io::Read;

/// Maximum number of bytes of one buffer, and of bytes for each compressed one.
const MOST: usize = 16 << 20;
const RATIO: usize = 1000;

/// What can be read of compressed bytes: zlib, gzip, or deflate without a header. `None` if that is nothing.
pub(super) fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let most = MOST.min(bytes.len().saturating_mul(RATIO));
    let found = if bytes.starts_with(&[0x1f, 0x8b]) {
        read(flate2::read::GzDecoder::new(bytes), most)
    } else {
        let with_header = read(flate2::read::ZlibDecoder::new(bytes), most);
        if with_header.is_empty() { read(flate2::read::DeflateDecoder::new(bytes), most) } else { with_header }
    };
    (!found.is_empty()).then_some(found)
}

/// Reads up to an error, which means that the bytes are cut.
fn read(mut from: impl Read, most: usize) -> Vec<u8> {
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    while all.len() < most {
        match from.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => all.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    all.truncate(most);
    all
}
