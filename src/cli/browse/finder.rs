//! Takes single records apart: the input is dissected again up to them, and records near them are kept.

use super::super::audience::Audience;
use super::super::input::Run;
use super::super::progress::Whole;
use super::Input;
use crate::browse::{Detail, Event, Pass};
use crate::record::Tally;
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Records that are kept before the one that is asked for, and behind it.
const BEFORE: u64 = 512;
const BEHIND: u64 = 64;

/// Bytes of records that are kept.
const KEPT: usize = 16 << 20;

/// What is asked for.
struct Question {
    asked: Mutex<Option<u64>>,
    changed: Condvar,
}

/// A thread that answers questions; the last one counts.
pub(super) struct Finder {
    question: Arc<Question>,
    input: Input,
}

impl Finder {
    /// Starts the thread; `None` if there can be none.
    pub(super) fn start(input: Input, pass: &Pass) -> Option<Finder> {
        let question = Arc::new(Question { asked: Mutex::new(None), changed: Condvar::new() });
        let (asked, of, pass) = (Arc::clone(&question), input.clone(), pass.clone());
        std::thread::Builder::new().spawn(move || answer(&of, &pass, &asked)).ok()?;
        Some(Finder { question, input })
    }

    /// Asks for the record at a place.
    pub(super) fn find(&self, place: u64) {
        *self.question.asked() = Some(place);
        self.question.changed.notify_all();
    }
}

impl Drop for Finder {
    fn drop(&mut self) {
        self.input.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        self.question.changed.notify_all();
    }
}

impl Question {
    fn asked(&self) -> MutexGuard<'_, Option<u64>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a question; `None` at the end.
    fn wait(&self, input: &Input) -> Option<u64> {
        let mut asked = self.asked();
        while asked.is_none() && !input.stops() {
            asked = self.changed.wait(asked).unwrap_or_else(PoisonError::into_inner);
        }
        asked.take().filter(|_| !input.stops())
    }

    fn is_pending(&self) -> bool {
        self.asked().is_some()
    }
}

/// Answers questions until the pass is over.
fn answer(input: &Input, pass: &Pass, question: &Question) {
    let mut window = Window::new(input, pass);
    let mut run = None;
    while let Some(place) = question.wait(input) {
        if window.get(place).is_none() && place < window.next {
            run = None;
            window = Window::new(input, pass);
        }
        window.target = place;
        let mut is_answered = false;
        while !question.is_pending() && !input.stops() {
            if let (false, Some(detail)) = (is_answered, window.get(place)) {
                input.send(Event::Detail(pass.number, place, Some(Box::new(detail.clone()))));
                is_answered = true;
            }
            if is_answered && window.next > place.saturating_add(BEHIND) {
                break;
            }
            if !advance(input, &mut run, &mut window) {
                if !is_answered {
                    input.send(Event::Detail(pass.number, place, None));
                }
                break;
            }
        }
    }
}

/// Dissects the next frame, or what is left at the end. False if there is nothing more.
fn advance<'a>(input: &'a Input, run: &mut Option<Run<'a>>, window: &mut Window<'_>) -> bool {
    if run.is_none() && !window.is_over {
        let progress = Whole::new(String::new(), None).part(None);
        *run = Run::open(&input.source, &input.how, window, progress).ok();
    }
    let Some(open) = run else { return false };
    if !open.step(window).unwrap_or_default() {
        window.is_over = true;
        // What is wrong with the input is reported by the list.
        let _ = run.take().map(|run| run.end(window));
    }
    true
}

/// Records near the one that is asked for.
struct Window<'a> {
    input: &'a Input,
    tally: Tally,
    /// The place of the next record.
    next: u64,
    target: u64,
    kept: VecDeque<(u64, Detail)>,
    size: usize,
    /// Whether all is read.
    is_over: bool,
}

impl<'a> Window<'a> {
    fn new(input: &'a Input, pass: &Pass) -> Window<'a> {
        let tally = Tally::new(pass.view);
        Window { input, tally, next: 0, target: 0, kept: VecDeque::new(), size: 0, is_over: false }
    }

    fn get(&self, place: u64) -> Option<&Detail> {
        let at = self.kept.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        self.kept.get(at).map(|(_, detail)| detail)
    }
}

impl Audience for Window<'_> {
    fn demand(&self) -> Demand {
        Demand::EVERYTHING
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Window { tally, next, target, kept, size, .. } = self;
        tally
            .records(of, captured, |record| {
                let place = *next;
                *next += 1;
                if place.saturating_add(BEFORE) < *target {
                    return Ok(());
                }
                let detail = Detail::of(&record)?;
                *size += detail.size();
                kept.push_back((place, detail));
                while kept
                    .front()
                    .is_some_and(|(place, _)| place.saturating_add(BEFORE) < *target || *size > KEPT && *place < *target)
                {
                    *size -= kept.pop_front().map_or(0, |(_, detail)| detail.size());
                }
                // What comes behind is read again when it is asked for.
                while *size > KEPT && kept.back().is_some_and(|(place, _)| *place > *target) {
                    *size -= kept.pop_back().map_or(0, |(_, detail)| detail.size());
                }
                Ok::<(), fmt::Error>(())
            })
            .map_err(io::Error::other)
    }

    fn has_enough(&self) -> bool {
        self.input.stops()
    }

    fn complain(&mut self, _: fmt::Arguments<'_>) {}

    fn end(&mut self, _: Option<&Problem<'_>>) -> io::Result<()> {
        Ok(())
    }
}
