//! Decryption of records: key derivation and ciphers.
//!
//! ```text
//! TLS 1.2   keys = PRF(master secret, "key expansion", server random | client random)
//!           client MAC key | server MAC key | client key | server key | client IV | server IV
//!   GCM     explicit nonce:8 | ciphertext | tag:16            nonce = IV:4 | explicit nonce
//!   ChaCha  ciphertext | tag:16                               nonce = IV:12 xor number
//!   CBC     IV:16 | ciphertext of content, MAC, padding; or IV:16 | ciphertext of content, padding | MAC
//! TLS 1.1   the same with CBC alone and another PRF: P_MD5(first half of the secret) xor P_SHA1(second half)
//! TLS 1.0   as 1.1, but the IV is derived like a key, then the last block of the record before
//! TLS 1.3   key, IV = Expand(traffic secret, "key"), Expand(traffic secret, "iv")
//!           ciphertext | tag:16                               nonce = IV:12 xor number
//!           content | type:1 | zeros
//! ```

use super::{TLS_1_0, TLS_1_1, suites};
use crate::tree::{Side, name_of};
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20poly1305::ChaCha20Poly1305;
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha384};

/// Block size of AES in bytes.
const BLOCK: usize = 16;

/// Block size of ChaCha20 in bytes.
const CHACHA_BLOCK: u64 = 64;

/// Hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::protocols) enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha384,
}

/// Cipher with its key size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::protocols) enum Kind {
    Gcm(usize),
    ChaCha,
    Cbc(usize),
}

/// Record protection algorithms of a cipher suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::protocols) struct Algorithms {
    pub(in crate::protocols) kind: Kind,
    /// Hash of the record MAC.
    mac: Hash,
    /// Hash of the key derivation.
    pub(in crate::protocols) hash: Hash,
}

/// Negotiated parameters that the keys are derived from.
pub(super) struct SecurityParameters<'a> {
    /// TLS encoding, also for DTLS.
    pub(super) version: u16,
    pub(super) suite: u16,
    /// Random bytes of client and server.
    pub(super) randoms: [&'a [u8; 32]; 2],
    /// Whether encrypt-then-MAC was negotiated.
    pub(super) mac_last: bool,
}

/// Prefix of the labels of HKDF-Expand-Label.
#[derive(Debug, Clone, Copy)]
pub(in crate::protocols) enum LabelPrefix {
    Tls,
    Dtls,
}

/// Decrypts the records of one side.
pub(in crate::protocols) struct Decryptor {
    cipher: Cipher,
    /// Fixed part of the nonce; in TLS 1.0 the block that the next record is chained to; else empty.
    iv: Vec<u8>,
    /// Traffic secret of TLS 1.3.
    secret: Vec<u8>,
    prefix: LabelPrefix,
}

enum Cipher {
    Aead(Aead),
    Cbc { key: Aes, mac_key: Vec<u8>, mac: Hash, mac_last: bool },
}

/// Authenticated cipher with its key.
pub(in crate::protocols) enum Aead {
    Aes128Gcm(Box<Aes128Gcm>),
    Aes256Gcm(Box<Aes256Gcm>),
    ChaCha(Box<ChaCha20Poly1305>),
}

impl Aead {
    /// Decrypts ciphertext with its tag; `None` if authentication fails.
    pub(in crate::protocols) fn decrypt(&self, nonce: [u8; 12], aad: &[u8], msg: &[u8]) -> Option<Vec<u8>> {
        let payload = Payload { msg, aad };
        match self {
            Aead::Aes128Gcm(cipher) => cipher.decrypt(&nonce.into(), payload),
            Aead::Aes256Gcm(cipher) => cipher.decrypt(&nonce.into(), payload),
            Aead::ChaCha(cipher) => cipher.decrypt(&nonce.into(), payload),
        }
        .ok()
    }

    /// Heap memory in bytes.
    pub(in crate::protocols) fn memory_usage(&self) -> usize {
        match self {
            Aead::Aes128Gcm(cipher) => size_of_val(&**cipher),
            Aead::Aes256Gcm(cipher) => size_of_val(&**cipher),
            Aead::ChaCha(cipher) => size_of_val(&**cipher),
        }
    }
}

