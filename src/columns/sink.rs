//! Writes records as rows of tables.

use super::fill::{self, Fields, Head};
use super::folder::columns_of;
use super::output::{Output, Target};
use super::schema::{Table, Type};
use super::wide::Wide;
use crate::record::{Record, View};
use crate::sink::{Begin, Printed, Problem, Sink};
use crate::tree::{Carriers, Demand, Dissection, Fields as Kept, Layer};
use std::io;

/// Requested tables or columns.
#[derive(Clone)]
pub enum What {
    /// One table.
    One(Table),
    /// All tables of a view.
    All(View),
    /// Columns of `-e`.
    Wide(Wide),
}

impl What {
    fn has(&self, table: Table) -> bool {
        match self {
            What::One(one) => *one == table,
            What::All(view) => table.is_of(*view),
            What::Wide(_) => false,
        }
    }

    fn columns(&self) -> Vec<(String, Type)> {
        match self {
            What::One(table) => columns_of(*table, false).map(|column| (column.name.to_owned(), column.kind)).collect(),
            What::All(_) => Vec::new(),
            What::Wide(wide) => wide.types(),
        }
    }
}

/// Writes records as columns.
pub struct ColumnSink<'w> {
    what: What,
    /// Output, created before the first row.
    target: Option<Target<'w>>,
    output: Option<Output<'w>>,
    file: String,
    rows: u64,
}

impl<'w> ColumnSink<'w> {
    /// Creates a sink for tables or columns, with its destination.
    pub fn new(what: What, target: Target<'w>) -> ColumnSink<'w> {
        ColumnSink { what, target: Some(target), output: None, file: String::new(), rows: 0 }
    }

    /// Whether an input was opened, or a row was written.
    pub fn is_open(&self) -> bool {
        self.target.is_none()
    }

    /// Total number of rows after completion.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn output(&mut self) -> io::Result<&mut Output<'w>> {
        if let (None, Some(target)) = (&self.output, self.target.take()) {
            self.output = Some(Output::open(target, &self.what.columns())?);
        }
        self.output.as_mut().ok_or_else(|| io::Error::other("the output failed before"))
    }

    fn layers(&mut self, head: Head<'_>, of: Dissection<'_>, layers: &[&Layer], root: bool) -> io::Result<()> {
        if !self.what.has(Table::Fields) {
            return Ok(());
        }
        let mut fields = Fields::new(head, self.output()?);
        layers.iter().try_for_each(|layer| fields.layer(of, layer, root))
    }

    fn record_in(&mut self, file: &str, record: &Record<'_>) -> io::Result<()> {
        if let What::Wide(wide) = self.what.clone() {
            return self.output()?.rows(Table::Messages, "", |rows| wide.row(record, rows));
        }
        let has_protocol = !matches!(self.what, What::All(_));
        let head = |record, n, protocol| Head { file, record, n, protocol, has_protocol };
        let name = |of: Dissection<'_>, layer: Option<&Layer>| {
            layer.and_then(|layer| of.layer_node(layer)).map_or("", |node| node.field().abbrev)
        };
        match record {
            Record::Message(message) => {
                let head = head("message", message.n, message.protocol().map_or("", |protocol| protocol.abbrev));
                if self.what.has(Table::Messages) {
                    self.output()?.rows(Table::Messages, head.protocol, |rows| fill::message(head, message, rows))?;
                }
                self.notes(head, message.of, message.notes())?;
                self.layers(head, message.of, &[message.layer], false)
            }
            Record::Packet(packet) => {
                let head = head("packet", packet.of.tree.frame.number, name(packet.of, packet.innermost()));
                if self.what.has(Table::Packets) {
                    self.output()?.rows(Table::Packets, head.protocol, |rows| fill::packet(head, packet, rows))?;
                }
                self.notes(head, packet.of, packet.notes())?;
                self.layers(head, packet.of, &packet.layers().collect::<Vec<_>>(), true)
            }
            Record::Late(late) => {
                let head = head("late", late.of.tree.frame.number, name(late.of, late.innermost()));
                if self.what.has(Table::Packets) {
                    self.output()?.rows(Table::Packets, head.protocol, |rows| fill::late(head, late, rows))?;
                }
                self.notes(head, late.of, late.notes())?;
                self.layers(head, late.of, &late.layers.iter().collect::<Vec<_>>(), true)
            }
            Record::Gap(gap) if self.what.has(Table::Gaps) => {
                self.output()?.rows(Table::Gaps, "", |rows| fill::gap(file, gap, rows))
            }
            Record::Gap(_) => Ok(()),
        }
    }

    fn notes<'t>(
        &mut self,
        head: Head<'_>,
        of: Dissection<'t>,
        notes: impl Iterator<Item = &'t crate::tree::Note>,
    ) -> io::Result<()> {
        if !self.what.has(Table::Notes) || of.tree.notes.is_empty() {
            return Ok(());
        }
        self.output()?.rows(Table::Notes, "", |rows| fill::notes(head, of, notes, rows))
    }
}

