//! Resolves declarations into the model.

mod attribute;
mod build;
mod check;
mod deliver;
mod expression;
mod linked;
mod method;
mod names;
mod outline;
mod parents;
mod registration;
mod session;
mod sizes;
mod summary;
mod table;
pub(super) mod words;

pub(super) use method::all as methods;

use super::decl::{EndianDecl, EnumDecl, TypeDecl};
use super::files::{Files, Open};
use super::model::{Encoding, Endian, Enum, EnumId, FixedEndian, Spec, Table, Ty, TypeId};
use super::report::{Problem, Report};
use super::source_range::{SourceRange, offset};
use linked::Linked;
use outline::Outline;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Resolves these files; errors go to the report.
/// Also returns the files beside them that were read.
pub(super) fn resolve<'d>(files: &'d Files, open: Open<'d>, report: &mut Report) -> (Spec, Vec<PathBuf>) {
    let mut resolver = Resolver {
        files,
        open,
        beside: RefCell::new(Vec::new()),
        tables: RefCell::new(Vec::new()),
        named: RefCell::new(HashMap::new()),
        report: RefCell::new(std::mem::take(report)),
        quiet: false,
        types: Vec::new(),
        enums: Vec::new(),
        tops: Vec::new(),
        linked: Linked::default(),
        nearest: RefCell::new((u32::MAX, Vec::new())),
        outlines: Vec::new(),
        parents: Vec::new(),
        calculated: RefCell::new(HashMap::new()),
        opaque: RefCell::new(HashSet::new()),
        without_endian: RefCell::new(HashSet::new()),
        sizes: RefCell::new(HashMap::new()),
        depth: Cell::new(0),
        work: Cell::new(0),
    };
    resolver.declare();
    resolver.outlines = resolver.outline();
    resolver.parents = resolver.infer_parents();
    let mut spec = resolver.build();
    resolver.registrations(&mut spec);
    spec.tables = resolver.tables.take().into_iter().map(|(_, table)| table).collect();
    for (names, table) in resolver.named.take() {
        if let Some(names) = spec.enums.get_mut(names.0 as usize) {
            names.table = Some(table);
        }
    }
    *report = resolver.report.into_inner();
    (spec, resolver.beside.into_inner())
}

/// A declared type.
struct TypeEntry<'d> {
    decl: &'d TypeDecl,
    path: String,
    owner: Option<TypeId>,
    top: TypeId,
    file: u32,
    types: Vec<TypeId>,
    types_by_name: HashMap<&'d str, TypeId>,
    enums: Vec<EnumId>,
    enums_by_name: HashMap<&'d str, EnumId>,
}

struct EnumEntry<'d> {
    decl: &'d EnumDecl,
    values: HashMap<&'d str, i128>,
    path: String,
    owner: TypeId,
}

/// The type of a calculated instance, during and after inference.
#[derive(Clone)]
enum Calculated {
    InProgress,
    Done(Option<Ty>),
}

struct Resolver<'d> {
    files: &'d Files,
    /// Opens files beside them.
    open: Open<'d>,
    /// The files beside them that were read.
    beside: RefCell<Vec<PathBuf>>,
    /// Tables, each with the file that names it.
    tables: RefCell<Vec<(u32, Table)>>,
    /// Enums with the table of the same name.
    named: RefCell<HashMap<EnumId, u32>>,
    report: RefCell<Report>,
    /// Whether errors are suppressed.
    quiet: bool,
    types: Vec<TypeEntry<'d>>,
    enums: Vec<EnumEntry<'d>>,
    /// The top type of each file.
    tops: Vec<Option<TypeId>>,
    /// Files that imports connect: their types see each other.
    linked: Linked,
    /// A file, and the rank of each file in the order in which its imports reach them.
    nearest: RefCell<(u32, Vec<u32>)>,
    outlines: Vec<Outline<'d>>,
    parents: Vec<Ty>,
    calculated: RefCell<HashMap<(TypeId, u32), Calculated>>,
    /// Opaque types of files that a warning names.
    opaque: RefCell<HashSet<(u32, String)>>,
    /// Files with a number of unknown byte order, which is reported once.
    without_endian: RefCell<HashSet<u32>>,
    /// Sizes of types in bits; `None` if a size is in progress or not fixed.
    sizes: RefCell<HashMap<TypeId, Option<u64>>>,
    /// Nesting of expressions, through instances.
    depth: Cell<usize>,
    /// Number of expressions so far.
    work: Cell<usize>,
}

impl<'d> Resolver<'d> {
    /// Gives each type and each enum its index.
    fn declare(&mut self) {
        for (file, loaded) in self.files.loaded.iter().enumerate() {
            let top = loaded.decl.as_ref().map(|decl| self.declare_type(decl, offset(file), None));
            self.tops.push(top);
        }
        self.linked = Linked::of(self.files);
    }