/// Nonce of a record or packet with this number.
pub(in crate::protocols) fn nonce_of(mut iv: [u8; 12], number: u64) -> [u8; 12] {
    for (byte, digit) in iv.iter_mut().rev().zip(number.to_le_bytes()) {
        *byte ^= digit;
    }
    iv
}

/// AES with a key of 128 or 256 bits.
pub(in crate::protocols) enum Aes {
    Short(Box<Aes128>),
    Long(Box<Aes256>),
}

pub(in crate::protocols) struct EncryptedRecord<'a> {
    /// Authenticated record header; before TLS 1.3 its type, version and length.
    pub(in crate::protocols) header: &'a [u8],
    pub(in crate::protocols) payload: &'a [u8],
    /// Sequence number of the record under these keys.
    pub(in crate::protocols) number: u64,
    /// Connection ID of DTLS 1.2 (RFC 9146), if the record has one.
    pub(in crate::protocols) connection_id: &'a [u8],
}

/// Decrypted record.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::protocols) struct Plaintext {
    pub(in crate::protocols) bytes: Vec<u8>,
    /// Offset of the ciphertext in the payload.
    pub(in crate::protocols) from: usize,
}

impl Hash {
    pub(in crate::protocols) fn size(self) -> usize {
        match self {
            Hash::Md5 => 16,
            Hash::Sha1 => 20,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
        }
    }

    fn mac(self, key: &[u8], parts: &[&[u8]]) -> Option<Vec<u8>> {
        match self {
            Hash::Md5 => mac::<Hmac<Md5>>(key, parts),
            Hash::Sha1 => mac::<Hmac<Sha1>>(key, parts),
            Hash::Sha256 => mac::<Hmac<Sha256>>(key, parts),
            Hash::Sha384 => mac::<Hmac<Sha384>>(key, parts),
        }
    }

    /// Derives this many bytes with the PRF of TLS 1.2.
    fn prf(self, secret: &[u8], label: &[u8], seed: &[u8], count: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut turn = self.mac(secret, &[label, seed])?;
        while bytes.len() < count {
            bytes.extend(self.mac(secret, &[&turn, label, seed])?);
            turn = self.mac(secret, &[&turn])?;
        }
        bytes.truncate(count);
        Some(bytes)
    }

    /// Derives this many bytes with HKDF-Expand-Label of TLS 1.3.
    pub(in crate::protocols) fn expand(self, prefix: LabelPrefix, secret: &[u8], label: &str, count: usize) -> Option<Vec<u8>> {
        let prefix: &[u8] = match prefix {
            LabelPrefix::Tls => b"tls13 ",
            LabelPrefix::Dtls => b"dtls13",
        };
        let mut info = u16::try_from(count).ok()?.to_be_bytes().to_vec();
        info.push(u8::try_from(prefix.len() + label.len()).ok()?);
        info.extend_from_slice(prefix);
        info.extend_from_slice(label.as_bytes());
        info.push(0);
        let mut bytes = vec![0; count];
        match self {
            Hash::Md5 | Hash::Sha1 => return None,
            Hash::Sha256 => Hkdf::<Sha256>::from_prk(secret).ok()?.expand(&info, &mut bytes).ok()?,
            Hash::Sha384 => Hkdf::<Sha384>::from_prk(secret).ok()?.expand(&info, &mut bytes).ok()?,
        }
        Some(bytes)
    }
}

/// Derives this many bytes with the PRF of TLS 1.0 and 1.1 (RFC 2246 section 5).
fn split_prf(secret: &[u8], label: &[u8], seed: &[u8], count: usize) -> Option<Vec<u8>> {
    let half = secret.len().div_ceil(2);
    let (first, second) = (secret.get(..half)?, secret.get(secret.len() - half..)?);
    let (md5, sha1) = (Hash::Md5.prf(first, label, seed, count)?, Hash::Sha1.prf(second, label, seed, count)?);
    Some(md5.iter().zip(&sha1).map(|(md5, sha1)| md5 ^ sha1).collect())
}

