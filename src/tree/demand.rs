//! The parts of a frame's tree that an output needs.

use super::{Field, Kind, Value, name_of};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The parts of a frame's tree that the outputs of a run need.
///
/// Each output (table, list, filter, statistics, …) declares its demand before the capture is read. [`Demand::and`] combines
/// them, and [`super::Tree`] drops whatever none of them needs. A demand changes what is kept, never the values: a field that is
/// kept is the same under every demand. Message and gap counts do not depend on it either, unless `streams` is off.
///
/// | Profile | Layers | Message types | Summaries | Fields | Carrier fields | For |
/// |---|---|---|---|---|---|---|
/// | [`LAYERS`](Demand::LAYERS) | ✓ | | | | | counting, base of the others |
/// | [`NAMES`](Demand::NAMES) | ✓ | ✓ | | | | columns |
/// | [`HEADINGS`](Demand::HEADINGS) | ✓ | ✓ | ✓ | | | lists |
/// | [`MESSAGES`](Demand::MESSAGES) | ✓ | ✓ | ✓ | ✓ | | message trees |
/// | [`EVERYTHING`](Demand::EVERYTHING) | ✓ | ✓ | ✓ | ✓ | ✓ | packet trees |
///
/// [`STREAM_BYTES`](Demand::STREAM_BYTES) and [`OBJECTS`](Demand::OBJECTS) add payload bytes and exported objects to `LAYERS`.
/// Other demands are written as an update of a profile: `Demand { transfers: true, ..Demand::LAYERS }`.
///
/// A *carrier* is a layer that only transports a message, such as Ethernet, IP or TCP.
/// Dissectors may ask through `Wire`, but only to skip work whose result would be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Keep the fields of layers: those in `only`, or all.
    pub fields: bool,
    /// The fields to keep; `None` keeps all.
    pub only: Option<Only>,
    /// Also keep all fields of carriers. Has no effect on fields selected by `only`.
    pub carriers: bool,
    /// Keep carriers as layers. Source and destination are known either way.
    pub headers: bool,
    /// Keep the bytes of reassembled, decompressed and decrypted messages.
    pub bytes: bool,
    /// Find credentials in text by the names in front of them: bytes or texts are displayed or compared.
    pub credentials: bool,
    /// Keep message types.
    pub names: bool,
    /// Keep the summary lines of messages and layers.
    pub words: bool,
    /// Collect objects that can be exported, such as transferred files.
    pub objects: bool,
    /// Collect the size and duration of completed transfers.
    pub transfers: bool,
    /// Keep notes on well-formed messages. Malformed messages are always reported.
    pub remarks: bool,
    /// Keep selected fields without their layers and addresses, which permits the fastest path.
    pub loose: bool,
    /// Reassemble streams and dissect payloads. If false, only headers are dissected, and message and gap counts stay zero.
    pub streams: bool,
    /// Record the names that Wireshark has for layers: its Protocol column, and protocols that are no layers here.
    pub labels: bool,
    /// Fields named by filters and columns. Generated fields are computed only if they are among them.
    pub asked: Option<Only>,
}

impl Demand {
    /// All layers, fields, summaries and notes. Objects and transfers are extra.
    pub const EVERYTHING: Demand = Demand {
        fields: true,
        only: None,
        carriers: true,
        headers: true,
        bytes: true,
        credentials: true,
        names: true,
        words: true,
        objects: false,
        transfers: false,
        remarks: true,
        loose: false,
        streams: true,
        labels: false,
        asked: None,
    };
    /// Everything except the fields and summaries of carriers.
    pub const MESSAGES: Demand = Demand { carriers: false, ..Demand::EVERYTHING };
    /// Layers with message types and summary lines, without fields.
    pub const HEADINGS: Demand = Demand { fields: false, bytes: false, credentials: false, ..Demand::MESSAGES };
    /// Layers with message types.
    pub const NAMES: Demand = Demand { words: false, ..Demand::HEADINGS };
    /// Layers and notes only.
    pub const LAYERS: Demand = Demand { names: false, ..Demand::NAMES };
    /// Layers with their bytes, as needed to follow a conversation.
    pub const STREAM_BYTES: Demand = Demand { bytes: true, credentials: true, ..Demand::LAYERS };
    /// Layers and exportable objects.
    pub const OBJECTS: Demand = Demand { objects: true, ..Demand::LAYERS };

