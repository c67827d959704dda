//! `stats`, and tshark's `-z`: statistics of a capture.

use super::args::{Args, FollowForm, FollowOptions, Output, Reading, When};
use super::audience::Audience;
use super::complete;
use super::input::{self, InputSettings};
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, browse, follow, forms, intervals, of_output, print_error, reject, several};
use crate::follow::Content;
use crate::input::Extra;
use crate::nearest::nearest;
use crate::record::Evictions;
use crate::sink::{Begin, Problem};
use crate::stats::{Details, Families, Part, Severity, Stats, TableLook, Takes, print_json, print_tables};
use crate::tree::{Demand, Dissection};
use clap::{Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::fmt;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::PathBuf;

// Statistics to print.
#[derive(Debug, Group)]
pub struct StatsOptions {
    /// Captures or hex text files; `-` or none reads standard input
    #[arg(id = "files", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Statistics to print, by tshark's names: io,phs conv,tcp endpoints,ip io,stat,1,FILTER,... expert,warn plen,tree http,tree
    /// http_req,tree dests,tree dns,tree hosts rtp,streams sip,stat dhcp,stat smb2,srt credentials flow,tcp,network
    /// follow,tcp,hex,0, or overview, time, hierarchy, transfers, health, coverage; `-z help` lists them
    #[arg(short = 'z', value_name = "NAME")]
    pub names: Vec<String>,

    /// Count only packets that match a display filter
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print complete lists
    #[arg(short = 'V', long = "full")]
    pub full: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// Runs `stats`.
pub(super) fn run(options: &StatsOptions, reading: &Reading, screen: Screen) -> Exit {
    let done = match options.names.as_slice() {
        [name] if name == "help" => Ok(list(screen).unwrap_or_else(|error| of_output(&error))),
        [name] if name.starts_with("follow,") => following(name, options).map(|followed| follow::run(&followed, reading, screen)),
        names => {
            let parsed = || parsed(names, options.filter.as_deref());
            parsed().and_then(|_| InputSettings::new(reading)).map(|settings| {
                let sources = Source::all(&options.files, reading);
                settings.report_unreadable(&sources);
                several::each(&sources, screen, !options.json, |source, screen| match parsed() {
                    Ok(parsed) => print(options, source, &settings, parsed, screen),
                    Err(_) => Ok(Exit::Usage),
                })
            })
        }
    };
    done.unwrap_or_else(reject)
}

/// Runs `-z` without a subcommand.
pub(super) fn run_named(args: &Args, screen: Screen) -> Exit {
    let Output { json, full, color, ref filter, .. } = args.output;
    let (files, names, filter) = (args.files.clone(), args.statistics.clone(), filter.clone());
    run(&StatsOptions { files, names, filter, json, full, color }, &args.reading, screen)
}

/// Requested statistics.
#[derive(Default)]
struct Parsed {
    parts: Vec<Part>,
    details: Details,
    /// Filters of statistics, as typed.
    filters: Vec<(Part, String)>,
}

/// Parses names of statistics, without duplicates; all statistics if empty.
fn parsed(names: &[String], filter: Option<&str>) -> Result<Parsed, UsageError> {
    let mut parsed = Parsed::default();
    for name in names {
        parsed.add(name)?;
    }
    if names.is_empty() {
        parsed.parts = Part::all();
    }
    if let Some(filter) = filter {
        parsed.details.filter = Some((filter.to_owned(), intervals::gate("-Y", filter)?));
    }
    Ok(parsed)
}

impl Parsed {
    fn add(&mut self, name: &str) -> Result<(), UsageError> {
        let Parsed { parts, details, filters } = self;
        if let Some(rest) = name.strip_prefix("io,stat,") {
            parts.push(Part::Intervals(details.intervals.len()));
            details.intervals.push(intervals::parse(name, rest)?);
            return Ok(());
        }
        let known = Part::known();
        let begins = |part: &Part| name.strip_prefix(&part.to_string()).and_then(|rest| rest.strip_prefix(','));
        let (part, rest) = match Part::named(name) {
            Some(part) => (part, ""),
            None => known.iter().find_map(|part| Some((*part, begins(part)?))).ok_or_else(|| unknown(name))?,
        };
        // Endpoints are derived from conversations, and both forms of the hierarchy are one.
        let counted = match part {
            Part::Endpoints(layer) => Part::Conversations(layer),
            Part::Phs => Part::Hierarchy,
            part => part,
        };
        let is_same = |(known, filter): &(Part, String)| *known != counted || filter == rest;
        match (counted, filters.iter().all(is_same)) {
            (Part::Conversations(layer), false) => {
                return Err(format!("-z {name}: conv and endpoints of {} require the same filter", layer.layer()));
            }
            (Part::Hierarchy, false) if !parts.contains(&part) => {
                return Err(format!("-z {name}: hierarchy and io,phs require the same filter"));
            }
            _ => {}
        }
        filters.push((counted, rest.to_owned()));
        if parts.contains(&part) {
            return if rest.is_empty() { Ok(()) } else { Err(format!("-z {name}: {part} is given twice")) };
        }
        parts.push(part);
        if rest.is_empty() { Ok(()) } else { restrict(details, name, part, counted, rest) }
    }
}

/// Restricts statistics to what follows their name: a severity, address families or a filter.
fn restrict(details: &mut Details, name: &str, part: Part, counted: Part, rest: &str) -> Result<(), UsageError> {
    match part {
        Part::Expert => {
            let (word, filter) = rest.split_once(',').unwrap_or((rest, ""));
            details.severity = Severity::ALL.into_iter().find(|severity| severity.name() == word);
            let filter = if details.severity.is_some() { filter } else { rest };
            if !filter.trim().is_empty() {
                details.gates.push((part, intervals::gate(&format!("-z {name}"), filter)?));
            }
        }
        Part::Declared(statistic) if statistic.takes == Takes::Families => details.families = Some(families(name, rest)?),
        Part::Declared(statistic) if statistic.takes == Takes::Nothing => return Err(unknown(name)),
        _ if details.gates.iter().any(|(part, _)| *part == counted) => {}
        Part::Overview | Part::Time | Part::Transfers | Part::Health | Part::Coverage | Part::Intervals(_) => {
            return Err(unknown(name));
        }
        _ => details.gates.push((counted, intervals::gate(&format!("-z {name}"), rest)?)),
    }
    Ok(())
}

/// Parses a comma-separated list of `ip`, `ipv4` and `ipv6`.
fn families(name: &str, words: &str) -> Result<Families, UsageError> {
    let mut has = [false; 2];
    for word in words.split(',') {
        match word {
            "ip" => has = [true; 2],
            "ipv4" => has[0] = true,
            "ipv6" => has[1] = true,
            _ => return Err(format!("-z {name}: expected hosts, hosts,ipv4 or hosts,ipv6")),
        }
    }
    Ok(match has {
        [true, false] => Families::Ipv4,
        [false, true] => Families::Ipv6,
        _ => Families::Both,
    })
}

/// Examples of names with arguments.
const LONGER: &[(&str, &str)] = &[
    ("io,stat,1", "frames and bytes per interval in seconds, optionally per FILTER: io,stat,1,tcp,udp"),
    ("expert,warn", "expert information of this severity or higher, optionally of FILTER: expert,error,tcp"),
    ("hosts,ipv4", "IPv4 addresses only; hosts,ipv6 for IPv6"),
    ("dns,tree,FILTER", "only frames that match a filter; also for all other trees, io,phs, conv, endpoints, sip,stat …"),
    ("follow,tcp,hex,0", "payload of a conversation, as hex, ascii, raw or yaml; tcp, udp, http or tls"),
];

/// Words for the content of statistics with other names.
const WORDS: &[(&[&str], &str)] = &[
    (&["messages", "message", "types", "names", "protocols", "protocol"], "hierarchy or io,phs"),
    (&["phs"], "io,phs"),
    (&["creds"], "credentials"),
    (&["io"], "io,phs or io,stat,1"),
    (&["conversations", "conversation", "streams", "stream", "flows", "sessions", "conv", "tcp"], "conv,tcp"),
    (&["udp"], "conv,udp"),
    (&["endpoints", "endpoint", "addresses", "hosts,ip", "ip"], "endpoints,ip"),
    (&["packets", "frames", "lengths", "sizes", "plen"], "plen,tree"),
    (&["flow", "flow,any", "sequence", "arrows"], "flow,any,network"),
    (&["flow,tcp"], "flow,tcp,network"),
    (&["flow,icmp"], "flow,icmp,network"),
    (&["creds", "credential", "logins", "login", "passwords", "users"], "credentials"),
    (&["destinations", "ports"], "dests,tree"),
    (&["errors", "error", "warnings", "notes", "malformed", "gaps", "loss"], "health, expert"),
    (&["rate", "rates", "throughput", "bandwidth", "intervals", "io,stat"], "time, io,stat,1"),
    (&["unknown", "undissected", "data", "bytes"], "coverage"),
    (&["summary", "info", "general"], "overview"),
    (&["objects", "files", "downloads"], "transfers"),
];

fn unknown(name: &str) -> UsageError {
    if name.starts_with("follow,") {
        return format!("-z {name} cannot be combined with another -z");
    }
    let declared = Part::known().into_iter().find_map(|part| match part {
        Part::Declared(statistic) => statistic.words.contains(&name).then_some(statistic.name),
        _ => None,
    });
    let by_word = || WORDS.iter().find(|(words, _)| words.contains(&name)).map(|(_, meant)| *meant);
    if let Some(meant) = declared.or_else(by_word) {
        return format!("-z {name}: unknown statistics; did you mean {meant}? -z help lists all");
    }
    let mut known: Vec<String> = Part::known().iter().map(Part::to_string).collect();
    known.extend(LONGER.iter().map(|(name, _)| (*name).to_owned()));
    match nearest(name, known.iter().map(String::as_str)) {
        near if near.is_empty() => format!("-z {name}: unknown statistics; -z help lists all"),
        near => format!("-z {name}: unknown statistics; did you mean {}? -z help lists all", near.join(", ")),
    }
}

/// Prints the names of all statistics.
fn list(screen: Screen) -> io::Result<Exit> {
    let mut to = screen.writer(false);
    for part in Part::known() {
        writeln!(to, "{:<24} {}", part.to_string(), part.about())?;
    }
    for (name, about) in LONGER {
        writeln!(to, "{name:<24} {about}")?;
    }
    to.flush()?;
    Ok(Exit::Fine)
}

/// Converts `follow,tcp,hex,0` to options of `follow`.
fn following(name: &str, options: &StatsOptions) -> Result<FollowOptions, UsageError> {
    let followed: Vec<&str> = ["tcp", "udp"].into_iter().chain(Content::names()).collect();
    let wrong = || {
        let followed = followed.join("|");
        format!("-z {name}: expected follow,{followed},hex|ascii|raw|yaml,N, such as follow,tcp,hex,0")
    };
    let ["follow", transport, form, number] = name.split(',').collect::<Vec<_>>()[..] else { return Err(wrong()) };
    if !followed.contains(&transport) {
        return Err(wrong());
    }
    let form = match form {
        "hex" => FollowForm::Hex,
        "ascii" => FollowForm::Ascii,
        "raw" => FollowForm::Raw,
        "yaml" => FollowForm::Yaml,
        _ => return Err(wrong()),
    };
    Ok(FollowOptions {
        files: options.files.clone(),
        stream: Some(format!("{transport}/{number}")),
        form: Some(form),
        json: false,
        dir: None,
        write_dir: None,
        color: options.color,
        filter: options.filter.clone(),
    })
}

/// Counts the frames of an input.
pub(super) struct Counter<'a> {
    pub(super) stats: Stats,
    pub(super) opened: bool,
    /// A view, which prints no errors.
    pub(super) view: Option<&'a browse::Input>,
}

impl Audience for Counter<'_> {
    fn demand(&self) -> Demand {
        self.stats.demand()
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

    fn has_enough(&self) -> bool {
        self.view.is_some_and(browse::Input::stops)
    }

    fn print_error(&mut self, what: fmt::Arguments<'_>) {
        if self.view.is_none() {
            print_error(what);
        }
    }

    fn extras(&mut self, extras: &[(Extra, u64)]) {
        self.stats.input.extras = extras.iter().map(|(what, count)| (what.to_string(), *count)).collect();
    }

    fn names(&mut self, names: &[(IpAddr, String)]) {
        self.stats.names(names);
    }

    fn evictions(&mut self, evictions: Evictions) {
        self.stats.tally.evictions = evictions;
    }

    fn end(&mut self, problem: Option<&Problem<'_>>) -> io::Result<()> {
        self.stats.end();
        self.stats.input.damage = problem.map(|problem| problem.text.to_owned());
        Ok(())
    }
}

fn print(options: &StatsOptions, source: &Source, settings: &InputSettings, parsed: Parsed, screen: Screen) -> io::Result<Exit> {
    let stats = Stats::detailed(settings.registry(), parsed.parts, parsed.details);
    let mut counter = Counter { stats, opened: false, view: None };
    let exit = input::input(source, settings, &mut counter)?;
    if !counter.opened {
        return Ok(exit);
    }
    let mut to = screen.writer(false);
    if options.json {
        print_json(&counter.stats, &mut to)?;
    } else {
        // Statistics requested by name are printed completely.
        let all = options.full || !options.names.is_empty();
        let look = TableLook { theme: forms::theme(options.color), width: forms::width(), all };
        print_tables(&counter.stats, look, &mut to)?;
    }
    Ok(exit)
}
