//! Blocks of pcapng, little-endian: numbers, options, padding.

use crate::tree::{Side, Timestamp};
use std::io;

/// Section header block.
pub const SECTION: u32 = 0x0a0d_0d0a;
/// Interface description block.
pub const INTERFACE: u32 = 1;
/// Enhanced packet block.
pub const PACKET: u32 = 6;
/// Decryption secrets block.
pub const SECRETS: u32 = 10;
/// Byte-order magic of a section.
pub const ORDER: u32 = 0x1a2b_3c4d;

/// Option `opt_endofopt`.
pub const END: u16 = 0;
/// Option `opt_comment`.
pub const COMMENT: u16 = 1;
/// Option `epb_flags`.
pub const FLAGS: u16 = 2;
/// Option `if_name`.
pub const NAME: u16 = 2;
/// Option `if_description`.
pub const DESCRIPTION: u16 = 3;
/// Option `shb_userappl`.
pub const APPLICATION: u16 = 4;
/// Option `if_tsresol`.
pub const RESOLUTION: u16 = 9;

/// Value of `shb_userappl`.
pub const PROGRAM: &str = concat!("proto-dissect ", env!("CARGO_PKG_VERSION"));

/// Maximum length of an option, a multiple of 4.
const OPTION_MOST: usize = 0xfffc;

/// Nanoseconds since 1970; 0 if out of range.
pub fn since_1970(time: Timestamp) -> u64 {
    let seconds = u64::try_from(time.seconds).unwrap_or(0);
    seconds.checked_mul(1_000_000_000).and_then(|nanos| nanos.checked_add(time.nanos.into())).unwrap_or(0)
}

/// The direction in `epb_flags`: what the client sent is outbound, as in hex text.
pub const fn direction(sender: Side) -> u32 {
    match sender {
        Side::Client => 2,
        Side::Server => 1,
    }
}

/// Converts a length to 32 bits.
///
/// # Errors
/// The length is too large.
pub fn length(bytes: &[u8]) -> io::Result<u32> {
    u32::try_from(bytes.len()).map_err(io::Error::other)
}

/// Appends a number.
pub fn put(block: &mut Vec<u8>, number: u32) {
    block.extend_from_slice(&number.to_le_bytes());
}

/// Appends several numbers.
pub fn put_all<const N: usize>(block: &mut Vec<u8>, numbers: [u32; N]) {
    block.extend_from_slice(numbers.map(u32::to_le_bytes).as_flattened());
}

/// Pads a block to a multiple of 4.
pub fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}

/// Appends an option, truncated between characters if it is too long.
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

/// Starts a block in `out`. Returns its offset.
pub fn begin(out: &mut Vec<u8>, kind: u32) -> usize {
    let from = out.len();
    put(out, kind);
    put(out, 0);
    from
}

/// Ends the block that starts at `from`.
///
/// # Errors
/// The block is too long.
pub fn end(out: &mut Vec<u8>, from: usize) -> io::Result<()> {
    let whole = u32::try_from(out.len() - from + 4).map_err(io::Error::other)?;
    put(out, whole);
    if let Some(place) = out.get_mut(from + 4..from + 8) {
        place.copy_from_slice(&whole.to_le_bytes());
    }
    Ok(())
}
