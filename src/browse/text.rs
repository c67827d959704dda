//! A text overlay: help, a conversation, statistics.

use super::chart::Chart;
use super::layout::LOW;
use ratatui::layout::Size;

/// A scrollable text. Its lines are escaped.
#[derive(Debug, Clone)]
pub struct Text {
    pub title: String,
    pub lines: Vec<String>,
    /// The first visible line.
    pub top: usize,
    /// The first visible column.
    pub left: usize,
    /// Whether more lines are pending.
    pub is_waiting: bool,
    /// The chart above the lines.
    pub chart: Option<Chart>,
}

impl Text {
    /// Creates a complete text.
    pub fn new(title: &str, lines: Vec<String>) -> Text {
        Text { title: title.to_owned(), lines, top: 0, left: 0, is_waiting: false, chart: None }
    }

    /// Creates a pending text.
    pub fn waiting(title: String) -> Text {
        Text { title, lines: Vec::new(), top: 0, left: 0, is_waiting: true, chart: None }
    }

    pub fn help() -> Text {
        Text::new("Keys", HELP.lines().map(str::to_owned).collect())
    }

    /// Height of the chart on a screen of this size, with the description of the range.
    pub fn chart_rows(&self, size: Size) -> usize {
        match &self.chart {
            Some(_) if size.height < LOW => 3,
            Some(_) => 6,
            None => 0,
        }
    }

    /// Scrolls by lines, in a window of this height.
    pub fn scroll(&mut self, by: isize, height: usize) {
        let last = self.lines.len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Scrolls by columns.
    pub fn shift(&mut self, by: isize) {
        let widest = self.lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
        self.left = self.left.saturating_add_signed(by).min(widest);
    }
}

/// The keys, in the order of their use.
const HELP: &str = "\
Tab, Shift-Tab   next, previous pane
↑ ↓ j k          up, down            PageUp PageDown   page up, page down
Home End         first, last         ← →  Enter        collapse, expand

m  p             messages, packets
/                display filter: Tab completes, ↑ ↓ history
Esc              clear the filter
c                columns of the list, as for -e; empty: default columns
n  N             next, previous match of the last filter
g                go to record number
]  [             next, previous record of the same type
}  {             next, previous record of the same conversation
>  <             next, previous buffer
x                show bytes as hex or text

f                follow the conversation
e                explore the conversation as an unknown protocol
s                statistics, with a chart over time:
  ←  →           previous, next interval
  v  Shift-← →   start or cancel a range, extend it (or use the mouse)
  Enter          list the records of the range
d                decode as: assign a protocol to a conversation
b                bookmark             t  note
y                copy: h hex, f filter, j JSON, c C array
o                save the bytes of the field
F                next file

Ctrl-Z           suspend
?                help                 q  quit";
