//! Frames that wait until it is known where a fragment among them belongs, so that parts keep the order of frames.

use super::packet::{self, Secrets};
use super::parts::Parts;
use crate::input::Frame;
use crate::tree::StreamId;
use std::collections::VecDeque;
use std::io;

/// The most bytes that wait. A fragment that waits for longer goes where its own ends put it.
const WAITING: usize = 32 << 20;

/// What a frame costs beside its block.
const OVERHEAD: usize = size_of::<Waiting>();

struct Waiting {
    number: u64,
    part: u64,
    /// Whether it is known that this is its part.
    decided: bool,
    block: Vec<u8>,
}

/// Frames in order, the first of which is a fragment whose part is not known.
#[derive(Default)]
pub(super) struct Window {
    waiting: VecDeque<Waiting>,
    bytes: usize,
}

impl Window {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a frame behind those that wait. Unless its part is decided, a later frame may name another one.
    pub(super) fn add(&mut self, frame: &Frame<'_>, streams: &[StreamId], part: u64, decided: bool) -> io::Result<()> {
        let mut block = Vec::new();
        packet::packet(&mut block, frame, streams)?;
        self.bytes += block.len() + OVERHEAD;
        self.waiting.push_back(Waiting { number: frame.number, part, decided, block });
        Ok(())
    }

    /// The part of these frames, as far as they wait.
    pub(super) fn decide(&mut self, frames: impl Iterator<Item = u64>, part: u64) {
        for number in frames {
            if let Ok(at) = self.waiting.binary_search_by_key(&number, |waiting| waiting.number)
                && let Some(waiting) = self.waiting.get_mut(at).filter(|waiting| !waiting.decided)
            {
                (waiting.part, waiting.decided) = (part, true);
            }
        }
    }

    /// Writes all that waits.
    pub(super) fn drain(&mut self, parts: &mut Parts, secrets: &Secrets) -> io::Result<()> {
        while let Some(first) = self.waiting.pop_front() {
            parts.block(first.part, &first.block, secrets)?;
        }
        self.bytes = 0;
        Ok(())
    }

    /// Writes the frames in front whose part is decided, and more where too many bytes wait.
    pub(super) fn let_go(&mut self, parts: &mut Parts, secrets: &Secrets) -> io::Result<()> {
        while let Some(first) = self.waiting.front() {
            if !first.decided && self.bytes <= WAITING {
                break;
            }
            parts.block(first.part, &first.block, secrets)?;
            self.bytes = self.bytes.saturating_sub(first.block.len() + OVERHEAD);
            self.waiting.pop_front();
        }
        Ok(())
    }
}
