//! Declarations as written: keys are checked, expressions are parsed, names are unresolved.

use super::expr::syntax::{Call, Syntax, TypeName};
use super::model::{Docs, Encoding, FixedEndian, Meta};
use super::source_range::SourceRange;
use std::ops::RangeInclusive;

/// A name with its position.
#[derive(Debug, Clone)]
pub(super) struct Named<T> {
    pub(super) value: T,
    pub(super) place: SourceRange,
}

/// A type.
#[derive(Debug, Default)]
pub(super) struct TypeDecl {
    pub(super) name: String,
    pub(super) place: SourceRange,
    pub(super) docs: Docs,
    pub(super) meta: Meta,
    pub(super) registration: Option<RegistrationDecl>,
    pub(super) defaults: Defaults,
    pub(super) imports: Vec<Named<String>>,
    pub(super) opaque_types: bool,
    pub(super) params: Vec<ParamDecl>,
    pub(super) seq: Vec<AttrDecl>,
    pub(super) instances: Vec<AttrDecl>,
    pub(super) types: Vec<TypeDecl>,
    pub(super) enums: Vec<EnumDecl>,
    /// What parsing an object does to the session.
    pub(super) effect: EffectDecl,
    pub(super) to_string: Option<Syntax>,
    pub(super) representation: Option<Vec<RepresentationPart>>,
}

/// `-proto-dissect` of `meta`.
#[derive(Debug)]
pub(super) struct RegistrationDecl {
    /// The position of the key.
    pub(super) place: SourceRange,
    pub(super) carriers: Vec<Named<CarrierDecl>>,
    pub(super) over: Option<Named<String>>,
    pub(super) ports: Vec<RangeInclusive<u16>>,
    pub(super) magic: Vec<Vec<u8>>,
    pub(super) framing: Option<Named<&'static str>>,
    pub(super) message: Option<TypeName>,
    /// Roots of client, server and unknown direction.
    pub(super) roots: [Option<TypeName>; 3],
    pub(super) max_message: Option<usize>,
    pub(super) resync: Option<Named<&'static str>>,
    pub(super) name: Option<Syntax>,
    pub(super) info: Option<Syntax>,
    pub(super) secrets: Vec<Named<Vec<String>>>,
    pub(super) session: Vec<VariableDecl>,
    pub(super) deliver: Option<DeliverDecl>,
}

/// A session variable.
#[derive(Debug)]
pub(super) struct VariableDecl {
    pub(super) name: String,
    pub(super) place: SourceRange,
    pub(super) init: InitDecl,
    pub(super) is_per_direction: bool,
    pub(super) increments: bool,
    pub(super) shared: Option<Named<&'static str>>,
    /// `reset-on: gap`.
    pub(super) resets: bool,
}

/// The first value of a session variable.
#[derive(Debug)]
pub(super) enum InitDecl {
    /// From the key file.
    Key,
    Value(Syntax),
}

/// What an attribute or a type does to the session once it was read.
#[derive(Debug, Default)]
pub(super) struct EffectDecl {
    pub(super) sets: Vec<(Named<String>, Syntax)>,
    pub(super) stages: Vec<StageChangeDecl>,
}

/// The stages that the bytes of directions pass from now on.
#[derive(Debug)]
pub(super) struct StageChangeDecl {
    /// Whether those of client and server.
    pub(super) sides: [bool; 2],
    pub(super) stages: Vec<Call>,
    pub(super) place: SourceRange,
}

/// A value of `transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CarrierDecl {
    Tcp,
    Udp,
    Payload,
}

/// `deliver`: which elements carry messages, and how they are put together.
#[derive(Debug)]
pub(super) struct DeliverDecl {
    pub(super) of: Syntax,
    pub(super) when: Option<Syntax>,
    pub(super) data: Syntax,
    pub(super) by: Option<Syntax>,
    pub(super) order: Option<Syntax>,
    pub(super) once: Option<Syntax>,
    pub(super) fragment: FragmentDecl,
    pub(super) receiver: ReceiverDecl,
}

/// How an element states which part of a message it is.
#[derive(Debug)]
pub(super) enum FragmentDecl {
    /// Each is a message.
    No,
    Left(Syntax),
    /// `id`, `index`, `count`.
    Part([Syntax; 3]),
    /// `id`, `offset`, `total`.
    At([Syntax; 3]),
}

