//! Packed rows of conversations, because there may be very many.

use super::endpoint::{Conversation, End, Host, Sum};
use super::index::Index;
use super::traffic::Count;

/// Maximum byte count of a row.
const MOST_BYTES: u64 = (1 << 48) - 1;

/// A packed conversation. Addresses are indices in [`Hosts`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    hosts: [u32; 2],
    ports: [u16; 2],
    /// Upper bits of the 48-bit counts; the lower ones are in `bytes`.
    more_bytes: [u16; 2],
    bytes: [u32; 2],
    frames: [u32; 2],
    first: i64,
    last: i64,
}

impl Row {
    /// Creates a conversation without frames.
    pub(super) const SILENT: Row =
        Row { hosts: [0; 2], ports: [0; 2], more_bytes: [0; 2], bytes: [0; 2], frames: [0; 2], first: i64::MAX, last: i64::MIN };

    /// Whether it has no frames.
    pub(super) fn is_silent(&self) -> bool {
        self.frames == [0; 2]
    }

    /// Sender of the first frame, and the other end.
    pub(super) fn between(&mut self, ends: [Endpoint; 2]) {
        self.hosts = ends.map(|end| end.host);
        self.ports = ends.map(|end| end.port);
    }

    /// Both ends.
    pub(super) fn ends(&self) -> [Endpoint; 2] {
        let ([a, b], [from, to]) = (self.hosts, self.ports);
        [Endpoint { host: a, port: from }, Endpoint { host: b, port: to }]
    }

    /// Whether it is between these ends, in any order.
    pub(super) fn is_between(&self, [src, dst]: [End; 2], hosts: &Hosts) -> bool {
        let [a, b] = self.ends();
        (a.is(src, hosts) && b.is(dst, hosts)) || (a.is(dst, hosts) && b.is(src, hosts))
    }

    /// Counts frames of the first end, or of the second if `answers`.
    pub(super) fn add(&mut self, answers: bool, sum: &Sum) {
        let side = usize::from(answers);
        if let (Some(frames), Some(low), Some(high)) =
            (self.frames.get_mut(side), self.bytes.get_mut(side), self.more_bytes.get_mut(side))
        {
            *frames = frames.saturating_add(sum.frames);
            let bytes = (u64::from(*high) << 32 | u64::from(*low)).saturating_add(sum.bytes);
            let [a, b, c, d, e, f, ..] = bytes.min(MOST_BYTES).to_le_bytes();
            (*low, *high) = (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]));
        }
        (self.first, self.last) = (self.first.min(sum.first), self.last.max(sum.last));
    }

    /// Unpacks the conversation.
    pub(super) fn conversation(&self, hosts: &Hosts, has_ports: bool) -> Option<Conversation> {
        let ([a, b], sent) = (self.ends(), self.sent());
        let end = |spot: Endpoint| spot.end(hosts, has_ports);
        Some(Conversation { stream: None, ends: [end(a)?, end(b)?], sent, first: self.first, last: self.last })
    }

    /// Traffic sent by each end.
    pub(super) fn sent(&self) -> [Count; 2] {
        let ([a, b], [low_a, low_b], [high_a, high_b]) = (self.frames, self.bytes, self.more_bytes);
        let count =
            |frames: u32, low: u32, high: u16| Count { frames: frames.into(), bytes: u64::from(high) << 32 | u64::from(low) };
        [count(a, low_a, high_a), count(b, low_b, high_b)]
    }
}

/// Packed end of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Endpoint {
    pub host: u32,
    pub port: u16,
}

impl Endpoint {
    /// Whether it equals this end.
    pub(super) fn is(self, end: End, hosts: &Hosts) -> bool {
        self.port == end.port.unwrap_or_default() && hosts.get(self.host) == Some(end.host)
    }

    /// Unpacks the end.
    pub(super) fn end(self, hosts: &Hosts, has_ports: bool) -> Option<End> {
        Some(End { host: hosts.get(self.host)?, port: has_ports.then_some(self.port) })
    }
}

/// Distinct addresses.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    all: Vec<Host>,
    index: Index,
}

impl Hosts {
    /// Index of an address, if known.
    pub(super) fn find(&self, host: Host) -> Option<u32> {
        self.index.find(&host, |place| self.get(place))
    }

    /// Index of an address, added if new.
    pub(super) fn place(&mut self, host: Host) -> Option<u32> {
        if let Some(place) = self.find(host) {
            return Some(place);
        }
        let place = u32::try_from(self.all.len()).ok()?;
        self.all.push(host);
        self.index.put(place, &host, |place| self.all.get(place as usize).copied());
        Some(place)
    }

    pub(super) fn get(&self, place: u32) -> Option<Host> {
        self.all.get(place as usize).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_small_and_counts_far() {
        assert_eq!(size_of::<Row>(), 48);
        let [a, b] = [Endpoint { host: 0, port: 7 }, Endpoint { host: 0, port: 9 }];
        let mut row = Row::SILENT;
        row.between([a, b]);
        assert!(row.is_silent());
        row.add(true, &Sum { frames: 5, bytes: 5 * u64::from(u32::MAX), first: 0, last: 4 });
        row.add(false, &Sum { frames: 1, bytes: 60, ..Sum::default() });
        assert_eq!(row.sent(), [Count { frames: 1, bytes: 60 }, Count { frames: 5, bytes: 5 * u64::from(u32::MAX) }]);
        assert!(!row.is_silent());
        assert_eq!((row.first, row.last), (0, 4));
        row.add(false, &Sum { frames: u32::MAX, bytes: u64::MAX, ..Sum::default() });
        assert_eq!(row.sent()[0], Count { frames: u32::MAX.into(), bytes: MOST_BYTES });
    }
}
