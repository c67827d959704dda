//! Columnar output: Arrow streams, Parquet files, and the schemas of their tables.
//!
//! ```text
//! record ─► rows of a table ─► batch ─► Arrow stream | Parquet file | a Parquet file for each table and protocol
//! ```
//! Batches and row groups are small, so that memory does not grow with the input. Values equal those of `--json`.

#[cfg(feature = "columns")]
mod batch;
#[cfg(feature = "columns")]
mod fill;
#[cfg(feature = "columns")]
mod folder;
#[cfg(feature = "columns")]
mod output;
mod schema;
#[cfg(feature = "columns")]
mod sink;
#[cfg(feature = "columns")]
mod wide;

#[cfg(feature = "columns")]
pub use output::Target;
pub use schema::{Column, Table, Type, write_schema};
#[cfg(feature = "columns")]
pub use sink::{ColumnSink, What};
#[cfg(feature = "columns")]
pub use wide::Wide;
