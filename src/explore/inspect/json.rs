//! JSON records of an inspection: `begin`, an `inspect` record for each form, `end`.

use super::Inspection;
use super::datum::Datum;
use super::summary::Summary;
use crate::explore::json::begin;
use crate::render::{Members, object};
use std::io::{self, Write};

/// Writes the forms, plausible ones first.
///
/// # Errors
/// Those of writing.
pub fn write(file: &str, of: &Inspection, to: &mut dyn Write) -> io::Result<()> {
    begin(file, to)?;
    for read in &of.forms {
        object(to, |to| {
            to.put("type", "inspect")?;
            to.put("kind", of.kind.as_str())?;
            to.put("offset", &of.at)?;
            to.put("as", &read.forms.iter().map(ToString::to_string).collect::<Vec<_>>())?;
            to.put("confidence", &((read.sure * 100.0).round() / 100.0))?;
            to.put("why", read.why.as_str())?;
            summary(&read.of, to)
        })?;
        to.write_all(b"\n")?;
    }
    object(to, |to| {
        to.put("type", "end")?;
        to.put("messages", &of.messages)?;
        to.put("reached", &of.reached)?;
        to.put("forms", &of.forms.len())
    })?;
    to.write_all(b"\n")
}

fn summary(of: &Summary, to: &mut Members<'_, '_>) -> io::Result<()> {
    to.put("messages", &of.read)?;
    to.words("behaviour", of.behaviour.name())?;
    to.put("distinct", &of.distinct)?;
    for (key, value) in [("min", &of.least), ("max", &of.most)] {
        if let Some(value) = value {
            datum(key, value, to)?;
        }
    }
    to.put("samples", &of.samples.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A number as a number, others as text.
fn datum(key: &str, value: &Datum, to: &mut Members<'_, '_>) -> io::Result<()> {
    match value {
        Datum::Int(value) => match (u64::try_from(*value), i64::try_from(*value)) {
            (Ok(value), _) => to.put(key, &value),
            (_, Ok(value)) => to.put(key, &value),
            _ => to.words(key, value),
        },
        Datum::Float(value) if value.is_finite() => to.put(key, value),
        value => to.words(key, value),
    }
}
