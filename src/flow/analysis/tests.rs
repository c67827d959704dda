//! Each rule with a short conversation, in the order of the results. Expected values are Wireshark's for such a capture.

use super::*;
use crate::limits;
use crate::tree::Timestamp;
use proptest::prelude::*;

/// A conversation with a handshake of 40 ms; client bytes begin with 101, server bytes with 501.
struct Talk {
    analysis: Analysis,
    /// The same connection, analyzed for summaries only.
    of_summaries: Analysis,
    frame: u64,
    millis: i64,
}

const PLAIN: SegmentHeader = SegmentHeader {
    frame: 0,
    time: None,
    seq: 0,
    ack: 0,
    len: 0,
    syn: false,
    fin: false,
    rst: false,
    acks: true,
    window: 1000,
    scale: None,
};

impl Talk {
    fn at(millis: i64) -> Talk {
        Talk { analysis: Analysis::default(), of_summaries: Analysis::default(), frame: 0, millis }
    }

    fn opened() -> Talk {
        let mut talk = Talk::at(5000);
        talk.says(Side::Client, SegmentHeader { seq: 100, syn: true, acks: false, ..PLAIN });
        talk.millis += 20;
        talk.says(Side::Server, SegmentHeader { seq: 500, ack: 101, syn: true, ..PLAIN });
        talk.millis += 20;
        talk.says(Side::Client, SegmentHeader { seq: 101, ack: 501, ..PLAIN });
        talk
    }

    fn says(&mut self, side: Side, segment: SegmentHeader) -> Findings {
        self.frame += 1;
        let time = Timestamp { seconds: self.millis / 1000, nanos: u32::try_from(self.millis % 1000).unwrap() * 1_000_000 };
        let segment = SegmentHeader { frame: self.frame, time: Some(time), ..segment };
        let found = self.analysis.analyze(side, || segment, false, Extent::Everything);
        let in_summary = self.of_summaries.analyze(side, || segment, false, Extent::Summary);
        assert_eq!(in_summary, Findings { acks: None, repeats: None, ..found });
        found
    }

    fn client(&mut self, seq: u32, len: u32) -> Vec<AnalysisFlag> {
        flags(self.says(Side::Client, SegmentHeader { seq, ack: 501, len, ..PLAIN }).flags)
    }

    fn acknowledges(&mut self, ack: u32) -> Vec<AnalysisFlag> {
        flags(self.says(Side::Server, SegmentHeader { seq: 501, ack, ..PLAIN }).flags)
    }
}

fn flags(flags: AnalysisFlags) -> Vec<AnalysisFlag> {
    use AnalysisFlag::*;
    let all = [
        Retransmission,
        FastRetransmission,
        SpuriousRetransmission,
        OutOfOrder,
        LostSegment,
        AckLostSegment,
        DuplicateAck,
        ZeroWindow,
        ZeroWindowProbe,
        ZeroWindowProbeAck,
        WindowFull,
        WindowUpdate,
        KeepAlive,
        KeepAliveAck,
        ReusedPorts,
    ];
    all.into_iter().filter(|flag| flags.has(*flag)).collect()
}

#[test]
fn regular_segments_have_no_analysis_flags() {
    let mut talk = Talk::opened();
    assert_eq!(talk.client(101, 10), []);
    let found = talk.says(Side::Server, SegmentHeader { seq: 501, ack: 111, len: 5, ..PLAIN });
    assert!(found.flags.is_empty());
    assert_eq!(found.acks, Some(Since { frame: 4, nanos: 0 }));
}

#[test]
fn repeated_bytes_after_the_timeout_are_a_retransmission() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    talk.client(111, 10);
    talk.millis += 300;
    let found = talk.says(Side::Client, SegmentHeader { seq: 101, ack: 501, len: 10, ..PLAIN });
    assert_eq!(flags(found.flags), [AnalysisFlag::Retransmission]);
    assert_eq!(found.repeats, Some(Since { frame: 4, nanos: 300_000_000 }));
}

#[test]
fn bytes_within_the_round_trip_were_overtaken() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    assert_eq!(talk.client(121, 10), [AnalysisFlag::LostSegment]);
    talk.millis += 39;
    assert_eq!(talk.client(111, 10), [AnalysisFlag::OutOfOrder]);
    talk.millis += 1;
    assert_eq!(talk.client(111, 10), [AnalysisFlag::Retransmission]);
}

