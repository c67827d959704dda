//! What can be typed: options and their help, nothing else.

use super::columns::ColumnArgs;
use super::complete;
use super::diff::DiffOptions;
use super::explore::ExploreOptions;
use super::glossary::{Fields, Protocols};
use super::habits::Habits;
use super::help::{EXAMPLES, MORE_EXAMPLES, STYLES};
use super::ksy::Ksy;
use super::loading::Loading;
use super::objects::Objects;
use super::split::SplitOptions;
use crate::tree::Side;
use clap::{ArgAction, Args as Group, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::ArgValueCompleter;
use std::path::PathBuf;

/// Show what a capture or a hex dump says: its messages, their fields, and the bytes of each.
#[derive(Debug, Parser)]
#[command(
    name = "proto-dissect",
    version,
    disable_version_flag = true,
    disable_help_subcommand = true,
    override_usage = "proto-dissect [COMMAND] [OPTIONS] [FILE]...",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    styles = STYLES,
    after_help = EXAMPLES,
    after_long_help = MORE_EXAMPLES,
    max_term_width = 110
)]
pub struct Args {
    /// Captures, hex text, directories, @LISTs of them; `-` or none reads standard input
    ///
    /// pcap, pcapng and snoop, session logs of RSProx, or packets as text in any common dialect, also inside gzip, zstd or lz4:
    /// what it is, is found out from the bytes.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// What is printed.
    #[command(flatten)]
    pub output: Output,

    /// Statistics in place of records, by tshark's names: io,phs conv,tcp expert follow,tcp,hex,0; help lists all; may be given again
    #[arg(hide_short_help = true, short = 'z', value_name = "NAME")]
    pub statistics: Vec<String>,

    /// Whether a pager may come in when what is printed does not fit on the terminal: PAGER, or less
    #[arg(hide_short_help = true, long, global = true, value_name = "WHEN", value_enum, default_value_t = Paging::Auto)]
    pub pager: Paging,

    /// Print the version
    #[arg(hide_short_help = true, long, action = ArgAction::Version)]
    version: Option<bool>,

    /// How the input is read.
    #[command(flatten)]
    pub reading: Reading,

    /// What tshark has as well.
    #[command(flatten)]
    pub habits: Habits,
    /// Files that describe protocols.
    #[command(flatten)]
    pub loading: Loading,

    /// Another task than printing records.
    #[command(subcommand)]
    pub task: Option<Task>,
}

impl Args {
    /// Files that are read as input.
    pub(super) fn input_files(&self) -> Vec<PathBuf> {
        match &self.task {
            Some(Task::Follow { options, .. }) => options.files.clone(),
            Some(Task::Stats { options, .. }) => options.files.clone(),
            Some(Task::Explore { options, .. }) => options.files.clone(),
            Some(Task::Browse { options, .. }) => options.files.clone(),
            Some(Task::Diff { options, .. }) => options.files.clone(),
            Some(Task::Objects(objects)) => objects.files.clone(),
            Some(Task::Ksy(Ksy::Check(check))) => check.files.clone(),
            Some(Task::Ksy(Ksy::Lua(lua))) => vec![lua.file.clone()],
            Some(_) => Vec::new(),
            None => self.files.clone(),
        }
    }

