//! A compiled file: flat lists of operations that refer to each other by index.

use crate::ksy::expr::{Binary, Compare, Method, Show, Unary};
use crate::ksy::run::encoding::Charset;
use crate::ksy::run::process::Processor;
use crate::ksy::run::value::Blob;

/// A compiled file with everything that it imports.
#[derive(Default)]
pub(in crate::ksy) struct Program {
    pub types: Vec<TypeCode>,
    /// Members of all types: those of `seq` of a type one behind another, then its instances.
    pub members: Vec<MemberCode>,
    pub bytes: Vec<BytesCode>,
    pub objects: Vec<ObjectCode>,
    pub switches: Vec<SwitchCode>,
    pub valids: Vec<ValidCode>,
    /// Expressions, as steps of a stack machine.
    pub steps: Vec<Step>,
    /// Integers that no 64-bit number holds.
    pub integers: Vec<i128>,
    /// Texts and bytes that the file contains.
    pub constants: Vec<u8>,
    pub charsets: Vec<CharsetCode>,
    pub formats: Vec<Vec<PieceCode>>,
    pub enums: Vec<EnumCode>,
}

/// Steps of an expression. Constants and single slots need no stack.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct Code {
    pub start: u32,
    pub len: u32,
}

/// What one direction of a stream consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum UnitCode {
    /// Objects of this type.
    Whole(u32),
    /// Elements of a member.
    Run(RunCode),
}

/// A member that repeats up to the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) struct RunCode {
    /// The type that the direction begins with.
    pub root: u32,
    /// An index of [`Program::members`]: the last attribute of `root`, or of a type at its end.
    pub member: u32,
    /// Whether attributes stand before it.
    pub has_once: bool,
    /// Whether elements may use the values of these attributes.
    pub uses_once: bool,
}

/// A type.
#[derive(Debug)]
pub(in crate::ksy) struct TypeCode {
    pub name: &'static str,
    /// Names of its slots: parameters, `seq`, instances.
    pub slots: Vec<&'static str>,
    /// Where the members of its slots are: minus this number of parameters.
    pub params: u32,
    /// Its first member.
    pub members: u32,
    /// How many members are in `seq`; the others are instances.
    pub seq: u32,
    pub endian: Option<EndianCode>,
    /// Whether an object keeps the byte order of its reader.
    pub inherits_endian: bool,
    /// `to-string`.
    pub summary: Option<Code>,
    /// What names it as a message.
    pub naming: Option<NameCode>,
    /// Its summary as a message.
    pub info: Option<Code>,
}

/// The name of a message: text, or a member of an enum.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct NameCode {
    pub code: Code,
    pub names: Option<u32>,
}

impl TypeCode {
    /// The slots of an object.
    pub fn slot_count(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// The slot of the first instance.
    pub fn first_instance(&self) -> u32 {
        self.params + self.seq
    }
}

/// A byte order that is decided at run time.
#[derive(Debug)]
pub(in crate::ksy) struct EndianCode {
    pub on: Code,
    /// Values, and whether the order is little-endian.
    pub cases: Vec<(Code, bool)>,
    pub otherwise: Option<bool>,
}

/// An attribute or an instance.
#[derive(Debug)]
pub(in crate::ksy) struct MemberCode {
    /// Its slot.
    pub slot: u32,
    pub condition: Option<Code>,
    pub data: DataCode,
    pub repeat: RepeatCode,
    pub valid: Option<u32>,
    pub pos: Option<Code>,
    pub io: Option<Code>,
    /// Whether it is an attribute whose value no expression uses and the file demands nothing of.
    pub is_private: bool,
    /// What it is called and the file that it may be saved as.
    pub object: Option<ObjectMark>,
    /// Of an attribute, the bytes of all attributes behind it, if that number is fixed.
    pub tail: Option<u32>,
}

/// Bytes that may be saved as a file.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct ObjectMark {
    /// The name of the attribute.
    pub kind: &'static str,
    /// The name of the file.
    pub file: &'static str,
}

/// What is read, with the number of its shape.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct DataCode {
    pub kind: DataKind,
    pub shape: u16,
}

/// What is read.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum DataKind {
    /// Nothing: an expression is evaluated.
    Value(Code),
    /// The default case of a switch without one.
    Nothing,
    U1,
    Int {
        bytes: u8,
        signed: bool,
        endian: EndianKind,
    },
    Float {
        bytes: u8,
        endian: EndianKind,
    },
    Bits {
        width: u8,
        is_little: bool,
        is_bool: bool,
    },
    /// Indices of [`Program`].
    Bytes(u32),
    Str {
        bytes: u32,
        charset: u32,
    },
    Object(u32),
    Switch(u32),
}

