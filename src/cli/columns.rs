//! `-T arrow`, `-w FILE.parquet` and `--write-dir`: records as columns.

use super::args::{Args, Form, Output};
use crate::columns::Table;
use clap::{Args as Group, ValueEnum, ValueHint};
use std::path::{Path, PathBuf};

#[cfg(feature = "columns")]
mod run;
#[cfg(feature = "columns")]
pub(super) use run::run;

/// Which tables are written, and where.
#[derive(Debug, Default, Group)]
pub struct ColumnArgs {
    /// Write all tables as Parquet: a folder each, and in it one for each protocol; DIR must be empty or is made
    #[arg(
        hide_short_help = true,
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = ["write", "form", "list", "json", "columns", "column_options", "hex", "full", "verbose", "only"]
    )]
    pub write_dir: Option<PathBuf>,

    /// The table of -T arrow and -w FILE.parquet: messages, or packets with --packets, unless set; `schema --columns` lists columns
    #[arg(hide_short_help = true, long, value_name = "TABLE", value_enum, conflicts_with_all = ["write_dir", "columns"])]
    pub table: Option<TableName>,
}

/// Names of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableName {
    /// A row for each message
    Messages,
    /// A row for each field
    Fields,
    /// A row for each packet
    Packets,
    /// A row for each note
    Notes,
    /// A row for each gap in a stream
    Gaps,
}

impl From<TableName> for Table {
    fn from(name: TableName) -> Table {
        match name {
            TableName::Messages => Table::Messages,
            TableName::Fields => Table::Fields,
            TableName::Packets => Table::Packets,
            TableName::Notes => Table::Notes,
            TableName::Gaps => Table::Gaps,
        }
    }
}

/// Whether records are written as columns.
pub(super) fn are_asked(output: &Output) -> bool {
    output.form == Some(Form::Arrow)
        || output.columnar.write_dir.is_some()
        || output.columnar.table.is_some()
        || output.write.as_deref().is_some_and(is_parquet)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Whether the name is one of a table in another format, and a capture under it would be a mistake.
fn is_other_table(path: &Path) -> bool {
    const OTHERS: [&str; 8] = ["arrow", "arrows", "feather", "ipc", "parq", "pq", "csv", "json"];
    path.extension().is_some_and(|extension| OTHERS.iter().any(|other| extension.eq_ignore_ascii_case(other)))
}

/// What is wrong with options about columns; nothing for most runs.
pub(super) fn mistake(args: &Args) -> Option<String> {
    let output = &args.output;
    let writes_capture = output.write.is_some() && !output.write.as_deref().is_some_and(is_parquet);
    if writes_capture && !(output.columns.is_empty() && output.column_options.is_empty()) {
        return Some("-w writes a capture, which has no columns; for those of -e (--field), name a FILE.parquet".to_owned());
    }
    if let Some(path) = output.write.as_deref().filter(|path| is_other_table(path)) {
        let path = path.display();
        return Some(format!(
            "{path}: -w writes captures, and tables to a FILE.parquet; for others try -T arrow, -T csv or -T json"
        ));
    }
    if output.columnar.table.is_some() && output.form != Some(Form::Arrow) && !output.write.as_deref().is_some_and(is_parquet) {
        return Some("--table is of columns; try -T arrow or -w FILE.parquet".to_owned());
    }
    None
}

/// A build without columns says so.
#[cfg(not(feature = "columns"))]
pub(super) fn run(_: Args, _: super::screen::Screen) -> super::Exit {
    super::complain(format_args!("this build writes no Arrow and no Parquet; build it with cargo install --features columns"));
    super::Exit::Usage
}
