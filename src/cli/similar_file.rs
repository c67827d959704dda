//! The file that a mistyped name may mean.

use crate::failure::Words;
use crate::nearest::{edits, nearest};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Number of names in a folder to compare with.
const NAMES: usize = 16 << 10;

/// Why a file cannot be opened, with the file that may be meant.
pub(super) fn cannot_open(error: &io::Error, path: Option<&Path>) -> String {
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    if is_missing && path.and_then(Path::to_str).is_some_and(|path| path.contains(['*', '?'])) {
        return "no file has a name of this pattern".to_owned();
    }
    let error = Words(error);
    match path.filter(|_| is_missing).and_then(similar_file) {
        Some(similar) => format!("cannot be opened: {error}; did you mean {}?", similar.display()),
        None => format!("cannot be opened: {error}"),
    }
}

/// The file in the same folder whose name without extension is nearest. Among equals, the extension decides, then the length.
pub(super) fn similar_file(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).ok()?.flatten().take(NAMES);
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.path().is_file().then(|| entry.file_name().into())).collect();
    let extension = |file: &Path| file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let typed = extension(path);
    let stem = |file: &Path| Some(file.file_stem()?.to_str()?.to_owned());
    let length = |file: &Path| stem(file).map_or(0, |stem| stem.chars().count());
    files.sort_by_cached_key(|file| {
        (edits(&typed, &extension(file), usize::MAX), length(file).abs_diff(length(path)), file.clone())
    });
    let stems: Vec<(String, &PathBuf)> = files.iter().filter_map(|file| Some((stem(file)?, file))).collect();
    let near = *nearest(&stem(path)?, stems.iter().map(|(stem, _)| stem.as_str())).first()?;
    let (_, file) = stems.iter().find(|(stem, _)| stem == near)?;
    Some(path.with_file_name(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_files_is_named_as_one() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(cannot_open(&missing, Some(Path::new("samples/*.pcapx"))), "no file has a name of this pattern");
        assert!(cannot_open(&missing, Some(Path::new("samples/pipbo.pcap"))).ends_with("did you mean samples/pipboy.pcap?"));
    }

    #[test]
    fn the_nearest_file_is_that_of_its_folder() {
        for (typed, meant) in [
            ("samples/pipbyo.pcap", Some("samples/pipboy.pcap")),
            ("samples/pipbo.pcap", Some("samples/pipboy.pcap")),
            ("samples/pipboy.pcpa", Some("samples/pipboy.pcap")),
            ("Cargo.tml", Some("Cargo.toml")),
            ("./Cago.lock", Some("./Cargo.lock")),
            ("samples/nothing-like-it.pcap", None),
            ("no-such-folder/pipboy.pcap", None),
            ("", None),
            ("..", None),
        ] {
            assert_eq!(similar_file(Path::new(typed)).as_deref(), meant.map(Path::new), "{typed}");
        }
    }
}
