//! Inputs: paths, bytes in memory, and Python's binary files.

use crate::errors;
use proto_dissect::Capture;
use proto_dissect::input::Options;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// An input that is not open yet.
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// An object with `read`.
    Object(Py<PyAny>),
}

impl Input {
    /// The input that a Python object stands for: `str` and `os.PathLike` are paths, `bytes` are the content.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Input> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.as_bytes().to_vec()));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(Input::Bytes(bytes.to_vec()));
        }
        if !object.is_instance_of::<PyString>() && object.hasattr("read")? {
            return Ok(Input::Object(object.clone().unbind()));
        }
        object.extract().map(Input::Path)
    }

    /// Its name in messages.
    pub fn name(&self) -> Arc<str> {
        match self {
            Input::Path(path) => path.to_string_lossy().into(),
            Input::Bytes(_) => "<bytes>".into(),
            Input::Object(_) => "<file>".into(),
        }
    }

    /// Opens the input and detects its format.
    pub fn open(self, py: Python<'_>, options: Options) -> PyResult<Capture> {
        let name = self.name();
        let reader: Box<dyn Read + Send> = match self {
            Input::Path(path) => {
                Box::new(py.detach(|| File::open(&path)).map_err(|error| errors::cannot_open(py, &path, &error))?)
            }
            Input::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Input::Object(object) => Box::new(Object(object)),
        };
        let open = py.detach(|| Capture::open_with(reader, options));
        open.map_err(|error| errors::not_a_capture(py, &name, &error))
    }
}

/// Reads from a Python object.
struct Object(Py<PyAny>);

impl Read for Object {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.call_method1(py, "read", (to.len(),))?;
            let bytes = read.bind(py).cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            let count = bytes.len().min(to.len());
            if let (Some(to), Some(from)) = (to.get_mut(..count), bytes.get(..count)) {
                to.copy_from_slice(from);
            }
            Ok(count)
        })
        .map_err(|error: PyErr| io::Error::other(error.to_string()))
    }
}
