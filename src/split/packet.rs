//! Blocks of a part.

use crate::input::{Frame, Interface, Lookup, origin};
use crate::tree::Time;
use crate::write::block::{self, option, pad, put};
use std::io;

/// Maximum size of the secrets kept for later parts, in bytes.
const SECRETS_MOST: usize = 16 << 20;

/// A number without a link type, for frames whose link type is unknown.
const UNKNOWN_LINK: u16 = u16::MAX;

/// Key logs so far. Each part contains all of them.
#[derive(Default)]
pub(super) struct Secrets(Vec<u8>);

impl Secrets {
    pub(super) fn learn(&mut self, secrets: &[u8]) {
        if self.0.len() + secrets.len() <= SECRETS_MOST {
            self.0.extend_from_slice(secrets);
        }
    }

    /// The secrets after the first `known` bytes, and the total size in bytes.
    pub(super) fn after(&self, known: usize) -> (&[u8], usize) {
        (self.0.get(known..).unwrap_or_default(), self.0.len())
    }
}

/// Appends a section header block.
pub(super) fn section(out: &mut Vec<u8>, start: Time) -> io::Result<()> {
    let from = block::begin(out, block::SECTION);
    put(out, block::ORDER);
    out.extend_from_slice(&[1, 0, 0, 0]);
    out.extend_from_slice(&u64::MAX.to_le_bytes());
    option(out, block::APPLICATION, block::PROGRAM.as_bytes());
    if let Some(value) = origin::section(start) {
        option(out, origin::CUSTOM, &value);
    }
    option(out, block::END, b"");
    block::end(out, from)
}

/// Appends an interface description block with nanosecond timestamps.
pub(super) fn interface(out: &mut Vec<u8>, interface: &Interface) -> io::Result<()> {
    let from = block::begin(out, block::INTERFACE);
    put(out, u32::from(interface.link.unwrap_or(UNKNOWN_LINK)));
    put(out, interface.snap_len);
    for comment in &interface.comments {
        option(out, block::COMMENT, comment.as_bytes());
    }
    let texts = [(block::NAME, &interface.name), (block::DESCRIPTION, &interface.description)];
    for (code, text) in texts.into_iter().filter_map(|(code, text)| Some((code, text.as_ref()?))) {
        option(out, code, text.as_bytes());
    }
    option(out, block::RESOLUTION, &[9]);
    option(out, block::END, b"");
    block::end(out, from)
}

/// Appends a decryption secrets block with a TLS key log.
pub(super) fn secrets(out: &mut Vec<u8>, secrets: &[u8]) -> io::Result<()> {
    const TLS_KEY_LOG: u32 = 0x544c_534b;
    let from = block::begin(out, block::SECRETS);
    put(out, TLS_KEY_LOG);
    put(out, block::length(secrets)?);
    out.extend_from_slice(secrets);
    pad(out);
    block::end(out, from)
}

/// Appends an enhanced packet block with the origin of the packet in the whole capture.
pub(super) fn packet(out: &mut Vec<u8>, frame: &Frame<'_>, streams: &[Lookup]) -> io::Result<()> {
    let from = out.len();
    let nanos = frame.time.map_or(0, block::since_1970);
    let is_held = frame.time.is_some_and(|time| {
        u64::try_from(time.seconds).is_ok_and(|seconds| time.nanos < 1_000_000_000 && nanos / 1_000_000_000 == seconds)
    });
    let [high, low] = [nanos >> 32, nanos & u64::from(u32::MAX)].map(|half| u32::try_from(half).unwrap_or(u32::MAX));
    let captured = block::length(frame.bytes)?;
    // The zero is a placeholder for the length of the block.
    block::put_all(out, [block::PACKET, 0, frame.interface.unwrap_or(0), high, low, captured, frame.original_len]);
    out.extend_from_slice(frame.bytes);
    pad(out);
    for comment in frame.comments.iter() {
        option(out, block::COMMENT, comment.as_bytes());
    }
    let beside = origin::Unstored {
        number: frame.number,
        time: (!is_held).then_some(frame.time),
        has_interface: frame.interface.is_some(),
    };
    origin::packet(out, beside, streams);
    pad(out);
    option(out, block::END, b"");
    block::end(out, from)
}
