//! How one side seals its records: which secret it is at, and how many records it has sealed with it.

use super::handshake::Hello;
use super::keys::{Content, Opener, Sealed, Terms};
use super::{HEADER, TLS_1_2};
use crate::tree::Side;
use crate::wire::Wire;

/// Records that may have been lost where bytes are missing: so many numbers are tried.
const LOST: u64 = 32;

/// What seals the records of one side.
#[derive(Default)]
pub(super) struct Seal {
    opener: Option<Opener>,
    /// Records that were sealed with these keys.
    number: u64,
    /// The handshake of TLS 1.3 is over for this side.
    is_established: bool,
    /// Records may be missing before the next one.
    is_behind_gap: bool,
}

/// What became of a sealed record.
pub(super) enum Outcome {
    Opened(Content),
    /// Nobody told a secret for it.
    NoSecret,
    /// The secret does not open it.
    Broken,
}

impl Seal {
    /// Open the next record, of which the payload is ahead.
    pub(super) fn open(&mut self, from: Side, hello: &Hello, header: [u8; HEADER], wire: &Wire<'_>) -> Outcome {
        let first = self.number;
        self.number += 1;
        if self.opener.is_none() {
            self.opener = self.opener(from, hello, wire);
        }
        let Some(opener) = &self.opener else { return Outcome::NoSecret };
        let last = if std::mem::take(&mut self.is_behind_gap) { first.saturating_add(LOST) } else { first };
        let open = |number| Some((number, opener.open(&Sealed { header, payload: wire.ahead(), number })?));
        match (first..=last).find_map(open) {
            Some((number, content)) => {
                self.number = number + 1;
                Outcome::Opened(content)
            }
            // What a client says before it is answered is sealed with a secret of an earlier connection.
            None if first == 0 && from == Side::Client && hello.early && !self.is_established => {
                self.number = first;
                Outcome::NoSecret
            }
            None => Outcome::Broken,
        }
    }

    /// Bytes of memory that it takes beside its own, about.
    pub(super) fn held(&self) -> usize {
        self.opener.as_ref().map_or(0, Opener::held)
    }

    /// A record of which a part is missing.
    pub(super) fn pass(&mut self) {
        self.number += 1;
    }

    /// Bytes are missing, and nobody knows how many records.
    pub(super) fn lose(&mut self) {
        self.is_behind_gap = true;
    }

    /// From here on it seals with new keys of TLS 1.2.
    pub(super) fn change(&mut self) {
        *self = Seal::default();
    }

    /// It has finished the handshake of TLS 1.3.
    pub(super) fn establish(&mut self) {
        *self = Seal { is_established: true, ..Seal::default() };
    }

    /// From here on it seals with the next keys of TLS 1.3.
    pub(super) fn update(&mut self, suite: u16) {
        self.opener = self.opener.take().and_then(|opener| opener.updated(suite));
        self.number = 0;
    }

    /// What opens its records, if somebody told the secret.
    fn opener(&self, from: Side, hello: &Hello, wire: &Wire<'_>) -> Option<Opener> {
        let label = match (hello.version, self.is_established, from) {
            (TLS_1_2, _, _) => "CLIENT_RANDOM",
            _ if !hello.is_1_3() => return None,
            (_, false, Side::Client) => "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            (_, false, Side::Server) => "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            (_, true, Side::Client) => "CLIENT_TRAFFIC_SECRET_0",
            (_, true, Side::Server) => "SERVER_TRAFFIC_SECRET_0",
        };
        let secret = wire.secret(label, &hello.client_random)?;
        if hello.is_1_3() {
            return Opener::of_traffic(secret, hello.suite);
        }
        let randoms = [&hello.client_random, &hello.server_random];
        Opener::of_master(secret, &Terms { suite: hello.suite, randoms, mac_last: hello.mac_last }, from)
    }
}
