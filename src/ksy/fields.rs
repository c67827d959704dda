//! The fields of a file: one for each path of names from the root, created once and never freed.
//!
//! A recursive type uses the fields of its outermost occurrence, so that names stay finite.

use super::compile::{ShapeKind, Shapes, leak};
use super::model::{Data, Docs, EnumId, Member, Spec, Ty, Type, TypeId, ValueSource};
use super::recursive::{is_recursive, recursive};
use super::registration::{Init, Variable};
use crate::tree::steps::step;
use crate::tree::{Field, Kind, Names, NodeRef, Times, title};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Maximum number of fields with full paths. Further ones have the type's name only, so that a file has few more fields than
/// names.
const MOST: usize = 1 << 13;

/// Maximum length of a path of names in bytes; longer ones are replaced by the type's name.
const PATH: usize = 1 << 10;

/// An index of [`FileFields::contexts`] that refers to nothing.
pub(super) const NO_CONTEXT: u32 = u32::MAX;

/// An index of [`FileFields::named`] that refers to nothing.
pub(super) const NO_NAMES: u32 = u32::MAX;

/// Maximum number of fields with names of a version.
const MOST_NAMED: usize = 1 << 12;

/// All fields of a file.
pub(super) struct FileFields {
    /// Fields of shapes; those of a context are contiguous.
    entries: Vec<Entry>,
    contexts: Vec<Context>,
    /// By type and slot, the first shape of the slot within a context.
    slots: Vec<Vec<(u32, u32)>>,
    /// For attributes whose names a table gives, the field of each version.
    named: Vec<Vec<&'static Field>>,
    /// All fields, for lists.
    all: Vec<&'static Field>,
    /// The contexts of roots.
    roots: Vec<(TypeId, u32)>,
    /// The values of session variables; none of keys.
    session: Vec<Option<&'static Field>>,
    /// Bytes as they were sent, of a message that passed stages.
    staged: Option<&'static Field>,
    /// Elements that were received before.
    repeated: Option<&'static Field>,
}

/// The field of one shape of a member.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// `None` for references to other objects.
    pub field: Option<&'static Field>,
    pub kind: ShapeKind,
    pub is_single: bool,
    /// The context of the object's own members.
    pub context: u32,
    /// Its fields with names of a version.
    pub named: u32,
}

/// A path of names at which objects of a type occur.
struct Context {
    of: TypeId,
    /// The enclosing context; [`NO_CONTEXT`] for the root and for types with their own names.
    parent: u32,
    path: String,
    /// Its first entry.
    first: u32,
    /// The field for bytes of its stream that no other field covers.
    unparsed: Option<&'static Field>,
    /// The field for the text of `to-string`.
    summary: Option<&'static Field>,
    /// How often objects occur.
    multiplicity: Multiplicity,
}

/// How often an object may occur in a context.
#[derive(Debug, Clone, Copy)]
enum Multiplicity {
    /// Once in a message.
    Once,
    /// Once in each object of this repeated field.
    Per(&'static Field),
    /// Any number of times: inside several repeated objects, or recursively.
    Any,
}

impl Multiplicity {
    fn times(self) -> Times {
        match self {
            Multiplicity::Once => Times::Once,
            Multiplicity::Per(group) => Times::OncePer(group),
            Multiplicity::Any => Times::Any,
        }
    }
}

impl FileFields {
    /// Declares the fields of these types as roots of a protocol of this name. Values at the paths of `secrets`, and below, are
    /// masked. Each element of `runs`, the last attributes of these types, is a separate message.
    pub(super) fn new(spec: &Spec, roots: &[TypeId], id: &str, secrets: &HashSet<String>, runs: &[TypeId]) -> FileFields {
        let mut builder = Builder {
            spec,
            secrets,
            runs,
            recursive: recursive(spec),
            by_type: HashMap::new(),
            names: HashMap::new(),
            name_lists: HashMap::new(),
            versions: 0,
            known: HashMap::new(),
            words: HashMap::new(),
            shapes: spec.types.iter().map(shapes).collect(),
            counts: Vec::new(),
            by_path: 0,
            of: FileFields {
                entries: Vec::new(),
                contexts: Vec::new(),
                slots: Vec::new(),
                named: Vec::new(),
                all: Vec::new(),
                roots: Vec::new(),
                session: Vec::new(),
                staged: None,
                repeated: None,
            },
        };
        builder.of.slots = spec.types.iter().zip(&builder.shapes).map(|(of, shapes)| places(of, shapes)).collect();
        let count = |shapes: &Vec<Shapes>| 1 + shapes.iter().map(|shapes| shapes.all().len()).sum::<usize>();
        builder.counts = builder.shapes.iter().map(count).collect();
        for root in roots {
            let multiplicity = if is_recursive(&builder.recursive, *root) { Multiplicity::Any } else { Multiplicity::Once };
            let whole = builder.context(*root, NO_CONTEXT, id.to_owned(), multiplicity);
            builder.add_unparsed(whole);
            builder.of.roots.push((*root, whole));
        }
        let mut next = 0;
        while next < builder.of.contexts.len() {
            builder.fill(next);
            next += 1;
        }
        builder.of
    }

