//! What tells TLS from other protocols.

use super::records::Header;
use super::{ALERT_TYPE, HANDSHAKE_RECORD};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    ClientHello,
    ServerHello,
    Unfinished,
    Other,
}

/// On any port: a side begins with a hello.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let said = [Side::Client, Side::Server].map(|side| (side, says(opening.of(side))));
    for (side, says) in said {
        match says {
            Says::ClientHello => return Verdict::Yes(side.other()),
            Says::ServerHello => return Verdict::Yes(side),
            Says::Unfinished | Says::Other => {}
        }
    }
    let is_open = said.iter().all(|(_, says)| *says == Says::Unfinished);
    if is_open && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// On a port of its own also in the middle: all that a side said is records.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    let is_chain = [Side::Client, Side::Server].into_iter().any(|side| is_chain(opening.of(side)));
    if verdict == Verdict::No && is_chain { Verdict::Yes(Side::Server) } else { verdict }
}

fn says(bytes: &[u8]) -> Says {
    let known = bytes.get(..bytes.len().min(11)).unwrap_or_default();
    match *known {
        [HANDSHAKE_RECORD, 3, 0..=4, high, low, kind @ 1..=2, 0, .., 3, 0..=4] if known.len() == 11 && [high, low] != [0, 0] => {
            if kind == 1 {
                Says::ClientHello
            } else {
                Says::ServerHello
            }
        }
        [ALERT_TYPE, 3, 0..=4, 0, 2, 1..=2, ..] if bytes.len() == 7 => Says::ServerHello,
        [] | [HANDSHAKE_RECORD | ALERT_TYPE] | [HANDSHAKE_RECORD | ALERT_TYPE, 3] => Says::Unfinished,
        [HANDSHAKE_RECORD, 3, 0..=4, ..] if known.len() < 11 => Says::Unfinished,
        [ALERT_TYPE, 3, 0..=4, ..] if known.len() < 7 => Says::Unfinished,
        _ => Says::Other,
    }
}

/// Whether bytes are whole records from the first to the last.
fn is_chain(mut bytes: &[u8]) -> bool {
    if bytes.is_empty() {
        return false;
    }
    while let Some(header) = Header::of(bytes) {
        match bytes.get(header.whole()..) {
            Some([]) => return true,
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    false
}
