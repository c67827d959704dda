//! Finds the last line of a file that matches a conversation, without visiting the others.

use super::conditions::{Conditions, Pattern};
use std::collections::{BTreeMap, HashMap};

/// The lines of one protocol and name.
#[derive(Default)]
pub(super) struct Index(HashMap<Pattern, Windows>);

/// The lines of one pattern.
#[derive(Default)]
struct Windows {
    /// The last line without times.
    timeless: Option<u32>,
    /// The last line that matches from this time on, until the next entry.
    starts: BTreeMap<i128, Option<u32>>,
}

impl Index {
    /// Adds a line behind all others.
    pub(super) fn add(&mut self, conditions: &Conditions, line: u32) {
        self.0.entry(conditions.pattern).or_default().add(conditions, line);
    }

    /// The last line that matches one of the patterns at a time.
    pub(super) fn last(&self, patterns: impl Iterator<Item = Pattern>, time: Option<i128>) -> Option<u32> {
        patterns.filter_map(|pattern| self.0.get(&pattern)?.at(time)).max()
    }
}

impl Windows {
    fn add(&mut self, conditions: &Conditions, line: u32) {
        if conditions.from.is_none() && conditions.until.is_none() {
            // Earlier lines are never found again.
            self.starts.clear();
            self.timeless = Some(line);
            return;
        }
        let from = conditions.from.unwrap_or(i128::MIN);
        if let Some(until) = conditions.until {
            let behind = self.timed(until);
            self.starts.insert(until, behind);
            let covered: Vec<i128> = self.starts.range(from..until).map(|(start, _)| *start).collect();
            for start in covered {
                self.starts.remove(&start);
            }
        } else {
            drop(self.starts.split_off(&from));
        }
        self.starts.insert(from, Some(line));
    }

    /// The last line with times that matches.
    fn timed(&self, time: i128) -> Option<u32> {
        self.starts.range(..=time).next_back().and_then(|(_, line)| *line)
    }

    fn at(&self, time: Option<i128>) -> Option<u32> {
        time.and_then(|time| self.timed(time)).max(self.timeless)
    }
}
