//! `split`: divides a capture into parts that can be dissected separately.

use super::progress::TotalProgress;
use super::screen::Screen;
use super::source::Source;
use super::{Exit, complete, interrupt, of_output, print_error, reject, settings};
use crate::failure::Words;
use crate::input::{Capture, Format, Options, ReadError};
use crate::render::Thousands;
use crate::split::{By, Names, Parts, Splitter, TimeSpan, Written};
use clap::{Args as Group, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

// Capture and parts.
#[derive(Debug, Group)]
pub struct SplitOptions {
    /// Capture, and directory for its parts, which must be empty or is created; `-` is standard input
    #[arg(id = "files", value_name = "FILE DIR", num_args = 1.., required = true, value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// Number of parts
    #[arg(short = 'n', long = "parts", value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub parts: Option<u64>,

    /// Split by pair (of hosts), flow, or time SPAN, such as time 10m
    ///
    /// A conversation is never divided. A conversation negotiated by another one, such as FTP data or RTP, is in the same part. With
    /// time, a conversation is in the part of its first frame; spans are 30s, 10m, 2h or 1d.
    #[arg(long, value_name = "HOW", default_value = "pair")]
    pub by: String,

    /// Print one JSON object per line and part
    #[arg(long)]
    pub json: bool,

    /// Change a limit, such as conversations=1M; use the same limits for the parts
    #[arg(hide_short_help = true, long, value_name = "NAME=VALUE", add = ArgValueCompleter::new(complete::limits))]
    pub limit: Vec<String>,
}

/// Parsed options.
struct Parsed {
    file: PathBuf,
    folder: PathBuf,
    by: By,
    count: u64,
}

/// Error message and exit code.
type Failed = (String, Exit);

/// Splits a capture.
pub(super) fn run(options: &SplitOptions, screen: Screen) -> Exit {
    let asked = match settings::limit(&options.limit).and_then(|()| Parsed::new(options)) {
        Ok(asked) => asked,
        Err(wrong) => return reject(wrong),
    };
    let (written, exit) = match asked.split() {
        Ok(done) => done,
        Err((wrong, exit)) => {
            print_error(format_args!("{wrong}"));
            return exit;
        }
    };
    let mut to = screen.writer(false);
    let listed = written.iter().try_for_each(|part| line(&mut to, part, options.json)).and_then(|()| to.flush());
    match listed {
        Ok(()) => exit,
        Err(error) => exit.max(of_output(&error)),
    }
}

fn line(to: &mut dyn Write, part: &Written, json: bool) -> io::Result<()> {
    let Written { path, frames, bytes } = part;
    if json {
        let part = serde_json::json!({"file": path.to_string_lossy(), "frames": frames, "bytes": bytes});
        return writeln!(to, "{part}");
    }
    let (frames, bytes) = (Thousands(*frames).to_string(), Thousands(*bytes).to_string());
    let path = path.to_string_lossy();
    write!(to, "{frames:>12} frames {bytes:>15} bytes  ")?;
    let mut name = String::new();
    // Writing into a string does not fail.
    let _ = crate::tree::clean_path(&path, &mut name);
    writeln!(to, "{name}")
}

impl Parsed {
    fn new(options: &SplitOptions) -> Result<Parsed, String> {
        let mut files = options.files.clone();
        let by = by(&options.by, &mut files, options.parts.unwrap_or(0))?;
        let [file, folder] = <[PathBuf; 2]>::try_from(files).map_err(|files| match files.as_slice() {
            [file] => format!("split {}: the directory for the parts is missing; try split {0} -n 8 parts/", file.display()),
            _ => String::from("split takes one capture and the directory for its parts: split FILE -n 8 DIR"),
        })?;
        let count = match (by, options.parts) {
            (By::Time(_), Some(_)) => {
                return Err(String::from("-n conflicts with --by time, where the span determines the number of parts"));
            }
            (By::Time(_), None) => 0,
            (_, Some(count)) => count,
            (_, None) => return Err(String::from("-n N: the number of parts is missing; try -n 8, or --by time 10m")),
        };
        Ok(Parsed { file, folder, by, count })
    }

    fn split(&self) -> Result<(Vec<Written>, Exit), Failed> {
        let source = Source::File(self.file.clone());
        let name = source.name();
        if self.file.is_dir() {
            let text = format!("{name}: this is a directory; split takes one capture, and each may have a folder of its own");
            return Err((text, Exit::CannotOpen));
        }
        let reader = source.open().map_err(|error| (format!("{name}: cannot be opened: {}", Words(&error)), Exit::CannotOpen))?;
        let options = Options { helped: source.is_complete(), ..Options::default() };
        let mut capture = Capture::open_with(reader, options).map_err(|error| (format!("{name}: {error}"), Exit::NotACapture))?;
        if !matches!(capture.format(), Format::Pcap | Format::PcapNg | Format::Snoop) {
            let format = capture.format();
            let text = format!("{name}: split takes captures, and this is {format}; -w converts it to a capture");
            return Err((text, Exit::NotACapture));
        }
        empty_folder(&self.folder).map_err(|wrong| (wrong, Exit::Usage))?;
        let digits = self.count.max(1).to_string().len().max(if self.count == 0 { 5 } else { 1 });
        let names = Names { folder: self.folder.clone(), stem: stem(&self.file), digits };
        let mut splitter = Splitter::new(self.by, Parts::new(names, self.count));
        let mut progress = TotalProgress::new(name.clone(), source.size()).part(source.size());
        let failed = |error: io::Error| (format!("the parts cannot be written: {}", Words(&error)), Exit::Failed);
        let damage = loop {
            if interrupt::is_requested() {
                break None;
            }
            match capture.next_frame() {
                Ok(Some(frame)) => splitter.frame(&frame).map_err(failed)?,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            }
            progress.frame(|| capture.bytes_read());
        };
        let written = splitter.finish().map_err(failed)?;
        Ok((written, ended(&name, damage)))
    }
}

fn ended(name: &str, damage: Option<ReadError>) -> Exit {
    match damage.filter(|_| !interrupt::is_requested()) {
        Some(damage) => {
            print_error(format_args!("{name}: {damage}; the parts contain the frames before that"));
            Exit::Damaged
        }
        None => Exit::Fine,
    }
}

/// Parses `--by`. The span of `time` may be the next argument.
fn by(text: &str, files: &mut Vec<PathBuf>, parts: u64) -> Result<By, String> {
    const EXPECTED: &str = "expected pair, flow, or time and a span such as 30s, 10m, 2h or 1d";
    let wrong = || format!("--by {text}: {EXPECTED}");
    let span = match text {
        "pair" => return Ok(By::Pair(parts)),
        "flow" => return Ok(By::Flow(parts)),
        "time" => {
            let at = files.iter().position(|word| !word.exists() && word.to_str().is_some_and(|word| span(word).is_some()));
            files.remove(at.ok_or_else(wrong)?).to_string_lossy().into_owned()
        }
        _ => text.strip_prefix("time").map_or(text, |rest| rest.trim_start_matches(['=', ',', ':', ' '])).to_owned(),
    };
    let span = self::span(&span).ok_or_else(wrong)?;
    Ok(By::Time(TimeSpan(u64::try_from(span.as_nanos()).map_err(|_| wrong())?)))
}

/// Parses a time span: a number and a unit.
fn span(text: &str) -> Option<Duration> {
    let digits = text.find(|character: char| !character.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
    let seconds = match unit {
        "ms" => return Some(Duration::from_millis(number)),
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    number.checked_mul(seconds).map(Duration::from_secs)
}

/// Prefix of the names of parts: the file name without extensions.
fn stem(file: &Path) -> String {
    let name = file.file_name().filter(|name| *name != "-").map_or_else(|| "stdin".into(), |name| name.to_string_lossy());
    let mut stem = name.as_ref();
    for end in [".gz", ".zst", ".lz4", ".pcapng", ".pcap", ".cap", ".snoop"] {
        stem = stem.strip_suffix(end).unwrap_or(stem);
    }
    if stem.is_empty() { "part".to_owned() } else { stem.to_owned() }
}

/// Creates a directory, or checks that it is empty: parts of two captures must not mix.
pub(super) fn empty_folder(folder: &Path) -> Result<(), String> {
    if folder.is_file() {
        return Err(format!("{}: this is a file, not a directory; choose another one", folder.display()));
    }
    let cannot = |error: io::Error| format!("{}: cannot be created: {}", folder.display(), Words(&error));
    fs::create_dir_all(folder).map_err(cannot)?;
    match fs::read_dir(folder).map_err(cannot)?.next() {
        Some(_) => Err(format!("{}: the directory is not empty; choose another one", folder.display())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_a_unit() {
        let spans = ["10m", "90s", "250ms", "1d"].map(|text| span(text).unwrap().as_millis());
        assert_eq!(spans, [600_000, 90_000, 250, 86_400_000]);
        for text in ["", "10", "m", "0s", "-1s", "1.5h", "99999999999999999999s", "10 m", "18446744073709551615d"] {
            assert_eq!(span(text), None, "{text}");
        }
    }

    #[test]
    fn a_span_may_be_an_own_argument_or_part_of_the_word_time() {
        let minute = By::Time(TimeSpan(60_000_000_000));
        for text in ["time=60s", "time:1m", "1m", "time 1m"] {
            assert_eq!(by(text, &mut Vec::new(), 0), Ok(minute), "{text}");
        }
        let mut files = ["no.pcap", "1m", "parts"].map(PathBuf::from).to_vec();
        assert_eq!(by("time", &mut files, 0), Ok(minute));
        assert_eq!(files, ["no.pcap", "parts"].map(PathBuf::from));
        assert!(by("time", &mut files, 0).is_err());
        assert!(by("hosts", &mut files, 0).is_err());
    }

    #[test]
    fn parts_are_called_as_the_capture_is() {
        for (file, name) in [("a/b.pcap", "b"), ("x.pcapng.gz", "x"), ("-", "stdin"), ("noend", "noend"), (".pcap", "part")] {
            assert_eq!(stem(Path::new(file)), name);
        }
    }
}
