//! Ciphers that combine bytes with a keystream.

use super::argument::{bytes, number_or};
use super::plain::{Unchanged, same_length};
use super::{Argument, Failure, Skip, Stage};

type Made = Result<Box<dyn Stage>, String>;

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
