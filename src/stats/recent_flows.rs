//! Segments of connections that spoke lately: most come like one before, so what they count waits until it is much.

use super::endpoint::{Found, Seen, Sum};
use super::parts::Over;
use crate::tree::OmittedHeaders;

/// How many directions of connections are remembered: a power of two.
const SLOTS: usize = 512;

/// The addresses of the link, as they stand at the head of a frame.
const LINK: usize = 12;

/// The rows of a segment, by the kinds that are counted, in their order.
pub(super) type Rows = [Option<Found>; Over::ALL.len()];

/// A direction of a connection.
#[derive(Debug, Clone, Copy)]
struct Known {
    number: u32,
    link: [u8; LINK],
    rows: Rows,
    /// What is not in these rows yet.
    waiting: Sum,
}

/// Those that spoke lately.
#[derive(Debug)]
pub(super) struct RecentFlows(Vec<Option<Known>>);

impl Default for RecentFlows {
    fn default() -> RecentFlows {
        RecentFlows(vec![None; SLOTS])
    }
}

impl RecentFlows {
    /// Count a segment, if one went the same way lately.
    pub(super) fn add(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], frame: Seen) -> bool {
        let Some(Some(known)) = self.0.get_mut(slot(omitted_headers)) else { return false };
        // The number stands for both ends, and the slot for the way between them.
        let is_it = known.number == omitted_headers.stream.number && bytes.first_chunk() == Some(&known.link);
        if is_it {
            known.waiting.add(frame);
        }
        is_it
    }

    /// Further ones are counted there. Returns what waited of the one whose place it takes.
    pub(super) fn put(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], rows: Rows) -> Option<(Rows, Sum)> {
        let known = Known { number: omitted_headers.stream.number, link: *bytes.first_chunk()?, rows, waiting: Sum::default() };
        let old = self.0.get_mut(slot(omitted_headers))?.replace(known)?;
        Some((old.rows, old.waiting))
    }

    /// Forget all. Returns what waited of each.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (Rows, Sum)> + use<> {
        let known = std::mem::take(self).0;
        known.into_iter().flatten().map(|known| (known.rows, known.waiting))
    }
}

/// Another one for each direction.
fn slot(omitted_headers: &OmittedHeaders) -> usize {
    (omitted_headers.stream.number as usize * 2 + usize::from(omitted_headers.rises)) % SLOTS
}
