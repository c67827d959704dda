//! A short way to what was looked for lately.

use super::endpoint::{End, Host};

/// How many places are remembered: a power of two.
const SLOTS: usize = 1 << 8;

/// Where conversations may lie, by a few bits of their ends. Whoever asks has to see whether what lies there is meant.
#[derive(Debug)]
pub(super) struct EndpointCache([u32; SLOTS]);

impl Default for EndpointCache {
    fn default() -> EndpointCache {
        EndpointCache([u32::MAX; SLOTS])
    }
}

impl EndpointCache {
    /// Where a conversation between these ends may lie.
    pub(super) fn get(&self, ends: [End; 2]) -> u32 {
        self.0.get(slot(ends)).copied().unwrap_or(u32::MAX)
    }

    /// It lies there.
    pub(super) fn put(&mut self, ends: [End; 2], place: u32) {
        if let Some(slot) = self.0.get_mut(slot(ends)) {
            *slot = place;
        }
    }
}

/// The same for both directions.
fn slot([a, b]: [End; 2]) -> usize {
    /// The golden ratio, as a fraction of 32 bits: spreads what differs in a few bits.
    const SPREAD: u32 = 0x9e37_79b9;
    let word = |end: End| {
        let host = match end.host {
            Host::Mac([_, _, last @ ..]) | Host::V4(last) => last,
            Host::V6([.., a, b, c, d]) => [a, b, c, d],
        };
        u32::from_be_bytes(host).wrapping_add(end.port.unwrap_or_default().into())
    };
    let both = word(a).wrapping_add(word(b)).wrapping_mul(SPREAD);
    both as usize >> (u32::BITS - SLOTS.ilog2())
}
