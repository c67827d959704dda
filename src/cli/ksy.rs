//! `ksy`: checks and conversion of Kaitai Struct files.

use super::args::{Reading, When};
use super::ksy_try::KsyTry;
use super::screen::Screen;
use super::source::{self, Source};
use super::{Exit, forms, ksy_try, of_output, print_error};
use crate::failure::Words;
use crate::ksy::diagnostic::Piece;
use crate::ksy::framing::framing;
use crate::ksy::model::{Spec, TypeId, ValueSource};
use crate::ksy::registration::{Carrier, Registration};
use crate::ksy::{self, Diagnostic, Loaded};
use crate::render::{Role, Theme, fold_painted};
use clap::{Args as Group, Subcommand, ValueHint};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Subcommands of `ksy`.
#[derive(Debug, Subcommand)]
pub enum Ksy {
    /// List errors and warnings, and how messages are framed on TCP
    Check(KsyCheck),
    /// Print a Wireshark dissector in Lua
    ///
    /// Load it with wireshark -X lua_script:FILE.lua, or copy it to Wireshark's Personal Lua Plugins folder. Constructs that cannot be
    /// translated are marked by a comment and a warning.
    Lua(KsyLua),
    /// Print how well a file fits a capture: messages by type, first failures, values without a case
    Try(Box<KsyTry>),
}

impl Ksy {
    /// Input options of a subcommand that reads captures.
    pub(super) fn reading(&self) -> Option<&Reading> {
        if let Ksy::Try(asked) = self { Some(&asked.reading) } else { None }
    }
}

/// Kaitai Struct file to convert.
#[derive(Debug, Group)]
pub struct KsyLua {
    /// File to convert; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Kaitai Struct files to check.
#[derive(Debug, Group)]
pub struct KsyCheck {
    /// Files to check; a directory includes its .ksy files, `-` is standard input
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// Runs a subcommand.
pub(super) fn run(asked: &Ksy, dirs: &[PathBuf], screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    match asked {
        Ksy::Check(check) => self::check(check, dirs, screen, read),
        Ksy::Lua(lua) => self::lua(&lua.file, dirs, screen, read),
        Ksy::Try(asked) => ksy_try::run(asked, dirs, screen, read),
    }
}

/// Checks each file separately, so that names cannot collide.
fn check(asked: &KsyCheck, dirs: &[PathBuf], screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    let theme = forms::theme(asked.color);
    let mut to = screen.writer(false);
    let mut exit = Exit::Fine;
    for file in &asked.files {
        let loaded = match load(file, dirs) {
            Ok(loaded) => loaded,
            Err(exit) => return exit,
        };
        read.extend_from_slice(&loaded.files);
        if loaded.spec.is_none() {
            exit = Exit::Usage;
        }
        if let Err(error) = to.write_all(findings(file, &loaded, theme).as_bytes()) {
            return of_output(&error);
        }
    }
    match to.flush() {
        Ok(()) => exit,
        Err(error) => of_output(&error),
    }
}

/// Prints the Lua dissector of a file.
fn lua(file: &Path, dirs: &[PathBuf], screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    if file.is_dir() {
        print_error(format_args!("{} is a directory; give one file", file.display()));
        return Exit::Usage;
    }
    let loaded = match load(file, dirs) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    read.extend_from_slice(&loaded.files);
    let Some((spec, top)) = loaded.spec.as_ref().and_then(|spec| Some((spec, *spec.roots.first()?))) else {
        report(&loaded.diagnostics);
        return Exit::Usage;
    };
    if let Some(why) = ksy::lua::refusal(spec) {
        print_error(format_args!("{}: {why}", file.display()));
        return Exit::Usage;
    }
    let dissector = ksy::lua::dissector(spec, top);
    report(&dissector.diagnostics);
    let mut to = screen.writer(false);
    match to.write_all(dissector.text.as_bytes()).and_then(|()| to.flush()) {
        Ok(()) => Exit::Fine,
        Err(error) => of_output(&error),
    }
}

/// Loads a file, or standard input for `-`.
fn load(file: &Path, dirs: &[PathBuf]) -> Result<Loaded, Exit> {
    if file != Path::new("-") {
        return Ok(ksy::load_with(std::slice::from_ref(&file.to_owned()), dirs, &source::open));
    }
    let mut text = String::new();
    let input = Source::File(file.to_owned()).open();
    match input.and_then(|input| input.take(ksy::files::FILE_BYTES as u64 + 1).read_to_string(&mut text)) {
        Ok(_) => Ok(ksy::load_text(Path::new("-"), &text)),
        Err(error) => {
            print_error(format_args!("cannot read standard input: {}", Words(&error)));
            Err(Exit::CannotOpen)
        }
    }
}

/// Errors, warnings, and a summary of the file.
fn findings(file: &Path, loaded: &Loaded, theme: Theme) -> String {
    let mut text = String::new();
    for diagnostic in &loaded.diagnostics {
        text += &painted(diagnostic, theme);
        text.push('\n');
    }
    match &loaded.spec {
        Some(spec) => {
            for line in summary(spec, &loaded.diagnostics).lines() {
                fold_painted(line, forms::width().unwrap_or(usize::MAX), "    ", &mut text);
                text.push('\n');
            }
        }
        None => {
            let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.error).count();
            // Writing to a String does not fail.
            let _ = writeln!(text, "{}: {}", file.display(), counted(errors, "error"));
        }
    }
    text
}

/// Prints errors and warnings on standard error.
pub(super) fn report(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        // If standard error cannot be written, the exit code still reports the error.
        let _ = writeln!(io::stderr(), "{diagnostic}");
    }
}

