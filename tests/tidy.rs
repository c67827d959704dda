//! Structure of the sources: modules import downwards only, have a module comment, and contain nothing unfinished.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the lowest rank up; a module may use those of a lower rank. See ARCHITECTURE.md.
const RANKS: &[&[&str]] = &[
    &["failure", "limits", "nearest", "tree"],
    &["keys", "wire", "input"],
    &["layers", "protocols", "flow", "dissect", "ksy", "lua"],
    &["registry"],
    &["engine", "record", "sink"],
    &["columns", "diff", "explore", "filter", "fit", "follow", "glossary", "render", "split", "stats", "write"],
    &["browse"],
    &["cli", "session"],
];

/// Permitted imports within a rank: a record goes into a sink, and the engine needs the level of a note. Followed, counted and
/// explained values are printed, a written frame has the line of its record, and a tree has limits. An input may be a log in a format
/// that a protocol declares, and its settings include keys.
const NEIGHBOURS: &[(&str, &str)] = &[
    ("tree", "limits"),
    ("wire", "keys"),
    ("input", "wire"),
    ("input", "protocols"),
    ("sink", "record"),
    ("engine", "record"),
    ("columns", "render"),
    ("diff", "render"),
    ("explore", "follow"),
    ("explore", "render"),
    ("filter", "render"),
    ("fit", "render"),
    ("fit", "stats"),
    ("follow", "render"),
    ("glossary", "render"),
    ("split", "write"),
    ("layers", "protocols"),
    ("stats", "render"),
    ("write", "render"),
    ("protocols", "flow"),
    ("ksy", "flow"),
];

fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    sources
}

fn module(path: &Path) -> String {
    let within = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = within.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn rank(module: &str) -> Option<usize> {
    RANKS.iter().position(|rank| rank.contains(&module))
}

/// Test modules may import any module.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

fn is_test(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("tests"))
        || path.file_stem().is_some_and(|stem| ["tests", "trial", "samples", "dialects"].iter().any(|name| stem == *name))
}

#[test]
fn modules_import_downwards_only() {
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let own = module(path);
        let Some(own_rank) = rank(&own) else { continue };
        for part in without_tests(text).split("crate::").skip(1) {
            let braced = part.strip_prefix('{').map(|list| list.split('}').next().unwrap_or_default());
            let names = braced
                .unwrap_or(part)
                .split(',')
                .map(|name| name.trim().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>());
            for name in names.take(if braced.is_some() { usize::MAX } else { 1 }) {
                let Some(other) = rank(&name) else { continue };
                let allowed = name == own || other < own_rank || NEIGHBOURS.contains(&(own.as_str(), name.as_str()));
                assert!(allowed, "{}: {own} must not use {name}", path.display());
            }
        }
    }
}

#[test]
fn every_module_has_a_rank() {
    for (path, _) in sources() {
        let own = module(&path);
        assert!(["lib", "main"].contains(&own.as_str()) || rank(&own).is_some(), "{own} has no rank");
    }
}

#[test]
fn protocols_know_only_trees_and_the_wire() {
    for (path, text) in sources().iter().filter(|(path, _)| module(path) == "protocols" && !is_test(path)) {
        for part in without_tests(text).split("crate::").skip(1) {
            let known =
                ["tree", "limits", "nearest", "wire", "protocols", "flow::delivery"].iter().any(|name| part.starts_with(name));
            assert!(known, "{} uses crate::{}", path.display(), part.split([':', ';']).next().unwrap_or_default());
        }
    }
}

/// Captures are split with these protocols only.
#[test]
fn protocols_that_announce_conversations_are_listed() {
    let all = sources();
    let list = all.iter().find(|(path, _)| path.ends_with("src/protocols/mod.rs")).unwrap().1.split("ANNOUNCING").nth(1).unwrap();
    let list = list.split(';').next().unwrap();
    let mut found = 0;
    for (path, text) in all.iter().filter(|(path, _)| module(path) == "protocols" && !is_test(path)) {
        let announces = [".expect(Transport", ".expect_with(", ".issue_connection_id("].iter().any(|call| text.contains(call));
        if announces {
            let within = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocols")).unwrap();
            let name = within.components().next().unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
            assert!(list.contains(&format!("&{name}::")), "{name} announces conversations");
            found += 1;
        }
    }
    assert!(found >= 5, "{found}");
}

#[test]
fn every_module_has_a_module_comment() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} has no module comment", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let marks = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    for (path, text) in sources() {
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{} has {mark}", path.display());
        }
    }
}