    /// Whether the input is whatever is piped in.
    #[must_use]
    pub fn names_no_input(&self) -> bool {
        let (has_file, reading) = match &self.task {
            Some(Task::Follow { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Stats { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Split(_)) => return false,
            Some(Task::Browse { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Explore { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Diff { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Objects(objects)) => (!objects.files.is_empty(), &objects.reading),
            _ => (!self.files.is_empty(), &self.reading),
        };
        !has_file && reading.read_files.is_empty() && reading.hex_text.is_none()
    }
}

/// What is printed, and how.
#[derive(Debug, Default, Group)]
pub struct Output {
    /// Show frames with all their layers instead of messages
    #[arg(long)]
    pub packets: bool,

    /// Show messages, also where the filter or the columns are about frames
    #[arg(hide_short_help = true, long, conflicts_with = "packets")]
    pub messages: bool,

    /// Form of the output
    #[arg(short = 'T', long = "format", value_name = "FORM", value_enum)]
    pub form: Option<Form>,

    /// A line for each record, the same as -T list
    ///
    /// Beside another form it changes nothing, because lines are never held back.
    #[arg(short = 'l', long, conflicts_with = "json")]
    pub list: bool,

    /// A JSON object for each record, one a line, the same as -T ndjson
    #[arg(long, conflicts_with = "form")]
    pub json: bool,

    /// A column of -T fields, or a field to keep in JSON; may be given again
    #[arg(short = 'e', long = "field", value_name = "NAME", add = ArgValueCompleter::new(complete::fields))]
    pub columns: Vec<String>,

    /// How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n
    #[arg(hide_short_help = true, short = 'E', long = "fields-option", value_name = "NAME=VALUE")]
    pub column_options: Vec<String>,

    /// Add the bytes of each field to JSON
    #[arg(hide_short_help = true, long)]
    pub raw: bool,

    /// Fold and cut nothing
    #[arg(short = 'V', long = "full")]
    pub full: bool,

    /// Add the link, IP and transport fields that carry a message
    #[arg(short = 'v', long)]
    pub verbose: bool,

    /// Add a hex dump
    #[arg(short = 'x', long = "hex-dump")]
    pub hex: bool,

    /// Print only what matches a display filter: 'ip.src == 10.0.0.1'
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Write the frames of matching records as pcapng, with comments
    ///
    /// Instead of printing them; what a record says is a comment on its last frame, where Wireshark shows it.
    /// Frames that a message needs come along. pcapng, or classic pcap without comments if FILE ends in .pcap; `-` is
    /// standard output. FILE.parquet is a table instead, see --table.
    #[arg(
        short = 'w',
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["form", "list", "json", "hex", "full", "verbose", "only"]
    )]
    pub write: Option<PathBuf>,

    /// Columns for other engines.
    #[command(flatten)]
    pub columnar: ColumnArgs,

    /// Format of the file that -w writes, whatever its name
    #[arg(hide_short_help = true, short = 'F', long = "capture-format", value_name = "FORMAT", value_enum, requires = "write")]
    pub capture_form: Option<CaptureForm>,

    /// Stop after N printed records
    #[arg(short = 'c', long = "count", value_name = "N")]
    pub count: Option<u64>,

    /// Leave out the first N records
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub skip: u64,

    /// Print only the records with these numbers: 5,10-20
    #[arg(hide_short_help = true, long = "number", value_name = "LIST")]
    pub numbers: Option<String>,

    /// Show details of these protocols only: -O pipboy,tcp
    #[arg(hide_short_help = true, short = 'O', long = "only", value_name = "PROTO,…", add = ArgValueCompleter::new(complete::protocols))]
    pub only: Option<String>,

    /// Title of the page of -T html, in place of the file name
    #[arg(hide_short_help = true, long, value_name = "TEXT")]
    pub title: Option<String>,

    /// How times are written: r since the first frame, a time of day, ad with date, adoy with day of the year, d since the record
    /// before, dd since the one printed before, e since 1970, u UTC, ud UTC with date, udoy UTC with day of the year
    #[arg(
        hide_short_help = true,
        short = 't',
        long = "time",
        value_name = "FORM",
        default_value = "r",
        hide_default_value = true
    )]
    pub time: String,

    /// Print no records, only what -z asks for
    #[arg(hide_short_help = true, short = 'q', long)]
    pub quiet: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Exit with 5 when messages are malformed or stream bytes are missing
    #[arg(hide_short_help = true, long)]
    pub strict: bool,

    /// Exit with 1 when nothing was printed
    #[arg(hide_short_help = true, long)]
    pub exit_status: bool,
}

// How the input is read.
#[derive(Debug, Clone, Group)]
#[command(next_help_heading = "Input")]
pub struct Reading {
    /// A file to read, as tshark has it; words beside it are a display filter
    #[arg(hide_short_help = true, short = 'r', long = "read-file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub read_files: Vec<PathBuf>,

    /// Accepted: no addresses or ports are resolved to names
    #[arg(hide = true, short = 'n')]
    no_names: bool,

    /// Accepted: no addresses or ports are resolved to names
    #[arg(hide = true, short = 'N', value_name = "FLAGS")]
    resolving: Option<String>,

    /// The input itself, as hex text
    #[arg(long = "hex", value_name = "TEXT", conflicts_with_all = ["files", "read_files"])]
    pub hex_text: Option<String>,

    /// The bytes are this protocol's payload: pipboy:s2c, ip, eth
    #[arg(long = "as", value_name = "PROTO[:c2s|:s2c]", add = ArgValueCompleter::new(complete::payload), conflicts_with_all = ["link", "port"])]
    pub as_protocol: Option<String>,

    /// The bytes are frames of this link type, by name or number
    #[arg(hide_short_help = true, long, value_name = "TYPE", conflicts_with = "port", add = ArgValueCompleter::new(complete::links))]
    pub link: Option<String>,

