//! Resynchronization of the cipher after lost bytes.
//!
//! Each opcode takes one cipher word, so two numbers are unknown: the words to skip, and the remaining bytes of a packet whose
//! start was lost. Every pair is tried on the bytes that follow; most fail within two opcodes. The search ends with a unique pair
//! that chance is unlikely to produce.

use super::direction::{Direction, Lost, Opcodes};
use super::plain_opcodes::{End, framed, packet};
use super::tables::Table;
use crate::tree::Side;
use crate::wire::Extent;
use std::sync::Arc;

/// Maximum words to skip: a packet has at least one byte, a lost segment at most 1460.
const MOST_WORDS: usize = 1460;

/// Maximum remaining bytes of a packet whose start was lost.
const MOST_REST: usize = 512;

/// Maximum probability by chance: if a packet starts right after the lost bytes, and elsewhere.
const MAX_CHANCE_AT_ONCE: f64 = 0.1;
const MAX_CHANCE_LATER: f64 = 0.01;

/// Bytes examined first; doubled on each retry.
const FIRST_BYTES: usize = 16;
const MOST_BYTES: usize = 8 << 10;

/// Maximum pairs tried per direction, which bounds the cost of hostile streams.
const EFFORT: usize = 8 << 20;

/// Search state after lost bytes.
#[derive(Default)]
pub struct Search {
    /// Number of missing bytes.
    missing: u64,
    /// Cipher words from the last known position.
    words: Option<Arc<[u8]>>,
    /// Number of times the examined bytes were doubled.
    doublings: u32,
}

/// A candidate: bytes before the next packet, and words to skip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    rest: usize,
    words: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum SearchResult {
    /// Unique candidate.
    Found(Candidate),
    /// Several candidates, or too few bytes.
    Open,
    /// The work limit is reached.
    Nowhere,
}

impl Direction {
    /// Records lost bytes; the cipher position is unknown.
    pub fn lose(&mut self, bytes: u64) {
        let before = self.search.take().map_or(0, |search| search.missing);
        if matches!(self.opcodes, Opcodes::Under(_)) && self.lost.is_none_or(|lost| lost == Lost::Gap) && !self.is_noted {
            self.search = Some(Search { missing: before.saturating_add(bytes), ..Search::default() });
        }
        self.head = None;
        self.lost.get_or_insert(Lost::Gap);
    }

    /// Resynchronizes the cipher if needed. Returns an extent if more bytes are needed or precede the next packet.
    pub fn resume(&mut self, table: &Table, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        let mut search = self.search.take()?;
        let Opcodes::Under(isaac) = &mut self.opcodes else { return None };
        let most = usize::try_from(search.missing).unwrap_or(usize::MAX).min(MOST_WORDS);
        let words = search.words.take().unwrap_or_else(|| {
            let mut isaac = isaac.clone();
            (0..most + MOST_BYTES).map(|_| 0_u8.wrapping_sub(isaac.decipher(0))).collect()
        });
        // The examined bytes must not depend on how they arrive.
        let wanted = loop {
            let wanted = FIRST_BYTES << search.doublings;
            if more && ahead.len() < wanted {
                break wanted;
            }
            let bytes = ahead.get(..wanted).unwrap_or(ahead);
            match try_places(table, from, &words, most, bytes, &mut self.effort) {
                SearchResult::Found(Candidate { rest, words }) => {
                    for _ in 0..words {
                        isaac.next_word();
                    }
                    (self.lost, self.is_noted, self.high) = (None, false, None);
                    self.resumed = Some(words);
                    return (rest > 0).then_some(Extent::Unknown(rest));
                }
                SearchResult::Open if wanted < MOST_BYTES && ahead.len() >= wanted => search.doublings += 1,
                SearchResult::Open | SearchResult::Nowhere => return None,
            }
        };
        self.search = Some(Search { words: Some(words), ..search });
        Some(Extent::NeedMore(wanted))
    }
}

/// Tries all candidates in order: usually a packet starts right after the lost bytes.
fn try_places(table: &Table, from: Side, words: &Arc<[u8]>, most: usize, bytes: &[u8], effort: &mut usize) -> SearchResult {
    let chance = table.chance(from);
    let mut fitting = |rest: usize| {
        let mut found = Vec::new();
        for skipped in 0..=most {
            let mut direction = Direction::of(Opcodes::With(Arc::clone(words), skipped));
            let (packets, end) = framed(&mut direction, table, from, bytes.get(rest..).unwrap_or_default());
            if end != End::Misfit {
                found.push((Candidate { rest, words: skipped }, chance.powi(i32::try_from(packets).unwrap_or(i32::MAX))));
            }
        }
        *effort += most + 1;
        if *effort > EFFORT { None } else { Some(found) }
    };
    let tries = (most + 1) as f64;
    for rest in 0..bytes.len().min(MOST_REST) {
        let Some(found) = fitting(rest) else { return SearchResult::Nowhere };
        let most_likely = if rest == 0 { MAX_CHANCE_AT_ONCE } else { MAX_CHANCE_LATER / MOST_REST as f64 };
        let mut likely = found.iter().filter(|(_, chance)| chance * tries <= most_likely).map(|(place, _)| *place);
        match (likely.next(), likely.next()) {
            (None, _) => {}
            (Some(place), None) if rest == 0 => return SearchResult::Found(place),
            (Some(place), None) => {
                return after_first(table, from, words, place, bytes).map_or(SearchResult::Open, SearchResult::Found);
            }
            (Some(_), Some(_)) => return SearchResult::Open,
        }
    }
    SearchResult::Open
}

/// Advances past the first matched packet. Bytes inside a packet may look like one that ends at the next; only what follows is
/// certain.
fn after_first(table: &Table, from: Side, words: &Arc<[u8]>, place: Candidate, bytes: &[u8]) -> Option<Candidate> {
    let mut direction = Direction::of(Opcodes::With(Arc::clone(words), place.words));
    let length = packet(&mut direction, table, from, bytes.get(place.rest..)?).ok()?;
    match direction.opcodes {
        Opcodes::With(_, words) => Some(Candidate { rest: place.rest + length, words }),
        _ => None,
    }
}
