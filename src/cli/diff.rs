//! `diff`: compares two captures, conversations or messages.

use super::args::{Reading, When};
use super::audience::Audience;
use super::complete;
use super::follow::conversation;
use super::input::{self, InputSettings};
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, forms, intervals, of_output, print_error, reject};
use crate::diff::{Capture, Ignored, View, compare, write_json};
use crate::filter::Filter;
use crate::limits;
use crate::record::{Record, Tally, View as Records};
use crate::registry::Registry;
use crate::sink::Begin;
use crate::tree::{Demand, Dissection, StreamId};
use clap::{Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::PathBuf;

// Messages to compare.
#[derive(Debug, Group)]
pub struct DiffOptions {
    /// Two captures or hex text files; or one, with two conversations (-s) or two messages (--number)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Compare only this conversation: tcp/3; or one of each capture: tcp/0,tcp/1
    #[arg(short = 's', long, value_name = "LIST")]
    pub stream: Option<String>,

    /// Compare two messages by number, even of different types: 12,40
    #[arg(long = "number", value_name = "LIST", conflicts_with_all = ["stream", "filter"])]
    pub numbers: Option<String>,

    /// Compare only messages that match a display filter
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Ignore differences in: time, id, counter, checksum, a protocol, a field such as dns.ttl, or @8:4 for bytes of a message
    #[arg(long, value_name = "FIELD,…", add = ArgValueCompleter::new(complete::fields))]
    pub ignore: Vec<String>,

    /// Print one JSON object per line for each message that differs
    #[arg(long)]
    pub json: bool,

    /// Print equal messages, too
    #[arg(short = 'v', long)]
    pub verbose: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Exit with status 1 if there are differences
    #[arg(long)]
    pub exit_status: bool,
}

/// Runs `diff`.
pub(super) fn run(options: &DiffOptions, reading: &Reading, screen: Screen) -> Exit {
    match prepare(options, reading) {
        Ok((settings, sides)) => answer(options, &settings, sides, screen).unwrap_or_else(|error| of_output(&error)),
        Err(wrong) => reject(wrong),
    }
}

/// Selects the messages of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Which {
    #[default]
    All,
    Stream(StreamId),
    Number(u64),
}

/// The messages of one side.
type ComparedPart = (Which, Capture);

/// Both sides, with the options for reading them.
struct Sides {
    sources: Vec<Source>,
    which: [Which; 2],
    ignored: Ignored,
}

fn prepare(options: &DiffOptions, reading: &Reading) -> Result<(InputSettings, Sides), UsageError> {
    if let Some(filter) = &options.filter {
        intervals::parsed("-Y", filter)?;
    }
    let ignored = Ignored::parse(&options.ignore.join(","), is_known);
    let ignored =
        if options.ignore.is_empty() { Ignored::default() } else { ignored.map_err(|why| format!("--ignore {why}"))? };
    let parts = |list: &str, what: &str, one: &dyn Fn(&str) -> Result<Which, UsageError>| {
        let found = list.split(',').map(|part| one(part.trim())).collect::<Result<Vec<_>, _>>()?;
        match found.as_slice() {
            [both] => Ok([*both, *both]),
            [one, two] => Ok([*one, *two]),
            _ => Err(format!(
                "{what} {list}: expected one per side, such as {}",
                if what == "-s" { "tcp/0,tcp/1" } else { "12,40" }
            )),
        }
    };
    let which = match (&options.stream, &options.numbers) {
        (Some(list), _) => parts(list, "-s", &|part| conversation(part).map(Which::Stream))?,
        (None, Some(list)) => parts(list, "--number", &|part| {
            let number = part.parse().ok().filter(|number| *number > 0);
            number
                .map(Which::Number)
                .ok_or_else(|| format!("--number {list}: expected the numbers of two messages, such as 12,40"))
        })?,
        (None, None) => [Which::All, Which::All],
    };
    let sources = Source::all(&options.files, reading);
    match (sources.as_slice(), which) {
        ([_, _], _) => {}
        ([_], [a, b]) if a != b => {}
        ([_], _) => {
            return Err("diff compares two captures; give a second FILE, or two conversations (-s tcp/0,tcp/1) or messages (--number 12,40) of this one".into());
        }
        (many, _) => return Err(format!("diff compares two captures, not {}", many.len())),
    }
    if sources.iter().filter(|source| matches!(source, Source::File(path) if path.as_os_str() == "-")).count() > 1 {
        return Err("standard input can be read only once; give a FILE for the other side".into());
    }
    Ok((InputSettings::new(reading)?, Sides { sources, which, ignored }))
}

/// Whether a protocol or a field has this name.
fn is_known(name: &str) -> bool {
    let registry = Registry::default();
    registry.protocol(name).is_some() || !registry.named(name).is_empty()
}

