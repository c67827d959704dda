//! TCP analysis: loss, retransmission and windows of one connection, by the rules of Wireshark 4.0.
//!
//! Each segment is judged once, when it comes, by what came before it: nothing is taken back later. The rules are those of
//! Wireshark's sequence analysis with its defaults, in its order, since an earlier rule can keep a later one from being asked.
//! Sequence number 0 stands for "none yet" where Wireshark has it so.
//!
//! It is independent of IP and stores no payload. Multipath TCP and selective acknowledgments are not evaluated.

#[cfg(test)]
mod tests;

use crate::limits;
use crate::tree::{BySide, Side, Time};

/// Room for segments that is kept when all are acknowledged.
const KEPT_UNACKED: usize = 16;

/// A repeated segment that comes this soon after the last duplicate acknowledgement answers it, in nanoseconds.
const FAST: u64 = 20_000_000;

/// Stands for a number of duplicate acknowledgements when the peer acknowledged what was not captured. Wireshark counts that as
/// very many where it looks for fast retransmissions.
const UNSEEN: u32 = u32::MAX;

/// A segment that comes this soon after the ones it belongs before was overtaken, unless the round trip is known.
const OVERTAKEN: u64 = 3_000_000;

/// The largest shift of a window that RFC 7323 allows.
const MAX_SHIFT: u8 = 14;

/// What a segment can turn out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// Sent before.
    Retransmission,
    /// Sent again because the peer asked with duplicate acknowledgements; a retransmission as well.
    FastRetransmission,
    /// Sent again although it was acknowledged; a retransmission as well.
    SpuriousRetransmission,
    /// Overtaken by those behind it.
    OutOfOrder,
    /// A segment before it is not in the capture.
    LostSegment,
    /// What it acknowledges is not in the capture.
    AckLostSegment,
    /// Acknowledges what the one before it did.
    DuplicateAck,
    /// Takes no more bytes.
    ZeroWindow,
    /// Asks whether a closed window is open again.
    ZeroWindowProbe,
    /// Answers that.
    ZeroWindowProbeAck,
    /// Fills the window that the peer offers.
    WindowFull,
    /// Says nothing but another window.
    WindowUpdate,
    /// Asks whether the peer is still there.
    KeepAlive,
    /// Answers that.
    KeepAliveAck,
    /// Opens a connection between ends that had one.
    ReusedPorts,
}

/// Some marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(u16);

impl Marks {
    /// Whether the mark is among them.
    #[must_use]
    pub const fn has(self, mark: Mark) -> bool {
        self.0 & 1 << mark as u8 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn add(&mut self, mark: Mark) {
        self.0 |= 1 << mark as u8;
    }
}

/// A segment as its header has it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Segment {
    /// The frame's number.
    pub frame: u64,
    /// When it was captured.
    pub time: Time,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number, whether or not it counts.
    pub ack: u32,
    /// Bytes of payload on the wire.
    pub len: u32,
    /// Opens the direction.
    pub syn: bool,
    /// Ends it.
    pub fin: bool,
    /// Resets the connection.
    pub rst: bool,
    /// The acknowledgment number counts.
    pub acks: bool,
    /// The window, not scaled.
    pub window: u16,
    /// The shift of a window scale option.
    pub scale: Option<u8>,
}

impl Segment {
    fn takes_number(&self) -> bool {
        self.syn || self.fin
    }

    fn is_plain(&self) -> bool {
        !(self.syn || self.fin || self.rst)
    }

    fn end(&self) -> u32 {
        self.seq.wrapping_add(self.len)
    }

    /// The number behind it.
    fn next(&self) -> u32 {
        self.end().wrapping_add(u32::from(self.takes_number()))
    }
}

/// How the windows of a direction are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The handshake is not in the capture.
    #[default]
    Unknown,
    /// Not at all.
    Unused,
    /// By this many bits.
    Shift(u8),
}

impl Scaling {
    /// The window scale factor. As in Wireshark, -1 means unknown and -2 unscaled.
    #[must_use]
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
    /// The earlier frame.
    pub frame: u64,
    /// Nanoseconds since.
    pub nanos: i64,
}

