//! The parts of a frame's tree that an output needs.

use super::{Field, Kind, Value, name_of};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The parts of a frame's tree that the outputs of a run need.
///
/// Each output (table, list, filter, statistics, …) declares its demand before the capture is read. [`Demand::and`] combines
/// them, and [`super::Tree`] drops whatever none of them needs. A demand changes what is kept, never the values: a field that is
/// kept is the same under every demand. Message and gap counts do not depend on it either, unless the depth is
/// [`Depth::Headers`].
///
/// | Profile | Layers | Message types | Summaries | Fields | Carrier fields | For |
/// |---|---|---|---|---|---|---|
/// | [`FRAMES`](Demand::FRAMES) | | | | | | counting frames |
/// | [`LAYERS`](Demand::LAYERS) | ✓ | | | | | counting messages, base of the others |
/// | [`NAMES`](Demand::NAMES) | ✓ | ✓ | | | | columns |
/// | [`HEADINGS`](Demand::HEADINGS) | ✓ | ✓ | ✓ | | | lists |
/// | [`MESSAGES`](Demand::MESSAGES) | ✓ | ✓ | ✓ | ✓ | | message trees |
/// | [`EVERYTHING`](Demand::EVERYTHING) | ✓ | ✓ | ✓ | ✓ | ✓ | packet trees |
///
/// [`STREAM_BYTES`](Demand::STREAM_BYTES) and [`OBJECTS`](Demand::OBJECTS) add payload bytes and exported objects to `LAYERS`;
/// [`of_fields`](Demand::of_fields) adds single fields. Other demands are written as an update of a profile.
///
/// A *carrier* is a layer that only transports a message, such as Ethernet, IP or TCP.
/// Dissectors ask through `Wire`, and only to skip work whose result would be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// The fields to keep.
    pub fields: Fields,
    /// What to keep of carriers. Source and destination are known either way.
    pub carriers: Carriers,
    /// How far frames are dissected.
    pub depth: Depth,
    /// What to keep beside fields.
    pub extras: Extras,
    /// Fields named by filters and columns. Fields on request are kept only if they are among them.
    pub named: Option<Only>,
}

/// The fields to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// No fields.
    None,
    /// Only these fields.
    Only(Only),
    /// All fields; those of carriers only with [`Carriers::Full`].
    All,
}

/// What to keep of carriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carriers {
    /// Selected fields, with or without their layers and addresses, which permits the fastest path.
    FieldsOnly,
    /// Nothing, where they can be skipped.
    Skip,
    /// Layers without fields and summaries.
    Layers,
    /// Layers with fields and summaries.
    Full,
}

/// How far frames are dissected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Headers only. Message and gap counts stay zero.
    Headers,
    /// Streams are reassembled and payloads dissected.
    Streams,
}

/// What to keep beside fields: a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras(u16);

impl Extras {
    /// Nothing.
    pub const NONE: Extras = Extras(0);
    /// Bytes of reassembled, decompressed and decrypted messages.
    pub const BYTES: Extras = Extras(1);
    /// Message types.
    pub const NAMES: Extras = Extras(1 << 1);
    /// Summary lines of messages and layers.
    pub const SUMMARIES: Extras = Extras(1 << 2);
    /// Objects that can be exported, such as transferred files.
    pub const OBJECTS: Extras = Extras(1 << 3);
    /// Size and duration of completed transfers.
    pub const TRANSFERS: Extras = Extras(1 << 4);
    /// Notes on well-formed messages. Malformed messages are always reported.
    pub const NOTES: Extras = Extras(1 << 5);
    /// Credentials in text, found by name: bytes or texts are displayed or compared.
    pub const CREDENTIALS: Extras = Extras(1 << 6);
    /// Wireshark's names of layers: its Protocol column, and protocols that are no layers here.
    pub const LABELS: Extras = Extras(1 << 7);
    /// Previews in lists instead of summaries: the first changes of a message, or the first bytes of data.
    pub const PREVIEWS: Extras = Extras(1 << 8);
    /// Results of the TCP sequence analysis of each frame, without their fields.
    pub const ANALYSIS: Extras = Extras(1 << 9);
    /// Bytes, with the credentials in them.
    pub const CONTENT: Extras = Extras::BYTES.and(Extras::CREDENTIALS);

    /// The union of both sets.
    #[must_use]
    pub const fn and(self, other: Extras) -> Extras {
        Extras(self.0 | other.0)
    }

    /// This set if `is_asked`, else the empty set.
    #[must_use]
    pub const fn when(self, is_asked: bool) -> Extras {
        if is_asked { self } else { Extras::NONE }
    }

    /// The set without these.
    #[must_use]
    pub const fn without(self, other: Extras) -> Extras {
        Extras(self.0 & !other.0)
    }

