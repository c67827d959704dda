//! Finds the message that contains a byte.

use super::scan::Hit;
use super::{Groups, Reading};
use crate::explore::messages::Message;
use crate::explore::side::Side;

/// The messages of all groups, prepared for lookup.
pub struct Places<'g, 'a> {
    groups: Groups<'g, 'a>,
    /// The kind index of each message, by group.
    kinds: Vec<Vec<usize>>,
}

/// The position of a byte.
#[derive(Debug, Clone, Copy)]
pub struct BytePosition<'g> {
    /// Group index.
    pub group: usize,
    /// The side.
    pub side: &'g Side,
    /// The message.
    pub message: &'g Message<'g>,
    /// Index of the message in its group.
    pub number: usize,
    /// Index of its kind in the group.
    pub kind: usize,
    /// Offset in the message.
    pub offset: usize,
    /// Offset in the bytes of the side.
    pub at: usize,
}

impl<'g, 'a> Places<'g, 'a> {
    /// Prepares these groups.
    #[must_use]
    pub fn new(groups: Groups<'g, 'a>) -> Places<'g, 'a> {
        let of_group = |(_, explored): &(String, super::Explored<'_>)| {
            let mut kinds = vec![0; explored.messages.len()];
            for (number, kind) in explored.groups.iter().enumerate() {
                for member in &kind.members {
                    if let Some(place) = kinds.get_mut(*member) {
                        *place = number;
                    }
                }
            }
            kinds
        };
        Places { groups, kinds: groups.iter().map(of_group).collect() }
    }

    /// The position of a hit; `None` outside of messages.
    #[must_use]
    pub fn of(&self, hit: Hit) -> Option<BytePosition<'g>> {
        let (_, explored) = self.groups.get(hit.group)?;
        let behind = explored.messages.partition_point(|message| (message.side, message.start) <= (hit.side, hit.at));
        let number = behind.checked_sub(1)?;
        let message = explored.messages.get(number).filter(|message| message.side == hit.side)?;
        Some(BytePosition {
            group: hit.group,
            side: explored.sides.get(hit.side)?,
            message,
            number,
            kind: *self.kinds.get(hit.group)?.get(number)?,
            offset: hit.at - message.start,
            at: hit.at,
        })
    }

    /// The side and the offset of a hit, also outside of messages.
    #[must_use]
    pub fn side(&self, hit: Hit) -> Option<(&'g Side, usize)> {
        let (_, explored) = self.groups.get(hit.group)?;
        Some((explored.sides.get(hit.side)?, hit.at))
    }

    /// The id of a kind.
    #[must_use]
    pub fn kind(&self, group: usize, kind: usize) -> String {
        let kind = self.groups.get(group).and_then(|(_, explored)| explored.groups.get(kind));
        kind.map_or_else(String::new, super::super::messages::Kind::id)
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> Groups<'g, 'a> {
        self.groups
    }

    /// The number at a position, if a form is a range.
    #[must_use]
    pub fn float(place: &BytePosition<'_>, readings: &[Reading]) -> Option<f64> {
        let Some(Reading::Near { width, endian }) = readings.first() else { return None };
        super::scan::float(place.side.bytes.get(place.at..)?, *width, *endian)
    }
}

impl BytePosition<'_> {
    /// Capture time of its segment: nanoseconds since 1970; `None` if unknown.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.side.segment(self.at).map(|segment| segment.time).filter(|time| *time != 0)
    }
}
