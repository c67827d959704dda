//! Packet tables by revision, embedded as text and parsed on first use.
//!
//! A row is `direction opcode size name fields`, separated by tabs; a field is `name:type`. A line starting with
//! `direction` is
//! skipped. A negative size is the width of the length field.

mod interner;
mod updates;

use super::types::Type;
use super::value_names::{self, Part};
use crate::tree::{Field, Side};
use crate::wire::Unfit;
pub use interner::{fields, intern};
pub use updates::{Entity, Run, Updates};

use std::sync::{Arc, LazyLock};

/// Maximum opcode of the two-byte encoding.
const MOST_OPCODE: u16 = 0x7fff;

/// Maximum payload of original old-engine servers, and their last revision.
const LONGEST: usize = 5000;
const OLD: u16 = 399;

/// Payload length of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Fixed length.
    Fixed(u16),
    /// One-byte length field.
    Byte,
    /// Two-byte length field.
    Short,
}

/// Field of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name in the table.
    pub name: &'static str,
    /// Field in dissection trees.
    pub field: &'static Field,
    /// Type of the value.
    pub of: Type,
    /// Total width of the fixed fields after it.
    pub after: usize,
    /// Values packed into this one.
    pub parts: &'static [Part],
}

/// Packet of a table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name of the packet.
    pub name: &'static str,
    /// Payload length.
    pub size: Size,
    /// Layout, if known.
    pub columns: Option<Arc<[Column]>>,
}

/// Packets of a revision.
#[derive(Debug, Clone)]
pub struct Table {
    /// Revision.
    pub revision: u16,
    /// Server opcodes from 128 on take two bytes.
    pub has_long_opcodes: bool,
    sides: [Vec<Option<Row>>; 2],
}

/// Embedded tables: revision, whether it is of the newest engine, text.
const TEXTS: [(u16, bool, &str); 9] = [
    (225, false, include_str!("225.tsv")),
    (244, false, include_str!("244.tsv")),
    (245, false, include_str!("245.2.tsv")),
    (254, false, include_str!("254.tsv")),
    (274, false, include_str!("274.tsv")),
    (317, false, include_str!("317.tsv")),
    (377, false, include_str!("377.tsv")),
    (550, false, include_str!("550.tsv")),
    (223, true, include_str!("osrs-223.tsv")),
];

static TABLES: [LazyLock<Option<Arc<Table>>>; 9] = [
    LazyLock::new(|| built_in(0)),
    LazyLock::new(|| built_in(1)),
    LazyLock::new(|| built_in(2)),
    LazyLock::new(|| built_in(3)),
    LazyLock::new(|| built_in(4)),
    LazyLock::new(|| built_in(5)),
    LazyLock::new(|| built_in(6)),
    LazyLock::new(|| built_in(7)),
    LazyLock::new(|| built_in(8)),
];

fn built_in(place: usize) -> Option<Arc<Table>> {
    let (revision, has_long_opcodes, text) = TEXTS.get(place)?;
    let mut table = Table { revision: *revision, has_long_opcodes: *has_long_opcodes, sides: [Vec::new(), Vec::new()] };
    table.take(text).ok()?;
    Some(Arc::new(table))
}

impl Table {
    /// Returns the built-in table of a revision.
    #[must_use]
    pub fn of(revision: u16) -> Option<Arc<Table>> {
        let place = TEXTS.iter().position(|(known, ..)| *known == revision)?;
        TABLES.get(place)?.as_ref().cloned()
    }

    /// All built-in tables.
    pub fn all() -> impl Iterator<Item = Arc<Table>> {
        TABLES.iter().filter_map(|table| table.as_ref().cloned())
    }

    /// Revisions with a built-in table.
    pub fn revisions() -> impl Iterator<Item = u16> {
        TEXTS.iter().map(|(revision, ..)| *revision)
    }

    /// Merges given rows into the table of a revision. Rows that start with the line of column names replace the whole
    /// table;
    /// others replace rows of the same opcode.
    #[must_use]
    pub fn patched(revision: u16, rows: Option<&str>) -> Option<Arc<Table>> {
        let built_in = Table::of(revision);
        let Some(rows) = rows else { return built_in };
        let has_long_opcodes = built_in.as_ref().is_some_and(|table| table.has_long_opcodes);
        let empty = || Table { revision, has_long_opcodes, sides: [Vec::new(), Vec::new()] };
        let mut table = match built_in {
            Some(table) if !is_whole(rows) => Table::clone(&table),
            _ => empty(),
        };
        table.take(rows).ok()?;
        Some(Arc::new(table))
    }

    /// Validates table rows.
    ///
    /// # Errors
    /// The invalid line, and what was expected.
    pub fn check(rows: &str) -> Result<(), Unfit> {
        let mut table = Table { revision: 0, has_long_opcodes: false, sides: [Vec::new(), Vec::new()] };
        table.take(rows)?;
        if table.sides.iter().all(Vec::is_empty) {
            return Err(Unfit { line: None, words: "no row in it; expected direction, opcode, size, name and fields".into() });
        }
        Ok(())
    }

