//! What users of tshark type: options of its command line, and the alternative to those that capture.

use super::Exit;
use super::args::{Args, BrowseOptions, FollowOptions, StatsOptions, Task};
use super::diff::DiffOptions;
use super::explore::ExploreOptions;
use super::forms::Wrong;
use clap::{Args as Group, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of tshark's command line.
#[derive(Debug, Group)]
#[command(next_help_heading = "As in tshark")]
pub struct Habits {
    /// A second display filter, which records must match as well as -Y
    #[arg(hide_short_help = true, short = 'R', long = "read-filter", value_name = "EXPR", allow_hyphen_values = true)]
    pub read_filter: Option<String>,

    /// Two passes; accepted, and one pass is taken
    #[arg(hide_short_help = true, short = '2', long = "two-pass")]
    pub two_pass: bool,

    /// Print a line for each record, also while -w writes
    #[arg(hide_short_help = true, short = 'P', long = "print")]
    pub print: bool,

    /// Protocols whose fields -T ek, jsonraw, pdml and the JSON forms keep: -j 'ip tcp.flags'
    #[arg(hide_short_help = true, short = 'j', value_name = "NAMES", conflicts_with = "top_level")]
    pub kept: Option<String>,

    /// The same with all that is below a field
    #[arg(hide_short_help = true, short = 'J', id = "top_level", value_name = "NAMES")]
    pub kept_below: Option<String>,

    /// Lists as tshark has them: fields, protocols, values, elastic-mapping
    #[arg(
        hide_short_help = true,
        short = 'G',
        value_name = "LIST",
        value_enum,
        num_args = 0..=1,
        default_missing_value = "fields",
        hide_possible_values = true
    )]
    pub glossary: Option<Glossary>,

    /// Save the objects of a protocol, such as http, as files in a folder
    #[arg(hide_short_help = true, long, value_name = "PROTO,DIR")]
    pub export_objects: Vec<String>,

    /// Accepted: repeated names are one array in any case
    #[arg(hide = true, long)]
    no_duplicate_keys: bool,

    /// Options of a capture, which are answered with the command that does it.
    #[command(flatten)]
    pub capturing: Capturing,
}

/// Options that capture packets, and others that have no counterpart. Their values do not matter.
#[derive(Debug, Group)]
pub struct Capturing {
    #[arg(hide = true, short = 'i', long = "interface", value_name = "NAME", num_args = 0..=1, default_missing_value = "any")]
    interface: Option<String>,
    #[arg(hide = true, short = 'f', value_name = "EXPR", num_args = 0..=1, default_missing_value = "", allow_hyphen_values = true)]
    capture_filter: Option<String>,
    #[arg(hide = true, short = 'a', long = "autostop", value_name = "CONDITION", num_args = 0..=1, default_missing_value = "")]
    autostop: Option<String>,
    #[arg(hide = true, short = 'b', long = "ring-buffer", value_name = "CONDITION", num_args = 0..=1, default_missing_value = "")]
    ring: Option<String>,
    #[arg(hide = true, short = 'D', long = "list-interfaces")]
    list_interfaces: bool,
    #[arg(hide = true, short = 'L', long = "list-data-link-types")]
    list_links: bool,
    #[arg(hide = true, short = 'p', long = "no-promiscuous-mode")]
    not_promiscuous: bool,
    #[arg(hide = true, short = 'I', long = "monitor-mode")]
    monitor: bool,
    #[arg(hide = true, short = 'B', long = "buffer-size", value_name = "MIB", num_args = 0..=1, default_missing_value = "")]
    buffer: Option<String>,
    #[arg(hide = true, short = 'y', long = "linktype", value_name = "TYPE", num_args = 0..=1, default_missing_value = "")]
    link_type: Option<String>,
    #[arg(hide = true, short = 's', long = "snapshot-length", value_name = "BYTES", num_args = 0..=1, default_missing_value = "")]
    snapshot: Option<String>,
    #[arg(hide = true, short = 'X', value_name = "NAME:VALUE", num_args = 0..=1, default_missing_value = "")]
    extension: Option<String>,
    #[arg(hide = true, short = 'C', value_name = "PROFILE", num_args = 0..=1, default_missing_value = "")]
    profile: Option<String>,
    #[arg(hide = true, short = 'H', value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    hosts: Option<String>,
    #[arg(hide = true, short = 'K', value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    keytab: Option<String>,
    #[arg(hide = true, short = 'u', value_name = "FORM", num_args = 0..=1, default_missing_value = "")]
    seconds: Option<String>,
    #[arg(hide = true, short = 'S', value_name = "TEXT", num_args = 0..=1, default_missing_value = "", allow_hyphen_values = true)]
    separator: Option<String>,
}

