//! Keys of Initial packets, which derive from the connection ID, and decryption with them.

use super::versions::{self, Derivation};
use crate::protocols::tls::keys::{Hash, Labels};
use crate::tree::Side;
use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::Aes128Gcm;
use aes_gcm::aead::{Aead, Payload};
use hkdf::Hkdf;
use sha2::Sha256;

/// Packet protection keys of one direction.
struct Keys {
    key: [u8; 16],
    iv: [u8; 12],
    header: [u8; 16],
}

/// Decrypted packet.
pub(super) struct Decrypted {
    /// First byte without header protection.
    pub(super) first: u8,
    pub(super) number: u32,
    /// Size of the packet number in bytes.
    pub(super) number_length: usize,
    pub(super) frames: Vec<u8>,
}

/// HKDF-Expand-Label of TLS 1.3.
fn expand<const N: usize>(secret: &[u8], label: &str) -> Option<[u8; N]> {
    Hash::Sha256.expand(Labels::Tls, secret, label, N)?.try_into().ok()
}

impl Keys {
    /// Keys of one side for Initial packets, derived from the client's first destination connection ID.
    fn initial(derivation: &Derivation, id: &[u8], from: Side) -> Option<Keys> {
        let (initial, _) = Hkdf::<Sha256>::extract(Some(&derivation.salt), id);
        let side = if from == Side::Client { "client in" } else { "server in" };
        let secret = expand::<32>(&initial, side)?;
        let [key, iv, header] = derivation.labels;
        Some(Keys { key: expand(&secret, key)?, iv: expand(&secret, iv)?, header: expand(&secret, header)? })
    }
}

/// Decrypts an Initial packet whose packet number is at this offset; `None` if authentication fails with all keys.
pub(super) fn decrypt(version: u32, id: &[u8], from: Side, packet: &[u8], at: usize) -> Option<Decrypted> {
    versions::derivations(version).iter().find_map(|derivation| decrypt_with(&Keys::initial(derivation, id, from)?, packet, at))
}

fn decrypt_with(keys: &Keys, packet: &[u8], at: usize) -> Option<Decrypted> {
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
    let payload = Payload { msg: packet.get(at + number_length..)?, aad: &header };
    let frames = cipher.decrypt(&nonce.into(), payload).ok()?;
    Some(Decrypted { first, number, number_length, frames })
}
