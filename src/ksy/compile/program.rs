//! A compiled file: flat lists of operations that refer to each other by index.

use crate::flow::delivery::Width;
use crate::ksy::expr::{Binary, Compare, Method, Show, Unary};
use crate::ksy::model::Table;
use crate::ksy::process::{self, Function};
use crate::ksy::registration::Shared;
use crate::ksy::run::encoding::Charset;
use crate::ksy::run::process::Processor;
use crate::ksy::run::value::Blob;
use crate::tree::Receiver;

/// A compiled file with all imports.
#[derive(Default)]
pub(in crate::ksy) struct Program {
    pub types: Vec<TypeCode>,
    /// Members of all types: for each type those of `seq`, then its instances.
    pub members: Vec<MemberCode>,
    pub bytes: Vec<BytesCode>,
    pub objects: Vec<ObjectCode>,
    pub switches: Vec<SwitchCode>,
    pub valids: Vec<ValidCode>,
    /// Expressions, as steps of a stack machine.
    pub steps: Vec<Step>,
    /// Integers beyond 64 bits.
    pub integers: Vec<i128>,
    /// Literal texts and bytes of the file.
    pub constants: Vec<u8>,
    pub charsets: Vec<CharsetCode>,
    pub formats: Vec<Vec<PieceCode>>,
    pub enums: Vec<EnumCode>,
    pub functions: Vec<&'static Function>,
    pub tables: Vec<Table>,
    /// The session variables.
    pub session: Vec<VariableCode>,
    pub effects: Vec<EffectCode>,
    /// Names under which processors go on.
    pub continued: Vec<String>,
    pub deliver: Option<DeliverCode>,
    /// Whether another protocol reads bytes of an attribute.
    pub has_payloads: bool,
}

/// Elements that carry messages.
pub(in crate::ksy) struct DeliverCode {
    /// The list, by the type of the message that contains it.
    pub lists: Vec<(u32, Code)>,
    pub when: Option<Code>,
    pub data: Code,
    pub by: Option<Code>,
    pub order: Option<Code>,
    pub once: Option<Code>,
    pub fragment: FragmentCode,
    pub width: Width,
    /// The type of the messages, if they are of this file.
    pub of: Option<u32>,
    pub receiver: Receiver,
}

/// Which part of a message an element is.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum FragmentCode {
    Whole,
    Left(Code),
    Part([Code; 3]),
    At([Code; 3]),
}

/// A session variable.
#[derive(Debug)]
pub(in crate::ksy) struct VariableCode {
    pub name: &'static str,
    pub init: InitCode,
    /// For an integer, its number of bits and whether it is signed.
    pub width: (u8, bool),
    pub is_per_direction: bool,
    pub increments: bool,
    pub shared: Shared,
    pub resets: bool,
    /// Whether messages change it.
    pub is_set: bool,
    /// The table that its first value is.
    pub table: Option<u32>,
}

/// The first value of a session variable.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum InitCode {
    Key,
    Value(Code),
}

/// What an attribute or a type does to the session.
pub(in crate::ksy) struct EffectCode {
    /// Variables with their new values.
    pub sets: Vec<(u32, Code)>,
    /// Whether the bytes of client and server pass these stages.
    pub stages: Vec<([bool; 2], Vec<StageCode>)>,
}

/// A processor with its arguments.
pub(in crate::ksy) struct StageCode {
    pub processor: &'static process::Processor,
    pub args: Vec<Code>,
}

/// Steps of an expression. Constants and single slots need no stack.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct Code {
    pub start: u32,
    pub len: u32,
}

/// The content of one direction of a stream.
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
    /// The type at the start of the direction.
    pub root: u32,
    /// An index of [`Program::members`]: the last attribute of `root`, or of a type at its end.
    pub member: u32,
    /// Whether attributes precede it.
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
    /// Offset of the members of its slots: minus this number of parameters.
    pub params: u32,
    /// Its first member.
    pub members: u32,
    /// Number of members in `seq`; the others are instances.
    pub seq: u32,
    pub endian: Option<EndianCode>,
    /// Whether an object inherits the byte order of its reader.
    pub inherits_endian: bool,
    /// `to-string`.
    pub summary: Option<Code>,
    /// The message type of its objects.
    pub naming: Option<NameCode>,
    /// The message summary of its objects.
    pub info: Option<Code>,
    /// What parsing an object does to the session.
    pub effect: Option<u32>,
}

/// A message type: text, or a member of an enum.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct NameCode {
    pub code: Code,
    pub names: Option<u32>,
}

