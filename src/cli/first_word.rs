//! A word in the place of a file that was meant as a command.

use super::args::Args;
use clap::CommandFactory;

/// The message for a first word that is no file but resembles a command.
pub(super) fn mistake(args: &Args) -> Option<String> {
    let word = args.files.first()?;
    let text = word.to_str().filter(|text| text.chars().all(char::is_alphabetic) && !word.exists())?;
    // The exact name comes here only behind `--`, where it is a file.
    let command = nearest(text).filter(|command| command != text)?;
    Some(format!("{text}: there is no such file or command; did you mean proto-dissect {command}?"))
}

/// The command that a word begins, or that it misses by few letters.
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
    use super::nearest;

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
