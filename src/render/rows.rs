//! The table of the fields of a layer.
//!
//! Repeated fields, folded groups and wide values are shortened here and nowhere else, unless `all` is set.

use super::grid::spread;
use super::hexdump::Colouring;
use super::text::{Guarded, Plural, cut, cut_middle, longest_part, width, wrapped};
use super::theme::{Role, Theme};
use super::units::Thousands;
use crate::record::location_of;
use crate::tree::{Dissection, Field, Kind, NodeRef, Spaced};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement};
use std::fmt::{self, Write};

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
    Cells([String; 5], Role),
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
    rows: Vec<Row>,
    /// Total bytes of text in `rows`.
    held: usize,
    out: &'a mut String,
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
pub fn table(of: Dissection<'_>, layer: NodeRef<'_>, look: TableFormat<'_>, out: &mut String) -> fmt::Result {
    if !layer.has_children() {
        return Ok(());
    }
    let heads = ["offset", "bytes", "field", "value", "meaning"].map(String::from);
    let mut rows = Rows { of, look, rows: vec![Row::Cells(heads, Role::Secondary)], held: 0, out };
    rows.children(layer, 0)?;
    rows.lay_out()
}

impl Rows<'_> {
    fn children(&mut self, parent: NodeRef<'_>, depth: usize) -> fmt::Result {
        let mut counts: Vec<Count> = Vec::new();
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
        self.left_out(&mut counts, depth)
    }

    fn left_out(&mut self, counts: &mut [Count], depth: usize) -> fmt::Result {
        for count in counts.iter_mut().filter(|count| count.hidden > 0) {
            self.push(Row::Rest { count: count.hidden, field: count.field, depth, is_all: count.most == 0 })?;
            count.hidden = 0;
        }
        Ok(())
    }

    /// Writes the label of a field: its title, or its number in a list, and the buffer of its bytes if another. Returns whether it
    /// has a title.
    fn label(
        &self,
        parent: NodeRef<'_>,
        node: NodeRef<'_>,
        number: Option<usize>,
        label: &mut String,
    ) -> Result<bool, fmt::Error> {
        let is_titled = node.write_title(&mut Guarded(&mut *label))?;
        if let Some(number) = number.filter(|_| !is_titled) {
            write!(label, " [{number}]")?;
        }
        let moved = node.span().is_somewhere() && parent.span().is_somewhere();
        let buffer = location_of(self.of, node.span()).buffer;
        if moved && buffer != location_of(self.of, parent.span()).buffer {
            write!(label, " in {buffer}")?;
        }
        Ok(is_titled)
    }

    fn node(&mut self, parent: NodeRef<'_>, node: NodeRef<'_>, number: Option<usize>, depth: usize) -> fmt::Result {
        let field = node.field();
        let opens = node.has_children() && !self.look.folds(node);
        let is_envelope = opens && matches!(field.kind, Kind::Group | Kind::Protocol);
        let place = location_of(self.of, node.span());
        let mut label = " ".repeat(2 * depth);
        let is_titled = self.label(parent, node, number, &mut label)?;
        let (mut value, mut meaning) = (String::new(), String::new());
        match node.cells().filter(|_| is_titled) {
            Some(cells) => {
                (cells.value)(node, &mut Guarded(&mut value))?;
                // An expanded group: its fields follow.
                if !opens {
                    (cells.meaning)(node, &mut Guarded(&mut meaning))?;
                }
            }
            None => {
                node.write_value(&mut Guarded(&mut value))?;
                node.write_meaning(&mut Guarded(&mut meaning))?;
            }
        }
        let role = self.look.colouring.map_or(Role::Bytes, |colouring| colouring.role(node));
        let mut offset = place.base + u64::from(node.span().start);
        let shown = if node.span().is_somewhere() { offset.to_string() } else { String::new() };
        // The bytes of a group are shown with its fields.
        let bytes = if is_envelope { &[] } else { node.bytes() };
        let hidden = node.masked_ranges();
        let shows_all = self.look.all && !opens;
        let per_line = self.look.bytes_per_line(shows_all);
        if let Some(places) = self.bit_places(node) {
            self.push(Row::Cells([shown, places, label, value, meaning], role))?;
            return if opens { self.children(node, depth + 1) } else { Ok(()) };
        }
        let (first, rest) = bytes.split_at_checked(per_line).unwrap_or((bytes, &[]));
        let more = if rest.is_empty() || shows_all { "" } else { " …" };
        self.push(Row::Cells([shown, format!("{}{more}", Spaced::hiding(first, 0, &hidden)), label, value, meaning], role))?;
        if shows_all {
            for (number, line) in (1..).zip(rest.chunks(per_line)) {
                offset += per_line as u64;
                let bytes = Spaced::hiding(line, number * per_line, &hidden).to_string();
                let cells = [offset.to_string(), bytes, String::new(), String::new(), String::new()];
                self.push(Row::Cells(cells, role))?;
            }
        }
        if opens { self.children(node, depth + 1) } else { Ok(()) }
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
            self.held += cells.iter().map(String::len).sum::<usize>();
        }
        self.rows.push(row);
        if self.rows.len() >= AT_ONCE || self.held >= TEXT_AT_ONCE { self.lay_out() } else { Ok(()) }
    }

    fn lay_out(&mut self) -> fmt::Result {
        let mut rows = std::mem::take(&mut self.rows);
        self.held = 0;
        let limits = self.limits(&mut rows);
        rows = if self.look.all { unfolded(rows, limits) } else { shortened(rows, limits) };

        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        for row in &rows {
            match row {
                Row::Cells(cells, _) => table.add_row(cells),
                Row::Rest { .. } => table.add_row([""; 5]),
            };
        }
        if let Some(offsets) = table.column_mut(0) {
            offsets.set_cell_alignment(CellAlignment::Right);
        }
        let bytes_column = 3 + table.column_max_content_widths().first().map_or(0, |width| usize::from(*width));
        for (line, row) in table.lines().zip(&rows) {
            match row {
                Row::Cells(cells, role) => self.paint(&line, cells, *role)?,
                Row::Rest { count, field, depth, is_all } => {
                    let more = if *is_all { "" } else { "more " };
                    let mut rest = format!("… {} {more}{} (-V shows all)", Thousands(*count), Plural(field.name));
                    let columns = self.look.width.unwrap_or(usize::MAX);
                    cut(&mut rest, columns);
                    let indent = (bytes_column + 2 * depth).min(columns - width(&rest));
                    write!(self.out, "{:indent$}{}", "", self.look.theme.paint(Role::Secondary, rest))?;
                }
            }
            self.out.push('\n');
        }
        Ok(())
    }

    /// Widths of names, values and meanings.
    fn limits(&self, rows: &mut [Row]) -> [usize; 3] {
        let mut widest = [0; 5];
        let mut widen = |cells: &[String; 5]| {
            for (widest, cell) in widest.iter_mut().zip(cells) {
                *widest = width(cell).max(*widest);
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
                heads[4].clear();
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
            return shares(rows, [field, value, meaning], left);
        }
        // Meanings are shortened first, then values, then names.
        let [least_value, least] = LEAST.map(|least| least.min(left / 3));
        let meaning = meaning.min(left.saturating_sub(field + value).max(least));
        let value = value.min(left.saturating_sub(field + meaning).max(least_value));
        [left.saturating_sub(value + meaning).max(1), value.max(1), meaning.max(1)]
    }

    /// Colours the cells of a formatted row.
    fn paint(&mut self, line: &str, cells: &[String; 5], bytes: Role) -> fmt::Result {
        let is_head = bytes == Role::Secondary;
        let roles = [Role::Offset, bytes, Role::Name, Role::Value, Role::Meaning];
        let mut rest = line;
        for (cell, role) in cells.iter().zip(roles) {
            let words = cell.trim();
            let Some((space, behind)) = rest.split_once(words).filter(|_| !words.is_empty()) else { continue };
            let role = if is_head { Role::Secondary } else { role };
            write!(self.out, "{space}{}", self.look.theme.paint(role, words))?;
            rest = behind;
        }
        Ok(())
    }
}

