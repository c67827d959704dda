//! Columns of selected fields, one line per record: tshark's `-T fields`, and CSV.
//!
//! Names are resolved elsewhere. Gaps are not printed. A late message has a line only if a column contains one of its fields. That
//! line follows the lines of all frames of the input, so that line numbers equal frame numbers.

use super::text::{Guarded, Words};
use super::{KEPT, unwritable};
use crate::layers;
use crate::record::expert;
use crate::record::pseudo::{Pseudo, PseudoValue};
use crate::record::seconds::SECOND;
use crate::record::{Record, Remembered, RememberedValue, Scope, Tally, View};
use crate::sink::{Begin, Printed, Sink};
use crate::tree::{
    Carriers, Computed, Demand, Depth, Digits, Dissection, Extras, Field, Fields, Kind, Layer, Node, NodeRef, Note, Only,
    Timestamp, Value, clean_escaped, digits, hex,
};
use std::fmt::{self, Write as _};
use std::io;
use std::sync::Arc;

#[derive(Clone)]
pub struct Column {
    /// Heading: the requested name.
    pub name: String,
    /// Source of its values.
    pub of: Values,
}

impl Column {
    /// Adds the scope of its values.
    pub fn add_to(&self, scope: &mut Scope) {
        match &self.of {
            Values::Fields(fields) => fields.iter().for_each(|field| scope.add_field(field)),
            Values::Pseudo(pseudo) => scope.add_pseudo(pseudo),
            Values::Computed(computation) => scope.add(computation.scope),
        }
    }

    /// Whether its values depend on the frame only.
    fn is_of_frame(&self) -> bool {
        match &self.of {
            Values::Fields(fields) => fields.iter().all(|field| layers::is_of_frame(field)),
            Values::Pseudo(pseudo) => pseudo.is_of_frame(),
            Values::Computed(computation) => !computation.demand.streams(),
        }
    }
}

/// Source of the values of a column.
#[derive(Clone)]
pub enum Values {
    /// Nodes of these fields; a shared name refers to several.
    Fields(Vec<&'static Field>),
    /// A property of the record.
    Pseudo(&'static Pseudo),
    /// A computed value.
    Computed(Arc<Computation>),
}

/// Receives values as text, one by one.
pub type TakeText<'t> = dyn FnMut(&str) + 't;

/// Passes on the values of a record as text.
pub type Compute = dyn Fn(&Record<'_>, &mut TakeText<'_>) + Send + Sync;

/// A value computed from a record: `data.data[4:2]`.
pub struct Computation {
    /// Demand of a frame.
    pub demand: Demand,
    /// Scope of its fields.
    pub scope: Scope,
    /// Emits its values as text.
    pub each: Box<Compute>,
}

/// Selected occurrences of a repeated field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The first: `f`.
    First,
    /// The last: `l`.
    Last,
    /// All: `a`.
    All,
}

/// Format of columns: tshark's `-E`.
#[derive(Debug, Clone)]
pub struct ColumnOptions {
    /// Whether the first line has the names.
    pub header: bool,
    /// Separator of columns.
    pub separator: char,
    /// Selected occurrences of a repeated field.
    pub occurrence: Occurrence,
    /// Separator of occurrences.
    pub aggregator: char,
    /// Quote around non-empty columns.
    pub quote: Option<char>,
    /// Whether quotes within quotes are doubled, as in CSV but not in tshark.
    pub double_quotes: bool,
    /// Flush after each line.
    pub flush: bool,
    /// Whether each late record is a line, as with a filter, which decides alone. Otherwise the lines are those of the frames, and
    /// those of late records with a value.
    pub all_late: bool,
}

impl Default for ColumnOptions {
    /// Format of `-T fields` without `-E`.
    fn default() -> ColumnOptions {
        ColumnOptions {
            header: false,
            separator: '\t',
            occurrence: Occurrence::All,
            aggregator: ',',
            quote: None,
            double_quotes: false,
            flush: false,
            all_late: false,
        }
    }
}

impl ColumnOptions {
    /// CSV for spreadsheets.
    pub fn csv() -> ColumnOptions {
        ColumnOptions { header: true, separator: ',', quote: Some('"'), double_quotes: true, ..ColumnOptions::default() }
    }
}

/// Maximum bytes of lines of late messages kept for the end of an input. Further lines are printed at once.
const MAX_DEFERRED: usize = 16 << 20;

/// A column, prepared before the first record.
struct Prepared {
    column: Column,
    /// Whether any of its fields is generated.
    is_generated: bool,
    /// Whether any of its fields is the code of a note.
    is_noted: bool,
}

impl Prepared {
    fn new(column: Column) -> Prepared {
        let any = |is: fn(&&'static Field) -> bool| match &column.of {
            Values::Fields(fields) => fields.iter().any(is),
            Values::Pseudo(_) | Values::Computed(_) => false,
        };
        let is_generated = any(|field| field.generated.is_some());
        let is_noted = any(|field| matches!(field.kind, Kind::Note(_)));
        Prepared { column, is_generated, is_noted }
    }
}

/// Prints columns.
pub struct Columns<W> {
    to: W,
    columns: Vec<Prepared>,
    options: ColumnOptions,
    line: Vec<u8>,
    cell: Vec<u8>,
    deferred: Vec<u8>,
    begun: bool,
}

impl<W: io::Write> Columns<W> {
    /// Prints these columns to `to`.
    pub fn new(to: W, columns: Vec<Column>, options: ColumnOptions) -> Columns<W> {
        let columns = columns.into_iter().map(Prepared::new).collect();
        Columns { to, columns, options, line: Vec::new(), cell: Vec::new(), deferred: Vec::new(), begun: false }
    }

