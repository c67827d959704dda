//! Explained and unexplained bytes of messages.

use super::Pages;
use super::words::Nonzero;
use crate::render::{Grid, Head, Role, Thousands};
use crate::stats::Covered;
use std::io;

/// Maximum number of unknown values.
const VALUES: usize = 10;

impl Pages<'_> {
    pub(super) fn coverage(&mut self) -> io::Result<()> {
        const FIRST: [Head; 3] = [Head::words("protocol", Role::Protocol), Head::number("messages"), Head::number("explained")];
        const UNKNOWN: &[Head] = &[
            Head::words("unknown value of", Role::Name),
            Head::number("value"),
            Head::number("count"),
            Head::number("first frame"),
        ];
        let coverage = &self.stats.coverage;
        self.heading("Coverage of messages, in bytes")?;
        let rest: Vec<Rest> = REST.iter().copied().filter(|(_, bytes)| bytes(&coverage.all()) > 0).collect();
        let heads: Vec<Head> = FIRST
            .into_iter()
            .chain(rest.iter().map(|(name, _)| Head::number(name)))
            .chain([Head::number("explained %")])
            .collect();
        let mut grid = Grid::new(self.to, self.look.theme, &heads).within(self.look.width);
        for protocols in coverage.protocols() {
            grid.cell(protocols.protocol.abbrev)?;
            covered(&mut grid, protocols.all, &rest)?;
            for (name, by_name) in protocols.by_name() {
                grid.cell(format_args!("  · {name}"))?;
                covered(&mut grid, by_name, &rest)?;
            }
        }
        grid.cell("all")?;
        covered(&mut grid, coverage.all(), &rest)?;
        grid.end()?;
        let unknown = coverage.unknown(VALUES);
        if unknown.is_empty() {
            return Ok(());
        }
        let mut grid = Grid::new(self.to, self.look.theme, UNKNOWN).within(self.look.width);
        for value in unknown {
            grid.cell(value.field)?;
            match value.digits {
                0 => grid.cell(value.value)?,
                digits => grid.cell(format_args!("0x{:0width$x}", value.value, width = usize::from(digits)))?,
            };
            grid.cell(Thousands(value.count))?.cell(value.first)?;
        }
        grid.end()
    }
}

fn covered(grid: &mut Grid<'_>, covered: Covered, rest: &[Rest]) -> io::Result<()> {
    grid.cell(Thousands(covered.messages))?.cell(Thousands(covered.explained))?;
    for (_, bytes) in rest {
        grid.cell(Nonzero(bytes(&covered)))?;
    }
    let all = covered.explained + REST.iter().map(|(_, bytes)| bytes(&covered)).sum::<u64>();
    if all == 0 { grid.cell("") } else { grid.cell(format_args!("{:.1}", 100.0 * covered.explained as f64 / all as f64)) }
        .map(drop)
}

/// Column of unexplained bytes: name and value. Empty columns are omitted.
type Rest = (&'static str, fn(&Covered) -> u64);

const REST: &[Rest] = &[
    ("encrypted", |covered| covered.encrypted),
    ("bodies", |covered| covered.bodies),
    ("unexplained", |covered| covered.unexplained),
    ("unframed", |covered| covered.unframed),
];
