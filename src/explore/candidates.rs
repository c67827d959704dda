//! Candidate rules, each with its description length in bits.

use super::chain::{Track, looks_random};
use super::rule::{Endian, Number, Rule, Varint};
use super::sizes::{self, Blocks, Forms};
use super::table::{Key, Table};
use std::collections::HashMap;

/// A rule and its cost.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub rule: Rule,
    /// Cost in bits.
    pub cost: f64,
}

/// Number of offsets at which a length is tried.
const OFFSETS: usize = 25;

/// Widths of lengths, with their costs.
const WIDTHS: [(usize, f64); 5] = [(1, 0.75), (2, 0.0), (4, 0.0), (3, 1.5), (8, 2.0)];

/// All candidates for these sides.
#[must_use]
pub fn all(tracks: &[Track<'_>]) -> Vec<Candidate> {
    let mut all = Vec::new();
    lengths(&mut all);
    varints(&mut all);
    all.push(Candidate { rule: Rule::Hex4, cost: 8.0 });
    all.push(Candidate { rule: Rule::Headers, cost: 6.0 });
    blocks(&mut all);
    all.extend(terminators(tracks));
    all.extend(fixed(tracks));
    all
}

/// Tables learned from turns. Those with constant sizes are learned from one direction, as the kinds of the other may differ.
#[must_use]
pub fn learned(tracks: &[Track<'_>], is_one_direction: bool) -> Vec<Candidate> {
    let blocks = Blocks::new(tracks);
    let mut all: Vec<Table> = Vec::new();
    for offset in 0..sizes::OFFSETS {
        let bits = (0..8).map(|bit| Key { mask: 1 << bit, ..Key::whole(offset, 1, Endian::Big) });
        all.extend(bits.filter_map(|key| sizes::learn(&blocks, key, Forms::Lengths)));
        all.extend(sizes::learn(&blocks, Key::whole(offset, 1, Endian::Big), Forms::Lengths));
        if is_one_direction {
            all.extend(sizes::learn(&blocks, Key::whole(offset, 1, Endian::Big), Forms::All));
            all.extend(sizes::learn(&blocks, Key::whole(offset, 2, Endian::Big), Forms::All).and_then(sizes::ordered));
        }
    }
    all.extend(sizes::escapes(&blocks));
    all.into_iter().map(|table| Candidate { cost: sizes::cost(&table), rule: Rule::Table(table) }).collect()
}

fn lengths(all: &mut Vec<Candidate>) {
    for offset in 0..OFFSETS {
        for (width, odd) in WIDTHS {
            for endian in Endian::BOTH.into_iter().filter(|endian| width > 1 || *endian == Endian::Big) {
                let at = Number { offset, width, endian };
                let scales: &[u64] = if offset < 8 && width < 8 { &[1, 2, 4] } else { &[1] };
                for &scale in scales {
                    let skewed = if width == 4 && offset % 2 == 0 && offset % 4 != 0 || width == 8 && offset % 4 != 0 {
                        0.75
                    } else {
                        0.0
                    };
                    let place = 8.0 + offset as f64 * 0.25 + odd + skewed + if scale == 1 { 0.0 } else { 3.0 };
                    biases(at).for_each(|(bias, cost)| {
                        let rule = Rule::Length { at, bias, scale, padding: None };
                        all.push(Candidate { rule, cost: place + cost });
                    });
                }
                // In FastCGI, for example, a padding length follows the length.
                if width == 2 && offset < 8 {
                    for padding in at.end()..at.end() + 2 {
                        for header in padding + 1..padding + 3 {
                            let bias = i64::try_from(header).unwrap_or(0);
                            let rule = Rule::Length { at, bias, scale: 1, padding: Some(padding) };
                            all.push(Candidate { rule, cost: 8.0 + offset as f64 * 0.25 + 7.0 });
                        }
                    }
                }
            }
        }
    }
}

/// Bytes that a length may exclude: none, those up to its end, or a header of some size.
fn biases(at: Number) -> impl Iterator<Item = (i64, f64)> {
    let end = at.end();
    let natural = [(0, 1.0), (end, 1.0)];
    let others = (1..=end + 24).filter(move |bias| *bias != end).map(move |bias| {
        let cost = match bias {
            _ if bias == at.offset => 3.0,
            _ if bias > end && bias <= end + 8 => 3.0 + (bias - end) as f64 * 0.125,
            _ if bias == 1 => 3.5,
            _ => 5.0,
        };
        (bias, cost)
    });
    natural.into_iter().chain(others).map(|(bias, cost)| (i64::try_from(bias).unwrap_or(0), cost))
}

fn varints(all: &mut Vec<Candidate>) {
    for format in Varint::ALL {
        for offset in 0..4 {
            let is_usual = offset == 1 || format == Varint::Leb128 && offset == 0;
            let cost = 9.0 + if is_usual { 0.0 } else { 2.0 };
            all.push(Candidate { rule: Rule::Varint { offset, format }, cost });
        }
    }
}

/// Checksums of two bytes after a header and after each block of 8, 16 or 32.
fn blocks(all: &mut Vec<Candidate>) {
    for offset in 0..4 {
        for block in [8, 16, 32] {
            for header in [6, 8, 10, 12] {
                // The header without itself and the bytes before.
                for counted in [0, header - 2 - offset - 1] {
                    all.push(Candidate { rule: Rule::Blocks { offset, counted, header, block }, cost: 16.0 });
                }
            }
        }
    }
}

/// Common line ends, and the most frequent last bytes of turns.
fn terminators(tracks: &[Track<'_>]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = [(&b"\r\n"[..], 4.0), (b"\n", 4.5), (b"\0", 5.5), (b"\r", 7.0)]
        .into_iter()
        .map(|(end, cost)| Candidate { rule: Rule::Terminator(end.to_vec()), cost })
        .collect();
    let ends: Vec<&[u8]> = tracks
        .iter()
        .flat_map(|track| track.first_turns().map(|at| track.bytes.get(..at).unwrap_or_default()))
        .take(4096)
        .collect();
    if let Some(end) = most_frequent(ends.iter().filter_map(|end| last_word(end)), ends.len()) {
        all.push(Candidate { rule: Rule::Terminator(end.to_vec()), cost: 10.0 });
    }
    for width in 1..=4 {
        let last = ends.iter().filter_map(|end| Some(end.split_at_checked(end.len().checked_sub(width)?)?.1));
        if let Some(last) = most_frequent(last, ends.len()) {
            let rule = Rule::Terminator(last.to_vec());
            if all.iter().all(|known| known.rule != rule) {
                all.push(Candidate { rule, cost: 6.0 + 4.0 * width as f64 });
            }
        }
    }
    all
}

/// The most frequent end, if seven in ten of `all` have it.
fn most_frequent<'a>(ends: impl Iterator<Item = &'a [u8]>, all: usize) -> Option<&'a [u8]> {
    let mut counts: HashMap<&[u8], usize, foldhash::fast::RandomState> = HashMap::default();
    for end in ends {
        *counts.entry(end).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(last, count)| (*count, *last));
    most.filter(|(_, count)| count * 10 >= all * 7 && *count >= 3).map(|(last, _)| last)
}

/// Maximum length of a word that ends messages.
const WORD: usize = 16;

/// A word between two equal marks at the end, such as `\final\`.
fn last_word(bytes: &[u8]) -> Option<&[u8]> {
    let (mark, before) = bytes.split_last().filter(|(mark, _)| mark.is_ascii_punctuation())?;
    let word = before.iter().rev().take(WORD + 1).position(|byte| byte == mark).filter(|word| *word > 0)?;
    let end = bytes.get(bytes.len() - word - 2..)?;
    end.get(1..=word)?.iter().all(u8::is_ascii_alphanumeric).then_some(end)
}

/// Sizes from which a fixed size is more likely a send buffer than a message.
const BUFFER: usize = 512;

/// Sizes that divide the bytes between turns.
fn fixed(tracks: &[Track<'_>]) -> Vec<Candidate> {
    let mut divisor = 0;
    let mut count = 0;
    for track in tracks {
        for (start, end) in track.between_turns().take(4096) {
            divisor = gcd(divisor, end - start);
            count += 1;
        }
    }
    if divisor < 2 || count < 2 {
        return Vec::new();
    }
    // Each size divides the largest one, so none is a message if the largest is not.
    if divisor >= BUFFER && tracks.iter().all(|track| looks_random(track.bytes)) {
        return Vec::new();
    }
    let sizes = (1..=8).filter(|part| divisor % part == 0 && divisor / part >= 4).map(|part| divisor / part);
    sizes
        .map(|size| Candidate {
            rule: Rule::Fixed(size),
            cost: 8.0 + if size == divisor { 0.0 } else { (divisor / size) as f64 },
        })
        .collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
