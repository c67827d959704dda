//! One pass over an input, and the results of scripts that later passes show again: no script runs twice on the same bytes.
//!
//! A pass runs on one thread. It asks the same questions in the same order as any other pass over the same input, so the number of
//! a call finds its result. The pass that comes first to a call runs the script.

use super::call::Item;
use super::run::{Dissected, Verdict};
use crate::tree::StreamId;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of bound conversations. At the limit, all are forgotten.
const BOUND: usize = 65_536;
/// Bytes of results that are kept for later passes.
const KEPT: usize = 512 << 20;

/// The state of a pass.
#[derive(Default)]
pub(super) struct Pass {
    /// Heuristics of each list in the order in which they are asked, as indexes into those of all lists.
    pub(super) heuristics: BTreeMap<&'static str, Vec<usize>>,
    /// The protocols to which scripts bound conversations.
    bound: HashMap<StreamId, usize>,
    /// Results for bytes that their protocols read next, with the number of the frame.
    pub(super) answers: VecDeque<(usize, Arc<Dissected>)>,
    pub(super) answered: u64,
    /// What dissectors added in this frame although they need the bytes again.
    pub(super) partial: Vec<Partial>,
    /// Results of this input, and the number of the next one.
    tape: Option<Arc<Tape>>,
    next: usize,
}

/// Items of bytes that are needed again.
pub(super) struct Partial {
    pub(super) protocol: usize,
    pub(super) dissected: Arc<Dissected>,
    pub(super) bytes: Vec<u8>,
}

thread_local! {
    static PASS: RefCell<Pass> = RefCell::default();
}

/// Uses the pass of this thread. It must not run a script.
pub(super) fn with<T>(work: impl FnOnce(&mut Pass) -> T) -> T {
    PASS.with_borrow_mut(work)
}

impl Pass {
    /// The protocol to which a conversation is bound.
    pub(super) fn bound(&self, stream: StreamId) -> Option<usize> {
        self.bound.get(&stream).copied()
    }

    /// Whether any conversation is bound.
    pub(super) fn has_bound(&self) -> bool {
        !self.bound.is_empty()
    }

    /// Binds a conversation to a protocol.
    pub(super) fn bind(&mut self, stream: StreamId, protocol: usize) {
        if self.bound.len() >= BOUND {
            self.bound.clear();
        }
        self.bound.insert(stream, protocol);
    }
}

/// The results of an input.
#[derive(Default)]
struct Tape {
    name: String,
    kept: Mutex<Kept>,
    is_ended: AtomicBool,
}

#[derive(Default)]
struct Kept {
    results: Vec<Arc<Dissected>>,
    bytes: usize,
}

/// The results of all inputs, if they are kept.
#[derive(Default)]
pub(super) struct Tapes {
    is_used: AtomicBool,
    all: Mutex<Vec<Arc<Tape>>>,
}

impl Tapes {
    /// Keeps results from now on.
    pub(super) fn keep(&self) {
        self.is_used.store(true, Ordering::Relaxed);
    }

    /// Begins a pass over an input on this thread. Returns whether scripts have not seen the input before.
    pub(super) fn begin(&self, name: &str) -> bool {
        let mut pass = Pass::default();
        let mut is_new = true;
        if self.is_used.load(Ordering::Relaxed) {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            let known = all.iter().find(|tape| tape.name == name).cloned();
            is_new = known.is_none();
            let tape = known.unwrap_or_else(|| {
                let tape = Arc::new(Tape { name: name.to_owned(), ..Tape::default() });
                all.push(Arc::clone(&tape));
                tape
            });
            pass.tape = Some(tape);
        }
        with(|own| *own = pass);
        is_new
    }
}

/// Ends the pass of this thread. Returns whether it is the first one to end.
pub(super) fn end() -> bool {
    with(|pass| pass.tape.as_ref().is_none_or(|tape| !tape.is_ended.swap(true, Ordering::Relaxed)))
}

/// The result of the next call: the kept one, or that of the script.
pub(super) fn next(run: impl FnOnce() -> Dissected) -> Arc<Dissected> {
    let tape = with(|pass| {
        pass.next += 1;
        pass.tape.clone().map(|tape| (tape, pass.next - 1))
    });
    let Some((tape, number)) = tape else { return Arc::new(run()) };
    // Locked while the script runs: calls are made in order, whichever pass makes them.
    let mut kept = tape.kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.results.get(number) {
        return Arc::clone(known);
    }
    let result = Arc::new(run());
    kept.bytes += size(&result);
    let stored = if kept.bytes > KEPT { Arc::new(without_fields(&result)) } else { Arc::clone(&result) };
    kept.results.push(stored);
    result
}

/// Bytes that a result takes.
fn size(result: &Dissected) -> usize {
    let derived: usize = result.derived.iter().map(|buffer| buffer.bytes.len()).sum();
    size_of::<Dissected>() + result.items.len() * size_of::<Item>() + derived
}

/// What later passes need of a result to ask the same questions.
fn without_fields(result: &Dissected) -> Dissected {
    let text = format!("the fields are not kept: those of earlier messages take {} MiB", KEPT >> 20);
    Dissected {
        verdict: result.verdict,
        items: result.items.first().map(|root| Item { first: super::call::NONE, ..root.clone() }).into_iter().collect(),
        derived: Vec::new(),
        remarks: Vec::new(),
        errors: if matches!(result.verdict, Verdict::Accepted) { vec![text] } else { Vec::new() },
        info: None,
        protocol: None,
        bound: result.bound,
    }
}
