//! Commands of a client: their names, arguments and secrets.

use super::{INLINE, first_line, signed, value};
use crate::protocols::lines;
use crate::wire::{Error, Result, Wire};
use std::ops::Range;

/// Which arguments of a command are secrets.
fn secrets(words: &[(&[u8], Range<usize>)]) -> impl Iterator<Item = usize> {
    let is = |place: usize, name: &str| words.get(place).is_some_and(|(word, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    let has_option = move |place: usize, name: &str| place > 1 && is(place, name);
    (1..words.len()).filter(move |&place| {
        let (name, last) = (words.get(place - 1).map_or(&[][..], |(word, _)| *word), words.len() - 1);
        if is(0, "AUTH") {
            place == last
        } else if is(0, "HELLO") {
            place > 2 && has_option(place - 2, "AUTH")
        } else if is(0, "MIGRATE") {
            has_option(place - 1, "AUTH") || place > 1 && has_option(place - 2, "AUTH2")
        } else if is(0, "CONFIG") && is(1, "SET") {
            place % 2 == 1
                && place > 2
                && (name.eq_ignore_ascii_case(b"masterauth") || crate::wire::credentials::is_secret_name(name))
        } else if is(0, "ACL") && is(1, "SETUSER") {
            words.get(place).is_some_and(|(word, _)| matches!(word.first(), Some(b'>' | b'<' | b'#' | b'!')))
        } else {
            false
        }
    })
}

/// Longest argument and most arguments that a summary shows.
const SHOWN: usize = 64;

/// Names a command, summarizes its arguments and hides the secrets among them.
fn summarize(wire: &mut Wire<'_>, words: &[(&[u8], Range<usize>)]) {
    let Some(((name, _), arguments)) = words.split_first() else { return };
    wire.name(&String::from_utf8_lossy(name).to_ascii_uppercase());
    let hidden: Vec<usize> = secrets(words).collect();
    let shown = arguments.iter().zip(1..).take(SHOWN).filter(|(_, place)| !hidden.contains(place));
    let shown: Vec<String> = shown.map(|((word, _), _)| shortened(word)).collect();
    wire.info(format_args!("{}", shown.join(" ")));
    for place in hidden {
        if let Some((_, range)) = words.get(place) {
            wire.hide(range.clone());
        }
    }
}

/// The start of an argument or value.
pub(super) fn shortened(word: &[u8]) -> String {
    match word.get(..SHOWN) {
        Some(start) if word.len() > SHOWN => format!("{}…", String::from_utf8_lossy(start)),
        _ => String::from_utf8_lossy(word).into_owned(),
    }
}

pub(super) fn inline_command(wire: &mut Wire<'_>) -> Result {
    let line = lines::line(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
    let (text, start) = (wire.ahead().get(..line.text).unwrap_or_default(), wire.at());
    let mut at = start;
    let words = text.split(|byte| *byte == b' ').map(|word| {
        let range = at..at + word.len();
        at = range.end + 1;
        (word, range)
    });
    if !text.first().is_some_and(u8::is_ascii_alphabetic) {
        wire.note_unusual(format_args!("no command"));
    }
    let words: Vec<_> = words.filter(|(word, _)| !word.is_empty()).take(SHOWN).collect();
    wire.words(&INLINE, line.whole, 0..line.text)?;
    summarize(wire, &words);
    Ok(())
}

pub(super) fn command(wire: &mut Wire<'_>) -> Result {
    let mut words = Vec::new();
    let mut ahead = wire.ahead();
    let mut at = wire.at();
    // The header of the array, then its bulk strings, also the beginning of one that is cut off.
    while let Some((text, whole)) = first_line(ahead)
        && words.len() <= SHOWN
    {
        let length = match ahead.first() {
            Some(b'$') => signed(text).and_then(|length| usize::try_from(length).ok()).unwrap_or_default(),
            _ if words.is_empty() && ahead.starts_with(b"*") => {
                (at, ahead) = (at + whole, ahead.get(whole..).unwrap_or_default());
                continue;
            }
            _ => break,
        };
        let rest = ahead.get(whole..).unwrap_or_default();
        let word = rest.get(..length).unwrap_or(rest);
        words.push((word, at + whole..at + whole + word.len()));
        let end = whole.saturating_add(length).saturating_add(2);
        (at, ahead) = (at.saturating_add(end), ahead.get(end..).unwrap_or_default());
    }
    summarize(wire, &words);
    value(wire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_secrets_are_known() {
        for (command, hidden) in [
            ("AUTH pw", &[1][..]),
            ("auth anna pw", &[2]),
            ("HELLO 3 AUTH anna pw SETNAME x", &[4]),
            ("CONFIG SET requirepass pw maxmemory 1", &[3]),
            ("CONFIG SET masterauth pw", &[3]),
            ("CONFIG GET requirepass", &[]),
            ("ACL SETUSER anna on >pw ~*", &[4]),
            ("MIGRATE h 1 k 0 9 AUTH2 anna pw", &[8]),
            ("MIGRATE h 1 k 0 9 AUTH pw", &[7]),
            ("SET AUTH pw", &[]),
        ] {
            let words: Vec<_> = command.split(' ').map(|word| (word.as_bytes(), 0..0)).collect();
            assert_eq!(secrets(&words).collect::<Vec<_>>(), hidden, "{command}");
        }
    }
}
