//! `explore --find` and `--find-change`: search for a known value in the payload.

use super::explore::ExploreOptions;
use super::usage_error::UsageError;
use super::{Exit, forms, print_error};
use crate::explore::{COMPARED, Explored, FindView, Places, Side, Value, changes, find, write_changes_json, write_findings_json};
use std::io::{self, Write};

/// Encodings that are not searched.
const NEVER: &str = "bit fields, packed decimals, compressed and encrypted bytes";

/// Time of the first frame, and the record number at an offset.
type Numbers<'n> = (Option<i64>, &'n dyn Fn(&Side, u64) -> Option<u64>);

/// Search target.
pub(super) enum Sought {
    /// A value.
    Value(Value),
    /// A change from one value to another.
    Change([Value; 2]),
}

impl Sought {
    /// Parses the options; `None` without them.
    pub(super) fn new(value: Option<&str>, change: Option<&str>) -> Result<Option<Sought>, UsageError> {
        match (value, change) {
            (Some(value), _) => {
                Value::parse(value).map(|value| Some(Sought::Value(value))).map_err(|why| format!("--find {why}"))
            }
            (None, Some(change)) => Value::parse_change(change)
                .map(|values| Some(Sought::Change(values)))
                .map_err(|why| format!("--find-change {why}")),
            (None, None) => Ok(None),
        }
    }

    /// Searches and prints matches.
    pub(super) fn answer(
        &self,
        options: &ExploreOptions,
        file: &str,
        groups: &[(String, Explored<'_>)],
        (start, number): Numbers<'_>,
        to: &mut dyn Write,
    ) -> io::Result<Exit> {
        let places = Places::new(groups);
        let mut notes = skipped_parts(groups);
        let view = FindView { theme: forms::theme(options.color), width: forms::width(), most: options.messages, start, number };
        let is_empty = match self {
            Sought::Value(value) => {
                let findings = find(groups, value, &places);
                if options.json {
                    write_findings_json(file, value, &findings, &places, number, &notes, to)?;
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
