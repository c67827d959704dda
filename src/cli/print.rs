//! The default command: prints the records of inputs.

use super::args::Args;
use super::forms::Plan;
use super::input::{self, InputSettings};
use super::outcome::Outcome;
use super::printer::Printer;
use super::record_selection::RecordSelection;
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, of_output, parallel, reject};
use std::io::{self, IsTerminal, Write};

/// Prints the records of all inputs.
pub(super) fn run(args: &Args, screen: Screen) -> Exit {
    let sources = Source::all(&args.files, &args.reading);
    let is_helpful = io::stderr().is_terminal() && !args.output.quiet;
    let settings = InputSettings::new(&args.reading).map(|settings| settings.naming_candidates(is_helpful));
    let task = match settings.and_then(|settings| Task::new(&sources, settings, args)) {
        Ok(task) => task,
        Err(wrong) => return reject(wrong),
    };
    task.settings.report_unreadable(&sources);
    let choice = task.selection.first().map(RecordSelection::choice);
    let mut outcome = Outcome::default();
    match task.run(screen.writer(!sources.iter().all(Source::is_complete)), &mut outcome) {
        Ok(()) => {
            if let Some(choice) = choice
                && is_helpful
            {
                choice.explain(&args.output, &outcome, &sources);
            }
            outcome.exit(&args.output)
        }
        Err(error) => outcome.read.max(of_output(&error)),
    }
}

/// Inputs, settings and output of a run.
struct Task<'a> {
    sources: &'a [Source],
    settings: InputSettings,
    plan: Plan,
    /// One selection per reading thread.
    selection: Vec<RecordSelection>,
}

impl<'a> Task<'a> {
    /// Derives the task from the options.
    fn new(sources: &'a [Source], settings: InputSettings, Args { output, habits, .. }: &Args) -> Result<Task<'a>, UsageError> {
        let plan = Plan::new(output, sources.len() > 1, !sources.iter().all(Source::is_complete))?;
        let plan = match (&habits.kept, &habits.kept_below) {
            (Some(names), _) => plan.keeping(names, false)?,
            (None, Some(names)) => plan.keeping(names, true)?,
            (None, None) => plan,
        };
        let plan = plan.revealing(settings.registry().shows_secrets());
        let scope = plan.scope();
        let mut selection = vec![RecordSelection::new(output, scope)?];
        if !plan.is_one_document() && !selection.iter().any(RecordSelection::spans_inputs) {
            for _ in 1..parallel::files::readers(sources, settings.threads()) {
                selection.push(RecordSelection::new(output, scope)?);
            }
        }
        Ok(Task { sources, settings, plan, selection })
    }

    fn run(self, to: Box<dyn Write + Send>, outcome: &mut Outcome) -> io::Result<()> {
        match <[RecordSelection; 1]>::try_from(self.selection) {
            Ok([selection]) => {
                let mut printer = Printer::new(&self.plan, to, selection);
                for source in self.sources {
                    let read = input::input(source, &self.settings, &mut printer)?;
                    outcome.add(Outcome { read, ..printer.selection.outcome() });
                }
                printer.sink.finish()
            }
            Err(several) => parallel::files::run(self.sources, &self.settings, &self.plan, several, to, outcome),
        }
    }
}
