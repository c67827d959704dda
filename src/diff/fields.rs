//! Compares the fields of two messages.

use super::align::{Keys, Step, align};
use super::capture::{Capture, Field, Message};
use super::ignored::Ignored;
use super::label::Label;
use crate::tree::Kind;
use std::ops::Range;

/// Maximum size of a field that is compared as a whole.
const SHORT: usize = 8;

/// Maximum number of differing byte ranges that are listed.
const RUNS: usize = 16;

/// A differing field, or differing bytes of one.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// Indexes of the field in both captures.
    pub(super) a: Option<u32>,
    pub(super) b: Option<u32>,
    /// The differing bytes, if they are a part of the field.
    pub(super) run: Option<Range<usize>>,
}

impl Change {
    /// The field in the capture that contains it.
    pub(super) fn field<'c>(&self, a: &'c Capture, b: &'c Capture) -> Option<&'c Field> {
        self.a.and_then(|place| a.field_at(place)).or_else(|| self.b.and_then(|place| b.field_at(place)))
    }

    /// Its name without its occurrence; columns of unknown bytes have their offset in the message.
    pub(super) fn name(&self, field: &Field) -> String {
        match &self.run {
            Some(run) if field.field.abbrev == "data.data" || field.field.abbrev == "data" => {
                format!("@{}:{}", field.bytes.start + run.start as u64, run.len())
            }
            Some(run) => format!("{}@{}:{}", field.field.abbrev, run.start, run.len()),
            None => field.field.abbrev.to_owned(),
        }
    }

    /// The name of the field in tables, if it is another one, without its occurrence.
    pub(super) fn title(&self, a: &Capture, b: &Capture) -> Option<String> {
        let of = |capture: &'_ Capture, place: Option<u32>| Some(capture.piece(&capture.field_at(place?)?.title).to_owned());
        let title = of(a, self.a).or_else(|| of(b, self.b)).filter(|title| !title.is_empty())?;
        Some(match &self.run {
            Some(run) => format!("{title}@{}:{}", run.start, run.len()),
            None => title,
        })
    }

    /// The label of the field; parts of bytes are bytes.
    pub(super) fn label(&self, field: &Field) -> Label {
        Label::of(field.field)
    }

    /// The value on one side, or the differing bytes of it.
    pub(super) fn text<'c>(&self, capture: &'c Capture, place: Option<u32>) -> Option<&'c str> {
        let text = capture.piece(&capture.field_at(place?)?.text);
        let Some(run) = &self.run else { return Some(text) };
        let end = text.len().min(run.end * 2);
        Some(text.get((run.start * 2).min(end)..end).unwrap_or_default())
    }
}

/// Differences between two messages, in the order of their fields.
pub(super) fn changes((a, one): (&Capture, &Message), (b, two): (&Capture, &Message), ignored: &Ignored) -> Vec<Change> {
    let (fields, others) = (a.fields_of(one), b.fields_of(two));
    let has = |is_equal: fn(&Keys, &Keys) -> bool| {
        fields.len() == others.len() && fields.iter().zip(others).all(|(field, other)| is_equal(&field.keys, &other.keys))
    };
    if has(|field, other| field == other) {
        return Vec::new();
    }
    let steps: Vec<Step> = if has(|field, other| field.weak == other.weak) {
        (0..fields.len()).map(|at| Step::Both(at, at)).collect()
    } else {
        let keys = |fields: &[Field]| fields.iter().map(|field| field.keys).collect::<Vec<_>>();
        let weak = |fields: &[Field], at: usize| fields.get(at).map(|field| field.keys.weak);
        align(&keys(fields), &keys(others), &|at, other| u32::from(weak(fields, at) == weak(others, other)))
    };
    let place = |message: &Message, at: usize| Some(Capture::first_field(message).saturating_add(u32::try_from(at).ok()?));
    let mut changes = Vec::new();
    for step in steps {
        match step {
            Step::A(at) => changes.push(Change { a: place(one, at), b: None, run: None }),
            Step::B(at) => changes.push(Change { a: None, b: place(two, at), run: None }),
            Step::Both(at, other) => {
                let (Some(field), Some(against)) = (fields.get(at), others.get(other)) else { continue };
                if field.keys.strong != against.keys.strong {
                    let change = Change { a: place(one, at), b: place(two, other), run: None };
                    differing((a, field), (b, against), change, ignored, &mut changes);
                }
            }
        }
    }
    without_parents(a, b, changes)
}

/// Adds a differing field: long bytes by their ranges.
fn differing(
    (a, field): (&Capture, &Field),
    (b, other): (&Capture, &Field),
    change: Change,
    ignored: &Ignored,
    to: &mut Vec<Change>,
) {
    let (text, against) = (a.piece(&field.text), b.piece(&other.text));
    let is_hex = |text: &str| text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_unknown = field.field.abbrev.starts_with("data");
    let is_long = text.len().max(against.len()) > SHORT * 2;
    if [field, other].iter().any(|one| one.field.kind != Kind::Bytes)
        || !is_hex(text)
        || !is_hex(against)
        || !(is_unknown || is_long)
    {
        to.push(change);
        return;
    }
    let runs = runs(text.as_bytes(), against.as_bytes(), |at| ignored.has_byte(field.bytes.start + at as u64));
    let many = runs.len() > RUNS;
    let whole = runs.first().zip(runs.last()).map(|(first, last)| first.start..last.end);
    let runs = if many { whole.into_iter().collect() } else { runs };
    to.extend(runs.into_iter().map(|run| Change { run: Some(run), ..change.clone() }));
}

/// Differing ranges of bytes, as two hexadecimal digits each. Excess bytes of one side are the last range.
fn runs(a: &[u8], b: &[u8], is_ignored: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let common = a.len().min(b.len()) / 2;
    let bytes = a.chunks(2).zip(b.chunks(2)).enumerate();
    for (at, _) in bytes.filter(|(at, (one, two))| one != two && !is_ignored(*at)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    let rest = common..a.len().max(b.len()) / 2;
    if !rest.is_empty() && !rest.clone().all(is_ignored) {
        runs.push(rest);
    }
    runs
}

/// Removes values that differ only because a value below them does.
fn without_parents(a: &Capture, b: &Capture, changes: Vec<Change>) -> Vec<Change> {
    let nodes = |change: &Change| {
        let of = |capture: &Capture, place: Option<u32>| capture.field_at(place?).map(|field| field.nodes);
        (of(a, change.a), of(b, change.b))
    };
    let is_within = |outer: Option<(u32, u32)>, inner: Option<(u32, u32)>| matches!((outer, inner), (Some((start, last)), Some((place, _))) if start < place && place <= last);
    let mut next = None;
    let mut kept: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes.into_iter().rev() {
        let own = nodes(&change);
        let is_parent = next.is_some_and(|(next_a, next_b)| is_within(own.0, next_a) || is_within(own.1, next_b));
        next = Some(own);
        if !is_parent {
            kept.push(change);
        }
    }
    kept.reverse();
    kept
}
