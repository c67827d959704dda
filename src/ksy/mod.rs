//! Kaitai Struct files: from text to a resolved model.

mod advice;
mod compile;
mod decl;
pub mod diagnostic;
pub mod encodings;
pub mod expr;
mod fields;
pub mod files;
pub mod framing;
pub mod keys;
pub mod lua;
pub mod model;
pub mod notes;
mod partial;
mod process;
mod protocol;
mod read;
mod recursive;
pub mod reference;
pub mod registration;
mod report;
mod resolve;
mod run;
mod session;
pub mod source_range;
mod style;
mod unnoticed;
mod walk;
pub mod yaml;

pub use diagnostic::Diagnostic;
pub use model::Spec;
pub use protocol::protocol;
pub use run::observed::{Observation, WithoutCase};

use report::Report;
use std::path::{Path, PathBuf};

/// Keeps what runs of loaded files on this thread see, from now on.
pub fn observe() {
    protocol::File::observe();
}

/// Takes what runs on this thread saw since the last call.
#[must_use]
pub fn observed() -> Vec<Observation> {
    protocol::File::observed()
}

/// The result of loading.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The model; `None` after an error.
    pub spec: Option<Spec>,
    /// Errors and warnings, in the order of files and lines.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, or could not be read.
    pub files: Vec<PathBuf>,
}

/// Loads files and their imports; a directory stands for its `.ksy` files. Absolute imports are searched in `dirs`, in order.
#[must_use]
pub fn load(paths: &[PathBuf], dirs: &[PathBuf]) -> Loaded {
    load_with(paths, dirs, &files::open)
}

/// Loads files and their imports as [`load`], and opens them with this function.
#[must_use]
pub fn load_with(paths: &[PathBuf], dirs: &[PathBuf], open: files::Open<'_>) -> Loaded {
    let mut report = Report::default();
    let files = files::load(paths, dirs, open, &mut report);
    resolved(&files, open, report)
}

/// Loads a file with this text; imports are searched in its directory.
#[must_use]
pub fn load_text(path: &Path, text: &str) -> Loaded {
    let mut report = Report::default();
    let files = files::load_text(path, text.to_owned(), &mut report);
    resolved(&files, &files::open, report)
}

fn resolved(files: &files::Files, open: files::Open<'_>, mut report: Report) -> Loaded {
    let (spec, beside) = resolve::resolve(files, open, &mut report);
    let spec = (!report.has_errors()).then_some(spec);
    if let Some(spec) = &spec {
        style::check(spec, &mut report);
        advice::check(spec, &mut report);
        partial::check(spec, &mut report);
    }
    let paths = files.sources.iter().map(|source| source.path.clone()).chain(beside);
    let paths = paths.collect();
    Loaded { spec, diagnostics: report.into_diagnostics(&files.sources), files: paths }
}

#[cfg(test)]
mod tests;
