//! A data inspector: the bytes at one offset of all messages of a kind, in every form, plausible forms first.

mod datum;
mod form;
mod json;
mod plausibility;
mod summary;
#[cfg(test)]
mod tests;
mod view;

pub use json::write as write_json;
pub use view::write;

use super::Explored;
use super::columns::Column;
use form::Form;
use summary::Summary;

/// The messages of a kind, from one offset on.
pub struct Rows<'m> {
    /// Messages that reach the offset.
    all: Vec<Row<'m>>,
    /// IPv4 addresses of the endpoints, sorted.
    addresses: Vec<[u8; 4]>,
}

/// A message from one offset on.
#[derive(Debug, Clone, Copy)]
pub struct Row<'m> {
    side: usize,
    /// Length of the whole message.
    len: usize,
    time: i64,
    bytes: &'m [u8],
}

/// A form with its values.
#[derive(Debug, Clone)]
pub struct Read {
    /// The form, and those with equal values.
    forms: Vec<Form>,
    /// Its values.
    of: Summary,
    /// Plausibility from 0 to 1.
    sure: f64,
    /// The reason.
    why: String,
}

/// The result for one offset of the messages of a kind.
pub struct Inspection {
    /// The id of the kind.
    kind: String,
    /// The offset; negative from the end.
    at: i64,
    /// Number of messages of the kind.
    messages: usize,
    /// Number of messages that reach the offset.
    reached: usize,
    /// The explored column there: its offset and label.
    column: Option<String>,
    /// The forms, plausible ones first.
    forms: Vec<Read>,
}

impl Inspection {
    /// Inspects an offset in the messages of a kind, which counts from the end if it is negative.
    ///
    /// # Errors
    /// Why there is nothing to inspect.
    pub fn new(explored: &Explored<'_>, place: usize, at: i64) -> Result<Inspection, String> {
        let Some(kind) = explored.groups.get(place) else { return Err(String::from("no such message type")) };
        let messages = || kind.members.iter().filter_map(|number| explored.messages.get(*number));
        let all: Vec<Row<'_>> = messages()
            .filter_map(|message| {
                let far = usize::try_from(at.unsigned_abs()).ok()?;
                let start = if at < 0 { message.bytes.len().checked_sub(far)? } else { far };
                let bytes = message.bytes.get(start..).filter(|bytes| !bytes.is_empty())?;
                Some(Row { side: message.side, len: message.bytes.len(), time: message.time, bytes })
            })
            .collect();
        if all.is_empty() {
            let longest = messages().map(|message| message.bytes.len()).max().unwrap_or(0);
            return Err(format!("the longest message of {} has {longest} bytes", kind.id()));
        }
        let rows = Rows { all, addresses: super::columns::addresses_of(explored.sides) };
        let columns = explored.columns.get(place).map_or(&[][..], Vec::as_slice);
        let begins = columns.iter().find(|column| column.offset == at);
        let mut forms: Vec<Read> = Vec::new();
        for form in Form::all() {
            let of = Summary::new(form, &rows);
            if of.read == 0 {
                continue;
            }
            let is_same = |known: &&mut Read| is_same(form, &of, known);
            if let Some(known) = forms.iter_mut().find(is_same) {
                known.forms.push(form);
                continue;
            }
            let (sure, why) = plausibility::plausibility(form, &rows, &of, begins);
            forms.push(Read { forms: vec![form], of, sure, why });
        }
        forms.sort_by(|a, b| b.sure.total_cmp(&a.sure));
        Ok(Inspection {
            kind: kind.id(),
            at,
            messages: kind.members.len(),
            reached: rows.all.len(),
            column: begins.or_else(|| owner(columns, at)).map(describe),
            forms,
        })
    }
}

/// Whether a signed number equals the unsigned one.
fn is_same(form: Form, of: &Summary, known: &Read) -> bool {
    let Form::Int(width, endian, true) = form else { return false };
    let is_negative = of.least.as_ref().and_then(datum::Datum::whole).is_some_and(|least| least < 0);
    !is_negative && known.forms.first() == Some(&Form::Int(width, endian, false))
}

/// The column that contains an offset.
fn owner(columns: &[Column], at: i64) -> Option<&Column> {
    columns.iter().find(|column| {
        let width = if column.width == 0 { i64::MAX / 2 } else { i64::try_from(column.width).unwrap_or(i64::MAX / 2) };
        (column.offset < 0) == (at < 0) && column.offset <= at && at < column.offset.saturating_add(width)
    })
}

/// `u4le`, `bytes`.
fn column_name(column: &Column) -> String {
    format!("{}{}", column.kind, column.endian.map_or("", super::rule::Endian::name))
}

fn describe(column: &Column) -> String {
    let width = if column.width == 0 { String::from("the rest") } else { format!("{} bytes", column.width) };
    format!("{} {} at {}, {width}", column_name(column), column.label.name(), column.offset)
}
