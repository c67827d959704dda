//! Ciphers that combine bytes with a keystream.

use super::argument::{bytes, number_or, sized};
use super::plain::{Unchanged, same_length};
use super::{Argument, Failure, Made, Skip, Stage};
use crate::wire::isaac::Isaac;
use chacha20::{ChaCha20, ChaCha20Legacy, XChaCha20};
use cipher::{Iv, Key, KeyIvInit, StreamCipher, StreamCipherSeek};
use salsa20::{Salsa20, XSalsa20};

/// Lost bytes for which a keystream is computed that can only be computed byte by byte.
const MOST_SKIPPED: u64 = 1 << 24;

/// Bytes of RC4's keystream that may be dropped.
const MOST_DROPPED: u64 = 1 << 20;

/// A keystream that is computed byte by byte.
trait Keystream: Clone + Send + 'static {
    fn next(&mut self) -> u8;

    fn decrypt(&mut self, byte: u8) -> u8;
}

/// Such a cipher.
struct Bytewise<K>(Box<K>);

impl<K: Keystream> Stage for Bytewise<K> {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        out.extend(bytes.iter().map(|byte| self.0.decrypt(*byte)));
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing > MOST_SKIPPED {
            return Skip::Lost;
        }
        for _ in 0..missing {
            self.0.next();
        }
        Skip::Resumes
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(Bytewise(self.0.clone()))
    }

    fn memory(&self) -> usize {
        size_of::<K>()
    }
}

pub(super) fn rc4(arguments: &[Argument]) -> Made {
    let key = bytes(arguments, 0, "key")?;
    let dropped = number_or(arguments, 1, "drop", MOST_DROPPED, 0)?;
    match key.len() {
        0 => return Ok(Box::new(Unchanged)),
        1..=256 => {}
        len => return Err(format!("`key` has {len} bytes; it must have 1 to 256")),
    }
    let mut rc4 = Rc4::new(key);
    for _ in 0..dropped {
        rc4.next();
    }
    Ok(Box::new(Bytewise(Box::new(rc4))))
}

/// RC4. The crate `rc4` has no copy of its state.
#[derive(Clone)]
struct Rc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    fn new(key: &[u8]) -> Rc4 {
        let mut state = [0; 256];
        for (slot, value) in state.iter_mut().zip(0..=u8::MAX) {
            *slot = value;
        }
        let mut rc4 = Rc4 { state, i: 0, j: 0 };
        for (i, key) in (0..=u8::MAX).zip(key.iter().cycle()) {
            rc4.j = rc4.j.wrapping_add(rc4.at(i)).wrapping_add(*key);
            rc4.state.swap(usize::from(i), usize::from(rc4.j));
        }
        Rc4 { j: 0, ..rc4 }
    }

    fn at(&self, place: u8) -> u8 {
        self.state.get(usize::from(place)).copied().unwrap_or_default()
    }
}

impl Keystream for Rc4 {
    fn next(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let first = self.at(self.i);
        self.j = self.j.wrapping_add(first);
        let second = self.at(self.j);
        self.state.swap(usize::from(self.i), usize::from(self.j));
        self.at(first.wrapping_add(second))
    }

    fn decrypt(&mut self, byte: u8) -> u8 {
        byte ^ self.next()
    }
}

/// `isaac(seed, add)`: a byte is an opcode, from which the low byte of the next word is subtracted.
pub(super) fn isaac(arguments: &[Argument]) -> Made {
    const MOST_SEED: usize = 1024;
    let seed = bytes(arguments, 0, "seed")?;
    let add = number_or(arguments, 1, "add", u32::MAX.into(), 0)?;
    let (words, rest) = seed.as_chunks();
    match (words, rest) {
        ([], []) => return Ok(Box::new(Unchanged)),
        (_, []) if seed.len() <= MOST_SEED => {}
        _ => return Err(format!("`seed` has {} bytes; it must have 4 to {MOST_SEED}, in words of four", seed.len())),
    }
    let add = u32::try_from(add).unwrap_or_default();
    let words: Vec<u32> = words.iter().map(|word| u32::from_be_bytes(*word).wrapping_add(add)).collect();
    Ok(Box::new(Bytewise(Box::new(Isaac::new(&words)))))
}

impl Keystream for Isaac {
    fn next(&mut self) -> u8 {
        let [low, ..] = self.next_word().to_le_bytes();
        low
    }

    fn decrypt(&mut self, byte: u8) -> u8 {
        self.decipher(byte)
    }
}

/// A cipher whose keystream can be computed at any position.
struct Seekable<C: KeyIvInit> {
    cipher: C,
    key: Key<C>,
    nonce: Iv<C>,
}

impl<C> Stage for Seekable<C>
where
    C: KeyIvInit + StreamCipher + StreamCipherSeek + Send + 'static,
{
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        let start = out.len();
        out.extend_from_slice(bytes);
        let new = out.get_mut(start..).unwrap_or_default();
        self.cipher.try_apply_keystream(new).map_err(|_| Failure::damaged("the keystream is used up"))
    }

    fn skip(&mut self, missing: u64) -> Skip {
        let next = self.cipher.try_current_pos::<u64>().ok().and_then(|at| at.checked_add(missing));
        let resumes = next.is_some_and(|next| self.cipher.try_seek(next).is_ok());
        if resumes { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        let mut cipher = C::new(&self.key, &self.nonce);
        // A position that was reached can be reached again.
        let _ = self.cipher.try_current_pos::<u64>().map(|at| cipher.try_seek(at));
        Box::new(Seekable { cipher, key: self.key.clone(), nonce: self.nonce.clone() })
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
    }
}

/// Size of a block of ChaCha20 and Salsa20.
const BLOCK: u64 = 64;

/// Starts such a cipher at a block.
fn seekable<C>(key: &[u8], nonce: &[u8], counter: u64) -> Made
where
    C: KeyIvInit + StreamCipher + StreamCipherSeek + Send + 'static,
{
    let key = Key::<C>::try_from(key).map_err(|_| String::from("`key` must have 32 bytes"))?;
    let nonce = Iv::<C>::try_from(nonce).map_err(|_| String::from("`nonce` has the wrong size"))?;
    let mut cipher = C::new(&key, &nonce);
    let start = counter.checked_mul(BLOCK).and_then(|start| cipher.try_seek(start).ok());
    start.ok_or_else(|| format!("`counter` is {counter}, which is too large"))?;
    Ok(Box::new(Seekable { cipher, key, nonce }))
}

pub(super) fn chacha20(arguments: &[Argument]) -> Made {
    let (key, nonce) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "nonce")?);
    let counter = number_or(arguments, 2, "counter", u64::MAX, 0)?;
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    sized(key, "key", &[32])?;
    sized(nonce, "nonce", &[8, 12, 24])?;
    match nonce.len() {
        8 => seekable::<ChaCha20Legacy>(key, nonce, counter),
        12 => seekable::<ChaCha20>(key, nonce, counter),
        _ => seekable::<XChaCha20>(key, nonce, counter),
    }
}

pub(super) fn salsa20(arguments: &[Argument]) -> Made {
    let (key, nonce) = (bytes(arguments, 0, "key")?, bytes(arguments, 1, "nonce")?);
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    sized(key, "key", &[32])?;
    sized(nonce, "nonce", &[8, 24])?;
    match nonce.len() {
        8 => seekable::<Salsa20>(key, nonce, 0),
        _ => seekable::<XSalsa20>(key, nonce, 0),
    }
}
