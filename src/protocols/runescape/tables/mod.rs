//! Packet tables by revision, embedded as text and parsed on first use.
//!
//! A row is `direction opcode size name fields`, separated by tabs, with fields in the notation of [`notation`]. A
//! negative size is the width of the length field. Rows `revision who what name fields` describe the blocks of player and
//! NPC updates, and the packets inside of zone updates ([`info`]). A line of column names starts with `direction` or
//! `revision` and is skipped.

mod expr;
mod info;
mod interner;
mod notation;
mod osrs;
mod revision;
mod updates;

use super::types::{Script, Turn, Type};
use super::value_names::Part;
use crate::nearest::examples;
use crate::tree::{BySide, Field, Side};
use crate::wire::InvalidValue;
pub use expr::{Cond, Expr, Scopes};
pub use info::{Blocks, Info, NewRun};
pub use interner::{fields, intern};
pub use notation::{ParseError, group_names, parse};
pub use revision::Revision;
pub use updates::{Entity, Run, Updates};

use info::InfoRow;
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

/// The content of a field.
#[derive(Debug, Clone)]
pub enum Body {
    /// A value of a type.
    Type(Type),
    /// A group of fields.
    Group(Arc<Layout>),
    /// Arguments whose types are in the text at this index of the scope.
    Script(Script, usize),
}

/// How often a field occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    /// Up to the end of the enclosing bytes.
    Rest,
    /// This many times.
    Times(Expr),
    /// Until the condition is true after an element, or to the end.
    Until(Cond),
}

/// Properties of a field other than its type.
#[derive(Debug, Clone)]
pub struct Manner {
    /// Absent if no enclosing bytes are left.
    pub optional: bool,
    /// Number of bytes that it takes.
    pub cut: Option<Expr>,
    /// Transformation of those bytes before reading.
    pub turn: Turn,
    /// How often it occurs.
    pub repeat: Option<Repeat>,
    /// Conditions, all of which must be true.
    pub conds: Box<[Cond]>,
}

/// Field of a packet.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name in the table.
    pub name: &'static str,
    /// Field in dissection trees.
    pub field: &'static Field,
    /// The content.
    pub body: Body,
    /// Total width of the fixed fields after it.
    pub after: usize,
    /// Values packed into this one.
    pub parts: &'static [Part],
    /// Place of the name in its scope.
    pub slot: usize,
    /// Conditions, repetition and the like, if any.
    pub manner: Option<Box<Manner>>,
}

impl Column {
    /// Width in bytes, if fixed.
    pub fn width(&self) -> Option<usize> {
        match &self.body {
            _ if self.manner.is_some() => None,
            Body::Type(of) => of.width(),
            Body::Group(layout) => layout.width(),
            Body::Script(..) => None,
        }
    }

    /// Whether any part of it is of unknown layout.
    fn is_opaque(&self) -> bool {
        match &self.body {
            Body::Type(of) => self.name == "payload" && matches!(of, Type::Bytes | Type::Row(..)),
            Body::Group(layout) => layout.columns.iter().any(Column::is_opaque),
            Body::Script(..) => false,
        }
    }
}

/// Fields in order, which share a scope.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The fields.
    pub columns: Box<[Column]>,
    /// Number of names.
    pub slots: usize,
}

impl Layout {
    /// Width in bytes, if fixed.
    pub fn width(&self) -> Option<usize> {
        self.columns.iter().map(Column::width).sum()
    }
}

/// Packet of a table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name of the packet.
    pub name: &'static str,
    /// Payload length.
    pub size: Size,
    /// Layout, if known.
    pub layout: Option<Arc<Layout>>,
}

impl Row {
    /// Whether the table describes all of its payload.
    pub fn is_complete(&self) -> bool {
        self.layout.as_ref().is_some_and(|layout| !layout.columns.iter().any(Column::is_opaque))
    }
}

/// Packets of a revision.
#[derive(Debug, Clone, Default)]
pub struct Table {
    pub revision: Revision,
    /// Blocks of updates and packets of zones, of Old School RuneScape.
    pub info: Option<Arc<Info>>,
    sides: BySide<Vec<Option<Row>>>,
}

/// Embedded tables of the older engines: revision and text.
const TEXTS: [(u16, &str); 8] = [
    (225, include_str!("225.tsv")),
    (244, include_str!("244.tsv")),
    (245, include_str!("245.2.tsv")),
    (254, include_str!("254.tsv")),
    (274, include_str!("274.tsv")),
    (317, include_str!("317.tsv")),
    (377, include_str!("377.tsv")),
    (550, include_str!("550.tsv")),
];

