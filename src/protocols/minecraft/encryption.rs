//! Encryption of a connection after its login: AES-128 in CFB mode with segments of one byte, the shared secret as key and IV.
//!
//! A key is tried on the first packets of the server, which end its login. Nothing is shown before they fit.

use super::compression::{MOST, inflate};
use super::varint;
use crate::wire::cfb8::{BLOCK, Cfb8};
use crate::wire::{Key, KeyRing, Owner, Settings, line_for};
use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use std::sync::Arc;

/// Name of the key in key files.
pub(super) const SECRET: &str = "secret";

/// The protocol in key files.
const PROTOCOL: &str = "minecraft";

/// Checks the size of a key.
pub(super) fn check(value: &[u8]) -> Result<(), String> {
    if value.len() == BLOCK { Ok(()) } else { Err(format!("expected 16 bytes, not {}", value.len())) }
}

/// Key files, and the conversation that needs a key.
#[derive(Default)]
pub(super) struct Keys {
    ring: Option<Arc<KeyRing>>,
    pub(super) owner: Option<Owner>,
}

impl Keys {
    pub(super) fn new(settings: &Settings) -> Keys {
        Keys { ring: settings.keys().cloned(), owner: None }
    }

    /// The key of the conversation.
    pub(super) fn find(&self) -> Option<Key> {
        self.ring.as_ref()?.find(PROTOCOL, SECRET, self.owner.as_ref()?)
    }

    /// States whether the key fits.
    pub(super) fn judge(&self, fits: bool) {
        if let Some((ring, owner)) = self.ring.as_ref().zip(self.owner.as_ref()) {
            ring.judge(PROTOCOL, SECRET, owner.stream, fits);
        }
    }

    /// The line of a key file that would serve the conversation.
    pub(super) fn line(&self) -> String {
        self.owner.as_ref().map_or_else(|| format!("{PROTOCOL} {SECRET} HEX"), |owner| line_for(PROTOCOL, SECRET, owner))
    }
}

/// One direction of an encrypted connection.
pub(super) struct Cipher {
    aes: Arc<Aes128>,
    mode: Cfb8,
    /// Decrypted bytes, of which those before `start` were read.
    plain: Vec<u8>,
    start: usize,
    /// How many of the next bytes cannot be decrypted, because bytes before them are missing.
    garbled: usize,
}

/// Number of read bytes above which they are removed.
const READ: usize = 1 << 16;

impl Cipher {
    /// Starts both directions; `None` if the key has the wrong size.
    pub(super) fn pair(key: &[u8]) -> Option<[Cipher; 2]> {
        let secret: [u8; BLOCK] = key.try_into().ok()?;
        let aes = Arc::new(Aes128::new(&secret.into()));
        let start = || Cipher { aes: Arc::clone(&aes), mode: Cfb8::new(secret), plain: Vec::new(), start: 0, garbled: 0 };
        Some([start(), start()])
    }

    /// Decrypts the next bytes of the direction, as far as that has not happened yet.
    pub(super) fn feed(&mut self, ahead: &[u8]) -> &[u8] {
        let known = self.plain.len().saturating_sub(self.start);
        if let Some(new) = ahead.get(known..).filter(|new| !new.is_empty()) {
            if self.start > READ.max(known) {
                self.plain.drain(..self.start);
                self.start = 0;
            }
            let Cipher { aes, mode, plain, .. } = self;
            mode.decrypt(new, plain, |block| {
                let mut block = block.into();
                aes.encrypt_block(&mut block);
                block.into()
            });
        }
        let plain = self.ahead();
        plain.get(..ahead.len()).unwrap_or(plain)
    }

    /// Decrypted bytes that were not read.
    pub(super) fn ahead(&self) -> &[u8] {
        self.plain.get(self.start..).unwrap_or_default()
    }

    /// Takes the buffer out, with the next `count` bytes of it, to be returned by [`Cipher::put_back`].
    pub(super) fn take(&mut self, count: usize) -> (Vec<u8>, std::ops::Range<usize>) {
        let range = self.start..self.start.saturating_add(count).min(self.plain.len());
        self.start = range.end;
        (std::mem::take(&mut self.plain), range)
    }

    pub(super) fn put_back(&mut self, plain: Vec<u8>) {
        self.plain = plain;
    }

    /// Whether the next bytes can be decrypted.
    pub(super) fn is_sound(&self) -> bool {
        self.garbled == 0
    }

