//! RSProx session logs, written packet by packet.

use super::notation::encode::Shown;
use super::notation::{Book, Row, ValueRequest, Values, Writer, Written};
use super::people::People;
use super::*;
use crate::engine::Engine;
use crate::input::{Capture, Format};
use crate::registry::Registry;
use crate::tree::Dissection;
use std::io::Cursor;

pub const PACKETS: &str = include_str!("../tables/osrs.tsv");
pub const INFO: &str = include_str!("../tables/osrs-info.tsv");

/// Index of the local player, and its tile.
pub const OWN: usize = 9;
pub const TILE: (i64, i64) = (3200, 3210);

/// The given numbers, else 0, and one element of each group.
struct Scripted<'n>(&'n [(&'n str, i64)]);

impl Values for Scripted<'_> {
    fn number(&mut self, asked: &ValueRequest<'_>) -> i64 {
        let name = asked.path.rsplit('.').next().unwrap();
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, number)| *number)
    }

    fn text(&mut self, _: &ValueRequest<'_>) -> String {
        String::new()
    }

    fn turns(&mut self, _: &ValueRequest<'_>) -> usize {
        1
    }

    fn bytes(&mut self, _: &ValueRequest<'_>, count: Option<usize>) -> Vec<u8> {
        vec![0; count.unwrap_or(0)]
    }

    fn state(&mut self, _: &ValueRequest<'_>) -> Written {
        People::init(0, TILE.0, TILE.1)
    }
}

/// A logged packet: side, name, offset and length of the record, and its values with offsets in the record.
pub struct Logged {
    pub side: Side,
    pub name: &'static str,
    pub offset: usize,
    pub length: usize,
    pub shown: Vec<Shown>,
}

/// A log under construction.
pub struct Log {
    pub file: Vec<u8>,
    pub records: Vec<Logged>,
}

impl Log {
    /// The header of a log in which the local player has this index.
    pub fn new(revision: u16, own: usize) -> Log {
        let mut file = [1_u32, revision.into(), 1].map(u32::to_be_bytes).concat();
        file.extend([5, 1]);
        file.extend(1_720_000_000_000_u64.to_be_bytes());
        file.extend([1, 45, 0, 0, 0, 3, 7]);
        file.extend(b"world.example\0-\0");
        file.extend(u16::try_from(own).unwrap().to_be_bytes());
        file.extend([0, 4, 1, 2, 3, 4]);
        file.extend(b"client\0");
        file.extend([0, 0, 0, 2, 0xaa, 0xbb]);
        Log { file, records: Vec::new() }
    }

    /// Adds a record, this many milliseconds after the last one.
    pub fn packet(&mut self, row: &Row, payload: Written, passed: u64) {
        let start = self.file.len();
        let number = passed << 1 | u64::from(row.is_server);
        let groups = [14, 7, 0].map(|shift| u8::try_from(number >> shift & 0x7f).unwrap());
        let first = groups.iter().position(|group| *group != 0).unwrap_or(2);
        self.file.extend(groups.iter().enumerate().skip(first).map(|(at, group)| if at < 2 { group | 0x80 } else { *group }));
        match row.opcode.to_be_bytes() {
            [high, low] if row.is_server && row.opcode > 127 => self.file.extend([high + 128, low]),
            [_, low] => self.file.push(low),
        }
        let count = payload.bytes.len();
        match row.size {
            -1 => self.file.push(u8::try_from(count).unwrap()),
            -2 => self.file.extend(u16::try_from(count).unwrap().to_be_bytes()),
            size => assert_eq!(count, usize::try_from(size).unwrap(), "{}", row.name),
        }
        let before = self.file.len() - start;
        self.file.extend(&payload.bytes);
        let side = if row.is_server { SERVER } else { CLIENT };
        let shown = payload.shown.into_iter().map(|shown| shown.after(before)).collect();
        self.records.push(Logged { side, name: row.name, offset: start, length: self.file.len() - start, shown });
    }

    /// Adds the first server packet whose name has this prefix, with these numbers.
    pub fn scripted(&mut self, book: &Book, name: &str, numbers: &[(&str, i64)], is_long: bool) {
        let known = |row: &&Row| row.is_server && row.name.starts_with(name) && row.fields != "payload:opaque";
        let row = *book.rows.iter().find(known).unwrap();
        let mut values = Scripted(numbers);
        let mut writer = Writer::new(book, &mut values);
        writer.is_long = is_long;
        let payload = writer.payload(&row);
        self.packet(&row, payload, 0);
    }

    /// Makes a world entity with this size in zones the active world.
    pub fn enter_entity(&mut self, book: &Book, [width, length]: [i64; 2]) {
        let size = [("index", 1), ("size_x", width), ("size_z", length), ("size", width << 4 | length)];
        self.scripted(book, "set_active_world", &[("index", -1)], false);
        self.scripted(book, "worldentity_info", &size, false);
        self.scripted(book, "set_active_world", &[("type", 1), ("index", 1)], false);
    }

    /// Reads the log, and passes each record with its tree to `look`.
    pub fn read(&self, mut look: impl FnMut(&Logged, Dissection<'_>) -> Result<(), String>) -> Result<(), String> {
        let mut records = self.records.iter();
        read(&self.file, |of| look(records.next().unwrap(), of))?;
        assert!(records.next().is_none());
        Ok(())
    }
}

/// Reads a log, and passes the tree of each record to `look`.
pub fn read(file: &[u8], mut look: impl FnMut(Dissection<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut capture = opened(file)?;
    assert_eq!(capture.format(), Format::Log("rsprox"));
    let mut engine = Engine::complete(Registry::default());
    let header = capture.next_frame().unwrap().unwrap();
    engine.dissect(&header);
    while let Some(frame) = capture.next_frame().map_err(|error| error.to_string())? {
        let tree = engine.dissect(&frame);
        look(Dissection { tree, bytes: frame.bytes })?;
    }
    Ok(())
}

/// Opens a log.
pub fn opened(file: &[u8]) -> Result<Capture, String> {
    Capture::open(Box::new(Cursor::new(file.to_vec()))).map_err(|error| error.to_string())
}
