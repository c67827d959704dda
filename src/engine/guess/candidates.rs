//! Protocols that would fit, but need a port or the user's choice to be sure; and the explanation of `--explain-input`.

use super::{Guess, Rated, Verdict, best, chosen, readings, sender, trial};
use crate::registry::Registry;
use crate::tree::{Side, clean};
use crate::wire::{Opening, Verdict as Heuristic};

/// Names of the protocols that fit bytes which are read as data: found by port alone, or recognized but incomplete. Only the
/// best are named. `None` if the bytes are not data.
pub(in super::super) fn names(registry: Registry, bytes: &[u8]) -> Option<Vec<&'static str>> {
    let readings = readings(registry, bytes);
    if chosen(registry, bytes).is_some() || best(&readings).is_some() {
        return None;
    }
    let placed = placed(registry, bytes);
    let begun = begun(registry, bytes);
    let is_protocol = |rated: &&Rated| matches!(rated.guess, Guess::Datagram(..) | Guess::Stream(..));
    let all = || readings.iter().filter(is_protocol).chain(&placed).chain(&begun);
    let best = all().map(|rated| rated.verdict).min().filter(|verdict| *verdict < Verdict::Broken);
    let mut names: Vec<&str> = Vec::new();
    for rated in all().filter(|rated| Some(rated.verdict) == best) {
        if !names.contains(&rated.name) {
            names.push(rated.name);
        }
    }
    Some(names)
}

/// Protocols registered on a port whose heuristic accepts the bytes.
fn placed(registry: Registry, bytes: &[u8]) -> Vec<Rated> {
    let datagrams = registry.placed_datagrams(bytes).map(|candidate| {
        let (verdict, why) = trial::datagram(registry, candidate, bytes);
        Rated { name: candidate.protocol.this.abbrev, guess: Guess::Datagram(candidate, None), verdict, why }
    });
    let streams = registry.placed_streams().filter_map(|candidate| {
        let side = sender(candidate, bytes)?;
        let (verdict, why) = trial::stream(registry, candidate, side, bytes);
        Some(Rated { name: candidate.protocol.this.abbrev, guess: Guess::Stream(Some(candidate), side), verdict, why })
    });
    let mut all: Vec<Rated> = datagrams.chain(streams).collect();
    all.sort_by_key(|rated| rated.verdict);
    all.dedup_by(|second, first| second.name == first.name);
    all
}

/// Stream protocols whose heuristic needs more bytes to be sure.
fn begun(registry: Registry, bytes: &[u8]) -> Vec<Rated> {
    /// Fewer bytes may begin too many protocols.
    const FEWEST: usize = 5;
    let streams = registry.streams_anywhere().filter(|_| bytes.len() >= FEWEST);
    let rated = streams.filter_map(|candidate| {
        let side = Side::BOTH.into_iter().find(|side| {
            let opening = Opening { sent: super::sent(*side, bytes), from_start: [true; 2], complete: false };
            candidate.recognize(&opening) == Heuristic::Unsure
        })?;
        let why = "the bytes may be the beginning of a stream".to_owned();
        let guess = Guess::Stream(Some(candidate), side);
        Some(Rated { name: candidate.protocol.this.abbrev, guess, verdict: Verdict::Incomplete, why })
    });
    rated.collect()
}

/// Explains the format detected for bytes without a link type: the choice, then every other reading, then the candidates.
pub(in super::super) fn explain(registry: Registry, bytes: &[u8]) -> Vec<String> {
    if let Some(known) = chosen(registry, bytes) {
        let what = match known {
            Guess::Layers(_) => "frames",
            Guess::Stream(..) | Guess::Bound(..) => "a stream",
            Guess::Datagram(..) => "a datagram",
            Guess::Nothing => "data, because no protocol uses that port",
        };
        return vec![format!("read as {what}, as requested")];
    }
    let all = readings(registry, bytes);
    let best = best(&all);
    let choice = match best.and_then(|best| all.get(best)) {
        Some(rated) => format!("read as {}: {}", rated.name, rated.why),
        None => "read as data: no protocol is certain; select one with --as PROTO".to_owned(),
    };
    let others = all.iter().enumerate().filter(|(at, _)| Some(*at) != best).map(|(_, rated)| match rated.verdict {
        Verdict::No => format!("not {}: {}", rated.name, rated.why),
        _ => format!("or {}: {}; --as {0}", rated.name, rated.why),
    });
    let is_data = best.is_none();
    let begun = if is_data { begun(registry, bytes) } else { Vec::new() };
    let begun = begun.iter().map(|rated| format!("or {}: {}; --as {0}", rated.name, rated.why));
    let placed = if is_data { placed(registry, bytes) } else { Vec::new() };
    let placed = placed.iter().map(|rated| {
        let word = if rated.verdict == Verdict::Broken { "or" } else { "fits" };
        format!("{word} {}, which is found by port: {}; --as {0}", rated.name, rated.why)
    });
    let cleaned = |line: String| {
        let mut out = String::with_capacity(line.len());
        // Writing to a string cannot fail.
        let _ = clean(&line, &mut out);
        out
    };
    std::iter::once(choice).chain(others).chain(begun).chain(placed).map(cleaned).collect()
}
