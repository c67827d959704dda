//! Block ciphers, in the decrypting direction. Padding stays in place.

use super::aes::Aes;
use super::argument::{array, bytes, sized, text};
use super::plain::Unchanged;
use super::{Argument, Failure, Made, Skip, Stage};
use ::des::{Des, TdesEde2, TdesEde3};
use blowfish::{Blowfish, BlowfishLE};
use cipher::consts::{U12, U16};
use cipher::{Block, BlockCipherDecrypt, KeyInit};
use std::sync::Arc;
use twofish::Twofish;
use xtea::Xtea;

/// RC5 with words of 32 bits, 12 rounds and a key of 16 bytes.
type Rc5 = ::rc5::RC5<u32, U12, U16>;

/// Maximum size of a block.
const MOST_BLOCK: usize = 16;

/// A cipher with its key.
trait Decrypt: Send + Sync {
    /// Decrypts a block of its size.
    fn decrypt(&self, block: &mut [u8]);
}

impl<C: BlockCipherDecrypt + Send + Sync> Decrypt for C {
    fn decrypt(&self, block: &mut [u8]) {
        if let Ok(block) = <&mut Block<C>>::try_from(block) {
            self.decrypt_block(block);
        }
    }
}

impl Decrypt for Aes {
    fn decrypt(&self, block: &mut [u8]) {
        if let Ok(block) = block.try_into() {
            Aes::decrypt(self, block);
        }
    }
}

/// Blocks that are decrypted one by one (ECB), or combined with the encrypted block before (CBC).
#[derive(Clone)]
struct Blocks {
    cipher: Arc<dyn Decrypt>,
    size: usize,
    /// An incomplete block.
    held: Vec<u8>,
    /// The encrypted block before, in CBC.
    chain: Option<[u8; MOST_BLOCK]>,
}

impl Blocks {
    fn decrypt(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.held);
        let block = out.get_mut(start..).unwrap_or_default();
        self.cipher.decrypt(block);
        if let Some(chain) = &mut self.chain {
            block.iter_mut().zip(chain.iter()).for_each(|(byte, before)| *byte ^= before);
            chain.iter_mut().zip(&self.held).for_each(|(slot, byte)| *slot = *byte);
        }
        self.held.clear();
    }
}

impl Stage for Blocks {
    fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        if (self.held.len() + bytes.len()) / self.size * self.size > most {
            return Err(Failure::TooLong);
        }
        while let Some((part, rest)) = bytes.split_at_checked(self.size - self.held.len()) {
            self.held.extend_from_slice(part);
            self.decrypt(out);
            bytes = rest;
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Bytes behind the last whole block are not encrypted in game protocols; in CBC they are an error.
    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        if self.chain.is_some() && !held.is_empty() {
            return Err(Failure::Damaged(format!("{} bytes follow the last whole block", held.len())));
        }
        if held.len() > most {
            return Err(Failure::TooLong);
        }
        out.extend(held);
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        let whole = u64::try_from(self.size).is_ok_and(|size| missing.is_multiple_of(size));
        match (missing, &self.chain) {
            (0, _) => Skip::Resumes,
            _ if !whole || !self.held.is_empty() => Skip::Lost,
            (_, None) => Skip::Resumes,
            (_, Some(_)) => Skip::After(self.size),
        }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.cipher) + self.held.capacity()
    }
}

fn blocks(cipher: impl Decrypt + 'static, size: usize, chain: Option<[u8; MOST_BLOCK]>) -> Made {
    Ok(Box::new(Blocks { cipher: Arc::new(cipher), size, held: Vec::with_capacity(size), chain }))
}

/// Blocks of a cipher whose key has one of these sizes.
fn keyed<C>(arguments: &[Argument], sizes: &[usize]) -> Made
where
    C: BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
{
    let key = bytes(arguments, 0, "key")?;
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    sized(key, "key", sizes)?;
    blocks(C::new_from_slice(key).map_err(|error| error.to_string())?, C::block_size(), None)
}

pub(super) fn aes_ecb(arguments: &[Argument]) -> Made {
    match bytes(arguments, 0, "key")? {
        [] => Ok(Box::new(Unchanged)),
        key => blocks(Aes::new(key)?, MOST_BLOCK, None),
    }
}

pub(super) fn aes_cbc(arguments: &[Argument]) -> Made {
    let (key, iv) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "iv")?);
    match key {
        [] => Ok(Box::new(Unchanged)),
        key => blocks(Aes::new(key)?, MOST_BLOCK, Some(array(iv, "iv")?)),
    }
}

pub(super) fn blowfish(arguments: &[Argument]) -> Made {
    let key = bytes(arguments, 0, "key")?;
    let order = if arguments.len() < 2 { "be" } else { text(arguments, 1, "order")? };
    if !["be", "le"].contains(&order) {
        return Err(format!("`order` is `{order}`; it must be `be` or `le`"));
    }
    match (key.len(), order) {
        (0, _) => Ok(Box::new(Unchanged)),
        (4..=56, "be") => keyed::<Blowfish>(arguments, &[key.len()]),
        (4..=56, _) => keyed::<BlowfishLE>(arguments, &[key.len()]),
        (len, _) => Err(format!("`key` has {len} bytes; it must have 4 to 56")),
    }
}

pub(super) fn xtea(arguments: &[Argument]) -> Made {
    keyed::<Xtea>(arguments, &[16])
}

pub(super) fn des(arguments: &[Argument]) -> Made {
    keyed::<Des>(arguments, &[8])
}

pub(super) fn des3(arguments: &[Argument]) -> Made {
    match bytes(arguments, 0, "key")?.len() {
        16 => keyed::<TdesEde2>(arguments, &[16]),
        _ => keyed::<TdesEde3>(arguments, &[16, 24]),
    }
}

pub(super) fn rc5(arguments: &[Argument]) -> Made {
    keyed::<Rc5>(arguments, &[16])
}

pub(super) fn twofish(arguments: &[Argument]) -> Made {
    keyed::<Twofish>(arguments, &[16, 24, 32])
}
