//! Origin of a frame in the whole capture, in a custom option of its pcapng block.
//!
//! ```text
//! option     2989:2 | length:2 | 32473:4 | "pdis" | body
//! section    seconds:8 | nanoseconds:4                                   the time of the first frame of the whole
//! packet     flags:1 | 0:1 | streams:2 | number:8 | time? | stream …
//! time       seconds:8 | nanoseconds:4                                   if a block cannot hold it: flag 2
//! stream     transport:1 | number:4                                      1 TCP, 2 UDP, 3 SCTP; precedent in the upper four bits
//! ```
//! Numbers of the body are little-endian in any section. 32473 is the enterprise number for examples (RFC 5612), so "pdis" marks
//! the option. Code 2989 is a custom option that programs copy when they change other parts of a block.

use super::options::OptionList;
use crate::tree::{StreamId, Time, Timestamp, Transport};

/// Code of a custom option that may be copied.
pub const CUSTOM: u16 = 2989;

/// Offset of the body in the option.
const HEAD: usize = 8;
const ENTERPRISE: u32 = 32473;
const SIGNATURE: &[u8; 4] = b"pdis";
const ENTRY: usize = 5;
/// Bits of the transport in the first byte of an entry.
const TRANSPORT: u8 = 0x0f;
const FIXED: usize = 12;
const TIME: usize = 12;

/// Flags of a packet.
const NO_TIME: u8 = 1;
const OWN_TIME: u8 = 2;
const NO_INTERFACE: u8 = 4;

/// Maximum number of streams, so that the length of the option takes 16 bits.
const STREAMS_MOST: usize = 1 << 13;

/// Maximum valid frame number.
const NUMBER_MOST: u64 = 1 << 48;

/// Origin of a frame in the whole capture.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    /// The number of the frame.
    pub number: u64,
    /// The time of the first frame.
    pub start: Time,
    /// Whether the whole capture numbers its interfaces.
    pub has_interface: bool,
    /// Stream numbers in order of lookup.
    streams: &'a [u8],
}

/// A conversation that a frame looks up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookup {
    /// Its transport and number.
    pub stream: StreamId,
    /// What other conversations say about its sides if it begins with the frame, as a code below 16 of the reader.
    pub precedent: u8,
}

/// The time of a frame, if its block has a different one.
type OtherTime = Option<Time>;

impl<'a> Origin<'a> {
    /// The origin in the options of a packet block, and the time if the block cannot store it.
    pub(super) fn find(options: OptionList<'a>, start: Time) -> Option<(Origin<'a>, OtherTime)> {
        let order = options.order;
        let mut custom = options.filter(|(code, _)| *code == CUSTOM).map(|(_, value)| value);
        let body = custom.find_map(|value| body(value, order.u32(value, 0)?).filter(|body| body.len() >= FIXED))?;
        let (flags, count) = (*body.first()?, usize::from(u16::from_le_bytes(*body.get(2..)?.first_chunk()?)));
        let number = u64::from_le_bytes(*body.get(4..)?.first_chunk()?);
        let (time, streams) = match flags & (NO_TIME | OWN_TIME) {
            0 => (None, body.get(FIXED..)?),
            OWN_TIME => (Some(Some(time_at(body, FIXED)?)), body.get(FIXED + TIME..)?),
            _ => (Some(None), body.get(FIXED..)?),
        };
        let streams = streams.get(..count * ENTRY)?;
        (1..=NUMBER_MOST)
            .contains(&number)
            .then_some((Origin { number, start, has_interface: flags & NO_INTERFACE == 0, streams }, time))
    }

    /// Stream numbers of one transport and codes of precedents, in order of lookup.
    pub fn streams(&self, transport: Transport) -> impl Iterator<Item = (u32, u8)> + use<'a> {
        let entries = self.streams.chunks_exact(ENTRY);
        entries.filter_map(move |entry| match *entry {
            [of, a, b, c, d] if of & TRANSPORT == number_of(transport) => {
                Some((u32::from_le_bytes([a, b, c, d]), of >> TRANSPORT.trailing_ones()))
            }
            _ => None,
        })
    }
}

/// The time of the first frame of the whole capture, from the options of a section.
pub(super) fn start(mut options: OptionList<'_>) -> Time {
    let order = options.order;
    options.find_map(|(code, value)| time_at(body(value, order.u32(value, 0)?).filter(|_| code == CUSTOM)?, 0))
}

/// The value of a section's option. `None` if the time is unknown.
#[must_use]
pub fn section(start: Time) -> Option<Vec<u8>> {
    let mut value = head();
    put_time(&mut value, start?);
    Some(value)
}

/// Properties of a frame that its block cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unstored {
    /// The number of the frame.
    pub number: u64,
    /// A time that the block cannot store; `Some(None)` for no time.
    pub time: Option<Time>,
    /// Whether the whole capture numbers its interfaces.
    pub has_interface: bool,
}