fn mac<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    for part in parts {
        mac.update(part);
    }
    Some(mac.finalize().into_bytes().to_vec())
}

impl Algorithms {
    /// Algorithms of a suite, from its name.
    pub(in crate::protocols) fn of(suite: u16) -> Option<Algorithms> {
        let name = name_of(suites::SUITES, suite.into())?;
        let kinds = [
            ("_AES_128_GCM_", Kind::Gcm(16)),
            ("_AES_256_GCM_", Kind::Gcm(32)),
            ("_CHACHA20_POLY1305_", Kind::ChaCha),
            ("_AES_128_CBC_", Kind::Cbc(16)),
            ("_AES_256_CBC_", Kind::Cbc(32)),
        ];
        let (_, kind) = kinds.into_iter().find(|(part, _)| name.contains(part))?;
        let mac = match name.rsplit('_').next()? {
            "SHA" => Hash::Sha1,
            "SHA256" => Hash::Sha256,
            "SHA384" => Hash::Sha384,
            _ => return None,
        };
        let hash = if mac == Hash::Sha384 { Hash::Sha384 } else { Hash::Sha256 };
        Some(Algorithms { kind, mac, hash })
    }
}

impl Kind {
    pub(in crate::protocols) fn key(self) -> usize {
        match self {
            Kind::Gcm(key) | Kind::Cbc(key) => key,
            Kind::ChaCha => 32,
        }
    }

    pub(in crate::protocols) fn aead(self, key: &[u8]) -> Option<Aead> {
        Some(match self {
            Kind::Gcm(16) => Aead::Aes128Gcm(Box::new(Aes128Gcm::new_from_slice(key).ok()?)),
            Kind::Gcm(_) => Aead::Aes256Gcm(Box::new(Aes256Gcm::new_from_slice(key).ok()?)),
            Kind::ChaCha => Aead::ChaCha(Box::new(ChaCha20Poly1305::new_from_slice(key).ok()?)),
            Kind::Cbc(_) => return None,
        })
    }
}

impl Decryptor {
    /// Keys of one side from a master secret of TLS 1.0 to 1.2.
    pub(super) fn from_master_secret(master: &[u8], parameters: &SecurityParameters<'_>, from: Side) -> Option<Decryptor> {
        let Algorithms { kind, mac, hash } = Algorithms::of(parameters.suite)?;
        let (mac_size, iv_size) = match (kind, parameters.version) {
            (Kind::Cbc(_), TLS_1_0) => (mac.size(), BLOCK),
            (Kind::Cbc(_), _) => (mac.size(), 0),
            (_, TLS_1_0 | TLS_1_1) => return None,
            (Kind::Gcm(_), _) => (0, 4),
            (Kind::ChaCha, _) => (0, 12),
        };
        let [client, server] = parameters.randoms;
        let seed = [&server[..], &client[..]].concat();
        let (label, size) = (b"key expansion", 2 * (mac_size + kind.key() + iv_size));
        let keys = match parameters.version {
            TLS_1_0 | TLS_1_1 => split_prf(master, label, &seed, size)?,
            _ => hash.prf(master, label, &seed, size)?,
        };
        let mut rest = &keys[..];
        let mut own = |size: usize| {
            let (both, behind) = rest.split_at_checked(2 * size)?;
            rest = behind;
            both.chunks_exact(size.max(1)).nth(from.index()).or(Some(&[]))
        };
        let (mac_key, key, iv) = (own(mac_size)?, own(kind.key())?, own(iv_size)?.to_vec());
        let cipher = match kind {
            Kind::Cbc(_) => Cipher::Cbc { key: Aes::new(key)?, mac_key: mac_key.to_vec(), mac, mac_last: parameters.mac_last },
            _ => Cipher::Aead(kind.aead(key)?),
        };
        Some(Decryptor { cipher, iv, secret: Vec::new(), prefix: LabelPrefix::Tls })
    }

