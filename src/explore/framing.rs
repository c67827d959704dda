//! Message framing: rates rules over all sides and selects among them.

mod starts;

use super::candidates::{self, Candidate};
use super::chain::{Effort, Evidence, Gains, Track};
use super::datagram_length;
use super::preamble::{self, Begin};
use super::rule::{Rule, Step};
use super::side::Side;
use crate::tree;
use crate::tree::steps::step;
use starts::{OfDirection, Starts, Wholes, split_at_gaps, starts_of};
use std::collections::HashMap;

/// Bytes per side on which all candidates are rated.
const SAMPLE: usize = 24 << 10;

/// Sides per direction on which all candidates are rated.
const SIDES: usize = 16;

/// Number of candidates per direction that are rated on all bytes.
const KEPT: usize = 48;

/// Cost of a second rule for the other side, in bits.
const OTHER_RULE: f64 = 8.0;

/// Confidence below which a rule is not reported.
const NOTHING: f64 = 0.25;

/// A rule for one direction.
#[derive(Debug, Clone)]
pub struct Framed {
    /// The rule.
    pub rule: Rule,
    /// The start of the first message.
    pub begin: Begin,
    /// Bits explained, without costs.
    pub bits: f64,
    /// Cost in bits.
    pub cost: f64,
    /// Statistics.
    pub found: Evidence,
    /// Bytes before the first message of the first side.
    pub skip: usize,
}

/// Rules for both directions.
#[derive(Debug, Clone)]
pub struct Hypothesis {
    /// For the client's and the server's bytes.
    pub dirs: [Option<Framed>; 2],
    /// Bits explained minus costs.
    pub score: f64,
    /// From 0 to 1.
    pub confidence: f64,
    /// Message starts of each side, as offsets in its bytes.
    pub starts: Vec<Vec<usize>>,
    /// Start of the first message of each side, after a preamble.
    pub begins: Vec<usize>,
    /// End of the last message of each side.
    pub ends: Vec<usize>,
    /// Those starts of each side that are only the end of a gap.
    pub behind_gaps: Vec<Vec<usize>>,
}

/// Rules given by the user.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// For each direction.
    pub dirs: [Option<(Rule, usize)>; 2],
}

/// The hypotheses, best first. Different hypotheses have different message starts.
#[must_use]
pub fn hypotheses(sides: &[Side], given: &Given, most: usize) -> Vec<Hypothesis> {
    if sides.iter().all(|side| side.is_datagrams) && given.dirs.iter().all(Option::is_none) {
        return vec![datagrams(sides)];
    }
    if given.dirs.iter().flatten().any(|(rule, _)| *rule == Rule::None) {
        return vec![nothing(sides, 0.0)];
    }
    if sides.iter().all(|side| side.is_datagrams) {
        return vec![divided(sides, given)];
    }
    let gains = Gains::default();
    let wholes = Wholes::new(sides);
    let found = rules(&wholes, given, &gains);
    let mut chosen = distinct(&wholes, &found, most, &gains);
    chosen.iter_mut().for_each(|hypothesis| align(hypothesis, &wholes, &gains));
    weigh(&mut chosen);
    let is_given = given.dirs.iter().any(Option::is_some);
    if !is_given && chosen.first().is_none_or(|best| best.confidence < NOTHING) {
        return vec![nothing(sides, chosen.first().map_or(0.0, |best| best.confidence))];
    }
    chosen
}

/// Rules for each direction: the given ones, or the best ones.
fn rules(wholes: &Wholes<'_>, given: &Given, gains: &Gains) -> [Vec<Framed>; 2] {
    let sides = wholes.sides;
    let mut found = [Vec::new(), Vec::new()];
    let is_given = given.dirs.iter().any(Option::is_some);
    let shared = if is_given { Vec::new() } else { learned(sides) };
    for dir in tree::Side::BOTH {
        let own: Vec<&Side> = sides.iter().filter(|side| side.dir == dir).collect();
        if own.is_empty() {
            continue;
        }
        let list = match given.dirs.get(dir.index()).and_then(Option::as_ref) {
            Some((rule, skip)) => {
                vec![rate(&wholes.of(dir), &Candidate { rule: rule.clone(), cost: 0.0 }, Begin::At(*skip), gains)]
            }
            None => direction(&own, &wholes.of(dir), &shared, gains),
        };
        if let Some(place) = found.get_mut(dir.index()) {
            *place = list;
        }
    }
    complete(&mut found, wholes, gains);
    found
}

