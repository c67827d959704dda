//! `objects`: lists and saves the objects of messages and conversations.

use super::args::{Args, Reading};
use super::audience::Audience;
use super::input::{self, InputSettings};
use super::screen::Screen;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, forms, of_output, print_error, reject};
use crate::failure::{Words, at_path};
use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::render::{Thousands, fold_painted};
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection, ExportedObject, Extras, Field, Mark, Object, clean};
use clap::{Args as Group, ValueHint};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::convert::Infallible;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

// Objects to list and save.
#[derive(Debug, Group)]
pub struct Objects {
    /// Captures or hex text files; `-` or none reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Save each object as a file in this directory; existing files are never overwritten
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub write_dir: Option<PathBuf>,

    /// Stop after message N, and print the state of its conversation at that point
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub at: Option<u64>,

    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// Input options.
    #[command(flatten)]
    pub reading: Reading,

    /// `--export-objects`: objects of this protocol only, saved under their original names.
    #[arg(skip)]
    pub export: Option<&'static Field>,

    /// Do not list saved objects.
    #[arg(skip)]
    pub silent: bool,
}

/// Maximum bytes of an object's name in a file name.
const NAME_MOST: usize = 100;

/// Lists the objects of all inputs, and saves them with `--write-dir`.
pub(super) fn run(options: &Objects, screen: Screen) -> Exit {
    let settings = match InputSettings::new(&options.reading) {
        Ok(settings) => settings,
        Err(wrong) => return reject(wrong),
    };
    let to = screen.writer(false);
    let (tally, file) = (Tally::new(View::Messages), String::new());
    let mut list = List { to, options, width: forms::width(), tally, file, number: 0, secret: 0, done: false };
    let mut worst = Exit::Fine;
    if let Some(folder) = &options.write_dir
        && let Err(error) = fs::create_dir_all(folder)
    {
        print_error(format_args!("{}: cannot be created: {}", folder.display(), Words(&error)));
        return Exit::Failed;
    }
    let sources = Source::all(&options.files, &options.reading);
    settings.report_unreadable(&sources);
    for source in &sources {
        match input::input(source, &settings, &mut list) {
            Ok(exit) => worst = worst.max(exit),
            Err(error) => return worst.max(of_output(&error)),
        }
    }
    if list.number == 0 && worst == Exit::Fine {
        match options.at {
            Some(at) => print_error(format_args!("nothing to save up to message {at}")),
            None => match exported(options) {
                Some(name) => print_error(format_args!("nothing to save: no {name} message carries a file")),
                None => print_error(format_args!("nothing to save: no message or conversation carries a map, values or a file")),
            },
        }
    }
    match list.secret {
        0 => {}
        1 => print_error(format_args!("one saved object contains secrets as captured")),
        secret => print_error(format_args!("{secret} saved objects contain secrets as captured")),
    }
    match list.to.flush() {
        Ok(()) => worst,
        Err(error) => worst.max(of_output(&error)),
    }
}

/// Protocol of `--export-objects`.
fn exported(options: &Objects) -> Option<&'static str> {
    options.export.map(|protocol| protocol.abbrev)
}

/// Runs `--export-objects PROTO,DIR`, which saves objects under their original names.
pub(super) fn export(mut args: Args, screen: Screen) -> Exit {
    let mut exports = Vec::new();
    for value in &args.habits.export_objects {
        match wanted(value) {
            Ok(export) => exports.push(export),
            Err(wrong) => return reject(wrong),
        }
    }
    let (files, mut reading) = (std::mem::take(&mut args.files), args.reading);
    let mut worst = Exit::Fine;
    for (protocol, folder) in exports {
        let objects = Objects {
            files: files.clone(),
            write_dir: Some(folder),
            at: None,
            json: args.output.json,
            reading,
            export: Some(protocol),
            silent: args.output.quiet,
        };
        worst = worst.max(run(&objects, screen));
        reading = objects.reading;
    }
    worst
}

/// Parses `http,DIR`.
fn wanted(value: &str) -> Result<(&'static Field, PathBuf), UsageError> {
    let (name, folder) = value
        .split_once(',')
        .filter(|(_, folder)| !folder.is_empty())
        .ok_or_else(|| format!("--export-objects {value}: expected PROTO,DIR, such as http,objects"))?;
    let protocol = Registry::default().protocol(name).ok_or_else(|| forms::unknown_protocol(name))?;
    Ok((protocol.this, PathBuf::from(folder)))
}

