//! Command-line options and their help.

use super::columns::ColumnArgs;
use super::complete;
use super::diff::DiffOptions;
use super::explore::ExploreOptions;
use super::find::FindOptions;
use super::follow_form::Direction;
pub(super) use super::follow_form::FollowForm;
use super::glossary::{Fields, Protocols};
use super::habits::Habits;
use super::help::{EXAMPLES, MORE_EXAMPLES, STYLES};
use super::input_forms::{InputForm, SplitForm, WordForm};
use super::key_list::KeysOptions;
use super::ksy::Ksy;
use super::loading::Loading;
use super::lua::{Lua, LuaCheck};
use super::objects::Objects;
use super::selection;
use super::split::SplitOptions;
use super::stats::StatsOptions;
use clap::{ArgAction, Args as Group, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::ArgValueCompleter;
use std::path::PathBuf;

/// Dissect captures and hex dumps into messages, fields and bytes.
#[derive(Debug, Parser)]
#[command(
    name = "proto-dissect",
    bin_name = "proto-dissect",
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
    /// Captures, hex text, directories or @LIST files; `-` or none reads standard input
    ///
    /// pcap, pcapng, snoop, logs of other programs (RSProx, World of Warcraft .pkt and _parsed.txt, MapleShark .msb, mitmproxy, HAR,
    /// Fiddler .saz), and packets as text in the common hex dump formats; each optionally compressed with gzip, zstd or lz4. The
    /// format is detected from the content. An @LIST file contains one path per line.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Output options.
    #[command(flatten)]
    pub output: Output,

    /// Print statistics instead of records, by tshark's names: io,phs conv,tcp expert follow,tcp,hex,0; `-z help` lists them; repeatable
    #[arg(hide_short_help = true, short = 'z', value_name = "NAME")]
    pub statistics: Vec<String>,

    /// When to use a pager (PAGER or less)
    #[arg(hide_short_help = true, long, global = true, value_name = "WHEN", value_enum, default_value_t = Paging::Auto)]
    pub pager: Paging,

    /// Print the version
    #[arg(hide_short_help = true, long, action = ArgAction::Version)]
    version: Option<bool>,

    /// Input options.
    #[command(flatten)]
    pub reading: Reading,

    /// Options of tshark.
    #[command(flatten)]
    pub habits: Habits,
    /// Options for Kaitai Struct files.
    #[command(flatten)]
    pub loading: Loading,

    /// Subcommand; none prints records.
    #[command(subcommand)]
    pub task: Option<Task>,
}

impl Args {
    /// Input files.
    pub(super) fn input_files(&self) -> Vec<PathBuf> {
        match &self.task {
            Some(Task::Follow { options, .. }) => options.files.clone(),
            Some(Task::Stats { options, .. }) => options.files.clone(),
            Some(Task::Explore { options, .. }) => options.files.clone(),
            Some(Task::Browse { options, .. }) => options.files.clone(),
            Some(Task::Find { options, .. }) => options.files.clone(),
            Some(Task::Diff { options, .. }) => options.files.clone(),
            Some(Task::Objects(objects)) => objects.files.clone(),
            Some(Task::Keys(options)) => options.files.clone(),
            Some(Task::Ksy(Ksy::Check(check))) => check.files.clone(),
            Some(Task::Ksy(Ksy::Lua(lua))) => vec![lua.file.clone()],
            Some(Task::Ksy(Ksy::Try(asked))) => std::iter::once(&asked.file).chain(&asked.files).cloned().collect(),
            Some(Task::Lua(Lua::Check(LuaCheck { files }))) => files.clone(),
            Some(_) => Vec::new(),
            None => self.files.clone(),
        }
    }

    /// Whether `-z help` is requested, which requires no input.
    pub(super) fn lists_statistics(&self) -> bool {
        let names = if let Some(Task::Stats { options, .. }) = &self.task { &options.names } else { &self.statistics };
        names.as_slice() == ["help"]
    }

    /// Input options of the command, if it reads captures.
    pub(super) fn reading(&self) -> Option<&Reading> {
        match &self.task {
            None => Some(&self.reading),
            Some(
                Task::Follow { reading, .. }
                | Task::Stats { reading, .. }
                | Task::Browse { reading, .. }
                | Task::Explore { reading, .. }
                | Task::Find { reading, .. }
                | Task::Diff { reading, .. },
            ) => Some(reading),
            Some(Task::Objects(objects)) => Some(&objects.reading),
            Some(Task::Ksy(asked)) => asked.reading(),
            Some(_) => None,
        }
    }