/// Rules learned from both directions together, which are alike in most protocols.
fn learned(sides: &[Side]) -> Vec<Candidate> {
    let of = |dir: tree::Side| sides.iter().filter(move |side| side.dir == dir).take(SIDES);
    let tracks: Vec<Track<'_>> = tree::Side::BOTH.into_iter().flat_map(of).map(|side| Track::new(side, SAMPLE)).collect();
    let is_both = tree::Side::BOTH.into_iter().all(|dir| of(dir).next().is_some());
    if is_both { candidates::learned(&tracks, false) } else { Vec::new() }
}

/// The best pairs of rules, without pairs that give equal message starts.
fn distinct(wholes: &Wholes<'_>, found: &[Vec<Framed>; 2], most: usize, gains: &Gains) -> Vec<Hypothesis> {
    let mut all = pairs(found);
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(64);
    // The same rule of one direction is in many pairs.
    let mut known = tree::Side::BOTH.map(|dir| OfDirection::new(wholes, dir));
    let mut seen: HashMap<[u128; 2], usize, foldhash::fast::RandomState> = HashMap::default();
    let mut chosen: Vec<Hypothesis> = Vec::new();
    for (dirs, score) in all {
        let [client, server] = &mut known;
        let [of_client, of_server] = &dirs;
        let (client, server) = (client.of(of_client.as_ref(), gains), server.of(of_server.as_ref(), gains));
        let Some(place) = seen.get(&[client.starts, server.starts]) else {
            if chosen.len() < most.max(2) {
                seen.insert([client.starts, server.starts], chosen.len());
                let Starts { starts, begins, ends, behind_gaps } = starts_of(wholes, &dirs, gains);
                chosen.push(Hypothesis { dirs, score, confidence: 0.0, starts, begins, ends, behind_gaps });
            }
            continue;
        };
        let (begins, ends) = (wholes.joined([&client.begins, &server.begins]), wholes.joined([&client.ends, &server.ends]));
        // Equal message starts are one hypothesis, represented by the simplest rule. A first message may be taken for a preamble
        // at the same cost, so that the better score decides.
        let is_simpler = |same: &&mut Hypothesis| same.begins == begins && cost_of_all(&dirs) < cost_of_all(&same.dirs);
        if let Some(same) = chosen.get_mut(*place).filter(is_simpler) {
            *same = Hypothesis { dirs, begins, ends, ..same.clone() };
        }
    }
    chosen
}

/// Uses the size of a preamble that all conversations share, if messages lead from there to the starts that were found.
fn align(hypothesis: &mut Hypothesis, wholes: &Wholes<'_>, gains: &Gains) {
    let sides = wholes.sides;
    let mut is_changed = false;
    for dir in tree::Side::BOTH {
        let Some(Some(framed)) = hypothesis.dirs.get_mut(dir.index()) else { continue };
        let own: Vec<&Side> = sides.iter().filter(|side| side.dir == dir).collect();
        let begins = sides.iter().zip(&hypothesis.begins).filter(|(side, _)| side.dir == dir).map(|(_, begin)| *begin);
        let Some(size) = preamble::shared(&own, &framed.rule, &begins.collect::<Vec<_>>()) else { continue };
        let candidate = Candidate { rule: framed.rule.clone(), cost: framed.cost - framed.begin.cost() };
        *framed = rate(&wholes.of(dir), &candidate, Begin::At(size), gains);
        is_changed = true;
    }
    if is_changed {
        let Starts { starts, begins, ends, behind_gaps } = starts_of(wholes, &hypothesis.dirs, gains);
        *hypothesis = Hypothesis { starts, begins, ends, behind_gaps, ..hypothesis.clone() };
    }
}

