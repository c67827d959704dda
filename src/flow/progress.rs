//! Progress of a connection at a segment: times, completeness, bytes in flight. Computed only on request.
//!
//! The rules are those of Wireshark 4.0.

use super::analysis::{Analysis, Findings, SegmentHeader};
use crate::tree::{AnalysisFlag, BySide, Side, Time};

const SYN: u8 = 1;
const SYN_ACK: u8 = 2;
const ACK: u8 = 4;
const DATA: u8 = 8;
const FIN: u8 = 16;
const RST: u8 = 32;

/// State of a connection for its progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Followed {
    first: Time,
    previous: Time,
    has_begun: bool,
    /// Whether another connection announced this one: its first SYN belongs to the announcement.
    is_announced: bool,
    completeness: u8,
    halves: BySide<Half>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Half {
    has_ended: bool,
    /// Bytes since the last segment with PSH.
    pushed: u32,
    /// Whether the last segment with payload had PSH.
    had_push: bool,
    /// Whether bytes are missing and nothing was acknowledged since, so that the bytes in flight are unknown.
    is_broken: bool,
}

/// Progress of a connection at a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Nanoseconds since the first and the previous frame of the connection.
    pub times: Option<[i64; 2]>,
    /// Bitmap of phases before this segment.
    pub completeness: u8,
    /// Bytes sent and not acknowledged, including this segment.
    pub in_flight: Option<u32>,
    /// Bytes sent since the last segment with PSH.
    pub pushed: Option<u32>,
    /// Nanoseconds from the SYN to the end of the handshake.
    pub round_trip: Option<i64>,
    /// For a FIN: whether the other side had sent none before.
    pub ends_first: Option<bool>,
}

impl Followed {
    /// Creates the state of a new connection; `is_announced` if another one announced it, as FTP does for data.
    pub fn new(is_announced: bool) -> Followed {
        Followed { is_announced, ..Followed::default() }
    }

    /// Follows the next segment of a side, after its analysis.
    pub fn follow(&mut self, side: Side, segment: &SegmentHeader, push: bool, found: &Findings, analysis: &Analysis) -> Progress {
        let completeness = self.complete(segment);
        let (in_flight, pushed) = self.send(side, segment, push, found, analysis);
        // Wireshark shows these values only for segments with other analysis items.
        let is_notable = !found.flags.is_empty() || found.acks.is_some() || pushed.is_some();
        let round_trip = analysis.round_trip().filter(|_| is_notable);
        let ends_first = self.end(side, segment);
        Progress { times: self.time(segment.time), completeness, in_flight, pushed, round_trip, ends_first }
    }

    /// For a FIN: whether the other side had sent none before.
    fn end(&mut self, side: Side, segment: &SegmentHeader) -> Option<bool> {
        let (own, peer) = self.halves.own_and_peer(side);
        own.has_ended |= segment.fin;
        segment.fin.then_some(!peer.has_ended)
    }

    fn time(&mut self, now: Time) -> Option<[i64; 2]> {
        let now = now?;
        let first = *self.first.get_or_insert(now);
        let previous = self.previous.replace(now).unwrap_or(now);
        Some([now.nanos_since(first), now.nanos_since(previous)])
    }

    /// Bitmap of phases before this segment; adds its own. The first segment adds nothing unless it opens the connection.
    fn complete(&mut self, segment: &SegmentHeader) -> u8 {
        let before = self.completeness;
        let part = match (segment.syn, segment.acks) {
            (true, false) if self.is_announced => 0,
            (true, false) => SYN,
            (true, true) => SYN_ACK,
            (false, true) if segment.len > 0 => DATA,
            (false, true) => ACK,
            (false, false) => 0,
        };
        let fin = if segment.fin { FIN } else { 0 };
        let rst = if segment.rst { RST } else { 0 };
        if self.has_begun || segment.syn {
            self.completeness |= part | fin | rst;
        }
        self.has_begun = true;
        before
    }

