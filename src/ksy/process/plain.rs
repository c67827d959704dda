//! Transformations of single bytes, and none at all.

use super::argument::{bytes, int};
use super::{Argument, Failure, Made, Skip, Stage};

/// Leaves bytes unchanged: what an empty key makes.
#[derive(Clone)]
pub(super) struct Unchanged;

impl Stage for Unchanged {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        out.extend_from_slice(bytes);
        Ok(())
    }

    fn skip(&mut self, _: u64) -> Skip {
        Skip::Resumes
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        0
    }
}

/// Checks the length of output that is as long as the input.
pub(super) fn same_length(bytes: &[u8], most: usize) -> Result<(), Failure> {
    if bytes.len() <= most { Ok(()) } else { Err(Failure::TooLong) }
}

pub(super) fn xor(arguments: &[Argument]) -> Made {
    let key = match arguments.first() {
        Some(Argument::Int(key)) => vec![u8::try_from(key & 0xff).unwrap_or_default()],
        _ => bytes(arguments, 0, "key")?.to_vec(),
    };
    Ok(Box::new(Xor { key, at: 0 }))
}

/// Exclusive or with a repeated key.
#[derive(Clone)]
struct Xor {
    key: Vec<u8>,
    /// Position in the key.
    at: usize,
}

impl Stage for Xor {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        if self.key.is_empty() {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        out.extend(bytes.iter().zip(self.key.iter().cycle().skip(self.at)).map(|(byte, key)| byte ^ key));
        self.at = (self.at + bytes.len()) % self.key.len();
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        self.at = advanced(self.at, missing, self.key.len());
        Skip::Resumes
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        self.key.len()
    }
}

/// A position in a key of this length, behind lost bytes.
fn advanced(at: usize, missing: u64, len: usize) -> usize {
    let len = u64::try_from(len).unwrap_or(u64::MAX).max(1);
    let at = (u64::try_from(at).unwrap_or_default() + missing % len) % len;
    usize::try_from(at).unwrap_or_default()
}

pub(super) fn rotate_left(arguments: &[Argument]) -> Made {
    let bits = int(arguments, 0, "bits")?.rem_euclid(8);
    Ok(Box::new(Rotate(u32::try_from(bits).unwrap_or_default())))
}

pub(super) fn rotate_right(arguments: &[Argument]) -> Made {
    let bits = 8 - int(arguments, 0, "bits")?.rem_euclid(8);
    Ok(Box::new(Rotate(u32::try_from(bits).unwrap_or_default())))
}

/// Rotates each byte left by this many bits.
#[derive(Clone)]
struct Rotate(u32);

impl Stage for Rotate {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        out.extend(bytes.iter().map(|byte| byte.rotate_left(self.0)));
        Ok(())
    }

    fn skip(&mut self, _: u64) -> Skip {
        Skip::Resumes
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        0
    }
}

pub(super) fn xor_chain(arguments: &[Argument]) -> Made {
    let key = bytes(arguments, 0, "key")?.to_vec();
    if key.is_empty() {
        return Ok(Box::new(Unchanged));
    }
    Ok(Box::new(XorChain { key, at: 0, previous: 0 }))
}

/// Exclusive or with a repeated key and the previous encrypted byte, as in Lineage 2. A message starts at the first byte of the key
/// and with 0 as the previous byte.
#[derive(Clone)]
struct XorChain {
    key: Vec<u8>,
    /// Position in the key.
    at: usize,
    previous: u8,
}

impl Stage for XorChain {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        same_length(bytes, most)?;
        for (byte, key) in bytes.iter().zip(self.key.iter().cycle().skip(self.at)) {
            out.push(byte ^ key ^ self.previous);
            self.previous = *byte;
        }
        self.at = advanced(self.at, u64::try_from(bytes.len()).unwrap_or_default(), self.key.len());
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        self.at = advanced(self.at, missing, self.key.len());
        if missing == 0 { Skip::Resumes } else { Skip::After(1) }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        self.key.len()
    }
}
