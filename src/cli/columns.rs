//! `-T arrow`, `-w FILE.parquet` and `--write-dir`: columnar output.

use super::args::{Args, Form, Output};
use crate::columns::Table;
use clap::{Args as Group, ValueEnum, ValueHint};
use std::path::{Path, PathBuf};

#[cfg(feature = "columns")]
mod run;
#[cfg(feature = "columns")]
pub(super) use run::run;

/// Options for Arrow and Parquet.
#[derive(Debug, Default, Group)]
pub struct ColumnArgs {
    /// Write all tables as Parquet (feature columns), with a directory per table and protocol; DIR must be empty or is created
    #[arg(
        hide_short_help = true,
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = ["write", "form", "list", "json", "columns", "column_options", "hex", "full", "verbose", "only"]
    )]
    pub write_dir: Option<PathBuf>,

    /// Table of -T arrow and -w FILE.parquet (feature columns; default: packets with --packets, else messages); `schema --columns`
    /// lists the columns
    #[arg(hide_short_help = true, long, value_name = "TABLE", value_enum, conflicts_with_all = ["write_dir", "columns"])]
    pub table: Option<TableName>,
}

/// Tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableName {
    /// One row per message
    Messages,
    /// One row per field
    Fields,
    /// One row per packet
    Packets,
    /// One row per note
    Notes,
    /// One row per gap in a stream
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

/// Whether columnar output is selected.
pub(super) fn is_selected(output: &Output) -> bool {
    output.form == Some(Form::Arrow)
        || output.columnar.write_dir.is_some()
        || output.columnar.table.is_some()
        || output.write.as_deref().is_some_and(is_parquet)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Whether the extension is that of a table in another format, so that a capture with this name would be a mistake.
fn is_other_table(path: &Path) -> bool {
    const OTHERS: [&str; 8] = ["arrow", "arrows", "feather", "ipc", "parq", "pq", "csv", "json"];
    path.extension().is_some_and(|extension| OTHERS.iter().any(|other| extension.eq_ignore_ascii_case(other)))
}

/// Returns a usage error of the columnar options.
pub(super) fn mistake(args: &Args) -> Option<String> {
    let output = &args.output;
    let writes_capture = output.write.is_some() && !output.write.as_deref().is_some_and(is_parquet);
    if writes_capture && !(output.columns.is_empty() && output.column_options.is_empty()) {
        return Some(
            "-w writes a capture, which has no columns; to write the columns of -e (--field), use -w FILE.parquet".to_owned(),
        );
    }
    if let Some(path) = output.write.as_deref().filter(|path| is_other_table(path)) {
        let path = path.display();
        return Some(format!(
            "{path}: -w writes captures, and tables to a FILE.parquet; for others try -T arrow, -T csv or -T json"
        ));
    }
    if output.columnar.table.is_some() && output.form != Some(Form::Arrow) && !output.write.as_deref().is_some_and(is_parquet) {
        return Some("--table requires columnar output; try -T arrow or -w FILE.parquet".to_owned());
    }
    None
}

/// Reports that this build lacks columnar output.
#[cfg(not(feature = "columns"))]
pub(super) fn run(_: Args, _: super::screen::Screen) -> super::Exit {
    super::print_error(format_args!(
        "this build does not include Arrow and Parquet (feature columns); releases do, or build it with cargo install --features columns"
    ));
    super::Exit::Usage
}
