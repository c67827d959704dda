//! Compressed inputs: gzip, zstd and lz4, one frame or several, truncated and damaged.

use super::samples::{gzip, lz4, lz4_of, zstd};
use lz4_flex::frame::BlockMode;
use proto_dissect::input::{Capture, Link, Options};
use proto_dissect::tree::Side;
use std::io::Cursor;

type Pack = fn(&[u8]) -> Vec<u8>;

fn lz4_independent(bytes: &[u8]) -> Vec<u8> {
    lz4_of(bytes, BlockMode::Independent)
}

fn skippable(len: u32) -> Vec<u8> {
    [b"\x5a\x2a\x4d\x18", &len.to_le_bytes()[..], &vec![7; len as usize]].concat()
}

/// Compressible bytes, but not trivially.
fn content(len: u32) -> Vec<u8> {
    (0..len).map(|at| at.wrapping_mul(at).to_le_bytes()[1] & 0x3f).collect()
}

const CUT: Option<&str> = Some("truncated");
const DAMAGED: Option<&str> = Some("damaged");

/// The bytes inside, and what ended them early.
fn unpack(bytes: &[u8]) -> (Vec<u8>, Option<&'static str>) {
    let mut out = Vec::new();
    let options = Options { raw_otherwise: true, link: Some(Link::Stream(Side::Client)), ..Options::default() };
    let mut capture = match Capture::open_with(Box::new(Cursor::new(bytes.to_vec())), options) {
        Ok(capture) => capture,
        Err(error) => return (out, if error.to_string().contains("the input ends in the middle") { CUT } else { DAMAGED }),
    };
    loop {
        match capture.next_frame() {
            Ok(Some(frame)) => out.extend(frame.bytes),
            Ok(None) => return (out, None),
            Err(error) => return (out, Some(error.code)),
        }
    }
}

#[test]
fn frames_of_all_kinds_follow_one_another() {
    let plain = content(150_000);
    let (first, rest) = plain.split_at(1000);
    let (second, third) = rest.split_at(60_000);
    let whole = |packed: &[u8]| unpack(packed) == (plain.clone(), None);
    for (name, pack) in [("gzip", gzip as Pack), ("zstd", zstd), ("lz4", lz4), ("lz4, independent blocks", lz4_independent)] {
        assert!(whole(&pack(&plain)), "{name}");
        assert!(whole(&[pack(first), pack(second), pack(b""), pack(third)].concat()), "{name}");
        let between = [skippable(9), pack(first), skippable(0), skippable(500_000), pack(rest), skippable(3)];
        assert!(whole(&between.concat()), "{name}");
        assert!(whole(&[pack(&plain), vec![0; 5000]].concat()), "{name}");
        assert!(unpack(&[&pack(&plain)[..], b"more"].concat()) == (plain.clone(), DAMAGED), "{name}");
    }
    assert!(whole(&[gzip(first), lz4(second), zstd(third)].concat()));
}

#[test]
fn frames_before_a_cut_are_read_and_the_cut_is_reported() {
    let plain = content(600);
    for pack in [gzip, zstd, lz4] {
        let packed = [pack(&plain[..200]), pack(&plain[200..])].concat();
        let boundary = pack(&plain[..200]).len();
        for cut in (4..packed.len()).filter(|cut| *cut != boundary) {
            let (out, error) = unpack(&packed[..cut]);
            let least = if cut > boundary { 200 } else { 0 };
            assert!(out.len() >= least && plain.starts_with(&out), "cut at {cut}");
            assert_eq!(error, CUT, "cut at {cut}");
        }
    }
    assert_eq!(unpack(&skippable(9)[..16]).1, CUT);
    assert_eq!(unpack(&skippable(9)[..6]).1, CUT);
}

#[test]
fn a_window_held_back_by_the_decoder_is_not_lost_with_the_rest() {
    // Two whole blocks, and a missing third: all are inside the window.
    let block = |byte: u8| [&[2, 0x20, 0][..], &[byte]].concat();
    let packed = [&b"\x28\xb5\x2f\xfd\x00\x58"[..], &block(1), &block(2), &[4, 0x20]].concat();
    let (out, error) = unpack(&packed);
    assert_eq!((out.len(), error), (2048, CUT));
}

#[test]
fn damage_is_not_a_cut() {
    let plain = content(5000);
    for pack in [gzip, zstd, lz4] {
        let good = pack(&plain);
        for at in [good.len() - 1, good.len() / 2] {
            let mut packed = good.clone();
            packed[at] ^= 0x55;
            assert_eq!(unpack(&packed).1, DAMAGED, "byte {at}");
        }
    }
}

#[test]
fn a_block_of_no_bytes_is_not_the_end() {
    let mut packed = lz4(b"");
    let header = 7;
    packed.splice(header..header, [0, 0, 0, 0x80, 5, 0x5d, 0xcc, 2]);
    packed.truncate(packed.len() - 8);
    assert_eq!(unpack(&packed), (Vec::new(), CUT));
}

#[test]
fn a_window_beyond_all_measure_is_refused() {
    assert_eq!(unpack(b"\x28\xb5\x2f\xfd\x00\xf8\x01\0\0"), (Vec::new(), DAMAGED));
}
