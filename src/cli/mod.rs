//! The command line: arguments, subcommands and exit codes.

mod args;
mod audience;
mod browse;
#[cfg(test)]
mod bugs;
mod candidates;
mod columns;
mod complete;
mod counted;
mod decode_as;
mod diff;
pub mod embedded;
mod exit;
mod explore;
mod find;
mod first_word;
mod follow;
mod follow_form;
mod forms;
mod glossary;
mod habits;
mod help;
mod input;
mod input_forms;
mod inputs;
mod interrupt;
mod intervals;
mod key_candidates;
mod key_list;
mod key_trial;
mod keys;
mod ksy;
mod ksy_try;
mod loading;
mod lua;
mod memory;
mod notes;
mod objects;
mod outcome;
mod parallel;
mod preferences;
mod print;
mod printer;
mod progress;
mod record_selection;
mod replace;
mod screen;
mod scripts;
mod selection;
mod settings;
mod several;
mod shared;
mod similar_file;
mod source;
mod split;
mod stats;
mod switching;
mod unexplained;
mod usage_error;
mod user_files;
mod view;
mod watch;
mod write;

use crate::engine::bug;
use crate::failure::{Words, is_closed_pipe};
use crate::render::Shortage;
use crate::tree::is_harmful;
use args::{Args, Paging, Task};
use clap::CommandFactory;
use screen::Screen;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

pub use exit::Exit;

/// Program name in messages and completions.
pub const NAME: &str = "proto-dissect";

/// Runs the command line of the process and returns its exit code.
pub fn run() -> Exit {
    run_line(std::env::args_os().collect())
}

/// Runs a command line.
fn run_line(line: Vec<OsString>) -> Exit {
    std::panic::set_hook(Box::new(|info| {
        if !bug::records(info) {
            print_error(format_args!("this is a bug, please report it: {}", info.to_string().replace('\n', " ")));
        }
    }));
    // The panic hook has reported it.
    let exit = std::panic::catch_unwind(|| run_task(line)).unwrap_or(Exit::Failed);
    exit_of(interrupt::exit().unwrap_or(exit), bug::first())
}

/// Exit code of a run. A bug in a dissector is reported and makes the run fail.
fn exit_of(exit: Exit, bug: Option<&str>) -> Exit {
    match bug {
        Some(bug) => {
            print_error(format_args!("a dissector has a bug, and its bytes are shown as data; please report it: {bug}"));
            exit.max(Exit::Failed)
        }
        None => exit,
    }
}

fn run_task(line: Vec<OsString>) -> Exit {
    match complete::answered() {
        Ok(false) => {}
        Ok(true) => return Exit::Fine,
        Err(error) => return wrong_usage(&error),
    }
    if habits::requests_version(&line) {
        return write_version(&mut io::stdout()).map_or_else(|error| of_output(&error), |()| Exit::Fine);
    }
    let args = match settled(line.clone()) {
        Ok(args) => args,
        Err(exit) => return exit,
    };
    let is_view = matches!(args.task, Some(Task::Browse { .. }));
    if !args.loading.watch || is_view && watched(&args).is_ok() {
        let screen = Screen { pages: args.pager == Paging::Auto, ..Screen::default() };
        return perform(args, screen, &mut Vec::new());
    }
    match watched(&args) {
        Ok(named) => watch::run(named, |screen, read| match settled(line.clone()) {
            Ok(args) => perform(args, screen, read),
            Err(exit) => exit,
        }),
        Err(wrong) => {
            print_error(format_args!("--watch: {wrong}"));
            Exit::Usage
        }
    }
}

/// Parses and checks a command line, and installs signal handlers.
fn settled(line: Vec<OsString>) -> Result<Args, Exit> {
    let mut args = first_word::parse(line.clone()).map_err(|error| wrong_usage(&error))?;
    // Signals belong to the program that embeds a command.
    if !memory::collects() && !matches!(args.task, Some(Task::Completions { .. } | Task::Man)) {
        interrupt::install();
    }
    first_word::take_conversations(&mut args);
    let mistake = first_word::mistake(&args, &line);
    let mut args = habits::settle(args).map_err(reject)?;
    args.loading.lua.settings = args.reading().map(|reading| reading.settings.clone()).unwrap_or_default();
    let named = args.loading.ksy.len();
    args.loading.ksy.retain(|file| file.as_os_str() != explore::GENERATED);
    if let Some(Task::Explore { options, .. }) = &mut args.task {
        options.ksy = args.loading.ksy.len() < named;
        args.loading.ksy.append(&mut options.protocols);
    }
    match mistake {
        Some((mistake, exit)) => {
            print_error(format_args!("{mistake}"));
            Err(exit)
        }
        None => Ok(args),
    }
}

