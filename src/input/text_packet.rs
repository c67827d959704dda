//! Properties of packets of hex text that a pcapng block cannot store, in a custom option as in [`origin`](super::origin).
//!
//! ```text
//! option   2989:2 | 9:2 | 32473:4 | "pdis" | flags:1        1: no time, 2: payload of a single conversation
//! ```

use super::options::OptionList;
use super::origin::{self, CUSTOM};
use crate::tree::Side;

const NO_TIME: u8 = 1;
const PAYLOAD: u8 = 2;

/// Option `epb_flags`, and the directions in its lowest bits.
const FLAGS: u16 = 2;
const DIRECTION: u32 = 3;
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Properties of a packet of hex text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextPacket {
    /// Whether the text has no time for it.
    pub has_no_time: bool,
    /// Whether it is payload of a single conversation, not a frame.
    pub is_payload: bool,
}

impl TextPacket {
    /// The value of the option.
    #[must_use]
    pub fn option(self) -> Vec<u8> {
        let mut value = origin::head();
        value.push((NO_TIME * u8::from(self.has_no_time)) | (PAYLOAD * u8::from(self.is_payload)));
        value
    }

    /// The properties and the sender, from the options of a packet block.
    pub(super) fn find(options: OptionList<'_>) -> (TextPacket, Option<Side>) {
        let (order, mut found, mut sender) = (options.order, TextPacket::default(), None);
        for (code, value) in options {
            match code {
                FLAGS => sender = order.u32(value, 0).and_then(direction),
                CUSTOM => {
                    if let Some(&[flags]) = order.u32(value, 0).and_then(|enterprise| origin::body(value, enterprise)) {
                        found = TextPacket { has_no_time: flags & NO_TIME != 0, is_payload: flags & PAYLOAD != 0 };
                    }
                }
                _ => {}
            }
        }
        (found, sender)
    }
}

/// The sender of a packet with these flags: outbound is what the client sent.
fn direction(flags: u32) -> Option<Side> {
    match flags & DIRECTION {
        OUTBOUND => Some(Side::Client),
        INBOUND => Some(Side::Server),
        _ => None,
    }
}
