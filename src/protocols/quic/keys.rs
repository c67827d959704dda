//! The keys of initial packets, which everybody can work out, and what they open.

use super::{VERSION_1, VERSION_2};
use crate::protocols::tls::keys::Hash;
use crate::tree::Side;
use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::Aes128Gcm;
use aes_gcm::aead::{Aead, Payload};
use hkdf::Hkdf;
use sha2::Sha256;

const SALT_1: [u8; 20] =
    [0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a];
const SALT_2: [u8; 20] =
    [0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9];
const SALT_29: [u8; 20] =
    [0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0, 0x43, 0x90, 0xa8, 0x99];
const SALT_23: [u8; 20] =
    [0xc3, 0xee, 0xf7, 0x12, 0xc7, 0x2e, 0xbb, 0x5a, 0x11, 0xa7, 0xd2, 0x43, 0x2b, 0xb4, 0x63, 0x65, 0xbe, 0xf9, 0xf5, 0x02];

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
    fn initial(version: u32, id: &[u8], from: Side) -> Option<Keys> {
        let (salt, labels) = match version {
            VERSION_1 | 0xff00_0021.. => (SALT_1, ["quic key", "quic iv", "quic hp"]),
            VERSION_2 => (SALT_2, ["quicv2 key", "quicv2 iv", "quicv2 hp"]),
            0xff00_001d..=0xff00_0020 => (SALT_29, ["quic key", "quic iv", "quic hp"]),
            _ => (SALT_23, ["quic key", "quic iv", "quic hp"]),
        };
        let (initial, _) = Hkdf::<Sha256>::extract(Some(&salt), id);
        let side = if from == Side::Client { "client in" } else { "server in" };
        let secret = expand::<32>(&initial, side)?;
        let [key, iv, header] = labels;
        Some(Keys { key: expand(&secret, key)?, iv: expand(&secret, iv)?, header: expand(&secret, header)? })
    }
}

/// Open an initial packet, of which the number begins at `at`. Nothing if its seal is broken.
pub(super) fn open(version: u32, id: &[u8], from: Side, packet: &[u8], at: usize) -> Option<Opened> {
    let keys = Keys::initial(version, id, from)?;
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