#[test]
fn an_answer_to_duplicate_acks_is_fast() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    talk.client(121, 10);
    talk.acknowledges(111);
    for number in 1..=2 {
        let found = talk.says(Side::Server, SegmentHeader { seq: 501, ack: 111, ..PLAIN });
        assert_eq!((flags(found.flags), found.duplicate), (vec![AnalysisFlag::DuplicateAck], Some((number, 6))));
    }
    talk.millis += 19;
    assert_eq!(talk.client(111, 10), [AnalysisFlag::Retransmission, AnalysisFlag::FastRetransmission]);
}

#[test]
fn repeated_acknowledged_bytes_are_a_spurious_retransmission() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    talk.acknowledges(111);
    assert_eq!(talk.client(101, 10), [AnalysisFlag::Retransmission, AnalysisFlag::SpuriousRetransmission]);
}

#[test]
fn a_lost_segment_is_reported_and_so_is_its_acknowledgement() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    assert_eq!(talk.acknowledges(131), [AnalysisFlag::AckLostSegment]);
    assert_eq!(talk.acknowledges(141), []);
    assert_eq!(talk.client(141, 10), [AnalysisFlag::LostSegment]);
    assert_eq!(talk.acknowledges(151), [AnalysisFlag::AckLostSegment]);
    assert_eq!(talk.client(151, 10), []);
    assert_eq!(talk.acknowledges(161), []);
}

#[test]
fn one_direction_alone_is_judged_by_itself() {
    let mut analysis = Analysis::default();
    let mut says = |seq, len| {
        flags(analysis.analyze(Side::Client, || SegmentHeader { seq, ack: 7, len, ..PLAIN }, false, Extent::Everything).flags)
    };
    assert_eq!(says(1000, 10), []);
    assert_eq!(says(1010, 10), []);
    assert_eq!(says(1030, 10), [AnalysisFlag::LostSegment]);
}

#[test]
fn a_zero_window_is_probed_and_updated() {
    let mut talk = Talk::opened();
    talk.client(101, 10);
    let closed = SegmentHeader { seq: 501, ack: 111, window: 0, ..PLAIN };
    assert_eq!(flags(talk.says(Side::Server, closed).flags), [AnalysisFlag::ZeroWindow]);
    assert_eq!(talk.client(111, 1), [AnalysisFlag::ZeroWindowProbe]);
    assert_eq!(flags(talk.says(Side::Server, closed).flags), [AnalysisFlag::ZeroWindow, AnalysisFlag::ZeroWindowProbeAck]);
    assert_eq!(flags(talk.says(Side::Server, SegmentHeader { window: 500, ..closed }).flags), [AnalysisFlag::WindowUpdate]);
    assert_eq!(talk.client(111, 500), [AnalysisFlag::WindowFull]);
}

#[test]
fn keep_alives_and_their_answers_are_reported_with_and_without_a_byte() {
    for len in [0, 1] {
        let mut talk = Talk::opened();
        talk.client(101, 10);
        talk.acknowledges(111);
        assert_eq!(talk.client(110, len), [AnalysisFlag::KeepAlive]);
        assert_eq!(talk.acknowledges(111), [AnalysisFlag::KeepAliveAck]);
    }
}

#[test]
fn a_window_is_scaled_only_if_both_sides_say_so() {
    let scaling = |client: Option<u8>, server: Option<u8>| {
        let mut talk = Talk::at(0);
        talk.says(Side::Client, SegmentHeader { seq: 100, syn: true, acks: false, scale: client, ..PLAIN });
        talk.says(Side::Server, SegmentHeader { seq: 500, ack: 101, syn: true, scale: server, ..PLAIN });
        let own = talk.says(Side::Client, SegmentHeader { seq: 101, ack: 501, ..PLAIN }).scaling;
        let other = talk.says(Side::Server, SegmentHeader { seq: 501, ack: 101, ..PLAIN }).scaling;
        [own, other].map(Scaling::factor)
    };
    assert_eq!(scaling(Some(2), Some(7)), [4, 128]);
    assert_eq!(scaling(Some(200), Some(14)), [1 << 14, 1 << 14]);
    assert_eq!(scaling(Some(2), None), [-2, -2]);
    assert_eq!(scaling(None, Some(7)), [-2, -2]);
    let found =
        Analysis::default().analyze(Side::Client, || SegmentHeader { seq: 1, len: 5, ..PLAIN }, false, Extent::Everything);
    assert_eq!(found.scaling.factor(), -1);
}

