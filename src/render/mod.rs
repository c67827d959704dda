//! Sinks that print records: table, list, columns, JSON, HTML.
//!
//! Each writes to any [`std::io::Write`], holds at most one record, and keeps only counts and buffers between records. Options and
//! colours ([`Theme`]) are decided by the caller.

mod cells;
mod fields;
mod grid;
mod heading;
mod hexdump;
mod html;
mod json;
mod list;
mod revealed;
mod rows;
mod silent;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod time;
#[cfg(test)]
mod trial;
mod tshark;
mod units;

pub use crate::record::pseudo::{ALL as PSEUDO_FIELDS, Pseudo, PseudoValue, named as pseudo_field};
pub(crate) use crate::record::seconds::seconds;
pub use fields::{Column, ColumnOptions, Columns, Computation, Occurrence, TakeText, Values};
pub use grid::{Grid, Head};
pub use heading::{Frames, line_of};
pub use html::{Html, HtmlOptions, Shortage};
pub use json::{Choice, Json, JsonOptions, Members, Shape, object, record_key};
pub use list::{List, ListOptions};
pub use silent::Silent;
pub use table::{Table, TableOptions};
pub use text::{cut, cut_painted, fold_painted, word_lines, write_summary};
pub use theme::{Ink, Painted, Role, Theme};
pub use time::{Rfc3339, TimeForm};
pub use tshark::{Ek, KeptNames, Pdml, Psml, Raw, Restricted, Shape as DocumentShape, Tabs, elastic_mapping};
pub use units::{Size, Thousands};

use std::{fmt, io};

/// Capacity of the line buffer kept for the next line.
const KEPT: usize = 1 << 20;

/// Converts a formatting error: lines are formatted in memory before they are written.
fn unwritable(_: fmt::Error) -> io::Error {
    io::Error::other("a value could not be written out")
}