    /// The bytes are a payload seen on this port: tcp:27000
    #[arg(hide_short_help = true, long, value_name = "tcp|udp:PORT")]
    pub port: Option<String>,

    /// Do not guess what the input is
    #[arg(hide_short_help = true, long, value_name = "FORMAT", value_enum)]
    pub input_format: Option<InputForm>,

    /// Say on standard error what the input was found to be, and why
    #[arg(hide_short_help = true, long)]
    pub explain_input: bool,

    /// Whose conversations are: tcp.port==27000,pipboy
    ///
    /// Also udp.port==8000-8100,none, tcp.stream==3,pipboy and ip.addr==10.0.0.5,pipboy.
    #[arg(short = 'd', long = "decode-as", value_name = "SELECTOR,PROTO", add = ArgValueCompleter::new(complete::decode_as))]
    pub decode_as: Vec<String>,

    /// Setting of a protocol, such as a key or a password
    #[arg(hide_short_help = true, short = 'o', long = "option", value_name = "PROTO.NAME=VALUE", add = ArgValueCompleter::new(complete::settings))]
    pub settings: Vec<String>,

    /// Another limit on memory or work, such as tree.nodes=2M; docs/limits.md lists them
    #[arg(hide_short_help = true, long, value_name = "NAME=VALUE", add = ArgValueCompleter::new(complete::limits))]
    pub limit: Vec<String>,

    /// Threads that share the work: 1 unless set, and one more to unpack each compressed file
    ///
    /// Records of several files are read and written at the same time, and come out in the order of the files. Of a single file, 2
    /// share reading and writing: tables come quicker, and JSON of long captures. Both only where cores are idle; what is printed
    /// is the same. With 1 everything is done by one.
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub threads: Option<u8>,

    /// Show passwords and other secrets, which are masked otherwise
    #[arg(hide_short_help = true, long)]
    pub show_secrets: bool,

    /// Recognise protocols by port and -d only
    #[arg(hide_short_help = true, long)]
    pub no_heuristics: bool,
}

/// Input formats that can be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputForm {
    /// A capture: pcap, pcapng or snoop
    Pcap,
    /// Hex text
    Hex,
    /// Bytes as they are, of the protocol or link type that --as, --link or --port names
    Raw,
    /// Wireshark's Follow-Stream hex dump
    Follow,
}

/// The forms of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A heading and a table of fields for each record
    Table,
    /// A line for each record
    List,
    /// As tshark prints: the list, and with -V the table
    Text,
    /// A line for each record, tabs between its columns
    Tabs,
    /// One HTML page with records, fields and bytes, to open in a browser or to send
    Html,
    /// A JSON object for each record, one a line
    Ndjson,
    /// All records in one JSON array
    Json,
    /// A flat JSON object for each record, one a line
    Flat,
    /// A JSON object for each record with objects for groups, one a line
    Nested,
    /// The columns of -e
    Fields,
    /// The columns of -e as CSV with a header
    Csv,
    /// Packets as the bulk interface of Elasticsearch takes them
    Ek,
    /// Packets as XML with all fields
    Pdml,
    /// Packets as XML with the columns of the list
    Psml,
    /// Packets as JSON, of each field its bytes
    Jsonraw,
    /// A table as an Arrow stream, see --table
    Arrow,
}

impl Form {
    /// Whether each of its records is a frame, as the programs expect that read it.
    pub(super) fn is_of_frames(self) -> bool {
        matches!(self, Form::Tabs | Form::Ek | Form::Pdml | Form::Psml | Form::Jsonraw)
    }
}

/// Formats of a written capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CaptureForm {
    /// One link type and no comments
    #[value(alias = "libpcap")]
    Pcap,
    /// With comments, several interfaces and link types
    Pcapng,
}

/// When to use colours.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// When to page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Paging {
    /// On a terminal, when it does not fit
    Auto,
    /// Never
    Never,
}

