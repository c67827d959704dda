//! The native module of the Python package `proto_dissect`.
//!
//! ```text
//! input ─► Reader ─► Kept (tree and bytes of a frame) ─► Message ─► Field ─► Python values
//! ```
//! A message owns a share of its frame's tree, so that it outlives the reader. Values become Python objects when they are read.

mod command;
mod configured;
mod errors;
mod field;
mod follow;
mod input;
mod lookup;
mod message;
mod protocol;
mod reader;
mod session;
mod table;
mod value;
mod wire;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<reader::Reader>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<message::Message>()?;
    module.add_class::<message::Note>()?;
    module.add_class::<field::Field>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<wire::Wire>()?;
    module.add_class::<wire::Group>()?;
    module.add_function(wrap_pyfunction!(follow::follow, module)?)?;
    module.add_function(wrap_pyfunction!(protocol::register, module)?)?;
    module.add_function(wrap_pyfunction!(protocol::forget, module)?)?;
    module.add_function(wrap_pyfunction!(command::run, module)?)
}
