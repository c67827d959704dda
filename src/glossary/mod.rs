//! The glossary: protocols, fields and the record format, generated from the registry.
//!
//! There is no separate list: every protocol of the registry is included, with the properties of its static value.

mod fields;
mod places;
mod protocols;
mod schema;
mod tshark;

pub use fields::{Entry, entries, entries_about, fields_as_json, fields_as_table};
pub use places::{place, places};
pub use protocols::{one_protocol, protocols, protocols_as_json, protocols_as_table};
pub use schema::schema;
pub use tshark::{fields_as_tshark, protocols_as_tshark, values_as_tshark};

use crate::render::Theme;

/// Format of the tables.
#[derive(Debug, Clone, Copy)]
pub struct GlossaryLook {
    /// Colours.
    pub theme: Theme,
    /// Maximum width; `None` for no limit.
    pub width: Option<usize>,
}
