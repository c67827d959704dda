//! `explore`: analysis of unknown protocols.

use super::args::{Reading, When};
use super::audience::Audience;
use super::complete;
use super::find::Sought;
use super::follow::{Matching, conversation};
use super::input::{self, InputSettings};
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, forms, print_error, reject, several};
use crate::engine::Engine;
use crate::explore::{self, Collector, Explored, Fields, Options, Side, View, framing::Given};
use crate::follow::{Event, Existing, Follower};
use crate::input::Frame;
use crate::limits;
use crate::record::seconds::since_1970;
use crate::registry::LOG;
use crate::sink::{Begin, Problem};
use crate::tree::{self, Demand, Dissection, StreamId};
use clap::{Arg, Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::PathBuf;

/// Value of `--ksy` without a file.
pub(super) const GENERATED: &str = "<generated>";

/// Redefines the global `--ksy` for `explore`: without a file it selects the generated one. `-k` is a separate option here.
fn ksy_option(ksy: Arg) -> Arg {
    ksy.short(None)
        .help("Print only the generated .ksy file")
        .long_help(None)
        .help_heading(None)
        .value_name("FILE")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value(GENERATED)
        .conflicts_with("json")
}

// Conversations and hypotheses to explore.
#[derive(Debug, Group)]
#[command(mut_arg("ksy", ksy_option))]
pub struct ExploreOptions {
    /// Captures or hex text files, explored separately; `-` or none reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Conversations to explore, all of one protocol: tcp/3 or tcp/3,tcp/5 (default: all that no dissector recognizes)
    #[arg(short = 's', long, value_name = "LIST")]
    pub stream: Option<String>,

    /// Explore the conversations of matching records, all as one protocol
    #[arg(short = 'Y', long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with = "stream", add = ArgValueCompleter::new(complete::expression))]
    pub filter: Option<String>,

    /// Framing rule: length@0:u32le+8, varint@1:leb128, end:0d0a, fixed:48, headers, hex4, table@…, blocks@…, none; c2s:RULE s2c:RULE
    /// for different directions, and skip=N for a preamble
    ///
    /// `length@2:u16be*4+8`: the number at offset 2, times 4, plus 8, is the message length. `table@0:11=4,71=u8,a5=u16be`: the byte at
    /// offset 0 is the message type; type 11 has 4 bytes, and types 71 and a5 are followed by a length prefix.
    /// `blocks@2-5+10/16`: the byte at offset 2, minus 5, is the length after a header of 10 bytes; each block of 16 bytes is followed
    /// by a checksum of 2 bytes.
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,

    /// Location of the message type: 8:u32le, or none for a single type
    #[arg(long, value_name = "OFFSET:TYPE")]
    pub type_at: Option<String>,

    /// Print the messages of one type, aligned, by the id in the list of types
    #[arg(long = "type", value_name = "ID", conflicts_with = "ksy")]
    pub kind: Option<String>,

    /// With --type, interpret the bytes at one offset of all messages in every encoding; -4 counts from the end
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub at: Option<String>,

    /// Search for a number or a text in all encodings: widths, byte orders, scales, float, varint, UTF-16; quote a number to search
    /// for its digits
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, conflicts_with_all = ["kind", "ksy"])]
    pub find: Option<String>,

    /// Search for a value that changed, such as 100..95
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true, conflicts_with_all = ["kind", "ksy", "find"])]
    pub find_change: Option<String>,

    /// What names the value to find in errors.
    #[arg(skip = "--find")]
    pub find_name: &'static str,

    /// Whether `--ksy` is given without a file.
    #[arg(skip)]
    pub ksy: bool,

    /// Load a Kaitai Struct file as a protocol; repeatable
    #[arg(id = "protocols", short = 'k', value_name = "FILE[:TYPE]", value_hint = ValueHint::AnyPath)]
    pub protocols: Vec<PathBuf>,

    /// Maximum number of framing hypotheses to list
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub top: u8,

    /// Maximum number of messages to print per type, and of matches per encoding of --find
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub messages: usize,

    /// Maximum number of bytes to explore per direction
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_bytes: usize,

    /// Print one JSON object per line and group
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Exit with status 1 if nothing was explored or found
    #[arg(long)]
    pub exit_status: bool,
}

