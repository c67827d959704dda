//! What of a frame somebody is going to look at.

use super::{Field, Kind, Value, name_of};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What of a frame somebody is going to look at. Dissectors never ask; only the tree does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// The fields below the layers: all of them, unless `only` says which.
    pub fields: bool,
    /// The only fields that are looked at, if it is known which.
    pub only: Option<Only>,
    /// Where all fields are looked at: also those of headers that do nothing but carry messages.
    pub carriers: bool,
    /// Those headers at all, or what they tell beside who speaks to whom.
    pub headers: bool,
    /// The bytes of messages that lie in several frames.
    pub bytes: bool,
    /// The names of messages.
    pub names: bool,
    /// What messages and layers say, in a line each.
    pub words: bool,
    /// What messages and conversations carry that can be saved.
    pub objects: bool,
    /// How much came whole, and in what time.
    pub transfers: bool,
    /// Remarks on messages that are well-formed. Whether one is not is always told.
    pub remarks: bool,
    /// Nothing but the fields that are looked at: neither which layers they are of nor who speaks to whom.
    pub loose: bool,
    /// What conversations say at all. Else frames are read one by one, as far as their own headers go, and what is counted
    /// of messages, gaps and the like is nothing.
    pub streams: bool,
    /// The fields that filters and columns name, if any do: those that are worked out only on request are among them.
    pub asked: Option<Only>,
}

impl Demand {
    /// All there is.
    pub const EVERYTHING: Demand = Demand {
        fields: true,
        only: None,
        carriers: true,
        headers: true,
        bytes: true,
        names: true,
        words: true,
        objects: false,
        transfers: false,
        remarks: true,
        loose: false,
        streams: true,
        asked: None,
    };
    /// All there is of what is told, and nothing of headers that do nothing but carry it.
    pub const MESSAGES: Demand = Demand { carriers: false, ..Demand::EVERYTHING };
    /// Layers with their headings.
    pub const HEADINGS: Demand = Demand { fields: false, bytes: false, ..Demand::MESSAGES };
    /// Layers with the names of messages.
    pub const NAMES: Demand = Demand { words: false, ..Demand::HEADINGS };
    /// Just which layers there are.
    pub const LAYERS: Demand = Demand { names: false, ..Demand::NAMES };
    /// Layers with their bytes, which following a conversation takes.
    pub const STREAM_BYTES: Demand = Demand { bytes: true, ..Demand::LAYERS };
    /// What can be saved.
    pub const OBJECTS: Demand = Demand { objects: true, ..Demand::LAYERS };

    /// The same without what is shown of a record; what can be saved or counted stays.
    #[must_use]
    pub const fn filtered_out(self) -> Demand {
        let Demand { objects, transfers, streams, asked, .. } = self;
        Demand { headers: false, remarks: false, objects, transfers, streams, asked, ..Demand::LAYERS }
    }

    /// Whether anybody looks at more of a message than which it is, and whether it is well-formed.
    #[must_use]
    pub const fn looks(&self) -> bool {
        self.fields || self.remarks || self.objects
    }

    /// Whether messages are only counted: nobody looks at which they are.
    #[must_use]
    pub const fn only_counts(&self) -> bool {
        !self.looks() && !self.names
    }

    /// What either of two wants.
    #[must_use]
    pub fn and(self, other: Demand) -> Demand {
        let only = match (self.fields, other.fields) {
            (true, true) => self.only.zip(other.only).map(|(one, other)| one.and(other)),
            (true, false) => self.only,
            (false, true) => other.only,
            (false, false) => None,
        };
        Demand {
            fields: self.fields || other.fields,
            only,
            carriers: self.carriers || other.carriers,
            headers: self.headers || other.headers,
            bytes: self.bytes || other.bytes,
            names: self.names || other.names,
            words: self.words || other.words,
            objects: self.objects || other.objects,
            transfers: self.transfers || other.transfers,
            remarks: self.remarks || other.remarks,
            loose: self.loose && other.loose,
            streams: self.streams || other.streams,
            asked: match (self.asked, other.asked) {
                (Some(one), Some(other)) => Some(one.and(other)),
                (one, other) => one.or(other),
            },
        }
    }

    /// Whether somebody names this field. To be asked before working out what is shown only on request.
    #[must_use]
    pub fn asks(&self, field: &Field) -> bool {
        self.asked.is_some_and(|asked| asked.has(field))
    }

