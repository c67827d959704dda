//! `open`: the records of captures, one after another.

use crate::configured::configured;
use crate::errors;
use crate::input::Input;
use crate::lookup::Names;
use crate::message::Message;
use proto_dissect::Capture;
use proto_dissect::engine::Engine;
use proto_dissect::filter::Filter;
use proto_dissect::input::{Frame, Options};
use proto_dissect::record::{RecordPlace, Tally, View};
use proto_dissect::tree::{Demand, Dissection, Tree};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

/// Frames between two checks for Ctrl-C.
const FRAMES: usize = 2048;

/// A frame's tree with its bytes, shared by the frame's messages.
pub struct Kept {
    tree: Tree,
    bytes: Box<[u8]>,
    /// The input.
    pub file: Arc<str>,
}

impl Kept {
    /// The dissection.
    pub fn of(&self) -> Dissection<'_> {
        Dissection { tree: &self.tree, bytes: &self.bytes }
    }
}

/// Dissects frames and keeps their records.
pub struct Dissector {
    engine: Engine,
    tally: Tally,
    filter: Option<Filter>,
    file: Arc<str>,
    names: Arc<Names>,
    pending: VecDeque<Message>,
    places: Vec<RecordPlace>,
}

impl Dissector {
    /// For one input.
    pub fn new(names: Arc<Names>, view: View, filter: Option<Filter>, file: Arc<str>) -> Dissector {
        let demand = filter.as_ref().map_or(Demand::EVERYTHING, |filter| Demand::EVERYTHING.and(filter.demand()));
        Dissector {
            engine: Engine::new(names.registry, demand),
            tally: Tally::new(view),
            filter,
            file,
            names,
            pending: VecDeque::new(),
            places: Vec::new(),
        }
    }

    /// Dissects a frame.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        self.engine.dissect(frame);
        self.keep(frame.bytes, true);
    }

    /// Dissects what is pending at the end. Returns false when nothing is.
    pub fn finish(&mut self) -> bool {
        let more = self.engine.finish().is_some();
        if more {
            self.keep(&[], false);
        }
        more
    }

    /// Keeps the records of the last tree.
    fn keep(&mut self, bytes: &[u8], captured: bool) {
        let Dissector { engine, tally, filter, places, .. } = self;
        let of = Dissection { tree: engine.tree(), bytes };
        let Ok(()) = tally.places(of, captured, |place| {
            let matches = |filter: &Filter| place.clone().record(of, None).is_some_and(|record| filter.matches(&record));
            if filter.as_ref().is_none_or(matches) {
                places.push(place);
            }
            Ok::<(), Infallible>(())
        });
        if self.places.is_empty() {
            return;
        }
        let mut tree = self.engine.new_tree();
        self.engine.give_tree(&mut tree, false);
        let kept = Arc::new(Kept { tree, bytes: bytes.into(), file: Arc::clone(&self.file) });
        let names = &self.names;
        self.pending.extend(self.places.drain(..).map(|place| Message::new(Arc::clone(&kept), place, Arc::clone(names))));
    }

    /// The next record.
    pub fn next(&mut self) -> Option<Message> {
        self.pending.pop_front()
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.tally.frames
    }

    /// The filter, for the next input.
    fn take_filter(&mut self) -> Option<Filter> {
        self.filter.take()
    }
}

/// Damage of an input: name, frame, offset and text.
struct Damage {
    file: Arc<str>,
    frame: u64,
    at: Option<u64>,
    text: String,
}

impl Damage {
    fn raise(self, py: Python<'_>) -> PyErr {
        let Damage { file, frame, at, text } = self;
        let place = if frame == 0 { "before the first frame".to_owned() } else { format!("after frame {frame}") };
        errors::raise(py, "Damaged", (format!("{file}: {place}: {text}"), frame, at))
    }
}

/// The input that is being read.
struct Current {
    capture: Capture,
    /// Whether all frames are read.
    is_over: bool,
    dissector: Dissector,
}

/// All inputs.
pub struct Reading {
    waiting: VecDeque<Input>,
    options: Options,
    view: View,
    names: Arc<Names>,
    /// The filter, while no input uses it.
    filter: Option<Filter>,
    current: Option<Current>,
    damage: Option<Damage>,
}

