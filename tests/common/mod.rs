//! Runs the program, and compares its output with golden texts in `tests/golden/`.

pub mod frames;
pub mod sides;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Whether expensive tests run all of their cases: where `THOROUGH` is set, as in `.ci/full`, or `UPDATE`, since golden texts have all.
pub fn is_thorough() -> bool {
    ["THOROUGH", "UPDATE"].iter().any(|name| std::env::var_os(name).is_some())
}

/// How many of `most` random cases an expensive test runs: all if tests are thorough, else an eighth.
pub fn share_of(most: u32) -> u32 {
    if is_thorough() { most } else { most.div_ceil(8) }
}

/// Whether a test runs this case of `of`: all of them if tests are thorough, else each of them for another sample or frame. `TURN` is
/// a number that chooses other ones, as in `.ci/run`.
pub fn is_own_case(case: usize, of: usize) -> bool {
    static TURN: LazyLock<usize> = LazyLock::new(|| std::env::var("TURN").ok().and_then(|turn| turn.parse().ok()).unwrap_or(0));
    is_thorough() || case.wrapping_add(*TURN).is_multiple_of(of)
}

/// The cases that a test runs: each `of`th, counted from `first` on, or all of them if tests are thorough.
pub fn own_cases<T>(all: impl IntoIterator<Item = T>, first: usize, of: usize) -> impl Iterator<Item = T> {
    all.into_iter().zip(first..).filter(move |(_, number)| is_own_case(*number, of)).map(|(case, _)| case)
}

/// The file of the program. `PROGRAM` is another build to test, as in `.ci/run`; its path is absolute.
pub fn binary() -> &'static str {
    static PATH: LazyLock<String> =
        LazyLock::new(|| std::env::var("PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_proto-dissect").to_owned()));
    &PATH
}

/// The program, in the directory of the project, without the caller's terminal settings.
pub fn program() -> Command {
    let mut command = Command::new(binary());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("TZ", "UTC");
    apart(command)
}

/// A command that runs the program without the user's configuration, which may contain protocols.
pub fn apart(mut command: Command) -> Command {
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-configuration"));
    command
}

/// Runs it with these arguments and this standard input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    let mut child =
        program().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that ends early does not read all input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

/// Runs it with these arguments.
pub fn run(arguments: &[&str]) -> Run {
    run_with(arguments, b"")
}

/// The file names of all sample captures, sorted.
pub fn samples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".pcap") || name.ends_with(".pcapng")).collect();
    names.sort();
    names
}

/// Number of lines of what the program prints, and a digest of output, errors and exit code.
pub fn digest(arguments: &[&str]) -> String {
    let Run { code, out, err } = run(arguments);
    format!("{} {:016x}", out.lines().count(), Hash::of(&format!("{code}\n{out}{err}")).0)
}

/// FNV-1a: a golden file has it in place of a text that is too long to review.
pub struct Hash(pub u64);

impl Hash {
    pub fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    pub fn of(text: &str) -> Hash {
        let mut hash = Hash::new();
        hash.add(text);
        hash
    }

    pub fn add(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Compares with a golden text. `UPDATE=1` replaces the text instead; the difference must be reviewed.
pub fn assert_golden(name: &str, text: &str) {
    let path = golden(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if let Some((number, (old, new))) = (1..).zip(kept.lines().zip(text.lines())).find(|(_, (old, new))| old != new) {
        panic!("{name} line {number}:\n  kept {old}\n  now  {new}\nUPDATE=1 cargo test keeps the new text");
    }
    assert_eq!(kept.lines().count(), text.lines().count(), "{name} has another number of lines");
    assert_eq!(kept, text, "{name} differs in its line ends");
}

/// Compares the cases that a test ran with a golden text of a heading and all cases: every case must be in it, and no others if
/// tests are thorough. The share of a turn may have none.
pub fn assert_golden_cases(name: &str, heading: &str, cases: &[String]) {
    if is_thorough() {
        return assert_golden(name, &(heading.to_owned() + &cases.concat()));
    }
    let kept = format!("\n{}", fs::read_to_string(golden(name)).unwrap());
    assert!(kept[1..].starts_with(heading), "{name}");
    for case in cases {
        assert!(
            kept.contains(&format!("\n{case}")),
            "{name} does not contain this; UPDATE=1 cargo test keeps the new text:\n{case}"
        );
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// A temporary file of a test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A file with this content.
    pub fn new(name: &str, content: &[u8]) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, content).unwrap();
        Scratch(path)
    }

    /// Its path.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A temporary directory.
pub struct Folder(PathBuf);

impl Folder {
    /// A directory with this in its name.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proto-dissect-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of the files in it.
    #[cfg(unix)]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
