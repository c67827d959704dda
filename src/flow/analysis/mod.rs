//! TCP analysis: loss, retransmission and windows of one connection, by the rules of Wireshark 4.0.
//!
//! Each segment is analyzed once, on arrival, from what came before it; results are never revised. The rules are those of
//! Wireshark's sequence analysis with default preferences, in its order, since an earlier rule can exclude a later one. As in
//! Wireshark, sequence number 0 means "none yet" in some places.
//!
//! It is independent of IP and stores no payload. Multipath TCP and selective acknowledgments are not evaluated.

#[cfg(test)]
mod tests;

use crate::limits;
use crate::tree::{AnalysisFlag, AnalysisFlags, BySide, Side, Time};

/// Capacity that is kept when all segments are acknowledged.
const KEPT_UNACKED: usize = 16;

/// Longest time from the last duplicate acknowledgment to a fast retransmission, in nanoseconds.
const FAST: u64 = 20_000_000;

/// Represents the number of duplicate acknowledgments when the peer acknowledged bytes that were not captured. Wireshark treats
/// it as a large number in its rule for fast retransmissions.
const UNSEEN: u32 = u32::MAX;

/// Longest delay of an out-of-order segment in nanoseconds, unless the round-trip time is known.
const OVERTAKEN: u64 = 3_000_000;

/// The maximum window scale shift (RFC 7323).
const MAX_SHIFT: u8 = 14;

/// Header values of a segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct SegmentHeader {
    /// The frame's number.
    pub frame: u64,
    /// Capture time.
    pub time: Time,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number, valid if `acks`.
    pub ack: u32,
    /// Bytes of payload on the wire.
    pub len: u32,
    /// SYN flag.
    pub syn: bool,
    /// FIN flag.
    pub fin: bool,
    /// RST flag.
    pub rst: bool,
    /// ACK flag.
    pub acks: bool,
    /// Window, not scaled.
    pub window: u16,
    /// Shift count of the window scale option.
    pub scale: Option<u8>,
}

impl SegmentHeader {
    fn takes_number(&self) -> bool {
        self.syn || self.fin
    }

    fn is_plain(&self) -> bool {
        !(self.syn || self.fin || self.rst)
    }

    fn end(&self) -> u32 {
        self.seq.wrapping_add(self.len)
    }

    /// The next sequence number.
    fn next(&self) -> u32 {
        self.end().wrapping_add(u32::from(self.takes_number()))
    }
}

/// Window scaling of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The handshake is not in the capture.
    #[default]
    Unknown,
    /// Windows are not scaled.
    Unused,
    /// Windows are shifted by this many bits.
    Shift(u8),
}

impl Scaling {
    /// The window scale factor. As in Wireshark, -1 means unknown and -2 unscaled.
    pub const fn factor(self) -> i64 {
        match self {
            Scaling::Unknown => -1,
            Scaling::Unused => -2,
            Scaling::Shift(shift) => 1 << shift,
        }
    }
}

/// An earlier frame and the nanoseconds since then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// The number of the earlier frame.
    pub frame: u64,
    /// Nanoseconds since that frame.
    pub nanos: i64,
}

/// Analysis of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Findings {
    /// Results.
    pub flags: AnalysisFlags,
    /// Number of a duplicate acknowledgment, and the frame of the original.
    pub duplicate: Option<(u32, u64)>,
    /// The segment that it acknowledges.
    pub acks: Option<Since>,
    /// For a retransmission: the oldest unacknowledged segment.
    pub repeats: Option<Since>,
    /// Window scaling of its direction.
    pub scaling: Scaling,
}

/// Requested results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Flags, duplicate acknowledgments and window scaling, for which no segments are stored.
    Summary,
    /// All results.
    Everything,
}

/// State of one connection.
#[derive(Debug, Default)]
pub struct Analysis {
    known: ConnectionState,
    unacked: BySide<Unacked>,
}