/// What was found out about a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Findings {
    /// What it turned out to be.
    pub marks: Marks,
    /// Which duplicate of which frame's acknowledgement it is.
    pub duplicate: Option<(u32, u64)>,
    /// The segment that it acknowledges.
    pub acks: Option<Since>,
    /// Of a retransmission: the oldest segment that was not acknowledged.
    pub repeats: Option<Since>,
    /// How its window is scaled.
    pub scaling: Scaling,
}

/// The state of one connection.
#[derive(Debug, Default)]
pub struct Analysis {
    known: Known,
    unacked: BySide<Unacked>,
}

/// What is known of a connection, without the single segments that are not acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    halves: BySide<Half>,
    /// When the newest SYN without acknowledgement was sent; 0 for never.
    opened: i64,
    /// From that to the first acknowledgement that ended the handshake; 0 if unknown.
    round_trip: i64,
}

/// What is known of one direction.
#[derive(Debug, Clone, Copy, Default)]
struct Half {
    next_frame: u64,
    next_time: i64,
    ack_time: i64,
    /// The frame that first acknowledged what is acknowledged now.
    first_ack_frame: u64,
    base: Option<u32>,
    /// The highest number behind a segment; 0 for none.
    next: u32,
    /// The highest number that can be acknowledged without anything missing; 0 for none.
    unbroken: u32,
    last_ack: u32,
    /// Duplicates of the newest acknowledgement, or [`UNSEEN`].
    duplicates: u32,
    window: u16,
    scaling: Scaling,
    last: Marks,
    /// No acknowledgement came since the SYN, so no window was scaled.
    before_first_ack: bool,
}

/// The segments of one direction that are not acknowledged, oldest first.
#[derive(Debug, Default)]
struct Unacked(Vec<Sent>);

/// A segment that was sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    /// Its first number.
    seq: u32,
    /// The number behind it.
    next: u32,
    frame: u64,
    time: i64,
}

impl Analysis {
    /// Judge the next segment that a side sends. `reused` says that it is the first of a connection between ends that had one.
    pub fn analyze(&mut self, side: Side, segment: &Segment, reused: bool) -> Findings {
        let round_trip = self.known.round_trip;
        let (own, peer) = self.known.halves.own_and_peer(side);
        let (own_unacked, peer_unacked) = self.unacked.own_and_peer(side);
        let mut found = Findings::default();
        if reused || own.opens_again(segment) {
            found.marks.add(Mark::ReusedPorts);
        }
        own.base.get_or_insert(if segment.syn { segment.seq } else { segment.seq.wrapping_sub(1) });
        if segment.acks {
            peer.base.get_or_insert(segment.ack.wrapping_sub(1));
        }
        let now = nanos(segment.time);
        own.analyze_alone(peer, segment, &mut found);
        if segment.ack != own.last_ack {
            own.first_ack_frame = segment.frame;
            own.duplicates = 0;
        }
        peer.analyze_acknowledged(segment, &mut found.marks);
        if (segment.len > 0 || segment.takes_number()) && !found.marks.has(Mark::KeepAlive) {
            own.analyze_repeated(peer, own_unacked, segment, now, round_trip, &mut found);
        }
        own.remember(segment, now, found.marks);
        own_unacked.remember(segment, now);
        found.acks = peer_unacked.acknowledge(segment.ack, now);
        found.scaling = own.scaling;
        self.known.learn(side, segment, now);
        found
    }

    /// Bytes that a side has sent and its peer has not acknowledged.
    #[must_use]
    pub fn in_flight(&self, side: Side) -> Option<u32> {
        let sent = &self.unacked[side].0;
        let first = sent.iter().map(|sent| sent.seq).reduce(|a, b| if is_behind(a, b) { b } else { a })?;
        let last = sent.iter().map(|sent| sent.next).reduce(|a, b| if is_behind(a, b) { a } else { b })?;
        Some(last.wrapping_sub(first))
    }

    /// Nanoseconds from the SYN to the first acknowledgement that ended the handshake.
    #[must_use]
    pub fn round_trip(&self) -> Option<i64> {
        Some(self.known.round_trip).filter(|round_trip| *round_trip != 0)
    }

    /// The sides change places.
    pub fn turn(&mut self) {
        self.known.halves.swap();
        self.unacked.swap();
    }

