//! The glossary: protocols, fields and the record format, generated from the registry.
//!
//! Nothing is listed here. A protocol that is in the registry is in the glossary, with all that its value says of it.

mod fields;
mod places;
mod protocols;
mod schema;
mod tshark;

pub use fields::{Entry, entries, fields_as_json, fields_as_table};
pub use places::{place, places};
pub use protocols::{one_protocol, protocols, protocols_as_json, protocols_as_table};
pub use schema::schema;
pub use tshark::{fields_as_tshark, protocols_as_tshark, values_as_tshark};

use crate::render::Theme;

/// How the tables of the glossary look.
#[derive(Debug, Clone, Copy)]
pub struct GlossaryLook {
    /// Their colours.
    pub theme: Theme,
    /// Columns they may take; none if there is no limit.
    pub width: Option<usize>,
}
