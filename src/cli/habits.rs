//! Options of tshark's command line, and the alternatives to its options for capturing.

use super::args::{Args, BrowseOptions, FollowOptions, Task};
use super::diff::DiffOptions;
use super::explore::ExploreOptions;
use super::find::FindOptions;
use super::ksy::Ksy;
use super::stats::StatsOptions;
use super::switching::Switching;
use super::usage_error::UsageError;
use clap::{Args as Group, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of tshark's command line.
#[derive(Debug, Group)]
#[command(next_help_heading = "As in tshark")]
pub struct Habits {
    /// Second display filter, combined with -Y by `and`
    #[arg(hide_short_help = true, short = 'R', long = "read-filter", value_name = "EXPR", allow_hyphen_values = true)]
    pub read_filter: Option<String>,

    /// Two-pass analysis; accepted for compatibility, one pass is sufficient
    #[arg(hide_short_help = true, short = '2', long = "two-pass")]
    pub two_pass: bool,

    /// Print one line per record even if -w is used
    #[arg(hide_short_help = true, short = 'P', long = "print")]
    pub print: bool,

    /// Keep only these protocols in -T ek, jsonraw, pdml and JSON: -j 'ip tcp.flags'
    #[arg(hide_short_help = true, short = 'j', value_name = "NAMES", conflicts_with = "top_level")]
    pub kept: Option<String>,

    /// As -j, including all child fields
    #[arg(hide_short_help = true, short = 'J', id = "top_level", value_name = "NAMES")]
    pub kept_below: Option<String>,

    /// Print a glossary in tshark's format: fields, protocols, values, elastic-mapping
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

    /// Save the objects of a protocol, such as http, in a directory
    #[arg(hide_short_help = true, long, value_name = "PROTO,DIR")]
    pub export_objects: Vec<String>,

    /// Accepted for compatibility: duplicate keys are always merged into arrays
    #[arg(hide = true, long)]
    no_duplicate_keys: bool,

    /// Options for live capture, rejected with an equivalent tcpdump command.
    #[command(flatten)]
    pub capturing: Capturing,

    /// Options that switch protocols.
    #[command(flatten)]
    pub switching: Switching,
}

/// Options for live capture, and others without an equivalent. Their values are not checked.
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

/// Glossaries of `-G`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Glossary {
    /// Protocols and fields
    Fields,
    /// Protocols only
    Protocols,
    /// Value names of fields
    Values,
    /// Elasticsearch index template for -T ek
    ElasticMapping,
}

impl Capturing {
    /// Returns the alternative to an unsupported option.
    fn alternative(&self) -> Option<UsageError> {
        let pipe = |more: &str| self.pipe(more);
        if let Some(condition) = &self.autostop {
            return Some(format!("-a stops a live capture, which this program does not do; try {}", self.stopping(condition)));
        }
        if self.ring.is_some() {
            return Some(format!(
                "-b writes a ring buffer during capture, which this program does not do; try tcpdump -U -i {} -W 5 -C 100 -w ring.pcap",
                self.name()
            ));
        }
        if self.list_interfaces {
            return Some(format!("-D lists interfaces, which this program does not do; try tcpdump -D, then {}", pipe("")));
        }
        if self.list_links {
            return Some(format!(
                "-L lists link types of an interface, which this program does not do; try tcpdump -L -i {}",
                self.name()
            ));
        }
        if self.interface.as_deref().is_some_and(|name| name != "-") {
            return Some(format!("-i starts a live capture, which this program does not do; try {}", pipe("")));
        }
        if self.capture_filter.is_some() {
            return Some(format!("-f is a capture filter; display filters use -Y; to capture, try {}", pipe("")));
        }
        self.of_snapshot().or_else(|| self.of_interface()).or_else(|| self.of_other())
    }

    /// `-s`: of other programs the snapshot length, here a conversation.
    fn of_snapshot(&self) -> Option<UsageError> {
        let snapshot = self.snapshot.as_deref()?;
        if snapshot.contains('/') {
            return Some(format!("-s selects a conversation of follow; try proto-dissect follow FILE -s {snapshot}"));
        }
        let length = if snapshot.is_empty() { "96" } else { snapshot };
        Some(format!(
            "-s sets the snapshot length of a live capture, which this program does not do; try {}",
            self.pipe(&format!("-s {length} "))
        ))
    }

    /// Options of the interface of a live capture.
    fn of_interface(&self) -> Option<UsageError> {
        let options = [
            (self.not_promiscuous, "-p", "-p "),
            (self.monitor, "-I", "-I "),
            (self.buffer.is_some(), "-B", "-B 4096 "),
            (self.link_type.is_some(), "-y", "-y EN10MB "),
        ];
        let (_, option, more) = options.into_iter().find(|(given, ..)| *given)?;
        Some(format!("{option} configures a live capture, which this program does not do; try {}", self.pipe(more)))
    }

