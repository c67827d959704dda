//! The table of the fields of a layer.
//!
//! Repeated fields, folded groups and wide values are shortened here and nowhere else, unless `all` is set.

use super::cells::{Cell, Cells};
use super::grid::spread;
use super::hexdump::Colouring;
use super::text::{Guarded, Plural, cut, cut_middle, longest_part, width, wrapped};
use super::theme::{Role, Theme};
use super::units::Thousands;
use crate::record::location_of;
use crate::tree::{Dissection, Field, Kind, NodeRef, Spaced};
use std::fmt::{self, Write};
use std::ops::Range;

/// Maximum number of siblings of one field.
const HANDFUL: usize = 12;

/// Maximum number of bytes.
const FEW_BYTES: usize = 6;

/// Maximum number of bytes in narrow output.
const FEWER_BYTES: usize = 3;

/// Bytes per line if all are shown.
const BYTES_PER_LINE: usize = 16;

/// Widths below which a line has half, and a quarter, of these bytes.
const NARROW: usize = 120;
const NARROWER: usize = 76;

/// Width from which the bit positions of four-byte numbers are shown.
const WIDE: usize = 120;

/// Width of values if the output width is unknown.
const COLUMNS: usize = 100;

/// Width of names if the output width is unknown. Longer names are truncated or wrapped, because every row is as wide as the longest.
const NAME_COLUMNS: usize = 200;

/// Minimum width of value and meaning, within their share.
const LEAST: [usize; 2] = [16, 12];

/// Spaces between columns.
const BETWEEN: usize = 2;

/// Rows per layout, so that memory does not grow with the message.
const AT_ONCE: usize = 4096;

/// Memory that is kept for the next table: rows, and bytes of their text.
const KEPT_ROWS: usize = 256;
const KEPT_TEXT: usize = 32 << 10;

/// Bytes of text per layout, because a row with a long path may be as large as a hundred others.
const TEXT_AT_ONCE: usize = 2 << 20;

#[derive(Clone, Copy)]
pub struct TableFormat<'a> {
    /// Print everything.
    pub all: bool,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Colours.
    pub theme: Theme,
    /// Colours of bytes, shared with a hex dump.
    pub colouring: Option<&'a Colouring>,
}

impl TableFormat<'_> {
    /// Whether a group is folded into one line.
    pub fn folds(&self, node: NodeRef<'_>) -> bool {
        !self.all && node.field().collapses()
    }

    fn bytes_per_line(&self, all: bool) -> usize {
        let [widest, narrow, narrower] =
            if all { [BYTES_PER_LINE, BYTES_PER_LINE / 2, BYTES_PER_LINE / 4] } else { [FEW_BYTES, FEW_BYTES, FEWER_BYTES] };
        match self.width {
            Some(..NARROWER) => narrower,
            Some(..NARROW) => narrow,
            _ => widest,
        }
    }
}

enum Row {
    /// Offset, bytes, field, value, meaning.
    Cells([Cell; 5], Role),
    /// Number of omitted siblings of a field, at this depth.
    Rest {
        count: usize,
        field: &'static Field,
        depth: usize,
        /// All siblings are omitted.
        is_all: bool,
    },
}

/// Collects rows and lays them out.
pub struct Rows<'a> {
    of: Dissection<'a>,
    look: TableFormat<'a>,
    memory: Memory,
    /// Total bytes of text in rows.
    held: usize,
    out: &'a mut String,
}

/// Memory that tables reuse.
#[derive(Default)]
pub struct Memory {
    rows: Vec<Row>,
    /// The text of their cells.
    cells: Cells,
    /// Counts of fields.
    counts: Vec<Count>,
}

/// Number of occurrences of a field among siblings.
struct Count {
    field: &'static Field,
    total: usize,
    /// Number of occurrences shown.
    most: usize,
    seen: usize,
    hidden: usize,
}

