//! Packets of a text that does not separate them: blank lines, or the widths of its lines.
//!
//! A blank line ends a packet. Lines of one width, of which the last may be shorter, are one wrapped packet. As soon as a line
//! contradicts that, each line is a packet, for the rest of the text.

use crate::input::Split;
use std::ops::Range;

/// The lines of the current packet.
#[derive(Debug, Default)]
pub(super) struct Runs {
    split: Option<Split>,
    /// Bytes of the first line; 0 before it.
    width: usize,
    /// Whether a line was shorter.
    short: bool,
    /// Whether lines of unequal width were found, so that each line is a packet.
    unequal: bool,
    /// Ends of packets that the lines turned out to be, last one first, and the start of the next one.
    ends: Vec<usize>,
    start: usize,
}

impl Runs {
    pub(super) fn new(split: Option<Split>) -> Runs {
        Runs { split, ..Runs::default() }
    }

    /// Whether each line is a packet.
    pub(super) fn each_line(&self) -> bool {
        self.unequal || self.split == Some(Split::Lines)
    }

    /// Whether a blank line ends a packet.
    pub(super) fn blank_ends(&self) -> bool {
        self.split != Some(Split::None)
    }

    /// Adds a line with this many bytes to a packet of `before` bytes. Returns whether it is the first one to show that each line
    /// is a packet.
    pub(super) fn add(&mut self, before: usize, bytes: usize) -> bool {
        if bytes == 0 || self.split.is_some() || self.unequal {
            return false;
        }
        if before == 0 {
            (self.width, self.short) = (bytes, false);
            return false;
        }
        if self.short || bytes > self.width {
            self.unequal = true;
            self.ends = (self.width..before).step_by(self.width).chain([before, before + bytes]).collect();
            self.ends.reverse();
            return true;
        }
        self.short |= bytes < self.width;
        false
    }

    /// Whether packets of the lines are not yet returned.
    pub(super) fn are_separate(&self) -> bool {
        !self.ends.is_empty()
    }

    /// The bytes of the next packet.
    pub(super) fn current(&self, len: usize) -> Range<usize> {
        self.start..self.ends.last().copied().unwrap_or(len)
    }

    /// Goes to the next packet of the lines read so far; false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        let end = self.ends.pop();
        self.start = end.filter(|_| self.are_separate()).unwrap_or_default();
        self.are_separate()
    }
}
