//! Decompressors of whole messages: snappy, LZO, bzip2.

use super::held::Held;
use super::{Argument, Failure, Made, Skip, Stage};
use bzip2::{Decompress, Status};

/// Decompresses a message to at most this many bytes.
type Decode = fn(&[u8], usize) -> Result<Vec<u8>, Failure>;

/// A message that is decompressed when it is complete.
#[derive(Clone)]
struct Whole {
    held: Held,
    decode: Decode,
}

impl Stage for Whole {
    fn feed(&mut self, bytes: &[u8], _: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        self.held.add(bytes, most)
    }

    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        out.extend((self.decode)(&self.held.take(), most)?);
        Ok(())
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.held.memory()
    }
}

fn whole(decode: Decode) -> Made {
    Ok(Box::new(Whole { held: Held::default(), decode }))
}

pub(super) fn snappy(_: &[Argument]) -> Made {
    whole(|bytes, most| {
        let damaged = |_| Failure::damaged("the snappy data are malformed");
        let size = snap::raw::decompress_len(bytes).map_err(damaged)?;
        if size > most {
            return Err(Failure::TooLong);
        }
        // The decoder allocates the stated size; an element of three bytes makes at most 64.
        if size / 64 > bytes.len() / 3 + 1 {
            return Err(Failure::damaged("the snappy data are too short for their size"));
        }
        snap::raw::Decoder::new().decompress_vec(bytes).map_err(damaged)
    })
}

/// First size of a buffer whose final size is not known.
const FIRST: usize = 1 << 12;

pub(super) fn lzo(_: &[Argument]) -> Made {
    whole(|bytes, most| {
        let mut size = bytes.len().saturating_mul(4).max(FIRST).min(most);
        loop {
            let mut out = vec![0; size];
            match lzokay::decompress::decompress(bytes, &mut out) {
                Ok(len) => {
                    out.truncate(len);
                    return Ok(out);
                }
                Err(lzokay::Error::OutputOverrun) if size >= most => return Err(Failure::TooLong),
                Err(lzokay::Error::OutputOverrun) => size = size.saturating_mul(4).min(most),
                Err(_) => return Err(Failure::damaged("the LZO data are malformed")),
            }
        }
    })
}

pub(super) fn bzip2(_: &[Argument]) -> Made {
    whole(|bytes, most| {
        let damaged = || Failure::damaged("the bzip2 data are malformed");
        let mut decompress = Decompress::new(false);
        let mut out = Vec::with_capacity(bytes.len().saturating_mul(4).clamp(64, 1 << 16));
        loop {
            let read = usize::try_from(decompress.total_in()).unwrap_or(usize::MAX);
            let before = out.len();
            let status = decompress.decompress_vec(bytes.get(read..).unwrap_or_default(), &mut out);
            match status {
                Ok(_) if out.len() > most => return Err(Failure::TooLong),
                Ok(Status::StreamEnd) => return Ok(out),
                Ok(_) if out.len() == out.capacity() => out.reserve(out.len()),
                Ok(_) if out.len() > before => {}
                Ok(_) | Err(_) => return Err(damaged()),
            }
        }
    })
}