/// Widths of wrapped names, values and meanings: at least the longest word of each.
fn shares(rows: &[Row], mut widths: [usize; 3], limit: usize) -> [usize; 3] {
    let mut least = [1; 3];
    for row in rows {
        let Row::Cells([_, _, field, value, meaning], _) = row else { continue };
        let words = [indent_of(field, limit) + longest_part(field.trim_start()), longest_part(value), longest_part(meaning)];
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

fn shortened(mut rows: Vec<Row>, [field_limit, value_limit, meaning_limit]: [usize; 3]) -> Vec<Row> {
    for row in &mut rows {
        if let Row::Cells([_, _, field, value, meaning], _) = row {
            let indent = indent_of(field, field_limit);
            let mut name = field.trim_start().to_owned();
            cut_middle(&mut name, field_limit.saturating_sub(indent));
            *field = format!("{:indent$}{name}", "");
            cut(value, value_limit);
            cut(meaning, meaning_limit);
        }
    }
    rows
}

/// Indentation of a name, reduced in narrow columns.
fn indent_of(field: &str, limit: usize) -> usize {
    (field.len() - field.trim_start().len()).min(limit / 3)
}

/// Wraps names, values and meanings into additional rows.
fn unfolded(rows: Vec<Row>, [field_limit, value_limit, meaning_limit]: [usize; 3]) -> Vec<Row> {
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let Row::Cells([offset, bytes, field, value, meaning], role) = row else { continue };
        let indent = indent_of(&field, field_limit);
        let mut fields = wrapped(field.trim_start(), field_limit.saturating_sub(indent));
        let mut values = wrapped(&value, value_limit);
        let mut meanings = wrapped(&meaning, meaning_limit);
        let mut before = [offset, bytes];
        let mut next = [fields.next(), values.next(), meanings.next()];
        loop {
            let [offset, bytes] = std::mem::take(&mut before);
            let [field, value, meaning] = next.map(Option::unwrap_or_default).map(str::trim_end);
            let field = if field.is_empty() { String::new() } else { format!("{:indent$}{field}", "") };
            all.push(Row::Cells([offset, bytes, field, value.to_owned(), meaning.to_owned()], role));
            next = [fields.next(), values.next(), meanings.next()];
            if next == [None; 3] {
                break;
            }
        }
    }
    all
}
