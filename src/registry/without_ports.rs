//! The protocols that may own bytes without ports.

use super::{Candidate, Placed, Registry};
use crate::wire::{DatagramContext, Heuristic, Protocol};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Link types for private use, USER0 to USER15.
const PRIVATE_LINKS: RangeInclusive<u16> = 147..=162;

const NO_PORTS: DatagramContext = DatagramContext { ports: None, announced: None };

impl Registry {
    /// The protocols on a port whose heuristic accepts a datagram, whatever its ports.
    pub fn placed_datagrams(self, bytes: &[u8]) -> impl Iterator<Item = Candidate> {
        those(self.datagrams(), true).filter(|candidate| candidate.looks_right(bytes, &NO_PORTS, false))
    }

    /// The protocols of streams on a port that have a heuristic.
    pub fn placed_streams(self) -> impl Iterator<Item = Candidate> {
        those(self.streams(), true).filter(|candidate| !matches!(candidate.found.heuristic, Heuristic::Anything))
    }

    /// The protocols of streams on any port.
    pub fn streams_anywhere(self) -> impl Iterator<Item = Candidate> {
        those(self.streams(), false)
    }

    /// Whether a datagram heuristic of this protocol accepts the bytes, whatever their ports.
    #[must_use]
    pub fn is_datagram_of(self, protocol: &'static Protocol, bytes: &[u8]) -> bool {
        let mut own = Candidate::all(protocol).filter(|own| own.found.dissector.is_datagram());
        own.any(|candidate| candidate.looks_right(bytes, &NO_PORTS, false))
    }
}

impl Registry {
    /// Whether frames of this link type are bytes without a header: those of private link types, and those of a decode-as rule.
    #[must_use]
    pub fn has_no_header(self, link: u16) -> bool {
        PRIVATE_LINKS.contains(&link) || self.recognizer().choices.of_link(link).is_some()
    }

    /// The decode-as rule for a link type: its protocol, or `Some(None)` for undissected bytes.
    #[must_use]
    pub fn of_link(self, link: u16) -> Option<Option<&'static Protocol>> {
        self.choices.of_link(link).map(|line| line.protocol)
    }
}

/// Dissectors with a port, or without.
fn those(all: Cow<'static, [Placed]>, has_home: bool) -> impl Iterator<Item = Candidate> {
    let is_meant = move |(home, _): &&Placed| home.is_some() == has_home;
    (0..all.len()).filter_map(move |at| all.get(at).filter(is_meant).map(|(_, candidate)| *candidate))
}
