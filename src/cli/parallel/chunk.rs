//! Chunks: parts of an input that the reading thread prints, while the printing thread is busy with earlier frames.

use crate::cli::forms::Plan;
use crate::cli::record_selection::{Counted, RecordSelection};
use crate::cli::shared::Shared;
use crate::record::Tally;
use crate::sink::{Printed, Sink};
use crate::tree::Dissection;
use std::io;

/// Capacity that is kept for the next text, in bytes.
const KEPT: usize = 512 << 10;

/// Prints chunks of an input, and counts the records before them.
pub(in crate::cli) struct ChunkPrinter<'w> {
    sink: Box<dyn Sink + Send + 'w>,
    selection: RecordSelection,
    text: Shared<Vec<u8>>,
}

/// A printed chunk, and its counts.
#[derive(Default)]
pub(in crate::cli) struct Chunk {
    pub(in crate::cli) printed: Printed,
    pub(in crate::cli) counted: Counted,
}

impl ChunkPrinter<'_> {
    /// Prints the selected records that follow.
    pub(in crate::cli) fn new<'w>(plan: &Plan, selection: RecordSelection) -> ChunkPrinter<'w> {
        let text = Shared::new(Vec::new());
        let mut sink = plan.sink(Box::new(text.clone()));
        sink.resume_at(selection.file());
        ChunkPrinter { sink, selection, text }
    }

    /// Counts of the input so far.
    pub(in crate::cli) fn tally(&self) -> Tally {
        self.selection.tally().clone()
    }

    /// Sets the counts of the input so far.
    pub(in crate::cli) fn resume_at(&mut self, tally: Tally) {
        self.selection.resume_at(tally);
    }

    /// Counts records that the other thread prints.
    pub(in crate::cli) fn pass(&mut self, of: Dissection<'_>, captured: bool) {
        self.selection.pass(of, captured);
    }

    /// Prints the next records.
    pub(in crate::cli) fn print(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let ChunkPrinter { sink, selection, .. } = self;
        selection.records(of, captured, |record| sink.record(record))
    }

    /// Moves the printed text into a chunk, and reuses the memory of its former text.
    pub(in crate::cli) fn give(&mut self, chunk: &mut Chunk) -> io::Result<()> {
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
    use super::*;
    use crate::cli::args::Args;
    use crate::cli::audience::Audience;
    use crate::cli::printer::Printer;
    use crate::engine::Engine;
    use crate::input::Capture;
    use crate::sink::Begin;
    use crate::wire::trial;
    use clap::Parser;
    use std::fs::File;

    /// Prints a capture; of every `turns` frames the first half is printed as chunks.
    fn printed(args: &[&str], file: &str, turns: Option<u64>) -> (String, String) {
        let args = Args::try_parse_from(["proto-dissect"].iter().chain(args)).unwrap();
        let plan = Plan::new(&args.output, false, false).unwrap();
        let text = Shared::new(Vec::new());
        let mut printer = Printer::new(&plan, Box::new(text.clone()), RecordSelection::new(&args.output, None).unwrap());
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
    fn chunks_contain_the_text_that_one_printer_would_print() {
        let forms: [&[&str]; 13] = [
            &[],
            &["-V", "-x", "-t", "d"],
            &["-l", "--packets", "-t", "d"],
            &["--json"],
            &["-T", "json"],
            &["-T", "flat", "--packets"],
            &["-T", "csv", "-e", "frame.number", "-e", "message.number", "-E", "header=y"],
            &["--json", "-Y", "!xfire && !data && !(pipboy.type == 3)"],
            &["-T", "jsonraw"],
            &["-T", "jsonraw", "-Y", "pipboy.type == 3"],
            &["-T", "pdml"],
            &["-T", "ek", "-Y", "!data"],
            &["-T", "tabs"],
        ];
        let files: [(&str, &[u64]); 4] = [
            ("samples/xfire.pcap", &[5]),
            ("samples/pipboy.pcap", &[2]),
            ("samples/pipboy-damaged.pcap", &[2, 5, 1000]),
            ("samples/vscp-damaged.pcap", &[2, 1000]),
        ];
        for (number, (file, several_turns)) in files.into_iter().enumerate() {
            for (_, form) in forms.iter().enumerate().filter(|(at, _)| trial::is_thorough() || (at + number) % 8 == 0) {
                let (whole, outcome) = printed(form, file, None);
                assert!(!whole.is_empty() || form.contains(&"-Y"), "{form:?} {file}");
                for &turns in several_turns {
                    let (parts, counted) = printed(form, file, Some(turns));
                    assert!(parts == whole, "{form:?} {file} {turns}");
                    assert_eq!(counted, outcome, "{form:?} {file} {turns}");
                }
            }
        }
    }

    #[test]
    fn numbered_selections_are_not_split_into_chunks() {
        for form in [["-c", "5"], ["--skip", "2"], ["--number", "3-9"]] {
            let args = Args::try_parse_from(["proto-dissect"].iter().chain(&form)).unwrap();
            assert!(RecordSelection::new(&args.output, None).unwrap().fork().is_none(), "{form:?}");
        }
    }
}
