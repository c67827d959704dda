//! Behind lost bytes: how many opcodes were among them, and where the next packet begins.
//!
//! Each opcode takes a word of the cipher, so what is unknown is one small number, and how many bytes of a packet are left whose
//! beginning was lost. Every pair of the two is tried on what follows; most fail with the first opcode or the second. The search
//! ends with a pair that fits alone and that chance would hardly have brought about.

use super::clear::{End, framed, packet};
use super::half::{Half, Lost, Opcodes};
use super::tables::Table;
use crate::tree::Side;
use crate::wire::Extent;
use std::sync::Arc;

/// The most words that are passed over: a packet has a byte or more, a lost segment 1460 at most.
const MOST_WORDS: usize = 1460;

/// The longest rest of a packet whose beginning was lost.
const MOST_REST: usize = 512;

/// What chance may bring about of that which is believed: where a packet begins behind the lost bytes, and anywhere.
const BELIEVED_AT_ONCE: f64 = 0.1;
const BELIEVED_LATER: f64 = 0.01;

/// Bytes that are looked at: so many at first, then twice as many each time.
const FIRST_BYTES: usize = 16;
const MOST_BYTES: usize = 8 << 10;

/// Pairs that are tried for one direction of a connection: what a hostile stream can make the search cost is bounded.
const EFFORT: usize = 8 << 20;

/// What is known behind lost bytes.
#[derive(Default)]
pub struct Search {
    /// Bytes that are missing.
    missing: u64,
    /// The words of the cipher from here on.
    words: Option<Arc<[u8]>>,
    /// How often twice as many bytes were asked for.
    doublings: u32,
}

/// A place that fits: bytes in front of the next packet, words that are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    rest: usize,
    words: usize,
}

/// What became of trying.
#[derive(Debug, PartialEq, Eq)]
enum Tried {
    /// One place alone fits.
    Found(Place),
    /// Several do, or too little is there to tell.
    Open,
    /// Too much was tried.
    Nowhere,
}

impl Half {
    /// Bytes are missing, and with them the place in the cipher.
    pub fn lose(&mut self, bytes: u64) {
        let before = self.search.take().map_or(0, |search| search.missing);
        if matches!(self.opcodes, Opcodes::Under(_)) && self.lost.is_none_or(|lost| lost == Lost::Gap) && !self.is_told {
            self.search = Some(Search { missing: before.saturating_add(bytes), ..Search::default() });
        }
        self.head = None;
        self.lost.get_or_insert(Lost::Gap);
    }

    /// Find the place in the cipher again, if that is what is searched for. An extent if more bytes are needed, or if some lie in
    /// front of the next packet.
    pub fn resume(&mut self, table: &Table, from: Side, ahead: &[u8], more: bool) -> Option<Extent> {
        let mut search = self.search.take()?;
        let Opcodes::Under(isaac) = &mut self.opcodes else { return None };
        let most = usize::try_from(search.missing).unwrap_or(usize::MAX).min(MOST_WORDS);
        let words = search.words.take().unwrap_or_else(|| {
            let mut isaac = isaac.clone();
            (0..most + MOST_BYTES).map(|_| 0_u8.wrapping_sub(isaac.decipher(0))).collect()
        });
        // The bytes that are looked at do not depend on how they arrive.
        let wanted = loop {
            let wanted = FIRST_BYTES << search.doublings;
            if more && ahead.len() < wanted {
                break wanted;
            }
            let bytes = ahead.get(..wanted).unwrap_or(ahead);
            match try_places(table, from, &words, most, bytes, &mut self.effort) {
                Tried::Found(Place { rest, words }) => {
                    for _ in 0..words {
                        isaac.next_word();
                    }
                    (self.lost, self.is_told, self.high) = (None, false, None);
                    self.resumed = Some(words);
                    return (rest > 0).then_some(Extent::Unknown(rest));
                }
                Tried::Open if wanted < MOST_BYTES && ahead.len() >= wanted => search.doublings += 1,
                Tried::Open | Tried::Nowhere => return None,
            }
        };
        self.search = Some(Search { words: Some(words), ..search });
        Some(Extent::NeedMore(wanted))
    }
}

/// Try all places, in their order: most often a packet begins right behind the lost bytes.
fn try_places(table: &Table, from: Side, words: &Arc<[u8]>, most: usize, bytes: &[u8], effort: &mut usize) -> Tried {
    let chance = table.chance(from);
    let mut fitting = |rest: usize| {
        let mut found = Vec::new();
        for skipped in 0..=most {
            let mut half = Half::of(Opcodes::With(Arc::clone(words), skipped));
            let (packets, end) = framed(&mut half, table, from, bytes.get(rest..).unwrap_or_default());
            if end != End::Misfit {
                found.push((Place { rest, words: skipped }, chance.powi(i32::try_from(packets).unwrap_or(i32::MAX))));
            }
        }
        *effort += most + 1;
        if *effort > EFFORT { None } else { Some(found) }
    };
    let tries = (most + 1) as f64;
    for rest in 0..bytes.len().min(MOST_REST) {
        let Some(found) = fitting(rest) else { return Tried::Nowhere };
        let most_likely = if rest == 0 { BELIEVED_AT_ONCE } else { BELIEVED_LATER / MOST_REST as f64 };
        let mut believed = found.iter().filter(|(_, chance)| chance * tries <= most_likely).map(|(place, _)| *place);
        match (believed.next(), believed.next()) {
            (None, _) => {}
            (Some(place), None) if rest == 0 => return Tried::Found(place),
            (Some(place), None) => return behind_first(table, from, words, place, bytes).map_or(Tried::Open, Tried::Found),
            (Some(_), Some(_)) => return Tried::Open,
        }
    }
    Tried::Open
}

/// The place behind the packet at this one. Bytes in the middle of a packet may look like one that ends where the next begins: only
/// what is behind it is sure.
fn behind_first(table: &Table, from: Side, words: &Arc<[u8]>, place: Place, bytes: &[u8]) -> Option<Place> {
    let mut half = Half::of(Opcodes::With(Arc::clone(words), place.words));
    let length = packet(&mut half, table, from, bytes.get(place.rest..)?).ok()?;
    match half.opcodes {
        Opcodes::With(_, words) => Some(Place { rest: place.rest + length, words }),
        _ => None,
    }
}