/// Formats a diagnostic with the colours of notes.
fn painted(diagnostic: &Diagnostic, theme: Theme) -> String {
    let level = if diagnostic.error { Role::Broken } else { Role::Odd };
    let mut text = String::new();
    for (piece, part) in diagnostic.pieces() {
        let role = match piece {
            Piece::SourceRange => Role::Number,
            Piece::Level => level,
            Piece::Frame => Role::Secondary,
            Piece::Words | Piece::Source => Role::Meaning,
        };
        let _ = write!(text, "{}", theme.paint(role, part));
    }
    text
}

/// Summarizes the declarations of each file and the framing on TCP.
fn summary(spec: &Spec, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for root in &spec.roots {
        let top = spec.type_of(*root);
        let path = spec.files.get(top.place.file as usize).map(|file| file.path.clone()).unwrap_or_default();
        let title = top.meta.title.as_ref().map(|title| format!(", {title}")).unwrap_or_default();
        let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.error && diagnostic.path == path).count();
        let verdict = if warnings == 0 { "no errors".to_owned() } else { counted(warnings, "warning") };
        let _ = writeln!(text, "{}: {verdict}\n  protocol: {}{title}", path.display(), top.name);
        let _ = writeln!(text, "  content: {}\n  on TCP: {}", content(spec, *root), framing(spec, *root).describe(spec));
        let places = Registration::of(spec, *root).map(places).unwrap_or_default();
        let _ = match places.as_slice() {
            [] => writeln!(text, "  found on: no port or content; use --as {} or -d", top.name),
            places => writeln!(text, "  found on: {}", places.join(", ")),
        };
    }
    text
}

/// Ports and heuristics that a file registers.
fn places(registration: &Registration) -> Vec<String> {
    let mut places = Vec::new();
    for carrier in &registration.carriers {
        let name = match carrier {
            Carrier::Tcp => "TCP",
            Carrier::Udp => "UDP",
            Carrier::Payload(over) => {
                places.extend(over.as_ref().map(|over| format!("inside {over}")));
                continue;
            }
        };
        places.extend(registration.ports.iter().map(|range| match (range.start(), range.end()) {
            (first, last) if first == last => format!("{name} {first}"),
            (first, last) => format!("{name} {first} to {last}"),
        }));
        if !registration.magic.is_empty() {
            places.push(format!("any {name} port by content"));
        }
    }
    places
}

/// Counts the types, fields and enums of a file.
fn content(spec: &Spec, root: TypeId) -> String {
    let types: Vec<_> = spec.types.iter().filter(|of| of.top == root).collect();
    let fields = types.iter().map(|of| of.seq.len() + of.instances.len()).sum();
    let calculated =
        types.iter().flat_map(|of| &of.instances).filter(|member| matches!(member.source, ValueSource::Value(_))).count();
    let enums = spec.enums.iter().filter(|of| spec.type_of(of.owner).top == root).count();
    let imports = spec.files.len().saturating_sub(spec.roots.len());
    let mut parts = vec![counted(types.len(), "type"), counted(fields, "field")];
    for (count, what) in [(calculated, "calculated field"), (enums, "enum"), (imports, "imported file")] {
        if count > 0 {
            parts.push(counted(count, what));
        }
    }
    parts.join(", ")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
