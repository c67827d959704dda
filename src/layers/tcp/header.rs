//! The TCP header as values: the only place that reads its layout and does its arithmetic.

use super::{FLAG_ACK, FLAG_FIN, FLAG_PUSH, FLAG_RESET, FLAG_SYN, KINDS};
use crate::tree::{Field, name_of};

/// Bytes of a header without options.
pub(super) const MIN_HEADER: usize = 20;

/// Values of a TCP header.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    /// Source port.
    pub src: u16,
    /// Destination port.
    pub dst: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number.
    pub ack: u32,
    /// Header length in bytes, options included.
    pub len: usize,
    /// Reserved bits and flags, as in `tcp.flags`.
    pub flags: u16,
    /// Receive window, not scaled.
    pub window: u16,
    /// Shift count of the window scale option.
    pub scale: Option<u8>,
    /// Whether the header is captured completely and its lengths are valid.
    pub is_whole: bool,
    /// Whether `is_whole` holds and there are no options, or only two no-operations and timestamps, as in most segments.
    pub is_plain: bool,
    /// Whether all options are known and their lengths are valid.
    pub is_known: bool,
}

impl Header {
    /// Parses the header of a segment; `None` if the part before the options is truncated.
    pub fn parse(segment: &[u8]) -> Option<Header> {
        let fixed = segment.first_chunk()?;
        let header = Header::of(fixed);
        let is_plain = is_plain(header.len, segment);
        if is_plain {
            return Some(Header { is_plain, is_whole: true, is_known: true, ..header });
        }
        let (scale, is_known) = scan(segment.get(MIN_HEADER..header.len).unwrap_or_default());
        Some(Header { scale, is_known, is_whole: etherparse::TcpSlice::from_slice(segment).is_ok(), ..header })
    }

    /// Header values; those of truncated parts are zero. Options are not parsed.
    pub(super) fn parse_cut(segment: &[u8]) -> Header {
        let mut fixed = [0; MIN_HEADER];
        fixed.iter_mut().zip(segment).for_each(|(byte, captured)| *byte = *captured);
        Header::of(&fixed)
    }

    fn of(fixed: &[u8; MIN_HEADER]) -> Header {
        let [s0, s1, d0, d1, q0, q1, q2, q3, a0, a1, a2, a3, f0, f1, w0, w1, ..] = *fixed;
        Header {
            src: u16::from_be_bytes([s0, s1]),
            dst: u16::from_be_bytes([d0, d1]),
            seq: u32::from_be_bytes([q0, q1, q2, q3]),
            ack: u32::from_be_bytes([a0, a1, a2, a3]),
            len: 4 * usize::from(f0 >> 4),
            flags: u16::from_be_bytes([f0, f1]) & 0x0fff,
            window: u16::from_be_bytes([w0, w1]),
            scale: None,
            is_whole: false,
            is_plain: false,
            is_known: false,
        }
    }

    fn has(&self, flag: &Field) -> bool {
        flag.bits_of(self.flags.into()) != 0
    }

    /// SYN: opens the connection.
    pub fn syn(&self) -> bool {
        self.has(&FLAG_SYN)
    }

    /// FIN: no more data from the sender.
    pub fn fin(&self) -> bool {
        self.has(&FLAG_FIN)
    }

    /// RST: resets the connection.
    pub fn rst(&self) -> bool {
        self.has(&FLAG_RESET)
    }

    /// ACK: the acknowledgment number is valid.
    pub fn acks(&self) -> bool {
        self.has(&FLAG_ACK)
    }

    /// PSH: push function.
    pub fn push(&self) -> bool {
        self.has(&FLAG_PUSH)
    }

    /// Whether the segment opens a new connection in place of one with this initial sequence number: a SYN with another number,
    /// as in Wireshark.
    pub fn opens_anew(&self, base: Option<u32>) -> bool {
        self.syn() && !self.acks() && base.is_some_and(|base| base != self.seq)
    }

    /// Bytes of payload in a segment of this size on the wire; `None` if the header length is invalid.
    pub(super) fn payload_len(&self, on_wire: usize) -> Option<usize> {
        on_wire.checked_sub(self.len).filter(|_| self.len >= MIN_HEADER)
    }

    /// Sequence and acknowledgment numbers relative to the initial ones.
    pub(super) fn relative(&self, seq_base: u32, ack_base: u32) -> [u32; 2] {
        [self.seq.wrapping_sub(seq_base), self.ack.wrapping_sub(if self.acks() { ack_base } else { 0 })]
    }

    /// Sequence numbers that a segment with this payload occupies.
    pub(super) fn occupied(&self, payload: usize) -> u32 {
        u32::try_from(payload).unwrap_or(u32::MAX).wrapping_add(u32::from(self.syn()) + u32::from(self.fin()))
    }
}

/// Whether a segment has no options, or two no-operations and timestamps.
fn is_plain(header: usize, segment: &[u8]) -> bool {
    const TIMES: [u8; 4] = [1, 1, 8, 10];
    const WITH_TIMES: usize = MIN_HEADER + 12;
    match header {
        MIN_HEADER => true,
        WITH_TIMES => segment.len() >= WITH_TIMES && segment.get(MIN_HEADER..).is_some_and(|options| options.starts_with(&TIMES)),
        _ => false,
    }
}

/// The shift count of the last window scale option, and whether all options are known and valid.
fn scan(options: &[u8]) -> (Option<u8>, bool) {
    const OPTION: usize = 3;
    let (mut left, mut scale, mut known) = (options, None, true);
    loop {
        left = match left {
            [] | [0, ..] => return (scale, known),
            [1, left @ ..] => left,
            [kind, length, behind @ ..] if *length >= 2 => {
                let Some((data, left)) = behind.split_at_checked(usize::from(*length) - 2) else { return (scale, false) };
                if let (3, [shift], OPTION) = (*kind, data, usize::from(*length)) {
                    scale = Some(*shift);
                }
                known &= name_of(KINDS, u64::from(*kind)).is_some();
                left
            }
            _ => return (scale, false),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_a_window_scale_and_known_kinds() {
        assert_eq!(scan(&[]), (None, true));
        assert_eq!(scan(&[2, 4, 5, 0xb4, 1, 3, 3, 7, 4, 2]), (Some(7), true));
        // The last window scale counts, and nothing after the end of the list.
        assert_eq!(scan(&[3, 3, 1, 3, 3, 2, 0, 3, 3, 9]), (Some(2), true));
        // An unknown kind; a length below two; an option past the end; a window scale of another length.
        assert_eq!(scan(&[200, 2, 3, 3, 4]), (Some(4), false));
        assert_eq!(scan(&[3, 3, 5, 2, 1]), (Some(5), false));
        assert_eq!(scan(&[3, 3, 5, 2, 4, 5]), (Some(5), false));
        assert_eq!(scan(&[3, 4, 5, 5]), (None, true));
    }
}
