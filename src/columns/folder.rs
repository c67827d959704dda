//! A directory of Parquet files, with subdirectories per table and protocol.
//!
//! Rows are buffered as batches, and a row group of one file is encoded at once: an encoder takes much memory per column, and
//! hundreds of files are written in turn.

use super::batch::{Rows, schema};
use super::output::Writer;
use super::schema::{Column, Table};
use crate::failure::at_path;
use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Maximum size of the pending rows of all files, in bytes.
const WAITING: usize = 16 << 20;

/// Maximum number of row groups in open files, whose metadata is in memory until the file ends.
const GROUPS: usize = 1024;

/// Directory name for rows without a protocol, as in Hive.
const NO_PROTOCOL: &str = "__HIVE_DEFAULT_PARTITION__";

/// All tables in a directory.
pub(super) struct Folder {
    path: PathBuf,
    lanes: Vec<Lane>,
    numbers: BTreeMap<(Table, &'static str), usize>,
}

/// Rows of one table and protocol.
struct Lane {
    folder: PathBuf,
    rows: Rows,
    batches: Vec<RecordBatch>,
    /// Size of the batches in bytes.
    held: usize,
    writer: Option<Writer<'static>>,
    /// Number of row groups in the file, and of completed files.
    groups: usize,
    files: usize,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path, lanes: Vec::new(), numbers: BTreeMap::new() }
    }

    /// The number of the lane of a table and protocol.
    pub(super) fn lane(&mut self, table: Table, protocol: &'static str) -> usize {
        let protocol = if table.is_partitioned() { protocol } else { "" };
        *self.numbers.entry((table, protocol)).or_insert_with(|| {
            self.lanes.push(Lane::new(&self.path, table, protocol));
            self.lanes.len() - 1
        })
    }

    /// The row builder of a lane.
    pub(super) fn place(&mut self, at: usize) -> Option<&mut Rows> {
        self.lanes.get_mut(at).map(|lane| &mut lane.rows)
    }

    /// Completes the batch of a lane if it has enough rows.
    pub(super) fn settle(&mut self, at: usize) -> io::Result<()> {
        match self.lanes.get_mut(at).filter(|lane| lane.rows.is_full()) {
            Some(lane) => {
                lane.gather()?;
                self.bound()
            }
            None => Ok(()),
        }
    }

    /// Writes rows and completes files until few rows are pending.
    fn bound(&mut self) -> io::Result<()> {
        while self.lanes.iter().map(Lane::bytes).sum::<usize>() > WAITING {
            let Some(lane) = self.lanes.iter_mut().max_by_key(|lane| lane.bytes()) else { break };
            lane.group()?;
        }
        if self.lanes.iter().map(|lane| lane.groups).sum::<usize>() > GROUPS {
            return self.lanes.iter_mut().max_by_key(|lane| lane.groups).map_or(Ok(()), Lane::end);
        }
        Ok(())
    }

    /// Completes all files. A table without rows gets a file as well, so that it can be queried. Returns the number of rows.
    pub(super) fn finish(mut self, tables: impl Iterator<Item = Table>) -> io::Result<u64> {
        for table in tables {
            if !self.numbers.keys().any(|(known, _)| *known == table) {
                self.lane(table, "");
            }
        }
        self.lanes.into_iter().try_fold(0, |rows, mut lane| {
            if lane.bytes() > 0 || lane.files == 0 {
                lane.group()?;
            }
            lane.end()?;
            Ok(rows + lane.rows.count())
        })
    }
}

impl Lane {
    fn new(folder: &Path, table: Table, protocol: &str) -> Lane {
        let mut folder = folder.join(table.word());
        if table.is_partitioned() {
            folder.push(format!("protocol={}", partition(protocol)));
        }
        let columns = || columns_of(table, true);
        let rows = Rows::new(schema(columns().map(|column| (column.name, column.kind))), columns().map(|column| column.kind));
        Lane { folder, rows, batches: Vec::new(), held: 0, writer: None, groups: 0, files: 0 }
    }

