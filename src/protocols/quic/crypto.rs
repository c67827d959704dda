//! Handshake messages, reassembled from CRYPTO frames.

use super::reassembly::Reassembly;
use crate::limits;
use crate::protocols::tls::handshake;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::summary::Summary;
use crate::tree::Piece;
use crate::wire::{Result, Wire};

/// Handshake of one direction in one packet number space.
#[derive(Default)]
pub(super) struct Crypto {
    stream: Reassembly,
    /// Whether the version is one of Google's, which has other frame types.
    pub(super) is_google: bool,
}

impl Crypto {
    /// Adds bytes at an offset. Returns false if they exceed the limit.
    pub(super) fn add(&mut self, offset: u64, bytes: &[u8], pieces: Vec<Piece>) -> bool {
        let limit = limits::QUIC_HANDSHAKE.get();
        let is_near = offset.saturating_add(bytes.len() as u64) <= self.stream.next().saturating_add(limit as u64);
        let has_room = is_near && self.stream.memory_usage() + bytes.len() <= 4 * limit;
        if has_room {
            self.stream.add(offset, bytes, pieces);
        }
        has_room
    }

    /// Approximate heap memory use in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.stream.memory_usage()
    }

    /// Dissects the complete messages.
    pub(super) fn messages(&mut self, wire: &mut Wire<'_>, hello: &mut Hello, summary: &mut Summary) -> Result {
        let ahead = self.stream.ahead();
        let mut end = 0;
        while let Some(message_size) = ahead.get(end..).and_then(handshake::message_size)
            && end + message_size <= ahead.len()
        {
            end += message_size;
        }
        if end == 0 {
            return Ok(());
        }
        let (bytes, pieces) = self.stream.take(end);
        self.stream.compact();
        wire.joined_deciphered("handshake", &pieces, &bytes, |inner| {
            while inner.remaining() > 0 {
                handshake::message(inner, hello, summary)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshake_bytes_above_the_limit_are_dropped() {
        let most = limits::QUIC_HANDSHAKE.get() as u64;
        let mut crypto = Crypto::default();
        assert!(crypto.add(most - 1, b"a", Vec::new()));
        assert!(!crypto.add(most, b"b", Vec::new()) && !crypto.add(u64::MAX, b"b", Vec::new()));
        let held = crypto.memory_usage();
        let is_kept = (0..most / 2).filter(|number| crypto.add(1 + 2 * number, b"c", Vec::new()));
        assert!(is_kept.count() < 4096);
        assert!(crypto.memory_usage() > held && crypto.memory_usage() <= 4 * limits::QUIC_HANDSHAKE.get() + 256);
    }
}
