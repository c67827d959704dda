//! Kaitai Struct files in the user's own folder: they are protocols without being named.
//!
//! A run is never about them, so a file that cannot be used costs one line and nothing else.

use super::loading::Loading;
use super::{NAME, loading};
use crate::ksy;
use crate::wire::Protocol;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Files that are loaded; further ones are left out.
const MOST: usize = 256;

/// Adds the protocols of the folder. A name that is taken stays with its first protocol: `-k` outranks the folder.
pub(super) fn add(
    protocols: &mut Vec<&'static Protocol>,
    loading: &Loading,
    read: &mut Vec<PathBuf>,
    mut warn: impl FnMut(String),
) {
    let Some(folder) = folder() else { return };
    let Ok(mut files) = loading::files_in(&folder) else { return };
    if files.len() > MOST {
        warn(format!("{}: more than {MOST} files; the last ones are left out", folder.display()));
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
            Some(_) => warn(format!("{}: left out, an earlier file has the id {}", file.display(), protocol.this.abbrev)),
        }
    }
}

/// Loads one file on its own, so that its errors concern no other one.
fn load(file: &Path, dirs: &[PathBuf], read: &mut Vec<PathBuf>) -> Result<&'static Protocol, String> {
    let loaded = ksy::load(std::slice::from_ref(&file.to_owned()), dirs);
    read.extend(loaded.files);
    let left_out = |what: String| format!("{what}; the file is left out, see {NAME} ksy check {}", file.display());
    let error = || loaded.diagnostics.iter().find(|diagnostic| diagnostic.error);
    let Some((spec, root)) = loaded.spec.as_ref().and_then(|spec| Some((spec, *spec.roots.first()?))) else {
        let what = error().map_or_else(|| file.display().to_string(), |error| format!("{}: {}", error.location(), error.message));
        return Err(left_out(what));
    };
    let id = &spec.type_of(root).name;
    if loading::is_layer(id) {
        return Err(left_out(format!("{}: the id {id} is the name of a header of every capture", file.display())));
    }
    Ok(ksy::protocol(spec, root, None, loading::is_built_in(id)))
}

/// Where the files are: `proto-dissect/ksy` in `XDG_CONFIG_HOME`, which is `~/.config` unless it is set.
fn folder() -> Option<PathBuf> {
    folder_in(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
}

fn folder_in(config: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // A relative path is to be ignored, as the XDG specification demands.
    let config = config.map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || home.map(PathBuf::from).filter(|path| path.is_absolute()).map(|home| home.join(".config"));
    // The tests of the program do not depend on what the user has.
    config.or_else(home).filter(|_| !cfg!(test)).map(|config| config.join(NAME).join("ksy"))
}
