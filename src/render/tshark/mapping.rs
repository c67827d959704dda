//! Elasticsearch index template for the keys of [`super::Ek`], as `tshark -G elastic-mapping`.
//!
//! Types accept the values as written: hexadecimal numbers and bytes are keywords.

use super::ek::field_key;
use super::escape::spelled;
use crate::record::pseudo;
use crate::registry::Registry;
use crate::tree::{Field, Kind};
use std::collections::BTreeMap;
use std::io;

/// Type of the values of a field.
fn type_of(kind: Kind, hex: u8) -> &'static str {
    match kind {
        Kind::Number if hex == 0 => "long",
        Kind::Float => "float",
        Kind::Bool | Kind::Protocol | Kind::Group | Kind::Note(_) => "boolean",
        Kind::Ipv4 | Kind::Ipv6 => "ip",
        Kind::Number | Kind::Bytes | Kind::Text | Kind::Mac => "keyword",
    }
}

/// Type of a pseudo-field.
fn type_of_property(name: &str, kind: Kind) -> &'static str {
    match name {
        "frame.time" => "date",
        "frame.time_epoch" => "double",
        "frame.ignored" | "frame.marked" => "boolean",
        _ => type_of(kind, 0),
    }
}

/// Writes the template, with a property per field.
pub fn elastic_mapping(registry: Registry, to: &mut dyn io::Write) -> io::Result<()> {
    let mut layers: BTreeMap<&str, BTreeMap<String, &str>> = BTreeMap::new();
    for pseudo in pseudo::ALL.iter().filter(|pseudo| pseudo.name.starts_with("frame.")) {
        layers.entry("frame").or_default().insert(field_key(pseudo.name), type_of_property(pseudo.name, pseudo.kind));
    }
    for protocol in registry.protocols() {
        let properties = layers.entry(protocol.this.abbrev).or_default();
        for field in registry.fields_of(protocol) {
            for name in [field.abbrev, field.also].into_iter().filter(|name| !name.is_empty() && *name != protocol.this.abbrev) {
                properties.entry(field_key(name)).or_insert_with(|| of_field(field));
            }
        }
    }
    let mut text = String::from(
        "{\"index_patterns\":[\"packets-*\"],\"settings\":{\"index.mapping.total_fields.limit\":1000000},\
         \"mappings\":{\"dynamic\":false,\"properties\":{\"timestamp\":{\"type\":\"date\"},\"layers\":{\"properties\":{",
    );
    for (at, (layer, properties)) in layers.iter().enumerate() {
        spelled(&mut text, format_args!("{}\n\"{}\":{{\"properties\":{{", if at > 0 { "," } else { "" }, super::ek::key(layer)));
        for (at, (name, kind)) in properties.iter().enumerate() {
            // Elasticsearch rejects the whole packet if a term is longer.
            let more = if *kind == "keyword" { ",\"ignore_above\":8191" } else { "" };
            spelled(&mut text, format_args!("{}\"{name}\":{{\"type\":\"{kind}\"{more}}}", if at > 0 { "," } else { "" }));
        }
        text.push_str("}}");
    }
    text.push_str("\n}}}}}\n");
    to.write_all(text.as_bytes())
}

fn of_field(field: &Field) -> &'static str {
    type_of(field.kind, field.hex)
}
