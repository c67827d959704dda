//! What ships beside the program is what the program itself would write.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod common;

use common::run;
use proto_dissect::registry::Registry;
use proto_dissect::wire::On;
use std::fs;
use std::path::Path;

fn assert_shipped(path: &str, arguments: &[&str]) {
    let written = run(arguments).out;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let shipped = fs::read_to_string(&path).unwrap_or_default();
    assert!(shipped == written, "{} is not what {arguments:?} prints; UPDATE=1 cargo test writes it", path.display());
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

/// The README's table of protocols: what it is called, and where it is found.
fn protocol_table() -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    for protocol in Registry::default().protocols().filter(|protocol| protocol.this.abbrev != "dissect") {
        let mut places: Vec<String> = Vec::new();
        for found in protocol.found {
            places.push(match found.on {
                On::Tcp(port) => format!("TCP {port}"),
                On::TcpRun(first, last) => format!("TCP {first} to {last}"),
                On::Udp(port) => format!("UDP {port}"),
                On::AnyTcp => String::from("any TCP port by content"),
                On::AnyUdp => String::from("any UDP port by content"),
                On::Over(place) => format!("inside {place}"),
            });
        }
        let places = if places.is_empty() { String::from("the layer below") } else { places.join(", ") };
        rows.push((protocol.this.abbrev, format!("| `{}` | {} | {places} |\n", protocol.this.abbrev, protocol.this.about)));
    }
    rows.sort();
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    format!("| name | protocol | found by |\n|---|---|---|\n{rows}")
}

#[test]
fn the_readme_lists_every_protocol() {
    const FROM: &str = "<!-- protocols -->\n";
    const TO: &str = "<!-- /protocols -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(FROM).unwrap();
    let (_, after) = rest.split_once(TO).unwrap();
    let wanted = format!("{before}{FROM}{}{TO}{after}", protocol_table());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == wanted, "UPDATE=1 cargo test writes the table of the README");
}
