//! Text views: a conversation, statistics, `explore`.

use super::super::audience::Audience;
use super::super::input;
use super::super::stats::Counter;
use super::Input;
use crate::browse::{BESIDE, Chart, Event};
use crate::engine::Engine;
use crate::explore::{self, Collector, Options, View, framing::Given};
use crate::follow::{Dump, Follower, Form};
use crate::input::Frame;
use crate::limits;
use crate::render::Theme;
use crate::sink::Problem;
use crate::stats::{Details, Part, Stats, TableLook, print_tables};
use crate::tree::{Demand, Dissection, Extras, StreamId};
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes to explore per direction, and framing hypotheses to list: the defaults of `explore`.
const EXPLORED: usize = 1 << 20;
const HYPOTHESES: usize = 3;

/// Prints a conversation with message names.
pub(super) fn follow(input: &Input, number: u64, stream: StreamId, width: usize) {
    let text = Bounded::default();
    let dump = Dump::new(text.clone(), Form::Hex, Theme::plain(), Some(width));
    let mut following = Following { input, follower: Follower::new(Some(stream)), dump };
    // Text beyond its limit stops reading.
    let read = input::input(&input.source, &input.settings, &mut following).and_then(|_| following.dump.finish());
    drop(read);
    input.send(Event::Text(number, text.lines()));
}

/// Prints statistics of the input.
pub(super) fn statistics(input: &Input, number: u64, width: usize) {
    // Traffic over time is in the chart.
    let parts = Part::all().into_iter().filter(|part| *part != Part::Time).collect();
    let stats = Stats::detailed(input.settings.registry(), parts, Details::default());
    let mut counter = Counter { stats, opened: false, view: Some(input) };
    let mut text = Bounded::default();
    let look = TableLook { theme: Theme::plain(), width: Some(width), all: false };
    let read = input::input(&input.source, &input.settings, &mut counter);
    drop(read.and_then(|_| print_tables(&counter.stats, look, &mut text)));
    let (counts, interval) = counter.stats.traffic.in_intervals(width.saturating_sub(BESIDE));
    let chart = Chart::new(counts.iter().map(|count| count.frames).collect(), interval);
    input.send(Event::Statistics(number, text.lines(), chart));
}

/// Explores a conversation as if it were unknown.
pub(super) fn explore(input: &Input, number: u64, stream: StreamId, width: usize) {
    let blind = Engine::new(input.settings.registry().blind(), Collector::demand());
    let mut exploring = Exploring { input, blind, collector: Collector::new(Some(vec![stream]), EXPLORED) };
    let mut text = Bounded::default();
    let read = input::input(&input.source, &input.settings, &mut exploring);
    let sides = exploring.collector.finish();
    let view = View { theme: Theme::plain(), width: Some(width) };
    drop(read.and_then(|_| {
        if sides.is_empty() {
            writeln!(text, "nothing to explore: the conversation carries no payload")
        } else {
            let options = Options { given: Given::default(), kinds: None, top: HYPOTHESES };
            view.group(&stream.to_string(), &explore::explore(&sides, &options), &mut text)
        }
    }));
    input.send(Event::Text(number, text.lines()));
}

/// Text of bounded size.
#[derive(Clone, Default)]
struct Bounded(Arc<Mutex<(Vec<u8>, bool)>>);

impl Bounded {
    fn lines(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, is_cut) = &*kept;
        let mut lines: Vec<String> = String::from_utf8_lossy(text).lines().map(str::to_owned).collect();
        if *is_cut {
            lines.push(format!("… truncated; --limit browse.text={} doubles the limit", limits::BROWSE_TEXT.get() * 2));
        }
        if lines.is_empty() {
            lines.push("nothing".to_owned());
        }
        lines
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0.len().saturating_add(bytes.len()) > limits::BROWSE_TEXT.get() {
            kept.1 = true;
            return Err(io::ErrorKind::WriteZero.into());
        }
        kept.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Following<'a> {
    input: &'a Input,
    follower: Follower,
    dump: Dump<Bounded>,
}

impl Audience for Following<'_> {
    fn demand(&self) -> Demand {
        self.follower.demand().with(Extras::SUMMARIES).with(Extras::NAMES)
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Following { follower, dump, .. } = self;
        follower.collect(of, captured, |event| dump.event(event))
    }

    fn has_enough(&self) -> bool {
        self.input.stops()
    }

    fn print_error(&mut self, _: fmt::Arguments<'_>) {}
}

/// Reads with an engine without dissectors.
struct Exploring<'a> {
    input: &'a Input,
    blind: Engine,
    collector: Collector,
}

impl Audience for Exploring<'_> {
    fn demand(&self) -> Demand {
        Demand::FRAMES
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        let tree = self.blind.dissect(frame);
        self.collector.see(Dissection { tree, bytes: frame.bytes }, true);
    }

    fn tree(&mut self, _: Dissection<'_>, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.input.stops()
    }

    fn print_error(&mut self, _: fmt::Arguments<'_>) {}

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        while let Some(tree) = self.blind.finish() {
            self.collector.see(Dissection { tree, bytes: &[] }, false);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_above_the_limit_is_truncated_with_a_note() {
        let mut text = Bounded::default();
        let line = [b"a".repeat(1023), b"\n".to_vec()].concat();
        let most = limits::BROWSE_TEXT.get() / line.len();
        let written = (0..=most).take_while(|_| text.write_all(&line).is_ok()).count();
        assert_eq!(written, most);
        let lines = text.lines();
        assert_eq!(lines.len(), most + 1);
        assert!(lines.last().unwrap().contains("browse.text"));
    }
}
