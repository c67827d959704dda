//! Options as the command line takes them, and the registries that result.

use crate::{errors, protocol};
use proto_dissect::cli::embedded::{self, Configured};
use proto_dissect::input::Options;
use proto_dissect::registry::Registry;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The state of a file: time of change and size.
type Stamp = (Option<SystemTime>, u64);

/// A registry that was configured before, and the files it was made of.
struct Known {
    registry: Registry,
    options: Options,
    files: Vec<(PathBuf, Option<Stamp>)>,
}

/// Registries live as long as the process, so equal options share one.
static KNOWN: Mutex<Option<HashMap<Vec<OsString>, Known>>> = Mutex::new(None);

/// The registry and the input options of an argument list. Warnings about files are Python warnings.
pub fn configured(py: Python<'_>, words: Vec<OsString>) -> PyResult<(Registry, Options)> {
    let (protocols, version) = protocol::registered();
    let mut key = words.clone();
    key.push(version.to_string().into());
    let loaded = py.detach(|| {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(known) = known.get(&key).filter(|known| known.files.iter().all(|(path, was)| stamp(path) == *was)) {
            return Ok((known.registry, known.options, Vec::new()));
        }
        let Configured { registry, options, files, warnings } = embedded::configured(&words, protocols)?;
        let files = files.into_iter().map(|path| (stamp(&path), path)).map(|(stamp, path)| (path, stamp)).collect();
        known.insert(key, Known { registry, options, files });
        Ok((registry, options, warnings))
    });
    let (registry, options, warnings) = loaded.map_err(errors::option)?;
    if !warnings.is_empty() {
        let warn = py.import("warnings")?.getattr("warn")?;
        warnings.into_iter().try_for_each(|warning| warn.call1((warning,)).map(drop))?;
    }
    Ok((registry, options))
}

fn stamp(path: &PathBuf) -> Option<Stamp> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok(), about.len()))
}
