//! Reassembly of one direction: examples and properties.

#![allow(clippy::cast_possible_truncation, reason = "the streams of these tests are short")]

use super::{Accepted, Direction, Gap, Piece, SegmentPosition, TcpSegment};
use crate::limits;
use proptest::prelude::*;

/// The sequence number of stream offset 0 in most tests.
const START: u32 = 1000;

fn opened(start: u32) -> Direction {
    let mut direction = Direction::default();
    direction.expect(start);
    direction
}

fn segment(seq: u32, bytes: &[u8]) -> TcpSegment<'_> {
    TcpSegment { seq, syn: false, fin: false, bytes, missing: 0, frame: 1, at: 54, time: None }
}

/// Accepts `bytes` at stream offset `off`.
fn put(direction: &mut Direction, off: u32, bytes: &[u8]) -> Accepted {
    direction.accept(&segment(START.wrapping_add(off), bytes))
}

fn read(direction: &mut Direction) -> Vec<u8> {
    let bytes = direction.buffered().to_vec();
    direction.consume(bytes.len());
    bytes
}

fn pieces(direction: &Direction) -> Vec<Piece> {
    direction.pieces(direction.buffered_off(), direction.buffered().len()).collect()
}

#[test]
fn an_empty_direction_is_small_and_holds_nothing() {
    assert_eq!(Direction::default().memory_usage(), 0);
    assert!(size_of::<Direction>() <= 200, "{}", size_of::<Direction>());
}

#[test]
fn an_acknowledgment_before_the_first_payload_is_the_start_of_a_stream() {
    for (announced, first, missing) in [(1000, 1003, 3), (999, 1000, 0), (1001, 1000, 0), (1_u32 << 31, 1000, 0)] {
        let (mut direction, late) = (Direction::default(), &b"abc"[..missing as usize]);
        direction.accept(&segment(announced, b""));
        direction.accept(&segment(first, b"def"));
        assert_eq!(direction.hole().map_or(0, |hole| hole.len), missing, "{announced}");
        direction.accept(&segment(announced, late));
        assert_eq!(read(&mut direction), [late, b"def"].concat(), "{announced}");
    }
}

#[test]
fn a_segment_in_order_can_be_read_where_it_lies() {
    let mut direction = opened(START);
    let accepted = put(&mut direction, 0, b"abc");
    assert_eq!(
        accepted,
        Accepted {
            place: SegmentPosition::Next,
            fresh: 0..3,
            off: 0,
            span: 0..3,
            alone: true,
            differs: None,
            full: false,
            earlier: false
        }
    );
    direction.consume(2);
    let accepted = put(&mut direction, 3, b"def");
    assert!(!accepted.alone);
    assert_eq!((accepted.fresh, accepted.off), (0..3, 3));
    assert_eq!((direction.buffered(), direction.buffered_off()), (&b"cdef"[..], 2));
}

#[test]
fn a_closed_direction_continues_where_it_ended() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"abc");
    read(&mut direction);
    direction.accept(&TcpSegment { fin: true, ..segment(START + 3, b"") });
    let mut again = Direction::from(direction.closed());
    assert_eq!(again.offset_of(START + 3), direction.offset_of(START + 3));
    assert_eq!(again.is_over(), direction.is_over());
    assert_eq!(put(&mut again, 1, b"bc").place, put(&mut direction, 1, b"bc").place);
    assert_eq!(put(&mut again, 0, b"abc").place, SegmentPosition::Old);
    let accepted = put(&mut again, 3, b"de");
    assert_eq!((accepted.place, accepted.off), (SegmentPosition::Next, 3));
}

#[test]
fn segments_in_reverse_wait_for_the_first() {
    let mut direction = opened(START);
    assert_eq!(put(&mut direction, 4, b"ef").place, SegmentPosition::Ahead);
    assert_eq!(put(&mut direction, 2, b"cd").place, SegmentPosition::Ahead);
    assert_eq!(direction.hole(), Some(Gap { off: 0, len: 2 }));
    assert!(direction.buffered().is_empty());
    let accepted = put(&mut direction, 0, b"ab");
    assert_eq!((accepted.place, accepted.fresh, accepted.alone), (SegmentPosition::Next, 0..2, false));
    assert_eq!(direction.buffered(), b"abcdef");
    assert_eq!(direction.hole(), None);
}

