//! Words that name directions and bytes.

use super::Log;
use super::label::{label, shape, tokens};
use crate::tree::Side;

/// Labels of bytes received from the server.
pub(super) const RECEIVED: &str = "\
    recv received receive receiving recvfrom rx read in incoming response s2c inbound ingress download servertoclient stoc \
    s>c <- <-- <== <= << <<< ←";

/// Labels of bytes sent to the server.
pub(super) const SENT: &str = "\
    send sent sending sendto tx write written out outgoing request c2s outbound egress upload clienttoserver ctos c>s -> \
    --> ==> => >> >>> →";

/// Other labels of bytes.
pub(super) const NAMES: &str = "\
    data payload packet pkt hex hexdump raw dump msg message buffer buf body frame content fromhex unhexlify";

/// Whether a word is one of a list.
pub(super) fn is_one(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// The direction that a cell of a table states.
pub(in crate::input::hex) fn direction_of_cell(cell: &[u8]) -> Option<Side> {
    std::str::from_utf8(cell).ok().and_then(|word| direction_of(&word.to_ascii_lowercase()))
}

pub(super) fn direction_of(token: &str) -> Option<Side> {
    match token {
        _ if is_one(token, RECEIVED) => Some(Side::Server),
        _ if is_one(token, SENT) => Some(Side::Client),
        _ => BETWEEN.iter().find_map(|sign| {
            let (from, to) = token.split_once(sign)?;
            party(from).filter(|from| party(to) == Some(from.other()))
        }),
    }
}

/// Signs between two parties in one word: `c->s`, `client2server`.
pub(super) const BETWEEN: [&str; 8] = ["-->", "->", "=>", "→", ">", "_to_", "2", "to"];

/// The side that a word names.
pub(super) fn party(word: &str) -> Option<Side> {
    match word {
        "client" | "cli" | "c" => Some(Side::Client),
        "server" | "srv" | "s" => Some(Side::Server),
        _ => None,
    }
}

impl Log {
    pub(super) fn is_name(&self, before: &[u8]) -> bool {
        let word = String::from_utf8_lossy(label(before)).to_ascii_lowercase();
        is_one(&word, NAMES)
            || direction_of(&word).is_some()
            || self.is_known(before)
            || tokens(before).any(|token| token == "bytes")
    }

    pub(super) fn is_known(&self, before: &[u8]) -> bool {
        let known = |label: Vec<u8>| !label.is_empty() && self.labels.contains(&label);
        known(label(before).to_ascii_lowercase()) || known(shape(before))
    }
}
