//! Dissectors that decide by dissecting, and what they ask of a registry.

use super::{Candidate, Registry};
use crate::wire::{On, Scripted};

impl Registry {
    /// Adds dissectors that decide by dissecting. Their protocols are among those that [`Registry::and`] adds.
    #[must_use]
    pub const fn asking(self, scripted: &'static dyn Scripted) -> Registry {
        Registry { scripted: Some(scripted), ..self }
    }

    /// Loaded dissectors that decide by dissecting.
    #[must_use]
    pub fn scripted(self) -> Option<&'static dyn Scripted> {
        self.scripted
    }

    /// The loaded dissector that decides by dissecting, if one is registered on this port.
    #[must_use]
    pub fn scripted_on(self, on: On) -> Option<Candidate> {
        let scripted = self.scripted?;
        let own = self.own.iter().filter(|protocol| scripted.has(protocol));
        let here = |candidate: &Candidate| candidate.found.on.covers(on);
        own.copied().flat_map(Candidate::all).find(here)
    }

    /// Whether protocols are detected by port only.
    #[must_use]
    pub fn ignores_content(self) -> bool {
        self.choices.no_heuristics
    }

    /// The protocol of this name, with its dissector of streams.
    pub fn stream_reader(self, name: &str) -> Option<Candidate> {
        let protocol = self.applications().find(|protocol| protocol.this.abbrev == name)?;
        Candidate::all(protocol).next()
    }
}