impl TypeCode {
    /// Number of slots of an object.
    pub fn slot_count(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// The slot of the first instance.
    pub fn first_instance(&self) -> u32 {
        self.params + self.seq
    }
}

/// A byte order determined at run time.
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
    /// Whether it is an attribute whose value no expression uses and no constraint checks.
    pub is_private: bool,
    /// The kind and the file name of an exportable object.
    pub object: Option<ObjectMark>,
    /// The protocol that reads its bytes.
    pub payload: Option<&'static str>,
    /// For an attribute, the size of all attributes after it, if fixed.
    pub tail: Option<u32>,
    /// What it does to the session.
    pub effect: Option<u32>,
}

/// Bytes that can be exported as a file.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct ObjectMark {
    /// The name of the attribute.
    pub kind: &'static str,
    /// The name of the file.
    pub file: &'static str,
}

/// The data to read, with the number of its shape.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct DataCode {
    pub kind: DataKind,
    pub shape: u16,
}

/// The kind of data to read.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum DataKind {
    /// Nothing is read: an expression is evaluated.
    Value(Code),
    /// The default case of a switch without default.
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
    /// The byte order stored by the object.
    RunTime,
}

/// The number of elements.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum RepeatCode {
    No,
    Eos,
    Count(Code),
    Until(Code),
}

/// The size of a byte range, and its post-processing.
#[derive(Debug)]
pub(in crate::ksy) struct BytesCode {
    pub size: SizeCode,
    pub terminator: Option<TerminatorCode>,
    pub pad_right: Option<u8>,
    pub process: Option<ProcessCode>,
}

/// The size of a byte range.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum SizeCode {
    Expr(Code),
    Eos,
    Terminator,
}

/// A terminator.
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
    /// A processor of the registry, and the number of the name under which it goes on.
    Stage(StageCode, Option<u32>),
    /// An unknown processor, which leaves the bytes as they are.
    Unknown,
}

impl std::fmt::Debug for ProcessCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method())
    }
}

impl ProcessCode {
    /// Its name in outputs.
    pub fn method(&self) -> &'static str {
        match self {
            ProcessCode::Xor(_) => "xor",
            ProcessCode::RotateLeft(_) | ProcessCode::RotateRight(_) => "rotate",
            ProcessCode::Zlib => "zlib",
            ProcessCode::Custom(processor, _) => processor.name(),
            ProcessCode::Stage(stage, _) => stage.processor.name,
            ProcessCode::Unknown => "unknown",
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
    /// The bytes of its separate stream.
    pub bytes: Option<u32>,
    /// Its size in bytes, if fixed and without instances.
    pub fixed: Option<u32>,
}

/// The `_parent` of an object.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum ParentCode {
    Reader,
    Nothing,
    Expr(Code),
}

/// A selection of the data to read.
#[derive(Debug)]
pub(in crate::ksy) struct SwitchCode {
    pub on: Code,
    pub cases: Vec<(Code, DataCode)>,
    /// If all values are integers: the values in ascending order, the first of equal ones.
    pub table: Option<Vec<(i128, DataCode)>>,
    pub otherwise: DataCode,
    /// Whether the file has no case `_`.
    pub is_partial: bool,
    /// The enum of the value.
    pub names: Option<u32>,
}

/// A constraint on a value.
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
    /// The table of the same name.
    pub table: Option<u32>,
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
    /// The name of an unknown encoding.
    Unknown(String),
}

/// A part of a formatted text.
#[derive(Debug)]
pub(in crate::ksy) enum PieceCode {
    Text(Blob),
    /// A value, and its enum.
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
    /// This number of values as a list.
    List(u32),
    /// This number of integers as bytes.
    ListAsBytes(u32),
    This,
    Item,
    Index,
    /// A session variable.
    Variable(u32),
    /// A function of this number of arguments: an index of [`Program::functions`].
    Call(u32, u32),
    /// The rows of a table for a version.
    Table(u32),
    /// A member of an enum with a table, as an index.
    Member(u32, u32),
    /// A slot of the current object.
    Own(u32),
    /// A slot of an object that should have this type.
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
    /// Jumps forward by this number of steps.
    Jump(u32),
    /// The same if a popped boolean is false.
    JumpIfFalse(u32),
    /// The same if the last boolean has this value; else the boolean is popped.
    JumpIf(bool, u32),
    Method(Method),
    Decode(u32),
    ToInt,
    Substring,
    Format(u32),
}
