//! Ciphers with an authentication tag at the end of each message.

use super::argument::{bytes, bytes_or_none, sized};
use super::plain::Unchanged;
use super::{Argument, Failure, Made, Skip, Stage};
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, KeyInit, Nonce, Payload};
use aes_gcm::aes::Aes192;
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use std::sync::Arc;

/// Size of a tag.
const TAG: usize = 16;

/// The plaintext, if the tag is right.
type Open = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

/// A message that is held back until its tag is complete.
#[derive(Clone)]
struct Sealed {
    open: Arc<Open>,
    held: Vec<u8>,
}

impl Stage for Sealed {
    fn feed(&mut self, bytes: &[u8], _: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        if self.held.len().saturating_add(bytes.len()) > most.saturating_add(TAG) {
            return Err(Failure::TooLong);
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        if held.len() < TAG {
            return Err(Failure::Damaged(format!("{} bytes are fewer than a tag has", held.len())));
        }
        if held.len() - TAG > most {
            return Err(Failure::TooLong);
        }
        out.extend((self.open)(&held).ok_or_else(|| Failure::damaged("the tag does not verify"))?);
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.open) + self.held.capacity()
    }
}

fn sealed<C>(key: &[u8], nonce: &[u8], aad: &[u8]) -> Made
where
    C: Aead + KeyInit + Send + Sync + 'static,
{
    let cipher = C::new_from_slice(key).map_err(|error| error.to_string())?;
    let nonce = Nonce::<C>::try_from(nonce).map_err(|_| String::from("`nonce` has the wrong size"))?;
    let aad = aad.to_vec();
    let open = move |msg: &[u8]| cipher.decrypt(&nonce, Payload { msg, aad: &aad }).ok();
    Ok(Box::new(Sealed { open: Arc::new(open), held: Vec::new() }))
}

pub(super) fn aes_gcm(arguments: &[Argument]) -> Made {
    let (key, nonce) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "nonce")?);
    let aad = bytes_or_none(arguments, 2, "aad")?;
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    sized(key, "key", &[16, 24, 32])?;
    sized(nonce, "nonce", &[12])?;
    match key.len() {
        16 => sealed::<Aes128Gcm>(key, nonce, aad),
        24 => sealed::<AesGcm<Aes192, U12>>(key, nonce, aad),
        _ => sealed::<Aes256Gcm>(key, nonce, aad),
    }
}

pub(super) fn chacha20_poly1305(arguments: &[Argument]) -> Made {
    let (key, nonce) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "nonce")?);
    let aad = bytes_or_none(arguments, 2, "aad")?;
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    sized(key, "key", &[32])?;
    sized(nonce, "nonce", &[12, 24])?;
    match nonce.len() {
        12 => sealed::<ChaCha20Poly1305>(key, nonce, aad),
        _ => sealed::<XChaCha20Poly1305>(key, nonce, aad),
    }
}
