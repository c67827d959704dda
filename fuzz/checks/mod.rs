//! Invariants of `ARCHITECTURE.md` that hold for any input, checked on trees and on every output form.
//!
//! The fuzz targets and `tests/fuzzed.rs` share this module. A violated invariant panics.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a check may")]

pub mod described;
pub mod forms;
pub mod input;
pub mod json;
pub mod pages;
pub mod stream;
pub mod targets;
pub mod trees;
pub mod unknown;

use proto_dissect::engine::Engine;
use proto_dissect::follow::Follower;
use proto_dissect::input::{Frame, Link, Timestamp};
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::stats::{Part, Stats};
use proto_dissect::tree::{Demand, Dissection, Side};
use std::convert::Infallible;

/// A frame that outlives its reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Owned {
    /// Number in the input, from 1.
    pub number: u64,
    /// Capture time.
    pub time: Option<Timestamp>,
    /// Link type.
    pub link: Link,
    /// Captured bytes.
    pub bytes: Vec<u8>,
    /// Length on the wire.
    pub original_len: u32,
    /// Sender, where the input marks it.
    pub direction: Option<Side>,
    /// Key log in front of the frame.
    pub secrets: Vec<u8>,
}

impl Owned {
    /// A frame of this link type, captured whole.
    pub fn new(number: u64, link: Link, bytes: Vec<u8>) -> Owned {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let time = Some(Timestamp { seconds: 1_000_000 + i64::try_from(number).unwrap(), nanos: 0 });
        Owned { number, time, link, bytes, original_len, direction: None, secrets: Vec::new() }
    }

    /// A copy of what a reader lends.
    pub fn of(frame: &Frame<'_>) -> Owned {
        Owned {
            number: frame.number,
            time: frame.time,
            link: frame.link,
            bytes: frame.bytes.to_vec(),
            original_len: frame.original_len,
            direction: frame.direction,
            secrets: frame.secrets.to_vec(),
        }
    }

    /// The frame as a reader lends it.
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            number: self.number,
            time: self.time,
            link: self.link,
            bytes: &self.bytes,
            original_len: self.original_len,
            direction: self.direction,
            secrets: &self.secrets,
            ..Frame::default()
        }
    }
}

/// Dissects the frames and what conversations hold back until the end; `captured` is false for the latter.
pub fn dissect(frames: &[Owned], engine: &mut Engine, mut visit: impl FnMut(Dissection<'_>, bool)) {
    for frame in frames {
        let tree = engine.dissect(&frame.frame());
        visit(Dissection { tree, bytes: &frame.bytes }, true);
    }
    while let Some(tree) = engine.finish() {
        visit(Dissection { tree, bytes: &[] }, false);
    }
}

/// Counts that every output form must agree on.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// Frames read.
    pub frames: u64,
    /// Messages found.
    pub messages: u64,
    /// Runs of missing stream bytes.
    pub gaps: u64,
    /// Messages with a broken note.
    pub malformed: u64,
    /// Payload bytes that no dissector explains.
    pub undissected: u64,
}

impl From<&Tally> for Counts {
    fn from(tally: &Tally) -> Counts {
        let Tally { frames, messages, gaps, malformed, undissected, .. } = *tally;
        Counts { frames, messages, gaps, malformed, undissected }
    }
}

/// Every invariant over these frames. Rendering takes most of the time, so that most inputs are rendered in one view and form
/// (`forms::of`); which one depends on the input alone, and a mutation of it gets another.
pub fn everything(frames: &[Owned], registry: Registry) {
    let mark = mark(frames);
    let mut tallies: Vec<(View, Tally)> = forms::views(mark).into_iter().map(|view| (view, Tally::new(view))).collect();
    dissect(frames, &mut Engine::complete(registry), |of, captured| {
        trees::check(of);
        for (_, tally) in &mut tallies {
            let Ok(()) = tally.records(of, captured, |_| Ok::<(), Infallible>(()));
        }
    });
    for (view, tally) in &tallies {
        forms::check(frames, registry, *view, mark, &Counts::from(tally));
    }
    match mark % 3 {
        0 => statistics(frames, registry),
        1 => follow(frames, registry),
        _ => {}
    }
}

/// A number that differs from input to input (FNV-1a).
fn mark(frames: &[Owned]) -> u64 {
    let bytes = frames.iter().flat_map(|frame| frame.bytes.iter().chain(&frame.secrets));
    bytes.fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)) >> 17
}

/// `stats` reads the same frames without a panic.
fn statistics(frames: &[Owned], registry: Registry) {
    let mut stats = Stats::new(registry, Part::all());
    let mut engine = Engine::new(registry, stats.demand());
    dissect(frames, &mut engine, |of, captured| stats.tree(of, captured));
    stats.end();
}

/// `follow` reads the same frames without a panic.
fn follow(frames: &[Owned], registry: Registry) {
    let mut follower = Follower::new(None);
    dissect(frames, &mut Engine::new(registry, Demand::STREAM_BYTES), |of, captured| {
        let Ok(()) = follower.collect(of, captured, |_| Ok::<(), Infallible>(()));
    });
}
