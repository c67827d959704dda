//! Subcommands after options, and words that are neither files nor subcommands.

use super::Exit;
use super::args::{Args, FollowOptions, Task};
use super::diff::DiffOptions;
use super::explore::ExploreOptions;
use super::find::FindOptions;
use super::ksy::Ksy;
use crate::nearest::nearest;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::Path;

/// Parses a command line. A subcommand may follow its options.
///
/// # Errors
/// Usage errors; also help and version, as in clap.
pub(super) fn parse(mut line: Vec<OsString>) -> Result<Args, clap::Error> {
    as_option(&mut line);
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

/// Rewrites the words `help` and `version` as the options they stand for, unless they name files.
fn as_option(line: &mut Vec<OsString>) {
    let words: Vec<&str> = line.iter().skip(1).filter_map(|word| word.to_str()).collect();
    if words.len() + 1 != line.len() {
        return;
    }
    let option = match words.as_slice() {
        ["version"] => vec!["--version"],
        ["help"] => vec!["--help"],
        ["help", commands @ ..] | [commands @ .., "help"]
            if commands.first().is_some_and(|word| Task::has_subcommand(word))
                && !commands.iter().any(|word| word.starts_with('-')) =>
        {
            commands.iter().copied().chain(["--help"]).collect()
        }
        _ => return,
    };
    if words.iter().any(|word| ["help", "version"].contains(word) && Path::new(word).exists()) {
        return;
    }
    let option = option.into_iter().map(OsString::from).collect::<Vec<_>>();
    line.splice(1.., option);
}

/// Moves conversations such as `tcp/0` from the files to the option `-s` of a command that has it.
pub(super) fn take_conversations(args: &mut Args) {
    let (files, stream) = match &mut args.task {
        Some(Task::Follow { options: FollowOptions { files, stream, .. }, .. })
        | Some(Task::Explore { options: ExploreOptions { files, stream, .. }, .. })
        | Some(Task::Find { options: FindOptions { files, stream, .. }, .. })
        | Some(Task::Diff { options: DiffOptions { files, stream, .. }, .. }) => (files, stream),
        Some(Task::Ksy(Ksy::Try(asked))) => (&mut asked.files, &mut asked.stream),
        _ => return,
    };
    if stream.is_none() {
        let named: Vec<String> =
            files.extract_if(.., |file| conversation(file).is_some()).filter_map(|file| conversation(&file)).collect();
        *stream = Some(named.join(",")).filter(|named| !named.is_empty());
    }
}

/// The conversation that a word names, if it is no file.
fn conversation(word: &Path) -> Option<String> {
    let (transport, number) = word.to_str()?.split_once('/')?;
    let is_meant = ["tcp", "udp", "sctp"].contains(&transport) && number.parse::<u32>().is_ok() && !word.exists();
    is_meant.then(|| format!("{transport}/{number}"))
}

/// A word that is neither a file nor a command, and the exit code.
///
/// Words with `/` or `.` are meant as files, except for conversations, and so is everything after `--` in `line`.
pub(super) fn mistake(args: &Args, line: &[OsString]) -> Option<(String, Exit)> {
    let after = line.iter().position(|word| word == "--").and_then(|place| line.get(place..)).unwrap_or_default();
    let files = match &args.task {
        Some(Task::Ksy(_) | Task::Lua(_)) => return None,
        // Words after -r are a filter.
        None if !args.reading.read_files.is_empty() => return None,
        _ => args.input_files(),
    };
    let command = line.get(1).and_then(|word| word.to_str()).filter(|word| args.task.is_some() && Task::has_subcommand(word));
    let is_alone = files.len() == 1;
    files.iter().filter(|word| !after.contains(&word.as_os_str().to_owned())).find_map(|word| {
        if let Some(stream) = conversation(word) {
            return Some((no_conversation(&stream), Exit::Usage));
        }
        let text = word.to_str().filter(|text| !text.contains(['/', '.', '@', '\\']) && *text != "-" && !word.exists())?;
        if let Some((_, meant)) = WORDS.iter().find(|(words, _)| words.contains(&text)) {
            return Some((format!("{text}: no such file or command; {meant}"), Exit::Usage));
        }
        // A lone file that does not exist is reported when it is opened, after the options are checked.
        let near = similar_command(text);
        if is_alone && (command.is_some() || near.is_none()) {
            return None;
        }
        Some(match (near, command) {
            (Some(near), None) => (format!("{text}: no such file or command; did you mean proto-dissect {near}?"), Exit::Usage),
            (None, None) => {
                (format!("{text}: no such file or command; proto-dissect --help lists the commands"), Exit::CannotOpen)
            }
            (_, Some(command)) => {
                (format!("{text}: no such file; proto-dissect {command} --help lists the options"), Exit::CannotOpen)
            }
        })
    })
}

fn no_conversation(stream: &str) -> String {
    let (transport, number) = stream.split_once('/').unwrap_or((stream, "0"));
    format!(
        "{stream}: no such file; for the bytes of this conversation, use proto-dissect follow FILE -s {stream}; \
         for its messages, -Y '{transport}.stream == {number}'"
    )
}

/// Words that name tasks of this program in other programs, and what to use instead.
const WORDS: &[(&[&str], &str)] = &[
    (&["help"], "try proto-dissect --help"),
    (&["version"], "try proto-dissect --version"),
    (&["search", "locate"], "to find a value, try proto-dissect find VALUE FILE; to select records, -Y EXPR"),
    (&["grep", "filter", "query", "select"], "to select records, try proto-dissect -l -Y 'frame contains \"text\"' FILE"),
    (&["strings", "text", "ascii"], "for the text of a conversation, try proto-dissect follow FILE -s tcp/0 -T ascii"),
    (&["hexdump", "xxd", "hd", "od", "hex", "dump"], "for a hex dump of each record, try proto-dissect -x FILE"),
    (&["ls", "list", "messages", "records"], "for one line per message, try proto-dissect -l FILE"),
    (&["packets", "frames"], "for one line per packet, try proto-dissect --packets -l FILE"),
    (
        &["cat", "show", "print", "view", "read", "open", "dissect", "decode", "parse", "analyze", "analyse"],
        "to print messages, try proto-dissect FILE",
    ),
    (&["json", "ndjson", "jsonl"], "for JSON, try proto-dissect --json FILE"),
    (&["csv", "fields-csv"], "for columns, try proto-dissect -T csv -e frame.number -e ip.src FILE"),
    (&["html", "report"], "for a page, try proto-dissect -T html FILE > page.html"),
    (
        &["stat", "summary", "info", "capinfos", "overview", "statistics", "count", "protos"],
        "for statistics, try proto-dissect stats FILE",
    ),
    (
        &["streams", "stream", "conversations", "flows", "tcp", "udp", "tcpflow"],
        "to list conversations, try proto-dissect follow FILE",
    ),
    (&["extract", "export", "carve", "files"], "to save transferred files, try proto-dissect objects FILE --write-dir DIR"),
    (&["convert", "write", "save", "editcap"], "to write packets, try proto-dissect FILE -Y EXPR -w part.pcapng"),
    (&["capture", "live", "listen", "sniff", "record"], "to capture, try tcpdump -U -w - -i lo | proto-dissect -l"),
    (&["compare", "cmp"], "to compare captures, try proto-dissect diff A B"),
    (&["tui", "gui", "ui", "interactive"], "for an interactive view, try proto-dissect browse FILE"),
    (&["s2c", "c2s"], "to select a direction, use -Y 'message.dir == \"s2c\"', or --dir s2c with follow FILE -s tcp/0"),
];

/// Subcommand with a similar name.
fn similar_command(word: &str) -> Option<String> {
    let command = Args::command();
    nearest(word, command.get_subcommands().map(clap::Command::get_name)).first().map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{command_after_options, similar_command};

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
        for (word, command) in [
            ("stat", "stats"),
            ("feilds", "fields"),
            ("protocol", "protocols"),
            ("folow", "follow"),
            ("comp", "completions"),
            ("st", "stats"),
        ] {
            assert_eq!(similar_command(word).as_deref(), Some(command));
        }
        for word in ["a", "dump", "session", "capture"] {
            assert_eq!(similar_command(word), None, "{word}");
        }
    }
}
