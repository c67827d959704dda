//! Directions of packets: from their marks, their endpoints, or the conversation that the text is.

use super::ends::Peers;
use super::marks::Marks;
use super::reader::{BARE_IP, Reader};
use crate::input::{Frame, Link};
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

impl Reader {
    /// The current packet.
    pub(super) fn frame(&mut self) -> Option<Frame<'_>> {
        let bytes = self.packet.bytes.get(self.runs.current(self.packet.bytes.len())).filter(|bytes| !bytes.is_empty())?;
        let (side, marks) = (self.dialect.side(), self.packet.marks);
        let (direction, is_lacking) = self.directions.of(&marks, side);
        if is_lacking {
            let what = "has no direction, though others before it have; expected a word such as C->S, recv or sent";
            self.remark = Some(format!("the packet before line {} {what}", self.line));
        }
        let link = match (side.filter(|_| !self.datagrams), self.link) {
            (Some(side), _) => Link::Stream(side),
            (None, Some(link)) => link,
            (None, None) if self.dialect.is_bare_ip(bytes) => Link::Type(BARE_IP),
            (None, None) => Link::Unknown,
        };
        let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Some(Frame { time: marks.time, link, bytes, original_len, direction, endpoints: marks.ends.both(), ..Frame::default() })
    }
}
