//! The filter of a part: which frames are counted in it.

use super::intervals::Passes;
use crate::record::{Record, Tally, View};
use crate::tree::{Demand, Dissection};
use std::convert::Infallible;

/// A filter, asked of each frame with all that it completes.
pub struct Gate {
    passes: Passes,
    tally: Tally,
    /// What the filter needs of a frame.
    pub demand: Demand,
}

impl Gate {
    /// A filter that needs this of a frame.
    #[must_use]
    pub fn new(passes: Passes, demand: Demand) -> Gate {
        Gate { passes, tally: Tally::new(View::Packets), demand }
    }

    /// Whether a frame passes, or what of earlier ones it completes.
    pub(super) fn opens(&mut self, of: Dissection<'_>, captured: bool) -> bool {
        let Gate { passes, tally, .. } = self;
        let mut opens = false;
        let Ok(()) = tally.records(of, captured, |record| {
            opens |= !matches!(record, Record::Gap(_)) && passes(&record);
            Ok::<(), Infallible>(())
        });
        opens
    }
}
