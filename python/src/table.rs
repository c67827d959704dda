//! `table`: columns as an Arrow stream, through the PyCapsule interface.
//!
//! Rows are written as by `-T arrow`, and read back batch by batch while the consumer pulls them.

use crate::configured::configured;
use crate::errors;
use crate::input::Input;
use arrow_array::RecordBatch;
use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, SchemaRef};
use proto_dissect::Capture;
use proto_dissect::cli::embedded;
use proto_dissect::columns::{ColumnSink, Target, What, Wide};
use proto_dissect::engine::Engine;
use proto_dissect::filter::{self, Filter};
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{Column, ColumnOptions};
use proto_dissect::sink::{Begin, Sink};
use proto_dissect::tree::Dissection;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Columns of captures. Each consumer reads the inputs anew.
#[pyclass(frozen, module = "proto_dissect")]
pub struct Table {
    inputs: Vec<Py<PyAny>>,
    words: Vec<OsString>,
    names: Vec<String>,
    filter: Option<String>,
    packets: bool,
}

/// What all inputs share.
#[derive(Clone)]
struct Settings {
    registry: Registry,
    columns: Vec<Column>,
    filter: Option<String>,
    view: View,
}

#[pymethods]
impl Table {
    #[new]
    fn new(
        py: Python<'_>,
        inputs: Vec<Py<PyAny>>,
        words: Vec<OsString>,
        columns: Vec<String>,
        filter: Option<String>,
        packets: bool,
    ) -> PyResult<Table> {
        let table = Table { inputs, words, names: columns, filter, packets };
        // Mistakes are errors where they are made.
        table.settings(py)?;
        Ok(table)
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The Arrow C stream: pyarrow, polars, pandas and DuckDB read it without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer casts what it gets, if it needs another schema.
        drop(requested_schema);
        let (settings, options) = self.settings(py)?;
        let inputs = self.inputs.iter().map(|input| Input::of(input.bind(py))).collect::<PyResult<Vec<_>>>()?;
        let opened = inputs.into_iter().map(|input| Ok((input.name(), input.open(py, options)?))).collect::<PyResult<_>>()?;
        let rows = py.detach(|| Batches::new(settings, opened));
        let rows = rows.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<Table {}>", self.names.join(", "))
    }
}

impl Table {
    fn settings(&self, py: Python<'_>) -> PyResult<(Settings, proto_dissect::input::Options)> {
        let (registry, options) = configured(py, self.words.clone())?;
        let column = |name: &String| {
            filter::column(name, registry).map_err(|mistake| {
                let words = if filter::is_name(name) { embedded::unknown_field(name) } else { mistake.to_string() };
                errors::raise(py, "UnknownField", (words,))
            })
        };
        let columns = self.names.iter().map(column).collect::<PyResult<_>>()?;
        if let Some(text) = &self.filter {
            Filter::parse(text, registry).map_err(|mistake| errors::filter(&mistake))?;
        }
        let view = if self.packets { View::Packets } else { View::Messages };
        Ok((Settings { registry, columns, filter: self.filter.clone(), view }, options))
    }
}

/// Bytes of an Arrow stream that were written and not read yet.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<VecDeque<u8>>>);

impl Pipe {
    fn with<T>(&self, work: impl FnOnce(&mut VecDeque<u8>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|pipe| pipe.extend(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The input that is being read.
struct Current {
    name: Arc<str>,
    capture: Capture,
    engine: Engine,
    tally: Tally,
    is_over: bool,
}

/// Writes rows into the pipe as they are read from it.
struct Rows {
    settings: Settings,
    filter: Option<Filter>,
    waiting: VecDeque<(Arc<str>, Capture)>,
    current: Option<Current>,
    sink: Option<ColumnSink<'static>>,
    pipe: Pipe,
    damage: Arc<Mutex<Option<String>>>,
}

impl Rows {
    /// Dissects the next frame, or what is pending.
    fn step(&mut self) -> io::Result<()> {
        let Some(sink) = &mut self.sink else { return Ok(()) };
        let Some(current) = &mut self.current else {
            match self.waiting.pop_front() {
                Some((name, capture)) => {
                    sink.begin(&Begin { file: &name, format: capture.format().as_str(), links: &[] })?;
                    let demand = sink.demand(self.settings.view);
                    let demand = self.filter.as_ref().map_or(demand, |filter| demand.and(filter.demand()));
                    let engine = Engine::new(self.settings.registry, demand);
                    self.current = Some(Current { name, capture, engine, tally: Tally::new(self.settings.view), is_over: false });
                }
                None => {
                    sink.finish()?;
                    self.sink = None;
                }
            }
            return Ok(());
        };
        let filter = &self.filter;
        let mut put = |record: Record<'_>| {
            if filter.as_ref().is_none_or(|filter| filter.matches(&record)) { sink.record(&record) } else { Ok(()) }
        };
        let Current { name, capture, engine, tally, is_over } = current;
        if !*is_over {
            match capture.next_frame() {
                Ok(Some(frame)) => {
                    let tree = engine.dissect(&frame);
                    return tally.records(Dissection { tree, bytes: frame.bytes }, true, &mut put);
                }
                Ok(None) => {}
                Err(error) => {
                    let text = format!("{name}: after frame {}: {}", tally.frames, error.text);
                    self.damage.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
                }
            }
            *is_over = true;
        }
        match engine.finish() {
            Some(tree) => tally.records(Dissection { tree, bytes: &[] }, false, &mut put),
            None => {
                sink.end(tally, false)?;
                self.current = None;
                Ok(())
            }
        }
    }
}

impl Read for Rows {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.pipe.with(|pipe| pipe.is_empty()) && self.sink.is_some() {
            self.step()?;
        }
        self.pipe.with(|pipe| pipe.read(to))
    }
}

/// Batches for the consumer; damage of an input is an error after the last one.
struct Batches {
    reader: StreamReader<Rows>,
    damage: Arc<Mutex<Option<String>>>,
}

impl Batches {
    fn new(settings: Settings, waiting: VecDeque<(Arc<str>, Capture)>) -> Result<Batches, ArrowError> {
        let (pipe, damage) = (Pipe::default(), Arc::default());
        let all_late = settings.filter.is_some();
        let wide = Wide::new(settings.columns.clone(), &ColumnOptions { all_late, ..ColumnOptions::default() });
        let sink = ColumnSink::new(What::Wide(wide), Target::Stream(Box::new(pipe.clone())));
        // It was parsed before.
        let filter = settings.filter.as_deref().and_then(|text| Filter::parse(text, settings.registry).ok());
        let rows = Rows { settings, filter, waiting, current: None, sink: Some(sink), pipe, damage: Arc::clone(&damage) };
        Ok(Batches { reader: StreamReader::try_new(rows, None)?, damage })
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next().or_else(|| {
            let damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            Some(Err(ArrowError::ExternalError(damage.into())))
        })
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}