    /// Whether neither a file nor hex text is given, so that input comes from standard input.
    pub fn names_no_input(&self) -> bool {
        let (has_file, reading) = match &self.task {
            Some(Task::Follow { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Stats { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Split(_) | Task::Keys(_)) => return false,
            Some(Task::Browse { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Explore { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Find { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Diff { options, reading }) => (!options.files.is_empty(), reading),
            Some(Task::Objects(objects)) => (!objects.files.is_empty(), &objects.reading),
            Some(Task::Ksy(Ksy::Try(asked))) => (!asked.files.is_empty(), &asked.reading),
            _ => (!self.files.is_empty(), &self.reading),
        };
        !has_file && reading.read_files.is_empty() && reading.hex_text.is_none()
    }
}

/// Output options.
#[derive(Debug, Default, Group)]
pub struct Output {
    /// Print captured packets with all their layers instead of messages
    #[arg(long)]
    pub packets: bool,

    /// Print messages even if the filter or the columns refer to packets only
    #[arg(hide_short_help = true, long, conflicts_with = "packets")]
    pub messages: bool,

    /// Output format
    #[arg(short = 'T', long = "format", value_name = "FORM", value_enum)]
    pub form: Option<Form>,

    /// Print one line per record (same as -T list)
    ///
    /// Has no effect with another format: output is line-buffered anyway.
    #[arg(short = 'l', long, conflicts_with = "json")]
    pub list: bool,

    /// Print one JSON object per line and record (same as -T ndjson)
    #[arg(long, conflicts_with = "form")]
    pub json: bool,

    /// Field to print as a column, or to keep in JSON; repeatable
    #[arg(short = 'e', long = "field", value_name = "NAME", add = ArgValueCompleter::new(complete::fields))]
    pub columns: Vec<String>,

    /// Column format: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n
    #[arg(hide_short_help = true, short = 'E', long = "fields-option", value_name = "NAME=VALUE")]
    pub column_options: Vec<String>,

    /// Add the raw bytes of each field to JSON
    #[arg(hide_short_help = true, long)]
    pub raw: bool,

    /// Print everything: expand groups and do not truncate values
    #[arg(short = 'V', long = "full")]
    pub full: bool,

    /// Add the link, IP and transport fields of each message
    #[arg(short = 'v', long)]
    pub verbose: bool,

    /// Add a hex dump, or to JSON the raw bytes of each field
    #[arg(short = 'x', long = "hex-dump")]
    pub hex: bool,

    /// Print only records that match a display filter: 'ip.src == 10.0.0.1'
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Write the packets of matching records to a capture file
    ///
    /// Records are not printed. The file is pcapng, with the summary of each message as a comment on its last packet; or pcap,
    /// without comments, if FILE ends in .pcap. Packets required to reassemble a message are included. `-` is standard output.
    /// FILE.parquet (feature columns) writes a table instead, see --table.
    #[arg(
        short = 'w',
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["form", "list", "json", "hex", "full", "verbose", "only"]
    )]
    pub write: Option<PathBuf>,

    /// Options for Arrow and Parquet.
    #[command(flatten)]
    pub columnar: ColumnArgs,

    /// Capture file format of -w, regardless of the file name
    #[arg(hide_short_help = true, short = 'F', long = "capture-format", value_name = "FORMAT", value_enum, requires = "write")]
    pub capture_form: Option<CaptureForm>,

    /// Stop after printing N records
    #[arg(short = 'c', long = "count", value_name = "N", allow_negative_numbers = true, value_parser = selection::count)]
    pub count: Option<u64>,

    /// Skip the first N records
    #[arg(
        hide_short_help = true,
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true,
        value_parser = selection::count
    )]
    pub skip: u64,

    /// Print only records with these numbers: 5,10-20
    #[arg(hide_short_help = true, long = "number", value_name = "LIST")]
    pub numbers: Option<String>,

    /// Print details of these protocols only: -O pipboy,tcp
    #[arg(hide_short_help = true, short = 'O', long = "only", value_name = "PROTO,…", add = ArgValueCompleter::new(complete::protocols))]
    pub only: Option<String>,

    /// Title of the -T html page (default: file name)
    #[arg(hide_short_help = true, long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Time format: r relative to the first frame, a local time, ad with date, adoy with day of year, d since the previous record,
    /// dd since the previous printed record, e seconds since 1970, u UTC, ud UTC with date, udoy UTC with day of year
    #[arg(
        hide_short_help = true,
        short = 't',
        long = "time",
        value_name = "FORM",
        default_value = "r",
        hide_default_value = true
    )]
    pub time: String,

    /// Print no records, only the statistics of -z
    #[arg(hide_short_help = true, short = 'q', long)]
    pub quiet: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Exit with status 5 if messages are malformed or stream bytes are missing
    #[arg(hide_short_help = true, long)]
    pub strict: bool,

    /// Exit with status 1 if nothing was printed
    #[arg(hide_short_help = true, long)]
    pub exit_status: bool,
}