/// A list of `-G`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Glossary {
    /// Protocols and fields
    Fields,
    /// Protocols alone
    Protocols,
    /// Names of the values of fields
    Values,
    /// An index template of Elasticsearch for -T ek
    ElasticMapping,
}

impl Capturing {
    /// The alternative to an option that this program does not have.
    fn alternative(&self) -> Option<Wrong> {
        let pipe = |more: &str| self.pipe(more);
        if let Some(condition) = &self.autostop {
            return Some(format!("-a stops a capture, and this program reads captures: {}", self.stopping(condition)));
        }
        if self.ring.is_some() {
            return Some(format!(
                "-b writes a ring of files, which tcpdump does: tcpdump -U -i {} -W 5 -C 100 -w ring.pcap",
                self.name()
            ));
        }
        if self.list_interfaces {
            return Some(format!("-D lists interfaces, which tcpdump does: tcpdump -D; then {}", pipe("")));
        }
        if self.list_links {
            return Some(format!("-L lists link types, which tcpdump does: tcpdump -L -i {}", self.name()));
        }
        if self.interface.as_deref().is_some_and(|name| name != "-") {
            return Some(format!("-i captures, and this program reads captures: {}", pipe("")));
        }
        if self.capture_filter.is_some() {
            return Some(format!("-f filters a capture, and -Y what is read; to capture: {}", pipe("")));
        }
        let snapshot = self.snapshot.as_deref();
        if let Some(stream) = snapshot.filter(|value| value.contains('/')) {
            return Some(format!("-s names a conversation behind follow: proto-dissect follow FILE -s {stream}"));
        }
        if let Some(length) = snapshot {
            let length = if length.is_empty() { "96" } else { length };
            return Some(format!("-s limits the bytes of a capture, which tcpdump does: {}", pipe(&format!("-s {length} "))));
        }
        let options = [
            (self.not_promiscuous, "-p", "-p "),
            (self.monitor, "-I", "-I "),
            (self.buffer.is_some(), "-B", "-B 4096 "),
            (self.link_type.is_some(), "-y", "-y EN10MB "),
        ];
        if let Some((_, option, more)) = options.into_iter().find(|(given, ..)| *given) {
            return Some(format!("{option} sets up a capture, and this program reads captures: {}", pipe(more)));
        }
        let others = [
            (self.profile.is_some(), "-C names a profile of Wireshark; here -o PROTO.NAME=VALUE and -d set what a profile would"),
            (self.hosts.is_some(), "-H names addresses, which stay numbers here; -z hosts lists the names that a capture holds"),
            (self.keytab.is_some(), "-K decrypts Kerberos, which is not read here; the keys of TLS: -o tls.keylog_file=FILE"),
            (
                self.seconds.is_some(),
                "-u writes seconds in another form; the forms of times here: -t r, a, ad, d, dd, e, u or ud",
            ),
        ];
        if let Some((_, alternative)) = others.into_iter().find(|(given, _)| *given) {
            return Some(alternative.to_owned());
        }
        if self.extension.is_some() {
            return Some(
                "-X loads extensions such as Lua scripts, which tshark runs; -o PROTO.NAME=VALUE sets what protocols here take"
                    .into(),
            );
        }
        let separator = self.separator.as_deref()?;
        let separator = if separator.is_empty() { "---" } else { separator };
        Some(format!("-S prints a line between packets; sed does: proto-dissect -l FILE | sed 'a {separator}'"))
    }

    fn name(&self) -> &str {
        self.interface.as_deref().unwrap_or("lo")
    }

    /// The command that captures what is meant and hands it on.
    fn pipe(&self, more: &str) -> String {
        let filter = match self.capture_filter.as_deref() {
            None | Some("") => String::new(),
            Some(filter) => format!(" '{filter}'"),
        };
        format!("tcpdump {more}-U -w - -i {}{filter} | proto-dissect", self.name())
    }

    /// The same with an end.
    fn stopping(&self, condition: &str) -> String {
        match condition.split_once(':') {
            Some(("packets", count)) => self.pipe(&format!("-c {count} ")),
            Some(("duration", seconds)) => format!("timeout {seconds} {}", self.pipe("")),
            _ => format!("timeout 60 {}", self.pipe("")),
        }
    }
}

