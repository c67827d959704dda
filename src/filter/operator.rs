//! Arithmetic operators and operator precedence.

/// Precedence, the lowest first.
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
    /// Remainder.
    Rest,
}

impl Sum {
    pub(super) const fn symbol(self) -> char {
        match self {
            Sum::Plus => '+',
            Sum::Minus => '-',
            Sum::Times => '*',
            Sum::Over => '/',
            Sum::Rest => '%',
        }
    }

    pub(super) const fn precedence(self) -> Precedence {
        match self {
            Sum::Plus | Sum::Minus => Precedence::Sum,
            Sum::Times | Sum::Over | Sum::Rest => Precedence::Product,
        }
    }
}
