//! Gaps, malformed messages, notes and TCP analysis.

use crate::layers::tcp;
use crate::record::level_of;
use crate::tree::{Dissection, Field, Level};

/// Count of a note.
#[derive(Debug, Clone, Copy)]
pub struct Remark {
    /// Code.
    pub code: &'static Field,
    /// Level.
    pub level: Level,
    /// Number of occurrences.
    pub count: u64,
    /// First frame with it.
    pub first: u64,
}

/// Health of a capture.
#[derive(Debug, Default)]
pub struct Health {
    /// Number of gaps in streams.
    pub gaps: u64,
    /// Number of missing bytes.
    pub lost: u64,
    remarks: Vec<Remark>,
}

impl Health {
    /// Required fields: flags of the TCP analysis.
    pub(super) fn fields_read() -> impl Iterator<Item = &'static Field> {
        tcp::MARKS.iter().copied().chain([&tcp::ANALYSIS])
    }

    /// Counts the TCP analysis flags of a segment.
    pub(super) fn marks(&mut self, of: Dissection<'_>) {
        let tree = of.tree;
        for (place, group) in tree.nodes.iter().enumerate().filter(|(_, node)| node.field.is(&tcp::ANALYSIS)) {
            let below = tree.nodes.get(place + 1..group.end as usize).unwrap_or_default();
            for mark in below.iter().filter(|node| tcp::MARKS.iter().any(|mark| mark.is(node.field))) {
                self.add(mark.field, Level::Odd, tree.frame.number);
            }
        }
    }

    fn add(&mut self, code: &'static Field, level: Level, frame: u64) {
        match self.remarks.iter_mut().find(|remark| remark.code.is(code)) {
            Some(remark) => remark.count += 1,
            None => self.remarks.push(Remark { code, level, count: 1, first: frame }),
        }
    }

    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        let tree = of.tree;
        for gap in &tree.gaps {
            self.gaps += 1;
            self.lost = self.lost.saturating_add(gap.len);
        }
        for note in &tree.notes {
            self.add(note.code, level_of(note), tree.frame.number);
        }
    }

    /// Notes, by descending level and count.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        let mut remarks = self.remarks.clone();
        remarks.sort_by_key(|remark| std::cmp::Reverse((remark.level, remark.count)));
        remarks
    }
}
