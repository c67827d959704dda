//! Syntax tree of a filter, and its canonical form.

use super::number_type::NumberType;
use super::operator::{Precedence, Sum};
use std::fmt::{self, Write};
use std::ops::Range;

/// A node of the syntax tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Position.
    pub(super) at: Range<usize>,
    pub(super) is: Syntax,
}

/// Kind of a syntax node.
#[derive(Debug, Clone)]
pub(super) enum Syntax {
    /// An unquoted word: a name, a number, an address.
    Word(String),
    /// A quoted string, which may contain any bytes.
    Quoted(Vec<u8>),
    /// A character constant.
    Char(u8),
    Slice(Box<Node>, Vec<SliceRange>),
    /// Bytes decoded as a number.
    Read(Box<Node>, NumberType),
    /// Bitwise and.
    Masked(Box<Node>, Box<Node>),
    Sum(Box<Node>, Sum, Box<Node>),
    Call(String, Vec<Node>),
    Relation(Box<Relation>),
    Not(Box<Node>),
    // Chains are lists, because they may be too long for recursion.
    And(Vec<Node>),
    Xor(Vec<Node>),
    Or(Vec<Node>),
}

/// A comparison of two operands.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// Quantifier: `any` or `all`.
    pub(super) of: Option<Quantifier>,
    pub(super) left: Node,
    pub(super) operation: Operation,
}

/// Quantifier of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
}

/// Right operand of a comparison.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Compare(Compare, Node),
    Contains(Node),
    Matches(Node),
    In(Vec<Element>),
}

/// A constant or a range in a set.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) from: Node,
    pub(super) to: Option<Node>,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    /// All values differ.
    Different,
    AllEqual,
    AnyDifferent,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Compare {
    pub(super) const fn symbol(self) -> &'static str {
        match self {
            Compare::Equal => "==",
            Compare::Different => "!=",
            Compare::AllEqual => "===",
            Compare::AnyDifferent => "!==",
            Compare::Less => "<",
            Compare::LessOrEqual => "<=",
            Compare::Greater => ">",
            Compare::GreaterOrEqual => ">=",
        }
    }
}

/// A range of a slice: start, from the end if negative, and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SliceRange {
    pub(super) from: i32,
    pub(super) to: To,
}

/// End of a range of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// Length in bytes.
    Length(i32),
    /// Last byte, inclusive.
    Through(i32),
    /// End of the value.
    End,
}

impl Precedence {
    /// Minimum precedence of a right operand.
    pub(super) const fn tighter(self) -> Precedence {
        match self {
            Precedence::Loosest => Precedence::Or,
            Precedence::Or => Precedence::Xor,
            Precedence::Xor => Precedence::And,
            Precedence::And => Precedence::Not,
            Precedence::Not => Precedence::Relation,
            Precedence::Relation => Precedence::Mask,
            Precedence::Mask => Precedence::Sum,
            Precedence::Sum => Precedence::Product,
            Precedence::Product | Precedence::Whole => Precedence::Whole,
        }
    }
}

impl Syntax {
    fn precedence(&self) -> Precedence {
        match self {
            Syntax::Or(_) => Precedence::Or,
            Syntax::Xor(_) => Precedence::Xor,
            Syntax::And(_) => Precedence::And,
            Syntax::Not(_) => Precedence::Not,
            Syntax::Relation(_) => Precedence::Relation,
            Syntax::Masked(..) => Precedence::Mask,
            Syntax::Sum(_, sum, _) => sum.precedence(),
            _ => Precedence::Whole,
        }
    }
}

