//! The keys of a conversation: where they come from, and whether they are known to fit.

use crate::keys::{Key, KeyRing, Owner, line_for, parse_value};
use crate::ksy::compile::program::{InitCode, VariableCode};
use crate::ksy::protocol::File;
use crate::ksy::run::variables::{Cause, Held, Plain};
use crate::wire::{Beginning, InvalidValue, Settings};
use std::net::SocketAddr;
use std::sync::Arc;

/// The keys of a conversation.
pub(super) struct Keys {
    file: &'static File,
    ring: Option<Arc<KeyRing>>,
    owner: Option<Owner>,
    /// The first frame of the conversation.
    first: u64,
    /// The keys that were found, by variable.
    found: Vec<Option<Key>>,
    /// Variables that options of the command line set.
    given: Vec<(u32, Plain)>,
    /// Variables with a key, as bits.
    known: u64,
    /// Those whose keys fit.
    proven: u64,
    /// Those whose keys do not.
    rejected: u64,
    /// The state of the key files at the last search.
    generation: u64,
    /// Datagrams that were read with keys, and their bytes.
    datagrams: u32,
    datagram_bytes: usize,
}

impl Keys {
    pub(super) fn new(file: &'static File, settings: &Settings) -> Keys {
        let ring = settings.keys().cloned();
        let generation = ring.as_ref().map_or(0, |ring| ring.generation());
        let mut given = Vec::new();
        for (number, name) in (0..).zip(&file.variables) {
            let Some(text) = settings.get(name) else { continue };
            let is_key = file.program.session.get(number as usize).is_some_and(|variable| matches!(variable.init, InitCode::Key));
            let plain = if is_key { bytes(text) } else { plain(text) };
            given.extend(plain.map(|plain| (number, plain)));
        }
        let found = vec![None; file.program.session.len()];
        Keys {
            file,
            ring,
            owner: None,
            first: 0,
            found,
            given,
            known: 0,
            proven: 0,
            rejected: 0,
            generation,
            datagrams: 0,
            datagram_bytes: 0,
        }
    }

    /// Whether it is not stated yet which conversation it is.
    pub(super) fn is_unclaimed(&self) -> bool {
        self.owner.is_none()
    }

    /// States which conversation it is, and searches its keys.
    pub(super) fn belong_to(&mut self, beginning: &Beginning) {
        self.owner = Some(beginning.owner());
        self.first = beginning.frame;
        self.search();
    }

    /// Client and server of the conversation, and its first frame, if they are known.
    pub(super) fn place_of_conversation(&self) -> Option<([SocketAddr; 2], u64)> {
        Some((self.owner.as_ref()?.ends?, self.first))
    }

    /// Adds keys of an earlier conversation, which are not known to fit.
    pub(super) fn inherit(&mut self, keys: u64) {
        self.known |= keys;
    }

    /// Variables whose keys fit, as bits.
    pub(super) const fn proven(&self) -> u64 {
        self.proven
    }

    /// Searches again if key files have grown. Returns whether keys were found.
    pub(super) fn look_again(&mut self) -> bool {
        let wanted = self.file.key_bits() & !self.given_bits();
        let Some(ring) = self.ring.as_ref().filter(|_| wanted & (!self.known | self.rejected) != 0) else { return false };
        let generation = ring.generation();
        if generation == self.generation {
            return false;
        }
        self.generation = generation;
        self.search()
    }

    fn search(&mut self) -> bool {
        let (Some(ring), Some(owner)) = (&self.ring, &self.owner) else { return false };
        let mut is_new = false;
        for (number, variable) in self.file.program.session.iter().enumerate() {
            let bit = 1_u64 << number.min(63);
            let is_wanted = matches!(variable.init, InitCode::Key) && (self.proven | self.given_bits()) & bit == 0;
            if !is_wanted {
                continue;
            }
            let Some(key) = ring.find(self.file.id, variable.name, owner) else { continue };
            if let Some(place) = self.found.get_mut(number)
                && place.as_ref() != Some(&key)
            {
                *place = Some(key);
                self.known |= bit;
                self.rejected &= !bit;
                is_new = true;
            }
        }
        is_new
    }

    fn given_bits(&self) -> u64 {
        self.given.iter().fold(0, |bits, (number, _)| bits | 1 << number.min(&63))
    }

