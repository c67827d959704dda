//! Cost of the program for an input, and what it counts.

use serde_json::Value;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use wait4::Wait4;

/// Cost of one run. Until a program starts, the system counts the memory of its parent process as its own, so this program must
/// stay small.
pub struct Cost {
    /// CPU time in user and system mode.
    pub seconds: f64,
    /// Peak resident memory in KiB.
    pub resident: u64,
}

impl Cost {
    /// Keeps the lesser time and the greater size.
    pub fn improve(&mut self, other: &Cost) {
        self.seconds = self.seconds.min(other.seconds);
        self.resident = self.resident.max(other.resident);
    }
}

fn command(capture: &Path, arguments: &[&str]) -> Command {
    let program = std::env::var("PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_proto-dissect").to_owned());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", "/dev/null")
        .args(["--threads", "1"])
        .arg(capture)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Measures the program for a capture.
pub fn run(capture: &Path, arguments: &[&str]) -> io::Result<Cost> {
    let mut child = command(capture, arguments).spawn()?;
    if let Some(mut output) = child.stdout.take() {
        io::copy(&mut output, &mut io::sink())?;
    }
    let ended = child.wait4()?;
    if ended.status.code().is_none_or(|code| code > 5) {
        return Err(io::Error::other(format!("{} {}: {}", arguments.join(" "), capture.display(), ended.status)));
    }
    let used = ended.rusage;
    Ok(Cost { seconds: (used.utime + used.stime).as_secs_f64(), resident: used.maxrss >> 10 })
}

/// Proof that a file reader found frames of any content.
pub const FRAMES: &str = "frames";

/// Text that is read or refused with a message, but never ends the program.
pub const TEXT: &str = "an answer";

/// Exit codes of an input that was read, could not be opened, or ends early.
const ANSWERS: [i32; 3] = [0, 4, 5];

/// The count of `stats` for an attack.
pub enum Proof {
    /// A note or a frame, with its count.
    Note(u64),
    /// A protocol, with its percentage of the bytes in messages or frames.
    Share(u64),
}

impl Proof {
    /// Whether it exceeds the messages before the attack.
    pub fn is_enough(&self) -> bool {
        match self {
            Proof::Note(count) => *count > 0,
            Proof::Share(percent) => *percent >= 10,
        }
    }
}

impl std::fmt::Display for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Proof::Note(count) => write!(f, "{count} times"),
            Proof::Share(percent) => write!(f, "{percent} %"),
        }
    }
}

/// The count of `stats` for a note or protocol with this name.
pub fn proof(capture: &Path, name: &str) -> io::Result<Proof> {
    let mut child = command(capture, &["stats", "--json", "-z", "overview", "-z", "io,phs", "-z", "health"]).spawn()?;
    let mut text = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut text)?;
    }
    let status = child.wait()?;
    if name == TEXT {
        return Ok(Proof::Note(status.code().filter(|code| ANSWERS.contains(code)).map_or(0, |_| 1)));
    }
    let stats: Value = serde_json::from_str(&text)?;
    Ok(proof_in(&stats, name))
}

fn proof_in(stats: &Value, name: &str) -> Proof {
    let number = |row: &Value, key: &str| row.get(key).and_then(Value::as_u64).unwrap_or(0);
    let rows = |place: &str| stats.pointer(place).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let named = |row: &&Value, key: &str| row.get(key).and_then(Value::as_str) == Some(name);
    if name == FRAMES {
        return Proof::Note(stats.pointer("/overview/frames").and_then(Value::as_u64).unwrap_or(0));
    }
    if let Some(note) = rows("/health/notes").iter().find(|row| named(row, "code")) {
        return Proof::Note(number(note, "count"));
    }
    let layers = rows("/hierarchy").iter().filter(|row| named(row, "protocol"));
    let bytes: u64 = layers.map(|row| number(row, "message_bytes").max(number(row, "bytes"))).sum();
    let all = stats.pointer("/overview/bytes").and_then(Value::as_u64).unwrap_or(0);
    Proof::Share((bytes * 100).checked_div(all).unwrap_or(0))
}
