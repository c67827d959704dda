//! Frames over time, of which a range becomes a filter.

use crate::render::{Thousands, seconds};
use std::ops::RangeInclusive;

/// Terminal columns before the first one of the chart.
pub const BESIDE: usize = 14;

/// Frames in intervals of equal length, with a cursor and a range.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Frames in each interval since the first frame. Those with a time before it are in the first one.
    pub counts: Vec<u64>,
    /// Nanoseconds of an interval.
    interval: i128,
    /// The interval under the cursor.
    pub cursor: usize,
    /// Where the range begins; none while the cursor is all of it.
    pub anchor: Option<usize>,
}

impl Chart {
    /// A chart of at least one interval; `None` if there is none.
    #[must_use]
    pub fn new(counts: Vec<u64>, interval: i128) -> Option<Chart> {
        Some(Chart { counts, interval, cursor: 0, anchor: None }).filter(|chart| !chart.counts.is_empty())
    }

    /// Moves the cursor. A range is begun, kept or left.
    pub fn step(&mut self, by: isize, extends: bool) {
        if extends {
            self.anchor.get_or_insert(self.cursor);
        }
        self.put(self.cursor.saturating_add_signed(by));
    }

    /// Puts the cursor on an interval.
    pub fn put(&mut self, at: usize) {
        self.cursor = at.min(self.counts.len().saturating_sub(1));
    }

    /// Begins a range at the cursor, or leaves it.
    pub fn turn_range(&mut self) {
        self.anchor = match self.anchor {
            Some(_) => None,
            None => Some(self.cursor),
        };
    }

    /// The intervals of the range.
    #[must_use]
    pub fn range(&self) -> RangeInclusive<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    /// Columns of an interval where the chart has so many, at least one.
    #[must_use]
    pub fn columns(&self, width: usize) -> usize {
        (width / self.counts.len().max(1)).max(1)
    }

    /// The first interval that is visible where the chart has so many columns.
    #[must_use]
    pub fn first(&self, width: usize) -> usize {
        (self.cursor + 1).saturating_sub((width / self.columns(width)).max(1))
    }

    /// What the range is, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let (from, to) = self.seconds();
        let frames: u64 = self.counts.get(self.range()).unwrap_or_default().iter().sum();
        format!("{from} to {to} s: {} frames", Thousands(frames))
    }

    /// The filter of the range. Frames with a time before the first one belong to the first interval.
    #[must_use]
    pub fn filter(&self) -> String {
        let (from, to) = self.seconds();
        match *self.range().start() {
            0 => format!("frame.time_relative < {to}"),
            _ => format!("frame.time_relative >= {from} && frame.time_relative < {to}"),
        }
    }

    /// Where the range begins and ends, in seconds since the first frame.
    fn seconds(&self) -> (String, String) {
        let range = self.range();
        let text = |intervals: usize| {
            let mut out = String::new();
            let nanos = self.interval.saturating_mul(i128::try_from(intervals).unwrap_or(i128::MAX));
            // Writing to a String does not fail.
            let _ = seconds(nanos, 9, &mut out);
            let digits = out.trim_end_matches('0').trim_end_matches('.').len();
            out.truncate(digits);
            out
        };
        (text(*range.start()), text(range.end() + 1))
    }
}
