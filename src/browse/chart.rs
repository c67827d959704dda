//! Frames over time, and a range that becomes a filter.

use crate::render::{Thousands, seconds};
use std::ops::RangeInclusive;

/// Terminal columns before the first one of the chart.
pub const BESIDE: usize = 14;

/// Frames in equal intervals, with a cursor and a range.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Number of frames in each interval since the first frame. Frames with an earlier time are in the first one.
    pub counts: Vec<u64>,
    /// Length of an interval in nanoseconds.
    interval: i128,
    /// The interval under the cursor.
    pub cursor: usize,
    /// The start of the range; `None` if the range is the cursor only.
    pub anchor: Option<usize>,
}

impl Chart {
    /// Creates a chart; `None` without intervals.
    pub fn new(counts: Vec<u64>, interval: i128) -> Option<Chart> {
        Some(Chart { counts, interval, cursor: 0, anchor: None }).filter(|chart| !chart.counts.is_empty())
    }

    /// Moves the cursor. If `extends`, the range is extended, else removed.
    pub fn step(&mut self, by: isize, extends: bool) {
        if extends {
            self.anchor.get_or_insert(self.cursor);
        }
        self.put(self.cursor.saturating_add_signed(by));
    }

    /// Moves the cursor to an interval.
    pub fn put(&mut self, at: usize) {
        self.cursor = at.min(self.counts.len().saturating_sub(1));
    }

    /// Begins a range at the cursor, or removes it.
    pub fn turn_range(&mut self) {
        self.anchor = match self.anchor {
            Some(_) => None,
            None => Some(self.cursor),
        };
    }

    /// The intervals of the range.
    pub fn range(&self) -> RangeInclusive<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    /// Width of an interval in a chart of this width, at least one.
    pub fn columns(&self, width: usize) -> usize {
        (width / self.counts.len().max(1)).max(1)
    }

    /// The first visible interval in a chart of this width. Intervals wider than a column are all visible.
    pub fn first(&self, width: usize) -> usize {
        (self.cursor + 1).saturating_sub(width.max(1))
    }

    /// Describes the range.
    pub fn words(&self) -> String {
        let (from, to) = self.seconds();
        let frames: u64 = self.counts.get(self.range()).unwrap_or_default().iter().sum();
        format!("{from} to {to} s: {} frames", Thousands(frames))
    }

    /// The filter of the range. Frames with a time before the first frame belong to the first interval.
    pub fn filter(&self) -> String {
        let (from, to) = self.seconds();
        match *self.range().start() {
            0 => format!("frame.time_relative < {to}"),
            _ => format!("frame.time_relative >= {from} && frame.time_relative < {to}"),
        }
    }

    /// Start and end of the range, in seconds since the first frame.
    fn seconds(&self) -> (String, String) {
        let range = self.range();
        let text = |intervals: usize| {
            let mut out = String::new();
            let nanos = self.interval.saturating_mul(i128::try_from(intervals).unwrap_or(i128::MAX));
            // Writing to a string cannot fail.
            let _ = seconds(nanos, 9, &mut out);
            let digits = out.trim_end_matches('0').trim_end_matches('.').len();
            out.truncate(digits);
            out
        };
        (text(*range.start()), text(range.end() + 1))
    }
}
