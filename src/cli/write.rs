//! `-w`: the frames of the records that are meant, as a capture file.

use super::args::{Args, Output};
use super::audience::Audience;
use super::forms::Wrong;
use super::input::{self, How};
use super::outcome::Outcome;
use super::record_selection::RecordSelection;
use super::replace::Replacement;
use super::source::{self, Source};
use super::{Exit, complain, interrupt, of_output};
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection};
use crate::write::{CaptureFile, FileForm, Late, Window};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Bytes that are written in one go.
const BLOCK: usize = 64 << 10;

/// Bytes of frames that are kept because a later message may need them.
const WINDOW: usize = 64 << 20;

/// Write the file that the options ask for.
pub(super) fn run(args: &Args, path: &Path) -> Exit {
    let sources = Source::all(&args.files, &args.reading);
    let prepared = Target::new(path, &sources).and_then(|target| Ok((How::new(&args.reading)?, target)));
    let done = match prepared {
        Ok((how, target)) => write(&args.output, &sources, how, &target, WINDOW),
        Err(wrong) => Err(wrong),
    };
    done.unwrap_or_else(|wrong| {
        complain(format_args!("{wrong}"));
        Exit::Usage
    })
}

/// Read once, and once more if messages turn out to go back further than frames are kept.
fn write(output: &Output, sources: &[Source], mut how: How, target: &Target, window: usize) -> Result<Exit, Wrong> {
    let again = target.is_file() && sources.iter().all(Source::is_whole);
    let mut known = Late::default();
    loop {
        let selection = RecordSelection::new(output)?;
        let mut writer = Writer { selection, window: Window::new(window, known), target, file: None };
        let mut outcome = Outcome::default();
        for source in sources {
            match input::input(source, &how, &mut writer) {
                Ok(read) => outcome.add(Outcome { read, ..writer.selection.outcome() }),
                Err(error) => return Ok(outcome.read.max(target.failed(&error))),
            }
        }
        if let Some(Err(error)) = writer.file.take().map(Open::finish) {
            return Ok(outcome.read.max(target.failed(&error)));
        }
        let late = writer.window.into_late();
        if late.count == 0 {
            return Ok(outcome.exit(output));
        }
        if !again || how.is_silent() || interrupt::is_requested() {
            let count = late.count;
            complain(format_args!("{count} frames that later messages need came too long before them, and are not written"));
            return Ok(outcome.exit(output));
        }
        how = how.silent();
        known = late;
    }
}

/// Where frames go.
enum Target {
    File(PathBuf),
    StandardOutput,
}

impl Target {
    fn new(path: &Path, sources: &[Source]) -> Result<Target, Wrong> {
        if path.as_os_str() == "-" {
            if io::stdout().is_terminal() {
                return Err("-w -: a capture is nothing for a terminal; name a file, or pipe it on".into());
            }
            return Ok(Target::StandardOutput);
        }
        let same = source::identity(path);
        let is_read = |source: &&Source| same.is_some() && source.identity() == same;
        match sources.iter().find(is_read) {
            Some(_) => Err(format!("-w {}: this file is read; name another one", path.display())),
            None => Ok(Target::File(path.to_owned())),
        }
    }

    fn is_file(&self) -> bool {
        matches!(self, Target::File(_))
    }

    fn open(&self) -> io::Result<Open> {
        let (to, form, replacement): (Box<dyn Write + Send>, _, _) = match self {
            Target::File(path) => {
                let (file, replacement) = Replacement::create(path)?;
                (Box::new(file), FileForm::of_name(&path.to_string_lossy()), replacement)
            }
            Target::StandardOutput => (Box::new(io::stdout()), FileForm::PcapNg, None),
        };
        Ok(Open { file: CaptureFile::new(Box::new(BufWriter::with_capacity(BLOCK, to)), form), replacement })
    }

    fn failed(&self, error: &io::Error) -> Exit {
        match self {
            Target::StandardOutput => of_output(error),
            Target::File(path) => {
                complain(format_args!("{}: cannot be written: {error}", path.display()));
                Exit::Failed
            }
        }
    }
}

/// A capture file that is being written.
struct Open {
    file: CaptureFile<Box<dyn Write + Send>>,
    /// What puts it in place once it is complete.
    replacement: Option<Replacement>,
}

impl Open {
    fn finish(self) -> io::Result<()> {
        self.file.finish()?;
        self.replacement.map_or(Ok(()), Replacement::commit)
    }
}

/// Writes the frames of records.
struct Writer<'a> {
    selection: RecordSelection,
    window: Window,
    target: &'a Target,
    /// Opened with the first input that can be read: of what cannot be read nothing is written over.
    file: Option<Open>,
}

impl Audience for Writer<'_> {
    fn demand(&self) -> Demand {
        Demand::HEADINGS.and(self.selection.demand())
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.selection.begin(begin.file);
        if self.file.is_none() {
            self.file = Some(self.target.open()?);
        }
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        if let (true, Some(open)) = (captured, &mut self.file) {
            self.window.frame(of, &mut open.file)?;
        }
        let window = &mut self.window;
        self.selection.records(of, captured, |record| {
            window.record(record);
            Ok(())
        })
    }

    fn has_enough(&self) -> bool {
        self.selection.has_enough()
    }

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        self.selection.end();
        match &mut self.file {
            Some(open) => self.window.end(&mut open.file),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Args;
    use super::*;
    use clap::Parser;
    use std::fs;

    /// What is written of a sample while so many bytes of frames are kept.
    fn written(window: usize, name: &str) -> (Exit, Vec<u8>) {
        let path = std::env::temp_dir().join(format!("proto-dissect-{}-{name}", std::process::id()));
        let args = Args::try_parse_from(["proto-dissect", "-Y", "pipboy.type == 3", "samples/pipboy.pcap"]).unwrap();
        let (how, sources) = (How::new(&args.reading).unwrap(), Source::all(&args.files, &args.reading));
        let exit = write(&args.output, &sources, how, &Target::File(path.clone()), window).unwrap();
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
