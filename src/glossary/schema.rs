//! JSON Schema of the records.

use super::protocols;
use crate::registry::Registry;

/// Placeholder of the protocol names.
const NAMES: &str = "\"PROTOCOLS\"";

/// JSON Schema (draft 2020-12) of every record of `-T ndjson`. Protocol names are examples, not an enumeration, so that records of
/// later versions are valid, too.
#[must_use]
pub fn schema(registry: Registry) -> String {
    let names: Vec<String> = protocols(registry).iter().map(|protocol| format!("\"{}\"", protocol.this.abbrev)).collect();
    include_str!("schema.json").replace(NAMES, &names.join(", "))
}