/// Writes the table of the fields of a layer, unless it has none.
pub fn table(
    of: Dissection<'_>,
    layer: NodeRef<'_>,
    look: TableFormat<'_>,
    memory: &std::cell::Cell<Memory>,
    out: &mut String,
) -> fmt::Result {
    if !layer.has_children() {
        return Ok(());
    }
    let mut rows = Rows { of, look, memory: memory.take(), held: 0, out };
    let heads = ["offset", "bytes", "field", "value", "meaning"].map(|head| rows.memory.cells.add(head));
    rows.memory.rows.push(Row::Cells(heads, Role::Secondary));
    rows.children(layer, 0)?;
    rows.lay_out()?;
    memory.set(rows.memory);
    Ok(())
}

/// Those of the ranges, which are sorted and disjoint, that meet another one: a message may have as many as lines.
fn meeting(ranges: &[Range<usize>], other: Range<usize>) -> &[Range<usize>] {
    let first = ranges.partition_point(|range| range.end <= other.start);
    let behind = ranges.get(first..).unwrap_or_default();
    behind.get(..behind.partition_point(|range| range.start < other.end)).unwrap_or_default()
}

impl Rows<'_> {
    fn children(&mut self, parent: NodeRef<'_>, depth: usize) -> fmt::Result {
        let mut counts = std::mem::take(&mut self.memory.counts);
        let shown = || parent.children().filter(|child| !child.is_hidden());
        for child in shown() {
            match counts.iter_mut().find(|count| count.field.is(child.field())) {
                Some(count) => count.total += 1,
                None => counts.push(Count { field: child.field(), total: 1, most: HANDFUL, seen: 0, hidden: 0 }),
            }
        }
        for instead in shown().filter_map(|child| child.field().instead) {
            counts.iter_mut().filter(|count| count.field.is(instead)).for_each(|count| count.most = 0);
        }
        for child in shown() {
            let Some(count) = counts.iter_mut().find(|count| count.field.is(child.field())) else { continue };
            count.seen += 1;
            if count.seen > count.most && !self.look.all {
                count.hidden += 1;
                continue;
            }
            let number = (count.total > 1).then_some(count.seen);
            self.left_out(&mut counts, depth)?;
            self.node(parent, child, number, depth)?;
        }
        self.left_out(&mut counts, depth)?;
        counts.clear();
        self.memory.counts = counts;
        Ok(())
    }

    #[inline]
    fn left_out(&mut self, counts: &mut [Count], depth: usize) -> fmt::Result {
        for count in counts.iter_mut().filter(|count| count.hidden > 0) {
            self.push(Row::Rest { count: count.hidden, field: count.field, depth, is_all: count.most == 0 })?;
            count.hidden = 0;
        }
        Ok(())
    }

    /// Writes the label of a field: its title, or its number in a list, and the buffer of its bytes if another. Returns whether it
    /// has a title.
    fn label(&mut self, parent: NodeRef<'_>, node: NodeRef<'_>, number: Option<usize>) -> Result<bool, fmt::Error> {
        let label = &mut self.memory.cells.text;
        let is_titled = node.write_title(&mut Guarded(&mut *label))?;
        if let Some(number) = number.filter(|_| !is_titled) {
            write!(label, " [{number}]")?;
        }
        let moved = node.span().is_somewhere() && parent.span().is_somewhere() && node.span().source != parent.span().source;
        if moved {
            let [buffer, other] = [node, parent].map(|node| location_of(self.of, node.span()).buffer);
            if buffer != other {
                write!(label, " in {buffer}")?;
            }
        }
        Ok(is_titled)
    }

    fn node(&mut self, parent: NodeRef<'_>, node: NodeRef<'_>, number: Option<usize>, depth: usize) -> fmt::Result {
        let opens = node.has_children() && !self.look.folds(node);
        let is_titled = self.label(parent, node, number)?;
        let label = self.memory.cells.end().indented(2 * depth);
        let [value, meaning] = self.value_and_meaning(node, opens, is_titled)?;
        let role = self.look.colouring.map_or(Role::Bytes, |colouring| colouring.role(node));
        let mut offset = location_of(self.of, node.span()).base + u64::from(node.span().start);
        let shown = if node.span().is_somewhere() { self.memory.cells.add_number(offset) } else { Cell::default() };
        if let Some(places) = self.bit_places(node) {
            let places = self.memory.cells.add(&places);
            self.push(Row::Cells([shown, places, label, value, meaning], role))?;
            return if opens { self.children(node, depth + 1) } else { Ok(()) };
        }
        // The bytes of a group are shown with its fields.
        let is_envelope = opens && matches!(node.field().kind, Kind::Group | Kind::Protocol);
        let bytes = if is_envelope { &[] } else { node.bytes() };
        let hidden = node.masked_ranges();
        let shows_all = self.look.all && !opens;
        let per_line = self.look.bytes_per_line(shows_all);
        let (first, rest) = bytes.split_at_checked(per_line).unwrap_or((bytes, &[]));
        Spaced::hiding(first, 0, meeting(&hidden, 0..first.len())).append_to(&mut self.memory.cells.text);
        if !rest.is_empty() && !shows_all {
            self.memory.cells.text.push_str(" …");
        }
        let first = self.memory.cells.end();
        self.push(Row::Cells([shown, first, label, value, meaning], role))?;
        if shows_all {
            for (number, line) in (1..).zip(rest.chunks(per_line)) {
                offset += per_line as u64;
                let shown = self.memory.cells.add_number(offset);
                let start = number * per_line;
                let hidden = meeting(&hidden, start..start + line.len());
                Spaced::hiding(line, start, hidden).append_to(&mut self.memory.cells.text);
                let bytes = self.memory.cells.end();
                self.push(Row::Cells([shown, bytes, Cell::default(), Cell::default(), Cell::default()], role))?;
            }
        }
        if opens { self.children(node, depth + 1) } else { Ok(()) }
    }

    fn value_and_meaning(&mut self, node: NodeRef<'_>, opens: bool, is_titled: bool) -> Result<[Cell; 2], fmt::Error> {
        let instead = node.cells().filter(|_| is_titled);
        match instead {
            Some(cells) => (cells.value)(node, &mut Guarded(&mut self.memory.cells.text))?,
            None => node.write_value(&mut Guarded(&mut self.memory.cells.text))?,
        }
        let value = self.memory.cells.end();
        match instead {
            // An expanded group: its fields follow.
            Some(_) if opens => {}
            Some(cells) => (cells.meaning)(node, &mut Guarded(&mut self.memory.cells.text))?,
            None => node.write_meaning(&mut Guarded(&mut self.memory.cells.text))?,
        }
        Ok([value, self.memory.cells.end()])
    }

    /// Bit positions of a field within its number, as in Wireshark: `.... ...1`.
    fn bit_places(&self, node: NodeRef<'_>) -> Option<String> {
        const NIBBLE: usize = 4;
        let bits = node.bits().filter(|_| !node.is_secret())?;
        let (first, count) = (usize::from(bits.first), usize::from(bits.count));
        let all = 8 * node.bytes().len();
        let most = match self.look.width {
            Some(..NARROWER) => 8,
            Some(..WIDE) => 16,
            _ => 32,
        };
        let digits = format!("{:0count$b}", node.number()?);
        if count >= all || all > most || first + count > all || digits.len() != count {
            return None;
        }
        let mut places = String::with_capacity(all + all / NIBBLE);
        let row = ".".repeat(first) + &digits + &".".repeat(all - first - count);
        for (at, place) in row.chars().enumerate() {
            if at > 0 && at % NIBBLE == 0 {
                places.push(' ');
            }
            places.push(place);
        }
        Some(places)
    }

    fn push(&mut self, row: Row) -> fmt::Result {
        if let Row::Cells(cells, _) = &row {
            self.held += cells.iter().map(Cell::len).sum::<usize>();
        }
        self.memory.rows.push(row);
        if self.memory.rows.len() >= AT_ONCE || self.held >= TEXT_AT_ONCE { self.lay_out() } else { Ok(()) }
    }

    fn lay_out(&mut self) -> fmt::Result {
        let mut rows = std::mem::take(&mut self.memory.rows);
        let limits = self.limits(&mut rows);
        rows = if self.look.all {
            unfolded(rows, &self.memory.cells, limits)
        } else {
            shortened(rows, &mut self.memory.cells, limits)
        };
        // A column is at least as wide as a digit.
        let mut columns = [1; 5];
        for row in &rows {
            let Row::Cells(cells, _) = row else { continue };
            for (column, cell) in columns.iter_mut().zip(cells) {
                *column = cell.width().max(*column);
            }
        }
        for row in &rows {
            match row {
                Row::Cells(cells, role) => self.line(cells, &columns, *role),
                Row::Rest { count, field, depth, is_all } => {
                    let more = if *is_all { "" } else { "more " };
                    let mut rest = format!("… {} {more}{} (-V shows all)", Thousands(*count), Plural(field.name));
                    let width_limit = self.look.width.unwrap_or(usize::MAX);
                    cut(&mut rest, width_limit);
                    let [offsets, ..] = columns;
                    let indent = (1 + offsets + BETWEEN + 2 * depth).min(width_limit - width(&rest));
                    write!(self.out, "{:indent$}{}", "", self.look.theme.paint(Role::Secondary, rest))?;
                }
            }
            self.out.push('\n');
        }
        rows.clear();
        rows.shrink_to(KEPT_ROWS);
        self.memory.rows = rows;
        self.memory.cells.clear(KEPT_TEXT);
        self.held = 0;
        Ok(())
    }

    /// Writes a row in aligned and coloured columns, without blanks at its end.
    fn line(&mut self, cells: &[Cell; 5], columns: &[usize; 5], bytes: Role) {
        let is_head = bytes == Role::Secondary;
        let roles = [Role::Offset, bytes, Role::Name, Role::Value, Role::Meaning];
        let mut end = self.out.len();
        for (number, ((cell, role), column)) in cells.iter().zip(roles).zip(columns).enumerate() {
            let role = if is_head { Role::Secondary } else { role };
            let pad = column.saturating_sub(cell.width());
            let (before, behind) = if number == 0 { (pad, 0) } else { (0, pad) };
            let all = self.memory.cells.text_of(*cell);
            blanks(1 + before + cell.indent, self.out);
            let (space, words) = all.split_at_checked(all.len() - all.trim_start().len()).unwrap_or_default();
            let (words, rest) = words.split_at_checked(words.trim_end().len()).unwrap_or_default();
            self.out.push_str(space);
            if !words.is_empty() {
                self.look.theme.push(role, words, self.out);
                end = self.out.len();
            }
            self.out.push_str(rest);
            blanks(behind + 1, self.out);
        }
        self.out.truncate(end);
    }

    /// Widths of names, values and meanings.
    fn limits(&self, rows: &mut [Row]) -> [usize; 3] {
        let mut widest = [0; 5];
        let mut widen = |cells: &[Cell; 5]| {
            for (widest, cell) in widest.iter_mut().zip(cells) {
                *widest = cell.width().max(*widest);
            }
            widest[4]
        };
        let mut meaning = 0;
        for row in rows.iter() {
            match row {
                Row::Cells(_, Role::Secondary) | Row::Rest { .. } => {}
                Row::Cells(cells, _) => meaning = widen(cells),
            }
        }
        if let Some(Row::Cells(heads, Role::Secondary)) = rows.first_mut() {
            // No heading without meanings.
            if meaning == 0 && self.look.width.is_some() {
                heads[4] = Cell::default();
            }
            widen(heads);
        }
        let [offset, bytes, field, value, meaning] = widest;
        let Some(columns) = self.look.width else { return [NAME_COLUMNS, COLUMNS, COLUMNS] };
        let left = columns.saturating_sub(1 + offset + BETWEEN + bytes + BETWEEN);
        let between = BETWEEN + if meaning > 0 { BETWEEN } else { 0 };
        if field + between + value + meaning <= left {
            return [field, value, meaning].map(|column| column.max(1));
        }
        let left = left.saturating_sub(between);
        if self.look.all {
            return shares(rows, &self.memory.cells, [field, value, meaning], left);
        }
        // Meanings are shortened first, then values, then names.
        let [least_value, least] = LEAST.map(|least| least.min(left / 3));
        let meaning = meaning.min(left.saturating_sub(field + value).max(least));
        let value = value.min(left.saturating_sub(field + meaning).max(least_value));
        [left.saturating_sub(value + meaning).max(1), value.max(1), meaning.max(1)]
    }
}