    /// Options that have nothing to do with a live capture.
    fn of_other(&self) -> Option<UsageError> {
        let others = [
            (self.profile.is_some(), "-C selects a Wireshark configuration profile; use -o PROTO.NAME=VALUE and -d instead"),
            (
                self.hosts.is_some(),
                "-H reads a hosts file, but addresses are not resolved; -z hosts lists the names in a capture",
            ),
            (self.keytab.is_some(), "-K decrypts Kerberos, which is not supported; for TLS keys, use -o tls.keylog_file=FILE"),
            (
                self.seconds.is_some(),
                "-u selects the format of seconds, which is not supported; time formats are -t r, a, ad, d, dd, e, u and ud",
            ),
        ];
        if let Some((_, alternative)) = others.into_iter().find(|(given, _)| *given) {
            return Some(alternative.to_owned());
        }
        let separator = self.separator.as_deref()?;
        let separator = if separator.is_empty() { "---" } else { separator };
        Some(format!(
            "-S prints a separator line between packets, which is not supported; try proto-dissect -l FILE | sed 'a {separator}'"
        ))
    }

    fn name(&self) -> &str {
        self.interface.as_deref().unwrap_or("lo")
    }

    /// Returns a tcpdump command that captures the selected packets and pipes them here.
    fn pipe(&self, more: &str) -> String {
        let filter = match self.capture_filter.as_deref() {
            None | Some("") => String::new(),
            Some(filter) => format!(" '{filter}'"),
        };
        format!("tcpdump {more}-U -w - -i {}{filter} | proto-dissect", self.name())
    }

    /// Returns that command with a stop condition.
    fn stopping(&self, condition: &str) -> String {
        match condition.split_once(':') {
            Some(("packets", count)) => self.pipe(&format!("-c {count} ")),
            Some(("duration", seconds)) => format!("timeout {seconds} {}", self.pipe("")),
            _ => format!("timeout 60 {}", self.pipe("")),
        }
    }
}

/// Maps tshark's options to this program's: files of -r become inputs, filters are combined, object export becomes `objects`.
///
/// # Errors
/// The alternative to an unsupported option.
pub(super) fn settle(mut args: Args) -> Result<Args, UsageError> {
    let Habits { capturing, switching, .. } = &args.habits;
    if let Some(wrong) = capturing.alternative().or_else(|| switching.alternative()) {
        return Err(wrong);
    }
    if args.habits.capturing.interface.is_some() {
        // The only `-i` left is `-i -`, standard input.
        args.reading.read_files.push(PathBuf::from("-"));
    }
    match &mut args.task {
        Some(Task::Follow { options: FollowOptions { files, .. }, reading })
        | Some(Task::Browse { options: BrowseOptions { files, .. }, reading })
        | Some(Task::Explore { options: ExploreOptions { files, .. }, reading })
        | Some(Task::Find { options: FindOptions { files, .. }, reading })
        | Some(Task::Stats { options: StatsOptions { files, .. }, reading }) => files.append(&mut reading.read_files),
        // -r names the first of the two files: diff -r A B.
        Some(Task::Diff { options: DiffOptions { files, .. }, reading }) => {
            files.splice(0..0, reading.read_files.drain(..));
        }
        Some(Task::Objects(objects)) => objects.files.append(&mut objects.reading.read_files),
        Some(Task::Ksy(Ksy::Try(asked))) => asked.files.append(&mut asked.reading.read_files),
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

/// Arguments after -r are the filter, as in tshark, unless they name files.
fn words_as_filter(args: &mut Args) -> Result<(), UsageError> {
    if args.reading.read_files.is_empty() || args.files.is_empty() || args.files.iter().any(|file| may_be_file(file)) {
        return Ok(());
    }
    let words: Vec<String> = args.files.drain(..).map(|word| word.to_string_lossy().into_owned()).collect();
    let words = words.join(" ");
    match &args.output.filter {
        Some(filter) => Err(format!("{words}: arguments after -r are a display filter, but -Y {filter} is already given")),
        None => {
            args.output.filter = Some(words);
            Ok(())
        }
    }
}

/// Whether a word is an existing file, or looks like a file name.
fn may_be_file(word: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["pcap", "pcapng", "cap", "gz", "zst", "lz4", "txt", "hex"];
    let has_ending = word.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    has_ending || word.as_os_str() == "-" || word.as_os_str().to_string_lossy().starts_with(['/', '.']) || word.exists()
}

/// Combines two filters.
fn both(one: String, other: Option<String>) -> String {
    match other {
        Some(other) => format!("({one}) and ({other})"),
        None => one,
    }
}

/// Whether a command line requests the version as in tshark: `-v` alone, without piped input.
pub(super) fn requests_version(line: &[OsString]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn settled(words: &[&str]) -> Result<Args, UsageError> {
        settle(Args::try_parse_from(["proto-dissect"].iter().chain(words)).unwrap())
    }

    #[test]
    fn arguments_after_r_are_a_filter_unless_they_name_files() {
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
