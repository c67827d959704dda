//! Single values, one after another: `--as 'rs.type:u8 name37 smart'`.

use super::fields::TRAILING;
use super::tables::{intern, nearest};
use super::types::{Place, Said, Type};
use crate::tree::{Field, Side, fields};
use crate::wire::{Conversation, Extent, Looks, On, Protocol, Result, Setting, Settings, Takes, Unfit, Verdict, Wire};

fields! {
    VALUES = protocol("rs.type", "RuneScape values", "Single values of RuneScape's types, read by hand")
        .covers("Every type of the tables, one value after another");
}

/// Nobody's but on demand.
pub static PROTOCOL: Protocol = Protocol {
    this: &VALUES,
    fields: FIELDS,
    found: &[On::AnyTcp.stream(Looks::Stream(|_| Verdict::No), open)],
    rest: Some(&TRAILING),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[Setting {
        name: "rs.type",
        about: "Types of the values, in their order: 'u8 name37 smart'",
        takes: Takes::Checked(|list| types(list).map(drop)),
    }],
};

/// What values are, and the fields for them.
struct Values(Vec<(&'static Field, Type)>);

fn open(settings: &Settings) -> Box<dyn Conversation> {
    Box::new(Values(settings.get("rs.type").and_then(|list| types(list).ok()).unwrap_or_default()))
}

fn types(list: &str) -> std::result::Result<Vec<(&'static Field, Type)>, Unfit> {
    let unfit = |words| Unfit { line: None, words };
    let of = |name: &str| match Type::named(name) {
        Some(Type::PlayerInfo | Type::NpcInfo | Type::ZonePackets) => Err(unfit(format!(
            "{name} is read with the packets of a revision; try --as rs with -o rs.revision=317 -o rs.isaac=off"
        ))),
        Some(of) => Ok((field(name, of), of)),
        None => Err(unfit(format!("no type is called {name:?}; the nearest are {}", nearest(name)))),
    };
    let types = list.split_whitespace().map(of).collect::<std::result::Result<Vec<_>, Unfit>>()?;
    if types.is_empty() { Err(unfit("no type is named; expected some such as 'u8 name37 smart'".into())) } else { Ok(types) }
}

fn field(name: &str, of: Type) -> &'static Field {
    let (each, row) = name.split_once('[').map_or((name, ""), |(each, _)| (each, "_row"));
    intern("rs.type", "values read by hand", &format!("{each}{row}"), of)
}

/// Make the fields of all types known.
pub fn know_all() {
    for name in Type::names() {
        if let Some(of) = Type::named(name) {
            field(name, of);
        }
    }
}

impl Conversation for Values {
    fn extent(&mut self, _: Side, ahead: &[u8], _: bool) -> Extent {
        Extent::Message(ahead.len())
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let mut line = String::new();
        let mut capacity = None;
        for (field, of) in &self.0 {
            let said = of.read(wire, field, Place { capacity, ..Place::default() })?;
            if let Said::Number(number) = said {
                capacity = Some(number);
            }
            let between = if line.is_empty() { "" } else { ", " };
            match said {
                Said::Much => {}
                _ => line += &format!("{between}{said}"),
            }
            wire.info(format_args!("{line}"));
        }
        Ok(())
    }
}
