//! Parses `-z io,stat`: an interval, and a column per filter or function.

use super::print_error;
use super::usage_error::UsageError;
use crate::filter::Filter;
use crate::layers;
use crate::record::Record;
use crate::record::pseudo::{self, PseudoValue};
use crate::registry::Registry;
use crate::stats::{Column, FrameFilter, Function, Intervals, Values};
use crate::tree::{Carriers, Demand, Extras, Field, Kind, Only};
use std::time::Duration;

/// Maximum number of columns.
const COLUMNS: usize = 64;

/// Parses intervals and columns; `rest` is the text after `io,stat,`.
pub(super) fn parse(name: &str, rest: &str) -> Result<Intervals, UsageError> {
    let wrong = || format!("-z {name}: expected io,stat,SECONDS[,FILTER]..., such as io,stat,1,tcp,udp; 0 is the whole capture");
    let (interval, columns) = match rest.split_once(',') {
        Some((interval, columns)) => (interval, split(columns)),
        None => (rest, vec![""]),
    };
    let is_number = interval.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = interval.parse().ok().filter(|_| is_number).ok_or_else(wrong)?;
    let micros =
        Duration::try_from_secs_f64(seconds).ok().and_then(|length| u64::try_from((length.as_nanos() + 500) / 1000).ok());
    // A value rounded to zero is an error.
    let micros = micros
        .filter(|micros| *micros > 0 || seconds == 0.0)
        .ok_or_else(|| format!("-z {name}: an interval is 0, or 0.000001 s or more"))?;
    if columns.len() > COLUMNS {
        return Err(format!("-z {name}: {COLUMNS} columns at most"));
    }
    let columns = columns.into_iter().map(|text| column(name, text)).collect::<Result<_, _>>()?;
    Ok(Intervals::new(micros, columns))
}

/// Splits at commas outside of quotes and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut quote, mut escaped) = (Vec::new(), 0, 0_usize, None, false);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.extend(text.get(begin..at));
                begin = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.extend(text.get(begin..));
    parts
}

fn column(name: &str, text: &str) -> Result<Column, UsageError> {
    let called = Function::ALL.into_iter().find_map(|function| {
        let (field, filter) = text.strip_prefix(function.name())?.strip_prefix('(')?.split_once(')')?;
        Some((function, field.trim(), filter))
    });
    let (function, filter) = match called {
        Some((function, field, filter)) => (Some((function, field)), filter),
        None => (None, text),
    };
    let filter = if filter.trim().is_empty() { None } else { Some(parsed(&format!("-z {name}"), filter)?) };
    let mut demand = filter.as_ref().map_or(Demand::FRAMES, wanted);
    let function = match function {
        Some((function, field)) => {
            let values = values(function, field).map_err(|wrong| format!("-z {name}: {}({field}): {wrong}", function.name()))?;
            if let Values::Fields(fields) = &values {
                let only = Only::these(fields.iter().copied());
                let credentials = fields.iter().any(|field| layers::may_show_credentials(field));
                let credentials = Extras::CREDENTIALS.when(credentials);
                let of_fields = Demand { carriers: Carriers::Full, ..Demand::of_fields(only).with(credentials) };
                demand = demand.and(of_fields);
            }
            Some((function, values))
        }
        None => None,
    };
    let passes = filter.map(|filter| Box::new(move |record: &Record<'_>| filter.matches(record)) as _);
    Ok(Column { label: text.to_owned(), passes, function, demand })
}

/// Parses the filter of an option, whose name precedes errors.
pub(super) fn parsed(option: &str, filter: &str) -> Result<Filter, UsageError> {
    let filter = Filter::parse(filter.trim(), Registry::default()).map_err(|mistake| format!("{option}: {mistake}"))?;
    for undissected in filter.undissected() {
        print_error(format_args!("{option}: {undissected} is a Wireshark protocol that is not supported; it never matches"));
    }
    Ok(filter)
}

/// Demand of a filter, with carriers.
fn wanted(filter: &Filter) -> Demand {
    Demand { carriers: Carriers::Full, ..filter.demand() }
}

/// Parses the filter of an option as a gate.
pub(super) fn gate(option: &str, filter: &str) -> Result<FrameFilter, UsageError> {
    let text = filter.trim();
    let filter = parsed(option, text)?;
    let demand = wanted(&filter);
    Ok(FrameFilter::new(text, Box::new(move |record: &Record<'_>| filter.matches(record)), demand))
}

/// Values for a function of a field.
fn values(function: Function, name: &str) -> Result<Values, UsageError> {
    if pseudo::named(name).is_some() {
        return match name {
            "frame.len" => Ok(Values::Frame(|record| number(record, "frame.len"))),
            "frame.cap_len" => Ok(Values::Frame(|record| number(record, "frame.cap_len"))),
            _ => Err("is not a dissected field; frame.len and frame.cap_len are available".into()),
        };
    }
    let fields = Registry::default().named(name);
    let is_number = |field: &&Field| function == Function::Count || matches!(field.kind, Kind::Number | Kind::Bool);
    match fields.as_slice() {
        [] => Err("no such field; `proto-dissect fields` lists them".into()),
        all if all.iter().any(|field| field.generated.is_some()) => {
            Err("is a generated field, which functions do not support".into())
        }
        all if !all.iter().all(is_number) => Err("is not an integer field; COUNT accepts any field".into()),
        _ => Ok(Values::Fields(fields)),
    }
}

fn number(record: &Record<'_>, name: &str) -> Option<u64> {
    match (pseudo::named(name)?.of)(record)? {
        PseudoValue::Number(number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_a_length_in_seconds_and_up_to_64_columns() {
        let columns = |count: usize| format!("1{}", ",tcp".repeat(count));
        assert!(parse("io,stat", &columns(64)).is_ok());
        assert!(parse("io,stat", &columns(65)).is_err_and(|words| words.contains("64 columns")));
        for (text, is_right) in
            [("0", true), ("0.5", true), ("0.000001", true), ("0.0000001", false), ("-1", false), ("1e3", false), ("", false)]
        {
            assert_eq!(parse("io,stat", text).is_ok(), is_right, "{text}");
        }
    }
}