/// Collects the messages of one or both sides from an input.
struct PartReader<'o> {
    tally: Tally,
    filter: Option<Filter>,
    ignored: &'o Ignored,
    sides: Vec<ComparedPart>,
    gaps: u64,
    opened: bool,
}

impl Audience for PartReader<'_> {
    fn demand(&self) -> Demand {
        self.filter.as_ref().map_or(Demand::MESSAGES, |filter| Demand::MESSAGES.and(filter.demand()))
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let PartReader { tally, filter, ignored, sides, gaps, .. } = self;
        let Ok(()) = tally.records(of, captured, |record| {
            if filter.as_ref().is_some_and(|filter| !filter.matches(&record)) {
                return Ok::<(), Infallible>(());
            }
            let message = match record {
                Record::Message(message) => message,
                Record::Gap(_) => {
                    *gaps += 1;
                    return Ok(());
                }
                Record::Packet(_) | Record::Late(_) => return Ok(()),
            };
            let stream = message.ends().and_then(|ends| ends.stream).map(|(stream, _)| stream);
            for (which, capture) in sides.iter_mut() {
                let is_meant = match which {
                    Which::All => true,
                    Which::Stream(id) => stream == Some(*id),
                    Which::Number(number) => message.n == *number,
                };
                if is_meant {
                    capture.add(&message, ignored);
                }
            }
            Ok(())
        });
        Ok(())
    }
}

/// Reads one input for the given sides.
fn read(
    options: &DiffOptions,
    source: &Source,
    settings: &InputSettings,
    which: &[Which],
    ignored: &Ignored,
) -> io::Result<(Exit, Option<Vec<ComparedPart>>)> {
    let filter = options.filter.as_deref().and_then(|filter| Filter::parse(filter.trim(), Registry::default()).ok());
    let sides = which.iter().map(|which| (*which, Capture::new(named(source, *which)))).collect();
    let mut reader = PartReader { tally: Tally::new(Records::Messages), filter, ignored, sides, gaps: 0, opened: false };
    let exit = input::input(source, settings, &mut reader)?;
    if reader.gaps > 0 {
        let places = if reader.gaps == 1 { "place" } else { "places" };
        print_error(format_args!("{}: stream bytes are missing in {} {places} and not compared", source.name(), reader.gaps));
    }
    let PartReader { sides, opened, .. } = reader;
    Ok((exit, opened.then_some(sides)))
}

/// Name of a side.
fn named(source: &Source, which: Which) -> String {
    match which {
        Which::All => source.name(),
        Which::Stream(stream) => format!("{} {stream}", source.name()),
        Which::Number(number) => format!("{} message {number}", source.name()),
    }
}

fn answer(options: &DiffOptions, settings: &InputSettings, sides: Sides, screen: Screen) -> io::Result<Exit> {
    let Sides { sources, which, ignored } = sides;
    let mut exit = Exit::Fine;
    let mut captures = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        let which = if sources.len() == 1 { &which[..] } else { which.get(place..=place).unwrap_or_default() };
        let (read, found) = read(options, source, settings, which, &ignored)?;
        exit = exit.max(read);
        let Some(found) = found else { return Ok(exit) };
        for (which, capture) in &found {
            if let Some(problem) = problem(source, *which, capture) {
                print_error(format_args!("{problem}"));
                return Ok(exit.max(Exit::Usage));
            }
        }
        captures.extend(found.into_iter().map(|(_, capture)| capture));
    }
    let [a, b] = captures.as_slice() else { return Ok(exit) };
    for capture in [a, b].iter().filter(|capture| capture.left_out > 0) {
        let (left_out, most) = (capture.left_out, limits::DIFF_MEMORY.get());
        print_error(format_args!(
            "{}: {left_out} messages exceed the limit of {most} and are not compared; --limit diff.memory=BYTES raises it",
            capture.name
        ));
    }
    let is_pair = which.iter().all(|which| matches!(which, Which::Number(_)));
    let report = compare(a, b, &ignored, is_pair);
    let mut to = screen.writer(false);
    if options.json {
        write_json(&report, options.verbose, &mut to)?;
    } else {
        View { theme: forms::theme(options.color), width: forms::width(), all: options.verbose }.write(&report, &mut to)?;
    }
    to.flush()?;
    // Messages beyond the limit may differ.
    let may_differ = report.counts.differ() || a.left_out + b.left_out > 0;
    let is_asked = options.exit_status && may_differ;
    Ok(if is_asked { exit.max(Exit::Failed) } else { exit })
}

/// Reports a selected conversation or message that does not exist.
fn problem(source: &Source, which: Which, capture: &Capture) -> Option<String> {
    if !capture.is_empty() || capture.left_out > 0 {
        return None;
    }
    match which {
        Which::All => None,
        Which::Stream(stream) => {
            Some(format!("{}: {stream} has no messages; `follow FILE` lists the conversations", source.name()))
        }
        Which::Number(number) => Some(format!("{}: no message {number}; -l lists the messages", source.name())),
    }
}
