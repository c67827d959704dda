//! Streams and datagram conversations of a loaded file: message boundaries, session variables, and stages of ciphers and
//! decompressors.

mod core;
mod datagrams;
mod half;
mod inner;
mod keys;
mod notices;
mod sharing;
mod staged;
mod trial;

pub(super) use datagrams::Datagrams;
pub(super) use keys::{check_key, check_value};

use self::core::Core;
use super::protocol::File;
use crate::tree::{BySide, SharedValues, Side};
use crate::wire::{Beginning, Conversation, Extent, Missing, Result, Settings, Wire};
use half::{Half, Phase, Reading};
use inner::Inner;
use keys::Keys;
use notices::Notices;
use trial::{Trial, Verdict};

/// The state of a connection whose messages depend on nothing but their own bytes.
pub(super) struct Plain {
    file: &'static File,
    sides: BySide<Half>,
    inner: Option<Box<Inner>>,
}

impl Plain {
    pub(super) fn new(file: &'static File, [client, server]: [bool; 2]) -> Plain {
        let half = |side: Side, from_start: bool| Half::new(&file.sides[side], from_start);
        Plain {
            file,
            sides: BySide { client: half(Side::Client, client), server: half(Side::Server, server) },
            inner: Inner::new(file),
        }
    }

    fn reading(&mut self, from: Side) -> Reading<'_> {
        Reading { file: self.file, direction: &self.file.sides[from], half: &mut self.sides[from], from }
    }
}

impl Conversation for Plain {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.reading(from).extent(ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (result, after) = self.reading(from).dissect(wire);
        if let Some(inner) = &mut self.inner {
            inner.feed(self.file, from, after.carried, wire);
        }
        result
    }

    fn delivered(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (file, Some(inner)) = (self.file, &mut self.inner) else { return Ok(()) };
        let is_sound = |root, wire: &Wire<'_>| file.is_sound(Some(from), root, wire);
        let Some((index, root)) = inner.begin(file, from, wire, is_sound) else { return Ok(()) };
        file.whole(Some(from), index, root, wire).0
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.sides[from].gap(missing, Phase::Doubtful);
    }

    fn memory_usage(&self) -> usize {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.memory());
        size_of_val(self) + self.sides.iter().map(Half::memory).sum::<usize>() + inner
    }
}

/// The state of a connection with session variables, or with ciphers or decompressors that go on.
pub(super) struct Session {
    file: &'static File,
    core: Core,
    keys: Keys,
    notices: Notices,
    /// Bytes that are held back until it is certain that a key fits.
    trial: Option<Box<Trial>>,
    /// Whether bytes that were held back can be read now.
    releases: bool,
    inner: Option<Box<Inner>>,
}

impl Session {
    pub(super) fn new(file: &'static File, settings: &Settings, from_start: [bool; 2]) -> Session {
        let keys = Keys::new(file, settings);
        let core = Core::new(file, from_start, &keys);
        Session { file, core, keys, notices: Notices::default(), trial: None, releases: false, inner: Inner::new(file) }
    }

    /// Reads bytes that were held back a little further.
    fn hold(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        let trial = self.trial.as_mut()?;
        match trial.advance(from, ahead, more) {
            Verdict::Open => return Some(Extent::NeedMore(ahead.len() + 1)),
            Verdict::Fits => self.keys.prove(trial.keys),
            Verdict::Fails => {
                self.keys.reject(trial.keys);
                self.core.reject(trial.keys);
            }
        }
        self.trial = None;
        self.releases = true;
        more.then_some(Extent::NeedMore(ahead.len() + 1))
    }

    /// Begins to hold bytes back if the next message uses a key that is not certain to fit.
    fn begin_trial(&mut self, from: Side, ahead: &[u8], end: usize) -> bool {
        let uncertain = self.keys.uncertain();
        if uncertain == 0 {
            return false;
        }
        let mut rehearsed = self.core.fork();
        let used = rehearsed.rehearse(from, ahead.get(..end).unwrap_or(ahead)).1;
        let keys = used & uncertain;
        if keys != 0 {
            self.trial = Some(Box::new(Trial::new(self.core.fork(), keys)));
        }
        keys != 0
    }
}

impl Conversation for Session {
    fn begins(&mut self, beginning: &Beginning) {
        self.keys.belong_to(beginning);
        self.core.take_keys(&self.keys);
    }

    fn inherit(&mut self, shared: &SharedValues) {
        sharing::inherit(self.file, &mut self.core, &mut self.keys, shared);
    }

    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.keys.look_again() {
            self.core.take_keys(&self.keys);
        }
        if let Some(held) = self.hold(from, ahead, more) {
            return held;
        }
        let extent = self.core.extent(from, ahead, more);
        if let Extent::Message(end) = extent
            && end <= ahead.len()
            && self.begin_trial(from, ahead, end)
        {
            return match self.hold(from, ahead, more) {
                Some(held) => held,
                None => self.core.extent(from, ahead, more),
            };
        }
        extent
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let range = wire.whole().1;
        self.notices.before(wire);
        let (result, carried) = self.core.message(from, wire, &mut self.notices, &self.keys);
        if self.file.shares() {
            sharing::leave(self.file, &mut self.core, &self.keys, (wire, range));
        }
        if let Some(inner) = &mut self.inner {
            inner.feed(self.file, from, carried, wire);
        }
        let keys = self.core.new_keys() & self.keys.uncertain();
        if keys != 0 && self.trial.is_none() {
            self.trial = Some(Box::new(Trial::new(self.core.fork(), keys)));
        }
        result
    }

    fn delivered(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (core, Some(inner)) = (&mut self.core, &mut self.inner) else { return Ok(()) };
        let is_sound = |root, wire: &Wire<'_>| core.is_sound(from, root, wire);
        let Some((index, root)) = inner.begin(self.file, from, wire, is_sound) else { return Ok(()) };
        core.datagram((from, index), root, wire, &mut self.notices, &mut self.keys).0
    }

    fn passed(&mut self, from: Side, count: usize) {
        self.core.sides[from].staged.pass(count);
    }

    fn rest(&mut self, from: Side, bytes: &[u8]) {
        self.core.rest(from, bytes);
    }

    fn repeats(&mut self, from: Side) -> bool {
        self.trial.is_none() && self.core.repeats(from)
    }

    fn releases(&mut self) -> bool {
        std::mem::take(&mut self.releases)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.core.gap(from, missing);
        if self.file.changes() {
            self.notices.stale();
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self)
            + self.core.memory()
            + self.trial.as_ref().map_or(0, |trial| trial.memory())
            + self.inner.as_ref().map_or(0, |inner| inner.memory())
    }
}

#[cfg(test)]
mod tests;
