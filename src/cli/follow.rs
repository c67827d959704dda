//! `follow`: lists conversations, prints one as bytes, or saves all as files.

use super::args::{FollowForm, FollowOptions, Reading};
use super::audience::Audience;
use super::input::{self, InputSettings};
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, forms, intervals, print_error, reject, several};
use crate::failure::at_path;
use crate::filter::Filter;
use crate::follow::{Content, Dump, Event, Existing, Files, Follower, Form, Streams};
use crate::limits;
use crate::record::{Record, Tally, View};
use crate::render::Theme;
use crate::sink::Begin;
use crate::tree::{Carriers, Demand, Depth, Dissection, Extras, Side, StreamId, Transport, clean_path};
use crate::wire::ContentSource;
use std::collections::HashSet;
use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Maximum number of gaps reported one by one.
const GAPS_REPORTED: u64 = 20;

/// Runs `follow` for each input.
pub(super) fn run(options: &FollowOptions, reading: &Reading, screen: Screen) -> Exit {
    let prepared = || {
        let filter = || options.filter.as_deref().map(Matching::new).transpose();
        filter()?;
        Ok::<_, UsageError>((InputSettings::new(reading)?, prepare(options, io::stdout().is_terminal())?, filter))
    };
    match prepared() {
        Ok((settings, task, filter)) => {
            let with_headings = matches!(task, Task::List { as_json: false, .. });
            let sources = Source::all(&options.files, reading);
            settings.report_unreadable(&sources);
            several::each(&sources, screen, with_headings, |source, screen| {
                finish(options, source, &settings, (task, filter().ok().flatten()), screen)
            })
        }
        Err(wrong) => reject(wrong),
    }
}

/// Task of `follow`.
#[derive(Clone, Copy)]
enum Task {
    /// List all conversations.
    List { as_json: bool, as_array: bool },
    /// Print one conversation, or one direction of it.
    Dump(StreamId, Content, Form),
    /// Save one conversation, or all, as files.
    Files(Option<(StreamId, Content)>),
}

fn prepare(options: &FollowOptions, to_terminal: bool) -> Result<Task, UsageError> {
    let stream = options.stream.as_deref().map(stream).transpose()?;
    if options.write_dir.is_some() {
        return match options.form {
            None | Some(FollowForm::Raw) if !options.json => Ok(Task::Files(stream)),
            _ => Err("--write-dir writes raw bytes; omit -T and --json".into()),
        };
    }
    let form = match options.form {
        None if options.json => Form::Ndjson,
        None | Some(FollowForm::Hex) => Form::Hex,
        Some(FollowForm::Ascii) => Form::Ascii,
        Some(FollowForm::Raw) => Form::Raw,
        Some(FollowForm::Json) => Form::Json,
        Some(FollowForm::Ndjson) => Form::Ndjson,
        Some(FollowForm::Yaml) => Form::Yaml,
        Some(FollowForm::Carray) => Form::CArray,
    };
    match (stream, options.form, form) {
        (Some(_), _, Form::Raw) if to_terminal => {
            Err("-T raw: captured bytes may contain terminal escape sequences; redirect to a file, or use -T hex".into())
        }
        (Some((stream, content)), _, form) => Ok(Task::Dump(stream, content, form)),
        (None, None, _) if options.dir.is_some() => Err("--dir requires a conversation; select it with -s tcp/0".into()),
        (None, _, Form::Json | Form::Ndjson) => Ok(Task::List { as_json: true, as_array: form == Form::Json }),
        (None, None, _) => Ok(Task::List { as_json: false, as_array: false }),
        (None, Some(_), _) => Err("-T requires a conversation; select it with -s tcp/0, or omit -T to list all".into()),
    }
}