/// Files of `--watch`.
fn watched(args: &Args) -> Result<Vec<PathBuf>, &'static str> {
    if matches!(args.task, Some(Task::Completions { .. } | Task::Man)) {
        return Err("this command reads no files");
    }
    let mut named = loading::named(&args.loading);
    let files = args.input_files();
    let reads_input = match &args.task {
        Some(Task::Protocols(_) | Task::Fields(_) | Task::Schema { .. } | Task::Lua(_)) => false,
        Some(Task::Ksy(asked)) => asked.reading().is_some(),
        _ => true,
    };
    let reads_keys = args.reading().is_some_and(keys::reads_standard_input);
    if reads_keys || files.iter().any(|file| file.as_os_str() == "-") || reads_input && args.names_no_input() {
        return Err("standard input can be read only once; give a FILE");
    }
    named.extend(files);
    named.extend(args.reading().into_iter().flat_map(|reading| reading.keys.iter().cloned()));
    if named.is_empty() { Err("nothing to watch; give a FILE, or a Kaitai Struct file with -k") } else { Ok(named) }
}

/// Runs the selected subcommand, and reports keys that served nothing. Paths of loaded Kaitai Struct files are appended to `read`.
fn perform(args: Args, screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    if let Some(mistake) = keys::mistake(&args) {
        return reject(mistake);
    }
    let is_partial = keys::is_partial(&args);
    keys::report(perform_task(args, screen, read), is_partial)
}

/// Whether input would be typed.
fn reads_terminal(args: &Args) -> bool {
    args.names_no_input() && io::stdin().is_terminal()
}

/// Runs the selected subcommand.
fn perform_task(args: Args, screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    if let Some(mistake) = columns::mistake(&args) {
        return reject(mistake);
    }
    let asks_for_protocols = !matches!(args.task, Some(Task::Completions { .. } | Task::Man | Task::Ksy(_) | Task::Lua(_)));
    if asks_for_protocols && let Err(exit) = loading::load(&args.loading, read) {
        return exit;
    }
    let done = match &args.task {
        Some(Task::Completions { shell }) => write_completions(*shell, &mut io::stdout()),
        Some(Task::Man) => write_man(&mut io::stdout()),
        Some(Task::Protocols(asked)) => return glossary::protocols(asked, screen),
        Some(Task::Fields(asked)) => return glossary::fields(asked, screen),
        Some(Task::Schema { columns }) => return glossary::schema(*columns, screen),
        _ if let (None, Some(list)) = (&args.task, args.habits.glossary) => return glossary::as_tshark(list, screen),
        Some(Task::Ksy(asked)) if asked.reading().is_none() || !reads_terminal(&args) => {
            return ksy::run(asked, &args.loading.ksy_dir, screen, read);
        }
        Some(Task::Lua(asked)) => return lua::run(asked, &args.loading.lua, screen, read),
        _ if reads_terminal(&args) && !args.lists_statistics() => {
            return wrong_usage(&Args::command().error(
                clap::error::ErrorKind::MissingRequiredArgument,
                "no input: give a FILE, or pipe in a capture or a hex dump; see --help",
            ));
        }
        Some(Task::Follow { options, reading }) => return follow::run(options, reading, screen),
        Some(Task::Stats { options, reading }) => return stats::run(options, reading, screen),
        Some(Task::Keys(options)) => return key_list::run(options, screen),
        Some(Task::Split(options)) => return split::run(options, screen),
        Some(Task::Browse { options, reading }) => {
            let mut files = args.loading.watch.then(|| watch::Files::new(watched(&args).unwrap_or_default()));
            files.iter_mut().for_each(|files| files.also(std::mem::take(read)));
            return browse::run(options, reading, files.map(|files| (files, &args.loading)));
        }
        Some(Task::Explore { options, reading }) => return explore::run(options, reading, screen),
        Some(Task::Ksy(_)) => return Exit::Usage,
        Some(Task::Find { options, reading }) => return explore::run(&options.explore(), reading, screen),
        Some(Task::Diff { options, reading }) => return diff::run(options, reading, screen),
        Some(Task::Objects(objects)) => return objects::run(objects, screen),
        None if !args.habits.export_objects.is_empty() => return objects::export(args, screen),
        None if !args.statistics.is_empty() => return stats::run_named(&args, screen),
        None => return print_or_write(args, screen),
    };
    match done {
        Ok(()) => Exit::Fine,
        Err(error) => of_output(&error),
    }
}

