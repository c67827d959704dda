//! Test helpers of this module: small captures, and inputs read as a whole, byte by byte and truncated.

use std::io::{self, Cursor, Read, Write};

use flate2::{Compression, write::GzEncoder};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Capture, Link, OpenError, ReadError, Timestamp};
use crate::tree::Side;

/// An owned frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Owned {
    pub(super) number: u64,
    pub(super) time: Option<Timestamp>,
    pub(super) link: Link,
    pub(super) bytes: Vec<u8>,
    pub(super) original_len: u32,
    pub(super) interface: Option<u32>,
    pub(super) direction: Option<Side>,
    pub(super) comments: Vec<String>,
}

/// Returns one byte per read.
struct Drip(Cursor<Vec<u8>>);

impl Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let one = out.len().min(1);
        self.0.read(&mut out[..one])
    }
}

pub(super) fn open(bytes: &[u8]) -> Result<Capture, OpenError> {
    Capture::open(Box::new(Cursor::new(bytes.to_vec())))
}

/// All frames, and the error that ended them.
pub(super) fn drain(bytes: &[u8]) -> (Vec<Owned>, Option<ReadError>) {
    rest(&mut open(bytes).unwrap())
}

/// All frames, unless the input cannot be opened.
pub(super) fn try_drain(bytes: &[u8]) -> Result<(Vec<Owned>, Option<ReadError>), OpenError> {
    Ok(rest(&mut open(bytes)?))
}

/// The same from a pipe that delivers one byte at a time.
pub(super) fn drain_slowly(bytes: &[u8]) -> (Vec<Owned>, Option<ReadError>) {
    rest(&mut Capture::open(Box::new(Drip(Cursor::new(bytes.to_vec())))).unwrap())
}

fn rest(capture: &mut Capture) -> (Vec<Owned>, Option<ReadError>) {
    let mut frames = Vec::new();
    loop {
        match capture.next_frame() {
            Ok(Some(frame)) => frames.push(Owned {
                number: frame.number,
                time: frame.time,
                link: frame.link,
                bytes: frame.bytes.to_vec(),
                original_len: frame.original_len,
                interface: frame.interface,
                direction: frame.direction,
                comments: frame.comments.iter().map(Into::into).collect(),
            }),
            Ok(None) => return (frames, None),
            Err(error) => {
                assert!(capture.next_frame().unwrap().is_none(), "frames after an error");
                return (frames, Some(error));
            }
        }
    }
}

/// Truncates a capture at every byte: the frames are a prefix of the whole, and only at `ends` is there no error.
pub(super) fn every_cut_gives_a_prefix(bytes: &[u8], header: usize, ends: &[usize]) {
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

pub(super) fn pcap(packets: u8) -> Vec<u8> {
    let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    for count in 0..packets {
        bytes.extend([count, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, b'a', count, 3, 4]);
    }
    bytes
}

pub(super) fn pcapng() -> Vec<u8> {
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

pub(super) fn snoop() -> Vec<u8> {
    let mut bytes = b"snoop\0\0\0\0\0\0\x02\0\0\0\x04".to_vec();
    for count in 0..5 {
        let numbers = [0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 1];
        bytes.extend([&numbers[..], &[b'a', count, 0, 0]].concat());
    }
    bytes
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

pub(super) fn lz4(bytes: &[u8]) -> Vec<u8> {
    lz4_of(bytes, BlockMode::Linked)
}

pub(super) fn lz4_of(bytes: &[u8], mode: BlockMode) -> Vec<u8> {
    let info = FrameInfo::new().block_mode(mode).block_size(BlockSize::Max64KB).content_checksum(true).block_checksums(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
