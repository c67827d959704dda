//! Elasticsearch: two lines per packet for its bulk API, as `tshark -T ek`.
//!
//! The first line has the index of the day, without `_type`, which is optional in Elasticsearch 7 and rejected by later versions.

use super::escape::{json, spelled};
use super::part::{Part, Proto, Show, protos};
use super::{Page, Shape, demand, flush_text};
use crate::record::pseudo::{self, PseudoValue};
use crate::record::{Record, View};
use crate::render::time::Rfc3339;
use crate::sink::{Printed, Sink};
use crate::tree::{Demand, Kind, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::io;

/// Milliseconds per second.
const MILLIS: i64 = 1000;

/// Prints packets for Elasticsearch.
pub struct Ek<W> {
    to: W,
    shape: Shape,
    text: String,
}

impl<W: io::Write> Ek<W> {
    /// Prints to `to`.
    pub fn new(to: W, shape: Shape) -> Ek<W> {
        Ek { to, shape, text: String::new() }
    }

    fn packet(&mut self, record: &Record<'_>) -> io::Result<()> {
        let Ek { to, shape, text, .. } = self;
        let time = time_of(record);
        text.push_str("{\"index\":{\"_index\":\"");
        index(time, text);
        text.push_str("\"}}\n{");
        if let Some(time) = time {
            let millis = time.seconds.saturating_mul(MILLIS).saturating_add(i64::from(time.nanos / 1_000_000));
            spelled(text, format_args!("\"timestamp\":\"{millis}\","));
        }
        text.push_str("\"layers\":{");
        let protos = protos(record, shape);
        let mut page = Page { text, to };
        for (at, (name, occurrences)) in by_name(&protos, |proto| proto.name).into_iter().enumerate() {
            page.raw(if at > 0 { ",\"" } else { "\"" });
            page.raw(&key(name));
            page.raw("\":");
            list(&occurrences, &mut page, |proto, page| layer(proto, time, shape, page))?;
        }
        page.raw("}}\n");
        flush_text(text, to)
    }
}

/// Index name, one per day.
pub(super) fn index(time: Option<Timestamp>, text: &mut String) {
    text.push_str("packets");
    if let Some(time) = time.and_then(Rfc3339::of) {
        let time = time.to_string();
        spelled(text, format_args!("-{}", time.split('T').next().unwrap_or_default()));
    }
}

/// Capture time of the frame.
pub(super) fn time_of(record: &Record<'_>) -> Option<Timestamp> {
    match pseudo::named("frame.time_epoch").and_then(|pseudo| (pseudo.of)(record)) {
        Some(PseudoValue::Time(time)) => Some(time),
        _ => None,
    }
}

/// A name and its parts.
pub(super) type Named<'a, K, T> = (K, Vec<&'a T>);

/// Groups parts by name, in the order of the first occurrence.
pub(super) fn by_name<T, K: Clone + Eq + Hash>(all: &[T], name: impl Fn(&T) -> K) -> Vec<Named<'_, K, T>> {
    let mut found: Vec<Named<'_, K, T>> = Vec::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    for one in all {
        let name = name(one);
        match places.get(&name).and_then(|place| found.get_mut(*place)) {
            Some((_, occurrences)) => occurrences.push(one),
            None => {
                places.insert(name.clone(), found.len());
                found.push((name, vec![one]));
            }
        }
    }
    found
}

/// Writes a single value, or an array of several.
pub(super) fn list<T>(
    all: &[&T],
    page: &mut Page<'_>,
    mut put: impl FnMut(&T, &mut Page<'_>) -> io::Result<()>,
) -> io::Result<()> {
    if let [one] = all {
        return put(one, page);
    }
    page.raw("[");
    for (at, one) in all.iter().enumerate() {
        if at > 0 {
            page.raw(",");
        }
        put(one, page)?;
    }
    page.raw("]");
    page.let_go()
}

/// Replaces dots in a key, which Elasticsearch interprets as objects.
pub(super) fn key(name: &str) -> String {
    name.replace('.', "_")
}

/// Key of a field, with its protocol as the prefix.
pub(super) fn field_key(name: &str) -> String {
    let protocol = match name.strip_prefix("_ws.").and_then(|rest| rest.split('.').next()) {
        Some(group) => format!("_ws_{group}"),
        None => name.split('.').next().unwrap_or_default().to_owned(),
    };
    format!("{protocol}_{}", key(name))
}

/// Writes a layer as an object of all its fields, flattened.
fn layer(proto: &Proto<'_>, time: Option<Timestamp>, shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    if !shape.kept.has_proto(proto.name) {
        return filtered(proto.name, page);
    }
    let mut all = Vec::new();
    flatten(&proto.parts, shape, &mut all);
    object(&all.iter().collect::<Vec<_>>(), time, shape, page)
}

