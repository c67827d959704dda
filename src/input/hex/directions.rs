//! Directions of packets: from their marks, their endpoints, or the conversation that the text is.

use super::ends::Peers;
use super::marks::Marks;
use crate::tree::Side;

/// The directions of a text so far.
#[derive(Debug, Default)]
pub(super) struct Directions {
    peers: Peers,
    /// Whether a packet had a direction, and whether one had none after it.
    found: bool,
    lacking: bool,
}

impl Directions {
    /// The direction of a packet, and whether it is the first one that lacks what others have.
    pub(super) fn of(&mut self, marks: &Marks, side: Option<Side>) -> (Option<Side>, bool) {
        let direction = marks.direction.or_else(|| self.peers.direction(&marks.ends)).or(side);
        let lacks = self.found && direction.is_none();
        self.found |= direction.is_some();
        (direction, lacks && !std::mem::replace(&mut self.lacking, true))
    }
}
