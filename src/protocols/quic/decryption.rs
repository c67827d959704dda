//! Decryption state of one side: keys of its encryption levels, packet numbers and key phases.

use super::keys::{Decrypted, Header, Keys, PayloadKey};
use super::versions::{self, Labels};
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::keys::{Algorithms, LabelPrefix};
use crate::tree::Side;
use crate::wire::Wire;

/// Cipher suites of early data, whose ServerHello is in an earlier connection.
const EARLY_SUITES: [u16; 3] = [0x1301, 0x1302, 0x1303];

/// Key phase bit of a short header.
const KEY_PHASE: u8 = 0x04;

/// Encryption levels in a key log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// 0-RTT.
    Early,
    Handshake,
    /// 1-RTT.
    Application,
}

/// Decryption state of one side.
#[derive(Default)]
pub(super) struct Decryption {
    early: Option<Box<Keys>>,
    handshake: Option<Box<Keys>>,
    application: Option<Box<Phases>>,
    /// Next expected packet number in each packet number space: Initial, Handshake, application data.
    pub(super) expected: [u64; 3],
}

/// Keys of 1-RTT packets, which change with the key phase bit.
struct Phases {
    keys: Keys,
    suite: u16,
    labels: Labels,
    /// Secret of the current keys.
    secret: Vec<u8>,
    /// Key phase bit of the current keys.
    bit: u8,
    /// First packet number seen with the current keys.
    first: u64,
    previous: Option<PayloadKey>,
    /// Secret and keys of the next phase, derived when first needed.
    next: Option<(Vec<u8>, PayloadKey)>,
}

/// Result of a decryption.
pub(super) enum Outcome {
    Decrypted(Decrypted),
    /// The secret is unknown.
    NoSecret,
    /// The secret is wrong for the packet.
    Failed,
}

impl Level {
    fn label(self, from: Side) -> Option<&'static str> {
        Some(match (self, from) {
            (Level::Early, Side::Client) => "CLIENT_EARLY_TRAFFIC_SECRET",
            (Level::Early, Side::Server) => return None,
            (Level::Handshake, Side::Client) => "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            (Level::Handshake, Side::Server) => "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            (Level::Application, Side::Client) => "CLIENT_TRAFFIC_SECRET_0",
            (Level::Application, Side::Server) => "SERVER_TRAFFIC_SECRET_0",
        })
    }

    /// Index of its packet number space.
    pub(super) fn space(self) -> usize {
        match self {
            Level::Handshake => 1,
            Level::Early | Level::Application => 2,
        }
    }
}

impl Decryption {
    /// Decrypts a packet whose packet number is at this offset.
    pub(super) fn decrypt(
        &mut self,
        level: Level,
        (from, version): (Side, u32),
        hello: &Hello,
        wire: &Wire<'_>,
        (packet, at): (&[u8], usize),
    ) -> Outcome {
        let labels = versions::labels(version);
        let secret = || wire.secret(level.label(from)?, &hello.client_random);
        let expected = self.expected.get(level.space()).copied().unwrap_or_default();
        let decrypted = match level {
            Level::Early => {
                if self.early.is_none() {
                    let Some(secret) = secret() else { return Outcome::NoSecret };
                    let opens = |keys: &Keys| open(keys, packet, at, expected).is_some();
                    let keys = EARLY_SUITES.iter().filter_map(|suite| Keys::of_suite(*suite, secret, labels)).find(opens);
                    self.early = keys.map(Box::new);
                }
                self.early.as_ref().and_then(|keys| open(keys, packet, at, expected))
            }
            Level::Handshake => {
                if self.handshake.is_none() {
                    self.handshake = secret().and_then(|secret| Keys::of_suite(hello.suite, secret, labels)).map(Box::new);
                }
                let Some(keys) = &self.handshake else { return Outcome::NoSecret };
                open(keys, packet, at, expected)
            }
            Level::Application => {
                if self.application.is_none() {
                    let phases = secret().and_then(|secret| Phases::new(hello.suite, secret, labels));
                    self.application = phases.map(Box::new);
                }
                let Some(phases) = &mut self.application else { return Outcome::NoSecret };
                phases.open(packet, at, expected)
            }
        };
        let Some(decrypted) = decrypted else { return Outcome::Failed };
        self.receive(level.space(), decrypted.number);
        Outcome::Decrypted(decrypted)
    }

    /// Updates the largest packet number of a space.
    pub(super) fn receive(&mut self, space: usize, number: u64) {
        if let Some(expected) = self.expected.get_mut(space) {
            *expected = (*expected).max(number + 1);
        }
    }

    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let keys = |keys: &Option<Box<Keys>>| keys.as_ref().map_or(0, |keys| size_of::<Keys>() + keys.memory_usage());
        keys(&self.early) + keys(&self.handshake) + self.application.as_ref().map_or(0, |phases| phases.memory_usage())
    }
}