    /// Bytes of memory held on the heap.
    #[must_use]
    pub fn held(&self) -> usize {
        self.unacked.iter().map(|unacked| unacked.0.capacity() * size_of::<Sent>()).sum()
    }

    /// Give memory back: which frames the next acknowledgements answer is forgotten.
    pub fn shrink(&mut self) {
        self.unacked = Default::default();
    }

    /// What is known, to go on with later.
    #[must_use]
    pub fn known(&self) -> Known {
        self.known
    }
}

impl From<Known> for Analysis {
    fn from(known: Known) -> Analysis {
        Analysis { known, unacked: Default::default() }
    }
}

impl Known {
    /// What the header says of the handshake counts for the segments behind it.
    fn learn(&mut self, side: Side, segment: &Segment, now: i64) {
        let (own, peer) = self.halves.own_and_peer(side);
        if segment.syn {
            own.before_first_ack = true;
            if !segment.acks {
                self.opened = now;
            }
        } else if segment.acks {
            own.before_first_ack = false;
            if self.opened != 0 && self.round_trip == 0 {
                self.round_trip = now.wrapping_sub(self.opened);
            }
        }
        if let Some(shift) = segment.scale {
            own.scaling = Scaling::Shift(shift.min(MAX_SHIFT));
        }
        // Windows are scaled only if both sides say so; a SYN that does not settles it for both.
        if segment.syn && own.scaling == Scaling::Unknown {
            (own.scaling, peer.scaling) = (Scaling::Unused, Scaling::Unused);
        } else if segment.syn && segment.acks && peer.scaling == Scaling::Unused {
            own.scaling = Scaling::Unused;
        }
    }
}

impl Half {
    /// Whether a SYN opens a direction that was open.
    fn opens_again(&mut self, segment: &Segment) -> bool {
        let Some(base) = self.base.filter(|_| segment.syn) else { return false };
        if segment.acks {
            self.base = Some(segment.seq);
            return base != segment.seq;
        }
        // The same SYN again. A reset in between may have had a number far off.
        self.next = self.unbroken;
        false
    }

    /// The marks that the numbers and windows before this segment decide.
    fn analyze_alone(&mut self, peer: &Half, segment: &Segment, found: &mut Findings) {
        let marks = &mut found.marks;
        if segment.len == 1 && segment.seq == self.next && peer.window == 0 {
            return marks.add(Mark::ZeroWindowProbe);
        }
        if segment.window == 0 && segment.is_plain() {
            marks.add(Mark::ZeroWindow);
        }
        if self.next != 0 && is_behind(segment.seq, self.next) && !segment.rst {
            marks.add(Mark::LostSegment);
        }
        if segment.len <= 1 && segment.seq == self.next.wrapping_sub(1) && segment.is_plain() {
            marks.add(Mark::KeepAlive);
        }
        if segment.len > 0 && segment.is_plain() && peer.window_end() == Some(segment.end()) {
            marks.add(Mark::WindowFull);
        }
        let repeats = segment.len == 0 && segment.seq == self.next && segment.ack == self.last_ack && segment.is_plain();
        if !repeats {
            return;
        }
        match (segment.window == self.window, segment.window == 0) {
            (false, false) => marks.add(Mark::WindowUpdate),
            (true, false) if peer.last.has(Mark::KeepAlive) => marks.add(Mark::KeepAliveAck),
            (true, false) => {
                self.duplicates = self.duplicates.wrapping_add(1).max(1);
                marks.add(Mark::DuplicateAck);
                found.duplicate = Some((self.duplicates, self.first_ack_frame));
            }
            (true, true) if peer.last.has(Mark::ZeroWindowProbe) => marks.add(Mark::ZeroWindowProbeAck),
            (_, true) => {}
        }
    }

    /// Where the window ends that this direction offers, if its scale is known.
    fn window_end(&self) -> Option<u32> {
        let shift = match self.scaling {
            Scaling::Unknown => return None,
            Scaling::Shift(shift) if !self.before_first_ack => shift,
            Scaling::Unused | Scaling::Shift(_) => 0,
        };
        Some(self.last_ack.wrapping_add(u32::from(self.window) << shift))
    }

