//! The resolved model of Kaitai Struct files: every name is an index, every expression has a type, every default is filled in.

use super::expr::Expr;
use super::registration::Registration;
use super::source_range::{SourceFile, SourceRange};

/// An index into [`Spec::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// An index into [`Spec::enums`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// Resolved and checked files with their imports.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// The texts that positions refer to.
    pub files: Vec<SourceFile>,
    /// All types of all files.
    pub types: Vec<Type>,
    /// All enums of all files.
    pub enums: Vec<Enum>,
    /// The top type of each requested file, in the order of the request.
    pub roots: Vec<TypeId>,
    /// Tables that expressions name.
    pub tables: Vec<Table>,
}

impl Spec {
    /// The type with this index.
    ///
    /// # Panics
    /// If the index is from another model.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "the loader hands out indices of this model only")]
    pub fn type_of(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The enum with this index.
    ///
    /// # Panics
    /// If the index is from another model.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "the loader hands out indices of this model only")]
    pub fn enum_of(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }
}

/// A type: the top of a file, or one of `types`.
#[derive(Debug, Clone)]
pub struct Type {
    /// The name; for the top of a file its `meta/id`.
    pub name: String,
    /// The names from the top of the file down, joined by `::`.
    pub path: String,
    /// The enclosing type; `None` for the top of a file.
    pub owner: Option<TypeId>,
    /// The top type of its file, which is the static type of `_root`.
    pub top: TypeId,
    /// Types declared inside.
    pub types: Vec<TypeId>,
    /// Enums declared inside.
    pub enums: Vec<EnumId>,
    /// Title, documentation and extension keys.
    pub docs: Docs,
    /// `meta` of the top of a file.
    pub meta: Meta,
    /// `-proto-dissect` in `meta` of the top of a file.
    pub registration: Option<Box<Registration>>,
    /// `meta/endian` with `switch-on` of this type; evaluated before `seq` is read.
    pub endian_switch: Option<EndianSwitch>,
    /// Whether an object stores a byte order at run time: from its own switch, or that of the object that reads it.
    pub has_run_time_endian: bool,
    /// Parameters.
    pub params: Vec<Param>,
    /// Attributes in reading order.
    pub seq: Vec<Member>,
    /// Instances in the order of the file.
    pub instances: Vec<Member>,
    /// The static type of `_parent`: [`Ty::Struct`] with a type if all users have the same type.
    pub parent: Ty,
    /// `set` of `-proto-dissect`.
    pub effect: Effect,
    /// `to-string`, else `-webide-representation`: an expression of type [`Ty::Str`].
    pub summary: Option<Expr>,
    /// Position of its name; for the top of a file, of `meta/id`.
    pub place: SourceRange,
}

/// `meta` of a file, without what types inherit.
#[derive(Debug, Clone, Default)]
pub struct Meta {
    /// `title`.
    pub title: Option<String>,
    /// `application`, joined by commas.
    pub application: Option<String>,
    /// `license`.
    pub license: Option<String>,
}

/// Documentation of a type, a field or an enum.
#[derive(Debug, Clone, Default)]
pub struct Docs {
    /// `doc`.
    pub doc: Option<String>,
    /// `doc-ref`, all of them.
    pub refs: Vec<String>,
    /// `-orig-id`.
    pub orig_id: Option<String>,
}

/// A byte order determined at run time.
#[derive(Debug, Clone)]
pub struct EndianSwitch {
    /// `switch-on`.
    pub on: Expr,
    /// Values with their byte order, in the order of the file.
    pub cases: Vec<(Expr, FixedEndian)>,
    /// The case `_`; without it, other values are errors.
    pub otherwise: Option<FixedEndian>,
}

/// A byte order, or the bit order of bit fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedEndian {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
}

/// The byte order of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Known from the file.
    Fixed(FixedEndian),
    /// The byte order stored by the object of this field, see [`Type::has_run_time_endian`].
    RunTime,
}

/// A parameter of a type.
#[derive(Debug, Clone)]
pub struct Param {
    /// The name.
    pub name: String,
    /// The type of its values.
    pub ty: Ty,
    /// Documentation.
    pub docs: Docs,
    /// Position of its name.
    pub place: SourceRange,
}

/// An attribute of `seq` or an instance.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name; `_unnamedN` for an attribute without one.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// `if`: an expression of type [`Ty::Bool`].
    pub condition: Option<Expr>,
    /// How its value is obtained.
    pub source: ValueSource,
    /// `valid` and `contents`, checked for each element of a repetition.
    pub valid: Option<Valid>,
    /// The type of the whole value: an array if it repeats.
    pub ty: Ty,
    /// For bytes that can be exported as a file, the extension of its name.
    pub object: Option<String>,
    /// For bytes, the protocol that reads them.
    pub payload: Option<String>,
    /// Whether an integer is shown in hexadecimal.
    pub is_hex: bool,
    /// What it does to the session.
    pub effect: Effect,
    /// Position of its name; without a name, of the whole attribute.
    pub place: SourceRange,
}