/// A byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum EndianKind {
    Little,
    Big,
    /// The order that the object keeps.
    RunTime,
}

/// How many elements are read.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum RepeatCode {
    No,
    Eos,
    Count(Code),
    Until(Code),
}

/// How many bytes are taken, and what becomes of them.
#[derive(Debug)]
pub(in crate::ksy) struct BytesCode {
    pub size: SizeCode,
    pub terminator: Option<TerminatorCode>,
    pub pad_right: Option<u8>,
    pub process: Option<ProcessCode>,
}

/// How many bytes are taken.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum SizeCode {
    Expr(Code),
    Eos,
    Terminator,
}

/// The end of bytes.
#[derive(Debug)]
pub(in crate::ksy) struct TerminatorCode {
    pub bytes: Vec<u8>,
    pub include: bool,
    pub consume: bool,
    pub eos_error: bool,
}

/// A transformation of bytes.
pub(in crate::ksy) enum ProcessCode {
    Xor(Code),
    RotateLeft(Code),
    RotateRight(Code),
    Zlib,
    Custom(&'static dyn Processor, Vec<Code>),
    /// One that the program does not have.
    Unknown(String),
}

impl std::fmt::Debug for ProcessCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.how())
    }
}

impl ProcessCode {
    /// Its name in outputs.
    pub fn how(&self) -> &'static str {
        match self {
            ProcessCode::Xor(_) => "xor",
            ProcessCode::RotateLeft(_) | ProcessCode::RotateRight(_) => "rotate",
            ProcessCode::Zlib => "zlib",
            ProcessCode::Custom(processor, _) => processor.name(),
            ProcessCode::Unknown(_) => "unknown",
        }
    }
}

/// An object to be read.
#[derive(Debug)]
pub(in crate::ksy) struct ObjectCode {
    pub of: u32,
    pub args: Vec<Code>,
    pub parent: ParentCode,
    /// Whether `_root` of the object is the object itself.
    pub external: bool,
    /// The bytes of its own stream.
    pub bytes: Option<u32>,
    /// The bytes that it takes, if that is fixed and it has no instances.
    pub fixed: Option<u32>,
}

/// What `_parent` of an object is.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum ParentCode {
    Reader,
    Nothing,
    Expr(Code),
}

/// A choice of what is read.
#[derive(Debug)]
pub(in crate::ksy) struct SwitchCode {
    pub on: Code,
    pub cases: Vec<(Code, DataCode)>,
    /// Where all values are integers: the values in ascending order, the first of equal ones.
    pub table: Option<Vec<(i128, DataCode)>>,
    pub otherwise: DataCode,
}

/// A demand on a value.
#[derive(Debug)]
pub(in crate::ksy) enum ValidCode {
    Eq(Code),
    Range { min: Option<Code>, max: Option<Code> },
    AnyOf(Vec<Code>),
    InEnum(u32),
    Expr(Code),
}

/// An enum: members in ascending order.
#[derive(Debug, Default)]
pub(in crate::ksy) struct EnumCode {
    pub members: Vec<(i128, Blob)>,
}

impl EnumCode {
    /// The name of a value.
    pub fn name(&self, value: i128) -> Option<Blob> {
        let place = self.members.binary_search_by_key(&value, |(known, _)| *known).ok()?;
        self.members.get(place).map(|(_, name)| *name)
    }
}

/// A character encoding.
#[derive(Debug)]
pub(in crate::ksy) enum CharsetCode {
    Known(Charset),
    /// The name of an unknown one.
    Unknown(String),
}

/// A part of a formatted text.
#[derive(Debug)]
pub(in crate::ksy) enum PieceCode {
    Text(Blob),
    /// A value, and the enum that it is a member of.
    Value(Show, Option<u32>),
}

/// A step of an expression. Values are pushed to a stack and popped from it.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum Step {
    Int(i64),
    /// An index of [`Program::integers`].
    Big(u32),
    Float(f64),
    Bool(bool),
    Str(Blob),
    Bytes(Blob),
    /// So many values as a list.
    List(u32),
    /// So many integers as bytes.
    ListAsBytes(u32),
    This,
    Item,
    Index,
    /// A slot of the object that the expression belongs to.
    Own(u32),
    /// A slot of an object that should be of this type.
    Field {
        of: u32,
        slot: u32,
    },
    Parent,
    Root,
    Io,
    At,
    Unary(Unary),
    Binary(Binary),
    Compare(Compare),
    /// Goes on so many steps later.
    Jump(u32),
    /// The same where a popped boolean is false.
    JumpIfFalse(u32),
    /// The same where the last boolean has this value; else the boolean is popped.
    JumpIf(bool, u32),
    Method(Method),
    Decode(u32),
    ToInt,
    Substring,
    Format(u32),
}
