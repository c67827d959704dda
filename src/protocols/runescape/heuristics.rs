//! Heuristics for RuneScape streams, on its ports and on any other.

use super::jaggrab;
use super::log;
use super::login;
use super::services;
use crate::tree::Side;
use crate::wire::{Extent, Opening, Verdict};

/// Bytes of a login between size and block: revision, flag, nine CRCs, block length.
const BEFORE_BLOCK: usize = 39;
const BEFORE_BLOCK_255: usize = 41;

/// Revision whose server sends first.
const GREETS: u8 = 225;

/// Heuristic for the registered ports.
pub fn on_port(opening: &Opening<'_>) -> Verdict {
    evaluate(opening, true)
}

/// Heuristic for other ports.
pub fn anywhere(opening: &Opening<'_>) -> Verdict {
    evaluate(opening, false)
}

/// Tries both sides as the client.
fn evaluate(opening: &Opening<'_>, is_registered_port: bool) -> Verdict {
    let mut verdict = Verdict::No;
    for client in Side::BOTH {
        let server = client.other();
        if !opening.starts(client) {
            continue;
        }
        match session(opening.of(client), opening.of(server), opening.complete, is_registered_port && client == Side::Client) {
            Verdict::Yes(_) => return Verdict::Yes(server),
            Verdict::Unsure if !opening.complete => verdict = Verdict::Unsure,
            Verdict::Unsure | Verdict::No => {}
        }
    }
    verdict
}

const YES: Verdict = Verdict::Yes(Side::Server);

fn session(client: &[u8], server: &[u8], complete: bool, is_registered_port: bool) -> Verdict {
    match client {
        [] if log::begins(server) => YES,
        [] if !complete && log::may_begin(server) => Verdict::Unsure,
        [] => match server.len() {
            8 => Verdict::Unsure,
            0..8 if !complete => Verdict::Unsure,
            _ => Verdict::No,
        },
        [14] => Verdict::Unsure,
        [14, login @ ..] if is_newest(login, server) => YES,
        [14, hash @ 0..32, rest @ ..] => game(*hash, rest, server, is_registered_port),
        [15, ..] => update(client, server),
        [17, rest @ ..] if !rest.is_empty() => start_up(rest),
        [17] => Verdict::Unsure,
        [b'J', ..] => start_up(client),
        [16 | 18, ..] => early(client, server),
        _ => Verdict::No,
    }
}

/// Whether a login follows without a name hash, and the server answered with a seed alone.
fn is_newest(login: &[u8], server: &[u8]) -> bool {
    let is_answered = server.len() >= services::WITHOUT_SEED && server.first() == Some(&0) && !server.starts_with(&[0; 8]);
    is_answered && login::is_old(login) == Some(false) && login_looks(login) == YES
}

/// JAGGRAB request.
fn start_up(bytes: &[u8]) -> Verdict {
    if !jaggrab::begins(bytes) {
        Verdict::No
    } else if bytes.len() >= jaggrab::GREETING.len() {
        YES
    } else {
        Verdict::Unsure
    }
}

/// Service 14 and a name hash: the server's response must match, or else the login.
fn game(hash: u8, rest: &[u8], server: &[u8], is_registered_port: bool) -> Verdict {
    // Clients of the newest engine send no hash: 16 or 18 starts their login.
    if !rest.is_empty() && login_looks(rest) == Verdict::No && !matches!(hash, 16 | 18) {
        return Verdict::No;
    }
    match server.len() {
        0 => login_looks(rest),
        1..9 if server.iter().all(|byte| *byte == 0) => Verdict::Unsure,
        9.. if server.starts_with(&[0; 8]) => {
            let is_whole = match services::answer_extent(server) {
                Extent::Message(length) => server.len() >= length,
                _ => false,
            };
            match (server.get(8), is_whole) {
                (Some(0), true) => YES,
                (Some(0), false) => Verdict::Unsure,
                (Some(1..=30), _) if is_registered_port || server.len() == 9 => YES,
                _ => Verdict::No,
            }
        }
        // Newer engines send the seed without ignored bytes; the ignored bytes of older ones are arbitrary.
        9.. => match login_looks(rest) {
            YES => YES,
            Verdict::No if rest.is_empty() && server.first() == Some(&0) => Verdict::Unsure,
            other => other,
        },
        _ => {
            if is_registered_port {
                Verdict::Unsure
            } else {
                Verdict::No
            }
        }
    }
}

