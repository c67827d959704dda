//! Message starts that rules lead to.

use super::Framed;
use crate::explore::chain::{Effort, Gains, Track};
use crate::explore::preamble::Begin;
use crate::explore::rule::Rule;
use crate::explore::side::Side;
use crate::tree;
use foldhash::quality::FixedState;
use std::hash::BuildHasher;

/// All sides, each preprocessed once.
pub(super) struct Wholes<'s> {
    pub(super) sides: &'s [Side],
    tracks: Vec<Track<'s>>,
}

impl<'s> Wholes<'s> {
    pub(super) fn new(sides: &'s [Side]) -> Wholes<'s> {
        Wholes { sides, tracks: sides.iter().map(|side| Track::new(side, usize::MAX)).collect() }
    }

    /// The sides of one direction.
    pub(super) fn of(&self, dir: tree::Side) -> Vec<&Track<'s>> {
        self.both().filter(|(side, _)| side.dir == dir).map(|(_, track)| track).collect()
    }

    fn both(&self) -> impl Iterator<Item = (&'s Side, &Track<'s>)> {
        self.sides.iter().zip(&self.tracks)
    }

    /// Values of the sides of both directions, in the order of the sides.
    pub(super) fn joined(&self, of: [&[usize]; 2]) -> Vec<usize> {
        let mut of = of.map(|values| values.iter().copied());
        let next = |side: &Side| of.get_mut(side.dir.index()).and_then(Iterator::next);
        self.sides.iter().filter_map(next).collect()
    }
}

/// Message starts of all sides.
pub(super) struct Starts {
    pub(super) starts: Vec<Vec<usize>>,
    pub(super) begins: Vec<usize>,
    pub(super) ends: Vec<usize>,
    pub(super) behind_gaps: Vec<Vec<usize>>,
}

/// Message starts of each side, with start and end of its messages.
pub(super) fn starts_of(wholes: &Wholes<'_>, dirs: &[Option<Framed>; 2], gains: &Gains) -> Starts {
    let mut all = Starts { starts: Vec::new(), begins: Vec::new(), ends: Vec::new(), behind_gaps: Vec::new() };
    for (side, track) in wholes.both() {
        let framed = dirs.get(side.dir.index()).and_then(Option::as_ref);
        let OfSide { starts, begin, end, behind_gaps } = of_side(side, track, framed, gains);
        all.behind_gaps.push(behind_gaps);
        all.starts.push(starts);
        all.begins.push(begin);
        all.ends.push(end);
    }
    all
}

/// Message starts of a side.
struct OfSide {
    starts: Vec<usize>,
    begin: usize,
    end: usize,
    behind_gaps: Vec<usize>,
}

fn of_side(side: &Side, track: &Track<'_>, framed: Option<&Framed>, gains: &Gains) -> OfSide {
    let (mut starts, begin, end) = match framed {
        Some(framed) => {
            let begin = framed.begin.offset(track).unwrap_or(0);
            let mut starts = if begin > 0 { vec![0] } else { Vec::new() };
            let found = track.walk(&framed.rule, begin, gains, &Effort::WHOLE, |at| starts.push(at));
            let end = found.end;
            if end < side.bytes.len() && end > starts.last().copied().unwrap_or(0) || starts.is_empty() {
                starts.push(end);
            }
            // Bytes without a rule are split at turns.
            starts.extend(track.first_turns().filter(|at| *at < begin || *at > end && *at < side.bytes.len()));
            starts.sort_unstable();
            starts.dedup();
            (starts, begin, end)
        }
        None => (vec![0], 0, side.bytes.len()),
    };
    let behind_gaps = split_at_gaps(side, &mut starts);
    OfSide { starts, begin, end, behind_gaps }
}

/// What a rule leads to in the sides of one direction.
#[derive(Clone)]
pub(super) struct Led {
    /// A hash of all message starts.
    pub(super) starts: u128,
    pub(super) begins: Vec<usize>,
    pub(super) ends: Vec<usize>,
}

/// What rules lead to in the sides of one direction, each found once.
pub(super) struct OfDirection<'w, 's> {
    wholes: &'w Wholes<'s>,
    dir: tree::Side,
    known: Vec<(Option<(Rule, Begin)>, Led)>,
}

impl<'w, 's> OfDirection<'w, 's> {
    pub(super) fn new(wholes: &'w Wholes<'s>, dir: tree::Side) -> OfDirection<'w, 's> {
        OfDirection { wholes, dir, known: Vec::new() }
    }

    pub(super) fn of(&mut self, framed: Option<&Framed>, gains: &Gains) -> Led {
        let is_known = |known: &&(Option<(Rule, Begin)>, Led)| match (&known.0, framed) {
            (Some((rule, begin)), Some(framed)) => *rule == framed.rule && *begin == framed.begin,
            (None, None) => true,
            _ => false,
        };
        if let Some((_, led)) = self.known.iter().find(is_known) {
            return led.clone();
        }
        let led = self.led(framed, gains);
        self.known.push((framed.map(|framed| (framed.rule.clone(), framed.begin)), led.clone()));
        led
    }

    fn led(&self, framed: Option<&Framed>, gains: &Gains) -> Led {
        let mut led = Led { starts: 0, begins: Vec::new(), ends: Vec::new() };
        for (side, track) in self.wholes.both().filter(|(side, _)| side.dir == self.dir) {
            let OfSide { starts, begin, end, .. } = of_side(side, track, framed, gains);
            let hash = |seed: u64| u128::from(FixedState::with_seed(seed).hash_one((&starts, led.starts)));
            led.starts = hash(1) << 64 | hash(2);
            led.begins.push(begin);
            led.ends.push(end);
        }
        led
    }
}

/// Adds the ends of gaps to the message starts, and returns those that were none.
pub(super) fn split_at_gaps(side: &Side, starts: &mut Vec<usize>) -> Vec<usize> {
    let inside = side.holes.iter().map(|(at, _)| *at).filter(|at| *at > 0 && *at < side.bytes.len());
    let behind: Vec<usize> = inside.filter(|at| starts.binary_search(at).is_err()).collect();
    starts.extend(&behind);
    starts.sort_unstable();
    behind
}
