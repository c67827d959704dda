//! What the parser of a dialect does.

use super::{Fault, Feed, Packet};
use crate::tree::Side;

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
