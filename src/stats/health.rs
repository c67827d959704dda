//! What is missing, strange or broken.

use crate::layers::tcp;
use crate::record::level_of;
use crate::tree::{Dissection, Field, Level};

/// How often there was a remark.
#[derive(Debug, Clone, Copy)]
pub struct Remark {
    /// Its code.
    pub code: &'static Field,
    /// How serious it is.
    pub level: Level,
    /// How often.
    pub count: u64,
    /// The frame that had it first.
    pub first: u64,
}

/// What is missing, strange or broken in a capture.
#[derive(Debug, Default)]
pub struct Health {
    /// Gaps: runs of stream bytes missing from the capture.
    pub gaps: u64,
    /// Their bytes.
    pub lost: u64,
    remarks: Vec<Remark>,
}

impl Health {
    /// The fields that it reads: marks of the TCP analysis.
    pub(super) fn fields_read() -> impl Iterator<Item = &'static Field> {
        tcp::MARKS.iter().copied().chain([&tcp::ANALYSIS])
    }

    /// Count the marks of a segment.
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

    /// The remarks, the gravest and commonest first.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        let mut remarks = self.remarks.clone();
        remarks.sort_by_key(|remark| std::cmp::Reverse((remark.level, remark.count)));
        remarks
    }
}