    /// Adds the fields of session variables.
    pub(super) fn add_session(&mut self, session: &[Variable], id: &str) {
        const ABOUT: &str = "The value of the session variable with which the message was read";
        for variable in session {
            let abbrev = leak(&format!("{id}.session.{}", variable.name));
            let label = leak(&variable.name);
            let field = match (&variable.init, &variable.ty) {
                (Init::Value(_), Ty::Int | Ty::Enum(_)) => Field::number(abbrev, label, ABOUT),
                (Init::Value(_), Ty::Float) => Field::float(abbrev, label, ABOUT),
                (Init::Value(_), Ty::Bool) => Field::bool(abbrev, label, ABOUT),
                (Init::Value(_), Ty::Str) => Field::text(abbrev, label, ABOUT),
                _ => {
                    self.session.push(None);
                    continue;
                }
            };
            let head = format!(r#"{{"name":"{}","label":"{}","value":"#, field.abbrev, field.name);
            let field: &'static Field = Box::leak(Box::new(field.headed(leak(&head))));
            self.all.push(field);
            self.session.push(Some(field));
        }
    }

    /// Adds the field for bytes before they pass stages.
    pub(super) fn add_staged(&mut self, id: &str) {
        const ABOUT: &str = "The bytes of the message as they were sent, before they are deciphered or decompressed";
        let field = Field::bytes(leak(&format!("{id}._sent")), "_sent", ABOUT);
        let head = format!(r#"{{"name":"{}","label":"{}","value":"#, field.abbrev, field.name);
        let field: &'static Field = Box::leak(Box::new(field.headed(leak(&head))));
        self.all.push(field);
        self.staged = Some(field);
    }

    /// Adds the field for elements that were received before.
    pub(super) fn add_repeated(&mut self, id: &str) {
        const ABOUT: &str = "An element that was received before: it delivers nothing";
        let field = Field::bool(leak(&format!("{id}.retransmitted")), "retransmitted", ABOUT);
        let head = format!(r#"{{"name":"{}","label":"{}","value":"#, field.abbrev, field.name);
        let field: &'static Field = Box::leak(Box::new(field.headed(leak(&head))));
        self.all.push(field);
        self.repeated = Some(field);
    }

    /// The field for elements that were received before.
    pub(super) fn repeated(&self) -> Option<&'static Field> {
        self.repeated
    }

    /// The field for bytes before they pass stages.
    pub(super) fn staged(&self) -> Option<&'static Field> {
        self.staged
    }

    /// The fields of session variables, by number.
    pub(super) fn session(&self) -> &[Option<&'static Field>] {
        &self.session
    }

    /// The context of a root.
    pub(super) fn root(&self, of: TypeId) -> u32 {
        self.roots.iter().find(|(root, _)| *root == of).map_or(NO_CONTEXT, |(_, context)| *context)
    }

    /// All fields.
    pub(super) fn all(&self) -> &[&'static Field] {
        &self.all
    }

    /// The entries of a slot; parameters have none.
    pub(super) fn entries(&self, context: u32, slot: u32) -> &[Entry] {
        let Some(context) = self.contexts.get(context as usize) else { return &[] };
        let place = self.slots.get(context.of.0 as usize).and_then(|slots| slots.get(slot as usize));
        let Some((start, count)) = place else { return &[] };
        let start = (context.first + start) as usize;
        self.entries.get(start..start + *count as usize).unwrap_or_default()
    }

    /// The field of an attribute with the names of a version.
    pub(super) fn named(&self, named: u32, version: u32) -> Option<&'static Field> {
        self.named.get(named as usize)?.get(version as usize).copied()
    }

