//! ProtoFields: one for each path of names, with the filter names of this program.
//!
//! In Wireshark, a name has one type. If values of several kinds share a path, all except the first kind have a suffix.

use super::code::{Code, member, quoted, words};
use super::names::Names;
use crate::ksy::model::{Data, Docs, EnumId, Member, Spec, Ty, TypeId, ValueSource};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of fields with full paths. Further ones have the type's name only.
const MOST: usize = 1 << 13;

/// Maximum number of contexts with full paths. Further ones have the type's name only.
const CONTEXTS: usize = 1 << 10;

/// Maximum length of a path in bytes; longer ones are replaced by the type's name.
const PATH: usize = 1 << 10;

/// Maximum length of a description in characters; fields repeat it at each of their paths.
const ABOUT: usize = 200;

/// Suffix of the key of an object whose path also has other values. Names in files do not contain this character.
const OBJECT: &str = "#object";

/// A kind of value of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// An integer: the maximum bits of signed and of unsigned ones, and its names.
    Int {
        signed: u8,
        unsigned: u8,
        names: Option<EnumId>,
    },
    Float {
        is_single: bool,
    },
    Bool,
    Text,
    Bytes,
    /// Objects of these types; the flag states whether one has a separate stream.
    Objects(BTreeMap<TypeId, bool>),
}

impl Shape {
    fn is_like(&self, other: &Shape) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Suffix of the name of a second field.
    fn suffix(&self) -> &'static str {
        match self {
            Shape::Int { .. } => "_integer",
            Shape::Float { .. } => "_float",
            Shape::Bool => "_boolean",
            Shape::Text => "_text",
            Shape::Bytes => "_bytes",
            Shape::Objects(_) => "_object",
        }
    }

    /// The type of the field in Wireshark.
    fn field_type(&self) -> &'static str {
        match self {
            Shape::Int { signed: 0, unsigned, .. } => match unsigned {
                0..=8 => "UINT8",
                9..=16 => "UINT16",
                17..=32 => "UINT32",
                _ => "UINT64",
            },
            Shape::Int { signed, unsigned: 0, .. } => match signed {
                0..=8 => "INT8",
                9..=16 => "INT16",
                17..=32 => "INT32",
                _ => "INT64",
            },
            Shape::Int { .. } => "INT64",
            Shape::Float { is_single: true } => "FLOAT",
            Shape::Float { is_single: false } => "DOUBLE",
            Shape::Bool => "BOOLEAN",
            Shape::Text => "STRING",
            Shape::Bytes => "BYTES",
            Shape::Objects(_) => "NONE",
        }
    }

    /// The group of types that may share a name.
    fn family(&self) -> &'static str {
        match self.field_type() {
            "UINT8" | "UINT16" | "UINT32" => "unsigned",
            "INT8" | "INT16" | "INT32" => "signed",
            other => other,
        }
    }

    fn names(&self) -> Option<EnumId> {
        if let Shape::Int { names, .. } = self { *names } else { None }
    }

    /// Extends the shape by another one of the same kind.
    fn merge(&mut self, other: Shape) {
        match (self, other) {
            (Shape::Int { signed, unsigned, names }, Shape::Int { signed: s, unsigned: u, names: n }) => {
                (*signed, *unsigned) = ((*signed).max(s), (*unsigned).max(u));
                *names = names.or(n);
            }
            (Shape::Float { is_single }, Shape::Float { is_single: other }) => *is_single &= other,
            (Shape::Objects(types), Shape::Objects(others)) => {
                others.into_iter().for_each(|(of, has_stream)| *types.entry(of).or_default() |= has_stream);
            }
            _ => {}
        }
    }
}

/// The shapes of a member with their suffixes.
pub(super) fn shapes(member: &Member) -> Vec<(Shape, &'static str)> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut add = |shape: Shape| match shapes.iter_mut().find(|known| known.is_like(&shape)) {
        Some(known) => known.merge(shape),
        None => shapes.push(shape),
    };
    match &member.source {
        ValueSource::Value(value) => of_type(&value.ty, &mut add),
        ValueSource::Read(read) => of_data(&read.data, &mut add),
    }
    // Filters use values more often than objects.
    shapes.sort_by_key(|shape| matches!(shape, Shape::Objects(_)));
    let suffix = |at: usize, shape: &Shape| if at == 0 { "" } else { shape.suffix() };
    shapes.into_iter().enumerate().map(|(at, shape)| (shape.clone(), suffix(at, &shape))).collect()
}

