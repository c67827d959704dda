//! Test helpers of this module: read whole inputs, also byte by byte and truncated.

use std::io::{self, Cursor, Read};

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
        let (frames, error) = rest(&mut capture);
        assert_eq!(frames, whole[..frames.len()], "cut at {cut}");
        assert_eq!(error.map(|error| error.code), (!ends.contains(&cut)).then_some("truncated"), "cut at {cut}");
    }
}