/// Number of revisions of Old School RuneScape with a table.
const OSRS: usize = osrs::REVISIONS.end as usize - osrs::REVISIONS.start as usize;

static TABLES: [LazyLock<Option<Arc<Table>>>; TEXTS.len() + OSRS] = {
    macro_rules! lazy {
        ($($place:literal)+) => { [$(LazyLock::new(|| built_in($place))),+] };
    }
    lazy![0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24]
};

fn built_in(place: usize) -> Option<Arc<Table>> {
    let revision = Table::revisions().nth(place)?;
    let mut table = Table::empty(revision);
    match TEXTS.get(place) {
        Some((_, text)) => table.take(text).ok()?,
        None => table.take_shared(revision.number).ok()?,
    }
    Some(Arc::new(table))
}

impl Table {
    fn empty(revision: Revision) -> Table {
        Table { revision, info: None, sides: BySide::default() }
    }

    /// Returns the built-in table of a revision.
    pub fn of(revision: Revision) -> Option<Arc<Table>> {
        let place = Table::revisions().position(|known| known == revision)?;
        TABLES.get(place)?.as_ref().cloned()
    }

    /// All built-in tables.
    pub fn all() -> impl Iterator<Item = Arc<Table>> {
        TABLES.iter().filter_map(|table| table.as_ref().cloned())
    }

    /// Revisions with a built-in table.
    pub fn revisions() -> impl Iterator<Item = Revision> {
        let older = TEXTS.iter().map(|(number, _)| Revision { number: *number, is_osrs: false });
        older.chain(osrs::REVISIONS.map(|number| Revision { number, is_osrs: true }))
    }

    /// Merges given rows into the table of a revision. Rows that start with the line of column names replace the whole
    /// table; others replace rows of the same opcode. Rows of updates replace all of the same kind.
    pub fn patched(revision: Revision, rows: Option<&str>) -> Option<Arc<Table>> {
        let built_in = Table::of(revision);
        let Some(rows) = rows else { return built_in };
        let mut table = match built_in {
            Some(table) if !is_whole(rows) => Table::clone(&table),
            _ => Table::empty(revision),
        };
        table.take(rows).ok()?;
        Some(Arc::new(table))
    }

    /// Validates table rows.
    ///
    /// # Errors
    /// The invalid line, and what was expected.
    pub fn check(rows: &str) -> Result<(), InvalidValue> {
        let mut table = Table::empty(Revision::default());
        table.take(rows)?;
        if table.info.is_none() && table.sides.iter().all(Vec::is_empty) {
            return Err(InvalidValue {
                line: None,
                message: "no row in it; expected direction, opcode, size, name and fields".into(),
            });
        }
        Ok(())
    }

    /// Returns the packet with this opcode.
    pub fn row(&self, from: Side, opcode: u16) -> Option<&Row> {
        self.sides[from].get(usize::from(opcode))?.as_ref()
    }

    /// Whether opcodes of the server from 128 on take two bytes.
    pub fn has_long_opcodes(&self) -> bool {
        self.revision.is_osrs
    }

    /// Maximum plausible payload, where original servers have a limit.
    pub fn longest(&self) -> Option<usize> {
        (self.revision.number <= OLD && !self.revision.is_osrs).then_some(LONGEST)
    }

    /// Probability that random bytes start with an opcode of this side.
    pub fn chance(&self, from: Side) -> f64 {
        let is_long = self.has_long_opcodes() && from == Side::Server;
        self.rows(from).map(|(opcode, _)| if is_long && opcode >= 128 { 1.0 / 65536.0 } else { 1.0 / 256.0 }).sum()
    }

    /// All packets of a side with their opcodes.
    pub fn rows(&self, from: Side) -> impl Iterator<Item = (u16, &Row)> {
        (0..=MOST_OPCODE).zip(&self.sides[from]).filter_map(|(opcode, row)| Some((opcode, row.as_ref()?)))
    }

    fn put(&mut self, side: Side, opcode: u16, row: Row) {
        let rows = &mut self.sides[side];
        let place = usize::from(opcode);
        if rows.len() <= place {
            rows.resize(place + 1, None);
        }
        if let Some(slot) = rows.get_mut(place) {
            *slot = Some(row);
        }
    }

    /// Takes the rows of one revision of the embedded text that all revisions share.
    fn take_shared(&mut self, revision: u16) -> Result<(), InvalidValue> {
        for (cells, opcode) in osrs::packets(revision) {
            let (side, row) = row(&cells).map_err(|mistake| invalid(0, 0, mistake))?;
            self.put(side, opcode, row);
        }
        self.info = Some(Arc::new(Info::of(&osrs::info(revision))?));
        Ok(())
    }

