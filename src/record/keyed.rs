//! Representation of field values in JSON: the type of a name, and whether it may repeat.
//!
//! Both depend on field declarations only, never on a record, so that a name has the same type in every output.

use crate::layers;
use crate::registry::Registry;
use crate::tree::{Field, Kind, Times};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::LazyLock;

/// JSON type of the values of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// Numbers; `null` if not representable or masked.
    Number,
    /// `true` and `false`.
    Bool,
    /// Strings: text, addresses, bytes as hexadecimal digits.
    Text,
    /// Groups and protocols: objects of their children.
    Object,
}

impl JsonType {
    /// Type of a kind of value.
    #[must_use]
    pub const fn of(kind: Kind) -> JsonType {
        match kind {
            Kind::Number | Kind::Float => JsonType::Number,
            Kind::Bool => JsonType::Bool,
            Kind::Protocol | Kind::Group | Kind::Note(_) => JsonType::Object,
            Kind::Bytes | Kind::Text | Kind::Mac | Kind::Ipv4 | Kind::Ipv6 => JsonType::Text,
        }
    }

    /// Name in JSON Schema.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            JsonType::Number => "number",
            JsonType::Bool => "boolean",
            JsonType::Text => "string",
            JsonType::Object => "object",
        }
    }
}

/// Representation of the values of a name.
#[derive(Debug, Clone, Copy)]
pub struct Keyed {
    /// Type of a value.
    pub json: JsonType,
    /// Whether it may repeat in a record, so that its values form an array.
    pub repeats: bool,
    /// Whether it may repeat among its siblings, so that its values form an array in nested objects.
    pub repeats_in_parent: bool,
    /// Group that determines its index in the array, if each group has at most one.
    pub row: Option<&'static Field>,
    /// Whether groups of this field are rows.
    pub is_row: bool,
    /// Alias that has its value as a string, because the fields of that alias differ in type.
    pub joint: Option<&'static str>,
}

impl Keyed {
    /// Representation of a field under its name.
    #[must_use]
    pub fn of(field: &'static Field) -> Keyed {
        // A field that is not in the registry belongs to a protocol loaded at run time.
        KNOWN.get(&address(field)).copied().unwrap_or_else(|| derived(field, false, false))
    }

    /// Representation of several fields under a shared name.
    #[must_use]
    pub fn of_shared(fields: &[&'static Field]) -> Keyed {
        let mut all = fields.iter().map(|field| Keyed::of(field));
        let first = all.next().unwrap_or(Keyed::TEXTS);
        all.fold(Keyed { repeats: true, repeats_in_parent: true, ..first }, Keyed::with)
    }

    /// Combines two representations under one name.
    fn with(self, other: Keyed) -> Keyed {
        Keyed {
            json: if self.json == other.json { self.json } else { JsonType::Text },
            repeats: self.repeats || other.repeats,
            repeats_in_parent: self.repeats_in_parent || other.repeats_in_parent,
            row: self.row.filter(|row| other.row.is_some_and(|other| other.is(row))),
            is_row: self.is_row || other.is_row,
            joint: self.joint,
        }
    }

    /// Strings that may repeat.
    const TEXTS: Keyed =
        Keyed { json: JsonType::Text, repeats: true, repeats_in_parent: true, row: None, is_row: false, joint: None };

    /// Representation under the alias.
    #[must_use]
    pub fn of_joint(self) -> Keyed {
        Keyed { json: JsonType::Text, joint: None, ..self }
    }
}

/// Headers that occur at most once per frame. All others may repeat in tunnels, or in packets quoted by ICMP.
const LAST: [&str; 4] = ["arp", "igmp", "lldp", "tcp"];

static KNOWN: LazyLock<HashMap<usize, Keyed, RandomState>> = LazyLock::new(|| {
    let registry = Registry::default();
    let rows: Vec<&Field> = registry.fields().filter_map(row_of).collect();
    let mut known: HashMap<usize, Keyed, RandomState> = HashMap::default();
    for protocol in registry.protocols() {
        let may_repeat = layers::is_of_header(protocol.this) && !LAST.contains(&protocol.this.abbrev);
        for field in registry.fields_of(protocol) {
            let is_row = rows.iter().any(|row| row.is(field.row()));
            known.insert(address(field), derived(field, may_repeat, is_row));
        }
    }
    // Fields of one name have the same representation.
    let mut of_name: HashMap<&str, Keyed, RandomState> = HashMap::default();
    for field in registry.fields() {
        if let Some(keyed) = known.get(&address(field)) {
            of_name.entry(field.abbrev).and_modify(|all| *all = all.with(*keyed)).or_insert(*keyed);
        }
    }
    for field in registry.fields() {
        if let (Some(keyed), Some(all)) = (known.get_mut(&address(field)), of_name.get(field.abbrev)) {
            *keyed = *all;
        }
    }
    let mixed: Vec<&Field> = registry.fields().filter(|field| !field.also.is_empty() && is_mixed(registry, field.also)).collect();
    for field in mixed {
        if let Some(keyed) = known.get_mut(&address(field)) {
            keyed.joint = Some(field.also);
        }
    }
    known
});

fn address(field: &'static Field) -> usize {
    std::ptr::from_ref(field).addr()
}

fn derived(field: &Field, may_repeat: bool, is_row: bool) -> Keyed {
    let is_once = match field.generated {
        Some(generated) => matches!(generated.from, [source] if matches!(source.times, Times::Once)),
        None => matches!(field.times, Times::Once),
    };
    Keyed {
        json: JsonType::of(field.kind),
        repeats: may_repeat || !is_once,
        repeats_in_parent: matches!(field.times, Times::Any) && !is_once,
        row: row_of(field),
        is_row,
        joint: None,
    }
}

fn row_of(field: &Field) -> Option<&'static Field> {
    match field.times {
        Times::OncePer(group) => Some(group),
        Times::Any | Times::Once => None,
    }
}

/// Whether fields of different types share this name.
fn is_mixed(registry: Registry, name: &str) -> bool {
    let named = registry.named(name);
    named.windows(2).any(|pair| matches!(pair, [one, other] if JsonType::of(one.kind) != JsonType::of(other.kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(name: &str) -> Keyed {
        let fields = Registry::default().named(name);
        assert_eq!(fields.len(), 1, "{name}");
        Keyed::of(fields[0])
    }

    #[test]
    fn headers_repeat_in_tunnels_but_that_of_tcp() {
        assert!(keyed("ip.src").repeats && keyed("udp.length").repeats);
        assert!(!keyed("tcp.seq").repeats && keyed("tcp.option_kind").repeats);
    }

    #[test]
    fn rows_are_groups() {
        for field in Registry::default().fields() {
            if let Times::OncePer(group) = field.times {
                assert_eq!(group.kind, Kind::Group, "{field:?}");
                assert!(group.alike.is_none(), "{field:?}");
            }
        }
    }

    #[test]
    fn fields_of_several_types_have_a_joint_name() {
        assert_eq!(keyed("pipboy.entry.int").joint, Some("pipboy.entry.value"));
        assert_eq!(keyed("tcp.srcport").joint, None);
    }
}
