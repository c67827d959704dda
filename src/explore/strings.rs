//! Finds text in the bytes of a message, independent of columns.

use crate::tree::clean;

/// Minimum length of a text in characters.
const LEAST: usize = 4;

/// Texts in UTF-8 and UTF-16 with their offsets.
#[must_use]
pub fn strings(bytes: &[u8]) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        runs(chunk.valid(), at, &mut all);
        at += chunk.valid().len() + chunk.invalid().len();
    }
    wide(bytes, &mut all);
    all.sort_by_key(|(at, _)| *at);
    all
}

/// Runs without control characters.
fn runs(text: &str, base: usize, all: &mut Vec<(usize, String)>) {
    let mut at = base;
    for run in text.split(char::is_control) {
        if run.chars().count() >= LEAST && run.contains(char::is_alphanumeric) {
            all.push((at, cleaned(run)));
        }
        at += run.len();
        // The control character after the run, of one byte or two.
        let behind = text.get(at - base..).and_then(|rest| rest.chars().next());
        at += behind.map_or(0, char::len_utf8);
    }
}

/// Runs of ASCII in UTF-16.
fn wide(bytes: &[u8], all: &mut Vec<(usize, String)>) {
    for phase in [0, 1] {
        let mut run = String::new();
        let pairs = bytes.get(phase..).unwrap_or_default().chunks(2);
        for (number, pair) in pairs.chain([&[][..]]).enumerate() {
            match pair {
                [letter @ 0x20..0x7f, 0] => run.push(char::from(*letter)),
                _ => {
                    if run.len() >= LEAST && run.contains(char::is_alphanumeric) {
                        all.push((phase + 2 * (number - run.len()), cleaned(&run)));
                    }
                    run.clear();
                }
            }
        }
    }
}

fn cleaned(text: &str) -> String {
    let mut shown = String::new();
    // Writing to a string cannot fail.
    let _ = clean(text, &mut shown);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_with_their_places() {
        let bytes = b"\x00\x01Value\x00abc\x00type\xffW\0e\0t\0!\0\x02\xc3\xbcber\x07....";
        let found: Vec<(usize, String)> = strings(bytes);
        let expected = [(2, "Value"), (12, "type"), (17, "Wet!"), (26, "über")];
        assert_eq!(found, expected.map(|(at, text)| (at, text.to_owned())));
        assert!(strings(b"").is_empty() && strings(b"\x80").is_empty());
    }
}