    /// Whether these are all in the set.
    #[must_use]
    #[inline]
    pub const fn has(self, other: Extras) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Fields {
    /// The selected fields, if they are listed.
    #[must_use]
    #[inline]
    pub const fn only(self) -> Option<Only> {
        match self {
            Fields::Only(only) => Some(only),
            Fields::None | Fields::All => None,
        }
    }

    /// Whether any field is kept.
    #[must_use]
    #[inline]
    pub const fn any(self) -> bool {
        !matches!(self, Fields::None)
    }

    fn and(self, other: Fields) -> Fields {
        match (self, other) {
            (Fields::None, fields) | (fields, Fields::None) => fields,
            (Fields::Only(one), Fields::Only(other)) => Fields::Only(one.and(other)),
            (Fields::All, _) | (_, Fields::All) => Fields::All,
        }
    }
}

impl Carriers {
    /// [`Carriers::Full`] if they are displayed, else [`Carriers::Skip`].
    #[must_use]
    pub const fn shown(is_shown: bool) -> Carriers {
        if is_shown { Carriers::Full } else { Carriers::Skip }
    }

    /// Whether their fields are kept.
    #[must_use]
    pub const fn have_fields(self) -> bool {
        matches!(self, Carriers::Full | Carriers::FieldsOnly)
    }
}

impl Demand {
    /// All layers, fields, summaries and notes. Objects and transfers are extra.
    pub const EVERYTHING: Demand = Demand {
        fields: Fields::All,
        carriers: Carriers::Full,
        depth: Depth::Streams,
        extras: Extras::CONTENT.and(Extras::NAMES).and(Extras::SUMMARIES).and(Extras::NOTES),
        named: None,
    };
    /// Everything except the fields and summaries of carriers.
    pub const MESSAGES: Demand = Demand { carriers: Carriers::Layers, ..Demand::EVERYTHING };
    /// Layers with message types and summary lines, without fields.
    pub const HEADINGS: Demand =
        Demand { fields: Fields::None, extras: Demand::MESSAGES.extras.without(Extras::CONTENT), ..Demand::MESSAGES };
    /// Layers with message types.
    pub const NAMES: Demand = Demand { extras: Demand::HEADINGS.extras.without(Extras::SUMMARIES), ..Demand::HEADINGS };
    /// Layers and notes only.
    pub const LAYERS: Demand = Demand { extras: Demand::NAMES.extras.without(Extras::NAMES), ..Demand::NAMES };
    /// Layers with their bytes, as needed to follow a conversation.
    pub const STREAM_BYTES: Demand = Demand::LAYERS.with(Extras::CONTENT);
    /// Layers and exportable objects.
    pub const OBJECTS: Demand = Demand::LAYERS.with(Extras::OBJECTS);
    /// Frames without layers.
    pub const FRAMES: Demand = Demand { carriers: Carriers::Skip, depth: Depth::Headers, ..Demand::LAYERS };

    /// Layers with these fields.
    #[must_use]
    pub const fn of_fields(only: Only) -> Demand {
        Demand { fields: Fields::Only(only), ..Demand::LAYERS }
    }

    /// Messages of streams with these fields and their bytes.
    #[must_use]
    pub const fn of_stream_fields(only: Only) -> Demand {
        Demand { fields: Fields::Only(only), ..Demand::STREAM_BYTES }
    }

    /// The same with more extras.
    #[must_use]
    pub const fn with(self, extras: Extras) -> Demand {
        Demand { extras: self.extras.and(extras), ..self }
    }

    /// Whether this extra is needed.
    #[must_use]
    #[inline]
    pub const fn has(&self, extra: Extras) -> bool {
        self.extras.has(extra)
    }

    /// The demand for a frame whose records the filter rejects: objects and transfers are still collected.
    #[must_use]
    pub const fn filtered_out(self) -> Demand {
        let extras = Extras::OBJECTS.when(self.has(Extras::OBJECTS)).and(Extras::TRANSFERS.when(self.has(Extras::TRANSFERS)));
        Demand { fields: Fields::None, carriers: Carriers::Skip, extras, ..self }
    }

    /// Whether messages are needed beyond their type and well-formedness: fields, notes or objects.
    #[must_use]
    pub const fn inspects(&self) -> bool {
        self.fields.any() || self.has(Extras::NOTES) || self.has(Extras::OBJECTS)
    }

    /// Whether messages are only counted, without their types.
    #[must_use]
    pub const fn only_counts(&self) -> bool {
        !self.inspects() && !self.has(Extras::NAMES)
    }

    /// Whether streams are reassembled and payloads dissected.
    #[must_use]
    #[inline]
    pub const fn streams(&self) -> bool {
        matches!(self.depth, Depth::Streams)
    }

