//! `stats`, and tshark's `-z`: what is in a capture, counted.

use super::args::{Args, FollowForm, FollowOptions, Output, Reading, StatsOptions};
use super::read::{self, Audience, How};
use super::screen::Screen;
use super::source::Source;
use super::{Exit, complain, follow, forms, intervals, of_output};
use crate::input::Extra;
use crate::record::Forgotten;
use crate::sink::{Begin, Problem};
use crate::stats::{Intervals, Part, Stats, TableLook, print_json, print_tables};
use crate::tree::{Dissection, Want};
use std::io;

/// Do what the options ask for.
pub(super) fn run(options: &StatsOptions, reading: &Reading, screen: Screen) -> Exit {
    let done = match options.names.as_slice() {
        [name] if name.starts_with("follow,") => following(name, options).map(|followed| follow::run(&followed, reading, screen)),
        names => asked(names).and_then(|asked| Ok((asked, How::new(reading)?))).map(|(parts, how)| {
            let sources = Source::all(options.file.as_slice(), reading);
            let done = sources.first().map_or(Ok(Exit::Fine), |source| print(options, source, &how, parts, screen));
            done.unwrap_or_else(|error| of_output(&error))
        }),
    };
    done.unwrap_or_else(|wrong| {
        complain(format_args!("{wrong}"));
        Exit::Usage
    })
}

/// The same for `-z` without a subcommand: one input after another.
pub(super) fn run_named(args: &Args, screen: Screen) -> Exit {
    let files = if args.files.is_empty() { vec![None] } else { args.files.iter().cloned().map(Some).collect() };
    let mut worst = Exit::Fine;
    for file in files {
        let Output { json, full, color, .. } = args.output;
        let exit = run(&StatsOptions { file, names: args.statistics.clone(), json, full, color }, &args.reading, screen);
        worst = worst.max(exit);
        if exit == Exit::Usage {
            break;
        }
    }
    worst
}

/// What is asked for by these names.
struct Asked {
    parts: Vec<Part>,
    intervals: Vec<Intervals>,
}

/// The parts of these names, each once; all of them if there are no names.
fn asked(names: &[String]) -> Result<Asked, forms::Wrong> {
    let (mut parts, mut intervals) = (Vec::new(), Vec::new());
    for name in names {
        if let Some(rest) = name.strip_prefix("io,stat,") {
            parts.push(Part::Intervals(intervals.len()));
            intervals.push(intervals::parse(name, rest)?);
            continue;
        }
        let part = Part::named(name).ok_or_else(|| unknown(name))?;
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    Ok(Asked { parts: if names.is_empty() { Part::all() } else { parts }, intervals })
}

fn unknown(name: &str) -> forms::Wrong {
    if name.starts_with("follow,") {
        return format!("-z {name} stands alone; leave the other -z out");
    }
    let known: Vec<String> = Part::known().iter().map(Part::to_string).collect();
    format!("-z {name}: there is {} io,stat,SECONDS[,FILTER] and follow,tcp,hex,N", known.join(" "))
}

/// `follow,tcp,hex,0`, as the options of the command that does it.
fn following(name: &str, options: &StatsOptions) -> Result<FollowOptions, forms::Wrong> {
    let wrong = || format!("-z {name}: expected follow,tcp|udp,hex|ascii|raw|yaml,N, such as follow,tcp,hex,0");
    let ["follow", transport @ ("tcp" | "udp"), form, number] = name.split(',').collect::<Vec<_>>()[..] else {
        return Err(wrong());
    };
    let form = match form {
        "hex" => FollowForm::Hex,
        "ascii" => FollowForm::Ascii,
        "raw" => FollowForm::Raw,
        "yaml" => FollowForm::Yaml,
        _ => return Err(wrong()),
    };
    Ok(FollowOptions {
        file: options.file.clone(),
        stream: Some(format!("{transport}/{number}")),
        form: Some(form),
        json: false,
        dir: None,
        write_dir: None,
        color: options.color,
    })
}

struct Counter {
    stats: Stats,
    opened: bool,
}

impl Audience for Counter {
    fn want(&self) -> Want {
        self.stats.want()
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        self.stats.begin(begin);
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.stats.tree(of, captured);
        Ok(())
    }

    fn extras(&mut self, extras: &[(Extra, u64)]) {
        self.stats.input.extras = extras.iter().map(|(what, count)| (what.to_string(), *count)).collect();
    }

    fn forgotten(&mut self, forgotten: Forgotten) {
        self.stats.tally.forgotten = forgotten;
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        self.stats.end();
        self.stats.input.damage = problem.map(|problem| problem.text.to_owned());
        Ok(())
    }
}

fn print(options: &StatsOptions, source: &Source, how: &How, asked: Asked, screen: Screen) -> io::Result<Exit> {
    let mut counter = Counter { stats: Stats::new(how.registry(), asked.parts).over_time(asked.intervals), opened: false };
    let exit = read::input(source, how, &mut counter)?;
    if !counter.opened {
        return Ok(exit);
    }
    let mut to = screen.writer(false);
    if options.json {
        print_json(&counter.stats, &mut to)?;
    } else {
        // What is asked for by name is shown whole.
        let all = options.full || !options.names.is_empty();
        let look = TableLook { theme: forms::theme(options.color), width: forms::width(), all };
        print_tables(&counter.stats, look, &mut to)?;
    }
    Ok(exit)
}
