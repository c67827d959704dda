//! `keys`: lists conversations that need keys with the lines that serve them, and tries candidates.

use super::args::{Reading, When};
use super::audience::Audience;
use super::input::{self, InputSettings};
use super::key_candidates::{self, Place};
use super::key_trial::Trial;
use super::screen::Screen;
use super::source::Source;
use super::{Exit, complete, forms, of_output, print_error, reject};
use crate::failure::Words;
use crate::keys::{Request, line_for};
use crate::render::{Grid, Head, Role, object};
use crate::tree::{Demand, Dissection};
use clap::{Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

// Key files, captures and candidates.
#[derive(Debug, Group)]
pub struct KeysOptions {
    /// Key files and captures, in any order; captures are recognized by their content
    #[arg(id = "files", value_name = "KEYFILE|CAPTURE", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Try each line of this file as a key for conversations without one, and print those that fit; repeatable
    ///
    /// A line is hex, "text", base64:… or the text itself. With --window, the file is binary, such as a memory dump. Values are printed
    /// with --show-secrets only.
    #[arg(long = "try", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub candidates: Vec<PathBuf>,

    /// Try every N bytes of the files instead of their lines
    #[arg(long, value_name = "N", requires = "candidates", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub window: Option<u16>,

    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// Print the values of candidates that fit
    #[arg(long)]
    pub show_secrets: bool,

    /// Decode conversations as a protocol: tcp.port==27000,pipboy
    #[arg(short = 'd', long = "decode-as", value_name = "SELECTOR,PROTO", add = ArgValueCompleter::new(complete::decode_as))]
    pub decode_as: Vec<String>,

    /// Protocol setting, such as a key or a password
    #[arg(short = 'o', long = "option", value_name = "PROTO.NAME=VALUE", add = ArgValueCompleter::new(complete::settings))]
    pub settings: Vec<String>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// Lists the requests of all captures, and tries candidates.
pub(super) fn run(options: &KeysOptions, screen: Screen) -> Exit {
    let (captures, keys): (Vec<PathBuf>, Vec<PathBuf>) = options.files.iter().cloned().partition(|path| is_capture(path));
    let mut reading = Reading::default();
    (reading.keys, reading.records_keys) = (keys, true);
    (reading.decode_as, reading.settings) = (options.decode_as.clone(), options.settings.clone());
    reading.show_secrets = options.show_secrets;
    if captures.is_empty() {
        print_error(format_args!("keys: none of the files is a capture"));
        return Exit::Usage;
    }
    let settings = match InputSettings::new(&reading) {
        Ok(settings) => settings,
        Err(wrong) => return reject(wrong),
    };
    let Some(keys) = settings.registry().settings().keys().cloned() else { return Exit::Failed };
    let mut worst = Exit::Fine;
    let mut all = Vec::new();
    for source in Source::all(&captures, &reading) {
        match input::input(&source, &settings, &mut Listener) {
            Ok(exit) => worst = worst.max(exit),
            Err(error) => return worst.max(of_output(&error)),
        }
        let requests = keys.restart(None);
        all.push((source, requests));
    }
    let several = all.len() > 1;
    let mut to = screen.writer(false);
    let list = List { options, several };
    let done = list.requests(&all, &mut to).and_then(|()| match options.candidates.is_empty() {
        true => to.flush(),
        false => all.iter().try_for_each(|(source, requests)| {
            let trial = Trial::new(source, requests, &settings, &keys)?;
            list.fitting(trial, source, &mut to)
        }),
    });
    match done {
        Ok(()) => worst,
        Err(error) => worst.max(of_output(&error)),
    }
}

/// Whether a file is a capture by its first bytes, or standard input. Anything else is a key file.
fn is_capture(path: &Path) -> bool {
    const MAGIC: [&[u8]; 10] = [
        b"\xd4\xc3\xb2\xa1",
        b"\xa1\xb2\xc3\xd4",
        b"\x4d\x3c\xb2\xa1",
        b"\xa1\xb2\x3c\x4d",
        b"\x0a\x0d\x0d\x0a",
        b"snoop",
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"\x04\x22\x4d\x18",
        b"BZh",
    ];
    if path.as_os_str() == "-" || path.is_dir() {
        return true;
    }
    if !path.is_file() {
        return path.to_string_lossy().starts_with('@');
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut start));
    read.is_ok() && MAGIC.iter().any(|magic| start.starts_with(magic))
}

/// Reads captures for their requests only.
struct Listener;

impl Audience for Listener {
    fn demand(&self) -> Demand {
        Demand::NAMES
    }

    fn tree(&mut self, _: Dissection<'_>, _: bool) -> io::Result<()> {
        Ok(())
    }
}

/// Prints the results.
struct List<'a> {
    options: &'a KeysOptions,
    /// Whether files are named.
    several: bool,
}

