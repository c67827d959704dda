//! Claims on bytes: each byte has at most one explanation.

use super::super::rule::Endian;
use super::Label;

/// An explanation of some bytes.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Offset from the start of the message, or of the table.
    pub offset: usize,
    /// Size in bytes; 0 for all that follow.
    pub width: usize,
    /// Their type.
    pub shape: Shape,
    /// Their role.
    pub label: Label,
    /// From 0 to 1.
    pub confidence: f64,
    /// The evidence.
    pub why: String,
}

/// The type of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number(Endian),
    /// A floating-point number.
    Float(Endian),
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

/// Claims so far.
#[derive(Debug, Default)]
pub struct Claims {
    taken: Vec<bool>,
    /// In order of discovery.
    pub all: Vec<Claim>,
    /// Whether messages end with a checksum.
    pub has_sum: bool,
}

impl Claims {
    /// Creates claims for `width` unexplained bytes.
    #[must_use]
    pub fn new(width: usize) -> Claims {
        Claims { taken: vec![false; width], all: Vec::new(), has_sum: false }
    }

    /// Whether none of these bytes is explained.
    #[must_use]
    pub fn is_free(&self, offset: usize, width: usize) -> bool {
        self.taken.get(offset..offset + width).is_some_and(|taken| !taken.contains(&true))
    }

    /// Adds a claim if all its bytes are free.
    pub fn take(&mut self, claim: Claim) -> bool {
        let width = if claim.width == 0 { self.taken.len().saturating_sub(claim.offset) } else { claim.width };
        if claim.width > 0 && !self.is_free(claim.offset, width) || claim.offset > self.taken.len() {
            return false;
        }
        self.taken.iter_mut().skip(claim.offset).take(width).for_each(|taken| *taken = true);
        self.all.push(claim);
        true
    }

    /// Runs of unexplained bytes: start and end.
    #[must_use]
    pub fn free_runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (place, _) in self.taken.iter().enumerate().filter(|(_, taken)| !**taken) {
            match runs.last_mut() {
                Some((_, end)) if *end == place => *end += 1,
                _ => runs.push((place, place + 1)),
            }
        }
        runs
    }
}
