//! Total traffic: frames, bytes, sizes and times.

use crate::tree::{FrameInfo, Time, Timestamp};
use std::ops::Range;

/// Maximum number of intervals; beyond that, adjacent intervals are merged.
const INTERVALS: usize = 512;

/// Initial interval in nanoseconds.
const FINEST: i128 = 1_000_000;

/// Frames and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub frames: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl Count {
    pub(super) fn add(&mut self, bytes: u64) {
        self.frames += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(super) fn join(&mut self, other: Count) {
        self.frames += other.frames;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Total traffic.
#[derive(Debug)]
pub struct Traffic {
    /// Frames, and bytes on the wire.
    pub all: Count,
    /// Captured bytes.
    pub captured: u64,
    /// Truncated frames.
    pub cut: u64,
    /// Lengths of the shortest and the longest frame.
    pub sizes: Option<(u32, u32)>,
    /// Time of the first frame in the file.
    pub start: Time,
    /// Earliest time.
    pub first: Time,
    /// Latest time.
    pub last: Time,
    /// Interval in nanoseconds.
    pub interval: i128,
    /// Traffic per interval since the first frame.
    pub over_time: Vec<Count>,
    /// Frames with a time before the first frame.
    pub early: u64,
    /// Index, start and end of the interval of the last frame, in nanoseconds since the first frame, limited to 64 bits.
    latest: (usize, Range<i64>),
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic {
            all: Count::default(),
            captured: 0,
            cut: 0,
            sizes: None,
            start: None,
            first: None,
            last: None,
            interval: FINEST,
            over_time: Vec::with_capacity(INTERVALS),
            early: 0,
            latest: (0, 0..0),
        }
    }
}

impl Traffic {
    /// Counts a frame. Returns its time since the first frame in nanoseconds.
    pub(super) fn frame(&mut self, frame: &FrameInfo) -> Option<i64> {
        self.all.add(frame.original.into());
        self.captured += u64::from(frame.captured);
        self.cut += u64::from(frame.captured < frame.original);
        let (least, most) = self.sizes.get_or_insert((frame.original, frame.original));
        (*least, *most) = ((*least).min(frame.original), (*most).max(frame.original));
        let time = frame.time?;
        let start = *self.start.get_or_insert(time);
        let (first, last) = (self.first.get_or_insert(time), self.last.get_or_insert(time));
        if time > *last {
            *last = time;
        } else if time < *first {
            *first = time;
        }
        let since = time.nanos_since(start);
        self.at(since, time, start, frame.original.into());
        Some(since)
    }

    /// Records the time of an excluded frame, because times are relative to the first frame anyway.
    pub(super) fn pass(&mut self, frame: &FrameInfo) {
        self.start = self.start.or(frame.time);
    }

    fn at(&mut self, since: i64, time: Timestamp, start: Timestamp, bytes: u64) {
        let (latest, when) = &self.latest;
        match self.over_time.get_mut(*latest).filter(|_| when.contains(&since)) {
            Some(count) => count.add(bytes),
            None => self.elsewhen(time.since(start), bytes),
        }
    }

    /// Counts a frame in another interval than the previous one.
    #[inline(never)]
    fn elsewhen(&mut self, since: i128, bytes: u64) {
        let since_start = since.max(0);
        let mut place = self.place(since_start);
        while place >= INTERVALS {
            self.coarser();
            place = self.place(since_start);
        }
        self.early += u64::from(since < 0);
        if self.over_time.len() <= place {
            self.over_time.resize(place + 1, Count::default());
        }
        if let Some(count) = self.over_time.get_mut(place) {
            count.add(bytes);
            let times = [place, place + 1].map(|place| self.interval * place as i128);
            let [begin, end] = times.map(|time| i64::try_from(time).unwrap_or(i64::MAX));
            self.latest = (place, begin..end);
        }
    }

    /// Interval of a time.
    fn place(&self, since_start: i128) -> usize {
        // Division is many times faster with 64 bits.
        let place = match (u64::try_from(since_start), u64::try_from(self.interval)) {
            (Ok(since_start), Ok(interval)) => usize::try_from(since_start / interval).ok(),
            _ => usize::try_from(since_start / self.interval).ok(),
        };
        place.unwrap_or(usize::MAX)
    }

    /// Merges adjacent intervals.
    fn coarser(&mut self) {
        self.interval *= 2;
        let half = self.over_time.len().div_ceil(2);
        for place in 0..half {
            let mut joined = Count::default();
            for old in self.over_time.iter().skip(2 * place).take(2) {
                joined.join(*old);
            }
            if let Some(count) = self.over_time.get_mut(place) {
                *count = joined;
            }
        }
        self.over_time.truncate(half);
    }

    /// Nanoseconds from the earliest to the latest frame.
    pub fn duration(&self) -> Option<i128> {
        Some(self.last?.since(self.first?))
    }

    /// Traffic in at most `most` intervals of equal length, and their length in nanoseconds.
    pub fn in_intervals(&self, most: usize) -> (Vec<Count>, i128) {
        let together = self.over_time.len().div_ceil(most.max(1)).max(1);
        let joined = self.over_time.chunks(together).map(|part| {
            let mut all = Count::default();
            part.iter().for_each(|count| all.join(*count));
            all
        });
        (joined.collect(), self.interval * together as i128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(millis: &[i64]) -> Traffic {
        let mut traffic = Traffic::default();
        for millis in millis {
            let nanos = u32::try_from(millis.rem_euclid(1000)).unwrap() * 1_000_000;
            let time = Some(Timestamp { seconds: millis.div_euclid(1000), nanos });
            traffic.frame(&FrameInfo { time, original: 100, captured: 60, ..FrameInfo::default() });
        }
        traffic
    }

    #[test]
    fn intervals_grow_and_lose_nothing() {
        let traffic = traffic(&[0, 1, 2, 511, 512, 100_000, 3, -7, i64::MAX / 1000]);
        let (counts, _) = traffic.in_intervals(20);
        assert!(counts.len() <= 20 && traffic.over_time.len() <= INTERVALS);
        assert_eq!(counts.iter().map(|count| count.frames).sum::<u64>(), 9);
        assert_eq!((traffic.early, traffic.cut, traffic.captured), (1, 9, 540));
    }

    #[test]
    fn short_captures_have_fine_intervals() {
        let traffic = traffic(&[0, 5, 5]);
        assert_eq!(traffic.interval, FINEST);
        assert_eq!(traffic.over_time.iter().map(|count| count.frames).collect::<Vec<_>>(), [1, 0, 0, 0, 0, 2]);
        assert_eq!(traffic.duration(), Some(5_000_000));
    }
}