/// Other tasks than printing records.
#[derive(Debug, Subcommand)]
// Only the command that is typed builds its options. A doc comment on a struct of options would then be its description.
#[command(defer = true)]
pub enum Task {
    /// List the conversations of a capture, or print one as bytes
    Follow {
        /// Which conversation, and how it is written.
        #[command(flatten)]
        options: FollowOptions,
        /// How the input is read.
        #[command(flatten)]
        reading: Reading,
    },
    /// Count what is in a capture: protocols, conversations, times, health, coverage
    Stats {
        /// What is counted.
        #[command(flatten)]
        options: StatsOptions,
        /// How the input is read.
        #[command(flatten)]
        reading: Reading,
    },
    /// Look through a capture: records, fields and bytes in panes
    Browse {
        /// What is shown.
        #[command(flatten)]
        options: BrowseOptions,
        /// How the input is read.
        #[command(flatten)]
        reading: Reading,
    },
    /// Explore unknown conversations: framing, kinds of messages, columns, a .ksy file
    Explore {
        /// What is explored, and how it is printed.
        #[command(flatten)]
        options: ExploreOptions,
        /// How the input is read.
        #[command(flatten)]
        reading: Reading,
    },
    /// Compare two captures, conversations or messages, field by field
    Diff {
        /// What is compared, and how it is printed.
        #[command(flatten)]
        options: DiffOptions,
        /// How the input is read.
        #[command(flatten)]
        reading: Reading,
    },
    /// List what messages and conversations carry, such as maps and value trees, and save it
    Objects(Objects),
    /// Cut a capture into parts that can be dissected apart, with the same messages
    Split(SplitOptions),
    /// Every protocol: name, where it is found, what of it is read
    Protocols(Protocols),
    /// Every field: filter name, type, label, meaning
    Fields(Fields),
    /// Check Kaitai Struct files (.ksy), or print Wireshark dissectors of them
    #[command(subcommand, arg_required_else_help = true)]
    Ksy(Ksy),
    /// Print the JSON Schema of the records of --json
    Schema {
        /// The tables of -T arrow and Parquet instead: names and types of their columns
        #[arg(long)]
        columns: bool,
    },
    /// Print the completions of a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    Man,
}

// Which conversation is followed, and how it is written.
#[derive(Debug, Group)]
pub struct FollowOptions {
    /// Captures or hex texts, one after another; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// The conversation: tcp/0, udp/3, or a number alone for TCP; http/0 and tls/0 for what tcp/0 carries; without it all are listed
    #[arg(short = 's', long, value_name = "STREAM")]
    pub stream: Option<String>,

    /// Form of the output
    #[arg(short = 'T', long = "format", value_name = "FORM", value_enum)]
    pub form: Option<FollowForm>,

    /// A JSON object for each conversation or payload, one a line, the same as -T ndjson
    #[arg(long, conflicts_with = "form")]
    pub json: bool,

    /// List conversations, or print bytes, of matching records only
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Only what one side says
    #[arg(long, value_name = "DIR", value_enum)]
    pub dir: Option<Direction>,

    /// Write the bytes of each direction into a file of its own in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub write_dir: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

// What is looked through.
#[derive(Debug, Group)]
pub struct BrowseOptions {
    /// Captures or hex texts; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// List matching records only
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// List this field as a column; may be given again. The key c changes columns
    #[arg(short = 'e', long = "field", value_name = "NAME", add = ArgValueCompleter::new(complete::fields))]
    pub columns: Vec<String>,

    /// Begin with frames and all their layers instead of messages
    #[arg(long)]
    pub packets: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// How a conversation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FollowForm {
    /// Wireshark's Follow Stream, with messages named; can be read back in
    Hex,
    /// Text, with a dot for what is none
    Ascii,
    /// The bytes and nothing else
    Raw,
    /// All payloads in one JSON array
    Json,
    /// A JSON object for each payload, one a line
    Ndjson,
    /// YAML as Wireshark writes it
    Yaml,
    /// An array in C for each payload
    Carray,
}

/// A direction of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// What the client says
    C2s,
    /// What the server says
    S2c,
}

impl From<Direction> for Side {
    fn from(direction: Direction) -> Side {
        match direction {
            Direction::C2s => Side::Client,
            Direction::S2c => Side::Server,
        }
    }
}

// What is counted, and how it is printed.
#[derive(Debug, Group)]
pub struct StatsOptions {
    /// Captures or hex texts, one after another; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// A part, by tshark's name: io,phs conv,tcp endpoints,ip io,stat,1,FILTER,... expert,warn plen,tree http,tree dns,tree rs,tree
    /// hosts rtp,streams follow,tcp,hex,0, or overview, time, transfers, health, coverage; help lists all
    #[arg(short = 'z', value_name = "NAME")]
    pub names: Vec<String>,

    /// Count only frames that match a display filter
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// One JSON object
    #[arg(long)]
    pub json: bool,

    /// Leave nothing out of the lists
    #[arg(short = 'V', long = "full")]
    pub full: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}
