//! Frames of Initial packets, and reassembly of the handshake from CRYPTO frames.

use super::varint::number;
use super::{
    CE, CRYPTO, CRYPTO_LENGTH, DELAY, ECT0, ECT1, ERROR_CODE, ERROR_FRAME, FIRST_RANGE, FRAME, FRAME_TYPE, GAP, LARGEST, OFFSET,
    PADDING, RANGE, RANGES, REASON, REASON_LENGTH, REMAINING,
};
use crate::limits;
use crate::protocols::tls::handshake;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::summary::Summary;
use crate::tree::{Names, NodeRef, Value};
use crate::wire::{Error, Result, Wire};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

pub(super) const TYPES: Names = &[
    (0, "padding"),
    (1, "ping"),
    (2, "ack"),
    (3, "ack with ECN counts"),
    (6, "crypto"),
    (8, "crypto (Google)"),
    (0x1c, "connection_close"),
    (0x1d, "application_close"),
];

const CRYPTO_OF_GOOGLE: u8 = 8;

/// Largest number of ranges dissected in an ACK frame.
const RANGES_MAX: u64 = 1000;

/// Memory overhead of a CRYPTO fragment in bytes.
const FRAGMENT_OVERHEAD: usize = 48;

/// Handshake of one direction, reassembled from CRYPTO frames.
#[derive(Default)]
pub(super) struct Crypto {
    /// Fragments by offset.
    fragments: BTreeMap<u64, Vec<u8>>,
    /// Contiguous bytes that are not dissected yet.
    ready: Vec<u8>,
    /// Number of bytes of dissected messages.
    dissected: u64,
    /// Whether the version is one of Google's, which has other frame types.
    pub(super) is_google: bool,
    /// Heap memory use of the fragments in bytes.
    held: usize,
}

/// Dissects all frames of a packet.
pub(super) fn all(wire: &mut Wire<'_>, crypto: &mut Crypto, hello: &mut Hello, summary: &mut Summary) -> Result {
    while let Some(kind) = wire.peek_u8() {
        wire.group(&FRAME, |wire| frame(wire, kind, crypto))?;
        // Reassembled messages are not children of the frame that completes them.
        crypto.messages(wire, hello, summary)?;
    }
    Ok(())
}

fn frame(wire: &mut Wire<'_>, kind: u8, crypto: &mut Crypto) -> Result {
    if kind == 0 {
        let count = wire.ahead().iter().take_while(|byte| **byte == 0).count();
        wire.put(&FRAME_TYPE, Value::Unsigned(0), wire.at()..wire.at() + 1);
        return wire.bytes(&PADDING, count).map(drop);
    }
    number(wire, &FRAME_TYPE)?;
    match kind {
        CRYPTO_OF_GOOGLE if crypto.is_google => crypto_frame(wire, crypto),
        _ if crypto.is_google => {
            wire.rest(&REMAINING);
            Ok(())
        }
        1 => Ok(()),
        2 | 3 => {
            number(wire, &LARGEST)?;
            number(wire, &DELAY)?;
            let ranges = number(wire, &RANGES)?;
            number(wire, &FIRST_RANGE)?;
            for _ in 0..ranges.min(RANGES_MAX) {
                number(wire, &GAP)?;
                number(wire, &RANGE)?;
            }
            if kind == 3 {
                number(wire, &ECT0)?;
                number(wire, &ECT1)?;
                number(wire, &CE)?;
            }
            Ok(())
        }
        6 => crypto_frame(wire, crypto),
        0x1c | 0x1d => {
            number(wire, &ERROR_CODE)?;
            if kind == 0x1c {
                number(wire, &ERROR_FRAME)?;
            }
            let length = number(wire, &REASON_LENGTH)?;
            if length > 0 {
                wire.text(&REASON, usize::try_from(length).unwrap_or(usize::MAX))?;
            }
            Ok(())
        }
        _ => {
            wire.rest(&REMAINING);
            Ok(())
        }
    }
}

fn crypto_frame(wire: &mut Wire<'_>, crypto: &mut Crypto) -> Result {
    let offset = number(wire, &OFFSET)?;
    let length = usize::try_from(number(wire, &CRYPTO_LENGTH)?).unwrap_or(usize::MAX);
    let bytes = wire.ahead().get(..length).ok_or(Error::Short { needed: length })?;
    crypto.add(offset, bytes);
    if length > 0 {
        wire.bytes(&CRYPTO, length)?;
    }
    Ok(())
}

impl Crypto {
    fn add(&mut self, offset: u64, bytes: &[u8]) {
        let is_near = offset.saturating_add(bytes.len() as u64) <= limits::QUIC_HANDSHAKE.get() as u64;
        if is_near
            && !bytes.is_empty()
            && self.held + bytes.len() <= limits::QUIC_HANDSHAKE.get()
            && !self.fragments.contains_key(&offset)
        {
            self.held += bytes.len();
            self.fragments.insert(offset, bytes.to_vec());
        }
        while let Some(next) = self.fragments.first_entry().filter(|next| *next.key() <= self.dissected + self.ready.len() as u64)
        {
            let (offset, fragment) = next.remove_entry();
            let known = usize::try_from(self.dissected + self.ready.len() as u64 - offset).unwrap_or(usize::MAX);
            let new = fragment.get(known..).unwrap_or_default();
            self.held = (self.held + new.len()).saturating_sub(fragment.len());
            self.ready.extend_from_slice(new);
        }
    }

    /// Approximate heap memory use in bytes.
    pub(super) fn held(&self) -> usize {
        self.ready.capacity() + self.fragments.len() * FRAGMENT_OVERHEAD + self.held
    }

    /// Dissects the complete messages.
    fn messages(&mut self, wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
        let mut end = 0;
        while let Some(message_size) = self.ready.get(end..).and_then(handshake::message_size)
            && end + message_size <= self.ready.len()
        {
            end += message_size;
        }
        if end == 0 {
            return Ok(());
        }
        let behind = self.ready.split_off(end);
        let bytes = std::mem::replace(&mut self.ready, behind);
        self.dissected += end as u64;
        self.held = self.held.saturating_sub(end);
        wire.joined("handshake", &[], &bytes, |inner| {
            while inner.remaining() > 0 {
                handshake::message(inner, hello, summary)?;
            }
            Ok(())
        })
    }
}

pub(super) fn frame_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str(node.child(&FRAME_TYPE).and_then(NodeRef::name).unwrap_or("unknown"))
}

pub(super) fn frame_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&CRYPTO_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
