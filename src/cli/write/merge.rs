//! Merges the frames of several inputs by time, as mergecap.

use super::super::Exit;
use super::super::args::Output;
use super::super::audience::Audience;
use super::super::input::{InputSettings, Run};
use super::super::outcome::Outcome;
use super::super::progress::{Progress, TotalProgress};
use super::super::record_selection::RecordSelection;
use super::super::selection::Selection;
use super::super::source::Source;
use super::super::usage_error::UsageError;
use super::{Target, print_error};
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection};
use crate::write::{Late, StoredFrame, Window};
use std::collections::VecDeque;
use std::io;

/// Result of a pass over all inputs.
pub(super) struct Written {
    pub(super) outcome: Outcome,
    /// Number of frames written; `None` if no input could be opened.
    pub(super) frames: Option<u64>,
    /// Per input, required frames that were no longer kept.
    pub(super) late: Vec<Late>,
}

/// Exit code of the inputs before a write error, and the error.
type Broken = (Exit, io::Error);

/// Writes the frames of all inputs, keeping `window` bytes of frames per input.
pub(super) fn write(
    output: &Output,
    sources: &[Source],
    settings: &InputSettings,
    target: &Target,
    window: usize,
    known: Vec<Late>,
) -> Result<Result<Written, Broken>, UsageError> {
    let whole = TotalProgress::new(format!("{} files", sources.len()), Some(sources.iter().filter_map(Source::size).sum()));
    let mut merge =
        Merge { lanes: Vec::new(), counted: Selection::new(output)?, outcome: Outcome::default(), is_any_open: false };
    for ((input, source), known) in sources.iter().enumerate().zip(known) {
        let frames = Frames::new(output, Window::new(window, input, known))?;
        if let Err(error) = merge.open(source, settings, frames, whole.part(source.size())) {
            return Ok(Err((merge.outcome.read, error)));
        }
    }
    Ok(merge.run(target, output.count).map_err(|error| (merge.outcome.read, error)).map(|frames| Written {
        frames,
        late: merge.lanes.into_iter().map(|lane| lane.frames.window.into_late()).collect(),
        outcome: merge.outcome,
    }))
}

/// All inputs, read in parallel.
struct Merge<'a> {
    lanes: Vec<Lane<'a>>,
    /// Counts of `-c` and `--skip`, across inputs.
    counted: Selection,
    outcome: Outcome,
    is_any_open: bool,
}

/// An input and its next frames.
struct Lane<'a> {
    /// `None` at the end.
    run: Option<Run<'a>>,
    frames: Frames,
}

impl<'a> Merge<'a> {
    fn open(&mut self, source: &Source, settings: &'a InputSettings, mut frames: Frames, progress: Progress) -> io::Result<()> {
        let run = match Run::open(source, settings, &mut frames, progress) {
            Ok(run) => Some(run),
            Err(refused) => {
                self.outcome.read = self.outcome.read.max(refused.exit);
                None
            }
        };
        let is_open = run.is_some();
        let mut lane = Lane { run, frames };
        // Read before opening the next input, which may block.
        lane.fill(&mut self.counted, &mut self.outcome)?;
        self.lanes.push(lane);
        self.is_any_open |= is_open;
        Ok(())
    }

    /// Writes frames, at most `count` if every frame is selected. The output is not opened if no input can be read.
    fn run(&mut self, target: &Target, count: Option<u64>) -> io::Result<Option<u64>> {
        if !self.is_any_open {
            return Ok(None);
        }
        let mut open = target.open()?;
        let (mut frames, is_every) = (0, self.lanes.iter().any(|lane| lane.frames.every));
        let limit = count.filter(|_| is_every).unwrap_or(u64::MAX);
        while let Some(frame) = self.next()? {
            if frames < limit {
                open.file.frame(&frame)?;
                frames += 1;
            }
        }
        if is_every {
            self.outcome.taken = frames;
        }
        if open.file.loses() {
            print_error(format_args!(
                "pcap holds neither directions nor packets without a time; a name that ends in .pcapng holds both"
            ));
        }
        open.finish()?;
        Ok(Some(frames))
    }

    /// Takes the earliest next frame; frames without a time come first.
    fn next(&mut self) -> io::Result<Option<StoredFrame>> {
        let Merge { lanes, counted, outcome, .. } = self;
        for lane in lanes.iter_mut() {
            lane.fill(counted, outcome)?;
        }
        let next = lanes.iter_mut().filter(|lane| !lane.frames.ready.is_empty());
        let earliest = next.min_by_key(|lane| lane.frames.ready.front().and_then(|frame| frame.time));
        Ok(earliest.and_then(|lane| lane.frames.ready.pop_front()))
    }
}

impl Lane<'_> {
    /// Reads until a frame is ready or the input ends.
    fn fill(&mut self, counted: &mut Selection, outcome: &mut Outcome) -> io::Result<()> {
        while self.frames.ready.is_empty() {
            let Some(run) = &mut self.run else { break };
            if !self.frames.every {
                self.frames.selection.exchange(counted);
            }
            let more = run.step(&mut self.frames)?;
            if !more && let Some(run) = self.run.take() {
                let read = run.end(&mut self.frames)?;
                outcome.add(Outcome { read, ..self.frames.selection.outcome() });
            }
            if !self.frames.every {
                self.frames.selection.exchange(counted);
            }
        }
        Ok(())
    }
}

/// Selects the frames of an input.
struct Frames {
    selection: RecordSelection,
    window: Window,
    /// Whether every frame is written, regardless of records.
    every: bool,
    left: u64,
    ready: VecDeque<StoredFrame>,
}

impl Frames {
    fn new(output: &Output, window: Window) -> Result<Frames, UsageError> {
        let selection = RecordSelection::new(output, None)?;
        let every = selection.choice().is_default() && output.filter.is_none() && output.numbers.is_none() && output.skip == 0;
        let left = output.count.filter(|_| every).unwrap_or(u64::MAX);
        let selection = if every { selection.of_all() } else { selection };
        Ok(Frames { selection, window, every, left, ready: VecDeque::new() })
    }
}

impl Audience for Frames {
    fn demand(&self) -> Demand {
        Demand::HEADINGS.and(self.selection.demand())
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.selection.begin(begin.file);
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Frames { selection, window, every, left, ready } = self;
        if captured {
            window.frame(of, *every, ready);
            *left = left.saturating_sub(1);
        }
        selection.records(of, captured, |record| {
            window.record(record);
            Ok(())
        })
    }

    fn has_enough(&self) -> bool {
        self.left == 0 || self.selection.has_enough()
    }

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        self.selection.end();
        self.window.end(&mut self.ready);
        Ok(())
    }
}
