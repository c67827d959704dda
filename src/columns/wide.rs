//! `-e`: one table with a column per name, typed like its fields.

use super::batch::{Builder, Row, Rows};
use super::fill::{Of, Plain, nanos, value_of};
use super::schema::Type;
use crate::record::pseudo::{Pseudo, PseudoValue};
use crate::record::{Record, Remembered, RememberedValue, View};
use crate::render::{Column, ColumnOptions, Columns, Occurrence, Values};
use crate::sink::Sink;
use crate::tree::{Computed, Demand, Dissection, Field, Kind, Layer, NodeRef};
use std::borrow::Cow;
use std::io;

/// Columns of `-e`.
#[derive(Clone)]
pub struct Wide {
    columns: Vec<Column>,
    occurrence: Occurrence,
    /// Whether each late record has a row.
    all_late: bool,
}

/// A value of a column.
enum Cell<'t> {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(Cow<'t, str>),
    Bytes(Cow<'t, [u8]>),
    Time(i64),
    /// A value that does not fit the type of the column.
    Null,
}

impl Wide {
    /// Creates columns with lists of all values, or with single values, and with the rows that these options give.
    pub fn new(columns: Vec<Column>, options: &ColumnOptions) -> Wide {
        Wide { columns, occurrence: options.occurrence, all_late: options.all_late }
    }

    /// The parts of a frame that they need.
    pub(super) fn demand(&self, view: View) -> Demand {
        Columns::new(io::sink(), self.columns.clone(), ColumnOptions::default()).demand(view)
    }

    /// Names and types.
    pub(super) fn types(&self) -> Vec<(String, Type)> {
        let all = self.occurrence == Occurrence::All;
        self.columns.iter().map(|column| (column.name.clone(), type_of(&column.of, all))).collect()
    }

