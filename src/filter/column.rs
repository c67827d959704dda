//! Columns of `-e`: a field, a pseudo-field, or an expression.

use super::{Expression, ParseError};
use crate::record::Record;
use crate::registry::Registry;
use crate::render::{Column, Computation, TakeText, Values, pseudo_field};
use std::sync::Arc;

/// Whether text is a name and not an expression.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.contains(['[', '(', '@', ' ', '+', '*', '/', '%', '&'])
}

/// Parses a column.
///
/// # Errors
/// The mistake and its position.
pub fn column(text: &str, registry: Registry) -> Result<Column, ParseError> {
    let column = |of| Column { name: text.into(), of };
    if let Some(pseudo) = pseudo_field(text) {
        return Ok(column(Values::Pseudo(pseudo)));
    }
    let fields = registry.named(text);
    if !fields.is_empty() {
        return Ok(column(Values::Fields(fields)));
    }
    let expression = Expression::parse(text, registry)?;
    let (demand, scope) = (expression.demand(), expression.scope());
    let each = Box::new(move |record: &Record<'_>, take: &mut TakeText<'_>| expression.each(record, take));
    Ok(column(Values::Computed(Arc::new(Computation { demand, scope, each }))))
}
