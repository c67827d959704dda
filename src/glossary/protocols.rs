//! List of protocols: places, coverage, settings.

use super::GlossaryLook;
use super::places::{place, places, reading, recognition};
use crate::registry::Registry;
use crate::render::{Grid, Head, Members, Role, fold_painted, object, word_lines};
use crate::wire::{Edition, Found, Protocol, ValueKind};
use std::io::{self, Write};

/// Minimum width of wrapped text.
const NARROW: usize = 24;

/// All protocols, by name.
#[must_use]
pub fn protocols(registry: Registry) -> Vec<&'static Protocol> {
    let notes = [&crate::wire::notes::DISSECT, &crate::ksy::notes::KSY];
    let is_one = |protocol: &&Protocol| notes.iter().all(|notes| !protocol.this.is(notes));
    let mut all: Vec<&'static Protocol> = registry.protocols().filter(is_one).collect();
    all.sort_by_key(|protocol| protocol.this.abbrev);
    all
}

/// Description of a protocol and of its coverage.
fn description(protocol: &Protocol) -> String {
    match protocol.this.covers {
        "" => protocol.this.about.to_owned(),
        covers => format!("{}. {covers}", protocol.this.about),
    }
}

/// Prints a table of all protocols.
pub fn protocols_as_table(registry: Registry, look: GlossaryLook, to: &mut dyn Write) -> io::Result<()> {
    let heads = [
        Head::words("name", Role::Protocol),
        Head::words("found on", Role::Address),
        Head::words("description and coverage", Role::Meaning),
    ];
    let mut grid = Grid::new(to, look.theme, &heads).within(look.width);
    for protocol in protocols(registry) {
        grid.cell(protocol.this.abbrev)?.cell(places(protocol))?.cell(description(protocol))?;
    }
    grid.end()
}

/// Prints the description of a protocol.
pub fn one_protocol(protocol: &'static Protocol, look: GlossaryLook, to: &mut dyn Write) -> io::Result<()> {
    let this = protocol.this;
    let heading = format!("{}  {}: {}", look.theme.paint(Role::Protocol, this.abbrev), this.name, this.about);
    let mut folded = String::new();
    fold_painted(&heading, look.width.unwrap_or(usize::MAX), "    ", &mut folded);
    writeln!(to, "{folded}")?;
    let mut part = |name: &str, text: &str| -> io::Result<()> {
        let limit = look.width.map_or(usize::MAX, |width| width.saturating_sub(12).max(NARROW));
        let mut head = name;
        for line in word_lines(text, limit) {
            writeln!(to, "  {}  {line}", look.theme.paint(Role::Name, format_args!("{head:<8}")))?;
            head = "";
        }
        Ok(())
    };
    part("covers", this.covers)?;
    part("lacks", this.open)?;
    part("fields", &format!("{}, listed by: proto-dissect fields {}", count(protocol), this.abbrev))?;
    for (number, edition) in editions(protocol).iter().enumerate() {
        let head = if number == 0 { "editions" } else { "" };
        let Edition { name, server, client, complete } = edition;
        part(head, &format!("{name}: {server} server packets, {client} client packets; {complete} complete"))?;
    }
    if protocol.found.is_empty() {
        part("found on", &places(protocol))?;
    }
    for (number, found) in protocol.found.iter().filter(|found| !found.by_port).enumerate() {
        let head = if number == 0 { "found on" } else { "" };
        part(head, &format!("{}: {}, {}", place(found.on), reading(found), recognition(found)))?;
    }
    for (number, setting) in protocol.settings.iter().enumerate() {
        let head = if number == 0 { "settings" } else { "" };
        let value = match setting.takes {
            ValueKind::Value | ValueKind::Checked(_) | ValueKind::Known { .. } => "VALUE",
            ValueKind::File | ValueKind::CheckedFile(_) | ValueKind::Secrets(_) => "FILE",
            ValueKind::Switch => "true|false",
        };
        part(head, &format!("-o {}={value}: {}", setting.name, setting.about))?;
    }
    for (number, key) in protocol.keys.iter().enumerate() {
        let head = if number == 0 { "keys" } else { "" };
        part(head, &format!("--keys FILE with {} {} VALUE: {}", this.abbrev, key.name, key.about))?;
    }
    Ok(())
}

/// Prints one JSON object per line.
pub fn protocols_as_json(protocols: &[&'static Protocol], to: &mut dyn Write) -> io::Result<()> {
    for protocol in protocols {
        object(to, |members| members_of(protocol, members))?;
        to.write_all(b"\n")?;
    }
    Ok(())
}

fn word(takes: ValueKind) -> &'static str {
    match takes {
        ValueKind::Value | ValueKind::Checked(_) | ValueKind::Known { .. } => "value",
        ValueKind::File | ValueKind::CheckedFile(_) | ValueKind::Secrets(_) => "file",
        ValueKind::Switch => "switch",
    }
}

fn editions(protocol: &Protocol) -> Vec<Edition> {
    protocol.editions.map(|editions| editions()).unwrap_or_default()
}

/// Number of fields.
fn count(protocol: &'static Protocol) -> usize {
    Registry::default().fields_of(protocol).count()
}

fn members_of(protocol: &'static Protocol, members: &mut Members<'_, '_>) -> io::Result<()> {
    let this = protocol.this;
    members.put("name", this.abbrev)?;
    members.put("label", this.name)?;
    members.put("about", this.about)?;
    for (key, text) in [("covers", this.covers), ("open", this.open)] {
        if !text.is_empty() {
            members.put(key, text)?;
        }
    }
    members.put("fields", &count(protocol))?;
    let editions = editions(protocol);
    if !editions.is_empty() {
        members.list("editions", &editions, |members, edition| {
            members.put("name", &edition.name)?;
            members.put("server", &edition.server)?;
            members.put("client", &edition.client)?;
            members.put("complete", &edition.complete)
        })?;
    }
    let found: Vec<&Found> = protocol.found.iter().filter(|found| !found.by_port).collect();
    members.list("found", &found, |members, found| {
        members.put("on", &place(found.on))?;
        members.put("reads", reading(found))?;
        members.put("recognised", recognition(found))
    })?;
    members.list("settings", protocol.settings, |members, setting| {
        members.put("name", setting.name)?;
        members.put("takes", word(setting.takes))?;
        members.put("about", setting.about)
    })?;
    if protocol.keys.is_empty() {
        return Ok(());
    }
    members.list("keys", protocol.keys, |members, key| {
        members.put("name", key.name)?;
        members.put("about", key.about)
    })
}
