//! Visits the parts of an expression.

use super::{Expr, Kind, Piece};

/// Whether the expression or a subexpression passes a test.
pub fn any(expr: &Expr, test: &mut impl FnMut(&Expr) -> bool) -> bool {
    test(expr) || parts(expr).into_iter().any(|part| any(part, test))
}

/// The direct subexpressions.
#[must_use]
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::Str(_)
        | Kind::Bytes(_)
        | Kind::Member(..)
        | Kind::This
        | Kind::Variable { .. }
        | Kind::Item
        | Kind::Index => Vec::new(),
        Kind::List(elements) | Kind::Call(_, elements) => elements.iter().collect(),
        Kind::ToEnum(one, _)
        | Kind::Parent(one)
        | Kind::Root(one)
        | Kind::Io(one)
        | Kind::Unary(_, one)
        | Kind::Method(_, one)
        | Kind::Decode(one, _)
        | Kind::Cast(one)
        | Kind::Table(_, one)
        | Kind::Field { object: one, .. } => vec![one],
        Kind::At(one, other)
        | Kind::Binary(_, one, other)
        | Kind::Compare(_, one, other)
        | Kind::And(one, other)
        | Kind::Or(one, other)
        | Kind::ToInt(one, other) => vec![one, other],
        Kind::If(one, two, three) | Kind::Substring(one, two, three) => vec![one, two, three],
        Kind::Format(pieces) => {
            pieces.iter().filter_map(|piece| if let Piece::Value(value, _) = piece { Some(value) } else { None }).collect()
        }
    }
}