/// Without a rule, the bytes between turns are messages.
fn nothing(sides: &[Side], confidence: f64) -> Hypothesis {
    let mut starts = Vec::new();
    let mut behind_gaps = Vec::new();
    for side in sides {
        let mut own: Vec<usize> = [0].into_iter().chain(side.turns()).collect();
        behind_gaps.push(split_at_gaps(side, &mut own));
        starts.push(own);
    }
    let framed = |dir: tree::Side| {
        let mut found = Evidence::default();
        for side in sides.iter().filter(|side| side.dir == dir) {
            found.messages += 1 + side.turns().count();
            found.bytes += side.bytes.len();
        }
        (found.bytes > 0).then_some(Framed { rule: Rule::None, begin: Begin::At(0), bits: 0.0, cost: 0.0, found, skip: 0 })
    };
    let ends = sides.iter().map(|side| side.bytes.len()).collect();
    let begins = vec![0; sides.len()];
    Hypothesis { dirs: tree::Side::BOTH.map(framed), score: 0.0, confidence, starts, begins, ends, behind_gaps }
}

/// The best rules of one direction; `shared` are rules learned from both. Bytes that are all equal contain no message start.
fn direction(own: &[&Side], wholes: &[&Track<'_>], shared: &[Candidate], gains: &Gains) -> Vec<Framed> {
    let mut bytes = own.iter().flat_map(|side| &side.bytes);
    let first = bytes.next();
    if bytes.all(|byte| Some(byte) == first) {
        return Vec::new();
    }
    let tracks: Vec<Track<'_>> = own.iter().take(SIDES).map(|side| Track::new(side, SAMPLE)).collect();
    let mut screened: Vec<(f64, Candidate, Begin)> = Vec::new();
    let begins = beginnings(&tracks);
    let learned = candidates::learned(&tracks, true);
    for candidate in candidates::all(&tracks).into_iter().chain(learned).chain(shared.iter().cloned()) {
        if let Some((bits, begin)) = best_begin(&tracks, &begins, &candidate.rule, gains) {
            screened.push((bits - candidate.cost, candidate, begin));
        }
    }
    screened.sort_by(|a, b| b.0.total_cmp(&a.0));
    screened.truncate(KEPT);
    screened.iter().map(|(_, candidate, begin)| rate(wholes, candidate, *begin, gains)).collect()
}

/// A start with its offset in each side.
struct Beginning {
    at: Begin,
    places: Vec<usize>,
}

/// Starts that exist in all sides.
fn beginnings(tracks: &[Track<'_>]) -> Vec<Beginning> {
    let of = |at: Begin| {
        let places: Option<Vec<usize>> = tracks.iter().map(|track| at.offset(track)).collect();
        Some(Beginning { at, places: places? })
    };
    Begin::candidates().into_iter().filter_map(of).collect()
}

/// The start at which a rule explains most, and its bits. Later starts are skipped if messages from the first byte on lead to
/// them, because the bytes before are messages, too.
fn best_begin(tracks: &[Track<'_>], begins: &[Beginning], rule: &Rule, gains: &Gains) -> Option<(f64, Begin)> {
    let (first, later) = begins.split_first()?;
    let mut met = vec![0; later.len()];
    let whole = screen(tracks, rule, (first, f64::MIN), gains, |side, at| {
        for (begin, met) in later.iter().zip(&mut met) {
            *met += usize::from(begin.places.get(side) == Some(&at));
        }
    });
    let mut best = whole.as_ref().map(|found| (found.bits, first.at));
    if whole.as_ref().is_some_and(|found| found.is_constant) {
        return best;
    }
    for (begin, met) in later.iter().zip(met) {
        if whole.is_some() && met == tracks.len() {
            continue;
        }
        let (cost, most) = (begin.at.cost(), best.map_or(f64::MIN, |(most, _)| most));
        if let Some(found) = screen(tracks, rule, (begin, most + cost), gains, |_, _| ()) {
            best = Some((found.bits - cost, begin.at));
        }
    }
    best
}

/// The rating of a rule on samples.
struct Screened {
    bits: f64,
    /// Whether each sample begins with many messages of one length.
    is_constant: bool,
}

/// Rates a rule on samples, and reports each message with its side; `None` if it explains no more than `least` bits.
fn screen(
    tracks: &[Track<'_>],
    rule: &Rule,
    (begin, least): (&Beginning, f64),
    gains: &Gains,
    mut message: impl FnMut(usize, usize),
) -> Option<Screened> {
    let mut found = Evidence::default();
    let mut is_constant = true;
    for (side, (track, start)) in tracks.iter().zip(&begin.places).enumerate() {
        let own = track.walk(rule, *start, gains, &Effort::SCREEN, |at| message(side, at));
        if own.messages == 0 && track.bytes.len() > 64 {
            return None;
        }
        is_constant &= Effort::SCREEN.is_constant(rule, &own);
        found.add(&own);
    }
    if found.broken * 4 > found.bytes * 3 || found.messages == 0 {
        return None;
    }
    let bits = bits(&tracks.iter().collect::<Vec<_>>(), rule, &found, least);
    (bits > least).then_some(Screened { bits, is_constant })
}

/// Bits of the statistics of a rule, or fewer if they are certainly no more than `least`.
fn bits(tracks: &[&Track<'_>], rule: &Rule, found: &Evidence, least: f64) -> f64 {
    let share = |part: usize| part as f64 / found.bytes.max(1) as f64;
    let rest = found.left_over - found.broken;
    let mut bits = found.anchor_bits() - (1.0 + found.skipped as f64 / tracks.len().max(1) as f64).log2();
    if found.left_over > 0 {
        bits -= 2.0 + 2.0 * found.stopped as f64 + 30.0 * share(found.broken) + 16.0 * share(rest);
    }
    if found.cipher > 0 {
        bits -= 8.0;
    }
    if found.messages >= 3 && bits + most_survival(found) > least {
        bits += survival(tracks, rule, found);
    }
    bits
}

/// Offsets at which a rule is tried.
const PROBES: usize = 96;

/// The weight of the chance of a length: distinct lengths, and a little for repeated ones.
fn surprises(found: &Evidence) -> f64 {
    let repeated = found.messages.saturating_sub(found.lengths + found.resumed) as f64;
    found.lengths as f64 - 1.0 + 0.05 * repeated.min(100.0)
}

/// The result of [`survival`] if no probe hits.
fn most_survival(found: &Evidence) -> f64 {
    ((2 * PROBES) as f64).log2() * surprises(found).max(0.0)
}

/// Bits for an unbroken chain: how seldom the rule would yield such lengths at random offsets.
fn survival(tracks: &[&Track<'_>], rule: &Rule, found: &Evidence) -> f64 {
    if !matches!(rule, Rule::Length { .. } | Rule::Varint { .. } | Rule::Hex4 | Rule::Blocks { .. } | Rule::Table(_)) {
        return 0.0;
    }
    let mut hits = 0;
    let mut probes = 0;
    for track in tracks.iter().take(4) {
        let stride = (track.bytes.len() / (PROBES / tracks.len().min(4))).max(1) | 1;
        let mut at = stride / 2;
        while let Some(rest) = track.bytes.get(at..).filter(|rest| rest.len() >= 16) {
            probes += 1;
            hits += usize::from(matches!(rule.step(rest), Step::Message(length) if length <= found.longest));
            at += stride;
        }
    }
    let chance = (hits as f64 + 1.0) / (probes as f64 + 2.0);
    (-chance.log2() * surprises(found)).clamp(0.0, 60.0)
}

/// Rates a rule on all bytes.
fn rate(tracks: &[&Track<'_>], candidate: &Candidate, begin: Begin, gains: &Gains) -> Framed {
    let mut found = Evidence::default();
    for track in tracks {
        let start = begin.offset(track).unwrap_or(0);
        found.add(&track.walk(&candidate.rule, start, gains, &Effort::WHOLE, |_| ()));
    }
    let bits = bits(tracks, &candidate.rule, &found, f64::MIN);
    let skip = tracks.first().and_then(|track| begin.offset(track)).unwrap_or(0);
    Framed { rule: candidate.rule.clone(), begin, bits, cost: candidate.cost + begin.cost(), found, skip }
}

/// Rates rules of one direction on the other one as well.
fn complete(found: &mut [Vec<Framed>; 2], wholes: &Wholes<'_>, gains: &Gains) {
    for dir in tree::Side::BOTH {
        let own = wholes.of(dir);
        if own.is_empty() {
            continue;
        }
        let [mine, theirs] = match dir {
            tree::Side::Client => found.each_ref(),
            tree::Side::Server => {
                let [client, server] = found.each_ref();
                [server, client]
            }
        };
        let missing: Vec<Framed> = theirs
            .iter()
            .filter(|other| !mine.iter().any(|known| known.rule == other.rule))
            .map(|other| {
                let candidate = Candidate { rule: other.rule.clone(), cost: other.cost - other.begin.cost() };
                rate(&own, &candidate, Begin::At(0), gains)
            })
            .collect();
        if let Some(mine) = found.get_mut(dir.index()) {
            mine.extend(missing);
        }
    }
}

/// Pairs of rules for both directions, with their scores.
fn pairs(found: &[Vec<Framed>; 2]) -> Vec<([Option<Framed>; 2], f64)> {
    let [client, server] = found;
    let mut all = Vec::new();
    match (client.is_empty(), server.is_empty()) {
        (false, false) => {
            for one in client {
                for other in server {
                    let cost = if one.rule == other.rule {
                        one.cost.max(other.cost) + one.begin.cost().min(other.begin.cost())
                    } else {
                        one.cost + other.cost + OTHER_RULE
                    };
                    all.push(([Some(one), Some(other)], one.bits + other.bits - cost));
                }
            }
        }
        (false, true) => all.extend(client.iter().map(|one| ([Some(one), None], one.bits - one.cost))),
        (true, false) => all.extend(server.iter().map(|one| ([None, Some(one)], one.bits - one.cost))),
        (true, true) => {}
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(96);
    all.into_iter().map(|(dirs, score)| (dirs.map(|dir| dir.cloned()), score)).collect()
}

/// Cost of rules in bits.
fn cost_of_all(dirs: &[Option<Framed>; 2]) -> f64 {
    let [client, server] = dirs;
    let is_other = client.as_ref().zip(server.as_ref()).is_some_and(|(client, server)| client.rule != server.rule);
    dirs.iter().flatten().map(|dir| dir.cost).sum::<f64>() + if is_other { OTHER_RULE } else { 0.0 }
}

/// Confidence of each hypothesis: from its score, its lead over the best other one, and its coverage.
fn weigh(chosen: &mut [Hypothesis]) {
    let scores: Vec<f64> = chosen.iter().map(|hypothesis| hypothesis.score).collect();
    let best = scores.first().copied().unwrap_or(0.0);
    for (place, hypothesis) in chosen.iter_mut().enumerate() {
        let rival = if place == 0 { scores.get(1).copied().unwrap_or(0.0).max(0.0) } else { best };
        let gap = (hypothesis.score - rival) / (1.0 + 0.02 * hypothesis.score.max(0.0));
        let strength = hypothesis.score.min(2.0 * gap + 6.0);
        let certain = 1.0 / (1.0 + (-(strength - 8.0) / 4.0).exp());
        hypothesis.confidence = (hypothesis.coverage().sqrt() * hypothesis.agreement() * certain).min(0.99);
    }
}

impl Hypothesis {
    /// The share of bytes inside messages.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        let sum = |of: fn(&Evidence) -> usize| self.dirs.iter().flatten().map(|dir| of(&dir.found)).sum::<usize>() as f64;
        1.0 - sum(|found| found.broken + found.skipped) / sum(|found| found.bytes).max(1.0)
    }

    /// Agreement of turns with rules that cannot fail elsewhere.
    fn agreement(&self) -> f64 {
        let share = |framed: &Framed| match (&framed.rule, framed.found.turns) {
            (Rule::Terminator(_) | Rule::Fixed(_) | Rule::Headers, [hit, all]) if all > 0 => hit as f64 / all as f64,
            _ => 1.0,
        };
        let [hit, all] = self.found().turns;
        let turns = if all >= 4 { 0.3 + 2.0 * hit as f64 / all as f64 } else { 1.0 };
        self.dirs.iter().flatten().map(share).fold(turns.min(1.0), f64::min)
    }

    /// The rule of the client, or of the only side.
    #[must_use]
    pub fn rule(&self) -> Option<&Rule> {
        self.dirs.iter().flatten().next().map(|framed| &framed.rule)
    }

    /// The rule as printed; both rules if the sides have two.
    #[must_use]
    pub fn title(&self) -> String {
        let shown = |framed: &Framed| match framed.skip {
            0 => framed.rule.to_string(),
            skip => format!("{} skip={skip}", framed.rule),
        };
        match &self.dirs {
            [Some(client), Some(server)] if (&client.rule, client.skip) != (&server.rule, server.skip) => {
                format!("c2s:{} s2c:{}", shown(client), shown(server))
            }
            [Some(only), _] | [None, Some(only)] => shown(only),
            [None, None] => String::from("none"),
        }
    }

    /// Statistics of all directions.
    #[must_use]
    pub fn found(&self) -> Evidence {
        let mut all = Evidence::default();
        self.dirs.iter().flatten().for_each(|dir| all.add(&dir.found));
        all
    }
}

/// Each datagram is a message, whose length it may state.
fn datagrams(sides: &[Side]) -> Hypothesis {
    let starts: Vec<Vec<usize>> = sides.iter().map(|side| side.segments.iter().map(|segment| segment.at).collect()).collect();
    let framed = |dir: tree::Side| {
        let own = sides.iter().filter(|side| side.dir == dir);
        let found = own.fold(Evidence::default(), |mut all, side| {
            all.messages += side.segments.len();
            all.bytes += side.bytes.len();
            all
        });
        let rule = datagram_length::rule(sides, dir).unwrap_or(Rule::Datagram);
        (found.bytes > 0).then_some(Framed { rule, begin: Begin::At(0), bits: 0.0, cost: 0.0, found, skip: 0 })
    };
    let ends = sides.iter().map(|side| side.bytes.len()).collect();
    let (begins, behind_gaps) = (vec![0; sides.len()], vec![Vec::new(); sides.len()]);
    Hypothesis { dirs: tree::Side::BOTH.map(framed), score: 0.0, confidence: 1.0, starts, begins, ends, behind_gaps }
}

/// Each datagram is divided by the given rules, behind the bytes to skip; the rest of one that they do not divide is a message.
fn divided(sides: &[Side], given: &Given) -> Hypothesis {
    let mut all = datagrams(sides);
    let (mut whole, mut count) = (0_usize, 0_usize);
    for (side, starts) in sides.iter().zip(&mut all.starts) {
        let dir = side.dir.index();
        let Some((rule, skip)) = given.dirs.get(dir).and_then(Option::as_ref) else { continue };
        let Some(Some(framed)) = all.dirs.get_mut(dir) else { continue };
        (framed.rule, framed.skip, framed.begin) = (rule.clone(), *skip, Begin::At(*skip));
        framed.found.messages -= side.segments.len();
        starts.clear();
        for (start, end) in side.spans() {
            starts.push(start);
            let mut at = (start + skip).min(end);
            while let Some(rest) = side.bytes.get(at..end).filter(|rest| !rest.is_empty()) {
                step();
                starts.push(at);
                framed.found.messages += 1;
                let Step::Message(length) = rule.step(rest) else {
                    framed.found.left_over += rest.len();
                    framed.found.broken += rest.len();
                    break;
                };
                at += length;
            }
            count += 1;
            whole += usize::from(at == end);
        }
        starts.dedup();
    }
    all.confidence = whole as f64 / f64::max(count as f64, 1.0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_both_directions_costs_less_than_two_rules() {
        let framed = |end: u8, begin: Begin, cost: f64| Framed {
            rule: Rule::Terminator(vec![end]),
            begin,
            bits: 100.0,
            cost,
            found: Evidence::default(),
            skip: 0,
        };
        let score =
            |one: Framed, other: Framed| pairs(&[vec![one], vec![other]]).iter().map(|(_, score)| *score).collect::<Vec<_>>();
        // The greater cost of the rule once, and the lesser cost of a start, which is 5 bits.
        assert_eq!(score(framed(0, Begin::At(7), 10.0), framed(0, Begin::At(9), 12.0)), [200.0 - 12.0 - 5.0]);
        assert_eq!(score(framed(0, Begin::At(7), 10.0), framed(0, Begin::At(0), 12.0)), [200.0 - 12.0]);
        assert_eq!(score(framed(0, Begin::At(7), 10.0), framed(1, Begin::At(9), 12.0)), [200.0 - 22.0 - OTHER_RULE]);
    }
}
