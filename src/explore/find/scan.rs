//! Searches for the bytes of all forms in one pass over each side.

use super::super::rule::Endian;
use super::super::side::Side;
use super::reading::{Reading, narrow};
use super::value::Value;

/// Maximum number of stored occurrences of a form; further ones are counted.
pub const KEPT: usize = 4096;

/// A search pattern with its occurrences.
#[derive(Debug, Clone)]
pub struct Needle {
    /// The forms with these bytes.
    pub readings: Vec<Reading>,
    /// The pattern.
    pub wanted: Wanted,
    /// Whether adjacent digits make it another number.
    is_digits: bool,
    /// Number of occurrences.
    pub count: u64,
    /// The first occurrences.
    pub hits: Vec<Hit>,
}

/// A pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These letters in different case.
    Letters(Vec<u8>),
    /// A floating-point number in an interval.
    Between(usize, Endian, [f64; 2]),
}

/// A position: group, side of the group, offset in the bytes of the side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// The group.
    pub group: usize,
    /// The side.
    pub side: usize,
    /// The offset.
    pub at: usize,
}

impl Needle {
    /// All forms of a value; those with the same bytes are merged.
    #[must_use]
    pub fn all(value: &Value, readings: &[Reading]) -> Vec<Needle> {
        let mut all: Vec<Needle> = Vec::new();
        for reading in readings {
            let wanted = match (reading, reading.range(value)) {
                (_, Some((width, endian, ends))) => Wanted::Between(width, endian, ends),
                (Reading::OtherCase, _) if !value.text().contains(|c: char| c.is_ascii_alphabetic()) => continue,
                (Reading::OtherCase, _) => Wanted::Letters(value.text().as_bytes().to_vec()),
                _ => match reading.encode(value) {
                    Some(bytes) => Wanted::Bytes(bytes),
                    None => continue,
                },
            };
            match all.iter_mut().find(|needle| needle.wanted == wanted) {
                Some(known) => known.readings.push(*reading),
                None => {
                    let is_digits = value.number().is_some() && matches!(reading, Reading::Utf8);
                    all.push(Needle { readings: vec![*reading], wanted, is_digits, count: 0, hits: Vec::new() });
                }
            }
        }
        all
    }

    /// Size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.wanted {
            Wanted::Bytes(bytes) | Wanted::Letters(bytes) => bytes.len(),
            Wanted::Between(width, ..) => *width,
        }
    }

    /// The bytes, if they are constant.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.wanted {
            Wanted::Bytes(bytes) => Some(bytes),
            Wanted::Letters(_) | Wanted::Between(..) => None,
        }
    }

    /// Whether it occurs here.
    fn is_at(&self, run: &[u8], at: usize) -> bool {
        let Some(here) = run.get(at..at + self.len()) else { return false };
        let is_beside = |place: Option<usize>| place.and_then(|at| run.get(at)).is_some_and(u8::is_ascii_digit);
        match &self.wanted {
            Wanted::Bytes(bytes) if self.is_digits => {
                here == bytes && !is_beside(at.checked_sub(1)) && !is_beside(Some(at + bytes.len()))
            }
            Wanted::Bytes(bytes) => here == bytes,
            Wanted::Letters(letters) => here.eq_ignore_ascii_case(letters) && here != letters,
            Wanted::Between(width, endian, ends) => float(here, *width, *endian).is_some_and(|float| is_between(float, ends)),
        }
    }
}

/// A floating-point number.
#[must_use]
pub fn float(bytes: &[u8], width: usize, endian: Endian) -> Option<f64> {
    let bits = endian.read(bytes.get(..width)?);
    match width {
        4 => u32::try_from(bits).ok().map(|bits| f64::from(f32::from_bits(bits))),
        _ => Some(f64::from_bits(bits)),
    }
}

/// Whether a number is in an interval, but not its middle, which has its own form.
fn is_between(float: f64, [least, most]: &[f64; 2]) -> bool {
    let middle = f64::midpoint(*least, *most);
    let is_same = float == middle || narrow(float) == narrow(middle);
    float > *least && float < *most && !is_same
}

/// Needles by possible first byte.
pub struct Scan {
    by_first: Vec<Vec<u16>>,
}

impl Scan {
    /// Prepares these needles.
    #[must_use]
    pub fn new(needles: &[Needle]) -> Scan {
        let mut by_first = vec![Vec::new(); 256];
        for (number, needle) in needles.iter().enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            let first: Vec<u8> = match &needle.wanted {
                Wanted::Bytes(bytes) => bytes.first().copied().into_iter().collect(),
                Wanted::Letters(bytes) => {
                    let first = bytes.first().copied().unwrap_or(0);
                    let mut both = vec![first.to_ascii_lowercase(), first.to_ascii_uppercase()];
                    both.dedup();
                    both
                }
                Wanted::Between(width, Endian::Big, [least, most]) => firsts(*width, *least, *most),
                Wanted::Between(..) => (0..=255).collect(),
            };
            for byte in first {
                if let Some(list) = by_first.get_mut(usize::from(byte)) {
                    list.push(number);
                }
            }
        }
        Scan { by_first }
    }

    /// Searches for all needles in a side. Matches do not cross gaps or datagrams.
    pub fn side(&self, group: usize, number: usize, side: &Side, needles: &mut [Needle], kept: usize) {
        for (start, end) in runs(side) {
            let run = side.bytes.get(start..end).unwrap_or_default();
            let mut found = Vec::new();
            self.run(run, needles, |needle, at, _| found.push((needle, at)));
            for (needle, at) in found {
                let Some(needle) = needles.get_mut(needle) else { continue };
                needle.count += 1;
                if needle.hits.len() < kept {
                    needle.hits.push(Hit { group, side: number, at: start + at });
                }
            }
        }
    }

    /// Searches for all needles in contiguous bytes, and shows the number of each that is found, the offset, and the size.
    pub fn run(&self, run: &[u8], needles: &[Needle], mut found: impl FnMut(usize, usize, usize)) {
        for (at, byte) in run.iter().enumerate() {
            for number in self.by_first.get(usize::from(*byte)).into_iter().flatten() {
                let number = usize::from(*number);
                if let Some(needle) = needles.get(number).filter(|needle| needle.is_at(run, at)) {
                    found(number, at, needle.len());
                }
            }
        }
    }
}

/// The first bytes of big-endian numbers between two of the same sign.
fn firsts(width: usize, least: f64, most: f64) -> Vec<u8> {
    let first = |float: f64| if width == 4 { narrow(float).to_be_bytes()[0] } else { float.to_be_bytes()[0] };
    let (a, b) = (first(least), first(most));
    let is_one_sign = least.is_sign_negative() == most.is_sign_negative();
    if is_one_sign { (a.min(b)..=a.max(b)).collect() } else { (0..=255).collect() }
}

/// Contiguous runs of bytes.
fn runs(side: &Side) -> Vec<(usize, usize)> {
    let all = side.bytes.len();
    let mut cuts: Vec<usize> = side.holes.iter().map(|(at, _)| *at).collect();
    if side.is_datagrams {
        cuts.extend(side.segments.iter().map(|segment| segment.at));
    }
    cuts.extend([0, all]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.iter().copied().zip(cuts.iter().skip(1).copied()).collect()
}