    /// Keys of one side from a TLS 1.3 traffic secret.
    pub(in crate::protocols) fn from_traffic_secret(prefix: LabelPrefix, secret: &[u8], suite: u16) -> Option<Decryptor> {
        let Algorithms { kind, hash, .. } = Algorithms::of(suite)?;
        let cipher = Cipher::Aead(kind.aead(&hash.expand(prefix, secret, "key", kind.key())?)?);
        Some(Decryptor { cipher, iv: hash.expand(prefix, secret, "iv", 12)?, secret: secret.to_vec(), prefix })
    }

    /// Approximate memory use in bytes.
    pub(in crate::protocols) fn memory_usage(&self) -> usize {
        let cipher = match &self.cipher {
            Cipher::Aead(aead) => aead.memory_usage(),
            Cipher::Cbc { mac_key, .. } => size_of::<Aes256>() + mac_key.capacity(),
        };
        cipher + self.iv.capacity() + self.secret.capacity()
    }

    /// Keys after a KeyUpdate.
    pub(in crate::protocols) fn next_generation(&self, suite: u16) -> Option<Decryptor> {
        let hash = Algorithms::of(suite)?.hash;
        let secret = hash.expand(self.prefix, &self.secret, "traffic upd", hash.size())?;
        Decryptor::from_traffic_secret(self.prefix, &secret, suite)
    }

    /// The key of encrypted record numbers (RFC 9147 section 4.2.3).
    pub(in crate::protocols) fn number_key(&self, suite: u16) -> Option<NumberKey> {
        let Algorithms { kind, hash, .. } = Algorithms::of(suite)?;
        let key = hash.expand(self.prefix, &self.secret, "sn", kind.key())?;
        Some(match kind {
            Kind::Gcm(_) => NumberKey::Aes(Aes::new(&key)?),
            Kind::ChaCha => NumberKey::ChaCha(key.try_into().ok()?),
            Kind::Cbc(_) => return None,
        })
    }

    /// Decrypts a record; `None` if authentication fails.
    pub(in crate::protocols) fn decrypt(&self, record: &EncryptedRecord<'_>) -> Option<Plaintext> {
        let (key, mac_key, mac, mac_last) = match &self.cipher {
            Cipher::Aead(aead) => return self.decrypt_aead(aead, record),
            Cipher::Cbc { key, mac_key, mac, mac_last } => (key, mac_key, mac, mac_last),
        };
        let from = BLOCK.saturating_sub(self.iv.len());
        let decrypt = |ciphertext: &[u8]| unpadded(key.decrypt_cbc(&[&self.iv, ciphertext].concat())?);
        if *mac_last {
            let (block, sent) = record.payload.split_at_checked(record.payload.len().checked_sub(mac.size())?)?;
            let made = mac.mac(mac_key, &[&record.additional_data(block.len())?, block])?;
            decrypt(block).filter(|_| made == sent).map(|bytes| Plaintext { bytes, from })
        } else {
            let mut bytes = decrypt(record.payload)?;
            let sent = bytes.split_off(bytes.len().checked_sub(mac.size())?);
            let made = mac.mac(mac_key, &[&record.additional_data(bytes.len())?, &bytes])?;
            (made == sent).then_some(Plaintext { bytes, from })
        }
    }

    /// Whether a record is chained to the previous one, as in TLS 1.0.
    pub(super) fn is_chained(&self) -> bool {
        matches!(self.cipher, Cipher::Cbc { .. }) && !self.iv.is_empty()
    }

    /// Chains the next record to the last block of this payload.
    pub(super) fn chain(&mut self, payload: &[u8]) {
        let Cipher::Cbc { mac, mac_last, .. } = &self.cipher else { return };
        let behind = if *mac_last { mac.size() } else { 0 };
        let block = payload.len().checked_sub(behind).and_then(|end| payload.get(..end)?.last_chunk::<BLOCK>());
        if self.is_chained()
            && let Some(block) = block
        {
            self.iv = block.to_vec();
        }
    }

