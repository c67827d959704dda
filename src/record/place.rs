//! Places of records in a tree, without borrowing it.

use super::{Bookmarks, Late, Message, Packet, Record, RecordTimes};
use crate::tree::Dissection;
use std::ops::Range;

/// A record by the places of its parts in a tree. [`RecordPlace::record`] restores it from the same tree.
#[derive(Debug, Clone)]
pub enum RecordPlace {
    /// A message: its number and timestamps, and the index of its layer.
    Message {
        /// Message number, from 1.
        n: u64,
        /// Timestamps.
        times: RecordTimes,
        /// Index of the layer.
        layer: usize,
    },
    /// The frame with all its layers.
    Packet(RecordTimes),
    /// Late messages: their timestamps, and the indices of their layers.
    Late(RecordTimes, Range<usize>),
    /// A gap, by its index.
    Gap(usize),
}

impl RecordPlace {
    /// The record, with the bookmarks of its capture; `None` if the tree has changed.
    #[must_use]
    #[inline]
    pub fn record<'t>(self, of: Dissection<'t>, bookmarks: Option<&'static Bookmarks>) -> Option<Record<'t>> {
        Some(match self {
            RecordPlace::Message { n, times, layer } => {
                Record::Message(Message { n, times, of, layer: of.tree.layers.get(layer)?, bookmarks })
            }
            RecordPlace::Packet(times) => Record::Packet(Packet { times, of, bookmarks }),
            RecordPlace::Late(times, layers) => Record::Late(Late { times, of, layers: of.tree.layers.get(layers)? }),
            RecordPlace::Gap(gap) => Record::Gap(of.tree.gaps.get(gap)?),
        })
    }
}
