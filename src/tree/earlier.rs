//! What earlier packets said that later ones are compared with: who asked, who had an address. Kept only where somebody asks.

use super::Time;
use crate::limits;
use std::collections::HashMap;

/// What a packet is known by: the name of the relation, then what tells it from others.
pub type Key = (&'static str, [u64; 6]);

/// An earlier packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Its frame.
    pub frame: u64,
    /// When that was captured.
    pub time: Time,
    /// A number that it said.
    pub told: u64,
}

/// Packets by what they are known by. All are forgotten when they become too many.
#[derive(Debug, Default)]
pub struct Earlier(HashMap<Key, Moment, foldhash::fast::RandomState>);

impl Earlier {
    /// The packet that this was kept of.
    #[must_use]
    pub fn of(&self, key: &Key) -> Option<Moment> {
        self.0.get(key).copied()
    }

    /// Keep a packet in place of the one that was known by the same.
    pub fn keep(&mut self, key: Key, moment: Moment) {
        if self.0.len() >= limits::EARLIER.get() {
            self.0.clear();
        }
        self.0.insert(key, moment);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may")]
mod tests {
    use super::*;

    #[test]
    fn packets_past_the_limit_are_forgotten() {
        let mut earlier = Earlier::default();
        let key = |number| ("a test", [number, 0, 0, 0, 0, 0]);
        let most = limits::EARLIER.get() as u64;
        for frame in 0..=most {
            earlier.keep(key(frame), Moment { frame, time: None, told: 7 });
            assert!(earlier.0.len() as u64 <= most);
        }
        assert_eq!(earlier.of(&key(most)).unwrap().frame, most);
        assert_eq!(earlier.of(&key(0)), None);
    }
}