/// Arguments as the rest of the program takes them: files of -r among the others, one filter, objects as their command.
///
/// # Errors
/// What to type in place of an option that there is not.
pub(super) fn settle(mut args: Args) -> Result<Args, Wrong> {
    if let Some(wrong) = args.habits.capturing.alternative() {
        return Err(wrong);
    }
    if args.habits.capturing.interface.is_some() {
        // What is left is `-i -`, standard input.
        args.reading.read_files.push(PathBuf::from("-"));
    }
    match &mut args.task {
        Some(Task::Follow { options: FollowOptions { files, .. }, reading })
        | Some(Task::Browse { options: BrowseOptions { files, .. }, reading })
        | Some(Task::Explore { options: ExploreOptions { files, .. }, reading })
        | Some(Task::Stats { options: StatsOptions { files, .. }, reading }) => files.append(&mut reading.read_files),
        // The first one is the one that is named first: diff -r A B.
        Some(Task::Diff { options: DiffOptions { files, .. }, reading }) => {
            files.splice(0..0, reading.read_files.drain(..));
        }
        Some(Task::Objects(objects)) => objects.files.append(&mut objects.reading.read_files),
        Some(_) => {}
        None => {
            words_as_filter(&mut args)?;
            args.files.append(&mut args.reading.read_files);
        }
    }
    if args.habits.print && args.output.write.is_none() && !args.output.full && !args.output.hex {
        args.output.list |= args.output.form.is_none() && !args.output.json && args.output.columns.is_empty();
    }
    if let Some(read) = args.habits.read_filter.take() {
        args.output.filter = Some(both(read, args.output.filter.take()));
    }
    Ok(args)
}

/// Words beside -r are the filter, as in tshark, unless they name files.
fn words_as_filter(args: &mut Args) -> Result<(), Wrong> {
    if args.reading.read_files.is_empty() || args.files.is_empty() || args.files.iter().any(|file| may_be_file(file)) {
        return Ok(());
    }
    let words: Vec<String> = args.files.drain(..).map(|word| word.to_string_lossy().into_owned()).collect();
    let words = words.join(" ");
    match &args.output.filter {
        Some(filter) => Err(format!("{words}: words beside -r are a display filter, and -Y {filter} is one already")),
        None => {
            args.output.filter = Some(words);
            Ok(())
        }
    }
}

/// Whether a word is a file, or what a file is called.
fn may_be_file(word: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["pcap", "pcapng", "cap", "gz", "zst", "lz4", "txt", "hex"];
    let has_ending = word.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    has_ending || word.as_os_str() == "-" || word.as_os_str().to_string_lossy().starts_with(['/', '.']) || word.exists()
}

/// Both filters as one.
fn both(one: String, other: Option<String>) -> String {
    match other {
        Some(other) => format!("({one}) and ({other})"),
        None => one,
    }
}

/// Whether a command line asks for the version as tshark's does: `-v` alone, where nothing can be read.
pub(super) fn asks_for_version(line: &[OsString]) -> bool {
    matches!(line, [_, option] if option == "-v") && !is_input()
}

/// Whether standard input is a file or a pipe.
#[cfg(unix)]
fn is_input() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let about = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from).and_then(|input| input.metadata());
    about.is_ok_and(|about| !about.file_type().is_char_device())
}

/// Whether standard input is a file or a pipe.
#[cfg(not(unix))]
fn is_input() -> bool {
    !std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// Reports the alternative to what was typed.
pub(super) fn reject(wrong: &Wrong) -> Exit {
    super::complain(format_args!("{wrong}"));
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn settled(words: &[&str]) -> Result<Args, Wrong> {
        settle(Args::try_parse_from(["proto-dissect"].iter().chain(words)).unwrap())
    }

    #[test]
    fn words_beside_a_read_file_are_a_filter_and_files_stay_files() {
        let args = settled(&["-r", "a.pcap", "tcp.port", "==", "80"]).unwrap();
        assert_eq!((args.output.filter.as_deref(), args.files.len()), (Some("tcp.port == 80"), 1));
        let args = settled(&["-r", "a.pcap", "b.pcap"]).unwrap();
        assert_eq!((args.output.filter, args.files.len()), (None, 2));
        let args = settled(&["-R", "http", "-Y", "ip", "a.pcap"]).unwrap();
        assert_eq!(args.output.filter.as_deref(), Some("(http) and (ip)"));
        assert!(settled(&["-r", "a.pcap", "-Y", "http", "tcp"]).is_err());
    }

    #[test]
    fn options_of_a_capture_name_the_command_that_captures() {
        let wrong = |words: &[&str]| settled(words).err().unwrap_or_default();
        assert!(wrong(&["-i", "eth0", "-f", "tcp port 80"]).ends_with("tcpdump -U -w - -i eth0 'tcp port 80' | proto-dissect"));
        assert!(wrong(&["-a", "duration:5"]).contains("timeout 5 tcpdump -U -w - -i lo"));
        assert!(wrong(&["-a", "packets:5", "-i", "eth1"]).contains("tcpdump -c 5 -U -w - -i eth1"));
    }
}
