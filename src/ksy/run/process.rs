//! `process`: bytes that are transformed before they are parsed.

use super::value::V;
use flate2::{Decompress, FlushDecompress, Status};

/// Arguments of a custom processor.
pub(in crate::ksy) struct Arguments<'a> {
    pub(super) values: &'a [V],
    pub(super) bytes_of: &'a dyn Fn(V) -> Vec<u8>,
}

impl Arguments<'_> {
    /// An argument as an integer.
    pub(in crate::ksy) fn int(&self, at: usize) -> Option<i128> {
        match self.values.get(at)? {
            V::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// An argument as a boolean.
    pub(in crate::ksy) fn bool(&self, at: usize) -> Option<bool> {
        match self.values.get(at)? {
            V::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// An argument as bytes.
    pub(in crate::ksy) fn bytes(&self, at: usize) -> Option<Vec<u8>> {
        let value = *self.values.get(at)?;
        matches!(value, V::Bytes(_)).then(|| (self.bytes_of)(value))
    }
}

/// A custom processor of the program.
pub(in crate::ksy) trait Processor: Sync {
    /// Its name in files.
    fn name(&self) -> &'static str;

    /// Transforms bytes; an error states which argument is wrong.
    fn process(&self, bytes: &[u8], arguments: &Arguments<'_>) -> Result<Vec<u8>, &'static str>;
}

/// The available processors: those of Kaitai's tests, as examples.
pub(in crate::ksy) static PROCESSORS: &[&dyn Processor] =
    &[&Shift, &Framed("custom_fx_no_args"), &Framed("nested.deeply.custom_fx")];

/// The processor with this name.
pub(in crate::ksy) fn processor(name: &str) -> Option<&'static dyn Processor> {
    PROCESSORS.iter().copied().find(|known| known.name() == name)
}

/// `my_custom_fx(key, flag, bytes)`: adds the key to each byte, or subtracts it if the flag is false.
struct Shift;

impl Processor for Shift {
    fn name(&self) -> &'static str {
        "my_custom_fx"
    }

    fn process(&self, bytes: &[u8], arguments: &Arguments<'_>) -> Result<Vec<u8>, &'static str> {
        let key = arguments.int(0).and_then(|key| u8::try_from(key & 0xff).ok()).ok_or("the first argument is no integer")?;
        let adds = arguments.bool(1).ok_or("the second argument is no boolean")?;
        arguments.bytes(2).ok_or("the third argument is no bytes")?;
        let key = if adds { key } else { key.wrapping_neg() };
        Ok(bytes.iter().map(|byte| byte.wrapping_add(key)).collect())
    }
}

/// Adds `_` before and after the bytes.
struct Framed(&'static str);

impl Processor for Framed {
    fn name(&self) -> &'static str {
        self.0
    }

    fn process(&self, bytes: &[u8], _: &Arguments<'_>) -> Result<Vec<u8>, &'static str> {
        Ok([b"_", bytes, b"_"].concat())
    }
}

/// Exclusive or with a repeated key.
pub(super) fn xor(bytes: &[u8], key: &[u8]) -> Vec<u8> {
    match key {
        [] => bytes.to_vec(),
        key => bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect(),
    }
}

/// Rotates each byte left by this many bits; right if negative.
pub(super) fn rotate_left(bytes: &[u8], bits: i128) -> Vec<u8> {
    let bits = u32::try_from(bits.rem_euclid(8)).unwrap_or_default();
    bytes.iter().map(|byte| byte.rotate_left(bits)).collect()
}

/// Why a zlib stream was not decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotInflated {
    /// It is malformed or truncated after this many bytes.
    Damaged(usize),
    /// Its content exceeds the limit.
    TooLong,
}

/// The content of a zlib stream, if it is at most `most` bytes long.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Result<Vec<u8>, NotInflated> {
    /// Initial size of the buffer, and maximum growth.
    const STEP: usize = 1 << 16;
    let mut inflate = Decompress::new(true);
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len().saturating_mul(2).clamp(64, STEP).min(most.max(1)));
    loop {
        let read = usize::try_from(inflate.total_in()).unwrap_or(usize::MAX);
        let before = out.len();
        let status = inflate.decompress_vec(bytes.get(read..).unwrap_or_default(), &mut out, FlushDecompress::Finish);
        match status {
            Ok(Status::StreamEnd) if out.len() <= most => return Ok(out),
            Ok(_) if out.len() > most => return Err(NotInflated::TooLong),
            // The end of the stream may need no further byte.
            Ok(_) if out.len() == out.capacity() => out.reserve(out.len().min(STEP).min(most - out.len()).max(1)),
            Ok(_) if out.len() > before => {}
            Ok(_) | Err(_) => return Err(NotInflated::Damaged(out.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bytes_are_xored_and_rotated() {
        assert_eq!(xor(&[0x00, 0xff, 0x0f], &[0xf0]), [0xf0, 0x0f, 0xff]);
        assert_eq!(xor(&[1, 2, 3], &[1, 2]), [0, 0, 2]);
        assert_eq!(xor(&[1], &[]), [1]);
        assert_eq!(rotate_left(&[0b1000_0001], 1), [0b0000_0011]);
        assert_eq!(rotate_left(&[0b1000_0001], -1), [0b1100_0000]);
        assert_eq!(rotate_left(&[0x12], 8), [0x12]);
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let packed = deflated(&vec![0; 1 << 20]);
        assert_eq!(inflate(&packed, 1 << 20).map(|bytes| bytes.len()), Ok(1 << 20));
        assert_eq!(inflate(&packed, (1 << 20) - 1), Err(NotInflated::TooLong));
        assert_eq!(inflate(packed.get(..packed.len() - 5).unwrap(), 1 << 20), Err(NotInflated::Damaged(1 << 20)));
        assert_eq!(inflate(&[0x78], 9), Err(NotInflated::Damaged(0)));
        assert_eq!(inflate(&deflated(b""), 0), Ok(Vec::new()));
    }

    #[test]
    fn processors_check_their_arguments() {
        let fx = processor("my_custom_fx").unwrap();
        let right = [V::Int(0x20), V::Bool(false), V::Bytes(super::super::value::Blob::default())];
        let bytes_of = |_| vec![0];
        assert_eq!(fx.process(&[0x21], &Arguments { values: &right, bytes_of: &bytes_of }), Ok(vec![1]));
        assert!(fx.process(&[0x21], &Arguments { values: &right[..1], bytes_of: &bytes_of }).is_err());
        let framed = processor("nested.deeply.custom_fx").unwrap();
        assert_eq!(framed.process(b"a", &Arguments { values: &[], bytes_of: &bytes_of }), Ok(b"_a_".to_vec()));
        assert!(processor("unknown").is_none());
    }
}
