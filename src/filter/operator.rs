//! Arithmetic operators of a filter, and which operator takes its operands first.

/// How tightly parts hold together; the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Loosest,
    Or,
    Xor,
    And,
    Not,
    Relation,
    Mask,
    Sum,
    Product,
    Whole,
}

/// An arithmetic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    Plus,
    Minus,
    Times,
    Over,
    /// The remainder of a division.
    Rest,
}

impl Sum {
    /// As a symbol.
    pub(super) const fn symbol(self) -> char {
        match self {
            Sum::Plus => '+',
            Sum::Minus => '-',
            Sum::Times => '*',
            Sum::Over => '/',
            Sum::Rest => '%',
        }
    }

    /// Its precedence.
    pub(super) const fn precedence(self) -> Precedence {
        match self {
            Sum::Plus | Sum::Minus => Precedence::Sum,
            Sum::Times | Sum::Over | Sum::Rest => Precedence::Product,
        }
    }
}
