//! Statistics of a form over all messages: minimum, maximum, distinct values, behaviour.

use super::Rows;
use super::datum::Datum;
use super::form::Form;
use std::collections::HashMap;

/// Maximum number of distinct values that are counted.
pub const DISTINCT: usize = 1 << 16;

/// Number of sample values.
const SAMPLES: usize = 3;

/// Statistics of a form over all messages.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Number of messages with a value.
    pub read: usize,
    /// The minimum; `None` for texts.
    pub least: Option<Datum>,
    /// The maximum.
    pub most: Option<Datum>,
    /// Number of distinct values, up to a limit.
    pub distinct: usize,
    /// Behaviour of consecutive values.
    pub behaviour: Behaviour,
    /// The most frequent values.
    pub samples: Vec<Datum>,
    /// Whether no number is infinite, NaN, or nearly zero.
    pub are_all_plausible: bool,
    /// Number of characters of all texts.
    pub characters: usize,
    /// Number of typical characters: letters, digits, blanks and marks of ASCII, and letters of other scripts.
    pub readable: usize,
}

/// Behaviour of consecutive values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Only one message.
    Alone,
    /// It never changes.
    Constant,
    /// One step explains 70 % of neighbours.
    Counts(i128),
    /// Never decreases.
    Rises,
    /// Never increases.
    Falls,
    /// Values recur.
    Few,
    /// None of these.
    Varies,
}

impl Behaviour {
    /// The name as printed.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Behaviour::Alone => String::from("one message"),
            Behaviour::Constant => String::from("constant"),
            Behaviour::Counts(step) => format!("counter {step:+}"),
            Behaviour::Rises => String::from("rises"),
            Behaviour::Falls => String::from("falls"),
            Behaviour::Few => String::from("few values"),
            Behaviour::Varies => String::from("varies"),
        }
    }
}

impl Summary {
    /// Computes the statistics of all messages.
    #[must_use]
    pub fn new(form: Form, rows: &Rows<'_>) -> Summary {
        let values: Vec<(usize, Datum)> = rows.all.iter().filter_map(|row| Some((row.side, form.read(row.bytes)?))).collect();
        let mut counts: HashMap<&Datum, usize, foldhash::fast::RandomState> = HashMap::default();
        for (_, value) in &values {
            if counts.len() < DISTINCT || counts.contains_key(value) {
                *counts.entry(value).or_default() += 1;
            }
        }
        let distinct = counts.len();
        let mut frequent: Vec<(&Datum, usize)> = counts.into_iter().collect();
        frequent.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let numbers = || values.iter().map(|(_, value)| value).filter(|value| value.number().is_some());
        let is_sane = |value: &Datum| {
            let Datum::Float(float) = value else { return true };
            *float == 0.0 || float.is_finite() && float.abs() > 1e-9
        };
        let texts = || values.iter().flat_map(|(_, value)| if let Datum::Text(text) = value { text.chars() } else { "".chars() });
        Summary {
            read: values.len(),
            least: numbers().min().cloned(),
            most: numbers().max().cloned(),
            distinct,
            behaviour: behaviour(&values, distinct),
            samples: frequent.iter().take(SAMPLES).map(|(value, _)| (*value).clone()).collect(),
            are_all_plausible: values.iter().all(|(_, value)| is_sane(value)),
            characters: texts().count(),
            readable: texts().filter(|one| one.is_alphanumeric() || (' '..='~').contains(one)).count(),
        }
    }
}

/// Behaviour of consecutive values of the same side.
fn behaviour(values: &[(usize, Datum)], distinct: usize) -> Behaviour {
    if values.len() < 2 {
        return Behaviour::Alone;
    }
    if distinct == 1 {
        return Behaviour::Constant;
    }
    let pairs = || {
        let pairs = values.iter().zip(values.iter().skip(1)).filter(|((side, _), (next, _))| side == next);
        pairs.map(|((_, first), (_, second))| (first, second))
    };
    let all = pairs().count();
    if let Some(step) = step(pairs(), all) {
        return Behaviour::Counts(step);
    }
    let is_number = values.iter().all(|(_, value)| value.number().is_some());
    if is_number && all >= 3 && pairs().all(|(first, second)| first <= second) {
        return Behaviour::Rises;
    }
    if is_number && all >= 3 && pairs().all(|(first, second)| first >= second) {
        return Behaviour::Falls;
    }
    if distinct * 2 <= values.len() { Behaviour::Few } else { Behaviour::Varies }
}

/// The step that explains 70 % of neighbours, unless it is 0.
fn step<'d>(pairs: impl Iterator<Item = (&'d Datum, &'d Datum)>, all: usize) -> Option<i128> {
    let mut counts: HashMap<i128, usize, foldhash::fast::RandomState> = HashMap::default();
    for (first, second) in pairs {
        if let (Datum::Int(first), Datum::Int(second)) = (first, second)
            && counts.len() < DISTINCT
        {
            *counts.entry(second - first).or_default() += 1;
        }
    }
    let (step, count) = counts.into_iter().max_by_key(|(step, count)| (*count, -step.abs()))?;
    (all >= 3 && step != 0 && step.abs() <= 1 << 16 && count * 10 >= all * 7).then_some(step)
}