#[test]
fn a_segment_over_parked_ones_fills_every_hole_between_them() {
    let mut direction = opened(START);
    put(&mut direction, 2, b"C");
    put(&mut direction, 4, b"E");
    let accepted = put(&mut direction, 0, b"abcdefg");
    assert_eq!((accepted.place, accepted.fresh), (SegmentPosition::PartlyOld, 0..2));
    assert_eq!(accepted.differs, Some(2..5));
    assert_eq!(read(&mut direction), b"abCdEfg");
}

#[test]
fn a_segment_after_a_gap_is_buffered_without_overlaps() {
    let mut direction = opened(START);
    put(&mut direction, 3, b"D");
    assert_eq!(put(&mut direction, 2, b"cde").place, SegmentPosition::Ahead);
    assert_eq!(put(&mut direction, 2, b"cD").place, SegmentPosition::Old);
    put(&mut direction, 0, b"ab");
    assert_eq!(read(&mut direction), b"abcDe");
}

#[test]
fn a_retransmission_is_old_and_the_same_bytes_are_no_contradiction() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"abc");
    for _ in 0..2 {
        let again = put(&mut direction, 0, b"abc");
        assert_eq!((again.place, again.differs, again.fresh), (SegmentPosition::Old, None, 3..3));
        direction.consume(3);
    }
}

#[test]
fn a_retransmission_with_more_data_gives_the_rest() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"abc");
    direction.consume(3);
    let accepted = put(&mut direction, 0, b"abcdef");
    assert_eq!((accepted.place, accepted.fresh, accepted.off), (SegmentPosition::PartlyOld, 3..6, 3));
    assert!(accepted.alone);
    assert_eq!(pieces(&direction), [Piece { off: 3, len: 3, frame: 1, at: 57, time: None }]);
}

#[test]
fn other_bytes_for_buffered_ones_are_reported_and_lose() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"abcd");
    assert_eq!(put(&mut direction, 1, b"BcDe").differs, Some(0..3));
    assert_eq!(read(&mut direction), b"abcde");
}

#[test]
fn other_bytes_for_parked_ones_are_reported_and_lose() {
    let mut direction = opened(START);
    put(&mut direction, 2, b"cd");
    assert_eq!(put(&mut direction, 1, b"bXde").differs, Some(1..2));
    put(&mut direction, 0, b"a");
    assert_eq!(read(&mut direction), b"abcde");
}

#[test]
fn other_bytes_for_consumed_ones_are_reported_until_forgotten() {
    let mut direction = opened(START);
    for at in 0..100 {
        put(&mut direction, at * 1000, &[7; 1000]);
        direction.consume(1000);
    }
    assert_eq!(put(&mut direction, 96_000, &[7; 4000]).differs, None);
    assert_eq!(put(&mut direction, 96_000, &[8; 4000]).differs, Some(0..4000));
    assert!(direction.memory_usage() < 16 * 1024, "{}", direction.memory_usage());
    direction.shrink();
    assert_eq!(put(&mut direction, 96_000, &[8; 4000]).differs, None);
    assert_eq!(direction.memory_usage(), 0);
}

#[test]
fn memory_of_a_large_message_is_given_back() {
    let mut direction = opened(START);
    for at in 0..1000 {
        put(&mut direction, at * 1000, &[7; 1000]);
    }
    direction.consume(1_000_000);
    assert!(direction.memory_usage() < 200_000, "{}", direction.memory_usage());
}

#[test]
fn data_on_the_syn_starts_after_its_sequence_number() {
    let mut direction = Direction::default();
    let accepted = direction.accept(&TcpSegment { syn: true, ..segment(u32::MAX, b"ab") });
    assert_eq!((accepted.place, accepted.off), (SegmentPosition::Next, 0));
    assert_eq!(direction.accept(&segment(2, b"cd")).off, 2);
    assert_eq!(read(&mut direction), b"abcd");
}

#[test]
fn a_missing_syn_starts_at_the_first_data() {
    let mut direction = Direction::default();
    assert_eq!(direction.accept(&segment(100, b"")).place, SegmentPosition::Empty);
    assert_eq!(direction.accept(&segment(100, b"ab")).place, SegmentPosition::Next);
    assert_eq!(read(&mut direction), b"ab");
    let earlier = direction.accept(&segment(90, b"0123456789"));
    assert_eq!((earlier.place, earlier.fresh), (SegmentPosition::Before, 10..10));
    let longer = direction.accept(&segment(98, b"xyaBcd"));
    assert_eq!((longer.place, longer.fresh, longer.differs), (SegmentPosition::Before, 4..6, Some(3..4)));
    assert_eq!(read(&mut direction), b"cd");
}

