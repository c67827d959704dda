//! Earlier packets that later ones refer to, such as requests and address bindings. Recorded only on request.

use super::Time;
use crate::limits;
use std::collections::HashMap;

/// The key of an earlier packet: the name of the relation, then its identifying numbers.
pub type Key = (&'static str, [u64; 6]);

/// An earlier packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierPacket {
    /// The frame number.
    pub frame: u64,
    /// The capture time.
    pub time: Time,
    /// A number from the packet.
    pub value: u64,
}

/// Earlier packets by key. All are dropped when the limit is reached.
#[derive(Debug, Default)]
pub struct EarlierPackets(HashMap<Key, EarlierPacket, foldhash::fast::RandomState>);

impl EarlierPackets {
    /// The packet recorded under this key.
    #[must_use]
    pub fn of(&self, key: &Key) -> Option<EarlierPacket> {
        self.0.get(key).copied()
    }

    /// Records a packet, replacing any earlier one with the same key.
    pub fn keep(&mut self, key: Key, packet: EarlierPacket) {
        if self.0.len() >= limits::EARLIER.get() {
            self.0.clear();
        }
        self.0.insert(key, packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_past_the_limit_are_forgotten() {
        let mut earlier = EarlierPackets::default();
        let key = |number| ("a test", [number, 0, 0, 0, 0, 0]);
        let most = limits::EARLIER.get() as u64;
        for frame in 0..=most {
            earlier.keep(key(frame), EarlierPacket { frame, time: None, value: 7 });
            assert!(earlier.0.len() as u64 <= most);
        }
        assert_eq!(earlier.of(&key(most)).unwrap().frame, most);
        assert_eq!(earlier.of(&key(0)), None);
    }
}
