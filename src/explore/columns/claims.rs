//! Which bytes are explained: each byte is taken once.

use super::super::rule::Endian;
use super::Label;

/// An explanation of some bytes.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Offset from the start, or from where the table begins.
    pub offset: usize,
    /// Bytes; 0 for all that follow.
    pub width: usize,
    /// What they are.
    pub shape: Shape,
    /// What they do.
    pub label: Label,
    /// From 0 to 1.
    pub confidence: f64,
    /// The evidence.
    pub why: String,
}

/// What bytes are read as.
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

/// Explanations so far.
#[derive(Debug, Default)]
pub struct Claims {
    taken: Vec<bool>,
    /// In the order in which they were found.
    pub all: Vec<Claim>,
}

impl Claims {
    /// None of `width` bytes are explained.
    #[must_use]
    pub fn new(width: usize) -> Claims {
        Claims { taken: vec![false; width], all: Vec::new() }
    }

    /// Whether none of these bytes is explained.
    #[must_use]
    pub fn is_free(&self, offset: usize, width: usize) -> bool {
        self.taken.get(offset..offset + width).is_some_and(|taken| !taken.contains(&true))
    }

    /// Takes an explanation if all its bytes are free.
    pub fn take(&mut self, claim: Claim) -> bool {
        let width = if claim.width == 0 { self.taken.len().saturating_sub(claim.offset) } else { claim.width };
        if claim.width > 0 && !self.is_free(claim.offset, width) || claim.offset > self.taken.len() {
            return false;
        }
        self.taken.iter_mut().skip(claim.offset).take(width).for_each(|taken| *taken = true);
        self.all.push(claim);
        true
    }

    /// Runs of bytes that are not explained: start and end.
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