    /// The field for bytes that no other field covers.
    pub(super) fn unparsed(&self, context: u32) -> Option<&'static Field> {
        self.contexts.get(context as usize)?.unparsed
    }

    /// The field for the text of `to-string`.
    pub(super) fn summary(&self, context: u32) -> Option<&'static Field> {
        self.contexts.get(context as usize)?.summary
    }
}

/// The shapes of each member of a type.
fn shapes(of: &Type) -> Vec<Shapes> {
    of.seq.iter().chain(&of.instances).map(Shapes::of).collect()
}

/// First shape and number of shapes of each slot of a type.
fn places(of: &Type, shapes: &[Shapes]) -> Vec<(u32, u32)> {
    let mut start = 0;
    let placed = shapes.iter().map(|shapes| {
        let count = u32::try_from(shapes.all().len()).unwrap_or_default();
        start += count;
        (start - count, count)
    });
    of.params.iter().map(|_| (0, 0)).chain(placed).collect()
}

struct Builder<'s> {
    spec: &'s Spec,
    /// Paths whose values are masked.
    secrets: &'s HashSet<String>,
    /// Types whose last attribute is a run of messages.
    runs: &'s [TypeId],
    /// Which types can contain themselves.
    recursive: Vec<bool>,
    /// Contexts of types with names of their own.
    by_type: HashMap<TypeId, u32>,
    /// By enum and the version of its table.
    names: HashMap<(EnumId, Option<u32>), Names>,
    /// Equal names of several versions are shared.
    name_lists: HashMap<Vec<(u64, String)>, Names>,
    /// Number of fields with names of a version so far.
    versions: usize,
    known: HashMap<(&'static str, Likeness), &'static Field>,
    /// Label and description of each member.
    words: HashMap<(TypeId, u32), (&'static str, &'static str)>,
    /// The shapes of each member of each type.
    shapes: Vec<Vec<Shapes>>,
    /// Number of fields of an object of each type, including its own.
    counts: Vec<usize>,
    /// Number of fields with full paths so far.
    by_path: usize,
    of: FileFields,
}

/// Properties in which fields of one name must agree to be shared: kind, value names, summary, digits, and frequency.
type Likeness = (Kind, usize, bool, u8, (u8, usize));