impl Sink for ColumnSink<'_> {
    fn demand(&self, view: View) -> Demand {
        let carriers = Carriers::shown(view == View::Packets);
        let all = Demand { carriers, ..Demand::EVERYTHING };
        match &self.what {
            What::All(_) | What::One(Table::Fields | Table::Notes) => all,
            What::One(Table::Messages | Table::Packets) => {
                let carriers = if view == View::Packets { carriers } else { Demand::HEADINGS.carriers };
                Demand { fields: Kept::None, carriers, ..Demand::HEADINGS }
            }
            What::One(Table::Gaps) => Demand::LAYERS,
            What::Wide(wide) => wide.demand(view),
        }
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        begin.file.clone_into(&mut self.file);
        self.output().map(|_| ())
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        let file = std::mem::take(&mut self.file);
        let result = self.record_in(&file, record);
        self.file = file;
        result
    }

    fn printed(&mut self, _: &Printed) -> io::Result<()> {
        Err(io::Error::other("columns are written by one thread"))
    }

    fn problem(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        if !self.what.has(Table::Notes) {
            return Ok(());
        }
        self.output()?.rows(Table::Notes, "", |rows| fill::problem(problem, rows))
    }

    fn failed(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        self.problem(problem)
    }

    fn finish(&mut self) -> io::Result<()> {
        let what = self.what.clone();
        if let Some(output) = self.output.take() {
            self.rows = output.finish(Table::ALL.into_iter().filter(|table| what.has(*table)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Tally;
    use crate::{Capture, Engine, Registry};
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use std::fs::File;
    use std::sync::{Arc, Mutex};

    /// A stream that outlives its writer.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The batches of a table of a sample.
    fn written(what: What, view: View) -> Vec<arrow_array::RecordBatch> {
        let to = Shared::default();
        let mut sink = ColumnSink::new(what, Target::Stream(Box::new(to.clone())));
        let mut engine = Engine::new(Registry::default(), sink.demand(view));
        let mut capture = Capture::open(Box::new(File::open("samples/pipboy.pcap").unwrap())).unwrap();
        let mut tally = Tally::new(view);
        sink.begin(&Begin { file: "samples/pipboy.pcap", format: "pcap", links: &[] }).unwrap();
        while let Some(frame) = capture.next_frame().unwrap() {
            let tree = engine.dissect(&frame);
            tally.records(Dissection { tree, bytes: frame.bytes }, true, |record| sink.record(&record)).unwrap();
        }
        sink.end(&tally, false).unwrap();
        sink.finish().unwrap();
        let bytes = std::mem::take(&mut *to.0.lock().unwrap());
        let reader = arrow_ipc::reader::StreamReader::try_new(io::Cursor::new(bytes), None).unwrap();
        reader.map(Result::unwrap).collect()
    }

    #[test]
    fn every_table_is_filled_in_the_order_of_its_columns() {
        for table in Table::ALL {
            let view = if table == Table::Packets { View::Packets } else { View::Messages };
            let batches = written(What::One(table), view);
            let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
            assert_eq!(rows > 0, !matches!(table, Table::Gaps | Table::Notes), "{table:?}");
            for batch in &batches {
                let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
                assert_eq!(names, table.columns().iter().map(|column| column.name).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn rows_of_messages_are_numbered_and_fields_belong_to_them() {
        let messages = written(What::One(Table::Messages), View::Messages);
        let numbers: Vec<i64> =
            messages.iter().flat_map(|batch| batch["n"].as_primitive::<Int64Type>().values().to_vec()).collect();
        assert!(numbers.len() > 10 && numbers.iter().enumerate().all(|(at, n)| *n == at as i64 + 1));
        for batch in written(What::One(Table::Fields), View::Messages) {
            let (ordinal, parent) = (batch["ordinal"].as_primitive::<Int64Type>(), batch["parent"].as_primitive::<Int64Type>());
            assert!(
                ordinal.iter().zip(parent.iter()).all(|(ordinal, parent)| parent.is_none_or(|parent| Some(parent) < ordinal))
            );
        }
    }
}
