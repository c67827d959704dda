//! AES as a stream cipher: CTR, OFB, CFB.
//!
//! The modes are written here because those of the crates `ctr` and `ofb` have no copy of their state.

use super::argument::{array, bytes, sized};
use super::plain::{Unchanged, same_length};
use super::{Argument, Failure, Made, Skip, Stage};
use crate::wire::cfb8::{BLOCK, Cfb8};
use ::aes::{Aes128, Aes192, Aes256};
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::sync::Arc;

/// Lost blocks for which OFB, whose blocks depend on each other, is computed.
const MOST_SKIPPED: u64 = 1 << 20;

/// A key of any size.
#[derive(Clone)]
pub(super) enum Aes {
    Aes128(Arc<Aes128>),
    Aes192(Arc<Aes192>),
    Aes256(Arc<Aes256>),
}

impl Aes {
    pub(super) fn new(key: &[u8]) -> Result<Aes, String> {
        sized(key, "key", &[16, 24, 32])?;
        let aes = match key.len() {
            16 => Aes128::new_from_slice(key).map(|aes| Aes::Aes128(Arc::new(aes))),
            24 => Aes192::new_from_slice(key).map(|aes| Aes::Aes192(Arc::new(aes))),
            _ => Aes256::new_from_slice(key).map(|aes| Aes::Aes256(Arc::new(aes))),
        };
        aes.map_err(|error| error.to_string())
    }

    fn encrypt(&self, mut block: [u8; BLOCK]) -> [u8; BLOCK] {
        match self {
            Aes::Aes128(aes) => aes.encrypt_block((&mut block).into()),
            Aes::Aes192(aes) => aes.encrypt_block((&mut block).into()),
            Aes::Aes256(aes) => aes.encrypt_block((&mut block).into()),
        }
        block
    }

    pub(super) fn decrypt(&self, block: &mut [u8; BLOCK]) {
        match self {
            Aes::Aes128(aes) => aes.decrypt_block(block.into()),
            Aes::Aes192(aes) => aes.decrypt_block(block.into()),
            Aes::Aes256(aes) => aes.decrypt_block(block.into()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ctr,
    Ofb,
    Cfb,
}

/// A keystream of blocks.
#[derive(Clone)]
struct Blockwise {
    aes: Aes,
    mode: Mode,
    /// The counter, the last block of keystream, or the last encrypted bytes.
    register: [u8; BLOCK],
    keystream: [u8; BLOCK],
    /// Used bytes of the keystream.
    used: usize,
}

fn blockwise(arguments: &[Argument], mode: Mode) -> Made {
    let (key, iv) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "iv")?);
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    let (aes, register) = (Aes::new(key)?, array(iv, "iv")?);
    Ok(Box::new(Blockwise { aes, mode, register, keystream: [0; BLOCK], used: BLOCK }))
}

pub(super) fn ctr(arguments: &[Argument]) -> Made {
    blockwise(arguments, Mode::Ctr)
}

pub(super) fn ofb(arguments: &[Argument]) -> Made {
    blockwise(arguments, Mode::Ofb)
}

pub(super) fn cfb128(arguments: &[Argument]) -> Made {
    blockwise(arguments, Mode::Cfb)
}

impl Blockwise {
    /// Computes the next block of keystream.
    fn refill(&mut self) {
        self.keystream = self.aes.encrypt(self.register);
        self.used = 0;
        match self.mode {
            Mode::Ctr => self.count(1),
            Mode::Ofb => self.register = self.keystream,
            Mode::Cfb => {}
        }
    }

    fn count(&mut self, blocks: u64) {
        let counter = u128::from_be_bytes(self.register).wrapping_add(blocks.into());
        self.register = counter.to_be_bytes();
    }

    fn decrypt(&mut self, byte: u8) -> u8 {
        if self.used == BLOCK {
            self.refill();
        }
        let key = self.keystream.get(self.used).copied().unwrap_or_default();
        if let (Mode::Cfb, Some(slot)) = (self.mode, self.register.get_mut(self.used)) {
            *slot = byte;
        }
        self.used += 1;
        byte ^ key
    }
}

impl Stage for Blockwise {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        out.extend(bytes.iter().map(|byte| self.decrypt(*byte)));
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        /// The size of a block as a number of lost bytes.
        const SIZE: u64 = 16;
        let position = missing.saturating_add(u64::try_from(self.used).unwrap_or_default());
        let (blocks, behind) = (position.saturating_sub(1) / SIZE, (position.saturating_sub(1) % SIZE) + 1);
        let used = usize::try_from(behind).unwrap_or(BLOCK);
        match self.mode {
            Mode::Ofb if blocks > MOST_SKIPPED => return Skip::Lost,
            Mode::Ctr if blocks > 0 => {
                self.count(blocks - 1);
                self.refill();
            }
            Mode::Ofb => (0..blocks).for_each(|_| self.refill()),
            Mode::Ctr | Mode::Cfb => {}
        }
        self.used = used;
        match self.mode {
            Mode::Cfb if missing > 0 => Skip::After(BLOCK - used + BLOCK),
            _ => Skip::Resumes,
        }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + size_of::<Aes256>()
    }
}

pub(super) fn cfb8(arguments: &[Argument]) -> Made {
    let (key, iv) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "iv")?);
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    Ok(Box::new(AesCfb8 { aes: Aes::new(key)?, mode: Cfb8::new(array(iv, "iv")?) }))
}

/// A block of keystream for each byte.
#[derive(Clone)]
struct AesCfb8 {
    aes: Aes,
    mode: Cfb8,
}

impl Stage for AesCfb8 {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        self.mode.decrypt(bytes, out, |block| self.aes.encrypt(block));
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::After(BLOCK) }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + size_of::<Aes256>()
    }
}
