//! The commands of the README and of other documents run as documented.

use crate::common::{Folder, apart, binary, own_cases};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Other programs used by commands of the README, which a machine may lack.
const OTHERS: [&str; 3] = ["jq", "python3", "duckdb"];

/// Documents with commands, and their minimum number.
const DOCUMENTS: [(&str, usize); 6] = [
    ("README.md", 22),
    ("docs/json.md", 12),
    ("docs/diff.md", 6),
    ("docs/runescape.md", 7),
    ("docs/sessions.md", 15),
    ("docs/logs.md", 7),
];

/// The commands in shell blocks that run this program.
fn commands(document: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document)).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.flat_map(str::lines).filter(|line| line.contains("proto-dissect")).map(str::to_owned).collect()
}

fn shell(folder: &Folder, command: &str) -> Output {
    let program = Path::new(binary()).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    apart(Command::new("sh")).args(["-c", command]).current_dir(folder.path()).env("PATH", path).output().unwrap()
}

#[test]
fn every_command_of_the_documents_succeeds_with_output() {
    for (document, least) in DOCUMENTS {
        let commands = commands(document);
        assert!(commands.len() >= least, "{document}: {commands:#?}");
        // Commands of the README build on each other.
        let commands = if document == "README.md" { commands } else { own_cases(commands, 0, 3).collect() };
        assert_commands_succeed(&document.replace('/', "-"), commands);
    }
}

fn assert_commands_succeed(name: &str, commands: Vec<String>) {
    let folder = Folder::new(name);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let link = Command::new("ln").arg("-s").arg(samples).arg(folder.file("samples")).status().unwrap();
    assert!(link.success());
    for command in commands {
        let is_missing = |program: &&&str| !shell(&folder, &format!("command -v {program}")).status.success();
        let needs = |program: &&&str| command.split_whitespace().any(|word| word == **program);
        if let Some(program) = OTHERS.iter().filter(needs).find(is_missing) {
            eprintln!("not run, because {program} is missing: {command}");
            continue;
        }
        let done = shell(&folder, &command);
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{command}: {err}");
        let file = command.split(" > ").nth(1).and_then(|behind| behind.split([' ', ';']).next()).filter(|file| !file.is_empty());
        let is_written = file.is_some_and(|file| fs::metadata(folder.file(file)).is_ok_and(|about| about.len() > 0));
        assert!(!done.stdout.is_empty() || err.contains(" written to ") || is_written, "{command} prints nothing");
    }
}
