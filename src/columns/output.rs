//! Destinations of batches: an Arrow stream, a Parquet file, or a directory of Parquet files.

use super::batch::{Rows, schema};
use super::folder::Folder;
use super::schema::{Table, Type};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum bytes and rows of a row group.
const GROUP: usize = 6 << 20;
const GROUP_ROWS: usize = 1 << 20;

/// Destination of tables.
pub enum Target<'w> {
    /// An Arrow stream of one table.
    Stream(Box<dyn Write + Send + 'w>),
    /// A Parquet file of one table.
    File(Box<dyn Write + Send + 'w>),
    /// A directory with subdirectories per table and, for some tables, per protocol.
    Folder(PathBuf),
}

/// A writer of batches.
pub(super) enum Writer<'w> {
    Stream(Box<StreamWriter<Box<dyn Write + Send + 'w>>>),
    Parquet(Box<ArrowWriter<Box<dyn Write + Send + 'w>>>),
}

impl<'w> Writer<'w> {
    pub(super) fn parquet(to: Box<dyn Write + Send + 'w>, schema: &SchemaRef) -> io::Result<Writer<'w>> {
        let writer = ArrowWriter::try_new(to, Arc::clone(schema), Some(properties(schema)?)).map_err(of_parquet)?;
        Ok(Writer::Parquet(Box::new(writer)))
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Writer::Stream(writer) => {
                writer.write(batch).map_err(of_arrow)?;
                writer.get_mut().flush()
            }
            Writer::Parquet(writer) => writer.write(batch).map_err(of_parquet),
        }
    }

    /// Completes the row group.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Stream(_) => Ok(()),
            Writer::Parquet(writer) => writer.flush().map_err(of_parquet),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let mut to = match self {
            Writer::Stream(mut writer) => {
                writer.finish().map_err(of_arrow)?;
                writer.into_inner().map_err(of_arrow)?
            }
            Writer::Parquet(writer) => writer.into_inner().map_err(of_parquet)?,
        };
        to.flush()
    }
}

/// Parquet writer properties: Snappy, which needs no C compiler, delta encoding of increasing numbers, and statistics for columns in
/// range queries.
fn properties(schema: &SchemaRef) -> io::Result<WriterProperties> {
    const RISING: [&str; 5] = ["n", "ordinal", "off", "time", "frame"];
    const FREE: [&str; 7] = ["record", "type", "str", "text", "info", "comment", "buffer"];
    let program = concat!("proto-dissect ", env!("CARGO_PKG_VERSION")).to_owned();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(program)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP));
    let is_number = |field: &Field| field.data_type().is_numeric() || field.data_type().is_temporal();
    let set = |properties: WriterPropertiesBuilder, field: &FieldRef| {
        let (name, path) = (field.name().as_str(), ColumnPath::from(field.name().as_str()));
        match field.data_type() {
            // Byte strings rarely repeat.
            DataType::Binary => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            DataType::Utf8 if FREE.contains(&name) => properties.set_column_statistics_enabled(path, EnabledStatistics::None),
            _ if RISING.contains(&name) && is_number(field) => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            _ => properties,
        }
    };
    Ok(schema.fields().iter().fold(properties, set).build())
}

fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

/// Output of a run.
pub(super) enum Output<'w> {
    /// One table, or columns of `-e`, in one file or stream.
    One(Box<Lane<'w>>),
    /// All tables in a directory.
    Folder(Folder),
}

/// Rows of one file or stream.
pub(super) struct Lane<'w> {
    rows: Rows,
    writer: Writer<'w>,
}

impl Lane<'_> {
    fn write(&mut self) -> io::Result<()> {
        match self.rows.take()? {
            Some(batch) => self.writer.write(&batch),
            None => Ok(()),
        }
    }
}

impl<'w> Output<'w> {
    /// Creates an output of these columns in one file or stream. A directory has its own columns.
    pub(super) fn open(target: Target<'w>, columns: &[(String, Type)]) -> io::Result<Output<'w>> {
        let schema = schema(columns.iter().map(|(name, kind)| (name.as_str(), *kind)));
        let writer = match target {
            Target::Folder(path) => return Ok(Output::Folder(Folder::new(path))),
            Target::Stream(to) => Writer::Stream(Box::new(StreamWriter::try_new(to, &schema).map_err(of_arrow)?)),
            Target::File(to) => Writer::parquet(to, &schema)?,
        };
        let rows = Rows::new(schema, columns.iter().map(|(_, kind)| *kind));
        Ok(Output::One(Box::new(Lane { rows, writer })))
    }

    /// Passes the rows of a table and protocol to `fill`.
    pub(super) fn rows(&mut self, table: Table, protocol: &'static str, fill: impl FnOnce(&mut Rows)) -> io::Result<()> {
        let at = self.lane(table, protocol);
        if let Some(rows) = self.place(at) {
            fill(rows);
        }
        self.settle(at)
    }

    /// The file number of a table and protocol.
    pub(super) fn lane(&mut self, table: Table, protocol: &'static str) -> usize {
        match self {
            Output::One(_) => 0,
            Output::Folder(folder) => folder.lane(table, protocol),
        }
    }

    /// The row builder of a file. [`Output::settle`] must be called before it has many rows.
    pub(super) fn place(&mut self, at: usize) -> Option<&mut Rows> {
        match self {
            Output::One(lane) => Some(&mut lane.rows),
            Output::Folder(folder) => folder.place(at),
        }
    }

    /// Writes the rows of a file if they fill a batch.
    pub(super) fn settle(&mut self, at: usize) -> io::Result<()> {
        match self {
            Output::One(lane) if lane.rows.is_full() => lane.write(),
            Output::One(_) => Ok(()),
            Output::Folder(folder) => folder.settle(at),
        }
    }

    /// Writes pending rows and completes all files. Returns the number of rows.
    pub(super) fn finish(self, tables: impl Iterator<Item = Table>) -> io::Result<u64> {
        match self {
            Output::One(mut lane) => {
                lane.write()?;
                lane.writer.finish()?;
                Ok(lane.rows.count())
            }
            Output::Folder(folder) => folder.finish(tables),
        }
    }
}
