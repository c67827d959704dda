//! What `-e` takes, as a column: a name of fields, a property of records, or a computation.

use super::{Expression, Mistake};
use crate::record::Record;
use crate::registry::Registry;
use crate::render::{Column, Computation, TakeText, Values, pseudo_field};
use std::sync::Arc;

/// Whether a text can only be a name, and no computation.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.contains(['[', '(', '@', ' ', '+', '*', '/', '%', '&'])
}

/// The column of a text.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn column(text: &str, registry: Registry) -> Result<Column, Mistake> {
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
