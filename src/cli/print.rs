//! The run that everything else is for: inputs in, records out.

use super::args::Args;
use super::{Exit, complain, forms, of_output, source};
use crate::engine::Engine;
use crate::input::{Capture, OpenError, ReadError, link_name};
use crate::record::{Record, Tally, View};
use crate::registry::Registry;
use crate::sink::{Begin, Problem, Sink};
use crate::tree::Dissection;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes of output that are put together while nobody waits for them.
const BLOCK: usize = 64 << 10;

/// Print the records of all inputs.
pub(super) fn run(args: &Args) -> Exit {
    let files = if args.files.is_empty() { vec![PathBuf::from("-")] } else { args.files.clone() };
    let stdout = io::stdout().lock();
    // Where input may still be growing, each record is handed on at once; standard output does that line by line.
    let waits = !files.iter().all(|file| source::is_whole(file));
    let to: Box<dyn Write> = if waits { Box::new(stdout) } else { Box::new(BufWriter::with_capacity(BLOCK, stdout)) };
    let mut printer = match forms::sink(&args.output, files.len() > 1, to) {
        Ok(sink) => Printer { sink, left: args.output.count, printed: 0, worst: Exit::Fine, strict: args.output.strict },
        Err(wrong) => {
            complain(format_args!("{wrong}"));
            return Exit::Usage;
        }
    };
    let view = if args.output.packets { View::Packets } else { View::Messages };
    for file in &files {
        if let Err(error) = printer.input(file, view) {
            return printer.worst.max(of_output(&error));
        }
    }
    if let Err(error) = printer.sink.finish() {
        return printer.worst.max(of_output(&error));
    }
    if printer.worst == Exit::Fine && args.output.exit_status && printer.printed == 0 {
        return Exit::Failed;
    }
    printer.worst
}

/// Prints records, and remembers how it went.
struct Printer<'w> {
    sink: Box<dyn Sink + 'w>,
    /// Records that may still be printed.
    left: Option<u64>,
    printed: u64,
    worst: Exit,
    strict: bool,
}

/// Why records are no longer printed.
enum Stop {
    Enough,
    Output(io::Error),
}

impl Printer<'_> {
    /// Print the records of an input.
    fn input(&mut self, path: &Path, view: View) -> io::Result<()> {
        let name = path.to_string_lossy().into_owned();
        let reader = match source::open(path) {
            Ok(reader) => reader,
            Err(error) => {
                complain(format_args!("{name}: cannot be opened: {error}"));
                self.worst = self.worst.max(Exit::CannotOpen);
                return Ok(());
            }
        };
        let mut capture = match Capture::open(reader) {
            Ok(capture) => capture,
            Err(error) => {
                complain(format_args!("{name}: {error}"));
                let exit = if matches!(error, OpenError::Io(_)) { Exit::CannotOpen } else { Exit::NotACapture };
                self.worst = self.worst.max(exit);
                return Ok(());
            }
        };
        let mut tally = Tally::new(view);
        let mut engine = Engine::new(Registry::default(), self.sink.want());
        let mut begun = false;
        let damage = loop {
            if self.left == Some(0) {
                break None;
            }
            let links: Vec<u16> = if begun { Vec::new() } else { capture.links().to_vec() };
            let format = capture.format();
            let frame = match capture.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            };
            if !begun {
                self.begin(&name, format.as_str(), &links)?;
                begun = true;
            }
            let tree = engine.dissect(&frame);
            match self.records(&mut tally, Dissection { tree, bytes: frame.bytes }, true) {
                Ok(()) => {}
                Err(Stop::Enough) => break None,
                Err(Stop::Output(error)) => return Err(error),
            }
        };
        if !begun {
            self.begin(&name, capture.format().as_str(), capture.links())?;
        }
        self.leftovers(&mut engine, &mut tally)?;
        self.end(&name, &tally, damage.as_ref())
    }

    fn begin(&mut self, file: &str, format: &str, links: &[u16]) -> io::Result<()> {
        let links: Vec<&str> = links.iter().map(|link| link_name(*link).unwrap_or("unknown")).collect();
        self.sink.begin(&Begin { file, format, links: &links })
    }

    fn leftovers(&mut self, engine: &mut Engine, tally: &mut Tally) -> io::Result<()> {
        while self.left != Some(0) {
            let Some(tree) = engine.finish() else { break };
            match self.records(tally, Dissection { tree, bytes: &[] }, false) {
                Ok(()) => {}
                Err(Stop::Enough) => break,
                Err(Stop::Output(error)) => return Err(error),
            }
        }
        Ok(())
    }

    fn records(&mut self, tally: &mut Tally, of: Dissection<'_>, captured: bool) -> Result<(), Stop> {
        tally.records(of, captured, |record| {
            self.sink.record(&record).map_err(Stop::Output)?;
            if matches!(record, Record::Gap(_)) {
                return Ok(());
            }
            self.printed += 1;
            match &mut self.left {
                Some(left) => {
                    *left -= 1;
                    if *left == 0 { Err(Stop::Enough) } else { Ok(()) }
                }
                None => Ok(()),
            }
        })
    }

    fn end(&mut self, name: &str, tally: &Tally, damage: Option<&ReadError>) -> io::Result<()> {
        if let Some(damage) = damage {
            complain(format_args!("{name}: after frame {}: {damage}", tally.frames));
            self.worst = self.worst.max(Exit::Damaged);
            let text = damage.to_string();
            self.sink.problem(&Problem { file: name, code: damage.code, text: &text, frame: tally.frames, at: damage.at })?;
        }
        if self.strict && tally.malformed + tally.gaps > 0 {
            self.worst = self.worst.max(Exit::Damaged);
        }
        self.sink.end(tally, damage.is_some())
    }
}