    /// Bytes are missing. A byte depends on the sixteen before it.
    pub(super) fn gap(&mut self) {
        self.plain.clear();
        (self.start, self.garbled) = (0, BLOCK);
    }

    /// Passes bytes that no message needs.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let mut plain = Vec::new();
        let last = bytes.get(bytes.len().saturating_sub(BLOCK)..).unwrap_or_default();
        self.mode.decrypt(last, &mut plain, |block| block);
        self.garbled = self.garbled.saturating_sub(bytes.len());
    }

    pub(super) fn memory(&self) -> usize {
        size_of::<Cipher>() + size_of::<Aes128>() + self.plain.capacity()
    }
}

/// Bytes of a direction that are held back at most while a key is tried.
pub(super) const HELD: usize = 1 << 18;

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Open,
    Fits,
    Fails,
}

const DISCONNECT: usize = 0;
const SUCCESS: usize = 2;
const COMPRESSION: usize = 3;
const PLUGIN: usize = 4;
const COOKIE: usize = 5;

/// The rest of a login, as far as it was read with a key that is tried.
#[derive(Default)]
pub(super) struct Login {
    /// Bytes of whole packets.
    read: usize,
    threshold: Option<usize>,
}

impl Login {
    /// Whether decrypted bytes of a server are the rest of a login. `plain` has all of them, also those that were read.
    pub(super) fn advance(&mut self, plain: &[u8], more: bool) -> Verdict {
        let open = if more { Verdict::Open } else { Verdict::Fails };
        loop {
            let ahead = plain.get(self.read..).unwrap_or_default();
            let (length, size) = match varint(ahead) {
                Ok(Some(found)) => found,
                Ok(None) if ahead.is_empty() && self.read > 0 && !more => return Verdict::Fits,
                Ok(None) => return open,
                Err(()) => return Verdict::Fails,
            };
            if length == 0 || length > HELD {
                return Verdict::Fails;
            }
            let Some(packet) = ahead.get(size..size + length) else { return open };
            match try_packet(packet, &mut self.threshold) {
                Verdict::Open => self.read += size + length,
                decided => return decided,
            }
        }
    }
}

/// Whether bytes are a login packet of a server: `Fits` if it ends the login, `Open` if not.
fn try_packet(packet: &[u8], threshold: &mut Option<usize>) -> Verdict {
    let unpacked;
    let mut packet = Body(packet);
    if threshold.is_some() {
        match packet.number() {
            Some(0) => {}
            Some(length @ ..=MOST) => {
                unpacked = inflate(packet.0, length);
                if !unpacked.is_whole || unpacked.bytes.len() != length {
                    return Verdict::Fails;
                }
                packet = Body(&unpacked.bytes);
            }
            _ => return Verdict::Fails,
        }
    }
    let is_fine = match packet.number() {
        Some(DISCONNECT) => return ended(packet.reason()),
        Some(SUCCESS) => return ended(packet.success()),
        Some(COMPRESSION) if threshold.is_none() => {
            *threshold = packet.number();
            threshold.is_some() && packet.0.is_empty()
        }
        Some(PLUGIN) => packet.number().is_some() && packet.identifier().is_some(),
        Some(COOKIE) => packet.identifier().is_some() && packet.0.is_empty(),
        _ => false,
    };
    if is_fine { Verdict::Open } else { Verdict::Fails }
}

fn ended(fits: Option<()>) -> Verdict {
    if fits.is_some() { Verdict::Fits } else { Verdict::Fails }
}

/// The unread bytes of a packet.
struct Body<'a>(&'a [u8]);

/// Characters of a UUID in text.
const UUID_TEXT: usize = 36;
const UUID: usize = 16;

/// Characters of a player's name.
const NAME: usize = 16;

impl<'a> Body<'a> {
    fn number(&mut self) -> Option<usize> {
        let (number, size) = varint(self.0).ok()??;
        self.take(size)?;
        Some(number)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    fn identifier(&mut self) -> Option<&'a str> {
        let is_part = |byte: u8| byte.is_ascii_graphic();
        self.text().filter(|text| !text.is_empty() && text.bytes().all(is_part))
    }

    /// A text component in JSON.
    fn reason(&mut self) -> Option<()> {
        self.text().filter(|text| text.starts_with(['{', '"', '[']))?;
        self.end()
    }

