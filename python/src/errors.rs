//! Exceptions: classes of `proto_dissect._errors`, with the texts of the command line.

use proto_dissect::filter::ParseError;
use proto_dissect::input::OpenError;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::Path;

/// An exception of the package.
pub fn raise<'py, A>(py: Python<'py>, class: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let made = || py.import("proto_dissect._errors")?.getattr(class)?.call1(arguments);
    made().map_or_else(|error| error, PyErr::from_value)
}

/// Options that the command line refuses.
pub fn option(text: String) -> PyErr {
    Python::attach(|py| raise(py, "OptionError", (text,)))
}

/// A mistake in a filter.
pub fn filter(mistake: &ParseError) -> PyErr {
    Python::attach(|py| raise(py, "FilterError", (mistake.to_string(), mistake.at, mistake.len)))
}

/// An input that cannot be opened, as Python's own exceptions where they exist.
pub fn cannot_open(py: Python<'_>, path: &Path, error: &std::io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let words = py.import("os").and_then(|os| os.call_method1("strerror", (number,)));
            let arguments = words.and_then(|words| {
                PyTuple::new(
                    py,
                    [number.into_pyobject(py)?.into_any(), words, path.to_string_lossy().into_pyobject(py)?.into_any()],
                )
            });
            arguments.map_or_else(|error| error, |arguments| PyOSError::new_err(arguments.unbind()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

/// An input of no known format.
pub fn not_a_capture(py: Python<'_>, name: &str, error: &OpenError) -> PyErr {
    match error {
        OpenError::Io(error) => PyOSError::new_err(format!("{name}: {error}")),
        _ => raise(py, "NotACapture", (format!("{name}: {error}"),)),
    }
}