/// Lists objects, and saves them.
struct List<'a, W> {
    to: W,
    options: &'a Objects,
    /// Width of the terminal, if standard output is one.
    width: Option<usize>,
    /// Counts of the current input.
    tally: Tally,
    file: String,
    /// Objects of all inputs so far.
    number: u64,
    /// Number of saved objects that contain secrets.
    secret: u64,
    /// The message of `--at` was reached.
    done: bool,
}

impl<W: Write + Send> Audience for List<'_, W> {
    fn demand(&self) -> Demand {
        // Saved objects are searched for secrets.
        let saves = self.options.write_dir.is_some();
        Demand::OBJECTS.with(Extras::CONTENT.when(saves))
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        begin.file.clone_into(&mut self.file);
        Ok(())
    }

    fn defers_after(&self) -> Option<u64> {
        self.options.at?.checked_sub(self.tally.messages)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let mut messages = Vec::new();
        let shown: Result<(), Infallible> = self.tally.records(of, captured, |record| {
            if let Record::Message(message) = record
                && !of.tree.outcome.objects.is_empty()
            {
                messages.push((message.layer.node, message.n));
            }
            Ok(())
        });
        let Ok(()) = shown;
        for carried in &of.tree.outcome.objects {
            if self.options.export.is_some_and(|protocol| !protocol.is(carried.protocol)) {
                continue;
            }
            let number = |node: u32| messages.iter().find(|(of, _)| *of == node).map(|(_, number)| *number);
            let message = carried.message.and_then(number);
            let is_asked_for = match (self.options.at, message) {
                (None, _) => true,
                (Some(at), Some(number)) => number <= at,
                (Some(_), None) => false,
            };
            if is_asked_for {
                self.object(carried, message, of.tree.frame.number)?;
                self.secret += u64::from(self.options.write_dir.is_some() && has_secret(of, &carried.object.bytes));
            }
        }
        self.done = self.options.at.is_some_and(|at| self.tally.messages >= at);
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.done
    }

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        // Numbers restart with each input.
        let tally = std::mem::replace(&mut self.tally, Tally::new(View::Messages));
        let done = std::mem::take(&mut self.done);
        match self.options.at {
            Some(at) if !done => {
                print_error(format_args!("{}: no message {at}; the input has {}", self.file, tally.messages));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write> List<'_, W> {
    fn object(&mut self, carried: &ExportedObject, message: Option<u64>, frame: u64) -> io::Result<()> {
        self.number += 1;
        let stream = carried.stream.map(|stream| stream.to_string());
        let saved = match &self.options.write_dir {
            Some(folder) if self.options.export.is_some() => Some(save_named(folder, &carried.object)?),
            Some(folder) => Some(save(folder, self.number, stream.as_deref(), carried)?),
            None => None,
        };
        if self.options.silent {
            return Ok(());
        }
        let (object, protocol) = (&carried.object, carried.protocol.abbrev);
        if self.options.json {
            let line = Line { number: self.number, file: &self.file, message, frame, stream, saved, carried };
            serde_json::to_writer(&mut self.to, &line)?;
            return self.to.write_all(b"\n");
        }
        if self.number == 1 {
            self.line("number  message    frame  stream    protocol  kind           size  name")?;
        }
        let message = message.map_or_else(|| "end".to_owned(), |number| number.to_string());
        let mut name = String::new();
        // Writing to a String does not fail.
        let _ = clean(&object.name, &mut name);
        let (number, kind, size) = (self.number, object.kind, object.bytes.len());
        let stream = stream.unwrap_or_default();
        let size = Thousands(size);
        let line = format!("{number:>6}  {message:>7}  {frame:>7}  {stream:<8}  {protocol:<8}  {kind:<8}  {size:>9}  {name}");
        self.line(&line)
    }

    /// Prints a line, truncated to the width of the terminal.
    fn line(&mut self, line: &str) -> io::Result<()> {
        let mut folded = String::new();
        fold_painted(line, self.width.unwrap_or(usize::MAX), "        ", &mut folded);
        writeln!(self.to, "{folded}")
    }
}

/// An object as JSON.
struct Line<'a> {
    number: u64,
    file: &'a str,
    message: Option<u64>,
    frame: u64,
    stream: Option<String>,
    saved: Option<PathBuf>,
    carried: &'a ExportedObject,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("number", &self.number)?;
        map.serialize_entry("file", self.file)?;
        if let Some(message) = self.message {
            map.serialize_entry("n", &message)?;
        }
        map.serialize_entry("frame", &self.frame)?;
        if let Some(stream) = &self.stream {
            map.serialize_entry("stream", stream)?;
        }
        map.serialize_entry("protocol", self.carried.protocol.abbrev)?;
        map.serialize_entry("kind", self.carried.object.kind)?;
        map.serialize_entry("name", &self.carried.object.name)?;
        map.serialize_entry("size", &self.carried.object.bytes.len())?;
        if !self.carried.object.marks.is_empty() {
            let mark = |mark: &Mark| serde_json::json!({ "label": mark.label, "x": mark.x, "y": mark.y });
            map.serialize_entry("marks", &self.carried.object.marks.iter().map(mark).collect::<Vec<_>>())?;
        }
        if let Some(saved) = &self.saved {
            map.serialize_entry("saved", &saved.to_string_lossy())?;
        }
        map.end()
    }
}