/// How the value of a member is obtained.
#[derive(Debug, Clone)]
pub enum ValueSource {
    /// `value`: calculated.
    Value(Expr),
    /// Read from a stream.
    Read(Box<Read>),
}

/// A read from a stream.
#[derive(Debug, Clone)]
pub struct Read {
    /// The kind of one element.
    pub data: Data,
    /// The number of elements.
    pub repeat: Repeat,
    /// `pos`, for instances only: an integer. Without it, reading starts at the current position.
    pub pos: Option<Expr>,
    /// `io`, for instances only: a stream.
    pub io: Option<Expr>,
}

/// The number of elements of a member.
#[derive(Debug, Clone)]
pub enum Repeat {
    /// One; the value is no array.
    No,
    /// Up to the end of the stream.
    Eos,
    /// This number: an integer.
    Count(Expr),
    /// Up to and including the element that satisfies it; [`super::expr::Kind::Item`] is the element.
    Until(Expr),
}

/// The kind of a value that is read.
#[derive(Debug, Clone)]
pub enum Data {
    /// An integer of whole bytes.
    Int {
        /// 1, 2, 4 or 8.
        bytes: u8,
        /// Whether it is two's complement.
        signed: bool,
        /// The byte order; any for a single byte.
        endian: Endian,
        /// `enum`.
        names: Option<EnumId>,
    },
    /// A floating-point number.
    Float {
        /// 4 or 8.
        bytes: u8,
        /// The byte order.
        endian: Endian,
    },
    /// An unsigned integer of bits.
    Bits {
        /// 1 to 64.
        width: u8,
        /// The bit order.
        endian: FixedEndian,
        /// Whether the value is a boolean: `b1` without `enum`.
        bool: bool,
        /// `enum`.
        names: Option<EnumId>,
    },
    /// Bytes.
    Bytes(Bytes),
    /// Text.
    Str(Bytes, Encoding),
    /// An object of a type of the model.
    Object(Box<Object>),
    /// One of several, selected by a value.
    Switch(Box<Switch>),
}

/// An object to be read.
#[derive(Debug, Clone)]
pub struct Object {
    /// The type.
    pub of: TypeId,
    /// Arguments, one per parameter, evaluated in the object that reads.
    pub args: Vec<Expr>,
    /// Its `_parent`.
    pub parent: ParentOf,
    /// Whether the type is declared in another file: then `_root` of the object is the object itself.
    pub external: bool,
    /// The bytes of its stream; `None` if it reads from the stream of its reader.
    pub bytes: Option<Bytes>,
}

/// The `_parent` of an object.
#[derive(Debug, Clone)]
pub enum ParentOf {
    /// The object that reads it.
    Reader,
    /// None: `parent: false`, and types of other files.
    Nothing,
    /// Another object, evaluated in the object that reads.
    Expr(Expr),
}

/// A choice of what is read.
#[derive(Debug, Clone)]
pub struct Switch {
    /// `switch-on`.
    pub on: Expr,
    /// Values with the data to read, in the order of the file.
    pub cases: Vec<(Expr, Data)>,
    /// The case `_`. Without it, bytes of a known size are read as bytes; otherwise nothing is read, and there is no value.
    pub otherwise: Option<Data>,
    /// Whether the file has no case `_`.
    pub is_partial: bool,
}

/// The size of a byte range, and its post-processing.
#[derive(Debug, Clone)]
pub struct Bytes {
    /// The size.
    pub size: Size,
    /// `terminator`, also that of `strz`.
    pub terminator: Option<Terminator>,
    /// `pad-right`: trailing bytes of this value are removed.
    pub pad_right: Option<u8>,
    /// `process`.
    pub process: Option<Process>,
}

/// The size of a byte range.
#[derive(Debug, Clone)]
pub enum Size {
    /// An integer, evaluated in the object that reads.
    Expr(Expr),
    /// All up to the end of the stream.
    Eos,
    /// All up to the terminator, which must be present.
    Terminator,
}

/// A terminator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminator {
    /// The bytes, aligned to their own number from the start of the value: one, or a code unit of the encoding.
    pub bytes: Vec<u8>,
    /// `include`: whether the value contains it.
    pub include: bool,
    /// `consume`: whether the position moves past it.
    pub consume: bool,
    /// `eos-error`: whether a stream that ends without it is an error.
    pub eos_error: bool,
}

/// A transformation of bytes before they are parsed.
#[derive(Debug, Clone)]
pub enum Process {
    /// Exclusive or with an integer of one byte, or with repeated bytes.
    Xor(Expr),
    /// Each byte rotated left by an integer of bits.
    RotateLeft(Expr),
    /// Each byte rotated right by an integer of bits.
    RotateRight(Expr),
    /// A zlib stream.
    Zlib,
    /// A processor of the program, by its name as written (`nested.deeply.custom_fx`).
    Custom {
        /// Its name.
        name: String,
        /// Its arguments.
        args: Vec<Expr>,
        /// Position of its name.
        place: SourceRange,
        /// The name under which its state goes on in the next message of the direction.
        continues: Option<String>,
    },
}