/// Appends the option of a packet to `out`, without padding.
pub fn packet(out: &mut Vec<u8>, beside: Unstored, streams: &[Lookup]) {
    let Unstored { number, time, has_interface } = beside;
    let own = time.flatten();
    let of_time = if own.is_some() { OWN_TIME } else { NO_TIME * u8::from(time.is_some()) };
    let flags = of_time | (NO_INTERFACE * u8::from(!has_interface));
    let streams = streams.get(..STREAMS_MOST).unwrap_or(streams);
    let length = HEAD + FIXED + TIME * usize::from(own.is_some()) + ENTRY * streams.len();
    let [length, count] = [length, streams.len()].map(|short| u32::try_from(short).unwrap_or_default() << 16);
    let [high, low] = [number >> 32, number & u64::from(u32::MAX)].map(|half| u32::try_from(half).unwrap_or_default());
    let signature = u32::from_le_bytes(*SIGNATURE);
    let fixed = [u32::from(CUSTOM) | length, ENTERPRISE, signature, u32::from(flags) | count, low, high];
    out.extend_from_slice(fixed.map(u32::to_le_bytes).as_flattened());
    if let Some(time) = own {
        put_time(out, time);
    }
    for Lookup { stream, precedent } in streams {
        let [a, b, c, d] = stream.number.to_le_bytes();
        out.extend_from_slice(&[number_of(stream.transport) | precedent << TRANSPORT.trailing_ones(), a, b, c, d]);
    }
}

/// Enterprise number and signature at the start of an option.
pub(super) fn head() -> Vec<u8> {
    [&ENTERPRISE.to_le_bytes()[..], SIGNATURE].concat()
}

fn put_time(out: &mut Vec<u8>, time: Timestamp) {
    out.extend_from_slice(&time.seconds.to_le_bytes());
    out.extend_from_slice(&time.nanos.to_le_bytes());
}

/// The body after the signature.
pub(super) fn body(value: &[u8], enterprise: u32) -> Option<&[u8]> {
    (enterprise == ENTERPRISE && value.get(4..HEAD)? == SIGNATURE).then(|| value.get(HEAD..))?
}

fn time_at(body: &[u8], at: usize) -> Time {
    let seconds = i64::from_le_bytes(*body.get(at..)?.first_chunk()?);
    let nanos = u32::from_le_bytes(*body.get(at.checked_add(8)?..)?.first_chunk()?);
    Some(Timestamp::carried(seconds, nanos.into()))
}

const fn number_of(transport: Transport) -> u8 {
    match transport {
        Transport::Tcp => 1,
        Transport::Udp => 2,
        Transport::Sctp => 3,
        Transport::Usb => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;

    const AT: Timestamp = Timestamp { seconds: -3, nanos: 999_999_999 };

    fn stream(transport: Transport, number: u32, precedent: u8) -> Lookup {
        Lookup { stream: StreamId { transport, number }, precedent }
    }

    fn option(value: &[u8]) -> Vec<u8> {
        let length = u16::try_from(value.len()).unwrap();
        let mut option = [&CUSTOM.to_le_bytes()[..], &length.to_le_bytes(), value].concat();
        option.resize(option.len().next_multiple_of(4), 0);
        option
    }

    fn packet_option(beside: Unstored, streams: &[Lookup]) -> Vec<u8> {
        let mut bytes = Vec::new();
        packet(&mut bytes, beside, streams);
        assert_eq!(usize::from(u16::from_le_bytes([bytes[2], bytes[3]])), bytes.len() - 4);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn list(bytes: &[u8]) -> OptionList<'_> {
        OptionList { order: Order::Little, bytes }
    }

    #[test]
    fn written_origins_are_read_back() {
        let streams = [stream(Transport::Udp, 7, 0), stream(Transport::Tcp, u32::MAX, 4), stream(Transport::Udp, 8, 0)];
        for (time, has_interface) in [(None, true), (Some(Some(AT)), true), (Some(None), false)] {
            let bytes = packet_option(Unstored { number: 1 << 40, time, has_interface }, &streams);
            let (origin, found) = Origin::find(list(&bytes), None).unwrap();
            assert_eq!((origin.number, found, origin.has_interface), (1 << 40, time, has_interface));
            assert_eq!(origin.streams(Transport::Udp).collect::<Vec<_>>(), [(7, 0), (8, 0)]);
            assert_eq!(origin.streams(Transport::Tcp).collect::<Vec<_>>(), [(u32::MAX, 4)]);
            assert_eq!(origin.streams(Transport::Sctp).count(), 0);
        }
        assert_eq!(start(list(&option(&section(Some(AT)).unwrap()))), Some(AT));
        assert_eq!(section(None), None);
    }

    #[test]
    fn damaged_options_and_those_of_others_are_no_origin() {
        let beside = Unstored { number: 5, time: Some(Some(AT)), has_interface: true };
        let option_bytes = packet_option(beside, &[stream(Transport::Tcp, 1, 0)]);
        let value = option_bytes[4..4 + usize::from(option_bytes[2])].to_vec();
        for cut in 0..value.len() {
            assert!(Origin::find(list(&option(&value[..cut])), None).is_none(), "{cut}");
        }
        for at in 0..HEAD {
            let mut other = value.clone();
            other[at] ^= 1;
            assert!(Origin::find(list(&option(&other)), None).is_none(), "{at}");
        }
        for number in [0, NUMBER_MOST + 1, u64::MAX] {
            let mut other = value.clone();
            other[HEAD + 4..HEAD + FIXED].copy_from_slice(&number.to_le_bytes());
            assert!(Origin::find(list(&option(&other)), None).is_none(), "{number}");
        }
        assert_eq!(start(list(&option(&value[..HEAD]))), None);
    }
}