impl List<'_> {
    fn requests(&self, all: &[(Source, Vec<Request>)], to: &mut dyn Write) -> io::Result<()> {
        let requests = || all.iter().flat_map(|(source, requests)| requests.iter().map(move |request| (source, request)));
        if self.options.json {
            return requests().try_for_each(|(source, request)| write_json(source, request, to));
        }
        if requests().next().is_none() {
            print_error(format_args!(
                "no conversation asks for a key; {} protocols lists protocols, with their keys",
                super::NAME
            ));
            return Ok(());
        }
        let named = [
            Head::words("conversation", Role::Stream),
            Head::words("protocol", Role::Protocol),
            Head::words("key", Role::Name),
            Head::words("client → server", Role::Address),
            Head::words("line", Role::Value),
            Head::words("state", Role::Meaning),
        ];
        let theme = forms::theme(self.options.color);
        let mut grid = Grid::new(to, theme, &named).within(forms::width());
        for (source, request) in requests() {
            let Request { protocol, name, owner, key, .. } = request;
            let stream = if self.several { format!("{} {}", source.name(), owner.stream) } else { owner.stream.to_string() };
            let ends = owner.ends.map(|[client, server]| format!("{client} → {server}")).unwrap_or_default();
            let line = key.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
            grid.cell(stream)?.cell(protocol)?.cell(name)?.cell(ends)?.cell(line)?.cell(state(request))?;
        }
        grid.end()?;
        let mut lacking = requests().map(|(_, request)| request).filter(|request| request.lacks_key()).peekable();
        if lacking.peek().is_some() && self.options.candidates.is_empty() {
            writeln!(to, "\nA key file with such lines serves the others:")?;
        }
        if self.options.candidates.is_empty() {
            lacking.try_for_each(|Request { protocol, name, owner, .. }| writeln!(to, "{}", line_for(protocol, name, owner)))?;
        }
        Ok(())
    }

    fn fitting(&self, mut trial: Trial, source: &Source, to: &mut dyn Write) -> io::Result<()> {
        let (window, mut failed) = (self.options.window.map(usize::from), None);
        for path in &self.options.candidates {
            let tried = key_candidates::all(path, window, |place, value| {
                let fitting = trial.fitting(value);
                let printed = fitting.iter().try_for_each(|request| self.fits(request, source, (path, place), value, to));
                failed = printed.err();
                if failed.is_some() || trial.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if let Some(error) = failed.take() {
                return Err(error);
            }
            if let Err(error) = tried {
                print_error(format_args!("--try {}: cannot be read: {}", path.display(), Words(&error)));
            }
        }
        for request in trial.open() {
            print_error(format_args!("{} {}: no candidate fits {}", request.owner.stream, request.protocol, request.name));
        }
        to.flush()
    }

    /// Prints a key line for a candidate that fits.
    fn fits(
        &self,
        request: &Request,
        source: &Source,
        (path, place): (&Path, Place),
        value: &[u8],
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = line_for(&request.protocol, &request.name, &request.owner);
        if self.options.show_secrets {
            let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            line = line.replacen(" HEX ", &format!(" {digits} "), 1);
        }
        if self.options.json {
            object(to, |members| {
                members.put("kind", "candidate")?;
                members.put("file", &source.name())?;
                members.put("stream", &request.owner.stream.to_string())?;
                members.put("place", &format!("{}: {place}", path.display()))?;
                members.put("line", &line)
            })?;
            return to.write_all(b"\n");
        }
        writeln!(to, "{line}  # {}: {place}", path.display())?;
        to.flush()
    }
}

fn write_json(source: &Source, request: &Request, to: &mut dyn Write) -> io::Result<()> {
    let Request { protocol, name, owner, .. } = request;
    object(to, |members| {
        members.put("kind", "conversation")?;
        members.put("file", &source.name())?;
        members.put("stream", &owner.stream.to_string())?;
        members.put("protocol", protocol)?;
        members.put("name", name)?;
        if let Some([client, server]) = owner.ends {
            members.put("client", &client.to_string())?;
            members.put("server", &server.to_string())?;
        }
        match &request.key {
            Some(key) => members.put("key", &key.to_string())?,
            None => members.put("line", &line_for(protocol, name, owner))?,
        }
        members.put("state", state(request))
    })?;
    to.write_all(b"\n")
}

/// What is known of a key.
fn state(request: &Request) -> &'static str {
    match (&request.key, request.fits) {
        (None, _) => "missing",
        (Some(_), Some(true)) => "fits",
        (Some(_), Some(false)) => "does not fit",
        (Some(_), None) => "undecided",
    }
}
