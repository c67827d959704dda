//! Reads files and their imports, within limits.

use super::decl::{AttrDecl, TypeDecl, TypeDeclOf};
use super::report::{Problem, Report};
use super::source_range::{SourceFile, SourceRange, offset};
use super::{read, yaml};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Maximum file size in bytes.
pub const FILE_BYTES: usize = 4 << 20;
/// Maximum size of all files in bytes.
const ALL_BYTES: usize = 16 << 20;
/// Maximum number of imported files.
pub const FILES: usize = 4096;

/// Files with their declarations.
#[derive(Default)]
pub(super) struct Files {
    pub(super) sources: Vec<SourceFile>,
    pub(super) loaded: Vec<LoadedFile>,
    /// Indexes of the requested files.
    pub(super) roots: Vec<u32>,
    by_path: HashMap<PathBuf, u32>,
}

/// A file after reading.
#[derive(Default)]
pub(super) struct LoadedFile {
    /// `None` for a file with errors that hide its types.
    pub(super) decl: Option<TypeDecl>,
    /// Files that it imports, or that define opaque types.
    pub(super) imports: Vec<u32>,
    /// Whether an import was not found, so that types may be in it.
    pub(super) misses_an_import: bool,
}

/// Opens a file for reading.
pub type Open<'o> = &'o dyn Fn(&Path) -> io::Result<Box<dyn Read + Send>>;

/// Opens a file, and waits if it is a FIFO.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(File::open(path)?))
}

/// Loads these files. A directory stands for its `.ksy` files.
pub(super) fn load(paths: &[PathBuf], dirs: &[PathBuf], open: Open<'_>, report: &mut Report) -> Files {
    let mut loader = Loader {
        files: Files::default(),
        open,
        dirs,
        allowed: Vec::new(),
        queue: Vec::new(),
        imported: 0,
        bytes: 0,
        counts: read::Counts::default(),
        report,
    };
    for path in paths {
        for path in loader.expanded(path) {
            loader.allow(path.parent().unwrap_or(Path::new("")));
            if let Some(index) = loader.file(&path, None) {
                loader.files.roots.push(index);
            }
        }
    }
    loader.finish()
}

/// Loads a file with this text.
pub(super) fn load_text(path: &Path, text: String, report: &mut Report) -> Files {
    let mut loader = Loader {
        files: Files::default(),
        open: &open,
        dirs: &[],
        allowed: Vec::new(),
        queue: Vec::new(),
        imported: 0,
        bytes: 0,
        counts: read::Counts::default(),
        report,
    };
    loader.allow(path.parent().unwrap_or(Path::new("")));
    let index = loader.source(path, text);
    loader.files.by_path.insert(path.canonicalize().unwrap_or_else(|_| normal(path)), index);
    loader.files.roots.push(index);
    loader.declare(index);
    loader.queue.push(index);
    loader.finish()
}

struct Loader<'l> {
    files: Files,
    open: Open<'l>,
    dirs: &'l [PathBuf],
    /// Directories of the requested files and their projects; relative imports must stay inside one of them or of `dirs`.
    allowed: Vec<PathBuf>,
    queue: Vec<u32>,
    imported: usize,
    /// Size of all files so far in bytes.
    bytes: usize,
    counts: read::Counts,
    report: &'l mut Report,
}