    /// The union of two demands.
    #[must_use]
    pub fn and(self, other: Demand) -> Demand {
        Demand {
            fields: self.fields.and(other.fields),
            carriers: self.carriers.max(other.carriers),
            depth: self.depth.max(other.depth),
            extras: self.extras.and(other.extras),
            named: match (self.named, other.named) {
                (Some(one), Some(other)) => Some(one.and(other)),
                (one, other) => one.or(other),
            },
        }
    }

    /// Whether a filter or column names this field. Fields on request are kept only then.
    #[cold]
    fn names(&self, field: &Field) -> bool {
        self.named.is_some_and(|named| named.has(field))
    }

    /// Whether a node of this field with this value is kept. Protocol nodes always are.
    #[must_use]
    #[inline(always)]
    pub fn keeps(&self, field: &Field, value: Value) -> bool {
        match self.fields {
            Fields::None => false,
            Fields::Only(only) => only.has(field) || only.0.nameless && is_nameless(field, value),
            Fields::All => !field.on_request || self.names(field),
        }
    }

    /// Whether a node of this field is kept for some values at least.
    #[must_use]
    #[inline]
    pub fn may_keep(&self, field: &Field) -> bool {
        match self.fields {
            Fields::None => false,
            Fields::Only(only) => only.has(field) || only.0.nameless && !field.names.is_empty(),
            Fields::All => !field.on_request || self.names(field),
        }
    }

    /// The demand for a carrier: without fields and summaries, unless they are kept or selected.
    #[must_use]
    pub const fn for_carriers(self) -> Demand {
        if self.carriers.have_fields() || self.fields.only().is_some() {
            self
        } else {
            Demand { fields: Fields::None, extras: self.extras.without(Extras::SUMMARIES), ..self }
        }
    }

    /// Whether the fields of plain headers can be skipped: only endpoints and payload are needed.
    #[must_use]
    pub fn passes_headers(&self) -> bool {
        match self.fields {
            Fields::None => true,
            Fields::Only(only) => only.passes(),
            Fields::All => false,
        }
    }

    /// Whether fields of headers are needed, but none of messages.
    #[must_use]
    pub fn is_of_headers_alone(&self) -> bool {
        self.fields.only().is_some_and(|only| only.0.of_headers)
    }
}

/// A set of fields with fast lookup. It is interned, hence one pointer in size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Only(&'static FieldSet);

#[derive(Clone, PartialEq, Eq)]
struct FieldSet {
    /// The fields, sorted by address.
    fields: Vec<ByAddress>,
    /// The first field of each hash bucket.
    first: [Option<ByAddress>; BUCKETS],
    /// Bit mask of the kinds of the fields.
    kinds: u64,
    /// Also keep numbers without a name, of fields that have value names.
    nameless: bool,
    /// All fields belong to headers, none to messages.
    of_headers: bool,
    /// No field requires a plain header to be dissected: the fast path provides all of them.
    passes: bool,
}

/// Number of hash buckets, a power of two.
const BUCKETS: usize = 256;

/// A field, compared by address.
#[derive(Clone, Copy)]
struct ByAddress(&'static Field);

impl PartialEq for ByAddress {
    fn eq(&self, other: &ByAddress) -> bool {
        self.0.is(other.0)
    }
}

impl Eq for ByAddress {}

impl Only {
    /// Creates a set of these fields.
    #[must_use]
    pub fn these(fields: impl IntoIterator<Item = &'static Field>) -> Only {
        let mut fields: Vec<ByAddress> = fields.into_iter().map(ByAddress).collect();
        fields.sort_by_key(|entry| address(entry.0));
        fields.dedup();
        let mut first = [None; BUCKETS];
        for field in fields.iter().rev() {
            if let Some(entry) = first.get_mut(bucket_of(field.0)) {
                *entry = Some(*field);
            }
        }
        let kinds = fields.iter().fold(0, |kinds, entry| kinds | kind(entry.0));
        Only::interned(FieldSet { fields, first, kinds, nameless: false, of_headers: false, passes: false })
    }

    /// Interns a set. It is leaked once per distinct set, which keeps [`Only`] `Copy`.
    fn interned(set: FieldSet) -> Only {
        static ALL: Mutex<Vec<&'static FieldSet>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|known| ***known == set).copied();
        Only(known.unwrap_or_else(|| {
            let new: &'static FieldSet = Box::leak(Box::new(set));
            all.push(new);
            new
        }))
    }

    /// Whether the set selects nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.fields.is_empty() && !self.0.nameless
    }

    /// Whether the fast path provides all header fields of the set.
    #[must_use]
    pub fn passes(self) -> bool {
        self.0.passes
    }

    /// Classifies the set: whether all fields belong to headers, and whether any is lost if plain headers are skipped.
    #[must_use]
    pub fn classified(self, is_of_header: impl Fn(&Field) -> bool, is_passed: impl Fn(&Field) -> bool) -> Only {
        let of_headers = !self.0.nameless && self.fields().all(&is_of_header);
        let passes = !self.fields().any(is_passed);
        Only::interned(FieldSet { of_headers, passes, ..self.0.clone() })
    }

    /// Adds all numbers without a name, of fields that have value names.
    #[must_use]
    pub fn and_nameless(self) -> Only {
        Only::interned(FieldSet { nameless: true, ..self.0.clone() })
    }

    /// The union of both sets.
    #[must_use]
    pub fn union(self, other: Only) -> Only {
        self.and(other)
    }

    fn and(self, other: Only) -> Only {
        let FieldSet { nameless, of_headers, passes, .. } = *self.0;
        let both = Only::these(self.fields().chain(other.fields()));
        Only::interned(FieldSet {
            nameless: nameless || other.0.nameless,
            of_headers: of_headers && other.0.of_headers,
            passes: passes && other.0.passes,
            ..both.0.clone()
        })
    }

    /// Iterates over the fields.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.0.fields.iter().map(|entry| entry.0)
    }