    fn print(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.to.write_all(&self.line)?;
        self.line.clear();
        self.line.shrink_to(KEPT);
        self.cell.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }

    fn print_deferred(&mut self) -> io::Result<()> {
        self.to.write_all(&self.deferred)?;
        self.deferred.clear();
        self.deferred.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }

    /// Formats the line of a record, without line feed. Reuses the buffer of the previous line.
    pub fn line(&mut self, record: &Record<'_>) -> Result<&[u8], fmt::Error> {
        self.line.clear();
        self.fill(record)?;
        Ok(&self.line)
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().map(|prepared| &prepared.column)
    }

    /// Formats the line of a record. Returns whether any column has a field of it.
    fn fill(&mut self, record: &Record<'_>) -> Result<bool, fmt::Error> {
        let Columns { columns, options, line, cell, .. } = self;
        let (all, mut has_fields) = (all_nodes(record), false);
        for (at, Prepared { column, is_generated, is_noted }) in columns.iter().enumerate() {
            if at > 0 {
                push(line, options.separator);
            }
            let start = line.len();
            let values = |line| Occurrences { line, start, count: 0, is_generated: *is_generated, options };
            match &column.of {
                Values::Fields(fields) => {
                    let mut values = values(&mut *line);
                    match all {
                        Some(of) => values.of_nodes(of, 0, &of.tree.nodes, fields)?,
                        None => values.of_record(record, fields)?,
                    }
                    if *is_noted {
                        values.of_notes(record, fields)?;
                    }
                    has_fields |= values.count > 0;
                    if values.count == 0 {
                        values.of_remembered(record, fields)?;
                    }
                }
                Values::Computed(computation) => {
                    let mut values = values(&mut *line);
                    let mut result = Ok(());
                    (computation.each)(record, &mut |text| {
                        if result.is_ok() {
                            result = values.put(|line| clean_escaped(text, &mut Guarded(&mut Words(line))));
                        }
                    });
                    result?;
                    has_fields |= values.count > 0;
                }
                Values::Pseudo(pseudo) => {
                    if let Some(answer) = (pseudo.of)(record) {
                        values(&mut *line).of_pseudo(&answer)?;
                    }
                }
            }
            if let Some(quote) = options.quote {
                cell.clear();
                cell.extend_from_slice(line.get(start..).unwrap_or_default());
                line.truncate(start);
                quoted(cell, quote, options.double_quotes, line);
            }
        }
        Ok(has_fields)
    }
}

/// Appends a character.
#[inline]
fn push(line: &mut Vec<u8>, character: char) {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => line.push(byte),
        _ => line.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Writes a property of the record.
fn write_answer(answer: &PseudoValue<'_>, line: &mut Vec<u8>) -> fmt::Result {
    match answer {
        PseudoValue::Number(number) => digits::number(line, *number),
        PseudoValue::Time(Timestamp { seconds, nanos }) => match u64::try_from(*seconds) {
            Ok(seconds) if i128::from(*nanos) < SECOND => digits::seconds(line, seconds, *nanos),
            _ => return answer.write(&mut Words(line)),
        },
        _ => return answer.write(&mut Words(line)),
    }
    Ok(())
}

/// Value of empty bytes in columns, as in tshark.
const NO_BYTES: &[u8] = b"<MISSING>";

/// Writes the value of a node.
#[inline]
fn write_node(node: NodeRef<'_>, line: &mut Vec<u8>) -> fmt::Result {
    if node.field().valueless {
        line.push(b'1');
        return Ok(());
    }
    match node.digits() {
        Some(Digits::Number(number)) => digits::number(line, number),
        Some(Digits::Dotted(octets)) => digits::dotted(line, octets),
        None if matches!(node.value(), Value::None | Value::Text | Value::Generated(_)) => {
            return node.write_plain(&mut Guarded(&mut Words(line)));
        }
        None if node.field().kind == Kind::Bytes && node.bytes().is_empty() => line.extend_from_slice(NO_BYTES),
        None => return node.write_plain(&mut Words(line)),
    }
    Ok(())
}

/// Writes a generated value like that of a node.
fn write_computed(field: &Field, computed: &Computed<'_>, line: &mut Vec<u8>) -> fmt::Result {
    match computed {
        Computed::Number(number) if field.hex > 0 => {
            return write!(Words(line), "0x{number:0width$x}", width = usize::from(field.hex));
        }
        Computed::Number(number) => digits::number(line, *number),
        Computed::Bool(truth) => digits::number(line, u64::from(*truth)),
        Computed::Text(text) => return clean_escaped(&String::from_utf8_lossy(text), &mut Guarded(&mut Words(line))),
        Computed::Bytes(bytes) => return hex(bytes, &mut Words(line)),
    }
    Ok(())
}

/// Quotes a column, unless it is empty.
fn quoted(cell: &[u8], quote: char, double: bool, line: &mut Vec<u8>) {
    if cell.is_empty() {
        return;
    }
    push(line, quote);
    // Lossless, because the column consists of text.
    for character in String::from_utf8_lossy(cell).chars() {
        if character == quote && double {
            push(line, quote);
        }
        push(line, character);
    }
    push(line, quote);
}

/// Tree of a record if all of its nodes belong to the record: that of a packet without late layers.
fn all_nodes<'t>(record: &Record<'t>) -> Option<Dissection<'t>> {
    match record {
        Record::Packet(packet) => Some(packet.of).filter(|of| !of.tree.has_late()),
        Record::Message(_) | Record::Late(_) | Record::Gap(_) => None,
    }
}

