//! The command line for programs that embed the engine, such as the Python package: its input options, its error texts, and
//! commands whose output is returned.

use super::args::Reading;
use super::loading::{self, Loading};
use super::screen::Screen;
use super::{Exit, decode_as, follow, forms, memory, perform, settled};
use crate::input::Options;
use crate::nearest::similar;
use crate::record::Record;
use crate::registry::Registry;
use crate::render::{Table, TableOptions, Theme, TimeForm};
use crate::sink::Sink;
use crate::tree::StreamId;
use crate::wire::Protocol;
use clap::Parser;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Loaded files replace those of an earlier call in the default registry: one call at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Input options, as an argument list.
#[derive(Debug, Parser)]
#[command(name = super::NAME, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    loading: Loading,
}

/// What input options result in.
pub struct Configured {
    /// The protocols, with the user's choices.
    pub registry: Registry,
    /// How input is opened.
    pub options: Options,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Warnings about them.
    pub warnings: Vec<String>,
}

/// Parses input options, and loads the files they name, with these protocols of the program. Registries that were returned before keep theirs. They are leaked: a
/// program keeps and reuses them.
///
/// # Errors
/// The text that the command line prints.
pub fn configured(words: &[OsString], own: Vec<&'static Protocol>) -> Result<Configured, String> {
    let line = std::iter::once(OsString::from(super::NAME)).chain(words.iter().cloned());
    let Words { reading, loading } = Words::try_parse_from(line).map_err(|error| in_one_line(&error))?;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut files, mut warnings) = (loading::named(&loading), Vec::new());
    loading::load_collecting(&loading, own, &mut files, &mut warnings)?;
    let registry = decode_as::registry(&reading)?;
    let options = Options { helped: false, ..decode_as::options(&reading, registry)? };
    files.extend(reading.keys);
    Ok(Configured { registry, options, files, warnings })
}

/// The first line of an error, without its prefix.
pub(super) fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// Runs a command line without the program's name. Returns its exit code, its output, and what it reports on standard error.
#[must_use]
pub fn run(words: Vec<OsString>) -> (Exit, Vec<u8>, Vec<String>) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    memory::begin();
    let line = std::iter::once(OsString::from(super::NAME)).chain(words).collect();
    let exit = match settled(line) {
        Ok(args) => perform(args, Screen::in_memory(), &mut Vec::new()),
        Err(exit) => exit,
    };
    let (output, errors) = memory::end();
    (exit, output, errors)
}

/// Columns of a notebook's cell.
const WIDTH: usize = 100;

/// The table of a record, without colours.
///
/// # Errors
/// None but those of writing to memory.
pub fn table_of(record: &Record<'_>) -> io::Result<String> {
    let mut bytes = Vec::new();
    let options = TableOptions {
        verbose_fields: false,
        carriers: false,
        hex: false,
        details: Vec::new(),
        width: Some(WIDTH),
        theme: Theme::plain(),
        time: TimeForm::Relative,
        file_names: false,
    };
    let mut table = Table::new(&mut bytes, options);
    table.record(record)?;
    table.finish()?;
    drop(table);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses a conversation, such as `tcp/0`.
///
/// # Errors
/// What is expected.
pub fn conversation(text: &str) -> Result<StreamId, String> {
    follow::conversation(text)
}

/// Error message for an unknown field, with similar names.
#[must_use]
pub fn unknown_field(name: &str) -> String {
    forms::unknown_field(name)
}

/// Suggestions for a mistyped name, as the end of a message; may be empty.
pub fn similar_names<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> String {
    similar(name, known)
}
