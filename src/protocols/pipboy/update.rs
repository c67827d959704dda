//! Data updates: a sequence of entries, each a value with its ID.

use super::entry::{self, Ahead, BOOL, DICT, Fields, Lists, Parsed};
use super::world::{Handle, Outcome, ROOT, Scalar, World};
use super::*;
use crate::tree::{Field, NodeRef, Tree, Value, clean};
use crate::wire::{Cut, Error, Result, Wire};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Write as _};

/// Estimated mean size of an entry, used to reserve memory for a long message.
const ENTRY_MEAN: usize = 16;

/// Number of fields of an entry before its value.
const ENTRY_HEAD: usize = 3;

/// Number of entries above which a message has a summary.
const MANY: u64 = 64;

/// Number of bytes above which memory is reserved for a message.
const LONG: usize = 1 << 12;

/// Maximum number of root members in a summary.
const MEMBERS_MAX: usize = 64;

/// Summary fields that count entries by type.
static COUNTS: [&Field; 9] = [
    &SUMMARY_BOOL,
    &SUMMARY_INT8,
    &SUMMARY_UINT8,
    &SUMMARY_INT32,
    &SUMMARY_UINT32,
    &SUMMARY_FLOAT,
    &SUMMARY_STRING,
    &SUMMARY_LIST,
    &SUMMARY_DICT,
];

/// The other summary fields.
static SUMMARY_FIELDS: [&Field; 4] = [&SUMMARY, &SUMMARY_MEMBER, &SUMMARY_NAME, &SUMMARY_ENTRIES];

/// All fields of an entry except the type, which coverage requests separately for values without a name.
static ENTRY_FIELDS: [&Field; 23] = [
    &ENTRY,
    &ENTRY_ID,
    &ENTRY_PATH,
    &ENTRY_BOOL,
    &ENTRY_INT,
    &ENTRY_UINT,
    &ENTRY_FLOAT,
    &ENTRY_STRING,
    &ENTRY_CHANGE,
    &ENTRY_NEW,
    &BEFORE_BOOL,
    &BEFORE_INT,
    &BEFORE_UINT,
    &BEFORE_FLOAT,
    &BEFORE_STRING,
    &LIST_COUNT,
    &LIST_REF,
    &INSERT_COUNT,
    &INSERT,
    &INSERT_REF,
    &INSERT_KEY,
    &REMOVE_COUNT,
    &REMOVE_REF,
];

/// A message being read. Complete entries update the tree one by one; paths are resolved after the last one.
struct Update<'w, 'a> {
    /// `None` if the message is from the wrong side.
    world: Option<&'w mut World>,
    /// The root is known, so values that appear now are new.
    has_root: bool,
    /// A summary is requested.
    wants_summary: bool,
    /// Paths are requested.
    wants_paths: bool,
    /// No field of entries is requested.
    skims: bool,
    count: u64,
    types: [u64; 9],
    /// Path fields to fill in, with the node of the value.
    paths: Vec<(u32, Handle)>,
    /// Path fields of values without a node, with the ID of the value.
    lost: Vec<(u32, u32)>,
    /// References and members of the current entry.
    lists: Lists<'a>,
    /// The first changes, if lists show them.
    changes: Option<Changes>,
}

pub(super) fn data_update(wire: &mut Wire<'_>, mut world: Option<&mut World>) -> Result {
    let has_root = world.as_ref().is_some_and(|world| world.has_root());
    let (mut paths, lost, lists) = (Vec::new(), Vec::new(), Lists::default());
    let wants_summary = wire.wants(&SUMMARY_FIELDS) || wire.wants(&COUNTS);
    let wants_paths = world.is_some() && (wants_summary || wire.wants(&[&ENTRY_PATH]));
    if let Some(world) = world.as_mut().filter(|_| wire.remaining() > LONG) {
        let entries = wire.remaining() / ENTRY_MEAN;
        // Plus as many values that they refer to.
        world.expect(2 * entries);
        paths.reserve(if wants_paths { entries } else { 0 });
    }
    let skims = !wants_summary && !wire.wants(&ENTRY_FIELDS) && !wire.wants_value(&ENTRY_TYPE, Value::Unsigned(BOOL.into()));
    let changes = (has_root && wire.wants_preview()).then(Changes::default);
    let mut update =
        Update { world, has_root, wants_summary, wants_paths, skims, count: 0, types: [0; 9], paths, lost, lists, changes };
    let result = update.entries(wire);
    let count = update.count;
    wire.add(&ENTRY_COUNT, Value::Unsigned(count));
    wire.info(format_args!("{count} {}", if count == 1 { "entry" } else { "entries" }));
    update.finish(wire);
    result
}

