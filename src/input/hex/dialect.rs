//! What the parser of a dialect does.

use super::{Fault, Feed, Packet};
use crate::tree::Side;
use std::cell::OnceCell;

/// The parser of a dialect, with its state.
pub(super) trait Dialect: Send {
    /// Parses a line, or the rest of one.
    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed;

    /// Handles the end of the text.
    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        Ok(())
    }

    /// Describes the format, where it is more than the name of the dialect.
    fn describe(&self) -> Option<String> {
        None
    }

    /// The sender of the packet, in the text of a conversation.
    fn side(&self) -> Option<Side> {
        None
    }

    /// Whether nothing in a line states where packets begin.
    fn is_loose(&self) -> bool {
        false
    }

    /// Whether a line above the bytes states the direction of payload, not of a frame.
    fn has_headings(&self) -> bool {
        false
    }

    /// Whether a ruler may number its columns.
    fn is_dump(&self) -> bool {
        false
    }

    /// Whether a packet begins at its IP header.
    fn is_bare_ip(&self, _: &[u8]) -> bool {
        false
    }
}

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