    /// Size of the pending rows in bytes.
    fn bytes(&self) -> usize {
        self.held + self.rows.bytes()
    }

    /// Completes the current batch.
    fn gather(&mut self) -> io::Result<()> {
        if let Some(batch) = self.rows.take()? {
            self.held += batch.get_array_memory_size();
            self.batches.push(batch);
        }
        Ok(())
    }

    /// Writes all pending rows as a row group.
    fn group(&mut self) -> io::Result<()> {
        self.gather()?;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(open(&self.folder, self.files, &self.rows)?),
        };
        self.held = 0;
        self.groups += 1;
        self.batches.drain(..).try_for_each(|batch| writer.write(&batch))?;
        writer.flush()
    }

    /// Completes the file. Later rows go to another one.
    fn end(&mut self) -> io::Result<()> {
        self.groups = 0;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        self.files += 1;
        writer.finish()
    }
}

/// Columns of a table in a file. The protocol is in the name of the directory.
pub(super) fn columns_of(table: Table, in_folder: bool) -> impl Iterator<Item = &'static Column> {
    table.columns().iter().filter(move |column| !(in_folder && table.is_partitioned() && column.name == "protocol"))
}

/// A protocol as part of a directory name.
fn partition(protocol: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let protocol = if protocol.is_empty() { NO_PROTOCOL } else { protocol };
    protocol.chars().map(|character| if is_plain(character) { character } else { '_' }).collect()
}

fn open(folder: &Path, number: usize, rows: &Rows) -> io::Result<Writer<'static>> {
    fs::create_dir_all(folder).map_err(|error| at_path(folder, &error))?;
    let path = folder.join(format!("part-{number}.parquet"));
    let file = File::create_new(&path).map_err(|error| at_path(&path, &error))?;
    Writer::parquet(Box::new(BufWriter::new(file)), rows.schema())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

    /// Runs a test in a temporary directory.
    fn folder(name: &str) -> (PathBuf, Folder) {
        let path = std::env::temp_dir().join(format!("proto-dissect-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        (path.clone(), Folder::new(path))
    }

    fn gap(rows: &mut Rows, stream: &str) {
        rows.row().words("a.pcap").words(stream).words("c2s").count(0_u64).count(1_u64).count(2_u64);
    }

    /// Number of rows in each file of a table after the run.
    fn written(path: &Path, folder: Folder) -> Vec<usize> {
        folder.finish(std::iter::empty()).unwrap();
        let files = fs::read_dir(path.join("gaps")).unwrap().count();
        let open = |number| File::open(path.join(format!("gaps/part-{number}.parquet"))).unwrap();
        let readers = (0..files).map(|number| ParquetRecordBatchReader::try_new(open(number), 1024).unwrap());
        let rows = readers.map(|reader| reader.map(|batch| batch.unwrap().num_rows()).sum()).collect();
        fs::remove_dir_all(path).unwrap();
        rows
    }

    #[test]
    fn rows_that_wait_are_few_and_all_are_written() {
        let (path, mut folder) = folder("waiting");
        let lane = folder.lane(Table::Gaps, "");
        let long = "x".repeat(1 << 18);
        for _ in 0..200 {
            gap(folder.place(lane).unwrap(), &long);
            folder.settle(lane).unwrap();
            assert!(folder.lanes.iter().map(Lane::bytes).sum::<usize>() <= WAITING + (2 << 20));
        }
        assert!(folder.lanes.iter().any(|lane| lane.groups > 0));
        assert_eq!(written(&path, folder), [200]);
    }

    #[test]
    fn a_file_ends_before_its_row_groups_take_much_memory() {
        let (path, mut folder) = folder("groups");
        let lane = folder.lane(Table::Gaps, "");
        for _ in 0..GROUPS + 10 {
            gap(folder.place(lane).unwrap(), "tcp/0");
            folder.lanes.iter_mut().for_each(|lane| lane.group().unwrap());
            folder.bound().unwrap();
        }
        assert_eq!(written(&path, folder), [GROUPS + 1, 9]);
    }
}
