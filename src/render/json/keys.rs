//! Leading keys of flat and nested records.

use super::Ask;
use super::typed::Answered;
use super::writer::{Members, Shown};
use crate::record::pseudo;
use crate::record::{Record, words_of};
use crate::render::time::Rfc3339;
use crate::tree::{Ends, Time};
use std::borrow::Cow;
use std::io::Result;

/// Keys of the record, with the same meaning as in `--json`.
pub const NAMES: [&str; 11] = ["file", "time", "t", "protocol", "name", "info", "stream", "dir", "src", "dst", "len"];

/// Keys that are filter names.
const PSEUDO: [&str; 6] =
    ["frame.number", "frame.time_epoch", "message.number", "message.protocol", "message.name", "message.dir"];

/// Writes the keys of a record, or the selected ones.
pub fn put(record: &Record<'_>, ask: Ask<'_>, map: &mut Members<'_, '_>) -> Result<()> {
    let choice = ask.choice;
    let is_file_shown = choice.map_or(ask.names_file, |choice| choice.has_key("file"));
    if is_file_shown {
        map.put("file", ask.file)?;
    }
    match choice {
        None => PSEUDO.iter().filter_map(|name| pseudo::named(name)).try_for_each(|pseudo| answered(record, pseudo, map))?,
        Some(choice) => {
            choice.pseudos().try_for_each(|pseudo| answered(record, pseudo, map))?;
            let computed = choice.computations(record).filter(|(_, values)| !values.is_empty());
            computed.into_iter().try_for_each(|(name, values)| map.put(name, &values))?;
        }
    }
    let has = |key: &str| choice.is_none_or(|choice| choice.has_key(key));
    own(record, &has, map)?;
    match record {
        Record::Late(_) if choice.is_none() => map.put("late", &true),
        _ => Ok(()),
    }
}

fn answered(record: &Record<'_>, pseudo: &'static pseudo::Pseudo, map: &mut Members<'_, '_>) -> Result<()> {
    match (pseudo.of)(record) {
        Some(answer) => map.put(pseudo.name, &Answered(pseudo, answer)),
        None => Ok(()),
    }
}

fn own(record: &Record<'_>, has: &dyn Fn(&str) -> bool, map: &mut Members<'_, '_>) -> Result<()> {
    let facts = Common::of(record);
    if let Some(time) = facts.time.and_then(Rfc3339::of).filter(|_| has("time")) {
        map.put("time", &Shown(time))?;
    }
    if let Some(nanos) = facts.since_start.filter(|_| has("t")) {
        // The quotient of two exact numbers prints as the exact decimal.
        map.put("t", &(nanos as f64 / 1e9))?;
    }
    for (key, text) in [("protocol", facts.protocol), ("name", &facts.name), ("info", &facts.info)] {
        if !text.is_empty() && has(key) {
            map.put(key, text)?;
        }
    }
    if let Some(ends @ Ends { src, dst, stream, .. }) = facts.ends {
        if let Some((stream, _)) = stream.filter(|_| has("stream")) {
            map.put("stream", &Shown(stream))?;
        }
        if let Some(side) = ends.direction().filter(|_| has("dir")) {
            map.put("dir", side.direction())?;
        }
        for (key, end) in [("src", src), ("dst", dst)] {
            if let Some(end) = end.filter(|_| has(key)) {
                map.put(key, &Shown(end))?;
            }
        }
    }
    if has("len") { map.put("len", &facts.len) } else { Ok(()) }
}

/// Common properties of records.
struct Common<'t> {
    time: Time,
    since_start: Option<i128>,
    protocol: &'static str,
    name: Cow<'t, str>,
    info: Cow<'t, str>,
    ends: Option<&'t Ends>,
    /// Length of the message; of a packet, on the wire.
    len: u64,
}

impl<'t> Common<'t> {
    fn of(record: &Record<'t>) -> Common<'t> {
        match record {
            Record::Message(message) => Common {
                time: message.time(),
                since_start: message.times.since_start(),
                protocol: message.protocol().map_or("", |field| field.abbrev),
                name: message.name().into(),
                info: message.info(),
                ends: message.ends(),
                len: message.node().map_or(0, |node| node.span().len().into()),
            },
            Record::Packet(packet) => {
                let (name, info) = words_of(packet.of, packet.layers());
                let innermost = packet.innermost().and_then(|layer| packet.of.layer_node(layer));
                Common {
                    time: packet.of.tree.frame.time,
                    since_start: packet.times.since_start(),
                    protocol: innermost.map_or("", |node| node.field().abbrev),
                    name,
                    info,
                    ends: packet.ends(),
                    len: packet.of.tree.frame.original.into(),
                }
            }
            Record::Late(late) => {
                let (name, info) = words_of(late.of, late.layers.iter());
                let innermost = late.innermost().and_then(|layer| late.of.layer_node(layer));
                Common {
                    time: late.times.time,
                    since_start: late.times.since_start(),
                    protocol: innermost.map_or("", |node| node.field().abbrev),
                    name,
                    info,
                    ends: late.ends(),
                    len: late.length(),
                }
            }
            Record::Gap(_) => {
                Common { time: None, since_start: None, protocol: "", name: "".into(), info: "".into(), ends: None, len: 0 }
            }
        }
    }
}