    fn take(&mut self, rows: &str) -> Result<(), InvalidValue> {
        let mut of_info: Vec<InfoRow<'_>> = Vec::new();
        for (number, line) in (1..).zip(rows.lines()) {
            let line = line.trim_end_matches('\r');
            let starts = |head: &str| line.strip_prefix(head).is_some_and(|rest| rest.starts_with('\t'));
            if line.trim().is_empty() || line.starts_with('#') || starts("direction") || starts("revision") {
                continue;
            }
            let mut cells = Cells { line, at: 0 };
            if line.starts_with(|first: char| first.is_ascii_digit()) {
                let row = InfoRow::read(&mut cells, number).map_err(|mistake| invalid(number, 0, mistake))?;
                if self.revision == Revision::default() || row.revision == self.revision.number {
                    of_info.push(row);
                }
                continue;
            }
            let (cells, opcode) = packet_cells(&mut cells).map_err(|mistake| invalid(number, 0, mistake))?;
            let (side, row) = row(&cells).map_err(|mistake| invalid(number, 0, mistake))?;
            self.put(side, opcode, row);
        }
        if !of_info.is_empty() {
            let given: Vec<&str> = of_info.iter().map(|row| row.who).collect();
            let is_patch = self.info.is_some();
            let mut all = if is_patch { osrs::info(self.revision.number) } else { Vec::new() };
            all.retain(|row| !given.contains(&row.who));
            all.extend(of_info);
            self.info = Some(Arc::new(Info::of(&all)?));
        }
        Ok(())
    }
}

/// The error of a mistake at a place after the first `before` bytes of a line.
fn invalid(line: usize, before: usize, ParseError { at, words }: ParseError) -> InvalidValue {
    InvalidValue { line: Some(line), message: format!("column {}: {words}", before + at + 1) }
}

fn is_whole(rows: &str) -> bool {
    rows.lines().any(|line| line.starts_with("direction\t"))
}

/// Cells of a line, with tabs between them.
struct Cells<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Cells<'t> {
    /// The next cell and its place.
    fn next(&mut self, what: &str, all: &str) -> Result<(&'t str, usize), ParseError> {
        let Some(rest) = self.line.get(self.at..) else {
            let words = format!("{what} is missing; expected {all} with tabs between");
            return Err(ParseError { at: self.line.len(), words });
        };
        let (cell, at) = (rest.split('\t').next().unwrap_or_default(), self.at);
        self.at += cell.len() + 1;
        Ok((cell, at))
    }
}

struct PacketCells<'t> {
    side: Side,
    size: Size,
    name: &'t str,
    list: &'t str,
    /// Place of the list in its line.
    at: usize,
}

/// Splits a row into cells and opcode.
fn packet_cells<'t>(cells: &mut Cells<'t>) -> Result<(PacketCells<'t>, u16), ParseError> {
    let mut cell = |what| cells.next(what, "direction, opcode, size, name and fields");
    let (direction, at) = cell("the direction")?;
    let side = side(direction)
        .ok_or_else(|| ParseError { at, words: format!("the direction is {direction:?}; expected s2c or c2s") })?;
    let (opcode, at) = cell("the opcode")?;
    let opcode = opcode
        .parse()
        .ok()
        .filter(|opcode| *opcode <= MOST_OPCODE)
        .ok_or_else(|| ParseError { at, words: format!("the opcode is {opcode:?}; expected 0 to {MOST_OPCODE}") })?;
    let (size, at) = cell("the size")?;
    let size =
        self::size(size).ok_or_else(|| ParseError { at, words: format!("the size is {size:?}; expected bytes, -1 or -2") })?;
    let (name, at) = cell("the name")?;
    if !is_name(name) {
        return Err(ParseError { at, words: format!("the name is {name:?}; expected lower-case letters, digits and _") });
    }
    let (list, at) = cell("the list of fields")?;
    Ok((PacketCells { side, size, name, list, at }, opcode))
}

fn side(direction: &str) -> Option<Side> {
    match direction {
        "s2c" => Some(Side::Server),
        "c2s" => Some(Side::Client),
        _ => None,
    }
}

fn size(size: &str) -> Option<Size> {
    match size {
        "-1" => Some(Size::Byte),
        "-2" => Some(Size::Short),
        _ => size.parse().map(Size::Fixed).ok(),
    }
}