/// Adds the entries of a queued update to the tree.
pub(super) fn add_queued(world: &mut World, entries: &[u8]) {
    let mut tree = Tree::discarded();
    let mut wire = Wire::new(&mut tree, 0, 0, entries, 0..entries.len(), Cut::No);
    // Errors are ignored: they were reported when the update arrived.
    let _ = data_update(&mut wire, Some(world));
}

impl<'a> Update<'_, 'a> {
    fn entries(&mut self, wire: &mut Wire<'a>) -> Result {
        wire.each(|wire| {
            match self.skim(wire.ahead()) {
                Some(len) => wire.skip(len)?,
                None => self.entry(wire)?,
            }
            self.note_inconsistencies(wire);
            self.count += 1;
            Ok(())
        })
    }

    /// Adds an entry to the tree without fields, if none is requested and the entry is well-formed. Returns its length.
    fn skim(&mut self, ahead: &'a [u8]) -> Option<usize> {
        if !self.skims {
            return None;
        }
        let mut behind = Ahead::<true>(ahead);
        let (kind, id) = entry::header(&mut behind).ok().filter(|(kind, _)| *kind <= DICT)?;
        let value = entry::value(&mut behind, kind, &mut self.lists).ok()?;
        self.apply(id, value);
        self.count_type(kind);
        Some(ahead.len() - behind.0.len())
    }

    /// Adds a value to the tree of values.
    fn apply(&mut self, id: u32, value: Parsed<'_>) -> Option<Outcome> {
        let world = self.world.as_deref_mut()?;
        let changes = self.changes.as_mut().filter(|changes| changes.has_room());
        let after = if let (Some(_), Parsed::Scalar(value)) = (&changes, &value) { Some(value.clone()) } else { None };
        let outcome = match value {
            Parsed::Scalar(value) => world.set(id, value),
            Parsed::List => world.list(id, &self.lists.refs),
            Parsed::Dict => world.dict(id, &self.lists.inserted, &self.lists.refs),
        };
        if let Some(changes) = changes {
            changes.put(after, &outcome);
        }
        Some(outcome)
    }

    fn entry(&mut self, wire: &mut Wire<'a>) -> Result {
        let left = wire.remaining();
        if left < entry::HEADER && wire.cut() == Cut::No {
            return wire
                .malformed(&ERROR_ENTRY_TRUNCATED, format_args!("{left} bytes left, an entry begins with {}", entry::HEADER));
        }
        let kind = wire.peek_u8().unwrap_or_default();
        if kind > DICT {
            return wire.malformed(&ERROR_ENTRY_TYPE, format_args!("entry type {kind} and its width are unknown"));
        }
        let result = wire.group(&ENTRY, |wire| {
            let (_, id) = entry::header(&mut Fields(wire))?;
            let place = self.wants_paths.then(|| wire.add(&ENTRY_PATH, Value::None));
            let value = entry::value(&mut Fields(wire), kind, &mut self.lists);
            let outcome = value.map(|value| self.apply(id, value));
            if let Some(place) = place {
                match outcome.as_ref().ok().and_then(|outcome| outcome.as_ref()?.handle) {
                    Some(handle) => self.paths.push((place, handle)),
                    None => self.lost.push((place, id)),
                }
            }
            self.add_changes(wire, outcome?);
            Ok(())
        });
        match (result, wire.cut()) {
            (Err(Error::Short { needed }), Cut::No) => {
                wire.malformed(&ERROR_ENTRY_TRUNCATED, format_args!("bytes missing from the value: {needed}"))
            }
            (Ok(()), _) => {
                self.count_type(kind);
                Ok(())
            }
            (result, _) => result,
        }
    }

    fn count_type(&mut self, kind: u8) {
        if let Some(count) = self.types.get_mut(usize::from(kind)) {
            *count += 1;
        }
    }

    /// Adds fields for the changes made by an entry.
    fn add_changes(&mut self, wire: &mut Wire<'_>, outcome: Option<Outcome>) {
        let Some(outcome) = outcome else { return };
        match outcome.before {
            Some(Scalar::Bool(truth)) => drop(wire.add(&BEFORE_BOOL, Value::Bool(truth))),
            Some(Scalar::Int(number)) => drop(wire.add(&BEFORE_INT, Value::Signed(number.into()))),
            Some(Scalar::Uint(number)) => drop(wire.add(&BEFORE_UINT, Value::Unsigned(number.into()))),
            Some(Scalar::Float(number)) => drop(wire.add(&BEFORE_FLOAT, Value::Single(number))),
            Some(Scalar::Text(text)) => drop(wire.add_text(&BEFORE_STRING, format_args!("{text}"))),
            None => {}
        }
        if let Some(change) = outcome.change {
            wire.add_text(&ENTRY_CHANGE, format_args!("{change}"));
        }
        if outcome.is_new && self.has_root {
            wire.add(&ENTRY_NEW, Value::Bool(true));
        }
    }

    /// Adds a note for inconsistent references of an entry.
    fn note_inconsistencies(&mut self, wire: &mut Wire<'_>) {
        if let Some(found) = self.world.as_mut().and_then(|world| world.take_inconsistencies()) {
            wire.note(&NOTE_TREE, format_args!("{found}"));
        }
    }

    /// Resolves paths after the last entry, and adds the summary.
    fn finish(self, wire: &mut Wire<'_>) {
        let Some(world) = self.world else { return };
        let is_long = self.count > MANY && self.wants_summary;
        let mut counts = Counts::default();
        let resolved = self.paths.iter().map(|(place, handle)| (*place, ROOT, Some(*handle)));
        let lost = self.lost.iter().map(|(place, id)| (*place, *id, None));
        for (place, id, handle) in resolved.chain(lost) {
            world.look_up(id, handle, |ancestors| {
                wire.set_text(place, &ENTRY_PATH, |out| ancestors.write(out));
                if is_long && let Some(top) = ancestors.top() {
                    *counts.entry(top).or_default() += 1;
                }
            });
        }
        if let Some(changes) = self.changes.filter(|_| self.count <= MANY) {
            changes.write(world, self.count, wire);
        }
        if is_long {
            wire.gather(&SUMMARY, |wire| summary(wire, world, &self.types, &counts));
        }
        world.settle();
    }
}

