//! `explore --find` and `--find-change`: search for a known value in the payload.

use super::args::When;
use super::complete;
use super::explore::ExploreOptions;
use super::usage_error::UsageError;
use super::{Exit, forms, print_error};
use crate::explore::{
    COMPARED, Explored, Fields, FindView, Places, Side, Value, changes, find, write_changes_json, write_findings_json,
};
use clap::{Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::io::{self, Write};
use std::path::PathBuf;

/// Encodings that are not searched.
const NEVER: &str = "bit fields, packed decimals, bytes that no protocol decompresses or decrypts";

/// Time of the first frame, the record number at an offset, and what dissectors say.
type Numbers<'n> = (Option<i64>, &'n dyn Fn(&Side, u64) -> Option<u64>, Option<&'n Fields>);

// Value to search for, and captures.
#[derive(Debug, Group)]
pub struct FindOptions {
    /// Number or text to search for in all encodings: widths, byte orders, scales, float, varint, UTF-16; quote a number to search
    /// for its digits
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub value: String,

    /// Captures or hex text files, searched separately; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Conversations to search: tcp/3 or tcp/3,tcp/5 (default: all)
    #[arg(short = 's', long, value_name = "LIST")]
    pub stream: Option<String>,

    /// Search the conversations of matching records
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with = "stream", add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Maximum number of matches to list per encoding
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub messages: usize,

    /// Maximum number of bytes to search per direction
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_bytes: usize,

    /// Print one JSON object per line and encoding
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Exit with status 1 if nothing was found
    #[arg(long)]
    pub exit_status: bool,
}

impl FindOptions {
    /// The same as options of `explore`.
    pub(super) fn explore(&self) -> ExploreOptions {
        ExploreOptions {
            files: self.files.clone(),
            stream: self.stream.clone(),
            filter: self.filter.clone(),
            rule: None,
            type_at: None,
            kind: None,
            at: None,
            find: Some(self.value.clone()),
            find_name: "find",
            find_change: None,
            ksy: false,
            protocols: Vec::new(),
            top: 3,
            messages: self.messages,
            max_bytes: self.max_bytes,
            json: self.json,
            color: self.color,
            exit_status: self.exit_status,
        }
    }
}

/// Search target.
pub(super) enum Sought {
    /// A value.
    Value(Value),
    /// A change from one value to another.
    Change([Value; 2]),
}

impl Sought {
    /// Parses the options; `None` without them. The value has this name in errors.
    pub(super) fn new((name, value): (&str, Option<&str>), change: Option<&str>) -> Result<Option<Sought>, UsageError> {
        match (value, change) {
            (Some(value), _) => {
                Value::parse(value).map(|value| Some(Sought::Value(value))).map_err(|why| format!("{name} {why}"))
            }
            (None, Some(change)) => Value::parse_change(change)
                .map(|values| Some(Sought::Change(values)))
                .map_err(|why| format!("--find-change {why}")),
            (None, None) => Ok(None),
        }
    }

    /// The value, if no change is sought.
    pub(super) fn value(&self) -> Option<&Value> {
        if let Sought::Value(value) = self { Some(value) } else { None }
    }

    /// Searches and prints matches.
    pub(super) fn answer(
        &self,
        options: &ExploreOptions,
        file: &str,
        groups: &[(String, Explored<'_>)],
        (start, number, fields): Numbers<'_>,
        to: &mut dyn Write,
    ) -> io::Result<Exit> {
        let places = Places::new(groups);
        let mut notes = skipped_parts(groups);
        let view =
            FindView { theme: forms::theme(options.color), width: forms::width(), most: options.messages, start, number, fields };
        let is_empty = match self {
            Sought::Value(value) => {
                let findings = find(groups, value, &places, fields);
                if options.json {
                    write_findings_json(file, value, &findings, &places, (number, fields), &notes, to)?;
                } else if !findings.found.is_empty() {
                    view.heading(&value.to_string(), &places, to)?;
                    view.findings(&findings, &places, to)?;
                }
                findings.found.is_empty()
            }
            Sought::Change(values) => {
                let changes = changes(groups, values, &places);
                let cut = changes.cut.iter().map(|form| format!("matches of {form} after the first {COMPARED}"));
                notes.extend(cut);
                if options.json {
                    write_changes_json(file, values, &changes, &places, number, &notes, to)?;
                } else if !changes.all.is_empty() {
                    view.heading(&self.to_string(), &places, to)?;
                    view.changes(&changes, &places, to)?;
                }
                changes.all.is_empty()
            }
        };
        let notes = format!("not searched: {}", notes.join("; "));
        match (options.json, is_empty) {
            (true, _) => {}
            (false, true) => {
                let streams: usize = groups.iter().map(|(_, explored)| explored.streams().len()).sum();
                let conversations = if streams == 1 { "conversation" } else { "conversations" };
                print_error(format_args!("{file}: {self} not found in {streams} {conversations}; {notes}"));
            }
            (false, false) => {
                writeln!(to)?;
                view.note(&notes, to)?;
            }
        }
        Ok(if is_empty && options.exit_status { Exit::Failed } else { Exit::Fine })
    }
}

impl std::fmt::Display for Sought {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sought::Value(value) => write!(f, "{value}"),
            Sought::Change([first, second]) => write!(f, "{first} → {second}"),
        }
    }
}

/// Parts of the input that were not searched.
fn skipped_parts(groups: &[(String, Explored<'_>)]) -> Vec<String> {
    let mut notes = Vec::new();
    for side in groups.iter().flat_map(|(_, explored)| explored.sides) {
        let rest = side.sent.saturating_sub(side.bytes.len() as u64);
        if rest > 0 {
            notes.push(format!("{rest} bytes of {}, beyond the limit", side.buffer()));
        }
        if side.missing() > 0 {
            notes.push(format!("{} bytes of {}, missing from the capture", side.missing(), side.buffer()));
        }
    }
    notes.push(String::from(NEVER));
    notes
}