/// Appends the values of a column to a line.
struct Occurrences<'a> {
    line: &'a mut Vec<u8>,
    /// Start of the column.
    start: usize,
    /// Number of values so far.
    count: usize,
    /// Whether any of its fields is generated.
    is_generated: bool,
    options: &'a ColumnOptions,
}

impl Occurrences<'_> {
    /// Appends the values of fields, layer by layer.
    fn of_record(&mut self, record: &Record<'_>, fields: &[&'static Field]) -> fmt::Result {
        match record {
            Record::Packet(packet) => self.of_layers(packet.of, packet.layers(), fields),
            Record::Message(message) => self.of_layers(message.of, message.carriers().into_iter().chain([message.layer]), fields),
            Record::Late(late) => self.of_layers(late.of, late.layers.iter(), fields),
            Record::Gap(_) => Ok(()),
        }
    }

    /// Appends 1 for each note with one of these codes.
    fn of_notes(&mut self, record: &Record<'_>, codes: &[&'static Field]) -> fmt::Result {
        let (of, layers): (Dissection<'_>, Vec<&Layer>) = match record {
            Record::Packet(packet) => (packet.of, packet.layers().collect()),
            Record::Message(message) => (message.of, message.carriers().into_iter().chain([message.layer]).collect()),
            Record::Late(late) => (late.of, late.layers.iter().collect()),
            Record::Gap(_) => return Ok(()),
        };
        let ranges: Vec<_> = layers.into_iter().filter_map(|layer| of.tree.nodes_of(layer)).collect();
        let notes = of.tree.notes_within(&ranges);
        let is_meant = |note: &&&Note| codes.iter().any(|code| code.is(note.code));
        notes.iter().filter(is_meant).try_for_each(|_| {
            self.put(|line| {
                line.push(b'1');
                Ok(())
            })
        })
    }

    /// Appends the values of a field that no protocol has.
    fn of_pseudo(&mut self, answer: &PseudoValue<'_>) -> fmt::Result {
        match answer {
            PseudoValue::Lines(lines) => lines.lines().try_for_each(|one| self.put(|line| clean_escaped(one, &mut Words(line)))),
            PseudoValue::ExpertItems(items) => items.each(|one| self.put(|line| write!(Guarded(&mut Words(line)), "{one}"))),
            answer => write_answer(answer, self.line),
        }
    }

    /// Appends values of lower layers that the tree of a late record does not contain.
    #[inline(never)]
    fn of_remembered(&mut self, record: &Record<'_>, fields: &[&'static Field]) -> fmt::Result {
        let Some(remembered) = Remembered::of(record) else { return Ok(()) };
        for known in fields.iter().filter_map(|field| remembered.value(field)) {
            self.put(|line| match known {
                RememberedValue::Number(number) => {
                    digits::number(line, number);
                    Ok(())
                }
                RememberedValue::Ip(address) => write!(Words(line), "{address}"),
            })?;
        }
        Ok(())
    }

    fn of_layers<'t>(
        &mut self,
        of: Dissection<'t>,
        mut layers: impl Iterator<Item = &'t Layer>,
        fields: &[&'static Field],
    ) -> fmt::Result {
        let end = |layer: &Layer| of.tree.nodes.get(layer.node as usize).map_or(layer.node, |node| node.end);
        layers.try_for_each(|layer| {
            let nodes = of.tree.nodes.get(layer.node as usize..end(layer) as usize).unwrap_or_default();
            self.of_nodes(of, layer.node, nodes, fields)
        })
    }

    #[inline]
    fn of_nodes<'t>(&mut self, of: Dissection<'t>, first: u32, nodes: &'t [Node], fields: &[&'static Field]) -> fmt::Result {
        if self.is_generated {
            return self.of_generated(of, first, nodes, fields);
        }
        // Most names refer to one field.
        match fields {
            [meant] => self.of_those(of, first, nodes, |field| meant.is(field)),
            fields => self.of_those(of, first, nodes, |field| fields.iter().any(|meant| meant.is(field))),
        }
    }

    #[inline]
    fn of_those<'t>(
        &mut self,
        of: Dissection<'t>,
        first: u32,
        nodes: &'t [Node],
        is_meant: impl Fn(&Field) -> bool,
    ) -> fmt::Result {
        for (place, node) in (first..).zip(nodes) {
            if is_meant(node.field) {
                self.put_node(of.node_at(place, node))?;
            }
        }
        Ok(())
    }

    /// Appends values of nodes, and generated values, in the order of nodes.
    #[inline(never)]
    fn of_generated<'t>(&mut self, of: Dissection<'t>, first: u32, nodes: &'t [Node], fields: &[&'static Field]) -> fmt::Result {
        let mut result = Ok(());
        for node in (first..).zip(nodes).map(|(place, node)| of.node_at(place, node)) {
            for field in fields {
                if field.is(node.field()) {
                    self.put_node(node)?;
                }
                field.compute(node, &mut |computed| {
                    if result.is_ok() {
                        result = self.put(|line| write_computed(field, &computed, line));
                    }
                });
            }
        }
        result
    }

    /// Appends the value of a node. Separate, so that the search is a tight loop.
    #[inline(never)]
    fn put_node(&mut self, node: NodeRef<'_>) -> fmt::Result {
        if self.count > 0 && node.field().per_packet || node.field().kind == Kind::Protocol && node.is_absent() {
            return Ok(());
        }
        self.put(|line| write_node(node, line))
    }

    /// Appends a value if its occurrence is selected.
    fn put(&mut self, write: impl FnOnce(&mut Vec<u8>) -> fmt::Result) -> fmt::Result {
        self.count += 1;
        match self.options.occurrence {
            _ if self.count == 1 => {}
            Occurrence::First => return Ok(()),
            Occurrence::Last => self.line.truncate(self.start),
            Occurrence::All => push(self.line, self.options.aggregator),
        }
        write(self.line)
    }
}

