//! Columns: a line a record with the values of the fields that were asked for, as tshark's `-T fields` and as CSV.
//!
//! Names become fields elsewhere. Gaps have no columns and are not printed.

use super::text::Guarded;
use super::{KEPT, unwritable};
use crate::layers;
use crate::record::pseudo::{Answer, Pseudo};
use crate::record::{Record, Tally, View};
use crate::sink::{Begin, Printed, Problem, Sink};
use crate::tree::{Dissection, Field, Kind, Only, Value, Want, clean};
use std::fmt::{self, Write};
use std::io;
use std::ops::Range;

/// A column.
#[derive(Clone)]
pub struct Column {
    /// Its head: the name that was asked for.
    pub name: String,
    /// What stands in it.
    pub of: Values,
}

impl Column {
    /// Whether each frame tells by itself what stands in it.
    fn is_of_frame(&self) -> bool {
        match &self.of {
            Values::Fields(fields) => fields.iter().all(|field| layers::is_of_frame(field)),
            Values::Pseudo(pseudo) => pseudo.is_of_frame(),
        }
    }
}

/// Where the values of a column come from.
#[derive(Clone)]
pub enum Values {
    /// The nodes of these fields: a shared name stands for several.
    Fields(Vec<&'static Field>),
    /// The record itself.
    Pseudo(&'static Pseudo),
}

/// Which values of a field that occurs more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The first: `f`.
    First,
    /// The last: `l`.
    Last,
    /// All: `a`.
    All,
}

/// How columns are written: tshark's `-E`.
#[derive(Debug, Clone)]
pub struct ColumnOptions {
    /// A first line with the names.
    pub header: bool,
    /// Between columns.
    pub separator: char,
    /// Which values of a field that occurs more than once.
    pub occurrence: Occurrence,
    /// Between them.
    pub aggregator: char,
    /// Around a column that is not empty.
    pub quote: Option<char>,
    /// Write a quote within quotes twice, as CSV wants it and tshark does not.
    pub double_quotes: bool,
    /// Hand on each line at once.
    pub flush: bool,
}

impl Default for ColumnOptions {
    /// As `-T fields` without `-E`.
    fn default() -> ColumnOptions {
        ColumnOptions {
            header: false,
            separator: '\t',
            occurrence: Occurrence::All,
            aggregator: ',',
            quote: None,
            double_quotes: false,
            flush: false,
        }
    }
}

impl ColumnOptions {
    /// As spreadsheets read it.
    #[must_use]
    pub fn csv() -> ColumnOptions {
        ColumnOptions { header: true, separator: ',', quote: Some('"'), double_quotes: true, ..ColumnOptions::default() }
    }
}

/// Prints columns.
pub struct Columns<W> {
    to: W,
    columns: Vec<Column>,
    options: ColumnOptions,
    line: String,
    cell: String,
    begun: bool,
}

impl<W: io::Write> Columns<W> {
    /// Prints these columns to `to`.
    pub fn new(to: W, columns: Vec<Column>, options: ColumnOptions) -> Columns<W> {
        Columns { to, columns, options, line: String::new(), cell: String::new(), begun: false }
    }

    fn print(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.to.write_all(self.line.as_bytes())?;
        self.line.clear();
        self.line.shrink_to(KEPT);
        self.cell.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }

    fn columns(&mut self, record: &Record<'_>) -> fmt::Result {
        let Columns { columns, options, line, cell, .. } = self;
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                line.push(options.separator);
            }
            cell.clear();
            match &column.of {
                Values::Fields(fields) => values(record, fields, options, cell)?,
                Values::Pseudo(pseudo) => match (pseudo.of)(record) {
                    Some(Answer::Lines(lines)) => {
                        let mut lines = lines.lines().enumerate();
                        lines.try_for_each(|(at, line)| occurrence(options, at, cell, |cell| clean(line, cell)))?;
                    }
                    Some(answer) => write!(cell, "{answer}")?,
                    None => {}
                },
            }
            quoted(cell, options, line);
        }
        Ok(())
    }
}

fn quoted(cell: &str, options: &ColumnOptions, line: &mut String) {
    match options.quote {
        Some(quote) if !cell.is_empty() => {
            line.push(quote);
            for character in cell.chars() {
                if character == quote && options.double_quotes {
                    line.push(quote);
                }
                line.push(character);
            }
            line.push(quote);
        }
        _ => line.push_str(cell),
    }
}