/// Parses the fields of a packet.
fn row(cells: &PacketCells<'_>) -> Result<(Side, Row), ParseError> {
    let PacketCells { side, size, name, list, at } = *cells;
    let layout = match list {
        "-" => None,
        _ => Some(
            parse(&format!("rs.{name}"), name, list, &[])
                .map_err(|ParseError { at: inner, words }| ParseError { at: at + inner, words })?,
        ),
    };
    if let (Size::Fixed(size), Some(sum)) = (size, layout.as_ref().and_then(|layout| layout.width()))
        && sum != usize::from(size)
    {
        return Err(ParseError { at, words: format!("the fields of {name} take {sum} bytes; expected {size}, the size") });
    }
    Ok((side, Row { name: interner::leak(name), size, layout }))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Names of types for one that is unknown.
pub fn similar_types(name: &str) -> String {
    examples(name, Type::names().chain(group_names()).chain(Script::names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the server and of the client, and rows of which every field is known, as the reference counts them.
    const COUNTS: [(&str, usize, usize, usize); 25] = [
        ("225", 71, 78, 149),
        ("244", 68, 76, 144),
        ("245", 68, 76, 144),
        ("254", 70, 83, 153),
        ("274", 69, 82, 151),
        ("317", 74, 86, 160),
        ("377", 76, 80, 156),
        ("550", 100, 99, 9),
        ("osrs-223", 135, 98, 227),
        ("osrs-224", 136, 100, 229),
        ("osrs-225", 138, 100, 229),
        ("osrs-226", 145, 101, 234),
        ("osrs-227", 137, 100, 232),
        ("osrs-228", 138, 100, 233),
        ("osrs-229", 138, 100, 233),
        ("osrs-230", 136, 100, 231),
        ("osrs-231", 138, 102, 235),
        ("osrs-232", 140, 93, 227),
        ("osrs-233", 142, 101, 236),
        ("osrs-234", 136, 101, 230),
        ("osrs-235", 136, 101, 230),
        ("osrs-236", 144, 101, 238),
        ("osrs-237", 140, 117, 250),
        ("osrs-238", 140, 101, 235),
        ("osrs-239", 150, 101, 245),
    ];

    #[test]
    fn all_tables_parse_with_the_counts_of_the_reference() {
        for (name, server, client, complete) in COUNTS {
            let table = Table::of(Revision::parse(name).unwrap()).unwrap();
            let rows = |side| table.rows(side).count();
            let known = Side::BOTH.map(|side| table.rows(side).filter(|(_, row)| row.is_complete()).count());
            assert_eq!((rows(Side::Server), rows(Side::Client)), (server, client), "{name}");
            assert_eq!(known.iter().sum::<usize>(), complete, "{name}");
        }
        assert_eq!(Table::revisions().count(), COUNTS.len());
    }

    #[test]
    fn names_are_those_of_one_kind_of_value_and_none_of_the_fixed_fields() {
        let mut seen = std::collections::HashSet::new();
        for field in fields() {
            let kind = (field.kind, field.collapsed.is_some(), field.transformed);
            assert!(seen.insert((field.abbrev, kind)), "{} positions twice", field.abbrev);
            assert!(!super::super::fields::FIELDS.iter().any(|fixed| fixed.abbrev == field.abbrev), "{}", field.abbrev);
            assert!(field.abbrev.starts_with("rs.") && !field.name.is_empty() && !field.about.is_empty());
        }
        assert!(seen.len() > 500);
    }

    const OLD_317: Revision = Revision { number: 317, is_osrs: false };

    /// Size grids of section 4 of the reference.
    #[test]
    fn sizes_of_317_are_those_of_the_client() {
        let table = Table::of(OLD_317).unwrap();
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
            let invalid = Table::check(&format!("{header}\ns2c\t1\t0\ta\t\n{row}")).unwrap_err();
            assert_eq!(invalid.line, Some(3), "{row}");
            assert!(invalid.message.contains(words), "{row}: {}", invalid.message);
        }
        assert!(Table::check("").is_err());
    }

    #[test]
    fn rows_replace_those_of_the_built_in_table_or_all_of_it() {
        let other = Revision { number: 318, is_osrs: false };
        let row = "s2c\t1\t2\tmine\tvalue:u16";
        let patched = Table::patched(OLD_317, Some(row)).unwrap();
        assert_eq!(patched.row(Side::Server, 1).unwrap().name, "mine");
        assert!(patched.row(Side::Server, 4).is_some());
        let whole = Table::patched(OLD_317, Some(&format!("direction\topcode\tsize\tname\tfields\n{row}"))).unwrap();
        assert!(whole.row(Side::Server, 4).is_none());
        assert!(Table::patched(other, None).is_none() && Table::patched(other, Some(row)).is_some());
    }
}
