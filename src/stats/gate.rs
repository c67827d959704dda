//! Filter of the frames counted in a part.

use super::intervals::Passes;
use crate::record::{Record, Tally, View};
use crate::tree::{Demand, Dissection};
use std::convert::Infallible;

/// A filter of frames, with the messages completed by them.
pub struct FrameFilter {
    pub text: String,
    passes: Passes,
    tally: Tally,
    /// Demand of the filter.
    pub demand: Demand,
}

impl FrameFilter {
    /// Creates a gate from its text, a test and its demand.
    pub fn new(text: &str, passes: Passes, demand: Demand) -> FrameFilter {
        FrameFilter { text: text.to_owned(), passes, tally: Tally::new(View::Packets), demand }
    }

    /// Whether a frame, or a late message completed by it, matches.
    pub(super) fn matches(&mut self, of: Dissection<'_>, captured: bool) -> bool {
        let FrameFilter { passes, tally, .. } = self;
        let mut matches = false;
        let Ok(()) = tally.records(of, captured, |record| {
            matches |= !matches!(record, Record::Gap(_)) && passes(&record);
            Ok::<(), Infallible>(())
        });
        matches
    }
}
