//! Packets of a text that does not separate them: blank lines, or the widths of its lines.
//!
//! A blank line ends a packet. Lines of one width, of which the last may be shorter, are one wrapped packet. As soon as a line
//! contradicts that, each line is a packet, for the rest of the text.

use super::super::Split;

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

    /// Adds a line with this many bytes to a packet of `before` bytes. Returns the width of the packets before it, if this line
    /// shows that each line is a packet.
    pub(super) fn add(&mut self, before: usize, bytes: usize) -> Option<usize> {
        if bytes == 0 || self.split.is_some() || self.unequal {
            return None;
        }
        if before == 0 {
            (self.width, self.short) = (bytes, false);
            return None;
        }
        if self.short || bytes > self.width {
            self.unequal = true;
            return Some(self.width);
        }
        self.short |= bytes < self.width;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_last_line_may_be_shorter() {
        let unequal = |widths: &[usize]| {
            let (mut runs, mut before) = (Runs::default(), 0);
            widths.iter().any(|width| {
                let found = runs.add(before, *width).is_some();
                before += width;
                found
            })
        };
        for widths in [&[16, 16, 3][..], &[16], &[16, 3], &[16, 16, 0, 16]] {
            assert!(!unequal(widths), "{widths:?}");
        }
        for widths in [&[16, 3, 16][..], &[3, 16], &[16, 3, 3]] {
            assert!(unequal(widths), "{widths:?}");
        }
    }
}
