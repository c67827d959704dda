//! What ships beside the program is what the program itself would write.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod common;

use common::run;
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