    /// Returns the packet with this opcode.
    #[must_use]
    pub fn row(&self, from: Side, opcode: u16) -> Option<&Row> {
        self.side(from).get(usize::from(opcode))?.as_ref()
    }

    /// Maximum plausible payload, where original servers have a limit.
    #[must_use]
    pub fn longest(&self) -> Option<usize> {
        (self.revision <= OLD && !self.has_long_opcodes).then_some(LONGEST)
    }

    /// Probability that random bytes start with an opcode of this side.
    #[must_use]
    pub fn chance(&self, from: Side) -> f64 {
        let is_long = self.has_long_opcodes && from == Side::Server;
        let known = (0..=MOST_OPCODE).zip(self.side(from)).filter(|(_, row)| row.is_some());
        known.map(|(opcode, _)| if is_long && opcode >= 128 { 1.0 / 65536.0 } else { 1.0 / 256.0 }).sum()
    }

    /// All packets of a side with their opcodes.
    #[cfg(test)]
    pub fn rows(&self, from: Side) -> impl Iterator<Item = (u16, &Row)> {
        (0..=MOST_OPCODE).zip(self.side(from)).filter_map(|(opcode, row)| Some((opcode, row.as_ref()?)))
    }

    fn side(&self, from: Side) -> &[Option<Row>] {
        let [client, server] = &self.sides;
        match from {
            Side::Client => client,
            Side::Server => server,
        }
    }

    fn take(&mut self, rows: &str) -> Result<(), Unfit> {
        for (at, line) in rows.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with("direction\t") || line.starts_with('#') {
                continue;
            }
            let (side, opcode, row) = row(line).map_err(|words| Unfit { line: Some(at + 1), words })?;
            let [client, server] = &mut self.sides;
            let rows = if side == Side::Client { client } else { server };
            let place = usize::from(opcode);
            if rows.len() <= place {
                rows.resize(place + 1, None);
            }
            if let Some(slot) = rows.get_mut(place) {
                *slot = Some(row);
            }
        }
        Ok(())
    }
}

fn is_whole(rows: &str) -> bool {
    rows.lines().any(|line| line.starts_with("direction\t"))
}

