//! Text output: an overview of groups, one group, or aligned messages of one kind.

use super::columns::{Column, Label};
use super::framing::Hypothesis;
use super::inner::Inside;
use super::json::{Hex, entropy};
use super::messages::{Kind, Message};
use super::strings::strings;
use super::{Explored, Side};
use crate::render::{Grid, Head, Role, Size, Theme, Thousands, cut, word_lines};
use crate::tree::clean;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Maximum number of listed sides of a group.
const SIDES: usize = 16;

/// Maximum number of kinds whose columns are listed with a group.
const KINDS: usize = 12;

/// Maximum length of a sample value.
const SAMPLE: usize = 24;

/// Bytes per line of the aligned view, if the terminal width is unknown.
const LINE: usize = 24;

/// Output options.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if known.
    pub width: Option<usize>,
}

/// The number of the record that contains a byte of a side.
pub type NumberOf<'a> = &'a dyn Fn(&Side, u64) -> Option<u64>;

impl View {
    /// Prints a line for each group.
    ///
    /// # Errors
    /// Those of writing.
    pub fn overview(self, groups: &[(String, Explored<'_>)], to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("group", Role::Stream),
            Head::number("streams"),
            Head::number("bytes"),
            Head::number("messages"),
            Head::number("types"),
            Head::words("framing", Role::Value),
            Head::number("confidence"),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for (name, explored) in groups {
            let best = explored.framing.first();
            grid.cell(name)?
                .cell(explored.streams().len())?
                .cell(Thousands(explored.sides.iter().map(|side| side.sent).sum::<u64>()))?
                .cell(Thousands(explored.messages.len()))?
                .cell(explored.groups.len())?
                .cell(best.map_or_else(String::new, Hypothesis::title))?
                .cell(format_args!("{:.2}", best.map_or(0.0, |best| best.confidence)))?;
        }
        grid.end()
    }

    /// Prints a group: framing with its evidence, kinds, and their columns.
    ///
    /// # Errors
    /// Those of writing.
    pub fn group(self, name: &str, explored: &Explored<'_>, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "{}", self.theme.paint(Role::Number, name))?;
        for side in explored.sides.iter().take(SIDES) {
            self.side(side, to)?;
        }
        if let Some(others) = explored.sides.len().checked_sub(SIDES).filter(|others| *others > 0) {
            writeln!(to, "  {} more directions", Thousands(others))?;
        }
        writeln!(to)?;
        self.framing(&explored.framing, to)?;
        if let Some(inside) = &explored.inside {
            inside_lines(inside, to)?;
        }
        writeln!(to)?;
        self.kinds(explored, to)?;
        let mut order: Vec<usize> = (0..explored.groups.len()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(explored.groups.get(*place).map_or(0, |kind| kind.members.len())));
        let mut shown: Vec<usize> = order.iter().copied().take(KINDS).collect();
        shown.sort_unstable();
        for place in shown {
            if let (Some(kind), Some(columns)) = (explored.groups.get(place), explored.columns.get(place)) {
                writeln!(to, "\n{}", self.theme.paint(Role::Protocol, kind.id()))?;
                self.columns(explored, kind, columns, to)?;
            }
        }
        if order.len() > KINDS {
            writeln!(to, "\n… and {} more types; --type ID prints one", order.len() - KINDS)?;
        }
        for note in &explored.notes {
            for line in word_lines(&format!("! {note}"), self.width.unwrap_or(usize::MAX)) {
                writeln!(to, "{}", self.theme.paint(Role::Info, line))?;
            }
        }
        Ok(())
    }

    fn side(self, side: &Side, to: &mut dyn Write) -> io::Result<()> {
        let [src, dst] = &side.ends;
        let (buffer, ends) = (side.buffer(), format!("{src} → {dst}"));
        let mut facts = Size(side.sent as f64).to_string();
        // Writing to a string cannot fail.
        if (side.bytes.len() as u64) < side.sent {
            let _ = write!(facts, ", of which {} explored", Size(side.bytes.len() as f64));
        }
        let printable = super::messages::printable(&side.bytes);
        let _ = write!(facts, "  {:.1} bits per byte, {:.0} % printable", entropy(&side.bytes), printable * 100.0);
        let whole = 6 + buffer.len() + ends.chars().count() + facts.len();
        let between = if self.width.is_some_and(|width| whole > width) { "\n    " } else { "  " };
        writeln!(to, "  {}  {ends}{between}{facts}", self.theme.paint(Role::Side(side.dir), buffer))
    }

    fn framing(self, framing: &[Hypothesis], to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("framing", Role::Value),
            Head::number("confidence"),
            Head::number("covers"),
            Head::number("messages"),
            Head::number("turns hit"),
            Head::number("lengths"),
            Head::number("left over"),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for hypothesis in framing {
            let found = hypothesis.found();
            let [hit, all] = found.turns;
            grid.cell(hypothesis.title())?
                .cell(format_args!("{:.2}", hypothesis.confidence))?
                .cell(format_args!("{:.0} %", hypothesis.coverage() * 100.0))?
                .cell(Thousands(found.messages))?
                .cell(format_args!("{hit} of {all}"))?
                .cell(found.lengths)?
                .cell(Thousands(found.left_over))?;
        }
        grid.end()
    }

    fn kinds(self, explored: &Explored<'_>, to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("type", Role::Protocol),
            Head::number("messages"),
            Head::number("shortest"),
            Head::number("longest"),
            Head::words("starts with", Role::Bytes),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for kind in &explored.groups {
            let sizes =
                kind.members.iter().filter_map(|number| explored.messages.get(*number)).map(|message| message.bytes.len());
            let first =
                kind.members.first().and_then(|number| explored.messages.get(*number)).map_or(&[][..], |first| first.bytes);
            grid.cell(kind.id())?
                .cell(Thousands(kind.members.len()))?
                .cell(Thousands(sizes.clone().min().unwrap_or(0)))?
                .cell(Thousands(sizes.max().unwrap_or(0)))?
                .cell(spaced(first.get(..12).unwrap_or(first)))?;
        }
        grid.end()
    }

    fn columns(self, explored: &Explored<'_>, kind: &Kind, columns: &[Column], to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::number("offset"),
            Head::words("type", Role::Name),
            Head::words("label", Role::Value),
            Head::number("conf"),
            Head::number("values"),
            Head::number("bits"),
            Head::words("samples", Role::Bytes),
            Head::words("evidence", Role::Secondary),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        let members = || kind.members.iter().filter_map(|number| explored.messages.get(*number)).map(|message| message.bytes);
        for column in columns {
            let endian = column.endian.map_or("", super::rule::Endian::name);
            let kind = match (column.kind, column.width) {
                ("bytes" | "str", 0) => format!("{} …", column.kind),
                ("bytes" | "str", width) => format!("{}[{width}]", column.kind),
                (kind, _) => format!("{kind}{endian}"),
            };
            grid.cell(column.offset)?
                .cell(kind)?
                .cell(column.label.name())?
                .cell(format_args!("{:.2}", column.confidence))?
                .cell(column.distinct)?
                .cell(format_args!("{:.1}", column.entropy(members())))?
                .cell(samples(column))?
                .cell(&column.why)?;
        }
        grid.end()
    }

    /// Prints aligned messages of a kind, selected to differ, with their columns.
    ///
    /// # Errors
    /// Those of writing.
    pub fn kind(
        self,
        explored: &Explored<'_>,
        place: usize,
        most: usize,
        number: NumberOf<'_>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let (Some(kind), Some(columns)) = (explored.groups.get(place), explored.columns.get(place)) else { return Ok(()) };
        writeln!(to, "{}  {} messages", self.theme.paint(Role::Protocol, kind.id()), Thousands(kind.members.len()))?;
        self.columns(explored, kind, columns, to)?;
        let rows = differing(explored, kind, most);
        let texts: Vec<Vec<(usize, String)>> = rows.iter().map(|row| strings(row.bytes)).collect();
        let per_line = self.width.map_or(LINE, |width| (width.saturating_sub(28) / 4).clamp(8, 32));
        let longest = rows.iter().map(|row| row.bytes.len()).max().unwrap_or(0).min(super::columns::WIDEST);
        for start in (0..longest).step_by(per_line) {
            let end = (start + per_line).min(longest);
            writeln!(to)?;
            self.ruler(columns, &rows, start..end, to)?;
            for (row, texts) in rows.iter().zip(&texts) {
                let Some(bytes) = row.bytes.get(start..).filter(|rest| !rest.is_empty()) else { continue };
                let bytes = bytes.get(..end - start).unwrap_or(bytes);
                let record = explored.sides.get(row.side).and_then(|side| number(side, side.offset(row.start)));
                let name = record.map_or_else(|| format!("@{}", row.start), |record| format!("#{record}"));
                let mut line = format!("{}", self.theme.paint(Role::Number, format_args!("{name:>9}")));
                line.push_str("  ");
                for (at, byte) in bytes.iter().enumerate() {
                    self.byte(columns, start + at, *byte, &mut line);
                }
                line.extend(std::iter::repeat_n("   ", end - start - bytes.len()));
                line.push(' ');
                line.extend(bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '·' }));
                let texts = texts.iter().filter(|(at, _)| (start..end).contains(at)).map(|(_, text)| format!("\"{text}\""));
                let mut texts = texts.collect::<Vec<_>>().join(" ");
                if !texts.is_empty() {
                    line.extend(std::iter::repeat_n(' ', end - start - bytes.len() + 2));
                    let available = self.width.map_or(usize::MAX, |width| width.saturating_sub(14 + 4 * (end - start)));
                    cut(&mut texts, available);
                    let _ = write!(line, "{}", self.theme.paint(Role::Meaning, texts));
                }
                writeln!(to, "{}", line.trim_end())?;
            }
        }
        if kind.members.len() > rows.len() {
            writeln!(to, "\n{} of {} messages, chosen to differ; --messages N prints more", rows.len(), kind.members.len())?;
        }
        Ok(())
    }