#[test]
fn a_missing_syn_starts_at_an_earlier_segment_until_bytes_are_read() {
    let mut direction = Direction::default();
    direction.accept(&segment(100, b"ab"));
    let earlier = direction.accept(&segment(94, b"012345"));
    assert_eq!((earlier.place, earlier.fresh, earlier.earlier), (SegmentPosition::Next, 0..6, true));
    // A hole lies between them.
    let earliest = direction.accept(&segment(90, b"xy"));
    assert_eq!((earliest.fresh, earliest.earlier), (0..2, true));
    assert_eq!(read(&mut direction), b"xy");
    direction.accept(&segment(92, b"z!"));
    assert_eq!(read(&mut direction), b"z!012345ab");
}

#[test]
fn an_acknowledgement_sets_the_start_of_the_stream() {
    let mut direction = opened(START);
    assert_eq!(put(&mut direction, 2, b"c").place, SegmentPosition::Ahead);
    put(&mut direction, 0, b"ab");
    assert_eq!(read(&mut direction), b"abc");
}

#[test]
fn a_probe_for_a_silent_peer_changes_nothing() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"abc");
    for probe in [&b""[..], b"\0"] {
        let accepted = put(&mut direction, 2, probe);
        assert_eq!((accepted.place, accepted.differs), (SegmentPosition::KeepAlive, None));
    }
    assert_eq!(put(&mut direction, 3, b"").place, SegmentPosition::Empty);
    assert_eq!(direction.buffered(), b"abc");
}

#[test]
fn a_fin_ends_the_stream_once_everything_before_it_came() {
    let mut direction = opened(START);
    direction.accept(&TcpSegment { fin: true, ..segment(START + 2, b"cd") });
    assert!(!direction.is_finished());
    put(&mut direction, 0, b"ab");
    assert!(direction.is_finished());
    assert_eq!(put(&mut direction, 4, b"more").place, SegmentPosition::Next);
    assert!(direction.is_finished());
    assert_eq!(read(&mut direction), b"abcdmore");
}

#[test]
fn a_fin_without_data_shows_the_hole_before_it() {
    let mut direction = opened(START);
    direction.accept(&TcpSegment { fin: true, ..segment(START + 5, b"") });
    assert_eq!(direction.hole(), Some(Gap { off: 0, len: 5 }));
    pass_hole(&mut direction);
    assert!(direction.is_finished());
}

/// Gives up the first hole and buffers all bytes after it.
fn pass_hole(direction: &mut Direction) -> Option<Gap> {
    let gap = direction.skip_hole();
    while direction.unpark_next() {}
    gap
}

#[test]
fn segments_after_a_gap_are_buffered_separately() {
    let mut direction = opened(START);
    put(&mut direction, 2, b"cd");
    put(&mut direction, 4, b"e");
    put(&mut direction, 6, b"g");
    assert_eq!(direction.skip_hole(), Some(Gap { off: 0, len: 2 }));
    let mut seen = Vec::new();
    while direction.unpark_next() {
        seen.push(direction.buffered().to_vec());
        direction.consume(direction.buffered().len());
    }
    assert_eq!(seen, [b"cd".to_vec(), b"e".to_vec()]);
    assert_eq!(direction.hole(), Some(Gap { off: 5, len: 1 }));
}

#[test]
fn a_fin_with_the_last_byte_again_is_no_probe() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"a");
    assert_eq!(direction.accept(&TcpSegment { fin: true, ..segment(START, b"a") }).place, SegmentPosition::Old);
    assert!(direction.is_finished());
}

#[test]
fn sequence_numbers_wrap_around_inside_a_run() {
    let mut direction = opened(u32::MAX - 1);
    assert_eq!(direction.accept(&segment(2, b"efg")).place, SegmentPosition::Ahead);
    assert_eq!(direction.accept(&segment(u32::MAX - 1, b"abcd")).place, SegmentPosition::Next);
    assert_eq!(read(&mut direction), b"abcdefg");
}

