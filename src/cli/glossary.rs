//! `protocols`, `fields`, `schema`: reference lists.

use super::args::When;
use super::complete;
use super::forms;
use super::habits::Glossary;
use super::screen::Screen;
use super::usage_error::UsageError;
use super::{Exit, of_output, print_error};
use crate::columns::write_schema;
use crate::glossary::{self, Entry, GlossaryLook};
use crate::registry::Registry;
use crate::render::elastic_mapping;
use clap::Args as Group;
use clap_complete::engine::ArgValueCompleter;
use std::io::{self, Write};

// Protocols to list.
#[derive(Debug, Group)]
pub struct Protocols {
    /// Describe one protocol, with its settings (-o) and limitations
    #[arg(value_name = "PROTO", add = ArgValueCompleter::new(complete::protocols))]
    pub name: Option<String>,

    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

// Fields to list.
#[derive(Debug, Group)]
pub struct Fields {
    /// List the fields of a protocol, or describe one field with its value names: tcp, tcp.flags, pipboy.type
    #[arg(value_name = "PROTO|NAME", add = ArgValueCompleter::new(complete::fields))]
    pub name: Option<String>,

    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// Print in the format of tshark -G fields
    #[arg(long, conflicts_with = "json")]
    pub tshark: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// Lists the protocols, or describes one.
pub(super) fn protocols(asked: &Protocols, screen: Screen) -> Exit {
    let registry = Registry::default();
    let one = match asked.name.as_deref().map(|name| protocol(registry, name)).transpose() {
        Ok(one) => one,
        Err(wrong) => return usage(&wrong),
    };
    written(screen, |to| match one {
        Some(one) if asked.json => glossary::protocols_as_json(&[one], to),
        Some(one) => glossary::one_protocol(one, style(asked.color), to),
        None if asked.json => glossary::protocols_as_json(&glossary::protocols(registry), to),
        None => glossary::protocols_as_table(registry, style(asked.color), to),
    })
}

fn protocol(registry: Registry, name: &str) -> Result<&'static crate::wire::Protocol, UsageError> {
    let all = glossary::protocols(registry);
    all.iter().copied().find(|protocol| protocol.this.abbrev == name).ok_or_else(|| forms::unknown_protocol(name))
}

/// Lists all fields, or those of a name.
pub(super) fn fields(asked: &Fields, screen: Screen) -> Exit {
    let mut entries = glossary::entries_about(Registry::default(), asked.name.as_deref().unwrap_or_default());
    if let Some(name) = &asked.name {
        entries = match named(&entries, name) {
            found if found.is_empty() => return usage(&forms::unknown_field(name)),
            found => found,
        };
    }
    written(screen, |to| match (asked.json, asked.tshark) {
        (true, _) => glossary::fields_as_json(&entries, to),
        (_, true) => glossary::fields_as_tshark(&entries, to),
        _ => glossary::fields_as_table(&entries, style(asked.color), to),
    })
}

/// Fields of the protocol of this name, else the field of this name, else fields whose names begin with it.
fn named(entries: &[Entry], name: &str) -> Vec<Entry> {
    let all_where = |fits: &dyn Fn(&Entry) -> bool| entries.iter().copied().filter(|entry| fits(entry)).collect::<Vec<_>>();
    let of_protocol = all_where(&|entry| entry.protocol == name);
    if !of_protocol.is_empty() {
        return of_protocol;
    }
    let own = all_where(&|entry| entry.name == name);
    let group = |entry: &Entry| entry.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let below = all_where(&group);
    if below.len() > own.len() { below } else { own }
}

/// Prints a glossary of `-G`.
pub(super) fn as_tshark(list: Glossary, screen: Screen) -> Exit {
    let registry = Registry::default();
    written(screen, |to| match list {
        Glossary::Fields => glossary::fields_as_tshark(&glossary::entries(registry), to),
        Glossary::Protocols => glossary::protocols_as_tshark(registry, to),
        Glossary::Values => glossary::values_as_tshark(&glossary::entries(registry), to),
        Glossary::ElasticMapping => elastic_mapping(registry, to),
    })
}

/// Prints the JSON Schema, or the schemas of the tables.
pub(super) fn schema(columns: bool, screen: Screen) -> Exit {
    if columns {
        return written(screen, |to| write_schema(to));
    }
    written(screen, |to| to.write_all(glossary::schema(Registry::default()).as_bytes()))
}

fn style(color: When) -> GlossaryLook {
    GlossaryLook { theme: forms::theme(color), width: forms::width() }
}

fn usage(wrong: &UsageError) -> Exit {
    print_error(format_args!("{wrong}"));
    Exit::Usage
}

fn written(screen: Screen, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut to = screen.writer(false);
    match write(&mut to).and_then(|()| to.flush()) {
        Ok(()) => Exit::Fine,
        Err(error) => of_output(&error),
    }
}