    fn decrypt_aead(&self, aead: &Aead, record: &EncryptedRecord<'_>) -> Option<Plaintext> {
        const TAG: usize = 16;
        let from = if self.iv.len() < 12 { 8 } else { 0 };
        let (explicit, ciphertext) = record.payload.split_at_checked(from)?;
        let nonce: [u8; 12] = [&self.iv[..], explicit].concat().try_into().ok()?;
        let nonce = if from == 0 { nonce_of(nonce, record.number) } else { nonce };
        let length = ciphertext.len().checked_sub(TAG)?;
        let additional_data;
        let aad: &[u8] = if self.secret.is_empty() {
            additional_data = record.additional_data(length)?;
            &additional_data
        } else {
            record.header
        };
        Some(Plaintext { bytes: aead.decrypt(nonce, aad, ciphertext)?, from })
    }
}

impl EncryptedRecord<'_> {
    /// Additional authenticated data of TLS 1.2 for plaintext of this length.
    fn additional_data(&self, length: usize) -> Option<Vec<u8>> {
        let &[kind, major, minor] = self.header.first_chunk()?;
        let length = u16::try_from(length).ok()?.to_be_bytes();
        let number = self.number.to_be_bytes();
        Some(match self.connection_id {
            [] => [&number[..], &[kind, major, minor], &length].concat(),
            id => [&[0xff; 8][..], &[kind, u8::try_from(id.len()).ok()?, kind, major, minor], &number, id, &length].concat(),
        })
    }
}

/// Key of encrypted record numbers of DTLS 1.3.
pub(in crate::protocols) enum NumberKey {
    Aes(Aes),
    ChaCha([u8; 32]),
}

impl NumberKey {
    /// The mask of a record number, from the first bytes of the ciphertext.
    pub(in crate::protocols) fn mask(&self, ciphertext: &[u8]) -> Option<[u8; 2]> {
        let sample: [u8; BLOCK] = *ciphertext.first_chunk()?;
        let mask = match self {
            NumberKey::Aes(aes) => {
                let mut block = sample.into();
                match aes {
                    Aes::Short(aes) => aes.encrypt_block(&mut block),
                    Aes::Long(aes) => aes.encrypt_block(&mut block),
                }
                *block.first_chunk()?
            }
            NumberKey::ChaCha(key) => {
                let (counter, nonce) = sample.split_first_chunk()?;
                let nonce: [u8; 12] = nonce.try_into().ok()?;
                let mut cipher = ChaCha20::new(key.into(), &nonce.into());
                let mut mask = [0; 2];
                cipher.try_seek(u64::from(u32::from_le_bytes(*counter)) * CHACHA_BLOCK).ok()?;
                cipher.try_apply_keystream(&mut mask).ok()?;
                mask
            }
        };
        Some(mask)
    }
}

impl Aes {
    fn new(key: &[u8]) -> Option<Aes> {
        match key.len() {
            16 => Aes128::new_from_slice(key).ok().map(|aes| Aes::Short(Box::new(aes))),
            _ => Aes256::new_from_slice(key).ok().map(|aes| Aes::Long(Box::new(aes))),
        }
    }

    /// Decrypts blocks in CBC mode, preceded by the initialization vector.
    fn decrypt_cbc(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (mut before, blocks) = bytes.split_at_checked(BLOCK)?;
        if blocks.is_empty() || !blocks.len().is_multiple_of(BLOCK) {
            return None;
        }
        let mut out = Vec::with_capacity(blocks.len());
        for ciphertext in blocks.chunks_exact(BLOCK) {
            let mut block = aes::Block::try_from(ciphertext).ok()?;
            match self {
                Aes::Short(aes) => aes.decrypt_block(&mut block),
                Aes::Long(aes) => aes.decrypt_block(&mut block),
            }
            out.extend(block.iter().zip(before).map(|(byte, before)| byte ^ before));
            before = ciphertext;
        }
        Some(out)
    }
}

/// Removes CBC padding, whose bytes all are the padding length.
fn unpadded(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let last = *bytes.last()?;
    let end = bytes.len().checked_sub(usize::from(last) + 1)?;
    let is_padding = bytes.get(end..)?.iter().all(|byte| *byte == last);
    bytes.truncate(end);
    is_padding.then_some(bytes)
}

#[cfg(test)]
mod tests;