/// State of a connection without its unacknowledged segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConnectionState {
    halves: BySide<Half>,
    handshake: Handshake,
}

/// Times of a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Handshake {
    /// Time of the newest unacknowledged SYN; 0 for none.
    opened: i64,
    /// Round-trip time; 0 if unknown.
    round_trip: i64,
}

/// State of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Half {
    next_frame: u64,
    next_time: i64,
    ack_time: i64,
    /// The frame that first sent the current acknowledgment.
    first_ack_frame: u64,
    base: Option<u32>,
    /// The highest next sequence number; 0 for none.
    next: u32,
    /// The highest number that can be acknowledged without loss; 0 for none.
    max_seq_to_ack: u32,
    last_ack: u32,
    /// Count of duplicates of the newest acknowledgment, or [`UNSEEN`].
    duplicates: u32,
    window: u16,
    scaling: Scaling,
    last: AnalysisFlags,
    /// Whether no acknowledgment followed the SYN yet, so that no window was scaled.
    before_first_ack: bool,
}

/// Unacknowledged segments of one direction, oldest first.
#[derive(Debug, Default)]
struct Unacked(Vec<Sent>);

/// A sent segment.
#[derive(Debug, Clone, Copy)]
struct Sent {
    /// Its sequence number.
    seq: u32,
    /// The next sequence number.
    next: u32,
    frame: u64,
    time: i64,
}

impl Analysis {
    /// Analyzes the next segment of a side; `reused` if it is the first of a connection that reuses the endpoints of another.
    /// `segment` returns its header: a function, since most segments are ordinary and need only a few of its values.
    pub fn analyze(&mut self, side: Side, segment: impl Fn() -> SegmentHeader, reused: bool, extent: Extent) -> Findings {
        let scaling = self.known.halves[side].scaling;
        let oldest = (extent == Extent::Everything).then(|| self.oldest(side));
        let flags = if !reused && self.known.accept_ordinary(side, &segment()) {
            AnalysisFlags::default()
        } else {
            self.known.apply_rules(side, &segment(), reused)
        };
        let mut found = Findings { flags, scaling, ..Findings::default() };
        if flags.has(AnalysisFlag::DuplicateAck) {
            let own = &self.known.halves[side];
            found.duplicate = Some((own.duplicates, own.first_ack_frame));
        }
        let Some((frame, time)) = oldest else { return found };
        let (segment, now) = (&segment(), nanos(segment().time));
        if flags.is_after_timeout() {
            found.repeats = Some(Since { frame, nanos: now.wrapping_sub(time) }).filter(|since| since.nanos != 0);
        }
        let (own_unacked, peer_unacked) = self.unacked.own_and_peer(side);
        own_unacked.remember(segment, now);
        found.acks = peer_unacked.acknowledge(segment.ack, now);
        found
    }

    /// Frame and time of the oldest unacknowledged segment of a side, or of the last one that advanced its sequence number.
    fn oldest(&self, side: Side) -> (u64, i64) {
        let own = &self.known.halves[side];
        self.unacked[side].0.first().map_or((own.next_frame, own.next_time), |oldest| (oldest.frame, oldest.time))
    }

    /// Bytes that a side has sent and its peer has not acknowledged.
    pub fn in_flight(&self, side: Side) -> Option<u32> {
        let sent = &self.unacked[side].0;
        let first = sent.iter().map(|sent| sent.seq).reduce(|a, b| if is_after(a, b) { b } else { a })?;
        let last = sent.iter().map(|sent| sent.next).reduce(|a, b| if is_after(a, b) { a } else { b })?;
        Some(last.wrapping_sub(first))
    }

    /// Nanoseconds from the SYN to the first acknowledgment that completed the handshake.
    pub fn round_trip(&self) -> Option<i64> {
        Some(self.known.handshake.round_trip).filter(|round_trip| *round_trip != 0)
    }