    /// A byte in the colour of its column's label.
    fn byte(self, columns: &[Column], at: usize, byte: u8, line: &mut String) {
        let owner = owner(columns, at);
        let begins = owner.is_some_and(|column| usize::try_from(column.offset) == Ok(at)) && at > 0;
        line.pop();
        line.push(if begins { '|' } else { ' ' });
        let role = owner.map_or(Role::Bytes, |column| role(column.label));
        // Writing to a string cannot fail.
        let _ = write!(line, "{} ", self.theme.paint(role, format_args!("{byte:02x}")));
    }

    /// Offsets, and a row that shows the variation of each byte.
    fn ruler(
        self,
        columns: &[Column],
        rows: &[&Message<'_>],
        range: std::ops::Range<usize>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        const STEPS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let mut offsets = String::new();
        let mut strip = String::new();
        for at in range.clone() {
            let begins = at == range.start || owner(columns, at).is_some_and(|column| usize::try_from(column.offset) == Ok(at));
            let _ = if begins { write!(offsets, "{at:>3}") } else { write!(offsets, "   ") };
            let mut values: Vec<u8> = rows.iter().filter_map(|row| row.bytes.get(at).copied()).collect();
            let n = values.len();
            values.sort_unstable();
            values.dedup();
            let step = if n < 2 { 0 } else { (values.len() - 1) * 8 / (n - 1).max(1) };
            let mark = STEPS.get(step.max(usize::from(values.len() > 1))).copied().unwrap_or(' ');
            let _ = write!(strip, " {mark}{mark}");
        }
        writeln!(to, "{:>10}{}", "offset", self.theme.paint(Role::Offset, offsets.trim_end()))?;
        match strip.trim_end() {
            // A single message does not vary.
            "" => Ok(()),
            strip => writeln!(to, "{:>10}{}", "varies", self.theme.paint(Role::Secondary, strip)),
        }
    }
}

/// The column that contains a byte.
fn owner(columns: &[Column], at: usize) -> Option<&Column> {
    columns.iter().find(|column| {
        usize::try_from(column.offset).is_ok_and(|start| start <= at && (column.width == 0 || at < start + column.width))
    })
}

/// The colour of a label.
fn role(label: Label) -> Role {
    match label {
        Label::Const | Label::Padding => Role::Secondary,
        Label::Length | Label::Count | Label::Checksum => Role::Field(0),
        Label::Type | Label::Enum | Label::Flags => Role::Field(1),
        Label::Counter
        | Label::Sequence
        | Label::Acknowledges
        | Label::Timestamp
        | Label::Id
        | Label::ConversationId
        | Label::Address => Role::Field(2),
        Label::Str => Role::Field(3),
        Label::Float | Label::Coordinate => Role::Field(4),
        Label::Random | Label::Value | Label::Bytes => Role::Meaning,
    }
}

/// Messages of a kind: those that differ most first, in the order of the capture.
fn differing<'e, 'a>(explored: &'e Explored<'a>, kind: &Kind, most: usize) -> Vec<&'e Message<'a>> {
    let all: Vec<&Message<'_>> = kind.members.iter().filter_map(|number| explored.messages.get(*number)).collect();
    let mut seen: std::collections::HashSet<&[u8], foldhash::fast::RandomState> = std::collections::HashSet::default();
    let (new, known): (Vec<_>, Vec<_>) = all.into_iter().partition(|message| seen.insert(message.bytes));
    let stride = new.len().div_ceil(most.max(1)).max(1);
    let mut chosen: Vec<&Message<'_>> = new.into_iter().step_by(stride).collect();
    chosen.extend(known);
    chosen.truncate(most);
    chosen.sort_by_key(|message| (message.side, message.start));
    chosen
}

/// Sample values: text as text, others as hexadecimal digits.
fn samples(column: &Column) -> String {
    let mut all = String::new();
    for value in column.values.iter().take(3) {
        let mut shown = String::new();
        if column.kind == "str" {
            let text = String::from_utf8_lossy(value);
            shown.push('"');
            // Writing to a string cannot fail.
            let _ = clean(text.trim_end_matches('\0'), &mut shown);
            shown.push('"');
        } else {
            let _ = write!(shown, "{}", Hex(value));
        }
        if shown.chars().count() > SAMPLE {
            shown = shown.chars().take(SAMPLE).collect();
            shown.push('…');
        }
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(&shown);
    }
    all
}

/// Bytes separated by blanks.
fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// What is inside datagrams or frames.
fn inside_lines(inside: &Inside, to: &mut dyn Write) -> io::Result<()> {
    match inside {
        Inside::Run(run) => {
            let (elements, datagrams, of) = (Thousands(run.elements), Thousands(run.datagrams), Thousands(run.of));
            let blocks = if run.in_frames { "messages" } else { "datagrams" };
            writeln!(to, "inside: {run}")?;
            writeln!(to, "  {elements} elements in {datagrams} of {of} {blocks}, several in {}", Thousands(run.several))?;
            writeln!(to, "  the types below are those of elements")
        }
        Inside::Fragments(found) => {
            let (messages, several) = (Thousands(found.messages), Thousands(found.several));
            writeln!(to, "inside: {found}")?;
            writeln!(to, "  {messages} messages, {several} of several parts, in {} datagrams", Thousands(found.datagrams))?;
            writeln!(to, "  the types below are those of first parts")
        }
    }
}