/// The first values that a message changed, each with its change in words.
#[derive(Default)]
struct Changes(Vec<(Option<Handle>, String)>);

impl Changes {
    /// Number of changes shown.
    const MOST: usize = 3;

    fn has_room(&self) -> bool {
        self.0.len() < Changes::MOST
    }

    /// Records a change, if there is one; `after` is the value of a node without children.
    fn put(&mut self, after: Option<Scalar<'_>>, outcome: &Outcome) {
        let words = match (after, &outcome.before, &outcome.change) {
            (Some(after), Some(before), _) => format!("{after} (was {before})"),
            (Some(after), None, _) if outcome.is_new => format!("{after} (new)"),
            (None, _, Some(change)) => format!("({change})"),
            _ => return,
        };
        self.0.push((outcome.handle, words));
    }

    /// Writes them as the preview of the message: `Map.World.Player.X -4298 (was -4310.5), +5 entries`.
    fn write(&self, world: &mut World, entries: u64, wire: &mut Wire<'_>) {
        if self.0.is_empty() {
            return;
        }
        let mut words = String::new();
        for (handle, change) in &self.0 {
            words.push_str(if words.is_empty() { "" } else { ", " });
            // Writing to a String does not fail.
            let _ = world.look_up(ROOT, *handle, |ancestors| ancestors.write(&mut words));
            words.push(' ');
            words.push_str(change);
        }
        match entries.saturating_sub(self.0.len() as u64) {
            0 => {}
            1 => words.push_str(", +1 entry"),
            // Writing to a String does not fail.
            rest => drop(write!(words, ", +{rest} entries")),
        }
        wire.preview(format_args!("{words}"));
    }
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(truth) => truth.fmt(f),
            Scalar::Int(number) => number.fmt(f),
            Scalar::Uint(number) => number.fmt(f),
            Scalar::Float(number) => number.fmt(f),
            Scalar::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// Number of entries by root member.
type Counts = HashMap<u32, u64, RandomState>;

/// Adds the number of entries by type and by root member.
fn summary(wire: &mut Wire<'_>, world: &World, types: &[u64; 9], counts: &Counts) {
    for (field, count) in COUNTS.iter().zip(types).filter(|(_, count)| **count > 0) {
        wire.add(field, Value::Unsigned(*count));
    }
    let tops = world.tops().filter_map(|(top, name)| Some((name, *counts.get(&top)?)));
    for (name, count) in tops.take(MEMBERS_MAX) {
        wire.gather(&SUMMARY_MEMBER, |wire| {
            wire.add_text(&SUMMARY_NAME, format_args!("{name}"));
            wire.add(&SUMMARY_ENTRIES, Value::Unsigned(count));
        });
    }
}

/// Writes the value, or the number of references.
pub(super) fn entry_value(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let is_value = |child: &NodeRef<'_>| ![&ENTRY_TYPE, &ENTRY_ID, &ENTRY_PATH].iter().any(|head| child.field().is(head));
    let Some(value) = entry.children().find(is_value) else { return Ok(()) };
    match value.number() {
        Some(1) if value.field().is(&LIST_COUNT) => out.write_str("1 ref"),
        Some(count) if value.field().is(&LIST_COUNT) => write!(out, "{count} refs"),
        Some(inserted) if value.field().is(&INSERT_COUNT) => {
            write!(out, "+{inserted}")?;
            match entry.child(&REMOVE_COUNT).and_then(NodeRef::number) {
                None | Some(0) => Ok(()),
                Some(removed) => write!(out, " -{removed}"),
            }
        }
        _ => value.write_value(out),
    }
}

/// Writes type, ID, path and previous value.
pub(super) fn entry_meaning(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    for child in entry.children() {
        let field = child.field();
        if field.is(&ENTRY_TYPE) {
            out.write_str(child.name().unwrap_or_default())?;
        } else if field.is(&ENTRY_ID) {
            out.write_str(", id ")?;
            digits(child.number().unwrap_or_default(), out)?;
        } else if field.is(&ENTRY_PATH) {
            out.write_str(", ")?;
            clean(&path_of(child), out)?;
        } else if field.also == BEFORE_BOOL.also {
            out.write_str(", was ")?;
            child.write_value(out)?;
        } else if field.is(&ENTRY_CHANGE) {
            out.write_str(", ")?;
            clean(&child.text(), out)?;
        } else if field.is(&ENTRY_NEW) {
            out.write_str(", new")?;
        }
    }
    Ok(())
}

/// Writes the path.
pub(super) fn entry_title(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    entry.child(&ENTRY_PATH).map_or(Ok(()), |path| clean(&path_of(path), out))
}

/// Writes the previous value, or another change, then type and ID.
pub(super) fn entry_change(entry: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut between = "";
    for child in entry.children() {
        let field = child.field();
        if field.also == BEFORE_BOOL.also {
            out.write_str("was ")?;
            child.write_value(out)?;
        } else if field.is(&ENTRY_CHANGE) {
            clean(&child.text(), out)?;
        } else if field.is(&ENTRY_NEW) {
            out.write_str("new")?;
        } else {
            continue;
        }
        between = ", ";
    }
    if let Some(kind) = entry.child(&ENTRY_TYPE) {
        out.write_str(between)?;
        out.write_str(kind.name().unwrap_or_default())?;
    }
    let Some(id) = entry.child(&ENTRY_ID) else { return Ok(()) };
    out.write_str(", id ")?;
    digits(id.number().unwrap_or_default(), out)
}

/// Writes a number without `format!`: there are millions of entries.
fn digits(number: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(itoa::Buffer::new().format(number))
}

/// Path as displayed; the root's own path is empty.
fn path_of(path: NodeRef<'_>) -> Cow<'_, str> {
    match path.text() {
        text if text.is_empty() => Cow::Borrowed("(root)"),
        text => text,
    }
}

/// Writes the name of the member.
pub(super) fn insert_value(insert: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    insert.child(&INSERT_KEY).map_or(Ok(()), |key| key.write_value(out))
}

/// Writes the ID of the member.
pub(super) fn insert_id(insert: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(id) = insert.child(&INSERT_REF).and_then(NodeRef::number) else { return Ok(()) };
    out.write_str("id ")?;
    digits(id, out)
}

/// Writes the ID and the path of the member.
pub(super) fn insert_meaning(insert: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(id) = insert.child(&INSERT_REF).and_then(NodeRef::number) else { return Ok(()) };
    out.write_str("ref ")?;
    digits(id, out)?;
    let (Some(path), Some(key)) = (path_above(insert), insert.child(&INSERT_KEY)) else { return Ok(()) };
    out.write_str(", ")?;
    clean(&path.text(), out)?;
    out.write_str(if path.text().is_empty() { "" } else { "." })?;
    clean(&key.text(), out)
}

/// Writes the ID of a list element.
pub(super) fn ref_value(element: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    element.number().map_or(Ok(()), |id| digits(id, out))
}

/// Writes the path of a list element. Its index follows from the distance to the path of the list.
pub(super) fn ref_meaning(element: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(path) = path_above(element) else { return Ok(()) };
    clean(&path.text(), out)?;
    out.write_str("[")?;
    digits(element.place().saturating_sub(path.place() + 2).into(), out)?;
    out.write_str("]")
}

/// Returns the path node of the enclosing entry.
fn path_above(part: NodeRef<'_>) -> Option<NodeRef<'_>> {
    part.parent()?.children().take(ENTRY_HEAD).find(|child| child.field().is(&ENTRY_PATH))
}

/// Writes the name of the member.
pub(super) fn top_value(top: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    top.child(&SUMMARY_NAME).map_or(Ok(()), |name| name.write_value(out))
}

/// Writes the number of entries below the member.
pub(super) fn top_meaning(top: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match top.child(&SUMMARY_ENTRIES).and_then(NodeRef::number) {
        Some(1) => out.write_str("1 entry"),
        Some(count) => write!(out, "{count} entries"),
        None => Ok(()),
    }
}
