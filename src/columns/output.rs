//! Where batches go: an Arrow stream, a Parquet file, or a folder of Parquet files.

use super::batch::{Rows, schema};
use super::schema::{Column, Table, Type};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Level of zstd: beyond it, files shrink little and take much longer.
const LEVEL: i32 = 3;

/// Bytes and rows of a row group.
const GROUP: usize = 6 << 20;
const GROUP_ROWS: usize = 1 << 20;

/// Bytes that all files of a folder may hold, encoded and as rows.
const ENCODED: usize = 12 << 20;
const WAITING: usize = 4 << 20;

/// The folder of rows without a protocol, as Hive names it.
const NO_PROTOCOL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Where tables are written.
pub enum Target<'w> {
    /// An Arrow stream of one table.
    Stream(Box<dyn Write + Send + 'w>),
    /// A Parquet file of one table.
    File(Box<dyn Write + Send + 'w>),
    /// A folder with a folder for each table, and in some of them one for each protocol.
    Folder(PathBuf),
}

/// A writer of batches.
enum Writer<'w> {
    Stream(Box<StreamWriter<Box<dyn Write + Send + 'w>>>),
    Parquet(Box<ArrowWriter<Box<dyn Write + Send + 'w>>>),
}

impl<'w> Writer<'w> {
    fn parquet(to: Box<dyn Write + Send + 'w>, schema: &SchemaRef) -> io::Result<Writer<'w>> {
        let writer = ArrowWriter::try_new(to, Arc::clone(schema), Some(properties(schema)?)).map_err(of_parquet)?;
        Ok(Writer::Parquet(Box::new(writer)))
    }

    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Writer::Stream(writer) => {
                writer.write(batch).map_err(of_arrow)?;
                writer.get_mut().flush()
            }
            Writer::Parquet(writer) => writer.write(batch).map_err(of_parquet),
        }
    }

    /// Bytes of memory that wait for the end of a row group.
    fn held(&self) -> usize {
        match self {
            Writer::Stream(_) => 0,
            Writer::Parquet(writer) => writer.memory_size(),
        }
    }

    /// Ends the row group.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Stream(_) => Ok(()),
            Writer::Parquet(writer) => writer.flush().map_err(of_parquet),
        }
    }

    fn finish(self) -> io::Result<()> {
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

/// How Parquet is written: zstd, and numbers that rise as differences.
fn properties(schema: &SchemaRef) -> io::Result<WriterProperties> {
    const RISING: [&str; 5] = ["n", "ordinal", "off", "time", "frame"];
    let level = ZstdLevel::try_new(LEVEL).map_err(of_parquet)?;
    let program = concat!("proto-dissect ", env!("CARGO_PKG_VERSION")).to_owned();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(program)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP));
    let rising = schema.fields().iter().filter(|field| RISING.contains(&field.name().as_str()) && !field.data_type().is_nested());
    let rising = rising.filter(|field| field.data_type().is_numeric() || field.data_type().is_temporal());
    let properties = rising.fold(properties, |properties, field| {
        let path = ColumnPath::from(field.name().as_str());
        let properties = properties.set_column_dictionary_enabled(path.clone(), false);
        properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
    });
    // Bytes hardly repeat as a whole, and much of them is compressed or encrypted already.
    let bytes = schema.fields().iter().filter(|field| *field.data_type() == DataType::Binary);
    let fastest = ZstdLevel::try_new(1).map_err(of_parquet)?;
    Ok(bytes
        .fold(properties, |properties, field| {
            let path = ColumnPath::from(field.name().as_str());
            let properties = properties.set_column_dictionary_enabled(path.clone(), false);
            properties.set_column_compression(path, Compression::ZSTD(fastest))
        })
        .build())
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

/// Rows of one file.
struct Lane<'w> {
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

    fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.writer.finish()
    }
}

/// All files of a run.
pub(super) enum Output<'w> {
    /// One table, or the columns of a user.
    One(Option<Box<Lane1<'w>>>),
    /// All tables in a folder.
    Folder(Folder),
}

/// The rows of the only file.
pub(super) struct Lane1<'w>(Lane<'w>);

/// All tables in a folder.
pub(super) struct Folder {
    path: PathBuf,
    lanes: BTreeMap<(Table, &'static str), Lane<'static>>,
}

/// The columns of a table in a file; the folder of a protocol says the protocol.
pub(super) fn columns_of(table: Table, in_folder: bool) -> impl Iterator<Item = &'static Column> {
    table.columns().iter().filter(move |column| !(in_folder && table.is_partitioned() && column.name == "protocol"))
}