/// Who reads a message.
#[derive(Debug)]
pub(super) enum ReceiverDecl {
    /// Protocols over this one.
    Place,
    Type(TypeName),
    Protocol(Named<String>),
}

/// Defaults in `meta` that a type and nested types inherit.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    pub(super) endian: Option<EndianDecl>,
    pub(super) bit_endian: Option<FixedEndian>,
    pub(super) encoding: Option<Encoding>,
}

#[derive(Debug)]
pub(super) enum EndianDecl {
    Fixed(FixedEndian),
    Switch { on: Syntax, cases: Vec<(Syntax, FixedEndian)>, otherwise: Option<FixedEndian> },
}

#[derive(Debug)]
pub(super) struct ParamDecl {
    pub(super) name: String,
    pub(super) place: SourceRange,
    pub(super) docs: Docs,
    pub(super) ty: Option<TypeName>,
    pub(super) names: Option<TypeName>,
}

/// An attribute or an instance.
#[derive(Debug)]
pub(super) struct AttrDecl {
    pub(super) name: String,
    pub(super) place: SourceRange,
    /// Position of its key, or of its first key.
    pub(super) whole: SourceRange,
    pub(super) docs: Docs,
    pub(super) condition: Option<Syntax>,
    pub(super) value: Option<Syntax>,
    pub(super) pos: Option<Syntax>,
    pub(super) io: Option<Syntax>,
    pub(super) ty: Option<TypeDeclOf>,
    pub(super) names: Option<TypeName>,
    pub(super) repeat: RepeatDecl,
    pub(super) valid: Option<ValidDecl>,
    pub(super) contents: Option<Named<Vec<u8>>>,
    pub(super) parent: Option<ParentDecl>,
    /// The extension of the file that exports the value.
    pub(super) object: Option<String>,
    pub(super) effect: EffectDecl,
    /// The protocol of its bytes.
    pub(super) payload: Option<Named<String>>,
    /// The name under which the state of its processor goes on.
    pub(super) continues: Option<Named<String>>,
    pub(super) bytes: BytesDecl,
    /// Whether a key that affects reading has an error.
    pub(super) broken: bool,
    /// Keys with their positions, to report those without an effect.
    pub(super) keys: Vec<Named<String>>,
    /// Whether its integer is shown in hexadecimal.
    pub(super) is_hex: bool,
}

/// `type`.
#[derive(Debug)]
pub(super) enum TypeDeclOf {
    One(Call),
    Switch { on: Syntax, cases: Vec<(Syntax, Call)>, otherwise: Option<Call>, place: SourceRange },
}

#[derive(Debug)]
pub(super) enum RepeatDecl {
    No,
    Eos,
    Count(Syntax),
    Until(Syntax),
}

#[derive(Debug)]
pub(super) enum ValidDecl {
    Eq(Syntax),
    Range { min: Option<Syntax>, max: Option<Syntax> },
    AnyOf(Vec<Syntax>),
    InEnum(SourceRange),
    Expr(Syntax),
}

#[derive(Debug)]
pub(super) enum ParentDecl {
    Nothing,
    Expr(Syntax),
}

/// Keys of sizes and terminators.
#[derive(Debug, Default)]
pub(super) struct BytesDecl {
    pub(super) size: Option<Syntax>,
    pub(super) size_eos: bool,
    pub(super) encoding: Option<Encoding>,
    pub(super) terminator: Option<u8>,
    pub(super) include: Option<bool>,
    pub(super) consume: Option<bool>,
    pub(super) eos_error: Option<bool>,
    pub(super) pad_right: Option<u8>,
    pub(super) process: Option<Call>,
}

#[derive(Debug)]
pub(super) struct EnumDecl {
    pub(super) name: String,
    pub(super) place: SourceRange,
    pub(super) docs: Docs,
    pub(super) members: Vec<super::model::EnumMember>,
}

/// A part of `-webide-representation`.
#[derive(Debug)]
pub(super) enum RepresentationPart {
    Text(String),
    Value(Syntax, super::expr::Show),
}
