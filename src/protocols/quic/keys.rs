//! The keys of initial packets, which everybody can work out, and what they open.

use super::versions::{self, Derivation};
use crate::protocols::tls::keys::Hash;
use crate::tree::Side;
use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::Aes128Gcm;
use aes_gcm::aead::{Aead, Payload};
use hkdf::Hkdf;
use sha2::Sha256;

/// The keys of one direction.
struct Keys {
    key: [u8; 16],
    iv: [u8; 12],
    header: [u8; 16],
}

/// A packet that was opened.
pub(super) struct Opened {
    /// The first byte without its mask.
    pub(super) first: u8,
    pub(super) number: u32,
    /// Bytes of the number.
    pub(super) number_length: usize,
    pub(super) frames: Vec<u8>,
}

/// What TLS 1.3 makes of a secret for a purpose.
fn expand<const N: usize>(secret: &[u8], label: &str) -> Option<[u8; N]> {
    Hash::Sha256.expand(secret, label, N)?.try_into().ok()
}

impl Keys {
    /// Those with which a side protects initial packets of a connection that began with this id.
    fn initial(derivation: &Derivation, id: &[u8], from: Side) -> Option<Keys> {
        let (initial, _) = Hkdf::<Sha256>::extract(Some(&derivation.salt), id);
        let side = if from == Side::Client { "client in" } else { "server in" };
        let secret = expand::<32>(&initial, side)?;
        let [key, iv, header] = derivation.labels;
        Some(Keys { key: expand(&secret, key)?, iv: expand(&secret, iv)?, header: expand(&secret, header)? })
    }
}

/// Decrypt an Initial packet, whose packet number begins at `at`. Nothing if no keys of its version authenticate it.
pub(super) fn open(version: u32, id: &[u8], from: Side, packet: &[u8], at: usize) -> Option<Opened> {
    versions::derivations(version).iter().find_map(|derivation| open_with(&Keys::initial(derivation, id, from)?, packet, at))
}

fn open_with(keys: &Keys, packet: &[u8], at: usize) -> Option<Opened> {
    let mut mask = aes::Block::try_from(packet.get(at + 4..at + 20)?).ok()?;
    Aes128::new_from_slice(&keys.header).ok()?.encrypt_block(&mut mask);
    let (first_mask, number_mask) = mask.split_first()?;
    let first = packet.first()? ^ (first_mask & 0x0f);
    let number_length = usize::from(first & 3) + 1;
    let mut header = packet.get(..at + number_length)?.to_vec();
    *header.first_mut()? = first;
    let mut number: u32 = 0;
    for (byte, mask) in header.get_mut(at..)?.iter_mut().zip(number_mask) {
        *byte ^= mask;
        number = number << 8 | u32::from(*byte);
    }
    let mut nonce = keys.iv;
    for (byte, digit) in nonce.iter_mut().rev().zip(number.to_le_bytes()) {
        *byte ^= digit;
    }
    let cipher = Aes128Gcm::new_from_slice(&keys.key).ok()?;
    let sealed = Payload { msg: packet.get(at + number_length..)?, aad: &header };
    let frames = cipher.decrypt(&nonce.into(), sealed).ok()?;
    Some(Opened { first, number, number_length, frames })
}
