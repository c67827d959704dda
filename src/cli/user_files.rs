//! Loads the Kaitai Struct files in the user's directory as protocols.
//!
//! They are loaded for every run, so a file with errors is reported in one line and skipped.

use super::loading::Loading;
use super::source;
use super::{NAME, loading};
use crate::ksy;
use crate::wire::Protocol;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Maximum number of files.
const MOST: usize = 256;

/// Adds the protocols of the directory. The first protocol of a name wins, so `-k` has priority.
pub(super) fn add(
    protocols: &mut Vec<&'static Protocol>,
    loading: &Loading,
    read: &mut Vec<PathBuf>,
    mut warn: impl FnMut(String),
) {
    let Some(folder) = folder() else { return };
    let Ok(mut files) = loading::files_in(&folder) else { return };
    if files.len() > MOST {
        warn(format!("{}: more than {MOST} files; the last ones are skipped", folder.display()));
        files.truncate(MOST);
    }
    let named = protocols.len();
    for file in files {
        let protocol = match load(&file, &loading.ksy_dir, read) {
            Ok(protocol) => protocol,
            Err(wrong) => {
                warn(wrong);
                continue;
            }
        };
        match protocols.iter().position(|earlier| earlier.this.abbrev == protocol.this.abbrev) {
            None => protocols.push(protocol),
            Some(place) if place < named => {}
            Some(_) => warn(format!("{}: skipped, an earlier file has the id {}", file.display(), protocol.this.abbrev)),
        }
    }
}

/// Loads one file separately, so that its errors do not affect others.
fn load(file: &Path, dirs: &[PathBuf], read: &mut Vec<PathBuf>) -> Result<&'static Protocol, String> {
    let loaded = ksy::load_with(std::slice::from_ref(&file.to_owned()), dirs, &source::open);
    read.extend(loaded.files);
    let left_out = |what: String| format!("{what}; the file is skipped, see {NAME} ksy check {}", file.display());
    let error = || loaded.diagnostics.iter().find(|diagnostic| diagnostic.error);
    let Some((spec, root)) = loaded.spec.as_ref().and_then(|spec| Some((spec, *spec.roots.first()?))) else {
        let what = error().map_or_else(|| file.display().to_string(), |error| format!("{}: {}", error.location(), error.message));
        return Err(left_out(what));
    };
    let id = &spec.type_of(root).name;
    if loading::is_layer(id) {
        return Err(left_out(format!("{}: the id {id} is the name of a built-in header", file.display())));
    }
    Ok(ksy::protocol(spec, root, None, loading::is_built_in(id)))
}

/// The directory `proto-dissect/ksy` in `APPDATA` on Windows, else in `XDG_CONFIG_HOME` (default `~/.config`).
fn folder() -> Option<PathBuf> {
    match std::env::var_os("APPDATA") {
        Some(data) if cfg!(windows) => folder_in(Some(data), None),
        _ => folder_in(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME")),
    }
}

fn folder_in(config: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // The XDG specification requires relative paths to be ignored.
    let config = config.map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || home.map(PathBuf::from).filter(|path| path.is_absolute()).map(|home| home.join(".config"));
    // Tests do not depend on the user's files.
    config.or_else(home).filter(|_| !cfg!(test)).map(|config| config.join(NAME).join("ksy"))
}
