//! What tells TLS from other protocols.

use super::records::{self, Header};
use super::ssl2::{self, Old};
use super::{ALERT_TYPE, HANDSHAKE_RECORD, HEADER};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    ClientHello,
    ServerHello,
    Unfinished,
    Other,
}

/// On any port: a side begins with a hello, or midway with a record.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    let verdict = begins(opening);
    if verdict != Verdict::No {
        return verdict;
    }
    let midway = [Side::Client, Side::Server].map(|side| if opening.starts(side) { Chain::No } else { chain(opening.of(side)) });
    match midway {
        chains if chains.contains(&Chain::Records) => Verdict::Yes(Side::Server),
        chains if chains.contains(&Chain::Unfinished) && !opening.complete => Verdict::Unsure,
        _ => Verdict::No,
    }
}

/// Whether a side begins with a hello.
fn begins(opening: &Opening<'_>) -> Verdict {
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

/// On a port of its own also inside a record: two records in a row follow. A stream may also begin with any record.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    let verdict = anywhere(opening);
    if verdict != Verdict::No {
        return verdict;
    }
    let said = |side: Side| opening.of(side);
    let is_midway = |side: &Side| !opening.starts(*side) && !said(*side).is_empty();
    let holds_records = |side: Side| records::next_record(said(side)) < said(side).len();
    if Side::BOTH.into_iter().any(|side| chain(said(side)) == Chain::Records)
        || Side::BOTH.into_iter().filter(is_midway).any(holds_records)
    {
        return Verdict::Yes(Side::Server);
    }
    if !opening.complete && Side::BOTH.iter().any(is_midway) { Verdict::Unsure } else { Verdict::No }
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
        [0x80..=0xff, ..] => match ssl2::judge(bytes) {
            Old::Hello(_) => Says::ClientHello,
            Old::Unfinished => Says::Unfinished,
            Old::No => Says::Other,
        },
        _ => Says::Other,
    }
}

/// Whether bytes are records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    /// From the first byte on: a whole one, and nothing else behind it.
    Records,
    /// The first is not there as a whole, or the header of the next.
    Unfinished,
    No,
}

fn chain(bytes: &[u8]) -> Chain {
    let mut ahead = bytes;
    let mut records = 0;
    loop {
        let Some(header) = Header::of(ahead).filter(|header| header.length > 0) else {
            let is_short = ahead.len() < HEADER && (ahead.is_empty() || matches!(ahead, [20..=24] | [20..=24, 3, ..]));
            return match records {
                0 if is_short && !ahead.is_empty() => Chain::Unfinished,
                0 => Chain::No,
                _ if ahead.is_empty() => Chain::Records,
                _ if is_short => Chain::Unfinished,
                _ => Chain::No,
            };
        };
        match ahead.get(header.whole()..) {
            Some(rest) => (ahead, records) = (rest, records + 1),
            None if records > 0 => return Chain::Records,
            None => return Chain::Unfinished,
        }
    }
}