/// Parses a row. The error is what was expected.
fn row(line: &str) -> Result<(Side, u16, Row), String> {
    let mut cells = line.trim_end_matches('\r').split('\t');
    let mut cell = |what: &str| {
        cells
            .next()
            .ok_or_else(|| format!("{what} is missing; expected direction, opcode, size, name and fields with tabs between"))
    };
    let side = match cell("the direction")? {
        "s2c" => Side::Server,
        "c2s" => Side::Client,
        other => return Err(format!("the direction is {other:?}; expected s2c or c2s")),
    };
    let opcode = cell("the opcode")?;
    let opcode = opcode
        .parse()
        .ok()
        .filter(|opcode| *opcode <= MOST_OPCODE)
        .ok_or_else(|| format!("the opcode is {opcode:?}; expected 0 to {MOST_OPCODE}"))?;
    let size = cell("the size")?;
    let size = match size {
        "-1" => Size::Byte,
        "-2" => Size::Short,
        _ => size.parse().map(Size::Fixed).map_err(|_| format!("the size is {size:?}; expected bytes, -1 or -2"))?,
    };
    let name = cell("the name")?;
    if !is_name(name) {
        return Err(format!("the name is {name:?}; expected lower-case letters, digits and _"));
    }
    let fields = cell("the list of fields")?;
    let columns = match fields {
        "-" => None,
        _ => Some(columns(&format!("rs.{name}"), name, fields)?),
    };
    if let (Size::Fixed(size), Some(columns)) = (size, &columns) {
        let widths: Option<usize> = columns.iter().map(|column| column.of.width()).sum();
        match widths {
            Some(sum) if sum != usize::from(size) => {
                return Err(format!("the fields of {name} take {sum} bytes; expected {size}, the size"));
            }
            _ => {}
        }
    }
    Ok((side, opcode, Row { name: interner::leak(name), size, columns }))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Parses a list of fields. `prefix` precedes their names; `packet` names the container in descriptions.
fn columns(prefix: &str, packet: &str, list: &str) -> Result<Arc<[Column]>, String> {
    let mut columns = Vec::new();
    for word in list.split(' ').filter(|word| !word.is_empty()) {
        let Some((name, of)) = word.split_once(':') else {
            return Err(format!("the field is {word:?}; expected name:type, such as slot:u16_add"));
        };
        if !is_name(name) {
            return Err(format!("the field is {name:?}; expected lower-case letters, digits and _"));
        }
        let Some(of) = Type::named(of) else {
            return Err(format!("the type of {name} is {of:?}; expected one such as {}", nearest(of)));
        };
        let field = intern(prefix, packet, name, of);
        columns.push(Column { name: interner::leak(name), field, of, after: 0, parts: value_names::parts(packet, name) });
    }
    let mut after = 0_usize;
    for column in columns.iter_mut().rev() {
        column.after = after;
        after = after.saturating_add(column.of.width().unwrap_or_default());
    }
    Ok(columns.into())
}

/// Type names most similar to an unknown one.
pub fn nearest(name: &str) -> String {
    let common = |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let mut names: Vec<&str> = Type::names().collect();
    names.sort_by_key(|known| (std::cmp::Reverse(common(known)), known.len().abs_diff(name.len())));
    names.truncate(4);
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_parse_with_the_counts_of_the_reference() {
        let counts = [
            (225, 71, 78),
            (244, 68, 76),
            (245, 68, 76),
            (254, 70, 83),
            (274, 69, 82),
            (317, 74, 86),
            (377, 76, 80),
            (550, 100, 99),
            (223, 134, 98),
        ];
        for (revision, server, client) in counts {
            let table = Table::of(revision).unwrap();
            assert_eq!((table.rows(Side::Server).count(), table.rows(Side::Client).count()), (server, client), "{revision}");
        }
        assert_eq!(Table::all().count(), counts.len());
    }

    #[test]
    fn names_are_those_of_one_kind_of_value_and_none_of_the_fixed_fields() {
        let mut seen = std::collections::HashSet::new();
        for field in fields() {
            assert!(seen.insert((field.abbrev, field.kind, field.digest.is_some())), "{} stands twice", field.abbrev);
            assert!(!super::super::fields::FIELDS.iter().any(|fixed| fixed.abbrev == field.abbrev), "{}", field.abbrev);
            assert!(field.abbrev.starts_with("rs.") && !field.name.is_empty() && !field.about.is_empty());
        }
        assert!(seen.len() > 500);
    }

    /// Size grids of section 4 of the reference.
    #[test]
    fn sizes_of_317_are_those_of_the_client() {
        let table = Table::of(317).unwrap();
        let size = |side, opcode| table.row(side, opcode).map(|row| row.size);
        for (opcode, bytes) in [
            (4, Size::Fixed(6)),
            (34, Size::Short),
            (104, Size::Byte),
            (117, Size::Fixed(15)),
            (176, Size::Fixed(10)),
            (254, Size::Fixed(6)),
        ] {
            assert_eq!(size(Side::Server, opcode), Some(bytes), "{opcode}");
        }
        for (opcode, bytes) in [
            (0, Size::Fixed(0)),
            (4, Size::Byte),
            (25, Size::Fixed(12)),
            (53, Size::Fixed(12)),
            (101, Size::Fixed(13)),
            (253, Size::Fixed(6)),
        ] {
            assert_eq!(size(Side::Client, opcode), Some(bytes), "{opcode}");
        }
        assert!(size(Side::Server, 0).is_none() && size(Side::Client, 255).is_none());
    }

    #[test]
    fn broken_rows_are_refused_with_their_line() {
        let header = "direction\topcode\tsize\tname\tfields";
        for (row, words) in [
            ("s2s\t1\t0\ta\t", "expected s2c or c2s"),
            ("s2c\tx\t0\ta\t", "expected 0 to"),
            ("s2c\t40000\t0\ta\t", "expected 0 to"),
            ("s2c\t1\t-3\ta\t", "-1 or -2"),
            ("s2c\t1\t0\tA b\t", "lower-case"),
            ("s2c\t1\t0", "the name is missing"),
            ("s2c\t1\t0\ta", "the list of fields is missing"),
            ("s2c\t1\t2\ta\tb:u16 c:u8", "take 3 bytes; expected 2"),
            ("s2c\t1\t2\ta\tb:u16_ad", "u16_add"),
            ("s2c\t1\t2\ta\tb", "name:type"),
        ] {
            let unfit = Table::check(&format!("{header}\ns2c\t1\t0\ta\t\n{row}")).unwrap_err();
            assert_eq!(unfit.line, Some(3), "{row}");
            assert!(unfit.words.contains(words), "{row}: {}", unfit.words);
        }
        assert!(Table::check("").is_err());
    }

    #[test]
    fn rows_replace_those_of_the_built_in_table_or_all_of_it() {
        let row = "s2c\t1\t2\tmine\tvalue:u16";
        let patched = Table::patched(317, Some(row)).unwrap();
        assert_eq!(patched.row(Side::Server, 1).unwrap().name, "mine");
        assert!(patched.row(Side::Server, 4).is_some());
        let whole = Table::patched(317, Some(&format!("direction\topcode\tsize\tname\tfields\n{row}"))).unwrap();
        assert!(whole.row(Side::Server, 4).is_none());
        assert!(Table::patched(318, None).is_none() && Table::patched(318, Some(row)).is_some());
    }
}
