//! Draws the record list.

use super::{harmless, mark, put, style, title};
use crate::browse::columns::SEPARATOR;
use crate::browse::rows::{Row, RowKind, seconds};
use crate::browse::{Focus, State};
use crate::render::Role;
use crate::tree::{Level, Side};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Minimum widths for addresses, and for conversations.
const ADDRESSES: u16 = 110;
const STREAMS: u16 = 60;

pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let words = match state.rows.len() {
        0 if state.is_reading => "Records  reading …".to_owned(),
        0 if state.pass.filter.is_empty() => "Records  none".to_owned(),
        0 => "Records  no matches; Esc clears the filter".to_owned(),
        _ => format!("Records  {}", place(state)),
    };
    title(state, Focus::List, &words, area, buffer);
    let columns = &state.pass.columns;
    if !columns.is_empty() {
        let heads = format!(" {}", in_columns(&state.rows.widths, columns, columns.iter().map(String::as_str)));
        put(buffer, area, 1, &Line::from(Span::styled(harmless(&heads), style(state.theme, Role::Secondary))));
    }
    let heads = state.list_heads();
    for at in 0..state.list_rows() {
        let Some(row) = state.rows.get(state.top + at) else { break };
        let info = state.rows.info(state.top + at);
        let line = if columns.is_empty() || row.kind == RowKind::Gap {
            line(state, row, info, area.width)
        } else {
            cells(state, row, info)
        };
        put(buffer, area, heads + at, &line);
        if state.top + at == state.selected {
            mark(buffer, area, heads + at, Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}

/// The place of the selected record among messages or packets.
fn place(state: &State) -> String {
    let (place, count) = (state.rows.numbered_up_to(state.selected), state.rows.counts.numbered);
    match state.row().map_or(RowKind::Message, |row| row.kind) {
        RowKind::Message | RowKind::Packet => format!("{place} of {count}"),
        RowKind::Late => format!("late, after {place} of {count}"),
        RowKind::Gap => format!("gap, after {place} of {count}"),
    }
}

/// The cells of chosen columns.
fn cells(state: &State, row: &Row, cells: &str) -> Line<'static> {
    let sign = if is_marked(state, row) { '*' } else { ' ' };
    let line = in_columns(&state.rows.widths, &state.pass.columns, cells.split(SEPARATOR));
    Line::from(Span::styled(format!("{sign}{line}"), style(state.theme, role_of(row, Role::Value))))
}

/// Aligned cells, each as wide as the widest one and its heading; the last one is not padded.
fn in_columns<'c>(widths: &[usize], names: &[String], cells: impl Iterator<Item = &'c str>) -> String {
    let mut line = String::new();
    let mut names = names.iter().enumerate().peekable();
    for cell in cells {
        line.push_str(cell);
        let Some((at, name)) = names.next().filter(|_| names.peek().is_some()) else { break };
        let width = widths.get(at).copied().unwrap_or_default().max(name.width());
        line.extend(std::iter::repeat_n(' ', (width + 2).saturating_sub(cell.width())));
    }
    line
}

/// The colour of a record by its most severe note.
fn role_of(row: &Row, otherwise: Role) -> Role {
    match row.level {
        Some(Level::Broken) => Role::Broken,
        Some(Level::Odd) => Role::Odd,
        Some(Level::Info) | None => otherwise,
    }
}

fn line(state: &State, row: &Row, info: &str, width: u16) -> Line<'static> {
    let of = |role: Role, text: String| Span::styled(text, style(state.theme, role));
    let number = match row.kind {
        RowKind::Message | RowKind::Packet => row.number.to_string(),
        RowKind::Late => "late".to_owned(),
        RowKind::Gap => "gap".to_owned(),
    };
    let sign = if is_marked(state, row) { '*' } else { ' ' };
    let mut spans = vec![of(Role::Number, format!("{number:>6}{sign}"))];
    let time = row.time().map(seconds).unwrap_or_default();
    spans.push(of(Role::Time, format!("{time:>11} ")));
    if width >= ADDRESSES {
        let (src, dst) = (state.rows.word(row.src), state.rows.word(row.dst));
        let arrow = if dst.is_empty() { ' ' } else { '→' };
        spans.push(of(Role::Address, format!("{src:<21} {arrow} {dst:<21} ")));
    } else if width >= STREAMS {
        let stream = row
            .stream
            .map_or_else(String::new, |(stream, side)| format!("{stream} {}", if side == Side::Client { '→' } else { '←' }));
        spans.push(of(Role::Stream, format!("{stream:<9} ")));
    }
    spans.push(of(Role::Protocol, format!("{:<9} ", state.rows.word(row.protocol))));
    spans.push(of(role_of(row, Role::Meaning), info.to_owned()));
    Line::from(spans)
}

/// Whether a record has a bookmark or a note.
fn is_marked(state: &State, row: &Row) -> bool {
    match row.kind {
        RowKind::Message => state.bookmarks.of_message(row.number, row.frame).next().is_some(),
        RowKind::Packet => state.bookmarks.of_packet(row.frame).next().is_some(),
        RowKind::Late | RowKind::Gap => false,
    }
}
