//! What of a frame somebody is going to look at.

use super::{Field, Kind};
use std::fmt;

/// What of a frame somebody is going to look at. Dissectors never ask; only the tree does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The fields below the layers: all of them, unless `only` says which.
    pub fields: bool,
    /// The only fields that are looked at, if it is known which.
    pub only: Option<Only>,
    /// The names of messages.
    pub names: bool,
    /// What messages and layers say, in a line each.
    pub words: bool,
    /// What messages and conversations carry that can be saved.
    pub objects: bool,
    /// How much came whole, and in what time.
    pub transfers: bool,
}

impl Want {
    /// All there is.
    pub const EVERYTHING: Want = Want { fields: true, only: None, names: true, words: true, objects: false, transfers: false };
    /// Layers with their headings.
    pub const HEADINGS: Want = Want { fields: false, ..Want::EVERYTHING };
    /// Layers with the names of messages.
    pub const NAMES: Want = Want { words: false, ..Want::HEADINGS };
    /// Just which layers there are.
    pub const LAYERS: Want = Want { names: false, ..Want::NAMES };
    /// What can be saved.
    pub const OBJECTS: Want = Want { objects: true, ..Want::LAYERS };

    /// The same without what is shown of a record; what can be saved or counted stays.
    #[must_use]
    pub const fn unseen(self) -> Want {
        Want { objects: self.objects, transfers: self.transfers, ..Want::LAYERS }
    }

    /// What either of two wants.
    #[must_use]
    pub fn and(self, other: Want) -> Want {
        let only = match (self.fields, other.fields) {
            (true, true) => self.only.zip(other.only).map(|(one, other)| one.and(other)),
            (true, false) => self.only,
            (false, true) => other.only,
            (false, false) => None,
        };
        Want {
            fields: self.fields || other.fields,
            only,
            names: self.names || other.names,
            words: self.words || other.words,
            objects: self.objects || other.objects,
            transfers: self.transfers || other.transfers,
        }
    }

    /// Whether nodes of this field are kept. Those of protocols always are.
    #[must_use]
    pub fn keeps(&self, field: &Field) -> bool {
        self.fields && self.only.is_none_or(|only| only.has(field))
    }
}

/// Some fields, found fast.
#[derive(Clone, Copy)]
pub struct Only {
    /// By their addresses.
    fields: &'static [&'static Field],
    /// A bit for each, by its address: most others have another one.
    marks: u64,
    /// A bit for each kind that they have.
    kinds: u16,
    /// All whose values have names are meant as well.
    named: bool,
}

impl Only {
    /// These fields. They stay for the rest of the run: a process asks for them once.
    #[must_use]
    pub fn these(fields: impl IntoIterator<Item = &'static Field>) -> Only {
        let mut fields: Vec<&'static Field> = fields.into_iter().collect();
        fields.sort_by_key(|field| address(field));
        fields.dedup_by_key(|field| address(field));
        let marks = fields.iter().fold(0, |marks, field| marks | mark(field));
        let kinds = fields.iter().fold(0, |kinds, field| kinds | kind(field));
        Only { fields: Vec::leak(fields), marks, kinds, named: false }
    }

    /// The same and all fields whose values have names.
    #[must_use]
    pub fn and_named(self) -> Only {
        Only { named: true, ..self }
    }

    fn and(self, other: Only) -> Only {
        Only { named: self.named || other.named, ..Only::these(self.fields.iter().chain(other.fields).copied()) }
    }

    /// Whether this field is one of them.
    #[must_use]
    pub fn has(self, field: &Field) -> bool {
        self.named && !field.names.is_empty()
            || self.marks & mark(field) != 0
                && self.kinds & kind(field) != 0
                && self.fields.binary_search_by_key(&address(field), |known| address(known)).is_ok()
    }
}

fn address(field: &Field) -> usize {
    std::ptr::from_ref(field).addr()
}

fn mark(field: &Field) -> u64 {
    /// Neighbours in memory get different bits.
    const APART: usize = size_of::<Field>();
    1 << (address(field) / APART % 64)
}

fn kind(field: &Field) -> u16 {
    let place = match field.kind {
        Kind::Protocol => 0,
        Kind::Group => 1,
        Kind::Number => 2,
        Kind::Float => 3,
        Kind::Bool => 4,
        Kind::Bytes => 5,
        Kind::Text => 6,
        Kind::Mac => 7,
        Kind::Ipv4 => 8,
        Kind::Ipv6 => 9,
        Kind::Note(_) => 10,
    };
    1 << place
}

impl PartialEq for Only {
    fn eq(&self, other: &Only) -> bool {
        self.named == other.named
            && self.fields.iter().map(|field| address(field)).eq(other.fields.iter().map(|field| address(field)))
    }
}

impl Eq for Only {}

impl fmt::Debug for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.fields).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIELDS: [Field; 200] = [const { Field::number("toy.number", "number", "A number") }; 200];

    #[test]
    fn exactly_the_fields_that_are_wanted_are_kept() {
        let some = Want { fields: true, only: Some(Only::these([&FIELDS[3], &FIELDS[70], &FIELDS[3]])), ..Want::LAYERS };
        let kept: Vec<usize> = (0..200).filter(|at| some.keeps(&FIELDS[*at])).collect();
        assert_eq!(kept, [3, 70]);
        assert!(Want::EVERYTHING.keeps(&FIELDS[0]) && !Want::HEADINGS.keeps(&FIELDS[3]));
    }

    #[test]
    fn fields_whose_values_have_names_are_kept_on_request() {
        static NAMED: Field = Field::number("toy.named", "named", "A number").names(&[(1, "one")]);
        let named = |only: Only| Want { fields: true, only: Some(only), ..Want::LAYERS };
        let some = named(Only::these([&FIELDS[3]]).and_named());
        assert!(some.keeps(&NAMED) && some.keeps(&FIELDS[3]) && !some.keeps(&FIELDS[4]));
        assert!(!named(Only::these([&FIELDS[3]])).keeps(&NAMED));
        assert!(named(Only::these([&FIELDS[4]])).and(some).keeps(&NAMED));
    }

    #[test]
    fn two_together_keep_what_either_wants() {
        let of = |at: usize| Want { fields: true, only: Some(Only::these([&FIELDS[at]])), ..Want::LAYERS };
        let both = of(1).and(of(2));
        assert!(both.keeps(&FIELDS[1]) && both.keeps(&FIELDS[2]) && !both.keeps(&FIELDS[4]));
        assert_eq!(both, of(2).and(of(1)));
        assert_eq!(of(1).and(Want::EVERYTHING).only, None);
        assert_eq!(Want::HEADINGS.and(of(1)).only, of(1).only);
        assert_eq!(of(1).and(Want::HEADINGS).only, of(1).only);
    }
}