    fn declare_type(&mut self, decl: &'d TypeDecl, file: u32, owner: Option<TypeId>) -> TypeId {
        let id = TypeId(offset(self.types.len()));
        let path_in = |path: Option<&str>| path.map_or_else(|| decl.name.clone(), |path| format!("{path}::{}", decl.name));
        let (path, top) = match owner {
            Some(owner) => (path_in(Some(&self.entry(owner).path)), self.entry(owner).top),
            None => (path_in(None), id),
        };
        self.types.push(TypeEntry {
            decl,
            path: path.clone(),
            owner,
            top,
            file,
            types: Vec::new(),
            types_by_name: HashMap::new(),
            enums: Vec::new(),
            enums_by_name: HashMap::new(),
        });
        let types: Vec<TypeId> = decl.types.iter().map(|nested| self.declare_type(nested, file, Some(id))).collect();
        let first = self.enums.len();
        self.enums.extend(decl.enums.iter().map(|decl| EnumEntry {
            decl,
            values: decl.members.iter().map(|member| (member.name.as_str(), member.value)).collect(),
            path: format!("{path}::{}", decl.name),
            owner: id,
        }));
        let enums: Vec<EnumId> = (first..self.enums.len()).map(|index| EnumId(offset(index))).collect();
        if let Some(entry) = self.types.get_mut(id.0 as usize) {
            entry.types_by_name = decl.types.iter().map(|nested| nested.name.as_str()).zip(types.iter().copied()).collect();
            entry.enums_by_name = decl.enums.iter().map(|decl| decl.name.as_str()).zip(enums.iter().copied()).collect();
            (entry.types, entry.enums) = (types, enums);
        }
        id
    }

    #[allow(clippy::indexing_slicing, reason = "the resolver hands out these indices itself")]
    fn entry(&self, id: TypeId) -> &TypeEntry<'d> {
        &self.types[id.0 as usize]
    }

    #[allow(clippy::indexing_slicing, reason = "the resolver hands out these indices itself")]
    fn outline_of(&self, id: TypeId) -> &Outline<'d> {
        &self.outlines[id.0 as usize]
    }

    #[allow(clippy::indexing_slicing, reason = "the resolver hands out these indices itself")]
    fn enum_entry(&self, id: EnumId) -> &EnumEntry<'d> {
        &self.enums[id.0 as usize]
    }

    fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..offset(self.types.len())).map(TypeId)
    }

    /// Whether suggestions need not be computed.
    fn has_helped(&self) -> bool {
        self.quiet || self.report.borrow().has_helped()
    }

    /// Whether errors are only counted.
    fn is_full(&self) -> bool {
        self.quiet || self.report.borrow().is_full()
    }

    fn report(&self, problem: Problem) {
        if !self.quiet {
            self.report.borrow_mut().add(problem);
        }
    }

    fn error(&self, place: SourceRange, message: impl Into<String>) {
        self.report(Problem::error(place, message));
    }

    /// A setting of the type itself or the nearest enclosing type.
    fn inherited<T>(&self, of: TypeId, get: impl Fn(&'d TypeDecl) -> Option<T>) -> Option<(TypeId, T)> {
        let mut at = Some(of);
        while let Some(id) = at {
            if let Some(value) = get(self.entry(id).decl) {
                return Some((id, value));
            }
            at = self.entry(id).owner;
        }
        None
    }

    /// The default byte order of a type.
    fn endian(&self, of: TypeId) -> Option<Endian> {
        self.inherited(of, |decl| decl.defaults.endian.as_ref()).map(|(_, endian)| match endian {
            EndianDecl::Fixed(fixed) => Endian::Fixed(*fixed),
            EndianDecl::Switch { .. } => Endian::RunTime,
        })
    }

    fn bit_endian(&self, of: TypeId) -> FixedEndian {
        self.inherited(of, |decl| decl.defaults.bit_endian).map_or(FixedEndian::Big, |(_, endian)| endian)
    }

    fn encoding(&self, of: TypeId) -> Option<Encoding> {
        self.inherited(of, |decl| decl.defaults.encoding.clone()).map(|(_, encoding)| encoding)
    }

    /// The enums of the model.
    fn build_enums(&self) -> Vec<Enum> {
        let build = |entry: &EnumEntry<'_>| Enum {
            name: entry.decl.name.clone(),
            path: entry.path.clone(),
            owner: entry.owner,
            members: entry.decl.members.clone(),
            table: None,
            docs: entry.decl.docs.clone(),
            place: entry.decl.place,
        };
        self.enums.iter().map(build).collect()
    }
}
