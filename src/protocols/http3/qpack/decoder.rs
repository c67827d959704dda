//! Instructions of the decoder stream, which acknowledge sections and insertions.
//!
//! ```text
//! 1 stream:7                          section acknowledgment
//! 01 stream:6                         stream cancellation
//! 00 increment:6                      insert count increment
//! ```

use crate::protocols::http2::hpack::{Cursor, Failed, Step};

pub(in crate::protocols::http3) enum Instruction {
    Acknowledge(u64),
    Cancel(u64),
    Increment(u64),
}

/// Size of the first instruction, if it is complete. A malformed instruction extends to the end.
pub(in crate::protocols::http3) fn size(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Cursor { bytes, at: 0 };
    match cursor.integer(if bytes.first()? & 0x80 != 0 { 7 } else { 6 }) {
        Ok(_) => Some(cursor.at),
        Err(Failed::Short) => None,
        Err(_) => Some(bytes.len()),
    }
}

pub(in crate::protocols::http3) fn read(bytes: &[u8]) -> Step<Instruction> {
    let mut cursor = Cursor { bytes, at: 0 };
    Ok(match bytes.first().copied().unwrap_or_default() {
        0x80.. => Instruction::Acknowledge(cursor.integer(7)?),
        0x40.. => Instruction::Cancel(cursor.integer(6)?),
        _ => Instruction::Increment(cursor.integer(6)?),
    })
}
