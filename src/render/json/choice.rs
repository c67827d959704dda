//! Selection of fields by `-e` in JSON.

use super::keys;
use super::typed::literal;
use crate::record::{Keyed, Record, Remembered, RememberedValue};
use crate::registry::Registry;
use crate::render::{Column, Computation, Pseudo, Values};
use crate::tree::{Carriers, Demand, Field, Fields, Kind, NodeRef, Only};
use std::sync::Arc;

/// Selected fields.
#[derive(Clone, Default)]
pub struct Choice {
    /// Keys of a flat or nested record.
    keys: Vec<&'static str>,
    pseudos: Vec<&'static Pseudo>,
    computations: Vec<(String, Arc<Computation>)>,
    columns: Vec<Chosen>,
}

/// A name and its fields.
#[derive(Clone)]
struct Chosen {
    name: String,
    fields: Vec<&'static Field>,
    keyed: Keyed,
}

pub enum SelectedField<'t> {
    /// With what lies below it.
    Whole(NodeRef<'t>),
    /// Without its subtree.
    Alone(NodeRef<'t>),
    /// Generated, with its value as JSON.
    Computed(&'static Field, String),
}

/// A key of a value.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    pub name: &'a str,
    /// Representation of its values.
    pub keyed: Keyed,
    /// Whether the fields of this name differ in type, so that values are strings.
    pub is_joint: bool,
}

impl Choice {
    /// Selects these columns, and these keys of a record.
    pub fn new(columns: Vec<Column>, keys: Vec<&'static str>) -> Choice {
        let mut choice = Choice { keys, ..Choice::default() };
        for Column { name, of } in columns {
            match of {
                Values::Pseudo(pseudo) => choice.pseudos.push(pseudo),
                Values::Computed(computation) => choice.computations.push((name, computation)),
                Values::Fields(fields) => {
                    // The name belongs to this field; other fields with this alias keep their own names.
                    let own: Vec<&Field> = fields.iter().copied().filter(|field| field.abbrev == name).collect();
                    let fields = if own.is_empty() { fields } else { own };
                    let keyed = match fields[..] {
                        [field] => Keyed::of(field),
                        _ => Keyed::of_shared(&fields),
                    };
                    choice.columns.push(Chosen { name, fields, keyed });
                }
            }
        }
        choice
    }

    /// Required parts of a tree.
    pub fn demand(&self) -> Demand {
        let named: Vec<&'static Field> = self.fields().flat_map(|field| field.with_sources()).collect();
        // A group includes the fields below it; some texts depend on other fields.
        let takes_others = |field: &&Field| field.collapsed.is_some() || matches!(field.kind, Kind::Group | Kind::Protocol);
        let rows = named.iter().filter_map(|field| Keyed::of(field).row);
        let rows: Vec<&'static Field> =
            rows.flat_map(|row| Registry::default().fields().filter(move |field| field.row().is(row))).collect();
        let only = Only::these(named.iter().copied());
        let fields = if named.iter().any(takes_others) {
            Fields::All
        } else {
            Fields::Only(Only::these(named.iter().copied().chain(rows)))
        };
        let named = Some(only).filter(|only| !only.is_empty());
        let demand = Demand { fields, carriers: Carriers::Full, named, ..Demand::EVERYTHING };
        let computed = self.computations.iter().map(|(_, computation)| Demand { carriers: Carriers::Full, ..computation.demand });
        computed.fold(demand, Demand::and)
    }

    /// Selected pseudo-fields.
    pub fn pseudos(&self) -> impl Iterator<Item = &'static Pseudo> + '_ {
        self.pseudos.iter().copied()
    }

    /// Selected expressions, and their values for a record.
    pub fn computations(&self, record: &Record<'_>) -> impl Iterator<Item = (&str, Vec<String>)> {
        self.computations.iter().map(|(text, computation)| {
            let mut values = Vec::new();
            (computation.each)(record, &mut |value| values.push(value.to_owned()));
            (text.as_str(), values)
        })
    }

    /// Whether a key of a record is selected.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    fn fields(&self) -> impl Iterator<Item = &'static Field> + '_ {
        self.columns.iter().flat_map(|column| column.fields.iter().copied())
    }

    /// Whether the whole subtree of this field is selected.
    pub fn is_whole(&self, field: &Field) -> bool {
        matches!(field.kind, Kind::Group | Kind::Protocol) && self.names(field)
    }

    fn names(&self, field: &Field) -> bool {
        self.fields().any(|named| named.is(field))
    }

    /// Keys of the values of a field.
    pub fn keys_of(&self, field: &'static Field) -> impl Iterator<Item = Key<'_>> {
        let named = self.columns.iter().filter(move |column| column.fields.iter().any(|named| named.is(field)));
        named.map(move |column| Key {
            name: &column.name,
            keyed: column.keyed,
            is_joint: column.keyed.json != Keyed::of(field).json,
        })
    }

    /// Generated values at a node, as JSON, with their keys.
    pub fn computed<'a>(&'a self, node: NodeRef<'_>, mut take: impl FnMut(Key<'a>, &'static Field, String)) {
        for column in &self.columns {
            for field in column.fields.iter().filter(|field| field.generated.is_some()) {
                let key = Key { name: &column.name, keyed: column.keyed, is_joint: false };
                field.compute(node, &mut |computed| take(key, field, literal(field, &computed)));
            }
        }
    }

    /// Remembered values of fields whose layers are not in the tree of a record.
    pub fn remembered<'a>(&'a self, record: &Record<'_>, mut take: impl FnMut(Key<'a>, &'static Field, RememberedValue)) {
        let Some(remembered) = Remembered::of(record) else { return };
        for column in &self.columns {
            for field in &column.fields {
                if let Some(known) = remembered.value(field) {
                    take(Key { name: &column.name, keyed: column.keyed, is_joint: false }, field, known);
                }
            }
        }
    }

    /// Selected fields below a node, in order.
    pub fn kept<'t>(&self, node: NodeRef<'t>) -> std::vec::IntoIter<SelectedField<'t>> {
        let mut kept = Vec::new();
        let mut behind = node.place();
        let all_below = self.is_whole(node.field());
        for node in std::iter::once(node).chain(below(node)) {
            let field = node.field();
            self.computed(node, |_, field, value| kept.push(SelectedField::Computed(field, value)));
            if node.place() <= behind {
                continue;
            }
            if all_below || self.is_whole(field) {
                kept.push(SelectedField::Whole(node));
                behind = node.last();
            } else if self.names(field) {
                kept.push(SelectedField::Alone(node));
            }
        }
        kept.into_iter()
    }
}

/// Descendants of a node.
pub fn below<'t>(node: NodeRef<'t>) -> impl Iterator<Item = NodeRef<'t>> {
    let of = node.dissection();
    (node.place() + 1..=node.last()).filter_map(move |place| of.node(place))
}

/// Keys of a field if all fields are selected.
pub fn own_keys<'a>(field: &'static Field) -> impl Iterator<Item = Key<'a>> {
    let keyed = Keyed::of(field);
    let joint = keyed.joint.map(|name| Key { name, keyed: keyed.of_joint(), is_joint: true });
    [Key { name: field.abbrev, keyed, is_joint: false }].into_iter().chain(joint)
}

/// Key of every flat and nested record with this name.
pub fn record_key(name: &str) -> Option<&'static str> {
    keys::NAMES.iter().copied().find(|key| *key == name)
}
