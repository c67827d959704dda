//! Cache of recent lookups.

use super::endpoint::{End, Host};
use crate::tree::{Side, UsbEnd};

/// Number of slots, a power of two.
const SLOTS: usize = 1 << 8;

/// Indices of conversations by a few hash bits of their ends. The caller has to verify the conversation.
#[derive(Debug)]
pub(super) struct EndpointCache([u32; SLOTS]);

impl Default for EndpointCache {
    fn default() -> EndpointCache {
        EndpointCache([u32::MAX; SLOTS])
    }
}

impl EndpointCache {
    /// Candidate index of the conversation between these ends.
    pub(super) fn get(&self, ends: [End; 2]) -> u32 {
        self.0.get(slot(ends)).copied().unwrap_or(u32::MAX)
    }

    /// Stores an index.
    pub(super) fn put(&mut self, ends: [End; 2], place: u32) {
        if let Some(slot) = self.0.get_mut(slot(ends)) {
            *slot = place;
        }
    }
}

/// Hash, equal for both directions.
fn slot([a, b]: [End; 2]) -> usize {
    /// The golden ratio as a 32-bit fraction (Fibonacci hashing).
    const SPREAD: u32 = 0x9e37_79b9;
    let word = |end: End| {
        let host = match end.host {
            Host::Mac([_, _, last @ ..]) | Host::V4(last) => last,
            Host::V6([.., a, b, c, d]) => [a, b, c, d],
            Host::Usb(UsbEnd::Host) => [0; 4],
            Host::Usb(UsbEnd::Endpoint { device, number, .. }) => {
                let [high, low] = device.to_be_bytes();
                [1, high, low, number]
            }
            Host::Side(side) => [0, 0, 0, u8::from(side == Side::Server)],
        };
        u32::from_be_bytes(host).wrapping_add(end.port.unwrap_or_default().into())
    };
    let both = word(a).wrapping_add(word(b)).wrapping_mul(SPREAD);
    both as usize >> (u32::BITS - SLOTS.ilog2())
}