#[test]
fn a_hole_is_lost_as_soon_as_data_beyond_it_is_acknowledged() {
    let mut direction = opened(START);
    put(&mut direction, 3, b"de");
    for ack in [START, START + 3] {
        direction.acknowledged(ack);
        assert!(!direction.hole_is_lost());
    }
    direction.acknowledged(START + 4);
    assert!(direction.hole_is_lost());
    put(&mut direction, 0, b"abc");
    assert!(!direction.hole_is_lost());
}

#[test]
fn a_skipped_hole_is_a_gap_and_its_bytes_are_late() {
    let mut direction = opened(START);
    put(&mut direction, 0, b"ab");
    put(&mut direction, 5, b"fg");
    put(&mut direction, 9, b"jk");
    assert_eq!(read(&mut direction), b"ab");
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 2, len: 3 }));
    assert_eq!((direction.buffered(), direction.buffered_off()), (&b"fg"[..], 5));
    let late = put(&mut direction, 3, b"defgh");
    assert_eq!((late.place, late.fresh, late.off), (SegmentPosition::Late, 4..5, 7));
    assert_eq!(put(&mut direction, 5, b"fg").place, SegmentPosition::Old);
    assert_eq!(read(&mut direction), b"fgh");
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 8, len: 1 }));
    assert_eq!(pass_hole(&mut direction), None);
}

#[test]
fn late_bytes_are_reported_after_very_many_gaps() {
    let mut direction = opened(START);
    for at in 0..1000 {
        put(&mut direction, 2 * at + 1, b"x");
        direction.consume(1);
        assert!(pass_hole(&mut direction).is_some());
    }
    for at in 0..1000 {
        assert_eq!(put(&mut direction, 2 * at, b"x").place, SegmentPosition::Late);
    }
    assert!(direction.memory_usage() < 16 * 1024);
}

#[test]
fn bytes_the_capture_cut_off_are_lost_at_once() {
    let mut direction = opened(START);
    let cut = |off, bytes| TcpSegment { missing: 8, ..segment(START + off, bytes) };
    assert!(direction.accept(&cut(0, b"ab")).alone);
    assert!(direction.hole_is_lost());
    direction.consume(2);
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 2, len: 8 }));
    assert_eq!(direction.accept(&cut(20, b"uv")).place, SegmentPosition::Ahead);
    assert!(!direction.hole_is_lost());
    assert_eq!(direction.accept(&cut(10, b"kl")).place, SegmentPosition::Next);
    assert_eq!(direction.accept(&cut(10, b"kl")).place, SegmentPosition::Old);
    direction.consume(2);
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 12, len: 8 }));
    assert_eq!(read(&mut direction), b"uv");
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 22, len: 8 }));
    assert_eq!(direction.accept(&cut(30, b"")).place, SegmentPosition::Next);
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 30, len: 8 }));
}

#[test]
fn a_hole_that_is_partly_cut_off_is_given_up_in_two_parts() {
    let mut direction = opened(START);
    put(&mut direction, 9, b"jk");
    direction.accept(&TcpSegment { missing: 3, ..segment(START, b"ab") });
    direction.consume(2);
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 2, len: 3 }));
    assert!(!direction.hole_is_lost());
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 5, len: 4 }));
    assert_eq!(read(&mut direction), b"jk");
}

#[test]
fn pieces_of_a_part_are_clipped_to_it() {
    let mut direction = opened(START);
    for (off, bytes) in [(0, b"abc"), (3, b"def"), (6, b"ghi")] {
        put(&mut direction, off, bytes);
    }
    direction.consume(1);
    let piece = |off, len, at| Piece { off, len, frame: 1, at, time: None };
    assert_eq!(direction.pieces(3, 4).collect::<Vec<_>>(), [piece(3, 3, 54), piece(6, 1, 54)]);
    assert_eq!(direction.pieces(0, 99).next(), Some(piece(1, 2, 55)));
    assert_eq!(direction.pieces(4, 1).collect::<Vec<_>>(), [piece(4, 1, 55)]);
    assert_eq!(direction.pieces(9, 1).next(), None);
}

#[test]
fn too_many_parked_segments_are_refused_until_a_hole_is_skipped() {
    let mut direction = opened(START);
    let mut off = 1;
    while !put(&mut direction, off, b"x").full {
        off += 2;
    }
    assert_eq!(off as usize, 1 + 2 * limits::STREAM_PARKED_SEGMENTS.get());
    pass_hole(&mut direction);
    assert!(!put(&mut direction, off, b"x").full);
}