impl Loader<'_> {
    /// Loads imports.
    fn finish(mut self) -> Files {
        while let Some(index) = self.queue.pop() {
            self.imports(index);
        }
        self.files
    }

    /// Permits imports from the folder of a requested file, and from its project.
    fn allow(&mut self, folder: &Path) {
        if !self.allowed.iter().any(|known| known == folder) {
            self.allowed.push(folder.to_owned());
            self.allowed.extend(project(folder));
        }
    }

    /// The files of an argument.
    fn expanded(&mut self, path: &Path) -> Vec<PathBuf> {
        if !path.is_dir() {
            return vec![path.to_owned()];
        }
        let entries = std::fs::read_dir(path).map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect());
        let mut files: Vec<PathBuf> = entries.unwrap_or_default();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "ksy") && !file.is_dir());
        files.sort();
        if files.is_empty() {
            let file = self.source(path, String::new());
            self.report.error(SourceRange::whole(file), "the directory has no `.ksy` file");
        }
        files
    }

    fn source(&mut self, path: &Path, text: String) -> u32 {
        self.files.sources.push(SourceFile { path: path.to_owned(), text });
        self.files.loaded.push(LoadedFile::default());
        offset(self.files.sources.len() - 1)
    }

    /// The index of a file. Each file is read once.
    fn file(&mut self, path: &Path, import: Option<SourceRange>) -> Option<u32> {
        let canonical = path.canonicalize().unwrap_or_else(|_| normal(path));
        if let Some(index) = self.files.by_path.get(&canonical) {
            return Some(*index);
        }
        if let Some(place) = import {
            if self.imported >= FILES {
                self.report.error(place, format!("more than {FILES} imported files"));
                return None;
            }
            self.imported += 1;
        }
        let contents = contents(path, self.open).and_then(|text| {
            self.bytes += text.len();
            let limit = || format!("with this file, all are larger than {} MiB", ALL_BYTES >> 20);
            if self.bytes > ALL_BYTES { Err(limit()) } else { Ok(text) }
        });
        let (text, wrong) = match contents {
            Ok(text) => (text, None),
            Err(wrong) => (String::new(), Some(wrong)),
        };
        let index = self.source(path, text);
        self.files.by_path.insert(canonical, index);
        if let Some(wrong) = wrong {
            self.report.error(import.unwrap_or(SourceRange::whole(index)), wrong);
            return None;
        }
        self.declare(index);
        self.queue.push(index);
        Some(index)
    }

    /// Reads the declarations of a file.
    fn declare(&mut self, index: u32) {
        let Some(source) = self.files.sources.get(index as usize) else { return };
        let decl = match yaml::parse(index, &source.text) {
            Ok(node) => {
                read::duplicate_keys(&node, self.report);
                read::file(&node, &source.text, &mut self.counts, self.report)
            }
            Err(problem) => {
                self.report.add(problem);
                None
            }
        };
        if let Some(loaded) = self.files.loaded.get_mut(index as usize) {
            loaded.decl = decl;
        }
    }

    fn imports(&mut self, index: u32) {
        let Some(source) = self.files.sources.get(index as usize) else { return };
        let folder = source.path.parent().unwrap_or(Path::new("")).to_owned();
        let Some(decl) = self.files.loaded.get(index as usize).and_then(|loaded| loaded.decl.as_ref()) else { return };
        let wanted: Vec<(String, SourceRange)> = decl.imports.iter().map(|import| (import.value.clone(), import.place)).collect();
        let opaque: Vec<(String, SourceRange)> = if decl.opaque_types { unknown_types(decl) } else { Vec::new() };
        let mut found = Vec::new();
        let wanted_files = wanted.len();
        for (name, place) in wanted {
            match self.find(&name, &folder) {
                Ok(path) => found.extend(self.file(&path, Some(place))),
                Err((wrong, help)) => self.report.add(Problem::error(place, wrong).help_if(help)),
            }
        }
        let misses_an_import = found.len() < wanted_files;
        for (name, place) in opaque {
            let path = folder.join(format!("{name}.ksy"));
            if path.is_file() {
                found.extend(self.file(&path, Some(place)));
            }
        }
        if let Some(loaded) = self.files.loaded.get_mut(index as usize) {
            loaded.imports = found;
            loaded.misses_an_import = misses_an_import;
        }
    }

    /// The path of an import, which must be inside a permitted directory.
    fn find(&self, name: &str, folder: &Path) -> Result<PathBuf, (String, Option<String>)> {
        let file = format!("{name}.ksy");
        if let Some(relative) = file.strip_prefix('/') {
            let found = self.dirs.iter().map(|dir| normal(&dir.join(relative))).find(|path| path.is_file());
            let path = found.ok_or_else(|| match self.dirs {
                [] => (
                    format!("`{name}` is an absolute import, and no folder for these is given"),
                    Some("give the folder that contains it with `--ksy-dir`".to_owned()),
                ),
                _ => (format!("`{relative}` is in no folder of `--ksy-dir`"), None),
            })?;
            return self
                .inside(path, self.dirs)
                .ok_or_else(|| (format!("`{name}` leads out of the folders of `--ksy-dir`"), None));
        }
        let path = normal(&folder.join(&file));
        if !path.is_file() {
            let help = name.strip_suffix(".ksy").map(|name| format!("write `{name}`, without `.ksy`"));
            return Err((format!("`{file}` is not in the folder of this file"), help));
        }
        let allowed: Vec<PathBuf> = self.allowed.iter().chain(self.dirs).cloned().collect();
        self.inside(path, &allowed).ok_or_else(|| {
            let help = "run it in the folder that contains both, or give that folder with `--ksy-dir`";
            (format!("`{name}` leads out of the project of this file"), Some(help.to_owned()))
        })
    }

    /// The path, if it is inside one of these directories, also after resolving symbolic links.
    fn inside(&self, path: PathBuf, folders: &[PathBuf]) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        let is_inside = |folder: &PathBuf| self::real(folder).is_some_and(|folder| real.starts_with(folder));
        folders.iter().any(is_inside).then_some(path)
    }
}

/// The text of a file.
pub(super) fn contents(path: &Path, open: Open<'_>) -> Result<String, String> {
    let describe = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "the file may not be read".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    let file = open(path).map_err(describe)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(describe)?;
    if bytes.len() > FILE_BYTES {
        return Err(format!("the file is larger than {} MiB", FILE_BYTES >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The nearest folder above that has `.git`, else the current one, if it is above, too.
fn project(folder: &Path) -> Option<PathBuf> {
    let real = real(folder)?;
    let repository = real.ancestors().find(|above| above.join(".git").exists());
    repository.map(Path::to_owned).or_else(|| self::real(Path::new("")).filter(|current| real.starts_with(current)))
}

/// A folder after resolving symbolic links; an empty path is the current one.
fn real(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().ok()
}

/// A path without `.`, and without `..` after a name.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// Types that a file uses by a single name and does not declare.
fn unknown_types(decl: &TypeDecl) -> Vec<(String, SourceRange)> {
    let mut declared = HashSet::new();
    let mut used = Vec::new();
    collect(decl, &mut declared, &mut used);
    used.retain(|(name, _)| !declared.contains(name) && super::read::is_identifier(name));
    used
}

fn collect(decl: &TypeDecl, declared: &mut HashSet<String>, used: &mut Vec<(String, SourceRange)>) {
    declared.insert(decl.name.clone());
    for attribute in decl.seq.iter().chain(&decl.instances) {
        used.extend(used_types(attribute));
    }
    for nested in &decl.types {
        collect(nested, declared, used);
    }
}

fn used_types(attribute: &AttrDecl) -> Vec<(String, SourceRange)> {
    let calls = match &attribute.ty {
        None => Vec::new(),
        Some(TypeDeclOf::One(call)) => vec![call],
        Some(TypeDeclOf::Switch { cases, otherwise, .. }) => cases.iter().map(|(_, call)| call).chain(otherwise).collect(),
    };
    calls
        .into_iter()
        .filter_map(|call| match call.name.path.as_slice() {
            [name] if super::resolve::words::builtin(name).is_none() => Some((name.clone(), call.name.place)),
            _ => None,
        })
        .collect()
}