/// The values that a record has of some fields.
fn values(record: &Record<'_>, fields: &[&'static Field], options: &ColumnOptions, cell: &mut String) -> fmt::Result {
    match record {
        Record::Packet(packet) => {
            let all = 0..packet.of.tree.here();
            occurrences(packet.of, std::iter::once(all), fields, options, cell)
        }
        Record::Message(message) => {
            let layers = message.carriers().into_iter().chain([message.layer]);
            let nodes = |place: u32| Some(place..message.of.tree.nodes.get(usize::try_from(place).ok()?)?.end);
            occurrences(message.of, layers.filter_map(|layer| nodes(layer.node)), fields, options, cell)
        }
        Record::Gap(_) => Ok(()),
    }
}

fn occurrences(
    of: Dissection<'_>,
    places: impl Iterator<Item = Range<u32>>,
    fields: &[&'static Field],
    options: &ColumnOptions,
    cell: &mut String,
) -> fmt::Result {
    let nodes = places.flat_map(|range| {
        let nodes = of.tree.nodes.get(range.start as usize..range.end as usize).unwrap_or_default();
        range.zip(nodes)
    });
    let meant = nodes.filter(|(_, node)| fields.iter().any(|field| field.is(node.field)));
    for (at, node) in meant.filter_map(|(place, _)| of.node(place)).enumerate() {
        let is_text = matches!(node.value(), Value::None | Value::Text | Value::Made(_));
        occurrence(
            options,
            at,
            cell,
            |cell| if is_text { node.write_plain(&mut Guarded(cell)) } else { node.write_plain(cell) },
        )?;
    }
    Ok(())
}

/// One more value of a cell, if it is one of those that are shown.
fn occurrence(
    options: &ColumnOptions,
    at: usize,
    cell: &mut String,
    write: impl FnOnce(&mut String) -> fmt::Result,
) -> fmt::Result {
    match options.occurrence {
        Occurrence::First if at > 0 => return Ok(()),
        Occurrence::Last => cell.clear(),
        Occurrence::All if at > 0 => cell.push(options.aggregator),
        _ => {}
    }
    write(cell)
}

impl<W: io::Write> Sink for Columns<W> {
    fn want(&self, view: View) -> Want {
        let of = |column: &Column| match &column.of {
            Values::Fields(fields) => fields.clone(),
            Values::Pseudo(_) => Vec::new(),
        };
        let fields: Vec<&'static Field> = self.columns.iter().flat_map(of).collect();
        // What is told of a group is told of what lies below it.
        let tells_of_others = |field: &&Field| field.digest.is_some() || matches!(field.kind, Kind::Group | Kind::Protocol);
        let only = (!fields.iter().any(tells_of_others)).then(|| Only::these(fields.iter().copied()));
        let has_any = !fields.is_empty();
        let carriers = has_any || view == View::Packets;
        let talks = view == View::Messages || !self.columns.iter().all(Column::is_of_frame);
        Want { fields: has_any, only, carriers, headers: carriers, bytes: has_any, talks, ..Want::NAMES }
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        if self.begun || !self.options.header {
            return Ok(());
        }
        self.begun = true;
        for (at, column) in self.columns.iter().enumerate() {
            if at > 0 {
                self.line.push(self.options.separator);
            }
            self.line.push_str(&column.name);
        }
        self.print()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) {
            return Ok(());
        }
        self.columns(record).map_err(unwritable)?;
        self.print()
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn problem(&mut self, _: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Tally, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::pseudo;
    use crate::registry::Registry;

    #[test]
    fn conversations_are_read_only_for_columns_that_take_them() {
        let column = |name: &str| match pseudo::named(name) {
            Some(pseudo) => Values::Pseudo(pseudo),
            None => Values::Fields(Registry::default().named(name)),
        };
        let talks = |names: &[&str], view: View| {
            let columns = names.iter().map(|name| Column { name: (*name).into(), of: column(name) }).collect();
            Columns::new(io::sink(), columns, ColumnOptions::default()).want(view).talks
        };
        let of_headers =
            ["frame.number", "frame.time_epoch", "eth.src", "ip.src", "ip.addr", "tcp.port", "tcp.len", "udp.length"];
        assert!(!talks(&of_headers, View::Packets) && talks(&of_headers, View::Messages));
        for other in
            ["tcp.stream", "tcp.seq", "tcp.analysis.retransmission", "tcp", "data.data", "dns.id", "frame.protocols", "stream"]
        {
            assert!(talks(&[&of_headers[..], &[other]].concat(), View::Packets), "{other}");
        }
    }
}