    /// Exchanges the sides.
    pub fn swap_sides(&mut self) {
        self.known.halves.swap();
        self.unacked.swap();
    }

    /// Bytes of memory held on the heap.
    pub fn memory_usage(&self) -> usize {
        self.unacked.iter().map(|unacked| unacked.0.capacity() * size_of::<Sent>()).sum()
    }

    /// Frees memory: later acknowledgments no longer refer to the frames they acknowledge.
    pub fn shrink(&mut self) {
        self.unacked = Default::default();
    }

    /// The reduced state, to continue from later.
    pub fn known(&self) -> ConnectionState {
        self.known
    }
}

impl From<ConnectionState> for Analysis {
    fn from(known: ConnectionState) -> Analysis {
        Analysis { known, unacked: Default::default() }
    }
}

impl ConnectionState {
    /// Stores the next segment if no rule applies to it. Inlined, so that its header stays in registers.
    #[inline(always)]
    fn accept_ordinary(&mut self, side: Side, segment: &SegmentHeader) -> bool {
        let (own, peer) = self.halves.own_and_peer(side);
        let is_ordinary = self.handshake.is_over() && own.is_ordinary(peer, segment);
        if is_ordinary {
            own.remember(segment, nanos(segment.time), AnalysisFlags::default());
        }
        is_ordinary
    }

    /// Stores the next segment. Returns its flags by all rules.
    #[inline(never)]
    fn apply_rules(&mut self, side: Side, segment: &SegmentHeader, reused: bool) -> AnalysisFlags {
        let (own, peer) = self.halves.own_and_peer(side);
        let mut flags = AnalysisFlags::default();
        if reused || own.opens_again(segment) {
            flags.add(AnalysisFlag::ReusedPorts);
        }
        own.base.get_or_insert(if segment.syn { segment.seq } else { segment.seq.wrapping_sub(1) });
        if segment.acks {
            peer.base.get_or_insert(segment.ack.wrapping_sub(1));
        }
        let now = nanos(segment.time);
        own.analyze_alone(peer, segment, &mut flags);
        peer.analyze_acknowledged(segment, &mut flags);
        if (segment.len > 0 || segment.takes_number()) && !flags.has(AnalysisFlag::KeepAlive) {
            own.analyze_repeated(peer, segment, now, self.handshake.round_trip, &mut flags);
        }
        own.remember(segment, now, flags);
        self.handshake.learn(own, peer, segment, now);
        flags
    }
}

impl Handshake {
    /// Whether further acknowledgments do not complete it.
    fn is_over(&self) -> bool {
        self.opened == 0 || self.round_trip != 0
    }

    /// Stores the options and times of a handshake.
    fn learn(&mut self, own: &mut Half, peer: &mut Half, segment: &SegmentHeader, now: i64) {
        if segment.syn {
            own.before_first_ack = true;
            if !segment.acks {
                self.opened = now;
            }
        } else if segment.acks {
            own.before_first_ack = false;
            if !self.is_over() {
                self.round_trip = now.wrapping_sub(self.opened);
            }
        }
        if let Some(shift) = segment.scale {
            own.scaling = Scaling::Shift(shift.min(MAX_SHIFT));
        }
        // Windows are scaled only if both sides have the option; a SYN without it disables scaling for both.
        if segment.syn && own.scaling == Scaling::Unknown {
            (own.scaling, peer.scaling) = (Scaling::Unused, Scaling::Unused);
        } else if segment.syn && segment.acks && peer.scaling == Scaling::Unused {
            own.scaling = Scaling::Unused;
        }
    }
}

impl Half {
    /// Whether a SYN reopens an open direction.
    fn opens_again(&mut self, segment: &SegmentHeader) -> bool {
        let Some(base) = self.base.filter(|_| segment.syn) else { return false };
        if segment.acks {
            self.base = Some(segment.seq);
            return base != segment.seq;
        }
        // A repeated SYN. A reset in between may have had a distant number.
        self.next = self.max_seq_to_ack;
        false
    }