    /// Whether a node of this field with this value is kept. Those of protocols always are.
    #[must_use]
    #[inline]
    pub fn keeps(&self, field: &Field, value: Value) -> bool {
        self.fields && self.only.is_none_or(|only| only.has(field) || only.0.nameless && is_nameless(field, value))
    }

    /// Whether nodes of this field are kept, with some values at least.
    #[must_use]
    #[inline]
    pub fn may_keep(&self, field: &Field) -> bool {
        self.fields && self.only.is_none_or(|only| only.has(field) || only.0.nameless && !field.names.is_empty())
    }

    /// The same for a header that does nothing but carry messages.
    #[must_use]
    pub const fn for_carriers(self) -> Demand {
        match self.carriers || self.only.is_some() {
            true => self,
            false => Demand { fields: false, words: false, ..self },
        }
    }

    /// Whether nobody looks at what the headers that most frames have are made of, but at who sends what to whom.
    #[must_use]
    pub fn passes_headers(&self) -> bool {
        !self.fields || self.only.is_some_and(|only| only.passes())
    }

    /// Whether fields are looked at, but none that a message may have.
    #[must_use]
    pub fn is_of_headers_alone(&self) -> bool {
        self.fields && self.only.is_some_and(|only| only.0.of_headers)
    }
}

/// Some fields, found fast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Only(&'static Chosen);

#[derive(Clone, PartialEq, Eq)]
struct Chosen {
    /// The fields by their addresses, in order.
    fields: Vec<Place>,
    /// The first one of each place that addresses lead to.
    first: [Option<Place>; PLACES],
    /// A bit for each kind that they are of.
    kinds: u64,
    /// Numbers as well that have no name although their field has names.
    nameless: bool,
    /// They are all fields of headers, which no message has.
    of_headers: bool,
    /// None is a field of a plain header but those that even one that is passed over gives.
    passes: bool,
}

/// Places that addresses of fields lead to, a power of two.
const PLACES: usize = 256;

/// A field, known by where it is.
#[derive(Clone, Copy)]
struct Place(&'static Field);

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        self.0.is(other.0)
    }
}

impl Eq for Place {}

impl Only {
    /// These fields.
    #[must_use]
    pub fn these(fields: impl IntoIterator<Item = &'static Field>) -> Only {
        let mut fields: Vec<Place> = fields.into_iter().map(Place).collect();
        fields.sort_by_key(|place| address(place.0));
        fields.dedup();
        let mut first = [None; PLACES];
        for field in fields.iter().rev() {
            if let Some(place) = first.get_mut(place_of(field.0)) {
                *place = Some(*field);
            }
        }
        let kinds = fields.iter().fold(0, |kinds, place| kinds | kind(place.0));
        Only::kept(Chosen { fields, first, kinds, nameless: false, of_headers: false, passes: false })
    }

    /// A choice is made once and stays for the rest of the run, so that it can be handed about as a word.
    fn kept(chosen: Chosen) -> Only {
        static ALL: Mutex<Vec<&'static Chosen>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|known| ***known == chosen).copied();
        Only(known.unwrap_or_else(|| {
            let new: &'static Chosen = Box::leak(Box::new(chosen));
            all.push(new);
            new
        }))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.fields.is_empty() && !self.0.nameless
    }

    /// Whether all are read even where plain headers are passed over, as far as they are of headers.
    #[must_use]
    pub fn passes(self) -> bool {
        self.0.passes
    }

    /// The same, knowing where they are read: whether all are among those of headers, and whether all are read even where
    /// plain headers are passed over.
    #[must_use]
    pub fn classified(self, is_of_header: impl Fn(&Field) -> bool, is_passed: impl Fn(&Field) -> bool) -> Only {
        let of_headers = !self.0.nameless && self.fields().all(&is_of_header);
        let passes = !self.fields().any(is_passed);
        Only::kept(Chosen { of_headers, passes, ..self.0.clone() })
    }

    /// The same, and every number that has no name although its field has names.
    #[must_use]
    pub fn and_nameless(self) -> Only {
        Only::kept(Chosen { nameless: true, ..self.0.clone() })
    }

    fn and(self, other: Only) -> Only {
        let Chosen { nameless, of_headers, passes, .. } = *self.0;
        let both = Only::these(self.fields().chain(other.fields()));
        Only::kept(Chosen {
            nameless: nameless || other.0.nameless,
            of_headers: of_headers && other.0.of_headers,
            passes: passes && other.0.passes,
            ..both.0.clone()
        })
    }

