//! JSON records of `diff`: `begin`, one `diff` for each differing message, `fold`, `end`.

use super::capture::Capture;
use super::fields::Change;
use super::fold::{Always, Fold};
use super::{Entry, Report, What};
use crate::render::{Members, object};
use std::collections::HashMap;
use std::io::{self, Write};

/// Writes a report; if `all`, with equal messages.
pub fn write(report: &Report<'_>, all: bool, to: &mut dyn Write) -> io::Result<()> {
    let (a, b) = (report.a, report.b);
    line(to, |of| {
        of.put("type", "begin")?;
        of.put("schema", &1_u8)?;
        of.put("a", &a.name)?;
        of.put("b", &b.name)?;
        of.put("messages_a", &a.len())?;
        of.put("messages_b", &b.len())
    })?;
    for conversation in &report.conversations {
        for entry in conversation.entries.iter().filter(|entry| all || entry.what != What::Same) {
            line(to, |of| one_entry(report, entry, of))?;
        }
    }
    for fold in &report.folds {
        line(to, |of| one_fold(report, fold, of))?;
    }
    line(to, |of| {
        let counts = report.counts;
        of.put("type", "end")?;
        of.put("same", &counts.same)?;
        of.put("folded", &counts.folded)?;
        of.put("changed", &counts.changed)?;
        of.put("only_a", &counts.only_a)?;
        of.put("only_b", &counts.only_b)?;
        of.put("left_out_a", &a.left_out)?;
        of.put("left_out_b", &b.left_out)
    })
}

fn line(to: &mut dyn Write, members: impl FnOnce(&mut Members<'_, '_>) -> io::Result<()>) -> io::Result<()> {
    object(to, members)?;
    to.write_all(b"\n")
}

fn one_entry(report: &Report<'_>, entry: &Entry, of: &mut Members<'_, '_>) -> io::Result<()> {
    let (a, b) = (report.a, report.b);
    of.put("type", "diff")?;
    for (key, capture, place) in [("a", a, entry.a), ("b", b, entry.b)] {
        if let Some(message) = place.and_then(|at| capture.messages.get(at)) {
            of.object(key, |of| {
                of.put("n", &message.n)?;
                message.stream.map_or(Ok(()), |(stream, _)| of.words("stream", stream))
            })?;
        }
    }
    of.put("what", entry.what.word())?;
    message(a, b, entry.a, entry.b, of)?;
    if entry.folded > 0 {
        of.put("folded", &entry.folded)?;
    }
    if entry.changes.is_empty() {
        return Ok(());
    }
    let named = names(a, b, &entry.changes);
    of.list("fields", entry.changes.iter().zip(named), |of, (change, name)| {
        of.put("name", &name.name)?;
        name.title.map_or(Ok(()), |title| of.put("title", &title))?;
        one_change(a, b, change, of)
    })
}

/// Protocol, direction and name of a message.
fn message(a: &Capture, b: &Capture, in_a: Option<usize>, in_b: Option<usize>, of: &mut Members<'_, '_>) -> io::Result<()> {
    let found = in_a.and_then(|at| Some((a, a.messages.get(at)?))).or_else(|| in_b.and_then(|at| Some((b, b.messages.get(at)?))));
    let Some((capture, message)) = found else { return Ok(()) };
    of.put("protocol", message.protocol.abbrev)?;
    if let Some((_, side)) = message.stream {
        of.put("dir", side.direction())?;
    }
    match capture.name_of(message) {
        "" => of.put("name", message.protocol.abbrev),
        name => of.put("name", name),
    }
}

fn one_change(a: &Capture, b: &Capture, change: &Change, of: &mut Members<'_, '_>) -> io::Result<()> {
    if let Some(field) = change.field(a, b) {
        of.put("label", change.label(field).word())?;
    }
    let sides = [("a", change.text(a, change.a)), ("b", change.text(b, change.b))];
    sides.iter().try_for_each(|(key, text)| text.map_or(Ok(()), |text| of.put(key, text)))
}

fn one_fold(report: &Report<'_>, fold: &Fold, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("type", "fold")?;
    if let Some(message) = report.a.messages.get(fold.message) {
        of.put("protocol", message.protocol.abbrev)?;
        if let Some((_, side)) = message.stream {
            of.put("dir", side.direction())?;
        }
    }
    of.put("name", &fold.name)?;
    fold.title.as_ref().map_or(Ok(()), |title| of.put("title", title))?;
    of.put("label", fold.label.word())?;
    of.put("messages", &fold.differing)?;
    of.put("of", &fold.present)?;
    if let Some(Always::Step(step)) = fold.always {
        of.words("step", step)?;
    }
    let sides = [("a", fold.example.text(report.a, fold.example.a)), ("b", fold.example.text(report.b, fold.example.b))];
    of.object("example", |of| sides.iter().try_for_each(|(key, text)| text.map_or(Ok(()), |text| of.put(key, text))))
}

/// Names of a differing field, with their occurrence if a message has several: `dns.a#2`.
pub(super) struct Name {
    /// That of the field.
    pub(super) name: String,
    /// That in tables, if it is another one.
    pub(super) title: Option<String>,
}

impl Name {
    /// The name in text output.
    pub(super) fn shown(self) -> String {
        self.title.unwrap_or(self.name)
    }
}

/// The occurrence of a field's name, and of its name in tables.
type Occurrence = (usize, usize);

/// Names of the differing fields.
pub(super) fn names(a: &Capture, b: &Capture, changes: &[Change]) -> Vec<Name> {
    let in_a = occurrences(a, changes.iter().filter_map(|change| change.a).max());
    let in_b = occurrences(b, changes.iter().filter(|change| change.a.is_none()).filter_map(|change| change.b).max());
    let numbered = |name: String, occurrence: usize| if occurrence > 1 { format!("{name}#{occurrence}") } else { name };
    let name = |change: &Change| {
        let place = change.a.map_or_else(|| change.b.and_then(|place| in_b.get(&place)), |place| in_a.get(&place));
        let (occurrence, of_title) = place.copied().unwrap_or((1, 1));
        let name = change.field(a, b).map(|field| change.name(field)).unwrap_or_default();
        let title = change.title(a, b).map(|title| numbered(title, of_title));
        Name { name: numbered(name, occurrence), title }
    };
    changes.iter().map(name).collect()
}

/// Occurrences of the fields of the message that contains this one.
fn occurrences(capture: &Capture, place: Option<u32>) -> HashMap<u32, Occurrence> {
    let Some(place) = place else { return HashMap::new() };
    let first = capture.messages.partition_point(|message| Capture::first_field(message) <= place);
    let Some(message) = first.checked_sub(1).and_then(|at| capture.messages.get(at)) else { return HashMap::new() };
    let (mut names, mut titles) = (HashMap::new(), HashMap::new());
    let fields = (Capture::first_field(message)..).zip(capture.fields_of(message));
    fields
        .map(|(place, field)| {
            let (name, title) =
                (names.entry(field.field.abbrev).or_insert(0), titles.entry(capture.piece(&field.title)).or_insert(0));
            *name += 1;
            *title += 1;
            (place, (*name, *title))
        })
        .collect()
}