/// The suffix of a value in the key of a member with these shapes.
pub(super) fn suffix(shapes: &[(Shape, &'static str)], data: &Data) -> &'static str {
    let mut own = None;
    of_data(data, &mut |shape| own = own.take().or(Some(shape)));
    match own {
        None | Some(Shape::Objects(_)) => "",
        Some(own) => shapes.iter().find(|(shape, _)| shape.is_like(&own)).map_or("", |(_, suffix)| *suffix),
    }
}

fn of_data(data: &Data, add: &mut impl FnMut(Shape)) {
    match data {
        Data::Int { bytes, signed, names, .. } => {
            let bits = bytes * 8;
            let (signed, unsigned) = if *signed { (bits, 0) } else { (0, bits) };
            add(Shape::Int { signed, unsigned, names: *names });
        }
        Data::Float { bytes, .. } => add(Shape::Float { is_single: *bytes == 4 }),
        Data::Bits { bool: true, .. } => add(Shape::Bool),
        Data::Bits { width, names, .. } => add(Shape::Int { signed: 0, unsigned: *width, names: *names }),
        Data::Bytes(_) => add(Shape::Bytes),
        Data::Str(..) => add(Shape::Text),
        Data::Object(object) => add(Shape::Objects(BTreeMap::from([(object.of, object.bytes.is_some())]))),
        Data::Switch(switch) => {
            switch.cases.iter().for_each(|(_, data)| of_data(data, add));
            switch.otherwise.iter().for_each(|data| of_data(data, add));
        }
    }
}

/// The shape of a calculated value. References to objects and streams have no field.
fn of_type(ty: &Ty, add: &mut impl FnMut(Shape)) {
    match ty {
        Ty::Int => add(Shape::Int { signed: 64, unsigned: 0, names: None }),
        Ty::Enum(id) => add(Shape::Int { signed: 64, unsigned: 0, names: Some(*id) }),
        Ty::Float => add(Shape::Float { is_single: false }),
        Ty::Bool => add(Shape::Bool),
        Ty::Str => add(Shape::Text),
        Ty::Bytes => add(Shape::Bytes),
        Ty::Array(element) => of_type(element, add),
        Ty::Struct(_) | Ty::Io | Ty::Any => {}
    }
}

/// A path at which objects of a type occur.
#[derive(Debug, Clone)]
struct Context {
    of: TypeId,
    /// The path of the names of its fields.
    path: String,
    /// Its key in generated code: the path, unless fields of two types at one path differ.
    key: String,
    /// The enclosing contexts, the innermost last.
    around: Vec<usize>,
    /// Those enclosing contexts that nested objects may repeat: contexts with equal path, type and these are shared.
    repeated: Vec<usize>,
    has_stream: bool,
}

/// A field as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    abbrev: String,
    label: String,
    field_type: &'static str,
    names: Option<EnumId>,
    doc: String,
}

/// All fields of a dissector.
#[derive(Debug, Default)]
pub(super) struct Fields {
    contexts: Vec<Context>,
    /// Fields by key.
    declared: BTreeMap<String, Declared>,
    /// Keys in the order of the file.
    order: Vec<String>,
    /// The group of types of each name.
    families: HashMap<String, &'static str>,
    /// Contexts of objects whose key differs from the path of their attribute.
    exceptions: BTreeMap<String, String>,
    by_type: HashMap<TypeId, usize>,
    /// Number of members of all contexts with full paths.
    planned: usize,
    /// Types of objects inside each type.
    inside: HashMap<TypeId, BTreeSet<TypeId>>,
}

impl Fields {
    /// Declares the fields of these types as the top of a protocol of this name.
    pub(super) fn new(spec: &Spec, names: &Names, roots: &[TypeId], id: &str) -> Fields {
        let mut fields = Fields::default();
        for root in roots {
            let key = fields.free_key(spec, *root, id, names);
            let (around, repeated) = (Vec::new(), Vec::new());
            fields.contexts.push(Context { of: *root, path: id.to_owned(), key, around, repeated, has_stream: true });
        }
        let mut next = 0;
        while next < fields.contexts.len() {
            fields.fill(spec, names, next);
            next += 1;
        }
        fields
    }

    /// Types whose objects have fields.
    pub(super) fn types(&self) -> BTreeSet<TypeId> {
        self.contexts.iter().map(|context| context.of).collect()
    }

    /// Enums that name values of fields.
    pub(super) fn enums(&self) -> BTreeSet<EnumId> {
        self.declared.values().filter_map(|field| field.names).collect()
    }

    fn fill(&mut self, spec: &Spec, names: &Names, number: usize) {
        let Some(context) = self.contexts.get(number).cloned() else { return };
        let of = spec.type_of(context.of);
        for member in of.seq.iter().chain(&of.instances) {
            for (shape, suffix) in shapes(member) {
                let name = format!("{}.{}{suffix}", context.path, member.name);
                let key = match &shape {
                    // Generated code has one key for the field and for the content of the object.
                    Shape::Objects(_) if !suffix.is_empty() => format!("{}.{}{OBJECT}", context.key, member.name),
                    _ => format!("{}.{}{suffix}", context.key, member.name),
                };
                self.declare(key, &name, &member.name, &shape, &member.docs);
                if let Shape::Objects(types) = shape {
                    let path = format!("{}.{}", context.path, member.name);
                    let key = format!("{}.{}", context.key, member.name);
                    for (inner, has_stream) in types {
                        let inner_key = self.inner(spec, names, number, inner, &path, has_stream);
                        if inner_key != key {
                            self.exceptions.insert(format!("{key}:{}", names.type_name(inner)), inner_key);
                        }
                    }
                }
            }
        }
        if context.around.is_empty() || context.has_stream && of.instances.is_empty() {
            let (name, key) = (format!("{}._unparsed", context.path), format!("{}._unparsed", context.key));
            let docs = Docs { doc: Some("Bytes that no field of the file takes".into()), ..Docs::default() };
            self.declare(key, &name, "_unparsed", &Shape::Bytes, &docs);
        }
    }

    /// The key of the context of a nested object.
    fn inner(&mut self, spec: &Spec, names: &Names, around: usize, of: TypeId, path: &str, has_stream: bool) -> String {
        let mut chain = self.contexts.get(around).map(|context| context.around.clone()).unwrap_or_default();
        chain.push(around);
        let same = chain.iter().rev().filter_map(|at| self.contexts.get(*at)).find(|context| context.of == of);
        if let Some(same) = same {
            return same.key.clone();
        }
        let inside = self.inside.entry(of).or_insert_with(|| types_inside(spec, of));
        let is_repeated = |at: &usize| self.contexts.get(*at).is_some_and(|context| inside.contains(&context.of));
        let repeated: Vec<usize> = chain.iter().copied().filter(is_repeated).collect();
        let is_same = |context: &&mut Context| context.of == of && context.path == path && context.repeated == repeated;
        if let Some(known) = self.contexts.iter_mut().find(is_same) {
            known.has_stream |= has_stream;
            return known.key.clone();
        }
        let members = spec.type_of(of).seq.len() + spec.type_of(of).instances.len();
        let full = self.planned + members >= MOST || self.contexts.len() >= CONTEXTS || path.len() > PATH;
        if let Some(known) = self.by_type.get(&of).filter(|_| full).and_then(|at| self.contexts.get(*at)) {
            return known.key.clone();
        }
        let path = match self.contexts.first() {
            Some(root) if full => format!("{}.{}", root.path, names.type_name(of)),
            _ => path.to_owned(),
        };
        let key = self.free_key(spec, of, &path, names);
        if !full {
            self.planned += members;
        } else {
            self.by_type.insert(of, self.contexts.len());
        }
        let (around, repeated) = if full { (Vec::new(), Vec::new()) } else { (chain, repeated) };
        self.contexts.push(Context { of, path, key: key.clone(), around, repeated, has_stream });
        key
    }

    /// The key of a new context: its path, unless objects there are of the same type inside other ones, or have different fields
    /// of the same name. Recursive types are separate.
    fn free_key(&self, spec: &Spec, of: TypeId, path: &str, names: &Names) -> String {
        let members = |of: TypeId| spec.type_of(of).seq.iter().chain(&spec.type_of(of).instances);
        let is_recursive = |of: TypeId| types_inside(spec, of).contains(&of);
        let clashes = |other: TypeId| {
            let diverge = is_recursive(of) || is_recursive(other);
            let differs = |own: &Member, other: &Member| own.name == other.name && (diverge || !is_alike(own, other));
            other == of || members(of).any(|own| members(other).any(|other| differs(own, other)))
        };
        let is_free = |key: &str| !self.contexts.iter().any(|context| context.key == key && clashes(context.of));
        let others = (1..).map(|number| match number {
            1 => format!("{path}/{}", names.type_name(of)),
            _ => format!("{path}/{}/{number}", names.type_name(of)),
        });
        std::iter::once(path.to_owned()).chain(others).find(|key| is_free(key)).unwrap_or_default()
    }

    fn declare(&mut self, key: String, name: &str, label: &str, shape: &Shape, docs: &Docs) {
        if self.declared.contains_key(&key) {
            return;
        }
        let mut abbrev = name.to_owned();
        while self.families.get(&abbrev).is_some_and(|family| *family != shape.family()) {
            abbrev += shape.suffix();
        }
        self.families.insert(abbrev.clone(), shape.family());
        let doc = docs.doc.as_deref().unwrap_or_default().chars().take(ABOUT).collect();
        let declared = Declared { abbrev, label: label.to_owned(), field_type: shape.field_type(), names: shape.names(), doc };
        self.declared.insert(key.clone(), declared);
        self.order.push(key);
    }

    /// Writes the declarations, and the contexts whose key differs from their path.
    pub(super) fn write(&self, names: &Names, to: &mut Code) {
        for key in &self.order {
            let Some(field) = self.declared.get(key) else { continue };
            let value_names = field.names.map(|id| member("names", names.enum_name(id)));
            let mut arguments = vec![
                quoted(key.as_bytes()),
                words(&field.label),
                format!("ftypes.{}", field.field_type),
                if field.doc.trim().is_empty() { "nil".to_owned() } else { words(&field.doc) },
                value_names.unwrap_or_else(|| "nil".to_owned()),
                if field.abbrev == *key { "nil".to_owned() } else { quoted(field.abbrev.as_bytes()) },
            ];
            while arguments.last().is_some_and(|last| last == "nil") {
                arguments.pop();
            }
            to.line(&format!("field({})", arguments.join(", ")));
        }
        if !self.exceptions.is_empty() {
            to.blank();
        }
        for (key, context) in &self.exceptions {
            to.line(&format!("exceptions[{}] = {}", quoted(key.as_bytes()), quoted(context.as_bytes())));
        }
    }
}

/// The object types that objects of a type may contain.
fn types_inside(spec: &Spec, of: TypeId) -> BTreeSet<TypeId> {
    let (mut found, mut pending) = (BTreeSet::new(), vec![of]);
    while let Some(of) = pending.pop() {
        let members = spec.type_of(of).seq.iter().chain(&spec.type_of(of).instances);
        for (shape, _) in members.flat_map(shapes) {
            let Shape::Objects(types) = shape else { continue };
            pending.extend(types.into_keys().filter(|of| found.insert(*of)));
        }
    }
    found
}

/// Whether two members of one name can share their fields.
fn is_alike(one: &Member, other: &Member) -> bool {
    let kinds = |member: &Member| -> Vec<(&'static str, Option<EnumId>)> {
        shapes(member).iter().map(|(shape, _)| (shape.field_type(), shape.names())).collect()
    };
    kinds(one) == kinds(other)
}