/// Parses `tcp/0`, `udp/3`, `0` for TCP, and the name of content for that of `tcp/0`.
fn stream(text: &str) -> Result<(StreamId, Content), UsageError> {
    let bytes = Content::Bytes;
    let (transport, content, number) = match text.split_once('/') {
        Some(("tcp", number)) => (Transport::Tcp, bytes, number),
        Some(("udp", number)) => (Transport::Udp, bytes, number),
        Some(("sctp", number)) => (Transport::Sctp, bytes, number),
        Some(("usb", number)) => (Transport::Usb, bytes, number),
        None => (Transport::Tcp, bytes, text),
        Some((name, number)) => (Transport::Tcp, Content::named(name).ok_or_else(|| wrong_stream(text))?, number),
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| is_number).ok_or_else(|| wrong_stream(text))?;
    Ok((StreamId { transport, number }, content))
}

/// Parses a conversation, for commands that use its bytes only.
pub(super) fn conversation(text: &str) -> Result<StreamId, UsageError> {
    match stream(text)? {
        (id, Content::Bytes) => Ok(id),
        _ => Err(format!("-s {text}: expected a comma-separated list of tcp/N, udp/N or N")),
    }
}

fn wrong_stream(text: &str) -> UsageError {
    let contents: Vec<String> = Content::names().map(|name| format!("{name}/N")).collect();
    let contents = contents.join(" or ");
    format!(
        "-s {text}: expected tcp/N, udp/N or N, such as tcp/0, or {contents} for the content of tcp/N; `follow FILE` lists the conversations"
    )
}

/// The filter of `-Y`.
pub(super) struct Matching {
    filter: Filter,
    /// Counts packets if the filter has no application field.
    tally: Tally,
    /// Whether any record matched.
    any: bool,
}

impl Matching {
    pub(super) fn new(text: &str) -> Result<Matching, UsageError> {
        let filter = intervals::parsed("-Y", text)?;
        let scope = filter.scope();
        let view = if scope.frames && !scope.messages { View::Packets } else { View::Messages };
        Ok(Matching { filter, tally: Tally::new(view), any: false })
    }

    pub(super) fn demand(&self) -> Demand {
        Demand { carriers: Carriers::Full, depth: Depth::Streams, ..self.filter.demand() }
    }

    fn takes(&mut self, record: &Record<'_>) -> bool {
        let matches = self.filter.matches(record);
        self.any |= matches;
        matches
    }

    /// Passes on the conversations of matching records.
    pub(super) fn streams(&mut self, of: Dissection<'_>, captured: bool, mut take: impl FnMut(StreamId)) {
        let Matching { filter, tally, .. } = self;
        let Ok(()) = tally.records(of, captured, |record| {
            if filter.matches(&record) {
                let all = of.tree.ends.iter().filter_map(|ends| ends.stream).map(|(stream, _)| stream);
                match record {
                    Record::Message(message) => {
                        message.ends().and_then(|ends| ends.stream).map(|(id, _)| id).into_iter().for_each(&mut take)
                    }
                    Record::Late(late) => {
                        late.ends().and_then(|ends| ends.stream).map(|(id, _)| id).into_iter().for_each(&mut take)
                    }
                    Record::Gap(gap) => take(gap.stream),
                    Record::Packet(_) => all.for_each(&mut take),
                }
            }
            Ok::<(), Infallible>(())
        });
    }
}

fn finish(
    options: &FollowOptions,
    source: &Source,
    settings: &InputSettings,
    (task, filter): (Task, Option<Matching>),
    screen: Screen,
) -> io::Result<Exit> {
    let to = screen.writer(!source.is_complete());
    let theme = forms::theme(options.color);
    match task {
        Task::List { as_json, as_array } => list(source, settings, (as_json, as_array), filter, theme, to),
        Task::Dump(stream, content, form) => {
            let dump = Dump::new(to, form, theme, forms::width());
            let dir = options.dir.map(Side::from);
            collect(source, settings, Collector::new(Some((stream, content)), dir, Output::Dump(dump), form == Form::Raw), filter)
        }
        Task::Files(stream) => {
            let folder = options.write_dir.as_deref().unwrap_or(Path::new("."));
            let files = Files::new(folder).map_err(|error| at_path(folder, &error))?;
            let dir = options.dir.map(Side::from);
            collect(source, settings, Collector::new(stream, dir, Output::Files(files, to), true), filter)
        }
    }
}