    /// Bytes in flight, and those since the last PSH.
    fn send(
        &mut self,
        side: Side,
        segment: &SegmentHeader,
        push: bool,
        found: &Findings,
        analysis: &Analysis,
    ) -> (Option<u32>, Option<u32>) {
        const TOO_MANY: u32 = 2_000_000_000;
        let (own, peer) = self.halves.own_and_peer(side);
        own.is_broken |= found.flags.has(AnalysisFlag::LostSegment);
        if segment.acks {
            peer.is_broken = false;
        }
        let in_flight = analysis.in_flight(side).filter(|_| segment.len > 0 && !own.is_broken);
        let Some(in_flight) = in_flight else { return (None, None) };
        own.pushed = if own.had_push { segment.len } else { own.pushed.saturating_add(segment.len) };
        own.had_push = push;
        (Some(in_flight).filter(|bytes| (1..TOO_MANY).contains(bytes)), Some(own.pushed))
    }

    /// Exchanges the sides.
    pub fn swap_sides(&mut self) {
        self.halves.swap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::analysis::Extent;
    use crate::tree::Timestamp;

    /// A segment with this payload length; `flags` has S, F and R. All segments have ACK except a lone S.
    fn segment(seconds: i64, seq: u32, ack: u32, len: u32, flags: &str) -> SegmentHeader {
        SegmentHeader {
            frame: 1,
            time: Some(Timestamp { seconds, nanos: 5 }),
            seq,
            ack,
            len,
            syn: flags.contains('S'),
            fin: flags.contains('F'),
            rst: flags.contains('R'),
            acks: flags != "S",
            window: 1000,
            scale: None,
        }
    }

    fn follow(segments: &[(Side, SegmentHeader, bool)]) -> Vec<Progress> {
        let (mut followed, mut analysis) = (Followed::default(), Analysis::default());
        let analyzed = segments.iter().map(|(side, segment, push)| {
            let found = analysis.analyze(*side, || *segment, false, Extent::Everything);
            followed.follow(*side, segment, *push, &found, &analysis)
        });
        analyzed.collect()
    }

    #[test]
    fn completeness_includes_earlier_segments_only() {
        use Side::{Client, Server};
        let reported = follow(&[
            (Client, segment(1, 9, 0, 0, "S"), false),
            (Server, segment(1, 99, 10, 0, "SA"), false),
            (Client, segment(1, 10, 100, 0, "A"), false),
            (Client, segment(1, 10, 100, 5, "A"), true),
            (Server, segment(1, 100, 15, 0, "AF"), false),
            (Client, segment(1, 15, 101, 0, "AR"), false),
            (Client, segment(1, 15, 101, 0, "A"), false),
        ]);
        let parts: Vec<u8> = reported.iter().map(|progress| progress.completeness).collect();
        assert_eq!(parts, [0, 1, 3, 7, 15, 31, 63]);
    }

    #[test]
    fn the_syn_of_an_announced_connection_does_not_count() {
        let (mut followed, mut analysis) = (Followed::new(true), Analysis::default());
        let (syn, ack) = (segment(1, 9, 0, 0, "S"), segment(1, 10, 100, 0, "A"));
        let parts = [(Side::Client, syn), (Side::Server, segment(1, 99, 10, 0, "SA")), (Side::Client, ack), (Side::Client, ack)];
        let parts = parts.map(|(side, segment)| {
            let found = analysis.analyze(side, || segment, false, Extent::Everything);
            followed.follow(side, &segment, false, &found, &analysis).completeness
        });
        // Expected values from tshark 4.0 for FTP data connections.
        assert_eq!(parts, [0, 0, 2, 6]);
    }

    #[test]
    fn a_first_segment_that_opens_nothing_does_not_count() {
        let data = |seq| (Side::Client, segment(1, seq, 1, 5, "A"), true);
        let parts: Vec<u8> = follow(&[data(10), data(15), data(20)]).iter().map(|progress| progress.completeness).collect();
        assert_eq!(parts, [0, 0, 8]);
    }

    #[test]
    fn bytes_in_flight_are_unacknowledged_and_push_resets_the_count() {
        use Side::{Client, Server};
        let reported = follow(&[
            (Client, segment(1, 10, 100, 5, "A"), false),
            (Client, segment(2, 15, 100, 7, "A"), true),
            (Server, segment(3, 100, 15, 0, "A"), false),
            (Client, segment(5, 22, 100, 3, "A"), true),
        ]);
        let sent: Vec<_> = reported.iter().map(|progress| (progress.in_flight, progress.pushed)).collect();
        assert_eq!(sent, [(Some(5), Some(5)), (Some(12), Some(12)), (None, None), (Some(10), Some(3))]);
        assert_eq!(reported.last().unwrap().times, Some([4_000_000_000, 2_000_000_000]));
    }
}
