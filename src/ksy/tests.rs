//! Loading as authors experience it: errors with positions, limits, and the model of small files.

mod advice;
mod imports;
mod limits;
mod mistakes;
mod model;

use super::model::Spec;
use super::{Loaded, load_text};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn loaded(text: &str) -> Loaded {
    load_text(Path::new("test.ksy"), text)
}

fn spec(text: &str) -> Spec {
    let loaded = loaded(text);
    loaded.spec.unwrap_or_else(|| panic!("{}", printed(&loaded.diagnostics)))
}

/// A file with this body after a `meta` of three lines.
fn body(text: &str) -> String {
    format!("meta:\n  id: test\n  encoding: UTF-8\n{text}")
}

fn printed(diagnostics: &[super::Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut text, diagnostic| {
        let _ = writeln!(text, "{diagnostic}");
        text
    })
}

/// The only problem about a file.
fn mistake(text: &str) -> String {
    let loaded = loaded(text);
    assert_eq!(loaded.diagnostics.len(), 1, "{}", printed(&loaded.diagnostics));
    assert_eq!(loaded.spec.is_none(), loaded.diagnostics[0].error);
    loaded.diagnostics[0].to_string()
}

/// A temporary directory for files that import each other.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proto-dissect-ksy-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn messages(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect()
}