fn open(keys: &Keys, packet: &[u8], at: usize, expected: u64) -> Option<Decrypted> {
    let header = keys.header.unprotect(packet, at)?;
    keys.payload.decrypt(packet, &header, header.number(expected))
}

impl Phases {
    fn new(suite: u16, secret: &[u8], labels: Labels) -> Option<Phases> {
        let keys = Keys::of_suite(suite, secret, labels)?;
        Some(Phases { keys, suite, labels, secret: secret.to_vec(), bit: 0, first: 0, previous: None, next: None })
    }

    /// Decrypts a packet, and switches to the next keys if it is the first one of its phase.
    fn open(&mut self, packet: &[u8], at: usize, expected: u64) -> Option<Decrypted> {
        let header = self.keys.header.unprotect(packet, at)?;
        let number = header.number(expected);
        if header.first & KEY_PHASE == self.bit {
            let decrypted = self.keys.payload.decrypt(packet, &header, number)?;
            self.first = self.first.min(number);
            return Some(decrypted);
        }
        if number < self.first
            && let Some(decrypted) = self.previous.as_ref().and_then(|keys| keys.decrypt(packet, &header, number))
        {
            return Some(decrypted);
        }
        self.update(packet, &header, number)
    }

    /// Decrypts with the keys of the next phase.
    fn update(&mut self, packet: &[u8], header: &Header, number: u64) -> Option<Decrypted> {
        if self.next.is_none() {
            let Algorithms { kind, hash, .. } = Algorithms::of(self.suite)?;
            let secret = hash.expand(LabelPrefix::Tls, &self.secret, self.labels.update, hash.size())?;
            let keys = PayloadKey::derive(kind, hash, &secret, self.labels)?;
            self.next = Some((secret, keys));
        }
        let decrypted = self.next.as_ref()?.1.decrypt(packet, header, number)?;
        let (secret, keys) = self.next.take()?;
        self.previous = Some(std::mem::replace(&mut self.keys.payload, keys));
        (self.secret, self.first) = (secret, number);
        self.bit ^= KEY_PHASE;
        Some(decrypted)
    }

    fn memory_usage(&self) -> usize {
        let other = |keys: &PayloadKey| keys.memory_usage();
        let next = self.next.as_ref().map_or(0, |(secret, keys)| secret.capacity() + keys.memory_usage());
        size_of::<Phases>() + self.keys.memory_usage() + self.secret.capacity() + self.previous.as_ref().map_or(0, other) + next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::quic::versions::labels;
    use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};

    const AES_128_GCM: u16 = 0x1301;

    fn expand(secret: &[u8], label: &str, count: usize) -> Vec<u8> {
        Algorithms::of(AES_128_GCM).unwrap().hash.expand(LabelPrefix::Tls, secret, label, count).unwrap()
    }

    /// A packet without connection ID, with a packet number of one byte, as its sender protects it (RFC 9001, section 5).
    fn protected(secret: &[u8], header_keys: &Keys, phase: u8, number: u8, frames: &[u8]) -> Vec<u8> {
        let header = [0x40 | phase, number];
        let mut nonce = expand(secret, labels(1).iv, 12);
        nonce[11] ^= number;
        let cipher = aes_gcm::Aes128Gcm::new_from_slice(&expand(secret, labels(1).key, 16)).unwrap();
        let nonce: [u8; 12] = nonce.try_into().unwrap();
        let ciphertext = cipher.encrypt(&nonce.into(), Payload { msg: frames, aad: &header }).unwrap();
        let plain = [&header[..], &ciphertext].concat();
        // Applied twice, the mask of the header is undone.
        let masked = header_keys.header.unprotect(&plain, 1).unwrap().bytes;
        [&masked[..2], &ciphertext].concat()
    }

    #[test]
    fn keys_change_with_the_phase_and_late_packets_need_the_previous_ones() {
        let first = vec![7; 32];
        let second = expand(&first, labels(1).update, 32);
        let third = expand(&second, labels(1).update, 32);
        let header_keys = Keys::of_suite(AES_128_GCM, &first, labels(1)).unwrap();
        let mut phases = Phases::new(AES_128_GCM, &first, labels(1)).unwrap();
        for (secret, phase, number) in [
            (&first, 0, 5),
            (&second, KEY_PHASE, 7),
            (&first, 0, 6),
            (&second, KEY_PHASE, 8),
            (&third, 0, 10),
            (&second, KEY_PHASE, 9),
        ] {
            let packet = protected(secret, &header_keys, phase, number, &[number; 20]);
            let decrypted = phases.open(&packet, 1, number.into()).unwrap_or_else(|| panic!("packet {number}"));
            assert_eq!((decrypted.number, decrypted.frames), (number.into(), vec![number; 20]));
        }
        // The phase before the previous one is over.
        assert!(phases.open(&protected(&first, &header_keys, KEY_PHASE, 4, &[4; 20]), 1, 4).is_none());
    }
}