/// Runs `explore`.
pub(super) fn run(options: &ExploreOptions, reading: &Reading, screen: Screen) -> Exit {
    let done = prepare(options, reading).map(|(settings, _)| {
        let sources = Source::all(&options.files, reading);
        settings.report_unreadable(&sources);
        several::each(&sources, screen, !options.json, |source, screen| match prepare(options, reading) {
            Ok((_, asked)) => answer(options, source, &settings, asked, screen),
            Err(_) => Ok(Exit::Usage),
        })
    });
    done.unwrap_or_else(reject)
}

/// Parsed options.
struct Parsed {
    streams: Option<Vec<StreamId>>,
    filter: Option<Matching>,
    options: Options,
    sought: Option<Sought>,
    at: Option<i64>,
}

fn prepare(options: &ExploreOptions, reading: &Reading) -> Result<(InputSettings, Parsed), UsageError> {
    let list = |list: &String| list.split(',').map(|one| conversation(one.trim())).collect::<Result<Vec<_>, _>>();
    let streams = options.stream.as_ref().map(list).transpose()?;
    let filter = options.filter.as_deref().map(Matching::new).transpose()?;
    if options.kind.is_some() && streams.is_none() && filter.is_none() {
        return Err(
            "--type selects a message type of one protocol; select its conversations with -s, such as -s tcp/0, or with -Y"
                .into(),
        );
    }
    if options.kind.is_some() && options.json && options.at.is_none() {
        return Err("--type with --json requires --at OFFSET; --json alone prints all types".into());
    }
    if options.at.is_some() && options.kind.is_none() {
        return Err("--at is an offset in messages of one type; select it with --type, by the id that -s tcp/0 lists".into());
    }
    let at = options.at.as_deref().map(offset).transpose()?;
    let given = options.rule.as_deref().map(Given::parse).transpose().map_err(|why| format!("--rule {why}"))?;
    let kinds = options.type_at.as_deref().map(explore::messages::Kinds::parse).transpose();
    let kinds = kinds.map_err(|why| format!("--type-at {why}"))?;
    let explored = Options { given: given.unwrap_or_default(), kinds, top: usize::from(options.top) };
    let sought = Sought::new((options.find_name, options.find.as_deref()), options.find_change.as_deref())?;
    Ok((InputSettings::new(reading)?, Parsed { streams, filter, options: explored, sought, at }))
}

/// Parses an offset, negative from the end: 6, 0x1f, -4.
fn offset(text: &str) -> Result<i64, UsageError> {
    let (sign, bare) = text.strip_prefix('-').map_or((1, text), |bare| (-1, bare));
    let number = match bare.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => bare.parse::<u32>(),
    };
    let number = number.ok().filter(|number| !bare.contains('+') && (sign > 0 || *number > 0));
    number.map(|number| sign * i64::from(number)).ok_or_else(|| format!("--at {text}: expected an offset, such as 6, 0x1f or -4"))
}

/// Reads the capture with two engines: one without dissectors, for the payload bytes, and one with all dissectors, to find the
/// unknown conversations and the record numbers.
struct BlindReader {
    blind: Engine,
    collector: Collector,
    follower: Follower,
    filter: Option<Matching>,
    matching: HashSet<StreamId>,
    /// Whether a dissector recognized each conversation.
    known: HashMap<StreamId, bool, foldhash::fast::RandomState>,
    /// Offsets and numbers of the records of each direction.
    records: HashMap<(StreamId, tree::Side), Vec<(u64, u64)>, foldhash::fast::RandomState>,
    existing: Existing,
    /// Whether recognized conversations are skipped.
    skips_recognized: bool,
    /// Whether matches are reported with record numbers.
    numbers: bool,
    /// Fields and derived bytes with the value that is sought.
    fields: Option<Fields>,
    /// Time of the first frame in nanoseconds since 1970.
    start: Option<i64>,
    opened: bool,
}

