//! Text output of search results: the forms with their counts, then the positions of rare ones.

use super::change::Changes;
use super::fields::{DerivedHit, FieldName, Fields};
use super::scan::Hit;
use super::{BytePosition, Findings, Found, Places, Reading};
use crate::explore::Side;
use crate::explore::view::NumberOf;
use crate::render::{Grid, Head, Role, Size, Theme, Thousands, seconds};
use std::collections::HashSet;
use std::io::{self, Write};

/// Maximum number of displayed bytes of a form.
const SHOWN: usize = 8;

/// Output options.
#[derive(Clone, Copy)]
pub struct FindView<'v> {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if known.
    pub width: Option<usize>,
    /// Forms with more occurrences are counted, not listed.
    pub most: usize,
    /// Time of the first frame: nanoseconds since 1970.
    pub start: Option<i64>,
    /// Numbers of records.
    pub number: NumberOf<'v>,
    /// Fields of dissectors.
    pub fields: Option<&'v Fields>,
}

impl FindView<'_> {
    /// Prints the forms, and the positions of rare ones.
    ///
    /// # Errors
    /// Those of writing.
    pub fn findings(self, findings: &Findings, places: &Places<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("as", Role::Protocol),
            Head::words("bytes", Role::Bytes),
            Head::number("hits"),
            Head::number("by chance"),
            Head::words("most often at", Role::Value),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for found in &findings.found {
            grid.cell(found.name())?
                .cell(found.bytes.as_deref().map_or_else(String::new, shown))?
                .cell(Thousands(found.count))?
                .cell(found.chance.map_or_else(String::new, |chance| format!("{chance:.1}")))?
                .cell(most_often(found, places))?;
        }
        grid.end()?;
        self.list(findings, places, to)
    }

    /// Prints the positions of rare forms.
    fn list(self, findings: &Findings, places: &Places<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
        let (rare, frequent): (Vec<&Found>, Vec<&Found>) =
            findings.found.iter().partition(|found| found.count <= self.most as u64);
        let mut seen = HashSet::new();
        let mut repeated = 0;
        if rare.iter().any(|found| !found.hits.is_empty()) {
            writeln!(to)?;
            let mut grid = Grid::new(to, self.theme, PLACES).within(self.width);
            for found in &rare {
                for hit in &found.hits {
                    let reading = found.readings.first().copied().unwrap_or(Reading::Utf8);
                    let lowest = reading.lowest(hit.at, found.width);
                    // The same number in a wider form is listed above.
                    let is_new = !matches!(reading, Reading::Int { .. }) || seen.insert((hit.group, hit.side, lowest));
                    repeated += usize::from(!is_new);
                    if is_new {
                        let value = places.of(*hit).and_then(|place| Places::float(&place, &found.readings));
                        let name = value.map_or_else(|| found.name(), |value| format!("{} {value}", found.name()));
                        grid.cell(name)?;
                        self.place(*hit, places, &mut grid)?;
                    }
                }
            }
            grid.end()?;
        }
        self.derived(&rare, to)?;
        if repeated > 0 {
            writeln!(to)?;
            self.note(
                &format!("not repeated: matches of narrower encodings that are listed above as wider ones ({repeated})"),
                to,
            )?;
        }
        if !frequent.is_empty() {
            let count: u64 = frequent.iter().map(|found| found.count).sum();
            let names: Vec<String> = frequent.iter().map(|found| found.name()).collect();
            let line = format!(
                "not listed: {} matches as {}; --messages N lists encodings with at most N matches",
                Thousands(count),
                names.join("; ")
            );
            if repeated == 0 {
                writeln!(to)?;
            }
            self.note(&line, to)?;
        }
        Ok(())
    }

    /// The cells of a position.
    fn place(self, hit: Hit, places: &Places<'_, '_>, grid: &mut Grid<'_>) -> io::Result<()> {
        let Some((side, at)) = places.side(hit) else { return Ok(()) };
        let place = places.of(hit);
        let (off, record) = (side.offset(at), (self.number)(side, side.offset(at)));
        grid.cell(record.map_or_else(String::new, |record| format!("#{record}")))?
            .cell(place.as_ref().map_or_else(String::new, |place| self.time(place)))?
            .cell(side.buffer())?
            .cell(off)?
            .cell(place.as_ref().map_or_else(String::new, |place| places.kind(place.group, place.kind)))?
            .cell(place.as_ref().map_or_else(String::new, |place| place.offset.to_string()))?
            .cell(self.field(side, off))?;
        Ok(())
    }

    /// The message and the field of a dissector.
    fn field(self, side: &Side, off: u64) -> String {
        let name = self.fields.and_then(|fields| fields.name(side.stream, side.dir, off));
        name.map_or_else(String::new, named_field)
    }

    /// Prints occurrences in bytes that are not on the wire as such.
    fn derived(self, rare: &[&Found], to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("as", Role::Protocol),
            Head::words("record", Role::Number),
            Head::words("stream", Role::Stream),
            Head::words("decoded by", Role::Protocol),
            Head::number("offset"),
            Head::words("field", Role::Name),
        ];
        let hits: Vec<(&&Found, &DerivedHit)> =
            rare.iter().flat_map(|found| found.derived.iter().map(move |hit| (found, hit))).collect();
        if hits.is_empty() {
            return Ok(());
        }
        writeln!(to)?;
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for (found, hit) in hits {
            let record = hit.n.map_or_else(|| format!("frame {}", hit.frame), |n| format!("#{n}"));
            let stream = hit.stream.map_or_else(String::new, |(stream, side)| format!("{stream}/{side}"));
            grid.cell(found.name())?
                .cell(record)?
                .cell(stream)?
                .cell(hit.method)?
                .cell(hit.at)?
                .cell(hit.name.as_ref().map_or_else(String::new, named_field))?;
        }
        grid.end()
    }

    /// Seconds since the first frame.
    fn time(self, place: &BytePosition<'_>) -> String {
        let mut shown = String::new();
        if let Some((time, start)) = place.time().zip(self.start) {
            // Writing to a string cannot fail.
            let _ = seconds(i128::from(time) - i128::from(start), 3, &mut shown);
        }
        shown
    }

    /// Prints the positions at which a value changed.
    ///
    /// # Errors
    /// Those of writing.
    pub fn changes(self, changes: &Changes<'_>, places: &Places<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("as", Role::Protocol),
            Head::words("where", Role::Value),
            Head::number("changes"),
            Head::number("first"),
            Head::number("second"),
            Head::words("from", Role::Number),
            Head::number("time"),
            Head::words("to", Role::Number),
            Head::number("time"),
        ];
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for change in changes.all.iter().take(self.most) {
            let name = |place: &BytePosition<'_>| {
                let record = (self.number)(place.side, place.side.offset(place.at));
                record.map_or_else(|| format!("@{}", place.side.offset(place.at)), |record| format!("#{record}"))
            };
            grid.cell(super::named(&change.readings))?
                .cell(change.title(places))?
                .cell(Thousands(change.count))?
                .cell(Thousands(change.hits[0]))?
                .cell(Thousands(change.hits[1]))?
                .cell(name(&change.from))?
                .cell(self.time(&change.from))?
                .cell(name(&change.to))?
                .cell(self.time(&change.to))?;
        }
        grid.end()?;
        if changes.all.len() > self.most {
            writeln!(to)?;
            let more = changes.all.len() - self.most;
            self.note(&format!("… and {more} weaker candidates; --messages N lists N"), to)?;
        }
        Ok(())
    }

    /// Prints a note.
    ///
    /// # Errors
    /// Those of writing.
    pub fn note(self, text: &str, to: &mut dyn Write) -> io::Result<()> {
        for line in crate::render::word_lines(text, self.width.unwrap_or(usize::MAX)) {
            writeln!(to, "{}", self.theme.paint(Role::Secondary, line))?;
        }
        Ok(())
    }

    /// Prints the search value, and the amount of searched data.
    ///
    /// # Errors
    /// Those of writing.
    pub fn heading(self, what: &str, places: &Places<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
        let sides = || places.groups().iter().flat_map(|(_, explored)| explored.sides);
        let bytes: usize = sides().map(|side| side.bytes.len()).sum();
        let messages: usize = places.groups().iter().map(|(_, explored)| explored.messages.len()).sum();
        let mut name = String::new();
        // Writing to a string cannot fail.
        let _ = crate::tree::clean(what, &mut name);
        let streams = places.groups().iter().map(|(_, explored)| explored.streams().len()).sum::<usize>();
        let line = format!(
            "{name} in {streams} conversation{}: {}, {} messages",
            if streams == 1 { "" } else { "s" },
            Size(bytes as f64),
            Thousands(messages)
        );
        for line in crate::render::word_lines(&line, self.width.unwrap_or(usize::MAX)) {
            writeln!(to, "{}", self.theme.paint(Role::Number, line))?;
        }
        writeln!(to)
    }
}

/// The columns of positions.
const PLACES: &[Head] = &[
    Head::words("as", Role::Protocol),
    Head::words("record", Role::Number),
    Head::number("time"),
    Head::words("stream", Role::Stream),
    Head::number("offset"),
    Head::words("type", Role::Protocol),
    Head::number("at"),
    Head::words("field", Role::Name),
];

/// A field with the type of its message.
fn named_field(name: &FieldName) -> String {
    match name.message.as_str() {
        "" => name.field.to_owned(),
        message => format!("{} of {message}", name.field),
    }
}

/// The most frequent position.
fn most_often(found: &Found, places: &Places<'_, '_>) -> String {
    let Some((group, kind, offset, count)) = found.common else { return String::new() };
    let of = if found.hits.len() as u64 == found.count { String::new() } else { format!(" of the first {}", found.hits.len()) };
    format!("{} @{offset}: {count}{of}", places.kind(group, kind))
}

/// Bytes separated by blanks.
fn shown(bytes: &[u8]) -> String {
    let mut shown: Vec<String> = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN {
        shown.push(String::from("…"));
    }
    shown.join(" ")
}
