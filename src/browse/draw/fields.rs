//! Draws the field tree.

use super::{mark, put, style, title};
use crate::browse::detail::{self, Item, bookmark_comments};
use crate::browse::rows::RowKind;
use crate::browse::{Detail, Focus, State};
use crate::render::Role;
use crate::tree::Level;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// Draws the tree, below the user's note on the record.
pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let mut words = String::from("Fields");
    if let Some(row) = state.row().filter(|row| matches!(row.kind, RowKind::Message | RowKind::Packet)) {
        let message = state.message_number();
        bookmark_comments(&state.bookmarks, message, row.frame).iter().for_each(|line| words.push_str(&format!("  {line}")));
    }
    match &state.detail {
        _ if state.is_stale => words.push_str("  dissecting …"),
        Some(detail) if detail.left_out > 0 => {
            words.push_str(&format!("  {} more not shown; --limit browse.fields=N", detail.left_out));
        }
        _ => {}
    }
    title(state, Focus::Fields, &words, area, buffer);
    let Some(detail) = &state.detail else { return };
    for (at, place) in state.fields.visible.iter().skip(state.fields.top).take(usize::from(area.height) - 1).enumerate() {
        let Some(item) = detail.items.get(*place) else { continue };
        put(buffer, area, at + 1, &line(state, detail, *place, item));
        if *place == state.fields.selected {
            mark(buffer, area, at + 1, Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}

fn line(state: &State, detail: &Detail, place: usize, item: &Item) -> Line<'static> {
    let of = |role: Role, text: &str| Span::styled(text.to_owned(), style(state.theme, role));
    let sign = if item.end <= place + 1 {
        "  "
    } else if state.fields.is_folded(place) {
        "+ "
    } else {
        "- "
    };
    let mut spans = vec![Span::raw("  ".repeat(item.depth)), of(Role::Secondary, sign)];
    let label = match item.role {
        detail::Role::Layer => Role::Protocol,
        detail::Role::Field => Role::Name,
        detail::Role::Note(Level::Broken) => Role::Broken,
        detail::Role::Note(Level::Odd) => Role::Odd,
        detail::Role::Note(Level::Info) => Role::Info,
    };
    spans.push(of(label, &item.label));
    for (role, text) in [(Role::Value, &item.value), (Role::Meaning, &item.meaning)] {
        if !text.is_empty() {
            spans.push(Span::raw("  "));
            spans.push(of(role, text));
        }
    }
    if let Some((buffer, _)) = item.bytes.as_ref().filter(|_| item.role == detail::Role::Layer) {
        let name = detail.buffers.get(*buffer).map_or("", |buffer| &buffer.name);
        spans.push(of(Role::Secondary, &format!("  in {name}")));
    }
    Line::from(spans)
}
