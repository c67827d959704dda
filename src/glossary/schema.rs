//! JSON Schema of the records.

use super::protocols;
use crate::input::log_names;
use crate::protocols::LOGS;
use crate::registry::Registry;

/// Placeholders of the protocol names, and of the formats of session logs.
const NAMES: &str = "\"PROTOCOLS\"";
const FORMATS: &str = "\"LOGS\"";

/// JSON Schema (draft 2020-12) of every record of `-T ndjson`. Protocol names are examples, not an enumeration, so that records of
/// later versions are valid, too.
#[must_use]
pub fn schema(registry: Registry) -> String {
    let quoted = |name: &str| format!("\"{name}\"");
    let names: Vec<String> = protocols(registry).iter().map(|protocol| quoted(protocol.this.abbrev)).collect();
    let formats: Vec<String> = LOGS.iter().map(|log| log.name).chain(log_names()).map(quoted).collect();
    include_str!("schema.json").replace(NAMES, &names.join(", ")).replace(FORMATS, &formats.join(", "))
}
