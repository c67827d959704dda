//! The frames of an input: read as a whole, or one byte at a time.

use proto_dissect::input::{Capture, Link, OpenError, ReadError, Timestamp};
use proto_dissect::tree::Side;
use std::io::{Cursor, Read};
use std::net::SocketAddr;

/// An owned frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Owned {
    pub number: u64,
    pub time: Option<Timestamp>,
    pub link: Link,
    pub bytes: Vec<u8>,
    pub original_len: u32,
    pub interface: Option<u32>,
    pub direction: Option<Side>,
    pub endpoints: Option<(SocketAddr, SocketAddr)>,
    pub comments: Vec<String>,
}

/// Returns one byte per read.
struct Drip(Cursor<Vec<u8>>);

impl Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let one = out.len().min(1);
        self.0.read(&mut out[..one])
    }
}

pub fn open(bytes: &[u8]) -> Result<Capture, OpenError> {
    Capture::open(Box::new(Cursor::new(bytes.to_vec())))
}

/// All frames, and the error that ended them.
pub fn drain(bytes: &[u8]) -> (Vec<Owned>, Option<ReadError>) {
    rest(&mut open(bytes).unwrap())
}

/// All frames, unless the input cannot be opened.
pub fn try_drain(bytes: &[u8]) -> Result<(Vec<Owned>, Option<ReadError>), OpenError> {
    Ok(rest(&mut open(bytes)?))
}

/// The same from a pipe that delivers one byte at a time.
pub fn drain_slowly(bytes: &[u8]) -> (Vec<Owned>, Option<ReadError>) {
    rest(&mut Capture::open(Box::new(Drip(Cursor::new(bytes.to_vec())))).unwrap())
}

pub fn rest(capture: &mut Capture) -> (Vec<Owned>, Option<ReadError>) {
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
                endpoints: frame.endpoints,
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
