//! Datagram conversations: numbered datagrams, and session variables.

use super::core::Core;
use super::keys::Keys;
use super::notices::Notices;
use super::sharing;
use crate::ksy::protocol::File;
use crate::tree::{BySide, Side};
use crate::wire::{Exchange, Result, Settings, Wire};

/// The state of a datagram conversation.
pub(in crate::ksy) struct Datagrams {
    file: &'static File,
    sent: BySide<u64>,
    session: Option<Box<(Core, Keys, Notices)>>,
}

impl Datagrams {
    pub(in crate::ksy) fn new(file: &'static File, settings: &Settings) -> Datagrams {
        let session = || {
            let keys = Keys::new(file, settings);
            Box::new((Core::new(file, [true; 2], &keys), keys, Notices::default()))
        };
        Datagrams { file, sent: BySide::default(), session: file.has_session.then(session) }
    }
}

impl Exchange for Datagrams {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let index = self.sent[from];
        self.sent[from] += 1;
        let Some(session) = &mut self.session else { return self.file.datagram(wire.sender(), index, wire) };
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
        let result = core.datagram(from, index, wire, notices, keys);
        if self.file.shares() {
            sharing::leave(self.file, core, keys, (wire, range));
        }
        result
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.session.as_ref().map_or(0, |session| session.0.memory())
    }
}
