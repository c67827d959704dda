//! Captures of libpcap: files are written and read back.

use crate::common::frames::{drain, drain_slowly, open};
use proto_dissect::input::{OpenError, ReadError, Timestamp};

/// Seconds, fraction, the two lengths, padding before the bytes, the bytes.
type Raw<'a> = (u32, u32, u32, u32, usize, &'a [u8]);

fn file(big: bool, magic: u32, version: (u16, u16), network: u32, records: &[Raw<'_>]) -> Vec<u8> {
    let w16 = |v: u16| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let w32 = |v: u32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let mut out = w32(magic).to_vec();
    out.extend([w16(version.0), w16(version.1)].concat());
    out.extend([w32(0), w32(0), w32(65535), w32(network)].concat());
    for (seconds, fraction, third, fourth, padding, bytes) in records {
        out.extend([w32(*seconds), w32(*fraction), w32(*third), w32(*fourth)].concat());
        out.extend(vec![0xee; *padding]);
        out.extend(*bytes);
    }
    out
}

const V24: (u16, u16) = (2, 4);

#[test]
fn all_six_magics_read_alike() {
    for (magic, fraction, padding) in [(0xa1b2_c3d4, 7, 0), (0xa1b2_3c4d, 7000, 0), (0xa1b2_cd34, 7, 8)] {
        for big in [false, true] {
            let bytes = file(big, magic, V24, 1, &[(5, fraction, 3, 60, padding, b"abc"), (6, 0, 0, 0, padding, b"")]);
            let (frames, error) = drain(&bytes);
            assert_eq!(error, None, "{magic:x} {big}");
            assert_eq!(frames.len(), 2);
            assert_eq!(frames[0].bytes, b"abc");
            assert_eq!(frames[0].original_len, 60);
            assert_eq!(frames[0].time, Some(Timestamp { seconds: 5, nanos: 7000 }));
            assert_eq!((frames[0].number, frames[1].number), (1, 2));
            assert_eq!(drain_slowly(&bytes).0, frames);
        }
    }
}

#[test]
fn old_versions_have_the_lengths_swapped() {
    let old = file(true, 0xa1b2_c3d4, (2, 1), 1, &[(0, 0, 60, 3, 0, b"abc")]);
    assert_eq!(drain(&old).0[0].original_len, 60);
    let either = file(true, 0xa1b2_c3d4, (2, 3), 1, &[(0, 0, 60, 3, 0, b"abc"), (0, 0, 3, 60, 0, b"abc")]);
    assert_eq!(drain(&either).0.iter().map(|frame| frame.bytes.len()).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn bits_above_the_link_type_are_left_out() {
    let capture = open(&file(false, 0xa1b2_c3d4, V24, 0xf030_0001, &[])).unwrap();
    assert_eq!(capture.links(), [1]);
}

/// Seconds and nanoseconds of a frame, and its odd fraction.
type Timed = (i64, u32, Option<(u32, bool)>);

/// Times and numbers of odd fractions of a file with these seconds and fractions.
fn times(magic: u32, records: &[(u32, u32)]) -> Vec<Timed> {
    let records: Vec<Raw<'_>> = records.iter().map(|(seconds, fraction)| (*seconds, *fraction, 0, 0, 0, &b""[..])).collect();
    let bytes = file(false, magic, V24, 1, &records);
    let mut capture = open(&bytes).unwrap();
    let mut found = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        let time = frame.time.unwrap();
        found.push((time.seconds, time.nanos, frame.odd_fraction.map(|odd| (odd.value, odd.as_nanos))));
    }
    assert_eq!(drain(&bytes), drain_slowly(&bytes));
    found
}

#[test]
fn a_fraction_of_a_second_or_more_is_added_without_overflow() {
    let found = times(0xa1b2_c3d4, &[(5, 7), (u32::MAX, 1_000_000), (0, 4_294_968), (0, u32::MAX), (6, 999_999)]);
    let carried = |seconds, nanos, value| (seconds, nanos, Some((value, false)));
    assert_eq!(found[0], (5, 7000, None));
    assert_eq!(found[1], carried(i64::from(u32::MAX) + 1, 0, 1_000_000));
    assert_eq!(found[2..4], [carried(4, 294_968_000, 4_294_968), carried(4294, 967_295_000, u32::MAX)]);
    assert_eq!(found[4], (6, 999_999_000, None));
    let nanos = times(0xa1b2_3c4d, &[(5, 999_999_999), (5, 1_000_000_000), (5, u32::MAX)]);
    assert_eq!(nanos[0], (5, 999_999_999, None));
    assert_eq!(nanos[1..], [carried(6, 0, 1_000_000_000), carried(9, 294_967_295, u32::MAX)]);
}

#[test]
fn a_file_of_fractions_above_a_second_has_nanoseconds() {
    let micros = 0xa1b2_c3d4;
    let as_nanos = |value| (5, value, Some((value, true)));
    assert_eq!(times(micros, &[(5, 1_000_000), (5, 999_999_999)]), [as_nanos(1_000_000), as_nanos(999_999_999)]);
    // No nanoseconds: one is more than a second of them, and one is a number of microseconds.
    for other in [1_000_000_000, 7] {
        let found = times(micros, &[(5, 2_000_000), (5, other)]);
        assert_eq!(found[0], (7, 0, Some((2_000_000, false))), "{other}");
    }
    // One of a thousand nanoseconds is below a million.
    for at in [0, 1, 19] {
        let mut records = [(5, 123_456_789); 25];
        records[at].1 = 789;
        let found = times(micros, &records);
        let alone = if at == 0 { 789_000 } else { 789 };
        assert_eq!(found[at], (5, alone, None));
        assert!(found.iter().enumerate().all(|(i, time)| i == at || *time == as_nanos(123_456_789)));
    }
}

#[test]
fn an_unknown_version_is_refused() {
    let error = open(&file(false, 0xa1b2_c3d4, (1, 4), 1, &[])).err().unwrap();
    assert!(matches!(error, OpenError::UnsupportedVersion { major: 1, minor: 4, .. }), "{error}");
}

#[test]
fn an_impossible_length_is_damage() {
    let good: Raw<'_> = (1, 1, 3, 3, 0, b"abc");
    for length in [u32::MAX, 262_145] {
        let (frames, error) = drain(&file(false, 0xa1b2_c3d4, V24, 1, &[good, (2, 2, length, 9, 0, b"de")]));
        assert_eq!(frames.len(), 1);
        let ReadError { code, at, .. } = error.unwrap();
        assert_eq!((code, at), ("damaged", Some(43)));
    }
    let largest = vec![7; 262_144];
    let (frames, error) = drain(&file(false, 0xa1b2_c3d4, V24, 1, &[(0, 0, 262_144, 262_144, 0, &largest), good]));
    assert_eq!((frames.len(), error), (2, None));
}
