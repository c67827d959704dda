//! Lists in the format of tshark's `-G`: tab-separated lines.

use super::Entry;
use crate::registry::Registry;
use crate::tree::Kind;
use std::io::{self, Write};

/// Prints fields as `tshark -G fields`: `P` for protocols and `F` for fields.
pub fn fields_as_tshark(entries: &[Entry], to: &mut dyn Write) -> io::Result<()> {
    for entry in entries {
        if entry.kind == Kind::Protocol {
            writeln!(to, "P\t{}\t{}", entry.about, entry.name)?;
            continue;
        }
        let label = if entry.label.is_empty() { entry.name } else { entry.label };
        let (kind, base, mask) = as_tshark(entry);
        writeln!(to, "F\t{label}\t{}\t{kind}\t{}\t{base}\t{mask}\t{}", entry.name, entry.protocol, entry.meaning())?;
    }
    Ok(())
}

/// tshark's type, base and mask. The width of a number is known only to its dissector, so the widest type is used.
fn as_tshark(entry: &Entry) -> (&'static str, &'static str, String) {
    let (hex, mask) = entry.field.map_or((0, 0), |field| (field.hex, field.mask));
    let (kind, base) = match entry.kind {
        Kind::Number if hex > 0 => ("FT_UINT64", "BASE_HEX"),
        Kind::Number => ("FT_UINT64", "BASE_DEC"),
        Kind::Float => ("FT_DOUBLE", ""),
        Kind::Bool => ("FT_BOOLEAN", ""),
        Kind::Bytes => ("FT_BYTES", ""),
        Kind::Text => ("FT_STRING", ""),
        Kind::Mac => ("FT_ETHER", ""),
        Kind::Ipv4 => ("FT_IPv4", ""),
        Kind::Ipv6 => ("FT_IPv6", ""),
        Kind::Protocol | Kind::Group | Kind::Note(_) => ("FT_NONE", ""),
    };
    (kind, base, format!("{mask:#x}"))
}

/// Prints protocols as `tshark -G protocols`: label, short name, filter name.
pub fn protocols_as_tshark(registry: Registry, to: &mut dyn Write) -> io::Result<()> {
    for protocol in super::protocols(registry) {
        let this = protocol.this;
        writeln!(to, "{}\t{}\t{}", one_line(this.about, this.name), this.name, this.abbrev)?;
    }
    Ok(())
}

/// The text, or a default if it is empty.
fn one_line(text: &'static str, or: &'static str) -> &'static str {
    text.lines().next().filter(|line| !line.is_empty()).unwrap_or(or)
}

/// Prints value names as `tshark -G values`: `V` for numbers, `T` for booleans.
pub fn values_as_tshark(entries: &[Entry], to: &mut dyn Write) -> io::Result<()> {
    for entry in entries.iter().filter(|entry| !entry.shared && !entry.names().is_empty()) {
        if entry.kind == Kind::Bool {
            let name = |truth: u64| crate::tree::name_of(entry.names(), truth).unwrap_or_default();
            writeln!(to, "T\t{}\t{}\t{}", entry.name, name(1), name(0))?;
            continue;
        }
        let hex = entry.field.map_or(0, |field| usize::from(field.hex));
        for (value, name) in entry.names() {
            match hex {
                0 => writeln!(to, "V\t{}\t{value}\t{name}", entry.name)?,
                digits => writeln!(to, "V\t{}\t{value:#0width$x}\t{name}", entry.name, width = digits + 2)?,
            }
        }
    }
    Ok(())
}
