//! Compressed rows of all revisions of Old School RuneScape. Revisions share equal rows.
//!
//! ```text
//! osrs.tsv       direction  size  name  fields  revision:opcode …
//! osrs-info.tsv  who  what  name  fields  revision…              groups and bit fields of new NPCs
//!                who  what              revision:mask …          masks that announce another mask byte, hexadecimal
//!                who        name  fields  revision:mask:order …  blocks, in the order that the number gives
//!                zone       name  fields  revision:number …      packets inside of zone updates
//! ```
//! Cells are separated by tabs, revisions by spaces.

use super::info::InfoRow;
use super::{PacketCells, side, size};
use flate2::read::GzDecoder;
use std::io::Read;
use std::ops::Range;
use std::sync::LazyLock;

static PACKETS: LazyLock<String> = LazyLock::new(|| text(include_bytes!("osrs.tsv.gz")));
static INFO: LazyLock<String> = LazyLock::new(|| text(include_bytes!("osrs-info.tsv.gz")));

/// The text of compressed rows.
fn text(compressed: &[u8]) -> String {
    let mut text = String::new();
    // Tests decompress all of it.
    let _ = GzDecoder::new(compressed).read_to_string(&mut text);
    text
}

/// Revisions with a table.
pub const REVISIONS: Range<u16> = 223..240;

/// The entry of a revision in the list of a row, if present.
fn entry(list: &'static str, revision: u16) -> Option<&'static str> {
    list.split(' ').find_map(|entry| {
        let (number, rest) = entry.split_once(':').unwrap_or((entry, ""));
        (number.parse() == Ok(revision)).then_some(rest)
    })
}

/// Packets of a revision with their opcodes.
pub fn packets(revision: u16) -> impl Iterator<Item = (PacketCells<'static>, u16)> {
    PACKETS.lines().filter_map(move |line| {
        let mut cells = line.split('\t');
        let (direction, bytes, name, list) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        let opcode = entry(cells.next()?, revision)?.parse().ok()?;
        Some((PacketCells { side: side(direction)?, size: size(bytes)?, name, list, at: 0 }, opcode))
    })
}

/// Every packet row once, for the names of all fields.
pub fn every_packet() -> impl Iterator<Item = (&'static str, &'static str)> {
    PACKETS.lines().filter_map(|line| {
        let mut cells = line.split('\t').skip(2);
        Some((cells.next()?, cells.next()?))
    })
}

/// Rows about updates of a revision, blocks in their order.
pub fn info(revision: u16) -> Vec<InfoRow<'static>> {
    let mut rows: Vec<(u8, InfoRow<'static>)> =
        info_lines().filter_map(|(line, entries)| line.row(revision, entry(entries, revision)?)).collect();
    rows.sort_by_key(|(order, _)| *order);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Every row about updates once, in its first revision, for the names of all fields.
pub fn every_info() -> Vec<InfoRow<'static>> {
    let first = |(line, entries): (InfoLine, &'static str)| {
        let revision = entries.split([' ', ':']).next()?.parse().ok()?;
        Some(line.row(revision, entry(entries, revision)?)?.1)
    };
    info_lines().filter_map(first).collect()
}

/// Cells of a line of `osrs-info.tsv` before its revisions.
struct InfoLine([&'static str; 4]);

/// Lines of `osrs-info.tsv` with their revisions.
fn info_lines() -> impl Iterator<Item = (InfoLine, &'static str)> {
    INFO.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let own = [cells.next()?, cells.next()?, cells.next()?, cells.next()?];
        Some((InfoLine(own), cells.next()?))
    })
}

impl InfoLine {
    /// The row of a revision and its order, from what the list of revisions holds for it.
    fn row(&self, revision: u16, entry: &'static str) -> Option<(u8, InfoRow<'static>)> {
        let InfoLine([who, what, name, list]) = *self;
        let (first, order) = entry.split_once(':').unwrap_or((entry, "0"));
        let (what, name) = match (what, who) {
            ("", _) => (first, name),
            (_, "type") => (what, what),
            (_, _) if list.is_empty() => (what, first),
            _ => (what, name),
        };
        Some((order.parse().ok()?, InfoRow { revision, who, what, name, list, line: 0, at: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Info;
    use super::*;
    use flate2::{Compression, GzBuilder};
    use std::collections::HashSet;
    use std::io::Write;

    #[test]
    fn rows_of_all_revisions_are_those_of_each() {
        let every = every_info();
        assert!(Info::of(&every).is_ok(), "one of them is not read");
        let named = |row: &InfoRow<'static>| (row.who, row.name, row.list);
        let names: HashSet<_> = every.iter().map(named).collect();
        for revision in REVISIONS {
            let rows = info(revision);
            assert!(!rows.is_empty() && Info::of(&rows).is_ok(), "{revision}");
            for row in rows {
                let is_mask = row.what.starts_with("mask");
                assert!(is_mask || names.contains(&named(&row)), "{revision}: {row:?}");
            }
        }
    }

    /// `UPDATE=1` compresses the texts anew.
    #[test]
    fn the_compressed_rows_are_those_of_the_texts() {
        let texts = [("osrs.tsv", include_str!("osrs.tsv"), &*PACKETS), ("osrs-info.tsv", include_str!("osrs-info.tsv"), &*INFO)];
        for (name, plain, compressed) in texts {
            if std::env::var_os("UPDATE").is_some() && plain != compressed {
                let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
                encoder.write_all(plain.as_bytes()).unwrap();
                let path = format!("{}/src/protocols/runescape/tables/{name}.gz", env!("CARGO_MANIFEST_DIR"));
                std::fs::write(path, encoder.finish().unwrap()).unwrap();
            } else {
                assert!(plain == compressed, "{name}.gz is another text than {name}; UPDATE=1 cargo test compresses it");
            }
        }
    }
}
