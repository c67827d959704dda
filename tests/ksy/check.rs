//! `ksy check`, and what the page about Kaitai Struct files shows.

use crate::common::{Run, program, run_with};
use std::fs;
use std::path::{Path, PathBuf};

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ksy.md")).unwrap()
}

/// The code blocks of a page in this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    page.split(&format!("```{language}\n")).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// A folder with files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// Runs the program in a directory.
fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    let done = program().current_dir(folder).args(arguments).output().unwrap();
    Run {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

const GOOD: &str = "meta: {id: good, endian: le}\nseq: [{id: n, type: u2}]\n";
const BAD: &str = "meta: {id: bad}\nseq: [{id: n, type: u2}]\n";
const STYLE: &str = "meta: {id: style}\nseq: [{id: size, type: u1}, {id: data, size: size}]\n";

#[test]
fn the_page_shows_what_the_program_prints() {
    let page = page();
    let file = blocks(&page, "yaml")[0];
    let folder = folder("ksy-page", &[("chat.ksy", file)]);
    let texts = blocks(&page, "text");
    let check = run_in(&folder, &["ksy", "check", "chat.ksy"]);
    assert_eq!((check.code, check.out.as_str(), check.err.as_str()), (0, texts[0], ""));
    let message = run_in(&folder, &["-k", "chat.ksy", "--hex", "01 02 00 68 69"]);
    assert_eq!((message.code, message.out.as_str(), message.err.as_str()), (0, texts[1], ""));
    fs::write(folder.join("chat.ksy"), file.replace("size: len_text", "size: len_txt")).unwrap();
    let wrong = run_in(&folder, &["ksy", "check", "chat.ksy"]);
    assert_eq!((wrong.code, wrong.out), (2, format!("{}chat.ksy: 1 error\n", texts[2])));
}

#[test]
fn each_file_is_checked_and_errors_decide_the_exit_code() {
    let folder = folder("ksy-several", &[("good.ksy", GOOD), ("bad.ksy", BAD)]);
    let both = run_in(&folder, &["ksy", "check", "bad.ksy", "good.ksy", "none.ksy"]);
    assert_eq!(both.code, 2);
    insta::assert_snapshot!(both.out, @r"
    bad.ksy:2:21: error: the byte order of this number is not known
        2 | seq: [{id: n, type: u2}]
          |                     ^^
          = add `endian: le` or `be` to `meta`, or end the type with `le` or `be`
    bad.ksy: 1 error
    good.ksy: no errors
      protocol: good
      content: 1 type, 1 field
      on TCP: self-delimiting: each message states where it ends
      found on: no port or content; use --as good or -d
    none.ksy: error: there is no such file
    none.ksy: 1 error
    ");
}

#[test]
fn warnings_do_not_reject_a_file() {
    let folder = folder("ksy-style", &[("style.ksy", STYLE)]);
    let checked = run_in(&folder, &["ksy", "check", "style.ksy"]);
    assert_eq!(checked.code, 0);
    insta::assert_snapshot!(checked.out, @r"
    style.ksy:2:12: warning: `size` is only the byte size of `data`
        2 | seq: [{id: size, type: u1}, {id: data, size: size}]
          |            ^^^^
          = name it `len_data`
    style.ksy: 1 warning
      protocol: style
      content: 1 type, 2 fields
      on TCP: self-delimiting: each message states where it ends
      found on: no port or content; use --as style or -d
    ");
}

#[test]
fn a_directory_and_standard_input_are_checked() {
    let folder = folder("ksy-folder", &[("a.ksy", GOOD), ("b.ksy", STYLE)]);
    let all = run_in(&folder, &["ksy", "check", "."]);
    assert_eq!((all.code, all.out.matches("on TCP").count()), (0, 2));
    let piped = run_with(&["ksy", "check", "-"], BAD.as_bytes());
    assert_eq!(piped.code, 2);
    assert!(piped.out.starts_with("-:2:21: error: the byte order"), "{}", piped.out);
}

#[test]
fn colours_are_optional_and_change_no_text() {
    let folder = folder("ksy-colour", &[("bad.ksy", BAD)]);
    let plain = run_in(&folder, &["ksy", "check", "bad.ksy"]).out;
    let coloured = run_in(&folder, &["ksy", "check", "--color", "always", "bad.ksy"]).out;
    assert!(!plain.contains('\u{1b}'));
    let mut bare = String::new();
    for part in coloured.split('\u{1b}') {
        bare.push_str(part.strip_prefix('[').and_then(|part| part.split_once('m')).map_or(part, |(_, text)| text));
    }
    assert_ne!(plain, coloured);
    assert_eq!(plain, bare);
}

#[test]
fn a_file_in_place_of_a_capture_is_recognized() {
    let folder = folder("ksy-input", &[("good.ksy", GOOD)]);
    let run = run_in(&folder, &["good.ksy"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("this is a Kaitai Struct file"), "{}", run.err);
}

/// The arguments of a command line with words in single quotes.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate();
    let parts = quoted.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    parts.collect()
}

#[test]
fn the_worked_example_of_the_page_is_what_the_program_does() {
    let page = page();
    let file = blocks(&page, "yaml").into_iter().find(|block| block.contains("id: controller")).unwrap();
    assert_eq!(file.lines().count(), 20);
    let folder = folder("ksy-example", &[("controller.ksy", file)]);
    fs::create_dir_all(folder.join("samples")).unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/tools.pcap");
    fs::copy(sample, folder.join("samples/tools.pcap")).unwrap();
    let commands = blocks(&page, "console");
    assert!(commands.len() >= 5);
    for block in commands {
        let (command, shown) = block.split_once('\n').unwrap();
        let words = words(command.strip_prefix("$ proto-dissect ").unwrap());
        let done = run_in(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, shown, ""), "{command}");
    }
}