    /// The first values of all variables. Those that messages change are unknown if the capture begins midway.
    pub(super) fn first_values(&self, is_midway: bool) -> Vec<Held> {
        let first = |(number, variable): (usize, &VariableCode)| {
            let is_unknown = is_midway && variable.is_set && matches!(variable.init, InitCode::Value(_));
            if is_unknown { Held::Unknown(Cause::Midway) } else { self.file.first_value(number) }
        };
        let mut held: Vec<Held> = self.file.program.session.iter().enumerate().map(first).collect();
        for (number, plain) in &self.given {
            if let Some(place) = held.get_mut(*number as usize) {
                let is_key = matches!(place, Held::Missing);
                *place = Held::Known(plain.clone(), if is_key { 1 << number.min(&63) } else { 0 });
            }
        }
        held
    }

    /// Gives variables the keys that were found.
    pub(super) fn fill(&self, held: &mut [Held]) {
        for (number, (place, key)) in held.iter_mut().zip(&self.found).enumerate() {
            let bit = 1 << number.min(63);
            if let Some(key) = key
                && self.rejected & bit == 0
                && matches!(place, Held::Missing | Held::Unknown(Cause::NoKey(_) | Cause::WrongKey(_)))
            {
                *place = Held::Known(Plain::Bytes(key.value.clone()), bit);
            }
        }
    }

    /// Variables with keys that are not known to fit, as bits.
    pub(super) fn uncertain(&self) -> u64 {
        (self.known | self.given_bits()) & !self.proven & !self.rejected
    }

    pub(super) fn prove(&mut self, keys: u64) {
        self.judge(keys & !self.proven, true);
        self.proven |= keys;
    }

    /// Tells the list of keys whether these fit.
    fn judge(&self, keys: u64, fits: bool) {
        let (Some(ring), Some(owner)) = (self.ring.as_ref().filter(|ring| ring.is_recording()), &self.owner) else { return };
        for (number, variable) in self.file.program.session.iter().enumerate() {
            if keys & 1 << number.min(63) != 0 {
                ring.judge(self.file.id, variable.name, owner.stream, fits);
            }
        }
    }

    /// Counts a datagram of this size that was read with keys. Enough of them show that the keys fit.
    pub(super) fn count(&mut self, keys: u64, bytes: usize) {
        self.datagrams += 1;
        self.datagram_bytes += bytes;
        if self.datagrams >= super::trial::MESSAGES || self.datagram_bytes >= super::trial::BYTES {
            self.prove(keys);
        }
    }

    pub(super) fn reject(&mut self, keys: u64) {
        self.judge(keys & !self.rejected, false);
        self.rejected |= keys;
    }

    /// The name of a variable.
    pub(super) fn name(&self, number: u32) -> &'static str {
        self.file.program.session.get(number as usize).map_or("", |variable| variable.name)
    }

    /// The line that would serve a variable.
    pub(super) fn line_for(&self, number: u32) -> String {
        let name = self.name(number);
        self.owner.as_ref().map_or_else(|| format!("{} {name} HEX", self.file.id), |owner| line_for(self.file.id, name, owner))
    }

    /// Where the key of a variable stands.
    pub(super) fn place(&self, number: u32) -> Option<String> {
        let found = self.found.get(number as usize)?.as_ref().map(ToString::to_string);
        found.or_else(|| Some(format!("-o {}.{}", self.file.id, self.name(number))))
    }
}

/// Validates an option that is a key.
pub(in crate::ksy) fn check_key(text: &str) -> Result<(), InvalidValue> {
    parse_value(text).map(drop).map_err(|message| InvalidValue { line: None, message })
}

/// Validates an option that is the value of another variable.
pub(in crate::ksy) fn check_value(text: &str) -> Result<(), InvalidValue> {
    let message = || String::from("expected an integer, true, false, hex, \"text\" or base64:…");
    plain(text).map(drop).ok_or_else(|| InvalidValue { line: None, message: message() })
}

/// Bytes of an option.
fn bytes(text: &str) -> Option<Plain> {
    parse_value(text).ok().map(|bytes| Plain::Bytes(bytes.into()))
}

/// The value of an option: an integer, a boolean, or bytes.
fn plain(text: &str) -> Option<Plain> {
    match (crate::ksy::read::integer(text), text) {
        (Some(number), _) => Some(Plain::Int(number)),
        (None, "true" | "false") => Some(Plain::Bool(text == "true")),
        _ => bytes(text),
    }
}
