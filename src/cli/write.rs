//! `-w`: writes the frames of the selected records as a capture file.

mod merge;

use super::args::{Args, CaptureForm, Output};
use super::counted::Counted;
use super::input::InputSettings;
use super::replace::Replacement;
use super::screen::Screen;
use super::source::{self, Source};
use super::usage_error::UsageError;
use super::{Exit, interrupt, of_output, print, print_error, reject};
use crate::failure::Words;
use crate::write::{CaptureFile, FileForm, Late};
use std::fmt::{self, Display};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Size of the write buffer.
const BLOCK: usize = 64 << 10;

/// Bytes of frames kept, because a later message may require them.
const WINDOW: usize = 64 << 20;

/// Writes the file of `-w`.
pub(super) fn run(args: &Args, path: &Path) -> Exit {
    let sources = Source::all(&args.files, &args.reading);
    let prepared =
        Target::new(path, args.output.capture_form, &sources).and_then(|target| Ok((InputSettings::new(&args.reading)?, target)));
    let done = match prepared {
        Ok((settings, target)) => {
            settings.report_unreadable(&sources);
            write(&args.output, &sources, settings, &target, WINDOW)
        }
        Err(wrong) => Err(wrong),
    };
    done.unwrap_or_else(reject)
}

/// Writes the file of `-w`, then prints its packets: `-P`.
pub(super) fn run_and_print(mut args: Args, screen: Screen) -> Exit {
    let Some(path) = args.output.write.clone().filter(|path| path.as_os_str() != "-") else {
        print_error(format_args!("-P and -w - both use standard output; give a file name to -w"));
        return Exit::Usage;
    };
    let written = run(&args, &path);
    if !matches!(written, Exit::Fine | Exit::Damaged) || !path.exists() {
        return written;
    }
    args.files = vec![path];
    // Options about the input do not apply to the written file.
    let reading = &mut args.reading;
    (reading.hex_text, reading.as_protocol, reading.link, reading.port, reading.input_format) = (None, None, None, None, None);
    let Output { time, color, strict, .. } = args.output;
    args.output = Output { time, color, strict, packets: true, list: true, ..Output::default() };
    written.max(print::run(&args, screen))
}

/// Reads the inputs, twice if messages require frames that were no longer kept.
fn write(
    output: &Output,
    sources: &[Source],
    mut settings: InputSettings,
    target: &Target,
    window: usize,
) -> Result<Exit, UsageError> {
    let again = target.is_file() && sources.iter().all(Source::is_complete);
    let mut known = vec![Late::default(); sources.len()];
    loop {
        let written = match merge::write(output, sources, &settings, target, window / sources.len().max(1), known)? {
            Ok(written) => written,
            Err((read, error)) => return Ok(read.max(target.failed(&error))),
        };
        let late: u64 = written.late.iter().map(|late| late.count).sum();
        if late > 0 && again && !settings.is_silent() && !interrupt::is_requested() {
            settings = settings.silent();
            known = written.late;
            continue;
        }
        if late > 0 {
            print_error(format_args!("{late} frames required by later messages were too far back and are not written"));
        }
        if let Some(frames) = written.frames.filter(|_| !output.quiet) {
            print_error(format_args!("{frames} of {} written to {target}", Counted(written.outcome.frames, "frame")));
        }
        return Ok(written.outcome.exit(output));
    }
}

/// Destination of frames.
pub(super) enum Target {
    File(PathBuf, FileForm),
    StandardOutput(FileForm),
}

impl Target {
    fn new(path: &Path, form: Option<CaptureForm>, sources: &[Source]) -> Result<Target, UsageError> {
        let form = form.map(|form| match form {
            CaptureForm::Pcap => FileForm::Pcap,
            CaptureForm::Pcapng => FileForm::PcapNg,
        });
        if path.as_os_str() == "-" {
            if io::stdout().is_terminal() {
                return Err(
                    "-w -: a capture is binary and cannot be printed on a terminal; give a file name, or use a pipe".into()
                );
            }
            return Ok(Target::StandardOutput(form.unwrap_or(FileForm::PcapNg)));
        }
        let same = source::identity(path);
        let is_read = |source: &&Source| same.is_some() && source.identity() == same;
        match sources.iter().find(is_read) {
            Some(_) => Err(format!("-w {}: this file is an input; choose another name", path.display())),
            None => Ok(Target::File(path.to_owned(), form.unwrap_or_else(|| FileForm::of_name(&path.to_string_lossy())))),
        }
    }

    fn is_file(&self) -> bool {
        matches!(self, Target::File(..))
    }

    fn open(&self) -> io::Result<Open> {
        let (to, form, replacement): (Box<dyn Write + Send>, _, _) = match self {
            Target::File(path, form) => {
                let (file, replacement) = Replacement::create(path)?;
                (Box::new(file), *form, replacement)
            }
            Target::StandardOutput(form) => (Box::new(io::stdout()), *form, None),
        };
        Ok(Open { file: CaptureFile::new(Box::new(BufWriter::with_capacity(BLOCK, to)), form), replacement })
    }

    fn failed(&self, error: &io::Error) -> Exit {
        match self {
            Target::StandardOutput(_) => of_output(error),
            Target::File(path, _) => {
                print_error(format_args!("{}: cannot be written: {}", path.display(), Words(error)));
                Exit::Failed
            }
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::File(path, _) => write!(f, "{}", path.display()),
            Target::StandardOutput(_) => f.write_str("standard output"),
        }
    }
}

/// An open output file.
struct Open {
    file: CaptureFile<Box<dyn Write + Send>>,
    /// Replaces the existing file when complete.
    replacement: Option<Replacement>,
}

impl Open {
    fn finish(self) -> io::Result<()> {
        self.file.finish()?;
        self.replacement.map_or(Ok(()), Replacement::commit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Args;
    use super::*;
    use clap::Parser;
    use std::fs;

    /// Exit code and output for a sample with a window of this size.
    fn written(window: usize, name: &str) -> (Exit, Vec<u8>) {
        let path = std::env::temp_dir().join(format!("proto-dissect-{}-{name}", std::process::id()));
        let args = Args::try_parse_from(["proto-dissect", "-Y", "pipboy.type == 3", "samples/pipboy.pcap"]).unwrap();
        let (settings, sources) = (InputSettings::new(&args.reading).unwrap(), Source::all(&args.files, &args.reading));
        let exit = write(&args.output, &sources, settings, &Target::File(path.clone(), FileForm::PcapNg), window).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        (exit, bytes)
    }

    #[test]
    fn the_same_is_written_however_few_frames_are_kept() {
        let (exit, whole) = written(WINDOW, "whole.pcapng");
        assert_eq!(exit, Exit::Fine);
        assert!(whole.len() > 10_000);
        for window in [0, 2_000, 20_000] {
            assert!(written(window, &format!("{window}.pcapng")) == (Exit::Fine, whole.clone()), "window of {window}");
        }
    }
}
