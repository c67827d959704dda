//! A line that may be the first one with data.

use std::cell::OnceCell;

/// A line that may be the first one with data.
pub(super) struct Context<'a> {
    pub(super) line: &'a [u8],
    /// The line without blanks around it.
    pub(super) text: &'a [u8],
    /// Whether the first byte of a number is its highest one.
    pub(super) big: bool,
    pub(super) following: &'a dyn Fn() -> Vec<Vec<u8>>,
    pub(super) lines: OnceCell<Vec<Vec<u8>>>,
}

impl Context<'_> {
    /// Some lines after it; waits for them.
    pub(super) fn ahead(&self) -> &[Vec<u8>] {
        self.lines.get_or_init(self.following)
    }
}
