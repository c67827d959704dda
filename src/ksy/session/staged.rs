//! Bytes of a direction that pass ciphers and decompressors before they are framed.

use super::half::Reading;
use crate::ksy::run::After;
use crate::ksy::run::running::Pipeline;
use crate::ksy::run::variables::Cause;
use crate::limits;
use crate::tree::Value;
use crate::wire::{Extent, Missing, Result, Wire};

/// Stages with the bytes that left them.
#[derive(Default)]
pub(super) struct Staged {
    pipeline: Pipeline,
    /// Bytes that left the stages and belong to no complete message.
    plain: Vec<u8>,
    /// How many bytes of those ahead passed the stages.
    fed: usize,
    /// How many bytes of `plain` are wrong, because bytes before them are missing.
    garbled: usize,
    /// Bytes of `plain` that the next message takes.
    next: usize,
    /// Bytes behind stages that change the length, before which the next message is not complete.
    wanted: usize,
    /// Bytes that entered such stages, and bytes that left them.
    entered: u64,
    left: u64,
    /// Whether decompressed bytes exceed the limit of the run.
    is_exhausted: bool,
}

/// Bytes that leave a decompressor, at most: these, and a multiple of those that enter it. Each byte may be a message.
const LEAVING: u64 = 16 << 20;
const LEAVING_PER_BYTE: u64 = 64;

/// Number of bytes behind the stages, at most, for one message.
const AHEAD: usize = 1 << 24;

impl Staged {
    pub(super) fn new(pipeline: Pipeline) -> Staged {
        Staged { pipeline, ..Staged::default() }
    }

    pub(super) fn fork(&self) -> Staged {
        Staged { pipeline: self.pipeline.fork(), plain: self.plain.clone(), ..*self }
    }

    /// Whether bytes pass no stage.
    pub(super) fn is_empty(&self) -> bool {
        self.pipeline.is_empty()
    }

    /// Variables whose keys they use, as bits.
    pub(super) fn keys(&self) -> u64 {
        self.pipeline.keys()
    }

    /// The boundary of the next message, in bytes before the stages.
    pub(super) fn extent(&mut self, ahead: &[u8], more: bool, reading: &mut Reading<'_>) -> std::result::Result<Extent, Cause> {
        if self.pipeline.keeps_length() {
            let new = ahead.get(self.fed..).unwrap_or_default();
            self.pipeline.feed(new, &mut self.plain, new.len()).map_err(|_| Cause::Damaged)?;
            self.fed = ahead.len();
            if self.garbled > 0 {
                return Ok(Extent::Unknown(self.garble(ahead.len())));
            }
            let extent = reading.extent(&self.plain, more);
            if let Extent::Message(end) = extent {
                self.next = end;
            }
            if let Extent::Unknown(count) = extent {
                self.drop(count);
            }
            return Ok(extent);
        }
        self.unpacked(ahead, more, reading)
    }

    /// Drops the first bytes, which are wrong.
    fn garble(&mut self, ahead: usize) -> usize {
        let count = self.garbled.min(ahead).max(1);
        self.garbled -= count.min(self.garbled);
        self.drop(count);
        count
    }

    /// Passes bytes that belong to no message.
    pub(super) fn pass(&mut self, count: usize) {
        if !self.is_empty() {
            self.drop(count);
        }
    }

    /// Drops bytes that belong to no message, before and behind stages that keep the length.
    fn drop(&mut self, count: usize) {
        self.plain.drain(..count.min(self.plain.len()));
        self.fed = self.fed.saturating_sub(count);
    }

