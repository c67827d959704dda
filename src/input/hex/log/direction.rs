//! Time, direction and endpoints that the text before bytes states.

use super::label::tokens;
use super::names::{direction_of, party};
use crate::input::hex::ends;
use crate::input::hex::marks::Marks;
use crate::tree::Side;

/// Time and direction of a label. An arrow between other words connects two addresses.
pub(in crate::input::hex) fn marks(before: &[u8]) -> Marks {
    marks_of(before, parties)
}

/// The marks of a line above bytes. A party alone, such as `server`, is no direction there.
pub(in crate::input::hex) fn heading(line: &[u8]) -> Marks {
    marks_of(line, arrows)
}

pub(super) fn marks_of(before: &[u8], named: fn(&[String]) -> Option<Side>) -> Marks {
    let plain: Vec<u8> = before.iter().map(|byte| if b"[](),".contains(byte) { b' ' } else { *byte }).collect();
    let mut marks = Marks::of(&plain);
    let all: Vec<String> = tokens(before).collect();
    let last = all.len().saturating_sub(1);
    let counts = |at: usize, token: &str| token.bytes().any(|byte| byte.is_ascii_alphanumeric()) || at == 0 || at == last;
    let direction = all.iter().enumerate().filter(|(at, token)| counts(*at, token)).find_map(|(_, token)| direction_of(token));
    marks.direction = marks.direction.or(direction).or_else(|| named(&all));
    marks.ends = ends::ends(before);
    marks
}

/// The direction between two parties, `Client -> Server`, or of an opcode, `CMSG_PING`.
pub(super) fn arrows(all: &[String]) -> Option<Side> {
    let arrow = |word: &str| matches!(word, "->" | "-->" | "=>" | "==>" | ">" | ">>" | "→" | "to");
    let between = all.windows(3).find_map(|three| match three {
        [from, sign, to] if arrow(sign) && party(to).is_some() => party(from),
        _ => None,
    });
    between.or_else(|| {
        all.iter().find_map(|word| match word.get(..4) {
            Some("cmsg") => Some(Side::Client),
            Some("smsg") => Some(Side::Server),
            _ => None,
        })
    })
}

/// The direction of a label that names one party or two: `Client -> Server`, `from server`, `[CLIENT]`.
pub(super) fn parties(all: &[String]) -> Option<Side> {
    let near = || {
        all.windows(2).find_map(|pair| match pair {
            [word, name] if word == "from" => party(name),
            [word, name] if word == "to" => party(name).map(Side::other),
            _ => None,
        })
    };
    let name = |word: &String| party(word).filter(|_| word.len() > 2);
    let first = || all.iter().find(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    arrows(all).or_else(near).or_else(|| all.last().and_then(name)).or_else(|| first().and_then(name))
}
