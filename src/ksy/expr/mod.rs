//! Expressions, with names and types resolved.

mod lexer;
pub(super) mod origin;
pub(super) mod parser;
pub(super) mod syntax;
pub mod walk;

use super::model::{Encoding, EnumId, Ty, TypeId};
use super::source_range::SourceRange;

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Its kind.
    pub kind: Kind,
    /// The type of its value.
    pub ty: Ty,
    /// Its position.
    pub place: SourceRange,
}

/// The kind of an expression.
#[derive(Debug, Clone)]
pub enum Kind {
    /// An integer, including `sizeof` and `_sizeof`.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// Text.
    Str(String),
    /// Bytes: a list of literals from 0 to 255.
    Bytes(Vec<u8>),
    /// A list. It has type [`Ty::Bytes`] if it is cast to bytes; then each element must be an integer from 0 to 255.
    List(Vec<Expr>),
    /// A member of an enum, by its value.
    Member(EnumId, i128),
    /// An integer as a member of an enum (`enum` of a `value` instance).
    ToEnum(Box<Expr>, EnumId),
    /// The object that the expression belongs to.
    This,
    /// `_`: the element of a repetition, or the value to validate.
    Item,
    /// `_index`: the number of the element, from 0.
    Index,
    /// A parameter, an attribute or an instance of an object. After a cast, the object may have another type than `of` at run
    /// time.
    Field {
        /// The object.
        object: Box<Expr>,
        /// The type of the slot.
        of: TypeId,
        /// The slot.
        slot: Slot,
    },
    /// A session variable: its index in the registration of this file, and the parameter that has its name.
    Variable {
        /// The top type of the file.
        top: TypeId,
        /// The index.
        variable: u32,
        /// The parameter of the top type.
        slot: Slot,
    },
    /// A function, by its name.
    Call(&'static str, Vec<Expr>),
    /// The rows of a table of this version: an index into [`super::model::Spec::tables`].
    Table(u32, Box<Expr>),
    /// `_parent` of an object.
    Parent(Box<Expr>),
    /// `_root` of an object.
    Root(Box<Expr>),
    /// `_io` of an object.
    Io(Box<Expr>),
    /// An element of a list.
    At(Box<Expr>, Box<Expr>),
    /// A unary operator.
    Unary(Unary, Box<Expr>),
    /// A binary operator on numbers; [`Binary::Add`] also concatenates two texts.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A comparison of two numbers, texts, bytes, booleans, enums or objects.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// Both; the second one is evaluated only if the first one is true.
    And(Box<Expr>, Box<Expr>),
    /// Either; the second one is evaluated only if the first one is false.
    Or(Box<Expr>, Box<Expr>),
    /// A condition with two branches.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A method without arguments.
    Method(Method, Box<Expr>),
    /// `to_s` of bytes.
    Decode(Box<Expr>, Encoding),
    /// `to_i` of text with a base from 2 to 36.
    ToInt(Box<Expr>, Box<Expr>),
    /// `substring` of text: first character, and the one after the last.
    Substring(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `as<T>`, to the type of this expression.
    Cast(Box<Expr>),
    /// An f-string, or a summary.
    Format(Vec<Piece>),
}

/// A slot of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// An index into [`super::model::Type::params`].
    Param(u32),
    /// An index into [`super::model::Type::seq`].
    Seq(u32),
    /// An index into [`super::model::Type::instances`].
    Instance(u32),
}

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`, of a number.
    Minus,
    /// `not`, of a boolean.
    Not,
    /// `~`, of an integer.
    Invert,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: of integers, rounded towards negative infinity.
    Divide,
    /// `%`: the result has the sign of the divisor.
    Modulo,
    /// `<<`
    ShiftLeft,
    /// `>>`, arithmetic.
    ShiftRight,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `to_s` of an integer: decimal digits.
    IntToStr,
    /// `to_s` of a float.
    FloatToStr,
    /// `to_i` of a float: truncated towards zero.
    FloatToInt,
    /// `to_i` of an enum.
    EnumToInt,
    /// `to_i` of a boolean.
    BoolToInt,
    /// `to_i` of text, decimal.
    StrToInt,
    /// `length` of text, in characters.
    StrLength,
    /// `reverse` of text.
    StrReverse,
    /// `length` and `size` of bytes.
    BytesLength,
    /// `first` of bytes.
    BytesFirst,
    /// `last` of bytes.
    BytesLast,
    /// `min` of bytes.
    BytesMin,
    /// `max` of bytes.
    BytesMax,
    /// `size` of a list.
    ListSize,
    /// `first` of a list.
    ListFirst,
    /// `last` of a list.
    ListLast,
    /// `min` of a list of numbers or texts.
    ListMin,
    /// `max` of a list of numbers or texts.
    ListMax,
    /// `eof` of a stream.
    IoEof,
    /// `size` of a stream.
    IoSize,
    /// `pos` of a stream.
    IoPos,
}

/// A part of a formatted text.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// A value.
    Value(Expr, Show),
}

/// The format of a value in a formatted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Like `to_s`.
    Plain,
    /// An integer in hexadecimal, with `0x`.
    Hex,
    /// An integer in hexadecimal digits only.
    Digits {
        /// Fewer digits are filled with zeros in front.
        width: u8,
        /// Whether letters are capitals.
        upper: bool,
    },
    /// An integer in decimal, even if it has a name.
    Decimal,
}

impl Show {
    /// Whether it is a form of hexadecimal.
    #[must_use]
    pub fn is_hex(self) -> bool {
        matches!(self, Show::Hex | Show::Digits { .. })
    }

    /// The format of this name in an f-string: `x`, `X`, `04x`, `#x` and `hex`, `d` and `dec`.
    #[must_use]
    pub fn named(name: &str) -> Option<Show> {
        Some(match name {
            "hex" | "#x" => Show::Hex,
            "dec" | "d" => Show::Decimal,
            _ => {
                let upper = name.ends_with('X');
                let width = name.strip_suffix(['x', 'X'])?;
                let width = if width.is_empty() { 0 } else { width.strip_prefix('0')?.parse().ok()? };
                Show::Digits { width: Some(width).filter(|width| *width <= MOST_DIGITS)?, upper }
            }
        })
    }
}

/// Maximum width of a number in hexadecimal: the digits of 128 bits.
const MOST_DIGITS: u8 = 32;

#[cfg(test)]
mod tests;
