//! The syntax tree of an expression, with unresolved names.

use super::{Binary, Compare, Show, Unary};
use crate::ksy::source_range::SourceRange;

/// An expression as written.
#[derive(Debug, Clone)]
pub(in crate::ksy) struct Syntax {
    pub(in crate::ksy) kind: SyntaxKind,
    pub(in crate::ksy) place: SourceRange,
    /// Its nesting depth.
    pub(super) depth: u8,
}

#[derive(Debug, Clone)]
pub(in crate::ksy) enum SyntaxKind {
    Int(i128),
    Float(f64),
    Bool(bool),
    Str(String),
    Format(Vec<FormatPart>),
    List(Vec<Syntax>),
    Name(String),
    /// A function with its arguments, and the position of its name.
    Call(String, SourceRange, Vec<Syntax>),
    /// `path::member`.
    Member(TypeName, String, SourceRange),
    Unary(Unary, Box<Syntax>),
    Binary(Binary, Box<Syntax>, Box<Syntax>),
    Compare(Compare, Box<Syntax>, Box<Syntax>),
    And(Box<Syntax>, Box<Syntax>),
    Or(Box<Syntax>, Box<Syntax>),
    If(Box<Syntax>, Box<Syntax>, Box<Syntax>),
    /// `.name`, with arguments if there are parentheses.
    Attribute(Box<Syntax>, String, SourceRange, Option<Vec<Syntax>>),
    At(Box<Syntax>, Box<Syntax>),
    Cast(Box<Syntax>, TypeName),
    /// `sizeof<T>`, or with `true` `bitsizeof<T>`.
    SizeOf(TypeName, bool),
}

#[derive(Debug, Clone)]
pub(in crate::ksy) enum FormatPart {
    Text(String),
    Value(Syntax, Show),
}

/// The name of a type or an enum as written.
#[derive(Debug, Clone)]
pub(in crate::ksy) struct TypeName {
    pub(in crate::ksy) path: Vec<String>,
    /// `::` before the first name: resolved from the top of the file.
    pub(in crate::ksy) absolute: bool,
    /// `[]` after it.
    pub(in crate::ksy) array: bool,
    pub(in crate::ksy) place: SourceRange,
}

impl TypeName {
    pub(in crate::ksy) fn text(&self) -> String {
        let array = if self.array { "[]" } else { "" };
        format!("{}{}{array}", if self.absolute { "::" } else { "" }, self.path.join("::"))
    }
}

/// A name with arguments: a type, or a process.
#[derive(Debug, Clone)]
pub(in crate::ksy) struct Call {
    pub(in crate::ksy) name: TypeName,
    pub(in crate::ksy) args: Vec<Syntax>,
}
