//! Compression of packets above a size: zlib, one stream for each packet.

use flate2::{Decompress, FlushDecompress, Status};

/// Maximum size of a packet before compression: that of version 1.20.5.
pub(super) const MOST: usize = 1 << 23;

/// Output that is reserved at first.
const RESERVED: usize = 1 << 12;

/// Result of a decompression.
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    /// Whether the stream is complete and valid, and has no more bytes than permitted.
    pub(super) is_whole: bool,
}

/// Decompresses a zlib stream to at most `most` bytes. On an error, the bytes before it remain.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Plain {
    let mut inflate = Decompress::new(true);
    let mut out = Vec::with_capacity(most.clamp(1, RESERVED));
    loop {
        let done = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX);
        let before = (out.len(), done);
        let ahead = bytes.get(done..).unwrap_or_default();
        let status = inflate.decompress_vec(ahead, &mut out, FlushDecompress::None);
        let is_over = out.len() > most;
        match status {
            Ok(Status::StreamEnd) if !is_over => return Plain { bytes: out, is_whole: inflate.total_in() == bytes.len() as u64 },
            Ok(_) if !is_over && out.len() == out.capacity() => out.reserve(out.len().min(most - out.len() + 1)),
            Ok(_) if !is_over && (out.len(), usize::try_from(inflate.total_in()).unwrap_or(usize::MAX)) != before => {}
            _ => {
                out.truncate(most);
                return Plain { bytes: out, is_whole: false };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_stream_has_exactly_its_bytes() {
        for len in [0, 1, 4095, 4096, 4097, 100_000] {
            let bytes: Vec<u8> = (0..len).map(|at: u32| at.to_le_bytes()[1]).collect();
            let zlib = packed(&bytes);
            let plain = inflate(&zlib, bytes.len());
            assert!(plain.is_whole && plain.bytes == bytes, "{len}");
            assert!(!inflate(&[zlib.as_slice(), &[0]].concat(), bytes.len()).is_whole, "{len}");
            assert!(!inflate(&zlib[..zlib.len() - 1], bytes.len()).is_whole, "{len}");
            if let Some(fewer) = bytes.len().checked_sub(1) {
                let plain = inflate(&zlib, fewer);
                assert!(!plain.is_whole && plain.bytes == bytes[..fewer], "{len}");
            }
        }
        assert!(!inflate(b"no zlib", 100).is_whole);
        assert!(!inflate(&[], 100).is_whole);
    }
}
