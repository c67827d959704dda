//! Decryption state of one side: its current keys and record sequence number.

use super::hello::Hello;
use super::keys::{Decryptor, EncryptedRecord, LabelPrefix, Plaintext, SecurityParameters};
use super::{HEADER, TLS_1_0, TLS_1_2};
use crate::tree::Side;
use crate::wire::Wire;

/// Maximum number of sequence numbers tried after a gap, in which records may have been lost.
const MAX_LOST_RECORDS: u64 = 32;

/// Decryption state of one side.
#[derive(Default)]
pub(in crate::protocols) struct DecryptionState {
    decryptor: Option<Decryptor>,
    /// Sequence number of the next record.
    number: u64,
    /// Whether the side has finished the TLS 1.3 handshake.
    is_established: bool,
    /// Whether records may be missing before the next one.
    follows_gap: bool,
}

/// Result of a decryption.
pub(in crate::protocols) enum Outcome {
    Decrypted(Plaintext),
    /// The secret is unknown.
    NoSecret,
    /// The secret is wrong for the record.
    Failed,
}

impl DecryptionState {
    /// Decrypts the next record, whose payload is unread.
    pub(super) fn decrypt(&mut self, from: Side, hello: &Hello, header: [u8; HEADER], wire: &Wire<'_>) -> Outcome {
        let first = self.number;
        self.number += 1;
        if self.decryptor.is_none() {
            self.decryptor = self.derive_keys(from, hello, wire);
        }
        let Some(decryptor) = &mut self.decryptor else { return Outcome::NoSecret };
        let last = if self.follows_gap { first.saturating_add(MAX_LOST_RECORDS) } else { first };
        let record = |number| EncryptedRecord { header: &header, payload: wire.ahead(), number, connection_id: &[] };
        let decrypt = |number| Some((number, decryptor.decrypt(&record(number))?));
        let found = (first..=last).find_map(decrypt);
        // After a gap, the first record of TLS 1.0 lacks the block it is chained to.
        self.follows_gap &= found.is_none() && decryptor.is_chained();
        decryptor.chain(wire.ahead());
        match found {
            Some((number, content)) => {
                self.number = number + 1;
                Outcome::Decrypted(content)
            }
            // Early data is encrypted with a secret of an earlier connection.
            None if first == 0 && from == Side::Client && hello.early && !self.is_established => {
                self.number = first;
                Outcome::NoSecret
            }
            None => Outcome::Failed,
        }
    }

    /// Decrypts a record with a transmitted sequence number, as in DTLS.
    pub(in crate::protocols) fn decrypt_numbered(
        &mut self,
        from: Side,
        hello: &Hello,
        record: &EncryptedRecord<'_>,
        wire: &Wire<'_>,
    ) -> Outcome {
        if self.decryptor.is_none() {
            self.decryptor = self.derive_keys(from, hello, wire);
        }
        let Some(decryptor) = &self.decryptor else { return Outcome::NoSecret };
        decryptor.decrypt(record).map_or(Outcome::Failed, Outcome::Decrypted)
    }

    /// Approximate heap memory use in bytes.
    pub(in crate::protocols) fn memory_usage(&self) -> usize {
        self.decryptor.as_ref().map_or(0, Decryptor::memory_usage)
    }

    /// Skips an incomplete record.
    pub(super) fn skip_record(&mut self) {
        self.number += 1;
    }

    /// Marks a gap with an unknown number of records.
    pub(super) fn mark_gap(&mut self) {
        self.follows_gap = true;
    }

    /// Switches to new TLS 1.2 keys.
    pub(super) fn change(&mut self) {
        *self = DecryptionState::default();
    }

    /// Switches to the TLS 1.3 application traffic keys.
    pub(super) fn establish(&mut self) {
        *self = DecryptionState { is_established: true, ..DecryptionState::default() };
    }

    /// Switches to the next TLS 1.3 traffic keys.
    pub(super) fn update(&mut self, suite: u16) {
        self.decryptor = self.decryptor.take().and_then(|decryptor| decryptor.next_generation(suite));
        self.number = 0;
    }

    /// Derives the keys if the secret is known.
    fn derive_keys(&self, from: Side, hello: &Hello, wire: &Wire<'_>) -> Option<Decryptor> {
        let label = match (hello.version, self.is_established, from) {
            (TLS_1_0..=TLS_1_2, _, _) => "CLIENT_RANDOM",
            _ if !hello.is_1_3() => return None,
            (_, false, Side::Client) => "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            (_, false, Side::Server) => "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            (_, true, Side::Client) => "CLIENT_TRAFFIC_SECRET_0",
            (_, true, Side::Server) => "SERVER_TRAFFIC_SECRET_0",
        };
        let secret = wire.secret(label, &hello.client_random)?;
        if hello.is_1_3() {
            return Decryptor::from_traffic_secret(LabelPrefix::Tls, secret, hello.suite);
        }
        let randoms = [&hello.client_random, &hello.server_random];
        let parameters = SecurityParameters { version: hello.version, suite: hello.suite, randoms, mac_last: hello.mac_last };
        Decryptor::from_master_secret(secret, &parameters, from)
    }
}
