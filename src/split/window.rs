//! Buffers frames until the part of a fragment among them is known, so that parts keep the order of frames.

use super::packet::{self, Secrets};
use super::parts::Parts;
use crate::input::{Frame, Lookup};
use std::collections::VecDeque;
use std::io;

/// Maximum size of the buffered frames in bytes. Beyond that, a fragment goes to the part of its endpoints.
const BUFFERED_MOST: usize = 32 << 20;

/// Memory of a buffered frame in addition to its block, in bytes.
const OVERHEAD: usize = size_of::<Buffered>();

struct Buffered {
    number: u64,
    part: u64,
    /// Whether its part is final.
    decided: bool,
    block: Vec<u8>,
}

/// Buffered frames in order. The first one is a fragment whose part is unknown.
#[derive(Default)]
pub(super) struct Window {
    buffered: VecDeque<Buffered>,
    bytes: usize,
}

impl Window {
    pub(super) fn is_empty(&self) -> bool {
        self.buffered.is_empty()
    }

    /// Appends a frame. Unless its part is final, a later frame may change it.
    pub(super) fn add(&mut self, frame: &Frame<'_>, streams: &[Lookup], part: u64, decided: bool) -> io::Result<()> {
        let mut block = Vec::new();
        packet::packet(&mut block, frame, streams)?;
        self.bytes += block.len() + OVERHEAD;
        self.buffered.push_back(Buffered { number: frame.number, part, decided, block });
        Ok(())
    }

    /// Sets the part of these frames, if they are buffered.
    pub(super) fn decide(&mut self, frames: impl Iterator<Item = u64>, part: u64) {
        for number in frames {
            if let Ok(at) = self.buffered.binary_search_by_key(&number, |buffered| buffered.number)
                && let Some(buffered) = self.buffered.get_mut(at).filter(|buffered| !buffered.decided)
            {
                (buffered.part, buffered.decided) = (part, true);
            }
        }
    }

    /// Writes all buffered frames.
    pub(super) fn drain(&mut self, parts: &mut Parts, secrets: &Secrets) -> io::Result<()> {
        while let Some(first) = self.buffered.pop_front() {
            parts.block(first.part, &first.block, secrets)?;
        }
        self.bytes = 0;
        Ok(())
    }

    /// Writes the first frames with final parts, and more if too many bytes are buffered.
    pub(super) fn release(&mut self, parts: &mut Parts, secrets: &Secrets) -> io::Result<()> {
        while let Some(first) = self.buffered.front() {
            if !first.decided && self.bytes <= BUFFERED_MOST {
                break;
            }
            parts.block(first.part, &first.block, secrets)?;
            self.bytes = self.bytes.saturating_sub(first.block.len() + OVERHEAD);
            self.buffered.pop_front();
        }
        Ok(())
    }
}
