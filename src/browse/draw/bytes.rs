//! Draws the bytes pane, with the selected field highlighted.

use super::{put, style, title};
use crate::browse::detail::Buffer as Bytes;
use crate::browse::{Focus, State};
use crate::render::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// Width of the offset: eight digits and two spaces.
const OFFSET: usize = 10;

/// Number of bytes before the gap in a line.
const HALF: usize = 8;

pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let Some(detail) = &state.detail else {
        title(state, Focus::Bytes, "Bytes", area, buffer);
        return;
    };
    title(state, Focus::Bytes, &tabs(&detail.buffers, state.bytes.tab), area, buffer);
    let Some(bytes) = state.bytes.buffer(detail) else { return };
    let selected = detail.items.get(state.fields.selected).and_then(|item| item.bytes.as_ref());
    let place = |off: u64| usize::try_from(off.saturating_sub(bytes.first)).unwrap_or(usize::MAX);
    let selected =
        selected.filter(|(of, _)| *of == state.bytes.tab).map_or(0..0, |(_, range)| place(range.start)..place(range.end));
    let look = Look { state, bytes, selected, width: state.bytes_in_line() };
    for at in 0..usize::from(area.height) - 1 {
        let first = (state.bytes.top + at).saturating_mul(look.width);
        if first >= bytes.bytes.len() {
            break;
        }
        put(buffer, area, at + 1, &look.line(first));
    }
}

/// The names of the buffers, that of the current one in brackets.
fn tabs(buffers: &[Bytes], shown: usize) -> String {
    let mut words = String::from("Bytes ");
    for (at, Bytes { name, method, pieces, .. }) in buffers.iter().enumerate() {
        let method = if method.is_empty() { String::new() } else { format!(" ({method})") };
        let frames = match pieces.as_slice() {
            [] | [_] => String::new(),
            [first, .., last] => format!(" frames {}–{}", first.frame, last.frame),
        };
        let name = format!("{name}{method}{frames}");
        words.push_str(&if at == shown { format!(" [{name}]") } else { format!("  {name} ") });
    }
    words
}

/// The byte at a column of a line.
pub fn byte_at(column: usize, width: usize, is_text: bool) -> Option<usize> {
    let column = column.checked_sub(OFFSET)?;
    if is_text {
        return Some(column).filter(|place| *place < width);
    }
    let split = if width > HALF { HALF * 3 } else { usize::MAX };
    let in_digits = if column > split { (column - 1) / 3 } else { column / 3 };
    if in_digits < width {
        return Some(in_digits);
    }
    let letters = width * 3 + usize::from(width > HALF) + 1;
    column.checked_sub(letters).filter(|place| *place < width)
}

struct Look<'a> {
    state: &'a State,
    bytes: &'a Bytes,
    selected: Range<usize>,
    width: usize,
}

impl Look<'_> {
    fn line(&self, first: usize) -> Line<'static> {
        let offset = self.bytes.first.saturating_add(first as u64);
        let mut spans = vec![Span::styled(format!("{offset:08x}  "), style(self.state.theme, Role::Offset))];
        let end = (first + self.width).min(self.bytes.bytes.len());
        if !self.state.bytes.is_text {
            for at in first..first + self.width {
                let gap = if at - first + 1 == HALF && self.width > HALF { "  " } else { " " };
                match self.bytes.bytes.get(at) {
                    Some(_) if self.is_masked(at) => spans.push(Span::styled("**", self.style(at))),
                    Some(byte) => spans.push(Span::styled(format!("{byte:02x}"), self.style(at))),
                    None => spans.push(Span::raw("  ")),
                }
                // The gap between two selected bytes is selected as well.
                let is_inner = self.selected.contains(&at) && self.selected.contains(&(at + 1)) && at + 1 < end;
                spans.push(Span::styled(gap, if is_inner { self.style(at) } else { Style::new() }));
            }
            spans.push(Span::raw(" "));
        }
        spans.extend((first..end).map(|at| {
            let byte = self.bytes.bytes.get(at).copied().unwrap_or_default();
            let letter = if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '.' };
            Span::styled(letter.to_string(), self.style(at))
        }));
        Line::from(spans)
    }

    fn is_masked(&self, at: usize) -> bool {
        self.bytes.masked.iter().any(|range| range.contains(&at))
    }

    fn style(&self, at: usize) -> Style {
        let look = if self.selected.contains(&at) {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            style(self.state.theme, Role::Bytes)
        };
        let has_cursor = self.state.focus == Focus::Bytes && at == self.state.bytes.cursor;
        if has_cursor { look.add_modifier(Modifier::UNDERLINED | Modifier::BOLD) } else { look }
    }
}
