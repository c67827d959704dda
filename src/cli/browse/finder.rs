//! Dissects single records: the input is read again up to a record, and neighbouring records are cached.

use super::super::audience::Audience;
use super::super::input::Run;
use super::super::progress::TotalProgress;
use super::Input;
use crate::browse::{Detail, Event, Pass};
use crate::record::Tally;
use crate::tree::{Demand, Dissection};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Records cached before and after the requested one.
const BEFORE: u64 = 512;
const KEPT_BEFORE: u64 = 64;

/// Maximum bytes of cached records.
const KEPT: usize = 16 << 20;

/// The current request.
struct Question {
    requested: Mutex<Option<u64>>,
    changed: Condvar,
}

/// A thread that answers requests; a new request replaces the previous one.
pub(super) struct Finder {
    question: Arc<Question>,
    input: Input,
}

impl Finder {
    /// Starts the thread; `None` if that fails.
    pub(super) fn start(input: Input, pass: &Pass) -> Option<Finder> {
        let question = Arc::new(Question { requested: Mutex::new(None), changed: Condvar::new() });
        let (requested, of, pass) = (Arc::clone(&question), input.clone(), pass.clone());
        std::thread::Builder::new().spawn(move || answer(&of, &pass, &requested)).ok()?;
        Some(Finder { question, input })
    }

    /// Requests the record at a place.
    pub(super) fn find(&self, place: u64) {
        *self.question.requested() = Some(place);
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
    fn requested(&self) -> MutexGuard<'_, Option<u64>> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a request; `None` at the end.
    fn wait(&self, input: &Input) -> Option<u64> {
        let mut requested = self.requested();
        while requested.is_none() && !input.stops() {
            requested = self.changed.wait(requested).unwrap_or_else(PoisonError::into_inner);
        }
        requested.take().filter(|_| !input.stops())
    }

    fn is_pending(&self) -> bool {
        self.requested().is_some()
    }
}

/// Answers requests until the pass ends.
fn answer(input: &Input, pass: &Pass, question: &Question) {
    let mut window = Window::new(input, pass);
    let mut run = None;
    while let Some(place) = question.wait(input) {
        if window.cache.get(place).is_none() && place < window.next {
            run = None;
            window = Window::new(input, pass);
        }
        window.target = place;
        let mut is_answered = false;
        while !question.is_pending() && !input.stops() {
            if !is_answered && let Some(detail) = window.cache.get(place) {
                input.send(Event::Detail(pass.number, place, Some(Box::new(detail.clone()))));
                is_answered = true;
            }
            if is_answered && window.next > place.saturating_add(KEPT_BEFORE) {
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

/// Dissects the next frame, or pending data at the end. Returns false if nothing is left.
fn advance<'a>(input: &'a Input, run: &mut Option<Run<'a>>, window: &mut Window<'_>) -> bool {
    if run.is_none() && !window.is_over {
        let progress = TotalProgress::new(String::new(), None).part(None);
        *run = Run::open(&input.source, &input.settings, window, progress).ok();
    }
    let Some(open) = run else { return false };
    if !open.step(window).unwrap_or_default() {
        window.is_over = true;
        // Problems of the input are reported by the list.
        let _ = run.take().map(|run| run.end(window));
    }
    true
}

/// Cache of records around the requested one.
struct Window<'a> {
    input: &'a Input,
    tally: Tally,
    /// The place of the next record.
    next: u64,
    target: u64,
    cache: Cache<Detail>,
    /// Whether the end is reached.
    is_over: bool,
}

impl<'a> Window<'a> {
    fn new(input: &'a Input, pass: &Pass) -> Window<'a> {
        let tally = Tally::new(pass.view);
        Window { input, tally, next: 0, target: 0, cache: Cache::default(), is_over: false }
    }
}

/// Records in order of their places, around the requested one.
struct Cache<T> {
    /// Place, record and size.
    kept: VecDeque<(u64, T, usize)>,
    size: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Cache<T> {
        Cache { kept: VecDeque::new(), size: 0 }
    }
}

impl<T> Cache<T> {
    fn get(&self, place: u64) -> Option<&T> {
        let at = self.kept.binary_search_by_key(&place, |(place, ..)| *place).ok()?;
        self.kept.get(at).map(|(_, record, _)| record)
    }

    /// Appends the record of a place. Beyond the maximum size, those before the target are dropped first, then those after it:
    /// they are read again on request.
    fn push(&mut self, place: u64, record: T, size: usize, target: u64) {
        self.size += size;
        self.kept.push_back((place, record, size));
        while let Some((place, _, size)) = self.kept.front() {
            if place.saturating_add(BEFORE) >= target && (self.size <= KEPT || *place >= target) {
                break;
            }
            self.size -= size;
            self.kept.pop_front();
        }
        while let Some((place, _, size)) = self.kept.back() {
            if self.size <= KEPT || *place <= target {
                break;
            }
            self.size -= size;
            self.kept.pop_back();
        }
    }
}

impl Audience for Window<'_> {
    fn demand(&self) -> Demand {
        Demand::EVERYTHING
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Window { tally, next, target, cache, .. } = self;
        tally
            .records(of, captured, |record| {
                let place = *next;
                *next += 1;
                if place.saturating_add(BEFORE) < *target {
                    return Ok(());
                }
                let detail = Detail::of(&record)?;
                let size = detail.size();
                cache.push(place, detail, size, *target);
                Ok::<(), fmt::Error>(())
            })
            .map_err(io::Error::other)
    }

    fn has_enough(&self) -> bool {
        self.input.stops()
    }

    fn print_error(&mut self, _: fmt::Arguments<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places kept of these records, each with its size.
    fn places(target: u64, records: impl IntoIterator<Item = (u64, usize)>) -> Vec<u64> {
        let mut cache = Cache::default();
        records.into_iter().for_each(|(place, size)| cache.push(place, place, size, target));
        assert!(cache.kept.iter().all(|(place, ..)| cache.get(*place) == Some(place)));
        assert_eq!(cache.size, cache.kept.iter().map(|(_, _, size)| size).sum::<usize>());
        cache.kept.iter().map(|(place, ..)| *place).collect()
    }

    #[test]
    fn records_around_the_requested_one_are_cached() {
        assert_eq!(places(600, (0..700).map(|place| (place, 1))), (600 - BEFORE..700).collect::<Vec<_>>());
        // The requested record stays, whatever its size.
        assert_eq!(places(2, [(0, 5), (1, 5), (2, KEPT + 1), (3, 5)]), [2]);
        assert_eq!(places(2, [(0, KEPT / 2), (1, KEPT / 2), (2, 1), (3, 1)]), [1, 2, 3]);
        assert_eq!(places(2, [(0, 1), (1, 1), (2, 1), (3, KEPT - 1), (4, 1)]), [2, 3]);
        assert_eq!(places(9, [(0, KEPT), (1, KEPT)]), [1]);
    }
}
