//! Compressed and enciphered bodies: the algorithm that decompresses them, or a repeating key.

mod lz4;
mod method;
mod xor;

pub use method::Method;
pub use xor::Key;

use super::messages::Message;
use super::side::Side;
use std::fmt;

/// Messages that are tried, and the longest body.
const MESSAGES: usize = 64;
const LONGEST: usize = 64 << 10;

/// Offsets at which a body may begin.
const OFFSETS: usize = 40;

/// The shortest body that shows compression.
const SHORTEST: usize = 12;

/// Compressed bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// How they are compressed.
    pub method: Method,
    /// Where they begin, from the start of the message.
    pub at: usize,
    /// Messages whose bodies were decompressed, of how many.
    pub hits: usize,
    pub of: usize,
    /// Whether the bodies of a side are one stream.
    pub is_stream: bool,
}

impl Packed {
    /// The compression of these messages, if most long ones have one.
    #[must_use]
    pub fn find(messages: &[Message<'_>], sides: &[Side]) -> Option<Packed> {
        let long: Vec<&Message<'_>> =
            messages.iter().filter(|message| message.is_whole && message.bytes.len() >= SHORTEST).collect();
        let stride = long.len().div_ceil(MESSAGES).max(1);
        let sample: Vec<&[u8]> = long.iter().step_by(stride).map(|message| message.bytes).collect();
        let alone = (0..OFFSETS).flat_map(|at| Method::ALL.map(|method| (at, method)));
        let found = alone.filter_map(|(at, method)| try_alone(&sample, at, method));
        // Where several fit, the more certain one explains more messages.
        let best = found.max_by_key(|found| (found.hits * found.method.certainty(), std::cmp::Reverse(found.at)));
        best.or_else(|| (0..OFFSETS).find_map(|at| try_stream(messages, sides, at)))
    }

    /// Whether a body of this message is compressed so.
    #[must_use]
    pub fn fits(&self, bytes: &[u8]) -> bool {
        !self.is_stream && bytes.get(self.at..).is_some_and(|body| body.len() <= LONGEST && self.method.unpacks(body))
    }
}

/// `zlib from byte 9 on: 41 of 45 messages decompress`.
impl fmt::Display for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, at, hits, of) = (self.method.name(), self.at, self.hits, self.of);
        if self.is_stream {
            return write!(f, "{name} from byte {at} on, one stream a direction: {hits} of {of} messages decompress");
        }
        write!(f, "{name} from byte {at} on: {hits} of {of} long messages decompress")
    }
}

/// Whether the bodies of enough messages decompress by themselves.
fn try_alone(sample: &[&[u8]], at: usize, method: Method) -> Option<Packed> {
    let bodies = sample.iter().filter_map(|bytes| bytes.get(at..)).filter(|body| (SHORTEST..=LONGEST).contains(&body.len()));
    let (mut of, mut hits) = (0, 0);
    for body in bodies {
        of += 1;
        hits += usize::from(method.unpacks(body));
        // Few messages decompress by chance.
        if of >= 12 && hits == 0 {
            return None;
        }
    }
    let needed = method.needed();
    (hits >= needed && hits * 3 >= of).then_some(Packed { method, at, hits, of, is_stream: false })
}

/// Whether the bodies of a side are one zlib stream that is flushed after each message.
fn try_stream(messages: &[Message<'_>], sides: &[Side], at: usize) -> Option<Packed> {
    let (mut hits, mut of) = (0, 0);
    for side in 0..sides.len() {
        let own = messages.iter().filter(|message| message.side == side && message.is_whole).take(MESSAGES);
        let bodies: Vec<&[u8]> = own.filter_map(|message| message.bytes.get(at..)).filter(|body| body.len() > 2).collect();
        of += bodies.len();
        hits += method::inflated_in_turn(&bodies);
    }
    (hits >= Method::Zlib.needed().max(3) && hits * 10 >= of * 8).then_some(Packed {
        method: Method::Zlib,
        at,
        hits,
        of,
        is_stream: true,
    })
}

#[cfg(test)]
mod tests;