    /// Appends the row of a record. Without a filter, late messages have one only if a column has one of their fields.
    pub(super) fn row(&self, record: &Record<'_>, rows: &mut Rows) {
        let cells: Vec<Vec<Cell<'_>>> = self.columns.iter().map(|column| self.cells(record, &column.of)).collect();
        let has_field = |(column, cells): (&Column, &Vec<Cell<'_>>)| !matches!(column.of, Values::Pseudo(_)) && !cells.is_empty();
        match record {
            Record::Gap(_) => return,
            Record::Late(_) if !self.all_late && !self.columns.iter().zip(&cells).any(has_field) => return,
            _ => {}
        }
        let mut row = rows.row();
        for cells in cells {
            put(cells, &mut row);
        }
    }

    fn cells<'t>(&self, record: &'t Record<'t>, of: &Values) -> Vec<Cell<'t>> {
        let mut cells = Vec::new();
        match of {
            Values::Pseudo(pseudo) => answers(record, pseudo, &mut cells),
            Values::Fields(fields) => {
                let kind = scalar(of);
                of_record(record, fields, kind, &mut cells);
                if cells.is_empty() {
                    let known = Remembered::of(record);
                    let known = fields.iter().filter_map(|field| known.as_ref()?.value(field));
                    cells.extend(known.map(|known| match known {
                        RememberedValue::Number(number) => i64::try_from(number).map_or(Cell::Null, Cell::Int),
                        RememberedValue::Ip(address) => Cell::Text(address.to_string().into()),
                    }));
                }
            }
            Values::Computed(computation) => {
                (computation.each)(record, &mut |text| cells.push(Cell::Text(text.to_owned().into())));
            }
        }
        match self.occurrence {
            Occurrence::All => {}
            Occurrence::First => cells.truncate(1),
            Occurrence::Last => drop(cells.drain(..cells.len().saturating_sub(1))),
        }
        cells
    }
}

fn scalar(of: &Values) -> Type {
    match of {
        Values::Pseudo(pseudo) => of_pseudo(pseudo),
        Values::Computed(_) => Type::Text,
        Values::Fields(fields) => {
            let mut types = fields.iter().map(|field| of_kind(field.kind));
            let first = types.next().unwrap_or(Type::Text);
            if types.all(|other| other == first) { first } else { Type::Text }
        }
    }
}

/// The type of a column. A field may occur more than once in a record; a property of the record may not.
fn type_of(of: &Values, all: bool) -> Type {
    match (scalar(of), all && !matches!(of, Values::Pseudo(_))) {
        (Type::Int, true) => Type::Ints,
        (Type::Float, true) => Type::Floats,
        (Type::Bool, true) => Type::Bools,
        (Type::Text, true) => Type::Texts,
        (Type::Bytes, true) => Type::Blobs,
        (kind, _) => kind,
    }
}

const fn of_kind(kind: Kind) -> Type {
    match kind {
        Kind::Number => Type::Int,
        Kind::Float => Type::Float,
        Kind::Bool => Type::Bool,
        Kind::Bytes => Type::Bytes,
        Kind::Protocol | Kind::Group | Kind::Text | Kind::Mac | Kind::Ipv4 | Kind::Ipv6 | Kind::Note(_) => Type::Text,
    }
}

fn of_pseudo(pseudo: &Pseudo) -> Type {
    match (pseudo.name, pseudo.kind) {
        ("frame.time" | "frame.time_epoch", _) => Type::Time,
        (name, _) if name.starts_with("_ws.expert") => Type::Texts,
        ("frame.comment", _) => Type::Texts,
        (_, Kind::Number) => Type::Int,
        (_, Kind::Float) => Type::Float,
        _ => Type::Text,
    }
}

/// Properties of the record itself.
fn answers<'t>(record: &'t Record<'t>, pseudo: &Pseudo, cells: &mut Vec<Cell<'t>>) {
    let seconds = |nanos: i128| Cell::Float(nanos as f64 / 1e9);
    cells.push(match (pseudo.of)(record) {
        None => return,
        Some(PseudoValue::Number(number)) => i64::try_from(number).map_or(Cell::Null, Cell::Int),
        Some(PseudoValue::Nanos(nanos) | PseudoValue::Micros(nanos)) => seconds(nanos),
        Some(PseudoValue::Time(time) | PseudoValue::Date(time)) => nanos(Some(time)).map_or(Cell::Null, Cell::Time),
        Some(PseudoValue::Lines(lines)) => return cells.extend(lines.lines().map(|line| Cell::Text(line.into()))),
        Some(PseudoValue::ExpertItems(items)) => {
            // The closure does not fail.
            let _ = items.each(|one| {
                cells.push(Cell::Text(one.to_string().into()));
                Ok::<(), std::fmt::Error>(())
            });
            return;
        }
        Some(PseudoValue::Words(words)) => Cell::Text(words.into()),
        Some(answer) => Cell::Text(answer.to_string().into()),
    });
}

/// Values of fields in a record, layer by layer.
fn of_record<'t>(record: &Record<'t>, fields: &[&'static Field], kind: Type, cells: &mut Vec<Cell<'t>>) {
    match record {
        Record::Packet(packet) => packet.layers().for_each(|layer| of_layer(packet.of, layer, fields, kind, cells)),
        Record::Message(message) => {
            let layers = message.carriers().into_iter().chain([message.layer]);
            layers.for_each(|layer| of_layer(message.of, layer, fields, kind, cells));
        }
        Record::Late(late) => late.layers.iter().for_each(|layer| of_layer(late.of, layer, fields, kind, cells)),
        Record::Gap(_) => {}
    }
}

fn of_layer<'t>(of: Dissection<'t>, layer: &Layer, fields: &[&'static Field], kind: Type, cells: &mut Vec<Cell<'t>>) {
    let end = of.tree.nodes.get(layer.node as usize).map_or(layer.node, |node| node.end);
    for place in layer.node..end {
        let Some(node) = of.node(place) else { break };
        for field in fields {
            if field.is(node.field()) {
                cells.push(of_node(node, kind));
            }
            if field.generated.is_some() {
                field.compute(node, &mut |computed| cells.push(of_computed(&computed)));
            }
        }
    }
}

