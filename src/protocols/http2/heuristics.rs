//! Recognition by the connection preface.

use super::flags::FrameHeader;
use super::names::SETTINGS_FRAME;
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Connection preface of the client (RFC 9113 section 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Recognizes the preface of either side.
pub(super) fn recognize(opening: &Opening<'_>) -> Verdict {
    let mut is_open = false;
    for side in Side::BOTH {
        let bytes = opening.of(side);
        if bytes.starts_with(PREFACE) {
            return Verdict::Yes(side.other());
        }
        is_open |= !bytes.is_empty() && PREFACE.starts_with(bytes);
        // In TLS 1.3 the settings of the server may arrive before the preface.
        is_open |= opening.of(side.other()).is_empty() && is_settings(bytes);
    }
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Whether the bytes begin with a SETTINGS frame.
fn is_settings(bytes: &[u8]) -> bool {
    FrameHeader::of(bytes).is_some_and(|header| header.kind == SETTINGS_FRAME && header.is_plausible())
}
