//! Small captures, packed and truncated.

use crate::common::frames::{drain_slowly, open, rest};
use flate2::Compression;
use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

/// Truncates a capture at every byte: the frames are a prefix of the whole, and only at `ends` is there no error.
pub fn every_cut_gives_a_prefix(bytes: &[u8], header: usize, ends: &[usize]) {
    let (whole, error) = drain_slowly(bytes);
    assert_eq!(error, None);
    for cut in 0..=bytes.len() {
        let Ok(mut capture) = open(&bytes[..cut]) else {
            assert!(cut < header, "not opened at {cut}");
            continue;
        };
        assert_eq!(capture.format(), open(bytes).unwrap().format());
        let (frames, error) = rest(&mut capture);
        assert_eq!(frames, whole[..frames.len()], "cut at {cut}");
        assert_eq!(error.map(|error| error.code), (!ends.contains(&cut)).then_some("truncated"), "cut at {cut}");
    }
}

pub fn pcap(packets: u8) -> Vec<u8> {
    let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    for count in 0..packets {
        bytes.extend([count, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, b'a', count, 3, 4]);
    }
    bytes
}

pub fn pcapng() -> Vec<u8> {
    let block = |kind: u8, body: &[u8]| {
        let len = [u8::try_from(body.len() + 12).unwrap(), 0, 0, 0];
        [&[kind, 0, 0, 0][..], &len, body, &len].concat()
    };
    let mut bytes = b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0".to_vec();
    bytes.extend(block(1, b"\x01\0\0\0\0\0\0\0\x02\0\x04\0eth0\0\0\0\0"));
    for count in 0..4 {
        let numbers = [0, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0];
        bytes.extend(block(6, &[&numbers[..], &[b'a', count, b'c', 0], b"\x01\0\x02\0hi\0\0\0\0\0\0"].concat()));
        bytes.extend(block(5, &[0; 8]));
    }
    bytes
}

pub fn snoop() -> Vec<u8> {
    let mut bytes = b"snoop\0\0\0\0\0\0\x02\0\0\0\x04".to_vec();
    for count in 0..5 {
        let numbers = [0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 1];
        bytes.extend([&numbers[..], &[b'a', count, 0, 0]].concat());
    }
    bytes
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

pub fn lz4(bytes: &[u8]) -> Vec<u8> {
    lz4_of(bytes, BlockMode::Linked)
}

pub fn lz4_of(bytes: &[u8], mode: BlockMode) -> Vec<u8> {
    let info = FrameInfo::new().block_mode(mode).block_size(BlockSize::Max64KB).content_checksum(true).block_checksums(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
