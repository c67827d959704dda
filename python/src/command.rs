//! Commands of the command line whose JSON Python parses: `explore` and `diff`.

use proto_dissect::cli::embedded;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command line. Returns its exit code, its output, and the lines that it reports on standard error.
#[pyfunction]
pub fn run(py: Python<'_>, words: Vec<OsString>) -> (u8, Vec<u8>, Vec<String>) {
    let (exit, output, errors) = py.detach(|| embedded::run(words));
    (exit.code(), output, errors)
}
