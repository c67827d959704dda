//! What is missing, strange or broken.

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
    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        let tree = of.tree;
        for gap in &tree.gaps {
            self.gaps += 1;
            self.lost = self.lost.saturating_add(gap.len);
        }
        for note in &tree.notes {
            match self.remarks.iter_mut().find(|remark| remark.code.is(note.code)) {
                Some(remark) => remark.count += 1,
                None => self.remarks.push(Remark { code: note.code, level: level_of(note), count: 1, first: tree.frame.number }),
            }
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
