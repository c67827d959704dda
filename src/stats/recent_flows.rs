//! Recent flows: most segments belong to a recent flow, so their counts are accumulated and added later.

use super::endpoint::{Found, Seen, Sum};
use super::parts::ConversationLayer;
use crate::tree::OmittedHeaders;

/// Number of cached flows, a power of two.
const SLOTS: usize = 512;

/// Link addresses of a frame.
const LINK: usize = 12;

/// Rows of a segment, one per counted kind.
pub(super) type Rows = [Option<Found>; ConversationLayer::ALL.len()];

/// A flow: one direction of a connection.
#[derive(Debug, Clone, Copy)]
struct CachedFlow {
    number: u32,
    link: [u8; LINK],
    rows: Rows,
    /// Deferred counts.
    waiting: Sum,
}

#[derive(Debug)]
pub(super) struct RecentFlows(Vec<Option<CachedFlow>>);

impl Default for RecentFlows {
    fn default() -> RecentFlows {
        RecentFlows(vec![None; SLOTS])
    }
}

impl RecentFlows {
    /// Counts a segment of a cached flow.
    pub(super) fn add(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], frame: Seen) -> bool {
        let Some(Some(known)) = self.0.get_mut(slot(omitted_headers)) else { return false };
        // The stream number identifies both ends, and the slot the direction.
        let is_it = known.number == omitted_headers.stream.number && bytes.first_chunk() == Some(&known.link);
        if is_it {
            known.waiting.add(frame);
        }
        is_it
    }

    /// Caches a flow. Returns the deferred counts of the replaced flow.
    pub(super) fn put(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], rows: Rows) -> Option<(Rows, Sum)> {
        let known =
            CachedFlow { number: omitted_headers.stream.number, link: *bytes.first_chunk()?, rows, waiting: Sum::default() };
        let old = self.0.get_mut(slot(omitted_headers))?.replace(known)?;
        Some((old.rows, old.waiting))
    }

    /// Clears the cache. Returns the deferred counts of each flow.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (Rows, Sum)> + use<> {
        let known = std::mem::take(self).0;
        known.into_iter().flatten().map(|known| (known.rows, known.waiting))
    }
}

/// Slot of a direction.
fn slot(omitted_headers: &OmittedHeaders) -> usize {
    (omitted_headers.stream.number as usize * 2 + usize::from(omitted_headers.from_low)) % SLOTS
}