fn of_node(node: NodeRef<'_>, kind: Type) -> Cell<'_> {
    if kind == Type::Text {
        return Cell::Text(match value_of(node) {
            (Of::Text(text), _) => text,
            _ => plain(node).into(),
        });
    }
    match value_of(node) {
        (Of::Int(value), _) => Cell::Int(value),
        (Of::Float(value), _) => Cell::Float(value),
        (Of::Bool(value), _) => Cell::Bool(value),
        (Of::Bytes(bytes), _) => Cell::Bytes(bytes.into()),
        // An integer beyond 63 bits, or a masked secret.
        _ => Cell::Null,
    }
}

fn plain(node: NodeRef<'_>) -> String {
    Plain(node).to_string()
}

fn of_computed<'t>(computed: &Computed<'_>) -> Cell<'t> {
    match computed {
        Computed::Number(number) => i64::try_from(*number).map_or(Cell::Null, Cell::Int),
        Computed::Bool(truth) => Cell::Bool(*truth),
        Computed::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned().into()),
        Computed::Bytes(bytes) => Cell::Bytes(bytes.to_vec().into()),
    }
}

/// Appends values to the next column: all of them as a list, else the first.
fn put(cells: Vec<Cell<'_>>, row: &mut Row<'_>) {
    let weight = cells.iter().map(|cell| 8 + if let Cell::Text(text) = cell { text.len() } else { 0 }).sum();
    row.weigh(weight);
    let Some(builder) = row.next() else { return };
    let first = cells.first();
    match builder {
        Builder::Int(builder) => builder.append_option(first.and_then(int)),
        Builder::Float(builder) => builder.append_option(first.and_then(float)),
        Builder::Bool(builder) => builder.append_option(first.and_then(truth)),
        Builder::Text(builder) => builder.append_option(first.and_then(text)),
        Builder::Bytes(builder) => builder.append_option(first.and_then(blob)),
        Builder::Time(builder) => builder.append_option(first.and_then(time)),
        Builder::Short(builder) => builder.append_null(),
        Builder::Ints(builder) => {
            cells.iter().for_each(|cell| builder.values().append_option(int(cell)));
            builder.append(true);
        }
        Builder::Floats(builder) => {
            cells.iter().for_each(|cell| builder.values().append_option(float(cell)));
            builder.append(true);
        }
        Builder::Bools(builder) => {
            cells.iter().for_each(|cell| builder.values().append_option(truth(cell)));
            builder.append(true);
        }
        Builder::Texts(builder) => {
            cells.iter().for_each(|cell| builder.values().append_option(text(cell)));
            builder.append(true);
        }
        Builder::Blobs(builder) => {
            cells.iter().for_each(|cell| builder.values().append_option(blob(cell)));
            builder.append(true);
        }
    }
}

fn int(cell: &Cell<'_>) -> Option<i64> {
    if let Cell::Int(value) = cell { Some(*value) } else { None }
}

fn float(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Float(value) => Some(*value),
        Cell::Int(value) => Some(*value as f64),
        _ => None,
    }
}

fn truth(cell: &Cell<'_>) -> Option<bool> {
    match cell {
        Cell::Bool(value) => Some(*value),
        Cell::Int(value) => Some(*value != 0),
        _ => None,
    }
}

fn text<'c>(cell: &'c Cell<'_>) -> Option<&'c str> {
    if let Cell::Text(value) = cell { Some(value) } else { None }
}

fn blob<'c>(cell: &'c Cell<'_>) -> Option<&'c [u8]> {
    if let Cell::Bytes(value) = cell { Some(value) } else { None }
}

fn time(cell: &Cell<'_>) -> Option<i64> {
    if let Cell::Time(value) = cell { Some(*value) } else { None }
}
