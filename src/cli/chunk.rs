//! Printing apart: a part of an input is printed by the thread that reads it, while the one that prints is busy with what
//! comes before.

use super::forms::Plan;
use super::record_selection::{Counted, RecordSelection};
use super::shared::Shared;
use crate::record::Tally;
use crate::sink::{Printed, Sink};
use crate::tree::Dissection;
use std::io;

/// Bytes of memory that are kept for the next text.
const KEPT: usize = 512 << 10;

/// Prints parts of an input, and counts its records up to them.
pub(super) struct ChunkPrinter<'w> {
    sink: Box<dyn Sink + Send + 'w>,
    selection: RecordSelection,
    text: Shared<Vec<u8>>,
}

/// What was printed apart, and how it went.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) printed: Printed,
    pub(super) counted: Counted,
}

impl ChunkPrinter<'_> {
    /// For those who are chosen: records from here on.
    pub(super) fn new<'w>(plan: &Plan, selection: RecordSelection) -> ChunkPrinter<'w> {
        let text = Shared::new(Vec::new());
        let mut sink = plan.sink(Box::new(text.clone()));
        sink.resume_at();
        ChunkPrinter { sink, selection, text }
    }

    /// What the input had so far.
    pub(super) fn tally(&self) -> Tally {
        self.selection.tally().clone()
    }

    /// The input had so much so far.
    pub(super) fn resume_at(&mut self, tally: Tally) {
        self.selection.resume_at(tally);
    }

    /// Counts records that another thread prints.
    pub(super) fn pass(&mut self, of: Dissection<'_>, captured: bool) {
        self.selection.pass(of, captured);
    }

    /// Print the next records.
    ///
    /// # Errors
    /// Those of writing, which for memory there are none.
    pub(super) fn print(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let ChunkPrinter { sink, selection, .. } = self;
        selection.records(of, captured, |record| sink.record(record))
    }

    /// Give away what was printed, in exchange for memory to go on with.
    ///
    /// # Errors
    /// Those of writing.
    pub(super) fn give(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        chunk.printed.edges = self.sink.take_output()?;
        chunk.printed.deferred = self.sink.take_deferred();
        chunk.counted = self.selection.counted();
        chunk.printed.text.clear();
        chunk.printed.text.shrink_to(KEPT);
        std::mem::swap(&mut chunk.printed.text, &mut self.text.get());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Args;
    use super::super::input::Audience;
    use super::super::printer::Printer;
    use super::*;
    use crate::engine::Engine;
    use crate::input::Capture;
    use crate::sink::Begin;
    use clap::Parser;
    use std::fs::File;

    /// Print a capture; of every `turns` frames the first half is printed apart.
    fn printed(args: &[&str], file: &str, turns: Option<u64>) -> (String, String) {
        let args = Args::try_parse_from(["proto-dissect"].iter().chain(args)).unwrap();
        let plan = Plan::new(&args.output, false, false).unwrap();
        let text = Shared::new(Vec::new());
        let mut printer = Printer::new(&plan, Box::new(text.clone()), RecordSelection::new(&args.output).unwrap());
        let mut engine = Engine::new(crate::registry::Registry::default(), printer.demand()).with_prefilter(printer.prefilter());
        let mut capture = Capture::open(Box::new(File::open(file).unwrap())).unwrap();
        printer.begin(&Begin { file, format: "pcap", links: &["ethernet"] }).unwrap();
        let (mut fork, mut chunk) = (printer.fork().unwrap(), Chunk::default());
        let mut look = |of: Dissection<'_>, captured: bool| {
            let frame = of.tree.frame.number;
            if turns.is_some_and(|turns| frame % turns < turns / 2) {
                fork.print(of, captured).unwrap();
                fork.give(&mut chunk).unwrap();
                printer.chunk(&mut chunk).unwrap();
            } else {
                printer.resume_at(fork.tally());
                fork.pass(of, captured);
                printer.tree(of, captured).unwrap();
            }
        };
        while let Some(frame) = capture.next_frame().unwrap() {
            let tree = engine.dissect(&frame);
            look(Dissection { tree, bytes: frame.bytes }, true);
        }
        while let Some(tree) = engine.finish() {
            look(Dissection { tree, bytes: &[] }, false);
        }
        printer.end(None).unwrap();
        printer.sink.finish().unwrap();
        let outcome = format!("{:?}", printer.selection.outcome());
        (String::from_utf8(text.get().clone()).unwrap(), outcome)
    }

    #[test]
    fn what_is_printed_apart_is_what_one_would_have_printed() {
        let forms: [&[&str]; 8] = [
            &[],
            &["-V", "-x", "-t", "d"],
            &["-l", "--packets", "-t", "d"],
            &["--json"],
            &["-T", "json"],
            &["-T", "flat", "--packets"],
            &["-T", "csv", "-e", "frame.number", "-e", "message.number", "-E", "header=y"],
            &["--json", "-Y", "!xfire && !data && !(pipboy.type == 3)"],
        ];
        for file in ["samples/xfire.pcap", "samples/pipboy.pcap", "samples/pipboy-damaged.pcap", "samples/vscp-damaged.pcap"] {
            for form in forms {
                let (whole, outcome) = printed(form, file, None);
                assert!(!whole.is_empty() || form.contains(&"-Y"), "{form:?} {file}");
                for turns in [2, 5, 1000] {
                    let (parts, counted) = printed(form, file, Some(turns));
                    assert!(parts == whole, "{form:?} {file} {turns}");
                    assert_eq!(counted, outcome, "{form:?} {file} {turns}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_printed_apart_where_records_are_counted_off() {
        for form in [["-c", "5"], ["--skip", "2"], ["--number", "3-9"]] {
            let args = Args::try_parse_from(["proto-dissect"].iter().chain(&form)).unwrap();
            assert!(RecordSelection::new(&args.output).unwrap().fork().is_none(), "{form:?}");
        }
    }
}
