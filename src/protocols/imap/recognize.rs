//! Recognition of IMAP by its first lines.

use super::{OF_FOLDERS, OTHERS, is_one_of, is_status, word};
use crate::protocols::lines;
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Returns the server if a line is one of IMAP.
fn server_of(side: Side, text: &[u8]) -> Option<Side> {
    let (first, second) = (word(text, 0), word(text, 1));
    let is_tag = (1..=32).contains(&first.len()) && first.iter().all(u8::is_ascii_alphanumeric);
    if first == b"*" && !second.is_empty() || is_tag && is_status(second) {
        Some(side)
    } else if is_tag && (is_one_of(second, OF_FOLDERS) || is_one_of(second, OTHERS)) {
        Some(side.other())
    } else {
        None
    }
}

/// Recognizes IMAP on its port: a greeting, a command, or a session joined midway.
pub(super) fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Server, Side::Client] {
        let first = lines::line(opening.of(side)).and_then(|line| opening.of(side).get(..line.text));
        if let Some(server) = first.and_then(|text| server_of(side, text)) {
            return Verdict::Yes(server);
        }
    }
    lines::joined(opening, lines::in_lines_midway(opening, server_of))
}

/// Recognizes IMAP on any port: a greeting of the server that names the protocol.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let greets = |side: &Side| {
        let bytes = opening.of(*side);
        let is_greeting = bytes.starts_with(b"* OK ") || bytes.starts_with(b"* PREAUTH ");
        let text = lines::line(bytes).filter(|_| is_greeting).and_then(|line| bytes.get(..line.text));
        text.is_some_and(|text| memchr::memmem::find(text, b"IMAP").is_some())
    };
    Side::BOTH.into_iter().find(greets).map_or(Verdict::No, Verdict::Yes)
}
