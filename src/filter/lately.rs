//! What was answered of plain headers lately: most frames have the same as one shortly before.

use crate::layers::Heads;
use std::cell::Cell;

/// Answers that are remembered: a power of two.
const SLOTS: usize = 64;

/// The answers.
pub(super) struct Lately([Cell<Option<(Heads, bool)>>; SLOTS]);

impl Default for Lately {
    fn default() -> Lately {
        Lately([const { Cell::new(None) }; SLOTS])
    }
}

impl Lately {
    /// The answer for these headers, asked for if nobody did lately.
    pub(super) fn or_ask(&self, heads: Heads, ask: impl FnOnce() -> bool) -> bool {
        let Some(slot) = self.0.get((heads.spread() >> (u32::BITS - SLOTS.ilog2())) as usize) else { return ask() };
        match slot.get() {
            Some((known, answer)) if known == heads => answer,
            _ => {
                let answer = ask();
                slot.set(Some((heads, answer)));
                answer
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Link;
    use crate::layers::{Checks, Plain};
    use proptest::prelude::*;

    /// The headers of an empty datagram, or of a segment that ends in its header.
    fn heads([mac, src, dst, protocol]: [u8; 4]) -> Heads {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, mac, 8, 0];
        let protocol = if protocol == 0 { 6 } else { 17 };
        frame.extend([0x45, 0, 0, 20, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, src, 10, 0, 0, dst]);
        Plain::of(Link::Type(1), &frame, 0, Checks::default()).unwrap().heads()
    }

    proptest! {
        #[test]
        fn each_gets_the_answer_for_its_own_headers(asked in prop::collection::vec([0_u8..3, 0..30, 0..3, 0..2], 1..200)) {
            let lately = Lately::default();
            for parts in asked {
                let answer = parts.iter().sum::<u8>() % 2 == 0;
                prop_assert_eq!(lately.or_ask(heads(parts), || answer), answer);
            }
        }
    }

    #[test]
    fn nobody_asks_twice() {
        let lately = Lately::default();
        assert!(lately.or_ask(heads([0; 4]), || true));
        assert!(lately.or_ask(heads([0; 4]), || panic!("asked again")));
    }
}
