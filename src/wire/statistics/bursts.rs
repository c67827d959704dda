//! The largest number of packets in a short window, as in tshark's columns `Burst Rate` and `Burst Start`.

use std::collections::VecDeque;

/// Length of the window, and of the slots in it, in milliseconds.
pub const WINDOW: f64 = 100.0;
const SLOT: f64 = 5.0;

/// Slots per window.
const SLOTS: f64 = WINDOW / SLOT;

/// Packets of a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    number: f64,
    count: u64,
    /// Milliseconds since the first frame.
    start: f64,
}

/// The largest burst so far, and the slots of the current window.
#[derive(Debug, Clone, Default)]
pub struct Bursts {
    slots: VecDeque<Slot>,
    count: u64,
    most: u64,
    start: f64,
}

impl Bursts {
    /// Packets of the largest burst and its start in milliseconds; `None` without packets.
    #[must_use]
    pub fn largest(&self) -> Option<(u64, f64)> {
        (self.most > 0).then_some((self.most, self.start))
    }

    /// Counts a packet at a time in milliseconds since the first frame.
    pub fn add(&mut self, now: f64) {
        if self.slots.is_empty() {
            // In tshark, each window begins with an empty slot at the first frame.
            self.slots.push_back(Slot::default());
        }
        let slot = Slot { number: (now / SLOT).floor(), count: 1, start: now };
        let (Some(first), Some(last)) = (self.slots.front().copied(), self.slots.back().copied()) else { return };
        if slot.number > last.number {
            self.slots.push_back(slot);
            self.count += 1;
            while let Some(old) = self.slots.front().filter(|first| slot.number >= first.number + SLOTS) {
                self.count = self.count.saturating_sub(old.count);
                self.slots.pop_front();
            }
        } else if slot.number >= first.number {
            self.within(slot);
            self.count += 1;
        } else if slot.number + SLOTS > last.number {
            self.slots.push_front(slot);
            self.count += 1;
        }
        if self.count > self.most {
            self.most = self.count;
            self.start = self.slots.front().map_or(0.0, |first| first.start);
        }
    }

    /// Counts a packet between the first and the last slot. There are at most twenty.
    fn within(&mut self, slot: Slot) {
        let place = self.slots.iter().rposition(|known| known.number <= slot.number).unwrap_or_default();
        match self.slots.get_mut(place) {
            Some(known) if known.number == slot.number => {
                known.count += 1;
                known.start = known.start.min(slot.start);
            }
            _ => self.slots.insert(place + 1, slot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest(times: &[f64]) -> Option<(u64, f64)> {
        let mut bursts = Bursts::default();
        times.iter().for_each(|time| bursts.add(*time));
        assert!(bursts.slots.len() <= 21);
        bursts.largest()
    }

    #[test]
    fn a_burst_is_the_most_packets_within_a_tenth_of_a_second() {
        assert_eq!(largest(&[]), None);
        assert_eq!(largest(&[911.3]), Some((1, 911.3)));
        assert_eq!(largest(&[200.0, 250.0, 299.9, 300.0, 1000.0]), Some((3, 200.0)));
        // The empty slot at the start belongs to the first window.
        assert_eq!(largest(&[50.0, 60.0]), Some((2, 0.0)));
        assert_eq!(largest(&[200.0, 250.0, 199.0, 230.0, 231.0, 700.0]), Some((5, 199.0)));
        let long: Vec<f64> = (0..10_000).map(|at| f64::from(at) * 7.5).collect();
        assert!(largest(&long).is_some_and(|(count, _)| count == 14));
    }
}
