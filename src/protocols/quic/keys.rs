//! Packet protection (RFC 9001, section 5): keys, header protection and decryption.
//!
//! ```text
//! keys        key, IV, header protection key = Expand-Label(secret, "quic key"), …"quic iv"), …"quic hp")
//! header      mask = AES(header protection key, sample) or ChaCha20(key, counter, nonce of the sample)
//!             first byte xor 5 bits of the mask in a short header, 4 in a long one; packet number xor what follows
//! payload     ciphertext | tag:16         nonce = IV xor packet number; the header is authenticated
//! ```

use super::versions::{self, Derivation, Labels};
use crate::protocols::tls::keys::{Aead, Algorithms, Hash, Kind, LabelPrefix, nonce_of};
use crate::tree::Side;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use hkdf::Hkdf;
use sha2::Sha256;

/// Header form bit: set in long headers.
pub(super) const LONG: u8 = 0x80;

/// Size of the sample that the header protection mask derives from, in bytes.
const SAMPLE: usize = 16;
/// Longest packet number in bytes. The sample begins where it would end.
const MAX_NUMBER: usize = 4;
/// Block size of ChaCha20 in bytes.
const CHACHA_BLOCK: u64 = 64;

/// Packet protection keys of one direction.
pub(super) struct Keys {
    pub(super) header: HeaderKey,
    pub(super) payload: PayloadKey,
}

/// Header protection cipher with its key.
pub(super) enum HeaderKey {
    Aes128(Box<Aes128>),
    Aes256(Box<Aes256>),
    ChaCha([u8; 32]),
}

/// Payload cipher with its key and IV.
pub(super) struct PayloadKey {
    aead: Aead,
    iv: [u8; 12],
}

/// Unprotected packet header.
pub(super) struct Header {
    pub(super) first: u8,
    /// Packet number as transmitted.
    truncated: u64,
    /// Packet number length in bytes.
    pub(super) number_length: usize,
    /// The complete header, which is authenticated.
    pub(super) bytes: Vec<u8>,
}

/// Decrypted packet.
pub(super) struct Decrypted {
    /// First byte without header protection.
    pub(super) first: u8,
    pub(super) number: u64,
    /// Packet number length in bytes.
    pub(super) number_length: usize,
    pub(super) frames: Vec<u8>,
}

impl Keys {
    pub(super) fn derive(kind: Kind, hash: Hash, secret: &[u8], labels: Labels) -> Option<Keys> {
        let header = hash.expand(LabelPrefix::Tls, secret, labels.header, kind.key())?;
        Some(Keys { header: HeaderKey::new(kind, &header)?, payload: PayloadKey::derive(kind, hash, secret, labels)? })
    }

    /// Keys derived from a traffic secret of the key log.
    pub(super) fn of_suite(suite: u16, secret: &[u8], labels: Labels) -> Option<Keys> {
        let Algorithms { kind, hash, .. } = Algorithms::of(suite)?;
        Keys::derive(kind, hash, secret, labels)
    }

    /// Keys of one side for Initial packets, derived from the client's first destination connection ID.
    fn initial(derivation: &Derivation, id: &[u8], from: Side) -> Option<Keys> {
        let (initial, _) = Hkdf::<Sha256>::extract(Some(&derivation.salt), id);
        let side = if from == Side::Client { "client in" } else { "server in" };
        let secret = Hash::Sha256.expand(LabelPrefix::Tls, &initial, side, Hash::Sha256.size())?;
        Keys::derive(Kind::Gcm(16), Hash::Sha256, &secret, derivation.labels)
    }

    /// Heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.payload.memory_usage() + size_of::<Aes256>()
    }
}

impl HeaderKey {
    fn new(kind: Kind, key: &[u8]) -> Option<HeaderKey> {
        Some(match kind {
            Kind::ChaCha => HeaderKey::ChaCha(key.try_into().ok()?),
            Kind::Gcm(16) => HeaderKey::Aes128(Box::new(Aes128::new_from_slice(key).ok()?)),
            Kind::Gcm(_) => HeaderKey::Aes256(Box::new(Aes256::new_from_slice(key).ok()?)),
            Kind::Cbc(_) => return None,
        })
    }