    /// Whether the set contains this field.
    #[must_use]
    #[inline(always)]
    pub fn has(self, field: &Field) -> bool {
        if self.0.kinds & kind(field) == 0 {
            return false;
        }
        // The bucket is nearly always empty or starts with this field.
        match self.0.first.get(bucket_of(field)) {
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
    !field.names.is_empty() && lacks_name(field, value)
}

#[cold]
fn lacks_name(field: &Field, value: Value) -> bool {
    match value {
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

/// Hash bucket of a field's address. Fibonacci hashing distributes adjacent addresses to different buckets.
#[inline]
fn bucket_of(field: &Field) -> usize {
    const MIX: usize = 0x9e37_79b9_7f4a_7c15;
    address(field).wrapping_mul(MIX) >> (usize::BITS - BUCKETS.trailing_zeros())
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
        let some = Demand::of_fields(Only::these([&FIELDS[3], &FIELDS[70], &FIELDS[3]]));
        let kept: Vec<usize> = (0..200).filter(|at| some.keeps(&FIELDS[*at], Value::Bytes)).collect();
        assert_eq!(kept, [3, 70]);
        assert!(Only::these([]).is_empty() && !Only::these([&FIELDS[3]]).is_empty());
        assert!(Demand::EVERYTHING.keeps(&FIELDS[0], Value::Bytes) && !Demand::HEADINGS.keeps(&FIELDS[3], Value::Bytes));
    }

    #[test]
    fn fields_that_share_a_bucket_are_distinguished() {
        static MANY: [Field; 2000] = [const { Field::number("toy.many", "many", "A number") }; 2000];
        for every in [1, 2, 3, 7, 50] {
            let only = Only::these(MANY.iter().step_by(every));
            assert!((0..2000).all(|at| only.has(&MANY[at]) == (at % every == 0)), "{every}");
        }
    }

    #[test]
    fn values_without_a_name_are_kept_on_request() {
        static NAMED: Field = Field::number("toy.named", "named", "A number").names(&[(1, "one")]);
        let of = |only: Only| Demand::of_fields(only);
        let some = of(Only::these([&FIELDS[3]]).and_nameless());
        assert!(some.keeps(&NAMED, Value::Unsigned(2)) && !some.keeps(&NAMED, Value::Unsigned(1)));
        assert!(some.keeps(&FIELDS[3], Value::Unsigned(1)) && !some.keeps(&FIELDS[4], Value::Unsigned(2)));
        assert!(!of(Only::these([&FIELDS[3]])).keeps(&NAMED, Value::Unsigned(2)));
        assert!(of(Only::these([&FIELDS[4]])).and(some).keeps(&NAMED, Value::Unsigned(2)));
    }

    #[test]
    fn a_union_keeps_the_fields_of_both() {
        let of = |at: usize| Demand::of_fields(Only::these([&FIELDS[at]]));
        let both = of(1).and(of(2));
        assert!([1, 2].iter().all(|at| both.keeps(&FIELDS[*at], Value::Bytes)) && !both.keeps(&FIELDS[4], Value::Bytes));
        assert_eq!(both, of(2).and(of(1)));
        assert_eq!(of(1).and(Demand::EVERYTHING).fields, Fields::All);
        assert_eq!(Demand::HEADINGS.and(of(1)).fields, of(1).fields);
        assert_eq!(of(1).and(Demand::HEADINGS).fields, of(1).fields);
    }
}
