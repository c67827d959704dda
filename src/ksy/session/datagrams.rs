//! Datagram conversations: numbered datagrams, session variables, and messages inside datagrams.

use super::core::Core;
use super::inner::Inner;
use super::keys::Keys;
use super::notices::Notices;
use super::sharing;
use crate::ksy::protocol::File;
use crate::ksy::run::{Element, UnitPart};
use crate::tree::{BySide, Side};
use crate::wire::{Exchange, Result, Settings, Unfinished, Wire};

/// The state of a datagram conversation.
pub(in crate::ksy) struct Datagrams {
    file: &'static File,
    sent: BySide<u64>,
    session: Option<Box<(Core, Keys, Notices)>>,
    inner: Option<Box<Inner>>,
}

impl Datagrams {
    pub(in crate::ksy) fn new(file: &'static File, settings: &Settings) -> Datagrams {
        let session = || {
            let keys = Keys::new(file, settings);
            Box::new((Core::new(file, [true; 2], &keys), keys, Notices::default()))
        };
        let (session, inner) = (file.has_session.then(session), Inner::new(file));
        Datagrams { file, sent: BySide::default(), session, inner }
    }

    /// Dissects a datagram, or a message in one.
    fn dissect(
        &mut self,
        (from, index): (Side, u64),
        (part, place): (UnitPart<'static>, u32),
        wire: &mut Wire<'_>,
    ) -> (Result, Vec<Element>) {
        let Some(session) = &mut self.session else { return self.file.whole(wire.sender(), index, (part, place), wire) };
        let (core, keys, notices) = &mut **session;
        if let Some(beginning) = wire.beginning().filter(|_| keys.is_unclaimed()) {
            keys.belong_to(&beginning);
            core.take_keys(keys);
            sharing::inherit(self.file, core, keys, wire.shared());
        }
        if keys.look_again() {
            core.take_keys(keys);
        }
        let range = wire.whole().1;
        let result = core.datagram((from, index), (part, place), wire, notices, keys);
        if self.file.shares() {
            sharing::leave(self.file, core, keys, (wire, range));
        }
        result
    }
}

impl Exchange for Datagrams {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let index = self.sent[from];
        self.sent[from] += 1;
        let (of, place) = self.file.datagram_root(wire.sender().unwrap_or(from));
        let (result, carried) = self.dissect((from, index), (UnitPart::Whole(of), place), wire);
        if let Some(inner) = &mut self.inner {
            inner.feed(self.file, from, carried, wire);
        }
        result
    }

    fn delivered(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (file, session, Some(inner)) = (self.file, &self.session, &mut self.inner) else { return Ok(()) };
        let is_sound = |root, wire: &Wire<'_>| match session {
            Some(session) => session.0.is_sound(from, root, wire),
            None => file.is_sound(Some(from), root, wire),
        };
        let Some((index, root)) = inner.begin(file, from, wire, is_sound) else { return Ok(()) };
        self.dissect((from, index), root, wire).0
    }

    fn memory_usage(&self) -> usize {
        let session = self.session.as_ref().map_or(0, |session| session.0.memory());
        size_of_val(self) + session + self.inner.as_ref().map_or(0, |inner| inner.memory())
    }

    fn is_waiting(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.is_waiting())
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        self.inner.as_mut().map(|inner| inner.unfinished(self.file)).unwrap_or_default()
    }
}