/// Placeholder of omitted parts.
pub(super) fn filtered(name: &str, page: &mut Page<'_>) -> io::Result<()> {
    spelled(page.text, format_args!("{{\"filtered\":\"{name}\"}}"));
    Ok(())
}

/// A part, or a placeholder for omitted ones.
enum Flat<'p, 't> {
    Part(&'p Part<'t>),
    Own(Part<'t>),
}

impl<'t> Flat<'_, 't> {
    fn part(&self) -> &Part<'t> {
        match self {
            Flat::Part(part) => part,
            Flat::Own(part) => part,
        }
    }
}

/// Flattens parts with their subtrees. Expert information stays nested.
fn flatten<'p, 't>(parts: &'p [Part<'t>], shape: &Shape, out: &mut Vec<Flat<'p, 't>>) {
    for part in parts {
        out.push(Flat::Part(part));
        if shape.kept.has_field(part.name()) && !matches!(part, Part::Expert(_)) {
            own(part.parts(shape), shape, out);
        }
    }
}

/// Flattens owned parts.
fn own<'t>(parts: Vec<Part<'t>>, shape: &Shape, out: &mut Vec<Flat<'_, 't>>) {
    for part in parts {
        let below =
            if shape.kept.has_field(part.name()) && !matches!(part, Part::Expert(_)) { part.parts(shape) } else { Vec::new() };
        out.push(Flat::Own(part));
        own(below, shape, out);
    }
}

fn object(all: &[&Flat<'_, '_>], time: Option<Timestamp>, shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    page.raw("{");
    let named = by_name(all, |flat| match flat.part() {
        Part::Expert(_) => "_ws_expert".to_owned(),
        part => field_key(part.name()),
    });
    for (at, (name, occurrences)) in named.into_iter().enumerate() {
        page.raw(if at > 0 { ",\"" } else { "\"" });
        page.raw(&name);
        page.raw("\":");
        list(&occurrences, page, |flat, page| member(flat.part(), time, shape, page))?;
    }
    page.raw("}");
    page.let_go()
}

/// Writes the value of a field.
fn member(part: &Part<'_>, time: Option<Timestamp>, shape: &Shape, page: &mut Page<'_>) -> io::Result<()> {
    if let Part::Expert(_) = part {
        let below: Vec<Flat<'_, '_>> = part.parts(shape).into_iter().map(Flat::Own).collect();
        return object(&below.iter().collect::<Vec<_>>(), time, shape, page);
    }
    match (part.name(), time.and_then(Rfc3339::of)) {
        ("frame.time", Some(time)) => spelled(page.text, format_args!("\"{time}\"")),
        _ => shown(&part.shown(), part.kind(), page),
    }
    page.let_go()
}

/// Writes a value as a string, as tshark does for all types except booleans.
fn shown(shown: &Show, kind: Kind, page: &mut Page<'_>) {
    match shown {
        Show::Nothing => page.raw("null"),
        Show::Text(_) if matches!(kind, Kind::Group | Kind::Protocol | Kind::Note(_)) => page.raw("null"),
        Show::Truth(truth) => page.raw(if *truth { "true" } else { "false" }),
        Show::Text(text) => json(text, page.text),
    }
}

impl<W: io::Write> Sink for Ek<W> {
    fn demand(&self, _: View) -> Demand {
        demand()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) { Ok(()) } else { self.packet(record) }
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