/// Whether the bytes are a login with consistent lengths.
fn login_looks(bytes: &[u8]) -> Verdict {
    match bytes {
        [] | [16 | 18] | [16 | 18, _] => Verdict::Unsure,
        [16 | 18, size, 255, rest @ ..] if login::is_old(bytes) == Some(true) => {
            block_fits(rest.get(2..), usize::from(*size), BEFORE_BLOCK_255, rest.get(2).is_none_or(|flag| *flag < 2))
        }
        [16 | 18, size, _, rest @ ..] if login::is_old(bytes) == Some(true) => {
            block_fits(Some(rest), usize::from(*size), BEFORE_BLOCK, true)
        }
        [16 | 18, _, _, revision @ ..] => match revision.first_chunk::<4>() {
            None => Verdict::Unsure,
            Some(revision) if (150..=1000).contains(&u32::from_be_bytes(*revision)) => YES,
            Some(_) => Verdict::No,
        },
        _ => Verdict::No,
    }
}

/// Whether the block length after a flag and nine CRCs matches the size.
fn block_fits(behind: Option<&[u8]>, size: usize, before: usize, is_right: bool) -> Verdict {
    if !is_right {
        return Verdict::No;
    }
    match behind.and_then(|behind| behind.get(1 + 36)) {
        None => Verdict::Unsure,
        Some(length) if usize::from(*length) + before == size => YES,
        Some(_) => Verdict::No,
    }
}

/// Immediate login of revision 225, whose server has sent eight bytes before.
fn early(client: &[u8], server: &[u8]) -> Verdict {
    let verdict = login_looks(client);
    match client.get(2) {
        None => verdict,
        Some(&GREETS) if server.len() >= 8 || server.is_empty() => verdict,
        Some(_) => Verdict::No,
    }
}

/// Update service: the old one responds with eight zeros, the new one with one.
fn update(client: &[u8], server: &[u8]) -> Verdict {
    if let Some(length) = services::js5_hello(client) {
        let behind = client.get(length..);
        return match server {
            [] => Verdict::Unsure,
            [0 | 6 | 7 | 9, ..] if behind.is_some() && !server.starts_with(&[0; 8]) => YES,
            [0, 0, 0, 0, 0, 0, 0, 0, ..] => YES,
            _ => Verdict::No,
        };
    }
    let requests = client.get(1..).unwrap_or_default();
    let are_requests = requests.chunks_exact(4).all(|request| matches!(request, [0..=3, _, _, 0..=2] | [0, 0, 0, 10]));
    match server {
        _ if !are_requests => Verdict::No,
        [0, 0, 0, 0, 0, 0, 0, 0] if requests.is_empty() || requests.len() >= 4 => YES,
        [0, 0, 0, 0, 0, 0, 0, 0, ..] if requests.len() >= 4 => YES,
        _ if server.len() < 8 && server.iter().all(|byte| *byte == 0) => Verdict::Unsure,
        _ => Verdict::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After 255 and the revision, a flag of 0 or 1 and nine CRCs precede the block.
    #[test]
    fn a_login_has_a_flag_and_a_block_of_the_right_size() {
        let login = |flag: u8, block: u8| [&[16, 64 + 41, 255, 0, 225, flag][..], &[0xc5; 36], &[block], &[0; 64]].concat();
        assert_eq!([0, 1].map(|flag| login_looks(&login(flag, 64))), [YES; 2]);
        assert_eq!([2, 3, 255].map(|flag| login_looks(&login(flag, 64))), [Verdict::No; 3]);
        assert_eq!([63, 65].map(|block| login_looks(&login(0, block))), [Verdict::No; 2]);
        assert_eq!([5, 6, 42].map(|len| login_looks(&login(0, 64)[..len])), [Verdict::Unsure; 3]);
    }

    #[test]
    fn an_answer_with_an_error_counts_if_the_client_used_the_registered_port() {
        let (hello, answer) = (&[14, 3][..], &[0, 0, 0, 0, 0, 0, 0, 0, 5, 1][..]);
        let opening = |sent| Opening { sent, from_start: [true; 2], complete: true };
        assert_eq!(on_port(&opening([hello, answer])), YES);
        assert_eq!(anywhere(&opening([hello, answer])), Verdict::No);
        assert_eq!(on_port(&opening([answer, hello])), Verdict::No);
        // Nothing but the answer.
        assert_eq!(anywhere(&opening([hello, &answer[..9]])), YES);
    }
}