/// Appends blanks.
fn blanks(count: usize, out: &mut String) {
    const BLANKS: &str = "                                                                ";
    let mut left = count;
    while left > 0 {
        let some = BLANKS.get(..left).unwrap_or(BLANKS);
        out.push_str(some);
        left -= some.len();
    }
}

/// Widths of wrapped names, values and meanings: at least the longest word of each.
fn shares(rows: &[Row], cells: &Cells, mut widths: [usize; 3], limit: usize) -> [usize; 3] {
    let mut least = [1; 3];
    for row in rows {
        let Row::Cells([_, _, field, value, meaning], _) = row else { continue };
        let [name, value, meaning] = [field, value, meaning].map(|cell| cells.text_of(*cell));
        let words =
            [indent_of(*field, cells, limit) + longest_part(name.trim_start()), longest_part(value), longest_part(meaning)];
        for (least, word) in least.iter_mut().zip(words) {
            *least = word.max(*least);
        }
    }
    // At most half of the width for values.
    let least = least.map(|word| word.min(limit / 2));
    spread(&mut widths, &least, limit);
    // If words do not fit, those of values are broken first.
    let [mut field, mut value, mut meaning] = widths;
    let mut excess = (field + value + meaning).saturating_sub(limit);
    for column in [&mut value, &mut field, &mut meaning] {
        let cut = excess.min(column.saturating_sub(limit / 4));
        *column -= cut;
        excess -= cut;
    }
    [field, value, meaning].map(|width| width.max(1))
}

