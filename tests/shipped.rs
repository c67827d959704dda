//! Shipped files equal the program's own output.

use crate::common::run;
use proto_dissect::glossary::{places, protocols};
use proto_dissect::input::{DIALECTS, Dialect};
use proto_dissect::limits::{self, Limit, Shown};
use proto_dissect::registry::Registry;
use proto_dissect::wire::Protocol;
use std::fs;
use std::path::Path;

fn assert_shipped(path: &str, arguments: &[&str]) {
    let written = run(arguments).out;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let shipped = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        shipped == written,
        "{} is not what {arguments:?} prints; UPDATE=1 cargo test --test suite shipped writes it",
        path.display()
    );
}

#[test]
fn completions_are_in_step_with_the_options() {
    for (shell, file) in [
        ("bash", "proto-dissect.bash"),
        ("zsh", "_proto-dissect"),
        ("fish", "proto-dissect.fish"),
        ("powershell", "_proto-dissect.ps1"),
        ("elvish", "proto-dissect.elv"),
    ] {
        assert_shipped(&format!("completions/{file}"), &["completions", shell]);
    }
}

#[test]
fn the_manual_page_is_in_step_with_the_options() {
    assert_shipped("completions/proto-dissect.1", &["man"]);
}

/// The list of protocols: a table of applications, then the names of lower layers in one line.
fn protocol_table() -> String {
    let (applications, lower): (Vec<_>, Vec<_>) =
        protocols(Registry::default()).into_iter().partition(|protocol| !protocol.this.covers.is_empty());
    let row = |protocol: &&'static Protocol| {
        let this = protocol.this;
        format!("| `{}` | **{}**. {} | {} |\n", this.abbrev, this.about, this.covers, places(protocol))
    };
    let rows: String = applications.iter().map(row).collect();
    let lower: Vec<String> = lower.iter().map(|protocol| format!("`{}`", protocol.this.abbrev)).collect();
    format!("| name | protocol and coverage | found by |\n|---|---|---|\n{rows}\nLower layers: {}.\n", lower.join(", "))
}

/// Compares a page between two marks with the generated text.
fn assert_listed(page: &str, mark: &str, table: &str) {
    let (from, to) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(&from).unwrap();
    let (_, after) = rest.split_once(&to).unwrap();
    let wanted = format!("{before}{from}{table}{to}{after}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == wanted,
        "the list of {mark} in {page} is out of step; UPDATE=1 cargo test --test suite shipped writes it"
    );
}

#[test]
fn the_page_about_kaitai_struct_lists_the_whole_language() {
    assert_listed("docs/ksy.md", "language", &proto_dissect::ksy::reference::tables());
}

#[test]
fn the_readme_lists_every_protocol() {
    assert_listed("docs/protocols.md", "protocols", &protocol_table());
}

/// The dialects of hex text with their examples.
fn dialects() -> String {
    let entry =
        |dialect: &Dialect| format!("- {}\n\n  ```text\n  {}\n  ```\n", dialect.name, dialect.example.replace('\n', "\n  "));
    DIALECTS.iter().map(entry).collect()
}

#[test]
fn the_page_about_hex_lists_every_dialect() {
    assert_listed("docs/hex.md", "dialects", &dialects());
}

/// The table of limits.
fn limit_table() -> String {
    let row = |limit: &&Limit| format!("| `{}` | {} | {} |\n", limit.name, Shown(limit.default, limit.unit), limit.reason);
    let rows: String = limits::ALL.iter().map(row).collect();
    format!("| limit | value | bounded quantity, and effect of exceeding the limit |\n|---|---|---|\n{rows}")
}

#[test]
fn the_page_of_limits_lists_every_limit() {
    assert_listed("docs/limits.md", "limits", &limit_table());
}