impl BlindReader {
    fn new(
        settings: &InputSettings,
        collector: Collector,
        filter: Option<Matching>,
        is_default: bool,
        numbers: bool,
    ) -> BlindReader {
        BlindReader {
            blind: Engine::new(settings.registry().blind(), Collector::demand()),
            collector,
            follower: Follower::new(None),
            filter,
            matching: HashSet::new(),
            known: HashMap::default(),
            records: HashMap::default(),
            existing: Existing::default(),
            skips_recognized: is_default,
            numbers,
            fields: None,
            start: None,
            opened: false,
        }
    }

    /// Whether records are required, not only payload bytes.
    fn dissects(&self) -> bool {
        self.skips_recognized || self.numbers
    }
}

impl Audience for BlindReader {
    fn demand(&self) -> Demand {
        let demand = match &self.fields {
            Some(_) => Demand::EVERYTHING,
            None if self.dissects() => self.follower.demand(),
            None => Demand::FRAMES,
        };
        self.filter.as_ref().map_or(demand, |filter| demand.and(filter.demand()))
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        self.start = self.start.or_else(|| frame.time.and_then(|time| i64::try_from(since_1970(time)).ok()));
        let tree = self.blind.dissect(frame);
        let of = Dissection { tree, bytes: frame.bytes };
        self.existing.see(of);
        self.collector.see(of, true);
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let dissects = self.dissects();
        let BlindReader { follower, known, records, collector, filter, matching, skips_recognized, numbers, fields, .. } = self;
        if let Some(filter) = filter {
            filter.streams(of, captured, |stream| {
                if matching.len() < limits::FOLLOW_CONVERSATIONS.get() {
                    matching.insert(stream);
                }
            });
        }
        if !dissects {
            return Ok(());
        }
        let Ok(()) = follower.collect(of, captured, |event| {
            let Event::Payload(payload) = event else { return Ok::<(), Infallible>(()) };
            if let Some(fields) = fields {
                fields.payload(&payload);
            }
            if *numbers {
                records.entry((payload.stream, payload.side)).or_default().push((payload.off, payload.message.n));
            }
            if *skips_recognized && (known.len() < limits::FOLLOW_CONVERSATIONS.get() || known.contains_key(&payload.stream)) {
                let is_data = payload.message.protocol().is_none_or(|protocol| ["data", LOG].contains(&protocol.abbrev));
                let known = known.entry(payload.stream).or_insert(false);
                if !is_data && !std::mem::replace(known, true) {
                    collector.ignore(payload.stream);
                }
            }
            Ok(())
        });
        if let Some(fields) = fields {
            fields.tree(of);
        }
        Ok(())
    }

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        while let Some(tree) = self.blind.finish() {
            self.collector.see(Dissection { tree, bytes: &[] }, false);
        }
        Ok(())
    }
}

/// Reports bytes and groups above the limits.
fn report_left_out(bytes: u64, groups: usize) {
    if bytes > 0 {
        let most = limits::EXPLORE_BYTES.get();
        print_error(format_args!(
            "{bytes} bytes exceed the limit of {most} and are not explored; --limit explore.bytes=BYTES raises it"
        ));
    }
    if groups > 0 {
        let what = if groups == 1 { "group" } else { "groups" };
        let most = limits::EXPLORE_GROUPS.get();
        print_error(format_args!(
            "{groups} smaller {what} not explored; -s selects conversations, --limit explore.groups=N raises the limit of {most}"
        ));
    }
}

