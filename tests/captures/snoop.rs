//! Captures of snoop: files are written and read back.

use crate::common::frames::{Owned, drain, drain_slowly, open};
use proto_dissect::input::{Format, Link, OpenError, Timestamp};

/// Original length, bytes, padding, drops.
type Raw<'a> = (u32, &'a [u8], u32, u32);

fn file(datalink: u32, records: &[Raw<'_>]) -> Vec<u8> {
    let mut out = [b"snoop\0\0\0\0\0\0\x02", &datalink.to_be_bytes()[..]].concat();
    for (original, bytes, padding, drops) in records {
        let captured = u32::try_from(bytes.len()).unwrap();
        for word in [*original, captured, 24 + captured + padding, *drops, 0x8000_0000, 7] {
            out.extend(word.to_be_bytes());
        }
        out.extend(*bytes);
        out.resize(out.len() + *padding as usize, 0xee);
    }
    out
}

#[test]
fn records_are_frames_without_their_padding() {
    let bytes = file(4, &[(60, b"abc", 1, 0), (0, b"", 0, 3), (4, b"defg", 40, 5)]);
    let (frames, error) = drain(&bytes);
    assert_eq!(error, None);
    assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"abc"[..], b"", b"defg"]);
    let Owned { time, link, original_len, .. } = frames[0];
    assert_eq!((time, original_len), (Some(Timestamp { seconds: 1 << 31, nanos: 7000 }), 60));
    assert_eq!(link, Link::Type(1));
    assert_eq!(drain_slowly(&bytes).0, frames);
    let mut capture = open(&bytes).unwrap();
    while capture.next_frame().unwrap().is_some() {}
    assert_eq!((capture.format(), capture.dropped(), capture.links()), (Format::Snoop, 5, &[1][..]));
}

#[test]
fn microseconds_of_a_second_or_more_are_added_without_overflow() {
    let mut bytes = file(4, &[(3, b"abc", 1, 0)]);
    bytes[36..40].copy_from_slice(&u32::MAX.to_be_bytes());
    let mut capture = open(&bytes).unwrap();
    let frame = capture.next_frame().unwrap().unwrap();
    assert_eq!(frame.time, Some(Timestamp { seconds: (1 << 31) + 4294, nanos: 967_295_000 }));
    assert_eq!(frame.odd_fraction.map(|odd| (odd.value, odd.as_nanos)), Some((u32::MAX, false)));
}

#[test]
fn link_types_are_translated() {
    let links = [0, 2, 4, 8, 5].map(|datalink| drain(&file(datalink, &[(1, b"a", 0, 0)])).0[0].link);
    assert_eq!(links, [Link::Type(1), Link::Type(6), Link::Type(1), Link::Type(10), Link::Unknown]);
}

#[test]
fn lengths_that_contradict_each_other_are_damage() {
    let good = file(4, &[(3, b"abc", 1, 0)]);
    for (at, value) in [(4, 262_145_u32), (8, 26), (8, u32::MAX), (4, u32::MAX)] {
        let mut bad = file(4, &[(3, b"abc", 1, 0)])[16..].to_vec();
        bad.splice(at..at + 4, value.to_be_bytes());
        let (frames, error) = drain(&[&good[..], &bad].concat());
        let error = error.unwrap();
        assert_eq!((frames.len(), error.code, error.at), (1, "damaged", Some(44)), "{error}");
    }
}

#[test]
fn an_unknown_version_is_refused() {
    let error = open(b"snoop\0\0\0\0\0\0\x03\0\0\0\x04").err().unwrap();
    assert!(matches!(error, OpenError::UnsupportedVersion { format: "snoop", major: 3, .. }), "{error}");
    assert!(open(b"snoop\0\0\0\0\0").err().unwrap().to_string().contains("ends after 10 bytes"));
}