impl<W: io::Write> Sink for Columns<W> {
    fn demand(&self, view: View) -> Demand {
        let of = |column: &Column| match &column.of {
            Values::Fields(fields) => fields.iter().flat_map(|field| field.with_sources()).collect(),
            Values::Pseudo(pseudo) if pseudo.is_expert() => expert::fields().collect(),
            Values::Pseudo(_) | Values::Computed(_) => Vec::new(),
        };
        let fields: Vec<&'static Field> = self.columns().flat_map(of).collect();
        // The text of a group depends on its children.
        let depends_on_others = |field: &&Field| field.collapsed.is_some() || matches!(field.kind, Kind::Group | Kind::Protocol);
        let all = Only::these(fields.iter().copied());
        let kept = match (fields.is_empty(), fields.iter().any(depends_on_others)) {
            (true, _) => Fields::None,
            (false, false) => Fields::Only(all),
            (false, true) => Fields::All,
        };
        let named = Some(all).filter(|all| !all.is_empty());
        let has_any = !fields.is_empty();
        let credentials = fields.iter().any(|field| layers::may_show_credentials(field));
        let streams = view == View::Messages || !self.columns().all(Column::is_of_frame);
        let has_summary = |column: &Column| matches!(column.of, Values::Pseudo(pseudo) if pseudo.is_summary());
        let is_labelled = |column: &Column| matches!(column.of, Values::Pseudo(pseudo) if pseudo.is_labelled());
        let summaries = self.columns().any(has_summary);
        let carriers = match view {
            _ if !streams => Carriers::FieldsOnly,
            View::Messages if !has_any && summaries => Carriers::Layers,
            View::Messages if !has_any => Carriers::Skip,
            View::Messages | View::Packets => Carriers::Full,
        };
        let depth = if streams { Depth::Streams } else { Depth::Headers };
        let extras = [
            Extras::BYTES.when(has_any),
            Extras::CREDENTIALS.when(credentials),
            Extras::LABELS.when(self.columns().any(is_labelled)),
            Extras::SUMMARIES.when(summaries),
        ];
        let demand = extras.into_iter().fold(Demand { fields: kept, carriers, depth, named, ..Demand::NAMES }, Demand::with);
        let computed = self.columns().filter_map(|column| match &column.of {
            Values::Computed(computation) => Some(Demand { carriers: Carriers::Full, ..computation.demand }),
            _ => None,
        });
        computed.fold(demand, Demand::and)
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        if self.begun || !self.options.header {
            return Ok(());
        }
        self.begun = true;
        for (at, Prepared { column, .. }) in self.columns.iter().enumerate() {
            if at > 0 {
                push(&mut self.line, self.options.separator);
            }
            self.line.extend_from_slice(column.name.as_bytes());
        }
        self.print()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        if matches!(record, Record::Gap(_)) {
            return Ok(());
        }
        let has_fields = self.fill(record).map_err(unwritable)?;
        if !matches!(record, Record::Late(_)) {
            return self.print();
        }
        if has_fields || self.options.all_late {
            self.line.push(b'\n');
            self.deferred.extend_from_slice(&self.line);
        }
        self.line.clear();
        if self.deferred.len() > MAX_DEFERRED { self.print_deferred() } else { Ok(()) }
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)?;
        self.deferred.extend_from_slice(&printed.deferred);
        if self.deferred.len() > MAX_DEFERRED { self.print_deferred() } else { Ok(()) }
    }

    fn take_deferred(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.deferred)
    }

    fn end(&mut self, _: &Tally, _: bool) -> io::Result<()> {
        self.print_deferred()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests;