impl<'w> Output<'w> {
    /// An output of these columns in one file or stream; a folder has its own.
    pub(super) fn open(target: Target<'w>, columns: &[(String, Type)]) -> io::Result<Output<'w>> {
        let schema = schema(columns.iter().map(|(name, kind)| (name.as_str(), *kind)));
        let writer = match target {
            Target::Folder(path) => return Ok(Output::Folder(Folder { path, lanes: BTreeMap::new() })),
            Target::Stream(to) => Writer::Stream(Box::new(StreamWriter::try_new(to, &schema).map_err(of_arrow)?)),
            Target::File(to) => Writer::parquet(to, &schema)?,
        };
        let rows = Rows::new(schema, columns.iter().map(|(_, kind)| *kind));
        Ok(Output::One(Some(Box::new(Lane1(Lane { rows, writer })))))
    }

    /// Rows of a table and protocol, to which `fill` adds.
    pub(super) fn rows(&mut self, table: Table, protocol: &'static str, fill: impl FnOnce(&mut Rows)) -> io::Result<()> {
        match self {
            Output::One(Some(lane)) => {
                fill(&mut lane.0.rows);
                if lane.0.rows.is_full() { lane.0.write() } else { Ok(()) }
            }
            Output::One(None) => Ok(()),
            Output::Folder(folder) => folder.rows(table, protocol, fill),
        }
    }

    /// Writes what waits and ends all files.
    pub(super) fn finish(&mut self, tables: impl Iterator<Item = Table>) -> io::Result<()> {
        match self {
            Output::One(lane) => lane.take().map_or(Ok(()), |lane| lane.0.finish()),
            Output::Folder(folder) => folder.finish(tables),
        }
    }
}

impl Folder {
    fn rows(&mut self, table: Table, protocol: &'static str, fill: impl FnOnce(&mut Rows)) -> io::Result<()> {
        let protocol = if table.is_partitioned() { protocol } else { "" };
        let lane = match self.lanes.entry((table, protocol)) {
            std::collections::btree_map::Entry::Occupied(lane) => lane.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => place.insert(open(&self.path, table, protocol)?),
        };
        fill(&mut lane.rows);
        if lane.rows.is_full() {
            lane.write()?;
            self.bound()?;
        }
        Ok(())
    }

    /// Ends row groups and batches until all files together hold little.
    fn bound(&mut self) -> io::Result<()> {
        while self.lanes.values().map(|lane| lane.rows.bytes()).sum::<usize>() > WAITING {
            let Some(lane) = self.lanes.values_mut().max_by_key(|lane| lane.rows.bytes()) else { break };
            lane.write()?;
        }
        while self.lanes.values().map(|lane| lane.writer.held()).sum::<usize>() > ENCODED {
            let Some(lane) = self.lanes.values_mut().max_by_key(|lane| lane.writer.held()) else { break };
            let before = lane.writer.held();
            lane.writer.flush()?;
            if lane.writer.held() >= before {
                break;
            }
        }
        Ok(())
    }

    /// Ends all files. A table without rows has a file too, so that it can be asked.
    fn finish(&mut self, tables: impl Iterator<Item = Table>) -> io::Result<()> {
        for table in tables {
            if !self.lanes.keys().any(|(known, _)| *known == table) {
                self.lanes.insert((table, ""), open(&self.path, table, "")?);
            }
        }
        std::mem::take(&mut self.lanes).into_values().try_for_each(Lane::finish)
    }
}

fn open(folder: &Path, table: Table, protocol: &str) -> io::Result<Lane<'static>> {
    let mut path = folder.join(table.word());
    if table.is_partitioned() {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
        let protocol = if protocol.is_empty() { NO_PROTOCOL } else { protocol };
        let protocol: String = protocol.chars().map(|character| if is_plain(character) { character } else { '_' }).collect();
        path.push(format!("protocol={protocol}"));
    }
    let named = |error: io::Error, path: &Path| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::create_dir_all(&path).map_err(|error| named(error, &path))?;
    path.push("part-0.parquet");
    let file = File::create_new(&path).map_err(|error| named(error, &path))?;
    let columns = || columns_of(table, true).map(|column| column.kind);
    let schema = schema(columns_of(table, true).map(|column| (column.name, column.kind)));
    let writer = Writer::parquet(Box::new(BufWriter::new(file)), &schema)?;
    Ok(Lane { rows: Rows::new(schema, columns()), writer })
}