#[test]
fn too_many_parked_bytes_are_refused_until_a_hole_is_skipped() {
    let mut direction = opened(START);
    let bytes = vec![0; limits::STREAM_PARKED.get() + 1];
    assert!(!put(&mut direction, 1, &bytes).full);
    assert!(!put(&mut direction, 1, &bytes).full);
    assert!(put(&mut direction, 1 << 24, b"x").full);
    assert_eq!(pass_hole(&mut direction), Some(Gap { off: 0, len: 1 }));
    assert!(!put(&mut direction, 1 << 24, b"x").full);
}

#[test]
fn a_hostile_jump_is_far_and_stores_nothing() {
    let mut direction = opened(START);
    for off in [(1 << 30) + 1, 1 << 31, u32::MAX - (1 << 30)] {
        let accepted = direction.accept(&TcpSegment { fin: true, ..segment(START.wrapping_add(off), b"abc") });
        assert_eq!((accepted.place, accepted.fresh), (SegmentPosition::Far, 3..3));
    }
    assert_eq!((direction.memory_usage(), direction.hole()), (0, None));
    assert_eq!(put(&mut direction, 1 << 30, b"abc").place, SegmentPosition::Ahead);
}

#[test]
fn acknowledgements_of_bytes_never_seen_break_nothing() {
    let mut direction = Direction::default();
    direction.acknowledged(77);
    direction.expect(START);
    for ack in [0, 5000, 1 << 31, u32::MAX] {
        direction.acknowledged(START.wrapping_add(ack));
        assert_eq!((direction.hole(), direction.hole_is_lost()), (None, false));
    }
    put(&mut direction, 0, b"ab");
    assert_eq!(read(&mut direction), b"ab");
}

#[test]
fn a_stream_may_exceed_four_gibibytes() {
    let mut direction = opened(START);
    let hop = 1 << 29;
    for at in 0..20 {
        let off = u64::from(hop) * at;
        let seq = START.wrapping_add((off % (1 << 32)) as u32);
        let accepted = direction.accept(&TcpSegment { missing: hop - 2, ..segment(seq, b"ab") });
        assert_eq!((accepted.place, accepted.off), (SegmentPosition::Next, off));
        assert_eq!(pieces(&direction)[0].off, off);
        direction.consume(2);
        assert_eq!(pass_hole(&mut direction), Some(Gap { off: off + 2, len: u64::from(hop) - 2 }));
    }
}

/// A part of a stream in one frame.
#[derive(Clone, Debug)]
struct Sent {
    off: usize,
    bytes: Vec<u8>,
}

/// Bytes, and overlapping parts of them in any order. Without `lost` they cover all bytes.
fn sent(lost: bool) -> impl Strategy<Value = (Vec<u8>, Vec<Sent>)> {
    let bytes = proptest::collection::vec(any::<u8>(), 1..200);
    let cuts = proptest::collection::vec(any::<prop::sample::Index>(), 0..12);
    let more = proptest::collection::vec((any::<prop::sample::Index>(), 1_usize..40), 0..12);
    (bytes, cuts, more).prop_flat_map(move |(bytes, cuts, more)| {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let whole = cuts.windows(2).filter(|_| !lost).map(|cut| (cut[0], cut[1]));
        let more = more.iter().map(|(from, len)| (from.index(bytes.len()), *len));
        let parts: Vec<Sent> = whole
            .chain(more.map(|(from, len)| (from, bytes.len().min(from + len))))
            .map(|(from, to)| Sent { off: from, bytes: bytes[from..to].to_vec() })
            .collect();
        (Just(bytes), Just(parts).prop_shuffle())
    })
}

/// Reads `n` bytes, after checking that the pieces refer to each once and in order.
fn read_checked(direction: &mut Direction, frames: &[Sent], n: usize) -> Vec<u8> {
    let mut again = Vec::new();
    let off = direction.buffered_off();
    for piece in direction.pieces(off, n) {
        assert_eq!(piece.off, off + again.len() as u64);
        let frame = &frames[piece.frame as usize];
        let at = piece.at as usize - 54;
        assert_eq!(frame.off + at, piece.off as usize);
        again.extend_from_slice(&frame.bytes[at..at + piece.len as usize]);
    }
    assert_eq!(again, direction.buffered()[..n]);
    direction.consume(n);
    again
}