/// Maximum number of secrets of a tree that objects are searched for, so that the work is bounded.
const SEARCHED: usize = 64;

/// Whether these bytes contain a secret of the tree.
fn has_secret(of: Dissection<'_>, bytes: &[u8]) -> bool {
    let secrets = of.tree.masked_spans().iter().take(SEARCHED).map(|span| of.slice(*span)).filter(|secret| !secret.is_empty());
    secrets.into_iter().any(|secret| memchr::memmem::find(bytes, secret).is_some())
}

/// Saves an object under a safe name that sorts by time.
fn save(folder: &Path, number: u64, stream: Option<&str>, carried: &ExportedObject) -> io::Result<PathBuf> {
    let stream = stream.map(|stream| format!("{}-", stream.replace('/', "-"))).unwrap_or_default();
    let path = folder.join(format!("{number:06}-{stream}{}", harmless(&carried.object.name)));
    let with_path = |error: io::Error| at_path(&path, &error);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(with_path)?;
    file.write_all(&carried.object.bytes).map_err(with_path)?;
    Ok(path)
}

/// Maximum number of file names to try for an object.
const ATTEMPTS: u32 = 10_000;

/// Saves an object under its own name, or as `name(1).txt` if that exists. No file is overwritten.
fn save_named(folder: &Path, object: &Object) -> io::Result<PathBuf> {
    let name = match harmless(&object.name) {
        name if name.trim_matches('.').is_empty() => "object".to_owned(),
        name => name,
    };
    let (stem, ending) = match name.rfind('.').filter(|dot| *dot > 0).map(|dot| name.split_at(dot)) {
        Some(parts) => parts,
        None => (name.as_str(), ""),
    };
    for attempt in 0..ATTEMPTS {
        let path = folder.join(match attempt {
            0 => name.clone(),
            number => format!("{stem}({number}){ending}"),
        });
        let with_path = |error: io::Error| at_path(&path, &error);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(&object.bytes).map(|()| path.clone()).map_err(with_path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(with_path(error)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{}: too many files of this name", folder.join(name).display())))
}

/// Returns a safe file name: without separators and characters special to a shell or a terminal. A long name keeps its end,
/// which has the extension.
fn harmless(name: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() || "._-".contains(character) { character } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let from = name.len().saturating_sub(NAME_MOST);
    name.get(from..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_never_replaces_a_file() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-{}-named", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let object = |name: &str| Object { name: name.into(), kind: "body", bytes: vec![1], marks: Vec::new() };
        let names = ["a.txt", "a.txt", "..", ".x", ".x"].map(|name| save_named(&folder, &object(name)).unwrap());
        let names = names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(names, ["a.txt", "a(1).txt", "object", ".x", ".x(1)"]);
    }

    #[test]
    fn names_of_files_do_no_harm() {
        assert_eq!(harmless("local-map.png"), "local-map.png");
        assert_eq!(harmless("../../etc/passwd"), ".._.._etc_passwd");
        assert_eq!(harmless("a b\u{1b}[31m\u{e9}"), "a_b__31m_");
        assert_eq!(harmless(&format!("{}.png", "x".repeat(300))).len(), NAME_MOST);
    }
}
