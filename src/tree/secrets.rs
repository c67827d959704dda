//! Decryption secrets from key logs and from the capture.

use crate::limits;
use std::collections::{HashMap, VecDeque};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The id of a connection, such as a TLS client random.
type Id = [u8; 32];

/// Overhead of an id and of a secret, in bytes.
const ID: usize = 128;
const SECRET: usize = 64;

/// Secrets of one id.
const OF_ONE: usize = 16;

/// Maximum length of a secret.
const LONGEST: usize = 64;

/// Maximum length of a label.
const LABEL: usize = 64;

/// Secrets of one id, by label.
type OfOne = Vec<(Box<str>, Box<[u8]>)>;

/// Secrets by id and label. The oldest id is evicted when the memory limit is reached.
#[derive(Debug, Default)]
pub struct Secrets {
    known: HashMap<Id, OfOne, foldhash::fast::RandomState>,
    /// The ids, oldest first.
    order: VecDeque<Id>,
    /// Approximate memory in bytes.
    held: usize,
    /// Whether any lookup succeeded.
    used: AtomicBool,
    /// The first id whose lookup failed.
    lacking: OnceLock<Id>,
}

impl Secrets {
    /// Parses a key log in NSS format: lines of a label, an id and a secret, both in hexadecimal. Ignores other lines.
    /// Returns the number of secrets.
    pub fn learn(&mut self, text: &[u8]) -> usize {
        text.split(|byte| *byte == b'\n').filter_map(|line| self.line(line)).count()
    }

    fn line(&mut self, line: &[u8]) -> Option<()> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (label, id, secret) = (words.next()?, words.next()?, words.next()?);
        let label = std::str::from_utf8(label).ok().filter(|label| label.len() <= LABEL && words.next().is_none())?;
        let (id, secret) = (Id::try_from(digits(id)?).ok()?, digits(secret).filter(|secret| !secret.is_empty())?);
        if !self.known.contains_key(&id) {
            self.order.push_back(id);
            self.held += ID;
        }
        let of_one = self.known.entry(id).or_default();
        let cost = |(label, secret): &(Box<str>, Box<[u8]>)| SECRET + label.len() + secret.len();
        if let Some(place) = of_one.iter().position(|(known, _)| **known == *label) {
            self.held = self.held.saturating_sub(cost(&of_one.swap_remove(place)));
        }
        if of_one.len() >= OF_ONE {
            return None;
        }
        let secret = (label.into(), secret.into());
        self.held += cost(&secret);
        of_one.push(secret);
        while self.held > limits::SECRETS.get()
            && let Some(first) = self.order.pop_front()
        {
            let evictions = self.known.remove(&first).unwrap_or_default();
            self.held = self.held.saturating_sub(ID + evictions.iter().map(cost).sum::<usize>());
        }
        Some(())
    }

    /// The secret with this label and id.
    #[must_use]
    pub fn find(&self, label: &str, id: &[u8]) -> Option<&[u8]> {
        let Some(of_one) = self.known.get(id) else {
            self.lacking.get_or_init(|| Id::try_from(id).unwrap_or_default());
            return None;
        };
        let found = of_one.iter().find(|(known, _)| **known == *label).map(|(_, secret)| &**secret);
        self.used.fetch_or(found.is_some(), Ordering::Relaxed);
        found
    }

    /// The id of the first connection without a secret, if no lookup succeeded.
    #[must_use]
    pub fn lacking(&self) -> Option<&Id> {
        self.lacking.get().filter(|_| !self.used.load(Ordering::Relaxed))
    }
}

/// Decodes hexadecimal digits.
fn digits(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || text.len() > 2 * LONGEST {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    text.chunks_exact(2).map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_log_is_learnt_line_by_line() {
        let mut secrets = Secrets::default();
        let id = "0f".repeat(32);
        let text = format!(
            "# a comment\r\nCLIENT_RANDOM {id} {}\r\n\nRSA Session-ID:00 Master-Key:00\nCLIENT_RANDOM {id}\n\
             CLIENT_RANDOM {} 00\nEXPORTER {id} 0A 0b\nEXPORTER {id} 0a0\nEXPORTER {id} 0g\nEXPORTER {id} 0A0b",
            "ab".repeat(48),
            "0f".repeat(31),
        );
        assert_eq!(secrets.learn(text.as_bytes()), 2);
        assert_eq!(secrets.find("CLIENT_RANDOM", &[0x0f; 32]), Some(&[0xab; 48][..]));
        assert_eq!(secrets.find("EXPORTER", &[0x0f; 32]), Some(&[0x0a, 0x0b][..]));
        assert_eq!(secrets.find("EXPORTER", &[0x0e; 32]), None);
        assert_eq!(secrets.lacking(), None, "others were found");
        assert_eq!(secrets.find("exporter", &[0x0f; 32]), None);
        assert_eq!(secrets.learn(format!("EXPORTER {id} 0c").as_bytes()), 1);
        assert_eq!(secrets.find("EXPORTER", &[0x0f; 32]), Some(&[0x0c][..]));
    }

    #[test]
    fn secrets_that_are_of_no_use_name_the_first_connection_without_one() {
        let mut secrets = Secrets::default();
        secrets.learn(format!("EXPORTER {} 0a", "0f".repeat(32)).as_bytes());
        assert_eq!(secrets.lacking(), None);
        for id in [[1; 32], [2; 32]] {
            assert_eq!(secrets.find("EXPORTER", &id), None);
        }
        assert_eq!(secrets.lacking(), Some(&[1; 32]));
        assert!(secrets.find("EXPORTER", &[0x0f; 32]).is_some());
        assert_eq!(secrets.lacking(), None);
    }

    #[test]
    fn the_oldest_secrets_are_evicted_first() {
        let mut secrets = Secrets::default();
        let id = |number: usize| {
            let mut id = [0; 32];
            id[24..].copy_from_slice(&number.to_be_bytes());
            id
        };
        let most = limits::SECRETS.get() / (ID + SECRET + 2);
        for number in 0..most + 2 {
            assert_eq!(secrets.learn(format!("A {number:064x} 01").as_bytes()), 1);
        }
        assert_eq!((secrets.known.len(), secrets.order.len()), (most, most));
        assert_eq!(secrets.find("A", &id(1)), None);
        assert_eq!(secrets.find("A", &id(2)), Some(&[1][..]));
        assert_eq!(secrets.find("A", &id(most + 1)), Some(&[1][..]));
        for _ in 0..1000 {
            secrets.learn(format!("A {:064x} 0203", most).as_bytes());
        }
        assert!(secrets.held <= limits::SECRETS.get() && secrets.known.len() >= most - 1, "the same again takes no more room");
        let many: Vec<usize> =
            (0..20).map(|label| secrets.learn(format!("L{label} {} 01", "00".repeat(32)).as_bytes())).collect();
        assert_eq!(many.iter().sum::<usize>(), OF_ONE);
    }
}
