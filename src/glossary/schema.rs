//! The shape of the records, as JSON Schema.

use super::protocols;
use crate::registry::Registry;

/// What stands where the names of all protocols go.
const NAMES: &str = "\"PROTOCOLS\"";

/// A JSON Schema (draft 2020-12) of every record of `-T ndjson`. The names of protocols are examples and no closed list, so
/// that records of a later version fit as well.
#[must_use]
pub fn schema(registry: Registry) -> String {
    let names: Vec<String> = protocols(registry).iter().map(|protocol| format!("\"{}\"", protocol.this.abbrev)).collect();
    include_str!("schema.json").replace(NAMES, &names.join(", "))
}