impl Builder<'_> {
    /// Adds a context without entries.
    fn context(&mut self, of: TypeId, parent: u32, path: String, multiplicity: Multiplicity) -> u32 {
        let code = self.spec.type_of(of);
        let has_summary = code.summary.is_some();
        let summary = has_summary.then(|| {
            let about = "The object in a few words, as the file puts it";
            self.add(Field { times: multiplicity.times(), ..Field::text(leak(&format!("{path}._summary")), "_summary", about) })
        });
        let number = u32::try_from(self.of.contexts.len()).unwrap_or(NO_CONTEXT);
        self.of.contexts.push(Context { of, parent, path, first: 0, unparsed: None, summary, multiplicity });
        number
    }

    /// Adds the field for bytes that no other field takes, if the context has none.
    fn add_unparsed(&mut self, number: u32) {
        let Some(path) =
            self.of.contexts.get(number as usize).filter(|context| context.unparsed.is_none()).map(|context| &context.path)
        else {
            return;
        };
        let name = leak(&format!("{path}._unparsed"));
        let unparsed = self.add(Field::bytes(name, "_unparsed", "Bytes that no field of the file takes").unexplained());
        if let Some(context) = self.of.contexts.get_mut(number as usize) {
            context.unparsed = Some(unparsed);
        }
    }

    /// Adds the entries of a context.
    fn fill(&mut self, number: usize) {
        let first = u32::try_from(self.of.entries.len()).unwrap_or_default();
        let Some(context) = self.of.contexts.get_mut(number) else { return };
        context.first = first;
        let (of, path, multiplicity) = (context.of, context.path.clone(), context.multiplicity);
        let number = u32::try_from(number).unwrap_or(NO_CONTEXT);
        let code = self.spec.type_of(of);
        for (place, member) in (0..).zip(code.seq.iter().chain(&code.instances)) {
            let name = leak(&format!("{path}.{}", member.name));
            // Objects in many contexts share one copy of label and description.
            let (label, about) =
                *self.words.entry((of, place)).or_insert_with(|| (leak(&member.name), leak(&about(&member.docs))));
            let digits = hex_digits(member);
            let shapes = self.shapes.get(of.0 as usize).and_then(|shapes| shapes.get(place as usize));
            for shape in shapes.map_or(Vec::new(), |shapes| shapes.all().to_vec()) {
                let is_run = self.runs.contains(&of) && code.seq.last().is_some_and(|last| std::ptr::eq(last, member));
                let repeats = repeats(member) && !is_run;
                let times = if repeats { Times::Any } else { multiplicity.times() };
                let field = self.field(shape.kind, name, (label, about, digits), times);
                let context = match shape.kind {
                    ShapeKind::Object(of) => {
                        let multiplicity = match (multiplicity, field) {
                            (Multiplicity::Once, Some(field)) if repeats => Multiplicity::Per(field),
                            (multiplicity, _) if !repeats => multiplicity,
                            _ => Multiplicity::Any,
                        };
                        let context = self.inner(number, of, name, multiplicity);
                        if shape.has_stream {
                            self.add_unparsed(context);
                        }
                        context
                    }
                    _ => NO_CONTEXT,
                };
                let named = field.map_or(NO_NAMES, |field| self.named(shape.kind, field));
                self.of.entries.push(Entry { field, kind: shape.kind, is_single: shape.is_single, context, named });
            }
        }
    }

    /// The context of an object inside another one.
    fn inner(&mut self, around: u32, of: TypeId, path: &str, multiplicity: Multiplicity) -> u32 {
        let multiplicity = if is_recursive(&self.recursive, of) { Multiplicity::Any } else { multiplicity };
        let mut ancestor = around;
        while let Some(context) = self.of.contexts.get(ancestor as usize) {
            if context.of == of {
                return ancestor;
            }
            ancestor = context.parent;
        }
        let planned = self.by_path + self.counts.get(of.0 as usize).copied().unwrap_or_default();
        if planned < MOST && path.len() <= PATH {
            self.by_path = planned;
            return self.context(of, around, path.to_owned(), multiplicity);
        }
        if let Some(known) = self.by_type.get(&of) {
            return *known;
        }
        let root = self.of.contexts.first().map(|root| root.path.clone()).unwrap_or_default();
        let path = format!("{root}.{}", self.spec.type_of(of).name);
        let context = self.context(of, NO_CONTEXT, path, Multiplicity::Any);
        self.by_type.insert(of, context);
        context
    }

    fn field(
        &mut self,
        kind: ShapeKind,
        abbrev: &'static str,
        (label, about, digits): (&'static str, &'static str, u8),
        times: Times,
    ) -> Option<&'static Field> {
        let field = match kind {
            ShapeKind::Int(None) => Field::number(abbrev, label, about).hex(digits),
            ShapeKind::Int(Some(names)) => Field::number(abbrev, label, about).names(self.names(names, None)).hex(digits),
            ShapeKind::Float => Field::float(abbrev, label, about),
            ShapeKind::Bool => Field::bool(abbrev, label, about),
            ShapeKind::Str => Field::text(abbrev, label, about),
            ShapeKind::Bytes => Field::bytes(abbrev, label, about),
            ShapeKind::Object(of) if self.spec.type_of(of).summary.is_some() => {
                Field::group(abbrev, label, about).collapsed(title::nothing, summary)
            }
            ShapeKind::Object(_) => Field::group(abbrev, label, about),
            ShapeKind::Reference => return None,
        };
        let is_secret = self.is_below_secret(abbrev);
        let field = Field { times, ..field };
        Some(self.add(if is_secret { field.secret() } else { field }))
    }

    /// Whether a field is at the path of a secret, or below.
    fn is_below_secret(&self, abbrev: &str) -> bool {
        let above = abbrev.match_indices('.').filter_map(|(end, _)| abbrev.get(..end));
        !self.secrets.is_empty() && above.chain([abbrev]).inspect(|_| step()).any(|path| self.secrets.contains(path))
    }

    /// Leaks a field. Objects of several types in one context share their fields.
    fn add(&mut self, field: Field) -> &'static Field {
        let times = match field.times {
            Times::Any => (0, 0),
            Times::Once => (1, 0),
            Times::OncePer(group) => (2, std::ptr::from_ref(group).addr()),
        };
        let kind = (field.kind, field.names.as_ptr() as usize, field.collapsed.is_some(), field.hex, times);
        let known = self.known.get(&(field.abbrev, kind)).copied();
        known.unwrap_or_else(|| {
            let added = self.add_new(field);
            self.known.insert((added.abbrev, kind), added);
            added
        })
    }

    fn add_new(&mut self, field: Field) -> &'static Field {
        let head = format!(r#"{{"name":"{}","label":"{}","value":"#, field.abbrev, field.name);
        let field: &'static Field = Box::leak(Box::new(field.headed(leak(&head))));
        self.of.all.push(field);
        field
    }

    /// The fields of an attribute with the names of each version of the table of its enum.
    fn named(&mut self, kind: ShapeKind, field: &'static Field) -> u32 {
        let ShapeKind::Int(Some(of)) = kind else { return NO_NAMES };
        let table = self.spec.enum_of(of).table.and_then(|table| self.spec.tables.get(table as usize));
        let count = table.map_or(0, |table| table.versions.len());
        self.versions += count;
        if count == 0 || self.versions > MOST_NAMED {
            return NO_NAMES;
        }
        let versions = (0..).take(count).map(|version| {
            let names = self.names(of, Some(version));
            self.add(Field { names, ..*field })
        });
        let versions = versions.collect();
        self.of.named.push(versions);
        u32::try_from(self.of.named.len() - 1).unwrap_or(NO_NAMES)
    }

    /// The value names of an enum, except values above 64 bits. Of a version, they are those of its rows.
    fn names(&mut self, id: EnumId, version: Option<u32>) -> Names {
        if let Some(known) = self.names.get(&(id, version)) {
            return known;
        }
        let bits = |value: i128| u64::try_from(value).ok().or_else(|| i64::try_from(value).ok().map(i64::cast_unsigned));
        let of = self.spec.enum_of(id);
        let table = of.table.and_then(|table| self.spec.tables.get(table as usize));
        let rows = version.and_then(|version| table?.versions.get(version as usize));
        let own = of.members.iter().map(|member| (member.value, member.name.as_str()));
        let mut names: Vec<(u64, String)> = match rows {
            None => own.filter_map(|(value, name)| Some((bits(value)?, name.to_owned()))).collect(),
            Some(rows) => {
                let own = own.filter(|(value, _)| rows.size(*value).is_some() && rows.name(*value).is_none());
                let all = rows.names.iter().map(|(value, name)| (*value, name.as_str())).chain(own);
                all.filter_map(|(value, name)| Some((bits(value)?, name.to_owned()))).collect()
            }
        };
        names.sort_by_key(|(value, _)| *value);
        names.dedup_by_key(|(value, _)| *value);
        let shared = self.name_lists.get(&names).copied().unwrap_or_else(|| {
            let leaked: Vec<(u64, &str)> = names.iter().map(|(value, name)| (*value, leak(name))).collect();
            let leaked: Names = Box::leak(leaked.into_boxed_slice());
            self.name_lists.insert(names, leaked);
            leaked
        });
        self.names.insert((id, version), shared);
        shared
    }
}

