//! Fields that have one value in all messages.

use super::Names;
use crate::record::Message;
use crate::tree::{Field, Kind, NodeRef};
use std::collections::{HashMap, HashSet};

/// Occurrences below which a single value shows nothing.
const FEWEST: u64 = 8;

/// Maximum length of a value.
const LONGEST: usize = 40;

/// Values of fields.
pub(super) struct Constants {
    /// Names of attributes whose value the file states.
    stated: HashSet<String>,
    /// By address, as fields are never freed.
    fields: HashMap<usize, Constant, foldhash::fast::RandomState>,
}

struct Constant {
    field: &'static Field,
    /// The value; none once it varies.
    value: Option<String>,
    count: u64,
}

impl Constants {
    pub(super) fn new(names: &Names) -> Constants {
        Constants { stated: names.stated.clone(), fields: HashMap::default() }
    }

    /// Adds the fields of a message.
    pub(super) fn message(&mut self, message: &Message<'_>, node: NodeRef<'_>) {
        for one in (node.place() + 1..=node.last()).filter_map(|place| message.of.node(place)) {
            let field = one.field();
            let has_value = matches!(field.kind, Kind::Number | Kind::Float | Kind::Bool | Kind::Text | Kind::Bytes);
            if !has_value || one.is_secret() || one.span().is_empty() {
                continue;
            }
            let known = self.fields.entry(std::ptr::from_ref(field).addr());
            let known = known.or_insert_with(|| Constant { field, value: Some(shown(one)), count: 0 });
            known.count += 1;
            if known.value.is_some() && known.value != Some(shown(one)) {
                known.value = None;
            }
        }
    }

    /// Fields with one value, that value, and how often they occur, most frequent first.
    pub(super) fn all(&self) -> Vec<(&'static str, String, u64)> {
        let is_meant = |one: &&Constant| one.count >= FEWEST && !self.stated.contains(one.field.name);
        let constant = self.fields.values().filter(is_meant);
        let mut all: Vec<(&'static str, String, u64)> =
            constant.filter_map(|one| Some((one.field.abbrev, one.value.clone()?, one.count))).collect();
        all.sort_by(|(one, _, count), (other, _, than)| than.cmp(count).then(one.cmp(other)));
        all
    }
}

/// A value as in tables, cut.
fn shown(node: NodeRef<'_>) -> String {
    let mut value = String::new();
    // Writing to a string cannot fail.
    let _ = node.write_value(&mut value);
    if let Some((end, _)) = value.char_indices().nth(LONGEST) {
        value.truncate(end);
        value.push('…');
    }
    value
}
