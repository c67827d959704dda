//! The command line: what is typed becomes a run, and a run becomes an exit code.

pub mod ahead;
mod args;
mod choose;
mod exit;
mod follow;
mod forms;
mod objects;
mod print;
mod read;
mod select;
mod settings;
mod source;
mod stats;

use args::{Args, Task};
use clap::{CommandFactory, Parser};
use std::io::{self, IsTerminal, Write};

pub use exit::Exit;

/// The name of the program, in messages and completions.
pub const NAME: &str = "proto-dissect";

/// Read the command line, do what it says, and tell how that went.
#[must_use]
pub fn run() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return wrong_usage(&error),
    };
    let done = match &args.task {
        Some(Task::Completions { shell }) => write_completions(*shell, &mut io::stdout()),
        Some(Task::Man) => write_man(&mut io::stdout()),
        _ if args.names_no_input() && io::stdin().is_terminal() => {
            return wrong_usage(&Args::command().error(
                clap::error::ErrorKind::MissingRequiredArgument,
                "nothing to read: name a FILE, or pipe a capture or a hex dump in; --help tells more",
            ));
        }
        Some(Task::Follow { options, reading }) => return follow::run(options, reading),
        Some(Task::Stats { options, reading }) => return stats::run(options, reading),
        Some(Task::Objects(objects)) => return objects::run(objects),
        None if !args.statistics.is_empty() => return stats::run_named(&args),
        None => return print::run(&args),
    };
    match done {
        Ok(()) => Exit::Fine,
        Err(error) => of_output(&error),
    }
}

/// What clap says of a command line that is no run: help and version are answers, all else is wrong usage.
fn wrong_usage(error: &clap::Error) -> Exit {
    // Where the complaint cannot be written, the exit code still says it.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Fine }
}

/// How a run ends whose output cannot be written: a reader that has seen enough is no failure.
fn of_output(error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Exit::Fine;
    }
    complain(format_args!("cannot write the output: {error}"));
    Exit::Failed
}

/// A line on standard error.
fn complain(what: std::fmt::Arguments<'_>) {
    // There is nowhere left to say that this did not work.
    let _ = writeln!(io::stderr(), "{NAME}: {what}");
}

/// The completions of a shell.
///
/// # Errors
/// Those of writing.
pub fn write_completions(shell: clap_complete::Shell, out: &mut dyn Write) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), NAME, &mut script);
    out.write_all(&script)
}

/// The manual page, as roff.
///
/// # Errors
/// Those of writing.
pub fn write_man(out: &mut dyn Write) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut page)?;
    out.write_all(&page)
}
