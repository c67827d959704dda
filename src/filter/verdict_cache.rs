//! Cache of verdicts by fast-path headers, because most frames have the same headers as a recent one.

use crate::layers::FlowKey;
use std::cell::Cell;

/// Number of cached verdicts, a power of two.
const SLOTS: usize = 64;

pub(super) struct VerdictCache([Cell<Option<(FlowKey, bool)>>; SLOTS]);

impl Default for VerdictCache {
    fn default() -> VerdictCache {
        VerdictCache([const { Cell::new(None) }; SLOTS])
    }
}

impl VerdictCache {
    /// The cached verdict for these headers, or that of `decide`.
    pub(super) fn get_or_insert_with(&self, flow_key: FlowKey, decide: impl FnOnce() -> bool) -> bool {
        let Some(slot) = self.0.get((flow_key.spread() >> (u32::BITS - SLOTS.ilog2())) as usize) else { return decide() };
        match slot.get() {
            Some((known, answer)) if known == flow_key => answer,
            _ => {
                let answer = decide();
                slot.set(Some((flow_key, answer)));
                answer
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Link;
    use crate::layers::{Checks, FastHeaders};
    use proptest::prelude::*;

    /// Headers of an empty datagram, or of a segment without payload.
    fn flow_key([mac, src, dst, protocol]: [u8; 4]) -> FlowKey {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, mac, 8, 0];
        let protocol = if protocol == 0 { 6 } else { 17 };
        frame.extend([0x45, 0, 0, 20, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, src, 10, 0, 0, dst]);
        FastHeaders::of(Link::Type(1), &frame, 0, Checks::default()).unwrap().flow_key()
    }

    proptest! {
        #[test]
        fn each_gets_the_answer_for_its_own_headers(asked in prop::collection::vec([0_u8..3, 0..30, 0..3, 0..2], 1..200)) {
            let verdict_cache = VerdictCache::default();
            for parts in asked {
                let answer = parts.iter().sum::<u8>() % 2 == 0;
                prop_assert_eq!(verdict_cache.get_or_insert_with(flow_key(parts), || answer), answer);
            }
        }
    }

    #[test]
    fn verdicts_are_computed_once() {
        let verdict_cache = VerdictCache::default();
        assert!(verdict_cache.get_or_insert_with(flow_key([0; 4]), || true));
        assert!(verdict_cache.get_or_insert_with(flow_key([0; 4]), || panic!("asked again")));
    }
}