/// Whether the value of a member is an array.
fn repeats(member: &Member) -> bool {
    matches!(member.ty, Ty::Array(_))
}

/// The number of hexadecimal digits in which an integer is shown; 0 for decimal.
fn hex_digits(member: &Member) -> u8 {
    let ValueSource::Read(read) = &member.source else { return u8::from(member.is_hex) };
    let digits = |data: &Data| match data {
        Data::Int { bytes, .. } => bytes * 2,
        Data::Bits { width, .. } => width.div_ceil(4),
        _ => 1,
    };
    match &read.data {
        _ if !member.is_hex => 0,
        Data::Switch(switch) => {
            switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise).map(digits).max().unwrap_or_default()
        }
        data => digits(data),
    }
}

/// The description of a field: its documentation in one paragraph, and its original name.
fn about(docs: &Docs) -> String {
    let doc = docs.doc.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match &docs.orig_id {
        Some(orig) if doc.is_empty() => orig.clone(),
        Some(orig) => format!("{doc} ({orig})"),
        None => doc,
    }
}

/// The meaning column of an object with a summary.
fn summary(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let child = node.children().find(|child| child.field().kind == Kind::Text && child.field().name == "_summary");
    child.map_or(Ok(()), |child| crate::tree::clean(&child.text(), out))
}

impl fmt::Debug for FileFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}
