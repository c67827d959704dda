//! Gaps, malformed messages, notes and TCP analysis.

use crate::layers::tcp;
use crate::record::level_of;
use crate::tree::{AnalysisFlags, Dissection, Field, Level};

#[derive(Debug, Clone, Copy)]
pub struct NoteCount {
    pub code: &'static Field,
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
    notes: Vec<NoteCount>,
}

impl Health {
    /// Counts the TCP analysis flags of a segment.
    #[inline(never)]
    pub(super) fn flags(&mut self, flags: AnalysisFlags, frame: u64) {
        for field in tcp::flag_fields(flags) {
            self.add(field, Level::Odd, frame);
        }
    }

    fn add(&mut self, code: &'static Field, level: Level, frame: u64) {
        match self.notes.iter_mut().find(|note| note.code.is(code)) {
            Some(note) => note.count += 1,
            None => self.notes.push(NoteCount { code, level, count: 1, first: frame }),
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
    pub fn notes(&self) -> Vec<NoteCount> {
        let mut notes = self.notes.clone();
        notes.sort_by_key(|note| std::cmp::Reverse((note.level, note.count)));
        notes
    }
}
