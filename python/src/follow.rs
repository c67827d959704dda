//! `follow`: the bytes of a conversation.

use crate::configured::configured;
use crate::errors;
use crate::input::Input;
use crate::value;
use proto_dissect::cli::embedded;
use proto_dissect::engine::Engine;
use proto_dissect::follow::{Event, Follower};
use proto_dissect::tree::{Dissection, Time};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::convert::Infallible;
use std::ffi::OsString;

/// A part of a conversation: direction, offset, bytes or the number of missing ones, time.
enum Part {
    Bytes(&'static str, u64, Vec<u8>, Time),
    Missing(&'static str, u64, u64),
}

/// Parts of a conversation as tuples of direction, offset, bytes (`None` if missing), length, and time in nanoseconds.
#[pyfunction]
#[pyo3(signature = (input, words, stream))]
pub fn follow<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyAny>,
    words: Vec<OsString>,
    stream: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (registry, options) = configured(py, words)?;
    let id = embedded::conversation(stream).map_err(errors::option)?;
    let mut capture = Input::of(input)?.open(py, options)?;
    let mut follower = Follower::new(Some(id));
    if registry.shows_secrets() {
        follower = follower.raw();
    }
    let mut engine = Engine::new(registry, follower.demand());
    let (mut parts, mut known) = (Vec::new(), Vec::new());
    let damage = py.detach(|| {
        let mut see = |of: Dissection<'_>, captured: bool| {
            let streams = of.tree.ends.iter().filter_map(|ends| ends.stream);
            for (stream, _) in streams {
                if !known.contains(&stream) && known.len() < 100 {
                    known.push(stream);
                }
            }
            let Ok(()) = follower.collect(of, captured, |event| {
                parts.push(match event {
                    Event::Payload(part) => Part::Bytes(part.side.direction(), part.off, part.bytes.to_vec(), part.time()),
                    Event::Missing(gap) => Part::Missing(gap.side.direction(), gap.off, gap.len),
                });
                Ok::<(), Infallible>(())
            });
        };
        let damage = loop {
            match capture.next_frame() {
                Ok(Some(frame)) => {
                    let tree = engine.dissect(&frame);
                    see(Dissection { tree, bytes: frame.bytes }, true);
                }
                Ok(None) => break None,
                Err(error) => break Some(error.text),
            }
        };
        while let Some(tree) = engine.finish() {
            see(Dissection { tree, bytes: &[] }, false);
        }
        damage
    });
    if parts.is_empty() && !known.contains(&id) {
        let available: Vec<String> = known.iter().map(ToString::to_string).collect();
        return Err(errors::option(format!("no conversation {id}; available: {}", available.join(", "))));
    }
    if let Some(text) = damage {
        let warn = py.import("warnings")?.getattr("warn")?;
        warn.call1((format!("the capture is damaged: {text}"),))?;
    }
    parts.into_iter().map(|part| part.tuple(py)).collect()
}

impl Part {
    fn tuple(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let tuple = match self {
            Part::Bytes(direction, off, bytes, time) => {
                (direction, off, Some(PyBytes::new(py, &bytes)), bytes.len() as u64, time.map(value::nanos)).into_pyobject(py)?
            }
            Part::Missing(direction, off, len) => {
                (direction, off, None::<Bound<'_, PyBytes>>, len, None::<i128>).into_pyobject(py)?
            }
        };
        Ok(tuple.into_any())
    }
}