impl Node {
    fn write(&self, least: Precedence, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is.precedence() < least {
            return write!(f, "({self})");
        }
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.is {
            Syntax::Word(word) => f.write_str(word),
            Syntax::Quoted(text) => quoted(text, f),
            Syntax::Char(byte @ (b'\'' | b'\\')) => write!(f, "'\\{}'", char::from(*byte)),
            Syntax::Char(byte @ 0x20..0x7f) => write!(f, "'{}'", char::from(*byte)),
            Syntax::Char(byte) => write!(f, "'\\x{byte:02x}'"),
            Syntax::Slice(of, parts) => {
                of.write(Precedence::Whole, f)?;
                f.write_char('[')?;
                list(parts, ",", f, |part, f| part.fmt(f))?;
                f.write_char(']')
            }
            Syntax::Read(of, number) => {
                of.write(Precedence::Whole, f)?;
                write!(f, "@{number}")
            }
            Syntax::Masked(left, right) => {
                left.write(Precedence::Mask, f)?;
                f.write_str(" & ")?;
                right.write(Precedence::Sum, f)
            }
            Syntax::Sum(left, sum, right) => {
                left.write(sum.precedence(), f)?;
                write!(f, " {} ", sum.symbol())?;
                right.write(sum.precedence().tighter(), f)
            }
            Syntax::Call(name, arguments) => {
                write!(f, "{name}(")?;
                list(arguments, ", ", f, |node, f| node.fmt(f))?;
                f.write_char(')')
            }
            Syntax::Relation(relation) => relation.fmt(f),
            Syntax::Not(node) => {
                f.write_str("not ")?;
                node.write(Precedence::Not, f)
            }
            Syntax::And(nodes) => list(nodes, " and ", f, |node, f| node.write(Precedence::Not, f)),
            Syntax::Xor(nodes) => list(nodes, " xor ", f, |node, f| node.write(Precedence::And, f)),
            Syntax::Or(nodes) => list(nodes, " or ", f, |node, f| node.write(Precedence::Xor, f)),
        }
    }
}

fn list<T>(
    of: &[T],
    between: &str,
    f: &mut fmt::Formatter<'_>,
    write: impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (at, one) in of.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        write(one, f)?;
    }
    Ok(())
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.of {
            Some(Quantifier::Any) => "any ",
            Some(Quantifier::All) => "all ",
            None => "",
        })?;
        self.left.write(Precedence::Mask, f)?;
        match &self.operation {
            Operation::Compare(compare, right) => {
                write!(f, " {} ", compare.symbol())?;
                right.write(Precedence::Mask, f)
            }
            Operation::Contains(right) => {
                f.write_str(" contains ")?;
                right.write(Precedence::Mask, f)
            }
            Operation::Matches(right) => {
                f.write_str(" matches ")?;
                right.write(Precedence::Mask, f)
            }
            Operation::In(elements) => {
                f.write_str(" in {")?;
                list(elements, ", ", f, |element, f| {
                    element.from.fmt(f)?;
                    element.to.as_ref().map_or(Ok(()), |to| write!(f, "..{to}"))
                })?;
                f.write_char('}')
            }
        }
    }
}

impl SliceRange {
    /// Length in bytes, if it does not depend on the value.
    pub(super) fn length(self) -> Option<usize> {
        let length = match self.to {
            To::Length(length) => Some(length),
            To::Through(last) if (self.from < 0) == (last < 0) => last.checked_sub(self.from)?.checked_add(1),
            To::Through(_) | To::End => None,
        };
        usize::try_from(length?).ok()
    }
}

impl fmt::Display for SliceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.from;
        match self.to {
            To::Length(length) => write!(f, "{from}:{length}"),
            To::Through(last) => write!(f, "{from}-{last}"),
            To::End => write!(f, "{from}:"),
        }
    }
}

/// Quotes bytes so that they parse as the same bytes and contain no control characters.
fn quoted(text: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                _ if crate::tree::is_harmful(c) => spelled(c.encode_utf8(&mut [0; 4]).as_bytes(), f)?,
                _ => f.write_char(c)?,
            }
        }
        spelled(chunk.invalid(), f)?;
    }
    f.write_char('"')
}

fn spelled(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))
}