// Input options.
#[derive(Debug, Clone, Default, Group)]
#[command(next_help_heading = "Input")]
pub struct Reading {
    /// File to read, as in tshark; other arguments are then a display filter
    #[arg(hide_short_help = true, short = 'r', long = "read-file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub read_files: Vec<PathBuf>,

    /// Accepted for compatibility: names are never resolved
    #[arg(hide = true, short = 'n')]
    no_names: bool,

    /// Accepted for compatibility: names are never resolved
    #[arg(hide = true, short = 'N', value_name = "FLAGS")]
    resolving: Option<String>,

    /// Dissect this hex text instead of a file
    #[arg(long = "hex", value_name = "TEXT", conflicts_with_all = ["files", "read_files"])]
    pub hex_text: Option<String>,

    /// Dissect hex or raw bytes as this protocol: pipboy:s2c, ip, eth
    #[arg(long = "as", value_name = "PROTO[:c2s|:s2c]", add = ArgValueCompleter::new(complete::payload), conflicts_with_all = ["link", "port"])]
    pub as_protocol: Option<String>,

    /// Dissect hex or raw bytes as frames of this link type (name or number)
    #[arg(hide_short_help = true, long, value_name = "TYPE", conflicts_with = "port", add = ArgValueCompleter::new(complete::links))]
    pub link: Option<String>,

    /// Dissect hex or raw bytes as payload of this port: tcp:27000
    #[arg(hide_short_help = true, long, value_name = "tcp|udp:PORT")]
    pub port: Option<String>,

    /// Input format instead of automatic detection
    #[arg(hide_short_help = true, long, value_name = "FORMAT", value_enum)]
    pub input_format: Option<InputForm>,

    /// Where packets end in hex text without offsets: lines, blank or none
    #[arg(hide_short_help = true, long, value_name = "WHERE", value_enum)]
    pub split: Option<SplitForm>,

    /// Byte order of numbers of several bytes in hex text, such as 0x50495002 (default: le)
    #[arg(hide_short_help = true, long, value_name = "le|be", value_enum)]
    pub words: Option<WordForm>,

    /// Report on standard error how the input format was detected
    #[arg(hide_short_help = true, long)]
    pub explain_input: bool,

    /// Decode conversations as a protocol: tcp.port==27000,pipboy
    ///
    /// Also udp.port==8000-8100,none (no protocol), tcp.stream==3,pipboy, ip.addr==10.0.0.5,pipboy and link==user0,pipboy for
    /// frames of a private link type, and log,pipboy for the messages of a log of another program. Repeatable.
    #[arg(short = 'd', long = "decode-as", value_name = "SELECTOR,PROTO", add = ArgValueCompleter::new(complete::decode_as))]
    pub decode_as: Vec<String>,

    /// Protocol setting, such as a key or a password
    #[arg(hide_short_help = true, short = 'o', long = "option", value_name = "PROTO.NAME=VALUE", add = ArgValueCompleter::new(complete::settings))]
    pub settings: Vec<String>,

    /// Read keys of conversations from this file, one a line: minecraft secret 0f1571c9 client=192.0.2.10:51000; repeatable
    ///
    /// A line has a protocol, a name and a value: hex, "text", base64:… or - (empty). The conditions client=IP[:PORT], server=IP[:PORT],
    /// from=TIME, until=TIME and stream=tcp/3 restrict it to some conversations; of several matching lines the last one counts. # begins a
    /// comment. The file may grow during a live capture. Lines that served no conversation are reported at the end. proto-dissect protocols
    /// PROTO lists the keys that a protocol takes; docs/keys.md describes them.
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub keys: Vec<PathBuf>,

    /// Record which keys conversations ask for.
    #[arg(skip)]
    pub records_keys: bool,

    /// Change a limit on memory or work, such as tree.nodes=2M; docs/limits.md lists them
    #[arg(hide_short_help = true, long, value_name = "NAME=VALUE", add = ArgValueCompleter::new(complete::limits))]
    pub limit: Vec<String>,

    /// Number of threads (default: 1, plus one per compressed file for decompression)
    ///
    /// Several files are dissected in parallel and printed in order. A single file is dissected by one thread and printed by another,
    /// which speeds up tables and JSON of long captures if cores are idle. The output does not depend on the number of threads.
    /// 1 does everything, decompression included, in one thread.
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub threads: Option<u8>,

    /// Print passwords and other secrets, which are masked by default
    #[arg(hide_short_help = true, long)]
    pub show_secrets: bool,

