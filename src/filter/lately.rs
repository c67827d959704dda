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