fn shortened(mut rows: Vec<Row>, cells: &mut Cells, [field_limit, value_limit, meaning_limit]: [usize; 3]) -> Vec<Row> {
    for row in &mut rows {
        if let Row::Cells([_, _, field, value, meaning], _) = row {
            let indent = indent_of(*field, cells, field_limit);
            *field = cells.trimmed_start(*field).indented(indent);
            cells.shorten(field, indent, field_limit.saturating_sub(indent), cut_middle);
            cells.shorten(value, 0, value_limit, cut);
            cells.shorten(meaning, 0, meaning_limit, cut);
        }
    }
    rows
}

/// Indentation of a name, reduced in narrow columns.
fn indent_of(field: Cell, cells: &Cells, limit: usize) -> usize {
    let name = cells.text_of(field);
    (field.indent + name.len() - name.trim_start().len()).min(limit / 3)
}

/// Wraps names, values and meanings into additional rows.
fn unfolded(rows: Vec<Row>, cells: &Cells, [field_limit, value_limit, meaning_limit]: [usize; 3]) -> Vec<Row> {
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let Row::Cells([offset, bytes, field, value, meaning], role) = row else { continue };
        let indent = indent_of(field, cells, field_limit);
        let mut lines = [
            Lines::new(cells.trimmed_start(field), field_limit.saturating_sub(indent)),
            Lines::new(value, value_limit),
            Lines::new(meaning, meaning_limit),
        ];
        let mut before = [offset, bytes];
        loop {
            let [offset, bytes] = std::mem::take(&mut before);
            let [field, value, meaning] = lines.each_mut().map(|lines| lines.next(cells));
            let field = if field.is_empty() { field } else { field.indented(indent) };
            all.push(Row::Cells([offset, bytes, field, value, meaning], role));
            if lines.iter().all(|lines| lines.rest.is_empty()) {
                break;
            }
        }
    }
    all
}

/// The lines of a wrapped cell.
struct Lines {
    rest: Cell,
    limit: usize,
}

impl Lines {
    fn new(cell: Cell, limit: usize) -> Lines {
        Lines { rest: cell, limit }
    }

    /// The next line without blanks at its end.
    fn next(&mut self, cells: &Cells) -> Cell {
        let text = cells.text_of(self.rest);
        let piece = wrapped(text, self.limit).next().unwrap_or_default();
        let (line, rest) = cells.split(self.rest, piece.len());
        self.rest = rest;
        cells.trimmed_end(line)
    }
}