    /// Whether the peer's segment acknowledges bytes of this direction that were not captured.
    fn analyze_acknowledged(&mut self, segment: &Segment, marks: &mut Marks) {
        if self.unbroken == 0 || !is_behind(segment.ack, self.unbroken) || !segment.acks {
            return;
        }
        // Reported once for the same bytes.
        if is_behind(self.next, self.unbroken) {
            self.unbroken = self.next;
            marks.add(Mark::AckLostSegment);
            return;
        }
        if self.duplicates == 0 {
            marks.add(Mark::AckLostSegment);
        }
        self.duplicates = UNSEEN;
    }

    /// Whether bytes were sent before, or come late.
    fn analyze_repeated(
        &self,
        peer: &Half,
        unacked: &Unacked,
        segment: &Segment,
        now: i64,
        round_trip: i64,
        found: &mut Findings,
    ) {
        let marks = &mut found.marks;
        // One byte before the end may be that of a probe, and what follows it is new.
        let probed = segment.len > 1 && self.next.wrapping_sub(1) == segment.seq;
        let old = self.next != 0 && is_behind(self.next, segment.seq) && !probed;
        let acknowledged = peer.last_ack != 0 && !is_behind(segment.end(), peer.last_ack);
        if segment.len > 0 && acknowledged {
            marks.add(Mark::SpuriousRetransmission);
            marks.add(Mark::Retransmission);
            return;
        }
        if !old {
            return;
        }
        if peer.duplicates >= 2 && peer.last_ack == segment.seq && elapsed(peer.ack_time, now) < FAST {
            marks.add(Mark::FastRetransmission);
            marks.add(Mark::Retransmission);
            return;
        }
        let soon = if round_trip == 0 { OVERTAKEN } else { round_trip.cast_unsigned() };
        let end = segment.next();
        if elapsed(self.next_time, now) < soon && self.next != end {
            marks.add(Mark::OutOfOrder);
            return;
        }
        marks.add(Mark::Retransmission);
        let (frame, time) = unacked.0.first().map_or((self.next_frame, self.next_time), |oldest| (oldest.frame, oldest.time));
        found.repeats = Some(Since { frame, nanos: now.wrapping_sub(time) }).filter(|since| since.nanos != 0);
    }

    /// Keep what the next segments are judged by.
    fn remember(&mut self, segment: &Segment, now: i64, marks: Marks) {
        let end = segment.next();
        let is_probe = marks.has(Mark::ZeroWindowProbe);
        if !is_probe && (self.next == 0 || is_behind(end, self.next)) {
            (self.next, self.next_frame, self.next_time) = (end, segment.frame, now);
        }
        if !is_probe && (self.unbroken == 0 || self.unbroken == segment.seq) {
            self.unbroken = self.next;
        }
        (self.window, self.last_ack, self.ack_time, self.last) = (segment.window, segment.ack, now, marks);
    }
}

impl Unacked {
    /// Keep a segment that can be acknowledged.
    fn remember(&mut self, segment: &Segment, now: i64) {
        if (segment.len > 0 || segment.takes_number()) && self.0.len() < limits::STREAM_UNACKNOWLEDGED.get() {
            self.0.push(Sent { seq: segment.seq, next: segment.next(), frame: segment.frame, time: now });
        }
    }

    /// Forget the segments that the peer acknowledges. Returns the oldest one that ends where it does.
    fn acknowledge(&mut self, ack: u32, now: i64) -> Option<Since> {
        let exact = self.0.iter().find(|segment| segment.next == ack);
        let since = exact.map(|segment| Since { frame: segment.frame, nanos: now.wrapping_sub(segment.time) });
        self.0.retain(|segment| is_behind(segment.next, ack));
        if self.0.is_empty() {
            self.0.shrink_to(KEPT_UNACKED);
        }
        since
    }
}

/// Whether a sequence number lies behind another, the short way round.
fn is_behind(a: u32, b: u32) -> bool {
    b.wrapping_sub(a).cast_signed() < 0
}

/// A timestamp in nanoseconds; 0 if missing. It may wrap, since only differences count.
fn nanos(time: Time) -> i64 {
    time.map_or(0, |time| time.seconds.wrapping_mul(1_000_000_000).wrapping_add(time.nanos.into()))
}

/// Nanoseconds that went by. Where clocks ran backwards that is very long, as in Wireshark.
fn elapsed(from: i64, to: i64) -> u64 {
    to.wrapping_sub(from).cast_unsigned()
}