    /// Identify protocols by port and -d only, not by content
    #[arg(hide_short_help = true, long)]
    pub no_heuristics: bool,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Heading and table of fields per record
    Table,
    /// One line per record
    List,
    /// As tshark: the list, or the table with -V
    Text,
    /// One line per packet, with tab-separated columns
    Tabs,
    /// Self-contained HTML page of records, fields and bytes
    Html,
    /// JSON Lines: one object per record
    Ndjson,
    /// JSON array of all records
    Json,
    /// JSON Lines with one flat object per record
    Flat,
    /// JSON Lines with nested objects for groups
    Nested,
    /// Columns of -e, tab-separated
    Fields,
    /// Columns of -e as CSV with a header
    Csv,
    /// Packets for the bulk API of Elasticsearch
    Ek,
    /// Packet details as XML (Packet Details Markup Language)
    Pdml,
    /// Packet summaries as XML (Packet Summary Markup Language)
    Psml,
    /// Packets as JSON with the raw bytes of each field
    Jsonraw,
    /// Arrow stream of a table (feature columns), see --table
    Arrow,
}

impl Form {
    /// Whether this format prints packets only, as its consumers expect.
    pub(super) fn is_of_frames(self) -> bool {
        matches!(self, Form::Tabs | Form::Ek | Form::Pdml | Form::Psml | Form::Jsonraw)
    }
}

/// Capture file formats of `-F`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CaptureForm {
    /// Single link type, no comments
    #[value(alias = "libpcap")]
    Pcap,
    /// Comments, several interfaces and link types
    Pcapng,
}

/// When to use colours.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// If standard output is a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// When to use a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Paging {
    /// If standard output is a terminal and the output does not fit on it
    Auto,
    /// Never
    Never,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
// Options are built for the selected subcommand only. A doc comment on a struct of options would become the command's description.
#[command(defer = true)]
pub enum Task {
    /// List the conversations of a capture, or print the bytes of one
    Follow {
        /// Conversation and output format.
        #[command(flatten)]
        options: FollowOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// Print statistics: protocols, conversations, throughput, health, coverage
    Stats {
        /// Statistics to print.
        #[command(flatten)]
        options: StatsOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// Browse a capture interactively: records, fields and bytes in panes
    Browse {
        /// View options.
        #[command(flatten)]
        options: BrowseOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// Analyze an unknown protocol: framing, message types, columns, draft .ksy file
    Explore {
        /// Conversations and hypotheses to explore.
        #[command(flatten)]
        options: ExploreOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// Search all conversations for a number or a text, also in decoded bytes
    Find {
        /// Value and captures.
        #[command(flatten)]
        options: FindOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// Compare two captures, conversations or messages, field by field
    Diff {
        /// Messages to compare.
        #[command(flatten)]
        options: DiffOptions,
        /// Input options.
        #[command(flatten)]
        reading: Reading,
    },
    /// List or save transferred objects: files, maps, value trees
    Objects(Objects),
    /// List conversations that need keys, with the lines that serve them, and try candidates
    Keys(KeysOptions),
    /// Split a capture into parts that give the same messages when dissected separately
    Split(SplitOptions),
    /// List supported protocols: names, ports, coverage
    Protocols(Protocols),
    /// List fields: filter name, type, label, description
    Fields(Fields),
    /// Check Kaitai Struct (.ksy) files, or convert them to Wireshark dissectors
    #[command(subcommand, arg_required_else_help = true)]
    Ksy(Ksy),
    /// Check Wireshark dissectors in Lua: what they register, and what is not supported
    #[command(subcommand, arg_required_else_help = true)]
    Lua(Lua),
    /// Print the JSON Schema of --json output
    Schema {
        /// Print the columns and types of the Arrow and Parquet tables instead
        #[arg(long)]
        columns: bool,
    },
    /// Generate shell completions
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Generate the manual page (roff)
    Man,
}

// Conversation and output format.
#[derive(Debug, Group)]
pub struct FollowOptions {
    /// Captures or hex text files; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Conversation to print: tcp/0, udp/3, or 0 for tcp/0; http/0 and tls/0 print the bodies or the decrypted bytes of tcp/0
    #[arg(short = 's', long, value_name = "STREAM")]
    pub stream: Option<String>,

    /// Output format
    #[arg(short = 'T', long = "format", value_name = "FORM", value_enum)]
    pub form: Option<FollowForm>,

    /// Print one JSON object per line for each conversation or payload (same as -T ndjson)
    #[arg(long, conflicts_with = "form")]
    pub json: bool,

    /// List conversations, or print payloads, of matching records only
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Print one direction only
    #[arg(long, value_name = "DIR", value_enum)]
    pub dir: Option<Direction>,

    /// Write each direction of each conversation to a file in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub write_dir: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

// View options.
#[derive(Debug, Group)]
pub struct BrowseOptions {
    /// Captures or hex text files; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// List matching records only
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Show this field as a column; repeatable. Press c to change columns
    #[arg(short = 'e', long = "field", value_name = "NAME", add = ArgValueCompleter::new(complete::fields))]
    pub columns: Vec<String>,

    /// Start with packets instead of messages
    #[arg(long)]
    pub packets: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}