/// What a step came to.
enum Step {
    Record(Message),
    /// Time to check for signals.
    Pause,
    InputEnds,
}

impl Current {
    /// Reads up to the next record.
    fn step(&mut self, damage: &mut Option<Damage>) -> Step {
        let Current { capture, is_over, dissector } = self;
        for _ in 0..FRAMES {
            if let Some(message) = dissector.next() {
                return Step::Record(message);
            }
            if *is_over {
                if !dissector.finish() {
                    return Step::InputEnds;
                }
                continue;
            }
            match capture.next_frame() {
                Ok(Some(frame)) => dissector.frame(&frame),
                Ok(None) => *is_over = true,
                Err(error) => {
                    *is_over = true;
                    let (file, frame) = (Arc::clone(&dissector.file), dissector.frames());
                    *damage = Some(Damage { file, frame, at: error.at, text: error.text });
                }
            }
        }
        Step::Pause
    }
}

impl Reading {
    /// Prepares to read. The first input is opened at once, so that a wrong name is an error where it is given.
    pub fn new(
        py: Python<'_>,
        inputs: Vec<Input>,
        words: Vec<OsString>,
        filter: Option<&str>,
        packets: bool,
    ) -> PyResult<Reading> {
        let (registry, options) = configured(py, words)?;
        let filter = filter.map(|text| Filter::parse(text, registry)).transpose().map_err(|mistake| errors::filter(&mistake))?;
        let view = if packets { View::Packets } else { View::Messages };
        let names = Arc::new(Names::new(registry));
        let mut reading = Reading { waiting: inputs.into(), options, view, names, filter, current: None, damage: None };
        reading.open(py)?;
        Ok(reading)
    }

    /// Opens the next input. Returns false if there is none.
    fn open(&mut self, py: Python<'_>) -> PyResult<bool> {
        let Some(input) = self.waiting.pop_front() else { return Ok(false) };
        let file = input.name();
        let capture = input.open(py, self.options)?;
        let dissector = Dissector::new(Arc::clone(&self.names), self.view, self.filter.take(), file);
        self.current = Some(Current { capture, is_over: false, dissector });
        Ok(true)
    }

    /// The next record; `None` at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Message>> {
        loop {
            let Some(current) = &mut self.current else {
                if self.open(py)? {
                    continue;
                }
                return Ok(None);
            };
            if let Some(message) = current.dissector.next() {
                return Ok(Some(message));
            }
            let damage = &mut self.damage;
            match py.detach(|| current.step(damage)) {
                Step::Record(message) => return Ok(Some(message)),
                Step::Pause => py.check_signals()?,
                Step::InputEnds => {
                    self.filter = current.dissector.take_filter();
                    self.current = None;
                    if let Some(damage) = self.damage.take() {
                        return Err(damage.raise(py));
                    }
                }
            }
        }
    }
}

/// Records of captures, as an iterator.
#[pyclass(frozen, module = "proto_dissect")]
pub struct Reader(Mutex<Option<Reading>>);

#[pymethods]
impl Reader {
    #[new]
    fn new(
        py: Python<'_>,
        inputs: Vec<Bound<'_, PyAny>>,
        words: Vec<OsString>,
        filter: Option<&str>,
        packets: bool,
    ) -> PyResult<Reader> {
        let inputs = inputs.iter().map(Input::of).collect::<PyResult<_>>()?;
        Reading::new(py, inputs, words, filter, packets).map(|reading| Reader(Mutex::new(Some(reading))))
    }

    fn __iter__(this: Py<Reader>) -> Py<Reader> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        // Another thread may hold the lock while it waits for the interpreter.
        let mut reading = match self.0.try_lock() {
            Ok(reading) => reading,
            Err(_) => return Err(pyo3::exceptions::PyRuntimeError::new_err("another thread reads from this reader")),
        };
        reading.as_mut().map_or(Ok(None), |reading| reading.next(py))
    }

    /// Closes the input. Messages that were read stay valid.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(this: Py<Reader>) -> Py<Reader> {
        this
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }
}
