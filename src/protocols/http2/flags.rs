//! Frame headers, and the flags of each frame type.

use super::names::{CONTINUATION, DATA_FRAME, HEADERS_FRAME, PING_FRAME, PUSH_PROMISE, SETTINGS_FRAME};
use super::*;
use crate::tree::Field;

/// Size of a frame header in bytes.
pub(super) const HEADER_SIZE: usize = 9;

pub(super) const IS_END_STREAM: u8 = 0x01;
pub(super) const IS_ACK: u8 = 0x01;
pub(super) const IS_END_HEADERS: u8 = 0x04;
pub(super) const IS_PADDED: u8 = 0x08;
pub(super) const HAS_PRIORITY: u8 = 0x20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameHeader {
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl FrameHeader {
    pub(super) fn of(bytes: &[u8]) -> Option<FrameHeader> {
        let [a, b, c, kind, flags, stream @ ..] = *bytes.first_chunk::<HEADER_SIZE>()?;
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).ok()?;
        Some(FrameHeader { length, kind, flags, stream: u32::from_be_bytes(stream) & 0x7fff_ffff })
    }

    pub(super) fn whole(self) -> usize {
        HEADER_SIZE + self.length
    }

    /// Whether length, flags and stream satisfy the constraints of RFC 9113 for the frame type.
    pub(super) fn is_plausible(self) -> bool {
        /// Initial maximum frame size.
        const PAYLOAD: usize = 1 << 14;
        let FrameHeader { length, kind, flags, stream } = self;
        let fits = match kind {
            DATA_FRAME => flags & !0x09 == 0 && stream > 0,
            HEADERS_FRAME => flags & !0x2d == 0 && stream > 0 && length > 0,
            2 => length == 5 && flags == 0 && stream > 0,
            3 => length == 4 && flags == 0 && stream > 0,
            SETTINGS_FRAME => length % 6 == 0 && flags & !1 == 0 && stream == 0 && (flags == 0 || length == 0),
            PUSH_PROMISE => flags & !0x0c == 0 && stream > 0 && length > 4,
            PING_FRAME => length == 8 && flags & !1 == 0 && stream == 0,
            7 => length >= 8 && flags == 0 && stream == 0,
            8 => length == 4 && flags == 0,
            CONTINUATION => flags & !4 == 0 && stream > 0,
            _ => false,
        };
        fits && length <= PAYLOAD
    }
}

static OF_DATA: [&Field; 3] = [&UNUSED_DATA, &PADDED, &END_STREAM];
static OF_HEADERS: [&Field; 5] = [&UNUSED_HEADERS, &PRIORITY, &PADDED, &END_HEADERS, &END_STREAM];
static OF_SETTINGS: [&Field; 2] = [&UNUSED_SETTINGS, &ACK_SETTINGS];
static OF_PUSH_PROMISE: [&Field; 3] = [&UNUSED_PUSH_PROMISE, &PADDED, &END_HEADERS];
static OF_PING: [&Field; 2] = [&UNUSED_PING, &ACK_PING];
static OF_CONTINUATION: [&Field; 2] = [&UNUSED_CONTINUATION, &END_HEADERS];
static OF_OTHERS: [&Field; 1] = [&UNUSED];

/// Flags of a frame type.
pub(super) fn of(kind: u8) -> &'static [&'static Field] {
    match kind {
        DATA_FRAME => &OF_DATA,
        HEADERS_FRAME => &OF_HEADERS,
        SETTINGS_FRAME => &OF_SETTINGS,
        PUSH_PROMISE => &OF_PUSH_PROMISE,
        PING_FRAME => &OF_PING,
        CONTINUATION => &OF_CONTINUATION,
        _ => &OF_OTHERS,
    }
}

/// Offset of the next plausible frame, whose header is followed by another one or by the end.
pub(super) fn next_frame(ahead: &[u8]) -> Option<usize> {
    let header = |at: usize| FrameHeader::of(ahead.get(at..)?).filter(|header| header.is_plausible());
    let ends = |at: usize| at == ahead.len() || header(at).is_some();
    (0..ahead.len()).find(|at| header(*at).is_some_and(|header| ends(at + header.whole())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_satisfy_the_constraints_of_their_frame_type() {
        let is_plausible = |(length, kind, flags, stream)| FrameHeader { length, kind, flags, stream }.is_plausible();
        // RFC 9113, sections 6.1 to 6.10: length, type, flags, stream.
        let good = [
            (0, 0, 9, 1),
            (16384, 0, 0, 3),
            (1, 1, 0x2d, 1),
            (5, 2, 0, 1),
            (4, 3, 0, 1),
            (0, 4, 1, 0),
            (12, 4, 0, 0),
            (5, 5, 0xc, 1),
            (8, 6, 1, 0),
            (8, 7, 0, 0),
            (99, 7, 0, 0),
            (4, 8, 0, 0),
            (4, 8, 0, 7),
            (3, 9, 4, 1),
        ];
        let bad = [
            (0, 0, 2, 1),
            (1, 0, 0, 0),
            (16385, 0, 0, 3),
            (0, 1, 4, 1),
            (1, 1, 2, 1),
            (1, 1, 4, 0),
            (4, 2, 0, 1),
            (5, 2, 1, 1),
            (5, 2, 0, 0),
            (5, 3, 0, 1),
            (4, 3, 1, 1),
            (4, 3, 0, 0),
            (6, 4, 1, 0),
            (7, 4, 0, 0),
            (6, 4, 0, 1),
            (6, 4, 2, 0),
            (4, 5, 4, 1),
            (5, 5, 1, 1),
            (5, 5, 4, 0),
            (7, 6, 0, 0),
            (8, 6, 2, 0),
            (8, 6, 0, 1),
            (7, 7, 0, 0),
            (8, 7, 1, 0),
            (8, 7, 0, 1),
            (5, 8, 0, 0),
            (4, 8, 1, 0),
            (3, 9, 1, 1),
            (3, 9, 4, 0),
            (0, 10, 0, 1),
        ];
        assert_eq!(good.into_iter().filter(|header| !is_plausible(*header)).collect::<Vec<_>>(), []);
        assert_eq!(bad.into_iter().filter(|header| is_plausible(*header)).collect::<Vec<_>>(), []);
    }
}