    /// Each of them.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.0.fields.iter().map(|place| place.0)
    }

    /// Whether this field is one of them.
    #[must_use]
    #[inline]
    pub fn has(self, field: &Field) -> bool {
        if self.0.kinds & kind(field) == 0 {
            return false;
        }
        // Nearly always there is none at its place, or it is the one.
        match self.0.first.get(place_of(field)) {
            Some(Some(first)) => first.0.is(field) || self.lists(field),
            _ => false,
        }
    }

    #[cold]
    fn lists(self, field: &Field) -> bool {
        self.0.fields.binary_search_by_key(&address(field), |known| address(known.0)).is_ok()
    }
}

#[inline]
fn is_nameless(field: &Field, value: Value) -> bool {
    match value {
        _ if field.names.is_empty() => false,
        Value::Unsigned(number) => field.secret || name_of(field.names, number).is_none(),
        value => matches!(value, Value::Signed(_) | Value::Bool(_)),
    }
}

#[inline]
fn kind(field: &Field) -> u64 {
    1 << match field.kind {
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
    }
}

#[inline]
fn address(field: &Field) -> usize {
    std::ptr::from_ref(field).addr()
}

/// Where its address leads to, among [`PLACES`]: neighbours in memory to different places.
#[inline]
fn place_of(field: &Field) -> usize {
    const MIX: usize = 0x9e37_79b9_7f4a_7c15;
    address(field).wrapping_mul(MIX) >> (usize::BITS - PLACES.trailing_zeros())
}

impl fmt::Debug for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.fields()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIELDS: [Field; 200] = [const { Field::number("toy.number", "number", "A number") }; 200];

    #[test]
    fn exactly_the_fields_that_are_wanted_are_kept() {
        let some = Demand { fields: true, only: Some(Only::these([&FIELDS[3], &FIELDS[70], &FIELDS[3]])), ..Demand::LAYERS };
        let kept: Vec<usize> = (0..200).filter(|at| some.keeps(&FIELDS[*at], Value::Bytes)).collect();
        assert_eq!(kept, [3, 70]);
        assert!(Demand::EVERYTHING.keeps(&FIELDS[0], Value::Bytes) && !Demand::HEADINGS.keeps(&FIELDS[3], Value::Bytes));
    }

    #[test]
    fn fields_that_share_a_place_are_told_apart() {
        static MANY: [Field; 2000] = [const { Field::number("toy.many", "many", "A number") }; 2000];
        for every in [1, 2, 3, 7, 50] {
            let only = Only::these(MANY.iter().step_by(every));
            assert!((0..2000).all(|at| only.has(&MANY[at]) == (at % every == 0)), "{every}");
        }
    }

    #[test]
    fn values_without_a_name_are_kept_on_request() {
        static NAMED: Field = Field::number("toy.named", "named", "A number").names(&[(1, "one")]);
        let of = |only: Only| Demand { fields: true, only: Some(only), ..Demand::LAYERS };
        let some = of(Only::these([&FIELDS[3]]).and_nameless());
        assert!(some.keeps(&NAMED, Value::Unsigned(2)) && !some.keeps(&NAMED, Value::Unsigned(1)));
        assert!(some.keeps(&FIELDS[3], Value::Unsigned(1)) && !some.keeps(&FIELDS[4], Value::Unsigned(2)));
        assert!(!of(Only::these([&FIELDS[3]])).keeps(&NAMED, Value::Unsigned(2)));
        assert!(of(Only::these([&FIELDS[4]])).and(some).keeps(&NAMED, Value::Unsigned(2)));
    }

    #[test]
    fn two_together_keep_what_either_wants() {
        let of = |at: usize| Demand { fields: true, only: Some(Only::these([&FIELDS[at]])), ..Demand::LAYERS };
        let both = of(1).and(of(2));
        assert!([1, 2].iter().all(|at| both.keeps(&FIELDS[*at], Value::Bytes)) && !both.keeps(&FIELDS[4], Value::Bytes));
        assert_eq!(both, of(2).and(of(1)));
        assert_eq!(of(1).and(Demand::EVERYTHING).only, None);
        assert_eq!(Demand::HEADINGS.and(of(1)).only, of(1).only);
        assert_eq!(of(1).and(Demand::HEADINGS).only, of(1).only);
    }
}
