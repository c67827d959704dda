//! Runs columnar output.

use super::super::args::{Args, Output};
use super::super::counted::Counted;
use super::super::forms;
use super::super::input::{self, InputSettings};
use super::super::outcome::Outcome;
use super::super::printer::Printer;
use super::super::record_selection::RecordSelection;
use super::super::replace::Replacement;
use super::super::screen::Screen;
use super::super::source::Source;
use super::super::split::empty_folder;
use super::super::usage_error::UsageError;
use super::super::{Exit, of_output, print_error, reject};
use super::is_parquet;
use crate::columns::{ColumnSink, Table, Target, What, Wide};
use crate::failure::Words;
use crate::record::{Scope, View};
use crate::render::ColumnOptions;
use crate::sink::Sink;
use std::io::{self, BufWriter, IsTerminal};
use std::path::Path;

/// Size of the write buffer.
const BLOCK: usize = 64 << 10;

/// Writes the records of all inputs to a table or a data set.
pub(in crate::cli) fn run(mut args: Args, screen: Screen) -> Exit {
    args.output.packets |= args.output.columnar.table.map(Table::from) == Some(Table::Packets);
    match Task::new(&args).and_then(|task| task.run(&args, screen)) {
        Ok(exit) => exit,
        Err(wrong) => reject(wrong),
    }
}

/// Inputs and output of a run.
struct Task {
    what: What,
    settings: InputSettings,
    selection: RecordSelection,
}

impl Task {
    fn new(args: &Args) -> Result<Task, UsageError> {
        let output = &args.output;
        // Batches are assembled in order.
        let settings = InputSettings::new(&args.reading)?.alone();
        let (wide, scope) = wide(output)?.unzip();
        let selection = RecordSelection::new(output, scope)?;
        let view = selection.view();
        let what = match (wide, output.columnar.table.map(Table::from)) {
            (Some(wide), _) => What::Wide(wide),
            (None, Some(table)) if !table.is_of(view) => {
                return Err(format!("--table {}: not available with --packets; omit --packets", table.word()));
            }
            (None, Some(table)) => What::One(table),
            (None, None) if output.columnar.write_dir.is_some() => What::All(view),
            (None, None) if view == View::Packets => What::One(Table::Packets),
            (None, None) => What::One(Table::Messages),
        };
        Ok(Task { what, settings, selection })
    }

    /// Reads all inputs. Errors are usage errors.
    fn run(self, args: &Args, screen: Screen) -> Result<Exit, UsageError> {
        let sources = Source::all(&args.files, &args.reading);
        let output = &args.output;
        let (target, replacement) = match (&output.columnar.write_dir, output.write.as_deref().filter(|path| is_parquet(path))) {
            (Some(folder), _) => {
                empty_folder(folder)?;
                (Target::Folder(folder.clone()), None)
            }
            (None, Some(path)) => {
                let unwritable = |error: io::Error| format!("{}: cannot be written: {}", path.display(), Words(&error));
                let (file, replacement) = Replacement::create(path).map_err(unwritable)?;
                (Target::File(Box::new(BufWriter::with_capacity(BLOCK, file))), replacement)
            }
            (None, None) if io::stdout().is_terminal() => {
                return Err("-T arrow is binary and cannot be printed on a terminal; try | or > FILE".to_owned());
            }
            (None, None) => (Target::Stream(screen.writer(!sources.iter().all(Source::is_complete))), None),
        };
        let place = output.columnar.write_dir.as_deref().or(output.write.as_deref());
        let mut writer = Printer::in_order(ColumnSink::new(self.what, target), self.selection);
        let mut outcome = Outcome::default();
        self.settings.report_unreadable(&sources);
        let done = read(&sources, &self.settings, &mut writer, &mut outcome);
        let is_open = writer.sink.is_open();
        let done = done.and_then(|()| match replacement {
            // If no input could be read, an existing file is kept.
            Some(replacement) if is_open => replacement.commit(),
            _ => Ok(()),
        });
        Ok(match done {
            Ok(()) => {
                if let Some(place) = place.filter(|_| is_open && !output.quiet) {
                    print_error(format_args!("{} written to {}", Counted(writer.sink.rows(), "row"), place.display()));
                }
                outcome.exit(output)
            }
            Err(error) => outcome.read.max(failed(place, &error)),
        })
    }
}

fn read(
    sources: &[Source],
    settings: &InputSettings,
    writer: &mut Printer<'_, ColumnSink<'_>>,
    outcome: &mut Outcome,
) -> io::Result<()> {
    for source in sources {
        let read = input::input(source, settings, writer)?;
        outcome.add(Outcome { read, ..writer.selection.outcome() });
    }
    writer.sink.finish()
}

fn failed(place: Option<&Path>, error: &io::Error) -> Exit {
    match place {
        Some(path) => {
            print_error(format_args!("{}: cannot be written: {}", path.display(), Words(error)));
            Exit::Failed
        }
        None => of_output(error),
    }
}

/// The columns of `-e`, and whether they refer to messages or packets.
fn wide(output: &Output) -> Result<Option<(Wide, Scope)>, UsageError> {
    if output.columns.is_empty() {
        return if output.column_options.is_empty() {
            Ok(None)
        } else {
            Err("-E formats the columns of -e; -e is missing".to_owned())
        };
    }
    let columns = forms::columns(&output.columns)?;
    let again = columns.iter().enumerate().find(|(at, column)| columns.iter().take(*at).any(|other| other.name == column.name));
    if let Some((_, column)) = again {
        return Err(format!("-e {}: a table has one column of a name; leave the second one out", column.name));
    }
    let options = forms::column_options(ColumnOptions::default(), output)?;
    let mut scope = Scope::default();
    columns.iter().for_each(|column| column.add_to(&mut scope));
    Ok(Some((Wide::new(columns, &options), scope)))
}
