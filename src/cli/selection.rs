//! Selection of records by `-c`, `--skip` and `--number`.

use super::args::Output;
use super::usage_error::UsageError;
use std::ops::RangeInclusive;

/// Selection by number and count. Counts continue across inputs.
pub(super) struct Selection {
    skip: u64,
    remaining: Option<u64>,
    numbers: Option<Vec<RangeInclusive<u64>>>,
}

impl Selection {
    /// Parses the options. Errors name the expected values.
    pub(super) fn new(output: &Output) -> Result<Selection, UsageError> {
        let numbers = output.numbers.as_deref().map(numbers).transpose()?;
        Ok(Selection { skip: output.skip, remaining: output.count, numbers })
    }

    /// Selects every record.
    pub(super) fn all() -> Selection {
        Selection { skip: 0, remaining: None, numbers: None }
    }

    /// Whether every record is selected.
    pub(super) fn is_all(&self) -> bool {
        self.skip == 0 && self.remaining.is_none() && self.numbers.is_none()
    }

    /// Whether `--number` includes this number.
    pub(super) fn names(&self, number: u64) -> bool {
        self.numbers.as_ref().is_none_or(|numbers| numbers.iter().any(|range| range.contains(&number)))
    }

    /// Whether `--number` is given.
    pub(super) fn is_numbered(&self) -> bool {
        self.numbers.is_some()
    }

    /// Whether to print the record of this number. Counts it, so it must be called once per matching record.
    pub(super) fn takes(&mut self, number: u64) -> bool {
        if !self.names(number) {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        match &mut self.remaining {
            Some(0) => false,
            Some(remaining) => {
                *remaining -= 1;
                true
            }
            None => true,
        }
    }

    /// Whether `-c` is reached.
    pub(super) fn has_enough(&self) -> bool {
        self.remaining == Some(0)
    }

    /// Whether counts continue across inputs.
    pub(super) fn spans_inputs(&self) -> bool {
        self.skip > 0 || self.remaining.is_some()
    }

    /// Whether no record after this one can be selected.
    pub(super) fn is_past(&self, number: u64) -> bool {
        self.numbers.as_ref().is_some_and(|numbers| numbers.iter().all(|range| *range.end() <= number))
    }
}

/// Parses a number of records.
///
/// # Errors
/// What is expected, with the number that was probably meant.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let number = |digits: &str, times: u64| {
        let digits = digits.replace([',', '_', '\''], "");
        digits.parse::<u64>().ok().and_then(|number| number.checked_mul(times))
    };
    if text.bytes().all(|byte| byte.is_ascii_digit())
        && let Some(count) = number(text, 1)
    {
        return Ok(count);
    }
    let times = match text.chars().last() {
        Some('k' | 'K') => 1_000,
        Some('m' | 'M') => 1_000_000,
        Some('g' | 'G') => 1_000_000_000,
        _ => 1,
    };
    let digits = if times == 1 { text } else { text.get(..text.len() - 1).unwrap_or_default() };
    Err(match number(digits, times) {
        Some(meant) => format!("expected digits only: {meant}"),
        None if text.starts_with('-') => {
            "expected a number from 0; without the option all records are printed, and tail takes the last ones".to_owned()
        }
        None => "expected a number of records, such as 1000".to_owned(),
    })
}

/// Parses a comma-separated list of `5`, `10-20` and `30-`.
fn numbers(text: &str) -> Result<Vec<RangeInclusive<u64>>, UsageError> {
    let wrong = || format!("--number {text}: expected a comma-separated list of numbers and ranges, such as 5,10-20");
    text.split(',')
        .map(|part| {
            let part = part.trim();
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let from: u64 = from.trim().parse().map_err(|_| wrong())?;
            let to: u64 = if to.trim().is_empty() { u64::MAX } else { to.trim().parse().map_err(|_| wrong())? };
            if from <= to { Ok(from..=to) } else { Err(wrong()) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(skip: u64, remaining: Option<u64>, text: Option<&str>) -> Selection {
        Selection { skip, remaining, numbers: text.map(|text| numbers(text).unwrap()) }
    }

    fn taken(mut selection: Selection) -> Vec<u64> {
        (1..=30).filter(|number| selection.takes(*number)).collect()
    }

    #[test]
    fn a_count_that_is_no_number_is_answered_with_the_number_meant() {
        assert_eq!([count("0"), count("1000")], [Ok(0), Ok(1000)]);
        for (text, words) in [
            ("1k", "digits only: 1000"),
            ("2M", "digits only: 2000000"),
            ("1,000", "digits only: 1000"),
            ("10_000", "digits only: 10000"),
            ("-1", "from 0"),
            ("-1k", "from 0"),
            ("99999999999999999999", "a number of records"),
            ("99999999999999999G", "a number of records"),
            ("ten", "a number of records"),
            ("", "a number of records"),
            ("k", "a number of records"),
            ("é", "a number of records"),
        ] {
            assert!(count(text).unwrap_err().contains(words), "{text}");
        }
    }

    #[test]
    fn numbers_are_taken_as_they_are_named() {
        assert_eq!(taken(selection(0, None, Some("5,10-12,29-"))), [5, 10, 11, 12, 29, 30]);
        assert!(selection(0, None, Some("5,10-12")).is_past(12));
        assert!(!selection(0, None, Some("5,10-")).is_past(12));
        for text in ["", "x", "5-3", "5,,6", "-5"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_first_are_left_out_and_only_so_many_come() {
        assert_eq!(taken(selection(3, Some(2), None)), [4, 5]);
        assert_eq!(taken(selection(1, Some(2), Some("5,10-20"))), [10, 11]);
    }
}
