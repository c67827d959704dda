//! `-k` and the user's directory: loads Kaitai Struct files as protocols before input is opened.

use super::scripts::{self, LuaOptions};
use super::{Exit, NAME, print_error, source, user_files};
use crate::failure::Words;
use crate::ksy::model::{Spec, TypeId};
use crate::ksy::{self, Diagnostic, Loaded};
use crate::nearest::similar;
use crate::registry::{self, Registry};
use crate::wire::Protocol;
use clap::{Args as Group, ValueHint};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Options for Kaitai Struct files.
#[derive(Debug, Default, Group)]
#[command(next_help_heading = "Input")]
pub struct Loading {
    /// Load a Kaitai Struct file as a protocol; repeatable
    ///
    /// A directory loads all of its files. If only one file is loaded, hex text and raw bytes are dissected with it, as with --as.
    /// TYPE selects a type of the file as the message, such as mygame.ksy:packet, instead of its top-level type.
    #[arg(short = 'k', long, global = true, value_name = "FILE[:TYPE]", value_hint = ValueHint::AnyPath)]
    pub ksy: Vec<PathBuf>,

    /// Search directory for imports with an absolute path (/common/vlq); repeatable
    #[arg(hide_short_help = true, long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub ksy_dir: Vec<PathBuf>,

    /// Do not load the Kaitai Struct files in ~/.config/proto-dissect/ksy (%APPDATA% on Windows)
    #[arg(hide_short_help = true, long, global = true)]
    pub no_user_ksy: bool,

    /// Run again when a Kaitai Struct file or an input changes, until Ctrl-C
    ///
    /// A terminal is cleared before each run. If a run fails, the last successful output stays below the error.
    #[arg(hide_short_help = true, long, global = true)]
    pub watch: bool,

    /// Options for Lua scripts.
    #[command(flatten)]
    pub lua: LuaOptions,
}

/// Loads the files of `-k` and of the user's directory, and reports errors and warnings. Paths of loaded files are appended to
/// `read`.
pub(super) fn load(loading: &Loading, read: &mut Vec<PathBuf>) -> Result<(), Exit> {
    load_and(loading, read, report, |warning| print_error(format_args!("{warning}"))).map_err(|wrong| {
        if let Some(wrong) = wrong {
            print_error(format_args!("{wrong}"));
        }
        Exit::Usage
    })
}

/// Loads the files again without printing, for `browse`.
///
/// # Errors
/// The first error, in one line. Protocols loaded before remain.
pub(super) fn reload(loading: &Loading, read: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut first = None;
    let errors = |diagnostics: &[Diagnostic]| {
        let error = diagnostics.iter().find(|diagnostic| diagnostic.error);
        first = error.map(|error| error.to_string().lines().next().unwrap_or_default().to_owned());
    };
    let loaded = load_and(loading, read, errors, |_| {});
    loaded.map_err(|wrong| wrong.or(first).unwrap_or_else(|| "a Kaitai Struct file cannot be read".to_owned()))
}

/// Loads the files without reporting errors.
pub(super) fn load_silently(loading: &Loading) -> Result<(), Option<String>> {
    load_and(loading, &mut Vec::new(), |_| {}, |_| {})
}

/// Loads the files without printing, and protocols of the program that embeds the engine.
///
/// # Errors
/// All errors. Protocols loaded before remain.
pub(super) fn load_collecting(
    loading: &Loading,
    own: Vec<&'static Protocol>,
    read: &mut Vec<PathBuf>,
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    let (mut errors, mut doubts) = (Vec::new(), Vec::new());
    let collect = |diagnostics: &[Diagnostic]| {
        let (wrong, doubtful): (Vec<_>, Vec<_>) = diagnostics.iter().partition(|diagnostic| diagnostic.error);
        errors.extend(wrong.iter().map(ToString::to_string));
        doubts.extend(doubtful.iter().filter(|diagnostic| !diagnostic.is_advice).map(ToString::to_string));
    };
    let loaded = load_with(loading, own, read, collect, |warning| warnings.push(warning));
    warnings.append(&mut doubts);
    loaded.map_err(|wrong| wrong.unwrap_or_else(|| errors.concat()))
}

/// Paths of `-k`, without types.
pub(super) fn named(loading: &Loading) -> Vec<PathBuf> {
    let ksy = loading.ksy.iter().map(|path| split(path).0).chain(loading.ksy_dir.iter().cloned());
    ksy.chain(loading.lua.paths()).collect()
}

/// Loads files. An error may be among the diagnostics only.
fn load_and(
    loading: &Loading,
    read: &mut Vec<PathBuf>,
    report: impl FnOnce(&[Diagnostic]),
    warn: impl FnMut(String),
) -> Result<(), Option<String>> {
    load_with(loading, Vec::new(), read, report, warn)
}

/// The same with protocols that are no files.
fn load_with(
    loading: &Loading,
    own: Vec<&'static Protocol>,
    read: &mut Vec<PathBuf>,
    report: impl FnOnce(&[Diagnostic]),
    mut warn: impl FnMut(String),
) -> Result<(), Option<String>> {
    let mut protocols = if loading.ksy.is_empty() { Vec::new() } else { load_selected(loading, read, report)? };
    let named = protocols.len();
    protocols.extend(own);
    let mut scripted = None;
    if !loading.lua.is_empty() {
        let loaded = scripts::load(&loading.lua, read).map_err(|errors| Some(errors.join("\n")))?;
        loaded.remarks.into_iter().for_each(&mut warn);
        scripted = loaded.scripted;
        protocols.extend(loaded.protocols);
    }
    if !loading.no_user_ksy {
        user_files::add(&mut protocols, loading, read, warn);
    }
    if !protocols.is_empty() || Registry::default().loaded().next().is_some() {
        registry::load(protocols, named, scripted);
    }
    Ok(())
}

