//! Message extents in HTTP/3 streams: frames, and instructions of QPACK.

use super::qpack;
use crate::limits;
use crate::protocols::varint::varint;

pub(super) const CONTROL: u64 = 0;
pub(super) const PUSH: u64 = 1;
pub(super) const ENCODER: u64 = 2;
pub(super) const DECODER: u64 = 3;

/// Framing state of one direction of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::protocols) enum Framing {
    /// The type of a unidirectional stream follows.
    Type,
    /// The push ID of a push stream follows.
    PushId,
    /// Frames follow, after the remaining bytes of a partial frame.
    #[default]
    Frames,
    Part(u64),
    Encoder,
    Decoder,
    /// Bytes of an unknown stream.
    Unknown,
}

impl Framing {
    pub(in crate::protocols) fn new(is_unidirectional: bool) -> Framing {
        if is_unidirectional { Framing::Type } else { Framing::Frames }
    }

    /// Size of the next message, if it is complete or the stream ends.
    pub(in crate::protocols) fn next(&mut self, ahead: &[u8], is_whole: bool) -> Option<usize> {
        if ahead.is_empty() {
            return None;
        }
        let (size, next) = match *self {
            Framing::Type => varint(ahead).map(|(kind, size)| (size, Framing::of(kind)))?,
            Framing::PushId => varint(ahead).map(|(_, size)| (size, Framing::Frames))?,
            Framing::Frames => match frame(ahead) {
                Some(frame) => frame,
                None if is_whole => (ahead.len(), Framing::Frames),
                None => return None,
            },
            Framing::Part(left) => part(0, left),
            Framing::Encoder => (qpack::encoder::size(ahead).or(is_whole.then_some(ahead.len()))?, Framing::Encoder),
            Framing::Decoder => (qpack::decoder::size(ahead).or(is_whole.then_some(ahead.len()))?, Framing::Decoder),
            Framing::Unknown => (ahead.len(), Framing::Unknown),
        };
        if size > ahead.len() && !is_whole {
            return None;
        }
        *self = next;
        Some(size.min(ahead.len()))
    }

    fn of(kind: u64) -> Framing {
        match kind {
            CONTROL => Framing::Frames,
            PUSH => Framing::PushId,
            ENCODER => Framing::Encoder,
            DECODER => Framing::Decoder,
            _ => Framing::Unknown,
        }
    }
}

/// Size of the first frame, or of its first part.
fn frame(ahead: &[u8]) -> Option<(usize, Framing)> {
    let (_, kind) = varint(ahead)?;
    let (length, size) = varint(ahead.get(kind..)?)?;
    Some(part(kind + size, length))
}

/// Size of the next part of a frame, after its header.
fn part(header: usize, left: u64) -> (usize, Framing) {
    let most = limits::HTTP3_FRAME.get().max(1);
    match usize::try_from(left).ok().filter(|left| *left <= most) {
        Some(left) => (header + left, Framing::Frames),
        None => (header + most, Framing::Part(left - most as u64)),
    }
}
