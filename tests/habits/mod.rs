//! Everyday commands: each prints what its user expects, or one line with the right command.
//!
//! Inputs are samples only, so every answer can be verified by hand or with another program.

mod asked;
mod everyday;
mod first_contact;
mod hex;
mod layout;
mod mistakes;
mod tshark;
mod views;

use crate::common::{Run, run_with};

/// A command line as typed in a shell: words, with quotes around those that contain blanks.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Runs a command line without the name of the program.
fn typed(line: &str) -> Run {
    typed_with(line, b"")
}

/// The same with this standard input.
pub fn typed_with(line: &str, input: &[u8]) -> Run {
    let words = words(line);
    run_with(&words.iter().map(String::as_str).collect::<Vec<_>>(), input)
}

/// Runs a command line that succeeds without any message on standard error, and returns its output.
fn answer(line: &str) -> String {
    let run = typed(line);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}");
    run.out
}

/// Asserts that a command line prints exactly these lines.
fn assert_lines(line: &str, expected: &[&str]) {
    assert_eq!(answer(line).lines().collect::<Vec<_>>(), expected, "{line}");
}

/// Asserts that a command line is rejected: the exit code, empty standard output, and one message with these words.
fn assert_rejected(line: &str, code: i32, expected: &[&str]) {
    let run = typed(line);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{line}\n{}", run.err);
    for words in expected {
        assert!(run.err.contains(words), "{line}: {words:?} is missing from\n{}", run.err);
    }
    assert!(run.err.lines().count() <= 4, "{line}: too long\n{}", run.err);
}

#[test]
fn command_lines_are_split_as_a_shell_splits_them() {
    assert_eq!(words("-Y 'ip.src == 10.0.0.1' -e x  a.pcap ''"), ["-Y", "ip.src == 10.0.0.1", "-e", "x", "a.pcap", ""]);
    assert_eq!(words("-d \"a b\"c"), ["-d", "a bc"]);
}
