//! Recognition of SOCKS by the first messages of both sides.

use super::{
    BIND, CHAP, CONNECT, Kind, NO_METHOD, PRIVATE, SUBNEGOTIATION_V1, TEXT_MAX, V4, V4_REPLY, V4_REPLY_SIZE, V4_RESULTS, V5, size,
};
use crate::tree::Side;
use crate::wire::{Opening, Verdict};

/// Whether these bytes begin with a request of version 4: none, if it is another protocol; otherwise whether it is whole.
fn request_v4(bytes: &[u8]) -> Option<bool> {
    let starts = matches!(bytes, [V4] | [V4, CONNECT | BIND, ..]);
    // A client that waits for any connection may leave its port open.
    let has_port = bytes.get(1) == Some(&BIND) || bytes.get(2..4) != Some(&[0, 0]);
    let texts = bytes.get(V4_REPLY_SIZE..).unwrap_or_default();
    let is_text = |byte: &u8| *byte == 0 || (0x20..0x7f).contains(byte);
    if !starts || !has_port || !texts.iter().take(TEXT_MAX).all(is_text) {
        return None;
    }
    match size(Kind::RequestV4, bytes) {
        Ok(size) => Some(true).filter(|_| size <= V4_REPLY_SIZE + 2 * TEXT_MAX),
        Err(_) => Some(false).filter(|_| bytes.len() < V4_REPLY_SIZE + 2 * TEXT_MAX),
    }
}

/// The same for the list of methods, behind which a login or a request may follow at once.
fn methods_v5(bytes: &[u8]) -> Option<bool> {
    let (&V5, behind) = bytes.split_first()? else { return None };
    let Some((&count, behind)) = behind.split_first() else { return Some(false) };
    let methods = behind.get(..behind.len().min(count.into()))?;
    let is_known = |method: &u8| *method <= CHAP || matches!(*method, 5..=9) || (PRIVATE..NO_METHOD).contains(method);
    let is_unique = |(at, method): (usize, &u8)| !methods.iter().take(at).any(|earlier| earlier == method);
    if !(1..=32).contains(&count) || !methods.iter().all(is_known) || !methods.iter().enumerate().all(is_unique) {
        return None;
    }
    let early = behind.get(methods.len()..).unwrap_or_default();
    matches!(early, [] | [SUBNEGOTIATION_V1, ..] | [V5] | [V5, 1..=3, ..]).then_some(methods.len() == usize::from(count))
}

/// Whether the first bytes of a server reply to these bytes of a client; `None` if it has not sent enough.
fn answers(client: &[u8], server: &[u8]) -> Option<bool> {
    match (client.first(), server) {
        (_, []) => None,
        (Some(&V4), [V4_REPLY]) | (Some(&V5), [V5]) => None,
        (Some(&V4), [V4_REPLY, result, ..]) if V4_RESULTS.contains(result) => {
            if server.len() < V4_REPLY_SIZE {
                None
            } else {
                Some(true)
            }
        }
        (Some(&V5), [V5, method, behind @ ..]) => {
            let offered = client.get(2..).unwrap_or_default();
            let count = client.get(1).copied().map_or(0, usize::from);
            let is_offered = *method == NO_METHOD || offered.iter().take(count).any(|one| one == method);
            Some(is_offered && matches!(behind, [] | [V5 | SUBNEGOTIATION_V1, ..]))
        }
        _ => Some(false),
    }
}

/// Recognizes a complete request of version 4 with an unknown command, or a complete list with unknown methods, also in front of
/// a complete request of version 5.
pub(super) fn is_likely(opening: &Opening<'_>) -> Verdict {
    let is_text = |byte: &u8| *byte == 0 || (0x20..0x7f).contains(byte);
    let is_request = |bytes: &[u8]| match bytes {
        [V4, _, _, _, _, _, _, _, texts @ ..] => texts.iter().all(is_text) && size(Kind::RequestV4, bytes) == Ok(bytes.len()),
        [V5, count, behind @ ..] if *count > 0 => match behind.get(usize::from(*count)..) {
            Some([]) => true,
            Some(request @ [V5, ..]) => size(Kind::RequestV5, request) == Ok(request.len()),
            _ => false,
        },
        _ => false,
    };
    let client = Side::BOTH.into_iter().find(|side| opening.starts(*side) && is_request(opening.of(*side)));
    client.map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

fn detect(opening: &Opening<'_>, needs_reply: bool) -> Verdict {
    let mut verdict = Verdict::No;
    for client in Side::BOTH.into_iter().filter(|side| opening.starts(*side)) {
        let bytes = opening.of(client);
        let Some(is_whole) = request_v4(bytes).or_else(|| methods_v5(bytes)) else { continue };
        let reply = if is_whole { answers(bytes, opening.of(client.other())) } else { None };
        match reply {
            Some(true) => return Verdict::Yes(client.other()),
            Some(false) => {}
            None if is_whole && !needs_reply => return Verdict::Yes(client.other()),
            None if !opening.complete => verdict = Verdict::Unsure,
            None => {}
        }
    }
    verdict
}

/// Recognizes a request or a list of methods.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    detect(opening, false)
}

/// Recognizes a request or a list of methods with its reply.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    detect(opening, true)
}