fn print_or_write(args: Args, screen: Screen) -> Exit {
    match &args.output.write {
        _ if columns::is_selected(&args.output) => columns::run(args, screen),
        Some(_) if args.habits.print => write::run_and_print(args, screen),
        Some(path) => write::run(&args, path),
        None => print::run(&args, screen),
    }
}

/// Prints clap's output: help and version, or a usage error.
fn wrong_usage(error: &clap::Error) -> Exit {
    if memory::error(&embedded::in_one_line(error)) {
        return Exit::Usage;
    }
    let is_hostile = |word: OsString| word.to_string_lossy().contains(is_harmful);
    // If standard error cannot be written, the exit code still reports the error.
    let _ = match std::env::args_os().any(is_hostile) {
        // Plain text, without escape sequences.
        true => write!(io::stderr(), "{}", Harmless(&in_lines(error.render().to_string()))),
        false => error.print(),
    };
    if error.use_stderr() { Exit::Usage } else { Exit::Fine }
}

/// Reports a usage error.
fn reject(wrong: impl fmt::Display) -> Exit {
    print_error(format_args!("{wrong}"));
    Exit::Usage
}

/// Exit code of a write error: a closed pipe is not a failure.
fn of_output(error: &io::Error) -> Exit {
    if is_closed_pipe(error) {
        screen::close();
        return Exit::Fine;
    }
    if let Some(shortage) = error.get_ref().and_then(|inner| inner.downcast_ref::<Shortage>()) {
        print_error(format_args!("{shortage}"));
        return Exit::Fine;
    }
    print_error(format_args!("cannot write the output: {}", Words(error)));
    Exit::Failed
}

/// Escapes line feeds of command-line arguments within a message.
fn in_lines(message: String) -> String {
    if !message.contains('\n') {
        return message;
    }
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.filter(|word| word.contains('\n')).fold(message, |message, word| {
        // Also values of --option=value.
        let value = word.split_once('=').filter(|_| word.starts_with('-')).map_or(word.as_str(), |(_, value)| value);
        message.replace(value, &value.replace('\n', "\\u{a}"))
    })
}

/// Prints a line on standard error.
fn print_error(what: std::fmt::Arguments<'_>) {
    if memory::error(&Harmless(&what.to_string())) {
        return;
    }
    progress::hide();
    // There is no way to report this failure.
    let _ = writeln!(io::stderr(), "{NAME}: {}", Harmless(&in_lines(what.to_string())));
}

/// Escapes control characters in a message, except line feeds.
struct Harmless<'a>(&'a str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '\n' => f.write_char('\n'),
            _ if is_harmful(character) => write!(f, "{}", character.escape_unicode()),
            _ => f.write_char(character),
        })
    }
}

/// Writes the version for `-v`. Scripts written for tshark search this line for a TShark version.
fn write_version(to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{NAME} {}, with options and forms of TShark 4.0.17", env!("CARGO_PKG_VERSION"))
}

/// Writes the completion script of a shell, which runs the program for candidates.
pub fn write_completions(shell: clap_complete::Shell, out: &mut dyn Write) -> io::Result<()> {
    complete::write_script(shell, out)
}

/// Writes the manual page as roff.
pub fn write_man(out: &mut dyn Write) -> io::Result<()> {
    let mut page = Vec::new();
    // Options hidden from the short help are described in the manual, too.
    let described = |option: clap::Arg| match (option.get_long_help(), option.get_help().cloned()) {
        (None, Some(help)) => option.long_help(help),
        _ => option,
    };
    clap_mangen::Man::new(Args::command().mut_args(described)).render(&mut page)?;
    out.write_all(&page)
}
