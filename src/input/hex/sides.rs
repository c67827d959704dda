//! A conversation as in tshark's `-z follow,tcp,raw`: a line of hex digits per packet, the server's lines after a tab.
//!
//! ```text
//! Follow: tcp,raw
//! Node 1: 192.168.28.10:27000
//!         2300000001
//! 0000000000
//! ```

use super::scan::{push_pairs, words};
use super::{Dialect, Fed, Feed, Packet, fault};
use crate::tree::Side;

/// Packets of either side.
#[derive(Default)]
pub(super) struct Sides {
    side: Option<Side>,
}

/// Whether a line of tshark announces such a conversation, and whether it consists of datagrams.
pub(super) fn announced(text: &[u8]) -> Option<bool> {
    let kind = text.strip_prefix(b"Follow: ")?.strip_suffix(b",raw")?;
    Some(kind == b"udp")
}

impl Dialect for Sides {
    fn side(&self) -> Option<Side> {
        self.side.or(Some(Side::Client))
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let packet = &mut packet.bytes;
        let text = line.trim_ascii();
        if text.is_empty() || text.iter().all(|byte| *byte == b'=') {
            return Ok(Fed::Taken);
        }
        if !packet.is_empty() {
            return Ok(Fed::Complete(0));
        }
        self.side = Some(if line.first() == Some(&b'\t') { Side::Server } else { Side::Client });
        let mut all = words(line, 0);
        match (all.next(), all.next()) {
            (Some(word), None) => push_pairs(word.text, word.at, packet)?,
            (_, Some(word)) => return fault(word.at, "expected the hex digits of one packet"),
            (None, _) => {}
        }
        Ok(Fed::Taken)
    }
}