struct Lister {
    streams: Streams,
    filter: Option<Matching>,
    /// Conversations of matching records.
    matching: HashSet<StreamId>,
    opened: bool,
}

impl Audience for Lister {
    fn demand(&self) -> Demand {
        self.filter.as_ref().map_or(Demand::STREAM_BYTES, |filter| Demand::STREAM_BYTES.and(filter.demand()))
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.streams.see(of, captured);
        let Lister { filter, matching, .. } = self;
        if let Some(filter) = filter {
            filter.streams(of, captured, |stream| {
                if matching.len() < limits::FOLLOW_CONVERSATIONS.get() {
                    matching.insert(stream);
                }
            });
        }
        Ok(())
    }
}

fn list(
    source: &Source,
    settings: &InputSettings,
    (as_json, as_array): (bool, bool),
    filter: Option<Matching>,
    theme: Theme,
    mut to: Box<dyn Write + Send + '_>,
) -> io::Result<Exit> {
    let mut lister = Lister { streams: Streams::default(), filter, matching: HashSet::new(), opened: false };
    let exit = input::input(source, settings, &mut lister)?;
    if lister.filter.is_some() {
        let Lister { streams, matching, .. } = &mut lister;
        streams.retain(|stream| matching.contains(&stream));
    }
    match (lister.opened, as_json) {
        (false, _) => {}
        (true, true) => lister.streams.print_json(as_array, &mut to)?,
        (true, false) => lister.streams.print(theme, forms::width(), &mut to)?,
    }
    to.flush()?;
    Ok(exit)
}

/// Destination of the payload.
enum Output<'w> {
    Dump(Dump<Box<dyn Write + Send + 'w>>),
    Files(Files, Box<dyn Write + Send + 'w>),
}

struct Collector<'w> {
    only: Option<StreamId>,
    content: Content,
    follower: Follower,
    existing: Existing,
    dir: Option<Side>,
    output: Output<'w>,
    /// The format is raw, so gaps are reported on standard error.
    is_raw: bool,
    /// Number of gaps.
    missing: u64,
    /// Number of secret bytes: masked, or as captured in raw output.
    secret: usize,
    /// Print only payloads of matching records.
    filter: Option<Matching>,
    /// Whether any payload was found.
    has_payload: bool,
    opened: bool,
}

impl<'w> Collector<'w> {
    fn new(followed: Option<(StreamId, Content)>, dir: Option<Side>, output: Output<'w>, is_raw: bool) -> Collector<'w> {
        let (only, content) = followed.map_or((None, Content::Bytes), |(stream, content)| (Some(stream), content));
        let follower = Follower::new(only).to(content);
        let follower = if is_raw { follower.raw() } else { follower };
        let existing = Existing::default();
        Collector {
            only,
            content,
            follower,
            existing,
            dir,
            output,
            is_raw,
            filter: None,
            missing: 0,
            secret: 0,
            has_payload: false,
            opened: false,
        }
    }

    /// Reason why no payload was found.
    fn silence(&self) -> Option<String> {
        let stream = self.only.filter(|_| !self.has_payload)?;
        let Content::Of(content) = self.content else { return None };
        Some(match content.source {
            ContentSource::Deciphered { hint } if self.follower.has_met() => format!("{stream}: {hint}"),
            _ => format!("{stream} carries no {}; -s {stream} prints its bytes", content.what),
        })
    }
}

impl Audience for Collector<'_> {
    fn demand(&self) -> Demand {
        let demand = self.follower.demand();
        let demand = self.filter.as_ref().map_or(demand, |filter| demand.and(filter.demand()));
        if self.is_raw { demand } else { demand.with(Extras::SUMMARIES).with(Extras::NAMES) }
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.existing.see(of);
        let Collector { follower, dir, output, is_raw, missing, secret, filter, has_payload, .. } = self;
        follower.collect(of, captured, |event| {
            *has_payload |= matches!(event, Event::Payload(_));
            let side = match event {
                Event::Payload(payload) => payload.side,
                Event::Missing(missing) => missing.side,
            };
            if dir.is_some_and(|dir| dir != side) {
                return Ok(());
            }
            let is_meant = match (filter.as_mut(), &event) {
                (None, _) => true,
                (Some(filter), Event::Payload(payload)) => filter.takes(&Record::Message(payload.message)),
                // Missing bytes match nothing.
                (Some(_), Event::Missing(_)) => false,
            };
            if !is_meant {
                return Ok(());
            }
            if let Event::Missing(lost) = event
                && *is_raw
            {
                *missing += 1;
                if *missing <= GAPS_REPORTED {
                    print_error(format_args!("{} {side}: {} bytes missing at {}", lost.stream, lost.len, lost.off));
                }
            }
            if let Event::Payload(payload) = event {
                *secret += payload.secret;
            }
            match (&mut *output, event) {
                (Output::Dump(dump), event) => dump.event(event),
                (Output::Files(files, _), Event::Payload(payload)) => files.write(&payload),
                (Output::Files(..), Event::Missing(_)) => Ok(()),
            }
        })
    }
}

