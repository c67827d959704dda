//! Decompression of messages, with Snappy, zlib or Zstandard.

use flate2::read::ZlibDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::Read;

/// Method of compression.
#[derive(Clone, Copy)]
pub(super) enum Method {
    Snappy,
    Zlib,
    Zstandard,
}

impl Method {
    /// The method of a compressor number.
    pub(super) fn of(compressor: u8) -> Option<Method> {
        match compressor {
            1 => Some(Method::Snappy),
            2 => Some(Method::Zlib),
            3 => Some(Method::Zstandard),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Snappy => "snappy",
            Method::Zlib => "zlib",
            Method::Zstandard => "zstd",
        }
    }

    /// Decompressed data, if valid and of this many bytes.
    pub(super) fn decompressed(self, data: &[u8], size: usize) -> Option<Vec<u8>> {
        let bytes = match self {
            Method::Snappy => snappy(data, size),
            Method::Zlib => zlib(data, size),
            Method::Zstandard => zstandard(data, size),
        };
        bytes.filter(|bytes| bytes.len() == size)
    }
}

fn snappy(data: &[u8], size: usize) -> Option<Vec<u8>> {
    // The decoder allocates the length that the data states; an element of three bytes makes at most 64.
    let is_possible = |length: &usize| *length == size && *length / 64 <= data.len() / 3 + 1;
    snap::raw::decompress_len(data).ok().filter(is_possible)?;
    snap::raw::Decoder::new().decompress_vec(data).ok()
}

fn zlib(data: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more byte detects longer data.
    let limit = u64::try_from(size).ok()?.saturating_add(1);
    ZlibDecoder::new(data).take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn zstandard(mut data: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut decoder = FrameDecoder::new();
    decoder.init(&mut data).ok()?;
    // A reader would decode a whole window first, of any size that the frame declares.
    decoder.decode_blocks(&mut data, BlockDecodingStrategy::UptoBytes(size.saturating_add(1))).ok()?;
    if decoder.is_finished() { decoder.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snappy_is_decompressed() {
        let block = b"\x18\x10maren\x01\x05\x0e\x02\0\x0f\x0a\0\0\0\xf0\x06mustela";
        assert_eq!(Method::Snappy.decompressed(block, 24).as_deref(), Some(&b"marenmarerereenmamustela"[..]));
        assert_eq!(Method::Snappy.decompressed(block, 23), None);
    }

    #[test]
    fn snappy_of_an_impossible_length_is_refused() {
        let (length, size) = (b"\x80\x80\x80\x04", 8 << 20);
        assert_eq!(snap::raw::decompress_len(length), Ok(size));
        assert_eq!(Method::Snappy.decompressed(length, size), None);
    }

    #[test]
    fn zstandard_ends_at_the_size_whatever_the_window() {
        // A window of 64 MiB, and blocks that repeat a byte 128 KiB times.
        let mut frame = b"\x28\xb5\x2f\xfd\0\x80".to_vec();
        frame.extend(b"\x02\0\x10x".repeat(400));
        frame.extend(b"\x03\0\x10x");
        assert_eq!(Method::Zstandard.decompressed(&frame, 401 << 17).map(|bytes| bytes.len()), Some(401 << 17));
        assert_eq!(Method::Zstandard.decompressed(&frame, 1 << 17), None);
    }

    #[test]
    fn shorter_data_than_declared_is_refused() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut zlib, b"maren").unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(Method::Zlib.decompressed(&zlib, 5).as_deref(), Some(&b"maren"[..]));
        assert_eq!(Method::Zlib.decompressed(&zlib, 6), None);
    }
}