    /// Whether no rule applies to a segment, which is true of most: both sides have sent segments, this one is the next of its
    /// direction, and bytes or acknowledgment are new and as expected.
    fn is_ordinary(&self, peer: &Half, segment: &SegmentHeader) -> bool {
        let is_next = self.next != 0 && segment.seq == self.next;
        let is_plain = segment.is_plain() && segment.window != 0 && segment.scale.is_none();
        let is_known = peer.max_seq_to_ack != 0 && !is_after(segment.ack, peer.max_seq_to_ack);
        is_next && is_plain && is_known && !self.before_first_ack && self.is_news(peer, segment)
    }

    /// Whether the next segment has new bytes, neither a probe nor up to the end of the window, or acknowledges new ones.
    fn is_news(&self, peer: &Half, segment: &SegmentHeader) -> bool {
        let end = segment.end();
        match segment.len {
            0 => segment.ack != self.last_ack,
            1 => false,
            _ => is_after(end, peer.last_ack) && peer.window_end() != Some(end),
        }
    }

    /// The results that follow from sequence numbers and windows so far.
    fn analyze_alone(&mut self, peer: &Half, segment: &SegmentHeader, flags: &mut AnalysisFlags) {
        if segment.len == 1 && segment.seq == self.next && peer.window == 0 {
            return flags.add(AnalysisFlag::ZeroWindowProbe);
        }
        if segment.window == 0 && segment.is_plain() {
            flags.add(AnalysisFlag::ZeroWindow);
        }
        if self.next != 0 && is_after(segment.seq, self.next) && !segment.rst {
            flags.add(AnalysisFlag::LostSegment);
        }
        if segment.len <= 1 && segment.seq == self.next.wrapping_sub(1) && segment.is_plain() {
            flags.add(AnalysisFlag::KeepAlive);
        }
        if segment.len > 0 && segment.is_plain() && peer.window_end() == Some(segment.end()) {
            flags.add(AnalysisFlag::WindowFull);
        }
        let repeats = segment.len == 0 && segment.seq == self.next && segment.ack == self.last_ack && segment.is_plain();
        if !repeats {
            return;
        }
        match (segment.window == self.window, segment.window == 0) {
            (false, false) => flags.add(AnalysisFlag::WindowUpdate),
            (true, false) if peer.last.has(AnalysisFlag::KeepAlive) => flags.add(AnalysisFlag::KeepAliveAck),
            (true, false) => {
                self.duplicates = self.duplicates.wrapping_add(1).max(1);
                flags.add(AnalysisFlag::DuplicateAck);
            }
            (true, true) if peer.last.has(AnalysisFlag::ZeroWindowProbe) => flags.add(AnalysisFlag::ZeroWindowProbeAck),
            (_, true) => {}
        }
    }

    /// End of the window that this direction offers, if its scale is known.
    fn window_end(&self) -> Option<u32> {
        let shift = match self.scaling {
            Scaling::Unknown => return None,
            Scaling::Shift(shift) if !self.before_first_ack => shift,
            Scaling::Unused | Scaling::Shift(_) => 0,
        };
        Some(self.last_ack.wrapping_add(u32::from(self.window) << shift))
    }

    /// Adds a flag if the peer's segment acknowledges bytes of this direction that were not captured.
    fn analyze_acknowledged(&mut self, segment: &SegmentHeader, flags: &mut AnalysisFlags) {
        if self.max_seq_to_ack == 0 || !is_after(segment.ack, self.max_seq_to_ack) || !segment.acks {
            return;
        }
        // Reported once for the same bytes.
        if is_after(self.next, self.max_seq_to_ack) {
            self.max_seq_to_ack = self.next;
            flags.add(AnalysisFlag::AckLostSegment);
            return;
        }
        if self.duplicates == 0 {
            flags.add(AnalysisFlag::AckLostSegment);
        }
        self.duplicates = UNSEEN;
    }