fn answer(
    options: &ExploreOptions,
    source: &Source,
    settings: &InputSettings,
    asked: Parsed,
    screen: Screen,
) -> io::Result<Exit> {
    // A value may be anywhere: only an exploration leaves out what is known.
    let is_default = asked.streams.is_none() && asked.filter.is_none() && asked.sought.is_none();
    let numbers = options.kind.is_some() || asked.sought.is_some();
    let collector = Collector::new(asked.streams.clone(), options.max_bytes);
    let mut reader = BlindReader::new(settings, collector, asked.filter, is_default, numbers);
    reader.fields = asked.sought.as_ref().and_then(Sought::value).map(Fields::new);
    let exit = input::input(source, settings, &mut reader)?;
    if !reader.opened {
        return Ok(exit);
    }
    let missing = asked.streams.iter().flatten().find(|stream| !reader.existing.has(**stream));
    if let Some(stream) = missing {
        print_error(format_args!("{}: no conversation {stream}; available: {}", source.name(), reader.existing));
        return Ok(exit.max(Exit::Usage));
    }
    let BlindReader { collector, matching, known, records, filter, start, fields, .. } = reader;
    let left_out = collector.left_out();
    let mut sides = collector.finish();
    if filter.is_some() {
        sides.retain(|side| matching.contains(&side.stream));
    }
    if is_default {
        sides.retain(|side| known.get(&side.stream) == Some(&false));
    }
    let all = groups(options, sides);
    // A value may be in any conversation.
    let (groups, smaller) = if asked.sought.is_some() { (all, 0) } else { largest(all) };
    let explore = if asked.sought.is_some() { explore::framed } else { explore::explore };
    let explored: Vec<(String, Explored<'_>)> =
        groups.iter().map(|(name, sides)| (name.clone(), explore(sides, &asked.options))).collect();
    let mut to = screen.writer(!source.is_complete());
    report_left_out(left_out, smaller);
    let number = |side: &Side, at: u64| number_at(records.get(&(side.stream, side.dir))?, at);
    let is_empty = explored.is_empty();
    let done = if let Some(sought) = asked.sought.as_ref().filter(|_| !is_empty || options.json) {
        sought.answer(options, &source.name(), &explored, (start, &number, fields.as_ref()), &mut to)?
    } else {
        print(options, source, &explored, is_default, &number, asked.at, &mut to)?
    };
    let exit = exit.max(if is_empty && options.exit_status { done.max(Exit::Failed) } else { done });
    to.flush()?;
    Ok(exit)
}

/// The number of the record at an offset, from the offsets and numbers of a direction.
fn number_at(records: &[(u64, u64)], at: u64) -> Option<u64> {
    let behind = records.partition_point(|(off, _)| *off <= at);
    records.get(behind.checked_sub(1)?).map(|(_, number)| *number)
}

/// Keeps the groups with the most bytes, in their original order, and returns the number of the others.
fn largest(mut groups: Vec<(String, Vec<Side>)>) -> (Vec<(String, Vec<Side>)>, usize) {
    let size = |sides: &[Side]| sides.iter().map(|side| side.bytes.len()).sum::<usize>();
    let mut sizes: Vec<(usize, usize)> = groups.iter().enumerate().map(|(place, (_, sides))| (size(sides), place)).collect();
    let all = groups.len();
    sizes.sort_unstable_by_key(|(size, place)| (std::cmp::Reverse(*size), *place));
    sizes.truncate(limits::EXPLORE_GROUPS.get());
    let mut kept: Vec<usize> = sizes.into_iter().map(|(_, place)| place).collect();
    kept.sort_unstable();
    let mut place = 0;
    groups.retain(|_| {
        place += 1;
        kept.binary_search(&(place - 1)).is_ok()
    });
    (groups, all - kept.len())
}

/// Groups directions: all in one group if selected by option, else by transport and server port.
fn groups(options: &ExploreOptions, sides: Vec<Side>) -> Vec<(String, Vec<Side>)> {
    if sides.is_empty() {
        return Vec::new();
    }
    if let Some(list) = &options.stream {
        return vec![(list.clone(), sides)];
    }
    if let Some(filter) = &options.filter {
        return vec![(filter.clone(), sides)];
    }
    let mut groups: BTreeMap<(tree::Transport, String), Vec<Side>> = BTreeMap::new();
    for side in sides {
        let server = side.ends.get(if side.dir == tree::Side::Client { 1 } else { 0 });
        let port = server.and_then(|end| end.rsplit_once(':')).map_or("", |(_, port)| port);
        groups.entry((side.stream.transport, String::from(port))).or_default().push(side);
    }
    let named = |sides: Vec<Side>| {
        let mut names: Vec<String> = sides.iter().map(|side| side.stream.to_string()).collect();
        names.dedup();
        (names.join(","), sides)
    };
    groups.into_values().map(named).collect()
}

fn print(
    options: &ExploreOptions,
    source: &Source,
    explored: &[(String, Explored<'_>)],
    is_default: bool,
    number: &dyn Fn(&Side, u64) -> Option<u64>,
    at: Option<i64>,
    to: &mut dyn Write,
) -> io::Result<Exit> {
    let name = source.name();
    if let (Some(at), [(_, only)], Some(id)) = (at, explored, &options.kind) {
        return inspect(options, &name, only, id, at, to);
    }
    if options.json {
        explore::begin(&name, to)?;
        for (group, explored) in explored {
            explore::record(explored, group, to)?;
        }
        return explore::end(explored.len(), to).map(|()| Exit::Fine);
    }
    let view = View { theme: forms::theme(options.color), width: forms::width() };
    match (explored, &options.kind) {
        ([], _) if is_default => print_error(format_args!("{name}: no unknown conversations; -s tcp/0 explores a known one")),
        ([], _) => print_error(format_args!("{name}: nothing to explore: these conversations carry no payload")),
        ([(_, only)], Some(id)) => match only.groups.iter().position(|kind| kind.id() == *id) {
            Some(place) => view.kind(only, place, options.messages, number, to)?,
            None => return Ok(no_kind(only, id)),
        },
        (all, _) if options.ksy => {
            if all.len() > 1 {
                print_error(format_args!("--ksy describes one protocol; select its conversations with -s or -Y"));
                return Ok(Exit::Usage);
            }
            for (group, explored) in all {
                match &explored.ksy {
                    Ok(text) => to.write_all(text.as_bytes())?,
                    Err(why) => {
                        print_error(format_args!("{name}: {group}: {why}"));
                        return Ok(Exit::Failed);
                    }
                }
            }
        }
        ([(group, only)], _) if !is_default => view.group(group, only, to)?,
        (all, _) => view.overview(all, to)?,
    }
    Ok(Exit::Fine)
}

/// Prints the values at one offset of all messages of a type.
fn inspect(
    options: &ExploreOptions,
    name: &str,
    explored: &Explored<'_>,
    id: &str,
    at: i64,
    to: &mut dyn Write,
) -> io::Result<Exit> {
    let Some(place) = explored.groups.iter().position(|kind| kind.id() == id) else { return Ok(no_kind(explored, id)) };
    match explore::Inspection::new(explored, place, at) {
        Ok(found) if options.json => explore::write_inspection_json(name, &found, to)?,
        Ok(found) => explore::write_inspection(&found, forms::theme(options.color), forms::width(), to)?,
        Err(why) => {
            print_error(format_args!("--at {at}: {why}"));
            return Ok(Exit::Usage);
        }
    }
    Ok(Exit::Fine)
}

/// Reports an unknown message type, and the existing ones.
fn no_kind(explored: &Explored<'_>, id: &str) -> Exit {
    let all: Vec<String> = explored.groups.iter().map(|kind| kind.id()).collect();
    print_error(format_args!("--type {id}: no such message type; available: {}", all.join(", ")));
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_from_the_start_or_from_the_end() {
        for (text, number) in [("0", 0), ("6", 6), ("0x1f", 31), ("-4", -4), ("-0x10", -16)] {
            assert_eq!(offset(text).ok(), Some(number), "{text}");
        }
        for text in ["", "-", "-0", "+6", "-+6", "0x", "0x+1", "--4", "4294967296", "six"] {
            assert!(offset(text).is_err(), "{text}");
        }
    }
}
