//! Subcommands after options, and misspelled subcommands.

use super::args::{Args, Task};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::mem::ManuallyDrop;

/// Parses a command line. A subcommand may follow its options.
///
/// # Errors
/// Usage errors; also help and version, as in clap.
pub(super) fn parse(mut line: Vec<OsString>) -> Result<Args, clap::Error> {
    if let Some(words) = command_after_options(&line).and_then(|place| line.get_mut(1..=place)) {
        words.rotate_right(1);
    }
    // Freeing the description of the options takes 5 % of the instructions of a short run.
    let mut command = ManuallyDrop::new(Args::command());
    let mut matches = command.try_get_matches_from_mut(line)?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Index of the first subcommand that follows options and is not an option's value.
fn command_after_options(line: &[OsString]) -> Option<usize> {
    let is_command = |word: &OsString| word.to_str().is_some_and(Task::has_subcommand);
    if line.get(1).is_some_and(is_command) {
        return None;
    }
    let words = line.iter().enumerate().skip(2).take_while(|(_, word)| *word != "--");
    let (place, _) = words.filter(|(_, word)| is_command(word)).find(|(place, word)| {
        let Some((program, before)) = line.get(..*place).and_then(<[OsString]>::split_first) else { return false };
        match Args::try_parse_from(line.iter().take(place + 1)) {
            Ok(args) => args.files.first().is_some_and(|file| file.as_os_str() == *word),
            // The options may belong to the subcommand only.
            Err(_) => Args::try_parse_from([program, word].into_iter().chain(before)).is_ok_and(|args| args.task.is_some()),
        }
    })?;
    Some(place)
}

/// Error message for a first argument that is not a file but resembles a subcommand.
pub(super) fn mistake(args: &Args) -> Option<String> {
    let word = args.files.first()?;
    let text = word.to_str().filter(|text| text.chars().all(char::is_alphabetic) && !word.exists())?;
    // An exact name gets here only after `--`, where it is a file.
    let command = nearest(text).filter(|command| command != text)?;
    Some(format!("{text}: no such file or command; did you mean proto-dissect {command}?"))
}

/// Subcommand with this prefix, or with a similar name.
fn nearest(word: &str) -> Option<String> {
    let most = if word.len() < 5 { 1 } else { 2 };
    let command = Args::command();
    let names = command.get_subcommands().map(|command| command.get_name().to_owned());
    let distance = |name: &str| match word.len() > 2 && name.starts_with(word) {
        true => 0,
        false => strsim::damerau_levenshtein(word, name),
    };
    names.map(|name| (distance(&name), name)).filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{command_after_options, nearest};

    #[test]
    fn a_subcommand_after_options_is_found() {
        for (line, place) in [
            ("follow -s tcp/0 a.pcap", None),
            ("a.pcap follow", None),
            ("-l a.pcap", None),
            ("-Y http follow -s tcp/4 --dir c2s a.pcap", Some(3)),
            ("-Y stats stats a.pcap", Some(3)),
            ("-Y stats --dir c2s a.pcap", None),
            ("--dir c2s follow a.pcap", Some(3)),
            ("--write-dir follow a.pcap", None),
            ("--tshark fields tcp", Some(2)),
            ("-l -- stats", None),
            ("follow stats", None),
            ("ksy check stats", None),
            ("protocols --json fields", None),
        ] {
            let words: Vec<_> = std::iter::once("proto-dissect").chain(line.split(' ')).map(Into::into).collect();
            assert_eq!(command_after_options(&words), place, "{line}");
        }
    }

    #[test]
    fn a_word_is_a_command_if_few_letters_are_wrong() {
        for (word, command) in
            [("stat", "stats"), ("feilds", "fields"), ("protocol", "protocols"), ("folow", "follow"), ("comp", "completions")]
        {
            assert_eq!(nearest(word).as_deref(), Some(command));
        }
        for word in ["st", "a", "dump", "session", "capture"] {
            assert_eq!(nearest(word), None, "{word}");
        }
    }
}