/// What an attribute or a type does to the session once its message is complete.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// Session variables, by index, with their new values.
    pub sets: Vec<(u32, Expr)>,
    /// Changes of the stages that bytes of directions pass.
    pub stages: Vec<StageChange>,
}

impl Effect {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.stages.is_empty()
    }
}

/// The stages that bytes pass from the next message on.
#[derive(Debug, Clone)]
pub struct StageChange {
    /// Whether those of client and server.
    pub sides: [bool; 2],
    /// The processors in order, by name, with their arguments.
    pub stages: Vec<(&'static str, Vec<Expr>)>,
}

/// A table beside the file.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its file name as written.
    pub name: String,
    /// Its rows by version.
    pub versions: Vec<TableVersion>,
    /// The first line whose name cannot be that of an enum, and why.
    pub misnamed: Option<(usize, String)>,
}

/// The rows of a table that are valid from a version on, or of one version.
#[derive(Debug, Clone)]
pub struct TableVersion {
    /// The version.
    pub version: i128,
    /// Opcodes with their sizes, ascending; −1 for a size in the message.
    pub rows: Vec<(i128, i128)>,
    /// Opcodes with their names, ascending; those without a name are left out.
    pub names: Vec<(i128, String)>,
    /// The same by name: indices of `names`.
    pub by_name: Vec<u32>,
}

impl TableVersion {
    /// The size of an opcode.
    #[must_use]
    pub fn size(&self, opcode: i128) -> Option<i128> {
        let place = self.rows.binary_search_by_key(&opcode, |(known, _)| *known).ok()?;
        self.rows.get(place).map(|(_, size)| *size)
    }

    /// The name of an opcode.
    #[must_use]
    pub fn name(&self, opcode: i128) -> Option<&str> {
        let place = self.names.binary_search_by_key(&opcode, |(known, _)| *known).ok()?;
        self.names.get(place).map(|(_, name)| name.as_str())
    }

    /// The opcode of a name.
    #[must_use]
    pub fn opcode(&self, name: &str) -> Option<i128> {
        let named = |at: &u32| self.names.get(*at as usize).map_or("", |(_, name)| name.as_str());
        let place = self.by_name.binary_search_by(|at| named(at).cmp(name)).ok()?;
        self.names.get(*self.by_name.get(place)? as usize).map(|(opcode, _)| *opcode)
    }
}

/// A constraint on a value.
#[derive(Debug, Clone)]
pub enum Valid {
    /// Equal to a value.
    Eq(Expr),
    /// At least, at most, or both.
    Range {
        /// The minimum.
        min: Option<Expr>,
        /// The maximum.
        max: Option<Expr>,
    },
    /// Equal to one of these.
    AnyOf(Vec<Expr>),
    /// A member of its enum.
    InEnum(EnumId),
    /// An expression of type [`Ty::Bool`]; [`super::expr::Kind::Item`] is the value.
    Expr(Expr),
}

/// An enum.
#[derive(Debug, Clone)]
pub struct Enum {
    /// The name.
    pub name: String,
    /// The names from the top of the file down, joined by `::`.
    pub path: String,
    /// The type that declares it.
    pub owner: TypeId,
    /// Its members in ascending order of values.
    pub members: Vec<EnumMember>,
    /// The table of the same name, whose names come first.
    pub table: Option<u32>,
    /// Documentation.
    pub docs: Docs,
    /// Position of its name.
    pub place: SourceRange,
}

impl Enum {
    /// The member with this value.
    #[must_use]
    pub fn member(&self, value: i128) -> Option<&EnumMember> {
        let place = self.members.binary_search_by_key(&value, |member| member.value).ok()?;
        self.members.get(place)
    }
}

/// A value with a name.
#[derive(Debug, Clone)]
pub struct EnumMember {
    /// The value.
    pub value: i128,
    /// The name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// Position of its name.
    pub place: SourceRange,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ty {
    /// An integer of any width.
    Int,
    /// A floating-point number.
    Float,
    /// A boolean.
    Bool,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// A member of an enum, or a number without a name in it.
    Enum(EnumId),
    /// An object; `None` if types differ, which permits only `_parent`, `_root`, `_io` and casts.
    Struct(Option<TypeId>),
    /// A stream.
    Io,
    /// An array.
    Array(Box<Ty>),
    /// Unknown until run time: a switch between incompatible types. Only casts are permitted.
    Any,
}

/// A character encoding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// A known encoding by its canonical name: `UTF-8`, `windows-1252`.
    Known(&'static str),
    /// Another name, as written: text in it is not decoded.
    Unknown(String),
}
