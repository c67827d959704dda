//! Decompression of messages, with Snappy, zlib or Zstandard.
//!
//! ```text
//! Snappy      length:7 bits per byte | element …
//! element     0:2 bits | length - 1:6 bits, from 60 on in 1 to 4 further bytes | bytes
//!             1:2 bits | length - 4:3 bits | distance:3 bits | distance:1
//!             2:2 bits | length - 1:6 bits | distance:2
//!             3:2 bits | length - 1:6 bits | distance:4
//! ```
//! Source: the format description of Snappy.

use crate::wire::Varint;
use flate2::read::ZlibDecoder;
use ruzstd::decoding::StreamingDecoder;
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

    /// Decompressed data, if valid and of at most this many bytes.
    pub(super) fn decompressed(self, data: &[u8], most: usize) -> Option<Vec<u8>> {
        match self {
            Method::Snappy => unsnappy(data, most),
            Method::Zlib => all(ZlibDecoder::new(data), most),
            Method::Zstandard => all(StreamingDecoder::new(data).ok()?, most),
        }
    }
}

fn all(decoder: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more byte detects a stream that exceeds the limit.
    let limit = u64::try_from(most).ok()?.saturating_add(1);
    decoder.take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

fn unsnappy(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let (length, mut rest) = Varint::split(data, 5)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= most)?;
    let mut bytes = Vec::new();
    while let Some((tag, after)) = rest.split_first() {
        rest = after;
        let high = usize::from(tag >> 2);
        let (count, distance) = match tag & 3 {
            0 => (literal_length(high, &mut rest)?, None),
            1 => ((high & 7) + 4, Some((high >> 3) << 8 | number(&mut rest, 1)?)),
            2 => (high + 1, Some(number(&mut rest, 2)?)),
            _ => (high + 1, Some(number(&mut rest, 4)?)),
        };
        if bytes.len().saturating_add(count) > length {
            return None;
        }
        match distance {
            None => bytes.extend_from_slice(rest.split_off(..count)?),
            Some(distance) => repeat(&mut bytes, distance, count)?,
        }
    }
    (bytes.len() == length).then_some(bytes)
}

fn literal_length(high: usize, rest: &mut &[u8]) -> Option<usize> {
    match high {
        0..60 => Some(high + 1),
        _ => number(rest, high - 59)?.checked_add(1),
    }
}

/// The little-endian number in the next bytes.
fn number(rest: &mut &[u8], size: usize) -> Option<usize> {
    let bytes = rest.split_off(..size)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// Appends bytes from this distance before the end, also those that this call appends.
fn repeat(bytes: &mut Vec<u8>, distance: usize, count: usize) -> Option<()> {
    let start = bytes.len().checked_sub(distance).filter(|_| distance > 0)?;
    for at in start..start + count {
        bytes.push(*bytes.get(at)?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_elements_of_snappy_are_decompressed() {
        let block = b"\x18\x10maren\x01\x05\x0e\x02\0\x0f\x0a\0\0\0\xf0\x06mustela";
        assert_eq!(unsnappy(block, 24).as_deref(), Some(&b"marenmarerereenmamustela"[..]));
        assert_eq!(unsnappy(block, 23), None);
    }

    #[test]
    fn damaged_blocks_are_refused() {
        for block in
            [&b""[..], b"\x05", b"\x05\x10mare", b"\x05\x05\x01", b"\x06\x10maren", b"\x04\x10maren", b"\x09\x10maren\x01\0"]
        {
            assert_eq!(unsnappy(block, 99), None, "{block:?}");
        }
    }
}