    /// The demand for a frame whose records the filter rejects: objects and transfers are still collected.
    #[must_use]
    pub const fn filtered_out(self) -> Demand {
        let Demand { objects, transfers, streams, asked, .. } = self;
        Demand { headers: false, remarks: false, objects, transfers, streams, asked, ..Demand::LAYERS }
    }

    /// Whether messages are needed beyond their type and well-formedness: fields, notes or objects.
    #[must_use]
    pub const fn looks(&self) -> bool {
        self.fields || self.remarks || self.objects
    }

    /// Whether messages are only counted, without their types.
    #[must_use]
    pub const fn only_counts(&self) -> bool {
        !self.looks() && !self.names
    }

    /// The union of two demands.
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
            credentials: self.credentials || other.credentials,
            names: self.names || other.names,
            words: self.words || other.words,
            objects: self.objects || other.objects,
            transfers: self.transfers || other.transfers,
            remarks: self.remarks || other.remarks,
            loose: self.loose && other.loose,
            streams: self.streams || other.streams,
            labels: self.labels || other.labels,
            asked: match (self.asked, other.asked) {
                (Some(one), Some(other)) => Some(one.and(other)),
                (one, other) => one.or(other),
            },
        }
    }

    /// Whether a filter or column names this field. Generated fields are computed only then.
    #[must_use]
    pub fn asks(&self, field: &Field) -> bool {
        self.asked.is_some_and(|asked| asked.has(field))
    }

    /// Whether a node of this field with this value is kept. Protocol nodes always are.
    #[must_use]
    #[inline]
    pub fn keeps(&self, field: &Field, value: Value) -> bool {
        self.fields && self.only.is_none_or(|only| only.has(field) || only.0.nameless && is_nameless(field, value))
    }

    /// Whether a node of this field is kept for some values at least.
    #[must_use]
    #[inline]
    pub fn may_keep(&self, field: &Field) -> bool {
        self.fields && self.only.is_none_or(|only| only.has(field) || only.0.nameless && !field.names.is_empty())
    }

    /// The demand for a carrier: without fields and summaries, unless `carriers` or `only` requests them.
    #[must_use]
    pub const fn for_carriers(self) -> Demand {
        match self.carriers || self.only.is_some() {
            true => self,
            false => Demand { fields: false, words: false, ..self },
        }
    }

    /// Whether the fields of plain headers can be skipped: only endpoints and payload are needed.
    #[must_use]
    pub fn passes_headers(&self) -> bool {
        !self.fields || self.only.is_some_and(|only| only.passes())
    }

    /// Whether fields of headers are needed, but none of messages.
    #[must_use]
    pub fn is_of_headers_alone(&self) -> bool {
        self.fields && self.only.is_some_and(|only| only.0.of_headers)
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
    #[inline]
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

/// Hash bucket of a field's address. Fibonacci hashing puts neighbours in memory into different buckets.
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
        let some = Demand { fields: true, only: Some(Only::these([&FIELDS[3], &FIELDS[70], &FIELDS[3]])), ..Demand::LAYERS };
        let kept: Vec<usize> = (0..200).filter(|at| some.keeps(&FIELDS[*at], Value::Bytes)).collect();
        assert_eq!(kept, [3, 70]);
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
        let of = |only: Only| Demand { fields: true, only: Some(only), ..Demand::LAYERS };
        let some = of(Only::these([&FIELDS[3]]).and_nameless());
        assert!(some.keeps(&NAMED, Value::Unsigned(2)) && !some.keeps(&NAMED, Value::Unsigned(1)));
        assert!(some.keeps(&FIELDS[3], Value::Unsigned(1)) && !some.keeps(&FIELDS[4], Value::Unsigned(2)));
        assert!(!of(Only::these([&FIELDS[3]])).keeps(&NAMED, Value::Unsigned(2)));
        assert!(of(Only::these([&FIELDS[4]])).and(some).keeps(&NAMED, Value::Unsigned(2)));
    }

    #[test]
    fn a_union_keeps_the_fields_of_both() {
        let of = |at: usize| Demand { fields: true, only: Some(Only::these([&FIELDS[at]])), ..Demand::LAYERS };
        let both = of(1).and(of(2));
        assert!([1, 2].iter().all(|at| both.keeps(&FIELDS[*at], Value::Bytes)) && !both.keeps(&FIELDS[4], Value::Bytes));
        assert_eq!(both, of(2).and(of(1)));
        assert_eq!(of(1).and(Demand::EVERYTHING).only, None);
        assert_eq!(Demand::HEADINGS.and(of(1)).only, of(1).only);
        assert_eq!(of(1).and(Demand::HEADINGS).only, of(1).only);
    }
}