#[test]
fn the_same_syn_again_is_a_retransmission_and_no_new_connection() {
    let mut talk = Talk::at(0);
    let syn = SegmentHeader { seq: 100, syn: true, acks: false, ..PLAIN };
    talk.says(Side::Client, syn);
    talk.millis += 1000;
    assert_eq!(flags(talk.says(Side::Client, syn).flags), [AnalysisFlag::Retransmission]);
    let found = Analysis::default().analyze(Side::Client, || syn, true, Extent::Everything);
    assert_eq!(flags(found.flags), [AnalysisFlag::ReusedPorts]);
}

#[test]
fn numbers_may_wrap() {
    let mut analysis = Analysis::default();
    let mut says = |seq, len| {
        flags(analysis.analyze(Side::Client, || SegmentHeader { seq, ack: 7, len, ..PLAIN }, false, Extent::Everything).flags)
    };
    assert_eq!(says(u32::MAX - 4, 10), []);
    assert_eq!(says(5, 10), []);
    assert_eq!(says(u32::MAX - 4, 10), [AnalysisFlag::OutOfOrder]);
    assert_eq!(says(25, 10), [AnalysisFlag::LostSegment]);
}

#[test]
fn memory_is_bounded_without_acknowledgments() {
    let mut talk = Talk::opened();
    for number in 0..10_000 {
        talk.client(101 + number, 1);
    }
    assert!(talk.analysis.memory_usage() <= 2 * limits::STREAM_UNACKNOWLEDGED.get() * size_of::<Unacked>());
    talk.acknowledges(101 + 10_000);
    assert!(talk.analysis.memory_usage() <= 2 * KEPT_UNACKED * size_of::<Unacked>());
    talk.client(101 + 10_000, 1);
    talk.analysis.shrink();
    assert_eq!(talk.analysis.memory_usage(), 0);
}

proptest! {
    #[test]
    fn random_segments_are_analyzed(segments in prop::collection::vec(
        (any::<bool>(), any::<[u32; 3]>(), any::<[bool; 4]>(), any::<u16>(), any::<Option<u8>>(), any::<(i64, u32)>()), 0..40)
    ) {
        let mut analysis = Analysis::default();
        for (from, [seq, ack, len], [syn, fin, rst, acks], window, scale, (seconds, nanos)) in segments {
            let side = if from { Side::Client } else { Side::Server };
            let time = Some(Timestamp { seconds, nanos });
            let segment = SegmentHeader { frame: 1, time, seq, ack, len, syn, fin, rst, acks, window, scale };
            analysis.analyze(side, || segment, rst, Extent::Everything);
        }
    }
}

/// Segments with few distinct numbers, so that many are in order; the numbers may wrap.
fn similar_segments() -> impl Strategy<Value = Vec<(Side, SegmentHeader)>> {
    let side = prop_oneof![Just(Side::Client), Just(Side::Server)];
    let window = prop_oneof![4 => Just(4), 1 => 0..2_u16];
    let scale = prop_oneof![9 => Just(None), 1 => Just(Some(1))];
    let flags = (prop::bool::weighted(0.15), prop::bool::weighted(0.05), prop::bool::weighted(0.05), prop::bool::weighted(0.7));
    let numbers = (0..6_u32, 0..6_u32, 0..4_u32, 0..9_u32);
    let segment = (side, numbers, window, scale, flags).prop_map(|(side, numbers, window, scale, (syn, fin, rst, acks))| {
        let (seq, ack, len, nanos) = numbers;
        let time = Some(Timestamp { seconds: 1, nanos });
        (side, SegmentHeader { frame: nanos.into(), time, seq, ack, len, syn, fin, rst, acks, window, scale })
    });
    let firsts = vec![0, 1, 1 << 31, u32::MAX - 2];
    (prop::collection::vec(segment, 0..40), prop::sample::select(firsts)).prop_map(|(mut segments, first)| {
        for (_, segment) in &mut segments {
            (segment.seq, segment.ack) = (segment.seq.wrapping_add(first), segment.ack.wrapping_add(first));
        }
        segments
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_rule_applies_to_ordinary_segments(segments in similar_segments(), reused in prop::bool::weighted(0.1)) {
        let mut known = ConnectionState::default();
        for (side, segment) in segments {
            let mut by_rules = known;
            let flags = by_rules.apply_rules(side, &segment, reused);
            if !reused && known.accept_ordinary(side, &segment) {
                prop_assert_eq!((known, AnalysisFlags::default()), (by_rules, flags));
            }
            known = by_rules;
        }
    }
}
