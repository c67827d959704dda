//! Algorithms of compression, recognized by decompressing.

use super::lz4;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes that are decompressed of a body.
const MOST: usize = 1 << 20;

/// An algorithm of compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
    /// RFC 1951, without a header.
    Deflate,
    /// A frame of RFC 8878.
    Zstd,
    /// A block of LZ4, without a frame.
    Lz4,
}

impl Method {
    /// All algorithms.
    pub const ALL: [Method; 5] = [Method::Zlib, Method::Gzip, Method::Zstd, Method::Deflate, Method::Lz4];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Method::Zlib => "zlib",
            Method::Gzip => "gzip",
            Method::Deflate => "deflate",
            Method::Zstd => "zstd",
            Method::Lz4 => "LZ4",
        }
    }

    /// The fewest bodies that show it: one with a checksum or a magic number could be another's.
    pub(super) const fn needed(self) -> usize {
        match self {
            Method::Zlib | Method::Gzip | Method::Zstd => 2,
            Method::Deflate | Method::Lz4 => 4,
        }
    }

    /// The weight of a body that decompresses. What is in zlib is raw deflate two bytes later, without the checksum.
    pub(super) const fn certainty(self) -> usize {
        match self {
            Method::Zlib | Method::Gzip | Method::Zstd => 4,
            Method::Deflate => 2,
            Method::Lz4 => 1,
        }
    }

    /// Whether a body is compressed so from its first byte to its last, apart from a checksum behind it.
    #[must_use]
    pub fn unpacks(self, body: &[u8]) -> bool {
        match self {
            Method::Zlib => is_zlib(body) && inflates(body, true),
            Method::Gzip => body.starts_with(&[0x1f, 0x8b, 8]) && gunzips(body),
            Method::Deflate => inflates(body, false),
            Method::Zstd => body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) && unzstds(body),
            Method::Lz4 => lz4::is_block(body, MOST),
        }
    }
}

/// Whether the header of zlib is valid, for the usual windows.
fn is_zlib(body: &[u8]) -> bool {
    let Some(&[first, second]) = body.first_chunk::<2>() else { return false };
    first & 0x8f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31) && second & 0x20 == 0
}

/// Whether deflated bytes end with the body.
fn inflates(body: &[u8], has_header: bool) -> bool {
    let mut state = Decompress::new(has_header);
    match inflate(&mut state, body) {
        Some(true) => {
            usize::try_from(state.total_in()).is_ok_and(|used| is_end(body.len() - used.min(body.len()))) && state.total_out() > 0
        }
        _ => false,
    }
}

/// Whether these bytes may be a checksum behind the body.
fn is_end(left: usize) -> bool {
    matches!(left, 0 | 1 | 2 | 4)
}

/// Decompresses these bytes; whether the stream has ended. `None` if they are wrong.
fn inflate(state: &mut Decompress, body: &[u8]) -> Option<bool> {
    let mut out = [0; 4096];
    let (start, mut made) = (state.total_in(), 0);
    loop {
        let used = usize::try_from(state.total_in() - start).ok()?;
        let rest = body.get(used..)?;
        let before = (state.total_in(), state.total_out());
        let status = state.decompress(rest, &mut out, FlushDecompress::None).ok()?;
        made += state.total_out() - before.1;
        match status {
            Status::StreamEnd => return Some(true),
            _ if (state.total_in(), state.total_out()) == before || made > MOST as u64 => return Some(false),
            _ => {}
        }
    }
}

/// Whether a gzip member ends with the body.
fn gunzips(body: &[u8]) -> bool {
    let mut from = flate2::bufread::GzDecoder::new(body);
    let mut piece = [0; 4096];
    let mut made = 0;
    loop {
        match std::io::Read::read(&mut from, &mut piece) {
            Ok(0) => break,
            Ok(count) => made += count,
            Err(_) => return false,
        }
        if made > MOST {
            return false;
        }
    }
    is_end(from.into_inner().len())
}

/// Whether a frame of Zstandard ends with the body.
fn unzstds(mut body: &[u8]) -> bool {
    let mut decoder = FrameDecoder::new();
    let is_done =
        decoder.init(&mut body).is_ok() && decoder.decode_blocks(&mut body, BlockDecodingStrategy::UptoBytes(MOST)).is_ok();
    is_done && decoder.is_finished() && is_end(body.len())
}

/// The number of bodies that are one zlib stream, in order; 0 if the first is no beginning of one.
pub(super) fn inflated_in_turn(bodies: &[&[u8]]) -> usize {
    let mut state = Decompress::new(true);
    if !bodies.first().is_some_and(|first| is_zlib(first)) {
        return 0;
    }
    for (number, body) in bodies.iter().enumerate() {
        let before = (state.total_in(), state.total_out());
        let is_valid = inflate(&mut state, body) == Some(false);
        if !is_valid || state.total_in() - before.0 != body.len() as u64 || state.total_out() == before.1 {
            return number;
        }
    }
    bodies.len()
}
