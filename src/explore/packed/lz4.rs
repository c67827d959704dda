//! Blocks of LZ4: literals and copies of what is before them.

/// Fewest bytes of a block that are copied.
const COPIED: usize = 4;

/// Whether these bytes are a block from the first to the last, and some of it are copies. The block is checked without its
/// contents, as only lengths and distances can be wrong.
pub(super) fn is_block(mut bytes: &[u8], most: usize) -> bool {
    let (mut made, mut copied) = (0_usize, 0_usize);
    loop {
        let Some((token, rest)) = bytes.split_first() else { return false };
        bytes = rest;
        let Some(literals) = length(usize::from(token >> 4), &mut bytes) else { return false };
        let Some(rest) = bytes.get(literals..) else { return false };
        bytes = rest;
        made += literals;
        // The last sequence has literals only: at least five.
        if bytes.is_empty() {
            return token & 15 == 0 && copied >= COPIED && literals >= 5;
        }
        let Some((distance, rest)) = bytes.split_first_chunk::<2>() else { return false };
        bytes = rest;
        let distance = usize::from(u16::from_le_bytes(*distance));
        let Some(copy) = length(usize::from(token & 15), &mut bytes) else { return false };
        if distance == 0 || distance > made || made > most {
            return false;
        }
        made += copy + 4;
        copied += copy + 4;
    }
}

/// A length that continues in bytes of 255.
fn length(short: usize, bytes: &mut &[u8]) -> Option<usize> {
    let mut all = short;
    if short < 15 {
        return Some(all);
    }
    loop {
        let (next, rest) = bytes.split_first()?;
        *bytes = rest;
        all += usize::from(*next);
        if *next < 255 {
            return Some(all);
        }
    }
}