    /// Mask of the first byte and of the packet number.
    fn mask(&self, sample: [u8; SAMPLE]) -> Option<[u8; 1 + MAX_NUMBER]> {
        let mut block = aes::Block::from(sample);
        match self {
            HeaderKey::Aes128(aes) => aes.encrypt_block(&mut block),
            HeaderKey::Aes256(aes) => aes.encrypt_block(&mut block),
            HeaderKey::ChaCha(key) => {
                let [a, b, c, d, nonce @ ..] = sample;
                let mut mask = [0; 1 + MAX_NUMBER];
                let mut cipher = ChaCha20::new(key.into(), &nonce.into());
                cipher.try_seek(u64::from(u32::from_le_bytes([a, b, c, d])) * CHACHA_BLOCK).ok()?;
                cipher.try_apply_keystream(&mut mask).ok()?;
                return Some(mask);
            }
        }
        block.first_chunk().copied()
    }

    /// Removes header protection from a packet whose packet number is at this offset.
    pub(super) fn unprotect(&self, packet: &[u8], at: usize) -> Option<Header> {
        let sample = packet.get(at + MAX_NUMBER..)?.first_chunk()?;
        let [first_mask, number_mask @ ..] = self.mask(*sample)?;
        let first = *packet.first()?;
        let first = first ^ (first_mask & if first & LONG != 0 { 0x0f } else { 0x1f });
        let number_length = usize::from(first & 3) + 1;
        let mut bytes = packet.get(..at + number_length)?.to_vec();
        *bytes.first_mut()? = first;
        let mut truncated = 0;
        for (byte, mask) in bytes.get_mut(at..)?.iter_mut().zip(number_mask) {
            *byte ^= mask;
            truncated = truncated << 8 | u64::from(*byte);
        }
        Some(Header { first, truncated, number_length, bytes })
    }
}

impl Header {
    /// Decodes a packet number (RFC 9000, appendix A.3) with the next expected one.
    pub(super) fn number(&self, expected: u64) -> u64 {
        let window = 1_u64 << (8 * self.number_length);
        let candidate = expected & !(window - 1) | self.truncated;
        if candidate + window / 2 <= expected && candidate + window < 1 << 62 {
            candidate + window
        } else if candidate > expected + window / 2 && candidate >= window {
            candidate - window
        } else {
            candidate
        }
    }
}

impl PayloadKey {
    pub(super) fn derive(kind: Kind, hash: Hash, secret: &[u8], labels: Labels) -> Option<PayloadKey> {
        let aead = kind.aead(&hash.expand(LabelPrefix::Tls, secret, labels.key, kind.key())?)?;
        Some(PayloadKey { aead, iv: hash.expand(LabelPrefix::Tls, secret, labels.iv, 12)?.try_into().ok()? })
    }

    /// Decrypts a packet; `None` if authentication fails.
    pub(super) fn decrypt(&self, packet: &[u8], header: &Header, number: u64) -> Option<Decrypted> {
        let ciphertext = packet.get(header.bytes.len()..)?;
        let frames = self.aead.decrypt(nonce_of(self.iv, number), &header.bytes, ciphertext)?;
        Some(Decrypted { first: header.first, number, number_length: header.number_length, frames })
    }

    /// Heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.aead.memory_usage()
    }
}

/// Decrypts an Initial packet whose packet number is at this offset; `None` if authentication fails with all keys.
pub(super) fn decrypt_initial(version: u32, id: &[u8], from: Side, packet: &[u8], at: usize, expected: u64) -> Option<Decrypted> {
    versions::derivations(version).iter().find_map(|derivation| {
        let keys = Keys::initial(derivation, id, from)?;
        let header = keys.header.unprotect(packet, at)?;
        keys.payload.decrypt(packet, &header, header.number(expected))
    })
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