    /// The UUID, as text in old versions; the name; properties and a flag in newer ones.
    fn success(&mut self) -> Option<()> {
        let is_text = usize::from(*self.0.first()?) == UUID_TEXT && self.0.get(9) == Some(&b'-');
        self.take(if is_text { 1 + UUID_TEXT } else { UUID })?;
        let name = self.text()?;
        if name.is_empty() || name.chars().count() > NAME || name.contains(char::is_control) {
            return None;
        }
        if self.end().is_some() {
            return Some(());
        }
        for _ in 0..self.number()? {
            self.identifier()?;
            self.text()?;
            if *self.take(1)?.first()? != 0 {
                self.text()?;
            }
        }
        let flag = self.0.len().min(1);
        self.take(flag).filter(|flag| flag.iter().all(|byte| *byte <= 1))?;
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST SP 800-38A, F.3.7: the first 18 bytes.
    #[test]
    fn bytes_are_decrypted_as_in_the_standard() {
        // The standard's IV is not its key, so its blocks are fed to the mode itself.
        let hex = crate::wire::trial::bytes;
        let key: [u8; 16] = hex("2b7e151628aed2a6abf7158809cf4f3c").try_into().unwrap();
        let iv: [u8; 16] = hex("000102030405060708090a0b0c0d0e0f").try_into().unwrap();
        let sent = hex("3b79424c9c0dd436bace9e0ed4586a4f32b9");
        let aes = Arc::new(Aes128::new(&key.into()));
        let mut cipher = Cipher { aes, mode: Cfb8::new(iv), plain: Vec::new(), start: 0, garbled: 0 };
        assert_eq!(cipher.feed(&sent[..7]).len(), 7);
        assert_eq!(cipher.feed(&sent), hex("6bc1bee22e409f96e93d7e117393172aae2d"));
        let (plain, range) = cipher.take(16);
        assert_eq!(range, 0..16);
        cipher.put_back(plain);
        // Bytes that were decrypted are not decrypted again.
        assert_eq!(cipher.feed(&sent[16..]), hex("ae2d"));
        assert_eq!(cipher.feed(&sent[16..17]), hex("ae"));
        assert_eq!(cipher.feed(&sent[16..]), hex("ae2d"));
        cipher.gap();
        assert!(!cipher.is_sound());
        cipher.pass(&sent[2..]);
        assert!(cipher.is_sound());
    }

    #[test]
    fn a_login_ends_with_success_or_a_reason() {
        let bytes = crate::wire::trial::bytes;
        let compression = bytes("0303 8002");
        let success = bytes("1a 00 02 000102030405060708090a0b0c0d0e0f 05 6d6172656e 00 01");
        let old = [&[2 + 36 + 6, 2, 36], &b"3d1f5a02-7710-4c9e-8a21-5e600bcd1493\x05maren"[..]].concat();
        let reason = bytes("05 00 03 22 6e 22");
        for (parts, verdict) in [
            (vec![&compression, &success], Verdict::Fits),
            (vec![&old], Verdict::Fits),
            (vec![&reason], Verdict::Fits),
            (vec![&compression], Verdict::Open),
            (vec![&compression, &compression], Verdict::Fails),
            (vec![&success], Verdict::Fails),
        ] {
            let whole: Vec<u8> = parts.into_iter().flatten().copied().collect();
            assert_eq!(Login::default().advance(&whole, true), verdict);
            // Bytes may arrive one by one.
            let mut login = Login::default();
            let mut verdicts = (0..=whole.len()).map(|end| login.advance(&whole[..end], true));
            assert_eq!(verdicts.find(|verdict| *verdict != Verdict::Open).unwrap_or(Verdict::Open), verdict);
        }
        let last = |plain: &[u8], more| Login::default().advance(plain, more);
        assert_eq!(last(&compression, false), Verdict::Fits);
        assert_eq!(last(&compression[..3], false), Verdict::Fails);
        assert_eq!((last(&[], true), last(&[], false)), (Verdict::Open, Verdict::Fails));
    }

    /// Of many wrong keys, hardly one gives a packet, and none a login.
    #[test]
    fn random_bytes_are_no_login() {
        let mut fitting = 0;
        for seed in 0..20_000_u32 {
            let key = [seed.to_le_bytes(); 4].concat();
            let [mut cipher, _] = Cipher::pair(&key).unwrap();
            fitting += u32::from(Login::default().advance(cipher.feed(&[0x5a; 600]), true) == Verdict::Fits);
        }
        assert_eq!(fitting, 0);
    }
}
