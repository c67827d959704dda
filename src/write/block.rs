//! Blocks of pcapng, little-endian: numbers, options, padding.

use crate::tree::Timestamp;
use std::io;

/// Type of the block that begins a section.
pub const SECTION: u32 = 0x0a0d_0d0a;
/// Type of the block of an interface.
pub const INTERFACE: u32 = 1;
/// Type of the block of a packet.
pub const PACKET: u32 = 6;
/// Type of the block of secrets.
pub const SECRETS: u32 = 10;
/// Byte order mark of a section.
pub const ORDER: u32 = 0x1a2b_3c4d;

/// Code of the end of options.
pub const END: u16 = 0;
/// Code of a comment.
pub const COMMENT: u16 = 1;
/// Code of the name of an interface.
pub const NAME: u16 = 2;
/// Code of the description of an interface.
pub const DESCRIPTION: u16 = 3;
/// Code of the program, in a section.
pub const APPLICATION: u16 = 4;
/// Code of the resolution of times of an interface.
pub const RESOLUTION: u16 = 9;

/// The program, as the option of a section says it.
pub const PROGRAM: &str = concat!("proto-dissect ", env!("CARGO_PKG_VERSION"));

/// The most bytes of an option, of those that are a multiple of 4.
const OPTION_MOST: usize = 0xfffc;

/// Nanoseconds since 1970; 0 for a time that does not fit.
#[must_use]
pub fn since_1970(time: Timestamp) -> u64 {
    let seconds = u64::try_from(time.seconds).unwrap_or(0);
    seconds.checked_mul(1_000_000_000).and_then(|nanos| nanos.checked_add(time.nanos.into())).unwrap_or(0)
}

/// A length that a block can hold.
///
/// # Errors
/// It cannot.
pub fn length(bytes: &[u8]) -> io::Result<u32> {
    u32::try_from(bytes.len()).map_err(io::Error::other)
}

/// Puts a number behind a block.
pub fn put(block: &mut Vec<u8>, number: u32) {
    block.extend_from_slice(&number.to_le_bytes());
}

/// Puts numbers behind a block, all at once.
pub fn put_all<const N: usize>(block: &mut Vec<u8>, numbers: [u32; N]) {
    block.extend_from_slice(numbers.map(u32::to_le_bytes).as_flattened());
}

/// Pads a block to a multiple of 4.
pub fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}

/// An option; of one that is too long the beginning, cut between characters.
pub fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    let mut end = value.len().min(OPTION_MOST);
    while end < value.len() && value.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    let value = value.get(..end).unwrap_or_default();
    block.extend_from_slice(&code.to_le_bytes());
    block.extend_from_slice(&u16::try_from(end).unwrap_or(u16::MAX).to_le_bytes());
    block.extend_from_slice(value);
    pad(block);
}

/// Begins a block in `out`; returns where.
pub fn begin(out: &mut Vec<u8>, kind: u32) -> usize {
    let from = out.len();
    put(out, kind);
    put(out, 0);
    from
}

/// Ends the block that begins at `from`.
///
/// # Errors
/// It is longer than a block can be.
pub fn end(out: &mut Vec<u8>, from: usize) -> io::Result<()> {
    let whole = u32::try_from(out.len() - from + 4).map_err(io::Error::other)?;
    put(out, whole);
    if let Some(place) = out.get_mut(from + 4..from + 8) {
        place.copy_from_slice(&whole.to_le_bytes());
    }
    Ok(())
}