    /// Adds flags if bytes were sent before, or are out of order.
    fn analyze_repeated(&self, peer: &Half, segment: &SegmentHeader, now: i64, round_trip: i64, flags: &mut AnalysisFlags) {
        // The byte before the end may be a probe, followed by new bytes.
        let probed = segment.len > 1 && self.next.wrapping_sub(1) == segment.seq;
        let old = self.next != 0 && is_after(self.next, segment.seq) && !probed;
        let acknowledged = peer.last_ack != 0 && !is_after(segment.end(), peer.last_ack);
        if segment.len > 0 && acknowledged {
            flags.add(AnalysisFlag::SpuriousRetransmission);
            flags.add(AnalysisFlag::Retransmission);
            return;
        }
        if !old {
            return;
        }
        if peer.duplicates >= 2 && peer.last_ack == segment.seq && elapsed(peer.ack_time, now) < FAST {
            flags.add(AnalysisFlag::FastRetransmission);
            flags.add(AnalysisFlag::Retransmission);
            return;
        }
        let soon = if round_trip == 0 { OVERTAKEN } else { round_trip.cast_unsigned() };
        let end = segment.next();
        if elapsed(self.next_time, now) < soon && self.next != end {
            flags.add(AnalysisFlag::OutOfOrder);
            return;
        }
        flags.add(AnalysisFlag::Retransmission);
    }

    /// Stores what the analysis of later segments needs.
    fn remember(&mut self, segment: &SegmentHeader, now: i64, flags: AnalysisFlags) {
        let end = segment.next();
        let is_probe = flags.has(AnalysisFlag::ZeroWindowProbe);
        if !is_probe && (self.next == 0 || is_after(end, self.next)) {
            (self.next, self.next_frame, self.next_time) = (end, segment.frame, now);
        }
        if !is_probe && (self.max_seq_to_ack == 0 || self.max_seq_to_ack == segment.seq) {
            self.max_seq_to_ack = self.next;
        }
        if segment.ack != self.last_ack {
            self.first_ack_frame = segment.frame;
            self.duplicates = 0;
        }
        (self.window, self.last_ack, self.ack_time, self.last) = (segment.window, segment.ack, now, flags);
    }
}

impl Unacked {
    /// Stores a segment that can be acknowledged.
    fn remember(&mut self, segment: &SegmentHeader, now: i64) {
        if (segment.len > 0 || segment.takes_number()) && self.0.len() < limits::STREAM_UNACKNOWLEDGED.get() {
            self.0.push(Sent { seq: segment.seq, next: segment.next(), frame: segment.frame, time: now });
        }
    }

    /// Removes acknowledged segments. Returns the oldest one that ends at `ack`.
    fn acknowledge(&mut self, ack: u32, now: i64) -> Option<Since> {
        let exact = self.0.iter().find(|segment| segment.next == ack);
        let since = exact.map(|segment| Since { frame: segment.frame, nanos: now.wrapping_sub(segment.time) });
        self.0.retain(|segment| is_after(segment.next, ack));
        if self.0.is_empty() {
            self.0.shrink_to(KEPT_UNACKED);
        }
        since
    }
}

/// Whether a sequence number is after another one, modulo 2^32.
fn is_after(a: u32, b: u32) -> bool {
    b.wrapping_sub(a).cast_signed() < 0
}

/// A timestamp in nanoseconds; 0 if missing. Overflow wraps, since only differences count.
fn nanos(time: Time) -> i64 {
    time.map_or(0, |time| time.seconds.wrapping_mul(1_000_000_000).wrapping_add(time.nanos.into()))
}

/// Elapsed nanoseconds; very large if clocks ran backwards, as in Wireshark.
fn elapsed(from: i64, to: i64) -> u64 {
    to.wrapping_sub(from).cast_unsigned()
}
