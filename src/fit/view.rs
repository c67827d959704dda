//! The result on one screen: numbers, what is probably wrong, types, and what the file lacks.

use super::{Failure, Fit};
use crate::render::{Grid, Head, Role, Theme, Thousands, word_lines};
use crate::tree::clean;
use std::io::{self, Write};

/// Number of rows of the table of types, and of entries of a list.
const ROWS: usize = 10;

/// Output options.
#[derive(Clone, Copy)]
pub struct FitView {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if known.
    pub width: Option<usize>,
}

impl FitView {
    /// Prints a result.
    ///
    /// # Errors
    /// Those of writing.
    pub fn print(self, fit: &Fit, capture: &str, to: &mut dyn Write) -> io::Result<()> {
        self.line(&heading(fit, capture), Role::Number, to)?;
        let suspects = fit.suspects();
        for suspect in suspects.iter().take(2) {
            let line = format!("{}; first {}", suspect.what, describe(&suspect.first));
            // Each is one line, so that the first lines of the output have both.
            writeln!(to, "{}", self.theme.paint(Role::Broken, printable(&line)))?;
        }
        if fit.counts().all() > 0 {
            writeln!(to)?;
            self.kinds(fit, to)?;
        }
        self.lists(fit, to)
    }

    fn kinds(self, fit: &Fit, to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("type", Role::Protocol),
            Head::number("messages"),
            Head::number("whole"),
            Head::number("unexplained"),
            Head::number("broken"),
            Head::words("first failure", Role::Value),
        ];
        let kinds = fit.kinds();
        let mut grid = Grid::new(to, self.theme, HEADS).within(self.width);
        for kind in kinds.iter().take(ROWS) {
            let first = kind.first.as_ref().map_or_else(String::new, |first| {
                let text = if first.text.contains(&first.field) { String::new() } else { format!(": {}", first.text) };
                format!("#{} {}{text}", first.n, first.field)
            });
            grid.cell(printable(if kind.name.is_empty() { "(none)" } else { &kind.name }))?
                .cell(Thousands(kind.counts.all()))?
                .cell(Thousands(kind.counts.whole))?
                .cell(Thousands(kind.counts.unexplained))?
                .cell(Thousands(kind.counts.broken))?
                .cell(printable(&first))?;
        }
        grid.end()?;
        if kinds.len() > ROWS {
            self.line(&format!("… and {} more types; --json lists all", kinds.len() - ROWS), Role::Secondary, to)?;
        }
        Ok(())
    }

    fn lists(self, fit: &Fit, to: &mut dyn Write) -> io::Result<()> {
        let undescribed: Vec<String> =
            fit.all_undescribed().map(|((attribute, value), found)| format!("`{attribute}` {value} ×{}", found.count)).collect();
        let constant: Vec<String> =
            fit.constant().into_iter().map(|(field, value, count)| format!("{field} = {value} ×{count}")).collect();
        let unseen: Vec<String> = fit.unseen().into_iter().map(str::to_owned).collect();
        let lists = [("values without a case", undescribed), ("never vary", constant), ("types never seen", unseen)];
        let mut lists = lists.into_iter().filter(|(_, entries)| !entries.is_empty()).peekable();
        if lists.peek().is_some() {
            writeln!(to)?;
        }
        for (title, entries) in lists {
            let more = entries.len().saturating_sub(ROWS);
            let more = if more > 0 { format!(", … and {more} more") } else { String::new() };
            let listed: Vec<String> = entries.into_iter().take(ROWS).collect();
            self.line(&format!("{title}: {}{more}", listed.join(", ")), Role::Meaning, to)?;
        }
        Ok(())
    }

    fn line(self, text: &str, role: Role, to: &mut dyn Write) -> io::Result<()> {
        let text = printable(text);
        for line in word_lines(&text, self.width.unwrap_or(usize::MAX)) {
            writeln!(to, "{}", self.theme.paint(role, line))?;
        }
        Ok(())
    }
}

/// The numbers in one line.
fn heading(fit: &Fit, capture: &str) -> String {
    let (counts, outside) = (fit.counts(), fit.all_outside());
    let all = counts.all();
    let mut line = format!("{} on {capture}: {} of {} messages whole", fit.names.file, Thousands(counts.whole), Thousands(all));
    line += &format!(" ({:.1} %)", fit.share() * 100.0);
    if counts.unexplained > 0 {
        line += &format!(", {} with unexplained bytes", Thousands(counts.unexplained));
    }
    if counts.broken > 0 {
        line += &format!(", {} broken", Thousands(counts.broken));
    }
    if outside.bytes > 0 {
        line += &format!(", {} bytes outside of messages", Thousands(outside.bytes));
    }
    if all == 0 && outside.bytes == 0 {
        line += "; no conversation is read with this file: select one with -s, such as -s tcp/0";
    }
    line
}

/// A place in words: message, frame, direction, field, offset, bytes, and the fields before.
fn describe(failure: &Failure) -> String {
    let mut text = format!("#{}, frame {}", failure.n, failure.frame);
    if let Some((stream, side)) = failure.stream {
        text += &format!(", {stream} {}", side.direction());
    }
    if !failure.read.is_empty() {
        text += &format!(", behind {}", failure.read.join(" "));
    }
    if !failure.bytes.is_empty() {
        let bytes: Vec<String> = failure.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!(", at byte {}: {}", failure.at, bytes.join(" "));
    }
    text
}

/// Text without control characters.
fn printable(text: &str) -> String {
    let mut printable = String::new();
    // Writing to a string cannot fail.
    let _ = clean(text, &mut printable);
    printable
}
