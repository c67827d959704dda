//! Text output of an inspection: plausible forms with the reason, then the others.

use super::summary::{DISTINCT, Summary};
use super::{Inspection, Read};
use crate::render::{Grid, Head, Role, Theme, Thousands};
use std::io::{self, Write};

/// Minimum rating of a plausible form.
const PLAUSIBLE: f64 = 0.3;

/// Maximum length of a sample in characters.
const SAMPLE: usize = 24;

/// Prints an inspection.
///
/// # Errors
/// Those of writing.
pub fn write(of: &Inspection, theme: Theme, width: Option<usize>, to: &mut dyn Write) -> io::Result<()> {
    let messages = format!("{} messages", Thousands(of.messages));
    let reached = if of.reached == of.messages { messages } else { format!("{} of {messages}", Thousands(of.reached)) };
    writeln!(to, "{}  {reached}", theme.paint(Role::Protocol, format_args!("{} @{}", of.kind, of.at)))?;
    if let Some(column) = &of.column {
        writeln!(to, "column: {column}")?;
    }
    let (plausible, others): (Vec<&Read>, Vec<&Read>) = of.forms.iter().partition(|read| read.sure >= PLAUSIBLE);
    if !plausible.is_empty() {
        writeln!(to)?;
        table(of, &plausible, true, theme, width, to)?;
    }
    if !others.is_empty() {
        writeln!(to, "\nless plausible")?;
        table(of, &others, false, theme, width, to)?;
    }
    Ok(())
}

fn table(
    of: &Inspection,
    reads: &[&Read],
    is_plausible: bool,
    theme: Theme,
    width: Option<usize>,
    to: &mut dyn Write,
) -> io::Result<()> {
    const HEADS: &[Head] = &[
        Head::words("as", Role::Protocol),
        Head::number("sure"),
        Head::words("does", Role::Value),
        Head::number("values"),
        Head::words("least … most", Role::Value),
        Head::words("evidence", Role::Secondary),
    ];
    let heads = if is_plausible { HEADS } else { HEADS.get(..5).unwrap_or(HEADS) };
    let mut grid = Grid::new(to, theme, heads).within(width);
    for read in reads {
        let more = if read.of.distinct == DISTINCT { "+" } else { "" };
        grid.cell(read.name())?
            .cell(format_args!("{:.2}", read.sure))?
            .cell(if read.of.read < of.reached {
                format!("in {} of {}", Thousands(read.of.read), Thousands(of.reached))
            } else {
                read.of.behaviour.name()
            })?
            .cell(format_args!("{}{more}", Thousands(read.of.distinct)))?
            .cell(range(&read.of))?;
        if is_plausible {
            grid.cell(&read.why)?;
        }
    }
    grid.end()
}

impl Read {
    /// The names of the forms.
    pub(super) fn name(&self) -> String {
        self.forms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Minimum and maximum, or sample texts.
fn range(of: &Summary) -> String {
    match (&of.least, &of.most) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} … {most}"),
        _ => of.samples.iter().map(|sample| short(&sample.to_string())).collect::<Vec<_>>().join(", "),
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(SAMPLE).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
