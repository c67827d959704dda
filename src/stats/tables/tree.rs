//! Trees of counts in the form of tshark.

use super::Shown;
use crate::wire::statistics::{Listed, Topic, Topics, WINDOW};
use std::io::{self, Write};

/// Columns behind the name, and their width.
const HEADS: [&str; 8] = ["Count", "Average", "Min Val", "Max Val", "Rate (ms)", "Percent", "Burst Rate", "Burst Start"];
const COLUMN: usize = 13;

/// Width of the lines in tshark per column.
const RULE: usize = 14;

/// Order in which columns are left out on a narrow terminal, if they say something.
const EXPENDABLE: [usize; 6] = [7, 6, 4, 3, 2, 1];

/// Least width of the names on a narrow terminal.
const NAME: usize = 24;

/// Name of the first column.
const TOPIC: &str = "Topic / Item";

/// A tree with its title.
pub(super) struct Tree<'a> {
    pub title: &'a str,
    pub topics: &'a Topics,
}

/// Prints a tree as tshark does. On a terminal that is narrower, empty columns are left out, then others.
pub(super) fn print_tree(tree: &Tree<'_>, width: Option<usize>, to: &mut dyn Write) -> io::Result<()> {
    let listed = tree.topics.in_order();
    let elapsed = tree.topics.elapsed();
    // tshark also counts the last part of the title, as the name above all.
    let above = tree.title.rsplit('/').next().unwrap_or_default().chars().count();
    let names = listed.iter().map(|(depth, _, topic)| depth + 1 + shown(topic).chars().count());
    let longest = names.max().unwrap_or_default().max(above);
    let rows: Vec<[String; 8]> = listed.iter().map(|listed| cells(listed, elapsed)).collect();
    let terminal = width;
    let (width, columns) = fitted(longest, &rows, terminal);
    let rule = width + RULE * columns.len();
    let rule = terminal.map_or(rule, |most| rule.min(most));
    writeln!(to, "\n{}\n{}:", "=".repeat(rule), tree.title)?;
    let heads = columns.iter().filter_map(|column| HEADS.get(*column).copied());
    line(to, TOPIC, width, heads, terminal)?;
    writeln!(to, "{}", "-".repeat(rule))?;
    for ((depth, _, topic), cells) in listed.iter().zip(&rows) {
        let name = format!("{:depth$}{}", "", shown(topic));
        let cells = columns.iter().filter_map(|column| cells.get(*column).map(String::as_str));
        line(to, &name, width, cells, terminal)?;
    }
    writeln!(to, "\n{}", "-".repeat(rule))?;
    match tree.topics.left_out {
        0 => Ok(()),
        count => writeln!(to, "{count} counts of further items are left out (--limit stats.topics=N)"),
    }
}

fn shown(topic: &Topic) -> String {
    Shown(&topic.label).to_string()
}

/// Writes a line; on a terminal, names are cut and blanks at the end left out.
fn line<'a>(
    to: &mut dyn Write,
    name: &str,
    width: usize,
    cells: impl Iterator<Item = &'a str>,
    terminal: Option<usize>,
) -> io::Result<()> {
    let mut line = match terminal {
        Some(_) if name.chars().count() > width => name.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        _ => format!("{name:<width$}"),
    };
    for cell in cells {
        line.push_str(&format!(" {cell:<COLUMN$}"));
    }
    writeln!(to, "{}", if terminal.is_some() { line.trim_end() } else { &line })
}

/// The cells of a topic behind its name.
fn cells(&(depth, above, topic): &Listed<'_>, elapsed: f64) -> [String; 8] {
    let values = match (topic.average(), topic.values, topic.range()) {
        (Some(average), Some((least, greatest, _)), _) if topic.unit == 1 => {
            [format!("{average:.2}"), least.to_string(), greatest.to_string()]
        }
        (Some(average), _, Some([least, greatest])) => [format!("{average:.2}"), format!("{least:.6}"), format!("{greatest:.6}")],
        _ if topic.is_range => ["-"; 3].map(str::to_owned),
        _ => [""; 3].map(str::to_owned),
    };
    let [average, least, greatest] = values;
    let rate = if elapsed == 0.0 { String::new() } else { format!("{:.4}", topic.count as f64 / elapsed) };
    let percent = match (depth, above) {
        (0, _) => "100%".to_owned(),
        (_, 0) => String::new(),
        _ => format!("{:.2}%", topic.count as f64 * 100.0 / above as f64),
    };
    let [burst, start] = match topic.bursts.largest() {
        Some((count, start)) => [format!("{:.4}", count as f64 / WINDOW), format!("{:.3}", start / 1000.0)],
        None => ["-"; 2].map(str::to_owned),
    };
    [topic.count.to_string(), average, least, greatest, rate, percent, burst, start]
}

/// The width of names, and the columns that fit on a terminal.
fn fitted(longest: usize, rows: &[[String; 8]], terminal: Option<usize>) -> (usize, Vec<usize>) {
    let mut columns: Vec<usize> = (0..HEADS.len()).collect();
    let wide = longest.max(TOPIC.len());
    let Some(most) = terminal else { return (longest, columns) };
    let needed = |columns: &[usize], name: usize| name + (COLUMN + 1) * columns.len();
    if needed(&columns, wide) > most {
        columns.retain(|column| rows.iter().any(|cells| cells.get(*column).is_some_and(|cell| !cell.is_empty())));
    }
    for expendable in EXPENDABLE {
        if needed(&columns, wide.min(NAME)) > most {
            columns.retain(|column| *column != expendable);
        }
    }
    let rest = most.saturating_sub((COLUMN + 1) * columns.len()).max(TOPIC.len());
    (wide.min(rest), columns)
}
