//! Heuristics for RakNet datagrams.

use super::{offline, system};
use crate::wire::{SERIES_HEAD, Series, Step};

pub(super) const ACK: u8 = 0xc0;
pub(super) const ACK_WITH_BANDWIDTH: u8 = 0xe0;
pub(super) const NAK: u8 = 0xa0;
pub(super) const VALID: u8 = 0x80;

/// Defined flags of data datagrams.
const DATA_FLAGS: u8 = 0x1c;

/// Number of ordering channels.
pub(super) const CHANNELS: u8 = 32;

/// Whether the datagram is an offline message, by its ID and magic bytes.
pub(super) fn is_offline(datagram: &[u8]) -> bool {
    offline::magic_at(datagram).is_some()
}

/// Whether a datagram fits a connection whose setup was captured.
pub(super) fn is_of_connection(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|flags| flags & VALID != 0)
}

/// Whether a datagram fits a connection and is well-formed to the last byte.
pub(super) fn is_sound(datagram: &[u8]) -> bool {
    is_sound_with(datagram, |_, _| true)
}

/// Whether a datagram is certainly RakNet: well-formed, with an internal message.
pub(super) fn is_evident(datagram: &[u8]) -> bool {
    is_sound_with(datagram, |head, payload| head.flags & SPLIT == 0 && system::is_system(payload))
}

/// Datagrams of a connection whose setup was not captured.
pub(super) const SERIES: Series = Series { least: 3, begins, follows };

/// Whether a datagram is well-formed and contains reliable frames. Others have too few fields: packets of RTP resemble them.
fn begins(datagram: &[u8]) -> bool {
    let is_data = datagram.first().is_some_and(|flags| flags & !DATA_FLAGS == VALID);
    is_data && is_sound_with(datagram, |head, _| is_reliable(head.flags >> 5))
}

/// Whether the number of a datagram follows that of an earlier one, of which some may be lost.
fn follows(earlier: &[u8; SERIES_HEAD], later: &[u8]) -> Step {
    const MOST: u32 = 8;
    let number = |bytes: &[u8]| bytes.get(1..)?.first_chunk().map(|number| u24(*number));
    let steps = number(later).zip(number(earlier)).map(|(later, earlier)| later.wrapping_sub(earlier) & 0xff_ffff);
    if steps.is_some_and(|steps| (1..=MOST).contains(&steps)) { Step::Advances } else { Step::No }
}

fn is_sound_with(datagram: &[u8], is_right: impl Fn(&Head, &[u8]) -> bool) -> bool {
    match datagram {
        [ACK | NAK, records @ ..] => are_records(records),
        [ACK_WITH_BANDWIDTH, _, _, _, _, records @ ..] => are_records(records),
        [flags, _, _, _, frames @ ..] if flags & !DATA_FLAGS == VALID => are_frames(frames, is_right),
        _ => false,
    }
}

fn are_records(bytes: &[u8]) -> bool {
    let [high, low, rest @ ..] = bytes else { return false };
    let mut rest = rest;
    let count = u16::from_be_bytes([*high, *low]);
    for _ in 0..count {
        rest = match rest {
            [1, _, _, _, rest @ ..] => rest,
            [0, a, b, c, d, e, f, rest @ ..] if u24([*a, *b, *c]) <= u24([*d, *e, *f]) => rest,
            _ => return false,
        };
    }
    count > 0 && rest.is_empty()
}

pub(super) fn u24([low, middle, high]: [u8; 3]) -> u32 {
    u32::from_le_bytes([low, middle, high, 0])
}

fn are_frames(mut rest: &[u8], is_right: impl Fn(&Head, &[u8]) -> bool) -> bool {
    while let Some(head) = Head::read(rest).filter(Head::is_sound) {
        let Some((frame, behind)) = rest.split_at_checked(head.len + head.payload) else { return false };
        if !is_right(&head, frame.get(head.len..).unwrap_or_default()) {
            return false;
        }
        if behind.is_empty() {
            return true;
        }
        rest = behind;
    }
    false
}

/// Header of a frame.
struct Head {
    flags: u8,
    channel: u8,
    is_split_sound: bool,
    len: usize,
    payload: usize,
}

impl Head {
    fn read(frame: &[u8]) -> Option<Head> {
        let [flags, high, low, ..] = *frame else { return None };
        let bits = usize::from(u16::from_be_bytes([high, low]));
        let mut len = 3;
        let reliability = flags >> 5;
        if is_reliable(reliability) {
            len += 3;
        }
        if is_sequenced(reliability) {
            len += 3;
        }
        let mut channel = 0;
        if has_order(reliability) {
            channel = *frame.get(len + 3)?;
            len += 4;
        }
        let mut is_split_sound = true;
        if flags & SPLIT != 0 {
            let [count, index] = [len, len + 6].map(|at| frame.get(at..).and_then(|rest| rest.first_chunk().copied()));
            is_split_sound = u32::from_be_bytes(index?) < u32::from_be_bytes(count?);
            len += 10;
        }
        Some(Head { flags, channel, is_split_sound, len, payload: bits.div_ceil(8) })
    }

    fn is_sound(&self) -> bool {
        let known = self.flags >> 5 <= MAX_RELIABILITY && self.flags & UNUSED == 0;
        known && self.channel < CHANNELS && self.payload > 0 && self.is_split_sound
    }
}

/// Frame flag bits.
pub(super) const SPLIT: u8 = 0x10;
const UNUSED: u8 = 0x0f;

/// Reliability of ordered messages.
pub(super) const ORDERED: u8 = 3;

/// Maximum defined reliability.
pub(super) const MAX_RELIABILITY: u8 = 4;

/// Whether messages of this reliability are numbered.
pub(super) fn is_reliable(reliability: u8) -> bool {
    matches!(reliability, 2..=4)
}

/// Whether only the newest message of this reliability counts.
pub(super) fn is_sequenced(reliability: u8) -> bool {
    matches!(reliability, 1 | 4)
}

/// Whether messages of this reliability belong to a channel.
pub(super) fn has_order(reliability: u8) -> bool {
    matches!(reliability, 1 | 3 | 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial;

    #[test]
    fn datagrams_in_order_are_a_series() {
        let datagram = |number: &str| trial::bytes(&format!("84 {number} 60 0018 010000 000000 00 8a0102"));
        let [first, next, far, before] = ["ffff00", "000001", "080001", "feff00"].map(datagram);
        assert!(begins(&first) && !begins(&first[..first.len() - 1]) && !begins(&trial::bytes("c0 0001 01 000000")));
        // A packet of RTP whose timestamp is the length of an unreliable frame.
        let rtp = format!("80 6655c5 00 0128 {}", "3c".repeat(37));
        assert!(is_sound(&trial::bytes(&rtp)) && !begins(&trial::bytes(&rtp)));
        let head = first.first_chunk().unwrap();
        assert_eq!(
            [&next, &far, &before, &first].map(|later| follows(head, later)),
            [Step::Advances, Step::No, Step::No, Step::No]
        );
        assert_eq!(follows(datagram("ffffff").first_chunk().unwrap(), &datagram("000000")), Step::Advances);
    }
}