fn collect(source: &Source, settings: &InputSettings, collector: Collector<'_>, filter: Option<Matching>) -> io::Result<Exit> {
    let mut collector = Collector { filter, ..collector };
    let exit = input::input(source, settings, &mut collector)?;
    if !collector.opened {
        return Ok(exit);
    }
    if let Some(stream) = collector.only.filter(|stream| !collector.existing.has(*stream)) {
        print_error(format_args!("{}: no conversation {stream}; available: {}", source.name(), collector.existing));
        return Ok(exit.max(Exit::Usage));
    }
    if let Some(why) = collector.silence() {
        print_error(format_args!("{}: {why}", source.name()));
        return Ok(exit.max(Exit::Usage));
    }
    if collector.filter.as_ref().is_some_and(|filter| !filter.any) && io::stderr().is_terminal() {
        print_error(format_args!("{}: no payload matches -Y", source.name()));
    }
    if collector.missing > GAPS_REPORTED {
        print_error(format_args!("{} more gaps", collector.missing - GAPS_REPORTED));
    }
    match (collector.secret, collector.is_raw) {
        (0, _) => {}
        (secret, true) => print_error(format_args!("the output contains {secret} bytes of secrets as captured")),
        (secret, false) => print_error(format_args!("{secret} bytes of secrets masked with *; --show-secrets prints them")),
    }
    match &mut collector.output {
        Output::Dump(dump) => dump.finish()?,
        Output::Files(files, to) => {
            for (path, bytes) in files.written() {
                let mut name = String::new();
                // Writing to a String does not fail.
                let _ = clean_path(&path.to_string_lossy(), &mut name);
                writeln!(to, "{bytes:>10}  {name}")?;
            }
            to.flush()?;
        }
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::super::args::{Args, Task as Asked};
    use super::*;
    use clap::Parser;

    /// Whether a command line is accepted, with standard output on a terminal or not.
    fn is_fine(words: &[&str], to_terminal: bool) -> bool {
        let args = Args::try_parse_from(["proto-dissect", "follow"].iter().chain(words)).unwrap();
        let Some(Asked::Follow { options, .. }) = args.task else { panic!("follow") };
        prepare(&options, to_terminal).is_ok()
    }

    #[test]
    fn raw_bytes_are_not_written_to_a_terminal() {
        let raw = ["-s", "tcp/0", "-T", "raw", "a.pcap"];
        assert!(!is_fine(&raw, true));
        assert!(is_fine(&raw, false));
        assert!(is_fine(&["-s", "tcp/0", "-T", "hex", "a.pcap"], true));
        assert!(is_fine(&["--write-dir", "out", "a.pcap"], true));
    }
}
