//! `Session`: frames that the program feeds, from any source.

use crate::configured::configured;
use crate::errors;
use crate::lookup::Names;
use crate::message::Message;
use crate::reader::Dissector;
use proto_dissect::filter::Filter;
use proto_dissect::input::{Frame, Link, link_names, link_number};
use proto_dissect::record::View;
use proto_dissect::tree::Timestamp;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::{Arc, Mutex};

/// Frames that are fed, and their records.
#[pyclass(frozen, subclass, module = "proto_dissect")]
pub struct Session(Mutex<Live>);

struct Live {
    dissector: Dissector,
    frames: u64,
    is_over: bool,
}

impl Session {
    fn with<T>(&self, work: impl FnOnce(&mut Live) -> PyResult<T>) -> PyResult<T> {
        let busy = |_| PyRuntimeError::new_err("another thread uses this session");
        self.0.try_lock().map_err(busy).and_then(|mut live| work(&mut live))
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new(py: Python<'_>, words: Vec<OsString>, filter: Option<&str>, packets: bool) -> PyResult<Session> {
        let (registry, _) = configured(py, words)?;
        let filter = filter.map(|text| Filter::parse(text, registry)).transpose().map_err(|mistake| errors::filter(&mistake))?;
        let view = if packets { View::Packets } else { View::Messages };
        let dissector = Dissector::new(Arc::new(Names::new(registry)), view, filter, "<session>".into());
        Ok(Session(Mutex::new(Live { dissector, frames: 0, is_over: false })))
    }

    /// Dissects a frame. Its records come from the iterator.
    #[pyo3(signature = (frame, seconds, nanos, link, length))]
    fn _feed(
        &self,
        py: Python<'_>,
        frame: &[u8],
        seconds: Option<i64>,
        nanos: u32,
        link: &str,
        length: Option<u32>,
    ) -> PyResult<()> {
        let Some(number) = link_number(link) else {
            let near = proto_dissect::cli::embedded::similar_names(link, link_names());
            return Err(PyValueError::new_err(format!("{link}: unknown link type; expected a number or a name{near}")));
        };
        let captured = u32::try_from(frame.len()).map_err(|_| PyValueError::new_err("a frame has at most 4 GiB"))?;
        self.with(|live| {
            if live.is_over {
                return Err(PyRuntimeError::new_err("finish() was called; a session takes no more frames"));
            }
            live.frames += 1;
            let frame = Frame {
                number: live.frames,
                time: seconds.map(|seconds| Timestamp { seconds, nanos }),
                link: Link::Type(number),
                bytes: frame,
                original_len: length.unwrap_or(captured).max(captured),
                ..Frame::default()
            };
            py.detach(|| live.dissector.frame(&frame));
            Ok(())
        })
    }

    /// Ends the conversations, so that pending messages come from the iterator.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.with(|live| {
            live.is_over = true;
            py.detach(|| while live.dissector.finish() {});
            Ok(())
        })
    }

    fn __iter__(this: Py<Session>) -> Py<Session> {
        this
    }

    /// The next record so far.
    fn __next__(&self) -> PyResult<Option<Message>> {
        self.with(|live| Ok(live.dissector.next()))
    }
}