/// Protocols of the files of `-k`.
fn load_selected(
    loading: &Loading,
    read: &mut Vec<PathBuf>,
    report: impl FnOnce(&[Diagnostic]),
) -> Result<Vec<&'static Protocol>, Option<String>> {
    let asked = expand(&loading.ksy)?;
    let paths: Vec<PathBuf> = asked.iter().map(|(path, _)| path.clone()).collect();
    let Loaded { spec, diagnostics, files } = ksy::load_with(&paths, &loading.ksy_dir, &source::open);
    read.extend(files);
    report(&diagnostics);
    let spec = spec.ok_or(None)?;
    let mut protocols: Vec<&Protocol> = Vec::new();
    for ((path, name), top) in asked.iter().zip(&spec.roots) {
        let root = match name {
            Some(name) => Some(type_named(&spec, *top, name).ok_or_else(|| no_type(&spec, *top, path, name))?),
            None => None,
        };
        let id = &spec.type_of(*top).name;
        if protocols.iter().any(|earlier| earlier.this.abbrev == id) {
            return Err(Some(format!("-k: two files have the id {id}; load one of them")));
        }
        if is_layer(id) {
            return Err(Some(format!("-k: the id {id} is the name of a built-in header; give the file another id")));
        }
        protocols.push(ksy::protocol(&spec, *top, root, is_built_in(id)));
    }
    Ok(protocols)
}

/// Prints errors in full, but only the number of warnings: a normal run is not a check of the file.
/// Advice does not count.
fn report(diagnostics: &[Diagnostic]) {
    let (errors, warnings): (Vec<_>, Vec<_>) = diagnostics.iter().cloned().partition(|diagnostic| diagnostic.error);
    super::ksy::report(&errors);
    let mut counts: Vec<(&Path, usize)> = Vec::new();
    for warning in warnings.iter().filter(|warning| errors.is_empty() && !warning.is_advice) {
        match counts.iter_mut().find(|(path, _)| *path == warning.path) {
            Some((_, count)) => *count += 1,
            None => counts.push((&warning.path, 1)),
        }
    }
    for (path, count) in counts {
        let path = path.display();
        let plural = if count == 1 { "" } else { "s" };
        print_error(format_args!("{path}: {count} warning{plural}; see {NAME} ksy check {path}"));
    }
}

/// Whether a built-in application protocol has this name.
pub(super) fn is_built_in(name: &str) -> bool {
    crate::protocols::ALL.iter().any(|protocol| protocol.this.abbrev == name)
}

/// Whether a link, network or transport header has this name.
pub(super) fn is_layer(name: &str) -> bool {
    let is_application = Registry::default().applications().any(|protocol| protocol.this.abbrev == name);
    !is_application && Registry::default().protocol(name).is_some()
}

/// Expands directories, and splits each argument into file and type.
fn expand(named: &[PathBuf]) -> Result<Vec<(PathBuf, Option<String>)>, String> {
    let mut asked = Vec::new();
    for path in named {
        if path.is_dir() {
            let files = files_in(path).map_err(|error| format!("-k {}: {}", path.display(), Words(&error)))?;
            if files.is_empty() {
                return Err(format!("-k {}: no .ksy file in this directory", path.display()));
            }
            asked.extend(files.into_iter().map(|file| (file, None)));
        } else {
            asked.push(split(path));
        }
    }
    Ok(asked)
}

/// The `.ksy` files of a directory, sorted by name.
pub(super) fn files_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension() == Some(OsStr::new("ksy")) && file.is_file());
    files.sort();
    Ok(files)
}

/// Splits `FILE.ksy:TYPE`. The path of an existing file is never split.
pub(super) fn split(path: &Path) -> (PathBuf, Option<String>) {
    const END: &str = ".ksy:";
    let text = path.to_str().filter(|_| !path.exists());
    match text.and_then(|text| text.find(END).and_then(|at| text.split_at_checked(at + END.len()))) {
        Some((file, name)) => (PathBuf::from(file.trim_end_matches(':')), Some(name.to_owned())),
        None => (path.to_owned(), None),
    }
}

/// Type with this name, or with this path from the top-level type.
fn type_named(spec: &Spec, top: TypeId, name: &str) -> Option<TypeId> {
    types_of(spec, top).find(|(_, known)| *known == name).map(|(id, _)| id).or_else(|| {
        let mut fitting = types_of(spec, top).filter(|(id, _)| spec.type_of(*id).name == name);
        fitting.next().filter(|_| fitting.next().is_none()).map(|(id, _)| id)
    })
}

/// Types of a file with their paths below the top-level type.
fn types_of(spec: &Spec, top: TypeId) -> impl Iterator<Item = (TypeId, &str)> {
    let of_file = spec.types.iter().enumerate().filter(move |(_, of)| of.top == top);
    of_file.filter_map(|(at, of)| {
        let path = of.path.split_once("::").map_or(of.path.as_str(), |(_, below)| below);
        Some((TypeId(u32::try_from(at).ok()?), path))
    })
}

fn no_type(spec: &Spec, top: TypeId, path: &Path, name: &str) -> String {
    let similar = similar(name, types_of(spec, top).map(|(_, known)| known));
    format!("-k {}: unknown type {name:?}{similar}", path.display())
}