    /// The same for stages that change the length: bytes enter them one by one, up to the one that completes a message, so that
    /// boundaries do not depend on how bytes arrive.
    fn unpacked(&mut self, ahead: &[u8], more: bool, reading: &mut Reading<'_>) -> std::result::Result<Extent, Cause> {
        loop {
            if self.is_exhausted {
                return Err(Cause::Damaged);
            }
            if self.plain.len() >= self.wanted.max(1) && self.pipeline.is_between() {
                match reading.extent(&self.plain, true) {
                    Extent::Message(end) if end <= self.plain.len() => {
                        self.next = end;
                        return Ok(Extent::Message(self.fed.max(1)));
                    }
                    Extent::Message(end) | Extent::NeedMore(end) => self.wanted = end.max(self.plain.len() + 1),
                    Extent::Unknown(_) | Extent::Segment => return Err(Cause::Damaged),
                }
            }
            if self.plain.len() > AHEAD.min(limits::STREAM_MESSAGE.get()) {
                return Err(Cause::Damaged);
            }
            let Some(byte) = ahead.get(self.fed) else { break };
            let before = self.plain.len();
            self.pipeline.feed(std::slice::from_ref(byte), &mut self.plain, AHEAD).map_err(|_| Cause::Damaged)?;
            self.fed += 1;
            self.entered += 1;
            self.left += (self.plain.len() - before) as u64;
            let is_too_much = self.left > self.entered.saturating_mul(LEAVING_PER_BYTE).saturating_add(LEAVING);
            if is_too_much || self.pipeline.has_ended() {
                return Err(Cause::Damaged);
            }
        }
        match (more, self.plain.is_empty()) {
            (true, _) => Ok(Extent::NeedMore(ahead.len() + 1)),
            // The end of a block, which produces nothing.
            (false, true) => {
                self.fed = 0;
                Ok(Extent::Unknown(ahead.len()))
            }
            (false, false) => Err(Cause::Damaged),
        }
    }

    /// Dissects the next message, in a source of its own.
    pub(super) fn dissect(&mut self, reading: &mut Reading<'_>, wire: &mut Wire<'_>) -> (Result, After) {
        let method = self.pipeline.method();
        let count = wire.remaining();
        let mut after = After::default();
        let unparsed = reading.file.fields.unparsed(reading.direction.place);
        if let Some(sent) = reading.file.fields.staged() {
            wire.put(sent, Value::Bytes, wire.at()..wire.at() + count);
        }
        if !self.pipeline.keeps_length() {
            return self.dissect_unpacked(reading, wire, count);
        }
        let plain: Vec<u8> = self.plain.drain(..count.min(self.plain.len())).collect();
        self.fed = self.fed.saturating_sub(count);
        let cut = wire.cut();
        let result = wire.deciphered(method, count, 0, &plain, |inner| {
            let result;
            (result, after) = inner.as_cut(cut, |inner| reading.dissect(inner));
            after.copy_elements(inner);
            if let Some(unparsed) = unparsed {
                inner.rest(unparsed);
            }
            result
        });
        (result, after)
    }

    fn dissect_unpacked(&mut self, reading: &mut Reading<'_>, wire: &mut Wire<'_>, count: usize) -> (Result, After) {
        let method = self.pipeline.method();
        let mut after = After::default();
        let plain: Vec<u8> = self.plain.drain(..self.next.min(self.plain.len())).collect();
        self.is_exhausted |= plain.len() > wire.decompression_limit();
        wire.has_decompressed(plain.len());
        (self.fed, self.wanted) = (0, 0);
        let result = wire.derived(method, count, &plain, |inner| {
            let result;
            (result, after) = reading.dissect(inner);
            after.copy_elements(inner);
            result
        });
        (result, after)
    }

    /// Whether bytes that left the stages contain another message.
    pub(super) fn repeats(&mut self, reading: &mut Reading<'_>) -> bool {
        if self.pipeline.keeps_length() || self.plain.is_empty() || self.is_exhausted {
            return false;
        }
        match reading.extent(&self.plain, true) {
            Extent::Message(end) if end <= self.plain.len() => {
                self.next = end;
                true
            }
            _ => false,
        }
    }

    /// Reads the next message without output.
    pub(super) fn rehearse(&mut self, reading: &mut Reading<'_>, count: usize) -> (bool, After) {
        let end = if self.pipeline.keeps_length() { count } else { self.next };
        let plain: Vec<u8> = self.plain.drain(..end.min(self.plain.len())).collect();
        (self.fed, self.wanted) = (self.fed.saturating_sub(count), 0);
        reading.rehearse(&plain)
    }

    /// Bytes of a message behind a gap in it; `None` if what follows is unknown.
    pub(super) fn rest(&mut self, bytes: &[u8]) -> Option<()> {
        if self.is_empty() {
            return Some(());
        }
        let mut sink = Vec::new();
        self.pipeline.feed(bytes, &mut sink, AHEAD).ok()?;
        self.garbled = self.garbled.saturating_sub(bytes.len());
        Some(())
    }

    /// Goes on behind missing bytes. Returns false if what follows is unknown.
    pub(super) fn gap(&mut self, missing: Missing) -> bool {
        self.plain.clear();
        (self.fed, self.next, self.wanted) = (0, 0, 0);
        match self.pipeline.skip(missing.bytes) {
            Some(garbled) => {
                self.garbled = garbled;
                true
            }
            None => false,
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.plain.capacity() + self.pipeline.memory()
    }
}
