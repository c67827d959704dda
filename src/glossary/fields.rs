//! List of fields: filter name, type, label, description.

use super::GlossaryLook;
use crate::record::{JsonType, Keyed, pseudo};
use crate::registry::Registry;
use crate::render::{Grid, Head, Members, Role, object};
use crate::tree::{Field, Kind, Names};
use std::collections::HashSet;
use std::io::{self, Write};

/// A name in filters and columns.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name.
    pub name: &'static str,
    /// Protocol; for a pseudo-field, its subject.
    pub protocol: &'static str,
    /// Type.
    pub kind: Kind,
    /// Label in tables; empty for a pseudo-field.
    pub label: &'static str,
    /// Description.
    pub about: &'static str,
    /// Field, unless it is a pseudo-field.
    pub field: Option<&'static Field>,
    /// Whether several fields share the name.
    pub shared: bool,
}

/// All names: pseudo-fields, then those of each protocol, with aliases last.
#[must_use]
pub fn entries(registry: Registry) -> Vec<Entry> {
    entries_about(registry, "")
}

/// As [`entries`], but packet tables are read only if this name or beginning of a name may be theirs.
#[must_use]
pub fn entries_about(registry: Registry, name: &str) -> Vec<Entry> {
    let record = pseudo::ALL.iter().map(|pseudo| Entry {
        name: pseudo.name,
        protocol: pseudo.name.split('.').next().unwrap_or_default(),
        kind: pseudo.kind,
        label: "",
        about: pseudo.about,
        field: None,
        shared: false,
    });
    let mut all: Vec<Entry> = record.collect();
    let mut protocols: Vec<_> = registry.protocols().collect();
    protocols.sort_by_key(|protocol| protocol.this.abbrev);
    for protocol in protocols {
        let entry = |name, field: &'static Field, shared| Entry {
            name,
            protocol: protocol.this.abbrev,
            kind: field.kind,
            label: field.name,
            about: field.about,
            field: Some(field),
            shared,
        };
        let mut listed = HashSet::new();
        // Fields of one name may differ in properties that are not listed.
        let is_new = |field: &&'static Field| listed.insert((field.abbrev, field.kind, field.names.as_ptr(), field.names.len()));
        let may_be_of_tables = name.starts_with(protocol.this.abbrev) || protocol.this.abbrev.starts_with(name);
        let tables = protocol.tables.filter(|_| may_be_of_tables).map(|fields| fields());
        let fields = protocol.fields.iter().copied().chain(tables.unwrap_or_default());
        all.extend(fields.filter(is_new).map(|field| entry(field.abbrev, field, false)));
        let first = all.len();
        for field in protocol.fields.iter().filter(|field| !field.also.is_empty()) {
            if !all.get(first..).unwrap_or_default().iter().any(|entry| entry.name == field.also) {
                all.push(entry(field.also, field, true));
            }
        }
    }
    all
}

/// Type in one word.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Protocol => "protocol",
        Kind::Group => "group",
        Kind::Number => "number",
        Kind::Float => "float",
        Kind::Bool => "bool",
        Kind::Bytes => "bytes",
        Kind::Text => "text",
        Kind::Mac => "mac",
        Kind::Ipv4 => "ipv4",
        Kind::Ipv6 => "ipv6",
        Kind::Note(_) => "note",
    }
}

impl Entry {
    /// Value names.
    #[must_use]
    pub fn names(&self) -> Names {
        self.field.map_or(&[], |field| field.names)
    }

    pub(super) fn meaning(&self) -> String {
        let mut meaning = if self.shared {
            format!("Any field with the alias {}, such as {}", self.name, self.field.map_or("", |field| field.abbrev))
        } else {
            self.about.to_owned()
        };
        if let Kind::Note(level) = self.kind {
            meaning = format!("{meaning} ({})", level.word());
        }
        meaning
    }
}

/// Prints a table of fields; for a single field also its value names.
pub fn fields_as_table(entries: &[Entry], look: GlossaryLook, to: &mut dyn Write) -> io::Result<()> {
    let heads = [
        Head::words("name", Role::Name),
        Head::words("type", Role::Value),
        Head::words("label", Role::Meaning),
        Head::words("description", Role::Meaning),
    ];
    let mut grid = Grid::new(to, look.theme, &heads).within(look.width);
    for entry in entries {
        grid.cell(entry.name)?.cell(kind(entry.kind))?.cell(entry.label)?.cell(entry.meaning())?;
    }
    grid.end()?;
    match entries {
        [alone] if !alone.names().is_empty() => values(alone, look, to),
        _ => Ok(()),
    }
}

fn values(entry: &Entry, look: GlossaryLook, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to)?;
    let heads = [Head::number("value"), Head::words("name", Role::Meaning)];
    let hex = entry.field.map_or(0, |field| usize::from(field.hex));
    let mut grid = Grid::new(to, look.theme, &heads).within(look.width);
    for (value, name) in entry.names() {
        match hex {
            0 => grid.cell(value)?,
            digits => grid.cell(format_args!("{value:#0width$x}", width = digits + 2))?,
        };
        grid.cell(name)?;
    }
    grid.end()
}

/// Prints one JSON object per line.
pub fn fields_as_json(entries: &[Entry], to: &mut dyn Write) -> io::Result<()> {
    for entry in entries {
        object(to, |members| members_of(entry, members))?;
        to.write_all(b"\n")?;
    }
    Ok(())
}

/// Representation in `-T flat`.
fn keyed_of(entry: &Entry, members: &mut Members<'_, '_>) -> io::Result<()> {
    let (json, repeats, row) = match (entry.field, pseudo::named(entry.name)) {
        (Some(field), _) if !entry.shared => {
            let keyed = Keyed::of(field);
            (keyed.json, keyed.repeats, keyed.row)
        }
        (Some(_), _) => {
            let named = Registry::default().named(entry.name);
            // The name belongs to one field.
            if named.iter().any(|field| field.abbrev == entry.name) {
                return Ok(());
            }
            let keyed = Keyed::of_shared(&named);
            (keyed.json, keyed.repeats, keyed.row)
        }
        (None, Some(pseudo)) => (pseudo.json(), pseudo.repeats(), None),
        (None, None) => return Ok(()),
    };
    if json == JsonType::Object {
        return Ok(());
    }
    members.put("json", json.word())?;
    members.put("repeats", &repeats)?;
    match row {
        Some(group) => members.put("row", group.abbrev),
        None => Ok(()),
    }
}

fn members_of(entry: &Entry, members: &mut Members<'_, '_>) -> io::Result<()> {
    members.put("name", entry.name)?;
    members.put("type", kind(entry.kind))?;
    keyed_of(entry, members)?;
    members.put("protocol", entry.protocol)?;
    if !entry.label.is_empty() {
        members.put("label", entry.label)?;
    }
    members.put("about", &if entry.shared { entry.meaning() } else { entry.about.to_owned() })?;
    if let Kind::Note(level) = entry.kind {
        members.put("level", level.word())?;
    }
    let Some(field) = entry.field else { return Ok(()) };
    if entry.shared {
        return members.put("shared", &true);
    }
    if !field.also.is_empty() {
        members.put("also", field.also)?;
    }
    if field.hex > 0 {
        members.put("base", &16)?;
    }
    if field.mask != 0 {
        members.words("mask", format_args!("{:#x}", field.mask))?;
    }
    if field.secret {
        members.put("secret", &true)?;
    }
    if field.names.is_empty() {
        return Ok(());
    }
    members.list("values", field.names, |members, (value, name)| {
        members.put("value", value)?;
        members.put("name", name)
    })
}