fn accept(direction: &mut Direction, start: u32, frame: usize, sent: &Sent) -> Accepted {
    let seq = start.wrapping_add(sent.off as u32);
    let accepted = direction.accept(&TcpSegment { frame: frame as u64, ..segment(seq, &sent.bytes) });
    assert_eq!(accepted.differs, None);
    if accepted.alone {
        assert_eq!(direction.buffered(), &sent.bytes[accepted.fresh.clone()]);
        assert_eq!(direction.buffered_off(), accepted.off);
    }
    accepted
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_cut_order_repetition_and_overlap_gives_the_bytes(
        (bytes, frames) in sent(false),
        start: u32,
        step in 1_usize..100,
    ) {
        let mut direction = opened(start);
        let mut got = Vec::new();
        for (number, sent) in frames.iter().enumerate() {
            accept(&mut direction, start, number, sent);
            let n = step.min(direction.buffered().len());
            got.extend(read_checked(&mut direction, &frames, n));
        }
        let n = direction.buffered().len();
        got.extend(read_checked(&mut direction, &frames, n));
        prop_assert_eq!(got, bytes);
        prop_assert_eq!(direction.hole(), None);
    }

    #[test]
    fn runs_and_gaps_tile_the_stream(
        (bytes, frames) in sent(true),
        start in (u32::MAX - 100)..=u32::MAX,
        give_up: [bool; 12],
    ) {
        let mut direction = opened(start);
        let mut end = 0;
        for (number, (sent, give_up)) in frames.iter().zip(give_up).enumerate() {
            accept(&mut direction, start, number, sent);
            let last = number + 1 == frames.len();
            loop {
                prop_assert_eq!(direction.buffered_off(), end as u64);
                let n = direction.buffered().len();
                prop_assert_eq!(&read_checked(&mut direction, &frames, n)[..], &bytes[end..end + n]);
                end += n;
                let Some(gap) = direction.hole().filter(|_| give_up || last) else { break };
                prop_assert_eq!(pass_hole(&mut direction), Some(gap));
                prop_assert_eq!(gap.off, end as u64);
                end += gap.len as usize;
            }
        }
        prop_assert_eq!(end, frames.iter().map(|sent| sent.off + sent.bytes.len()).max().unwrap_or(0));
    }

    #[test]
    fn the_first_copy_of_a_byte_wins(parts in proptest::collection::vec((0_usize..60, 1_usize..20), 1..20)) {
        let mut direction = opened(START);
        let mut first: Vec<Option<u8>> = vec![None; 80];
        for (number, (off, len)) in parts.into_iter().enumerate() {
            let payload = vec![number as u8; len];
            let differs = first[off..off + len].iter().any(Option::is_some);
            let accepted = put(&mut direction, off as u32, &payload);
            if accepted.place != SegmentPosition::KeepAlive {
                prop_assert_eq!(accepted.differs.is_some(), differs);
            }
            first[off..off + len].iter_mut().for_each(|byte| *byte = byte.or(Some(number as u8)));
        }
        while direction.hole().is_some() || !direction.buffered().is_empty() {
            let off = direction.buffered_off() as usize;
            for (at, byte) in read(&mut direction).into_iter().enumerate() {
                prop_assert_eq!(first[off + at].take(), Some(byte));
            }
            pass_hole(&mut direction);
        }
        prop_assert!(first.iter().all(Option::is_none));
    }

    #[test]
    fn nonsense_does_no_harm(nonsense in proptest::collection::vec((any::<[u32; 3]>(), 0_usize..9, any::<[bool; 4]>()), 0..60)) {
        let mut direction = Direction::default();
        for ([seq, missing, ack], len, [syn, fin, near, skip]) in nonsense {
            let seq = if near { seq % 64 } else { seq };
            let missing = if near { 0 } else { missing };
            let accepted = direction.accept(&TcpSegment { syn, fin, missing, ..segment(seq, &[7; 9][..len]) });
            prop_assert!(accepted.fresh.start <= accepted.fresh.end && accepted.fresh.end <= len);
            direction.acknowledged(ack);
            direction.consume(len / 2);
            if skip {
                pass_hole(&mut direction);
            }
        }
        prop_assert!(direction.memory_usage() < 64 * 1024);
    }
}
