//! Interned fields of tables, kept for the rest of the run.

use super::super::fields::FIELDS;
use super::super::types::Type;
use super::super::value_names::names_in;
use super::{Info, Table, Updates, osrs, parse};
use crate::tree::{Field, Kind};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A name is one field while its values are of one kind: numbers, component IDs, texts as they are, texts in codes.
type Key = (String, Kind, bool, bool);

/// Constructor from name, label and description.
type Make = fn(&'static str, &'static str, &'static str) -> Field;

static KNOWN: LazyLock<Mutex<HashMap<Key, &'static Field, RandomState>>> = LazyLock::new(Mutex::default);

static WORDS: LazyLock<Mutex<HashMap<String, &'static str, RandomState>>> = LazyLock::new(Mutex::default);

/// Interns a string.
pub fn leak(words: &str) -> &'static str {
    let mut known = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(words) = known.get(words) {
        return words;
    }
    let kept: &'static str = Box::leak(words.to_owned().into_boxed_str());
    known.insert(words.to_owned(), kept);
    kept
}

/// Interns the field `name` of a packet for values of this type.
pub fn intern(prefix: &str, packet: &str, name: &str, of: Type) -> &'static Field {
    let abbrev = format!("{prefix}.{name}");
    // The hint arrow of the older engines has a type of its own, with fixed fields.
    let is_fixed = |fixed: &&&'static Field| fixed.abbrev == abbrev && fixed.kind == of.kind();
    if packet == "hint_arrow"
        && let Some(fixed) = FIELDS.iter().find(is_fixed)
    {
        return fixed;
    }
    let is_coded = matches!(of, Type::Name | Type::Packed(_) | Type::Coded);
    let key = (abbrev, of.kind(), matches!(of, Type::Component(_)), is_coded);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(field) = known.get(&key) {
        return field;
    }
    let about = format!("{} of {packet}", name.replace('_', " "));
    let mut field = of.field(leak(&key.0), leak(&name.replace('_', " ")), leak(&about)).names(names_in(packet, name));
    // Other revisions may encode the same field differently.
    field.transformed = of.kind() == Kind::Number || field.transformed;
    let field: &'static Field = Box::leak(Box::new(field));
    known.insert(key, field);
    field
}

/// Interns the field `name` for bit numbers.
pub fn number(prefix: &str, name: &str, packet: &str) -> &'static Field {
    keep(prefix, name, packet, Field::number)
}

/// Interns the field `name` for a group.
pub fn group(prefix: &str, name: &str, packet: &str) -> &'static Field {
    keep(prefix, name, packet, Field::group)
}

fn keep(prefix: &str, name: &str, packet: &str, make: Make) -> &'static Field {
    let abbrev = leak(&format!("{prefix}.{name}"));
    let field = make(abbrev, leak(&name.replace('_', " ")), leak(&format!("{} in {packet}", name.replace('_', " "))));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((abbrev.to_owned(), field.kind, false, false)).or_insert_with(|| Box::leak(Box::new(field)))
}

/// Interns the fields of the built-in tables. Rows that revisions share are parsed once.
static BUILT_IN: LazyLock<()> = LazyLock::new(|| {
    Table::revisions().filter(|revision| !revision.is_osrs).filter_map(Table::of).for_each(drop);
    Updates::all();
    for (name, list) in osrs::every_packet().filter(|(_, list)| *list != "-") {
        // Tests parse every row.
        drop(parse(&format!("rs.{name}"), name, list, &[]));
    }
    drop(Info::of(&osrs::every_info()));
});

/// All interned fields in alphabetical order, including those of the built-in tables.
pub fn fields() -> Vec<&'static Field> {
    LazyLock::force(&BUILT_IN);
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fields: Vec<_> = known.values().copied().collect();
    fields.sort_by_key(|field| field.abbrev);
    fields
}
