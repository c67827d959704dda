//! Draws the chart of statistics with its range.

use super::{put, style};
use crate::browse::{BESIDE, Chart};
use crate::render::{Role, Theme, Thousands};
use crate::stats::plot;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// Draws the chart with this height below the title of an area.
pub fn draw(theme: Theme, chart: &Chart, rows: usize, area: Rect, buffer: &mut Buffer) {
    let Some(bars) = rows.checked_sub(1) else { return };
    let width = usize::from(area.width).saturating_sub(BESIDE);
    let (first, columns) = (chart.first(width), chart.columns(width));
    let visible = chart.counts.iter().skip(first).take(width / columns);
    let wide: Vec<u64> = visible.flat_map(|count| std::iter::repeat_n(*count, columns)).collect();
    let most = Thousands(wide.iter().max().copied().unwrap_or_default()).to_string();
    let place = |interval: usize| interval.saturating_sub(first).saturating_mul(columns).min(wide.len());
    let range = place(*chart.range().start())..place(chart.range().end() + 1);
    for (row, blocks) in plot(&wide, bars).iter().enumerate() {
        let beside = match row {
            0 => most.as_str(),
            _ if row + 1 == bars => "frames",
            _ => "",
        };
        let mut spans = vec![Span::styled(format!("{beside:>12} │"), style(theme, Role::Name))];
        spans.extend(parts(blocks, &range).map(|(part, is_inside)| {
            let look = style(theme, Role::Value);
            Span::styled(part, if is_inside { look.add_modifier(Modifier::REVERSED) } else { look })
        }));
        put(buffer, area, 1 + row, &Line::from(spans));
    }
    let words = format!("{:BESIDE$}{}", "", chart.words());
    put(buffer, area, rows, &Line::from(Span::styled(words, Style::new().add_modifier(Modifier::BOLD))));
}

/// The parts of a row before, within and after a range; with whether it is the range.
fn parts(row: &str, range: &Range<usize>) -> impl Iterator<Item = (String, bool)> {
    let part = |from: usize, to: usize| row.chars().skip(from).take(to.saturating_sub(from)).collect::<String>();
    [(part(0, range.start), false), (part(range.start, range.end), true), (part(range.end, usize::MAX), false)].into_iter()
}
